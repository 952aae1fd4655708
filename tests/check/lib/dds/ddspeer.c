/* robocache: publishers and readers of DDS in another process, on a network of the test's own
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "ddspeer.h"

#include <arpa/inet.h>
#include <linux/if_ether.h>
#include <net/if.h>
#include <netpacket/packet.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "common/dds/endpoints.h"
#include "common/dds/reader.h"
#include "common/dds/writer.h"
#include "common/ros/definitions.h"
#include "tests/check/lib/messagetext.h"

#define PEER_VARIABLE "ROBOCACHE_DDS_PEER"
/* Set for a peer that is another host. */
#define HOST_VARIABLE "ROBOCACHE_DDS_PEER_HOST"
#define OWN_ADDRESS "10.77.0.1"
#define POLL_US 1000

/* ---- a network of its own ---- */

gboolean
dds_set_loopback (gboolean is_up)
{
  const int fd = socket (AF_INET, SOCK_DGRAM, 0);
  struct ifreq request = {.ifr_name = "lo" };
  gboolean is_set = fd >= 0 && ioctl (fd, SIOCGIFFLAGS, &request) == 0;

  request.ifr_flags = (short) (is_up ? request.ifr_flags | IFF_UP : request.ifr_flags & ~IFF_UP);
  is_set = is_set && ioctl (fd, SIOCSIFFLAGS, &request) == 0;
  if (fd >= 0)
    close (fd);
  return is_set;
}

/* ---- the peer ---- */

typedef struct
{
  RobocacheDdsWriter *writer;
  RobocacheRosSchema *schema;   /* NULL: not a built-in type */
} PeerTopic;

typedef struct
{
  RobocacheDdsReader *reader;
  GAsyncQueue *messages;        /* RobocacheDdsMessage */
} PeerReader;

typedef struct
{
  RobocacheDdsParticipant *participant;
  GArray *topics;               /* PeerTopic */
  GArray *readers;              /* PeerReader */
  GAsyncQueue *publishers;      /* RobocacheDdsEndpoint */
  GString *reply;
} Served;

guint8 *
bytes_of_message (guint i, gsize size)
{
  guint8 *bytes = g_malloc (size);

  for (gsize k = 0; k < size; k++)
    bytes[k] = (guint8) (k < 4 ? k == 1 : k * 7 + i);
  return bytes;
}

static void
open_topic (RobocacheDdsParticipant *participant, GArray *topics, gchar **words)
{
  const RobocacheDdsTopic settings = { words[0], words[1], g_str_equal (words[2], "reliable"), g_str_equal (words[3], "transient"),
    (guint) atoi (words[4]), g_str_equal (words[5], "-") ? NULL : words[5]
  };
  gchar *text = robocache_ros_schema_text (words[1]);
  PeerTopic topic = { robocache_dds_writer_new (participant, &settings, 0, NULL), NULL };

  g_assert_nonnull (topic.writer);
  if (text)
    topic.schema = robocache_ros_schema_parse (words[1], text, strlen (text), NULL);
  g_free (text);
  g_array_append_val (topics, topic);
}

static void
close_topic (PeerTopic *topic)
{
  g_clear_pointer (&topic->writer, robocache_dds_writer_free);
  robocache_ros_schema_free (g_steal_pointer (&topic->schema));
}

static void
send_text (const PeerTopic *topic, gint64 source_ns, const gchar *text)
{
  RobocacheCdrWriter writer = { 0 };

  write_text (&writer, topic->schema, text);
  g_assert_true (robocache_dds_writer_write (topic->writer, writer.data, writer.size, source_ns, NULL));
  robocache_cdr_writer_clear (&writer);
}

static void
send_hex (const PeerTopic *topic, gint64 source_ns, const gchar *digits)
{
  GByteArray *bytes = bytes_of_hex (digits);

  g_assert_true (robocache_dds_writer_write (topic->writer, bytes->data, bytes->len, source_ns, NULL));
  g_byte_array_unref (bytes);
}

static void
send_bytes (const PeerTopic *topic, gint64 source_ns, const gchar *counts)
{
  guint n = 0;
  gsize size = 0;

  g_assert_cmpint (sscanf (counts, "%u %zu", &n, &size), ==, 2);
  for (guint i = 0; i < n; i++) {
    guint8 *bytes = bytes_of_message (i, size);

    g_assert_true (robocache_dds_writer_write (topic->writer, bytes, size, source_ns, NULL));
    g_free (bytes);
  }
}

static void
reply_tag (Served *served)
{
  const RobocacheDdsNetwork network = {.discovery = ROBOCACHE_DDS_DISCOVERY_OFF,.peers = (gchar *[]) {NULL} };
  gchar *config = robocache_dds_network_config (&network, 1);

  g_string_printf (served->reply, "%.*s", (gint) (strstr (config, "</Tag>") - strstr (config, "<Tag>")), strstr (config, "<Tag>"));
  g_free (config);
}

static void
wait_for_readers (const PeerTopic *topic, guint n)
{
  while (robocache_dds_writer_count_readers (topic->writer) != n)
    g_usleep (POLL_US);
}

static void
put_message (gpointer user_data, RobocacheDdsMessage *message)
{
  g_async_queue_push (user_data, message);
}

static void
open_reader (Served *served, gchar **words)
{
  const RobocacheDdsTopic settings = { words[0], words[1], g_str_equal (words[2], "reliable"), g_str_equal (words[3], "transient"),
    (guint) atoi (words[4])
  };
  PeerReader reader = {.messages = g_async_queue_new_full ((GDestroyNotify) robocache_dds_message_free) };

  reader.reader = robocache_dds_reader_new (served->participant, &settings, put_message, reader.messages, NULL);
  g_assert_nonnull (reader.reader);
  g_array_append_val (served->readers, reader);
}

static void
reply_message (Served *served, const PeerReader *reader)
{
  RobocacheDdsMessage *message = g_async_queue_pop (reader->messages);
  gchar *digits = hex_of_bytes (message->data, message->size);

  g_string_printf (served->reply, "%" G_GINT64_FORMAT " %" G_GINT64_FORMAT " %s", message->source_ns, message->arrival_ns, digits);
  g_free (digits);
  robocache_dds_message_free (message);
}

static void
put_publisher (gpointer user_data, RobocacheDdsEndpoint *endpoint)
{
  g_async_queue_push (user_data, endpoint);
}

/* Of one topic; those of others wait for their turn. */
static void
reply_publisher (Served *served, const gchar *topic)
{
  RobocacheDdsEndpoint *endpoint = g_async_queue_pop (served->publishers);

  while (g_strcmp0 (endpoint->topic, topic) != 0) {
    g_async_queue_push (served->publishers, endpoint);
    g_usleep (POLL_US);
    endpoint = g_async_queue_pop (served->publishers);
  }
  g_string_printf (served->reply, "%s %s %s %s", endpoint->type, endpoint->is_reliable ? "reliable" : "best", endpoint->is_transient_local ? "transient"
      : "volatile", endpoint->type_hash ? endpoint->type_hash : "-");
  robocache_dds_endpoint_free (endpoint);
}

/* FALSE: it is no command of readers. */
static gboolean
obey_as_reader (Served *served, gchar **words)
{
  PeerReader *reader = words[1] ? &g_array_index (served->readers, PeerReader, (guint) atoi (words[1])) : NULL;

  if (g_str_equal (words[0], "listen"))
    open_reader (served, words + 1);
  else if (g_str_equal (words[0], "next"))
    reply_message (served, reader);
  else if (g_str_equal (words[0], "publisher"))
    reply_publisher (served, words[1]);
  else if (g_str_equal (words[0], "count"))
    g_string_printf (served->reply, "%d", g_async_queue_length (reader->messages));
  else
    return FALSE;
  return TRUE;
}

static void
obey (Served *served, const gchar *line)
{
  gchar **words = g_strsplit (line, " ", 7), **rest = g_strsplit (line, " ", 4);
  PeerTopic *topic = words[1] && !g_str_equal (words[0], "open") ? &g_array_index (served->topics, PeerTopic, (guint) atoi (words[1])) : NULL;

  g_string_assign (served->reply, "done");
  if (!words[1])
    reply_tag (served);
  else if (obey_as_reader (served, words))
    topic = NULL;
  else if (!topic)
    open_topic (served->participant, served->topics, words + 1);
  else if (g_str_equal (words[0], "wait"))
    wait_for_readers (topic, (guint) atoi (words[2]));
  else if (g_str_equal (words[0], "text"))
    send_text (topic, g_ascii_strtoll (rest[2], NULL, 10), rest[3]);
  else if (g_str_equal (words[0], "hex"))
    send_hex (topic, g_ascii_strtoll (rest[2], NULL, 10), rest[3]);
  else if (g_str_equal (words[0], "bytes"))
    send_bytes (topic, g_ascii_strtoll (rest[2], NULL, 10), rest[3]);
  else
    close_topic (topic);
  g_strfreev (words);
  g_strfreev (rest);
}

static void
reply (const gchar *text)
{
  printf ("%s\n", text);
  fflush (stdout);
}

/* Waits for its end of the cable. */
static void
become_host (void)
{
  gint c;

  g_assert_cmpint (unshare (CLONE_NEWNET), ==, 0);
  reply ("done");
  do
    c = getchar ();
  while (c != '\n' && c != EOF);
  g_assert_cmpint (system ("ip link set lo up && ip addr add " DDS_OTHER_HOST "/24 dev v1 && ip link set v1 up"), ==, 0);
  reply ("done");
}

/* Standard output belongs to the replies. */
static void
serve (gint domain)
{
  const gboolean is_host = g_getenv (HOST_VARIABLE) != NULL;
  RobocacheDdsNetwork network;
  Served served = { NULL, g_array_new (FALSE, TRUE, sizeof (PeerTopic)), g_array_new (FALSE, TRUE, sizeof (PeerReader)),
    g_async_queue_new (), g_string_new (NULL)
  };
  RobocacheDdsEndpoints *endpoints;
  GError *error = NULL;
  gchar *line = NULL;
  gsize size = 0;

  if (is_host)
    become_host ();
  g_assert_true (robocache_dds_network_init (&network, domain, is_host ? ROBOCACHE_DDS_DISCOVERY_SUBNET : ROBOCACHE_DDS_DISCOVERY_LOCALHOST,
          is_host ? OWN_ADDRESS : NULL, NULL));
  network.max_message_bytes = G_MAXINT32;
  served.participant = robocache_dds_participant_open (&network, &error);
  g_assert_no_error (error);
  endpoints = robocache_dds_endpoints_new (served.participant, put_publisher, served.publishers, &error);
  g_assert_no_error (error);
  while (getline (&line, &size, stdin) > 0) {
    obey (&served, g_strchomp (line));
    reply (served.reply->str);
  }
  for (guint i = 0; i < served.topics->len; i++)
    close_topic (&g_array_index (served.topics, PeerTopic, i));
  for (guint i = 0; i < served.readers->len; i++) {
    robocache_dds_reader_free (g_array_index (served.readers, PeerReader, i).reader);
    g_async_queue_unref (g_array_index (served.readers, PeerReader, i).messages);
  }
  robocache_dds_endpoints_free (endpoints);
  robocache_dds_participant_close (served.participant);
  robocache_dds_network_clear (&network);
  g_array_unref (served.topics);
  g_array_unref (served.readers);
  g_async_queue_unref (served.publishers);
  g_string_free (served.reply, TRUE);
  free (line);
}

void
dds_clear_environment (void)
{
  for (const gchar *const *each = (const gchar * const[]) {"ROS_DOMAIN_ID", "ROS_LOCALHOST_ONLY", "ROS_AUTOMATIC_DISCOVERY_RANGE",
          "ROS_STATIC_PEERS", "CYCLONEDDS_URI", "ROS_SECURITY_ENABLE", "ROS_SECURITY_ENCLAVE_OVERRIDE", NULL}; *each; each++)
    g_unsetenv (*each);
}

gboolean
dds_network_begin (const gchar *name)
{
  const gchar *domain = g_getenv (PEER_VARIABLE);

  if (domain) {
    serve (atoi (domain));
    exit (0);
  }
  dds_clear_environment ();
  if ((unshare (CLONE_NEWNET) == 0 || unshare (CLONE_NEWUSER | CLONE_NEWNET) == 0) && dds_set_loopback (TRUE))
    return TRUE;
  g_print ("SKIP %s: this process may not have a network namespace of its own\n", name);
  return FALSE;
}

/* ---- the test's side ---- */

static Peer *
start (guint domain, gboolean is_host)
{
  gchar *arguments[] = { (gchar *) "/proc/self/exe", NULL };
  gchar *number = g_strdup_printf ("%u", domain), **environment = g_environ_setenv (g_get_environ (), PEER_VARIABLE, number, TRUE);
  Peer *peer = g_new0 (Peer, 1);
  gint in, out;
  gchar *self = g_file_read_link (arguments[0], NULL);

  arguments[0] = self;
  if (is_host)
    environment = g_environ_setenv (environment, HOST_VARIABLE, "1", TRUE);
  fail_unless (g_spawn_async_with_pipes (NULL, arguments, environment, G_SPAWN_DO_NOT_REAP_CHILD, NULL, NULL, &peer->pid, &in, &out, NULL,
          NULL));
  peer->commands = fdopen (in, "w");
  peer->replies = fdopen (out, "r");
  g_strfreev (environment);
  g_free (number);
  g_free (self);
  return peer;
}

Peer *
peer_start (guint domain)
{
  return start (domain, FALSE);
}

const gchar *
peer_do (Peer *peer, const gchar *format, ...)
{
  static gchar *reply;
  static size_t size;
  va_list args;

  va_start (args, format);
  vfprintf (peer->commands, format, args);
  va_end (args);
  fputc ('\n', peer->commands);
  fflush (peer->commands);
  fail_unless (getline (&reply, &size, peer->replies) > 0, "the peer ended");
  return g_strchomp (reply);
}

/* A socket that sees what comes over the cable, before any filter of another socket. */
static gint packets = -1;

void
peer_wait_for_packets_of_host (guint n)
{
  guint8 packet[2048];

  while (n > 0) {
    const gssize size = recv (packets, packet, sizeof (packet), 0);

    fail_unless (size > 0);
    n -= size > 32 && memcmp (packet + 28, "RTPS", 4) == 0;
  }
  close (packets);
}

static void
watch_cable (void)
{
  const struct sockaddr_ll cable = {.sll_family = AF_PACKET,.sll_protocol = htons (ETH_P_IP),.sll_ifindex = (gint) if_nametoindex ("v0") };

  packets = socket (AF_PACKET, SOCK_DGRAM, htons (ETH_P_IP));
  fail_unless (packets >= 0 && bind (packets, (const struct sockaddr *) &cable, sizeof (cable)) == 0);
}

Peer *
peer_start_on_host (guint domain)
{
  Peer *peer;
  gchar *command;
  gint status;

  if (system ("ip link del v0 2>/dev/null; ip link add v0 type veth peer name v1 && ip addr add " OWN_ADDRESS "/24 dev v0 && ip link set v0 up") != 0)
    return NULL;
  watch_cable ();
  peer = start (domain, TRUE);
  fail_unless (fgetc (peer->replies) != EOF);
  while (fgetc (peer->replies) != '\n');
  command = g_strdup_printf ("ip link set v1 netns %d", (gint) peer->pid);
  status = system (command);
  fail_unless_equals_int (status, 0);
  g_free (command);
  peer_do (peer, "go");
  return peer;
}

static void
peer_free (Peer *peer)
{
  gint status;

  fclose (peer->commands);
  waitpid (peer->pid, &status, 0);
  fclose (peer->replies);
  g_free (peer);
}

void
peer_stop (Peer *peer)
{
  peer_free (peer);
}

void
peer_kill (Peer *peer)
{
  kill (peer->pid, SIGKILL);
  peer_free (peer);
}
