/* robocache: an element with a thread a stream that pushes into it, and a pad at its end
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "tests/bench/pipelines/line.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "common/device/allocator.h"

#define CAMERA_FRAMES 8         /* in its pool at first */

typedef struct
{
  const LineSpec *spec;
  GstElement *element;
  GstBus *bus;
  GstPad *end;
  GAsyncQueue *ends;            /* EOS events that came out */
  guint64 out;
} Line;

typedef struct
{
  Line *line;
  const LineStream *stream;
  GstPad *pad, *sink;
  GstBufferPool *frames;
  GThread *thread;
} Feed;

void
line_fail (const gchar *format, ...)
{
  va_list args;

  va_start (args, format);
  fprintf (stderr, "%s: ", g_get_prgname ());
  vfprintf (stderr, format, args);
  fprintf (stderr, "\n");
  va_end (args);
  exit (2);
}

void
line_init (int *argc, char ***argv, const GOptionEntry *options)
{
  GOptionContext *context = g_option_context_new (NULL);
  GError *error = NULL;

  g_option_context_add_main_entries (context, options, NULL);
  g_option_context_add_group (context, gst_init_get_option_group ());
  if (!g_option_context_parse (context, argc, argv, &error))
    line_fail ("%s", error->message);
  g_option_context_free (context);
}

void
line_wait_for_device (GstBuffer *buffer)
{
  for (guint i = 0; i < gst_buffer_n_memory (buffer); i++) {
    GstMemory *memory = gst_buffer_peek_memory (buffer, i);
    GstMapInfo map;

    if (!gst_memory_map (memory, &map, (GstMapFlags) (GST_MAP_READ | ROBOCACHE_MAP_DEVICE)))
      line_fail ("memory %u of a buffer cannot be mapped", i);
    gst_memory_unmap (memory, &map);
  }
}

gchar *
line_error_of (GstBus *bus)
{
  GstMessage *message = gst_bus_pop_filtered (bus, GST_MESSAGE_ERROR);
  GError *error = NULL;
  gchar *text;

  if (message == NULL)
    return g_strdup ("no error message");
  gst_message_parse_error (message, &error, NULL);
  text = g_strdup (error->message);
  g_error_free (error);
  gst_message_unref (message);
  return text;
}

void
line_close_element (GstElement *element)
{
  gst_element_set_state (element, GST_STATE_NULL);
  gst_element_set_bus (element, NULL);
  gst_object_unref (element);
}

GstElement *
line_open_backend (const gchar *element_name, const gchar *backend, const gchar *name)
{
  GstElement *element = gst_element_factory_make (element_name, NULL);
  GstBus *bus = gst_bus_new ();

  if (element == NULL)
    line_fail ("there is no element %s", element_name);
  gst_element_set_bus (element, bus);
  gst_util_set_object_arg (G_OBJECT (element), "backend", backend);
  if (gst_element_set_state (element, GST_STATE_PAUSED) == GST_STATE_CHANGE_FAILURE) {
    gchar *error = line_error_of (bus);

    printf ("SKIP %s: %s\n", name, error);
    g_free (error);
    line_close_element (element);
    element = NULL;
  }
  gst_object_unref (bus);
  return element;
}

/* ---- rows ---- */

/* In [-1, 1), the same in each run. The mixing of splitmix64. */
static gdouble
noise (guint64 i)
{
  guint64 z = (i + 1) * G_GUINT64_CONSTANT (0x9E3779B97F4A7C15);

  z = (z ^ (z >> 30)) * G_GUINT64_CONSTANT (0xBF58476D1CE4E5B9);
  z = (z ^ (z >> 27)) * G_GUINT64_CONSTANT (0x94D049BB133111EB);
  return (gdouble) (gint64) (z ^ (z >> 31)) * 0x1p-63;
}

gint64
line_row_time (const LineStream *stream, guint64 i)
{
  const gint64 t = (gint64) ((gdouble) i * stream->period_ns + stream->jitter_ns * noise (i));

  return MAX (t, 0);
}

static GstBuffer *
make_row (const LineStream *stream, gint64 t)
{
  const gdouble seconds = (gdouble) t * 1e-9;
  const gfloat value = (gfloat) (stream->signal ? stream->signal (seconds) : seconds);
  gfloat row[MAX_LINE_CHANNELS];

  for (guint i = 0; i < stream->channels; i++)
    row[i] = value;
  return gst_buffer_new_memdup (row, stream->channels * sizeof (gfloat));
}

static GstBuffer *
make_buffer (const Feed *feed, guint64 i, gint64 t)
{
  const GPtrArray *frames = feed->stream->frames;
  GstBuffer *buffer = NULL;

  if (frames)
    buffer = gst_buffer_copy (g_ptr_array_index (frames, i % frames->len));
  else if (feed->frames == NULL)
    buffer = make_row (feed->stream, t);
  else if (gst_buffer_pool_acquire_buffer (feed->frames, &buffer, NULL) != GST_FLOW_OK)
    line_fail ("the pool of %s has no frame", feed->stream->pad);
  if (feed->frames)
    gst_buffer_fill (buffer, 0, &t, sizeof (t));
  GST_BUFFER_PTS (buffer) = (GstClockTime) t;
  return buffer;
}

GstClockTime
line_now (void)
{
  struct timespec t;

  clock_gettime (CLOCK_MONOTONIC, &t);
  return GST_TIMESPEC_TO_TIME (t);
}

static void
change_caps (Feed *feed)
{
  GstCaps *caps = gst_caps_from_string (feed->stream->next_caps);

  gst_pad_push_event (feed->pad, gst_event_new_caps (caps));
  gst_caps_unref (caps);
}

static gpointer
push_rows (gpointer data)
{
  Feed *feed = data;
  const LineStream *stream = feed->stream;

  for (guint64 i = 0; i < stream->n; i++) {
    const gint64 t = line_row_time (stream, i);
    GstBuffer *buffer;
    GstFlowReturn flow;

    if (feed->line->spec->live) {
      const GstClockTime at = gst_element_get_base_time (feed->line->element) + (GstClockTime) t;
      const struct timespec when = { (time_t) (at / GST_SECOND), (glong) (at % GST_SECOND) };

      while (clock_nanosleep (CLOCK_MONOTONIC, TIMER_ABSTIME, &when, NULL) != 0);
    }
    buffer = make_buffer (feed, i, t);
    if (feed->line->spec->give)
      feed->line->spec->give (feed->line->spec->data, (guint) (stream - feed->line->spec->streams), i);
    if (stream->next_caps && i == stream->next_at)
      change_caps (feed);
    flow = gst_pad_push (feed->pad, buffer);
    if (flow == GST_FLOW_EOS)   /* its rows are not needed any more */
      break;
    if (flow != GST_FLOW_OK)
      line_fail ("%s: row %" G_GUINT64_FORMAT " was answered with %s: %s", stream->pad, i, gst_flow_get_name (flow),
          line_error_of (feed->line->bus));
  }
  gst_pad_push_event (feed->pad, gst_event_new_eos ());
  return NULL;
}

/* ---- what comes out ---- */

static GstFlowReturn
take_out (GstPad *pad, GstObject *parent, GstBuffer *buffer)
{
  Line *line = gst_pad_get_element_private (pad);
  GstClockTimeDiff lag = 0;

  if (line->spec->live)
    lag = (GstClockTimeDiff) (line_now () - gst_element_get_base_time (line->element) - GST_BUFFER_PTS (buffer));
  line->out++;
  line->spec->take (line->spec->data, buffer, lag);
  return GST_FLOW_OK;
}

static gboolean
take_event (GstPad *pad, GstObject *parent, GstEvent *event)
{
  Line *line = gst_pad_get_element_private (pad);

  if (GST_EVENT_TYPE (event) == GST_EVENT_EOS)
    g_async_queue_push (line->ends, line);
  gst_event_unref (event);
  return TRUE;
}

/* ---- setting up ---- */

static gboolean
answer_query (GstPad *pad, GstObject *parent, GstQuery *query)
{
  const Feed *feed = gst_pad_get_element_private (pad);

  if (GST_QUERY_TYPE (query) != GST_QUERY_LATENCY)
    return gst_pad_query_default (pad, parent, query);
  gst_query_set_latency (query, feed->line->spec->live, 0, GST_CLOCK_TIME_NONE);
  return TRUE;
}

/* From the allocator that the element proposes, if any, as a source's would be. */
static GstBufferPool *
make_frames (const Feed *feed, GstCaps *caps)
{
  GstQuery *query = gst_query_new_allocation (caps, TRUE);
  GstBufferPool *pool = gst_buffer_pool_new ();
  GstStructure *config = gst_buffer_pool_get_config (pool);
  GstAllocator *allocator = NULL;
  GstAllocationParams params;

  gst_allocation_params_init (&params);
  if (gst_pad_peer_query (feed->pad, query) && gst_query_get_n_allocation_params (query) > 0)
    gst_query_parse_nth_allocation_param (query, 0, &allocator, &params);
  gst_query_unref (query);
  gst_buffer_pool_config_set_params (config, caps, (guint) feed->stream->frame_bytes, CAMERA_FRAMES, 0);
  gst_buffer_pool_config_set_allocator (config, allocator, &params);
  gst_clear_object (&allocator);
  if (!gst_buffer_pool_set_config (pool, config) || !gst_buffer_pool_set_active (pool, TRUE))
    line_fail ("no pool of frames of %" G_GSIZE_FORMAT " bytes", feed->stream->frame_bytes);
  return pool;
}

static void
open_feed (Feed *feed, Line *line, const LineStream *stream)
{
  feed->line = line;
  feed->stream = stream;
  feed->pad = gst_pad_new (NULL, GST_PAD_SRC);
  gst_pad_set_element_private (feed->pad, feed);
  gst_pad_set_query_function (feed->pad, answer_query);
  gst_pad_set_active (feed->pad, TRUE);
  feed->sink = gst_element_get_static_pad (line->element, stream->pad);
  if (feed->sink == NULL)
    feed->sink = gst_element_request_pad_simple (line->element, stream->pad);
  if (feed->sink == NULL || gst_pad_link (feed->pad, feed->sink) != GST_PAD_LINK_OK)
    line_fail ("%s has no pad %s to link to", line->spec->element, stream->pad);
  if (stream->interpolation)
    gst_util_set_object_arg (G_OBJECT (feed->sink), "interpolation", stream->interpolation);
}

void
line_begin_stream (GstPad *pad, const gchar *name, GstCaps *caps)
{
  GstSegment segment;

  gst_segment_init (&segment, GST_FORMAT_TIME);
  gst_pad_push_event (pad, gst_event_new_stream_start (name));
  gst_pad_push_event (pad, gst_event_new_caps (caps));
  gst_pad_push_event (pad, gst_event_new_segment (&segment));
}

static void
start_feed (Feed *feed)
{
  GstCaps *caps = gst_caps_from_string (feed->stream->caps);

  line_begin_stream (feed->pad, feed->stream->pad, caps);
  if (feed->stream->frame_bytes > 0 && feed->stream->frames == NULL)
    feed->frames = make_frames (feed, caps);
  gst_caps_unref (caps);
}

static void
close_feed (Feed *feed)
{
  gst_pad_set_active (feed->pad, FALSE);
  gst_pad_unlink (feed->pad, feed->sink);
  gst_object_unref (feed->sink);
  gst_object_unref (feed->pad);
  if (feed->frames)
    gst_buffer_pool_set_active (feed->frames, FALSE);
  gst_clear_object (&feed->frames);
}

GstPad *
line_new_end (const gchar *caps_text)
{
  GstCaps *caps = caps_text ? gst_caps_from_string (caps_text) : gst_caps_new_any ();
  GstPadTemplate *template = gst_pad_template_new ("sink", GST_PAD_SINK, GST_PAD_ALWAYS, caps);
  GstPad *end = gst_pad_new_from_template (template, "end");

  gst_caps_unref (caps);
  gst_object_unref (template);
  return end;
}

static void
open_line (Line *line, const LineSpec *spec)
{
  GstPad *src;

  line->spec = spec;
  line->element = gst_element_factory_make (spec->element, NULL);
  if (line->element == NULL)
    line_fail ("there is no element %s", spec->element);
  for (guint i = 0; spec->settings[i]; i += 2)
    gst_util_set_object_arg (G_OBJECT (line->element), spec->settings[i], spec->settings[i + 1]);
  line->bus = gst_bus_new ();
  gst_element_set_bus (line->element, line->bus);
  line->end = line_new_end (spec->end_caps);
  gst_pad_set_element_private (line->end, line);
  gst_pad_set_chain_function (line->end, take_out);
  gst_pad_set_event_function (line->end, take_event);
  gst_pad_set_active (line->end, TRUE);
  src = gst_element_get_static_pad (line->element, "src");
  gst_pad_link (src, line->end);
  gst_object_unref (src);
}

static void
play (Line *line)
{
  GstClock *clock = gst_system_clock_obtain ();

  gst_element_set_clock (line->element, clock);
  gst_element_set_state (line->element, GST_STATE_PAUSED);      /* which may open a device */
  gst_element_set_base_time (line->element, gst_clock_get_time (clock));
  gst_element_set_state (line->element, GST_STATE_PLAYING);
  gst_object_unref (clock);
}

static void
close_line (Line *line)
{
  gst_element_set_state (line->element, GST_STATE_NULL);
  gst_element_set_bus (line->element, NULL);
  gst_bus_set_flushing (line->bus, TRUE);
  gst_object_unref (line->bus);
  gst_object_unref (line->element);
  gst_object_unref (line->end);
}

static gdouble
process_cpu_us (void)
{
  struct timespec t;

  clock_gettime (CLOCK_PROCESS_CPUTIME_ID, &t);
  return (gdouble) t.tv_sec * 1e6 + (gdouble) t.tv_nsec * 1e-3;
}

LineResult
line_run (const LineSpec *spec)
{
  Feed feeds[MAX_LINE_STREAMS] = { {NULL} };
  Line line = {.ends = g_async_queue_new () };
  LineResult result = { 0 };

  open_line (&line, spec);
  for (guint i = 0; i < spec->n_streams; i++)
    open_feed (&feeds[i], &line, &spec->streams[i]);
  play (&line);
  for (guint i = 0; i < spec->n_streams; i++)
    start_feed (&feeds[i]);

  result.cpu_us = -process_cpu_us ();
  for (guint i = 0; i < spec->n_streams; i++)
    feeds[i].thread = g_thread_new (spec->streams[i].pad, push_rows, &feeds[i]);
  for (guint i = 0; i < spec->n_streams; i++)
    g_thread_join (feeds[i].thread);
  g_async_queue_pop (line.ends);
  result.cpu_us += process_cpu_us ();

  close_line (&line);
  for (guint i = 0; i < spec->n_streams; i++) {
    result.rows += spec->streams[i].n;
    close_feed (&feeds[i]);
  }
  result.out = line.out;
  g_async_queue_unref (line.ends);
  return result;
}
