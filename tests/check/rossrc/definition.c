/* robocache: robocacherossrc and a node that is asked for the definition of its messages
 *
 * The node is played: the peer writes what it would write, and the test reads what it would read.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include <dds/dds.h>
#include <string.h>

#include "common/ros/cdr.h"
#include "common/ros/typehash.h"
#include "tests/check/lib/checks.h"
#include "tests/check/lib/dds/live.h"

#define DOMAIN 41
#define TYPE "a_msgs/msg/B"
#define SERVICE "type_description_interfaces/srv/GetTypeDescription"
#define GUID_BYTES 16
/* Numbers of type_description_interfaces/msg/FieldType. */
#define INT32 6
#define FLOAT64 11

/* ---- the publisher ---- */

typedef struct
{
  GMutex lock;
  GCond changed;
  gboolean is_known;
  guint8 guid[GUID_BYTES];
} Publisher;

static void
note_publisher (dds_entity_t reader, void *data)
{
  Publisher *publisher = data;
  dds_sample_info_t info;
  void *samples[1] = { NULL };

  while (dds_take (reader, samples, &info, 1, 1) > 0) {
    const dds_builtintopic_endpoint_t *endpoint = samples[0];

    g_mutex_lock (&publisher->lock);
    if (info.valid_data && g_str_equal (endpoint->topic_name, "rt/x")) {
      memcpy (publisher->guid, endpoint->key.v, GUID_BYTES);
      publisher->is_known = TRUE;
      g_cond_signal (&publisher->changed);
    }
    g_mutex_unlock (&publisher->lock);
    dds_return_loan (reader, samples, 1);
    samples[0] = NULL;
  }
}

/* The test has another copy of common/dds than the plugin, so it takes part in the domain by itself. */
static void
find_publisher (Publisher *publisher)
{
  const dds_entity_t participant = dds_create_participant (DOMAIN, NULL, NULL);
  dds_listener_t *listener = dds_create_listener (publisher);

  dds_lset_data_available (listener, note_publisher);
  fail_unless (dds_create_reader (participant, DDS_BUILTIN_TOPIC_DCPSPUBLICATION, NULL, listener) > 0);
  dds_delete_listener (listener);
  g_mutex_lock (&publisher->lock);
  while (!publisher->is_known)
    g_cond_wait (&publisher->changed, &publisher->lock);
  g_mutex_unlock (&publisher->lock);
  dds_delete (participant);
}

/* ---- what the node writes ---- */

static void
send_message (Live *live, guint writer, gint64 source_ns, RobocacheCdrWriter *message)
{
  gchar *digits = hex_of_bytes (message->data, message->size);

  peer_do (live->peer, "hex %u %" G_GINT64_FORMAT " %s", writer, source_ns, digits);
  g_free (digits);
  robocache_cdr_writer_clear (message);
}

/* rmw_dds_common/msg/ParticipantEntitiesInfo. */
static void
send_nodes (Live *live, guint writer, const guint8 *guid)
{
  RobocacheCdrWriter message = { 0 };

  robocache_cdr_writer_begin (&message);
  robocache_cdr_write_array (&message, guid, 1, GUID_BYTES);
  robocache_cdr_write_uint32 (&message, 2);
  for (guint i = 0; i < 2; i++) {
    robocache_cdr_write_string (&message, "/left");
    robocache_cdr_write_string (&message, i == 0 ? "other" : "n");
    robocache_cdr_write_uint32 (&message, 0);
    robocache_cdr_write_uint32 (&message, i);
    robocache_cdr_write_array (&message, guid, 1, i * GUID_BYTES);
  }
  send_message (live, writer, 1, &message);
}

static void
write_field (RobocacheCdrWriter *message, const gchar *name, guint8 type)
{
  robocache_cdr_write_string (message, name);
  robocache_cdr_write_uint8 (message, type);
  robocache_cdr_write_uint64 (message, 0);
  robocache_cdr_write_uint64 (message, 0);
  robocache_cdr_write_string (message, "");
  robocache_cdr_write_string (message, "");
}

/* A type of two fields, as rmw_cyclonedds_cpp sends it: with sixteen bytes of its own. */
static void
send_answer (Live *live, guint writer, guint8 first, guint8 second)
{
  RobocacheCdrWriter message = { 0 };

  robocache_cdr_writer_begin (&message);
  robocache_cdr_write_uint64 (&message, 0);
  robocache_cdr_write_uint64 (&message, 1);
  robocache_cdr_write_uint8 (&message, TRUE);
  robocache_cdr_write_string (&message, "");
  robocache_cdr_write_string (&message, TYPE);
  robocache_cdr_write_uint32 (&message, 2);
  write_field (&message, "a", first);
  write_field (&message, "b", second);
  robocache_cdr_write_uint32 (&message, 0);
  robocache_cdr_write_uint32 (&message, 0);
  robocache_cdr_write_uint32 (&message, 0);
  send_message (live, writer, 1, &message);
}

static void
send_b (Live *live, guint writer, gint64 source_ns)
{
  const gdouble a = 1.5;
  RobocacheCdrWriter message = { 0 };

  robocache_cdr_writer_begin (&message);
  robocache_cdr_write_array (&message, &a, sizeof (a), 1);
  robocache_cdr_write_int32 (&message, -7);
  send_message (live, writer, source_ns, &message);
}

/* ---- the test ---- */

/* A definition counts if it has the hash that the publisher offers: an answer to somebody else comes first. */
GST_START_TEST (test_definition)
{
  RobocacheRosSchema *schema = robocache_ros_schema_parse (TYPE, "float64 a\nint32 b\n", 18, NULL);
  gchar *hash = robocache_ros_type_hash (schema);
  Publisher publisher = { 0 };
  Live live;

  live_begin (&live, DOMAIN, "topics=/x definition-timeout=100000000000");
  live_play (&live);
  peer_do (live.peer, "open /x " TYPE " reliable transient 1 %s", hash);
  send_b (&live, 0, live.origin_ns + 5 * (gint64) GST_MSECOND);
  peer_do (live.peer, "open ros_discovery_info rmw_dds_common/msg/ParticipantEntitiesInfo reliable transient 1 -");
  peer_do (live.peer, "open rr/left/n/get_type_descriptionReply " SERVICE "_Response reliable volatile 10 -");
  find_publisher (&publisher);
  send_nodes (&live, 1, publisher.guid);
  peer_do (live.peer, "wait 2 1");
  send_answer (&live, 2, INT32, FLOAT64);
  send_answer (&live, 2, FLOAT64, INT32);
  wait_for_buffers (&live, 1);
  expect_pads (&live, "src_0 /x: caps[other/tensors float64 2 a,b] 5=1.5,-7; ");
  fail_unless_equals_uint64 (live_count (&live, "refused"), 0);
  live_end (&live);
  robocache_ros_schema_free (schema);
  g_free (hash);
}

GST_END_TEST;

CHECK_MAIN_IF (definition, dds_network_begin ("definition"), NULL, NULL, ONCE (test_definition));
