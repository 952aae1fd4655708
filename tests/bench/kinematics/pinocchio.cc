// robocache: times of kinematics of a chain by Pinocchio, to compare with
//
//   pinocchio JOINTS FRAME     JOINTS is a file of what kinematicstool prints, FRAME a link
//
// Rows of positions as float64 on standard input; prints microseconds a row for poses, and for Jacobians, and the mean of x + J[0][0]. Joints whose axis is a
// coordinate axis have Pinocchio's own types for that, as its reader of URDF chooses them.
//
// SPDX-License-Identifier: LGPL-2.1-or-later
#include <chrono>
#include <fstream>
#include <iostream>
#include <map>
#include <sstream>
#include <string>
#include <vector>

#include <pinocchio/algorithm/frames.hpp>
#include <pinocchio/algorithm/jacobian.hpp>
#include <pinocchio/algorithm/kinematics.hpp>

namespace
{
using Clock = std::chrono::steady_clock;

struct Joint
{
  std::string name, parent;
  int kind;                     // 0: fixed, otherwise revolute
  pinocchio::SE3 origin;
  Eigen::Vector3d axis;
};

std::vector<double>
read_numbers ()
{
  std::vector<double> numbers;
  double x;

  while (std::cin.read (reinterpret_cast<char *> (&x), sizeof (x)))
    numbers.push_back (x);
  return numbers;
}

// About the fixed axes x, then y, then z.
Eigen::Matrix3d
rotation (const Eigen::Vector3d &angles)
{
  return (Eigen::AngleAxisd (angles[2], Eigen::Vector3d::UnitZ ()) * Eigen::AngleAxisd (angles[1], Eigen::Vector3d::UnitY ())
      * Eigen::AngleAxisd (angles[0], Eigen::Vector3d::UnitX ())).toRotationMatrix ();
}

// By the link that they move.
std::map<std::string, Joint>
read_joints (const char *path)
{
  std::map<std::string, Joint> joints;
  std::ifstream file (path);
  std::string line, link;

  while (std::getline (file, line)) {
    std::istringstream words (line);
    Eigen::Vector3d shift, angles;
    Joint joint;

    words >> joint.name >> joint.kind >> joint.parent >> link >> shift[0] >> shift[1] >> shift[2] >> angles[0] >> angles[1]
        >> angles[2] >> joint.axis[0] >> joint.axis[1] >> joint.axis[2];
    joint.origin = pinocchio::SE3 (rotation (angles), shift);
    joints[link] = joint;
  }
  return joints;
}

pinocchio::JointIndex
add_revolute (pinocchio::Model &model, pinocchio::JointIndex parent, const Joint &joint, const pinocchio::SE3 &origin)
{
  if (joint.axis.isApprox (Eigen::Vector3d::UnitX ()))
    return model.addJoint (parent, pinocchio::JointModelRX (), origin, joint.name);
  if (joint.axis.isApprox (Eigen::Vector3d::UnitY ()))
    return model.addJoint (parent, pinocchio::JointModelRY (), origin, joint.name);
  if (joint.axis.isApprox (Eigen::Vector3d::UnitZ ()))
    return model.addJoint (parent, pinocchio::JointModelRZ (), origin, joint.name);
  return model.addJoint (parent, pinocchio::JointModelRevoluteUnaligned (joint.axis), origin, joint.name);
}

// The chain from the root to a link, with the link as a frame.
pinocchio::Model
build (const std::map<std::string, Joint> &joints, const std::string &link)
{
  std::vector<Joint> way;
  pinocchio::Model model;
  pinocchio::JointIndex parent = 0;
  pinocchio::SE3 origin = pinocchio::SE3::Identity ();

  for (auto at = joints.find (link); at != joints.end (); at = joints.find (at->second.parent))
    way.insert (way.begin (), at->second);
  for (const Joint &joint : way) {
    origin = origin * joint.origin;
    if (joint.kind == 0)
      continue;
    parent = add_revolute (model, parent, joint, origin);
    origin = pinocchio::SE3::Identity ();
  }
  model.addFrame (pinocchio::Frame (link, parent, origin, pinocchio::BODY));
  return model;
}

// Microseconds a row of a function of its positions.
template <class Function>
double
time_rows (const std::vector<double> &rows, int n, Function compute)
{
  const size_t count = rows.size () / n;
  const Clock::time_point start = Clock::now ();

  for (size_t row = 0; row < count; row++)
    compute (Eigen::Map<const Eigen::VectorXd> (&rows[row * n], n));
  return std::chrono::duration<double, std::micro> (Clock::now () - start).count () / count;
}
}

int
main (int argc, char **argv)
{
  if (argc != 3) {
    std::cerr << "expected JOINTS FRAME\n";
    return 1;
  }
  const pinocchio::Model model = build (read_joints (argv[1]), argv[2]);
  const pinocchio::FrameIndex frame = model.getFrameId (argv[2]);
  const std::vector<double> rows = read_numbers ();
  pinocchio::Data data (model);
  pinocchio::Data::Matrix6x jacobian (pinocchio::Data::Matrix6x::Zero (6, model.nv));
  double sum = 0;

  const double pose = time_rows (rows, model.nq, [&] (const auto &q) {
    pinocchio::forwardKinematics (model, data, q);
    sum += pinocchio::updateFramePlacement (model, data, frame).translation ()[0];
  });
  const double columns = time_rows (rows, model.nq, [&] (const auto &q) {
    pinocchio::computeFrameJacobian (model, data, q, frame, pinocchio::LOCAL_WORLD_ALIGNED, jacobian);
    sum += jacobian (0, 0);
  });
  std::cout << pose << ' ' << columns << ' ' << sum * model.nq / rows.size () << '\n';
  return 0;
}
