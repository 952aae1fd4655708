/* robocache: what is wrong with the streams of a robocachefuse now, in words, with the property that mends it
 *
 * A finding stays for a few seconds, so that it can be read.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "recentstats.h"

typedef struct _RobocacheFindings RobocacheFindings;

RobocacheFindings *robocache_findings_new (void);
void robocache_findings_free (RobocacheFindings * findings);

/* A stream in the last second. */
typedef struct
{
  const gchar *fuse, *name;     /* element, and its pad */
  const RobocacheRecentStats *stats;    /* of the element */
  gint64 latency_ns;            /* property of the element */
  gint64 lag_ns;                /* live, the median time from a tick to its sample; else 0 */
  gint64 age_ns;                /* median; 0: unknown */
  gdouble nominal_rate;         /* Hz; 0: none */
} RobocacheStreamState;

/* Notes what is wrong with a stream, and forgets what was long ago. */
void robocache_findings_look (RobocacheFindings * findings, const RobocacheStreamState * state, gint64 now_us);

/* Appends an object {"stream", "text"} for each finding. */
void robocache_findings_append (const RobocacheFindings * findings, GString * json);
