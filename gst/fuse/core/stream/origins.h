/* robocache: reference times of running time 0 that streams of one robocachefuse have measured
 *
 * Senders that share a reference clock stay together exactly only if their streams count from one origin. The first stream
 * that sees a reference measures it; the others with the same reference use it, for as long as one of them lives.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef FUSE_ORIGINS_H
#define FUSE_ORIGINS_H

#include <glib.h>

G_BEGIN_DECLS

typedef struct _FuseOrigins FuseOrigins;

/* One reference clock that streams of an element share. */
typedef struct
{
  GQuark reference;             /* its name; 0: the usual one */
  gint64 origin;                /* reference time (ns) of running time 0 */
  guint n_users;
} FuseOrigin;

FuseOrigins *fuse_origins_new (void);
void fuse_origins_free (FuseOrigins * origins);

/* The origin that was measured for this reference, with a use of it; NULL where none was. */
FuseOrigin *fuse_origins_find (FuseOrigins * origins, GQuark reference);
/* A new one, with one use. */
FuseOrigin *fuse_origins_add (FuseOrigins * origins, GQuark reference, gint64 origin);
/* Ends a use; the last one forgets the origin. */
void fuse_origins_release (FuseOrigins * origins, FuseOrigin * origin);

G_END_DECLS
#endif
