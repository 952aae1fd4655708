/* robocache: the element that reads a bag of ROS 2, and the clocks of its topics
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "bagclocks.h"

#include "common/time/clocks/clocksurvey.h"
#include "common/time/clocks/clockmap.h"
#include "common/time/clocks/clockgroups.h"
#include "examples/tools/program.h"

struct _BagClocks
{
  RobocacheClockMap *map;
  GVariant *clocks;             /* a(asxxdbb), see clocksurvey.h */
  gboolean is_one_timeline;     /* all topics are on the timeline */
};

/* ---- the source ---- */

GstElement *
bag_source_new (const Recording *bag, GError **error)
{
  GstElement *source = gst_element_factory_make ("robocachebagsrc", NULL);

  if (!source) {
    FAULT (error, "%s: this build has no robocachebagsrc, which needs libyaml, libzstd, liblz4 and zlib", bag->path);
    return NULL;
  }
  g_object_set (source, "location", bag->path, "clocks", bag->clocks, NULL);
  if (g_strcmp0 (bag->given[RECORDING_TIME_SOURCE], "log") == 0)
    gst_util_set_object_arg (G_OBJECT (source), "time-source", "log");
  for (RecordingOption option = RECORDING_TOPICS; option <= RECORDING_MAX_MESSAGE_BYTES; option++) {
    if (bag->given[option] && !recording_set_property (source, bag->path, option, bag->given[option], error)) {
      gst_object_unref (source);
      return NULL;
    }
  }
  return source;
}

/* The element names the path where it is about a file. */
void
bag_source_take_error (const Recording *bag, GstMessage *message, GError **error)
{
  gboolean has_path;
  GError *fault;

  gst_message_parse_error (message, &fault, NULL);
  has_path = g_str_has_prefix (fault->message, bag->path);
  FAULT (error, "%s%s%s", has_path ? "" : bag->path, has_path ? "" : ": ", fault->message);
  g_error_free (fault);
}

/* ---- what the element finds ---- */

static GstPadProbeReturn
drop (GstPad *pad, GstPadProbeInfo *info, gpointer user_data)
{
  return GST_PAD_PROBE_DROP;
}

/* The clocks are known before the first pad. Its data are dropped rather than blocked, since a pad may come while the source stops. */
static void
stop_at_pad (GstElement *source, GstPad *pad, gpointer user_data)
{
  gst_pad_add_probe (pad, GST_PAD_PROBE_TYPE_DATA_DOWNSTREAM, drop, NULL, NULL);
  gst_element_post_message (source, gst_message_new_application (GST_OBJECT (source), gst_structure_new_empty ("pad")));
}

/* Runs the source until it has found the clocks. A source without streams ends. */
static gboolean
run_source (GstElement *pipeline, const Recording *bag, GError **error)
{
  GstBus *bus = gst_element_get_bus (pipeline);
  GstMessage *message;
  gboolean ok;

  gst_element_set_state (pipeline, GST_STATE_PLAYING);
  message = gst_bus_timed_pop_filtered (bus, GST_CLOCK_TIME_NONE, GST_MESSAGE_APPLICATION | GST_MESSAGE_ERROR | GST_MESSAGE_EOS);
  ok = GST_MESSAGE_TYPE (message) != GST_MESSAGE_ERROR;
  if (!ok)
    bag_source_take_error (bag, message, error);
  gst_message_unref (message);
  gst_object_unref (bus);
  return ok;
}

/* Sets the text of a bag's clocks. */
static gboolean
find_clocks (Recording *bag, const gchar *timeline, GError **error)
{
  GstElement *pipeline, *source;
  GstStructure *stats = NULL;
  gboolean ok;

  g_free (bag->clocks);
  bag->clocks = g_strdup (timeline);
  source = bag_source_new (bag, error);
  if (!source)
    return FALSE;
  pipeline = gst_pipeline_new (NULL);
  gst_bin_add (GST_BIN (pipeline), source);
  g_signal_connect (source, "pad-added", G_CALLBACK (stop_at_pad), NULL);
  ok = run_source (pipeline, bag, error);
  g_object_get (source, "stats", &stats, NULL);
  gst_element_set_state (pipeline, GST_STATE_NULL);
  g_free (bag->clocks);
  bag->clocks = g_strdup (gst_structure_get_string (stats, "clocks"));
  gst_structure_free (stats);
  gst_object_unref (pipeline);
  return ok;
}

static GVariant *
parse (const Recording *bag)
{
  return g_variant_parse (G_VARIANT_TYPE_VARDICT, bag->clocks, NULL, NULL, NULL);
}

gchar **
bag_clocks_lines (const Recording *recording)
{
  GVariant *all = recording->clocks ? parse (recording) : NULL;
  gchar **lines = NULL;

  if (all)
    g_variant_lookup (all, "lines", "^as", &lines);
  for (guint i = 0; lines && lines[i]; i++) {
    gchar *line = printable (lines[i]);

    g_free (lines[i]);
    lines[i] = line;
  }
  g_clear_pointer (&all, g_variant_unref);
  return lines;
}

static void
print_lines (const Recording *bag, FILE *talk)
{
  gchar **lines = bag_clocks_lines (bag);

  for (guint i = 0; lines && lines[i]; i++)
    fprintf (talk, "%s: %s\n", bag->title, lines[i]);
  g_strfreev (lines);
}

/* ---- several bags ---- */

static RobocacheClockMap *
map_of (const Recording *bag)
{
  GVariant *all = parse (bag), *map = g_variant_lookup_value (all, "map", G_VARIANT_TYPE (ROBOCACHE_CLOCK_MAP_TYPE));
  RobocacheClockMap *clocks = robocache_clock_map_new (map);

  g_variant_unref (map);
  g_variant_unref (all);
  return clocks;
}

/* First time of a bag's topics on its timeline. */
static gint64
first_time (const Recording *bag)
{
  GVariant *all = parse (bag);
  gint64 first = G_MAXINT64, time;
  GVariantIter *topics;

  g_variant_lookup (all, "topics", "a(sxxx)", &topics);
  while (g_variant_iter_next (topics, "(&sxxx)", NULL, &time, NULL, NULL))
    first = MIN (first, time);
  g_variant_iter_free (topics);
  g_variant_unref (all);
  return first;
}

/* Whether the timelines of two bags are one clock: both differ equally from the recorder's. */
static gboolean
have_one_timeline (const Recording *a, const Recording *b)
{
  RobocacheClockMap *of_a = map_of (a), *of_b = map_of (b);
  const gint64 log_ns = robocache_clock_map_to_log (of_a, first_time (a));
  const gdouble difference = (gdouble) robocache_clock_map_log (of_a, log_ns) - (gdouble) robocache_clock_map_log (of_b, log_ns);

  robocache_clock_map_free (of_a);
  robocache_clock_map_free (of_b);
  return difference <= (gdouble) ROBOCACHE_CLOCK_AGREE && difference >= -(gdouble) ROBOCACHE_CLOCK_AGREE;
}

static gboolean
is_auto (const Recording *recording)
{
  return recording->is_bag && recording->clocks && g_strcmp0 (recording->given[RECORDING_TIME_SOURCE], "stamp") != 0;
}

/* Puts all bags on the recorder's clock where their timelines differ. */
static gboolean
join_timelines (const GPtrArray *recordings, GError **error)
{
  const Recording *first = NULL;
  gboolean is_one = TRUE, ok = TRUE;

  for (guint i = 0; i < recordings->len && is_one; i++) {
    const Recording *bag = g_ptr_array_index (recordings, i);

    if (!is_auto (bag))
      continue;
    is_one = !first || have_one_timeline (first, bag);
    first = first ? first : bag;
  }
  for (guint i = 0; i < recordings->len && !is_one && ok; i++) {
    Recording *bag = g_ptr_array_index (recordings, i);

    ok = !is_auto (bag) || find_clocks (bag, "recorder", error);
  }
  return ok;
}

/* What the element is to find for an option; "" for log times. NULL and an error: another value. */
static const gchar *
timeline_of (const Recording *bag, GError **error)
{
  const gchar *given = bag->given[RECORDING_TIME_SOURCE];

  if (!given || g_str_equal (given, "auto"))
    return "auto";
  if (g_str_equal (given, "stamp"))
    return "stamp";
  if (g_str_equal (given, "log"))
    return "";
  USAGE_FAULT (error, "%s: time-source=%s: expected auto, stamp or log", bag->path, given);
  return NULL;
}

gboolean
bag_clocks_find (const GPtrArray *recordings, FILE *talk, GError **error)
{
  for (guint i = 0; i < recordings->len; i++) {
    Recording *bag = g_ptr_array_index (recordings, i);
    const gchar *timeline;

    if (!bag->is_bag)
      continue;
    timeline = timeline_of (bag, error);
    if (!timeline || (*timeline && !find_clocks (bag, timeline, error)))
      return FALSE;
  }
  if (!join_timelines (recordings, error))
    return FALSE;
  for (guint i = 0; talk && i < recordings->len; i++) {
    const Recording *bag = g_ptr_array_index (recordings, i);

    if (bag->is_bag && bag->clocks)
      print_lines (bag, talk);
  }
  return TRUE;
}

/* ---- clocks of one bag ---- */

BagClocks *
bag_clocks_new (const Recording *bag)
{
  BagClocks *clocks;
  GVariant *all;

  if (!bag->clocks)
    return NULL;
  clocks = g_new0 (BagClocks, 1);
  clocks->map = map_of (bag);
  all = parse (bag);
  clocks->clocks = g_variant_lookup_value (all, "clocks", G_VARIANT_TYPE ("a(asxxdbb)"));
  clocks->is_one_timeline = is_auto (bag);
  g_variant_unref (all);
  return clocks;
}

void
bag_clocks_free (BagClocks *clocks)
{
  if (!clocks)
    return;
  robocache_clock_map_free (clocks->map);
  g_clear_pointer (&clocks->clocks, g_variant_unref);
  g_free (clocks);
}

gint64
bag_clocks_arrival (const BagClocks *clocks, gint64 log_ns)
{
  return robocache_clock_map_log (clocks ? clocks->map : NULL, log_ns);
}

gboolean
bag_clocks_get (const BagClocks *clocks, const gchar *topic, BagClock *clock)
{
  gboolean is_found = FALSE;
  const gchar **names;
  GVariantIter iter;

  if (!clocks || !clocks->clocks)
    return FALSE;
  *clock = (BagClock) { 0 };
  g_variant_iter_init (&iter, clocks->clocks);
  while (!is_found && g_variant_iter_next (&iter, "(^a&sxxdbb)", &names, &clock->shift, &clock->uncertainty, &clock->drift, &clock->is_timeline,
          &clock->is_recorder)) {
    is_found = g_strv_contains (names, topic);
    clock->number++;
    g_free (names);
  }
  return is_found;
}

guint
bag_clocks_number (const BagClocks *clocks, const gchar *topic)
{
  BagClock clock;

  return clocks && !clocks->is_one_timeline && bag_clocks_get (clocks, topic, &clock) && !clock.is_timeline ? clock.number : 0;
}
