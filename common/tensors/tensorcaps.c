/* robocache: caps of other/tensors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "tensorcaps.h"

#include <string.h>

#include "common/device/budget.h"

/* Sizes stay far from what a gsize, a gssize or a byte stride could overflow at. */
#define MAX_TENSOR_BYTES (G_GUINT64_CONSTANT (1) << 46)

/* ---- one tensor ---- */

static guint
significant_rank (const guint64 *dims, guint n)
{
  while (n > 1 && dims[n - 1] == 1)
    n--;
  return n;
}

gboolean
robocache_dimensions_parse (const gchar *string, guint64 dims[ROBOCACHE_MAX_RANK], guint *rank, GError **error)
{
  const gchar *cursor = string;
  guint64 elements = 1;
  guint n = 0;

  for (;;) {
    gchar *end;
    guint64 dim;

    if (!g_ascii_isdigit (*cursor))
      goto malformed;
    dim = g_ascii_strtoull (cursor, &end, 10);
    if (dim == 0 || (*end != ':' && *end != '\0'))
      goto malformed;
    if (dim > MAX_TENSOR_BYTES / elements)
      goto too_large;
    if (n == ROBOCACHE_MAX_RANK) {
      if (dim != 1)
        goto malformed;
    } else {
      dims[n++] = dim;
    }
    elements *= dim;
    if (*end == '\0')
      break;
    cursor = end + 1;
  }
  *rank = significant_rank (dims, n);
  return TRUE;

malformed:
  g_set_error (error, ROBOCACHE_ERROR, ROBOCACHE_ERROR_CAPS, "dimensions \"%s\": expected up to %d positive numbers "
      "separated by ':', fastest axis first, like \"14\" or \"14:100\"", string, ROBOCACHE_MAX_RANK);
  return FALSE;
too_large:
  g_set_error (error, ROBOCACHE_ERROR, ROBOCACHE_ERROR_CAPS, "dimensions \"%s\": expected at most %" G_GUINT64_FORMAT " "
      "elements", string, MAX_TENSOR_BYTES);
  return FALSE;
}

gchar *
robocache_dimensions_to_string (const RobocacheTensorInfo *tensor)
{
  GString *string = g_string_new (NULL);

  for (guint i = 0; i < tensor->rank; i++)
    g_string_append_printf (string, i ? ":%" G_GUINT64_FORMAT : "%" G_GUINT64_FORMAT, tensor->dims[i]);
  return g_string_free (string, FALSE);
}

guint64
robocache_tensor_info_dim (const RobocacheTensorInfo *tensor, guint axis)
{
  return axis < tensor->rank ? tensor->dims[axis] : 1;
}

void
robocache_tensor_info_set (RobocacheTensorInfo *tensor, RcDtype dtype, const guint64 *dims, guint n_dims)
{
  g_return_if_fail (n_dims >= 1 && n_dims <= ROBOCACHE_MAX_RANK);

  tensor->dtype = dtype;
  memcpy (tensor->dims, dims, n_dims * sizeof (guint64));
  tensor->rank = significant_rank (dims, n_dims);
}

guint64
robocache_tensor_info_elements (const RobocacheTensorInfo *tensor)
{
  guint64 elements = 1;

  for (guint i = 0; i < tensor->rank; i++)
    elements = robocache_bytes_multiply (elements, tensor->dims[i]);
  return elements;
}

gsize
robocache_tensor_info_size (const RobocacheTensorInfo *tensor)
{
  return robocache_bytes_multiply (robocache_tensor_info_elements (tensor), rc_dtype_size (tensor->dtype));
}

gsize
robocache_tensors_info_size (const RobocacheTensorsInfo *info)
{
  gsize size = 0;

  for (guint i = 0; i < info->n_tensors; i++)
    size = robocache_bytes_add (size, robocache_tensor_info_size (&info->tensors[i]));
  return size;
}

RcDtype
robocache_dtype_from_name (const gchar *name)
{
  for (RcDtype d = 0; d < RC_N_DTYPES; d++) {
    if (g_str_equal (rc_dtype_name (d), name))
      return d;
  }
  return RC_N_DTYPES;
}

/* ---- caps ---- */

/* The text of a field that holds one item a tensor. On the command line dimensions=14 is an int and 14:1 a flagset. */
static gchar *
list_field (const GstStructure *structure, const gchar *field, GError **error)
{
  const GValue *value = gst_structure_get_value (structure, field);

  if (value == NULL) {
    g_set_error (error, ROBOCACHE_ERROR, ROBOCACHE_ERROR_CAPS, "the caps have no %s: expected one per tensor", field);
    return NULL;
  }
  if (G_VALUE_HOLDS_STRING (value) && g_value_get_string (value))
    return g_value_dup_string (value);
  if (G_VALUE_HOLDS_INT (value))
    return g_strdup_printf ("%d", g_value_get_int (value));

  /* the text that became a flagset cannot be had back: its flags were read as hexadecimal, and masked */
  g_set_error (error, ROBOCACHE_ERROR, ROBOCACHE_ERROR_CAPS, "%s is a %s, not a string: write (string) before its value, like "
      "%s=(string)%s", field, G_VALUE_TYPE_NAME (value), field, g_str_equal (field, "types") ? "float32" : "14:1");
  return NULL;
}

/* One item a tensor, separated by '.' or ','. Free with g_strfreev. */
static gchar **
list_items (const GstStructure *structure, const gchar *field, guint n_tensors, GError **error)
{
  gchar *text = list_field (structure, field, error);
  gchar **items;

  if (text == NULL)
    return NULL;
  items = g_strsplit_set (text, ".,", -1);
  for (gchar **item = items; *item; item++)
    g_strstrip (*item);
  if (g_strv_length (items) != n_tensors) {
    g_set_error (error, ROBOCACHE_ERROR, ROBOCACHE_ERROR_CAPS, "%s=\"%s\" has %u items, but num_tensors is %u", field,
        text, g_strv_length (items), n_tensors);
    g_clear_pointer (&items, g_strfreev);
  }
  g_free (text);
  return items;
}

static gboolean
parse_tensors (RobocacheTensorsInfo *info, gchar **types, gchar **dimensions, GError **error)
{
  for (guint i = 0; i < info->n_tensors; i++) {
    RobocacheTensorInfo *tensor = &info->tensors[i];

    tensor->dtype = robocache_dtype_from_name (types[i]);
    if (tensor->dtype == RC_N_DTYPES) {
      g_set_error (error, ROBOCACHE_ERROR, ROBOCACHE_ERROR_CAPS, "types: \"%s\" is not an element type: expected int8 … "
          "uint64, float16, bfloat16, float32 or float64", types[i]);
      return FALSE;
    }
    if (!robocache_dimensions_parse (dimensions[i], tensor->dims, &tensor->rank, error))
      return FALSE;
    if (robocache_tensor_info_elements (tensor) > MAX_TENSOR_BYTES / rc_dtype_size (tensor->dtype)) {
      g_set_error (error, ROBOCACHE_ERROR, ROBOCACHE_ERROR_CAPS, "dimensions \"%s\" of %s exceed %" G_GUINT64_FORMAT " bytes",
          dimensions[i], types[i], MAX_TENSOR_BYTES);
      return FALSE;
    }
  }
  return TRUE;
}

gboolean
robocache_framerate_parse (const GstStructure *structure, gint *num, gint *den, GError **error)
{
  *num = 0;
  *den = 1;
  if (!gst_structure_has_field (structure, "framerate"))
    return TRUE;
  if (gst_structure_get_fraction (structure, "framerate", num, den) && *num >= 0)
    return TRUE;
  g_set_error (error, ROBOCACHE_ERROR, ROBOCACHE_ERROR_CAPS, "framerate must be one fraction that is not negative, like "
      "(fraction)100/1, or 0/1 for a stream without a nominal rate");
  return FALSE;
}

gboolean
robocache_framerate_is_any (const GValue *framerate)
{
  const GValue *least, *greatest;

  if (!GST_VALUE_HOLDS_FRACTION_RANGE (framerate))
    return FALSE;
  least = gst_value_get_fraction_range_min (framerate);
  greatest = gst_value_get_fraction_range_max (framerate);
  return gst_value_get_fraction_numerator (least) == 0 && gst_value_get_fraction_numerator (greatest) == G_MAXINT
      && gst_value_get_fraction_denominator (greatest) == 1;
}

gboolean
robocache_tensors_info_from_caps (RobocacheTensorsInfo *info, const GstCaps *caps, GError **error)
{
  const GstStructure *structure;
  const gchar *format;
  gchar **types, **dimensions = NULL;
  gboolean ok;
  gint n = 0;

  if (gst_caps_get_size (caps) != 1 || !gst_structure_has_name (structure = gst_caps_get_structure (caps, 0),
          ROBOCACHE_TENSORS_MEDIA_TYPE)) {
    gchar *text = gst_caps_to_string (caps);

    g_set_error (error, ROBOCACHE_ERROR, ROBOCACHE_ERROR_CAPS, "caps are %s: expected " ROBOCACHE_TENSORS_MEDIA_TYPE,
        text);
    g_free (text);
    return FALSE;
  }
  format = gst_structure_get_string (structure, "format");
  if (g_strcmp0 (format, "static") != 0) {
    g_set_error (error, ROBOCACHE_ERROR, ROBOCACHE_ERROR_CAPS, "format is %s: expected (string)static",
        format ? format : "missing");
    return FALSE;
  }
  if (!gst_structure_get_int (structure, "num_tensors", &n) || n < 1 || n > ROBOCACHE_MAX_TENSORS) {
    gchar *text = g_strdup_printf ("%d", n);

    g_set_error (error, ROBOCACHE_ERROR, ROBOCACHE_ERROR_CAPS, "num_tensors is %s: expected an int from 1 to %d",
        gst_structure_has_field_typed (structure, "num_tensors", G_TYPE_INT) ? text : "missing", ROBOCACHE_MAX_TENSORS);
    g_free (text);
    return FALSE;
  }
  info->n_tensors = n;

  types = list_items (structure, "types", n, error);
  if (types)
    dimensions = list_items (structure, "dimensions", n, error);
  ok = types && dimensions && parse_tensors (info, types, dimensions, error)
      && robocache_framerate_parse (structure, &info->rate_num, &info->rate_den, error);
  g_strfreev (types);
  g_strfreev (dimensions);
  return ok;
}

GstCaps *
robocache_tensors_info_to_caps (const RobocacheTensorsInfo *info)
{
  GString *types = g_string_new (NULL), *dimensions = g_string_new (NULL);
  GstCaps *caps;

  for (guint i = 0; i < info->n_tensors; i++) {
    gchar *shape = robocache_dimensions_to_string (&info->tensors[i]);

    g_string_append_printf (types, "%s%s", i ? "," : "", rc_dtype_name (info->tensors[i].dtype));
    g_string_append_printf (dimensions, "%s%s", i ? "," : "", shape);
    g_free (shape);
  }
  caps = gst_caps_new_simple (ROBOCACHE_TENSORS_MEDIA_TYPE, "format", G_TYPE_STRING, "static",
      "num_tensors", G_TYPE_INT, (gint) info->n_tensors, "types", G_TYPE_STRING, types->str,
      "dimensions", G_TYPE_STRING, dimensions->str,
      "framerate", GST_TYPE_FRACTION, info->rate_num, info->rate_den, NULL);
  g_string_free (types, TRUE);
  g_string_free (dimensions, TRUE);
  return caps;
}

/* ---- spellings ---- */

static gchar *
shortest_spelling (const gchar *dimensions)
{
  gchar **items = g_strsplit_set (dimensions, ".,", -1);
  GString *out = g_string_new (NULL);

  for (guint i = 0; items[i]; i++) {
    RobocacheTensorInfo tensor;
    gchar *shape;

    if (robocache_dimensions_parse (g_strstrip (items[i]), tensor.dims, &tensor.rank, NULL))
      shape = robocache_dimensions_to_string (&tensor);
    else
      shape = g_strdup (items[i]);
    g_string_append_printf (out, "%s%s", i ? "," : "", shape);
    g_free (shape);
  }
  g_strfreev (items);
  return g_string_free (out, FALSE);
}

/* The structure with one spelling for each meaning. Only fixed fields have one. */
static GstStructure *
normalised (const GstStructure *structure)
{
  GstStructure *copy = gst_structure_copy (structure);
  const gchar *types = gst_structure_get_string (structure, "types");
  gchar *dimensions = list_field (structure, "dimensions", NULL);

  if (dimensions) {
    gchar *shortest = shortest_spelling (dimensions);

    gst_structure_set (copy, "dimensions", G_TYPE_STRING, shortest, NULL);
    g_free (shortest);
  }
  if (types) {
    gchar *commas = g_strdelimit (g_strdup (types), ".", ',');

    gst_structure_set (copy, "types", G_TYPE_STRING, commas, NULL);
    g_free (commas);
  }
  g_free (dimensions);
  return copy;
}

/* Index of the first structure of peer that ours can be, or -1. */
static gint
matching_structure (const GstCaps *caps, const GstCaps *peer)
{
  GstStructure *ours = normalised (gst_caps_get_structure (caps, 0));
  gint found = -1;

  for (guint i = 0; found < 0 && i < gst_caps_get_size (peer); i++) {
    GstStructure *theirs = normalised (gst_caps_get_structure (peer, i));

    if (gst_structure_can_intersect (ours, theirs)
        && gst_caps_features_is_equal (gst_caps_get_features (caps, 0), gst_caps_get_features (peer, i)))
      found = (gint) i;
    gst_structure_free (theirs);
  }
  gst_structure_free (ours);
  return found;
}

GstCaps *
robocache_tensors_caps_in_spelling_of (GstCaps *caps, const GstCaps *peer)
{
  static const gchar *fields[] = { "dimensions", "types" };
  GstCaps *result = gst_caps_ref (caps);
  gint match;

  if (gst_caps_is_any (peer) || gst_caps_is_empty (peer) || (match = matching_structure (caps, peer)) < 0)
    return result;
  for (guint i = 0; i < G_N_ELEMENTS (fields); i++) {
    const GValue *value = gst_structure_get_value (gst_caps_get_structure (peer, match), fields[i]);

    if (value && gst_value_is_fixed (value)) {
      result = gst_caps_make_writable (result);
      gst_caps_set_value (result, fields[i], value);
    }
  }
  return result;
}

gboolean
robocache_tensors_caps_compatible (const GstCaps *a, const GstCaps *b)
{
  if (gst_caps_is_any (b))
    return TRUE;
  return !gst_caps_is_empty (b) && matching_structure (a, b) >= 0;
}
