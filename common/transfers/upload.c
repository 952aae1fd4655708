/* robocache: uploads of pageable memory, through pinned memory that threads fill together
 *
 * Threads fill pieces of a slot side by side. Between its own pieces the caller enqueues copies of what is filled, in order and several
 * pieces in one, since calls of the driver take microseconds and those of several threads wait for each other.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "upload.h"

#include <string.h>
#if defined (__SSE2__)
#include <emmintrin.h>
#endif

#include "common/device/mapping.h"

#define PART_BYTES ((gsize) 4 << 20)    /* of an upload, at most, in a slot of the staging */
#define PIECE_BYTES ((gsize) 32 << 10)  /* that a thread copies at a time */
#define MIN_SLOT_BYTES ((gsize) 4096)
#define MIN_SHARED_BYTES ((gsize) 512 << 10)    /* below, the caller copies alone: threads take as long to wake */

/* The size of pieces to copy: half of the remaining bytes, so that the last copy is short, within these bounds. */
#define MIN_ENOUGH ((gint64) ((256 << 10) / PIECE_BYTES))
#define MAX_ENOUGH ((gint64) ((1 << 20) / PIECE_BYTES))

G_STATIC_ASSERT (PART_BYTES % PIECE_BYTES == 0 && PIECE_BYTES % 64 == 0 && ROBOCACHE_ALIGNMENT % 64 == 0);

typedef struct
{
  RobocacheEngine *engine;
  const guint8 *from;
  guint8 *slot, *to;
  gsize bytes;
  gint64 n;                     /* pieces */
  gboolean is_filled[PART_BYTES / PIECE_BYTES]; /* atomic */

  /* the caller's */
  GThread *caller;
  gint64 sent;                  /* pieces before this one are enqueued */
  GError *error;                /* nothing more is sent */
} Part;

/* Bytes of n pieces from piece i on. */
static gsize
bytes_of (const Part *part, gint64 i, gint64 n)
{
  return MIN (part->bytes - (gsize) i * PIECE_BYTES, (gsize) n * PIECE_BYTES);
}

/* Copies to memory that a device reads next. Devices copy slowly what caches of the CPU hold, so on x86 it goes past them.
 * to: aligned to 64 bytes. */
static void
copy_past_caches (guint8 *to, const guint8 *from, gsize bytes)
{
  gsize i = 0;

#if defined (__SSE2__)
  for (; i + 64 <= bytes; i += 64) {
    const __m128i *in = (const __m128i *) (from + i);
    const __m128i line[] = { _mm_loadu_si128 (in), _mm_loadu_si128 (in + 1), _mm_loadu_si128 (in + 2), _mm_loadu_si128 (in + 3) };

    for (guint k = 0; k < G_N_ELEMENTS (line); k++)
      _mm_stream_si128 ((__m128i *) (to + i) + k, line[k]);
  }
  _mm_sfence ();
#endif
  memcpy (to + i, from + i, bytes - i);
}

static gint64
count_filled (const Part *part)
{
  gint64 i = part->sent;

  while (i < part->n && __atomic_load_n (&part->is_filled[i], __ATOMIC_ACQUIRE))
    i++;
  return i - part->sent;
}

/* All that is filled, once that is enough. */
static void
send_filled (Part *part)
{
  const gint64 left = part->n - part->sent, enough = MIN (left, CLAMP (left / 2, MIN_ENOUGH, MAX_ENOUGH)), n = count_filled (part);
  const gsize offset = (gsize) part->sent * PIECE_BYTES;
  RcError failure;

  if (part->error || n == 0 || n < enough)
    return;
  robocache_engine_check (robocache_engine_copy (part->engine, part->to + offset, part->slot + offset, bytes_of (part, part->sent, n), &failure),
      &failure, &part->error);
  part->sent += n;
}

static void
fill_piece (gpointer data, gint64 i)
{
  Part *part = data;
  const gsize offset = (gsize) i * PIECE_BYTES;

  copy_past_caches (part->slot + offset, part->from + offset, bytes_of (part, i, 1));
  __atomic_store_n (&part->is_filled[i], TRUE, __ATOMIC_RELEASE);
  if (g_thread_self () == part->caller)
    send_filled (part);
}

/* Fills and sends all pieces. */
static void
fill_and_send (Part *part)
{
  const RcThreadPool *threads = robocache_engine_threads (part->engine);

  if (threads && part->bytes >= MIN_SHARED_BYTES) {
    threads->run (threads->self, fill_piece, part, part->n);
  } else {
    for (gint64 i = 0; i < part->n; i++)
      fill_piece (part, i);
  }
  send_filled (part);
}

/* The size of a slot is a power of two, so slots seldom grow. */
static gsize
slot_bytes (gsize bytes)
{
  return (gsize) 1 << g_bit_storage (MAX (bytes, MIN_SLOT_BYTES) - 1);
}

static gboolean
upload_part (RobocacheStaging *staging, RobocacheEngine *engine, const guint8 *from, gsize bytes, guint8 *to, GError **error)
{
  Part part = {.engine = engine,.from = from,.to = to,.bytes = bytes,.n = (gint64) ((bytes + PIECE_BYTES - 1) / PIECE_BYTES),
    .caller = g_thread_self ()
  };
  gboolean ok;

  part.slot = robocache_staging_next (staging, engine, slot_bytes (bytes), error);
  if (part.slot == NULL)
    return FALSE;
  fill_and_send (&part);
  /* after a failure, too: some copies may be enqueued */
  ok = robocache_staging_mark_read (staging, part.error ? NULL : error) && part.error == NULL;
  if (part.error)
    g_propagate_error (error, part.error);
  return ok;
}

gboolean
robocache_upload_bytes (RobocacheStaging *staging, RobocacheEngine *engine, gconstpointer from, gsize bytes,
    gpointer to, GError **error)
{
  for (gsize offset = 0; offset < bytes; offset += PART_BYTES) {
    if (!upload_part (staging, engine, (const guint8 *) from + offset, MIN (bytes - offset, PART_BYTES), (guint8 *) to + offset, error))
      return FALSE;
  }
  return TRUE;
}

gboolean
robocache_upload_memory (RobocacheStaging *staging, RobocacheEngine *engine, GstMemory *memory, gsize offset,
    gsize bytes, gpointer to, GError **error)
{
  GstMapInfo map;
  gboolean ok;

  if (robocache_is_copied_by_gpu (memory))
    return robocache_memory_copy_out (memory, offset, bytes, to, engine, error);
  if (!robocache_map_memory (memory, &map, GST_MAP_READ, error))
    return FALSE;
  ok = robocache_upload_bytes (staging, engine, map.data + offset, bytes, to, error);
  gst_memory_unmap (memory, &map);
  return ok;
}
