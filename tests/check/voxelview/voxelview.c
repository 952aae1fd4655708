/* robocache: robocachevoxelview: pixels of known voxels, what it takes, and what it says otherwise
 *
 * Places of voxels are computed here from what the element's page says, and not by the code that draws.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "tests/check/lib/points/voxelscenario.h"

#include <math.h>

#include "gst/voxelview/colourmap.h"
#include "kernels/arithmetic.h"

#define VIDEO "video/x-raw,width=80,height=60"
#define BARE "axes=false legend=false "
#define BACKGROUND 0xffffffu
#define FRONT_LIGHT 0.68
#define RIGHT_LIGHT 0.45

/* Caps of a grid at 0, 0, 0 with voxels of 1 m. */
#define FRAME(output, grid) ",voxel-output=(string)" output ",voxel-grid=(string)\"" grid "\"," \
    "voxel-origin=<0.0,0.0,0.0>,voxel-size=<1.0,1.0,1.0>,framerate=10/1"
#define DENSE(type, grid) TENSORS "types=(string)" type ",dimensions=(string)" grid FRAME ("dense", grid)
#define SPARSE(n, types, dimensions, grid) "other/tensors,format=(string)static,num_tensors=(int)" n ",types=(string)\"" \
    types "\",dimensions=(string)\"" dimensions "\"" FRAME ("sparse", grid)

#define FIRST(n, types, dimensions) SPARSE (n, types, dimensions, "4:3:2") ",voxel-mode=(string)first"

/* ---- a harness, and pictures ---- */

static GstHarness *
viewer (const gchar *properties, const gchar *video, const gchar *caps)
{
  GstHarness *h = element_open ("robocachevoxelview", properties);

  gst_harness_set_sink_caps_str (h, video);
  gst_harness_set_src_caps_str (h, caps);
  return h;
}

typedef struct
{
  GstBuffer *buffer;
  GstMapInfo map;
  gint width, height;
} Picture;

/* Takes the output. */
static Picture
picture_from (GstHarness *h, GstBuffer *output)
{
  GstCaps *caps = gst_pad_get_current_caps (h->sinkpad);
  GstStructure *structure = gst_caps_get_structure (caps, 0);
  Picture picture = {.buffer = output };

  expect_no_complaint (h);
  fail_unless (gst_structure_get_int (structure, "width", &picture.width));
  fail_unless (gst_structure_get_int (structure, "height", &picture.height));
  gst_caps_unref (caps);
  fail_unless (gst_buffer_map (picture.buffer, &picture.map, GST_MAP_READ));
  fail_unless_equals_uint64 (picture.map.size, (guint64) picture.width * (guint64) picture.height * 4);
  return picture;
}

static Picture
picture_of (GstHarness *h, GstBuffer *grid)
{
  return picture_from (h, push_pull (h, grid));
}

static void
picture_clear (Picture *picture)
{
  gst_buffer_unmap (picture->buffer, &picture->map);
  gst_buffer_unref (picture->buffer);
}

/* 0xRRGGBB; pixels are opaque. A check of gst-check costs a write, so there is none unless something is wrong. */
static guint32
pixel (const Picture *picture, gint x, gint y)
{
  guint32 colour;

  if (x < 0 || x >= picture->width || y < 0 || y >= picture->height)
    fail ("%d, %d is not in the picture", x, y);
  memcpy (&colour, picture->map.data + ((gsize) y * (gsize) picture->width + (gsize) x) * 4, 4);
  if (colour >> 24 != 0xff)
    fail ("pixel %d, %d is %08x", x, y, colour);
  return colour & 0xffffff;
}

static guint
count_pixels (const Picture *picture, guint32 other_than)
{
  guint n = 0;

  for (gint y = 0; y < picture->height; y++)
    for (gint x = 0; x < picture->width; x++)
      n += pixel (picture, x, y) != other_than;
  return n;
}

static guint32
map_colour (gdouble value, gdouble least, gdouble greatest)
{
  const gdouble range[2] = { least, greatest };

  return isnan (value) ? ROBOCACHE_COLOUR_NAN : robocache_colour_map ()[robocache_colour_step (value, range)];
}

static void
expect_pixel (const Picture *picture, gdouble x, gdouble y, guint32 wanted, const gchar *what)
{
  const guint32 got = pixel (picture, (gint) floor (x), (gint) floor (y));

  fail_unless (got == wanted, "%s at %g, %g: %06x, expected %06x", what, x, y, got, wanted);
}

/* ---- from above ---- */

/* In a grid of 4:3:2 (1, 0, 0), (3, 2, 0) and (3, 2, 1), that is linear indices 1, 11 and 23. A list has the higher one first. */
#define COLUMNS(type, value) type "[24] @1 " value " @11 " value " @23 " value
#define LIST "u32[1] 3|i32[15] 3 2 1 3 2 0 1 0 0"
#define LISTED SPARSE ("2", "uint32,int32", "1,3:5", "4:3:2")

/* 20 pixels a metre, y up: the column of (x, y) is at 20 x … 20 x + 19 and 59 - 20 y … 40 - 20 y. */
static void
expect_columns (const Picture *picture, gdouble low, gdouble high, gdouble least, gdouble greatest)
{
  for (gint y = 0; y < 3; y++) {
    for (gint x = 0; x < 4; x++) {
      const guint32 wanted = x == 1 && y == 0 ? map_colour (low, least, greatest)
          : x == 3 && y == 2 ? map_colour (high, least, greatest) : BACKGROUND;

      expect_pixel (picture, 20 * x + 10, 60 - 20 * y - 10, wanted, "column");
    }
  }
  fail_unless_equals_int (count_pixels (picture, BACKGROUND), 2 * 20 * 20);
  fail_unless (pixel (picture, 20, 40) != BACKGROUND && pixel (picture, 39, 59) != BACKGROUND);
  fail_unless (pixel (picture, 60, 0) != BACKGROUND && pixel (picture, 79, 19) != BACKGROUND);
}

/* ---- cubes ---- */

/* A grid of 2:2:2 in 200x200: 4 m from the lowest to the highest corner, 50 pixels each; the lowest is the near one. */
#define CUBE_VIDEO "video/x-raw,width=200,height=200"
#define CUBE_GRID DENSE ("uint8", "2:2:2")
/* A few voxels, and the one at 0, 0, 0. */
#define EIGHT "u8 1 1 1 0 1 0 1 1"
#define ONE "u8[8] 1"
#define CUBE_X(x, y) (100.0 + 50.0 * 0.8660254 * ((x) + (y) - 2.0))
#define CUBE_Y(x, y, z) (150.0 + 50.0 * (0.5 * ((x) - (y)) - (z)))

/* Corners may be beyond the picture. */
static void
expect_at (const Picture *picture, gdouble x, gdouble y, gdouble z, guint32 wanted, const gchar *what)
{
  if (CUBE_Y (x, y, z) >= 0.0 && CUBE_Y (x, y, z) < 200.0)
    expect_pixel (picture, CUBE_X (x, y), CUBE_Y (x, y, z), wanted, what);
}

GST_START_TEST (test_sides_of_a_cube)
{
  const gint x = __i__ & 1, y = __i__ >> 1 & 1, z = __i__ >> 2;
  GstHarness *h = viewer (BARE, CUBE_VIDEO, CUBE_GRID);
  const guint32 colour = map_colour (z + 0.5, 0.0, 2.0);
  guint8 grid[8] = { 0 };
  Picture picture;

  grid[__i__] = 1;
  picture = picture_of (h, untimed_buffer (grid, 8));
  expect_at (&picture, x + 0.5, y + 0.5, z + 1.0, colour, "top");
  expect_at (&picture, x + 0.5, y, z + 0.5, robocache_colour_shade (colour, FRONT_LIGHT), "front");
  expect_at (&picture, x + 1.0, y + 0.5, z + 0.5, robocache_colour_shade (colour, RIGHT_LIGHT), "right");
  /* a hexagon of three rhombs, and nothing beyond its corners */
  fail_unless (abs ((gint) count_pixels (&picture, BACKGROUND) - (gint) (3 * 0.8660254 * 2500)) < 80);
  expect_at (&picture, x + 1.06, y - 0.06, z - 0.06, BACKGROUND, "below");
  expect_at (&picture, x - 0.06, y + 1.06, z + 1.06, BACKGROUND, "above");
  expect_at (&picture, x - 0.06, y - 0.06, z + 0.5, BACKGROUND, "left");
  expect_at (&picture, x + 1.06, y + 1.06, z + 0.5, BACKGROUND, "right of it");
  picture_clear (&picture);
  harness_close (h);
}

GST_END_TEST;

/* Sides that neighbours hide are left out of dense grids, and drawn over in lists. 70 voxels a row are three words. */
GST_START_TEST (test_neighbours)
{
  GstHarness *dense = viewer (BARE, CUBE_VIDEO, DENSE ("uint8", "70:3:2"));
  GstHarness *list = viewer (BARE, CUBE_VIDEO, SPARSE ("2", "uint32,int32", "1,3:420", "70:3:2"));
  GRand *random = g_rand_new_with_seed (5);
  gint32 at[420][3] = { {0} };
  guint8 grid[420];
  guint32 n = 0;
  GstBuffer *buffer;
  Picture a, b;

  for (guint i = 0; i < 420; i++) {
    grid[i] = (guint8) (g_rand_int_range (random, 0, 4) > 0);
    if (grid[i]) {
      at[n][0] = (gint32) (i % 70);
      at[n][1] = (gint32) (i / 70 % 3);
      at[n++][2] = (gint32) (i / 210);
    }
  }
  buffer = gst_buffer_append (untimed_buffer (&n, 4), untimed_buffer (at, sizeof (at)));
  a = picture_of (dense, untimed_buffer (grid, sizeof (grid)));
  b = picture_of (list, buffer);
  fail_unless (a.map.size == b.map.size && memcmp (a.map.data, b.map.data, a.map.size) == 0);
  picture_clear (&a);
  picture_clear (&b);
  g_rand_free (random);
  harness_close (dense);
  harness_close (list);
}

GST_END_TEST;

/* ---- scenarios ---- */

#define ROW_VIDEO "video/x-raw,width=80,height=20"
#define ROW DENSE ("float32", "4:1:1")
#define LARGE "video/x-raw,width=640,height=480"
#define ANY_VIDEO "video/x-raw"
#define PLANE_VIDEO "video/x-raw,width=300,height=200"
#define TOP BARE "view=top "
#define BY_VALUE TOP "colour-by=value "
#define ITEM_1 BY_VALUE "value-range=<0.0,8.0> batch-item=1"
#define PLAIN TENSORS "types=(string)uint8,dimensions=(string)4:3:2"
#define PLACED ",voxel-origin=<0.0,0.0,0.0>,voxel-size=<1.0,1.0,1.0>"
#define HERE BARE "view=top origin=<0.0,0.0,0.0> voxel-size=<1.0,1.0,1.0> "

#define MEND_ONCE(wrong, error, right) "set:" wrong " '+" ONE "' flow:error 'error:" error "' set:" right " '+" ONE "' = "
#define MEND(wrong, error, right) MEND_ONCE (wrong, error, right) MEND_ONCE (wrong, error, right)

/* 7, in bits of that size. */
#define SEVEN(type, size, bits) {TOP, VIDEO, DENSE (type, "4:3:2"), "'+" COLUMNS (size, bits) "' =columns:0.5,1.5/0..2 " \
    "set:colour-by=value '+" COLUMNS (size, bits) "' =columns:7,7/6.5..7.5 " \
    "set:value-range=<0.0,8.0> '+" COLUMNS (size, bits) "' =columns:7,7/0..8"}

/* An outcome is words. columns:LOW,HIGH/LEAST..GREATEST expects the columns of above, with the colours of these values in
 * that range; row:A,B,C,D/LEAST..GREATEST four voxels in a row of 20 pixels each, - for the background; X,Y:VALUE/LEAST..GREATEST
 * a pixel. n=N, n>N and n<N count the pixels that are not background, which is on:COLOUR from there on; filled:Y is a line
 * without any, but for 20 at its ends. new is a picture like none before, same:N one like that one. */
static const struct
{
  const gchar *properties, *video, *caps, *words;
} scenarios[] = {
  SEVEN ("int8", "i8", "7"), SEVEN ("uint8", "u8", "7"), SEVEN ("int16", "i16", "7"), SEVEN ("uint16", "u16", "7"),
  SEVEN ("int32", "i32", "7"), SEVEN ("uint32", "u32", "7"), SEVEN ("int64", "i64", "7"), SEVEN ("uint64", "u64", "7"),
  SEVEN ("float16", "u16", "0x4700"), SEVEN ("bfloat16", "u16", "0x40e0"), SEVEN ("float32", "f32", "7"),
  SEVEN ("float64", "f64", "7"),
  /* in every form; of bits what is beyond the grid in a word means nothing, and of a list of points the value is how many there
   * are */
  {TOP, VIDEO, TENSOR ("uint32", "1:3:2") FRAME ("bits", "4:3:2"), "'+u32 0xfffffff2 0 8 0 0 8' =columns:0.5,1.5/0..2"},
  {TOP, VIDEO, LISTED, "'+" LIST "' =columns:0.5,1.5/0..2"},
  {TOP "colour-by=value channel=1", VIDEO, SPARSE ("3", "uint32,int32,float32", "1,3:5,2:5", "4:3:2"),
      "'+" LIST "|f32[10] 9 4 9 -1 9 2' =columns:2,4/2..4"},
  {BY_VALUE, VIDEO, FIRST ("4", "uint32,int32,float32,uint32", "1,3:5,4:8:5,1:5"), "'+" LIST "|f32[160] 9 9 9 9|u32[5] 4 7 2' "
      "=columns:2,4/2..4"},
  /* what caps do not say, properties do, and they win */
  {HERE, VIDEO, PLAIN, "'+" COLUMNS ("u8", "1") "' =columns:0.5,1.5/0..2"},
  {HERE "grid=4:3:2", VIDEO, PLAIN, "'+" COLUMNS ("u8", "1") "' =columns:0.5,1.5/0..2"},
  {HERE "grid=4:3:2 input-form=dense", VIDEO, PLAIN, "'+" COLUMNS ("u8", "1") "' =columns:0.5,1.5/0..2"},
  {HERE, VIDEO, PLAIN ",voxel-origin=<1,1,7>,voxel-size=<2,1,1>", "'+" COLUMNS ("u8", "1") "' =columns:0.5,1.5/0..2"},
  {HERE "input-form=dense grid=4:3:2", VIDEO, PLAIN ",voxel-output=(string)bits,voxel-grid=(string)\"128:3:2\"",
      "'+" COLUMNS ("u8", "1") "' =columns:0.5,1.5/0..2"},
  /* another grid in mid-stream, another form, and properties that do not fit any more */
  {TOP, VIDEO, DENSE ("uint8", "4:3:2"), "'+" COLUMNS ("u8", "1") "' =columns:0.5,1.5/0..2 'caps:" DENSE ("float64", "1:1:1") "' "
      "'+f64 2' =n=3600 'caps:" LISTED "' '+" LIST "' =columns:0.5,1.5/0..2 live:0 set:grid=3:2:1 '+" LIST "' flow:error "
      "'error:format:expected one in a grid of 3:2:1' set:input-form=0 '+" LIST "' flow:error "
      "'error:negotiation:expected dense voxels' '+" LIST "' flow:error 'error:negotiation:expected dense voxels'"},
  /* (1, 0, 1) is exactly in front of (0, 1, 0), whichever of both comes first */
  {BARE, CUBE_VIDEO, SPARSE ("2", "uint32,int32", "1,3:2", "2:2:2"), "'+u32[1] 1|i32[6] 1 0 1' '=new 100,75:1.5/0..2' "
      "'+u32[1] 2|i32[6] 0 1 0 1 0 1' =same:0 '+u32[1] 2|i32[6] 1 0 1 0 1 0' =same:0"},
  /* No background shows through a plane that is full, however many voxels a pixel is. Its floor is a rhomb of 300² / √3 / 2 =
   * 25981 pixels, and one voxel adds the sides of its two near edges. */
  {BARE, PLANE_VIDEO, DENSE ("uint8", "3:3:1"), "'+u8[9] 1 ...' '=n>25680 n<48432 filled:98'"},
  {BARE, PLANE_VIDEO, DENSE ("uint8", "37:37:1"), "'+u8[1369] 1 ...' '=n>25680 n<28537 filled:98'"},
  {BARE, PLANE_VIDEO, DENSE ("uint8", "150:150:1"), "'+u8[22500] 1 ...' '=n>25680 n<27214 filled:98'"},
  {BARE, PLANE_VIDEO, DENSE ("uint8", "1000:1000:1"), "'+u8[1000000] 1 ...' '=n>25680 n<26846 filled:98'"},
  /* values of no number, and ranges, also while playing */
  {BY_VALUE "value-range=<-1.0,1.0>", ROW_VIDEO, ROW, "'+nan inf -inf -0' =row:nan,inf,-inf,-/-1..1 set:value-range=<> "
      "'+nan inf 3 -5' =row:nan,inf,3,-5/-5..3 '+nan inf 0 0' =row:nan,inf,-,-/0..1"},
  {BY_VALUE, ROW_VIDEO, ROW, "'+2 3 0 10' =row:2,3,-,10/2..10 set:value-range=<0,4> '+2 3 0 10' =row:2,3,-,4/0..4 "
      "set:colour-by=height '+2 3 0 10' =row:0.5,0.5,-,0.5/0..4"},
  /* a voxel with channels is occupied when one of them is not 0; heights need no channel */
  {BY_VALUE "value-range=<0.0,9.0> channel=2", ROW_VIDEO,
      TENSOR ("float32", "3:4") ",voxel-mode=(string)mean" FRAME ("dense", "4:1:1"),
      "'+0 0 5 0 0 0 1 0 0 0 nan 9' =row:5,-,0,9/0..9"},
  {TOP "channel=4000000000", ROW_VIDEO, ROW, "'+1 0 2 nan' =row:0.5,-,0.5,0.5/0..1"},
  /* item 1 of two, in each form */
  {ITEM_1, ROW_VIDEO, TENSOR ("uint8", "4:1:1:2") FRAME ("dense", "4:1:1"), "'+u8 1 0 0 0 0 0 8 0' =row:-,-,8,-/0..8"},
  {ITEM_1, ROW_VIDEO, TENSOR ("uint8", "1:4:1:1:2") ",voxel-mode=(string)max" FRAME ("dense", "4:1:1"), "'+u8 1 0 0 0 0 0 8 0' "
      "=row:-,-,8,-/0..8"},
  {ITEM_1, ROW_VIDEO, TENSOR ("uint32", "1:1:1:2") FRAME ("bits", "4:1:1"), "'+u32 1 4' =row:-,-,1,-/0..8"},
  {ITEM_1, ROW_VIDEO, SPARSE ("3", "uint32,int32,uint8", "1:2,3:1:2,1:1:2", "4:1:1"),
      "'+u32[2] 1 1|i32[6] 0 0 0 2 0 0|u8[2] 3 8' =row:-,-,8,-/0..8"},
  {ITEM_1, ROW_VIDEO, SPARSE ("4", "uint32,int32,float32,uint32", "1:2,3:1:2,3:9:1:2,1:1:2", "4:1:1") ",voxel-mode=(string)first",
      "'+u32[2] 1 1|i32[6] 0 0 0 2 0 0|f32[54]|u32[2] 3 8' =row:-,-,8,-/0..8"},
  /* extremes: empty, one voxel, one that is far smaller than a pixel, and two at the ends of the longest axis there is */
  {TOP, CUBE_VIDEO, DENSE ("float32", "4:3:2"), "+f32[24] =n=0"},
  {BARE "view=isometric", CUBE_VIDEO, DENSE ("float32", "4:3:2"), "+f32[24] =n=0"},
  {BARE "colour-by=value", CUBE_VIDEO, DENSE ("float32", "4:3:2"), "+f32[24] =n=0"},
  {TOP, "video/x-raw,width=40,height=40",
      TENSOR ("uint8", "1") ",voxel-origin=<0.0,0.0,5.0>,voxel-size=<0.5,0.5,0.5>,framerate=0/1",
      "'+u8 1' '=20,20:5.25/5..5.5 n=1600'"},
  {TOP, "video/x-raw,width=100,height=75", DENSE ("uint8", "2000:1500:1"), "'+u8[3000000] @750500 1' '=25,56:0.5/0..1 n=1' "
      "'+u8[3000000] 1 ...' =n=7500"},
  {TOP, VIDEO, SPARSE ("2", "uint32,int32", "1,3:2", "2097152:1:1"), "'+u32[1] 2|i32[6] 0 0 0 2097151 0 0' '=n>1 n<11'"},
  {BARE, VIDEO, SPARSE ("2", "uint32,int32", "1,3:2", "2097152:1:1"), "'+u32[1] 2|i32[6] 0 0 0 2097151 0 0' '=n>1 n<11'"},
  /* axes and the legend can be left out */
  {BARE, LARGE, CUBE_GRID, "+u8[8] =n=0"},
  {TOP, LARGE, CUBE_GRID, "+u8[8] =n=0"},
  {"legend=false", LARGE, CUBE_GRID, "+u8[8] =n>1000"},
  {"legend=false view=top", LARGE, CUBE_GRID, "+u8[8] =n>1000"},
  {"axes=false", LARGE, CUBE_GRID, "+u8[8] =n>2000"},
  {"axes=false view=top", LARGE, CUBE_GRID, "+u8[8] =n>2000"},
  {"", LARGE, CUBE_GRID, "+u8[8] =n>3000"},
  {"view=top", LARGE, CUBE_GRID, "+u8[8] =n>3000"},
  /* numbers at the axes are of the world: the same voxels elsewhere make another picture, and only with axes */
  {"legend=false", LARGE, CUBE_GRID, "'+" ONE "' =new set:origin=<10.0,0.0,0.0> '+" ONE "' =new set:origin=<0.0,10.0,0.0> "
      "'+" ONE "' =new set:origin=<0.0,0.0,10.0> '+" ONE "' =new"},
  {BARE, LARGE, CUBE_GRID, "'+" ONE "' =new set:origin=<10.0,0.0,0.0> '+" ONE "' =same:0"},
  {BARE "background-colour=0x102030", VIDEO, CUBE_GRID, "+u8[8] '=on:0x102030 n=0'"},
  /* size, format and rate */
  {"", ANY_VIDEO, CUBE_GRID, "out:video/x-raw,width=640,height=480,framerate=10/1,pixel-aspect-ratio=1/1 '+" EIGHT "' ="},
  {"", "video/x-raw,width=320", CUBE_GRID, "out:video/x-raw,width=320,height=240 '+" EIGHT "' ="},
  {"", "video/x-raw,height=600", CUBE_GRID, "out:video/x-raw,width=800,height=600 '+" EIGHT "' ="},
  {"", "video/x-raw,width=[1,100],height=[1,1000]", CUBE_GRID, "out:video/x-raw,width=100,height=480 '+" EIGHT "' ="},
  {"", "video/x-raw,format=BGRA", CUBE_GRID, "out:video/x-raw,format=BGRA '+" EIGHT "' ="},
  {"", ANY_VIDEO, TENSOR ("uint8", "2:2:2") PLACED, "out:video/x-raw,framerate=0/1 '+" EIGHT "' ="},
  {"", "ANY", TENSOR ("uint8", "2:2:2:1:1") PLACED, "out:video/x-raw,width=640 '+" EIGHT "' ="},
  /* the same again after NULL */
  {"", ANY_VIDEO, CUBE_GRID, "'+" ONE "' =new state:null state:playing stream 'caps:" CUBE_GRID "' '+" ONE "' =same:0"},
  {"", ANY_VIDEO, CUBE_GRID, "is:origin=<> set:origin=<1.0,2.0,3.0> is:origin=<1.0,2.0,3.0> set:value-range=<1.0,2.0> "
      "is:value-range=<1.0,2.0>"},
  /* properties that are wrong, with the caps or with a buffer */
  {"grid=4:3", ANY_VIDEO, CUBE_GRID, "'error:settings:grid is \"4:3\"'"},
  {"origin=<1.0,2.0>", ANY_VIDEO, CUBE_GRID, "'error:settings:origin is < 1.000000, 2.000000 >: expected three numbers'"},
  {"voxel-size=<a,2.0,1.0>", ANY_VIDEO, CUBE_GRID, "'error:settings:expected three numbers, x, y and z, like'"},
  {"value-range=<1.0,1.0>", ANY_VIDEO, CUBE_GRID, "'+" ONE "' flow:error "
      "'error:settings:value-range is <1,1>: expected two numbers, the minimum before the maximum'"},
  {"value-range=<2.0,1.0>", ANY_VIDEO, CUBE_GRID, "'+" ONE "' flow:error 'error:settings:value-range is <2,1>'"},
  {"value-range=<nan,1.0>", ANY_VIDEO, CUBE_GRID, "'+" ONE "' flow:error 'error:settings:value-range is <nan,1>'"},
  {"value-range=<0.0,inf>", ANY_VIDEO, CUBE_GRID, "'+" ONE "' flow:error 'error:settings:value-range is <0,inf>'"},
  {"value-range=<1.0,2.0,3.0>", ANY_VIDEO, CUBE_GRID, "'+" ONE "' flow:error "
      "'error:settings:value-range is < 1.000000, 2.000000, 3.000000 >: expected two numbers'"},
  {"batch-item=1", ANY_VIDEO, CUBE_GRID, "'+" ONE "' flow:error "
      "'error:settings:batch-item is 1, but there are 1 items in a buffer'"},
  {"colour-by=value channel=4294967295", ANY_VIDEO, CUBE_GRID, "'+" ONE "' flow:error "
      "'error:settings:channel is 4294967295, but there are 1 channels in a voxel'"},
  /* a wrong value is an error, and a right one after it goes on */
  {"", ANY_VIDEO, CUBE_GRID, MEND ("grid=4:4", "settings:grid is", "grid=2:2:2")},
  {"", ANY_VIDEO, CUBE_GRID, MEND ("origin=<1.0>", "settings:origin is", "origin=<0.0,0.0,0.0>")},
  {"", ANY_VIDEO, CUBE_GRID, MEND ("voxel-size=<0.0,1.0,1.0>", "negotiation:voxel-size: 0 along x: expected", "voxel-size=<1.0,1.0,1.0>")},
  /* lists that are wrong */
  {"", ANY_VIDEO, LISTED, "live:0 '+u32[16] 6' flow:error 'error:format:has 6 voxels, but its tensors have space for 5' "
      "'+u32[16] 4294967295' flow:error 'error:format:4294967295 voxels' '+u32[13] 5|i32[3] 4' flow:error "
      "'error:format:voxel 4 of a sparse grid is 4, 0, 0: expected one in a grid of 4:3:2' '+u32[13] 5|i32[3] 0 -1' flow:error "
      "'error:format:voxel 4 of a sparse grid is 0, -1, 0' '+u32[13] 5|i32[3] 0 0 2147483647' flow:error "
      "'error:format:voxel 4 of a sparse grid is 0, 0, 2147483647' '+u8[63] 5' flow:error "
      "'error:format:a buffer has 63 bytes in 1 memories, but its caps describe 64 bytes'"},
};

static GPtrArray *pictures;     /* of a scenario, as GBytes */

static void
expect_colours (const Picture *picture, const gchar *word)
{
  gchar **parts = g_strsplit_set (word, ":/", 3), **values = g_strsplit (parts[1], ",", 4);
  const gdouble least = g_ascii_strtod (parts[2], NULL), greatest = g_ascii_strtod (strstr (parts[2], "..") + 2, NULL);
  const gdouble value = g_ascii_strtod (values[0], NULL);

  if (g_str_equal (parts[0], "columns")) {
    expect_columns (picture, value, g_ascii_strtod (values[1], NULL), least, greatest);
  } else if (g_str_equal (parts[0], "row")) {
    for (guint i = 0; i < 4; i++)
      expect_pixel (picture, 20 * i + 10, 10, g_str_equal (values[i], "-") ? BACKGROUND
          : map_colour (g_ascii_strtod (values[i], NULL), least, greatest), word);
  } else {
    expect_pixel (picture, atoi (parts[0]), atoi (strchr (parts[0], ',') + 1), map_colour (value, least, greatest), word);
  }
  g_strfreev (values);
  g_strfreev (parts);
}

static void
expect_number_of_pixels (const Picture *picture, guint32 background, const gchar *word)
{
  const guint n = count_pixels (picture, background), wanted = (guint) atoi (word + 2);

  fail_unless (word[1] == '=' ? n == wanted : word[1] == '<' ? n < wanted : n > wanted, "%u pixels, expected %s", n, word);
}

static void
expect_picture (GstHarness *h, GstBuffer *output, const gchar *text)
{
  gchar **words = g_strsplit (text, " ", -1);
  Picture picture = picture_from (h, gst_buffer_ref (output));
  GBytes *bytes = bytes_of (output);
  guint32 background = BACKGROUND;

  fail_unless (output->pool != NULL);
  for (gchar **word = words; *word; word++) {
    if (g_str_equal (*word, "new")) {
      for (guint i = 0; i < pictures->len; i++)
        fail_if (g_bytes_equal (bytes, pictures->pdata[i]), "like picture %u", i);
    } else if (g_str_has_prefix (*word, "same:")) {
      fail_unless (g_bytes_equal (bytes, pictures->pdata[atoi (*word + 5)]), "not %s", *word);
    } else if (g_str_has_prefix (*word, "filled:")) {
      for (gint x = 20; x < picture.width - 20; x++)
        fail_unless (pixel (&picture, x, atoi (*word + 7)) != BACKGROUND, "a hole at %d", x);
    } else if (g_str_has_prefix (*word, "on:")) {
      background = (guint32) g_ascii_strtoull (*word + 3, NULL, 0);
    } else if (**word == 'n') {
      expect_number_of_pixels (&picture, background, *word);
    } else {
      expect_colours (&picture, *word);
    }
  }
  g_ptr_array_add (pictures, bytes);
  picture_clear (&picture);
  g_strfreev (words);
}

GST_START_TEST (test_scenario)
{
  GstHarness *h = viewer (scenarios[__i__].properties, scenarios[__i__].video, scenarios[__i__].caps);

  pictures = g_ptr_array_new_with_free_func ((GDestroyNotify) g_bytes_unref);
  voxel_scenario_run (h, scenarios[__i__].words, expect_picture);
  expect_no_complaint (h);
  g_ptr_array_unref (pictures);
  harness_close (h);
}

GST_END_TEST;

/* ---- pictures of any size ---- */

GST_START_TEST (test_any_size_of_picture)
{
  static const gchar *const sizes[] = { "video/x-raw,width=1,height=1", "video/x-raw,width=1,height=300",
    "video/x-raw,width=300,height=1", "video/x-raw,width=233,height=134", "video/x-raw,width=235,height=136",
    "video/x-raw,width=3000,height=100", "video/x-raw,width=100,height=2000", "video/x-raw,width=1920,height=1080"
  };
  GstHarness *h = viewer (__i__ & 1 ? "view=top" : "colour-by=value", sizes[__i__ / 2], CUBE_GRID);
  Picture picture = picture_of (h, parse_buffer (EIGHT));

  fail_unless (count_pixels (&picture, BACKGROUND) > 0, "%s", sizes[__i__ / 2]);
  picture_clear (&picture);
  harness_close (h);
}

GST_END_TEST;

/* The colour bar is at the right; from its foot upwards it goes through the map. */
GST_START_TEST (test_colour_bar)
{
  GstHarness *h = viewer ("axes=false", "video/x-raw,width=640,height=480", CUBE_GRID);
  Picture picture = picture_of (h, parse_buffer ("u8[8]"));
  const gdouble em = 480.0 / 36.0;
  const gint x = (gint) (640.0 - 7.4 * em + 1.2 * em + 0.55 * em);
  gdouble last = -1.0;
  guint steps = 0;

  for (gint y = 479; y >= 0; y--) {
    const gdouble now = robocache_colour_luminance (pixel (&picture, x, y));
    const guint32 colour = pixel (&picture, x, y);
    const gboolean grey = (colour & 0xff) == (colour >> 8 & 0xff);

    /* ends of the bar and text are dark lines */
    if (grey || now == last || colour == 0x1f2328)
      continue;
    steps += now > last;
    last = now;
  }
  fail_unless (steps > 150, "%u steps of lightness", steps);
  picture_clear (&picture);
  harness_close (h);
}

GST_END_TEST;

/* Upright pictures have axes and a legend, too; and no text is cut off, however long its numbers are. */
GST_START_TEST (test_text_fits)
{
  static const gchar *const sizes[] = { "video/x-raw,width=640,height=900", "video/x-raw,width=300,height=900",
    "video/x-raw,width=240,height=140", "video/x-raw,width=640,height=480", "video/x-raw,width=1920,height=1080"
  };
  static const gchar *const properties[] = { "", "origin=<400000.0,5400000.0,-300.0>", "origin=<-1e9,1e12,1e-7>",
    "colour-by=value value-range=<1e-7,2e-7>", "colour-by=value value-range=<1.7e9,1.7000001e9>",
    "colour-by=value value-range=<-123456.0,654321.0>"
  };
  const gchar *size = sizes[__i__ / 2 % G_N_ELEMENTS (sizes)], *more = properties[__i__ / 2 / G_N_ELEMENTS (sizes)];
  gchar *text = g_strconcat (__i__ & 1 ? "view=top " : "", more, NULL);
  GstHarness *h = viewer (text, size, CUBE_GRID);
  Picture picture = picture_of (h, parse_buffer ("u8[8]"));
  const gint right = picture.width - 1, bottom = picture.height - 1;

  fail_unless (count_pixels (&picture, BACKGROUND) > 1000, "%s: %u pixels", size, count_pixels (&picture, BACKGROUND));
  for (gint x = 0; x <= right; x++)
    fail_unless (pixel (&picture, x, 0) == BACKGROUND && pixel (&picture, x, bottom) == BACKGROUND, "%s, %s", size, text);
  for (gint y = 0; y <= bottom; y++)
    fail_unless (pixel (&picture, 0, y) == BACKGROUND && pixel (&picture, right, y) == BACKGROUND, "%s, %s", size, text);
  picture_clear (&picture);
  harness_close (h);
  g_free (text);
}

GST_END_TEST;

/* ---- caps ---- */

static const struct
{
  const gchar *properties, *caps, *words;
} bad_caps[] = {
  {BARE, PLAIN, "have no voxel-origin: set the property origin"},
  {"origin=<1.0,2.0,3.0>", PLAIN, "have no voxel-size: set the property voxel-size"},
  {"input-form=bits", PLAIN PLACED, "have no voxel-grid, and dimensions 4:3:2 of bits voxels do not contain the size"},
  {"", SPARSE ("2", "uint32,int32", "1,3:5", "4:3"), "voxel-grid is 4:3"},
  {"", "other/tensors,format=(string)static,num_tensors=(int)2,types=(string)\"uint32,int32\",dimensions=(string)"
        "\"1,3:5\"" PLACED, "dimensions 1 of sparse voxels do not contain the size"},
  {"", TENSORS "types=(string)uint8,dimensions=(string)4:3:2:2:2" PLACED, "dimensions 4:3:2:2:2 of dense voxels"},
  {"", TENSORS "types=(string)uint8,dimensions=(string)2097153" PLACED, "dimensions 2097153 of dense"},
  {"grid=4:3:3", PLAIN PLACED, "tensors are uint8 4:3:2: expected dense voxels nx:ny:nz or C:nx:ny:nz of a grid of 4:3:3"},
  {"grid=40:3:2 input-form=bits", PLAIN PLACED, "expected bits uint32 ceil(nx/32):ny:nz"},
  {"grid=4:3:2 input-form=sparse", PLAIN PLACED, "expected sparse voxels uint32 1, int32 3:cap"},
  {"", SPARSE ("2", "uint32,uint32", "1,3:5", "4:3:2"), "uint32 1, uint32 3:5: expected sparse"},
  {"", SPARSE ("2", "uint32,int32", "1,4:5", "4:3:2"), "int32 4:5: expected sparse"},
  {"", SPARSE ("2", "uint32,int32", "1:3,3:5:2", "4:3:2"), "uint32 1:3, int32 3:5:2: expected sparse"},
  {"", SPARSE ("3", "uint32,int32,uint8", "1,3:5,1:6", "4:3:2"), "uint8 1:6: expected sparse"},
  {"", SPARSE ("4", "uint32,int32,uint8,uint8", "1,3:5,1:5,1:5", "4:3:2"), "expected sparse"},
  {"", FIRST ("4", "uint32,int32,float32,uint32", "1,3:5,4:8:6,1:5"), "float32 4:8:6, uint32 1:5: expected sparse"},
  {"", FIRST ("4", "uint32,int32,float32,int32", "1,3:5,4:8:5,1:5"), "for modes first and pillars F:P:cap and uint32 1:cap"},
  {"", FIRST ("3", "uint32,int32,float32", "1,3:5,4:8:5"), "float32 4:8:5: expected sparse"},
  {"", TENSORS "types=(string)uint8,dimensions=(string)4:3:2,voxel-mode=(string)mean" FRAME ("dense", "4:3:2"),
      "expected dense"},
  {"", TENSORS "types=(string)int64,dimensions=(string)8:3" FRAME ("index", "4:3:2"),
      "voxel-output is index, which maps points to voxels: expected a grid"},
  {"", TENSORS "types=(string)int64,dimensions=(string)40:2" FRAME ("rank", "4:3:2"), "voxel-output is rank"},
  {"", PLAIN ",voxel-mode=(string)most" PLACED, "voxel-mode is most: expected a string like \"occupancy\""},
  {"", PLAIN ",voxel-output=(int)1" PLACED, "voxel-output is no string: expected"},
  {"", PLAIN ",voxel-grid=(int)4" PLACED, "voxel-grid is no string: expected a string nx:ny:nz"},
  {"", PLAIN ",voxel-origin=<1.0,2.0>,voxel-size=<1.0,1.0,1.0>", "voxel-origin is < 1.000000, 2.000000 >: expected three"},
  {"", PLAIN ",voxel-origin=(string)here,voxel-size=<1.0,1.0,1.0>", "voxel-origin is \"here\": expected three"},
  {"origin=<nan,2.0,1.0>", PLAIN PLACED, "origin: nan along x: expected"},
  {"origin=<0.0,0.0,1e300>", PLAIN PLACED, "origin: 1e+300 along z: expected"},
  {"voxel-size=<0.0,2.0,1.0>", PLAIN PLACED, "voxel-size: 0 along x: expected"},
  {"voxel-size=<1.0,-2.0,1.0>", PLAIN PLACED, "voxel-size: -2 along y: expected"},
  {"voxel-size=<1.0,2.0,inf>", PLAIN PLACED, "voxel-size: inf along z: expected"},
  {"", "other/tensors,format=(string)sparse", "format is sparse"},
  {"", TENSORS "types=(string)uint8" PLACED, "caps have no dimensions"},
  {"", PLAIN PLACED ",framerate=(int)3", "framerate must be one fraction"},
};

GST_START_TEST (test_caps_refused)
{
  GstHarness *h = viewer (bad_caps[__i__].properties, "video/x-raw", bad_caps[__i__].caps);

  /* upstream tries again with the first buffer */
  fail_unless_equals_int (gst_harness_push (h, untimed_buffer ("", 1)), GST_FLOW_NOT_NEGOTIATED);
  expect_posted_error (h, "negotiation", bad_caps[__i__].words);
  harness_close (h);
}

GST_END_TEST;

/* What robocachevoxelize puts out, whatever it is set to, is shown, and is the same picture in every form. */
GST_START_TEST (test_after_voxelize)
{
  static const gchar *const outputs[] = { "output=dense", "output=bits", "output=sparse", "mode=count type=float16",
    "mode=count type=uint32 output=sparse", "mode=max type=float32", "mode=mean type=float16 output=sparse",
    "mode=centroid", "type=uint8", "mode=first max-points=2 output=sparse", "mode=pillars max-points=2 output=sparse"
  };
  gchar *properties = g_strdup_printf (UNIT "max-voxels=7 %s", outputs[__i__]);
  GstHarness *grids = harness_with_caps (properties, XYZI);
  GstCaps *caps = gst_pad_get_current_caps (grids->sinkpad);
  gchar *text = gst_caps_to_string (caps);
  GstHarness *h = viewer (BARE "view=top", VIDEO, text);
  Picture picture = picture_of (h, push_pull (grids, cloud (1.5, 0.5, 0.5, 1, 3.5, 2.5, 0.5, 2, 3.5, 2.5, 1.5, 3)));

  expect_columns (&picture, 0.5, 1.5, 0.0, 2.0);
  picture_clear (&picture);
  g_free (text);
  g_free (properties);
  gst_caps_unref (caps);
  harness_close (grids);
  harness_close (h);
}

GST_END_TEST;

CHECK_MAIN (robocachevoxelview, use_cpu, NULL, TIMES (8, test_sides_of_a_cube),
    ONCE (test_neighbours), EACH (scenarios, test_scenario), TIMES (16, test_any_size_of_picture), ONCE (test_colour_bar),
    TIMES (2 * 5 * 6, test_text_fits), EACH (bad_caps, test_caps_refused), TIMES (11, test_after_voxelize))
