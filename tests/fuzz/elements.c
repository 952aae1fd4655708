/* robocache: a fuzzer of robocachefuse, robocacheresample and robocachevoxelize
 *
 * The first byte chooses the element, the next ones its settings, and the rest is what happens to it.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include <gst/check/gsttestclock.h>

#include "bench.h"
#include "lockstep.h"
#include "operations.h"

#define MAX_OPERATIONS 300
#define MAX_FEEDS 20

/* What would only test how much memory there is, or the base classes. */
static const gchar *const untouched[] = { "rate", "backend", "device-id", "start-time", "start-time-selection",
  "emit-signals", "window", "latency", "min-upstream-latency", NULL
};

typedef struct
{
  Bench bench;                  /* first: operations on it are on the trial */
  Input *input;
  GstTestClock *clock, *wall;   /* of robocachefuse, and of the system */
  Feed *pushing;
} Trial;

/* ---- one sink pad, one thread: robocacheresample and robocachevoxelize ---- */

static void
flush (Feed *feed, Input *input)
{
  feed_flush (feed, input_one_in (input, 2));
  send_segment (feed, input);
}

/* What a source sends first. */
static void
begin_stream (Feed *feed, Input *input)
{
  feed_send (feed, gst_event_new_stream_start ("fuzz"));
  send_caps (feed, input);
  send_segment (feed, input);
}

static void unblock (gpointer data);

static gboolean
play (Bench *bench)
{
  lockstep_begin (unblock, bench);
  return bench_set_state (bench, GST_STATE_PLAYING);
}

static void
restart (Bench *bench, Input *input)
{
  static const GstState states[] = { GST_STATE_READY, GST_STATE_PAUSED, GST_STATE_NULL };

  bench_set_state (bench, input_pick (input, states));
  for (guint i = 0; i < bench->feeds->len; i++)
    bench_feed (bench, i)->over = FALSE;
  if (!play (bench))
    return;
  for (guint i = 0; i < bench->feeds->len; i++)
    begin_stream (bench_feed (bench, i), input);
}

/* ---- robocachefuse ---- */

/* A source that is not live waits for the others, whom we would feed: so there it gives up. */
static void
unblock (gpointer data)
{
  Trial *trial = data;

  if (trial->pushing == NULL)
    fuzz_fail ("a call that pushes nothing waits for ever");
  feed_send (trial->pushing, gst_event_new_flush_start ());
}

static void
add_pad (Bench *bench, Input *input)
{
  static const gchar *const names[] = { "proprio_%u", "force_%u", "sink_%u", "camera_%u", "proprio_0", "force_0", "sink_7", "camera_1",
    "proprio_4294967295", "proprio_4294967296", "force_x", "camera_", "sink_00"
  };
  const gchar *name = input_pick (input, names);
  GstPad *pad = gst_element_get_static_pad (bench->element, name);
  Feed *feed;

  if (pad || bench->feeds->len >= MAX_FEEDS) {
    gst_clear_object (&pad);
    return;
  }
  pad = gst_element_request_pad_simple (bench->element, name);
  if (pad == NULL)
    return;
  feed = bench_add_feed (bench, pad, TRUE);
  feed->live = input_one_in (input, 4);
  feed->min_latency = input_one_in (input, 8) ? (GstClockTime) bench->step_ns : 0;
  if (input_one_in (input, 16))
    feed->max_latency = (GstClockTime) (bench->step_ns / 2);
  feed->kinds = GST_OBJECT_NAME (pad)[0] == 'c' ? CAPS_VIDEO : CAPS_ROWS;
  begin_stream (feed, input);
  feed->kinds = bench->kinds;
}

static void
remove_pad (Feed *feed, Input *input)
{
  Bench *bench = feed->bench;

  bench_remove_feed (bench, feed);
  bench_pardon (bench);
}

static void
move_clock (GstTestClock *clock, GstClockTime by)
{
  const GstClockTime then = gst_clock_get_time (GST_CLOCK (clock)) + by;
  GstClockID id;

  gst_test_clock_set_time (clock, then);
  for (guint i = 0; i < MAX_STEPS && gst_test_clock_peek_next_pending_id (clock, &id); i++) {
    const gboolean due = gst_clock_id_get_time (id) <= then;

    gst_clock_id_unref (id);
    if (!due)
      break;
    id = gst_test_clock_process_next_clock_id (clock);
    if (id)
      gst_clock_id_unref (id);
    lockstep_settle ();
  }
}

static void
advance_clock (Bench *bench, Input *input)
{
  const gint64 step = MIN (bench->step_ns, G_MAXINT64 / 1000000);
  const GstClockTime by = (GstClockTime) (step / 2 * (1 + input_below (input, 16)));

  move_clock (((Trial *) bench)->clock, by);
  move_clock (((Trial *) bench)->wall, by);
}

/* The flush that unblock began. */
static void
end_unblock (Trial *trial)
{
  if (trial->pushing && GST_PAD_IS_FLUSHING (trial->pushing->peer)) {
    feed_send (trial->pushing, gst_event_new_flush_stop (TRUE));
    send_segment (trial->pushing, trial->input);
    trial->pushing->over = FALSE;
  }
  trial->pushing = NULL;
}

static const Operation on_fuse[] = {
  {send_buffer}, {send_buffer}, {send_buffer}, {send_buffer}, {send_buffer}, {send_buffer}, {send_buffer}, {send_buffer}, {send_buffer},
  {send_buffer}, {send_buffer}, {send_gap}, {send_eos}, {.on_bench = advance_clock}, {.on_bench = advance_clock},
  {.on_bench = advance_clock}, {set_pad_property}, {set_pad_property}, {.on_bench = add_pad}, {.on_bench = add_pad}, {remove_pad},
  {send_caps}, {send_segment}, {flush}, {send_other_event}, {.on_bench = send_upstream_event}, {.on_bench = ask},
  {.on_bench = set_property}, {.on_bench = change_answer}, {.on_bench = restart},
};

static void
set_up_fuse (Bench *bench, Input *input)
{
  static const guint windows[] = { 1, 1, 2, 5, 33 };
  static const guint64 latencies[] = { 5000000, 0, 100000000, G_MAXINT64 / 4 };
  Trial *trial = (Trial *) bench;

  bench_init (bench, "robocachefuse");
  bench->ticks_increase = bench->ticks_go_back = TRUE;
  bench->kinds = CAPS_ROWS | CAPS_VIDEO;
  choose_rate (bench, input);
  g_object_set (bench->element, "window", input_pick (input, windows), "latency", input_pick (input, latencies), NULL);
  trial->clock = GST_TEST_CLOCK (gst_test_clock_new ());
  trial->wall = GST_TEST_CLOCK (gst_test_clock_new ());
  gst_system_clock_set_default (GST_CLOCK (trial->wall));
  gst_element_set_clock (bench->element, GST_CLOCK (trial->clock));
  gst_element_set_base_time (bench->element, 0);
}

/* ---- the others ---- */

static const Operation on_transform[] = {
  {send_buffer}, {send_buffer}, {send_buffer}, {send_buffer}, {send_buffer}, {send_buffer}, {send_buffer}, {send_buffer}, {send_gap},
  {send_caps}, {send_segment}, {send_eos}, {flush}, {send_other_event}, {.on_bench = send_upstream_event}, {.on_bench = ask},
  {.on_bench = set_property}, {.on_bench = set_property}, {.on_bench = change_answer}, {.on_bench = restart},
};

static void
set_up_resample (Bench *bench, Input *input)
{
  bench_init (bench, "robocacheresample");
  bench->kinds = input_one_in (input, 3) ? CAPS_EPISODES : CAPS_ROWS;
  bench->ticks_increase = bench->kinds == CAPS_ROWS;
  choose_rate (bench, input);
}

static void
set_up_voxelize (Bench *bench, Input *input)
{
  bench_init (bench, "robocachevoxelize");
  bench->kinds = input_one_in (input, 4) ? CAPS_VIDEO : CAPS_POINTS;
  g_object_set (bench->element, "grid", "8:9:10", "max-voxels", 100, NULL);
}

static const gchar *const rows[] = { "rows-used", "rows-late", "rows-duplicate", "rows-superseded", "rows-dropped", "rows-kept", NULL };
static const gchar *const points[] = { "points-inside", "points-outside", "points-nan", "points-infinite", NULL };

static const struct
{
  void (*set_up) (Bench * bench, Input * input);
  const Operation *operations;
  guint n_operations;
  gboolean has_pads;            /* that are requested, and have the stats */
  const gchar *total, *const *parts;    /* of the stats */
} elements[] = {
  {set_up_fuse, on_fuse, G_N_ELEMENTS (on_fuse), TRUE, "rows-in", rows},
  {set_up_resample, on_transform, G_N_ELEMENTS (on_transform), FALSE, "rows-in", rows},
  {set_up_voxelize, on_transform, G_N_ELEMENTS (on_transform), FALSE, "points", points},
};

static void
check_stats (Bench *bench, guint kind)
{
  if (!elements[kind].has_pads)
    bench_check_sum (bench->element, elements[kind].total, elements[kind].parts);
  for (guint i = 0; i < bench->feeds->len && elements[kind].has_pads; i++)
    bench_check_sum (bench_feed (bench, i)->peer, elements[kind].total, elements[kind].parts);
}

static void
run_operation (Trial *trial, const Operation *operation)
{
  Bench *bench = &trial->bench;
  Feed *feed = NULL;

  if (operation->on_feed)
    feed = bench_feed (bench, bench->feeds->len > 1 ? input_byte (trial->input) : 0);
  trial->pushing = operation->on_feed == send_buffer || operation->on_feed == send_gap ? feed : NULL;
  if (feed)
    operation->on_feed (feed, trial->input);
  if (operation->on_bench)
    operation->on_bench (bench, trial->input);
}

static void
run (Trial *trial, guint kind)
{
  Input *input = trial->input;
  Bench *bench = &trial->bench;

  choose_downstream (bench, input);
  for (guint i = input_below (input, 8); i > 0; i--)
    set_property (bench, input);
  if (!play (bench))
    return;
  if (elements[kind].has_pads)
    add_pad (bench, input);
  else
    begin_stream (bench_add_feed (bench, gst_element_get_static_pad (bench->element, "sink"), FALSE), input);
  for (guint i = 0; i < MAX_OPERATIONS && !input_is_empty (input); i++) {
    run_operation (trial, &elements[kind].operations[input_below (input, elements[kind].n_operations)]);
    lockstep_settle ();
    end_unblock (trial);
    lockstep_settle ();
    check_stats (bench, kind);
  }
  for (guint i = 0; i < bench->feeds->len; i++)
    send_eos (bench_feed (bench, i), input);
  lockstep_settle ();
  check_stats (bench, kind);
}

int
LLVMFuzzerTestOneInput (const uint8_t *bytes, size_t n)
{
  Input input = { bytes, n };
  Trial trial = {.input = &input };
  const guint kind = input_below (&input, G_N_ELEMENTS (elements));

  elements[kind].set_up (&trial.bench, &input);
  trial.bench.untouched = untouched;
  run (&trial, kind);
  trial.pushing = NULL;
  bench_clear (&trial.bench);
  lockstep_end ();
  gst_clear_object (&trial.clock);
  gst_system_clock_set_default (NULL);
  gst_clear_object (&trial.wall);
  return 0;
}
