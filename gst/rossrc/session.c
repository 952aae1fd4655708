/* robocache: a stay of robocacherossrc in a domain: topics that come and go, their messages and their pads
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "session.h"

#define CLOCK_TOPIC "/clock"
#define CLOCK_TYPE "rosgraph_msgs/msg/Clock"

/* ---- life ---- */

static gboolean
open_clock (RobocacheRosSession *session, GError **error)
{
  const RobocacheDdsTopic settings = { CLOCK_TOPIC, CLOCK_TYPE, FALSE, FALSE, session->settings.depth, NULL };

  if (!session->settings.use_sim_time)
    return TRUE;
  session->clock_queue = robocache_ros_inbox_add (session->inbox, NULL, FALSE);
  session->clock_reader = robocache_dds->reader_new (session->participant, &settings, robocache_ros_queue_put, session->clock_queue, error);
  return session->clock_reader != NULL;
}

static gboolean
open_domain (RobocacheRosSession *session, GError **error)
{
  const RobocacheRosSrcSettings *settings = &session->settings;
  RobocacheDdsNetwork network;
  gchar *config;

  session->folders = robocache_msg_folders_new (settings->msg_path, error);
  if (!session->folders || !robocache_dds_load (error)
      || !robocache_dds_network_init (&network, settings->domain, settings->discovery, settings->peers, error))
    return FALSE;
  network.max_message_bytes = settings->max_message_bytes;
  config = robocache_dds_network_config (&network, 2);
  GST_CAT_INFO_OBJECT (session->category, session->element, "domain %u, discovery=%s: %s", network.domain,
      robocache_dds_discovery_name (network.discovery), config);
  g_free (config);
  session->participant = robocache_dds->participant_open (&network, error);
  robocache_dds_network_clear (&network);
  if (!session->participant || !open_clock (session, error))
    return FALSE;
  session->endpoints = robocache_dds->endpoints_new (session->participant, robocache_ros_inbox_put_endpoint, session->inbox, error);
  return session->endpoints != NULL;
}

RobocacheRosSession *
robocache_ros_session_new (GstElement *element, GstDebugCategory *category, RobocacheRosSrcSettings *settings, GError **error)
{
  RobocacheRosSession *session = g_new0 (RobocacheRosSession, 1);

  session->element = element;
  session->category = category;
  session->template = gst_element_get_pad_template (element, "src_%u");
  session->settings = *settings;
  *settings = (RobocacheRosSrcSettings) { 0 };
  session->inbox = robocache_ros_inbox_new (&session->settings);
  session->topics = g_ptr_array_new_with_free_func ((GDestroyNotify) robocache_ros_topic_free);
  session->unchosen = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  session->outputs = g_ptr_array_new_with_free_func ((GDestroyNotify) robocache_ros_output_free);
  session->flows = gst_flow_combiner_new ();
  if (session->settings.host_clocks == ROBOCACHE_ROS_HOSTS_TRACK && !session->settings.use_sim_time
      && session->settings.time_origin == ROBOCACHE_ROS_NO_ORIGIN)
    session->clocks = robocache_ros_host_clocks_new ();
  session->group_id = gst_util_group_id_next ();
  session->wait_until_us = G_MAXINT64;
  session->wait_left_us = session->settings.wait == GST_CLOCK_TIME_NONE ? G_MAXINT64 : (gint64) (session->settings.wait / GST_USECOND);
  robocache_ros_mapping_init (&session->mapping, &session->settings);
  session->sim_ns = ROBOCACHE_ROS_NO_ORIGIN;
  gst_segment_init (&session->segment, GST_FORMAT_TIME);
  session->segment_seqnum = gst_util_seqnum_next ();
  session->timer.interval = session->settings.stats_interval;
  robocache_statistics_timer_reset (&session->timer);
  if (open_domain (session, error))
    return session;
  robocache_ros_session_free (session);
  return NULL;
}

/* Readers and the watch of publishers first, as they fill the inbox. */
void
robocache_ros_session_free (RobocacheRosSession *session)
{
  g_clear_pointer (&session->endpoints, robocache_dds->endpoints_free);
  g_clear_pointer (&session->clock_reader, robocache_dds->reader_free);
  g_clear_pointer (&session->nodes_reader, robocache_dds->reader_free);
  g_ptr_array_unref (session->topics);
  g_clear_pointer (&session->clocks, g_ptr_array_unref);
  robocache_ros_inbox_free (session->inbox);
  g_clear_pointer (&session->participant, robocache_dds->participant_close);
  gst_flow_combiner_free (session->flows);
  for (guint i = 0; i < session->outputs->len; i++) {
    RobocacheRosOutput *output = g_ptr_array_index (session->outputs, i);

    if (output->pad)
      gst_element_remove_pad (session->element, output->pad);
  }
  g_ptr_array_unref (session->outputs);
  g_hash_table_unref (session->unchosen);
  g_clear_pointer (&session->folders, robocache_msg_folders_free);
  robocache_ros_src_settings_clear (&session->settings);
  g_free (session);
}

/* ---- statistics ---- */

static void
add_to_total (RobocacheRosCounts *total, RobocacheRosArrivals *arrivals, const RobocacheRosTopic *topic)
{
  const RobocacheRosArrivals more = robocache_ros_queue_arrivals (topic->queue);

  total->messages += topic->counts.messages;
  total->buffers += topic->counts.buffers;
  total->malformed += topic->counts.malformed;
  total->refused += topic->counts.refused;
  total->without_time += topic->counts.without_time;
  total->before_origin += topic->counts.before_origin;
  total->in_pause += topic->counts.in_pause;
  total->latched += topic->counts.latched;
  total->oversize += topic->counts.oversize;
  arrivals->lost += more.lost;
  arrivals->leaked += more.leaked;
  arrivals->too_large += more.too_large;
  arrivals->queued += more.queued;
}

GstStructure *
robocache_ros_session_statistics (const RobocacheRosSession *session)
{
  const RobocacheDdsNetwork *network = robocache_dds->participant_network (session->participant);
  GstStructure *stats = gst_structure_new (GST_OBJECT_NAME (gst_element_get_factory (session->element)), "domain", G_TYPE_UINT, network->domain,
      "discovery", G_TYPE_STRING, robocache_dds_discovery_name (network->discovery), "time-origin", G_TYPE_INT64,
      robocache_ros_mapping_origin (&session->mapping), "time-uncertainty", G_TYPE_INT64, session->mapping.uncertainty_ns, "clock-steps",
      G_TYPE_UINT64, session->clock_steps, "publishers-dropped", G_TYPE_UINT64, robocache_ros_inbox_count_dropped (session->inbox), NULL);
  RobocacheRosCounts total = { 0 };
  RobocacheRosArrivals arrivals = { 0 };
  GValue topics = G_VALUE_INIT;

  g_value_init (&topics, GST_TYPE_ARRAY);
  for (guint i = 0; i < session->topics->len; i++) {
    const RobocacheRosTopic *topic = g_ptr_array_index (session->topics, i);
    GstStructure *structure = gst_structure_new ("topic", "topic", G_TYPE_STRING, topic->name, "type", G_TYPE_STRING, topic->type, NULL);
    const RobocacheRosArrivals own = robocache_ros_queue_arrivals (topic->queue);
    GValue value = G_VALUE_INIT;

    robocache_ros_counts_to_structure (&topic->counts, &own, structure);
    add_to_total (&total, &arrivals, topic);
    g_value_init (&value, GST_TYPE_STRUCTURE);
    g_value_take_boxed (&value, structure);
    gst_value_array_append_and_take_value (&topics, &value);
  }
  robocache_ros_counts_to_structure (&total, &arrivals, stats);
  gst_structure_take_value (stats, "topics", &topics);
  return stats;
}
