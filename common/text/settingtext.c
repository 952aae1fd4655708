/* robocache: values of properties as users write them
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "settingtext.h"

#include "common/element/errors.h"
#include "timetext.h"

/* What a property takes; free with g_free. */
static gchar *
describe_enum (GParamSpec *pspec)
{
  const GEnumClass *type = G_PARAM_SPEC_ENUM (pspec)->enum_class;
  GString *text = g_string_new (NULL);

  for (guint i = 0; i < type->n_values; i++)
    g_string_append_printf (text, "%s%s", i == 0 ? "" : i + 1 < type->n_values ? ", " : " or ", type->values[i].value_nick);
  return g_string_free (text, FALSE);
}

static gchar *
describe_duration (GParamSpec *pspec)
{
  const gint64 least = G_PARAM_SPEC_INT64 (pspec)->minimum, greatest = G_PARAM_SPEC_INT64 (pspec)->maximum;
  GString *text = g_string_new ("a time in ns, or with a unit, like 20ms");

  if (least != G_MININT64)
    g_string_append_printf (text, ", of at least %" G_GINT64_FORMAT, least);
  if (greatest != G_MAXINT64)
    g_string_append_printf (text, "%s at most %" G_GINT64_FORMAT, least != G_MININT64 ? " and" : ", of", greatest);
  return g_string_free (text, FALSE);
}

static gchar *
describe (GParamSpec *pspec)
{
  if (G_IS_PARAM_SPEC_ENUM (pspec))
    return describe_enum (pspec);
  if (G_IS_PARAM_SPEC_INT64 (pspec))
    return describe_duration (pspec);
  if (G_IS_PARAM_SPEC_BOOLEAN (pspec))
    return g_strdup ("true or false");
  return g_strdup (pspec->value_type == GST_TYPE_CAPS ? "caps" : "a number");
}

static gboolean
parse (GValue *value, const gchar *text)
{
  gint64 ns;

  if (G_VALUE_HOLDS_STRING (value)) {
    g_value_set_string (value, text);
    return TRUE;
  }
  if (!G_VALUE_HOLDS_INT64 (value))
    return gst_value_deserialize (value, text);
  if (!robocache_duration_from_text (text, &ns))
    return FALSE;
  g_value_set_int64 (value, ns);
  return TRUE;
}

gboolean
robocache_setting_from_text (GParamSpec *pspec, const gchar *text, GValue *value, GError **error)
{
  gchar *expected;

  g_value_init (value, pspec->value_type);
  if (parse (value, text) && !g_param_value_validate (pspec, value))
    return TRUE;
  g_value_unset (value);
  expected = describe (pspec);
  g_set_error (error, ROBOCACHE_ERROR, ROBOCACHE_ERROR_PROPERTY, "%s=%s: expected %s", pspec->name, text, expected);
  g_free (expected);
  return FALSE;
}
