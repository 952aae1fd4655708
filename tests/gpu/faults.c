/* robocache: a GPU on which a call fails, at any time: nothing breaks, and the message says what
 *
 *   faults           the tests: it starts itself again under faulty/libcuda.so.1, which lies beside it
 *   faults --faulty  the tests, under it
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#define _GNU_SOURCE
#include <cuda.h>
#include <dlfcn.h>
#include <inttypes.h>
#include <libgen.h>
#include <limits.h>
#include <link.h>
#include <stdlib.h>
#include <unistd.h>

#include "kernels/align.h"
#include "kernels/memory.h"
#include "tests/kernels/report.h"

#define BYTES 1000

/* Of the driver that fails. */
static struct
{
  int (*arm) (const char *name, int nth, int result);
  int (*calls) (const char *name);
  const char *(*name) (int number);
} faulty;

static int
find_faulty (void)
{
  void *library = dlopen ("libcuda.so.1", RTLD_NOW);

  if (library == NULL)
    return 0;
  faulty.arm = (int (*) (const char *, int, int)) dlsym (library, "robocache_fault_arm");
  faulty.calls = (int (*) (const char *)) dlsym (library, "robocache_fault_calls");
  faulty.name = (const char *(*) (int)) dlsym (library, "robocache_fault_name");
  return faulty.arm != NULL && faulty.calls != NULL && faulty.name != NULL;
}

/* Of "a|b|c", all together. */
static int
calls_of (const char *names)
{
  char copy[512], *rest = copy, *name;
  int calls = 0;

  snprintf (copy, sizeof (copy), "%s", names);
  while ((name = strsep (&rest, "|")) != NULL)
    calls += faulty.calls (name);
  return calls;
}

/* Whichever is called: each fails at its nth call. Returns how often all of them were called before. */
static int
arm_any (const char *names, int nth, CUresult result, Test *test)
{
  char copy[512], *rest = copy, *name;

  snprintf (copy, sizeof (copy), "%s", names);
  while ((name = strsep (&rest, "|")) != NULL)
    test_expect (test, faulty.arm (name, nth, (int) result), "%s cannot fail", name);
  return calls_of (names);
}

static void
disarm_all (void)
{
  int i;

  for (i = 0; faulty.name (i) != NULL; i++)
    faulty.arm (faulty.name (i), 0, 0);
}

static RcStatus
open_device (int mapped, RcBackend **backend, RcError *error)
{
  const RcWhere where = { RC_BACKEND_CUDA, 0, RC_CPU_BEST, mapped };

  memset (error, 0, sizeof (*error));
  return rc_backend_open (&where, backend, error);
}

/* ---- a job that uses all of a device ---- */

/* Five channels, four of which are a quaternion; two rows and the tick between them. */
#define CHANNELS 5

typedef struct
{
  float rows[2][CHANNELS];
  float out[CHANNELS + 3];
  int64_t times[2], tick;
} Data;

typedef struct
{
  RcBackend *backend;
  RcStream stream;
  RcEvent event;
  RcAlignPlan *plan;
  Data *data;                   /* on the device */
  Data *host;                   /* pinned */
  void *scratch, *copied;
  uint64_t scratch_bytes;
  RcAlignStreamArgs stream_args;
  RcAlignArgs args;
} Job;

static RcStatus
job_plan (Job *job, RcError *error)
{
  static const int32_t quaternion = 1;
  const RcAlignStreamSpec stream = { RC_FLOAT32, RC_FLOAT32, CHANNELS, {RC_LINEAR, -1, 0, 0}, &quaternion, 1, NULL, 0,
    NULL, 0
  };
  const RcAlignSpec spec = { &stream, 1 };
  RcFootprint footprint = { 0, 0 };
  const RcStatus status = rc_align_plan (job->backend, &spec, &job->plan, &footprint, error);

  job->scratch_bytes = footprint.scratch_bytes;
  return status;
}

static RcStatus
job_alloc (Job *job, RcError *error)
{
  RcStatus status = rc_memory_alloc (job->backend, RC_MEMORY_DEVICE, sizeof (Data), (void **) &job->data, error);

  if (status == RC_OK)
    status = rc_memory_alloc (job->backend, RC_MEMORY_PINNED, sizeof (Data), (void **) &job->host, error);
  if (status == RC_OK)
    status = rc_memory_alloc (job->backend, RC_MEMORY_DEVICE, job->scratch_bytes, &job->scratch, error);
  if (status == RC_OK)
    status = rc_memory_alloc (job->backend, RC_MEMORY_DEVICE, BYTES, &job->copied, error);
  return status;
}

static RcStatus
job_start (Job *job, RcBackend *backend, RcError *error)
{
  RcMemoryInfo info;
  RcStatus status;

  memset (job, 0, sizeof (*job));
  memset (error, 0, sizeof (*error));
  job->backend = backend;
  status = rc_memory_info (backend, &info, error);
  if (status == RC_OK)
    status = rc_stream_new (backend, &job->stream, error);
  if (status == RC_OK)
    status = rc_event_new (backend, &job->event, error);
  if (status == RC_OK)
    status = job_plan (job, error);
  if (status == RC_OK)
    status = job_alloc (job, error);
  return status;
}

static void
job_end (Job *job)
{
  rc_align_plan_free (job->plan);
  rc_memory_free (job->backend, RC_MEMORY_DEVICE, job->data);
  rc_memory_free (job->backend, RC_MEMORY_DEVICE, job->scratch);
  rc_memory_free (job->backend, RC_MEMORY_DEVICE, job->copied);
  rc_memory_free (job->backend, RC_MEMORY_PINNED, job->host);
  rc_event_free (job->backend, job->event);
  rc_stream_free (job->backend, job->stream);
}

static RcStatus
step_copy (Job *job, RcError *error)
{
  const RcMemoryCopy copy = {.to = job->data,.from = job->host,.row_bytes = sizeof (Data),.rows = 1 };
  const Data data = { {{1, 0, 0, 0, 1}, {2, 0, 0, 0, 1}}, {0}, {0, 100}, 50 };

  *job->host = data;
  return rc_memory_copy (job->backend, &copy, job->stream, error);
}

#define STEP(name, call) \
static RcStatus \
step_##name (Job *job, RcError *error) \
{ \
  return call; \
}
STEP (clear, rc_memory_clear (job->backend, job->data->out, sizeof (job->data->out), job->stream, error))
STEP (record, rc_event_record (job->backend, job->event, job->stream, error))
STEP (wait, rc_event_wait (job->backend, job->event, job->stream, error))
STEP (copy_between, rc_memory_copy_between (job->backend, job->copied, job->backend, job->data, 64, job->stream, error))
STEP (event_synchronize, rc_event_synchronize (job->backend, job->event, error))
STEP (synchronize, rc_stream_synchronize (job->backend, job->stream, error))

static RcStatus
step_run (Job *job, RcError *error)
{
  memset (&job->stream_args, 0, sizeof (job->stream_args));
  job->stream_args.rows = job->data->rows;
  job->stream_args.n_rows = 2;
  job->stream_args.row_stride = sizeof (job->data->rows[0]);
  job->stream_args.times = job->data->times;
  job->stream_args.out = job->data->out;
  job->args = (RcAlignArgs) { &job->stream_args, 1, 1, &job->data->tick, 0, job->scratch };
  return rc_align_run (job->plan, &job->args, job->stream, error);
}

/* Two rows of the result, which are all of it. */
static RcStatus
step_copy_rows (Job *job, RcError *error)
{
  const RcMemoryCopy copy = {.to = job->host->out,.from = job->data->out,.to_stride = 16,.from_stride = 16,
    .row_bytes = 15,.rows = 2
  };

  memset (job->host->out, 0, sizeof (job->host->out));
  return rc_memory_copy (job->backend, &copy, job->stream, error);
}

static RcStatus
step_event_query (Job *job, RcError *error)
{
  int is_done;

  return rc_event_query (job->backend, job->event, &is_done, error);
}

/* Makes and frees what is made at the start of a job. */
#define STEP_OF_NEW(name, type, make, release) \
static RcStatus \
step_##name (Job *job, RcError *error) \
{ \
  type made; \
  const RcStatus status = make; \
\
  release; \
  return status; \
}
STEP_OF_NEW (alloc, void *, rc_memory_alloc (job->backend, RC_MEMORY_DEVICE, BYTES, &made, error),
    rc_memory_free (job->backend, RC_MEMORY_DEVICE, made))
STEP_OF_NEW (alloc_pinned, void *, rc_memory_alloc (job->backend, RC_MEMORY_PINNED, BYTES, &made, error),
    rc_memory_free (job->backend, RC_MEMORY_PINNED, made))
STEP_OF_NEW (stream, RcStream, rc_stream_new (job->backend, &made, error), rc_stream_free (job->backend, made))
STEP_OF_NEW (event, RcEvent, rc_event_new (job->backend, &made, error), rc_event_free (job->backend, made))

static RcStatus
step_plan (Job *job, RcError *error)
{
  Job other = {.backend = job->backend };
  const RcStatus status = job_plan (&other, error);

  rc_align_plan_free (other.plan);
  return status;
}

static RcStatus
job_run (Job *job, RcError *error)
{
  static RcStatus (*const steps[]) (Job * job, RcError * error) = {
    step_copy, step_clear, step_record, step_wait, step_run, step_copy_rows, step_copy_between, step_record,
    step_event_synchronize, step_synchronize
  };
  RcStatus status = RC_OK;
  size_t i;

  for (i = 0; i < COUNT (steps) && status == RC_OK; i++)
    status = steps[i] (job, error);
  return status;
}

/* Linear between 1 and 2, and the quaternion that both rows have. */
static int
job_is_right (const Job *job)
{
  const float *out = job->host->out;

  return out[0] == 1.5f && out[1] == 0 && out[2] == 0 && out[3] == 0 && out[4] == 1;
}

static void
expect_job (RcBackend *backend, const char *when, Test *test)
{
  RcError error;
  Job job;

  if (job_start (&job, backend, &error) != RC_OK || job_run (&job, &error) != RC_OK)
    test_fail (test, "%s: %s", when, error.message);
  else
    test_expect (test, job_is_right (&job), "%s: got %g %g", when, job.host->out[0], job.host->out[4]);
  job_end (&job);
}

/* ---- one call that fails ---- */

typedef struct
{
  const char *name;
  const char *functions;        /* of which the step calls one, at least */
  RcStatus (*step) (Job * job, RcError * error);
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
  {"launch", LAUNCHES, step_run, "launch of the alignment", "streams[0] has 2 rows", 1},
  {"copy", COPIES, step_copy, "cudaMemcpyAsync", " bytes", 1},
  {"copy_rows", COPIES_2D, step_copy_rows, "cudaMemcpy2DAsync", "2 rows of 15 bytes", 1},
  {"copy_between", COPIES_PEER, step_copy_between, "cudaMemcpyPeerAsync", "64 bytes from device 0", 1},
  {"clear", CLEARS, step_clear, "cudaMemsetAsync", "32 bytes", 1},
  {"event_record", "cuEventRecord|cuEventRecordWithFlags", step_record, "cudaEventRecord", "an event", 1},
  {"event_wait", "cuStreamWaitEvent", step_wait, "cudaStreamWaitEvent", "an event", 1},
  {"event_query", "cuEventQuery", step_event_query, "cudaEventQuery", "work before it", 0},
  {"event_synchronize", "cuEventSynchronize", step_event_synchronize, "cudaEventSynchronize", "work before it", 0},
  {"stream_synchronize", "cuStreamSynchronize", step_synchronize, "cudaStreamSynchronize", "all work before", 1},
  {"alloc", ALLOCS, step_alloc, "cudaMalloc", "1000 bytes", 1},
  {"alloc_pinned", PINNED_ALLOCS, step_alloc_pinned, "cudaHostAlloc", "1000 bytes", 1},
  {"plan", "cuMemAlloc", step_plan, "cudaMalloc", "bytes of a plan", 1},
};

/* With too little memory, after which all goes on. */
static const Step space_steps[] = {
  {"alloc", ALLOCS, step_alloc, "cudaMalloc", "1000 bytes needed, ", 0},
  {"alloc_pinned", PINNED_ALLOCS, step_alloc_pinned, "cudaHostAlloc", "free in the memory of the host", 0},
  {"plan", "cuMemAlloc", step_plan, "cudaMalloc", "bytes of a plan", 0},
  {"stream", STREAMS, step_stream, "cudaStreamCreateWithFlags", "a new stream", 0},
  {"event", "cuEventCreate", step_event, "cudaEventCreateWithFlags", "a new event", 0},
  {"launch", LAUNCHES, step_run, "launch of the alignment", "streams[0] has 2 rows", 1},
};

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
  calls = arm_any (step->functions, 1, result, test);
  status = step->step (job, &error);
  disarm_all ();
  test_expect (test, calls_of (step->functions) > calls, "none of %s was called", step->functions);
  test_expect (test, status == expected, "status %d; expected %d: %s", (int) status, (int) expected, error.message);
  if (test_holds (test))
    expect_message (step, &error, test);
  printf ("the message: %s\n", error.message);
}

/* Every later call says that the device has failed; another backend knows nothing of that. */
static int
check_device_fails (const Step *step, RcBackend *keeper)
{
  static RcStatus (*const later[]) (Job * job, RcError * error) = {
    step_run, step_copy, step_copy_rows, step_copy_between, step_clear, step_record, step_wait, step_event_synchronize,
    step_synchronize, step_alloc, step_alloc_pinned, step_stream, step_event, step_plan
  };
  Test test = test_begin ("faults_device_%s", step->name);
  RcBackend *backend = NULL;
  RcError error;
  size_t i;
  Job job;

  if (open_device (0, &backend, &error) != RC_OK) {
    test_fail (&test, "%s", error.message);
    return test_end (&test);
  }
  fail_step (step, &job, backend, CUDA_ERROR_LAUNCH_FAILED, RC_DEVICE_FAILED, &test);
  for (i = 0; i < COUNT (later) && test_holds (&test); i++) {
    memset (&error, 0, sizeof (error));
    test_expect (&test, later[i] (&job, &error) == RC_DEVICE_FAILED, "later call %zu: %s", i, error.message);
    test_expect (&test, strstr (error.message, "failed before") != NULL, "later call %zu: %s", i, error.message);
  }
  job_end (&job);
  rc_backend_close (backend);
  expect_job (keeper, "another backend", &test);
  return test_end (&test);
}

static int
check_no_space (const Step *step, int mapped)
{
  Test test = test_begin ("faults_space_%s%s", step->name, mapped ? "_mapped" : "");
  RcBackend *backend = NULL;
  Step mapped_step = *step;
  RcError error;
  Job job;

  if (mapped) {
    mapped_step.functions = PINNED_ALLOCS;
    mapped_step.call = "cudaHostAlloc";
  }
  if (open_device (mapped, &backend, &error) != RC_OK) {
    test_fail (&test, "%s", error.message);
    return test_end (&test);
  }
  fail_step (&mapped_step, &job, backend, CUDA_ERROR_OUT_OF_MEMORY, RC_NO_SPACE, &test);
  if (test_holds (&test) && job_run (&job, &error) != RC_OK)
    test_fail (&test, "the same job afterwards: %s", error.message);
  job_end (&job);
  expect_job (backend, "another job afterwards", &test);
  rc_backend_close (backend);
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

  arm_any (ALLOCS, 3, CUDA_ERROR_OUT_OF_MEMORY, &test);
  for (i = 1; i <= 4; i++) {
    const RcStatus status = step_alloc (&job, &error);

    test_expect (&test, status == (i == 3 ? RC_NO_SPACE : RC_OK), "allocation %d: status %d", i, (int) status);
  }
  disarm_all ();
  expect_job (backend, "afterwards", &test);
  return test_end (&test);
}

/* A call that is refused says nothing of the device. */
static int
check_refused_launch (RcBackend *backend)
{
  Test test = { "faults_refused_launch", "" };
  RcError error;
  Job job;

  fail_step (&device_steps[0], &job, backend, CUDA_ERROR_INVALID_VALUE, RC_INVALID_ARGUMENT, &test);
  if (test_holds (&test) && job_run (&job, &error) != RC_OK)
    test_fail (&test, "the same job afterwards: %s", error.message);
  if (test_holds (&test))
    test_expect (&test, job_is_right (&job), "wrong result");
  job_end (&job);
  return test_end (&test);
}

static int
check_open (const char *functions, const char *name)
{
  Test test = test_begin ("%s", name);
  RcBackend *backend = NULL;
  RcStatus status;
  RcError error;
  int calls = arm_any (functions, 1, CUDA_ERROR_OUT_OF_MEMORY, &test);

  status = open_device (0, &backend, &error);
  disarm_all ();
  test_expect (&test, calls_of (functions) > calls, "none of %s was called", functions);
  test_expect (&test, status == RC_NO_SPACE && backend == NULL, "status %d: %s", (int) status, error.message);
  test_expect (&test, strstr (error.message, "device 0 (") != NULL, "%s", error.message);
  test_expect (&test, open_device (0, &backend, &error) == RC_OK, "%s", error.message);
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
  status = open_device (0, &backend, &error);
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
  disarm_all ();
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
  if (open_device (0, &keeper, &error) != RC_OK) {
    printf ("FAIL faults_open: %s\n", error.message);
    return 1;
  }
  for (i = 0; i < COUNT (device_steps); i++)
    failures += check_device_fails (&device_steps[i], keeper);
  for (i = 0; i < COUNT (space_steps); i++)
    failures += check_no_space (&space_steps[i], 0);
  failures += check_no_space (&space_steps[0], 1);
  failures += check_nth_allocation (keeper);
  failures += check_refused_launch (keeper);
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
  if (open_device (0, &backend, &error) != RC_OK) {
    test_skip ("faults_gpu", error.message);
    return error.status != RC_NO_DEVICE;
  }
  rc_backend_close (backend);
  return start_again ();
}
