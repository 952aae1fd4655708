/* robocache: caps of robocachetestsrc, and the settings that downstream completes
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "negotiation.h"

#include "common/channels/channelkinds.h"
#include "common/tensors/tensorcaps.h"

#define POINTS_CAPS "application/x-pointcloud, fields=(string)\"x,y,z,intensity\", type=(string)float32"

/* Channel names and kinds; rows wider than this are sent without. */
#define MAX_NAMED_CHANNELS 1024

/* Each of the sensors has an orientation first; the last one may be cut. */
static void
set_kinds (GstCaps *caps, const RobocacheTestSettings *s)
{
  const guint n = robocache_test_sensor_channels (s->kind);
  RobocacheKinds kinds = { 0 };
  gchar *text;

  robocache_kinds_init (&kinds, s->channels);
  for (guint c = 0; c + 4 <= s->channels; c += n)
    robocache_kinds_set_quaternion (&kinds, c);
  text = robocache_kinds_to_string (&kinds, NULL);
  if (text)
    gst_caps_set_simple (caps, ROBOCACHE_KINDS_FIELD, G_TYPE_STRING, text, NULL);
  g_free (text);
  robocache_kinds_clear (&kinds);
}

static void
set_descriptive_fields (GstCaps *caps, const RobocacheTestSettings *s)
{
  gst_caps_set_simple (caps, "role", G_TYPE_STRING, robocache_test_kinds[s->kind].name, NULL);
  if (s->channels <= MAX_NAMED_CHANNELS) {
    GString *names = g_string_new (NULL);

    for (guint c = 0; c < s->channels; c++) {
      gchar *name = robocache_test_channel_name (s->kind, c);

      g_string_append_printf (names, c ? ",%s" : "%s", name);
      g_free (name);
    }
    gst_caps_set_simple (caps, "channels", G_TYPE_STRING, names->str, NULL);
    g_string_free (names, TRUE);
    if (s->kind == ROBOCACHE_TEST_IMU)
      set_kinds (caps, s);
  }
}

/* Fixed caps of complete settings. */
static GstCaps *
settings_to_caps (const RobocacheTestSettings *s)
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
  return dims[0] <= ROBOCACHE_TEST_MAX_CHANNELS ? (guint) dims[0] : 0;
}

RobocacheTestSettings
robocache_test_settings_complete (RobocacheTestSettings s, const GstStructure *peer)
{
  if (s.rate.num == 0) {
    GstStructure *copy = peer && gst_structure_has_field (peer, "framerate") ? gst_structure_copy (peer) : NULL;

    s.rate = (RobocacheTickGrid) { robocache_test_kinds[s.kind].rate_hz, 1 };
    if (copy) {
      gst_structure_fixate_field_nearest_fraction (copy, "framerate", s.rate.num, s.rate.den);
      gst_structure_get_fraction (copy, "framerate", &s.rate.num, &s.rate.den);
      gst_structure_free (copy);
    }
  }
  if (s.channels == 0 && peer && s.kind != ROBOCACHE_TEST_POINTS)
    s.channels = channels_wanted (peer);
  if (s.channels == 0)
    s.channels = robocache_test_kinds[s.kind].channels;
  return s;
}

/* The caps for structure i of the peer's (-1: it accepts anything), in its spelling; NULL when they do not meet. */
static GstCaps *
caps_for_structure (const RobocacheTestSettings *open, const GstCaps *peer, gint i, RobocacheTestSettings *s, gchar **fault)
{
  GstCaps *structure, *caps, *spelled = NULL;

  *s = robocache_test_settings_complete (*open, i < 0 ? NULL : gst_caps_get_structure (peer, i));
  g_clear_pointer (fault, g_free);
  if (s->rate.num == 0 || (*fault = robocache_test_settings_fault (s)))
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
describe_refusal (const RobocacheTestSettings *open, const GstCaps *peer)
{
  const RobocacheTestSettings s = robocache_test_settings_complete (*open, NULL);
  GstCaps *caps = settings_to_caps (&s);
  gchar *ours = gst_caps_to_string (caps), *theirs = gst_caps_to_string (peer);
  gchar *text = g_strdup_printf ("kind=%s sends %s, but downstream accepts only %s: change rate, channels or kind, or the "
      "capsfilter downstream", robocache_test_kinds[s.kind].name, ours, theirs);

  g_free (theirs);
  g_free (ours);
  gst_caps_unref (caps);
  return text;
}

GstCaps *
robocache_test_fixed_caps (RobocacheTestSettings *settings, const GstCaps *peer, gchar **refusal)
{
  const gint n = gst_caps_is_any (peer) ? 0 : (gint) gst_caps_get_size (peer);
  RobocacheTestSettings s;
  GstCaps *caps = NULL;

  *refusal = NULL;
  for (gint i = gst_caps_is_any (peer) ? -1 : 0; i < n && !caps; i++)
    caps = caps_for_structure (settings, peer, i, &s, refusal);
  if (caps)
    *settings = s;
  else if (!*refusal)
    *refusal = describe_refusal (settings, peer);
  return caps;
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

GstCaps *
robocache_test_possible_caps (const RobocacheTestSettings *s, GstCaps *template)
{
  GstCaps *caps = gst_caps_copy_nth (template, s->kind == ROBOCACHE_TEST_POINTS ? 1 : 0);

  gst_caps_unref (template);
  if (s->rate.num > 0)
    gst_caps_set_simple (caps, "framerate", GST_TYPE_FRACTION, s->rate.num, s->rate.den, NULL);
  if (s->channels > 0 && s->kind != ROBOCACHE_TEST_POINTS)
    caps = spellings_of_dimensions (caps, s->channels);
  return caps;
}
