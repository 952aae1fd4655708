/* robocache: what tests of robocachefuse share: an element with feeds on its sink pads and a harness at its end
 *
 * The system clock stands still, but for the tests that move it. A feed is a source pad whose buffers the test makes; its answer
 * to a LATENCY query says whether it is live. The clock is a GstTestClock at 0, and running time is clock time. Times in tests are
 * ns; MS makes them of ms.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <gst/check/gstcheck.h>
#include <gst/check/gstharness.h>
#include <gst/check/gsttestclock.h>
#include <gst/video/video.h>

#include <math.h>
#include <string.h>

#include "tests/check/lib/checks.h"
#include "tests/core/words.h"

#define MS(ms) ((gint64) ((ms) * 1000000.0))

#define F32(dims) "other/tensors, format=(string)static, num_tensors=(int)1, types=(string)float32, dimensions=(string)" \
    dims ", framerate=(fraction)0/1"
#define ONE_CHANNEL F32 ("1")
#define AT_100_HZ "other/tensors, format=(string)static, num_tensors=(int)1, types=(string)float32, " \
    "dimensions=(string)1, framerate=(fraction)100/1"
/* Latency with a live sensor of 100 Hz (ms): the element's own 5 ms, and the 10 ms that linear waits for the next row. */
#define LATENCY 15

enum
{
  ALIGNED,
  HELD,
  MISSING
};

/* Fields of one stream's info. */
enum
{
  INFO_TICK,
  INFO_BEFORE,
  INFO_AFTER,
  INFO_STATUS
};

struct Rig
{
  GstElement *fuse;
  GstHarness *out;
  GstTestClock *clock;
  GstTestClock *wall;           /* the system clock */
  GstBus *bus;
  GPtrArray *feeds;
};

struct Feed
{
  Rig *rig;
  GstPad *pad;                  /* ours */
  GstPad *sink;                 /* fuse's */
  gboolean live;
  GstClockTime latency;         /* upstream's */
  gboolean holds_nothing;       /* upstream's greatest latency is 0 */
  gint64 sought_start, sought_stop;     /* of the last seek */
  const gchar *on_seek;         /* what upstream does: take, flush, obey, flush-start, refuse; never: it said before */
};

/* NAME=VALUE; a number that is a time is in ns, or 5ms. */
void set_from_text (gpointer object, const gchar *text);

/* NAME=VALUE NAME=VALUE */
void set_all (gpointer object, const gchar *text);

/* busy-wait of all rigs, and the type of their clocks, if it is another one. */
extern const gchar *rig_busy_wait;
extern GType rig_clock_type;

/* The element is in NULL, with these settings; rig_play starts it. */
Rig *rig_new (const gchar *settings);

/* Links a harness to the src pad and starts the element. */
void rig_play (Rig *rig);

void feed_event (Feed *feed, GstEvent *event);

gboolean feed_caps (Feed *feed, const gchar *text);

void feed_segment (Feed *feed);

/* A source pad for a new sink pad of that name, not linked. */
Feed *feed_new_unlinked (Rig *rig, const gchar *name, gboolean live);

void feed_link (Feed *feed);

/* Linked, with nothing sent yet. */
Feed *feed_new_bare (Rig *rig, const gchar *name, gboolean live);

/* Sends what comes before rows. The element must be running. */
void feed_start (Feed *feed, const gchar *caps);

void feed_free (Feed *feed);

/* Takes the pad away while the element runs. */
void feed_remove (Feed *feed);

/* To NULL, so that rig_play can start it again. */
void rig_stop (Rig *rig);

/* A harness remembers EOS for good: after a flush, another in its place. Nothing may be on its way. */
void rig_renew_output (Rig *rig);

void rig_free (Rig *rig);

/* ---- rows in ---- */

GstBuffer *fuse_buffer (gint64 pts, gconstpointer data, gsize size);

GstFlowReturn feed_bytes (Feed *feed, gint64 pts, gconstpointer data, gsize size);

/* One row of n channels. */
GstFlowReturn feed_row (Feed *feed, gint64 pts, const gfloat *values, guint n);

/* One row of one channel. */
void feed_one (Feed *feed, gint64 pts, gfloat value);

/* Rows of one channel, their value the time in ms, from first to last. */
void feed_ramp (Feed *feed, gint first_ms, gint last_ms, gint step_ms);

void feed_eos (Feed *feed);

void all_eos (Rig *rig);

/* ---- samples out ---- */

GstBuffer *pull (Rig *rig);

/* A flushing seek from there, to a stop if there is one. */
GstEvent *seek_to (gint64 start, gint64 stop);

/* The next sample, or NULL at EOS. */
GstBuffer *pull_until_eos (Rig *rig);

/* Element i of the tensor, as float32. */
gfloat value_of (GstBuffer *sample, guint tensor, guint i);

GstStructure *sample_meta (GstBuffer *sample);

/* A field of the info of a stream, counted over all slots of the window: slot * streams + stream. */
gint64 info_of (GstBuffer *sample, guint stream, guint field);

gint64 status_of (GstBuffer *sample, guint stream);

void assert_value (gfloat value, gfloat expected);

/* The caps that samples have now. */
GstStructure *output_caps (Rig *rig);

void assert_output_field (Rig *rig, const gchar *field, const gchar *expected);

/* ---- the clock ---- */

/* The element waits for the clock; lets it reach what it waits for, which must be that. */
void pass_deadline (Rig *rig, gint64 expected);

void jump_clock (Rig *rig, gint64 time);

void set_clock (Rig *rig, gint64 time);

/* The system clock is there, and those that asked for it are called. */
void pass_wall_time (Rig *rig, gint64 time);

/* ---- messages and statistics ---- */

/* The next message of that type; waits for it. */
GstMessage *wait_message (Rig *rig, GstMessageType type);

/* The next message of that type is of this kind, and its text holds the words: "KIND:WORD|WORD"; without a kind of any. */
void expect_message (Rig *rig, GstMessageType type, const gchar *text);

/* The one error. */
void assert_error (Rig *rig, const gchar *format, ...) G_GNUC_PRINTF (2, 3);

void assert_no_message (Rig *rig, GstMessageType type);

void drop_messages (Rig *rig, GstMessageType type);

GstStructure *stats_of (gpointer object);

guint64 count_in (const GstStructure *stats, const gchar *name);

guint64 fuse_count (gpointer object, const gchar *name);

/* Every row that came in is accounted for. */
void assert_rows_balance (Feed *feed);

/* So is every row of every pad, those included that are gone, and the element's totals are the sums of all of them. */
void assert_account_balances (const GstStructure *stats);

void assert_all_rows_balance (Rig *rig);

/* ---- pipelines ---- */

#define SENSOR(n) "robocachetestsrc kind=proprio channels=2 rate=100/1 num-buffers=" #n " ! "

GstElement *launch (const gchar *line, GstElement **fuse);

void run_to_eos (GstElement *pipeline);

void end_pipeline (GstElement *pipeline, GstElement *fuse);

/* ---- threads ---- */

/* For a thread: rows of one channel, 10 ms apart, for as long as they are taken. */
gpointer push_until_refused (gpointer data);

/* A test case of that name in the suite. */
TCase *add_case (Suite *s, const gchar *name);
