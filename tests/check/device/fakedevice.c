/* robocache: a device that is none, on which wrong order shows as wrong bytes
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "fakedevice.h"

#include <gst/check/gstcheck.h>
#include <string.h>
#include <sys/mman.h>

#include "kernels/backend_impl.h"

typedef struct
{
  RcBackend base;
  FakeDevice *device;
} FakeBackend;

typedef struct
{
  FakeDevice *device;
  guint refs;                   /* the owner's, and of each work that is enqueued */
  guint64 recorded, reached;    /* how often */
} FakeEvent;

typedef struct
{
  FakeDevice *device;
  GQueue works;                 /* of Work */
  gboolean is_freed;            /* goes when its work is done */
} FakeStream;

typedef struct
{
  FakeDevice *device;
  RcMemoryKind kind;
  guint8 *address, *bytes;      /* the same, or address is not accessible */
  gsize size;
} FakeBlock;

typedef enum
{
  WORK_COPY,
  WORK_CLEAR,
  WORK_RECORD,
  WORK_WAIT,
  WORK_KERNEL
} WorkKind;

typedef struct
{
  WorkKind kind;
  FakeEvent *event;
  guint64 ticket;               /* of the event: which of its records */
  RcMemoryCopy copy;            /* of a kernel too, in one row */
  guint8 *staged;               /* what pageable memory had when it was enqueued */
  FakeKernel kernel;
  gpointer data;
} Work;

static GMutex machine;          /* guards all of the above, and: */
static GPtrArray *streams, *blocks;     /* made with the first device */

/* ---- addresses ---- */

static gboolean
is_in (const FakeBlock *block, gconstpointer address)
{
  return (const guint8 *) address >= block->address && (const guint8 *) address < block->address + block->size;
}

static FakeBlock *
find_block (gconstpointer address)
{
  for (guint i = 0; i < blocks->len; i++) {
    if (is_in (g_ptr_array_index (blocks, i), address))
      return g_ptr_array_index (blocks, i);
  }
  return NULL;
}

/* Where the bytes of an address of any memory are. */
static guint8 *
bytes_at (gconstpointer address)
{
  const FakeBlock *block = address ? find_block (address) : NULL;

  return block ? block->bytes + ((const guint8 *) address - block->address) : (guint8 *) address;
}

guint8 *
fake_bytes (gconstpointer address)
{
  guint8 *bytes;

  g_mutex_lock (&machine);
  bytes = bytes_at (address);
  g_mutex_unlock (&machine);
  return bytes;
}

static gsize
span (gint64 stride, const RcMemoryCopy *copy)
{
  return (copy->rows > 1 ? (gsize) stride * (copy->rows - 1) : 0) + copy->row_bytes;
}

/* Ends the test unless the device may read or write there. */
static void
check_address (const FakeDevice *device, gconstpointer address, gsize bytes)
{
  const FakeBlock *block = find_block (address);

  if (block) {
    g_assert_true (block->kind == RC_MEMORY_PINNED || block->device == device);
    g_assert_true ((const guint8 *) address + bytes <= block->address + block->size);
  }
}

static gboolean
overlaps (const FakeBlock *block, gconstpointer address, gsize bytes)
{
  return address && (const guint8 *) address < block->address + block->size
      && (const guint8 *) address + bytes > block->address;
}

static gboolean
is_in_use (const FakeBlock *block)
{
  for (guint i = 0; i < streams->len; i++) {
    const FakeStream *stream = g_ptr_array_index (streams, i);

    for (GList *link = stream->works.head; link; link = link->next) {
      const Work *work = link->data;

      if (overlaps (block, work->copy.to, span (work->copy.to_stride, &work->copy))
          || (work->staged == NULL && overlaps (block, work->copy.from, span (work->copy.from_stride, &work->copy))))
        return TRUE;
    }
  }
  return FALSE;
}

/* ---- work ---- */

static void
event_unref (FakeEvent *event)
{
  if (event && --event->refs == 0)
    g_free (event);
}

static void
work_free (gpointer data)
{
  Work *work = data;

  event_unref (work->event);
  g_free (work->staged);
  g_free (work);
}

static void
do_copy (const Work *work)
{
  const RcMemoryCopy *copy = &work->copy;
  const guint8 *from = work->staged ? work->staged : bytes_at (copy->from);
  guint8 *to = bytes_at (copy->to);

  for (guint64 i = 0; i < copy->rows; i++)
    memmove (to + i * (guint64) copy->to_stride, from + i * (guint64) copy->from_stride, copy->row_bytes);
}

static gboolean
may_run (const Work *work)
{
  return work->kind != WORK_WAIT || work->event->reached >= work->ticket;
}

static void
run (const Work *work)
{
  switch (work->kind) {
    case WORK_COPY:
      do_copy (work);
      break;
    case WORK_CLEAR:
      memset (bytes_at (work->copy.to), 0, work->copy.row_bytes);
      break;
    case WORK_RECORD:
      work->event->reached = MAX (work->event->reached, work->ticket);
      break;
    case WORK_KERNEL:
      work->kernel (bytes_at (work->copy.to), bytes_at (work->copy.from), work->copy.row_bytes, work->data);
      break;
    case WORK_WAIT:
      break;
  }
}

static void
stream_finalize (FakeStream *stream)
{
  g_ptr_array_remove (streams, stream);
  g_queue_clear_full (&stream->works, work_free);
  g_free (stream);
}

/* FALSE: there is none, or it waits. A freed stream goes with its last work. */
static gboolean
step (FakeStream *stream)
{
  Work *work = g_queue_peek_head (&stream->works);

  if (work == NULL || !may_run (work))
    return FALSE;
  run (work);
  work_free (g_queue_pop_head (&stream->works));
  if (stream->is_freed && stream->works.length == 0)
    stream_finalize (stream);
  return TRUE;
}

static FakeStream *
stream_that_records (const FakeEvent *event, guint64 ticket)
{
  for (guint i = 0; i < streams->len; i++) {
    FakeStream *stream = g_ptr_array_index (streams, i);

    for (GList *link = stream->works.head; link; link = link->next) {
      const Work *work = link->data;

      if (work->kind == WORK_RECORD && work->event == event && work->ticket == ticket)
        return stream;
    }
  }
  return NULL;
}

static void reach (FakeEvent * event, guint64 ticket);

static void
step_with_what_it_needs (FakeStream *stream)
{
  const Work *work = g_queue_peek_head (&stream->works);

  if (!may_run (work))
    reach (work->event, work->ticket);
  step (stream);
}

/* Does what comes before that record of an event, and nothing else. */
static void
reach (FakeEvent *event, guint64 ticket)
{
  while (event->reached < ticket) {
    FakeStream *stream = stream_that_records (event, ticket);

    g_assert_nonnull (stream);
    step_with_what_it_needs (stream);
  }
}

static void
finish_stream (FakeStream *stream)
{
  for (guint left = stream->works.length; left > 0; left--)
    step_with_what_it_needs (stream);
}

static Work *
enqueue (FakeStream *stream, WorkKind kind)
{
  Work *work = g_new0 (Work, 1);

  work->kind = kind;
  g_queue_push_tail (&stream->works, work);
  return work;
}

/* ---- failures ---- */

static gboolean
is_now (guint *countdown)
{
  return *countdown > 0 && --*countdown == 0;
}

/* What others wait for is a reset device's no more. */
static void
lose_work (FakeDevice *device)
{
  for (guint i = streams->len; i-- > 0;) {
    FakeStream *stream = g_ptr_array_index (streams, i);
    const gboolean is_freed = stream->is_freed;
    Work *work;

    if (stream->device != device)
      continue;
    while ((work = g_queue_pop_head (&stream->works))) {
      if (work->kind == WORK_RECORD)
        run (work);
      work_free (work);
    }
    if (is_freed)
      stream_finalize (stream);
  }
}

/* Begins a call. Returns the device, with the machine locked; NULL: the device has failed. */
static FakeDevice *
enter (RcBackend *backend, const gchar *call, RcError *error)
{
  FakeDevice *device = ((FakeBackend *) backend)->device;

  g_assert_true (device->only_caller == NULL || device->only_caller == g_thread_self ());
  g_mutex_lock (&machine);
  if (device->has_failed) {
    rc_error_set (error, RC_DEVICE_FAILED, "%s: device %d (fake) failed before", call, device->number);
  } else if (is_now (&device->failing_call)) {
    device->has_failed = TRUE;
    lose_work (device);
    rc_error_set (error, RC_DEVICE_FAILED, "%s on device %d (fake): it broke", call, device->number);
  } else {
    return device;
  }
  g_mutex_unlock (&machine);
  return NULL;
}

static RcStatus
leave (RcStatus status)
{
  g_mutex_unlock (&machine);
  return status;
}

/* ---- memory ---- */

static RcStatus
fake_info (RcBackend *backend, RcMemoryInfo *info, RcError *error)
{
  FakeDevice *device = enter (backend, "info", error);


  if (device == NULL)
    return RC_DEVICE_FAILED;
  info->total_bytes = device->total;
  info->free_bytes = device->total - device->used;
  info->host_addressable = device->host_addressable;
  return leave (RC_OK);
}

static guint8 *
reserve (const FakeBlock *block)
{
  guint8 *address = block->bytes;

  if (block->kind == RC_MEMORY_PINNED || (block->kind == RC_MEMORY_DEVICE && block->device->host_addressable))
    return address;
  address = mmap (NULL, block->size, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  g_assert_true (address != MAP_FAILED);
  return address;
}

static RcStatus
fake_alloc (RcBackend *backend, RcMemoryKind kind, uint64_t bytes, void **memory, RcError *error)
{
  FakeDevice *device = enter (backend, "alloc", error);

  FakeBlock *block;

  if (device == NULL)
    return RC_DEVICE_FAILED;
  if (is_now (&device->failing_alloc) || (kind != RC_MEMORY_PINNED && bytes > device->total - device->used))
    return leave (rc_error_set (error, RC_NO_SPACE, "device %d (fake): %" G_GUINT64_FORMAT " bytes needed, %"
            G_GUINT64_FORMAT " of %" G_GUINT64_FORMAT " free", device->number, bytes, device->total - device->used,
            device->total));
  block = g_new0 (FakeBlock, 1);
  block->device = device;
  block->kind = kind;
  block->size = bytes;
  block->bytes = aligned_alloc (256, (bytes + 255) / 256 * 256);
  memset (block->bytes, 0xa5, bytes);
  block->address = reserve (block);
  device->counts.allocs++;
  if (kind != RC_MEMORY_PINNED) {
    device->used += bytes;
    device->counts.device_blocks++;
  } else {
    device->counts.pinned_blocks++;
  }
  g_ptr_array_add (blocks, block);
  *memory = block->address;
  return leave (RC_OK);
}

/* Of a failed device too, so that what is not freed is seen. */
static void
fake_free (RcBackend *backend, RcMemoryKind kind, void *memory)
{
  FakeDevice *device = ((FakeBackend *) backend)->device;
  FakeBlock *block;

  g_mutex_lock (&machine);
  block = find_block (memory);
  g_assert_true (block && block->address == memory && block->kind == kind && block->device == device);
  g_assert_false (is_in_use (block));   /* by work that is enqueued */
  if (kind != RC_MEMORY_PINNED) {
    device->used -= block->size;
    device->counts.device_blocks--;
  } else {
    device->counts.pinned_blocks--;
  }
  g_ptr_array_remove_fast (blocks, block);
  if (block->address != block->bytes)
    munmap (block->address, block->size);
  free (block->bytes);
  g_free (block);
  g_mutex_unlock (&machine);
}

/* ---- streams and events ---- */

static RcStatus
fake_stream_new (RcBackend *backend, RcStream *stream, RcError *error)
{
  FakeDevice *device = enter (backend, "stream_new", error);

  FakeStream *made;

  if (device == NULL)
    return RC_DEVICE_FAILED;
  made = g_new0 (FakeStream, 1);
  made->device = device;
  g_queue_init (&made->works);
  g_ptr_array_add (streams, made);
  device->counts.streams++;
  device->counts.stream_news++;
  *stream = made;
  return leave (RC_OK);
}

static void
fake_stream_free (RcBackend *backend, RcStream stream)
{
  FakeStream *freed = stream;

  g_mutex_lock (&machine);
  freed->is_freed = TRUE;
  freed->device->counts.streams--;
  if (freed->works.length == 0)
    stream_finalize (freed);
  g_mutex_unlock (&machine);
}

static RcStatus
fake_stream_synchronize (RcBackend *backend, RcStream stream, RcError *error)
{
  const FakeDevice *device = enter (backend, "stream_synchronize", error);

  if (device == NULL)
    return RC_DEVICE_FAILED;
  finish_stream (stream);
  return leave (RC_OK);
}

static RcStatus
fake_event_new (RcBackend *backend, RcEvent *event, RcError *error)
{
  FakeDevice *device = enter (backend, "event_new", error);

  FakeEvent *made;

  if (device == NULL)
    return RC_DEVICE_FAILED;
  if (is_now (&device->failing_event))
    return leave (rc_error_set (error, RC_NO_SPACE, "device %d (fake): no event", device->number));
  made = g_new0 (FakeEvent, 1);
  made->device = device;
  made->refs = 1;
  device->counts.events++;
  device->counts.event_news++;
  *event = made;
  return leave (RC_OK);
}

static void
fake_event_free (RcBackend *backend, RcEvent event)
{
  FakeEvent *freed = event;

  g_mutex_lock (&machine);
  g_assert_true (freed->device == ((FakeBackend *) backend)->device);
  freed->device->counts.events--;
  event_unref (freed);
  g_mutex_unlock (&machine);
}

static RcStatus
fake_event_record (RcBackend *backend, RcEvent event, RcStream stream, RcError *error)
{
  FakeEvent *recorded = event;
  const FakeDevice *device = enter (backend, "event_record", error);
  Work *work;

  if (device == NULL)
    return RC_DEVICE_FAILED;
  g_assert_true (recorded && stream && recorded->device == ((FakeStream *) stream)->device);
  work = enqueue (stream, WORK_RECORD);
  work->event = recorded;
  work->ticket = ++recorded->recorded;
  recorded->refs++;
  return leave (RC_OK);
}

static RcStatus
fake_event_wait (RcBackend *backend, RcEvent event, RcStream stream, RcError *error)
{
  FakeEvent *awaited = event;
  const FakeDevice *device = enter (backend, "event_wait", error);
  Work *work;

  if (device == NULL)
    return RC_DEVICE_FAILED;
  g_assert_true (awaited && stream && ((FakeStream *) stream)->device == device);
  work = enqueue (stream, WORK_WAIT);
  work->event = awaited;
  work->ticket = awaited->recorded;
  awaited->refs++;
  return leave (RC_OK);
}

static RcStatus
fake_event_query (RcBackend *backend, RcEvent event, int *is_done, RcError *error)
{
  FakeEvent *queried = event;
  const FakeDevice *device = enter (backend, "event_query", error);

  if (device == NULL)
    return RC_DEVICE_FAILED;
  g_assert_true (queried && queried->device == device);
  *is_done = queried->reached >= queried->recorded;
  return leave (RC_OK);
}

static RcStatus
fake_event_synchronize (RcBackend *backend, RcEvent event, RcError *error)
{
  FakeEvent *awaited = event;
  const FakeDevice *device = enter (backend, "event_synchronize", error);

  if (device == NULL)
    return RC_DEVICE_FAILED;
  g_assert_true (awaited && awaited->device == device);
  reach (awaited, awaited->recorded);
  return leave (RC_OK);
}

/* ---- copies ---- */

/* A copy to or from pageable memory has read, and written, it on return. */
static void
enqueue_copy (FakeStream *stream, const RcMemoryCopy *copy)
{
  Work *work = enqueue (stream, WORK_COPY);

  work->copy = *copy;
  stream->device->counts.copies++;
  if (find_block (copy->from) == NULL) {
    const gsize bytes = span (copy->from_stride, copy);

    work->staged = memcpy (g_malloc (bytes), copy->from, bytes);
  }
  if (find_block (copy->to) == NULL)
    finish_stream (stream);
}

static RcStatus
fake_copy (RcBackend *backend, const RcMemoryCopy *copy, RcStream stream, RcError *error)
{
  FakeDevice *device = enter (backend, "copy", error);

  if (device == NULL)
    return RC_DEVICE_FAILED;
  if (is_now (&device->failing_copy))
    return leave (rc_error_set (error, RC_CALL_FAILED, "copy on device %d (fake)", device->number));
  check_address (device, copy->to, span (copy->to_stride, copy));
  check_address (device, copy->from, span (copy->from_stride, copy));
  enqueue_copy (stream, copy);
  if (copy->is_read_on_return)
    finish_stream (stream);
  return leave (RC_OK);
}

static RcStatus
fake_copy_between (RcBackend *to_backend, void *to, RcBackend *from_backend, const void *from, uint64_t bytes,
    RcStream stream, RcError *error)
{
  const RcMemoryCopy copy = {.to = to,.from = from,.row_bytes = bytes,.rows = 1 };
  const FakeDevice *device = enter (to_backend, "copy_between", error);
  const FakeBlock *block;

  if (device == NULL)
    return RC_DEVICE_FAILED;
  block = find_block (from);
  g_assert_true (block && block->kind != RC_MEMORY_PINNED);
  check_address (device, to, bytes);
  check_address (((FakeBackend *) from_backend)->device, from, bytes);
  enqueue_copy (stream, &copy);
  return leave (RC_OK);
}

static RcStatus
fake_clear (RcBackend *backend, void *memory, uint64_t bytes, RcStream stream, RcError *error)
{
  FakeDevice *device = enter (backend, "clear", error);

  Work *work;

  if (device == NULL)
    return RC_DEVICE_FAILED;
  check_address (device, memory, bytes);
  work = enqueue (stream, WORK_CLEAR);
  work->copy.to = memory;
  work->copy.row_bytes = bytes;
  work->copy.rows = 1;
  return leave (RC_OK);
}

/* ---- devices ---- */

static void
fake_close (RcBackend *backend)
{
  g_mutex_lock (&machine);
  ((FakeBackend *) backend)->device->counts.backends--;
  g_mutex_unlock (&machine);
  g_free (backend);
}

static const RcMemoryOps memory_ops = {
  .info = fake_info,
  .alloc = fake_alloc,
  .free = fake_free,
  .stream_new = fake_stream_new,
  .stream_free = fake_stream_free,
  .stream_synchronize = fake_stream_synchronize,
  .event_new = fake_event_new,
  .event_free = fake_event_free,
  .event_record = fake_event_record,
  .event_wait = fake_event_wait,
  .event_query = fake_event_query,
  .event_synchronize = fake_event_synchronize,
  .copy = fake_copy,
  .copy_between = fake_copy_between,
  .clear = fake_clear,
};

static const RcBackendOps backend_ops = {
  .close = fake_close,
  .memory = &memory_ops,
};

FakeDevice *
fake_device_new (gint number)
{
  FakeDevice *device = g_new0 (FakeDevice, 1);

  device->number = number;
  device->total = G_GUINT64_CONSTANT (1) << 40;
  if (streams == NULL) {
    streams = g_ptr_array_new ();
    blocks = g_ptr_array_new ();
  }
  return device;
}

RcBackend *
fake_device_open (FakeDevice *device)
{
  FakeBackend *backend = g_new0 (FakeBackend, 1);

  backend->base.kind = RC_BACKEND_CUDA;
  backend->base.device = device->number;
  backend->base.ops = &backend_ops;
  backend->device = device;
  g_mutex_lock (&machine);
  device->counts.backends++;
  g_mutex_unlock (&machine);
  return &backend->base;
}

void
fake_device_free (FakeDevice *device)
{
  const FakeCounts *counts = &device->counts;

  fake_finish (1);
  fail_unless (counts->backends == 0, "%u backends are open", counts->backends);
  fail_unless (counts->streams == 0, "%u streams are left", counts->streams);
  fail_unless (counts->events == 0, "%u events are left", counts->events);
  fail_unless (counts->device_blocks == 0, "%u blocks of the device are left", counts->device_blocks);
  fail_unless (counts->pinned_blocks == 0, "%u pinned blocks are left", counts->pinned_blocks);
  g_free (device);
}

/* ---- what a test does ---- */

void
fake_launch (RcStream stream, FakeKernel kernel, gpointer to, gconstpointer from, gsize bytes, gpointer data)
{
  Work *work;

  g_mutex_lock (&machine);
  if (!((FakeStream *) stream)->device->has_failed) {
    work = enqueue (stream, WORK_KERNEL);
    work->kernel = kernel;
    work->copy = (RcMemoryCopy) {.to = to,.from = from,.row_bytes = bytes,.rows = 1 };
    work->data = data;
  }
  g_mutex_unlock (&machine);
}

gboolean
fake_step (RcStream stream)
{
  gboolean done;

  g_mutex_lock (&machine);
  done = step (stream);
  g_mutex_unlock (&machine);
  return done;
}

/* Round and round from a random stream on, a random number of works each; ends when none can go on. */
void
fake_finish (guint32 seed)
{
  GRand *random = g_rand_new_with_seed (seed);
  guint idle = 0;

  g_mutex_lock (&machine);
  while (idle < streams->len * 8) {
    FakeStream *stream = g_ptr_array_index (streams, g_rand_int_range (random, 0, (gint) streams->len));

    if (step (stream)) {
      idle = 0;
    } else if (++idle == streams->len * 8) {    /* chance; is there really none? */
      for (guint i = 0; i < streams->len && idle > 0; i++) {
        if (step (g_ptr_array_index (streams, i)))
          idle = 0;
      }
    }
  }
  g_mutex_unlock (&machine);
  g_rand_free (random);
}

guint
fake_pending (void)
{
  guint n = 0;

  g_mutex_lock (&machine);
  for (guint i = 0; i < streams->len; i++)
    n += ((FakeStream *) g_ptr_array_index (streams, i))->works.length;
  g_mutex_unlock (&machine);
  return n;
}
