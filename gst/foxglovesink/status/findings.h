/* robocache: what is wrong with the streams of a robocachefuse now, in words, with the property that mends it
 *
 * A finding stays for a few seconds, so that it can be read.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "recentstats.h"
#include "recentticks.h"

typedef struct _RobocacheFindings RobocacheFindings;

RobocacheFindings *robocache_findings_new (void);
void robocache_findings_free (RobocacheFindings * findings);

/* A stream in the last second. */
typedef struct
{
  const gchar *fuse, *name;     /* name of the element, and of its pad */
  const RobocacheRecentStats *stats;    /* recent statistics of the element */
  gint64 latency_ns;            /* property latency of the element */
  gint64 lag_ns;                /* median time from a tick to its sample; 0 if not live */
  gint64 age_ns;                /* median age of rows at ticks; 0: unknown */
  RobocacheTickDurations delay; /* from the times of rows, with the offset, to their arrival; n is 0: unknown */
  gint64 offset_ns;             /* property offset of the pad */
  gdouble nominal_rate;         /* Hz; 0: none */
} RobocacheStreamState;

/* Adds findings about a stream, and removes old findings. */
void robocache_findings_look (RobocacheFindings * findings, const RobocacheStreamState * state, gint64 now_us);

/* Appends an object {"fuse", "stream", "text"} for each finding. Unless the fuse is_alone, texts begin with its name. */
void robocache_findings_append (const RobocacheFindings * findings, const gchar * fuse, gboolean is_alone, GString * json);
