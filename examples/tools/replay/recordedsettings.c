/* robocache: the settings of a recorded robocachefuse, for one whose core is stepped
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "replay.h"

#include <string.h>

#include "examples/tools/program.h"

#define ELEMENT "element"
#define RATE "rate"

static const gchar *
text_of (const GstStructure *settings, const gchar *of, const gchar *name)
{
  gchar *key = g_strconcat (of, ".", name, NULL);
  const gchar *text = gst_structure_get_string (settings, key);

  g_free (key);
  return text;
}

/* ---- rules ---- */

/* What the rules before version 1 computed otherwise. */
typedef struct
{
  const GstStructure *settings;
  gchar *changed;               /* a setting with it; NULL: none */
} Changes;

static gboolean
find_change (GQuark field, const GValue *value, gpointer data)
{
  const gchar *key = g_quark_to_string (field);
  Changes *changes = data;
  const gchar *text = G_VALUE_HOLDS_STRING (value) ? g_value_get_string (value) : NULL;
  gchar *pad;

  if (!text || *text == '\0' || g_str_equal (text, "\"\""))
    return TRUE;
  if (g_str_has_suffix (key, ".angles")) {
    changes->changed = g_strdup_printf ("%s=%s", key, text);
  } else if (g_str_has_suffix (key, ".quaternions")) {
    pad = g_strndup (key, strlen (key) - strlen (".quaternions"));
    if (g_strcmp0 (text_of (changes->settings, pad, "interpolation"), "mean") == 0)
      changes->changed = g_strdup_printf ("%s=%s with interpolation=mean", key, text);
    g_free (pad);
  }
  return changes->changed == NULL;
}

gboolean
recorded_settings_check_rules (const GstStructure *settings, GError **error)
{
  Changes changes = { settings, NULL };
  gint rules = 0;

  gst_structure_get_int (settings, FUSE_RULES_FIELD, &rules);
  if (rules == 0)
    gst_structure_foreach (settings, find_change, &changes);
  if (rules > FUSE_RULES || rules < 0)
    FAULT (error, "the session was recorded with version %d of the rules of alignment, but this robocache replay has versions up "
        "to %d: use a newer robocache replay, or add --any-rules to compare the samples anyway", rules, FUSE_RULES);
  else if (changes.changed)
    FAULT (error, "the session has no version of the rules of alignment, so it was recorded before version %d, which changed %s: "
        "use the robocache replay of that time, or add --any-rules to compare the samples anyway", FUSE_RULES, changes.changed);
  g_free (changes.changed);
  return *error == NULL;
}

/* ---- properties ---- */

/* text: NULL for the value NULL. *has_changed may be NULL. */
static gboolean
set_property (gpointer object, GParamSpec *pspec, const gchar *text, gboolean *has_changed, GError **error)
{
  GValue value = G_VALUE_INIT, present = G_VALUE_INIT;
  gboolean is_good, is_other;

  g_value_init (&value, pspec->value_type);
  g_value_init (&present, pspec->value_type);
  is_good = !text || gst_value_deserialize (&value, text);
  g_object_get_property (object, pspec->name, &present);
  is_other = is_good && g_param_values_cmp (pspec, &value, &present) != 0;
  if (!is_good)
    FAULT (error, "%s has no setting %s=%s", GST_OBJECT_NAME (object), pspec->name, text);
  else if (is_other)
    g_object_set_property (object, pspec->name, &value);
  if (has_changed)
    *has_changed = is_other;
  g_value_unset (&present);
  g_value_unset (&value);
  return is_good;
}

/* Names and pads' settings at once are not among the settings; those that are NULL are left out. */
static gboolean
is_left_out (const GParamSpec *pspec)
{
  const GType type = pspec->value_type;

  return !g_str_equal (pspec->name, "name") && !g_str_equal (pspec->name, "pads") && (type == G_TYPE_STRING || g_type_is_a (type,
          G_TYPE_BOXED));
}

/* Sets what settings have of an object as OF.property, but the rate. */
static gboolean
set_properties (gpointer object, const gchar *of, const GstStructure *settings, GError **error)
{
  guint n;
  GParamSpec **pspecs = g_object_class_list_properties (G_OBJECT_GET_CLASS (object), &n);
  gboolean is_good = TRUE;

  for (guint i = 0; i < n && is_good; i++) {
    const gchar *text = text_of (settings, of, pspecs[i]->name);

    if ((pspecs[i]->flags & G_PARAM_READWRITE) == G_PARAM_READWRITE && !(pspecs[i]->flags & G_PARAM_CONSTRUCT_ONLY)
        && !g_str_equal (pspecs[i]->name, RATE) && (text || is_left_out (pspecs[i])))
      is_good = set_property (object, pspecs[i], text, NULL, error);
  }
  g_free (pspecs);
  return is_good;
}

gboolean
recorded_settings_change_rate (SteppedCore *core, const GstStructure *settings, gboolean *has_changed, GError **error)
{
  const gchar *rate = text_of (settings, ELEMENT, RATE);

  *has_changed = FALSE;
  return !rate || set_property (core->fuse, g_object_class_find_property (G_OBJECT_GET_CLASS (core->fuse), RATE), rate, has_changed, error);
}

/* ---- pads ---- */

static void
remove_pads (SteppedCore *core, const GstStructure *settings)
{
  for (guint i = core->fuse->pads->len; i > 0; i--) {
    GstRobocacheFusePad *pad = gst_robocache_fuse_nth_pad (core->fuse, i - 1);

    if (!text_of (settings, GST_OBJECT_NAME (pad), "interpolation"))
      gst_element_release_request_pad (GST_ELEMENT (core->fuse), GST_PAD (pad));
  }
}

static gboolean
add_name (GQuark field, const GValue *value, gpointer names)
{
  const gchar *key = g_quark_to_string (field), *dot = strchr (key, '.');
  gchar *name = dot ? g_strndup (key, dot - key) : NULL;

  if (name && !g_str_equal (name, ELEMENT))
    g_hash_table_add (names, g_steal_pointer (&name));
  g_free (name);
  return TRUE;
}

static gboolean
add_pad (SteppedCore *core, const gchar *name, GError **error)
{
  GstPad *pad = stepped_core_pad (core, name) ? NULL : gst_element_request_pad_simple (GST_ELEMENT (core->fuse), name);

  gst_clear_object (&pad);
  if (!stepped_core_pad (core, name))
    FAULT (error, "robocachefuse has no pad %s", name);
  return *error == NULL;
}

/* Pads come in the order of their names. */
static gboolean
add_pads (SteppedCore *core, const GstStructure *settings, GError **error)
{
  GHashTable *names = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  gboolean is_good = TRUE;
  GList *list;

  gst_structure_foreach (settings, add_name, names);
  list = g_list_sort (g_hash_table_get_keys (names), (GCompareFunc) strcmp);
  for (GList *l = list; l && is_good; l = l->next)
    is_good = add_pad (core, l->data, error);
  g_list_free (list);
  g_hash_table_unref (names);
  return is_good;
}

/* The recorded answer of the pad's source to latency queries. */
static void
set_source (SteppedCore *core, GstRobocacheFusePad *pad, const GstStructure *settings)
{
  const gchar *name = GST_OBJECT_NAME (pad), *live = text_of (settings, name, "source-live");
  const gchar *min = text_of (settings, name, "source-min-latency"), *max = text_of (settings, name, "source-max-latency");
  FuseEvent event = {.kind = FUSE_EVENT_SOURCE };

  if (!live || !min || !max)
    return;
  event.source.is_known = TRUE;
  event.source.live = g_str_equal (live, "true");
  event.source.min = fuse_time_of_clock (g_ascii_strtoull (min, NULL, 10));
  event.source.max = fuse_time_of_clock (g_ascii_strtoull (max, NULL, 10));
  stepped_core_send (core, pad, &event);
}

static void
set_sources (SteppedCore *core, const GstStructure *settings)
{
  for (guint i = 0; i < core->fuse->pads->len; i++)
    set_source (core, gst_robocache_fuse_nth_pad (core->fuse, i), settings);
}

/* ---- all of them ---- */

static gboolean
set_all (SteppedCore *core, const GstStructure *settings, GError **error)
{
  remove_pads (core, settings);
  if (!set_properties (core->fuse, ELEMENT, settings, error) || !add_pads (core, settings, error))
    return FALSE;
  for (guint i = 0; i < core->fuse->pads->len; i++) {
    GstRobocacheFusePad *pad = gst_robocache_fuse_nth_pad (core->fuse, i);

    if (!set_properties (pad, GST_OBJECT_NAME (pad), settings, error))
      return FALSE;
  }
  return TRUE;
}

gboolean
recorded_settings_start (SteppedCore *core, const GstStructure *settings, GError **error)
{
  gboolean has_changed;

  stepped_core_init (core, g_strcmp0 (text_of (settings, ELEMENT, "force-live"), "true") == 0);
  if (!set_all (core, settings, error) || !recorded_settings_change_rate (core, settings, &has_changed, error))
    return FALSE;
  if (core->fuse->pads->len == 0) {
    FAULT (error, "the recorded robocachefuse had no pads");
    return FALSE;
  }
  if (!stepped_core_start (core, error))
    return FALSE;
  set_sources (core, settings);
  return TRUE;
}

gboolean
recorded_settings_change (SteppedCore *core, const GstStructure *settings, GError **error)
{
  if (!set_all (core, settings, error))
    return FALSE;
  set_sources (core, settings);
  return TRUE;
}
