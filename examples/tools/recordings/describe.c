/* robocache: what a survey found in a recording, as lines for people
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include <string.h>

#include "examples/tools/program.h"
#include "recording.h"

void
recording_describe_time (const Recording *recording, FILE *out)
{
  const RobocacheTimeSource *times = &recording->times;
  gchar *name = printable (times->name ? times->name : ""), *others = printable (times->others ? times->others : "");
  gchar *columns = robocache_time_source_describe (times), *text = printable (columns);

  fprintf (out, "time");
  if (times->reading.form != ROBOCACHE_TIME_NUMBER)
    fprintf (out, " is in %s%s%s", text, times->others ? ", and not in " : "", others);
  else if (times->column_by == ROBOCACHE_CHOSEN_BY_NAME && (times->column > 0 || times->others))
    fprintf (out, " is %s%s%s,", name, times->others ? " and not " : "", others);
  else if (times->column_by == ROBOCACHE_CHOSEN_BY_VALUES)
    fprintf (out, " is in column %u,", times->column);
  if (times->reading.form == ROBOCACHE_TIME_NUMBER)
    fprintf (out, " in %s", robocache_time_unit_name (times->reading.unit));
  if (times->unit_reason)
    fprintf (out, " (%s)", times->unit_reason);
  if (times->reading.form == ROBOCACHE_TIME_GPS)
    fprintf (out, ", less %d leap seconds", times->reading.leap_seconds >= 0 ? times->reading.leap_seconds
        : robocache_leap_seconds_at (recording->least_time / 1000000000 + 18));
  g_free (name);
  g_free (others);
  g_free (columns);
  g_free (text);
}

void
recording_describe (const Recording *recording, FILE *out)
{
  gchar *begin = recording_time_text (recording->least_time), *end = recording_time_text (recording->greatest_time);

  fprintf (out, "%s: %" G_GUINT64_FORMAT " rows of %u channels", recording->title, recording->n_rows,
      recording->n_channels);
  if (recording->step_s > 0.0)
    fprintf (out, ", about %.4g Hz", 1.0 / recording->step_s);
  fprintf (out, ", from %s to %s%s", begin, end, recording->offset ? " with its offset" : "");
  if (!recording->is_bag) {
    fputs ("; ", out);
    recording_describe_time (recording, out);
  }
  if (recording->quaternions && !recording->given[RECORDING_QUATERNIONS])
    fprintf (out, "; quaternions at channel %s, by slerp (%s%s)", recording->quaternions, recording->is_bag ? "" : "guessed ",
        recording->quaternions_reason);
  if (recording->kinds && (strstr (recording->kinds, "hold") || strstr (recording->kinds, "angle")))
    fprintf (out, "; kinds %s (%s)", recording->kinds, recording->is_bag ? "by its type" : "by their names");
  if (recording->disorder > 0 && !recording->given[RECORDING_REORDER_WINDOW])
    fprintf (out, "; up to %g ms out of order", (gdouble) recording->disorder / 1e6);
  if (recording->cells.n_records > recording->n_rows)
    fprintf (out, "; %" G_GUINT64_FORMAT " of %" G_GUINT64_FORMAT " rows of the file have no value", recording->cells.n_records - recording->n_rows,
        recording->cells.n_records);
  if (recording->n_skipped > 0)
    fprintf (out, "; omits %u lines before the data", recording->n_skipped);
  if (recording->text_columns)
    fprintf (out, "; omits columns of text: %s", recording->text_columns);
  if (recording->words)
    fprintf (out, "; words are numbered, %s", recording->words);
  if (recording->n_malformed > 0)
    fprintf (out, "; omits %" G_GUINT64_FORMAT " malformed lines", recording->n_malformed);
  fputc ('\n', out);
  if (recording->rounded->len > 0)
    fprintf (out, "  note: float32 keeps seven digits, but these columns have longer numbers: %s\n",
        recording->rounded->str);
  g_free (begin);
  g_free (end);
}

void
recording_describe_cells (const Recording *recording, FILE *out)
{
  gchar *without_value = robocache_empty_cells_names_without_value (&recording->cells);
  gchar *columns = robocache_empty_cells_describe (&recording->cells);
  gchar *names = printable (without_value ? without_value : ""), *counts = printable (columns ? columns : "");

  if (without_value)
    fprintf (out, "%s: columns without a value in the whole file are left out: %s\n", recording->title, names);
  if (recording->groups && g_strv_length (recording->groups) > 1)
    fprintf (out, "%s: columns have values in different rows, so they become %u streams. Rows without a value, of %" G_GUINT64_FORMAT ": %s\n",
        recording->title, g_strv_length (recording->groups), recording->cells.n_records, counts);
  g_free (without_value);
  g_free (columns);
  g_free (names);
  g_free (counts);
}
