/* robocache: the tensors of a sample as a GstTensorMeta, for elements of GStreamer 1.26 and later
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef FUSE_TENSORMETA_H
#define FUSE_TENSORMETA_H

#include <gst/gst.h>

#include "common/tensors/tensorcaps.h"

G_BEGIN_DECLS

/* Whether the plugin was built with gstreamer-analytics-1.0. */
gboolean fuse_tensor_meta_is_available (void);

/* Adds the meta to a sample of one memory per tensor. The meta shares the memories. ids: [info->n_tensors]. */
void fuse_tensor_meta_add (GstBuffer * sample, const RobocacheTensorsInfo * info, const GQuark * ids);

G_END_DECLS
#endif
