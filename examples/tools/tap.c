/* robocache: a second way for the data of a link
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "program.h"

GstElement *
tap_link (GstElement *pipeline, GstPad *from)
{
  GstElement *tee = gst_element_factory_make ("tee", NULL), *queue = gst_element_factory_make ("queue", NULL);
  GstPad *to = gst_pad_get_peer (from), *in = gst_element_get_static_pad (tee, "sink"), *out;

  gst_bin_add_many (GST_BIN (pipeline), tee, queue, NULL);
  gst_element_link (tee, queue);
  gst_pad_unlink (from, to);
  gst_pad_link (from, in);
  out = gst_element_request_pad_simple (tee, "src_%u");
  gst_pad_link (out, to);
  gst_object_unref (out);
  gst_object_unref (in);
  gst_object_unref (to);
  return queue;
}
