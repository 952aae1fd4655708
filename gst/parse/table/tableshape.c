/* robocache: the shape of a table: its delimiter, its header, and where its data begin
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "tableshape.h"

#include <string.h>

#include "csvrecord.h"
#include "timenames.h"

/* Lines that tell the delimiter. */
#define MAX_LINES_OF_DELIMITER 20
/* Lines of words between the header and the data. */
#define MAX_LINES_OF_WORDS 4

void
robocache_table_shape_clear (RobocacheTableShape *shape)
{
  g_strfreev (shape->names);
  g_strfreev (shape->units);
  if (shape->sample.rows)
    robocache_sample_clear (&shape->sample);
  *shape = (RobocacheTableShape) { 0 };
}

gsize
robocache_table_comment_mark (const gchar *text)
{
  const gsize blanks = strspn (text, " \t");
  gsize n = blanks;

  if (text[n] == '#')
    n += strspn (text + n, "#");
  else if (text[n] == '%' && (text[n + 1] == '%' || text[n + 1] == ' ' || text[n + 1] == '\t'))
    n += strspn (text + n, "%");
  else if (text[n] == '/' && text[n + 1] == '/')
    n += strspn (text + n, "/");
  return n > blanks ? n + strspn (text + n, " \t") : 0;
}

static gboolean
is_content (const RobocacheTableLine *line)
{
  return !line->is_too_long && line->text[strspn (line->text, " \t")] != '\0' && strlen (line->text) == line->length
      && robocache_table_comment_mark (line->text) == 0;
}

/* ---- the delimiter ---- */

/* What lines are with a delimiter. */
typedef struct
{
  guint n_values, n_texts;
  guint n_alike;                /* lines with as many fields as the last one */
  gboolean is_one_field;        /* of every line */
} Score;

static Score
score_delimiter (const RobocacheTableLine *lines, guint n, gchar delimiter)
{
  Score score = {.is_one_field = TRUE };
  RobocacheSample sample;

  robocache_sample_init (&sample);
  for (guint i = n; i > 0 && sample.rows->len < MAX_LINES_OF_DELIMITER; i--) {
    if (is_content (&lines[i - 1]))
      robocache_sample_append (&sample, lines[i - 1].text, lines[i - 1].length, delimiter, i - 1);
  }
  for (guint i = 0; i < sample.rows->len; i++) {
    const GPtrArray *fields = g_array_index (sample.rows, RobocacheSampleRow, i).fields;

    score.is_one_field &= fields->len == 1;
    score.n_alike += fields->len == g_array_index (sample.rows, RobocacheSampleRow, 0).fields->len;
    for (guint c = 0; c < fields->len; c++) {
      const RobocacheCell cell = robocache_cell_of (g_ptr_array_index (fields, c), delimiter);

      score.n_texts += cell == ROBOCACHE_CELL_TEXT;
      score.n_values += cell != ROBOCACHE_CELL_TEXT && cell != ROBOCACHE_CELL_MISSING;
    }
  }
  robocache_sample_clear (&sample);
  return score;
}

static gboolean
is_better (const Score *score, const Score *best)
{
  if (score->n_values != best->n_values)
    return score->n_values > best->n_values;
  if (score->n_values == 0)
    return best->n_texts == 0;
  return score->n_alike != best->n_alike ? score->n_alike > best->n_alike : score->n_texts < best->n_texts;
}

/* The one that makes the most values of the last lines, and then the most lines alike, and the fewest texts. Blanks part a date from its time, so they are tried only where no other
 * delimiter makes values alone. */
static gchar
find_delimiter (const RobocacheTableLine *lines, guint n)
{
  static const gchar delimiters[] = { ',', ';', '\t', ' ' };
  Score best = { 0 };
  gchar found = ',';

  for (guint i = 0; i < G_N_ELEMENTS (delimiters); i++) {
    const Score score = score_delimiter (lines, n, delimiters[i]);

    if (score.is_one_field || (delimiters[i] == ' ' && best.n_values > 0 && best.n_texts == 0))
      continue;
    if (is_better (&score, &best)) {
      best = score;
      found = delimiters[i];
    }
  }
  return found;
}

/* ---- rows ---- */

static guint
n_fields (const RobocacheSample *sample, guint row)
{
  return g_array_index (sample->rows, RobocacheSampleRow, row).fields->len;
}

/* The most frequent number of fields of lines with a value; of several, the greatest. */
static guint
usual_n_fields (const RobocacheSample *sample, gchar delimiter)
{
  GHashTable *counts = g_hash_table_new (NULL, NULL);
  guint usual = 0, greatest = 0;

  for (guint i = 0; i < sample->rows->len; i++) {
    const GPtrArray *fields = g_array_index (sample->rows, RobocacheSampleRow, i).fields;
    guint n_values = 0, count;

    for (guint c = 0; c < fields->len && n_values == 0; c++) {
      const RobocacheCell cell = robocache_cell_of (g_ptr_array_index (fields, c), delimiter);

      n_values += cell != ROBOCACHE_CELL_TEXT && cell != ROBOCACHE_CELL_MISSING;
    }
    if (n_values == 0)
      continue;
    count = GPOINTER_TO_UINT (g_hash_table_lookup (counts, GUINT_TO_POINTER (fields->len))) + 1;
    g_hash_table_insert (counts, GUINT_TO_POINTER (fields->len), GUINT_TO_POINTER (count));
    if (count > greatest || (count == greatest && fields->len > usual)) {
      greatest = count;
      usual = fields->len;
    }
  }
  g_hash_table_unref (counts);
  return usual;
}

/* Columns of text do not tell whether a row with text is data. Others do: names stand where values are. */
static gboolean
is_data (const RobocacheSample *sample, guint row, gchar delimiter)
{
  const GPtrArray *fields = g_array_index (sample->rows, RobocacheSampleRow, row).fields;
  guint n_values = 0, n_texts = 0, n_all_values = 0, n_all_texts = 0;

  for (guint c = 0; c < MIN (fields->len, sample->n_columns); c++) {
    const gchar *text = g_ptr_array_index (fields, c);
    const RobocacheCell cell = robocache_cell_of (text, delimiter);

    const gboolean is_of_text = robocache_facts_are_text (&sample->facts[c]);

    if (cell == ROBOCACHE_CELL_TEXT && (!is_of_text || sample->rows->len == 1) && robocache_name_is_of_time (text))
      return FALSE;
    n_all_texts += cell == ROBOCACHE_CELL_TEXT;
    n_all_values += cell != ROBOCACHE_CELL_TEXT && cell != ROBOCACHE_CELL_MISSING;
    n_texts += !is_of_text && cell == ROBOCACHE_CELL_TEXT;
    n_values += !is_of_text && cell != ROBOCACHE_CELL_TEXT && cell != ROBOCACHE_CELL_MISSING;
  }
  return (n_values > 0 && n_values >= n_texts) || (n_all_values > 0 && n_all_texts == 0);
}

/* FALSE: none is data. */
static gboolean
find_data (RobocacheTableShape *shape)
{
  RobocacheSample *sample = &shape->sample;
  const guint usual = usual_n_fields (sample, shape->delimiter);
  guint first = 0;

  if (usual == 0)
    return FALSE;
  robocache_sample_count (sample, 0, usual, shape->delimiter);
  while (first < sample->rows->len && !(n_fields (sample, first) == usual && is_data (sample, first, shape->delimiter)))
    first++;
  if (first == sample->rows->len)
    return FALSE;
  shape->n_columns = usual;
  robocache_sample_count (sample, first, usual, shape->delimiter);
  shape->data = g_array_index (sample->rows, RobocacheSampleRow, first).line;
  return TRUE;
}

/* ---- the header ---- */

static gboolean
has_name (gchar **fields, gchar delimiter)
{
  for (guint c = 0; fields[c]; c++) {
    if (robocache_cell_of (fields[c], delimiter) == ROBOCACHE_CELL_TEXT)
      return TRUE;
  }
  return FALSE;
}

/* The fields of a line without a comment's mark; NULL: it has none. Empty fields at its end, behind `least` of them, are those of a delimiter there. */
static gchar **
split_names (const RobocacheTableLine *line, gchar delimiter, guint least)
{
  GPtrArray *fields = g_ptr_array_new ();
  gchar *text = g_strndup (line->text + robocache_table_comment_mark (line->text), line->length), **names = NULL;

  if (!line->is_too_long && robocache_csv_split (text, strlen (text), delimiter, fields, NULL)) {
    while (fields->len > least && *(const gchar *) g_ptr_array_index (fields, fields->len - 1) == '\0')
      g_ptr_array_set_size (fields, (gint) fields->len - 1);
    g_ptr_array_add (fields, NULL);
    names = g_strdupv ((gchar **) fields->pdata);
  }
  g_ptr_array_unref (fields);
  g_free (text);
  return names;
}

/* s, [m/s], (rad), -, N·m, … */
static gboolean
are_units (gchar **fields)
{
  static const gchar *const units[] = { "s", "sec", "ms", "us", "ns", "m", "mm", "cm", "km", "rad", "deg", "°", "m/s", "m/s2", "m/s^2", "rad/s", "deg/s",
    "N", "Nm", "N*m", "N.m", "V", "A", "mA", "W", "J", "kg", "g", "Hz", "Pa", "kPa", "bar", "C", "°C", "degC", "K", "T", "uT", "%", "-", "1", "", NULL
  };
  guint n_units = 0;

  for (guint c = 0; fields[c]; c++) {
    const gsize length = strlen (fields[c]);
    const gboolean is_bracketed = length > 1 && ((fields[c][0] == '[' && fields[c][length - 1] == ']') || (fields[c][0] == '('
            && fields[c][length - 1] == ')'));

    if (!is_bracketed && !g_strv_contains (units, fields[c]))
      return FALSE;
    n_units += length > 0;
  }
  return n_units > 0;
}

/* The last line before `end` whose names fit; its index in *at. longer: it has more names than the data have fields. */
static gchar **
find_names (const RobocacheTableShape *shape, const RobocacheTableLine *lines, guint end, gboolean is_comment, gboolean longer, gchar delimiter, guint *at)
{
  for (guint i = end; i > 0; i--) {
    const RobocacheTableLine *line = &lines[i - 1];
    gchar **names;
    guint n;

    if (line->text[strspn (line->text, " \t")] == '\0' || (robocache_table_comment_mark (line->text) > 0) != is_comment)
      continue;
    names = split_names (line, delimiter, shape->n_columns);
    n = names ? g_strv_length (names) : 0;
    if (n > 0 && (longer ? n > shape->n_columns : n == shape->n_columns) && has_name (names, delimiter)) {
      *at = i - 1;
      return names;
    }
    g_strfreev (names);
    if (longer)
      return NULL;
  }
  return NULL;
}

/* A header of NumPy may have another delimiter than the data. */
static gchar **
find_any_names (const RobocacheTableShape *shape, const RobocacheTableLine *lines, guint end, guint *at)
{
  static const gchar others[] = { ',', ';', '\t', ' ' };
  gchar **names = find_names (shape, lines, end, FALSE, FALSE, shape->delimiter, at);

  if (!names)
    names = find_names (shape, lines, end, TRUE, FALSE, shape->delimiter, at);
  if (!names)
    names = find_names (shape, lines, end, FALSE, TRUE, shape->delimiter, at);
  for (guint i = 0; !names && shape->n_columns > 1 && i < G_N_ELEMENTS (others); i++)
    names = find_names (shape, lines, end, TRUE, FALSE, others[i], at);
  return names;
}

/* Whether the fields of a line name nothing: one is there twice, or has no letter. */
static gboolean
are_words (gchar **fields)
{
  GHashTable *seen = g_hash_table_new (g_str_hash, g_str_equal);
  gboolean are = FALSE;

  for (guint c = 0; fields[c] && !are; c++) {
    const gchar *at = fields[c];

    while (*at && !g_ascii_isalpha (*at) && !(*at & 0x80))
      at++;
    are = *fields[c] != '\0' && (*at == '\0' || !g_hash_table_add (seen, fields[c]));
  }
  g_hash_table_unref (seen);
  return are;
}

static gboolean
have_time (gchar **names)
{
  for (guint c = 0; names[c]; c++) {
    if (robocache_time_name_of (names[c]) <= ROBOCACHE_NAME_OTHER)
      return TRUE;
  }
  return FALSE;
}

/* Whether names are those of columns, rather than `last`, which is below them: where both may be, one of names is of a time. */
static gboolean
are_names_above (gchar **names, gchar **last, gboolean are_adjacent)
{
  if (are_units (names))
    return FALSE;
  if (are_units (last) && are_adjacent && have_time (names))
    return TRUE;
  if (are_words (names))
    return FALSE;
  if (are_units (last))
    return TRUE;
  return are_words (last) ? have_time (names) || (are_adjacent && !have_time (last)) : are_adjacent && have_time (names) && !have_time (last);
}

/* The names of columns, and the units below them. `last` are the names of the last line that fits, at *at. Takes them. */
static gchar **
find_names_above (RobocacheTableShape *shape, const RobocacheTableLine *lines, gchar **last, guint *at)
{
  gchar **names = NULL, **units = are_units (last) ? g_strdupv (last) : NULL;
  guint end = *at, units_line = *at;

  for (guint i = 0; !names && i < MAX_LINES_OF_WORDS; i++) {
    const guint below = end;

    names = find_any_names (shape, lines, below, &end);
    if (!names)
      break;
    if (!are_names_above (names, last, end + 1 == below)) {
      if (!units && are_units (names)) {
        units = g_steal_pointer (&names);
        units_line = end;
      }
      g_clear_pointer (&names, g_strfreev);
    }
  }
  if (!names) {
    g_strfreev (units);
    return last;
  }
  g_strfreev (last);
  shape->units = units;
  shape->units_line = units_line;
  *at = end;
  return names;
}

/* Whether no row of data has anything in its last column. */
static gboolean
ends_with_nothing (const RobocacheSample *sample, guint n_columns)
{
  for (guint i = 0; i < robocache_sample_n_data (sample); i++) {
    if (*robocache_sample_field (sample, i, n_columns - 1) != '\0')
      return FALSE;
  }
  return TRUE;
}

static void
find_header (RobocacheTableShape *shape, const RobocacheTableLine *lines)
{
  guint at = 0, last;
  gchar **names = find_any_names (shape, lines, shape->data, &at);

  /* a delimiter at the end of each line makes a column of nothing */
  if (!names && shape->n_columns > 1 && shape->delimiter != ' ' && ends_with_nothing (&shape->sample, shape->n_columns)) {
    shape->n_columns--;
    names = find_any_names (shape, lines, shape->data, &at);
    shape->n_columns += !names && robocache_sample_n_data (&shape->sample) == 1;
  }
  if (!names)
    return;
  last = at;
  names = find_names_above (shape, lines, names, &at);
  for (guint n = g_strv_length (names); n > 1 && n == shape->n_columns && shape->delimiter != ' ' && *names[n - 1] == '\0'
      && ends_with_nothing (&shape->sample, n); n = --shape->n_columns)
    g_clear_pointer (&names[n - 1], g_free);
  shape->names = names;
  shape->header = at;
  shape->data = last + 1;
  shape->n_columns = g_strv_length (names);
  robocache_sample_count (&shape->sample, shape->sample.first, shape->n_columns, shape->delimiter);
}

/* ---- the shape ---- */

static void
find_decimal_comma (RobocacheTableShape *shape)
{
  guint n_commas = 0, n_points = 0;

  for (guint c = 0; c < shape->n_columns; c++) {
    n_commas += shape->sample.facts[c].n_numbers_with_comma;
    n_points += shape->sample.facts[c].n_numbers_with_point;
  }
  shape->has_decimal_comma = n_commas > 0 && n_points == 0;
}

guint
robocache_table_shape_n_skipped (const RobocacheTableShape *shape, const RobocacheTableLine *lines)
{
  guint n = 0;

  for (guint i = 0; i < shape->data; i++) {
    const gboolean is_used = shape->names && (i == shape->header || (shape->units && i == shape->units_line));

    n += !is_used && robocache_table_comment_mark (lines[i].text) == 0 && lines[i].text[strspn (lines[i].text, " \t")] != '\0';
  }
  return n;
}

static void
begin_shape (RobocacheTableShape *shape, const RobocacheTableLine *lines, guint n, gchar delimiter)
{
  robocache_table_shape_clear (shape);
  shape->delimiter = delimiter ? delimiter : find_delimiter (lines, n);
  robocache_sample_init (&shape->sample);
  for (guint i = 0; i < n; i++) {
    if (is_content (&lines[i]))
      robocache_sample_append (&shape->sample, lines[i].text, lines[i].length, shape->delimiter, i);
  }
}

gboolean
robocache_table_shape_find (RobocacheTableShape *shape, const RobocacheTableLine *lines, guint n, gchar delimiter)
{
  begin_shape (shape, lines, n, delimiter);
  if (!find_data (shape))
    return FALSE;
  find_header (shape, lines);
  find_decimal_comma (shape);
  return TRUE;
}

gboolean
robocache_table_shape_find_header (RobocacheTableShape *shape, const RobocacheTableLine *lines, guint n, gchar delimiter)
{
  guint first = 0;

  begin_shape (shape, lines, n, delimiter);
  for (guint i = 0; i < shape->sample.rows->len; i++) {
    const GPtrArray *fields = g_array_index (shape->sample.rows, RobocacheSampleRow, i).fields;

    for (guint c = 0; c < fields->len; c++) {
      if (robocache_name_is_of_time (g_ptr_array_index (fields, c))) {
        first = i;
        i = shape->sample.rows->len - 1;
        break;
      }
    }
  }
  if (first == shape->sample.rows->len)
    return FALSE;
  shape->header = shape->data = g_array_index (shape->sample.rows, RobocacheSampleRow, first).line;
  shape->names = split_names (&lines[shape->data], shape->delimiter, 1);
  shape->data++;
  shape->n_columns = shape->names ? g_strv_length (shape->names) : 0;
  robocache_sample_count (&shape->sample, shape->sample.rows->len, shape->n_columns, shape->delimiter);
  return shape->n_columns > 0;
}
