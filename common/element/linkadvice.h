/* robocache: advice for two elements whose caps do not fit
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef ROBOCACHE_LINKADVICE_H
#define ROBOCACHE_LINKADVICE_H

#include <gst/gst.h>

G_BEGIN_DECLS

/* Whether caps can intersect with those of a text. */
gboolean robocache_caps_match (const GstCaps * caps, const gchar * text);

/* For a stream without times. */
#define ROBOCACHE_ADVICE_ON_TIMES "put robocacheparse between, or set format=time if the source is an appsrc"

/* The remedy for a peer that accepts only `accepted`, like "put videoconvert between". */
const gchar *robocache_link_advice (const GstCaps * offered, const GstCaps * accepted);

/* Ends the element's output after an error (taken) of one of its sink pads, and posts the error. */
typedef void (*RobocacheFailPad) (GstPad * sink, GError * error);

/* From now on a CAPS event that the sink pad does not accept posts one CORE/NEGOTIATION error with that advice. Without it the core
 * refuses such caps before the element sees them, with no word of the cause. fail: for elements with several sink pads; NULL: the
 * error is posted, and nothing else is done. */
void robocache_explain_refused_caps (GstPad * sink, RobocacheFailPad fail);

/* An error about a buffer before caps, with what to put before the pad; NULL: the pad refused caps, and that error was posted. */
GError *robocache_error_without_caps (GstPad * sink);

G_END_DECLS
#endif
