/* robocache: queues of live messages: their bounds, their order, and the end
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include <stdio.h>

#include "gst/rossrc/inbox.h"
#include "tests/check/lib/checks.h"

#define N_QUEUES 3

static RobocacheDdsMessage *
message_of (gsize size, guint64 sequence)
{
  RobocacheDdsMessage *message = g_new0 (RobocacheDdsMessage, 1);

  message->size = size;
  message->sequence = sequence;
  message->arrival_ns = (gint64) sequence * 10;
  message->monotonic_ns = (gint64) sequence;
  return message;
}

/* Messages are "QUEUE:SIZE", and get numbers from 1. What is handed out is "QUEUE:NUMBER", with ! after a loss. */
static const struct
{
  const gchar *name;
  RobocacheRosLeaky leaky;
  guint64 max_bytes, max_total_bytes;
  const gchar *messages, *expected, *leaked;
} cases[] = {
  {"all fit", ROBOCACHE_ROS_LEAKY_DOWNSTREAM, 100, 100, "0:40 1:30 0:30", "0:1 1:2 0:3", "0 0 0"},
  {"a queue", ROBOCACHE_ROS_LEAKY_DOWNSTREAM, 50, 1000, "0:40 1:40 0:30", "1:2 0:3!", "1 0 0"},
  {"a queue, newest", ROBOCACHE_ROS_LEAKY_UPSTREAM, 50, 1000, "0:40 1:40 0:30", "0:1 1:2", "1 0 0"},
  {"one of any size", ROBOCACHE_ROS_LEAKY_DOWNSTREAM, 50, 50, "0:90", "0:1", "0 0 0"},
  {"all queues: the largest drops", ROBOCACHE_ROS_LEAKY_DOWNSTREAM, 1000, 100, "1:10 0:40 0:40 1:20 2:20", "1:1 0:3! 1:4 2:5", "1 0 0"},
  {"all queues, newest", ROBOCACHE_ROS_LEAKY_UPSTREAM, 1000, 100, "1:10 0:40 0:40 1:20 2:20", "1:1 0:2 1:4 2:5", "1 0 0"},
  {"all queues, a flood", ROBOCACHE_ROS_LEAKY_DOWNSTREAM, 1000, 100, "1:10 0:40 0:40 0:40 0:40 0:40 0:40", "1:1 0:6! 0:7", "4 0 0"},
};

static void
take_all (RobocacheRosInbox *inbox, RobocacheRosQueue **queues, GString *text)
{
  RobocacheRosItem item;

  while (robocache_ros_inbox_take (inbox, 0, &item)) {
    guint i = 0;

    if (item.is_end) {
      g_string_append (text, "end ");
      return;
    }
    while (queues[i] != item.queue)
      i++;
    g_string_append_printf (text, "%u:%" G_GUINT64_FORMAT "%s ", i, item.message->sequence, item.has_loss ? "!" : "");
    robocache_dds_message_free (item.message);
  }
}

static void
put_all (RobocacheRosQueue **queues, const gchar *messages)
{
  gchar **words = g_strsplit (messages, " ", -1);

  for (guint i = 0; words[i]; i++) {
    guint queue = 0, size = 0;

    fail_unless_equals_int (sscanf (words[i], "%u:%u", &queue, &size), 2);
    robocache_ros_queue_put (queues[queue], message_of (size, i + 1));
  }
  g_strfreev (words);
}

static RobocacheRosInbox *
inbox_of (const RobocacheRosSrcSettings *settings, RobocacheRosQueue **queues)
{
  RobocacheRosInbox *inbox = robocache_ros_inbox_new (settings);

  for (guint i = 0; i < N_QUEUES; i++)
    queues[i] = robocache_ros_inbox_add (inbox, NULL, FALSE);
  return inbox;
}

/* A call that is woken hands out nothing, like that after a change. */
static void
open_inbox (RobocacheRosInbox *inbox)
{
  RobocacheRosItem item;

  robocache_ros_inbox_set_open (inbox, TRUE);
  fail_if (robocache_ros_inbox_take (inbox, 0, &item));
}

GST_START_TEST (test_bounds)
{
  const RobocacheRosSrcSettings settings = {.max_queue_messages = 100,.max_queue_bytes = cases[__i__].max_bytes,
    .max_total_bytes = cases[__i__].max_total_bytes,.max_message_bytes = 1000,.leaky = (gint) cases[__i__].leaky
  };
  RobocacheRosQueue *queues[N_QUEUES];
  RobocacheRosInbox *inbox = inbox_of (&settings, queues);
  GString *text = g_string_new (NULL);

  put_all (queues, cases[__i__].messages);
  open_inbox (inbox);
  take_all (inbox, queues, text);
  g_string_truncate (text, text->len - 1);
  fail_unless (g_str_equal (text->str, cases[__i__].expected), "%s: \"%s\"", cases[__i__].name, text->str);
  g_string_truncate (text, 0);
  for (guint i = 0; i < N_QUEUES; i++)
    g_string_append_printf (text, "%s%" G_GUINT64_FORMAT, i > 0 ? " " : "", robocache_ros_queue_arrivals (queues[i]).leaked);
  fail_unless (g_str_equal (text->str, cases[__i__].leaked), "%s: \"%s\"", cases[__i__].name, text->str);
  robocache_ros_inbox_free (inbox);
  g_string_free (text, TRUE);
}

GST_END_TEST;

static const RobocacheRosSrcSettings roomy = {.max_queue_messages = 100,.max_queue_bytes = 1000,.max_total_bytes = 1000,.max_message_bytes = 1000 };

/* Messages that arrive after the application asked for the end are not handed out. */
GST_START_TEST (test_end)
{
  RobocacheRosQueue *queues[N_QUEUES];
  RobocacheRosInbox *inbox = inbox_of (&roomy, queues);
  GString *text = g_string_new (NULL);
  RobocacheRosItem item;

  put_all (queues, "0:1 1:1");
  open_inbox (inbox);
  robocache_ros_inbox_set_open (inbox, FALSE);
  robocache_ros_inbox_end (inbox);
  robocache_ros_queue_put (queues[0], message_of (1, 3));
  fail_if (robocache_ros_inbox_take (inbox, 0, &item));
  take_all (inbox, queues, text);
  fail_unless_equals_string (text->str, "0:1 1:2 end ");
  robocache_ros_inbox_free (inbox);
  g_string_free (text, TRUE);
}

GST_END_TEST;

/* Before the first start no message has a time. */
GST_START_TEST (test_end_before_start)
{
  RobocacheRosQueue *queues[N_QUEUES];
  RobocacheRosInbox *inbox = inbox_of (&roomy, queues);
  RobocacheRosItem item;

  put_all (queues, "0:1");
  robocache_ros_inbox_end (inbox);
  fail_unless (robocache_ros_inbox_take (inbox, 0, &item) && item.is_end);
  robocache_ros_inbox_free (inbox);
}

GST_END_TEST;

GST_START_TEST (test_first_arrival)
{
  RobocacheRosQueue *queues[N_QUEUES];
  RobocacheRosInbox *inbox = inbox_of (&roomy, queues);
  gint64 arrival_ns, monotonic_ns;

  put_all (queues, "0:1 1:1 1:1");
  fail_if (robocache_ros_queue_peek (queues[2], &arrival_ns, &monotonic_ns));
  fail_unless (robocache_ros_queue_peek (queues[1], &arrival_ns, &monotonic_ns) && arrival_ns == 20 && monotonic_ns == 2);
  robocache_ros_inbox_free (inbox);
}

GST_END_TEST;

static RobocacheDdsEndpoint *
endpoint_of (guint64 id, gboolean has_gone)
{
  RobocacheDdsEndpoint *endpoint = g_new0 (RobocacheDdsEndpoint, 1);

  endpoint->id = id;
  endpoint->topic = has_gone ? NULL : g_strdup ("/x");
  return endpoint;
}

/* Publishers that come and go while the thread waits for downstream. */
GST_START_TEST (test_publishers)
{
  RobocacheRosQueue *queues[N_QUEUES];
  RobocacheRosInbox *inbox = inbox_of (&roomy, queues);
  RobocacheRosItem item;
  guint n = 0;

  for (guint i = 0; i < 30000; i++) {
    robocache_ros_inbox_put_endpoint (inbox, endpoint_of (i, FALSE));
    robocache_ros_inbox_put_endpoint (inbox, endpoint_of (i, TRUE));
  }
  while (robocache_ros_inbox_take (inbox, 0, &item)) {
    n++;
    robocache_dds_endpoint_free (item.endpoint);
  }
  fail_unless_equals_int (n, 20000);
  fail_unless_equals_uint64 (robocache_ros_inbox_count_dropped (inbox), 40000);
  robocache_ros_inbox_free (inbox);
}

GST_END_TEST;

CHECK_MAIN (inbox, NULL, NULL,
    EACH (cases, test_bounds);
    ONCE (test_end);
    ONCE (test_end_before_start);
    ONCE (test_first_arrival);
    ONCE (test_publishers));
