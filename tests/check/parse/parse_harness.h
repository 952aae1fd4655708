/* robocache: ways to run robocacheparse
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef PARSE_HARNESS_H
#define PARSE_HARNESS_H

#include <glib/gstdio.h>
#include <gst/check/gstcheck.h>
#include <gst/check/gstharness.h>
#include <unistd.h>

#include "tests/check/run_pipeline.h"

static inline gchar *
write_file (gconstpointer bytes, gssize n)
{
  gchar *path;
  gint fd = g_file_open_tmp ("robocacheparse-XXXXXX", &path, NULL);

  fail_unless (fd >= 0);
  close (fd);
  fail_unless (g_file_set_contents (path, bytes, n, NULL));
  return path;
}

static inline gchar *
describe (const gchar *path, const gchar *properties, guint block)
{
  return g_strdup_printf (
      "filesrc location=%s blocksize=%u ! robocacheparse name=e %s ! fakesink name=sink", path, block, properties);
}

/* A file through the element in blocks of that many bytes. */
static inline Output
parse_file (const gchar *path, const gchar *properties, guint block)
{
  gchar *line = describe (path, properties, block);
  Output out = run_pipeline (line);

  g_free (line);
  return out;
}

static inline Output
parse_bytes (gconstpointer bytes, gssize n, const gchar *properties)
{
  gchar *path = write_file (bytes, n);
  Output out = parse_file (path, properties, 4096);

  g_unlink (path);
  g_free (path);
  return out;
}

static inline Output
parse (const gchar *text, const gchar *properties)
{
  return parse_bytes (text, -1, properties);
}

/* A pipeline that reads a file of these bytes (n: -1 of text). */
typedef struct
{
  gchar *path;
  GstElement *pipeline, *e;     /* e: the element */
} FileRun;

static inline FileRun
file_run_begin (gconstpointer bytes, gssize n, const gchar *properties, guint block)
{
  FileRun run = {.path = write_file (bytes, n) };
  gchar *line = describe (run.path, properties, block);

  run.pipeline = gst_parse_launch (line, NULL);
  run.e = gst_bin_get_by_name (GST_BIN (run.pipeline), "e");
  g_free (line);
  return run;
}

static inline void
file_run_preroll (FileRun *run)
{
  gst_element_set_state (run->pipeline, GST_STATE_PAUSED);
  gst_element_get_state (run->pipeline, NULL, NULL, GST_CLOCK_TIME_NONE);
}

static inline void
file_run_end (FileRun *run)
{
  gst_element_set_state (run->pipeline, GST_STATE_NULL);
  gst_object_unref (run->e);
  gst_object_unref (run->pipeline);
  g_unlink (run->path);
  g_free (run->path);
}

/* An element in a harness, with a bus. */
static inline GstHarness *
harness (GstBus **bus, const gchar *first, ...)
{
  GstElement *element = gst_element_factory_make ("robocacheparse", "e");
  GstHarness *h;
  va_list args;

  va_start (args, first);
  if (first)
    g_object_set_valist (G_OBJECT (element), first, args);
  va_end (args);
  if (bus) {
    *bus = gst_bus_new ();
    gst_element_set_bus (element, *bus);
  }
  h = gst_harness_new_with_element (element, "sink", "src");
  gst_object_unref (element);
  gst_harness_set_src_caps_str (h, "text/csv");
  return h;
}

static inline GstFlowReturn
push_text (GstHarness *h, const gchar *text)
{
  return gst_harness_push (h, gst_buffer_new_memdup (text, strlen (text)));
}

static inline void
push_bytes_segment (GstHarness *h)
{
  GstSegment segment;

  gst_segment_init (&segment, GST_FORMAT_BYTES);
  fail_unless (gst_harness_push_event (h, gst_event_new_segment (&segment)));
}

static inline void
push_flush (GstHarness *h)
{
  fail_unless (gst_harness_push_event (h, gst_event_new_flush_start ()));
  fail_unless (gst_harness_push_event (h, gst_event_new_flush_stop (TRUE)));
}

static inline void
expect_row (GstHarness *h, GstClockTime pts, gfloat value)
{
  GstBuffer *buffer = gst_harness_pull (h);
  gfloat got = 0.0f;

  fail_unless_equals_uint64 (GST_BUFFER_PTS (buffer), pts);
  gst_buffer_extract (buffer, 0, &got, sizeof got);
  fail_unless (got == value, "%g is not %g", got, value);
  gst_buffer_unref (buffer);
}

/* Messages of one type that are on the bus now. */
static inline guint
count_messages (GstBus *bus, GstMessageType type)
{
  GstMessage *message;
  guint n = 0;

  while ((message = gst_bus_pop_filtered (bus, type))) {
    gst_message_unref (message);
    n++;
  }
  return n;
}

static inline void
crank (GstHarness *h, guint n)
{
  for (guint i = 0; i < n; i++)
    fail_unless (gst_harness_crank_single_clock_wait (h));
}

static inline void
harness_clear (GstHarness *h, GstBus *bus)
{
  if (bus) {
    gst_bus_set_flushing (bus, TRUE);
    gst_element_set_bus (h->element, NULL);
    gst_object_unref (bus);
  }
  gst_harness_teardown (h);
}

#endif
