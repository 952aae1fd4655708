/* robocache: the header of a PCD file
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "pcdheader.h"

#include <math.h>
#include <string.h>

#include "gst/parse/table/csvrecord.h"
#include "kernels/voxel.h"
#include "common/tensors/tensorcaps.h"

enum
{
  VERSION,
  FIELDS,
  SIZE,
  TYPE,
  COUNT,
  WIDTH,
  HEIGHT,
  VIEWPOINT,
  POINTS,
  DATA,
  N_KEYWORDS,
  COLUMNS = N_KEYWORDS          /* FIELDS, in old files */
};

G_STATIC_ASSERT (N_KEYWORDS == ROBOCACHE_PCD_N_KEYWORDS);

static const gchar *const keywords[] = {
  "VERSION", "FIELDS", "SIZE", "TYPE", "COUNT", "WIDTH", "HEIGHT", "VIEWPOINT", "POINTS", "DATA", "COLUMNS"
};

void
robocache_pcd_header_clear (RobocachePcdHeader *header)
{
  for (guint i = 0; i < N_KEYWORDS; i++)
    g_strfreev (header->values[i]);
  g_clear_pointer (&header->columns, g_array_unref);
  robocache_point_fields_clear (&header->fields);
  g_free (header->viewpoint);
  *header = (RobocachePcdHeader) { {NULL} };
}

/* An error about the line of a keyword. */
static gboolean G_GNUC_PRINTF (4, 5)
line_error (const RobocachePcdHeader *header, guint keyword, GError **error, const gchar *format, ...)
{
  gchar *text;
  va_list args;

  va_start (args, format);
  text = g_strdup_vprintf (format, args);
  va_end (args);
  g_set_error (error, ROBOCACHE_ERROR, ROBOCACHE_ERROR_DATA, "line %" G_GUINT64_FORMAT ": %s", header->lines[keyword],
      text);
  g_free (text);
  return FALSE;
}

/* ---- columns ---- */

/* The elements of a line that has one for each of FIELDS. */
static gboolean
check_length (const RobocachePcdHeader *header, guint keyword, GError **error)
{
  const guint n_fields = g_strv_length (header->values[FIELDS]);
  const guint n = header->values[keyword] ? g_strv_length (header->values[keyword]) : n_fields;

  return n == n_fields || line_error (header, keyword, error, "%s has %u values, expected one for each of the %u FIELDS",
      keywords[keyword], n, n_fields);
}

static const gchar *
value_of_field (const RobocachePcdHeader *header, guint keyword, guint field, const gchar *otherwise)
{
  return header->values[keyword] ? header->values[keyword][field] : otherwise;
}

static gboolean
parse_dtype (const RobocachePcdHeader *header, guint field, RcDtype *dtype, GError **error)
{
  static const struct
  {
    const gchar *type, *size;
    RcDtype dtype;
  } dtypes[] = { {"F", "4", RC_FLOAT32}, {"F", "8", RC_FLOAT64}, {"I", "1", RC_INT8}, {"I", "2", RC_INT16},
  {"I", "4", RC_INT32}, {"I", "8", RC_INT64}, {"U", "1", RC_UINT8}, {"U", "2", RC_UINT16}, {"U", "4", RC_UINT32},
  {"U", "8", RC_UINT64}
  };
  const gchar *type = value_of_field (header, TYPE, field, "F"), *size = value_of_field (header, SIZE, field, "4");

  for (guint i = 0; i < G_N_ELEMENTS (dtypes); i++) {
    if (g_str_equal (type, dtypes[i].type) && g_str_equal (size, dtypes[i].size)) {
      *dtype = dtypes[i].dtype;
      return TRUE;
    }
  }
  return line_error (header, header->values[SIZE] ? SIZE : TYPE, error,
      "field \"%.60s\" has TYPE %.20s and SIZE %.20s, expected I or U with 1, 2, 4 or 8, or F with 4 or 8",
      header->values[FIELDS][field], type, size);
}

static gboolean
parse_count (RobocachePcdHeader *header, guint field, guint *count, GError **error)
{
  const gchar *text = value_of_field (header, COUNT, field, "1");
  guint64 n;

  if (!g_ascii_string_to_unsigned (text, 10, 0, RC_VOXEL_MAX_FIELDS, &n, NULL))
    return line_error (header, COUNT, error, "field \"%.60s\" has COUNT %.60s, expected 0 to %d",
        header->values[FIELDS][field], text, RC_VOXEL_MAX_FIELDS);
  *count = (guint) n;
  header->n_elements += *count;
  return header->n_elements <= RC_VOXEL_MAX_FIELDS
      || line_error (header, FIELDS, error, "a point has more than %d elements", RC_VOXEL_MAX_FIELDS);
}

/* Adds a column to the points that come out: x, or with a COUNT x_0, x_1, … A COUNT of 0 is no field, as in PCL. */
static void
append_fields (RobocachePcdHeader *header, const gchar *name, const RobocachePcdColumn *column)
{
  if (column->skipped) {
    if (header->data == ROBOCACHE_PCD_BINARY)
      header->fields.point_step += column->count * rc_dtype_size (column->dtype);
  } else if (column->count == 1) {
    robocache_point_fields_append (&header->fields, name, column->dtype);
  } else {
    for (guint i = 0; i < column->count; i++) {
      gchar *numbered = g_strdup_printf ("%s_%u", name, i);

      robocache_point_fields_append (&header->fields, numbered, column->dtype);
      g_free (numbered);
    }
  }
}

static gboolean
parse_columns (RobocachePcdHeader *header, GError **error)
{
  GError *fault = NULL;

  if (!check_length (header, SIZE, error) || !check_length (header, TYPE, error) || !check_length (header, COUNT, error))
    return FALSE;
  header->columns = g_array_new (FALSE, FALSE, sizeof (RobocachePcdColumn));
  robocache_point_fields_init (&header->fields);
  for (guint i = 0; header->values[FIELDS][i]; i++) {
    const gchar *name = header->values[FIELDS][i];
    RobocachePcdColumn column = {.skipped = g_str_equal (name, "_") };

    if (!parse_dtype (header, i, &column.dtype, error) || !parse_count (header, i, &column.count, error))
      return FALSE;
    g_array_append_val (header->columns, column);
    header->stored_step += column.count * rc_dtype_size (column.dtype);
    append_fields (header, name, &column);
  }
  if (robocache_point_fields_check (&header->fields, &fault))
    return TRUE;
  line_error (header, FIELDS, error, "%s", fault->message);
  g_error_free (fault);
  return FALSE;
}

/* ---- the other lines ---- */

static gboolean
parse_version (const RobocachePcdHeader *header, GError **error)
{
  static const gchar *const versions[] = { "0.7", ".7", "0.6", ".6", "0.5", ".5", NULL };
  gchar **values = header->values[VERSION];

  return !values || (g_strv_length (values) == 1 && g_strv_contains (versions, values[0]))
      || line_error (header, VERSION, error, "VERSION %.60s, expected 0.7, 0.6 or 0.5", values[0] ? values[0] : "");
}

static gboolean
parse_number (const RobocachePcdHeader *header, guint keyword, guint64 max, guint64 *number, GError **error)
{
  gchar **values = header->values[keyword];

  if (!values || (g_strv_length (values) == 1 && g_ascii_string_to_unsigned (values[0], 10, 0, max, number, NULL)))
    return TRUE;
  return line_error (header, keyword, error, "%s %.60s, expected one number, 0 to %" G_GUINT64_FORMAT, keywords[keyword],
      values[0] ? values[0] : "", max);
}

/* Old files may lack some of the three. */
static gboolean
parse_counts (RobocachePcdHeader *header, GError **error)
{
  gsize size;

  header->height = 1;
  if (!parse_number (header, POINTS, G_MAXUINT64, &header->n_points, error)
      || !parse_number (header, HEIGHT, G_MAXINT, &header->height, error))
    return FALSE;
  header->width = header->n_points;
  if (!parse_number (header, WIDTH, G_MAXINT, &header->width, error))
    return FALSE;
  if (!header->values[WIDTH] && !header->values[POINTS])
    return line_error (header, DATA, error, "DATA begins, but the header has neither POINTS nor WIDTH");
  if (!header->values[POINTS])
    header->n_points = header->width * header->height;
  if ((!header->values[WIDTH] && header->height != 1) || header->n_points != header->width * header->height)
    return line_error (header, POINTS, error, "POINTS is %" G_GUINT64_FORMAT ", expected WIDTH * HEIGHT, %"
        G_GUINT64_FORMAT " * %" G_GUINT64_FORMAT, header->n_points, header->width, header->height);
  if (header->n_points > G_MAXSSIZE || !g_size_checked_mul (&size, (gsize) header->n_points, header->stored_step)
      || size > G_MAXSSIZE)
    return line_error (header, header->values[POINTS] ? POINTS : WIDTH, error, "%" G_GUINT64_FORMAT " points of %"
        G_GSIZE_FORMAT " bytes exceed the address space", header->n_points, header->stored_step);
  return TRUE;
}

static gboolean
parse_viewpoint (RobocachePcdHeader *header, GError **error)
{
  static const gdouble identity[] = { 0, 0, 0, 1, 0, 0, 0 };
  gdouble numbers[G_N_ELEMENTS (identity)];
  gchar **values = header->values[VIEWPOINT];
  gboolean moved = FALSE;

  if (!values)
    return TRUE;
  for (guint i = 0; i < G_N_ELEMENTS (identity); i++) {
    if (g_strv_length (values) != G_N_ELEMENTS (identity) || !robocache_csv_number (values[i], &numbers[i])
        || !isfinite (numbers[i]))
      return line_error (header, VIEWPOINT, error, "VIEWPOINT has %u values%s%.60s, expected 7 numbers: translation x y z "
          "and quaternion w x y z", g_strv_length (values), values[0] ? ", the first " : "", values[0] ? values[0] : "");
    moved |= numbers[i] != identity[i];
  }
  if (moved)
    header->viewpoint = g_strjoinv (",", values);
  return TRUE;
}

static gboolean
parse_data (RobocachePcdHeader *header, GError **error)
{
  static const gchar *const names[] = {
    [ROBOCACHE_PCD_ASCII] = "ascii",[ROBOCACHE_PCD_BINARY] = "binary",[ROBOCACHE_PCD_COMPRESSED] = "binary_compressed"
  };
  gchar **values = header->values[DATA];

  for (guint i = 0; i < G_N_ELEMENTS (names); i++) {
    if (g_strv_length (values) == 1 && g_str_equal (values[0], names[i])) {
      header->data = (RobocachePcdData) i;
      return TRUE;
    }
  }
  return line_error (header, DATA, error, "DATA %.60s, expected ascii, binary or binary_compressed",
      values[0] ? values[0] : "");
}

/* ---- lines ---- */

static gboolean
parse_header (RobocachePcdHeader *header, GError **error)
{
  if (!header->values[FIELDS])
    return line_error (header, DATA, error, "DATA begins, but the header has no FIELDS");
  return parse_version (header, error) && parse_data (header, error) && parse_columns (header, error)
      && parse_counts (header, error) && parse_viewpoint (header, error);
}

static gint
find_keyword (const gchar *word)
{
  for (guint i = 0; i < G_N_ELEMENTS (keywords); i++) {
    if (g_str_equal (word, keywords[i]))
      return i == COLUMNS ? FIELDS : (gint) i;
  }
  return -1;
}

/* Words, blanks between them; GLib's own split would make an empty word of two blanks. */
static gchar **
split_words (const GString *line)
{
  GPtrArray *words = g_ptr_array_new ();
  const gchar *cursor = line->str;

  while (*(cursor += strspn (cursor, " \t")) != '\0') {
    const gsize length = strcspn (cursor, " \t");

    g_ptr_array_add (words, g_strndup (cursor, length));
    cursor += length;
  }
  g_ptr_array_add (words, NULL);
  return (gchar **) g_ptr_array_free (words, FALSE);
}

static gboolean
read_words (RobocachePcdHeader *header, gchar **words, guint64 number, GError **error)
{
  const gint keyword = find_keyword (words[0]);

  if (keyword < 0) {
    g_set_error (error, ROBOCACHE_ERROR, ROBOCACHE_ERROR_DATA, "line %" G_GUINT64_FORMAT " begins with \"%.60s\", expected a "
        "keyword of a PCD header, such as FIELDS; if the line is a point, POINTS in the previous header is too small",
        number, words[0]);
    return FALSE;
  }
  if (header->values[keyword]) {
    g_set_error (error, ROBOCACHE_ERROR, ROBOCACHE_ERROR_DATA, "line %" G_GUINT64_FORMAT ": %s is a duplicate of line %"
        G_GUINT64_FORMAT, number, words[0], header->lines[keyword]);
    return FALSE;
  }
  header->values[keyword] = g_strdupv (words + 1);
  header->lines[keyword] = number;
  header->begun = TRUE;
  return keyword != DATA || parse_header (header, error);
}

RobocachePcdHeaderResult
robocache_pcd_header_take_line (RobocachePcdHeader *header, const GString *line, guint64 number, GError **error)
{
  gchar **words;
  gboolean ok;

  if (memchr (line->str, '\0', line->len)) {
    g_set_error (error, ROBOCACHE_ERROR, ROBOCACHE_ERROR_DATA, "line %" G_GUINT64_FORMAT " contains a zero byte, expected a line "
        "of a PCD header; if the line is a point, POINTS in the previous header is too small", number);
    return ROBOCACHE_PCD_HEADER_MALFORMED;
  }
  words = split_words (line);
  ok = words[0] == NULL || words[0][0] == '#' || read_words (header, words, number, error);
  g_strfreev (words);
  if (!ok)
    return ROBOCACHE_PCD_HEADER_MALFORMED;
  return robocache_pcd_header_is_whole (header) ? ROBOCACHE_PCD_HEADER_WHOLE : ROBOCACHE_PCD_HEADER_MORE;
}

void
robocache_pcd_header_drop_lines (RobocachePcdHeader *header, guint64 n)
{
  RobocachePcdHeader rest = {.begun = header->begun };

  for (guint i = 0; i < DATA; i++) {
    if (header->lines[i] > n) {
      rest.values[i] = g_steal_pointer (&header->values[i]);
      rest.lines[i] = header->lines[i] - n;
    }
  }
  robocache_pcd_header_clear (header);
  *header = rest;
}

gboolean
robocache_pcd_header_has (const RobocachePcdHeader *header, gint keyword)
{
  return header->values[keyword] != NULL;
}

gboolean
robocache_pcd_header_is_whole (const RobocachePcdHeader *header)
{
  return header->values[DATA] != NULL;
}

/* ---- beginnings ---- */

static gboolean
begins_with_keyword (const guint8 *line, gsize n, gint *keyword)
{
  for (guint i = 0; i < G_N_ELEMENTS (keywords); i++) {
    const gsize length = strlen (keywords[i]);

    if (memcmp (line, keywords[i], MIN (n, length)) == 0) {
      *keyword = n >= length ? find_keyword (keywords[i]) : -1;
      return TRUE;
    }
  }
  return FALSE;
}

gboolean
robocache_pcd_header_begins (const guint8 *bytes, gsize n, gint *keyword)
{
  const guint8 *line = bytes, *const end = bytes + n;

  *keyword = -1;
  if (memcmp (bytes, ROBOCACHE_PCD_MAGIC, MIN (n, strlen (ROBOCACHE_PCD_MAGIC))) != 0)
    return FALSE;
  while (line && line < end && (*line == '#' || *line == '\r' || *line == '\n')) {
    line = memchr (line, '\n', (gsize) (end - line));
    line = line ? line + 1 : NULL;
  }
  if (line && !begins_with_keyword (line, (gsize) (end - line), keyword))
    return FALSE;
  return *keyword >= 0 || n < ROBOCACHE_PCD_MAX_BEGINNING;
}

/* ---- caps ---- */

GstCaps *
robocache_pcd_header_to_caps (const RobocachePcdHeader *header)
{
  GstCaps *caps = robocache_point_fields_to_caps (&header->fields);

  if (header->height > 1)
    gst_caps_set_simple (caps, "width", G_TYPE_INT, (gint) header->width, "height", G_TYPE_INT, (gint) header->height,
        NULL);
  if (header->viewpoint)
    gst_caps_set_simple (caps, "viewpoint", G_TYPE_STRING, header->viewpoint, NULL);
  return caps;
}
