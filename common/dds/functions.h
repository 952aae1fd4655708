/* robocache: the functions of this folder that need Cyclone DDS, as elements call them
 *
 * They are in a module, since processes without live topics need no Cyclone: common/element/module.h. Those of the folder plain need no
 * Cyclone, and are also in the plugin.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "endpoints.h"
#include "node.h"
#include "reader.h"
#include "typequery.h"
#include "writer.h"

#define ROBOCACHE_DDS_MODULE "robocache-dds.module"
#define ROBOCACHE_DDS_SYMBOL "robocache_dds_functions"

/* Each is the function of its name. */
typedef struct
{
  __typeof__ (robocache_dds_participant_open) *participant_open;
  __typeof__ (robocache_dds_participant_close) *participant_close;
  __typeof__ (robocache_dds_participant_network) *participant_network;
  __typeof__ (robocache_dds_participant_is_remote) *participant_is_remote;

  __typeof__ (robocache_dds_endpoints_new) *endpoints_new;
  __typeof__ (robocache_dds_endpoints_free) *endpoints_free;

  __typeof__ (robocache_dds_reader_new) *reader_new;
  __typeof__ (robocache_dds_reader_replace) *reader_replace;
  __typeof__ (robocache_dds_reader_free) *reader_free;
  __typeof__ (robocache_dds_reader_forget) *reader_forget;
  __typeof__ (robocache_dds_reader_count_oversize) *reader_count_oversize;

  __typeof__ (robocache_dds_nodes_new) *nodes_new;
  __typeof__ (robocache_dds_find_node) *find_node;
  __typeof__ (robocache_dds_type_query_new) *type_query_new;
  __typeof__ (robocache_dds_type_query_free) *type_query_free;
  __typeof__ (robocache_dds_type_query_ask) *type_query_ask;
  __typeof__ (robocache_dds_answer_header_bytes) *answer_header_bytes;

  __typeof__ (robocache_dds_writer_new) *writer_new;
  __typeof__ (robocache_dds_writer_free) *writer_free;
  __typeof__ (robocache_dds_writer_write) *writer_write;
  __typeof__ (robocache_dds_writer_count_readers) *writer_count_readers;
  __typeof__ (robocache_dds_writer_count_lost) *writer_count_lost;

  __typeof__ (robocache_dds_node_new) *node_new;
  __typeof__ (robocache_dds_node_free) *node_free;
  __typeof__ (robocache_dds_node_add) *node_add;
  __typeof__ (robocache_dds_node_remove) *node_remove;
} RobocacheDdsFunctions;

/* NULL until robocache_dds_load() returns TRUE. */
extern const RobocacheDdsFunctions *robocache_dds;

/* Called before any function of the table. FALSE and an error: the module cannot be loaded. Any thread may call it. */
gboolean robocache_dds_load (GError ** error);
