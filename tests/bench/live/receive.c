/* robocache: what it costs to receive the topics of nodes.py, and how long messages take
 *
 *   receive element|reader SECONDS      through robocacherossrc into sinks, or with Cyclone DDS alone
 *
 * Prints a line for each topic: messages, lost messages by the number in the payload, and percentiles of the time from before publish() to here
 * in us; then the CPU time of this process from the first message on, in us a message.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include <gst/gst.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>

#include "common/dds/reader.h"

#define N_TOPICS 4
#define MAX_MESSAGE_BYTES (64 << 20)
#define DEPTH 2000
/* of CDR: encoding; then the stamp */
#define STAMP_AT 4

typedef struct
{
  const gchar *name, *type;
  gsize number_from_end;        /* of the CDR, padded to 4 bytes, to the number */
  gboolean is_row;              /* the number is a double, else 32 bits without sign */
  gboolean is_reliable;

  guint64 n, lost, next;
  GArray *delays_us;            /* gdouble */
} Topic;

static Topic topics[N_TOPICS] = {
  {"/joints", "sensor_msgs/msg/JointState", 14 * 8 + 8, TRUE, TRUE},
  {"/imu", "sensor_msgs/msg/Imu", 37 * 8, TRUE, TRUE},
  {"/image", "sensor_msgs/msg/Image", 640 * 480 * 3, FALSE, FALSE},
  {"/points", "sensor_msgs/msg/PointCloud2", 100000 * 16 + 4, FALSE, FALSE},
};

static gint64
read_clock (void)
{
  struct timespec time;

  clock_gettime (CLOCK_REALTIME, &time);
  return time.tv_sec * (gint64) GST_SECOND + time.tv_nsec;
}

static gdouble start_us;         /* CPU time at the first message; 0: none came yet */

static gdouble
cpu_us (void)
{
  struct rusage usage;

  getrusage (RUSAGE_SELF, &usage);
  return (gdouble) (usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) * 1e6 + (gdouble) (usage.ru_utime.tv_usec + usage.ru_stime.tv_usec);
}

static void
note (Topic *topic, gint64 start_ns, const guint8 *number)
{
  const gdouble delay_us = (gdouble) (read_clock () - start_ns) / 1000;
  guint64 found;

  if (start_us <= 0)
    start_us = cpu_us ();
  if (topic->is_row) {
    gdouble value;

    memcpy (&value, number, sizeof (value));
    found = (guint64) value;
  } else {
    guint32 value;

    memcpy (&value, number, sizeof (value));
    found = value;
  }
  if (topic->n++ > 0 && found > topic->next)
    topic->lost += found - topic->next;
  topic->next = found + 1;
  g_array_append_val (topic->delays_us, delay_us);
}

/* ---- Cyclone alone ---- */

static void
take_message (gpointer user_data, RobocacheDdsMessage *message)
{
  Topic *topic = user_data;
  const gsize size = (message->size + 3) & ~(gsize) 3;
  guint32 stamp[2];

  memcpy (stamp, message->data + STAMP_AT, sizeof (stamp));
  note (topic, stamp[0] * (gint64) GST_SECOND + stamp[1], message->data + size - topic->number_from_end);
  robocache_dds_message_free (message);
}

static void
run_readers (gulong seconds)
{
  RobocacheDdsNetwork network;
  RobocacheDdsParticipant *participant;
  RobocacheDdsReader *readers[N_TOPICS];

  g_assert_true (robocache_dds_network_init (&network, ROBOCACHE_DDS_DOMAIN_AUTO, ROBOCACHE_DDS_DISCOVERY_LOCALHOST, NULL, NULL));
  network.max_message_bytes = MAX_MESSAGE_BYTES;
  participant = robocache_dds_participant_open (&network, NULL);
  g_assert_nonnull (participant);
  for (guint i = 0; i < N_TOPICS; i++) {
    const RobocacheDdsTopic topic = { topics[i].name, topics[i].type, topics[i].is_reliable, FALSE, DEPTH, NULL };

    readers[i] = robocache_dds_reader_new (participant, &topic, take_message, &topics[i], NULL);
  }
  g_usleep (seconds * G_USEC_PER_SEC);
  for (guint i = 0; i < N_TOPICS; i++)
    robocache_dds_reader_free (readers[i]);
  robocache_dds_participant_close (participant);
  robocache_dds_network_clear (&network);
}

/* ---- the element ---- */

static void
take_buffer (GstElement *sink, GstBuffer *buffer, GstPad *pad, gpointer topic)
{
  const GstReferenceTimestampMeta *meta;
  gpointer state = NULL;
  guint8 number[sizeof (gdouble)];

  while ((meta = (GstReferenceTimestampMeta *) gst_buffer_iterate_meta_filtered (buffer, &state, GST_REFERENCE_TIMESTAMP_META_API_TYPE)))
    if (gst_structure_has_name (gst_caps_get_structure (meta->reference, 0), "timestamp/x-unix"))
      break;
  gst_buffer_extract (buffer, 0, number, sizeof (number));
  if (meta)
    note (topic, (gint64) meta->timestamp, number);
}

/* A sink for the topic of a pad. */
static void
add_sink (GstElement *source, GstPad *pad, gpointer pipeline)
{
  GstElement *sink = gst_element_factory_make ("fakesink", NULL);
  GstPad *sinkpad = gst_element_get_static_pad (sink, "sink");
  gchar *stream = gst_pad_get_stream_id (pad);

  g_object_set (sink, "sync", FALSE, "async", FALSE, "signal-handoffs", TRUE, NULL);
  for (guint i = 0; i < N_TOPICS; i++)
    if (g_str_has_prefix (strchr (stream, '/') + 1, topics[i].name))
      g_signal_connect (sink, "handoff", G_CALLBACK (take_buffer), &topics[i]);
  gst_bin_add (pipeline, sink);
  gst_element_sync_state_with_parent (sink);
  gst_pad_link (pad, sinkpad);
  gst_object_unref (sinkpad);
  g_free (stream);
}

static void
run_element (gulong seconds)
{
  GstElement *pipeline = gst_pipeline_new (NULL), *source = gst_element_factory_make ("robocacherossrc", NULL);

  g_assert_nonnull (source);
  g_object_set (source, "topics", "/joints,/imu,/image,/points", "depth", DEPTH, NULL);
  g_signal_connect (source, "pad-added", G_CALLBACK (add_sink), pipeline);
  gst_bin_add (GST_BIN (pipeline), source);
  gst_element_set_state (pipeline, GST_STATE_PLAYING);
  g_usleep (seconds * G_USEC_PER_SEC);
  gst_element_set_state (pipeline, GST_STATE_NULL);
  gst_object_unref (pipeline);
}

/* ---- figures ---- */

static gint
compare (gconstpointer a, gconstpointer b)
{
  const gdouble first = *(const gdouble *) a, second = *(const gdouble *) b;

  return (first > second) - (first < second);
}

static gdouble
percentile (const Topic *topic, guint percent)
{
  return topic->n > 0 ? g_array_index (topic->delays_us, gdouble, (topic->n - 1) * percent / 100) : 0;
}

int
main (int argc, char **argv)
{
  guint64 n = 0;

  gst_init (&argc, &argv);
  if (argc != 3)
    return 2;
  for (guint i = 0; i < N_TOPICS; i++)
    topics[i].delays_us = g_array_sized_new (FALSE, FALSE, sizeof (gdouble), 1 << 20);
  if (strcmp (argv[1], "element") == 0)
    run_element (strtoul (argv[2], NULL, 10));
  else
    run_readers (strtoul (argv[2], NULL, 10));
  start_us = cpu_us () - start_us;
  for (guint i = 0; i < N_TOPICS; i++) {
    g_array_sort (topics[i].delays_us, compare);
    printf ("%s %" G_GUINT64_FORMAT " %" G_GUINT64_FORMAT " %.1f %.1f\n", topics[i].name, topics[i].n, topics[i].lost, percentile (&topics[i], 50),
        percentile (&topics[i], 99));
    n += topics[i].n;
    g_array_unref (topics[i].delays_us);
  }
  printf ("cpu %.2f\n", n > 0 ? start_us / (gdouble) n : 0);
  return 0;
}
