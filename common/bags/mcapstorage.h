/* robocache: MCAP as a storage of bags
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef ROBOCACHE_BAG_MCAPSTORAGE_H
#define ROBOCACHE_BAG_MCAPSTORAGE_H

#include "storage.h"

G_BEGIN_DECLS

/* The source must outlive it, unless `free_source` frees its user_data, in any case. NULL and an error: no MCAP file, or it cannot be
 * read. */
RobocacheBagStorage *robocache_mcap_storage_new (const RobocacheMcapSource * source, GDestroyNotify free_source, GError ** error);

G_END_DECLS
#endif
