/* robocache: what robocachebagsrc owes to a pipeline as a source: EOS on demand, latency, an end at any moment of its opening
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include <glib/gstdio.h>
#include <string.h>

#include "common/mcap/compression.h"
#include "tests/check/lib/recordings/demuxrun.h"
#include "tests/check/lib/recordings/recording.h"
#include "tests/check/lib/checks.h"

#define N_MESSAGES 1000

/* ---- a file ---- */

static gchar *
write_file (const guint8 *bytes, gsize size, const gchar *template)
{
  gchar *path = NULL;

  fail_unless (g_close (g_file_open_tmp (template, &path, NULL), NULL));
  fail_unless (g_file_set_contents (path, (const gchar *) bytes, (gssize) size, NULL));
  return path;
}

static gchar *
write_recording (void)
{
  const RecordingOptions options = { ROBOCACHE_MCAP_ZSTD, RECORDED_IN_CHUNKS, 20 };
  RecordedMessage *messages = g_new0 (RecordedMessage, N_MESSAGES);
  GByteArray *file;
  gchar *path;

  for (gint i = 0; i < N_MESSAGES; i++)
    messages[i] = (RecordedMessage) {"/a", "geometry_msgs/WrenchStamped", "(((0 0) '') ((1 2 3) (4 5 6)))", i * 10};
  file = make_recording (&options, messages, N_MESSAGES);
  path = write_file (file->data, file->len, "bagsrc-XXXXXX.mcap");
  g_byte_array_unref (file);
  g_free (messages);
  return path;
}

/* ---- a pipeline ---- */

typedef struct
{
  GstElement *pipeline, *source;
  DemuxOutput output;
  gchar *path;
} Player;

/* Takes the path. */
static void
player_open (Player *player, gchar *path)
{
  player->path = path;
  player->pipeline = launch_recording (path, "", "");
  player->source = gst_bin_get_by_name (GST_BIN (player->pipeline), "d");
  demux_output_init (&player->output, player->source, FALSE);
}

static void
player_close (Player *player)
{
  gst_element_set_state (player->pipeline, GST_STATE_NULL);
  demux_output_clear (&player->output);
  gst_object_unref (player->source);
  gst_object_unref (player->pipeline);
  g_unlink (player->path);
  g_free (player->path);
}

/* Until the first buffer waits in its sink. */
static void
player_pause (Player *player)
{
  gst_element_set_state (player->pipeline, GST_STATE_PAUSED);
  g_mutex_lock (&player->output.lock);
  while (player->output.n_buffers == 0)
    g_cond_wait (&player->output.changed, &player->output.lock);
  g_mutex_unlock (&player->output.lock);
}

/* ---- tests ---- */

/* An application ends a pipeline by an EOS event. */
GST_START_TEST (test_eos)
{
  GString *text = g_string_new (NULL);
  Player player;

  player_open (&player, write_recording ());
  player_pause (&player);
  fail_unless (gst_element_send_event (player.pipeline, gst_event_new_eos ()));
  gst_element_set_state (player.pipeline, GST_STATE_PLAYING);
  wait_for_end (player.pipeline, text);
  fail_unless_equals_string (text->str, "info messages of /a have no stamp: their times are log times; ");
  fail_unless (player.output.n_buffers < 5, "%u buffers", player.output.n_buffers);
  fail_unless (g_str_has_suffix (((GString *) g_ptr_array_index (player.output.texts, 0))->str, " eos"));
  g_string_free (text, TRUE);
  player_close (&player);
}

GST_END_TEST;

GST_START_TEST (test_latency)
{
  GstQuery *query = gst_query_new_latency ();
  GstClockTime min, max;
  Player player;
  gboolean live;
  GstPad *pad;

  player_open (&player, write_recording ());
  player_pause (&player);
  pad = gst_element_get_static_pad (player.source, "src_0");
  fail_unless (gst_pad_query (pad, query));
  gst_query_parse_latency (query, &live, &min, &max);
  fail_unless (!live && min == 0 && max == GST_CLOCK_TIME_NONE);
  gst_query_unref (query);
  gst_object_unref (pad);
  player_close (&player);
}

GST_END_TEST;

/* A file that takes long to decompress keeps nobody from stopping, and its stop is no error. */
GST_START_TEST (test_stop_while_opening)
{
  const gsize size = 48 << 20;
  guint8 *zeros = g_malloc0 (size);
  RobocacheMcapCodec *codec = robocache_mcap_codec_new ();
  GByteArray *packed = g_byte_array_new ();

  fail_unless (robocache_mcap_compress (codec, ROBOCACHE_MCAP_ZSTD, (RobocacheMcapBytes) {zeros, size}, packed, NULL));
  for (guint i = 0; i < 10; i++) {
    GstMessage *message;
    Player player;
    GstBus *bus;

    player_open (&player, write_file (packed->data, packed->len, "bagsrc-XXXXXX.zstd"));
    bus = gst_element_get_bus (player.pipeline);
    gst_element_set_state (player.pipeline, GST_STATE_PLAYING);
    for (guint k = 0; k < i; k++)
      g_thread_yield ();
    gst_element_set_state (player.pipeline, GST_STATE_READY);
    /* it may have come to its end: zeros are no recording */
    message = gst_bus_pop_filtered (bus, GST_MESSAGE_ERROR);
    if (message) {
      GString *text = g_string_new (NULL);

      append_message (text, message);
      fail_unless (strstr (text->str, "neither MCAP nor SQLite") != NULL, "%s", text->str);
      g_string_free (text, TRUE);
      gst_message_unref (message);
    }
    gst_object_unref (bus);
    player_close (&player);
  }
  robocache_mcap_codec_free (codec);
  g_byte_array_unref (packed);
  g_free (zeros);
}

GST_END_TEST;

CHECK_MAIN (bagsrc, NULL, NULL, ONCE (test_eos), ONCE (test_latency), ONCE (test_stop_while_opening))
