/* robocache: a recording: channels and messages in, chunks of files out
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "recording.h"

#include <string.h>

#include "common/element/errordomain.h"
#include "common/ros/definitions.h"

/* Chunks that are kept for reuse: memory follows the queue, not its longest length so far. */
#define MAX_IDLE_CHUNKS 4
/* More than the fixed parts of a message, a channel and a schema take. */
#define MAX_HEADS 256

typedef struct
{
  gchar *name, *text;
} Schema;

typedef struct
{
  gchar *topic, *type;
  guint schema;                 /* index */
  GByteArray *metadata;
  guint32 sequence;
} Channel;

/* An open file. */
typedef struct
{
  guint number;
  RobocacheMcapChunk *chunk;
  GByteArray *has_channel, *has_schema; /* by index: whether they were written */
  GArray *counts;               /* by channel, of guint64 */
  guint64 n_messages, start_time, end_time;
} File;

/* An attachment, or metadata, of each file. */
typedef struct
{
  gchar *name, *media_type;
  GBytes *data;                 /* NULL: metadata */
  GByteArray *metadata;
  guint64 log_time, create_time;
} Extra;

struct _MuxRecording
{
  MuxRecordingSettings settings;
  GPtrArray *schemas, *channels, *extras;
  GHashTable *channel_ids;      /* of GBytes, which are all of a channel, its id */
  File *files[2];               /* the first, and the next or NULL; both NULL when finished */
  guint n_files;                /* opened so far */
  gboolean has_begun;
  GQueue outputs;
  gsize queued;                 /* bytes of outputs, those that are written now included */
  GPtrArray *idle;              /* of chunks */
};

/* ---- life ---- */

static void
free_schema (gpointer data)
{
  Schema *schema = data;

  g_free (schema->name);
  g_free (schema->text);
  g_free (schema);
}

static void
free_channel (gpointer data)
{
  Channel *channel = data;

  g_free (channel->topic);
  g_free (channel->type);
  g_byte_array_unref (channel->metadata);
  g_free (channel);
}

static void
free_extra (gpointer data)
{
  Extra *extra = data;

  g_free (extra->name);
  g_free (extra->media_type);
  g_clear_pointer (&extra->data, g_bytes_unref);
  g_clear_pointer (&extra->metadata, g_byte_array_unref);
  g_free (extra);
}

static void
free_output (MuxOutput *output)
{
  g_clear_pointer (&output->chunk, robocache_mcap_chunk_free);
  g_clear_pointer (&output->metadata, g_byte_array_unref);
  g_clear_pointer (&output->data, g_bytes_unref);
  g_clear_pointer (&output->topics, g_array_unref);
  g_free (output->name);
  g_free (output->media_type);
  g_free (output);
}

static void
free_file (File *file)
{
  robocache_mcap_chunk_free (file->chunk);
  g_byte_array_unref (file->has_channel);
  g_byte_array_unref (file->has_schema);
  g_array_unref (file->counts);
  g_free (file);
}

static gsize
size_of (const MuxOutput *output)
{
  return sizeof *output + (output->chunk ? output->chunk->records->len : 0) + (output->data ? g_bytes_get_size (output->data) : 0);
}

static MuxOutput *
push_output (MuxRecording *recording, MuxOutputKind kind, guint file)
{
  MuxOutput *output = g_new0 (MuxOutput, 1);

  output->kind = kind;
  output->file = file;
  g_queue_push_tail (&recording->outputs, output);
  return output;
}

/* Behind push_output, when it has all its parts. */
static void
count_output (MuxRecording *recording, const MuxOutput *output)
{
  recording->queued += size_of (output);
}

static RobocacheMcapChunk *
new_chunk (MuxRecording *recording)
{
  if (recording->idle->len > 0)
    return g_ptr_array_steal_index (recording->idle, recording->idle->len - 1);
  /* its memory comes with its first message */
  return robocache_mcap_chunk_new (0);
}

static void
write_extra (MuxRecording *recording, const Extra *extra, guint file)
{
  MuxOutput *output = push_output (recording, extra->data ? MUX_WRITE_ATTACHMENT : MUX_WRITE_METADATA, file);

  output->name = g_strdup (extra->name);
  output->media_type = g_strdup (extra->media_type);
  output->data = extra->data ? g_bytes_ref (extra->data) : NULL;
  output->metadata = extra->metadata ? g_byte_array_ref (extra->metadata) : NULL;
  output->log_time = extra->log_time;
  output->create_time = extra->create_time;
  count_output (recording, output);
}

static void
write_extra_to_open (MuxRecording *recording, const Extra *extra)
{
  for (guint i = 0; i < G_N_ELEMENTS (recording->files); i++)
    if (recording->files[i])
      write_extra (recording, extra, recording->files[i]->number);
}

static File *
open_file (MuxRecording *recording)
{
  File *file = g_new0 (File, 1);

  file->number = recording->n_files++;
  file->chunk = new_chunk (recording);
  file->has_channel = g_byte_array_new ();
  file->has_schema = g_byte_array_new ();
  file->counts = g_array_new (FALSE, TRUE, sizeof (guint64));
  count_output (recording, push_output (recording, MUX_OPEN_FILE, file->number));
  for (guint i = 0; i < recording->extras->len; i++)
    write_extra (recording, recording->extras->pdata[i], file->number);
  return file;
}

MuxRecording *
mux_recording_new (const MuxRecordingSettings *settings)
{
  MuxRecording *recording = g_new0 (MuxRecording, 1);

  recording->settings = *settings;
  recording->schemas = g_ptr_array_new_with_free_func (free_schema);
  recording->channel_ids = g_hash_table_new_full (g_bytes_hash, g_bytes_equal, (GDestroyNotify) g_bytes_unref, NULL);
  recording->channels = g_ptr_array_new_with_free_func (free_channel);
  recording->extras = g_ptr_array_new_with_free_func (free_extra);
  recording->idle = g_ptr_array_new_with_free_func ((GDestroyNotify) robocache_mcap_chunk_free);
  g_queue_init (&recording->outputs);
  recording->files[0] = open_file (recording);
  return recording;
}

void
mux_recording_free (MuxRecording *recording)
{
  MuxOutput *output;

  while ((output = g_queue_pop_head (&recording->outputs)))
    free_output (output);
  for (guint i = 0; i < G_N_ELEMENTS (recording->files); i++)
    g_clear_pointer (&recording->files[i], free_file);
  g_ptr_array_unref (recording->schemas);
  g_ptr_array_unref (recording->channels);
  g_hash_table_unref (recording->channel_ids);
  g_ptr_array_unref (recording->extras);
  g_ptr_array_unref (recording->idle);
  g_free (recording);
}

/* ---- definitions ---- */

/* The index of a type's schema, which is made when it is first used. */
static guint
find_schema (MuxRecording *recording, const gchar *type)
{
  Schema *schema;

  for (guint i = 0; i < recording->schemas->len; i++)
    if (strcmp (((const Schema *) recording->schemas->pdata[i])->name, type) == 0)
      return i;
  schema = g_new0 (Schema, 1);
  schema->name = g_strdup (type);
  schema->text = robocache_ros_schema_text (type);
  g_ptr_array_add (recording->schemas, schema);
  return recording->schemas->len - 1;
}

static GBytes *
key_of (const gchar *topic, const gchar *type, const GByteArray *metadata)
{
  GByteArray *key = g_byte_array_new ();

  g_byte_array_append (key, (const guint8 *) topic, (guint) strlen (topic) + 1);
  g_byte_array_append (key, (const guint8 *) type, (guint) strlen (type) + 1);
  g_byte_array_append (key, metadata->data, metadata->len);
  return g_byte_array_free_to_bytes (key);
}

gint
mux_recording_add_channel (MuxRecording *recording, const gchar *topic, const gchar *type, const GByteArray *metadata)
{
  GBytes *key = key_of (topic, type, metadata);
  Channel *channel;
  gpointer id = NULL;
  const gboolean is_known = g_hash_table_lookup_extended (recording->channel_ids, key, NULL, &id);

  if (is_known || recording->channels->len >= G_MAXUINT16) {
    g_bytes_unref (key);
    return is_known ? GPOINTER_TO_INT (id) : -1;
  }
  g_hash_table_insert (recording->channel_ids, key, GINT_TO_POINTER (recording->channels->len));
  channel = g_new0 (Channel, 1);
  channel->topic = g_strdup (topic);
  channel->type = g_strdup (type);
  channel->schema = find_schema (recording, type);
  channel->metadata = g_byte_array_new ();
  g_byte_array_append (channel->metadata, metadata->data, metadata->len);
  g_ptr_array_add (recording->channels, channel);
  return (gint) recording->channels->len - 1;
}

/* Whether an index is marked; marks it. */
static gboolean
test_and_mark (GByteArray *marks, guint index)
{
  const guint n = marks->len;

  if (index >= n) {
    g_byte_array_set_size (marks, index + 1);
    memset (marks->data + n, 0, index + 1 - n);
  }
  if (marks->data[index])
    return TRUE;
  marks->data[index] = TRUE;
  return FALSE;
}

static void
define_schema (MuxRecording *recording, File *file, guint index)
{
  const Schema *schema = recording->schemas->pdata[index];

  if (!test_and_mark (file->has_schema, index))
    robocache_mcap_chunk_add_schema (file->chunk, &(RobocacheMcapSchema) {
        (guint16) (index + 1), robocache_mcap_text (schema->name), robocache_mcap_text ("ros2msg"),
        robocache_mcap_text (schema->text)});
}

static void
define_channel (MuxRecording *recording, File *file, guint index)
{
  const Channel *channel = recording->channels->pdata[index];

  if (test_and_mark (file->has_channel, index))
    return;
  define_schema (recording, file, channel->schema);
  robocache_mcap_chunk_add_channel (file->chunk, &(RobocacheMcapChannel) {
      (guint16) index, (guint16) (channel->schema + 1), robocache_mcap_text (channel->topic), robocache_mcap_text ("cdr"),
      {channel->metadata->data, channel->metadata->len}});
}

/* ---- chunks ---- */

/* why: for log lines. */
static void
close_chunk (MuxRecording *recording, File *file, const gchar *why)
{
  MuxOutput *output;

  if (file->chunk->records->len == 0)
    return;
  output = push_output (recording, MUX_WRITE_CHUNK, file->number);
  output->chunk = file->chunk;
  output->why = why;
  count_output (recording, output);
  file->chunk = new_chunk (recording);
}

/* Whether a message at a log time begins a new chunk. A clock that was set back begins one, too. */
static gboolean
is_old (const MuxRecording *recording, const RobocacheMcapChunk *chunk, guint64 log_time)
{
  const guint64 age = log_time > chunk->start_time ? log_time - chunk->start_time : chunk->start_time - log_time;

  return chunk->n_messages > 0 && recording->settings.chunk_duration_ns > 0 && age >= recording->settings.chunk_duration_ns;
}

static void
count_message (File *file, guint channel, guint64 log_time)
{
  if (channel >= file->counts->len)
    g_array_set_size (file->counts, channel + 1);
  g_array_index (file->counts, guint64, channel)++;
  file->start_time = file->n_messages ? MIN (file->start_time, log_time) : log_time;
  file->end_time = MAX (file->end_time, log_time);
  file->n_messages++;
}

/* Bytes of a message's record and of what may be written before it, at most. */
static gsize
record_size (MuxRecording *recording, const Channel *channel, gsize size)
{
  const Schema *schema = recording->schemas->pdata[channel->schema];

  return size + strlen (schema->name) + strlen (schema->text) + strlen (channel->topic) + channel->metadata->len + MAX_HEADS;
}

/* Makes room for a message. FALSE and an error. */
static gboolean
make_room (MuxRecording *recording, RobocacheMcapChunk *chunk, const Channel *channel, gsize size, GError **error)
{
  if (size > recording->settings.max_message) {
    g_set_error (error, ROBOCACHE_ERROR, ROBOCACHE_ERROR_DATA, "a message of %" G_GSIZE_FORMAT " bytes is larger than max-message-bytes=%"
        G_GSIZE_FORMAT, size, recording->settings.max_message);
    return FALSE;
  }
  if (robocache_mcap_chunk_reserve (chunk, record_size (recording, channel, size), recording->settings.chunk_size))
    return TRUE;
  g_set_error (error, ROBOCACHE_ERROR, ROBOCACHE_ERROR_MEMORY, "no memory for a message of %" G_GSIZE_FORMAT " bytes", size);
  return FALSE;
}

gboolean
mux_recording_add_message (MuxRecording *recording, gboolean in_next, guint channel, guint64 log_time, guint64 publish_time,
    gconstpointer data, gsize size, GError **error)
{
  File *file = recording->files[in_next];
  const RobocacheMcapBytes bytes = { data, size };
  Channel *of = recording->channels->pdata[channel];

  if (is_old (recording, file->chunk, log_time))
    close_chunk (recording, file, "chunk-duration is reached");
  else if (!robocache_mcap_chunk_fits (file->chunk, size))
    close_chunk (recording, file, "the next message does not fit");
  if (!make_room (recording, file->chunk, of, size, error))
    return FALSE;
  define_channel (recording, file, channel);
  robocache_mcap_chunk_add_message (file->chunk, &(RobocacheMcapMessage) {
      (guint16) channel, of->sequence++, log_time, publish_time}, &bytes, 1);
  count_message (file, channel, log_time);
  recording->has_begun = TRUE;
  if (file->chunk->records->len >= recording->settings.chunk_size)
    close_chunk (recording, file, "chunk-size is reached");
  return TRUE;
}

guint32
mux_recording_get_sequence (const MuxRecording *recording, guint channel)
{
  return ((const Channel *) recording->channels->pdata[channel])->sequence;
}

gboolean
mux_recording_is_full (const MuxRecording *recording)
{
  return recording->has_begun && recording->queued >= recording->settings.max_queued;
}

void
mux_recording_close_old_chunks (MuxRecording *recording, guint64 log_time)
{
  for (guint i = 0; i < G_N_ELEMENTS (recording->files); i++)
    if (recording->files[i] && is_old (recording, recording->files[i]->chunk, log_time))
      close_chunk (recording, recording->files[i], "chunk-duration is over");
}

static void
close_chunks (MuxRecording *recording)
{
  for (guint i = 0; i < G_N_ELEMENTS (recording->files); i++)
    if (recording->files[i])
      close_chunk (recording, recording->files[i], "metadata follow");
}

/* ---- other records ---- */

void
mux_recording_add_metadata (MuxRecording *recording, const gchar *name, GByteArray *metadata, gboolean in_each)
{
  Extra *extra = g_new0 (Extra, 1);

  extra->name = g_strdup (name);
  extra->metadata = metadata;
  close_chunks (recording);
  write_extra_to_open (recording, extra);
  if (in_each)
    g_ptr_array_add (recording->extras, extra);
  else
    free_extra (extra);
}

void
mux_recording_attach (MuxRecording *recording, const gchar *name, const gchar *media_type, GBytes *data, guint64 log_time,
    guint64 create_time)
{
  Extra *extra = g_new0 (Extra, 1);

  extra->name = g_strdup (name);
  extra->media_type = g_strdup (media_type);
  extra->data = g_bytes_ref (data);
  extra->log_time = log_time;
  extra->create_time = create_time;
  g_ptr_array_add (recording->extras, extra);
  write_extra_to_open (recording, extra);
}

/* ---- files ---- */

void
mux_recording_open_next (MuxRecording *recording)
{
  recording->files[1] = open_file (recording);
}

gboolean
mux_recording_has_next (const MuxRecording *recording)
{
  return recording->files[1] != NULL;
}

static void
close_file (MuxRecording *recording, File *file)
{
  MuxOutput *output;

  close_chunk (recording, file, "the file ends");
  output = push_output (recording, MUX_CLOSE_FILE, file->number);
  output->n_messages = file->n_messages;
  output->start_time = file->start_time;
  output->end_time = file->end_time;
  output->topics = g_array_new (FALSE, FALSE, sizeof (MuxTopicCount));
  for (guint i = 0; i < file->counts->len; i++) {
    const Channel *channel = recording->channels->pdata[i];
    const MuxTopicCount count = { channel->topic, channel->type, g_array_index (file->counts, guint64, i) };

    if (count.n_messages > 0)
      g_array_append_val (output->topics, count);
  }
  count_output (recording, output);
  free_file (file);
}

void
mux_recording_close_first (MuxRecording *recording)
{
  close_file (recording, recording->files[0]);
  recording->files[0] = g_steal_pointer (&recording->files[1]);
}

void
mux_recording_change_file (MuxRecording *recording)
{
  close_file (recording, g_steal_pointer (&recording->files[0]));
  recording->files[0] = open_file (recording);
}

void
mux_recording_finish (MuxRecording *recording)
{
  while (recording->files[0])
    mux_recording_close_first (recording);
  count_output (recording, push_output (recording, MUX_END, 0));
  recording->has_begun = TRUE;
}

gboolean
mux_recording_get_start (const MuxRecording *recording, guint64 *log_time)
{
  *log_time = recording->files[0] ? recording->files[0]->start_time : 0;
  return recording->files[0] && recording->files[0]->n_messages > 0;
}

/* ---- out ---- */

gboolean
mux_recording_has_begun (const MuxRecording *recording)
{
  return recording->has_begun;
}

gboolean
mux_recording_has_output (const MuxRecording *recording)
{
  return recording->has_begun && recording->outputs.length > 0;
}

MuxOutput *
mux_recording_pop (MuxRecording *recording)
{
  return recording->has_begun ? g_queue_pop_head (&recording->outputs) : NULL;
}

/* One that grew for a large message keeps that memory as long as it lives. */
static gboolean
is_reusable (const MuxRecording *recording, const RobocacheMcapChunk *chunk)
{
  return recording->idle->len < MAX_IDLE_CHUNKS && chunk->capacity / 2 <= recording->settings.chunk_size;
}

void
mux_recording_release (MuxRecording *recording, MuxOutput *output)
{
  recording->queued -= size_of (output);
  if (output->chunk && is_reusable (recording, output->chunk)) {
    robocache_mcap_chunk_clear (output->chunk);
    g_ptr_array_add (recording->idle, g_steal_pointer (&output->chunk));
  }
  free_output (output);
}
