/* robocache: a recorded session: the samples of a robocachefuse, and the rows and events of the streams that it took in
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "session.h"

#include <string.h>

#include "common/rosstreams/rosdecoder.h"
#include "examples/tools/program.h"
#include "sessionfile.h"

#define SETTINGS_KIND "property"

/* A channel of a file, which items need after the file is over. */
typedef struct
{
  guint file, id;
  gchar *topic;
  RobocacheRosDecoder *decoder; /* NULL: with the first message */
  RobocacheMcapSchemaInfo schema;       /* a copy */
  gchar *caps;                  /* noted by the writer; NULL: none */
} Channel;

struct _SessionStream
{
  gchar *topic;
  GQueue items;                 /* of Pending */
  guint64 n_rows;               /* handed out */
  gboolean has_channel;
  guint channel_id;             /* of the last message */
  guint32 next_sequence;
  gboolean is_corrupted;        /* as buffers are flagged, until that changes */
  gint64 shift_ns;              /* by which the recorder shifted its times, until that changes */
};

/* An item that nobody has asked for. */
typedef struct
{
  SessionItemKind kind;
  gboolean is_flags;            /* none, but what buffers are flagged with */
  guint64 n;
  gint64 stamp_ns, duration_ns;
  gchar *text;
  GBytes *message;
  guint64 log_ns, publish_ns;
  Channel *channel;
} Pending;

struct _Session
{
  gchar *sample_topic, *sample_pad;     /* the recorder's pad */
  GPtrArray *settings;          /* elements are GstStructure, by number; NULL for a missing number */
  GHashTable *topic_of_id;      /* of streams */
  gint64 origin_ns;             /* UTC of running time 0 */
  gboolean has_origin;
  gboolean has_references;

  SessionFile *file;
  GPtrArray *channels;
  GHashTable *streams;          /* topic → SessionStream */
  GPtrArray *tensors;           /* of the sample whose tick comes next */
  GQueue samples;               /* that nobody has asked for */
  guint64 n_samples;
};

/* ---- what things are made of ---- */

static void
channel_free (gpointer data)
{
  Channel *channel = data;

  g_clear_pointer (&channel->decoder, robocache_ros_decoder_free);
  g_free (channel->topic);
  g_free (channel->schema.name);
  g_free (channel->schema.data);
  g_free (channel->caps);
  g_free (channel);
}

static void
pending_free (gpointer data)
{
  Pending *pending = data;

  g_clear_pointer (&pending->message, g_bytes_unref);
  g_free (pending->text);
  g_free (pending);
}

static void
stream_free (gpointer data)
{
  SessionStream *stream = data;

  g_queue_clear_full (&stream->items, pending_free);
  g_free (stream->topic);
  g_free (stream);
}

static void
tensor_free (gpointer data)
{
  SessionTensor *tensor = data;

  gst_clear_buffer (&tensor->buffer);
  gst_clear_caps (&tensor->caps);
  g_free (tensor->topic);
  g_free (tensor);
}

void
session_sample_free (SessionSample *sample)
{
  session_tick_info_free (sample->info);
  g_ptr_array_unref (sample->tensors);
  g_free (sample);
}

void
session_item_free (SessionItem *item)
{
  gst_clear_buffer (&item->buffer);
  g_free (item->text);
  g_free (item);
}

static void
settings_free (gpointer data)
{
  if (data)
    gst_structure_free (data);
}

/* ---- the first reading ---- */

static const gchar *
pad_of (const SessionMessage *message)
{
  const gchar *pad = g_hash_table_lookup (message->channel->metadata, "pad");

  return pad ? pad : "";
}

/* The topic of samples from the topic of their ticks. NULL: not a topic of ticks. */
static gchar *
topic_of_ticks (const gchar *topic)
{
  return g_str_has_suffix (topic, "/tick") ? g_strndup (topic, strlen (topic) - strlen ("/tick")) : NULL;
}

/* FALSE and an error: there is another. */
static gboolean
note_ticks (Session *session, const SessionMessage *message, const gchar *wanted, GError **error)
{
  gchar *topic = topic_of_ticks (message->channel->topic);
  gboolean is_other;

  if (!topic || (wanted && !g_str_equal (topic, wanted))) {
    g_free (topic);
    return TRUE;
  }
  if (!session->sample_topic) {
    session->sample_topic = topic;
    session->sample_pad = g_strdup (pad_of (message));
    return session_check_schema (message->schema, error);
  }
  is_other = !g_str_equal (topic, session->sample_topic);
  if (is_other)
    FAULT (error, "the recording has samples of %s and of %s: choose one with --samples", session->sample_topic, topic);
  g_free (topic);
  return !is_other;
}

/* FALSE and an error: it is no structure with a number. */
static gboolean
note_settings (GPtrArray *settings, const gchar *text, GError **error)
{
  GstStructure *structure = gst_structure_from_string (text, NULL);
  gint64 number;

  if (!structure || !gst_structure_get_int64 (structure, "number", &number) || number < 0 || number > G_MAXINT16) {
    FAULT (error, "settings that cannot be read: %.80s", text);
    settings_free (structure);
    return FALSE;
  }
  if (number >= settings->len)
    g_ptr_array_set_size (settings, (gint) number + 1);
  settings_free (settings->pdata[number]);
  settings->pdata[number] = structure;
  return TRUE;
}

/* Settings are those of each topic at first: which one is wanted may be known later. */
static gboolean
note_event (Session *session, GHashTable *settings_of_topic, const SessionMessage *message, GError **error)
{
  gboolean is_good = TRUE;
  SessionEvent event;
  GPtrArray *settings;

  if (!session_check_schema (message->schema, error) || !session_event_read (&event, message->message.data, error))
    return FALSE;
  if (g_str_equal (event.kind, "stream")) {
    g_hash_table_insert (session->topic_of_id, g_strdup (event.text), g_strdup (event.topic));
  } else if (g_str_equal (event.kind, SETTINGS_KIND)) {
    settings = g_hash_table_lookup (settings_of_topic, event.topic);
    if (!settings) {
      settings = g_ptr_array_new_with_free_func (settings_free);
      g_hash_table_insert (settings_of_topic, g_strdup (event.topic), settings);
    }
    is_good = note_settings (settings, event.text, error);
  }
  session->has_references |= g_str_equal (event.kind, "reference");
  session_event_clear (&event);
  return is_good;
}

static void
note_metadata (Session *session, const RobocacheMcapMetadata *metadata)
{
  GHashTable *map;
  const gchar *origin;

  if (!robocache_mcap_text_equal (metadata->name, "robocache.recording"))
    return;
  map = robocache_mcap_text_map (metadata->metadata);
  origin = g_hash_table_lookup (map, "time-origin");
  session->has_origin = origin && g_ascii_string_to_signed (origin, 10, G_MININT64, G_MAXINT64, &session->origin_ns, NULL);
  g_hash_table_unref (map);
}

/* FALSE and an error. */
static gboolean
note_message (Session *session, GHashTable *settings, const SessionMessage *message, const gchar *wanted, GError **error)
{
  if (g_str_equal (message->schema->name, SESSION_TICK_TYPE))
    return note_ticks (session, message, wanted, error);
  return !g_str_equal (message->schema->name, SESSION_EVENT_TYPE) || note_event (session, settings, message, error);
}

static gboolean
survey_file (Session *session, SessionFile *file, GHashTable *settings, const gchar *wanted, GError **error)
{
  RobocacheMcapMetadata metadata;
  SessionMessage message;

  for (;;) {
    switch (session_file_next (file, &message, &metadata, error)) {
      case SESSION_FILE_MESSAGE:
        if (!note_message (session, settings, &message, wanted, error))
          return FALSE;
        break;
      case SESSION_FILE_METADATA:
        note_metadata (session, &metadata);
        break;
      case SESSION_FILE_END:
        return TRUE;
      default:
        return FALSE;
    }
  }
}

/* What a replay needs: FALSE and an error where it is not there. */
static gboolean
check_session (const Session *session, const gchar *wanted, GError **error)
{
  if (!session->sample_topic)
    FAULT (error, "the recording has no samples of %s: record the output of robocachefuse, too", wanted ? wanted : "a "
        "robocachefuse");
  else if (!session->has_origin)
    FAULT (error, "the recording lacks the time at running time 0: it was written by another program");
  else if (!session->settings || session->settings->len == 0 || !session->settings->pdata[0])
    FAULT (error, "the recording has no settings of the robocachefuse that made %s: it was not live, was written by an older version, or "
        "lacks its first fragment",
        session->sample_topic);
  else
    return TRUE;
  return FALSE;
}

static gboolean
survey (Session *session, gchar **paths, const gchar *wanted, GError **error)
{
  SessionFile *file = session_file_new (paths);
  GHashTable *settings = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, (GDestroyNotify) g_ptr_array_unref);
  gboolean is_good = survey_file (session, file, settings, wanted, error);

  if (is_good && session->sample_topic && g_hash_table_contains (settings, session->sample_topic))
    session->settings = g_ptr_array_ref (g_hash_table_lookup (settings, session->sample_topic));
  is_good = is_good && check_session (session, wanted, error);
  g_hash_table_unref (settings);
  session_file_free (file);
  return is_good;
}

/* ---- life ---- */

Session *
session_open (gchar **paths, const gchar *sample_topic, GError **error)
{
  Session *session = g_new0 (Session, 1);

  session->topic_of_id = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, g_free);
  session->streams = g_hash_table_new_full (g_str_hash, g_str_equal, NULL, stream_free);
  session->channels = g_ptr_array_new_with_free_func (channel_free);
  session->tensors = g_ptr_array_new_with_free_func (tensor_free);
  session->file = session_file_new (paths);
  if (survey (session, paths, sample_topic, error))
    return session;
  session_free (session);
  return NULL;
}

void
session_free (Session *session)
{
  g_queue_clear_full (&session->samples, (GDestroyNotify) session_sample_free);
  g_hash_table_unref (session->streams);
  g_hash_table_unref (session->topic_of_id);
  g_ptr_array_unref (session->channels);
  g_ptr_array_unref (session->tensors);
  g_clear_pointer (&session->settings, g_ptr_array_unref);
  session_file_free (session->file);
  g_free (session->sample_topic);
  g_free (session->sample_pad);
  g_free (session);
}

/* ---- questions ---- */

const gchar *
session_sample_topic (const Session *session)
{
  return session->sample_topic;
}

const GstStructure *
session_settings (const Session *session, gint64 number)
{
  return number >= 0 && number < session->settings->len ? session->settings->pdata[number] : NULL;
}

gboolean
session_has_references (const Session *session)
{
  return session->has_references;
}

SessionStream *
session_stream_of_topic (Session *session, const gchar *topic)
{
  SessionStream *stream = g_hash_table_lookup (session->streams, topic);

  if (!stream) {
    stream = g_new0 (SessionStream, 1);
    stream->topic = g_strdup (topic);
    g_hash_table_insert (session->streams, stream->topic, stream);
  }
  return stream;
}

SessionStream *
session_stream_of_id (Session *session, const gchar *stream_id)
{
  const gchar *topic = g_hash_table_lookup (session->topic_of_id, stream_id);

  return topic ? session_stream_of_topic (session, topic) : NULL;
}

const gchar *
session_stream_topic (const SessionStream *stream)
{
  return stream->topic;
}

/* ---- messages ---- */

static Channel *
find_channel (Session *session, const SessionMessage *message)
{
  const RobocacheMcapSchemaInfo *schema = message->schema;
  Channel *channel;

  for (guint i = session->channels->len; i > 0; i--) {
    channel = session->channels->pdata[i - 1];
    if (channel->file == message->file && channel->id == message->channel->id)
      return channel;
  }
  channel = g_new0 (Channel, 1);
  channel->file = message->file;
  channel->id = message->channel->id;
  channel->topic = g_strdup (message->channel->topic);
  channel->schema = (RobocacheMcapSchemaInfo) {
    .name = g_strdup (schema->name),.data = g_malloc (schema->size + 1),.size = schema->size
  };
  memcpy (channel->schema.data, schema->data, schema->size);
  channel->caps = g_strdup (g_hash_table_lookup (message->channel->metadata, "caps"));
  g_ptr_array_add (session->channels, channel);
  return channel;
}

/* The one stream of a message; the decoder's until its next message. NULL and an error. */
static RobocacheRosSample *
decode (Channel *channel, gconstpointer data, gsize size, GError **error)
{
  const RobocacheRosChannel of_channel = {
    .topic = channel->topic,.type = channel->schema.name,.definition = (const gchar *) channel->schema.data,
    .definition_size = channel->schema.size,.caps = channel->caps
  };
  GArray *samples;

  if (!channel->decoder)
    channel->decoder = robocache_ros_decoder_new (&of_channel, error);
  samples = channel->decoder ? robocache_ros_decoder_run (channel->decoder, data, size, error) : NULL;
  if (samples && samples->len != 1)
    FAULT (error, "a message with %u rows", samples->len);
  if (samples && samples->len == 1)
    return &g_array_index (samples, RobocacheRosSample, 0);
  g_prefix_error (error, "%s: ", channel->topic);
  return NULL;
}

static gboolean
take_tensor (Session *session, const SessionMessage *message, GError **error)
{
  Channel *channel = find_channel (session, message);
  RobocacheRosSample *sample;
  SessionTensor *tensor;

  g_clear_pointer (&channel->caps, g_free);     /* they are of all tensors together */
  sample = decode (channel, message->message.data.data, message->message.data.size, error);
  if (!sample)
    return FALSE;
  tensor = g_new0 (SessionTensor, 1);
  tensor->topic = g_strdup (channel->topic);
  tensor->caps = gst_caps_ref (sample->caps);
  tensor->buffer = g_steal_pointer (&sample->buffer);
  g_ptr_array_add (session->tensors, tensor);
  return TRUE;
}

static gboolean
take_tick (Session *session, const SessionMessage *message, GError **error)
{
  SessionTickInfo *info = session_tick_info_read (message->message.data, error);
  SessionSample *sample;

  if (!info)
    return FALSE;
  sample = g_new0 (SessionSample, 1);
  sample->number = session->n_samples++;
  sample->info = info;
  sample->tensors = g_steal_pointer (&session->tensors);
  session->tensors = g_ptr_array_new_with_free_func (tensor_free);
  g_queue_push_tail (&session->samples, sample);
  return TRUE;
}

static Pending *
add_pending (SessionStream *stream, SessionItemKind kind)
{
  Pending *pending = g_new0 (Pending, 1);

  pending->kind = kind;
  pending->duration_ns = -1;
  g_queue_push_tail (&stream->items, pending);
  return pending;
}

/* New caps have a new channel, whose sequence begins with 0. */
static void
check_sequence (SessionStream *stream, const RobocacheMcapMessage *message)
{
  const guint32 expected = stream->has_channel && stream->channel_id == message->channel_id ? stream->next_sequence : 0;

  if (message->sequence != expected)
    add_pending (stream, SESSION_MISSING)->n = (guint32) (message->sequence - expected);
  stream->has_channel = TRUE;
  stream->channel_id = message->channel_id;
  stream->next_sequence = message->sequence + 1;
}

static void
take_row (Session *session, const SessionMessage *message)
{
  SessionStream *stream = session_stream_of_topic (session, message->channel->topic);
  Pending *pending;

  check_sequence (stream, &message->message);
  pending = add_pending (stream, SESSION_ROW);
  pending->message = g_bytes_new (message->message.data.data, message->message.data.size);
  pending->log_ns = message->message.log_time;
  pending->publish_ns = message->message.publish_time;
  pending->channel = find_channel (session, message);
}

static gboolean
take_event (Session *session, const SessionMessage *message, GError **error)
{
  static const struct
  {
    const gchar *kind;
    SessionItemKind item;
  } kinds[] = { {"gap", SESSION_GAP}, {"caps", SESSION_CAPS}, {"segment", SESSION_SEGMENT}, {"eos", SESSION_EOS},
  {"flush", SESSION_FLUSH}, {"overflow", SESSION_LOST}, {"buffer", SESSION_ROW}, {"origin", SESSION_ORIGIN},
  {"reference", SESSION_REFERENCE}
  };
  SessionEvent event;
  Pending *pending;

  if (!session_event_read (&event, message->message.data, error))
    return FALSE;
  for (guint i = 0; i < G_N_ELEMENTS (kinds); i++) {
    if (!g_str_equal (event.kind, kinds[i].kind))
      continue;
    pending = add_pending (session_stream_of_topic (session, event.topic), kinds[i].item);
    pending->is_flags = kinds[i].item == SESSION_ROW;
    pending->stamp_ns = event.stamp_ns;
    pending->duration_ns = event.duration_ns;
    pending->text = g_steal_pointer (&event.text);
    if (pending->kind == SESSION_LOST && g_str_has_prefix (pending->text, "rows="))
      pending->n = g_ascii_strtoull (pending->text + strlen ("rows="), NULL, 10);
  }
  session_event_clear (&event);
  return TRUE;
}

static gboolean
is_of_samples (const Session *session, const SessionMessage *message)
{
  return g_str_has_prefix (message->channel->topic, session->sample_topic) && g_str_equal (pad_of (message), session->sample_pad);
}

static gboolean
take_message (Session *session, const SessionMessage *message, GError **error)
{
  if (g_str_equal (message->schema->name, SESSION_EVENT_TYPE))
    return take_event (session, message, error);
  if (!is_of_samples (session, message)) {
    if (!g_str_equal (message->schema->name, SESSION_TICK_TYPE))
      take_row (session, message);
    return TRUE;
  }
  if (g_str_equal (message->schema->name, SESSION_TICK_TYPE))
    return take_tick (session, message, error);
  return take_tensor (session, message, error);
}

/* Reads a message. FALSE: at the end, or an error. */
static gboolean
read_on (Session *session, GError **error)
{
  RobocacheMcapMetadata metadata;
  SessionFileResult result;
  SessionMessage message;

  do
    result = session_file_next (session->file, &message, &metadata, error);
  while (result == SESSION_FILE_METADATA);
  return result == SESSION_FILE_MESSAGE && take_message (session, &message, error);
}

/* ---- samples ---- */

SessionSample *
session_next_sample (Session *session, GError **error)
{
  while (session->samples.length == 0 && read_on (session, error));
  return *error ? NULL : g_queue_pop_head (&session->samples);
}

/* ---- items ---- */

/* A stamp of 0 means that there is no stamp, unless the message's publish time differs from its arrival. */
static gint64
time_of_row (const Session *session, const SessionStream *stream, const Pending *pending, gint64 stamp_ns)
{
  if (stamp_ns == SESSION_NO_TIME && pending->publish_ns == pending->log_ns)
    return SESSION_NO_TIME;
  return (stamp_ns == SESSION_NO_TIME ? (gint64) pending->publish_ns : stamp_ns) - session->origin_ns - stream->shift_ns;
}

/* FALSE and an error: damaged. */
static gboolean
fill_row (const Session *session, SessionStream *stream, const Pending *pending, SessionItem *item, GError **error)
{
  gsize size;
  gconstpointer data = g_bytes_get_data (pending->message, &size);
  RobocacheRosSample *sample = decode (pending->channel, data, size, error);

  if (!sample)
    return FALSE;
  item->running_ns = time_of_row (session, stream, pending, sample->stamp_ns);
  item->buffer = g_steal_pointer (&sample->buffer);
  item->has_row_times = sample->has_row_times;
  item->duration_ns = GST_BUFFER_DURATION_IS_VALID (item->buffer) ? (gint64) GST_BUFFER_DURATION (item->buffer) : -1;
  if (stream->is_corrupted)
    GST_BUFFER_FLAG_SET (item->buffer, GST_BUFFER_FLAG_CORRUPTED);
  return TRUE;
}

static void
note_shift (SessionStream *stream, const gchar *text)
{
  SessionOrigin origin;

  if (session_origin_parse (&origin, text))
    stream->shift_ns = origin.shift_ns;
}

static SessionItem *
make_item (const Session *session, SessionStream *stream, Pending *pending, GError **error)
{
  SessionItem *item = g_new0 (SessionItem, 1);

  item->kind = pending->kind;
  item->number = stream->n_rows;
  item->n = pending->n;
  item->running_ns = pending->stamp_ns - session->origin_ns - stream->shift_ns;
  item->duration_ns = pending->duration_ns;
  item->text = g_steal_pointer (&pending->text);
  if (item->kind == SESSION_ORIGIN)
    note_shift (stream, item->text);
  if (item->kind != SESSION_ROW || fill_row (session, stream, pending, item, error)) {
    stream->n_rows += item->kind == SESSION_ROW ? 1 : item->kind == SESSION_MISSING ? item->n : 0;
    return item;
  }
  session_item_free (item);
  return NULL;
}

/* The next item, which stays in the queue; what buffers are flagged with is none. NULL: nothing is left, or an error. */
static Pending *
peek_item (Session *session, SessionStream *stream, GError **error)
{
  Pending *pending;

  for (;;) {
    while (stream->items.length == 0)
      if (!read_on (session, error))
        return NULL;
    pending = g_queue_peek_head (&stream->items);
    if (!pending->is_flags)
      return pending;
    stream->is_corrupted = strstr (pending->text, "corrupted") != NULL;
    pending_free (g_queue_pop_head (&stream->items));
  }
}

const gchar *
session_peek_text (Session *session, SessionStream *stream, SessionItemKind kind, GError **error)
{
  const Pending *pending = peek_item (session, stream, error);

  return pending && pending->kind == kind ? pending->text : NULL;
}

SessionItem *
session_next_item (Session *session, SessionStream *stream, GError **error)
{
  Pending *pending = peek_item (session, stream, error);
  SessionItem *item;

  if (!pending)
    return NULL;
  g_queue_pop_head (&stream->items);
  item = make_item (session, stream, pending, error);
  pending_free (pending);
  return item;
}
