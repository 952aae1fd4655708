/* robocache: robocachefuse, and whose thread and which locks its buffers go with
 *
 * An application is called when one of its buffers goes, and may then do anything with the element.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "tests/check/lib/fuse/fusescenario.h"

static GstFlowReturn
push_watched (Feed *feed, gint64 pts, gsize size, gpointer data, GDestroyNotify goes)
{
  static const guint8 zeros[64];
  GstBuffer *buffer = gst_buffer_new_wrapped_full (GST_MEMORY_FLAG_READONLY, (gpointer) zeros, sizeof (zeros), 0, size, data, goes);

  GST_BUFFER_PTS (buffer) = (GstClockTime) pts;
  return gst_pad_push (feed->pad, buffer);
}

static gint n_gone;

static void
look_at_element (gpointer fuse)
{
  fuse_count (fuse, "ticks-out");
  g_atomic_int_inc (&n_gone);
}

/* An application looks at the element when one of its buffers goes, whatever became of it. */
GST_START_TEST (test_buffers_go_without_the_lock)
{
  Play *play = play_new ("rate=100/1", "a=camera_0,live,caps:gray@100/1,interpolation=linear b,live c,live");
  const guint sizes[] = { 8, 4, 4 };
  const gint n = 60;

  n_gone = 0;
  for (gint t = 0; t < n; t++) {
    for (guint i = 0; i < 3; i++)
      push_watched (play->pads[i].feed, MS (t % 10 == 9 ? 10 * (t - 9) : 10 * t), sizes[i], play->rig->fuse,  /* some are late */
          look_at_element);
  }
  fail_unless_equals_int (push_watched (play->pads[2].feed, MS (10 * n), 3, play->rig->fuse, look_at_element), GST_FLOW_OK);
  play_words (play, "warning:proprio_2|tensors");
  drop_samples (play->rig);
  play_free (play);
  fail_unless_equals_int (n_gone, 3 * n + 1);
}

GST_END_TEST;

/* ---- in the thread that drops them, with no lock at all ---- */

#define N_FRAMES 40             /* more than go at once */

static struct
{
  gpointer thread;              /* in which the first one goes */
  Play *play;
  GAsyncQueue *replies;
  gint n_elsewhere;
  gboolean is_held_up;
} watch;

/* Needs the lock of the element, and that of its flushes. */
static gpointer
use_element (gpointer data)
{
  fuse_count (watch.play->rig->fuse, "ticks-out");
  feed_event (watch.play->pads[2].feed, gst_event_new_flush_start ());
  feed_event (watch.play->pads[2].feed, gst_event_new_flush_stop (TRUE));
  g_async_queue_push (watch.replies, GINT_TO_POINTER (1));
  return NULL;
}

/* While the first one goes, another thread uses the element. */
static void
frame_goes (gpointer data)
{
  if (g_atomic_pointer_compare_and_exchange (&watch.thread, NULL, g_thread_self ())) {
    g_thread_unref (g_thread_new ("user", use_element, NULL));
    watch.is_held_up = g_async_queue_timeout_pop (watch.replies, 10 * G_USEC_PER_SEC) == NULL;
  } else if (g_atomic_pointer_get (&watch.thread) != g_thread_self ()) {
    g_atomic_int_inc (&watch.n_elsewhere);
  }
  g_atomic_int_inc (&n_gone);
}

static const struct
{
  const gchar *name, *words, *last_words;       /* the last ones drop them */
} drops[] = {
  {"a flush of the pad", ".", "a:flush"},
  {"a flush of all pads", "abc:flush-start#1 bc:flush-stop#1", "a:flush-stop#1"},
  {"a pad that is deactivated in a flush of all", "abc:flush-start#1 bc:flush-stop#1", "a:deactivate"},
  {"a pad that is removed", ".", "a:remove"},
  {"running time that goes back", "base:5000", "b+0"},
};

GST_START_TEST (test_buffers_go_in_the_thread_that_drops_them)
{
  Play *play = play_new ("rate=100/1 latency=2000000000", "a=camera_0,live,caps:gray@100/1 b,live c,live");

  play_words (play, "@5000");

  watch.thread = NULL;
  watch.play = play;
  watch.replies = g_async_queue_new ();
  watch.n_elsewhere = n_gone = 0;
  watch.is_held_up = FALSE;
  for (gint t = 0; t < N_FRAMES; t++)
    fail_unless_equals_int (push_watched (play->pads[0].feed, MS (5000 + 10 * t), 8, NULL, frame_goes), GST_FLOW_OK);
  play_words (play, drops[__i__].words);
  fail_unless_equals_int (n_gone, 0);
  play_words (play, drops[__i__].last_words);
  while (g_atomic_int_get (&n_gone) < N_FRAMES) /* the task may drop them, too */
    g_thread_yield ();
  fail_unless (!watch.is_held_up, "%s: another thread waits for the one whose buffers go", drops[__i__].name);
  fail_unless (watch.n_elsewhere == 0, "%s: %d buffers go in a thread that has not dropped them", drops[__i__].name,
      watch.n_elsewhere);
  drop_messages (play->rig, GST_MESSAGE_ANY);
  play_free (play);
  g_async_queue_unref (watch.replies);
}

GST_END_TEST;

CHECK_MAIN (robocachefusebuffers, NULL, NULL, ONCE (test_buffers_go_without_the_lock), EACH (drops, test_buffers_go_in_the_thread_that_drops_them))
