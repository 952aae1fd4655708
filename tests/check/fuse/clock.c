/* robocache: robocachefuse and clocks of sensors that it tracks
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "tests/check/lib/clocksim.h"
#include "tests/check/lib/fuse/fusescenario.h"

#define SECONDS(s) ((gint64) (s) * (gint64) GST_SECOND)

static const Sim usual = { 100.0, 20.0, SIM_UNIFORM, 200.0, SECONDS (5000), MS (3), 1, SIM_OVERTAKING };

/* A live pad that follows its sensor's clock, beside nothing else. */
static Play *
play_tracked (void)
{
  return play_new ("rate=100/1", "a=force_0,live,caps:1,clock-mode=track,reorder-window=50ms,max-gap=-1");
}

/* Rows whose value is the true time of capture in ms. */
static void
feed_sensor (Play *play, SimState *state, guint n)
{
  Rig *rig = play->rig;

  for (guint i = 0; i < n; i++) {
    const SimRow row = sim_next (state);

    set_clock (rig, MAX (row.arrival, (gint64) gst_clock_get_time (GST_CLOCK (rig->clock))));
    feed_one (play->pads[0].feed, row.sensor, (gfloat) ((gdouble) row.captured / 1e6));
    /* a task that gets no CPU time would have late ticks, for which rows are dropped */
    if (i % 10 == 9)
      gst_test_clock_wait_for_next_pending_id (rig->clock, NULL);
  }
}

static guint
count_clock_messages (Rig *rig, const gchar *event)
{
  GstMessage *message;
  guint n = 0;

  while ((message = gst_bus_pop_filtered (rig->bus, GST_MESSAGE_ELEMENT))) {
    const GstStructure *s = gst_message_get_structure (message);

    if (gst_structure_has_name (s, "robocache-clock")) {
      fail_unless_equals_string (gst_structure_get_string (s, "pad"), "force_0");
      n += g_strcmp0 (gst_structure_get_string (s, "event"), event) == 0;
    }
    gst_message_unref (message);
  }
  return n;
}

/* Ends the stream. The tick of the last sample less the time of capture that its value says, in ms, the constant delay
 * aside. */
static gdouble
error_at_end (Play *play)
{
  gdouble error = NAN;
  GstBuffer *sample;

  play_words (play, "a:eos");
  while ((sample = pull_until_eos (play->rig))) {
    if (status_of (sample, 0) == ALIGNED)
      error = (gdouble) GST_BUFFER_PTS (sample) / 1e6 - value_of (sample, 0, 0) - (gdouble) usual.least_delay / 1e6;
    gst_buffer_unref (sample);
  }
  return error;
}

/* A microcontroller's counter, 5000 s ahead and 200 ppm fast, is aligned to within a fifth of a millisecond. */
GST_START_TEST (test_track)
{
  Play *play = play_tracked ();
  SimState state = sim_begin (&usual);
  GstStructure *stats;
  gboolean converged;
  gdouble skew, error;

  feed_sensor (play, &state, 3000);
  error = error_at_end (play);
  fail_unless (fabs (error) <= 0.2, "off by %g ms", error);
  fail_unless_equals_int (count_clock_messages (play->rig, "converged"), 1);
  stats = stats_of (play->pads[0].feed->sink);
  fail_unless (gst_structure_get (stats, "clock-skew-ppm", G_TYPE_DOUBLE, &skew, "clock-converged", G_TYPE_BOOLEAN,
          &converged, NULL));
  fail_unless (converged && fabs (skew - 200.0) < 10.0, "%g ppm", skew);
  gst_structure_free (stats);
  play_words (play, "a.clock-pairs=3000 a.rows-in=3000 a.rows-dropped=0");
  sim_end (&state);
  play_free (play);
}

GST_END_TEST;

/* offset is what the least delay cannot tell. */
GST_START_TEST (test_track_and_offset)
{
  Play *play = play_tracked ();
  SimState state = sim_begin (&usual);
  gdouble error;

  play_words (play, "a:offset=-3ms");
  feed_sensor (play, &state, 3000);
  error = error_at_end (play) + (gdouble) usual.least_delay / 1e6;
  fail_unless (fabs (error) <= 0.2, "off by %g ms", error);
  sim_end (&state);
  play_free (play);
}

GST_END_TEST;

static const gint64 jumps[] = { SECONDS (86400), -SECONDS (4000), SECONDS (3) };

/* No row is lost, and none is far from where it belongs. */
GST_START_TEST (test_track_through_a_jump)
{
  Play *play = play_tracked ();
  SimState state = sim_begin (&usual);
  gdouble error;

  feed_sensor (play, &state, 3000);
  state.shift = jumps[__i__];
  feed_sensor (play, &state, 3000);
  error = error_at_end (play);
  fail_unless (fabs (error) <= 0.2, "off by %g ms", error);
  play_words (play, "a.clock-jumps=1 clock-jumps=1 a.rows-dropped=0");
  sim_end (&state);
  play_free (play);
}

GST_END_TEST;

/* Rows of a block arrive together; the last is the newest. */
GST_START_TEST (test_track_blocks)
{
  const Sim sim = { 10.0, 4.0, SIM_UNIFORM, 200.0, SECONDS (5000), MS (3), 1, SIM_IN_ORDER };
  Play *play = play_new ("rate=100/1", "a=force_0,live,caps:1:10,clock-mode=track");
  SimState state = sim_begin (&sim);
  gdouble error;

  for (guint i = 0; i < 300; i++) {
    const SimRow last = sim_next (&state);
    gfloat values[10];
    GstBuffer *buffer;

    for (gint k = 0; k < 10; k++)
      values[k] = (gfloat) ((gdouble) last.captured / 1e6 - 10.0 * (9 - k));
    buffer = fuse_buffer (last.sensor - MS (90), values, sizeof (values));
    GST_BUFFER_DURATION (buffer) = 100 * GST_MSECOND;
    set_clock (play->rig, last.arrival);
    fail_unless_equals_int (gst_pad_push (play->pads[0].feed->pad, buffer), GST_FLOW_OK);
  }
  error = error_at_end (play);
  fail_unless (fabs (error) <= 0.2, "off by %g ms", error);
  play_words (play, "a.clock-pairs=300 a.rows-in=3000");
  sim_end (&state);
  play_free (play);
}

GST_END_TEST;

GST_START_TEST (test_track_needs_a_clock)
{
  Play *play = play_tracked ();

  gst_element_set_clock (play->rig->fuse, NULL);
  play_words (play, "a+0!error error:settings:force_0|clock-mode=track|clock");
  play_free (play);
}

GST_END_TEST;

CHECK_MAIN (robocachefuseclock, NULL, NULL, ONCE (test_track), ONCE (test_track_and_offset), EACH (jumps, test_track_through_a_jump),
  ONCE (test_track_blocks), ONCE (test_track_needs_a_clock))
