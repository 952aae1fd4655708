/* robocache: a recording that upstream gives random access to
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef GST_ROBOCACHE_MCAP_PADSOURCE_H
#define GST_ROBOCACHE_MCAP_PADSOURCE_H

#include "pullinput.h"

G_BEGIN_DECLS

typedef struct
{
  GstPad *sinkpad;
  GstFlowReturn pulled;         /* of the last range */
} RobocacheMcapPadSource;

/* Makes an opener of a sink pad in pull mode. The source must outlive the recordings that it opens. */
RobocacheMcapOpener robocache_mcap_pad_source_init (RobocacheMcapPadSource * source, GstPad * sinkpad);

G_END_DECLS
#endif
