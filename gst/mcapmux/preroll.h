/* robocache: the preroll state of a recorder that is a sink
 *
 * As GStreamer expects of each sink, the recorder reaches PAUSED when data have arrived. A flush undoes this until new data arrive. A recorder
 * that is not a sink never waits. The states are those of GstBaseSink (design document "preroll").
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "recorder.h"

/* All functions are called without the lock. */

/* READY to PAUSED, before pads are active: returns ASYNC, or SUCCESS if the recorder is not a sink. */
GstStateChangeReturn mux_preroll_begin (MuxRecorder * recorder);
/* Commits the state change that waits for data. Called when data arrive. */
void mux_preroll_commit (MuxRecorder * recorder);
/* PAUSED to PLAYING: waits until a state change that is being committed is complete. A bin that is set to PLAYING during a commit never
 * reports the end of its streams. */
void mux_preroll_wait (MuxRecorder * recorder);
/* After a flush: the state waits for new data. */
void mux_preroll_lose (MuxRecorder * recorder);
/* After a flush that resets running time: the pipeline restarts running time. */
void mux_preroll_reset_time (MuxRecorder * recorder);
/* While a flushing seek is sent to the pads one by one, holds commits, so that data of the first pads do not commit a state. */
void mux_preroll_hold (MuxRecorder * recorder);
void mux_preroll_unhold (MuxRecorder * recorder);
/* PAUSED to READY. */
void mux_preroll_end (MuxRecorder * recorder);
