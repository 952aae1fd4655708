/* robocache: messages in JSON, by their JSON schema, as CDR
 *
 * Objects are messages, arrays lists, numbers float64, integers int64; strings with contentEncoding base64 are bytes. A number that a message
 * lacks, or null, is NaN; an integer or boolean must be there. Values of other kinds, arrays of arrays, and objects that hold themselves are
 * left out. Source: json-schema.org, draft 2020-12, and its drafts back to 7.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include <math.h>
#include <string.h>

#include "common/element/errors.h"
#include "encodings.h"
#include "jsontext.h"

#define MAX_DEPTH 64
#define MAX_TYPES 4096
#define MAX_FIELDS 4096
/* Objects that references go through. */
#define MAX_MEMBERS 65536
/* A longer reference is not resolved. */
#define MAX_REFERENCE 1024

/* Encodings of a field, in addition to its kind. */
enum
{ ENCODED_AS_JSON, ENCODED_AS_BASE64 };

/* ---- the schema ---- */

typedef struct
{
  const gchar *type;            /* of the root */
  RobocacheRosSchema *schema;
  GHashTable *members;          /* "#/definitions/Vector3" → RobocacheJsonValue, of each object that a reference went through */
  GHashTable *walked;           /* "#/definitions": objects whose members are there */
  GHashTable *indices;          /* of $ref: index of the type, plus 1 */
  GPtrArray *open;              /* of $ref, around the object that is read */
  guint depth, n_fields;
  GError *error;
} Builder;

static void
add_member (Builder *builder, gchar *reference, RobocacheJsonValue value)
{
  RobocacheJsonValue *copy = g_new (RobocacheJsonValue, 1);

  *copy = value;
  g_hash_table_insert (builder->members, reference, copy);
}

/* Adds the members of the object that a reference names, once. FALSE: the reference names no value. */
static gboolean
add_members (Builder *builder, const gchar *reference)
{
  const RobocacheJsonValue *object = g_hash_table_lookup (builder->members, reference);
  RobocacheJsonValue key, value;
  RobocacheJsonWalk walk;
  GString *name;

  if (!object || g_hash_table_contains (builder->walked, reference))
    return object != NULL;
  g_hash_table_add (builder->walked, g_strdup (reference));
  name = g_string_new (NULL);
  robocache_json_walk_init (&walk, *object);
  while (walk.is_object && robocache_json_walk_next (&walk, &key, &value) && g_hash_table_size (builder->members) < MAX_MEMBERS) {
    robocache_json_get_string (key, name);
    if (strlen (reference) + name->len < MAX_REFERENCE)
      add_member (builder, g_strconcat (reference, "/", name->str, NULL), value);
  }
  g_string_free (name, TRUE);
  return TRUE;
}

/* The value of a pointer, "#/definitions/Vector3" or "#/$defs/Vector3"; size 0: none. */
static RobocacheJsonValue
resolve (Builder *builder, const gchar *reference)
{
  const RobocacheJsonValue *value = g_hash_table_lookup (builder->members, reference);
  gboolean has_parent = strlen (reference) < MAX_REFERENCE;

  for (const gchar * slash = strchr (reference, '/'); !value && slash && has_parent; slash = strchr (slash + 1, '/')) {
    gchar *parent = g_strndup (reference, (gsize) (slash - reference));

    has_parent = add_members (builder, parent);
    value = g_hash_table_lookup (builder->members, reference);
    g_free (parent);
  }
  return value ? *value : (RobocacheJsonValue) {NULL, 0};
}

/* Whether a schema is of a type; one of several types beside null counts. */
static gboolean
is_of_type (RobocacheJsonValue schema, const gchar *type)
{
  RobocacheJsonValue value = robocache_json_member (schema, "type"), key, item;
  gboolean is = robocache_json_string_equal (value, type);
  RobocacheJsonWalk walk;
  guint n = 0;

  if (robocache_json_is_string (value))
    return is;
  robocache_json_walk_init (&walk, value);
  while (robocache_json_walk_next (&walk, &key, &item)) {
    n += !robocache_json_string_equal (item, "null");
    is |= robocache_json_string_equal (item, type);
  }
  return is && n == 1;
}

/* An enumeration of integers, by its values or by constants. */
static gboolean
is_enumeration (RobocacheJsonValue schema)
{
  static const gchar *const names[] = { "enum", "oneOf", "anyOf" };
  guint n = 0, n_integers = 0;

  for (guint i = 0; i < G_N_ELEMENTS (names); i++) {
    RobocacheJsonValue key, item;
    RobocacheJsonWalk walk;
    gint64 number;

    robocache_json_walk_init (&walk, robocache_json_member (schema, names[i]));
    while (robocache_json_walk_next (&walk, &key, &item)) {
      n++;
      n_integers += robocache_json_get_integer (i == 0 ? item : robocache_json_member (item, "const"), &number);
    }
  }
  return n > 0 && n == n_integers;
}

static const struct
{
  const gchar *type;
  RobocacheRosKind kind;
} types[] = {
  {"number", ROBOCACHE_ROS_FLOAT64}, {"integer", ROBOCACHE_ROS_INT64}, {"boolean", ROBOCACHE_ROS_BOOL}, {"string", ROBOCACHE_ROS_STRING},
  {"object", ROBOCACHE_ROS_MESSAGE},
};

static gint build_object (Builder * builder, RobocacheJsonValue schema);

/* The type of a schema that may be a reference; -1: it is left out, or an error. */
static gint
build_reference (Builder *builder, const gchar *ref)
{
  const guint known = GPOINTER_TO_UINT (g_hash_table_lookup (builder->indices, ref));
  gint index;

  if (known > 0)
    return (gint) known - 1;
  g_ptr_array_add (builder->open, (gpointer) ref);
  index = build_object (builder, resolve (builder, ref));
  g_ptr_array_remove_index (builder->open, builder->open->len - 1);
  if (index >= 0)
    g_hash_table_insert (builder->indices, g_strdup (ref), GINT_TO_POINTER (index + 1));
  return index;
}

/* Sets kind and type of a field. FALSE: a value of that schema is left out, or an error. */
static gboolean
find_kind (Builder *builder, RobocacheJsonValue schema, RobocacheRosField *field)
{
  const RobocacheJsonValue ref = robocache_json_member (schema, "$ref");
  GString *name = g_string_new (NULL);
  gint index = -1;
  guint i = 0;

  if (ref.size > 0) {
    robocache_json_get_string (ref, name);
    if (g_ptr_array_find_with_equal_func (builder->open, name->str, g_str_equal, NULL)) {
      g_string_free (name, TRUE);
      return FALSE;
    }
    schema = resolve (builder, name->str);
  }
  while (i < G_N_ELEMENTS (types) && !is_of_type (schema, types[i].type))
    i++;
  field->kind = i < G_N_ELEMENTS (types) ? types[i].kind : ROBOCACHE_ROS_INT64;
  if (field->kind == ROBOCACHE_ROS_MESSAGE)
    index = name->len > 0 ? build_reference (builder, name->str) : build_object (builder, schema);
  else if (i < G_N_ELEMENTS (types) || is_enumeration (schema))
    index = 0;
  g_string_free (name, TRUE);
  field->message = (guint) MAX (index, 0);
  if (field->kind == ROBOCACHE_ROS_STRING && robocache_json_string_equal (robocache_json_member (schema, "contentEncoding"), "base64"))
    field->encoding = ENCODED_AS_BASE64;
  return index >= 0;
}

static gboolean
build_field (Builder *builder, RobocacheJsonValue schema, RobocacheRosField *field)
{
  const RobocacheJsonValue items = is_of_type (schema, "array") ? robocache_json_member (schema, "items") : (RobocacheJsonValue) { NULL, 0 };

  if (items.size > 0)
    field->repeat = ROBOCACHE_ROS_SEQUENCE;
  if (!find_kind (builder, items.size > 0 ? items : schema, field))
    return FALSE;
  if (field->encoding == ENCODED_AS_BASE64) {
    field->kind = ROBOCACHE_ROS_UINT8;
    field->repeat = ROBOCACHE_ROS_SEQUENCE;
  }
  return items.size == 0 || field->encoding == ENCODED_AS_JSON;
}

static void
build_fields (Builder *builder, RobocacheRosType *type, RobocacheJsonValue properties)
{
  RobocacheJsonValue key, value;
  RobocacheJsonWalk walk;

  robocache_json_walk_init (&walk, properties);
  while (!builder->error && robocache_json_walk_next (&walk, &key, &value)) {
    RobocacheRosField field = { 0 };
    GString *name = g_string_new (NULL);

    robocache_json_get_string (key, name);
    if (builder->n_fields++ >= MAX_FIELDS) {
      builder->error = g_error_new (ROBOCACHE_ERROR, ROBOCACHE_ERROR_CAPS, "the JSON schema has more than %d properties", MAX_FIELDS);
    } else if (name->len > 0 && build_field (builder, value, &field)) {
      field.name = g_utf8_make_valid (name->str, -1);
      g_array_append_val (type->fields, field);
      g_hash_table_insert (type->places, field.name, GUINT_TO_POINTER (type->fields->len));
    } else if (!builder->error) {
      robocache_ros_schema_leave_out (builder->schema, name->str);
    }
    g_string_free (name, TRUE);
  }
}

/* The name of a type: that of ROS for times and quaternions, else its title. */
static gchar *
name_of_object (const Builder *builder, RobocacheJsonValue schema, RobocacheJsonValue properties)
{
  const gboolean is_time = robocache_json_member (properties, "sec").size > 0 && robocache_json_member (properties, "nsec").size > 0;
  const RobocacheJsonValue title = robocache_json_member (schema, "title");
  GString *name;

  if (builder->schema->types->len == 0)
    return g_strdup (builder->type);
  if (is_time)
    return g_strdup ("builtin_interfaces/Time");
  if (robocache_json_string_equal (title, "foxglove.Quaternion"))
    return g_strdup ("geometry_msgs/Quaternion");
  name = g_string_new (NULL);
  if (robocache_json_is_string (title))
    robocache_json_get_string (title, name);
  return g_string_free (name, FALSE);
}

/* The index of a new type; -1 and an error. */
static gint
build_object (Builder *builder, RobocacheJsonValue schema)
{
  const RobocacheJsonValue properties = robocache_json_member (schema, "properties");
  const guint index = builder->schema->types->len;
  gchar *name = name_of_object (builder, schema, properties);
  RobocacheRosType *type;

  if (builder->depth >= MAX_DEPTH || index >= MAX_TYPES) {
    if (!builder->error)
      builder->error = g_error_new (ROBOCACHE_ERROR, ROBOCACHE_ERROR_CAPS, "the JSON schema has more than %d levels or %d objects", MAX_DEPTH,
          MAX_TYPES);
    g_free (name);
    return -1;
  }
  type = robocache_ros_schema_add_type (builder->schema, name);
  type->places = g_hash_table_new (g_str_hash, g_str_equal);
  builder->depth++;
  build_fields (builder, type, properties);
  builder->depth--;
  return (gint) index;
}

RobocacheRosSchema *
robocache_json_schema_parse (const gchar *type, const gchar *definition, gsize size, GError **error)
{
  Builder builder = {.type = type,.schema = robocache_ros_schema_new () };
  RobocacheJsonValue root = { NULL, 0 };

  builder.members = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, g_free);
  builder.walked = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  builder.indices = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  builder.open = g_ptr_array_new ();
  if (!robocache_json_parse (definition, size, &root))
    builder.error = g_error_new_literal (ROBOCACHE_ERROR, ROBOCACHE_ERROR_CAPS, "its schema is not JSON");
  else if (robocache_json_member (root, "properties").size == 0)
    builder.error = g_error_new_literal (ROBOCACHE_ERROR, ROBOCACHE_ERROR_CAPS, "its JSON schema names no properties");
  add_member (&builder, g_strdup ("#"), root);
  if (!builder.error && build_object (&builder, root) >= 0 && !builder.error)
    robocache_ros_schema_check_depth (builder.schema, &builder.error);
  g_hash_table_unref (builder.members);
  g_hash_table_unref (builder.walked);
  g_hash_table_unref (builder.indices);
  g_ptr_array_unref (builder.open);
  if (builder.error) {
    g_clear_pointer (&builder.schema, robocache_ros_schema_free);
    g_propagate_error (error, builder.error);
  }
  return builder.schema;
}

/* ---- messages ---- */

static gboolean
fail (GError **error, const RobocacheRosField *field, RobocacheJsonValue value, const gchar *expected)
{
  gchar *text = g_utf8_make_valid (value.data ? value.data : "missing", value.data ? (gssize) MIN (value.size, 40) : -1);

  g_set_error (error, ROBOCACHE_ERROR, ROBOCACHE_ERROR_DATA, "the property %s is %s, expected %s", field->name, text, expected);
  g_free (text);
  return FALSE;
}

static gboolean
is_missing (RobocacheJsonValue value)
{
  return value.size == 0 || robocache_json_is (value, "null");
}

/* GLib's decoder skips what is not of the alphabet, and drops an incomplete group. */
static gboolean
is_base64 (const gchar *text, gsize length)
{
  gsize n = 0, n_padding = 0;

  while (n < length && (g_ascii_isalnum (text[n]) || text[n] == '+' || text[n] == '/'))
    n++;
  while (n + n_padding < length && text[n + n_padding] == '=')
    n_padding++;
  return length % 4 == 0 && n + n_padding == length && n_padding <= 2;
}

static gboolean
write_bytes (RobocacheConversion *conversion, const RobocacheRosField *field, RobocacheJsonValue value, GError **error)
{
  const gchar *text = is_missing (value) ? "" : value.data + 1;
  gsize length = is_missing (value) ? 0 : value.size - 2;
  GString *plain = NULL;
  gboolean ok = is_missing (value) || robocache_json_is_string (value);
  gint state = 0;
  guint save = 0;
  guchar *bytes;

  /* a picture as text is large: only one with escapes, as of /, is copied */
  if (ok && memchr (text, '\\', length)) {
    plain = g_string_new (NULL);
    robocache_json_get_string (value, plain);
    text = plain->str;
    length = plain->len;
  }
  ok = ok && is_base64 (text, length);
  if (ok) {
    bytes = g_malloc (length / 4 * 3 + 3);
    robocache_cdr_write_sequence (conversion->writer, bytes, 1, g_base64_decode_step (text, length, bytes, &state, &save));
    g_free (bytes);
  }
  if (plain)
    g_string_free (plain, TRUE);
  return ok || fail (error, field, value, "base64");
}

static gboolean
write_string (RobocacheConversion *conversion, const RobocacheRosField *field, RobocacheJsonValue value, GError **error)
{
  GString *text;

  if (!is_missing (value) && !robocache_json_is_string (value))
    return fail (error, field, value, "a string");
  text = g_string_new (NULL);
  if (!is_missing (value))
    robocache_json_get_string (value, text);
  robocache_conversion_write_text (conversion, (const guint8 *) text->str, text->len);
  g_string_free (text, TRUE);
  return TRUE;
}

static gboolean write_object (RobocacheConversion * conversion, guint index, RobocacheJsonValue object, GError ** error);

static gboolean
write_value (RobocacheConversion *conversion, const RobocacheRosField *field, RobocacheJsonValue value, GError **error)
{
  gdouble number = NAN;
  gint64 integer = 0;

  switch (field->kind) {
    case ROBOCACHE_ROS_MESSAGE:
      if (!is_missing (value) && *value.data != '{')
        return fail (error, field, value, "an object");
      return write_object (conversion, field->message, value, error);
    case ROBOCACHE_ROS_STRING:
      return write_string (conversion, field, value, error);
    case ROBOCACHE_ROS_FLOAT64:
      if (!is_missing (value) && !robocache_json_get_number (value, &number))
        return fail (error, field, value, "a number");
      robocache_cdr_write_array (conversion->writer, &number, sizeof (number), 1);
      return TRUE;
    case ROBOCACHE_ROS_BOOL:
      if (!robocache_json_is (value, "true") && !robocache_json_is (value, "false"))
        return fail (error, field, value, "true or false");
      robocache_cdr_write_uint8 (conversion->writer, robocache_json_is (value, "true"));
      return TRUE;
    default:
      if (!robocache_json_get_integer (value, &integer))
        return fail (error, field, value, "an integer of 64 bits");
      robocache_cdr_write_int64 (conversion->writer, integer);
      return TRUE;
  }
}

static gboolean
write_list (RobocacheConversion *conversion, const RobocacheRosField *field, RobocacheJsonValue list, GError **error)
{
  const gsize place = robocache_conversion_begin_items (conversion);
  RobocacheJsonValue key, value;
  RobocacheJsonWalk walk;
  guint32 count = 0;

  if (!is_missing (list) && *list.data != '[')
    return fail (error, field, list, "an array");
  robocache_json_walk_init (&walk, is_missing (list) ? (RobocacheJsonValue) { NULL, 0 } : list);
  for (; robocache_json_walk_next (&walk, &key, &value); count++)
    if (!robocache_conversion_check (conversion, error) || !write_value (conversion, field, value, error))
      return FALSE;
  robocache_conversion_end_items (conversion, place, count);
  return TRUE;
}

/* Index of the field of a key; the number of fields: none. Most keys come in order. */
static guint
index_of_key (const RobocacheRosType *type, RobocacheJsonValue key, guint hint)
{
  GString *name;
  guint place;

  for (guint at = hint; at < MIN (hint + 2, type->fields->len); at++)
    if (robocache_json_string_equal (key, g_array_index (type->fields, RobocacheRosField, at).name))
      return at;
  name = g_string_new (NULL);
  robocache_json_get_string (key, name);
  place = strlen (name->str) == name->len ? GPOINTER_TO_UINT (g_hash_table_lookup (type->places, name->str)) : 0;
  g_string_free (name, TRUE);
  return place > 0 ? place - 1 : type->fields->len;
}

/* A stamp that is absent is 0, as one that nobody set. */
static gboolean
write_field (RobocacheConversion *conversion, const RobocacheRosType *type, guint i, RobocacheJsonValue value, GError **error)
{
  const RobocacheRosField *field = &g_array_index (type->fields, RobocacheRosField, i);

  if (field->encoding == ENCODED_AS_BASE64)
    return write_bytes (conversion, field, value, error);
  if (field->repeat == ROBOCACHE_ROS_SEQUENCE)
    return write_list (conversion, field, value, error);
  if (is_missing (value) && field->kind == ROBOCACHE_ROS_INT64 && g_str_equal (type->name, "builtin_interfaces/Time")) {
    robocache_cdr_write_int64 (conversion->writer, 0);
    return TRUE;
  }
  return write_value (conversion, field, value, error);
}

static gboolean
write_object (RobocacheConversion *conversion, guint index, RobocacheJsonValue object, GError **error)
{
  const RobocacheRosType *type = robocache_ros_schema_type (conversion->schema, index);
  RobocacheJsonValue *values = g_new0 (RobocacheJsonValue, MAX (1, type->fields->len)), key, value;
  gboolean ok = robocache_conversion_check (conversion, error);
  RobocacheJsonWalk walk;
  guint at = 0;

  /* ROS 2 puts a byte into a message that has no field */
  if (type->fields->len == 0)
    robocache_cdr_write_uint8 (conversion->writer, 0);
  robocache_json_walk_init (&walk, object);
  while (ok && robocache_json_walk_next (&walk, &key, &value)) {
    const guint found = index_of_key (type, key, at);

    if (found == type->fields->len)
      continue;
    values[found] = value;
    at = found;
  }
  for (guint i = 0; ok && i < type->fields->len; i++)
    ok = write_field (conversion, type, i, values[i], error);
  g_free (values);
  return ok;
}

gboolean
robocache_json_convert (RobocacheConversion *conversion, GError **error)
{
  RobocacheJsonValue value;

  if (robocache_json_parse ((const gchar *) conversion->message, conversion->size, &value) && *value.data == '{')
    return write_object (conversion, 0, value, error);
  g_set_error_literal (error, ROBOCACHE_ERROR, ROBOCACHE_ERROR_DATA, "the message is not a JSON object");
  return FALSE;
}
