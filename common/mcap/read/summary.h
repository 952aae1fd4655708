/* robocache: the index of an MCAP file from its summary
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef ROBOCACHE_MCAP_SUMMARY_H
#define ROBOCACHE_MCAP_SUMMARY_H

#include "fileindex.h"

G_BEGIN_DECLS

typedef enum
{
  ROBOCACHE_MCAP_SUMMARY_READ,
  ROBOCACHE_MCAP_SUMMARY_UNUSABLE,      /* absent, damaged, or without what a reader needs, which the reason says */
  ROBOCACHE_MCAP_SUMMARY_FAILED /* the source cannot be read: an error */
} RobocacheMcapSummaryResult;

/* Fills an empty index. Where the summary is unusable it is in no state to be used, and *reason a constant text. */
RobocacheMcapSummaryResult robocache_mcap_summary_read (const RobocacheMcapSource * source, RobocacheMcapFileIndex * index,
    const gchar ** reason, GError ** error);

G_END_DECLS
#endif
