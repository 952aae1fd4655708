/* robocache: threads that share the work of a batch on the CPU
 *
 * They are kept as long as the crew is. Whoever brings work takes part in it, so a crew of two has one thread of its own.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef ROBOCACHE_CREW_H
#define ROBOCACHE_CREW_H

#include <glib.h>

#include "kernels/backend.h"

G_BEGIN_DECLS

typedef struct _RobocacheCrew RobocacheCrew;

/* n_threads >= 2, the caller's among them. NULL and an error where not so many can be started. */
RobocacheCrew *robocache_crew_new (guint n_threads, GError ** error);
/* No work may be under way. */
void robocache_crew_free (RobocacheCrew * crew);

/* As a backend is opened with; lives as long as the crew. */
const RcCrew *robocache_crew_for_backend (const RobocacheCrew * crew);

G_END_DECLS
#endif
