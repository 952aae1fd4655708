/* robocache: what the fuzzers share: an element with feeds on its sink pads, and a judge of what leaves it
 *
 * The judge ends the process where the element breaks a promise: a buffer before caps or segment, of another size than
 * its caps say, or after an error; an error posted twice; counters that do not add up.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef FUZZ_BENCH_H
#define FUZZ_BENCH_H

#include <gst/gst.h>
#include <gst/video/video.h>

#include "common/tensors/tensorcaps.h"
#include "input.h"

/* What an input may span of time, in steps of the bench. */
#define MAX_STEPS 500

typedef struct
{
  GstElement *element;
  GstBus *bus;
  GPtrArray *feeds;             /* of Feed */
  GPtrArray *gone;              /* the element's thread may be asking one that was just removed */
  GstPad *sink;
  gint64 step_ns;               /* times are multiples of it, so that there are not too many ticks */
  gboolean any_time;            /* ticks are so rare that any time will do */

  /* what left */
  gboolean segment_seen, caps_seen;
  gboolean of_points;           /* its caps are those of clouds, and info says nothing */
  gboolean of_pictures;         /* of video: its info is this */
  GstVideoInfo video;
  RobocacheTensorsInfo info;
  guint64 n_buffers;
  guint64 digest;               /* of all of them */
  GstSegment segment;
  gint64 last_tick;             /* running time; -1: none */
  gboolean ticks_increase;      /* each is later than the one before */

  GstCaps *accepted;            /* by downstream; NULL: anything */
  GstFlowReturn answer;         /* of downstream */
  guint64 max_buffers;          /* then downstream has enough */
  gint n_errors;                /* posted since the last pardon; atomic */
  gchar error[512];             /* the last one */
  gboolean refuses_seeks;
} Bench;

typedef struct
{
  Bench *bench;
  GstPad *pad;                  /* ours */
  GstPad *peer;                 /* the element's; not ours to unref when it is always there */
  gboolean requested;
  gboolean live;
  GstClockTime min_latency, max_latency;
  GstCaps *caps;                /* the last ones that were sent; NULL: none */
  gint64 time;                  /* of the next buffer */
  gboolean over;                /* a push was not OK: a source stops then */
} Feed;

/* Once in the process. */
void bench_prepare (void);

/* The element is made and linked to a sink, and in NULL. */
void bench_init (Bench * bench, const gchar * factory);
void bench_clear (Bench * bench);
gboolean bench_set_state (Bench * bench, GstState state);
/* A new attempt: an error of before is forgiven. */
void bench_pardon (Bench * bench);
/* Every row that came in is accounted for; object has `stats`. */
void bench_check_rows (gpointer object);

/* peer is taken. */
Feed *bench_add_feed (Bench * bench, GstPad * peer, gboolean requested);
void bench_remove_feed (Bench * bench, Feed * feed);
Feed *bench_feed (Bench * bench, guint i);      /* modulo their number; NULL when there is none */

gboolean feed_send (Feed * feed, GstEvent * event);
void feed_push (Feed * feed, GstBuffer * buffer);
void feed_flush (Feed * feed, gboolean reset_time);

_Noreturn void fuzz_fail (const gchar * format, ...) G_GNUC_PRINTF (1, 2);

#endif
