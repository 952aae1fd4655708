/* robocache: files of points to clouds, through pipelines
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "common/device/allocator.h"
#include "tests/check/lib/points/parseharness.h"
#include "tests/check/lib/points/pcdfile.h"

#define VOXELIZE "robocachevoxelize origin=\"<-10.0,-10.0,-1.0>\" voxel-size=\"<0.5,0.5,1.0>\" grid=64:64:16 mode=mean"
#define XYZI "application/x-pointcloud, fields=(string)\"x\\,y\\,z\\,intensity\", type=(string)float32, "

/* ---- folders of files ---- */

/* A folder of n files, 0.bin on, of 10, 11, … points; data is that of PCD files, or NULL: points alone. */
static gchar *
make_folder (guint n, const gchar *data)
{
  gchar *folder = g_dir_make_tmp ("robocacheparse-XXXXXX", NULL);

  for (guint i = 0; i < n; i++) {
    GByteArray *file = data ? pcd_file (10 + i, data) : four_floats (10 + i);
    gchar *path = g_strdup_printf ("%s/%u.bin", folder, i);

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
  fail_unless (g_str_equal (clouds->str, expected->clouds), "%s: \"%s\"", expected->properties, clouds->str);
  expect_complaints (out, expected->error, expected->warning, expected->properties);
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

static void G_GNUC_PRINTF (2, 3)
expect_pipeline (const Expected *expected, const gchar *format, ...)
{
  va_list args;
  Output out;
  Run run;

  va_start (args, format);
  run = run_begin (g_strdup_vprintf (format, args));
  va_end (args);
  out = play_to_end (run.pipeline);
  expect_clouds (&out, expected);
  output_clear (&out);
  run_end (&run);
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

  if (bytes) {
    fail_unless (g_file_get_contents (path, &old, NULL, NULL));
    new = g_strconcat (lengthens ? old : "", bytes, NULL);
    fail_unless (g_file_set_contents (path, new, -1, NULL));
    g_free (new);
    g_free (old);
  }
  expect_pipeline (expected, "multifilesrc location=%s/%%d.bin caps=%s ! robocacheparse name=e %s %s ! fakesink name=sink",
      folder, caps, kinds[kind].format, expected->properties);
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

  for (guint i = 0; i < G_N_ELEMENTS (blocks); i++) {
    Run run = file_run_begin (bytes->data, bytes->len, expected->properties, blocks[i]);
    Output out = play_to_end (run.pipeline);

    expect_clouds (&out, expected);
    output_clear (&out);
    run_end (&run);
  }
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

GST_START_TEST (points_of_the_caps_before_the_element)
{
  static const Expected lidar = { "", "D0+100:80 100+100:80",.content = NEXT };
  static const Expected refused = { "", "",.error = "type" };
  GByteArray *points = four_floats (10);
  gchar *path = write_file (points->data, points->len);

  expect_pipeline (&lidar, "filesrc location=%s blocksize=50 ! application/x-lidar ! robocacheparse name=e "
      "format=points points-per-cloud=5 rate=10 ! application/x-lidar,framerate=10/1 ! fakesink name=sink", path);
  expect_pipeline (&refused, "filesrc location=%s ! application/x-pointcloud,fields=(string)\"x,y,z\" ! robocacheparse name=e "
      "format=points ! fakesink name=sink", path);
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

/* ---- seeks ---- */

/* A seek reads the file again, and leaves out what is before its start. */
GST_START_TEST (seeks)
{
  static const GstClockTime stops[] = { 2 * GST_SECOND, 4 * GST_SECOND, GST_CLOCK_TIME_NONE };
  static const gint n_clouds[] = { 2, 2, 1 };
  GByteArray *files = make_files (0, 5, "binary");
  Run run = file_run_begin (files->data, files->len, "format=pcd rate=1", 100);

  expect_segments (&run, stops, n_clouds, G_N_ELEMENTS (stops));
  run_end (&run);
  g_byte_array_unref (files);
}

GST_END_TEST;

/* ---- memory that downstream offers ---- */

/* Pushes the bytes of file in pieces of 65,536. */
static void
push_pieces (GstHarness *harness, const GByteArray *file)
{
  for (guint at = 0; at < file->len; at += 65536) {
    const guint n = MIN (file->len - at, 65536);

    fail_unless_equals_int (gst_harness_push (harness, gst_buffer_new_memdup (file->data + at, n)), GST_FLOW_OK);
  }
}

/* Clouds after the first, which decides the caps, are copied to it. Those that lie in one buffer are not copied. */
GST_START_TEST (memory_that_downstream_offers)
{
  RobocacheEngine *engine = robocache_engine_new_for_cpu (1, NULL);
  GstAllocator *offered = robocache_allocator_new (engine, RC_MEMORY_PINNED);
  GstHarness *harness = gst_harness_new_parse ("robocacheparse format=kitti points-per-cloud=5000");
  GByteArray *file = four_floats (4 * 5000 + 5000);
  GstSegment bytes;

  gst_segment_init (&bytes, GST_FORMAT_BYTES);
  gst_harness_set_propose_allocator (harness, gst_object_ref (offered), NULL);
  gst_harness_set_src_caps_str (harness, "application/octet-stream");
  fail_unless (gst_harness_push_event (harness, gst_event_new_segment (&bytes)));
  push_pieces (harness, file);
  for (guint i = 0; i < 5; i++) {
    GstBuffer *cloud = gst_harness_pull (harness);

    fail_unless_equals_uint64 (gst_buffer_get_size (cloud), 80000);
    fail_unless (gst_buffer_memcmp (cloud, 0, file->data + 80000 * i, 80000) == 0);
    fail_unless ((gst_buffer_peek_memory (cloud, 0)->allocator == offered) == (i > 0));
    gst_buffer_unref (cloud);
  }
  fail_unless_equals_int (gst_harness_push (harness, gst_buffer_new_memdup (file->data, 80000)), GST_FLOW_OK);
  gst_buffer_unref (gst_harness_pull (harness));
  gst_harness_teardown (harness);
  g_byte_array_unref (file);
  gst_object_unref (offered);
  robocache_engine_unref (engine);
}

GST_END_TEST;

CHECK_MAIN (robocacheparseclouds, NULL, NULL, ONCE (folders_of_files), ONCE (streams_of_files), ONCE (points_of_the_caps_before_the_element),
  ONCE (grids_of_a_layout), ONCE (grids_are_those_of_the_raw_points), ONCE (seeks), ONCE (memory_that_downstream_offers))
