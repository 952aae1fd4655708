/* robocache: recordings of sessions that were tampered with, and those that cannot be replayed
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include <string.h>

#include "common/mcap/read/fileindex.h"
#include "common/mcap/read/stream.h"
#include "common/mcap/writer.h"
#include "session.h"

#define SECONDS 0.7

/* ---- recordings that were tampered with ---- */

/* The fault of message `sequence` of a topic, or of the one with a text. */
typedef struct
{
  const gchar *topic;
  guint32 sequence;
  gboolean is_removed;
  gboolean is_renumbered;       /* those after it have no gap */
  gsize from_end;               /* byte that is changed, counted from the end */
  const gchar *text, *by;       /* of one length: replaced; or NULL */
} Tampering;

typedef struct
{
  const Tampering *tampering;
  RobocacheMcapDefinitions *definitions;
  RobocacheMcapChunk *chunk;
  RobocacheMcapWriter *writer;
  GString *output;
  guint n_tampered;
} Copy;

static gboolean
write_pieces (gpointer data, const RobocacheMcapBytes *pieces, guint n_pieces, GError **error)
{
  for (guint i = 0; i < n_pieces; i++)
    g_string_append_len (((Copy *) data)->output, (const gchar *) pieces[i].data, (gssize) pieces[i].size);
  return TRUE;
}

/* Whether data has the text. */
static gboolean
replace_text (guint8 *data, gsize size, const Tampering *tampering)
{
  guint8 *found = memmem (data, size, tampering->text, strlen (tampering->text));

  if (found)
    memcpy (found, tampering->by, strlen (tampering->by));
  return found != NULL;
}

static void
copy_message (Copy *copy, const RobocacheMcapMessage *message)
{
  const Tampering *tampering = copy->tampering;
  const gchar *topic = robocache_mcap_definitions_channel (copy->definitions, message->channel_id)->topic;
  guint8 *data = memcpy (g_malloc (message->data.size), message->data.data, message->data.size);
  RobocacheMcapMessage copied = *message;
  const RobocacheMcapBytes piece = { data, message->data.size };
  const gboolean is_of_topic = g_str_equal (topic, tampering->topic);
  const gboolean is_it = is_of_topic && !tampering->text && message->sequence == tampering->sequence;

  if (is_of_topic && tampering->text)
    copy->n_tampered += replace_text (data, message->data.size, tampering);
  copy->n_tampered += is_it;
  if (is_it && !tampering->is_removed)
    data[message->data.size - tampering->from_end] ^= 0x40;
  if (is_of_topic && tampering->is_renumbered && message->sequence > tampering->sequence)
    copied.sequence--;
  if (!is_it || !tampering->is_removed)
    robocache_mcap_chunk_add_message (copy->chunk, &copied, &piece, 1);
  g_free (data);
}

static void
copy_record (Copy *copy, const RobocacheMcapStreamRecord *record)
{
  switch (record->opcode) {
    case ROBOCACHE_MCAP_SCHEMA:
      fail_unless (robocache_mcap_definitions_add (copy->definitions, record->opcode, record->content, NULL));
      robocache_mcap_chunk_add_schema (copy->chunk, &record->record.schema);
      break;
    case ROBOCACHE_MCAP_CHANNEL:
      fail_unless (robocache_mcap_definitions_add (copy->definitions, record->opcode, record->content, NULL));
      robocache_mcap_chunk_add_channel (copy->chunk, &record->record.channel);
      break;
    case ROBOCACHE_MCAP_MESSAGE:
      copy_message (copy, &record->record.message);
      break;
    case ROBOCACHE_MCAP_METADATA:
      fail_unless (robocache_mcap_writer_add_metadata (copy->writer, &record->record.metadata, NULL));
      break;
    default:
      break;
  }
}

/* Writes the recording anew, as one chunk. */
static void
tamper (const gchar *path, const Tampering *tampering)
{
  Copy copy = { tampering, robocache_mcap_definitions_new (), robocache_mcap_chunk_new (1 << 20), NULL, g_string_new (NULL), 0 };
  RobocacheMcapStream *stream = robocache_mcap_stream_new ();
  RobocacheMcapStreamRecord record;
  gchar *bytes;
  gsize size;

  fail_unless (g_file_get_contents (path, &bytes, &size, NULL));
  copy.writer = robocache_mcap_writer_new (ROBOCACHE_MCAP_UNCOMPRESSED, write_pieces, &copy);
  fail_unless (robocache_mcap_writer_begin (copy.writer, "ros2", "tests", NULL));
  robocache_mcap_stream_push (stream, (const guint8 *) bytes, size);
  while (robocache_mcap_stream_next (stream, &record, NULL) == ROBOCACHE_MCAP_STREAM_RECORD)
    copy_record (&copy, &record);
  fail_unless (robocache_mcap_writer_add_chunk (copy.writer, copy.chunk, NULL));
  fail_unless (robocache_mcap_writer_finish (copy.writer, NULL));
  fail_unless (copy.n_tampered == 1, "%u messages were tampered with", copy.n_tampered);
  fail_unless (g_file_set_contents (path, copy.output->str, (gssize) copy.output->len, NULL));
  robocache_mcap_stream_free (stream);
  robocache_mcap_writer_free (copy.writer);
  robocache_mcap_chunk_free (copy.chunk);
  robocache_mcap_definitions_free (copy.definitions);
  g_string_free (copy.output, TRUE);
  g_free (bytes);
}

static const Scene plain = { "plain", "rate=50/1", JOINTS TEE ("a", "proprio_0", "sink_0") WRENCH TEE ("b", "force_0", "sink_1") };

static const struct
{
  Tampering tampering;
  gint status;
  const gchar *says[4];         /* globs of lines */
} tampered[] = {
  {{"/sink_0", 40, FALSE, FALSE, 9}, 1, {"difference at tick 0.*, sample *, decided at *", "  proprio_0: channel 13: recorded *, replayed *",
          "    replayed: *, row * at *(row 40 of /sink_0)*"}},
  {{"/sink_1", 100, TRUE, FALSE, 0}, 2, {"error: before tick 0.*: force_0: the recording of /sink_1 has row 101 after row 99: "
              "1 missing"}},
  {{"/sink_1", 100, TRUE, TRUE, 0}, 1, {"  force_0: it was made of other rows", "    recorded: *", "    replayed: *"}},
  {{"/fused/force_0", 20, FALSE, FALSE, 5}, 1, {"difference at tick *, sample *, decided at *", "* samples before are the same",
          "  force_0: channel 5: recorded *, replayed *", "    replayed: *, row before at *(row *of /sink_1), row after at *"}},
  {{"/fused/tick", 20, TRUE, FALSE, 0}, 2, {"error: *entries of the journal are missing before sample *"}},
};

GST_START_TEST (test_tampered)
{
  gchar *said;
  Play play;

  session_record (&play, &plain, SECONDS, TRUE);
  tamper (play.path, &tampered[__i__].tampering);
  said = replay_file (play.path, NULL, tampered[__i__].status);
  for (guint i = 0; i < G_N_ELEMENTS (tampered[__i__].says) && tampered[__i__].says[i]; i++)
    fail_unless (has_line (said, tampered[__i__].says[i]), "no line \"%s\": %s", tampered[__i__].says[i], said);
  g_free (said);
  session_remove (&play);
}
GST_END_TEST;

/* ---- recordings by other rules ---- */

#define OLDER {"/robocache/events", 0, FALSE, FALSE, 0, "rules=(int)1", "older=(int)1"}
#define NEWER {"/robocache/events", 0, FALSE, FALSE, 0, "rules=(int)1", "rules=(int)9"}
#define SAME "* samples of /fused over * are the same, replayed in *"
#define SENSORS JOINTS TEE ("a", "proprio_0", "sink_0") WRENCH "gap=150000000 gap-interval=400000000" TEE ("b", "force_0", "sink_1")

static const struct
{
  Scene scene;
  Tampering tampering;
  const gchar *option;
  gint status;
  const gchar *says;
} versions[] = {
  {{"before, with its max-gap", "rate=50/1 pads=\"proprio_0,max-gap=200ms; force_0,max-gap=200ms\"", SENSORS}, OLDER, NULL, 0, SAME},
  {{"newer", "rate=50/1", SENSORS}, NEWER, NULL, 2, "error: the session was recorded with version 9 of the rules of alignment, but * versions up to 1: *--any-rules*"},
  {{"newer, nevertheless", "rate=50/1", SENSORS}, NEWER, "--any-rules", 0, SAME},
  {{"before, with angles", "rate=50/1 pads=\"proprio_0,angles=0-1\"", SENSORS}, OLDER, NULL, 2,
        "error: the session has no version of the rules of alignment, * changed proprio_0.angles=0-1: * --any-rules*"},
  {{"before, with angles, nevertheless", "rate=50/1 pads=\"proprio_0,angles=0-1\"", SENSORS}, OLDER, "--any-rules", 0, SAME},
  {{"before, with means of quaternions", "rate=50/1 pads=\"force_0,quaternions=0,interpolation=mean\"", SENSORS}, OLDER, NULL, 2,
        "error: *changed force_0.quaternions=0 with interpolation=mean: *"},
  {{"before, with quaternions", "rate=50/1 pads=\"force_0,quaternions=0\"", SENSORS}, OLDER, NULL, 0, SAME},
};

GST_START_TEST (test_versions)
{
  gchar *said;
  Play play;

  session_record (&play, &versions[__i__].scene, SECONDS, TRUE);
  tamper (play.path, &versions[__i__].tampering);
  said = replay_file (play.path, versions[__i__].option, versions[__i__].status);
  fail_unless (has_line (said, versions[__i__].says), "%s: no line \"%s\": %s", versions[__i__].scene.name, versions[__i__].says, said);
  g_free (said);
  session_remove (&play);
}
GST_END_TEST;

/* ---- recordings that cannot be replayed, or not to their end ---- */

static const struct
{
  Scene scene;
  const gchar *option;
  gint status;
  const gchar *says[2];
} others[] = {
  {{"a flush of all streams", "rate=50/1", WRENCH TEE ("b", "force_0", "sink_1"), session_flush_one}, NULL, 2,
        {"* samples of /fused over * are the same, replayed in *", "error: what follows is not replayed: *flushed*"}},
  {{"not live", "rate=50/1", "robocachetestsrc kind=force num-buffers=50" TEE ("b", "force_0", "sink_1")}, NULL, 2,
        {"error: the recording has no settings of the robocachefuse that made /fused*"}},
  {{"other samples", "rate=50/1", WRENCH TEE ("b", "force_0", "sink_1")}, "--samples=/none", 2,
        {"error: the recording has no samples of /none*"}},
  {{"a topic that is chosen", "rate=50/1", WRENCH TEE ("b", "force_0", "sink_1")}, "--topic=force_0=/sink_1", 0,
        {"* samples of /fused over * are the same, replayed in *"}},
  {{"a topic that is not there", "rate=50/1", WRENCH TEE ("b", "force_0", "sink_1")}, "--topic=force_0=/none", 2,
        {"error: before tick *: force_0: the recorded fuse received an event, but /none ends before it"}},
  {{"a topic of no pad", "rate=50/1", WRENCH TEE ("b", "force_0", "sink_1")}, "--topic=/sink_1", 2,
        {"error: --topic=/sink_1: expected PAD=TOPIC, like proprio_0=/joints"}},
};

GST_START_TEST (test_others)
{
  gchar *said;
  Play play;

  session_record (&play, &others[__i__].scene, SECONDS, TRUE);
  said = replay_file (play.path, others[__i__].option, others[__i__].status);
  for (guint i = 0; i < G_N_ELEMENTS (others[__i__].says) && others[__i__].says[i]; i++)
    fail_unless (has_line (said, others[__i__].says[i]), "no line \"%s\": %s", others[__i__].says[i], said);
  g_free (said);
  session_remove (&play);
}
GST_END_TEST;

/* A recording that is cut has the same samples as far as it is whole. */
GST_START_TEST (test_cut)
{
  gchar *bytes, *said;
  gsize size;
  Play play;

  session_record (&play, &plain, 2 * SECONDS, TRUE);
  fail_unless (g_file_get_contents (play.path, &bytes, &size, NULL));
  fail_unless (g_file_set_contents (play.path, bytes, (gssize) (size * 3 / 4), NULL));
  said = replay_file (play.path, NULL, 0);
  fail_unless (has_line (said, "* samples of /fused over * are the same, replayed in *"), "%s", said);
  g_free (said);
  g_free (bytes);
  session_remove (&play);
}
GST_END_TEST;

GST_START_TEST (test_no_file)
{
  gchar *said = replay_file ("/nonexistent/session.mcap", NULL, 2);

  fail_unless (has_line (said, "error: /nonexistent/session.mcap: No such file or directory"), "%s", said);
  g_free (said);
}
GST_END_TEST;

CHECK_MAIN (replayfaults, NULL, NULL, EACH (tampered, test_tampered), EACH (versions, test_versions), EACH (others, test_others), ONCE (test_cut),
  ONCE (test_no_file))
