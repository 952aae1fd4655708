/* robocache: elements of a pipeline that may still add and link a pad
 *
 * A demuxer adds its source pads while data flow, and a handler of pad-added links them: gst-launch-1.0 has one for each link that
 * waits for a pad, an application has its own. Knows nothing of robocachefuse.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef FUSE_EXPECTEDPADS_H
#define FUSE_EXPECTEDPADS_H

#include <gst/gst.h>

G_BEGIN_DECLS

typedef struct _FuseExpectedPads FuseExpectedPads;

/* Looks through the pipeline of element, which goes from READY to PAUSED. Another element of the pipeline is pending if
 * - one of its templates has source pads that come sometimes, with caps that a sink template of element may accept,
 * - a handler is connected to its pad-added signal,
 * - it has not gone beyond READY, and its state is not locked,
 * - it is not downstream of element, where it would get data only after element has sent some.
 * Children of a bin with such pads of its own are not looked at, as the bin adds their pads. Elements that come into the pipeline later
 * are not looked at.
 *
 * An element is no longer pending when
 * - it signals no-more-pads, or has its streams selected, which is what decodebin3 does instead,
 * - no handler is connected to its pad-added signal, after it has added a pad: gst-launch-1.0 has then made all links,
 * - its pads are at EOS: some elements never signal no-more-pads,
 * - it, or an element in it, has posted an error,
 * - it goes back to READY, or leaves its bin.
 *
 * changed is called when an element is no longer pending, in any thread, and with no lock held. Element exists meanwhile, and data
 * must live as long. Such a call may still run when fuse_expected_pads_free returns. Keeps nothing but itself alive. */
FuseExpectedPads *fuse_expected_pads_new (GstElement * element, void (*changed) (gpointer data), gpointer data);
/* Takes NULL. Called without locks. */
void fuse_expected_pads_free (FuseExpectedPads * pads);

/* How many elements are pending. May be called with any lock, by any thread. */
guint fuse_expected_pads_pending (FuseExpectedPads * pads);
/* Their names, "demux0, demux1"; NULL: none is pending. Free with g_free. May be called as fuse_expected_pads_pending. */
gchar *fuse_expected_pads_describe (FuseExpectedPads * pads);

G_END_DECLS
#endif
