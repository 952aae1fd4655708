/* robocache: hashes of message types, which publishers of ROS 2 offer
 *
 * The hash is that of a text in JSON, with one blank behind each comma and colon.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "typehash.h"

#include <string.h>

#define VERSION "RIHS01_"

/* Numbers of type_description_interfaces/msg/FieldType, by RobocacheRosKind. */
static const guint8 type_ids[] = {
  [ROBOCACHE_ROS_BOOL] = 15,[ROBOCACHE_ROS_INT8] = 2,[ROBOCACHE_ROS_UINT8] = 3,[ROBOCACHE_ROS_INT16] = 4,[ROBOCACHE_ROS_UINT16] = 5,
  [ROBOCACHE_ROS_INT32] = 6,[ROBOCACHE_ROS_UINT32] = 7,[ROBOCACHE_ROS_INT64] = 8,[ROBOCACHE_ROS_UINT64] = 9,[ROBOCACHE_ROS_FLOAT32] = 10,
  [ROBOCACHE_ROS_FLOAT64] = 11,[ROBOCACHE_ROS_STRING] = 17,[ROBOCACHE_ROS_WSTRING] = 18,[ROBOCACHE_ROS_MESSAGE] = 1,
};

enum
{ BYTE = 16, BOUNDED_STRING = 21, BOUNDED_WSTRING = 22, ARRAY = 48, BOUNDED_SEQUENCE = 96, UNBOUNDED_SEQUENCE = 144 };

static guint
type_id_of (const RobocacheRosField *field)
{
  guint id = field->is_byte ? BYTE : type_ids[field->kind];

  if (field->max_length > 0)
    id = field->kind == ROBOCACHE_ROS_STRING ? BOUNDED_STRING : BOUNDED_WSTRING;
  if (field->repeat == ROBOCACHE_ROS_ARRAY)
    return id + ARRAY;
  if (field->repeat == ROBOCACHE_ROS_SEQUENCE)
    return id + (field->count > 0 ? BOUNDED_SEQUENCE : UNBOUNDED_SEQUENCE);
  return id;
}

/* "std_msgs/Header" → "std_msgs/msg/Header". */
static void
append_type_name (GString *text, const gchar *short_name)
{
  const gchar *slash = strchr (short_name, '/');

  if (slash)
    g_string_append_printf (text, "%.*s/msg%s", (gint) (slash - short_name), short_name, slash);
  else
    g_string_append (text, short_name);
}

static void
append_field (GString *text, const RobocacheRosSchema *schema, const RobocacheRosField *field)
{
  g_string_append_printf (text, "{\"name\": \"%s\", \"type\": {\"type_id\": %u, \"capacity\": %u, \"string_capacity\": %u, \"nested_type_name\": \"",
      field->name, type_id_of (field), field->count, field->max_length);
  if (field->kind == ROBOCACHE_ROS_MESSAGE)
    append_type_name (text, robocache_ros_schema_type (schema, field->message)->name);
  g_string_append (text, "\"}}");
}

/* A message without fields has one byte, as a structure of C needs a member. */
static void
append_type (GString *text, const RobocacheRosSchema *schema, const RobocacheRosType *type)
{
  static const RobocacheRosField filler = {.name = (gchar *) "structure_needs_at_least_one_member",.kind = ROBOCACHE_ROS_UINT8 };

  g_string_append (text, "{\"type_name\": \"");
  append_type_name (text, type->name);
  g_string_append (text, "\", \"fields\": [");
  if (type->fields->len == 0)
    append_field (text, schema, &filler);
  for (guint i = 0; i < type->fields->len; i++) {
    g_string_append (text, i > 0 ? ", " : "");
    append_field (text, schema, &g_array_index (type->fields, RobocacheRosField, i));
  }
  g_string_append (text, "]}");
}

static void
note_used (const RobocacheRosSchema *schema, const RobocacheRosType *type, GPtrArray *used)
{
  for (guint i = 0; i < type->fields->len; i++) {
    const RobocacheRosField *field = &g_array_index (type->fields, RobocacheRosField, i);
    RobocacheRosType *other;

    if (field->kind != ROBOCACHE_ROS_MESSAGE)
      continue;
    other = g_ptr_array_index (schema->types, field->message);
    if (g_ptr_array_find (used, other, NULL))
      continue;
    g_ptr_array_add (used, other);
    note_used (schema, other, used);
  }
}

static gint
compare_names (gconstpointer a, gconstpointer b)
{
  return strcmp ((*(RobocacheRosType * const *) a)->name, (*(RobocacheRosType * const *) b)->name);
}

gchar *
robocache_ros_type_hash (const RobocacheRosSchema *schema)
{
  const RobocacheRosType *type = robocache_ros_schema_type (schema, 0);
  GString *text = g_string_new ("{\"type_description\": ");
  GPtrArray *used = g_ptr_array_new ();
  gchar *digits, *hash;

  note_used (schema, type, used);
  g_ptr_array_sort (used, compare_names);
  append_type (text, schema, type);
  g_string_append (text, ", \"referenced_type_descriptions\": [");
  for (guint i = 0; i < used->len; i++) {
    g_string_append (text, i > 0 ? ", " : "");
    append_type (text, schema, g_ptr_array_index (used, i));
  }
  g_string_append (text, "]}");
  digits = g_compute_checksum_for_string (G_CHECKSUM_SHA256, text->str, (gssize) text->len);
  hash = g_strconcat (VERSION, digits, NULL);
  g_free (digits);
  g_ptr_array_unref (used);
  g_string_free (text, TRUE);
  return hash;
}
