/* robocache: a row of named channels as text, "a=1 b[0]=0.5: float64"
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef ROWTEXT_H
#define ROWTEXT_H

#include <string.h>

#include "common/ros/rowdecoder.h"

static inline void
append_value (GString *text, const RobocacheRowChannels *channels, gconstpointer values, guint i)
{
  gint64 integer = 0;
  gdouble real;
  gfloat single;
  const gsize size = rc_dtype_size (channels->dtype);
  const guint8 *value = (const guint8 *) values + i * size;

  if (channels->dtype == RC_FLOAT64) {
    memcpy (&real, value, size);
    g_string_append_printf (text, "%.17g", real);
  } else if (channels->dtype == RC_FLOAT32) {
    memcpy (&single, value, size);
    g_string_append_printf (text, "%.9g", single);
  } else {
    memcpy ((guint8 *) &integer + (G_BYTE_ORDER == G_BIG_ENDIAN ? 8 - size : 0), value, size);
    if (channels->dtype == RC_INT8 || channels->dtype == RC_INT16 || channels->dtype == RC_INT32)
      integer = (gint64) ((guint64) integer << (64 - 8 * size)) >> (64 - 8 * size);
    if (channels->dtype == RC_UINT64)
      g_string_append_printf (text, "%" G_GUINT64_FORMAT, (guint64) integer);
    else
      g_string_append_printf (text, "%" G_GINT64_FORMAT, integer);
  }
}

/* Free with g_free. */
static inline gchar *
row_to_string (const RobocacheRowChannels *channels, gconstpointer values)
{
  GString *text = g_string_new (NULL);

  for (guint i = 0; i < channels->n; i++) {
    g_string_append_printf (text, "%s%s=", i ? " " : "", channels->names[i]);
    append_value (text, channels, values, i);
  }
  g_string_append_printf (text, ": %s%s", rc_dtype_name (channels->dtype), channels->is_exact ? "" : ", rounded");
  return g_string_free (text, FALSE);
}

#endif
