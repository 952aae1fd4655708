/* robocache: what tests of an element in a GstHarness with a bus share
 *
 * Times are in ms unless a name says ns.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <gst/check/gstcheck.h>
#include <gst/check/gstharness.h>
#include <gst/check/gsttestclock.h>
#include <math.h>
#include <string.h>

#include "tests/check/lib/checks.h"

#define NS(ms) ((GstClockTime) ((ms) * 1000000.0))

/* properties: NAME=VALUE, separated by blanks. */
void set_properties (GstElement *element, const gchar *properties);

/* Without caps and segment. A source, which has no sink pad, does not play yet. */
GstHarness *element_open (const gchar *factory, const gchar *properties);

/* The bus holds messages that hold the element. */
void harness_close (GstHarness *h);

/* ---- in ---- */

GstBuffer *buffer_of (gconstpointer data, gsize size, GstClockTime pts_ns);

/* Caps that are refused stay with the pad, which sends them again before a buffer. */
void push_caps (GstHarness *h, const gchar *caps_text);

void push_segment_of (GstHarness *h, GstFormat format);

/* ---- out ---- */

/* The next event of that type, or NULL; those before it are gone. */
GstEvent *pull_event (GstHarness *h, GstEventType type);

/* A field of the caps out. */
gchar *caps_text (GstHarness *h, const gchar *field);

void expect_caps_field (GstHarness *h, const gchar *field, const gchar *value);

/* ---- messages, queries and stats ---- */

GstMessage *pop_message (GstHarness *h, GstMessageType type);

guint count_messages (GstHarness *h, GstMessageType type);

/* Checks the next error or warning: its code, that its text has the words, and that its debug text names another file than the one that
 * posts errors of all elements. Returns the first fault, or NULL. */
gchar *message_fault (GstHarness *h, GstMessageType type, const gchar *code, const gchar *words);

/* Expects one error with this code, whose text has the words. */
void expect_posted_error (GstHarness *h, const gchar *code, const gchar *words);

/* The answer to a query, times in ms; or NULL: there is no such query. */
gchar *query_text (GstHarness *h, const gchar *name);

/* The value of a property, or NULL. */
gchar *property_text (GstElement *element, const gchar *name);

/* A field of stats, or NULL. */
gchar *stats_text (GstElement *element, const gchar *field);

guint64 count_of (GstHarness *h, const gchar *field);
