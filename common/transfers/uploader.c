/* robocache: uploads of pageable memory, through pinned memory that threads fill together
 *
 * An upload goes in pieces through a ring of places. Threads fill places side by side. One thread at a time enqueues what is filled, in
 * order and several pieces in a copy, since calls of the driver take microseconds, and wait for each other.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "uploader.h"

#include <string.h>

#include "common/device/mapping.h"

#define PIECE_BYTES ((gsize) 256 << 10)         /* of an upload; the device copies some while threads fill the next */
#define MIN_PLACE_BYTES ((gsize) 4096)
#define MIN_SHARED_PIECES 3     /* below, the caller copies alone */

/* Places double from the least size on. Those of whole pieces have no gaps, so that pieces go together. */
G_STATIC_ASSERT (PIECE_BYTES % MIN_PLACE_BYTES == 0 && (PIECE_BYTES & (PIECE_BYTES - 1)) == 0);

/* ---- the ring ---- */

static gboolean
set_engine (RobocacheUploader *uploader, RobocacheEngine *engine, GError **error)
{
  if (uploader->engine == engine)
    return TRUE;
  robocache_uploader_clear (uploader);
  uploader->engine = robocache_engine_ref (engine);
  for (guint i = 0; i < ROBOCACHE_UPLOADER_PLACES; i++) {
    RcError failure;

    uploader->places[i].read_with = i;
    if (!robocache_engine_check (rc_event_new (robocache_engine_backend (engine), &uploader->places[i].event, &failure), &failure, error)) {
      robocache_uploader_clear (uploader);
      return FALSE;
    }
  }
  return TRUE;
}

static void
free_ring (RobocacheUploader *uploader)
{
  robocache_engine_free (uploader->engine, RC_MEMORY_PINNED, uploader->pinned, ROBOCACHE_UPLOADER_PLACES * uploader->place_bytes);
  uploader->pinned = NULL;
  uploader->place_bytes = 0;
}

/* Makes places for pieces of so many bytes, of few sizes, so that the ring settles soon. */
static gboolean
reserve_ring (RobocacheUploader *uploader, gsize bytes, GError **error)
{
  gsize place_bytes = MIN_PLACE_BYTES;

  if (bytes <= uploader->place_bytes)
    return TRUE;
  while (place_bytes < bytes)
    place_bytes *= 2;
  if (!robocache_engine_synchronize (uploader->engine, error))
    return FALSE;
  free_ring (uploader);
  uploader->pinned = robocache_engine_alloc (uploader->engine, RC_MEMORY_PINNED, ROBOCACHE_UPLOADER_PLACES * place_bytes, error);
  uploader->place_bytes = uploader->pinned ? place_bytes : 0;
  return uploader->pinned != NULL;
}

void
robocache_uploader_clear (RobocacheUploader *uploader)
{
  if (uploader->engine == NULL)
    return;
  robocache_engine_synchronize (uploader->engine, NULL);
  free_ring (uploader);
  for (guint i = 0; i < ROBOCACHE_UPLOADER_PLACES; i++)
    rc_event_free (robocache_engine_backend (uploader->engine), uploader->places[i].event);
  robocache_engine_unref (uploader->engine);
  *uploader = (RobocacheUploader) { NULL };
}

/* ---- an upload ---- */

typedef struct
{
  RobocacheUploader *uploader;
  const guint8 *from;
  guint8 *to;
  gsize bytes;
  gint64 n;                     /* pieces */
  guint first;                  /* place of piece 0 */

  GMutex lock;
  GCond sent_more;              /* or failed */
  gint64 sent;                  /* pieces before this one are enqueued */
  gboolean is_filled[ROBOCACHE_UPLOADER_PLACES];        /* but not sent */
  gboolean is_sending;          /* a thread */
  GError *error;                /* the first; no further piece is sent */
} Upload;

static guint
place_of (const Upload *upload, gint64 i)
{
  return (guint) ((upload->first + i) % ROBOCACHE_UPLOADER_PLACES);
}

static guint8 *
address_of (const Upload *upload, guint place)
{
  return upload->uploader->pinned + place * upload->uploader->place_bytes;
}

/* Bytes of n pieces from piece i on. */
static gsize
bytes_of (const Upload *upload, gint64 i, gint64 n)
{
  return MIN (upload->bytes - (gsize) i * PIECE_BYTES, (gsize) n * PIECE_BYTES);
}

/* Waits until the device has read the place that piece i goes through. FALSE: the upload failed. */
static gboolean
wait_for_place (Upload *upload, gint64 i, GError **error)
{
  RobocacheUploader *uploader = upload->uploader;
  gboolean has_failed;
  RcEvent read;
  RcError failure;

  g_mutex_lock (&upload->lock);
  while (upload->error == NULL && i - upload->sent >= ROBOCACHE_UPLOADER_PLACES)
    g_cond_wait (&upload->sent_more, &upload->lock);
  has_failed = upload->error != NULL;
  read = uploader->places[uploader->places[place_of (upload, i)].read_with].event;
  g_mutex_unlock (&upload->lock);
  return !has_failed
      && robocache_engine_check (rc_event_synchronize (robocache_engine_backend (uploader->engine), read, &failure), &failure, error);
}

/* Called with the lock. Pieces to send in one copy, which do not go beyond the end of the ring; 0: not yet. Half of what is left goes at
 * a time, or half of the ring, so calls are few, and the last copy is short. */
static gint64
count_to_send (const Upload *upload)
{
  const gint64 left = upload->n - upload->sent, enough = MIN ((left + 1) / 2, ROBOCACHE_UPLOADER_PLACES / 2);
  gint64 filled = 0;

  while (filled < ROBOCACHE_UPLOADER_PLACES && upload->is_filled[place_of (upload, upload->sent + filled)])
    filled++;
  return filled < enough ? 0 : MIN (filled, ROBOCACHE_UPLOADER_PLACES - place_of (upload, upload->sent));
}

/* Enqueues n pieces. */
static gboolean
send_pieces (const Upload *upload, gint64 i, gint64 n, GError **error)
{
  RobocacheEngine *engine = upload->uploader->engine;
  RcError failure;
  RcStatus status = robocache_engine_copy (engine, upload->to + i * PIECE_BYTES, address_of (upload, place_of (upload, i)),
      bytes_of (upload, i, n), &failure);

  if (status == RC_OK)
    status = rc_event_record (robocache_engine_backend (engine), upload->uploader->places[place_of (upload, i + n - 1)].event,
        robocache_engine_stream (engine), &failure);
  return robocache_engine_check (status, &failure, error);
}

/* Called with the lock. */
static void
note_sent (Upload *upload, gint64 n)
{
  const guint last = place_of (upload, upload->sent + n - 1);

  for (; n > 0; n--, upload->sent++) {
    const guint place = place_of (upload, upload->sent);

    upload->is_filled[place] = FALSE;
    upload->uploader->places[place].read_with = last;
  }
}

/* Called with the lock. Wakes threads that wait for places. Takes error: NULL, or why the upload fails. */
static void
wake_threads (Upload *upload, GError *error)
{
  if (upload->error == NULL)
    upload->error = g_steal_pointer (&error);
  g_clear_error (&error);
  g_cond_broadcast (&upload->sent_more);
}

/* Called with the lock, which is left meanwhile. Sends what is filled, and what others fill meanwhile. */
static void
send_filled (Upload *upload)
{
  gint64 n;

  upload->is_sending = TRUE;
  while (upload->error == NULL && (n = count_to_send (upload)) > 0) {
    GError *error = NULL;

    g_mutex_unlock (&upload->lock);
    send_pieces (upload, upload->sent, n, &error);
    g_mutex_lock (&upload->lock);
    if (error == NULL)
      note_sent (upload, n);
    wake_threads (upload, error);
  }
  upload->is_sending = FALSE;
}

static void
upload_piece (gpointer data, gint64 i)
{
  Upload *upload = data;
  const guint place = place_of (upload, i);
  GError *error = NULL;
  const gboolean is_free = wait_for_place (upload, i, &error);

  if (is_free)
    memcpy (address_of (upload, place), upload->from + i * PIECE_BYTES, bytes_of (upload, i, 1));
  g_mutex_lock (&upload->lock);
  upload->is_filled[place] = is_free;
  if (error)
    wake_threads (upload, error);
  else if (!upload->is_sending)
    send_filled (upload);
  g_mutex_unlock (&upload->lock);
}

static void
upload_pieces (Upload *upload)
{
  const RcThreadPool *threads = robocache_engine_threads (upload->uploader->engine);

  g_mutex_init (&upload->lock);
  g_cond_init (&upload->sent_more);
  if (threads && upload->n >= MIN_SHARED_PIECES) {
    threads->run (threads->self, upload_piece, upload, upload->n);
  } else {
    for (gint64 i = 0; i < upload->n && upload->error == NULL; i++)
      upload_piece (upload, i);
  }
  g_mutex_clear (&upload->lock);
  g_cond_clear (&upload->sent_more);
}

gboolean
robocache_uploader_copy_bytes (RobocacheUploader *uploader, RobocacheEngine *engine, gconstpointer from, gsize bytes,
    gpointer to, GError **error)
{
  Upload upload = {.uploader = uploader,.from = from,.to = to,.bytes = bytes,
    .n = (gint64) ((bytes + PIECE_BYTES - 1) / PIECE_BYTES)
  };

  if (!set_engine (uploader, engine, error) || !reserve_ring (uploader, MIN (bytes, PIECE_BYTES), error))
    return FALSE;
  upload.first = uploader->next;
  upload_pieces (&upload);
  uploader->next = place_of (&upload, upload.n);
  if (upload.error == NULL)
    return TRUE;
  g_propagate_error (error, upload.error);
  return FALSE;
}

gboolean
robocache_uploader_copy (RobocacheUploader *uploader, RobocacheEngine *engine, GstMemory *memory, gsize offset,
    gsize bytes, gpointer to, GError **error)
{
  GstMapInfo map;
  gboolean ok;

  if (robocache_is_copied_by_gpu (memory))
    return robocache_memory_copy_out (memory, offset, bytes, to, engine, error);
  if (!robocache_map_memory (memory, &map, GST_MAP_READ, error))
    return FALSE;
  ok = robocache_uploader_copy_bytes (uploader, engine, map.data + offset, bytes, to, error);
  gst_memory_unmap (memory, &map);
  return ok;
}
