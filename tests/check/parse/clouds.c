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

#define FRAMES "application/octet-stream,framerate=10/1"
#define BYTES "application/octet-stream"

/* ---- what comes out ---- */

/* The bytes of a cloud. */
typedef enum
{
  FIRST,                        /* the first points of four_floats */
  NEXT,                         /* those after the cloud before */
  ANY
} Content;

typedef struct
{
  const gchar *properties;
  const gchar *clouds;          /* "TIME+DURATION:BYTES …" in ms, -: none, with D before a cloud after a loss */
  const gchar *warning, *error; /* NULL: none */
  const gchar *rate;            /* framerate of the caps, whose fields are x, y, z, intensity; NULL: any caps */
  Content content;
} Expected;

static void
expect_clouds (const Output *out, const Expected *expected)
{
  GByteArray *points = four_floats (100);
  GString *clouds = g_string_new (NULL);
  gsize offset = 0;

  for (guint i = 0; i < out->buffers->len; i++) {
    GstBuffer *buffer = output_buffer (out, i);
    const gsize size = gst_buffer_get_size (buffer);

    g_string_append_printf (clouds, "%s%s", i ? " " : "", GST_BUFFER_IS_DISCONT (buffer) ? "D" : "");
    if (GST_BUFFER_PTS_IS_VALID (buffer))
      g_string_append_printf (clouds, "%" G_GUINT64_FORMAT "+%" G_GUINT64_FORMAT, GST_BUFFER_PTS (buffer) / GST_MSECOND,
          GST_BUFFER_DURATION (buffer) / GST_MSECOND);
    else
      g_string_append (clouds, GST_BUFFER_DURATION_IS_VALID (buffer) ? "-+" : "-");
    g_string_append_printf (clouds, ":%" G_GSIZE_FORMAT, size);
    fail_unless (expected->content == ANY || gst_buffer_memcmp (buffer, 0, points->data + offset, size) == 0);
    offset += expected->content == NEXT ? size : 0;
  }
  fail_unless_equals_string (clouds->str, expected->clouds);
  fail_unless_equals_int (out->n_errors, expected->error != NULL);
  fail_unless (!expected->error || strstr (out->error, expected->error), "%s", out->error);
  fail_unless (out->n_warnings == (expected->warning != NULL), "%s", out->warning);
  fail_unless (!expected->warning || strstr (out->warning, expected->warning), "%s", out->warning);
  if (expected->rate) {
    gchar *text = g_strconcat (XYZI "framerate=(fraction)", expected->rate, NULL);
    GstCaps *caps = gst_caps_from_string (text);

    fail_unless (gst_caps_is_equal (out->caps, caps), "%" GST_PTR_FORMAT, out->caps);
    gst_caps_unref (caps);
    g_free (text);
  }
  g_string_free (clouds, TRUE);
  g_byte_array_unref (points);
}

/* ---- a file a buffer ---- */

static const struct
{
  const gchar *data, *format;
} kinds[] = { {NULL, "format=kitti"}, {"ascii", "format=pcd"}, {"binary", "format=pcd"}, {"binary_compressed", "format=pcd"},
{NULL, "format=points layout==4f channels=x,y,z,intensity"}
};

/* Three files of a kind, the second replaced by bytes (NULL: not), or lengthened by them. */
static void
expect_folder (guint kind, const gchar *caps, const gchar *bytes, gboolean lengthens, const Expected *expected)
{
  gchar *folder = make_folder (3, kinds[kind].data), *path = g_strdup_printf ("%s/1.bin", folder), *old, *new;
  gchar *line = g_strdup_printf ("multifilesrc location=%s/%%d.bin caps=%s ! robocacheparse name=e %s %s ! fakesink name=sink",
      folder, caps, kinds[kind].format, expected->properties);
  Output out;

  if (bytes) {
    fail_unless (g_file_get_contents (path, &old, NULL, NULL));
    new = g_strconcat (lengthens ? old : "", bytes, NULL);
    fail_unless (g_file_set_contents (path, new, -1, NULL));
    g_free (new);
    g_free (old);
  }
  out = run_pipeline (line);
  expect_clouds (&out, expected);
  output_clear (&out);
  g_free (line);
  g_free (path);
  remove_folder (folder, 3);
}

GST_START_TEST (folders_of_files)
{
  static const struct
  {
    guint kind;
    const gchar *caps, *bytes;
    gboolean lengthens;
    Expected expected;
  } cases[] = {
    {0, BYTES, NULL, FALSE, {"rate=20", "D0+50:160 50+50:176 100+50:192", NULL, NULL, "20/1"}},
    /* rate wins over the framerate */
    {0, FRAMES, NULL, FALSE, {"rate=20", "D0+50:160 50+50:176 100+50:192", NULL, NULL, "20/1"}},
    {0, BYTES, NULL, FALSE, {"cloud-end=buffer", "D-:160 -:176 -:192", NULL, NULL, "0/1"}},
    {0, FRAMES, NULL, FALSE, {"cloud-end=stream", "D0+100:528", NULL, NULL, "10/1", ANY}},
    /* nothing says what a buffer is */
    {0, BYTES, NULL, FALSE, {"", "", NULL, "cloud-end=buffer"}},
    {0, FRAMES, "", FALSE, {"", "D0+100:160 100+100:0 200+100:192"}},
    {0, FRAMES, "", FALSE, {"format=pcd", "", "cloud 1 at byte 0", "No cloud of 3 could be read"}},
    /* bytes behind a cloud take no time */
    {1, FRAMES, "1 2 3 4\n1 2 3 4\n", TRUE, {"", "D0+100:160 100+100:176 D200+100:192", "cloud 2 at byte 312: line "}},
  };
  static const Expected whole = { "", "D0+100:160 100+100:176 200+100:192", NULL, NULL, "10/1" };
  /* the time of a malformed cloud is left free, so that the others keep theirs */
  static const Expected cut = { "", "D0+100:160 D200+100:192", "cloud 2 at byte 0: ", NULL, "10/1" };

  for (guint i = 0; i < G_N_ELEMENTS (kinds); i++) {
    expect_folder (i, FRAMES, NULL, FALSE, &whole);
    expect_folder (i, FRAMES, kinds[i].data ? "DATA" : "12345678901234567", FALSE, &cut);
  }
  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    expect_folder (cases[i].kind, cases[i].caps, cases[i].bytes, cases[i].lengthens, &cases[i].expected);
}

GST_END_TEST;

/* ---- a stream of files ---- */

/* PCD files, one after another: of n_cut points the first half, then of 10, 11, … */
static GByteArray *
make_files (guint n_cut, guint n, const gchar *data)
{
  GByteArray *files = g_byte_array_new ();

  if (n_cut > 0) {
    append_pcd (files, n_cut, data);
    g_byte_array_set_size (files, files->len / 2);
  }
  for (guint i = 0; i < n; i++)
    append_pcd (files, 10 + i, data);
  return files;
}

/* The same in any blocks. */
static void
expect_stream (GByteArray *bytes, const Expected *expected)
{
  static const guint blocks[] = { 1, 7, 100, 100000 };
  gchar *path = write_file (bytes->data, bytes->len);

  for (guint i = 0; i < G_N_ELEMENTS (blocks); i++) {
    Output out = parse_file (path, expected->properties, blocks[i]);

    expect_clouds (&out, expected);
    output_clear (&out);
  }
  g_unlink (path);
  g_free (path);
  g_byte_array_unref (bytes);
}

GST_START_TEST (streams_of_files)
{
  static const gchar *data[] = { "ascii", "binary", "binary_compressed" };
  static const Expected untimed = { "format=pcd", "D-:160 -:176 -:192", NULL, NULL, "0/1" };
  static const Expected timed = { "format=pcd rate=4", "D0+250:160 250+250:176 500+250:192", NULL, NULL, "4/1" };
  /* a file that is cut short is one malformed record, which takes a time */
  static const Expected cut = { "format=pcd rate=1 max-errors=1", "D1000+1000:160 2000+1000:176",
    "cloud 1 at byte 0: the cloud ends after ", NULL, "1/1"
  };
  static const Expected raw[] = { {"format=kitti", "D-:160", NULL, NULL, "0/1"},
  {"format=nuscenes points-per-cloud=2", "D-:40 -:40 -:40 -:40", NULL, NULL, NULL, NEXT},
  {"format=kitti points-per-cloud=4 rate=1", "D0+1000:64 1000+1000:64", "cloud 3 at byte 128: ", NULL, "1/1", NEXT},
  {"format=points", "", NULL, "set layout and channels"}, {"format=kitti ! other/tensors", "", NULL,
      "The recording's clouds are application/x-pointcloud"}
  };

  for (guint i = 0; i < G_N_ELEMENTS (data); i++) {
    expect_stream (make_files (0, 3, data[i]), &untimed);
    expect_stream (make_files (0, 3, data[i]), &timed);
    expect_stream (make_files (100, 2, data[i]), &cut);
  }
  for (guint i = 0; i < G_N_ELEMENTS (raw); i++)
    expect_stream (four_floats (10), &raw[i]);
}

GST_END_TEST;

GST_START_TEST (faults_of_text)
{
#define POINTS "FIELDS x y z\nWIDTH 5\nDATA ascii\n1 2\n1 2 3\n1\n1 2 3 4\n1 2 3\n"
  static const struct
  {
    const gchar *text;
    Expected expected;
  } cases[] = {
    /* two in a row, after a good one */
    {POINTS, {"format=pcd max-errors=2", "D-:24", "cloud 1 at byte 0: line 4 has 2 columns, expected 3",.content = ANY}},
    {POINTS, {"format=pcd max-errors=1", "", "line 4", "2 malformed records in a row, more than max-errors=1"}},
    {"# .PCD v0.7 - Point Cloud Data file format\nVERSION 0.7\n", {"", "", NULL, "set format=pcd"}},
    {"", {"format=pcd arrival-column=1", "", NULL, "arrival-column is set"}},
    {"", {"format=kitti clock-mode=track", "", NULL, "clock-mode is set"}},
    {"", {"format=kitti points-per-cloud=1 cloud-end=buffer", "", NULL, "set one of the two"}},
    {"", {"format=kitti layout=<f", "", NULL, "layout=\"<f\" is not for this format"}},
  };

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++) {
    Output out = parse (cases[i].text, cases[i].expected.properties);

    expect_clouds (&out, &cases[i].expected);
    output_clear (&out);
  }
}

GST_END_TEST;

GST_START_TEST (points_of_the_caps_before_the_element)
{
  static const Expected lidar = { "", "D0+100:80 100+100:80",.content = NEXT };
  GByteArray *points = four_floats (10);
  gchar *path = write_file (points->data, points->len);
  gchar *line = g_strdup_printf ("filesrc location=%s blocksize=50 ! application/x-lidar ! robocacheparse name=e "
      "format=points points-per-cloud=5 rate=10 ! application/x-lidar,framerate=10/1 ! fakesink name=sink", path);
  Output out = run_pipeline (line);

  expect_clouds (&out, &lidar);
  output_clear (&out);
  g_free (line);
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

  fail_unless_equals_int (push_text (h, begun), GST_FLOW_OK);
  GST_BUFFER_FLAG_SET (buffer, GST_BUFFER_FLAG_DISCONT);
  fail_unless_equals_int (gst_harness_push (h, buffer), GST_FLOW_OK);
  fail_unless_equals_uint64 (stats_uint64 (h->element, "malformed"), 1);
  fail_unless_equals_uint64 (stats_uint64 (h->element, "clouds"), 1);

  fail_unless_equals_int (push_text (h, begun), GST_FLOW_OK);
  push_flush (h);
  push_bytes_segment (h);
  fail_unless_equals_int (push_text (h, whole), GST_FLOW_OK);
  fail_unless_equals_uint64 (stats_uint64 (h->element, "malformed"), 1);
  fail_unless_equals_uint64 (stats_uint64 (h->element, "clouds"), 2);
  harness_clear (h, NULL);
}

GST_END_TEST;

/* A seek reads the file again, and leaves out what is before its start. */
GST_START_TEST (seeks)
{
  static const GstClockTime stops[] = { 2 * GST_SECOND, 4 * GST_SECOND, GST_CLOCK_TIME_NONE };
  static const gint n_clouds[] = { 2, 2, 1 };
  GByteArray *files = make_files (0, 5, "binary");
  gchar *path = write_file (files->data, files->len), *line = describe (path, "format=pcd rate=1", 100);

  expect_segments (line, stops, n_clouds, G_N_ELEMENTS (stops));
  g_unlink (path);
  g_free (path);
  g_free (line);
  g_byte_array_unref (files);
}

GST_END_TEST;

static Suite *
robocacheparseclouds_suite (void)
{
  Suite *suite = suite_create ("robocacheparseclouds");
  TCase *tc = tcase_create ("general");

  suite_add_tcase (suite, tc);
  tcase_add_test (tc, folders_of_files);
  tcase_add_test (tc, streams_of_files);
  tcase_add_test (tc, faults_of_text);
  tcase_add_test (tc, points_of_the_caps_before_the_element);
  tcase_add_test (tc, grids_of_a_layout);
  tcase_add_test (tc, grids_are_those_of_the_raw_points);
  tcase_add_test (tc, caps_change_between_files);
  tcase_add_test (tc, stats_count_clouds_and_points);
  tcase_add_test (tc, times_and_segment_of_upstream_are_kept);
  tcase_add_test (tc, a_flush_or_a_discontinuity_ends_a_cloud);
  tcase_add_test (tc, seeks);
  return suite;
}

GST_CHECK_MAIN (robocacheparseclouds);
