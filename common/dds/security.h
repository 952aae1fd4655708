/* robocache: security of a participant by Cyclone's plugins
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <dds/dds.h>

#include "plain/enclave.h"

/* Has a participant with this QoS be known as one of the enclave, and use its files, if it has any. */
void robocache_dds_security_apply (dds_qos_t * qos, const RobocacheDdsEnclave * enclave);
