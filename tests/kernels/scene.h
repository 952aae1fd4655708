/* robocache: a random alignment, run on a backend and compared with the oracle
 *
 * A scene is one stream with everything that an alignment can have: batch, ragged episodes, irregular and equal times,
 * padded strides, rows at odd addresses. It is a function of its seed alone.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef TEST_SCENE_H
#define TEST_SCENE_H

#include "expect.h"
#include "oracle.h"

#define MS G_GINT64_CONSTANT (1000000)

typedef struct
{
  RcDtype in, out;
  RcInterpolation interpolation;
  gboolean special;             /* quaternions, angles, velocities */
  gboolean equal_times;
  gint64 channels, batch, rows, ticks;  /* 0: random; -1: none */
} SceneWish;

typedef struct
{
  guint32 seed;
  RcAlignStreamSpec spec;
  gint32 quaternions[2], angles[8], velocities[8];
  RcAlignStreamArgs args;
  gint64 batch, ticks;
  guint8 *data;                 /* args.rows points a few bytes into it */
  gint64 *times, *row_counts, *tick_times;
  gint64 out_bytes;
} Scene;

typedef struct
{
  guint8 *out;                  /* as laid out by args.out_*_stride; untouched bytes are 0xA5 */
  guint8 *status;               /* [batch, ticks] */
  RcAlignCounters counters;
} SceneResult;

static inline RcBackend *
open_with_threads (RcCpuLevel level, const RcThreadPool *threads)
{
  const RcWhere where = {.kind = RC_BACKEND_CPU,.cpu_level = level,.threads = threads };
  RcBackend *backend = NULL;
  RcError error;
  const RcStatus status = rc_backend_open (&where, &backend, &error);

  if (status == RC_UNSUPPORTED)
    return NULL;                /* this machine lacks it */
  fail_unless (status == RC_OK, "%s", error.message);
  return backend;
}

static inline RcBackend *
open_level (RcCpuLevel level)
{
  return open_with_threads (level, NULL);
}

/* Greatest magnitude of an element: what both dtypes hold, small enough that no cubic overshoots it. */
static inline gdouble
scene_magnitude (const RcAlignStreamSpec *spec, GRand *rand)
{
  gdouble magnitude = pow (10, g_rand_double_range (rand, -3, 3));

  if (!rc_dtype_is_float (spec->in))
    magnitude = MIN (100000.0, oracle_end_integer (spec->in) - 1);
  if (spec->in == RC_FLOAT16 || spec->out == RC_FLOAT16)
    magnitude = MIN (magnitude, 5000.0);
  return magnitude;
}

static inline void
scene_quaternion (const Scene *scene, guint8 *row, gint32 channel, GRand *rand)
{
  const gint64 size = (gint64) rc_dtype_size (scene->spec.in);
  const gdouble scale = rc_dtype_is_float (scene->spec.in) ? 1.0 : 100.0;
  gint i;

  for (i = 0; i < 4; i++)
    oracle_put (scene->spec.in, row + (channel + i) * size, scale * g_rand_double_range (rand, -1, 1));
}

static inline void
scene_fill_rows (Scene *scene, GRand *rand)
{
  const RcAlignStreamSpec *spec = &scene->spec;
  const gint64 size = (gint64) rc_dtype_size (spec->in);
  gdouble *magnitude = g_new (gdouble, spec->channels);
  gint64 e, i, c;

  for (c = 0; c < spec->channels; c++)
    magnitude[c] = scene_magnitude (spec, rand);
  for (c = 0; c < spec->n_angles; c++)
    magnitude[spec->angles[c]] = 10;
  for (e = 0; e < scene->batch; e++) {
    for (i = 0; i < scene->args.n_rows; i++) {
      guint8 *row = (guint8 *) scene->args.rows + e * scene->args.batch_stride + i * scene->args.row_stride;

      for (c = 0; c < spec->channels; c++)
        oracle_put (spec->in, row + c * size, g_rand_double_range (rand, -magnitude[c], magnitude[c]));
      for (c = 0; c < spec->n_quaternions; c++)
        scene_quaternion (scene, row, spec->quaternions[c], rand);
    }
  }
  g_free (magnitude);
}

/* Spacings of 1 to 20 ms, a hole of 60 to 100 ms now and then, equal times if wished. */
static inline void
scene_fill_times (Scene *scene, gboolean equal_times, GRand *rand)
{
  gint64 e, i, k;

  for (e = 0; e < scene->batch; e++) {
    gint64 *times = scene->times + e * scene->args.n_rows, *ticks = scene->tick_times + e * scene->ticks;
    gint64 t = g_rand_int_range (rand, -1000, 1000) * MS, first = t;

    for (i = 0; i < scene->args.n_rows; i++) {
      times[i] = t;
      if (equal_times && g_rand_int_range (rand, 0, 4) == 0)
        continue;
      t += g_rand_int_range (rand, 1000000, 20000000);
      if (g_rand_int_range (rand, 0, 12) == 0)
        t += g_rand_int_range (rand, 60, 80) * MS;
    }
    for (k = 0; k < scene->ticks; k++) {
      ticks[k] = first - 30 * MS + (gint64) (g_rand_double (rand) * (gdouble) (t - first + 60 * MS));
      if (g_rand_int_range (rand, 0, 8) == 0 && scene->args.n_rows > 0)
        ticks[k] = times[g_rand_int_range (rand, 0, (gint32) scene->args.n_rows)];
    }
    scene->row_counts[e] = e % 2 == 0 ? scene->args.n_rows
        : g_rand_int_range (rand, 0, (gint32) scene->args.n_rows + 1);
  }
}

/* As far as there is room: two quaternions, angles beside each other and apart, rates in runs, used twice and elsewhere. */
static inline void
scene_choose_special (Scene *scene, GRand *rand)
{
  RcAlignStreamSpec *spec = &scene->spec;
  gint64 c;

  spec->quaternions = scene->quaternions;
  spec->angles = scene->angles;
  spec->velocities = scene->velocities;
  if (spec->channels >= 13) {
    scene->quaternions[spec->n_quaternions++] = 9;      /* any order is accepted */
    scene->quaternions[spec->n_quaternions++] = 1;
  }
  for (c = 0; c < MIN (spec->channels, 9); c++) {
    if ((c >= 5 && c != 7) || c == 0)
      scene->angles[spec->n_angles++] = (gint32) c;
  }
  if (spec->search.interpolation == RC_HERMITE) {
    spec->n_velocities = MIN (8, spec->channels / 2);
    for (c = 0; c < spec->n_velocities; c++)
      scene->velocities[c] = (gint32) (c == 3 ? 0 : spec->channels - spec->n_velocities + (c == 2 ? 1 : c));
  }
}

static inline gint64
wished (gint64 wish, GRand *rand, gint32 least, gint32 most)
{
  return wish > 0 ? wish : wish < 0 ? 0 : g_rand_int_range (rand, least, most + 1);
}

static inline Scene *
scene_new (const SceneWish *wish, guint32 seed)
{
  static const gint64 gaps[] = { -1, 15 * MS, 25 * MS, 0 }, holds[] = { 0, -1, 10 * MS };
  GRand *rand = g_rand_new_with_seed (seed);
  Scene *scene = g_new0 (Scene, 1);
  RcAlignStreamArgs *args = &scene->args;
  RcAlignStreamSpec *spec = &scene->spec;
  gint64 in_row, out_row;

  scene->seed = seed;
  spec->in = wish->in;
  spec->out = wish->out;
  spec->channels = wished (wish->channels, rand, 1, 40);
  spec->search.interpolation = wish->interpolation;
  spec->search.max_gap_ns = gaps[g_rand_int_range (rand, 0, G_N_ELEMENTS (gaps))];
  spec->search.hold_limit_ns = holds[g_rand_int_range (rand, 0, G_N_ELEMENTS (holds))];
  spec->search.period_ns = g_rand_int_range (rand, 0, 30000000);
  if (wish->special)
    scene_choose_special (scene, rand);
  scene->batch = wished (wish->batch, rand, 1, 3);
  scene->ticks = wished (wish->ticks, rand, 1, 40);
  args->n_rows = wished (wish->rows, rand, 1, 40);

  in_row = spec->channels * (gint64) rc_dtype_size (spec->in);
  out_row = spec->channels * (gint64) rc_dtype_size (spec->out);
  args->row_stride = in_row + g_rand_int_range (rand, 0, 9);
  args->batch_stride = args->n_rows * args->row_stride + g_rand_int_range (rand, 0, 9) + in_row;
  args->out_row_stride = out_row + g_rand_int_range (rand, 0, 9);
  args->out_batch_stride = scene->ticks * args->out_row_stride + g_rand_int_range (rand, 0, 9) + out_row;
  args->times_batch_stride = args->n_rows * 8;
  args->status_batch_stride = scene->ticks;
  scene->data = g_malloc0 ((gsize) (scene->batch * args->batch_stride + 16));
  args->rows = scene->data + g_rand_int_range (rand, 0, 8);
  scene->times = g_new0 (gint64, MAX (1, scene->batch * args->n_rows));
  scene->row_counts = g_new0 (gint64, MAX (1, scene->batch));
  scene->tick_times = g_new0 (gint64, MAX (1, scene->batch * scene->ticks));
  args->times = scene->times;
  args->row_counts = scene->row_counts;
  scene->out_bytes = scene->batch * args->out_batch_stride + 16;
  scene_fill_rows (scene, rand);
  scene_fill_times (scene, wish->equal_times, rand);
  g_rand_free (rand);
  return scene;
}

static inline void
scene_free (Scene *scene)
{
  g_free (scene->data);
  g_free (scene->times);
  g_free (scene->row_counts);
  g_free (scene->tick_times);
  g_free (scene);
}

static inline RcAlignPlan *
scene_plan (const Scene *scene, RcBackend *backend)
{
  const RcAlignSpec spec = { &scene->spec, 1 };
  RcAlignPlan *plan = NULL;
  RcFootprint footprint;
  RcError error;

  fail_unless (rc_align_plan (backend, &spec, &plan, &footprint, &error) == RC_OK, "seed %u: %s", scene->seed,
      error.message);
  fail_unless_equals_uint64 (footprint.scratch_bytes, 0);
  return plan;
}

static inline void
scene_result_init (SceneResult *result, const Scene *scene)
{
  memset (result, 0, sizeof (*result));
  result->out = g_malloc ((gsize) scene->out_bytes);
  memset (result->out, 0xA5, (gsize) scene->out_bytes);
  result->status = g_malloc0 ((gsize) MAX (1, scene->batch * scene->ticks));
}

static inline void
scene_result_clear (SceneResult *result)
{
  g_free (result->out);
  g_free (result->status);
}

/* Output rows begin one byte past an aligned address when the seed is odd. */
static inline guint8 *
scene_first_out (const Scene *scene, const SceneResult *result)
{
  return result->out + (scene->seed & 1);
}

static inline void
scene_run (const Scene *scene, RcBackend *backend, SceneResult *result)
{
  RcAlignStreamArgs stream = scene->args;
  const RcAlignArgs args = { &stream, scene->batch, scene->ticks, scene->tick_times, scene->ticks * 8, NULL };
  RcAlignPlan *plan = scene_plan (scene, backend);
  RcError error;

  stream.out = scene_first_out (scene, result);
  stream.status = result->status;
  stream.counters = &result->counters;
  fail_unless (rc_align_run (plan, &args, NULL, &error) == RC_OK, "seed %u: %s", scene->seed, error.message);
  rc_align_plan_free (plan);
}

/* The rows of episode e as doubles, of equal times the last one. Free t and y. */
static inline OracleRows
scene_oracle_rows (const Scene *scene, gint64 e)
{
  const RcAlignStreamSpec *spec = &scene->spec;
  const gint64 n = scene->row_counts[e], *times = scene->times + e * scene->args.n_rows;
  gint64 *t = g_new (gint64, n + 1);
  gdouble *y = g_new (gdouble, (n + 1) * spec->channels);
  OracleRows r = { t, y, 0, spec };
  gint64 i, c;

  for (i = 0; i < n; i++) {
    const guint8 *row = (const guint8 *) scene->args.rows + e * scene->args.batch_stride + i * scene->args.row_stride;

    if (r.n > 0 && t[r.n - 1] == times[i])
      r.n--;
    t[r.n] = times[i];
    for (c = 0; c < spec->channels; c++)
      y[r.n * spec->channels + c] = oracle_get (spec->in, row + c * (gint64) rc_dtype_size (spec->in));
    r.n++;
  }
  return r;
}

/* How far an output may be from the oracle, as a part of the magnitude of its channel. */
static inline gdouble
scene_tolerance (const RcAlignStreamSpec *spec)
{
  if (!rc_dtype_is_float (spec->out))
    return 0;
  if (spec->out == RC_FLOAT16)
    return 0x1p-10;
  if (spec->out == RC_BFLOAT16)
    return 0x1p-8;
  return spec->out == RC_FLOAT64 ? 1e-12 : 1e-5;
}

static inline gboolean
scene_is_angle (const RcAlignStreamSpec *spec, gint64 c)
{
  gint64 i;

  for (i = 0; i < spec->n_angles; i++) {
    if (spec->angles[i] == c)
      return TRUE;
  }
  return FALSE;
}

static inline gboolean
scene_is_close (const RcAlignStreamSpec *spec, gint64 c, gdouble got, gdouble expected, gdouble magnitude)
{
  const gdouble stored = oracle_stored (spec->out, expected);
  gdouble off = fabs (got - expected);

  if (isnan (stored))
    return isnan (got);
  if (got == stored)
    return TRUE;
  if (scene_is_angle (spec, c))
    off = MIN (off, fabs (2 * ORACLE_PI - off));        /* pi and just above -pi are neighbours */
  return off <= scene_tolerance (spec) * MAX (magnitude, fabs (expected));
}

static inline gdouble
scene_channel_magnitude (const OracleRows *r, gint64 c)
{
  gdouble magnitude = 0;
  gint64 i;

  for (i = 0; i < r->n; i++)
    magnitude = MAX (magnitude, fabs (r->y[i * r->spec->channels + c]));
  return magnitude;
}

static inline void
scene_check_row (const Scene *scene, const OracleRows *r, const gdouble *expected, const guint8 *row, gint64 tick)
{
  gint64 c;

  for (c = 0; c < scene->spec.channels; c++) {
    const gdouble got = oracle_get (scene->spec.out, row + c * (gint64) rc_dtype_size (scene->spec.out));

    expect (scene_is_close (&scene->spec, c, got, expected[c], scene_channel_magnitude (r, c)),
        "seed %u: %s to %s, interpolation %d, tick at %" G_GINT64_FORMAT ", channel %" G_GINT64_FORMAT
        " of %" G_GINT64_FORMAT ": got %.17g, expected %.17g", scene->seed, rc_dtype_name (scene->spec.in),
        rc_dtype_name (scene->spec.out), scene->spec.search.interpolation, tick, c, scene->spec.channels, got,
        expected[c]);
  }
}

/* Rows, statuses and counters of a result against the oracle. */
static inline void
scene_check (const Scene *scene, const SceneResult *result)
{
  gdouble *expected = g_new (gdouble, MAX (1, scene->spec.channels));
  gint64 e, k, n[3] = { 0, 0, 0 };

  for (e = 0; e < scene->batch; e++) {
    OracleRows r = scene_oracle_rows (scene, e);

    for (k = 0; k < scene->ticks; k++) {
      const gint64 tick = scene->tick_times[e * scene->ticks + k];
      const RcRowStatus status = oracle_sample (&r, tick, expected);

      expect (result->status[e * scene->ticks + k] == status, "seed %u: tick at %" G_GINT64_FORMAT
          ": got status %d, expected %d", scene->seed, tick, result->status[e * scene->ticks + k], status);
      scene_check_row (scene, &r, expected, scene_first_out (scene, result) + e * scene->args.out_batch_stride
          + k * scene->args.out_row_stride, tick);
      n[status]++;
    }
    g_free ((gpointer) r.t);
    g_free ((gpointer) r.y);
  }
  fail_unless_equals_int64 (result->counters.aligned, n[RC_ALIGNED]);
  fail_unless_equals_int64 (result->counters.held, n[RC_HELD]);
  fail_unless_equals_int64 (result->counters.missing, n[RC_MISSING]);
  fail_unless_equals_int64 (result->counters.disordered_episodes, 0);
  g_free (expected);
}

/* Runs a wish with n seeds on the best level and checks each. */
static inline void
scenes_agree (const SceneWish *wish, guint32 first_seed, guint32 n)
{
  RcBackend *backend = open_level (RC_CPU_BEST);
  guint32 seed;

  for (seed = first_seed; seed < first_seed + n; seed++) {
    Scene *scene = scene_new (wish, seed);
    SceneResult result;

    scene_result_init (&result, scene);
    scene_run (scene, backend, &result);
    scene_check (scene, &result);
    scene_result_clear (&result);
    scene_free (scene);
  }
  rc_backend_close (backend);
}

#endif
