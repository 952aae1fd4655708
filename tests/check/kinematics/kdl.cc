// robocache: kinematics of a chain by KDL, to compare with
//
//   kdl ROOT BASE TIP forward|inverse JOINTS [ITERATIONS]     JOINTS is a file of what kinematicstool prints
//
// forward: rows of positions; origin, rotation and Jacobian. inverse: rows of a pose (x y z w x y z) and a start; 0 where KDL's LMA finds
// a solution, and the solution. Rows are float64 on standard input and output. Times per row go to
// standard error: of poses and Jacobians, or of inverses the median and the mean.
//
// SPDX-License-Identifier: LGPL-2.1-or-later
#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <fstream>
#include <iostream>
#include <numeric>
#include <sstream>
#include <string>
#include <vector>

#include <kdl/chainfksolverpos_recursive.hpp>
#include <kdl/chainiksolverpos_lma.hpp>
#include <kdl/chainjnttojacsolver.hpp>
#include <kdl/tree.hpp>

namespace
{
using Clock = std::chrono::steady_clock;

double
microseconds (Clock::duration time)
{
  return std::chrono::duration<double, std::micro> (time).count ();
}

void
put (double x)
{
  std::cout.write (reinterpret_cast<const char *> (&x), sizeof (x));
}

std::vector<double>
read_numbers ()
{
  std::vector<double> numbers;
  double x;

  while (std::cin.read (reinterpret_cast<char *> (&x), sizeof (x)))
    numbers.push_back (x);
  return numbers;
}

// kinematicstool lists joints after those before them
KDL::Tree
read_tree (const char *root, const char *path)
{
  KDL::Tree tree (root);
  std::ifstream file (path);
  std::string line;

  while (std::getline (file, line)) {
    std::istringstream words (line);
    std::string name, parent, link;
    double n[9];
    int kind;

    words >> name >> kind >> parent >> link;
    for (double &x : n)
      words >> x;
    const KDL::Frame origin (KDL::Rotation::RPY (n[3], n[4], n[5]), KDL::Vector (n[0], n[1], n[2]));
    const KDL::Vector axis = origin.M * KDL::Vector (n[6], n[7], n[8]);
    const KDL::Joint joint = kind == 0 ? KDL::Joint (name, KDL::Joint::None)
        : KDL::Joint (name, origin.p, axis, kind == 3 ? KDL::Joint::TransAxis : KDL::Joint::RotAxis);

    tree.addSegment (KDL::Segment (link, joint, origin), parent);
  }
  return tree;
}

KDL::JntArray
joints_of (const double *row, unsigned n)
{
  KDL::JntArray q (n);

  for (unsigned i = 0; i < n; i++)
    q (i) = row[i];
  return q;
}

void
forward (const KDL::Chain &chain)
{
  const unsigned n = chain.getNrOfJoints ();
  const std::vector<double> in = read_numbers ();
  const size_t rows = n > 0 ? in.size () / n : 0;
  KDL::ChainFkSolverPos_recursive positions (chain);
  KDL::ChainJntToJacSolver jacobians (chain);
  KDL::Jacobian jacobian (n);
  KDL::Frame frame;
  KDL::JntArray q (n);

  for (size_t row = 0; row < rows; row++) {
    q = joints_of (&in[row * n], n);
    positions.JntToCart (q, frame);
    jacobians.JntToJac (q, jacobian);
    for (double x : frame.p.data)
      put (x);
    for (double x : frame.M.data)
      put (x);
    for (unsigned i = 0; i < 6 * n; i++)
      put (jacobian (i / n, i % n));
  }
  const Clock::time_point start = Clock::now ();
  for (size_t row = 0; row < rows; row++) {
    std::copy_n (&in[row * n], n, q.data.data ());
    positions.JntToCart (q, frame);
  }
  const Clock::time_point middle = Clock::now ();
  for (size_t row = 0; row < rows; row++) {
    std::copy_n (&in[row * n], n, q.data.data ());
    jacobians.JntToJac (q, jacobian);
  }
  std::cerr << microseconds (middle - start) / rows << ' ' << microseconds (Clock::now () - middle) / rows << '\n';
}

void
inverse (const KDL::Chain &chain, int iterations)
{
  const unsigned n = chain.getNrOfJoints (), width = 7 + n;
  const std::vector<double> in = read_numbers ();
  KDL::ChainIkSolverPos_LMA solver (chain, Eigen::Matrix<double, 6, 1>::Ones (), 1e-6, iterations, 1e-15);
  std::vector<double> times;
  KDL::JntArray q (n);

  for (size_t row = 0; row < in.size () / width; row++) {
    const double *p = &in[row * width];
    const KDL::Frame target (KDL::Rotation::Quaternion (p[4], p[5], p[6], p[3]), KDL::Vector (p[0], p[1], p[2]));
    const KDL::JntArray first = joints_of (p + 7, n);
    const Clock::time_point start = Clock::now ();
    const int result = solver.CartToJnt (first, target, q);

    times.push_back (microseconds (Clock::now () - start));
    put (result);
    for (unsigned i = 0; i < n; i++)
      put (q (i));
  }
  std::nth_element (times.begin (), times.begin () + times.size () / 2, times.end ());
  std::cerr << (times.empty () ? 0.0 : times[times.size () / 2]) << ' '
            << std::accumulate (times.begin (), times.end (), 0.0) / std::max<size_t> (times.size (), 1) << '\n';
}
}

int
main (int argc, char **argv)
{
  KDL::Chain chain;

  if ((argc != 6 && argc != 7) || !read_tree (argv[1], argv[5]).getChain (argv[2], argv[3], chain)) {
    std::cerr << "expected ROOT BASE TIP forward|inverse JOINTS [ITERATIONS] of a chain\n";
    return 1;
  }
  if (std::string (argv[4]) == "inverse")
    inverse (chain, argc == 7 ? std::atoi (argv[6]) : 500);
  else
    forward (chain);
  return 0;
}
