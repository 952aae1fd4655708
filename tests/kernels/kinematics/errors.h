/* robocache: every wrong spec and argument of kinematics has an error that names it
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "tests/kernels/suite.h"

void kinematics_check_errors (Suite * suite, const Place * place);
