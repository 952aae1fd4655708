/* robocache: sizes that the input of robocacheparse decides
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "tests/check/lib/points/parseharness.h"
#include "tests/check/lib/points/pcdfile.h"
#include "tests/check/lib/memorylimit.h"

#define HEADER(points, data) "FIELDS x y z\nPOINTS " points "\nWIDTH " points "\nDATA " data "\n"

/* One error, of memory, that has the text; NULL: none, and one cloud of n_bytes. */
static void
expect_cloud_or_error (const Output *out, const gchar *error, gsize n_bytes)
{
  fail_unless_equals_int (out->n_errors, error != NULL);
  fail_unless_equals_int (out->n_warnings, 0);
  fail_unless_equals_int (out->buffers->len, error == NULL);
  if (error)
    fail_unless (strstr (out->error, error) != NULL, "\"%s\" lacks \"%s\"", out->error, error);
  else
    fail_unless_equals_uint64 (gst_buffer_get_size (output_buffer (out, 0)), n_bytes);
}

/* ---- what headers promise ---- */

static const struct
{
  const gchar *text, *properties, *error;
  gsize n_bytes;
} headers[] = {
  {HEADER ("2000000000", "binary"), "", "cloud 1 at byte 0: POINTS 2000000000 take 24000000000 bytes, more than "
        "max-cloud-bytes=1073741824: raise max-cloud-bytes"},
  {HEADER ("2000000000", "ascii") "1 2 3\n", "", "take 24000000000 bytes"},
  {HEADER ("2000000000", "binary_compressed") "12345678", "", "take 24000000000 bytes"},
  /* of which many go into padding that does not come out */
  {"FIELDS x y z _\nSIZE 4 4 4 8\nTYPE F F F U\nCOUNT 1 1 1 32\nPOINTS 1\nWIDTH 1\nDATA ascii\n", "max-cloud-bytes=267",
        "take 268 bytes"},
  {"FIELDS x y z\nTYPE F F F\nWIDTH 20000\nHEIGHT 100000\nDATA ascii\n", "", "take 24000000000 bytes"},
  /* 1 compressed point, in as many bytes as a uint32 can say */
  {HEADER ("1", "binary_compressed") "\xff\xff\xff\xff\x0c\x00\x00", "", "take 4294967295 bytes"},
  {HEADER ("3", "ascii") "1 2 3\n1 2 3\n1 2 3\n", "max-cloud-bytes=35", "take 36 bytes"},
  {HEADER ("3", "ascii") "1 2 3\n1 2 3\n1 2 3\n", "max-cloud-bytes=36", NULL, 36},
  /* a file after one that fits */
  {HEADER ("0", "ascii") "# .PCD v0.7\n" HEADER ("4", "ascii"), "max-cloud-bytes=36 rate=1", "cloud 2 at byte 41: POINTS 4"},
};

GST_START_TEST (headers_that_promise)
{
  static const guint blocks[] = { 1, 4096 };

  for (guint i = 0; i < G_N_ELEMENTS (blocks); i++) {
    gchar *properties = g_strdup_printf ("format=pcd %s", headers[__i__].properties);
    /* the zeros of a size that is stored */
    const gsize n = strlen (headers[__i__].text) + (strstr (headers[__i__].text, "\xff") ? 3 : 0);
    Run run = file_run_begin (headers[__i__].text, (gssize) n, properties, blocks[i]);
    Output out = play_to_end (run.pipeline);

    if (__i__ == G_N_ELEMENTS (headers) - 1 && out.buffers->len == 1)
      g_ptr_array_set_size (out.buffers, 0);
    expect_cloud_or_error (&out, headers[__i__].error, headers[__i__].n_bytes);
    output_clear (&out);
    run_end (&run);
    g_free (properties);
  }
}

GST_END_TEST;

/* A few kB of LZF for a cloud of megabytes. */
GST_START_TEST (compressed_zeros)
{
  static const struct
  {
    const gchar *properties, *error;
  } cases[] = { {"max-cloud-bytes=11999999", "take 12000000 bytes"}, {"max-cloud-bytes=12000000"}, {""} };
  guint8 *zeros = g_malloc0 (12000000);
  GByteArray *bomb = g_byte_array_new ();

  append_text (bomb, HEADER ("1000000", "binary_compressed"));
  append_compressed (bomb, zeros, 12000000);
  fail_unless (bomb->len < 12000000 / 80);
  for (guint i = 0; i < G_N_ELEMENTS (cases); i++) {
    gchar *properties = g_strdup_printf ("format=pcd %s", cases[i].properties ? cases[i].properties : "");
    Run run = file_run_begin (bomb->data, bomb->len, properties, 4096);
    Output out = play_to_end (run.pipeline);

    expect_cloud_or_error (&out, cases[i].error, 12000000);
    output_clear (&out);
    run_end (&run);
    g_free (properties);
  }
  g_byte_array_unref (bomb);
  g_free (zeros);
}

GST_END_TEST;

/* ---- streams without an end ---- */

static const struct
{
  const gchar *source, *properties, *error;
  gsize n_bytes;
} streams[] = {
  {"num-buffers=-1 sizemax=4096", "format=kitti cloud-end=stream max-cloud-bytes=1000000",
      "cloud 1 at byte 0: the cloud has at least 1003520 bytes, more than max-cloud-bytes=1000000: raise max-cloud-bytes, or set "
        "cloud-end=buffer or points-per-cloud"},
  {"num-buffers=-1 sizemax=4096", "format=points layout==3f channels=x,y,z cloud-end=stream max-cloud-bytes=1", "at least 4096"},
  {"num-buffers=4 sizemax=1000", "format=nuscenes cloud-end=stream max-cloud-bytes=4000", NULL, 4000},
  {"num-buffers=1 sizemax=4096", "format=kitti cloud-end=buffer max-cloud-bytes=4095", "at least 4096 bytes"},
  {"num-buffers=1 sizemax=4096", "format=kitti cloud-end=buffer max-cloud-bytes=4096", NULL, 4096},
  {"num-buffers=-1 sizemax=4096", "format=kitti points-per-cloud=67108865",
      "points-per-cloud=67108865 points of 16 bytes exceed max-cloud-bytes=1073741824: lower points-per-cloud"},
  {"num-buffers=-1 sizemax=4096", "format=kitti points-per-cloud=9223372036854775807", "exceed max-cloud-bytes"},
  /* clouds of one buffer need not fit as a whole */
  {"num-buffers=1 sizemax=4096", "format=kitti points-per-cloud=256 max-cloud-bytes=4096", NULL, 4096},
};

GST_START_TEST (streams_without_an_end)
{
  gchar *line = g_strdup_printf ("fakesrc sizetype=2 filltype=2 %s ! robocacheparse name=e %s ! fakesink name=sink",
      streams[__i__].source, streams[__i__].properties);
  Output out = run_pipeline (line);

  expect_cloud_or_error (&out, streams[__i__].error, streams[__i__].n_bytes);
  output_clear (&out);
  g_free (line);
}

GST_END_TEST;

/* Formats; the beginning of a file; whether buffers with times after it are refused some time. */
static const struct
{
  const gchar *format, *begin, *then;
  gboolean is_refused;
} timed[] = {
  {"kitti", "1234567890123456", "", FALSE},   /* the last of equal places counts */
  {"kitti", "1234567890123456", "1", FALSE},  /* no cloud begins in them */
  {"pcd", "# \n", "#\n", TRUE},     /* any of them may be the beginning of a cloud */
  {"pcd", HEADER ("1", "ascii") "1 2 3\nlost\n", "1 2 3\n", FALSE},
};

/* Times of buffers take no memory without bound. */
GST_START_TEST (buffers_with_times)
{
  gchar *properties = g_strconcat ("cloud-end=stream max-cloud-bytes=65536 format=", timed[__i__].format, NULL);
  GstHarness *h = parse_harness (properties);
  GstFlowReturn flow = push_text (h, timed[__i__].begin);

  for (guint i = 0; i < 5000 && flow == GST_FLOW_OK; i++) {
    const gsize n = strlen (timed[__i__].then);
    GstBuffer *buffer = n > 0 ? gst_buffer_new_memdup (timed[__i__].then, n) : gst_buffer_new ();

    GST_BUFFER_PTS (buffer) = i;
    flow = gst_harness_push (h, buffer);
  }
  fail_unless_equals_int (flow, timed[__i__].is_refused ? GST_FLOW_ERROR : GST_FLOW_OK);
  fail_unless_equals_int (count_messages (h, GST_MESSAGE_ERROR), timed[__i__].is_refused);
  harness_close (h);
  g_free (properties);
}

GST_END_TEST;

/* ---- memory that is not there ---- */

#define SHARED (1 << 20)

static const struct
{
  const gchar *properties, *header;
  guint n;                      /* buffers of SHARED bytes */
} large[] = {
  {"cloud-end=stream format=kitti", "", 128},
  {"cloud-end=stream format=pcd", HEADER ("10485760", "binary"), 121},
  {"cloud-end=stream format=pcd", HEADER ("10485760", "ascii"), 120},
  {"cloud-end=stream format=pcd", HEADER ("10485760", "binary_compressed"), 120},
};

/* Buffers that share their memory make a cloud that has none, and leave one error. */
GST_START_TEST (clouds_that_memory_cannot_hold)
{
  GstHarness *h = parse_harness (large[__i__].properties);
  guint8 *bytes = g_malloc (SHARED);
  const guint8 sizes[] = { 0, 0, 0x70, 7, 0, 0, 0x80, 7 };
  GstFlowReturn flow = GST_FLOW_OK;
  rlim_t before;

  if (skip_without_memory_limit ("clouds_that_memory_cannot_hold")) {
    g_free (bytes);
    harness_close (h);
    return;
  }
  for (guint i = 0; i < SHARED; i++)
    bytes[i] = "1 1 1\n"[i % 6];
  if (*large[__i__].header)
    flow = push_text (h, large[__i__].header);
  if (__i__ == 3)
    flow = gst_harness_push (h, gst_buffer_new_memdup (sizes, sizeof sizes));
  before = limit_memory (64 << 20);
  for (guint i = 0; i < large[__i__].n && flow == GST_FLOW_OK; i++)
    flow = gst_harness_push (h, gst_buffer_new_wrapped_full (GST_MEMORY_FLAG_READONLY, bytes, SHARED, 0, SHARED / 6 * 6,
            NULL, NULL));
  if (flow == GST_FLOW_OK)
    gst_harness_push_event (h, gst_event_new_eos ());
  restore_memory (before);
  fail_unless_equals_int (count_messages (h, GST_MESSAGE_ERROR), 1);
  fail_unless_equals_int (gst_harness_buffers_received (h), 0);
  harness_close (h);
  g_free (bytes);
}

GST_END_TEST;

/* A buffer of nothing but beginnings of files. */
GST_START_TEST (beginnings_that_memory_cannot_hold)
{
  static const gchar beginning[] = "# .PCD\nDATA ";
  const gsize n = strlen (beginning), size = 3000000 * n;
  GstHarness *h;
  gchar *bytes;
  GstFlowReturn flow;
  rlim_t before;

  if (skip_without_memory_limit ("beginnings_that_memory_cannot_hold"))
    return;
  h = parse_harness ("cloud-end=stream format=pcd");
  bytes = g_malloc (size);
  for (gsize at = 0; at < size; at += n)
    memcpy (bytes + at, beginning, n);
  before = limit_memory (40 << 20);
  flow = gst_harness_push (h, gst_buffer_new_wrapped_full (GST_MEMORY_FLAG_READONLY, bytes, size, 0, size, NULL, NULL));
  restore_memory (before);
  fail_unless_equals_int (flow, GST_FLOW_ERROR);
  expect_posted_error (h, "no-space-left", "no memory for more than 1048576 files");
  harness_close (h);
  g_free (bytes);
}

GST_END_TEST;

/* ---- nothing ---- */

/* Buffers without a byte, between those of each format. */
GST_START_TEST (empty_buffers)
{
  static const struct
  {
    const gchar *properties, *bytes;
    gsize n;
  } inputs[] = {
    {"", "0,1\n1,2\n", 8},
    {"format=binary layout==qf", "\0\0\0\0\0\0\0\0\0\0\0", 12},
    {"cloud-end=stream format=pcd", HEADER ("1", "ascii") "1 2 3\n", 46},
    {"cloud-end=stream format=kitti", "1234567890123456", 16},
    {"cloud-end=stream format=nuscenes", "12345678901234567890", 20},
  };
  GstHarness *h = parse_harness (inputs[__i__].properties);

  fail_unless_equals_int (gst_harness_push (h, gst_buffer_new ()), GST_FLOW_OK);
  for (gsize at = 0; at < inputs[__i__].n; at++) {
    fail_unless_equals_int (gst_harness_push (h, gst_buffer_new_memdup (inputs[__i__].bytes + at, 1)), GST_FLOW_OK);
    fail_unless_equals_int (gst_harness_push (h, gst_buffer_new ()), GST_FLOW_OK);
  }
  gst_harness_push_event (h, gst_event_new_eos ());
  fail_unless_equals_int (gst_harness_buffers_received (h), __i__ == 0 ? 2 : 1);
  fail_unless_equals_uint64 (count_of (h, "malformed"), 0);
  harness_close (h);
}

GST_END_TEST;

CHECK_MAIN (robocacheparselimits, NULL, NULL, EACH (headers, headers_that_promise), ONCE (compressed_zeros), EACH (streams, streams_without_an_end),
  EACH (timed, buffers_with_times), EACH (large, clouds_that_memory_cannot_hold), ONCE (beginnings_that_memory_cannot_hold), TIMES (5, empty_buffers))
