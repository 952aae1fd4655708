/* robocache: reference times of running time 0 that streams of one robocachefuse have measured
 *
 * Senders that share a reference clock stay exactly aligned only if their streams count from one origin. The first stream with a
 * reference measures the origin. Other streams with the same reference use this origin as long as one of them exists.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <glib.h>

typedef struct _FuseOrigins FuseOrigins;

/* One reference clock that streams of an element share. */
typedef struct
{
  GQuark reference;             /* name of the clock; 0: FUSE_USUAL_REFERENCE */
  gint64 origin;                /* reference time (ns) of running time 0 */
  guint n_users;
} FuseOrigin;

FuseOrigins *fuse_origins_new (void);
void fuse_origins_free (FuseOrigins * origins);

/* Returns the measured origin for this reference, and adds a use; NULL: not measured. */
FuseOrigin *fuse_origins_find (FuseOrigins * origins, GQuark reference);
/* Adds a new origin, with one use. */
FuseOrigin *fuse_origins_add (FuseOrigins * origins, GQuark reference, gint64 origin);
/* Ends a use; the origin is removed with its last use. */
void fuse_origins_release (FuseOrigins * origins, FuseOrigin * origin);
