/* robocache: the elements of a pipeline that align
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "fuselist.h"

GstElement *
robocache_outermost_element (GstElement *element)
{
  GstObject *outer = gst_object_ref (GST_OBJECT (element)), *parent;

  while ((parent = gst_object_get_parent (outer))) {
    gst_object_unref (outer);
    outer = parent;
  }
  return GST_ELEMENT (outer);
}

static gboolean
is_fuse (GstElement *element)
{
  GstElementFactory *factory = gst_element_get_factory (element);

  return factory && g_str_equal (GST_OBJECT_NAME (factory), "robocachefuse");
}

static gint
compare_names (gconstpointer a, gconstpointer b)
{
  return g_strcmp0 (GST_OBJECT_NAME (*(GstElement * const *) a), GST_OBJECT_NAME (*(GstElement * const *) b));
}

GPtrArray *
robocache_fuse_list (GstElement *element)
{
  GPtrArray *fuses = g_ptr_array_new_with_free_func (gst_object_unref);
  GstElement *pipeline = robocache_outermost_element (element);
  GstIterator *elements = gst_bin_iterate_recurse (GST_BIN (pipeline));
  GstIteratorResult result = GST_ITERATOR_OK;
  GValue item = G_VALUE_INIT;

  while (result == GST_ITERATOR_OK || result == GST_ITERATOR_RESYNC) {
    result = gst_iterator_next (elements, &item);
    if (result == GST_ITERATOR_RESYNC) {
      g_ptr_array_set_size (fuses, 0);
      gst_iterator_resync (elements);
    } else if (result == GST_ITERATOR_OK) {
      if (is_fuse (g_value_get_object (&item)))
        g_ptr_array_add (fuses, g_value_dup_object (&item));
      g_value_reset (&item);
    }
  }
  g_value_unset (&item);
  gst_iterator_free (elements);
  gst_object_unref (pipeline);
  g_ptr_array_sort (fuses, compare_names);
  return fuses;
}
