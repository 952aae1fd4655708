/* robocache: the steps from a base to its frames, of a tree of joints
 *
 * Links are numbered as the joints that move them, plus 1; link 0 is the root. A link between the root and the base is moved by the joint
 * of the link before it on the way from the base, backwards.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "spec.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/backend_impl.h"

/* Where a link is: fixed to a step. */
typedef struct
{
  RcTransform in_step;
  int32_t step;
  int32_t is_placed;
} Place;

typedef struct
{
  const RcKinematicsSpec *spec;
  RcKinematicsPlan *plan;
  Place *places;                /* of links */
  int32_t *before;              /* link before each, on the way from the base; -1 for the base */
  int32_t *way;                 /* links */
  RcError *error;
} Build;

/* ---- positions of joints ---- */

/* position = multiplier * variable + offset, through all that it mimics. */
typedef struct
{
  double multiplier, offset;
  int32_t joint;
} Source;

static Source
find_source (const RcKinematicsSpec *spec, int32_t joint)
{
  Source source = { 1.0, 0.0, joint };

  while (spec->joints[source.joint].mimics >= 0) {
    const RcJointSpec *mimic = &spec->joints[source.joint];

    source.offset = source.multiplier * mimic->offset + source.offset;
    source.multiplier = source.multiplier * mimic->multiplier;
    source.joint = mimic->mimics;
  }
  return source;
}

static int32_t
find_variable (const RcKinematicsSpec *spec, int32_t joint)
{
  int64_t i;

  for (i = 0; i < spec->n_variables; i++) {
    if (spec->variables[i] == joint)
      return (int32_t) i;
  }
  return -1;
}

/* ---- steps ---- */

static RcTransform
origin_of (const RcJointSpec *joint)
{
  RcTransform origin;
  double q[4];

  memcpy (q, joint->quaternion, sizeof (q));
  if (rc_joint_has_quaternion (joint)) {
    rc_normalise4 (q);
    rc_rotation_from_quaternion (q, origin.r);
  } else {
    rc_rotation_from_rpy (joint->rpy, origin.r);
  }
  memcpy (origin.p, joint->origin, sizeof (origin.p));
  return origin;
}

/* The rotation whose z axis is this one: its x axis is at right angles to it, close to the first of the axes that is farthest from
 * it. So an axis along x, y or z gives a rotation by exact numbers. */
static RcTransform
turn_to_axis (const double *axis)
{
  RcTransform turn = rc_transform_identity ();
  const double norm = sqrt ((axis[0] * axis[0] + axis[1] * axis[1]) + axis[2] * axis[2]);
  double z[3], x[3], y[3], size;
  int i, far = 0;

  for (i = 0; i < 3; i++)
    z[i] = axis[i] / norm;
  for (i = 1; i < 3; i++)
    far = fabs (z[i]) < fabs (z[far]) ? i : far;
  for (i = 0; i < 3; i++)
    x[i] = (i == far ? 1.0 : 0.0) - z[far] * z[i];
  size = sqrt ((x[0] * x[0] + x[1] * x[1]) + x[2] * x[2]);
  for (i = 0; i < 3; i++)
    x[i] = x[i] / size;
  y[0] = z[1] * x[2] - z[2] * x[1];
  y[1] = z[2] * x[0] - z[0] * x[2];
  y[2] = z[0] * x[1] - z[1] * x[0];
  for (i = 0; i < 3; i++) {
    turn.r[3 * i] = x[i];
    turn.r[3 * i + 1] = y[i];
    turn.r[3 * i + 2] = z[i];
  }
  return turn;
}

static RcStatus
add_step (Build *build, int32_t joint, int is_reversed, Place *place)
{
  const RcJointSpec *spec = &build->spec->joints[joint];
  const Source source = find_source (build->spec, joint);
  const int32_t variable = find_variable (build->spec, source.joint);
  const double sign = is_reversed ? -1.0 : 1.0;
  const RcTransform turn = turn_to_axis (spec->axis);
  RcKinematicsPlan *plan = build->plan;
  RcChainStep *step = &plan->steps[plan->chain.n_steps];

  if (variable < 0)
    return rc_error_set_wrong (build->error, RC_INVALID_ARGUMENT, rc_wrong_length (RC_SETTING_VARIABLES, build->spec->n_variables),
        "a list with joint %" PRId32 ", which moves a frame", source.joint);
  if (plan->chain.n_steps == RC_KINEMATICS_MAX_STEPS)
    return rc_error_set_wrong (build->error, RC_INVALID_ARGUMENT, rc_wrong_length (RC_SETTING_FRAMES, build->spec->n_frames),
        "frames that at most %d joints move", RC_KINEMATICS_MAX_STEPS);
  memset (step, 0, sizeof (*step));
  rc_transform_compose (&place->in_step, &turn, &step->origin);
  step->multiplier = sign * source.multiplier;
  step->offset = sign * source.offset;
  step->before = place->step;
  step->variable = variable;
  step->is_prismatic = spec->kind == RC_JOINT_PRISMATIC;
  place->step = plan->chain.n_steps++;
  place->in_step = rc_transform_invert (&turn);
  return RC_OK;
}

/* Moves place, which is that of one end of a joint, to the other end. */
static RcStatus
cross_joint (Build *build, int32_t joint, int is_reversed, Place *place)
{
  const RcJointSpec *spec = &build->spec->joints[joint];
  RcTransform origin = origin_of (spec), end;
  RcStatus status = RC_OK;

  if (!is_reversed) {
    rc_transform_compose (&place->in_step, &origin, &end);
    place->in_step = end;
  }
  if (rc_joint_moves (spec))
    status = add_step (build, joint, is_reversed, place);
  if (is_reversed) {
    origin = rc_transform_invert (&origin);
    rc_transform_compose (&place->in_step, &origin, &end);
    place->in_step = end;
  }
  return status;
}

/* ---- links ---- */

static int32_t
parent_of (const RcKinematicsSpec *spec, int32_t link)
{
  return link == 0 ? -1 : spec->joints[link - 1].parent + 1;
}

static void
find_ways (Build *build)
{
  const int32_t base = build->spec->base + 1;
  int32_t link, after = -1;

  for (link = 0; link <= build->spec->n_joints; link++)
    build->before[link] = parent_of (build->spec, link);
  for (link = base; link >= 0; link = parent_of (build->spec, link)) {
    build->before[link] = after;
    after = link;
  }
}

/* The link's place follows from that of the link before. */
static RcStatus
place_link (Build *build, int32_t link)
{
  const int32_t before = build->before[link];
  const int is_reversed = parent_of (build->spec, link) != before;
  Place *place = &build->places[link];
  RcStatus status;

  *place = build->places[before];
  status = cross_joint (build, (is_reversed ? before : link) - 1, is_reversed, place);
  place->is_placed = status == RC_OK;
  return status;
}

static RcStatus
place_frame (Build *build, int32_t link)
{
  RcStatus status = RC_OK;
  int32_t n = 0;

  for (; !build->places[link].is_placed; link = build->before[link])
    build->way[n++] = link;
  while (n > 0 && status == RC_OK)
    status = place_link (build, build->way[--n]);
  return status;
}

/* ---- frames ---- */

static int
has (const int32_t *list, int32_t n, int32_t number)
{
  int32_t i;

  for (i = 0; i < n; i++) {
    if (list[i] == number)
      return 1;
  }
  return 0;
}

/* The steps that move the frame, from the base on, and their variables. */
static void
list_path (RcKinematicsPlan *plan, RcChainFrame *frame)
{
  int32_t *path = plan->paths + frame->path, *columns = plan->columns + frame->columns;
  int32_t step, i;

  for (step = frame->step; step >= 0; step = plan->steps[step].before)
    frame->n_path++;
  for (step = frame->step, i = frame->n_path; step >= 0; step = plan->steps[step].before)
    path[--i] = step;
  for (i = 0; i < frame->n_path; i++) {
    const int32_t variable = plan->steps[path[i]].variable;

    if (!has (columns, frame->n_columns, variable))
      columns[frame->n_columns++] = variable;
  }
}

static RcStatus
build_frames (Build *build)
{
  RcKinematicsPlan *plan = build->plan;
  RcStatus status = RC_OK;
  int32_t i;

  for (i = 0; i < build->spec->n_frames && status == RC_OK; i++) {
    const int32_t link = build->spec->frames[i] + 1;
    RcChainFrame *frame = &plan->frames[i];

    status = place_frame (build, link);
    frame->in_step = build->places[link].in_step;
    frame->step = build->places[link].step;
    frame->path = i * RC_KINEMATICS_MAX_STEPS;
    frame->columns = i * RC_KINEMATICS_MAX_VARIABLES;
    if (status == RC_OK)
      list_path (plan, frame);
  }
  return status;
}

static void
build_limits (RcKinematicsPlan *plan, const RcKinematicsSpec *spec)
{
  int64_t i;

  for (i = 0; i < spec->n_variables; i++) {
    const RcJointSpec *joint = &spec->joints[spec->variables[i]];
    const int is_free = joint->kind == RC_JOINT_CONTINUOUS;

    plan->limits[2 * i] = is_free ? -INFINITY : joint->lower;
    plan->limits[2 * i + 1] = is_free ? INFINITY : joint->upper;
  }
}

RcStatus
rc_kinematics_build (RcKinematicsPlan *plan, const RcKinematicsSpec *spec, RcError *error)
{
  const size_t n_links = (size_t) spec->n_joints + 1;
  Build build = { spec, plan, calloc (n_links, sizeof (Place)), calloc (n_links, sizeof (int32_t)), calloc (n_links, sizeof (int32_t)),
    error
  };
  RcStatus status;

  plan->chain = (RcChain) {plan->steps, plan->frames, plan->paths, plan->columns, plan->limits, 0, (int32_t) spec->n_frames,
    (int32_t) spec->n_variables, spec->max_iterations, spec->restarts, spec->tolerance, spec->orientation_weight
  };
  if (build.places == NULL || build.before == NULL || build.way == NULL) {
    status = rc_error_set (error, RC_NO_SPACE, "no memory for a model of %" PRId64 " joints", spec->n_joints);
  } else {
    find_ways (&build);
    build.places[spec->base + 1] = (Place) {rc_transform_identity (), -1, 1};
    build_limits (plan, spec);
    status = build_frames (&build);
  }
  free (build.places);
  free (build.before);
  free (build.way);
  return status;
}
