/* robocache: the state of a robocachefuse, as viewers see it
 *
 * Totals are those of its property stats, under their names. What is of the last second is in `recent`.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "fusestatus.h"

#include "findings.h"
#include "recentarrivals.h"
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
  GHashTable *arrivals;         /* RobocacheRecentArrivals by pad */
};

static void
free_arrivals (gpointer arrivals)
{
  robocache_recent_arrivals_free (arrivals);
}

RobocacheFuseStatus *
robocache_fuse_status_new (GstElement *fuse)
{
  RobocacheFuseStatus *self = g_new0 (RobocacheFuseStatus, 1);

  self->fuse = gst_object_ref (fuse);
  self->ticks = robocache_recent_ticks_new (fuse);
  self->findings = robocache_findings_new ();
  self->arrivals = g_hash_table_new_full (NULL, NULL, NULL, free_arrivals);
  return self;
}

void
robocache_fuse_status_free (RobocacheFuseStatus *self)
{
  robocache_recent_ticks_free (self->ticks);
  robocache_recent_stats_clear (&self->stats);
  robocache_findings_free (self->findings);
  g_hash_table_unref (self->arrivals);
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

static gdouble
rate_of (const RobocacheFuseStatus *self, const gchar *part, const gchar *counter)
{
  const gdouble span = robocache_recent_stats_span (&self->stats);

  return span > 0 ? (gdouble) robocache_recent_stats_count (&self->stats, part, counter) / span : 0;
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

static RobocacheTickDurations
lag_of (const RobocacheFuseStatus *self)
{
  RobocacheTickDurations lag;

  robocache_recent_ticks_get_lag (self->ticks, &lag);
  return lag;
}

static gboolean
has_choice (GstPad *pad, const gchar *property, const gchar *choice)
{
  GValue value = G_VALUE_INIT;
  gboolean is_chosen;
  gchar *text;

  g_object_get_property (G_OBJECT (pad), property, &value);
  text = gst_value_serialize (&value);
  is_chosen = g_str_equal (text, choice);
  g_value_unset (&value);
  g_free (text);
  return is_chosen;
}

static RobocacheTickDurations
age_of (const RobocacheFuseStatus *self, GstPad *pad)
{
  RobocacheTickDurations age;

  robocache_recent_ticks_get_age (self->ticks, GST_OBJECT_NAME (pad), has_choice (pad, "interpolation", "nearest"), &age);
  return age;
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
  const RobocacheTickDurations lag = lag_of (self);

  robocache_json_open (json, '{');
  robocache_json_append_fields (json, name, TRUE);
  robocache_json_append_fields (json, robocache_recent_stats_newest (&self->stats), FALSE);
  append_settings (G_OBJECT (self->fuse), settings, json);
  g_string_append (json, ",\"recent\":{");
  append_counts (self, NULL, counters, G_N_ELEMENTS (counters), json);
  g_string_append_printf (json, ",\"rate\":%.3f", rate_of (self, NULL, "ticks-out"));
  append_durations (json, "lag", &lag);
  g_string_append (json, "}}");
  gst_structure_free (name);
}

/* ---- its streams ---- */

static void
append_age (const RobocacheFuseStatus *self, GstPad *pad, GString *json)
{
  static const gchar *const words[] = { "aligned", "held", "missing" };
  const RobocacheTickDurations age = age_of (self, pad);

  append_durations (json, "age", &age);
  if (age.status >= 0 && age.status < (gint) G_N_ELEMENTS (words))
    g_string_append_printf (json, ",\"status\":\"%s\"", words[age.status]);
  else
    g_string_append (json, ",\"status\":null");
}

static void
append_stream (const RobocacheFuseStatus *self, GstPad *pad, const GstStructure *stats, gpointer data)
{
  static const Counter counters[] = { {"rows_in", "rows-in"}, {"aligned", "ticks-aligned"}, {"held", "ticks-held"},
  {"missing", "ticks-missing"}, {"late", "rows-late"}, {"dropped", "rows-dropped"}
  };
  static const gchar *const settings[] = { "interpolation", "offset", "max-gap", "required", "clock-mode", NULL };
  GstStructure *description = robocache_stream_kind_describe (pad);
  GString *json = data;

  gst_structure_set (description, "fuse", G_TYPE_STRING, GST_OBJECT_NAME (self->fuse), NULL);
  robocache_json_open (json, '{');
  robocache_json_append_fields (json, description, TRUE);
  robocache_json_append_fields (json, stats, TRUE);
  append_settings (G_OBJECT (pad), settings, json);
  g_string_append (json, ",\"recent\":{");
  append_counts (self, GST_OBJECT_NAME (pad), counters, G_N_ELEMENTS (counters), json);
  g_string_append_printf (json, ",\"rate\":%.3f", rate_of (self, GST_OBJECT_NAME (pad), "rows-in"));
  append_age (self, pad, json);
  g_string_append (json, "}}");
  gst_structure_free (description);
}

/* The streams whose pads the element has now. */
typedef void (*Visit) (const RobocacheFuseStatus * self, GstPad * pad, const GstStructure * stats, gpointer data);

static void
visit_streams (const RobocacheFuseStatus *self, Visit visit, gpointer data)
{
  const GstStructure *all = robocache_recent_stats_newest (&self->stats);

  for (gint i = 0; i < gst_structure_n_fields (all); i++) {
    const gchar *name = gst_structure_nth_field_name (all, (guint) i);
    const GValue *value = gst_structure_get_value (all, name);
    GstPad *pad = G_VALUE_HOLDS (value, GST_TYPE_STRUCTURE) && !g_str_equal (name, REMOVED_PADS) ? gst_element_get_static_pad (self->fuse, name) : NULL;

    if (pad)
      visit (self, pad, gst_value_get_structure (value), data);
    gst_clear_object (&pad);
  }
}

void
robocache_fuse_status_append_streams (const RobocacheFuseStatus *self, GString *json)
{
  visit_streams (self, append_stream, json);
}

/* ---- what is wrong ---- */

static gboolean
is_released (gpointer pad, gpointer arrivals, gpointer fuse)
{
  return !gst_object_has_as_parent (GST_OBJECT (pad), fuse);
}

static gboolean
has_time_tensor (GstPad *pad)
{
  GstCaps *caps = gst_pad_get_current_caps (pad);
  gint n = 0;

  if (caps)
    gst_structure_get_int (gst_caps_get_structure (caps, 0), "num_tensors", &n);
  gst_clear_caps (&caps);
  return n > 1;
}

/* From the time of a row to its arrival, with the offset of the pad. n is 0: rows have other times than their PTS. */
static RobocacheTickDurations
delay_of (const RobocacheFuseStatus *self, GstPad *pad, gint64 offset)
{
  RobocacheRecentArrivals *arrivals = g_hash_table_lookup (self->arrivals, pad);
  RobocacheTickDurations delay = { 0 };

  if (!arrivals) {
    arrivals = robocache_recent_arrivals_new (pad);
    g_hash_table_insert (self->arrivals, pad, arrivals);
  }
  if (has_choice (pad, "clock-mode", "none") && (has_choice (pad, "timestamp-source", "pts")
          || (has_choice (pad, "timestamp-source", "auto") && !has_time_tensor (pad))))
    robocache_recent_arrivals_get (arrivals, &delay);
  delay.p50 -= offset;
  delay.p99 -= offset;
  return delay;
}

static void
look_at_stream (const RobocacheFuseStatus *self, GstPad *pad, const GstStructure *stats, gpointer now_us)
{
  GstStructure *description = robocache_stream_kind_describe (pad);
  const RobocacheTickDurations lag = lag_of (self), age = age_of (self, pad);
  RobocacheStreamState state = {.fuse = GST_OBJECT_NAME (self->fuse),.name = GST_OBJECT_NAME (pad),.stats = &self->stats };

  g_object_get (self->fuse, "latency", &state.latency_ns, NULL);
  g_object_get (pad, "offset", &state.offset_ns, NULL);
  gst_structure_get_double (description, "nominal-rate", &state.nominal_rate);
  state.lag_ns = lag.n > 0 ? lag.p50 : 0;
  state.age_ns = age.n > 0 ? age.p50 : 0;
  state.delay = delay_of (self, pad, state.offset_ns);
  robocache_findings_look (self->findings, &state, *(gint64 *) now_us);
  gst_structure_free (description);
}

void
robocache_fuse_status_read (RobocacheFuseStatus *self, gint64 now_us)
{
  GstStructure *stats;

  g_object_get (self->fuse, "stats", &stats, NULL);
  robocache_recent_stats_add (&self->stats, stats, now_us);
  g_hash_table_foreach_remove (self->arrivals, is_released, self->fuse);
  visit_streams (self, look_at_stream, &now_us);
}

void
robocache_fuse_status_append_findings (const RobocacheFuseStatus *self, gboolean is_alone, GString *json)
{
  robocache_findings_append (self->findings, GST_OBJECT_NAME (self->fuse), is_alone, json);
}

/* ---- diagnostics ---- */

enum
{ LEVEL_OK, LEVEL_WARN, LEVEL_ERROR, LEVEL_STALE };

typedef struct
{
  const gchar *key;
  gdouble value;
} Value;

typedef struct
{
  RobocacheCdrWriter *writer;
  guint n;                      /* items */
} Diagnostics;

/* A diagnostic_msgs/DiagnosticStatus. stream NULL: of the element. Takes message. */
static void
write_item (const RobocacheFuseStatus *self, RobocacheCdrWriter *writer, guint8 level, const gchar *stream, gchar *message, const Value *values,
    guint n)
{
  gchar *name = g_strconcat ("robocache: ", GST_OBJECT_NAME (self->fuse), stream ? ": " : NULL, stream, NULL);

  robocache_cdr_write_uint8 (writer, level);
  robocache_cdr_write_string (writer, name);
  robocache_cdr_write_string (writer, message);
  robocache_cdr_write_string (writer, "");
  robocache_cdr_write_uint32 (writer, n);
  for (guint i = 0; i < n; i++) {
    gchar text[G_ASCII_DTOSTR_BUF_SIZE];

    robocache_cdr_write_string (writer, values[i].key);
    robocache_cdr_write_string (writer, g_ascii_formatd (text, sizeof text, "%.6g", values[i].value));
  }
  g_free (name);
  g_free (message);
}

static void
write_stream (const RobocacheFuseStatus *self, GstPad *pad, const GstStructure *stats, gpointer data)
{
  Diagnostics *diagnostics = data;
  const gchar *name = GST_OBJECT_NAME (pad);
  const guint64 aligned = robocache_recent_stats_count (&self->stats, name, "ticks-aligned");
  const guint64 held = robocache_recent_stats_count (&self->stats, name, "ticks-held");
  const guint64 missing = robocache_recent_stats_count (&self->stats, name, "ticks-missing"), all = aligned + held + missing;
  const guint64 late = robocache_recent_stats_count (&self->stats, name, "rows-late");
  const guint64 dropped = robocache_recent_stats_count (&self->stats, name, "rows-dropped");
  const guint8 level = all == 0 ? LEVEL_STALE : missing > 0 ? LEVEL_ERROR : held + late + dropped > 0 ? LEVEL_WARN : LEVEL_OK;
  const RobocacheTickDurations age = age_of (self, pad);
  const Value values[] = { {"rows per second", rate_of (self, name, "rows-in")}, {"age p50 (ms)", (gdouble) age.p50 / 1e6},
  {"age p99 (ms)", (gdouble) age.p99 / 1e6}, {"rows late", (gdouble) late}, {"rows dropped", (gdouble) dropped}
  };

  diagnostics->n++;
  write_item (self, diagnostics->writer, level, name, g_strdup_printf ("of %" G_GUINT64_FORMAT " ticks, %" G_GUINT64_FORMAT " are aligned, %" G_GUINT64_FORMAT
          " held, %" G_GUINT64_FORMAT " missing", all, aligned, held, missing), values, G_N_ELEMENTS (values));
}

static void
write_element (const RobocacheFuseStatus *self, RobocacheCdrWriter *writer)
{
  const guint64 n_out = robocache_recent_stats_count (&self->stats, NULL, "ticks-out");
  const guint64 n_dropped = robocache_recent_stats_count (&self->stats, NULL, "ticks-dropped");
  const guint8 level = n_dropped > 0 ? LEVEL_WARN : n_out == 0 ? LEVEL_STALE : LEVEL_OK;
  const RobocacheTickDurations lag = lag_of (self);
  const Value values[] = { {"samples per second", rate_of (self, NULL, "ticks-out")}, {"lag p50 (ms)", (gdouble) lag.p50 / 1e6},
  {"lag p99 (ms)", (gdouble) lag.p99 / 1e6}
  };

  write_item (self, writer, level, NULL, g_strdup_printf ("%" G_GUINT64_FORMAT " samples, %" G_GUINT64_FORMAT " ticks dropped", n_out, n_dropped),
      values, G_N_ELEMENTS (values));
}

guint
robocache_fuse_status_write (const RobocacheFuseStatus *self, RobocacheCdrWriter *writer)
{
  Diagnostics diagnostics = { writer, 1 };

  write_element (self, writer);
  visit_streams (self, write_stream, &diagnostics);
  return diagnostics.n;
}
