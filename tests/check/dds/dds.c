/* robocache: topics of DDS as bytes: names, networks, and messages between participants of one process and of two
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include <string.h>

#include "common/dds/endpoints.h"
#include "common/dds/hostfilter.h"
#include "common/dds/oversize.h"
#include "common/dds/reader.h"
#include "common/dds/plain/rosnames.h"
#include "common/dds/typequery.h"
#include "common/dds/writer.h"
#include "common/ros/cdr.h"
#include "tests/check/lib/checks.h"
#include "tests/check/lib/dds/ddspeer.h"

#define TYPE "test_msgs/msg/Bytes"

/* ---- names ---- */

static const struct
{
  const gchar *ros, *dds;
} topic_names[] = { {"/imu", "rt/imu"}, {"/left/arm/joint_states", "rt/left/arm/joint_states"} },
  type_names[] = { {"sensor_msgs/msg/Imu", "sensor_msgs::msg::dds_::Imu_"}, {"a_b/action/C", "a_b::action::dds_::C_"} };

GST_START_TEST (test_names)
{
  gchar *name;

  for (guint i = 0; i < G_N_ELEMENTS (topic_names); i++) {
    name = robocache_dds_topic_name (topic_names[i].ros);
    fail_unless_equals_string (name, topic_names[i].dds);
    g_free (name);
    name = robocache_dds_topic_of (topic_names[i].dds);
    fail_unless_equals_string (name, topic_names[i].ros);
    g_free (name);
    name = robocache_dds_type_name (type_names[i].ros);
    fail_unless_equals_string (name, type_names[i].dds);
    g_free (name);
    name = robocache_dds_type_of (type_names[i].dds);
    fail_unless_equals_string (name, type_names[i].ros);
    g_free (name);
  }
  fail_unless (robocache_dds_topic_of ("rq/add_two_intsRequest") == NULL);
  fail_unless (robocache_dds_topic_of ("ros_discovery_info") == NULL);
  fail_unless (robocache_dds_type_of ("Imu") == NULL && robocache_dds_type_of ("::dds_::x_") == NULL && robocache_dds_type_of ("a::msg::dds_::_")
      == NULL);
  name = robocache_dds_type_hash_of ("a=b;typehash=RIHS01_ab;c", 24);
  fail_unless_equals_string (name, "RIHS01_ab");
  g_free (name);
  fail_unless (robocache_dds_type_hash_of ("typehas", 7) == NULL && robocache_dds_type_hash_of (NULL, 0) == NULL);
}

GST_END_TEST;

/* A list of nodes that names the publisher, one that does not, and one that ends anywhere. */
GST_START_TEST (test_nodes)
{
  static const guint8 guids[2][ROBOCACHE_DDS_GUID_BYTES] = { {1, 15}, {1, 15, 2} };
  RobocacheCdrWriter writer = { 0 };
  gchar *node;

  robocache_cdr_writer_begin (&writer);
  robocache_cdr_write_array (&writer, guids, 1, ROBOCACHE_DDS_GUID_BYTES);
  robocache_cdr_write_uint32 (&writer, 1);
  robocache_cdr_write_string (&writer, "/");
  robocache_cdr_write_string (&writer, "n");
  robocache_cdr_write_uint32 (&writer, 1);
  robocache_cdr_write_array (&writer, guids[1], 1, ROBOCACHE_DDS_GUID_BYTES);
  robocache_cdr_write_uint32 (&writer, 1);
  robocache_cdr_write_array (&writer, guids[0], 1, ROBOCACHE_DDS_GUID_BYTES);
  node = robocache_dds_find_node (&(RobocacheDdsMessage) {.data = writer.data,.size = writer.size}, guids[0]);
  fail_unless_equals_string (node, "/n");
  g_free (node);
  fail_unless (robocache_dds_find_node (&(RobocacheDdsMessage) {.data = writer.data,.size = writer.size}, guids[1]) == NULL);
  for (gsize size = 0; size < writer.size; size++) {
    guint8 *copy = g_malloc (size);

    if (size > 0)
      memcpy (copy, writer.data, size);
    fail_unless (robocache_dds_find_node (&(RobocacheDdsMessage) {.data = copy,.size = size}, guids[0]) == NULL);
    g_free (copy);
  }
  robocache_cdr_writer_clear (&writer);
}

GST_END_TEST;

/* ---- networks ---- */

static const struct
{
  const gchar *domain, *localhost, *range, *peers;      /* of the environment */
  gint own_domain;
  RobocacheDdsDiscovery own_discovery;
  const gchar *own_peers;
  guint expected_domain;
  RobocacheDdsDiscovery expected;
  const gchar *expected_peers;
} networks[] = {
  {NULL, NULL, NULL, NULL, -1, ROBOCACHE_DDS_DISCOVERY_AUTO, NULL, 0, ROBOCACHE_DDS_DISCOVERY_LOCALHOST, ""},
  {"7", NULL, "SUBNET", "b; a ;", -1, ROBOCACHE_DDS_DISCOVERY_AUTO, "", 7, ROBOCACHE_DDS_DISCOVERY_SUBNET, "b+a"},
  {"7", "1", "SUBNET", NULL, 3, ROBOCACHE_DDS_DISCOVERY_AUTO, "c", 3, ROBOCACHE_DDS_DISCOVERY_LOCALHOST, "c"},
  {NULL, "0", "OFF", "a", -1, ROBOCACHE_DDS_DISCOVERY_AUTO, "c", 0, ROBOCACHE_DDS_DISCOVERY_OFF, ""},
  {NULL, NULL, "FAR", NULL, -1, ROBOCACHE_DDS_DISCOVERY_AUTO, NULL, 0, ROBOCACHE_DDS_DISCOVERY_LOCALHOST, ""},
  {NULL, "1", "OFF", "a", 232, ROBOCACHE_DDS_DISCOVERY_SUBNET, NULL, 232, ROBOCACHE_DDS_DISCOVERY_SUBNET, "a"},
};

static void
set_variable (const gchar *name, const gchar *value)
{
  if (value)
    g_setenv (name, value, TRUE);
  else
    g_unsetenv (name);
}

GST_START_TEST (test_networks)
{
  RobocacheDdsNetwork network;
  gchar *peers, *config, *again;

  set_variable ("ROS_DOMAIN_ID", networks[__i__].domain);
  set_variable ("ROS_LOCALHOST_ONLY", networks[__i__].localhost);
  set_variable ("ROS_AUTOMATIC_DISCOVERY_RANGE", networks[__i__].range);
  set_variable ("ROS_STATIC_PEERS", networks[__i__].peers);
  fail_unless (robocache_dds_network_init (&network, networks[__i__].own_domain, networks[__i__].own_discovery, networks[__i__].own_peers, NULL));
  fail_unless_equals_int (network.domain, networks[__i__].expected_domain);
  fail_unless_equals_int (network.discovery, networks[__i__].expected);
  peers = g_strjoinv ("+", network.peers);
  fail_unless_equals_string (peers, networks[__i__].expected_peers);
  g_free (peers);
  config = robocache_dds_network_config (&network, 2);
  fail_unless_equals_int (strstr (config, "<AllowMulticast>false") != NULL, network.discovery != ROBOCACHE_DDS_DISCOVERY_SUBNET);
  fail_unless_equals_int (strstr (config, "<Tag>") != NULL, network.discovery == ROBOCACHE_DDS_DISCOVERY_OFF);
  again = robocache_dds_network_config (&network, 2);
  fail_unless_equals_string (again, config);
  g_free (again);
  g_free (config);
  robocache_dds_network_clear (&network);
}

GST_END_TEST;

/* The peer is another process, which opens a domain that is cut off, too. */
GST_START_TEST (test_tag)
{
  const RobocacheDdsNetwork network = {.domain = 9,.discovery = ROBOCACHE_DDS_DISCOVERY_OFF,.peers = (gchar *[]) {NULL} };
  gchar *config = robocache_dds_network_config (&network, 1), *tag = strstr (config, "<Tag>");
  Peer *peer = peer_start (9);
  const gchar *other = peer_do (peer, "tag");

  fail_unless (tag && g_str_has_prefix (other, "<Tag>robocache_"), "%s", other);
  fail_unless (strlen (other) > 40 && strncmp (tag, other, 40) != 0, "%s", other);
  peer_stop (peer);
  g_free (config);
}

GST_END_TEST;

GST_START_TEST (test_wrong_domain)
{
  RobocacheDdsNetwork network;
  GError *error = NULL;

  g_setenv ("ROS_DOMAIN_ID", "233", TRUE);
  fail_if (robocache_dds_network_init (&network, -1, ROBOCACHE_DDS_DISCOVERY_AUTO, NULL, &error));
  fail_unless_equals_string (error->message, "ROS_DOMAIN_ID=233 is not a number from 0 to 232");
  g_error_free (error);
}

GST_END_TEST;

/* ---- what a reader or discovery reported ---- */

typedef struct
{
  GMutex lock;
  GCond changed;
  GPtrArray *messages;          /* RobocacheDdsMessage */
  GPtrArray *endpoints;         /* RobocacheDdsEndpoint */
} Reports;

static void
add_message (gpointer user_data, RobocacheDdsMessage *message)
{
  Reports *reports = user_data;

  g_mutex_lock (&reports->lock);
  g_ptr_array_add (reports->messages, message);
  g_cond_signal (&reports->changed);
  g_mutex_unlock (&reports->lock);
}

static void
add_endpoint (gpointer user_data, RobocacheDdsEndpoint *endpoint)
{
  Reports *reports = user_data;

  g_mutex_lock (&reports->lock);
  g_ptr_array_add (reports->endpoints, endpoint);
  g_cond_signal (&reports->changed);
  g_mutex_unlock (&reports->lock);
}

static void
reports_init (Reports *reports)
{
  g_mutex_init (&reports->lock);
  g_cond_init (&reports->changed);
  reports->messages = g_ptr_array_new_with_free_func ((GDestroyNotify) robocache_dds_message_free);
  reports->endpoints = g_ptr_array_new_with_free_func ((GDestroyNotify) robocache_dds_endpoint_free);
}

static void
reports_clear (Reports *reports)
{
  g_ptr_array_unref (reports->messages);
  g_ptr_array_unref (reports->endpoints);
  g_cond_clear (&reports->changed);
  g_mutex_clear (&reports->lock);
}

/* The test's limit of time ends a wait that never ends. */
static gpointer
wait_for (Reports *reports, GPtrArray *list, guint n)
{
  gpointer last;

  g_mutex_lock (&reports->lock);
  while (list->len < n)
    g_cond_wait (&reports->changed, &reports->lock);
  last = g_ptr_array_index (list, n - 1);
  g_mutex_unlock (&reports->lock);
  return last;
}

static RobocacheDdsParticipant *
open_domain_with (gint domain, const gchar *peers)
{
  RobocacheDdsNetwork network;
  RobocacheDdsParticipant *participant;
  GError *error = NULL;

  fail_unless (robocache_dds_network_init (&network, domain, ROBOCACHE_DDS_DISCOVERY_LOCALHOST, peers, NULL));
  network.max_message_bytes = 64 << 20;
  participant = robocache_dds_participant_open (&network, &error);
  fail_unless (participant != NULL, "%s", error ? error->message : "");
  robocache_dds_network_clear (&network);
  return participant;
}

static RobocacheDdsParticipant *
open_domain (gint domain)
{
  return open_domain_with (domain, NULL);
}

static RobocacheDdsReader *
open_reader (RobocacheDdsParticipant *participant, const gchar *topic, gboolean is_reliable, gboolean is_transient_local, Reports *reports)
{
  const RobocacheDdsTopic settings = { topic, TYPE, is_reliable, is_transient_local, 1000, NULL };
  RobocacheDdsReader *reader = robocache_dds_reader_new (participant, &settings, add_message, reports, NULL);

  fail_unless (reader != NULL);
  return reader;
}

/* A network pads messages to a multiple of four bytes. */
static void
expect_message (const RobocacheDdsMessage *message, guint i, gsize size, gint64 source_ns)
{
  guint8 *bytes = bytes_of_message (i, size);

  fail_unless (message->size >= size && message->size < size + 4);
  fail_unless (memcmp (message->data, bytes, size) == 0, "message %u differs", i);
  fail_unless_equals_int64 (message->source_ns, source_ns);
  fail_unless (message->arrival_ns > G_GINT64_CONSTANT (1500000000) * GST_SECOND);
  g_free (bytes);
}

/* ---- one process ---- */

static const gsize sizes[] = { 4, 5, 6, 7, 8, 1001, 100000, 3000001 };

GST_START_TEST (test_one_process)
{
  RobocacheDdsParticipant *participant = open_domain (1), *again = open_domain (1);
  const RobocacheDdsTopic settings = { "/bytes", TYPE, TRUE, FALSE, 10, NULL };
  RobocacheDdsWriter *writer = robocache_dds_writer_new (participant, &settings, 0, NULL);
  RobocacheDdsReader *reader;
  GError *error = NULL;
  Reports reports;

  fail_unless (participant == again);
  reports_init (&reports);
  reader = open_reader (again, "/bytes", TRUE, FALSE, &reports);
  for (guint i = 0; i < G_N_ELEMENTS (sizes); i++) {
    guint8 *bytes = bytes_of_message (i, sizes[i]);
    const RobocacheDdsMessage *message;

    fail_unless (robocache_dds_writer_write (writer, bytes, sizes[i], 1000 + i, &error));
    message = wait_for (&reports, reports.messages, i + 1);
    expect_message (message, i, sizes[i], 1000 + i);
    fail_unless_equals_uint64 (message->lost, 0);
    g_free (bytes);
  }
  fail_if (robocache_dds_writer_write (writer, "abc", 3, 0, &error));
  fail_unless_equals_string (error->message, "a message of /bytes has 3 bytes: it must have 4 bytes to 2 GiB");
  g_error_free (error);
  robocache_dds_reader_free (reader);
  robocache_dds_writer_free (writer);
  robocache_dds_participant_close (again);
  robocache_dds_participant_close (participant);
  reports_clear (&reports);
}

GST_END_TEST;

GST_START_TEST (test_other_settings)
{
  RobocacheDdsParticipant *participant = open_domain (1);
  RobocacheDdsNetwork network;
  GError *error = NULL;

  fail_unless (robocache_dds_network_init (&network, 1, ROBOCACHE_DDS_DISCOVERY_OFF, NULL, NULL));
  fail_unless (robocache_dds_participant_open (&network, &error) == NULL);
  fail_unless_equals_string (error->message,
      "another element has opened domain 1 with discovery=localhost: set the same discovery and peers in all elements");
  g_error_free (error);
  robocache_dds_participant_close (participant);
  /* nobody uses the domain now */
  participant = robocache_dds_participant_open (&network, NULL);
  fail_unless (participant != NULL);
  robocache_dds_participant_close (participant);
  robocache_dds_network_clear (&network);
}

GST_END_TEST;

/* ---- two processes ---- */

GST_START_TEST (test_two_processes)
{
  RobocacheDdsParticipant *participant = open_domain (2);
  Peer *peer = peer_start (2);
  RobocacheDdsReader *reader;
  Reports reports;
  guint n = 0;

  reports_init (&reports);
  reader = open_reader (participant, "/bytes", TRUE, FALSE, &reports);
  peer_do (peer, "open /bytes " TYPE " reliable volatile 1000 -");
  peer_do (peer, "wait 0 1");
  for (guint i = 0; i < G_N_ELEMENTS (sizes); i++) {
    peer_do (peer, "bytes 0 %u 3 %zu", 77 + i, sizes[i]);
    wait_for (&reports, reports.messages, n + 3);
    for (guint k = 0; k < 3; k++) {
      const RobocacheDdsMessage *message = g_ptr_array_index (reports.messages, n++);

      expect_message (message, k, sizes[i], 77 + i);
      fail_unless_equals_uint64 (message->sequence, n);
      fail_unless_equals_uint64 (message->lost, 0);
    }
  }
  peer_stop (peer);
  robocache_dds_reader_free (reader);
  robocache_dds_participant_close (participant);
  reports_clear (&reports);
}

GST_END_TEST;

/* A reader that comes late gets the last messages of a publisher that is transient local. */
GST_START_TEST (test_late_reader)
{
  RobocacheDdsParticipant *participant = open_domain (3);
  Peer *peer = peer_start (3);
  RobocacheDdsReader *reader;
  Reports reports;

  reports_init (&reports);
  peer_do (peer, "open /bytes " TYPE " reliable transient 2 -");
  peer_do (peer, "bytes 0 5 4 64");
  reader = open_reader (participant, "/bytes", TRUE, TRUE, &reports);
  wait_for (&reports, reports.messages, 2);
  expect_message (g_ptr_array_index (reports.messages, 0), 2, 64, 5);
  expect_message (g_ptr_array_index (reports.messages, 1), 3, 64, 5);
  peer_stop (peer);
  robocache_dds_reader_free (reader);
  robocache_dds_participant_close (participant);
  reports_clear (&reports);
}

GST_END_TEST;

GST_START_TEST (test_endpoints)
{
  RobocacheDdsParticipant *participant = open_domain (4);
  const RobocacheDdsEndpoint *endpoint, *gone;
  Peer *peer = peer_start (4);
  RobocacheDdsEndpoints *endpoints;
  Reports reports;

  reports_init (&reports);
  endpoints = robocache_dds_endpoints_new (participant, add_endpoint, &reports, NULL);
  peer_do (peer, "open /a/b " TYPE " best transient 2 RIHS01_12");
  endpoint = wait_for (&reports, reports.endpoints, 1);
  fail_unless_equals_string (endpoint->topic, "/a/b");
  fail_unless_equals_string (endpoint->type, TYPE);
  fail_unless_equals_string (endpoint->type_hash, "RIHS01_12");
  fail_unless (!endpoint->is_reliable && endpoint->is_transient_local);
  peer_do (peer, "close 0");
  gone = wait_for (&reports, reports.endpoints, 2);
  fail_unless (gone->topic == NULL);
  fail_unless_equals_uint64 (gone->id, endpoint->id);
  peer_do (peer, "open /c " TYPE " reliable volatile 2 -");
  endpoint = wait_for (&reports, reports.endpoints, 3);
  fail_unless (endpoint->type_hash == NULL && endpoint->is_reliable && !endpoint->is_transient_local);
  peer_stop (peer);
  robocache_dds_endpoints_free (endpoints);
  robocache_dds_participant_close (participant);
  reports_clear (&reports);
}

GST_END_TEST;

/* ---- packets that do not arrive ---- */

/* A best-effort message before both sides know each other is lost. Returns the number of the first one that arrives. */
static guint64
send_until_one_arrives (Peer *peer, Reports *reports)
{
  guint64 before;

  g_mutex_lock (&reports->lock);
  while (reports->messages->len == 0) {
    peer_do (peer, "bytes 0 1 1 64");
    g_cond_wait_until (&reports->changed, &reports->lock, g_get_monotonic_time () + 100 * G_TIME_SPAN_MILLISECOND);
  }
  before = ((const RobocacheDdsMessage *) g_ptr_array_index (reports->messages, 0))->sequence;
  g_mutex_unlock (&reports->lock);
  return before;
}

GST_START_TEST (test_losses)
{
  guint64 before;
  RobocacheDdsParticipant *participant = open_domain (5);
  const RobocacheDdsMessage *message;
  Peer *peer = peer_start (5);
  RobocacheDdsReader *reader;
  Reports reports;

  reports_init (&reports);
  reader = open_reader (participant, "/bytes", FALSE, FALSE, &reports);
  peer_do (peer, "open /bytes " TYPE " best volatile 10 -");
  peer_do (peer, "wait 0 1");
  before = send_until_one_arrives (peer, &reports);
  fail_unless (dds_set_loopback (FALSE));
  peer_do (peer, "bytes 0 2 5 64");
  fail_unless (dds_set_loopback (TRUE));
  peer_do (peer, "bytes 0 3 1 64");
  message = wait_for (&reports, reports.messages, 2);
  fail_unless_equals_uint64 (message->sequence, before + 6);
  fail_unless_equals_uint64 (message->lost, 5);
  peer_stop (peer);
  robocache_dds_reader_free (reader);
  robocache_dds_participant_close (participant);
  reports_clear (&reports);
}

GST_END_TEST;

/* ---- readers that replace others ---- */

static RobocacheDdsReader *
replace_reader (RobocacheDdsReader *reader, RobocacheDdsParticipant *participant, gboolean is_reliable, gboolean is_transient_local,
    Reports *reports)
{
  const RobocacheDdsTopic settings = { "/bytes", TYPE, is_reliable, is_transient_local, 1000, NULL };

  reader = robocache_dds_reader_replace (reader, participant, &settings, add_message, reports, NULL);
  fail_unless (reader != NULL);
  return reader;
}

static const struct
{
  gboolean is_reliable, is_transient_local;
} replacements[] = { {TRUE, TRUE}, {TRUE, FALSE}, {FALSE, FALSE} };

/* The history of a publisher is not delivered again, and nothing is lost between the readers. */
GST_START_TEST (test_replaced_reader)
{
  RobocacheDdsParticipant *participant = open_domain (7);
  Peer *peer = peer_start (7);
  RobocacheDdsReader *reader;
  Reports reports;

  reports_init (&reports);
  peer_do (peer, "open /bytes " TYPE " reliable transient 100 -");
  peer_do (peer, "bytes 0 5 3 64");
  reader = open_reader (participant, "/bytes", TRUE, TRUE, &reports);
  wait_for (&reports, reports.messages, 3);
  for (guint i = 0; i < G_N_ELEMENTS (replacements); i++) {
    peer_do (peer, "bytes 0 5 1 64");
    reader = replace_reader (reader, participant, replacements[i].is_reliable, replacements[i].is_transient_local, &reports);
    peer_do (peer, "bytes 0 5 1 64");
    wait_for (&reports, reports.messages, 5 + 2 * i);
  }
  for (guint i = 0; i < 9; i++) {
    const RobocacheDdsMessage *message = g_ptr_array_index (reports.messages, i);

    fail_unless_equals_uint64 (message->sequence, i + 1);
    fail_unless_equals_uint64 (message->lost, 0);
  }
  peer_stop (peer);
  robocache_dds_reader_free (reader);
  robocache_dds_participant_close (participant);
  fail_unless_equals_int (reports.messages->len, 9);
  reports_clear (&reports);
}

GST_END_TEST;

/* Losses while a reader takes the place of another one are counted. */
GST_START_TEST (test_losses_of_replaced_reader)
{
  RobocacheDdsParticipant *participant = open_domain (8);
  const RobocacheDdsMessage *message;
  Peer *peer = peer_start (8);
  RobocacheDdsReader *reader;
  Reports reports;
  guint64 before;

  reports_init (&reports);
  reader = open_reader (participant, "/bytes", FALSE, FALSE, &reports);
  peer_do (peer, "open /bytes " TYPE " best volatile 10 -");
  peer_do (peer, "wait 0 1");
  before = send_until_one_arrives (peer, &reports);
  fail_unless (dds_set_loopback (FALSE));
  peer_do (peer, "bytes 0 2 5 64");
  reader = replace_reader (reader, participant, FALSE, FALSE, &reports);
  fail_unless (dds_set_loopback (TRUE));
  peer_do (peer, "bytes 0 3 1 64");
  message = wait_for (&reports, reports.messages, 2);
  fail_unless_equals_uint64 (message->sequence, before + 6);
  fail_unless_equals_uint64 (message->lost, 5);
  peer_stop (peer);
  robocache_dds_reader_free (reader);
  robocache_dds_participant_close (participant);
  reports_clear (&reports);
}

GST_END_TEST;

/* Lines of Cyclone's log. */
static const struct
{
  const gchar *line;
  guint n;
} log_lines[] = {
  {"dropping oversize (70000 > 65536) sample 2 from remote writer 11001b0:37aa2149:db0f7c72:103 rt/x/geometry_msgs::msg::dds_::Wrench_", 1},
  {"dropping oversize (70000 > 65536) sample 2 from remote writer 11001b0:37aa2149:db0f7c72:103 rt/x/y/geometry_msgs::msg::dds_::Wrench_", 0},
  {"dropping oversize (70000 > 65536) sample 2 from remote writer 11001b0:37aa2149:db0f7c72:103 rt/xx/geometry_msgs::msg::dds_::Wrench_", 0},
  {"dropping oversize (70000 > 65536) SPDP sample 2 from remote writer 11001b0:37aa2149:db0f7c72:100c2", 0},
  {"dropping oversize (", 0},
  {"", 0},
};

GST_START_TEST (test_log_lines)
{
  RobocacheDdsOversize *oversize = robocache_dds_oversize_new ("rt/x");

  robocache_dds_oversize_read_log (log_lines[__i__].line);
  fail_unless_equals_uint64 (robocache_dds_oversize_count (oversize), log_lines[__i__].n);
  robocache_dds_oversize_free (oversize);
}

GST_END_TEST;

/* ---- other hosts ---- */

/* Runs a packet filter as the kernel does, for an IPv4 packet of this interface and source. TRUE: the packet passes. */
static gboolean
run_filter (const RobocacheDdsHostFilter *filter, guint32 interface, guint8 version, guint32 source)
{
  guint32 a = 0;

  for (guint i = 0; i < filter->n; i++) {
    const struct sock_filter *step = &filter->code[i];

    switch (step->code) {
      case BPF_LD | BPF_W | BPF_ABS:
        fail_unless (step->k == (guint32) (SKF_AD_OFF + SKF_AD_IFINDEX) || step->k == (guint32) SKF_NET_OFF + 12);
        a = step->k == (guint32) SKF_NET_OFF + 12 ? source : interface;
        break;
      case BPF_LD | BPF_B | BPF_ABS:
        fail_unless (step->k == (guint32) SKF_NET_OFF);
        a = (guint32) version << 4 | 5;
        break;
      case BPF_ALU | BPF_AND | BPF_K:
        a &= step->k;
        break;
      case BPF_JMP | BPF_JEQ | BPF_K:
        i += a == step->k ? step->jt : step->jf;
        break;
      default:
        fail_unless (step->code == (BPF_RET | BPF_K));
        return step->k > 0;
    }
  }
  ck_abort_msg ("the program has no end");
  return FALSE;
}

static const struct
{
  const gchar *peers;
  guint32 interface;
  guint8 version;
  guint32 source;
  gboolean passes;
} packets[] = {
  {"", 1, 4, 0x7f000001, TRUE},
  {"", 1, 4, 0x0a000001, TRUE},
  {"", 2, 4, 0x0a000001, FALSE},
  {"", 2, 4, 0x7f000001, FALSE},
  {"10.0.0.1", 1, 4, 0x0a000009, TRUE},
  {"10.0.0.1", 2, 4, 0x0a000001, TRUE},
  {"10.0.0.1", 2, 4, 0x0a000002, FALSE},
  {"10.0.0.1", 2, 6, 0x0a000001, FALSE},
  {"10.0.0.1;10.0.0.2;10.0.0.3", 3, 4, 0x0a000001, TRUE},
  {"10.0.0.1;10.0.0.2;10.0.0.3", 3, 4, 0x0a000003, TRUE},
  {"10.0.0.1;10.0.0.2;10.0.0.3", 3, 4, 0x0a000004, FALSE},
};

GST_START_TEST (test_packets)
{
  gchar **peers = g_strsplit (packets[__i__].peers, ";", -1);
  RobocacheDdsHostFilter filter;

  fail_unless (robocache_dds_host_filter_init (&filter, peers, NULL));
  fail_unless_equals_int (run_filter (&filter, packets[__i__].interface, packets[__i__].version, packets[__i__].source), packets[__i__].passes);
  g_strfreev (peers);
}

GST_END_TEST;

/* peer: the other host is one. Only then it is found, with its messages. */
static const struct
{
  const gchar *peer;
  gboolean is_found;
} hosts[] = { {DDS_OTHER_HOST, TRUE}, {NULL, FALSE} };

/* Another host announces itself to this one, which knows its own topics alone. */
GST_START_TEST (test_other_host)
{
  Peer *far = peer_start_on_host (6), *near;
  RobocacheDdsParticipant *participant;
  RobocacheDdsEndpoints *endpoints;
  RobocacheDdsReader *reader;
  Reports reports;
  guint n = 0;

  if (!far) {
    g_print ("SKIP test_other_host: no pair of network interfaces can be made\n");
    return;
  }
  reports_init (&reports);
  participant = open_domain_with (6, hosts[__i__].peer);
  endpoints = robocache_dds_endpoints_new (participant, add_endpoint, &reports, NULL);
  reader = open_reader (participant, "/far", TRUE, TRUE, &reports);
  peer_do (far, "open /far " TYPE " reliable transient 1 -");
  peer_do (far, "bytes 0 1 1 64");
  if (hosts[__i__].is_found)
    wait_for (&reports, reports.messages, 1);
  /* all that the other host says, and what a process of this host says after it */
  peer_wait_for_packets_of_host (3);
  near = peer_start (6);
  peer_do (near, "open /near " TYPE " reliable volatile 1 -");
  wait_for (&reports, reports.endpoints, hosts[__i__].is_found + 1);
  g_mutex_lock (&reports.lock);
  for (guint i = 0; i < reports.endpoints->len; i++)
    n += g_strcmp0 (((RobocacheDdsEndpoint *) g_ptr_array_index (reports.endpoints, i))->topic, "/far") == 0;
  fail_unless_equals_int (n, hosts[__i__].is_found);
  fail_unless_equals_int (reports.messages->len, hosts[__i__].is_found);
  g_mutex_unlock (&reports.lock);
  peer_stop (near);
  peer_kill (far);
  robocache_dds_reader_free (reader);
  robocache_dds_endpoints_free (endpoints);
  robocache_dds_participant_close (participant);
  reports_clear (&reports);
}

GST_END_TEST;

/* A name without an address, and more addresses than a program has jumps for. */
GST_START_TEST (test_wrong_peers)
{
  gchar *unknown[] = { (gchar *) "no.such.host.invalid", NULL }, *many[ROBOCACHE_DDS_MAX_PEER_ADDRESSES + 2] = { NULL };
  RobocacheDdsHostFilter filter;
  GError *error = NULL;

  fail_if (robocache_dds_host_filter_init (&filter, unknown, &error));
  fail_unless (g_str_has_prefix (error->message, "the peer no.such.host.invalid has no IPv4 address: "), "%s", error->message);
  g_clear_error (&error);
  for (guint i = 0; i <= ROBOCACHE_DDS_MAX_PEER_ADDRESSES; i++)
    many[i] = (gchar *) "10.0.0.1";
  fail_if (robocache_dds_host_filter_init (&filter, many, &error));
  fail_unless_equals_string (error->message, "peers have more than 64 addresses: set discovery=subnet");
  g_error_free (error);
}

GST_END_TEST;

CHECK_MAIN_IF (dds, dds_network_begin ("dds"), dds_clear_environment, NULL,
    ONCE (test_names);
    ONCE (test_nodes);
    EACH (networks, test_networks);
    ONCE (test_tag);
    ONCE (test_wrong_domain);
    ONCE (test_one_process);
    ONCE (test_other_settings);
    ONCE (test_two_processes);
    ONCE (test_late_reader);
    ONCE (test_endpoints);
    ONCE (test_losses);
    ONCE (test_replaced_reader);
    ONCE (test_losses_of_replaced_reader);
    EACH (log_lines, test_log_lines);
    EACH (packets, test_packets);
    EACH (hosts, test_other_host);
    ONCE (test_wrong_peers));
