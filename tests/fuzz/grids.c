/* robocache: voxel grids, made of an input's bytes
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "grids.h"

#include <string.h>

#define MAX_SIDE 40             /* voxels */

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

void
send_grid_caps (Feed *feed, Input *input)
{
  const guint n[3] = { 1 + input_below (input, MAX_SIDE), 1 + input_below (input, MAX_SIDE),
    1 + input_below (input, MAX_SIDE)
  };
  const guint form = input_below (input, 3);
  gchar *tensors = form == 0 ? describe_dense (input, n) : form == 2 ? describe_sparse (input)
      : g_strdup_printf ("num_tensors=(int)1, types=(string)uint32, dimensions=(string)\"%u:%u:%u\", voxel-output=(string)bits",
      (n[0] + 31) / 32, n[1], n[2]);
  gchar *frame = describe_frame (input, n);
  gchar *text = g_strdup_printf ("other/tensors, format=(string)static, %s%s", tensors, frame);
  GstCaps *caps = gst_caps_from_string (text);

  if (caps) {
    gst_caps_replace (&feed->caps, caps);
    bench_pardon (feed->bench);
    feed_send (feed, gst_event_new_caps (caps));
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

void
send_grid (Feed *feed, Input *input)
{
  RobocacheTensorsInfo info;
  gint n_tensors = 1;
  gsize size = 8;
  guint8 *data;
  GstBuffer *buffer;

  if (feed->caps && robocache_tensors_info_from_caps (&info, feed->caps, NULL))
    size = robocache_tensors_info_size (&info);
  if (feed->caps)
    gst_structure_get_int (gst_caps_get_structure (feed->caps, 0), "num_tensors", &n_tensors);
  data = g_malloc0 (size);
  (n_tensors > 1 ? fill_list : fill_values) (data, size, input);
  size -= input_one_in (input, 64);
  buffer = gst_buffer_new_wrapped (data, size);
  GST_BUFFER_PTS (buffer) = (GstClockTime) (feed->time += (gint64) (10 * GST_MSECOND));
  /* a grid that is refused ends the stream of a source, but not of this one */
  feed->over = FALSE;
  bench_pardon (feed->bench);
  feed_push (feed, buffer);
}
