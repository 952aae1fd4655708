/* robocache: which hosts a domain of DDS talks to
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "network.h"

#include <ifaddrs.h>
#include <net/if.h>
#include <netinet/in.h>

#include "common/element/errordomain.h"

/* Number of participants of a host that discovery without multicast queries. Source: rmw_cyclonedds. */
#define MAX_PARTICIPANTS 32
#define MIN_MESSAGE_BYTES 65536

static const gchar *const discovery_names[] = { "auto", "subnet", "localhost", "off" };

const gchar *
robocache_dds_discovery_name (RobocacheDdsDiscovery discovery)
{
  return discovery_names[discovery];
}

/* ---- properties and environment ---- */

static gboolean
find_domain (gint domain, guint32 *found, GError **error)
{
  const gchar *text = g_getenv ("ROS_DOMAIN_ID");
  guint64 number;

  *found = (guint32) MAX (domain, 0);
  if (domain != ROBOCACHE_DDS_DOMAIN_AUTO || !text || !*text)
    return TRUE;
  if (!g_ascii_string_to_unsigned (text, 10, 0, ROBOCACHE_DDS_MAX_DOMAIN, &number, NULL)) {
    g_set_error (error, ROBOCACHE_ERROR, ROBOCACHE_ERROR_PROPERTY, "ROS_DOMAIN_ID=%s is not a number from 0 to %d", text, ROBOCACHE_DDS_MAX_DOMAIN);
    return FALSE;
  }
  *found = (guint32) number;
  return TRUE;
}

/* The order is that of ROS 2: an unknown range is LOCALHOST. */
static RobocacheDdsDiscovery
discovery_of_environment (void)
{
  const gchar *localhost = g_getenv ("ROS_LOCALHOST_ONLY"), *range = g_getenv ("ROS_AUTOMATIC_DISCOVERY_RANGE");

  if (localhost && g_str_equal (localhost, "1"))
    return ROBOCACHE_DDS_DISCOVERY_LOCALHOST;
  if (!range)
    return ROBOCACHE_DDS_DISCOVERY_LOCALHOST;
  if (g_str_equal (range, "SUBNET") || g_str_equal (range, "SYSTEM_DEFAULT"))
    return ROBOCACHE_DDS_DISCOVERY_SUBNET;
  return g_str_equal (range, "OFF") ? ROBOCACHE_DDS_DISCOVERY_OFF : ROBOCACHE_DDS_DISCOVERY_LOCALHOST;
}

static gchar **
split_peers (const gchar *text)
{
  gchar **parts = g_strsplit_set (text ? text : "", ";,", -1);
  GPtrArray *peers = g_ptr_array_new ();

  for (guint i = 0; parts[i]; i++) {
    if (*g_strstrip (parts[i]))
      g_ptr_array_add (peers, g_strdup (parts[i]));
  }
  g_strfreev (parts);
  g_ptr_array_add (peers, NULL);
  return (gchar **) g_ptr_array_free (peers, FALSE);
}

gboolean
robocache_dds_network_init (RobocacheDdsNetwork *network, gint domain, RobocacheDdsDiscovery discovery, const gchar *peers, GError **error)
{
  *network = (RobocacheDdsNetwork) { 0 };
  if (!find_domain (domain, &network->domain, error))
    return FALSE;
  network->discovery = discovery == ROBOCACHE_DDS_DISCOVERY_AUTO ? discovery_of_environment () : discovery;
  if (network->discovery == ROBOCACHE_DDS_DISCOVERY_OFF)
    peers = "";
  else if (!peers || !*peers)
    peers = g_getenv ("ROS_STATIC_PEERS");
  network->peers = split_peers (peers);
  return TRUE;
}

void
robocache_dds_network_clear (RobocacheDdsNetwork *network)
{
  g_clear_pointer (&network->peers, g_strfreev);
}

gboolean
robocache_dds_network_equal (const RobocacheDdsNetwork *a, const RobocacheDdsNetwork *b)
{
  return a->domain == b->domain && a->discovery == b->discovery
      && g_strv_equal ((const gchar * const *) a->peers, (const gchar * const *) b->peers);
}

/* ---- the configuration of Cyclone ---- */

/* Cyclone refuses an interface that it has found before. */
static gboolean
has_card (void)
{
  struct ifaddrs *interfaces = NULL;
  gboolean has = FALSE;

  if (getifaddrs (&interfaces) != 0)
    return FALSE;
  for (const struct ifaddrs *each = interfaces; each && !has; each = each->ifa_next)
    has = each->ifa_addr && each->ifa_addr->sa_family == AF_INET && (each->ifa_flags & IFF_UP) && !(each->ifa_flags & IFF_LOOPBACK);
  freeifaddrs (interfaces);
  return has;
}

/* Other stacks announce the address of a card even if they stay on this host, so the loopback interface alone does not find them. */
static void
add_interfaces (const RobocacheDdsNetwork *network, guint n_interfaces, GString *config)
{
  if (network->discovery == ROBOCACHE_DDS_DISCOVERY_SUBNET)
    return;
  g_string_append (config, "<General><AllowMulticast>false</AllowMulticast><Interfaces>");
  if (n_interfaces > 1 && has_card ())
    g_string_append (config, "<NetworkInterface autodetermine=\"true\"/>");
  g_string_append (config, "<NetworkInterface name=\"lo\"/></Interfaces></General>");
}

/* Participants with other tags are not found. Processes of other hosts and containers have the same numbers, so it is random. */
static const gchar *
process_tag (void)
{
  static gsize tag;

  if (g_once_init_enter (&tag))
    g_once_init_leave (&tag, (gsize) g_uuid_string_random ());
  return (const gchar *) tag;
}

static void
add_discovery (const RobocacheDdsNetwork *network, GString *config)
{
  g_string_append_printf (config, "<Discovery><ParticipantIndex>auto</ParticipantIndex><MaxAutoParticipantIndex>%d</MaxAutoParticipantIndex>"
      "<SPDPInterval>1s</SPDPInterval>", MAX_PARTICIPANTS);
  if (network->discovery == ROBOCACHE_DDS_DISCOVERY_OFF)
    g_string_append_printf (config, "<Tag>robocache_%s</Tag>", process_tag ());
  g_string_append (config, "<Peers><Peer address=\"127.0.0.1\"/>");
  for (guint i = 0; network->peers[i]; i++) {
    gchar *peer = g_markup_escape_text (network->peers[i], -1);

    g_string_append_printf (config, "<Peer address=\"%s\"/>", peer);
    g_free (peer);
  }
  g_string_append (config, "</Peers></Discovery>");
}

gchar *
robocache_dds_network_config (const RobocacheDdsNetwork *network, guint n_interfaces)
{
  const gchar *uri = g_getenv ("CYCLONEDDS_URI");
  GString *config = g_string_new ("<CycloneDDS><Domain>");

  if (n_interfaces > 0)
    add_interfaces (network, n_interfaces, config);
  else if (network->discovery != ROBOCACHE_DDS_DISCOVERY_SUBNET)
    g_string_append (config, "<General><AllowMulticast>false</AllowMulticast></General>");
  add_discovery (network, config);
  /* writers never wait for slow readers: the depth of their history limits what they keep. Readers acknowledge messages that are a millisecond
   * apart one by one, so a lost command is sent again before the next one replaces it, and slow readers are noticed */
  g_string_append_printf (config, "<Internal><MaxSampleSize>%" G_GUINT64_FORMAT "B</MaxSampleSize><HeartbeatInterval>1ms</HeartbeatInterval>"
      "<Watermarks><WhcAdaptive>false</WhcAdaptive><WhcHigh>%dB</WhcHigh><WhcHighInit>%dB</WhcHighInit></Watermarks></Internal>"
      "</Domain></CycloneDDS>",
      CLAMP (network->max_message_bytes, MIN_MESSAGE_BYTES, G_MAXINT32), G_MAXINT32, G_MAXINT32);
  if (uri && *uri)
    g_string_append_printf (config, ",%s", uri);
  /* the filter is on the sockets of the domain; a socket for each participant would have none */
  if (network->discovery != ROBOCACHE_DDS_DISCOVERY_SUBNET)
    g_string_append (config, ",<CycloneDDS><Domain><Compatibility><ManySocketsMode>single</ManySocketsMode></Compatibility></Domain></CycloneDDS>");
  return g_string_free (config, FALSE);
}
