/* robocache: robocachefuse, camera frames: handed on, copied, blended, refused
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "tests/check/lib/fuse/fusescenario.h"

#include "common/backend/enginechoice.h"

static guint8
pixel_of (GstBuffer *sample, guint tensor, guint i)
{
  GstMapInfo map;
  guint8 value;

  fail_unless (gst_memory_map (gst_buffer_peek_memory (sample, tensor), &map, GST_MAP_READ));
  fail_unless (i < map.size);
  value = map.data[i];
  gst_memory_unmap (gst_buffer_peek_memory (sample, tensor), &map);
  return value;
}

#define CAMERA "a=camera_0,caps:gray@100/1"

GST_START_TEST (test_dense_frame_is_not_copied)
{
  Play *play = play_new ("rate=100/1 backend=cpu", CAMERA);
  GstBuffer *frame = gst_buffer_new_allocate (NULL, 8, NULL), *sample;
  GstMemory *memory = gst_buffer_peek_memory (frame, 0);

  gst_buffer_memset (frame, 0, 42, 8);
  GST_BUFFER_PTS (frame) = 0;
  gst_memory_ref (memory);
  fail_unless_equals_int (gst_pad_push (play->pads[0].feed->pad, frame), GST_FLOW_OK);
  play_words (play, "a+30=1 a:eos");
  for (gint i = 0; i <= 2; i++) {       /* nearest: the same frame twice */
    sample = pull (play->rig);
    fail_unless ((gst_buffer_peek_memory (sample, 0) == memory) == (i < 2));
    fail_unless_equals_int (pixel_of (sample, 0, 3), i < 2 ? 42 : 1);
    gst_buffer_unref (sample);
  }
  play_words (play, ">30 a=1 >eos");
  gst_memory_unref (memory);
  play_free (play);
}

GST_END_TEST;

/* A held frame is handed on again, without a copy. */
GST_START_TEST (test_held_frame_is_not_copied)
{
  Play *play = play_new ("rate=100/1 backend=cpu", CAMERA " b");
  GstMemory *memory = NULL;

  play_words (play, "a+0=9 b+0..30/10 eos");
  for (gint i = 0; i <= 3; i++) {
    GstBuffer *sample = pull (play->rig);

    fail_unless_equals_int64 (status_of (sample, 0), i == 0 ? ALIGNED : HELD);
    if (memory)
      fail_unless (gst_buffer_peek_memory (sample, 0) == memory);
    else
      memory = gst_memory_ref (gst_buffer_peek_memory (sample, 0));
    gst_buffer_unref (sample);
  }
  gst_memory_unref (memory);
  play_free (play);
}

GST_END_TEST;

/* Lines of a width that is no multiple of 4 are padded: the padding is left out. */
static const struct
{
  const gchar *format;
  guint components, bytes;      /* bytes of a component */
  const gchar *type;
  guint width, lines;           /* of both planes */
} camera_formats[] = {
  {"RGB", 3, 1, "uint8", 3, 2},
  {"BGR", 3, 1, "uint8", 3, 2},
  {"RGBA", 4, 1, "uint8", 3, 2},
  {"BGRA", 4, 1, "uint8", 3, 2},
  {"RGBx", 4, 1, "uint8", 3, 2},
  {"BGRx", 4, 1, "uint8", 3, 2},
  {"xRGB", 4, 1, "uint8", 3, 2},
  {"xBGR", 4, 1, "uint8", 3, 2},
  {"GRAY8", 1, 1, "uint8", 3, 2},
  {"GRAY16_LE", 1, 2, "uint16", 3, 2},
  {"NV12", 1, 1, "uint8", 6, 3},
};

GST_START_TEST (test_camera_formats)
{
  const guint components = camera_formats[__i__].components, width = camera_formats[__i__].width;
  const guint line = width * components * camera_formats[__i__].bytes, stride = GST_ROUND_UP_4 (line);
  const guint lines = camera_formats[__i__].lines;
  gchar *caps = g_strdup_printf ("video/x-raw, format=(string)%s, width=(int)%u, height=(int)2, framerate=(fraction)100/1",
      camera_formats[__i__].format, width);
  gchar *dimensions = g_strdup_printf ("%u:%u:%u", components, width, lines);
  guint8 *bytes = g_malloc (lines * stride);
  Rig *rig = rig_new ("rate=100/1");
  Feed *camera = feed_new_bare (rig, "camera_0", FALSE);
  GstBuffer *sample;

  rig_play (rig);
  feed_start (camera, caps);
  for (guint i = 0; i < lines * stride; i++)
    bytes[i] = i % stride < line ? 1 + i : 255;
  feed_bytes (camera, 0, bytes, lines * stride);
  feed_eos (camera);
  sample = pull (rig);
  fail_unless_equals_int (gst_buffer_get_size (sample), lines * line);
  for (guint i = 0; i < lines * line; i++)
    fail_unless_equals_int (pixel_of (sample, 0, i), 1 + i / line * stride + i % line);
  assert_output_field (rig, "dimensions", dimensions);
  assert_output_field (rig, "types", camera_formats[__i__].type);
  gst_buffer_unref (sample);
  g_free (bytes);
  g_free (dimensions);
  g_free (caps);
  rig_free (rig);
}

GST_END_TEST;

GST_START_TEST (test_frame_of_wrong_size)
{
  Play *play = play_new ("rate=100/1", CAMERA);
  const guint8 pixels[9] = { 0 };

  fail_if (feed_bytes (play->pads[0].feed, 0, pixels, 9) == GST_FLOW_OK);
  play_words (play, "'error:format:camera_0|9 bytes|8'");
  play_free (play);
}

GST_END_TEST;

/* A video meta that leads out of the frame's memory, or tells of another picture. */
static const struct
{
  gint width, height, stride;
  gsize offset;
} wrong_metas[] = { {4, 2, 8, 0}, {4, 2, 4, 1}, {4, 2, 3, 0}, {4, 2, -4, 4}, {2, 2, 4, 0}, {4, 1, 4, 0}, {4, 2, 4, 1 << 30} };

GST_START_TEST (test_wrong_video_meta)
{
  Play *play = play_new ("rate=100/1", CAMERA);
  const guint8 pixels[8] = { 0 };
  GstBuffer *frame = fuse_buffer (0, pixels, sizeof (pixels));
  gsize offset[GST_VIDEO_MAX_PLANES] = { wrong_metas[__i__].offset };
  gint stride[GST_VIDEO_MAX_PLANES] = { wrong_metas[__i__].stride };

  gst_buffer_add_video_meta_full (frame, GST_VIDEO_FRAME_FLAG_NONE, GST_VIDEO_FORMAT_GRAY8, wrong_metas[__i__].width,
      wrong_metas[__i__].height, 1, offset, stride);
  fail_if (gst_pad_push (play->pads[0].feed->pad, frame) == GST_FLOW_OK);
  assert_error (play->rig, "format:camera_0|video meta|4x2");
  play_free (play);
}

GST_END_TEST;

GST_START_TEST (test_video_meta_with_a_stride)
{
  Play *play = play_new ("rate=100/1", CAMERA);
  guint8 pixels[16];
  gsize offset[GST_VIDEO_MAX_PLANES] = { 1 };
  gint stride[GST_VIDEO_MAX_PLANES] = { 6 };
  GstBuffer *frame, *sample;

  for (guint i = 0; i < sizeof (pixels); i++)
    pixels[i] = i;
  frame = fuse_buffer (0, pixels, sizeof (pixels));
  gst_buffer_add_video_meta_full (frame, GST_VIDEO_FRAME_FLAG_NONE, GST_VIDEO_FORMAT_GRAY8, 4, 2, 1, offset, stride);
  fail_unless_equals_int (gst_pad_push (play->pads[0].feed->pad, frame), GST_FLOW_OK);
  play_words (play, "a:eos");
  sample = pull (play->rig);
  for (guint i = 0; i < 8; i++)
    fail_unless_equals_int (pixel_of (sample, 0, i), 1 + i / 4 * 6 + i % 4);
  gst_buffer_unref (sample);
  play_free (play);
}

GST_END_TEST;

/* Planes of NV12, 4x2, in 16 bytes: luma of two lines, chroma of one. */
static const struct
{
  gsize offset[GST_VIDEO_MAX_PLANES];
  gint stride[GST_VIDEO_MAX_PLANES];
  gsize size;
  const gchar *pixels;          /* NULL: an error */
  gboolean is_handed_on;
} planes[] = {
  {{0, 8}, {4, 4}, 12, "0123456789ab", TRUE},
  {{0, 8}, {4, 4}, 16, "0123456789ab", FALSE},
  {{1, 12}, {5, 4}, 16, "12346789cdef", FALSE},
  {{4, 0}, {4, 4}, 12, "456789ab0123", FALSE},
  {{0, 10}, {4, 4}, 12, NULL, FALSE},
  {{0, 8}, {4, 3}, 12, NULL, FALSE},
  {{6, 0}, {4, 4}, 12, NULL, FALSE},
};

GST_START_TEST (test_planes)
{
  Play *play = play_new ("rate=100/1 backend=cpu", "a=camera_0,bare");
  GstBuffer *frame = fuse_buffer (0, (const guint8 *) "0123456789abcdef", planes[__i__].size), *sample;
  GstMemory *memory = gst_memory_ref (gst_buffer_peek_memory (frame, 0));

  feed_start (play->pads[0].feed, "video/x-raw, format=(string)NV12, width=(int)4, height=(int)2, framerate=(fraction)100/1");
  gst_buffer_add_video_meta_full (frame, GST_VIDEO_FRAME_FLAG_NONE, GST_VIDEO_FORMAT_NV12, 4, 2, 2, (gsize *) planes[__i__].offset,
      (gint *) planes[__i__].stride);
  if (planes[__i__].pixels) {
    fail_unless_equals_int (gst_pad_push (play->pads[0].feed->pad, frame), GST_FLOW_OK);
    play_words (play, "a:eos");
    sample = pull (play->rig);
    fail_unless_equals_int (gst_buffer_get_size (sample), 12);
    fail_unless_equals_int (gst_buffer_memcmp (sample, 0, planes[__i__].pixels, 12), 0);
    fail_unless ((gst_buffer_peek_memory (sample, 0) == memory) == planes[__i__].is_handed_on);
    gst_buffer_unref (sample);
  } else {
    fail_if (gst_pad_push (play->pads[0].feed->pad, frame) == GST_FLOW_OK);
    assert_error (play->rig, "format:camera_0|video meta|4x2");
  }
  gst_memory_unref (memory);
  play_free (play);
}

GST_END_TEST;

GST_START_TEST (test_allocation_query)
{
  Play *play = play_new ("rate=100/1", CAMERA);
  GstCaps *caps = caps_of (&play->pads[0]);
  GstQuery *query = gst_query_new_allocation (caps, TRUE);
  guint size = 0, min = 0, max = 1;

  fail_unless (gst_pad_peer_query (play->pads[0].feed->pad, query));
  fail_unless_equals_int (gst_query_get_n_allocation_pools (query), 1);
  gst_query_parse_nth_allocation_pool (query, 0, NULL, &size, &min, &max);
  fail_unless_equals_int (size, 8);
  fail_unless (min > 2);
  fail_unless_equals_int (max, 0);
  fail_unless (gst_query_find_allocation_meta (query, GST_VIDEO_META_API_TYPE, NULL));
  gst_query_unref (query);
  gst_caps_unref (caps);
  play_free (play);
}

GST_END_TEST;

GST_START_TEST (test_allocation_query_without_caps)
{
  Play *play = play_new ("rate=100/1", CAMERA);
  GstQuery *query = gst_query_new_allocation (NULL, TRUE);

  fail_if (gst_pad_peer_query (play->pads[0].feed->pad, query));
  gst_query_unref (query);
  play_free (play);
}

GST_END_TEST;

/* Pinned memory where a GPU computes, which copies from it by itself; none elsewhere. */
static GstAllocator *
proposed_allocator (Rig *rig, Feed *camera, GstCaps *caps)
{
  GstQuery *query = gst_query_new_allocation (caps, TRUE);
  GstAllocator *allocator = NULL;
  gint backend;

  fail_unless (gst_pad_peer_query (camera->pad, query));
  g_object_get (rig->fuse, "active-backend", &backend, NULL);
  if (gst_query_get_n_allocation_params (query) > 0)
    gst_query_parse_nth_allocation_param (query, 0, &allocator, NULL);
  fail_unless ((allocator != NULL) == (backend == ROBOCACHE_BACKEND_CUDA));
  gst_query_unref (query);
  return allocator;
}

/* Frames of a pool that are written again as soon as they come back. */
GST_START_TEST (test_frames_in_proposed_memory)
{
  Play *play = play_new ("rate=100/1 window=2", CAMERA);
  GstCaps *caps = caps_of (&play->pads[0]);
  GstBufferPool *pool = gst_buffer_pool_new ();
  GstStructure *config = gst_buffer_pool_get_config (pool);
  GstAllocationParams params;
  GstAllocator *allocator;

  gst_allocation_params_init (&params);
  allocator = proposed_allocator (play->rig, play->pads[0].feed, caps);
  gst_buffer_pool_config_set_params (config, caps, 8, 0, 0);
  gst_buffer_pool_config_set_allocator (config, allocator, &params);
  fail_unless (gst_buffer_pool_set_config (pool, config) && gst_buffer_pool_set_active (pool, TRUE));
  for (gint i = 0; i < 60; i++) {
    GstBuffer *frame, *sample;

    fail_unless_equals_int (gst_buffer_pool_acquire_buffer (pool, &frame, NULL), GST_FLOW_OK);
    gst_buffer_memset (frame, 0, (guint8) (i + 1), 8);
    GST_BUFFER_PTS (frame) = (GstClockTime) MS (10 * i);
    fail_unless_equals_int (gst_pad_push (play->pads[0].feed->pad, frame), GST_FLOW_OK);
    if (i < 2)                  /* a tick is decided by the second frame after it */
      continue;
    sample = pull (play->rig);
    fail_unless_equals_int (pixel_of (sample, 0, 0), i - 2);
    fail_unless_equals_int (pixel_of (sample, 0, 15), i - 1);
    gst_buffer_unref (sample);
  }
  play_free (play);
  gst_buffer_pool_set_active (pool, FALSE);
  gst_object_unref (pool);
  gst_clear_object (&allocator);
  gst_caps_unref (caps);
}

GST_END_TEST;

CHECK_MAIN (robocachefusecamera, NULL, NULL, ONCE (test_dense_frame_is_not_copied), ONCE (test_held_frame_is_not_copied),
  EACH (camera_formats, test_camera_formats), ONCE (test_frame_of_wrong_size), EACH (planes, test_planes), EACH (wrong_metas, test_wrong_video_meta),
  ONCE (test_video_meta_with_a_stride), ONCE (test_allocation_query), ONCE (test_allocation_query_without_caps),
  ONCE (test_frames_in_proposed_memory))
