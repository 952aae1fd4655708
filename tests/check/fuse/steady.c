/* robocache: a steady stream allocates nothing for a sample
 *
 * The allocation functions of the C library are replaced by ones that count.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "tests/check/lib/fuse/fuseharness.h"

#include <stdlib.h>

extern void *__libc_malloc (size_t size);
extern void *__libc_calloc (size_t n, size_t size);
extern void *__libc_realloc (void *memory, size_t size);
extern void *__libc_memalign (size_t alignment, size_t size);

static gint counting, allocations;

static void
count (void)
{
  if (g_atomic_int_get (&counting))
    g_atomic_int_inc (&allocations);
}

void *
malloc (size_t size)
{
  count ();
  return __libc_malloc (size);
}

void *
calloc (size_t n, size_t size)
{
  count ();
  return __libc_calloc (n, size);
}

void *
realloc (void *memory, size_t size)
{
  count ();
  return __libc_realloc (memory, size);
}

int
posix_memalign (void **memory, size_t alignment, size_t size)
{
  count ();
  *memory = __libc_memalign (alignment, size);
  return *memory ? 0 : 12;
}

void *
aligned_alloc (size_t alignment, size_t size)
{
  count ();
  return __libc_memalign (alignment, size);
}

#define ROWS_PER_SAMPLE 10
#define SAMPLES 300
#define WARM_UP 100

static GstBuffer *
row (gint64 pts)
{
  const gfloat values[] = { 1, 2, 3 };

  return fuse_buffer (pts, values, sizeof (values));
}

static GstBuffer *
frame (gint64 pts)
{
  static const guint8 pixels[64 * 48];

  return fuse_buffer (pts, pixels, sizeof (pixels));
}

/* Pushes the rows of each sample, made before, and takes the sample; TRUE when all of them went. A check allocates, so there
 * is none here. */
static gboolean
run (Rig *rig, Feed *feed, GPtrArray *rows, Feed *camera, GPtrArray *frames)
{
  gboolean ok = TRUE;

  allocations = 0;
  for (guint i = 0; i < SAMPLES; i++) {
    if (i == WARM_UP)
      g_atomic_int_set (&counting, 1);
    if (camera)
      ok &= gst_pad_push (camera->pad, g_ptr_array_index (frames, i)) == GST_FLOW_OK;
    for (guint k = 0; k < ROWS_PER_SAMPLE; k++)
      ok &= gst_pad_push (feed->pad, g_ptr_array_index (rows, i * ROWS_PER_SAMPLE + k)) == GST_FLOW_OK;
    if (i > 2)                  /* a tick waits for the rows after it */
      gst_buffer_unref (gst_harness_pull (rig->out));
  }
  g_atomic_int_set (&counting, 0);
  return ok;
}

/* GStreamer itself makes a list of the buffers that a memory is in, once there are two: the frame, and the sample that it is
 * handed on in. */
#define SHARED_MEMORY 2
/* Small objects come from GLib's slices, and from malloc since GLib 2.76: info of the meta, info as a memory, and the frame that a
 * sample keeps. The harness has a list of samples. */
#define BYTES 1
#define MEMORY 1
#define PARENT_META 1
#define HARNESS 1
/* How far the sample's thread is behind varies, and with it how many buffers are under way. */
#define FEW 20

static const struct
{
  const gchar *settings;
  gboolean camera;
  gint a_sample, slices;        /* allocations that remain; small objects of GLib and GStreamer */
} kinds[] = {
  {"rate=100/1", FALSE, 0, BYTES},
  {"rate=100/1 info=tensor", FALSE, 0, BYTES + MEMORY},
  {"rate=100/1 info=tensor layout=concat window=4", FALSE, 0, BYTES + MEMORY},
  {"rate=100/1", TRUE, SHARED_MEMORY, BYTES + PARENT_META},
  {"rate=100/1 info=tensor window=3", TRUE, 0, BYTES + MEMORY},
};

GST_START_TEST (test_nothing_is_allocated_for_a_sample)
{
  Rig *rig = rig_new (kinds[__i__].settings);
  GPtrArray *rows = g_ptr_array_new (), *frames = g_ptr_array_new ();
  gint allowed = kinds[__i__].a_sample;
  Feed *feed, *camera = NULL;
  gboolean went;

  feed = feed_new_bare (rig, "sink_0", FALSE);
  if (kinds[__i__].camera)
    camera = feed_new_bare (rig, "camera_0", FALSE);
  rig_play (rig);
  feed_start (feed, F32 ("3"));
  if (camera)
    feed_start (camera, "video/x-raw, format=(string)GRAY8, width=(int)64, height=(int)48, framerate=(fraction)100/1");
  for (guint i = 0; i < SAMPLES; i++) {
    g_ptr_array_add (frames, frame (MS (10) * i));
    for (guint k = 0; k < ROWS_PER_SAMPLE; k++)
      g_ptr_array_add (rows, row (MS (10) * i + MS (1) * k));
  }
  went = run (rig, feed, rows, camera, frames);
  if (glib_check_version (2, 76, 0) == NULL)
    allowed += kinds[__i__].slices + HARNESS;
  if (!camera)
    g_ptr_array_set_free_func (frames, (GDestroyNotify) gst_buffer_unref);
  g_ptr_array_unref (frames);
  g_ptr_array_unref (rows);
  rig_free (rig);
  /* at the end: without a process of its own, a test that fails leaves a thread for which the program would wait */
  fail_unless (went);
  fail_unless (allocations <= (SAMPLES - WARM_UP) * allowed + FEW, "%d allocations", allocations);
}

GST_END_TEST;

CHECK_MAIN (robocachefusesteady, NULL, NULL, EACH (kinds, test_nothing_is_allocated_for_a_sample))
