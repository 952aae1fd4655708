/* robocache: demuxers for tests, which add a pad when a test asks for one
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "tests/check/lib/fuse/testdemux.h"

static void
test_demux_class_init (gpointer klass, gpointer caps_text)
{
  GstElementClass *element_class = klass;
  GstCaps *any = gst_caps_new_any (), *caps = gst_caps_from_string (caps_text);

  gst_element_class_add_pad_template (element_class, gst_pad_template_new ("sink", GST_PAD_SINK, GST_PAD_ALWAYS, any));
  gst_element_class_add_pad_template (element_class, gst_pad_template_new ("src_%u", GST_PAD_SRC, GST_PAD_SOMETIMES, caps));
  gst_element_class_set_static_metadata (element_class, "Test demuxer", "Demuxer", "Adds pads on demand", "robocache");
  gst_caps_unref (caps);
  gst_caps_unref (any);
}

static void
test_demux_init (GTypeInstance *instance, gpointer klass)
{
  if (!GST_IS_BIN (instance))
    gst_element_add_pad (GST_ELEMENT (instance), gst_pad_new_from_template (gst_element_class_get_pad_template (klass, "sink"), "sink"));
}

static void
register_test_demux (const gchar *name, GType parent, const gchar *caps)
{
  GTypeQuery query;
  GTypeInfo info = {.class_init = test_demux_class_init,.class_data = caps,.instance_init = test_demux_init };

  g_type_query (parent, &query);
  info.class_size = (guint16) query.class_size;
  info.instance_size = (guint16) query.instance_size;
  gst_element_register (NULL, name, GST_RANK_NONE, g_type_register_static (parent, name, &info, 0));
}

void
register_test_demuxers (void)
{
  if (g_type_from_name ("testdemux") != 0)
    return;
  register_test_demux ("testdemux", GST_TYPE_ELEMENT, "ANY");
  register_test_demux ("testaudiodemux", GST_TYPE_ELEMENT, "audio/x-raw");
  register_test_demux ("testdemuxbin", GST_TYPE_BIN, "ANY");
}

GstPad *
test_demux_add_pad (GstElement *demux)
{
  gchar *name = g_strdup_printf ("src_%u", demux->numsrcpads);
  GstPad *pad = gst_pad_new_from_template (gst_element_get_pad_template (demux, "src_%u"), name);

  gst_pad_set_active (pad, TRUE);
  gst_element_add_pad (demux, pad);
  g_free (name);
  return pad;
}
