/* robocache: loads the module with the server
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "server/viewserver.h"

/* The functions of the module, which stays loaded. NULL and a ROBOCACHE_ERROR_PROPERTY: it is not there, or libsoup 2.4 is in the process, in
 * which libsoup 3 ends the process. */
const RobocacheViewServerFunctions *robocache_view_module_load (GError ** error);
