/* robocache: a fuzzer of robocachevoxelview
 *
 * The first bytes choose the size of the pictures and some properties, and the rest is what happens to the element.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "bench.h"
#include "grids.h"
#include "operations.h"

#define MAX_OPERATIONS 100

static const gchar *const untouched[] = { "qos", NULL };

/* ---- operations ---- */

static void
flush (Feed *feed, Input *input)
{
  feed_flush (feed, TRUE);
  send_segment (feed, input);
}

/* One that makes sense, which a random value seldom does. */
static void
change_setting (Bench *bench, Input *input)
{
  static const struct
  {
    const gchar *name, *value;
  } settings[] = {
    {"view", "top"}, {"view", "isometric"}, {"colour-by", "value"}, {"colour-by", "height"}, {"channel", "0"},
    {"channel", "0"}, {"channel", "1"}, {"batch-item", "0"}, {"batch-item", "0"}, {"batch-item", "1"},
    {"value-range", "<0.0,1.0>"}, {"value-range", "<>"}, {"grid", ""}, {"grid", ""}, {"grid", "8:8:8"}, {"origin", "<>"},
    {"origin", "<1.0,2.0,3.0>"}, {"voxel-size", "<>"}, {"voxel-size", "<1.0,1.0,1.0>"}, {"input-form", "auto"},
    {"input-form", "auto"}, {"input-form", "auto"}, {"input-form", "sparse"}, {"axes", "false"}, {"legend", "false"},
    {"axes", "true"}
  };
  const guint i = input_below (input, G_N_ELEMENTS (settings));

  bench_pardon (bench);
  gst_util_set_object_arg (G_OBJECT (bench->element), settings[i].name, settings[i].value);
}

static void
begin (Feed *feed, Input *input)
{
  feed_send (feed, gst_event_new_stream_start ("fuzz"));
  send_grid_caps (feed, input);
  send_segment (feed, input);
}

static void
restart (Feed *feed, Input *input)
{
  bench_set_state (feed->bench, GST_STATE_READY);
  bench_set_state (feed->bench, GST_STATE_PLAYING);
  begin (feed, input);
}

static const Operation operations[] = {
  {send_grid}, {send_grid}, {send_grid}, {send_grid}, {send_grid}, {send_grid}, {send_grid_caps}, {send_grid_caps}, {send_grid_caps},
  {.on_bench = change_setting}, {.on_bench = change_setting}, {.on_bench = change_setting}, {.on_bench = set_property}, {send_segment},
  {flush}, {send_other_event}, {.on_bench = send_upstream_event}, {.on_bench = ask}, {restart},
};

int
LLVMFuzzerTestOneInput (const uint8_t *bytes, size_t n)
{
  static const gint sizes[] = { 1, 2, 7, 33, 64, 120, 320, 200 };
  Input input = { bytes, n };
  Bench bench;
  Feed *feed;

  bench_init (&bench, "robocachevoxelview");
  bench.untouched = untouched;
  bench.accepted = gst_caps_new_simple ("video/x-raw", "width", G_TYPE_INT, input_pick (&input, sizes),
      "height", G_TYPE_INT, input_pick (&input, sizes), NULL);
  for (guint i = input_below (&input, 6); i > 0; i--)
    change_setting (&bench, &input);
  bench_set_state (&bench, GST_STATE_PLAYING);
  feed = bench_add_feed (&bench, gst_element_get_static_pad (bench.element, "sink"), FALSE);
  begin (feed, &input);
  for (guint i = 0; i < MAX_OPERATIONS && !input_is_empty (&input); i++) {
    const Operation *operation = &operations[input_below (&input, G_N_ELEMENTS (operations))];

    if (operation->on_feed)
      operation->on_feed (feed, &input);
    else
      operation->on_bench (&bench, &input);
  }
  send_eos (feed, &input);
  bench_clear (&bench);
  return 0;
}
