/* robocache top: a status as a table for people
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include <math.h>
#include <string.h>

#include "examples/tools/program.h"
#include "top.h"

#define BOLD "\033[1m"
#define SOFT "\033[2m"
#define RED "\033[31m"
#define YELLOW "\033[33m"
#define GREEN "\033[32m"
#define PLAIN "\033[0m"

/* The last minute. */
#define N_BINS 30
#define BIN_US (2 * G_USEC_PER_SEC)
#define STRIP_WIDTH (N_BINS + 2)

enum
{ ALIGNED, HELD, MISSING, N_KINDS };

static const gchar *const counters[N_KINDS] = { "ticks_aligned", "ticks_held", "ticks_missing" };

/* The ticks of a stream. */
typedef struct
{
  gint64 totals[N_KINDS];       /* of the last status; -1: none yet */
  guint64 bins[N_BINS][N_KINDS];        /* by the number of the bin modulo N_BINS */
} Strip;

struct _TopTable
{
  GHashTable *strips;           /* Strip by the name of its stream */
  gint64 bin;                   /* number of the newest; -1: none */
};

/* ---- values ---- */

static RobocacheJsonValue
member_at (RobocacheJsonValue value, const gchar *path)
{
  gchar **keys = g_strsplit (path, ".", -1);

  for (guint i = 0; keys[i]; i++)
    value = robocache_json_member (value, keys[i]);
  g_strfreev (keys);
  return value;
}

/* Of one line, without control characters. Free with g_free. */
static gchar *
text_at (RobocacheJsonValue value, const gchar *path)
{
  GString *text = g_string_new (NULL);
  RobocacheJsonValue found = member_at (value, path);
  gchar *safe;

  if (robocache_json_is_string (found))
    robocache_json_get_string (found, text);
  safe = printable (text->str);
  g_string_free (text, TRUE);
  return safe;
}

static gboolean
number_at (RobocacheJsonValue value, const gchar *path, gdouble *number)
{
  return robocache_json_get_number (member_at (value, path), number);
}

static gint64
count_at (RobocacheJsonValue value, const gchar *path)
{
  gint64 count;

  return robocache_json_get_integer (member_at (value, path), &count) ? count : 0;
}

/* ---- the last minute ---- */

static Strip *
get_strip (TopTable *table, RobocacheJsonValue stream)
{
  gchar *fuse = text_at (stream, "fuse"), *name = text_at (stream, "name"), *key = g_strconcat (fuse, "/", name, NULL);
  Strip *strip = g_hash_table_lookup (table->strips, key);

  if (!strip) {
    strip = g_new0 (Strip, 1);
    memset (strip->totals, -1, sizeof strip->totals);
    g_hash_table_insert (table->strips, key, strip);
    key = NULL;
  }
  g_free (key);
  g_free (name);
  g_free (fuse);
  return strip;
}

/* Totals that have shrunk began again. */
static void
count_ticks (Strip *strip, RobocacheJsonValue stream, gint64 bin)
{
  for (guint kind = 0; kind < N_KINDS; kind++) {
    const gint64 total = count_at (stream, counters[kind]), before = strip->totals[kind];

    if (before >= 0)
      strip->bins[bin % N_BINS][kind] += (guint64) (total >= before ? total - before : total);
    strip->totals[kind] = total;
  }
}

static void
advance (TopTable *table, gint64 bin)
{
  GHashTableIter iter;
  gpointer strip;

  if (table->bin < 0)
    table->bin = bin;
  for (gint64 k = MAX (table->bin, bin - N_BINS) + 1; k <= bin; k++) {
    g_hash_table_iter_init (&iter, table->strips);
    while (g_hash_table_iter_next (&iter, NULL, &strip))
      memset (((Strip *) strip)->bins[k % N_BINS], 0, sizeof ((Strip *) strip)->bins[0]);
  }
  table->bin = MAX (table->bin, bin);
}

void
top_table_add (TopTable *table, RobocacheJsonValue status)
{
  RobocacheJsonValue key, stream;
  RobocacheJsonWalk walk;

  advance (table, g_get_monotonic_time () / BIN_US);
  robocache_json_walk_init (&walk, robocache_json_member (status, "streams"));
  while (robocache_json_walk_next (&walk, &key, &stream))
    count_ticks (get_strip (table, stream), stream, table->bin);
}

static void
append_strip (const TopTable *table, RobocacheJsonValue stream, GString *out)
{
  const Strip *strip = get_strip ((TopTable *) table, stream);

  g_string_append (out, "  ");
  for (gint64 k = table->bin - N_BINS + 1; k <= table->bin; k++) {
    const guint64 *bin = strip->bins[((k % N_BINS) + N_BINS) % N_BINS];
    const guint64 n = bin[ALIGNED] + bin[HELD] + bin[MISSING];

    if (n == 0)
      g_string_append_c (out, ' ');
    else if (bin[MISSING] > 0)
      g_string_append (out, RED "▁" PLAIN);
    else if (bin[HELD] * 20 > n)
      g_string_append (out, YELLOW "▄" PLAIN);
    else
      g_string_append (out, GREEN "█" PLAIN);
  }
}

/* ---- columns ---- */

typedef enum
{ RATE, MS, SHARE, COUNT } Unit;

typedef struct
{
  const gchar *heading, *path;
  Unit unit;
} Column;

static const Column columns[] = {
  {"rate", "recent.rate", RATE},
  {"age", "recent.age_p50_ms", MS},
  {"99 % age", "recent.age_p99_ms", MS},
  {"aligned", "recent.aligned", SHARE},
  {"held", "recent.held", SHARE},
  {"missing", "recent.missing", SHARE},
  {"late", "recent.late", COUNT},
  {"dropped", "recent.dropped", COUNT},
};

#define COLUMN_WIDTH 10

static gchar *
cell_text (RobocacheJsonValue stream, const Column *column)
{
  const gdouble ticks = (gdouble) (count_at (stream, "recent.aligned") + count_at (stream, "recent.held") + count_at (stream, "recent.missing"));
  gdouble number;

  if (!number_at (stream, column->path, &number) || (column->unit == SHARE && !(ticks > 0)))
    return g_strdup ("-");
  switch (column->unit) {
    case RATE:
      return g_strdup_printf ("%.1f Hz", number);
    case MS:
      return g_strdup_printf ("%.1f ms", number);
    case SHARE:
      return g_strdup_printf ("%.0f %%", 100.0 * number / ticks);
    case COUNT:
      break;
  }
  return g_strdup_printf ("%.0f", number);
}

static gboolean
is_bad (RobocacheJsonValue stream, const Column *column)
{
  gdouble number;

  return (column->unit == COUNT || g_str_equal (column->heading, "missing")) && number_at (stream, column->path, &number) && number > 0;
}

/* "+12.3 ms ±0.4" */
static gchar *
clock_text (RobocacheJsonValue stream)
{
  gdouble offset, uncertainty;

  if (!number_at (stream, "clock_offset", &offset))
    return g_strdup ("-");
  if (!number_at (stream, "clock_uncertainty", &uncertainty))
    return g_strdup_printf ("%+.1f ms", offset / 1e6);
  return g_strdup_printf ("%+.1f ms ±%.1f", offset / 1e6, uncertainty / 1e6);
}

static void
append_padded (GString *out, const gchar *text, guint width, gboolean to_left)
{
  const glong missing = (glong) width - g_utf8_strlen (text, -1);
  gchar *padding = g_strnfill ((gsize) MAX (missing, 0), ' ');

  g_string_append_printf (out, "%s%s", to_left ? text : padding, to_left ? padding : text);
  g_free (padding);
}

/* ---- losses ---- */

static gboolean
is_loss (const gchar *name)
{
  return g_str_has_prefix (name, "rows_dropped_") || g_str_equal (name, "rows_late") || g_str_equal (name, "rows_duplicate");
}

/* "late 12, dropped: clock jump 3"; NULL: none. Since the start of the element. */
static gchar *
losses_text (RobocacheJsonValue stream)
{
  GString *text = g_string_new (NULL), *name = g_string_new (NULL);
  RobocacheJsonValue key, value;
  RobocacheJsonWalk walk;
  gint64 n;

  robocache_json_walk_init (&walk, stream);
  while (robocache_json_walk_next (&walk, &key, &value)) {
    robocache_json_get_string (key, name);
    if (!is_loss (name->str) || !robocache_json_get_integer (value, &n) || n == 0)
      continue;
    g_strdelimit (name->str, "_", ' ');
    g_string_append_printf (text, "%s%s %" G_GINT64_FORMAT, text->len > 0 ? ", " : "", name->str + strlen ("rows "), n);
  }
  g_string_free (name, TRUE);
  return g_string_free (text, text->len == 0);
}

/* ---- lines ---- */

static void
append_faults (RobocacheJsonValue status, gboolean has_colours, GString *out)
{
  RobocacheJsonValue key, item;
  RobocacheJsonWalk walk;

  robocache_json_walk_init (&walk, robocache_json_member (status, "findings"));
  while (robocache_json_walk_next (&walk, &key, &item)) {
    gchar *text = text_at (item, "text");

    g_string_append_printf (out, "%s! %s%s\n", has_colours ? RED : "", text, has_colours ? PLAIN : "");
    g_free (text);
  }
  robocache_json_walk_init (&walk, robocache_json_member (status, "warnings"));
  while (robocache_json_walk_next (&walk, &key, &item)) {
    gchar *level = text_at (item, "level"), *source = text_at (item, "source"), *text = text_at (item, "text");

    if (!g_str_equal (level, "info"))
      g_string_append_printf (out, "%s%s: %s: %s%s\n", has_colours ? (g_str_equal (level, "error") ? RED : YELLOW) : "", level, source, text,
          has_colours ? PLAIN : "");
    g_free (text);
    g_free (source);
    g_free (level);
  }
}

static void
append_fuse (RobocacheJsonValue fuse, GString *out)
{
  gchar *name = text_at (fuse, "name");
  gdouble rate = 0.0, p50, p99;

  number_at (fuse, "recent.rate", &rate);
  g_string_append_printf (out, "%s: %.1f ticks a second, %" G_GINT64_FORMAT " out, %" G_GINT64_FORMAT " dropped", name, rate, count_at (fuse, "ticks_out"),
      count_at (fuse, "ticks_dropped"));
  if (number_at (fuse, "recent.lag_p50_ms", &p50) && number_at (fuse, "recent.lag_p99_ms", &p99))
    g_string_append_printf (out, "; from tick to sample %.1f ms, 99 %% %.1f ms", p50, p99);
  g_string_append_c (out, '\n');
  g_free (name);
}

static void
append_line (const TopTable *table, RobocacheJsonValue stream, guint name_width, guint width, gboolean has_strip, GString *out)
{
  gchar *name = text_at (stream, "name"), *clock = clock_text (stream), *losses = losses_text (stream);

  append_padded (out, name, name_width, TRUE);
  if (has_strip)
    append_strip (table, stream, out);
  for (guint c = 0; c < G_N_ELEMENTS (columns); c++) {
    gchar *text = cell_text (stream, &columns[c]);
    const gboolean is_marked = width > 0 && is_bad (stream, &columns[c]);

    g_string_append (out, is_marked ? RED : "");
    append_padded (out, text, COLUMN_WIDTH, FALSE);
    g_string_append (out, is_marked ? PLAIN : "");
    g_free (text);
  }
  g_string_append_printf (out, "  %s\n", clock);
  if (losses)
    g_string_append_printf (out, "%s  lost since the start: %s%s\n", width > 0 ? SOFT : "", losses, width > 0 ? PLAIN : "");
  g_free (losses);
  g_free (clock);
  g_free (name);
}

static void
append_headings (guint name_width, guint width, gboolean has_strip, GString *out)
{
  g_string_append (out, width > 0 ? BOLD : "");
  append_padded (out, "stream", name_width, TRUE);
  if (has_strip)
    append_padded (out, "  last minute", STRIP_WIDTH, TRUE);
  for (guint c = 0; c < G_N_ELEMENTS (columns); c++)
    append_padded (out, columns[c].heading, COLUMN_WIDTH, FALSE);
  g_string_append_printf (out, "  clock%s\n", width > 0 ? PLAIN : "");
}

/* Streams that no robocachefuse takes have a rate alone. */
static void
append_outputs (RobocacheJsonValue status, GString *out)
{
  RobocacheJsonValue key, item;
  RobocacheJsonWalk walk;

  robocache_json_walk_init (&walk, robocache_json_member (status, "outputs"));
  while (robocache_json_walk_next (&walk, &key, &item)) {
    gchar *topic = text_at (item, "topic");
    gdouble rate = 0.0;

    number_at (item, "recent.rate", &rate);
    g_string_append_printf (out, "%s: %.1f a second, %" G_GINT64_FORMAT " in\n", topic, rate, count_at (item, "buffers_in"));
    g_free (topic);
  }
}

static guint
longest_name (RobocacheJsonValue streams)
{
  RobocacheJsonValue key, stream;
  RobocacheJsonWalk walk;
  glong longest = (glong) strlen ("stream");

  robocache_json_walk_init (&walk, streams);
  while (robocache_json_walk_next (&walk, &key, &stream)) {
    gchar *name = text_at (stream, "name");

    longest = MAX (longest, g_utf8_strlen (name, -1));
    g_free (name);
  }
  return (guint) longest;
}

void
top_table_append (const TopTable *table, RobocacheJsonValue status, guint width, GString *out)
{
  const RobocacheJsonValue streams = robocache_json_member (status, "streams");
  const guint name_width = longest_name (streams);
  const gboolean has_strip = width >= name_width + STRIP_WIDTH + G_N_ELEMENTS (columns) * COLUMN_WIDTH + 20;
  RobocacheJsonValue key, item;
  RobocacheJsonWalk walk;

  append_faults (status, width > 0, out);
  robocache_json_walk_init (&walk, robocache_json_member (status, "fuses"));
  while (robocache_json_walk_next (&walk, &key, &item))
    append_fuse (item, out);
  g_string_append_c (out, '\n');
  robocache_json_walk_init (&walk, streams);
  for (guint i = 0; robocache_json_walk_next (&walk, &key, &item); i++) {
    if (i == 0)
      append_headings (name_width, width, has_strip, out);
    append_line (table, item, name_width, width, has_strip, out);
  }
  g_string_append_c (out, '\n');
  append_outputs (status, out);
}

/* ---- life ---- */

TopTable *
top_table_new (void)
{
  TopTable *table = g_new0 (TopTable, 1);

  table->strips = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, g_free);
  table->bin = -1;
  return table;
}

void
top_table_free (TopTable *table)
{
  g_hash_table_unref (table->strips);
  g_free (table);
}
