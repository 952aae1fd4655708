/* robocache: robocachefuse, when the pipeline is disturbed: its time, its state, its settings
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "tests/check/lib/fuse/fusescenario.h"

#define FAILS "for:0..50/10 { @t ab+t >t } a:segment:format=bytes error:format:proprio_0 @60 ab+60!error "

static const Scenario scenarios[] = {
  /* errors and ends: flushes, and no READY */
  {"an error of a pad, and a flush of all", "rate=100/1", "a,live b,live", FAILS "ab:flush ab:start for:70..200/10 { @t ab+t >t }"},
  {"an error where ticks are rows, and a flush of all", "reference-pad=proprio_0", "a,live b,live", FAILS "ab:flush ab:start "
      "for:70..200/10 { @t ab+t >t }"},
  {"and a flush of each", "rate=100/1", "a,live b,live", FAILS "a:flush a:start b:flush b:start for:70..200/10 { @t ab+t >t }"},
  {"and the pad goes", "rate=100/1", "a,live b,live", FAILS "a:remove @70 b+70!error b:flush b:start for:80..200/10 { @t b+t >t }"},
};

/* ---- times from everywhere ---- */

#define MAX_WAIT MS (500)       /* a clock of GStreamer spins, with its lock, in a wait until near 2^63 */

/* Of the samples that come out; written by the element's thread. */
static struct
{
  GstClockTime last;
  gint n_disorder;              /* not after the one before them in a segment */
} seen;

static GstPadProbeReturn
look_at_sample (GstPad *pad, GstPadProbeInfo *info, gpointer data)
{
  const GstClockTime pts = GST_IS_BUFFER (info->data) ? GST_BUFFER_PTS (info->data) : GST_CLOCK_TIME_NONE;

  if (GST_IS_EVENT (info->data)) {
    if (GST_EVENT_TYPE (info->data) == GST_EVENT_SEGMENT)
      seen.last = GST_CLOCK_TIME_NONE;
    return GST_PAD_PROBE_OK;
  }
  if (!GST_CLOCK_TIME_IS_VALID (pts) || (GST_CLOCK_TIME_IS_VALID (seen.last) && pts <= seen.last))
    g_atomic_int_inc (&seen.n_disorder);
  seen.last = pts;
  return GST_PAD_PROBE_OK;
}

static void
look_at_samples (Play *play)
{
  seen.last = GST_CLOCK_TIME_NONE;
  seen.n_disorder = 0;
  gst_pad_add_probe (play->rig->out->sinkpad, GST_PAD_PROBE_TYPE_BUFFER | GST_PAD_PROBE_TYPE_EVENT_DOWNSTREAM, look_at_sample, NULL, NULL);
}

/* Whatever the deadline of the next tick is. */
static void
assert_waits_are_short (GstTestClock *clock, gint64 now)
{
  GList *waits = NULL;

  gst_test_clock_wait_for_multiple_pending_ids (clock, 0, &waits);
  for (GList *wait = waits; wait; wait = wait->next) {
    const GstClockTime time = GST_CLOCK_ENTRY_TIME ((GstClockEntry *) wait->data);

    fail_unless (time <= (GstClockTime) (now + MAX_WAIT), "it waits for %" G_GUINT64_FORMAT, time);
  }
  g_list_free_full (waits, gst_clock_id_unref);
}

/* A row of each pad, and the clock at its time. */
static void
step (Play *play, gint64 t)
{
  GstTestClock *clock = play->rig->clock;
  const gfloat value = 1;
  GstClockID id;

  set_clock (play->rig, t);
  for (guint i = 0; i < play->n_pads; i++)
    feed_row (play->pads[i].feed, t, &value, 1);
  assert_waits_are_short (clock, t);
  while (gst_test_clock_peek_next_pending_id (clock, NULL) && gst_test_clock_get_next_entry_time (clock) <= (GstClockTime) t
      && (id = gst_test_clock_process_next_clock_id (clock)))
    gst_clock_id_unref (id);
  drop_samples (play->rig);
}

/* Rows, GAPs, offsets, clocks and base times of any int64: rows are accounted for, there are no more samples than time for
 * them, in order, and the state reaches NULL. */
GST_START_TEST (test_any_times)
{
  GRand *rand = g_rand_new_with_seed ((guint32) __i__ + 1);
  Play *play = play_new (__i__ % 2 ? "reference-pad=proprio_0 window=3" : "rate=100/1", "a,live b,live");
  const gfloat value = 1;
  gint64 clock = 0;

  look_at_samples (play);
  for (guint i = 0; i < 2000; i++) {
    Feed *feed = play->pads[g_rand_int_range (rand, 0, 2)].feed;
    gint64 t = random_time (rand, clock);

    switch (g_rand_int_range (rand, 0, 40)) {
      case 0:
        g_object_set (feed->sink, "offset", t, NULL);
        break;
      case 1:
        clock = MAX (clock, t / 4);
        step (play, clock);
        break;
      case 2:
        gst_element_set_base_time (play->rig->fuse, (GstClockTime) CLAMP (t, 0, clock));
        break;
      case 3:
        feed_event (feed, gst_event_new_gap ((GstClockTime) t & G_MAXINT64, (GstClockTime) random_time (rand, clock)));
        break;
      default:
        feed_row (feed, t & G_MAXINT64, &value, 1);
        clock += g_rand_int_range (rand, 0, MS (20));
        step (play, clock);
        break;
    }
  }
  drop_messages (play->rig, GST_MESSAGE_ANY);
  fail_unless (fuse_count (play->rig->fuse, "ticks-out") < 20000, "it spins");
  for (guint i = 0; i < play->n_pads; i++)
    assert_rows_balance (play->pads[i].feed);
  g_rand_free (rand);
  play_free (play);
  fail_unless_equals_int (seen.n_disorder, 0);
}

GST_END_TEST;

CHECK_MAIN (robocachefusedisturbed, NULL, NULL, TIMES (8, test_any_times), add_scenarios (suite, scenarios, G_N_ELEMENTS (scenarios), FALSE))
