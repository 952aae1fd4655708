/* robocache: live elements play on after each of 100 pauses, in a pipeline on the system's clock
 *
 * A pause is short: its threads see it begin, end, or neither.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include <glib/gstdio.h>

#include "tests/check/lib/checks.h"

#define N_PAUSES 100
#define LIMIT_US (20 * G_TIME_SPAN_SECOND)

#define ROWS "robocachetestsrc kind=imu is-live=true rate=200/1 "
#define POINTS "robocachetestsrc kind=points is-live=true rate=200/1 channels=30 "

/* Buffers that pass a pad of the element e. */
static const struct
{
  const gchar *launch, *pad;
} lives[] = {
  {"robocachetestsrc name=e kind=imu is-live=true rate=200/1 ! fakesink", "src"},
  {"robocachefuse name=e rate=100/1 ! fakesink " ROWS "! e.sink_0 " ROWS "! queue ! e.sink_1", "src"},
  {"robocachefuse name=e rate=100/1 force-live=true pads=\"sink_0,expected-caps=(string)\\\"other/tensors,format=static,num_tensors=1,"
        "types=float32,dimensions=(string)10,framerate=200/1\\\"\" ! fakesink " ROWS "! e.sink_0", "src"},
  {ROWS "! robocacheresample name=e rate=100/1 ! fakesink", "src"},
  {POINTS "! robocachevoxelize name=e grid=4:4:4 voxel-size=<1.0,1.0,1.0> ! fakesink", "src"},
#ifdef HAVE_MCAP
  {ROWS "! robocachemcapmux name=e chunk-duration=10000000 ! fakesink sync=false", "src"},
  {ROWS "! robocachemcapsink name=e location=%s", "sink_0"},
#endif
};

typedef struct
{
  GMutex lock;
  GCond passed;
  guint n;
} Count;

static GstPadProbeReturn
count_buffer (GstPad *pad, GstPadProbeInfo *info, gpointer data)
{
  Count *count = data;

  g_mutex_lock (&count->lock);
  count->n++;
  g_cond_signal (&count->passed);
  g_mutex_unlock (&count->lock);
  return GST_PAD_PROBE_OK;
}

static guint
read_count (Count *count)
{
  guint n;

  g_mutex_lock (&count->lock);
  n = count->n;
  g_mutex_unlock (&count->lock);
  return n;
}

/* Two more than before: one may have been on its way. */
static void
wait_for_buffers (Count *count, guint before, guint pause)
{
  const gint64 end = g_get_monotonic_time () + LIMIT_US;
  gboolean is_in_time = TRUE;

  g_mutex_lock (&count->lock);
  while (count->n < before + 2 && is_in_time)
    is_in_time = g_cond_wait_until (&count->passed, &count->lock, end);
  g_mutex_unlock (&count->lock);
  fail_unless (is_in_time, "nothing comes after pause %u", pause);
}

static GstElement *
make_pipeline (const gchar *template, const gchar *file)
{
  gchar **parts = g_strsplit (template, "%s", -1), *launch = g_strjoinv (file, parts);
  GError *error = NULL;
  GstElement *pipeline = gst_parse_launch (launch, &error);

  fail_unless (error == NULL, "%s", error ? error->message : "");
  g_strfreev (parts);
  g_free (launch);
  return pipeline;
}

static void
count_buffers (GstElement *pipeline, const gchar *name, Count *count)
{
  GstElement *element = gst_bin_get_by_name (GST_BIN (pipeline), "e");
  GstPad *pad = gst_element_get_static_pad (element, name);

  gst_pad_add_probe (pad, GST_PAD_PROBE_TYPE_BUFFER, count_buffer, count, NULL);
  gst_object_unref (pad);
  gst_object_unref (element);
}

GST_START_TEST (test_pauses)
{
  gchar *file = g_strdup_printf ("%s/robocache-pauses-%d.mcap", g_get_tmp_dir (), (gint) getpid ());
  GstElement *pipeline = make_pipeline (lives[__i__].launch, file);
  GstBus *bus = gst_element_get_bus (pipeline);
  Count count = {.n = 0 };

  g_mutex_init (&count.lock);
  g_cond_init (&count.passed);
  count_buffers (pipeline, lives[__i__].pad, &count);
  for (guint i = 0; i <= N_PAUSES; i++) {
    const guint before = read_count (&count);

    gst_element_set_state (pipeline, GST_STATE_PLAYING);
    wait_for_buffers (&count, before, i);
    gst_element_set_state (pipeline, GST_STATE_PAUSED);
    for (volatile guint spin = 0; spin < i * 100; spin++);
  }
  fail_unless (gst_bus_pop_filtered (bus, GST_MESSAGE_ERROR) == NULL);
  gst_element_set_state (pipeline, GST_STATE_NULL);
  gst_object_unref (bus);
  gst_object_unref (pipeline);
  g_unlink (file);
  g_free (file);
  g_mutex_clear (&count.lock);
  g_cond_clear (&count.passed);
}

GST_END_TEST;

CHECK_MAIN (pauses, NULL, NULL, EACH (lives, test_pauses))
