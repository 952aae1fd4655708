/* robocache: robocachevoxelize: what it negotiates, what it refuses and what it says then
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "voxelize_harness.h"

#define MAP "application/x-pointcloud,fields=(string)voxel,type=(string)int64,"
#define FIRST(types, dimensions) "other/tensors,num_tensors=(int)4,voxel-mode=(string)first,types=(string)\"" types \
    "\",dimensions=(string)\"" dimensions "\""
#define CLOUD "application/x-pointcloud,fields=(string)\"x,y,z,i\","

static const struct
{
  const gchar *properties, *in, *out;
} good_caps[] = {
  {UNIT, XYZ, TENSORS "types=(string)uint8,dimensions=(string)4:3:2,framerate=(fraction)10/1"},
  {UNIT, "application/x-pointcloud,fields=(string)\"x, y, z\",type=(string)float64",
      TENSORS "types=(string)uint8,dimensions=(string)4:3:2,framerate=(fraction)0/1"},
  {UNIT "mode=count", "application/x-lidar",
  TENSORS "types=(string)uint32,dimensions=(string)4:3:2,framerate=(fraction)0/1"},
  {UNIT "mode=mean", "application/x-lidar,framerate=(fraction)20/1",
      TENSORS "types=(string)float32,dimensions=(string)1:4:3:2,framerate=(fraction)20/1"},
  {UNIT "mode=max type=float16", "application/x-pointcloud,fields=(string)\"x,y,z,a,b\",type=(string)float16",
      TENSORS "types=(string)float16,dimensions=(string)2:4:3:2,framerate=(fraction)0/1"},
  {UNIT "mode=centroid", XYZ, TENSORS "types=(string)float32,dimensions=(string)3:4:3:2,framerate=(fraction)10/1"},
  {UNIT "output=bits grid=33:3:1", XYZ, TENSORS "types=(string)uint32,dimensions=(string)2:3,framerate=(fraction)10/1"},
  {UNIT "output=bits type=uint32 grid=32:3:5", XYZ,
      TENSORS "types=(string)uint32,dimensions=(string)1:3:5,framerate=(fraction)10/1"},
  {UNIT "output=sparse max-voxels=9", XYZ, "other/tensors,format=(string)static,num_tensors=(int)2,"
      "types=(string)\"uint32,int32\",dimensions=(string)\"1,3:9\",framerate=(fraction)10/1"},
  {UNIT "output=sparse max-voxels=9 mode=count type=uint8", XYZ,
  "other/tensors,format=(string)static,num_tensors=(int)3,"
      "types=(string)\"uint32,int32,uint8\",dimensions=(string)\"1,3:9,1:9\",framerate=(fraction)10/1"},
  {UNIT "output=sparse max-voxels=9 mode=centroid", XYZ, "other/tensors,format=(string)static,num_tensors=(int)3,"
      "types=(string)\"uint32,int32,float32\",dimensions=(string)\"1,3:9,3:9\",framerate=(fraction)10/1"},
  {UNIT "output=sparse grid=2097152:2097152:2097152 max-voxels=5", XYZ, "other/tensors,format=(string)static,"
      "num_tensors=(int)2,types=(string)\"uint32,int32\",dimensions=(string)\"1,3:5\",framerate=(fraction)10/1"},
  {UNIT "type=float32", TENSORS "types=(string)float32,dimensions=(string)3:100,framerate=(fraction)5/1",
      TENSORS "types=(string)float32,dimensions=(string)4:3:2,framerate=(fraction)5/1"},
  {UNIT "mode=min", TENSORS "types=(string)float64,dimensions=(string)5:1:1:1",
      TENSORS "types=(string)float32,dimensions=(string)2:4:3:2,framerate=(fraction)0/1"},
  {UNIT "fx=4 fy=4", "video/x-raw,format=GRAY16_LE,width=4,height=3,framerate=30/1",
      TENSORS "types=(string)uint8,dimensions=(string)4:3:2,framerate=(fraction)30/1"},
  {UNIT "grid=1:1:1", XYZ, TENSORS "types=(string)uint8,dimensions=(string)1,framerate=(fraction)10/1"},
  /* layouts */
  {UNIT "mode=mean", "application/x-pointcloud,fields=(string)\"x, y, z, i, ring, t\","
      "types=(string)\"float32, float32, float32, float32, uint16, float64\",offsets=(string)\"0, 4, 8, 16, 20, 24\","
      "point-step=32", TENSORS "types=(string)float32,dimensions=(string)3:4:3:2,framerate=(fraction)0/1"},
  {UNIT "mode=max", "application/x-pointcloud,fields=(string)\"i,z,y,x\",type=(string)float32",
      TENSORS "types=(string)float32,dimensions=(string)1:4:3:2,framerate=(fraction)0/1"},
  {UNIT "mode=max", "application/x-pointcloud,fields=(string)\"east,north,up,i,j\",type=(string)float16",
      TENSORS "types=(string)float32,dimensions=(string)2:4:3:2,framerate=(fraction)0/1"},
  {UNIT "mode=min", CLOUD "types=(string)\"float64,float64,float64,bfloat16\",offsets=(string)\"3,11,19,0\"",
      TENSORS "types=(string)float32,dimensions=(string)1:4:3:2,framerate=(fraction)0/1"},
  {UNIT "fx=4 fy=4 k1=-0.1 p2=0.01", "video/x-raw,format=GRAY16_LE,width=4,height=3,framerate=30/1",
      TENSORS "types=(string)uint8,dimensions=(string)4:3:2,framerate=(fraction)30/1"},
  /* batches */
  {UNIT, TENSORS "types=(string)float32,dimensions=(string)3:100:5",
      TENSORS "types=(string)uint8,dimensions=(string)4:3:2:5,framerate=(fraction)0/1"},
  {UNIT, TENSORS "types=(string)float32,dimensions=(string)3:100:1",
      TENSORS "types=(string)uint8,dimensions=(string)4:3:2,framerate=(fraction)0/1"},
  {UNIT "mode=mean grid=4:1:1", TENSORS "types=(string)float32,dimensions=(string)5:1:7",
      TENSORS "types=(string)float32,dimensions=(string)2:4:1:1:7,framerate=(fraction)0/1"},
  {UNIT "output=bits grid=33:3:1", TENSORS "types=(string)float16,dimensions=(string)3:9:2",
      TENSORS "types=(string)uint32,dimensions=(string)2:3:1:2,framerate=(fraction)0/1"},
  {UNIT "output=sparse max-voxels=9 mode=centroid", TENSORS "types=(string)float64,dimensions=(string)3:9:2",
      "other/tensors,format=(string)static,num_tensors=(int)3,types=(string)\"uint32,int32,float32\","
      "dimensions=(string)\"1:2,3:9:2,3:9:2\",framerate=(fraction)0/1"},
  /* index and rank have the form of the points */
  {UNIT "output=index", XYZ, MAP "framerate=(fraction)10/1,voxel-output=(string)index,voxel-mode=(string)occupancy,"
      "voxel-grid=(string)\"4:3:2\",voxel-origin=<0.0,0.0,0.0>,voxel-size=<1.0,1.0,1.0>"},
  {UNIT "output=rank type=int64 max-voxels=7", "application/x-lidar", MAP "framerate=(fraction)0/1,voxel-output=rank"},
  {UNIT "output=rank", CLOUD "types=(string)\"float64,float64,float64,uint8\",framerate=(fraction)20/1",
      MAP "framerate=(fraction)20/1"},
  {UNIT "output=index", TENSORS "types=(string)float32,dimensions=(string)5:40,framerate=(fraction)5/1",
      TENSORS "types=(string)int64,dimensions=(string)40,framerate=(fraction)5/1,voxel-output=(string)index"},
  {UNIT "output=rank", TENSORS "types=(string)float16,dimensions=(string)5:40:3",
      TENSORS "types=(string)int64,dimensions=(string)40:3,framerate=(fraction)0/1"},
  {UNIT "output=rank fx=4 fy=4", "video/x-raw,format=GRAY16_LE,width=8,height=3,framerate=30/1",
      TENSORS "types=(string)int64,dimensions=(string)8:3,framerate=(fraction)30/1,voxel-output=(string)rank"},
  {UNIT "output=index grid=2097152:2097152:2097152", XYZ, MAP "voxel-grid=(string)\"2097152:2097152:2097152\""},
  /* the first points of each voxel */
  {UNIT "mode=first output=sparse max-voxels=9", XYZ, FIRST ("uint32,int32,float32,uint32", "1,3:9,3:32:9,1:9")},
  {UNIT "mode=first output=sparse max-voxels=9 max-points=5 type=float16", XYZI,
      FIRST ("uint32,int32,float16,uint32", "1,3:9,4:5:9,1:9")},
  {UNIT "mode=first output=sparse max-voxels=9 max-points=5", TENSORS "types=(string)float64,dimensions=(string)6:40:3",
      FIRST ("uint32,int32,float32,uint32", "1:3,3:9:3,6:5:9:3,1:9:3")},
  {UNIT "mode=first output=sparse max-voxels=9 max-points=65536 fx=1 fy=1",
      "video/x-raw,format=GRAY16_LE,width=4,height=3,framerate=30/1",
      FIRST ("uint32,int32,float32,uint32", "1,3:9,3:65536:9,1:9")},
};

GST_START_TEST (test_caps_accepted)
{
  GstHarness *h = harness_with_caps (good_caps[__i__].properties, good_caps[__i__].in);

  expect_no_error (h);
  expect_caps (h, good_caps[__i__].out);
  harness_free (h);
}

GST_END_TEST;

/* Where the grid is, which dimensions do not tell, and its digits to the last through text. */
GST_START_TEST (test_caps_say_where_the_grid_is)
{
  GstHarness *h = harness_with_caps ("origin=<-3.25,0.1,-0.15> voxel-size=<0.1,0.2,0.3> grid=40:3:2 mode=max "
      "output=sparse", XYZI);
  GstCaps *got = gst_pad_get_current_caps (h->sinkpad), *again;
  GstCaps *wanted = gst_caps_from_string ("other/tensors,voxel-output=(string)sparse,voxel-mode=(string)max,"
      "voxel-grid=(string)\"40:3:2\",voxel-origin=<-3.25,0.1,-0.15>,voxel-size=<0.1,0.2,0.3>");
  gchar *text;

  fail_unless (gst_caps_is_subset (got, wanted), "%" GST_PTR_FORMAT, got);
  text = gst_caps_to_string (got);
  again = gst_caps_from_string (text);
  fail_unless (gst_caps_is_equal (got, again), "%s", text);
  g_free (text);
  gst_caps_unref (again);
  gst_caps_unref (wanted);
  gst_caps_unref (got);
  harness_free (h);
}

GST_END_TEST;

static const struct
{
  const gchar *properties, *in, *words;
} bad_caps[] = {
  {UNIT, "application/x-pointcloud,type=(string)float32", "without fields"},
  {UNIT, "application/x-pointcloud,fields=(int)3,type=(string)float32", "no string in fields"},
  {UNIT, "application/x-pointcloud,fields=(string)\"x,y,z\"", "without type"},
  {UNIT, "application/x-pointcloud,fields=(string)\"x,y,z\",type=(int)4", "no string in type"},
  {UNIT, "application/x-pointcloud,fields=(string)\"x,y,z\",type=(string)int16", "points of type int16"},
  {UNIT, "application/x-pointcloud,fields=(string)\"x,y,z\",type=(string)float33", "points of type float33"},
  {UNIT, "application/x-pointcloud,fields=(string)\"x,y\",type=(string)float32", "expected x, y, z and more"},
  {UNIT, "application/x-pointcloud,fields=(string)\"x,a,y\",type=(string)float32", "no field is named z"},
  {UNIT, "application/x-pointcloud,fields=(string)\"a,b,c,y\",type=(string)float32", "expected x, y and z among them"},
  {UNIT, "application/x-pointcloud,fields=(string)\"x,y,z,,i\",type=(string)float32", "field 3 has no name"},
  {UNIT, "application/x-pointcloud,fields=(string)\"x,y,z,i,i\",type=(string)float32", "two fields are named i"},
  {UNIT, "application/x-pointcloud,fields=(string)\"x,y,z\",type=(string)float32,framerate=(int)3", "framerate"},
  /* layouts */
  {UNIT, CLOUD "types=(string)\"float32,float32,float32\"", "types=\"float32,float32,float32\" has 3 items: expected 4"},
  {UNIT, CLOUD "types=(string)\"float32,float32,float32,complex64\"", "field i has type complex64"},
  {UNIT, CLOUD "types=(string)\"float32,float64,float32,uint8\"", "y is float64 and z is float32, expected one type"},
  {UNIT, CLOUD "types=(string)\"int32,int32,int32,uint8\"", "points of type int32"},
  {UNIT, CLOUD "types=(string)\"bfloat16,bfloat16,bfloat16,uint8\"", "points of type bfloat16"},
  {UNIT, CLOUD "types=(int)4", "no string in types"},
  {UNIT, CLOUD "type=(string)float32,types=(string)\"float32,float32,float32,uint8\"", "type and types"},
  {UNIT, CLOUD "type=(string)float32,offsets=(string)\"0,4,8\"", "offsets=\"0,4,8\" has 3 items: expected 4"},
  {UNIT, CLOUD "type=(string)float32,offsets=(string)\"0,4,8,-4\"", "field i is at \"-4\""},
  {UNIT, CLOUD "type=(string)float32,offsets=(string)\"0,4,8,2147483644\"", "field i is at \"2147483644\""},
  {UNIT, CLOUD "type=(string)float32,offsets=(string)\"0,4,8,\"", "field i is at \"\""},
  {UNIT, CLOUD "type=(string)float32,offsets=(int)4", "no string in offsets"},
  {UNIT, CLOUD "type=(string)float32,offsets=(string)\"0,4,8,10\"", "field z, float32 at 8, and field i at 10 overlap"},
  {UNIT, CLOUD "types=(string)\"float32,float32,float32,uint8\",offsets=(string)\"4,8,12,7\"",
      "field x, float32 at 4, and field i at 7 overlap"},
  {UNIT, CLOUD "type=(string)float32,point-step=(int)15", "point-step is 15: expected at least 16, since field i, float32"},
  {UNIT, CLOUD "type=(string)float32,offsets=(string)\"20,4,8,12\",point-step=(int)20", "since field x, float32 at 20"},
  {UNIT, CLOUD "type=(string)float32,point-step=(int)-1", "point-step is -1"},
  {UNIT, CLOUD "type=(string)float32,point-step=(string)32", "no int in point-step"},
  {UNIT, "application/x-lidar,framerate=(string)fast", "framerate"},
  {UNIT, "other/tensors", "format is missing"},
  {UNIT, "other/tensors,format=(string)flexible", "format is flexible"},
  {UNIT, "other/tensors,format=(string)static,num_tensors=(int)2,types=(string)\"float32,float32\","
      "dimensions=(string)\"3,3\"", "num_tensors is 2"},
  {UNIT, TENSORS "types=(string)float32", "without dimensions"},
  {UNIT, TENSORS "dimensions=(string)3:100", "without types"},
  {UNIT, TENSORS "types=(string)float32,dimensions=(string)0:100", "0:100"},
  {UNIT, TENSORS "types=(string)float32,dimensions=(string)3:99999999999999999999", "99999999999999999999"},
  {UNIT, TENSORS "types=(string)float32,dimensions=(string)3:-1", "3:-1"},
  {UNIT, TENSORS "types=(string)float32,dimensions=(string)2:100", "expected F:N"},
  {UNIT, TENSORS "types=(string)float32,dimensions=(string)3:100:2:2", "expected F:N"},
  {UNIT, TENSORS "types=(string)float32,dimensions=(string)5000:2", "expected F:N"},
  {UNIT, TENSORS "types=(string)int32,dimensions=(string)3:100", "points of type int32"},
  {UNIT, TENSORS "types=(string)bfloat16,dimensions=(string)3:100", "points of type bfloat16"},
  {UNIT, "video/x-raw,format=GRAY16_LE,width=4,height=3,framerate=30/1", "focal lengths"},
  {UNIT "fx=4 fy=4 mode=mean", "video/x-raw,format=GRAY16_LE,width=4,height=3,framerate=30/1", "depth image has none"},
  {UNIT "fx=4 fy=4", "video/x-raw,format=GRAY16_LE,height=3,framerate=30/1", "expected a depth image"},
  {UNIT "fx=4 fy=4", "video/x-raw,format=GRAY16_LE,width=4,height=3,framerate=-1/1", "that is not negative"},
  {UNIT "fx=4 fy=4 depth-scale=0", "video/x-raw,format=GRAY16_LE,width=4,height=3,framerate=30/1", "scale"},
  {UNIT "fx=1e-300 fy=4", "video/x-raw,format=GRAY16_LE,width=4,height=3,framerate=30/1", "fx is 1e-300 and cx is 0: rays"},
  {UNIT "fx=4 fy=4 cy=1e300", "video/x-raw,format=GRAY16_LE,width=4,height=3,framerate=30/1", "fy is 4 and cy is 1e+300"},
  {UNIT "fx=4 fy=4 cx=1.5 cy=1.3 k1=1e308", "video/x-raw,format=GRAY16_LE,width=4,height=3,framerate=30/1",
      "no pixel of the image has a ray through a lens of k1=1e+308"},
  {UNIT "mode=first output=sparse max-voxels=2147483647 max-points=65536", XYZ, "lower max-voxels, or max-points of mode"},
  {UNIT "mode=mean", XYZ, "needs a feature"},
  {UNIT "mode=max", XYZ, "needs a feature"},
  {UNIT "mode=min", XYZ, "needs a feature"},
  {UNIT "mode=mean type=uint8", XYZI, "expected float16 or float32"},
  {UNIT "mode=centroid type=uint32", XYZ, "expected float16 or float32"},
  {UNIT "mode=count output=bits", XYZ, "bits hold occupancy only"},
  {UNIT "output=bits type=uint8", XYZ, "leave type at auto"},
  {UNIT "output=index mode=count", XYZ, "mode count with output index: expected mode occupancy"},
  {UNIT "output=rank mode=mean", XYZI, "mode mean with output rank: expected mode occupancy"},
  {UNIT "output=index type=uint32", XYZ, "type is uint32 with output index or rank"},
  {UNIT "output=rank type=float32", TENSORS "types=(string)float32,dimensions=(string)3:100", "leave type at auto"},
  {UNIT "output=rank", MAP "framerate=(fraction)10/1", "fields=\"voxel\": expected x, y, z and more"},
  {UNIT "type=float64", XYZ, "type float64"},
  {UNIT "type=bfloat16", XYZ, "type bfloat16"},
  {UNIT "voxel-size=<0.0,1.0,1.0>", XYZ, "voxel size x is 0"},
  {UNIT "voxel-size=<1.0,-1.0,1.0>", XYZ, "voxel size y is -1"},
  {UNIT "voxel-size=<0.0,1.0,1.0>", XYZ, "voxel size x is 0"},
  {UNIT "voxel-size=<1.0,1.0,nan>", XYZ, "voxel size z is nan"},
  {UNIT "voxel-size=<1.0,inf,1.0>", XYZ, "voxel size y is inf"},
  {UNIT "origin=<0.0,0.0,1e300>", XYZ, "origin z"},
  {UNIT "origin=<nan,2.0,1.0>", XYZ, "origin x is nan"},
  {UNIT "origin=<0.0,-inf,1.0>", XYZ, "origin y is -inf"},
  {UNIT "fx=50 fy=52 k1=0.1", "video/x-raw,format=GRAY16_LE,width=65537,height=2,framerate=30/1", "65537 x 2 pixels"},
  {UNIT "mode=first output=dense", XYZI, "mode first with output dense: expected output sparse"},
  {UNIT "mode=first output=bits", XYZI, "mode first with output bits"},
  {UNIT "mode=first output=index", XYZI, "mode first with output index"},
  {UNIT "mode=first output=rank", XYZI, "mode first with output rank"},
  {UNIT "mode=first output=sparse type=uint8", XYZI, "expected float16 or float32"},
  {UNIT "grid=2097152:2097152:2097152", XYZ, "sparse"},
};

GST_START_TEST (test_caps_refused)
{
  GstHarness *h = harness_with_caps (bad_caps[__i__].properties, bad_caps[__i__].in);

  /* upstream tries again with the first buffer */
  fail_unless_equals_int (gst_harness_push (h, cloud (0, 0, 0)), GST_FLOW_NOT_NEGOTIATED);
  expect_error (h, GST_CORE_ERROR, GST_CORE_ERROR_NEGOTIATION, bad_caps[__i__].words);
  fail_if (gst_pad_has_current_caps (h->sinkpad));
  harness_free (h);
}

GST_END_TEST;

static const struct
{
  const gchar *properties, *words;
} bad_properties[] = {
  {"grid=4:3", "grid is \"4:3\""},
  {"grid=4:3:2:1", "grid is \"4:3:2:1\""},
  {"grid=4:0:2", "grid is \"4:0:2\""},
  {"grid=4:3:2097153", "grid is \"4:3:2097153\""},
  {"grid=4:3:99999999999999999999", "99999999999999999999"},
  {"grid=4:-3:2", "grid is"},
  {"grid=a:b:c", "grid is \"a:b:c\""},
  {"grid=", "grid is \"\""},
  {"origin=<1.0,2.0>", "origin is < 1.000000, 2.000000 >: expected three numbers"},
  {"origin=<a,2.0,1.0>", "a\\\", 2.000000, 1.000000 >"},
  {"voxel-size=<1.0,2.0,3.0,4.0>", "3.000000, 4.000000 >: expected three"},
};

GST_START_TEST (test_properties_refused)
{
  GstHarness *h = harness_with_caps (bad_properties[__i__].properties, XYZ);

  expect_error (h, GST_LIBRARY_ERROR, GST_LIBRARY_ERROR_SETTINGS, bad_properties[__i__].words);
  harness_free (h);
}

GST_END_TEST;

static const struct
{
  const gchar *properties;
  const gchar *words;           /* NULL: no warning */
} places[] = {
  {"", NULL},
  {"origin=<-1000.0,1000.0,0.0> voxel-size=<0.01,0.01,0.01>", NULL},
  {"origin=<500000.0,0.0,0.0> voxel-size=<0.25,0.25,0.25>", NULL},      /* 1/32 m, an eighth */
  {"origin=<500000.0,0.0,0.0> voxel-size=<0.125,1.0,1.0> grid=4:4:4", NULL},    /* a quarter */
  {"origin=<500000.0,0.0,0.0> voxel-size=<0.1,1.0,1.0> grid=4:4:4", "x: coordinates are float32, which at 500000.4 m "
      "are 0.03125 m apart, and voxel-size is 0.1 m"},
  {"origin=<500000.0,5411000.0,300.0> voxel-size=<0.1,0.1,0.1> grid=10:10:10", "y: coordinates are float32, which at "
      "5411001 m are 0.5 m apart"},
  {"origin=<0.0,0.0,-5411000.0> voxel-size=<0.1,0.1,0.1> grid=10:10:10", "z: coordinates are float32, which at "
      "5411000 m are 0.5 m apart"},
  {"origin=<-1000000.0,0.0,0.0> voxel-size=<0.2,1.0,1.0> grid=1000000:1:1 output=bits", "x: "},
};

/* One for settings, however often they are negotiated. */
GST_START_TEST (test_far_from_0)
{
  GstHarness *h = harness_with_caps (places[__i__].properties, XYZ);

  if (places[__i__].words)
    expect_warning (h, GST_LIBRARY_ERROR, GST_LIBRARY_ERROR_SETTINGS, places[__i__].words);
  g_object_set (h->element, "max-voxels", 7, NULL);
  gst_buffer_unref (push_pull (h, cloud (1, 1, 1)));
  gst_harness_set_src_caps_str (h, XYZI);
  expect_no_error (h);
  gst_util_set_object_arg (G_OBJECT (h->element), "origin", "<0.0,0.0,9e9>");
  gst_buffer_unref (push_pull (h, cloud (1, 1, 1, 1)));
  expect_warning (h, GST_LIBRARY_ERROR, GST_LIBRARY_ERROR_SETTINGS, "z: coordinates are float32");
  harness_free (h);
}

GST_END_TEST;

static const struct
{
  const gchar *properties, *caps, *words;
} too_large[] = {
  {"mode=count grid=20000:20000:20000", XYZ, "20000:20000:20000"},
  {"output=sparse mode=mean max-voxels=2147483647", TENSORS "types=(string)float32,dimensions=(string)4096:1,framerate=10/1",
      "lower max-voxels"},
  {UNIT "mode=first output=sparse max-voxels=2147483647 max-points=1000", XYZ, "max-points of mode=first"},
  {UNIT "mode=count", TENSORS "types=(string)float32,dimensions=(string)3:1:1000000000000", "1000000000000 grids of 4:3:2"},
};

GST_START_TEST (test_larger_than_the_machine)
{
  GstHarness *h = harness_with_caps (too_large[__i__].properties, too_large[__i__].caps);

  expect_error (h, GST_RESOURCE_ERROR, GST_RESOURCE_ERROR_NO_SPACE_LEFT, too_large[__i__].words);
  harness_free (h);
}

GST_END_TEST;

/* What a caps filter downstream says, and what it then gets. */
static const struct
{
  const gchar *properties, *peer, *out;
} peers[] = {
  {UNIT, TENSORS "types=(string)uint8,dimensions=(string)4:3:2:1,framerate=(fraction)10/1",
      TENSORS "types=(string)uint8,dimensions=(string)4:3:2:1,framerate=(fraction)10/1"},
  {UNIT, "other/tensors,types=(string)float16",
  TENSORS "types=(string)float16,dimensions=(string)4:3:2,framerate=10/1"},
  {UNIT "mode=count", "other/tensors,types=(string)float32",
      TENSORS "types=(string)float32,dimensions=(string)4:3:2,framerate=10/1"},
  {UNIT "output=sparse max-voxels=7", "other/tensors,dimensions=(string)\"1:1:1:1.3:7:1:1\"",
      "other/tensors,format=(string)static,num_tensors=(int)2,types=(string)\"uint32,int32\","
      "dimensions=(string)\"1:1:1:1.3:7:1:1\",framerate=(fraction)10/1"},
};

GST_START_TEST (test_peer_spelling_and_type)
{
  GstHarness *h = harness (peers[__i__].properties);

  gst_harness_set_sink_caps_str (h, peers[__i__].peer);
  gst_harness_set_src_caps_str (h, XYZ);
  expect_no_error (h);
  expect_caps (h, peers[__i__].out);
  gst_buffer_unref (push_pull (h, cloud (0, 0, 0)));
  harness_free (h);
}

GST_END_TEST;

static const struct
{
  const gchar *properties, *peer;
} mismatches[] = {
  {UNIT, "other/tensors,dimensions=(string)4:3:3"},
  {UNIT, "other/tensors,types=(string)int8"},
  {UNIT "type=float32", "other/tensors,types=(string)uint8"},
  {UNIT, "other/tensors,framerate=(fraction)30/1"},
  {UNIT, "other/tensors,format=(string)flexible"},
  {UNIT, "other/tensors,voxel-grid=(string)\"4:3:3\""},
  {UNIT, "application/x-pointcloud"},
  {UNIT "output=index", "other/tensors"},
  {UNIT "output=rank", MAP "voxel-output=(string)index"},
};

/* Nothing that the element could make, which it says itself, with the reason where that is its backend. */
static const struct
{
  const gchar *peer, *words;
} foreign[] = {
  {"other/tensors(memory:RobocacheCUDA)", ": backend=cpu has no memory of a GPU"},
  {"application/x-pointcloud(memory:RobocacheCUDA);other/tensors(memory:RobocacheCUDA)", ": backend=cpu has no memory of"},
  {"video/x-raw", "downstream takes video/x-raw, but grids are other/tensors"},
};

GST_START_TEST (test_peer_that_takes_nothing_of_ours)
{
  GstHarness *h = harness (UNIT "backend=cpu");

  gst_harness_set_sink_caps_str (h, foreign[__i__].peer);
  gst_harness_set_src_caps_str (h, XYZ);
  expect_error (h, GST_CORE_ERROR, GST_CORE_ERROR_NEGOTIATION, foreign[__i__].words);
  fail_unless_equals_int (gst_harness_push (h, cloud (1, 1, 1)), GST_FLOW_NOT_NEGOTIATED);
  expect_no_error (h);
  harness_free (h);
}

GST_END_TEST;

/* Where it took something before. */
GST_START_TEST (test_peer_that_changes_its_mind)
{
  GstHarness *h = harness_with_caps (UNIT "backend=cpu", XYZ);

  gst_buffer_unref (push_pull (h, cloud (1, 1, 1)));
  gst_harness_set_sink_caps_str (h, foreign[0].peer);
  fail_unless (gst_harness_push_upstream_event (h, gst_event_new_reconfigure ()));
  fail_unless_equals_int (gst_harness_push (h, cloud (1, 1, 1)), GST_FLOW_NOT_NEGOTIATED);
  expect_error (h, GST_CORE_ERROR, GST_CORE_ERROR_NEGOTIATION, foreign[0].words);
  harness_free (h);
}

GST_END_TEST;

GST_START_TEST (test_peer_that_takes_something_else)
{
  GstHarness *h = harness (mismatches[__i__].properties);

  gst_harness_set_sink_caps_str (h, mismatches[__i__].peer);
  gst_harness_set_src_caps_str (h, XYZ);
  expect_error (h, GST_CORE_ERROR, GST_CORE_ERROR_NEGOTIATION, "downstream takes");
  harness_free (h);
}

GST_END_TEST;

GST_START_TEST (test_caps_queries)
{
  GstHarness *h = harness (UNIT);
  GstCaps *filter = gst_caps_from_string ("video/x-raw,format=RGB"), *caps;

  caps = gst_pad_peer_query_caps (h->srcpad, filter);
  fail_unless (gst_caps_is_empty (caps));
  gst_caps_unref (caps);
  gst_caps_unref (filter);
  gst_harness_set_sink_caps_str (h, "other/tensors,framerate=(fraction)30/1");
  caps = gst_pad_peer_query_caps (h->srcpad, NULL);
  fail_unless_equals_int (gst_caps_get_size (caps), 4);
  for (guint i = 0; i < 4; i++) {
    gint num, den;

    fail_unless (gst_structure_get_fraction (gst_caps_get_structure (caps, i), "framerate", &num, &den));
    fail_unless_equals_int (num, 30);
  }
  gst_caps_unref (caps);
  harness_free (h);
}

GST_END_TEST;

static Suite *
robocachevoxelize_caps_suite (void)
{
  Suite *suite = suite_create ("robocachevoxelize: caps");
  TCase *tc = tcase_create ("general");

  g_setenv ("ROBOCACHE_BACKEND", "cpu", TRUE);  /* in system memory; elementdevice.c is about others */

  suite_add_tcase (suite, tc);
  tcase_add_loop_test (tc, test_caps_accepted, 0, G_N_ELEMENTS (good_caps));
  tcase_add_test (tc, test_caps_say_where_the_grid_is);
  tcase_add_loop_test (tc, test_caps_refused, 0, G_N_ELEMENTS (bad_caps));
  tcase_add_loop_test (tc, test_properties_refused, 0, G_N_ELEMENTS (bad_properties));
  tcase_add_loop_test (tc, test_larger_than_the_machine, 0, G_N_ELEMENTS (too_large));
  tcase_add_loop_test (tc, test_far_from_0, 0, G_N_ELEMENTS (places));
  tcase_add_loop_test (tc, test_peer_spelling_and_type, 0, G_N_ELEMENTS (peers));
  tcase_add_loop_test (tc, test_peer_that_takes_something_else, 0, G_N_ELEMENTS (mismatches));
  tcase_add_loop_test (tc, test_peer_that_takes_nothing_of_ours, 0, G_N_ELEMENTS (foreign));
  tcase_add_test (tc, test_peer_that_changes_its_mind);
  tcase_add_test (tc, test_caps_queries);
  return suite;
}

GST_CHECK_MAIN (robocachevoxelize_caps);
