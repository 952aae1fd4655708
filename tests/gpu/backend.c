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
#include "job.h"
#include "tests/kernels/place.h"

/* ---- contexts ---- */

static void
expect_context (CUcontext wanted, const char *when, Test *test)
{
  CUcontext now = (CUcontext) 1;

  test_expect (test, driver.current (&now) == CUDA_SUCCESS && now == wanted, "after %s: %p", when, (void *) now);
}

typedef struct
{
  int mapped, has_context;
  Test test;
} ContextCase;

/* From open to close the thread's context stays: none, or the caller's own, as GstCudaContext pushes one. */
static void *
use_everything (void *data)
{
  ContextCase *c = data;
  CUcontext own = NULL;
  RcBackend *backend = NULL;
  RcError error;
  Job job;
  size_t i;

  test_expect (&c->test, !c->has_context || driver.create (&own, 0, 0) == CUDA_SUCCESS, "no context");
  if (is_ok (device_open (0, c->mapped, &backend, &error), &error, &c->test)) {
    expect_context (own, "open", &c->test);
    is_ok (job_start (&job, backend, &error), &error, &c->test);
    expect_context (own, "start", &c->test);
    for (i = 0; i < N_STEPS && test_holds (&c->test); i++) {
      is_ok (job_steps[i].step (&job, &error), &error, &c->test);
      expect_context (own, job_steps[i].name, &c->test);
    }
    test_expect (&c->test, !test_holds (&c->test) || job_is_right (&job), "a wrong result");
    job_end (&job);
    expect_context (own, "end", &c->test);
  }
  rc_backend_close (backend);
  expect_context (own, "close", &c->test);
  if (own != NULL)
    driver.destroy (own);
  return NULL;
}

static int
check_context (int mapped, int has_context)
{
  ContextCase c = { mapped, has_context, test_begin ("backend_thread_with%s_context%s", has_context ? "" : "out",
        mapped ? "_mapped" : "") };
  pthread_t thread;

  pthread_create (&thread, NULL, use_everything, &c);
  pthread_join (thread, NULL);
  return test_end (&c.test);
}

/* ---- devices ---- */

static int
check_wrong_device (int device, const char *name)
{
  RcBackend *backend = NULL;
  Test test = test_begin ("%s", name);
  RcError error;
  char number[32];

  snprintf (number, sizeof (number), "device is %d", device);
  test_expect (&test, device_open (device, 0, &backend, &error) == RC_NO_DEVICE, "%s", error.message);
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
  Job jobs[2];
  RcError error;
  int i;

  if (devices < 2) {
    test_skip (test.name, "this machine has one GPU");
    return 0;
  }
  is_ok (device_open (1, 0, &second, &error), &error, &test);
  for (i = 0; i < 2; i++)
    is_ok (job_start (&jobs[i], i == 0 ? first : second, &error), &error, &test);
  for (i = 0; i < 4 && test_holds (&test); i++) {
    Job *job = &jobs[i % 2];
    int device = -1;

    cudaSetDevice (i / 2);      /* of the same device, and of the other one */
    is_ok (job_run (job, &error), &error, &test);
    test_expect (&test, job_is_right (job), "a wrong result");
    test_expect (&test, cudaGetDevice (&device) == cudaSuccess && device == i / 2, "the device became %d", device);
  }
  for (i = 0; i < 2; i++)
    job_end (&jobs[i]);
  cudaSetDevice (0);
  rc_backend_close (second);
  return test_end (&test);
}

/* ---- what is refused, and what breaks ---- */

/* CUDA counts down. */
static int
check_priorities (void)
{
  Test test = test_begin ("backend_priorities");
  int priority, least, greatest, found = 1;
  RcError error;

  cudaDeviceGetStreamPriorityRange (&least, &greatest);
  for (priority = -1; priority <= RC_MAX_PRIORITY + 1; priority += RC_MAX_PRIORITY + 2) {
    const RcWhere wrong = {.kind = RC_BACKEND_CUDA,.priority = priority };
    RcBackend *none = NULL;

    test_expect (&test, rc_backend_open (&wrong, &none, &error) == RC_INVALID_ARGUMENT && strstr (error.message, "expected 0 to 2"),
        "priority %d: %s", priority, error.message);
  }
  for (priority = 0; priority <= RC_MAX_PRIORITY && test_holds (&test); priority++) {
    const RcWhere where = {.kind = RC_BACKEND_CUDA,.priority = priority };
    const int expected = least - priority < greatest ? greatest : least - priority;
    RcBackend *backend = NULL;
    RcStream stream = NULL;

    test_expect (&test, rc_backend_open (&where, &backend, &error) == RC_OK
        && rc_stream_new (backend, &stream, &error) == RC_OK, "%s", error.message);
    test_expect (&test, stream == NULL || (cudaStreamGetPriority (stream, &found) == cudaSuccess && found == expected),
        "priority %d is %d of CUDA; expected %d", priority, found, expected);
    if (backend != NULL)
      rc_stream_free (backend, stream);
    rc_backend_close (backend);
  }
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
  Job job;

  expect_refusal (rc_align_plan (backend, &spec, &plan, NULL, &error), RC_UNSUPPORTED, &error, "streams[0].channels is 268435456",
      &test);
  if (is_ok (job_start (&job, backend, &error), &error, &test)) {
    void *scratch = job.scratch;

    job.scratch = NULL;
    expect_refusal (job_step (&job, "launch", &error), RC_INVALID_ARGUMENT, &error, "scratch", &test);
    job.scratch = scratch;
  }
  job_end (&job);
  expect_job (backend, "afterwards", &test);
  return test_end (&test);
}

static int
check_fork (RcBackend *backend)
{
  Test test = { "backend_fork_is_named", "" };
  int result = -1;
  RcError error;
  pid_t child;
  Job job;

  if (is_ok (job_start (&job, backend, &error), &error, &test)) {
    fflush (stdout);
    child = fork ();
    if (child == 0) {
      RcBackend *other = NULL;

      if (device_open (0, 0, &other, &error) != RC_NO_DEVICE || strstr (error.message, "fork") == NULL)
        _exit (1);
      if (job_step (&job, "launch", &error) != RC_DEVICE_FAILED || strstr (error.message, "fork") == NULL)
        _exit (2);
      rc_align_plan_free (job.plan);
      rc_backend_close (backend);
      _exit (0);
    }
    waitpid (child, &result, 0);
    test_expect (&test, WIFEXITED (result) && WEXITSTATUS (result) == 0, "child ended with %x", result);
    is_ok (job_run (&job, &error), &error, &test);      /* the parent goes on */
    test_expect (&test, job_is_right (&job), "a wrong result");
  }
  job_end (&job);
  return test_end (&test);
}

/* Reads an address that is none: the device's context is broken from then on. */
static int
break_device (void)
{
  RcBackend *backend = NULL;
  Test test = { "backend_sticky_error", "" };
  RcError error;
  Job job;

  if (is_ok (device_open (0, 0, &backend, &error), &error, &test) && is_ok (job_start (&job, backend, &error), &error, &test)
      && is_ok (job_run (&job, &error), &error, &test)) {
    job.rows = (const void *) (uintptr_t) 0x10000;
    job_step (&job, "launch", &error);
    test_expect (&test, cudaStreamSynchronize (job.stream) != cudaSuccess, "nothing broke");
    expect_refusal (job_step (&job, "launch", &error), RC_DEVICE_FAILED, &error, "device 0 (|streams[0] has 2 rows", &test);
    printf ("the message: %s\n", error.message);
    expect_refusal (job_step (&job, "launch", &error), RC_DEVICE_FAILED, &error, "failed before", &test);
    test_expect (&test, rc_align_plan (backend, NULL, &job.plan, NULL, &error) != RC_OK, "a plan");
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
    test_expect (&test, device_open (0, 0, &backend, &error) == RC_NO_DEVICE, "it opened");
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
  if (device_open (0, 0, &backend, &error) != RC_OK) {
    test_skip ("backend_gpu", error.message);
    return error.status == RC_NO_DEVICE ? 0 : 1;
  }
  if (!find_driver ()) {
    printf ("FAIL backend_driver: no functions in libcuda.so.1\n");
    return 1;
  }
  cudaGetDeviceCount (&devices);
  failures += check_context (0, 0) + check_context (0, 1) + check_context (1, 0) + check_context (1, 1);
  failures += check_wrong_device (devices, "backend_device_past_the_last");
  failures += check_wrong_device (-1, "backend_device_minus_one");
  failures += check_second_device (backend, devices);
  failures += check_priorities ();
  failures += check_refusals (backend);
  failures += check_fork (backend);
  failures += check_broken (argv[0]);
  rc_backend_close (backend);
  return failures != 0;
}
