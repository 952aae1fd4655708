/* robocache: statistics of a core by itself, by the names that the element gives them
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include <string.h>

#include "gst/fuse/core/status.h"
#include "rig.h"

typedef struct
{
  const gchar *name;
  gsize offset;                 /* of a guint64 */
} Count;

#define COUNT(field) G_STRUCT_OFFSET (FuseStatistics, field)
static const Count counts[] = {
  {"rows-in", COUNT (rows.in)}, {"rows-used", COUNT (rows.used)}, {"rows-late", COUNT (rows.late)},
  {"rows-late-overtaken", COUNT (rows.overtaken)}, {"rows-duplicate", COUNT (rows.duplicate)},
  {"rows-superseded", COUNT (rows.superseded)}, {"rows-kept", COUNT (n_kept)}, {"ticks-aligned", COUNT (ticks_aligned)},
  {"ticks-held", COUNT (ticks_held)}, {"ticks-missing", COUNT (ticks_missing)}, {"clock-jumps", COUNT (clock_jumps)},
  {"quaternions-not-unit", COUNT (quaternions.not_unit.n)}, {"quaternions-zero", COUNT (quaternions.zero.n)},
  {"quaternions-scattered", COUNT (quaternions.n_scattered)},
};

/* NAME-max, NAME-p50, NAME-p99 */
static gboolean
get_quantile (const RobocacheHistogram *histogram, const gchar *name, const gchar *of, gint64 *number)
{
  const gchar *suffix = g_str_has_prefix (of, name) ? of + strlen (name) : "";

  if (g_str_equal (suffix, "-max"))
    *number = histogram->max_ns;
  else if (g_str_equal (suffix, "-p50") || g_str_equal (suffix, "-p99"))
    *number = robocache_histogram_quantile (histogram, suffix[2] == '5' ? 0.5 : 0.99);
  else
    return FALSE;
  return TRUE;
}

static gboolean
get_count (const FuseStatistics *statistics, const gchar *name, gint64 *number)
{
  for (guint i = 0; i < G_N_ELEMENTS (counts); i++) {
    if (g_str_equal (counts[i].name, name)) {
      *number = (gint64) G_STRUCT_MEMBER (guint64, statistics, counts[i].offset);
      return TRUE;
    }
  }
  for (guint i = 0; i < ROBOCACHE_N_DROP_REASONS; i++) {
    if (g_str_equal (robocache_drop_reason_field (i), name)) {
      *number = (gint64) statistics->rows.dropped[i];
      return TRUE;
    }
  }
  *number = (gint64) robocache_row_counts_dropped (&statistics->rows);
  return g_str_equal (name, "rows-dropped") || get_quantile (&statistics->age, "age", name, number);
}

gboolean
feed_get_number (const Feed *feed, const gchar *name, gint64 *number)
{
  const FuseStream *stream = feed->stream;
  FuseStatistics *statistics = g_new0 (FuseStatistics, 1);
  gboolean ok = TRUE;

  fuse_stream_add_statistics (stream, statistics);
  if (g_str_equal (name, "clock-shift"))
    *number = stream->jump.shift;
  else if (g_str_equal (name, "origin-shift"))
    *number = stream->origin_shift;
  else if (g_str_equal (name, "reference-origin"))
    *number = stream->times.origin ? stream->times.origin->origin : NONE;
  else if (g_str_equal (name, "thinned-spacing"))
    *number = fuse_core_thinned_spacing (feed->rig->core, stream);
  else if (g_str_equal (name, "max-gap"))
    *number = fuse_stream_max_gap (stream);
  else if (g_str_equal (name, "clock-pairs"))
    *number = (gint64) fuse_timestamps_estimate (&stream->times).pairs;
  else if (g_str_equal (name, "clock-jumps") && fuse_timestamps_are_tracked (&stream->times))
    *number = (gint64) fuse_timestamps_estimate (&stream->times).jumps;
  else
    ok = get_count (statistics, name, number) || get_quantile (&statistics->lateness, "lateness", name, number);
  g_free (statistics);
  return ok;
}

gboolean
rig_get_removed_number (const Rig *rig, const gchar *name, gint64 *number)
{
  FuseStatistics *statistics = g_new0 (FuseStatistics, 1);
  gboolean ok;

  fuse_core_add_removed_statistics (rig->core, statistics);
  ok = get_count (statistics, name, number);
  g_free (statistics);
  return ok;
}

gboolean
rig_get_number (const Rig *rig, const gchar *name, gint64 *number)
{
  const FuseTickStatistics *ticks = fuse_core_tick_statistics (rig->core);
  FuseStatistics *sum = g_new0 (FuseStatistics, 1);
  gboolean ok = TRUE;

  fuse_core_add_statistics (rig->core, sum);
  if (g_str_equal (name, "ticks-out"))
    *number = (gint64) ticks->n_out;
  else if (g_str_equal (name, "ticks-dropped"))
    *number = (gint64) ticks->n_dropped;
  else if (g_str_equal (name, "tick-lateness"))
    *number = rig->lateness;
  else
    ok = get_quantile (&ticks->lag, "lag", name, number) || get_quantile (&ticks->lateness, "lateness", name, number)
        || get_quantile (&sum->lateness, "row-lateness", name, number) || get_count (sum, name, number);
  g_free (sum);
  return ok;
}

/* ---- the balance ---- */

static guint64
n_accounted (const FuseStatistics *statistics)
{
  const RobocacheRowCounts *rows = &statistics->rows;

  return rows->used + rows->late + rows->duplicate + rows->superseded + robocache_row_counts_dropped (rows) + statistics->n_kept;
}

static void
check_account (const Rig *rig, const gchar *of, const FuseStatistics *statistics)
{
  play_expect (rig->play, statistics->rows.in == n_accounted (statistics), "%s: of %" G_GUINT64_FORMAT " rows %" G_GUINT64_FORMAT
      " are accounted for", of, statistics->rows.in, n_accounted (statistics));
}

/* Of every stream, of those that are gone, and the sum is that of all. */
void
rig_check_balance (const Rig *rig)
{
  FuseStatistics *parts = g_new0 (FuseStatistics, 3), *sum = &parts[0], *one = &parts[1], *all = &parts[2];

  for (guint i = 0; i < rig->feeds->len; i++) {
    const Feed *feed = g_ptr_array_index (rig->feeds, i);

    memset (one, 0, sizeof (*one));
    fuse_stream_add_statistics (feed->stream, one);
    check_account (rig, feed->stream->name, one);
    fuse_statistics_add (sum, one);
  }
  memset (one, 0, sizeof (*one));
  fuse_core_add_removed_statistics (rig->core, one);
  check_account (rig, "removed streams", one);
  fuse_statistics_add (sum, one);
  fuse_core_add_statistics (rig->core, all);
  check_account (rig, "all streams", all);
  play_expect (rig->play, memcmp (&all->rows, &sum->rows, sizeof (sum->rows)) == 0 && all->n_kept == sum->n_kept,
      "the streams do not add up to the total");
  g_free (parts);
}
