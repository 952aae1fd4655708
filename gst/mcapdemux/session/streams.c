/* robocache: the streams of a recording, and their pads
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "session.h"

#include <string.h>

/* ---- streams ---- */

const GstStructure *
robocache_mcap_session_camera_of (const RobocacheMcapSession *session, const RobocacheMcapTopic *topic, const GstCaps *caps)
{
  for (guint i = 0; i < session->cameras->len; i++) {
    const RobocacheMcapTopic *info = g_ptr_array_index (session->cameras, i);

    if (robocache_camera_info_is_of (info->name, topic->name))
      return robocache_camera_info_fields (info->camera, caps);
  }
  return NULL;
}

RobocacheRosOutput *
robocache_mcap_session_find_output (RobocacheMcapSession *session, RobocacheMcapTopic *topic, const gchar *key)
{
  const GPtrArray *same = g_hash_table_lookup (session->outputs_by_name, topic->name);
  RobocacheRosOutput *output;

  for (guint i = 0; same && i < same->len; i++) {
    output = g_ptr_array_index (same, i);
    if (g_str_equal (output->key, key))
      return output;
  }
  output = robocache_ros_output_new (topic->name, key, session->settings.block_rows, session->category);
  output->topic = topic;
  robocache_mcap_list_add (session->outputs_by_name, topic->name, output);
  g_ptr_array_add (session->outputs, output);
  return output;
}

/* ---- pads ---- */

static const gchar *
container_of (const RobocacheMcapSession *session)
{
  return session->settings.location ? "ROS 2 bag" : "MCAP";
}

RobocacheRosOutputContext
robocache_mcap_session_output_context (const RobocacheMcapSession *session)
{
  const gboolean is_set = session->settings.time_origin != ROBOCACHE_MCAP_NO_ORIGIN
      || session->settings.start == ROBOCACHE_MCAP_START_KEEP;

  return (RobocacheRosOutputContext) {session->element, (guint) g_atomic_int_get (&session->group_id), container_of (session),
        &session->segment, session->segment_seqnum,
        session->settings.start == ROBOCACHE_MCAP_START_OWN && !is_set ? ROBOCACHE_MCAP_NO_ORIGIN : session->origin_ns, !is_set};
}

static void
expose (RobocacheMcapSession *session, RobocacheRosOutput *output)
{
  const RobocacheRosOutputContext context = robocache_mcap_session_output_context (session);

  if (session->has_no_more_pads)
    GST_CAT_INFO_OBJECT (session->category, session->element, "%s has a new stream \"%s\" after no-more-pads", output->name, output->key);
  robocache_ros_output_expose (output, &context, session->template, session->n_pads++);
  gst_flow_combiner_add_pad (session->flows, output->pad);
  gst_element_add_pad (session->element, output->pad);
  GST_CAT_INFO_OBJECT (session->category, output->pad, "is opened for %s%s%s: %" GST_PTR_FORMAT, output->name, *output->key ? " " : "",
      output->key, output->caps);
}

static gint
compare_outputs (gconstpointer a, gconstpointer b)
{
  const RobocacheMcapTopic *s = (*(RobocacheRosOutput * const *) a)->topic, *t = (*(RobocacheRosOutput * const *) b)->topic;

  if (s->order != t->order)
    return s->order < t->order ? -1 : 1;
  return (gint) s->channel_id - (gint) t->channel_id;
}

void
robocache_mcap_session_expose (RobocacheMcapSession *session)
{
  /* stable, so that the streams of a topic keep their order */
  g_ptr_array_sort (session->outputs, compare_outputs);
  for (guint i = 0; i < session->outputs->len; i++) {
    RobocacheRosOutput *output = g_ptr_array_index (session->outputs, i);

    if (output->pad)
      continue;
    /* its calibration may have come after the picture */
    robocache_ros_output_set_camera (output, robocache_mcap_session_camera_of (session, output->topic, output->decoded_caps));
    expose (session, output);
  }
  if (session->outputs->len > 0)
    robocache_mcap_session_no_more_pads (session);
}

void
robocache_mcap_session_send_headers (RobocacheMcapSession *session)
{
  const RobocacheRosOutputContext context = robocache_mcap_session_output_context (session);

  for (guint i = 0; i < session->outputs->len; i++) {
    RobocacheRosOutput *output = g_ptr_array_index (session->outputs, i);

    if (output->pad)
      robocache_ros_output_send_headers (output, &context);
  }
}

static gboolean
has_pad_of (const RobocacheMcapSession *session, const gchar *name)
{
  for (guint i = 0; i < session->outputs->len; i++) {
    const RobocacheRosOutput *output = g_ptr_array_index (session->outputs, i);

    if (output->pad && g_str_equal (output->name, name))
      return !robocache_mcap_topic_has_several_streams (output->topic);
  }
  return FALSE;
}

/* Each topic of the setting is named without a glob, and has all pads that it can have. */
static gboolean
has_all_chosen_pads (const RobocacheMcapSession *session)
{
  gchar **names = g_strsplit (session->settings.topics ? session->settings.topics : "", ",", -1);
  guint n_names = 0;
  gboolean has_all = TRUE;

  for (guint i = 0; names[i] && has_all; i++) {
    const gchar *name = g_strstrip (names[i]);

    has_all = *name == '\0' || (strpbrk (name, "*?") == NULL && has_pad_of (session, name));
    n_names += *name != '\0';
  }
  g_strfreev (names);
  return has_all && n_names > 0;
}

void
robocache_mcap_session_expose_late (RobocacheMcapSession *session, RobocacheRosOutput *output)
{
  expose (session, output);
  if (has_all_chosen_pads (session))
    robocache_mcap_session_no_more_pads (session);
}

void
robocache_mcap_session_no_more_pads (RobocacheMcapSession *session)
{
  if (session->has_no_more_pads)
    return;
  session->has_no_more_pads = TRUE;
  GST_CAT_INFO_OBJECT (session->category, session->element, "no more pads: %u streams of %u topics", session->n_pads, session->topics->len);
  if (session->topics->len > 0)
    robocache_mcap_session_warn_of_missing_topics (session);
  gst_element_no_more_pads (session->element);
}

/* ---- the end ---- */

/* Topics of the recording, "/a, /b". */
static gchar *
list_topics (const RobocacheMcapSession *session)
{
  GString *list = g_string_new (NULL);

  for (guint i = 0; i < session->topics->len; i++)
    g_string_append_printf (list, "%s%s", i ? ", " : "", ((RobocacheMcapTopic *) g_ptr_array_index (session->topics, i))->name);
  return g_string_free (list, FALSE);
}

/* ": " and why the only topic or its first message cannot be read, of several with the name of one; "": nothing is known. Free with g_free. */
static gchar *
describe_loss (const RobocacheMcapSession *session)
{
  const RobocacheMcapTopic *lost = NULL;

  for (guint i = 0; i < session->topics->len; i++) {
    const RobocacheMcapTopic *topic = g_ptr_array_index (session->topics, i);

    if (topic->first_loss || (topic->fault && !lost))
      lost = topic;
    if (topic->first_loss)
      break;
  }
  if (!lost)
    return g_strdup ("");
  return g_strconcat (": ", session->topics->len > 1 ? lost->name : "", session->topics->len > 1 ? ": " : "",
      lost->first_loss ? lost->first_loss : lost->fault, NULL);
}

gboolean
robocache_mcap_session_has_pads (const RobocacheMcapSession *session)
{
  for (guint i = 0; i < session->outputs->len; i++) {
    if (((RobocacheRosOutput *) g_ptr_array_index (session->outputs, i))->pad)
      return TRUE;
  }
  return FALSE;
}

static void
report_zero_stamps (RobocacheMcapSession *session, RobocacheMcapTopic *topic)
{
  if (topic->n_zero_stamps == 0 || topic->has_reported_time)
    return;
  topic->has_reported_time = TRUE;
  GST_ELEMENT_WARNING (session->element, STREAM, FORMAT, ("%" G_GUINT64_FORMAT " of %" G_GUINT64_FORMAT " messages of %s have the stamp 0: "
          "their times are publish or log times", topic->n_zero_stamps, topic->counts.messages, topic->name), ("time-source chooses the time."));
}

gboolean
robocache_mcap_session_check_end (RobocacheMcapSession *session)
{
  gchar *list, *loss;

  for (guint i = 0; i < session->topics->len; i++)
    report_zero_stamps (session, g_ptr_array_index (session->topics, i));
  if (robocache_mcap_session_has_pads (session))
    return TRUE;
  list = list_topics (session);
  loss = describe_loss (session);
  if (!robocache_mcap_definitions_next_channel (session->definitions, 0))
    GST_ELEMENT_ERROR (session->element, STREAM, WRONG_TYPE, ("the recording is empty: it has no topic and no message"), (NULL));
  else if (session->topics->len == 0)
    GST_ELEMENT_ERROR (session->element, STREAM, WRONG_TYPE, ("no topic of the recording matches topics=\"%s\"",
            session->settings.topics ? session->settings.topics : ""), (NULL));
  else
    GST_ELEMENT_ERROR (session->element, STREAM, DECODE, ("the recording has no readable message of %s%s", list, loss), (NULL));
  g_free (loss);
  g_free (list);
  return FALSE;
}
