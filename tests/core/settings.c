/* robocache: settings of robocachefuse as texts, for a core by itself
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include <stdlib.h>

#include "common/time/nanoseconds.h"
#include "rig.h"

typedef enum
{
  KIND_INT64,                   /* also a time */
  KIND_BOOLEAN,
  KIND_UINT,
  KIND_DOUBLE,
  KIND_FRACTION,
  KIND_STRING,
  KIND_QUARK,
  KIND_NONE                     /* nothing of the core depends on it */
} Kind;

typedef struct
{
  const gchar *name;
  gsize offset;
  Kind kind;
  const gchar *values;          /* of an enum, separated by commas: each stands for its place; or NULL */
} Setting;

#define OF_RIG(field) G_STRUCT_OFFSET (Rig, settings.field)
static const Setting of_rig[] = {
  {"rate", OF_RIG (rate), KIND_FRACTION}, {"reference-pad", OF_RIG (reference), KIND_STRING}, {"force-live", OF_RIG (force_live), KIND_BOOLEAN},
  {"allow-gaps", OF_RIG (allow_gaps), KIND_BOOLEAN}, {"window", OF_RIG (output.window), KIND_UINT},
  {"layout", OF_RIG (output.layout), KIND_UINT, "tensors,concat"}, {"latency", OF_RIG (latency), KIND_INT64},
  {"min-upstream-latency", OF_RIG (min_upstream_latency), KIND_INT64}, {"qos-messages", OF_RIG (reports_losses), KIND_BOOLEAN},
  {"qos-interval", OF_RIG (loss_interval), KIND_INT64}, {"type", 0, KIND_NONE},
};

#define OF_FEED(field) G_STRUCT_OFFSET (Feed, field)
static const Setting of_feed[] = {
  {"interpolation", OF_FEED (settings.search.interpolation), KIND_UINT, "linear,nearest,previous,cubic,hermite,mean,lowpass"},
  {"cutoff", OF_FEED (settings.search.cutoff_hz), KIND_DOUBLE}, {"lobes", OF_FEED (settings.search.lobes), KIND_UINT},
  {"max-gap", OF_FEED (settings.search.max_gap_ns), KIND_INT64}, {"hold-limit", OF_FEED (settings.search.hold_limit_ns), KIND_INT64},
  {"offset", OF_FEED (settings.offset), KIND_INT64}, {"reorder-window", OF_FEED (settings.reorder_window), KIND_INT64},
  {"nan", OF_FEED (settings.nan), KIND_UINT, "copy,missing"}, {"max-lead", OF_FEED (settings.max_lead), KIND_INT64}, {"required", OF_FEED (settings.required), KIND_BOOLEAN},
  {"timestamp-source", OF_FEED (timestamps.source), KIND_UINT, "auto,pts,row-times,reference"},
  {"reference-clock", OF_FEED (timestamps.reference_clock), KIND_UINT, "other,pipeline"},
  {"reference-origin", OF_FEED (timestamps.reference_origin), KIND_INT64}, {"reference-caps", OF_FEED (timestamps.reference), KIND_QUARK},
  {"clock-mode", OF_FEED (timestamps.clock_mode), KIND_UINT, "none,track"}, {"quaternions", OF_FEED (roles[ROLE_QUATERNIONS]), KIND_STRING},
  {"angles", OF_FEED (roles[ROLE_ANGLES]), KIND_STRING}, {"velocities", OF_FEED (roles[ROLE_VELOCITIES]), KIND_STRING},
};

void
rig_default_settings (FuseSettings *settings)
{
  *settings = (FuseSettings) {
    .output.window = 1,.rate = {0, 1},.latency = 5 * ROBOCACHE_SECOND / 1000,.reports_losses = TRUE
  };
}

void
feed_default_settings (Feed *feed, gboolean is_camera)
{
  const gint64 limit = ROBOCACHE_SECOND / 5;

  feed->settings = (FuseStreamSettings) {
    .search = {.interpolation = is_camera ? RC_NEAREST : RC_LINEAR,.max_gap_ns = RC_GAP_AUTO,.hold_limit_ns = limit,.lobes = RC_DEFAULT_LOBES},
    .max_lead = 3600 * ROBOCACHE_SECOND
  };
  feed->timestamps = (FuseTimestampSettings) {.reference_origin = ROBOCACHE_NO_TIME };
}

static void
set_fraction (gint *fraction, const gchar *text)
{
  const gchar *slash = strchr (text, '/');

  fraction[0] = atoi (text);
  fraction[1] = slash ? atoi (slash + 1) : 1;
}

/* The place of a value among the values; as it is where there are none. */
static guint
read_uint (const gchar *values, const gchar *text)
{
  gchar **names = g_strsplit (values ? values : "", ",", -1);
  guint i = 0;

  while (names[i] && !g_str_equal (names[i], text))
    i++;
  i = values ? i : (guint) atoi (text);
  g_strfreev (names);
  return i;
}

static void
set_field (const Setting *setting, gpointer field, const gchar *text)
{
  gchar *number = setting_in_ns (text);

  switch (setting->kind) {
    case KIND_INT64:
      *(gint64 *) field = g_str_has_suffix (number, "s") ? atoi (number) * ROBOCACHE_SECOND : number[0] == '-'
          ? g_ascii_strtoll (number, NULL, 10) : (gint64) MIN (g_ascii_strtoull (number, NULL, 10), G_MAXINT64);
      break;
    case KIND_BOOLEAN:
      *(gboolean *) field = g_str_equal (text, "true");
      break;
    case KIND_DOUBLE:
      *(gdouble *) field = g_ascii_strtod (text, NULL);
      break;
    case KIND_UINT:
      *(guint *) field = read_uint (setting->values, text);
      break;
    case KIND_FRACTION:
      set_fraction (field, text);
      break;
    case KIND_STRING:
      g_free (*(gchar **) field);
      *(gchar **) field = g_strdup (text);
      break;
    case KIND_QUARK:
      *(GQuark *) field = g_quark_from_string (text);
      break;
    default:
      break;
  }
  g_free (number);
}

static gboolean
parse_setting (const Setting *settings, guint n, gpointer object, const gchar *text)
{
  gchar **pair = g_strsplit (text, "=", 2);
  guint i = 0;

  while (i < n && !g_str_equal (settings[i].name, pair[0]))
    i++;
  if (i < n && pair[1])
    set_field (&settings[i], G_STRUCT_MEMBER_P (object, settings[i].offset), pair[1]);
  g_strfreev (pair);
  return i < n;
}

gboolean
rig_parse_setting (Rig *rig, const gchar *text)
{
  return parse_setting (of_rig, G_N_ELEMENTS (of_rig), rig, text);
}

gboolean
feed_parse_setting (Feed *feed, const gchar *text)
{
  return parse_setting (of_feed, G_N_ELEMENTS (of_feed), feed, text);
}
