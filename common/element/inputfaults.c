/* robocache: faulty buffers and caps of a live source: they cost its own rows alone, are counted, and warned of once
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "inputfaults.h"

#include "errordomain.h"
#include "logs.h"

/* ---- a sink pad ---- */

gboolean
robocache_pad_faults_drop (gboolean is_live, const GError *error)
{
  return is_live && g_error_matches (error, ROBOCACHE_ERROR, ROBOCACHE_ERROR_DATA);
}

static gchar *
note (gboolean *has_warned, GstPad *pad, const GError *error, const gchar *consequence, const gchar *statistic)
{
  const gboolean is_first = !*has_warned;

  GST_CAT_LEVEL_LOG (robocache_category_of (pad), is_first ? GST_LEVEL_INFO : GST_LEVEL_LOG, pad, "%s: %s", error->message, consequence);
  *has_warned = TRUE;
  if (!is_first)
    return NULL;
  return g_strdup_printf ("%s: %s: %s%s%s%s", GST_OBJECT_NAME (pad), error->message, consequence, statistic ? " (stats: " : "",
      statistic ? statistic : "", statistic ? ")" : "");
}

gchar *
robocache_pad_faults_note_buffer (RobocachePadFaults *faults, GstPad *pad, const GError *error, const gchar *statistic)
{
  return note (&faults->has_warned_of_buffer, pad, error, "the buffer is dropped, and so are later ones with such a fault",
      statistic);
}

gchar *
robocache_pad_faults_note_caps (RobocachePadFaults *faults, GstPad *pad, const GError *error, const gchar *statistic)
{
  faults->has_bad_caps = TRUE;
  return note (&faults->has_warned_of_caps, pad, error, "its buffers are dropped until usable caps arrive", statistic);
}

void
robocache_pad_faults_warn (GstElement *element, gchar *warning)
{
  if (warning)
    GST_ELEMENT_WARNING (element, STREAM, FORMAT, ("%s", warning), (NULL));
  g_free (warning);
}

/* ---- an element with one sink pad ---- */

void
robocache_input_faults_init (RobocacheInputFaults *faults, GstPad *sink, const gchar *statistic)
{
  *faults = (RobocacheInputFaults) {.sink = sink,.statistic = statistic };
}

void
robocache_input_faults_start (RobocacheInputFaults *faults)
{
  robocache_input_faults_init (faults, faults->sink, faults->statistic);
}

static gboolean
is_live (GstPad *sink)
{
  GstQuery *query = gst_query_new_latency ();
  gboolean live = FALSE;

  if (gst_pad_peer_query (sink, query))
    gst_query_parse_latency (query, &live, NULL, NULL);
  gst_query_unref (query);
  return live;
}

static GstElement *
element_of (const RobocacheInputFaults *faults)
{
  return GST_ELEMENT (GST_OBJECT_PARENT (faults->sink));
}

static void
count (RobocacheInputFaults *faults)
{
  GST_OBJECT_LOCK (element_of (faults));
  faults->n_dropped++;
  GST_OBJECT_UNLOCK (element_of (faults));
}

gboolean
robocache_input_faults_drop (RobocacheInputFaults *faults, const GError *error)
{
  return robocache_pad_faults_drop (TRUE, error) && robocache_input_faults_drop_oversized (faults, error);
}

gboolean
robocache_input_faults_drop_oversized (RobocacheInputFaults *faults, const GError *error)
{
  if (!is_live (faults->sink))
    return FALSE;
  count (faults);
  robocache_pad_faults_warn (element_of (faults), robocache_pad_faults_note_buffer (&faults->pad, faults->sink, error, faults->statistic));
  return TRUE;
}

void
robocache_input_faults_begin_caps (RobocacheInputFaults *faults)
{
  faults->is_in_caps = TRUE;
  faults->pad.has_bad_caps = FALSE;
}

gboolean
robocache_input_faults_end_caps (RobocacheInputFaults *faults, gboolean is_handled)
{
  faults->is_in_caps = FALSE;
  faults->has_had_caps |= is_handled;
  return is_handled || faults->pad.has_bad_caps;
}

gboolean
robocache_input_faults_await_caps (RobocacheInputFaults *faults, const GError *error)
{
  if (!faults->is_in_caps || !faults->has_had_caps || !g_error_matches (error, ROBOCACHE_ERROR, ROBOCACHE_ERROR_CAPS) || !is_live (faults->sink))
    return FALSE;
  robocache_pad_faults_warn (element_of (faults), robocache_pad_faults_note_caps (&faults->pad, faults->sink, error, faults->statistic));
  return TRUE;
}

gboolean
robocache_input_faults_skip (RobocacheInputFaults *faults)
{
  if (faults->pad.has_bad_caps)
    count (faults);
  return faults->pad.has_bad_caps;
}

void
robocache_input_faults_to_structure (const RobocacheInputFaults *faults, GstStructure *structure)
{
  gst_structure_set (structure, faults->statistic, G_TYPE_UINT64, faults->n_dropped, NULL);
}
