/* robocache: live sessions with faults that are recorded, and the program that replays them
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "session.h"

#include <glib/gstdio.h>
#include <string.h>

#define POLL (5 * GST_MSECOND)
/* How long threads may take until they wait for a test clock again, and how often they are counted meanwhile: some may end. */
#define PATIENCE_MS 20
#define N_PATIENCE 5

/* 0: as long as the test says. */
gdouble
session_seconds (void)
{
  const gchar *seconds = g_getenv ("ROBOCACHE_SESSION_SECONDS");

  return seconds ? g_ascii_strtod (seconds, NULL) : 0.0;
}

static gint64
session_seed (void)
{
  const gchar *seed = g_getenv ("ROBOCACHE_SESSION_SEED");

  return seed ? g_ascii_strtoll (seed, NULL, 10) : 1;
}

/* ---- what happens in sessions ---- */

GstElement *
session_element (Play *play, const gchar *name)
{
  GstElement *element = gst_bin_get_by_name (GST_BIN (play->pipeline), name);

  fail_unless (element != NULL, "%s", name);
  gst_object_unref (element);
  return element;
}

/* Whether it is time for act number n, which begins at a part of the session. */
gboolean
session_is_due (Play *play, guint n, gdouble at, gdouble progress)
{
  if (play->n_acts != n || progress < at)
    return FALSE;
  play->n_acts++;
  return TRUE;
}

GstClockTime
session_running_time (Play *play)
{
  GstClock *clock = gst_element_get_clock (play->pipeline);
  const GstClockTime now = clock ? gst_clock_get_time (clock) - gst_element_get_base_time (play->pipeline) : 0;

  gst_clear_object (&clock);
  return now;
}

GstPad *
session_pad (Play *play, const gchar *name)
{
  GstPad *pad = gst_element_get_static_pad (play->fuse, name);

  fail_unless (pad != NULL);
  gst_object_unref (pad);
  return pad;
}

static GstPadProbeReturn
note_end (GstPad *pad, GstPadProbeInfo *info, gpointer play)
{
  if (GST_EVENT_TYPE (GST_PAD_PROBE_INFO_EVENT (info)) == GST_EVENT_EOS)
    g_atomic_int_add (&((Play *) play)->n_sources, -1);
  return GST_PAD_PROBE_OK;
}

gboolean
session_watch_source (GstElement *fuse, GstPad *pad, gpointer play)
{
  if (!gst_pad_is_linked (pad))
    return TRUE;
  g_atomic_int_inc (&((Play *) play)->n_sources);
  gst_pad_add_probe (pad, GST_PAD_PROBE_TYPE_EVENT_DOWNSTREAM, note_end, play, NULL);
  return TRUE;
}

/* The pad of its source is blocked: a flush takes the segment with it. */
static GstPadProbeReturn
flush (GstPad *pad, GstPadProbeInfo *info, gpointer user_data)
{
  GstPad *tee = gst_pad_get_peer (pad);
  GstEvent *segment = gst_pad_get_sticky_event (pad, GST_EVENT_SEGMENT, 0);

  gst_pad_send_event (tee, gst_event_new_flush_start ());
  gst_pad_send_event (tee, gst_event_new_flush_stop (FALSE));
  gst_pad_send_event (tee, segment);
  gst_object_unref (tee);
  return GST_PAD_PROBE_REMOVE;
}

void
session_flush_one (Play *play, gdouble progress)
{
  GstPad *sink, *source;

  if (!session_is_due (play, 0, 0.5, progress))
    return;
  sink = gst_element_get_static_pad (session_element (play, "b"), "sink");
  source = gst_pad_get_peer (sink);
  gst_pad_add_probe (source, GST_PAD_PROBE_TYPE_BUFFER, flush, NULL, NULL);
  gst_object_unref (source);
  gst_object_unref (sink);
}

/* ---- recording ---- */

/* Takes text. */
static gchar *
replace (gchar *text, const gchar *word, const gchar *by)
{
  gchar **parts = g_strsplit (text, word, -1);
  gchar *replaced = g_strjoinv (by, parts);

  g_strfreev (parts);
  g_free (text);
  return replaced;
}

static gchar *
describe (const Play *play, const gchar *recorder)
{
  gchar *seed = g_strdup_printf ("%" G_GINT64_FORMAT, session_seed ());
  gchar *sources = replace (replace (g_strdup (play->scene->sources), "SEED", seed), "FOLDER", play->folder);
  gchar *text = g_strdup_printf ("robocachemcapsink name=rec location=%s %s sink_9::topic=/fused robocachefuse name=fuse %s fuse.src ! "
      "tee name=out out. ! rec.sink_9 out. ! fakesink name=end async=false sync=false signal-handoffs=true %s", play->path, recorder,
      play->scene->fuse, sources);

  g_free (sources);
  g_free (seed);
  return text;
}

static void
check_message (GstMessage *message)
{
  GError *error;

  if (GST_MESSAGE_TYPE (message) != GST_MESSAGE_ERROR)
    return;
  gst_message_parse_error (message, &error, NULL);
  fail ("%s: %s", GST_MESSAGE_SRC_NAME (message), error->message);
}

/* All sources, the recorder's timer, and a fuse that knows its next tick. */
static guint
count_waiters (Play *play)
{
  return (guint) g_atomic_int_get (&play->n_sources) + 1 + (strstr (play->scene->fuse, "rate=") != NULL);
}

/* Sets a test clock to what is waited for next, once all wait. */
static void
step_clock (Play *play)
{
  GstTestClock *clock = play->clock;
  GstClockID next;

  for (guint i = 0; i < N_PATIENCE; i++)
    if (gst_test_clock_timed_wait_for_multiple_pending_ids (clock, count_waiters (play), PATIENCE_MS, NULL))
      break;
  if (!gst_test_clock_peek_next_pending_id (clock, &next))
    return;
  gst_test_clock_set_time (clock, MAX (gst_clock_get_time (GST_CLOCK (clock)), gst_clock_id_get_time (next)));
  gst_clock_id_unref (next);
  next = gst_test_clock_process_next_clock_id (clock);
  if (next)
    gst_clock_id_unref (next);
}

/* A source that is asked for EOS has a lock that it holds while it waits for the clock, which must go on. */
static gpointer
end_streams (gpointer pipeline)
{
  gst_element_send_event (pipeline, gst_event_new_eos ());
  return NULL;
}

/* Plays until a running time is reached, then until all streams have ended. */
static void
run_session (Play *play)
{
  const gdouble length = play->seconds * 1e9;
  GstBus *bus = gst_element_get_bus (play->pipeline);
  GThread *ender = NULL;
  gboolean has_ended = FALSE;

  if (play->scene->prepare)
    play->scene->prepare (play);
  fail_unless (gst_element_set_state (play->pipeline, GST_STATE_PLAYING) != GST_STATE_CHANGE_FAILURE);
  while (!has_ended) {
    const gboolean steps = play->clock && g_atomic_int_get (&play->n_sources) > 0;      /* the last ticks need no clock */
    GstMessage *message = gst_bus_timed_pop_filtered (bus, steps ? 0 : POLL, GST_MESSAGE_ERROR | GST_MESSAGE_EOS
        | GST_MESSAGE_LATENCY);
    const gdouble progress = (gdouble) session_running_time (play) / length;

    if (message) {
      check_message (message);
      has_ended = GST_MESSAGE_TYPE (message) == GST_MESSAGE_EOS;
      if (GST_MESSAGE_TYPE (message) == GST_MESSAGE_LATENCY)
        gst_bin_recalculate_latency (GST_BIN (play->pipeline));
      gst_message_unref (message);
    }
    if (play->scene->act && !ender)
      play->scene->act (play, progress);
    if (steps && !message)
      step_clock (play);
    if (progress >= 1.0 && !ender)
      ender = g_thread_new ("ender", end_streams, play->pipeline);
  }
  if (ender)
    g_thread_join (ender);
  gst_object_unref (bus);
}

static void
count_sample (GstElement *sink, GstBuffer *buffer, GstPad *pad, gpointer data)
{
  g_atomic_int_inc (&((Play *) data)->n_samples);
}

gboolean
session_has_own_time (const Scene *scene)
{
  return strstr (scene->sources, "appsrc") || strstr (scene->sources, "filesrc");
}

/* recorder: properties. */
void
session_record_as (Play *play, const Scene *scene, gdouble seconds, gboolean on_test_clock, const gchar *location, const gchar *recorder)
{
  GError *error = NULL;
  gchar *text;

  *play = (Play) {.scene = scene,.folder = g_dir_make_tmp ("robocache-replay-XXXXXX", NULL),.seconds = seconds };
  fail_unless (play->folder != NULL);
  play->path = g_build_filename (play->folder, location, NULL);
  text = describe (play, recorder);
  play->pipeline = gst_parse_launch (text, &error);
  fail_unless (play->pipeline && !error, "%s: %s", text, error ? error->message : "");
  play->fuse = session_element (play, "fuse");
  if (session_seconds () > 0)
    play->seconds = session_seconds ();
  else if (on_test_clock && !session_has_own_time (scene))
    play->clock = GST_TEST_CLOCK (gst_test_clock_new ());
  if (play->clock)
    gst_pipeline_use_clock (GST_PIPELINE (play->pipeline), GST_CLOCK (play->clock));
  gst_element_foreach_sink_pad (play->fuse, session_watch_source, play);
  g_signal_connect (session_element (play, "end"), "handoff", G_CALLBACK (count_sample), play);
  run_session (play);
  gst_element_set_state (play->pipeline, GST_STATE_NULL);
  gst_object_unref (play->pipeline);
  gst_clear_object (&play->clock);
  g_free (text);
}

void
session_record (Play *play, const Scene *scene, gdouble seconds, gboolean on_test_clock)
{
  session_record_as (play, scene, seconds, on_test_clock, "session.mcap", "");
}

static void
remove_folder (const gchar *folder)
{
  GDir *dir = g_dir_open (folder, 0, NULL);
  const gchar *name;

  while ((name = g_dir_read_name (dir))) {
    gchar *path = g_build_filename (folder, name, NULL);

    if (g_file_test (path, G_FILE_TEST_IS_DIR))
      remove_folder (path);
    else
      g_remove (path);
    g_free (path);
  }
  g_dir_close (dir);
  g_rmdir (folder);
}

void
session_remove (Play *play)
{
  if (!g_getenv ("ROBOCACHE_SESSION_KEEP"))
    remove_folder (play->folder);
  g_free (play->path);
  g_free (play->folder);
}

/* ---- replaying ---- */

/* The program's output; free with g_free. */
gchar *
replay_run (gchar **argv, gint expected_status)
{
  gchar *out, *faults, *said;
  GError *error = NULL;
  gint status;

  fail_unless (argv[0] != NULL, "ROBOCACHE_REPLAY is not set");
  fail_unless (g_spawn_sync (NULL, argv, NULL, G_SPAWN_DEFAULT, NULL, NULL, &out, &faults, &status, &error), "%s",
      error ? error->message : "");
  said = g_strconcat (out, faults, NULL);
  fail_unless (WIFEXITED (status) && WEXITSTATUS (status) == expected_status, "status %d, not %d: %s (%s)", status, expected_status, said,
      argv[1]);
  g_free (out);
  g_free (faults);
  return said;
}

/* option: or NULL. */
gchar *
replay_file (const gchar *path, const gchar *option, gint expected_status)
{
  const gchar *argv[] = { g_getenv ("ROBOCACHE_REPLAY"), path, option, NULL };

  return replay_run ((gchar **) argv, expected_status);
}

gboolean
has_line (const gchar *text, const gchar *glob)
{
  gchar **lines = g_strsplit (text, "\n", -1);
  gboolean has = FALSE;

  for (gchar **line = lines; *line; line++)
    has |= g_pattern_match_simple (glob, *line);
  g_strfreev (lines);
  return has;
}
