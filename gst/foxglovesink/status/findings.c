/* robocache: what is wrong with the streams of a robocachefuse now, in words, with the property that mends it
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "findings.h"

#include "common/page/pagestyle.h"
#include "common/page/pagetext.h"
#include "structurejson.h"

#define MS G_GINT64_CONSTANT (1000000)
/* A finding stays this long after it was true. */
#define STAY_US (5 * G_USEC_PER_SEC)
/* Shares of the ticks or rows of a second below which nothing is said: a busy machine has some. */
#define SHARE 0.2
/* Live, no row can arrive before its time. Some sources round their times. */
#define EARLY_NS (20 * MS)
/* Rows that are later than this have wrong times, rather than a slow transport. */
#define CLOCK_NS (300 * MS)
/* For jitter, where a latency is advised. */
#define MARGIN_NS (5 * MS)
/* A stream without a row for this long has ended, if it has no rate; else for several rows, or twice the time between its buffers. */
#define SILENCE_US (5 * G_USEC_PER_SEC)
#define MIN_SILENCE_US (800 * G_TIME_SPAN_MILLISECOND)
#define SILENT_ROWS 8
/* Rows per second below which rows that wait say nothing about their times. */
#define MIN_RATE 5.0

typedef struct
{
  gchar *stream, *text;
  gint64 last_us;
} Finding;

/* The last row of a stream. */
typedef struct
{
  gint64 rows;
  gint64 since_us;
  gint64 longest_us;            /* of the recent times between changes of rows; 0: none */
} Silence;

struct _RobocacheFindings
{
  GHashTable *by_key;           /* Finding */
  GHashTable *silences;         /* Silence by the name of the stream */
};

/* ---- findings ---- */

static void
finding_free (gpointer data)
{
  Finding *finding = data;

  g_free (finding->stream);
  g_free (finding->text);
  g_free (finding);
}

/* kind: one of a kind stays of a stream. Takes text. */
static void
add (RobocacheFindings *findings, const RobocacheStreamState *state, const gchar *kind, gchar *text, gint64 now_us)
{
  Finding *finding = g_new0 (Finding, 1);

  *finding = (Finding) { g_strdup (state->name), text, now_us };
  g_hash_table_insert (findings->by_key, g_strconcat (state->name, " ", kind, NULL), finding);
}

static gboolean
is_of (gpointer key, gpointer finding, gpointer stream)
{
  return g_str_equal (((Finding *) finding)->stream, stream);
}

static gboolean
is_over (gpointer key, gpointer finding, gpointer now_us)
{
  return ((Finding *) finding)->last_us + STAY_US < *(gint64 *) now_us;
}

/* ---- statistics ---- */

static guint64
recent (const RobocacheStreamState *state, const gchar *counter)
{
  return robocache_recent_stats_count (state->stats, state->name, counter);
}

/* A field of the stream's statistics; 0: it is not there. */
static gint64
value_of (const RobocacheStreamState *state, const gchar *field)
{
  const GValue *value = gst_structure_get_value (robocache_recent_stats_newest (state->stats), state->name);
  const GstStructure *stats = value && G_VALUE_HOLDS (value, GST_TYPE_STRUCTURE) ? gst_value_get_structure (value) : NULL;
  guint64 count = 0;
  gint64 number;

  if (stats && gst_structure_get_int64 (stats, field, &number))
    return number;
  if (stats)
    gst_structure_get_uint64 (stats, field, &count);
  return (gint64) count;
}

static gboolean
is_live (const RobocacheStreamState *state)
{
  gboolean live = FALSE;

  gst_structure_get_boolean (robocache_recent_stats_newest (state->stats), "live", &live);
  return live;
}

static gint64
round_up_to_ms (gint64 ns)
{
  return (ns + MS - 1) / MS * MS;
}

static gint64
round_to_ms (gint64 ns)
{
  return (ns + MS / 2) / MS * MS;
}

/* ---- a stream without rows ---- */

static const Silence *
silence_of (RobocacheFindings *findings, const RobocacheStreamState *state, gint64 now_us)
{
  Silence *silence = g_hash_table_lookup (findings->silences, state->name);
  const gint64 rows = value_of (state, "rows-in");

  if (!silence) {
    silence = g_new0 (Silence, 1);
    *silence = (Silence) { rows, now_us, 0 };
    g_hash_table_insert (findings->silences, g_strdup (state->name), silence);
  }
  /* the first time is only a part of one */
  if (silence->rows != rows)
    *silence = (Silence) { rows, now_us, MAX (now_us - silence->since_us, silence->longest_us > 0 ? silence->longest_us * 3 / 4 : MIN_SILENCE_US) };
  return silence;
}

/* The last rows of a stream that has ended look late, or too far apart: only its silence is said. */
static gboolean
look_for_silence (RobocacheFindings *findings, const RobocacheStreamState *state, gint64 now_us)
{
  const Silence *silence = silence_of (findings, state, now_us);
  const gint64 silent_us = now_us - silence->since_us;
  const gint64 of_rate_us = state->nominal_rate > 0 ? (gint64) (SILENT_ROWS * G_USEC_PER_SEC / state->nominal_rate) : SILENCE_US;
  const gint64 limit_us = MAX (2 * silence->longest_us, MAX (MIN_SILENCE_US, of_rate_us));
  const gchar *missing = recent (state, "ticks-missing") > 0 ? ", and is missing in the samples" : "";
  gchar *text;

  /* a recording is waited for, or over */
  if (silent_us < limit_us || !is_live (state))
    return FALSE;
  g_hash_table_foreach_remove (findings->by_key, is_of, (gpointer) state->name);
  if (value_of (state, "rows-in") == 0) {
    text = g_strdup_printf (ROBOCACHE_WORDS_NO_ROW ": look whether its source is running and linked", state->name);
  } else {
    gchar *span = robocache_duration_text ((gdouble) silent_us * 1e3);

    text = g_strdup_printf ("%s has sent no row for %s%s: look at the sensor, its cable and its driver", state->name, span, missing);
    g_free (span);
  }
  add (findings, state, "silence", text, now_us);
  return TRUE;
}

/* ---- a stream whose rows come too late ---- */

/* The effects of late rows. */
typedef struct
{
  gboolean is_held;             /* of ticks; FALSE: of rows */
  guint64 n, all;
  gint64 delay_ns;              /* estimate, for streams whose arrivals are unknown */
} Symptom;

static gchar *
symptom_text (const Symptom *symptom, const gchar *name)
{
  gchar *share = robocache_percent_text (symptom->n, symptom->all), *text;

  if (symptom->is_held)
    text = g_strdup_printf (ROBOCACHE_WORDS_HELD, name, share);
  else
    text = g_strdup_printf ("%s sends %s of its rows after their ticks have left", name, share);
  g_free (share);
  return text;
}

static gchar *
late_text (const RobocacheStreamState *state, const Symptom *symptom)
{
  /* ticks wait for more than the latency */
  const gboolean is_known = state->delay.n > 0 && state->delay.p99 > MAX (state->latency_ns, state->lag_ns);
  const gint64 delay_ns = is_known ? state->delay.p50 : symptom->delay_ns, offset_ns = state->offset_ns + round_to_ms (delay_ns);
  const gint64 latency_ns = round_up_to_ms ((is_known ? state->delay.p99 : symptom->delay_ns) + MARGIN_NS);
  const gboolean is_clock = delay_ns >= CLOCK_NS;
  gchar *what = symptom_text (symptom, is_known || is_clock ? "it" : state->name), *text;
  gchar *delay = robocache_duration_text ((gdouble) round_to_ms (delay_ns));

  if (is_clock)
    text = g_strdup_printf ("The clock of %s is %s behind, or its rows are slow: %s. Set %s::clock-mode=track, or %s::offset=%" G_GINT64_FORMAT
        " (ns, now %" G_GINT64_FORMAT ")", state->name, delay, what, state->name, state->name, offset_ns, state->offset_ns);
  else if (is_known)
    text = g_strdup_printf ("%s is %s late: %s. Set latency=%" G_GINT64_FORMAT " of %s (ns, now %" G_GINT64_FORMAT "), or, if its timestamps are too "
        "early, %s::offset=%" G_GINT64_FORMAT " (ns, now %" G_GINT64_FORMAT ")", state->name, delay, what, latency_ns, state->fuse, state->latency_ns,
        state->name, offset_ns, state->offset_ns);
  else
    text = g_strdup_printf ("%s. Set latency=%" G_GINT64_FORMAT " of %s (ns, now %" G_GINT64_FORMAT ")", what, latency_ns, state->fuse, state->latency_ns);
  g_free (delay);
  g_free (what);
  return text;
}

static void
look_for_late_rows (RobocacheFindings *findings, const RobocacheStreamState *state, gint64 now_us)
{
  const guint64 rows = recent (state, "rows-in"), late = recent (state, "rows-late"), held = recent (state, "ticks-held");
  const guint64 ticks = held + recent (state, "ticks-aligned") + recent (state, "ticks-missing");
  /* a late row needed its lateness more than the latency */
  const Symptom of_rows = { FALSE, MIN (late, rows), rows, value_of (state, "lateness-p50") + state->lag_ns };
  /* at a tick whose last row is held, the rows that are on the way are as old as the lag and the age of that row */
  const Symptom of_ticks = { TRUE, held, ticks, state->lag_ns + state->age_ns };

  if (state->lag_ns <= 0 || rows == 0)
    return;
  if ((gdouble) late >= SHARE * (gdouble) rows)
    add (findings, state, "late", late_text (state, &of_rows), now_us);
  else if (state->age_ns > 0 && (gdouble) held >= SHARE * (gdouble) ticks)
    add (findings, state, "late", late_text (state, &of_ticks), now_us);
}

/* ---- a stream whose times are ahead ---- */

/* Returns by how much the rows' clock is ahead, or 0 unless that is sure. Rows whose arrivals are unknown wait that long for their ticks. */
static gint64
estimate_ahead (const RobocacheStreamState *state)
{
  const gdouble span = robocache_recent_stats_span (state->stats), rate = span > 0.0 ? (gdouble) recent (state, "rows-in") / span : 0.0;
  const gint64 ahead_ns = rate >= MIN_RATE ? (gint64) ((gdouble) value_of (state, "rows-kept") / rate * 1e9) - state->lag_ns : 0;

  return state->lag_ns > 0 && ahead_ns >= CLOCK_NS ? ahead_ns : 0;
}

static void
look_for_early_rows (RobocacheFindings *findings, const RobocacheStreamState *state, gint64 now_us)
{
  const gint64 ahead_ns = state->delay.n > 0 ? -state->delay.p50 : estimate_ahead (state), offset_ns = state->offset_ns - round_to_ms (ahead_ns);
  gchar *ahead, *text;

  /* rows that are ahead only with the offset were put there */
  if (!is_live (state) || MIN (ahead_ns, ahead_ns - state->offset_ns) < EARLY_NS)
    return;
  ahead = robocache_duration_text ((gdouble) round_to_ms (ahead_ns));
  if (ahead_ns >= CLOCK_NS)
    text = g_strdup_printf ("The clock of %s is %s ahead: its rows arrive before their times. Set %s::clock-mode=track, or %s::offset=%" G_GINT64_FORMAT
        " (ns, now %" G_GINT64_FORMAT ")", state->name, ahead, state->name, state->name, offset_ns, state->offset_ns);
  else
    text = g_strdup_printf ("The timestamps of %s are %s late: its rows arrive before their times. Set %s::offset=%" G_GINT64_FORMAT
        " (ns, now %" G_GINT64_FORMAT ")", state->name, ahead, state->name, offset_ns, state->offset_ns);
  add (findings, state, "early", text, now_us);
  g_free (ahead);
}

/* ---- gaps ---- */

static void
look_for_gaps (RobocacheFindings *findings, const RobocacheStreamState *state, gint64 now_us)
{
  const guint64 missing = recent (state, "ticks-missing"), rows = recent (state, "rows-in"), late = recent (state, "rows-late");
  const guint64 n = missing + recent (state, "ticks-held") + recent (state, "ticks-aligned");
  const gint64 max_gap = value_of (state, "max-gap");
  gchar *share, *gap;

  if (rows == 0 || (gdouble) missing < SHARE * (gdouble) n || (gdouble) late >= SHARE * (gdouble) rows || recent (state, "rows-dropped") > 0)
    return;
  share = robocache_percent_text (missing, n);
  gap = robocache_duration_text ((gdouble) MAX (max_gap, 0));
  add (findings, state, "gaps", g_strdup_printf ("%s is missing in %s of the ticks, though rows come: they are further apart than %s::max-gap, now %s",
          state->name, share, state->name, max_gap < 0 ? "without a limit" : gap), now_us);
  g_free (gap);
  g_free (share);
}

/* ---- rows that are dropped ---- */

static const struct
{
  const gchar *counter, *text;
} causes[] = {
  {"rows-dropped-no-time", "they have no time: set do-timestamp=true at the source"},
  {"rows-dropped-no-reference", "they lack the timestamp that timestamp-source=reference needs: see reference-caps"},
  {"rows-dropped-outside-segment", "their times are outside the segment, or before the start: see offset"},
  {"rows-dropped-clock-jump", "their times are far from the clock: see clock-mode=track"},
  {"rows-dropped-ahead", "their times are further ahead than max-lead: see offset"},
  {"rows-dropped-overflow", "too many wait for their ticks: the machine is too busy, or the latency is too high"},
  {"rows-dropped-malformed", "they differ from their caps: see the warning"},
  {"rows-dropped-nan", "they have NaN, and nan=missing drops them"},
  {"rows-dropped-refused", "they come before caps, or after the end"},
};

static void
look_for_dropped_rows (RobocacheFindings *findings, const RobocacheStreamState *state, gint64 now_us)
{
  for (guint i = 0; i < G_N_ELEMENTS (causes); i++) {
    const guint64 n = recent (state, causes[i].counter);

    if (n > 0)
      add (findings, state, causes[i].counter, g_strdup_printf ("%" G_GUINT64_FORMAT " rows of %s were dropped in a second: %s", n, state->name,
              causes[i].text), now_us);
  }
}

/* ---- functions ---- */

void
robocache_findings_look (RobocacheFindings *findings, const RobocacheStreamState *state, gint64 now_us)
{
  if (!look_for_silence (findings, state, now_us)) {
    look_for_late_rows (findings, state, now_us);
    look_for_early_rows (findings, state, now_us);
    look_for_gaps (findings, state, now_us);
    look_for_dropped_rows (findings, state, now_us);
  }
  g_hash_table_foreach_remove (findings->by_key, is_over, &now_us);
}

static gint
compare_texts (gconstpointer a, gconstpointer b)
{
  return g_strcmp0 (((const Finding *) a)->text, ((const Finding *) b)->text);
}

void
robocache_findings_append (const RobocacheFindings *findings, const gchar *fuse, gboolean is_alone, GString *json)
{
  GList *all = g_list_sort (g_hash_table_get_values (findings->by_key), compare_texts);

  for (GList *item = all; item; item = item->next) {
    const Finding *finding = item->data;
    gchar *text = is_alone ? g_strdup (finding->text) : g_strconcat (fuse, ": ", finding->text, NULL);
    GstStructure *fields = gst_structure_new ("finding", "fuse", G_TYPE_STRING, fuse, "stream", G_TYPE_STRING, finding->stream, "text", G_TYPE_STRING, text,
        NULL);

    robocache_json_open (json, '{');
    robocache_json_append_fields (json, fields, TRUE);
    g_string_append_c (json, '}');
    gst_structure_free (fields);
    g_free (text);
  }
  g_list_free (all);
}

RobocacheFindings *
robocache_findings_new (void)
{
  RobocacheFindings *findings = g_new0 (RobocacheFindings, 1);

  findings->by_key = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, finding_free);
  findings->silences = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, g_free);
  return findings;
}

void
robocache_findings_free (RobocacheFindings *findings)
{
  g_hash_table_unref (findings->by_key);
  g_hash_table_unref (findings->silences);
  g_free (findings);
}
