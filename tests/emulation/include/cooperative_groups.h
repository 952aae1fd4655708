/* robocache: clusters, emulated
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef EMULATION_COOPERATIVE_GROUPS_H
#define EMULATION_COOPERATIVE_GROUPS_H

namespace cooperative_groups
{
struct cluster_group
{
  unsigned
  block_rank () const
  {
    return emulation::rank_in_cluster ();
  }

  template <typename T>
  T *
  map_shared_rank (T *p, int rank) const
  {
    return static_cast<T *> (emulation::in_block (p, (unsigned) rank));
  }

  void
  barrier_arrive () const
  {
    emulation::arrive_at_cluster ();
  }

  void
  barrier_wait () const
  {
    emulation::wait_for_cluster ();
  }
};

inline cluster_group
this_cluster ()
{
  return { };
}
}

#endif
