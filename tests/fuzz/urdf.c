/* robocache: a fuzzer of URDF files
 *
 * Bytes are a file. A robot that is read has a model of each of its first links, whose poses are computed.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include <math.h>

#include "gst/kinematics/model.h"
#include "gst/kinematics/urdf/urdf.h"
#include "tests/fuzz/input.h"

#define MAX_FRAMES 6

/* A pose of positions that are all the same is one, whatever the robot. */
static void
compute (RcBackend *backend, RobocacheModel *model)
{
  gdouble positions[RC_KINEMATICS_MAX_VARIABLES], pose[7], solution[RC_KINEMATICS_MAX_VARIABLES];
  const RcForwardArgs forward = {.batch = 1,.positions = {positions, 0},.poses = {pose, 0} };
  const RcInverseArgs inverse = {.batch = 1,.targets = {pose, 0},.starts = {positions, 0},.positions = {solution, 0} };
  RcKinematicsPlan *plan;
  RcError error;

  for (guint i = 0; i < G_N_ELEMENTS (positions); i++)
    positions[i] = 0.5;
  model->spec.max_iterations = 5;
  model->spec.tolerance = 1e-6;
  model->spec.orientation_weight = 1.0;
  if (rc_kinematics_plan (backend, robocache_model_spec (model), &plan, NULL, &error) != RC_OK)
    return;
  g_assert_cmpint (rc_kinematics_forward (plan, &forward, NULL, &error), ==, RC_OK);
  for (guint i = 0; i < G_N_ELEMENTS (pose); i++)
    g_assert_true (isfinite (pose[i]));
  if (model->spec.n_variables > RC_KINEMATICS_MAX_INVERSE_VARIABLES) {
    g_assert_cmpint (rc_kinematics_inverse (plan, &inverse, NULL, &error), ==, RC_INVALID_ARGUMENT);
  } else {
    g_assert_cmpint (rc_kinematics_inverse (plan, &inverse, NULL, &error), ==, RC_OK);
    for (gint64 i = 0; i < model->spec.n_variables; i++)
      g_assert_true (isfinite (solution[i]));
  }
  rc_kinematics_plan_free (plan);
}

/* All joints that move the frame are variables. */
static gboolean
add_variables (RobocacheModel *model, const RobocacheRobot *robot)
{
  gboolean ok = TRUE;

  for (gint i = 0; i < (gint) robot->joints->len && ok; i++) {
    const gint source = robocache_model_source (model, i);
    gboolean is_known = FALSE;

    for (gint64 k = 0; k < model->spec.n_variables; k++)
      is_known |= model->variables[k] == source;
    if (model->moves[i] && !is_known)
      ok = robocache_model_add_variable (model, source, NULL);
  }
  return ok && robocache_model_check_variables (model, robot, NULL);
}

static void
use_robot (RcBackend *backend, const RobocacheRobot *robot)
{
  for (gint i = 0; i < MIN ((gint) robot->joints->len, MAX_FRAMES); i++) {
    const gchar *base = i % 2 ? robocache_robot_joint (robot, (gint) robot->joints->len - 1)->link : NULL;
    RobocacheModel model;

    if (robocache_model_init (&model, robot, base, robocache_robot_joint (robot, i)->link, NULL) && add_variables (&model, robot))
      compute (backend, &model);
    robocache_model_clear (&model);
  }
}

int
LLVMFuzzerTestOneInput (const uint8_t *bytes, size_t n)
{
  const RcWhere where = { RC_BACKEND_CPU };
  GError *error = NULL;
  RobocacheRobot *robot = robocache_urdf_parse ("fuzz", (const gchar *) bytes, n, &error);
  RcBackend *backend;

  g_assert_true ((robot == NULL) == (error != NULL));
  g_clear_error (&error);
  if (robot && rc_backend_open (&where, &backend, NULL) == RC_OK) {
    use_robot (backend, robot);
    rc_backend_close (backend);
  }
  robocache_robot_free (robot);
  return 0;
}
