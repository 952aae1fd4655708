/* robocache: what makes an alignment valid, whatever computes it
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "align_plan.h"
#include "backend_impl.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* "streams[0].row_stride is 4; expected …": an argument of a run */
static RcStatus
wrong (RcError *error, int64_t stream, const char *field, int64_t value, const char *expected, ...)
    __attribute__ ((format (printf, 5, 6)));

static RcStatus
wrong (RcError *error, int64_t stream, const char *field, int64_t value, const char *expected, ...)
{
  char text[256];
  va_list args;

  va_start (args, expected);
  vsnprintf (text, sizeof (text), expected, args);
  va_end (args);
  return rc_error_set (error, RC_INVALID_ARGUMENT, "streams[%" PRId64 "].%s is %" PRId64 "; expected %s", stream, field,
      value, text);
}

static RcStatus
is_null (RcError *error, int64_t stream, const char *field, const char *expected)
{
  return rc_error_set (error, RC_INVALID_ARGUMENT, "streams[%" PRId64 "].%s is NULL; expected %s", stream, field,
      expected);
}

/* ---- the spec ---- */

static RcWrongSetting
wrong_value (RcSetting setting, int64_t stream, int64_t value)
{
  RcWrongSetting wrong = rc_wrong (setting, "%" PRId64, value);

  wrong.stream = stream;
  return wrong;
}

/* index -1: of a list that was sorted. */
static RcWrongSetting
wrong_entry (RcSetting setting, int64_t stream, int64_t index, int32_t value)
{
  RcWrongSetting wrong = wrong_value (setting, stream, value);

  wrong.part = RC_PART_ENTRY;
  wrong.index = index;
  return wrong;
}

static RcWrongSetting
wrong_length (RcSetting setting, int64_t stream, int64_t n)
{
  RcWrongSetting wrong = wrong_value (setting, stream, n);

  wrong.part = RC_PART_LENGTH;
  return wrong;
}

static RcStatus
check_lowpass (const RcSearch *search, int64_t stream, RcError *error)
{
  RcWrongSetting cutoff = rc_wrong (RC_SETTING_CUTOFF, "%g", search->cutoff_hz);

  cutoff.stream = stream;
  if (!(search->cutoff_hz == 0.0 || (search->cutoff_hz >= RC_MIN_CUTOFF && search->cutoff_hz <= RC_MAX_CUTOFF)))
    return rc_error_set_wrong (error, RC_INVALID_ARGUMENT, cutoff, "0 (automatic) or %g to %g", RC_MIN_CUTOFF, RC_MAX_CUTOFF);
  if (search->lobes < RC_MIN_LOBES || search->lobes > RC_MAX_LOBES)
    return rc_error_set_wrong (error, RC_INVALID_ARGUMENT, wrong_value (RC_SETTING_LOBES, stream, search->lobes),
        "%d to %d", RC_MIN_LOBES, RC_MAX_LOBES);
  return RC_OK;
}

static RcStatus
check_search (const RcSearch *search, int64_t stream, RcError *error)
{
  if ((unsigned) search->interpolation > RC_LOWPASS)
    return rc_error_set_wrong (error, RC_INVALID_ARGUMENT, wrong_value (RC_SETTING_INTERPOLATION, stream, (int) search->interpolation),
        "%d (linear) to %d (lowpass)", RC_LINEAR,
        RC_LOWPASS);
  if (search->max_gap_ns < RC_GAP_AUTO)
    return rc_error_set_wrong (error, RC_INVALID_ARGUMENT, wrong_value (RC_SETTING_MAX_GAP, stream, search->max_gap_ns),
        "-2 (automatic), -1 (no limit) or more");
  if (search->hold_limit_ns < -1)
    return rc_error_set_wrong (error, RC_INVALID_ARGUMENT, wrong_value (RC_SETTING_HOLD_LIMIT, stream, search->hold_limit_ns),
        "-1 (hold forever) or more");
  if (search->period_ns < 0)
    return rc_error_set_wrong (error, RC_INVALID_ARGUMENT, wrong_value (RC_SETTING_PERIOD, stream, search->period_ns),
        "0 or more");
  return search->interpolation == RC_LOWPASS ? check_lowpass (search, stream, error) : RC_OK;
}

/* Each entry is the first of width channels that must lie in the row. */
static RcStatus
check_channels (RcSetting setting, const int32_t *list, int64_t n, int64_t width, int64_t channels, int64_t stream, RcError *error)
{
  if (n < 0 || n > channels)
    return rc_error_set_wrong (error, RC_INVALID_ARGUMENT, wrong_length (setting, stream, n),
        "0 to the %" PRId64 " channels", channels);
  if (n > 0 && list == NULL)
    return rc_error_set_wrong (error, RC_INVALID_ARGUMENT, wrong_length (setting, stream, n), "a list, not NULL");
  for (int64_t i = 0; i < n; i++) {
    if (list[i] >= 0 && list[i] <= channels - width)
      continue;
    if (channels < width)
      return rc_error_set_wrong (error, RC_INVALID_ARGUMENT, wrong_entry (setting, stream, i, list[i]),
          "no entry: a row has %" PRId64 " channels, fewer than %" PRId64, channels, width);
    return rc_error_set_wrong (error, RC_INVALID_ARGUMENT, wrong_entry (setting, stream, i, list[i]),
        "a channel from 0 to %" PRId64, channels - width);
  }
  return RC_OK;
}

static RcStatus
check_stream (const RcAlignStreamSpec *spec, int64_t stream, RcError *error)
{
  RcStatus status;

  if (rc_dtype_size (spec->in) == 0)
    return rc_error_set_wrong (error, RC_INVALID_ARGUMENT, wrong_value (RC_SETTING_IN, stream, (int) spec->in),
        "a dtype, 0 to %d", RC_N_DTYPES - 1);
  if (rc_dtype_size (spec->out) == 0)
    return rc_error_set_wrong (error, RC_INVALID_ARGUMENT, wrong_value (RC_SETTING_OUT, stream, (int) spec->out),
        "a dtype, 0 to %d", RC_N_DTYPES - 1);
  if (spec->channels < 1 || spec->channels > INT64_MAX / 8)
    return rc_error_set_wrong (error, RC_INVALID_ARGUMENT, wrong_value (RC_SETTING_CHANNELS, stream, spec->channels),
        "1 to %" PRId64, INT64_MAX / 8);
  status = check_search (&spec->search, stream, error);
  if (status == RC_OK)
    status = check_channels (RC_SETTING_QUATERNIONS, spec->quaternions, spec->n_quaternions, 4, spec->channels, stream, error);
  if (status == RC_OK)
    status = check_channels (RC_SETTING_ANGLES, spec->angles, spec->n_angles, 1, spec->channels, stream, error);
  if (status == RC_OK)
    status = check_channels (RC_SETTING_VELOCITIES, spec->velocities, spec->n_velocities, 1, spec->channels, stream, error);
  if (status == RC_OK)
    status = check_channels (RC_SETTING_HOLDS, spec->holds, spec->n_holds, 1, spec->channels, stream, error);
  return status;
}

static RcStatus
no_space (RcError *error, int64_t n, size_t size)
{
  return rc_error_set (error, RC_NO_SPACE, "no memory for a plan: %" PRId64 " entries of %zu bytes", n, size);
}

static int
compare_channels (const void *a, const void *b)
{
  const int32_t x = *(const int32_t *) a, y = *(const int32_t *) b;

  return (x > y) - (x < y);
}

/* A sorted copy; NULL and RC_OK for an empty list. */
static RcStatus
sorted_copy (const int32_t *list, int64_t n, int32_t **copy, RcError *error)
{
  if (n == 0)
    return RC_OK;
  *copy = calloc ((size_t) n, sizeof (**copy));
  if (*copy == NULL)
    return no_space (error, n, sizeof (**copy));
  memcpy (*copy, list, (size_t) n * sizeof (**copy));
  qsort (*copy, (size_t) n, sizeof (**copy), compare_channels);
  return RC_OK;
}

static RcStatus
copy_quaternions (RcAlignStream *out, const RcAlignStreamSpec *spec, int64_t stream, RcError *error)
{
  RcStatus status = sorted_copy (spec->quaternions, spec->n_quaternions, &out->quaternions, error);
  int64_t i;

  if (status != RC_OK)
    return status;
  out->n_quaternions = spec->n_quaternions;
  for (i = 1; i < out->n_quaternions; i++) {
    if (out->quaternions[i] - out->quaternions[i - 1] < 4)
      return rc_error_set_wrong (error, RC_INVALID_ARGUMENT, wrong_entry (RC_SETTING_QUATERNIONS, stream, -1, out->quaternions[i]),
          "no overlap with the quaternion at channel %d, "
          "which takes 4 channels", out->quaternions[i - 1]);
  }
  return RC_OK;
}

/* Adds a channel, and for a position its rate, to the runs: to the last one where it continues that. */
static void
add_to_runs (RcChannelRun *runs, int64_t *n_runs, int64_t channel, int64_t rate)
{
  RcChannelRun *last = *n_runs > 0 ? &runs[*n_runs - 1] : NULL;

  if (last != NULL && channel == last->first + last->n && rate == last->rate + last->n) {
    last->n++;
  } else {
    runs[*n_runs].first = channel;
    runs[*n_runs].n = 1;
    runs[*n_runs].rate = rate;
    ++*n_runs;
  }
}

static RcStatus
new_runs (int64_t n, RcChannelRun **runs, RcError *error)
{
  if (n == 0)
    return RC_OK;
  *runs = calloc ((size_t) n, sizeof (**runs));
  return *runs != NULL ? RC_OK : no_space (error, n, sizeof (**runs));
}

/* The runs of a list of angles or holds; quaternions of out are there already. */
static RcStatus
copy_runs (const RcAlignStream *out, RcSetting setting, const int32_t *list, int64_t n, int64_t stream, RcChannelRun **runs,
    int64_t *n_runs, RcError *error)
{
  int32_t *sorted = NULL;
  RcStatus status = sorted_copy (list, n, &sorted, error);
  int64_t i, q = 0;

  if (status == RC_OK)
    status = new_runs (n, runs, error);
  for (i = 0; i < n && status == RC_OK; i++) {
    if (i > 0 && sorted[i] == sorted[i - 1])
      continue;
    while (q < out->n_quaternions && out->quaternions[q] + INT64_C (4) <= sorted[i])
      q++;
    if (q < out->n_quaternions && out->quaternions[q] <= sorted[i])
      status = rc_error_set_wrong (error, RC_INVALID_ARGUMENT, wrong_entry (setting, stream, -1, sorted[i]),
          "no channel of the quaternion at channel %d", out->quaternions[q]);
    else
      add_to_runs (*runs, n_runs, sorted[i], sorted[i]);
  }
  free (sorted);
  return status;
}

/* angles of out are there already. */
static RcStatus
check_holds (const RcAlignStream *out, int64_t stream, RcError *error)
{
  int64_t i, a = 0;

  for (i = 0; i < out->n_holds; i++) {
    const RcChannelRun *run = &out->holds[i];
    int64_t channel;

    while (a < out->n_angles && out->angles[a].first + out->angles[a].n <= run->first)
      a++;
    if (a == out->n_angles || out->angles[a].first >= run->first + run->n)
      continue;
    channel = out->angles[a].first > run->first ? out->angles[a].first : run->first;
    return rc_error_set_wrong (error, RC_INVALID_ARGUMENT, wrong_entry (RC_SETTING_HOLDS, stream, -1, (int32_t) channel),
        "no channel that is an angle");
  }
  return RC_OK;
}

static RcStatus
copy_velocities (RcAlignStream *out, const RcAlignStreamSpec *spec, RcError *error)
{
  RcStatus status = new_runs (spec->n_velocities, &out->positions, error);
  int64_t i;

  for (i = 0; i < spec->n_velocities && status == RC_OK; i++)
    add_to_runs (out->positions, &out->n_positions, i, spec->velocities[i]);
  out->n_velocities = spec->n_velocities;
  return status;
}

static int
needs_float64 (RcDtype in, RcDtype out)
{
  return in == RC_FLOAT64 || out == RC_FLOAT64 || !rc_dtype_is_float (out)
      || (!rc_dtype_is_float (in) && rc_dtype_size (in) >= 4);
}

static RcCopy
copy_kind (RcDtype in, RcDtype out)
{
  if (in == out)
    return RC_COPY_BITS;
  return rc_dtype_is_float (in) || rc_dtype_is_float (out) ? RC_COPY_COMPUTED : RC_COPY_INTEGERS;
}

static RcStatus
copy_stream (RcAlignStream *out, const RcAlignStreamSpec *spec, int64_t stream, RcError *error)
{
  RcStatus status = check_stream (spec, stream, error);

  if (status != RC_OK)
    return status;
  out->in = spec->in;
  out->out = spec->out;
  out->compute = needs_float64 (spec->in, spec->out) ? RC_COMPUTE_FLOAT64 : RC_COMPUTE_FLOAT32;
  out->copy = copy_kind (spec->in, spec->out);
  out->angle_limits = rc_angle_limits (spec->in, spec->out);
  out->search = spec->search;
  out->search.has_holds = spec->n_holds > 0;
  out->channels = spec->channels;
  out->in_size = (int64_t) rc_dtype_size (spec->in);
  out->out_size = (int64_t) rc_dtype_size (spec->out);
  out->in_row = spec->channels * out->in_size;
  out->out_row = spec->channels * out->out_size;
  status = copy_quaternions (out, spec, stream, error);
  if (status == RC_OK)
    status = copy_runs (out, RC_SETTING_ANGLES, spec->angles, spec->n_angles, stream, &out->angles, &out->n_angles, error);
  if (status == RC_OK)
    status = copy_velocities (out, spec, error);
  if (status == RC_OK)
    status = copy_runs (out, RC_SETTING_HOLDS, spec->holds, spec->n_holds, stream, &out->holds, &out->n_holds, error);
  return status == RC_OK ? check_holds (out, stream, error) : status;
}

RcStatus
rc_align_plan (RcBackend *backend, const RcAlignSpec *spec, RcAlignPlan **plan, RcFootprint *footprint, RcError *error)
{
  RcFootprint needed = { 0 };
  RcStatus status = RC_OK;
  RcAlignPlan *made;
  int64_t i;

  if (plan == NULL)
    return rc_error_set (error, RC_INVALID_ARGUMENT, "plan is NULL; expected an address for the plan");
  *plan = NULL;
  if (backend == NULL)
    return rc_error_set (error, RC_INVALID_ARGUMENT, "backend is NULL; expected one that rc_backend_open opened");
  if (spec == NULL || spec->streams == NULL)
    return rc_error_set (error, RC_INVALID_ARGUMENT, "%s is NULL; expected the streams to align",
        spec == NULL ? "spec" : "spec.streams");
  if (spec->n_streams < 1 || spec->n_streams > INT32_MAX)
    return rc_error_set (error, RC_INVALID_ARGUMENT, "n_streams is %" PRId64 "; expected 1 to %" PRId32,
        spec->n_streams, INT32_MAX);

  made = calloc (1, sizeof (*made));
  if (made == NULL)
    return no_space (error, 1, sizeof (*made));
  made->backend = backend;
  made->streams = calloc ((size_t) spec->n_streams, sizeof (*made->streams));
  if (made->streams == NULL)
    status = no_space (error, spec->n_streams, sizeof (*made->streams));
  else
    made->n_streams = spec->n_streams;
  for (i = 0; i < made->n_streams && status == RC_OK; i++)
    status = copy_stream (&made->streams[i], &spec->streams[i], i, error);
  if (status == RC_OK && backend->ops->align_prepare != NULL)
    status = backend->ops->align_prepare (backend, made, &needed, error);
  if (status != RC_OK) {
    rc_align_plan_free (made);
    return status;
  }
  made->scratch_bytes = needed.scratch_bytes;
  if (footprint != NULL)
    *footprint = needed;
  *plan = made;
  return RC_OK;
}

void
rc_align_plan_free (RcAlignPlan *plan)
{
  int64_t i;

  if (plan == NULL)
    return;
  if (plan->backend->ops->align_release != NULL)
    plan->backend->ops->align_release (plan);
  for (i = 0; i < plan->n_streams; i++) {
    free (plan->streams[i].quaternions);
    free (plan->streams[i].angles);
    free (plan->streams[i].positions);
    free (plan->streams[i].holds);
  }
  free (plan->streams);
  free (plan);
}

/* ---- the arguments of a run ---- */

/* A list of n int64 an episode: 0 shares one list, otherwise the next list begins after this one. */
static int
is_list_stride (int64_t stride, int64_t n)
{
  return stride == 0 || (stride % 8 == 0 && stride / 8 >= n);
}

/* Rows of one episode and episodes must not overlap: whichever of the two strides is greater spans the other axis. */
static RcStatus
check_out_strides (const RcAlignStream *stream, const RcAlignStreamArgs *args, int64_t ticks, int64_t batch, int64_t i,
    RcError *error)
{
  const int rows_inside = args->out_batch_stride >= args->out_row_stride;
  const int64_t inner = rows_inside ? args->out_row_stride : args->out_batch_stride;
  const int64_t outer = rows_inside ? args->out_batch_stride : args->out_row_stride;
  int64_t extent;

  if (ticks > 1 && args->out_row_stride < stream->out_row)
    return wrong (error, i, "out_row_stride", args->out_row_stride, "at least the %" PRId64 " bytes of a row",
        stream->out_row);
  if (batch <= 1)
    return RC_OK;
  if (args->out_batch_stride < stream->out_row)
    return wrong (error, i, "out_batch_stride", args->out_batch_stride, "at least the %" PRId64 " bytes of a row",
        stream->out_row);
  if (ticks > 1 && (__builtin_mul_overflow (inner, (rows_inside ? ticks : batch) - 1, &extent)
          || __builtin_add_overflow (extent, stream->out_row, &extent) || outer < extent))
    return wrong (error, i, "out_batch_stride", args->out_batch_stride, "rows that do not overlap, with %" PRId64
        " ticks, %" PRId64 " episodes and out_row_stride %" PRId64, ticks, batch, args->out_row_stride);
  return RC_OK;
}

static RcStatus
check_output (const RcAlignStream *stream, const RcAlignStreamArgs *args, int64_t ticks, int64_t batch, int64_t i,
    RcError *error)
{
  if (ticks == 0 || batch == 0)
    return RC_OK;
  if (args->out == NULL)
    return is_null (error, i, "out", "the output rows");
  if (args->status != NULL && batch > 1 && args->status_batch_stride < ticks)
    return wrong (error, i, "status_batch_stride", args->status_batch_stride, "at least the %" PRId64 " ticks", ticks);
  return ticks == 1 && batch == 1 ? RC_OK : check_out_strides (stream, args, ticks, batch, i, error);
}

static RcStatus
check_times (const RcAlignStreamArgs *args, const RcAlignArgs *all, int64_t i, RcError *error)
{
  if (args->n_rows > 0 && args->times == NULL)
    return is_null (error, i, "times", "the time of each row, or brackets");
  if ((uintptr_t) args->times % 8 != 0)
    return wrong (error, i, "times", (int64_t) (uintptr_t) args->times, "an address that is a multiple of 8");
  if (all->ticks > 0 && all->tick_times == NULL)
    return rc_error_set (error, RC_INVALID_ARGUMENT, "tick_times is NULL; expected the time of each tick, since "
        "streams[%" PRId64 "] comes with times", i);
  if (all->batch > 1 && !is_list_stride (args->times_batch_stride, args->n_rows))
    return wrong (error, i, "times_batch_stride", args->times_batch_stride, "0, or a multiple of 8 that holds %" PRId64
        " times of 8 bytes", args->n_rows);
  return RC_OK;
}

static RcStatus
check_rows (const RcAlignStream *stream, const RcAlignStreamArgs *args, const RcAlignArgs *all, int64_t i,
    RcError *error)
{
  if (args->n_rows < 0)
    return wrong (error, i, "n_rows", args->n_rows, "0 or more");
  if (args->n_rows > 1 && args->row_stride < stream->in_row)
    return wrong (error, i, "row_stride", args->row_stride, "at least the %" PRId64 " bytes of a row", stream->in_row);
  if (all->batch > 1 && args->batch_stride != 0 && args->batch_stride < stream->in_row)
    return wrong (error, i, "batch_stride", args->batch_stride, "0, or at least the %" PRId64 " bytes of a row",
        stream->in_row);
  if (args->brackets == NULL)
    return check_times (args, all, i, error);
  if (all->batch > 1)
    return rc_error_set (error, RC_INVALID_ARGUMENT, "batch is %" PRId64 "; expected 1, since streams[%" PRId64
        "] comes with brackets", all->batch, i);
  if ((uintptr_t) args->brackets % 8 != 0)
    return wrong (error, i, "brackets", (int64_t) (uintptr_t) args->brackets, "an address that is a multiple of 8");
  return RC_OK;
}

static RcStatus
check_run (const RcAlignPlan *plan, const RcAlignArgs *args, RcError *error)
{
  if (args == NULL || args->streams == NULL)
    return rc_error_set (error, RC_INVALID_ARGUMENT, "%s is NULL; expected the arguments of %" PRId64 " streams",
        args == NULL ? "args" : "args.streams", plan->n_streams);
  if (args->batch < 0)
    return rc_error_set (error, RC_INVALID_ARGUMENT, "batch is %" PRId64 "; expected 0 or more", args->batch);
  if (args->ticks < 0)
    return rc_error_set (error, RC_INVALID_ARGUMENT, "ticks is %" PRId64 "; expected 0 or more", args->ticks);
  if ((uintptr_t) args->tick_times % 8 != 0)
    return rc_error_set (error, RC_INVALID_ARGUMENT, "tick_times is %p; expected an address that is a multiple of 8",
        (const void *) args->tick_times);
  if (args->tick_times != NULL && args->batch > 1 && !is_list_stride (args->tick_times_batch_stride, args->ticks))
    return rc_error_set (error, RC_INVALID_ARGUMENT, "tick_times_batch_stride is %" PRId64 "; expected 0, or a "
        "multiple of 8 that holds %" PRId64 " times of 8 bytes", args->tick_times_batch_stride, args->ticks);
  if (plan->scratch_bytes > 0 && ((uintptr_t) args->scratch % 256 != 0 || args->scratch == NULL))
    return rc_error_set (error, RC_INVALID_ARGUMENT, "scratch is %p; expected %" PRIu64 " bytes aligned to 256",
        args->scratch, plan->scratch_bytes);
  return RC_OK;
}

RcStatus
rc_align_run (RcAlignPlan *plan, const RcAlignArgs *args, RcStream stream, RcError *error)
{
  RcStatus status;
  int64_t i;

  if (plan == NULL)
    return rc_error_set (error, RC_INVALID_ARGUMENT, "plan is NULL; expected one that rc_align_plan made");
  status = check_run (plan, args, error);
  for (i = 0; i < plan->n_streams && status == RC_OK; i++) {
    const RcAlignStreamArgs *rows = &args->streams[i];

    status = check_output (&plan->streams[i], rows, args->ticks, args->batch, i, error);
    if (status == RC_OK && rows->rows != NULL)
      status = check_rows (&plan->streams[i], rows, args, i, error);
  }
  return status != RC_OK ? status : plan->backend->ops->align_run (plan, args, stream, error);
}
