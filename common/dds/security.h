/* robocache: the enclave of SROS 2 that this process is in
 *
 * Sources: ROS 2, "DDS-Security Integration", for variables and files; OMG DDS Security 1.1 for the properties.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <dds/dds.h>
#include <glib.h>

/* Has a participant with this QoS use the files of its enclave, if ROS_SECURITY_ENABLE is true: those of ROS_SECURITY_ENCLAVE_OVERRIDE, or of /,
 * in the keystore ROS_SECURITY_KEYSTORE. Returns the name of the enclave, / without one; free with g_free. NULL and an error: a file is missing,
 * and ROS_SECURITY_STRATEGY is Enforce. Without Enforce, such a participant is open, as those of ROS 2 are, and a warning says so. */
gchar *robocache_dds_security_apply (dds_qos_t * qos, GError ** error);
