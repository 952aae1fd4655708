/* robocache: a fuzzer of robocachevoxelview
 *
 * The first bytes choose the size of the pictures and some properties, and the rest is what happens to the element.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include <string.h>

#include "bench.h"
#include "entry.h"
#include "operations.h"

#define MAX_OPERATIONS 100
#define MAX_SIDE 40             /* voxels */

static const gchar *const untouched[] = { "qos", NULL };

typedef struct
{
  Bench bench;
  Input *input;
  Feed *feed;
  gboolean sparse;              /* the last caps are of a list */
} Trial;

/* ---- caps ---- */

static const gchar *const dtypes[] = { "uint8", "float32", "float16", "uint32", "bfloat16", "float64", "int8", "int16",
  "uint16", "int32", "int64", "uint64"
};

static gchar *
describe_dense (Input *input, const guint n[3])
{
  const gchar *batch = input_one_in (input, 8) ? ":2" : "";
  gchar *channels = input_one_in (input, 3) ? g_strdup_printf ("%u:", 1 + input_below (input, 4)) : g_strdup ("");
  gchar *text = g_strdup_printf ("num_tensors=(int)1, types=(string)%s, dimensions=(string)\"%s%u:%u:%u%s\"",
      input_pick (input, dtypes), channels, n[0], n[1], n[2], batch);

  g_free (channels);
  return text;
}

static gchar *
describe_bits (const guint n[3])
{
  return g_strdup_printf ("num_tensors=(int)1, types=(string)uint32, dimensions=(string)\"%u:%u:%u\", "
      "voxel-output=(string)bits", (n[0] + 31) / 32, n[1], n[2]);
}

static gchar *
describe_sparse (Input *input)
{
  const guint room = 1 + input_below (input, 50);

  if (input_one_in (input, 2))
    return g_strdup_printf ("num_tensors=(int)2, types=(string)\"uint32,int32\", dimensions=(string)\"1,3:%u\"", room);
  return g_strdup_printf ("num_tensors=(int)3, types=(string)\"uint32,int32,%s\", dimensions=(string)\"1,3:%u,%u:%u\"",
      input_pick (input, dtypes), room, 1 + input_below (input, 3), room);
}

static gchar *
describe_frame (Input *input, const guint n[3])
{
  static const gchar *const origins[] = { "<0.0,0.0,0.0>", "<-3.0,2.5,1e6>", "<1e30,-1e30,0.0>", "<-3e38,3e38,-3e38>" };
  static const gchar *const voxel_sizes[] = { "<0.1,0.1,0.1>", "<1.0,2.0,0.5>", "<1e-30,1.0,1e30>",
    "<1e-38,1e-38,1e-38>", "<3e38,3e38,3e38>"
  };
  static const gchar *const wrong[] = { ", voxel-origin=<1,2>", ", voxel-origin=(string)x",
    ", voxel-size=<0.0,1.0,1.0>", ", voxel-mode=(string)x", ", voxel-mode=(string)centroid",
    ", voxel-output=(string)sparse", ", voxel-grid=(string)\"1:1:1\"", ", framerate=(int)1"
  };

  return g_strdup_printf (", voxel-origin=%s, voxel-size=%s, voxel-grid=(string)\"%u:%u:%u\", framerate=10/1%s",
      input_pick (input, origins), input_pick (input, voxel_sizes), n[0], n[1], n[2],
      input_one_in (input, 16) ? input_pick (input, wrong) : "");
}

static void
do_caps (Trial *trial)
{
  Input *input = trial->input;
  const guint n[3] = { 1 + input_below (input, MAX_SIDE), 1 + input_below (input, MAX_SIDE),
    1 + input_below (input, MAX_SIDE)
  };
  const guint form = input_below (input, 3);
  gchar *tensors = form == 0 ? describe_dense (input, n) : form == 1 ? describe_bits (n) : describe_sparse (input);
  gchar *frame = describe_frame (input, n);
  gchar *text = g_strdup_printf ("other/tensors, format=(string)static, %s%s", tensors, frame);
  GstCaps *caps = gst_caps_from_string (text);

  trial->sparse = form == 2;
  if (caps) {
    gst_caps_replace (&trial->feed->caps, caps);
    bench_pardon (&trial->bench);
    feed_send (trial->feed, gst_event_new_caps (caps));
    gst_caps_unref (caps);
  }
  g_free (text);
  g_free (frame);
  g_free (tensors);
}

/* ---- buffers ---- */

/* Seldom more voxels than there is room for, and seldom one outside the grid. */
static void
fill_list (guint8 *data, gsize size, Input *input)
{
  const guint32 n = input_below (input, 40);

  memcpy (data, &n, sizeof (n));
  for (gsize i = 4; i + 4 <= size; i += 4) {
    const gint32 at = input_one_in (input, 64) ? -1 : (gint32) (i % 3 == 0 ? input_below (input, 8) : 0);

    memcpy (data + i, &at, sizeof (at));
  }
}

static void
fill_values (guint8 *data, gsize size, Input *input)
{
  static const guint32 special[] = { 0x7fc00000, 0x7f800000, 0xff800000, 0x80000000, 1, 0x7f7fffff, 0x3f800000,
    0xffffffff
  };
  const guint8 seldom = input_byte (input);
  guint32 state = 2463534242u + seldom;

  for (gsize i = 0; i < size; i++) {
    state = state * 1664525u + 1013904223u;
    data[i] = state >> 24 < seldom ? (guint8) (state >> 16) : 0;
    if (i % 4 == 3 && seldom % 8 == 7 && data[i])
      memcpy (data + i - 3, &special[state >> 8 & 7], 4);
  }
}

static void
do_buffer (Trial *trial)
{
  RobocacheTensorsInfo info;
  gsize size = 8;
  guint8 *data;
  GstBuffer *buffer;

  if (trial->feed->caps && robocache_tensors_info_from_caps (&info, trial->feed->caps, NULL))
    size = robocache_tensors_info_size (&info);
  data = g_malloc0 (size);
  if (trial->sparse)
    fill_list (data, size, trial->input);
  else
    fill_values (data, size, trial->input);
  size -= input_one_in (trial->input, 64);
  buffer = gst_buffer_new_wrapped (data, size);
  GST_BUFFER_PTS (buffer) = (GstClockTime) (trial->feed->time += (gint64) (10 * GST_MSECOND));
  /* a grid that is refused ends the stream of a source, but not of this one */
  trial->feed->over = FALSE;
  bench_pardon (&trial->bench);
  feed_push (trial->feed, buffer);
}

/* ---- the rest ---- */

static void
do_segment (Trial *trial)
{
  send_segment (trial->feed, trial->input);
}

static void
do_flush (Trial *trial)
{
  feed_flush (trial->feed, TRUE);
  do_segment (trial);
}

static void
do_event (Trial *trial)
{
  send_other_event (trial->feed, trial->input);
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

/* One that makes sense, which a random value seldom does. */
static void
do_setting (Trial *trial)
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
  const guint i = input_below (trial->input, G_N_ELEMENTS (settings));

  bench_pardon (&trial->bench);
  gst_util_set_object_arg (G_OBJECT (trial->bench.element), settings[i].name, settings[i].value);
}

static void
begin (Trial *trial)
{
  feed_send (trial->feed, gst_event_new_stream_start ("fuzz"));
  do_caps (trial);
  do_segment (trial);
}

static void
do_restart (Trial *trial)
{
  bench_set_state (&trial->bench, GST_STATE_READY);
  bench_set_state (&trial->bench, GST_STATE_PLAYING);
  begin (trial);
}

static void (*const operations[]) (Trial *) = { do_buffer, do_buffer, do_buffer, do_buffer, do_buffer, do_buffer,
  do_caps, do_caps, do_caps, do_setting, do_setting, do_setting, do_property, do_segment, do_flush, do_event,
  do_upstream, do_query, do_restart
};

int
LLVMFuzzerInitialize (int *argc, char ***argv)
{
  bench_prepare ();
  return 0;
}

int
LLVMFuzzerTestOneInput (const uint8_t *bytes, size_t n)
{
  static const gint sizes[] = { 1, 2, 7, 33, 64, 120, 320, 200 };
  Input input = { bytes, n };
  Trial trial = {.input = &input };
  Bench *bench = &trial.bench;

  bench_init (bench, "robocachevoxelview");
  bench->accepted = gst_caps_new_simple ("video/x-raw", "width", G_TYPE_INT, input_pick (&input, sizes),
      "height", G_TYPE_INT, input_pick (&input, sizes), NULL);
  for (guint i = input_below (&input, 6); i > 0; i--)
    do_setting (&trial);
  bench_set_state (bench, GST_STATE_PLAYING);
  trial.feed = bench_add_feed (bench, gst_element_get_static_pad (bench->element, "sink"), FALSE);
  begin (&trial);
  for (guint i = 0; i < MAX_OPERATIONS && !input_is_empty (&input); i++)
    operations[input_below (&input, G_N_ELEMENTS (operations))] (&trial);
  feed_send (trial.feed, gst_event_new_eos ());
  bench_clear (bench);
  return 0;
}
