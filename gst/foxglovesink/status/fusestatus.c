/* robocache: the state of a robocachefuse, as viewers see it
 *
 * Totals are those of its property stats, under their names. What is of the last second is in `recent`.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "fusestatus.h"

#include "findings.h"
#include "recentstats.h"
#include "recentticks.h"
#include "robocache/robocache.h"
#include "streamkind.h"
#include "structurejson.h"

#define REMOVED_PADS "removed-pads"

struct _RobocacheFuseStatus
{
  GstElement *fuse;
  RobocacheRecentTicks *ticks;
  RobocacheRecentStats stats;
  RobocacheFindings *findings;
};

RobocacheFuseStatus *
robocache_fuse_status_new (GstElement *fuse)
{
  RobocacheFuseStatus *self = g_new0 (RobocacheFuseStatus, 1);

  self->fuse = gst_object_ref (fuse);
  self->ticks = robocache_recent_ticks_new (fuse);
  self->findings = robocache_findings_new ();
  return self;
}

void
robocache_fuse_status_free (RobocacheFuseStatus *self)
{
  robocache_recent_ticks_free (self->ticks);
  robocache_recent_stats_clear (&self->stats);
  robocache_findings_free (self->findings);
  gst_object_unref (self->fuse);
  g_free (self);
}

/* ---- the last second ---- */

typedef struct
{
  const gchar *name, *counter;
} Counter;

static void
append_counts (const RobocacheFuseStatus *self, const gchar *part, const Counter *counters, guint n, GString *json)
{
  g_string_append_printf (json, "\"seconds\":%.6f", robocache_recent_stats_span (&self->stats));
  for (guint i = 0; i < n; i++)
    g_string_append_printf (json, ",\"%s\":%" G_GUINT64_FORMAT, counters[i].name, robocache_recent_stats_count (&self->stats, part,
            counters[i].counter));
}

static void
append_rate (const RobocacheFuseStatus *self, const gchar *part, const gchar *counter, GString *json)
{
  const gdouble span = robocache_recent_stats_span (&self->stats);

  g_string_append_printf (json, ",\"rate\":%.3f", span > 0 ? (gdouble) robocache_recent_stats_count (&self->stats, part, counter) / span : 0.0);
}

static void
append_ms (GString *json, const gchar *name, const gchar *quantity, gboolean has_value, gint64 ns)
{
  g_string_append_printf (json, ",\"%s%s_ms\":", name, quantity);
  if (has_value)
    g_string_append_printf (json, "%.6f", (gdouble) ns / 1e6);
  else
    g_string_append (json, "null");
}

static void
append_durations (GString *json, const gchar *name, const RobocacheTickDurations *durations)
{
  append_ms (json, name, "", durations->n > 0 && durations->newest != ROBOCACHE_SAMPLE_NO_TIME, durations->newest);
  append_ms (json, name, "_p50", durations->n > 0, durations->p50);
  append_ms (json, name, "_p99", durations->n > 0, durations->p99);
  append_ms (json, name, "_max", durations->n > 0, durations->max);
}

/* ---- the element ---- */

static void
append_settings (GObject *object, const gchar *const *names, GString *json)
{
  GstStructure *settings = gst_structure_new_empty ("settings");

  for (; *names; names++) {
    GValue value = G_VALUE_INIT;

    g_object_get_property (object, *names, &value);
    gst_structure_take_value (settings, *names, &value);
  }
  robocache_json_append_name (json, "settings");
  g_string_append_c (json, '{');
  robocache_json_append_fields (json, settings, TRUE);
  g_string_append_c (json, '}');
  gst_structure_free (settings);
}

void
robocache_fuse_status_append (const RobocacheFuseStatus *self, GString *json)
{
  static const Counter counters[] = { {"ticks_out", "ticks-out"}, {"ticks_dropped", "ticks-dropped"} };
  static const gchar *const settings[] = { "latency", "reference-pad", NULL };
  GstStructure *name = gst_structure_new ("fuse", "name", G_TYPE_STRING, GST_OBJECT_NAME (self->fuse), NULL);
  RobocacheTickDurations lag;

  robocache_json_open (json, '{');
  robocache_json_append_fields (json, name, TRUE);
  robocache_json_append_fields (json, robocache_recent_stats_newest (&self->stats), FALSE);
  append_settings (G_OBJECT (self->fuse), settings, json);
  g_string_append (json, ",\"recent\":{");
  append_counts (self, NULL, counters, G_N_ELEMENTS (counters), json);
  append_rate (self, NULL, "ticks-out", json);
  robocache_recent_ticks_get_lag (self->ticks, &lag);
  append_durations (json, "lag", &lag);
  g_string_append (json, "}}");
  gst_structure_free (name);
}

/* ---- its streams ---- */

static gboolean
uses_nearest (GstPad *pad)
{
  GValue value = G_VALUE_INIT;
  gboolean is_nearest;
  gchar *choice;

  g_object_get_property (G_OBJECT (pad), "interpolation", &value);
  choice = gst_value_serialize (&value);
  is_nearest = g_str_equal (choice, "nearest");
  g_value_unset (&value);
  g_free (choice);
  return is_nearest;
}

static void
append_age (const RobocacheFuseStatus *self, GstPad *pad, GString *json)
{
  static const gchar *const words[] = { "aligned", "held", "missing" };
  RobocacheTickDurations age;

  robocache_recent_ticks_get_age (self->ticks, GST_OBJECT_NAME (pad), uses_nearest (pad), &age);
  append_durations (json, "age", &age);
  if (age.status >= 0 && age.status < (gint) G_N_ELEMENTS (words))
    g_string_append_printf (json, ",\"status\":\"%s\"", words[age.status]);
  else
    g_string_append (json, ",\"status\":null");
}

static void
append_stream (const RobocacheFuseStatus *self, GstPad *pad, const GstStructure *stats, gpointer user_data)
{
  static const Counter counters[] = { {"rows_in", "rows-in"}, {"aligned", "ticks-aligned"}, {"held", "ticks-held"},
  {"missing", "ticks-missing"}, {"late", "rows-late"}, {"dropped", "rows-dropped"}
  };
  static const gchar *const settings[] = { "interpolation", "offset", "max-gap", "required", "clock-mode", NULL };
  GstStructure *description = robocache_stream_kind_describe (pad);
  GString *json = user_data;

  gst_structure_set (description, "fuse", G_TYPE_STRING, GST_OBJECT_NAME (self->fuse), NULL);
  robocache_json_open (json, '{');
  robocache_json_append_fields (json, description, TRUE);
  robocache_json_append_fields (json, stats, TRUE);
  append_settings (G_OBJECT (pad), settings, json);
  g_string_append (json, ",\"recent\":{");
  append_counts (self, GST_OBJECT_NAME (pad), counters, G_N_ELEMENTS (counters), json);
  append_rate (self, GST_OBJECT_NAME (pad), "rows-in", json);
  append_age (self, pad, json);
  g_string_append (json, "}}");
  gst_structure_free (description);
}

/* Calls a function for each stream with a pad. */
static void
foreach_stream (const RobocacheFuseStatus *self, void (*function) (const RobocacheFuseStatus *, GstPad *, const GstStructure *, gpointer),
    gpointer user_data)
{
  const GstStructure *all = robocache_recent_stats_newest (&self->stats);

  for (gint i = 0; i < gst_structure_n_fields (all); i++) {
    const gchar *name = gst_structure_nth_field_name (all, (guint) i);
    const GValue *value = gst_structure_get_value (all, name);
    GstPad *pad = G_VALUE_HOLDS (value, GST_TYPE_STRUCTURE) && !g_str_equal (name, REMOVED_PADS) ? gst_element_get_static_pad (self->fuse, name) : NULL;

    if (pad)
      function (self, pad, gst_value_get_structure (value), user_data);
    gst_clear_object (&pad);
  }
}

void
robocache_fuse_status_append_streams (const RobocacheFuseStatus *self, GString *json)
{
  foreach_stream (self, append_stream, json);
}

/* ---- what is wrong ---- */

static void
look_at_stream (const RobocacheFuseStatus *self, GstPad *pad, const GstStructure *stats, gpointer now_us)
{
  GstStructure *description = robocache_stream_kind_describe (pad);
  RobocacheStreamState state = {.fuse = GST_OBJECT_NAME (self->fuse),.name = GST_OBJECT_NAME (pad),.stats = &self->stats };
  RobocacheTickDurations lag, age;

  robocache_recent_ticks_get_lag (self->ticks, &lag);
  robocache_recent_ticks_get_age (self->ticks, GST_OBJECT_NAME (pad), uses_nearest (pad), &age);
  g_object_get (self->fuse, "latency", &state.latency_ns, NULL);
  gst_structure_get_double (description, "nominal-rate", &state.nominal_rate);
  state.lag_ns = lag.n > 0 ? lag.p50 : 0;
  state.age_ns = age.n > 0 ? age.p50 : 0;
  robocache_findings_look (self->findings, &state, *(gint64 *) now_us);
  gst_structure_free (description);
}

void
robocache_fuse_status_read (RobocacheFuseStatus *self, gint64 now_us)
{
  GstStructure *stats;

  g_object_get (self->fuse, "stats", &stats, NULL);
  robocache_recent_stats_add (&self->stats, stats, now_us);
  foreach_stream (self, look_at_stream, &now_us);
}

void
robocache_fuse_status_append_findings (const RobocacheFuseStatus *self, GString *json)
{
  robocache_findings_append (self->findings, json);
}
