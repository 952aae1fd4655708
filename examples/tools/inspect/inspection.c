/* robocache: what a file has, or a robot: its streams, and what cannot be read
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "inspection.h"

#include <glib/gstdio.h>
#include <string.h>

#include "common/tensors/tensorcaps.h"
#include "examples/tools/program.h"
#include "examples/tools/recordings/recordings.h"

/* Names of channels that a table shows. */
#define SHOWN_NAMES 3

/* ---- life ---- */

static void
free_stream (gpointer data)
{
  InspectedStream *stream = data;

  g_free (stream->name);
  g_free (stream->type);
  g_free (stream->kind);
  g_free (stream->shape);
  g_strfreev (stream->names);
  g_free (stream->kinds);
  g_free (stream->fault);
  g_free (stream);
}

Inspection *
inspection_new (const gchar *name, const gchar *kind)
{
  Inspection *inspection = g_new0 (Inspection, 1);

  inspection->name = printable (name);
  inspection->kind = kind;
  inspection->streams = g_ptr_array_new_with_free_func (free_stream);
  inspection->refused = g_ptr_array_new_with_free_func (g_free);
  inspection->notes = g_ptr_array_new_with_free_func (g_free);
  return inspection;
}

void
inspection_free (Inspection *inspection)
{
  g_free (inspection->name);
  g_ptr_array_unref (inspection->streams);
  g_ptr_array_unref (inspection->refused);
  g_ptr_array_unref (inspection->notes);
  g_free (inspection);
}

/* ---- kinds and shapes ---- */

gchar *
inspection_shape (guint n, gchar **names)
{
  GString *text = g_string_new (NULL);

  g_string_printf (text, "%u", n);
  for (guint i = 0; names && i < n && i <= SHOWN_NAMES; i++)
    g_string_append_printf (text, "%s%s", i == 0 ? ": " : ", ", i < SHOWN_NAMES ? names[i] : "…");
  return g_string_free (text, FALSE);
}

/* A list in caps, with names for people. */
static void
take_names (InspectedStream *stream, const gchar *list)
{
  stream->names = list && *list ? g_strsplit (list, ",", -1) : NULL;
  for (guint i = 0; stream->names && stream->names[i]; i++) {
    gchar *name = stream->names[i];

    stream->names[i] = printable (name);
    g_free (name);
  }
}

static void
take_cloud (InspectedStream *stream, const GstStructure *structure)
{
  take_names (stream, gst_structure_get_string (structure, "fields"));
  stream->n_channels = stream->names ? g_strv_length (stream->names) : 0;
  stream->kind = g_strdup ("cloud");
  stream->shape = inspection_shape (stream->n_channels, stream->names);
}

static void
take_picture (InspectedStream *stream, const GstStructure *structure, const gchar *media)
{
  const gchar *format = gst_structure_get_string (structure, "format");
  gint width = 0, height = 0;

  stream->kind = g_strdup (g_str_has_prefix (media, "image/") || g_str_equal (media, "video/x-raw") ? "picture" : "video");
  gst_structure_get (structure, "width", G_TYPE_INT, &width, "height", G_TYPE_INT, &height, NULL);
  if (width > 0)
    stream->shape = g_strdup_printf ("%dx%d %s", width, height, format ? format : media);
  else
    stream->shape = printable (media);
}

static void
take_tensors (InspectedStream *stream, const GstStructure *structure, const Recording *recording)
{
  const gchar *role = gst_structure_get_string (structure, "role"), *dimensions = gst_structure_get_string (structure, "dimensions");

  if (recording->n_channels == 0) {
    stream->kind = g_strdup (role ? role : "tensor");
    stream->shape = printable (dimensions ? dimensions : "");
    return;
  }
  stream->n_channels = recording->n_channels;
  stream->kind = g_strdup (role ? role : "row");
  stream->names = g_strdupv (recording->names);
  stream->shape = inspection_shape (stream->n_channels, stream->names);
}

/* caps NULL: rows of a table. */
static void
take_format (InspectedStream *stream, const Recording *recording)
{
  const GstStructure *structure = recording->caps ? gst_caps_get_structure (recording->caps, 0) : NULL;
  const gchar *media = structure ? gst_structure_get_name (structure) : NULL;

  if (!media) {
    stream->kind = g_strdup ("row");
    stream->n_channels = recording->n_channels;
    stream->names = g_strdupv (recording->names);
    stream->shape = inspection_shape (stream->n_channels, stream->names);
  } else if (g_str_equal (media, ROBOCACHE_TENSORS_MEDIA_TYPE)) {
    take_tensors (stream, structure, recording);
  } else if (g_str_equal (media, "application/x-pointcloud")) {
    take_cloud (stream, structure);
  } else if (g_str_has_prefix (media, "video/") || g_str_has_prefix (media, "image/")) {
    take_picture (stream, structure, media);
  } else {
    stream->kind = printable (media);
    stream->shape = g_strdup ("");
  }
}

/* ---- streams ---- */

InspectedStream *
inspection_add_stream (Inspection *inspection, const gchar *name, const gchar *type)
{
  InspectedStream *stream = g_new0 (InspectedStream, 1);

  stream->name = printable (name);
  stream->type = printable (type);
  g_ptr_array_add (inspection->streams, stream);
  return stream;
}

static InspectedStream *
add_stream (Inspection *inspection, const Recording *recording, const gchar *name, const gchar *type)
{
  InspectedStream *stream = inspection_add_stream (inspection, name, type);

  take_format (stream, recording);
  stream->kinds = g_strdup (recording->kinds);
  stream->n = recording->n_rows;
  stream->has_times = recording->has_times;
  stream->first = recording->least_time;
  stream->last = recording->greatest_time;
  stream->period = (gint64) (recording->step_s * 1e9 + 0.5);
  stream->spacings = recording->spacings;
  stream->disorder = recording->disorder;
  stream->n_malformed = recording->n_malformed;
  return stream;
}

/* ---- bags and live topics ---- */

/* The fields of a topic in stats; NULL: it has none. */
static const GstStructure *
find_topic (const GstStructure *stats, const gchar *name)
{
  const GValue *topics = stats ? gst_structure_get_value (stats, "topics") : NULL;

  for (guint i = 0; topics && i < gst_value_array_get_size (topics); i++) {
    const GstStructure *topic = gst_value_get_structure (gst_value_array_get_value (topics, i));

    if (g_strcmp0 (gst_structure_get_string (topic, "topic"), name) == 0)
      return topic;
  }
  return NULL;
}

static guint64
count_of (const GstStructure *topic, const gchar *field)
{
  guint64 n = 0;

  return topic && gst_structure_get_uint64 (topic, field, &n) ? n : 0;
}

static void
add_surveyed (Inspection *inspection, const StreamSurvey *survey, const SurveyedStream *surveyed)
{
  const Recording *recording = surveyed->recording;
  const GstStructure *topic = find_topic (survey->stats, recording->topic);
  const gchar *type = topic ? gst_structure_get_string (topic, "type") : NULL, *key = recording->stream + strlen (recording->topic);
  gchar *name = g_strndup (recording->stream, strlen (recording->topic) + (*key == ':' ? strcspn (key, "@") : 0));
  InspectedStream *stream = add_stream (inspection, recording, name, type ? type : "");

  stream->has_clock = bag_clocks_get (survey->clocks, recording->topic, &stream->clock);
  stream->n_malformed = count_of (topic, "malformed");
  stream->n_lost = count_of (topic, "messages-lost");
  stream->fault = surveyed->fault ? printable (surveyed->fault) : NULL;
  g_free (name);
}

/* Topics that were found, and from which no stream came. */
static void
add_silent_topics (Inspection *inspection, const StreamSurvey *survey)
{
  const GValue *topics = survey->stats ? gst_structure_get_value (survey->stats, "topics") : NULL;

  for (guint i = 0; topics && i < gst_value_array_get_size (topics); i++) {
    const GstStructure *topic = gst_value_get_structure (gst_value_array_get_value (topics, i));
    const gchar *name = gst_structure_get_string (topic, "topic"), *type = gst_structure_get_string (topic, "type");
    gboolean has_stream = count_of (topic, "messages") > 0;
    gchar *text, *begin = g_strdup_printf ("%s ", name);

    /* those that are refused have a note */
    for (guint k = 0; k < survey->notes->len; k++)
      has_stream |= g_str_has_prefix (g_ptr_array_index (survey->notes, k), begin);
    g_free (begin);
    if (has_stream)
      continue;
    text = g_strdup_printf ("%s of type %s: no message", name, type);
    g_ptr_array_add (inspection->refused, printable (text));
    g_free (text);
  }
}

Inspection *
inspection_new_of_survey (const StreamSurvey *survey, const gchar *kind)
{
  Inspection *inspection = inspection_new (survey->bag->path, kind);
  gchar **lines = bag_clocks_lines (survey->bag);

  for (guint i = 0; i < survey->streams->len; i++)
    add_surveyed (inspection, survey, g_ptr_array_index (survey->streams, i));
  for (guint i = 0; i < survey->notes->len; i++)
    g_ptr_array_add (inspection->refused, g_strdup (g_ptr_array_index (survey->notes, i)));
  add_silent_topics (inspection, survey);
  for (guint i = 0; i < survey->warnings->len; i++)
    g_ptr_array_add (inspection->notes, g_strdup (g_ptr_array_index (survey->warnings, i)));
  for (guint i = 0; lines && lines[i]; i++)
    g_ptr_array_add (inspection->notes, g_strdup (lines[i]));
  g_strfreev (lines);
  return inspection;
}

/* A bag of which nothing can be read has its topics, too. */
static Inspection *
inspect_bag (GPtrArray *recordings, GError **error)
{
  Recording *bag = g_ptr_array_index (recordings, 0);
  Inspection *inspection = NULL;
  StreamSurvey survey;
  GstElement *source = bag_source_new (bag, error);
  GError *fault = NULL;
  gboolean ok;

  if (!source)
    return NULL;
  if (bag_clocks_find (recordings, NULL, &fault))
    g_object_set (source, "clocks", bag->clocks, NULL);
  else
    g_clear_pointer (&bag->clocks, g_free);
  gst_util_set_object_arg (G_OBJECT (source), "start", "keep");
  ok = stream_survey_run (&survey, bag, source, FALSE, GST_CLOCK_TIME_NONE, error);
  if (ok || survey.notes->len > 0 || survey.streams->len > 0)
    inspection = inspection_new_of_survey (&survey, "bag");
  stream_survey_clear (&survey);
  /* a bag that cannot be read has failed twice */
  if (fault && ok)
    g_propagate_error (error, fault);
  else
    g_clear_error (&fault);
  return inspection;
}

Inspection *
inspection_new_of_topics (const RosOptions *options, const gchar *topics, GError **error)
{
  Recording *domain = recording_new ("ROS 2", error);
  Inspection *inspection = NULL;
  StreamSurvey survey;

  if (domain && ros_survey_run (&survey, domain, options, topics, error)) {
    inspection = inspection_new_of_survey (&survey, "live topics");
    stream_survey_clear (&survey);
  }
  g_clear_pointer (&domain, recording_free);
  return inspection;
}

/* ---- clouds ---- */

/* The format of robocacheparse by the first bytes of a file; NULL: it is not one of points. */
static const gchar *
cloud_format_of (const gchar *path)
{
  static const struct
  {
    const gchar *magic, *format;
  } formats[] = { {"# .PCD", "pcd"}, {"ply\n", "ply"}, {"ply\r", "ply"}, {"LASF", "las"} };
  gchar bytes[8] = "";
  FILE *file = g_fopen (path, "rb");
  const gchar *format = NULL;

  if (file && fread (bytes, 1, sizeof (bytes) - 1, file) > 0)
    for (guint i = 0; i < G_N_ELEMENTS (formats); i++)
      format = g_str_has_prefix (bytes, formats[i].magic) ? formats[i].format : format;
  g_clear_pointer (&file, fclose);
  return format;
}

static gsize
point_bytes (const GstStructure *structure, guint n_fields)
{
  const gchar *type = gst_structure_get_string (structure, "type");
  gint step = 0;

  if (gst_structure_get_int (structure, "point-step", &step))
    return (gsize) step;
  return n_fields * (g_strcmp0 (type, "float64") == 0 ? sizeof (gdouble) : g_strcmp0 (type, "float16") == 0 ? 2 : sizeof (gfloat));
}

static void
add_cloud (Inspection *inspection, const SurveyedStream *surveyed, const gchar *format)
{
  gchar *name = g_path_get_basename (inspection->name);
  InspectedStream *stream = add_stream (inspection, surveyed->recording, name, format);
  const gsize step = surveyed->recording->caps ? point_bytes (gst_caps_get_structure (surveyed->recording->caps, 0), stream->n_channels) : 0;

  if (step > 0)
    g_ptr_array_add (inspection->notes, g_strdup_printf ("%" G_GUINT64_FORMAT " points of %" G_GSIZE_FORMAT " bytes", surveyed->n_bytes / step, step));
  stream->has_times = FALSE;    /* a file has one cloud, at running time 0 */
  stream->fault = surveyed->fault ? printable (surveyed->fault) : NULL;
  g_free (name);
}

static Inspection *
inspect_cloud (Recording *recording, const gchar *format, GError **error)
{
  gchar *line = g_strdup_printf ("filesrc name=file ! robocacheparse format=%s", format);
  GstElement *source = gst_parse_bin_from_description (line, TRUE, error), *file;
  Inspection *inspection = NULL;
  StreamSurvey survey;

  g_free (line);
  if (!source)
    return NULL;
  file = gst_bin_get_by_name (GST_BIN (source), "file");
  g_object_set (file, "location", recording->path, NULL);
  gst_object_unref (file);
  if (stream_survey_run (&survey, recording, source, FALSE, GST_CLOCK_TIME_NONE, error)) {
    inspection = inspection_new (recording->path, "cloud");
    for (guint i = 0; i < survey.streams->len; i++)
      add_cloud (inspection, g_ptr_array_index (survey.streams, i), format);
    for (guint i = 0; i < survey.warnings->len; i++)
      g_ptr_array_add (inspection->notes, g_strdup (g_ptr_array_index (survey.warnings, i)));
  }
  stream_survey_clear (&survey);
  return inspection;
}

/* ---- tables ---- */

/* Adds the lines that a function writes. */
static void
add_lines (GPtrArray *texts, const Recording *recording, void (*write) (const Recording *, FILE *))
{
  gchar *text = NULL, **lines;
  gsize size = 0;
  FILE *out = open_memstream (&text, &size);

  write (recording, out);
  fclose (out);
  lines = g_strsplit (text, "\n", -1);
  for (guint i = 0; lines[i]; i++)
    if (*lines[i])
      g_ptr_array_add (texts, g_strdup (lines[i]));
  g_strfreev (lines);
  free (text);
}

static void
add_part (Inspection *inspection, const Recording *part)
{
  gchar *name = part->is_part && part->names ? g_strdup_printf ("%s (%s%s)", part->label, part->names[0], part->n_channels > 1 ? ", …" : "")
      : g_strdup (part->label);

  add_stream (inspection, part, name, "table");
  g_free (name);
  if (part->text_columns)
    g_ptr_array_add (inspection->refused, g_strdup_printf ("columns of text: %s", part->text_columns));
  if (part->first_fault) {
    gchar *fault = printable (part->first_fault);

    g_ptr_array_add (inspection->refused, g_strdup_printf ("%" G_GUINT64_FORMAT " malformed lines, the first: %s", part->n_malformed, fault));
    g_free (fault);
  }
  if (part->doubt)
    g_ptr_array_add (inspection->notes, printable (part->doubt));
}

static Inspection *
inspect_table (GPtrArray *recordings, GError **error)
{
  Recording *table = g_ptr_array_index (recordings, 0);
  Inspection *inspection;
  guint n;

  table->may_split = TRUE;
  if (!recording_survey (table, error))
    return NULL;
  inspection = inspection_new (table->path, "table");
  add_lines (inspection->notes, table, recording_describe_cells);
  if (!recordings_split (recordings, 0, &n, error)) {
    inspection_free (inspection);
    return NULL;
  }
  for (guint i = 0; i < recordings->len; i++)
    add_part (inspection, g_ptr_array_index (recordings, i));
  add_lines (inspection->notes, g_ptr_array_index (recordings, 0), recording_describe_time);
  return inspection;
}

Inspection *
inspection_new_of_file (Recording *recording, GError **error)
{
  const gchar *format = recording->is_bag ? NULL : cloud_format_of (recording->path);
  GPtrArray *recordings = recordings_new ();
  Inspection *inspection;

  g_ptr_array_add (recordings, recording);
  if (recording->is_bag)
    inspection = inspect_bag (recordings, error);
  else if (inspection_is_of_set (recording->path))
    inspection = inspection_new_of_set (recording->path, error);
  else if (format)
    inspection = inspect_cloud (recording, format, error);
  else
    inspection = inspect_table (recordings, error);
  g_ptr_array_unref (recordings);
  return inspection;
}
