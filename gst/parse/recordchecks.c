/* robocache: what the records of a recording lack, and where their clock goes back
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "recordchecks.h"

#define GST_CAT_DEFAULT robocache_parse_debug

void
robocache_record_checks_clear (RobocacheRecordChecks *checks)
{
  robocache_empty_cells_clear (&checks->cells);
}

void
robocache_record_checks_restart (RobocacheRecordChecks *checks)
{
  robocache_empty_cells_clear (&checks->cells);
  checks->steps = (RobocacheTimeSteps) { 0 };
}

/* Once, with the counts so far. */
static void
report_steps (RobocacheRecordChecks *checks, RobocacheParseOutput *output)
{
  gchar *text = checks->said_steps ? NULL : robocache_time_steps_describe (&checks->steps, checks->is_binary ? "record" : "line");

  if (!text)
    return;
  checks->said_steps = TRUE;
  GST_ELEMENT_WARNING (output->element, STREAM, DECODE, ("%s", text), ("counted in stats as steps-back"));
  g_free (text);
}

gboolean
robocache_record_checks_admit (RobocacheRecordChecks *checks, RobocacheParseOutput *output, const RobocacheRecordReader *reader,
    const RobocacheRecord *record)
{
  const guint64 n_steps = checks->steps.n;
  const gboolean is_incomplete = checks->is_file && record->n_empty > 0;

  if (checks->is_file)
    robocache_empty_cells_add (&checks->cells, reader, record);
  robocache_time_steps_add (&checks->steps, record->time_ns, record->number);
  if (!is_incomplete && checks->steps.n == n_steps)
    return TRUE;
  GST_OBJECT_LOCK (output->element);
  output->statistics.steps_back += checks->steps.n - n_steps;
  output->statistics.incomplete += is_incomplete;
  output->statistics.empty_fields += is_incomplete ? record->n_empty : 0;
  GST_OBJECT_UNLOCK (output->element);
  if (is_incomplete)
    GST_LOG_OBJECT (output->element, "record %" G_GUINT64_FORMAT " is no row: %u of its channels have no value", record->number, record->n_empty);
  if (checks->steps.n > n_steps)
    GST_INFO_OBJECT (output->element, "the clock went back before record %" G_GUINT64_FORMAT ", for the %" G_GUINT64_FORMAT ". time", record->number,
        checks->steps.n);
  if (!checks->is_file)
    report_steps (checks, output);
  return !is_incomplete;
}

/* Values are lost only where a channel lacks one and another does not. */
static void
report_cells (RobocacheRecordChecks *checks, RobocacheParseOutput *output)
{
  const RobocacheEmptyCells *cells = &checks->cells;
  gchar **groups = robocache_empty_cells_groups (cells), *columns = robocache_empty_cells_describe (cells), *list = g_strjoinv (";", groups);
  gchar *choices = g_strjoinv ("; channels=", groups);

  GST_OBJECT_LOCK (output->element);
  g_free (output->statistics.column_groups);
  output->statistics.column_groups = list;
  GST_OBJECT_UNLOCK (output->element);
  if (!checks->said_cells && cells->n_discarded > 0 && columns)
    GST_ELEMENT_WARNING (output->element, STREAM, DECODE, ("%" G_GUINT64_FORMAT " of %" G_GUINT64_FORMAT " records are left out, "
        "because a channel has no value in them: %s. To keep the values of the other channels, read each group of columns as its "
        "own stream: channels=%s",
            cells->n_incomplete, cells->n_records, columns, choices), (NULL));
  else if (!checks->said_cells && cells->n_incomplete > 0)
    GST_ELEMENT_INFO (output->element, STREAM, DECODE, ("%" G_GUINT64_FORMAT " of %" G_GUINT64_FORMAT " records are left out, since no channel has a "
            "value in them", cells->n_incomplete, cells->n_records), (NULL));
  checks->said_cells |= cells->n_incomplete > 0;
  g_free (choices);
  g_free (columns);
  g_strfreev (groups);
}

void
robocache_record_checks_end (RobocacheRecordChecks *checks, RobocacheParseOutput *output)
{
  if (checks->is_file && checks->cells.n_records > 0)
    report_cells (checks, output);
  report_steps (checks, output);
}

void
robocache_record_checks_report_left_out (RobocacheParseOutput *output, const RobocacheEmptyCells *cells, gboolean is_all)
{
  gchar *names = robocache_empty_cells_names_without_value (cells);

  GST_INFO_OBJECT (output->element, "%" G_GUINT64_FORMAT " records were read before any was sent: some columns have no value in them", cells->n_records);
  GST_ELEMENT_WARNING (output->element, STREAM, DECODE, ("Columns without a value in the %s are left out: %s", is_all ? "whole file" :
          "first 64 MiB of the file", names), (NULL));
  g_free (names);
}
