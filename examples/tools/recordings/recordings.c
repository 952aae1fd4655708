/* robocache: recordings as the streams of one robocachefuse
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "recordings.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "common/text/settingtext.h"
#include "common/text/timetext.h"
#include "examples/tools/program.h"

/* Ticks that are made without asking: about a gigabyte of CSV. */
#define MAX_TICKS_UNASKED 1e7

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
    USAGE_FAULT (error, "--rate %s: expected ticks per second above 0, or a fraction, like 100, 62.5 or 1000/3", text);
  g_free (number);
  return ok;
}

/* ---- options of the user ---- */

static gboolean
read_option_for_all (const gchar *name, const gchar *value, gpointer data, GError **error)
{
  gchar **for_all = ((RecordingsOptions *) data)->for_all;
  const RecordingOption option = recording_option_by_name (name + strspn (name, "-"));

  g_free (for_all[option]);
  for_all[option] = g_strdup (value ? value : "true");
  return TRUE;
}

static gboolean
has_option (const RecordingsOptions *options, RecordingOption option)
{
  return !options->only_surveys || option < RECORDING_INTERPOLATION || option == RECORDING_MAX_GAP;
}

static void
add_common_options (GOptionGroup *group, RecordingsOptions *options)
{
  const GOptionEntry common[] = {
    {"allow-gaps", 0, 0, G_OPTION_ARG_NONE, &options->allow_gaps, "align recordings that do not overlap in time", NULL},
    {"yes", 'y', 0, G_OPTION_ARG_NONE, &options->yes, "make a grid of more than 10^7 ticks without asking", NULL},
    {NULL}
  };

  if (!options->only_surveys)
    g_option_group_add_entries (group, common);
  for (guint i = 0; i < RECORDING_N_OPTIONS; i++) {
    const RecordingOptionInfo *info = &recording_options[i];
    const GOptionEntry entries[] = {
      {info->name, 0, info->placeholder ? 0 : G_OPTION_FLAG_NO_ARG, G_OPTION_ARG_CALLBACK,
          (gpointer) read_option_for_all, info->help, info->placeholder},
      {NULL}
    };

    if (info->for_all && has_option (options, i))
      g_option_group_add_entries (group, entries);
  }
}

static gchar *
describe_options_of_a_file (const RecordingsOptions *options)
{
  GString *text = g_string_new ("Options of one file follow its name:\n"
      "  FILE,key=value,...    as in imu.csv,time-column=stamp_ns,channels=gx,gy,gz,max-gap=50ms\n");

  for (guint i = 0; i < RECORDING_N_OPTIONS; i++)
    if (has_option (options, i))
      g_string_append_printf (text, "    %-18s %s\n", recording_options[i].name, recording_options[i].help);
  g_string_append (text, "A TIME has a unit: s, ms, us or ns, like 20ms or 0.5s. A LIST is like 0,3-6 or qx,qy.");
  return g_string_free (text, FALSE);
}

void
recordings_options_clear (RecordingsOptions *options)
{
  for (guint i = 0; i < RECORDING_N_OPTIONS; i++)
    g_clear_pointer (&options->for_all[i], g_free);
}

GOptionContext *
recordings_option_context_new (const GOptionEntry *entries, RecordingsOptions *options, const gchar *summary, const gchar *example)
{
  GOptionContext *context = program_option_context_new (summary, example);
  GOptionGroup *group = g_option_group_new ("recordings", "", "", options, NULL);
  gchar *description = describe_options_of_a_file (options);

  g_option_group_add_entries (group, entries);
  add_common_options (group, options);
  g_option_context_set_main_group (context, group);
  g_option_context_set_description (context, description);
  g_free (description);
  return context;
}

/* A label that no recording has yet, by the numbers that were given to each one before. */
static gchar *
unique_label (GHashTable *numbers, const gchar *label)
{
  guint number = GPOINTER_TO_UINT (g_hash_table_lookup (numbers, label));
  gchar *unique = g_strdup (label);

  for (; g_hash_table_contains (numbers, unique); number++) {
    g_free (unique);
    unique = g_strdup_printf ("%s_%u", label, number);
  }
  if (number > 0)
    g_hash_table_insert (numbers, g_strdup (label), GUINT_TO_POINTER (number));
  return unique;
}

void
recordings_make_labels_unique (GPtrArray *recordings)
{
  GHashTable *numbers = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);

  for (guint i = 0; i < recordings->len; i++) {
    Recording *recording = g_ptr_array_index (recordings, i);
    gchar *unique = unique_label (numbers, recording->label);

    g_free (recording->label);
    recording->label = unique;
    g_hash_table_insert (numbers, g_strdup (unique), GUINT_TO_POINTER (2));
  }
  g_hash_table_unref (numbers);
}

gboolean
recordings_take_arguments (GPtrArray *recordings, gchar **arguments, const RecordingsOptions *options, GError **error)
{
  for (guint i = 0; arguments[i]; i++) {
    Recording *recording = recording_new (arguments[i], error);

    if (!recording)
      return FALSE;
    for (guint option = 0; option < RECORDING_N_OPTIONS; option++) {
      if (!recording->given[option])
        recording->given[option] = g_strdup (options->for_all[option]);
    }
    g_ptr_array_add (recordings, recording);
  }
  recordings_make_labels_unique (recordings);
  return TRUE;
}

/* "-x.csv,time-unit=s" of a file -x.csv. Options of one letter stay options. */
static gboolean
is_file_like_option (const gchar *argument)
{
  gchar *path = g_strndup (argument, strcspn (argument, ","));
  const gboolean is = strlen (path) > 2 && *path == '-' && (g_file_test (argument, G_FILE_TEST_IS_REGULAR)
      || g_file_test (path, G_FILE_TEST_IS_REGULAR));

  g_free (path);
  return is;
}

gboolean
recordings_parse_options (GOptionContext *context, gchar **argv, GError **error)
{
  gchar **arguments = g_strdupv (argv);
  gboolean ok;

  for (guint i = 1; arguments[i]; i++) {
    if (is_file_like_option (arguments[i])) {
      gchar *path = g_strconcat ("./", arguments[i], NULL);

      g_free (arguments[i]);
      arguments[i] = path;
    }
  }
  ok = g_option_context_parse_strv (context, &arguments, error);
  g_strfreev (arguments);
  g_option_context_free (context);
  return ok;
}

/* An option about channels by number would mean others in a part of the columns. */
static gboolean
check_options_of_groups (const Recording *recording, GError **error)
{
  static const RecordingOption of_channels[] = { RECORDING_KINDS, RECORDING_QUATERNIONS, RECORDING_ANGLES, RECORDING_VELOCITIES };

  for (guint i = 0; i < G_N_ELEMENTS (of_channels); i++) {
    const gchar *value = recording->given[of_channels[i]];
    gchar *choices;

    if (!value || !*value || g_str_equal (value, "ignore"))
      continue;
    choices = g_strjoinv ("; channels=", recording->groups);
    FAULT (error, "%s: its columns have values in different rows, so %s=%s is ambiguous: give the file once for each group of "
        "columns, each with its own options: channels=%s", recording->path, recording_options[of_channels[i]].name, value, choices);
    g_free (choices);
    return FALSE;
  }
  return TRUE;
}

/* "joints.csv (q0, …)" */
static void
name_part (Recording *part)
{
  gchar *name = recording_channel_name (part, 0, FALSE);

  g_free (part->title);
  part->title = g_strdup_printf ("%s (%s%s)", part->path, name, part->n_channels > 1 ? ", …" : "");
  g_free (name);
}

gboolean
recordings_split (GPtrArray *recordings, guint i, guint *n, GError **error)
{
  Recording *whole = g_ptr_array_index (recordings, i);
  gboolean ok = TRUE;

  *n = whole->groups ? g_strv_length (whole->groups) : 1;
  if (*n <= 1)
    return TRUE;
  if (!check_options_of_groups (whole, error))
    return FALSE;
  whole = g_ptr_array_steal_index (recordings, i);
  for (guint k = 0; ok && k < *n; k++) {
    Recording *part = recording_new_of_columns (whole, whole->groups[k]);

    g_ptr_array_insert (recordings, (gint) (i + k), part);
    ok = recording_survey (part, error);
    if (ok)
      name_part (part);
  }
  recording_free (whole);
  recordings_make_labels_unique (recordings);
  return ok;
}

guint
recordings_n_channels (const GPtrArray *recordings)
{
  guint n = 0;

  for (guint i = 0; i < recordings->len; i++)
    n += ((const Recording *) g_ptr_array_index (recordings, i))->n_channels;
  return n;
}

/* ---- the grid ---- */

static void
find_span (const GPtrArray *recordings, RecordingsGrid *grid)
{
  grid->origin = G_MAXINT64;
  grid->end = G_MININT64;
  for (guint i = 0; i < recordings->len; i++) {
    const Recording *recording = g_ptr_array_index (recordings, i);

    grid->origin = MIN (grid->origin, recording->least_time);
    grid->end = MAX (grid->end, recording->greatest_time);
  }
}

/* Which options put two recordings on one clock. */
static const gchar *
advice_for (const Recording *a, const Recording *b)
{
  if (!a->is_bag || !b->is_bag)
    return "check time-column and time-unit, set offset if their clocks differ";
  return a->bag == b->bag ? "use --time-source auto to put their clocks on one timeline, use --time-source log for log times"
      : "use --time-source log for log times, set offset if their clocks differ";
}

static void
say_no_overlap (const Recording *earlier, const Recording *later, GError **error)
{
  gchar *end = recording_time_text (earlier->file_end), *begin = recording_time_text (later->file_begin);

  FAULT (error, "%s ends at %s and %s begins at %s, so they do not overlap: %s, or use --allow-gaps", earlier->title, end, later->title, begin,
      advice_for (earlier, later));
  g_free (end);
  g_free (begin);
}

static gboolean
check_overlap (const Recording *a, const Recording *b, GError **error)
{
  /* topics of a bag that are of one clock may be silent */
  if (a->bag > 0 && a->bag == b->bag && a->clock == b->clock)
    return TRUE;
  if (a->file_begin > b->file_end)
    say_no_overlap (b, a, error);
  else if (b->file_begin > a->file_end)
    say_no_overlap (a, b, error);
  else
    return TRUE;
  return FALSE;
}

static gboolean
check_overlaps (const GPtrArray *recordings, GError **error)
{
  for (guint i = 0; i < recordings->len; i++) {
    for (guint j = 0; j < i; j++) {
      if (!check_overlap (g_ptr_array_index (recordings, j), g_ptr_array_index (recordings, i), error))
        return FALSE;
    }
  }
  return TRUE;
}

static gboolean
ask (const gchar *question)
{
  gchar answer[8] = "";

  fprintf (stderr, "%s Go on? [y/N] ", question);
  fflush (stderr);
  return fgets (answer, sizeof (answer), stdin) && g_ascii_tolower (*answer) == 'y';
}

static gboolean
are_bags (const GPtrArray *recordings)
{
  gboolean are = TRUE;

  for (guint i = 0; i < recordings->len; i++)
    are &= ((const Recording *) g_ptr_array_index (recordings, i))->is_bag;
  return are;
}

static gboolean
check_length (const GPtrArray *recordings, const RecordingsGrid *grid, GError **error)
{
  const gdouble seconds = ((gdouble) grid->end - (gdouble) grid->origin) / 1e9, ticks = seconds * grid->rate_num / grid->rate_den;
  gchar *question;
  gboolean agreed;

  if (ticks <= MAX_TICKS_UNASKED)
    return TRUE;
  question = g_strdup_printf ("%.4g s at %d/%d Hz are %.3g ticks.", seconds, grid->rate_num, grid->rate_den, ticks);
  agreed = isatty (STDIN_FILENO) && ask (question);
  if (!agreed)
    FAULT (error, "%s %s, set a lower --rate, or use --yes", question, are_bags (recordings) ? "Choose topics=, check --time-source"
        : "Check time-column, time-unit and offset");
  g_free (question);
  return agreed;
}

gboolean
recordings_find_grid (const GPtrArray *recordings, const RecordingsOptions *options, RecordingsGrid *grid, GError **error)
{
  find_span (recordings, grid);
  return (options->allow_gaps || check_overlaps (recordings, error)) && (options->yes || check_length (recordings, grid, error));
}

/* ---- the pipeline ---- */

/* Sets a property as the user wrote it. */
static gboolean
set_from_text (gpointer object, const Recording *recording, RecordingOption option, const gchar *text, GError **error)
{
  GParamSpec *pspec = g_object_class_find_property (G_OBJECT_GET_CLASS (object), recording_options[option].name);
  GValue value = G_VALUE_INIT;
  GError *fault = NULL;
  gint64 ns;

  if (G_IS_PARAM_SPEC_INT64 (pspec) && robocache_duration_from_text (text, &ns) && !recording_parse_duration (text, &ns)) {
    USAGE_FAULT (error, "%s: %s=%s: expected a time with a unit, like %sms", recording->title, pspec->name, text, text);
    return FALSE;
  }
  if (!robocache_setting_from_text (pspec, text, &value, &fault)) {
    USAGE_FAULT (error, "%s: %s", recording->title, fault->message);
    g_error_free (fault);
    return FALSE;
  }
  g_object_set_property (object, pspec->name, &value);
  g_value_unset (&value);
  return TRUE;
}

gboolean
recordings_set_pad_options (GstPad *pad, const Recording *recording, gboolean is_live, GError **error)
{
  if (recording->disorder > 0 && !is_live)      /* live, that would be latency */
    g_object_set (pad, "reorder-window", recording->disorder, NULL);
  if (recording->kinds && !recording->is_bag && !recording->given[RECORDING_KINDS])
    g_object_set (pad, "kinds", recording->kinds, NULL);
  for (guint option = RECORDING_INTERPOLATION; option < RECORDING_N_OPTIONS; option++) {
    /* the times have their offset already */
    if (option != RECORDING_OFFSET && recording->given[option] && !set_from_text (pad, recording, option, recording->given[option], error))
      return FALSE;
  }
  return TRUE;
}

/* With arrival-column set the parser would replay, so the column is left out by naming all others. */
static void
leave_out_arrival (GstElement *parse, const Recording *recording)
{
  GString *others = g_string_new (NULL);

  for (guint i = 0; i < recording->columns->len; i++)
    g_string_append_printf (others, "%s%u", i > 0 ? "," : "", g_array_index (recording->columns, guint, i));
  g_object_set (parse, "channels", others->str, NULL);
  g_string_free (others, TRUE);
}

/* The columns that the survey chose, by numbers, and what the user wrote of their form. */
static void
set_times (GstElement *parse, const Recording *recording)
{
  const RobocacheTimeSource *times = &recording->times;
  gchar *columns = times->second >= 0 ? g_strdup_printf ("%u,%d", times->column, times->second) : g_strdup_printf ("%u", times->column);

  g_object_set (parse, "time-column", columns, NULL);
  g_free (columns);
  if (times->reading.form == ROBOCACHE_TIME_PARTS)
    g_object_set (parse, "time-unit", times->reading.second_unit, NULL);
  else
    g_object_set (parse, "time-unit", times->reading.unit, NULL);
  if (recording->given[RECORDING_TIME_FORMAT])
    g_object_set (parse, "time-format", recording->given[RECORDING_TIME_FORMAT], NULL);
  if (times->reading.form == ROBOCACHE_TIME_GPS && times->reading.leap_seconds >= 0)
    g_object_set (parse, "leap-seconds", times->reading.leap_seconds, NULL);
}

/* Its name has a number, and not the label: that may be the name of another element. */
static GstElement *
make_parse (const Recording *recording, guint i, gint64 origin)
{
  gchar *name = g_strdup_printf ("csv_%u", i);
  GstElement *parse = gst_element_factory_make ("robocacheparse", name);

  g_free (name);
  g_object_set (parse, "time-origin", recording_origin (recording, origin), "max-errors", -1, NULL);
  set_times (parse, recording);
  if (recording->given[RECORDING_DELIMITER])
    g_object_set (parse, "delimiter", recording->given[RECORDING_DELIMITER], NULL);
  if (recording->given[RECORDING_CHANNELS])
    g_object_set (parse, "channels", recording->given[RECORDING_CHANNELS], NULL);
  else if (recording->arrival_column >= 0)
    leave_out_arrival (parse, recording);
  if (recording->given[RECORDING_KINDS])
    g_object_set (parse, "kinds", recording->given[RECORDING_KINDS], NULL);
  return parse;
}

void
recordings_prepare_fuse (GstElement *fuse, const RecordingsOptions *options, const RecordingsGrid *grid)
{
  g_object_set (fuse, "rate", grid->rate_num, grid->rate_den, NULL);
  /* a plugin that is on the path already may not have it */
  if (options->allow_gaps && g_object_class_find_property (G_OBJECT_GET_CLASS (fuse), "allow-gaps"))
    g_object_set (fuse, "allow-gaps", TRUE, NULL);
}

gboolean
recordings_add_stream (const GPtrArray *recordings, guint i, GstElement *pipeline, GstElement *fuse, gint64 origin, GError **error)
{
  const Recording *recording = g_ptr_array_index (recordings, i);
  GstElement *source = gst_element_factory_make ("filesrc", NULL);
  GstElement *parse = make_parse (recording, i, origin);
  gchar *name = g_strdup_printf ("sink_%u", i);
  GstPad *pad = gst_element_request_pad_simple (fuse, name), *from = gst_element_get_static_pad (parse, "src");
  gboolean ok;

  /* its columns may be empty while those of another part are not */
  if (recording->is_part)
    g_object_set (fuse, "allow-gaps", TRUE, NULL);
  g_object_set (source, "location", recording->path, NULL);
  gst_bin_add_many (GST_BIN (pipeline), source, parse, NULL);
  gst_element_link (source, parse);
  ok = gst_pad_link (from, pad) == GST_PAD_LINK_OK && recordings_set_pad_options (pad, recording, FALSE, error);
  gst_object_unref (from);
  gst_object_unref (pad);
  g_free (name);
  return ok;
}

/* "sink_12": 12; FALSE: another name. */
static gboolean
has_number (const gchar *name, const gchar *prefix, guint64 *number)
{
  return g_str_has_prefix (name, prefix) && g_ascii_string_to_unsigned (name + strlen (prefix), 10, 0, G_MAXUINT, number, NULL);
}

const gchar *
recordings_path_of_element (const gchar *name, gpointer data)
{
  const GPtrArray *recordings = data;
  guint64 bag = 0, i;

  if (has_number (name, "sink_", &i) || has_number (name, "csv_", &i))
    return i < recordings->len ? ((const Recording *) g_ptr_array_index (recordings, i))->title : NULL;
  has_number (name, "bag_", &bag);
  for (guint k = 0; bag > 0 && k < recordings->len; k++) {
    const Recording *recording = g_ptr_array_index (recordings, k);

    if (recording->bag == bag)
      return recording->path;
  }
  return NULL;
}
