/* robocache: the places of chosen fields in each message of a type
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "fieldlocator.h"

#include <string.h>

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

void
robocache_ros_skip_item (const RobocacheRosSchema *schema, const RobocacheRosField *field, RobocacheCdrReader *reader)
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
      robocache_cdr_reader_fail (reader, "a wstring, whose bytes writers do not agree on, lies before a field that is read");
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
    robocache_ros_skip_item (schema, field, reader);
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

struct _RobocacheFieldLocator
{
  const RobocacheRosSchema *schema;
  GArray *nodes;                /* of Node, one a field of the type */
  const RobocacheRosField **fields;     /* of each path */
  guint n_paths, n_found;       /* all, and those in the type */
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
  g_free (locator);
}

const RobocacheRosField *
robocache_field_locator_field (const RobocacheFieldLocator *locator, guint path)
{
  return locator->fields[path];
}

/* Where a walk through a message is. */
typedef struct
{
  const RobocacheFieldLocator *locator;
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
      robocache_ros_skip_field (walk->locator->schema, node->field, walk->reader);
  }
}

gboolean
robocache_field_locator_run (const RobocacheFieldLocator *locator, RobocacheCdrReader *reader, gboolean to_the_end,
    RobocacheRosPlace *places)
{
  Walk walk = { locator, reader, places, to_the_end ? G_MAXUINT : locator->n_found };

  memset (places, 0, locator->n_paths * sizeof (*places));
  locate (&walk, locator->nodes);
  return reader->fault == NULL;
}
