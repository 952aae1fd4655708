/* robocache: advice for two elements with incompatible caps
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <gst/gst.h>

/* Whether caps can intersect with the caps of a text. */
gboolean robocache_caps_match (const GstCaps * caps, const gchar * text);

/* Advice for a stream without times. */
#define ROBOCACHE_ADVICE_ON_TIMES "put robocacheparse between, or set format=time if the source is an appsrc"

/* The remedy for a peer that accepts only `accepted`, like "put videoconvert between". */
const gchar *robocache_link_advice (const GstCaps * offered, const GstCaps * accepted);

/* For the ACCEPT_CAPS query of a sink pad, which GStreamer makes before it passes on a CAPS event. GStreamer gives no reason if caps are
 * refused, so this function returns the CORE/NEGOTIATION error to post, with advice. NULL: the caps are accepted, or not from a CAPS
 * event, or the pad has just
 * refused the same caps and upstream tries again. */
GError *robocache_refused_caps (GstPad * sink, GstCaps * caps, gboolean accepts);
/* Forgets the caps that the pad refused last; call it in READY. */
void robocache_forget_refused_caps (GstPad * sink);

/* Returns the error about a buffer before caps, with the element to put before the pad; NULL: the pad refused caps, and that error was
 * posted. */
GError *robocache_error_without_caps (GstPad * sink);
