/* robocache: messages of samples: several tensors, or one of any shape, and what a fused sample was made of
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef MUX_SAMPLES_H
#define MUX_SAMPLES_H

#include "common/tensors/tensorcaps.h"
#include "encoder.h"

G_BEGIN_DECLS

/* Whether a buffer carries the meta of a sample of robocachefuse. */
gboolean mux_is_sample (GstBuffer * buffer);
/* sample: the first buffer, whose meta names the streams; there is a channel for each tensor, and one of ticks where it has the meta. */
MuxEncoder *mux_samples_new (const RobocacheTensorsInfo * info, const GstCaps * caps, GstBuffer * sample);

G_END_DECLS
#endif
