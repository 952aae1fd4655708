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
/* "+12.3 ms ±0.4", and what separates it */
#define CLOCK_WIDTH 20

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

/* Appends the text, and breaks it between words for a terminal of this width; 0: no terminal. style: an escape sequence. Frees the text. */
static void
append_wrapped (GString *out, gchar *text, guint width, const gchar *style)
{
  gchar **words = g_strsplit (text, " ", -1);
  glong column = 0;

  g_string_append (out, width > 0 ? style : "");
  for (guint i = 0; words[i]; i++) {
    const glong length = g_utf8_strlen (words[i], -1);

    if (width > 0 && column > 0 && column + 1 + length > (glong) width) {
      g_string_append (out, "\n   ");
      column = 3;
    }
    g_string_append_printf (out, "%s%s", i > 0 ? " " : "", words[i]);
    column += length + (i > 0);
  }
  g_string_append_printf (out, "%s\n", width > 0 && *style ? PLAIN : "");
  g_strfreev (words);
  g_free (text);
}

/* Messages of the bus that have this level. */
static void
append_messages (RobocacheJsonValue status, const gchar *wanted, const gchar *style, guint width, GString *out)
{
  RobocacheJsonValue key, item;
  RobocacheJsonWalk walk;

  robocache_json_walk_init (&walk, robocache_json_member (status, "warnings"));
  while (robocache_json_walk_next (&walk, &key, &item)) {
    gchar *source = text_at (item, "source"), *text = text_at (item, "text");

    if (robocache_json_string_equal (robocache_json_member (item, "level"), wanted))
      append_wrapped (out, g_strdup_printf ("%s: %s: %s", wanted, source, text), width, style);
    g_free (text);
    g_free (source);
  }
}

/* In the order of the page. */
static void
append_faults (RobocacheJsonValue status, guint width, GString *out)
{
  RobocacheJsonValue key, item;
  RobocacheJsonWalk walk;

  append_messages (status, "error", RED, width, out);
  robocache_json_walk_init (&walk, robocache_json_member (status, "findings"));
  while (robocache_json_walk_next (&walk, &key, &item)) {
    gchar *text = text_at (item, "text");

    append_wrapped (out, g_strconcat ("! ", text, NULL), width, RED);
    g_free (text);
  }
  append_messages (status, "warning", YELLOW, width, out);
}

static void
append_fuse (RobocacheJsonValue fuse, guint width, GString *out)
{
  gchar *name = text_at (fuse, "name"), *lag = NULL;
  gdouble rate = 0.0, p50, p99;

  number_at (fuse, "recent.rate", &rate);
  if (number_at (fuse, "recent.lag_p50_ms", &p50) && number_at (fuse, "recent.lag_p99_ms", &p99))
    lag = g_strdup_printf ("; from tick to sample %.1f ms, 99 %% %.1f ms", p50, p99);
  append_wrapped (out, g_strdup_printf ("%s: %.1f ticks a second, %" G_GINT64_FORMAT " out, %" G_GINT64_FORMAT " dropped%s", name, rate,
          count_at (fuse, "ticks_out"), count_at (fuse, "ticks_dropped"), lag ? lag : ""), width, "");
  g_free (lag);
  g_free (name);
}

/* The size of the terminal. */
typedef struct
{
  guint width;                  /* of the terminal; 0: none */
  guint name_width, n_columns;
  gboolean has_strip, has_clock;
} Layout;

static Layout
choose_layout (guint width, guint name_width)
{
  Layout layout = { width, name_width, G_N_ELEMENTS (columns), FALSE, TRUE };
  const guint all = name_width + layout.n_columns * COLUMN_WIDTH;

  if (width > 0) {
    layout.has_strip = width >= all + STRIP_WIDTH + CLOCK_WIDTH;
    layout.has_clock = width >= all + CLOCK_WIDTH;
    layout.n_columns = MIN (layout.n_columns, width > name_width ? (width - name_width) / COLUMN_WIDTH : 0);
  }
  return layout;
}

static void
append_line (const TopTable *table, RobocacheJsonValue stream, const gchar *name, const Layout *layout, GString *out)
{
  gchar *clock = clock_text (stream), *losses = losses_text (stream);

  append_padded (out, name, layout->name_width, TRUE);
  if (layout->has_strip)
    append_strip (table, stream, out);
  for (guint c = 0; c < layout->n_columns; c++) {
    gchar *text = cell_text (stream, &columns[c]);
    const gboolean is_marked = layout->width > 0 && is_bad (stream, &columns[c]);

    g_string_append (out, is_marked ? RED : "");
    append_padded (out, text, COLUMN_WIDTH, FALSE);
    g_string_append (out, is_marked ? PLAIN : "");
    g_free (text);
  }
  g_string_append_printf (out, "%s%s\n", layout->has_clock ? "  " : "", layout->has_clock ? clock : "");
  if (losses)
    append_wrapped (out, g_strconcat ("  lost since the start: ", losses, NULL), layout->width, SOFT);
  g_free (losses);
  g_free (clock);
}

static void
append_headings (const Layout *layout, GString *out)
{
  g_string_append (out, layout->width > 0 ? BOLD : "");
  append_padded (out, "stream", layout->name_width, TRUE);
  if (layout->has_strip)
    append_padded (out, "  last minute", STRIP_WIDTH, TRUE);
  for (guint c = 0; c < layout->n_columns; c++)
    append_padded (out, columns[c].heading, COLUMN_WIDTH, FALSE);
  g_string_append_printf (out, "%s%s\n", layout->has_clock ? "  clock" : "", layout->width > 0 ? PLAIN : "");
}

/* With the fuse, where there are several. Free with g_free. */
static gchar *
name_of (RobocacheJsonValue status, RobocacheJsonValue stream)
{
  RobocacheJsonValue key, item;
  RobocacheJsonWalk walk;
  gchar *name = text_at (stream, "name"), *fuse = text_at (stream, "fuse"), *full;
  guint n = 0;

  robocache_json_walk_init (&walk, robocache_json_member (status, "fuses"));
  while (robocache_json_walk_next (&walk, &key, &item))
    n++;
  full = n > 1 ? g_strconcat (fuse, ": ", name, NULL) : g_strdup (name);
  g_free (fuse);
  g_free (name);
  return full;
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
longest_name (RobocacheJsonValue status)
{
  RobocacheJsonValue key, stream;
  RobocacheJsonWalk walk;
  glong longest = (glong) strlen ("stream");

  robocache_json_walk_init (&walk, robocache_json_member (status, "streams"));
  while (robocache_json_walk_next (&walk, &key, &stream)) {
    gchar *name = name_of (status, stream);

    longest = MAX (longest, g_utf8_strlen (name, -1));
    g_free (name);
  }
  return (guint) longest;
}

void
top_table_append (const TopTable *table, RobocacheJsonValue status, guint width, GString *out)
{
  const Layout layout = choose_layout (width, longest_name (status));
  RobocacheJsonValue key, item;
  RobocacheJsonWalk walk;

  append_faults (status, width, out);
  robocache_json_walk_init (&walk, robocache_json_member (status, "fuses"));
  while (robocache_json_walk_next (&walk, &key, &item))
    append_fuse (item, width, out);
  g_string_append_c (out, '\n');
  robocache_json_walk_init (&walk, robocache_json_member (status, "streams"));
  for (guint i = 0; robocache_json_walk_next (&walk, &key, &item); i++) {
    gchar *name = name_of (status, item);

    if (i == 0)
      append_headings (&layout, out);
    append_line (table, item, name, &layout, out);
    g_free (name);
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
