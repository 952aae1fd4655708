/* robocache: robocachemcapsink, streams into MCAP files on a disk
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
/**
 * SECTION:element-robocachemcapsink
 * @title: robocachemcapsink
 *
 * Records as robocachemcapmux does, and writes the files itself: each chunk as soon as it is closed, and to the disk every
 * sync-interval, so that a crash loses at most a second. Also in fragments, and as a folder that ros2 bag plays.
 *
 * |[
 * gst-launch-1.0 -e robocachemcapsink name=record location=run.mcap sink_0::topic=/joint_states \
 *     robocachetestsrc kind=proprio is-live=true ! record.sink_0 \
 *     v4l2src ! image/jpeg ! record.sink_1
 * ]|
 */
#include "gstrobocachemcapsink.h"

#include "common/element/propertytypes.h"
#include "file/bagfolder.h"
#include "file/diskfile.h"
#include "file/filenames.h"
#include "file/target.h"
#include "element.h"
#include "preroll.h"

GST_DEBUG_CATEGORY_STATIC (mcap_sink_debug);
#define GST_CAT_DEFAULT mcap_sink_debug

#define DEFAULT_SYNC_INTERVAL GST_SECOND

typedef enum
{
  LAYOUT_FILE,
  LAYOUT_ROSBAG2
} Layout;

enum
{
  PROP_LOCATION = MUX_FIRST_OWN_PROPERTY,
  PROP_SYNC_INTERVAL,
  PROP_FRAGMENT_DURATION,
  PROP_LAYOUT,
  PROP_OVERWRITE
};

#define GST_TYPE_ROBOCACHE_MCAP_SINK (gst_robocache_mcap_sink_get_type ())
G_DECLARE_FINAL_TYPE (GstRobocacheMcapSink, gst_robocache_mcap_sink, GST, ROBOCACHE_MCAP_SINK, GstRobocacheMcapRecorder)

typedef struct
{
  gchar *location;
  GstClockTime sync_interval;
  gint layout;
  gboolean overwrite;
} Settings;

struct _GstRobocacheMcapSink
{
  GstRobocacheMcapRecorder parent;
  Settings settings;            /* object lock */
  Settings started;             /* constant while started */

  /* the output task while it runs */
  MuxTarget *target;            /* also start and stop */
  MuxDiskFile *files[2];        /* by number modulo 2 */
  MuxBag *bag;                  /* NULL: no bag */

  /* lock of the recorder */
  gboolean must_post_eos;       /* once PLAYING */
};

static ROBOCACHE_DEFINE_ENUM (layout_get_type, "GstRobocacheMcapLayout",
    {LAYOUT_FILE, "Files", "file"},
    {LAYOUT_ROSBAG2, "A folder with metadata.yaml, which ros2 bag plays", "rosbag2"})

G_DEFINE_TYPE_WITH_CODE (GstRobocacheMcapSink, gst_robocache_mcap_sink, GST_TYPE_ROBOCACHE_MCAP_RECORDER,
    gst_type_mark_as_plugin_api (layout_get_type (), 0))
GST_ELEMENT_REGISTER_DEFINE (robocachemcapsink, "robocachemcapsink", GST_RANK_NONE, GST_TYPE_ROBOCACHE_MCAP_SINK);

/* ---- files ---- */

static GstFlowReturn
open_file (GstElement *element, guint number, GError **error)
{
  GstRobocacheMcapSink *sink = GST_ROBOCACHE_MCAP_SINK (element);
  int descriptor = -1;
  gchar *path;

  if (number > 0 || mux_target_open (sink->target, error))
    descriptor = mux_target_create_file (sink->target, number, error);
  if (descriptor < 0)
    return GST_FLOW_ERROR;
  path = mux_target_get_path (sink->target, number);
  GST_INFO_OBJECT (sink, "file %u is %s, synchronized every %" GST_TIME_FORMAT, number, path, GST_TIME_ARGS (sink->started.sync_interval));
  sink->files[number % 2] = mux_disk_file_new (descriptor, path, sink->started.sync_interval);
  g_free (path);
  return GST_FLOW_OK;
}

static GstFlowReturn
write_pieces (GstElement *element, guint number, const RobocacheMcapBytes *pieces, guint n_pieces, GError **error)
{
  GstRobocacheMcapSink *sink = GST_ROBOCACHE_MCAP_SINK (element);

  return mux_disk_file_write (sink->files[number % 2], pieces, n_pieces, error) ? GST_FLOW_OK : GST_FLOW_ERROR;
}

static void
post_file (GstRobocacheMcapSink *sink, const gchar *path, const MuxOutput *closed)
{
  gst_element_post_message (GST_ELEMENT (sink), gst_message_new_element (GST_OBJECT (sink),
          gst_structure_new ("robocachemcapsink-file", "location", G_TYPE_STRING, path, "start-time", G_TYPE_UINT64, closed->start_time,
              "end-time", G_TYPE_UINT64, closed->end_time, NULL)));
}

/* metadata.yaml as it is now, in place of the one before at once. */
static gboolean
write_bag (GstRobocacheMcapSink *sink, guint number, const MuxOutput *closed, GError **error)
{
  const gchar *folder = mux_target_get_folder (sink->target);
  gchar *name = mux_bag_file_name (folder, number), *path, *yaml;
  GError *fault = NULL;

  mux_bag_add_file (sink->bag, name, closed);
  path = g_build_filename (folder, "metadata.yaml", NULL);
  yaml = mux_bag_describe (sink->bag);
  GST_DEBUG_OBJECT (sink, "%s describes %u files", path, number + 1);
  if (!g_file_set_contents (path, yaml, -1, &fault)) {
    g_set_error_literal (error, GST_RESOURCE_ERROR, g_error_matches (fault, G_FILE_ERROR, G_FILE_ERROR_NOSPC)
        ? GST_RESOURCE_ERROR_NO_SPACE_LEFT : GST_RESOURCE_ERROR_WRITE, fault->message);
    g_error_free (fault);
  }
  g_free (yaml);
  g_free (path);
  g_free (name);
  return *error == NULL;
}

static GstFlowReturn
close_file (GstElement *element, guint number, const MuxOutput *closed, GError **error)
{
  GstRobocacheMcapSink *sink = GST_ROBOCACHE_MCAP_SINK (element);
  gboolean is_good = mux_disk_file_close (g_steal_pointer (&sink->files[number % 2]), error);
  gchar *path;

  if (is_good && sink->bag)
    is_good = write_bag (sink, number, closed, error);
  if (!is_good)
    return GST_FLOW_ERROR;
  path = mux_target_get_path (sink->target, number);
  GST_INFO_OBJECT (sink, "file %u is closed: %" G_GUINT64_FORMAT " messages of %u topics, log times %" G_GUINT64_FORMAT " to %" G_GUINT64_FORMAT
      ", in %s", number, closed->n_messages, closed->topics->len, closed->start_time, closed->end_time, path);
  post_file (sink, path, closed);
  g_free (path);
  return GST_FLOW_OK;
}

static void
post_eos (GstRobocacheMcapSink *sink, guint32 seqnum)
{
  GstMessage *message = gst_message_new_eos (GST_OBJECT (sink));

  if (seqnum != GST_SEQNUM_INVALID)
    gst_message_set_seqnum (message, seqnum);
  gst_element_post_message (GST_ELEMENT (sink), message);
}

static void
end (GstElement *element, guint32 seqnum)
{
  GstRobocacheMcapSink *sink = GST_ROBOCACHE_MCAP_SINK (element);
  MuxRecorder *recorder = mux_element_get_recorder (sink);
  gboolean is_playing;

  g_mutex_lock (&recorder->lock);
  is_playing = recorder->is_playing;
  sink->must_post_eos = !is_playing;
  g_mutex_unlock (&recorder->lock);
  GST_DEBUG_OBJECT (sink, "all files are closed: EOS is posted %s", is_playing ? "now" : "in PLAYING");
  if (is_playing)
    post_eos (sink, seqnum);
}

/* ---- life of a recording ---- */

static gboolean
start (GstElement *element, GError **error)
{
  GstRobocacheMcapSink *sink = GST_ROBOCACHE_MCAP_SINK (element);
  const gboolean is_split = mux_element_get_recorder (sink)->started_fragment_duration > 0;
  gboolean is_good;

  GST_OBJECT_LOCK (sink);
  sink->started = sink->settings;
  sink->started.location = g_strdup (sink->settings.location);
  GST_OBJECT_UNLOCK (sink);
  sink->must_post_eos = FALSE;
  is_good = mux_target_start (sink->target, &(MuxTargetSettings) {
      sink->started.location, sink->started.layout == LAYOUT_ROSBAG2, is_split, sink->started.overwrite}, error);
  GST_DEBUG_OBJECT (sink, "location=%s, %s, a fragment every %" GST_TIME_FORMAT "%s: %s", GST_STR_NULL (sink->started.location),
      sink->started.layout == LAYOUT_ROSBAG2 ? "a folder" : "files", GST_TIME_ARGS (mux_element_get_recorder (sink)->started_fragment_duration),
      sink->started.overwrite ? ", overwritten" : "", is_good ? "can be written" : "is refused");
  g_clear_pointer (&sink->started.location, g_free);
  if (is_good && sink->started.layout == LAYOUT_ROSBAG2)
    sink->bag = mux_bag_new ();
  return is_good;
}

static void
stop (GstElement *element)
{
  GstRobocacheMcapSink *sink = GST_ROBOCACHE_MCAP_SINK (element);

  for (guint i = 0; i < G_N_ELEMENTS (sink->files); i++)
    if (sink->files[i]) {
      GST_WARNING_OBJECT (sink, "the file is incomplete: the recording was stopped or failed before its end");
      mux_disk_file_close (g_steal_pointer (&sink->files[i]), NULL);
    }
  mux_target_stop (sink->target);
  g_clear_pointer (&sink->bag, mux_bag_free);
}

static GstStateChangeReturn
change_state (GstElement *element, GstStateChange transition)
{
  GstRobocacheMcapSink *sink = GST_ROBOCACHE_MCAP_SINK (element);
  MuxRecorder *recorder = mux_element_get_recorder (sink);
  const GstStateChangeReturn changed = GST_ELEMENT_CLASS (gst_robocache_mcap_sink_parent_class)->change_state (element, transition);
  gboolean must_post;
  guint32 seqnum;

  if (transition != GST_STATE_CHANGE_PAUSED_TO_PLAYING)
    return changed;
  g_mutex_lock (&recorder->lock);
  must_post = sink->must_post_eos;
  sink->must_post_eos = FALSE;
  seqnum = recorder->end_seqnum;
  g_mutex_unlock (&recorder->lock);
  if (must_post)
    post_eos (sink, seqnum);
  return changed;
}

/* ---- events and queries of the pipeline ---- */

typedef struct
{
  gpointer item;                /* an event or a query */
  gboolean is_handled;
} Asked;

static gboolean
send_upstream (GstElement *element, GstPad *pad, gpointer data)
{
  Asked *asked = data;

  asked->is_handled |= gst_pad_push_event (pad, gst_event_ref (asked->item));
  return TRUE;
}

/* To the sources of all pads: of a seek each that can follows. */
static gboolean
send_event (GstElement *element, GstEvent *event)
{
  Asked asked = { event, GST_EVENT_TYPE (event) == GST_EVENT_LATENCY };

  GST_DEBUG_OBJECT (element, "%" GST_PTR_FORMAT, event);
  mux_preroll_hold (mux_element_get_recorder (element));
  if (GST_EVENT_IS_UPSTREAM (event))
    gst_element_foreach_sink_pad (element, send_upstream, &asked);
  mux_preroll_unhold (mux_element_get_recorder (element));
  GST_DEBUG_OBJECT (element, "%s of %u sources handle %s", asked.is_handled ? "some" : "none", element->numsinkpads,
      GST_EVENT_TYPE_NAME (event));
  gst_event_unref (event);
  return asked.is_handled;
}

static gboolean
add_latency (GstElement *element, GstPad *pad, gpointer data)
{
  GstQuery *query = gst_query_new_latency ();
  Asked *asked = data;
  GstClockTime min, max, pad_min, pad_max;
  gboolean is_live, pad_is_live;

  if (gst_pad_peer_query (pad, query)) {
    gst_query_parse_latency (query, &pad_is_live, &pad_min, &pad_max);
    gst_query_parse_latency (asked->item, &is_live, &min, &max);
    GST_DEBUG_OBJECT (pad, "the source is %s, latency %" GST_TIME_FORMAT " to %" GST_TIME_FORMAT, pad_is_live ? "live" : "not live",
        GST_TIME_ARGS (pad_min), GST_TIME_ARGS (pad_max));
    if (pad_is_live)
      gst_query_set_latency (asked->item, TRUE, is_live ? MAX (min, pad_min) : pad_min, is_live ? MIN (max, pad_max) : pad_max);
    asked->is_handled = TRUE;
  }
  gst_query_unref (query);
  return TRUE;
}

static gboolean
ask_peer (GstElement *element, GstPad *pad, gpointer data)
{
  Asked *asked = data;

  asked->is_handled = gst_pad_peer_query (pad, asked->item);
  return !asked->is_handled;
}

/* Of the first source that answers; the latency is one for all live ones. */
static gboolean
answer_query (GstElement *element, GstQuery *query)
{
  Asked asked = { query, FALSE };

  if (GST_QUERY_TYPE (query) == GST_QUERY_LATENCY) {
    gst_query_set_latency (query, FALSE, 0, GST_CLOCK_TIME_NONE);
    gst_element_foreach_sink_pad (element, add_latency, &asked);
  } else {
    gst_element_foreach_sink_pad (element, ask_peer, &asked);
  }
  return asked.is_handled;
}

/* ---- properties ---- */

static gpointer
field_of (GstRobocacheMcapSink *sink, guint id)
{
  switch (id) {
    case PROP_LOCATION:
      return &sink->settings.location;
    case PROP_SYNC_INTERVAL:
      return &sink->settings.sync_interval;
    case PROP_FRAGMENT_DURATION:
      return &mux_element_get_recorder (sink)->fragment_duration;
    case PROP_LAYOUT:
      return &sink->settings.layout;
    default:
      return &sink->settings.overwrite;
  }
}

static void
set_property (GObject *object, guint id, const GValue *value, GParamSpec *pspec)
{
  if (id < MUX_FIRST_OWN_PROPERTY) {
    G_OBJECT_CLASS (gst_robocache_mcap_sink_parent_class)->set_property (object, id, value, pspec);
    return;
  }
  GST_OBJECT_LOCK (object);
  robocache_setting_set (field_of (GST_ROBOCACHE_MCAP_SINK (object), id), value);
  GST_OBJECT_UNLOCK (object);
  robocache_warn_of_late_setting (object, pspec);
}

static void
get_property (GObject *object, guint id, GValue *value, GParamSpec *pspec)
{
  if (id < MUX_FIRST_OWN_PROPERTY) {
    G_OBJECT_CLASS (gst_robocache_mcap_sink_parent_class)->get_property (object, id, value, pspec);
    return;
  }
  GST_OBJECT_LOCK (object);
  robocache_setting_get (field_of (GST_ROBOCACHE_MCAP_SINK (object), id), value);
  GST_OBJECT_UNLOCK (object);
}

/* ---- life ---- */

static void
finalize (GObject *object)
{
  GstRobocacheMcapSink *sink = GST_ROBOCACHE_MCAP_SINK (object);

  g_free (sink->settings.location);
  mux_target_free (sink->target);
  G_OBJECT_CLASS (gst_robocache_mcap_sink_parent_class)->finalize (object);
}

static void
install_properties (GObjectClass *klass)
{
  const GParamFlags flags = G_PARAM_READWRITE | G_PARAM_STATIC_STRINGS | GST_PARAM_MUTABLE_READY;

  g_object_class_install_property (klass, PROP_LOCATION, g_param_spec_string ("location", "Location",
      "File to write, or folder if layout=rosbag2. %05d, as in run-%05d.mcap, becomes the highest existing number plus one, and %t "
      "becomes the time (UTC). fragment-duration needs a number", NULL, flags));
  g_object_class_install_property (klass, PROP_SYNC_INTERVAL, g_param_spec_uint64 ("sync-interval", "Sync interval",
      "Interval between syncs of the file to the disk (ns, 0 = left to the system)",
      0, G_MAXINT64, DEFAULT_SYNC_INTERVAL, flags));
  g_object_class_install_property (klass, PROP_FRAGMENT_DURATION, g_param_spec_uint64 ("fragment-duration", "Fragment duration",
      "Begin a new file after this much log time, at a key frame of each video stream (ns, 0 = one file)", 0, G_MAXINT64, 0,
      flags));
  g_object_class_install_property (klass, PROP_LAYOUT, g_param_spec_enum ("layout", "Layout", "Form of the recording at "
      "location", layout_get_type (),
      LAYOUT_FILE, flags));
  g_object_class_install_property (klass, PROP_OVERWRITE, g_param_spec_boolean ("overwrite", "Overwrite",
      "Replace an existing recording at location once the first data arrive", FALSE, flags));
}

static void
gst_robocache_mcap_sink_class_init (GstRobocacheMcapSinkClass *klass)
{
  GObjectClass *object_class = G_OBJECT_CLASS (klass);
  GstElementClass *element_class = GST_ELEMENT_CLASS (klass);
  GstRobocacheMcapRecorderClass *recorder_class = GST_ROBOCACHE_MCAP_RECORDER_CLASS (klass);

  GST_DEBUG_CATEGORY_INIT (mcap_sink_debug, "robocachemcapsink", 0, "streams into MCAP files on a disk");
  object_class->set_property = set_property;
  object_class->get_property = get_property;
  object_class->finalize = finalize;
  install_properties (object_class);
  element_class->change_state = change_state;
  element_class->send_event = send_event;
  element_class->query = answer_query;
  recorder_class->start = start;
  recorder_class->output.open_file = open_file;
  recorder_class->output.write = write_pieces;
  recorder_class->output.close_file = close_file;
  recorder_class->output.end = end;
  recorder_class->stop = stop;
  gst_element_class_set_static_metadata (element_class, "MCAP recorder", "Sink/File",
      "Records tensors, point clouds, pictures and video as ROS 2 messages in MCAP files, safe against crashes",
      "The robocache authors");
}

static void
gst_robocache_mcap_sink_init (GstRobocacheMcapSink *sink)
{
  mux_element_get_recorder (sink)->is_sink = TRUE;
  mux_element_get_recorder (sink)->category = mcap_sink_debug;
  sink->target = mux_target_new ();
  sink->settings.sync_interval = DEFAULT_SYNC_INTERVAL;
  GST_OBJECT_FLAG_SET (sink, GST_ELEMENT_FLAG_SINK);
}
