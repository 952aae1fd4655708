/* robocache: robocacherossrc and robocacherossink for long, beside publishers that die, on a network that loses 5 % of the packets
 *
 *   SOAK_SECONDS=3600 livetopics
 *
 * 50 topics. The publisher of numbered rows is killed or leaves every few seconds; other processes join and leave; stamps jump, and messages are
 * no CDR. Properties of both elements are set at random. Reliable topics lose nothing, losses of the others are those of messages-lost, counts
 * add up, and memory is flat.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include <stdlib.h>
#include <string.h>

#include "tests/check/lib/checks.h"
#include "tests/check/lib/dds/ddspeer.h"
#include "tests/check/lib/memorylimit.h"
#include "tests/check/lib/randomproperties.h"

#define DOMAIN 50
#define WRENCH "geometry_msgs/WrenchStamped"
#define N_TOPICS 50
#define DEPTH 5000
/* of a thousand packets that publishers send */
#define LOSSY "<CycloneDDS><Domain><Internal><Test><XmitLossiness>50</XmitLossiness></Test></Internal></Domain></CycloneDDS>"
#define ROUND_US 10000
#define ROWS_A_ROUND 4
#define MIN_LIFE 200            /* rounds of a publisher */
#define MAX_LIFE 1000
#define JOIN_INTERVAL 50       /* rounds */
#define MAX_GROWTH_KIB 4096
/* Pads, and the first messages of their topics, take memory; sanitizers keep what is freed. */
#if defined (__SANITIZE_ADDRESS__) || defined (__SANITIZE_THREAD__)
#define MIN_LENGTH_US G_MAXINT64
#else
#define MIN_LENGTH_US (60 * G_TIME_SPAN_SECOND)
#endif
#define END_US (30 * G_TIME_SPAN_SECOND)

/* ---- rows ---- */

typedef struct
{
  GMutex lock;
  guint64 n, gaps;
  gint life, next;              /* of the publisher, and the number of its next row */
} Rows;

typedef struct
{
  GstElement *pipeline, *source, *sink;
  Rows reliable, best;
  Peer *publisher;
  GRand *random;
  gint life, number, rounds_left;       /* of the publisher */
  guint n_killed, n_joined;
} Soak;

static Rows *
rows_of (Soak *soak, GstPad *pad)
{
  gchar *id = gst_pad_get_stream_id (pad);
  const gchar *topic = strchr (id, '/') + 1;
  Rows *rows = g_str_has_prefix (topic, "/reliable") ? &soak->reliable : g_str_has_prefix (topic, "/best") ? &soak->best : NULL;

  g_free (id);
  return rows;
}

static void
take_row (GstElement *sink, GstBuffer *buffer, GstPad *pad, gpointer user_data)
{
  Rows *rows = user_data;
  gdouble force[2];

  gst_buffer_extract (buffer, 0, force, sizeof (force));
  g_mutex_lock (&rows->lock);
  if ((gint) force[1] == rows->life)
    rows->gaps += (guint64) ((gint) force[0] - rows->next);
  rows->life = (gint) force[1];
  rows->next = (gint) force[0] + 1;
  rows->n++;
  g_mutex_unlock (&rows->lock);
}

static void
add_sink (GstElement *source, GstPad *pad, gpointer user_data)
{
  Soak *soak = user_data;
  GstElement *sink = gst_element_factory_make ("fakesink", NULL);
  GstPad *sinkpad = gst_element_get_static_pad (sink, "sink");
  Rows *rows = rows_of (soak, pad);

  g_object_set (sink, "sync", FALSE, "async", FALSE, "signal-handoffs", rows != NULL, NULL);
  if (rows)
    g_signal_connect (sink, "handoff", G_CALLBACK (take_row), rows);
  gst_bin_add (GST_BIN (soak->pipeline), sink);
  gst_element_sync_state_with_parent (sink);
  gst_pad_link (pad, sinkpad);
  gst_object_unref (sinkpad);
}

/* ---- publishers ---- */

static void
send_row (Soak *soak, guint writer, gint64 stamp_ns, gint number)
{
  peer_do (soak->publisher, "text %u %" G_GINT64_FORMAT " (((%d %d) 'base') ((%d %d 0) (0 0 0)))", writer, g_get_real_time () * 1000,
      (gint) (stamp_ns / (gint64) GST_SECOND), (gint) (stamp_ns % (gint64) GST_SECOND), number, soak->life);
}

/* Writers 0 and 1 are of numbered rows, 2 of messages that are none, the others of rows whose stamps jump. */
static void
start_publisher (Soak *soak)
{
  static const gchar *const numbered[] = { "/reliable " WRENCH " reliable", "/best " WRENCH " best", "/bad " WRENCH " reliable" };

  g_setenv ("CYCLONEDDS_URI", LOSSY, TRUE);
  soak->publisher = peer_start (DOMAIN);
  g_unsetenv ("CYCLONEDDS_URI");
  for (guint i = 0; i < G_N_ELEMENTS (numbered); i++)
    peer_do (soak->publisher, "open %s volatile %u -", numbered[i], DEPTH);
  for (guint i = G_N_ELEMENTS (numbered); i < N_TOPICS; i++)
    peer_do (soak->publisher, "open /topic_%u " WRENCH " reliable volatile 10 -", i);
  peer_do (soak->publisher, "wait 0 1");
  peer_do (soak->publisher, "wait 1 1");
  soak->life++;
  soak->number = 0;
  soak->rounds_left = g_rand_int_range (soak->random, MIN_LIFE, MAX_LIFE);
}

static void
end_publisher (Soak *soak)
{
  if (g_rand_boolean (soak->random)) {
    peer_kill (soak->publisher);
    soak->n_killed++;
  } else {
    peer_stop (soak->publisher);
  }
}

static void
send_nonsense (Soak *soak)
{
  GString *digits = g_string_new ("00010000");
  const gint n = g_rand_int_range (soak->random, 0, 200);

  for (gint i = 0; i < n; i++)
    g_string_append_printf (digits, "%02x", g_rand_int_range (soak->random, 0, 256));
  peer_do (soak->publisher, "hex 2 1 %s", digits->str);
  g_string_free (digits, TRUE);
}

static void
send_round (Soak *soak)
{
  const gint64 now_ns = g_get_real_time () * 1000;
  const gint64 jumps_ns[] = { 0, -now_ns, -20 * (gint64) GST_SECOND, 3 * (gint64) GST_SECOND, 100000 * (gint64) GST_SECOND };

  for (guint i = 0; i < ROWS_A_ROUND; i++) {
    send_row (soak, 0, now_ns, soak->number);
    send_row (soak, 1, now_ns, soak->number++);
  }
  send_nonsense (soak);
  send_row (soak, (guint) g_rand_int_range (soak->random, 3, N_TOPICS), now_ns + jumps_ns[g_rand_int_range (soak->random, 0, G_N_ELEMENTS (jumps_ns))], 0);
}

/* All but stats-interval are read at the start. */
static void
set_properties (Soak *soak)
{
  GstPad *pad = gst_element_get_static_pad (soak->sink, "sink_0");
  GObject *objects[] = { G_OBJECT (soak->source), G_OBJECT (soak->sink), G_OBJECT (pad) };

  set_random_property (soak->random, objects[g_rand_int_range (soak->random, 0, G_N_ELEMENTS (objects))]);
  gst_object_unref (pad);
}

/* A process that joins, sends a row and leaves. */
static void
join_and_leave (Soak *soak)
{
  Peer *peer = peer_start (DOMAIN);

  peer_do (peer, "open /joining " WRENCH " reliable volatile 10 -");
  peer_do (peer, "wait 0 1");
  peer_do (peer, "text 0 1 (((1 0) 'base') ((0 0 0) (0 0 0)))");
  if (g_rand_boolean (soak->random))
    peer_stop (peer);
  else
    peer_kill (peer);
  soak->n_joined++;
}

/* ---- checks ---- */

static guint64
count_of (const Soak *soak, const gchar *topic, const gchar *field)
{
  GstStructure *stats;
  const GValue *topics;
  guint64 n = 0;

  g_object_get (soak->source, "stats", &stats, NULL);
  topics = gst_structure_get_value (stats, "topics");
  if (!topic)
    gst_structure_get_uint64 (stats, field, &n);
  for (guint i = 0; topic && i < gst_value_array_get_size (topics); i++) {
    const GstStructure *counts = gst_value_get_structure (gst_value_array_get_value (topics, i));

    if (g_strcmp0 (gst_structure_get_string (counts, "topic"), topic) == 0)
      gst_structure_get_uint64 (counts, field, &n);
  }
  gst_structure_free (stats);
  return n;
}

/* The publisher lives: all that it sent reliably arrives. */
static void
wait_for_rows (Soak *soak)
{
  const gint64 end_us = g_get_monotonic_time () + END_US;
  gint next = 0;

  while (next != soak->number && g_get_monotonic_time () < end_us) {
    g_usleep (ROUND_US);
    g_mutex_lock (&soak->reliable.lock);
    next = soak->reliable.life == soak->life ? soak->reliable.next : 0;
    g_mutex_unlock (&soak->reliable.lock);
  }
  fail_unless_equals_int (next, soak->number);
}

static void
check_counts (const Soak *soak)
{
  static const gchar *const drops[] = { "malformed", "refused", "without-time", "before-origin", "in-pause" };
  guint64 n = count_of (soak, NULL, "buffers");

  for (guint i = 0; i < G_N_ELEMENTS (drops); i++)
    n += count_of (soak, NULL, drops[i]);
  fail_unless_equals_uint64 (n, count_of (soak, NULL, "messages"));
  fail_unless_equals_uint64 (soak->reliable.gaps, 0);
  fail_unless_equals_uint64 (count_of (soak, "/reliable", "messages-lost"), 0);
  fail_unless_equals_uint64 (count_of (soak, "/best", "messages-lost"), soak->best.gaps);
  fail_unless (soak->best.gaps > 0 || soak->best.n < 500, "the network loses nothing");
}

static GstBusSyncReply
drop_message (GstBus *bus, GstMessage *message, gpointer user_data)
{
  if (GST_MESSAGE_TYPE (message) == GST_MESSAGE_ERROR) {
    GError *error;

    gst_message_parse_error (message, &error, NULL);
    g_error ("%s", error->message);
  }
  gst_message_unref (message);
  return GST_BUS_DROP;
}

GST_START_TEST (test_soak)
{
  const gchar *seconds = g_getenv ("SOAK_SECONDS");
  const gint64 start_us = g_get_monotonic_time (), length_us = (seconds ? atoi (seconds) : 10) * G_TIME_SPAN_SECOND;
  Soak soak = {.random = g_rand_new_with_seed (50) };
  guint64 early_kib = 0, late_kib;
  GstElement *own;

  soak.pipeline = gst_pipeline_new (NULL);
  soak.source = gst_element_factory_make ("robocacherossrc", NULL);
  g_object_set (soak.source, "domain", DOMAIN, "depth", DEPTH, "max-queue-messages", DEPTH, "wait", G_MAXUINT64, NULL);
  g_signal_connect (soak.source, "pad-added", G_CALLBACK (add_sink), &soak);
  gst_bin_add (GST_BIN (soak.pipeline), soak.source);
  own = gst_parse_bin_from_description ("robocachetestsrc is-live=true rate=100 ! robocacherossink name=own domain=" G_STRINGIFY (DOMAIN)
      " sink_0::topic=/own", FALSE, NULL);
  soak.sink = gst_bin_get_by_name (GST_BIN (own), "own");
  gst_bin_add (GST_BIN (soak.pipeline), own);
  /* nobody reads messages with statistics */
  gst_bus_set_sync_handler (GST_ELEMENT_BUS (soak.pipeline), drop_message, NULL, NULL);
  gst_element_set_state (soak.pipeline, GST_STATE_PLAYING);
  start_publisher (&soak);
  for (guint round = 0; g_get_monotonic_time () - start_us < length_us; round++) {
    send_round (&soak);
    set_properties (&soak);
    if (round % JOIN_INTERVAL == 0)
      join_and_leave (&soak);
    if (--soak.rounds_left == 0) {
      end_publisher (&soak);
      start_publisher (&soak);
    }
    if (early_kib == 0 && g_get_monotonic_time () - start_us > length_us / 4)
      early_kib = resident_kib ();
    g_usleep (ROUND_US);
  }
  wait_for_rows (&soak);
  late_kib = resident_kib ();
  g_print ("%" G_GUINT64_FORMAT " reliable rows, %" G_GUINT64_FORMAT " others and %" G_GUINT64_FORMAT " lost, %u publishers of which %u were killed, "
      "%u that joined and left, %" G_GUINT64_FORMAT " malformed, memory %" G_GUINT64_FORMAT " to %" G_GUINT64_FORMAT " KiB\n", soak.reliable.n,
      soak.best.n, soak.best.gaps, (guint) soak.life, soak.n_killed, soak.n_joined, count_of (&soak, NULL, "malformed"), early_kib, late_kib);
  gst_element_set_state (soak.pipeline, GST_STATE_NULL);
  check_counts (&soak);
  if (length_us >= MIN_LENGTH_US)
    fail_unless (late_kib < early_kib + MAX_GROWTH_KIB, "memory grew from %" G_GUINT64_FORMAT " to %" G_GUINT64_FORMAT " KiB", early_kib, late_kib);
  peer_stop (soak.publisher);
  gst_object_unref (soak.sink);
  gst_object_unref (soak.pipeline);
  g_rand_free (soak.random);
}

GST_END_TEST;

CHECK_MAIN_IF (livetopics, dds_network_begin ("livetopics"), NULL, NULL, ONCE (test_soak));
