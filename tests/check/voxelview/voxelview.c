/* robocache: robocachevoxelview: pixels of known voxels, what it takes, and what it says otherwise
 *
 * Places of voxels are computed here from what the element's page says, and not by the code that draws.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "tests/check/voxelize/voxelize_harness.h"

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
  GstHarness *h = harness_of ("robocachevoxelview", properties);

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

static Picture
picture_of (GstHarness *h, GstBuffer *grid)
{
  GstCaps *caps;
  Picture picture = {.buffer = push_pull (h, grid) };
  GstStructure *structure;

  expect_no_error (h);
  caps = gst_pad_get_current_caps (h->sinkpad);
  structure = gst_caps_get_structure (caps, 0);
  fail_unless (gst_structure_get_int (structure, "width", &picture.width));
  fail_unless (gst_structure_get_int (structure, "height", &picture.height));
  gst_caps_unref (caps);
  fail_unless (gst_buffer_map (picture.buffer, &picture.map, GST_MAP_READ));
  fail_unless_equals_uint64 (picture.map.size, (guint64) picture.width * (guint64) picture.height * 4);
  return picture;
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

static guint
count_in_picture (GstHarness *h, GstBuffer *grid, guint32 other_than)
{
  Picture picture = picture_of (h, grid);
  const guint n = count_pixels (&picture, other_than);

  picture_clear (&picture);
  return n;
}

static guint32
map_colour (gdouble value, gdouble least, gdouble greatest)
{
  const gdouble range[2] = { least, greatest };

  return robocache_colour_map ()[robocache_colour_step (value, range)];
}

static void
expect_pixel (const Picture *picture, gdouble x, gdouble y, guint32 wanted, const gchar *what)
{
  const guint32 got = pixel (picture, (gint) floor (x), (gint) floor (y));

  fail_unless (got == wanted, "%s at %g, %g: %06x, expected %06x", what, x, y, got, wanted);
}

static void
expect_equal (const Picture *a, const Picture *b)
{
  fail_unless_equals_uint64 (a->map.size, b->map.size);
  fail_unless_equals_int (memcmp (a->map.data, b->map.data, a->map.size), 0);
}

/* ---- from above, in every form and type ---- */

/* In a grid of 4:3:2 (1, 0, 0), (3, 2, 0) and (3, 2, 1), that is linear indices 1, 11 and 23. */
static const guint occupied_at[] = { 1, 11, 23 };

/* 20 pixels a metre, y up: the column of (x, y) is at 20 x … 20 x + 19 and 59 - 20 y … 40 - 20 y. */
static void
expect_columns (GstHarness *h, GstBuffer *grid, gdouble low, gdouble high, gdouble least, gdouble greatest)
{
  Picture picture = picture_of (h, grid);

  for (gint y = 0; y < 3; y++) {
    for (gint x = 0; x < 4; x++) {
      const guint32 wanted = x == 1 && y == 0 ? map_colour (low, least, greatest)
          : x == 3 && y == 2 ? map_colour (high, least, greatest) : BACKGROUND;

      expect_pixel (&picture, 20 * x + 10, 60 - 20 * y - 10, wanted, "column");
    }
  }
  fail_unless_equals_int (count_pixels (&picture, BACKGROUND), 2 * 20 * 20);
  fail_unless (pixel (&picture, 20, 40) != BACKGROUND && pixel (&picture, 39, 59) != BACKGROUND);
  fail_unless (pixel (&picture, 60, 0) != BACKGROUND && pixel (&picture, 79, 19) != BACKGROUND);
  picture_clear (&picture);
}

/* The higher one comes first in the list. */
#define LIST {{3, 2, 1}, {3, 2, 0}, {1, 0, 0}}

static const gint32 coordinates[5][3] = LIST;

static GstBuffer *
sparse (guint32 n, const void *values, gsize size)
{
  GstBuffer *buffer = buffer_of (&n, sizeof (n));

  gst_buffer_append (buffer, buffer_of (coordinates, sizeof (coordinates)));
  return values ? gst_buffer_append (buffer, buffer_of (values, size)) : buffer;
}

/* 7 in each type. */
static const struct
{
  const gchar *type;
  guint size;
  guint64 seven;                /* its bits */
} types[] = {
  {"int8", 1, 7}, {"uint8", 1, 7}, {"int16", 2, 7}, {"uint16", 2, 7}, {"int32", 4, 7}, {"uint32", 4, 7}, {"int64", 8, 7},
  {"uint64", 8, 7}, {"float16", 2, 0x4700}, {"bfloat16", 2, 0x40e0}, {"float32", 4, 0x40e00000},
  {"float64", 8, G_GUINT64_CONSTANT (0x401c000000000000)},
};

GST_START_TEST (test_dense_from_above)
{
  gchar *caps = g_strdup_printf (TENSORS "types=(string)%s,dimensions=(string)4:3:2" FRAME ("dense", "4:3:2"),
      types[__i__].type);
  GstHarness *h = viewer (BARE "view=top", VIDEO, caps);
  const guint size = types[__i__].size;
  guint8 grid[24 * 8] = { 0 };

  for (guint i = 0; i < 3; i++)
    memcpy (grid + occupied_at[i] * size, &types[__i__].seven, size);
  expect_columns (h, buffer_of (grid, 24 * size), 0.5, 1.5, 0.0, 2.0);
  gst_util_set_object_arg (G_OBJECT (h->element), "colour-by", "value");
  expect_columns (h, buffer_of (grid, 24 * size), 7, 7, 6.5, 7.5);
  g_free (caps);
  harness_free (h);
}

GST_END_TEST;

/* What is beyond the grid in a word means nothing. */
static const guint32 bits[6] = { 0xfffffff2, 0, 1u << 3, 0, 0, 1u << 3 };
static const struct
{
  guint32 n;
  gint32 at[5][3];
} listed = { 3, LIST };
static const struct
{
  guint32 n;
  gint32 at[5][3];
  gfloat values[10];
} valued = { 3, LIST, {9, 4, 9, -1, 9, 2} };
/* The value of a list of points is how many there are. */
static const struct
{
  guint32 n;
  gint32 at[5][3];
  gfloat points[4 * 8 * 5];
  guint32 counts[5];
} counted = { 3, LIST, {9, 9, 9, 9}, {4, 7, 2} };

static const struct
{
  const gchar *properties, *caps;
  const void *bytes;
  gsize size;
  gdouble low, high, least, greatest;
} forms[] = {
  {"", TENSORS "types=(string)uint32,dimensions=(string)1:3:2" FRAME ("bits", "4:3:2"), bits, sizeof (bits), 0.5, 1.5, 0, 2},
  {"", SPARSE ("2", "uint32,int32", "1,3:5", "4:3:2"), &listed, sizeof (listed), 0.5, 1.5, 0, 2},
  {"colour-by=value channel=1", SPARSE ("3", "uint32,int32,float32", "1,3:5,2:5", "4:3:2"), &valued, sizeof (valued), 2, 4, 2, 4},
  {"colour-by=value", FIRST ("4", "uint32,int32,float32,uint32", "1,3:5,4:8:5,1:5"), &counted, sizeof (counted), 2, 4, 2, 4},
};

/* In one memory, as a file has it. */
GST_START_TEST (test_forms_from_above)
{
  gchar *properties = g_strconcat (BARE "view=top ", forms[__i__].properties, NULL);
  GstHarness *h = viewer (properties, VIDEO, forms[__i__].caps);

  expect_columns (h, buffer_of (forms[__i__].bytes, forms[__i__].size), forms[__i__].low, forms[__i__].high,
      forms[__i__].least, forms[__i__].greatest);
  g_free (properties);
  harness_free (h);
}

GST_END_TEST;

/* ---- cubes ---- */

/* A grid of 2:2:2 in 200x200: 4 m from the lowest to the highest corner, 50 pixels each; the lowest is the near one. */
#define CUBE_VIDEO "video/x-raw,width=200,height=200"
#define CUBE_GRID DENSE ("uint8", "2:2:2")
#define CUBE_X(x, y) (100.0 + 50.0 * 0.8660254 * ((x) + (y) - 2.0))
#define CUBE_Y(x, y, z) (150.0 + 50.0 * (0.5 * ((x) - (y)) - (z)))

/* Corners of the picture are beyond it. */
static void
expect_background (const Picture *picture, gdouble x, gdouble y, gdouble z, const gchar *what)
{
  if (CUBE_Y (x, y, z) >= 0.0 && CUBE_Y (x, y, z) < 200.0)
    expect_pixel (picture, CUBE_X (x, y), CUBE_Y (x, y, z), BACKGROUND, what);
}

static void
expect_at (const Picture *picture, gdouble x, gdouble y, gdouble z, guint32 wanted, const gchar *what)
{
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
  picture = picture_of (h, buffer_of (grid, 8));
  expect_at (&picture, x + 0.5, y + 0.5, z + 1.0, colour, "top");
  expect_at (&picture, x + 0.5, y, z + 0.5, robocache_colour_shade (colour, FRONT_LIGHT), "front");
  expect_at (&picture, x + 1.0, y + 0.5, z + 0.5, robocache_colour_shade (colour, RIGHT_LIGHT), "right");
  /* a hexagon of three rhombs, and nothing beyond its corners */
  fail_unless (abs ((gint) count_pixels (&picture, BACKGROUND) - (gint) (3 * 0.8660254 * 2500)) < 80);
  expect_background (&picture, x + 1.06, y - 0.06, z - 0.06, "below");
  expect_background (&picture, x - 0.06, y + 1.06, z + 1.06, "above");
  expect_background (&picture, x - 0.06, y - 0.06, z + 0.5, "left");
  expect_background (&picture, x + 1.06, y + 1.06, z + 0.5, "right of it");
  picture_clear (&picture);
  harness_free (h);
}

GST_END_TEST;

/* (1, 0, 1) is exactly in front of (0, 1, 0), whichever of both comes first. */
GST_START_TEST (test_the_nearer_cube_hides_the_other)
{
  static const gint32 orders[2][2][3] = { {{0, 1, 0}, {1, 0, 1}}, {{1, 0, 1}, {0, 1, 0}} };
  GstHarness *h = viewer (BARE, CUBE_VIDEO, SPARSE ("2", "uint32,int32", "1,3:2", "2:2:2"));
  const guint32 one = 1, two = 2;
  GstBuffer *alone = buffer_of (&one, 4), *both = buffer_of (&two, 4);
  Picture a, b;

  alone = gst_buffer_append (alone, buffer_of ((const gint32[6]) { 1, 0, 1 }, 24));
  both = gst_buffer_append (both, buffer_of (orders[__i__], 24));
  a = picture_of (h, alone);
  b = picture_of (h, both);
  expect_equal (&a, &b);
  expect_at (&b, 1.5, 0.5, 2.0, map_colour (1.5, 0.0, 2.0), "the near cube");
  picture_clear (&a);
  picture_clear (&b);
  harness_free (h);
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
  buffer = gst_buffer_append (buffer_of (&n, 4), buffer_of (at, sizeof (at)));
  a = picture_of (dense, buffer_of (grid, sizeof (grid)));
  b = picture_of (list, buffer);
  expect_equal (&a, &b);
  picture_clear (&a);
  picture_clear (&b);
  g_rand_free (random);
  harness_free (dense);
  harness_free (list);
}

GST_END_TEST;

/* No background shows through a plane that is full, however many voxels a pixel is. */
GST_START_TEST (test_no_holes)
{
  static const struct
  {
    const gchar *caps;
    gsize n;
    gdouble longer;
  } planes[] = {
    {DENSE ("uint8", "3:3:1"), 9, 3}, {DENSE ("uint8", "37:37:1"), 37 * 37, 37},
    {DENSE ("uint8", "150:150:1"), 150 * 150, 150}, {DENSE ("uint8", "1000:1000:1"), 1000000, 1000},
  };
  GstHarness *h = viewer (BARE, "video/x-raw,width=300,height=200", planes[__i__].caps);
  guint8 *ones = g_malloc (planes[__i__].n);
  const gdouble rhomb = 300.0 * 300.0 / sqrt (3.0) / 2.0;
  Picture picture;
  guint n;

  memset (ones, 1, planes[__i__].n);
  picture = picture_of (h, buffer_of (ones, planes[__i__].n));
  n = count_pixels (&picture, BACKGROUND);
  /* the floor, and the sides of its two near edges */
  fail_unless (n >= (guint) rhomb - 300 && n <= (guint) (rhomb * (1.0 + 2.5 / planes[__i__].longer)) + 800, "%u of %g", n,
      rhomb);
  for (gint x = 20; x < 280; x++)
    fail_unless (pixel (&picture, x, 98) != BACKGROUND, "a hole at %d", x);
  picture_clear (&picture);
  g_free (ones);
  harness_free (h);
}

GST_END_TEST;

/* ---- values ---- */

#define ROW_VIDEO "video/x-raw,width=80,height=20"
#define ROW DENSE ("float32", "4:1:1")

/* The colours of four voxels in a row, 20 pixels each. */
static void
expect_row (GstHarness *h, GstBuffer *grid, guint32 a, guint32 b, guint32 c, guint32 d)
{
  const guint32 colours[4] = { a, b, c, d };
  Picture picture = picture_of (h, grid);

  for (guint i = 0; i < 4; i++)
    expect_pixel (&picture, 20 * i + 10, 10, colours[i], "voxel");
  picture_clear (&picture);
}

GST_START_TEST (test_values_of_no_number)
{
  GstHarness *h = viewer (BARE "view=top colour-by=value value-range=<-1.0,1.0>", ROW_VIDEO, ROW);
  const guint32 *map = robocache_colour_map ();

  expect_row (h, cloud (NAN, INFINITY, -INFINITY, -0.0f), ROBOCACHE_COLOUR_NAN, map[255], map[0], BACKGROUND);
  gst_util_set_object_arg (G_OBJECT (h->element), "value-range", "<>");
  expect_row (h, cloud (NAN, INFINITY, 3, -5), ROBOCACHE_COLOUR_NAN, map[255], map[255], map[0]);
  expect_row (h, cloud (NAN, INFINITY, 0, 0), ROBOCACHE_COLOUR_NAN, map[255], BACKGROUND, BACKGROUND);
  harness_free (h);
}

GST_END_TEST;

GST_START_TEST (test_value_range)
{
  GstHarness *h = viewer (BARE "view=top colour-by=value", ROW_VIDEO, ROW);

  expect_row (h, cloud (2, 3, 0, 10), map_colour (2, 2, 10), map_colour (3, 2, 10), BACKGROUND, map_colour (10, 2, 10));
  /* while playing */
  gst_util_set_object_arg (G_OBJECT (h->element), "value-range", "<0,4>");
  expect_row (h, cloud (2, 3, 0, 10), map_colour (2, 0, 4), map_colour (3, 0, 4), BACKGROUND, map_colour (4, 0, 4));
  gst_util_set_object_arg (G_OBJECT (h->element), "colour-by", "height");
  expect_row (h, cloud (2, 3, 0, 10), map_colour (0.5, 0, 4), map_colour (0.5, 0, 4), BACKGROUND, map_colour (0.5, 0, 4));
  harness_free (h);
}

GST_END_TEST;

/* A voxel with channels is occupied when one of them is not 0. */
GST_START_TEST (test_channels)
{
  GstHarness *h = viewer (BARE "view=top colour-by=value value-range=<0.0,9.0> channel=2", ROW_VIDEO,
      TENSORS "types=(string)float32,dimensions=(string)3:4,voxel-mode=(string)mean" FRAME ("dense", "4:1:1"));
  const gfloat grid[12] = { 0, 0, 5, 0, 0, 0, 1, 0, 0, 0, NAN, 9 };

  expect_row (h, buffer_of (grid, sizeof (grid)), map_colour (5, 0, 9), BACKGROUND, map_colour (0, 0, 9), map_colour (9, 0, 9));
  harness_free (h);
}

GST_END_TEST;

/* Item 1 of two, in each form. */
static const guint8 dense_items[8] = { 1, 0, 0, 0, 0, 0, 8, 0 };
static const guint32 bits_items[2] = { 1, 4 };
static const struct
{
  guint32 n[2];
  gint32 at[2][3];
  guint8 values[2];
} sparse_items = { {1, 1}, {{0, 0, 0}, {2, 0, 0}}, {3, 8} };
static const struct
{
  guint32 n[2];
  gint32 at[2][3];
  gfloat points[2][9][3];
  guint32 counts[2];
} points_items = { {1, 1}, {{0, 0, 0}, {2, 0, 0}}, {{{0}}}, {3, 8} };

static const struct
{
  const gchar *caps;
  const void *bytes;
  gsize size;
  gdouble value;
} items[] = {
  {TENSORS "types=(string)uint8,dimensions=(string)4:1:1:2" FRAME ("dense", "4:1:1"), dense_items, 8, 8},
  {TENSORS "types=(string)uint8,dimensions=(string)1:4:1:1:2,voxel-mode=(string)max" FRAME ("dense", "4:1:1"), dense_items,
      8, 8},
  {TENSORS "types=(string)uint32,dimensions=(string)1:1:1:2" FRAME ("bits", "4:1:1"), bits_items, 8, 1},
  {SPARSE ("3", "uint32,int32,uint8", "1:2,3:1:2,1:1:2", "4:1:1"), &sparse_items, 34, 8},
  {SPARSE ("4", "uint32,int32,float32,uint32", "1:2,3:1:2,3:9:1:2,1:1:2", "4:1:1") ",voxel-mode=(string)first",
      &points_items, sizeof (points_items), 8},
};

GST_START_TEST (test_batch_item)
{
  GstHarness *h = viewer (BARE "view=top colour-by=value value-range=<0.0,8.0> batch-item=1", ROW_VIDEO, items[__i__].caps);

  expect_row (h, buffer_of (items[__i__].bytes, items[__i__].size), BACKGROUND, BACKGROUND, map_colour (items[__i__].value, 0, 8), BACKGROUND);
  harness_free (h);
}

GST_END_TEST;

/* ---- extremes ---- */

GST_START_TEST (test_empty_grid)
{
  static const gchar *const views[] = { BARE "view=top", BARE "view=isometric", BARE "colour-by=value" };
  GstHarness *h = viewer (views[__i__], CUBE_VIDEO, DENSE ("float32", "4:3:2"));
  const gfloat nothing[24] = { 0 };

  fail_unless_equals_int (count_in_picture (h, buffer_of (nothing, sizeof (nothing)), BACKGROUND), 0);
  harness_free (h);
}

GST_END_TEST;

GST_START_TEST (test_one_voxel)
{
  GstHarness *h = viewer (BARE "view=top", "video/x-raw,width=40,height=40", TENSORS "types=(string)uint8,"
      "dimensions=(string)1,voxel-origin=<0.0,0.0,5.0>,voxel-size=<0.5,0.5,0.5>,framerate=0/1");
  Picture picture = picture_of (h, buffer_of ("\1", 1));

  expect_pixel (&picture, 20, 20, map_colour (5.25, 5.0, 5.5), "the voxel");
  fail_unless_equals_int (count_pixels (&picture, BACKGROUND), 1600);
  picture_clear (&picture);
  harness_free (h);
}

GST_END_TEST;

/* A voxel far smaller than a pixel is one pixel, where it belongs. */
GST_START_TEST (test_large_flat_grid)
{
  GstHarness *h = viewer (BARE "view=top", "video/x-raw,width=100,height=75", DENSE ("uint8", "2000:1500:1"));
  guint8 *grid = g_malloc0 (2000 * 1500);
  Picture picture;

  grid[1500 / 4 * 2000 + 2000 / 4] = 1;
  picture = picture_of (h, buffer_of (grid, 2000 * 1500));
  fail_unless (pixel (&picture, 25, 75 - 19) != BACKGROUND);
  fail_unless_equals_int (count_pixels (&picture, BACKGROUND), 1);
  picture_clear (&picture);
  memset (grid, 1, 2000 * 1500);
  fail_unless_equals_int (count_in_picture (h, buffer_of (grid, 2000 * 1500), BACKGROUND), 100 * 75);
  g_free (grid);
  harness_free (h);
}

GST_END_TEST;

/* Two voxels at the ends of the longest axis there is; thicker than they are, or nothing would be seen. */
GST_START_TEST (test_longest_axis)
{
  GstHarness *h = viewer (__i__ ? BARE "view=top" : BARE, VIDEO, SPARSE ("2", "uint32,int32", "1,3:2", "2097152:1:1"));
  const struct
  {
    guint32 n;
    gint32 at[2][3];
  } list = { 2, {{0, 0, 0}, {2097151, 0, 0}} };
  const guint n = count_in_picture (h, buffer_of (&list, sizeof (list)), BACKGROUND);

  fail_unless (n >= 2 && n <= 10, "%u", n);
  harness_free (h);
}

GST_END_TEST;

GST_START_TEST (test_any_size_of_picture)
{
  static const gchar *const sizes[] = { "video/x-raw,width=1,height=1", "video/x-raw,width=1,height=300",
    "video/x-raw,width=300,height=1", "video/x-raw,width=233,height=134", "video/x-raw,width=235,height=136",
    "video/x-raw,width=3000,height=100", "video/x-raw,width=100,height=2000", "video/x-raw,width=1920,height=1080"
  };
  GstHarness *h = viewer (__i__ & 1 ? "view=top" : "colour-by=value", sizes[__i__ / 2], CUBE_GRID);

  fail_unless (count_in_picture (h, buffer_of ("\1\1\1\0\1\0\1\1", 8), BACKGROUND) > 0);
  harness_free (h);
}

GST_END_TEST;

/* ---- axes and legend ---- */

/* The colour bar is at the right; from its foot upwards it goes through the map. */
GST_START_TEST (test_colour_bar)
{
  GstHarness *h = viewer ("axes=false", "video/x-raw,width=640,height=480", CUBE_GRID);
  Picture picture = picture_of (h, buffer_of ("\0\0\0\0\0\0\0\0", 8));
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
  harness_free (h);
}

GST_END_TEST;

static guint
ink (const gchar *properties, const gchar *caps, const void *grid, gsize size)
{
  GstHarness *h = viewer (properties, "video/x-raw,width=640,height=480", caps);
  const guint n = count_in_picture (h, buffer_of (grid, size), BACKGROUND);

  harness_free (h);
  return n;
}

static const struct
{
  const gchar *properties;
  guint more_than;              /* pixels of lines and text; 0: there are none */
} inks[] = { {BARE, 0}, {"legend=false", 1000}, {"axes=false", 2000}, {"", 3000} };

GST_START_TEST (test_axes_and_legend_can_be_left_out)
{
  gchar *properties = g_strconcat (__i__ & 1 ? "view=top " : "", inks[__i__ / 2].properties, NULL);
  const guint n = ink (properties, CUBE_GRID, "\0\0\0\0\0\0\0\0", 8);

  fail_unless (inks[__i__ / 2].more_than > 0 ? n > inks[__i__ / 2].more_than : n == 0, "%u", n);
  g_free (properties);
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
  Picture picture = picture_of (h, buffer_of ("\0\0\0\0\0\0\0\0", 8));
  const gint right = picture.width - 1, bottom = picture.height - 1;

  fail_unless (count_pixels (&picture, BACKGROUND) > 1000, "%s: %u pixels", size, count_pixels (&picture, BACKGROUND));
  for (gint x = 0; x <= right; x++)
    fail_unless (pixel (&picture, x, 0) == BACKGROUND && pixel (&picture, x, bottom) == BACKGROUND, "%s, %s", size, text);
  for (gint y = 0; y <= bottom; y++)
    fail_unless (pixel (&picture, 0, y) == BACKGROUND && pixel (&picture, right, y) == BACKGROUND, "%s, %s", size, text);
  picture_clear (&picture);
  harness_free (h);
  g_free (text);
}

GST_END_TEST;

/* Numbers at the axes are of the world: the same voxels elsewhere make another picture, and only with axes. */
GST_START_TEST (test_axes_say_where_it_is)
{
  GstHarness *h = viewer ("legend=false", "video/x-raw,width=640,height=480", CUBE_GRID);
  const gchar *const origins[] = { "<>", "<10.0,0.0,0.0>", "<0.0,10.0,0.0>", "<0.0,0.0,10.0>" };
  Picture pictures[4], bare[2];

  for (guint i = 0; i < 4; i++) {
    gst_util_set_object_arg (G_OBJECT (h->element), "origin", origins[i]);
    pictures[i] = picture_of (h, buffer_of ("\1\0\0\0\0\0\0\0", 8));
    for (guint k = 0; k < i; k++)
      fail_if (memcmp (pictures[i].map.data, pictures[k].map.data, pictures[i].map.size) == 0);
  }
  g_object_set (h->element, "axes", FALSE, NULL);
  for (guint i = 0; i < 2; i++) {
    gst_util_set_object_arg (G_OBJECT (h->element), "origin", origins[i]);
    bare[i] = picture_of (h, buffer_of ("\1\0\0\0\0\0\0\0", 8));
  }
  expect_equal (&bare[0], &bare[1]);
  for (guint i = 0; i < 4; i++)
    picture_clear (&pictures[i]);
  picture_clear (&bare[0]);
  picture_clear (&bare[1]);
  harness_free (h);
}

GST_END_TEST;

GST_START_TEST (test_background)
{
  GstHarness *h = viewer (BARE "background-colour=0x102030", VIDEO, CUBE_GRID);

  fail_unless_equals_int (count_in_picture (h, buffer_of ("\0\0\0\0\0\0\0\0", 8), 0x102030), 0);
  harness_free (h);
}

GST_END_TEST;

/* ---- negotiation ---- */

static const struct
{
  const gchar *downstream, *in, *out;
} sizes[] = {
  {"video/x-raw", CUBE_GRID, "video/x-raw,width=640,height=480,framerate=10/1,pixel-aspect-ratio=1/1"},
  {"video/x-raw,width=320", CUBE_GRID, "video/x-raw,width=320,height=240"},
  {"video/x-raw,height=600", CUBE_GRID, "video/x-raw,width=800,height=600"},
  {"video/x-raw,width=[1,100],height=[1,1000]", CUBE_GRID, "video/x-raw,width=100,height=480"},
  {"video/x-raw,format=BGRA", CUBE_GRID, "video/x-raw,format=BGRA"},
  {"video/x-raw", TENSORS "types=(string)uint8,dimensions=(string)2:2:2,voxel-origin=<0,0,0>,voxel-size=<1,1,1>",
      "video/x-raw,framerate=0/1"},
  {"ANY", TENSORS "types=(string)uint8,dimensions=(string)2:2:2:1:1,voxel-origin=<0,0,0>,voxel-size=<1,1,1>",
      "video/x-raw,width=640"},
};

GST_START_TEST (test_size_and_rate)
{
  GstHarness *h = viewer ("", sizes[__i__].downstream, sizes[__i__].in);

  expect_no_error (h);
  expect_caps (h, sizes[__i__].out);
  gst_buffer_unref (push_pull (h, buffer_of ("\1\1\1\0\1\0\1\1", 8)));
  harness_free (h);
}

GST_END_TEST;

#define PLAIN TENSORS "types=(string)uint8,dimensions=(string)4:3:2"
#define PLACED ",voxel-origin=<0.0,0.0,0.0>,voxel-size=<1.0,1.0,1.0>"
#define HERE BARE "view=top origin=<0.0,0.0,0.0> voxel-size=<1.0,1.0,1.0> "

/* What caps do not say, properties do, and they win. */
GST_START_TEST (test_frame_of_properties)
{
  static const struct
  {
    const gchar *properties, *caps;
  } frames[] = {
    {HERE, PLAIN}, {HERE "grid=4:3:2", PLAIN}, {HERE "grid=4:3:2 input-form=dense", PLAIN},
    {HERE, TENSORS "types=(string)uint8,dimensions=(string)4:3:2,voxel-origin=<1,1,7>,voxel-size=<2,1,1>"},
    {HERE "input-form=dense grid=4:3:2", TENSORS "types=(string)uint8,dimensions=(string)4:3:2,"
        "voxel-output=(string)bits,voxel-grid=(string)\"128:3:2\""},
  };
  GstHarness *h = viewer (frames[__i__].properties, VIDEO, frames[__i__].caps);
  guint8 grid[24] = { 0 };

  for (guint i = 0; i < 3; i++)
    grid[occupied_at[i]] = 1;
  expect_columns (h, buffer_of (grid, sizeof (grid)), 0.5, 1.5, 0.0, 2.0);
  harness_free (h);
}

GST_END_TEST;

static const struct
{
  const gchar *properties, *caps, *words;
} bad_caps[] = {
  {BARE, PLAIN, "they have no voxel-origin, so set the property origin"},
  {"origin=<1.0,2.0,3.0>", PLAIN, "they have no voxel-size, so set the property voxel-size"},
  {"input-form=bits", PLAIN PLACED, "they have no voxel-grid, and dimensions 4:3:2 of bits voxels do not tell"},
  {"", SPARSE ("2", "uint32,int32", "1,3:5", "4:3"), "voxel-grid is 4:3"},
  {"", "other/tensors,format=(string)static,num_tensors=(int)2,types=(string)\"uint32,int32\",dimensions=(string)"
        "\"1,3:5\"" PLACED, "dimensions 1 of sparse voxels do not tell"},
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
  {"", FIRST ("4", "uint32,int32,float32,int32", "1,3:5,4:8:5,1:5"), "for mode first F:P:cap and uint32 1:cap"},
  {"", FIRST ("3", "uint32,int32,float32", "1,3:5,4:8:5"), "float32 4:8:5: expected sparse"},
  {"", TENSORS "types=(string)uint8,dimensions=(string)4:3:2,voxel-mode=(string)mean" FRAME ("dense", "4:3:2"),
      "expected dense"},
  {"", TENSORS "types=(string)int64,dimensions=(string)8:3" FRAME ("index", "4:3:2"),
      "voxel-output is index, which says of points where they are: expected voxels"},
  {"", TENSORS "types=(string)int64,dimensions=(string)40:2" FRAME ("rank", "4:3:2"), "voxel-output is rank"},
  {"", PLAIN ",voxel-mode=(string)most" PLACED, "voxel-mode is most: expected a string like \"occupancy\""},
  {"", PLAIN ",voxel-output=(int)1" PLACED, "voxel-output is no string: expected"},
  {"", PLAIN ",voxel-grid=(int)4" PLACED, "voxel-grid is no string: expected a string nx:ny:nz"},
  {"", PLAIN ",voxel-origin=<1.0,2.0>,voxel-size=<1.0,1.0,1.0>", "voxel-origin is < 1.000000, 2.000000 >: expected three"},
  {"", PLAIN ",voxel-origin=(string)here,voxel-size=<1.0,1.0,1.0>", "voxel-origin is \"here\": expected three"},
  {"origin=<nan,2.0,1.0>", PLAIN PLACED, "origin x is nan"},
  {"origin=<0.0,0.0,1e300>", PLAIN PLACED, "origin z is 1e+300"},
  {"voxel-size=<0.0,2.0,1.0>", PLAIN PLACED, "voxel size x is 0"},
  {"voxel-size=<1.0,-2.0,1.0>", PLAIN PLACED, "voxel size y is -2"},
  {"voxel-size=<1.0,2.0,inf>", PLAIN PLACED, "voxel size z is inf"},
  {"", "other/tensors,format=(string)flexible", "format is flexible"},
  {"", TENSORS "types=(string)uint8" PLACED, "caps without dimensions"},
  {"", PLAIN PLACED ",framerate=(int)3", "framerate must be one fraction"},
};

GST_START_TEST (test_caps_refused)
{
  GstHarness *h = viewer (bad_caps[__i__].properties, "video/x-raw", bad_caps[__i__].caps);

  /* upstream tries again with the first buffer */
  fail_unless_equals_int (gst_harness_push (h, buffer_of ("", 1)), GST_FLOW_NOT_NEGOTIATED);
  expect_error (h, GST_CORE_ERROR, GST_CORE_ERROR_NEGOTIATION, bad_caps[__i__].words);
  harness_free (h);
}

GST_END_TEST;

/* The first of them with the caps, the others with a buffer. */
static const struct
{
  const gchar *properties, *words;
} bad_properties[] = {
  {"grid=4:3", "grid is \"4:3\""},
  {"origin=<1.0,2.0>", "origin is < 1.000000, 2.000000 >: expected three numbers"},
  {"voxel-size=<a,2.0,1.0>", "expected three numbers, x, y and z, like"},
  {"value-range=<1.0,1.0>", "value-range is <1,1>: expected two numbers, the least before the greatest"},
  {"value-range=<2.0,1.0>", "value-range is <2,1>"},
  {"value-range=<nan,1.0>", "value-range is <nan,1>"},
  {"value-range=<0.0,inf>", "value-range is <0,inf>"},
  {"value-range=<1.0,2.0,3.0>", "value-range is < 1.000000, 2.000000, 3.000000 >: expected two numbers"},
  {"batch-item=1", "batch-item is 1, but there are 1 items in a buffer"},
  {"colour-by=value channel=4294967295", "channel is 4294967295, but there are 1 channels in a voxel"},
};

GST_START_TEST (test_properties_refused)
{
  GstHarness *h = viewer (bad_properties[__i__].properties, "video/x-raw", CUBE_GRID);

  if (__i__ >= 3) {
    expect_no_error (h);
    fail_unless_equals_int (gst_harness_push (h, buffer_of ("\1\0\0\0\0\0\0\0", 8)), GST_FLOW_ERROR);
  }
  expect_error (h, GST_LIBRARY_ERROR, GST_LIBRARY_ERROR_SETTINGS, bad_properties[__i__].words);
  harness_free (h);
}

GST_END_TEST;

static const struct
{
  guint32 n;
  gint32 last[3];
  gsize cut;
  const gchar *words;
} bad_lists[] = {
  {6, {0, 0, 0}, 0, "says it has 6 voxels: its tensors have room for 5"},
  {G_MAXUINT32, {0, 0, 0}, 0, "4294967295 voxels"},
  {5, {4, 0, 0}, 0, "voxel 4 of a sparse grid is 4, 0, 0: expected one in a grid of 4:3:2"},
  {5, {0, -1, 0}, 0, "voxel 4 of a sparse grid is 0, -1, 0"},
  {5, {0, 0, G_MAXINT32}, 0, "voxel 4 of a sparse grid is 0, 0, 2147483647"},
  {5, {0, 0, 0}, 1, "a buffer of 63 bytes in 1 memories, but its caps say 64 bytes"},
};

GST_START_TEST (test_data_refused)
{
  GstHarness *h = viewer ("", "video/x-raw", SPARSE ("2", "uint32,int32", "1,3:5", "4:3:2"));
  gint32 list[16] = { 0 };

  memcpy (list, &bad_lists[__i__].n, 4);
  memcpy (list + 13, bad_lists[__i__].last, 12);
  fail_unless_equals_int (gst_harness_push (h, buffer_of (list, sizeof (list) - bad_lists[__i__].cut)), GST_FLOW_ERROR);
  expect_error (h, GST_STREAM_ERROR, GST_STREAM_ERROR_FORMAT, bad_lists[__i__].words);
  harness_free (h);
}

GST_END_TEST;

/* Another grid in mid-stream, another form, and properties that do not fit any more. */
GST_START_TEST (test_renegotiation)
{
  GstHarness *h = viewer (BARE "view=top", VIDEO, DENSE ("uint8", "4:3:2"));
  guint8 grid[24] = { 0 };

  for (guint i = 0; i < 3; i++)
    grid[occupied_at[i]] = 1;
  expect_columns (h, buffer_of (grid, sizeof (grid)), 0.5, 1.5, 0.0, 2.0);
  gst_harness_set_src_caps_str (h, DENSE ("float64", "1:1:1"));
  fail_unless_equals_int (count_in_picture (h, buffer_of ((const gdouble[1]) { 2.0 }, 8), BACKGROUND), 60 * 60);
  gst_harness_set_src_caps_str (h, SPARSE ("2", "uint32,int32", "1,3:5", "4:3:2"));
  expect_columns (h, sparse (3, NULL, 0), 0.5, 1.5, 0.0, 2.0);
  g_object_set (h->element, "grid", "3:2:1", NULL);
  fail_unless_equals_int (gst_harness_push (h, sparse (3, NULL, 0)), GST_FLOW_ERROR);
  expect_error (h, GST_STREAM_ERROR, GST_STREAM_ERROR_FORMAT, "expected one in a grid of 3:2:1");
  g_object_set (h->element, "input-form", 0, NULL);
  for (guint i = 0; i < 2; i++) {
    fail_unless_equals_int (gst_harness_push (h, sparse (3, NULL, 0)), GST_FLOW_ERROR);
    expect_error (h, GST_CORE_ERROR, GST_CORE_ERROR_NEGOTIATION, "expected dense voxels");
  }
  harness_free (h);
}

GST_END_TEST;

/* ---- time and metadata ---- */

GST_START_TEST (test_time_and_metadata)
{
  GstHarness *h = viewer ("", "video/x-raw", CUBE_GRID);
  GstCaps *reference = gst_caps_new_empty_simple ("timestamp/x-ntp");
  GstBuffer *grid = at (buffer_of ("\1\0\0\0\0\0\0\0", 8), 5 * GST_SECOND), *output;
  GstReferenceTimestampMeta *meta;

  gst_buffer_add_reference_timestamp_meta (grid, reference, 77, GST_CLOCK_TIME_NONE);
  output = push_pull (h, grid);
  fail_unless_equals_uint64 (GST_BUFFER_PTS (output), 5 * GST_SECOND);
  fail_unless_equals_uint64 (GST_BUFFER_DURATION (output), 100 * GST_MSECOND);
  meta = gst_buffer_get_reference_timestamp_meta (output, reference);
  fail_unless (meta != NULL && meta->timestamp == 77);
  gst_buffer_unref (output);
  gst_caps_unref (reference);
  harness_free (h);
}

GST_END_TEST;

/* The same again after NULL, and from a pool. */
GST_START_TEST (test_restart)
{
  GstHarness *h = viewer ("", "video/x-raw", CUBE_GRID);
  Picture before = picture_of (h, buffer_of ("\1\0\0\0\0\0\0\0", 8)), after;

  fail_unless (before.buffer->pool != NULL);
  gst_element_set_state (h->element, GST_STATE_NULL);
  gst_harness_play (h);
  gst_harness_set_src_caps_str (h, CUBE_GRID);
  after = picture_of (h, buffer_of ("\1\0\0\0\0\0\0\0", 8));
  expect_equal (&before, &after);
  picture_clear (&before);
  picture_clear (&after);
  harness_free (h);
}

GST_END_TEST;

GST_START_TEST (test_properties_come_back)
{
  GstHarness *h = harness_of ("robocachevoxelview", "");
  GValue array = G_VALUE_INIT;

  g_value_init (&array, GST_TYPE_ARRAY);
  g_object_get_property (G_OBJECT (h->element), "origin", &array);
  fail_unless_equals_int (gst_value_array_get_size (&array), 0);
  gst_util_set_object_arg (G_OBJECT (h->element), "origin", "<1.0,2.0,3.0>");
  g_object_get_property (G_OBJECT (h->element), "origin", &array);
  fail_unless_equals_int (gst_value_array_get_size (&array), 3);
  fail_unless (g_value_get_double (gst_value_array_get_value (&array, 2)) == 3.0);
  gst_util_set_object_arg (G_OBJECT (h->element), "value-range", "<1,2>");
  g_object_get_property (G_OBJECT (h->element), "value-range", &array);
  fail_unless_equals_int (gst_value_array_get_size (&array), 2);
  g_value_unset (&array);
  harness_free (h);
}

GST_END_TEST;

/* A channel that is not there is of no matter for heights. */
GST_START_TEST (test_heights_need_no_channel)
{
  GstHarness *h = viewer (BARE "view=top channel=4000000000", ROW_VIDEO, ROW);
  const guint32 colour = map_colour (0.5, 0.0, 1.0);

  expect_row (h, cloud (1, 0, 2, NAN), colour, BACKGROUND, colour, colour);
  harness_free (h);
}

GST_END_TEST;

/* What robocachevoxelize puts out, whatever it is set to, is shown, and is the same picture in every form. */
GST_START_TEST (test_after_voxelize)
{
  static const gchar *const outputs[] = { "output=dense", "output=bits", "output=sparse", "mode=count type=float16",
    "mode=count type=uint32 output=sparse", "mode=max type=float32", "mode=mean type=float16 output=sparse",
    "mode=centroid", "type=uint8", "mode=first max-points=2 output=sparse"
  };
  gchar *properties = g_strdup_printf (UNIT "max-voxels=7 %s", outputs[__i__]);
  GstHarness *grids = harness_with_caps (properties, XYZI);
  GstCaps *caps = gst_pad_get_current_caps (grids->sinkpad);
  gchar *text = gst_caps_to_string (caps);
  GstHarness *h = viewer (BARE "view=top", VIDEO, text);

  expect_columns (h, push_pull (grids, cloud (1.5, 0.5, 0.5, 1, 3.5, 2.5, 0.5, 2, 3.5, 2.5, 1.5, 3)), 0.5, 1.5, 0.0, 2.0);
  g_free (text);
  g_free (properties);
  gst_caps_unref (caps);
  harness_free (grids);
  harness_free (h);
}

GST_END_TEST;

static const gchar *const rateless[] = {
  "application/x-pointcloud,fields=(string)\"x,y,z\",type=(string)float32",
  "other/tensors,format=(string)static,num_tensors=(int)1,types=(string)float32,dimensions=(string)3:10",
};

/* Caps that a filter has fixed say nothing of a rate; nor does what the view can take. */
GST_START_TEST (test_points_without_a_rate)
{
  gchar *description = g_strdup_printf ("fakesrc num-buffers=2 sizetype=fixed sizemax=120 filltype=zero format=time ! %s ! "
      "robocachevoxelize grid=8:8:8 ! robocachevoxelview ! video/x-raw,framerate=0/1 ! fakesink", rateless[__i__]);
  GstElement *pipeline = gst_parse_launch (description, NULL);
  GstBus *bus;
  GstMessage *message;

  fail_unless (pipeline != NULL);
  bus = gst_element_get_bus (pipeline);
  gst_element_set_state (pipeline, GST_STATE_PLAYING);
  message = gst_bus_timed_pop_filtered (bus, GST_CLOCK_TIME_NONE, GST_MESSAGE_ERROR | GST_MESSAGE_EOS);
  fail_unless (GST_MESSAGE_TYPE (message) == GST_MESSAGE_EOS, "%" GST_PTR_FORMAT, message);
  gst_message_unref (message);
  gst_element_set_state (pipeline, GST_STATE_NULL);
  gst_object_unref (bus);
  gst_object_unref (pipeline);
  g_free (description);
}

GST_END_TEST;

static Suite *
robocachevoxelview_suite (void)
{
  Suite *suite = suite_create ("robocachevoxelview");
  TCase *tc = tcase_create ("general");

  g_setenv ("ROBOCACHE_BACKEND", "cpu", TRUE);

  suite_add_tcase (suite, tc);
  tcase_add_loop_test (tc, test_dense_from_above, 0, G_N_ELEMENTS (types));
  tcase_add_loop_test (tc, test_forms_from_above, 0, G_N_ELEMENTS (forms));
  tcase_add_loop_test (tc, test_sides_of_a_cube, 0, 8);
  tcase_add_loop_test (tc, test_the_nearer_cube_hides_the_other, 0, 2);
  tcase_add_test (tc, test_neighbours);
  tcase_add_loop_test (tc, test_no_holes, 0, 4);
  tcase_add_test (tc, test_values_of_no_number);
  tcase_add_test (tc, test_value_range);
  tcase_add_test (tc, test_channels);
  tcase_add_loop_test (tc, test_batch_item, 0, G_N_ELEMENTS (items));
  tcase_add_loop_test (tc, test_empty_grid, 0, 3);
  tcase_add_test (tc, test_one_voxel);
  tcase_add_test (tc, test_large_flat_grid);
  tcase_add_loop_test (tc, test_longest_axis, 0, 2);
  tcase_add_loop_test (tc, test_any_size_of_picture, 0, 16);
  tcase_add_test (tc, test_colour_bar);
  tcase_add_loop_test (tc, test_axes_and_legend_can_be_left_out, 0, 2 * G_N_ELEMENTS (inks));
  tcase_add_loop_test (tc, test_text_fits, 0, 2 * 5 * 6);
  tcase_add_test (tc, test_axes_say_where_it_is);
  tcase_add_test (tc, test_background);
  tcase_add_loop_test (tc, test_size_and_rate, 0, G_N_ELEMENTS (sizes));
  tcase_add_loop_test (tc, test_frame_of_properties, 0, 5);
  tcase_add_loop_test (tc, test_caps_refused, 0, G_N_ELEMENTS (bad_caps));
  tcase_add_loop_test (tc, test_properties_refused, 0, G_N_ELEMENTS (bad_properties));
  tcase_add_loop_test (tc, test_data_refused, 0, G_N_ELEMENTS (bad_lists));
  tcase_add_test (tc, test_renegotiation);
  tcase_add_test (tc, test_time_and_metadata);
  tcase_add_test (tc, test_restart);
  tcase_add_test (tc, test_properties_come_back);
  tcase_add_test (tc, test_heights_need_no_channel);
  tcase_add_loop_test (tc, test_after_voxelize, 0, 10);
  tcase_add_loop_test (tc, test_points_without_a_rate, 0, G_N_ELEMENTS (rateless));
  return suite;
}

GST_CHECK_MAIN (robocachevoxelview);
