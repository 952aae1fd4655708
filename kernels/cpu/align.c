/* robocache: alignment on the CPU
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "cpu.h"

#include <inttypes.h>

/* Rows that each blend reads, as indices into { row, next, before, after }. */
static const int rows_read[] = {
  [RC_BLEND_NONE] = 0,
  [RC_BLEND_COPY] = 1,
  [RC_BLEND_LINEAR] = 2,
  [RC_BLEND_CUBIC] = 4,
  [RC_BLEND_HERMITE] = 2,
  [RC_BLEND_MEAN] = 1,
};

static int
is_bracket (const RcBracket *b, int64_t n_rows)
{
  const int64_t rows[4] = { b->row, b->next, b->before, b->after };
  int i;

  if ((uint32_t) b->blend > RC_BLEND_MEAN || (uint32_t) b->status > RC_MISSING
      || (b->blend == RC_BLEND_NONE) != (b->status == RC_MISSING))
    return 0;
  for (i = 0; i < rows_read[b->blend]; i++) {
    if (rows[i] < 0 || rows[i] >= n_rows)
      return 0;
  }
  return b->blend != RC_BLEND_MEAN || (b->next > b->row && b->next <= n_rows);
}

/* A bracket may come from anywhere: reading outside the rows would not even be seen. */
static RcStatus
check_brackets (const RcAlignStreamArgs *args, int64_t ticks, int64_t stream, RcError *error)
{
  int64_t k;

  for (k = 0; k < ticks; k++) {
    const RcBracket *b = &args->brackets[k];

    if (!is_bracket (b, args->n_rows))
      return rc_error_set (error, RC_INVALID_ARGUMENT, "streams[%" PRId64 "].brackets[%" PRId64 "] is blend %" PRId32
          ", status %" PRId32 ", row %" PRId64 ", next %" PRId64 ", before %" PRId64 ", after %" PRId64 "; expected a "
          "blend up to %d, a status up to %d that is %d for no blend only, and rows of the %" PRId64 " there are",
          stream, k, b->blend, b->status, b->row, b->next, b->before, b->after, RC_BLEND_MEAN, RC_MISSING, RC_MISSING,
          args->n_rows);
  }
  return RC_OK;
}

/* One stream of a run. */
typedef struct
{
  const RcCpuKernels *kernels;
  const RcAlignStream *stream;
  const RcAlignStreamArgs *rows;
  const RcAlignArgs *args;
} Run;

static void
align_episode (void *data, int64_t i)
{
  const Run *run = data;
  RcAlignCounters *counters = run->rows->counters, own = { 0 };

  run->kernels->align_episode (run->stream, run->rows, run->args, i, &own);
  if (counters == NULL)
    return;
  rc_cpu_count (&counters->aligned, own.aligned);
  rc_cpu_count (&counters->held, own.held);
  rc_cpu_count (&counters->missing, own.missing);
  rc_cpu_count (&counters->disordered_episodes, own.disordered_episodes);
}

RcStatus
rc_cpu_align_run (RcAlignPlan *plan, const RcAlignArgs *args, RcStream stream, RcError *error)
{
  const RcCpuKernels *kernels = ((const RcCpuBackend *) plan->backend)->kernels;
  RcStatus status = RC_OK;
  int64_t i;

  if (stream != NULL)
    return rc_error_set (error, RC_INVALID_ARGUMENT, "stream is %p; expected NULL, the CPU has no streams", stream);
  for (i = 0; i < plan->n_streams && status == RC_OK; i++) {
    if (args->batch > 0 && args->streams[i].rows != NULL && args->streams[i].brackets != NULL)
      status = check_brackets (&args->streams[i], args->ticks, i, error);
  }
  if (status != RC_OK)
    return status;
  for (i = 0; i < plan->n_streams; i++) {
    Run run = { kernels, &plan->streams[i], &args->streams[i], args };

    rc_cpu_for_each (plan->backend, align_episode, &run, args->batch);
  }
  return RC_OK;
}
