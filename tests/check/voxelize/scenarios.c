/* robocache: robocachevoxelize: what it puts out for what it gets, as tables of steps
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "voxelize_harness.h"

/* A step is an action and, for buffers, the expected output.
 *   push [TYPE] NUMBER…         a buffer of these numbers, float32 unless TYPE says otherwise
 *   set NAME=VALUE · caps CAPS · flush · segment START BASE POSITION, in seconds
 *   out CAPS                    checks the output's caps
 * An output lists its tensors, divided by |, each as TYPE[NUMBERS] and values; @N goes on at index N, what is not listed is 0. n=N
 * in place of all is the number of bytes that are not 0. Types are i or u and a width, f32 or f64. */
typedef struct
{
  const gchar *action, *output;
} Step;

typedef struct
{
  const gchar *properties, *caps;
  Step steps[11];
  const gchar *stats;           /* NAME=VALUE… at the end; NULL: none */
  const gchar *warning;         /* words of the one that is posted; NULL: none is */
} Scenario;

/* Two points in voxel (1, 0, 0), one in (3, 2, 1); and one outside. */
#define FEW "push 1.25 0.5 0.5 10 1.75 0.5 0.25 30 3.5 2.5 1.5 -4 9 0 0 99"
#define FLOAT UNIT "type=float32 max-voxels=5 "
#define SPARSE(values) "u32[1] 2|i32[15] 1 0 0 3 2 1|" values
/* In voxels 1 and 23, beside the grid, with a NaN and with an infinite coordinate, and in voxel 1 again. */
#define PLACES "push 1.25 0.5 0.5 3.5 2.5 1.5 9 0 0 nan 0 0 0 inf 0 1.75 0 0"
/* Voxel 1 three times, voxel 23 once, outside and NaN. */
#define FIRST UNIT "mode=first output=sparse max-voxels=3 max-points=2 "
#define THREE "push 1.25 0.5 0.25 10 3.5 2.5 1.5 -4 9 0 0 1 1.5 0 0 20 nan 0 0 2 1.75 0 0 30"
#define DEPTH UNIT "origin=<-2.0,-2.0,0.0> grid=4:4:4 fx=1 fy=1 cx=1 cy=0.5 depth-scale=0.5 mode=count type=uint8 "
#define IMAGE(width, height) "video/x-raw,format=GRAY16_LE,width=" width ",height=" height ",framerate=30/1"
#define POINTS(rest) "application/x-pointcloud,fields=(string)" rest
/* One cloud of (x, y, z, i) = (1, 2, 0, 7) and (3, 0, 1, 9), in many layouts. */
#define SPELLING(caps, numbers) {UNIT "mode=mean accumulate=2", POINTS (caps), {{"push " numbers, "f32[24] @9 7 @15 9"}, \
    {"push " numbers, "f32[24] @9 7 @15 9"}, {"push " numbers, "f32[24] @9 7 @15 9"}}, "points-inside=6"}

static const Scenario scenarios[] = {
  /* modes */
  {FLOAT "mode=occupancy", XYZI, {{FEW, "f32[24] @1 1 @23 1"}}},
  {FLOAT "mode=count", XYZI, {{FEW, "f32[24] @1 2 @23 1"}}},
  {FLOAT "mode=mean", XYZI, {{FEW, "f32[24] @1 20 @23 -4"}}},
  {FLOAT "mode=centroid", XYZI, {{FEW, "f32[72] @3 1.5 0.5 0.375 @69 3.5 2.5 1.5"}}},
  {FLOAT "mode=max", XYZI, {{FEW, "f32[24] @1 30 @23 -4"}}},
  {FLOAT "mode=min", XYZI, {{FEW, "f32[24] @1 10 @23 -4"}}},
  {FLOAT "output=sparse", XYZI, {{FEW, "u32[1] 2|i32[15] 1 0 0 3 2 1"}}},
  {FLOAT "output=sparse mode=count", XYZI, {{FEW, SPARSE ("f32[5] 2 1")}}},
  {FLOAT "output=sparse mode=mean", XYZI, {{FEW, SPARSE ("f32[5] 20 -4")}}},
  {FLOAT "output=sparse mode=centroid", XYZI, {{FEW, SPARSE ("f32[15] 1.5 0.5 0.375 3.5 2.5 1.5")}}},
  {FLOAT "output=sparse mode=max", XYZI, {{FEW, SPARSE ("f32[5] 30 -4")}}},
  {FLOAT "output=sparse mode=min", XYZI, {{FEW, SPARSE ("f32[5] 10 -4")}}},
  {UNIT "grid=40:1:1 output=bits", XYZ, {{"push 0 0 0 31 0 0 39 0 0 40 0 0", "u32[2] 0x80000001 0x80"}}},
  {UNIT "grid=1:1:1 mode=mean feature-range=10", XYZI, {{"push 0 0 0 4 0 0 0 1000", "f32[1] 7"}}, "values-clamped=1"},
  {UNIT, TENSORS "types=(string)float64,dimensions=(string)3:2", {{"push f64 0 0 0 3 2 1", "u8[24] 1 @23 1"}}},
  {UNIT, XYZ, {{"push 0 0 0 9 0 0 nan 0 0 inf 0 0 1 1 1", "n=2"}, {"push 0 0 0 9 0 0 nan 0 0 inf 0 0 1 1 1", "n=2"}},
      "buffers=2 points=10 points-inside=4 points-outside=2 points-nan=2 points-infinite=2 occupied-voxels=2"},
  /* empty clouds */
  {UNIT, XYZI, {{"push", "u8[24]"}}, "buffers=1"},
  {UNIT "mode=mean", XYZI, {{"push", "f32[24]"}}, "buffers=1"},
  {UNIT "output=bits", XYZI, {{"push", "u32[6]"}}, "buffers=1"},
  {UNIT "output=sparse mode=centroid max-voxels=2", XYZI, {{"push", "u32[1]|i32[6]|f32[6]"}}, "buffers=1"},
  /* depth: 2 units are 1 m, the last pixel has no return; GStreamer pads rows to 4 bytes */
  {DEPTH, IMAGE ("3", "2"), {{"push u16 2 2 2 0 2 2 0 0", "u8[64] @21 1 1 1 @25 1 1"}}, "points-nan=1 points-inside=5"},
  {UNIT "output=rank fx=1000 fy=1000", IMAGE ("3", "2"), {{"push u16 1000 2000 0 61166 9000 1500 1000 61166",
          "i64[6] 0 -1 -2 -1 0 0"}}, "points-nan=1"},
  {FIRST "fx=1024 fy=1024 depth-scale=0.0009765625", IMAGE ("4", "1"), {{"push u16 1024 0 1536 1280",
          "u32[1] 1|i32[9] 0 0 1|f32[18] 0 0 1 0.0029296875 0 1.5|u32[3] 2"}}, "points-over-max=1 points-nan=1"},
  /* windows */
  {UNIT "accumulate=3", XYZ, {{"push 0 0 0", "n=1"}, {"push 1 0 0", "n=2"}, {"push 2 0 0", "n=3"}, {"push 3 0 0", "n=3"},
      {"push 3 0 0", "n=2"}, {"push 3 0 0", "n=1"}}, "points=6 points-inside=6"},
  /* the mean's fixed point is that of all clouds */
  {UNIT "accumulate=2 mode=mean grid=1:1:1", XYZI, {{"push 0 0 0 0.1 0 0 0 0.7", "n=4"},
      {"push 0 0 0 12345.678", "f32[1] 4115.4927"}}},
  {UNIT "mode=mean grid=1:1:1", XYZI, {{"push 0 0 0 12345.678 0 0 0 0.7 0 0 0 0.1", "f32[1] 4115.4927"}}},
  {UNIT "accumulate=3", XYZ, {{"push 0 0 0", "n=1"}, {"push 1 0 0", "n=2"}, {"flush"}, {"push 2 0 0", "n=1"}}},
  {UNIT "accumulate=3", XYZ, {{"push 0 0 0", "n=1"}, {"segment 0 0 0"}, {"push 1 0 0", "n=2"}, {"segment 10 0 10"},
      {"push 2 0 0", "n=1"}}},
  {UNIT "accumulate=3", XYZ, {{"push 0 0 0", "n=1"}, {"segment 0 0 7"}, {"push 1 0 0", "n=2"}, {"segment 0 7 7"},
      {"push 2 0 0", "n=1"}}},
  {UNIT "accumulate=3 mode=max", XYZI, {{"push 0 0 0 7", "f32[24] 7"}, {"caps " POINTS ("\"x,y,z,a,b\",type=(string)float32")},
      {"push 1 0 0 8 9", "f32[48] @2 8 9"}, {"out other/tensors,dimensions=(string)2:4:3:2"}}},
  {UNIT "accumulate=3", XYZ, {{"push 0 0 0", "n=1"}, {"push 1 0 0", "n=2"}, {"push 2 0 0", "n=3"}, {"set accumulate=1"},
      {"push 3 0 0", "n=1"}}},
  {UNIT "accumulate=5 mode=count type=uint8", TENSORS "types=(string)float32,dimensions=(string)3:1:2",
      {{"push 0 0 0 1 0 0", "u8[48] 1 @25 1"}, {"push 0 0 0 1 0 0", "u8[48] 2 @25 2"},
      {"caps " TENSORS "types=(string)float32,dimensions=(string)3:1"}, {"push 2 0 0", "u8[24] @2 1"}}},
  /* more voxels than there is room for */
  {UNIT "output=sparse max-voxels=2", XYZ, {{"push 3 0 0 1 0 0 2 0 0 0 0 0", "u32[1] 2|i32[6] 0 0 0 1 0 0"},
      {"push 3 0 0 1 0 0 2 0 0 0 0 0", "u32[1] 2|i32[6] 0 0 0 1 0 0"}}, "voxels-over-cap=4 buffers-over-cap=2 occupied-voxels=4",
      "4 voxels are occupied, but max-voxels is 2"},
  {UNIT "output=sparse max-voxels=1", TENSORS "types=(string)float32,dimensions=(string)3:2:2",
      {{"push 0 0 0 1 0 0 2 0 0 3 0 0", "u32[2] 1 1|i32[6] 0 0 0 2 0 0"}}, "voxels-over-cap=2 buffers-over-cap=1",
      "max-voxels is 1"},
  {UNIT "output=rank max-voxels=1", XYZ, {{PLACES, "i64[6] 0 -4 -1 -2 -3 0"}}, "voxels-over-cap=1 buffers-over-cap=1",
      "max-voxels is 1"},
  /* settings while playing */
  {UNIT, XYZ, {{"push 5 0 0", "n=0"}, {"set grid=6:1:1"}, {"push 5 0 0", "u8[6] @5 1"},
      {"out other/tensors,dimensions=(string)6"}, {"set output=sparse"}, {"set max-voxels=1"},
      {"push 5 0 0", "u32[1] 1|i32[3] 5 0 0"}}},
  {UNIT, XYZ, {{"push 5 0 0", "n=0"}, {"set origin=<2.0,0.0,0.0>"}, {"push 5 0 0", "n=1"}, {"set voxel-size=<0.5,1.0,1.0>"},
      {"push 5 0 0", "n=0"}, {"out other/tensors,voxel-origin=<2.0,0.0,0.0>,voxel-size=<0.5,1.0,1.0>"}}},
  {UNIT, XYZ, {{PLACES, "n=2"}, {"set output=rank"}, {PLACES, "i64[6] 0 1 -1 -2 -3 0"},
      {"caps " TENSORS "types=(string)float32,dimensions=(string)3:2,framerate=10/1"}, {"push 2 0 0 1 0 0", "i64[2] 1 0"},
      {"out other/tensors"}, {"set output=dense"}, {"push 2 0 0 1 0 0", "n=2"}}},
  {FIRST, XYZI, {{THREE, ""}, {"set max-points=7"}, {THREE, "u32[1] 2|i32[9] 1 0 0 3 2 1|"
          "f32[84] 1.25 0.5 0.25 10 1.5 0 0 20 1.75 0 0 30 @28 3.5 2.5 1.5 -4|u32[3] 3 1"}, {"set mode=count"},
      {THREE, "u32[1] 2|i32[9] 1 0 0 3 2 1|u32[3] 3 1"}}, "points-over-max=1"},
  /* the voxel of each point */
  {UNIT "output=index", XYZ, {{PLACES, "i64[6] 1 23 -1 -2 -3 1"}},
      "points=6 points-inside=3 points-outside=1 points-nan=1 points-infinite=1 occupied-voxels=0"},
  {UNIT "output=index", XYZ, {{"push", "i64[0]"}, {"push 1 0 0", "i64[1] 1"}, {"push", "i64[0]"}}, "buffers=3"},
  {UNIT "output=index accumulate=5", XYZ, {{"push 2 0 0", "i64[1] 2"}, {"push 3 0 0", "i64[1] 3"}}, "points-read=2"},
  {UNIT "output=index", TENSORS "types=(string)float32,dimensions=(string)4:2", {{"push 0 0 0 5 3 2 1 5", "i64[2] 0 23"}}},
  {UNIT "output=rank", XYZ, {{PLACES, "i64[6] 0 1 -1 -2 -3 0"}}, "occupied-voxels=2"},
  {UNIT "output=rank", XYZ, {{"push", "i64[0]"}, {"push 1 0 0", "i64[1] 0"}, {"push", "i64[0]"}}, "buffers=3"},
  {UNIT "output=rank accumulate=2", XYZ, {{"push 2 0 0 9 9 9", "i64[2] 0 -1"}, {"push 3 0 0", "i64[1] 1"},
      {"push 0 0 0 3 0 0 1 0 0", "i64[3] 0 2 1"}, {"push", "i64[0]"}, {"push 2 0 0", "i64[1] 0"}}, "points=7"},
  /* rows change as clouds of other voxels come and leave; the last grid is made anew, of fewer points than come and leave */
  {UNIT "output=rank max-voxels=3 accumulate=3", XYZ, {{"push 3 0 0", "i64[1] 0"}, {"push 1 0 0 2 0 0", "i64[2] 0 1"},
      {"push 3 0 0 nan 0 0", "i64[2] 2 -2"}, {"push 3 0 0", "i64[1] 2"}, {"push 0 0 0 3 0 0", "i64[2] 0 1"},
      {"push 3 0 0 1 0 0 2 0 0", "i64[3] -4 1 2"}, {"push 9 9 9", "i64[1] -1"}, {"push", "i64[0]"},
      {"push 3 0 0 3 0 0", "i64[2]"}}, "voxels-over-cap=2 points-read=23", "max-voxels is 3"},
  /* the first points of each voxel */
  {FIRST, XYZI, {{THREE, "u32[1] 2|i32[9] 1 0 0 3 2 1|f32[24] 1.25 0.5 0.25 10 1.5 0 0 20 3.5 2.5 1.5 -4|u32[3] 2 1"},
      {"push", "u32[1]|i32[9]|f32[24]|u32[3]"}},
      "points=6 points-inside=4 points-outside=1 points-nan=1 points-over-max=1 occupied-voxels=0 voxels-over-cap=0"},
  /* points of voxels without a row are not counted */
  {FIRST "max-voxels=1 max-points=1", XYZI, {{THREE, "u32[1] 1|i32[3] 1 0 0|f32[4] 1.25 0.5 0.25 10|u32[1] 1"}},
      "voxels-over-cap=1 points-over-max=2", "max-voxels is 1"},
  {FIRST "accumulate=2", XYZI, {{"push 0.5 0 0 1", ""}, {"push 0.5 0 0 2", ""},
      {"push 0.5 0 0 3 0.5 0 0 4", "u32[1] 1|i32[9]|f32[24] 0.5 0 0 2 0.5 0 0 3|u32[3] 2"}}},
  {FIRST "type=float16", POINTS ("\"ring,z,x,y\",types=(string)\"uint8,float32,float32,float32\",offsets=(string)\"0,4,8,12\","
          "point-step=16"), {{"push u8 255 0 0 0 0 0 192 63 0 0 64 64 0 0 0 64",
              "u32[1] 1|i32[9] 3 2 1|u16[24] 0x4200 0x4000 0x3e00 0x5bf8|u32[3] 1"}}},
  /* layouts */
  SPELLING ("\"x,y,z,i\",type=(string)float32", "1 2 0 7 3 0 1 9"),
  SPELLING ("\"i,z,y,x\",type=(string)float32", "7 0 2 1 9 1 0 3"),
  SPELLING ("\"u,v,w,i\",type=(string)float32", "1 2 0 7 3 0 1 9"),
  SPELLING ("\"x,y,z,i\",type=(string)float64", "f64 1 2 0 7 3 0 1 9"),
  SPELLING ("\"x,i,y,z\",type=(string)float64", "f64 1 7 2 0 3 9 0 1"),
  SPELLING ("\"x,y,z,i\",type=(string)float32,offsets=(string)\"12,8,4,0\"", "7 0 2 1 9 1 0 3"),
  SPELLING ("\"x,y,z,i\",type=(string)float32,point-step=(int)20", "1 2 0 7 -1 3 0 1 9 -1"),
  SPELLING ("\"x,y,z,i\",types=(string)\"float32,float32,float32,uint8\",offsets=(string)\"1,5,9,0\"",
      "u8 7 0 0 128 63 0 0 0 64 0 0 0 0 9 0 0 64 64 0 0 0 0 0 0 128 63"),
  SPELLING ("\"x,y,z,i\",types=(string)\"float16,float16,float16,int16\"", "u16 0x3c00 0x4000 0 7 0x4200 0 0x3c00 9"),
  /* seconds since 1970 differ in what float32 would lose */
  {UNIT "mode=mean", POINTS ("\"x,y,z,t\",types=(string)\"float64,float64,float64,float64\""),
      {{"push f64 0 0 0 1000000000000001 0 0 0 -1000000000000000", "f32[24] 0.5"}}},
};

/* ---- text to bytes ---- */

static void
append (GByteArray *bytes, const gchar *type, const gchar *text)
{
  const gdouble real = g_ascii_strtod (text, NULL);
  const gfloat single = (gfloat) real;
  const gint64 whole = type[0] == 'f' ? 0 : (gint64) real;
  const guint size = (guint) atoi (type + 1) / 8;
  const void *data = type[0] != 'f' ? (const void *) &whole : size == 4 ? (const void *) &single : (const void *) &real;

  g_byte_array_append (bytes, data, size);
}

static GstBuffer *
parse_buffer (const gchar *text)
{
  gchar **words = g_strsplit (text, " ", -1);
  const gboolean has_type = words[0] && strchr ("iuf", words[0][0]) && g_ascii_isdigit (words[0][1]);
  GByteArray *bytes = g_byte_array_new ();
  GstBuffer *buffer = gst_buffer_new ();

  for (guint i = has_type; words[0] && words[i]; i++)
    append (bytes, has_type ? words[0] : "f32", words[i]);
  if (bytes->len > 0)
    gst_buffer_append (buffer, buffer_of (bytes->data, bytes->len));
  g_byte_array_unref (bytes);
  g_strfreev (words);
  return buffer;
}

/* TYPE[NUMBERS] VALUE… @N VALUE… */
static GByteArray *
parse_tensor (const gchar *text)
{
  gchar **words = g_strsplit (text, " ", -1), *bracket = strchr (words[0], '[');
  GByteArray *bytes = g_byte_array_new (), *value = g_byte_array_new ();
  gsize at_byte = 0;
  guint size;

  append (value, words[0], "0");
  size = value->len;
  g_byte_array_set_size (bytes, size * (guint) atoi (bracket + 1));
  memset (bytes->data, 0, bytes->len);
  for (guint i = 1; words[i]; i++) {
    if (words[i][0] == '@') {
      at_byte = size * (gsize) atoi (words[i] + 1);
      continue;
    }
    g_byte_array_set_size (value, 0);
    append (value, words[0], words[i]);
    fail_unless (at_byte + size <= bytes->len, "%s", text);
    memcpy (bytes->data + at_byte, value->data, size);
    at_byte += size;
  }
  g_byte_array_unref (value);
  g_strfreev (words);
  return bytes;
}

static void
expect_output (GstBuffer *output, const gchar *text)
{
  gchar **tensors = g_strsplit (text, "|", -1);
  GBytes *got = bytes_of (output);
  const guint8 *data = g_bytes_get_data (got, NULL);
  gsize size = g_bytes_get_size (got), at_byte = 0;
  guint n_nonzero = 0;

  for (gsize i = 0; i < size; i++)
    n_nonzero += data[i] != 0;
  if (g_str_has_prefix (text, "n="))
    fail_unless (n_nonzero == (guint) atoi (text + 2), "%u bytes, expected %s", n_nonzero, text);
  for (guint i = 0; tensors[i] && strchr (text, '['); i++) {
    GByteArray *wanted = parse_tensor (tensors[i]);

    fail_unless (wanted->len == 0 || gst_buffer_get_sizes_range (output, i, 1, NULL, NULL) == wanted->len, "tensor %u of %s",
        i, text);
    for (guint b = 0; b < wanted->len; b++)
      fail_unless (data[at_byte + b] == wanted->data[b], "byte %u of tensor %u: %u, expected %u of %s", b, i,
          data[at_byte + b], wanted->data[b], text);
    at_byte += wanted->len;
    g_byte_array_unref (wanted);
  }
  fail_unless (at_byte == size || !strchr (text, '['), "%" G_GSIZE_FORMAT " bytes, expected %s", size, text);
  g_bytes_unref (got);
  g_strfreev (tensors);
}

/* ---- steps ---- */

static void
push_segment (GstHarness *h, const gchar *text)
{
  gchar **words = g_strsplit (text, " ", -1);
  GstSegment segment;

  gst_segment_init (&segment, GST_FORMAT_TIME);
  segment.start = segment.time = (guint64) atoi (words[0]) * GST_SECOND;
  segment.base = (guint64) atoi (words[1]) * GST_SECOND;
  segment.position = (guint64) atoi (words[2]) * GST_SECOND;
  fail_unless (gst_harness_push_event (h, gst_event_new_segment (&segment)));
  g_strfreev (words);
}

static void
run_step (GstHarness *h, const Step *step)
{
  gchar **parts = g_strsplit (step->action, " ", 2);
  const gchar *rest = parts[1] ? parts[1] : "";
  GQueue none = G_QUEUE_INIT;

  if (g_str_equal (parts[0], "push")) {
    GstBuffer *output = push_pull (h, parse_buffer (rest));

    expect_output (output, step->output);
    gst_buffer_unref (output);
  } else if (g_str_equal (parts[0], "set")) {
    gchar **pair = g_strsplit (rest, "=", 2);

    gst_util_set_object_arg (G_OBJECT (h->element), pair[0], pair[1]);
    g_strfreev (pair);
  } else if (g_str_equal (parts[0], "caps")) {
    gst_harness_set_src_caps_str (h, rest);
  } else if (g_str_equal (parts[0], "out")) {
    expect_caps (h, rest);
  } else if (g_str_equal (parts[0], "segment")) {
    push_segment (h, rest);
  } else {
    fail_unless (g_str_equal (parts[0], "flush"), "%s", step->action);
    flush (h, &none);
  }
  g_strfreev (parts);
}

GST_START_TEST (test_scenario)
{
  const Scenario *scenario = &scenarios[__i__];
  GstHarness *h = harness_with_caps (scenario->properties, scenario->caps);
  gchar **stats = g_strsplit (scenario->stats ? scenario->stats : "", " ", -1);

  for (guint i = 0; i < G_N_ELEMENTS (scenario->steps) && scenario->steps[i].action; i++)
    run_step (h, &scenario->steps[i]);
  for (gchar **stat = stats; *stat; stat++) {
    gchar **pair = g_strsplit (*stat, "=", 2);

    fail_unless (stat_of (h, pair[0]) == atoi (pair[1]), "%s is %" G_GINT64_FORMAT, *stat, stat_of (h, pair[0]));
    g_strfreev (pair);
  }
  fail_unless (gst_harness_push_event (h, gst_event_new_eos ()));       /* a GPU's counters come with the next event */
  if (scenario->warning)
    expect_warning (h, GST_RESOURCE_ERROR, GST_RESOURCE_ERROR_NO_SPACE_LEFT, scenario->warning);
  expect_no_error (h);
  g_strfreev (stats);
  harness_free (h);
}

GST_END_TEST;

static Suite *
voxelize_scenarios_suite (void)
{
  Suite *suite = suite_create ("robocachevoxelize: scenarios");
  TCase *tc = tcase_create ("scenarios");

  g_setenv ("ROBOCACHE_BACKEND", "cpu", TRUE);
  suite_add_tcase (suite, tc);
  tcase_add_loop_test (tc, test_scenario, 0, G_N_ELEMENTS (scenarios));
  return suite;
}

GST_CHECK_MAIN (voxelize_scenarios);
