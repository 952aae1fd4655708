/* robocache: a GPU on which a call fails, at any time: nothing breaks, and the message says what
 *
 *   faults           the tests: it starts itself again under faulty/libcuda.so.1, which lies beside it
 *   faults --faulty  the tests, under it
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#define _GNU_SOURCE
#include <cuda.h>
#include <libgen.h>
#include <limits.h>
#include <link.h>
#include <stdlib.h>
#include <unistd.h>

#include "faultydriver.h"
#include "job.h"

/* ---- one call that fails ---- */

typedef struct
{
  const char *name;             /* of a step of a job */
  const char *functions;        /* of which it calls one, at least */
  const char *call, *shape;     /* in the message */
  int names_stream;
} Step;

#define COPIES "cuMemcpyAsync|cuMemcpyHtoDAsync|cuMemcpyDtoHAsync|cuMemcpyDtoDAsync"
#define COPIES_2D "cuMemcpy2DAsync|cuMemcpy2DUnaligned|cuMemcpy3DAsync|cuMemcpyAsync"
#define COPIES_PEER "cuMemcpyPeerAsync|cuMemcpy3DPeerAsync|" COPIES
#define CLEARS "cuMemsetD8Async|cuMemsetD16Async|cuMemsetD32Async|cuMemsetD2D8Async|cuMemsetD2D16Async" \
    "|cuMemsetD2D32Async"
#define LAUNCHES "cuLaunchKernel|cuLaunchKernelEx"
#define ALLOCS "cuMemAllocFromPoolAsync|cuMemAlloc"
#define PINNED_ALLOCS "cuMemHostAlloc|cuMemAllocHost"
#define STREAMS "cuStreamCreate|cuStreamCreateWithPriority"

/* With its device broken. */
static const Step device_steps[] = {
  {"launch", LAUNCHES, "launch of the alignment", "streams[0] has 2 rows", 1},
  {"copy", COPIES, "cudaMemcpyAsync", " bytes", 1},
  {"copy_rows", COPIES_2D, "cudaMemcpy2DAsync", "2 rows of 15 bytes", 1},
  {"copy_between", COPIES_PEER, "cudaMemcpyPeerAsync", "64 bytes from device 0", 1},
  {"clear", CLEARS, "cudaMemsetAsync", "32 bytes", 1},
  {"event_record", "cuEventRecord|cuEventRecordWithFlags", "cudaEventRecord", "an event", 1},
  {"event_wait", "cuStreamWaitEvent", "cudaStreamWaitEvent", "an event", 1},
  {"event_query", "cuEventQuery", "cudaEventQuery", "work before it", 0},
  {"event_synchronize", "cuEventSynchronize", "cudaEventSynchronize", "work before it", 0},
  {"stream_synchronize", "cuStreamSynchronize", "cudaStreamSynchronize", "all work before", 1},
  {"alloc", ALLOCS, "cudaMalloc", "1000 bytes", 1},
  {"alloc_pinned", PINNED_ALLOCS, "cudaHostAlloc", "1000 bytes", 1},
  {"plan", ALLOCS, "cudaMalloc", " bytes", 1},
};

/* With too little memory. */
static const Step space_steps[] = {
  {"alloc", ALLOCS, "cudaMalloc", "1000 bytes needed, ", 0},
  {"alloc_pinned", PINNED_ALLOCS, "cudaHostAlloc", "free in the memory of the host", 0},
  {"plan", ALLOCS, "cudaMalloc", " bytes needed, ", 0},
  {"stream", STREAMS, "cudaStreamCreateWithPriority", "a new stream", 0},
  {"event", "cuEventCreate", "cudaEventCreateWithFlags", "a new event", 0},
  {"launch", LAUNCHES, "launch of the alignment", "streams[0] has 2 rows", 1},
};

static const Step mapped_alloc = { "alloc", PINNED_ALLOCS, "cudaHostAlloc", "1000 bytes needed, ", 0 };

static void
expect_message (const Step *step, const RcError *error, Test *test)
{
  test_expect (test, strstr (error->message, step->call) != NULL, "%s; expected %s", error->message, step->call);
  test_expect (test, strstr (error->message, " on device 0 (") != NULL, "%s", error->message);
  test_expect (test, strstr (error->message, step->shape) != NULL, "%s; expected %s", error->message, step->shape);
  test_expect (test, !step->names_stream || strstr (error->message, "stream 0x") != NULL, "%s", error->message);
}

/* Takes a job to where the step can be done, and fails it. */
static void
fail_step (const Step *step, Job *job, RcBackend *backend, CUresult result, RcStatus expected, Test *test)
{
  RcError error;
  RcStatus status;
  int calls;

  if (job_start (job, backend, &error) != RC_OK || job_run (job, &error) != RC_OK) {
    test_fail (test, "before it: %s", error.message);
    return;
  }
  calls = faulty.calls (step->functions);
  test_expect (test, faulty.arm (step->functions, 1, (int) result), "one of %s cannot fail", step->functions);
  status = job_step (job, step->name, &error);
  faulty.disarm ();
  test_expect (test, faulty.calls (step->functions) > calls, "none of %s was called", step->functions);
  test_expect (test, status == expected, "status %d; expected %d: %s", (int) status, (int) expected, error.message);
  if (test_holds (test))
    expect_message (step, &error, test);
  printf ("the message: %s\n", error.message);
}

/* How calls fail, and what the backend makes of that. */
static const struct
{
  const char *name;
  CUresult result;
  RcStatus status;
  int mapped;
} kinds[] = {
  {"device", CUDA_ERROR_LAUNCH_FAILED, RC_DEVICE_FAILED, 0},
  {"space", CUDA_ERROR_OUT_OF_MEMORY, RC_NO_SPACE, 0},
  {"space_mapped", CUDA_ERROR_OUT_OF_MEMORY, RC_NO_SPACE, 1},
  {"refused", CUDA_ERROR_INVALID_VALUE, RC_INVALID_ARGUMENT, 0},
  {"once", CUDA_ERROR_OPERATING_SYSTEM, RC_CALL_FAILED, 0},
  {"wait", CUDA_ERROR_OPERATING_SYSTEM, RC_DEVICE_FAILED, 0},
};

enum
{
  DEVICE,
  SPACE,
  SPACE_MAPPED,
  REFUSED,
  ONCE,
  WAIT
};

/* Every later call says that the device has failed. */
static void
expect_failed_device (Job *job, Test *test)
{
  RcError error;
  size_t i;

  for (i = 0; i < N_STEPS && test_holds (test); i++) {
    memset (&error, 0, sizeof (error));
    test_expect (test, job_steps[i].step (job, &error) == RC_DEVICE_FAILED && strstr (error.message, "failed before") != NULL,
        "later %s: %s", job_steps[i].name, error.message);
  }
}

/* After a device that failed another backend knows nothing of that; after others the same job goes on. */
static int
check_step (const Step *step, int kind, RcBackend *keeper)
{
  Test test = test_begin ("faults_%s_%s", kinds[kind].name, step->name);
  RcBackend *backend = NULL;
  RcError error;
  Job job;

  if (device_open (0, kinds[kind].mapped, &backend, &error) != RC_OK) {
    test_fail (&test, "%s", error.message);
    return test_end (&test);
  }
  fail_step (step, &job, backend, kinds[kind].result, kinds[kind].status, &test);
  if (kind == DEVICE || kind == WAIT) {
    expect_failed_device (&job, &test);
  } else {
    if (test_holds (&test) && job_run (&job, &error) != RC_OK)
      test_fail (&test, "the same job afterwards: %s", error.message);
    test_expect (&test, !test_holds (&test) || job_is_right (&job), "a wrong result");
    expect_job (backend, "another job afterwards", &test);
  }
  job_end (&job);
  rc_backend_close (backend);
  expect_job (keeper, "another backend", &test);
  return test_end (&test);
}

/* A call fails for a reason that is not known, and the device does not answer. */
static int
check_lost (RcBackend *keeper)
{
  Test test = test_begin ("faults_no_answer");
  RcBackend *backend = NULL;
  Job job = { 0 };
  RcError error;

  if (device_open (0, 0, &backend, &error) != RC_OK || job_start (&job, backend, &error) != RC_OK) {
    test_fail (&test, "%s", error.message);
  } else {
    test_expect (&test, faulty.arm (LAUNCHES, 1, CUDA_ERROR_OPERATING_SYSTEM) && faulty.arm ("cuStreamQuery", -1,
            CUDA_ERROR_OPERATING_SYSTEM), "a call cannot fail");
    test_expect (&test, job_step (&job, "launch", &error) == RC_DEVICE_FAILED, "%s", error.message);
    faulty.disarm ();
    expect_failed_device (&job, &test);
    job_end (&job);
  }
  rc_backend_close (backend);
  expect_job (keeper, "another backend", &test);
  return test_end (&test);
}

/* The third of four. */
static int
check_nth_allocation (RcBackend *backend)
{
  Test test = { "faults_third_allocation", "" };
  Job job = {.backend = backend };
  RcError error;
  int i;

  test_expect (&test, faulty.arm (ALLOCS, 3, CUDA_ERROR_OUT_OF_MEMORY), "no allocation can fail");
  for (i = 1; i <= 4; i++) {
    const RcStatus status = job_step (&job, "alloc", &error);

    test_expect (&test, status == (i == 3 ? RC_NO_SPACE : RC_OK), "allocation %d: status %d", i, (int) status);
  }
  faulty.disarm ();
  expect_job (backend, "afterwards", &test);
  return test_end (&test);
}

static int
check_open (const char *functions, const char *name)
{
  Test test = test_begin ("%s", name);
  RcBackend *backend = NULL;
  RcStatus status;
  RcError error;
  const int calls = faulty.calls (functions);

  test_expect (&test, faulty.arm (functions, 1, CUDA_ERROR_OUT_OF_MEMORY), "one of %s cannot fail", functions);
  status = device_open (0, 0, &backend, &error);
  faulty.disarm ();
  test_expect (&test, faulty.calls (functions) > calls, "none of %s was called", functions);
  test_expect (&test, status == RC_NO_SPACE && backend == NULL, "status %d: %s", (int) status, error.message);
  test_expect (&test, strstr (error.message, "device 0 (") != NULL, "%s", error.message);
  test_expect (&test, device_open (0, 0, &backend, &error) == RC_OK, "%s", error.message);
  if (backend != NULL)
    expect_job (backend, "afterwards", &test);
  rc_backend_close (backend);
  return test_end (&test);
}

/* ---- every call of every function ---- */

/* FALSE: the fault was not reached. */
static int
try_fault (const char *name, int nth, CUresult result, RcBackend *keeper, Test *test)
{
  const int calls = faulty.calls (name);
  RcBackend *backend = NULL;
  int reached;
  RcStatus status;
  RcError error;
  Job job;

  faulty.arm (name, nth, (int) result);
  status = device_open (0, 0, &backend, &error);
  if (status == RC_OK) {
    status = job_start (&job, backend, &error);
    if (status == RC_OK)
      status = job_run (&job, &error);
    if (status == RC_OK)
      test_expect (test, job_is_right (&job), "%s, call %d, result %d: a wrong result", name, nth, (int) result);
    job_end (&job);
  }
  if (status != RC_OK)
    test_expect (test, error.status == status && error.message[0] != '\0', "%s, call %d: no message", name, nth);
  rc_backend_close (backend);
  reached = faulty.calls (name) - calls >= nth;
  faulty.disarm ();
  expect_job (keeper, name, test);
  return reached;
}

/* Whichever call it is, and whatever it returns: the result is right or there is an error, and the device goes on. */
static int
check_every_call (CUresult result, const char *name, RcBackend *keeper)
{
  Test test = test_begin ("%s", name);
  int i, n, tried = 0;

  for (i = 0; faulty.name (i) != NULL && test_holds (&test); i++) {
    for (n = 1; n < 100 && test_holds (&test) && try_fault (faulty.name (i), n, result, keeper, &test); n++)
      tried++;
  }
  printf ("%d calls failed\n", tried);
  test_expect (&test, tried >= 20, "only %d calls were reached", tried);
  return test_end (&test);
}

static int
check_all (void)
{
  RcBackend *keeper = NULL;     /* so that the device's context stays */
  int failures = 0;
  RcError error;
  size_t i;

  if (!find_faulty ()) {
    printf ("FAIL faults_driver: libcuda.so.1 is not the one that fails\n");
    return 1;
  }
  if (device_open (0, 0, &keeper, &error) != RC_OK) {
    printf ("FAIL faults_open: %s\n", error.message);
    return 1;
  }
  for (i = 0; i < COUNT (device_steps); i++)
    failures += check_step (&device_steps[i], DEVICE, keeper);
  for (i = 0; i < COUNT (space_steps); i++)
    failures += check_step (&space_steps[i], SPACE, keeper);
  failures += check_step (&mapped_alloc, SPACE_MAPPED, keeper);
  failures += check_step (&device_steps[0], REFUSED, keeper);
  for (i = 0; i < COUNT (device_steps); i++)
    failures += check_step (&device_steps[i], strstr (device_steps[i].name, "synchronize") ? WAIT : ONCE, keeper);
  failures += check_lost (keeper);
  failures += check_nth_allocation (keeper);
  failures += check_open ("cuDevicePrimaryCtxRetain", "faults_open_context");
  failures += check_open (STREAMS, "faults_open_stream");
  failures += check_open ("cuMemPoolCreate", "faults_open_pool");
  failures += check_every_call (CUDA_ERROR_OUT_OF_MEMORY, "faults_every_call_no_space", keeper);
  failures += check_every_call (CUDA_ERROR_LAUNCH_FAILED, "faults_every_call_launch_failed", keeper);
  failures += check_every_call (CUDA_ERROR_INVALID_VALUE, "faults_every_call_refused", keeper);
  rc_backend_close (keeper);
  return failures != 0;
}

/* Does not return, unless it cannot. */
static int
start_again (void)
{
  char program[PATH_MAX] = "", directory[PATH_MAX], library[PATH_MAX + 32], search[2 * PATH_MAX];
  char *own[] = { program, "--faulty", NULL };
  const char *before = getenv ("LD_LIBRARY_PATH");
  struct link_map *real = NULL;
  void *driver = dlopen ("libcuda.so.1", RTLD_NOW);

  if (readlink ("/proc/self/exe", program, sizeof (program) - 1) < 0 || driver == NULL
      || dlinfo (driver, RTLD_DI_LINKMAP, &real) != 0) {
    printf ("FAIL faults_start: neither the program nor the driver tells where it is\n");
    return 1;
  }
  snprintf (directory, sizeof (directory), "%s", program);
  snprintf (library, sizeof (library), "%s/faulty", dirname (directory));
  setenv ("ROBOCACHE_REAL_DRIVER", real->l_name, 1);
  snprintf (search, sizeof (search), "%s:%s", library, before != NULL ? before : "");
  setenv ("LD_LIBRARY_PATH", search, 1);
  strcat (library, "/libcuda.so.1");
  if (access (library, R_OK) != 0) {
    printf ("FAIL faults_start: there is no %s\n", library);
    return 1;
  }
  fflush (stdout);
  execv (program, own);
  printf ("FAIL faults_start: %s does not start\n", program);
  return 1;
}

int
main (int argc, char **argv)
{
  RcBackend *backend = NULL;
  RcError error;

  if (argc == 2 && strcmp (argv[1], "--faulty") == 0)
    return check_all ();
  if (device_open (0, 0, &backend, &error) != RC_OK) {
    test_skip ("faults_gpu", error.message);
    return error.status != RC_NO_DEVICE;
  }
  rc_backend_close (backend);
  return start_again ();
}
