/* robocache: the system clock's time at running time 0
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef ROBOCACHE_SYSTEMORIGIN_H
#define ROBOCACHE_SYSTEMORIGIN_H

#include <gst/gst.h>

G_BEGIN_DECLS

/* UTC (ns) at running time 0 of an element that goes to PLAYING. The pipeline's clock is read between two readings of the system clock;
 * *uncertainty_ns is half the time between them. */
gint64 robocache_system_origin (GstElement * element, gint64 * uncertainty_ns);

G_END_DECLS
#endif
