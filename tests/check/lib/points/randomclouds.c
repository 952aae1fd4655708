/* robocache: random clouds, and the grid that a window of them makes as one cloud
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "tests/check/lib/points/randomclouds.h"

static gfloat
random_feature (GRand *random)
{
  static const gfloat specials[] = { NAN, INFINITY, -INFINITY, 3000.0f, -3000.0f, 0.0f, -0.0f };

  if (g_rand_int_range (random, 0, 200) == 0)
    return specials[g_rand_int_range (random, 0, G_N_ELEMENTS (specials))];
  return (gfloat) g_rand_double_range (random, -3, 3);
}

GstBuffer *
random_cloud (GRand *random, guint n, guint items)
{
  gfloat *data = g_new (gfloat, n * items * FIELDS + 1);
  GstBuffer *buffer;

  for (guint i = 0; i < n * items * FIELDS; i++)
    data[i] = i % FIELDS == 3 ? random_feature (random) : (gfloat) g_rand_double_range (random, -1, 34);
  for (guint i = 0; i < n * items && g_rand_boolean (random); i++)
    data[i * FIELDS] = 3.5f;
  buffer = untimed_buffer (data, n * items * FIELDS * sizeof (gfloat));
  g_free (data);
  return buffer;
}

GstHarness *
start_on (const gchar *kind, const gchar *more, guint n, guint items)
{
  gchar *properties = g_strdup_printf (UNIT "%s %s", kind, more);
  gchar *caps = items == 1 ? g_strdup (XYZI)
      : g_strdup_printf (TENSORS "types=(string)float32,dimensions=(string)%d:%u:%u", FIELDS, n, items);
  GstHarness *h = harness_with_caps (properties, caps);

  g_free (caps);
  g_free (properties);
  return h;
}

/* The clouds of a window as one: of each item those of all clouds, one after the other. */
static GstBuffer *
join (GQueue *window, guint items)
{
  GByteArray *points = g_byte_array_new ();
  gsize size;

  for (guint item = 0; item < items; item++) {
    for (const GList *link = window->head; link; link = link->next) {
      GBytes *cloud = bytes_of (link->data);
      const guint8 *data = g_bytes_get_data (cloud, &size);

      g_byte_array_append (points, data + item * (size / items), (guint) (size / items));
      g_bytes_unref (cloud);
    }
  }
  size = points->len;
  return size > 0 ? gst_buffer_new_wrapped (g_byte_array_free (points, FALSE), size)
      : (g_byte_array_unref (points), gst_buffer_new ());
}

/* Of a map of all points those of the newest cloud, which are the last of each item. */
static GBytes *
last_points (GBytes *map, guint items, guint n)
{
  const gint64 *all = g_bytes_get_data (map, NULL);
  const gsize each = g_bytes_get_size (map) / sizeof (gint64) / items;
  gint64 *last = g_new (gint64, n * items);

  for (guint item = 0; n > 0 && item < items; item++)
    memcpy (last + item * n, all + (item + 1) * each - n, n * sizeof (gint64));
  g_bytes_unref (map);
  return g_bytes_new_take (last, n * items * sizeof (gint64));
}

GBytes *
made_of_one (const gchar *kind, const gchar *more, GQueue *window, guint items)
{
  const gboolean lists_points = strstr (kind, "mode=first") || strstr (kind, "mode=pillars");
  const gboolean is_turned = lists_points && !strstr (kind, "keep=first");
  GstHarness *h = start_on (kind, more, BATCH_POINTS * window->length, items);
  GstBuffer *output;
  GBytes *bytes;

  if (is_turned)                /* the newest cloud comes first */
    g_queue_reverse (window);
  output = push_pull (h, join (window, items));
  if (is_turned)
    g_queue_reverse (window);
  bytes = bytes_of (output);

  gst_buffer_unref (output);
  harness_close (h);
  if (strstr (kind, "output=rank"))
    return last_points (bytes, items, (guint) (gst_buffer_get_size (window->tail->data) / sizeof (gfloat[FIELDS])) / items);
  return bytes;
}

GBytes *
made_of (const gchar *kind, GstBuffer *cloud)
{
  GQueue window = G_QUEUE_INIT;
  GBytes *bytes;

  g_queue_push_tail (&window, cloud);
  bytes = made_of_one (kind, "", &window, 1);
  g_queue_clear_full (&window, (GDestroyNotify) gst_buffer_unref);
  return bytes;
}
