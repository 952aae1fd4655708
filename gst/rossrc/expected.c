/* robocache: pads of robocacherossrc for streams that are declared before they come
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "expected.h"

#include <string.h>

#include "common/element/errordomain.h"

static GstCaps *
parse_caps (const RobocacheRosSession *session, const gchar *text, const gchar *entry, GError **error)
{
  GstCaps *all = gst_pad_template_get_caps (session->template), *caps = gst_caps_from_string (text);

  if (!caps || !gst_caps_is_fixed (caps) || !gst_caps_can_intersect (caps, all)) {
    g_set_error (error, ROBOCACHE_ERROR, ROBOCACHE_ERROR_PROPERTY, "expected has \"%s\": the topic must be followed by a blank and by fixed caps of a "
        "stream, like /force other/tensors,format=static,num_tensors=1,types=float64,dimensions=(string)6,framerate=0/1", entry);
    gst_clear_caps (&caps);
  }
  gst_caps_unref (all);
  return caps;
}

/* "/topic" or "/topic:stream". */
static RobocacheRosOutput *
output_new (const RobocacheRosSession *session, const gchar *name)
{
  const gchar *colon = strchr (name, ':');
  gchar *topic = colon ? g_strndup (name, (gsize) (colon - name)) : g_strdup (name);
  GRefString *interned = g_ref_string_new_intern (topic);
  RobocacheRosOutput *output = robocache_ros_output_new (interned, colon ? colon + 1 : "", 1, session->category);

  g_ref_string_release (interned);
  g_free (topic);
  return output;
}

static gboolean
expose_entry (RobocacheRosSession *session, gchar *entry, GError **error)
{
  gchar *text = entry + strcspn (entry, " \t\n");
  RobocacheRosOutput *output;
  GstCaps *caps;

  if (!*entry)
    return TRUE;
  caps = *entry == '/' ? parse_caps (session, text, entry, error) : parse_caps (session, "", entry, error);
  if (!caps)
    return FALSE;
  *text = '\0';
  output = output_new (session, entry);
  output->caps = caps;
  g_ptr_array_add (session->outputs, output);
  robocache_ros_session_expose (session, output);
  return TRUE;
}

gboolean
robocache_ros_expected_expose (RobocacheRosSession *session, GError **error)
{
  gchar **entries = g_strsplit (session->settings.expected ? session->settings.expected : "", ";", -1);
  gboolean is_valid = TRUE;

  for (guint i = 0; entries[i] && is_valid; i++)
    is_valid = expose_entry (session, g_strstrip (entries[i]), error);
  g_strfreev (entries);
  return is_valid;
}

void
robocache_ros_expected_update (RobocacheRosSession *session, RobocacheRosOutput *output, const RobocacheRosSample *sample,
    const GstStructure *camera)
{
  GstCaps *expected = output->pad && !output->decoded_caps ? gst_caps_ref (output->caps) : NULL;

  robocache_ros_output_update (output, sample, camera);
  if (!expected)
    return;
  if (gst_caps_is_equal (output->caps, expected))
    output->needs_caps = FALSE;
  if (!gst_caps_is_subset (output->caps, expected)) {
    gchar *declared = gst_caps_to_string (expected), *actual = gst_caps_to_string (output->caps);

    GST_ELEMENT_WARNING (session->element, STREAM, FORMAT, ("%s has other caps than expected declares", output->name), ("Declared: %s. Now: %s.",
            declared, actual));
    g_free (declared);
    g_free (actual);
  }
  gst_caps_unref (expected);
}
