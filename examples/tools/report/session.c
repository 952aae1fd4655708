/* robocache: records what enters and leaves a robocachefuse, for a report of the recording
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "session.h"

#include <glib/gstdio.h>
#include <string.h>
#include <unistd.h>

#include "common/time/originevent.h"
#include "examples/tools/program.h"

#define RECORDER "robocachemcapmux"
#define SAMPLES "samples"

/* Time between two checks of the bus. */
#define POLL (50 * GST_MSECOND)

gboolean
report_session_is_possible (void)
{
  GstElementFactory *factory = gst_element_factory_find (RECORDER);

  if (factory)
    gst_object_unref (factory);
  return factory != NULL;
}

/* ---- the recorder ---- */

static gboolean
open_file (ReportSession *session, GError **error)
{
  gchar *name;

  session->descriptor = g_file_open_tmp ("robocache-XXXXXX", &name, error);
  if (session->descriptor < 0)
    return FALSE;
  g_unlink (name);
  g_free (name);
  return TRUE;
}

static GstPadProbeReturn
note_end (GstPad *pad, GstPadProbeInfo *info, gpointer data)
{
  ReportSession *session = data;

  if (GST_EVENT_TYPE (GST_PAD_PROBE_INFO_EVENT (info)) == GST_EVENT_EOS)
    g_atomic_int_set (&session->has_ended, TRUE);
  return GST_PAD_PROBE_OK;
}

/* NULL and an error: this build has no recorder. */
static GstElement *
add_recorder (ReportSession *session, GError **error)
{
  GstElement *recorder = gst_element_factory_make (RECORDER, NULL), *sink = gst_element_factory_make ("fdsink", NULL);
  GstPad *pad;

  if (!recorder || !sink) {
    FAULT (error, "a report needs %s: build with -Dmcap=enabled", RECORDER);
    gst_clear_object (&recorder);
    gst_clear_object (&sink);
    return NULL;
  }
  gst_util_set_object_arg (G_OBJECT (recorder), "compression", "lz4");
  g_object_set (recorder, "time-origin", G_GINT64_CONSTANT (0), NULL);
  g_object_set (sink, "fd", session->descriptor, NULL);
  gst_bin_add_many (GST_BIN (session->pipeline), recorder, sink, NULL);
  gst_element_link (recorder, sink);
  pad = gst_element_get_static_pad (sink, "sink");
  gst_pad_add_probe (pad, GST_PAD_PROBE_TYPE_EVENT_DOWNSTREAM, note_end, session, NULL);
  gst_object_unref (pad);
  return recorder;
}

/* Rows are recorded at running times, as the fuse aligns them. On the clocks of sources with an offset, they would be behind the samples,
 * and the recorder would wait for rows for which the fuse has no space. */
static GstPadProbeReturn
drop_origin (GstPad *pad, GstPadProbeInfo *info, gpointer data)
{
  gboolean from_first_row;
  gint64 origin_ns;

  return robocache_origin_event_parse (GST_PAD_PROBE_INFO_EVENT (info), &origin_ns, &from_first_row) ? GST_PAD_PROBE_DROP : GST_PAD_PROBE_OK;
}

static void
record_into (GstElement *recorder, GstElement *queue, const gchar *topic)
{
  GstPad *from = gst_element_get_static_pad (queue, "src"), *to = gst_element_request_pad_simple (recorder, "sink_%u");

  g_object_set (to, "topic", topic, NULL);
  gst_pad_add_probe (from, GST_PAD_PROBE_TYPE_EVENT_DOWNSTREAM, drop_origin, NULL, NULL);
  gst_pad_link (from, to);
  gst_object_unref (from);
  gst_object_unref (to);
}

/* Records what goes over a link. Rows wait without limit: the fuse stops their sources, and takes as many before its samples leave. Samples
 * wait with one, so that a slow disk stops the fuse. */
static void
record_link (const ReportSession *session, GstElement *recorder, GstPad *from, const gchar *topic, gboolean has_limit)
{
  GstElement *queue = tap_link (session->pipeline, from);

  if (!has_limit)
    g_object_set (queue, "max-size-bytes", 0, "max-size-buffers", 0, "max-size-time", G_GUINT64_CONSTANT (0), NULL);
  record_into (recorder, queue, topic);
}

static void
record_pads (ReportSession *session, GstElement *recorder)
{
  GstPad *src = gst_element_get_static_pad (session->fuse, "src");

  for (GList * at = session->fuse->sinkpads; at; at = at->next) {
    GstPad *from = gst_pad_get_peer (at->data);

    g_ptr_array_add (session->pads, gst_pad_get_name (at->data));
    record_link (session, recorder, from, GST_PAD_NAME (at->data), FALSE);
    gst_object_unref (from);
  }
  record_link (session, recorder, src, SAMPLES, TRUE);
  gst_object_unref (src);
}

gboolean
report_session_begin (ReportSession *session, GstElement *pipeline, GstElement *fuse, GError **error)
{
  GstElement *recorder;

  *session = (ReportSession) { -1, gst_object_ref (pipeline), gst_object_ref (fuse), g_ptr_array_new_with_free_func (g_free) };
  recorder = open_file (session, error) ? add_recorder (session, error) : NULL;
  if (recorder)
    record_pads (session, recorder);
  return recorder != NULL;
}

void
report_session_clear (ReportSession *session)
{
  if (!session->pipeline)
    return;
  if (session->descriptor >= 0)
    close (session->descriptor);
  g_ptr_array_unref (session->pads);
  gst_object_unref (session->fuse);
  gst_object_unref (session->pipeline);
  *session = (ReportSession) { -1 };
}

/* ---- the account ---- */

/* Every row is in exactly one of these. */
static const struct
{
  const gchar *field, *label;
  gboolean always;
} parts[] = {
  {"rows-used", "used", TRUE},
  {"rows-superseded", "unused", TRUE},
  {"rows-late", "late", TRUE},
  {"rows-duplicate", "duplicate", FALSE},
  {"rows-dropped-no-time", "dropped without a time", FALSE},
  {"rows-dropped-no-reference", "dropped without a reference time", FALSE},
  {"rows-dropped-outside-segment", "dropped outside the segment", FALSE},
  {"rows-dropped-clock-jump", "dropped at a clock jump", FALSE},
  {"rows-dropped-ahead", "dropped as too far ahead", FALSE},
  {"rows-dropped-overflow", "dropped by overflow", FALSE},
  {"rows-dropped-flush", "dropped by a flush", FALSE},
  {"rows-dropped-removed", "dropped with the pad", FALSE},
  {"rows-dropped-malformed", "dropped as malformed", FALSE},
  {"rows-dropped-nan", "dropped with NaN", FALSE},
  {"rows-dropped-refused", "refused", FALSE},
  {"rows-kept", "waiting for a tick", FALSE},
};

static guint64
get_count (const GstStructure *stats, const gchar *field)
{
  guint64 n = 0;

  gst_structure_get_uint64 (stats, field, &n);
  return n;
}

static void
add_account (ReportStream *stream, const GstStructure *stats)
{
  report_stream_set_total (stream, "rows in", get_count (stats, "rows-in"));
  for (guint i = 0; i < G_N_ELEMENTS (parts); i++)
    report_stream_add_count (stream, parts[i].label, get_count (stats, parts[i].field), parts[i].always);
}

/* ---- the report ---- */

static Report *
read_recording (const ReportSession *session, const ReportRobotChoice *choice, GError **error)
{
  Report *report = NULL;
#ifdef HAVE_MCAP
  gchar *path = g_strdup_printf ("/proc/self/fd/%d", session->descriptor);

  report = report_of_recording (path, choice, error);
  g_free (path);
#endif
  return report;
}

static gboolean
wait_for_end (ReportSession *session, GError **error)
{
  GstBus *bus = gst_element_get_bus (session->pipeline);
  GstMessage *message = NULL;

  while (!message && !g_atomic_int_get (&session->has_ended))
    message = gst_bus_timed_pop_filtered (bus, POLL, GST_MESSAGE_ERROR);
  gst_object_unref (bus);
  if (!message)
    return TRUE;
  gst_message_parse_error (message, error, NULL);
  gst_message_unref (message);
  return FALSE;
}

static guint
rank_of (const GPtrArray *pads, const ReportStream *stream)
{
  guint i = 0;

  while (i < pads->len && !g_str_equal (g_ptr_array_index (pads, i), stream->name))
    i++;
  return i;
}

static gint
compare_streams (gconstpointer a, gconstpointer b, gpointer pads)
{
  return (gint) rank_of (pads, *(ReportStream **) a) - (gint) rank_of (pads, *(ReportStream **) b);
}

/* Adds properties that can be set and are not their defaults. */
static void
add_settings (Report *report, const gchar *prefix, gpointer object)
{
  guint n;
  GParamSpec **pspecs = g_object_class_list_properties (G_OBJECT_GET_CLASS (object), &n);

  for (guint i = 0; i < n; i++) {
    GValue value = G_VALUE_INIT;
    gchar *text;

    /* names are set when pads are made; templates and parents are objects */
    if ((pspecs[i]->flags & G_PARAM_READWRITE) != G_PARAM_READWRITE || (pspecs[i]->flags & (G_PARAM_CONSTRUCT_ONLY | G_PARAM_CONSTRUCT))
        || g_type_is_a (pspecs[i]->value_type, G_TYPE_OBJECT))
      continue;
    g_object_get_property (object, pspecs[i]->name, g_value_init (&value, pspecs[i]->value_type));
    text = g_param_value_defaults (pspecs[i], &value) ? NULL : gst_value_serialize (&value);
    if (text)
      g_ptr_array_add (report->settings, g_strdup_printf ("%s.%s=%s", prefix, pspecs[i]->name, text));
    g_free (text);
    g_value_unset (&value);
  }
  g_free (pspecs);
}

static gboolean
add_pad_settings (GstElement *fuse, GstPad *pad, gpointer report)
{
  add_settings (report, GST_PAD_NAME (pad), pad);
  return TRUE;
}

/* What a recording of a stranger lacks. */
static void
complete (ReportSession *session, Report *report)
{
  GstStructure *stats, *of_pad;

  g_object_get (session->fuse, "stats", &stats, NULL);
  report->n_dropped_ticks = get_count (stats, "ticks-dropped");
  for (guint i = 0; i < session->pads->len; i++) {
    const gchar *name = g_ptr_array_index (session->pads, i);
    ReportStream *stream = report_get_stream (report, name);

    if (gst_structure_get (stats, name, GST_TYPE_STRUCTURE, &of_pad, NULL)) {
      add_account (stream, of_pad);
      gst_structure_free (of_pad);
    }
    g_clear_pointer (&stream->aligned_as, g_free);
    g_ptr_array_set_size (stream->notes, 0);
  }
  gst_structure_free (stats);
  if (report->settings->len == 0) {
    add_settings (report, "element", session->fuse);
    gst_element_foreach_sink_pad (session->fuse, add_pad_settings, report);
  }
  g_ptr_array_sort_with_data (report->streams, compare_streams, session->pads);
}

Report *
report_session_finish (ReportSession *session, const gchar *title, const ReportRobotChoice *choice, GError **error)
{
  Report *report = wait_for_end (session, error) ? read_recording (session, choice, error) : NULL;

  if (!report)
    return NULL;
  g_free (report->title);
  report->title = g_strdup (title);
  report->epoch_ns = REPORT_NO_TIME;
  complete (session, report);
  return report;
}
