/* robocache: memory that a plan of the kernels works in
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef ROBOCACHE_SCRATCH_H
#define ROBOCACHE_SCRATCH_H

#include <gst/gst.h>

G_BEGIN_DECLS

/* Zero is none. */
typedef struct
{
  gpointer data;                /* aligned as the kernels ask */
  guint64 bytes;
} RobocacheScratch;

/* Makes room for so many bytes; what was there is lost when it grows. FALSE and GST_RESOURCE_ERROR_NO_SPACE_LEFT when
 * there is no memory. */
gboolean robocache_scratch_reserve (RobocacheScratch * scratch, guint64 bytes, GError ** error);
void robocache_scratch_clear (RobocacheScratch * scratch);

G_END_DECLS
#endif
