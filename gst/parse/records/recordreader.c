/* robocache: bytes in, rows of a recording out
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "recordreader.h"

#include <math.h>
#include <string.h>

#include "binaryrecord.h"
#include "byteinput.h"
#include "columnchoice.h"
#include "csvrecord.h"
#include "timedate.h"
#include "common/tensors/tensorcaps.h"

struct _RobocacheRecordReader
{
  /* the spec */
  RobocacheInputFormat format;
  gchar delimiter;
  RobocacheRecordFormat record_format;
  gchar *choice;
  gint time_column;             /* -1: guessed */
  gint arrival_column;
  RobocacheTimeUnit time_unit;  /* or AUTO */
  RobocacheTimeSource times;
  guint n_needed;               /* columns that a record has at least */

  RobocacheByteInput input;

  /* records */
  guint64 number;
  guint64 comments;
  gboolean header_may_come;
  GPtrArray *fields;            /* gchar *, in the input's line */

  /* columns */
  guint n_columns;              /* 0: not known */
  GArray *columns;              /* guint, of the channels */
  GArray *left_out;             /* guint, of no channel; or NULL */
  gfloat *values;
  gchar *names;
  guint version;
};

/* ---- columns ---- */

static void
forget_columns (RobocacheRecordReader *reader)
{
  reader->n_columns = 0;
  g_clear_pointer (&reader->columns, g_array_unref);
  g_clear_pointer (&reader->values, g_free);
  g_clear_pointer (&reader->names, g_free);
}

/* The names of the channels as caps carry them: UTF-8, and with no comma inside a name. */
static gchar *
join_names (const GArray *columns, gchar **names)
{
  GString *joined = g_string_new (NULL);

  for (guint i = 0; i < columns->len; i++) {
    gchar *name = g_utf8_make_valid (names[g_array_index (columns, guint, i)], -1);

    g_string_append_printf (joined, i ? ",%s" : "%s", g_strdelimit (name, ",", '_'));
    g_free (name);
  }
  return g_string_free (joined, FALSE);
}

static void
guess_times (RobocacheRecordReader *reader, guint n_columns, gchar **names)
{
  const gboolean had_dates = reader->times.has_dates;

  robocache_time_source_guess (&reader->times, names, n_columns, reader->time_column, reader->time_unit, reader->arrival_column);
  reader->times.has_dates = had_dates;
  reader->n_needed = (guint) MAX ((gint64) reader->times.column, (gint64) reader->arrival_column) + 1;
}

static gboolean
is_left_out (const RobocacheRecordReader *reader, guint column)
{
  for (guint i = 0; reader->left_out && i < reader->left_out->len; i++) {
    if (g_array_index (reader->left_out, guint, i) == column)
      return TRUE;
  }
  return FALSE;
}

/* Of the columns, those that are not left out; if there are none, all. */
static GArray *
keep_columns (const RobocacheRecordReader *reader, GArray *columns)
{
  GArray *kept = g_array_new (FALSE, FALSE, sizeof (guint));

  for (guint i = 0; i < columns->len; i++) {
    const guint column = g_array_index (columns, guint, i);

    if (!is_left_out (reader, column))
      g_array_append_val (kept, column);
  }
  g_array_unref (kept->len > 0 ? columns : kept);
  return kept->len > 0 ? kept : columns;
}

static gboolean
set_columns (RobocacheRecordReader *reader, guint n_columns, gchar **names, GError **error)
{
  GArray *columns;

  guess_times (reader, n_columns, names);
  columns = robocache_columns_choose (reader->choice, n_columns, names, reader->times.column, reader->arrival_column, error);

  if (!columns)
    return FALSE;
  columns = keep_columns (reader, columns);
  forget_columns (reader);
  reader->n_columns = n_columns;
  reader->columns = columns;
  reader->values = g_new (gfloat, columns->len);
  if (names)
    reader->names = join_names (columns, names);
  reader->version++;
  return TRUE;
}

guint
robocache_record_reader_n_channels (const RobocacheRecordReader *reader)
{
  return reader->columns ? reader->columns->len : 0;
}

guint
robocache_record_reader_column (const RobocacheRecordReader *reader, guint i)
{
  return g_array_index (reader->columns, guint, i);
}

void
robocache_record_reader_leave_out (RobocacheRecordReader *reader, const GArray *columns)
{
  g_clear_pointer (&reader->left_out, g_array_unref);
  reader->left_out = g_array_sized_new (FALSE, FALSE, sizeof (guint), columns->len);
  g_array_append_vals (reader->left_out, columns->data, columns->len);
}

const gchar *
robocache_record_reader_channel_names (const RobocacheRecordReader *reader)
{
  return reader->names;
}

const RobocacheTimeSource *
robocache_record_reader_time_source (const RobocacheRecordReader *reader)
{
  return &reader->times;
}

guint
robocache_record_reader_version (const RobocacheRecordReader *reader)
{
  return reader->version;
}

guint64
robocache_record_reader_comments (const RobocacheRecordReader *reader)
{
  return reader->comments;
}

guint64
robocache_record_reader_position (const RobocacheRecordReader *reader)
{
  return robocache_byte_input_position (&reader->input);
}

/* ---- life ---- */

static gboolean
check_spec (RobocacheRecordReader *reader, const RobocacheRecordSpec *spec, GError **error)
{
  if (spec->format == ROBOCACHE_INPUT_BINARY) {
    if (!robocache_record_format_parse (&reader->record_format, spec->layout, error))
      return FALSE;
    if (reader->n_needed > reader->record_format.n_fields) {
      g_set_error (error, ROBOCACHE_ERROR, ROBOCACHE_ERROR_PROPERTY,
          "layout=\"%s\" has columns 0-%u only, but time-column=%u and arrival-column=%d",
          spec->layout, reader->record_format.n_fields - 1, reader->times.column, spec->arrival_column);
      return FALSE;
    }
    return set_columns (reader, reader->record_format.n_fields, NULL, error);
  }
  if (spec->layout && *spec->layout) {
    g_set_error (error, ROBOCACHE_ERROR, ROBOCACHE_ERROR_PROPERTY,
        "layout=\"%s\" is for format=binary, but format is csv", spec->layout);
    return FALSE;
  }
  return robocache_csv_delimiter_parse (spec->delimiter, &reader->delimiter, error);
}

RobocacheRecordReader *
robocache_record_reader_new (const RobocacheRecordSpec *spec, GError **error)
{
  RobocacheRecordReader *reader = g_new0 (RobocacheRecordReader, 1);

  reader->format = spec->format;
  reader->choice = g_strdup (spec->channels);
  reader->time_column = spec->time_column;
  reader->arrival_column = spec->arrival_column;
  reader->time_unit = spec->time_unit;
  guess_times (reader, 0, NULL);
  robocache_byte_input_init (&reader->input);
  reader->header_may_come = TRUE;
  reader->fields = g_ptr_array_new ();
  if (!check_spec (reader, spec, error))
    g_clear_pointer (&reader, robocache_record_reader_free);
  return reader;
}

void
robocache_record_reader_free (RobocacheRecordReader *reader)
{
  robocache_byte_input_clear (&reader->input);
  forget_columns (reader);
  g_clear_pointer (&reader->left_out, g_array_unref);
  robocache_time_source_clear (&reader->times);
  robocache_record_format_clear (&reader->record_format);
  g_ptr_array_unref (reader->fields);
  g_free (reader->choice);
  g_free (reader);
}

gboolean
robocache_record_reader_push (RobocacheRecordReader *reader, GstBuffer *buffer, GError **error)
{
  return robocache_byte_input_push (&reader->input, buffer, error);
}

void
robocache_record_reader_end (RobocacheRecordReader *reader)
{
  reader->input.ended = TRUE;
}

void
robocache_record_reader_restart (RobocacheRecordReader *reader)
{
  robocache_byte_input_restart (&reader->input);
  g_clear_pointer (&reader->left_out, g_array_unref);
  reader->number = 0;
  reader->header_may_come = TRUE;
  if (reader->format != ROBOCACHE_INPUT_CSV)
    return;
  forget_columns (reader);
  reader->times.has_dates = FALSE;
  guess_times (reader, 0, NULL);
}

/* ---- CSV ---- */

static void
strip_byte_order_mark (GString *line)
{
  if (line->len >= 3 && memcmp (line->str, "\xEF\xBB\xBF", 3) == 0)
    g_string_erase (line, 0, 3);
}

static gboolean
is_blank_line (const GString *line)
{
  return strspn (line->str, " \t\r") == line->len;
}

static RobocacheTimeStatus
read_time_text (RobocacheRecordReader *reader, const gchar *text, gint64 *time_ns)
{
  const RobocacheTimeStatus status = robocache_time_from_text (text, reader->times.unit, time_ns);

  return status == ROBOCACHE_TIME_NOT_A_NUMBER ? robocache_time_from_date (text, time_ns) : status;
}

/* A time that was read: a date, and no number, has a colon. */
static gboolean
is_date (const gchar *time)
{
  return strchr (time, ':') != NULL;
}

static gboolean
read_time (RobocacheRecordReader *reader, guint column, const gchar *what, gint64 *time_ns, GError **error)
{
  const gchar *text = g_ptr_array_index (reader->fields, column);
  const RobocacheTimeStatus status = read_time_text (reader, text, time_ns);

  if (status == ROBOCACHE_TIME_OK)
    return TRUE;
  g_set_error (error, ROBOCACHE_ERROR, ROBOCACHE_ERROR_DATA, status == ROBOCACHE_TIME_OVERFLOW ?
      "line %" G_GUINT64_FORMAT ", column %u: %s \"%.60s\" is beyond int64 nanoseconds; is time-unit right?" :
      "line %" G_GUINT64_FORMAT ", column %u: %s \"%.60s\" is neither a decimal number nor a date like "
      "2012-01-18T15:12:08.468Z", reader->number, column, what, text);
  return FALSE;
}

static gboolean
read_values (RobocacheRecordReader *reader, RobocacheRecord *record, GError **error)
{
  record->n_empty = 0;
  for (guint i = 0; i < reader->columns->len; i++) {
    const guint column = g_array_index (reader->columns, guint, i);
    const gchar *text = g_ptr_array_index (reader->fields, column);
    gdouble value = NAN;

    if (!robocache_csv_is_missing (text) && !robocache_csv_number (text, &value)) {
      g_set_error (error, ROBOCACHE_ERROR, ROBOCACHE_ERROR_DATA,
          "line %" G_GUINT64_FORMAT ", column %u: \"%.60s\" is not a number", reader->number, column, text);
      return FALSE;
    }
    reader->values[i] = isnan (value) ? NAN : (gfloat) value;
    record->n_empty += isnan (value) != 0;
  }
  record->values = reader->values;
  return TRUE;
}

static gboolean
has_columns (RobocacheRecordReader *reader, GError **error)
{
  const guint n = reader->fields->len;

  if (reader->n_columns > 0 ? n == reader->n_columns : n >= reader->n_needed)
    return TRUE;
  g_set_error (error, ROBOCACHE_ERROR, ROBOCACHE_ERROR_DATA,
      "line %" G_GUINT64_FORMAT " has %u column%s, expected %s%u", reader->number, n, n == 1 ? "" : "s",
      reader->n_columns > 0 ? "" : "at least ", reader->n_columns > 0 ? reader->n_columns : reader->n_needed);
  return FALSE;
}

/* Columns from a record. A line that lacks chosen channels may be the rest of one that a serial port began to send
 * before we listened, so it is malformed, no reason to stop. */
static gboolean
adopt_columns (RobocacheRecordReader *reader, GError **error)
{
  GError *fault = NULL;

  if (set_columns (reader, reader->fields->len, NULL, &fault))
    return TRUE;
  g_propagate_prefixed_error (error, fault, "line %" G_GUINT64_FORMAT ": ", reader->number);
  return FALSE;
}

/* The fields of a line that is no header. Without one the first good record fixes the columns. */
static RobocacheReadResult
read_fields (RobocacheRecordReader *reader, RobocacheRecord *record, GError **error)
{
  const gboolean new_columns = reader->n_columns == 0;

  if (!has_columns (reader, error) || !read_time (reader, reader->times.column, "time", &record->time_ns, error))
    return ROBOCACHE_READ_MALFORMED;
  reader->times.has_dates |= is_date (g_ptr_array_index (reader->fields, reader->times.column));
  record->arrival_ns = record->time_ns;
  if (reader->arrival_column >= 0
      && !read_time (reader, (guint) reader->arrival_column, "time of arrival", &record->arrival_ns, error))
    return ROBOCACHE_READ_MALFORMED;
  if (new_columns && !adopt_columns (reader, error))
    return ROBOCACHE_READ_MALFORMED;
  if (!read_values (reader, record, error)) {
    if (new_columns)
      forget_columns (reader);
    return ROBOCACHE_READ_MALFORMED;
  }
  record->number = reader->number;
  return ROBOCACHE_READ_RECORD;
}

/* Whether the fields of the first line are names: its time is no number. */
static gboolean
is_header (RobocacheRecordReader *reader)
{
  gint64 unused;

  return reader->header_may_come && reader->fields->len >= reader->n_needed
      && read_time_text (reader, g_ptr_array_index (reader->fields, reader->times.column), &unused) == ROBOCACHE_TIME_NOT_A_NUMBER;
}

static RobocacheReadResult
read_header (RobocacheRecordReader *reader, GError **error)
{
  gboolean set;

  reader->header_may_come = FALSE;
  g_ptr_array_add (reader->fields, NULL);
  set = set_columns (reader, reader->fields->len - 1, (gchar **) reader->fields->pdata, error);
  return set ? ROBOCACHE_READ_HEADER : ROBOCACHE_READ_REFUSED;
}

/* "# t,q0,q1" as the first line is a header as NumPy writes it; any other line that begins with # is a comment. */
static gboolean
is_comment (RobocacheRecordReader *reader)
{
  GString *line = reader->input.line;
  const gsize blanks = strspn (line->str, " \t");
  gsize mark;

  if (line->str[blanks] != '#')
    return FALSE;
  if (!reader->header_may_come)
    return TRUE;
  mark = blanks + strspn (line->str + blanks, "# \t");
  g_string_erase (line, 0, (gssize) mark);
  return !robocache_csv_split (line->str, line->len, reader->delimiter, reader->fields, NULL)
      || reader->fields->len < 2 || !is_header (reader);
}

static gboolean
split_line (RobocacheRecordReader *reader, GError **error)
{
  GError *fault = NULL;

  const GString *line = reader->input.line;

  if (memchr (line->str, '\0', line->len)) {
    g_set_error (error, ROBOCACHE_ERROR, ROBOCACHE_ERROR_DATA,
        "line %" G_GUINT64_FORMAT " contains a zero byte: is this a text file in UTF-8?", reader->number);
    return FALSE;
  }
  if (robocache_csv_split (line->str, line->len, reader->delimiter, reader->fields, &fault))
    return TRUE;
  g_propagate_prefixed_error (error, fault, "line %" G_GUINT64_FORMAT ": ", reader->number);
  return FALSE;
}

static RobocacheReadResult
read_line (RobocacheRecordReader *reader, RobocacheRecord *record, GError **error)
{
  if (!split_line (reader, error))
    return ROBOCACHE_READ_MALFORMED;
  if (is_header (reader))
    return read_header (reader, error);
  if (reader->fields->len >= reader->n_needed)
    reader->header_may_come = FALSE;
  return read_fields (reader, record, error);
}

static RobocacheReadResult
next_csv (RobocacheRecordReader *reader, RobocacheRecord *record, GError **error)
{
  GString *line = reader->input.line;

  for (;;) {
    const RobocacheLineResult result = robocache_byte_input_read_line (&reader->input);

    reader->number = reader->input.line_number;
    switch (result) {
      case ROBOCACHE_LINE_NONE:
        return ROBOCACHE_READ_MORE;
      case ROBOCACHE_LINE_TOO_LONG:
        g_set_error (error, ROBOCACHE_ERROR, ROBOCACHE_ERROR_DATA, "line %" G_GUINT64_FORMAT " is longer than %d bytes",
            reader->number, ROBOCACHE_MAX_LINE);
        return ROBOCACHE_READ_MALFORMED;
      case ROBOCACHE_LINE_WHOLE:
        break;
    }
    if (reader->number == 1)
      strip_byte_order_mark (line);
    if (reader->number == 1 && g_str_has_prefix (line->str, ROBOCACHE_PCD_MAGIC)) {
      g_set_error (error, ROBOCACHE_ERROR, ROBOCACHE_ERROR_PROPERTY,
          "the input begins with \"%.20s\", as a file of points does: set format=pcd", line->str);
      return ROBOCACHE_READ_REFUSED;
    }
    if (is_blank_line (line))
      continue;
    if (line->str[strspn (line->str, " \t")] == '#') {
      if (!is_comment (reader))
        return read_header (reader, error);
      reader->comments++;
      continue;
    }
    return read_line (reader, record, error);
  }
}

/* ---- binary ---- */

static gboolean
read_binary_time (RobocacheRecordReader *reader, guint column, const guint8 *bytes, gint64 *time_ns, GError **error)
{
  if (robocache_record_format_read_time (&reader->record_format, column, bytes, reader->times.unit, time_ns) == ROBOCACHE_TIME_OK)
    return TRUE;
  g_set_error (error, ROBOCACHE_ERROR, ROBOCACHE_ERROR_DATA, "record %" G_GUINT64_FORMAT " at byte %" G_GUINT64_FORMAT ": "
      "column %u is not a time within int64 nanoseconds; are layout and time-unit right?", reader->number,
      (reader->number - 1) * reader->record_format.size, column);
  return FALSE;
}

static RobocacheReadResult
next_binary (RobocacheRecordReader *reader, RobocacheRecord *record, GError **error)
{
  const gsize left = robocache_byte_input_available (&reader->input), size = reader->record_format.size;
  const guint8 *bytes = reader->input.bytes + reader->input.cursor;

  if (left == 0 || (left < size && !reader->input.ended))
    return ROBOCACHE_READ_MORE;
  reader->number++;
  reader->input.cursor += MIN (left, size);
  if (left < size) {
    g_set_error (error, ROBOCACHE_ERROR, ROBOCACHE_ERROR_DATA, "record %" G_GUINT64_FORMAT ", the last one, has %"
        G_GSIZE_FORMAT " bytes, expected %" G_GSIZE_FORMAT, reader->number, left, size);
    return ROBOCACHE_READ_MALFORMED;
  }
  if (!read_binary_time (reader, reader->times.column, bytes, &record->time_ns, error))
    return ROBOCACHE_READ_MALFORMED;
  record->arrival_ns = record->time_ns;
  if (reader->arrival_column >= 0
      && !read_binary_time (reader, (guint) reader->arrival_column, bytes, &record->arrival_ns, error))
    return ROBOCACHE_READ_MALFORMED;
  for (guint i = 0; i < reader->columns->len; i++)
    reader->values[i] = robocache_record_format_read_float (&reader->record_format, g_array_index (reader->columns, guint, i), bytes);
  record->number = reader->number;
  record->values = reader->values;
  record->n_empty = 0;
  return ROBOCACHE_READ_RECORD;
}

RobocacheReadResult
robocache_record_reader_next (RobocacheRecordReader *reader, RobocacheRecord *record, GError **error)
{
  const gboolean is_binary = reader->format == ROBOCACHE_INPUT_BINARY;
  RobocacheReadResult result;

  /* what waits stays in the pieces that it came in, until it is a record */
  if (is_binary && !reader->input.ended && robocache_byte_input_available (&reader->input) < reader->record_format.size) {
    robocache_byte_input_unmap (&reader->input);
    return ROBOCACHE_READ_MORE;
  }
  if (is_binary)
    robocache_byte_input_map (&reader->input, reader->record_format.size);
  result = is_binary ? next_binary (reader, record, error) : next_csv (reader, record, error);
  if (result == ROBOCACHE_READ_MORE)
    robocache_byte_input_unmap (&reader->input);
  if (error && *error)
    robocache_byte_input_make_valid (*error);
  return result;
}
