/* robocache: what to put between two elements whose caps do not fit
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "common/element/linkadvice.h"
#include "tests/check/lib/checks.h"

#define CAMERA "video/x-raw, format=(string){ RGB, GRAY16_LE }, width=(int)[ 1, 100 ], height=(int)[ 1, 100 ]"
#define TENSORS_OF_FUSE "other/tensors; other/tensors(memory:RobocacheCUDA)"
#define POINTS "application/x-pointcloud; application/x-lidar; other/tensors; video/x-raw, format=(string)GRAY16_LE"

static const struct
{
  const gchar *offered, *accepted, *advice;
} cases[] = {
  {"video/x-raw, format=(string)I420, width=(int)4, height=(int)4", CAMERA, "put videoconvert between"},
  {"video/x-raw(memory:GLMemory), format=(string)RGBA, width=(int)4, height=(int)4", CAMERA, "put gldownload and videoconvert between"},
  {"video/x-raw(memory:CUDAMemory), format=(string)I420", CAMERA, "put videoconvert between"},
  {"video/x-raw, format=(string)RGB, width=(int)4", CAMERA, "add the missing fields to the caps"},
  {"video/x-h264", CAMERA, "put decodebin and videoconvert between"},
  {"image/png", POINTS, "put pngdec and videoconvert between"},
  {"video/x-bayer, format=(string)rggb", CAMERA, "put bayer2rgb and videoconvert between"},
  {"video/x-bayer, format=(string)rggb", TENSORS_OF_FUSE, "put bayer2rgb between, and link video to a camera_%u pad of robocachefuse"},
  {"image/jpeg, width=(int)4, height=(int)4", CAMERA, "put jpegdec and videoconvert between"},
  {"other/tensors, types=(string)float32", CAMERA, "link tensors to a proprio_%u, force_%u or sink_%u pad"},
  {"video/x-raw, format=(string)RGB", TENSORS_OF_FUSE, "link video to a camera_%u pad of robocachefuse"},
  {"video/x-raw, format=(string)I420", POINTS, "send depth images of format GRAY16_LE; other video has no points"},
  {"application/x-pointcloud, fields=(string)\"x,y,z\"", TENSORS_OF_FUSE, "put robocachevoxelize between"},
  {"application/x-pointcloud(memory:RobocacheCUDA)", TENSORS_OF_FUSE, "put robocachevoxelize between"},
  {"application/x-mcap", TENSORS_OF_FUSE, "put robocachemcapdemux between"},
  {"application/x-gdp", POINTS, "put gdpdepay between"},
  {"application/octet-stream", POINTS, "put robocacheparse between"},
  {"text/csv", TENSORS_OF_FUSE, "put robocacheparse between"},
  {"text/csv", CAMERA, "link another element"},
  {"audio/x-raw", TENSORS_OF_FUSE, "link another element"},
};

GST_START_TEST (test_advice)
{
  GstCaps *offered = gst_caps_from_string (cases[__i__].offered), *accepted = gst_caps_from_string (cases[__i__].accepted);

  fail_unless_equals_string (robocache_link_advice (offered, accepted), cases[__i__].advice);
  gst_caps_unref (accepted);
  gst_caps_unref (offered);
}

GST_END_TEST;

CHECK_MAIN (linkadvice, NULL, NULL, EACH (cases, test_advice))
