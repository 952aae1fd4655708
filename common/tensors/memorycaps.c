/* robocache: tensors in system memory and in device memory, in caps
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "memorycaps.h"

static gboolean
is_built (const GstCapsFeatures *features)
{
  if (gst_caps_features_contains (features, ROBOCACHE_CAPS_FEATURE_CUDA))
    return rc_backend_is_built (RC_BACKEND_CUDA);
  return robocache_cuda_memory_is_built () || !gst_caps_features_contains (features, ROBOCACHE_CAPS_FEATURE_CUDA_MEMORY);
}

void
robocache_add_pad_template (GstElementClass *klass, GstStaticPadTemplate *template, GType pad_type)
{
  GstCaps *caps = gst_caps_from_string (template->static_caps.string);
  const guint n = gst_caps_get_size (caps);

  for (guint i = n; i-- > 0;) {
    if (!is_built (gst_caps_get_features (caps, i)))
      gst_caps_remove_structure (caps, i);
  }
  if (gst_caps_get_size (caps) < n)
    template->static_caps.string = gst_caps_to_string (caps);   /* as long as the class: never freed */
  gst_caps_unref (caps);
  gst_element_class_add_static_pad_template_with_gtype (klass, template, pad_type);
}

/* NULL: system memory. */
static const gchar *const features[ROBOCACHE_N_MEMORIES] = {
  [ROBOCACHE_DEVICE_MEMORY] = ROBOCACHE_CAPS_FEATURE_CUDA,
  [ROBOCACHE_CUDA_MEMORY] = ROBOCACHE_CAPS_FEATURE_CUDA_MEMORY,
};

GstCaps *
robocache_caps_in_memory (GstCaps *caps, RobocacheCapsMemory memory)
{
  if (features[memory] == NULL || gst_caps_is_any (caps) || gst_caps_is_empty (caps))
    return caps;
  caps = gst_caps_make_writable (caps);
  gst_caps_set_features_simple (caps, gst_caps_features_new_single (features[memory]));
  return caps;
}

guint
robocache_offer_memories (RobocacheOffer offer, GstPadDirection direction, RobocacheCapsMemory memories[ROBOCACHE_N_MEMORIES])
{
  guint n = 0;

  if (offer != ROBOCACHE_OFFER_DEVICE_FIRST)
    memories[n++] = ROBOCACHE_SYSTEM_MEMORY;
  if (offer != ROBOCACHE_OFFER_SYSTEM) {
    memories[n++] = ROBOCACHE_DEVICE_MEMORY;
    if (direction == GST_PAD_SRC && robocache_cuda_memory_is_supported ())
      memories[n++] = ROBOCACHE_CUDA_MEMORY;
  }
  if (offer == ROBOCACHE_OFFER_DEVICE_FIRST)
    memories[n++] = ROBOCACHE_SYSTEM_MEMORY;
  return n;
}

GstCaps *
robocache_caps_offer (GstCaps *caps, RobocacheOffer offer, GstPadDirection direction)
{
  RobocacheCapsMemory memories[ROBOCACHE_N_MEMORIES];
  const guint n = robocache_offer_memories (offer, direction, memories);
  GstCaps *offered;

  if (gst_caps_is_any (caps) || gst_caps_is_empty (caps))
    return caps;
  offered = gst_caps_new_empty ();
  for (guint i = 0; i < n; i++)
    gst_caps_append (offered, robocache_caps_in_memory (gst_caps_copy (caps), memories[i]));
  gst_caps_unref (caps);
  return offered;
}

static RobocacheCapsMemory
memory_of_structure (const GstCaps *caps, guint i)
{
  const GstCapsFeatures *has = gst_caps_get_features (caps, i);

  for (guint memory = 0; memory < ROBOCACHE_N_MEMORIES; memory++) {
    if (features[memory] && gst_caps_features_contains (has, features[memory]))
      return memory;
  }
  return ROBOCACHE_SYSTEM_MEMORY;
}

RobocacheCapsMemory
robocache_caps_memory (const GstCaps *caps)
{
  return caps && !gst_caps_is_any (caps) && !gst_caps_is_empty (caps) ? memory_of_structure (caps, 0)
      : ROBOCACHE_SYSTEM_MEMORY;
}

gboolean
robocache_caps_on_device (const GstCaps *caps)
{
  return robocache_caps_memory (caps) != ROBOCACHE_SYSTEM_MEMORY;
}

gboolean
robocache_caps_are_all_on_device (const GstCaps *caps)
{
  if (gst_caps_is_any (caps))
    return FALSE;
  for (guint i = 0; i < gst_caps_get_size (caps); i++) {
    if (memory_of_structure (caps, i) == ROBOCACHE_SYSTEM_MEMORY)
      return FALSE;
  }
  return gst_caps_get_size (caps) > 0;
}
