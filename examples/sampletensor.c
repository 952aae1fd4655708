/* robocache: tensors of a sample, from one memory for each or one for all
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "sampletensor.h"

#include <math.h>

/* "float32" has 4 bytes, "uint8" has 1. */
static gsize
bytes_of_type (const gchar *type)
{
  return (gsize) g_ascii_strtoull (type + strcspn (type, "0123456789"), NULL, 10) / 8;
}

/* "3:640:480" has 921600 elements. */
static gsize
count_elements (const gchar *dimensions)
{
  gsize n = 1;

  do
    n *= (gsize) g_ascii_strtoull (dimensions, (gchar **) &dimensions, 10);
  while (*dimensions++ == ':');
  return n;
}

/* A field of caps, one word for each tensor; an int is one word. */
static gchar **
words_of (const GstStructure *structure, const gchar *field)
{
  const GValue *value = gst_structure_get_value (structure, field);
  gchar *text = NULL, **words;

  if (value && G_VALUE_HOLDS_STRING (value))
    text = g_value_dup_string (value);
  else if (value && G_VALUE_HOLDS_INT (value))
    text = g_strdup_printf ("%d", g_value_get_int (value));
  words = g_strsplit_set (text ? text : "", ",.", -1);
  g_free (text);
  return words;
}

guint
sample_n_tensors (GstSample *sample)
{
  GstCaps *caps = gst_sample_get_caps (sample);
  gint n = 0;

  if (caps && gst_structure_has_name (gst_caps_get_structure (caps, 0), "other/tensors"))
    gst_structure_get_int (gst_caps_get_structure (caps, 0), "num_tensors", &n);
  return (guint) MAX (n, 0);
}

/* Where tensor i begins in the bytes of the buffer, and its size. */
static gboolean
find_tensor (GstSample *sample, guint i, gsize *offset, gsize *size)
{
  const GstStructure *structure;
  gchar **types, **dimensions;
  gboolean is_found;

  if (i >= sample_n_tensors (sample))
    return FALSE;
  structure = gst_caps_get_structure (gst_sample_get_caps (sample), 0);
  types = words_of (structure, "types");
  dimensions = words_of (structure, "dimensions");
  is_found = g_strv_length (types) > i && g_strv_length (dimensions) > i;
  *offset = *size = 0;
  for (guint k = 0; is_found && k <= i; k++) {
    *offset += *size;
    *size = bytes_of_type (types[k]) * count_elements (dimensions[k]);
  }
  g_strfreev (types);
  g_strfreev (dimensions);
  return is_found;
}

gboolean
sample_tensor_map (SampleTensor *tensor, GstSample *sample, guint i)
{
  GstBuffer *buffer = gst_sample_get_buffer (sample);
  gsize offset, size, skipped;
  guint first, n;

  if (!buffer || !find_tensor (sample, i, &offset, &size) || !gst_buffer_find_memory (buffer, offset, size, &first, &n,
          &skipped) || !gst_buffer_map_range (buffer, first, (gint) n, &tensor->map, GST_MAP_READ))
    return FALSE;
  tensor->data = tensor->map.data + skipped;
  tensor->copy = (guintptr) tensor->data % sizeof (gdouble) != 0 ? g_memdup2 (tensor->data, size) : NULL;
  if (tensor->copy)
    tensor->data = tensor->copy;
  tensor->size = size;
  tensor->buffer = buffer;
  return TRUE;
}

void
sample_tensor_unmap (SampleTensor *tensor)
{
  gst_buffer_unmap (tensor->buffer, &tensor->map);
  g_free (tensor->copy);
}

gfloat
sample_tensor_value (GstSample *sample, guint i, gsize index)
{
  SampleTensor tensor;
  gfloat value = NAN;

  if (!sample_tensor_map (&tensor, sample, i))
    return value;
  if (index < tensor.size / sizeof value)
    value = ((const gfloat *) (gconstpointer) tensor.data)[index];
  sample_tensor_unmap (&tensor);
  return value;
}
