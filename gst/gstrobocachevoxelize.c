/* robocache: robocachevoxelize, points to a voxel grid
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/**
 * SECTION:element-robocachevoxelize
 * @title: robocachevoxelize
 * @short_description: turns point clouds and depth images into voxel grids
 *
 * One grid comes out for each cloud that goes in, with its time and metadata.
 *
 * ## From a file of float32 x, y, z
 * |[
 * gst-launch-1.0 filesrc location=cloud.bin blocksize=1439736 \
 *     ! "application/x-pointcloud,fields=(string)\"x,y,z\",type=(string)float32" \
 *     ! robocachevoxelize origin="<-64.0,-64.0,-4.0>" voxel-size="<1.0,1.0,1.0>" grid=128:128:16 \
 *     ! filesink location=grid.bin
 * ]|
 *
 * ## Live, from a depth camera
 * |[
 * gst-launch-1.0 v4l2src device=/dev/video2 ! video/x-raw,format=GRAY16_LE \
 *     ! robocachevoxelize fx=615 fy=615 cx=320 cy=240 mode=centroid output=sparse ! appsink
 * ]|
 */
#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include "gstrobocachevoxelize.h"

#include <string.h>

#include "common/cloudwindow.h"
#include "common/device.h"
#include "common/enumtype.h"
#include "common/memorylimit.h"
#include "common/properties.h"
#include "common/scratch.h"
#include "common/stats.h"
#include "common/tensorpool.h"
#include "common/voxelcaps.h"

GST_DEBUG_CATEGORY_STATIC (gst_robocache_voxelize_debug);
#define GST_CAT_DEFAULT gst_robocache_voxelize_debug

#define DEFAULT_GRID "128:128:32"
#define DEFAULT_MODE RC_VOXEL_OCCUPANCY
#define DEFAULT_OUTPUT RC_VOXEL_DENSE
#define DEFAULT_MAX_VOXELS 65536
#define DEFAULT_ACCUMULATE 1
#define DEFAULT_DEPTH_SCALE 0.001
#define MAX_ACCUMULATE 10000

static const gdouble default_origin[3] = { -6.4, -6.4, -1.6 };
static const gdouble default_voxel_size[3] = { 0.1, 0.1, 0.1 };

/* A grid that was negotiated: what set_caps takes over from fixate_caps. */
typedef struct
{
  RobocachePointsInfo points;
  RobocacheTensorsInfo tensors;
  RcVoxelPlan *plan;
  RcVoxelSpec spec;
  RcFootprint footprint;
  guint accumulate;
} Configuration;

typedef struct
{
  guint64 buffers;
  RcVoxelCounters total;        /* of the clouds, each counted once; occupied is unused */
  gint64 occupied_voxels;       /* of the last grid */
  guint64 buffers_over_cap;
  GstClockTime last_pts;
} Statistics;

struct _GstRobocacheVoxelize
{
  GstBaseTransform parent;

  /* with the object lock */
  RobocacheDevice device;
  RobocacheVoxelSettings settings;
  gchar *grid;                  /* as it was set */
  gchar *wrong_origin, *wrong_voxel_size;       /* what is wrong with the last value; NULL: nothing */
  guint accumulate;
  gboolean settings_changed;    /* since the last negotiation */
  Statistics statistics;
  RobocacheStatsTimer stats_timer;

  /* with the stream lock */
  Configuration current, next;  /* a NULL plan: none */
  GstCaps *in_caps;
  RobocacheCloudWindow window;
  RobocacheScratch scratch;
  gboolean warned_over_cap;
  gchar *refusal;               /* what the last negotiation failed with, already posted; NULL: it did not fail */
};

enum
{
  PROP_0,
  PROP_ORIGIN,
  PROP_VOXEL_SIZE,
  PROP_GRID,
  PROP_MODE,
  PROP_OUTPUT,
  PROP_TYPE,
  PROP_MAX_VOXELS,
  PROP_ACCUMULATE,
  PROP_FEATURE_RANGE,           /* to PROP_DEPTH_SCALE: numbers[] */
  PROP_FX,
  PROP_FY,
  PROP_CX,
  PROP_CY,
  PROP_DEPTH_SCALE,
  PROP_STATS,
  PROP_STATS_INTERVAL,
  PROP_DEVICE_FIRST
};

static GstStaticPadTemplate sink_template = GST_STATIC_PAD_TEMPLATE ("sink", GST_PAD_SINK, GST_PAD_ALWAYS,
    GST_STATIC_CAPS (ROBOCACHE_POINTS_TEMPLATE_CAPS));
static GstStaticPadTemplate src_template = GST_STATIC_PAD_TEMPLATE ("src", GST_PAD_SRC, GST_PAD_ALWAYS,
    GST_STATIC_CAPS (ROBOCACHE_TENSORS_MEDIA_TYPE));

#define GST_TYPE_ROBOCACHE_VOXEL_MODE (gst_robocache_voxel_mode_get_type ())
static ROBOCACHE_DEFINE_ENUM (gst_robocache_voxel_mode_get_type, "GstRobocacheVoxelMode",
    {RC_VOXEL_OCCUPANCY, "1 where there is a point", "occupancy"},
    {RC_VOXEL_COUNT, "Number of points", "count"},
    {RC_VOXEL_MEAN, "Mean of each feature", "mean"},
    {RC_VOXEL_CENTROID, "Mean position of the points", "centroid"},
    {RC_VOXEL_MAX, "Greatest value of each feature", "max"},
    {RC_VOXEL_MIN, "Least value of each feature", "min"})

#define GST_TYPE_ROBOCACHE_VOXEL_OUTPUT (gst_robocache_voxel_output_get_type ())
static ROBOCACHE_DEFINE_ENUM (gst_robocache_voxel_output_get_type, "GstRobocacheVoxelOutput",
    {RC_VOXEL_DENSE, "Every voxel of the grid", "dense"},
    {RC_VOXEL_BITS, "One bit a voxel, for occupancy", "bits"},
    {RC_VOXEL_SPARSE, "Coordinates and values of the occupied voxels", "sparse"})

#define gst_robocache_voxelize_parent_class parent_class
G_DEFINE_TYPE_WITH_CODE (GstRobocacheVoxelize, gst_robocache_voxelize, GST_TYPE_BASE_TRANSFORM,
    GST_DEBUG_CATEGORY_INIT (gst_robocache_voxelize_debug, "robocachevoxelize", 0, "points to voxel grids"));
GST_ELEMENT_REGISTER_DEFINE (robocachevoxelize, "robocachevoxelize", GST_RANK_NONE, GST_TYPE_ROBOCACHE_VOXELIZE);

/* ---- what is held ---- */

static void
configuration_clear (Configuration *configuration)
{
  g_clear_pointer (&configuration->plan, rc_voxel_plan_free);
}

/* ---- negotiate ---- */

/* Posts what a function of common/ or kernels/ said, as the error that fits. */
static void
post_error (GstRobocacheVoxelize *self, const GError *error)
{
  if (error->domain == GST_RESOURCE_ERROR)
    GST_ELEMENT_ERROR (self, RESOURCE, NO_SPACE_LEFT, ("%s", error->message), (NULL));
  else if (error->code == ROBOCACHE_ERROR_PROPERTY)
    GST_ELEMENT_ERROR (self, LIBRARY, SETTINGS, ("%s", error->message), (NULL));
  else if (error->code == ROBOCACHE_ERROR_DATA)
    GST_ELEMENT_ERROR (self, STREAM, FORMAT, ("%s", error->message), (NULL));
  else
    GST_ELEMENT_ERROR (self, CORE, NEGOTIATION, ("%s", error->message), (NULL));
}

static GstCaps *
gst_robocache_voxelize_transform_caps (GstBaseTransform *trans, GstPadDirection direction, GstCaps *caps,
    GstCaps *filter)
{
  GstCaps *result;

  if (direction == GST_PAD_SINK) {
    /* What comes out depends on properties that change, and a peer may spell it in another way: fixate_caps decides,
     * and says what does not fit. A range keeps these caps from being fixed, so that the peer is asked. */
    result = gst_caps_new_simple (ROBOCACHE_TENSORS_MEDIA_TYPE, "num_tensors", GST_TYPE_INT_RANGE, 1,
        ROBOCACHE_MAX_TENSORS, NULL);
  } else {
    result = gst_pad_get_pad_template_caps (trans->sinkpad);
  }
  if (gst_caps_get_size (caps) == 1 && !gst_caps_is_any (caps)) {
    const GValue *framerate = gst_structure_get_value (gst_caps_get_structure (caps, 0), "framerate");

    if (framerate && direction == GST_PAD_SRC) {
      result = gst_caps_make_writable (result);
      gst_caps_set_value (result, "framerate", framerate);
    }
  }
  if (filter) {
    GstCaps *filtered = gst_caps_intersect_full (filter, result, GST_CAPS_INTERSECT_FIRST);

    gst_caps_unref (result);
    result = filtered;
  }
  return result;
}

/* The settings of now, or an error that says which property is malformed. */
static gboolean
take_settings (GstRobocacheVoxelize *self, RobocacheVoxelSettings *settings, guint *accumulate, GError **error)
{
  const gchar *wrong;
  gboolean ok;

  GST_OBJECT_LOCK (self);
  *settings = self->settings;
  *accumulate = self->accumulate;
  self->settings_changed = FALSE;
  wrong = self->wrong_origin ? self->wrong_origin : self->wrong_voxel_size;
  ok = wrong == NULL && robocache_voxel_grid_parse (self->grid, settings->grid, error);
  if (wrong)
    g_set_error_literal (error, ROBOCACHE_ERROR, ROBOCACHE_ERROR_PROPERTY, wrong);
  GST_OBJECT_UNLOCK (self);
  return ok;
}

/* A grid that does not fit this machine is better refused than begun. */
static gboolean
check_memory (const Configuration *next, GError **error)
{
  static const gchar *const advice[] = {
    [RC_VOXEL_DENSE] = "take a smaller grid, or output=sparse",
    [RC_VOXEL_BITS] = "take a smaller grid, or output=sparse",
    [RC_VOXEL_SPARSE] = "lower max-voxels",
  };
  const RcVoxelSpec *spec = &next->spec;
  const guint64 needed = robocache_bytes_add (next->footprint.scratch_bytes,
      robocache_tensors_info_size (&next->tensors));
  gchar *what;
  gboolean fits;

  if (spec->output == RC_VOXEL_SPARSE)
    what = g_strdup_printf ("sparse output of up to %" G_GINT64_FORMAT " voxels", spec->max_voxels);
  else
    what = g_strdup_printf ("a grid of %" G_GINT64_FORMAT ":%" G_GINT64_FORMAT ":%" G_GINT64_FORMAT, spec->grid[0],
        spec->grid[1], spec->grid[2]);
  fits = robocache_check_memory (needed, what, advice[spec->output], error);
  g_free (what);
  return fits;
}

static gboolean
make_plan (GstRobocacheVoxelize *self, Configuration *next, GError **error)
{
  const RobocacheJob job = { FALSE, FALSE, 0, 0, NULL, NULL };
  RcError failed;

  if (!robocache_device_choose (&self->device, GST_ELEMENT (self), &job, error))
    return FALSE;
  if (robocache_engine_is_gpu (self->device.active)) {
    g_set_error_literal (error, ROBOCACHE_ERROR, ROBOCACHE_ERROR_CAPS, "this element takes and gives system memory on the "
        "CPU only: set backend=auto or backend=cpu");
    return FALSE;
  }
  if (rc_voxel_plan (robocache_engine_backend (self->device.active), &next->spec, &next->plan, &next->footprint, &failed) == RC_OK)
    return TRUE;
  g_set_error_literal (error, ROBOCACHE_ERROR, ROBOCACHE_ERROR_CAPS, failed.message);
  return FALSE;
}

/* Fills next and returns its caps, or NULL and an error. peer is what downstream takes; NULL: not linked. */
static GstCaps *
configure (GstRobocacheVoxelize *self, Configuration *next, GstCaps *in_caps, GstCaps *peer, GError **error)
{
  RobocacheVoxelSettings settings;
  GstCaps *caps;

  configuration_clear (next);
  if (!take_settings (self, &settings, &next->accumulate, error)
      || !robocache_points_info_from_caps (&next->points, in_caps, error)
      || !robocache_voxel_settings_check (&settings, &next->points, error))
    return NULL;
  /* what no type could make right comes first */
  next->spec = robocache_voxel_spec (&settings, &next->points, robocache_voxel_dtypes (&settings)[0]);
  if (!make_plan (self, next, error))
    return NULL;
  configuration_clear (next);
  caps = robocache_voxel_choose_caps (&settings, &next->points, peer, &next->spec, &next->tensors, error);
  if (caps && check_memory (next, error) && make_plan (self, next, error))
    return caps;
  gst_clear_caps (&caps);
  return NULL;
}

/* Called on the streaming thread only, once a negotiation: the one place where everything that fixes the output is
 * known. */
static GstCaps *
gst_robocache_voxelize_fixate_caps (GstBaseTransform *trans, GstPadDirection direction, GstCaps *caps,
    GstCaps *othercaps)
{
  GstRobocacheVoxelize *self = GST_ROBOCACHE_VOXELIZE (trans);
  GError *error = NULL;
  GstCaps *result;

  if (direction == GST_PAD_SRC)
    return gst_caps_fixate (othercaps);
  result = configure (self, &self->next, caps, gst_pad_is_linked (trans->srcpad) ? othercaps : NULL, &error);
  gst_caps_unref (othercaps);
  if (result) {
    g_clear_pointer (&self->refusal, g_free);
    return result;
  }
  /* upstream may offer the same caps again before it gives up */
  if (g_strcmp0 (self->refusal, error->message) != 0)
    post_error (self, error);
  g_free (self->refusal);
  self->refusal = g_strdup (error->message);
  g_error_free (error);
  return gst_caps_new_empty ();
}

/* What was negotiated is what computes from now on. */
static void
install_next (GstRobocacheVoxelize *self)
{
  if (self->next.plan == NULL)
    return;
  configuration_clear (&self->current);
  self->current = self->next;
  self->next.plan = NULL;
  self->warned_over_cap = FALSE;
  robocache_scratch_clear (&self->scratch);
  GST_INFO_OBJECT (self, "grid %" G_GINT64_FORMAT ":%" G_GINT64_FORMAT ":%" G_GINT64_FORMAT ", scratch of "
      "%" G_GUINT64_FORMAT
      " bytes and %" G_GUINT64_FORMAT " a point", self->current.spec.grid[0], self->current.spec.grid[1],
      self->current.spec.grid[2], self->current.footprint.scratch_bytes,
      self->current.footprint.scratch_bytes_per_point);
}

static gboolean
gst_robocache_voxelize_set_caps (GstBaseTransform *trans, GstCaps *in_caps, GstCaps *out_caps)
{
  GstRobocacheVoxelize *self = GST_ROBOCACHE_VOXELIZE (trans);

  if (self->in_caps == NULL || !gst_caps_is_equal (in_caps, self->in_caps))
    robocache_cloud_window_clear (&self->window);
  gst_caps_replace (&self->in_caps, in_caps);
  install_next (self);
  return TRUE;
}

/* Ours, since sparse output has a memory a tensor; with the allocator that downstream asks for. */
static gboolean
gst_robocache_voxelize_decide_allocation (GstBaseTransform *trans, GstQuery *query)
{
  GstAllocator *allocator = NULL;
  GstAllocationParams params;
  GstBufferPool *pool;
  GstCaps *caps;
  GError *error = NULL;
  guint min_buffers = 0, size;

  gst_allocation_params_init (&params);
  if (gst_query_get_n_allocation_params (query) > 0)
    gst_query_parse_nth_allocation_param (query, 0, &allocator, &params);
  if (gst_query_get_n_allocation_pools (query) > 0)
    gst_query_parse_nth_allocation_pool (query, 0, NULL, NULL, &min_buffers, NULL);
  gst_query_parse_allocation (query, &caps, NULL);
  pool = robocache_tensor_pool_new (caps, allocator, &params, min_buffers, 0, &error);
  gst_clear_object (&allocator);
  if (pool == NULL) {
    post_error (GST_ROBOCACHE_VOXELIZE (trans), error);
    g_error_free (error);
    return FALSE;
  }
  size = (guint) robocache_tensors_info_size (&GST_ROBOCACHE_VOXELIZE (trans)->current.tensors);
  if (gst_query_get_n_allocation_pools (query) > 0)
    gst_query_set_nth_allocation_pool (query, 0, pool, size, min_buffers, 0);
  else
    gst_query_add_allocation_pool (query, pool, size, min_buffers, 0);
  gst_object_unref (pool);
  return GST_BASE_TRANSFORM_CLASS (parent_class)->decide_allocation (trans, query);
}

/* The window keeps buffers, so upstream's pool needs as many more; strides of images are understood. */
static gboolean
gst_robocache_voxelize_propose_allocation (GstBaseTransform *trans, GstQuery *decide_query, GstQuery *query)
{
  GstRobocacheVoxelize *self = GST_ROBOCACHE_VOXELIZE (trans);

  if (!GST_BASE_TRANSFORM_CLASS (parent_class)->propose_allocation (trans, decide_query, query))
    return FALSE;
  if (self->current.plan == NULL)
    return TRUE;
  if (self->current.points.kind == ROBOCACHE_POINTS_DEPTH) {
    gst_query_add_allocation_meta (query, GST_VIDEO_META_API_TYPE, NULL);
    gst_query_add_allocation_pool (query, NULL, (guint) GST_VIDEO_INFO_SIZE (&self->current.points.video),
        self->current.accumulate + 1, 0);
  } else if (self->current.points.kind == ROBOCACHE_POINTS_TENSOR) {
    gst_query_add_allocation_pool (query, NULL,
        (guint) (self->current.points.n_points * robocache_points_info_point_size (&self->current.points)),
        self->current.accumulate + 1, 0);
  }
  return TRUE;
}

/* ---- take in ---- */

static GstFlowReturn
gst_robocache_voxelize_submit_input_buffer (GstBaseTransform *trans, gboolean is_discont, GstBuffer *input)
{
  GstRobocacheVoxelize *self = GST_ROBOCACHE_VOXELIZE (trans);
  gboolean changed;
  GstFlowReturn ret;

  GST_OBJECT_LOCK (self);
  changed = self->settings_changed;
  GST_OBJECT_UNLOCK (self);
  if (changed)
    gst_base_transform_reconfigure_src (trans);
  ret = GST_BASE_TRANSFORM_CLASS (parent_class)->submit_input_buffer (trans, is_discont, input);
  /* set_caps did it already, unless all caps stayed what they were */
  if (ret == GST_FLOW_OK)
    install_next (self);
  return ret;
}

static gboolean
gst_robocache_voxelize_sink_event (GstBaseTransform *trans, GstEvent *event)
{
  GstRobocacheVoxelize *self = GST_ROBOCACHE_VOXELIZE (trans);
  GstSegment segment;

  switch (GST_EVENT_TYPE (event)) {
    case GST_EVENT_FLUSH_STOP:
      robocache_cloud_window_clear (&self->window);
      GST_OBJECT_LOCK (self);
      robocache_stats_timer_reset (&self->stats_timer);
      GST_OBJECT_UNLOCK (self);
      break;
    case GST_EVENT_STREAM_START:
      robocache_cloud_window_clear (&self->window);
      break;
    case GST_EVENT_SEGMENT:
      gst_event_copy_segment (event, &segment);
      if (!gst_segment_is_equal (&segment, &trans->segment))
        robocache_cloud_window_clear (&self->window);
      break;
    default:
      break;
  }
  return GST_BASE_TRANSFORM_CLASS (parent_class)->sink_event (trans, event);
}

/* ---- voxelize ---- */

static gboolean
run_phase (GstRobocacheVoxelize *self, RobocacheVoxelPhase phase, const RcVoxelJob *job, RcVoxelCounters *counters,
    GError **error)
{
  return robocache_cloud_window_run (&self->window, &self->current.points, phase, self->current.plan, job, counters,
      error);
}

/* Scratch for n points; it grows by half at least, so that a steady stream allocates nothing. */
static gboolean
scratch_reserve (GstRobocacheVoxelize *self, gint64 n, GError **error)
{
  const RcFootprint *footprint = &self->current.footprint;
  const guint64 needed = footprint->scratch_bytes + (guint64) n * footprint->scratch_bytes_per_point;
  const guint64 held = self->scratch.bytes;

  return robocache_scratch_reserve (&self->scratch, self->device.active, needed > held ? MAX (needed, held + held / 2) : needed, error);
}

static void
set_outputs (RcVoxelOut *out, const RobocacheTensorsMap *map, RcVoxelOutput output)
{
  memset (out, 0, sizeof (*out));
  if (output != RC_VOXEL_SPARSE) {
    out->grid = map->data[0];
    return;
  }
  out->n_voxels = map->data[0];
  out->coordinates = map->data[1];
  out->values = map->n_tensors > 2 ? map->data[2] : NULL;
}

/* The grid of the window into map. */
static gboolean
run_job (GstRobocacheVoxelize *self, const RobocacheTensorsMap *map, RcVoxelCounters *counters, GError **error)
{
  RcVoxelPlan *plan = self->current.plan;
  RcVoxelJob job = { robocache_cloud_window_points (&self->window), NULL, NULL };
  RcVoxelOut out;
  RcError failed;

  if (!scratch_reserve (self, job.n_points, error))
    return FALSE;
  job.scratch = self->scratch.data;
  set_outputs (&out, map, self->current.spec.output);
  out.counters = counters;
  if (rc_voxel_begin (plan, &job, NULL, &failed) != RC_OK)
    goto failed;
  if (rc_voxel_needs_range (plan) && !run_phase (self, rc_voxel_range, &job, NULL, error))
    return FALSE;
  if (!run_phase (self, rc_voxel_add, &job, counters, error))
    return FALSE;
  if (rc_voxel_end (plan, &job, &out, NULL, &failed) == RC_OK)
    return TRUE;

failed:
  g_set_error_literal (error, ROBOCACHE_ERROR, ROBOCACHE_ERROR_DATA, failed.message);
  return FALSE;
}

/* ---- hand out ---- */

/* Called with the object lock held. */
static GstStructure *
statistics_to_structure (GstRobocacheVoxelize *self)
{
  const Statistics *s = &self->statistics;
  GstStructure *structure = gst_structure_new ("robocachevoxelize", "buffers", G_TYPE_UINT64, s->buffers,
      "last-pts", G_TYPE_UINT64, s->last_pts,
      "points", G_TYPE_INT64, s->total.points, "points-inside", G_TYPE_INT64, s->total.inside,
      "points-outside", G_TYPE_INT64, s->total.outside, "points-nan", G_TYPE_INT64, s->total.nan,
      "points-infinite", G_TYPE_INT64, s->total.infinite, "values-clamped", G_TYPE_INT64, s->total.clamped,
      "occupied-voxels", G_TYPE_INT64, s->occupied_voxels, "voxels-over-cap", G_TYPE_INT64, s->total.over_cap,
      "buffers-over-cap", G_TYPE_UINT64, s->buffers_over_cap, NULL);

  robocache_device_to_structure (&self->device, structure);
  return structure;
}

static void
count (GstRobocacheVoxelize *self, GstBuffer *input, const RcVoxelCounters *counters)
{
  const GstSegment *segment = &GST_BASE_TRANSFORM (self)->segment;
  GstClockTime running_time = GST_CLOCK_TIME_NONE;
  Statistics *s = &self->statistics;
  GstStructure *due = NULL;

  if (segment->format == GST_FORMAT_TIME)
    running_time = gst_segment_to_running_time (segment, GST_FORMAT_TIME, GST_BUFFER_PTS (input));
  GST_OBJECT_LOCK (self);
  s->buffers++;
  s->last_pts = GST_BUFFER_PTS (input);
  s->total.points += counters->points;
  s->total.inside += counters->inside;
  s->total.outside += counters->outside;
  s->total.nan += counters->nan;
  s->total.infinite += counters->infinite;
  s->total.clamped += counters->clamped;
  s->total.over_cap += counters->over_cap;
  s->occupied_voxels = counters->occupied;
  s->buffers_over_cap += counters->over_cap > 0;
  if (robocache_stats_timer_due (&self->stats_timer, running_time))
    due = statistics_to_structure (self);
  GST_OBJECT_UNLOCK (self);
  if (due)
    robocache_stats_post (GST_ELEMENT (self), due);
}

static void
warn_over_cap (GstRobocacheVoxelize *self, const RcVoxelCounters *counters)
{
  if (counters->over_cap == 0 || self->warned_over_cap)
    return;
  self->warned_over_cap = TRUE;
  GST_ELEMENT_WARNING (self, RESOURCE, NO_SPACE_LEFT, ("%" G_GINT64_FORMAT " voxels are occupied, but max-voxels is %"
          G_GINT64_FORMAT ": the rest is left out and counted in stats; raise max-voxels", counters->occupied,
          self->current.spec.max_voxels), (NULL));
}

static GstFlowReturn
gst_robocache_voxelize_transform (GstBaseTransform *trans, GstBuffer *input, GstBuffer *output)
{
  GstRobocacheVoxelize *self = GST_ROBOCACHE_VOXELIZE (trans);
  RcVoxelCounters counters;
  RobocacheTensorsMap map;
  GError *error = NULL;
  gboolean ok;

  memset (&counters, 0, sizeof (counters));
  ok = robocache_cloud_window_push (&self->window, &self->current.points, self->current.accumulate, input, &error)
      && robocache_tensors_map (&map, output, &self->current.tensors, GST_MAP_WRITE, &error);
  if (ok) {
    ok = run_job (self, &map, &counters, &error);
    robocache_tensors_unmap (&map);
  }
  if (!ok) {
    post_error (self, error);
    g_error_free (error);
    return GST_FLOW_ERROR;
  }
  GST_LOG_OBJECT (self, "%" G_GINT64_FORMAT " points, %" G_GINT64_FORMAT " inside, %" G_GINT64_FORMAT " voxels "
      "occupied", counters.points, counters.inside, counters.occupied);
  count (self, input, &counters);
  warn_over_cap (self, &counters);
  return GST_FLOW_OK;
}

/* ---- begin and end ---- */

static gboolean
gst_robocache_voxelize_start (GstBaseTransform *trans)
{
  GstRobocacheVoxelize *self = GST_ROBOCACHE_VOXELIZE (trans);

  GST_OBJECT_LOCK (self);
  memset (&self->statistics, 0, sizeof (self->statistics));
  self->statistics.last_pts = GST_CLOCK_TIME_NONE;
  robocache_stats_timer_reset (&self->stats_timer);
  GST_OBJECT_UNLOCK (self);
  return robocache_device_open (&self->device, GST_ELEMENT (self));
}

static gboolean
gst_robocache_voxelize_stop (GstBaseTransform *trans)
{
  GstRobocacheVoxelize *self = GST_ROBOCACHE_VOXELIZE (trans);

  robocache_cloud_window_clear (&self->window);
  configuration_clear (&self->current);
  configuration_clear (&self->next);
  robocache_scratch_clear (&self->scratch);
  gst_clear_caps (&self->in_caps);
  g_clear_pointer (&self->refusal, g_free);
  robocache_device_close (&self->device, GST_ELEMENT (self));
  return TRUE;
}

/* ---- properties ---- */

/* The properties that are one number of the settings. */
static const struct
{
  guint id;
  const gchar *name, *nick, *blurb;
  gdouble least, standard;
  gsize offset;                 /* in RobocacheVoxelSettings */
} numbers[] = {
  {PROP_FEATURE_RANGE, "feature-range", "Feature range", "Greatest magnitude of a feature, for mode=mean: larger "
      "values are clamped and counted, and one pass over the points is saved (0 = found in the data)", 0.0, 0.0,
      G_STRUCT_OFFSET (RobocacheVoxelSettings, feature_range)},
  {PROP_FX, "fx", "Focal length x", "Focal length of the depth camera in pixels", 0.0, 0.0,
      G_STRUCT_OFFSET (RobocacheVoxelSettings, fx)},
  {PROP_FY, "fy", "Focal length y", "Focal length of the depth camera in pixels", 0.0, 0.0,
      G_STRUCT_OFFSET (RobocacheVoxelSettings, fy)},
  {PROP_CX, "cx", "Centre x", "Principal point of the depth camera in pixels", -G_MAXDOUBLE, 0.0,
      G_STRUCT_OFFSET (RobocacheVoxelSettings, cx)},
  {PROP_CY, "cy", "Centre y", "Principal point of the depth camera in pixels", -G_MAXDOUBLE, 0.0,
      G_STRUCT_OFFSET (RobocacheVoxelSettings, cy)},
  {PROP_DEPTH_SCALE, "depth-scale", "Depth scale", "Metres of one unit of depth", 0.0, DEFAULT_DEPTH_SCALE,
      G_STRUCT_OFFSET (RobocacheVoxelSettings, depth_scale)},
};

static gdouble *
number_of (RobocacheVoxelSettings *settings, guint id)
{
  for (guint i = 0; i < G_N_ELEMENTS (numbers); i++) {
    if (numbers[i].id == id)
      return (gdouble *) G_STRUCT_MEMBER_P (settings, numbers[i].offset);
  }
  g_return_val_if_reached (NULL);
}

/* Called with the object lock held. *wrong says what is wrong with value, or becomes NULL. */
static void
set_doubles (gdouble xyz[3], gchar **wrong, const gchar *name, const GValue *value)
{
  gchar *text;

  g_clear_pointer (wrong, g_free);
  if (robocache_value_get_doubles (value, xyz, 3))
    return;
  text = g_strdup_value_contents (value);
  *wrong = g_strdup_printf ("%s is %s: expected three numbers, x, y and z, like \"<1.0,1.0,1.0>\"", name, text);
  g_free (text);
}

static void
gst_robocache_voxelize_set_property (GObject *object, guint id, const GValue *value, GParamSpec *pspec)
{
  GstRobocacheVoxelize *self = GST_ROBOCACHE_VOXELIZE (object);
  RobocacheVoxelSettings *settings = &self->settings;
  gboolean known = TRUE;

  GST_OBJECT_LOCK (self);
  self->settings_changed |= id < PROP_STATS;
  switch (id) {
    case PROP_ORIGIN:
      set_doubles (settings->origin, &self->wrong_origin, "origin", value);
      break;
    case PROP_VOXEL_SIZE:
      set_doubles (settings->voxel_size, &self->wrong_voxel_size, "voxel-size", value);
      break;
    case PROP_GRID:
      g_free (self->grid);
      self->grid = g_value_dup_string (value);
      break;
    case PROP_MODE:
      settings->mode = (RcVoxelMode) g_value_get_enum (value);
      break;
    case PROP_OUTPUT:
      settings->output = (RcVoxelOutput) g_value_get_enum (value);
      break;
    case PROP_TYPE:
      settings->dtype = (RcDtype) g_value_get_enum (value);
      break;
    case PROP_MAX_VOXELS:
      settings->max_voxels = g_value_get_int (value);
      break;
    case PROP_FEATURE_RANGE ... PROP_DEPTH_SCALE:
      *number_of (settings, id) = g_value_get_double (value);
      break;
    case PROP_ACCUMULATE:
      self->accumulate = g_value_get_uint (value);
      break;
    case PROP_STATS_INTERVAL:
      self->stats_timer.interval = g_value_get_uint64 (value);
      robocache_stats_timer_reset (&self->stats_timer);
      break;
    default:
      known = id >= PROP_DEVICE_FIRST && id < PROP_DEVICE_FIRST + ROBOCACHE_DEVICE_N_PROPS;
      if (known)
        robocache_device_set_property (&self->device, id - PROP_DEVICE_FIRST, value);
  }
  GST_OBJECT_UNLOCK (self);
  if (!known)
    G_OBJECT_WARN_INVALID_PROPERTY_ID (object, id, pspec);
}

static void
gst_robocache_voxelize_get_property (GObject *object, guint id, GValue *value, GParamSpec *pspec)
{
  GstRobocacheVoxelize *self = GST_ROBOCACHE_VOXELIZE (object);
  RobocacheVoxelSettings *settings = &self->settings;
  gboolean known = TRUE;

  GST_OBJECT_LOCK (self);
  switch (id) {
    case PROP_ORIGIN:
      robocache_value_set_doubles (value, settings->origin, 3);
      break;
    case PROP_VOXEL_SIZE:
      robocache_value_set_doubles (value, settings->voxel_size, 3);
      break;
    case PROP_GRID:
      g_value_set_string (value, self->grid);
      break;
    case PROP_MODE:
      g_value_set_enum (value, (gint) settings->mode);
      break;
    case PROP_OUTPUT:
      g_value_set_enum (value, (gint) settings->output);
      break;
    case PROP_TYPE:
      g_value_set_enum (value, (gint) settings->dtype);
      break;
    case PROP_MAX_VOXELS:
      g_value_set_int (value, (gint) settings->max_voxels);
      break;
    case PROP_FEATURE_RANGE ... PROP_DEPTH_SCALE:
      g_value_set_double (value, *number_of (settings, id));
      break;
    case PROP_ACCUMULATE:
      g_value_set_uint (value, self->accumulate);
      break;
    case PROP_STATS:
      g_value_take_boxed (value, statistics_to_structure (self));
      break;
    case PROP_STATS_INTERVAL:
      g_value_set_uint64 (value, self->stats_timer.interval);
      break;
    default:
      known = id >= PROP_DEVICE_FIRST && id < PROP_DEVICE_FIRST + ROBOCACHE_DEVICE_N_PROPS;
      if (known)
        robocache_device_get_property (&self->device, id - PROP_DEVICE_FIRST, value);
  }
  GST_OBJECT_UNLOCK (self);
  if (!known)
    G_OBJECT_WARN_INVALID_PROPERTY_ID (object, id, pspec);
}

static void
gst_robocache_voxelize_finalize (GObject *object)
{
  GstRobocacheVoxelize *self = GST_ROBOCACHE_VOXELIZE (object);

  robocache_cloud_window_finish (&self->window);
  g_free (self->grid);
  g_free (self->wrong_origin);
  g_free (self->wrong_voxel_size);
  G_OBJECT_CLASS (parent_class)->finalize (object);
}

static void
install_properties (GObjectClass *klass)
{
  const GParamFlags flags = G_PARAM_READWRITE | G_PARAM_STATIC_STRINGS | GST_PARAM_MUTABLE_PLAYING;
  for (guint i = 0; i < G_N_ELEMENTS (numbers); i++)
    g_object_class_install_property (klass, numbers[i].id, g_param_spec_double (numbers[i].name, numbers[i].nick,
            numbers[i].blurb, numbers[i].least, G_MAXDOUBLE, numbers[i].standard, flags));
  g_object_class_install_property (klass, PROP_ORIGIN, robocache_param_spec_doubles ("origin", "Origin",
          "Corner of the grid with the least x, y, z, in metres", flags));
  g_object_class_install_property (klass, PROP_VOXEL_SIZE, robocache_param_spec_doubles ("voxel-size", "Voxel size",
          "Edges of a voxel along x, y, z, in metres", flags));
  g_object_class_install_property (klass, PROP_GRID, g_param_spec_string ("grid", "Grid",
          "Number of voxels along x, y, z, as nx:ny:nz", DEFAULT_GRID, flags));
  g_object_class_install_property (klass, PROP_MODE, g_param_spec_enum ("mode", "Mode", "What a voxel says of its "
      "points", GST_TYPE_ROBOCACHE_VOXEL_MODE, DEFAULT_MODE, flags));
  g_object_class_install_property (klass, PROP_OUTPUT, g_param_spec_enum ("output", "Output", "The form of the grid",
          GST_TYPE_ROBOCACHE_VOXEL_OUTPUT, DEFAULT_OUTPUT, flags));
  g_object_class_install_property (klass, PROP_TYPE, g_param_spec_enum ("type", "Type", "Type of the values: uint8, "
      "uint32, "
          "float16 or float32 (auto = what downstream takes, or uint8 for occupancy, uint32 for count, else float32)",
          ROBOCACHE_TYPE_DTYPE, ROBOCACHE_DTYPE_AUTO, flags));
  g_object_class_install_property (klass, PROP_MAX_VOXELS, g_param_spec_int ("max-voxels", "Max voxels",
          "Capacity of sparse output; more occupied voxels are counted and left out", 1, G_MAXINT, DEFAULT_MAX_VOXELS,
          flags));
  g_object_class_install_property (klass, PROP_ACCUMULATE, g_param_spec_uint ("accumulate", "Accumulate",
          "How many clouds, the newest included, make one grid", 1, MAX_ACCUMULATE, DEFAULT_ACCUMULATE, flags));
  g_object_class_install_property (klass, PROP_STATS, g_param_spec_boxed ("stats", "Statistics",
          "Counters since the element started, exact for the last buffer out", GST_TYPE_STRUCTURE,
          G_PARAM_READABLE | G_PARAM_STATIC_STRINGS));
  g_object_class_install_property (klass, PROP_STATS_INTERVAL, g_param_spec_uint64 ("stats-interval",
      "Statistics interval",
          "Running time between element messages that hold stats, in ns (0 = off)", 0, G_MAXUINT64, 0, flags));
  robocache_device_install_properties (klass, PROP_DEVICE_FIRST);
}

static void
gst_robocache_voxelize_class_init (GstRobocacheVoxelizeClass *klass)
{
  GObjectClass *object_class = G_OBJECT_CLASS (klass);
  GstElementClass *element_class = GST_ELEMENT_CLASS (klass);
  GstBaseTransformClass *transform_class = GST_BASE_TRANSFORM_CLASS (klass);

  object_class->set_property = gst_robocache_voxelize_set_property;
  object_class->get_property = gst_robocache_voxelize_get_property;
  object_class->finalize = gst_robocache_voxelize_finalize;
  install_properties (object_class);

  transform_class->start = gst_robocache_voxelize_start;
  transform_class->stop = gst_robocache_voxelize_stop;
  transform_class->transform_caps = gst_robocache_voxelize_transform_caps;
  transform_class->fixate_caps = gst_robocache_voxelize_fixate_caps;
  transform_class->set_caps = gst_robocache_voxelize_set_caps;
  transform_class->decide_allocation = gst_robocache_voxelize_decide_allocation;
  transform_class->propose_allocation = gst_robocache_voxelize_propose_allocation;
  transform_class->submit_input_buffer = gst_robocache_voxelize_submit_input_buffer;
  transform_class->sink_event = gst_robocache_voxelize_sink_event;
  transform_class->transform = gst_robocache_voxelize_transform;

  gst_element_class_add_static_pad_template (element_class, &sink_template);
  gst_element_class_add_static_pad_template (element_class, &src_template);
  gst_element_class_set_static_metadata (element_class, "Voxel grids from points", "Filter/Converter",
      "Turns point clouds and depth images into dense, bit or sparse voxel grids", "The robocache authors");
  gst_type_mark_as_plugin_api (GST_TYPE_ROBOCACHE_VOXEL_MODE, 0);
  gst_type_mark_as_plugin_api (GST_TYPE_ROBOCACHE_VOXEL_OUTPUT, 0);
}

static void
gst_robocache_voxelize_init (GstRobocacheVoxelize *self)
{
  robocache_device_init (&self->device);
  memcpy (self->settings.origin, default_origin, sizeof (default_origin));
  memcpy (self->settings.voxel_size, default_voxel_size, sizeof (default_voxel_size));
  self->settings.mode = DEFAULT_MODE;
  self->settings.output = DEFAULT_OUTPUT;
  self->settings.dtype = ROBOCACHE_DTYPE_AUTO;
  self->settings.max_voxels = DEFAULT_MAX_VOXELS;
  self->settings.depth_scale = DEFAULT_DEPTH_SCALE;
  self->grid = g_strdup (DEFAULT_GRID);
  self->accumulate = DEFAULT_ACCUMULATE;
  self->statistics.last_pts = GST_CLOCK_TIME_NONE;
  robocache_stats_timer_reset (&self->stats_timer);
  robocache_cloud_window_init (&self->window);
}
