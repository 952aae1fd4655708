/* robocache: message definitions of ROS as text ("ros2msg" and "ros1msg"), parsed
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "schema.h"

#include <string.h>

#include "common/element/errors.h"
#include "definitions.h"
#include "serviceevent.h"

/* Types that use each other this deep are no message. */
#define MAX_DEPTH 64
/* Bytes of the names of fields that are left out. */
#define MAX_LEFT_OUT 200

static const struct
{
  const gchar *name;
  RobocacheRosKind kind;
} primitives[] = {
  {"bool", ROBOCACHE_ROS_BOOL}, {"byte", ROBOCACHE_ROS_UINT8}, {"char", ROBOCACHE_ROS_UINT8}, {"int8", ROBOCACHE_ROS_INT8},
  {"uint8", ROBOCACHE_ROS_UINT8}, {"int16", ROBOCACHE_ROS_INT16}, {"uint16", ROBOCACHE_ROS_UINT16},
  {"int32", ROBOCACHE_ROS_INT32}, {"uint32", ROBOCACHE_ROS_UINT32}, {"int64", ROBOCACHE_ROS_INT64},
  {"uint64", ROBOCACHE_ROS_UINT64}, {"float32", ROBOCACHE_ROS_FLOAT32}, {"float64", ROBOCACHE_ROS_FLOAT64},
  {"string", ROBOCACHE_ROS_STRING}, {"wstring", ROBOCACHE_ROS_WSTRING},
};

/* Types that differ between ROS 1 and ROS 2. Source: wiki.ros.org/msg. */
static const struct
{
  const gchar *name, *ros1_name, *ros1_text;
} ros1_types[] = {
  {"builtin_interfaces/Time", "time", "uint32 sec\nuint32 nanosec\n"},
  {"builtin_interfaces/Duration", "duration", "int32 sec\nint32 nanosec\n"},
  {"std_msgs/Header", "std_msgs/Header", "uint32 seq\ntime stamp\nstring frame_id\n"},
};

const RobocacheRosType *
robocache_ros_schema_type (const RobocacheRosSchema *schema, guint index)
{
  return g_ptr_array_index (schema->types, index);
}

/* ---- life ---- */

static void
clear_field (gpointer field)
{
  g_free (((RobocacheRosField *) field)->name);
}

static void
free_type (gpointer data)
{
  RobocacheRosType *type = data;

  g_free (type->name);
  g_array_unref (type->fields);
  g_clear_pointer (&type->places, g_hash_table_unref);
  g_free (type);
}

RobocacheRosSchema *
robocache_ros_schema_new (void)
{
  RobocacheRosSchema *schema = g_new0 (RobocacheRosSchema, 1);

  schema->types = g_ptr_array_new_with_free_func (free_type);
  return schema;
}

void
robocache_ros_schema_leave_out (RobocacheRosSchema *schema, const gchar *field)
{
  gchar *before = schema->left_out, *name;

  if (before && g_str_has_suffix (before, "..."))
    return;
  name = g_utf8_make_valid (field, -1);
  schema->left_out = before ? g_strjoin (", ", before, strlen (before) + strlen (name) > MAX_LEFT_OUT ? "..." : name, NULL) : g_strdup (name);
  g_free (name);
  g_free (before);
}

RobocacheRosType *
robocache_ros_schema_add_type (RobocacheRosSchema *schema, gchar *name)
{
  RobocacheRosType *type = g_new0 (RobocacheRosType, 1);

  type->name = name;
  type->fields = g_array_new (FALSE, TRUE, sizeof (RobocacheRosField));
  g_array_set_clear_func (type->fields, clear_field);
  g_ptr_array_add (schema->types, type);
  return type;
}

void
robocache_ros_schema_free (RobocacheRosSchema *schema)
{
  if (!schema)
    return;
  g_ptr_array_unref (schema->types);
  g_free (schema->left_out);
  g_free (schema);
}

/* ---- one line ---- */

/* A parse of one text. Types of fields are names until all are known. */
typedef struct
{
  RobocacheRosSchema *schema;
  RobocacheRosType *type;       /* that the line is of */
  GPtrArray *type_names;        /* of the fields of all types, in their order; "" for primitives */
  GHashTable *indices;          /* full name → index of a type, plus 1 */
  gboolean is_ros1;
  guint line;
  GError *error;
} Parser;

static gboolean
fail (Parser *parser, const gchar *format, ...) G_GNUC_PRINTF (2, 3);

static gboolean
fail (Parser *parser, const gchar *format, ...)
{
  va_list args;
  gchar *text, *whole, *valid;

  if (parser->error)
    return FALSE;
  va_start (args, format);
  text = g_strdup_vprintf (format, args);
  va_end (args);
  whole = g_strdup_printf ("line %u of %s: %s", parser->line, parser->type->name, text);
  valid = g_utf8_make_valid (whole, -1);
  parser->error = g_error_new_literal (ROBOCACHE_ERROR, ROBOCACHE_ERROR_CAPS, valid);
  g_free (valid);
  g_free (whole);
  g_free (text);
  return FALSE;
}

static gboolean
is_name (const gchar *text)
{
  gsize n = 0;

  while (g_ascii_isalnum (text[n]) || text[n] == '_')
    n++;
  return n > 0 && text[n] == '\0' && !g_ascii_isdigit (text[0]);
}

/* "pkg/Name" or "Name". */
static gboolean
is_type_name (const gchar *text)
{
  gchar **parts = g_strsplit (text, "/", 3);
  gboolean is_valid = parts[0] != NULL && is_name (parts[0]) && (!parts[1] || (is_name (parts[1]) && !parts[2]));

  g_strfreev (parts);
  return is_valid;
}

/* Reads the digits of a bound and moves past them. */
static gboolean
read_bound (const gchar **text, guint32 *bound)
{
  guint64 value = 0;
  gsize n = 0;

  for (; g_ascii_isdigit ((*text)[n]) && value <= G_MAXUINT32; n++)
    value = value * 10 + (guint64) ((*text)[n] - '0');
  *text += n;
  *bound = (guint32) value;
  return n > 0 && value > 0 && value <= G_MAXUINT32;
}

/* "[3]", "[]", "[<=3]", or nothing. */
static gboolean
parse_repeat (const gchar *text, RobocacheRosField *field)
{
  if (*text == '\0')
    return TRUE;
  if (*text++ != '[')
    return FALSE;
  field->repeat = ROBOCACHE_ROS_SEQUENCE;
  if (g_str_has_prefix (text, "<=")) {
    text += 2;
    if (!read_bound (&text, &field->count))
      return FALSE;
  } else if (*text != ']') {
    field->repeat = ROBOCACHE_ROS_ARRAY;
    if (!read_bound (&text, &field->count))
      return FALSE;
  }
  return g_str_equal (text, "]");
}

static gboolean
find_primitive (const gchar *name, RobocacheRosKind *kind)
{
  for (guint i = 0; i < G_N_ELEMENTS (primitives); i++) {
    if (g_str_equal (name, primitives[i].name)) {
      *kind = primitives[i].kind;
      return TRUE;
    }
  }
  return FALSE;
}

/* The name of a type of ROS 1: that of its time, duration and header in ROS 2, others as they are. */
static const gchar *
name_in_ros2 (const gchar *name)
{
  for (guint i = 0; i < G_N_ELEMENTS (ros1_types); i++)
    if (g_str_equal (name, ros1_types[i].ros1_name))
      return ros1_types[i].name;
  return name;
}

/* "uint8", "string<=10[<=3]", "geometry_msgs/Point[4]". The name of a type that is no primitive goes to type_name. */
static gboolean
parse_type (Parser *parser, const gchar *text, RobocacheRosField *field, gchar **type_name)
{
  const gsize length = strcspn (text, "<[");
  gchar *base = g_strndup (text, length), *name = robocache_ros_short_name (base);
  gboolean is_bound_valid = TRUE, is_valid;

  g_free (base);
  text += length;
  if (!find_primitive (name, &field->kind)) {
    field->kind = ROBOCACHE_ROS_MESSAGE;
    *type_name = g_strdup (parser->is_ros1 ? name_in_ros2 (name) : name);
  } else if (parser->is_ros1 && g_str_equal (name, "byte")) {
    field->kind = ROBOCACHE_ROS_INT8;
  }
  field->is_byte = g_str_equal (name, "byte");
  if (g_str_has_prefix (text, "<=")) {
    text += 2;
    is_bound_valid = (field->kind == ROBOCACHE_ROS_STRING || field->kind == ROBOCACHE_ROS_WSTRING)
        && read_bound (&text, &field->max_length);
  }
  is_valid = is_bound_valid && is_type_name (name) && parse_repeat (text, field);
  g_free (name);
  return is_valid || fail (parser, "the type of a field is invalid");
}

static gboolean
has_field (const RobocacheRosType *type, const gchar *name)
{
  for (guint i = 0; i < type->fields->len; i++) {
    if (g_str_equal (g_array_index (type->fields, RobocacheRosField, i).name, name))
      return TRUE;
  }
  return FALSE;
}

/* Takes the name. A default, behind the name, is of no matter to a reader. */
static gboolean
add_field (Parser *parser, const gchar *type, gchar *name)
{
  RobocacheRosField field = {.name = name };
  gchar *type_name = NULL;

  if (!parse_type (parser, type, &field, &type_name) || !is_name (name) || has_field (parser->type, name)) {
    fail (parser, "\"%s\" is not a valid name of a field, or is used twice", name);
    g_free (type_name);
    g_free (name);
    return FALSE;
  }
  g_array_append_val (parser->type->fields, field);
  g_ptr_array_add (parser->type_names, type_name ? type_name : g_strdup (""));
  return TRUE;
}

/* A constant, "TYPE NAME=value", takes no bytes. */
static gboolean
check_constant (Parser *parser, const gchar *type)
{
  RobocacheRosField field = { 0 };
  gchar *type_name = NULL;

  if (!parse_type (parser, type, &field, &type_name))
    return FALSE;
  if (!type_name && field.repeat == ROBOCACHE_ROS_SINGLE)
    return TRUE;
  g_free (type_name);
  return fail (parser, "a constant must be a number or a string");
}

/* "TYPE NAME", "TYPE NAME default", "TYPE NAME=value", each optionally followed by a comment, or only a comment. */
static gboolean
parse_field (Parser *parser, gchar *line)
{
  const gchar *const blanks = " \t\r";
  gchar *type, *name, *rest, *word;
  gsize length;
  gboolean is_done;

  line += strspn (line, blanks);
  if (*line == '\0' || *line == '#')
    return TRUE;
  if (g_str_has_prefix (line, "---"))
    return fail (parser, "it defines a service, not a message");
  length = strcspn (line, blanks);
  rest = line + length + strspn (line + length, blanks);
  type = g_strndup (line, length);
  length = strcspn (rest, " \t\r=#");
  word = rest + length + strspn (rest + length, blanks);
  name = g_strndup (rest, length);
  if (*word == '=' && is_name (name)) {
    is_done = check_constant (parser, type);
    g_free (name);
  } else {
    is_done = add_field (parser, type, name);
  }
  g_free (type);
  return is_done;
}

/* ---- the text ---- */

static gboolean
is_separator (const gchar *line)
{
  const gsize length = strspn (line, "=");

  return length >= 3 && line[length + strspn (line + length, " \t\r")] == '\0';
}

/* Takes the name. */
static gboolean
begin_type (Parser *parser, gchar *name)
{
  parser->type = robocache_ros_schema_add_type (parser->schema, name);
  parser->line = 0;
  /* the first of equal definitions counts */
  if (!g_hash_table_contains (parser->indices, name))
    g_hash_table_insert (parser->indices, name, GUINT_TO_POINTER (parser->schema->types->len));
  return is_type_name (name) || fail (parser, "the name of a type is invalid");
}

/* The line behind a separator, "MSG: std_msgs/Header". */
static gboolean
parse_heading (Parser *parser, gchar *line)
{
  static const gchar prefix[] = "MSG:";

  line = g_strstrip (line);
  if (!g_str_has_prefix (line, prefix))
    return fail (parser, "a line of = is not followed by MSG: and the name of a type");
  return begin_type (parser, robocache_ros_short_name (g_strstrip (line + strlen (prefix))));
}

static gboolean
parse_lines (Parser *parser, gchar **lines)
{
  gboolean is_heading = FALSE;

  for (; *lines; lines++) {
    parser->line++;
    if (is_heading) {
      if (!parse_heading (parser, *lines))
        return FALSE;
      is_heading = FALSE;
    } else if (is_separator (*lines)) {
      is_heading = TRUE;
    } else if (!parse_field (parser, *lines)) {
      return FALSE;
    }
  }
  return TRUE;
}

/* The definition of a type that a text leaves out; NULL: not built in. */
static const gchar *
assumed_text (const Parser *parser, const gchar *name)
{
  if (!parser->is_ros1)
    return robocache_ros_definition (name);
  for (guint i = 0; i < G_N_ELEMENTS (ros1_types); i++)
    if (g_str_equal (name, ros1_types[i].name))
      return ros1_types[i].ros1_text;
  return NULL;
}

/* Adds a type that the text leaves out, if it is built in. */
static void
assume_type (Parser *parser, const gchar *name)
{
  const gchar *text = g_hash_table_contains (parser->indices, name) ? NULL : assumed_text (parser, name);
  gchar **lines;

  if (!text)
    return;
  lines = g_strsplit (text, "\n", -1);
  if (begin_type (parser, g_strdup (name)))
    parse_lines (parser, lines);
  g_strfreev (lines);
}

static gint
index_of (Parser *parser, const gchar *name)
{
  assume_type (parser, name);
  return (gint) GPOINTER_TO_UINT (g_hash_table_lookup (parser->indices, name)) - 1;
}

/* Index of the type that a field of `of` names: in full, of the same package, or the Header of ROS 1; -1: neither in the text nor built in. */
static gint
find_type (Parser *parser, const RobocacheRosType *of, const gchar *name)
{
  const gchar *slash = strchr (of->name, '/');
  gchar *full;
  gint index;

  if (strchr (name, '/') || !slash)
    return index_of (parser, name);
  full = g_strdup_printf ("%.*s/%s", (int) (slash - of->name), of->name, name);
  index = index_of (parser, full);
  g_free (full);
  return index < 0 && g_str_equal (name, "Header") ? index_of (parser, "std_msgs/Header") : index;
}

static gboolean
find_types (Parser *parser)
{
  guint n = 0;

  for (guint i = 0; i < parser->schema->types->len; i++) {
    const RobocacheRosType *type = robocache_ros_schema_type (parser->schema, i);

    for (guint k = 0; k < type->fields->len; k++, n++) {
      RobocacheRosField *field = &g_array_index (type->fields, RobocacheRosField, k);
      const gchar *name = g_ptr_array_index (parser->type_names, n);
      const gint index = field->kind == ROBOCACHE_ROS_MESSAGE ? find_type (parser, type, name) : 0;

      if (index < 0 && !parser->error)
        parser->error = g_error_new (ROBOCACHE_ERROR, ROBOCACHE_ERROR_CAPS, "%s has the field %s of type %s, whose definition is "
            "missing", type->name, field->name, name);
      if (index < 0)
        return FALSE;
      field->message = (guint) index;
    }
  }
  return TRUE;
}

/* The number of levels of type `index`, the message itself included; more than MAX_DEPTH where a type holds itself. heights has
 * those that are known, and 0. */
static guint
height_of (const RobocacheRosSchema *schema, guint index, guint depth, guint *heights)
{
  const RobocacheRosType *type = robocache_ros_schema_type (schema, index);
  guint height = 1;

  if (heights[index] > 0)
    return heights[index];
  for (guint k = 0; depth <= MAX_DEPTH && k < type->fields->len && height <= MAX_DEPTH; k++) {
    const RobocacheRosField *field = &g_array_index (type->fields, RobocacheRosField, k);

    if (field->kind == ROBOCACHE_ROS_MESSAGE)
      height = MAX (height, 1 + height_of (schema, field->message, depth + 1, heights));
  }
  return heights[index] = depth > MAX_DEPTH ? MAX_DEPTH + 1 : height;
}

gboolean
robocache_ros_schema_check_depth (const RobocacheRosSchema *schema, GError **error)
{
  guint *heights = g_new0 (guint, schema->types->len);
  const guint height = height_of (schema, 0, 1, heights);

  g_free (heights);
  if (height <= MAX_DEPTH)
    return TRUE;
  g_set_error (error, ROBOCACHE_ERROR, ROBOCACHE_ERROR_CAPS, "%s contains itself, or nests types in more than %d levels",
      robocache_ros_schema_type (schema, 0)->name, MAX_DEPTH);
  return FALSE;
}

static gboolean
parse_text (Parser *parser, const gchar *name, const gchar *text)
{
  gchar *of_event = robocache_ros_service_event_text (name, text);
  gchar **lines = g_strsplit (of_event ? of_event : text, "\n", -1);
  gboolean is_done = begin_type (parser, robocache_ros_short_name (name)) && parse_lines (parser, lines)
      && find_types (parser) && robocache_ros_schema_check_depth (parser->schema, &parser->error);

  g_strfreev (lines);
  g_free (of_event);
  return is_done;
}

static RobocacheRosSchema *
parse (const gchar *name, const gchar *text, gsize length, gboolean is_ros1, GError **error)
{
  /* behind a NUL would be a text that nobody sees */
  gchar *copy = g_strndup (length > 0 ? text : "", length);
  Parser parser = {.is_ros1 = is_ros1 };

  parser.schema = robocache_ros_schema_new ();
  parser.type_names = g_ptr_array_new_with_free_func (g_free);
  parser.indices = g_hash_table_new (g_str_hash, g_str_equal);
  if (strlen (copy) < length)
    parser.error = g_error_new (ROBOCACHE_ERROR, ROBOCACHE_ERROR_CAPS, "the definition of %s contains a zero byte", name);
  else
    parse_text (&parser, name, copy);
  if (parser.error) {
    g_clear_pointer (&parser.schema, robocache_ros_schema_free);
    g_propagate_error (error, parser.error);
  }
  g_hash_table_unref (parser.indices);
  g_ptr_array_unref (parser.type_names);
  g_free (copy);
  return parser.schema;
}

RobocacheRosSchema *
robocache_ros_schema_parse (const gchar *name, const gchar *text, gsize length, GError **error)
{
  return parse (name, text, length, FALSE, error);
}

RobocacheRosSchema *
robocache_ros1_schema_parse (const gchar *name, const gchar *text, gsize length, GError **error)
{
  return parse (name, text, length, TRUE, error);
}
