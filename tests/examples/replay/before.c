/* robocache: a session as a version before the rules recorded it, written here from tables
 *
 * Its settings have no version, no kinds and max-gap in ns, and its caps no kinds. What its samples had is in the tables, so the test does
 * not depend on what robocachefuse makes of rows today.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include <glib/gstdio.h>
#include <string.h>

#include "common/mcap/records.h"
#include "common/mcap/writer.h"
#include "common/ros/definitions.h"
#include "common/ros/messageencoders.h"
#include "gst/fuse/core/journal.h"
#include "session.h"

#define MS G_GINT64_CONSTANT (1000000)
#define ORIGIN G_GINT64_CONSTANT (1700000000000000000)
#define PERIOD (20 * MS)
#define CHANNELS 2
#define TRANSPORT MS            /* of rows */
#define TICK_WAITS (300 * MS)   /* for rows */
#define NONE ROBOCACHE_ROS_NO_TIME

enum
{ EVENTS, ROWS, SAMPLES, TICKS, N_TOPICS };

static const struct
{
  const gchar *topic, *type;
} topics[N_TOPICS] = {
  [EVENTS] = {"/robocache/events", "robocache_msgs/msg/Event"},
  [ROWS] = {"/rows", "robocache_msgs/msg/Row"},
  [SAMPLES] = {"/fused", "robocache_msgs/msg/Row"},
  [TICKS] = {"/fused/tick", "robocache_msgs/msg/Tick"},
};

#define CAPS "other/tensors, format=(string)static, num_tensors=(int)1, types=(string)float32, dimensions=(string)2, framerate=(fraction)"
#define SEGMENT "format=time rate=1 start=0 stop=-1 time=0 base=0 offset=0"

/* Rows at 100 Hz, a hole of 160 ms, which is twice the gap of today and within 200 ms, and three others. */
static const struct
{
  gint ms;
  gfloat values[CHANNELS];      /* a position, and an angle */
} rows[] = {
  {0, {0, 4}}, {10, {1, 4}}, {20, {2, 4}}, {30, {3, 4}}, {40, {4, 4}}, {50, {5, 4}}, {60, {6, 4}}, {70, {7, 4}}, {80, {8, 4}},
  {240, {16, 3}}, {250, {17, 3}}, {260, {18, 3}},
};

/* The ticks of 50 Hz, in their order. Those in the hole were decided by the row behind it. */
static const struct
{
  gint decided_by;              /* ms of the row that arrived last; the others arrived before */
  gint before, after;           /* ms; -1: none */
  gfloat values[CHANNELS];
} ticks[] = {
  {0, 0, -1, {0, 4}}, {20, 20, -1, {2, 4}}, {40, 40, -1, {4, 4}}, {60, 60, -1, {6, 4}}, {80, 80, -1, {8, 4}},
  {240, 80, 240, {9, 3.875f}}, {240, 80, 240, {10, 3.75f}}, {240, 80, 240, {11, 3.625f}}, {240, 80, 240, {12, 3.5f}},
  {240, 80, 240, {13, 3.375f}}, {240, 80, 240, {14, 3.25f}}, {240, 80, 240, {15, 3.125f}}, {240, 240, -1, {16, 3}}, {260, 260, -1, {18, 3}},
};

/* ---- the file ---- */

typedef struct
{
  GString *output;
  RobocacheMcapChunk *chunk;
  RobocacheCdrWriter message;
  guint32 n_messages[N_TOPICS];
} File;

static gboolean
write_pieces (gpointer data, const RobocacheMcapBytes *pieces, guint n_pieces, GError **error)
{
  for (guint i = 0; i < n_pieces; i++)
    g_string_append_len (((File *) data)->output, (const gchar *) pieces[i].data, (gssize) pieces[i].size);
  return TRUE;
}

static RobocacheMcapBytes
bytes_of (const gchar *text)
{
  return (RobocacheMcapBytes) { (const guint8 *) text, strlen (text) };
}

static void
define_topics (File *file)
{
  for (guint16 i = 0; i < N_TOPICS; i++) {
    gchar *definition = robocache_ros_schema_text (topics[i].type);
    GByteArray *metadata = g_byte_array_new ();
    const RobocacheMcapSchema schema = { (guint16) (i + 1), bytes_of (topics[i].type), bytes_of ("ros2msg"), bytes_of (definition) };
    RobocacheMcapChannel channel = { i, (guint16) (i + 1), bytes_of (topics[i].topic), bytes_of ("cdr"), { 0 } };

    if (i != EVENTS) {
      robocache_mcap_append_text (metadata, "pad", i == ROWS ? "sink_0" : "sink_9");
      robocache_mcap_append_text (metadata, "caps", i == ROWS ? CAPS "0/1" : CAPS "50/1, streams=(string)sink_0");
      robocache_mcap_append_text (metadata, "segment", SEGMENT);
      robocache_mcap_append_text (metadata, "dtype", "float32");
    }
    channel.metadata = (RobocacheMcapBytes) { metadata->data, metadata->len };
    robocache_mcap_chunk_add_schema (file->chunk, &schema);
    robocache_mcap_chunk_add_channel (file->chunk, &channel);
    g_byte_array_unref (metadata);
    g_free (definition);
  }
}

static void
add_message (File *file, guint16 topic, gint64 stamp, gint64 arrival)
{
  const RobocacheMcapBytes piece = { file->message.data, file->message.size };
  const RobocacheMcapMessage message = { topic, file->n_messages[topic]++, (guint64) (ORIGIN + arrival), (guint64) (ORIGIN + stamp), { 0 } };

  robocache_mcap_chunk_add_message (file->chunk, &message, &piece, 1);
}

static void
add_event (File *file, const gchar *kind, const gchar *topic, const gchar *text)
{
  const RobocacheRosHeader header = { ORIGIN, "" };

  robocache_ros_write_event (&file->message, &header, kind, topic, 0, -1, text);
  add_message (file, EVENTS, 0, 0);
}

static void
add_row (File *file, guint16 topic, gint64 stamp, gint64 arrival, gint64 duration, const gfloat *values)
{
  const RobocacheRosHeader header = { ORIGIN + stamp, "" };
  const RobocacheRosRow row = {.duration_ns = duration,.dtype = RC_FLOAT32,.values = values,.n_values = CHANNELS };

  robocache_ros_write_row (&file->message, &header, &row);
  add_message (file, topic, stamp, arrival);
}

/* ---- the session ---- */

static void
add_settings (File *file, const gchar *more)
{
  gchar *text = g_strdup_printf ("RobocacheFuseSettings, number=(gint64)0, element.rate=(string)50/1, element.latency=(string)300000000, "
      "sink_0.interpolation=(string)linear, sink_0.max-gap=(string)200000000, sink_0.hold-limit=(string)200000000, "
      "sink_0.source-stream-id=(string)sensor, sink_0.source-live=(string)true, sink_0.source-min-latency=(string)0, "
      "sink_0.source-max-latency=(string)18446744073709551615%s", more);

  add_event (file, "stream", "/rows", "sensor");
  add_event (file, "caps", "/rows", CAPS "0/1");
  add_event (file, "segment", "/rows", SEGMENT);
  add_event (file, "property", "/fused", text);
  g_free (text);
}

static void
note (GArray *journal, FuseJournalKind kind, gint64 pad, gint64 n, gint64 time)
{
  const gint64 entry[] = { kind, pad, n, time };

  g_array_append_vals (journal, entry, G_N_ELEMENTS (entry));
}

/* row: the first one that has not arrived. n_noted: entries of the journal before. */
static void
add_tick (File *file, guint i, guint row, GArray *journal, guint64 n_noted)
{
  const gint64 tick = i * PERIOD, decided = ticks[i].decided_by * MS + TRANSPORT;
  const RobocacheRosTickStream stream = {.name = "sink_0",.before_ns = ticks[i].before * MS,.rows = row,.events = 2,
    .after_ns = ticks[i].after >= 0 ? ticks[i].after * MS : NONE,.age_ns = tick - ticks[i].before * MS
  };
  const RobocacheRosHeader header = { ORIGIN + tick, "" };
  RobocacheRosTick message = {.tick_ns = tick,.decided_ns = decided,.window = 1,.streams = &stream,.n_streams = 1,.journal_pads = "sink_0" };

  note (journal, FUSE_JOURNAL_TICK, -1, 1, decided);
  message.journal_start = n_noted;
  message.journal = (const gint64 *) (gpointer) journal->data;
  message.n_journal = journal->len;
  add_row (file, SAMPLES, tick, decided, PERIOD, ticks[i].values);
  robocache_ros_write_tick (&file->message, &header, &message);
  add_message (file, TICKS, tick, decided);
}

static void
add_session (File *file, gfloat angle)
{
  GArray *journal = g_array_new (FALSE, FALSE, sizeof (gint64));
  guint64 n_noted = 0;
  guint row = 0;

  note (journal, FUSE_JOURNAL_LATENCY, -1, TICK_WAITS, -1);
  note (journal, FUSE_JOURNAL_PLAYING, -1, 0, 0);
  note (journal, FUSE_JOURNAL_EVENT, 0, 0, -1);
  note (journal, FUSE_JOURNAL_EVENT, 0, 0, -1);
  for (guint i = 0; i < G_N_ELEMENTS (ticks); i++) {
    for (; row < G_N_ELEMENTS (rows) && rows[row].ms <= ticks[i].decided_by; row++) {
      const gfloat values[] = { rows[row].values[0], rows[row].values[1] + angle };

      add_row (file, ROWS, rows[row].ms * MS, rows[row].ms * MS + TRANSPORT, -1, values);
      note (journal, FUSE_JOURNAL_ROWS, 0, 1, rows[row].ms * MS + TRANSPORT);
    }
    add_tick (file, i, row, journal, n_noted);
    n_noted += journal->len / 4;
    g_array_set_size (journal, 0);
  }
  g_array_unref (journal);
}

static gchar *
write_session (const gchar *more_settings, gfloat angle)
{
  File file = {.output = g_string_new (NULL),.chunk = robocache_mcap_chunk_new (1 << 16) };
  RobocacheMcapWriter *writer = robocache_mcap_writer_new (ROBOCACHE_MCAP_UNCOMPRESSED, write_pieces, &file);
  GByteArray *origin = g_byte_array_new ();
  RobocacheMcapMetadata metadata = { bytes_of ("robocache.recording"), { 0 } };
  gchar *path;

  robocache_mcap_append_text (origin, "clock", "system");
  robocache_mcap_append_text (origin, "time-origin", G_STRINGIFY (1700000000000000000));
  metadata.metadata = (RobocacheMcapBytes) { origin->data, origin->len };
  fail_unless (robocache_mcap_writer_begin (writer, "ros2", "robocache", NULL));
  fail_unless (robocache_mcap_writer_add_metadata (writer, &metadata, NULL));
  define_topics (&file);
  add_settings (&file, more_settings);
  add_session (&file, angle);
  fail_unless (robocache_mcap_writer_add_chunk (writer, file.chunk, NULL) && robocache_mcap_writer_finish (writer, NULL));
  fail_unless (g_close (g_file_open_tmp ("before-XXXXXX.mcap", &path, NULL), NULL));
  fail_unless (g_file_set_contents (path, file.output->str, (gssize) file.output->len, NULL));
  robocache_mcap_writer_free (writer);
  robocache_mcap_chunk_free (file.chunk);
  robocache_cdr_writer_clear (&file.message);
  g_string_free (file.output, TRUE);
  g_byte_array_unref (origin);
  return path;
}

/* ---- replays ---- */

static const struct
{
  const gchar *name, *more_settings;
  gfloat angle;                 /* added to those of rows, not to those of samples */
  const gchar *option;
  gint status;
  const gchar *says[3];
} cases[] = {
  {"its max-gap in ns, and no kinds", "", 0, NULL, 0, {"14 samples of /fused over 0.260 s are the same, replayed in *"}},
  {"rows of another recording", "", 1, NULL, 1, {"difference at tick 0.000000000 s, *", "  sink_0: channel 1: recorded 4 *, replayed 5 *"}},
  {"max-gap of today", ", sink_0.max-gap=(string)-2", 0, NULL, 1, {"difference at tick 0.100000000 s, *", "*recorded: aligned*", "*replayed: *"}},
  {"angles", ", sink_0.angles=(string)1", 0, NULL, 2, {"error: the session has no version of the rules of alignment, * changed sink_0.angles=1: *--any-rules*"}},
  {"angles, nevertheless", ", sink_0.angles=(string)1", 0, "--any-rules", 0, {"14 samples of /fused over 0.260 s are the same, replayed in *"}},
};

GST_START_TEST (test_before)
{
  gchar *path = write_session (cases[__i__].more_settings, cases[__i__].angle);
  gchar *said = replay_file (path, cases[__i__].option, cases[__i__].status);

  for (guint i = 0; i < G_N_ELEMENTS (cases[0].says) && cases[__i__].says[i]; i++)
    fail_unless (has_line (said, cases[__i__].says[i]), "%s: no line \"%s\": %s", cases[__i__].name, cases[__i__].says[i], said);
  g_free (said);
  g_unlink (path);
  g_free (path);
}
GST_END_TEST;

CHECK_MAIN (replaybefore, NULL, NULL, EACH (cases, test_before))
