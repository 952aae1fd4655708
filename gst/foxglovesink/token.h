/* robocache: the token of viewers that may change settings
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef ROBOCACHE_TOKEN_H
#define ROBOCACHE_TOKEN_H

#include <glib.h>

G_BEGIN_DECLS

#define ROBOCACHE_TOKEN_VARIABLE "ROBOCACHE_VIEW_TOKEN"

/* The token in a file, which is made with a random one if there is none at this path; of the environment where path is NULL or empty. NULL
 * without an error: neither. NULL and a ROBOCACHE_ERROR_PROPERTY: it cannot be read, others can read it, or it is too short. */
gchar *robocache_token_read (const gchar * path, GError ** error);

G_END_DECLS
#endif
