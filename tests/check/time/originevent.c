/* robocache: the event with the origin of a stream's times
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "common/time/originevent.h"

#include "tests/check/lib/checks.h"

GST_START_TEST (it_is_sticky_and_read_as_written)
{
  GstEvent *event = robocache_origin_event_new (-1700000000123456789, TRUE);
  gboolean from_first_row = FALSE;
  gint64 origin_ns = 0;

  fail_unless (GST_EVENT_IS_STICKY (event) && GST_EVENT_IS_SERIALIZED (event) && GST_EVENT_IS_DOWNSTREAM (event));
  fail_unless (robocache_origin_event_parse (event, &origin_ns, &from_first_row));
  fail_unless_equals_int64 (origin_ns, -1700000000123456789);
  fail_unless (from_first_row);
  gst_event_unref (event);
}

GST_END_TEST;

static const gchar *const others[] = { "taglist, title=(string)a;", "taglist, robocache-origin=(gint64)1;",
  "taglist, robocache-origin-from-first-row=(boolean)true;", "taglist, robocache-origin=(string)1, "
      "robocache-origin-from-first-row=(boolean)true;"
};

GST_START_TEST (other_tags_are_none)
{
  GstEvent *event = gst_event_new_tag (gst_tag_list_new_from_string (others[__i__]));
  gboolean from_first_row;
  gint64 origin_ns;

  fail_if (robocache_origin_event_parse (event, &origin_ns, &from_first_row));
  gst_event_unref (event);
}

GST_END_TEST;

GST_START_TEST (other_events_are_none)
{
  GstEvent *event = gst_event_new_eos ();
  gboolean from_first_row;
  gint64 origin_ns;

  fail_if (robocache_origin_event_parse (event, &origin_ns, &from_first_row));
  gst_event_unref (event);
}

GST_END_TEST;

CHECK_MAIN (originevent, NULL, NULL, ONCE (other_events_are_none), ONCE (it_is_sticky_and_read_as_written), EACH (others, other_tags_are_none))
