/* robocache: pinned memory that a device copies, or reads in place, while the CPU fills the next piece
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "staging.h"

#include <string.h>

#include "mapping.h"

#define PIECE_BYTES (G_GUINT64_CONSTANT (256) << 10)    /* of an upload, copied while the CPU fills the next */
#define MIN_BYTES 4096          /* of a slot of an upload */
#define MIN_SHARED_PIECES 3     /* below, the caller copies alone */

/* ---- slots ---- */

static void
set_engine (RobocacheStaging *staging, RobocacheEngine *engine)
{
  if (staging->engine == engine)
    return;
  robocache_staging_clear (staging);
  staging->engine = robocache_engine_ref (engine);
}

/* Waits until the device has read the slot's old content. Several threads may prepare different slots at once. */
static gpointer
prepare_slot (RobocacheStaging *staging, guint number, guint64 bytes, GError **error)
{
  RobocacheEngine *engine = staging->engine;
  RcBackend *backend = robocache_engine_backend (engine);
  typeof (&staging->slots[0]) slot = &staging->slots[number];
  RcError failure;

  if (slot->read == NULL
      && !robocache_engine_check (rc_event_new (backend, &slot->read, &failure), &failure, error))
    return NULL;
  if (!robocache_engine_check (rc_event_synchronize (backend, slot->read, &failure), &failure, error))
    return NULL;
  if (slot->bytes < bytes) {
    robocache_engine_free (engine, RC_MEMORY_PINNED, slot->data, slot->bytes);
    slot->data = robocache_engine_alloc (engine, RC_MEMORY_PINNED, bytes, error);
    slot->bytes = slot->data ? bytes : 0;
  }
  return slot->data;
}

/* Records that work enqueued so far reads the slot. */
static RcStatus
mark_slot (RobocacheStaging *staging, guint number, RcError *failure)
{
  return rc_event_record (robocache_engine_backend (staging->engine), staging->slots[number].read,
      robocache_engine_stream (staging->engine), failure);
}

static gboolean
send_slot (RobocacheStaging *staging, guint number, gpointer to, guint64 bytes, GError **error)
{
  const RcMemoryCopy copy = {.to = to,.from = staging->slots[number].data,.row_bytes = bytes,.rows = 1 };
  RcStatus status;
  RcError failure;

  status = rc_memory_copy (robocache_engine_backend (staging->engine), &copy, robocache_engine_stream (staging->engine), &failure);
  if (status == RC_OK)
    status = mark_slot (staging, number, &failure);
  return robocache_engine_check (status, &failure, error);
}

gpointer
robocache_staging_next (RobocacheStaging *staging, RobocacheEngine *engine, guint64 bytes, GError **error)
{
  set_engine (staging, engine);
  staging->current = (staging->current + 1) % ROBOCACHE_STAGING_SLOTS;
  return prepare_slot (staging, staging->current, bytes, error);
}

gboolean
robocache_staging_copy (RobocacheStaging *staging, gpointer to, guint64 bytes, GError **error)
{
  return send_slot (staging, staging->current, to, bytes, error);
}

gboolean
robocache_staging_mark_read (RobocacheStaging *staging, GError **error)
{
  RcError failure;

  return robocache_engine_check (mark_slot (staging, staging->current, &failure), &failure, error);
}

/* ---- uploads ---- */

/* Of a slot for so many bytes: few sizes, so that slots settle soon. */
static guint64
slot_bytes (guint64 bytes)
{
  guint64 size = MIN_BYTES;

  while (size < bytes)
    size *= 2;
  return size;
}

/* Pieces of an upload, which several threads fill and send. Piece i goes through the slot of piece i - ROBOCACHE_STAGING_SLOTS,
 * after it. */
typedef struct
{
  RobocacheStaging *staging;
  const guint8 *from;
  guint8 *to;
  gsize bytes;
  guint first_slot;

  GMutex lock;
  GCond left;                   /* a slot, or a failure */
  gint64 in_slots[ROBOCACHE_STAGING_SLOTS];     /* the next piece that each slot takes */
  GError *error;                /* the first; no further piece is sent */
} Upload;

static gboolean
copy_piece (Upload *upload, gint64 i, guint slot, GError **error)
{
  const gsize at = (gsize) i * PIECE_BYTES, n = MIN (upload->bytes - at, PIECE_BYTES);
  gpointer data = prepare_slot (upload->staging, slot, slot_bytes (n), error);

  if (data == NULL)
    return FALSE;
  memcpy (data, upload->from + at, n);
  return send_slot (upload->staging, slot, upload->to + at, n, error);
}

/* Threads take pieces in order, so the piece before in the slot is under way. FALSE: the upload failed. */
static gboolean
enter_slot (Upload *upload, gint64 i)
{
  gboolean ok;

  g_mutex_lock (&upload->lock);
  while (upload->error == NULL && upload->in_slots[i % ROBOCACHE_STAGING_SLOTS] != i)
    g_cond_wait (&upload->left, &upload->lock);
  ok = upload->error == NULL;
  g_mutex_unlock (&upload->lock);
  return ok;
}

static void
leave_slot (Upload *upload, gint64 i, GError *error)
{
  g_mutex_lock (&upload->lock);
  upload->in_slots[i % ROBOCACHE_STAGING_SLOTS] += ROBOCACHE_STAGING_SLOTS;
  if (upload->error == NULL)
    upload->error = g_steal_pointer (&error);
  g_cond_broadcast (&upload->left);
  g_mutex_unlock (&upload->lock);
  g_clear_error (&error);
}

static void
upload_piece (gpointer data, gint64 i)
{
  Upload *upload = data;
  GError *error = NULL;

  if (!enter_slot (upload, i))
    return;
  copy_piece (upload, i, (guint) ((upload->first_slot + i) % ROBOCACHE_STAGING_SLOTS), &error);
  leave_slot (upload, i, error);
}

static void
upload_pieces (Upload *upload, gint64 n)
{
  const RcThreadPool *threads = robocache_engine_threads (upload->staging->engine);

  if (threads && n >= MIN_SHARED_PIECES) {
    threads->run (threads->self, upload_piece, upload, n);
    return;
  }
  for (gint64 i = 0; i < n && upload->error == NULL; i++)
    upload_piece (upload, i);
}

gboolean
robocache_staging_upload_bytes (RobocacheStaging *staging, RobocacheEngine *engine, gconstpointer from, gsize bytes,
    gpointer to, GError **error)
{
  const gint64 n = (gint64) ((bytes + PIECE_BYTES - 1) / PIECE_BYTES);
  Upload upload = {.staging = staging,.from = from,.to = to,.bytes = bytes };

  set_engine (staging, engine);
  upload.first_slot = staging->current + 1;
  for (gint64 i = 0; i < ROBOCACHE_STAGING_SLOTS; i++)
    upload.in_slots[i] = i;
  g_mutex_init (&upload.lock);
  g_cond_init (&upload.left);
  upload_pieces (&upload, n);
  g_mutex_clear (&upload.lock);
  g_cond_clear (&upload.left);
  staging->current = (guint) ((staging->current + n) % ROBOCACHE_STAGING_SLOTS);
  if (upload.error == NULL)
    return TRUE;
  g_propagate_error (error, upload.error);
  return FALSE;
}

gboolean
robocache_staging_upload (RobocacheStaging *staging, RobocacheEngine *engine, GstMemory *memory, gsize offset,
    gsize bytes, gpointer to, GError **error)
{
  GstMapInfo map;
  gboolean ok;

  if (robocache_is_copied_by_gpu (memory))
    return robocache_memory_copy_out (memory, offset, bytes, to, engine, error);
  if (!robocache_map_memory (memory, &map, GST_MAP_READ, error))
    return FALSE;
  ok = robocache_staging_upload_bytes (staging, engine, map.data + offset, bytes, to, error);
  gst_memory_unmap (memory, &map);
  return ok;
}

void
robocache_staging_clear (RobocacheStaging *staging)
{
  if (staging->engine == NULL)
    return;
  robocache_engine_synchronize (staging->engine, NULL);
  for (guint i = 0; i < ROBOCACHE_STAGING_SLOTS; i++) {
    robocache_engine_free (staging->engine, RC_MEMORY_PINNED, staging->slots[i].data, staging->slots[i].bytes);
    rc_event_free (robocache_engine_backend (staging->engine), staging->slots[i].read);
  }
  robocache_engine_unref (staging->engine);
  *staging = (RobocacheStaging) { NULL };
}
