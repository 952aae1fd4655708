/* robocache: a fuzzer of robocachefuse, robocacheresample and robocachevoxelize
 *
 * The first byte chooses the element, the next ones its settings, and the rest is what happens to it.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include <gst/check/gsttestclock.h>

#include "bench.h"
#include "entry.h"
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
  Bench bench;
  Input *input;
  guint kinds;                  /* of caps */
  GstTestClock *clock;          /* of robocachefuse */
  Feed *pushing;
} Trial;

typedef void (*Operation) (Trial * trial);

/* ---- one sink pad, one thread: robocacheresample and robocachevoxelize ---- */

static Feed *
feed_of (Trial *trial)
{
  return bench_feed (&trial->bench, trial->bench.feeds->len > 1 ? input_byte (trial->input) : 0);
}

static void
do_caps (Trial *trial)
{
  Feed *feed = feed_of (trial);

  if (feed)
    send_caps (feed, trial->input, trial->kinds);
}

static void
do_segment (Trial *trial)
{
  Feed *feed = feed_of (trial);

  if (feed)
    send_segment (feed, trial->input);
}

static void
do_buffer (Trial *trial)
{
  Feed *feed = feed_of (trial);

  trial->pushing = feed;
  if (feed)
    send_buffer (feed, trial->input);
}

static void
do_gap (Trial *trial)
{
  Feed *feed = feed_of (trial);

  trial->pushing = feed;
  if (feed)
    send_gap (feed, trial->input);
}

static void
do_eos (Trial *trial)
{
  Feed *feed = feed_of (trial);

  if (feed)
    feed_send (feed, gst_event_new_eos ());
}

static void
do_flush (Trial *trial)
{
  Feed *feed = feed_of (trial);

  if (feed == NULL)
    return;
  feed_flush (feed, input_one_in (trial->input, 2));
  send_segment (feed, trial->input);
}

static void
do_event (Trial *trial)
{
  Feed *feed = feed_of (trial);

  if (feed)
    send_other_event (feed, trial->input);
}

static void
do_upstream (Trial *trial)
{
  send_upstream_event (&trial->bench, trial->input);
}

static void
do_query (Trial *trial)
{
  ask (&trial->bench, trial->input);
}

static void
do_property (Trial *trial)
{
  bench_pardon (&trial->bench);
  set_some_property (&trial->bench, trial->bench.element, trial->input, untouched);
}

static void
do_pad_property (Trial *trial)
{
  Feed *feed = feed_of (trial);

  if (feed)
    set_some_property (&trial->bench, feed->peer, trial->input, untouched);
}

static void
do_answer (Trial *trial)
{
  static const GstFlowReturn answers[] = { GST_FLOW_OK, GST_FLOW_EOS, GST_FLOW_ERROR, GST_FLOW_FLUSHING,
    GST_FLOW_NOT_NEGOTIATED, GST_FLOW_NOT_LINKED
  };

  trial->bench.answer = input_pick (trial->input, answers);
}

/* What a source sends first. */
static void
begin_stream (Feed *feed, Input *input, guint kinds)
{
  feed_send (feed, gst_event_new_stream_start ("fuzz"));
  send_caps (feed, input, kinds);
  send_segment (feed, input);
}

static void
do_states (Trial *trial)
{
  static const GstState states[] = { GST_STATE_READY, GST_STATE_PAUSED, GST_STATE_NULL };

  bench_set_state (&trial->bench, input_pick (trial->input, states));
  for (guint i = 0; i < trial->bench.feeds->len; i++) {
    Feed *feed = g_ptr_array_index (trial->bench.feeds, i);

    feed->over = FALSE;
  }
}

static void unblock (gpointer data);

static gboolean
play (Trial *trial)
{
  lockstep_begin (unblock, trial);
  return bench_set_state (&trial->bench, GST_STATE_PLAYING);
}

static void
do_restart (Trial *trial)
{
  do_states (trial);
  if (!play (trial))
    return;
  for (guint i = 0; i < trial->bench.feeds->len; i++)
    begin_stream (g_ptr_array_index (trial->bench.feeds, i), trial->input, trial->kinds);
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
do_add (Trial *trial)
{
  static const gchar *const names[] = { "proprio_%u", "force_%u", "sink_%u", "camera_%u", "proprio_0", "force_0",
    "sink_7", "camera_1", "proprio_4294967295", "proprio_4294967296", "force_x", "camera_", "sink_00"
  };
  const gchar *name = input_pick (trial->input, names);
  GstPad *pad = gst_element_get_static_pad (trial->bench.element, name);
  Feed *feed;

  if (pad || trial->bench.feeds->len >= MAX_FEEDS) {
    gst_clear_object (&pad);
    return;
  }
  pad = gst_element_request_pad_simple (trial->bench.element, name);
  if (pad == NULL)
    return;
  feed = bench_add_feed (&trial->bench, pad, TRUE);
  feed->live = input_one_in (trial->input, 4);
  feed->min_latency = input_one_in (trial->input, 8) ? (GstClockTime) trial->bench.step_ns : 0;
  if (input_one_in (trial->input, 16))
    feed->max_latency = (GstClockTime) (trial->bench.step_ns / 2);
  begin_stream (feed, trial->input, GST_OBJECT_NAME (pad)[0] == 'c' ? CAPS_VIDEO : CAPS_ROWS);
}

static void
do_remove (Trial *trial)
{
  Feed *feed = feed_of (trial);

  if (feed)
    bench_remove_feed (&trial->bench, feed);
  bench_pardon (&trial->bench);
}

static void
do_clock (Trial *trial)
{
  const GstClockTime now = gst_clock_get_time (GST_CLOCK (trial->clock));
  const gint64 step = MIN (trial->bench.step_ns, G_MAXINT64 / 1000000);
  const GstClockTime then = now + (GstClockTime) (step / 2 * (1 + input_below (trial->input, 16)));
  GstClockID id;

  gst_test_clock_set_time (trial->clock, then);
  for (guint i = 0; i < MAX_STEPS && gst_test_clock_peek_next_pending_id (trial->clock, &id); i++) {
    const gboolean due = gst_clock_id_get_time (id) <= then;

    gst_clock_id_unref (id);
    if (!due)
      break;
    id = gst_test_clock_process_next_clock_id (trial->clock);
    if (id)
      gst_clock_id_unref (id);
    lockstep_settle ();
  }
}

static void
check_pads (Trial *trial)
{
  for (guint i = 0; i < trial->bench.feeds->len; i++)
    bench_check_rows (((Feed *) g_ptr_array_index (trial->bench.feeds, i))->peer);
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
  do_buffer, do_buffer, do_buffer, do_buffer, do_buffer, do_buffer, do_buffer, do_buffer, do_buffer, do_buffer,
  do_buffer, do_gap, do_eos, do_clock, do_clock, do_clock, do_pad_property, do_pad_property, do_add, do_add, do_remove,
  do_caps, do_segment, do_flush, do_event, do_upstream, do_query, do_property, do_answer, do_restart,
};

static void
set_up_fuse (Trial *trial)
{
  static const guint windows[] = { 1, 1, 2, 5, 33 };
  static const guint64 latencies[] = { 5000000, 0, 100000000, G_MAXINT64 / 4 };
  Bench *bench = &trial->bench;

  bench_init (bench, "robocachefuse");
  bench->ticks_increase = TRUE;
  trial->kinds = CAPS_ROWS | CAPS_VIDEO;
  choose_rate (bench, trial->input);
  g_object_set (bench->element, "window", input_pick (trial->input, windows), "latency",
      input_pick (trial->input, latencies), NULL);
  trial->clock = GST_TEST_CLOCK (gst_test_clock_new ());
  gst_element_set_clock (bench->element, GST_CLOCK (trial->clock));
  gst_element_set_base_time (bench->element, 0);
}

/* ---- the others ---- */

static const Operation on_transform[] = {
  do_buffer, do_buffer, do_buffer, do_buffer, do_buffer, do_buffer, do_buffer, do_buffer, do_gap, do_caps, do_segment,
  do_eos, do_flush, do_event, do_upstream, do_query, do_property, do_property, do_answer, do_restart,
};

static void
set_up_resample (Trial *trial)
{
  bench_init (&trial->bench, "robocacheresample");
  trial->kinds = input_one_in (trial->input, 3) ? CAPS_EPISODES : CAPS_ROWS;
  trial->bench.ticks_increase = trial->kinds == CAPS_ROWS;
  choose_rate (&trial->bench, trial->input);
}

static void
set_up_voxelize (Trial *trial)
{
  bench_init (&trial->bench, "robocachevoxelize");
  trial->kinds = input_one_in (trial->input, 4) ? CAPS_VIDEO : CAPS_POINTS;
  g_object_set (trial->bench.element, "grid", "8:9:10", "max-voxels", 100, NULL);
}

static void
check_resample (Trial *trial)
{
  bench_check_rows (trial->bench.element);
}

static gint64
points (const GstStructure *stats, const gchar *name)
{
  gint64 n;

  if (!gst_structure_get_int64 (stats, name, &n))
    fuzz_fail ("stats have no %s", name);
  return n;
}

static void
check_voxelize (Trial *trial)
{
  GstStructure *stats;

  g_object_get (trial->bench.element, "stats", &stats, NULL);
  if (points (stats, "points") != points (stats, "points-inside") + points (stats, "points-outside")
      + points (stats, "points-nan") + points (stats, "points-infinite"))
    fuzz_fail ("points do not add up: %s", gst_structure_to_string (stats));
  gst_structure_free (stats);
}

static const struct
{
  void (*set_up) (Trial * trial);
  gboolean requests_pads;
  const Operation *operations;
  guint n_operations;
  void (*check) (Trial * trial);
} elements[] = {
  {set_up_fuse, TRUE, on_fuse, G_N_ELEMENTS (on_fuse), check_pads},
  {set_up_resample, FALSE, on_transform, G_N_ELEMENTS (on_transform), check_resample},
  {set_up_voxelize, FALSE, on_transform, G_N_ELEMENTS (on_transform), check_voxelize},
};

static void
run (Trial *trial, guint kind)
{
  Input *input = trial->input;
  Bench *bench = &trial->bench;

  choose_downstream (bench, input);
  for (guint i = input_below (input, 8); i > 0; i--)
    do_property (trial);
  if (!play (trial))
    return;
  if (elements[kind].requests_pads)
    do_add (trial);
  else
    begin_stream (bench_add_feed (bench, gst_element_get_static_pad (bench->element, "sink"), FALSE), input,
        trial->kinds);
  for (guint i = 0; i < MAX_OPERATIONS && !input_is_empty (input); i++) {
    elements[kind].operations[input_below (input, elements[kind].n_operations)] (trial);
    lockstep_settle ();
    end_unblock (trial);
    lockstep_settle ();
    elements[kind].check (trial);
  }
  trial->pushing = NULL;
  for (guint i = 0; i < bench->feeds->len; i++)
    feed_send (g_ptr_array_index (bench->feeds, i), gst_event_new_eos ());
  lockstep_settle ();
  elements[kind].check (trial);
}

int
LLVMFuzzerInitialize (int *argc, char ***argv)
{
  bench_prepare ();
  return 0;
}

int
LLVMFuzzerTestOneInput (const uint8_t *bytes, size_t n)
{
  Input input = { bytes, n };
  Trial trial = {.input = &input };
  const guint kind = input_below (&input, G_N_ELEMENTS (elements));

  elements[kind].set_up (&trial);
  run (&trial, kind);
  trial.pushing = NULL;
  bench_clear (&trial.bench);
  lockstep_end ();
  gst_clear_object (&trial.clock);
  return 0;
}
