/* robocache: elements that are attacked, and what each one takes
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "targets.h"

#include <string.h>

#include "common/points/pointcloudcaps.h"
#include "tests/fuzz/grids.h"
#include "tests/fuzz/operations.h"

#define MAX_TRIES 12

/* "name=value name=value …" */
static void
set_all (Bench *bench, const gchar *settings)
{
  gchar **pairs = g_strsplit (settings, " ", 0);

  for (guint i = 0; pairs[i] && *pairs[i]; i++) {
    gchar **pair = g_strsplit (pairs[i], "=", 2);

    gst_util_set_object_arg (G_OBJECT (bench->element), pair[0], pair[1]);
    g_strfreev (pair);
  }
  g_strfreev (pairs);
}

#define CHOOSE_SETTINGS(bench, input, ...) \
  do { \
    static const gchar *const settings[] = { __VA_ARGS__ }; \
    set_all (bench, input_pick (input, settings)); \
  } while (0)

/* ---- rows, frames and clouds, by caps ---- */

static gboolean
is_taken (const Feed *feed, GstCaps *caps)
{
  RobocacheTensorsInfo tensors;
  RobocachePointsInfo points;
  GstVideoInfo video;
  gboolean is_cloud;

  if (!gst_caps_is_fixed (caps) || !gst_pad_query_accept_caps (feed->peer, caps))
    return FALSE;
  if (gst_structure_has_name (gst_caps_get_structure (caps, 0), "video/x-raw"))
    return gst_video_info_from_caps (&video, caps);
  if (!(feed->kinds & CAPS_POINTS))
    return robocache_tensors_info_from_caps (&tensors, caps, NULL);
  is_cloud = robocache_points_info_from_caps (&points, caps, NULL);
  if (is_cloud)
    robocache_points_info_clear (&points);
  return is_cloud;
}

/* Those that the element refuses come now and then. */
static void
send_good_caps (Feed *feed, Input *input)
{
  GstCaps *caps = choose_caps (input, feed->kinds);

  for (guint i = 0; i < MAX_TRIES && !is_taken (feed, caps) && !input_one_in (input, 64); i++) {
    gst_caps_unref (caps);
    caps = choose_caps (input, feed->kinds);
  }
  send_these_caps (feed, caps);
}

static const gchar *const rows[] = { "rows-used", "rows-late", "rows-duplicate", "rows-superseded", "rows-dropped", "rows-kept", NULL };
static const gchar *const points[] = { "points-inside", "points-outside", "points-nan", "points-infinite", NULL };

static void
set_up_fuse (Bench *bench, Input *input)
{
  bench->ticks_increase = bench->ticks_go_back = TRUE;
  bench->kinds = CAPS_ROWS;
  choose_rate (bench, input);
}

static void
configure_fuse (Bench *bench, Input *input)
{
  CHOOSE_SETTINGS (bench, input, "", "window=2", "window=5 info=tensor", "latency=0", "latency=100000000", "type=float32", "info=tensor",
      "stats-interval=1000000");
  if (bench->rate.num > 0 && !input_one_in (input, 8))
    g_object_set (bench->element, "rate", bench->rate.num, bench->rate.den, NULL);
  else
    g_object_set (bench->element, "rate", 0, 1, "reference-pad", "proprio_0", NULL);
}

static void
set_up_resample (Bench *bench, Input *input)
{
  bench->kinds = input_one_in (input, 4) ? CAPS_EPISODES : CAPS_ROWS;
  bench->ticks_increase = bench->kinds == CAPS_ROWS;
  choose_rate (bench, input);
}

static void
configure_resample (Bench *bench, Input *input)
{
  CHOOSE_SETTINGS (bench, input, "", "gap-policy=nan", "gap-policy=hold max-gap=30000000", "interpolation=cubic",
      "interpolation=nearest reorder-window=20000000", "interpolation=mean", "type=float32");
  if (bench->kinds == CAPS_EPISODES)
    g_object_set (bench->element, "gap-policy", 1, NULL);
  g_object_set (bench->element, "rate", bench->rate.num, bench->rate.den, NULL);
}

static void
set_up_voxelize (Bench *bench, Input *input)
{
  bench->kinds = input_one_in (input, 4) ? CAPS_VIDEO : CAPS_POINTS;
}

static void
configure_voxelize (Bench *bench, Input *input)
{
  g_object_set (bench->element, "grid", "8:9:10", "max-voxels", 100, "fx", 10.0, "fy", 10.0, "cx", 4.0, "cy", 4.0, NULL);
  CHOOSE_SETTINGS (bench, input, "", "", "mode=count", "mode=centroid", "output=bits", "output=sparse", "accumulate=3",
      "mode=count output=sparse accumulate=2", "mode=occupancy type=float16", "mode=count stats-interval=1000000", "mode=first output=sparse", "mode=pillars output=sparse", "output=index",
      "output=rank");
}

/* ---- grids ---- */

static void
set_up_view (Bench *bench, Input *input)
{
  static const gint sizes[] = { 1, 2, 7, 33, 64, 120 };

  bench->accepted = gst_caps_new_simple ("video/x-raw", "width", G_TYPE_INT, input_pick (input, sizes), "height", G_TYPE_INT,
      input_pick (input, sizes), NULL);
}

static void
configure_view (Bench *bench, Input *input)
{
  CHOOSE_SETTINGS (bench, input, "", "view=top", "view=isometric colour-by=height", "axes=false", "legend=false");
}

/* ---- recordings ---- */

/* The bench's kinds: which of these it reads. */
static const struct
{
  const gchar *settings;
  gsize record;                 /* bytes; 0: text of a time and two numbers */
  const gchar *before, *between;
} recordings[] = {
  {"format=csv time-column=0 time-unit=ns", 0, "", ","},
  {"format=csv time-column=0 time-unit=ns arrival-column=0", 0, "", ","},
  {"format=csv time-column=0 time-unit=us clock-mode=track", 0, "", ","},
  {"format=binary layout=<q2f time-unit=ns", 16, NULL},
  {"format=pcd", 0, "VERSION .7\nFIELDS x y z\nSIZE 4 4 4\nTYPE F F F\nCOUNT 1 1 1\nWIDTH 1\nHEIGHT 1\n"
        "VIEWPOINT 0 0 0 1 0 0 0\nPOINTS 1\nDATA ascii\n", " "},
  {"format=kitti cloud-end=buffer rate=10/1", 16, NULL},
  {"format=nuscenes points-per-cloud=2", 20, NULL},
  {"format=points layout==3f channels=x,y,z cloud-end=buffer", 12, NULL},
};

static void
set_up_parse (Bench *bench, Input *input)
{
  bench->kinds = input_below (input, G_N_ELEMENTS (recordings));
}

static void
configure_parse (Bench *bench, Input *input)
{
  set_all (bench, recordings[bench->kinds].settings);
  CHOOSE_SETTINGS (bench, input, "max-errors=-1", "max-errors=-1 start=keep", "stats-interval=1000000", "max-errors=-1 time-origin=0");
}

static gint64
advance (Feed *feed, Input *input)
{
  feed->time += input_below (input, 255) * (gint64) GST_MSECOND / 10;
  return input_one_in (input, 200) ? G_MAXINT64 - feed->time : feed->time;
}

static void
append_record (Feed *feed, GByteArray *bytes, Input *input)
{
  const gsize size = recordings[feed->kinds].record;
  const gint64 time = advance (feed, input);
  const gfloat x = (gfloat) (time % 7), record[5] = { x, 1.0f, x, 0.5f, x };

  if (size == 0) {
    const gchar *between = recordings[feed->kinds].between;
    gchar *text = g_strdup_printf ("%s%" G_GINT64_FORMAT "%s1.5%s%d\n", recordings[feed->kinds].before, time, between, between,
        (gint) (time % 10));

    g_byte_array_append (bytes, (const guint8 *) text, (guint) strlen (text));
    g_free (text);
  } else if (size == 16 && strstr (recordings[feed->kinds].settings, "<q")) {
    g_byte_array_append (bytes, (const guint8 *) &time, sizeof (time));
    g_byte_array_append (bytes, (const guint8 *) record, 8);
  } else {
    g_byte_array_append (bytes, (const guint8 *) record, (guint) size);
  }
}

/* Whole records; seldom less. */
static void
send_records (Feed *feed, Input *input)
{
  GByteArray *bytes = g_byte_array_new ();

  for (guint n = input_below (input, 4); n > 0; n--)
    append_record (feed, bytes, input);
  if (input_one_in (input, 64))
    g_byte_array_set_size (bytes, bytes->len / 2);
  feed_push (feed, bytes->len > 0 ? gst_buffer_new_memdup (bytes->data, bytes->len) : gst_buffer_new ());
  g_byte_array_unref (bytes);
}

/* ---- rows without a sink pad ---- */

static void
set_up_source (Bench *bench, Input *input)
{
}

static void
configure_source (Bench *bench, Input *input)
{
  CHOOSE_SETTINGS (bench, input, "kind=proprio", "kind=force jitter=1000000 disorder=0.5", "kind=imu is-live=true", "kind=points channels=10",
      "drop=0.5", "gap=20000000 is-live=true", "num-buffers=10");
}

const Target targets[] = {
  {"robocachefuse", TRUE, FALSE, set_up_fuse, configure_fuse, GST_FORMAT_TIME, send_good_caps, send_buffer, "rows-in", rows},
  {"robocacheresample", FALSE, FALSE, set_up_resample, configure_resample, GST_FORMAT_TIME, send_good_caps, send_buffer, "rows-in", rows},
  {"robocachevoxelize", FALSE, FALSE, set_up_voxelize, configure_voxelize, GST_FORMAT_TIME, send_good_caps, send_buffer, "points", points},
  {"robocacheparse", FALSE, FALSE, set_up_parse, configure_parse, GST_FORMAT_BYTES, NULL, send_records, NULL, NULL},
  {"robocachetestsrc", FALSE, TRUE, set_up_source, configure_source, GST_FORMAT_TIME, NULL, NULL, NULL, NULL},
#ifdef HAVE_VOXELVIEW
  {"robocachevoxelview", FALSE, FALSE, set_up_view, configure_view, GST_FORMAT_TIME, send_grid_caps, send_grid, NULL, NULL},
#endif
  {NULL}
};
