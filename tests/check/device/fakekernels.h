/* robocache: kernels of fake devices: the CPU's, which run when the device reaches them
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "common/device/engine.h"
#include "fakedevice.h"
#include "kernels/align.h"

extern RcBackend *fake_kernels_cpu;     /* stands in for the devices' kernels; the test opens and closes it */
extern RcAlignPlan *fake_kernels_align; /* of that backend: what every alignment runs */

/* An engine with these kernels, and at most max_bytes of device memory (0: all). */
RobocacheEngine *fake_kernels_engine (FakeDevice * device, guint64 max_bytes);
