/* robocache: the thread that compresses chunks and writes files
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "recorder.h"

MuxOutputTask *mux_output_start (MuxRecorder * recorder);
/* Waits until all output is written, or writing has failed. Called without the lock, after the recording was finished. */
void mux_output_drain (MuxRecorder * recorder);
/* Ends the thread and discards waiting output. Called without the lock, when writing can no longer block. */
void mux_output_stop (MuxOutputTask * task);
