/* robocache: publishers of ROS 2 topics, as they come and go in a domain
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "endpoints.h"

#include <dds/dds.h>
#include <string.h>

#include "plain/rosnames.h"

#define MAX_SAMPLES 32

struct _RobocacheDdsEndpoints
{
  RobocacheDdsEndpointFunc func;
  gpointer user_data;
  dds_entity_t reader;
};

static void
read_qos (RobocacheDdsEndpoint *endpoint, const dds_qos_t *qos)
{
  dds_reliability_kind_t reliability;
  dds_durability_kind_t durability;
  void *user_data = NULL;
  size_t size = 0;

  endpoint->is_reliable = dds_qget_reliability (qos, &reliability, NULL) && reliability == DDS_RELIABILITY_RELIABLE;
  endpoint->is_transient_local = dds_qget_durability (qos, &durability) && durability >= DDS_DURABILITY_TRANSIENT_LOCAL;
  if (dds_qget_userdata (qos, &user_data, &size) && user_data)
    endpoint->type_hash = robocache_dds_type_hash_of (user_data, size);
  dds_free (user_data);
}

/* A publisher that has gone has no names. NULL: its topic is not one of ROS 2. */
static RobocacheDdsEndpoint *
endpoint_of (const dds_builtintopic_endpoint_t *sample, const dds_sample_info_t *info)
{
  const gboolean has_gone = !info->valid_data || info->instance_state != DDS_ALIVE_INSTANCE_STATE;
  RobocacheDdsEndpoint *endpoint;
  gchar *topic = has_gone ? NULL : robocache_dds_topic_of (sample->topic_name);

  if (!has_gone && !topic)
    return NULL;
  endpoint = g_new0 (RobocacheDdsEndpoint, 1);
  endpoint->id = info->instance_handle;
  endpoint->topic = topic;
  if (has_gone)
    return endpoint;
  memcpy (endpoint->guid, sample->key.v, sizeof (endpoint->guid));
  endpoint->type = robocache_dds_type_of (sample->type_name);
  if (!endpoint->type)
    endpoint->type = g_strdup ("");
  read_qos (endpoint, sample->qos);
  return endpoint;
}

static void
report (dds_entity_t reader, void *data)
{
  RobocacheDdsEndpoints *endpoints = data;
  dds_sample_info_t infos[MAX_SAMPLES];
  void *samples[MAX_SAMPLES] = { NULL };
  dds_return_t n;

  while ((n = dds_take (reader, samples, infos, MAX_SAMPLES, MAX_SAMPLES)) > 0) {
    for (dds_return_t i = 0; i < n; i++) {
      RobocacheDdsEndpoint *endpoint = endpoint_of (samples[i], &infos[i]);

      if (endpoint)
        endpoints->func (endpoints->user_data, endpoint);
    }
    dds_return_loan (reader, samples, n);
    samples[0] = NULL;
  }
}

RobocacheDdsEndpoints *
robocache_dds_endpoints_new (RobocacheDdsParticipant *participant, RobocacheDdsEndpointFunc func, gpointer user_data, GError **error)
{
  RobocacheDdsEndpoints *endpoints = g_new0 (RobocacheDdsEndpoints, 1);
  dds_listener_t *listener = dds_create_listener (endpoints);

  endpoints->func = func;
  endpoints->user_data = user_data;
  dds_lset_data_available (listener, report);
  endpoints->reader = dds_create_reader (robocache_dds_participant_entity (participant), DDS_BUILTIN_TOPIC_DCPSPUBLICATION, NULL, listener);
  dds_delete_listener (listener);
  if (endpoints->reader >= 0)
    return endpoints;
  robocache_dds_set_error (error, endpoints->reader, "publishers cannot be watched");
  g_free (endpoints);
  return NULL;
}

void
robocache_dds_endpoints_free (RobocacheDdsEndpoints *endpoints)
{
  dds_delete (endpoints->reader);
  g_free (endpoints);
}
