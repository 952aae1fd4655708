/* robocache: all ticks of one stream, built once for each instruction set
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef RC_CPU_ALIGN_STREAM_H
#define RC_CPU_ALIGN_STREAM_H

#include "cpu.h"

void RC_LEVEL_NAME (rc_cpu_align_stream) (const RcAlignStream * stream, const RcAlignStreamArgs * rows,
    const RcAlignArgs * args);

#endif
