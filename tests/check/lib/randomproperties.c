/* robocache: random values in range for the properties of an element
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "tests/check/lib/randomproperties.h"

gint64
random_integer (GRand *random, gint64 minimum, gint64 maximum)
{
  const guint64 bits = (guint64) g_rand_int (random) << 32 | g_rand_int (random);
  const guint64 span = (guint64) maximum - (guint64) minimum, offset = bits >> g_rand_int_range (random, 0, 64);

  return (gint64) ((guint64) minimum + (span == G_MAXUINT64 ? offset : offset % (span + 1)));
}

gboolean
random_value (GRand *random, GParamSpec *pspec, GValue *value)
{
  static const gchar *const texts[] = { "", ",", ";", "0", "1-2", "3-1", "q0,q1", "<q6f", "4:4:4", "no sense", "<1.0,2.0,3.0>" };

  g_value_init (value, pspec->value_type);
  if (GST_IS_PARAM_SPEC_FRACTION (pspec)) {
    const GstParamSpecFraction *f = GST_PARAM_SPEC_FRACTION (pspec);

    gst_value_set_fraction (value, (gint) random_integer (random, f->min_num, f->max_num),
        (gint) random_integer (random, 1, G_MAXINT));
  } else if (G_IS_PARAM_SPEC_ENUM (pspec)) {
    const GEnumClass *klass = G_PARAM_SPEC_ENUM (pspec)->enum_class;

    g_value_set_enum (value, klass->values[random_integer (random, 0, klass->n_values - 1)].value);
  } else if (G_IS_PARAM_SPEC_BOOLEAN (pspec)) {
    g_value_set_boolean (value, g_rand_boolean (random));
  } else if (G_IS_PARAM_SPEC_INT (pspec)) {
    const GParamSpecInt *p = G_PARAM_SPEC_INT (pspec);

    g_value_set_int (value, (gint) random_integer (random, p->minimum, p->maximum));
  } else if (G_IS_PARAM_SPEC_UINT (pspec)) {
    const GParamSpecUInt *p = G_PARAM_SPEC_UINT (pspec);

    g_value_set_uint (value, (guint) random_integer (random, p->minimum, p->maximum));
  } else if (G_IS_PARAM_SPEC_INT64 (pspec)) {
    const GParamSpecInt64 *p = G_PARAM_SPEC_INT64 (pspec);

    g_value_set_int64 (value, random_integer (random, p->minimum, p->maximum));
  } else if (G_IS_PARAM_SPEC_UINT64 (pspec)) {
    const GParamSpecUInt64 *p = G_PARAM_SPEC_UINT64 (pspec);

    g_value_set_uint64 (value, (guint64) random_integer (random, (gint64) p->minimum, (gint64) p->maximum));
  } else if (G_IS_PARAM_SPEC_DOUBLE (pspec)) {
    const GParamSpecDouble *p = G_PARAM_SPEC_DOUBLE (pspec);

    g_value_set_double (value, g_rand_double_range (random, p->minimum, p->maximum));
  } else if (G_IS_PARAM_SPEC_STRING (pspec)) {
    g_value_set_string (value, texts[random_integer (random, 0, G_N_ELEMENTS (texts) - 1)]);
  } else if (pspec->value_type == GST_TYPE_ARRAY) {
    for (gint64 n = random_integer (random, 2, 3); n > 0; n--) {
      GValue number = G_VALUE_INIT;

      g_value_init (&number, G_TYPE_DOUBLE);
      g_value_set_double (&number, g_rand_double_range (random, -2, 6));
      gst_value_array_append_and_take_value (value, &number);
    }
  } else {
    return FALSE;
  }
  return TRUE;
}

void
expect_properties_read_back (const gchar *factory)
{
  GstElement *element = gst_element_factory_make (factory, NULL);
  GRand *random = g_rand_new_with_seed (1);
  guint n, n_tested = 0;
  GParamSpec **all = g_object_class_list_properties (G_OBJECT_GET_CLASS (element), &n);

  for (guint i = 0; i < 10 * n; i++) {
    GParamSpec *pspec = all[i % n];
    GValue set = G_VALUE_INIT, got = G_VALUE_INIT;

    if (pspec->owner_type != G_OBJECT_TYPE (element) || (pspec->flags & G_PARAM_READWRITE) != G_PARAM_READWRITE
        || !random_value (random, pspec, &set))
      continue;
    g_value_init (&got, pspec->value_type);
    g_object_set_property (G_OBJECT (element), pspec->name, &set);
    g_object_get_property (G_OBJECT (element), pspec->name, &got);
    fail_unless (gst_value_compare (&set, &got) == GST_VALUE_EQUAL, "%s", pspec->name);
    g_value_unset (&set);
    g_value_unset (&got);
    n_tested++;
  }
  fail_unless (n_tested > 0);
  g_free (all);
  g_rand_free (random);
  gst_object_unref (element);
}

GParamFlags
set_random_property (GRand *random, GObject *object)
{
  guint n;
  GParamSpec **all = g_object_class_list_properties (G_OBJECT_GET_CLASS (object), &n), *pspec;
  GValue value = G_VALUE_INIT;
  GParamFlags flags = 0;

  do
    pspec = all[random_integer (random, 0, n - 1)];
  while (pspec->owner_type != G_OBJECT_TYPE (object) || !(pspec->flags & G_PARAM_WRITABLE));
  if (random_value (random, pspec, &value)) {
    g_object_set_property (object, pspec->name, &value);
    flags = pspec->flags;
  }
  g_value_unset (&value);
  g_free (all);
  return flags;
}
