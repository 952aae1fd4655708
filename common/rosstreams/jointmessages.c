/* robocache: sensor_msgs/JointState as rows of joints, by their names
 *
 * Publishers of one topic send different joints, in any order. Each group of joints is a stream, whose columns are its joints,
 * independently of the order in a message. By default, each set of joints that appears in one message is a group.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "readers.h"

#include <string.h>

#include "common/element/errors.h"
#include "quantitystream.h"
#include "rowcaps.h"

/* Sets of joints in the messages of one topic. */
#define MAX_GROUPS 64
#define NOT_THERE G_MAXUINT32

enum
{ POSITION, VELOCITY, EFFORT, NAME, N_FIELDS };

static const gchar *const quantity_names[] = { "position", "velocity", "effort" };

typedef struct
{
  gchar **joints;
  guint n_joints;
  gchar *id;                    /* the joints in alphabetical order, for a set that a message brought */
  RobocacheQuantityStream *stream;
  gdouble *numbers[ROBOCACHE_N_JOINT_QUANTITIES];       /* of the joints */
  guint32 *items;               /* where the joints are in messages with the known names; NOT_THERE */
  gboolean has_joint;           /* the message has one of them */
  gboolean is_numbered;         /* the joints have an order, and no names */
} Group;

typedef struct
{
  RobocacheStreamReader parent;
  RobocacheMessageFields *fields;
  GPtrArray *groups;
  gboolean has_choice;          /* of groups; otherwise messages make them */
  gboolean is_read[ROBOCACHE_N_JOINT_QUANTITIES];

  /* names of the last message, which are those of most messages */
  GByteArray *known;            /* their bytes; empty: none are known */
  gsize known_offset;           /* in the message, as padding depends on it */
  gboolean known_is_swapped;
  guint32 n_known;
  Group *known_group;           /* of exactly these joints; NULL where there is a choice, or no joint */

  /* while names are read */
  GPtrArray *names;             /* point into the message */
  GHashTable *indices;          /* name → index + 1 */
} JointReader;

/* ---- groups ---- */

static void
free_group (gpointer data)
{
  Group *group = data;

  for (guint q = 0; q < ROBOCACHE_N_JOINT_QUANTITIES; q++)
    g_free (group->numbers[q]);
  g_free (group->items);
  robocache_quantity_stream_free (group->stream);
  g_strfreev (group->joints);
  g_free (group->id);
  g_free (group);
}

/* "hip.position", or "position[0]" of a joint without a name. */
static gchar *
name_of_channel (const Group *group, guint i, guint quantity)
{
  return !group->is_numbered ? g_strconcat (group->joints[i], ".", quantity_names[quantity], NULL) : g_strdup_printf ("%s[%u]", quantity_names[quantity], i);
}

/* Takes joints and id. */
static Group *
add_group (JointReader *self, gchar **joints, gchar *id)
{
  Group *group = g_new0 (Group, 1);
  gchar *key = self->groups->len > 0 || self->has_choice ? g_strjoinv (",", joints) : g_strdup ("");

  group->is_numbered = id && robocache_message_fields_count (self->fields, NAME) < self->names->len;
  group->joints = joints;
  group->n_joints = g_strv_length (joints);
  group->id = id;
  group->items = g_new (guint32, MAX (1, group->n_joints));
  group->stream = robocache_quantity_stream_new (key, "joints", ROBOCACHE_N_JOINT_QUANTITIES);
  for (guint q = 0; q < ROBOCACHE_N_JOINT_QUANTITIES; q++) {
    gchar **names = g_new0 (gchar *, group->n_joints + 1);

    for (guint i = 0; i < group->n_joints; i++)
      names[i] = name_of_channel (group, i, q);
    robocache_quantity_stream_set_names (group->stream, q, names);
    group->numbers[q] = g_new (gdouble, MAX (1, group->n_joints));
  }
  g_free (key);
  g_ptr_array_add (self->groups, group);
  return group;
}

static gint
compare_names (gconstpointer a, gconstpointer b)
{
  return strcmp (*(const gchar * const *) a, *(const gchar * const *) b);
}

/* The joints of the message in alphabetical order, each after its length. */
static gchar *
id_of_message (const JointReader *self)
{
  GPtrArray *sorted = g_ptr_array_copy (self->names, NULL, NULL);
  GString *id = g_string_new (NULL);

  g_ptr_array_sort (sorted, compare_names);
  for (guint i = 0; i < sorted->len; i++)
    g_string_append_printf (id, "%" G_GSIZE_FORMAT ":%s", strlen (g_ptr_array_index (sorted, i)),
        (const gchar *) g_ptr_array_index (sorted, i));
  g_ptr_array_unref (sorted);
  return g_string_free (id, FALSE);
}

static gchar **
joints_of_message (const JointReader *self)
{
  gchar **joints = g_new0 (gchar *, self->names->len + 1);

  for (guint i = 0; i < self->names->len; i++)
    joints[i] = g_strdup (g_ptr_array_index (self->names, i));
  return joints;
}

/* The group that has exactly the joints of the message, a new one if need be. NULL and an error: too many. */
static Group *
find_group (JointReader *self, GError **error)
{
  gchar *id = id_of_message (self);

  for (guint i = 0; i < self->groups->len; i++) {
    Group *group = g_ptr_array_index (self->groups, i);

    if (g_str_equal (group->id, id)) {
      g_free (id);
      return group;
    }
  }
  if (self->groups->len < MAX_GROUPS)
    return add_group (self, joints_of_message (self), id);
  g_free (id);
  g_set_error (error, ROBOCACHE_ERROR, ROBOCACHE_ERROR_PROPERTY, "messages have more than %d sets of joints: choose some with joints",
      MAX_GROUPS);
  return NULL;
}

/* ---- messages ---- */

static gboolean
are_names_known (const JointReader *self)
{
  const RobocacheCdrReader reader = robocache_message_fields_reader (self->fields, NAME);

  return self->known->len > 0 && robocache_message_fields_count (self->fields, NAME) == self->n_known
      && reader.offset == self->known_offset && reader.is_swapped == self->known_is_swapped
      && self->known->len <= reader.size - reader.offset
      && memcmp (reader.body + reader.offset, self->known->data, self->known->len) == 0;
}

static void
remember_names (JointReader *self, const RobocacheCdrReader *end)
{
  self->known_offset = robocache_message_fields_reader (self->fields, NAME).offset;
  self->known_is_swapped = end->is_swapped;
  self->n_known = self->names->len;
  g_byte_array_set_size (self->known, 0);
  g_byte_array_append (self->known, end->body + self->known_offset, (guint) (end->offset - self->known_offset));
}

static gboolean
read_names (JointReader *self, RobocacheCdrReader *end, GError **error)
{
  RobocacheCdrReader reader = robocache_message_fields_reader (self->fields, NAME);
  const guint32 n = robocache_message_fields_count (self->fields, NAME);

  g_ptr_array_set_size (self->names, 0);
  g_hash_table_remove_all (self->indices);
  for (guint32 i = 0; i < n; i++) {
    guint32 length;
    const gchar *name = robocache_cdr_read_string (&reader, &length);

    g_ptr_array_add (self->names, (gpointer) name);
    if (!g_hash_table_insert (self->indices, (gpointer) name, GUINT_TO_POINTER (i + 1))) {
      g_set_error (error, ROBOCACHE_ERROR, ROBOCACHE_ERROR_DATA, "joint %s is named twice", name);
      return FALSE;
    }
  }
  *end = reader;
  return TRUE;
}

/* The longest list of numbers. */
static guint32
count_numbers (const JointReader *self)
{
  guint32 n = 0;

  for (guint q = 0; q < ROBOCACHE_N_JOINT_QUANTITIES; q++)
    n = MAX (n, robocache_message_fields_count (self->fields, q));
  return n;
}

/* Each list of numbers is as long as that of names, or as others where there are none, or empty. */
static gboolean
check_lists (const JointReader *self, GError **error)
{
  const guint32 n_given = robocache_message_fields_count (self->fields, NAME), n_names = n_given > 0 ? n_given : count_numbers (self);

  for (guint q = 0; q < ROBOCACHE_N_JOINT_QUANTITIES; q++) {
    const guint32 n = robocache_message_fields_count (self->fields, q);

    if (n == 0 || n == n_names)
      continue;
    g_set_error (error, ROBOCACHE_ERROR, ROBOCACHE_ERROR_DATA, "%s has %u numbers for %u names", quantity_names[q], n, n_given);
    return FALSE;
  }
  if (n_given > 0 || n_names == 0 || !self->has_choice)
    return TRUE;
  g_set_error_literal (error, ROBOCACHE_ERROR, ROBOCACHE_ERROR_PROPERTY, "it names no joint, so the property joints cannot select "
      "any");
  return FALSE;
}

/* Gives the numbers of a message without names an order instead. */
static void
count_joints (JointReader *self)
{
  const guint32 n = count_numbers (self);

  if (self->names->len > 0 || n == 0)
    return;
  for (guint32 i = 0; i < n; i++)
    g_ptr_array_add (self->names, (gpointer) "");
  robocache_stream_reader_note (&self->parent, g_strdup_printf ("messages name no joints, so channels are position[0] to position[%u]", n - 1));
}

static void
find_joints (const JointReader *self, Group *group)
{
  group->has_joint = FALSE;
  for (guint i = 0; i < group->n_joints; i++) {
    const guint index = group->is_numbered ? i + 1 : GPOINTER_TO_UINT (g_hash_table_lookup (self->indices, group->joints[i]));

    group->items[i] = index > 0 ? index - 1 : NOT_THERE;
    group->has_joint |= index > 0;
  }
}

/* Reads names that differ from those before. FALSE and an error: they are wrong. */
static gboolean
learn_names (JointReader *self, GError **error)
{
  RobocacheCdrReader end;

  g_byte_array_set_size (self->known, 0);
  self->known_group = NULL;
  if (!read_names (self, &end, error) || !check_lists (self, error))
    return FALSE;
  count_joints (self);
  if (self->names->len > 0 && !self->has_choice) {
    self->known_group = find_group (self, error);
    if (!self->known_group)
      return FALSE;
    find_joints (self, self->known_group);
  }
  for (guint i = 0; self->has_choice && i < self->groups->len; i++)
    find_joints (self, g_ptr_array_index (self->groups, i));
  remember_names (self, &end);
  return TRUE;
}

/* The numbers of a group's joints, NaN for joints that the message lacks. FALSE: it lacks all of them. */
static gboolean
read_group (JointReader *self, const Group *group, guint quantity)
{
  if (group->has_joint)
    robocache_message_fields_pick (self->fields, quantity, group->items, group->n_joints, group->numbers[quantity]);
  return group->has_joint;
}

static void
add_row (JointReader *self, const Group *group)
{
  const gdouble *numbers[ROBOCACHE_MAX_QUANTITIES] = { NULL };
  gboolean has_row = FALSE;

  for (guint q = 0; q < ROBOCACHE_N_JOINT_QUANTITIES; q++) {
    if (self->is_read[q] && robocache_message_fields_count (self->fields, q) > 0 && read_group (self, group, q))
      numbers[q] = group->numbers[q];
    has_row |= numbers[q] != NULL;
  }
  if (has_row)
    robocache_quantity_stream_add (group->stream, &self->parent, numbers);
}

static gboolean
read_joints (RobocacheStreamReader *reader, RobocacheCdrReader *message, GError **error)
{
  JointReader *self = (JointReader *) reader;

  if (!robocache_message_fields_find (self->fields, message, FALSE))
    return robocache_cdr_reader_check (message, error);
  if (are_names_known (self) ? !check_lists (self, error) : !learn_names (self, error))
    return FALSE;
  if (self->known_group)
    add_row (self, self->known_group);
  for (guint i = 0; self->has_choice && i < self->groups->len; i++)
    add_row (self, g_ptr_array_index (self->groups, i));
  return TRUE;
}

/* ---- life ---- */

static void
free_joints (RobocacheStreamReader *reader)
{
  JointReader *self = (JointReader *) reader;

  robocache_stream_reader_clear (reader);
  robocache_message_fields_free (self->fields);
  g_ptr_array_unref (self->groups);
  g_ptr_array_unref (self->names);
  g_byte_array_unref (self->known);
  g_hash_table_unref (self->indices);
  g_free (self);
}

/* "a, b" → a, b. NULL and an error: one comes twice. */
static gchar **
parse_group (const gchar *text, GError **error)
{
  gchar **parts = g_strsplit (text, ",", -1);
  GPtrArray *joints = g_ptr_array_new ();

  for (guint i = 0; parts[i]; i++) {
    gchar *joint = g_strstrip (parts[i]);

    if (joints->len > 0 && g_ptr_array_find_with_equal_func (joints, joint, g_str_equal, NULL)) {
      g_set_error (error, ROBOCACHE_ERROR, ROBOCACHE_ERROR_PROPERTY, "joints=\"%s\" names %s twice in a group", text, joint);
      g_ptr_array_unref (joints);
      g_strfreev (parts);
      return NULL;
    }
    if (*joint)
      g_ptr_array_add (joints, joint);
  }
  g_ptr_array_add (joints, NULL);
  for (guint i = 0; i + 1 < joints->len; i++)
    joints->pdata[i] = g_strdup (joints->pdata[i]);
  g_strfreev (parts);
  return (gchar **) g_ptr_array_free (joints, FALSE);
}

static gboolean
choose_groups (JointReader *self, const gchar *choice, GError **error)
{
  gchar **texts = g_strsplit (choice ? choice : "", ";", -1);
  gboolean is_valid = TRUE;

  for (guint i = 0; texts[i] && is_valid; i++) {
    gchar **joints = parse_group (texts[i], error);

    is_valid = joints != NULL;
    if (joints && *joints) {
      self->has_choice = TRUE;
      add_group (self, joints, NULL);
    } else {
      g_strfreev (joints);
    }
  }
  g_strfreev (texts);
  return is_valid;
}

/* The group of the writer's rows. */
static void
restore_group (JointReader *self, const GstCaps *caps)
{
  RobocacheTensorInfo row;
  GstCaps *one = robocache_row_caps_of_one_row (caps, 0, &row);
  gchar **names = one ? robocache_row_caps_names (one, row.dims[0]) : NULL;
  RobocacheRowMessage noted = { 0 };
  Group *group;

  if (names)
    robocache_row_message_init (&noted, (const gchar * const *) names, (guint) row.dims[0], robocache_row_caps_role (one), row.dtype);
  if (noted.kind == ROBOCACHE_ROW_MESSAGE_JOINTS) {
    for (guint i = 0; i < noted.n_joints; i++)
      g_ptr_array_add (self->names, noted.joints[i]);
    group = add_group (self, joints_of_message (self), NULL);
    group->id = id_of_message (self);
    robocache_quantity_stream_restore (group->stream, caps, ROBOCACHE_ROW_MESSAGE_JOINTS);
  }
  robocache_row_message_clear (&noted);
  g_strfreev (names);
  gst_clear_caps (&one);
}

/* fields of this topic are globs of quantities. */
static void
choose_quantities (JointReader *self, const gchar *fields)
{
  gchar **globs = g_strsplit (fields ? fields : "*", ",", -1);

  for (guint i = 0; globs[i]; i++) {
    for (guint q = 0; q < ROBOCACHE_N_JOINT_QUANTITIES; q++)
      self->is_read[q] |= g_pattern_match_simple (globs[i], quantity_names[q]);
  }
  g_strfreev (globs);
}

RobocacheStreamReader *
robocache_joint_messages_new (const RobocacheRosSource *source, GError **error)
{
  static const RobocacheFieldSpec specs[N_FIELDS] = { {"position", ROBOCACHE_FIELD_NUMBERS}, {"velocity", ROBOCACHE_FIELD_NUMBERS},
  {"effort", ROBOCACHE_FIELD_NUMBERS}, {"name", ROBOCACHE_FIELD_STRINGS}
  };
  JointReader *self = g_new0 (JointReader, 1);

  robocache_stream_reader_init (&self->parent, source);
  self->parent.read = read_joints;
  self->parent.free = free_joints;
  self->groups = g_ptr_array_new_with_free_func (free_group);
  self->names = g_ptr_array_new ();
  self->known = g_byte_array_new ();
  self->indices = g_hash_table_new (g_str_hash, g_str_equal);
  choose_quantities (self, source->fields);
  self->fields = robocache_message_fields_new (source->schema, 0, specs, N_FIELDS, error);
  if (!self->fields || !choose_groups (self, source->joints, error)) {
    free_joints (&self->parent);
    return NULL;
  }
  self->parent.has_several_streams = TRUE;
  if (source->caps && !self->has_choice)
    restore_group (self, source->caps);
  return &self->parent;
}
