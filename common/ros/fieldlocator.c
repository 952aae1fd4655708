/* robocache: the places of chosen fields in each message of a type
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "fieldlocator.h"

#include <string.h>

/* A message with more of them is read field by field each time. */
#define MAX_RANGES 16
#define MAX_KNOWN_BYTES 1024

/* ---- fields that are not read ---- */

/* Bytes that an item takes at least. */
static gsize
min_bytes_of_item (const RobocacheRosSchema *schema, const RobocacheRosField *field)
{
  const guint bytes = robocache_ros_kind_bytes (field->kind);

  if (bytes > 0)
    return bytes;
  /* an empty message takes a byte, so that none takes less */
  return field->kind == ROBOCACHE_ROS_MESSAGE ? 1 : sizeof (guint32);
}

guint32
robocache_ros_read_count (const RobocacheRosSchema *schema, const RobocacheRosField *field, RobocacheCdrReader *reader)
{
  if (field->repeat == ROBOCACHE_ROS_SINGLE)
    return 1;
  if (field->repeat == ROBOCACHE_ROS_SEQUENCE)
    return robocache_cdr_read_count (reader, min_bytes_of_item (schema, field), field->count);
  if (field->count <= (reader->size - reader->offset) / min_bytes_of_item (schema, field))
    return field->count;
  robocache_cdr_reader_fail (reader, "the message ends within an array");
  return 0;
}

/* Moves the reader behind one item of a field. */
static void
skip_one_item (const RobocacheRosSchema *schema, const RobocacheRosField *field, RobocacheCdrReader *reader)
{
  guint32 length;

  switch (field->kind) {
    case ROBOCACHE_ROS_MESSAGE:
      robocache_ros_skip_message (schema, field->message, reader);
      break;
    case ROBOCACHE_ROS_STRING:
      robocache_cdr_read_string (reader, &length);
      break;
    case ROBOCACHE_ROS_WSTRING:
      robocache_cdr_reader_fail (reader, "a field that is read follows a wstring, which writers encode differently");
      break;
    default:
      robocache_cdr_read_array (reader, robocache_ros_kind_bytes (field->kind), 1);
      break;
  }
}

void
robocache_ros_skip_field (const RobocacheRosSchema *schema, const RobocacheRosField *field, RobocacheCdrReader *reader)
{
  const guint32 count = robocache_ros_read_count (schema, field, reader);
  const guint bytes = robocache_ros_kind_bytes (field->kind);

  if (bytes > 0) {
    robocache_cdr_read_array (reader, bytes, count);
    return;
  }
  if (field->kind == ROBOCACHE_ROS_STRING) {
    robocache_cdr_skip_strings (reader, count);
    return;
  }
  for (guint32 i = 0; i < count && !reader->fault; i++)
    skip_one_item (schema, field, reader);
}

void
robocache_ros_skip_message (const RobocacheRosSchema *schema, guint index, RobocacheCdrReader *reader)
{
  const RobocacheRosType *type = robocache_ros_schema_type (schema, index);

  /* ROS 2 puts a byte into a message that has no field */
  if (type->fields->len == 0)
    robocache_cdr_read_uint8 (reader);
  for (guint i = 0; i < type->fields->len && !reader->fault; i++)
    robocache_ros_skip_field (schema, &g_array_index (type->fields, RobocacheRosField, i), reader);
}

/* ---- fields that are ---- */

/* A field on the way to a path, or one that a path leads to. */
typedef struct
{
  const RobocacheRosField *field;
  gint path;                    /* -1: none ends here */
  GArray *below;                /* of Node, one a field of its type; NULL: skip the field */
} Node;

/* Bytes of a message that decide where later fields lie: a count, or a string or several with their lengths. */
typedef struct
{
  gsize offset, size;           /* in the body */
} Range;

/* The last message. Places in one that begins alike and has the same ranges are the same: most messages of a topic differ in numbers alone. */
typedef struct
{
  gboolean is_known;
  gboolean to_the_end, is_swapped;
  gsize size, begin, end;       /* of the body, and where the reader was before and after */
  RobocacheRosPlace *places;    /* [n_paths] */
  Range ranges[MAX_RANGES];
  guint n_ranges;
  guint8 bytes[MAX_KNOWN_BYTES];        /* of the ranges, one after the other */
  gsize n_bytes;
} Known;

struct _RobocacheFieldLocator
{
  const RobocacheRosSchema *schema;
  GArray *nodes;                /* of Node, one a field of the type */
  const RobocacheRosField **fields;     /* of each path */
  guint n_paths, n_found;       /* all, and those in the type */
  Known known;
};

static void
clear_node (gpointer data)
{
  g_clear_pointer (&((Node *) data)->below, g_array_unref);
}

static GArray *
nodes_of_type (const RobocacheRosSchema *schema, guint index)
{
  const RobocacheRosType *type = robocache_ros_schema_type (schema, index);
  GArray *nodes = g_array_new (FALSE, FALSE, sizeof (Node));

  g_array_set_clear_func (nodes, clear_node);
  for (guint i = 0; i < type->fields->len; i++) {
    const Node node = { &g_array_index (type->fields, RobocacheRosField, i), -1, NULL };

    g_array_append_val (nodes, node);
  }
  return nodes;
}

static Node *
find_node (GArray *nodes, const gchar *name, gsize length)
{
  for (guint i = 0; i < nodes->len; i++) {
    Node *node = &g_array_index (nodes, Node, i);

    if (strlen (node->field->name) == length && memcmp (node->field->name, name, length) == 0)
      return node;
  }
  return NULL;
}

static void
add_path (RobocacheFieldLocator *locator, const gchar *path, guint index)
{
  GArray *nodes = locator->nodes;

  for (;;) {
    const gsize length = strcspn (path, ".");
    Node *node = find_node (nodes, path, length);

    if (!node)
      return;
    if (path[length] == '\0') {
      locator->n_found += node->path < 0;
      node->path = (gint) index;
      locator->fields[index] = node->field;
      return;
    }
    if (node->field->kind != ROBOCACHE_ROS_MESSAGE || node->field->repeat != ROBOCACHE_ROS_SINGLE)
      return;
    if (!node->below)
      node->below = nodes_of_type (locator->schema, node->field->message);
    nodes = node->below;
    path += length + 1;
  }
}

RobocacheFieldLocator *
robocache_field_locator_new (const RobocacheRosSchema *schema, guint index, const gchar *const *paths, guint n)
{
  RobocacheFieldLocator *locator = g_new (RobocacheFieldLocator, 1);

  locator->schema = schema;
  locator->nodes = nodes_of_type (schema, index);
  locator->fields = g_new0 (const RobocacheRosField *, n);
  locator->n_paths = n;
  locator->n_found = 0;
  locator->known = (Known) {.places = g_new0 (RobocacheRosPlace, n) };
  for (guint i = 0; i < n; i++)
    add_path (locator, paths[i], i);
  return locator;
}

void
robocache_field_locator_free (RobocacheFieldLocator *locator)
{
  if (!locator)
    return;
  g_array_unref (locator->nodes);
  g_free (locator->fields);
  g_free (locator->known.places);
  g_free (locator);
}

const RobocacheRosField *
robocache_field_locator_field (const RobocacheFieldLocator *locator, guint path)
{
  return locator->fields[path];
}

/* ---- the last message ---- */

static gboolean
is_known (const Known *known, const RobocacheCdrReader *reader, gboolean to_the_end)
{
  const guint8 *bytes = known->bytes;

  if (!known->is_known || known->size != reader->size || known->begin != reader->offset || known->is_swapped != reader->is_swapped
      || known->to_the_end != to_the_end || reader->fault)
    return FALSE;
  for (guint i = 0; i < known->n_ranges; i++) {
    const Range *range = &known->ranges[i];

    if (memcmp (reader->body + range->offset, bytes, range->size) != 0)
      return FALSE;
    bytes += range->size;
  }
  return TRUE;
}

static void
begin_known (Known *known, const RobocacheCdrReader *reader, gboolean to_the_end)
{
  known->is_known = TRUE;
  known->to_the_end = to_the_end;
  known->is_swapped = reader->is_swapped;
  known->size = reader->size;
  known->begin = reader->offset;
  known->n_ranges = 0;
  known->n_bytes = 0;
}

/* Notes the bytes from `begin`, where a length is aligned, to `end`. */
static void
note_range (Known *known, const RobocacheCdrReader *reader, gsize begin, gsize end)
{
  const gsize offset = (begin + sizeof (guint32) - 1) & ~(sizeof (guint32) - 1);

  if (end <= offset || !known->is_known)
    return;
  known->is_known = known->n_ranges < MAX_RANGES && end - offset <= MAX_KNOWN_BYTES - known->n_bytes;
  if (!known->is_known)
    return;
  known->ranges[known->n_ranges++] = (Range) { offset, end - offset };
  memcpy (known->bytes + known->n_bytes, reader->body + offset, end - offset);
  known->n_bytes += end - offset;
}

/* Notes what decides where a field ends that the reader has passed; the reader stood at `begin` before. */
static void
note_field (Known *known, const RobocacheRosField *field, const RobocacheCdrReader *reader, gsize begin)
{
  if (field->kind == ROBOCACHE_ROS_STRING)
    note_range (known, reader, begin, reader->offset);
  else if (field->kind == ROBOCACHE_ROS_MESSAGE)
    known->is_known = FALSE;
  else if (field->repeat == ROBOCACHE_ROS_SEQUENCE)
    note_range (known, reader, begin, ((begin + sizeof (guint32) - 1) & ~(sizeof (guint32) - 1)) + sizeof (guint32));
}

/* ---- a message ---- */

/* Where a walk through a message is. */
typedef struct
{
  RobocacheFieldLocator *locator;
  RobocacheCdrReader *reader;
  RobocacheRosPlace *places;
  guint n_left;                 /* paths to find before it ends; G_MAXUINT: it ends behind the message */
} Walk;

static void
locate_field (Walk *walk, const Node *node)
{
  RobocacheCdrReader ahead = *walk->reader;
  RobocacheRosPlace *place = &walk->places[node->path];

  place->count = robocache_ros_read_count (walk->locator->schema, node->field, &ahead);
  place->offset = ahead.offset;
  walk->n_left -= walk->n_left < G_MAXUINT;
}

static void skip_message (Walk * walk, guint index);

static void
skip_field (Walk *walk, const RobocacheRosField *field)
{
  const gsize begin = walk->reader->offset;

  if (field->kind == ROBOCACHE_ROS_MESSAGE && field->repeat == ROBOCACHE_ROS_SINGLE) {
    skip_message (walk, field->message);
    return;
  }
  robocache_ros_skip_field (walk->locator->schema, field, walk->reader);
  if (!walk->reader->fault)
    note_field (&walk->locator->known, field, walk->reader, begin);
}

/* As robocache_ros_skip_message(), with notes. */
static void
skip_message (Walk *walk, guint index)
{
  const RobocacheRosType *type = robocache_ros_schema_type (walk->locator->schema, index);

  if (type->fields->len == 0)
    robocache_cdr_read_uint8 (walk->reader);
  for (guint i = 0; i < type->fields->len && !walk->reader->fault; i++)
    skip_field (walk, &g_array_index (type->fields, RobocacheRosField, i));
}

static void
locate (Walk *walk, GArray *nodes)
{
  if (nodes->len == 0)
    robocache_cdr_read_uint8 (walk->reader);
  for (guint i = 0; i < nodes->len && walk->n_left > 0 && !walk->reader->fault; i++) {
    const Node *node = &g_array_index (nodes, Node, i);

    if (node->path >= 0)
      locate_field (walk, node);
    if (node->below)
      locate (walk, node->below);
    else
      skip_field (walk, node->field);
  }
}

gboolean
robocache_field_locator_run (RobocacheFieldLocator *locator, RobocacheCdrReader *reader, gboolean to_the_end, RobocacheRosPlace *places)
{
  Walk walk = { locator, reader, places, to_the_end ? G_MAXUINT : locator->n_found };
  Known *known = &locator->known;

  if (is_known (known, reader, to_the_end)) {
    reader->offset = known->end;
    memcpy (places, known->places, locator->n_paths * sizeof (*places));
    return TRUE;
  }
  memset (places, 0, locator->n_paths * sizeof (*places));
  begin_known (known, reader, to_the_end);
  locate (&walk, locator->nodes);
  known->is_known &= reader->fault == NULL;
  known->end = reader->offset;
  memcpy (known->places, places, locator->n_paths * sizeof (*places));
  return reader->fault == NULL;
}
