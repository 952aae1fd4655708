/* robocache: errors of the kernels in the user's terms
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "errors.h"
#include "kernels/backend.h"

/* Describes a failure about a setting in the user's terms, like "max-voxels=0: expected 1 to 2147483647", "quaternions: 7: expected a
 * channel from 0 to 6" or "type=uint8 with mode=mean: expected float16 or float32"; for other failures, returns their message. */
gchar *robocache_setting_text (const RcError * failure);

/* TRUE and an error of this code, with robocache_setting_text: the failure is about a setting. Otherwise FALSE and no error. */
gboolean robocache_setting_error (const RcError * failure, RobocacheError code, GError ** error);
