/* robocache: the places of the fields of a point
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "pointlayout.h"

#include <stdlib.h>
#include <string.h>

#include "common/tensors/tensorcaps.h"

gboolean
robocache_caps_error (GError **error, const gchar *format, ...)
{
  va_list args;
  gchar *text;

  va_start (args, format);
  text = g_strdup_vprintf (format, args);
  va_end (args);
  g_set_error_literal (error, ROBOCACHE_ERROR, ROBOCACHE_ERROR_CAPS, text);
  g_free (text);
  return FALSE;
}

gboolean
robocache_point_check_dtype (RcDtype dtype, const gchar *name, GError **error)
{
  if (dtype == RC_FLOAT16 || dtype == RC_FLOAT32 || dtype == RC_FLOAT64)
    return TRUE;
  return robocache_caps_error (error, "points of type %s: expected float16, float32 or float64", name);
}

RobocachePointLayout
robocache_point_layout_packed (RcDtype dtype, guint n_fields)
{
  return (RobocachePointLayout) {.dtype = dtype,.n_fields = n_fields,.point_bytes = n_fields * rc_dtype_size (dtype) };
}

void
robocache_point_layout_clear (RobocachePointLayout *layout)
{
  g_clear_pointer (&layout->fields, g_free);
}

/* ---- what caps say of each field ---- */

typedef struct
{
  const GstStructure *caps;
  guint n;
  gchar **names;                /* [n] */
  RcVoxelField *fields;         /* [n] in the order of the names */
} Parse;

static gint64
end_of (const RcVoxelField *field)
{
  return field->offset + (gint64) rc_dtype_size (field->dtype);
}

/* The items of a string of the caps, stripped, one a field; NULL and an error. */
static gchar **
items_of (const Parse *parse, const gchar *key, const gchar *example, GError **error)
{
  const gchar *text = gst_structure_get_string (parse->caps, key);
  gchar **items;

  if (text == NULL) {
    robocache_caps_error (error, "the caps have no string in %s: expected one item per field, like %s=(string)\"%s\"", key,
        key, example);
    return NULL;
  }
  items = g_strsplit (text, ",", -1);
  for (gchar **item = items; *item; item++)
    g_strstrip (*item);
  if (parse->names == NULL || g_strv_length (items) == parse->n)
    return items;
  robocache_caps_error (error, "%s=\"%s\" has %u items: expected %u, one per field", key, text, g_strv_length (items),
      parse->n);
  g_strfreev (items);
  return NULL;
}

static gboolean
parse_names (Parse *parse, GError **error)
{
  const gchar *text = gst_structure_get_string (parse->caps, "fields");

  if (!gst_structure_has_field (parse->caps, "fields"))
    return robocache_caps_error (error, "caps without fields: expected the names of a point's fields, like "
        "fields=(string)\"x,y,z,intensity\"");
  parse->names = items_of (parse, "fields", "x,y,z,intensity", error);
  if (parse->names == NULL)
    return FALSE;
  parse->n = g_strv_length (parse->names);
  if (parse->n < 3)
    return robocache_caps_error (error, "fields=\"%s\": expected x, y, z and more, like \"x,y,z,intensity\"", text);
  if (parse->n > RC_VOXEL_MAX_FIELDS)
    return robocache_caps_error (error, "fields has %u names: expected at most %d", parse->n, RC_VOXEL_MAX_FIELDS);
  for (guint i = 0; i < parse->n; i++) {
    if (*parse->names[i] == '\0')
      return robocache_caps_error (error, "fields=\"%s\": field %u has no name", text, i);
    for (guint j = 0; j < i; j++) {
      if (g_str_equal (parse->names[i], parse->names[j]))
        return robocache_caps_error (error, "fields=\"%s\": two fields are named %s", text, parse->names[i]);
    }
  }
  return TRUE;
}

static gboolean
parse_type (Parse *parse, GError **error)
{
  const gchar *type = gst_structure_get_string (parse->caps, "type");
  RcDtype dtype;

  if (type == NULL)
    return robocache_caps_error (error, "caps %s type: expected type=(string)float32, float16 or float64, or "
        "types=(string)\"float32,…\" with one per field",
        gst_structure_has_field (parse->caps, "type") ? "have no string in" : "without");
  dtype = robocache_dtype_from_name (type);
  for (guint i = 0; i < parse->n; i++)
    parse->fields[i].dtype = dtype;
  return robocache_point_check_dtype (dtype, type, error);
}

static gboolean
parse_types (Parse *parse, GError **error)
{
  gchar **types;
  gboolean ok = TRUE;

  if (!gst_structure_has_field (parse->caps, "types"))
    return parse_type (parse, error);
  if (gst_structure_has_field (parse->caps, "type"))
    return robocache_caps_error (error, "the caps have type and types: expected type for all fields, or types with one per "
        "field");
  types = items_of (parse, "types", "float32,float32,float32,uint8", error);
  for (guint i = 0; types && ok && i < parse->n; i++) {
    parse->fields[i].dtype = robocache_dtype_from_name (types[i]);
    if (parse->fields[i].dtype == RC_N_DTYPES)
      ok = robocache_caps_error (error, "types: field %s has type %s, expected int8, uint8, int16, uint16, int32, "
          "uint32, int64, uint64, float16, bfloat16, float32 or float64", parse->names[i], types[i]);
  }
  ok = ok && types;
  g_strfreev (types);
  return ok;
}

static gboolean
parse_offsets (Parse *parse, GError **error)
{
  gchar **offsets = NULL;
  gboolean ok = TRUE;

  if (!gst_structure_has_field (parse->caps, "offsets")) {
    for (guint i = 1; i < parse->n; i++)
      parse->fields[i].offset = end_of (&parse->fields[i - 1]);
    return TRUE;
  }
  offsets = items_of (parse, "offsets", "0,4,8,16", error);
  for (guint i = 0; offsets && ok && i < parse->n; i++) {
    const guint64 most = RC_VOXEL_MAX_POINT_BYTES - rc_dtype_size (parse->fields[i].dtype);
    guint64 offset = 0;

    if (!g_ascii_string_to_unsigned (offsets[i], 10, 0, most, &offset, NULL))
      ok = robocache_caps_error (error, "offsets: field %s is at \"%s\", expected a number of bytes, 0 to %"
          G_GUINT64_FORMAT, parse->names[i], offsets[i], most);
    parse->fields[i].offset = (gint64) offset;
  }
  ok = ok && offsets;
  g_strfreev (offsets);
  return ok;
}

/* ---- what lies where ---- */

static gint
compare_offsets (gconstpointer a, gconstpointer b)
{
  const RcVoxelField *const *one = a, *const *other = b;

  return ((*one)->offset > (*other)->offset) - ((*one)->offset < (*other)->offset);
}

/* Compares neighbours in the order of their offsets. */
static gboolean
check_overlaps (const Parse *parse, GError **error)
{
  const RcVoxelField **sorted = g_new (const RcVoxelField *, parse->n);
  gboolean ok = TRUE;

  for (guint i = 0; i < parse->n; i++)
    sorted[i] = &parse->fields[i];
  qsort (sorted, parse->n, sizeof (*sorted), compare_offsets);
  for (guint i = 1; ok && i < parse->n; i++) {
    if (end_of (sorted[i - 1]) > sorted[i]->offset)
      ok = robocache_caps_error (error, "offsets: field %s, %s at %" G_GINT64_FORMAT ", and field %s at %"
          G_GINT64_FORMAT " overlap", parse->names[sorted[i - 1] - parse->fields], rc_dtype_name (sorted[i - 1]->dtype),
          sorted[i - 1]->offset, parse->names[sorted[i] - parse->fields], sorted[i]->offset);
  }
  g_free (sorted);
  return ok;
}

static gboolean
parse_step (const Parse *parse, gsize *point_bytes, GError **error)
{
  const RcVoxelField *last = &parse->fields[0];
  gint step;

  for (guint i = 1; i < parse->n; i++)
    last = end_of (&parse->fields[i]) > end_of (last) ? &parse->fields[i] : last;
  *point_bytes = (gsize) end_of (last);
  if (!gst_structure_has_field (parse->caps, "point-step"))
    return TRUE;
  if (!gst_structure_get_int (parse->caps, "point-step", &step))
    return robocache_caps_error (error, "caps have no int in point-step: expected bytes from one point to the next, "
        "like point-step=(int)32");
  if (step < end_of (last))
    return robocache_caps_error (error, "point-step is %d: expected at least %" G_GINT64_FORMAT ", since field %s, %s at %"
        G_GINT64_FORMAT ", ends there", step, end_of (last), parse->names[last - parse->fields],
        rc_dtype_name (last->dtype), last->offset);
  *point_bytes = (gsize) step;
  return TRUE;
}

/* ---- x, y and z ---- */

/* Finds x, y and z among the names; without any of these, they are the first three fields. */
static gboolean
find_coordinates (const Parse *parse, guint at[3], GError **error)
{
  static const gchar *const axes[] = { "x", "y", "z" };
  const gchar *missing = NULL;
  guint n_found = 0;

  for (guint axis = 0; axis < 3; axis++) {
    for (at[axis] = 0; at[axis] < parse->n && !g_str_equal (parse->names[at[axis]], axes[axis]); at[axis]++);
    n_found += at[axis] < parse->n;
    if (at[axis] == parse->n)
      missing = axes[axis];
  }
  if (n_found > 0 && missing)
    return robocache_caps_error (error, "fields=\"%s\": no field is named %s, expected x, y and z among them, or none of the three "
        "if the first three fields are x, y and z", gst_structure_get_string (parse->caps, "fields"),
        missing);
  for (guint axis = 0; axis < 3 && n_found == 0; axis++)
    at[axis] = axis;
  return TRUE;
}

static gboolean
check_coordinates (const Parse *parse, const guint at[3], GError **error)
{
  const RcDtype x = parse->fields[at[0]].dtype, y = parse->fields[at[1]].dtype, z = parse->fields[at[2]].dtype;

  if (x != y || x != z)
    return robocache_caps_error (error, "types: %s is %s, %s is %s and %s is %s, expected one type for all three",
        parse->names[at[0]], rc_dtype_name (x), parse->names[at[1]], rc_dtype_name (y), parse->names[at[2]],
        rc_dtype_name (z));
  return robocache_point_check_dtype (x, rc_dtype_name (x), error);
}

/* The fields with x, y and z first; at is in any order. */
static RcVoxelField *
order_fields (const Parse *parse, const guint at[3])
{
  RcVoxelField *fields = g_new (RcVoxelField, parse->n);
  guint n = 3;

  for (guint axis = 0; axis < 3; axis++)
    fields[axis] = parse->fields[at[axis]];
  for (guint i = 0; i < parse->n; i++) {
    if (i != at[0] && i != at[1] && i != at[2])
      fields[n++] = parse->fields[i];
  }
  return fields;
}

/* Whether a dtype and a number of fields describe the table completely. */
static gboolean
is_packed (const RobocachePointLayout *layout)
{
  const gint64 size = (gint64) rc_dtype_size (layout->dtype);

  for (guint i = 0; i < layout->n_fields; i++) {
    if (layout->fields[i].dtype != layout->dtype || layout->fields[i].offset != i * size)
      return FALSE;
  }
  return layout->point_bytes == layout->n_fields * (gsize) size;
}

static gboolean
parse_layout (Parse *parse, RobocachePointLayout *layout, GError **error)
{
  guint at[3];

  if (!parse_names (parse, error))
    return FALSE;
  parse->fields = g_new0 (RcVoxelField, parse->n);
  if (!find_coordinates (parse, at, error) || !parse_types (parse, error) || !check_coordinates (parse, at, error)
      || !parse_offsets (parse, error) || !check_overlaps (parse, error)
      || !parse_step (parse, &layout->point_bytes, error))
    return FALSE;
  layout->dtype = parse->fields[at[0]].dtype;
  layout->n_fields = parse->n;
  layout->fields = order_fields (parse, at);
  if (is_packed (layout))
    robocache_point_layout_clear (layout);
  return TRUE;
}

gboolean
robocache_point_layout_parse (RobocachePointLayout *layout, const GstStructure *structure, GError **error)
{
  Parse parse = {.caps = structure };
  gboolean ok;

  memset (layout, 0, sizeof (*layout));
  ok = parse_layout (&parse, layout, error);
  g_strfreev (parse.names);
  g_free (parse.fields);
  return ok;
}
