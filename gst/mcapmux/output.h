/* robocache: the thread that compresses chunks and writes files
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef MUX_OUTPUT_H
#define MUX_OUTPUT_H

#include "recorder.h"

G_BEGIN_DECLS

MuxOutputTask *mux_output_start (GstRobocacheMcapRecorder * recorder);
/* Waits until all output is written, or writing has failed. Called without the lock, when the recording is finished. */
void mux_output_drain (GstRobocacheMcapRecorder * recorder);
/* Ends the thread, whatever waits. Called without the lock, when writing does not block any more. */
void mux_output_stop (MuxOutputTask * task);

G_END_DECLS
#endif
