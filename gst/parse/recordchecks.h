/* robocache: checks of a recording: empty cells, and times that step back
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "output.h"
#include "records/emptycells.h"
#include "records/timesteps.h"

/* A zeroed struct is valid. */
typedef struct
{
  gboolean is_file;             /* empty cells are no value; of other inputs they are NaN */
  gboolean is_binary;
  RobocacheEmptyCells cells;    /* since the restart, and so are the steps */
  RobocacheTimeSteps steps;
  gboolean said_cells, said_steps;      /* once a run */
} RobocacheRecordChecks;

void robocache_record_checks_clear (RobocacheRecordChecks * checks);
void robocache_record_checks_restart (RobocacheRecordChecks * checks);

/* Whether a record becomes a row. FALSE: a channel has no value; the record is counted. */
gboolean robocache_record_checks_admit (RobocacheRecordChecks * checks, RobocacheParseOutput * output, const RobocacheRecordReader * reader,
    const RobocacheRecord * record);
/* Call this after the whole input was read: reports all findings once, with counts. */
void robocache_record_checks_end (RobocacheRecordChecks * checks, RobocacheParseOutput * output);
/* Reports columns that are left out, as the first bytes have no value of them; is_all: these bytes are all of the input. */
void robocache_record_checks_report_left_out (RobocacheParseOutput * output, const RobocacheEmptyCells * cells, gboolean is_all);
