/* robocache: reference times of running time 0 that streams of one robocachefuse have measured
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "origins.h"

struct _FuseOrigins
{
  GPtrArray *known;             /* of FuseOrigin */
};

FuseOrigins *
fuse_origins_new (void)
{
  FuseOrigins *origins = g_new0 (FuseOrigins, 1);

  origins->known = g_ptr_array_new_with_free_func (g_free);
  return origins;
}

void
fuse_origins_free (FuseOrigins *origins)
{
  g_ptr_array_unref (origins->known);
  g_free (origins);
}

FuseOrigin *
fuse_origins_find (FuseOrigins *origins, GQuark reference)
{
  for (guint i = 0; i < origins->known->len; i++) {
    FuseOrigin *origin = g_ptr_array_index (origins->known, i);

    if (origin->reference == reference) {
      origin->n_users++;
      return origin;
    }
  }
  return NULL;
}

FuseOrigin *
fuse_origins_add (FuseOrigins *origins, GQuark reference, gint64 origin)
{
  FuseOrigin *added = g_new0 (FuseOrigin, 1);

  added->reference = reference;
  added->origin = origin;
  added->n_users = 1;
  g_ptr_array_add (origins->known, added);
  return added;
}

void
fuse_origins_release (FuseOrigins *origins, FuseOrigin *origin)
{
  if (--origin->n_users == 0)
    g_ptr_array_remove_fast (origins->known, origin);
}
