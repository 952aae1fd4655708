/* robocache: the errors that functions of common/ return
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <glib.h>

/* An element posts them as matching messages: see errors.h. */
#define ROBOCACHE_ERROR (robocache_error_quark ())
GQuark robocache_error_quark (void);

typedef enum
{
  ROBOCACHE_ERROR_CAPS,         /* caps that lack something or are wrong, alone or with caps of other streams */
  ROBOCACHE_ERROR_DATA,         /* a buffer that differs from its caps */
  ROBOCACHE_ERROR_PROPERTY,     /* a property with an invalid value, alone or with the caps */
  ROBOCACHE_ERROR_MEMORY        /* no memory for rows */
} RobocacheError;
