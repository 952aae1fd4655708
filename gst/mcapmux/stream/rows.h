/* robocache: messages of rows: one tensor "channels" or "channels:rows", and the times of rows
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef MUX_ROWS_H
#define MUX_ROWS_H

#include "common/tensors/tensorcaps.h"
#include "encoder.h"

G_BEGIN_DECLS

/* Whether a stream of these tensors is one of rows. */
gboolean mux_is_rows (const RobocacheTensorsInfo * info);
/* caps: those of the stream, for names and role. */
MuxEncoder *mux_rows_new (const RobocacheTensorsInfo * info, const GstCaps * caps, const MuxEncoderSettings * settings);

G_END_DECLS
#endif
