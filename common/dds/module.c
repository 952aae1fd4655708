/* robocache: the module that links Cyclone DDS
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include <gmodule.h>

#include "functions.h"

G_MODULE_EXPORT const RobocacheDdsFunctions *robocache_dds_functions (void);

G_MODULE_EXPORT const RobocacheDdsFunctions *
robocache_dds_functions (void)
{
  static const RobocacheDdsFunctions functions = {
    .participant_open = robocache_dds_participant_open,
    .participant_close = robocache_dds_participant_close,
    .participant_network = robocache_dds_participant_network,
    .participant_is_remote = robocache_dds_participant_is_remote,
    .endpoints_new = robocache_dds_endpoints_new,
    .endpoints_free = robocache_dds_endpoints_free,
    .reader_new = robocache_dds_reader_new,
    .reader_replace = robocache_dds_reader_replace,
    .reader_free = robocache_dds_reader_free,
    .reader_forget = robocache_dds_reader_forget,
    .reader_count_oversize = robocache_dds_reader_count_oversize,
    .nodes_new = robocache_dds_nodes_new,
    .find_node = robocache_dds_find_node,
    .type_query_new = robocache_dds_type_query_new,
    .type_query_free = robocache_dds_type_query_free,
    .type_query_ask = robocache_dds_type_query_ask,
    .answer_header_bytes = robocache_dds_answer_header_bytes,
    .writer_new = robocache_dds_writer_new,
    .writer_free = robocache_dds_writer_free,
    .writer_write = robocache_dds_writer_write,
    .writer_count_readers = robocache_dds_writer_count_readers,
    .writer_count_lost = robocache_dds_writer_count_lost,
    .node_new = robocache_dds_node_new,
    .node_free = robocache_dds_node_free,
    .node_add = robocache_dds_node_add,
    .node_remove = robocache_dds_node_remove,
  };

  return &functions;
}
