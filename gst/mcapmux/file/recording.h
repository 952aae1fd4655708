/* robocache: a recording: channels and messages in, chunks of files out
 *
 * Messages go into the open chunk of a file. A chunk that is full, or old, is closed and queued with what else is to be written, for
 * another thread. Between two fragments two files may be open. The owner locks all calls.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef MUX_RECORDING_H
#define MUX_RECORDING_H

#include "common/mcap/chunk.h"

G_BEGIN_DECLS

typedef struct
{
  gsize chunk_size;             /* bytes of records at which a chunk is closed */
  guint64 chunk_duration_ns;    /* of log time; 0: unlimited */
  gsize max_queued;             /* bytes that wait to be written before the recording is full */
} MuxRecordingSettings;

/* The kinds of output. */
typedef enum
{
  MUX_OPEN_FILE,
  MUX_WRITE_CHUNK,
  MUX_WRITE_METADATA,
  MUX_WRITE_ATTACHMENT,
  MUX_CLOSE_FILE,
  MUX_END                       /* all files are closed */
} MuxOutputKind;

/* Metadata have these names. */
#define MUX_RECORDING_METADATA "robocache.recording"
#define MUX_STATISTICS_METADATA "robocache.statistics"
#define MUX_SETTINGS_METADATA "robocache.settings"

/* Messages of a topic in a file. */
typedef struct
{
  const gchar *topic, *type;    /* of the recording */
  guint64 n_messages;
} MuxTopicCount;

typedef struct
{
  MuxOutputKind kind;
  guint file;                   /* counts from 0 */
  RobocacheMcapChunk *chunk;
  gchar *name, *media_type;
  GByteArray *metadata;         /* a map of texts */
  GBytes *data;
  guint64 log_time, create_time;
  /* of a file that is closed */
  GArray *topics;               /* of MuxTopicCount */
  guint64 start_time, end_time; /* log times; 0 without messages */
} MuxOutput;

typedef struct _MuxRecording MuxRecording;
MuxRecording *mux_recording_new (const MuxRecordingSettings * settings);
void mux_recording_free (MuxRecording * recording);

/* ---- in ---- */

/* A channel of messages of a type that robocache_ros_schema_text has ("sensor_msgs/msg/Imu"). metadata are a map of texts. Its id, or -1
 * when there are too many. */
gint mux_recording_add_channel (MuxRecording * recording, const gchar * topic, const gchar * type, const GByteArray * metadata);

/* The message's sequence is the channel's count. `in_next`: it goes into the file that mux_recording_open_next opened. FALSE: it is larger
 * than a chunk can be. */
gboolean mux_recording_add_message (MuxRecording * recording, gboolean in_next, guint channel, guint64 log_time,
    guint64 publish_time, gconstpointer data, gsize size);
/* Messages of a channel so far. */
guint32 mux_recording_get_sequence (const MuxRecording * recording, guint channel);
/* Whether as much waits to be written as may. */
gboolean mux_recording_is_full (const MuxRecording * recording);

/* Closes chunks that began that long before a log time, or all. */
void mux_recording_close_old_chunks (MuxRecording * recording, guint64 log_time);
void mux_recording_close_chunks (MuxRecording * recording);

/* Written behind the chunks so far, into each open file; in_each: and at the beginning of each file to come. metadata are a map of texts
 * and are taken. */
void mux_recording_add_metadata (MuxRecording * recording, const gchar * name, GByteArray * metadata, gboolean in_each);
/* Into each file, likewise. */
void mux_recording_attach (MuxRecording * recording, const gchar * name, const gchar * media_type, GBytes * data, guint64 log_time,
    guint64 create_time);

/* A file is open at first. Opens another one, for messages that are added with in_next; then closes the first, and the other one takes its
 * place. */
void mux_recording_open_next (MuxRecording * recording);
gboolean mux_recording_has_next (const MuxRecording * recording);
void mux_recording_close_first (MuxRecording * recording);
/* Both at once, where no message goes into the first any more: it is complete before the other one begins. */
void mux_recording_change_file (MuxRecording * recording);
/* Closes chunks and files. Nothing may be added afterwards. */
void mux_recording_finish (MuxRecording * recording);
/* Log time at which the first file's messages begin. FALSE: it has none. */
gboolean mux_recording_get_start (const MuxRecording * recording, guint64 * log_time);

/* ---- out ---- */

gboolean mux_recording_has_output (const MuxRecording * recording);
/* Returns the next output to write; NULL: none is ready. It counts as waiting until it is released. */
MuxOutput *mux_recording_pop (MuxRecording * recording);
void mux_recording_release (MuxRecording * recording, MuxOutput * output);

G_END_DECLS
#endif
