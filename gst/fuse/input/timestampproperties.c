/* robocache: properties about the clock of a stream's timestamps
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "timestampproperties.h"

#include "common/element/propertytypes.h"
#include "common/rows/reports.h"

enum
{
  PROP_TIMESTAMP_SOURCE,
  PROP_REFERENCE_CAPS,
  PROP_REFERENCE_CLOCK,
  PROP_REFERENCE_ORIGIN,
  PROP_CLOCK_MODE
};

static ROBOCACHE_DEFINE_ENUM (timestamp_source_get_type, "GstRobocacheTimestampSource",
    {FUSE_TIMES_AUTO, "The int64 tensor of times if there is one, otherwise PTS", "auto"},
    {FUSE_TIMES_PTS, "PTS, even if there is an int64 tensor of times", "pts"},
    {FUSE_TIMES_ROW_TIMES, "The int64 tensor of times, which is required", "row-times"},
    {FUSE_TIMES_REFERENCE, "The GstReferenceTimestampMeta of reference-caps", "reference"})
static ROBOCACHE_DEFINE_ENUM (reference_clock_get_type, "GstRobocacheReferenceClock",
    {FUSE_REFERENCE_OTHER, "Another clock: times count from reference-origin", "other"},
    {FUSE_REFERENCE_PIPELINE, "The pipeline's clock: times count from its base time", "pipeline"})

void
fuse_timestamp_properties_init (FuseTimestampProperties *properties)
{
  *properties = (FuseTimestampProperties) {.settings.reference_origin = ROBOCACHE_NO_TIME };
}

void
fuse_timestamp_properties_clear (FuseTimestampProperties *properties)
{
  gst_clear_caps (&properties->reference);
}

static const gsize fields[] = {
  [PROP_TIMESTAMP_SOURCE] = G_STRUCT_OFFSET (FuseTimestampSettings, source),
  [PROP_REFERENCE_CLOCK] = G_STRUCT_OFFSET (FuseTimestampSettings, reference_clock),
  [PROP_REFERENCE_ORIGIN] = G_STRUCT_OFFSET (FuseTimestampSettings, reference_origin),
  [PROP_CLOCK_MODE] = G_STRUCT_OFFSET (FuseTimestampSettings, clock_mode),
};

/* Clocks are compared by the text of their caps. */
static void
set_reference (FuseTimestampProperties *properties, const GValue *value)
{
  gchar *text;

  gst_caps_replace (&properties->reference, (GstCaps *) gst_value_get_caps (value));
  text = properties->reference ? gst_caps_to_string (properties->reference) : NULL;
  properties->settings.reference = g_quark_from_string (text);
  g_free (text);
}

void
fuse_timestamp_properties_set (FuseTimestampProperties *properties, guint id, const GValue *value)
{
  if (id == PROP_REFERENCE_CAPS)
    set_reference (properties, value);
  else
    robocache_setting_set (G_STRUCT_MEMBER_P (&properties->settings, fields[id]), value);
}

void
fuse_timestamp_properties_get (const FuseTimestampProperties *properties, guint id, GValue *value)
{
  if (id == PROP_REFERENCE_CAPS)
    gst_value_set_caps (value, properties->reference);
  else
    robocache_setting_get (G_STRUCT_MEMBER_P (&properties->settings, fields[id]), value);
}

void
fuse_timestamp_properties_install (GObjectClass *klass, guint first_id)
{
  const GParamFlags playing = G_PARAM_READWRITE | G_PARAM_STATIC_STRINGS | GST_PARAM_MUTABLE_PLAYING;

  g_object_class_install_property (klass, first_id + PROP_TIMESTAMP_SOURCE, g_param_spec_enum ("timestamp-source",
      "Timestamp source", "Source of a row's time of capture", timestamp_source_get_type (),
      FUSE_TIMES_AUTO, playing));
  g_object_class_install_property (klass, first_id + PROP_REFERENCE_CAPS, g_param_spec_boxed ("reference-caps",
      "Reference caps", "Reference of the GstReferenceTimestampMeta to use (NULL = " FUSE_USUAL_REFERENCE ")", GST_TYPE_CAPS,
      playing));
  g_object_class_install_property (klass, first_id + PROP_REFERENCE_CLOCK, g_param_spec_enum ("reference-clock",
      "Reference clock", "Clock of the reference's timestamps", reference_clock_get_type (),
      FUSE_REFERENCE_OTHER, playing));
  g_object_class_install_property (klass, first_id + PROP_REFERENCE_ORIGIN, g_param_spec_int64 ("reference-origin",
      "Reference origin", "Reference time at running time 0 (ns, the smallest int64 = measured once, at the first meta, for all "
      "pads with the same reference-caps)", G_MININT64, G_MAXINT64, ROBOCACHE_NO_TIME, playing));
  g_object_class_install_property (klass, first_id + PROP_CLOCK_MODE, g_param_spec_enum ("clock-mode", "Clock mode",
      "Clock of the sensor's timestamps", ROBOCACHE_TYPE_CLOCK_MODE, ROBOCACHE_CLOCK_NONE, playing));
  gst_type_mark_as_plugin_api (timestamp_source_get_type (), 0);
  gst_type_mark_as_plugin_api (reference_clock_get_type (), 0);
  gst_type_mark_as_plugin_api (ROBOCACHE_TYPE_CLOCK_MODE, 0);
}
