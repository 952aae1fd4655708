/* robocache: properties of elements that join a domain of ROS 2: domain, discovery and peers
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "networkproperties.h"

#include "common/dds/plain/enclave.h"
#include "common/dds/plain/network.h"
#include "common/element/propertytypes.h"

static ROBOCACHE_DEFINE_ENUM (discovery_get_type, "GstRobocacheRosDiscovery",
    {ROBOCACHE_DDS_DISCOVERY_AUTO, "The environment of ROS 2; without one, this host", "auto"},
    {ROBOCACHE_DDS_DISCOVERY_SUBNET, "All hosts of the subnet", "subnet"},
    {ROBOCACHE_DDS_DISCOVERY_LOCALHOST, "This host and peers", "localhost"},
    {ROBOCACHE_DDS_DISCOVERY_OFF, "This process", "off"})

void
robocache_network_param_specs (GParamSpec *specs[ROBOCACHE_N_NETWORK_PROPERTIES], GParamFlags flags)
{
  specs[ROBOCACHE_NETWORK_DOMAIN] = g_param_spec_int ("domain", "Domain", "Domain of DDS (-1 = ROS_DOMAIN_ID, or 0)", ROBOCACHE_DDS_DOMAIN_AUTO,
      ROBOCACHE_DDS_MAX_DOMAIN, ROBOCACHE_DDS_DOMAIN_AUTO, flags);
  specs[ROBOCACHE_NETWORK_DISCOVERY] = g_param_spec_enum ("discovery", "Discovery", "Hosts to talk to", discovery_get_type (),
      ROBOCACHE_DDS_DISCOVERY_AUTO, flags);
  specs[ROBOCACHE_NETWORK_PEERS] = g_param_spec_string ("peers", "Peers",
      "Other hosts to talk to, by name or IPv4 address, separated by semicolons (empty = ROS_STATIC_PEERS)", "", flags);
  gst_type_mark_as_plugin_api (discovery_get_type (), 0);
}

void
robocache_network_warn_of_open_topics (GstElement *element)
{
  RobocacheDdsEnclave enclave;

  robocache_dds_enclave_init (&enclave, NULL);
  if (enclave.fault)
    GST_ELEMENT_WARNING (element, LIBRARY, SETTINGS, ("%s", enclave.fault), (NULL));
  robocache_dds_enclave_clear (&enclave);
}
