/* robocache: every wrong spec and argument of kinematics has an error that names it
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma GCC diagnostic ignored "-Woverride-init"        /* a row of a table overrides one field of what is right */
#include "errors.h"

#include <math.h>

#include "kernels/kinematics/kinematics.h"

#define JOINT(...) {.kind = RC_JOINT_REVOLUTE, .parent = -1, .axis = {0, 0, 1}, .lower = -1, .upper = 1, .mimics = -1, __VA_ARGS__}
#define LIST(...) (const int32_t[]) {__VA_ARGS__}

/* Two joints, the second one wrong. */
static const struct
{
  const char *fragments;
  RcJointSpec joint;
} wrong_joints[] = {
  {"joints[1] is kind 4;", JOINT (.kind = (RcJointKind) 4)}, {"joints[1] is parent 1;", JOINT (.parent = 1)},
  {"joints[1] is parent -2;", JOINT (.parent = -2)}, {"joints[1] is origin nan 0 0;", JOINT (.origin = {NAN, 0, 0})},
  {"joints[1] is rpy 0 2e+06 0;", JOINT (.rpy = {0, 2e6, 0})}, {"joints[1] is axis 0 0 0;", JOINT (.axis = {0, 0, 0})},
  {"joints[1] is axis 0 inf 0;", JOINT (.axis = {0, INFINITY, 0})}, {"joints[1] is limits 1 to -1;", JOINT (.lower = 1, .upper = -1)},
  {"joints[1] is limits nan to 1;", JOINT (.lower = NAN)}, {"joints[1] is mimics 2;", JOINT (.mimics = 2)},
  {"joints[1] is mimics 1;|cycle", JOINT (.mimics = 1)}, {"joints[1] is multiplier nan", JOINT (.mimics = 0, .multiplier = NAN)},
};

#define SPEC(...) {.joints = good_joints, .n_joints = 3, .base = -1, .frames = LIST (2), .n_frames = 1, .variables = LIST (0, 2), \
    .n_variables = 2, .max_iterations = 100, .tolerance = 1e-6, .orientation_weight = 1, __VA_ARGS__}

/* The second one mimics the first, and all are in a row. */
static const RcJointSpec good_joints[] = { JOINT (), JOINT (.parent = 0, .mimics = 0, .multiplier = 1), JOINT (.parent = 1) };

static const struct
{
  const char *fragments;
  RcKinematicsSpec spec;
  RcSetting setting;
} wrong_specs[] = {
  {"n_joints is 0;", SPEC (.n_joints = 0), RC_SETTING_JOINTS}, {"n_joints is 4097;", SPEC (.n_joints = 4097), RC_SETTING_JOINTS},
  {"joints is NULL;", SPEC (.joints = NULL), RC_SETTING_JOINTS}, {"base is 3;", SPEC (.base = 3), RC_SETTING_BASE},
  {"base is -2;", SPEC (.base = -2), RC_SETTING_BASE}, {"n_frames is 0;", SPEC (.n_frames = 0), RC_SETTING_FRAMES},
  {"n_frames is 17;", SPEC (.n_frames = 17), RC_SETTING_FRAMES}, {"frames is NULL;", SPEC (.frames = NULL), RC_SETTING_FRAMES},
  {"frames[0] is 3;", SPEC (.frames = LIST (3)), RC_SETTING_FRAMES}, {"n_variables is 1025;", SPEC (.n_variables = 1025), RC_SETTING_VARIABLES},
  {"variables is NULL;", SPEC (.variables = NULL), RC_SETTING_VARIABLES},
  {"variables[1] is 3;", SPEC (.variables = LIST (0, 3)), RC_SETTING_VARIABLES},
  {"variables[1] is 1;|mimics none", SPEC (.variables = LIST (0, 1)), RC_SETTING_VARIABLES},
  {"variables[1] is 0;|once", SPEC (.variables = LIST (0, 0)), RC_SETTING_VARIABLES},
  {"n_variables is 1;|a list with joint 0", SPEC (.variables = LIST (2), .n_variables = 1), RC_SETTING_VARIABLES},
  {"max_iterations is 0;", SPEC (.max_iterations = 0), RC_SETTING_MAX_ITERATIONS},
  {"max_iterations is 10001;", SPEC (.max_iterations = 10001), RC_SETTING_MAX_ITERATIONS},
  {"restarts is -1;", SPEC (.restarts = -1), RC_SETTING_RESTARTS}, {"restarts is 1001;", SPEC (.restarts = 1001), RC_SETTING_RESTARTS},
  {"tolerance is 0;", SPEC (.tolerance = 0), RC_SETTING_TOLERANCE}, {"tolerance is nan;", SPEC (.tolerance = NAN), RC_SETTING_TOLERANCE},
  {"orientation_weight is -1;", SPEC (.orientation_weight = -1), RC_SETTING_ORIENTATION_WEIGHT},
};

static void
check_specs (Suite *suite, const Place *place)
{
  Test test = { "kinematics_errors_of_specs", "" };
  RcKinematicsPlan *plan;
  RcError error;

  for (size_t i = 0; i < COUNT (wrong_joints); i++) {
    const RcJointSpec joints[] = { JOINT (), wrong_joints[i].joint };
    const int32_t first = 0;
    const RcKinematicsSpec spec = {.joints = joints,.n_joints = 2,.base = -1,.frames = &first,.n_frames = 1,.variables = &first,
      .n_variables = 1,.max_iterations = 1,.tolerance = 1
    };

    plan = (RcKinematicsPlan *) 1;
    expect_refusal (rc_kinematics_plan (place->backend, &spec, &plan, NULL, &error), RC_INVALID_ARGUMENT, &error,
        wrong_joints[i].fragments, &test);
    expect_setting (&error, RC_SETTING_JOINTS, &test);
    test_expect (&test, plan == NULL, "joint %zu has a plan", i);
  }
  for (size_t i = 0; i < COUNT (wrong_specs); i++) {
    expect_refusal (rc_kinematics_plan (place->backend, &wrong_specs[i].spec, &plan, NULL, &error), RC_INVALID_ARGUMENT, &error,
        wrong_specs[i].fragments, &test);
    expect_setting (&error, wrong_specs[i].setting, &test);
    test_expect (&test, plan == NULL, "spec %zu has a plan", i);
    test_expect (&test, rc_kinematics_plan (place->backend, &wrong_specs[i].spec, &plan, NULL, NULL) == RC_INVALID_ARGUMENT, "spec %zu", i);
  }
#define REFUSED(backend, spec, plan, fragments) \
  expect_refusal (rc_kinematics_plan (backend, spec, plan, NULL, &error), RC_INVALID_ARGUMENT, &error, fragments, &test)
  REFUSED (place->backend, NULL, &plan, "spec|NULL|expected");
  REFUSED (place->backend, &wrong_specs[0].spec, NULL, "plan|NULL|expected");
  REFUSED (NULL, &wrong_specs[0].spec, &plan, "backend|NULL|expected");
  rc_kinematics_plan_free (NULL);
  suite_end (suite, &test);
}

/* Arguments are refused before any is read, so numbers anywhere do. */
static double numbers[64];

#define ROWS(stride) {numbers, stride}
#define FORWARD(...) {.batch = 2, .positions = ROWS (16), .poses = ROWS (56), __VA_ARGS__}
#define INVERSE(...) {.batch = 2, .targets = ROWS (56), .starts = ROWS (16), .positions = ROWS (16), __VA_ARGS__}

static const struct
{
  const char *fragments;
  RcForwardArgs args;
} wrong_forward[] = {
  {"batch is -1;", FORWARD (.batch = -1)}, {"positions is NULL;", FORWARD (.positions = {NULL, 16})},
  {"positions.stride is 8;|0, or", FORWARD (.positions = ROWS (8))}, {"positions.stride is 17;", FORWARD (.positions = ROWS (17))},
  {"velocities is NULL;", FORWARD (.twists = ROWS (48))}, {"base_poses.stride is 48;", FORWARD (.base_poses = ROWS (48))},
  {"poses.stride is 0;", FORWARD (.poses = ROWS (0))}, {"jacobians.stride is 95;", FORWARD (.jacobians = ROWS (95))},
  {"manipulabilities.stride is 0;", FORWARD (.manipulabilities = ROWS (0))},
  {"twists.stride is -48;", FORWARD (.velocities = ROWS (16), .twists = ROWS (-48))},
  {"poses is|multiple of 8", FORWARD (.poses = {(double *) ((char *) numbers + 4), 56})},
};

static const struct
{
  const char *fragments;
  RcInverseArgs args;
} wrong_inverse[] = {
  {"batch is -7;", INVERSE (.batch = -7)}, {"targets is NULL;", INVERSE (.targets = {NULL, 0})},
  {"targets.stride is 48;", INVERSE (.targets = ROWS (48))}, {"starts is NULL;", INVERSE (.starts = {NULL, 0})},
  {"positions.stride is 8;", INVERSE (.positions = ROWS (8))}, {"residuals.stride is 8;", INVERSE (.residuals = ROWS (8))},
  {"iterations is|multiple of 4", INVERSE (.iterations = (int32_t *) ((char *) numbers + 2))},
};

static void
check_runs (Suite *suite, const Place *place)
{
  const int32_t five[] = { 0, 1, 2, 0, 1 };
  const RcKinematicsSpec good = SPEC ();
  RcKinematicsSpec wide = good;
  const RcInverseArgs inverse = INVERSE ();
  Test test = { "kinematics_errors_of_runs", "" };
  RcKinematicsPlan *plan = NULL;
  RcError error;

  is_ok (rc_kinematics_plan (place->backend, &good, &plan, NULL, &error), &error, &test);
  for (size_t i = 0; i < COUNT (wrong_forward) && plan != NULL; i++)
    expect_refusal (rc_kinematics_forward (plan, &wrong_forward[i].args, place->stream, &error), RC_INVALID_ARGUMENT, &error,
        wrong_forward[i].fragments, &test);
  for (size_t i = 0; i < COUNT (wrong_inverse) && plan != NULL; i++)
    expect_refusal (rc_kinematics_inverse (plan, &wrong_inverse[i].args, place->stream, &error), RC_INVALID_ARGUMENT, &error,
        wrong_inverse[i].fragments, &test);
  expect_refusal (rc_kinematics_forward (plan, NULL, place->stream, &error), RC_INVALID_ARGUMENT, &error, "args|NULL", &test);
  expect_refusal (rc_kinematics_forward (NULL, &wrong_forward[0].args, place->stream, &error), RC_INVALID_ARGUMENT, &error, "plan|NULL", &test);
  expect_refusal (rc_kinematics_inverse (NULL, &inverse, place->stream, &error), RC_INVALID_ARGUMENT, &error, "plan|NULL", &test);
  rc_kinematics_plan_free (plan);
  wide.frames = five;
  wide.n_frames = 5;
  is_ok (rc_kinematics_plan (place->backend, &wide, &plan, NULL, &error), &error, &test);
  expect_refusal (rc_kinematics_inverse (plan, &inverse, place->stream, &error), RC_INVALID_ARGUMENT, &error, "5 frames|at most 4", &test);
  rc_kinematics_plan_free (plan);
  suite_end (suite, &test);
}

void
kinematics_check_errors (Suite *suite, const Place *place)
{
  check_specs (suite, place);
  check_runs (suite, place);
}
