/* robocache: a sink pad of robocachefuse: whose clock its times are of
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "timestamps.h"

#include "common/element/properties.h"
#include "gstrobocachefuse.h"

GST_DEBUG_CATEGORY_EXTERN (gst_robocache_fuse_debug);
#define GST_CAT_DEFAULT gst_robocache_fuse_debug

#define DEFAULT_REFERENCE "timestamp/x-ntp"

/* ---- properties ---- */

enum
{
  TIMING_TIMESTAMP_SOURCE,
  TIMING_REFERENCE_CAPS,
  TIMING_REFERENCE_CLOCK,
  TIMING_REFERENCE_ORIGIN,
  TIMING_CLOCK_MODE
};

static ROBOCACHE_DEFINE_ENUM (timestamp_source_get_type, "RobocacheTimestampSource",
    {GST_ROBOCACHE_FUSE_TIMES_AUTO, "The int64 tensor where there is one, otherwise PTS", "auto"},
    {GST_ROBOCACHE_FUSE_TIMES_PTS, "PTS, even where there is an int64 tensor", "pts"},
    {GST_ROBOCACHE_FUSE_TIMES_ROW_TIMES, "The int64 tensor; it is an error where there is none", "row-times"},
    {GST_ROBOCACHE_FUSE_TIMES_REFERENCE, "The GstReferenceTimestampMeta of reference-caps", "reference"})
static ROBOCACHE_DEFINE_ENUM (reference_clock_get_type, "RobocacheReferenceClock",
    {GST_ROBOCACHE_FUSE_REFERENCE_OTHER, "Another clock than the pipeline's: counted from reference-origin", "other"},
    {GST_ROBOCACHE_FUSE_REFERENCE_PIPELINE, "The pipeline's clock: counted from its base time", "pipeline"})

void
gst_robocache_fuse_timing_init (GstRobocacheFuseTiming *timing)
{
  *timing = (GstRobocacheFuseTiming) {.reference_origin = ROBOCACHE_NO_TIME };
}

void
gst_robocache_fuse_timing_clear (GstRobocacheFuseTiming *timing)
{
  gst_clear_caps (&timing->reference);
}

static gboolean
same_reference (GstCaps *a, GstCaps *b)
{
  return a == b || (a && b && gst_caps_is_equal (a, b));
}

gboolean
gst_robocache_fuse_timing_is_equal (const GstRobocacheFuseTiming *a, const GstRobocacheFuseTiming *b)
{
  return a->source == b->source && a->reference_clock == b->reference_clock && a->clock_mode == b->clock_mode
      && a->reference_origin == b->reference_origin && same_reference (a->reference, b->reference);
}

void
gst_robocache_fuse_timing_copy (GstRobocacheFuseTiming *to, const GstRobocacheFuseTiming *from)
{
  GstCaps *reference = from->reference ? gst_caps_ref (from->reference) : NULL;

  gst_robocache_fuse_timing_clear (to);
  *to = *from;
  to->reference = reference;
}

static const gsize fields[] = {
  [TIMING_TIMESTAMP_SOURCE] = G_STRUCT_OFFSET (GstRobocacheFuseTiming, source),
  [TIMING_REFERENCE_CLOCK] = G_STRUCT_OFFSET (GstRobocacheFuseTiming, reference_clock),
  [TIMING_REFERENCE_ORIGIN] = G_STRUCT_OFFSET (GstRobocacheFuseTiming, reference_origin),
  [TIMING_CLOCK_MODE] = G_STRUCT_OFFSET (GstRobocacheFuseTiming, clock_mode),
};

void
gst_robocache_fuse_timing_set_property (GstRobocacheFuseTiming *timing, guint id, const GValue *value)
{
  if (id == TIMING_REFERENCE_CAPS)
    gst_caps_replace (&timing->reference, (GstCaps *) gst_value_get_caps (value));
  else
    robocache_setting_set (G_STRUCT_MEMBER_P (timing, fields[id]), value);
}

void
gst_robocache_fuse_timing_get_property (const GstRobocacheFuseTiming *timing, guint id, GValue *value)
{
  if (id == TIMING_REFERENCE_CAPS)
    gst_value_set_caps (value, timing->reference);
  else
    robocache_setting_get (G_STRUCT_MEMBER_P (timing, fields[id]), value);
}

void
gst_robocache_fuse_timing_install_properties (GObjectClass *klass, guint first_id)
{
  const GParamFlags playing = G_PARAM_READWRITE | G_PARAM_STATIC_STRINGS | GST_PARAM_MUTABLE_PLAYING;

  g_object_class_install_property (klass, first_id + TIMING_TIMESTAMP_SOURCE, g_param_spec_enum ("timestamp-source",
      "Timestamp source", "What says when a row was captured", timestamp_source_get_type (),
      GST_ROBOCACHE_FUSE_TIMES_AUTO, playing));
  g_object_class_install_property (klass, first_id + TIMING_REFERENCE_CAPS, g_param_spec_boxed ("reference-caps",
      "Reference caps", "The reference whose timestamp metas count (NULL = " DEFAULT_REFERENCE ")", GST_TYPE_CAPS,
      playing));
  g_object_class_install_property (klass, first_id + TIMING_REFERENCE_CLOCK, g_param_spec_enum ("reference-clock",
      "Reference clock", "Which clock the reference's timestamps are of", reference_clock_get_type (),
      GST_ROBOCACHE_FUSE_REFERENCE_OTHER, playing));
  g_object_class_install_property (klass, first_id + TIMING_REFERENCE_ORIGIN, g_param_spec_int64 ("reference-origin",
      "Reference origin", "Reference time that is running time 0 (ns); the least int64: measured at the first meta, and "
      "shared by the pads with these reference-caps", G_MININT64, G_MAXINT64, ROBOCACHE_NO_TIME, playing));
  g_object_class_install_property (klass, first_id + TIMING_CLOCK_MODE, g_param_spec_enum ("clock-mode", "Clock mode",
      "Whose clock the timestamps are of", ROBOCACHE_TYPE_CLOCK_MODE, ROBOCACHE_CLOCK_NONE, playing));
  gst_type_mark_as_plugin_api (timestamp_source_get_type (), 0);
  gst_type_mark_as_plugin_api (reference_clock_get_type (), 0);
  gst_type_mark_as_plugin_api (ROBOCACHE_TYPE_CLOCK_MODE, 0);
}

/* ---- life ---- */

gboolean
gst_robocache_fuse_timing_tracks (const GstRobocacheFusePad *pad)
{
  return pad->active.timing.clock_mode == ROBOCACHE_CLOCK_TRACK;
}

guint64
gst_robocache_fuse_timing_jumps (const GstRobocacheFusePad *pad)
{
  RobocacheClockEstimate estimate = { 0 };

  if (pad->track)
    robocache_clock_track_get (pad->track, &estimate);
  return estimate.jumps;
}

void
gst_robocache_fuse_timing_reset (GstRobocacheFusePad *pad)
{
  pad->account.clock_jumps += gst_robocache_fuse_timing_jumps (pad);
  g_clear_pointer (&pad->track, robocache_clock_track_free);
  pad->measured_origin = ROBOCACHE_NO_TIME;
  pad->warned_no_reference = FALSE;
}

void
gst_robocache_fuse_timing_to_structure (const GstRobocacheFusePad *pad, GstStructure *stats)
{
  RobocacheClockEstimate estimate = {.uncertainty_ns = -1 };

  if (gst_robocache_fuse_timing_tracks (pad)) {
    if (pad->track)
      robocache_clock_track_get (pad->track, &estimate);
    estimate.jumps += pad->account.clock_jumps;
    robocache_clock_estimate_to_structure (&estimate, stats);
  }
  if (pad->measured_origin != ROBOCACHE_NO_TIME)
    gst_structure_set (stats, "reference-origin", G_TYPE_INT64, pad->measured_origin, NULL);
}

/* ---- what a pad's rows must have ---- */

/* The origin is measured where nothing says it, which depends on when buffers come. */
static gboolean
measures_origin (const GstRobocacheFuseTiming *timing)
{
  return timing->source == GST_ROBOCACHE_FUSE_TIMES_REFERENCE && timing->clock_mode == ROBOCACHE_CLOCK_NONE
      && timing->reference_clock == GST_ROBOCACHE_FUSE_REFERENCE_OTHER && timing->reference_origin == ROBOCACHE_NO_TIME;
}

gboolean
gst_robocache_fuse_timing_check (GstRobocacheFusePad *pad, gboolean live, GstClockTime now, GError **error)
{
  const GstRobocacheFuseTiming *timing = &pad->active.timing;

  if (timing->source == GST_ROBOCACHE_FUSE_TIMES_ROW_TIMES && !pad->format.rows.has_times) {
    g_set_error (error, ROBOCACHE_ERROR, ROBOCACHE_ERROR_PROPERTY, "timestamp-source=row-times, but its caps have no "
        "second tensor of int64 with the time of each row: choose another timestamp-source, or send one");
    return FALSE;
  }
  if (gst_robocache_fuse_timing_tracks (pad) && (!live || !GST_CLOCK_TIME_IS_VALID (now))) {
    g_set_error (error, ROBOCACHE_ERROR, ROBOCACHE_ERROR_PROPERTY, "clock-mode=track estimates the sensor's clock from "
        "the arrivals of its rows, but %s: set clock-mode=none, or use a live source in a pipeline with a clock",
        live ? "no clock runs" : "its source is not live, so these say nothing");
    return FALSE;
  }
  if (measures_origin (timing) && !live) {
    g_set_error (error, ROBOCACHE_ERROR, ROBOCACHE_ERROR_PROPERTY, "timestamp-source=reference without a "
        "reference-origin measures it when the first buffer comes, but its source is not live: set reference-origin to "
        "the reference time that is running time 0");
    return FALSE;
  }
  return TRUE;
}

/* ---- reference timestamps ---- */

static GstReferenceTimestampMeta *
reference_of (const GstRobocacheFuseTiming *timing, GstBuffer *buffer)
{
  static GstStaticCaps usual = GST_STATIC_CAPS (DEFAULT_REFERENCE);
  GstCaps *caps = timing->reference ? gst_caps_ref (timing->reference) : gst_static_caps_get (&usual);
  GstReferenceTimestampMeta *meta = gst_buffer_get_reference_timestamp_meta (buffer, caps);

  gst_caps_unref (caps);
  return meta;
}

/* What another pad has measured for the same reference; senders that share a reference then stay together exactly. */
static gint64
origin_of_others (GstRobocacheFuse *fuse, const GstRobocacheFusePad *pad)
{
  for (guint i = 0; i < fuse->pads->len; i++) {
    const GstRobocacheFusePad *other = g_ptr_array_index (fuse->pads, i);

    if (other->measured_origin != ROBOCACHE_NO_TIME
        && same_reference (other->active.timing.reference, pad->active.timing.reference))
      return other->measured_origin;
  }
  return ROBOCACHE_NO_TIME;
}

/* The reference time of running time 0, from a buffer whose running time is known by its PTS or else is now. */
static gint64
measured_origin (GstRobocacheFuse *fuse, GstRobocacheFusePad *pad, GstBuffer *buffer, gint64 reference_time,
    GstClockTime now)
{
  GstClockTime running = now;

  if (pad->measured_origin == ROBOCACHE_NO_TIME)
    pad->measured_origin = origin_of_others (fuse, pad);
  if (pad->measured_origin == ROBOCACHE_NO_TIME) {
    if (GST_BUFFER_PTS_IS_VALID (buffer))
      running = gst_segment_to_running_time (&pad->clock.segment, GST_FORMAT_TIME, GST_BUFFER_PTS (buffer));
    if (!GST_CLOCK_TIME_IS_VALID (running))
      return ROBOCACHE_NO_TIME;
    pad->measured_origin = reference_time - (gint64) running;
    GST_INFO_OBJECT (pad, "running time 0 is %" G_GINT64_FORMAT " on the reference's clock", pad->measured_origin);
  }
  return pad->measured_origin;
}

static gint64
reference_origin (GstRobocacheFuse *fuse, GstRobocacheFusePad *pad, GstBuffer *buffer, gint64 reference_time,
    GstClockTime now)
{
  const GstRobocacheFuseTiming *timing = &pad->active.timing;

  if (timing->clock_mode == ROBOCACHE_CLOCK_TRACK)
    return 0;
  if (timing->reference_clock == GST_ROBOCACHE_FUSE_REFERENCE_PIPELINE)
    return pad->base_time;
  if (timing->reference_origin != ROBOCACHE_NO_TIME)
    return timing->reference_origin;
  return measured_origin (fuse, pad, buffer, reference_time, now);
}

static gboolean
begin_reference (GstRobocacheFusePad *pad, GstBuffer *buffer, GstClockTime now, GstRobocacheFuseBufferTimes *times)
{
  GstObject *fuse = GST_OBJECT_PARENT (pad);
  const GstReferenceTimestampMeta *meta = reference_of (&pad->active.timing, buffer);

  if (fuse == NULL || meta == NULL || meta->timestamp > G_MAXINT64)
    return FALSE;
  times->by_reference = TRUE;
  times->rows.pts = meta->timestamp;
  times->rows.row_times = NULL;
  if (GST_CLOCK_TIME_IS_VALID (meta->duration))
    times->rows.duration = meta->duration;
  times->origin = reference_origin (GST_ROBOCACHE_FUSE (fuse), pad, buffer, (gint64) meta->timestamp, now);
  return times->origin != ROBOCACHE_NO_TIME;
}

/* ---- the rows of a buffer ---- */

/* On the sensor's timeline. */
static gboolean
sensor_time (const GstRobocacheFusePad *pad, const GstRobocacheFuseBufferTimes *times, guint64 i, gint64 *t)
{
  guint64 later = 0;

  if (!times->by_reference)
    return robocache_row_times_nth (&pad->clock, &times->rows, i, t);
  if (i > 0 && GST_CLOCK_TIME_IS_VALID (times->rows.duration))
    later = gst_util_uint64_scale (times->rows.duration, i, times->rows.n_rows);
  return !__builtin_sub_overflow ((gint64) times->rows.pts, times->origin, t)
      && !__builtin_add_overflow (*t, (gint64) later, t);
}

/* The newest row is the one that has waited least. */
static void
take_arrival (GstRobocacheFusePad *pad, const GstRobocacheFuseBufferTimes *times, GstClockTime now)
{
  gint64 newest;

  if (pad->track == NULL)
    pad->track = robocache_clock_track_new ();
  if (times->rows.n_rows > 0 && sensor_time (pad, times, times->rows.n_rows - 1, &newest))
    robocache_clock_track_add (pad->track, newest, (gint64) now + pad->base_time);
}

GstRobocacheFuseBufferTiming
gst_robocache_fuse_timing_begin (GstRobocacheFusePad *pad, GstBuffer *buffer, const gint64 *row_times, GstClockTime now,
    GstRobocacheFuseBufferTimes *times)
{
  const GstRobocacheFuseTiming *timing = &pad->active.timing;
  const gint64 *used = timing->source == GST_ROBOCACHE_FUSE_TIMES_PTS ? NULL : row_times;
  RobocacheBufferTiming timed;

  *times = (GstRobocacheFuseBufferTimes) {.by_reference = FALSE };
  timed = robocache_row_times_begin (&pad->clock, buffer, pad->format.rows.n_rows, used, &times->rows);
  if (timing->source == GST_ROBOCACHE_FUSE_TIMES_REFERENCE) {
    if (!begin_reference (pad, buffer, now, times))
      return GST_ROBOCACHE_FUSE_BUFFER_WITHOUT_REFERENCE;
  } else if (timed != ROBOCACHE_BUFFER_TIMED) {
    return GST_ROBOCACHE_FUSE_BUFFER_WITHOUT_TIME;
  }
  if (gst_robocache_fuse_timing_tracks (pad))
    take_arrival (pad, times, now);
  return GST_ROBOCACHE_FUSE_BUFFER_TIMED;
}

/* Arrivals are times of the clock, and not running times: those stand still while the pipeline is paused. */
static gboolean
tracked (const GstRobocacheFusePad *pad, gint64 *t)
{
  if (!gst_robocache_fuse_timing_tracks (pad))
    return TRUE;
  if (pad->track == NULL)
    return FALSE;
  return !__builtin_sub_overflow (robocache_clock_track_map (pad->track, *t), pad->base_time, t);
}

gboolean
gst_robocache_fuse_timing_nth (const GstRobocacheFusePad *pad, const GstRobocacheFuseBufferTimes *times, guint64 i,
    gint64 *running_time)
{
  return sensor_time (pad, times, i, running_time) && tracked (pad, running_time) && *running_time >= 0;
}

gboolean
gst_robocache_fuse_timing_of_gap (const GstRobocacheFusePad *pad, gint64 *running_time)
{
  return pad->active.timing.source != GST_ROBOCACHE_FUSE_TIMES_REFERENCE && tracked (pad, running_time);
}

void
gst_robocache_fuse_timing_warn_of_reference (GstRobocacheFuse *fuse, GstRobocacheFusePad *pad)
{
  gchar *caps;

  FUSE_LOCK (fuse);
  caps = pad->active.timing.reference ? gst_caps_to_string (pad->active.timing.reference) : g_strdup (DEFAULT_REFERENCE);
  FUSE_UNLOCK (fuse);
  GST_ELEMENT_WARNING (fuse, STREAM, FORMAT, ("%s: a buffer without a reference timestamp of %s; such buffers are dropped "
          "and counted (stats: rows-dropped-no-reference). rtpbin adds them with add-reference-timestamp-meta, from the "
          "first sender report on", GST_OBJECT_NAME (pad), caps), (NULL));
  g_free (caps);
}
