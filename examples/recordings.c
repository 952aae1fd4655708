/* robocache: recordings as the streams of one robocachefuse
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "recordings.h"

#include <string.h>

#include "fault.h"

GPtrArray *
recordings_new (void)
{
  return g_ptr_array_new_with_free_func ((GDestroyNotify) recording_free);
}

gboolean
recordings_parse_rate (const gchar *text, gint *num, gint *den, GError **error)
{
  const gchar *slash = strchr (text, '/');
  gchar *number = slash ? g_strndup (text, (gsize) (slash - text)) : g_strdup (text);
  gint64 millionths = 0;
  guint64 divided_by = 1;
  gboolean ok;

  /* ms → ns is times 10^6 */
  ok = robocache_time_from_text (number, ROBOCACHE_TIME_UNIT_MS, &millionths) == ROBOCACHE_TIME_OK && millionths > 0
      && (!slash || g_ascii_string_to_unsigned (slash + 1, 10, 1, G_MAXINT / 1000000, &divided_by, NULL));
  if (ok) {
    const gint64 divisor = gst_util_greatest_common_divisor_int64 (millionths, (gint64) divided_by * 1000000);

    ok = millionths / divisor <= G_MAXINT;
    *num = (gint) (millionths / divisor);
    *den = (gint) ((gint64) divided_by * 1000000 / divisor);
  }
  if (!ok)
    FAULT (error, "--rate %s: expected a number of ticks a second above 0, or a fraction, like 100, 62.5 or 1000/3", text);
  g_free (number);
  return ok;
}

/* ---- what the user says ---- */

static gboolean
read_option_for_all (const gchar *name, const gchar *value, gpointer data, GError **error)
{
  gchar **for_all = data;
  const RecordingOption option = recording_option_by_name (name + strspn (name, "-"));

  g_free (for_all[option]);
  for_all[option] = g_strdup (value ? value : "true");
  return TRUE;
}

static void
add_options_for_all (GOptionGroup *group)
{
  for (guint i = 0; i < RECORDING_N_OPTIONS; i++) {
    const RecordingOptionInfo *info = &recording_options[i];
    const GOptionEntry entries[] = {
      {info->name, 0, info->placeholder ? 0 : G_OPTION_FLAG_NO_ARG, G_OPTION_ARG_CALLBACK,
          (gpointer) read_option_for_all, info->help, info->placeholder},
      {NULL}
    };

    if (info->for_all)
      g_option_group_add_entries (group, entries);
  }
}

static gchar *
describe_options_of_a_file (void)
{
  GString *text = g_string_new ("What holds for one file follows its name:\n"
      "  FILE,key=value,...    as in imu.csv,time-column=stamp_ns,channels=gx,gy,gz,max-gap=50ms\n");

  for (guint i = 0; i < RECORDING_N_OPTIONS; i++)
    g_string_append_printf (text, "    %-18s %s\n", recording_options[i].name, recording_options[i].help);
  g_string_append (text, "Times are in ns, or have a unit (20ms). Lists are like 0,3-6.");
  return g_string_free (text, FALSE);
}

GOptionContext *
recordings_option_context_new (const GOptionEntry *entries, gchar **for_all, const gchar *summary)
{
  GOptionContext *context = g_option_context_new (NULL);
  GOptionGroup *group = g_option_group_new ("recordings", "", "", for_all, NULL);
  gchar *description = describe_options_of_a_file ();

  g_option_group_add_entries (group, entries);
  add_options_for_all (group);
  g_option_context_set_main_group (context, group);
  g_option_context_set_summary (context, summary);
  g_option_context_set_description (context, description);
  g_free (description);
  return context;
}

/* Two files of one name are told apart by a number. */
static void
make_labels_unique (GPtrArray *recordings)
{
  for (guint i = 0; i < recordings->len; i++) {
    Recording *recording = g_ptr_array_index (recordings, i);
    gchar *stem = g_strdup (recording->label);

    for (guint j = 0, n = 2; j < i; j++) {
      if (!g_str_equal (((Recording *) g_ptr_array_index (recordings, j))->label, recording->label))
        continue;
      g_free (recording->label);
      recording->label = g_strdup_printf ("%s_%u", stem, n++);
      j = G_MAXUINT;            /* from the beginning: that name may be taken too */
    }
    g_free (stem);
  }
}

gboolean
recordings_take_arguments (GPtrArray *recordings, gchar **arguments, gchar *const *for_all, GError **error)
{
  for (guint i = 0; arguments[i]; i++) {
    Recording *recording = recording_new (arguments[i], error);

    if (!recording)
      return FALSE;
    for (guint option = 0; option < RECORDING_N_OPTIONS; option++) {
      if (!recording->given[option])
        recording->given[option] = g_strdup (for_all[option]);
    }
    g_ptr_array_add (recordings, recording);
  }
  make_labels_unique (recordings);
  return TRUE;
}

/* Running time 0 is the earliest row, as it is and as its offset makes it: neither may be before it. */
gboolean
recordings_find_span (const GPtrArray *recordings, gint64 *origin, gint64 *end, GError **error)
{
  *origin = G_MAXINT64;
  *end = G_MININT64;
  for (guint i = 0; i < recordings->len; i++) {
    const Recording *recording = g_ptr_array_index (recordings, i);
    gint64 offset = 0;

    if (recording->given[RECORDING_OFFSET] && !recording_parse_duration (recording->given[RECORDING_OFFSET], &offset)) {
      FAULT (error, "%s: offset=%s: expected a time in ns, or with a unit, like -20ms", recording->path,
          recording->given[RECORDING_OFFSET]);
      return FALSE;
    }
    *origin = MIN (*origin, recording->least_time + MIN (offset, 0));
    *end = MAX (*end, recording->greatest_time + MAX (offset, 0));
  }
  return TRUE;
}

/* ---- the pipeline ---- */

/* What a property takes, for people. */
static gchar *
describe_expected (GParamSpec *pspec)
{
  GString *text = g_string_new ("expected ");
  GEnumClass *choices;

  if (!G_IS_PARAM_SPEC_ENUM (pspec)) {
    g_string_append (text, G_IS_PARAM_SPEC_BOOLEAN (pspec) ? "true or false" : "a number");
    return g_string_free (text, FALSE);
  }
  choices = G_PARAM_SPEC_ENUM (pspec)->enum_class;
  for (guint i = 0; i < choices->n_values; i++)
    g_string_append_printf (text, i ? ", %s" : "%s", choices->values[i].value_nick);
  return g_string_free (text, FALSE);
}

/* Sets a property as the user wrote it. */
static gboolean
set_from_text (gpointer object, const Recording *recording, RecordingOption option, const gchar *text, GError **error)
{
  const RecordingOptionInfo *info = &recording_options[option];
  GParamSpec *pspec = g_object_class_find_property (G_OBJECT_GET_CLASS (object), info->name);
  GValue value = G_VALUE_INIT;
  gboolean ok = TRUE;
  gint64 ns;

  g_value_init (&value, pspec->value_type);
  if (info->is_duration) {
    ok = recording_parse_duration (text, &ns);
    g_value_set_int64 (&value, ok ? ns : 0);
    ok = ok && !g_param_value_validate (pspec, &value);
  } else if (G_VALUE_HOLDS_STRING (&value)) {
    g_value_set_string (&value, text);
  } else {
    ok = gst_value_deserialize (&value, text);
  }
  if (ok) {
    g_object_set_property (object, info->name, &value);
  } else {
    gchar *expected = info->is_duration ? g_strdup ("expected a time in ns, or with a unit, like 20ms") :
        describe_expected (pspec);

    FAULT (error, "%s: %s=%s: %s", recording->path, info->name, text, expected);
    g_free (expected);
  }
  g_value_unset (&value);
  return ok;
}

static gboolean
set_pad_options (GstPad *pad, const Recording *recording, RecordingsHow how, GError **error)
{
  if (recording->disorder > 0 && how == RECORDINGS_READ)        /* live, that would be latency */
    g_object_set (pad, "reorder-window", recording->disorder, NULL);
  if (recording->quaternions)
    g_object_set (pad, "quaternions", recording->quaternions, NULL);
  for (guint option = RECORDING_INTERPOLATION; option < RECORDING_N_OPTIONS; option++) {
    if (recording->given[option] && !set_from_text (pad, recording, option, recording->given[option], error))
      return FALSE;
  }
  return TRUE;
}

/* With arrival-column set the parser would replay, so the column is left out by naming all others. */
static void
leave_out_arrival (GstElement *parse, const Recording *recording)
{
  const guint n_columns = recording->n_channels + (recording->arrival_column == (gint) recording->time_column ? 1 : 2);
  GString *others = g_string_new (NULL);

  for (guint c = 0; c < n_columns; c++) {
    if (c != recording->time_column && (gint) c != recording->arrival_column)
      g_string_append_printf (others, others->len > 0 ? ",%u" : "%u", c);
  }
  g_object_set (parse, "channels", others->str, NULL);
  g_string_free (others, TRUE);
}

static GstElement *
make_parse (const Recording *recording, RecordingsHow how, gint64 origin)
{
  GstElement *parse = gst_element_factory_make ("robocacheparse", recording->label);

  g_object_set (parse, "time-column", recording->time_column, "time-unit", (gint) recording->time_unit, "time-origin",
      origin, "max-errors", -1, NULL);
  if (recording->given[RECORDING_DELIMITER])
    g_object_set (parse, "delimiter", recording->given[RECORDING_DELIMITER], NULL);
  if (how == RECORDINGS_REPLAY)
    g_object_set (parse, "arrival-column", recording->arrival_column, NULL);
  if (recording->given[RECORDING_CHANNELS])
    g_object_set (parse, "channels", recording->given[RECORDING_CHANNELS], NULL);
  else if (how == RECORDINGS_READ && recording->arrival_column >= 0)
    leave_out_arrival (parse, recording);
  return parse;
}

gboolean
recordings_add_stream (const GPtrArray *recordings, guint i, RecordingsHow how, GstElement *pipeline, GstElement *fuse,
    gint64 origin, GError **error)
{
  const Recording *recording = g_ptr_array_index (recordings, i);
  GstElement *source = gst_element_factory_make ("filesrc", NULL);
  GstElement *parse = make_parse (recording, how, origin);
  gchar *name = g_strdup_printf ("sink_%u", i);
  GstPad *pad = gst_element_request_pad_simple (fuse, name), *from = gst_element_get_static_pad (parse, "src");
  gboolean ok;

  g_object_set (source, "location", recording->path, NULL);
  gst_bin_add_many (GST_BIN (pipeline), source, parse, NULL);
  gst_element_link (source, parse);
  ok = gst_pad_link (from, pad) == GST_PAD_LINK_OK && set_pad_options (pad, recording, how, error);
  gst_object_unref (from);
  gst_object_unref (pad);
  g_free (name);
  return ok;
}

const gchar *
recordings_path_of_element (const gchar *name, gpointer data)
{
  const GPtrArray *recordings = data;

  for (guint i = 0; i < recordings->len; i++) {
    const Recording *recording = g_ptr_array_index (recordings, i);
    gchar *pad = g_strdup_printf ("sink_%u", i);
    const gboolean is_this = g_str_equal (name, pad) || g_str_equal (name, recording->label);

    g_free (pad);
    if (is_this)
      return recording->path;
  }
  return NULL;
}
