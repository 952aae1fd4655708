/* robocache: samples of a decoded message as text
 *
 *   "KEY @STAMP FRAME: CAPS = VALUES", one behind the other with "; " between; "none" without samples
 *
 * Values of tensors are numbers, all others hexadecimal digits.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef SAMPLETEXT_H
#define SAMPLETEXT_H

#include "common/rosstreams/rosdecoder.h"
#include "common/tensors/tensorcaps.h"

static inline void
append_number (GString *text, RcDtype dtype, const guint8 *value)
{
  const gsize size = rc_dtype_size (dtype);
  gint64 integer = 0;
  gdouble real;
  gfloat single;

  memcpy (&real, value, MIN (size, sizeof (real)));
  memcpy (&single, value, MIN (size, sizeof (single)));
  memcpy ((guint8 *) &integer + (G_BYTE_ORDER == G_BIG_ENDIAN ? 8 - size : 0), value, size);
  if (dtype == RC_FLOAT64)
    g_string_append_printf (text, " %.17g", real);
  else if (dtype == RC_FLOAT32)
    g_string_append_printf (text, " %.9g", single);
  else if (dtype == RC_INT8 || dtype == RC_INT16 || dtype == RC_INT32 || dtype == RC_INT64)
    g_string_append_printf (text, " %" G_GINT64_FORMAT, (gint64) ((guint64) integer << (64 - 8 * size)) >> (64 - 8 * size));
  else
    g_string_append_printf (text, " %" G_GUINT64_FORMAT, (guint64) integer);
}

static inline void
append_memory (GString *text, const RobocacheRosSample *sample, guint index)
{
  RobocacheTensorsInfo info;
  const gboolean is_tensor = robocache_tensors_info_from_caps (&info, sample->caps, NULL);
  GstMemory *memory = gst_buffer_peek_memory (sample->buffer, index);
  GstMapInfo map;

  gst_memory_map (memory, &map, GST_MAP_READ);
  if (is_tensor) {
    const RcDtype dtype = info.tensors[index].dtype;

    for (gsize i = 0; i < map.size; i += rc_dtype_size (dtype))
      append_number (text, dtype, map.data + i);
  } else {
    g_string_append_c (text, ' ');
    for (gsize i = 0; i < map.size; i++)
      g_string_append_printf (text, "%02x", map.data[i]);
  }
  gst_memory_unmap (memory, &map);
}

static inline void
append_sample (GString *text, const RobocacheRosSample *sample)
{
  gchar *caps = gst_caps_to_string (sample->caps);

  g_string_append_printf (text, "%s%s @", text->len > 0 ? "; " : "", sample->key);
  if (sample->stamp_ns == ROBOCACHE_ROS_NO_TIME)
    g_string_append (text, "none");
  else
    g_string_append_printf (text, "%" G_GINT64_FORMAT, sample->stamp_ns);
  g_string_append_printf (text, " %s: %s =", sample->frame_id, caps);
  for (guint i = 0; i < gst_buffer_n_memory (sample->buffer); i++) {
    g_string_append (text, i ? " |" : "");
    append_memory (text, sample, i);
  }
  if (GST_BUFFER_FLAG_IS_SET (sample->buffer, GST_BUFFER_FLAG_DELTA_UNIT))
    g_string_append (text, " delta");
  if (GST_BUFFER_DURATION_IS_VALID (sample->buffer))
    g_string_append_printf (text, " for %" G_GUINT64_FORMAT, GST_BUFFER_DURATION (sample->buffer));
  g_free (caps);
}

/* Free with g_free. */
static inline gchar *
samples_to_string (const GArray *samples)
{
  GString *text = g_string_new (NULL);

  for (guint i = 0; i < samples->len; i++)
    append_sample (text, &g_array_index (samples, RobocacheRosSample, i));
  if (samples->len == 0)
    g_string_append (text, "none");
  return g_string_free (text, FALSE);
}

#endif
