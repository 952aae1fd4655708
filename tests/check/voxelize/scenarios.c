/* robocache: robocachevoxelize: what it puts out for what it gets, as tables of steps
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "tests/check/lib/points/voxelscenario.h"

/* An outcome lists the output's tensors, divided by |, each as TYPE[NUMBERS] and values; n=N in place of all is the
 * number of bytes that are not 0, and nothing is any output. */
typedef struct
{
  const gchar *properties, *caps;
  const gchar *words;
  const gchar *stats;           /* NAME=VALUE… at the end; NULL: none */
  const gchar *warning;         /* words of the one that is posted; NULL: none is */
  const gchar *peer;            /* what downstream accepts; NULL: all */
} VoxelCase;

/* Two points in voxel (1, 0, 0), one in (3, 2, 1); and one outside. */
#define FEW "1.25 0.5 0.5 10 1.75 0.5 0.25 30 3.5 2.5 1.5 -4 9 0 0 99"
#define FLOAT UNIT "type=float32 max-voxels=5 "
#define SPARSE(values) "u32[1] 2|i32[15] 1 0 0 3 2 1|" values
/* In voxels 1 and 23, beside the grid, with a NaN and with an infinite coordinate, and in voxel 1 again. */
#define PLACES "1.25 0.5 0.5 3.5 2.5 1.5 9 0 0 nan 0 0 0 inf 0 1.75 0 0"
/* Voxel 1 three times, voxel 23 once, outside and NaN. */
#define FIRST UNIT "mode=first output=sparse max-voxels=3 max-points=2 "
#define THREE "1.25 0.5 0.25 10 3.5 2.5 1.5 -4 9 0 0 1 1.5 0 0 20 nan 0 0 2 1.75 0 0 30"
#define PILLARS UNIT "mode=pillars output=sparse max-voxels=3 max-points=2 "
#define OF_TEN "1.25 0.5 0.25 10 -0.125 0.25 0.125 -0.25 0 -0.25 1.5 0 0 20 0.125 -0.25 -0.125 0 -0.5 -0.5 3.5 2.5 1.5 -4"
#define DEPTH UNIT "origin=<-2.0,-2.0,0.0> grid=4:4:4 fx=1 fy=1 cx=1 cy=0.5 depth-scale=0.5 mode=count type=uint8 "
#define POINTS(rest) "application/x-pointcloud,fields=(string)" rest
/* One cloud of (x, y, z, i) = (1, 2, 0, 7) and (3, 0, 1, 9), in many layouts. */
#define SPELLING(caps, numbers) {UNIT "mode=mean accumulate=2", POINTS (caps), "+'" numbers "' ='f32[24] @9 7 @15 9' " \
    "+'" numbers "' ='f32[24] @9 7 @15 9' +'" numbers "' ='f32[24] @9 7 @15 9'", "points-inside=6"}

/* As drivers of lidars put it into a PointCloud2: x, y, z, padding, intensity, ring, padding, time. */
#define LIDAR POINTS ("\"x,y,z,intensity,ring,time\",types=(string)\"float32,float32,float32,float32,uint16,float64\"," \
    "offsets=(string)\"0,4,8,16,20,24\",point-step=(int)32,framerate=(fraction)10/1")
#define CORNER "f32 3.5 2.5 1.5 u32 0 f32 -5 u16 7 0 f64 2"
#define LIDAR_POINTS "f32 0.5 0.5 0.5 u32 4294967295 f32 10 u16 3 65535 f64 1700000000.25 " \
    "f32 0.75 0.5 0.5 u32 0 f32 30 u16 64000 0 f64 1700000000.75 " CORNER \
    " f32 nan 0 0 u32 0 f32 1 u16 1 0 f64 1 f32 -1 0 0 u32 0 f32 1 u16 1 0 f64 1"
#define LIDAR_STATS "points=5 points-inside=3 points-nan=1 points-outside=1"

/* Of NNStreamer, with float32 behind the header. */
#define FLEXIBLE "other/tensors,format=(string)flexible,framerate=(fraction)10/1"
#define HEADER(axes) "u32[32] 0xfeedcced 0xde001000 7 " axes " @19 1 4|"
#define LENGTH(n) "'out:" TENSOR ("int64", n) ",framerate=(fraction)10/1,voxel-grid=(string)\"4:3:2\"'"

/* Ten points beside a grid of UNIT, and more. */
#define TEN "9 1 1 9 1 1 9 1 1 9 1 1 9 1 1 9 1 1 9 1 1 9 1 1 9 1 1 9 1 1"
#define AGAIN(x) x " " x " " x " " x " " x " " x " " x " " x " " x " " x
#define HUNDRED AGAIN (TEN)
#define THOUSAND AGAIN (AGAIN (TEN))
#define HALVES "0 0x3c00 0x4000 0x4800"
#define OF_HALVES AGAIN (AGAIN (AGAIN (HALVES)))
#define OUTSIDE(n, box) "'warning:failed:all " n " points are outside the grid, which has x 0 to 4, y 0 to 3, z 0 to 2 m" box \
    ": set origin, voxel-size and grid'"
#define BOX(x, y, z) ", while the points have x " x ", y " y ", z " z " m"

/* Other settings and caps do not warn again, another place does. */
#define GO_FAR "set:max-voxels=7 '+1 1 1' = 'caps:" XYZI "' warnings=0 set:origin=<0.0,0.0,9e9> '+1 1 1 1' = " \
    "'warning:settings:z: at 9'"
/* Of the base class. */
#define REFUSED "'warning:format:not negotiated'"
/* A wrong value is an error, and a right one after it goes on. */
#define MEND_ONCE(wrong, error, right) "set:" wrong " '+0 0 0' flow:not-negotiated " REFUSED " 'error:" error "' set:" right \
    " '+0 0 0' = "
#define MEND(wrong, error, right) MEND_ONCE (wrong, error, right) MEND_ONCE (wrong, error, right)

static const VoxelCase scenarios[] = {
  /* modes */
  {FLOAT "mode=occupancy", XYZI, "'+" FEW "' '=f32[24] @1 1 @23 1'"},
  {FLOAT "mode=count", XYZI, "'+" FEW "' '=f32[24] @1 2 @23 1'"},
  {FLOAT "mode=mean", XYZI, "'+" FEW "' '=f32[24] @1 20 @23 -4'"},
  {FLOAT "mode=centroid", XYZI, "'+" FEW "' '=f32[72] @3 1.5 0.5 0.375 @69 3.5 2.5 1.5'"},
  {FLOAT "mode=max", XYZI, "'+" FEW "' '=f32[24] @1 30 @23 -4'"},
  {FLOAT "mode=min", XYZI, "'+" FEW "' '=f32[24] @1 10 @23 -4'"},
  {FLOAT "output=sparse", XYZI, "'+" FEW "' '=u32[1] 2|i32[15] 1 0 0 3 2 1'"},
  {FLOAT "output=sparse mode=count", XYZI, "'+" FEW "' '=" SPARSE ("f32[5] 2 1") "'"},
  {FLOAT "output=sparse mode=mean", XYZI, "'+" FEW "' '=" SPARSE ("f32[5] 20 -4") "'"},
  {FLOAT "output=sparse mode=centroid", XYZI, "'+" FEW "' '=" SPARSE ("f32[15] 1.5 0.5 0.375 3.5 2.5 1.5") "'"},
  {FLOAT "output=sparse mode=max", XYZI, "'+" FEW "' '=" SPARSE ("f32[5] 30 -4") "'"},
  {FLOAT "output=sparse mode=min", XYZI, "'+" FEW "' '=" SPARSE ("f32[5] 10 -4") "'"},
  {UNIT "grid=40:1:1 output=bits", XYZ, "'+0 0 0 31 0 0 39 0 0 40 0 0' '=u32[2] 0x80000001 0x80'"},
  {UNIT "grid=1:1:1 mode=mean feature-range=10", XYZI, "'+0 0 0 4 0 0 0 1000' '=f32[1] 7'", "values-clamped=1"},
  {UNIT, TENSOR ("float64", "3:2"), "'+f64 0 0 0 3 2 1' '=u8[24] 1 @23 1'"},
  {UNIT, XYZ, "'+0 0 0 9 0 0 nan 0 0 inf 0 0 1 1 1' =n=2 '+0 0 0 9 0 0 nan 0 0 inf 0 0 1 1 1' =n=2",
      "buffers=2 points=10 points-inside=4 points-outside=2 points-nan=2 points-infinite=2 occupied-voxels=2"},
  /* empty clouds */
  {UNIT, XYZI, "+ =u8[24]", "buffers=1"},
  {UNIT "mode=mean", XYZI, "+ =f32[24]", "buffers=1"},
  {UNIT "output=bits", XYZI, "+ =u32[6]", "buffers=1"},
  {UNIT "output=sparse mode=centroid max-voxels=2", XYZI, "+ =u32[1]|i32[6]|f32[6]", "buffers=1"},
  /* depth: 2 units are 1 m, the last pixel has no return; GStreamer pads rows to 4 bytes */
  {DEPTH, IMAGE ("3", "2"), "'+u16 2 2 2 0 2 2 0 0' '=u8[64] @21 1 1 1 @25 1 1'", "points-nan=1 points-inside=5"},
  {DEPTH, IMAGE ("3", "2"), "live:0 meta:GRAY16_LE,3,4,22 '+u16[16] 0x1111 ... @2 2 2 2 @13 2 2 0' '=u8[64] @21 1 1 1 @25 1 1' "
      "meta:GRAY16_LE,3,4,8 +u8[16] flow:error "
      "'error:format:16 bytes with a video meta of GRAY16_LE, 3x2, 8 bytes per line from byte 4 on' meta:GRAY16_LE,3,0,6 "
      "+u8[6]&u8[6] flow:error 'error:format:12 bytes with a video meta of GRAY16_LE, 3x2' meta:GRAY8,3,0,4 +u8[12] "
      "flow:error 'error:format:meta of GRAY8, 3x2' meta:GRAY16_LE,2,0,4 +u8[12] flow:error 'error:format:meta of GRAY16_LE, 2x2'"},
  {UNIT "output=rank fx=1000 fy=1000", IMAGE ("3", "2"), "'+u16 1000 2000 0 61166 9000 1500 1000 61166' '=i64[6] 0 -1 -2 -1 0 0'",
      "points-nan=1"},
  {FIRST "fx=1024 fy=1024 depth-scale=0.0009765625", IMAGE ("4", "1"), "'+u16 1024 0 1536 1280' "
      "'=u32[1] 1|i32[9] 0 0 1|f32[18] 0 0 1 0.0029296875 0 1.5|u32[3] 2'", "points-over-max=1 points-nan=1"},
  /* windows */
  {UNIT "accumulate=3", XYZ, "'+0 0 0' =n=1 '+1 0 0' =n=2 '+2 0 0' =n=3 '+3 0 0' =n=3 '+3 0 0' =n=2 '+3 0 0' =n=1",
      "points=6 points-inside=6"},
  /* the mean's fixed point is that of all clouds */
  {UNIT "accumulate=2 mode=mean grid=1:1:1", XYZI, "'+0 0 0 0.1 0 0 0 0.7' =n=4 '+0 0 0 12345.678' '=f32[1] 4115.4927'"},
  {UNIT "mode=mean grid=1:1:1", XYZI, "'+0 0 0 12345.678 0 0 0 0.7 0 0 0 0.1' '=f32[1] 4115.4927'"},
  {UNIT "accumulate=3", XYZ, "'+0 0 0' =n=1 '+1 0 0' =n=2 flush seg:0,0,0,1 '+2 0 0' =n=1"},
  {UNIT "accumulate=3", XYZ, "'+0 0 0' =n=1 segment:time,0,0,0 '+1 0 0' =n=2 segment:time,10,0,10 '+2 0 0' =n=1"},
  {UNIT "accumulate=3", XYZ, "'+0 0 0' =n=1 segment:time,0,0,7 '+1 0 0' =n=2 segment:time,0,7,7 '+2 0 0' =n=1"},
  {UNIT "accumulate=3 mode=max", XYZI, "'+0 0 0 7' '=f32[24] 7' 'caps:" POINTS ("\"x,y,z,a,b\",type=(string)float32") "' "
      "'+1 0 0 8 9' '=f32[48] @2 8 9' out:other/tensors,dimensions=(string)2:4:3:2"},
  {UNIT "accumulate=3", XYZ, "'+0 0 0' =n=1 '+1 0 0' =n=2 '+2 0 0' =n=3 set:accumulate=1 '+3 0 0' =n=1"},
  {UNIT "accumulate=5 mode=count type=uint8", TENSOR ("float32", "3:1:2"), "'+0 0 0 1 0 0' '=u8[48] 1 @25 1' '+0 0 0 1 0 0' "
      "'=u8[48] 2 @25 2' 'caps:" TENSOR ("float32", "3:1") "' '+2 0 0' '=u8[24] @2 1'"},
  /* more voxels than there is room for */
  {UNIT "output=sparse max-voxels=2", XYZ, "'+3 0 0 1 0 0 2 0 0 0 0 0' '=u32[1] 2|i32[6] 0 0 0 1 0 0' '+3 0 0 1 0 0 2 0 0 0 0 0' "
      "'=u32[1] 2|i32[6] 0 0 0 1 0 0'",
      "voxels-over-cap=4 buffers-over-cap=2 occupied-voxels=4", "4 voxels are occupied, more than max-voxels=2: 50 % of them, those with the greatest z, are "
      "omitted"},
  {UNIT "output=sparse max-voxels=1", TENSOR ("float32", "3:2:2"), "'+0 0 0 1 0 0 2 0 0 3 0 0' '=u32[2] 1 1|i32[6] 0 0 0 2 0 0'",
      "voxels-over-cap=2 buffers-over-cap=1", "max-voxels=1"},
  {UNIT "output=rank max-voxels=1", XYZ, "'+" PLACES "' '=i64[6] 0 -4 -1 -2 -3 0'",
      "voxels-over-cap=1 buffers-over-cap=1", "max-voxels=1"},
  /* settings while playing */
  {UNIT, XYZ, "'+5 0 0' =n=0 set:grid=6:1:1 '+5 0 0' '=u8[6] @5 1' out:other/tensors,dimensions=(string)6 set:output=sparse "
      "set:max-voxels=1 '+5 0 0' '=u32[1] 1|i32[3] 5 0 0'"},
  {UNIT, XYZ, "'+5 0 0' =n=0 set:origin=<2.0,0.0,0.0> '+5 0 0' =n=1 set:voxel-size=<0.5,1.0,1.0> '+5 0 0' =n=0 "
      "out:other/tensors,voxel-origin=<2.0,0.0,0.0>,voxel-size=<0.5,1.0,1.0>"},
  {UNIT, XYZ, "'+" PLACES "' =n=2 set:output=rank '+" PLACES "' '=i64[6] 0 1 -1 -2 -3 0' "
      "'caps:" TENSORS "types=(string)float32,dimensions=(string)3:2,framerate=10/1' '+2 0 0 1 0 0' '=i64[2] 1 0' "
      "out:other/tensors set:output=dense '+2 0 0 1 0 0' =n=2"},
  {FIRST, XYZI, "'+" THREE "' = set:max-points=7 '+" THREE "' "
      "'=u32[1] 2|i32[9] 1 0 0 3 2 1|f32[84] 1.25 0.5 0.25 10 1.5 0 0 20 1.75 0 0 30 @28 3.5 2.5 1.5 -4|u32[3] 3 1' "
      "set:mode=count '+" THREE "' '=u32[1] 2|i32[9] 1 0 0 3 2 1|u32[3] 3 1'", "points-over-max=1"},
  {UNIT, XYZ, MEND ("grid=4:4", "settings:grid is", "grid=2:2:8")},
  {UNIT, XYZ, MEND ("origin=<1.0>", "settings:origin is", "origin=<0.0,0.0,0.0>")},
  {UNIT, XYZ, MEND ("voxel-size=<0.0,1.0,1.0>", "negotiation:voxel-size: 0 along x: expected", "voxel-size=<1.0,1.0,1.0>")},
  /* a peer that takes nothing of ours, where it took something before */
  {UNIT "backend=cpu", XYZ, "'+1 1 1' = downstream:other/tensors(memory:RobocacheCUDA) reconfigure '+1 1 1' flow:not-negotiated "
      REFUSED " 'error:negotiation:: backend=cpu offers no GPU memory'"},
  {UNIT "accumulate=5", XYZ, "upstream-latency:33 live:0 live=0 latency=33 live:1 live=1 latency=33"},
  /* far from 0, where coordinates are coarser than voxels: one warning for settings, however often they are negotiated */
  {"", XYZ, GO_FAR},
  {"origin=<-1000.0,1000.0,0.0> voxel-size=<0.01,0.01,0.01>", XYZ, GO_FAR},
  {"origin=<500000.0,0.0,0.0> voxel-size=<0.25,0.25,0.25>", XYZ, GO_FAR},       /* 1/32 m, an eighth */
  {"origin=<500000.0,0.0,0.0> voxel-size=<0.125,1.0,1.0> grid=4:4:4", XYZ, GO_FAR},     /* a quarter */
  {"origin=<500000.0,0.0,0.0> voxel-size=<0.1,1.0,1.0> grid=4:4:4", XYZ, "'warning:settings:x: at 500000.4 m, float32 "
      "coordinates have steps of 0.03125 m, but voxel-size is 0.1 m' " GO_FAR},
  {"origin=<500000.0,5411000.0,300.0> voxel-size=<0.1,0.1,0.1> grid=10:10:10", XYZ,
      "'warning:settings:y: at 5411001 m, float32 coordinates have steps of 0.5 m' " GO_FAR},
  {"origin=<0.0,0.0,-5411000.0> voxel-size=<0.1,0.1,0.1> grid=10:10:10", XYZ,
      "'warning:settings:z: at 5411000 m, float32 coordinates have steps of 0.5 m' " GO_FAR},
  {"origin=<-1000000.0,0.0,0.0> voxel-size=<0.2,1.0,1.0> grid=1000000:1:1 output=bits", XYZ, "'warning:settings:x: ' " GO_FAR},
  /* what does not link: the error names what to put between, once, though upstream tries again */
  {UNIT, XYZ, "'+1 1 1' = 'caps:video/x-raw,format=I420,width=4,height=4,framerate=30/1' 'error:negotiation:sink: caps are video/x-raw' "
      "'caps:video/x-raw,format=I420,width=4,height=4,framerate=30/1' errors=0 "
      "'caps:video/x-raw,format=I420,width=8,height=4,framerate=30/1' 'error:negotiation:: send depth images of format GRAY16_LE; other video has no points. "
      "The pad accepts application/x-pointcloud' caps:application/octet-stream 'error:negotiation:: put robocacheparse between. The pad' 'caps:" XYZ
      "' '+1 1 1' = caps:application/octet-stream 'error:negotiation:: put robocacheparse between' errors=0"},

  /* all points outside: at once if they are many, otherwise at the end */
  {UNIT, XYZ, "'+" THOUSAND "' = " OUTSIDE ("1000", BOX ("9 to 9", "1 to 1", "1 to 1")) " '+" THOUSAND "' = eos warnings=0"},
  {UNIT, XYZ, "'+" HUNDRED "' = '+-7.5 0 0 nan 0 0 5 200.25 0 " THOUSAND "' = "
      OUTSIDE ("1102", BOX ("-7.5 to 9", "0 to 200.2", "0 to 1"))},
  {UNIT, XYZ, "'+" TEN "' = warnings=0 eos " OUTSIDE ("10", "")},
  {UNIT, XYZ, "'+9 9 9' = eos warnings=0"},
  {UNIT, XYZ, "'+1 1 1 " THOUSAND "' = '+" THOUSAND "' = eos warnings=0"},
  {UNIT, XYZ, "'+" HUNDRED "' = '+1 1 1' = '+" THOUSAND "' = eos warnings=0"},
  {UNIT, XYZ, "'+" THOUSAND "' = warning:failed:outside set:origin=<8.0,0.0,0.0> '+" THOUSAND "' = set:origin=<100.0,0.0,0.0> "
      "'+" THOUSAND "' = 'warning:failed:all 1000 points are outside the grid, which has x 100 to 104, y 0 to 3, z 0 to 2 m, while'"},
  {UNIT, TENSOR ("float64", "3:1000"), "'+f64 " THOUSAND "' = " OUTSIDE ("1000", BOX ("9 to 9", "1 to 1", "1 to 1"))},
  {UNIT, POINTS ("\"i,z,y,x\",type=(string)float16"),
      "'+u16 0 0 0 0xfc00 " OF_HALVES "' = 'warning:failed: points have x 8 to 8, y 2 to 2, z 1 to 1 m: set'"},
  {DEPTH, IMAGE ("64", "64"), "+u8[8192] = eos warnings=0"},
  /* the voxel of each point */
  {UNIT "output=index", XYZ, "'+" PLACES "' '=i64[6] 1 23 -1 -2 -3 1'",
      "points=6 points-inside=3 points-outside=1 points-nan=1 points-infinite=1 occupied-voxels=0"},
  {UNIT "output=index", XYZ, "+ =i64[0] '+1 0 0' '=i64[1] 1' + =i64[0]", "buffers=3"},
  {UNIT "output=index accumulate=5", XYZ, "'+2 0 0' '=i64[1] 2' '+3 0 0' '=i64[1] 3'", "points-read=2"},
  {UNIT "output=index", TENSOR ("float32", "4:2"), "'+0 0 0 5 3 2 1 5' '=i64[2] 0 23'"},
  {UNIT "output=rank", XYZ, "'+" PLACES "' '=i64[6] 0 1 -1 -2 -3 0'", "occupied-voxels=2"},
  /* as a tensor, whose length is that of the cloud; an empty one is a GAP */
  {UNIT "output=index", XYZ, "'+0: " PLACES "' '=i64[6] 1 23 -1 -2 -3 1' " LENGTH ("6") " '+100: 2 0 0' '=i64[1] 2' " LENGTH ("1")
      " '+200: ' >gap:200,100 '+300: 3 0 0' '=i64[1] 3' '+400: 3 0 0 2 0 0' '=i64[2] 3 2' " LENGTH ("2"), "buffers=5",
      .peer = "other/tensors"},
  {UNIT "output=rank accumulate=2", XYZ, "'+2 0 0 9 9 9' '=i64[2] 0 -1' '+3 0 0' '=i64[1] 1' '+0 0 0 3 0 0 1 0 0' "
      "'=i64[3] 0 2 1' +", .peer = "other/tensors,types=(string)int64"},
  {UNIT "output=rank", XYZ, "gap:0,100 + '+1 0 0' >gap:0,100 '=i64[1] 0' tag >tag", "buffers=1", .peer = "other/tensors"},
  {UNIT "output=rank", XYZ, "eos >eos", "buffers=0", .peer = "other/tensors"},
  {UNIT "output=rank", XYZ, "gap:0,100 flush seg:0,0,0,1 '+1 0 0' '=i64[1] 0' eos >eos", "buffers=1", .peer = "other/tensors"},
  {UNIT "output=rank", XYZ, "'+1 0 0' '=i64[1] 0' set:output=dense '+1 0 0' =n=1 set:output=index '+1 0 0 2 0 0' '=i64[2] 1 2' "
      LENGTH ("2"), .peer = "other/tensors"},
  {UNIT "output=index", XYZ, "'+1 0 0' '=i64[1] 1' '+1 0 0 2 0 0' flow:error 'error:negotiation:a cloud has 2 points, and downstream'",
      .peer = "other/tensors,dimensions=(string)1"},
  /* flexible tensors; other axes are other caps, which empty the window */
  {UNIT, FLEXIBLE, "'+" HEADER ("3 2") "f32[6] 1 0 0 3 2 1' '=u8[24] @1 1 @23 1' 'out:" TENSOR ("uint8", "4:3:2")
      ",framerate=(fraction)10/1'", "points=2"},
  {UNIT "mode=mean", FLEXIBLE, "'+" HEADER ("4 1 2") "f32[8] 1 0 0 7 3 2 1 9' '=f32[48] @1 7 @47 9'", "points=2"},
  {UNIT "accumulate=9", FLEXIBLE, "'+" HEADER ("3 1") "f32[3] 0 0 0' =n=1 '+" HEADER ("3 1") "f32[3] 1 0 0' =n=2 "
      "'+" HEADER ("3 2") "f32[6] 2 0 0 3 0 0' =n=2 'caps:" TENSOR ("float32", "3:2") "' '+0 0 0 1 0 0' =n=2 "
      "'caps:" FLEXIBLE "' '+" HEADER ("3 1") "f32[3] 0 0 0' =n=1"},
  {UNIT, FLEXIBLE, "gap:0,100 '+" HEADER ("3 1") "f32[3] 0 0 0' >gap:0,100 =n=1 gap:100,100 >gap:100,100"},
  {UNIT, FLEXIBLE, "gap:0,100 flush 'caps:" XYZ "' seg:0,0,0,1 '+0 0 0' =n=1 eos >eos"},
  {UNIT, FLEXIBLE, "eos >eos", "buffers=0"},
  {UNIT, FLEXIBLE, "live:0 +u8[8] flow:error 'error:format:a flexible tensor has 8 bytes, less than its header of 128'"},
  {UNIT "output=rank", FLEXIBLE, "'+" HEADER ("3 2") "f32[6] 1 0 0 3 2 1' '=i64[2] 0 1' '+" HEADER ("3") "f32[3] 1 0 0' '=i64[1] 0'"},
  {UNIT "output=rank", XYZ, "+ =i64[0] '+1 0 0' '=i64[1] 0' + =i64[0]", "buffers=3"},
  {UNIT "output=rank accumulate=2", XYZ, "'+2 0 0 9 9 9' '=i64[2] 0 -1' '+3 0 0' '=i64[1] 1' '+0 0 0 3 0 0 1 0 0' "
      "'=i64[3] 0 2 1' + =i64[0] '+2 0 0' '=i64[1] 0'", "points=7"},
  /* rows change as clouds of other voxels come and leave; the last grid is made anew, of fewer points than come and leave */
  {UNIT "output=rank max-voxels=3 accumulate=3", XYZ, "'+3 0 0' '=i64[1] 0' '+1 0 0 2 0 0' '=i64[2] 0 1' '+3 0 0 nan 0 0' "
      "'=i64[2] 2 -2' '+3 0 0' '=i64[1] 2' '+0 0 0 3 0 0' '=i64[2] 0 1' '+3 0 0 1 0 0 2 0 0' '=i64[3] -4 1 2' '+9 9 9' "
      "'=i64[1] -1' + =i64[0] '+3 0 0 3 0 0' =i64[2]", "voxels-over-cap=2 points-read=23", "max-voxels=3"},
  /* the first points of each voxel */
  {FIRST, XYZI, "'+" THREE "' '=u32[1] 2|i32[9] 1 0 0 3 2 1|f32[24] 1.25 0.5 0.25 10 1.5 0 0 20 3.5 2.5 1.5 -4|u32[3] 2 1' + "
      "=u32[1]|i32[9]|f32[24]|u32[3]",
      "points=6 points-inside=4 points-outside=1 points-nan=1 points-over-max=1 occupied-voxels=0 voxels-over-cap=0"},
  /* points of voxels without a row are not counted */
  {FIRST "max-voxels=1 max-points=1", XYZI, "'+" THREE "' '=u32[1] 1|i32[3] 1 0 0|f32[4] 1.25 0.5 0.25 10|u32[1] 1'",
      "voxels-over-cap=1 points-over-max=2", "max-voxels=1"},
  {FIRST "accumulate=2", XYZI, "'+0.5 0 0 1' = '+0.5 0 0 2' = '+0.5 0 0 3' '=u32[1] 1|i32[9]|f32[24] 0.5 0 0 3 0.5 0 0 2|u32[3] 2' "
      "'+0.5 0 0 4 0.5 0 0 5 0.5 0 0 6' '=u32[1] 1|i32[9]|f32[24] 0.5 0 0 4 0.5 0 0 5|u32[3] 2'"},
  {FIRST "accumulate=2 keep=first", XYZI, "'+0.5 0 0 1' = '+0.5 0 0 2' = '+0.5 0 0 3 0.5 0 0 4' "
      "'=u32[1] 1|i32[9]|f32[24] 0.5 0 0 2 0.5 0 0 3|u32[3] 2' set:keep=newest '+0.5 0 0 5' '=u32[1] 1|i32[9]|f32[24] 0.5 0 0 5 0.5 0 0 3|u32[3] 2'"},
  {FIRST "type=float16", POINTS ("\"ring,z,x,y\",types=(string)\"uint8,float32,float32,float32\",offsets=(string)\"0,4,8,12\","
          "point-step=16"),
      "'+u8 255 0 0 0 0 0 192 63 0 0 64 64 0 0 0 64' '=u32[1] 1|i32[9] 3 2 1|u16[24] 0x4200 0x4000 0x3e00 0x5bf8|u32[3] 1'"},
  /* pillars */
  {PILLARS, XYZI, "'+" THREE "' '=u32[1] 2|i32[9] 1 0 0 3 2 1|f32[60] " OF_TEN "|u32[3] 2 1' + =u32[1]|i32[9]|f32[60]|u32[3] "
      "set:centre-z=false '+" THREE "' '=u32[1] 2|i32[9] 1 0 0 3 2 1|f32[54] 1.25 0.5 0.25 10 -0.125 0.25 0.125 -0.25 0 "
      "1.5 0 0 20 0.125 -0.25 -0.125 0 -0.5 3.5 2.5 1.5 -4|u32[3] 2 1' is:centre-z=false", "points-over-max=2 points-outside=2"},
  {PILLARS "feature-range=1", XYZI, "'+" THREE "' '=u32[1] 2|i32[9] 1 0 0 3 2 1|f32[60] " OF_TEN "|u32[3] 2 1'", "values-clamped=0"},
  {PILLARS "accumulate=2 keep=first", XYZI, "'+1.5 0 0 20 3.5 2.5 1.5 -4' = '+1.25 0.5 0.25 10 1.75 0 0 30' '=u32[1] 2|i32[9] 1 0 0 3 2 1|"
      "f32[60] 1.5 0 0 20 0.125 -0.25 -0.125 0 -0.5 -0.5 1.25 0.5 0.25 10 -0.125 0.25 0.125 -0.25 0 -0.25 3.5 2.5 1.5 -4|u32[3] 2 1'"},
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
  {UNIT "mode=mean", LIDAR, "'+" LIDAR_POINTS "' '=f32[72] 20 32001.5 1700000000.5 @69 -5 7 2'", LIDAR_STATS},
  {UNIT "mode=max", LIDAR, "'+" LIDAR_POINTS "' '=f32[72] 30 64000 1700000000.75 @69 -5 7 2'", LIDAR_STATS},
  {UNIT "mode=min", LIDAR, "'+" LIDAR_POINTS "' '=f32[72] 10 3 1700000000.25 @69 -5 7 2'", LIDAR_STATS},
  /* other caps empty the window */
  {UNIT "accumulate=5", LIDAR, "'+" LIDAR_POINTS "' =n=2 'caps:" XYZ "' '+0 0 0' =n=1 "
      "'caps:" LIDAR "' '+" CORNER "' =n=1 + =n=1"},
  /* seconds since 1970 differ in what float32 would lose */
  {UNIT "mode=mean", POINTS ("\"x,y,z,t\",types=(string)\"float64,float64,float64,float64\""),
      "'+f64 0 0 0 1000000000000001 0 0 0 -1000000000000000' '=f32[24] 0.5'"},
  /* buffers of a wrong size; the error says where in the stream it was */
  {"", XYZ, "live:0 +u8[25] flow:error 'error:format:a buffer of 25 bytes is not a multiple of 12'"},
  {"max-cloud-bytes=24", XYZ, "live:0 '+0 0 0 0 0 0' = +u8[36] flow:error 'error:no-space-left:a cloud of 36 bytes exceeds "
      "max-cloud-bytes=24: raise max-cloud-bytes'"},
  {"max-cloud-bytes=24 output=index", XYZ, "live:0 +u8[36] flow:error 'error:no-space-left:a cloud of 36 bytes exceeds'"},
  /* live, a malformed buffer or caps cost what they are about */
  {UNIT, XYZ, "'+1 1 1' = +u8[25] 'warning:format:25 bytes is not a multiple of 12' +u8[1] '+1 1 1' = warnings=0 errors=0", "buffers-dropped-malformed=2"},
  {UNIT "max-cloud-bytes=24", XYZ, "'+0 0 0 0 0 0' = +u8[36] 'warning:format:a cloud of 36 bytes exceeds max-cloud-bytes=24' '+1 1 1' = errors=0",
      "buffers-dropped-malformed=1"},
  {UNIT "output=rank", XYZ, "'+1 1 1' = +u8[25] 'warning:format:25 bytes' '+1 1 1' = errors=0", "buffers-dropped-malformed=1"},
  {UNIT, FLEXIBLE, "+u8[8] 'warning:format:less than its header' '+" HEADER ("3 1") "f32[3] 0 0 0' = errors=0", "buffers-dropped-malformed=1"},
  {UNIT, XYZ, "'+1 1 1' = 'caps:" POINTS ("\"x,y\",type=(string)float32") "' warning:format:z '+1 1 1' 'caps:" XYZ "' '+1 1 1' = errors=0",
      "buffers-dropped-malformed=1"},
  {UNIT, POINTS ("\"x,y\",type=(string)float32"), "error:negotiation:z '+1 1 1' flow:not-negotiated"},

  {"", XYZI, "live:0 +u8[8] flow:error 'error:format:a buffer of 8 bytes is not a multiple of 16'"},
  {"output=index", XYZ, "live:0 +u8[25] flow:error 'error:format:25 bytes is not a multiple of 12'"},
  {"", POINTS ("\"x,y,z,i\",type=(string)float32,point-step=32"), "live:0 +u8[33] flow:error "
      "'error:format:multiple of 32, the bytes per point (4 fields, x, y and z of float32): 1 are'"},
  {"", TENSOR ("float32", "3:10"), "live:0 +u8[60] flow:error 'error:format:60 bytes, but its caps describe 10 points of 12 bytes, 120'"},
  {"", TENSOR ("float32", "3:10"), "live:0 + flow:error 'error:format:0 bytes'"},
  {"", TENSOR ("float32", "5:40:5"), "live:0 +u8[800] flow:error 'error:format:its caps describe 200 points of 20 bytes, 4000 in all'"},
  {"fx=1 fy=1", IMAGE ("4", "3"), "live:0 +u8[23] flow:error 'error:format:23 bytes, but its caps describe GRAY16_LE, 4x3, 24 bytes'"},
  {UNIT, XYZ, "live:0 '+3000: 0 0 0 0 0 0' =n=1 +3000:u8[25] flow:error 'debug:at 0:00:03.100000000 of the stream'"},
  /* times in any order; other events, and the clouds of a window across a GAP */
  {UNIT, XYZ, "'+50000: 0 0 0' = '+50000: 0 0 0' = '+20000: 0 0 0' =", "last-pts=20000000000"},
  {UNIT, XYZ, "segment:time,5,7,5 '+1 0 0' =n=1 segment:bytes,5,7,5 '+1 0 0' =n=1"},
  {UNIT "accumulate=2", XYZ, "'+0 0 0' =n=1 gap:10000,20000 >gap:10000,20000 '+1 0 0' =n=2"},
  {UNIT, XYZ, "eos >eos", "buffers=0"},
  {UNIT, XYZ, "'+0 0 0' = eos >eos", "buffers=1"},
  /* messages with statistics, which without times come at the end, and tell all that was counted */
  {UNIT "stats-interval=1000000000", XYZ, "'+0: 0 0 0' = '+900: 0 0 0' = messages:0 '+1000: 0 0 0' = messages:1,buffers=3 "
      "'+2900: 0 0 0' = messages:1,buffers=4"},
  {UNIT "stats-interval=1", XYZ, "'+0 0 0' = '+0 0 0' = '+0 0 0' = messages:0 eos >eos messages:1,buffers=3"},
  /* properties keep their values */
  {"origin=<-1.0,0.5,2.0> voxel-size=<0.25,0.5,1.0> grid=7:8:9 mode=centroid output=sparse type=float16 max-voxels=17 "
      "max-points=18 feature-range=2.5 accumulate=4", XYZ,
      "is:origin=<-1.0,0.5,2.0> is:voxel-size=<0.25,0.5,1.0> is:grid=7:8:9 is:mode=centroid is:output=sparse is:type=float16 "
      "is:max-voxels=17 is:max-points=18 is:feature-range=2.5 is:accumulate=4"},
  {"fx=500.5 fy=501.5 cx=-3.25 cy=240.5 k1=-0.5 k2=0.02 k3=1e-3 p1=-0.001 p2=0.002 depth-scale=0.0025", XYZ, "is:fx=500.5 "
      "is:fy=501.5 is:cx=-3.25 is:cy=240.5 is:k1=-0.5 is:k2=0.02 is:k3=0.001 is:p1=-0.001 is:p2=0.002 is:depth-scale=0.0025"},
  {"stats-interval=1000 backend=cpu device-id=3", XYZ, "is:stats-interval=1000 is:backend=cpu is:device-id=3"},
};

static void
expect_output (GstHarness *h, GstBuffer *output, const gchar *text)
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

GST_START_TEST (test_scenario)
{
  const VoxelCase *scenario = &scenarios[__i__];
  GstHarness *h = voxelize_harness (scenario->properties);
  gchar **stats = g_strsplit (scenario->stats ? scenario->stats : "", " ", -1);

  if (scenario->peer)
    gst_harness_set_sink_caps_str (h, scenario->peer);
  gst_harness_set_src_caps_str (h, scenario->caps);
  voxel_scenario_run (h, scenario->words, expect_output);
  for (gchar **stat = stats; *stat; stat++) {
    gchar **pair = g_strsplit (*stat, "=", 2);

    fail_unless (count_of (h, pair[0]) == g_ascii_strtoull (pair[1], NULL, 10), "%s is %" G_GUINT64_FORMAT, *stat,
        count_of (h, pair[0]));
    g_strfreev (pair);
  }
  /* a GPU's counters come with the next event */
  fail_unless (GST_PAD_IS_EOS (h->srcpad) || gst_harness_push_event (h, gst_event_new_eos ()));
  if (scenario->warning)
    expect_posted_warning (h, "no-space-left", scenario->warning);
  expect_no_complaint (h);
  g_strfreev (stats);
  harness_close (h);
}

GST_END_TEST;

CHECK_MAIN (voxelize_scenarios, use_cpu, NULL, EACH (scenarios, test_scenario))
