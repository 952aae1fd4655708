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

#include <errno.h>
#include <string.h>

#include "common/element/propertytypes.h"
#include "debug.h"
#include "file/bagfolder.h"
#include "file/diskfile.h"
#include "file/filenames.h"
#include "element.h"

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
  PROP_LAYOUT
};

#define GST_TYPE_ROBOCACHE_MCAP_SINK (gst_robocache_mcap_sink_get_type ())
G_DECLARE_FINAL_TYPE (GstRobocacheMcapSink, gst_robocache_mcap_sink, GST, ROBOCACHE_MCAP_SINK, GstRobocacheMcapElement)

typedef struct
{
  gchar *location;
  GstClockTime sync_interval;
  gint layout;
} Settings;

struct _GstRobocacheMcapSink
{
  GstRobocacheMcapElement parent;
  Settings settings;            /* object lock */
  Settings started;             /* constant while started */

  /* the output task while it runs */
  MuxDiskFile *files[2];        /* by number modulo 2 */
  MuxBag *bag;                  /* NULL: no bag */

  /* lock of the recorder */
  gboolean must_post_eos;       /* once PLAYING */
};

static ROBOCACHE_DEFINE_ENUM (layout_get_type, "RobocacheMcapLayout",
    {LAYOUT_FILE, "Files", "file"},
    {LAYOUT_ROSBAG2, "A folder with metadata.yaml, which ros2 bag plays", "rosbag2"})

G_DEFINE_TYPE_WITH_CODE (GstRobocacheMcapSink, gst_robocache_mcap_sink, GST_TYPE_ROBOCACHE_MCAP_ELEMENT,
    gst_type_mark_as_plugin_api (layout_get_type (), 0))
GST_ELEMENT_REGISTER_DEFINE (robocachemcapsink, "robocachemcapsink", GST_RANK_NONE, GST_TYPE_ROBOCACHE_MCAP_SINK);

static MuxRecorderState *
state_of (GstRobocacheMcapSink *sink)
{
  return mux_recorder_state (GST_ROBOCACHE_MCAP_RECORDER (sink));
}

/* ---- files ---- */

static gchar *
path_of (const GstRobocacheMcapSink *sink, guint file)
{
  gchar *name, *path;

  if (sink->started.layout == LAYOUT_FILE)
    return state_of ((GstRobocacheMcapSink *) sink)->started_fragment_duration > 0
        ? mux_location_with_number (sink->started.location, file) : g_strdup (sink->started.location);
  name = mux_bag_file_name (sink->started.location, file);
  path = g_build_filename (sink->started.location, name, NULL);
  g_free (name);
  return path;
}

static gboolean
create_file (GstRobocacheMcapSink *sink, guint number, GError **error)
{
  gchar *path = path_of (sink, number);
  MuxDiskFile *file = mux_disk_file_open (path, sink->started.sync_interval, error);

  GST_INFO_OBJECT (sink, "%s %s", file ? "writes" : "cannot create", path);
  sink->files[number % 2] = file;
  g_free (path);
  return file != NULL;
}

/* The first one was created at start, so that what cannot be written fails the change of state. */
static GstFlowReturn
open_file (GstRobocacheMcapRecorder *recorder, guint number, GError **error)
{
  return number == 0 || create_file (GST_ROBOCACHE_MCAP_SINK (recorder), number, error) ? GST_FLOW_OK : GST_FLOW_ERROR;
}

static GstFlowReturn
write_pieces (GstRobocacheMcapRecorder *recorder, guint number, const RobocacheMcapBytes *pieces, guint n_pieces, GError **error)
{
  GstRobocacheMcapSink *sink = GST_ROBOCACHE_MCAP_SINK (recorder);

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
  gchar *name = mux_bag_file_name (sink->started.location, number), *path, *yaml;
  GError *fault = NULL;

  mux_bag_add_file (sink->bag, name, closed);
  path = g_build_filename (sink->started.location, "metadata.yaml", NULL);
  yaml = mux_bag_describe (sink->bag);
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
close_file (GstRobocacheMcapRecorder *recorder, guint number, const MuxOutput *closed, GError **error)
{
  GstRobocacheMcapSink *sink = GST_ROBOCACHE_MCAP_SINK (recorder);
  gboolean is_good = mux_disk_file_close (g_steal_pointer (&sink->files[number % 2]), error);
  gchar *path;

  if (is_good && sink->bag)
    is_good = write_bag (sink, number, closed, error);
  if (!is_good)
    return GST_FLOW_ERROR;
  path = path_of (sink, number);
  post_file (sink, path, closed);
  g_free (path);
  return GST_FLOW_OK;
}

static void
post_eos (GstRobocacheMcapSink *sink)
{
  gst_element_post_message (GST_ELEMENT (sink), gst_message_new_eos (GST_OBJECT (sink)));
}

static void
end (GstRobocacheMcapRecorder *recorder)
{
  GstRobocacheMcapSink *sink = GST_ROBOCACHE_MCAP_SINK (recorder);
  MuxRecorderState *state = state_of (sink);
  gboolean is_playing;

  g_mutex_lock (&state->lock);
  is_playing = state->is_playing;
  sink->must_post_eos = !is_playing;
  g_mutex_unlock (&state->lock);
  if (is_playing)
    post_eos (sink);
}

/* ---- life of a recording ---- */

static void
clear_settings (Settings *settings)
{
  g_clear_pointer (&settings->location, g_free);
}

static gboolean
fail (GError **error, const gchar *what)
{
  g_set_error_literal (error, ROBOCACHE_ERROR, ROBOCACHE_ERROR_PROPERTY, what);
  return FALSE;
}

static gboolean
check_settings (GstRobocacheMcapSink *sink, GError **error)
{
  const Settings *settings = &sink->started;

  if (!settings->location || !*settings->location)
    return fail (error, "location is not set: where the recording is to be written");
  if (settings->layout == LAYOUT_FILE && state_of (sink)->started_fragment_duration > 0 && !mux_location_has_number (settings->location))
    return fail (error, "fragment-duration needs the number of a fragment in location, like location=run-%05d.mcap");
  return TRUE;
}

static gboolean
make_folder (GstRobocacheMcapSink *sink, GError **error)
{
  if (g_mkdir_with_parents (sink->started.location, 0777) == 0)
    return TRUE;
  g_set_error (error, GST_RESOURCE_ERROR, GST_RESOURCE_ERROR_OPEN_WRITE, "cannot make the folder %s: %s", sink->started.location,
      g_strerror (errno));
  return FALSE;
}

static gboolean
start (GstRobocacheMcapRecorder *recorder, GError **error)
{
  GstRobocacheMcapSink *sink = GST_ROBOCACHE_MCAP_SINK (recorder);

  GST_OBJECT_LOCK (sink);
  clear_settings (&sink->started);
  sink->started = sink->settings;
  sink->started.location = g_strdup (sink->settings.location);
  GST_OBJECT_UNLOCK (sink);
  sink->must_post_eos = FALSE;
  if (!check_settings (sink, error))
    return FALSE;
  if (sink->started.layout == LAYOUT_ROSBAG2) {
    sink->bag = mux_bag_new ();
    if (!make_folder (sink, error))
      return FALSE;
  }
  return create_file (sink, 0, error);
}

static void
stop (GstRobocacheMcapRecorder *recorder)
{
  GstRobocacheMcapSink *sink = GST_ROBOCACHE_MCAP_SINK (recorder);

  for (guint i = 0; i < G_N_ELEMENTS (sink->files); i++)
    if (sink->files[i])
      mux_disk_file_close (g_steal_pointer (&sink->files[i]), NULL);
  g_clear_pointer (&sink->bag, mux_bag_free);
}

static GstStateChangeReturn
change_state (GstElement *element, GstStateChange transition)
{
  GstRobocacheMcapSink *sink = GST_ROBOCACHE_MCAP_SINK (element);
  MuxRecorderState *state = state_of (sink);
  const GstStateChangeReturn changed = GST_ELEMENT_CLASS (gst_robocache_mcap_sink_parent_class)->change_state (element, transition);
  gboolean must_post;

  if (transition != GST_STATE_CHANGE_PAUSED_TO_PLAYING)
    return changed;
  g_mutex_lock (&state->lock);
  must_post = sink->must_post_eos;
  g_mutex_unlock (&state->lock);
  if (must_post)
    post_eos (sink);
  return changed;
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
      return &state_of (sink)->fragment_duration;
    default:
      return &sink->settings.layout;
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

  clear_settings (&sink->settings);
  clear_settings (&sink->started);
  G_OBJECT_CLASS (gst_robocache_mcap_sink_parent_class)->finalize (object);
}

static void
install_properties (GObjectClass *klass)
{
  const GParamFlags flags = G_PARAM_READWRITE | G_PARAM_STATIC_STRINGS | GST_PARAM_MUTABLE_READY;

  g_object_class_install_property (klass, PROP_LOCATION, g_param_spec_string ("location", "Location",
      "The file to write; with fragment-duration one number in it, like run-%05d.mcap; with layout=rosbag2 a folder", NULL, flags));
  g_object_class_install_property (klass, PROP_SYNC_INTERVAL, g_param_spec_uint64 ("sync-interval", "Sync interval",
      "Write to the disk itself this often (ns, 0 = leave it to the system)", 0, G_MAXINT64, DEFAULT_SYNC_INTERVAL, flags));
  g_object_class_install_property (klass, PROP_FRAGMENT_DURATION, g_param_spec_uint64 ("fragment-duration", "Fragment duration",
      "Go on in another file after this much log time, from a key frame of each video stream on (ns, 0 = one file)", 0, G_MAXINT64, 0,
      flags));
  g_object_class_install_property (klass, PROP_LAYOUT, g_param_spec_enum ("layout", "Layout", "What location is", layout_get_type (),
      LAYOUT_FILE, flags));
}

static void
gst_robocache_mcap_sink_class_init (GstRobocacheMcapSinkClass *klass)
{
  GObjectClass *object_class = G_OBJECT_CLASS (klass);
  GstRobocacheMcapRecorderClass *recorder_class = GST_ROBOCACHE_MCAP_RECORDER_CLASS (klass);

  object_class->set_property = set_property;
  object_class->get_property = get_property;
  object_class->finalize = finalize;
  install_properties (object_class);
  GST_ELEMENT_CLASS (klass)->change_state = change_state;
  recorder_class->start = start;
  recorder_class->open_file = open_file;
  recorder_class->write = write_pieces;
  recorder_class->close_file = close_file;
  recorder_class->end = end;
  recorder_class->stop = stop;
  gst_element_class_set_static_metadata (GST_ELEMENT_CLASS (klass), "MCAP recorder", "Sink/File",
      "Records tensors, point clouds, pictures and video as ROS 2 messages in MCAP files, safe against crashes",
      "The robocache authors");
}

static void
gst_robocache_mcap_sink_init (GstRobocacheMcapSink *sink)
{
  state_of (sink)->is_sink = TRUE;
  sink->settings.sync_interval = DEFAULT_SYNC_INTERVAL;
  GST_OBJECT_FLAG_SET (sink, GST_ELEMENT_FLAG_SINK);
}
