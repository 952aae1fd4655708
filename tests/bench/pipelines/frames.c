/* robocache: frames of a camera that are made before they are pushed, in host memory or on a GPU
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "tests/bench/pipelines/frames.h"

#include <stdio.h>

#include "tests/bench/pipelines/line.h"

/* Takes over the memory. */
static void
add_frame (GPtrArray *frames, GstMemory *memory)
{
  const gint64 number = frames->len;
  GstBuffer *frame = gst_buffer_new ();

  gst_buffer_append_memory (frame, memory);
  if (gst_buffer_fill (frame, 0, &number, sizeof (number)) != sizeof (number))
    line_fail ("frame %u cannot be written", frames->len);
  g_ptr_array_add (frames, frame);
}

static GPtrArray *
new_frames (void)
{
  return g_ptr_array_new_with_free_func ((GDestroyNotify) gst_buffer_unref);
}

GPtrArray *
frames_in_host_memory (guint n)
{
  GPtrArray *frames = new_frames ();

  while (frames->len < n)
    add_frame (frames, gst_allocator_alloc (NULL, LINE_FRAME_BYTES, NULL));
  return frames;
}

#ifdef HAVE_GSTCUDA

/* The library calls itself unstable. It opens CUDA's driver when it runs. */
#define GST_USE_UNSTABLE_API
#include <gst/cuda/gstcudacontext.h>
#include <gst/cuda/gstcudaloader.h>
#include <gst/cuda/gstcudamemory.h>
#include <gst/cuda/gstcudautils.h>

/* As a CUDA element gets it that is linked to the source pad. */
static GstCudaContext *
context_of (GstElement *element)
{
  GstQuery *query = gst_query_new_context (GST_CUDA_CONTEXT_TYPE);
  GstPad *pad = gst_element_get_static_pad (element, "src");
  GstContext *answer = NULL;
  GstCudaContext *context = NULL;

  if (gst_pad_query (pad, query))
    gst_query_parse_context (query, &answer);
  if (answer)
    gst_cuda_handle_set_context (element, answer, 0, &context);
  gst_object_unref (pad);
  gst_query_unref (query);
  return context;
}

static GstMemory *
new_memory (GstCudaAllocator *allocator, GstCudaContext *context, const GstVideoInfo *video)
{
#if GST_CHECK_VERSION (1, 24, 0)
  GstMemory *memory = gst_cuda_allocator_alloc (allocator, context, NULL, video);
#else
  GstMemory *memory = gst_cuda_allocator_alloc (allocator, context, video);
#endif

  if (memory == NULL)
    line_fail ("the GPU has no memory for a frame");
  return memory;
}

GPtrArray *
frames_on_device (guint n, const gchar *caps_text, GstElement *element, const gchar *name)
{
  GstCaps *caps = gst_caps_from_string (caps_text);
  GstCudaContext *context = NULL;
  GstAllocator *allocator;
  GstVideoInfo video;
  GPtrArray *frames;

  if (!gst_video_info_from_caps (&video, caps))
    line_fail ("%s: no caps of frames", caps_text);
  gst_caps_unref (caps);
  if (gst_cuda_load_library ()) {
    context = element ? context_of (element) : gst_cuda_context_new (0);
    if (element && context == NULL)
      line_fail ("%s offers no context", GST_OBJECT_NAME (element));
  }
  if (context == NULL) {
    printf ("SKIP %s: gstreamer-cuda cannot use the GPU\n", name);
    return NULL;
  }
  gst_cuda_memory_init_once ();
  allocator = gst_allocator_find (GST_CUDA_MEMORY_TYPE_NAME);
  frames = new_frames ();
  while (frames->len < n) {
    add_frame (frames, new_memory (GST_CUDA_ALLOCATOR_CAST (allocator), context, &video));
    line_wait_for_device (g_ptr_array_index (frames, frames->len - 1)); /* which uploads it */
  }
  gst_object_unref (allocator);
  gst_object_unref (context);
  return frames;
}

#else

GPtrArray *
frames_on_device (guint n, const gchar *caps, GstElement *element, const gchar *name)
{
  printf ("SKIP %s: built without gstreamer-cuda\n", name);
  return NULL;
}

#endif
