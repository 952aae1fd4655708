/* robocache: what a recorder has taken in, written and dropped
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef MUX_STATISTICS_H
#define MUX_STATISTICS_H

#include "recorder.h"

G_BEGIN_DECLS

/* A structure with one of each stream, by its topic. Called with the lock. */
GstStructure *mux_statistics_to_structure (MuxRecorderState * state);
/* A map of texts, "TOPIC NAME" by number. Called with the lock. */
GByteArray *mux_statistics_to_map (MuxRecorderState * state);

G_END_DECLS
#endif
