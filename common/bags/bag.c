/* robocache: the files of a bag as one recording
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "bag.h"

#include <string.h>

#include "common/element/errors.h"
#include "compressedbag.h"

#define MAX_CHANNELS 65535

/* State of a file: whether its next message was read. */
typedef enum
{
  FILE_WAITING,                 /* nothing was read since the seek: it is at its start time or later */
  FILE_HAS_MESSAGE,
  FILE_ENDED
} FileState;

typedef struct
{
  RobocacheBagStorage *storage;
  GArray *ids;                  /* guint16: id in the bag, plus 1, by channel id of the file; 0: none */
  gboolean is_unselected;       /* it has no channel that is selected */
  FileState state;
  RobocacheMcapMessage message; /* lies in the storage until its next call */
} File;

struct _RobocacheBag
{
  GPtrArray *files;             /* of File */
  RobocacheMcapDefinitions *definitions;
  guint n_channels, n_schemas;
  GHashTable *schemas_by_name, *channels_by_topic;      /* GArray of guint16, the ids */
  guint64 from_time;
  File *last;                   /* whose message was handed out */
  RobocacheZstdMessage *zstd;
  GPtrArray *warnings;          /* of texts */
};

/* ---- life ---- */

static void
free_file (gpointer data)
{
  File *file = data;

  file->storage->class->free (file->storage);
  g_array_unref (file->ids);
  g_free (file);
}

RobocacheBag *
robocache_bag_new (guint64 max_bytes)
{
  RobocacheBag *bag = g_new0 (RobocacheBag, 1);

  bag->files = g_ptr_array_new_with_free_func (free_file);
  bag->definitions = robocache_mcap_definitions_new ();
  bag->zstd = robocache_zstd_message_new (max_bytes);
  bag->warnings = g_ptr_array_new_with_free_func (g_free);
  bag->schemas_by_name = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, (GDestroyNotify) g_array_unref);
  bag->channels_by_topic = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, (GDestroyNotify) g_array_unref);
  return bag;
}

void
robocache_bag_free (RobocacheBag *bag)
{
  g_ptr_array_unref (bag->files);
  robocache_mcap_definitions_free (bag->definitions);
  robocache_zstd_message_free (bag->zstd);
  g_ptr_array_unref (bag->warnings);
  g_hash_table_unref (bag->schemas_by_name);
  g_hash_table_unref (bag->channels_by_topic);
  g_free (bag);
}

/* ---- channels ---- */

static void
note_id (GHashTable *ids_by_name, const gchar *name, guint16 id)
{
  GArray *ids = g_hash_table_lookup (ids_by_name, name);

  if (!ids) {
    ids = g_array_new (FALSE, FALSE, sizeof (guint16));
    g_hash_table_insert (ids_by_name, g_strdup (name), ids);
  }
  g_array_append_val (ids, id);
}

/* Ids of schemas begin at 1. */
static guint16
add_schema (RobocacheBag *bag, const gchar *name, const RobocacheMcapSchema *schema)
{
  const GArray *same = g_hash_table_lookup (bag->schemas_by_name, name);
  RobocacheMcapSchema added = *schema;
  const RobocacheMcapSchemaInfo *info;

  for (guint i = 0; same && i < same->len; i++) {
    info = robocache_mcap_definitions_schema (bag->definitions, g_array_index (same, guint16, i));
    if (robocache_mcap_text_equal (schema->encoding, info->encoding)
        && schema->data.size == info->size && (info->size == 0 || memcmp (schema->data.data, info->data, info->size) == 0))
      return info->id;
  }
  added.id = (guint16) ++bag->n_schemas;
  note_id (bag->schemas_by_name, name, added.id);
  robocache_mcap_definitions_add_new (bag->definitions, ROBOCACHE_MCAP_SCHEMA, &added);
  return added.id;
}

/* The id of a schema of a file in the bag, with a text from `define` where the file has none. */
static guint16
take_schema (RobocacheBag *bag, const RobocacheMcapSchemaInfo *info, RobocacheBagDefine define, gpointer user_data)
{
  const gboolean is_ros2 = *info->encoding == '\0' || g_str_equal (info->encoding, "ros2msg");
  gchar *text = info->size == 0 && is_ros2 && define ? define (user_data, info->name) : NULL;
  RobocacheMcapSchema schema = { 0, robocache_mcap_text (info->name), robocache_mcap_text (info->encoding), {info->data, info->size} };
  guint16 id;

  if (text) {
    schema.encoding = robocache_mcap_text ("ros2msg");
    schema.data = robocache_mcap_text (text);
  }
  id = add_schema (bag, info->name, &schema);
  g_free (text);
  return id;
}

static gboolean
has_same_metadata (GHashTable *a, GHashTable *b)
{
  GHashTableIter iter;
  gpointer key, value;

  if (g_hash_table_size (a) != g_hash_table_size (b))
    return FALSE;
  g_hash_table_iter_init (&iter, a);
  while (g_hash_table_iter_next (&iter, &key, &value)) {
    if (g_strcmp0 (value, g_hash_table_lookup (b, key)) != 0)
      return FALSE;
  }
  return TRUE;
}

static void
append_metadata (gpointer key, gpointer value, gpointer map)
{
  robocache_mcap_append_text (map, key, value);
}

static guint16
add_channel (RobocacheBag *bag, const RobocacheMcapChannelInfo *info, guint16 schema_id)
{
  GByteArray *map = g_byte_array_new ();
  RobocacheMcapChannel channel = { (guint16) bag->n_channels, schema_id, robocache_mcap_text (info->topic),
    robocache_mcap_text (info->message_encoding), {NULL, 0}
  };

  g_hash_table_foreach (info->metadata, append_metadata, map);
  channel.metadata = (RobocacheMcapBytes) {map->data, map->len};
  robocache_mcap_definitions_add_new (bag->definitions, ROBOCACHE_MCAP_CHANNEL, &channel);
  note_id (bag->channels_by_topic, info->topic, channel.id);
  bag->n_channels++;
  g_byte_array_unref (map);
  return channel.id;
}

/* G_MAXUINT16, which no channel has: one that the file does not define. */
static guint16
id_in_bag (const File *file, guint16 id)
{
  return (guint16) ((id < file->ids->len ? g_array_index (file->ids, guint16, id) : 0) - 1);
}

/* One of an earlier file that is the same; -1: none. Two of one file stay two. */
static gint
find_channel (const RobocacheBag *bag, const RobocacheMcapChannelInfo *info, guint16 schema_id, guint n_before)
{
  const GArray *same = g_hash_table_lookup (bag->channels_by_topic, info->topic);

  for (guint i = 0; same && i < same->len && g_array_index (same, guint16, i) < n_before; i++) {
    const guint16 id = g_array_index (same, guint16, i);
    const RobocacheMcapChannelInfo *known = robocache_mcap_definitions_channel (bag->definitions, id);

    if (known->schema_id == schema_id && g_str_equal (known->message_encoding, info->message_encoding) && has_same_metadata (known->metadata, info->metadata))
      return (gint) id;
  }
  return -1;
}

static gboolean
take_channels (RobocacheBag *bag, File *file, RobocacheBagDefine define, gpointer user_data, GError **error)
{
  const RobocacheMcapDefinitions *definitions = file->storage->definitions;
  const guint n_before = bag->n_channels;
  const RobocacheMcapChannelInfo *info;

  for (guint id = 0; (info = robocache_mcap_definitions_next_channel (definitions, id)) != NULL; id = info->id + 1u) {
    const RobocacheMcapSchemaInfo *schema = robocache_mcap_definitions_schema (definitions, info->schema_id);
    const guint16 schema_id = schema ? take_schema (bag, schema, define, user_data) : 0;
    const gint known = find_channel (bag, info, schema_id, n_before);

    if (known < 0 && (bag->n_channels >= MAX_CHANNELS || bag->n_schemas >= MAX_CHANNELS)) {
      g_set_error (error, ROBOCACHE_ERROR, ROBOCACHE_ERROR_DATA, "more than %u channels", MAX_CHANNELS);
      return FALSE;
    }
    g_array_set_size (file->ids, info->id + 1u);
    g_array_index (file->ids, guint16, info->id) = (guint16) (1 + (known < 0 ? add_channel (bag, info, schema_id) : known));
  }
  return TRUE;
}

gboolean
robocache_bag_add (RobocacheBag *bag, RobocacheBagStorage *storage, const gchar *name, RobocacheBagDefine define, gpointer user_data,
    GError **error)
{
  File *file = g_new0 (File, 1);

  for (guint i = 0; storage->warnings && i < storage->warnings->len; i++)
    g_ptr_array_add (bag->warnings, g_strconcat (name ? name : "", name ? ": " : "", g_ptr_array_index (storage->warnings, i), NULL));
  file->storage = storage;
  file->ids = g_array_new (FALSE, TRUE, sizeof (guint16));
  g_ptr_array_add (bag->files, file);
  return take_channels (bag, file, define, user_data, error);
}

const GPtrArray *
robocache_bag_get_warnings (const RobocacheBag *bag)
{
  return bag->warnings;
}

const RobocacheMcapDefinitions *
robocache_bag_get_definitions (const RobocacheBag *bag)
{
  return bag->definitions;
}

gboolean
robocache_bag_get_end_time (const RobocacheBag *bag, guint64 *end_time)
{
  gboolean has_message = FALSE;

  *end_time = 0;
  for (guint i = 0; i < bag->files->len; i++) {
    const File *file = g_ptr_array_index (bag->files, i);

    if (file->storage->is_empty)
      continue;
    has_message = TRUE;
    *end_time = MAX (*end_time, file->storage->end_time);
  }
  return has_message;
}

void
robocache_bag_read_metadata (RobocacheBag *bag, RobocacheBagMetadata note, gpointer user_data)
{
  for (guint i = 0; i < bag->files->len; i++) {
    File *file = g_ptr_array_index (bag->files, i);

    file->storage->class->read_metadata (file->storage, note, user_data);
  }
}

/* ---- places ---- */

void
robocache_bag_select (RobocacheBag *bag, const guint16 *channel_ids, guint n)
{
  guint8 *is_chosen = g_new0 (guint8, G_MAXUINT16 + 1);

  for (guint i = 0; i < n; i++)
    is_chosen[channel_ids[i]] = TRUE;
  for (guint i = 0; i < bag->files->len; i++) {
    File *file = g_ptr_array_index (bag->files, i);
    GArray *chosen = g_array_new (FALSE, FALSE, sizeof (guint16));
    const RobocacheMcapChannelInfo *info;

    for (guint id = 0; (info = robocache_mcap_definitions_next_channel (file->storage->definitions, id)) != NULL; id = info->id + 1u) {
      if (is_chosen[id_in_bag (file, info->id)])
        g_array_append_val (chosen, info->id);
    }
    file->is_unselected = chosen->len == 0;
    if (chosen->len > 0)
      file->storage->class->select (file->storage, (const guint16 *) (gpointer) chosen->data, chosen->len);
    g_array_unref (chosen);
  }
  g_free (is_chosen);
}

void
robocache_bag_seek (RobocacheBag *bag, guint64 log_time)
{
  bag->from_time = log_time;
  bag->last = NULL;
  for (guint i = 0; i < bag->files->len; i++) {
    File *file = g_ptr_array_index (bag->files, i);
    const RobocacheBagStorage *storage = file->storage;
    const gboolean has_none = file->is_unselected || storage->is_empty || storage->end_time < log_time;

    file->state = has_none ? FILE_ENDED : FILE_WAITING;
    if (!has_none)
      storage->class->seek (file->storage, log_time);
  }
}

/* ---- messages ---- */

/* The least time that the next message of a file may have. */
static guint64
next_time (const RobocacheBag *bag, const File *file)
{
  return file->state == FILE_HAS_MESSAGE ? file->message.log_time : MAX (file->storage->start_time, bag->from_time);
}

/* The file whose next message is the earliest; of equal ones the first. NULL: all have ended. */
static File *
earliest_file (const RobocacheBag *bag)
{
  File *earliest = NULL;

  for (guint i = 0; i < bag->files->len; i++) {
    File *file = g_ptr_array_index (bag->files, i);

    if (file->state != FILE_ENDED && (!earliest || next_time (bag, file) < next_time (bag, earliest)))
      earliest = file;
  }
  return earliest;
}

/* Reads the next message of a file into it. The state WAITING stays where it has none: what follows is no earlier. */
static RobocacheMcapReadResult
fetch (File *file, GError **error)
{
  const RobocacheMcapReadResult result = file->storage->class->next (file->storage, &file->message, error);

  if (result == ROBOCACHE_MCAP_READ_MESSAGE) {
    file->state = FILE_HAS_MESSAGE;
    file->message.channel_id = id_in_bag (file, file->message.channel_id);
  } else if (result == ROBOCACHE_MCAP_READ_END) {
    file->state = FILE_ENDED;
  }
  return result;
}

/* Reads until the file whose message is the next one has it. NULL: at the end, or a result of a file. */
static File *
next_file (RobocacheBag *bag, RobocacheMcapReadResult *result, GError **error)
{
  File *file;

  while ((file = earliest_file (bag)) && file->state == FILE_WAITING) {
    *result = fetch (file, error);
    if (*result != ROBOCACHE_MCAP_READ_MESSAGE && *result != ROBOCACHE_MCAP_READ_END)
      return NULL;
  }
  *result = file ? ROBOCACHE_MCAP_READ_MESSAGE : ROBOCACHE_MCAP_READ_END;
  return file;
}

RobocacheMcapReadResult
robocache_bag_next (RobocacheBag *bag, RobocacheMcapMessage *message, GError **error)
{
  RobocacheMcapReadResult result;
  File *file;

  /* its message is no longer used */
  if (bag->last)
    bag->last->state = FILE_WAITING;
  bag->last = NULL;
  file = next_file (bag, &result, error);
  if (!file)
    return result;
  bag->last = file;
  *message = file->message;
  return robocache_zstd_message_unpack (bag->zstd, bag->definitions, message, error) ? ROBOCACHE_MCAP_READ_MESSAGE
      : ROBOCACHE_MCAP_READ_DAMAGED;
}

/* ---- back ---- */

typedef struct
{
  RobocacheBag *bag;
  RobocacheMcapTake take;
  gpointer user_data;
} UnpackedTake;

static gboolean
take_unpacked (gpointer user_data, const RobocacheMcapMessage *message)
{
  const UnpackedTake *wanted = user_data;
  RobocacheMcapMessage unpacked = *message;

  return robocache_zstd_message_unpack (wanted->bag->zstd, wanted->bag->definitions, &unpacked, NULL)
      && wanted->take (wanted->user_data, &unpacked);
}

static gboolean
find_back_in_file (File *file, guint16 channel_id, guint64 log_time, UnpackedTake *wanted, guint64 *found)
{
  const RobocacheMcapChannelInfo *info;
  gboolean has_found = FALSE;
  guint64 time;

  for (guint id = 0; (info = robocache_mcap_definitions_next_channel (file->storage->definitions, id)) != NULL; id = info->id + 1u) {
    if (id_in_bag (file, info->id) != channel_id
        || !file->storage->class->find_back (file->storage, info->id, log_time, take_unpacked, wanted, &time))
      continue;
    *found = has_found ? MAX (*found, time) : time;
    has_found = TRUE;
  }
  return has_found;
}

gboolean
robocache_bag_find_back (RobocacheBag *bag, guint16 channel_id, guint64 log_time, RobocacheMcapTake take, gpointer user_data,
    guint64 *found)
{
  UnpackedTake wanted = { bag, take, user_data };
  gboolean has_found = FALSE;
  guint64 time;

  for (guint i = bag->files->len; i-- > 0;) {
    File *file = g_ptr_array_index (bag->files, i);

    if (file->storage->is_empty || file->storage->start_time > log_time || (has_found && file->storage->end_time <= *found)
        || !find_back_in_file (file, channel_id, log_time, &wanted, &time))
      continue;
    *found = has_found ? MAX (*found, time) : time;
    has_found = TRUE;
  }
  return has_found;
}
