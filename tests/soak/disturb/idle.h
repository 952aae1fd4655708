/* robocache: whether other threads of this process have work, however fast the machine is
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <glib.h>

/* Each one sleeps, until this thread or a timer wakes it. */
gboolean others_sleep (void);
/* Their CPU time. */
gint64 cpu_us_of_others (void);
