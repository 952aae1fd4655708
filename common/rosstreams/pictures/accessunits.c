/* robocache: what a frame of encoded video is
 *
 * Types of NAL units: ITU-T H.264, table 7-1, and H.265, table 7-1.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "accessunits.h"

#include <string.h>

static gboolean
is_idr_of_h264 (guint8 header)
{
  return (header & 0x1f) == 5;
}

/* BLA_W_LP to RSV_IRAP_VCL23 */
static gboolean
is_irap_of_h265 (guint8 header)
{
  const guint type = (header >> 1) & 0x3f;

  return type >= 16 && type <= 23;
}

static const struct
{
  const gchar *format, *caps;
  gboolean (*is_key) (guint8 header);
} formats[] = {
  {"h264", "video/x-h264, stream-format=(string)byte-stream, alignment=(string)au", is_idr_of_h264},
  {"h265", "video/x-h265, stream-format=(string)byte-stream, alignment=(string)au", is_irap_of_h265},
  {"hevc", "video/x-h265, stream-format=(string)byte-stream, alignment=(string)au", is_irap_of_h265},
  {"vp9", "video/x-vp9", NULL},
  {"av1", "video/x-av1, stream-format=(string)obu-stream, alignment=(string)tu", NULL},
};

/* G_N_ELEMENTS (formats): none. */
static guint
find_format (const gchar *format)
{
  guint i = 0;

  while (i < G_N_ELEMENTS (formats) && g_ascii_strcasecmp (format, formats[i].format) != 0)
    i++;
  return i;
}

GstCaps *
robocache_video_caps_new (const gchar *format)
{
  const guint i = find_format (format);

  return i < G_N_ELEMENTS (formats) ? gst_caps_from_string (formats[i].caps) : NULL;
}

gboolean
robocache_is_key_frame (const gchar *format, const guint8 *data, gsize size)
{
  const guint i = find_format (format);
  const guint8 *at = data, *end = data + size;

  if (i == G_N_ELEMENTS (formats) || !formats[i].is_key)
    return TRUE;
  /* each unit begins behind 00 00 01 */
  while (end - at > 3 && (at = memchr (at, 1, (gsize) (end - at - 1))) != NULL) {
    if (at - data >= 2 && at[-1] == 0 && at[-2] == 0 && formats[i].is_key (at[1]))
      return TRUE;
    at++;
  }
  return FALSE;
}
