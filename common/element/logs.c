/* robocache: the log category of an element, for code that several elements share
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "logs.h"

static GstDebugCategory *
category_of_element (GstElement *element)
{
  const GstElementFactory *factory = gst_element_get_factory (element);
  GstDebugCategory *category = factory ? _gst_debug_get_category (GST_OBJECT_NAME (factory)) : NULL;

  return category ? category : GST_CAT_DEFAULT;
}

GstDebugCategory *
robocache_category_of (gpointer object)
{
  GstObject *parent = GST_IS_ELEMENT (object) ? gst_object_ref (object) : gst_object_get_parent (object);
  GstDebugCategory *category = GST_IS_ELEMENT (parent) ? category_of_element (GST_ELEMENT (parent)) : GST_CAT_DEFAULT;

  gst_clear_object (&parent);
  return category;
}
