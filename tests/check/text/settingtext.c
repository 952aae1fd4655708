/* robocache: values of properties and durations as users write them
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include <string.h>

#include "common/element/errors.h"
#include "common/element/propertytypes.h"
#include "common/text/settingtext.h"
#include "common/text/timetext.h"
#include "tests/check/lib/checks.h"

static const struct
{
  const gchar *text;
  gboolean ok;
  gint64 ns;
} durations[] = {
  {"0", TRUE, 0}, {"5", TRUE, 5}, {"-1", TRUE, -1}, {"+7", TRUE, 7}, {"100ms", TRUE, 100000000}, {"-20ms", TRUE, -20000000},
  {"2s", TRUE, 2000000000}, {"50us", TRUE, 50000}, {"3ns", TRUE, 3}, {"1.5ms", TRUE, 1500000}, {".5us", TRUE, 500},
  {"9223372036854775807", TRUE, G_MAXINT64}, {"-9223372036854775808", TRUE, G_MININT64}, {"9223372036.854775807s", TRUE, G_MAXINT64},
  {""}, {"ms"}, {"1 ms"}, {"1m"}, {"1h"}, {"1ms "}, {"1.2.3"}, {"1MS"}, {"--1"}, {"1e3"}, {"soon"}, {"9223372036854775808"},
  {"9223372037s"},
};

GST_START_TEST (test_duration)
{
  gint64 ns = 77;

  fail_unless_equals_int (robocache_duration_from_text (durations[__i__].text, &ns), durations[__i__].ok);
  if (durations[__i__].ok)
    fail_unless_equals_int64 (ns, durations[__i__].ns);
}

GST_END_TEST;

static const struct
{
  gint64 ns;
  const gchar *text;
} texts[] = {
  {0, "0ns"}, {1, "1ns"}, {999, "999ns"}, {1000, "1us"}, {1500, "1.5us"}, {33333333, "33.33ms"}, {200000000, "200ms"}, {1000000000, "1s"},
  {5400000000000, "5400s"},
};

GST_START_TEST (test_duration_to_text)
{
  gchar *text = robocache_duration_to_text (texts[__i__].ns);

  fail_unless_equals_string (text, texts[__i__].text);
  g_free (text);
}

GST_END_TEST;

static GParamSpec *
make_pspec (const gchar *kind)
{
  if (g_str_equal (kind, "gap"))
    return g_param_spec_int64 (kind, NULL, NULL, -1, G_MAXINT64, 0, G_PARAM_READWRITE);
  if (g_str_equal (kind, "window"))
    return g_param_spec_int64 (kind, NULL, NULL, 0, 3600000000000, 0, G_PARAM_READWRITE);
  if (g_str_equal (kind, "most"))
    return g_param_spec_int64 (kind, NULL, NULL, G_MININT64, 5, 0, G_PARAM_READWRITE);
  if (g_str_equal (kind, "any"))
    return g_param_spec_int64 (kind, NULL, NULL, G_MININT64, G_MAXINT64, 0, G_PARAM_READWRITE);
  if (g_str_equal (kind, "how"))
    return g_param_spec_enum (kind, NULL, NULL, ROBOCACHE_TYPE_INTERPOLATION, 0, G_PARAM_READWRITE);
  if (g_str_equal (kind, "on"))
    return g_param_spec_boolean (kind, NULL, NULL, FALSE, G_PARAM_READWRITE);
  if (g_str_equal (kind, "caps"))
    return g_param_spec_boxed (kind, NULL, NULL, GST_TYPE_CAPS, G_PARAM_READWRITE);
  if (g_str_equal (kind, "count"))
    return g_param_spec_uint (kind, NULL, NULL, 1, 9, 1, G_PARAM_READWRITE);
  return g_param_spec_string (kind, NULL, NULL, NULL, G_PARAM_READWRITE);
}

static const struct
{
  const gchar *kind, *text;
  const gchar *value;           /* as gst_value_serialize writes it; NULL: refused */
  const gchar *expected;        /* of the error, behind "KIND=TEXT: expected " */
} settings[] = {
  {"gap", "100ms", "100000000"}, {"gap", "-1", "-1"}, {"gap", "7", "7"}, {"window", "3600s", "3600000000000"}, {"any", "-2s", "-2000000000"},
  {"gap", "-2", NULL, "a time in ns, or with a unit, like 20ms, of at least -1"},
  {"gap", "long", NULL, "a time in ns, or with a unit, like 20ms, of at least -1"},
  {"gap", "", NULL, "a time in ns, or with a unit, like 20ms, of at least -1"},
  {"window", "3601s", NULL, "a time in ns, or with a unit, like 20ms, of at least 0 and at most 3600000000000"},
  {"most", "6", NULL, "a time in ns, or with a unit, like 20ms, of at most 5"},
  {"any", "1 s", NULL, "a time in ns, or with a unit, like 20ms"},
  {"how", "cubic", "cubic"}, {"how", "lineer", NULL, "linear, nearest, previous, cubic, hermite, mean or lowpass"},
  {"on", "true", "true"}, {"on", "0", "false"}, {"on", "maybe", NULL, "true or false"},
  {"list", "3,7", "\"3\\,7\""}, {"list", "", "\"\""},
  {"caps", "video/x-raw", "video/x-raw"}, {"caps", "=", NULL, "caps"},
  {"count", "9", "9"}, {"count", "10", NULL, "a number"}, {"count", "many", NULL, "a number"},
};

GST_START_TEST (test_setting)
{
  GParamSpec *pspec = g_param_spec_ref_sink (make_pspec (settings[__i__].kind));
  const gchar *text = settings[__i__].text, *wanted = settings[__i__].value;
  GValue value = G_VALUE_INIT;
  GError *error = NULL;
  gchar *got;

  fail_unless_equals_int (robocache_setting_from_text (pspec, text, &value, &error), wanted != NULL);
  fail_unless_equals_int (G_IS_VALUE (&value), wanted != NULL);
  if (wanted) {
    got = gst_value_serialize (&value);
    fail_unless_equals_string (got, wanted);
    g_value_unset (&value);
  } else {
    fail_unless (g_error_matches (error, ROBOCACHE_ERROR, ROBOCACHE_ERROR_PROPERTY));
    got = g_strdup_printf ("%s=%s: expected %s", settings[__i__].kind, text, settings[__i__].expected);
    fail_unless_equals_string (error->message, got);
    g_error_free (error);
  }
  g_free (got);
  g_param_spec_unref (pspec);
}

GST_END_TEST;

CHECK_MAIN (settingtext, NULL, NULL, EACH (durations, test_duration), EACH (texts, test_duration_to_text),
    EACH (settings, test_setting))
