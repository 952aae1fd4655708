/* robocache: robocacheresample, one stream with any timing in, an exact grid out
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
/**
 * SECTION:element-robocacheresample
 * @title: robocacheresample
 *
 * Interpolates the rows of a sensor at the ticks of an exact grid. Three tensors at once (rows, their times and target
 * times) are recorded episodes, and each buffer becomes one buffer of rows at the target times.
 *
 * |[
 * gst-launch-1.0 robocachetestsrc kind=force rate=1000/1 jitter=200000 is-live=true ! robocacheresample rate=100/1 ! \
 *     fakesink silent=false -v
 * ]|
 * |[
 * gst-launch-1.0 filesrc location=imu.csv ! robocacheparse ! robocacheresample rate=200/1 interpolation=cubic \
 *     quaternions=0 max-gap=100000000 gap-policy=nan ! filesink location=imu.f32
 * ]|
 */
#include "gstrobocacheresample.h"

#include <string.h>

#include "common/channelroles.h"
#include "common/device.h"
#include "common/history.h"
#include "common/rowtimes.h"
#include "common/settings.h"
#include "common/stats.h"
#include "common/tickgrid.h"
#include "kernels/align.h"

GST_DEBUG_CATEGORY_STATIC (resample_debug);
#define GST_CAT_DEFAULT resample_debug

#define SCRATCH_ALIGNMENT 256

/* Tensors of the batch form, and axes of its rows. */
enum
{
  BATCH_ROWS,
  BATCH_TIMES,
  BATCH_TARGETS,
  BATCH_N_TENSORS
};

typedef enum
{
  GAP_DROP,
  GAP_NAN,
  GAP_HOLD
} GapPolicy;

enum
{
  PROP_0,
  PROP_RATE,
  PROP_INTERPOLATION,
  PROP_MAX_GAP,
  PROP_GAP_POLICY,
  PROP_REORDER_WINDOW,
  PROP_TYPE,
  PROP_STATS,
  PROP_STATS_INTERVAL,
  PROP_ROLES,
  PROP_DEVICE = PROP_ROLES + ROBOCACHE_N_ROLES
};

typedef struct
{
  gint rate[2];                 /* 0/1: not set */
  RcInterpolation interpolation;
  gint64 max_gap;
  GapPolicy gap_policy;
  gint64 reorder_window;
  RcDtype dtype;                /* or ROBOCACHE_DTYPE_AUTO */
  guint64 stats_interval;
} Settings;

struct _GstRobocacheResample
{
  GstBaseTransform parent;

  /* object lock */
  Settings settings;
  RobocacheChannelRoles roles;
  RobocacheDevice device;

  /* streaming thread; written under the object lock where stats and queries read it */
  Settings run;                 /* settings as they were when caps were set */
  gboolean batch;               /* three tensors: recorded episodes */
  RobocacheTensorsInfo in;
  RobocacheTensorInfo out;
  RobocacheRowLayout layout;    /* of a stream */
  RcSearch search;
  RcAlignPlan *plan;
  gpointer scratch, scratch_block;

  gboolean live;
  RobocacheTickGrid grid;
  RobocacheRowTimes clock;
  RobocacheHistory history;
  gboolean has_history;
  gboolean ticking;             /* next_index is fixed */
  gint64 next_index;
  gint64 last_tick;             /* ROBOCACHE_NO_TIME before the first */
  GstBuffer *batch_out;         /* waits for generate_output */
  gboolean sent_buffer, discont;
  gboolean warned_no_time;
  GstClockTime announced_latency;
  RobocacheStatsTimer stats_timer;

  /* object lock */
  RobocacheRowCounts past_counts;       /* of histories that are over */
  guint64 ticks_out, ticks_held, ticks_nan, ticks_dropped;
  RcAlignCounters batch_counters;
};

static GstStaticPadTemplate sink_template = GST_STATIC_PAD_TEMPLATE ("sink", GST_PAD_SINK, GST_PAD_ALWAYS,
    GST_STATIC_CAPS (ROBOCACHE_TENSORS_MEDIA_TYPE));
static GstStaticPadTemplate src_template = GST_STATIC_PAD_TEMPLATE ("src", GST_PAD_SRC, GST_PAD_ALWAYS,
    GST_STATIC_CAPS (ROBOCACHE_TENSORS_MEDIA_TYPE));

#define gst_robocache_resample_parent_class parent_class
G_DEFINE_FINAL_TYPE_WITH_CODE (GstRobocacheResample, gst_robocache_resample, GST_TYPE_BASE_TRANSFORM,
    GST_DEBUG_CATEGORY_INIT (resample_debug, "robocacheresample", 0, "one stream onto an exact grid"));
GST_ELEMENT_REGISTER_DEFINE (robocacheresample, "robocacheresample", GST_RANK_NONE, GST_TYPE_ROBOCACHE_RESAMPLE);

#define TYPE_GAP_POLICY (gap_policy_get_type ())
static GType
gap_policy_get_type (void)
{
  static gsize type = 0;
  static const GEnumValue values[] = {
    {GAP_DROP, "No row; a GAP event, and DISCONT on what follows", "drop"},
    {GAP_NAN, "A row of NaN, or of 0 for integers", "nan"},
    {GAP_HOLD, "The row before the gap", "hold"},
    {0, NULL, NULL},
  };

  if (g_once_init_enter (&type))
    g_once_init_leave (&type, g_enum_register_static ("GstRobocacheResampleGapPolicy", values));
  return type;
}

static Settings
get_settings (GstRobocacheResample *resample)
{
  Settings settings;

  GST_OBJECT_LOCK (resample);
  settings = resample->settings;
  GST_OBJECT_UNLOCK (resample);
  return settings;
}

/* ---- negotiation ---- */

static void
set_template_fields (GstStructure *structure)
{
  gst_structure_remove_all_fields (structure);
  gst_structure_set (structure, "format", G_TYPE_STRING, "static", NULL);
}

/* One tensor of the resolved type. Dimensions are left open where downstream may spell them its own way; fixate_caps and
 * set_caps see to them. */
static void
set_output_fields (GstRobocacheResample *resample, GstStructure *structure, const RobocacheTensorsInfo *in)
{
  const Settings settings = get_settings (resample);
  const gboolean batch = in->n_tensors == BATCH_N_TENSORS;
  const RcDtype dtype = robocache_dtype_resolve (settings.dtype, in->tensors[0].dtype);

  gst_structure_remove_fields (structure, "dimensions", "framerate", NULL);
  gst_structure_set (structure, "num_tensors", G_TYPE_INT, 1, "types", G_TYPE_STRING, rc_dtype_name (dtype), NULL);
  if (batch)
    gst_structure_set (structure, "framerate", GST_TYPE_FRACTION, in->rate_num, in->rate_den, NULL);
  else if (settings.rate[0] > 0)
    gst_structure_set (structure, "framerate", GST_TYPE_FRACTION, settings.rate[0], settings.rate[1], NULL);
  else
    gst_structure_set (structure, "framerate", GST_TYPE_FRACTION_RANGE, 0, 1, G_MAXINT, 1, NULL);
}

/* The input's rate comes first, then any. */
static GstCaps *
prefer_input_rate (GstCaps *caps, const RobocacheTensorsInfo *in)
{
  GstStructure *first;

  if (in->rate_num == 0 || !GST_VALUE_HOLDS_FRACTION_RANGE (gst_structure_get_value (gst_caps_get_structure (caps, 0),
              "framerate")))
    return caps;
  first = gst_structure_copy (gst_caps_get_structure (caps, 0));
  gst_structure_set (first, "framerate", GST_TYPE_FRACTION, in->rate_num, in->rate_den, NULL);
  return gst_caps_merge_structure (gst_caps_new_full (first, NULL), gst_structure_copy (gst_caps_get_structure (caps, 0)));
}

static GstCaps *
output_caps (GstRobocacheResample *resample, const GstCaps *in_caps)
{
  GstCaps *caps = gst_caps_copy (in_caps);
  RobocacheTensorsInfo in;

  if (gst_caps_is_fixed (in_caps) && robocache_tensors_info_from_caps (&in, in_caps, NULL)) {
    set_output_fields (resample, gst_caps_get_structure (caps, 0), &in);
    if (in.n_tensors != BATCH_N_TENSORS) {
      GstCaps *preferred = prefer_input_rate (caps, &in);

      if (preferred != caps)
        gst_caps_unref (caps);
      caps = preferred;
    }
    return caps;
  }
  for (guint i = 0; i < gst_caps_get_size (caps); i++)
    set_template_fields (gst_caps_get_structure (caps, i));
  return caps;
}

static GstCaps *
gst_robocache_resample_transform_caps (GstBaseTransform *trans, GstPadDirection direction, GstCaps *caps, GstCaps *filter)
{
  GstCaps *other;

  if (direction == GST_PAD_SINK)
    other = output_caps (GST_ROBOCACHE_RESAMPLE (trans), caps);
  else
    other = gst_static_pad_template_get_caps (&sink_template);
  if (filter) {
    GstCaps *intersection = gst_caps_intersect_full (filter, other, GST_CAPS_INTERSECT_FIRST);

    gst_caps_unref (other);
    other = intersection;
  }
  return other;
}

/* D of a stream, D:T:B of a batch. */
static void
output_tensor (const RobocacheTensorsInfo *in, RcDtype dtype, RobocacheTensorInfo *out)
{
  guint64 dims[3] = { robocache_tensor_info_dim (&in->tensors[0], 0), 1, 1 };

  if (in->n_tensors == BATCH_N_TENSORS) {
    dims[1] = robocache_tensor_info_dim (&in->tensors[BATCH_TARGETS], 0);
    dims[2] = robocache_tensor_info_dim (&in->tensors[BATCH_TARGETS], 1);
  }
  robocache_tensor_info_set (out, dtype, dims, 3);
}

static GstCaps *
gst_robocache_resample_fixate_caps (GstBaseTransform *trans, GstPadDirection direction, GstCaps *caps, GstCaps *other)
{
  GstRobocacheResample *resample = GST_ROBOCACHE_RESAMPLE (trans);
  GstStructure *structure;
  RobocacheTensorsInfo in;
  RobocacheTensorInfo out;
  gchar *dimensions;

  other = gst_caps_make_writable (gst_caps_truncate (other));
  structure = gst_caps_get_structure (other, 0);
  if (direction == GST_PAD_SINK && robocache_tensors_info_from_caps (&in, caps, NULL)) {
    output_tensor (&in, robocache_dtype_resolve (get_settings (resample).dtype, in.tensors[0].dtype), &out);
    if (!gst_structure_has_field (structure, "dimensions")) {
      dimensions = robocache_dimensions_to_string (&out);
      gst_structure_set (structure, "dimensions", G_TYPE_STRING, dimensions, NULL);
      g_free (dimensions);
    }
    if (gst_structure_has_field (structure, "framerate"))
      gst_structure_fixate_field_nearest_fraction (structure, "framerate", in.rate_num, in.rate_den);
  }
  return gst_caps_fixate (other);
}

static gboolean
check_batch_shapes (const RobocacheTensorsInfo *in, GError **error)
{
  const RobocacheTensorInfo *rows = &in->tensors[BATCH_ROWS], *times = &in->tensors[BATCH_TIMES],
      *targets = &in->tensors[BATCH_TARGETS];
  const guint64 n_rows = robocache_tensor_info_dim (rows, 1), batch = robocache_tensor_info_dim (rows, 2);

  if (rows->rank <= 3 && times->rank <= 2 && targets->rank <= 2 && times->dtype == RC_INT64 && targets->dtype == RC_INT64
      && robocache_tensor_info_dim (times, 0) == n_rows && robocache_tensor_info_dim (times, 1) == batch
      && robocache_tensor_info_dim (targets, 1) == batch)
    return TRUE;
  g_set_error (error, ROBOCACHE_ERROR, ROBOCACHE_ERROR_CAPS, "three tensors must be recorded episodes: rows "
      "channels:rows:batch, int64 times rows:batch and int64 target times ticks:batch, with the same rows and batch");
  return FALSE;
}

static gboolean
check_batch (const RobocacheTensorsInfo *in, const Settings *run, GError **error)
{
  if (!check_batch_shapes (in, error))
    return FALSE;
  if (run->gap_policy == GAP_DROP) {
    g_set_error (error, ROBOCACHE_ERROR, ROBOCACHE_ERROR_PROPERTY, "gap-policy=drop cannot leave rows out of a batch: set "
        "gap-policy=nan or gap-policy=hold");
    return FALSE;
  }
  if (run->interpolation == RC_MEAN && run->rate[0] == 0) {
    g_set_error (error, ROBOCACHE_ERROR, ROBOCACHE_ERROR_PROPERTY, "interpolation=mean averages over one tick, and target "
        "times do not say how long that is: set rate");
    return FALSE;
  }
  return TRUE;
}

/* What the caps and properties of both sides make of a buffer. */
static gboolean
check_formats (GstRobocacheResample *resample, const GstCaps *in_caps, const GstCaps *out_caps, GError **error)
{
  RobocacheTensorsInfo out;
  RobocacheTensorInfo expected;

  if (!robocache_tensors_info_from_caps (&resample->in, in_caps, error)
      || !robocache_tensors_info_from_caps (&out, out_caps, error))
    return FALSE;
  resample->batch = resample->in.n_tensors == BATCH_N_TENSORS;
  if (resample->batch ? !check_batch (&resample->in, &resample->run, error)
      : !robocache_row_layout_from_info (&resample->layout, &resample->in, error))
    return FALSE;
  if (!resample->batch && out.rate_num == 0) {
    g_set_error (error, ROBOCACHE_ERROR, ROBOCACHE_ERROR_PROPERTY, "nothing says which rate to make: the input has no "
        "nominal one and downstream asks for none; set rate, like rate=100/1");
    return FALSE;
  }
  output_tensor (&resample->in, robocache_dtype_resolve (resample->run.dtype, resample->in.tensors[0].dtype), &expected);
  resample->out = out.tensors[0];
  if (out.n_tensors != 1 || memcmp (&expected.dims, &resample->out.dims, expected.rank * sizeof (guint64)) != 0
      || expected.rank != resample->out.rank || expected.dtype != resample->out.dtype) {
    gchar *ours = robocache_dimensions_to_string (&expected), *theirs = robocache_dimensions_to_string (&resample->out);

    g_set_error (error, ROBOCACHE_ERROR, ROBOCACHE_ERROR_CAPS, "downstream takes %s of dimensions %s, but the input makes %s "
        "of dimensions %s", rc_dtype_name (resample->out.dtype), theirs, rc_dtype_name (expected.dtype), ours);
    g_free (ours);
    g_free (theirs);
    return FALSE;
  }
  resample->grid.num = resample->batch && resample->run.rate[0] > 0 ? resample->run.rate[0] : out.rate_num;
  resample->grid.den = resample->batch && resample->run.rate[0] > 0 ? resample->run.rate[1] : out.rate_den;
  return TRUE;
}

static gboolean
make_plan (GstRobocacheResample *resample, GError **error)
{
  const gboolean hold = resample->run.gap_policy == GAP_HOLD;
  RcAlignStreamSpec stream = {
    .in = resample->in.tensors[0].dtype,
    .out = resample->out.dtype,
    .channels = (gint64) robocache_tensor_info_dim (&resample->in.tensors[0], 0),
  };
  const RcAlignSpec spec = { &stream, 1 };
  RobocacheChannelRoles roles = { 0 };
  RcFootprint footprint = { 0 };
  RcError failure;
  RcStatus status;

  resample->search.interpolation = resample->run.interpolation;
  resample->search.max_gap_ns = resample->run.max_gap;
  resample->search.hold_limit_ns = hold ? -1 : 0;
  resample->search.period_ns = resample->grid.num > 0 ? robocache_tick_period (&resample->grid) : 0;
  stream.search = resample->search;

  g_clear_pointer (&resample->plan, rc_align_plan_free);
  GST_OBJECT_LOCK (resample);
  robocache_channel_roles_copy (&roles, &resample->roles);
  GST_OBJECT_UNLOCK (resample);
  robocache_channel_roles_apply (&roles, &stream);
  status = rc_align_plan (resample->device.backend, &spec, &resample->plan, &footprint, &failure);
  robocache_channel_roles_clear (&roles);
  if (status != RC_OK) {
    g_set_error (error, ROBOCACHE_ERROR, ROBOCACHE_ERROR_PROPERTY, "%s", failure.message);
    return FALSE;
  }
  resample->scratch_block = g_realloc (resample->scratch_block, footprint.scratch_bytes + SCRATCH_ALIGNMENT);
  resample->scratch = (gpointer) (((guintptr) resample->scratch_block + SCRATCH_ALIGNMENT - 1)
      & ~(guintptr) (SCRATCH_ALIGNMENT - 1));
  return TRUE;
}

static void
end_history (GstRobocacheResample *resample, gboolean flushed)
{
  GST_OBJECT_LOCK (resample);
  if (resample->has_history) {
    robocache_history_reset (&resample->history, flushed);
    robocache_row_counts_add (&resample->past_counts, &resample->history.counts);
    robocache_history_clear (&resample->history);
    resample->has_history = FALSE;
  }
  GST_OBJECT_UNLOCK (resample);
  resample->ticking = FALSE;
}

static void
begin_history (GstRobocacheResample *resample)
{
  const gsize row_bytes = resample->layout.channels * rc_dtype_size (resample->layout.dtype);

  GST_OBJECT_LOCK (resample);
  robocache_history_init (&resample->history, row_bytes, NULL);
  resample->history.reorder_window = resample->run.reorder_window;
  resample->has_history = TRUE;
  GST_OBJECT_UNLOCK (resample);
}

static void update_latency (GstRobocacheResample * resample);

static gboolean
gst_robocache_resample_set_caps (GstBaseTransform *trans, GstCaps *in_caps, GstCaps *out_caps)
{
  GstRobocacheResample *resample = GST_ROBOCACHE_RESAMPLE (trans);
  GError *error = NULL;
  gboolean ok;

  resample->run = get_settings (resample);
  resample->stats_timer.interval = resample->run.stats_interval;
  ok = check_formats (resample, in_caps, out_caps, &error) && make_plan (resample, &error);
  if (!ok) {
    GST_ELEMENT_ERROR (resample, CORE, NEGOTIATION, ("%s", error->message), (NULL));
    g_error_free (error);
    return FALSE;
  }
  end_history (resample, FALSE);
  if (!resample->batch) {
    robocache_row_times_set_rate (&resample->clock, resample->in.rate_num, resample->in.rate_den);
    begin_history (resample);
  }
  update_latency (resample);
  return TRUE;
}

/* ---- latency ---- */

static GstClockTime
own_latency (GstRobocacheResample *resample)
{
  gint64 period;

  if (resample->batch || !resample->has_history)
    return 0;
  if (resample->in.rate_num > 0)
    period = gst_util_uint64_scale_int (GST_SECOND, resample->in.rate_den, resample->in.rate_num);
  else
    period = robocache_history_median_spacing (&resample->history);
  return robocache_interpolation_latency (resample->search.interpolation, period, resample->search.period_ns)
      + resample->run.reorder_window;
}

static void
update_latency (GstRobocacheResample *resample)
{
  const GstClockTime latency = own_latency (resample);
  gboolean changed;

  GST_OBJECT_LOCK (resample);
  changed = latency != resample->announced_latency;
  resample->announced_latency = latency;
  GST_OBJECT_UNLOCK (resample);
  if (changed)
    gst_element_post_message (GST_ELEMENT (resample), gst_message_new_latency (GST_OBJECT (resample)));
}

/* A measured period wavers: the latency follows when it is off by more than an eighth. */
static void
follow_measured_period (GstRobocacheResample *resample)
{
  const guint n = resample->history.n_spacings;
  GstClockTime latency;

  if (resample->in.rate_num > 0 || n == 0 || (n > 4 && n % ROBOCACHE_N_SPACINGS != 0))
    return;
  latency = own_latency (resample);
  if (ABS (GST_CLOCK_DIFF (resample->announced_latency, latency)) > (GstClockTimeDiff) (resample->announced_latency / 8))
    update_latency (resample);
}

static gboolean
answer_latency (GstRobocacheResample *resample, GstQuery *query)
{
  GstClockTime min, max, own;
  gboolean live;

  if (!gst_pad_peer_query (GST_BASE_TRANSFORM_SINK_PAD (resample), query))
    return FALSE;
  gst_query_parse_latency (query, &live, &min, &max);
  GST_OBJECT_LOCK (resample);
  own = resample->announced_latency;
  GST_OBJECT_UNLOCK (resample);
  gst_query_set_latency (query, live, min + own, GST_CLOCK_TIME_IS_VALID (max) ? max + own : max);
  return TRUE;
}

static gboolean
gst_robocache_resample_query (GstBaseTransform *trans, GstPadDirection direction, GstQuery *query)
{
  if (direction == GST_PAD_SRC && GST_QUERY_TYPE (query) == GST_QUERY_LATENCY)
    return answer_latency (GST_ROBOCACHE_RESAMPLE (trans), query);
  return GST_BASE_TRANSFORM_CLASS (parent_class)->query (trans, direction, query);
}

/* Not live, a tick waits until no row can change it any more. */
static void
look_whether_live (GstRobocacheResample *resample)
{
  GstQuery *query = gst_query_new_latency ();

  resample->live = FALSE;
  if (gst_pad_peer_query (GST_BASE_TRANSFORM_SINK_PAD (resample), query))
    gst_query_parse_latency (query, &resample->live, NULL, NULL);
  gst_query_unref (query);
}

/* ---- rows in ---- */

static void
insert_rows (GstRobocacheResample *resample, const RobocacheBufferTimes *times, const guint8 *rows)
{
  GST_OBJECT_LOCK (resample);
  for (guint64 i = 0; i < times->n_rows; i++) {
    gint64 t;

    if (robocache_row_times_nth (&resample->clock, times, i, &t))
      robocache_history_insert (&resample->history, t, rows + i * resample->history.row_bytes);
    else
      robocache_history_count_dropped (&resample->history, 1);
  }
  GST_OBJECT_UNLOCK (resample);
}

static void
count_untimed (GstRobocacheResample *resample, guint64 n_rows)
{
  GST_OBJECT_LOCK (resample);
  robocache_history_count_dropped (&resample->history, n_rows);
  GST_OBJECT_UNLOCK (resample);
  if (!resample->warned_no_time)
    GST_ELEMENT_WARNING (resample, STREAM, FORMAT, ("a buffer without a timestamp, and none before it to go on from; such "
            "buffers are dropped and counted"), (NULL));
  resample->warned_no_time = TRUE;
}

static void
take_rows (GstRobocacheResample *resample, GstBuffer *buffer, const RobocacheTensorsMap *map)
{
  const gint64 *row_times = resample->layout.has_times ? map->data[1] : NULL;
  RobocacheBufferTimes times;

  if (robocache_row_times_begin (&resample->clock, buffer, resample->layout.n_rows, row_times, &times)
      == ROBOCACHE_BUFFER_TIMED)
    insert_rows (resample, &times, map->data[0]);
  else
    count_untimed (resample, times.n_rows);
  follow_measured_period (resample);
}

static GstFlowReturn take_batch (GstRobocacheResample * resample, GstBuffer * buffer, const RobocacheTensorsMap * map);

static GstFlowReturn
gst_robocache_resample_submit_input_buffer (GstBaseTransform *trans, gboolean is_discont, GstBuffer *buffer)
{
  GstRobocacheResample *resample = GST_ROBOCACHE_RESAMPLE (trans);
  GstFlowReturn flow = GST_FLOW_OK;
  RobocacheTensorsMap map;
  GError *error = NULL;

  if (gst_pad_check_reconfigure (GST_BASE_TRANSFORM_SRC_PAD (trans)) && !gst_base_transform_reconfigure (trans)) {
    gst_pad_mark_reconfigure (GST_BASE_TRANSFORM_SRC_PAD (trans));
    gst_buffer_unref (buffer);
    return GST_PAD_IS_FLUSHING (GST_BASE_TRANSFORM_SRC_PAD (trans)) ? GST_FLOW_FLUSHING : GST_FLOW_NOT_NEGOTIATED;
  }
  if (resample->plan == NULL) {
    gst_buffer_unref (buffer);
    return GST_FLOW_NOT_NEGOTIATED;
  }
  if (!robocache_tensors_map (&map, buffer, &resample->in, GST_MAP_READ, &error)) {
    GST_ELEMENT_ERROR (resample, STREAM, FORMAT, ("%s", error->message), (NULL));
    g_error_free (error);
    gst_buffer_unref (buffer);
    return GST_FLOW_ERROR;
  }
  if (resample->batch)
    flow = take_batch (resample, buffer, &map);
  else
    take_rows (resample, buffer, &map);
  robocache_tensors_unmap (&map);
  gst_buffer_unref (buffer);
  return flow;
}

static GstFlowReturn
run_plan (GstRobocacheResample *resample, const RcAlignArgs *args)
{
  RcError failure;

  if (rc_align_run (resample->plan, args, NULL, &failure) == RC_OK)
    return GST_FLOW_OK;
  GST_ELEMENT_ERROR (resample, LIBRARY, FAILED, ("%s", failure.message), (NULL));
  return GST_FLOW_ERROR;
}

/* ---- recorded episodes ---- */

static void
count_batch (GstRobocacheResample *resample, const RcAlignCounters *counters)
{
  GST_OBJECT_LOCK (resample);
  resample->batch_counters.disordered_episodes += counters->disordered_episodes;
  resample->ticks_out += counters->aligned + counters->held + counters->missing;
  resample->ticks_held += counters->held;
  resample->ticks_nan += counters->missing;
  GST_OBJECT_UNLOCK (resample);
}

static GstFlowReturn
take_batch (GstRobocacheResample *resample, GstBuffer *buffer, const RobocacheTensorsMap *map)
{
  const RobocacheTensorInfo *rows = &resample->in.tensors[BATCH_ROWS];
  const gint64 channels = robocache_tensor_info_dim (rows, 0), n_rows = robocache_tensor_info_dim (rows, 1);
  const gint64 batch = robocache_tensor_info_dim (rows, 2);
  const gint64 ticks = robocache_tensor_info_dim (&resample->in.tensors[BATCH_TARGETS], 0);
  GstBuffer *out = gst_buffer_new_allocate (NULL, robocache_tensor_info_size (&resample->out), NULL);
  RcAlignCounters counters = { 0 };
  RcAlignStreamArgs stream = {
    .rows = map->data[BATCH_ROWS],
    .n_rows = n_rows,
    .row_stride = channels * rc_dtype_size (rows->dtype),
    .batch_stride = n_rows * channels * rc_dtype_size (rows->dtype),
    .times = map->data[BATCH_TIMES],
    .times_batch_stride = n_rows * sizeof (gint64),
    .out_row_stride = channels * rc_dtype_size (resample->out.dtype),
    .out_batch_stride = ticks * channels * rc_dtype_size (resample->out.dtype),
    .counters = &counters,
  };
  const RcAlignArgs args = {
    .streams = &stream,
    .batch = batch,
    .ticks = ticks,
    .tick_times = map->data[BATCH_TARGETS],
    .tick_times_batch_stride = ticks * sizeof (gint64),
    .scratch = resample->scratch,
  };
  GstFlowReturn flow;
  GstMapInfo to;

  gst_buffer_map (out, &to, GST_MAP_WRITE);
  stream.out = to.data;
  flow = run_plan (resample, &args);
  gst_buffer_unmap (out, &to);
  if (flow != GST_FLOW_OK) {
    gst_buffer_unref (out);
    return flow;
  }
  count_batch (resample, &counters);
  gst_buffer_copy_into (out, buffer, GST_BUFFER_COPY_FLAGS | GST_BUFFER_COPY_TIMESTAMPS, 0, -1);
  resample->batch_out = out;
  return GST_FLOW_OK;
}

/* ---- ticks out ---- */

/* The next tick: the first one that is not before the first row, and then one after the other. */
static gboolean
next_tick (GstRobocacheResample *resample, gint64 *tick)
{
  const gint64 first = robocache_history_first_time (&resample->history);

  if (first == ROBOCACHE_NO_TIME)
    return FALSE;
  if (!resample->ticking) {
    /* a row that belongs before it may still come */
    if (!resample->live && !resample->history.eos && robocache_history_frontier (&resample->history) < first)
      return FALSE;
    resample->next_index = robocache_tick_at_or_after (&resample->grid, MAX (first, resample->last_tick + 1));
  }
  *tick = robocache_tick_time (&resample->grid, resample->next_index);
  return *tick <= robocache_history_last_time (&resample->history);
}

static GstClockTime
position_of (GstRobocacheResample *resample, gint64 running_time)
{
  return gst_segment_position_from_running_time (&resample->clock.segment, GST_FORMAT_TIME, (guint64) running_time);
}

static GstBuffer *
new_row (GstRobocacheResample *resample, const RobocacheAlignment *alignment)
{
  GstBuffer *buffer = gst_buffer_new_allocate (NULL, robocache_tensor_info_size (&resample->out), NULL);
  RcAlignStreamArgs stream = {
    .rows = robocache_history_rows (&resample->history),
    .n_rows = (gint64) resample->history.n,
    .row_stride = (gint64) resample->history.row_bytes,
    .brackets = &alignment->bracket,
    .out_row_stride = (gint64) robocache_tensor_info_size (&resample->out),
  };
  const RcAlignArgs args = {.streams = &stream,.batch = 1,.ticks = 1,.scratch = resample->scratch };
  GstFlowReturn flow;
  GstMapInfo to;

  gst_buffer_map (buffer, &to, GST_MAP_WRITE);
  stream.out = to.data;
  flow = run_plan (resample, &args);
  gst_buffer_unmap (buffer, &to);
  if (flow != GST_FLOW_OK)
    gst_clear_buffer (&buffer);
  return buffer;
}

/* Aligns the tick, counts it and moves on. */
static void
pass_tick (GstRobocacheResample *resample, gint64 tick, RobocacheAlignment *alignment, gboolean *dropped)
{
  gint32 status;

  GST_OBJECT_LOCK (resample);
  robocache_history_align (&resample->history, &resample->search, tick, alignment);
  status = alignment->bracket.status;
  *dropped = status == RC_MISSING && resample->run.gap_policy == GAP_DROP;
  resample->ticks_out += !*dropped;
  resample->ticks_dropped += *dropped;
  resample->ticks_held += status == RC_HELD;
  resample->ticks_nan += status == RC_MISSING && !*dropped;
  resample->next_index++;
  GST_OBJECT_UNLOCK (resample);
  resample->ticking = TRUE;
  resample->last_tick = tick;
}

static void
let_go (GstRobocacheResample *resample)
{
  GST_OBJECT_LOCK (resample);
  robocache_history_prune (&resample->history, &resample->search, robocache_tick_time (&resample->grid, resample->next_index));
  GST_OBJECT_UNLOCK (resample);
}

static GstStructure *make_stats (GstRobocacheResample * resample);

static void
post_stats_when_due (GstRobocacheResample *resample, gint64 tick)
{
  GstStructure *stats;

  if (!robocache_stats_timer_due (&resample->stats_timer, tick))
    return;
  GST_OBJECT_LOCK (resample);
  stats = make_stats (resample);
  GST_OBJECT_UNLOCK (resample);
  robocache_stats_post (GST_ELEMENT (resample), stats);
}

/* One row a call, until no tick is ready; dropped ticks become GAP events on the way. *buffer is NULL at the end. */
static GstFlowReturn
next_row (GstRobocacheResample *resample, GstBuffer **buffer)
{
  gint64 tick;

  *buffer = NULL;
  while (resample->has_history && next_tick (resample, &tick)
      && robocache_history_ready (&resample->history, &resample->search, tick, !resample->live)) {
    RobocacheAlignment alignment;
    GstClockTime duration;
    gboolean dropped;

    pass_tick (resample, tick, &alignment, &dropped);
    duration = robocache_tick_time (&resample->grid, resample->next_index) - tick;
    if (!dropped && (*buffer = new_row (resample, &alignment)) == NULL)
      return GST_FLOW_ERROR;
    let_go (resample);
    post_stats_when_due (resample, tick);
    if (dropped) {
      if (resample->sent_buffer)
        gst_pad_push_event (GST_BASE_TRANSFORM_SRC_PAD (resample), gst_event_new_gap (position_of (resample, tick), duration));
      resample->discont = TRUE;
      continue;
    }
    GST_BUFFER_PTS (*buffer) = position_of (resample, tick);
    GST_BUFFER_DURATION (*buffer) = duration;
    if (resample->discont)
      GST_BUFFER_FLAG_SET (*buffer, GST_BUFFER_FLAG_DISCONT);
    resample->discont = FALSE;
    resample->sent_buffer = TRUE;
    return GST_FLOW_OK;
  }
  if (resample->has_history && resample->ticking)
    let_go (resample);
  return GST_FLOW_OK;
}

static GstFlowReturn
gst_robocache_resample_generate_output (GstBaseTransform *trans, GstBuffer **buffer)
{
  GstRobocacheResample *resample = GST_ROBOCACHE_RESAMPLE (trans);

  if (resample->batch) {
    *buffer = g_steal_pointer (&resample->batch_out);
    return GST_FLOW_OK;
  }
  return next_row (resample, buffer);
}

static GstFlowReturn
push_ready_rows (GstRobocacheResample *resample)
{
  GstFlowReturn flow;
  GstBuffer *buffer;

  do {
    flow = next_row (resample, &buffer);
    if (buffer)
      flow = gst_pad_push (GST_BASE_TRANSFORM_SRC_PAD (resample), buffer);
  } while (buffer && flow == GST_FLOW_OK);
  return flow;
}

/* ---- events ---- */

/* No more rows of this kind will come: what they still decide goes out. */
static void
drain (GstRobocacheResample *resample)
{
  if (!resample->has_history)
    return;
  robocache_history_eos (&resample->history);
  push_ready_rows (resample);
}

static void
restart_history (GstRobocacheResample *resample, gboolean flushed)
{
  const gboolean had = resample->has_history;

  end_history (resample, flushed);
  if (had)
    begin_history (resample);
}

static gboolean
take_segment (GstRobocacheResample *resample, GstEvent *event)
{
  const GstSegment *segment;

  gst_event_parse_segment (event, &segment);
  if (segment->format != GST_FORMAT_TIME) {
    GST_ELEMENT_ERROR (resample, STREAM, FORMAT, ("a segment in %s, but resampling needs times: expected a TIME segment",
            gst_format_get_name (segment->format)), (NULL));
    return FALSE;
  }
  drain (resample);
  restart_history (resample, FALSE);
  robocache_row_times_set_segment (&resample->clock, segment);
  look_whether_live (resample);
  return TRUE;
}

/* No row comes before the gap's end, so no tick does before that or before the next one that is not decided. */
static gboolean
take_gap (GstRobocacheResample *resample, GstEvent *event)
{
  GstClockTime start, duration, end, running;
  GstClockTime next = GST_CLOCK_TIME_NONE;

  gst_event_parse_gap (event, &start, &duration);
  end = GST_CLOCK_TIME_IS_VALID (duration) ? start + duration : start;
  running = gst_segment_to_running_time (&resample->clock.segment, GST_FORMAT_TIME, end);
  gst_event_unref (event);
  if (!GST_CLOCK_TIME_IS_VALID (running))
    return TRUE;
  if (resample->has_history) {
    GST_OBJECT_LOCK (resample);
    robocache_history_gap (&resample->history, (gint64) running);
    GST_OBJECT_UNLOCK (resample);
    push_ready_rows (resample);
    if (resample->ticking)
      next = position_of (resample, robocache_tick_time (&resample->grid, resample->next_index));
  }
  if (GST_CLOCK_TIME_IS_VALID (next))
    end = MIN (end, next);
  if (end <= start || !resample->sent_buffer)
    return TRUE;
  return gst_pad_push_event (GST_BASE_TRANSFORM_SRC_PAD (resample), gst_event_new_gap (start, end - start));
}

static void
reset_stream (GstRobocacheResample *resample)
{
  resample->last_tick = -1;
  resample->sent_buffer = FALSE;
  resample->discont = TRUE;
  gst_clear_buffer (&resample->batch_out);
  robocache_stats_timer_reset (&resample->stats_timer);
}

static gboolean
gst_robocache_resample_sink_event (GstBaseTransform *trans, GstEvent *event)
{
  GstRobocacheResample *resample = GST_ROBOCACHE_RESAMPLE (trans);

  switch (GST_EVENT_TYPE (event)) {
    case GST_EVENT_SEGMENT:
      if (!resample->batch && !take_segment (resample, event)) {
        gst_event_unref (event);
        return FALSE;
      }
      break;
    case GST_EVENT_CAPS:
    case GST_EVENT_STREAM_START:
    case GST_EVENT_EOS:
      drain (resample);
      break;
    case GST_EVENT_GAP:
      if (resample->batch)
        break;
      return take_gap (resample, event);
    case GST_EVENT_FLUSH_STOP:
      restart_history (resample, TRUE);
      robocache_row_times_set_segment (&resample->clock, &resample->clock.segment);
      reset_stream (resample);
      break;
    default:
      break;
  }
  return GST_BASE_TRANSFORM_CLASS (parent_class)->sink_event (trans, event);
}

/* ---- states ---- */

static gboolean
gst_robocache_resample_start (GstBaseTransform *trans)
{
  GstRobocacheResample *resample = GST_ROBOCACHE_RESAMPLE (trans);

  robocache_row_times_init (&resample->clock);
  reset_stream (resample);
  resample->warned_no_time = FALSE;
  resample->announced_latency = 0;
  GST_OBJECT_LOCK (resample);
  memset (&resample->past_counts, 0, sizeof (resample->past_counts));
  memset (&resample->batch_counters, 0, sizeof (resample->batch_counters));
  resample->ticks_out = resample->ticks_held = resample->ticks_nan = resample->ticks_dropped = 0;
  GST_OBJECT_UNLOCK (resample);
  return robocache_device_open (&resample->device, GST_ELEMENT (resample));
}

static gboolean
gst_robocache_resample_stop (GstBaseTransform *trans)
{
  GstRobocacheResample *resample = GST_ROBOCACHE_RESAMPLE (trans);

  end_history (resample, TRUE);
  reset_stream (resample);
  g_clear_pointer (&resample->plan, rc_align_plan_free);
  g_clear_pointer (&resample->scratch_block, g_free);
  GST_OBJECT_LOCK (resample);
  robocache_device_close (&resample->device);
  GST_OBJECT_UNLOCK (resample);
  return TRUE;
}

/* ---- properties ---- */

/* Called with the object lock. */
static GstStructure *
make_stats (GstRobocacheResample *resample)
{
  GstStructure *stats = gst_structure_new ("robocacheresample", "ticks-out", G_TYPE_UINT64, resample->ticks_out,
      "ticks-held", G_TYPE_UINT64, resample->ticks_held, "ticks-nan", G_TYPE_UINT64, resample->ticks_nan,
      "ticks-dropped", G_TYPE_UINT64, resample->ticks_dropped,
      "disordered-episodes", G_TYPE_UINT64, (guint64) resample->batch_counters.disordered_episodes, NULL);
  RobocacheRowCounts counts = resample->past_counts;

  if (resample->has_history)
    robocache_row_counts_add (&counts, &resample->history.counts);
  robocache_row_counts_to_structure (&counts, resample->has_history ? resample->history.n : 0, stats);
  robocache_device_to_structure (&resample->device, stats);
  return stats;
}

/* Where properties that are a plain field lie. */
static const gsize fields[] = {
  [PROP_RATE] = G_STRUCT_OFFSET (GstRobocacheResample, settings.rate),
  [PROP_INTERPOLATION] = G_STRUCT_OFFSET (GstRobocacheResample, settings.interpolation),
  [PROP_MAX_GAP] = G_STRUCT_OFFSET (GstRobocacheResample, settings.max_gap),
  [PROP_GAP_POLICY] = G_STRUCT_OFFSET (GstRobocacheResample, settings.gap_policy),
  [PROP_REORDER_WINDOW] = G_STRUCT_OFFSET (GstRobocacheResample, settings.reorder_window),
  [PROP_TYPE] = G_STRUCT_OFFSET (GstRobocacheResample, settings.dtype),
  [PROP_STATS_INTERVAL] = G_STRUCT_OFFSET (GstRobocacheResample, settings.stats_interval),
};

static void
gst_robocache_resample_set_property (GObject *object, guint prop_id, const GValue *value, GParamSpec *pspec)
{
  GstRobocacheResample *resample = GST_ROBOCACHE_RESAMPLE (object);

  GST_OBJECT_LOCK (resample);
  if (prop_id >= PROP_DEVICE)
    robocache_device_set_property (&resample->device, prop_id - PROP_DEVICE, value);
  else if (prop_id >= PROP_ROLES)
    robocache_channel_roles_set_property (&resample->roles, prop_id - PROP_ROLES, value);
  else
    robocache_setting_set (G_STRUCT_MEMBER_P (resample, fields[prop_id]), value);
  GST_OBJECT_UNLOCK (resample);
}

static void
gst_robocache_resample_get_property (GObject *object, guint prop_id, GValue *value, GParamSpec *pspec)
{
  GstRobocacheResample *resample = GST_ROBOCACHE_RESAMPLE (object);

  GST_OBJECT_LOCK (resample);
  if (prop_id >= PROP_DEVICE)
    robocache_device_get_property (&resample->device, prop_id - PROP_DEVICE, value);
  else if (prop_id >= PROP_ROLES)
    robocache_channel_roles_get_property (&resample->roles, prop_id - PROP_ROLES, value);
  else if (prop_id == PROP_STATS)
    g_value_take_boxed (value, make_stats (resample));
  else
    robocache_setting_get (G_STRUCT_MEMBER_P (resample, fields[prop_id]), value);
  GST_OBJECT_UNLOCK (resample);
}

static void
install_properties (GObjectClass *object_class)
{
  const GParamFlags ready = G_PARAM_READWRITE | G_PARAM_STATIC_STRINGS | GST_PARAM_MUTABLE_READY;

  g_object_class_install_property (object_class, PROP_RATE, gst_param_spec_fraction ("rate", "Rate",
          "Ticks per second, on a grid anchored at running time 0 (0/1 = downstream's framerate, or else the input's)", 0, 1,
          G_MAXINT, 1, 0, 1, ready));
  g_object_class_install_property (object_class, PROP_INTERPOLATION, g_param_spec_enum ("interpolation", "Interpolation",
          "How a tick's row is made of the rows around it", ROBOCACHE_TYPE_INTERPOLATION, RC_LINEAR, ready));
  g_object_class_install_property (object_class, PROP_MAX_GAP, g_param_spec_int64 ("max-gap", "Maximum gap",
          "Rows further apart than this are not interpolated between (ns, -1 = none)", -1, G_MAXINT64, -1, ready));
  g_object_class_install_property (object_class, PROP_GAP_POLICY, g_param_spec_enum ("gap-policy", "Gap policy",
          "What becomes of the ticks within a gap", TYPE_GAP_POLICY, GAP_DROP, ready));
  g_object_class_install_property (object_class, PROP_REORDER_WINDOW, g_param_spec_int64 ("reorder-window",
          "Reorder window", "How much older than the newest row a row may be when it arrives (ns)", 0, G_MAXINT64, 0, ready));
  g_object_class_install_property (object_class, PROP_TYPE, g_param_spec_enum ("type", "Type",
          "Element type of the output", ROBOCACHE_TYPE_DTYPE, ROBOCACHE_DTYPE_AUTO, ready));
  g_object_class_install_property (object_class, PROP_STATS, g_param_spec_boxed ("stats", "Statistics",
          "Rows and ticks, counted since the element was started", GST_TYPE_STRUCTURE,
          G_PARAM_READABLE | G_PARAM_STATIC_STRINGS));
  g_object_class_install_property (object_class, PROP_STATS_INTERVAL, g_param_spec_uint64 ("stats-interval",
          "Statistics interval", "Post stats as an element message this often (ns of running time, 0 = off)", 0, G_MAXUINT64,
          0, ready));
  robocache_channel_roles_install_properties (object_class, PROP_ROLES);
  robocache_device_install_properties (object_class, PROP_DEVICE);
}

static void
gst_robocache_resample_finalize (GObject *object)
{
  robocache_channel_roles_clear (&GST_ROBOCACHE_RESAMPLE (object)->roles);
  G_OBJECT_CLASS (parent_class)->finalize (object);
}

static void
gst_robocache_resample_class_init (GstRobocacheResampleClass *klass)
{
  GObjectClass *object_class = G_OBJECT_CLASS (klass);
  GstElementClass *element_class = GST_ELEMENT_CLASS (klass);
  GstBaseTransformClass *trans_class = GST_BASE_TRANSFORM_CLASS (klass);

  object_class->set_property = gst_robocache_resample_set_property;
  object_class->get_property = gst_robocache_resample_get_property;
  object_class->finalize = gst_robocache_resample_finalize;
  install_properties (object_class);

  gst_element_class_add_static_pad_template (element_class, &sink_template);
  gst_element_class_add_static_pad_template (element_class, &src_template);
  gst_element_class_set_static_metadata (element_class, "Robot sensor resampler", "Filter/Converter/Tensor",
      "Interpolates the rows of one sensor at the ticks of an exact grid", "The robocache authors");

  trans_class->transform_caps = gst_robocache_resample_transform_caps;
  trans_class->fixate_caps = gst_robocache_resample_fixate_caps;
  trans_class->set_caps = gst_robocache_resample_set_caps;
  trans_class->query = gst_robocache_resample_query;
  trans_class->submit_input_buffer = gst_robocache_resample_submit_input_buffer;
  trans_class->generate_output = gst_robocache_resample_generate_output;
  trans_class->sink_event = gst_robocache_resample_sink_event;
  trans_class->start = gst_robocache_resample_start;
  trans_class->stop = gst_robocache_resample_stop;

  gst_type_mark_as_plugin_api (TYPE_GAP_POLICY, 0);
}

static void
gst_robocache_resample_init (GstRobocacheResample *resample)
{
  resample->settings.rate[1] = 1;
  resample->settings.interpolation = RC_LINEAR;
  resample->settings.max_gap = -1;
  resample->settings.gap_policy = GAP_DROP;
  resample->settings.dtype = ROBOCACHE_DTYPE_AUTO;
  robocache_device_init (&resample->device);
  robocache_row_times_init (&resample->clock);
  reset_stream (resample);
  gst_base_transform_set_gap_aware (GST_BASE_TRANSFORM (resample), TRUE);
}
