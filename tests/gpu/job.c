/* robocache: a small job that uses all of a device
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "job.h"

#define BYTES 1000

RcStatus
device_open (int device, int mapped, RcBackend **backend, RcError *error)
{
  const RcWhere where = { RC_BACKEND_CUDA, device, RC_CPU_BEST, mapped };

  memset (error, 0, sizeof (*error));
  return rc_backend_open (&where, backend, error);
}

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

RcStatus
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
  job->rows = job->data;        /* that come first */
  return status;
}

void
job_end (Job *job)
{
  if (job->stream != NULL)      /* a step that failed may have left work */
    rc_stream_synchronize (job->backend, job->stream, NULL);
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
  const RcAlignStreamArgs stream = {.rows = job->rows,.n_rows = 2,.row_stride = sizeof (job->data->rows[0]),
    .times = job->data->times,.out = job->data->out
  };
  const RcAlignArgs args = { &stream, 1, 1, &job->data->tick, 0, job->scratch };

  return rc_align_run (job->plan, &args, job->stream, error);
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

const JobStep job_steps[N_STEPS] = {
  {"copy", step_copy}, {"clear", step_clear}, {"event_record", step_record}, {"event_wait", step_wait}, {"launch", step_run},
  {"copy_rows", step_copy_rows}, {"copy_between", step_copy_between}, {"event_record", step_record},
  {"event_query", step_event_query}, {"event_synchronize", step_event_synchronize}, {"stream_synchronize", step_synchronize},
  {"alloc", step_alloc}, {"alloc_pinned", step_alloc_pinned}, {"stream", step_stream}, {"event", step_event}, {"plan", step_plan},
};

RcStatus
job_step (Job *job, const char *name, RcError *error)
{
  int i = 0;

  while (strcmp (job_steps[i].name, name) != 0)
    i++;
  return job_steps[i].step (job, error);
}

RcStatus
job_run (Job *job, RcError *error)
{
  RcStatus status = RC_OK;
  int i;

  for (i = 0; i < N_RUN_STEPS && status == RC_OK; i++)
    status = job_steps[i].step (job, error);
  return status;
}

/* Linear between 1 and 2, and the quaternion that both rows have. */
int
job_is_right (const Job *job)
{
  const float *out = job->host->out;

  return out[0] == 1.5f && out[1] == 0 && out[2] == 0 && out[3] == 0 && out[4] == 1;
}

void
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
