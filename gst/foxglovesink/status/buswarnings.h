/* robocache: warnings and errors of a pipeline, for people who connect later
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef ROBOCACHE_BUSWARNINGS_H
#define ROBOCACHE_BUSWARNINGS_H

#include <gst/gst.h>

G_BEGIN_DECLS

typedef struct _RobocacheBusWarnings RobocacheBusWarnings;

/* Notes those on the bus of the pipeline from now on; the application still gets them. */
RobocacheBusWarnings *robocache_bus_warnings_new (GstElement * pipeline);
void robocache_bus_warnings_free (RobocacheBusWarnings * warnings);
/* Appends an object for each of the last 32 different ones, the latest last. From any thread. */
void robocache_bus_warnings_append (RobocacheBusWarnings * warnings, GString * json);

G_END_DECLS
#endif
