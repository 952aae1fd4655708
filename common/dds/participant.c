/* robocache: the participant of this process in a domain of DDS, shared by all that use the domain
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "participant.h"

#include <dds/dds.h>
#include <string.h>

#include "common/element/errordomain.h"
#include "cyclone.h"
#include "hostfilter.h"
#include "oversize.h"
#include "plain/rosnames.h"
#include "security.h"

/* User data that marks a participant as a context of ROS 2. */
#define PARTICIPANT_USER_DATA "enclave=/;"

struct _RobocacheDdsParticipant
{
  RobocacheDdsNetwork network;
  guint n_users;                /* lock of the list */
  dds_entity_t domain, entity, topic;
  const struct ddsi_sertype *type;      /* of the topic: by it the domain is known */
};

static GMutex lock;             /* of the list */
static GPtrArray *participants;

static GMutex log_lock;        /* of the line */
static gchar last_log[512];

/* ---- the log of Cyclone ---- */

/* A peer that sends malformed packets would fill the terminal, so only the last line is kept, for errors of ours. */
static void
write_log (void *user_data, const dds_log_data_t *data)
{
  g_mutex_lock (&log_lock);
  g_strlcpy (last_log, data->message, MIN (sizeof (last_log), data->size + 1));
  g_strchomp (last_log);
  robocache_dds_oversize_read_log (last_log);
  g_mutex_unlock (&log_lock);
}

void
robocache_dds_set_error (GError **error, gint32 result, const gchar *what)
{
  g_mutex_lock (&log_lock);
  g_set_error (error, ROBOCACHE_ERROR, ROBOCACHE_ERROR_PROPERTY, "%s: Cyclone DDS answers %s%s%s", what, dds_strretcode (result),
      *last_log ? "; its log ends with: " : "", last_log);
  g_mutex_unlock (&log_lock);
}

/* ---- opening ---- */

static gboolean
open_topic (RobocacheDdsParticipant *participant, GError **error)
{
  gchar *type = robocache_dds_type_name (ROBOCACHE_DDS_NODES_TYPE);

  participant->topic = robocache_cyclone_topic_new (participant->entity, ROBOCACHE_DDS_NODES_TOPIC, type, &participant->type);
  g_free (type);
  if (participant->topic < 0)
    robocache_dds_set_error (error, participant->topic, "no topic can be made");
  return participant->topic >= 0;
}

static gboolean
keep_out_others (RobocacheDdsParticipant *participant, GError **error)
{
  RobocacheDdsHostFilter filter;
  struct sock_fprog program;

  if (participant->network.discovery == ROBOCACHE_DDS_DISCOVERY_SUBNET)
    return TRUE;
  if (!robocache_dds_host_filter_init (&filter, participant->network.peers, error))
    return FALSE;
  program = (struct sock_fprog) {(unsigned short) filter.n, filter.code};
  return robocache_cyclone_filter (participant->type, &program, error);
}

static gboolean
open_domain (RobocacheDdsParticipant *participant, GError **error)
{
  /* Cyclone refuses an interface twice: the loopback one where a card has no link yet, and those that CYCLONEDDS_URI names */
  const guint least = g_getenv ("CYCLONEDDS_URI") ? 0 : 1;

  participant->domain = DDS_RETCODE_ERROR;
  for (guint n = 3; participant->domain == DDS_RETCODE_ERROR && n-- > least;) {
    gchar *config = robocache_dds_network_config (&participant->network, n);

    participant->domain = dds_create_domain (participant->network.domain, config);
    g_free (config);
  }
  if (participant->domain == DDS_RETCODE_PRECONDITION_NOT_MET)
    g_set_error (error, ROBOCACHE_ERROR, ROBOCACHE_ERROR_PROPERTY,
        "another library of this process has opened domain %u: its network settings cannot be changed", participant->network.domain);
  else if (participant->domain < 0)
    robocache_dds_set_error (error, participant->domain, "the domain cannot be opened");
  return participant->domain >= 0;
}

static gboolean
join_domain (RobocacheDdsParticipant *participant, GError **error)
{
  RobocacheDdsEnclave enclave;
  const gboolean is_found = robocache_dds_enclave_init (&enclave, error);

  participant->entity = DDS_RETCODE_ERROR;
  if (is_found) {
    dds_qos_t *qos = dds_create_qos ();

    dds_qset_userdata (qos, PARTICIPANT_USER_DATA, strlen (PARTICIPANT_USER_DATA));
    robocache_dds_security_apply (qos, &enclave);
    participant->entity = dds_create_participant (participant->network.domain, qos, NULL);
    dds_delete_qos (qos);
    if (participant->entity < 0)
      robocache_dds_set_error (error, participant->entity, "no participant can be made");
  }
  robocache_dds_enclave_clear (&enclave);
  return participant->entity >= 0;
}

static gboolean
open_participant (RobocacheDdsParticipant *participant, GError **error)
{
  if (!open_domain (participant, error) || !join_domain (participant, error))
    return FALSE;
  if (!open_topic (participant, error))
    return FALSE;
  /* at once: names of peers may take seconds to resolve */
  robocache_cyclone_refuse_types (participant->entity, participant->type);
  robocache_cyclone_announce_owners (participant->type);
  return keep_out_others (participant, error);
}

static void
participant_free (RobocacheDdsParticipant *participant)
{
  if (participant->domain > 0)
    dds_delete (participant->domain);
  robocache_dds_network_clear (&participant->network);
  g_free (participant);
}

static RobocacheDdsParticipant *
participant_new (const RobocacheDdsNetwork *network, GError **error)
{
  RobocacheDdsParticipant *participant = g_new0 (RobocacheDdsParticipant, 1);

  participant->network = *network;
  participant->network.peers = g_strdupv (network->peers);
  if (open_participant (participant, error))
    return participant;
  participant_free (participant);
  return NULL;
}

/* ---- sharing ---- */

static RobocacheDdsParticipant *
find (guint32 domain)
{
  for (guint i = 0; i < participants->len; i++) {
    RobocacheDdsParticipant *participant = g_ptr_array_index (participants, i);

    if (participant->network.domain == domain)
      return participant;
  }
  return NULL;
}

/* Called with the lock. */
static RobocacheDdsParticipant *
open_locked (const RobocacheDdsNetwork *network, GError **error)
{
  RobocacheDdsParticipant *participant;

  if (!participants) {
    participants = g_ptr_array_new ();
    dds_set_log_sink (write_log, NULL);
  }
  participant = find (network->domain);
  if (participant && !robocache_dds_network_equal (&participant->network, network)) {
    g_set_error (error, ROBOCACHE_ERROR, ROBOCACHE_ERROR_PROPERTY,
        "another element has opened domain %u with discovery=%s: set the same discovery and peers in all elements", network->domain,
        robocache_dds_discovery_name (participant->network.discovery));
    return NULL;
  }
  if (participant && participant->network.max_message_bytes < network->max_message_bytes) {
    g_set_error (error, ROBOCACHE_ERROR, ROBOCACHE_ERROR_PROPERTY, "another element has opened domain %u with max-message-bytes=%" G_GUINT64_FORMAT
        ": set the same there", network->domain, participant->network.max_message_bytes);
    return NULL;
  }
  if (!participant) {
    participant = participant_new (network, error);
    if (participant)
      g_ptr_array_add (participants, participant);
  }
  if (participant)
    participant->n_users++;
  return participant;
}

RobocacheDdsParticipant *
robocache_dds_participant_open (const RobocacheDdsNetwork *network, GError **error)
{
  RobocacheDdsParticipant *participant;

  g_mutex_lock (&lock);
  participant = open_locked (network, error);
  g_mutex_unlock (&lock);
  return participant;
}

void
robocache_dds_participant_close (RobocacheDdsParticipant *participant)
{
  g_mutex_lock (&lock);
  if (--participant->n_users == 0) {
    g_ptr_array_remove (participants, participant);
    participant_free (participant);
  }
  g_mutex_unlock (&lock);
}

const RobocacheDdsNetwork *
robocache_dds_participant_network (const RobocacheDdsParticipant *participant)
{
  return &participant->network;
}

gboolean
robocache_dds_participant_is_remote (const RobocacheDdsParticipant *participant, const guint8 *guid)
{
  return robocache_cyclone_is_remote (participant->type, guid);
}

gint32
robocache_dds_participant_entity (const RobocacheDdsParticipant *participant)
{
  return participant->entity;
}
