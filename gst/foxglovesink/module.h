/* robocache: loads the module with the server
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef GST_ROBOCACHE_FOXGLOVE_SINK_MODULE_H
#define GST_ROBOCACHE_FOXGLOVE_SINK_MODULE_H

#include "server/viewserver.h"

G_BEGIN_DECLS

/* The functions of the module, which stays loaded. NULL and a ROBOCACHE_ERROR_PROPERTY: it is not there, or libsoup 2.4 is in the process, in
 * which libsoup 3 ends the process. */
const RobocacheViewServerFunctions *robocache_view_module_load (GError ** error);

G_END_DECLS
#endif
