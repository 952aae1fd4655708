/* robocache: robocachekinematics, joints to poses and back
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
/**
 * SECTION:element-robocachekinematics
 * @title: robocachekinematics
 *
 * Computes poses, Jacobians or velocities of a robot's links from its joints, or joints from poses. The robot is a URDF file.
 *
 * |[
 * gst-launch-1.0 robocachefuse name=fuse rate=50/1 layout=concat ! robocachekinematics urdf=robot.urdf frames=tool append=true \
 *     ! fakesink silent=false -v  robocachetestsrc kind=proprio is-live=true ! fuse.
 * ]|
 * |[
 * gst-launch-1.0 filesrc location=run.csv ! robocacheparse ! robocachekinematics urdf=robot.urdf frames=tool type=float64 \
 *     ! filesink location=tool.f64
 * ]|
 */
#include "gstrobocachekinematics.h"

#include "common/channels/channelkinds.h"
#include "common/device/budget.h"
#include "common/element/errors.h"
#include "common/element/inputfaults.h"
#include "common/element/propertytypes.h"
#include "common/tensors/flexibleinput.h"
#include "common/tensors/tensorbuffer.h"
#include "common/time/segments.h"
#include "converter.h"
#include "kernels/floatmode.h"
#include "outputkinds.h"
#include "properties.h"
#include "rowcaps.h"
#include "urdf/urdf.h"

GST_DEBUG_CATEGORY_STATIC (gst_robocache_kinematics_debug);
#define GST_CAT_DEFAULT gst_robocache_kinematics_debug

struct _GstRobocacheKinematics
{
  GstBaseTransform parent;

  /* object lock */
  RobocacheKinematicsProperties properties;
  RobocacheKinematicsCounts counts;
  GstClockTime last_pts;

  /* between start and stop */
  RobocacheKinematicsSettings settings;
  RobocacheRobot *robot;
  RcBackend *backend;

  /* stream lock */
  RobocacheConverter converter;
  RobocacheTensorsInfo in, out;
  RobocacheFlexibleInput flexible;
  RobocacheInputFaults faults;
  gboolean tried_caps;          /* set_caps was called since last cleared */
  gchar *refusal;               /* the last error about caps or segment, while nothing was right since */
};

static GstStaticPadTemplate sink_template = GST_STATIC_PAD_TEMPLATE ("sink", GST_PAD_SINK, GST_PAD_ALWAYS,
    GST_STATIC_CAPS (ROBOCACHE_TENSORS_MEDIA_TYPE));
static GstStaticPadTemplate src_template = GST_STATIC_PAD_TEMPLATE ("src", GST_PAD_SRC, GST_PAD_ALWAYS,
    GST_STATIC_CAPS (ROBOCACHE_TENSORS_MEDIA_TYPE));

#define gst_robocache_kinematics_parent_class parent_class
G_DEFINE_TYPE_WITH_CODE (GstRobocacheKinematics, gst_robocache_kinematics, GST_TYPE_BASE_TRANSFORM,
    GST_DEBUG_CATEGORY_INIT (gst_robocache_kinematics_debug, "robocachekinematics", 0, "joints to poses and back"));
GST_ELEMENT_REGISTER_DEFINE (robocachekinematics, "robocachekinematics", GST_RANK_NONE, GST_TYPE_ROBOCACHE_KINEMATICS);

/* ---- negotiate ---- */

static GstCaps *
transform_caps (GstBaseTransform *trans, GstPadDirection direction, GstCaps *caps, GstCaps *filter)
{
  GstCaps *ours = robocache_flexible_input_resolve (&GST_ROBOCACHE_KINEMATICS (trans)->flexible, caps);
  GstCaps *other = robocache_kinematics_transform_caps (direction, ours, filter);

  gst_caps_unref (ours);
  return other;
}

static gboolean
accept_caps (GstBaseTransform *trans, GstPadDirection direction, GstCaps *caps)
{
  return robocache_flexible_input_accept_caps (trans, GST_BASE_TRANSFORM_CLASS (parent_class), direction, caps);
}

static gboolean
query (GstBaseTransform *trans, GstPadDirection direction, GstQuery *asked)
{
  return robocache_flexible_input_query (&GST_ROBOCACHE_KINEMATICS (trans)->flexible, trans, GST_BASE_TRANSFORM_CLASS (parent_class), direction,
      asked);
}

/* The converter, and both formats, for caps. FALSE and an error. */
static gboolean
open_format (GstRobocacheKinematics *self, RobocacheConverter *converter, const GstCaps *caps, RobocacheTensorsInfo *in,
    RobocacheTensorsInfo *out, GError **error)
{
  const gchar *names = gst_structure_get_string (gst_caps_get_structure (caps, 0), "channels");
  guint64 n;

  if (self->robot == NULL) {
    g_set_error (error, ROBOCACHE_ERROR, ROBOCACHE_ERROR_PROPERTY, "no robot: set urdf");
    return FALSE;
  }
  if (!robocache_kinematics_parse_caps (in, caps, error))
    return FALSE;
  n = robocache_tensor_info_dim (&in->tensors[0], 0);
  if (!robocache_check_memory (n * sizeof (gdouble), "a row", "send fewer channels", error)
      || !robocache_converter_init (converter, &self->settings, self->robot, self->backend, in->tensors[0].dtype, n, names, error))
    return FALSE;
  robocache_kinematics_describe_output (in, robocache_converter_channels (converter), converter->out, out);
  return TRUE;
}

/* Output for fixed caps of the input; NULL where set_caps will refuse them. */
static GstCaps *
output_for (GstRobocacheKinematics *self, const GstCaps *caps)
{
  const GstStructure *structure = gst_caps_get_structure (caps, 0);
  RobocacheConverter converter = { 0 };
  RobocacheTensorsInfo in, out;
  GstCaps *made = NULL;
  gchar *kinds = NULL;

  if (open_format (self, &converter, caps, &in, &out, NULL)) {
    kinds = robocache_kinematics_output_kinds (&converter, self->robot, gst_structure_get_string (structure, ROBOCACHE_KINDS_FIELD),
        gst_structure_get_string (structure, "channels"));
    made = robocache_kinematics_output_caps (caps, &out, converter.names, kinds, self->settings.append);
  }
  g_free (kinds);
  robocache_converter_clear (&converter);
  return made;
}

static GstCaps *
fixate_caps (GstBaseTransform *trans, GstPadDirection direction, GstCaps *caps, GstCaps *other)
{
  GstRobocacheKinematics *self = GST_ROBOCACHE_KINEMATICS (trans);
  GstCaps *input = robocache_flexible_input_resolve (&self->flexible, caps), *ours, *peer, *spelled;

  ours = direction == GST_PAD_SINK ? output_for (self, input) : NULL;
  gst_caps_unref (input);
  if (ours == NULL) {
    gst_caps_unref (other);
    return gst_caps_copy (caps);
  }
  peer = gst_pad_peer_query_caps (GST_BASE_TRANSFORM_SRC_PAD (trans), NULL);
  spelled = robocache_tensors_caps_in_spelling_of (ours, peer);
  gst_caps_unref (peer);
  gst_caps_unref (ours);
  gst_caps_unref (other);
  return spelled;
}

static void
refuse (GstRobocacheKinematics *self, GError *error)
{
  robocache_post_error_once (GST_ELEMENT (self), error, &self->refusal);
  g_error_free (error);
}

/* Live, good caps may follow. */
static void
refuse_caps (GstRobocacheKinematics *self, GError *error)
{
  if (robocache_input_faults_await_caps (&self->faults, error))
    g_error_free (error);
  else
    refuse (self, error);
}

static void
log_columns (GstRobocacheKinematics *self)
{
  const RobocacheConverter *converter = &self->converter;

  GST_INFO_OBJECT (self, "%" G_GUINT64_FORMAT " channels become %" G_GUINT64_FORMAT ": %s", converter->n_in, robocache_converter_channels (converter),
      converter->names);
  for (gint i = 0; i < converter->model.spec.n_variables; i++)
    GST_INFO_OBJECT (self, "joint %s is channel %d (-1: no channel)", robocache_robot_joint (self->robot, converter->model.variables[i])->name,
        converter->columns.positions[i]);
}

static gboolean
set_caps (GstBaseTransform *trans, GstCaps *in_caps, GstCaps *out_caps)
{
  GstRobocacheKinematics *self = GST_ROBOCACHE_KINEMATICS (trans);
  GstCaps *ours = robocache_flexible_input_resolve (&self->flexible, in_caps);
  GError *error = NULL;
  gboolean is_open;

  self->tried_caps = TRUE;
  GST_INFO_OBJECT (self, "%" GST_PTR_FORMAT " to %" GST_PTR_FORMAT, ours, out_caps);
  is_open = open_format (self, &self->converter, ours, &self->in, &self->out, &error);
  gst_caps_unref (ours);
  if (is_open) {
    log_columns (self);
    g_clear_pointer (&self->refusal, g_free);
    return TRUE;
  }
  robocache_converter_clear (&self->converter);
  refuse_caps (self, error);
  return FALSE;
}

/* Where the base class finds no caps for both sides it only logs that. */
static gboolean
handle_caps (GstRobocacheKinematics *self, GstEvent *event)
{
  GstBaseTransform *trans = GST_BASE_TRANSFORM (self);
  GstCaps *caps, *ours, *peer;
  gboolean ok;

  gst_event_parse_caps (event, &caps);
  gst_caps_ref (caps);
  self->tried_caps = FALSE;
  robocache_input_faults_begin_caps (&self->faults);
  ok = GST_BASE_TRANSFORM_CLASS (parent_class)->sink_event (trans, event);
  if (!ok && !self->tried_caps && !GST_PAD_IS_FLUSHING (GST_BASE_TRANSFORM_SRC_PAD (trans))) {
    ours = output_for (self, caps);
    peer = gst_pad_peer_query_caps (GST_BASE_TRANSFORM_SRC_PAD (trans), NULL);
    if (ours) {
      gchar *ours_text = gst_caps_to_string (ours), *peer_text = gst_caps_to_string (peer);

      refuse (self, g_error_new (ROBOCACHE_ERROR, ROBOCACHE_ERROR_CAPS, "downstream accepts only %s, but the output is %s", peer_text,
              ours_text));
      g_free (ours_text);
      g_free (peer_text);
    } else {
      /* posts the reason */
      set_caps (trans, caps, caps);
    }
    gst_clear_caps (&ours);
    gst_caps_unref (peer);
  }
  gst_caps_unref (caps);
  return robocache_input_faults_end_caps (&self->faults, ok);
}

/* Output is memory of the element, so pools of downstream would stay empty. */
static gboolean
decide_allocation (GstBaseTransform *trans, GstQuery *query)
{
  return TRUE;
}

/* ---- events ---- */

static gboolean
check_segment (GstRobocacheKinematics *self, GstEvent *event)
{
  const GstSegment *segment;
  GError *error = NULL;

  gst_event_parse_segment (event, &segment);
  if (robocache_segment_check (segment, &error))
    return TRUE;
  refuse (self, error);
  return FALSE;
}

static gboolean
sink_event (GstBaseTransform *trans, GstEvent *event)
{
  GstRobocacheKinematics *self = GST_ROBOCACHE_KINEMATICS (trans);
  GError *error = NULL;

  GST_DEBUG_OBJECT (GST_BASE_TRANSFORM_SINK_PAD (trans), "%" GST_PTR_FORMAT, event);
  if (robocache_flexible_input_take_event (&self->flexible, event, &error)) {
    if (error)
      refuse (self, error);
    return error == NULL;
  }
  switch (GST_EVENT_TYPE (event)) {
    case GST_EVENT_CAPS:
      return handle_caps (self, event);
    case GST_EVENT_SEGMENT:
      if (!check_segment (self, event)) {
        gst_event_unref (event);
        return FALSE;
      }
      robocache_converter_reset (&self->converter);
      break;
    case GST_EVENT_STREAM_START:
    case GST_EVENT_FLUSH_STOP:
      robocache_converter_reset (&self->converter);
      break;
    case GST_EVENT_EOS:
      robocache_statistics_post_last (GST_ELEMENT (self));
      break;
    default:
      break;
  }
  return GST_BASE_TRANSFORM_CLASS (parent_class)->sink_event (trans, event);
}

/* ---- convert ---- */

/* An error of a buffer, which is taken: live, it costs that buffer alone. */
static GstFlowReturn
refuse_buffer (GstRobocacheKinematics *self, GError *error)
{
  const gboolean is_dropped = robocache_input_faults_drop (&self->faults, error);

  if (!is_dropped)
    robocache_post_error (GST_ELEMENT (self), error);
  g_error_free (error);
  return is_dropped ? GST_BASE_TRANSFORM_FLOW_DROPPED : GST_FLOW_ERROR;
}

static GstFlowReturn
submit_input_buffer (GstBaseTransform *trans, gboolean is_discont, GstBuffer *input)
{
  GstRobocacheKinematics *self = GST_ROBOCACHE_KINEMATICS (trans);
  GError *error = NULL;
  GstFlowReturn ret = robocache_flexible_input_strip (&self->flexible, &input, &error);

  if (error)
    ret = refuse_buffer (self, error);
  else if (ret == GST_FLOW_OK && robocache_input_faults_skip (&self->faults))
    ret = GST_BASE_TRANSFORM_FLOW_DROPPED;
  if (ret == GST_FLOW_OK)
    return GST_BASE_TRANSFORM_CLASS (parent_class)->submit_input_buffer (trans, is_discont, input);
  gst_buffer_unref (input);
  return ret;
}

/* Output rows in memory of their own, and the other tensors as they are. */
static GstFlowReturn
prepare_output_buffer (GstBaseTransform *trans, GstBuffer *input, GstBuffer **output)
{
  GstRobocacheKinematics *self = GST_ROBOCACHE_KINEMATICS (trans);
  const gsize bytes = robocache_tensor_info_size (&self->out.tensors[0]), skipped = robocache_tensor_info_size (&self->in.tensors[0]);
  GError *error = NULL;
  gpointer rows;

  GST_LOG_OBJECT (self, "%" GST_PTR_FORMAT " becomes %" G_GSIZE_FORMAT " bytes of rows", input, bytes);
  if (!robocache_tensors_check (input, &self->in, &error) || !(rows = robocache_try_malloc (bytes, "output rows", &error)))
    return refuse_buffer (self, error);
  *output = gst_buffer_new_wrapped (rows, bytes);
  if (self->in.n_tensors > 1)
    gst_buffer_copy_into (*output, input, GST_BUFFER_COPY_MEMORY, skipped, gst_buffer_get_size (input) - skipped);
  gst_buffer_copy_into (*output, input, GST_BUFFER_COPY_METADATA, 0, -1);
  return GST_FLOW_OK;
}

static gboolean
convert (GstRobocacheKinematics *self, const RobocacheTensorsMap *map, GstBuffer *output, RobocacheKinematicsCounts *counts,
    GError **error)
{
  const guint64 n = robocache_tensor_info_elements (&self->in.tensors[0]) / self->converter.n_in;
  GstMapInfo rows;
  RcFloatMode mode;
  gboolean ok;

  if (!gst_buffer_map_range (output, 0, 1, &rows, GST_MAP_WRITE)) {
    g_set_error (error, GST_RESOURCE_ERROR, GST_RESOURCE_ERROR_WRITE, "output rows cannot be mapped");
    return FALSE;
  }
  mode = rc_float_mode_enter ();
  ok = robocache_converter_run (&self->converter, map->data[0], rows.data, n, counts, error);
  rc_float_mode_leave (mode);
  gst_buffer_unmap (output, &rows);
  return ok;
}

static void
add_counts (RobocacheKinematicsCounts *sum, const RobocacheKinematicsCounts *more)
{
  sum->rows += more->rows;
  sum->missing += more->missing;
  for (guint i = 0; i < G_N_ELEMENTS (sum->solutions); i++)
    sum->solutions[i] += more->solutions[i];
  sum->iterations += more->iterations;
  sum->max_iterations = MAX (sum->max_iterations, more->max_iterations);
  sum->max_distance = MAX (sum->max_distance, more->max_distance);
  sum->max_angle = MAX (sum->max_angle, more->max_angle);
}

/* Called with the object lock held. */
static GstStructure *
make_stats (const GstRobocacheKinematics *self)
{
  const RobocacheKinematicsCounts *counts = &self->counts;
  GstStructure *stats = gst_structure_new ("robocachekinematics", "rows", G_TYPE_UINT64, counts->rows, "rows-missing", G_TYPE_UINT64, counts->missing,
      "converged", G_TYPE_UINT64, counts->solutions[RC_INVERSE_CONVERGED],
      "not-converged", G_TYPE_UINT64, counts->solutions[RC_INVERSE_NOT_CONVERGED],
      "at-limit", G_TYPE_UINT64, counts->solutions[RC_INVERSE_AT_LIMIT],
      "singular", G_TYPE_UINT64, counts->solutions[RC_INVERSE_SINGULAR],
      "iterations", G_TYPE_UINT64, counts->iterations, "iterations-max", G_TYPE_UINT64, counts->max_iterations,
      "distance-max", G_TYPE_DOUBLE, counts->max_distance, "angle-max", G_TYPE_DOUBLE, counts->max_angle,
      "last-pts", G_TYPE_UINT64, self->last_pts, NULL);

  robocache_input_faults_to_structure (&self->faults, stats);
  return stats;
}

static void
update_stats (GstRobocacheKinematics *self, const RobocacheKinematicsCounts *counts, GstClockTime pts)
{
  const GstSegment *segment = &GST_BASE_TRANSFORM (self)->segment;
  const GstClockTime time = segment->format == GST_FORMAT_TIME ? gst_segment_to_running_time (segment, GST_FORMAT_TIME, pts)
      : GST_CLOCK_TIME_NONE;
  GstStructure *stats = NULL;

  GST_LOG_OBJECT (self, "%" G_GUINT64_FORMAT " rows, %" G_GUINT64_FORMAT " with NaN; ik: %" G_GUINT64_FORMAT " converged, %" G_GUINT64_FORMAT
      " did not, %" G_GUINT64_FORMAT " are at a limit, %" G_GUINT64_FORMAT " singular, %" G_GUINT64_FORMAT " iterations", counts->rows,
      counts->missing, counts->solutions[RC_INVERSE_CONVERGED], counts->solutions[RC_INVERSE_NOT_CONVERGED],
      counts->solutions[RC_INVERSE_AT_LIMIT], counts->solutions[RC_INVERSE_SINGULAR], counts->iterations);
  GST_OBJECT_LOCK (self);
  add_counts (&self->counts, counts);
  self->last_pts = pts;
  if (GST_CLOCK_TIME_IS_VALID (time) && robocache_statistics_timer_due (&self->properties.stats_timer, time))
    stats = make_stats (self);
  GST_OBJECT_UNLOCK (self);
  if (stats)
    robocache_statistics_post (GST_ELEMENT (self), stats);
}

static GstFlowReturn
transform (GstBaseTransform *trans, GstBuffer *input, GstBuffer *output)
{
  GstRobocacheKinematics *self = GST_ROBOCACHE_KINEMATICS (trans);
  RobocacheKinematicsCounts counts = { 0 };
  RobocacheTensorsMap map;
  GError *error = NULL;
  gboolean ok = robocache_tensors_map (&map, input, &self->in, GST_MAP_READ, &error);

  if (ok) {
    ok = convert (self, &map, output, &counts, &error);
    robocache_tensors_unmap (&map);
  }
  if (ok) {
    update_stats (self, &counts, GST_BUFFER_PTS (input));
    return GST_FLOW_OK;
  }
  robocache_post_error (GST_ELEMENT (self), error);
  g_error_free (error);
  return GST_FLOW_ERROR;
}

/* ---- states ---- */

static gboolean
open_robot (GstRobocacheKinematics *self, GError **error)
{
  const RcWhere where = {.kind = RC_BACKEND_CPU };
  RcError failure;

  if (self->settings.urdf == NULL || *self->settings.urdf == '\0') {
    g_set_error (error, ROBOCACHE_ERROR, ROBOCACHE_ERROR_PROPERTY, "urdf is not set: set urdf to the file that describes the robot");
    return FALSE;
  }
  self->robot = robocache_urdf_read (self->settings.urdf, error);
  if (self->robot == NULL)
    return FALSE;
  if (self->settings.type != ROBOCACHE_DTYPE_AUTO && !rc_dtype_is_float ((RcDtype) self->settings.type)) {
    g_set_error (error, ROBOCACHE_ERROR, ROBOCACHE_ERROR_PROPERTY, "type=%s: expected auto, float16, bfloat16, float32 or float64",
        rc_dtype_name ((RcDtype) self->settings.type));
    return FALSE;
  }
  if (rc_backend_open (&where, &self->backend, &failure) == RC_OK)
    return TRUE;
  g_set_error_literal (error, GST_LIBRARY_ERROR, GST_LIBRARY_ERROR_FAILED, failure.message);
  return FALSE;
}

static gboolean
stop (GstBaseTransform *trans)
{
  GstRobocacheKinematics *self = GST_ROBOCACHE_KINEMATICS (trans);

  robocache_converter_clear (&self->converter);
  robocache_flexible_input_clear (&self->flexible);
  g_clear_pointer (&self->robot, robocache_robot_free);
  g_clear_pointer (&self->backend, rc_backend_close);
  g_clear_pointer (&self->refusal, g_free);
  return TRUE;
}

static gboolean
start (GstBaseTransform *trans)
{
  GstRobocacheKinematics *self = GST_ROBOCACHE_KINEMATICS (trans);
  GError *error = NULL;

  GST_OBJECT_LOCK (self);
  robocache_kinematics_settings_copy (&self->settings, &self->properties.settings);
  self->counts = (RobocacheKinematicsCounts) { 0 };
  self->last_pts = GST_CLOCK_TIME_NONE;
  robocache_input_faults_start (&self->faults);
  GST_OBJECT_UNLOCK (self);
  if (open_robot (self, &error)) {
    GST_INFO_OBJECT (self, "%s is robot \"%s\" with %u joints, root %s", self->settings.urdf, self->robot->name, self->robot->joints->len,
        self->robot->root);
    return TRUE;
  }
  robocache_post_error (GST_ELEMENT (self), error);
  g_error_free (error);
  stop (trans);
  return FALSE;
}

/* ---- properties ---- */

static void
set_property (GObject *object, guint id, const GValue *value, GParamSpec *pspec)
{
  GST_OBJECT_LOCK (object);
  robocache_kinematics_properties_set (&GST_ROBOCACHE_KINEMATICS (object)->properties, id, value);
  GST_OBJECT_UNLOCK (object);
  robocache_warn_of_late_setting (object, pspec);
}

static void
get_property (GObject *object, guint id, GValue *value, GParamSpec *pspec)
{
  GstRobocacheKinematics *self = GST_ROBOCACHE_KINEMATICS (object);

  GST_OBJECT_LOCK (self);
  if (id == ROBOCACHE_KINEMATICS_PROP_STATS)
    g_value_take_boxed (value, make_stats (self));
  else
    robocache_kinematics_properties_get (&self->properties, id, value);
  GST_OBJECT_UNLOCK (self);
}

/* ---- class ---- */

static void
finalize (GObject *object)
{
  GstRobocacheKinematics *self = GST_ROBOCACHE_KINEMATICS (object);

  robocache_kinematics_properties_clear (&self->properties);
  robocache_kinematics_settings_clear (&self->settings);
  G_OBJECT_CLASS (parent_class)->finalize (object);
}

static void
gst_robocache_kinematics_class_init (GstRobocacheKinematicsClass *klass)
{
  GObjectClass *object_class = G_OBJECT_CLASS (klass);
  GstElementClass *element_class = GST_ELEMENT_CLASS (klass);
  GstBaseTransformClass *trans_class = GST_BASE_TRANSFORM_CLASS (klass);

  object_class->set_property = set_property;
  object_class->get_property = get_property;
  object_class->finalize = finalize;
  robocache_kinematics_properties_install (object_class);
  g_object_class_install_property (object_class, ROBOCACHE_KINEMATICS_PROP_STATS, g_param_spec_boxed ("stats", "Statistics",
          "Rows and solutions since the element started", GST_TYPE_STRUCTURE, G_PARAM_READABLE | G_PARAM_STATIC_STRINGS));

  gst_element_class_add_static_pad_template (element_class, &sink_template);
  gst_element_class_add_static_pad_template (element_class, &src_template);
  gst_element_class_set_static_metadata (element_class, "Robot kinematics", "Filter/Converter/Tensor",
      "Computes poses of a robot's links from its joints, and joints from poses", "The robocache authors");

  trans_class->transform_caps = transform_caps;
  trans_class->fixate_caps = fixate_caps;
  trans_class->accept_caps = accept_caps;
  trans_class->query = query;
  trans_class->set_caps = set_caps;
  trans_class->decide_allocation = decide_allocation;
  trans_class->sink_event = sink_event;
  trans_class->submit_input_buffer = submit_input_buffer;
  trans_class->prepare_output_buffer = prepare_output_buffer;
  trans_class->transform = transform;
  trans_class->start = start;
  trans_class->stop = stop;
}

static void
gst_robocache_kinematics_init (GstRobocacheKinematics *self)
{
  robocache_kinematics_properties_init (&self->properties);
  self->last_pts = GST_CLOCK_TIME_NONE;
  gst_base_transform_set_gap_aware (GST_BASE_TRANSFORM (self), TRUE);
  robocache_flexible_input_init (&self->flexible, GST_BASE_TRANSFORM_SINK_PAD (self));
  robocache_input_faults_init (&self->faults, GST_BASE_TRANSFORM_SINK_PAD (self), "buffers-dropped-malformed");
}
