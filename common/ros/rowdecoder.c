/* robocache: the numbers of any message, as a row of named channels
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "rowdecoder.h"

#include <string.h>

#include "common/channels/channelnames.h"
#include "common/element/errors.h"
#include "fieldlocator.h"
#include "rownumbers.h"

/* Fields of all types within types. */
#define MAX_NODES 65536
#define MAX_SKIPPED 64
#define MAX_NAME_BYTES (16 << 20)       /* of all channels */

/* A field that holds chosen numbers, or may. */
typedef struct
{
  const RobocacheRosField *field;
  gboolean is_read;             /* FALSE: skip it */
  GArray *below;                /* of Node, of a message */
} Node;

/* What is done with each number. */
typedef enum
{ NAMING, READING } Pass;

struct _RobocacheRowDecoder
{
  const RobocacheRosSchema *schema;
  gchar **globs;                /* NULL: the default */
  GArray *nodes;
  guint n_nodes;
  GPtrArray *skipped;

  /* of the last message */
  RobocacheRowChannels channels;
  GPtrArray *names;
  GArray *quaternions;          /* guint, first channels of messages that are one */
  GArray *counts;               /* guint32, of sequences in their order */
  GArray *kinds;                /* RobocacheRosKind of each candidate; -1: not chosen */
  guint8 *values;

  /* of a pass */
  Pass pass;
  RobocacheCdrReader *reader;
  guint n_counts, n_candidates, n_values;
  gsize n_name_bytes;
  gboolean has_changed, has_too_many;
};

/* ---- choice of fields ---- */

/* Whether a glob may match a name that begins with `prefix`, or the name of what holds it. */
static gboolean
may_match (const gchar *glob, const gchar *prefix)
{
  const gsize fixed = strcspn (glob, "*?["), n = strlen (prefix);

  return strncmp (glob, prefix, MIN (fixed, n)) == 0;
}

/* Whether a glob matches the name, or a part of it that ends before . or [. */
static gboolean
glob_matches (const gchar *glob, const gchar *name)
{
  gboolean matches = g_pattern_match_simple (glob, name);

  for (gsize i = 1; name[i] && !matches; i++) {
    if (name[i] == '.' || name[i] == '[') {
      gchar *holder = g_strndup (name, i);

      matches = g_pattern_match_simple (glob, holder);
      g_free (holder);
    }
  }
  return matches;
}

static gboolean
is_chosen (const RobocacheRowDecoder *decoder, const gchar *name)
{
  for (guint i = 0; decoder->globs && decoder->globs[i]; i++) {
    if (glob_matches (decoder->globs[i], name))
      return TRUE;
  }
  return decoder->globs == NULL;
}

static gboolean
is_default (const RobocacheRosSchema *schema, const RobocacheRosField *field)
{
  static const gchar *const omitted[] = { "std_msgs/Header", "builtin_interfaces/Time", "builtin_interfaces/Duration", NULL };

  if (field->kind == ROBOCACHE_ROS_MESSAGE)
    return !g_strv_contains (omitted, robocache_ros_schema_type (schema, field->message)->name);
  if (robocache_ros_kind_bytes (field->kind) == 1 && field->repeat == ROBOCACHE_ROS_SEQUENCE && field->kind != ROBOCACHE_ROS_BOOL)
    return FALSE;
  return !g_str_has_suffix (field->name, "covariance");
}

/* path has no index, since it stands for all items. */
static gboolean
may_be_read (const RobocacheRowDecoder *decoder, const RobocacheRosField *field, const gchar *path)
{
  gchar *prefix;
  gboolean may = FALSE;

  if (field->kind == ROBOCACHE_ROS_STRING || field->kind == ROBOCACHE_ROS_WSTRING)
    return FALSE;
  if (!decoder->globs)
    return is_default (decoder->schema, field);
  prefix = g_strndup (path, strcspn (path, "["));
  for (guint i = 0; decoder->globs[i]; i++)
    may |= may_match (decoder->globs[i], prefix);
  g_free (prefix);
  return may;
}

static void
clear_node (gpointer data)
{
  g_clear_pointer (&((Node *) data)->below, g_array_unref);
}

static void
add_skipped (RobocacheRowDecoder *decoder, const gchar *path)
{
  if (decoder->skipped->len < MAX_SKIPPED)
    g_ptr_array_add (decoder->skipped, g_strdup (path));
  else if (decoder->skipped->len == MAX_SKIPPED)
    g_ptr_array_add (decoder->skipped, g_strdup ("..."));
}

/* The nodes of a type; *reads becomes TRUE where one of them is read. */
static GArray *
nodes_of_type (RobocacheRowDecoder *decoder, guint index, const gchar *prefix, gboolean *reads)
{
  const RobocacheRosType *type = robocache_ros_schema_type (decoder->schema, index);
  GArray *nodes = g_array_new (FALSE, FALSE, sizeof (Node));

  g_array_set_clear_func (nodes, clear_node);
  for (guint i = 0; i < type->fields->len && decoder->n_nodes < MAX_NODES; i++) {
    Node node = {.field = &g_array_index (type->fields, RobocacheRosField, i) };
    gchar *path = g_strconcat (prefix, *prefix ? "." : "", node.field->name, node.field->repeat ? "[]" : "", NULL);

    decoder->n_nodes++;
    if (may_be_read (decoder, node.field, path)) {
      node.is_read = node.field->kind != ROBOCACHE_ROS_MESSAGE;
      if (node.field->kind == ROBOCACHE_ROS_MESSAGE)
        node.below = nodes_of_type (decoder, node.field->message, path, &node.is_read);
    }
    if (!node.is_read && !node.below)
      add_skipped (decoder, path);
    *reads |= node.is_read;
    g_array_append_val (nodes, node);
    g_free (path);
  }
  return nodes;
}

/* Nothing after the last used field is read, since it may be a wstring. */
static void
trim (GArray *nodes)
{
  while (nodes->len > 0 && !g_array_index (nodes, Node, nodes->len - 1).is_read)
    g_array_set_size (nodes, nodes->len - 1);
}

/* ---- passes over a message ---- */

/* Notes the length of a sequence; FALSE: it differs from the last message's, and the pass is over. */
static gboolean
check_count (RobocacheRowDecoder *decoder, guint32 count)
{
  const guint i = decoder->n_counts++;

  if (decoder->pass == NAMING)
    g_array_append_val (decoder->counts, count);
  else
    decoder->has_changed |= i >= decoder->counts->len || g_array_index (decoder->counts, guint32, i) != count;
  return !decoder->has_changed;
}

/* Appends ".name" to the path, and cuts it off again. */
static gsize
path_append (GString *path, const gchar *name)
{
  const gsize length = path->len;

  g_string_append_printf (path, length > 0 ? ".%s" : "%s", name);
  return length;
}

static void
name_candidate (RobocacheRowDecoder *decoder, const RobocacheRosField *field, const gchar *name)
{
  const gint kind = is_chosen (decoder, name) ? (gint) field->kind : -1;

  g_array_append_val (decoder->kinds, kind);
  if (kind >= 0) {
    g_ptr_array_add (decoder->names, g_strdup (name));
    decoder->n_name_bytes += strlen (name) + 1;
  }
  decoder->has_too_many = decoder->kinds->len > ROBOCACHE_ROW_DECODER_MAX_CHANNELS || decoder->n_name_bytes > MAX_NAME_BYTES;
}

static void
name_numbers (RobocacheRowDecoder *decoder, const RobocacheRosField *field, guint32 count, GString *path)
{
  const gsize length = path->len;

  for (guint32 i = 0; i < count && !decoder->has_too_many; i++) {
    if (field->repeat)
      g_string_append_printf (path, "[%u]", i);
    name_candidate (decoder, field, path->str);
    g_string_truncate (path, length);
  }
}

static void
read_numbers (RobocacheRowDecoder *decoder, const RobocacheRosField *field, const guint8 *array, guint32 count)
{
  const guint bytes = robocache_ros_kind_bytes (field->kind);
  const gsize size = rc_dtype_size (decoder->channels.dtype);

  for (guint32 i = 0; i < count; i++, array += bytes) {
    guint8 *to = decoder->values + decoder->n_values * size;

    if (g_array_index (decoder->kinds, gint, decoder->n_candidates++) < 0)
      continue;
    robocache_row_number_convert (decoder->reader, array, field->kind, decoder->channels.dtype, to);
    decoder->n_values++;
  }
}

static void
visit_numbers (RobocacheRowDecoder *decoder, const RobocacheRosField *field, guint32 count, GString *path)
{
  const guint8 *array = robocache_cdr_read_array (decoder->reader, robocache_ros_kind_bytes (field->kind), count);

  if (!array)
    return;
  if (decoder->pass == NAMING)
    name_numbers (decoder, field, count, path);
  else
    read_numbers (decoder, field, array, count);
}

/* Notes the channels of a quaternion all of whose numbers are chosen. */
static void
name_quaternion (RobocacheRowDecoder *decoder, guint type, guint first)
{
  const guint end = decoder->names->len;

  if (end - first == 4 && g_str_equal (robocache_ros_schema_type (decoder->schema, type)->name, "geometry_msgs/Quaternion"))
    g_array_append_val (decoder->quaternions, first);
}

static gboolean
is_over (const RobocacheRowDecoder *decoder)
{
  return decoder->has_changed || decoder->has_too_many || decoder->reader->fault;
}

static void
visit_nodes (RobocacheRowDecoder *decoder, GArray *nodes, GString *path);

static void
visit_messages (RobocacheRowDecoder *decoder, const Node *node, guint32 count, GString *path)
{
  const gsize length = path->len;

  for (guint32 i = 0; i < count && !is_over (decoder); i++) {
    const guint first = decoder->names->len;

    if (node->field->repeat && decoder->pass == NAMING)
      g_string_append_printf (path, "[%u]", i);
    visit_nodes (decoder, node->below, path);
    g_string_truncate (path, length);
    if (decoder->pass == NAMING)
      name_quaternion (decoder, node->field->message, first);
  }
}

static void
visit_node (RobocacheRowDecoder *decoder, const Node *node, GString *path)
{
  const guint32 count = robocache_ros_read_count (decoder->schema, node->field, decoder->reader);
  const gsize length = path->len;

  if (node->field->repeat == ROBOCACHE_ROS_SEQUENCE && !check_count (decoder, count))
    return;
  if (decoder->pass == NAMING)
    path_append (path, node->field->name);
  if (node->below)
    visit_messages (decoder, node, count, path);
  else
    visit_numbers (decoder, node->field, count, path);
  g_string_truncate (path, length);
}

static void
visit_nodes (RobocacheRowDecoder *decoder, GArray *nodes, GString *path)
{
  if (nodes->len == 0)
    robocache_cdr_read_uint8 (decoder->reader);
  for (guint i = 0; i < nodes->len && !is_over (decoder); i++) {
    const Node *node = &g_array_index (nodes, Node, i);

    if (node->is_read)
      visit_node (decoder, node, path);
    else
      robocache_ros_skip_field (decoder->schema, node->field, decoder->reader);
  }
}

static void
run_pass (RobocacheRowDecoder *decoder, Pass pass, RobocacheCdrReader *reader)
{
  GString *path = g_string_new (NULL);

  decoder->pass = pass;
  decoder->reader = reader;
  decoder->n_counts = decoder->n_candidates = decoder->n_values = 0;
  decoder->n_name_bytes = 0;
  decoder->has_changed = decoder->has_too_many = FALSE;
  visit_nodes (decoder, decoder->nodes, path);
  g_string_free (path, TRUE);
}

static gboolean
check_pass (RobocacheRowDecoder *decoder, GError **error)
{
  if (!robocache_cdr_reader_check (decoder->reader, error))
    return FALSE;
  if (!decoder->has_too_many)
    return TRUE;
  g_set_error (error, ROBOCACHE_ERROR, ROBOCACHE_ERROR_PROPERTY, "the message has more than %d numbers: choose some with fields",
      ROBOCACHE_ROW_DECODER_MAX_CHANNELS);
  return FALSE;
}

static gboolean
is_float (gint kind)
{
  return kind == ROBOCACHE_ROS_FLOAT32 || kind == ROBOCACHE_ROS_FLOAT64;
}

/* Types tell more than names. */
static void
find_kinds (RobocacheRowDecoder *decoder)
{
  RobocacheRowChannels *channels = &decoder->channels;
  guint channel = 0;

  robocache_kinds_of_names (&channels->kinds, channels->names, channels->n, NULL);
  for (guint i = 0; i < decoder->quaternions->len; i++)
    robocache_kinds_set_quaternion (&channels->kinds, g_array_index (decoder->quaternions, guint, i));
  for (guint i = 0; i < decoder->kinds->len; i++) {
    const gint kind = g_array_index (decoder->kinds, gint, i);

    if (kind >= 0 && !is_float (kind))
      robocache_kinds_set_hold (&channels->kinds, channel);
    channel += kind >= 0;
  }
}

/* Finds the channels of a message. */
static gboolean
name_channels (RobocacheRowDecoder *decoder, RobocacheCdrReader *reader, GError **error)
{
  RobocacheRowChannels *channels = &decoder->channels;

  g_ptr_array_set_size (decoder->names, 0);
  g_array_set_size (decoder->quaternions, 0);
  g_array_set_size (decoder->counts, 0);
  g_array_set_size (decoder->kinds, 0);
  run_pass (decoder, NAMING, reader);
  if (!check_pass (decoder, error)) {
    /* the next message has other channels than this part of one */
    channels->n = 0;
    g_array_set_size (decoder->counts, 0);
    g_ptr_array_set_size (decoder->names, 0);
    channels->generation++;
    return FALSE;
  }
  channels->n = decoder->names->len;
  channels->names = (const gchar * const *) decoder->names->pdata;
  find_kinds (decoder);
  channels->dtype = robocache_row_dtype_of_kinds ((const gint *) (gpointer) decoder->kinds->data, decoder->kinds->len,
      &channels->is_exact);
  channels->generation++;
  g_free (decoder->values);
  decoder->values = g_malloc (MAX (1, channels->n * rc_dtype_size (channels->dtype)));
  return TRUE;
}

gconstpointer
robocache_row_decoder_run (RobocacheRowDecoder *decoder, RobocacheCdrReader *reader, GError **error)
{
  const RobocacheCdrReader start = *reader;

  decoder->has_changed = decoder->channels.generation == 0 || decoder->channels.n == 0;
  if (!decoder->has_changed)
    run_pass (decoder, READING, reader);
  if (decoder->has_changed) {
    RobocacheCdrReader ahead = start;

    if (!name_channels (decoder, &ahead, error))
      return NULL;
    *reader = start;
    run_pass (decoder, READING, reader);
  }
  return check_pass (decoder, error) ? decoder->values : NULL;
}

/* ---- life ---- */

static gboolean
check_choice (RobocacheRowDecoder *decoder, const gchar *fields, gboolean reads, GError **error)
{
  const gchar *name = robocache_ros_schema_type (decoder->schema, 0)->name;

  if (decoder->n_nodes >= MAX_NODES)
    g_set_error (error, ROBOCACHE_ERROR, ROBOCACHE_ERROR_CAPS, "%s has more than %d fields", name, MAX_NODES - 1);
  else if (!reads && decoder->globs)
    g_set_error (error, ROBOCACHE_ERROR, ROBOCACHE_ERROR_CAPS, "fields=%s selects no numeric field of %s", fields, name);
  else if (!reads)
    g_set_error (error, ROBOCACHE_ERROR, ROBOCACHE_ERROR_CAPS, "%s has no numeric field", name);
  else
    return TRUE;
  return FALSE;
}

static gchar **
split_globs (const gchar *fields)
{
  gchar **globs = g_strsplit (fields ? fields : "", ",", -1);
  guint n = 0;

  for (guint i = 0; globs[i]; i++) {
    gchar *glob = g_strstrip (globs[i]);

    if (*glob)
      globs[n++] = glob;
    else
      g_free (globs[i]);
  }
  globs[n] = NULL;
  if (n == 0)
    g_clear_pointer (&globs, g_free);
  return globs;
}

RobocacheRowDecoder *
robocache_row_decoder_new (const RobocacheRosSchema *schema, const gchar *fields, GError **error)
{
  RobocacheRowDecoder *decoder = g_new0 (RobocacheRowDecoder, 1);
  gboolean reads = FALSE;

  decoder->schema = schema;
  decoder->globs = split_globs (fields);
  decoder->skipped = g_ptr_array_new_with_free_func (g_free);
  decoder->names = g_ptr_array_new_with_free_func (g_free);
  decoder->quaternions = g_array_new (FALSE, FALSE, sizeof (guint));
  decoder->counts = g_array_new (FALSE, FALSE, sizeof (guint32));
  decoder->kinds = g_array_new (FALSE, FALSE, sizeof (gint));
  decoder->nodes = nodes_of_type (decoder, 0, "", &reads);
  trim (decoder->nodes);
  g_ptr_array_add (decoder->skipped, NULL);
  if (!check_choice (decoder, fields, reads, error))
    g_clear_pointer (&decoder, robocache_row_decoder_free);
  return decoder;
}

void
robocache_row_decoder_free (RobocacheRowDecoder *decoder)
{
  if (!decoder)
    return;
  g_strfreev (decoder->globs);
  g_array_unref (decoder->nodes);
  g_ptr_array_unref (decoder->skipped);
  g_ptr_array_unref (decoder->names);
  g_array_unref (decoder->quaternions);
  robocache_kinds_clear (&decoder->channels.kinds);
  g_array_unref (decoder->counts);
  g_array_unref (decoder->kinds);
  g_free (decoder->values);
  g_free (decoder);
}

const gchar *const *
robocache_row_decoder_skipped (const RobocacheRowDecoder *decoder)
{
  return (const gchar * const *) decoder->skipped->pdata;
}

const RobocacheRowChannels *
robocache_row_decoder_channels (const RobocacheRowDecoder *decoder)
{
  return &decoder->channels;
}
