/* robocache: memory that a plan of the kernels works in
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "scratch.h"

#include <stdlib.h>

#include "memorylimit.h"

#define ALIGNMENT 256

gboolean
robocache_scratch_reserve (RobocacheScratch *scratch, guint64 bytes, GError **error)
{
  if (bytes <= scratch->bytes)
    return TRUE;
  robocache_scratch_clear (scratch);
  if (!robocache_check_memory (bytes, "the scratch of this job", "send less at once", error))
    return FALSE;
  if (posix_memalign (&scratch->data, ALIGNMENT, bytes) != 0) {
    scratch->data = NULL;
    g_set_error (error, GST_RESOURCE_ERROR, GST_RESOURCE_ERROR_NO_SPACE_LEFT, "%" G_GUINT64_FORMAT " bytes to compute "
        "in could not be allocated", bytes);
    return FALSE;
  }
  scratch->bytes = bytes;
  return TRUE;
}

void
robocache_scratch_clear (RobocacheScratch *scratch)
{
  free (scratch->data);
  scratch->data = NULL;
  scratch->bytes = 0;
}
