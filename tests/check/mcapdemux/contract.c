/* robocache: what robocachemcapdemux owes to a pipeline: types, tags, statistics, the order of pads and rows, stops and restarts
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include <glib/gstdio.h>

#include "common/time/originevent.h"
#include "tests/check/lib/recordings/demuxrun.h"
#include "tests/check/lib/recordings/recording.h"
#include "tests/check/lib/checks.h"

#define ROW(ms, x) "(((0 " #ms "000000) 'base') ((" #x " 0 0) (0 0 0)))"

static const RecordedMessage messages[] = {
  {"/a", "geometry_msgs/WrenchStamped", "hex:0001000000", 5}, {"/a", "geometry_msgs/WrenchStamped", ROW (10, 1), 10}, {"/b", "geometry_msgs/WrenchStamped", ROW (20, 2), 20},
  {"/a", "geometry_msgs/WrenchStamped", "hex:00010000", 25}, {"/a", "geometry_msgs/WrenchStamped", "(((0 0) '') ((3 0 0) (0 0 0)))", 30},
  {"/b", "geometry_msgs/WrenchStamped", ROW (40, 4), 40}, {"/c", "geometry_msgs/WrenchStamped", ROW (50, 5), 50},
};

/* The bytes of a recording, which takes long to make; it stays for the next call. */
static const GByteArray *
recording_of (guint repeats)
{
  static GByteArray *file;
  static guint file_repeats;
  const RecordingOptions options = { ROBOCACHE_MCAP_ZSTD, RECORDED_IN_CHUNKS, 2 };
  RecordedMessage *all = g_new (RecordedMessage, repeats * G_N_ELEMENTS (messages));

  for (guint i = 0; i < repeats * G_N_ELEMENTS (messages); i++)
    all[i] = messages[i % G_N_ELEMENTS (messages)];
  if (file && file_repeats != repeats)
    g_clear_pointer (&file, g_byte_array_unref);
  if (!file)
    file = make_recording (&options, all, repeats * G_N_ELEMENTS (messages));
  file_repeats = repeats;
  g_free (all);
  return file;
}

static gchar *
write_recording (guint repeats)
{
  const GByteArray *file = recording_of (repeats);
  gchar *path = NULL;

  fail_unless (g_close (g_file_open_tmp ("contract-XXXXXX.mcap", &path, NULL), NULL));
  fail_unless (g_file_set_contents (path, (const gchar *) file->data, file->len, NULL));
  return path;
}

typedef struct
{
  GstElement *pipeline, *demux;
  DemuxOutput output;
  gchar *path;
} Player;

/* Takes the path. */
static void
player_open_file (Player *player, gchar *path, const gchar *between, const gchar *properties)
{
  player->path = path;
  player->pipeline = launch_recording (player->path, between, properties);
  player->demux = gst_bin_get_by_name (GST_BIN (player->pipeline), "d");
  demux_output_init (&player->output, player->demux, FALSE);
}

static void
player_open (Player *player, const gchar *between, const gchar *properties)
{
  player_open_file (player, write_recording (1), between, properties);
}

static gchar *
player_run (Player *player)
{
  GString *text = g_string_new (NULL);

  gst_element_set_state (player->pipeline, GST_STATE_PLAYING);
  wait_for_end (player->pipeline, text);
  return g_string_free (text, FALSE);
}

/* The path of its file, which stays. */
static gchar *
player_release (Player *player)
{
  gst_element_set_state (player->pipeline, GST_STATE_NULL);
  demux_output_clear (&player->output);
  gst_object_unref (player->demux);
  gst_object_unref (player->pipeline);
  return player->path;
}

static void
player_close (Player *player)
{
  gchar *path = player_release (player);

  g_unlink (path);
  g_free (path);
}

/* ---- types and tags ---- */

GST_START_TEST (test_type)
{
  gchar *path = write_recording (1), *launch = g_strdup_printf ("filesrc location=%s ! typefind name=t ! fakesink", path);
  GstElement *pipeline = gst_parse_launch (launch, NULL), *typefind = gst_bin_get_by_name (GST_BIN (pipeline), "t");
  GstBus *bus = gst_element_get_bus (pipeline);
  GstCaps *caps;

  gst_element_set_state (pipeline, GST_STATE_PLAYING);
  gst_message_unref (gst_bus_timed_pop_filtered (bus, GST_CLOCK_TIME_NONE, GST_MESSAGE_EOS | GST_MESSAGE_ERROR));
  g_object_get (typefind, "caps", &caps, NULL);
  fail_unless (caps && gst_structure_has_name (gst_caps_get_structure (caps, 0), "application/x-mcap"));
  gst_caps_unref (caps);
  gst_element_set_state (pipeline, GST_STATE_NULL);
  gst_object_unref (bus);
  gst_object_unref (typefind);
  gst_object_unref (pipeline);
  g_unlink (path);
  g_free (launch);
  g_free (path);
}

GST_END_TEST;

#ifdef TEST_BAGSRC
#define CONTAINER "ROS 2 bag"
#else
#define CONTAINER "MCAP"
#endif

static const struct
{
  const gchar *properties;
  gboolean has_origin;
} origins[] = { {"", TRUE}, {"start=keep", TRUE}, {"time-origin=1", TRUE}, {"start=own", FALSE} };

GST_START_TEST (test_tags)
{
  gint64 origin_ns = 0;
  gboolean from_first_row, is_first_row = __i__ == 0;
  GstTagList *tags;
  GstEvent *event;
  gchar *topic = NULL, *frame = NULL, *text;
  Player player;
  GstPad *pad;

  player_open (&player, "", origins[__i__].properties);
  text = player_run (&player);
  pad = gst_element_get_static_pad (player.demux, "src_1");
  event = gst_pad_get_sticky_event (pad, GST_EVENT_TAG, 0);
  gst_event_parse_tag (event, &tags);
  fail_unless (gst_tag_list_get_string (tags, "robocache-topic", &topic) && g_str_equal (topic, "/b"));
  fail_unless (gst_tag_list_get_string (tags, "robocache-frame-id", &frame) && g_str_equal (frame, "base"));
  fail_unless_equals_int (robocache_origin_event_parse (event, &origin_ns, &from_first_row), origins[__i__].has_origin);
  if (origins[__i__].has_origin) {
    fail_unless_equals_int (from_first_row, is_first_row);
    fail_unless_equals_int64 (origin_ns, __i__ == 0 ? 10 * GST_MSECOND : __i__ - 1);
  }
  g_free (topic);
  g_free (frame);
  g_free (text);
  gst_event_unref (event);
  /* those of the recording are an event of their own */
  event = gst_pad_get_sticky_event (pad, GST_EVENT_TAG, 1);
  gst_event_parse_tag (event, &tags);
  fail_unless (gst_tag_list_get_scope (tags) == GST_TAG_SCOPE_GLOBAL);
  fail_unless (gst_tag_list_get_string (tags, GST_TAG_CONTAINER_FORMAT, &text));
  fail_unless_equals_string (text, CONTAINER);
  g_free (text);
  gst_event_unref (event);
  gst_object_unref (pad);
  player_close (&player);
}

GST_END_TEST;

/* ---- statistics ---- */

static guint64
stat_of (const GstStructure *stats, const gchar *name)
{
  guint64 value = G_MAXUINT64;

  fail_unless (gst_structure_get_uint64 (stats, name, &value), "no %s", name);
  return value;
}

static void
check_stats (const GstStructure *stats)
{
  const GValue *topics = gst_structure_get_value (stats, "topics");
  const GstStructure *a;

  fail_unless_equals_uint64 (stat_of (stats, "messages"), 6);
  fail_unless_equals_uint64 (stat_of (stats, "buffers"), 4);
  fail_unless_equals_uint64 (stat_of (stats, "malformed"), 2);
  fail_unless_equals_uint64 (stat_of (stats, "without-stamp"), 1);
  fail_unless_equals_uint64 (stat_of (stats, "missing"), 0);
  fail_unless_equals_uint64 (stat_of (stats, "before-origin"), 0);
  fail_unless_equals_int (gst_value_array_get_size (topics), 2);
  a = gst_value_get_structure (gst_value_array_get_value (topics, 0));
  fail_unless_equals_string (gst_structure_get_string (a, "topic"), "/a");
  fail_unless_equals_uint64 (stat_of (a, "messages"), 4);
  fail_unless_equals_uint64 (stat_of (a, "malformed"), 2);
}

GST_START_TEST (test_statistics)
{
  GstStructure *stats;
  Player player;
  gchar *text;

  player_open (&player, "", "topics=/a,/b");
  text = player_run (&player);
  g_object_get (player.demux, "stats", &stats, NULL);
  check_stats (stats);
  gst_structure_free (stats);
  /* and once the element is stopped */
  gst_element_set_state (player.pipeline, GST_STATE_NULL);
  g_object_get (player.demux, "stats", &stats, NULL);
  check_stats (stats);
  gst_structure_free (stats);
  g_free (text);
  player_close (&player);
}

GST_END_TEST;

/* ---- the order of pads, events and buffers ---- */

#define HEADERS(pad) " " pad ":caps " pad ":segment"
#define STREAM(pad) HEADERS (pad) " " pad ":row"

static const struct
{
  const gchar *between, *properties, *order;
} orders[] = {
  /* with random access, all streams are known before the first row */
  {"", "", " +src_0 +src_1 +src_2 no-more-pads" HEADERS ("src_0") HEADERS ("src_1") HEADERS ("src_2") " src_0:row src_1:row src_2:row"},
  {"", "topics=/c,/a", " +src_0 +src_1 no-more-pads" HEADERS ("src_0") HEADERS ("src_1") " src_1:row src_0:row"},
#ifndef TEST_BAGSRC
  {"blocksize=50 ! queue", "", " +src_0" STREAM ("src_0") " +src_1" STREAM ("src_1") " +src_2" STREAM ("src_2") " no-more-pads"},
  {"blocksize=50 ! queue", "topics=/b,/a", " +src_0" STREAM ("src_0") " +src_1 no-more-pads" STREAM ("src_1")},
  {"blocksize=50 ! queue", "topics=/a", " +src_0 no-more-pads" STREAM ("src_0")},
  {"blocksize=50 ! queue", "topics=/a,/b*", " +src_0" STREAM ("src_0") " +src_1" STREAM ("src_1") " no-more-pads"},
  {"blocksize=50 ! queue", "topics=/a,/x", " +src_0" STREAM ("src_0") " no-more-pads"},
#endif
};

/* The first of each event of a pad. All run in the thread of the element. */
static void
note_step (GString *order, const gchar *format, ...) G_GNUC_PRINTF (2, 3);

static void
note_step (GString *order, const gchar *format, ...)
{
  va_list args;
  gchar *step;

  va_start (args, format);
  step = g_strdup_vprintf (format, args);
  va_end (args);
  if (strstr (order->str, step) == NULL)
    g_string_append (order, step);
  g_free (step);
}

static GstPadProbeReturn
note_data_of_pad (GstPad *pad, GstPadProbeInfo *info, gpointer order)
{
  GstEvent *event = info->type & GST_PAD_PROBE_TYPE_BUFFER ? NULL : GST_PAD_PROBE_INFO_EVENT (info);

  if (event == NULL)
    note_step (order, " %s:row", GST_PAD_NAME (pad));
  else if (GST_EVENT_TYPE (event) == GST_EVENT_CAPS || GST_EVENT_TYPE (event) == GST_EVENT_SEGMENT)
    note_step (order, " %s:%s", GST_PAD_NAME (pad), GST_EVENT_TYPE_NAME (event));
  return GST_PAD_PROBE_OK;
}

static void
note_pad (GstElement *demux, GstPad *pad, gpointer order)
{
  note_step (order, " +%s", GST_PAD_NAME (pad));
  gst_pad_add_probe (pad, GST_PAD_PROBE_TYPE_BUFFER | GST_PAD_PROBE_TYPE_EVENT_DOWNSTREAM, note_data_of_pad, order, NULL);
}

static void
note_end_of_pads (GstElement *demux, gpointer order)
{
  note_step (order, " no-more-pads");
}

GST_START_TEST (test_order)
{
  GString *order = g_string_new (NULL);
  Player player;

  player_open (&player, orders[__i__].between, orders[__i__].properties);
  g_signal_connect (player.demux, "pad-added", G_CALLBACK (note_pad), order);
  g_signal_connect (player.demux, "no-more-pads", G_CALLBACK (note_end_of_pads), order);
  g_free (player_run (&player));
  player_close (&player);
  fail_unless_equals_string (order->str, orders[__i__].order);
  g_string_free (order, TRUE);
}

GST_END_TEST;

/* ---- stops and restarts ---- */

static const gchar *const modes[] = { "", "blocksize=50 ! queue" };

/* The same comes out each time, from pads that are new. */
GST_START_TEST (test_restart)
{
  gchar *expected = NULL;

  for (guint round = 0; round < 3; round++) {
    Player player;
    GString *text = g_string_new (NULL);

    player_open (&player, modes[__i__], "");
    for (guint run = 0; run <= round; run++) {
      g_free (player_run (&player));
      if (run < round)
        gst_element_set_state (player.pipeline, GST_STATE_NULL);
    }
    fail_unless_equals_int (player.output.texts->len, 3 * (round + 1));
    for (guint i = 3 * round; i < player.output.texts->len; i++)
      g_string_append (text, ((GString *) g_ptr_array_index (player.output.texts, i))->str);
    if (expected)
      fail_unless_equals_string (strchr (text->str, '='), strchr (expected, '='));
    g_free (expected);
    expected = g_string_free (text, FALSE);
    player_close (&player);
  }
  g_free (expected);
}

GST_END_TEST;

/* Stopped at any moment. */
GST_START_TEST (test_stop)
{
  GRand *random = g_rand_new_with_seed (7);
  gchar *path = write_recording (200);

  for (guint i = 0; i < 30; i++) {
    const guint after = g_rand_int_range (random, 0, 200);
    Player player;

    player_open_file (&player, path, modes[__i__], "");
    gst_element_set_state (player.pipeline, GST_STATE_PLAYING);
    g_mutex_lock (&player.output.lock);
    while (player.output.n_buffers < after)
      g_cond_wait (&player.output.changed, &player.output.lock);
    g_mutex_unlock (&player.output.lock);
    path = player_release (&player);
  }
  g_unlink (path);
  g_free (path);
  g_rand_free (random);
}

GST_END_TEST;

/* ---- EOS of the application, and events of upstream ---- */

static guint32
seqnum_of (Player *player, const gchar *pad_name, GstEventType type)
{
  GstPad *pad = gst_element_get_static_pad (player->demux, pad_name);
  GstEvent *event = gst_pad_get_sticky_event (pad, type, 0);
  guint32 seqnum;

  fail_unless (event != NULL, "no %s on %s", gst_event_type_get_name (type), pad_name);
  seqnum = gst_event_get_seqnum (event);
  gst_event_unref (event);
  gst_object_unref (pad);
  return seqnum;
}

/* It ends the streams where they are, and is no error. */
GST_START_TEST (test_application_eos)
{
  GstEvent *event = gst_event_new_eos ();
  const guint32 seqnum = gst_event_get_seqnum (event);
  GString *text = g_string_new (NULL);
  Player player;

  player_open_file (&player, write_recording (200), "", "");
  gst_element_set_state (player.pipeline, GST_STATE_PAUSED);
  g_mutex_lock (&player.output.lock);
  while (player.output.n_buffers == 0)
    g_cond_wait (&player.output.changed, &player.output.lock);
  g_mutex_unlock (&player.output.lock);
  fail_unless (gst_element_send_event (player.pipeline, event));
  gst_element_set_state (player.pipeline, GST_STATE_PLAYING);
  wait_for_end (player.pipeline, text);
  fail_unless (strstr (text->str, "error") == NULL && strstr (text->str, "cut") == NULL, "%s", text->str);
  fail_unless (player.output.n_buffers < 1000, "%u buffers", player.output.n_buffers);
  for (guint i = 0; i < player.output.texts->len; i++)
    fail_unless (g_str_has_suffix (((GString *) g_ptr_array_index (player.output.texts, i))->str, " eos"));
#ifdef TEST_BAGSRC
  /* a source that is pulled does not tell which event it was */
  fail_unless_equals_int (seqnum_of (&player, "src_0", GST_EVENT_EOS), seqnum);
#else
  fail_unless (seqnum_of (&player, "src_0", GST_EVENT_EOS) != seqnum);
#endif
  g_string_free (text, TRUE);
  player_close (&player);
}

GST_END_TEST;

#ifndef TEST_BAGSRC
static guint
group_of (Player *player, const gchar *pad_name)
{
  GstPad *pad = gst_element_get_static_pad (player->demux, pad_name);
  GstEvent *event = gst_pad_get_sticky_event (pad, GST_EVENT_STREAM_START, 0);
  guint group = 0;

  fail_unless (event && gst_event_parse_group_id (event, &group));
  gst_event_unref (event);
  gst_object_unref (pad);
  return group;
}

typedef struct
{
  GMutex lock;
  GCond changed;
  guint n_passed;
  gboolean is_halted;
} Halt;

/* Some buffers of the file pass, and no more. */
static GstPadProbeReturn
halt_in_the_middle (GstPad *pad, GstPadProbeInfo *info, gpointer user_data)
{
  Halt *halt = user_data;
  GstPadProbeReturn ret;

  g_mutex_lock (&halt->lock);
  ret = halt->n_passed++ < 30 ? GST_PAD_PROBE_PASS : GST_PAD_PROBE_OK;
  halt->is_halted = ret == GST_PAD_PROBE_OK;
  g_cond_signal (&halt->changed);
  g_mutex_unlock (&halt->lock);
  return ret;
}

/* The streams are of the group of upstream, and their segment and EOS have the seqnums of those of upstream. A file that ends there is cut. */
GST_START_TEST (test_follows_upstream)
{
  GstEvent *event = gst_event_new_eos ();
  const guint32 seqnum = gst_event_get_seqnum (event);
  GString *text = g_string_new (NULL);
  Halt halt = { 0 };
  Player player;
  GstPad *sink, *peer;

  player_open_file (&player, write_recording (50), "blocksize=100 ! queue", "");
  sink = gst_element_get_static_pad (player.demux, "sink");
  peer = gst_pad_get_peer (sink);
  gst_pad_add_probe (peer, GST_PAD_PROBE_TYPE_BLOCK | GST_PAD_PROBE_TYPE_BUFFER, halt_in_the_middle, &halt, NULL);
  gst_element_set_state (player.pipeline, GST_STATE_PLAYING);
  g_mutex_lock (&halt.lock);
  while (!halt.is_halted)
    g_cond_wait (&halt.changed, &halt.lock);
  g_mutex_unlock (&halt.lock);
  fail_unless (gst_pad_send_event (sink, event));
  wait_for_end (player.pipeline, text);
  fail_unless (strstr (text->str, "error") == NULL && strstr (text->str, "the recording is cut") != NULL, "%s", text->str);
  fail_unless_equals_int (group_of (&player, "src_0"), group_of (&player, "sink"));
  fail_unless_equals_int (group_of (&player, "src_2"), group_of (&player, "sink"));
  fail_unless_equals_int (seqnum_of (&player, "src_0", GST_EVENT_SEGMENT), seqnum_of (&player, "sink", GST_EVENT_SEGMENT));
  fail_unless_equals_int (seqnum_of (&player, "src_0", GST_EVENT_EOS), seqnum);
  gst_object_unref (peer);
  gst_object_unref (sink);
  g_string_free (text, TRUE);
  player_close (&player);
}

GST_END_TEST;
#define FOLLOWS ONCE (test_follows_upstream)
#else
#define FOLLOWS ONCE (test_statistics)
#endif

CHECK_MAIN (contract, NULL, NULL, ONCE (test_type), EACH (origins, test_tags), ONCE (test_statistics), EACH (orders, test_order),
    EACH (modes, test_restart), EACH (modes, test_stop), ONCE (test_application_eos), FOLLOWS)
