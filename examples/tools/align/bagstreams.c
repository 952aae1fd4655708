/* robocache: streams of a bag of ROS 2 as recordings to align
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "align.h"

#ifdef HAVE_BAGS
#include "common/bags/bagmetadata.h"
#endif
#include "examples/tools/program.h"
#include "examples/tools/recordings/recordings.h"
#include "examples/tools/recordings/streamsurvey.h"

/* Rows that wait for those of another topic. */
#define QUEUE_BYTES (64u << 20)
/* Of robocachebagsrc. */
#define DEFAULT_TRANSPORT (2 * GST_SECOND)

/* ---- its files ---- */

/* The files of a folder with metadata; without metadata that can be read, the folder. */
static void
add_files (GPtrArray *inputs, const gchar *folder)
{
#ifdef HAVE_BAGS
  RobocacheBagInfo info;

  if (robocache_bag_info_read (&info, folder, NULL)) {
    for (gchar **path = info.paths; *path; path++)
      g_ptr_array_add (inputs, g_strdup (*path));
    robocache_bag_info_clear (&info);
    return;
  }
#endif
  g_ptr_array_add (inputs, g_strdup (folder));
}

/* Of SQLite, whose newest rows are beside the file. */
static void
add_files_beside (GPtrArray *inputs)
{
  static const gchar *const endings[] = { "-wal", "-shm", "-journal" };

  for (guint i = inputs->len; i-- > 0;) {
    for (guint k = 0; k < G_N_ELEMENTS (endings); k++)
      g_ptr_array_add (inputs, g_strconcat (g_ptr_array_index (inputs, i), endings[k], NULL));
  }
}

static void
add_folders (GPtrArray *inputs, const gchar *list)
{
  gchar **folders = g_strsplit (list ? list : "", ":", -1);

  for (guint i = 0; folders[i]; i++) {
    if (*folders[i])
      g_ptr_array_add (inputs, g_strdup (folders[i]));
  }
  g_strfreev (folders);
}

void
bag_streams_add_inputs (GPtrArray *inputs, const Recording *recording)
{
  const gboolean is_folder = g_file_test (recording->path, G_FILE_TEST_IS_DIR);
  gchar *folder;

  if (!recording->is_bag || !is_folder)
    g_ptr_array_add (inputs, g_strdup (recording->path));
  if (!recording->is_bag)
    return;
  if (is_folder)
    add_files (inputs, recording->path);
  add_files_beside (inputs);
  /* the metadata belong to the file, even where they are not read */
  folder = is_folder ? g_strdup (recording->path) : g_path_get_dirname (recording->path);
  g_ptr_array_add (inputs, g_build_filename (folder, "metadata.yaml", NULL));
  add_folders (inputs, recording->given[RECORDING_MSG_PATH]);
  g_free (folder);
}

/* ---- the survey ---- */

/* A number that no bag has yet. */
static guint
next_number (const GPtrArray *recordings)
{
  guint number = 1;

  for (guint i = 0; i < recordings->len; i++)
    number = MAX (number, ((Recording *) g_ptr_array_index (recordings, i))->bag + 1);
  return number;
}

/* Prints topics that are not read, and streams that are left out. */
static void
print_notes (const StreamSurvey *survey, FILE *talk)
{
  for (guint i = 0; i < survey->notes->len; i++)
    fprintf (talk, "%s: %s\n", survey->bag->title, (const gchar *) g_ptr_array_index (survey->notes, i));
  for (guint i = 0; i < survey->streams->len; i++) {
    const SurveyedStream *stream = g_ptr_array_index (survey->streams, i);
    gchar *fault = stream->fault ? printable (stream->fault) : NULL;

    if (fault)
      fprintf (talk, "%s is left out: %s\n", stream->recording->title, fault);
    g_free (fault);
  }
}

/* The streams that are aligned go to recordings, at position `at`; their number. */
static guint
take_streams (StreamSurvey *survey, GPtrArray *recordings, guint at, gboolean *ok, GError **error)
{
  const guint number = next_number (recordings);
  guint n = 0;

  for (guint i = 0; i < survey->streams->len; i++) {
    SurveyedStream *stream = g_ptr_array_index (survey->streams, i);

    if (stream->fault)
      continue;
    *ok = *ok && recording_apply_offset (stream->recording, error);
    stream->recording->bag = number;
    g_ptr_array_insert (recordings, (gint) (at + n++), g_steal_pointer (&stream->recording));
  }
  return n;
}

/* Replaces the bag by its streams. */
static gboolean
replace_bag (GPtrArray *recordings, guint at, guint *n, FILE *talk, GError **error)
{
  GstElement *source = bag_source_new (g_ptr_array_index (recordings, at), error);
  StreamSurvey survey;
  Recording *bag;
  gboolean ok;

  if (!source)
    return FALSE;
  bag = g_ptr_array_steal_index (recordings, at);
  gst_util_set_object_arg (G_OBJECT (source), "start", "keep");
  ok = stream_survey_run (&survey, bag, source, FALSE, GST_CLOCK_TIME_NONE, error);
  print_notes (&survey, talk);
  *n = ok ? take_streams (&survey, recordings, at, &ok, error) : 0;
  if (ok && *n == 0) {
    FAULT (error, "%s has no topic whose messages are rows of numbers", bag->path);
    ok = FALSE;
  }
  stream_survey_clear (&survey);
  recording_free (bag);
  return ok;
}

gboolean
bag_streams_survey (GPtrArray *recordings, FILE *talk, GError **error)
{
  if (!bag_clocks_find (recordings, talk, error))
    return FALSE;
  for (guint i = 0; i < recordings->len;) {
    guint n = 1;

    if (((Recording *) g_ptr_array_index (recordings, i))->is_bag && !replace_bag (recordings, i, &n, talk, error))
      return FALSE;
    i += n;
  }
  recordings_make_labels_unique (recordings);
  return TRUE;
}

/* ---- the pipeline ---- */

/* A stream that is linked to fuse. */
typedef struct
{
  const Recording *recording;
  GstPad *sinkpad;              /* of its queue */
  gint64 origin;
} Link;

static void
clear_link (gpointer link)
{
  gst_clear_object (&((Link *) link)->sinkpad);
}

/* Those of a bag. */
typedef struct
{
  GArray *links;                /* of Link */
  GHashTable *numbers;          /* of links, by stream */
} Links;

static Links *
links_new (void)
{
  Links *links = g_rc_box_new0 (Links);

  links->links = g_array_new (FALSE, FALSE, sizeof (Link));
  g_array_set_clear_func (links->links, clear_link);
  links->numbers = g_hash_table_new (g_str_hash, g_str_equal);
  return links;
}

static void
links_clear (gpointer data)
{
  Links *links = data;

  g_hash_table_unref (links->numbers);
  g_array_unref (links->links);
}

static const Link *
nth_link (const Links *links, guint i)
{
  return &g_array_index (links->links, Link, i);
}

static void
link_pad (GstElement *source, GstPad *pad, gpointer user_data)
{
  const Links *links = user_data;
  gchar *stream = stream_survey_stream_of_pad (pad);
  gpointer number;

  if (g_hash_table_lookup_extended (links->numbers, stream, NULL, &number)) {
    const Link *link = nth_link (links, GPOINTER_TO_UINT (number));

    if (!gst_pad_is_linked (link->sinkpad))
      gst_pad_link (pad, link->sinkpad);
  }
  g_free (stream);
}

/* Says that no row of a stream comes before its first one. */
static void
announce (const Link *link)
{
  const gint64 first = link->recording->least_time - link->recording->offset - link->origin;
  GstSegment segment;

  gst_segment_init (&segment, GST_FORMAT_TIME);
  gst_pad_send_event (link->sinkpad, gst_event_new_stream_start (link->recording->stream));
  gst_pad_send_event (link->sinkpad, gst_event_new_caps (link->recording->caps));
  gst_pad_send_event (link->sinkpad, gst_event_new_segment (&segment));
  if (first > 0)
    gst_pad_send_event (link->sinkpad, gst_event_new_gap (0, (guint64) first));
}

/* Streams that begin later, like another frame of /tf, would be waited for. */
static void
announce_late_streams (GstElement *source, gpointer user_data)
{
  const Links *links = user_data;

  for (guint i = 0; i < links->links->len; i++) {
    if (!gst_pad_is_linked (nth_link (links, i)->sinkpad))
      announce (nth_link (links, i));
  }
}

/* A queue before pad sink_`i` of fuse. */
static gboolean
add_link (Links *links, const GPtrArray *recordings, guint i, GstElement *pipeline, GstElement *fuse, gint64 origin, GError **error)
{
  GstElement *queue = gst_element_factory_make ("queue", NULL);
  Recording *recording = g_ptr_array_index (recordings, i);
  Link link = { recording, gst_element_get_static_pad (queue, "sink"), recording_origin (recording, origin) };
  gchar *name = g_strdup_printf ("sink_%u", i);
  GstPad *pad = gst_element_request_pad_simple (fuse, name), *from = gst_element_get_static_pad (queue, "src");
  gboolean ok;

  g_object_set (queue, "max-size-bytes", QUEUE_BYTES, "max-size-buffers", 0, "max-size-time", G_GUINT64_CONSTANT (0), NULL);
  gst_bin_add (GST_BIN (pipeline), queue);
  ok = gst_pad_link (from, pad) == GST_PAD_LINK_OK && recordings_set_pad_options (pad, link.recording, FALSE, error);
  g_hash_table_insert (links->numbers, link.recording->stream, GUINT_TO_POINTER (links->links->len));
  g_array_append_val (links->links, link);
  gst_object_unref (from);
  gst_object_unref (pad);
  g_free (name);
  return ok;
}

/* Names of topics, each once. */
static gchar *
list_topics (const Links *links)
{
  GString *list = g_string_new (NULL);
  GHashTable *listed = g_hash_table_new (g_str_hash, g_str_equal);

  for (guint i = 0; i < links->links->len; i++) {
    gchar *topic = nth_link (links, i)->recording->topic;

    if (g_hash_table_add (listed, topic))
      g_string_append_printf (list, "%s%s", list->len > 0 ? "," : "", topic);
  }
  g_hash_table_unref (listed);
  return g_string_free (list, FALSE);
}

static void
set_up_source (GstElement *source, const Links *links, gint64 origin)
{
  gchar *topics = list_topics (links);
  gchar *name = g_strdup_printf ("bag_%u", nth_link (links, 0)->recording->bag);
  gint64 max_lag = 0;

  for (guint i = 0; i < links->links->len; i++)
    max_lag = MAX (max_lag, nth_link (links, i)->recording->max_lag);
  gst_object_set_name (GST_OBJECT (source), name);
  g_free (name);
  g_object_set (source, "topics", topics, "time-origin", recording_origin (nth_link (links, 0)->recording, origin), "max-transport", MAX ((guint64) max_lag, DEFAULT_TRANSPORT), NULL);
  g_free (topics);
}

static void
unref_links (gpointer links, GClosure *closure)
{
  g_rc_box_release_full (links, links_clear);
}

gboolean
bag_streams_add (GPtrArray *recordings, guint i, GstElement *pipeline, GstElement *fuse, gint64 origin, GError **error)
{
  const Recording *first = g_ptr_array_index (recordings, i);
  GstElement *source;
  gboolean ok = TRUE;
  Links *links;

  if (i > 0 && ((Recording *) g_ptr_array_index (recordings, i - 1))->bag == first->bag)
    return TRUE;
  source = bag_source_new (first, error);
  if (!source)
    return FALSE;
  /* a topic may end before another begins */
  g_object_set (fuse, "allow-gaps", TRUE, NULL);
  links = links_new ();
  gst_bin_add (GST_BIN (pipeline), source);
  for (guint k = i; ok && k < recordings->len && ((Recording *) g_ptr_array_index (recordings, k))->bag == first->bag; k++)
    ok = add_link (links, recordings, k, pipeline, fuse, origin, error);
  set_up_source (source, links, origin);
  g_signal_connect_data (source, "pad-added", G_CALLBACK (link_pad), g_rc_box_acquire (links), unref_links, 0);
  g_signal_connect_data (source, "no-more-pads", G_CALLBACK (announce_late_streams), links, unref_links, 0);
  return ok;
}
