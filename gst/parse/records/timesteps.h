/* robocache: steps back of a recording's clock
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "common/time/nanoseconds.h"

/* A clock that was set back, or a counter that began again: at least ROBOCACHE_TIME_STEP_ROWS rows in a row are before the time that was
 * reached, and in order. Others are rows out of order. A zeroed struct is valid. */
#define ROBOCACHE_TIME_STEP_ROWS 10

typedef struct
{
  guint64 n;                    /* steps back */
  gint64 greatest;              /* ns: from the time that was reached to the first row after the step */
  guint64 first;                /* number of the record with the first step */

  gboolean has_rows;
  gint64 reached;               /* greatest time since the last step */
  gboolean is_below;            /* all rows since are before it; the first one's time and record: */
  gint64 low;
  guint64 low_record;
  gint64 previous;              /* time of the last row, and how many up to it are in order */
  guint n_in_order;
} RobocacheTimeSteps;

/* Adds a row in the order of the recording. */
void robocache_time_steps_add (RobocacheTimeSteps * steps, gint64 time_ns, guint64 record);

/* A text for the user, to be freed with g_free; NULL: no step. item: "line" or "record". */
gchar *robocache_time_steps_describe (const RobocacheTimeSteps * steps, const gchar * item);
