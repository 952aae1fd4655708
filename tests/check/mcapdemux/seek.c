/* robocache: seeks in recordings, and queries of their times
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include <glib/gstdio.h>

#include "tests/check/lib/recordings/demuxrun.h"
#include "tests/check/lib/recordings/recording.h"
#include "tests/check/lib/checks.h"

/* ---- a recording of 10 s ---- */

#define N_ROWS 100
#define N_FRAMES 50
#define KEY_INTERVAL 10         /* frames */

/* Rows every 100 ms, which arrive 30 ms later, and frames every 200 ms, of which every tenth is a key frame, 150 ms later. */
static GByteArray *
ten_seconds (const RecordingOptions *options)
{
  static RecordedMessage messages[N_ROWS + N_FRAMES];
  GByteArray *file;
  guint n = 0;

  for (gint ms = 0; ms < 12000; ms += 10) {
    const gint row_ms = ms - 30, frame_ms = ms - 150;

    if (row_ms >= 0 && row_ms % 100 == 0 && row_ms / 100 < N_ROWS)
      messages[n++] = (RecordedMessage) {"/row", "geometry_msgs/WrenchStamped",
            g_strdup_printf ("(((%d %d000000) '') ((%d 0 0) (0 0 0)))", 100 + row_ms / 1000, row_ms % 1000, row_ms / 100), 100000 + ms};
    if (frame_ms >= 0 && frame_ms % 200 == 0 && frame_ms / 200 < N_FRAMES)
      messages[n++] = (RecordedMessage) {"/video", "foxglove_msgs/CompressedVideo",
            g_strdup_printf ("((%d %d000000) '' [0 0 1 %d] 'h264')", 100 + frame_ms / 1000, frame_ms % 1000,
                frame_ms / 200 % KEY_INTERVAL == 0 ? 101 : 65), 100000 + ms};
  }
  file = make_recording (options, messages, n);
  for (guint i = 0; i < n; i++)
    g_free ((gpointer) messages[i].message);
  return file;
}

/* ---- a pipeline that is paused ---- */

typedef struct
{
  GstElement *pipeline, *demux;
  DemuxOutput output;
  gchar *path;
} Player;

static gchar *
make_path (void)
{
  gchar *path = NULL;

  fail_unless (g_close (g_file_open_tmp ("seek-XXXXXX.mcap", &path, NULL), NULL));
  return path;
}

/* Takes the path of a recording. */
static void
player_open_file (Player *player, gchar *path, const gchar *properties)
{
  player->path = path;
  player->pipeline = launch_recording (path, "", properties);
  player->demux = gst_bin_get_by_name (GST_BIN (player->pipeline), "d");
  demux_output_init (&player->output, player->demux, TRUE);
}

static void
player_open (Player *player, const gchar *properties)
{
  const RecordingOptions options = { ROBOCACHE_MCAP_ZSTD, RECORDED_IN_CHUNKS, 8 };
  GByteArray *file = ten_seconds (&options);
  gchar *path = make_path ();

  fail_unless (g_file_set_contents (path, (const gchar *) file->data, file->len, NULL));
  g_byte_array_unref (file);
  player_open_file (player, path, properties);
}

static void
player_close (Player *player)
{
  gst_element_set_state (player->pipeline, GST_STATE_NULL);
  demux_output_clear (&player->output);
  gst_object_unref (player->demux);
  gst_object_unref (player->pipeline);
  g_unlink (player->path);
  g_free (player->path);
}

/* Plays to the end, or the end of the segment. */
static void
player_run (Player *player)
{
  GString *messages = g_string_new (NULL);

  gst_element_set_state (player->pipeline, GST_STATE_PLAYING);
  wait_for_end (player->pipeline, messages);
  fail_unless_equals_string (messages->str, "");
  g_string_free (messages, TRUE);
}

static void
player_forget (Player *player)
{
  g_mutex_lock (&player->output.lock);
  for (guint i = 0; i < player->output.texts->len; i++)
    g_string_truncate (g_ptr_array_index (player->output.texts, i), 0);
  g_mutex_unlock (&player->output.lock);
}

/* Sends a seek on a pad of the element. */
static gboolean
player_seek (Player *player, gint64 start_ms, gint64 stop_ms, GstSeekFlags flags)
{
  GstPad *pad = gst_element_get_static_pad (player->demux, "src_0");
  GstEvent *event = gst_event_new_seek (1.0, GST_FORMAT_TIME, flags, GST_SEEK_TYPE_SET, start_ms * GST_MSECOND,
      GST_SEEK_TYPE_SET, stop_ms < 0 ? -1 : stop_ms * (gint64) GST_MSECOND);
  const gboolean is_done = gst_pad_send_event (pad, event);

  gst_object_unref (pad);
  return is_done;
}

/* First and last time of a pad's buffers, in ms, since the last seek; and that of the first that the segment does not clip. */
static void
parse_times (const gchar *text, gint start_ms, gint *first, gint *last, guint *n_inside)
{
  gchar **words = g_strsplit (text, " ", -1);

  *first = *last = -1;
  *n_inside = 0;
  for (guint i = 0; words[i]; i++) {
    gint ms;

    if (!g_ascii_isdigit (*words[i]) || strchr (words[i], '=') == NULL)
      continue;
    ms = atoi (words[i]);
    *first = *first < 0 ? ms : MIN (*first, ms);
    *last = MAX (*last, ms);
    *n_inside += ms >= start_ms;
  }
  g_strfreev (words);
}

/* ---- places ---- */

static const struct
{
  gint start_ms, stop_ms;       /* stop -1: none */
  gint first_row, last_row;     /* that are sent and not clipped */
  gint key_frame;               /* that video starts from */
} places[] = {
  {0, -1, 0, 9900, 0}, {1, -1, 100, 9900, 0}, {100, -1, 100, 9900, 0}, {1999, -1, 2000, 9900, 0}, {2000, -1, 2000, 9900, 2000},
  {3950, -1, 4000, 9900, 2000}, {4000, -1, 4000, 9900, 4000}, {9900, -1, 9900, 9900, 8000}, {5000, 7000, 5000, 6900, 4000},
  {0, 50, 0, 0, 0}, {20000, -1, -1, -1, 8000},
};

static void
check_place (Player *player, guint place)
{
  const gint start = places[place].start_ms, stop = places[place].stop_ms < 0 ? 10000 : places[place].stop_ms;
  gint begin, end;
  guint n;

  g_mutex_lock (&player->output.lock);
  parse_times (((GString *) g_ptr_array_index (player->output.texts, 0))->str, start, &begin, &end, &n);
  if (places[place].first_row < 0) {
    fail_unless_equals_int (n, 0);
  } else {
    /* all rows of the segment, and little before them */
    fail_unless (begin <= places[place].first_row && end >= places[place].last_row, "rows of %d to %d ms", begin, end);
    fail_unless (begin >= MIN (places[place].key_frame, start) - 300, "rows from %d ms on", begin);
    fail_unless (end < stop, "rows up to %d ms", end);
  }
  parse_times (((GString *) g_ptr_array_index (player->output.texts, 1))->str, start, &begin, &end, &n);
  fail_unless (begin <= places[place].key_frame, "video begins at %d ms, not at its key frame", begin);
  fail_unless (strstr (((GString *) g_ptr_array_index (player->output.texts, 1))->str, "seg:") != NULL);
  g_mutex_unlock (&player->output.lock);
}

GST_START_TEST (test_places)
{
  const GstSeekFlags flags = GST_SEEK_FLAG_FLUSH | (places[__i__].stop_ms >= 0 ? GST_SEEK_FLAG_SEGMENT : 0);
  Player player;

  player_open (&player, "");
  player_run (&player);
  /* twice, as lags are measured by then */
  for (guint round = 0; round < 2; round++) {
    player_forget (&player);
    fail_unless (player_seek (&player, places[__i__].start_ms, places[__i__].stop_ms, flags));
    player_run (&player);
    check_place (&player, __i__);
  }
  player_close (&player);
}

GST_END_TEST;

/* The row before the segment is sent, too: it is in force where the segment starts. Rows are 100 ms apart and arrive after 30 ms. */
GST_START_TEST (test_row_in_force)
{
  gint begin, end;
  Player player;
  guint n;

  player_open (&player, "topics=/row");
  player_run (&player);
  player_forget (&player);
  fail_unless (player_seek (&player, 4990, -1, GST_SEEK_FLAG_FLUSH));
  player_run (&player);
  g_mutex_lock (&player.output.lock);
  parse_times (((GString *) g_ptr_array_index (player.output.texts, 0))->str, 4990, &begin, &end, &n);
  fail_unless_equals_int (begin, 4900);
  fail_unless_equals_int (n, 50);
  g_mutex_unlock (&player.output.lock);
  player_close (&player);
}

GST_END_TEST;

static GstPadProbeReturn
count_flush (GstPad *pad, GstPadProbeInfo *info, gpointer n)
{
  if (GST_EVENT_TYPE (GST_PAD_PROBE_INFO_EVENT (info)) == GST_EVENT_FLUSH_START)
    g_atomic_int_inc ((gint *) n);
  return GST_PAD_PROBE_OK;
}

/* A seek that comes on each pad is one. */
GST_START_TEST (test_one_seek_on_all_pads)
{
  GstEvent *event = gst_event_new_seek (1.0, GST_FORMAT_TIME, GST_SEEK_FLAG_FLUSH, GST_SEEK_TYPE_SET, GST_SECOND, GST_SEEK_TYPE_NONE, -1);
  gint n_flushes = 0;
  Player player;

  player_open (&player, "");
  player_run (&player);
  for (guint i = 0; i < 2; i++) {
    GstPad *pad = gst_element_get_static_pad (player.demux, i == 0 ? "src_0" : "src_1");

    if (i == 0)
      gst_pad_add_probe (pad, GST_PAD_PROBE_TYPE_EVENT_FLUSH, count_flush, &n_flushes, NULL);
    fail_unless (gst_pad_send_event (pad, gst_event_ref (event)));
    gst_object_unref (pad);
  }
  player_run (&player);
  fail_unless_equals_int (g_atomic_int_get (&n_flushes), 1);
  gst_event_unref (event);
  player_close (&player);
}

GST_END_TEST;

/* ---- a large recording ---- */

#define MIB ((guint64) 1 << 20)
#define N_PICTURES 500

/* A picture of 125 kB every 100 ms, in 60 chunks of 1 MiB. */
static gchar *
record_pictures (void)
{
  gchar *path = make_path ();
  gchar *launch = g_strdup_printf ("videotestsrc pattern=black num-buffers=%u ! video/x-raw,format=GRAY8,width=500,height=250,framerate=10/1 ! "
      "robocachemcapsink location=%s time-origin=1700000000000000000 sync-interval=0 chunk-duration=0", N_PICTURES, path);
  GstElement *pipeline = gst_parse_launch (launch, NULL);
  GString *messages = g_string_new (NULL);

  gst_element_set_state (pipeline, GST_STATE_PLAYING);
  wait_for_end (pipeline, messages);
  gst_element_set_state (pipeline, GST_STATE_NULL);
  fail_unless_equals_string (messages->str, "");
  g_string_free (messages, TRUE);
  gst_object_unref (pipeline);
  g_free (launch);
  return path;
}

/* Bytes that this process has read from files. FALSE: the kernel does not count them. */
static gboolean
count_read (guint64 *bytes)
{
  gchar *text = NULL;
  gboolean is_known;

  is_known = g_file_get_contents ("/proc/self/io", &text, NULL, NULL) && sscanf (text, "rchar: %" G_GUINT64_FORMAT, bytes) == 1;
  g_free (text);
  return is_known;
}

static void
wait_for_pad (Player *player)
{
  gst_element_set_state (player->pipeline, GST_STATE_PAUSED);
  g_mutex_lock (&player->output.lock);
  while (player->output.n_buffers == 0)
    g_cond_wait (&player->output.changed, &player->output.lock);
  g_mutex_unlock (&player->output.lock);
}

static const gint far[] = { 100, 7350, 25000, 41020, 49800 };

/* Two pictures after a seek, and the one before it, cost the chunks around them, wherever they are. */
GST_START_TEST (test_few_reads)
{
  guint64 before, after;
  gint first, last;
  Player player;
  guint n;

  player_open_file (&player, record_pictures (), "max-transport=100000000");
  wait_for_pad (&player);
  if (count_read (&before)) {
    player_forget (&player);
    fail_unless (player_seek (&player, far[__i__], far[__i__] + 100, GST_SEEK_FLAG_FLUSH | GST_SEEK_FLAG_SEGMENT));
    player_run (&player);
    fail_unless (count_read (&after));
    parse_times (((GString *) g_ptr_array_index (player.output.texts, 0))->str, far[__i__], &first, &last, &n);
    fail_unless (n >= 1 && n <= 5, "%u pictures from %d to %d ms", n, first, last);
    fail_unless (after > before && after - before < 4 * MIB, "%" G_GUINT64_FORMAT " bytes were read", after - before);
  }
  player_close (&player);
}

GST_END_TEST;

/* ---- what cannot be ---- */

GST_START_TEST (test_refused)
{
  Player player;
  GstPad *pad;

  player_open (&player, "");
  player_run (&player);
  pad = gst_element_get_static_pad (player.demux, "src_0");
  fail_if (player_seek (&player, 5000, 4000, GST_SEEK_FLAG_FLUSH));
  fail_if (gst_pad_send_event (pad, gst_event_new_seek (-1.0, GST_FORMAT_TIME, GST_SEEK_FLAG_FLUSH, GST_SEEK_TYPE_SET, 0,
              GST_SEEK_TYPE_SET, 1000)));
  fail_if (gst_pad_send_event (pad, gst_event_new_seek (1.0, GST_FORMAT_BYTES, GST_SEEK_FLAG_FLUSH, GST_SEEK_TYPE_SET, 0,
              GST_SEEK_TYPE_NONE, -1)));
  gst_object_unref (pad);
  player_close (&player);
}

GST_END_TEST;

/* A seek that does not flush continues the running time. */
GST_START_TEST (test_without_flush)
{
  Player player;

  player_open (&player, "topics=/row");
  player_run (&player);
  fail_unless (player_seek (&player, 0, 1000, GST_SEEK_FLAG_FLUSH | GST_SEEK_FLAG_SEGMENT));
  player_run (&player);
  player_forget (&player);
  fail_unless (player_seek (&player, 9000, -1, GST_SEEK_FLAG_SEGMENT));
  player_run (&player);
  fail_unless (strstr (((GString *) g_ptr_array_index (player.output.texts, 0))->str, " seg:9000-none") != NULL);
  fail_unless (strstr (((GString *) g_ptr_array_index (player.output.texts, 0))->str, " flush") == NULL);
  player_close (&player);
}

GST_END_TEST;

/* ---- causes ---- */

static const struct
{
  GstSeekFlags flags;
  const gchar *properties;
  const gchar *events;          /* that follow */
} causes[] = {
  {GST_SEEK_FLAG_FLUSH, "", " flush-start flush-stop segment eos"}, {GST_SEEK_FLAG_FLUSH | GST_SEEK_FLAG_SEGMENT, "",
      " flush-start flush-stop segment segment-done"},
  {GST_SEEK_FLAG_FLUSH, "block-rows=7", " flush-start flush-stop segment eos"},
};

typedef struct
{
  guint32 seqnum;
  GString *events;              /* with that seqnum; others with their numbers */
} Cause;

static GstPadProbeReturn
note_cause (GstPad *pad, GstPadProbeInfo *info, gpointer user_data)
{
  GstEvent *event = GST_PAD_PROBE_INFO_EVENT (info);
  Cause *cause = user_data;

  switch (GST_EVENT_TYPE (event)) {
    case GST_EVENT_FLUSH_START:
    case GST_EVENT_FLUSH_STOP:
    case GST_EVENT_SEGMENT:
    case GST_EVENT_SEGMENT_DONE:
    case GST_EVENT_EOS:
      g_string_append_printf (cause->events, " %s", GST_EVENT_TYPE_NAME (event));
      if (gst_event_get_seqnum (event) != cause->seqnum)
        g_string_append (cause->events, "(of another)");
      break;
    default:
      break;
  }
  return GST_PAD_PROBE_OK;
}

/* Messages of a segment have the seqnum, too. */
static void
check_segment_messages (GstElement *pipeline, GstElement *demux, guint32 seqnum)
{
  GstBus *bus = gst_element_get_bus (pipeline);
  GstMessage *message;

  while ((message = gst_bus_timed_pop_filtered (bus, 20 * GST_SECOND, GST_MESSAGE_SEGMENT_DONE | GST_MESSAGE_EOS | GST_MESSAGE_ERROR))) {
    const GstMessageType type = GST_MESSAGE_TYPE (message);

    fail_unless (type != GST_MESSAGE_ERROR);
    fail_unless_equals_int (gst_message_get_seqnum (message), seqnum);
    gst_message_unref (message);
    break;
  }
  gst_object_unref (bus);
}

GST_START_TEST (test_seqnums)
{
  GstEvent *event = gst_event_new_seek (1.0, GST_FORMAT_TIME, causes[__i__].flags, GST_SEEK_TYPE_SET, 5 * GST_SECOND, GST_SEEK_TYPE_SET,
      6 * GST_SECOND);
  Cause cause = { gst_event_get_seqnum (event), g_string_new (NULL) };
  Player player;
  GstPad *pad;

  player_open (&player, causes[__i__].properties);
  player_run (&player);
  pad = gst_element_get_static_pad (player.demux, "src_0");
  gst_pad_add_probe (pad, GST_PAD_PROBE_TYPE_EVENT_DOWNSTREAM | GST_PAD_PROBE_TYPE_EVENT_FLUSH, note_cause, &cause, NULL);
  fail_unless (gst_pad_send_event (pad, event));
  check_segment_messages (player.pipeline, player.demux, cause.seqnum);
  /* the event of the end of a segment follows its message */
  gst_element_set_state (player.pipeline, GST_STATE_READY);
  fail_unless (g_str_has_prefix (causes[__i__].events, cause.events->str) && strstr (cause.events->str, "segment"), "%s",
      cause.events->str);
  gst_object_unref (pad);
  g_string_free (cause.events, TRUE);
  player_close (&player);
}

GST_END_TEST;

/* ---- blocks of rows ---- */

/* Without what a segment clips at its stop: how much of that is read depends on when a sink has enough. */
static void
append_inside (GString *text, const gchar *pad)
{
  gchar **words = g_strsplit (pad, " ", -1);
  gdouble stop = G_MAXDOUBLE;

  for (guint i = 0; words[i]; i++) {
    if (g_str_has_prefix (words[i], "seg:"))
      stop = g_str_has_suffix (words[i], "none") ? G_MAXDOUBLE : g_ascii_strtod (strchr (words[i], '-') + 1, NULL);
    /* the message comes before the event, so that the next seek may flush it */
    if (g_str_equal (words[i], "segment-done"))
      continue;
    if (!g_ascii_isdigit (*words[i]) || g_ascii_strtod (words[i], NULL) < stop)
      g_string_append_printf (text, "%s ", words[i]);
  }
  g_strfreev (words);
}

/* Rows and events after a seek from a place in the middle, with blocks of some length. Freed with g_free. */
static gchar *
flat_text (const gchar *properties, gint start_ms, gint stop_ms, GstSeekFlags flags)
{
  GString *text = g_string_new (NULL);
  Player player;

  player_open (&player, properties);
  player.output.is_flat = TRUE;
  player_run (&player);
  /* a segment from which the next one continues */
  fail_unless (player_seek (&player, 1000, 3000, GST_SEEK_FLAG_FLUSH | GST_SEEK_FLAG_SEGMENT));
  player_run (&player);
  fail_unless (player_seek (&player, start_ms, stop_ms, flags));
  player_run (&player);
  for (guint i = 0; i < player.output.texts->len; i++)
    append_inside (text, ((GString *) g_ptr_array_index (player.output.texts, i))->str);
  player_close (&player);
  return g_string_free (text, FALSE);
}

static const struct
{
  gint start_ms, stop_ms;
  GstSeekFlags flags;
} jumps[] = {
  {0, -1, GST_SEEK_FLAG_FLUSH}, {3950, -1, GST_SEEK_FLAG_FLUSH}, {5000, 7000, GST_SEEK_FLAG_FLUSH | GST_SEEK_FLAG_SEGMENT},
  {3000, -1, GST_SEEK_FLAG_NONE}, {7001, 9001, GST_SEEK_FLAG_SEGMENT},
};

GST_START_TEST (test_blocks)
{
  gchar *rows = flat_text ("", jumps[__i__].start_ms, jumps[__i__].stop_ms, jumps[__i__].flags);
  gchar *blocks = flat_text ("block-rows=7", jumps[__i__].start_ms, jumps[__i__].stop_ms, jumps[__i__].flags);

  fail_unless (strstr (rows, "seg:") != NULL);
  fail_unless (g_str_equal (blocks, rows));
  g_free (blocks);
  g_free (rows);
}

GST_END_TEST;

/* Rows wait in a block when a seek comes: the thread halts at a frame behind them. */

static GstPadProbeReturn
note_halt (GstPad *pad, GstPadProbeInfo *info, gpointer is_halted)
{
  g_atomic_int_set ((gint *) is_halted, TRUE);
  return GST_PAD_PROBE_OK;
}

static void
halt_at_first_frame (GstElement *demux, GstPad *pad, gpointer is_halted)
{
  if (g_str_equal (GST_PAD_NAME (pad), "src_1"))
    gst_pad_add_probe (pad, GST_PAD_PROBE_TYPE_BLOCK | GST_PAD_PROBE_TYPE_BUFFER, note_halt, is_halted, NULL);
}

/* A flush discards rows that wait, and what was sent counts. Times are of rows between the first segment and the seek's. */
GST_START_TEST (test_discard)
{
  gint is_halted = FALSE;
  Player player;
  gchar **words;
  guint64 n;
  GstStructure *stats;

  player_open (&player, "block-rows=50");
  player.output.is_flat = TRUE;
  g_signal_connect (player.demux, "pad-added", G_CALLBACK (halt_at_first_frame), &is_halted);
  gst_element_set_state (player.pipeline, GST_STATE_PAUSED);
  while (!g_atomic_int_get (&is_halted))
    g_thread_yield ();
  fail_unless_equals_string (strchr (((GString *) g_ptr_array_index (player.output.texts, 0))->str, ':') + 1,
      " caps[other/tensors float64 6 fx,fy,fz,tx,ty,tz] seg:0-none");
  g_object_get (player.demux, "stats", &stats, NULL);
  fail_unless (gst_structure_get_uint64 (stats, "messages", &n) && n > 1);
  fail_unless (gst_structure_get_uint64 (stats, "buffers", &n));
  fail_unless_equals_uint64 (n, 1);
  gst_structure_free (stats);
  fail_unless (player_seek (&player, 9000, -1, GST_SEEK_FLAG_FLUSH));
  words = g_strsplit (((GString *) g_ptr_array_index (player.output.texts, 0))->str, " ", -1);
  fail_if (g_strv_contains ((const gchar * const *) words, "0=0,0,0,0,0,0!"));
  g_strfreev (words);
  player_close (&player);
}

GST_END_TEST;

/* ---- queries ---- */

GST_START_TEST (test_queries)
{
  GstQuery *seeking = gst_query_new_seeking (GST_FORMAT_TIME);
  gboolean is_seekable = FALSE;
  gint64 duration, position, start;
  GstFormat format;
  Player player;
  GstPad *pad;

  player_open (&player, "");
  player_run (&player);
  pad = gst_element_get_static_pad (player.demux, "src_1");
  fail_unless (gst_pad_query_duration (pad, GST_FORMAT_TIME, &duration));
  /* the last row and the last frame end there */
  fail_unless_equals_int (duration / GST_MSECOND, 10000);
  fail_unless (gst_pad_query_position (pad, GST_FORMAT_TIME, &position));
  fail_unless_equals_int (position / GST_MSECOND, 9900);
  fail_if (gst_pad_query_duration (pad, GST_FORMAT_BYTES, &duration));
  fail_unless (gst_pad_query (pad, seeking));
  gst_query_parse_seeking (seeking, &format, &is_seekable, &start, &duration);
  fail_unless (is_seekable && start == 0 && duration / (gint64) GST_MSECOND == 10000);
  gst_query_unref (seeking);
  gst_object_unref (pad);
  player_close (&player);
}

GST_END_TEST;

/* ---- many seeks while it plays ---- */

static const gchar *const storms[] = { "", "block-rows=5" };

GST_START_TEST (test_storm)
{
  GRand *random = g_rand_new_with_seed (20);
  Player player;

  player_open (&player, storms[__i__]);
  player_run (&player);
  for (guint i = 0; i < 100; i++) {
    const gint start = g_rand_int_range (random, 0, 11000);
    const GstSeekFlags flags = g_rand_boolean (random) ? GST_SEEK_FLAG_FLUSH : GST_SEEK_FLAG_NONE;

    fail_unless (player_seek (&player, start, g_rand_boolean (random) ? start + 500 : -1, flags));
    g_thread_yield ();
  }
  player_forget (&player);
  fail_unless (player_seek (&player, 5000, -1, GST_SEEK_FLAG_FLUSH));
  player_close (&player);
  g_rand_free (random);
}

GST_END_TEST;

CHECK_MAIN (seek, NULL, NULL, EACH (places, test_places), ONCE (test_row_in_force), ONCE (test_one_seek_on_all_pads), EACH (far, test_few_reads),
    ONCE (test_refused), ONCE (test_without_flush), EACH (causes, test_seqnums), EACH (jumps, test_blocks), ONCE (test_discard), ONCE (test_queries),
    EACH (storms, test_storm))
