/* robocache: alignment on the CPU
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "cpu.h"

#include "kernels/floatmode.h"

#include <inttypes.h>

/* Rows that each blend reads, as indices into { row, next, before, after }. */
static const int rows_read[] = {
  [RC_BLEND_NONE] = 0,
  [RC_BLEND_COPY] = 1,
  [RC_BLEND_LINEAR] = 2,
  [RC_BLEND_CUBIC] = 4,
  [RC_BLEND_HERMITE] = 2,
  [RC_BLEND_MEAN] = 1,
  [RC_BLEND_LOWPASS] = 1,
};

/* Only ticks without rows are missing, and sums whose rows are scattered. */
static int
is_status (const RcBracket *b)
{
  if (rc_bracket_is_sum (b))
    return (uint32_t) b->status <= RC_MISSING;
  return b->blend == RC_BLEND_NONE ? b->status == RC_MISSING : (uint32_t) b->status < RC_MISSING;
}

/* Apart from its caller, so that no operation leaves the float mode in between. */
static __attribute__ ((noinline)) int
has_lobes (const RcBracket *b)
{
  return b->c[0] > 0.0 && b->c[0] * (double) b->after < RC_MAX_LOBES + 1;
}

/* Whether the numbers of a lowpass are those of a filter that ends beside its rows. */
static int
is_filter (const RcBracket *b, const int64_t *times)
{
  const RcFloatMode mode = rc_float_mode_enter ();
  const int has = has_lobes (b);

  rc_float_mode_leave (mode);
  if (times == NULL || b->after < 1 || !has)
    return 0;
  return times[b->row] >= rc_subtract_saturating (b->before, b->after)
      && times[b->next - 1] <= rc_add_saturating (b->before, b->after);
}

static int
is_bracket (const RcBracket *b, RcInterpolation interpolation, const int64_t *times, int64_t n_rows)
{
  const int64_t rows[4] = { b->row, b->next, b->before, b->after };
  int i;

  if ((uint32_t) b->blend > RC_BLEND_LOWPASS || !is_status (b))
    return 0;
  for (i = 0; i < rows_read[b->blend]; i++) {
    if (rows[i] < 0 || rows[i] >= n_rows)
      return 0;
  }
  if (b->blend != RC_BLEND_NONE && (b->hold < 0 || b->hold >= n_rows))
    return 0;
  if (rc_bracket_is_sum (b) && (b->next <= b->row || b->next > n_rows))
    return 0;
  return b->blend != RC_BLEND_LOWPASS || (interpolation == RC_LOWPASS && is_filter (b, times));
}

/* A bracket may come from anywhere: reading outside the rows would not even be seen. */
static RcStatus
check_brackets (const RcAlignStream *spec, const RcAlignStreamArgs *args, int64_t ticks, int64_t stream, RcError *error)
{
  int64_t k;

  for (k = 0; k < ticks; k++) {
    const RcBracket *b = &args->brackets[k];

    if (!is_bracket (b, spec->search.interpolation, args->times, args->n_rows))
      return rc_error_set (error, RC_INVALID_ARGUMENT, "streams[%" PRId64 "].brackets[%" PRId64 "] is blend %" PRId32
          ", status %" PRId32 ", row %" PRId64 ", next %" PRId64 ", before %" PRId64 ", after %" PRId64 ", hold %" PRId64 "; "
          "expected a blend of at most %d, a status of at most %d, and %d only for no blend and for sums, rows below %" PRId64 ", "
          "and for a lowpass its tick in before, its half width in after, and times of its rows",
          stream, k, b->blend, b->status, b->row, b->next, b->before, b->after, b->hold, RC_BLEND_LOWPASS, RC_MISSING, RC_MISSING,
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
  rc_cpu_count (&counters->scattered, own.scattered);
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
      status = check_brackets (&plan->streams[i], &args->streams[i], args->ticks, i, error);
  }
  if (status != RC_OK)
    return status;
  for (i = 0; i < plan->n_streams; i++) {
    Run run = { kernels, &plan->streams[i], &args->streams[i], args };

    rc_cpu_for_each (plan->backend, align_episode, &run, args->batch);
  }
  return RC_OK;
}
