/* robocache: all ticks of one episode, built once for each instruction set
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "cpu.h"

void RC_LEVEL_NAME (rc_cpu_align_episode) (const RcAlignStream * stream, const RcAlignStreamArgs * rows,
    const RcAlignArgs * args, int64_t episode, RcAlignCounters * counters);
