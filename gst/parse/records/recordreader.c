/* robocache: bytes in, rows of a recording out
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "recordreader.h"

#include <math.h>
#include <string.h>

#include "binaryrecord.h"
#include "byteinput.h"
#include "gst/parse/table/columnchoice.h"
#include "gst/parse/table/columnwords.h"
#include "gst/parse/table/csvrecord.h"
#include "gst/parse/table/tableshape.h"
#include "gst/parse/table/timedate.h"
#include "gst/parse/table/timeformat.h"
#include "common/tensors/tensorcaps.h"

/* Of a file, while no line is data, or times are not in order. */
#define MAX_BYTES_AHEAD (4 << 20)
#define MAX_LINES_OF_STREAM 64

/* What the fields of a column are. */
typedef enum
{
  NUMBERS,
  TRUTHS,
  WORDS
} Content;

struct _RobocacheRecordReader
{
  /* the spec */
  RobocacheInputFormat format;
  gchar delimiter;              /* '\0': not known */
  RobocacheRecordFormat record_format;
  gchar *choice, *delimiter_text, *time_columns, *time_format;
  RobocacheTimeChoice time;     /* its strings are those above */
  gint arrival_column;
  guint n_ahead;
  RobocacheTimeSource times;
  RobocacheDayClock day_clock;
  guint n_needed;               /* columns that a record has at least */

  RobocacheByteInput input;

  /* records */
  guint64 number;
  guint64 comments;
  gboolean is_shaped;           /* the columns of a table are known, or the table has none */
  GArray *ahead;                /* RobocacheTableLine, that were read to find its shape, and are read again */
  guint n_again;                /* of these, lines that were */
  guint n_content_ahead;        /* of these, lines that are not blank */
  guint n_enough;               /* lines of content for the next attempt */
  gsize n_bytes_ahead;
  guint64 position;             /* behind the line that is read again */
  gchar **header;               /* its names, which may come again; or NULL */
  gboolean has_decimal_comma;
  GPtrArray *fields;            /* gchar *, in the input's line */

  /* columns */
  guint n_columns;              /* 0: not known */
  GArray *columns;              /* guint, of the channels */
  GArray *left_out;             /* guint, of no channel; or NULL */
  Content *contents;            /* [n_columns]; NULL: all are numbers */
  RobocacheColumnWords **words; /* of channels; NULL: no channel has words */
  gchar *text_columns;
  guint n_skipped;              /* lines before the data that are nothing of the table */
  gfloat *values;
  gchar *names;
  guint version;
};

/* ---- columns ---- */

static void
forget_columns (RobocacheRecordReader *reader)
{
  reader->n_columns = 0;
  for (guint i = 0; reader->words && i < reader->columns->len; i++)
    g_clear_pointer (&reader->words[i], g_hash_table_unref);
  g_clear_pointer (&reader->words, g_free);
  g_clear_pointer (&reader->columns, g_array_unref);
  g_clear_pointer (&reader->values, g_free);
  g_clear_pointer (&reader->names, g_free);
}

static void
set_needed (RobocacheRecordReader *reader)
{
  reader->n_needed = (guint) MAX (MAX ((gint64) reader->times.column, (gint64) reader->times.second), (gint64) reader->arrival_column) + 1;
}

static gboolean
set_columns (RobocacheRecordReader *reader, guint n_columns, gchar **names, GError **error)
{
  GArray *columns = robocache_columns_choose (reader->choice, n_columns, names, &reader->times, reader->arrival_column, error), *kept;

  if (!columns)
    return FALSE;
  kept = robocache_columns_without (columns, reader->left_out);
  if (reader->text_columns && kept->len == 0) {
    g_set_error (error, ROBOCACHE_ERROR, ROBOCACHE_ERROR_PROPERTY, "the file has no column of numbers: %s have text; to number the "
        "words of a column, list it in channels", reader->text_columns);
    g_array_unref (kept);
    g_array_unref (columns);
    return FALSE;
  }
  /* all columns if none is left */
  if (kept->len > 0) {
    g_array_unref (columns);
    columns = kept;
  } else {
    g_array_unref (kept);
  }
  forget_columns (reader);
  reader->n_columns = n_columns;
  reader->columns = columns;
  reader->values = g_new (gfloat, columns->len);
  if (names)
    reader->names = robocache_columns_join_names (columns, names);
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

gboolean
robocache_record_reader_is_held (const RobocacheRecordReader *reader, guint i)
{
  return reader->contents && reader->contents[g_array_index (reader->columns, guint, i)] != NUMBERS;
}

const gchar *
robocache_record_reader_text_columns (const RobocacheRecordReader *reader)
{
  return reader->text_columns;
}

guint
robocache_record_reader_n_skipped (const RobocacheRecordReader *reader)
{
  return reader->n_skipped;
}

void
robocache_record_reader_set_ahead (RobocacheRecordReader *reader, guint n_lines)
{
  reader->n_ahead = reader->n_enough = n_lines;
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
  return reader->n_again < reader->ahead->len ? reader->position : robocache_byte_input_position (&reader->input);
}

/* ---- life ---- */

static gboolean
check_spec (RobocacheRecordReader *reader, const RobocacheRecordSpec *spec, GError **error)
{
  gboolean unused;

  if (spec->format == ROBOCACHE_INPUT_BINARY) {
    if (!robocache_record_format_parse (&reader->record_format, spec->layout, error))
      return FALSE;
    if (!robocache_time_source_of_numbers (&reader->times, &reader->time, error))
      return FALSE;
    set_needed (reader);
    if (reader->n_needed > reader->record_format.n_fields) {
      g_set_error (error, ROBOCACHE_ERROR, ROBOCACHE_ERROR_PROPERTY,
          "layout=\"%s\" has columns 0-%u only, but time-column=%s and arrival-column=%d",
          spec->layout, reader->record_format.n_fields - 1, spec->time.columns ? spec->time.columns : "0", reader->arrival_column);
      return FALSE;
    }
    return set_columns (reader, reader->record_format.n_fields, NULL, error);
  }
  if (spec->layout && *spec->layout) {
    g_set_error (error, ROBOCACHE_ERROR, ROBOCACHE_ERROR_PROPERTY,
        "layout=\"%s\" is for format=binary, but format is csv", spec->layout);
    return FALSE;
  }
  return robocache_csv_delimiter_parse (reader->delimiter_text, &reader->delimiter, error)
      && (!reader->time_format || !*reader->time_format || robocache_time_format_check (reader->time_format, &unused, error));
}

static void
clear_line (gpointer line)
{
  g_free (((RobocacheTableLine *) line)->text);
}

/* Of a table: what its first lines told. */
static void
forget_shape (RobocacheRecordReader *reader)
{
  forget_columns (reader);
  g_clear_pointer (&reader->contents, g_free);
  g_clear_pointer (&reader->text_columns, g_free);
  g_clear_pointer (&reader->header, g_strfreev);
  g_array_set_size (reader->ahead, 0);
  reader->n_again = reader->n_content_ahead = 0;
  reader->n_bytes_ahead = 0;
  reader->n_enough = reader->n_ahead;
  reader->is_shaped = reader->has_decimal_comma = FALSE;
  reader->day_clock = (RobocacheDayClock) { 0 };
}

RobocacheRecordReader *
robocache_record_reader_new (const RobocacheRecordSpec *spec, GError **error)
{
  RobocacheRecordReader *reader = g_new0 (RobocacheRecordReader, 1);

  reader->format = spec->format;
  reader->choice = g_strdup (spec->channels);
  reader->delimiter_text = g_strdup (spec->delimiter ? spec->delimiter : "auto");
  reader->time_columns = g_strdup (spec->time.columns);
  reader->time_format = g_strdup (spec->time.format);
  reader->time = spec->time;
  reader->time.columns = reader->time_columns;
  reader->time.format = reader->time_format;
  reader->arrival_column = spec->time.arrival_column;
  reader->n_ahead = reader->n_enough = spec->n_ahead;
  reader->times.second = -1;
  robocache_byte_input_init (&reader->input);
  reader->fields = g_ptr_array_new ();
  reader->ahead = g_array_new (FALSE, FALSE, sizeof (RobocacheTableLine));
  g_array_set_clear_func (reader->ahead, clear_line);
  if (!check_spec (reader, spec, error))
    g_clear_pointer (&reader, robocache_record_reader_free);
  return reader;
}

void
robocache_record_reader_free (RobocacheRecordReader *reader)
{
  robocache_byte_input_clear (&reader->input);
  forget_shape (reader);
  g_array_unref (reader->ahead);
  g_clear_pointer (&reader->left_out, g_array_unref);
  robocache_time_source_clear (&reader->times);
  robocache_record_format_clear (&reader->record_format);
  g_ptr_array_unref (reader->fields);
  g_free (reader->choice);
  g_free (reader->time_columns);
  g_free (reader->time_format);
  g_free (reader->delimiter_text);
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
  if (reader->format != ROBOCACHE_INPUT_CSV)
    return;
  forget_shape (reader);
  robocache_time_source_clear (&reader->times);
  robocache_csv_delimiter_parse (reader->delimiter_text, &reader->delimiter, NULL);
}

/* ---- rows of a table ---- */

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

/* A time that was read: a date, and no number, has a colon. */
static gboolean
is_date (const gchar *time)
{
  return strchr (time, ':') != NULL;
}

static gboolean
is_time_of_two (const RobocacheRecordReader *reader)
{
  return reader->times.second >= 0;
}

static RobocacheTimeStatus
read_time_fields (RobocacheRecordReader *reader, gint64 *time_ns)
{
  gchar *first = g_ptr_array_index (reader->fields, reader->times.column);
  gchar *second = is_time_of_two (reader) ? g_ptr_array_index (reader->fields, reader->times.second) : NULL;

  if (reader->has_decimal_comma) {
    robocache_csv_replace_comma (first);
    if (second)
      robocache_csv_replace_comma (second);
  }
  return robocache_table_time_read (&reader->times.reading, &reader->day_clock, first, second, time_ns);
}

static gboolean
set_time_error (const RobocacheRecordReader *reader, RobocacheTimeStatus status, guint column, const gchar *what, GError **error)
{
  const gchar *text = g_ptr_array_index (reader->fields, column);
  const gboolean is_number = reader->times.reading.form == ROBOCACHE_TIME_NUMBER;

  if (status == ROBOCACHE_TIME_OVERFLOW)
    g_set_error (error, ROBOCACHE_ERROR, ROBOCACHE_ERROR_DATA, "line %" G_GUINT64_FORMAT ", column %u: %s \"%.60s\" is beyond int64 nanoseconds; is "
        "time-unit right?", reader->number, column, what, text);
  else
    g_set_error (error, ROBOCACHE_ERROR, ROBOCACHE_ERROR_DATA, is_number ? "line %" G_GUINT64_FORMAT ", column %u: %s \"%.60s\" is neither a decimal number "
        "nor a date like 2012-01-18T15:12:08.468Z" : "line %" G_GUINT64_FORMAT ", column %u: %s \"%.60s\" is not like the times before it", reader->number,
        column, what, text);
  return FALSE;
}

static gboolean
read_times (RobocacheRecordReader *reader, RobocacheRecord *record, GError **error)
{
  RobocacheTimeStatus status = read_time_fields (reader, &record->time_ns);
  gchar *arrival;

  if (status != ROBOCACHE_TIME_OK)
    return set_time_error (reader, status, reader->times.column, "time", error);
  if (reader->times.reading.form == ROBOCACHE_TIME_NUMBER)
    reader->times.has_dates |= is_date (g_ptr_array_index (reader->fields, reader->times.column));
  record->arrival_ns = record->time_ns;
  if (reader->arrival_column < 0)
    return TRUE;
  arrival = g_ptr_array_index (reader->fields, reader->arrival_column);
  if (reader->has_decimal_comma)
    robocache_csv_replace_comma (arrival);
  status = robocache_time_from_text (arrival, reader->times.reading.unit, &record->arrival_ns);
  if (status == ROBOCACHE_TIME_NOT_A_NUMBER)
    status = robocache_time_from_date (arrival, &record->arrival_ns);
  return status == ROBOCACHE_TIME_OK || set_time_error (reader, status, (guint) reader->arrival_column, "time of arrival", error);
}

/* A field that is no decimal number. */
static gboolean
read_other_value (RobocacheRecordReader *reader, guint i, gchar *text, gdouble *value)
{
  const guint column = g_array_index (reader->columns, guint, i);
  const Content content = reader->contents ? reader->contents[column] : NUMBERS;

  if (content == WORDS)
    return robocache_column_words_number (reader->words[i], text, value);
  if (reader->has_decimal_comma && robocache_csv_replace_comma (text))
    return robocache_csv_number (text, value);
  return robocache_csv_truth (text, value);
}

/* Whether a column is one of the times, whose decimal commas have been replaced. */
static gboolean
is_of_time (const RobocacheRecordReader *reader, guint column)
{
  return column == reader->times.column || (gint) column == reader->times.second || (gint) column == reader->arrival_column;
}

/* A number that has a point in a table of decimal commas is not what it seems. */
static gboolean
read_value (RobocacheRecordReader *reader, guint i, gchar *text, gdouble *value)
{
  const gboolean is_word = reader->words && reader->words[i];

  if (!is_word && robocache_csv_number (text, value))
    return !reader->has_decimal_comma || strchr (text, '.') == NULL || is_of_time (reader, g_array_index (reader->columns, guint, i));
  return read_other_value (reader, i, text, value);
}

static gboolean
read_values (RobocacheRecordReader *reader, RobocacheRecord *record, GError **error)
{
  record->n_empty = 0;
  for (guint i = 0; i < reader->columns->len; i++) {
    const guint column = g_array_index (reader->columns, guint, i);
    gchar *text = g_ptr_array_index (reader->fields, column);
    gdouble value = NAN;

    if (!robocache_csv_is_missing (text) && !read_value (reader, i, text, &value)) {
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

/* Whether fields from one on are empty: of delimiters at the end of a line. */
static gboolean
ends_empty (const GPtrArray *fields, guint from)
{
  for (guint i = from; i < fields->len; i++) {
    if (*(const gchar *) g_ptr_array_index (fields, i) != '\0')
      return FALSE;
  }
  return TRUE;
}

/* A line of a file may lack fields at its end, which have no value, unless the file was cut there. */
static gboolean
has_columns (RobocacheRecordReader *reader, gboolean is_cut, GError **error)
{
  const guint n = reader->fields->len, n_columns = reader->n_columns;

  if (n == n_columns || (n > n_columns && n_columns > 0 && ends_empty (reader->fields, n_columns)))
    return TRUE;
  if (reader->n_ahead > 0 && n < n_columns && n >= reader->n_needed && n > 1 && !is_cut) {
    while (reader->fields->len < n_columns)
      g_ptr_array_add (reader->fields, (gpointer) "");
    return TRUE;
  }
  g_set_error (error, ROBOCACHE_ERROR, ROBOCACHE_ERROR_DATA,
      "line %" G_GUINT64_FORMAT " has %u column%s, expected %s%u", reader->number, n, n == 1 ? "" : "s",
      n_columns > 0 ? "" : "at least ", n_columns > 0 ? n_columns : reader->n_needed);
  return FALSE;
}

static gboolean
is_header_again (const RobocacheRecordReader *reader)
{
  guint c = 0;

  while (reader->header && reader->header[c] && c < reader->fields->len && g_str_equal (reader->header[c], g_ptr_array_index (reader->fields, c)))
    c++;
  return c > 0 && reader->header[c] == NULL && c == reader->n_columns;
}

static RobocacheReadResult
read_fields (RobocacheRecordReader *reader, RobocacheRecord *record, gboolean is_cut, GError **error)
{
  if (!has_columns (reader, is_cut, error) || !read_times (reader, record, error) || !read_values (reader, record, error))
    return ROBOCACHE_READ_MALFORMED;
  record->number = reader->number;
  return ROBOCACHE_READ_RECORD;
}

static gboolean
split_line (RobocacheRecordReader *reader, gchar *text, gsize length, GError **error)
{
  GError *fault = NULL;

  if (memchr (text, '\0', length)) {
    g_set_error (error, ROBOCACHE_ERROR, ROBOCACHE_ERROR_DATA,
        "line %" G_GUINT64_FORMAT " contains a zero byte: is this a text file in UTF-8?", reader->number);
    return FALSE;
  }
  if (robocache_csv_split (text, length, reader->delimiter, reader->fields, &fault))
    return TRUE;
  g_propagate_prefixed_error (error, fault, "line %" G_GUINT64_FORMAT ": ", reader->number);
  return FALSE;
}

static RobocacheReadResult
set_too_long (const RobocacheRecordReader *reader, GError **error)
{
  g_set_error (error, ROBOCACHE_ERROR, ROBOCACHE_ERROR_DATA, "line %" G_GUINT64_FORMAT " is longer than %d bytes", reader->number, ROBOCACHE_MAX_LINE);
  return ROBOCACHE_READ_MALFORMED;
}

/* A line of a table whose columns are known. ROBOCACHE_READ_MORE: it is none of its rows. */
static RobocacheReadResult
read_line (RobocacheRecordReader *reader, gchar *text, gsize length, gboolean is_cut, RobocacheRecord *record, GError **error)
{
  const gboolean begins_with_number = g_ascii_isdigit (*text);
  RobocacheReadResult result;
  GError *fault = NULL;

  if (!begins_with_number && strspn (text, " \t\r") == length)
    return ROBOCACHE_READ_MORE;
  if (!begins_with_number && robocache_table_comment_mark (text) > 0) {
    reader->comments++;
    return ROBOCACHE_READ_MORE;
  }
  if (!split_line (reader, text, length, error))
    return ROBOCACHE_READ_MALFORMED;
  result = read_fields (reader, record, is_cut, &fault);
  if (result == ROBOCACHE_READ_MALFORMED && is_header_again (reader)) {
    reader->comments++;
    g_clear_error (&fault);
    return ROBOCACHE_READ_MORE;
  }
  if (fault)
    g_propagate_error (error, fault);
  return result;
}

/* ---- the shape of a table ---- */

/* What columns have, of those that the user did not choose by name or number no text. */
static void
find_contents (RobocacheRecordReader *reader, const RobocacheTableShape *shape)
{
  const gboolean has_choice = reader->choice && *reader->choice;
  GArray *left_out = g_array_new (FALSE, FALSE, sizeof (guint));
  GString *names = g_string_new (NULL);

  reader->contents = g_new0 (Content, MAX (shape->n_columns, 1));
  for (guint c = 0; c < shape->n_columns; c++) {
    const RobocacheColumnFacts *facts = &shape->sample.facts[c];
    const gboolean is_text = robocache_facts_are_text (facts) || robocache_facts_are (facts, ROBOCACHE_CELL_DATE)
        || robocache_facts_are (facts, ROBOCACHE_CELL_DAY) || robocache_facts_are (facts, ROBOCACHE_CELL_CLOCK);

    if (robocache_facts_are (facts, ROBOCACHE_CELL_TRUTH))
      reader->contents[c] = TRUTHS;
    if (!is_text || c == reader->times.column || (gint) c == reader->times.second || (gint) c == reader->arrival_column)
      continue;
    if (has_choice) {
      reader->contents[c] = WORDS;
      continue;
    }
    g_array_append_val (left_out, c);
    if (shape->names && *shape->names[c])
      g_string_append_printf (names, "%s%s", names->len > 0 ? ", " : "", shape->names[c]);
    else
      g_string_append_printf (names, "%scolumn %u", names->len > 0 ? ", " : "", c);
  }
  if (left_out->len > 0) {
    if (reader->left_out)
      g_array_append_vals (reader->left_out, left_out->data, left_out->len);
    else
      reader->left_out = g_array_ref (left_out);
    reader->text_columns = g_utf8_make_valid (names->str, -1);
  }
  g_array_unref (left_out);
  g_string_free (names, TRUE);
}

static void
prepare_words (RobocacheRecordReader *reader)
{
  for (guint i = 0; i < reader->columns->len; i++) {
    if (reader->contents[g_array_index (reader->columns, guint, i)] != WORDS)
      continue;
    if (!reader->words)
      reader->words = g_new0 (RobocacheColumnWords *, reader->columns->len);
    reader->words[i] = robocache_column_words_new ();
  }
}

/* Of a stream the first line may be cut, or its text a fault of the line: nothing is left out. A line without names that lacks chosen channels may be the
 * rest of one that a serial port began to send before we listened, so it is malformed, no reason to stop. */
static RobocacheReadResult
adopt_shape (RobocacheRecordReader *reader, const RobocacheTableShape *shape, gboolean is_last, GError **error)
{
  const gboolean has_data = robocache_sample_n_data (&shape->sample) > 0;

  g_clear_pointer (&reader->contents, g_free);
  g_clear_pointer (&reader->text_columns, g_free);
  reader->has_decimal_comma = shape->has_decimal_comma;
  if (!robocache_time_source_guess (&reader->times, &reader->time, shape->names, shape->n_columns, has_data ? &shape->sample : NULL, error))
    return shape->names || reader->n_ahead > 0 ? ROBOCACHE_READ_REFUSED : ROBOCACHE_READ_MALFORMED;
  if (reader->times.is_unsorted && !is_last && reader->n_ahead > 0)
    return ROBOCACHE_READ_MORE;
  if (shape->units && reader->times.column < g_strv_length (shape->units))
    robocache_time_source_take_unit (&reader->times, shape->units[reader->times.column]);
  set_needed (reader);
  if (reader->n_needed > shape->n_columns) {
    g_set_error (error, ROBOCACHE_ERROR, ROBOCACHE_ERROR_PROPERTY, "arrival-column=%d: the table has columns 0-%u only", reader->arrival_column,
        shape->n_columns - 1);
    return shape->names || reader->n_ahead > 0 ? ROBOCACHE_READ_REFUSED : ROBOCACHE_READ_MALFORMED;
  }
  if (has_data && (reader->n_ahead > 0 || (reader->choice && *reader->choice)))
    find_contents (reader, shape);
  if (!set_columns (reader, shape->n_columns, shape->names, error))
    return shape->names ? ROBOCACHE_READ_REFUSED : ROBOCACHE_READ_MALFORMED;
  if (reader->contents)
    prepare_words (reader);
  reader->header = g_strdupv (shape->names);
  reader->delimiter = shape->delimiter;
  reader->is_shaped = TRUE;
  reader->n_again = shape->data;
  return shape->names ? ROBOCACHE_READ_HEADER : ROBOCACHE_READ_RECORD;
}

/* Of lines that were kept, those up to one that is no row. */
static void
drop_lines (RobocacheRecordReader *reader, guint n, GError **error)
{
  const guint64 number = g_array_index (reader->ahead, RobocacheTableLine, n - 1).number;

  g_prefix_error (error, "line %" G_GUINT64_FORMAT ": ", number);
  g_array_remove_range (reader->ahead, 0, n);
  reader->n_content_ahead = reader->n_enough = 0;
  reader->n_bytes_ahead = 0;
  for (guint i = 0; i < reader->ahead->len; i++) {
    const RobocacheTableLine *line = &g_array_index (reader->ahead, RobocacheTableLine, i);

    reader->n_content_ahead += line->length > 0;
    reader->n_bytes_ahead += line->length + sizeof (*line);
  }
}

/* Lines of no table. Blank lines and comments are none, either, and no fault. */
static RobocacheReadResult
give_up (RobocacheRecordReader *reader, GError **error)
{
  const guint n = reader->n_content_ahead;

  g_array_set_size (reader->ahead, 0);
  reader->n_content_ahead = 0;
  reader->n_bytes_ahead = 0;
  if (n == 0)
    return ROBOCACHE_READ_MORE;
  g_set_error (error, ROBOCACHE_ERROR, ROBOCACHE_ERROR_DATA, "line %" G_GUINT64_FORMAT " and the lines before it are no rows of a table: is this a text file in "
      "UTF-8, and is delimiter right?", reader->number);
  return ROBOCACHE_READ_MALFORMED;
}

/* Of the first lines. ROBOCACHE_READ_MORE: they do not tell it. ROBOCACHE_READ_RECORD: it has no header. */
static RobocacheReadResult
find_shape (RobocacheRecordReader *reader, gboolean is_last, GError **error)
{
  const RobocacheTableLine *lines = (const RobocacheTableLine *) (gpointer) reader->ahead->data;
  RobocacheTableShape shape = { 0 };
  RobocacheReadResult result = ROBOCACHE_READ_MORE;

  if (robocache_table_shape_find (&shape, lines, reader->ahead->len, reader->delimiter)
      || (is_last && robocache_table_shape_find_header (&shape, lines, reader->ahead->len, reader->delimiter))) {
    result = adopt_shape (reader, &shape, is_last, error);
    reader->n_skipped = robocache_table_shape_n_skipped (&shape, lines);
    for (guint i = 0; i < shape.data && reader->is_shaped; i++)
      reader->comments += robocache_table_comment_mark (lines[i].text) > 0;
    if (result == ROBOCACHE_READ_MALFORMED)
      drop_lines (reader, shape.data + 1, error);
  }
  robocache_table_shape_clear (&shape);
  return result;
}

static void
keep_line (RobocacheRecordReader *reader, gboolean is_too_long)
{
  const GString *line = reader->input.line;
  const gsize n = is_too_long ? 0 : line->len;
  RobocacheTableLine kept = { g_malloc (n + 1), n, reader->input.line_number, robocache_byte_input_position (&reader->input), is_too_long,
    reader->input.line_is_cut
  };

  memcpy (kept.text, line->str, n);
  kept.text[n] = '\0';
  g_array_append_val (reader->ahead, kept);
  reader->n_bytes_ahead += n + sizeof (kept);
  reader->n_content_ahead += n > 0 && !is_blank_line (line);
}

/* Keeps lines until they tell the shape of the table. */
static RobocacheReadResult
read_ahead (RobocacheRecordReader *reader, GError **error)
{
  for (;;) {
    const RobocacheLineResult line = robocache_byte_input_read_line (&reader->input);
    const gboolean is_last = line == ROBOCACHE_LINE_NONE || reader->n_bytes_ahead > MAX_BYTES_AHEAD
        || (reader->n_ahead == 0 && reader->n_content_ahead >= MAX_LINES_OF_STREAM);
    RobocacheReadResult result = ROBOCACHE_READ_MORE;

    reader->number = reader->input.line_number;

    if (line == ROBOCACHE_LINE_NONE && (!robocache_byte_input_has_ended (&reader->input) || reader->ahead->len == 0))
      return ROBOCACHE_READ_MORE;
    if (line != ROBOCACHE_LINE_NONE) {
      if (reader->input.line_number == 1 && line == ROBOCACHE_LINE_WHOLE) {
        if (robocache_input_refuse (reader->input.line->str, reader->input.line->len, TRUE, error))
          return ROBOCACHE_READ_REFUSED;
        strip_byte_order_mark (reader->input.line);
      }
      keep_line (reader, line == ROBOCACHE_LINE_TOO_LONG);
    }
    if (is_last || reader->n_content_ahead >= MAX (reader->n_enough, 1)) {
      reader->n_enough = reader->n_ahead > 0 ? 2 * reader->n_content_ahead : reader->n_content_ahead + 1;
      result = find_shape (reader, is_last, error);
    }
    if (result != ROBOCACHE_READ_MORE)
      return result;
    if (is_last)
      return give_up (reader, error);
  }
}

/* ---- CSV ---- */

/* The next line that was read ahead. */
static RobocacheReadResult
read_again (RobocacheRecordReader *reader, RobocacheRecord *record, GError **error)
{
  while (reader->n_again < reader->ahead->len) {
    RobocacheTableLine *line = &g_array_index (reader->ahead, RobocacheTableLine, reader->n_again);
    RobocacheReadResult result;

    reader->n_again++;
    reader->number = line->number;
    reader->position = line->end;
    result = line->is_too_long ? set_too_long (reader, error) : read_line (reader, line->text, line->length, line->is_cut, record, error);
    if (result != ROBOCACHE_READ_MORE)
      return result;
  }
  g_array_set_size (reader->ahead, 0);
  reader->n_again = 0;
  return ROBOCACHE_READ_MORE;
}

static RobocacheReadResult
next_csv (RobocacheRecordReader *reader, RobocacheRecord *record, GError **error)
{
  RobocacheReadResult result;
  GString *line = reader->input.line;

  if (!reader->is_shaped) {
    result = read_ahead (reader, error);
    if (result != ROBOCACHE_READ_RECORD)
      return result;
  }
  if (reader->ahead->len > 0) {
    result = read_again (reader, record, error);
    if (result != ROBOCACHE_READ_MORE)
      return result;
  }
  do {
    const RobocacheLineResult status = robocache_byte_input_read_line (&reader->input);

    reader->number = reader->input.line_number;
    if (status == ROBOCACHE_LINE_NONE)
      return ROBOCACHE_READ_MORE;
    if (status == ROBOCACHE_LINE_TOO_LONG)
      return set_too_long (reader, error);
    result = read_line (reader, line->str, line->len, reader->input.line_is_cut, record, error);
  } while (result == ROBOCACHE_READ_MORE);
  return result;
}

gchar *
robocache_record_reader_describe_words (const RobocacheRecordReader *reader)
{
  GString *text = g_string_new (NULL);
  gchar *valid;

  for (guint i = 0; reader->words && i < reader->columns->len; i++) {
    const guint column = g_array_index (reader->columns, guint, i);

    if (!reader->words[i] || g_hash_table_size (reader->words[i]) == 0)
      continue;
    if (reader->header)
      g_string_append_printf (text, "%s%s: ", text->len > 0 ? "; " : "", reader->header[column]);
    else
      g_string_append_printf (text, "%scolumn %u: ", text->len > 0 ? "; " : "", column);
    robocache_column_words_append (reader->words[i], text);
  }
  valid = text->len > 0 ? g_utf8_make_valid (text->str, -1) : NULL;
  g_string_free (text, TRUE);
  return valid;
}

/* ---- binary ---- */

static gboolean
read_binary_times (RobocacheRecordReader *reader, const guint8 *bytes, RobocacheRecord *record, GError **error)
{
  const RobocacheRecordFormat *format = &reader->record_format;
  const RobocacheTimeUnit unit = reader->times.reading.unit;

  if (!robocache_record_format_read_time (format, reader->times.column, bytes, unit, &record->time_ns, error)
      || (is_time_of_two (reader) && !robocache_record_format_add_part (format, (guint) reader->times.second, bytes,
          reader->times.reading.second_unit, &record->time_ns, error)))
    return FALSE;
  record->arrival_ns = record->time_ns;
  return reader->arrival_column < 0
      || robocache_record_format_read_time (format, (guint) reader->arrival_column, bytes, unit, &record->arrival_ns, error);
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
    g_set_error (error, ROBOCACHE_ERROR, ROBOCACHE_ERROR_DATA, "the last record, %" G_GUINT64_FORMAT ", has %"
        G_GSIZE_FORMAT " bytes, expected %" G_GSIZE_FORMAT, reader->number, left, size);
    return ROBOCACHE_READ_MALFORMED;
  }
  if (!read_binary_times (reader, bytes, record, error)) {
    g_prefix_error (error, "record %" G_GUINT64_FORMAT " at byte %" G_GUINT64_FORMAT ": ", reader->number, (reader->number - 1) * size);
    return ROBOCACHE_READ_MALFORMED;
  }
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
