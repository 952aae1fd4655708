/* robocache: a simulated robot's sensors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/**
 * SECTION:element-robocachetestsrc
 * @title: robocachetestsrc
 *
 * A sensor of a simulated robot, with the faults of real ones: jitter, lost rows, disorder and silence. Signals have a
 * closed form and are evaluated at the time that a row carries; everything random depends on `seed` and the number of
 * the row alone. So rows are the same live or not, after a seek, and on every machine.
 *
 * |[
 * gst-launch-1.0 robocachetestsrc kind=force is-live=true num-buffers=2000 ! robocacheresample rate=100 ! fakesink
 * gst-launch-1.0 robocachetestsrc kind=points num-buffers=20 ! robocachevoxelize ! fakesink
 * ]|
 */
#include "gstrobocachetestsrc.h"

#include "counterhash.h"
#include "common/element/properties.h"
#include "common/time/livewait.h"
#include "common/tensors/tensorcaps.h"
#include "testsignal.h"
#include "common/time/tickgrid.h"

GST_DEBUG_CATEGORY_STATIC (test_src_debug);
#define GST_CAT_DEFAULT test_src_debug

#define POINT_FIELDS 4
#define POINTS_CAPS "application/x-pointcloud, fields=(string)\"x,y,z,intensity\", type=(string)float32"
#define MAX_RATE_HZ GST_SECOND  /* one row a ns */
#define MAX_CHANNELS (1 << 24)
#define MAX_DURATION (G_MAXINT64 / 4)

#define DEFAULT_GAP_INTERVAL GST_SECOND

enum
{
  PROP_0,
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
  PROP_STATS,
  N_PROPS
};

static GParamSpec *properties[N_PROPS];

/* What each kind is where neither a property nor downstream says otherwise. */
static const struct
{
  const gchar *name;
  gint rate_hz;
  guint channels;               /* points of a cloud for POINTS */
} kinds[] = {
  [ROBOCACHE_TEST_PROPRIO] = {"proprio", 100, 14},
  [ROBOCACHE_TEST_FORCE] = {"force", 1000, 6},
  [ROBOCACHE_TEST_IMU] = {"imu", 200, 10},
  [ROBOCACHE_TEST_POINTS] = {"points", 10, 4096},
};

/* Independent random numbers of one row (or pair of rows). */
enum
{
  RANDOM_JITTER,
  RANDOM_DROP,
  RANDOM_DISORDER
};

typedef struct
{
  RobocacheTestKind kind;
  RobocacheTickGrid rate;       /* num 0: not chosen */
  guint channels;               /* 0: not chosen */
  gint64 jitter_ns;
  gdouble drop;
  gdouble disorder;
  gint64 gap_ns, gap_interval_ns;
  guint64 seed;
} Settings;

struct _GstRobocacheTestSrc
{
  GstPushSrc parent;

  Settings properties;          /* object lock */

  /* streaming thread, or no streaming thread */
  Settings run;                 /* properties as they were at READY → PAUSED, completed by negotiation; written under
                                 * the object lock too, for queries */
  gboolean has_caps;
  gint64 delivery;              /* the next row in the order of delivery */
  gdouble *rays;                /* [channels][3], kind points */

  RobocacheLiveWait wait;

  /* object lock */
  guint64 rows, dropped, silent, swapped;
};

#define ANY_RATE ", framerate=(fraction)[1/2147483647, 2147483647/1]"
#define TENSORS_CAPS "other/tensors, format=(string)static, num_tensors=(int)1, types=(string)float32"
#define TEMPLATE_CAPS TENSORS_CAPS ANY_RATE "; " POINTS_CAPS ANY_RATE

static GstStaticPadTemplate src_template = GST_STATIC_PAD_TEMPLATE ("src", GST_PAD_SRC, GST_PAD_ALWAYS,
    GST_STATIC_CAPS (TEMPLATE_CAPS));

#define gst_robocache_test_src_parent_class parent_class
G_DEFINE_TYPE_WITH_CODE (GstRobocacheTestSrc, gst_robocache_test_src, GST_TYPE_PUSH_SRC,
    GST_DEBUG_CATEGORY_INIT (test_src_debug, "robocachetestsrc", 0, "a simulated robot's sensors"));
GST_ELEMENT_REGISTER_DEFINE (robocachetestsrc, "robocachetestsrc", GST_RANK_NONE, GST_TYPE_ROBOCACHE_TEST_SRC);

static ROBOCACHE_DEFINE_ENUM (test_kind_get_type, "RobocacheTestKind",
    {ROBOCACHE_TEST_PROPRIO, "Joint angles: sines", "proprio"},
    {ROBOCACHE_TEST_FORCE, "Force and torque: a moving wrench", "force"},
    {ROBOCACHE_TEST_IMU, "Orientation, angular rate and acceleration", "imu"},
    {ROBOCACHE_TEST_POINTS, "Point clouds of a room", "points"})

/* ---- settings ---- */

/* NULL, or what is wrong with them. */
static gchar *
settings_fault (const Settings *s, gboolean live)
{
  const guint sensor = s->kind == ROBOCACHE_TEST_POINTS ? 1 : robocache_test_sensor_channels (s->kind);

  if (s->rate.num > 0 && s->rate.num / s->rate.den >= (gint64) MAX_RATE_HZ)
    return g_strdup_printf ("rate=%d/%d is more than a row a nanosecond; times are in whole nanoseconds", s->rate.num,
        s->rate.den);
  if (s->channels % sensor)
    return g_strdup_printf ("channels=%u is no whole number of sensors: kind=%s has %u channels a sensor, so write a "
        "multiple of %u", s->channels, kinds[s->kind].name, sensor, sensor);
  if (s->gap_ns > 0 && s->gap_ns >= s->gap_interval_ns)
    return g_strdup_printf ("gap=%" G_GINT64_FORMAT " leaves no row: it must be shorter than gap-interval=%"
        G_GINT64_FORMAT, s->gap_ns, s->gap_interval_ns);
  if (s->drop >= 1.0 && !live)
    return g_strdup ("drop=1 leaves no row, and without is-live=true nothing paces a source that sends none");
  return NULL;
}

/* Takes the properties for this run. FALSE after an error. */
static gboolean
take_settings (GstRobocacheTestSrc *self)
{
  gchar *fault;

  GST_OBJECT_LOCK (self);
  self->run = self->properties;
  self->rows = self->dropped = self->silent = self->swapped = 0;
  GST_OBJECT_UNLOCK (self);

  fault = settings_fault (&self->run, gst_base_src_is_live (GST_BASE_SRC (self)));
  if (!fault)
    return TRUE;
  GST_ELEMENT_ERROR (self, LIBRARY, SETTINGS, ("%s", fault), (NULL));
  g_free (fault);
  return FALSE;
}

/* ---- negotiation ---- */

/* Channel names; rows wider than this are sent without. */
#define MAX_NAMED_CHANNELS 1024

static void
set_descriptive_fields (GstCaps *caps, const Settings *s)
{
  gst_caps_set_simple (caps, "role", G_TYPE_STRING, kinds[s->kind].name, NULL);
  if (s->channels <= MAX_NAMED_CHANNELS) {
    GString *names = g_string_new (NULL);

    for (guint c = 0; c < s->channels; c++) {
      gchar *name = robocache_test_channel_name (s->kind, c);

      g_string_append_printf (names, c ? ",%s" : "%s", name);
      g_free (name);
    }
    gst_caps_set_simple (caps, "channels", G_TYPE_STRING, names->str, NULL);
    g_string_free (names, TRUE);
  }
}

/* Fixed caps of complete settings. */
static GstCaps *
settings_to_caps (const Settings *s)
{
  RobocacheTensorsInfo info = {.n_tensors = 1,.rate_num = s->rate.num,.rate_den = s->rate.den };
  const guint64 dims[] = { s->channels };
  GstCaps *caps;

  if (s->kind == ROBOCACHE_TEST_POINTS) {
    caps = gst_caps_from_string (POINTS_CAPS);
    gst_caps_set_simple (caps, "framerate", GST_TYPE_FRACTION, s->rate.num, s->rate.den, NULL);
    return caps;
  }
  robocache_tensor_info_set (&info.tensors[0], RC_FLOAT32, dims, 1);
  caps = robocache_tensors_info_to_caps (&info);
  set_descriptive_fields (caps, s);
  return caps;
}

/* The number of channels that a peer's structure fixes; 0 when it fixes none that a row can have. */
static guint
channels_wanted (const GstStructure *peer)
{
  const GValue *value = gst_structure_get_value (peer, "dimensions");
  guint64 dims[ROBOCACHE_MAX_RANK];
  guint rank;

  if (!value)
    return 0;
  if (G_VALUE_HOLDS_INT (value))
    return MAX (g_value_get_int (value), 0);
  if (!G_VALUE_HOLDS_STRING (value) || !robocache_dimensions_parse (g_value_get_string (value), dims, &rank, NULL))
    return 0;
  for (guint axis = 1; axis < rank; axis++) {
    if (dims[axis] != 1)
      return 0;
  }
  return dims[0] <= MAX_CHANNELS ? (guint) dims[0] : 0;
}

/* Fills what the properties left open from a structure of the peer's caps (NULL: it accepts anything). */
static Settings
complete_settings (Settings s, const GstStructure *peer)
{
  if (s.rate.num == 0) {
    GstStructure *copy = peer && gst_structure_has_field (peer, "framerate") ? gst_structure_copy (peer) : NULL;

    s.rate = (RobocacheTickGrid) { kinds[s.kind].rate_hz, 1 };
    if (copy) {
      gst_structure_fixate_field_nearest_fraction (copy, "framerate", s.rate.num, s.rate.den);
      gst_structure_get_fraction (copy, "framerate", &s.rate.num, &s.rate.den);
      gst_structure_free (copy);
    }
  }
  if (s.channels == 0 && peer && s.kind != ROBOCACHE_TEST_POINTS)
    s.channels = channels_wanted (peer);
  if (s.channels == 0)
    s.channels = kinds[s.kind].channels;
  return s;
}

/* The caps for one structure of the peer's, in its spelling; NULL when they do not meet. */
static GstCaps *
caps_for_structure (GstRobocacheTestSrc *self, const GstCaps *peer, gint i, Settings *s, gchar **fault)
{
  GstCaps *structure, *caps, *spelled = NULL;

  *s = complete_settings (self->run, i < 0 ? NULL : gst_caps_get_structure (peer, i));
  g_clear_pointer (fault, g_free);
  if (s->rate.num == 0 || (*fault = settings_fault (s, TRUE)))
    return NULL;
  caps = settings_to_caps (s);
  if (i < 0)
    return caps;
  structure = gst_caps_copy_nth (peer, i);
  if (s->kind == ROBOCACHE_TEST_POINTS)
    spelled = gst_caps_can_intersect (caps, structure) ? gst_caps_ref (caps) : NULL;
  else if (robocache_tensors_caps_compatible (caps, structure))
    spelled = robocache_tensors_caps_in_spelling_of (caps, structure);
  gst_caps_unref (structure);
  gst_caps_unref (caps);
  return spelled;
}

static gchar *
describe_refusal (GstRobocacheTestSrc *self, const GstCaps *peer, const gchar *fault)
{
  const Settings s = complete_settings (self->run, NULL);
  GstCaps *caps;
  gchar *ours, *theirs, *text;

  if (fault)
    return g_strdup (fault);
  caps = settings_to_caps (&s);
  ours = gst_caps_to_string (caps);
  theirs = gst_caps_to_string (peer);
  text = g_strdup_printf ("kind=%s sends %s, but downstream accepts only %s; change rate, channels or kind, or what is "
      "downstream", kinds[s.kind].name, ours, theirs);
  g_free (theirs);
  g_free (ours);
  gst_caps_unref (caps);
  return text;
}

static void
prepare_rays (GstRobocacheTestSrc *self)
{
  g_clear_pointer (&self->rays, g_free);
  if (self->run.kind != ROBOCACHE_TEST_POINTS)
    return;
  self->rays = g_new (gdouble, 3 * (gsize) self->run.channels);
  for (guint i = 0; i < self->run.channels; i++)
    robocache_test_room_ray (i, self->run.channels, self->rays + 3 * (gsize) i);
}

static void
use_settings (GstRobocacheTestSrc *self, const Settings *s)
{
  const gboolean later = s->rate.num != self->run.rate.num || s->rate.den != self->run.rate.den;

  GST_OBJECT_LOCK (self);
  self->run = *s;
  GST_OBJECT_UNLOCK (self);
  prepare_rays (self);
  /* how late a row can be depends on the rate */
  if (later && gst_base_src_is_live (GST_BASE_SRC (self)))
    gst_element_post_message (GST_ELEMENT (self), gst_message_new_latency (GST_OBJECT (self)));
}

/* Fails only while flushing, to be tried again. A refusal is reported here, and create then ends the stream: FALSE
 * would make the base class post a second, vaguer error. */
static gboolean
gst_robocache_test_src_negotiate (GstBaseSrc *src)
{
  GstRobocacheTestSrc *self = GST_ROBOCACHE_TEST_SRC (src);
  GstCaps *peer = gst_pad_peer_query_caps (GST_BASE_SRC_PAD (src), NULL), *caps = NULL;
  gchar *fault = NULL, *refusal;
  Settings s;

  self->has_caps = FALSE;
  if (gst_caps_is_any (peer))
    caps = caps_for_structure (self, peer, -1, &s, &fault);
  else
    for (guint i = 0; i < gst_caps_get_size (peer) && !caps; i++)
      caps = caps_for_structure (self, peer, (gint) i, &s, &fault);

  if (caps) {
    use_settings (self, &s);
    self->has_caps = gst_base_src_set_caps (src, caps);
    GST_INFO_OBJECT (self, "caps %" GST_PTR_FORMAT, caps);
    gst_caps_unref (caps);
  }
  if (!self->has_caps && !GST_PAD_IS_FLUSHING (GST_BASE_SRC_PAD (src))) {
    refusal = describe_refusal (self, peer, fault);
    GST_ELEMENT_ERROR (self, CORE, NEGOTIATION, ("%s", refusal), (NULL));
    g_free (refusal);
  }
  g_free (fault);
  gst_caps_unref (peer);
  return self->has_caps || !GST_PAD_IS_FLUSHING (GST_BASE_SRC_PAD (src));
}

/* dimensions as each spelling that a peer may fix, since strings and ints do not intersect. */
static GstCaps *
spellings_of_dimensions (GstCaps *caps, guint channels)
{
  gchar *spelling = g_strdup_printf ("{ (string)\"%u\", (string)\"%u:1\", (string)\"%u:1:1\", (string)\"%u:1:1:1\" }",
      channels, channels, channels, channels);
  GstCaps *ints = gst_caps_copy (caps);
  GValue list = G_VALUE_INIT;

  gst_caps_set_simple (ints, "dimensions", G_TYPE_INT, (gint) channels, NULL);
  g_value_init (&list, GST_TYPE_LIST);
  if (gst_value_deserialize (&list, spelling))
    gst_caps_set_value (caps, "dimensions", &list);
  g_value_unset (&list);
  g_free (spelling);
  gst_caps_append (caps, ints);
  return caps;
}

static GstCaps *
gst_robocache_test_src_get_caps (GstBaseSrc *src, GstCaps *filter)
{
  GstRobocacheTestSrc *self = GST_ROBOCACHE_TEST_SRC (src);
  GstCaps *template = gst_pad_get_pad_template_caps (GST_BASE_SRC_PAD (src)), *caps, *filtered;
  Settings s;

  GST_OBJECT_LOCK (self);
  s = self->properties;
  GST_OBJECT_UNLOCK (self);

  caps = gst_caps_copy_nth (template, s.kind == ROBOCACHE_TEST_POINTS ? 1 : 0);
  gst_caps_unref (template);
  if (s.rate.num > 0)
    gst_caps_set_simple (caps, "framerate", GST_TYPE_FRACTION, s.rate.num, s.rate.den, NULL);
  if (s.channels > 0 && s.kind != ROBOCACHE_TEST_POINTS)
    caps = spellings_of_dimensions (caps, s.channels);
  if (!filter)
    return caps;
  filtered = gst_caps_intersect_full (filter, caps, GST_CAPS_INTERSECT_FIRST);
  gst_caps_unref (caps);
  return filtered;
}

/* ---- rows ---- */

typedef enum
{
  ROW_SENT,
  ROW_DROPPED,
  ROW_SILENT
} RowFate;

/* Time of capture of row k; G_MAXINT64 past the end of time. */
static gint64
row_time (const Settings *s, gint64 k)
{
  gint64 t = robocache_tick_time (&s->rate, k);

  if (s->jitter_ns == 0 || t > G_MAXINT64 - s->jitter_ns)
    return t;
  t -= s->jitter_ns;
  t += (gint64) robocache_hash_below (s->seed, RANDOM_JITTER, (guint64) k, 2 * (guint64) s->jitter_ns + 1);
  return MAX (t, 0);
}

/* The silence is a matter of the nominal time, so it takes the same rows whatever the jitter. */
static RowFate
row_fate (const Settings *s, gint64 k)
{
  if (s->gap_ns > 0) {
    const gint64 t = robocache_tick_time (&s->rate, k);

    if (t >= s->gap_interval_ns && t % s->gap_interval_ns < s->gap_ns)
      return ROW_SILENT;
  }
  if (s->drop > 0.0 && robocache_hash_unit (s->seed, RANDOM_DROP, (guint64) k) < s->drop)
    return ROW_DROPPED;
  return ROW_SENT;
}

static gboolean
pair_is_swapped (const Settings *s, gint64 pair)
{
  return s->disorder > 0.0 && robocache_hash_unit (s->seed, RANDOM_DISORDER, (guint64) pair) < s->disorder;
}

/* The row that is delivered as number `delivery`: rows 2 m and 2 m + 1 may change places. */
static gint64
row_of_delivery (const Settings *s, gint64 delivery)
{
  return pair_is_swapped (s, delivery / 2) ? delivery ^ 1 : delivery;
}

/* No row from this delivery on is older. */
static gint64
earliest_from (const Settings *s, gint64 delivery)
{
  const gint64 t = robocache_tick_time (&s->rate, delivery & ~(gint64) 1);

  return t == G_MAXINT64 ? t : t - s->jitter_ns;
}

/* How late after its time of capture a row can be delivered: after a newer one. */
static gint64
greatest_lateness (const Settings *s)
{
  const gint64 period = robocache_tick_period (&s->rate);

  return s->disorder > 0.0 ? period + 2 * s->jitter_ns : MAX (2 * s->jitter_ns - period, 0);
}

static void
count_row (GstRobocacheTestSrc *self, gint64 delivery, RowFate fate)
{
  const Settings *s = &self->run;
  const gboolean swapped = (delivery & 1) && pair_is_swapped (s, delivery / 2)
      && row_fate (s, delivery) == ROW_SENT && row_fate (s, delivery - 1) == ROW_SENT;

  GST_OBJECT_LOCK (self);
  self->rows += fate == ROW_SENT;
  self->dropped += fate == ROW_DROPPED;
  self->silent += fate == ROW_SILENT;
  self->swapped += swapped;
  GST_OBJECT_UNLOCK (self);
}

static void
fill_row (GstRobocacheTestSrc *self, gint64 time_ns, gfloat *row)
{
  const Settings *s = &self->run;

  for (guint c = 0; c < s->channels; c++) {
    if (s->kind == ROBOCACHE_TEST_POINTS)
      robocache_test_room_point (self->rays + 3 * (gsize) c, time_ns, row + POINT_FIELDS * (gsize) c);
    else
      row[c] = (gfloat) robocache_test_signal (s->kind, c, time_ns);
  }
}

static GstFlowReturn
make_buffer (GstRobocacheTestSrc *self, gint64 k, gint64 time_ns, GstBuffer **out)
{
  const gsize floats = (gsize) self->run.channels * (self->run.kind == ROBOCACHE_TEST_POINTS ? POINT_FIELDS : 1);
  GstBuffer *buffer = gst_buffer_new_allocate (NULL, floats * sizeof (gfloat), NULL);
  GstMapInfo map;

  if (!buffer || !gst_buffer_map (buffer, &map, GST_MAP_WRITE)) {
    gst_clear_buffer (&buffer);
    GST_ELEMENT_ERROR (self, RESOURCE, NO_SPACE_LEFT, ("No memory for a row of %" G_GSIZE_FORMAT " bytes",
            floats * sizeof (gfloat)), (NULL));
    return GST_FLOW_ERROR;
  }
  fill_row (self, time_ns, (gfloat *) (gpointer) map.data);
  gst_buffer_unmap (buffer, &map);

  GST_BUFFER_PTS (buffer) = (GstClockTime) time_ns;
  GST_BUFFER_DURATION (buffer) =
      robocache_tick_time (&self->run.rate, k + 1) - robocache_tick_time (&self->run.rate, k);
  GST_BUFFER_OFFSET (buffer) = (guint64) k;
  GST_BUFFER_OFFSET_END (buffer) = (guint64) k + 1;
  *out = buffer;
  return GST_FLOW_OK;
}

/* A row that a seek leaves out still counts against num-buffers: the rows are those of one recording. FALSE: it was
 * the last. */
static gboolean
skip_counted_buffer (GstBaseSrc *src)
{
  if (src->num_buffers < 0)
    return TRUE;
  if (src->num_buffers_left <= 0)
    return FALSE;
  src->num_buffers_left--;
  return TRUE;
}

static GstFlowReturn
wait_for_row (GstRobocacheTestSrc *self, gint64 time_ns)
{
  if (gst_base_src_is_live (GST_BASE_SRC (self)))
    return robocache_live_wait_until (&self->wait, GST_ELEMENT (self), (GstClockTime) time_ns);
  return robocache_live_wait_is_flushing (&self->wait) ? GST_FLOW_FLUSHING : GST_FLOW_OK;
}

static GstFlowReturn
gst_robocache_test_src_create (GstPushSrc *push, GstBuffer **buffer)
{
  GstRobocacheTestSrc *self = GST_ROBOCACHE_TEST_SRC (push);
  const GstSegment *segment = &GST_BASE_SRC (push)->segment;

  if (!self->has_caps) {
    /* after the error of negotiate; any other flow would make the base class post one too */
    gst_pad_push_event (GST_BASE_SRC_PAD (push), gst_event_new_eos ());
    return GST_FLOW_FLUSHING;
  }
  for (;;) {
    const gint64 k = row_of_delivery (&self->run, self->delivery), t = row_time (&self->run, k);
    const RowFate fate = row_fate (&self->run, k);
    const gint64 earliest = earliest_from (&self->run, self->delivery);

    if (earliest == G_MAXINT64 || t == G_MAXINT64 || (segment->stop != GST_CLOCK_TIME_NONE
            && earliest >= (gint64) segment->stop))
      return GST_FLOW_EOS;
    if (wait_for_row (self, t) != GST_FLOW_OK)
      return GST_FLOW_FLUSHING;

    self->delivery++;
    if (fate == ROW_SENT && ((GstClockTime) t < segment->start || (GstClockTime) t >= segment->stop)) {
      if (!skip_counted_buffer (GST_BASE_SRC (push)))
        return GST_FLOW_EOS;
      continue;
    }
    count_row (self, self->delivery - 1, fate);
    if (fate == ROW_SENT)
      return make_buffer (self, k, t, buffer);
  }
}

/* ---- life of the element ---- */

static gboolean
gst_robocache_test_src_start (GstBaseSrc *src)
{
  GST_ROBOCACHE_TEST_SRC (src)->delivery = 0;
  GST_ROBOCACHE_TEST_SRC (src)->has_caps = FALSE;
  return TRUE;
}

static gboolean
gst_robocache_test_src_stop (GstBaseSrc *src)
{
  g_clear_pointer (&GST_ROBOCACHE_TEST_SRC (src)->rays, g_free);
  return TRUE;
}

static gboolean
gst_robocache_test_src_unlock (GstBaseSrc *src)
{
  robocache_live_wait_set_flushing (&GST_ROBOCACHE_TEST_SRC (src)->wait, TRUE);
  return TRUE;
}

static gboolean
gst_robocache_test_src_unlock_stop (GstBaseSrc *src)
{
  robocache_live_wait_set_flushing (&GST_ROBOCACHE_TEST_SRC (src)->wait, FALSE);
  return TRUE;
}

static gboolean
gst_robocache_test_src_is_seekable (GstBaseSrc *src)
{
  return !gst_base_src_is_live (src);
}

/* Buffers of the recording that come before a delivery, but no more than limit. */
static gint
sent_before (const Settings *s, gint64 delivery, gint limit)
{
  gint64 sent = 0;

  if (s->drop == 0.0 && s->gap_ns == 0)
    return (gint) MIN (delivery, limit);
  for (gint64 d = 0; d < delivery && sent < limit; d++)
    sent += row_fate (s, row_of_delivery (s, d)) == ROW_SENT;
  return (gint) sent;
}

static gboolean
gst_robocache_test_src_do_seek (GstBaseSrc *src, GstSegment *segment)
{
  GstRobocacheTestSrc *self = GST_ROBOCACHE_TEST_SRC (src);
  Settings s = complete_settings (self->run, NULL);

  if (segment->start == 0) {
    self->delivery = 0;
  } else {
    const gint64 first = (gint64) MIN (segment->start, (guint64) G_MAXINT64) - s.jitter_ns;

    /* a pair begins at an even row */
    self->delivery = robocache_tick_at_or_after (&s.rate, first) & ~(gint64) 1;
  }
  if (src->num_buffers >= 0)
    src->num_buffers_left = src->num_buffers - sent_before (&s, self->delivery, src->num_buffers);
  segment->position = segment->start;
  segment->time = segment->start;
  GST_DEBUG_OBJECT (self, "seek to %" GST_TIME_FORMAT ", delivery %" G_GINT64_FORMAT, GST_TIME_ARGS (segment->start),
      self->delivery);
  return TRUE;
}

/* Rows are made forwards only, and live ones at their time. To refuse in do_seek would be too late, after the flush. */
static gboolean
is_refused_seek (GstBaseSrc *src, GstEvent *event)
{
  gdouble rate;

  if (GST_EVENT_TYPE (event) != GST_EVENT_SEEK)
    return FALSE;
  gst_event_parse_seek (event, &rate, NULL, NULL, NULL, NULL, NULL, NULL);
  return rate <= 0.0 || gst_base_src_is_live (src);
}

static gboolean
gst_robocache_test_src_event (GstBaseSrc *src, GstEvent *event)
{
  return !is_refused_seek (src, event) && GST_BASE_SRC_CLASS (parent_class)->event (src, event);
}

/* The application's own way in, past the virtual method above. */
static gboolean
gst_robocache_test_src_send_event (GstElement *element, GstEvent *event)
{
  if (is_refused_seek (GST_BASE_SRC (element), event)) {
    gst_event_unref (event);
    return FALSE;
  }
  return GST_ELEMENT_CLASS (parent_class)->send_event (element, event);
}

/* With rows lost at random the end of num-buffers is not known without making them. */
static gboolean
answer_duration (GstRobocacheTestSrc *self, GstQuery *query)
{
  const gint n = GST_BASE_SRC (self)->num_buffers;
  GstFormat format;
  Settings s;

  gst_query_parse_duration (query, &format, NULL);
  GST_OBJECT_LOCK (self);
  s = complete_settings (self->run, NULL);
  GST_OBJECT_UNLOCK (self);
  if (format != GST_FORMAT_TIME || n < 0 || s.drop > 0.0 || s.gap_ns > 0)
    return FALSE;
  gst_query_set_duration (query, GST_FORMAT_TIME, robocache_tick_time (&s.rate, n));
  return TRUE;
}

static gboolean
answer_latency (GstRobocacheTestSrc *self, GstQuery *query)
{
  const gboolean live = gst_base_src_is_live (GST_BASE_SRC (self));
  Settings s;

  GST_OBJECT_LOCK (self);
  s = complete_settings (self->run, NULL);
  GST_OBJECT_UNLOCK (self);

  /* nothing is lost however long downstream waits: rows are made when they are asked for */
  gst_query_set_latency (query, live, live ? (GstClockTime) greatest_lateness (&s) : 0, GST_CLOCK_TIME_NONE);
  return TRUE;
}

static gboolean
gst_robocache_test_src_query (GstBaseSrc *src, GstQuery *query)
{
  switch (GST_QUERY_TYPE (query)) {
    case GST_QUERY_DURATION:
      return answer_duration (GST_ROBOCACHE_TEST_SRC (src), query);
    case GST_QUERY_LATENCY:
      return answer_latency (GST_ROBOCACHE_TEST_SRC (src), query);
    default:
      return GST_BASE_SRC_CLASS (parent_class)->query (src, query);
  }
}

static GstStateChangeReturn
gst_robocache_test_src_change_state (GstElement *element, GstStateChange transition)
{
  GstRobocacheTestSrc *self = GST_ROBOCACHE_TEST_SRC (element);
  GstStateChangeReturn ret;

  if (transition == GST_STATE_CHANGE_READY_TO_PAUSED && !take_settings (self))
    return GST_STATE_CHANGE_FAILURE;
  if (transition == GST_STATE_CHANGE_PLAYING_TO_PAUSED)
    robocache_live_wait_set_playing (&self->wait, FALSE);
  ret = GST_ELEMENT_CLASS (parent_class)->change_state (element, transition);
  if (transition == GST_STATE_CHANGE_PAUSED_TO_PLAYING && ret != GST_STATE_CHANGE_FAILURE)
    robocache_live_wait_set_playing (&self->wait, TRUE);
  return ret;
}

/* ---- properties ---- */

static GstStructure *
make_stats (GstRobocacheTestSrc *self)
{
  return gst_structure_new ("robocachetestsrc", "rows", G_TYPE_UINT64, self->rows, "dropped", G_TYPE_UINT64,
      self->dropped, "silent", G_TYPE_UINT64, self->silent, "swapped", G_TYPE_UINT64, self->swapped, NULL);
}

#define SETTING(field) G_STRUCT_OFFSET (GstRobocacheTestSrc, properties.field)

static const glong settings[N_PROPS] = {
  [PROP_KIND] = SETTING (kind),
  [PROP_RATE] = SETTING (rate),
  [PROP_CHANNELS] = SETTING (channels),
  [PROP_JITTER] = SETTING (jitter_ns),
  [PROP_DROP] = SETTING (drop),
  [PROP_DISORDER] = SETTING (disorder),
  [PROP_GAP] = SETTING (gap_ns),
  [PROP_GAP_INTERVAL] = SETTING (gap_interval_ns),
  [PROP_SEED] = SETTING (seed),
};

static void
gst_robocache_test_src_set_property (GObject *object, guint id, const GValue *value, GParamSpec *pspec)
{
  if (id == PROP_IS_LIVE) {
    gst_base_src_set_live (GST_BASE_SRC (object), g_value_get_boolean (value));
    return;
  }
  GST_OBJECT_LOCK (object);
  robocache_setting_set (G_STRUCT_MEMBER_P (object, settings[id]), value);
  GST_OBJECT_UNLOCK (object);
}

static void
gst_robocache_test_src_get_property (GObject *object, guint id, GValue *value, GParamSpec *pspec)
{
  if (id == PROP_IS_LIVE) {
    g_value_set_boolean (value, gst_base_src_is_live (GST_BASE_SRC (object)));
    return;
  }
  GST_OBJECT_LOCK (object);
  if (id == PROP_STATS)
    g_value_take_boxed (value, make_stats (GST_ROBOCACHE_TEST_SRC (object)));
  else
    robocache_setting_get (G_STRUCT_MEMBER_P (object, settings[id]), value);
  GST_OBJECT_UNLOCK (object);
}

static void
gst_robocache_test_src_finalize (GObject *object)
{
  robocache_live_wait_clear (&GST_ROBOCACHE_TEST_SRC (object)->wait);
  G_OBJECT_CLASS (parent_class)->finalize (object);
}

static void
install_properties (GObjectClass *klass)
{
  const GParamFlags flags = G_PARAM_READWRITE | G_PARAM_STATIC_STRINGS | GST_PARAM_MUTABLE_READY;

  properties[PROP_KIND] = g_param_spec_enum ("kind", "Kind", "Which sensor of the robot", test_kind_get_type (),
      ROBOCACHE_TEST_PROPRIO, flags);
  properties[PROP_RATE] = gst_param_spec_fraction ("rate", "Rate",
      "Rows a second; 0/1: downstream's framerate, or else the kind's (proprio 100, force 1000, imu 200, points 10)",
      0, 1, G_MAXINT, 1, 0, 1, flags);
  properties[PROP_CHANNELS] = g_param_spec_uint ("channels", "Channels",
      "Channels of a row, or points of a cloud; 0: downstream's dimensions, or else the kind's (proprio 14, force 6, "
      "imu 10, points 4096)", 0, MAX_CHANNELS, 0, flags);
  properties[PROP_JITTER] = g_param_spec_uint64 ("jitter", "Jitter",
      "Greatest distance of a row from its place on the grid, either way, uniformly distributed (ns)", 0, MAX_DURATION,
      0, flags);
  properties[PROP_DROP] = g_param_spec_double ("drop", "Drop", "Probability that a row is lost", 0.0, 1.0, 0.0, flags);
  properties[PROP_DISORDER] = g_param_spec_double ("disorder", "Disorder",
      "Probability that rows 2m and 2m+1 are delivered the other way round", 0.0, 1.0, 0.0, flags);
  properties[PROP_GAP] = g_param_spec_uint64 ("gap", "Gap",
      "Length of the silence that begins at every multiple of gap-interval but 0 (ns); 0: none", 0, MAX_DURATION, 0,
      flags);
  properties[PROP_GAP_INTERVAL] = g_param_spec_uint64 ("gap-interval", "Gap interval",
      "Time from the beginning of one silence to that of the next (ns)", 1, MAX_DURATION, DEFAULT_GAP_INTERVAL, flags);
  properties[PROP_SEED] = g_param_spec_uint64 ("seed", "Seed",
      "What is random depends on this and the number of the row alone", 0, G_MAXUINT64, 0, flags);
  properties[PROP_IS_LIVE] = g_param_spec_boolean ("is-live", "Is live",
      "Release each row when the pipeline's clock reaches its time", FALSE, flags);
  properties[PROP_STATS] = g_param_spec_boxed ("stats", "Statistics",
      "Rows sent (rows), lost (dropped) and left out in a silence (silent), and pairs sent in reverse (swapped)",
      GST_TYPE_STRUCTURE, G_PARAM_READABLE | G_PARAM_STATIC_STRINGS);
  g_object_class_install_properties (klass, N_PROPS, properties);
}

static void
gst_robocache_test_src_class_init (GstRobocacheTestSrcClass *klass)
{
  GObjectClass *object_class = G_OBJECT_CLASS (klass);
  GstElementClass *element_class = GST_ELEMENT_CLASS (klass);
  GstBaseSrcClass *src_class = GST_BASE_SRC_CLASS (klass);

  object_class->set_property = gst_robocache_test_src_set_property;
  object_class->get_property = gst_robocache_test_src_get_property;
  object_class->finalize = gst_robocache_test_src_finalize;
  install_properties (object_class);

  gst_element_class_add_static_pad_template (element_class, &src_template);
  gst_element_class_set_static_metadata (element_class, "Simulated robot sensor", "Source/Sensor",
      "Joints, forces, an IMU or point clouds with a known truth, and the faults of real sensors", "robocache");
  gst_type_mark_as_plugin_api (test_kind_get_type (), 0);
  element_class->send_event = gst_robocache_test_src_send_event;
  element_class->change_state = gst_robocache_test_src_change_state;

  src_class->negotiate = gst_robocache_test_src_negotiate;
  src_class->get_caps = gst_robocache_test_src_get_caps;
  src_class->start = gst_robocache_test_src_start;
  src_class->stop = gst_robocache_test_src_stop;
  src_class->unlock = gst_robocache_test_src_unlock;
  src_class->unlock_stop = gst_robocache_test_src_unlock_stop;
  src_class->is_seekable = gst_robocache_test_src_is_seekable;
  src_class->do_seek = gst_robocache_test_src_do_seek;
  src_class->event = gst_robocache_test_src_event;
  src_class->query = gst_robocache_test_src_query;
  GST_PUSH_SRC_CLASS (klass)->create = gst_robocache_test_src_create;
}

static void
gst_robocache_test_src_init (GstRobocacheTestSrc *self)
{
  self->properties.rate = (RobocacheTickGrid) { 0, 1 };
  self->properties.gap_interval_ns = DEFAULT_GAP_INTERVAL;
  robocache_live_wait_init (&self->wait);
  gst_base_src_set_format (GST_BASE_SRC (self), GST_FORMAT_TIME);
  gst_base_src_set_automatic_eos (GST_BASE_SRC (self), FALSE);
}
