/* robocache: settings of robocachetestsrc, and the properties that set them
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "properties.h"

#include "common/element/propertytypes.h"

#define MAX_DURATION (G_MAXINT64 / 4)   /* ns */
#define DEFAULT_GAP_INTERVAL GST_SECOND

enum
{
  PROP_STATS = ROBOCACHE_TEST_PROP_STATS,
  PROP_KIND,
  PROP_RATE,
  PROP_CHANNELS,
  PROP_JITTER,
  PROP_DROP,
  PROP_DISORDER,
  PROP_GAP,
  PROP_GAP_INTERVAL,
  PROP_SEED,
  PROP_IS_LIVE,
  N_PROPS
};

static GParamSpec *properties[N_PROPS];

#define SETTING(field) G_STRUCT_OFFSET (RobocacheTestSettings, field)

static const glong fields[N_PROPS] = {
  [PROP_KIND] = SETTING (kind),
  [PROP_RATE] = SETTING (rate),
  [PROP_CHANNELS] = SETTING (channels),
  [PROP_JITTER] = SETTING (jitter_ns),
  [PROP_DROP] = SETTING (drop),
  [PROP_DISORDER] = SETTING (disorder),
  [PROP_GAP] = SETTING (gap_ns),
  [PROP_GAP_INTERVAL] = SETTING (gap_interval_ns),
  [PROP_SEED] = SETTING (seed),
  [PROP_IS_LIVE] = SETTING (is_live),
};

const RobocacheTestKindInfo robocache_test_kinds[] = {
  [ROBOCACHE_TEST_PROPRIO] = {"proprio", 100, 14},
  [ROBOCACHE_TEST_FORCE] = {"force", 1000, 6},
  [ROBOCACHE_TEST_IMU] = {"imu", 200, 10},
  [ROBOCACHE_TEST_POINTS] = {"points", 10, 4096},
};

static ROBOCACHE_DEFINE_ENUM (kind_get_type, "GstRobocacheTestKind",
    {ROBOCACHE_TEST_PROPRIO, "Joint angles: sines", "proprio"},
    {ROBOCACHE_TEST_FORCE, "Force and torque: a moving wrench", "force"},
    {ROBOCACHE_TEST_IMU, "Orientation, angular rate and acceleration", "imu"},
    {ROBOCACHE_TEST_POINTS, "Point clouds of a room", "points"})

void
robocache_test_properties_install (GObjectClass *klass)
{
  const GParamFlags flags = G_PARAM_READWRITE | G_PARAM_STATIC_STRINGS | GST_PARAM_MUTABLE_READY;

  properties[PROP_KIND] = g_param_spec_enum ("kind", "Kind", "Sensor to simulate", kind_get_type (),
      ROBOCACHE_TEST_PROPRIO, flags);
  properties[PROP_RATE] = gst_param_spec_fraction ("rate", "Rate",
      "Rows per second (0/1 = downstream's framerate, or the default of the kind: proprio 100, force 1000, imu 200, points 10)",
      0, 1, G_MAXINT, 1, 0, 1, flags);
  properties[PROP_CHANNELS] = g_param_spec_uint ("channels", "Channels",
      "Channels of a row, or points of a cloud (0 = downstream's dimensions, or the default of the kind: proprio 14, force 6, imu "
      "10, points 4096)", 0, ROBOCACHE_TEST_MAX_CHANNELS, 0, flags);
  properties[PROP_JITTER] = g_param_spec_uint64 ("jitter", "Jitter",
      "Maximum deviation of a row from its time on the grid, in both directions, uniformly distributed (ns)", 0, MAX_DURATION,
      0, flags);
  properties[PROP_DROP] = g_param_spec_double ("drop", "Drop", "Probability of losing a row", 0.0, 1.0, 0.0, flags);
  properties[PROP_DISORDER] = g_param_spec_double ("disorder", "Disorder",
      "Probability of sending row 2m+1 before row 2m", 0.0, 1.0, 0.0, flags);
  properties[PROP_GAP] = g_param_spec_uint64 ("gap", "Gap",
      "Length of a silence, which begins at each multiple of gap-interval except 0 (ns, 0 = no silence)", 0, MAX_DURATION, 0,
      flags);
  properties[PROP_GAP_INTERVAL] = g_param_spec_uint64 ("gap-interval", "Gap interval",
      "Time from the start of a silence to the start of the next one (ns)", 1, MAX_DURATION, DEFAULT_GAP_INTERVAL, flags);
  properties[PROP_SEED] = g_param_spec_uint64 ("seed", "Seed",
      "Seed of the random faults, which are the same in every run with this seed", 0, G_MAXUINT64, 0, flags);
  properties[PROP_IS_LIVE] = g_param_spec_boolean ("is-live", "Is live",
      "Send each row when the pipeline's clock reaches its time", FALSE, flags);
  properties[PROP_STATS] = g_param_spec_boxed ("stats", "Statistics",
      "Rows sent (rows), lost (dropped) and omitted in a silence (silent), and pairs sent in reverse (swapped)",
      GST_TYPE_STRUCTURE, G_PARAM_READABLE | G_PARAM_STATIC_STRINGS);
  g_object_class_install_properties (klass, N_PROPS, properties);
  gst_type_mark_as_plugin_api (kind_get_type (), 0);
}

gpointer
robocache_test_settings_field (RobocacheTestSettings *settings, guint id)
{
  return G_STRUCT_MEMBER_P (settings, fields[id]);
}

void
robocache_test_settings_init (RobocacheTestSettings *settings)
{
  *settings = (RobocacheTestSettings) {.rate = {0, 1},.gap_interval_ns = DEFAULT_GAP_INTERVAL };
}

gchar *
robocache_test_settings_fault (const RobocacheTestSettings *s)
{
  const guint sensor = s->kind == ROBOCACHE_TEST_POINTS ? 1 : robocache_test_sensor_channels (s->kind);

  if (s->rate.num > 0 && s->rate.num / s->rate.den >= (gint64) GST_SECOND)
    return g_strdup_printf ("rate=%d/%d is more than one row per nanosecond, and times are whole nanoseconds", s->rate.num,
        s->rate.den);
  if (s->channels % sensor)
    return g_strdup_printf ("channels=%u is not a multiple of %u, the channels per sensor with kind=%s", s->channels, sensor,
        robocache_test_kinds[s->kind].name);
  if (s->gap_ns > 0 && s->gap_ns >= s->gap_interval_ns)
    return g_strdup_printf ("gap=%" G_GINT64_FORMAT " leaves no row: it must be shorter than gap-interval=%"
        G_GINT64_FORMAT, s->gap_ns, s->gap_interval_ns);
  if (s->drop >= 1.0 && !s->is_live)
    return g_strdup ("drop=1 loses all rows: set is-live=true, or the source never ends");
  return NULL;
}
