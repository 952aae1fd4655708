/* robocache: the errors that functions of common/ return
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef ROBOCACHE_ERRORDOMAIN_H
#define ROBOCACHE_ERRORDOMAIN_H

#include <glib.h>

G_BEGIN_DECLS

/* An element posts them as the GstMessage that fits: see errors.h. */
#define ROBOCACHE_ERROR (robocache_error_quark ())
GQuark robocache_error_quark (void);

typedef enum
{
  ROBOCACHE_ERROR_CAPS,         /* caps that lack something or hold something wrong, alone or with those of other streams */
  ROBOCACHE_ERROR_DATA,         /* a buffer that differs from its caps */
  ROBOCACHE_ERROR_PROPERTY,     /* a property whose value makes no sense, alone or with the caps */
  ROBOCACHE_ERROR_MEMORY        /* rows without memory */
} RobocacheError;

G_END_DECLS
#endif
