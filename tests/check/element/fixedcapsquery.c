/* robocache: a source pad answers a query for caps while its own caps are exchanged
 *
 * The caps have a value of a type of this test, so their intersection with a filter calls this test halfway.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "tests/check/lib/checks.h"

/* pad: NULL for elements whose source pads are added when their streams are known. */
static const struct
{
  const gchar *factory, *pad;
} elements[] = {
  {"robocachefuse", "src"},
  {"robocacheparse", "src"},
#ifdef HAVE_MCAP
  {"robocachemcapmux", "src"},
  {"robocachemcapdemux", NULL},
  {"robocachebagsrc", NULL},
#endif
};

static GstPad *asked;
static guint n_exchanged;
static gboolean is_freed;

/* ---- a value whose comparison exchanges the caps ---- */

static gpointer
copy_value (gpointer value)
{
  return value;
}

static void
free_value (gpointer value)
{
}

static void
note_freed (gpointer data, GstMiniObject *caps)
{
  is_freed = TRUE;
}

static void
push_caps (GstPad *pad, GstCaps *caps)
{
  gst_pad_push_event (pad, gst_event_new_caps (caps));
  gst_caps_unref (caps);
}

/* The caps are still in use here. */
static gint
exchange_caps (const GValue *a, const GValue *b)
{
  if (n_exchanged++ == 0)
    push_caps (asked, gst_caps_new_empty_simple ("test/other"));
  fail_if (is_freed, "the caps are freed while they are intersected");
  return GST_VALUE_EQUAL;
}

static GType
register_type (void)
{
  static GstValueTable table = {.compare = exchange_caps };     /* the core keeps its address */

  table.type = g_boxed_type_register_static ("SourceQueryValue", copy_value, free_value);
  gst_value_register (&table);
  return table.type;
}

static GstCaps *
make_caps (GType type)
{
  GstCaps *caps = gst_caps_new_empty_simple ("test/stream");
  GValue value = G_VALUE_INIT;

  g_value_init (&value, type);
  g_value_set_static_boxed (&value, &n_exchanged);
  gst_caps_set_value (caps, "field", &value);
  g_value_unset (&value);
  return caps;
}

/* ---- the pad ---- */

/* As the element adds it. */
static GstPad *
add_pad (GstElement *element)
{
  GstPadTemplate *template = gst_element_class_get_pad_template (GST_ELEMENT_GET_CLASS (element), "src_%u");
  GstPad *pad = gst_pad_new_from_template (template, "src_0");

  gst_pad_use_fixed_caps (pad);
  gst_element_add_pad (element, gst_object_ref (pad));
  return pad;
}

static void
note_when_freed (GstPad *pad)
{
  GstCaps *caps = gst_pad_get_current_caps (pad);

  gst_mini_object_weak_ref (GST_MINI_OBJECT (caps), note_freed, NULL);
  gst_caps_unref (caps);
}

GST_START_TEST (test_caps_are_exchanged)
{
  GstElement *element = gst_check_setup_element (elements[__i__].factory);
  const GType type = register_type ();
  GstCaps *filter = make_caps (type), *caps;

  asked = elements[__i__].pad ? gst_element_get_static_pad (element, elements[__i__].pad) : add_pad (element);
  fail_unless (gst_pad_set_active (asked, TRUE));
  gst_pad_push_event (asked, gst_event_new_stream_start ("test"));
  push_caps (asked, make_caps (type));
  note_when_freed (asked);
  caps = gst_pad_query_caps (asked, filter);
  fail_unless (n_exchanged > 0 && is_freed, "the caps are not exchanged");
  fail_unless (gst_caps_get_size (caps) == 1 && gst_structure_has_name (gst_caps_get_structure (caps, 0), "test/stream"));
  gst_caps_unref (caps);
  gst_caps_unref (filter);
  gst_pad_set_active (asked, FALSE);
  gst_object_unref (asked);
  gst_check_teardown_element (element);
}

GST_END_TEST;

CHECK_MAIN (fixedcapsquery, NULL, NULL, EACH (elements, test_caps_are_exchanged))
