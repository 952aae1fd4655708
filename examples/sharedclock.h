/* robocache: one clock for the pipelines of several hosts
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef ROBOCACHE_EXAMPLES_SHAREDCLOCK_H
#define ROBOCACHE_EXAMPLES_SHAREDCLOCK_H

#include <gst/gst.h>

G_BEGIN_DECLS

typedef enum
{
  SHARED_CLOCK_NET,             /* the fusion host's, asked for over UDP */
  SHARED_CLOCK_PTP,             /* IEEE 1588, for network cards that take part in it */
  SHARED_CLOCK_SYSTEM           /* each host's own, kept together by chrony or ptp4l */
} SharedClockKind;

/* "net", "ptp" or "system". */
gboolean shared_clock_kind_by_name (const gchar * name, SharedClockKind * kind);

/* The clock and, on the host that others ask, what answers them. Clear with shared_clock_clear. */
typedef struct
{
  GstClock *clock;
  GstObject *provider;
} SharedClock;

/* provider: NULL on the host that provides it, or else that host's address. listen: the address that the provider binds to.
 * Waits until the clocks agree. FALSE and an error when they do not. */
gboolean shared_clock_open (SharedClock * shared, SharedClockKind kind, const gchar * provider, const gchar * listen, gint port,
    GError ** error);
void shared_clock_clear (SharedClock * shared);

/* This host's own time of day. */
GstClock *shared_clock_own (void);

/* How much later the shared clock is than this host's own, now (ns). */
gint64 shared_clock_ahead (GstClock * shared, GstClock * own);

/* Puts pipeline, in NULL, on the clock, with running time 0 at base_time. Pipelines for which both are the same have the
 * same running time. */
void shared_clock_use (GstClock * clock, GstElement * pipeline, GstClockTime base_time);

G_END_DECLS
#endif
