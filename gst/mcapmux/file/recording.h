/* robocache: a recording: makes chunks of files from channels and messages
 *
 * Messages go into the open chunk of a file. A chunk that is full or old is closed and queued, with other output, for another thread to
 * write. Between two fragments, two files may be open. The owner locks all calls.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "common/mcap/chunk.h"

typedef struct
{
  gsize chunk_size;             /* bytes of records at which a chunk is closed */
  guint64 chunk_duration_ns;    /* maximum difference of log times in a chunk; 0: unlimited */
  gsize max_queued;             /* bytes waiting to be written at which the recording is full */
  gsize max_message;            /* bytes; at most half of the maximum size of a chunk */
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
#define MUX_TAGS_METADATA "robocache.tags"

/* Number of messages of a topic in a file. */
typedef struct
{
  const gchar *topic, *type;    /* owned by the recording */
  guint64 n_messages;
} MuxTopicCount;

typedef struct
{
  MuxOutputKind kind;
  guint file;                   /* counts from 0 */
  RobocacheMcapChunk *chunk;
  gchar *name, *media_type;
  GByteArray *metadata;         /* names and values, as a map in MCAP's format */
  GBytes *data;
  guint64 log_time, create_time;
  const gchar *why;             /* the chunk was closed, for log lines; static */
  /* MUX_CLOSE_FILE: contents of the closed file */
  GArray *topics;               /* MuxTopicCount items */
  guint64 n_messages;
  guint64 start_time, end_time; /* log times; 0 without messages */
} MuxOutput;

typedef struct _MuxRecording MuxRecording;
MuxRecording *mux_recording_new (const MuxRecordingSettings * settings);
void mux_recording_free (MuxRecording * recording);

/* ---- in ---- */

/* Adds a channel for messages of a type that robocache_ros_schema_text knows ("sensor_msgs/msg/Imu"), or returns an equal channel.
 * metadata: a map of texts. Returns the id of the channel; -1: too many channels. */
gint mux_recording_add_channel (MuxRecording * recording, const gchar * topic, const gchar * type, const GByteArray * metadata);

/* Adds a message, whose sequence is the count of messages of its channel. `in_next`: to the file that mux_recording_open_next opened.
 * FALSE and an error: larger than max_message, or no memory. */
gboolean mux_recording_add_message (MuxRecording * recording, gboolean in_next, guint channel, guint64 log_time,
    guint64 publish_time, gconstpointer data, gsize size, GError ** error);
/* Number of messages of a channel so far. */
guint32 mux_recording_get_sequence (const MuxRecording * recording, guint channel);
/* Whether max_queued bytes wait to be written. */
gboolean mux_recording_is_full (const MuxRecording * recording);

/* Closes chunks that began chunk_duration_ns before a log time. */
void mux_recording_close_old_chunks (MuxRecording * recording, guint64 log_time);

/* Adds a metadata record after the chunks so far, to each open file; in_each: also at the beginning of each later file. metadata: a map
 * of texts (taken). */
void mux_recording_add_metadata (MuxRecording * recording, const gchar * name, GByteArray * metadata, gboolean in_each);
/* Adds an attachment to each open and later file. */
void mux_recording_attach (MuxRecording * recording, const gchar * name, const gchar * media_type, GBytes * data, guint64 log_time,
    guint64 create_time);

/* At first, one file is open. open_next opens another file, for messages that are added with in_next; close_first closes the first file,
 * and the other one replaces it. */
void mux_recording_open_next (MuxRecording * recording);
gboolean mux_recording_has_next (const MuxRecording * recording);
void mux_recording_close_first (MuxRecording * recording);
/* Does both at once, if no further message belongs to the first file: it is complete before the other one begins. */
void mux_recording_change_file (MuxRecording * recording);
/* Closes chunks and files. Nothing may be added afterwards. */
void mux_recording_finish (MuxRecording * recording);
/* Log time at which the first file's messages begin. FALSE: no messages. */
gboolean mux_recording_get_start (const MuxRecording * recording, guint64 * log_time);

/* ---- out ---- */

/* Whether the recording has a message, or is finished. Before that, it has no output, so nothing is written or pushed. */
gboolean mux_recording_has_begun (const MuxRecording * recording);
gboolean mux_recording_has_output (const MuxRecording * recording);
/* Returns the next output to write; NULL: none. The output counts as waiting until it is released. */
MuxOutput *mux_recording_pop (MuxRecording * recording);
void mux_recording_release (MuxRecording * recording, MuxOutput * output);
