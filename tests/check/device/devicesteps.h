/* robocache: steps on memory of devices, as words of a line
 *
 * A line has steps on memories a, b, …, whose content is modelled beside them: what a read or a map sees is what the
 * steps before it wrote, in whatever order the devices do their work.
 *
 *     new:A@E[*N]     device memory of an engine, of 100 or N bytes; pinned:A@E[*N]: pinned memory
 *     write:A@E  read:A@E  begin:A@E     by an engine; begin: a write that is given up
 *     map:A  mapw:A,I+N  mapx:A,I+N      to read all; to write N bytes from I on; both
 *     dmap:A  dmapw:A,I+N                the same for the device
 *     lose:A          a map to write, after which there is no event
 *     share:B=A,I+N  copy:B=A,I+N        N bytes from I on
 *     into:B=A,I@E    an engine copies bytes of A from I on to all of B
 *     stamp:A[,W][*N] writes A and N bytes of writer W's stamp; fails where the stamp before was not known
 *     begin-stamp:A   the same, given up; no-stamp:A*N: there is no room for one
 *     resize:A,I+N    now N bytes from I on
 *     free:A  trim    trim: of all allocators
 *     wait:E  step:N@E                   for an engine; at most N works of its stream
 *     no-event  no-memory  break         the next event or block of the first device cannot be had; it breaks at the next call;
 *                     with :0 not so
 *     total:N  bound:N  integrated       the first device has N bytes; engine 0 may have N; memory is the CPU's, too
 *     done:N          the first N reads are done, and nothing made the others so
 *     NAME=N          a count of the first device, or of engine 0 (count_of)
 *     !STEP           fails with the case's error
 *
 * Engines 0 to 2 are on the first device, 3 and 4 on another one; cpu is the CPU's.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <stdlib.h>

#include "tests/check/lib/device/devicework.h"

#define BYTES 100
#define N_ENGINES 6
#define CPU 5
#define IS_FAR(engine) ((engine) == 3 || (engine) == 4)
#define N_MEMORIES 8

typedef struct
{
  GstMemory *memory;
  guint8 *model;                /* of the block; shares have that of their parent */
  gsize offset;                 /* of a share */
} Tracked;

typedef struct
{
  Seen seen;
  guint8 expected[BYTES];
  gsize size;
} Read;

typedef struct _Step Step;

typedef struct
{
  const gchar *name;
    gboolean (*run) (const Step * step, GError ** error);       /* FALSE where it fails */
  guint flags;                  /* of a map; a kind of memory; where a device has what fails next */
} Verb;

struct _Step
{
  const Verb *verb;
  Tracked *to, *of;
  gssize from, size, bytes, number;
  guint engine;
};

static FakeDevice *devices[2];
static RobocacheEngine *engines[N_ENGINES];
static GstAllocator *allocators[N_ENGINES][2];  /* by RcMemoryKind */
static RobocacheEngine *engine; /* the first one */
static GstAllocator *allocator; /* of its device memory */
static Tracked memories[N_MEMORIES];
static GPtrArray *reads;        /* of Read */
static guint8 value;            /* of the last write */
static const gchar *running;    /* case */

static void
open_engine (guint e, guint64 max_bytes)
{
  const RcWhere cpu = {.kind = RC_BACKEND_CPU };

  engines[e] = e == CPU ? robocache_engine_new (&cpu, 0, NULL) : engine_on (devices[IS_FAR (e)], max_bytes);
  for (guint kind = 0; kind < 2; kind++)
    allocators[e][kind] = robocache_allocator_new (engines[e], (RcMemoryKind) kind);
  engine = engines[0];
  allocator = allocators[0][RC_MEMORY_DEVICE];
}

static void
close_engine (guint e)
{
  for (guint kind = 0; kind < 2; kind++)
    gst_object_unref (allocators[e][kind]);
  robocache_engine_unref (engines[e]);
}

static void
setup (void)
{
  reads = g_ptr_array_new_with_free_func (g_free);
  for (guint i = 0; i < 2; i++)
    devices[i] = fake_device_new ((gint) i);
  for (guint e = 0; e < N_ENGINES; e++)
    open_engine (e, 0);
}

static void
forget (Tracked *tracked)
{
  g_clear_pointer (&tracked->memory, gst_memory_unref);
  g_clear_pointer (&tracked->model, g_rc_box_release);
}

static void
teardown (void)
{
  for (guint i = 0; i < N_MEMORIES; i++)
    forget (&memories[i]);
  for (guint e = 0; e < N_ENGINES; e++)
    close_engine (e);
  for (guint i = 0; i < 2; i++)
    fake_device_free (devices[i]);
  g_ptr_array_unref (reads);
}

/* ---- steps ---- */

static guint8 *
model_of (const Tracked *tracked)
{
  return tracked->model + tracked->offset;
}

static void
track (Tracked *to, GstMemory *memory, const guint8 *content)
{
  fail_unless (to->memory == NULL);
  *to = (Tracked) { memory, g_rc_box_alloc0 (MAX (memory->size, 1)), 0 };
  if (content)
    memcpy (to->model, content, memory->size);
}

static gboolean
step_new (const Step *s, GError **error)
{
  const RcMemoryKind kind = (RcMemoryKind) s->verb->flags;
  GstMemory *memory = robocache_allocator_alloc (allocators[s->engine][kind], (gsize) s->bytes, error);

  if (memory == NULL) {
    fail_if (gst_allocator_alloc (allocators[s->engine][kind], (gsize) s->bytes, NULL));
    return FALSE;
  }
  track (s->to, memory, NULL);
  fail_unless (robocache_is_memory (memory));
  fail_unless_equals_int (robocache_is_gpu_memory (memory), s->engine != CPU && kind == RC_MEMORY_DEVICE);
  return TRUE;
}

static void
expect_model (const Tracked *tracked, const guint8 *data)
{
  const guint8 *model = model_of (tracked);

  for (gsize i = 0; i < tracked->memory->size; i++)
    fail_unless (data[i] == model[i], "%s: byte %" G_GSIZE_FORMAT " is %u; expected %u", running, i, data[i], model[i]);
}

/* Work is enqueued, even where nothing tells its end. */
static gboolean
step_write (const Step *s, GError **error)
{
  GstMemory *memory = s->to->memory;

  memset (model_of (s->to), ++value, memory->size);
  if (s->engine != CPU)
    return enqueue_write (memory, engines[s->engine], value, error);
  fail_unless (robocache_memory_begin_write (memory, engines[CPU], NULL));
  memset (robocache_memory_data (memory), value, memory->size);
  return robocache_memory_end_write (memory, engines[CPU], error);
}

static gboolean
step_begin (const Step *s, GError **error)
{
  return robocache_memory_begin_write (s->to->memory, engines[s->engine], error);
}

static gboolean
step_read (const Step *s, GError **error)
{
  Read *read;

  if (s->engine == CPU) {
    fail_unless (robocache_memory_begin_read (s->to->memory, engines[CPU], NULL));
    expect_model (s->to, robocache_memory_data (s->to->memory));
    return robocache_memory_end_read (s->to->memory, engines[CPU], error);
  }
  read = g_new0 (Read, 1);
  read->size = s->to->memory->size;
  memcpy (read->expected, model_of (s->to), read->size);
  g_ptr_array_add (reads, read);
  return enqueue_read (s->to->memory, engines[s->engine], &read->seen, error);
}

/* Sees all, and writes where it maps to write. A map for the device alone, or of memory that the CPU sees, copies nothing. */
static gboolean
step_map (const Step *s, GError **error)
{
  const guint flags = s->verb->flags;
  GstMemory *memory = s->to->memory;
  const gboolean direct = (flags & ROBOCACHE_MAP_DEVICE)
      || robocache_block_is_cpu_visible (robocache_memory_block (memory));
  const guint copies = devices[0]->counts.copies;
  guint8 *data;
  GstMapInfo map;

  if (!gst_memory_map (memory, &map, (GstMapFlags) flags))
    return FALSE;
  fail_unless_equals_uint64 (map.size, memory->size);
  fail_unless_equals_int (map.data == robocache_memory_data (memory), direct);
  data = flags & ROBOCACHE_MAP_DEVICE ? fake_bytes (map.data) : map.data;
  expect_model (s->to, data);
  if (flags & GST_MAP_WRITE) {
    memset (data + s->from, ++value, (gsize) s->size);
    memset (model_of (s->to) + s->from, value, (gsize) s->size);
  }
  gst_memory_unmap (memory, &map);
  fail_unless (!direct || devices[0]->counts.copies == copies);
  return TRUE;
}

static gboolean
step_lose (const Step *s, GError **error)
{
  GstMapInfo map;

  fail_unless (gst_memory_map (s->to->memory, &map, GST_MAP_WRITE));
  devices[0]->failing_event = 1;
  gst_memory_unmap (s->to->memory, &map);
  return TRUE;
}

static gboolean
step_share (const Step *s, GError **error)
{
  GstMemory *memory = gst_memory_share (s->of->memory, s->from, s->size);
  GstMapInfo map;

  *s->to = (Tracked) { memory, g_rc_box_acquire (s->of->model), s->of->offset + (gsize) s->from };
  fail_unless (robocache_memory_data (memory) == (guint8 *) robocache_memory_data (s->of->memory) + s->from);
  fail_unless (robocache_memory_engine (memory) == robocache_memory_engine (s->of->memory));
  fail_if (gst_memory_map (memory, &map, GST_MAP_WRITE));
  return TRUE;
}

static gboolean
step_copy (const Step *s, GError **error)
{
  GstMemory *memory = gst_memory_copy (s->of->memory, s->from, s->size);

  if (memory == NULL)
    return FALSE;
  track (s->to, memory, model_of (s->of) + s->from);
  fail_unless (gst_memory_is_writable (memory));
  fail_unless (robocache_memory_engine (memory) == robocache_memory_engine (s->of->memory));
  return TRUE;
}

static gboolean
step_into (const Step *s, GError **error)
{
  GstMemory *memory = s->to->memory;

  memcpy (model_of (s->to), model_of (s->of) + s->from, memory->size);
  return robocache_memory_begin_write (memory, engines[s->engine], error)
      && robocache_memory_copy_out (s->of->memory, (gsize) s->from, memory->size, robocache_memory_data (memory),
      engines[s->engine], error)
      && robocache_memory_end_write (memory, engines[s->engine], error);
}

enum
{
  STAMP,
  BEGIN_STAMP,
  NO_STAMP
};

static gboolean
step_stamp (const Step *s, GError **error)
{
  GstMemory *memory = s->to->memory;
  const guint64 writer = (guint64) s->from + 1; /* none is 0 */
  gboolean is_known = TRUE;
  gpointer stamp = robocache_memory_begin_stamp (memory, writer, (gsize) s->bytes, &is_known);

  fail_unless_equals_int (stamp == NULL, s->verb->flags == NO_STAMP);
  if (s->verb->flags == STAMP) {
    memset (model_of (s->to), ++value, memory->size);
    fail_unless (robocache_memory_begin_write (memory, engine, NULL));
    fake_launch (robocache_engine_stream (engine), fill, robocache_memory_data (memory), NULL, memory->size,
        GINT_TO_POINTER (value));
    fake_launch (robocache_engine_stream (engine), fill, stamp, NULL, (gsize) s->bytes, NULL);
    fail_unless (robocache_memory_end_write (memory, engine, NULL));
  }
  if (s->verb->flags != BEGIN_STAMP)
    robocache_memory_end_stamp (memory, writer);
  return is_known;
}

static gboolean
step_resize (const Step *s, GError **error)
{
  gst_memory_resize (s->to->memory, s->from, (gsize) s->size);
  s->to->offset += (gsize) s->from;
  return TRUE;
}

static gboolean
step_free (const Step *s, GError **error)
{
  forget (s->to);
  return TRUE;
}

static gboolean
step_trim (const Step *s, GError **error)
{
  for (guint e = 0; e < N_ENGINES; e++) {
    robocache_allocator_trim (allocators[e][RC_MEMORY_DEVICE]);
    robocache_allocator_trim (allocators[e][RC_MEMORY_PINNED]);
  }
  return TRUE;
}

static gboolean
step_wait (const Step *s, GError **error)
{
  return robocache_engine_synchronize (engines[s->number], error);
}

static gboolean
step_step (const Step *s, GError **error)
{
  for (gssize i = 0; i < s->number && fake_step (robocache_engine_stream (engines[s->engine])); i++);
  return TRUE;
}

static gboolean
step_arm (const Step *s, GError **error)
{
  G_STRUCT_MEMBER (guint, devices[0], s->verb->flags) = (guint) s->number;
  return TRUE;
}

static gboolean
step_total (const Step *s, GError **error)
{
  devices[0]->total = (guint64) s->number;
  return TRUE;
}

static gboolean
step_bound (const Step *s, GError **error)
{
  close_engine (0);
  open_engine (0, (guint64) s->number);
  return TRUE;
}

static gboolean
step_integrated (const Step *s, GError **error)
{
  devices[0]->host_addressable = TRUE;
  close_engine (0);
  open_engine (0, 0);
  return robocache_engine_is_host_addressable (engine);
}

static gboolean
is_done (guint i)
{
  const Read *read = g_ptr_array_index (reads, i);

  return memcmp (read->seen.bytes, read->expected, read->size) == 0;
}

static gboolean
step_done (const Step *s, GError **error)
{
  for (guint i = 0; i < reads->len; i++)
    fail_unless (is_done (i) == (i < (guint) s->number), "%s: read %u", running, i);
  return TRUE;
}

static const Verb verbs[] = {
  {"new", step_new, RC_MEMORY_DEVICE}, {"pinned", step_new, RC_MEMORY_PINNED}, {"write", step_write}, {"begin", step_begin},
  {"read", step_read}, {"map", step_map, GST_MAP_READ}, {"mapw", step_map, GST_MAP_WRITE}, {"mapx", step_map, GST_MAP_READWRITE},
  {"dmap", step_map, GST_MAP_READ | ROBOCACHE_MAP_DEVICE}, {"dmapw", step_map, GST_MAP_WRITE | ROBOCACHE_MAP_DEVICE},
  {"lose", step_lose}, {"share", step_share}, {"copy", step_copy}, {"into", step_into}, {"free", step_free}, {"trim", step_trim},
  {"stamp", step_stamp, STAMP}, {"begin-stamp", step_stamp, BEGIN_STAMP}, {"no-stamp", step_stamp, NO_STAMP},
  {"resize", step_resize},
  {"wait", step_wait}, {"step", step_step}, {"done", step_done}, {"total", step_total}, {"bound", step_bound},
  {"integrated", step_integrated}, {"no-event", step_arm, G_STRUCT_OFFSET (FakeDevice, failing_event)},
  {"no-memory", step_arm, G_STRUCT_OFFSET (FakeDevice, failing_alloc)},
  {"break", step_arm, G_STRUCT_OFFSET (FakeDevice, failing_call)},
};

static guint64
count_of (const gchar *name)
{
  const FakeCounts counts = devices[0]->counts;
  RobocacheMemoryStatistics statistics;

  robocache_engine_get_memory_statistics (engine, &statistics);
  if (g_str_equal (name, "pending"))
    return fake_pending ();
  if (g_str_equal (name, "blocks"))
    return counts.device_blocks;
  if (g_str_equal (name, "allocs"))
    return counts.allocs;
  if (g_str_equal (name, "bytes"))
    return statistics.bytes;
  if (g_str_equal (name, "peak"))
    return statistics.peak_bytes;
  if (g_str_equal (name, "host"))
    return statistics.host_bytes;
  if (g_str_equal (name, "hits"))
    return statistics.pool_hits;
  fail_unless (g_str_equal (name, "misses"), "no count %s", name);
  return statistics.pool_misses;
}

static guint
parse_engine (gchar **at)
{
  if (!g_str_has_prefix (*at, "cpu"))
    return (guint) strtol (*at, at, 10);
  *at += strlen ("cpu");
  return CPU;
}

/* Parses the words after the verb. */
static Step
parse_arguments (const Verb *verb, const gchar *text)
{
  Step step = {.verb = verb,.bytes = BYTES,.number = 1 };
  gchar *at = (gchar *) text;

  while (*at) {
    switch (*at++) {
      case ':':
        if (g_ascii_islower (*at))
          step.to = &memories[*at++ - 'a'];
        else
          step.number = strtol (at, &at, 10);
        break;
      case '=':
        step.of = &memories[*at++ - 'a'];
        break;
      case ',':
        step.from = strtol (at, &at, 10);
        break;
      case '+':
        step.size = strtol (at, &at, 10);
        break;
      case '*':
        step.bytes = strtol (at, &at, 10);
        break;
      case '@':
        step.engine = parse_engine (&at);
        break;
      default:
        fail ("%s: no arguments: %s", running, text);
    }
  }
  return step;
}

static gboolean
do_step (const gchar *text, GError **error)
{
  const gsize length = strcspn (text, ":=");
  gchar *name = g_strndup (text, length);
  gboolean ok = TRUE;
  guint i = 0;

  while (i < G_N_ELEMENTS (verbs) && !g_str_equal (name, verbs[i].name))
    i++;
  if (i < G_N_ELEMENTS (verbs)) {
    const Step step = parse_arguments (&verbs[i], text + length);

    ok = step.verb->run (&step, error);
  } else {
    fail_unless (count_of (name) == (guint64) atoi (text + length + 1), "%s: not %s, but %" G_GUINT64_FORMAT, running, text,
        count_of (name));
  }
  g_free (name);
  return ok;
}
