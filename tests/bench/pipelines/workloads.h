/* robocache: what bench-pipelines measures
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef BENCH_WORKLOADS_H
#define BENCH_WORKLOADS_H

#include <glib.h>

G_BEGIN_DECLS

#define MAX_FIGURES 3

/* How long one run of a workload is, in seconds of its streams. */
typedef struct
{
  guint fast_s;                 /* of those that run as fast as they can */
  guint live_s;                 /* of those that run by the clock */
} Effort;

typedef struct
{
  const gchar *work;
  const gchar *unit;
  gdouble at_most;              /* INFINITY: told, without a limit */
  gboolean exact;               /* no timing: the same on any machine, however busy */
} Figure;

typedef struct
{
  const gchar *name;
  void (*measure) (const Effort * effort, gdouble * figures);   /* one run */
  Figure figures[MAX_FIGURES];
  guint n_figures;
} Workload;

extern const Workload workloads[];
extern const guint n_workloads;

G_END_DECLS
#endif
