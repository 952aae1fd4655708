/* robocache: the CUDA backend leaves its caller's context alone, and says what is wrong
 *
 *   backend              the tests
 *   backend --break      breaks the device's context and checks what is reported; a process of its own
 *   backend --refused T  opens the backend and expects an error with the text T
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include <cuda_runtime_api.h>
#include <pthread.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "contexts.h"
#include "kernels/align.h"
#include "tests/kernels/place.h"

static RcStatus
open_device (int device, RcBackend **backend, RcError *error)
{
  const RcWhere where = { RC_BACKEND_CUDA, device, RC_CPU_BEST, 0 };

  memset (error, 0, sizeof (*error));
  return rc_backend_open (&where, backend, error);
}

/* ---- a small alignment: two float32 rows, one tick between them ---- */

typedef struct
{
  float rows[2], out;
  int64_t times[2], tick;
} Data;

typedef struct
{
  Place place;                  /* with a stream of its own */
  RcAlignPlan *plan;
  Data *data;                   /* there */
  Scratch scratch;
  RcAlignStreamArgs stream;
  RcAlignArgs args;
} Small;

static RcStatus
small_plan (RcBackend *backend, RcAlignPlan **plan, RcFootprint *footprint, RcError *error)
{
  const RcAlignStreamSpec stream_spec = { RC_FLOAT32, RC_FLOAT32, 1, {RC_LINEAR, -1, 0, 0} };
  const RcAlignSpec spec = { &stream_spec, 1 };

  return rc_align_plan (backend, &spec, plan, footprint, error);
}

static int
small_new (Small *small, RcBackend *backend, Test *test)
{
  const Data data = { {1, 2}, 0, {0, 100}, 50 };
  RcFootprint footprint;
  RcError error;

  *small = (Small) {.place = {.name = "the GPU",.backend = backend,.is_gpu = 1} };
  if (!is_ok (small_plan (backend, &small->plan, &footprint, &error), &error, test)
      || !is_ok (rc_stream_new (backend, &small->place.stream, &error), &error, test))
    return 0;
  small->data = place_alloc (&small->place, sizeof (data));
  small->scratch = scratch_new (&small->place, &footprint, 0, test);
  small->stream = (RcAlignStreamArgs) {.rows = small->data->rows,.n_rows = 2,.row_stride = 4,.times = small->data->times,
    .out = &small->data->out
  };
  small->args = (RcAlignArgs) {.streams = &small->stream,.batch = 1,.ticks = 1,.tick_times = &small->data->tick,
    .scratch = small->scratch.memory
  };
  return place_copy (&small->place, small->data, &data, sizeof (data), test);
}

static RcStatus
small_run (const Small *small, RcError *error)
{
  return rc_align_run (small->plan, &small->args, small->place.stream, error);
}

static void
small_check (const Small *small, Test *test)
{
  float out = 0;
  RcError error;

  is_ok (small_run (small, &error), &error, test);
  place_copy (&small->place, &out, &small->data->out, sizeof (out), test);
  test_expect (test, out == 1.5f, "got %g", (double) out);
}

static void
small_free (Small *small, Test *test)
{
  rc_align_plan_free (small->plan);
  scratch_free (&small->place, &small->scratch, test);
  place_free (&small->place, small->data);
  rc_stream_free (small->place.backend, small->place.stream);
}

/* ---- tests on a GPU ---- */

/* A thread that has no context still has none after any call. */
static void *
use_without_context (void *data)
{
  Test *test = data;
  CUcontext now = (CUcontext) 1;
  RcBackend *backend = NULL;
  RcAlignPlan *plan = NULL;
  RcFootprint footprint;
  RcError error;

  if (open_device (0, &backend, &error) != RC_OK)
    test_fail (test, "%s", error.message);
  test_expect (test, driver.current (&now) == CUDA_SUCCESS && now == NULL, "context after open: %p", (void *) now);
  if (small_plan (backend, &plan, &footprint, &error) != RC_OK)
    test_fail (test, "%s", error.message);
  test_expect (test, driver.current (&now) == CUDA_SUCCESS && now == NULL, "context after plan: %p", (void *) now);
  rc_align_plan_free (plan);
  rc_backend_close (backend);
  test_expect (test, driver.current (&now) == CUDA_SUCCESS && now == NULL, "context after close: %p", (void *) now);
  return NULL;
}

static int
check_no_context (void)
{
  Test test = { "backend_thread_without_context", "" };
  pthread_t thread;

  pthread_create (&thread, NULL, use_without_context, &test);
  pthread_join (thread, NULL);
  return test_end (&test);
}

/* A caller's own context, as GstCudaContext pushes one, is current before and after, and what is enqueued runs. */
static int
check_foreign_context (RcBackend *backend)
{
  Test test = { "backend_foreign_context", "" };
  CUcontext foreign = NULL, now = NULL, popped;
  RcBackend *other = NULL;
  Small small;
  RcError error;

  if (small_new (&small, backend, &test)) {
    test_expect (&test, driver.create (&foreign, 0, 0) == CUDA_SUCCESS, "context");
    is_ok (small_run (&small, &error), &error, &test);
    test_expect (&test, driver.current (&now) == CUDA_SUCCESS && now == foreign, "run: %p", (void *) now);
    if (open_device (0, &other, &error) != RC_OK)
      test_fail (&test, "%s", error.message);
    test_expect (&test, driver.current (&now) == CUDA_SUCCESS && now == foreign, "open: %p", (void *) now);
    rc_backend_close (other);
    test_expect (&test, driver.current (&now) == CUDA_SUCCESS && now == foreign, "close: %p", (void *) now);
    driver.pop (&popped);
    small_check (&small, &test);
    driver.destroy (foreign);
  }
  small_free (&small, &test);
  return test_end (&test);
}

static int
check_wrong_device (int device, const char *name)
{
  RcBackend *backend = NULL;
  Test test = test_begin ("%s", name);
  RcError error;
  char number[32];

  snprintf (number, sizeof (number), "device is %d", device);
  test_expect (&test, open_device (device, &backend, &error) == RC_NO_DEVICE, "%s", error.message);
  test_expect (&test, strstr (error.message, number) != NULL && strstr (error.message, "expected 0 to") != NULL, "%s",
      error.message);
  rc_backend_close (backend);
  return test_end (&test);
}

/* Each device in its own context, from a thread whose current device is another one. */
static int
check_second_device (RcBackend *first, int devices)
{
  Test test = { "backend_two_devices", "" };
  RcBackend *second = NULL;
  Small small[2];
  RcError error;
  int i;

  if (devices < 2) {
    test_skip (test.name, "this machine has one GPU");
    return 0;
  }
  memset (small, 0, sizeof (small));
  if (open_device (1, &second, &error) != RC_OK)
    test_fail (&test, "%s", error.message);
  for (i = 0; i < 2 && test_holds (&test); i++)
    small_new (&small[i], i == 0 ? first : second, &test);
  for (i = 0; i < 4 && test_holds (&test); i++) {
    int device = -1;

    cudaSetDevice (i / 2);      /* of the same device, and of the other one */
    small_check (&small[i % 2], &test);
    test_expect (&test, cudaGetDevice (&device) == cudaSuccess && device == i / 2, "the device became %d", device);
  }
  for (i = 0; i < 2; i++)
    small_free (&small[i], &test);
  cudaSetDevice (0);
  rc_backend_close (second);
  return test_end (&test);
}

/* A wrong argument leaves the backend usable. */
static int
check_refusals (RcBackend *backend)
{
  static const int32_t quaternion = 0;
  const RcAlignStreamSpec wide = { RC_INT8, RC_INT8, INT64_C (1) << 28, {RC_LINEAR, -1, 0, 0}, &quaternion, 1, NULL, 0,
    NULL, 0
  };
  const RcAlignSpec spec = { &wide, 1 };
  Test test = { "backend_refuses_and_goes_on", "" };
  RcAlignPlan *plan = NULL;
  RcError error = { 0 };
  Small small;

  expect_refusal (rc_align_plan (backend, &spec, &plan, NULL, &error), RC_UNSUPPORTED, &error, "streams[0].channels is 268435456",
      &test);
  if (small_new (&small, backend, &test)) {
    small.args.scratch = NULL;
    expect_refusal (small_run (&small, &error), RC_INVALID_ARGUMENT, &error, "scratch", &test);
    small.args.scratch = small.scratch.memory;
    small_check (&small, &test);
  }
  small_free (&small, &test);
  return test_end (&test);
}

static int
check_fork (RcBackend *backend)
{
  Test test = { "backend_fork_is_named", "" };
  int result = -1;
  Small small;
  pid_t child;

  if (small_new (&small, backend, &test)) {
    fflush (stdout);
    child = fork ();
    if (child == 0) {
      RcBackend *other = NULL;
      RcError error;

      if (open_device (0, &other, &error) != RC_NO_DEVICE || strstr (error.message, "fork") == NULL)
        _exit (1);
      if (small_run (&small, &error) != RC_DEVICE_FAILED || strstr (error.message, "fork") == NULL)
        _exit (2);
      rc_align_plan_free (small.plan);
      rc_backend_close (backend);
      _exit (0);
    }
    waitpid (child, &result, 0);
    test_expect (&test, WIFEXITED (result) && WEXITSTATUS (result) == 0, "child ended with %x", result);
    small_check (&small, &test);        /* the parent goes on */
  }
  small_free (&small, &test);
  return test_end (&test);
}

/* Reads an address that is none: the device's context is broken from then on. */
static int
break_device (void)
{
  RcBackend *backend = NULL;
  Test test = { "backend_sticky_error", "" };
  RcError error;
  Small small;

  if (open_device (0, &backend, &error) != RC_OK) {
    printf ("FAIL %s: %s\n", test.name, error.message);
    return 1;
  }
  if (small_new (&small, backend, &test)) {
    small.stream.rows = (const void *) (uintptr_t) 0x10000;
    small_run (&small, &error);
    test_expect (&test, cudaStreamSynchronize (small.place.stream) != cudaSuccess, "nothing broke");
    expect_refusal (small_run (&small, &error), RC_DEVICE_FAILED, &error, "device 0 (|streams[0] has 2 rows", &test);
    printf ("the message: %s\n", error.message);
    expect_refusal (small_run (&small, &error), RC_DEVICE_FAILED, &error, "failed before", &test);
    test_expect (&test, rc_align_plan (backend, NULL, &small.plan, NULL, &error) != RC_OK, "a plan");
  }
  rc_backend_close (backend);
  return test_end (&test);
}

static int
check_broken (const char *program)
{
  char command[4096];

  snprintf (command, sizeof (command), "'%s' --break", program);
  fflush (stdout);
  return system (command) != 0; /* it prints its own line */
}

/* ---- a backend that does not open ---- */

static int
expect_no_device (const char *text)
{
  Test test = test_begin ("%s", text);
  RcBackend *backend = NULL;
  RcError error;
  int i;

  for (i = 0; i < 2; i++) {     /* the second time from memory */
    test_expect (&test, open_device (0, &backend, &error) == RC_NO_DEVICE, "it opened");
    test_expect (&test, strstr (error.message, text) != NULL, "%s", error.message);
  }
  printf ("the message: %s\n", error.message);
  return test_end (&test);
}

int
main (int argc, char **argv)
{
  RcBackend *backend = NULL;
  int failures = 0, devices = 0;
  RcError error;

  if (argc == 3 && strcmp (argv[1], "--refused") == 0)
    return expect_no_device (argv[2]);
  if (argc == 2 && strcmp (argv[1], "--break") == 0)
    return break_device ();
  if (open_device (0, &backend, &error) != RC_OK) {
    test_skip ("backend_gpu", error.message);
    return error.status == RC_NO_DEVICE ? 0 : 1;
  }
  if (!find_driver ()) {
    printf ("FAIL backend_driver: no functions in libcuda.so.1\n");
    return 1;
  }
  cudaGetDeviceCount (&devices);
  failures += check_no_context ();
  failures += check_foreign_context (backend);
  failures += check_wrong_device (devices, "backend_device_past_the_last");
  failures += check_wrong_device (-1, "backend_device_minus_one");
  failures += check_second_device (backend, devices);
  failures += check_refusals (backend);
  failures += check_fork (backend);
  failures += check_broken (argv[0]);
  rc_backend_close (backend);
  return failures != 0;
}
