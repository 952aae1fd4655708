/* robocache: live topics of ROS 2 for programs: the options that choose them, and their survey
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "rossource.h"

#include <string.h>

#include "common/rospads/topicchoice.h"
#include "common/text/settingtext.h"
#include "examples/tools/program.h"

#define DEFAULT_WATCH "5s"

void
ros_options_add (GOptionContext *context, RosOptions *options)
{
  const GOptionEntry entries[] = {
    {"ros", 0, 0, G_OPTION_ARG_NONE, &options->is_live, "live topics of ROS 2: arguments are topics, names or globs (all)", NULL},
    {"domain", 0, 0, G_OPTION_ARG_INT, &options->domain, "domain of ROS 2 (ROS_DOMAIN_ID, or 0)", "N"},
    {"discovery", 0, 0, G_OPTION_ARG_STRING, &options->discovery, "hosts to talk to: subnet, localhost or off (the environment of ROS 2, or "
          "localhost)", "WHERE"},
    {"peers", 0, 0, G_OPTION_ARG_STRING, &options->peers, "other hosts to talk to, separated by semicolons (ROS_STATIC_PEERS)", "HOSTS"},
    {"watch", 0, 0, G_OPTION_ARG_STRING, &options->watch, "time to watch topics for their rates and kinds (" DEFAULT_WATCH ")", "TIME"},
    {"fields", 0, 0, G_OPTION_ARG_STRING, &options->fields, "numeric fields of types that have no row of their own, like pose.* (all)", "LIST"},
    {"joints", 0, 0, G_OPTION_ARG_STRING, &options->joints, "a stream for each group of joints, like shoulder,elbow;gripper (all)", "LIST"},
    {"msg-path", 0, 0, G_OPTION_ARG_STRING, &options->msg_path, "folders with the definitions of types that are not built in (none)", "FOLDERS"},
    {NULL}
  };

  g_option_group_add_entries (g_option_context_get_main_group (context), entries);
}

gboolean
ros_options_check (RosOptions *options, GError **error)
{
  if (!options->is_live && options->domain == -1 && !options->discovery && !options->peers && !options->fields && !options->joints
      && !options->msg_path && !options->watch)
    return TRUE;
  if (!options->is_live)
    USAGE_FAULT (error, "--domain, --discovery, --peers, --watch, --fields, --joints and --msg-path are options of live topics: use --ros, or write fields, "
        "joints and msg-path behind the name of a bag");
  else if (options->domain < -1 || options->domain > 232)
    USAGE_FAULT (error, "--domain %d: expected 0 to 232", options->domain);
  else if (!recording_parse_duration (options->watch ? options->watch : DEFAULT_WATCH, &options->watch_ns) || options->watch_ns <= 0)
    USAGE_FAULT (error, "--watch %s: expected a time above 0 with a unit, like 5s", options->watch);
  else
    return TRUE;
  return FALSE;
}

void
ros_options_clear (RosOptions *options)
{
  gchar **const texts[] = { &options->discovery, &options->peers, &options->fields, &options->joints, &options->msg_path, &options->watch };

  for (guint i = 0; i < G_N_ELEMENTS (texts); i++)
    g_clear_pointer (texts[i], g_free);
}

/* text NULL: the property keeps its default. */
static gboolean
set_property (GstElement *source, const gchar *name, const gchar *text, GError **error)
{
  GValue value = G_VALUE_INIT;

  if (!text)
    return TRUE;
  if (!robocache_setting_from_text (g_object_class_find_property (G_OBJECT_GET_CLASS (source), name), text, &value, error))
    return FALSE;
  g_object_set_property (G_OBJECT (source), name, &value);
  g_value_unset (&value);
  return TRUE;
}

GstElement *
ros_source_new (const RosOptions *options, const gchar *topics, GError **error)
{
  GstElement *source = gst_element_factory_make ("robocacherossrc", NULL);

  if (!source) {
    FAULT (error, "this build does not join live topics of ROS 2: build it with Cyclone DDS (package cyclonedds-dev), or record a bag, and name "
        "the bag");
    return NULL;
  }
  if (set_property (source, "discovery", options->discovery, error) && set_property (source, "peers", options->peers, error)
      && set_property (source, "fields", options->fields, error) && set_property (source, "joints", options->joints, error)
      && set_property (source, "msg-path", options->msg_path, error)) {
    g_object_set (source, "domain", options->domain, "topics", topics ? topics : "", NULL);
    return source;
  }
  gst_object_unref (source);
  return NULL;
}

/* By the argument that chose the topic, then by name: pads come in the order of their first messages. */
static gint
compare_streams (gconstpointer a, gconstpointer b, gpointer topics)
{
  const Recording *first = (*(SurveyedStream * const *) a)->recording, *second = (*(SurveyedStream * const *) b)->recording;
  const gint order = robocache_ros_topics_find (topics, first->topic) - robocache_ros_topics_find (topics, second->topic);

  return order != 0 ? order : strcmp (first->stream, second->stream);
}

gboolean
ros_survey_run (StreamSurvey *survey, Recording *domain, const RosOptions *options, const gchar *topics, GError **error)
{
  GstElement *source = ros_source_new (options, topics, error);
  gboolean ok;

  if (!source)
    return FALSE;
  /* any clock may have stamped them; what is missing is reported before the end */
  g_object_set (source, "time-origin", G_GINT64_CONSTANT (0), "max-future", (guint64) G_MAXINT64, "wait", (guint64) options->watch_ns / 4 * 3, NULL);
  ok = stream_survey_run (survey, domain, source, TRUE, (GstClockTime) options->watch_ns, error);
  if (ok)
    g_ptr_array_sort_with_data (survey->streams, compare_streams, (gpointer) topics);
  else
    stream_survey_clear (survey);
  return ok;
}
