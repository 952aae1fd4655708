/* robocache: memories and caps that robocachefuse accepts, and the caps of its samples
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "negotiation.h"

#include <string.h>

#include "common/tensors/cudamemory.h"
#include "common/tensors/flexible.h"
#include "common/tensors/memorycaps.h"
#include "common/tensors/tensorcaps.h"
#include "debug.h"
#include "downstream.h"
#include "gst/fuse/core/status.h"

/* ---- in ---- */
/* The template's caps in the memories on offer, the better first. */
GstCaps *
gst_robocache_fuse_sink_caps (GstRobocacheFuse *fuse, GstPad *pad)
{
  const RobocacheOffer offer = robocache_device_offer (fuse->device, GST_ELEMENT (fuse));
  const gboolean frames = GST_ROBOCACHE_FUSE_PAD (pad)->role == GST_ROBOCACHE_FUSE_CAMERA;
  GstCaps *caps = gst_pad_get_pad_template_caps (pad), *system, *device;

  if (gst_caps_get_size (caps) == 1)    /* this build has no other memory */
    return caps;
  system = gst_caps_copy_nth (caps, 0);
  device = gst_caps_copy_nth (caps, 1);
  gst_caps_unref (caps);
  if (offer == ROBOCACHE_OFFER_SYSTEM || (frames && !robocache_cuda_memory_is_supported ())) {
    gst_caps_unref (device);
    return system;
  }
  if (offer == ROBOCACHE_OFFER_SYSTEM_FIRST) {
    gst_caps_append (system, device);
    return system;
  }
  gst_caps_append (device, system);
  return device;
}

/* ---- what samples are made of; called with the lock ---- */

static void
describe_input (const GstRobocacheFusePad *pad, FuseInput *input)
{
  const FuseStream *stream = pad->stream;
  const FuseEpoch *epoch = fuse_stream_epoch (stream);

  input->id = stream->id;
  input->name = g_strdup (stream->name);
  input->format = fuse_format_ref ((FuseFormat *) epoch->format);
  robocache_channel_roles_copy (&input->roles, &pad->started_roles);
  robocache_channel_roles_set_channels (&input->roles, input->format->rows.channels, input->format->channels, input->format->kinds);
  input->search = epoch->search;
}

void
gst_robocache_fuse_describe_composition (GstRobocacheFuse *fuse, FuseComposition *composition)
{
  RobocacheTickGrid rate;
  const GPtrArray *streams = fuse_core_composed (fuse->core, &rate);

  *composition = (FuseComposition) {.output = fuse_core_settings (fuse->core)->output,.rate_num = rate.num,.rate_den = rate.den };
  composition->inputs = g_new0 (FuseInput, MAX (streams->len, 1));
  for (guint i = 0; i < streams->len; i++)
    describe_input (gst_robocache_fuse_pad_of_stream (fuse, g_ptr_array_index (streams, i)), &composition->inputs[composition->n_inputs++]);
}

/* Memory that comes in is preferably handed on as it came. */
static RobocacheOffer
offer_of_samples (GstRobocacheFuse *fuse)
{
  const RobocacheOffer offer = robocache_device_offer (fuse->device, GST_ELEMENT (fuse));
  gboolean on_device = FALSE;

  for (guint i = 0; i < fuse->pads->len; i++) {
    const FuseEpoch *epoch = fuse_stream_epoch (gst_robocache_fuse_nth_pad (fuse, i)->stream);

    on_device |= epoch && epoch->format->on_device;
  }
  return offer != ROBOCACHE_OFFER_SYSTEM && on_device ? ROBOCACHE_OFFER_DEVICE_FIRST : offer;
}

/* ---- downstream; called without the lock, by the task ---- */

static GstCaps *
new_caps_of_format (const gchar *format)
{
  return gst_caps_new_simple (ROBOCACHE_TENSORS_MEDIA_TYPE, "format", G_TYPE_STRING, format, NULL);
}

/* The first of the offered memories that downstream accepts. Flexible tensors are in system memory. */
static RobocacheCapsMemory
choose_memory (GstRobocacheFuse *fuse, RobocacheOffer offer)
{
  GstCaps *ours = robocache_caps_offer (new_caps_of_format ("static"), offer, GST_PAD_SRC);
  GstCaps *theirs = gst_pad_peer_query_caps (fuse->src, NULL);
  GstCaps *both = gst_caps_intersect_full (ours, theirs, GST_CAPS_INTERSECT_FIRST);
  const RobocacheCapsMemory memory = robocache_caps_memory (both);

  GST_INFO_OBJECT (fuse, "samples are in %s: the element offers %" GST_PTR_FORMAT ", downstream accepts %" GST_PTR_FORMAT,
      memory == ROBOCACHE_SYSTEM_MEMORY ? "system memory" : "GPU memory", ours, theirs);
  gst_caps_unref (both);
  gst_caps_unref (theirs);
  gst_caps_unref (ours);
  return memory;
}

/* A pool of downstream's for samples of one memory, active; NULL where it offers none that fits. */
static GstBufferPool *
configure_pool (GstBufferPool *pool, GstCaps *caps, guint size, guint min, guint max, gsize bytes)
{
  GstStructure *config;

  if (pool == NULL || bytes == 0 || bytes > G_MAXUINT)
    return NULL;
  config = gst_buffer_pool_get_config (pool);
  gst_buffer_pool_config_set_params (config, caps, MAX (size, (guint) bytes), min, max);
  if (!gst_buffer_pool_set_config (pool, config) || !gst_buffer_pool_set_active (pool, TRUE))
    return NULL;
  return pool;
}

/* Asks downstream for memory, and for the number of buffers that it keeps. */
static void
query_allocation (GstRobocacheFuse *fuse, FuseComposer *composer, GstCaps *caps)
{
  GstQuery *query = gst_query_new_allocation (caps, TRUE);
  GstBufferPool *pool = NULL, *usable;
  GstAllocator *allocator = NULL;
  GstAllocationParams params;
  guint size = 0, min = 0, max = 0;

  gst_allocation_params_init (&params);
  if (gst_pad_peer_query (fuse->src, query)) {
    if (gst_query_get_n_allocation_pools (query) > 0)
      gst_query_parse_nth_allocation_pool (query, 0, &pool, &size, &min, &max);
    if (gst_query_get_n_allocation_params (query) > 0)
      gst_query_parse_nth_allocation_param (query, 0, &allocator, &params);
  }
  usable = configure_pool (pool, caps, size, min, max, fuse_composer_sample_bytes (composer));
  GST_INFO_OBJECT (fuse, "samples are in memory of %s; downstream's pool: %s, %u to %u buffers of %u bytes", usable ? GST_OBJECT_NAME (usable)
      : allocator ? GST_OBJECT_NAME (allocator) : "the element", pool == NULL ? "none" : usable ? "is used" : "does not fit", min, max, size);
  fuse_composer_use_peer_memory (composer, usable, allocator, &params);
  FUSE_LOCK (fuse);
  gst_object_replace ((GstObject **) & fuse->peer_pool, GST_OBJECT_CAST (usable));
  FUSE_UNLOCK (fuse);
  gst_clear_object (&pool);
  gst_clear_object (&allocator);
  gst_query_unref (query);
}

static gboolean
has_bfloat16 (const GstCaps *caps)
{
  const gchar *types = gst_structure_get_string (gst_caps_get_structure (caps, 0), "types");

  return types && strstr (types, rc_dtype_name (RC_BFLOAT16)) != NULL;
}

/* Names the settings to change where downstream refuses the samples. */
static const gchar *
remedy (const GstCaps *samples)
{
  if (has_bfloat16 (samples))
    return ": only robocache knows bfloat16, set type=float32 or float16";
  return ": set type, layout, info or window, or other caps downstream";
}

/* Static tensors of another shape than downstream's are an error, which flexible ones would hide. */
static gboolean
accepts_only_flexible (const GstCaps *peer)
{
  GstCaps *fixed = new_caps_of_format ("static"), *flexible = new_caps_of_format ("flexible");
  gboolean is_so;

  gst_caps_set_features (fixed, 0, gst_caps_features_new_any ());
  is_so = gst_caps_can_intersect (peer, flexible) && !gst_caps_can_intersect (peer, fixed);
  gst_caps_unref (flexible);
  gst_caps_unref (fixed);
  return is_so;
}

/* The caps of samples that downstream accepts; NULL: none. */
static GstCaps *
choose_caps (FuseComposer *composer, const GstCaps *peer)
{
  GstCaps *caps, *chosen = NULL;

  if (accepts_only_flexible (peer))
    fuse_composer_make_flexible (composer);
  caps = fuse_composer_caps (composer);
  if (robocache_tensors_caps_compatible (caps, peer))
    chosen = robocache_tensors_caps_in_spelling_of (caps, peer);
  gst_caps_unref (caps);
  return chosen;
}

static void
push_caps (GstRobocacheFuse *fuse, GstCaps *caps)
{
  GstCaps *current = gst_pad_get_current_caps (fuse->src);

  gst_robocache_fuse_push_stream_start (fuse);
  if (current == NULL || !gst_caps_is_equal (current, caps)) {
    GST_INFO_OBJECT (fuse, "samples are %" GST_PTR_FORMAT, caps);
    gst_pad_push_event (fuse->src, gst_event_new_caps (caps));
  }
  gst_clear_caps (&current);
}

static gboolean
agree_on_caps (GstRobocacheFuse *fuse, FuseComposer *composer, GError **error)
{
  GstCaps *peer = gst_pad_peer_query_caps (fuse->src, NULL), *chosen = choose_caps (composer, peer);
  GstCaps *caps = fuse_composer_caps (composer);
  const gboolean ok = chosen != NULL;

  if (ok) {
    push_caps (fuse, chosen);
    query_allocation (fuse, composer, chosen);
    gst_caps_unref (chosen);
  } else {
    gchar *ours = gst_caps_to_string (caps), *theirs = gst_caps_to_string (peer);
    gchar *why = robocache_device_explain (fuse->device, GST_ELEMENT (fuse), peer);

    g_set_error (error, ROBOCACHE_ERROR, ROBOCACHE_ERROR_CAPS, "samples are %s, but downstream accepts only %s%s", ours, theirs,
        *why ? why : remedy (caps));
    g_free (why);
    g_free (ours);
    g_free (theirs);
  }
  gst_caps_unref (peer);
  gst_caps_unref (caps);
  return ok;
}

/* ---- the composer ---- */

/* The old one's memory is freed first where the new one takes nothing over, or does not fit beside it. */
gboolean
gst_robocache_fuse_replace_composer (GstRobocacheFuse *fuse, const FuseComposition *composition, RobocacheCapsMemory memory,
    GError **error)
{
  FuseComposer *old = fuse->composer, *composer;
  GError *failure = NULL;

  if (old && !fuse_composer_has_window (old))
    g_clear_pointer (&old, fuse_composer_free);
  fuse->composer = NULL;
  composer = fuse_composer_new (composition, memory, fuse->device, GST_ELEMENT (fuse), &failure);
  GST_DEBUG_OBJECT (fuse, "a composer of %u inputs: %s", composition->n_inputs, failure ? failure->message : "is made");
  if (composer == NULL && old && g_error_matches (failure, GST_RESOURCE_ERROR, GST_RESOURCE_ERROR_NO_SPACE_LEFT)) {
    g_clear_error (&failure);
    g_clear_pointer (&old, fuse_composer_free);
    composer = fuse_composer_new (composition, memory, fuse->device, GST_ELEMENT (fuse), &failure);
  }
  if (composer == NULL) {
    g_clear_pointer (&old, fuse_composer_free);
    g_propagate_error (error, failure);
    return FALSE;
  }
  if (old && !fuse_composer_adopt_window (composer, old, error))
    g_clear_pointer (&composer, fuse_composer_free);
  g_clear_pointer (&old, fuse_composer_free);
  fuse->composer = composer;
  return composer != NULL;
}

gboolean
gst_robocache_fuse_change_composition (GstRobocacheFuse *fuse, GError **error)
{
  const RobocacheOffer offer = offer_of_samples (fuse);
  RobocacheCapsMemory memory;
  FuseComposition composition;
  gboolean ok;

  gst_robocache_fuse_describe_composition (fuse, &composition);
  FUSE_UNLOCK (fuse);
  memory = choose_memory (fuse, offer);
  robocache_device_prepare (fuse->device, GST_ELEMENT (fuse), memory != ROBOCACHE_SYSTEM_MEMORY);
  ok = gst_robocache_fuse_replace_composer (fuse, &composition, memory, error) && agree_on_caps (fuse, fuse->composer, error);
  fuse_composition_clear (&composition);
  FUSE_LOCK (fuse);
  if (ok)
    fuse_core_accept (fuse->core);
  return ok;
}

void
gst_robocache_fuse_drop_composition (GstRobocacheFuse *fuse)
{
  FUSE_LOCK (fuse);
  gst_clear_object (&fuse->peer_pool);
  FUSE_UNLOCK (fuse);
  g_clear_pointer (&fuse->composer, fuse_composer_free);
}
