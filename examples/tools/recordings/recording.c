/* robocache: one recording to align: what the user says of it, and what its rows tell
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "recording.h"

#include <errno.h>
#include <glib/gstdio.h>
#include <math.h>
#include <string.h>

#include "common/channels/channelnames.h"
#include "examples/tools/program.h"
#include "gst/parse/table/csvrecord.h"
#include "gst/parse/records/recordreader.h"
#include "gst/parse/table/timecheck.h"

#define READ_BYTES 65536

/* How far from 1 the norm of a unit quaternion may be. */
#define UNIT_TOLERANCE 0.01

/* From here on float32 does not hold every integer. */
#define FLOAT32_INTEGERS 16777216.0

/* ---- options of the user ---- */

gchar *
recording_time_text (gint64 ns)
{
  const guint64 size = ns < 0 ? 0 - (guint64) ns : (guint64) ns;
  gchar *text = g_strdup_printf ("%s%" G_GUINT64_FORMAT ".%09" G_GUINT64_FORMAT, ns < 0 ? "-" : "", size / 1000000000,
      size % 1000000000), *with_unit;
  gsize length = strlen (text);

  while (text[length - 1] == '0')
    length--;
  length -= text[length - 1] == '.';
  with_unit = g_strdup_printf ("%.*s s", (int) length, text);
  g_free (text);
  return with_unit;
}

/* Files that a bag consists of, by their first bytes: MCAP, SQLite, and zstd. */
static gboolean
has_magic_of_bag (const gchar *path)
{
  static const gchar *const magics[] = { "\x89MCAP0\r\n", "SQLite format 3", "\x28\xb5\x2f\xfd", "#ROSBAG V", "ULog\x01" };
  gchar bytes[16] = "";
  FILE *file = g_fopen (path, "rb");
  gboolean has_magic = FALSE;

  if (file && fread (bytes, 1, sizeof (bytes) - 1, file) > 0) {
    for (guint i = 0; i < G_N_ELEMENTS (magics); i++)
      has_magic |= strncmp (bytes, magics[i], strlen (magics[i])) == 0;
  }
  g_clear_pointer (&file, fclose);
  return has_magic;
}

static gboolean
is_bag (const gchar *path)
{
  gchar *metadata = g_build_filename (path, "metadata.yaml", NULL);
  const gboolean is_folder = g_file_test (metadata, G_FILE_TEST_EXISTS);

  g_free (metadata);
  return is_folder || (g_file_test (path, G_FILE_TEST_IS_REGULAR) && has_magic_of_bag (path));
}

/* An option of the file itself that the other kind of recording has. */
static gboolean
check_options (const Recording *recording, GError **error)
{
  const RecordingOption first = recording->is_bag ? RECORDING_CHANNELS : RECORDING_TIME_SOURCE;
  const RecordingOption end = recording->is_bag ? RECORDING_TIME_SOURCE : RECORDING_INTERPOLATION;

  for (RecordingOption option = first; option < end; option++) {
    if (recording->given[option]) {
      USAGE_FAULT (error, "%s: %s is an option for %s", recording->path, recording_options[option].name,
          recording->is_bag ? "CSV files, but this is a bag of ROS 2" : "bags of ROS 2, but this is not one");
      return FALSE;
    }
  }
  return TRUE;
}

static gchar *
label_of (const gchar *path)
{
  gchar *label = g_path_get_basename (path), *dot = strrchr (label, '.');

  if (dot && dot != label)
    *dot = '\0';
  return label;
}

/* Values may be lists ("channels=1,4-6,required"): a part without "key=" belongs to the previous value. */
static gboolean
take_word (Recording *recording, const gchar *word, RecordingOption *last, GError **error)
{
  const gchar *equals = strchr (word, '=');
  gchar *key = equals ? g_strndup (word, (gsize) (equals - word)) : g_strdup (word);
  const RecordingOption option = recording_option_by_name (key);
  gboolean ok = TRUE;

  if (option < RECORDING_N_OPTIONS && (equals || !recording_options[option].placeholder)) {
    g_free (recording->given[option]);
    recording->given[option] = g_strdup (equals ? equals + 1 : "true");
    *last = option;
  } else if (!equals && *last < RECORDING_N_OPTIONS) {
    gchar *longer = g_strconcat (recording->given[*last], ",", word, NULL);

    g_free (recording->given[*last]);
    recording->given[*last] = longer;
  } else {
    USAGE_FAULT (error, "%s: there is no option \"%s\"; see --help for those that follow a file", recording->path, key);
    ok = FALSE;
  }
  g_free (key);
  return ok;
}

static Recording *
new_empty (void)
{
  Recording *recording = g_new0 (Recording, 1);

  recording->rounded = g_string_new (NULL);
  recording->delays = g_array_new (FALSE, FALSE, sizeof (gint64));
  recording->columns = g_array_new (FALSE, FALSE, sizeof (guint));
  recording->all_times = g_array_new (FALSE, FALSE, sizeof (gint64));
  recording->rows = g_array_new (FALSE, FALSE, sizeof (RecordedRow));
  recording->values = g_array_new (FALSE, FALSE, sizeof (gfloat));
  return recording;
}

Recording *
recording_new_of_bag (const Recording *bag, const gchar *topic)
{
  Recording *recording = new_empty ();
  gchar *title = g_strdup_printf ("%s %s", bag->path, topic);

  recording->is_bag = TRUE;
  recording->path = g_strdup (bag->path);
  recording->topic = g_strdup (topic);
  recording->title = printable (title);
  recording->label = printable (topic + (*topic == '/'));
  g_free (title);
  recording->arrival_column = -1;
  recording->clocks = g_strdup (bag->clocks);
  for (guint i = 0; i < RECORDING_N_OPTIONS; i++)
    recording->given[i] = g_strdup (bag->given[i]);
  return recording;
}

Recording *
recording_new_of_columns (const Recording *recording, const gchar *columns)
{
  Recording *part = new_empty ();

  part->path = g_strdup (recording->path);
  part->title = g_strdup (recording->title);
  part->label = g_strdup (recording->label);
  part->keeps_rows = recording->keeps_rows;
  part->is_part = TRUE;
  for (guint i = 0; i < RECORDING_N_OPTIONS; i++)
    part->given[i] = g_strdup (i == RECORDING_CHANNELS ? columns : recording->given[i]);
  return part;
}

Recording *
recording_new (const gchar *argument, GError **error)
{
  Recording *recording = new_empty ();
  RecordingOption last = RECORDING_N_OPTIONS;
  gchar **words, *label;
  gboolean ok = TRUE;

  if (g_file_test (argument, G_FILE_TEST_EXISTS)) {     /* a comma may be part of the name */
    recording->path = g_strdup (argument);
  } else {
    words = g_strsplit (argument, ",", -1);
    recording->path = g_strdup (words[0] ? words[0] : "");
    for (guint i = 1; ok && words[0] && words[i]; i++)
      ok = take_word (recording, words[i], &last, error);
    g_strfreev (words);
  }
  label = label_of (recording->path);
  recording->label = printable (label);
  g_free (label);
  recording->title = printable (recording->path);
  recording->is_bag = is_bag (recording->path);
  if (!ok || !check_options (recording, error))
    g_clear_pointer (&recording, recording_free);
  return recording;
}

void
recording_free (Recording *recording)
{
  for (guint i = 0; i < RECORDING_N_OPTIONS; i++)
    g_free (recording->given[i]);
  g_free (recording->path);
  g_free (recording->title);
  g_free (recording->label);
  g_free (recording->clocks);
  g_free (recording->topic);
  g_free (recording->stream);
  gst_clear_caps (&recording->caps);
  robocache_time_source_clear (&recording->times);
  g_free (recording->text_columns);
  g_free (recording->words);
  g_array_unref (recording->columns);
  g_strfreev (recording->names);
  robocache_empty_cells_clear (&recording->cells);
  g_strfreev (recording->groups);
  g_free (recording->first_fault);
  g_free (recording->kinds);
  g_free (recording->quaternions);
  g_free (recording->quaternions_reason);
  g_string_free (recording->rounded, TRUE);
  g_array_unref (recording->delays);
  g_array_unref (recording->rows);
  g_array_unref (recording->values);
  g_free (recording->doubt);
  g_clear_pointer (&recording->all_times, g_array_unref);
  g_free (recording);
}

void
recording_set_names (Recording *recording, const gchar *list)
{
  g_strfreev (recording->names);
  recording->names = list && *list ? g_strsplit (list, ",", -1) : NULL;
  for (guint c = 0; recording->names && recording->names[c]; c++) {
    gchar *name = recording->names[c];

    recording->names[c] = printable (name);
    g_free (name);
  }
}

gchar *
recording_channel_name (const Recording *recording, guint c, gboolean qualified)
{
  const gchar *name = recording->names ? recording->names[c] : "";

  if (*name == '\0')
    return g_strdup_printf ("%s.%u", recording->label, c);
  return qualified ? g_strdup_printf ("%s.%s", recording->label, name) : g_strdup (name);
}

void
recording_note_rounding (Recording *recording, guint c, gdouble value, guint8 *is_noted)
{
  gchar *name;

  if (is_noted[c] || !(fabs (value) > FLOAT32_INTEGERS) || isinf (value))
    return;
  is_noted[c] = TRUE;
  name = recording_channel_name (recording, c, FALSE);
  g_string_append_printf (recording->rounded, recording->rounded->len > 0 ? ", %s" : "%s", name);
  g_free (name);
}

/* ---- the survey of its rows ---- */

/* "q_0", "q0" or "q[0]" */
static gboolean
is_numbered (const gchar *name, guint number)
{
  static const gchar *const around[][2] = { {"q_", ""}, {"q", ""}, {"q[", "]"} };
  gboolean is = FALSE;

  for (guint i = 0; name && !is && i < G_N_ELEMENTS (around); i++) {
    gchar *wanted = g_strdup_printf ("%s%u%s", around[i][0], number, around[i][1]);

    is = g_ascii_strcasecmp (name, wanted) == 0;
    g_free (wanted);
  }
  return is;
}

/* q_0 … q_3 and no q_4: with more, they are joints. */
static gboolean
are_numbered_quaternion (gchar **names, const gfloat *values)
{
  gdouble norm = 0.0;

  for (guint c = 0; c < 4; c++) {
    if (!is_numbered (names[c], c))
      return FALSE;
    norm += (gdouble) values[c] * values[c];
  }
  return !is_numbered (names[4], 4) && fabs (sqrt (norm) - 1.0) <= UNIT_TOLERANCE;
}

/* Quaternions that are numbered, and that names alone do not tell. */
static void
guess_quaternions (Recording *recording, const gfloat *first_row, RobocacheKinds *kinds)
{
  for (guint c = 0; c + 4 <= recording->n_channels; c++) {
    if (kinds->of[c] != ROBOCACHE_KIND_REAL || !are_numbered_quaternion (recording->names + c, first_row + c))
      continue;
    robocache_kinds_set_quaternion (kinds, c);
    g_free (recording->quaternions_reason);
    recording->quaternions_reason = g_strdup ("by their names and a norm of 1");
  }
}

/* What names tell, the numbers of the first row, too. Columns of a quaternion that are not adjacent are the parser's error. */
static void
guess_kinds (Recording *recording, const RobocacheRecordReader *reader, const gfloat *first_row)
{
  gchar *names = recording->names ? g_strjoinv (",", recording->names) : NULL;
  RobocacheKinds kinds = { 0 };

  if (!recording->given[RECORDING_KINDS]) {
    robocache_kinds_init (&kinds, recording->n_channels);
    if (recording->names) {
      robocache_kinds_of_names (&kinds, (const gchar * const *) recording->names, recording->n_channels, NULL);
      recording->quaternions_reason = g_strdup ("by their names");
      guess_quaternions (recording, first_row, &kinds);
    }
    for (guint c = 0; c < recording->n_channels; c++) {
      if (robocache_record_reader_is_held (reader, c))
        robocache_kinds_set_hold (&kinds, c);
    }
    recording->kinds = robocache_kinds_to_string (&kinds, names);
    recording->quaternions = robocache_kinds_list_quaternions (&kinds);
  }
  robocache_kinds_clear (&kinds);
  g_free (names);
}

static void
read_columns (Recording *recording, const RobocacheRecordReader *reader)
{
  const gchar *names = robocache_record_reader_channel_names (reader);

  recording->n_channels = robocache_record_reader_n_channels (reader);
  recording_set_names (recording, names);
  g_array_set_size (recording->columns, 0);
  for (guint i = 0; i < recording->n_channels; i++) {
    const guint column = robocache_record_reader_column (reader, i);

    g_array_append_val (recording->columns, column);
  }
}

static void
keep_row (Recording *recording, const RobocacheRecord *record)
{
  const RecordedRow row = { record->time_ns, record->arrival_ns };

  g_array_append_val (recording->rows, row);
  g_array_append_vals (recording->values, record->values, recording->n_channels);
}

static void
read_row (Recording *recording, const RobocacheRecordReader *reader, const RobocacheRecord *record)
{
  gint64 behind, delay;

  if (recording->n_rows == 0) {
    recording->least_time = recording->greatest_time = record->time_ns;
    guess_kinds (recording, reader, record->values);
  }
  recording->n_rows++;
  g_array_append_val (recording->all_times, record->time_ns);
  if (recording->arrival_column >= 0 && robocache_time_difference (record->arrival_ns, record->time_ns, &delay))
    g_array_append_val (recording->delays, delay);
  if (robocache_time_difference (recording->greatest_time, record->time_ns, &behind))
    recording->disorder = MAX (recording->disorder, behind);
  robocache_time_steps_add (&recording->steps, record->time_ns, recording->n_rows);
  recording->least_time = MIN (recording->least_time, record->time_ns);
  recording->greatest_time = MAX (recording->greatest_time, record->time_ns);
  if (recording->keeps_rows)
    keep_row (recording, record);
}

/* Before the record is counted. */
static void
note_file_time (Recording *recording, gint64 time_ns)
{
  const gboolean is_first = recording->cells.n_records == 0;

  recording->file_begin = is_first ? time_ns : MIN (recording->file_begin, time_ns);
  recording->file_end = is_first ? time_ns : MAX (recording->file_end, time_ns);
}

/* Takes what the reader has whole. */
static gboolean
take_records (Recording *recording, RobocacheRecordReader *reader, guint8 **noted, GError **error)
{
  for (;;) {
    RobocacheRecord record;
    GError *fault = NULL;

    switch (robocache_record_reader_next (reader, &record, &fault)) {
      case ROBOCACHE_READ_MORE:
        return TRUE;
      case ROBOCACHE_READ_HEADER:
        break;
      case ROBOCACHE_READ_REFUSED:
        g_propagate_prefixed_error (error, fault, "%s: ", recording->path);
        return FALSE;
      case ROBOCACHE_READ_MALFORMED:
        if (recording->n_malformed++ == 0)
          recording->first_fault = g_strdup (fault->message);
        g_error_free (fault);
        break;
      case ROBOCACHE_READ_RECORD:
        if (recording->cells.n_records == 0) {
          read_columns (recording, reader);
          *noted = g_new0 (guint8, recording->n_channels);
        }
        note_file_time (recording, record.time_ns);
        robocache_empty_cells_add (&recording->cells, reader, &record);
        if (record.n_empty > 0)
          break;
        read_row (recording, reader, &record);
        for (guint c = 0; c < recording->n_channels; c++)
          recording_note_rounding (recording, c, record.values[c], *noted);
        break;
    }
  }
}

static gboolean
read_through (Recording *recording, RobocacheRecordReader *reader, FILE *file, GError **error)
{
  guint8 *noted = NULL;
  gchar bytes[READ_BYTES];
  gboolean ok = TRUE;
  gsize n;

  while (ok && (n = fread (bytes, 1, sizeof (bytes), file)) > 0) {
    ok = robocache_record_reader_push (reader, gst_buffer_new_memdup (bytes, n), error)
        && take_records (recording, reader, &noted, error);
  }
  robocache_record_reader_end (reader);
  ok = ok && take_records (recording, reader, &noted, error);
  g_free (noted);
  return ok;
}

static gboolean
check_content (const Recording *recording, GError **error)
{
  if (recording->n_rows > 0)
    return TRUE;
  if (recording->cells.n_records > 0) {
    gchar *choices = recording->groups ? g_strjoinv (" or channels=", recording->groups) : NULL;

    FAULT (error, choices ? "%s: no row has a value in each column: choose columns with channels=%s" : "%s has no value in any row%s",
        recording->path,
        choices ? choices : "");
    g_free (choices);
    return FALSE;
  }
  if (recording->first_fault)
    FAULT (error, "%s contains no readable row: %s", recording->path, recording->first_fault);
  else if (recording->times.name == NULL)
    FAULT (error, "%s: the file is empty", recording->path);
  else
    FAULT (error, "%s contains a header, but no row", recording->path);
  return FALSE;
}

/* The rows after a step back have another clock, and are not sorted among those before it. */
static gboolean
check_steps (const Recording *recording, GError **error)
{
  if (recording->steps.n == 0 || recording->given[RECORDING_REORDER_WINDOW])
    return TRUE;
  FAULT (error, "%s: the time steps back %" G_GUINT64_FORMAT " time%s, first at row %" G_GUINT64_FORMAT ", by up to %.3f s, "
      "because a clock was set or a counter restarted: cut the file there, or set reorder-window to sort all rows by time",
      recording->path, recording->steps.n, recording->steps.n > 1 ? "s" : "", recording->steps.first, (gdouble) recording->steps.greatest / 1e9);
  return FALSE;
}

static gboolean
check_times (Recording *recording, GError **error)
{
  const GArray *times = recording->all_times;
  gchar *fault;
  const RobocacheTimeVerdict verdict = robocache_times_judge ((gint64 *) times->data, times->len, &recording->times, &fault);

  if (verdict == ROBOCACHE_TIMES_IMPOSSIBLE)
    FAULT (error, "%s: %s", recording->path, fault);
  else if (verdict == ROBOCACHE_TIMES_DOUBTFUL)
    recording->doubt = g_steal_pointer (&fault);
  g_free (fault);
  recording_note_spacings (recording);
  return verdict != ROBOCACHE_TIMES_IMPOSSIBLE && (verdict == ROBOCACHE_TIMES_DOUBTFUL || check_steps (recording, error));
}

/* Groups of columns that lack values in other rows than the columns beside them, or throughout. */
static void
find_groups (Recording *recording)
{
  const RobocacheEmptyCells *cells = &recording->cells;
  GArray *without_value = robocache_empty_cells_without_value (cells);

  g_clear_pointer (&recording->groups, g_strfreev);
  if (cells->n_discarded > 0 || without_value->len > 0)
    recording->groups = robocache_empty_cells_groups (cells);
  g_array_unref (without_value);
}

static gboolean
has_several_groups (const Recording *recording)
{
  return recording->groups && g_strv_length (recording->groups) > 1;
}

/* Of a table without its times, which are read by a column that it has. */
static gboolean
find_column_by_name (const Recording *recording, FILE *file, const gchar *name, guint64 *number)
{
  const RobocacheRecordSpec spec = {.format = ROBOCACHE_INPUT_CSV,.delimiter = recording->given[RECORDING_DELIMITER],
    .time = {.columns = name,.unit = ROBOCACHE_TIME_UNIT_NS,.leap_seconds = -1,.arrival_column = -1},.n_ahead = ROBOCACHE_LINES_AHEAD
  };
  RobocacheRecordReader *reader = robocache_record_reader_new (&spec, NULL);
  const RobocacheTimeSource *times;
  RobocacheRecord record;
  RobocacheReadResult result = ROBOCACHE_READ_MORE;
  gchar bytes[READ_BYTES];
  gboolean has_found;
  gsize n;

  if (!reader)
    return FALSE;
  times = robocache_record_reader_time_source (reader);
  rewind (file);
  while (result == ROBOCACHE_READ_MORE && (n = fread (bytes, 1, sizeof (bytes), file)) > 0) {
    robocache_record_reader_push (reader, gst_buffer_new_memdup (bytes, n), NULL);
    result = robocache_record_reader_next (reader, &record, NULL);
  }
  if (result == ROBOCACHE_READ_MORE) {
    robocache_record_reader_end (reader);
    robocache_record_reader_next (reader, &record, NULL);
  }
  has_found = g_strcmp0 (times->name, name) == 0;
  *number = times->column;
  robocache_record_reader_free (reader);
  return has_found;
}

/* The column of the time of arrival, which the first line with names gives, where it is not a number. */
static gboolean
find_arrival_column (Recording *recording, FILE *file, GError **error)
{
  const gchar *column = recording->given[RECORDING_ARRIVAL_COLUMN];
  guint64 number;

  recording->arrival_column = -1;
  if (!column)
    return TRUE;
  if (!g_ascii_string_to_unsigned (column, 10, 0, G_MAXINT, &number, NULL) && !find_column_by_name (recording, file, column, &number)) {
    FAULT (error, "%s: arrival-column=%s: the header has no column of that name", recording->path, column);
    return FALSE;
  }
  recording->arrival_column = (gint) number;
  return TRUE;
}

/* NULL: no channel has words. */
static gchar *
describe_words (const RobocacheRecordReader *reader)
{
  gchar *words = robocache_record_reader_describe_words (reader), *text = words ? printable (words) : NULL;

  g_free (words);
  return text;
}

static gboolean
read_leap_seconds (const gchar *text, gint *n)
{
  guint64 number;
  const gboolean ok = g_ascii_string_to_unsigned (text, 10, 0, 1000, &number, NULL);

  *n = ok ? (gint) number : -1;
  return ok;
}

/* Every row, the columns and form of whose times the reader guesses. */
static gboolean
read_rows (Recording *recording, FILE *file, GError **error)
{
  gchar *const *given = recording->given;
  RobocacheRecordSpec spec = {.format = ROBOCACHE_INPUT_CSV,.delimiter = given[RECORDING_DELIMITER],.channels = given[RECORDING_CHANNELS],
    .time = {given[RECORDING_TIME_COLUMN], given[RECORDING_TIME_FORMAT], ROBOCACHE_TIME_UNIT_AUTO, -1, recording->arrival_column},
    .n_ahead = ROBOCACHE_LINES_AHEAD
  };
  RobocacheRecordReader *reader = NULL;
  gboolean ok;

  if (given[RECORDING_TIME_UNIT] && !robocache_time_unit_by_name (given[RECORDING_TIME_UNIT], &spec.time.unit))
    USAGE_FAULT (error, "time-unit=%s: expected s, ms, us or ns", given[RECORDING_TIME_UNIT]);
  else if (given[RECORDING_LEAP_SECONDS] && !read_leap_seconds (given[RECORDING_LEAP_SECONDS], &spec.time.leap_seconds))
    USAGE_FAULT (error, "leap-seconds=%s: expected 0 to 1000", given[RECORDING_LEAP_SECONDS]);
  else
    reader = robocache_record_reader_new (&spec, error);
  if (!reader) {
    g_prefix_error (error, "%s: ", recording->path);
    return FALSE;
  }
  rewind (file);
  ok = read_through (recording, reader, file, error);
  robocache_time_source_copy (&recording->times, robocache_record_reader_time_source (reader));
  recording->n_skipped = robocache_record_reader_n_skipped (reader);
  if (!recording->text_columns && robocache_record_reader_text_columns (reader))
    recording->text_columns = printable (robocache_record_reader_text_columns (reader));
  g_free (recording->words);
  recording->words = describe_words (reader);
  robocache_record_reader_free (reader);
  find_groups (recording);
  return ok;
}

/* As before it was read, with some columns. */
static void
choose_columns (Recording *recording, const gchar *columns)
{
  g_free (recording->given[RECORDING_CHANNELS]);
  recording->given[RECORDING_CHANNELS] = g_strdup (columns);
  recording->n_rows = recording->n_malformed = 0;
  g_clear_pointer (&recording->first_fault, g_free);
  g_array_set_size (recording->delays, 0);
  g_array_set_size (recording->all_times, 0);
  g_array_set_size (recording->rows, 0);
  g_array_set_size (recording->values, 0);
  recording->disorder = 0;
  recording->steps = (RobocacheTimeSteps) { 0 };
  g_clear_pointer (&recording->kinds, g_free);
  g_clear_pointer (&recording->quaternions, g_free);
  g_clear_pointer (&recording->quaternions_reason, g_free);
  g_string_truncate (recording->rounded, 0);
}

/* Without the columns that have no value, which the cells of the first reading name. */
static gboolean
survey_rows (Recording *recording, FILE *file, GError **error)
{
  RobocacheEmptyCells cells;

  if (!read_rows (recording, file, error))
    return FALSE;
  if (has_several_groups (recording) && recording->may_split)
    return TRUE;
  if (recording->groups && recording->groups[0] && !recording->groups[1]) {
    gboolean ok;

    cells = recording->cells;
    recording->cells = (RobocacheEmptyCells) { 0 };
    choose_columns (recording, recording->groups[0]);
    ok = read_rows (recording, file, error);
    robocache_empty_cells_clear (&recording->cells);
    recording->cells = cells;
    if (!ok)
      return FALSE;
  }
  return check_content (recording, error) && check_times (recording, error);
}

/* FALSE and an error: it is empty, or a file of another kind. */
static gboolean
check_kind (const Recording *recording, FILE *file, GError **error)
{
  gchar bytes[64] = "";
  const gsize n = fread (bytes, 1, sizeof (bytes), file);

  rewind (file);
  if (n == 0)
    FAULT (error, "%s: the file is empty", recording->path);
  else if (!robocache_input_refuse (bytes, n, TRUE, error))
    return TRUE;
  else
    g_prefix_error (error, "%s: ", recording->path);
  return FALSE;
}

static gint64
add_saturated (gint64 time, gint64 offset)
{
  gint64 sum;

  return __builtin_add_overflow (time, offset, &sum) ? (offset < 0 ? G_MININT64 : G_MAXINT64) : sum;
}

gboolean
recording_parse_duration (const gchar *text, gint64 *ns)
{
  static const gchar *const alone[] = { "0", "-1", "-2", NULL };
  const gboolean has_unit = *text && g_ascii_isalpha (text[strlen (text) - 1]);

  return (has_unit || g_strv_contains (alone, text)) && robocache_duration_from_text (text, ns);
}

gboolean
recording_apply_offset (Recording *recording, GError **error)
{
  const gchar *given = recording->given[RECORDING_OFFSET];
  gint64 *const times[] = { &recording->least_time, &recording->greatest_time, &recording->file_begin, &recording->file_end };

  if (given && !recording_parse_duration (given, &recording->offset)) {
    USAGE_FAULT (error, "%s: offset=%s: expected a time with a unit, like -20ms", recording->title, given);
    return FALSE;
  }
  for (guint i = 0; i < G_N_ELEMENTS (times); i++)
    *times[i] = add_saturated (*times[i], recording->offset);
  for (guint i = 0; i < recording->rows->len; i++) {
    RecordedRow *row = &g_array_index (recording->rows, RecordedRow, i);

    row->captured = add_saturated (row->captured, recording->offset);
  }
  return TRUE;
}

gint64
recording_origin (const Recording *recording, gint64 origin)
{
  return add_saturated (origin, recording->offset == G_MININT64 ? G_MAXINT64 : -recording->offset);
}

gboolean
recording_survey (Recording *recording, GError **error)
{
  FILE *file = g_fopen (recording->path, "rb");
  gboolean ok;

  if (recording->is_bag) {
    FAULT (error, "%s is a bag of ROS 2: robocache align and robocache inspect read it", recording->path);
    g_clear_pointer (&file, fclose);
    return FALSE;
  }
  if (!file || g_file_test (recording->path, G_FILE_TEST_IS_DIR)) {
    FAULT (error, "%s: %s", recording->path, file ? "a folder without metadata.yaml is not a bag; name its files" : g_strerror (errno));
    g_clear_pointer (&file, fclose);
    return FALSE;
  }
  ok = check_kind (recording, file, error) && find_arrival_column (recording, file, error) && survey_rows (recording, file, error)
      && recording_apply_offset (recording, error);
  fclose (file);
  return ok;
}
