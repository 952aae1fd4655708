/* robocache: memory of this machine, and sums of bytes that saturate
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef ROBOCACHE_MEMORYLIMIT_H
#define ROBOCACHE_MEMORYLIMIT_H

#include <gst/gst.h>

G_BEGIN_DECLS

/* Memory of the machine, in bytes. */
guint64 robocache_machine_memory (void);

/* a * b, or G_MAXUINT64 where that does not fit. */
guint64 robocache_bytes_multiply (guint64 a, guint64 b);

/* a + b, likewise. */
guint64 robocache_bytes_add (guint64 a, guint64 b);

/* FALSE and GST_RESOURCE_ERROR_NO_SPACE_LEFT when bytes is not less than the memory of the machine. The error names `what`, both sizes
 * and `advice`, what to change. */
gboolean robocache_check_memory (guint64 bytes, const gchar * what, const gchar * advice, GError ** error);

G_END_DECLS
#endif
