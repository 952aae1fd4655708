/* robocache: elements of a pipeline that may still add and link a pad
 *
 * A demuxer adds its source pads while data flow, and a handler of pad-added links them. gst-launch-1.0 has such a handler for each link
 * that waits for a pad; an application has its own. This file does not depend on robocachefuse.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <gst/gst.h>

typedef struct _FuseExpectedPads FuseExpectedPads;

/* Searches the pipeline of element, which goes from READY to PAUSED. Another element of the pipeline is pending if
 * - one of its templates is for sometimes source pads, with caps that a sink template of element may accept,
 * - a handler is connected to its pad-added signal,
 * - it has not gone beyond READY, and its state is not locked,
 * - it is not downstream of element, where it would get data only after element has sent data.
 * Children of a bin that itself has such pads are ignored, as the bin adds their pads. Elements that are added to the pipeline later are
 * ignored.
 *
 * An element is no longer pending when
 * - it signals no-more-pads, or its streams were selected, which decodebin3 uses instead,
 * - no handler is connected to its pad-added signal, after it has added a pad: gst-launch-1.0 has then made all links,
 * - its pads are at EOS: some elements never signal no-more-pads,
 * - it, or an element in it, has posted an error,
 * - it goes back to READY, or leaves its bin.
 *
 * changed is called when an element is no longer pending, in any thread, and with no lock held. element exists during the call, and data
 * must exist as long. Such a call may still run when fuse_expected_pads_free returns. The object holds no references. */
FuseExpectedPads *fuse_expected_pads_new (GstElement * element, void (*changed) (gpointer data), gpointer data);
/* pads may be NULL. Called without locks. */
void fuse_expected_pads_free (FuseExpectedPads * pads);

/* The number of pending elements. May be called with any lock, by any thread. */
guint fuse_expected_pads_pending (FuseExpectedPads * pads);
/* Notes that a seek was sent to the existing pads. This and the next function are called with the same lock. */
void fuse_expected_pads_note_seek (FuseExpectedPads * pads);
/* Whether a pad of a pending element would lack the last seek. */
gboolean fuse_expected_pads_lack_seek (const FuseExpectedPads * pads);
/* The names of pending elements, "demux0, demux1"; NULL: none. Free with g_free. May be called with any lock, by any thread. */
gchar *fuse_expected_pads_describe (FuseExpectedPads * pads);
