/* robocache: the pipeline of an element, and elements in it
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "pipeline.h"

/* Pads between an element and one downstream of it. */
#define MAX_DEPTH 100

GstElement *
robocache_pipeline_of (GstElement *element)
{
  GstObject *outer = gst_object_ref (GST_OBJECT (element)), *parent;

  while ((parent = gst_object_get_parent (outer))) {
    gst_object_unref (outer);
    outer = parent;
  }
  return GST_ELEMENT (outer);
}

static gboolean
is_made_by (GstElement *element, const gchar *name)
{
  GstElementFactory *factory = gst_element_get_factory (element);

  return factory && g_str_equal (GST_OBJECT_NAME (factory), name);
}

static gint
compare_names (gconstpointer a, gconstpointer b)
{
  return g_strcmp0 (GST_OBJECT_NAME (*(GstElement * const *) a), GST_OBJECT_NAME (*(GstElement * const *) b));
}

GPtrArray *
robocache_pipeline_list (GstElement *element, const gchar *factory)
{
  GPtrArray *found = g_ptr_array_new_with_free_func (gst_object_unref);
  GstElement *pipeline = robocache_pipeline_of (element);
  GstIterator *elements = gst_bin_iterate_recurse (GST_BIN (pipeline));
  GstIteratorResult result = GST_ITERATOR_OK;
  GValue item = G_VALUE_INIT;

  while (result == GST_ITERATOR_OK || result == GST_ITERATOR_RESYNC) {
    result = gst_iterator_next (elements, &item);
    if (result == GST_ITERATOR_RESYNC) {
      g_ptr_array_set_size (found, 0);
      gst_iterator_resync (elements);
    } else if (result == GST_ITERATOR_OK) {
      if (is_made_by (g_value_get_object (&item), factory))
        g_ptr_array_add (found, g_value_dup_object (&item));
      g_value_reset (&item);
    }
  }
  g_value_unset (&item);
  gst_iterator_free (elements);
  gst_object_unref (pipeline);
  g_ptr_array_sort (found, compare_names);
  return found;
}

/* Through elements with one sink pad, and through bins. */
GstElement *
robocache_pipeline_find_upstream (GstPad *pad, const gchar *factory)
{
  GstPad *at = gst_object_ref (pad), *next;
  GstElement *element = NULL;

  for (guint n_pads = 0; at && !element && n_pads < MAX_DEPTH; n_pads++) {
    if (GST_PAD_IS_SINK (at)) {
      next = gst_pad_get_peer (at);
    } else {
      GstIterator *links = gst_pad_iterate_internal_links (at);
      GValue item = G_VALUE_INIT;

      next = links && gst_iterator_next (links, &item) == GST_ITERATOR_OK ? g_value_dup_object (&item) : NULL;
      g_value_unset (&item);
      g_clear_pointer (&links, gst_iterator_free);
    }
    gst_object_unref (at);
    at = next;
    element = at && GST_PAD_IS_SRC (at) ? gst_pad_get_parent_element (at) : NULL;
    if (element && !is_made_by (element, factory))
      gst_clear_object (&element);
  }
  gst_clear_object (&at);
  return element;
}
