/* robocache: the thread that compresses chunks and writes files
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "output.h"

#include "common/mcap/writer.h"
#include "debug.h"

#define PROFILE "ros2"
#define LIBRARY "robocache"

/* Files that are open at once: see recording.h. */
#define MAX_OPEN 2

typedef struct
{
  MuxOutputTask *task;
  guint number;
  RobocacheMcapWriter *writer;  /* NULL: not open */
} OpenFile;

struct _MuxOutputTask
{
  GstRobocacheMcapRecorder *recorder;
  GstTask *task;
  GRecMutex task_lock;
  OpenFile files[MAX_OPEN];
  GstFlowReturn flow;           /* not OK: nothing is written any more */
  /* lock of the element */
  gboolean is_stopping, has_ended;
};

static GstRobocacheMcapRecorderClass *
class_of (const MuxOutputTask *task)
{
  return GST_ROBOCACHE_MCAP_RECORDER_GET_CLASS (task->recorder);
}

/* ---- files ---- */

static OpenFile *
find_file (MuxOutputTask *task, guint number)
{
  return &task->files[number % MAX_OPEN];
}

static gboolean
write_pieces (gpointer user_data, const RobocacheMcapBytes *pieces, guint n_pieces, GError **error)
{
  const OpenFile *file = user_data;

  file->task->flow = class_of (file->task)->write (file->task->recorder, file->number, pieces, n_pieces, error);
  return file->task->flow == GST_FLOW_OK;
}

static gboolean
open_file (MuxOutputTask *task, const MuxOutput *output, GError **error)
{
  OpenFile *file = find_file (task, output->file);

  task->flow = class_of (task)->open_file (task->recorder, output->file, error);
  if (task->flow != GST_FLOW_OK)
    return FALSE;
  file->number = output->file;
  file->writer = robocache_mcap_writer_new (mux_recorder_state (task->recorder)->started.compression, write_pieces, file);
  return robocache_mcap_writer_begin (file->writer, PROFILE, LIBRARY, error);
}

static gboolean
close_file (MuxOutputTask *task, const MuxOutput *output, GError **error)
{
  OpenFile *file = find_file (task, output->file);
  const gboolean is_written = robocache_mcap_writer_finish (file->writer, error);

  g_clear_pointer (&file->writer, robocache_mcap_writer_free);
  if (!is_written)
    return FALSE;
  task->flow = class_of (task)->close_file (task->recorder, output->file, output, error);
  return task->flow == GST_FLOW_OK;
}

/* After a failure: what a record that was cut gave back may hold the ends of the other files. */
static void
finish_others (MuxOutputTask *task, guint failed)
{
  const GstFlowReturn flow = task->flow;

  for (guint i = 0; i < MAX_OPEN; i++)
    if (task->files[i].writer && task->files[i].number != failed)
      robocache_mcap_writer_finish (task->files[i].writer, NULL);
  task->flow = flow;
}

/* FALSE: task->flow says why, with an error if it is one. */
static gboolean
write_output (MuxOutputTask *task, const MuxOutput *output, GError **error)
{
  RobocacheMcapWriter *writer = find_file (task, output->file)->writer;

  switch (output->kind) {
    case MUX_OPEN_FILE:
      return open_file (task, output, error);
    case MUX_CLOSE_FILE:
      return close_file (task, output, error);
    case MUX_WRITE_CHUNK:
      return robocache_mcap_writer_add_chunk (writer, output->chunk, error);
    case MUX_WRITE_METADATA:
      return robocache_mcap_writer_add_metadata (writer, &(RobocacheMcapMetadata) {
          robocache_mcap_text (output->name), {output->metadata->data, output->metadata->len}}, error);
    case MUX_WRITE_ATTACHMENT:
      return robocache_mcap_writer_add_attachment (writer, &(RobocacheMcapAttachment) {
          output->log_time, output->create_time, robocache_mcap_text (output->name), robocache_mcap_text (output->media_type),
          {g_bytes_get_data (output->data, NULL), g_bytes_get_size (output->data)}}, error);
    default:
      class_of (task)->end (task->recorder);
      return TRUE;
  }
}

/* Ends the streams. error is taken, or NULL. */
static void
fail (MuxOutputTask *task, GError *error)
{
  MuxRecorderState *state = mux_recorder_state (task->recorder);

  if (task->flow == GST_FLOW_OK)
    task->flow = GST_FLOW_ERROR;
  if (task->flow != GST_FLOW_FLUSHING && task->flow != GST_FLOW_EOS) {
    mux_recorder_fail (task->recorder, NULL, task->flow, error);
    return;
  }
  g_clear_error (&error);
  g_mutex_lock (&state->lock);
  if (state->flow == GST_FLOW_OK)
    state->flow = task->flow;
  g_cond_broadcast (&state->progress);
  g_mutex_unlock (&state->lock);
}

/* ---- the thread ---- */

/* The next output; NULL: the task ends. */
static MuxOutput *
wait_for_output (MuxOutputTask *task)
{
  MuxRecorderState *state = mux_recorder_state (task->recorder);
  MuxOutput *output = NULL;

  g_mutex_lock (&state->lock);
  while (!task->is_stopping && !(output = mux_recording_pop (state->recording)))
    g_cond_wait (&state->work, &state->lock);
  g_mutex_unlock (&state->lock);
  return output;
}

static void
release_output (MuxOutputTask *task, MuxOutput *output)
{
  MuxRecorderState *state = mux_recorder_state (task->recorder);

  g_mutex_lock (&state->lock);
  task->has_ended |= output->kind == MUX_END;
  mux_recording_release (state->recording, output);
  g_cond_broadcast (&state->progress);
  g_mutex_unlock (&state->lock);
}

static void
step (gpointer data)
{
  MuxOutputTask *task = data;
  MuxOutput *output = wait_for_output (task);
  GError *error = NULL;

  if (!output)
    return;
  if (task->flow == GST_FLOW_OK && !write_output (task, output, &error)) {
    finish_others (task, output->file);
    fail (task, error);
  }
  release_output (task, output);
}

MuxOutputTask *
mux_output_start (GstRobocacheMcapRecorder *recorder)
{
  MuxOutputTask *task = g_new0 (MuxOutputTask, 1);
  gchar *name = g_strdup_printf ("%s:output", GST_OBJECT_NAME (recorder));

  task->recorder = recorder;
  task->flow = GST_FLOW_OK;
  for (guint i = 0; i < MAX_OPEN; i++)
    task->files[i].task = task;
  g_rec_mutex_init (&task->task_lock);
  task->task = gst_task_new (step, task, NULL);
  gst_object_set_name (GST_OBJECT (task->task), name);
  gst_task_set_lock (task->task, &task->task_lock);
  gst_task_start (task->task);
  g_free (name);
  return task;
}

void
mux_output_drain (GstRobocacheMcapRecorder *recorder)
{
  MuxRecorderState *state = mux_recorder_state (recorder);

  g_mutex_lock (&state->lock);
  while (!state->task->has_ended)
    g_cond_wait (&state->progress, &state->lock);
  g_mutex_unlock (&state->lock);
}

void
mux_output_stop (MuxOutputTask *task)
{
  MuxRecorderState *state = mux_recorder_state (task->recorder);

  gst_task_stop (task->task);
  g_mutex_lock (&state->lock);
  task->is_stopping = TRUE;
  g_cond_broadcast (&state->work);
  g_mutex_unlock (&state->lock);
  gst_task_join (task->task);
  gst_object_unref (task->task);
  for (guint i = 0; i < MAX_OPEN; i++)
    g_clear_pointer (&task->files[i].writer, robocache_mcap_writer_free);
  g_rec_mutex_clear (&task->task_lock);
  g_free (task);
}
