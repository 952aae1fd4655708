/* robocache: memory of its engine that an element works in
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "scratch.h"

gboolean
robocache_scratch_reserve (RobocacheScratch *scratch, RobocacheEngine *engine, guint64 bytes, GError **error)
{
  if (scratch->engine == engine && bytes <= scratch->bytes)
    return TRUE;
  robocache_scratch_clear (scratch);
  if (bytes == 0)
    return TRUE;
  if (!robocache_engine_check_budget (engine, bytes, "work on a buffer", robocache_engine_is_gpu (engine)
          ? "raise max-device-memory, send less in a buffer, or set backend=auto" : "send less in a buffer", error))
    return FALSE;
  scratch->data = robocache_engine_alloc (engine, RC_MEMORY_SCRATCH, bytes, error);
  if (scratch->data == NULL)
    return FALSE;
  scratch->engine = robocache_engine_ref (engine);
  scratch->bytes = bytes;
  return TRUE;
}

void
robocache_scratch_clear (RobocacheScratch *scratch)
{
  if (scratch->data == NULL)
    return;
  robocache_engine_synchronize (scratch->engine, NULL);
  robocache_engine_free (scratch->engine, RC_MEMORY_SCRATCH, scratch->data, scratch->bytes);
  robocache_engine_unref (scratch->engine);
  *scratch = (RobocacheScratch) { NULL };
}
