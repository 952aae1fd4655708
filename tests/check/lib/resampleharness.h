/* robocache: what tests of robocacheresample share: a harness with a bus, rows in, rows out
 *
 * A harness answers a LATENCY query of the element as a live source does; with live FALSE it answers as a file does.
 * Times are in ms unless a name says ns.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "tests/check/lib/elementharness.h"

#define TENSORS(n, types, dims, rate) "other/tensors,format=(string)static,num_tensors=(int)" n ",types=(string)\"" types \
    "\",dimensions=(string)\"" dims "\",framerate=(fraction)" rate
#define F32(dims, rate) TENSORS ("1", "float32", dims, rate)
#define ONE F32 ("1", "0/1")

#define LIVE TRUE
#define NOT_LIVE FALSE

/* Without caps and segment. */
GstHarness *harness_open (gboolean live, const gchar *properties);

void start_stream (GstHarness *h, const gchar *caps_text);

GstHarness *resample_harness (gboolean live, const gchar *properties, const gchar *caps);

/* ---- rows ---- */

void push_ns (GstHarness *h, GstClockTime pts_ns, gfloat value);

void push (GstHarness *h, gdouble ms, gfloat value);

/* ---- stats ---- */

/* Every row that came in is in one of the others, and every dropped one has a reason. */
void expect_balance (GstHarness *h);
