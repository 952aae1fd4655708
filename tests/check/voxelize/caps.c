/* robocache: robocachevoxelize: what it negotiates, what it refuses and what it says then
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "tests/check/lib/points/voxelizeharness.h"

#define MAP "application/x-pointcloud,fields=(string)voxel,type=(string)int64,"
#define LISTS(mode, types, dimensions) "other/tensors,num_tensors=(int)4,voxel-mode=(string)" mode ",types=(string)\"" types \
    "\",dimensions=(string)\"" dimensions "\""
#define CLOUD "application/x-pointcloud,fields=(string)\"x,y,z,i\","
#define POINTS(rest) "application/x-pointcloud,fields=(string)" rest
#define SEVERAL(n, types, dimensions) "other/tensors,format=(string)static,num_tensors=(int)" n ",types=(string)\"" types \
    "\",dimensions=(string)\"" dimensions "\""

/* peer: what a caps filter downstream says; NULL: none is there. */
static const struct
{
  const gchar *properties, *in, *out, *peer;
} good_caps[] = {
  {UNIT, XYZ, TENSOR ("uint8", "4:3:2") ",framerate=10/1"},
  {UNIT, POINTS ("\"x, y, z\",type=(string)float64"), TENSOR ("uint8", "4:3:2") ",framerate=0/1"},
  {UNIT "mode=count", "application/x-lidar", TENSOR ("uint32", "4:3:2") ",framerate=0/1"},
  {UNIT "mode=mean", "application/x-lidar,framerate=20/1", TENSOR ("float32", "1:4:3:2") ",framerate=20/1"},
  {UNIT "mode=max type=float16", POINTS ("\"x,y,z,a,b\",type=(string)float16"), TENSOR ("float16", "2:4:3:2") ",framerate=0/1"},
  {UNIT "mode=centroid", XYZ, TENSOR ("float32", "3:4:3:2") ",framerate=10/1"},
  {UNIT "output=bits grid=33:3:1", XYZ, TENSOR ("uint32", "2:3") ",framerate=10/1"},
  {UNIT "output=bits type=uint32 grid=32:3:5", XYZ, TENSOR ("uint32", "1:3:5") ",framerate=10/1"},
  {UNIT "output=sparse max-voxels=9", XYZ, SEVERAL ("2", "uint32,int32", "1,3:9") ",framerate=10/1"},
  {UNIT "output=sparse max-voxels=9 mode=count type=uint8", XYZ,
      SEVERAL ("3", "uint32,int32,uint8", "1,3:9,1:9") ",framerate=10/1"},
  {UNIT "output=sparse max-voxels=9 mode=centroid", XYZ, SEVERAL ("3", "uint32,int32,float32", "1,3:9,3:9") ",framerate=10/1"},
  {UNIT "output=sparse grid=2097152:2097152:2097152 max-voxels=5", XYZ, SEVERAL ("2", "uint32,int32", "1,3:5") ",framerate=10/1"},
  {UNIT "type=float32", TENSOR ("float32", "3:100") ",framerate=5/1", TENSOR ("float32", "4:3:2") ",framerate=5/1"},
  {UNIT "mode=min", TENSOR ("float64", "5:1:1:1"), TENSOR ("float32", "2:4:3:2") ",framerate=0/1"},
  {UNIT "fx=4 fy=4", IMAGE ("4", "3"), TENSOR ("uint8", "4:3:2") ",framerate=30/1"},
  {UNIT "grid=1:1:1", XYZ, TENSOR ("uint8", "1") ",framerate=10/1"},
  /* layouts */
  {UNIT "mode=mean", POINTS ("\"x, y, z, i, ring, t\",types=(string)\"float32, float32, float32, float32, uint16, float64\","
          "offsets=(string)\"0, 4, 8, 16, 20, 24\",point-step=32"), TENSOR ("float32", "3:4:3:2") ",framerate=0/1"},
  {UNIT "mode=max", POINTS ("\"i,z,y,x\",type=(string)float32"), TENSOR ("float32", "1:4:3:2") ",framerate=0/1"},
  {UNIT "mode=max", POINTS ("\"east,north,up,i,j\",type=(string)float16"), TENSOR ("float32", "2:4:3:2") ",framerate=0/1"},
  {UNIT "mode=min", CLOUD "types=(string)\"float64,float64,float64,bfloat16\",offsets=(string)\"3,11,19,0\"",
      TENSOR ("float32", "1:4:3:2") ",framerate=0/1"},
  {UNIT "fx=4 fy=4 k1=-0.1 p2=0.01", IMAGE ("4", "3"), TENSOR ("uint8", "4:3:2") ",framerate=30/1"},
  /* batches */
  {UNIT, TENSOR ("float32", "3:100:5"), TENSOR ("uint8", "4:3:2:5") ",framerate=0/1"},
  {UNIT, TENSOR ("float32", "3:100:1"), TENSOR ("uint8", "4:3:2") ",framerate=0/1"},
  {UNIT "mode=mean grid=4:1:1", TENSOR ("float32", "5:1:7"), TENSOR ("float32", "2:4:1:1:7") ",framerate=0/1"},
  {UNIT "output=bits grid=33:3:1", TENSOR ("float16", "3:9:2"), TENSOR ("uint32", "2:3:1:2") ",framerate=0/1"},
  {UNIT "output=sparse max-voxels=9 mode=centroid", TENSOR ("float64", "3:9:2"),
      SEVERAL ("3", "uint32,int32,float32", "1:2,3:9:2,3:9:2") ",framerate=0/1"},
  /* index and rank have the form of the points */
  {UNIT "output=index", XYZ, MAP "framerate=(fraction)10/1,voxel-output=(string)index,voxel-mode=(string)occupancy,"
      "voxel-grid=(string)\"4:3:2\",voxel-origin=<0.0,0.0,0.0>,voxel-size=<1.0,1.0,1.0>"},
  {UNIT "output=rank type=int64 max-voxels=7", "application/x-lidar", MAP "framerate=(fraction)0/1,voxel-output=rank"},
  {UNIT "output=rank", CLOUD "types=(string)\"float64,float64,float64,uint8\",framerate=20/1", MAP "framerate=(fraction)20/1"},
  {UNIT "output=index", TENSOR ("float32", "5:40") ",framerate=5/1",
      TENSOR ("int64", "40") ",framerate=5/1,voxel-output=(string)index"},
  {UNIT "output=rank", TENSOR ("float16", "5:40:3"), TENSOR ("int64", "40:3") ",framerate=0/1"},
  {UNIT "output=rank fx=4 fy=4", IMAGE ("8", "3"), TENSOR ("int64", "8:3") ",framerate=30/1,voxel-output=(string)rank"},
  {UNIT "output=index grid=2097152:2097152:2097152", XYZ, MAP "voxel-grid=(string)\"2097152:2097152:2097152\""},
  /* the first points of each voxel */
  {UNIT "mode=first output=sparse max-voxels=9", XYZ, LISTS ("first", "uint32,int32,float32,uint32", "1,3:9,3:32:9,1:9")},
  {UNIT "mode=first output=sparse max-voxels=9 max-points=5 type=float16", XYZI,
      LISTS ("first", "uint32,int32,float16,uint32", "1,3:9,4:5:9,1:9")},
  {UNIT "mode=first output=sparse max-voxels=9 max-points=5", TENSOR ("float64", "6:40:3"),
      LISTS ("first", "uint32,int32,float32,uint32", "1:3,3:9:3,6:5:9:3,1:9:3")},
  {UNIT "mode=first output=sparse max-voxels=9 max-points=65536 fx=1 fy=1", IMAGE ("4", "3"),
      LISTS ("first", "uint32,int32,float32,uint32", "1,3:9,3:65536:9,1:9")},
  {UNIT "mode=pillars output=sparse max-voxels=9", XYZI, LISTS ("pillars", "uint32,int32,float32,uint32", "1,3:9,10:32:9,1:9")},
  {UNIT "mode=pillars output=sparse max-voxels=9 centre-z=false", XYZI,
      LISTS ("pillars", "uint32,int32,float32,uint32", "1,3:9,9:32:9,1:9")},
  {UNIT "mode=pillars output=sparse max-voxels=9 max-points=5 type=float16", TENSOR ("float64", "6:40:3"),
      LISTS ("pillars", "uint32,int32,float16,uint32", "1:3,3:9:3,12:5:9:3,1:9:3")},
  {UNIT "mode=pillars output=sparse max-voxels=9 max-points=5 fx=1 fy=1", IMAGE ("4", "3"),
      LISTS ("pillars", "uint32,int32,float32,uint32", "1,3:9,9:5:9,1:9")},
  /* where the grid is, its digits to the last */
  {"origin=<-3.25,0.1,-0.15> voxel-size=<0.1,0.2,0.3> grid=40:3:2 mode=max output=sparse", XYZI,
      "other/tensors,voxel-output=(string)sparse,voxel-mode=(string)max,voxel-grid=(string)\"40:3:2\","
      "voxel-origin=<-3.25,0.1,-0.15>,voxel-size=<0.1,0.2,0.3>"},
  /* in the spelling and the type of the peer */
  {UNIT, XYZ, TENSOR ("uint8", "4:3:2:1") ",framerate=10/1", TENSOR ("uint8", "4:3:2:1") ",framerate=10/1"},
  {UNIT, XYZ, TENSOR ("float16", "4:3:2") ",framerate=10/1", "other/tensors,types=(string)float16"},
  {UNIT "mode=count", XYZ, TENSOR ("float32", "4:3:2") ",framerate=10/1", "other/tensors,types=(string)float32"},
  {UNIT "output=sparse max-voxels=7", XYZ, SEVERAL ("2", "uint32,int32", "1:1:1:1.3:7:1:1") ",framerate=10/1",
      "other/tensors,dimensions=(string)\"1:1:1:1.3:7:1:1\""},
};

static GstHarness *
harness_with_peer (const gchar *properties, const gchar *in, const gchar *peer)
{
  GstHarness *h = voxelize_harness (properties);

  if (peer)
    gst_harness_set_sink_caps_str (h, peer);
  gst_harness_set_src_caps_str (h, in);
  return h;
}

/* Caps are the same again through text. */
GST_START_TEST (test_caps_accepted)
{
  GstHarness *h = harness_with_peer (good_caps[__i__].properties, good_caps[__i__].in, good_caps[__i__].peer);
  GstCaps *got, *again;
  gchar *text;

  expect_no_complaint (h);
  expect_output_caps (h, good_caps[__i__].out);
  got = gst_pad_get_current_caps (h->sinkpad);
  text = gst_caps_to_string (got);
  again = gst_caps_from_string (text);
  fail_unless (gst_caps_is_equal (got, again), "%s", text);
  if (good_caps[__i__].peer)
    gst_buffer_unref (push_pull (h, cloud (0, 0, 0)));
  g_free (text);
  gst_caps_unref (again);
  gst_caps_unref (got);
  harness_close (h);
}

GST_END_TEST;

/* words: of the error, of this code; NULL: negotiation. */
static const struct
{
  const gchar *properties, *in, *words, *code, *peer;
} bad_caps[] = {
  {UNIT, "application/x-pointcloud,type=(string)float32", "without fields"},
  {UNIT, "application/x-pointcloud,fields=(int)3,type=(string)float32", "no string in fields"},
  {UNIT, POINTS ("\"x,y,z\""), "without type"},
  {UNIT, POINTS ("\"x,y,z\",type=(int)4"), "no string in type"},
  {UNIT, POINTS ("\"x,y,z\",type=(string)int16"), "points of type int16"},
  {UNIT, POINTS ("\"x,y,z\",type=(string)float33"), "points of type float33"},
  {UNIT, POINTS ("\"x,y\",type=(string)float32"), "expected x, y, z and more"},
  {UNIT, POINTS ("\"x,a,y\",type=(string)float32"), "no field is named z"},
  {UNIT, POINTS ("\"a,b,c,y\",type=(string)float32"), "expected x, y and z among them"},
  {UNIT, POINTS ("\"x,y,z,,i\",type=(string)float32"), "field 3 has no name"},
  {UNIT, POINTS ("\"x,y,z,i,i\",type=(string)float32"), "two fields are named i"},
  {UNIT, POINTS ("\"x,y,z\",type=(string)float32,framerate=(int)3"), "framerate"},
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
  {UNIT, "other/tensors,format=(string)sparse", "format is sparse"},
  {UNIT, "other/tensors,format=(string)flexible,framerate=(string)fast", "framerate"},
  {UNIT, SEVERAL ("2", "float32,float32", "3,3"), "num_tensors is 2"},
  {UNIT, TENSORS "types=(string)float32", "have no dimensions"},
  {UNIT, TENSORS "dimensions=(string)3:100", "have no types"},
  {UNIT, TENSOR ("float32", "0:100"), "0:100"},
  {UNIT, TENSOR ("float32", "3:99999999999999999999"), "99999999999999999999"},
  {UNIT, TENSOR ("float32", "3:-1"), "3:-1"},
  {UNIT, TENSOR ("float32", "2:100"), "expected F:N"},
  {UNIT, TENSOR ("float32", "3:100:2:2"), "expected F:N"},
  {UNIT, TENSOR ("float32", "5000:2"), "expected F:N"},
  {UNIT, TENSOR ("int32", "3:100"), "points of type int32"},
  {UNIT, TENSOR ("bfloat16", "3:100"), "points of type bfloat16"},
  {UNIT, IMAGE ("4", "3"), "focal lengths"},
  {UNIT "fx=4 fy=4 mode=mean", IMAGE ("4", "3"),
      "mode=mean: expected occupancy, count, centroid, first or pillars, since a depth image has no feature"},
  {UNIT "fx=4 fy=4", "video/x-raw,format=GRAY16_LE,height=3,framerate=30/1", "expected a depth image"},
  {UNIT "fx=4 fy=4", "video/x-raw,format=GRAY16_LE,width=4,height=3,framerate=-1/1", "that is not negative"},
  {UNIT "fx=4 fy=4 depth-scale=0", IMAGE ("4", "3"), "depth-scale=0: expected a finite number above 0"},
  {UNIT "fx=1e-300 fy=4", IMAGE ("4", "3"), "fx=1e-300 and cx=0 give rays"},
  {UNIT "fx=4 fy=4 cy=1e300", IMAGE ("4", "3"), "fy=4 and cy=1e+300"},
  {UNIT "fx=4 fy=4 cx=1.5 cy=1.3 k1=1e308", IMAGE ("4", "3"), "no pixel has a ray through a lens of k1=1e+308"},
  {UNIT "mode=first output=sparse max-voxels=2147483647 max-points=65536", XYZ,
      "max-voxels=2147483647 with max-points=65536: expected at most 2^46 bytes of values"},
  {UNIT "mode=mean", XYZ,
      "mode=mean: expected points with a feature beside x, y and z, or occupancy, count, centroid, first or pillars"},
  {UNIT "mode=max", XYZ, "mode=max: expected points with a feature"},
  {UNIT "mode=min", XYZ, "mode=min: expected points with a feature"},
  {UNIT "mode=mean type=uint8", XYZI, "type=uint8 with mode=mean: expected float16 or float32"},
  {UNIT "mode=centroid type=uint32", XYZ, "type=uint32 with mode=centroid: expected float16 or float32"},
  {UNIT "mode=count output=bits", XYZ, "mode=count with output=bits: expected occupancy, since a bit holds nothing else"},
  {UNIT "output=bits type=uint8", XYZ, "set type=auto"},
  {UNIT "output=index mode=count", XYZ,
      "mode=count with output=index: expected occupancy, since this output has the voxel of each point"},
  {UNIT "output=rank mode=mean", XYZI, "mode=mean with output=rank: expected occupancy"},
  {UNIT "output=index type=uint32", XYZ, "type=uint32 with output=index or rank"},
  {UNIT "output=rank type=float32", TENSOR ("float32", "3:100"), "set type=auto"},
  {UNIT "output=rank", MAP "framerate=(fraction)10/1", "fields=\"voxel\": expected x, y, z and more"},
  {UNIT "type=float64", XYZ, "type=float64: expected uint8, uint32, float16 or float32"},
  {UNIT "type=bfloat16", XYZ, "type=bfloat16: expected uint8, uint32, float16 or float32"},
  {UNIT "voxel-size=<0.0,1.0,1.0>", XYZ, "voxel-size: 0 along x: expected a number above 0 that is finite in float32"},
  {UNIT "voxel-size=<1.0,-1.0,1.0>", XYZ, "voxel-size: -1 along y"},
  {UNIT "voxel-size=<1.0,1.0,nan>", XYZ, "voxel-size: nan along z"},
  {UNIT "voxel-size=<1.0,inf,1.0>", XYZ, "voxel-size: inf along y"},
  {UNIT "origin=<0.0,0.0,1e300>", XYZ, "origin: 1e+300 along z: expected a number that is finite in float32"},
  {UNIT "origin=<nan,2.0,1.0>", XYZ, "origin: nan along x"},
  {UNIT "origin=<0.0,-inf,1.0>", XYZ, "origin: -inf along y"},
  {UNIT "fx=50 fy=52 k1=0.1", IMAGE ("65537", "2"), "width=65537: expected 1 to 65536 pixels"},
  {UNIT "mode=first output=dense", XYZI,
      "output=dense with mode=first: expected sparse, since each voxel holds a list of points"},
  {UNIT "mode=pillars output=dense", XYZI,
      "output=dense with mode=pillars: expected sparse, since each voxel holds a list of points"},
  {UNIT "mode=pillars output=rank", XYZI, "mode=pillars with output=rank: expected occupancy"},
  {UNIT "mode=pillars output=sparse type=bfloat16", XYZI, "type=bfloat16: expected uint8, uint32, float16 or float32"},
  {UNIT "mode=pillars output=sparse type=uint32", XYZI, "type=uint32 with mode=pillars: expected float16 or float32"},
  {UNIT "mode=first output=bits", XYZI, "mode=first with output=bits: expected occupancy"},
  {UNIT "mode=first output=index", XYZI, "mode=first with output=index: expected occupancy"},
  {UNIT "mode=first output=rank", XYZI, "mode=first with output=rank: expected occupancy"},
  {UNIT "mode=first output=sparse type=uint8", XYZI, "type=uint8 with mode=first: expected float16 or float32"},
  {UNIT "grid=2097152:2097152:2097152", XYZ,
      "grid=2097152:2097152:2097152 with output=dense: expected at most 2^46 bytes: fewer voxels, or sparse"},
  /* properties */
  {"grid=4:3", XYZ, "grid is \"4:3\"", "settings"},
  {"grid=4:3:2:1", XYZ, "grid is \"4:3:2:1\"", "settings"},
  {"grid=4:0:2", XYZ, "grid is \"4:0:2\"", "settings"},
  {"grid=4:3:2097153", XYZ, "grid is \"4:3:2097153\"", "settings"},
  {"grid=4:3:99999999999999999999", XYZ, "99999999999999999999", "settings"},
  {"grid=4:-3:2", XYZ, "grid is", "settings"},
  {"grid=a:b:c", XYZ, "grid is \"a:b:c\"", "settings"},
  {"grid=", XYZ, "grid is \"\"", "settings"},
  {"origin=<1.0,2.0>", XYZ, "origin is < 1.000000, 2.000000 >: expected three numbers", "settings"},
  {"origin=<a,2.0,1.0>", XYZ, "a\\\", 2.000000, 1.000000 >", "settings"},
  {"voxel-size=<1.0,2.0,3.0,4.0>", XYZ, "3.000000, 4.000000 >: expected three", "settings"},
  {UNIT, TENSOR ("float32", "64:48") ", picture=(string)32FC1", "fx=0 and fy=0: a depth image needs"},
  {UNIT, TENSOR ("float64", "64:48") ", picture=(string)64FC1", "picture=64FC1: a picture is not a cloud of points: expected a depth image, "},
  {UNIT, TENSOR ("float32", "3:64:48") ", picture=(string)32FC3", "picture=32FC3: a picture is not"},
  /* larger than the machine */
  {"mode=count grid=20000:20000:20000", XYZ, "20000:20000:20000", "no-space-left"},
  {"output=sparse mode=mean max-voxels=2147483647", TENSOR ("float32", "4096:1") ",framerate=10/1", "lower max-voxels",
      "no-space-left"},
  {UNIT "mode=first output=sparse max-voxels=2147483647 max-points=1000", XYZ, "max-points of mode=first", "no-space-left"},
  {UNIT "mode=count", TENSOR ("float32", "3:1:1000000000000"), "1000000000000 grids of 4:3:2", "no-space-left"},
  /* larger than max-cloud-bytes */
  {UNIT "fx=1 fy=1", IMAGE ("32767", "32767"), "a depth image of 2147418112 bytes exceeds max-cloud-bytes=1073741824: raise max-cloud-bytes",
      "no-space-left"},
  {UNIT "fx=1 fy=1 k1=0.1", IMAGE ("32767", "32767"), "exceeds", "no-space-left"},
  {UNIT, TENSOR ("float32", "3:1000000000"), "a cloud of 12000000000 bytes exceeds", "no-space-left"},
  {UNIT "max-cloud-bytes=47", TENSOR ("float32", "3:4:2"), "a cloud of 48 bytes exceeds max-cloud-bytes=47", "no-space-left"},
  /* a peer that takes something else, or nothing that the element could make: it says so itself, with the reason where that is
   * its backend */
  {UNIT, XYZ, "downstream accepts only", .peer = "other/tensors,dimensions=(string)4:3:3"},
  {UNIT, XYZ, "downstream accepts only", .peer = "other/tensors,types=(string)int8"},
  {UNIT "type=float32", XYZ, "downstream accepts only", .peer = "other/tensors,types=(string)uint8"},
  {UNIT, XYZ, "downstream accepts only", .peer = "other/tensors,framerate=(fraction)30/1"},
  {UNIT, XYZ, "downstream accepts only", .peer = "other/tensors,format=(string)flexible"},
  {UNIT, XYZ, "downstream accepts only", .peer = "other/tensors,voxel-grid=(string)\"4:3:3\""},
  {UNIT, XYZ, "downstream accepts only", .peer = "application/x-pointcloud"},
  /* the cloud determines the length of a tensor */
  {UNIT "output=index", XYZ, "give other/tensors, format=(string)static, num_tensors=(int)1, types=(string)int64, dimensions=(string)1,",
      .peer = "other/tensors,dimensions=(string)7"},
  {UNIT "output=rank", XYZ, "downstream accepts only", .peer = "other/tensors,format=(string)flexible"},
  {UNIT "output=rank", XYZ, "downstream accepts only", .peer = "other/tensors,types=(string)float32"},
  {UNIT "output=rank", XYZ, "downstream accepts only", .peer = MAP "voxel-output=(string)index"},
  {UNIT "backend=cpu", XYZ, ": backend=cpu offers no GPU memory", .peer = "other/tensors(memory:RobocacheCUDA)"},
  {UNIT "backend=cpu", XYZ, ": backend=cpu offers no",
      .peer = "application/x-pointcloud(memory:RobocacheCUDA);other/tensors(memory:RobocacheCUDA)"},
  {UNIT "backend=cpu", XYZ, "downstream accepts only video/x-raw, but grids are other/tensors", .peer = "video/x-raw"},
};

/* Said once, though upstream tries again with the first buffer; without caps where they could not be negotiated. */
GST_START_TEST (test_caps_refused)
{
  const gchar *code = bad_caps[__i__].code;
  GstHarness *h = harness_with_peer (bad_caps[__i__].properties, bad_caps[__i__].in, bad_caps[__i__].peer);

  if (code == NULL)
    fail_unless_equals_int (gst_harness_push (h, cloud (0, 0, 0)), GST_FLOW_NOT_NEGOTIATED);
  expect_posted_error (h, code ? code : "negotiation", bad_caps[__i__].words);
  fail_if (code == NULL && gst_pad_has_current_caps (h->sinkpad));
  harness_close (h);
}

GST_END_TEST;

GST_START_TEST (test_caps_queries)
{
  GstHarness *h = voxelize_harness (UNIT);
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
  harness_close (h);
}

GST_END_TEST;

CHECK_MAIN (voxelize_caps, use_cpu, NULL, EACH (good_caps, test_caps_accepted), EACH (bad_caps, test_caps_refused),
    ONCE (test_caps_queries))
