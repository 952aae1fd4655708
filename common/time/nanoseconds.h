/* robocache: times in integers of nanoseconds
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <glib.h>

#define ROBOCACHE_NO_TIME G_MININT64
#define ROBOCACHE_SECOND ((gint64) 1000000000)
#define ROBOCACHE_MSECOND ((gint64) 1000000)
