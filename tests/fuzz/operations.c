/* robocache: what the fuzzers do to an element: caps, buffers, events, queries and properties, made of an input's bytes
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "operations.h"

#include <gst/video/video.h>
#include <stdlib.h>
#include <string.h>

#include "common/points/pointcloudcaps.h"

/* ---- caps ---- */

static const gchar *const dtypes[] = { "float32", "float64", "float16", "bfloat16", "int64", "int32", "uint32",
  "uint64", "int16", "uint16", "int8", "uint8"
};
static const gchar *const wrong_dtypes[] = { "", "float", "int128", "float32,float32", "FLOAT32", "float32." };
static const gchar *const rates[] = { "0/1", "100/1", "30/1", "1000/1", "25/1", "1000/7", "2147483647/1", "20/3" };
static const gchar *const shapes[] = { "1", "3", "2:2", "7", "14", "1:5", "3:1:1", "4:8", "1:1", "6:3", "33", "10" };
/* Nothing between what is small and what no machine has, or the fuzzer would test how much memory there is. */
static const gchar *const wrong_shapes[] = { "0", "-1", "", ":", "3:", "99999999999999999999", "4611686018427387904:4",
  "1099511627776", "1:1:1:1:1:1:1:1:1", "2:2:2:2", "a", "3:0", "18446744073709551615:2", "1.5"
};
static const gchar *const wrong_fields[] = { "format=(string)flexible", "num_tensors=(int)0", "num_tensors=(int)17",
  "num_tensors=(string)one", "framerate=(int)3", "framerate=(fraction)-1/1", "dimensions=(int)5", "dimensions=(int)-5",
  "types=(int)1", "offsets=(string)\"0,4,8\"", "offsets=(int)1", "point-step=(int)0", "point-step=(string)a",
  "type=(string)float32", "num_tensors=(int)[1,3]", "format=(string){static,flexible}", "channels=(int)3",
  "framerate=(string)1/1",
  "dimensions=(flagset)1:2"
};
static const gchar *const names[] = { "", ", channels=(string)\"a,b,c\"", ", channels=(string)\"\"",
  ", role=(string)proprio", ", window=(int)3", ", channels=(string)\",,,\""
};

static const gchar *
choose_shape (Input *input)
{
  return input_one_in (input, 16) ? input_pick (input, wrong_shapes) : input_pick (input, shapes);
}

static const gchar *
choose_dtype (Input *input)
{
  return input_one_in (input, 32) ? input_pick (input, wrong_dtypes) : input_pick (input, dtypes);
}

/* types and dimensions are taken. */
static gchar *
describe_tensors (Input *input, guint n, gchar *types, gchar *dimensions)
{
  gchar *text = g_strdup_printf ("other/tensors, format=(string)static, num_tensors=(int)%u, types=(string)\"%s\", dimensions="
      "(string)\"%s\", framerate=(fraction)%s%s%s", n, types, dimensions, input_pick (input, rates),
      input_pick (input, names), input_one_in (input, 64) ? ", extra=(int)1" : "");

  g_free (types);
  g_free (dimensions);
  return text;
}

static gchar *
describe_rows (Input *input)
{
  const gchar *shape = choose_shape (input), *rows = strchr (shape, ':');
  gchar *types;

  if (!input_one_in (input, 3))
    return describe_tensors (input, 1, g_strdup (choose_dtype (input)), g_strdup (shape));
  types = g_strdup_printf ("%s,%s", choose_dtype (input), input_one_in (input, 16) ? choose_dtype (input) : "int64");
  return describe_tensors (input, 2, types, g_strdup_printf ("%s,%s", shape,
          input_one_in (input, 16) ? choose_shape (input) : rows ? rows + 1 : "1"));
}

static gchar *
describe_episodes (Input *input)
{
  const guint d = 1 + input_below (input, 5), s = 1 + input_below (input, 9), b = 1 + input_below (input, 3);
  const guint t = 1 + input_below (input, 9);
  gchar *types = g_strdup_printf ("%s,int64,int64", choose_dtype (input));

  return describe_tensors (input, 3, types, g_strdup_printf ("%u:%u:%u,%u:%u,%u:%u", d, s, b, s, b + input_one_in (input, 32), t, b));
}

static gchar *
describe_video (Input *input)
{
  static const gchar *const formats[] = { "RGB", "BGR", "RGBA", "GRAY8", "GRAY16_LE", "GRAY16_LE", "NV12", "nonsense" };
  static const gchar *const sizes[] = { "1", "2", "3", "5", "8", "17", "32", "0", "-1" };

  return g_strdup_printf ("video/x-raw, format=(string)%s, width=(int)%s, height=(int)%s, framerate=(fraction)%s",
      input_pick (input, formats), input_pick (input, sizes), input_pick (input, sizes), input_pick (input, rates));
}

/* The types, and perhaps the offsets and the step, of points of a few bytes: often packed, or packed with gaps. */
static gchar *
describe_layout (Input *input, const gchar *fields)
{
  GString *types = g_string_new (NULL), *offsets = g_string_new (NULL);
  gchar **items = g_strsplit (fields, ",", -1);
  const guint n_items = g_strv_length (items), n = n_items + input_one_in (input, 32);
  const gchar *coordinates = input_one_in (input, 3) ? "float64" : "float32";
  guint offset = input_below (input, 4);

  for (guint i = 0; i < n; i++) {
    const gboolean is_axis = i < n_items && strlen (items[i]) == 1 && strchr ("xyz", *items[i]);
    const gchar *type = is_axis && !input_one_in (input, 16) ? coordinates : choose_dtype (input);
    const guint at = input_one_in (input, 24) ? input_below (input, 40) : offset;

    g_string_append_printf (types, "%s%s", i > 0 ? "," : "", type);
    g_string_append_printf (offsets, "%s%u", i > 0 ? "," : "", at);
    offset = at + (guint) rc_dtype_size (robocache_dtype_from_name (type)) + input_one_in (input, 3);
  }
  g_string_prepend (types, ", types=(string)\"");
  g_string_append_c (types, '"');
  if (!input_one_in (input, 3))
    g_string_append_printf (types, ", offsets=(string)\"%s\"", offsets->str);
  if (input_one_in (input, 2))
    g_string_append_printf (types, ", point-step=(int)%u", offset + input_below (input, 9) - input_one_in (input, 16));
  g_string_free (offsets, TRUE);
  g_strfreev (items);
  return g_string_free (types, FALSE);
}

static gchar *
describe_cloud (Input *input)
{
  static const gchar *const all_fields[] = { "x,y,z", "x,y,z,intensity", "x,y,z,a,b,c", "x,y", "", "z,y,x", "x,y,z,",
    "x,y,z,x", "a,b,c,d", "a,x,b,z,y"
  };
  const gchar *fields = input_pick (input, all_fields);
  gchar *layout = input_one_in (input, 2) ? describe_layout (input, fields)
      : g_strdup_printf (", type=(string)%s", input_one_in (input, 4) ? choose_dtype (input) : "float32");
  gchar *text = g_strdup_printf ("application/x-pointcloud, fields=(string)\"%s\"%s, framerate=(fraction)%s", fields,
      layout, input_pick (input, rates));

  g_free (layout);
  return text;
}

static gchar *
describe_points (Input *input)
{
  switch (input_below (input, 4)) {
    case 0:
      return g_strdup_printf ("application/x-lidar, framerate=(fraction)%s", input_pick (input, rates));
    case 1:
      return describe_rows (input);
    default:
      return describe_cloud (input);
  }
}

static gchar *
describe_caps (Input *input, guint kinds)
{
  gchar *(*const describe[]) (Input *) = { describe_rows, describe_episodes, describe_video, describe_points };
  guint i = input_below (input, G_N_ELEMENTS (describe));

  if (input_one_in (input, 64))
    kinds = ~0u;
  while (!(kinds & 1u << i))
    i = (i + 1) % G_N_ELEMENTS (describe);
  return describe[i] (input);
}

GstCaps *
choose_caps (Input *input, guint kinds)
{
  gchar *text = describe_caps (input, kinds);
  GstCaps *caps = gst_caps_from_string (text), *changed;

  if (caps && input_one_in (input, 32)) {
    gchar *with = g_strdup_printf ("x, %s", input_pick (input, wrong_fields));

    changed = gst_caps_from_string (with);
    if (changed) {
      const GstStructure *field = gst_caps_get_structure (changed, 0);
      const gchar *name = gst_structure_nth_field_name (field, 0);

      gst_caps_set_value (caps, name, gst_structure_get_value (field, name));
      gst_caps_unref (changed);
    }
    g_free (with);
  }
  g_free (text);
  return caps ? caps : gst_caps_new_empty_simple ("other/tensors");
}

void
send_these_caps (Feed *feed, GstCaps *caps)
{
  RobocacheTensorsInfo info;

  if (!gst_caps_is_fixed (caps)) {
    gst_caps_unref (caps);
    return;
  }
  gst_caps_take (&feed->caps, caps);
  /* episodes are not on a grid: their buffers have any time */
  if (robocache_tensors_info_from_caps (&info, caps, NULL) && info.n_tensors == 3)
    g_atomic_int_set (&feed->bench->ticks_increase, FALSE);
  bench_pardon (feed->bench);
  feed_send (feed, gst_event_new_caps (caps));
}

void
send_caps (Feed *feed, Input *input)
{
  send_these_caps (feed, choose_caps (input, feed->kinds));
}

void
choose_downstream (Bench *bench, Input *input)
{
  if (input_one_in (input, 8))
    bench->accepted = choose_caps (input, CAPS_ROWS | CAPS_EPISODES);
  if (bench->accepted && input_one_in (input, 2)) {
    /* some fields only */
    static const gchar *const less[] = { "dimensions", "types", "num_tensors", "framerate", "channels", "format" };

    for (guint i = 0; i < 3; i++)
      gst_structure_remove_field (gst_caps_get_structure (bench->accepted, 0), input_pick (input, less));
  }
}

/* ---- times ---- */

static const gint64 extremes[] = { 0, 1, -1, G_MAXINT64, G_MAXINT64 - 1, G_MININT64, G_MININT64 + 1, G_MAXINT64 / 2,
  G_MAXINT64 / 4, -2, G_GINT64_CONSTANT (1) << 62, 1000000000
};

/* n of a step's 1/parts, as far as there is time. */
static gint64
steps (const Bench *bench, gint64 n, gint64 parts)
{
  const gint64 most = G_MAXINT64 / 4;
  gint64 product;

  if (__builtin_mul_overflow (bench->step_ns / parts, n, &product))
    return n < 0 ? -most : most;
  return CLAMP (product, -most, most);
}

static gint64
add (gint64 a, gint64 b)
{
  gint64 sum;

  return __builtin_add_overflow (a, b, &sum) ? G_MAXINT64 : sum;
}

/* Moves on, seldom back, and never too far. */
static gint64
next_time (Feed *feed, Input *input)
{
  const guint8 code = input_byte (input);
  const Bench *bench = feed->bench;

  if (code < 200)
    feed->time = add (feed->time, steps (bench, code % 24, 8));
  else if (code < 225)
    feed->time = add (feed->time, steps (bench, -(code % 8), 4));
  else if (code < 235)
    feed->time = add (feed->time, steps (bench, input_two_bytes (input) % (MAX_STEPS / 2), 1));
  else if (code < 245)
    return (gint64) GST_CLOCK_TIME_NONE;
  else if (bench->any_time || (bench->is_wild && input_one_in (input, 16)))
    return input_pick (input, extremes);
  feed->time = CLAMP (feed->time, 0, steps (bench, bench->max_steps, 1));
  return feed->time;
}

static GstClockTime
choose_duration (const Bench *bench, Input *input)
{
  const guint8 code = input_byte (input);

  if (code < 128)
    return GST_CLOCK_TIME_NONE;
  if (code < 240 || !(bench->any_time || (bench->is_wild && input_one_in (input, 16))))
    return (GstClockTime) steps (bench, code % 32, 8);
  return (GstClockTime) input_pick (input, extremes);
}

void
send_segment (Feed *feed, Input *input)
{
  static const gdouble speeds[] = { 1.0, 1.0, 1.0, 2.0, 0.5, -1.0, 1000.0, -0.5 };
  static const GstFormat formats[] = { GST_FORMAT_TIME, GST_FORMAT_BYTES, GST_FORMAT_DEFAULT, GST_FORMAT_BUFFERS };
  const Bench *bench = feed->bench;
  GstSegment segment;

  gst_segment_init (&segment, input_one_in (input, 16) ? input_pick (input, formats) : GST_FORMAT_TIME);
  if (input_one_in (input, 3)) {
    segment.rate = bench->any_time ? 1.0 : input_pick (input, speeds);  /* core multiplies times by it in double */
    segment.start = (guint64) steps (bench, input_below (input, 32), 1);
    /* core has no running time for a segment that goes backwards from nowhere */
    if (segment.rate < 0 || input_one_in (input, 2))
      segment.stop = (guint64) add ((gint64) segment.start, steps (bench, input_byte (input), 1));
    segment.base = (guint64) steps (bench, input_below (input, 64), 1);
    if (segment.rate > 0 && input_one_in (input, 8))
      segment.offset = (guint64) steps (bench, input_below (input, 16), 1);
    segment.time = segment.position = segment.start;
  }
  feed->time = MAX (feed->time, (gint64) segment.start);
  bench_pardon (feed->bench);
  feed_send (feed, gst_event_new_segment (&segment));
}

void
send_gap (Feed *feed, Input *input)
{
  const gint64 start = next_time (feed, input);

  if (GST_CLOCK_TIME_IS_VALID (start))
    feed_send (feed, gst_event_new_gap ((GstClockTime) start, choose_duration (feed->bench, input)));
}

/* ---- buffers ---- */

static void
fill (guint8 *data, gsize size, Input *input)
{
  static const guint32 special[] = { 0x7fc00000, 0x7f800000, 0xff800000, 0x80000000, 1, 0x7f7fffff,
    0x3f800000, 0xffffffff
  };
  const guint8 code = input_byte (input);
  guint32 state = 2463534242u + code;

  for (gsize i = 0; i < size; i++) {
    if (code < 16) {
      data[i] = input_byte (input);
      continue;
    }
    state = state * 1664525u + 1013904223u;
    data[i] = (guint8) (state >> 24);
    /* floats of a moderate size are more interesting than any */
    if (i % 4 == 3 && code < 200)
      data[i] = (data[i] & 0x80) | 0x3f;
    if (i % 4 == 3 && code % 8 == 7)
      memcpy (data + i - 3, &special[state >> 8 & 7], 4);
  }
}

/* Times of rows that mostly increase. */
static void
fill_times (Feed *feed, guint8 *data, gsize size, Input *input)
{
  for (gsize i = 0; i + sizeof (gint64) <= size; i += sizeof (gint64)) {
    const gint64 t = next_time (feed, input);

    memcpy (data + i, &t, sizeof (t));
  }
}

static GstBuffer *
tensors_buffer (Feed *feed, const RobocacheTensorsInfo *info, Input *input)
{
  const gboolean one_memory = input_one_in (input, 4);
  GstBuffer *buffer = gst_buffer_new (), *whole;

  for (guint i = 0; i < info->n_tensors; i++) {
    const gsize size = robocache_tensor_info_size (&info->tensors[i]);
    guint8 *data = g_malloc (size);

    if (i > 0 && info->tensors[i].dtype == RC_INT64)
      fill_times (feed, data, size, input);
    else
      fill (data, size, input);
    gst_buffer_append_memory (buffer, gst_memory_new_wrapped (0, data, size, 0, size, data, g_free));
  }
  if (!one_memory)
    return buffer;
  whole = gst_buffer_copy_deep (buffer);
  gst_buffer_unref (buffer);
  return whole;
}

static GstBuffer *
bytes_buffer (gsize size, Input *input)
{
  GstBuffer *buffer = gst_buffer_new_allocate (NULL, size, NULL);
  GstMapInfo map;

  gst_buffer_map (buffer, &map, GST_MAP_WRITE);
  fill (map.data, size, input);
  gst_buffer_unmap (buffer, &map);
  return buffer;
}

/* A frame whose meta may not be what its caps say. */
static GstBuffer *
video_buffer (const GstVideoInfo *video, Input *input)
{
  const guint extra = input_one_in (input, 4) ? input_below (input, 9) : 0;
  const gint stride = GST_VIDEO_INFO_PLANE_STRIDE (video, 0) + (gint) extra - (gint) input_one_in (input, 32) * 4;
  const gsize offset = input_one_in (input, 8) ? input_below (input, 9) : 0;
  gsize offsets[GST_VIDEO_MAX_PLANES] = { offset }, size = GST_VIDEO_INFO_SIZE (video);
  gint strides[GST_VIDEO_MAX_PLANES] = { stride };
  GstBuffer *buffer;

  if (extra == 0 && offset == 0)
    return bytes_buffer (size, input);
  size = offset + (gsize) MAX (stride, 1) * (gsize) MAX (GST_VIDEO_INFO_HEIGHT (video), 1) - input_one_in (input, 8);
  buffer = bytes_buffer (size, input);
  gst_buffer_add_video_meta_full (buffer, GST_VIDEO_FRAME_FLAG_NONE, GST_VIDEO_INFO_FORMAT (video),
      GST_VIDEO_INFO_WIDTH (video), GST_VIDEO_INFO_HEIGHT (video), 1, offsets, strides);
  return buffer;
}

static GstBuffer *
choose_buffer (Feed *feed, Input *input)
{
  static const gsize point_sizes[] = { 12, 16, 24, 6, 36 };
  gsize point_size = input_pick (input, point_sizes);
  RobocachePointsInfo points;
  RobocacheTensorsInfo info;
  GstVideoInfo video;

  if (feed->caps && robocache_tensors_info_from_caps (&info, feed->caps, NULL)
      && robocache_tensors_info_size (&info) < 1 << 20)
    return tensors_buffer (feed, &info, input);
  if (feed->caps && gst_video_info_from_caps (&video, feed->caps) && GST_VIDEO_INFO_SIZE (&video) < 1 << 20)
    return video_buffer (&video, input);
  if (feed->caps && robocache_points_info_from_caps (&points, feed->caps, NULL)) {
    point_size = robocache_points_info_point_size (&points);
    robocache_points_info_clear (&points);
  }
  return bytes_buffer (MIN (point_size, 4096) * input_below (input, 48), input);
}

static GstBuffer *
spoil_size (GstBuffer *buffer, Input *input)
{
  const gsize size = gst_buffer_get_size (buffer), less = input_below (input, 9);

  if (input_one_in (input, 2))
    return gst_buffer_append_memory (buffer, gst_allocator_alloc (NULL, less, NULL)), buffer;
  gst_buffer_resize (buffer, 0, (gssize) (size - MIN (size, less)));
  return buffer;
}

static GstBuffer *
split (GstBuffer *whole)
{
  const gsize size = gst_buffer_get_size (whole), at = size / 2;
  GstBuffer *buffer = gst_buffer_new ();

  gst_buffer_copy_into (buffer, whole, GST_BUFFER_COPY_MEMORY, 0, at);
  gst_buffer_copy_into (buffer, whole, GST_BUFFER_COPY_MEMORY, at, size - at);
  gst_buffer_copy_into (buffer, whole, GST_BUFFER_COPY_METADATA, 0, size);
  gst_buffer_unref (whole);
  return buffer;
}

/* In two memories, though a tensor has one; a view of another one; and flags and metas that mean nothing to us. */
static GstBuffer *
dress (const Feed *feed, GstBuffer *buffer, Input *input)
{
  const guint code = input_byte (input);
  GstBuffer *whole = buffer;

  if (code % 8 == 0 && !gst_structure_has_name (gst_caps_get_structure (feed->caps, 0), ROBOCACHE_TENSORS_MEDIA_TYPE)) {
    buffer = split (whole);
  } else if (code % 8 == 1) {
    buffer = gst_buffer_copy (whole);
    gst_buffer_add_parent_buffer_meta (buffer, whole);
    gst_buffer_unref (whole);
  }
  if (code % 8 == 2)
    gst_buffer_add_video_crop_meta (buffer)->width = 1;
  if (code % 8 == 3)
    gst_buffer_add_video_region_of_interest_meta (buffer, "thing", 0, 0, code, code);
  if (code % 16 == 4)
    GST_BUFFER_FLAG_SET (buffer, 1u << (4 + input_below (input, 16)));
  if (code % 16 == 5)
    GST_BUFFER_DTS (buffer) = (GstClockTime) input_pick (input, extremes);
  if (code % 16 == 6)
    GST_BUFFER_OFFSET (buffer) = GST_BUFFER_OFFSET_END (buffer) = (guint64) input_pick (input, extremes);
  return buffer;
}

void
send_buffer (Feed *feed, Input *input)
{
  GstBuffer *buffer = choose_buffer (feed, input);

  GST_BUFFER_PTS (buffer) = (GstClockTime) next_time (feed, input);
  GST_BUFFER_DURATION (buffer) = choose_duration (feed->bench, input);
  if (input_one_in (input, 32))
    GST_BUFFER_FLAG_SET (buffer, GST_BUFFER_FLAG_GAP | GST_BUFFER_FLAG_DISCONT | GST_BUFFER_FLAG_DROPPABLE);
  if (input_one_in (input, 16)) {
    GstCaps *reference = gst_caps_new_empty_simple ("timestamp/x-ntp");

    gst_buffer_add_reference_timestamp_meta (buffer, reference, (GstClockTime) MAX (feed->time, 0),
        GST_CLOCK_TIME_NONE);
    gst_caps_unref (reference);
  }
  if (input_one_in (input, 64) && !(feed->bench->is_wild && !input_one_in (input, 8)))
    buffer = spoil_size (buffer, input);
  if (feed->bench->is_wild && feed->caps)
    buffer = dress (feed, buffer, input);
  feed_push (feed, buffer);
}

/* ---- events and queries ---- */

static GstEvent *
choose_event (const Feed *feed, Input *input)
{
  switch (input_below (input, 6)) {
    case 0:
      bench_pardon (feed->bench);
      return gst_event_new_stream_start ("again");
    case 1:
      return gst_event_new_tag (gst_tag_list_new_empty ());
    case 2:
      return gst_event_new_custom (GST_EVENT_CUSTOM_DOWNSTREAM, gst_structure_new_empty ("something"));
    case 3:
      return gst_event_new_custom (GST_EVENT_CUSTOM_DOWNSTREAM_OOB, gst_structure_new_empty ("something"));
    case 4:
      return gst_event_new_segment_done (GST_FORMAT_TIME, feed->time);
    default:
      return gst_event_new_stream_group_done (1);
  }
}

void
send_other_event (Feed *feed, Input *input)
{
  feed_send (feed, choose_event (feed, input));
}

void
send_eos (Feed *feed, Input *input)
{
  feed_send (feed, gst_event_new_eos ());
}

static GstEvent *
choose_seek (const Bench *bench, Input *input)
{
  static const GstSeekFlags flags[] = {
    GST_SEEK_FLAG_FLUSH, GST_SEEK_FLAG_NONE, GST_SEEK_FLAG_FLUSH | GST_SEEK_FLAG_ACCURATE,
    GST_SEEK_FLAG_SEGMENT, GST_SEEK_FLAG_FLUSH | GST_SEEK_FLAG_SEGMENT
  };
  static const gdouble speeds[] = { 1.0, 1.0, 2.0, 0.5, -1.0 };
  const gint64 start = MIN (steps (bench, input_below (input, 100), 1), G_MAXINT64 / 4);

  return gst_event_new_seek (input_pick (input, speeds), input_one_in (input, 8) ? GST_FORMAT_BYTES : GST_FORMAT_TIME,
      input_pick (input, flags), GST_SEEK_TYPE_SET, start,
      input_one_in (input, 2) ? GST_SEEK_TYPE_NONE : GST_SEEK_TYPE_SET,
      add (start, steps (bench, input_below (input, 100), 1)));
}

static GstClockTime
last_tick (Bench *bench)
{
  gint64 tick;

  GST_PAD_STREAM_LOCK (bench->sink);
  tick = bench->last_tick;
  GST_PAD_STREAM_UNLOCK (bench->sink);
  return (GstClockTime) MAX (tick, 0);
}

static GstEvent *
choose_upstream_event (Bench *bench, Input *input)
{
  switch (input_below (input, 5)) {
    case 0:
      bench_pardon (bench);
      return choose_seek (bench, input);
    case 1:
      return gst_event_new_qos (GST_QOS_TYPE_UNDERFLOW, 2.0, bench->step_ns, last_tick (bench));
    case 2:
      return gst_event_new_reconfigure ();
    case 3:
      return gst_event_new_latency ((GstClockTime) bench->step_ns);
    default:
      return gst_event_new_custom (GST_EVENT_CUSTOM_UPSTREAM, gst_structure_new_empty ("something"));
  }
}

void
send_upstream_event (Bench *bench, Input *input)
{
  gst_pad_push_event (bench->sink, choose_upstream_event (bench, input));
}

static GstQuery *
choose_query (Input *input, GstCaps *caps)
{
  GstQuery *(*const of_format[]) (GstFormat) = { gst_query_new_position, gst_query_new_duration, gst_query_new_seeking };
  const guint kind = input_below (input, 7);

  switch (kind) {
    case 0:
      return gst_query_new_latency ();
    case 1:
    case 2:
    case 3:
      return of_format[kind - 1] (input_one_in (input, 4) ? GST_FORMAT_BYTES : GST_FORMAT_TIME);
    case 4:
      return gst_query_new_caps (input_one_in (input, 2) ? caps : NULL);
    case 5:
      return gst_query_new_accept_caps (caps);
    default:
      return gst_query_new_allocation (caps, input_one_in (input, 2));
  }
}

/* feed: NULL to ask the src pad */
static void
ask_about (Bench *bench, GstCaps *caps, Feed *feed, Input *input)
{
  GstQuery *query;

  if (!gst_caps_is_fixed (caps)) {
    gst_caps_unref (caps);
    return;
  }
  query = choose_query (input, caps);
  /* queries of data flow follow caps; and only one's own peer is asked */
  if (feed && (GST_QUERY_IS_SERIALIZED (query) || input_one_in (input, 2)))
    gst_pad_peer_query (feed->pad, query);
  else if (!GST_QUERY_IS_SERIALIZED (query))
    gst_pad_peer_query (bench->sink, query);
  gst_query_unref (query);
  gst_caps_unref (caps);
}

void
ask (Bench *bench, Input *input)
{
  GstCaps *caps = choose_caps (input, ~0u);

  ask_about (bench, caps, bench_feed (bench, input_byte (input)), input);
}

void
ask_feed (Feed *feed, Input *input)
{
  ask_about (feed->bench, choose_caps (input, ~0u), feed, input);
}

void
ask_src (Bench *bench, Input *input)
{
  ask_about (bench, choose_caps (input, ~0u), NULL, input);
}

void
change_answer (Bench *bench, Input *input)
{
  static const GstFlowReturn answers[] = { GST_FLOW_OK, GST_FLOW_EOS, GST_FLOW_ERROR, GST_FLOW_FLUSHING,
    GST_FLOW_NOT_NEGOTIATED, GST_FLOW_NOT_LINKED
  };

  g_atomic_int_set ((gint *) &bench->answer, (gint) input_pick (input, answers));
}

/* ---- properties ---- */

static const gchar *const strings[] = { "", "0", "1", "0-1", "3,4", "0-3", "5-", "x", "99999999999", "-1", "proprio_0",
  "force_0", "camera_0", "sink_0", "8:8:8", "1:1:1", "33:2:1", "2097152:2097152:2097152", "0:1:1", "4:4", "16:16:16",
  "4:4:4:4", "proprio_0,max-gap=5ms;sink_0,interpolation=cubic", "force_0,required=true; camera_0"
};
static const gdouble numbers[] = { 0.0, 1.0, -1.0, 0.5, 0.1, 1e-30, 1e30, -6.4, 1e308, 2.0, 0.25, -0.5 };
static const gint64 whole[] = { 0, 1, 2, 3, 7, 16, 100, 1000 };

/* Durations are as long as the steps, or as long as can be where that makes no more ticks. */
static gint64
choose_int64 (const Bench *bench, const GParamSpec *pspec, Input *input)
{
  const gboolean shifts_ticks = g_str_equal (pspec->name, "offset");

  if (input_one_in (input, 4) && (bench->any_time || !shifts_ticks))
    return input_pick (input, extremes);
  return steps (bench, (gint64) input_below (input, 64) - 16, 4);
}

static void
choose_array (GValue *value, Input *input)
{
  const guint n = input_one_in (input, 16) ? input_below (input, 5) : 3;
  GValue number = G_VALUE_INIT;

  g_value_init (&number, G_TYPE_DOUBLE);
  for (guint i = 0; i < n; i++) {
    g_value_set_double (&number, input_pick (input, numbers));
    gst_value_array_append_value (value, &number);
  }
  g_value_unset (&number);
}

static void
choose_value (const Bench *bench, GParamSpec *pspec, GValue *value, Input *input)
{
  const GType type = G_PARAM_SPEC_VALUE_TYPE (pspec);

  if (G_IS_PARAM_SPEC_ENUM (pspec)) {
    const GEnumClass *choices = G_PARAM_SPEC_ENUM (pspec)->enum_class;

    g_value_set_enum (value, choices->values[input_below (input, choices->n_values)].value);
  } else if (type == G_TYPE_STRING) {
    g_value_set_string (value, input_pick (input, strings));
  } else if (type == G_TYPE_INT64) {
    g_value_set_int64 (value, choose_int64 (bench, pspec, input));
  } else if (type == G_TYPE_UINT64) {
    g_value_set_uint64 (value, (guint64) choose_int64 (bench, pspec, input));
  } else if (type == G_TYPE_DOUBLE) {
    g_value_set_double (value, input_pick (input, numbers));
  } else if (type == GST_TYPE_ARRAY) {
    choose_array (value, input);
  } else if (type == GST_TYPE_FRACTION) {
    gst_value_set_fraction (value, (gint) input_pick (input, whole), 1);
  } else if (type == GST_TYPE_CAPS) {
    g_value_take_boxed (value, input_one_in (input, 2) ? choose_caps (input, CAPS_ROWS) : NULL);
  } else if (type == G_TYPE_BOOLEAN) {
    g_value_set_boolean (value, input_one_in (input, 2));
  } else if (type == G_TYPE_INT) {
    g_value_set_int (value, (gint) input_pick (input, whole) - 1);
  } else if (type == G_TYPE_UINT) {
    g_value_set_uint (value, (guint) input_pick (input, whole));
  }
}

static gboolean
is_touched (const Bench *bench, const GParamSpec *pspec)
{
  return pspec->flags & G_PARAM_WRITABLE && !(pspec->flags & G_PARAM_CONSTRUCT_ONLY) && pspec->owner_type != GST_TYPE_OBJECT
      && pspec->owner_type != GST_TYPE_PAD && !g_strv_contains (bench->untouched, pspec->name);
}

static void
set_some_property (const Bench *bench, gpointer object, Input *input)
{
  guint n;
  GParamSpec **pspecs = g_object_class_list_properties (G_OBJECT_GET_CLASS (object), &n);
  GParamSpec *pspec = pspecs[input_below (input, n)];
  GValue value = G_VALUE_INIT;

  g_free (pspecs);
  if (!is_touched (bench, pspec))
    return;
  g_value_init (&value, G_PARAM_SPEC_VALUE_TYPE (pspec));
  g_param_value_set_default (pspec, &value);
  if (G_VALUE_HOLDS (&value, GST_TYPE_ARRAY)) {
    g_value_unset (&value);
    g_value_init (&value, GST_TYPE_ARRAY);
  }
  choose_value (bench, pspec, &value, input);
  g_param_value_validate (pspec, &value);
  if (g_str_equal (pspec->name, "busy-wait"))   /* the clock stands still while the thread is awake */
    g_value_set_uint64 (&value, g_value_get_uint64 (&value) % GST_MSECOND);
  g_object_set_property (object, pspec->name, &value);
  g_value_unset (&value);
}

void
set_property (Bench *bench, Input *input)
{
  bench_pardon (bench);
  set_some_property (bench, bench->element, input);
}

void
set_pad_property (Feed *feed, Input *input)
{
  set_some_property (feed->bench, feed->peer, input);
}

/* All of them, so that any is read while another thread works. */
static void
read_all (gpointer object)
{
  guint n;
  GParamSpec **pspecs = g_object_class_list_properties (G_OBJECT_GET_CLASS (object), &n);

  for (guint i = 0; i < n; i++) {
    GValue value = G_VALUE_INIT;

    if (!(pspecs[i]->flags & G_PARAM_READABLE))
      continue;
    g_value_init (&value, G_PARAM_SPEC_VALUE_TYPE (pspecs[i]));
    g_object_get_property (object, pspecs[i]->name, &value);
    g_value_unset (&value);
  }
  g_free (pspecs);
}

void
read_properties (Bench *bench, Input *input)
{
  read_all (bench->element);
}

void
read_pad_properties (Feed *feed, Input *input)
{
  read_all (feed->peer);
}

static void
reset_all (const Bench *bench, gpointer object, gpointer fresh)
{
  guint n;
  GParamSpec **pspecs = g_object_class_list_properties (G_OBJECT_GET_CLASS (object), &n);

  for (guint i = 0; i < n; i++) {
    GValue value = G_VALUE_INIT;

    if (!is_touched (bench, pspecs[i]))
      continue;
    g_value_init (&value, G_PARAM_SPEC_VALUE_TYPE (pspecs[i]));
    g_object_get_property (fresh, pspecs[i]->name, &value);
    g_object_set_property (object, pspecs[i]->name, &value);
    g_value_unset (&value);
  }
  g_free (pspecs);
}

void
reset_properties (Bench *bench)
{
  GstElement *fresh = gst_object_ref_sink (gst_element_factory_create (gst_element_get_factory (bench->element), NULL));

  reset_all (bench, bench->element, fresh);
  for (guint i = 0; i < bench->feeds->len; i++) {
    const Feed *feed = bench_feed (bench, i);
    GstPad *pad = feed->requested ? gst_element_request_pad_simple (fresh, GST_OBJECT_NAME (feed->peer)) : NULL;

    if (pad)
      reset_all (bench, feed->peer, pad);
    gst_clear_object (&pad);
  }
  gst_object_unref (fresh);
}

void
choose_rate (Bench *bench, Input *input)
{
  static const struct
  {
    gint num, den;
  } grid[] = {
    {100, 1}, {1000, 1}, {50, 1}, {1000, 7}, {1, 1}, {30, 1}, {1, 1000000000}, {2000, 1}, {0, 1}, {1, G_MAXINT},
  };
  const guint i = input_below (input, G_N_ELEMENTS (grid));

  bench->rate.num = grid[i].num;
  bench->rate.den = grid[i].den;
  g_object_set (bench->element, "rate", grid[i].num, grid[i].den, NULL);
  if (grid[i].num > 0)
    bench->step_ns = (gint64) gst_util_uint64_scale_int (GST_SECOND, grid[i].den, grid[i].num);
  bench->any_time = bench->step_ns > 100000 * (gint64) GST_SECOND;
}
