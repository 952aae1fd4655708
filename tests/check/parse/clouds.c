/* robocache: files of points to clouds, through pipelines
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "parse_harness.h"
#include "pcdfile.h"

#define VOXELIZE "robocachevoxelize origin=\"<-10.0,-10.0,-1.0>\" voxel-size=\"<0.5,0.5,1.0>\" grid=64:64:16 mode=mean"
#define XYZI "application/x-pointcloud, fields=(string)\"x\\,y\\,z\\,intensity\", type=(string)float32, "

/* ---- folders of files ---- */

/* A folder of n files, 0.bin on, of 10, 11, … points; data is that of PCD files, or NULL: points alone. */
static gchar *
make_folder (guint n, const gchar *data)
{
  gchar *folder = g_dir_make_tmp ("robocacheparse-XXXXXX", NULL);

  for (guint i = 0; i < n; i++) {
    GByteArray *file = data ? g_byte_array_new () : four_floats (10 + i);
    gchar *path = g_strdup_printf ("%s/%u.bin", folder, i);

    if (data)
      append_pcd (file, 10 + i, data);
    fail_unless (g_file_set_contents (path, (const gchar *) file->data, file->len, NULL));
    g_free (path);
    g_byte_array_unref (file);
  }
  return folder;
}

/* Replaces file i. */
static void
set_file (const gchar *folder, guint i, gconstpointer bytes, gssize n)
{
  gchar *path = g_strdup_printf ("%s/%u.bin", folder, i);

  fail_unless (g_file_set_contents (path, bytes, n, NULL));
  g_free (path);
}

static void
remove_folder (gchar *folder, guint n)
{
  for (guint i = 0; i < n; i++) {
    gchar *path = g_strdup_printf ("%s/%u.bin", folder, i);

    g_unlink (path);
    g_free (path);
  }
  g_rmdir (folder);
  g_free (folder);
}

/* The files of a folder, each a buffer, through robocacheparse and what follows it. */
static Output
run_folder (const gchar *folder, const gchar *caps, const gchar *properties)
{
  gchar *line = g_strdup_printf ("multifilesrc location=%s/%%d.bin caps=%s ! robocacheparse name=e %s ! fakesink name=sink",
      folder, caps, properties);
  Output out = run_pipeline (line);

  g_free (line);
  return out;
}

#define FRAMES "application/octet-stream,framerate=10/1"
#define BYTES "application/octet-stream"

/* Clouds of 10, 11, … points. */
static void
expect_clouds (const Output *out, guint n, GstClockTime period)
{
  fail_unless_equals_int (out->n_errors, 0);
  fail_unless_equals_int (out->n_warnings, 0);
  fail_unless_equals_int (out->buffers->len, n);
  for (guint i = 0; i < n; i++) {
    GstBuffer *buffer = output_buffer (out, i);
    GByteArray *points = four_floats (10 + i);

    fail_unless_equals_int (gst_buffer_get_size (buffer), points->len);
    fail_unless (gst_buffer_memcmp (buffer, 0, points->data, points->len) == 0);
    if (period > 0) {
      fail_unless_equals_uint64 (GST_BUFFER_PTS (buffer), i * period);
      fail_unless_equals_uint64 (GST_BUFFER_DURATION (buffer), period);
    } else {
      fail_unless (!GST_BUFFER_PTS_IS_VALID (buffer) && !GST_BUFFER_DURATION_IS_VALID (buffer));
    }
    fail_unless_equals_int (GST_BUFFER_IS_DISCONT (buffer), i == 0);
    g_byte_array_unref (points);
  }
}

static void
expect_output_caps (const Output *out, const gchar *expected)
{
  GstCaps *caps = gst_caps_from_string (expected);

  fail_unless (out->caps != NULL && gst_caps_is_equal (out->caps, caps), "%" GST_PTR_FORMAT, out->caps);
  gst_caps_unref (caps);
}

/* ---- a file a buffer ---- */

static const struct
{
  const gchar *data, *format;
} kinds[] = { {NULL, "format=kitti"}, {"ascii", "format=pcd"}, {"binary", "format=pcd"}, {"binary_compressed", "format=pcd"},
{NULL, "format=points layout==4f channels=x,y,z,intensity"}
};

GST_START_TEST (a_folder_of_files)
{
  for (guint i = 0; i < G_N_ELEMENTS (kinds); i++) {
    gchar *folder = make_folder (4, kinds[i].data);
    Output out = run_folder (folder, FRAMES, kinds[i].format);

    expect_clouds (&out, 4, 100 * GST_MSECOND);
    expect_output_caps (&out, XYZI "framerate=(fraction)10/1");
    output_clear (&out);
    remove_folder (folder, 4);
  }
}

GST_END_TEST;

GST_START_TEST (rate_is_for_files_without_times)
{
  gchar *folder = make_folder (3, NULL);
  Output out = run_folder (folder, BYTES, "format=kitti rate=20");

  expect_clouds (&out, 3, 50 * GST_MSECOND);
  expect_output_caps (&out, XYZI "framerate=(fraction)20/1");
  output_clear (&out);
  /* and wins over the framerate */
  out = run_folder (folder, FRAMES, "format=kitti rate=20");
  expect_clouds (&out, 3, 50 * GST_MSECOND);
  output_clear (&out);
  remove_folder (folder, 3);
}

GST_END_TEST;

GST_START_TEST (cloud_end)
{
  gchar *folder = make_folder (3, NULL);
  Output out = run_folder (folder, BYTES, "format=kitti cloud-end=buffer");

  expect_clouds (&out, 3, 0);
  expect_output_caps (&out, XYZI "framerate=(fraction)0/1");
  output_clear (&out);
  out = run_folder (folder, FRAMES, "format=kitti cloud-end=stream");
  fail_unless_equals_int (out.buffers->len, 1);
  fail_unless_equals_int (gst_buffer_get_size (output_buffer (&out, 0)), (10 + 11 + 12) * 16);
  output_clear (&out);
  /* nothing says what a buffer is */
  out = run_folder (folder, BYTES, "format=kitti");
  fail_unless_equals_int (out.n_errors, 1);
  fail_unless (strstr (out.error, "cloud-end=buffer") != NULL, "%s", out.error);
  fail_unless_equals_int (out.buffers->len, 0);
  output_clear (&out);
  remove_folder (folder, 3);
}

GST_END_TEST;

/* Its time is left free, so that the others keep theirs. */
GST_START_TEST (a_file_cut_short_is_left_out)
{
  static const GstClockTime times[] = { 0, 200 * GST_MSECOND, 300 * GST_MSECOND };

  for (guint i = 0; i < G_N_ELEMENTS (kinds); i++) {
    gchar *folder = make_folder (4, kinds[i].data);
    Output out;

    set_file (folder, 1, "DATA", 4);
    if (!kinds[i].data)
      set_file (folder, 1, "12345678901234567", 17);
    out = run_folder (folder, FRAMES, kinds[i].format);
    fail_unless_equals_int (out.n_errors, 0);
    fail_unless_equals_int (out.n_warnings, 1);
    fail_unless (strstr (out.warning, "cloud 2 at byte 0: ") != NULL, "%s", out.warning);
    fail_unless_equals_int (out.buffers->len, 3);
    for (guint j = 0; j < 3; j++)
      fail_unless_equals_uint64 (output_pts (&out, j), times[j]);
    fail_unless (GST_BUFFER_IS_DISCONT (output_buffer (&out, 1)));
    output_clear (&out);
    remove_folder (folder, 4);
  }
}

GST_END_TEST;

/* Nor do bytes behind a cloud take a time. */
GST_START_TEST (a_file_with_too_many_points)
{
  gchar *folder = make_folder (3, "ascii"), *path = g_strdup_printf ("%s/1.bin", folder), *text, *more;
  Output out;

  fail_unless (g_file_get_contents (path, &text, NULL, NULL));
  more = g_strconcat (text, "1 2 3 4\n1 2 3 4\n", NULL);
  set_file (folder, 1, more, -1);
  out = run_folder (folder, FRAMES, "format=pcd");
  fail_unless_equals_int (out.n_warnings, 1);
  fail_unless_equals_int (out.buffers->len, 3);
  fail_unless_equals_uint64 (output_pts (&out, 2), 200 * GST_MSECOND);
  output_clear (&out);
  g_free (more);
  g_free (text);
  g_free (path);
  remove_folder (folder, 3);
}

GST_END_TEST;

GST_START_TEST (an_empty_file)
{
  gchar *folder = make_folder (3, NULL);
  Output out;

  set_file (folder, 1, "", 0);
  out = run_folder (folder, FRAMES, "format=kitti");
  fail_unless_equals_int (out.n_warnings, 0);
  fail_unless_equals_int (out.buffers->len, 3);
  fail_unless_equals_int (gst_buffer_get_size (output_buffer (&out, 1)), 0);
  output_clear (&out);
  out = run_folder (folder, FRAMES, "format=pcd");
  fail_unless_equals_int (out.n_errors, 1);
  fail_unless (strstr (out.error, "No cloud of 3 could be read") != NULL, "%s", out.error);
  output_clear (&out);
  remove_folder (folder, 3);
}

GST_END_TEST;

/* ---- a stream of files ---- */

/* PCD files, one after another, in one. */
static gchar *
write_files (guint n, const gchar *data)
{
  GByteArray *files = g_byte_array_new ();
  gchar *path;

  for (guint i = 0; i < n; i++)
    append_pcd (files, 10 + i, data);
  path = write_file (files->data, files->len);
  g_byte_array_unref (files);
  return path;
}

GST_START_TEST (files_in_one_in_any_blocks)
{
  static const gchar *data[] = { "ascii", "binary", "binary_compressed" };
  static const guint blocks[] = { 1, 7, 100, 100000 };

  for (guint i = 0; i < G_N_ELEMENTS (data); i++) {
    gchar *path = write_files (4, data[i]);

    for (guint j = 0; j < G_N_ELEMENTS (blocks); j++) {
      Output out = parse_file (path, "format=pcd", blocks[j]);

      expect_clouds (&out, 4, 0);
      output_clear (&out);
      out = parse_file (path, "format=pcd rate=4", blocks[j]);
      expect_clouds (&out, 4, 250 * GST_MSECOND);
      output_clear (&out);
    }
    g_unlink (path);
    g_free (path);
  }
}

GST_END_TEST;

/* The first half of a file, before others: it is one malformed record, which takes a time, and they are whole. */
GST_START_TEST (a_file_cut_short_in_a_stream)
{
  static const gchar *data[] = { "ascii", "binary", "binary_compressed" };
  static const guint blocks[] = { 1, 7, 100, 100000 };

  for (guint i = 0; i < G_N_ELEMENTS (data); i++) {
    GByteArray *files = g_byte_array_new ();
    gchar *path;

    append_pcd (files, 100, data[i]);
    g_byte_array_set_size (files, files->len / 2);
    append_pcd (files, 10, data[i]);
    append_pcd (files, 11, data[i]);
    path = write_file (files->data, files->len);
    for (guint j = 0; j < G_N_ELEMENTS (blocks); j++) {
      Output out = parse_file (path, "format=pcd rate=1 max-errors=1", blocks[j]);

      fail_unless_equals_int (out.n_errors, 0);
      fail_unless_equals_int (out.n_warnings, 1);
      fail_unless (strstr (out.warning, "cloud 1 at byte 0: the cloud ends after ") != NULL, "%s", out.warning);
      fail_unless_equals_int (out.buffers->len, 2);
      for (guint k = 0; k < 2; k++) {
        fail_unless_equals_uint64 (output_pts (&out, k), (k + 1) * GST_SECOND);
        fail_unless_equals_int (gst_buffer_get_size (output_buffer (&out, k)), (10 + k) * 16);
      }
      output_clear (&out);
    }
    g_unlink (path);
    g_free (path);
    g_byte_array_unref (files);
  }
}

GST_END_TEST;

GST_START_TEST (a_file_of_points_is_a_cloud)
{
  static const guint blocks[] = { 1, 7, 100, 100000 };
  GByteArray *points = four_floats (10);
  gchar *path = write_file (points->data, points->len);

  for (guint i = 0; i < G_N_ELEMENTS (blocks); i++) {
    Output out = parse_file (path, "format=kitti", blocks[i]);

    expect_clouds (&out, 1, 0);
    output_clear (&out);
    out = parse_file (path, "format=nuscenes points-per-cloud=2", blocks[i]);
    fail_unless_equals_int (out.buffers->len, 4);
    fail_unless_equals_int (gst_buffer_get_size (output_buffer (&out, 3)), 40);
    expect_output_caps (&out, "application/x-pointcloud, fields=(string)\"x\\,y\\,z\\,intensity\\,ring\", "
        "type=(string)float32, framerate=(fraction)0/1");
    output_clear (&out);
    /* the last one is short */
    out = parse_file (path, "format=kitti points-per-cloud=4 rate=1", blocks[i]);
    fail_unless_equals_int (out.buffers->len, 2);
    fail_unless_equals_uint64 (output_pts (&out, 1), GST_SECOND);
    fail_unless_equals_int (out.n_warnings, 1);
    fail_unless (strstr (out.warning, "cloud 3 at byte 128: ") != NULL, "%s", out.warning);
    output_clear (&out);
  }
  g_unlink (path);
  g_free (path);
  g_byte_array_unref (points);
}

GST_END_TEST;

GST_START_TEST (points_of_the_caps_before_the_element)
{
  GByteArray *points = four_floats (10);
  gchar *path = write_file (points->data, points->len);
  gchar *line = g_strdup_printf ("filesrc location=%s blocksize=50 ! application/x-lidar ! robocacheparse name=e "
      "format=points points-per-cloud=5 rate=10 ! fakesink name=sink", path);
  Output out = run_pipeline (line);

  fail_unless_equals_int (out.n_errors, 0);
  fail_unless_equals_int (out.buffers->len, 2);
  fail_unless_equals_uint64 (output_pts (&out, 1), 100 * GST_MSECOND);
  expect_output_caps (&out, "application/x-lidar, framerate=(fraction)10/1");
  output_clear (&out);
  g_free (line);

  out = parse_file (path, "format=points", 4096);
  fail_unless_equals_int (out.n_errors, 1);
  fail_unless (strstr (out.error, "set layout and channels") != NULL, "%s", out.error);
  output_clear (&out);

  line = g_strdup_printf ("filesrc location=%s ! application/x-pointcloud,fields=(string)\"x,y,z\" ! robocacheparse name=e "
      "format=points ! fakesink name=sink", path);
  expect_error (line, "type");
  g_free (line);
  g_unlink (path);
  g_free (path);
  g_byte_array_unref (points);
}

GST_END_TEST;

/* ---- grids ---- */

static GBytes *
grids (const gchar *source, const gchar *parse)
{
  gchar *line = g_strdup_printf ("%s ! %s ! " VOXELIZE " ! fakesink name=sink", source, parse);
  Output out = run_pipeline (line);
  GByteArray *all = g_byte_array_new ();

  fail_unless (out.buffers->len > 0);
  for (guint i = 0; i < out.buffers->len; i++) {
    GstMapInfo map;

    fail_unless (gst_buffer_map (output_buffer (&out, i), &map, GST_MAP_READ));
    g_byte_array_append (all, map.data, map.size);
    gst_buffer_unmap (output_buffer (&out, i), &map);
  }
  g_free (line);
  output_clear (&out);
  return g_byte_array_free_to_bytes (all);
}

/* Points of any layout, as files have them and as caps say it. */
GST_START_TEST (grids_of_a_layout)
{
  const guint16 ring = 64000;
  guint8 points[20] = { 0 };
  gchar *path, *source;
  GBytes *parsed, *raw;
  gfloat greatest = 0;

  memcpy (points + 12, &ring, sizeof ring);
  path = write_file (points, sizeof points);
  source = g_strdup_printf ("filesrc location=%s blocksize=20", path);
  parsed = grids (source, "robocacheparse format=points layout==fffHxxf channels=z,y,x,ring,intensity");
  raw = grids (source, "application/x-pointcloud,fields=(string)\"x,ring,y,z,intensity\",types=(string)\"float32,uint16,"
      "float32,float32,float32\",offsets=(string)\"8,12,4,0,16\"");
  fail_unless (g_bytes_equal (parsed, raw));
  for (gsize i = 0; i < g_bytes_get_size (raw) / sizeof greatest; i++)
    greatest = MAX (greatest, ((const gfloat *) g_bytes_get_data (raw, NULL))[i]);
  assert_equals_float (greatest, 64000.0f);
  g_bytes_unref (parsed);
  g_bytes_unref (raw);
  g_unlink (path);
  g_free (path);
  g_free (source);
}

GST_END_TEST;

/* The grids of points that are handed to robocachevoxelize as they are. */
GST_START_TEST (grids_are_those_of_the_raw_points)
{
  GByteArray *points = four_floats (10);
  gchar *raw = write_file (points->data, points->len);
  gchar *source = g_strdup_printf ("filesrc location=%s blocksize=160", raw);
  GBytes *expected = grids (source, "application/x-pointcloud,fields=(string)\"x,y,z,intensity\",type=(string)float32");
  static const guint8 nothing[64 * 64 * 16 * 4];

  fail_unless (memcmp (g_bytes_get_data (expected, NULL), nothing, sizeof nothing) != 0);
  for (guint i = 0; i < G_N_ELEMENTS (kinds); i++) {
    gchar *folder = make_folder (1, kinds[i].data), *parse = g_strdup_printf ("robocacheparse %s", kinds[i].format);
    gchar *files = g_strdup_printf ("multifilesrc location=%s/%%d.bin caps=" FRAMES, folder);
    gchar *file = g_strdup_printf ("filesrc location=%s/0.bin blocksize=13", folder);
    GBytes *got = grids (files, parse), *of_one = grids (file, parse);

    fail_unless (g_bytes_equal (got, expected), "%s", parse);
    fail_unless (g_bytes_equal (of_one, expected), "%s", parse);
    g_bytes_unref (of_one);
    g_bytes_unref (got);
    g_free (file);
    g_free (files);
    g_free (parse);
    remove_folder (folder, 1);
  }
  g_bytes_unref (expected);
  g_unlink (raw);
  g_free (raw);
  g_free (source);
  g_byte_array_unref (points);
}

GST_END_TEST;

/* ---- caps ---- */

GST_START_TEST (caps_change_between_files)
{
  GstHarness *h = harness (NULL, "format", 2, NULL);
  static const gchar *files[] = { "FIELDS x y z\nWIDTH 1\nDATA ascii\n1 2 3\n",
    "FIELDS x y z\nTYPE F F U\nSIZE 4 4 1\nWIDTH 1\nHEIGHT 2\nVIEWPOINT 1 2 3 1 0 0 0\nDATA ascii\n1 2 3\n1 2 3\n"
  };
  static const gchar *expected[] = {
    "application/x-pointcloud, fields=(string)\"x\\,y\\,z\", type=(string)float32, framerate=(fraction)0/1",
    "application/x-pointcloud, fields=(string)\"x\\,y\\,z\", types=(string)\"float32\\,float32\\,uint8\", width=(int)1, "
        "height=(int)2, viewpoint=(string)\"1\\,2\\,3\\,1\\,0\\,0\\,0\", framerate=(fraction)0/1"
  };

  for (guint i = 0; i < G_N_ELEMENTS (files); i++) {
    GstCaps *caps = gst_caps_from_string (expected[i]), *got;

    fail_unless_equals_int (push_text (h, files[i]), GST_FLOW_OK);
    gst_buffer_unref (gst_harness_pull (h));
    got = gst_pad_get_current_caps (h->sinkpad);
    fail_unless (gst_caps_is_equal (got, caps), "%" GST_PTR_FORMAT, got);
    gst_caps_unref (got);
    gst_caps_unref (caps);
  }
  harness_clear (h, NULL);
}

GST_END_TEST;

GST_START_TEST (caps_that_downstream_refuses)
{
  GByteArray *points = four_floats (1);
  Output out = parse_bytes (points->data, points->len, "format=kitti ! other/tensors");

  fail_unless_equals_int (out.n_errors, 1);
  fail_unless (strstr (out.error, "The recording's clouds are application/x-pointcloud") != NULL, "%s", out.error);
  output_clear (&out);
  g_byte_array_unref (points);
}

GST_END_TEST;

/* ---- faults ---- */

GST_START_TEST (malformed_points_and_max_errors)
{
  static const gchar *header = "FIELDS x y z\nWIDTH 5\nDATA ascii\n";
  gchar *path = g_strconcat (header, "1 2\n1 2 3\n1\n1 2 3 4\n1 2 3\n", NULL);
  Output out = parse (path, "format=pcd max-errors=2");

  /* two in a row, after a good one */
  fail_unless_equals_int (out.n_errors, 0);
  fail_unless_equals_int (out.n_warnings, 1);
  fail_unless (strstr (out.warning, "cloud 1 at byte 0: line 4 has 2 columns, expected 3") != NULL, "%s", out.warning);
  fail_unless_equals_int (out.buffers->len, 1);
  fail_unless_equals_int (gst_buffer_get_size (output_buffer (&out, 0)), 24);
  output_clear (&out);
  expect_parse_error (path, "format=pcd max-errors=1", "2 malformed records in a row, more than max-errors=1");
  g_free (path);
}

GST_END_TEST;

GST_START_TEST (a_pcd_file_that_is_taken_for_csv)
{
  expect_parse_error ("# .PCD v0.7 - Point Cloud Data file format\nVERSION 0.7\n", "", "set format=pcd");
}

GST_END_TEST;

GST_START_TEST (settings_that_make_no_sense)
{
  expect_parse_error ("", "format=pcd arrival-column=1", "arrival-column is set");
  expect_parse_error ("", "format=kitti clock-mode=track", "clock-mode is set");
  expect_parse_error ("", "format=kitti points-per-cloud=1 cloud-end=buffer", "set one of the two");
  expect_parse_error ("", "format=kitti layout=<f", "layout=\"<f\" is not for this format");
}

GST_END_TEST;

GST_START_TEST (stats_count_clouds_and_points)
{
  GstHarness *h = harness (NULL, "format", 2, NULL);

  fail_unless_equals_int (push_text (h, "FIELDS x y z\nWIDTH 3\nDATA ascii\n1 2 3\n1 2\n1 2 3\n"), GST_FLOW_OK);
  fail_unless_equals_int (push_text (h, "FIELDS x y z\nWIDTH 1\nDATA ascii\n1 2 3\n"), GST_FLOW_OK);
  fail_unless_equals_uint64 (stats_uint64 (h->element, "clouds"), 2);
  fail_unless_equals_uint64 (stats_uint64 (h->element, "points"), 3);
  fail_unless_equals_uint64 (stats_uint64 (h->element, "malformed"), 1);
  fail_unless_equals_uint64 (stats_uint64 (h->element, "rows"), 0);
  /* one that is cut in its points, one in its header, and one that is whole */
  fail_unless_equals_int (push_text (h, "FIELDS x y z\nWIDTH 3\nDATA ascii\n1 2 3\n1 2"), GST_FLOW_OK);
  fail_unless_equals_int (push_text (h, "# .PCD v0.7\nVERSION 0.7\nFIEL"), GST_FLOW_OK);
  fail_unless_equals_int (push_text (h, "# .PCD v0.7\nFIELDS x y z\nWIDTH 1\nDATA ascii\n1 2 3\n"), GST_FLOW_OK);
  fail_unless_equals_uint64 (stats_uint64 (h->element, "clouds"), 3);
  fail_unless_equals_uint64 (stats_uint64 (h->element, "points"), 4);
  fail_unless_equals_uint64 (stats_uint64 (h->element, "malformed"), 3);
  harness_clear (h, NULL);
}

GST_END_TEST;

/* ---- times of upstream ---- */

static void
push_cloud_at (GstHarness *h, guint n, GstClockTime pts)
{
  GByteArray *points = four_floats (n);
  GstBuffer *buffer = gst_buffer_new_memdup (points->data, points->len);

  GST_BUFFER_PTS (buffer) = pts;
  fail_unless_equals_int (gst_harness_push (h, buffer), GST_FLOW_OK);
  g_byte_array_unref (points);
}

GST_START_TEST (times_and_segment_of_upstream_are_kept)
{
  GstHarness *h = harness (NULL, "format", 3, NULL);
  GstSegment segment;
  const GstSegment *got;
  GstEvent *event;

  gst_segment_init (&segment, GST_FORMAT_TIME);
  segment.start = segment.time = segment.position = 5 * GST_SECOND;
  gst_harness_push_event (h, gst_event_new_segment (&segment));
  push_cloud_at (h, 3, 5 * GST_SECOND);
  push_cloud_at (h, 2, 7 * GST_SECOND);
  for (guint i = 0; i < 2; i++) {
    GstBuffer *buffer = gst_harness_pull (h);

    fail_unless_equals_uint64 (GST_BUFFER_PTS (buffer), (5 + 2 * i) * GST_SECOND);
    gst_buffer_unref (buffer);
  }
  event = gst_pad_get_sticky_event (h->sinkpad, GST_EVENT_SEGMENT, 0);
  gst_event_parse_segment (event, &got);
  fail_unless (gst_segment_is_equal (got, &segment) || (got->start == segment.start && got->time == segment.time));
  gst_event_unref (event);
  harness_clear (h, NULL);
}

GST_END_TEST;

/* What a cut or a jump leaves of a cloud is not continued by what comes after it. */
GST_START_TEST (a_flush_or_a_discontinuity_ends_a_cloud)
{
  static const gchar *begun = "FIELDS x y z\nWIDTH 2\nDATA ascii\n1 2 3\n";
  static const gchar *whole = "FIELDS x y z\nWIDTH 1\nDATA ascii\n1 2 3\n";
  GstHarness *h = harness (NULL, "format", 2, "cloud-end", 2, NULL);
  GstBuffer *buffer = gst_buffer_new_memdup (whole, strlen (whole));
  GstSegment segment;

  fail_unless_equals_int (push_text (h, begun), GST_FLOW_OK);
  GST_BUFFER_FLAG_SET (buffer, GST_BUFFER_FLAG_DISCONT);
  fail_unless_equals_int (gst_harness_push (h, buffer), GST_FLOW_OK);
  fail_unless_equals_uint64 (stats_uint64 (h->element, "malformed"), 1);
  fail_unless_equals_uint64 (stats_uint64 (h->element, "clouds"), 1);

  fail_unless_equals_int (push_text (h, begun), GST_FLOW_OK);
  fail_unless (gst_harness_push_event (h, gst_event_new_flush_start ()));
  fail_unless (gst_harness_push_event (h, gst_event_new_flush_stop (TRUE)));
  gst_segment_init (&segment, GST_FORMAT_BYTES);
  fail_unless (gst_harness_push_event (h, gst_event_new_segment (&segment)));
  fail_unless_equals_int (push_text (h, whole), GST_FLOW_OK);
  fail_unless_equals_uint64 (stats_uint64 (h->element, "malformed"), 1);
  fail_unless_equals_uint64 (stats_uint64 (h->element, "clouds"), 2);
  harness_clear (h, NULL);
}

GST_END_TEST;

/* A seek reads the file again, and leaves out what is before it. */
GST_START_TEST (seek)
{
  gchar *path = write_files (5, "binary");
  gchar *line = g_strdup_printf ("filesrc location=%s blocksize=100 ! robocacheparse name=e format=pcd rate=1 ! "
      "fakesink name=sink sync=false signal-handoffs=true", path);
  GstElement *pipeline = gst_parse_launch (line, NULL), *sink = gst_bin_get_by_name (GST_BIN (pipeline), "sink");
  Output out = { g_ptr_array_new_with_free_func ((GDestroyNotify) gst_buffer_unref) };
  GstBus *bus = gst_element_get_bus (pipeline);
  GstMessage *message;

  gst_element_set_state (pipeline, GST_STATE_PAUSED);
  fail_unless_equals_int (gst_element_get_state (pipeline, NULL, NULL, 60 * GST_SECOND), GST_STATE_CHANGE_SUCCESS);
  g_signal_connect (sink, "handoff", G_CALLBACK (keep_buffer), &out);
  fail_unless (gst_element_seek (pipeline, 1.0, GST_FORMAT_TIME, GST_SEEK_FLAG_FLUSH, GST_SEEK_TYPE_SET, 2 * GST_SECOND,
          GST_SEEK_TYPE_SET, 4 * GST_SECOND));
  gst_element_set_state (pipeline, GST_STATE_PLAYING);
  message = gst_bus_timed_pop_filtered (bus, 60 * GST_SECOND, GST_MESSAGE_EOS | GST_MESSAGE_ERROR);
  fail_unless (message && GST_MESSAGE_TYPE (message) == GST_MESSAGE_EOS);
  gst_message_unref (message);
  gst_element_set_state (pipeline, GST_STATE_NULL);
  fail_unless_equals_int (out.buffers->len, 2);
  fail_unless_equals_uint64 (output_pts (&out, 0), 2 * GST_SECOND);
  fail_unless_equals_int (gst_buffer_get_size (output_buffer (&out, 0)), 12 * 16);
  output_clear (&out);
  gst_object_unref (bus);
  gst_object_unref (sink);
  gst_object_unref (pipeline);
  g_unlink (path);
  g_free (path);
  g_free (line);
}

GST_END_TEST;

static Suite *
robocacheparseclouds_suite (void)
{
  Suite *suite = suite_create ("robocacheparseclouds");
  TCase *tc = tcase_create ("general");

  suite_add_tcase (suite, tc);
  tcase_add_test (tc, a_folder_of_files);
  tcase_add_test (tc, rate_is_for_files_without_times);
  tcase_add_test (tc, cloud_end);
  tcase_add_test (tc, a_file_cut_short_is_left_out);
  tcase_add_test (tc, a_file_with_too_many_points);
  tcase_add_test (tc, an_empty_file);
  tcase_add_test (tc, files_in_one_in_any_blocks);
  tcase_add_test (tc, a_file_cut_short_in_a_stream);
  tcase_add_test (tc, a_file_of_points_is_a_cloud);
  tcase_add_test (tc, points_of_the_caps_before_the_element);
  tcase_add_test (tc, grids_of_a_layout);
  tcase_add_test (tc, grids_are_those_of_the_raw_points);
  tcase_add_test (tc, caps_change_between_files);
  tcase_add_test (tc, caps_that_downstream_refuses);
  tcase_add_test (tc, malformed_points_and_max_errors);
  tcase_add_test (tc, a_pcd_file_that_is_taken_for_csv);
  tcase_add_test (tc, settings_that_make_no_sense);
  tcase_add_test (tc, stats_count_clouds_and_points);
  tcase_add_test (tc, times_and_segment_of_upstream_are_kept);
  tcase_add_test (tc, a_flush_or_a_discontinuity_ends_a_cloud);
  tcase_add_test (tc, seek);
  return suite;
}

GST_CHECK_MAIN (robocacheparseclouds);
