/* robocache: tensors of a sample, from one memory for each or one for all
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "sampletensor.h"

#include <math.h>

#include "program.h"

/* "float32" has 4 bytes, "uint8" has 1. */
static gsize
bytes_of_type (const gchar *type)
{
  return (gsize) g_ascii_strtoull (type + strcspn (type, "0123456789"), NULL, 10) / 8;
}

/* "3:640:480" has 921600 elements. FALSE when no memory can hold as many. */
static gboolean
count_elements (const gchar *dimensions, gsize *n)
{
  gboolean fits = TRUE;

  *n = 1;
  do
    fits = g_size_checked_mul (n, *n, (gsize) g_ascii_strtoull (dimensions, (gchar **) &dimensions, 10)) && fits;
  while (*dimensions++ == ':');
  return fits;
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

static guint
count_tensors (const GstCaps *caps)
{
  gint n = 0;

  if (caps && !gst_caps_is_empty (caps) && !gst_caps_is_any (caps)
      && gst_structure_has_name (gst_caps_get_structure (caps, 0), "other/tensors"))
    gst_structure_get_int (gst_caps_get_structure (caps, 0), "num_tensors", &n);
  return (guint) MAX (n, 0);
}

guint
sample_n_tensors (GstSample *sample)
{
  return count_tensors (gst_sample_get_caps (sample));
}

/* What caps fix of one tensor. */
typedef struct
{
  gsize offset, size;           /* in the bytes of the buffer */
  gsize n_elements;
  gboolean is_float32;
} Place;

static gboolean
find_tensor (const GstCaps *caps, guint i, Place *place)
{
  const GstStructure *structure;
  gchar **types, **dimensions;
  gboolean is_found;

  if (i >= count_tensors (caps))
    return FALSE;
  structure = gst_caps_get_structure (caps, 0);
  types = words_of (structure, "types");
  dimensions = words_of (structure, "dimensions");
  is_found = g_strv_length (types) > i && g_strv_length (dimensions) > i;
  *place = (Place) { 0 };
  for (guint k = 0; is_found && k <= i; k++) {
    is_found = g_size_checked_add (&place->offset, place->offset, place->size)
        && count_elements (dimensions[k], &place->n_elements)
        && g_size_checked_mul (&place->size, place->n_elements, bytes_of_type (types[k]));
    place->is_float32 = g_str_equal (types[k], "float32");
  }
  g_strfreev (types);
  g_strfreev (dimensions);
  return is_found;
}

/* The size comes from caps, that of the buffer from its sender: neither is trusted. */
static gboolean
map_place (SampleTensor *tensor, GstBuffer *buffer, const Place *place)
{
  const gsize available = buffer ? gst_buffer_get_size (buffer) : 0;
  gsize skipped;
  guint first, n;

  if (place->offset > available || place->size > available - place->offset
      || !gst_buffer_find_memory (buffer, place->offset, place->size, &first, &n, &skipped)
      || !gst_buffer_map_range (buffer, first, (gint) n, &tensor->map, GST_MAP_READ))
    return FALSE;
  tensor->data = tensor->map.data + skipped;
  tensor->copy = NULL;
  if ((guintptr) tensor->data % sizeof (gdouble) != 0)
    tensor->data = tensor->copy = memcpy (g_malloc (place->size), tensor->data, place->size);
  tensor->size = place->size;
  tensor->buffer = buffer;
  return TRUE;
}

gboolean
sample_tensor_map (SampleTensor *tensor, GstSample *sample, guint i)
{
  Place place;

  return find_tensor (gst_sample_get_caps (sample), i, &place)
      && map_place (tensor, gst_sample_get_buffer (sample), &place);
}

void
sample_tensor_unmap (SampleTensor *tensor)
{
  gst_buffer_unmap (tensor->buffer, &tensor->map);
  g_free (tensor->copy);
}

gboolean
sample_caps_check_floats (const GstCaps *caps, guint i, gsize n, GError **error)
{
  Place place;
  gchar *text;

  if (find_tensor (caps, i, &place) && place.is_float32 && place.n_elements == n)
    return TRUE;
  text = gst_caps_to_string (caps);
  FAULT (error, "tensor %u: expected %" G_GSIZE_FORMAT " float32 numbers, caps are %s", i, n, text);
  g_free (text);
  return FALSE;
}

gboolean
sample_tensor_map_floats (SampleTensor *tensor, GstSample *sample, guint i, gsize n, GError **error)
{
  if (!sample_caps_check_floats (gst_sample_get_caps (sample), i, n, error))
    return FALSE;
  if (sample_tensor_map (tensor, sample, i))
    return TRUE;
  FAULT (error, "tensor %u: the buffer lacks its %" G_GSIZE_FORMAT " float32 numbers, or cannot be mapped", i, n);
  return FALSE;
}

const gfloat *
sample_tensor_floats (const SampleTensor *tensor)
{
  return (const gfloat *) (gconstpointer) tensor->data;
}

gfloat
sample_tensor_value (GstSample *sample, guint i, gsize index)
{
  GstBuffer *buffer = gst_sample_get_buffer (sample);
  SampleTensor tensor;
  gfloat value = NAN;
  Place place;

  if (!find_tensor (gst_sample_get_caps (sample), i, &place) || !place.is_float32 || index >= place.n_elements
      || !map_place (&tensor, buffer, &place))
    return value;
  value = sample_tensor_floats (&tensor)[index];
  sample_tensor_unmap (&tensor);
  return value;
}
