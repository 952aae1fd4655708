/* robocache: CPU and device maps of a block
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "blockmap.h"

#define GST_CAT_DEFAULT (robocache_device_category ())

/* The shadow, with what the device has. */
static gpointer
map_shadow (RobocacheBlock *block, GstAllocator *allocator)
{
  RcStatus status = RC_OK;
  RcError failure;
  GError *error = NULL;
  gpointer data = NULL;

  g_mutex_lock (&block->lock);
  if (block->shadow == NULL)
    block->shadow = robocache_engine_alloc (block->engine, RC_MEMORY_PINNED, block->bytes, &error);
  if (block->shadow && block->shadow_maps == 0)
    status = robocache_block_download (block, &failure);
  if (block->shadow && status == RC_OK) {
    block->shadow_maps++;
    data = block->shadow;
  }
  g_mutex_unlock (&block->lock);
  if (data == NULL)
    GST_ERROR_OBJECT (allocator, "%" G_GSIZE_FORMAT " bytes of device memory cannot be mapped: %s", block->bytes,
        error ? error->message : failure.message);
  g_clear_error (&error);
  return data;
}

/* A job that is under way leaves no stamp either. */
static void
forget_stamp (RobocacheBlock *block)
{
  g_mutex_lock (&block->lock);
  block->stamp.writer = 0;
  block->stamp.content = NULL;
  g_mutex_unlock (&block->lock);
}

static gboolean
is_direct (const RobocacheBlock *block, GstMapFlags flags)
{
  return (flags & ROBOCACHE_MAP_DEVICE) || robocache_block_is_cpu_visible (block);
}

gpointer
robocache_block_map (RobocacheBlock *block, GstAllocator *allocator, GstMapFlags flags)
{
  RcError failure;

  if (flags & GST_MAP_WRITE)
    forget_stamp (block);
  if (!is_direct (block, flags))
    return map_shadow (block, allocator);
  if (robocache_block_wait (block, (flags & GST_MAP_WRITE) != 0, &failure) == RC_OK)
    return block->data;
  GST_ERROR_OBJECT (allocator, "%" G_GSIZE_FORMAT " bytes of device memory cannot be mapped: %s", block->bytes, failure.message);
  return NULL;
}

void
robocache_block_unmap (RobocacheBlock *block, GstAllocator *allocator, GstMapFlags flags)
{
  RcStatus status = RC_OK;
  RcError failure;

  if (flags & GST_MAP_WRITE)      /* a grid may have been made while it was mapped */
    forget_stamp (block);
  g_mutex_lock (&block->lock);
  if (is_direct (block, flags)) {
    if (flags & GST_MAP_WRITE)
      block->is_written = FALSE;        /* the written data have arrived */
  } else {
    block->shadow_maps--;
    if (flags & GST_MAP_WRITE)
      status = robocache_block_upload (block, &failure);
    block->is_lost |= status != RC_OK;
  }
  g_mutex_unlock (&block->lock);
  if (status != RC_OK)
    GST_ERROR_OBJECT (allocator, "%" G_GSIZE_FORMAT " bytes that were written were not copied to the device: %s", block->bytes,
        failure.message);
}
