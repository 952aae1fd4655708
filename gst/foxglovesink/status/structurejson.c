/* robocache: structures as JSON
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "structurejson.h"

#include <math.h>

#include "common/ros/encodings/jsontext.h"

/* Before an item: none is before the first one of an object or array, and none before a value that has a name. */
static void
append_comma (GString *json)
{
  const gchar last = json->len > 0 ? json->str[json->len - 1] : '{';

  if (last != '{' && last != '[' && last != ':')
    g_string_append_c (json, ',');
}

void
robocache_json_append_name (GString *json, const gchar *name)
{
  append_comma (json);
  g_string_append_c (json, '"');
  for (; *name; name++)
    g_string_append_c (json, *name == '-' ? '_' : *name);
  g_string_append (json, "\":");
}

void
robocache_json_open (GString *json, gchar bracket)
{
  append_comma (json);
  g_string_append_c (json, bracket);
}

static void
append_double (GString *json, gdouble number)
{
  gchar text[G_ASCII_DTOSTR_BUF_SIZE];

  g_string_append (json, isfinite (number) ? g_ascii_dtostr (text, sizeof text, number) : "null");
}

static void
append_text (GString *json, gchar *text)
{
  if (text)
    robocache_json_append_string (json, text);
  else
    g_string_append (json, "null");
  g_free (text);
}

static void
append_value (GString *json, const GValue *value)
{
  GValue text = G_VALUE_INIT;

  if (G_VALUE_HOLDS (value, GST_TYPE_STRUCTURE)) {
    g_string_append_c (json, '{');
    robocache_json_append_fields (json, gst_value_get_structure (value), TRUE);
    g_string_append_c (json, '}');
    return;
  }
  g_value_init (&text, G_TYPE_STRING);
  if (G_VALUE_HOLDS_DOUBLE (value)) {
    append_double (json, g_value_get_double (value));
  } else if (G_VALUE_HOLDS_BOOLEAN (value)) {
    g_string_append (json, g_value_get_boolean (value) ? "true" : "false");
  } else if (G_VALUE_HOLDS_STRING (value)) {
    append_text (json, g_value_dup_string (value));
  } else if (G_VALUE_HOLDS_ENUM (value)) {
    append_text (json, gst_value_serialize (value));
  } else {
    g_string_append (json, g_value_transform (value, &text) ? g_value_get_string (&text) : "null");
  }
  g_value_unset (&text);
}

void
robocache_json_append_fields (GString *json, const GstStructure *structure, gboolean with_structures)
{
  for (gint i = 0; i < gst_structure_n_fields (structure); i++) {
    const gchar *name = gst_structure_nth_field_name (structure, (guint) i);
    const GValue *value = gst_structure_get_value (structure, name);

    if (!with_structures && G_VALUE_HOLDS (value, GST_TYPE_STRUCTURE))
      continue;
    robocache_json_append_name (json, name);
    append_value (json, value);
  }
}
