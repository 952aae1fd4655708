/* robocache: flexible tensors on the sink pads of elements that know static ones
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef ROBOCACHE_FLEXIBLEINPUT_H
#define ROBOCACHE_FLEXIBLEINPUT_H

#include <gst/gst.h>

#include "common/element/linkadvice.h"

G_BEGIN_DECLS

/* From now on the pad accepts flexible tensors, too. Its chain function gets buffers of static tensors, and its event function their
 * caps before the first one and before each that has other axes. Call it when the pad has its functions, and before
 * robocache_explain_refused_caps. fail: gets the error of a buffer whose headers are wrong; NULL: it is posted. */
void robocache_accept_flexible (GstPad * sink, RobocacheFailPad fail);

G_END_DECLS
#endif
