/* robocache: counts of received, written and dropped data of a recorder
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "recorder.h"

/* A structure with a structure for each stream, by its topic. Called with the lock. */
GstStructure *mux_statistics_to_structure (MuxRecorder * recorder);
/* A map of texts from "TOPIC NAME" to a number. Called with the lock. */
GByteArray *mux_statistics_to_map (MuxRecorder * recorder);
/* Logs the numbers of received, written and lost rows of each pad. Called with the lock. */
void mux_statistics_log (MuxRecorder * recorder);
