/* robocache: the errors that functions of common/ return
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "errordomain.h"

G_DEFINE_QUARK (robocache-error-quark, robocache_error)
