/* robocache: the fields of a point, as they lie in data and as caps say it
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "pointfields.h"

#include <string.h>

#include "common/tensors/tensorcaps.h"
#include "pointcloudcaps.h"

#define FIELD(fields, i) (&g_array_index ((fields)->fields, RobocachePointField, i))

static void
clear_field (gpointer field)
{
  g_free (((RobocachePointField *) field)->name);
}

void
robocache_point_fields_init (RobocachePointFields *fields)
{
  *fields = (RobocachePointFields) {.fields = g_array_new (FALSE, FALSE, sizeof (RobocachePointField)) };
  g_array_set_clear_func (fields->fields, clear_field);
}

void
robocache_point_fields_clear (RobocachePointFields *fields)
{
  g_clear_pointer (&fields->fields, g_array_unref);
}

void
robocache_point_fields_append (RobocachePointFields *fields, const gchar *name, RcDtype dtype)
{
  const RobocachePointField field = { g_strdelimit (g_utf8_make_valid (name, -1), ",", '_'), dtype, fields->point_step };

  g_array_append_val (fields->fields, field);
  fields->point_step += rc_dtype_size (dtype);
}

gboolean
robocache_point_fields_check (const RobocachePointFields *fields, GError **error)
{
  static const gchar *const axes[] = { "x", "y", "z" };
  GHashTable *names = g_hash_table_new (g_str_hash, g_str_equal);
  const gchar *twice = NULL, *missing = NULL;

  for (guint i = 0; i < fields->fields->len; i++) {
    if (!g_hash_table_add (names, FIELD (fields, i)->name) && !twice)
      twice = FIELD (fields, i)->name;
  }
  for (guint i = 0; i < G_N_ELEMENTS (axes) && !missing; i++) {
    if (!g_hash_table_contains (names, axes[i]))
      missing = axes[i];
  }
  g_hash_table_unref (names);
  if (twice)
    g_set_error (error, ROBOCACHE_ERROR, ROBOCACHE_ERROR_DATA, "two fields of a point are named \"%.60s\"", twice);
  else if (missing)
    g_set_error (error, ROBOCACHE_ERROR, ROBOCACHE_ERROR_DATA,
        "no field of a point is named %s, expected x, y and z among its %u fields", missing, fields->fields->len);
  return !twice && !missing;
}

/* ---- caps ---- */

/* Whether the type alone determines the places of the fields. */
static gboolean
is_plain (const RobocachePointFields *fields)
{
  const RcDtype dtype = FIELD (fields, 0)->dtype;

  for (guint i = 0; i < fields->fields->len; i++) {
    if (FIELD (fields, i)->dtype != dtype)
      return FALSE;
  }
  return rc_dtype_is_float (dtype) && fields->point_step == fields->fields->len * rc_dtype_size (dtype);
}

/* Whether fields follow each other without a byte between them. */
static gboolean
is_packed (const RobocachePointFields *fields)
{
  gsize end = 0;

  for (guint i = 0; i < fields->fields->len; i++) {
    if (FIELD (fields, i)->offset != end)
      return FALSE;
    end += rc_dtype_size (FIELD (fields, i)->dtype);
  }
  return end == fields->point_step;
}

static void
set_list (GstCaps *caps, const gchar *name, GString *list)
{
  g_string_truncate (list, list->len - 1);      /* the last comma */
  gst_caps_set_simple (caps, name, G_TYPE_STRING, list->str, NULL);
}

GstCaps *
robocache_point_fields_to_caps (const RobocachePointFields *fields)
{
  GstCaps *caps = gst_caps_new_empty_simple (ROBOCACHE_POINTCLOUD_MEDIA_TYPE);
  GString *names = g_string_new (NULL), *types = g_string_new (NULL), *offsets = g_string_new (NULL);

  for (guint i = 0; i < fields->fields->len; i++) {
    g_string_append_printf (names, "%s,", FIELD (fields, i)->name);
    g_string_append_printf (types, "%s,", rc_dtype_name (FIELD (fields, i)->dtype));
    g_string_append_printf (offsets, "%" G_GSIZE_FORMAT ",", FIELD (fields, i)->offset);
  }
  set_list (caps, "fields", names);
  if (is_plain (fields))
    gst_caps_set_simple (caps, "type", G_TYPE_STRING, rc_dtype_name (FIELD (fields, 0)->dtype), NULL);
  else
    set_list (caps, "types", types);
  if (!is_packed (fields)) {
    set_list (caps, "offsets", offsets);
    gst_caps_set_simple (caps, "point-step", G_TYPE_INT, (gint) fields->point_step, NULL);
  }
  g_string_free (names, TRUE);
  g_string_free (types, TRUE);
  g_string_free (offsets, TRUE);
  return caps;
}
