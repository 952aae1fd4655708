/* robocache: the thread that compresses chunks and writes files
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "output.h"

#include "common/element/elementtask.h"
#include "common/mcap/writer.h"

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
  MuxRecorder *recorder;
  GstTask *task;
  GRecMutex task_lock;
  OpenFile files[MAX_OPEN];
  GstFlowReturn flow;           /* not OK: nothing is written any more */
  /* lock of the element */
  gboolean is_stopping, has_ended;
};

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

  file->task->flow = file->task->recorder->functions->write (file->task->recorder->element, file->number, pieces, n_pieces, error);
  return file->task->flow == GST_FLOW_OK;
}

static gboolean
open_file (MuxOutputTask *task, const MuxOutput *output, GError **error)
{
  OpenFile *file = find_file (task, output->file);

  task->flow = task->recorder->functions->open_file (task->recorder->element, output->file, error);
  if (task->flow != GST_FLOW_OK)
    return FALSE;
  file->number = output->file;
  file->writer = robocache_mcap_writer_new (task->recorder->started.compression, write_pieces, file);
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
  task->flow = task->recorder->functions->close_file (task->recorder->element, output->file, output, error);
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

static void
end (MuxOutputTask *task)
{
  MuxRecorder *recorder = task->recorder;
  guint32 seqnum;

  g_mutex_lock (&recorder->lock);
  seqnum = recorder->end_seqnum;
  g_mutex_unlock (&recorder->lock);
  recorder->functions->end (recorder->element, seqnum);
}

static void
log_output (const MuxOutputTask *task, const MuxOutput *output)
{
  GstDebugCategory *category = task->recorder->category;
  GstElement *element = task->recorder->element;

  if (output->kind == MUX_WRITE_CHUNK)
    GST_CAT_DEBUG_OBJECT (category, element, "file %u gets a chunk: %" G_GUINT64_FORMAT " messages, %u bytes, log times %" G_GUINT64_FORMAT
        " to %" G_GUINT64_FORMAT "; %s", output->file, output->chunk->n_messages, output->chunk->records->len, output->chunk->start_time,
        output->chunk->end_time, output->why);
  else if (output->kind == MUX_WRITE_METADATA)
    GST_CAT_DEBUG_OBJECT (category, element, "file %u gets metadata %s, %u bytes", output->file, output->name, output->metadata->len);
  else if (output->kind == MUX_WRITE_ATTACHMENT)
    GST_CAT_DEBUG_OBJECT (category, element, "file %u gets attachment %s, %" G_GSIZE_FORMAT " bytes", output->file, output->name,
        g_bytes_get_size (output->data));
  else
    GST_CAT_DEBUG_OBJECT (category, element, "file %u %s", output->file, output->kind == MUX_OPEN_FILE ? "is opened"
        : output->kind == MUX_CLOSE_FILE ? "is completed" : "was the last one");
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
      end (task);
      return TRUE;
  }
}

/* Ends the streams. error is taken, or NULL. */
static void
fail (MuxOutputTask *task, GError *error)
{
  MuxRecorder *recorder = task->recorder;

  if (task->flow == GST_FLOW_OK)
    task->flow = GST_FLOW_ERROR;
  if (task->flow != GST_FLOW_FLUSHING && task->flow != GST_FLOW_EOS) {
    mux_recorder_fail (task->recorder, NULL, task->flow, error);
    return;
  }
  GST_CAT_INFO_OBJECT (recorder->category, recorder->element, "downstream answers %s: nothing more is written", gst_flow_get_name (task->flow));
  g_clear_error (&error);
  g_mutex_lock (&recorder->lock);
  if (recorder->flow == GST_FLOW_OK)
    recorder->flow = task->flow;
  g_cond_broadcast (&recorder->progress);
  g_mutex_unlock (&recorder->lock);
}

/* ---- the thread ---- */

/* The next output; NULL: the task ends. */
static MuxOutput *
wait_for_output (MuxOutputTask *task)
{
  MuxRecorder *recorder = task->recorder;
  MuxOutput *output = NULL;

  g_mutex_lock (&recorder->lock);
  while (!task->is_stopping && !(output = mux_recording_pop (recorder->recording)))
    g_cond_wait (&recorder->work, &recorder->lock);
  g_mutex_unlock (&recorder->lock);
  return output;
}

static void
release_output (MuxOutputTask *task, MuxOutput *output)
{
  MuxRecorder *recorder = task->recorder;

  g_mutex_lock (&recorder->lock);
  task->has_ended |= output->kind == MUX_END;
  mux_recording_release (recorder->recording, output);
  g_cond_broadcast (&recorder->progress);
  g_mutex_unlock (&recorder->lock);
}

static void
step (gpointer data)
{
  MuxOutputTask *task = data;
  MuxOutput *output = wait_for_output (task);
  GError *error = NULL;

  if (!output)
    return;
  log_output (task, output);
  if (task->flow == GST_FLOW_OK && !write_output (task, output, &error)) {
    finish_others (task, output->file);
    fail (task, error);
  }
  release_output (task, output);
}

MuxOutputTask *
mux_output_start (MuxRecorder *recorder)
{
  MuxOutputTask *task = g_new0 (MuxOutputTask, 1);
  gchar *name = g_strdup_printf ("%s:output", GST_OBJECT_NAME (recorder->element));

  task->recorder = recorder;
  task->flow = GST_FLOW_OK;
  for (guint i = 0; i < MAX_OPEN; i++)
    task->files[i].task = task;
  g_rec_mutex_init (&task->task_lock);
  task->task = robocache_element_task_new (recorder->element, &task->task_lock, step, task);
  gst_object_set_name (GST_OBJECT (task->task), name);
  gst_task_start (task->task);
  g_free (name);
  return task;
}

void
mux_output_drain (MuxRecorder *recorder)
{
  g_mutex_lock (&recorder->lock);
  while (!recorder->task->has_ended)
    g_cond_wait (&recorder->progress, &recorder->lock);
  g_mutex_unlock (&recorder->lock);
}

void
mux_output_stop (MuxOutputTask *task)
{
  MuxRecorder *recorder = task->recorder;

  gst_task_stop (task->task);
  g_mutex_lock (&recorder->lock);
  task->is_stopping = TRUE;
  g_cond_broadcast (&recorder->work);
  g_mutex_unlock (&recorder->lock);
  gst_task_join (task->task);
  gst_object_unref (task->task);
  for (guint i = 0; i < MAX_OPEN; i++)
    g_clear_pointer (&task->files[i].writer, robocache_mcap_writer_free);
  g_rec_mutex_clear (&task->task_lock);
  g_free (task);
}
