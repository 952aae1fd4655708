/* robocache: kinematics have the same bits on every backend, and agree with an oracle
 *
 *   kinematics [--gpu] [--seed N] [--few] [--separate] [--only SECTION]      see tests/kernels/suite.h
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "case.h"
#include "errors.h"
#include "oracle.h"

#include <inttypes.h>

#include "kernels/kinematics/trigonometry.h"
#include "tests/kernels/random.h"

#define ARENA_BYTES ((size_t) 64 << 20)
#define TOLERANCE 1e-11L        /* of up to 24 joints with prismatic ones of several metres */
#define STEP 1e-6               /* of the differences, exact to its square */

static const double *
row_of (const RcKinematicsRows *rows, int64_t row)
{
  return (const double *) ((const char *) rows->numbers + row * rows->stride);
}

static double *
out_of (const RcKinematicsOut *rows, int64_t row)
{
  return (double *) ((char *) rows->numbers + row * rows->stride);
}

static const double *
base_of (const KinematicsCase *c, int64_t row)
{
  return c->forward.base_poses.numbers ? row_of (&c->forward.base_poses, row) : NULL;
}

/* ---- forward ---- */

static void
check_pose (const KinematicsCase *c, int64_t row, int f, Test *test)
{
  const double *pose = out_of (&c->forward.poses, row) + 7 * f;
  const Matrix expected = oracle_frame (&c->spec, row_of (&c->forward.positions, row), base_of (c, row), f), got = oracle_pose (pose);

  test_expect (test, matrix_distance (&expected, &got) < TOLERANCE && pose[3] >= 0, "row %" PRId64 ", frame %d: off by %Lg; %s", row, f,
      matrix_distance (&expected, &got), c->text);
}

/* The twist of a frame where one variable moves, by differences of the oracle. */
static void
difference (const KinematicsCase *c, int64_t row, int f, int64_t variable, long double *twist)
{
  double positions[RC_KINEMATICS_MAX_VARIABLES];
  Matrix ends[2], back, turn;

  memcpy (positions, row_of (&c->forward.positions, row), (size_t) c->spec.n_variables * sizeof (double));
  for (int k = 0; k < 2; k++) {
    positions[variable] += k == 0 ? -STEP : 2 * STEP;
    ends[k] = oracle_frame (&c->spec, positions, base_of (c, row), f);
  }
  for (int i = 0; i < 3; i++)
    twist[i] = (ends[1].m[i][3] - ends[0].m[i][3]) / (2 * STEP);
  back = matrix_inverse (&ends[0]);
  turn = matrix_product (&ends[1], &back);
  twist[3] = (turn.m[2][1] - turn.m[1][2]) / (4 * STEP);
  twist[4] = (turn.m[0][2] - turn.m[2][0]) / (4 * STEP);
  twist[5] = (turn.m[1][0] - turn.m[0][1]) / (4 * STEP);
}

static void
check_jacobian (const KinematicsCase *c, int64_t row, int f, Test *test)
{
  const int64_t n = c->spec.n_variables;
  const double *jacobian = out_of (&c->forward.jacobians, row) + 6 * n * f, *twist = out_of (&c->forward.twists, row) + 6 * f;
  long double expected[6] = { 0 }, column[6];

  for (int64_t v = 0; v < n; v++) {
    difference (c, row, f, v, column);
    for (int i = 0; i < 6; i++) {
      test_expect (test, fabsl (jacobian[i * n + v] - column[i]) < 1e-7L, "row %" PRId64 ", frame %d, variable %" PRId64
          ": %g, by differences %Lg; %s", row, f, v, jacobian[i * n + v], column[i], c->text);
      expected[i] += (long double) jacobian[i * n + v] * row_of (&c->forward.velocities, row)[v];
    }
  }
  for (int i = 0; i < 6; i++)
    test_expect (test, fabsl (twist[i] - expected[i]) < TOLERANCE, "row %" PRId64 ": a twist of %g, expected %Lg; %s", row, twist[i],
        expected[i], c->text);
}

/* The determinant of six rows times their transpose, by elimination: its root is the product of the singular values. */
static long double
determinant (long double a[6][6])
{
  long double product = 1;

  for (int j = 0; j < 6; j++) {
    int pivot = j;

    for (int i = j + 1; i < 6; i++)
      pivot = fabsl (a[i][j]) > fabsl (a[pivot][j]) ? i : pivot;
    for (int k = 0; k < 6; k++) {
      const long double other = a[j][k];

      a[j][k] = a[pivot][k];
      a[pivot][k] = other;
    }
    product *= pivot == j ? a[j][j] : -a[j][j];
    for (int i = j + 1; i < 6 && a[j][j] != 0; i++) {
      const long double factor = a[i][j] / a[j][j];

      for (int k = j; k < 6; k++)
        a[i][k] -= factor * a[j][k];
    }
  }
  return product;
}

/* Where six variables or more move the frame. */
static void
check_manipulability (const KinematicsCase *c, int64_t row, int f, Test *test)
{
  const int64_t n = c->spec.n_variables;
  const double *jacobian = out_of (&c->forward.jacobians, row) + 6 * n * f, got = out_of (&c->forward.manipulabilities, row)[f];
  long double product[6][6] = { {0} }, expected;
  int movers = 0;

  for (int64_t v = 0; v < n; v++) {
    int moves = 0;

    for (int i = 0; i < 6; i++) {
      moves |= jacobian[i * n + v] != 0;
      for (int k = 0; k < 6; k++)
        product[i][k] += (long double) jacobian[i * n + v] * jacobian[k * n + v];
    }
    movers += moves;
  }
  if (movers < 6)
    return;
  expected = sqrtl (fmaxl (determinant (product), 0));
  test_expect (test, fabsl (got - expected) < 1e-7L * (1 + expected), "row %" PRId64 ": manipulability %g, expected %Lg; %s", row, got,
      expected, c->text);
}

/* ---- inverse ---- */

/* A solution lies within limits, and its residuals are those of its pose. */
static void
check_solution (const KinematicsCase *c, int64_t row, Test *test)
{
  const double *solution = out_of (&c->inverse.positions, row), *residuals = out_of (&c->inverse.residuals, row);
  const int status = c->inverse.status[row];
  long double distance = 0;

  for (int64_t v = 0; v < c->spec.n_variables; v++) {
    const RcJointSpec *joint = &c->joints[c->variables[v]];

    test_expect (test, joint->kind == RC_JOINT_CONTINUOUS || (solution[v] >= joint->lower && solution[v] <= joint->upper), "row %" PRId64
        ": %g is outside %g to %g; %s", row, solution[v], joint->lower, joint->upper, c->text);
  }
  for (int f = 0; f < c->spec.n_frames; f++) {
    const Matrix at = oracle_frame (&c->spec, solution, base_of (c, row), f);
    const double *target = row_of (&c->inverse.targets, row) + 7 * f;

    distance = fmaxl (distance, hypotl (hypotl (at.m[0][3] - target[0], at.m[1][3] - target[1]), at.m[2][3] - target[2]));
  }
  test_expect (test, fabsl (distance - residuals[0]) < TOLERANCE, "row %" PRId64 ": residual %g, expected %Lg; %s", row, residuals[0],
      distance, c->text);
  test_expect (test, status <= RC_INVERSE_SINGULAR && (status == RC_INVERSE_CONVERGED) == (residuals[0] <= c->spec.tolerance
          && (residuals[1] <= c->spec.tolerance || c->spec.orientation_weight == 0)), "row %" PRId64 ": status %d with %g and %g; %s", row,
      status, residuals[0], residuals[1], c->text);
}

static void
check_row (const KinematicsCase *c, int64_t row, Test *test)
{
  for (int f = 0; f < c->spec.n_frames; f++) {
    check_pose (c, row, f, test);
    check_jacobian (c, row, f, test);
    check_manipulability (c, row, f, test);
  }
  if (c->inverse.batch > 0)
    check_solution (c, row, test);
}

/* ---- odd numbers ---- */

static int
are_finite (const double *numbers, int64_t n)
{
  for (int64_t i = 0; i < n; i++) {
    if (!isfinite (numbers[i]))
      return 0;
  }
  return 1;
}

static int
has_nan (const double *numbers, int64_t n)
{
  for (int64_t i = 0; i < n; i++) {
    if (isnan (numbers[i]))
      return 1;
  }
  return 0;
}

/* Finite numbers make no NaN, however great they are. */
static void
check_finite (const KinematicsCase *c, int64_t row, Test *test)
{
  const int64_t n = c->spec.n_variables, f = c->spec.n_frames;
  const int has_base = base_of (c, row) == NULL || are_finite (base_of (c, row), 7);

  if (has_base && are_finite (row_of (&c->forward.positions, row), n) && are_finite (row_of (&c->forward.velocities, row), n))
    test_expect (test, !has_nan (out_of (&c->forward.poses, row), 7 * f) && !has_nan (out_of (&c->forward.jacobians, row), 6 * n * f)
        && !has_nan (out_of (&c->forward.twists, row), 6 * f) && !has_nan (out_of (&c->forward.manipulabilities, row), f), "row %" PRId64
        " has a NaN; %s", row, c->text);
  if (!has_base || !are_finite (row_of (&c->inverse.targets, row), 7 * f) || !are_finite (row_of (&c->inverse.starts, row), n))
    return;
  test_expect (test, !has_nan (out_of (&c->inverse.positions, row), n) && !has_nan (out_of (&c->inverse.residuals, row), 2)
      && c->inverse.status[row] != RC_INVERSE_MISSING, "row %" PRId64 " of the inverse has a NaN; %s", row, c->text);
}

/* ---- sections ---- */

/* Angles of a joint, and those of many turns. */
static void
check_trigonometry (Suite *suite)
{
  static const double ranges[] = { 1e-3, 1, 4, 1e3, 1e8 };
  uint64_t random = suite->seed;
  Test test = { "kinematics_trigonometry", "" };

  for (int i = 0; i < 200000 && test_holds (&test); i++) {
    const double range = ranges[i % 5], x = random_real (&random, -range, range), y = random_real (&random, -1, 1);
    double sine, cosine;

    rc_sine_cosine (x, &sine, &cosine);
    test_expect (&test, fabsl (sine - sinl (x)) < 2.5e-16L && fabsl (cosine - cosl (x)) < 2.5e-16L, "sine or cosine of %.17g is off", x);
    test_expect (&test, fabsl (rc_arctangent (y, x) - atan2l (y, x)) < 1e-15L, "arctangent of %.17g, %.17g is off", y, x);
  }
  for (int i = 0; i < 4; i++) {
    static const double huge[] = { 1e9, 1e22, 1e300, 1.7e308 };
    double sine, cosine;

    rc_sine_cosine (huge[i], &sine, &cosine);
    test_expect (&test, fabs (sine) <= 1 && fabs (cosine) <= 1, "sine or cosine of %g is %g or %g", huge[i], sine, cosine);
  }
  suite_end (suite, &test);
}


static void
check_random (Suite *suite, const KinematicsWish *wish, const char *name, int n)
{
  static KinematicsCase c;
  Test test = test_begin ("kinematics_%s", name);

  for (int i = 0; i < suite_fewer (suite, n) && test_holds (&test); i++) {
    kinematics_case_make (&c, wish, suite_next_seed (suite), suite->arena);
    kinematics_case_check (&c, suite->arena, &suite->reference, suite->places, suite->n_places, &test);
    suite_print_sum (suite);
    for (int64_t row = 0; row < c.inverse.batch && wish->is_odd; row++)
      check_finite (&c, row, &test);
    for (int64_t row = 0; row < c.forward.batch && row < 3 && !wish->is_odd && !wish->is_partial && test_holds (&test); row++)
      check_row (&c, row, &test);
  }
  suite_end (suite, &test);
}

static void
check_chains (Suite *suite)
{
  const KinematicsWish wish = {.max_joints = 9,.max_frames = 1,.max_rows = MAX_ROWS };

  check_random (suite, &wish, "chains", 120);
}

static void
check_trees (Suite *suite)
{
  const KinematicsWish wish = {.max_joints = MAX_JOINTS,.max_frames = 4,.max_rows = 20 };

  check_random (suite, &wish, "trees", 120);
}

static void
check_many_frames (Suite *suite)
{
  const KinematicsWish wish = {.max_joints = MAX_JOINTS,.max_frames = RC_KINEMATICS_MAX_FRAMES,.max_rows = 10 };

  check_random (suite, &wish, "many_frames", 30);
}

static void
check_floating (Suite *suite)
{
  const KinematicsWish wish = {.max_joints = 12,.max_frames = 2,.max_rows = 20,.has_base_poses = 1 };

  check_random (suite, &wish, "floating_base", 60);
}

static void
check_odd (Suite *suite)
{
  const KinematicsWish wish = {.max_joints = 12,.max_frames = 3,.max_rows = 40,.is_odd = 1,.has_base_poses = 1 };

  check_random (suite, &wish, "odd_numbers", 90);
}

/* Arms of which a run computes some things. */
static void
check_partial (Suite *suite)
{
  const KinematicsWish wish = {.max_joints = 8,.max_frames = 1,.max_rows = MAX_ROWS,.has_base_poses = 1,.is_partial = 1,.is_forward = 1 };

  check_random (suite, &wish, "some_outputs", 60);
}

/* Arms with more rows than a GPU computes at once, the last of which fill no block. */
static void
check_many_rows (Suite *suite)
{
  const KinematicsWish wish = {.max_joints = 7,.max_frames = 1,.min_rows = 20001,.max_rows = 20063,.is_partial = 1,.is_forward = 1 };

  check_random (suite, &wish, "many_rows", 12);
}

/* An arm of six joints: poses of it are found again from a start close by, and a place beyond its reach is not. */
static void
check_arm (Suite *suite)
{
  static const double poses[][6] = { {0.3, -1, 1.2, -0.4, 0.9, 0.1}, {0, 0, 0, 0, 0, 0}, {-2, 0.5, -1, 2, -1, 3} };
  static const double lengths[] = { 0.1, 0.4, 0.4, 0.1, 0.1, 0.1 };
  RcJointSpec joints[6];
  const int32_t frame = 5, variables[] = { 0, 1, 2, 3, 4, 5 };
  const RcKinematicsSpec spec = {.joints = joints,.n_joints = 6,.base = -1,.frames = &frame,.n_frames = 1,.variables = variables,
    .n_variables = 6,.max_iterations = 100,.tolerance = 1e-9,.orientation_weight = 1
  };
  Test test = { "kinematics_of_an_arm", "" };
  RcKinematicsPlan *plan = NULL;
  RcError error;

  for (int i = 0; i < 6; i++) {
    joints[i] = (RcJointSpec) {.kind = RC_JOINT_REVOLUTE,.parent = i - 1,.origin = {0, 0, lengths[i]},.lower = -3.2,.upper = 3.2,
      .mimics = -1
    };
    joints[i].axis[i % 3 == 0 ? 2 : 1] = 1;
  }
  is_ok (rc_kinematics_plan (suite->reference.backend, &spec, &plan, NULL, &error), &error, &test);
  for (size_t i = 0; i < COUNT (poses) && plan != NULL; i++) {
    double pose[7], start[6], solution[6], residuals[2];
    uint8_t status;
    const RcForwardArgs forward = {.batch = 1,.positions = {poses[i], 0},.poses = {pose, 0} };
    const RcInverseArgs inverse = {.batch = 1,.targets = {pose, 0},.starts = {start, 0},.positions = {solution, 0},
      .residuals = {residuals, 0},.status = &status
    };

    for (int k = 0; k < 6; k++)
      start[k] = poses[i][k] + 0.03 * (k % 2 ? 1 : -1);
    is_ok (rc_kinematics_forward (plan, &forward, NULL, &error), &error, &test);
    is_ok (rc_kinematics_inverse (plan, &inverse, NULL, &error), &error, &test);
    test_expect (&test, status == RC_INVERSE_CONVERGED && residuals[0] <= 1e-9 && residuals[1] <= 1e-9, "pose %zu: status %d, %g m, %g rad",
        i, status, residuals[0], residuals[1]);
    pose[0] = 9;
    is_ok (rc_kinematics_inverse (plan, &inverse, NULL, &error), &error, &test);
    test_expect (&test, (status == RC_INVERSE_SINGULAR || status == RC_INVERSE_AT_LIMIT) && residuals[0] > 7, "pose %zu, beyond reach: "
        "status %d, %g m", i, status, residuals[0]);
    pose[5] = NAN;
    is_ok (rc_kinematics_inverse (plan, &inverse, NULL, &error), &error, &test);
    test_expect (&test, status == RC_INVERSE_MISSING && solution[3] != solution[3] && residuals[1] != residuals[1], "pose %zu, missing: "
        "status %d", i, status);
  }
  rc_kinematics_plan_free (plan);
  suite_end (suite, &test);
}

static void
check_errors (Suite *suite)
{
  kinematics_check_errors (suite, suite->n_places > 0 && suite->is_gpu ? &suite->places[0] : &suite->reference);
}

static const Section sections[] = {
  {"trigonometry", check_trigonometry}, {"chains", check_chains}, {"trees", check_trees}, {"many-frames", check_many_frames}, {"floating-base", check_floating},
  {"odd-numbers", check_odd}, {"some-outputs", check_partial}, {"many-rows", check_many_rows}, {"arm", check_arm}, {"errors", check_errors},
};

int
main (int argc, char **argv)
{
  return suite_main ("kinematics", argc, argv, sections, COUNT (sections), 1, ARENA_BYTES);
}
