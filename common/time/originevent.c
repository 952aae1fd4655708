/* robocache: the time of a source's clock that is running time 0, as a sticky event downstream
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "originevent.h"

static void
register_tags (void)
{
  static gsize registered = 0;

  if (!g_once_init_enter (&registered))
    return;
  gst_tag_register_static (ROBOCACHE_TAG_ORIGIN, GST_TAG_FLAG_DECODED, G_TYPE_INT64, "origin of times",
      "Time of the source's clock that is running time 0 (ns)", NULL);
  gst_tag_register_static (ROBOCACHE_TAG_ORIGIN_FROM_FIRST_ROW, GST_TAG_FLAG_DECODED, G_TYPE_BOOLEAN, "origin is the first row",
      "Whether the origin of times is the first row's time", NULL);
  g_once_init_leave (&registered, 1);
}

void
robocache_origin_tags_add (GstTagList *tags, gint64 origin_ns, gboolean from_first_row)
{
  register_tags ();
  gst_tag_list_add (tags, GST_TAG_MERGE_REPLACE, ROBOCACHE_TAG_ORIGIN, origin_ns, ROBOCACHE_TAG_ORIGIN_FROM_FIRST_ROW, from_first_row,
      NULL);
}

GstEvent *
robocache_origin_event_new (gint64 origin_ns, gboolean from_first_row)
{
  GstTagList *tags = gst_tag_list_new_empty ();

  robocache_origin_tags_add (tags, origin_ns, from_first_row);
  return gst_event_new_tag (tags);
}

gboolean
robocache_origin_event_parse (GstEvent *event, gint64 *origin_ns, gboolean *from_first_row)
{
  const GValue *origin, *first_row;
  GstTagList *tags;

  if (GST_EVENT_TYPE (event) != GST_EVENT_TAG)
    return FALSE;
  register_tags ();
  gst_event_parse_tag (event, &tags);
  origin = gst_tag_list_get_value_index (tags, ROBOCACHE_TAG_ORIGIN, 0);
  first_row = gst_tag_list_get_value_index (tags, ROBOCACHE_TAG_ORIGIN_FROM_FIRST_ROW, 0);
  /* a peer may send anything */
  if (!origin || !G_VALUE_HOLDS_INT64 (origin) || !first_row || !G_VALUE_HOLDS_BOOLEAN (first_row))
    return FALSE;
  *origin_ns = g_value_get_int64 (origin);
  *from_first_row = g_value_get_boolean (first_row);
  return TRUE;
}
