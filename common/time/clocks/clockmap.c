/* robocache: converts the times of several clocks to one timeline
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "clockmap.h"

#include <math.h>

/* ---- lines ---- */

static gint64
add_saturated (gint64 a, gint64 b)
{
  gint64 sum;

  return __builtin_add_overflow (a, b, &sum) ? (b < 0 ? G_MININT64 : G_MAXINT64) : sum;
}

static const RobocacheClockKnot *
knot_at (const GArray *knots, guint i)
{
  return &g_array_index (knots, RobocacheClockKnot, i);
}

/* A knot's place on the side that is looked up: the clock's time, or the timeline's. */
static gint64
place_of (const RobocacheClockKnot *knot, gboolean on_timeline)
{
  return on_timeline ? add_saturated (knot->time, knot->shift) : knot->time;
}

/* As integers, since a double has no nanoseconds of a date. */
static gdouble
difference (gint64 a, gint64 b)
{
  gint64 ns;

  return __builtin_sub_overflow (a, b, &ns) ? (gdouble) a - (gdouble) b : (gdouble) ns;
}

/* The shift at a place, from the two knots around it, or the nearest two. */
static gint64
shift_at (const GArray *knots, gint64 place, gboolean on_timeline)
{
  guint right = 1;
  const RobocacheClockKnot *a, *b;
  gdouble share;

  if (!knots || knots->len == 0)
    return 0;
  if (knots->len == 1)
    return knot_at (knots, 0)->shift;
  while (right + 1 < knots->len && place_of (knot_at (knots, right), on_timeline) < place)
    right++;
  a = knot_at (knots, right - 1);
  b = knot_at (knots, right);
  share = difference (place, place_of (a, on_timeline)) / difference (place_of (b, on_timeline), place_of (a, on_timeline));
  return add_saturated (a->shift, (gint64) rint (CLAMP (share * ((gdouble) b->shift - (gdouble) a->shift), -0x1p62, 0x1p62)));
}

gint64
robocache_clock_line_at (const GArray *knots, gint64 time)
{
  return add_saturated (time, shift_at (knots, time, FALSE));
}

gint64
robocache_clock_line_back (const GArray *knots, gint64 time)
{
  return add_saturated (time, -shift_at (knots, time, TRUE));
}

/* ---- maps ---- */

typedef struct
{
  guint64 log_begin;            /* first log time at which it is in force */
  GArray *knots;
} Piece;

typedef struct
{
  gboolean has_zero;
  GArray *pieces;               /* of Piece, by log_begin; at least one */
} Entry;

struct _RobocacheClockMap
{
  GHashTable *entries;          /* Entry by topic */
  const Entry *recorder;        /* the one of "", which each message needs */
};

static void
clear_piece (gpointer piece)
{
  g_array_unref (((Piece *) piece)->knots);
}

static void
free_entry (gpointer data)
{
  Entry *entry = data;

  g_array_unref (entry->pieces);
  g_free (entry);
}

static void
read_piece (Entry *entry, guint64 log_begin, GVariantIter *knots)
{
  Piece piece = { log_begin, g_array_new (FALSE, FALSE, sizeof (RobocacheClockKnot)) };
  RobocacheClockKnot knot;

  while (g_variant_iter_next (knots, "(xx)", &knot.time, &knot.shift)) {
    /* a text by hand may have them in another order */
    if (piece.knots->len == 0 || (knot.time > knot_at (piece.knots, piece.knots->len - 1)->time
            && place_of (&knot, TRUE) > place_of (knot_at (piece.knots, piece.knots->len - 1), TRUE)))
      g_array_append_val (piece.knots, knot);
  }
  g_array_append_val (entry->pieces, piece);
}

static Entry *
read_entry (gboolean has_zero, GVariantIter *pieces)
{
  Entry *entry = g_new0 (Entry, 1);
  GVariantIter *knots;
  guint64 log_begin;

  entry->has_zero = has_zero;
  entry->pieces = g_array_new (FALSE, FALSE, sizeof (Piece));
  g_array_set_clear_func (entry->pieces, clear_piece);
  while (g_variant_iter_next (pieces, "(ta(xx))", &log_begin, &knots)) {
    read_piece (entry, log_begin, knots);
    g_variant_iter_free (knots);
  }
  return entry;
}

RobocacheClockMap *
robocache_clock_map_new (GVariant *text)
{
  RobocacheClockMap *map = g_new (RobocacheClockMap, 1);
  GVariantIter iter, *pieces;
  gboolean has_zero;
  gchar *topic;

  map->entries = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, free_entry);
  g_variant_iter_init (&iter, text);
  while (g_variant_iter_next (&iter, "(sba(ta(xx)))", &topic, &has_zero, &pieces)) {
    g_hash_table_insert (map->entries, topic, read_entry (has_zero, pieces));
    g_variant_iter_free (pieces);
  }
  map->recorder = g_hash_table_lookup (map->entries, "");
  return map;
}

void
robocache_clock_map_free (RobocacheClockMap *map)
{
  if (!map)
    return;
  g_hash_table_unref (map->entries);
  g_free (map);
}

/* NULL: times stay as they are. */
static const GArray *
knots_of (const Entry *entry, guint64 log_time)
{
  guint i = entry ? entry->pieces->len : 0;

  while (i > 1 && g_array_index (entry->pieces, Piece, i - 1).log_begin > log_time)
    i--;
  return i > 0 ? g_array_index (entry->pieces, Piece, i - 1).knots : NULL;
}

gint64
robocache_clock_map_stamp (const RobocacheClockMap *map, const gchar *topic, guint64 log_time, gint64 stamp_ns)
{
  return robocache_clock_line_at (knots_of (map ? g_hash_table_lookup (map->entries, topic) : NULL, log_time), stamp_ns);
}

gint64
robocache_clock_map_log (const RobocacheClockMap *map, gint64 log_ns)
{
  return robocache_clock_line_at (knots_of (map ? map->recorder : NULL, 0), log_ns);
}

gint64
robocache_clock_map_to_log (const RobocacheClockMap *map, gint64 time_ns)
{
  return robocache_clock_line_back (knots_of (map ? map->recorder : NULL, 0), time_ns);
}

gboolean
robocache_clock_map_has_zero (const RobocacheClockMap *map, const gchar *topic)
{
  const Entry *entry = map ? g_hash_table_lookup (map->entries, topic) : NULL;

  return entry && entry->has_zero;
}
