/* robocache: tensors of a sample, with one memory for each or one for all
 *
 * robocachefuse sends one GstMemory per tensor; after gdpdepay, and other elements that copy, all tensors are in one memory, and the
 * offsets follow from the caps. Every example reads samples with this code, which checks types and sizes against caps and buffer.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <gst/gst.h>

typedef struct
{
  const guint8 *data;           /* aligned for every data type */
  gsize size;                   /* bytes */

  /* needed to unmap the tensor */
  GstBuffer *buffer;
  GstMapInfo map;
  guint8 *copy;                 /* aligned copy of the data; NULL: the data was aligned */
} SampleTensor;

/* Number of tensors in the sample's caps; 0 when they are not other/tensors. */
guint sample_n_tensors (GstSample * sample);
/* Maps tensor i for reading. FALSE when the sample has no tensor i, or it cannot be mapped. */
gboolean sample_tensor_map (SampleTensor * tensor, GstSample * sample, guint i);
void sample_tensor_unmap (SampleTensor * tensor);

/* Whether tensor i of these caps has n float32 numbers. If not, FALSE and an error with both formats. */
gboolean sample_caps_check_floats (const GstCaps * caps, guint i, gsize n, GError ** error);
/* Maps tensor i, which must have n float32 numbers, for reading. FALSE and an error when caps or buffer differ. */
gboolean sample_tensor_map_floats (SampleTensor * tensor, GstSample * sample, guint i, gsize n, GError ** error);
const gfloat *sample_tensor_floats (const SampleTensor * tensor);

/* Number `index` of float32 tensor i; NaN when the sample has no such number, or the type is another. */
gfloat sample_tensor_value (GstSample * sample, guint i, gsize index);
