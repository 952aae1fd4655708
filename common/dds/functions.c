/* robocache: the functions of this folder that need Cyclone DDS, as elements call them
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "functions.h"

#include "common/element/module.h"

const RobocacheDdsFunctions *robocache_dds;

gboolean
robocache_dds_load (GError **error)
{
  static GMutex lock;
  gboolean is_loaded;

  g_mutex_lock (&lock);
  if (!robocache_dds)
    robocache_dds = robocache_module_load (ROBOCACHE_DDS_MODULE, ROBOCACHE_DDS_SYMBOL, error);
  is_loaded = robocache_dds != NULL;
  g_mutex_unlock (&lock);
  return is_loaded;
}
