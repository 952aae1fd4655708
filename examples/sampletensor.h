/* robocache: tensors of a sample, from one memory for each or one for all
 *
 * robocachefuse sends one GstMemory per tensor; after gdpdepay, and other elements that copy, all tensors are in one. The caps
 * say where each begins. Every example reads samples here, so types and sizes are checked against caps and buffer once.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef ROBOCACHE_EXAMPLES_SAMPLETENSOR_H
#define ROBOCACHE_EXAMPLES_SAMPLETENSOR_H

#include <gst/gst.h>

G_BEGIN_DECLS

typedef struct
{
  const guint8 *data;           /* aligned for every type */
  gsize size;                   /* bytes */

  /* to unmap it */
  GstBuffer *buffer;
  GstMapInfo map;
  guint8 *copy;                 /* of data that is not aligned; NULL: none */
} SampleTensor;

/* Number of tensors in the sample's caps; 0 when they are not other/tensors. */
guint sample_n_tensors (GstSample * sample);
/* Maps tensor i for reading, until it is unmapped. FALSE when the sample lacks it, or it cannot be mapped. */
gboolean sample_tensor_map (SampleTensor * tensor, GstSample * sample, guint i);
void sample_tensor_unmap (SampleTensor * tensor);

/* TRUE if tensor i of these caps is n float32 numbers. Otherwise FALSE and an error with both formats. */
gboolean sample_caps_check_floats (const GstCaps * caps, guint i, gsize n, GError ** error);
/* Maps tensor i, n float32 numbers, for reading. FALSE and an error when caps or buffer differ from that. */
gboolean sample_tensor_map_floats (SampleTensor * tensor, GstSample * sample, guint i, gsize n, GError ** error);
const gfloat *sample_tensor_floats (const SampleTensor * tensor);

/* Number `index` of float32 tensor i; NaN when the sample has none, or another type. */
gfloat sample_tensor_value (GstSample * sample, guint i, gsize index);

G_END_DECLS
#endif
