/* robocache: publishers that come and go in a domain, their topics, and the pads of these
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include <string.h>

#include "common/rospads/topicchoice.h"
#include "session.h"

/* Names that are kept for a report. */
#define MAX_UNCHOSEN 1000
/* Peers choose topics, and the names of joints and frames that make streams. */
#define MAX_TOPICS 4000
#define MAX_STREAMS 1000

/* ---- names in the setting ---- */

static const gchar *
chosen (const RobocacheRosSession *session)
{
  return session->settings.topics ? session->settings.topics : "";
}

static gboolean
is_glob (const gchar *name)
{
  return strpbrk (name, "*?") != NULL;
}

/* Whether the setting has the name itself. */
static gboolean
is_named (const RobocacheRosSession *session, const gchar *topic)
{
  gchar **names = g_strsplit (chosen (session), ",", -1);
  gboolean is = FALSE;

  for (guint i = 0; names[i] && !is; i++)
    is = g_str_equal (g_strstrip (names[i]), topic);
  g_strfreev (names);
  return is;
}

/* ---- topics ---- */

static RobocacheRosTopic *
find_topic (const RobocacheRosSession *session, const gchar *name)
{
  for (guint i = 0; i < session->topics->len; i++) {
    RobocacheRosTopic *topic = g_ptr_array_index (session->topics, i);

    if (g_str_equal (topic->name, name))
      return topic;
  }
  return NULL;
}

/* An error for a topic that the user named, a warning for one that a glob chose, and else a note. */
static void
report (RobocacheRosSession *session, const RobocacheRosTopic *topic, const gchar *text)
{
  if (is_named (session, topic->name))
    GST_ELEMENT_ERROR (session->element, STREAM, WRONG_TYPE, ("%s", text), (NULL));
  else if (*chosen (session))
    GST_ELEMENT_WARNING (session->element, STREAM, WRONG_TYPE, ("%s", text), (NULL));
  else
    GST_ELEMENT_INFO (session->element, STREAM, WRONG_TYPE, ("%s", text), (NULL));
}

static void
warn_once (RobocacheRosSession *session, gboolean *has_warned, const gchar *text)
{
  if (!*has_warned)
    GST_ELEMENT_WARNING (session->element, RESOURCE, NO_SPACE_LEFT, ("%s", text), (NULL));
  *has_warned = TRUE;
}

/* why_unknown: why nobody told the definition; NULL: nobody was asked, or it is known. */
static void
report_fault (RobocacheRosSession *session, const RobocacheRosTopic *topic, const gchar *why_unknown)
{
  gchar *text;

  if (!topic->fault)
    return;
  text = g_strdup_printf ("%s of type %s cannot be read: %s%s%s", topic->name, topic->type, topic->fault, why_unknown ? "; " : "",
      why_unknown ? why_unknown : "");
  report (session, topic, text);
  g_free (text);
}

static RobocacheRosTopic *
add_topic (RobocacheRosSession *session, const RobocacheDdsEndpoint *endpoint, guint order)
{
  RobocacheRosTopic *topic = robocache_ros_topic_new (endpoint, session->folders, &session->settings, order);

  topic->clocks = session->clocks;
  topic->queue = robocache_ros_inbox_add (session->inbox, topic, FALSE);
  GST_CAT_INFO_OBJECT (session->category, session->element, "%s of type %s: %s", topic->name, topic->type, topic->fault ? topic->fault
      : topic->camera ? "the calibration of a camera" : "is read");
  GST_OBJECT_LOCK (session->element);
  g_ptr_array_add (session->topics, topic);
  GST_OBJECT_UNLOCK (session->element);
  return topic;
}

/* Opens the reader of a topic, or opens it again. */
static void
adapt (RobocacheRosSession *session, RobocacheRosTopic *topic)
{
  GError *error = NULL;

  if (!robocache_ros_topic_adapt (topic, session->participant, session->settings.depth, &error))
    report (session, topic, error->message);
  g_clear_error (&error);
}

void
robocache_ros_session_settle (RobocacheRosSession *session, RobocacheRosTopic *topic, const gchar *why_unknown)
{
  report_fault (session, topic, why_unknown);
  if (!topic->fault && why_unknown) {
    gchar *text = g_strdup_printf ("a publisher of %s has another definition of %s than ours, and %s: its messages would be misread. Set msg-path "
        "to a folder with the .msg files of the publisher", topic->name, topic->type, why_unknown);

    report (session, topic, text);
    topic->has_reported_type = TRUE;
    g_free (text);
  }
  adapt (session, topic);
}

static void
leave_out (RobocacheRosSession *session, const gchar *name)
{
  GST_CAT_DEBUG_OBJECT (session->category, session->element, "%s is left out: topics=\"%s\" does not choose it", name, chosen (session));
  if (g_hash_table_size (session->unchosen) < MAX_UNCHOSEN)
    g_hash_table_add (session->unchosen, g_strdup (name));
}

RobocacheRosTopic *
robocache_ros_session_add_topic (RobocacheRosSession *session, const RobocacheDdsEndpoint *endpoint, gboolean *is_new)
{
  const gint order = robocache_ros_topics_find (session->settings.topics, endpoint->topic);
  RobocacheRosTopic *topic = order < 0 ? NULL : find_topic (session, endpoint->topic);

  *is_new = FALSE;
  if (order < 0)
    leave_out (session, endpoint->topic);
  if (order < 0 || topic)
    return topic;
  if (session->topics->len >= MAX_TOPICS) {
    warn_once (session, &session->has_warned_topics, "the domain has had more than " G_STRINGIFY (MAX_TOPICS) " topics that are to be read: "
        "the others are not read. Set topics to those that you need");
    return NULL;
  }
  *is_new = TRUE;
  return add_topic (session, endpoint, (guint) order);
}

void
robocache_ros_session_add_publisher (RobocacheRosSession *session, RobocacheRosTopic *topic, const RobocacheDdsEndpoint *endpoint)
{
  const gboolean is_remote = robocache_dds->participant_is_remote (session->participant, endpoint->guid);
  gchar *refusal = robocache_ros_topic_add (topic, endpoint, is_remote);

  GST_CAT_INFO_OBJECT (session->category, session->element, "%s: publisher %" G_GINT64_MODIFIER "x on %s is %s, %s; %u publishers", topic->name,
      endpoint->id, is_remote ? "another host" : "this host", endpoint->is_reliable ? "reliable" : "best effort",
      endpoint->is_transient_local ? "transient local" : "volatile", robocache_ros_topic_count_publishers (topic));
  if (refusal && !topic->has_reported_type && !topic->inquiry) {
    report (session, topic, refusal);
    topic->has_reported_type = TRUE;
  }
  g_free (refusal);
  adapt (session, topic);
}

void
robocache_ros_session_remove_endpoint (RobocacheRosSession *session, guint64 publisher)
{
  for (guint i = 0; i < session->topics->len; i++) {
    RobocacheRosTopic *topic = g_ptr_array_index (session->topics, i);

    if (!robocache_ros_topic_remove (topic, publisher))
      continue;
    GST_CAT_INFO_OBJECT (session->category, session->element, "%s: publisher %" G_GINT64_MODIFIER "x has gone; %u publishers", topic->name, publisher,
        robocache_ros_topic_count_publishers (topic));
    robocache_ros_session_interrupt (session, topic);
  }
}

/* ---- streams ---- */

/* The declared stream of a topic that has not come yet and that this one is. A declaration without a stream is for the first one. */
static RobocacheRosOutput *
find_expected (const RobocacheRosSession *session, const gchar *topic, const gchar *key)
{
  for (guint i = 0; i < session->outputs->len; i++) {
    RobocacheRosOutput *output = g_ptr_array_index (session->outputs, i);

    if (!output->topic && g_str_equal (output->name, topic) && (!*output->key || g_str_equal (output->key, key)))
      return output;
  }
  return NULL;
}

RobocacheRosOutput *
robocache_ros_session_find_output (RobocacheRosSession *session, RobocacheRosTopic *topic, const gchar *key)
{
  RobocacheRosOutput *output;

  for (guint i = 0; i < session->outputs->len; i++) {
    output = g_ptr_array_index (session->outputs, i);
    if (output->topic == topic && g_str_equal (output->key, key))
      return output;
  }
  output = find_expected (session, topic->name, key);
  if (output) {
    output->topic = topic;
    g_free (output->key);
    output->key = g_strdup (key);
    return output;
  }
  if (session->outputs->len >= MAX_STREAMS) {
    warn_once (session, &session->has_warned_streams, "topics have more than " G_STRINGIFY (MAX_STREAMS) " streams: the others are not sent");
    return NULL;
  }
  output = robocache_ros_output_new (topic->name, key, 1, session->category);
  output->topic = topic;
  g_ptr_array_add (session->outputs, output);
  return output;
}

RobocacheRosOutputContext
robocache_ros_session_context (const RobocacheRosSession *session)
{
  gint64 origin_ns;

  GST_OBJECT_LOCK (session->element);
  origin_ns = robocache_ros_mapping_origin (&session->mapping);
  GST_OBJECT_UNLOCK (session->element);
  return (RobocacheRosOutputContext) {session->element, session->group_id, NULL, &session->segment, session->segment_seqnum, origin_ns, FALSE};
}

void
robocache_ros_session_interrupt (RobocacheRosSession *session, const RobocacheRosTopic *topic)
{
  for (guint i = 0; i < session->outputs->len; i++) {
    RobocacheRosOutput *output = g_ptr_array_index (session->outputs, i);

    output->needs_discont |= output->topic == topic;
  }
}

/* The arrival of the first message of the topic that waits, or else the present. topic: NULL: it has not come yet. */
static gint64
silent_until (RobocacheRosSession *session, const RobocacheRosTopic *topic, gint64 running_ns)
{
  gint64 arrival_ns, monotonic_ns, arrival_running_ns;

  if (!topic || !robocache_ros_queue_peek (topic->queue, &arrival_ns, &monotonic_ns))
    return running_ns;
  GST_OBJECT_LOCK (session->element);
  robocache_ros_mapping_now (&session->mapping, arrival_ns, monotonic_ns, session->sim_ns, &arrival_running_ns);
  GST_OBJECT_UNLOCK (session->element);
  return MIN (running_ns, arrival_running_ns);
}

void
robocache_ros_session_advance (RobocacheRosSession *session, gint64 running_ns)
{
  const RobocacheRosOutputContext context = robocache_ros_session_context (session);

  for (guint i = 0; i < session->outputs->len; i++) {
    RobocacheRosOutput *output = g_ptr_array_index (session->outputs, i);
    const gint64 now_ns = output->pad ? silent_until (session, output->topic, running_ns) : 0;

    if (now_ns > (gint64) session->settings.max_transport)
      robocache_ros_output_advance (output, &context, (guint64) now_ns - session->settings.max_transport);
  }
}

/* ---- limits ---- */

static void
check_size (RobocacheRosSession *session, RobocacheRosTopic *topic)
{
  const guint64 n = topic->reader ? robocache_dds->reader_count_oversize (topic->reader) : 0;
  gboolean is_new;

  GST_OBJECT_LOCK (session->element);
  is_new = n > topic->counts.oversize;
  topic->counts.oversize = MAX (topic->counts.oversize, n);
  GST_OBJECT_UNLOCK (session->element);
  if (topic->has_reported_size || !(is_new || robocache_ros_queue_arrivals (topic->queue).too_large > 0))
    return;
  topic->has_reported_size = TRUE;
  GST_ELEMENT_WARNING (session->element, RESOURCE, NO_SPACE_LEFT, ("a message of %s is larger than max-message-bytes: it is dropped", topic->name),
      ("Further ones are counted in stats."));
}

void
robocache_ros_session_check_limits (RobocacheRosSession *session)
{
  for (guint i = 0; i < session->topics->len; i++)
    check_size (session, g_ptr_array_index (session->topics, i));
  if (robocache_ros_inbox_count_dropped (session->inbox) > 0)
    warn_once (session, &session->has_warned_publishers, "too many publishers came or went at a time: messages of some are dropped");
}

/* ---- pads ---- */

static gboolean
has_all_pads_of (const RobocacheRosSession *session, const gchar *name)
{
  const RobocacheRosTopic *topic = find_topic (session, name);
  gboolean has_pad = topic && topic->camera;

  for (guint i = 0; i < session->outputs->len && !has_pad; i++) {
    const RobocacheRosOutput *output = g_ptr_array_index (session->outputs, i);

    has_pad = g_str_equal (output->name, name) && output->pad;
  }
  return has_pad && (!topic || topic->camera || !topic->decoder || !robocache_ros_decoder_has_several_streams (topic->decoder));
}

/* Each topic of the setting is named without a glob, and has all pads that it can have. */
static gboolean
has_all_pads (const RobocacheRosSession *session)
{
  gchar **names = g_strsplit (chosen (session), ",", -1);
  gboolean has_all = *names != NULL;

  for (guint i = 0; names[i] && has_all; i++) {
    const gchar *name = g_strstrip (names[i]);

    has_all = *name == '\0' || (!is_glob (name) && has_all_pads_of (session, name));
  }
  g_strfreev (names);
  return has_all;
}

static void
signal_no_more_pads (RobocacheRosSession *session)
{
  if (session->has_no_more_pads)
    return;
  session->has_no_more_pads = TRUE;
  session->wait_until_us = G_MAXINT64;
  GST_CAT_INFO_OBJECT (session->category, session->element, "no more pads: %u streams of %u topics", session->n_pads, session->topics->len);
  gst_element_no_more_pads (session->element);
}

void
robocache_ros_session_expose (RobocacheRosSession *session, RobocacheRosOutput *output)
{
  const RobocacheRosOutputContext context = robocache_ros_session_context (session);

  robocache_ros_output_expose (output, &context, session->template, session->n_pads++);
  gst_flow_combiner_add_pad (session->flows, output->pad);
  gst_element_add_pad (session->element, output->pad);
  GST_CAT_INFO_OBJECT (session->category, output->pad, "is opened for %s%s%s: %" GST_PTR_FORMAT, output->name, *output->key ? " " : "",
      output->key, output->caps);
  if (has_all_pads (session))
    signal_no_more_pads (session);
}

/* ---- the end of the wait ---- */

/* "/a, /b": topics of the domain. */
static gchar *
list_topics (const RobocacheRosSession *session)
{
  GString *list = g_string_new (NULL);
  GList *names = g_list_sort (g_hash_table_get_keys (session->unchosen), (GCompareFunc) strcmp);

  for (guint i = 0; i < session->topics->len; i++)
    g_string_append_printf (list, "%s%s", list->len > 0 ? ", " : "", ((RobocacheRosTopic *) g_ptr_array_index (session->topics, i))->name);
  for (const GList *each = names; each; each = each->next)
    g_string_append_printf (list, "%s%s", list->len > 0 ? ", " : "", (const gchar *) each->data);
  g_list_free (names);
  return g_string_free (list, FALSE);
}

static void
report_empty_domain (RobocacheRosSession *session)
{
  const RobocacheDdsNetwork *network = robocache_dds->participant_network (session->participant);

  if (network->discovery == ROBOCACHE_DDS_DISCOVERY_SUBNET)
    GST_ELEMENT_WARNING (session->element, RESOURCE, NOT_FOUND, ("no publisher in domain %u", network->domain), (NULL));
  else
    GST_ELEMENT_WARNING (session->element, RESOURCE, NOT_FOUND, ("nothing on this host in domain %u; for other hosts: discovery=subnet",
            network->domain), (NULL));
}

static void
report_missing_topic (RobocacheRosSession *session, const gchar *name, const gchar *list)
{
  const RobocacheRosTopic *topic = find_topic (session, name);

  if (topic && topic->counts.messages > 0)
    return;
  if (topic)
    GST_ELEMENT_WARNING (session->element, RESOURCE, NOT_FOUND, ("no message of %s yet, which has %u publishers", name,
            robocache_ros_topic_count_publishers (topic)),
        (NULL));
  else
    GST_ELEMENT_WARNING (session->element, RESOURCE, NOT_FOUND, ("no publisher of %s in domain %u yet; topics there: %s", name,
            robocache_dds->participant_network (session->participant)->domain, list), (NULL));
}

void
robocache_ros_session_end_wait (RobocacheRosSession *session)
{
  gchar **names = g_strsplit (chosen (session), ",", -1);
  gchar *list = list_topics (session);

  if (!*list)
    report_empty_domain (session);
  for (guint i = 0; names[i] && *list; i++) {
    if (*g_strstrip (names[i]) && !is_glob (names[i]))
      report_missing_topic (session, names[i], list);
  }
  g_free (list);
  g_strfreev (names);
  signal_no_more_pads (session);
}
