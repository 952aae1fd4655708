/* robocache: memory, streams, events and copies of a GPU, and of the CPU where that means something
 *
 * Order is tried with gates: work in a stream that waits until the test says so.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include <cuda_runtime_api.h>
#include <inttypes.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdlib.h>
#include <unistd.h>

#include "contexts.h"
#include "tests/kernels/place.h"

#define MIB (UINT64_C (1) << 20)

#define test_ok(test, call) \
  do { \
    RcError error_ = { RC_OK, "" }; \
    if ((call) != RC_OK) \
      test_fail (test, "line %d: %s", __LINE__, error_.message); \
  } while (0)
#define ERROR &error_

/* Enqueued. */
static void
copy_plain (const Place *place, void *to, const void *from, uint64_t bytes, Test *test)
{
  const RcMemoryCopy copy = {.to = to,.from = from,.row_bytes = bytes,.rows = 1 };

  test_ok (test, rc_memory_copy (place->backend, &copy, place->stream, ERROR));
}

/* Whether all bytes of memory that the device can read are value. */
static int
is_all (const Place *place, const void *memory, uint64_t bytes, int value, Test *test)
{
  unsigned char *host = malloc (bytes);
  uint64_t i, wrong = 0;

  memset (host, value + 1, bytes);
  place_copy (place, host, memory, bytes, test);
  for (i = 0; i < bytes; i++)
    wrong += host[i] != (unsigned char) value;
  free (host);
  return wrong == 0;
}

static void *
new_memory (const Place *place, RcMemoryKind kind, uint64_t bytes, Test *test)
{
  void *memory = NULL;

  test_ok (test, rc_memory_alloc (place->backend, kind, bytes, &memory, ERROR));
  return memory;
}

/* Memory of the device, all bytes of it value. */
static void *
new_filled (const Place *place, uint64_t bytes, int value, Test *test)
{
  void *memory = new_memory (place, RC_MEMORY_DEVICE, bytes, test);
  void *host = malloc (bytes);

  memset (host, value, bytes);
  if (memory != NULL)
    place_copy (place, memory, host, bytes, test);
  free (host);
  return memory;
}

static void
free_memory (const Place *place, RcMemoryKind kind, void *memory)
{
  rc_memory_free (place->backend, kind, memory);
}

/* ---- what a test has ---- */

#define BYTES 4096

typedef struct
{
  Test test;
  Place place, other;           /* of one backend, with a stream each */
  RcEvent event;
  unsigned char *a, *b;         /* of the device, all bytes 1 and 2 */
  unsigned char *pinned;
} Bench;

static Bench
bench_new (const Place *place, const char *name)
{
  Bench bench = { test_begin ("memory_%s_%s", name, place->name), *place, *place, NULL, NULL, NULL, NULL };
  Test *test = &bench.test;

  test_ok (test, rc_stream_new (place->backend, &bench.other.stream, ERROR));
  test_ok (test, rc_event_new (place->backend, &bench.event, ERROR));
  bench.a = new_filled (place, BYTES, 1, test);
  bench.b = new_filled (place, BYTES, 2, test);
  bench.pinned = new_memory (place, RC_MEMORY_PINNED, BYTES, test);
  return bench;
}

static int
bench_end (Bench *bench)
{
  free_memory (&bench->place, RC_MEMORY_DEVICE, bench->a);
  free_memory (&bench->place, RC_MEMORY_DEVICE, bench->b);
  free_memory (&bench->place, RC_MEMORY_PINNED, bench->pinned);
  rc_event_free (bench->place.backend, bench->event);
  rc_stream_free (bench->place.backend, bench->other.stream);
  return test_end (&bench->test);
}

/* ---- gates ---- */

typedef struct
{
  sem_t open, passed;
} Gate;

static void
wait_at_gate (void *data)
{
  Gate *gate = data;

  while (sem_wait (&gate->open) != 0);
  sem_post (&gate->passed);
}

/* What is enqueued on the stream from now on waits for gate_open. */
static void
gate_close (Gate *gate, cudaStream_t stream, Test *test)
{
  sem_init (&gate->open, 0, 0);
  sem_init (&gate->passed, 0, 0);
  test_expect (test, cudaLaunchHostFunc (stream, wait_at_gate, gate) == cudaSuccess, "no gate");
}

static void
gate_open (Gate *gate)
{
  sem_post (&gate->open);
  while (sem_wait (&gate->passed) != 0);
}

/* ---- memory ---- */

static int
check_info (const Place *place)
{
  Test test = test_begin ("memory_%s_%s", "info", place->name);
  RcMemoryInfo info = { 0, 0, -1 };

  test_ok (&test, rc_memory_info (place->backend, &info, ERROR));
  test_expect (&test, info.total_bytes >= 64 * MIB, "%" PRIu64, info.total_bytes);
  test_expect (&test, info.free_bytes > 0 && info.free_bytes <= info.total_bytes, "%" PRIu64 " of %" PRIu64,
      info.free_bytes, info.total_bytes);
  test_expect (&test, info.host_addressable == 0 || info.host_addressable == 1, "%d", info.host_addressable);
  return test_end (&test);
}

/* What is allocated is not free, and what is freed is, whatever the driver's pool keeps. */
static int
check_account (const Place *place)
{
  const uint64_t bytes = 512 * MIB, slack = 128 * MIB;
  Test test = test_begin ("memory_%s_%s", "account", place->name);
  RcMemoryInfo before, during, after;
  void *memory;
  int i;

  test_ok (&test, rc_memory_info (place->backend, &before, ERROR));
  if (before.free_bytes < 2 * bytes) {
    test_skip (test.name, "less than 1 GiB is free");
    return 0;
  }
  for (i = 0; i < 20 && test_holds (&test); i++) {
    memory = new_memory (place, RC_MEMORY_DEVICE, bytes, &test);
    test_ok (&test, rc_memory_info (place->backend, &during, ERROR));
    free_memory (place, RC_MEMORY_DEVICE, memory);
    test_ok (&test, rc_memory_info (place->backend, &after, ERROR));
    test_expect (&test, during.free_bytes + bytes <= before.free_bytes + slack, "%" PRIu64 " then %" PRIu64,
        before.free_bytes, during.free_bytes);
    test_expect (&test, after.free_bytes + slack >= before.free_bytes, "%" PRIu64 " then %" PRIu64, before.free_bytes,
        after.free_bytes);
  }
  return test_end (&test);
}

static int
check_kinds (const Place *place)
{
  static const RcMemoryKind kinds[] = { RC_MEMORY_DEVICE, RC_MEMORY_PINNED, RC_MEMORY_SCRATCH };
  static const uint64_t sizes[] = { 0, 1, 255, 256, 257, 1000003 };
  Test test = test_begin ("memory_%s_%s", "kinds", place->name);
  struct cudaPointerAttributes attributes;
  RcMemoryInfo info = { 0 };
  size_t i, k;

  test_ok (&test, rc_memory_info (place->backend, &info, ERROR));
  for (i = 0; i < COUNT (kinds); i++) {
    const int is_of_host = kinds[i] == RC_MEMORY_PINNED || (kinds[i] == RC_MEMORY_DEVICE && info.host_addressable);

    for (k = 0; k < COUNT (sizes); k++) {
      void *memory = new_memory (place, kinds[i], sizes[k], &test);

      test_expect (&test, memory != NULL && ((uintptr_t) memory & 255) == 0, "%p", memory);
      if (place->is_gpu) {
        const enum cudaMemoryType type = is_of_host ? cudaMemoryTypeHost : cudaMemoryTypeDevice;

        test_expect (&test, cudaPointerGetAttributes (&attributes, memory) == cudaSuccess, "no attributes");
        test_expect (&test, attributes.type == type, "type %d; expected %d", (int) attributes.type, (int) type);
      }
      if (memory != NULL && (is_of_host || !place->is_gpu))
        memset (memory, 0xff, sizes[k]);
      free_memory (place, kinds[i], memory);
    }
  }
  free_memory (place, RC_MEMORY_DEVICE, NULL);
  return test_end (&test);
}

static int
check_no_space (const Place *place, RcMemoryKind kind, const char *name)
{
  Test test = test_begin ("memory_%s_%s", name, place->name);
  const uint64_t wanted = UINT64_C (1) << 50;
  void *memory = (void *) 1, *after;
  RcError error = { RC_OK, "" };
  char needed[64];

  snprintf (needed, sizeof (needed), "%" PRIu64 " bytes", wanted);
  test_expect (&test, rc_memory_alloc (place->backend, kind, wanted, &memory, &error) == RC_NO_SPACE, "status %d: %s",
      (int) error.status, error.message);
  test_expect (&test, memory == NULL, "%p", memory);
  test_expect (&test, strstr (error.message, needed) != NULL, "%s", error.message);
  test_expect (&test, !place->is_gpu || strstr (error.message, " free") != NULL, "%s", error.message);
  printf ("the message: %s\n", error.message);
  after = new_filled (place, 4096, 7, &test);
  test_expect (&test, is_all (place, after, 4096, 7, &test), "after it");
  free_memory (place, RC_MEMORY_DEVICE, after);
  return test_end (&test);
}

/* ---- copies ---- */

enum
{
  PAGEABLE,
  PINNED,
  DEVICE,
  N_SIDES
};

static const char *const sides[] = { "pageable", "pinned", "device" };

static void *
side_new (const Place *place, int side, uint64_t bytes, Test *test)
{
  return side == PAGEABLE ? malloc (bytes)
      : new_memory (place, side == PINNED ? RC_MEMORY_PINNED : RC_MEMORY_DEVICE, bytes, test);
}

static void
side_free (const Place *place, int side, void *memory)
{
  if (side == PAGEABLE)
    free (memory);
  else
    free_memory (place, side == PINNED ? RC_MEMORY_PINNED : RC_MEMORY_DEVICE, memory);
}

typedef struct
{
  uint64_t rows, row_bytes;
  int64_t to_stride, from_stride;
} Shape;

#define COPY_BYTES 70000

static void
check_one_copy (const Place *place, int to_side, int from_side, const Shape *shape, Test *test)
{
  static unsigned char source[COPY_BYTES], expected[COPY_BYTES], result[COPY_BYTES];
  unsigned char *to = side_new (place, to_side, COPY_BYTES, test);
  unsigned char *from = side_new (place, from_side, COPY_BYTES, test);
  const RcMemoryCopy copy = { to + 3, from + 5, shape->to_stride, shape->from_stride, shape->row_bytes, shape->rows,
    NULL, 0
  };
  size_t i;

  for (i = 0; i < COPY_BYTES; i++) {
    source[i] = (unsigned char) (i * 7 + i / 251);
    expected[i] = (unsigned char) (0x80 ^ i);
  }
  copy_plain (place, from, source, COPY_BYTES, test);
  copy_plain (place, to, expected, COPY_BYTES, test);
  test_ok (test, rc_memory_copy (place->backend, &copy, place->stream, ERROR));
  place_copy (place, result, to, COPY_BYTES, test);
  for (i = 0; i < shape->rows; i++)
    memcpy (expected + 3 + i * (uint64_t) shape->to_stride, source + 5 + i * (uint64_t) shape->from_stride,
        shape->row_bytes);
  test_expect (test, memcmp (result, expected, COPY_BYTES) == 0, "%s to %s, %" PRIu64 " rows of %" PRIu64 ", strides %"
      PRId64 " and %" PRId64, sides[from_side], sides[to_side], shape->rows, shape->row_bytes, shape->to_stride,
      shape->from_stride);
  side_free (place, to_side, to);
  side_free (place, from_side, from);
}

static int
check_copies (const Place *place)
{
  static const Shape shapes[] = {
    {1, 1, 0, 0}, {1, 4099, 0, 0}, {1, 65536, -1, -1}, {7, 13, 13, 13}, {7, 13, 17, 13}, {7, 13, 13, 19},
    {31, 999, 1001, 2011}, {2, 30001, 30002, 30003}, {1000, 1, 3, 5}, {0, 5, 5, 5}, {5, 0, 1, 1},
  };
  Test test = test_begin ("memory_%s_%s", "copies", place->name);
  size_t i;
  int to, from;

  for (to = 0; to < N_SIDES; to++) {
    for (from = 0; from < N_SIDES; from++) {
      for (i = 0; i < COUNT (shapes) && test_holds (&test); i++)
        check_one_copy (place, to, from, &shapes[i], &test);
    }
  }
  return test_end (&test);
}

static int
check_clear (const Place *place)
{
  Bench bench = bench_new (place, "clear");
  unsigned char *memory = bench.a;

  test_ok (&bench.test, rc_memory_clear (place->backend, memory + 101, 2777, place->stream, ERROR));
  test_ok (&bench.test, rc_memory_clear (place->backend, NULL, 0, place->stream, ERROR));
  test_expect (&bench.test, is_all (place, memory, 101, 1, &bench.test), "before");
  test_expect (&bench.test, is_all (place, memory + 101, 2777, 0, &bench.test), "cleared");
  test_expect (&bench.test, is_all (place, memory + 101 + 2777, BYTES - 101 - 2777, 1, &bench.test), "after");
  return bench_end (&bench);
}

/* Wrong arguments are named, and the device is well after them. */
static int
check_refusals (const Place *place, RcBackend *cpu)
{
  Bench bench = bench_new (place, "refusals");
  RcError error = { RC_OK, "" };
  RcMemoryCopy copy = {.to = bench.a,.from = bench.a + 500,.to_stride = 9,.from_stride = 10,.row_bytes = 10,.rows = 2 };
  void *none;

#define REFUSED(call, text) expect_refusal (call, RC_INVALID_ARGUMENT, &error, text, &bench.test)
  REFUSED (rc_memory_copy (place->backend, &copy, place->stream, &error),
      "to_stride is 9; expected at least row_bytes, 10");
  copy.to_stride = 10;
  copy.from_stride = -10;
  REFUSED (rc_memory_copy (place->backend, &copy, place->stream, &error), "from_stride is -10");
  copy.from_stride = 10;
  copy.from = NULL;
  REFUSED (rc_memory_copy (place->backend, &copy, place->stream, &error), "from is NULL; expected memory of 2 rows");
  REFUSED (rc_memory_clear (place->backend, NULL, 5, place->stream, &error), "memory is NULL");
  REFUSED (rc_memory_copy_between (place->backend, NULL, place->backend, bench.a, 5, place->stream, &error),
      "to is NULL");
  REFUSED (rc_memory_alloc (place->backend, (RcMemoryKind) 3, 5, &none, &error), "kind is 3");
  if (place->is_gpu)
    REFUSED (rc_memory_copy_between (place->backend, bench.a, cpu, bench.a, 5, place->stream, &error), "of kind 0");
  test_expect (&bench.test, is_all (place, bench.a, BYTES, 1, &bench.test), "after them");
  return bench_end (&bench);
}

/* ---- on a GPU: the default streams ---- */

static int
check_default_streams (const Place *place)
{
  const RcStream streams[] = { NULL, (RcStream) cudaStreamLegacy, (RcStream) cudaStreamPerThread };
  Bench bench = bench_new (place, "default_streams_are_refused");
  const RcMemoryCopy copy = {.to = bench.a,.from = bench.b,.row_bytes = 10,.rows = 1 };
  RcError error = { RC_OK, "" };
  size_t i;

  for (i = 0; i < COUNT (streams); i++) {
    REFUSED (rc_memory_copy (place->backend, &copy, streams[i], &error), "default stream");
    REFUSED (rc_memory_clear (place->backend, bench.a, 10, streams[i], &error), "default stream");
    REFUSED (rc_memory_copy_between (place->backend, bench.a, place->backend, bench.b, 5, streams[i], &error), "default stream");
    REFUSED (rc_event_record (place->backend, bench.event, streams[i], &error), "default stream");
    REFUSED (rc_event_wait (place->backend, bench.event, streams[i], &error), "default stream");
    REFUSED (rc_stream_synchronize (place->backend, streams[i], &error), "default stream");
  }
  return bench_end (&bench);
}

/* While the default stream of somebody else is held up, ours goes on. Should it not, the alarm ends the program. */
static int
check_default_stream_is_not_waited_for (const Place *place)
{
  Bench bench = bench_new (place, "default_stream_is_not_waited_for");
  const unsigned char *pinned = bench.pinned;
  Gate gate;

  alarm (60);
  gate_close (&gate, cudaStreamLegacy, &bench.test);
  test_ok (&bench.test, rc_memory_clear (place->backend, bench.a, BYTES / 2, place->stream, ERROR));
  copy_plain (place, bench.pinned, bench.a, BYTES, &bench.test);
  test_ok (&bench.test, rc_event_record (place->backend, bench.event, place->stream, ERROR));
  test_ok (&bench.test, rc_event_synchronize (place->backend, bench.event, ERROR));
  test_expect (&bench.test, pinned != NULL && pinned[0] == 0 && pinned[BYTES - 1] == 1, "the copy is not done");
  gate_open (&gate);
  cudaStreamSynchronize (cudaStreamLegacy);
  alarm (0);
  return bench_end (&bench);
}

/* ---- on a GPU: order ---- */

static int
check_event_order (const Place *place)
{
  Bench bench = bench_new (place, "events_order_two_streams");
  Test *test = &bench.test;
  Gate gate;

  test_ok (test, rc_event_wait (place->backend, bench.event, bench.other.stream, ERROR));     /* not recorded: passed */
  test_ok (test, rc_event_synchronize (place->backend, bench.event, ERROR));
  place_wait (&bench.other, test);
  gate_close (&gate, place->stream, test);
  test_ok (test, rc_memory_clear (place->backend, bench.a, BYTES, place->stream, ERROR));
  test_ok (test, rc_event_record (place->backend, bench.event, place->stream, ERROR));
  test_ok (test, rc_event_wait (place->backend, bench.event, bench.other.stream, ERROR));
  copy_plain (&bench.other, bench.b, bench.a, BYTES, test);
  usleep (20000);
  test_expect (test, cudaStreamQuery (bench.other.stream) == cudaErrorNotReady, "it did not wait");
  gate_open (&gate);
  test_expect (test, is_all (&bench.other, bench.b, BYTES, 0, test), "the copy came before the clear");
  return bench_end (&bench);
}

/* A wait is for the record before it, whatever is recorded later. */
static int
check_event_again (const Place *place)
{
  Bench bench = bench_new (place, "event_recorded_again");
  Test *test = &bench.test;
  Gate gate;

  test_ok (test, rc_event_record (place->backend, bench.event, place->stream, ERROR));
  test_ok (test, rc_event_wait (place->backend, bench.event, bench.other.stream, ERROR));
  gate_close (&gate, place->stream, test);
  test_ok (test, rc_event_record (place->backend, bench.event, place->stream, ERROR));
  test_ok (test, rc_memory_clear (place->backend, bench.a, BYTES, bench.other.stream, ERROR));
  alarm (60);
  place_wait (&bench.other, test);
  alarm (0);
  gate_open (&gate);
  test_ok (test, rc_event_synchronize (place->backend, bench.event, ERROR));
  test_expect (test, is_all (place, bench.a, BYTES, 0, test), "not cleared");
  return bench_end (&bench);
}

/* A copy from pinned memory that was promised to be read is not fooled by what is written there after it. */
static int
check_read_on_return (const Place *place)
{
  const uint64_t long_bytes = 256 * MIB, bytes = 1 * MIB;
  Test test = test_begin ("memory_%s_%s", "read_on_return", place->name);
  unsigned char *work = new_memory (place, RC_MEMORY_DEVICE, long_bytes, &test);
  unsigned char *to = new_filled (place, bytes, 9, &test);
  unsigned char *from = new_memory (place, RC_MEMORY_PINNED, bytes, &test);
  const RcMemoryCopy copy = {.to = to,.from = from,.row_bytes = bytes,.rows = 1,.is_read_on_return = 1 };
  int i;

  if (test_holds (&test)) {
    memset (from, 1, bytes);
    for (i = 0; i < 50; i++)    /* keeps the stream busy for a while */
      test_ok (&test, rc_memory_clear (place->backend, work, long_bytes, place->stream, ERROR));
    test_ok (&test, rc_memory_copy (place->backend, &copy, place->stream, ERROR));
    memset (from, 2, bytes);
    test_expect (&test, is_all (place, to, bytes, 1, &test), "it was read later");
  }
  free_memory (place, RC_MEMORY_PINNED, from);
  free_memory (place, RC_MEMORY_DEVICE, to);
  free_memory (place, RC_MEMORY_DEVICE, work);
  return test_end (&test);
}

/* ---- on a GPU: mapped memory ---- */

/* The CPU writes where the device reads, and reads where it wrote. */
static int
check_mapped (const Place *place)
{
  Bench bench = bench_new (place, "is_addressed_by_both");
  unsigned char *b = bench.b;
  RcMemoryInfo info = { 0 };

  test_ok (&bench.test, rc_memory_info (place->backend, &info, ERROR));
  test_expect (&bench.test, info.host_addressable == 1, "%d", info.host_addressable);
  if (test_holds (&bench.test)) {
    memset (bench.a, 3, BYTES);
    memset (b, 4, BYTES);
    copy_plain (place, b + 1000, bench.a + 1, 2000, &bench.test);
    place_wait (place, &bench.test);
    test_expect (&bench.test, b[999] == 4 && b[1000] == 3 && b[2999] == 3 && b[3000] == 4, "%d %d %d %d", b[999], b[1000],
        b[2999], b[3000]);
  }
  return bench_end (&bench);
}

/* ---- on a GPU: another context, and threads ---- */

static int
check_from_context (const Place *place)
{
  Bench bench = bench_new (place, "copy_from_another_context");
  Test *test = &bench.test;
  unsigned char host[BYTES], result[BYTES];
  CUcontext foreign = NULL, popped;
  CUdeviceptr memory = 0;
  RcMemoryCopy copy = {.to = bench.a,.row_bytes = BYTES,.rows = 1 };
  size_t i;

  for (i = 0; i < BYTES; i++)
    host[i] = (unsigned char) (i * 7);
  test_expect (test, driver.create (&foreign, 0, 0) == CUDA_SUCCESS, "no context");
  test_expect (test, driver.alloc (&memory, BYTES) == CUDA_SUCCESS && driver.upload (memory, host, BYTES) == CUDA_SUCCESS,
      "no memory there");
  driver.pop (&popped);
  copy.from = (const void *) (uintptr_t) memory;
  copy.from_context = foreign;
  if (test_holds (test)) {
    test_ok (test, rc_memory_copy (place->backend, &copy, place->stream, ERROR));
    place_copy (place, result, bench.a, BYTES, test);
    test_expect (test, memcmp (result, host, BYTES) == 0, "wrong bytes");
    test_ok (test, rc_memory_clear (place->backend, bench.a, BYTES, place->stream, ERROR));
    copy = (RcMemoryCopy) { bench.a, (const void *) (uintptr_t) (memory + 1), 31, 47, 29, 50, foreign, 0 };
    test_ok (test, rc_memory_copy (place->backend, &copy, place->stream, ERROR));
    place_copy (place, result, bench.a, BYTES, test);
  }
  for (i = 0; i < 50 * 31 && test_holds (test); i++) {
    const unsigned char expected = i % 31 < 29 ? host[1 + i / 31 * 47 + i % 31] : 0;

    test_expect (test, result[i] == expected, "byte %zu of the rows is %d; expected %d", i, result[i], expected);
  }
  if (foreign != NULL)
    driver.destroy (foreign);
  return bench_end (&bench);
}

typedef struct
{
  RcBackend *backend;
  Test *test;
} ThreadWork;

/* Many threads at once, each with its own stream and its own bytes. */
#define N_THREADS 8

static void *
allocate_and_copy (void *data)
{
  ThreadWork *work = data;
  Place place = { "", work->backend, NULL, 1 };
  int i;

  test_ok (work->test, rc_stream_new (place.backend, &place.stream, ERROR));
  for (i = 0; i < 50 && test_holds (work->test); i++) {
    const uint64_t bytes = 1000 + (uint64_t) i * 777;
    unsigned char *memory = new_filled (&place, bytes, i, work->test);
    RcMemoryInfo info = { 0 };

    test_ok (work->test, rc_memory_info (place.backend, &info, ERROR));
    test_expect (work->test, info.free_bytes <= info.total_bytes, "%" PRIu64 " of %" PRIu64 " free", info.free_bytes,
        info.total_bytes);
    test_expect (work->test, is_all (&place, memory, bytes, i, work->test), "round %d", i);
    free_memory (&place, RC_MEMORY_DEVICE, memory);
  }
  rc_stream_free (place.backend, place.stream);
  return NULL;
}

static int
check_many_threads (const Place *place)
{
  Test tests[N_THREADS], test = test_begin ("memory_%s_%s", "many_threads", place->name);
  ThreadWork work[N_THREADS];
  pthread_t threads[N_THREADS];
  int i;

  memset (tests, 0, sizeof (tests));
  for (i = 0; i < N_THREADS; i++) {
    work[i] = (ThreadWork) { place->backend, &tests[i] };
    pthread_create (&threads[i], NULL, allocate_and_copy, &work[i]);
  }
  for (i = 0; i < N_THREADS; i++) {
    pthread_join (threads[i], NULL);
    test_expect (&test, test_holds (&tests[i]), "thread %d: %s", i, tests[i].why);
  }
  return test_end (&test);
}

/* ---- on a GPU: much memory, and another device ---- */

/* Rows further apart than a 2-D copy can have them. */
static int
check_far_rows (const Place *place)
{
  const int64_t stride = (INT64_C (1) << 31) + 4096;
  Test test = test_begin ("memory_%s_%s", "rows_far_apart", place->name);
  RcMemoryCopy copy = {.to_stride = 100,.from_stride = stride,.row_bytes = 100,.rows = 3 };
  RcMemoryInfo info = { 0 };
  unsigned char *memory, *to;
  int i;

  test_ok (&test, rc_memory_info (place->backend, &info, ERROR));
  if (info.free_bytes < 6 * 1024 * MIB) {
    test_skip (test.name, "less than 6 GiB is free");
    return 0;
  }
  memory = new_memory (place, RC_MEMORY_DEVICE, 2 * (uint64_t) stride + 100, &test);
  to = new_filled (place, 300, 9, &test);
  for (i = 0; i < 3 && memory != NULL; i++) {
    unsigned char row[100];

    memset (row, 40 + i, sizeof (row));
    place_copy (place, memory + (uint64_t) i * (uint64_t) stride, row, 100, &test);
  }
  copy.from = memory;
  copy.to = to;
  if (memory != NULL)
    test_ok (&test, rc_memory_copy (place->backend, &copy, place->stream, ERROR));
  for (i = 0; i < 3 && memory != NULL; i++)
    test_expect (&test, is_all (place, to + 100 * i, 100, 40 + i, &test), "row %d", i);
  free_memory (place, RC_MEMORY_DEVICE, memory);
  free_memory (place, RC_MEMORY_DEVICE, to);
  return test_end (&test);
}

/* From one backend to another one of the same device or of the next. The order of both is an event. */
static int
check_copy_between (const Place *place, int device, const char *name)
{
  const RcWhere where = { RC_BACKEND_CUDA, device, RC_CPU_BEST, 0 };
  const uint64_t bytes = 3 * MIB + 5;
  Test test = test_begin ("memory_%s_%s", name, place->name);
  Place far = { NULL };
  unsigned char *from, *to;
  RcEvent event = NULL;
  Gate gate;

  test_ok (&test, place_open (&far, "far", &where, ERROR));
  if (far.backend == NULL)
    return test_end (&test);
  test_ok (&test, rc_event_new (place->backend, &event, ERROR));
  from = new_filled (place, bytes, 1, &test);
  to = new_filled (&far, bytes, 9, &test);
  if (test_holds (&test)) {
    gate_close (&gate, place->stream, &test);
    test_ok (&test, rc_memory_clear (place->backend, from, bytes, place->stream, ERROR));
    test_ok (&test, rc_event_record (place->backend, event, place->stream, ERROR));
    test_ok (&test, rc_event_wait (far.backend, event, far.stream, ERROR));
    test_ok (&test, rc_memory_copy_between (far.backend, to, place->backend, from, bytes, far.stream, ERROR));
    gate_open (&gate);
    test_expect (&test, is_all (&far, to, bytes, 0, &test), "wrong bytes");
  }
  place_wait (place, &test);
  free_memory (place, RC_MEMORY_DEVICE, from);
  free_memory (&far, RC_MEMORY_DEVICE, to);
  rc_event_free (place->backend, event);
  place_close (&far);
  return test_end (&test);
}

/* ---- what runs where ---- */

static int
check_anywhere (const Place *place, RcBackend *cpu)
{
  return check_info (place) + check_kinds (place) + check_copies (place) + check_clear (place)
      + check_refusals (place, cpu) + check_no_space (place, RC_MEMORY_DEVICE, "no_space")
      + check_no_space (place, RC_MEMORY_PINNED, "no_pinned_space");
}

static int
check_gpu (const Place *place)
{
  return check_default_streams (place) + check_default_stream_is_not_waited_for (place)
      + check_many_threads (place);
}

/* Of memory that is on the device. Copies within the host's, as mapped memory is, wait for their stream: nothing can be held
 * up on purpose there. */
static int
check_device (const Place *place)
{
  int failures = check_event_order (place) + check_event_again (place) + check_read_on_return (place) + check_account (place)
      + check_from_context (place) + check_far_rows (place) + check_copy_between (place, 0, "copy_between_backends"), devices = 0;

  if (cudaGetDeviceCount (&devices) == cudaSuccess && devices > 1)
    return failures + check_copy_between (place, 1, "copy_between_devices");
  test_skip ("memory_copy_between_devices_gpu", "this machine has one GPU");
  return failures;
}

int
main (void)
{
  static const RcWhere wheres[] = { {RC_BACKEND_CPU, 0, RC_CPU_BEST, 0}, {RC_BACKEND_CUDA, 0, RC_CPU_BEST, 0},
    {RC_BACKEND_CUDA, 0, RC_CPU_BEST, 1}
  };
  Place cpu = { NULL }, gpu = { NULL }, mapped = { NULL };
  int failures;
  RcError error = { RC_OK, "" };

  if (place_open (&cpu, "cpu", &wheres[0], &error) != RC_OK) {
    printf ("FAIL memory_cpu: %s\n", error.message);
    return 1;
  }
  failures = check_anywhere (&cpu, cpu.backend);
  if (place_open (&gpu, "gpu", &wheres[1], &error) != RC_OK) {
    test_skip ("memory_gpu", error.message);
    place_close (&cpu);
    return error.status != RC_NO_DEVICE || failures > 0;
  }
  if (!find_driver () || place_open (&mapped, "mapped", &wheres[2], &error) != RC_OK) {
    printf ("FAIL memory_driver: %s\n", error.message[0] ? error.message : "no functions in libcuda.so.1");
    return 1;
  }
  cudaSetDevice (0);
  failures += check_anywhere (&gpu, cpu.backend) + check_gpu (&gpu) + check_device (&gpu);
  failures += check_anywhere (&mapped, cpu.backend) + check_gpu (&mapped) + check_mapped (&mapped);
  place_close (&mapped);
  place_close (&gpu);
  place_close (&cpu);
  return failures != 0;
}
