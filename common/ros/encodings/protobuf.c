/* robocache: messages in protobuf, by their FileDescriptorSet, as CDR
 *
 * Fields that messages may lack have their defaults then: the number that their definition gives, the first value of an enumeration, 0, an empty text, or
 * an empty list. google.protobuf.Timestamp and Duration become those of ROS, lists of map entries are lists of messages. Left out are fields whose
 * message would hold itself, and lists of bytes.
 * Source: protobuf.dev, "Encoding", and google/protobuf/descriptor.proto for the numbers of fields.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include <string.h>

#include "common/element/errors.h"
#include "encodings.h"

/* Messages that hold each other this deep are refused. */
#define MAX_DEPTH 64
#define MAX_TYPES 4096
#define MAX_FIELDS 4096
#define MAX_NAME 1024
/* Bytes of all types by their full names, each with the tables' own bytes, and of all enumerations that are searched for defaults. */
#define MAX_NAMES_BYTES (32u << 20)
#define NAME_BYTES 96
#define MAX_SEARCHED_BYTES (64u << 20)

/* ---- the wire ---- */

typedef struct
{
  const guint8 *data;
  gsize size;
} Span;

typedef enum
{ WIRE_VARINT, WIRE_64_BITS, WIRE_BYTES, WIRE_32_BITS = 5 } Wire;

/* A field as it is in a message. */
typedef struct
{
  guint32 number;
  Wire wire;
  guint64 value;                /* of a number, in its bits */
  Span bytes;
} WireField;

static gboolean
read_varint (Span *left, guint64 *value)
{
  *value = 0;
  for (guint shift = 0; shift < 64 && left->size > 0; shift += 7) {
    const guint8 byte = *left->data++;

    left->size--;
    *value |= (guint64) (byte & 0x7f) << shift;
    if (!(byte & 0x80))
      return TRUE;
  }
  return FALSE;
}

/* Little endian. */
static gboolean
read_fixed (Span *left, gsize size, guint64 *value)
{
  *value = 0;
  if (left->size < size)
    return FALSE;
  for (gsize i = 0; i < size; i++)
    *value |= (guint64) left->data[i] << (8 * i);
  left->data += size;
  left->size -= size;
  return TRUE;
}

/* FALSE: at the end, or the rest is damaged, or has a group, and stays in `left`. */
static gboolean
next_field (Span *left, WireField *field)
{
  Span after = *left;
  guint64 tag, size;
  gboolean ok;

  if (!read_varint (&after, &tag) || tag >> 3 == 0 || tag >> 3 > G_MAXINT32)
    return FALSE;
  field->number = (guint32) (tag >> 3);
  field->wire = (Wire) (tag & 7);
  field->bytes = (Span) { NULL, 0 };
  switch (field->wire) {
    case WIRE_VARINT:
      ok = read_varint (&after, &field->value);
      break;
    case WIRE_64_BITS:
      ok = read_fixed (&after, 8, &field->value);
      break;
    case WIRE_32_BITS:
      ok = read_fixed (&after, 4, &field->value);
      break;
    case WIRE_BYTES:
      ok = read_varint (&after, &size) && size <= after.size;
      if (ok)
        field->bytes = (Span) { after.data, (gsize) size };
      after = (Span) { after.data + field->bytes.size, after.size - field->bytes.size };
      break;
    default:
      ok = FALSE;
  }
  if (ok)
    *left = after;
  return ok;
}

/* The last field of a number in a message; FALSE: it has none. */
static gboolean
find_field (Span message, guint32 number, WireField *found)
{
  gboolean has = FALSE;
  WireField field;

  while (next_field (&message, &field)) {
    if (field.number == number) {
      *found = field;
      has = TRUE;
    }
  }
  return has;
}

/* The text of a field, "" where it is absent; free with g_free. */
static gchar *
find_text (Span message, guint32 number)
{
  WireField field;
  gchar *text, *valid;

  if (!find_field (message, number, &field) || field.bytes.size == 0)
    return g_strdup ("");
  text = g_strndup ((const gchar *) field.bytes.data, field.bytes.size);
  valid = g_utf8_make_valid (text, -1);
  g_free (text);
  return valid;
}

static guint64
find_number (Span message, guint32 number)
{
  WireField field;

  return find_field (message, number, &field) ? field.value : 0;
}

/* ---- definitions ---- */

/* Numbers of fields in descriptor.proto. */
enum
{ SET_FILE = 1, FILE_PACKAGE = 2, FILE_MESSAGE = 4, FILE_ENUM = 5, MESSAGE_NAME = 1, MESSAGE_FIELD = 2, MESSAGE_NESTED = 3, MESSAGE_ENUM = 4,
  ENUM_VALUE = 2, VALUE_NAME = 1, VALUE_NUMBER = 2, FIELD_NAME = 1, FIELD_NUMBER = 3, FIELD_LABEL = 4, FIELD_TYPE = 5, FIELD_TYPE_NAME = 6, FIELD_DEFAULT = 7,
  LABEL_REPEATED = 3
};

/* Types of descriptor.proto, numbered from 1 in this order. */
typedef enum
{ TYPE_DOUBLE = 1, TYPE_FLOAT, TYPE_INT64, TYPE_UINT64, TYPE_INT32, TYPE_FIXED64, TYPE_FIXED32, TYPE_BOOL, TYPE_STRING, TYPE_GROUP,
  TYPE_MESSAGE, TYPE_BYTES, TYPE_UINT32, TYPE_ENUM, TYPE_SFIXED32, TYPE_SFIXED64, TYPE_SINT32, TYPE_SINT64
} FieldType;

static const struct
{
  RobocacheRosKind kind;
  Wire wire;
} field_types[] = {
  [TYPE_DOUBLE] = {ROBOCACHE_ROS_FLOAT64, WIRE_64_BITS},
  [TYPE_FLOAT] = {ROBOCACHE_ROS_FLOAT32, WIRE_32_BITS},
  [TYPE_INT64] = {ROBOCACHE_ROS_INT64, WIRE_VARINT},
  [TYPE_UINT64] = {ROBOCACHE_ROS_UINT64, WIRE_VARINT},
  [TYPE_INT32] = {ROBOCACHE_ROS_INT32, WIRE_VARINT},
  [TYPE_FIXED64] = {ROBOCACHE_ROS_UINT64, WIRE_64_BITS},
  [TYPE_FIXED32] = {ROBOCACHE_ROS_UINT32, WIRE_32_BITS},
  [TYPE_BOOL] = {ROBOCACHE_ROS_BOOL, WIRE_VARINT},
  [TYPE_STRING] = {ROBOCACHE_ROS_STRING, WIRE_BYTES},
  [TYPE_MESSAGE] = {ROBOCACHE_ROS_MESSAGE, WIRE_BYTES},
  [TYPE_BYTES] = {ROBOCACHE_ROS_UINT8, WIRE_BYTES},
  [TYPE_UINT32] = {ROBOCACHE_ROS_UINT32, WIRE_VARINT},
  [TYPE_ENUM] = {ROBOCACHE_ROS_INT32, WIRE_VARINT},
  [TYPE_SFIXED32] = {ROBOCACHE_ROS_INT32, WIRE_32_BITS},
  [TYPE_SFIXED64] = {ROBOCACHE_ROS_INT64, WIRE_64_BITS},
  [TYPE_SINT32] = {ROBOCACHE_ROS_INT32, WIRE_VARINT},
  [TYPE_SINT64] = {ROBOCACHE_ROS_INT64, WIRE_VARINT},
};

/* Types that are those of ROS. */
static const gchar *const names_in_ros[][2] = {
  {"google.protobuf.Timestamp", "builtin_interfaces/Time"}, {"google.protobuf.Duration", "builtin_interfaces/Duration"},
  {"foxglove.Quaternion", "geometry_msgs/Quaternion"},
};
static const gchar *const fields_of_times[][2] = { {"seconds", "sec"}, {"nanos", "nanosec"} };

typedef struct
{
  GHashTable *descriptors;      /* full name → Span of its DescriptorProto or EnumDescriptorProto */
  GHashTable *indices;          /* full name → index of its type, plus 1 */
  GPtrArray *open;              /* full names of the types around the one that is built */
  RobocacheRosSchema *schema;
  guint n_fields;
  gsize names_bytes, searched_bytes;
  GError *error;
} Builder;

/* Sets the error that ends building unless there is one, or `bytes` stays within `most`. */
static void
check_bytes (Builder *builder, gsize bytes, gsize most, const gchar *what)
{
  if (bytes > most && !builder->error)
    builder->error = g_error_new (ROBOCACHE_ERROR, ROBOCACHE_ERROR_CAPS, "the schema has too many %s", what);
}

/* Messages and enumerations of a file or of a message; `prefix` is "pkg." or "pkg.Outer.". */
static void
note_types (Builder *builder, Span descriptors, gboolean is_file, const gchar *prefix, guint depth)
{
  const guint32 of_message = is_file ? FILE_MESSAGE : MESSAGE_NESTED, of_enum = is_file ? FILE_ENUM : MESSAGE_ENUM;
  WireField field;

  while (depth < MAX_DEPTH && !builder->error && next_field (&descriptors, &field)) {
    gchar *name, *full, *inner;
    Span *span;

    if ((field.number != of_message && field.number != of_enum) || field.wire != WIRE_BYTES)
      continue;
    /* the name of an enumeration has the same number */
    name = find_text (field.bytes, MESSAGE_NAME);
    /* each nested message repeats the names around it */
    if (strlen (prefix) + strlen (name) > MAX_NAME) {
      g_free (name);
      continue;
    }
    full = g_strconcat (prefix, name, NULL);
    inner = g_strconcat (full, ".", NULL);
    if (field.number == of_message)
      note_types (builder, field.bytes, FALSE, inner, depth + 1);
    span = g_new (Span, 1);
    *span = field.bytes;
    builder->names_bytes += strlen (full) + NAME_BYTES;
    check_bytes (builder, builder->names_bytes, MAX_NAMES_BYTES, "types");
    g_hash_table_insert (builder->descriptors, full, span);
    g_free (inner);
    g_free (name);
  }
}

/* FALSE: the bytes are not a FileDescriptorSet. */
static gboolean
note_files (Builder *builder, Span set)
{
  WireField field;

  while (next_field (&set, &field)) {
    gchar *package, *prefix;

    if (field.number != SET_FILE || field.wire != WIRE_BYTES)
      continue;
    package = find_text (field.bytes, FILE_PACKAGE);
    prefix = *package ? g_strconcat (package, ".", NULL) : g_strdup ("");
    note_types (builder, field.bytes, TRUE, prefix, 0);
    g_free (prefix);
    g_free (package);
  }
  return set.size == 0;
}

static gint build_type (Builder * builder, const gchar * name);

static gboolean
is_open (const Builder *builder, const gchar *name)
{
  return g_ptr_array_find_with_equal_func (builder->open, name, g_str_equal, NULL);
}

/* The message type of a field; -1: it is left out, or an error. */
static gint
build_type_of_field (Builder *builder, Span descriptor)
{
  gchar *text = find_text (descriptor, FIELD_TYPE_NAME);
  /* ".pkg.Message" */
  const gchar *name = *text == '.' ? text + 1 : text;
  const gint index = is_open (builder, name) ? -1 : build_type (builder, name);

  g_free (text);
  return index;
}

/* The name of a field; of a time, that in ROS. Free with g_free. */
static gchar *
name_of_field (Span descriptor, const RobocacheRosType *type)
{
  gchar *name = find_text (descriptor, FIELD_NAME);

  for (guint i = 0; g_str_has_prefix (type->name, "builtin_interfaces/") && i < G_N_ELEMENTS (fields_of_times); i++) {
    if (g_str_equal (name, fields_of_times[i][0])) {
      g_free (name);
      return g_strdup (fields_of_times[i][1]);
    }
  }
  return name;
}

static void
leave_out (Builder *builder, Span descriptor)
{
  gchar *name = find_text (descriptor, FIELD_NAME);

  robocache_ros_schema_leave_out (builder->schema, name);
  g_free (name);
}

/* Whether the text of a field is `text`; "" for any. */
static gboolean
has_text (Span message, guint32 number, const gchar *text)
{
  const gsize size = strlen (text);
  WireField field;

  return size == 0 || (find_field (message, number, &field) && field.bytes.size == size && memcmp (field.bytes.data, text, size) == 0);
}

/* The number of a value of an enumeration by its name; without a name, of the first one. */
static guint64
number_of_value (Builder *builder, Span descriptor, const gchar *name)
{
  gchar *type = find_text (descriptor, FIELD_TYPE_NAME);
  const Span *values = g_hash_table_lookup (builder->descriptors, *type == '.' ? type + 1 : type);
  Span left = values ? *values : (Span) { NULL, 0 };
  gboolean is_found = FALSE;
  guint64 number = 0;
  WireField field;

  while (!is_found && !builder->error && next_field (&left, &field)) {
    is_found = field.number == ENUM_VALUE && field.wire == WIRE_BYTES && has_text (field.bytes, VALUE_NAME, name);
    if (is_found)
      number = find_number (field.bytes, VALUE_NUMBER);
    builder->searched_bytes += field.bytes.size + 2;
    check_bytes (builder, builder->searched_bytes, MAX_SEARCHED_BYTES, "values of enumerations");
  }
  g_free (type);
  return number;
}

/* The bits of the number that messages without the field have. */
static guint64
initial_of (Builder *builder, Span descriptor, FieldType field_type)
{
  gchar *text = find_text (descriptor, FIELD_DEFAULT);
  const gdouble real = g_ascii_strtod (text, NULL);
  const gfloat short_real = (gfloat) real;
  guint64 bits = 0;
  guint32 short_bits;

  switch (field_type) {
    case TYPE_DOUBLE:
      memcpy (&bits, &real, sizeof (bits));
      break;
    case TYPE_FLOAT:
      memcpy (&short_bits, &short_real, sizeof (short_bits));
      bits = short_bits;
      break;
    case TYPE_BOOL:
      bits = g_str_equal (text, "true");
      break;
    case TYPE_ENUM:
      bits = number_of_value (builder, descriptor, text);
      break;
    case TYPE_STRING:
    case TYPE_BYTES:
    case TYPE_MESSAGE:
      break;
    default:
      bits = *text == '-' ? (guint64) g_ascii_strtoll (text, NULL, 10) : g_ascii_strtoull (text, NULL, 10);
  }
  g_free (text);
  return bits;
}

static void
build_field (Builder *builder, RobocacheRosType *type, Span descriptor)
{
  const guint64 field_type = find_number (descriptor, FIELD_TYPE), number = find_number (descriptor, FIELD_NUMBER);
  const gboolean is_repeated = find_number (descriptor, FIELD_LABEL) == LABEL_REPEATED;
  RobocacheRosField field = {.repeat = is_repeated ? ROBOCACHE_ROS_SEQUENCE : ROBOCACHE_ROS_SINGLE };
  gint index = 0;

  if (field_type == 0 || field_type >= G_N_ELEMENTS (field_types) || field_type == TYPE_GROUP || number == 0 || number > G_MAXINT32
      || (field_type == TYPE_BYTES && is_repeated)) {
    leave_out (builder, descriptor);
    return;
  }
  field.kind = field_types[field_type].kind;
  field.number = (guint32) number;
  field.encoding = (guint8) field_type;
  field.initial = initial_of (builder, descriptor, (FieldType) field_type);
  if (field_type == TYPE_BYTES)
    field.repeat = ROBOCACHE_ROS_SEQUENCE;
  if (field_type == TYPE_MESSAGE)
    index = build_type_of_field (builder, descriptor);
  if (index < 0 || builder->error) {
    leave_out (builder, descriptor);
    return;
  }
  field.message = (guint) index;
  field.name = name_of_field (descriptor, type);
  if (*field.name == '\0' || builder->n_fields++ >= MAX_FIELDS)
    builder->error = g_error_new (ROBOCACHE_ERROR, ROBOCACHE_ERROR_CAPS, "%s has a field without a name, or more than %d fields", type->name,
        MAX_FIELDS);
  g_array_append_val (type->fields, field);
  g_hash_table_insert (type->places, GUINT_TO_POINTER (field.number), GUINT_TO_POINTER (type->fields->len));
}

static const gchar *
name_in_ros (const gchar *name)
{
  for (guint i = 0; i < G_N_ELEMENTS (names_in_ros); i++)
    if (g_str_equal (name, names_in_ros[i][0]))
      return names_in_ros[i][1];
  return name;
}

/* The index of a type by its full name, which is built where it is new; -1 and an error. */
static gint
build_type (Builder *builder, const gchar *name)
{
  const guint known = GPOINTER_TO_UINT (g_hash_table_lookup (builder->indices, name));
  const Span *descriptor = g_hash_table_lookup (builder->descriptors, name);
  RobocacheRosType *type;
  WireField field;
  Span left;
  guint index;

  if (known > 0)
    return (gint) known - 1;
  if (!descriptor || builder->open->len >= MAX_DEPTH || builder->schema->types->len >= MAX_TYPES) {
    if (!builder->error)
      builder->error = g_error_new (ROBOCACHE_ERROR, ROBOCACHE_ERROR_CAPS, descriptor ? "%s is nested in too many levels of "
          "messages, or the schema has too many types" : "the definition of %s is missing in the schema", name);
    return -1;
  }
  type = robocache_ros_schema_add_type (builder->schema, g_strdup (name_in_ros (name)));
  type->places = g_hash_table_new (NULL, NULL);
  index = builder->schema->types->len;
  g_hash_table_insert (builder->indices, g_strdup (name), GUINT_TO_POINTER (index));
  g_ptr_array_add (builder->open, (gpointer) name);
  for (left = *descriptor; next_field (&left, &field) && !builder->error;) {
    if (field.number == MESSAGE_FIELD && field.wire == WIRE_BYTES)
      build_field (builder, type, field.bytes);
  }
  g_ptr_array_remove_index (builder->open, builder->open->len - 1);
  return (gint) index - 1;
}

RobocacheRosSchema *
robocache_protobuf_parse (const gchar *type, const gchar *definition, gsize size, GError **error)
{
  Builder builder = {.schema = robocache_ros_schema_new () };

  builder.descriptors = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, g_free);
  builder.indices = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  builder.open = g_ptr_array_new ();
  if (!note_files (&builder, (Span) { (const guint8 *) definition, size }) && !builder.error)
    builder.error = g_error_new_literal (ROBOCACHE_ERROR, ROBOCACHE_ERROR_CAPS, "its schema is not a FileDescriptorSet of protobuf");
  else if (!builder.error && build_type (&builder, type) >= 0 && !builder.error)
    robocache_ros_schema_check_depth (builder.schema, &builder.error);
  g_hash_table_unref (builder.descriptors);
  g_hash_table_unref (builder.indices);
  g_ptr_array_unref (builder.open);
  if (builder.error) {
    g_clear_pointer (&builder.schema, robocache_ros_schema_free);
    g_propagate_error (error, builder.error);
  }
  return builder.schema;
}

/* ---- messages ---- */

/* A field of the schema in a message: its last value, and the part of the message that has all of them. */
typedef struct
{
  guint n;
  WireField last;
  Span part;
} Found;

static gboolean
fail (GError **error, const RobocacheRosType *type, const RobocacheRosField *field, const gchar *what)
{
  g_set_error (error, ROBOCACHE_ERROR, ROBOCACHE_ERROR_DATA, "%s%s%s: %s", type->name, field ? "." : "", field ? field->name : "", what);
  return FALSE;
}

static guint64
number_of (guint8 encoding, guint64 value)
{
  if (encoding == TYPE_SINT32 || encoding == TYPE_SINT64)
    return (value >> 1) ^ (0 - (value & 1));
  return encoding == TYPE_BOOL ? value != 0 : value;
}

/* The items of a list of numbers in one run of bytes. FALSE: they are damaged. A list that becomes too large ends early; the caller checks. */
static gboolean
write_packed (RobocacheConversion *conversion, const RobocacheRosField *field, Span left, guint32 *count)
{
  const Wire wire = field_types[field->encoding].wire;
  guint64 value;

  for (; left.size > 0 && robocache_conversion_check (conversion, NULL); (*count)++) {
    if (wire == WIRE_VARINT ? !read_varint (&left, &value) : !read_fixed (&left, wire == WIRE_64_BITS ? 8 : 4, &value))
      return FALSE;
    robocache_conversion_write_integer (conversion, field->kind, number_of (field->encoding, value));
  }
  return TRUE;
}

static gboolean write_message (RobocacheConversion * conversion, guint index, Span message, GError ** error);

static gboolean
write_value (RobocacheConversion *conversion, const RobocacheRosField *field, const WireField *value, GError **error)
{
  switch (field->encoding) {
    case TYPE_MESSAGE:
      return write_message (conversion, field->message, value->bytes, error);
    case TYPE_BYTES:
      robocache_cdr_write_sequence (conversion->writer, value->bytes.data, 1, value->bytes.size);
      return TRUE;
    case TYPE_STRING:
      robocache_conversion_write_text (conversion, value->bytes.data, value->bytes.size);
      return TRUE;
    default:
      robocache_conversion_write_integer (conversion, field->kind, number_of (field->encoding, value->value));
      return TRUE;
  }
}

static gboolean
write_list (RobocacheConversion *conversion, const RobocacheRosType *type, const RobocacheRosField *field, Span part, GError **error)
{
  const gsize place = robocache_conversion_begin_items (conversion);
  const gboolean is_number = field_types[field->encoding].wire != WIRE_BYTES;
  guint32 count = 0;
  WireField value;

  while (next_field (&part, &value)) {
    if (value.number != field->number)
      continue;
    if (is_number && value.wire == WIRE_BYTES) {
      if (!write_packed (conversion, field, value.bytes, &count))
        return fail (error, type, field, "a list of numbers is truncated");
    } else {
      if (!write_value (conversion, field, &value, error))
        return FALSE;
      count++;
    }
  }
  robocache_conversion_end_items (conversion, place, count);
  return TRUE;
}

static gboolean
write_field (RobocacheConversion *conversion, const RobocacheRosType *type, const RobocacheRosField *field, const Found *found, GError **error)
{
  if (field->repeat == ROBOCACHE_ROS_SEQUENCE && field->encoding != TYPE_BYTES)
    return write_list (conversion, type, field, found->part, error);
  if (found->n == 0)
    return robocache_conversion_write_default (conversion, field, error);
  if (found->n > 1 && field->encoding == TYPE_MESSAGE)
    return fail (error, type, field, "a message is split into several parts, which is not supported");
  return write_value (conversion, field, &found->last, error);
}

/* Index of the field of a number; the number of fields: none. Most fields come in order. */
static guint
index_of_number (const RobocacheRosType *type, guint32 number, guint hint)
{
  guint place;

  for (guint at = hint; at < MIN (hint + 2, type->fields->len); at++)
    if (g_array_index (type->fields, RobocacheRosField, at).number == number)
      return at;
  place = GPOINTER_TO_UINT (g_hash_table_lookup (type->places, GUINT_TO_POINTER (number)));
  return place > 0 ? place - 1 : type->fields->len;
}

static gboolean
find_fields (const RobocacheRosType *type, Span message, Found *found, GError **error)
{
  Span left = message;
  WireField value;
  guint at = 0;

  for (const guint8 * begin = left.data; next_field (&left, &value); begin = left.data) {
    const guint index = index_of_number (type, value.number, at);
    const RobocacheRosField *field = &g_array_index (type->fields, RobocacheRosField, index);
    gboolean is_packed;

    /* of a newer definition, or left out */
    if (index == type->fields->len)
      continue;
    is_packed = value.wire == WIRE_BYTES && field->repeat == ROBOCACHE_ROS_SEQUENCE;
    if (value.wire != field_types[field->encoding].wire && !is_packed)
      return fail (error, type, field, "a message has another type than its definition");
    if (found[index].n++ == 0)
      found[index].part.data = begin;
    found[index].part.size = (gsize) (left.data - found[index].part.data);
    found[index].last = value;
    at = index;
  }
  return left.size == 0 || fail (error, type, NULL, "the message is damaged, or has a group");
}

static gboolean
write_message (RobocacheConversion *conversion, guint index, Span message, GError **error)
{
  const RobocacheRosType *type = robocache_ros_schema_type (conversion->schema, index);
  Found *found = g_new0 (Found, MAX (1, type->fields->len));
  gboolean ok = robocache_conversion_check (conversion, error) && find_fields (type, message, found, error);

  /* ROS 2 puts a byte into a message that has no field */
  if (type->fields->len == 0)
    robocache_cdr_write_uint8 (conversion->writer, 0);
  for (guint i = 0; ok && i < type->fields->len; i++)
    ok = write_field (conversion, type, &g_array_index (type->fields, RobocacheRosField, i), &found[i], error);
  g_free (found);
  return ok;
}

gboolean
robocache_protobuf_convert (RobocacheConversion *conversion, GError **error)
{
  return write_message (conversion, 0, (Span) { conversion->message, conversion->size }, error);
}
