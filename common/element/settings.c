/* robocache: properties that are a plain field of a struct
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "settings.h"

void
robocache_setting_set (gpointer field, const GValue *value)
{
  if (GST_VALUE_HOLDS_FRACTION (value)) {
    ((gint *) field)[0] = gst_value_get_fraction_numerator (value);
    ((gint *) field)[1] = gst_value_get_fraction_denominator (value);
    return;
  }
  switch (G_TYPE_FUNDAMENTAL (G_VALUE_TYPE (value))) {
    case G_TYPE_ENUM:
      *(gint *) field = g_value_get_enum (value);
      break;
    case G_TYPE_BOOLEAN:
      *(gboolean *) field = g_value_get_boolean (value);
      break;
    case G_TYPE_INT:
      *(gint *) field = g_value_get_int (value);
      break;
    case G_TYPE_UINT:
      *(guint *) field = g_value_get_uint (value);
      break;
    case G_TYPE_INT64:
      *(gint64 *) field = g_value_get_int64 (value);
      break;
    case G_TYPE_UINT64:
      *(guint64 *) field = g_value_get_uint64 (value);
      break;
    case G_TYPE_DOUBLE:
      *(gdouble *) field = g_value_get_double (value);
      break;
    case G_TYPE_STRING:
      g_free (*(gchar **) field);
      *(gchar **) field = g_value_dup_string (value);
      break;
    default:
      g_return_if_reached ();
  }
}

void
robocache_setting_get (gconstpointer field, GValue *value)
{
  if (GST_VALUE_HOLDS_FRACTION (value)) {
    gst_value_set_fraction (value, ((const gint *) field)[0], ((const gint *) field)[1]);
    return;
  }
  switch (G_TYPE_FUNDAMENTAL (G_VALUE_TYPE (value))) {
    case G_TYPE_ENUM:
      g_value_set_enum (value, *(const gint *) field);
      break;
    case G_TYPE_BOOLEAN:
      g_value_set_boolean (value, *(const gboolean *) field);
      break;
    case G_TYPE_INT:
      g_value_set_int (value, *(const gint *) field);
      break;
    case G_TYPE_UINT:
      g_value_set_uint (value, *(const guint *) field);
      break;
    case G_TYPE_INT64:
      g_value_set_int64 (value, *(const gint64 *) field);
      break;
    case G_TYPE_UINT64:
      g_value_set_uint64 (value, *(const guint64 *) field);
      break;
    case G_TYPE_DOUBLE:
      g_value_set_double (value, *(const gdouble *) field);
      break;
    case G_TYPE_STRING:
      g_value_set_string (value, *(gchar * const *) field);
      break;
    default:
      g_return_if_reached ();
  }
}
