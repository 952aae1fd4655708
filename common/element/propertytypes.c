/* robocache: property types that elements share
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "propertytypes.h"

#include <string.h>

#include "errors.h"

ROBOCACHE_DEFINE_ENUM (robocache_interpolation_get_type, "GstRobocacheInterpolation",
    {RC_LINEAR, "Straight line between the rows around the tick", "linear"},
    {RC_NEAREST, "The nearest row; the earlier one of two at the same distance", "nearest"},
    {RC_PREVIOUS, "The newest row at or before the tick", "previous"},
    {RC_CUBIC, "Cubic through the rows around the tick, tangents from their neighbours", "cubic"},
    {RC_HERMITE, "Cubic with the measured rates of 'velocities' as tangents, linear for other channels", "hermite"},
    {RC_MEAN, "Mean of the rows within half a period of the tick, linear without such rows", "mean"},
    {RC_LOWPASS, "Windowed sinc of the rows around the tick, which keeps frequencies below 'cutoff' and removes others", "lowpass"})

ROBOCACHE_DEFINE_ENUM (robocache_voxel_mode_get_type, "GstRobocacheVoxelMode",
    {RC_VOXEL_OCCUPANCY, "1 if the voxel has a point", "occupancy"},
    {RC_VOXEL_COUNT, "Number of points", "count"},
    {RC_VOXEL_MEAN, "Mean of each feature", "mean"},
    {RC_VOXEL_CENTROID, "Mean position of the points", "centroid"},
    {RC_VOXEL_MAX, "Maximum of each feature", "max"},
    {RC_VOXEL_MIN, "Minimum of each feature", "min"},
    {RC_VOXEL_FIRST, "The first max-points points themselves, for sparse output", "first"},
    {RC_VOXEL_PILLARS, "The first max-points points, with their offsets from their mean and from the voxel's centre", "pillars"})

ROBOCACHE_DEFINE_ENUM (robocache_voxel_output_get_type, "GstRobocacheVoxelOutput",
    {RC_VOXEL_DENSE, "All voxels of the grid", "dense"},
    {RC_VOXEL_BITS, "One bit per voxel, for occupancy", "bits"},
    {RC_VOXEL_SPARSE, "Coordinates and values of the occupied voxels", "sparse"},
    {RC_VOXEL_INDEX, "The linear index of each point's voxel, for occupancy", "index"},
    {RC_VOXEL_RANK, "The row of each point's voxel in sparse output, for occupancy", "rank"})

GType
robocache_dtype_get_type (void)
{
  static gsize type = 0;
  static GEnumValue values[RC_N_DTYPES + 2];

  if (g_once_init_enter (&type)) {
    values[0] = (GEnumValue) { ROBOCACHE_DTYPE_AUTO, "Type chosen as the property describes", "auto" };
    for (RcDtype d = 0; d < RC_N_DTYPES; d++)
      values[d + 1] = (GEnumValue) { d, rc_dtype_name (d), rc_dtype_name (d) };
    g_once_init_leave (&type, g_enum_register_static ("GstRobocacheDtype", values));
  }
  return type;
}

RcDtype
robocache_dtype_resolve (RcDtype requested, RcDtype input)
{
  if (requested != ROBOCACHE_DTYPE_AUTO)
    return requested;
  return rc_dtype_is_float (input) ? input : RC_FLOAT32;
}

void
robocache_lowpass_install_properties (GObjectClass *klass, guint cutoff_id, guint lobes_id, GParamFlags flags)
{
  g_object_class_install_property (klass, cutoff_id, g_param_spec_double ("cutoff", "Cutoff",
      "Frequency at which interpolation=lowpass halves the amplitude (Hz, 0 = 0.4 times the rate of ticks or rows, whichever is "
      "lower; otherwise 0.001 to 1000000)", 0, RC_MAX_CUTOFF, 0, flags));
  g_object_class_install_property (klass, lobes_id, g_param_spec_int ("lobes", "Lobes",
      "Sinc lobes of interpolation=lowpass on each side of the tick. The latency grows by lobes / (2 cutoff)",
      RC_MIN_LOBES, RC_MAX_LOBES, RC_DEFAULT_LOBES, flags));
}

/* ---- fields ---- */

void
robocache_setting_set (gpointer field, const GValue *value)
{
  if (GST_VALUE_HOLDS_FRACTION (value)) {
    ((gint *) field)[0] = gst_value_get_fraction_numerator (value);
    ((gint *) field)[1] = gst_value_get_fraction_denominator (value);
    return;
  }
  switch (G_TYPE_FUNDAMENTAL (G_VALUE_TYPE (value))) {
    case G_TYPE_ENUM:
      *(gint *) field = g_value_get_enum (value);
      break;
    case G_TYPE_BOOLEAN:
      *(gboolean *) field = g_value_get_boolean (value);
      break;
    case G_TYPE_INT:
      *(gint *) field = g_value_get_int (value);
      break;
    case G_TYPE_UINT:
      *(guint *) field = g_value_get_uint (value);
      break;
    case G_TYPE_INT64:
      *(gint64 *) field = g_value_get_int64 (value);
      break;
    case G_TYPE_UINT64:
      *(guint64 *) field = g_value_get_uint64 (value);
      break;
    case G_TYPE_DOUBLE:
      *(gdouble *) field = g_value_get_double (value);
      break;
    case G_TYPE_STRING:
      g_free (*(gchar **) field);
      *(gchar **) field = g_value_dup_string (value);
      break;
    default:
      g_return_if_reached ();
  }
}

void
robocache_setting_get (gconstpointer field, GValue *value)
{
  if (GST_VALUE_HOLDS_FRACTION (value)) {
    gst_value_set_fraction (value, ((const gint *) field)[0], ((const gint *) field)[1]);
    return;
  }
  switch (G_TYPE_FUNDAMENTAL (G_VALUE_TYPE (value))) {
    case G_TYPE_ENUM:
      g_value_set_enum (value, *(const gint *) field);
      break;
    case G_TYPE_BOOLEAN:
      g_value_set_boolean (value, *(const gboolean *) field);
      break;
    case G_TYPE_INT:
      g_value_set_int (value, *(const gint *) field);
      break;
    case G_TYPE_UINT:
      g_value_set_uint (value, *(const guint *) field);
      break;
    case G_TYPE_INT64:
      g_value_set_int64 (value, *(const gint64 *) field);
      break;
    case G_TYPE_UINT64:
      g_value_set_uint64 (value, *(const guint64 *) field);
      break;
    case G_TYPE_DOUBLE:
      g_value_set_double (value, *(const gdouble *) field);
      break;
    case G_TYPE_STRING:
      g_value_set_string (value, *(gchar * const *) field);
      break;
    default:
      g_return_if_reached ();
  }
}

void
robocache_settings_init (gpointer settings, GParamSpec *const *specs, const glong *offsets, guint n)
{
  for (guint id = 1; id < n; id++) {
    if (specs[id] && specs[id]->flags & G_PARAM_WRITABLE)
      robocache_setting_set (G_STRUCT_MEMBER_P (settings, offsets[id]), g_param_spec_get_default_value (specs[id]));
  }
}

void
robocache_settings_copy_strings (gpointer settings, const glong *offsets, guint n)
{
  for (guint i = 0; i < n; i++) {
    gchar **field = G_STRUCT_MEMBER_P (settings, offsets[i]);

    *field = g_strdup (*field);
  }
}

void
robocache_settings_clear_strings (gpointer settings, const glong *offsets, guint n)
{
  for (guint i = 0; i < n; i++)
    g_clear_pointer ((gchar **) G_STRUCT_MEMBER_P (settings, offsets[i]), g_free);
}

/* ---- settings that hold from READY on ---- */

void
robocache_warn_of_late_setting (gpointer object, GParamSpec *pspec)
{
  GstElement *element = GST_IS_PAD (object) ? gst_pad_get_parent_element (object) : gst_object_ref (object);
  gboolean is_late = (pspec->flags & GST_PARAM_MUTABLE_READY) != 0;

  if (element == NULL)
    return;
  GST_OBJECT_LOCK (element);
  is_late &= GST_STATE (element) > GST_STATE_READY;
  GST_OBJECT_UNLOCK (element);
  if (is_late)
    GST_ELEMENT_WARNING (element, LIBRARY, SETTINGS, ("%s%s%s was set while the element runs: the value takes effect at the "
        "next start from READY", GST_IS_PAD (object) ? GST_OBJECT_NAME (object) : "", GST_IS_PAD (object) ? "::" : "",
            pspec->name), (NULL));
  gst_object_unref (element);
}

/* ---- channel lists ---- */

#define MAX_CHANNEL (1 << 24)

static gboolean
parse_channel (const gchar **cursor, gint64 *channel)
{
  gchar *end;
  guint64 value;

  while (g_ascii_isspace (**cursor))
    (*cursor)++;
  if (!g_ascii_isdigit (**cursor))
    return FALSE;
  value = g_ascii_strtoull (*cursor, &end, 10);
  if (value > MAX_CHANNEL)
    return FALSE;
  while (g_ascii_isspace (*end))
    end++;
  *cursor = end;
  *channel = (gint64) value;
  return TRUE;
}

/* "3", "3-6" or "3 - 6". FALSE: the token is neither, and may be a name. */
static gboolean
parse_range (const gchar *token, gint64 *first, gint64 *last)
{
  if (!parse_channel (&token, first))
    return FALSE;
  *last = *first;
  if (*token == '-') {
    token++;
    if (!parse_channel (&token, last))
      return FALSE;
  }
  return *token == '\0' && *last >= *first;
}

/* The channel of that name; -1: no such channel. */
static gint64
find_name (gchar **names, const gchar *token)
{
  for (gint64 c = 0; names && names[c]; c++) {
    if (g_str_equal (g_strstrip (names[c]), token))
      return c;
  }
  return -1;
}

/* Whether no names could make a channel of it. */
static gboolean
is_malformed (const gchar *token)
{
  gint64 first, last;

  return strspn (token, "0123456789- \t") == strlen (token) && !parse_range (token, &first, &last);
}

/* FALSE: neither a number, nor a range, nor one of the names. */
static gboolean
append_token (GArray *channels, const gchar *token, gchar **names)
{
  gint64 first, last;

  if (!parse_range (token, &first, &last))
    first = last = is_malformed (token) ? -1 : find_name (names, token);
  for (gint64 c = first; first >= 0 && c <= last; c++) {
    const gint32 channel = (gint32) c;

    g_array_append_val (channels, channel);
  }
  return first >= 0;
}

static void
say_no_channel (const gchar *string, const gchar *token, const gchar *names, GError **error)
{
  if (names && !is_malformed (token))
    g_set_error (error, ROBOCACHE_ERROR, ROBOCACHE_ERROR_PROPERTY, "\"%s\": there is no channel \"%s\"; the caps have %s", string,
        token, names);
  else
    g_set_error (error, ROBOCACHE_ERROR, ROBOCACHE_ERROR_PROPERTY, "\"%s\" is not a channel list: set zero-based numbers and "
        "ranges, like \"0\" or \"3-6,9\"%s", string, is_malformed (token) ? "" : ", since the caps name no channels");
}

static gboolean
is_blank (const gchar *string)
{
  while (g_ascii_isspace (*string))
    string++;
  return *string == '\0';
}

gboolean
robocache_channel_list_parse (RobocacheChannelList *list, const gchar *string, const gchar *names, GError **error)
{
  GArray *channels = g_array_new (FALSE, FALSE, sizeof (gint32));
  gchar **tokens = g_strsplit (string && !is_blank (string) ? string : "", ",", -1);
  gchar **each_name = names ? g_strsplit (names, ",", -1) : NULL;
  guint n = 0;
  gboolean ok;

  while (tokens[n] && append_token (channels, g_strstrip (tokens[n]), each_name))
    n++;
  ok = tokens[n] == NULL;
  if (ok) {
    robocache_channel_list_clear (list);
    list->n = channels->len;
    list->channels = (gint32 *) (gpointer) g_array_free (channels, channels->len == 0);
  } else {
    say_no_channel (string, tokens[n], names, error);
    g_array_free (channels, TRUE);
  }
  g_strfreev (each_name);
  g_strfreev (tokens);
  return ok;
}

gboolean
robocache_channel_list_check (const gchar *string, GError **error)
{
  gchar **tokens = g_strsplit (string && !is_blank (string) ? string : "", ",", -1);
  guint n = 0;
  gboolean ok;

  while (tokens[n] && !is_malformed (g_strstrip (tokens[n])))
    n++;
  ok = tokens[n] == NULL;
  if (!ok)
    say_no_channel (string, tokens[n], NULL, error);
  g_strfreev (tokens);
  return ok;
}

void
robocache_channel_list_clear (RobocacheChannelList *list)
{
  g_clear_pointer (&list->channels, g_free);
  list->n = 0;
}

/* ---- arrays of numbers ---- */

GParamSpec *
robocache_param_spec_doubles (const gchar *name, const gchar *nick, const gchar *blurb, GParamFlags flags)
{
  /* without a spec of the elements, which would turn a NaN away with no more than a line on stderr */
  return gst_param_spec_array (name, nick, blurb, NULL, flags);
}

static gboolean
value_get_number (const GValue *value, gdouble *number)
{
  GValue as_double = G_VALUE_INIT;

  if (!g_value_type_transformable (G_VALUE_TYPE (value), G_TYPE_DOUBLE) || G_VALUE_HOLDS_STRING (value))
    return FALSE;
  g_value_init (&as_double, G_TYPE_DOUBLE);
  g_value_transform (value, &as_double);
  *number = g_value_get_double (&as_double);
  g_value_unset (&as_double);
  return TRUE;
}

gboolean
robocache_value_get_doubles (const GValue *array, gdouble *out, guint n)
{
  gdouble numbers[16];

  g_return_val_if_fail (n <= G_N_ELEMENTS (numbers), FALSE);

  if (!GST_VALUE_HOLDS_ARRAY (array) || gst_value_array_get_size (array) != n)
    return FALSE;
  for (guint i = 0; i < n; i++) {
    if (!value_get_number (gst_value_array_get_value (array, i), &numbers[i]))
      return FALSE;
  }
  memcpy (out, numbers, n * sizeof (gdouble));
  return TRUE;
}

gchar *
robocache_property_get_doubles (const gchar *name, const GValue *array, gdouble *out, guint n, const gchar *expected)
{
  gchar *text, *wrong;

  if (robocache_value_get_doubles (array, out, n))
    return NULL;
  text = g_strdup_value_contents (array);
  wrong = g_strdup_printf ("%s is %s: expected %s", name, text, expected);
  g_free (text);
  return wrong;
}

void
robocache_value_set_doubles (GValue *array, const gdouble *values, guint n)
{
  g_value_reset (array);
  for (guint i = 0; i < n; i++) {
    GValue number = G_VALUE_INIT;

    g_value_init (&number, G_TYPE_DOUBLE);
    g_value_set_double (&number, values[i]);
    gst_value_array_append_and_take_value (array, &number);
  }
}
