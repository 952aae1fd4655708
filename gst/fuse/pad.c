/* robocache: a sink pad of robocachefuse: one sensor, its rows and its settings
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "pad.h"

#include "common/rows/blender.h"
#include "common/tensors/cudaframe.h"
#include "common/tensors/memorycaps.h"
#include "common/element/properties.h"
#include "common/tensors/tensorbuffer.h"
#include "common/tensors/videoframe.h"
#include "gstrobocachefuse.h"

GST_DEBUG_CATEGORY_EXTERN (gst_robocache_fuse_debug);
#define GST_CAT_DEFAULT gst_robocache_fuse_debug

#define DEFAULT_INTERPOLATION RC_LINEAR
#define DEFAULT_CAMERA_INTERPOLATION RC_NEAREST
#define DEFAULT_OFFSET 0
#define DEFAULT_MAX_GAP (200 * GST_MSECOND)
#define DEFAULT_HOLD_LIMIT (200 * GST_MSECOND)
#define DEFAULT_REQUIRED FALSE
#define DEFAULT_REORDER_WINDOW 0

/* A live stream that no tick consumes keeps this much; frames are large, and belong to upstream's pool. */
#define MAX_LIVE_ROWS 65536
#define MAX_LIVE_BYTES (G_GUINT64_CONSTANT (1) << 28)
#define MIN_LIVE_ROWS 16
/* Until caps tell its rate. */
#define USUAL_CAMERA_FRAMES 8

enum
{
  PROP_0,
  PROP_INTERPOLATION,
  PROP_OFFSET,
  PROP_MAX_GAP,
  PROP_HOLD_LIMIT,
  PROP_REQUIRED,
  PROP_REORDER_WINDOW,
  PROP_STATS,
  PROP_TIMING,
  PROP_ROLES = PROP_TIMING + GST_ROBOCACHE_FUSE_N_TIMING_PROPERTIES
};

const gchar *const gst_robocache_fuse_role_names[GST_ROBOCACHE_FUSE_N_ROLES] = {
  [GST_ROBOCACHE_FUSE_CAMERA] = "camera",
  [GST_ROBOCACHE_FUSE_PROPRIO] = "proprio",
  [GST_ROBOCACHE_FUSE_FORCE] = "force",
  [GST_ROBOCACHE_FUSE_SINK] = "sink",
};

G_DEFINE_FINAL_TYPE (GstRobocacheFusePad, gst_robocache_fuse_pad, GST_TYPE_AGGREGATOR_PAD);

/* ---- life and properties ---- */

static void
epoch_free (GstRobocacheFuseEpoch *epoch)
{
  robocache_history_clear (&epoch->history);
  gst_robocache_fuse_format_clear (&epoch->format);
  g_free (epoch);
}

/* Where properties that are a plain field lie. */
static const gsize fields[] = {
  [PROP_INTERPOLATION] = G_STRUCT_OFFSET (GstRobocacheFusePad, settings.search.interpolation),
  [PROP_OFFSET] = G_STRUCT_OFFSET (GstRobocacheFusePad, settings.offset),
  [PROP_MAX_GAP] = G_STRUCT_OFFSET (GstRobocacheFusePad, settings.search.max_gap_ns),
  [PROP_HOLD_LIMIT] = G_STRUCT_OFFSET (GstRobocacheFusePad, settings.search.hold_limit_ns),
  [PROP_REQUIRED] = G_STRUCT_OFFSET (GstRobocacheFusePad, settings.required),
  [PROP_REORDER_WINDOW] = G_STRUCT_OFFSET (GstRobocacheFusePad, settings.reorder_window),
};

static void
gst_robocache_fuse_pad_set_property (GObject *object, guint prop_id, const GValue *value, GParamSpec *pspec)
{
  GstRobocacheFusePad *pad = GST_ROBOCACHE_FUSE_PAD (object);
  GstElement *fuse;

  GST_OBJECT_LOCK (pad);
  if (prop_id >= PROP_ROLES)
    robocache_channel_roles_set_property (&pad->roles, prop_id - PROP_ROLES, value);
  else if (prop_id >= PROP_TIMING)
    gst_robocache_fuse_timing_set_property (&pad->settings.timing, prop_id - PROP_TIMING, value);
  else
    robocache_setting_set (G_STRUCT_MEMBER_P (pad, fields[prop_id]), value);
  pad->blend_changed |= prop_id >= PROP_ROLES || prop_id == PROP_INTERPOLATION;
  pad->settings_changed = TRUE;
  GST_OBJECT_UNLOCK (pad);

  fuse = gst_pad_get_parent_element (GST_PAD (pad));
  if (fuse) {
    gst_robocache_fuse_update_latency (GST_ROBOCACHE_FUSE (fuse));
    gst_object_unref (fuse);
  }
}

static void
gst_robocache_fuse_pad_get_property (GObject *object, guint prop_id, GValue *value, GParamSpec *pspec)
{
  GstRobocacheFusePad *pad = GST_ROBOCACHE_FUSE_PAD (object);
  GstElement *fuse;

  if (prop_id == PROP_STATS) {
    fuse = gst_pad_get_parent_element (GST_PAD (pad));
    g_value_take_boxed (value, fuse ? gst_robocache_fuse_stats_of_pad (GST_ROBOCACHE_FUSE (fuse), pad) : NULL);
    gst_clear_object (&fuse);
    return;
  }
  GST_OBJECT_LOCK (pad);
  if (prop_id >= PROP_ROLES)
    robocache_channel_roles_get_property (&pad->roles, prop_id - PROP_ROLES, value);
  else if (prop_id >= PROP_TIMING)
    gst_robocache_fuse_timing_get_property (&pad->settings.timing, prop_id - PROP_TIMING, value);
  else
    robocache_setting_get (G_STRUCT_MEMBER_P (pad, fields[prop_id]), value);
  GST_OBJECT_UNLOCK (pad);
}

GstRobocacheFusePad *
gst_robocache_fuse_pad_new (GstPadTemplate *template, GstRobocacheFuseRole role, guint number)
{
  gchar *name = g_strdup_printf ("%s_%u", gst_robocache_fuse_role_names[role], number);
  GstRobocacheFusePad *pad = g_object_new (GST_TYPE_ROBOCACHE_FUSE_PAD, "name", name, "direction", GST_PAD_SINK,
      "template", template, NULL);

  pad->role = role;
  pad->number = number;
  if (role == GST_ROBOCACHE_FUSE_CAMERA)
    pad->settings.search.interpolation = DEFAULT_CAMERA_INTERPOLATION;
  pad->active = pad->settings;  /* no caps of a reference yet */
  g_free (name);
  return pad;
}

static void
gst_robocache_fuse_pad_finalize (GObject *object)
{
  GstRobocacheFusePad *pad = GST_ROBOCACHE_FUSE_PAD (object);

  g_queue_clear_full (&pad->epochs, (GDestroyNotify) epoch_free);
  gst_robocache_fuse_format_clear (&pad->format);
  robocache_channel_roles_clear (&pad->roles);
  gst_robocache_fuse_timing_reset (pad);
  gst_robocache_fuse_timing_clear (&pad->settings.timing);
  gst_robocache_fuse_timing_clear (&pad->active.timing);
  G_OBJECT_CLASS (gst_robocache_fuse_pad_parent_class)->finalize (object);
}

static GstFlowReturn
gst_robocache_fuse_pad_flush_vfunc (GstAggregatorPad *aggpad, GstAggregator *agg)
{
  if (!GST_ROBOCACHE_FUSE_PAD (aggpad)->is_revived)
    gst_robocache_fuse_flush_pad (GST_ROBOCACHE_FUSE (agg), GST_ROBOCACHE_FUSE_PAD (aggpad));
  return GST_FLOW_OK;
}

static void
gst_robocache_fuse_pad_class_init (GstRobocacheFusePadClass *klass)
{
  GObjectClass *object_class = G_OBJECT_CLASS (klass);
  const GParamFlags playing = G_PARAM_READWRITE | G_PARAM_STATIC_STRINGS | GST_PARAM_MUTABLE_PLAYING;

  object_class->finalize = gst_robocache_fuse_pad_finalize;
  object_class->set_property = gst_robocache_fuse_pad_set_property;
  object_class->get_property = gst_robocache_fuse_pad_get_property;
  GST_AGGREGATOR_PAD_CLASS (klass)->flush = gst_robocache_fuse_pad_flush_vfunc;

  g_object_class_install_property (object_class, PROP_INTERPOLATION, g_param_spec_enum ("interpolation", "Interpolation",
      "How a tick's row is made of the rows around it (camera pads start with nearest)", ROBOCACHE_TYPE_INTERPOLATION,
      DEFAULT_INTERPOLATION, playing));
  g_object_class_install_property (object_class, PROP_OFFSET, g_param_spec_int64 ("offset", "Offset",
      "The sensor's own delay, added to the time of every row (ns, signed)", G_MININT64 / 4, G_MAXINT64 / 4,
      DEFAULT_OFFSET, playing));
  g_object_class_install_property (object_class, PROP_MAX_GAP, g_param_spec_int64 ("max-gap", "Maximum gap",
      "Rows further apart than this are not interpolated between (ns, -1 = none)", -1, G_MAXINT64, DEFAULT_MAX_GAP,
      playing));
  g_object_class_install_property (object_class, PROP_HOLD_LIMIT, g_param_spec_int64 ("hold-limit", "Hold limit",
      "Greatest age of a row that is repeated where rows are missing (ns, 0 = do not hold, -1 = forever)", -1, G_MAXINT64,
      DEFAULT_HOLD_LIMIT, playing));
  g_object_class_install_property (object_class, PROP_REQUIRED, g_param_spec_boolean ("required", "Required",
      "Drop a tick at which this stream is missing", DEFAULT_REQUIRED, playing));
  g_object_class_install_property (object_class, PROP_REORDER_WINDOW, g_param_spec_int64 ("reorder-window", "Reorder window",
      "How much older than the newest row a row may be when it arrives (ns)", 0, G_MAXINT64, DEFAULT_REORDER_WINDOW,
      playing));
  g_object_class_install_property (object_class, PROP_STATS, g_param_spec_boxed ("stats", "Statistics",
      "Rows and ticks of this pad, counted since the element was started", GST_TYPE_STRUCTURE,
      G_PARAM_READABLE | G_PARAM_STATIC_STRINGS));
  gst_robocache_fuse_timing_install_properties (object_class, PROP_TIMING);
  robocache_channel_roles_install_properties (object_class, PROP_ROLES);
}

static void
gst_robocache_fuse_pad_init (GstRobocacheFusePad *pad)
{
  pad->role = GST_ROBOCACHE_FUSE_SINK;
  pad->settings.search.interpolation = DEFAULT_INTERPOLATION;
  pad->settings.search.max_gap_ns = DEFAULT_MAX_GAP;
  pad->settings.search.hold_limit_ns = DEFAULT_HOLD_LIMIT;
  pad->settings.offset = DEFAULT_OFFSET;
  pad->settings.reorder_window = DEFAULT_REORDER_WINDOW;
  pad->settings.required = DEFAULT_REQUIRED;
  gst_robocache_fuse_timing_init (&pad->settings.timing);
  pad->measured_origin = ROBOCACHE_NO_TIME;
  pad->camera_frames = USUAL_CAMERA_FRAMES;
  g_queue_init (&pad->epochs);
  robocache_row_times_init (&pad->clock);
  robocache_clock_jump_init (&pad->jump);
}

static void begin_epoch (GstRobocacheFusePad * pad);

/* Called with the pad's object lock. Whether rows have other times from now on. */
static gboolean
copy_settings (GstRobocacheFusePad *pad)
{
  const gboolean other_times = !gst_robocache_fuse_timing_is_equal (&pad->active.timing, &pad->settings.timing);
  const gint64 period = pad->active.search.period_ns;
  GstRobocacheFuseTiming timing = pad->active.timing;

  gst_robocache_fuse_timing_copy (&timing, &pad->settings.timing);
  pad->active = pad->settings;
  pad->active.timing = timing;
  pad->active.search.period_ns = period;
  pad->settings_changed = FALSE;
  return other_times;
}

gboolean
gst_robocache_fuse_pad_sync_settings (GstRobocacheFusePad *pad)
{
  gboolean blend_changed, other_times;

  GST_OBJECT_LOCK (pad);
  other_times = pad->settings_changed && copy_settings (pad);
  blend_changed = pad->blend_changed;
  pad->blend_changed = FALSE;
  GST_OBJECT_UNLOCK (pad);

  if (other_times) {
    gst_robocache_fuse_timing_reset (pad);
    robocache_clock_jump_restart (&pad->jump);
    if (pad->has_format && !pad->eos)
      begin_epoch (pad);
  }
  for (GList *l = pad->epochs.head; l; l = l->next)
    ((GstRobocacheFuseEpoch *) l->data)->history.reorder_window = pad->active.reorder_window;
  return blend_changed;
}

/* ---- formats ---- */

void
gst_robocache_fuse_format_clear (GstRobocacheFuseFormat *format)
{
  g_clear_pointer (&format->channels, g_free);
}

static void
format_copy (GstRobocacheFuseFormat *to, const GstRobocacheFuseFormat *from)
{
  *to = *from;
  to->channels = g_strdup (from->channels);
}

static gboolean
parse_camera (GstRobocacheFuseFormat *format, const GstCaps *caps, GError **error)
{
  const GstVideoInfo *video = &format->video;
  guint n_components;

  if (!gst_video_info_from_caps (&format->video, caps)) {
    gchar *text = gst_caps_to_string (caps);

    g_set_error (error, ROBOCACHE_ERROR, ROBOCACHE_ERROR_CAPS, "caps are %s: expected video/x-raw with format, width and "
        "height", text);
    g_free (text);
    return FALSE;
  }
  n_components = GST_VIDEO_INFO_N_COMPONENTS (video);
  format->is_camera = TRUE;
  format->on_device = !gst_caps_features_is_equal (gst_caps_get_features (caps, 0), GST_CAPS_FEATURES_MEMORY_SYSTEM_MEMORY);
  format->rows.dtype = GST_VIDEO_INFO_COMP_DEPTH (video, 0) == 16 ? RC_UINT16 : RC_UINT8;
  format->rows.channels = (guint64) GST_VIDEO_INFO_WIDTH (video) * GST_VIDEO_INFO_HEIGHT (video) * n_components;
  format->rows.n_rows = 1;
  format->rate_num = GST_VIDEO_INFO_FPS_N (video);
  format->rate_den = GST_VIDEO_INFO_FPS_D (video);
  return TRUE;
}

static gboolean
parse_tensors (GstRobocacheFuseFormat *format, const GstCaps *caps, GError **error)
{
  if (!robocache_tensors_info_from_caps (&format->tensors, caps, error)
      || !robocache_row_layout_from_info (&format->rows, &format->tensors, error))
    return FALSE;
  format->rate_num = format->tensors.rate_num;
  format->rate_den = format->tensors.rate_den;
  format->on_device = robocache_caps_on_device (caps);
  format->channels = g_strdup (gst_structure_get_string (gst_caps_get_structure (caps, 0), "channels"));
  return TRUE;
}

gboolean
gst_robocache_fuse_format_parse (GstRobocacheFuseFormat *format, const GstCaps *caps, GError **error)
{
  memset (format, 0, sizeof (*format));
  if (gst_structure_has_name (gst_caps_get_structure (caps, 0), "video/x-raw"))
    return parse_camera (format, caps, error);
  return parse_tensors (format, caps, error);
}

/* ---- epochs ---- */

static gsize
row_bytes (const GstRobocacheFuseFormat *format)
{
  if (format->is_camera)
    return sizeof (GstBuffer *);
  return format->on_device ? sizeof (RobocacheDeviceRow) : format->rows.channels * rc_dtype_size (format->rows.dtype);
}

static void
clear_frame (gpointer row)
{
  gst_buffer_unref (*(GstBuffer **) row);
}

static GDestroyNotify
row_clear (const GstRobocacheFuseFormat *format)
{
  if (format->is_camera)
    return clear_frame;
  return format->on_device ? robocache_device_row_clear : NULL;
}

static GstRobocacheFuseEpoch *
newest_epoch (const GstRobocacheFusePad *pad)
{
  return pad->epochs.tail ? pad->epochs.tail->data : NULL;
}

static void
end_epoch (GstRobocacheFusePad *pad, GstRobocacheFuseEpoch *epoch)
{
  g_queue_remove (&pad->epochs, epoch);
  robocache_history_reset (&epoch->history);
  robocache_row_counts_add (&pad->account.rows, &epoch->history.counts);
  epoch_free (epoch);
}

/* Rows of the newest epoch are complete; what comes is of the current format and segment. */
static void
begin_epoch (GstRobocacheFusePad *pad)
{
  GstRobocacheFuseEpoch *epoch = newest_epoch (pad);

  if (epoch && robocache_history_has_rows (&epoch->history))
    robocache_history_eos (&epoch->history);
  else if (epoch)
    end_epoch (pad, epoch);

  epoch = g_new0 (GstRobocacheFuseEpoch, 1);
  format_copy (&epoch->format, &pad->format);
  robocache_history_init (&epoch->history, row_bytes (&pad->format), row_clear (&pad->format));
  epoch->history.reorder_window = pad->active.reorder_window;
  epoch->history.losses = &pad->losses;
  g_queue_push_tail (&pad->epochs, epoch);
}

/* Whether rows of both may be blended, and make the same output. Blocks of another length, for one, hold the same rows. */
static gboolean
same_rows (const GstRobocacheFuseFormat *a, const GstRobocacheFuseFormat *b)
{
  return a->is_camera == b->is_camera && a->on_device == b->on_device && a->rate_num == b->rate_num
      && a->rate_den == b->rate_den && a->rows.dtype == b->rows.dtype && a->rows.channels == b->rows.channels
      && (!a->is_camera || gst_video_info_is_equal (&a->video, &b->video)) && g_strcmp0 (a->channels, b->channels) == 0;
}

void
gst_robocache_fuse_pad_set_format (GstRobocacheFusePad *pad, GstRobocacheFuseFormat *format)
{
  GstRobocacheFuseEpoch *epoch = newest_epoch (pad);

  gst_robocache_fuse_format_clear (&pad->format);
  pad->format = *format;
  pad->has_format = TRUE;
  robocache_row_times_set_rate (&pad->clock, format->rate_num, format->rate_den);
  if (epoch && !epoch->history.eos && same_rows (&epoch->format, format)) {
    gst_robocache_fuse_format_clear (&epoch->format);
    format_copy (&epoch->format, format);
    return;
  }
  begin_epoch (pad);
}

void
gst_robocache_fuse_pad_set_segment (GstRobocacheFusePad *pad, const GstSegment *segment)
{
  robocache_row_times_set_segment (&pad->clock, segment);
  robocache_clock_jump_restart (&pad->jump);
  if (pad->has_format)
    begin_epoch (pad);
}

void
gst_robocache_fuse_pad_gap (GstRobocacheFusePad *pad, GstClockTime pts, GstClockTime duration, GstClockTime now)
{
  GstRobocacheFuseEpoch *epoch = newest_epoch (pad);
  const GstSegment *segment = &pad->clock.segment;
  GstClockTime end = GST_CLOCK_TIME_IS_VALID (duration) ? pts + duration : pts;
  GstClockTime start, running;
  gint64 t;

  if (epoch == NULL || segment->format != GST_FORMAT_TIME)
    return;
  start = gst_segment_to_running_time (segment, GST_FORMAT_TIME, pts);
  if (GST_CLOCK_TIME_IS_VALID (now) && GST_CLOCK_TIME_IS_VALID (start) && !gst_robocache_fuse_timing_tracks (pad)
      && !robocache_clock_jump_fits (&pad->jump, (gint64) now, pad->active.reorder_window, (gint64) start))
    return;
  if (GST_CLOCK_TIME_IS_VALID (segment->stop))
    end = MIN (end, segment->stop);
  running = gst_segment_to_running_time (segment, GST_FORMAT_TIME, end);
  t = (gint64) running;
  if (GST_CLOCK_TIME_IS_VALID (running) && gst_robocache_fuse_timing_of_gap (pad, &t))
    robocache_history_gap (&epoch->history, rc_add_saturating (t, pad->jump.shift));
}

void
gst_robocache_fuse_pad_eos (GstRobocacheFusePad *pad)
{
  GstRobocacheFuseEpoch *epoch = newest_epoch (pad);

  pad->eos = TRUE;
  if (epoch)
    robocache_history_eos (&epoch->history);
}

void
gst_robocache_fuse_pad_restart (GstRobocacheFusePad *pad)
{
  if (!pad->eos)
    return;
  pad->eos = FALSE;
  robocache_clock_jump_restart (&pad->jump);
  if (pad->has_format)
    begin_epoch (pad);
}

void
gst_robocache_fuse_pad_discard (GstRobocacheFusePad *pad, RobocacheDropReason reason)
{
  GstRobocacheFuseEpoch *epoch;

  while ((epoch = gst_robocache_fuse_pad_epoch (pad))) {
    robocache_history_discard (&epoch->history, reason);
    end_epoch (pad, epoch);
  }
}

void
gst_robocache_fuse_pad_flush (GstRobocacheFusePad *pad)
{
  gst_robocache_fuse_pad_discard (pad, ROBOCACHE_DROPPED_FLUSH);
  pad->eos = FALSE;
  pad->flow = GST_FLOW_OK;
  pad->token_out = FALSE;
  robocache_row_times_set_segment (&pad->clock, &pad->clock.segment);
  robocache_clock_jump_restart (&pad->jump);
  if (pad->has_format)
    begin_epoch (pad);
}

void
gst_robocache_fuse_pad_settle (GstRobocacheFusePad *pad)
{
  for (GList *l = pad->epochs.head; l; l = l->next) {
    GstRobocacheFuseEpoch *epoch = l->data;

    robocache_history_reset (&epoch->history);
    epoch->history.eos = pad->eos;
  }
}

void
gst_robocache_fuse_pad_reset (GstRobocacheFusePad *pad)
{
  g_queue_clear_full (&pad->epochs, (GDestroyNotify) epoch_free);
  gst_robocache_fuse_format_clear (&pad->format);
  pad->has_format = FALSE;
  robocache_row_times_init (&pad->clock);
  robocache_clock_jump_init (&pad->jump);
  gst_robocache_fuse_timing_reset (pad);
  pad->eos = pad->live = pad->flushing = pad->token_out = pad->warned_no_time = pad->latencies_checked = FALSE;
  pad->flow = GST_FLOW_OK;
  memset (&pad->account, 0, sizeof (pad->account));
  memset (&pad->losses, 0, sizeof (pad->losses));
}

/* ---- rows in ---- */

void
gst_robocache_fuse_pad_refuse (GstRobocacheFusePad *pad)
{
  robocache_row_counts_refuse (&pad->account.rows, ROBOCACHE_DROPPED_REFUSED,
      pad->has_format ? pad->format.rows.n_rows : 1);
}

/* What a buffer's rows are taken with. */
typedef struct
{
  GstRobocacheFusePad *pad;
  GstClockTime now;             /* GST_CLOCK_TIME_NONE: rows may be at any time */
  gsize max_rows;               /* see RobocacheHistory */
  GstRobocacheFuseOddities *oddities;
  GstRobocacheFuseBufferTimes times;
} Intake;

/* The sensor's clock has jumped: rows go on at t, beyond which no older one is of use. */
static void
begin_epoch_at (GstRobocacheFusePad *pad, gint64 t)
{
  GList *next;

  for (GList *l = pad->epochs.head; l; l = next) {
    GstRobocacheFuseEpoch *epoch = l->data;

    next = l->next;
    robocache_history_discard_from (&epoch->history, t, ROBOCACHE_DROPPED_CLOCK_JUMP);
    if (!robocache_history_has_rows (&epoch->history))
      end_epoch (pad, epoch);
  }
  begin_epoch (pad);
}

/* The history that row i belongs into, and its time; NULL when it is dropped. */
static RobocacheHistory *
history_of_row (Intake *intake, guint64 i, gint64 *t)
{
  GstRobocacheFusePad *pad = intake->pad;
  GstRobocacheFuseEpoch *epoch = newest_epoch (pad);
  RobocacheRowPlace place = ROBOCACHE_ROW_PLACED;

  if (!gst_robocache_fuse_timing_nth (pad, &intake->times, i, t)) {
    robocache_history_count_dropped (&epoch->history, ROBOCACHE_DROPPED_OUTSIDE_SEGMENT, ROBOCACHE_NO_TIME, 1);
    return NULL;
  }
  if (GST_CLOCK_TIME_IS_VALID (intake->now) && !gst_robocache_fuse_timing_tracks (pad))
    place = robocache_clock_jump_place (&pad->jump, (gint64) intake->now, pad->active.reorder_window, t);
  if (place == ROBOCACHE_ROW_OUTLIER) {
    robocache_history_count_dropped (&epoch->history, ROBOCACHE_DROPPED_CLOCK_JUMP, *t, 1);
    return NULL;
  }
  if (place == ROBOCACHE_ROW_AFTER_JUMP) {
    begin_epoch_at (pad, *t);
    intake->oddities->jumped = TRUE;
    epoch = newest_epoch (pad);
  }
  epoch->history.max_rows = intake->max_rows;
  return &epoch->history;
}

static void
take_frame (Intake *intake, GstBuffer *frame)
{
  RobocacheHistory *history;
  gint64 t;

  history = history_of_row (intake, 0, &t);
  if (history)
    robocache_history_insert (history, t, &frame);
  else
    gst_buffer_unref (frame);
}

static void
take_rows (Intake *intake, const guint8 *rows, gsize stride)
{
  for (guint64 i = 0; i < intake->times.rows.n_rows; i++) {
    RobocacheHistory *history;
    gint64 t;

    history = history_of_row (intake, i, &t);
    if (history)
      robocache_history_insert (history, t, rows + i * stride);
  }
}

static void
take_device_rows (Intake *intake, GstBuffer *buffer)
{
  for (guint64 i = 0; i < intake->times.rows.n_rows; i++) {
    RobocacheHistory *history;
    RobocacheDeviceRow row;
    gint64 t;

    history = history_of_row (intake, i, &t);
    if (history == NULL)
      continue;
    row = robocache_device_row (buffer, &intake->pad->format.tensors, 0, i);
    robocache_history_insert (history, t, &row);
  }
}

static gboolean
begin_times (Intake *intake, GstBuffer *buffer, const gint64 *row_times)
{
  GstRobocacheFusePad *pad = intake->pad;
  const guint64 n_rows = pad->format.rows.n_rows;
  RobocacheHistory *history = &newest_epoch (pad)->history;

  switch (gst_robocache_fuse_timing_begin (pad, buffer, row_times, intake->now, &intake->times)) {
    case GST_ROBOCACHE_FUSE_BUFFER_TIMED:
      return TRUE;
    case GST_ROBOCACHE_FUSE_BUFFER_WITHOUT_TIME:
      robocache_history_count_dropped (history, ROBOCACHE_DROPPED_NO_TIME, ROBOCACHE_NO_TIME, n_rows);
      intake->oddities->without_time = !pad->warned_no_time;
      pad->warned_no_time = TRUE;
      break;
    case GST_ROBOCACHE_FUSE_BUFFER_WITHOUT_REFERENCE:
      robocache_history_count_dropped (history, ROBOCACHE_DROPPED_NO_REFERENCE, ROBOCACHE_NO_TIME, n_rows);
      intake->oddities->without_reference = !pad->warned_no_reference;
      pad->warned_no_reference = TRUE;
      break;
  }
  return FALSE;
}

static gboolean
take_camera_buffer (Intake *intake, GstBuffer *buffer, GError **error)
{
  const GstVideoInfo *video = &intake->pad->format.video;

  if (!robocache_video_frame_check (video, buffer, error)) {
    gst_robocache_fuse_pad_refuse (intake->pad);
    gst_buffer_unref (buffer);
    return FALSE;
  }
  if (begin_times (intake, buffer, NULL))
    take_frame (intake, buffer);
  else
    gst_buffer_unref (buffer);
  return TRUE;
}

static gboolean
take_tensor_buffer (Intake *intake, GstBuffer *buffer, GError **error)
{
  const GstRobocacheFuseFormat *format = &intake->pad->format;
  RobocacheTensorsMap map;

  if (!robocache_tensors_map (&map, buffer, &format->tensors, GST_MAP_READ, error)) {
    gst_robocache_fuse_pad_refuse (intake->pad);
    gst_buffer_unref (buffer);
    return FALSE;
  }
  if (begin_times (intake, buffer, format->rows.has_times ? map.data[1] : NULL))
    take_rows (intake, map.data[0], row_bytes (format));
  robocache_tensors_unmap (&map);
  gst_buffer_unref (buffer);
  return TRUE;
}

/* The rows stay where they are; their times, if they came with any, are looked at. */
static gboolean
take_device_buffer (Intake *intake, GstBuffer *buffer, GError **error)
{
  const GstRobocacheFuseFormat *format = &intake->pad->format;
  gint64 *row_times = NULL;
  gboolean ok = robocache_tensors_check (buffer, &format->tensors, error);

  if (ok && format->rows.has_times)
    ok = robocache_tensors_copy (buffer, &format->tensors, 1, (gpointer *) & row_times, error);
  if (!ok)
    gst_robocache_fuse_pad_refuse (intake->pad);
  else if (begin_times (intake, buffer, row_times))
    take_device_rows (intake, buffer);
  g_free (row_times);
  gst_buffer_unref (buffer);
  return ok;
}

/* How many rows are kept of a live sensor that no tick consumes. */
static gsize
most_live_rows (const GstRobocacheFusePad *pad)
{
  if (pad->format.is_camera)
    return pad->camera_frames;
  return CLAMP (MAX_LIVE_BYTES / (pad->format.rows.channels * rc_dtype_size (pad->format.rows.dtype)), MIN_LIVE_ROWS,
      MAX_LIVE_ROWS);
}

void
gst_robocache_fuse_pad_await (GstRobocacheFusePad *pad, GstBuffer *buffer)
{
  const GstRobocacheFuseFormat *format = &pad->format;
  GstMemory *times;
  gsize offset;
  GstMapInfo map;

  if (!format->on_device)
    return;
  if (robocache_is_cuda_frame (buffer)) {
    robocache_cuda_frame_wait (buffer);
  } else if (format->rows.has_times && robocache_tensors_check (buffer, &format->tensors, NULL)) {
    times = robocache_tensors_peek_memory (buffer, &format->tensors, 1, &offset);
    if (robocache_is_gpu_memory (times) && gst_memory_map (times, &map, (GstMapFlags) (GST_MAP_READ | ROBOCACHE_MAP_DEVICE)))
      gst_memory_unmap (times, &map);
  }
}

gboolean
gst_robocache_fuse_pad_take (GstRobocacheFusePad *pad, GstBuffer *buffer, gboolean live, GstClockTime now,
    GstRobocacheFuseOddities *oddities, GError **error)
{
  Intake intake = { pad, live ? now : GST_CLOCK_TIME_NONE, live ? most_live_rows (pad) : 0, oddities };

  if (!gst_robocache_fuse_timing_check (pad, live, now, error)) {
    gst_robocache_fuse_pad_refuse (pad);
    gst_buffer_unref (buffer);
    return FALSE;
  }
  if (pad->format.is_camera)
    return take_camera_buffer (&intake, buffer, error);
  if (pad->format.on_device)
    return take_device_buffer (&intake, buffer, error);
  return take_tensor_buffer (&intake, buffer, error);
}

/* ---- ticks out ---- */

static gint64
with_offset (const GstRobocacheFusePad *pad, gint64 t)
{
  return t == ROBOCACHE_NO_TIME ? t : rc_add_saturating (t, pad->active.offset);
}

static gint64
without_offset (const GstRobocacheFusePad *pad, gint64 t)
{
  return rc_add_saturating (t, -pad->active.offset);
}

GstRobocacheFuseEpoch *
gst_robocache_fuse_pad_epoch (const GstRobocacheFusePad *pad)
{
  return pad->epochs.head ? pad->epochs.head->data : NULL;
}

/* Whether an instant lies beyond an epoch's rows and within those of the next. */
static gboolean
epoch_is_over (GList *link, gint64 t)
{
  const GstRobocacheFuseEpoch *epoch = link->data;
  const GstRobocacheFuseEpoch *next = link->next ? link->next->data : NULL;

  return next && t > robocache_history_last_time (&epoch->history) && robocache_history_has_rows (&next->history)
      && robocache_history_first_time (&next->history) <= t;
}

gboolean
gst_robocache_fuse_pad_ready (const GstRobocacheFusePad *pad, gint64 tick, gboolean settled)
{
  const gint64 t = without_offset (pad, tick);
  GList *link = pad->epochs.head;
  const GstRobocacheFuseEpoch *epoch;

  if (pad->eos)
    return TRUE;
  if (link == NULL)
    return FALSE;
  while (epoch_is_over (link, t))
    link = link->next;
  epoch = link->data;
  if (link->next && t > robocache_history_last_time (&epoch->history)) {
    /* held from this epoch, unless a row of the next comes before t */
    const GstRobocacheFuseEpoch *next = link->next->data;

    return robocache_history_frontier (&next->history) > t;
  }
  return robocache_history_ready (&epoch->history, &pad->active.search, t, settled);
}

gboolean
gst_robocache_fuse_pad_enter_epoch (GstRobocacheFusePad *pad, gint64 tick)
{
  gboolean changed = FALSE;

  while (pad->epochs.head && epoch_is_over (pad->epochs.head, without_offset (pad, tick))) {
    GstRobocacheFuseEpoch *over = pad->epochs.head->data, *next = pad->epochs.head->next->data;

    changed |= !same_rows (&over->format, &next->format);
    end_epoch (pad, over);
  }
  return changed;
}

void
gst_robocache_fuse_pad_align (GstRobocacheFusePad *pad, gint64 tick, RobocacheAlignment *alignment)
{
  GstRobocacheFuseEpoch *epoch = gst_robocache_fuse_pad_epoch (pad);
  guint64 *const counters[] = {
    [RC_ALIGNED] = &pad->account.ticks_aligned,
    [RC_HELD] = &pad->account.ticks_held,
    [RC_MISSING] = &pad->account.ticks_missing,
  };

  robocache_history_align (&epoch->history, &pad->active.search, without_offset (pad, tick), alignment);
  alignment->before = with_offset (pad, alignment->before);
  alignment->after = with_offset (pad, alignment->after);
  (*counters[alignment->bracket.status])++;
  if (alignment->bracket.status != RC_MISSING && alignment->before != ROBOCACHE_NO_TIME)
    robocache_histogram_add (&pad->account.age, rc_add_saturating (tick, -alignment->before));
}

void
gst_robocache_fuse_pad_prune (GstRobocacheFusePad *pad, gint64 next_tick)
{
  GstRobocacheFuseEpoch *epoch = gst_robocache_fuse_pad_epoch (pad);

  if (epoch)
    robocache_history_prune (&epoch->history, &pad->active.search, without_offset (pad, next_tick));
}

/* ---- questions ---- */

gint64
gst_robocache_fuse_pad_frontier (const GstRobocacheFusePad *pad)
{
  const GstRobocacheFuseEpoch *epoch = newest_epoch (pad);

  return epoch ? with_offset (pad, robocache_history_frontier (&epoch->history)) : ROBOCACHE_NO_TIME;
}

gint64
gst_robocache_fuse_pad_first_time (const GstRobocacheFusePad *pad)
{
  const GstRobocacheFuseEpoch *epoch = gst_robocache_fuse_pad_epoch (pad);

  return epoch ? with_offset (pad, epoch->history.oldest_row) : ROBOCACHE_NO_TIME;
}

gint64
gst_robocache_fuse_pad_last_time (const GstRobocacheFusePad *pad)
{
  for (const GList *l = pad->epochs.tail; l; l = l->prev) {
    const GstRobocacheFuseEpoch *epoch = l->data;

    if (robocache_history_has_rows (&epoch->history))
      return with_offset (pad, robocache_history_last_time (&epoch->history));
  }
  return ROBOCACHE_NO_TIME;
}

gint64
gst_robocache_fuse_pad_next_row_after (const GstRobocacheFusePad *pad, gint64 t)
{
  for (const GList *l = pad->epochs.head; l; l = l->next) {
    const GstRobocacheFuseEpoch *epoch = l->data;
    const gint64 row = robocache_history_next_after (&epoch->history, without_offset (pad, t));

    if (row != ROBOCACHE_NO_TIME)
      return with_offset (pad, row);
  }
  return ROBOCACHE_NO_TIME;
}

gsize
gst_robocache_fuse_pad_rows_after (const GstRobocacheFusePad *pad, gint64 t)
{
  gsize n = 0;

  for (const GList *l = pad->epochs.head; l; l = l->next) {
    const GstRobocacheFuseEpoch *epoch = l->data;

    n += robocache_history_rows_after (&epoch->history, without_offset (pad, t));
  }
  return n;
}

static gint64
nominal_period (const GstRobocacheFuseFormat *format)
{
  return format->rate_num > 0 ? (gint64) gst_util_uint64_scale_int (GST_SECOND, format->rate_den, format->rate_num) : 0;
}

gint64
gst_robocache_fuse_pad_nominal_period (const GstRobocacheFusePad *pad, gint64 t)
{
  const GList *l = pad->epochs.head;

  while (l && l->next && robocache_history_last_time (&((GstRobocacheFuseEpoch *) l->data)->history)
      <= without_offset (pad, t))
    l = l->next;
  return l ? nominal_period (&((GstRobocacheFuseEpoch *) l->data)->format) : 0;
}

gint64
gst_robocache_fuse_pad_period (const GstRobocacheFusePad *pad)
{
  const GstRobocacheFuseEpoch *epoch = newest_epoch (pad);

  if (epoch == NULL)
    return 0;
  if (epoch->format.rate_num > 0)
    return nominal_period (&epoch->format);
  return robocache_history_median_spacing (&epoch->history);
}

GstClockTime
gst_robocache_fuse_pad_latency (GstRobocacheFusePad *pad, gint64 tick_period)
{
  GstRobocacheFuseSettings settings;
  gint64 latency;

  GST_OBJECT_LOCK (pad);
  settings = pad->settings;
  GST_OBJECT_UNLOCK (pad);
  latency = robocache_interpolation_latency (settings.search.interpolation, gst_robocache_fuse_pad_period (pad), tick_period);
  latency = rc_add_saturating (latency, settings.reorder_window);
  return rc_add_saturating (latency, MAX (0, -settings.offset));
}

void
gst_robocache_fuse_pad_add_account (const GstRobocacheFusePad *pad, GstRobocacheFuseAccount *sum)
{
  robocache_row_counts_add (&sum->rows, &pad->account.rows);
  for (const GList *l = pad->epochs.head; l; l = l->next) {
    const GstRobocacheFuseEpoch *epoch = l->data;

    robocache_row_counts_add (&sum->rows, &epoch->history.counts);
    sum->n_kept += epoch->history.n;
  }
  sum->ticks_aligned += pad->account.ticks_aligned;
  sum->ticks_held += pad->account.ticks_held;
  sum->ticks_missing += pad->account.ticks_missing;
  sum->clock_jumps += pad->account.clock_jumps + pad->jump.n_jumps + gst_robocache_fuse_timing_jumps (pad);
  robocache_histogram_merge (&sum->age, &pad->account.age);
  robocache_histogram_merge (&sum->lateness, &pad->losses.lateness);
}

gint
gst_robocache_fuse_pad_compare (const GstRobocacheFusePad *a, const GstRobocacheFusePad *b)
{
  if (a->role != b->role)
    return (gint) a->role - (gint) b->role;
  return (a->number > b->number) - (a->number < b->number);
}
