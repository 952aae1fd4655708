/* robocache: definitions of types that robocacherossrc asks the nodes of publishers for
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "inquiry.h"

#include <string.h>

#include "common/ros/encodings/typedescription.h"

#define ASK_INTERVAL_US G_TIME_SPAN_SECOND
#define INFO(session, ...) GST_CAT_INFO_OBJECT ((session)->category, (session)->element, __VA_ARGS__)

/* Each time anew, as the list with the publisher may have come before. */
static gboolean
open_nodes (RobocacheRosSession *session)
{
  GError *error = NULL;

  g_clear_pointer (&session->nodes_reader, robocache_dds->reader_free);
  if (!session->nodes_queue)
    session->nodes_queue = robocache_ros_inbox_add (session->inbox, NULL, TRUE);
  session->nodes_reader = robocache_dds->nodes_new (session->participant, robocache_ros_queue_put, session->nodes_queue, &error);
  if (!session->nodes_reader)
    INFO (session, "nodes cannot be listed: %s", error->message);
  g_clear_error (&error);
  return session->nodes_reader != NULL;
}

static void
close_nodes (RobocacheRosSession *session)
{
  for (guint i = 0; i < session->topics->len; i++) {
    if (((const RobocacheRosTopic *) g_ptr_array_index (session->topics, i))->inquiry)
      return;
  }
  g_clear_pointer (&session->nodes_reader, robocache_dds->reader_free);
}

gboolean
robocache_ros_inquiry_begin (RobocacheRosSession *session, RobocacheRosTopic *topic, const RobocacheDdsEndpoint *endpoint)
{
  const gboolean is_unknown = topic->fault && !topic->schema;
  RobocacheRosInquiry *inquiry;

  if (session->settings.definition_timeout == 0 || !endpoint->type_hash || !*endpoint->type || (topic->fault && !is_unknown)
      || (!is_unknown && g_str_equal (topic->hash, endpoint->type_hash)) || !open_nodes (session))
    return FALSE;
  inquiry = g_new0 (RobocacheRosInquiry, 1);
  memcpy (inquiry->guid, endpoint->guid, sizeof (inquiry->guid));
  inquiry->hash = g_strdup (endpoint->type_hash);
  inquiry->until_us = g_get_monotonic_time () + (gint64) (session->settings.definition_timeout / GST_USECOND);
  topic->inquiry = inquiry;
  INFO (session, "%s: the node of its publisher is asked for the definition of %s with hash %s", topic->name, topic->type, inquiry->hash);
  return TRUE;
}

void
robocache_ros_inquiry_read_nodes (RobocacheRosSession *session, const RobocacheDdsMessage *message)
{
  for (guint i = 0; i < session->topics->len; i++) {
    RobocacheRosTopic *topic = g_ptr_array_index (session->topics, i);
    RobocacheRosInquiry *inquiry = topic->inquiry;
    GError *error = NULL;

    if (!inquiry || inquiry->node)
      continue;
    inquiry->node = robocache_dds->find_node (message, inquiry->guid);
    if (!inquiry->node)
      continue;
    INFO (session, "%s: the node of its publisher is %s", topic->name, inquiry->node);
    if (!topic->answers)
      topic->answers = robocache_ros_inbox_add (session->inbox, topic, TRUE);
    inquiry->query = robocache_dds->type_query_new (session->participant, inquiry->node, inquiry->guid, robocache_ros_queue_put, topic->answers,
        &error);
    if (!inquiry->query)
      INFO (session, "%s: %s cannot be asked: %s", topic->name, inquiry->node, error->message);
    g_clear_error (&error);
  }
}

/* The topic is read, or has a fault that is reported. */
static void
end (RobocacheRosSession *session, RobocacheRosTopic *topic, const gchar *why)
{
  robocache_ros_inquiry_free (g_steal_pointer (&topic->inquiry));
  close_nodes (session);
  robocache_ros_session_settle (session, topic, why);
}

void
robocache_ros_inquiry_read_answer (RobocacheRosSession *session, RobocacheRosTopic *topic, const RobocacheDdsMessage *message)
{
  GError *error = NULL;
  gchar *type = NULL, *text;
  gboolean is_defined;

  if (!topic->inquiry)
    return;
  text = robocache_ros_type_description_text (message->data, message->size, robocache_dds->answer_header_bytes (topic->inquiry->guid), &type,
      &error);
  /* the node answers others, too */
  is_defined = text && g_str_equal (type, topic->type) && robocache_ros_topic_define (topic, text, topic->inquiry->hash, &session->settings);
  INFO (session, "%s: %s describes %s: %s", topic->name, topic->inquiry->node, type ? type : "no type", is_defined ? "the definition is used"
      : error ? error->message : "that is not the one that was asked for");
  if (is_defined)
    end (session, topic, NULL);
  g_clear_error (&error);
  g_free (type);
  g_free (text);
}

static void
fail (RobocacheRosSession *session, RobocacheRosTopic *topic)
{
  const RobocacheRosInquiry *inquiry = topic->inquiry;
  gchar *why = !inquiry->node ? g_strdup ("no node lists its publisher, so none can be asked for the definition")
      : g_strdup_printf (inquiry->asked_us > 0 ? "its node %s has not answered get_type_description" : "its node %s has no service "
      "get_type_description", inquiry->node);

  end (session, topic, why);
  g_free (why);
}

void
robocache_ros_inquiries_check (RobocacheRosSession *session, gint64 now_us)
{
  for (guint i = 0; i < session->topics->len; i++) {
    RobocacheRosTopic *topic = g_ptr_array_index (session->topics, i);
    RobocacheRosInquiry *inquiry = topic->inquiry;

    /* a node keeps few answers, so those of many questions at a time get lost */
    if (inquiry && inquiry->query && (inquiry->asked_us == 0 || now_us >= inquiry->asked_us + ASK_INTERVAL_US)
        && robocache_dds->type_query_ask (inquiry->query, topic->type, inquiry->hash))
      inquiry->asked_us = now_us;
    if (inquiry && now_us >= inquiry->until_us)
      fail (session, topic);
  }
}
