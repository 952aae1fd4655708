/* robocache: a recording with random access through a sink pad
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "pullinput.h"

typedef struct
{
  GstPad *sinkpad;
  guint64 max_bytes;            /* maximum size of a message or chunk */
  GstFlowReturn pulled;         /* result of reading the last range */
  gboolean is_cut;              /* the last range is beyond the end of the file */
} RobocacheMcapPadSource;

/* Makes an opener of a sink pad in pull mode. The source must outlive the recordings that it opens. */
RobocacheMcapOpener robocache_mcap_pad_source_init (RobocacheMcapPadSource * source, GstPad * sinkpad, guint64 max_bytes);
