/* robocache: security of a participant by Cyclone's plugins
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <dds/dds.h>

#include "plain/enclave.h"

/* Adds the properties of DDS Security to the QoS of a participant, if the enclave has a folder. */
void robocache_dds_security_apply (dds_qos_t * qos, const RobocacheDdsEnclave * enclave);
