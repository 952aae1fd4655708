/* robocache: roles of channels of a stream: its kinds in caps, and the properties kinds, quaternions, angles and velocities
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "channelroles.h"

#include <string.h>

static const struct
{
  const gchar *name, *nick, *blurb;
} properties[ROBOCACHE_N_ROLES] = {
  [ROBOCACHE_ROLE_QUATERNIONS] = {"quaternions", "Quaternions",
      "First of the four channels of each quaternion, to interpolate along the arc: numbers or names, like \"3,7\" or \"qw\""},
  [ROBOCACHE_ROLE_ANGLES] = {"angles", "Angles",
      "Channels in radians, to interpolate along the shorter arc: numbers, ranges or names, like \"0-2\""},
  [ROBOCACHE_ROLE_VELOCITIES] = {"velocities", "Velocities",
      "With interpolation=hermite: channels with the rates of change, per second, of channels 0, 1, …: numbers, ranges or names, "
      "like \"6-11\""},
  [ROBOCACHE_ROLE_KINDS] = {"kinds", "Kinds",
      "Kinds of the channels, like \"real*3,quaternion,hold\" (NULL = those of the caps, ignore = all are real)"},
};

void
robocache_channel_roles_install_properties (GObjectClass *klass, guint first_id)
{
  for (guint role = 0; role < ROBOCACHE_N_ROLES; role++)
    g_object_class_install_property (klass, first_id + role, g_param_spec_string (properties[role].name,
            properties[role].nick, properties[role].blurb, NULL,
            G_PARAM_READWRITE | G_PARAM_STATIC_STRINGS | GST_PARAM_MUTABLE_READY));
}

void
robocache_channel_roles_set_property (RobocacheChannelRoles *roles, guint role, const GValue *value)
{
  g_free (roles->strings[role]);
  roles->strings[role] = g_value_dup_string (value);
}

void
robocache_channel_roles_get_property (const RobocacheChannelRoles *roles, guint role, GValue *value)
{
  g_value_set_string (value, roles->strings[role]);
}

void
robocache_channel_roles_set_channels (RobocacheChannelRoles *roles, guint64 n, const gchar *names, const gchar *kinds)
{
  roles->n = n;
  g_free (roles->names);
  roles->names = g_strdup (names);
  g_free (roles->kinds);
  roles->kinds = g_strdup (kinds);
}

void
robocache_channel_roles_copy (RobocacheChannelRoles *roles, const RobocacheChannelRoles *from)
{
  robocache_channel_roles_clear (roles);
  for (guint role = 0; role < ROBOCACHE_N_ROLES; role++)
    roles->strings[role] = g_strdup (from->strings[role]);
  robocache_channel_roles_set_channels (roles, from->n, from->names, from->kinds);
}

/* What lists and kinds mean, which is found anew. */
static void
clear_meaning (RobocacheChannelRoles *roles)
{
  for (guint role = 0; role < ROBOCACHE_ROLE_KINDS; role++)
    robocache_channel_list_clear (&roles->lists[role]);
  robocache_channel_list_clear (&roles->holds);
  g_clear_pointer (&roles->used, g_free);
  roles->source = NULL;
}

void
robocache_channel_roles_clear (RobocacheChannelRoles *roles)
{
  clear_meaning (roles);
  for (guint role = 0; role < ROBOCACHE_N_ROLES; role++)
    g_clear_pointer (&roles->strings[role], g_free);
  g_clear_pointer (&roles->names, g_free);
  g_clear_pointer (&roles->kinds, g_free);
  roles->n = 0;
}

/* ---- properties ---- */

/* The words of kinds; how many channels there are, and their names, are not known yet. */
static gboolean
check_kinds (const gchar *text, GError **error)
{
  gchar **parts = g_strsplit (text ? text : "", ",", -1);
  gboolean ok = TRUE;

  if (text == NULL || g_str_equal (text, ROBOCACHE_KINDS_IGNORE) || *text == '\0')
    g_clear_pointer (&parts, g_strfreev);
  for (guint i = 0; parts && parts[i] && ok; i++) {
    GError *wrong = NULL;

    ok = g_str_has_prefix (g_strstrip (parts[i]), "velocity:") || robocache_kinds_check (*parts[i] ? parts[i] : ",", 1, NULL, &wrong)
        || g_str_has_prefix (wrong->message, "kinds=");
    if (ok)
      g_clear_error (&wrong);
    else
      g_propagate_error (error, wrong);
  }
  g_strfreev (parts);
  return ok;
}

gboolean
robocache_channel_roles_check (guint role, const GValue *value, GError **error)
{
  if (role == ROBOCACHE_ROLE_KINDS)
    return check_kinds (g_value_get_string (value), error);
  if (robocache_channel_list_check (g_value_get_string (value), error))
    return TRUE;
  g_prefix_error (error, "%s: ", properties[role].name);
  return FALSE;
}

static gboolean
parse_lists (RobocacheChannelRoles *roles, GError **error)
{
  for (guint role = 0; role < ROBOCACHE_ROLE_KINDS; role++) {
    if (robocache_channel_list_parse (&roles->lists[role], roles->strings[role], roles->names, error))
      continue;
    g_prefix_error (error, "%s: ", properties[role].name);
    return FALSE;
  }
  return TRUE;
}

/* ---- kinds ---- */

/* The text of the kinds; NULL: there are none. */
static const gchar *
text_of_kinds (const RobocacheChannelRoles *roles)
{
  const gchar *chosen = roles->strings[ROBOCACHE_ROLE_KINDS];

  if (chosen && g_str_equal (chosen, ROBOCACHE_KINDS_IGNORE))
    return NULL;
  return chosen && *chosen ? chosen : roles->kinds;
}

static gboolean
has_list (const RobocacheChannelRoles *roles)
{
  gboolean has = FALSE;

  for (guint role = 0; role < ROBOCACHE_ROLE_KINDS; role++)
    has |= roles->strings[role] != NULL;
  return has;
}

static const gchar *
source_of_kinds (const RobocacheChannelRoles *roles)
{
  const gchar *chosen = roles->strings[ROBOCACHE_ROLE_KINDS], *text = text_of_kinds (roles);

  if (text == NULL)
    return has_list (roles) ? "property" : chosen && g_str_equal (chosen, ROBOCACHE_KINDS_IGNORE) ? "ignored" : "none";
  if (text != roles->kinds)
    return "property";
  return has_list (roles) ? "caps and property" : "caps";
}

/* Of kinds with a list of their own only those of the list count. */
static void
leave_to_lists (const RobocacheChannelRoles *roles, RobocacheKinds *kinds)
{
  static const RobocacheKind listed[] = {
    [ROBOCACHE_ROLE_QUATERNIONS] = ROBOCACHE_KIND_QUATERNION,
    [ROBOCACHE_ROLE_ANGLES] = ROBOCACHE_KIND_ANGLE,
    [ROBOCACHE_ROLE_VELOCITIES] = ROBOCACHE_KIND_VELOCITY,
  };

  for (guint role = 0; role < ROBOCACHE_ROLE_KINDS; role++) {
    const RobocacheChannelList *list = &roles->lists[role];

    for (guint64 c = 0; c < kinds->n && roles->strings[role]; c++) {
      if (kinds->of[c] == listed[role])
        robocache_kinds_set_real (kinds, c, 1);
    }
    for (gint64 i = 0; i < list->n && role != ROBOCACHE_ROLE_VELOCITIES; i++)
      robocache_kinds_set_real (kinds, (guint64) list->channels[i], role == ROBOCACHE_ROLE_QUATERNIONS ? 4 : 1);
  }
}

static void
append_kind (RobocacheChannelList *list, const RobocacheKinds *kinds, RobocacheKind kind)
{
  GArray *channels = g_array_new (FALSE, FALSE, sizeof (gint32));

  for (guint64 c = 0; c < kinds->n; c++) {
    const gint32 channel = (gint32) c;

    if (kinds->of[c] == kind)
      g_array_append_val (channels, channel);
  }
  list->n = channels->len;
  list->channels = (gint32 *) (gpointer) g_array_free (channels, channels->len == 0);
}

/* Rates of held channels and of quaternions mean nothing to hermite. */
static gboolean
can_have_rate (guint8 kind)
{
  return kind == ROBOCACHE_KIND_REAL || kind == ROBOCACHE_KIND_ANGLE;
}

/* The rates of channels 0, 1, … up to the first one without. */
static void
list_velocities (RobocacheChannelList *list, const RobocacheKinds *kinds)
{
  gint32 *rates = g_new (gint32, MAX (kinds->n, 1));

  memset (rates, 0xff, kinds->n * sizeof (*rates));
  for (guint64 c = 0; c < kinds->n; c++) {
    if (kinds->of[c] == ROBOCACHE_KIND_VELOCITY && can_have_rate (kinds->of[kinds->rate_of[c]]))
      rates[kinds->rate_of[c]] = (gint32) c;
  }
  for (list->n = 0; list->n < (gint64) kinds->n && rates[list->n] >= 0; list->n++);
  list->channels = rates;
}

/* Whether n channels from first on are there, and are of no other kind. */
static gboolean
are_real (const RobocacheKinds *kinds, gint32 first, guint64 n)
{
  gboolean are = first >= 0 && (guint64) first + n <= kinds->n;

  for (guint64 i = 0; i < n && are; i++)
    are = kinds->of[(guint64) first + i] == ROBOCACHE_KIND_REAL;
  return are;
}

/* Lists of channels that properties have, as kinds. Wrong ones, as quaternions that overlap, are left out: a plan refuses them by name. */
static void
put_lists (const RobocacheChannelRoles *roles, RobocacheKinds *kinds)
{
  const RobocacheChannelList *quaternions = &roles->lists[ROBOCACHE_ROLE_QUATERNIONS], *angles = &roles->lists[ROBOCACHE_ROLE_ANGLES];
  const RobocacheChannelList *velocities = &roles->lists[ROBOCACHE_ROLE_VELOCITIES];

  for (gint64 i = 0; i < quaternions->n; i++) {
    if (are_real (kinds, quaternions->channels[i], 4))
      robocache_kinds_set_quaternion (kinds, (guint64) quaternions->channels[i]);
  }
  for (gint64 i = 0; i < angles->n; i++) {
    if (are_real (kinds, angles->channels[i], 1))
      kinds->of[angles->channels[i]] = ROBOCACHE_KIND_ANGLE;
  }
  for (gint64 i = 0; i < velocities->n; i++) {
    const gint32 rate = velocities->channels[i];

    if (!are_real (kinds, rate, 1))
      continue;
    robocache_kinds_set_velocity (kinds, (guint64) rate, (guint64) i);
  }
}

/* Whether the kinds of so many channels are listed: a row of more has lists of properties alone. */
static gboolean
can_have_kinds (const RobocacheChannelRoles *roles)
{
  return roles->n <= ROBOCACHE_MAX_KINDS && (text_of_kinds (roles) || has_list (roles));
}

gboolean
robocache_channel_roles_parse (RobocacheChannelRoles *roles, GError **error)
{
  const gchar *text = text_of_kinds (roles);
  RobocacheKinds kinds = { 0 };

  clear_meaning (roles);
  roles->source = source_of_kinds (roles);
  if (!parse_lists (roles, error) || (text && !robocache_kinds_parse (&kinds, text, roles->n, roles->names, error)))
    return FALSE;
  if (!can_have_kinds (roles))
    return TRUE;
  if (text == NULL)
    robocache_kinds_init (&kinds, roles->n);
  leave_to_lists (roles, &kinds);
  if (roles->strings[ROBOCACHE_ROLE_QUATERNIONS] == NULL)
    append_kind (&roles->lists[ROBOCACHE_ROLE_QUATERNIONS], &kinds, ROBOCACHE_KIND_QUATERNION);
  if (roles->strings[ROBOCACHE_ROLE_ANGLES] == NULL)
    append_kind (&roles->lists[ROBOCACHE_ROLE_ANGLES], &kinds, ROBOCACHE_KIND_ANGLE);
  if (roles->strings[ROBOCACHE_ROLE_VELOCITIES] == NULL)
    list_velocities (&roles->lists[ROBOCACHE_ROLE_VELOCITIES], &kinds);
  append_kind (&roles->holds, &kinds, ROBOCACHE_KIND_HOLD);
  put_lists (roles, &kinds);
  roles->used = robocache_kinds_to_string (&kinds, roles->names);
  robocache_kinds_clear (&kinds);
  return TRUE;
}

/* ---- what they are ---- */

void
robocache_channel_roles_apply (const RobocacheChannelRoles *roles, RcAlignStreamSpec *spec)
{
  spec->quaternions = roles->lists[ROBOCACHE_ROLE_QUATERNIONS].channels;
  spec->n_quaternions = roles->lists[ROBOCACHE_ROLE_QUATERNIONS].n;
  spec->angles = roles->lists[ROBOCACHE_ROLE_ANGLES].channels;
  spec->n_angles = roles->lists[ROBOCACHE_ROLE_ANGLES].n;
  spec->velocities = roles->lists[ROBOCACHE_ROLE_VELOCITIES].channels;
  spec->n_velocities = roles->lists[ROBOCACHE_ROLE_VELOCITIES].n;
  spec->holds = roles->holds.channels;
  spec->n_holds = roles->holds.n;
}

guint32
robocache_channel_roles_unfiltered (const RobocacheChannelRoles *roles)
{
  RobocacheKinds kinds = { 0 };
  guint32 bits = 0;

  if (roles->used && robocache_kinds_parse (&kinds, roles->used, roles->n, roles->names, NULL))
    bits = robocache_kinds_unfiltered (&kinds);
  robocache_kinds_clear (&kinds);
  return bits;
}

gboolean
robocache_channel_roles_are_held (const RobocacheChannelRoles *roles)
{
  return roles->n > 0 && roles->holds.n == (gint64) roles->n;
}

gchar *
robocache_channel_roles_describe (const RobocacheChannelRoles *roles, RcDtype dtype)
{
  const gchar *source = roles->source ? roles->source : "none";

  if (g_str_equal (source, "none") && !rc_dtype_is_float (dtype))
    return g_strdup ("integers without kinds are real, so they are interpolated: set kinds=hold for switches, modes and counters");
  if (g_str_equal (source, "none") || g_str_equal (source, "ignored"))
    return g_strdup_printf ("kinds real (%s)", g_str_equal (source, "none") ? "the caps have none" : "by kinds=" ROBOCACHE_KINDS_IGNORE);
  return g_strdup_printf ("kinds %s (from %s)", roles->used ? roles->used : "real", source);
}

/* Of one of several rows, of which the first is `at`. */
static void
put_kinds (const RobocacheChannelRoles *roles, guint64 at, RobocacheKinds *all)
{
  RobocacheKinds own = { 0 };

  if (roles->used && robocache_kinds_parse (&own, roles->used, roles->n, roles->names, NULL))
    memcpy (all->of + at, own.of, roles->n);
  for (guint64 c = 0; c < own.n; c++)
    all->rate_of[at + c] = (gint32) at + own.rate_of[c];
  robocache_kinds_clear (&own);
}

gchar *
robocache_channel_roles_join (const RobocacheChannelRoles *const *roles, guint n, const gchar *names)
{
  RobocacheKinds all = { 0 };
  guint64 n_channels = 0, at = 0;
  gchar *text = NULL;

  for (guint i = 0; i < n; i++)
    n_channels += roles[i]->n;
  if (n_channels > ROBOCACHE_MAX_KINDS)
    return NULL;
  robocache_kinds_init (&all, n_channels);
  for (guint i = 0; i < n; at += roles[i++]->n)
    put_kinds (roles[i], at, &all);
  text = robocache_kinds_to_string (&all, names);
  robocache_kinds_clear (&all);
  return text;
}

void
robocache_channel_roles_to_structure (const RobocacheChannelRoles *roles, GstStructure *structure)
{
  gst_structure_set (structure, "kinds", G_TYPE_STRING, roles->used ? roles->used : "", "kinds-source", G_TYPE_STRING,
      roles->source ? roles->source : "none", NULL);
}
