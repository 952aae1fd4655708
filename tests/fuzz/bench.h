/* robocache: what the fuzzers share: an element with feeds on its sink pads, and a judge of what leaves it
 *
 * The judge ends the process where the element breaks a promise: a buffer before caps or segment, of another size than
 * its caps say, or after an error; an error posted twice; counters that do not add up.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <gst/gst.h>
#include <gst/video/video.h>

#include "common/tensors/tensorcaps.h"
#include "input.h"

/* Maximum duration of an input, in steps of the bench. */
#define MAX_STEPS 500

typedef struct
{
  GstElement *element;
  GstBus *bus;
  GPtrArray *feeds;             /* of Feed */
  GPtrArray *gone;              /* the element's thread may be asking one that was just removed */
  GstPad *sink;
  struct
  {
    gint num, den;
  } rate;                       /* of the grid, as it was chosen */
  gint64 step_ns;               /* times are multiples of it, so that there are not too many ticks */
  gint64 max_steps;             /* how far times may go */
  gboolean any_time;            /* ticks are so rare that any time will do */
  gboolean is_wild;             /* buffers have any time now and then, and any meta, flags and memories */
  gboolean is_shared;           /* by threads: errors have no order, and each feed's thread has its pad's stream lock */
  guint kinds;                  /* of caps that feeds send at first */
  const gchar *const *untouched;        /* properties that are left alone */

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
  gboolean ticks_increase;      /* each is later than the one before; atomic */
  gboolean ticks_go_back;       /* but for the first of a segment */

  GstCaps *accepted;            /* by downstream; NULL: anything */
  GstFlowReturn answer;         /* of downstream; atomic */
  guint64 max_buffers;          /* then downstream has enough */
  gint n_errors;                /* posted since the last pardon; atomic */
  gint may_drain;               /* EOS or a GAP came since then: ticks of rows before the error may leave; atomic */
  gint has_failed;              /* an error was posted, pardoned or not; atomic */
  gchar error[512];             /* the last one */
} Bench;

typedef struct
{
  Bench *bench;
  GstPad *pad;                  /* ours */
  GstPad *peer;                 /* the element's; not ours to unref when it is always there */
  gboolean requested;
  gboolean live;
  GstClockTime min_latency, max_latency;
  GMutex flush;                 /* held from FLUSH_START to FLUSH_STOP */

  /* stream lock of pad */
  guint kinds;                  /* of caps */
  GstCaps *caps;                /* the last ones that were sent; NULL: none */
  gint64 time;                  /* of the next buffer */
  gboolean over;                /* a push was not OK: a source stops then */
  gboolean is_flushed;          /* and has sent nothing since */
  GstFlowReturn flow;           /* of the last push */
  guint64 n_pushed, n_accepted;
} Feed;

/* Starts GStreamer in this process, with our elements only. */
void bench_begin (int *argc, char ***argv);

/* The element is made and linked to a sink, and in NULL. */
void bench_init (Bench * bench, const gchar * factory);
void bench_clear (Bench * bench);
gboolean bench_set_state (Bench * bench, GstState state);
/* A new attempt: an error of before is forgiven. */
void bench_pardon (Bench * bench);
/* A number of the object's `stats`, and that others, up to NULL, add up to it at any time. */
guint64 bench_stat (gpointer object, const gchar * name);
void bench_check_sum (gpointer object, const gchar * total, const gchar * const *parts);

/* peer is taken. */
Feed *bench_add_feed (Bench * bench, GstPad * peer, gboolean requested);
/* In two steps: no feed of the bench's before it is linked, or once it is not. */
Feed *feed_new (Bench * bench, GstPad * peer, gboolean requested);
void feed_link (Feed * feed);
void feed_unlink (Feed * feed);
void bench_remove_feed (Bench * bench, Feed * feed);
Feed *bench_feed (Bench * bench, guint i);      /* modulo their number; NULL when there is none */

gboolean feed_send (Feed * feed, GstEvent * event);
void feed_push (Feed * feed, GstBuffer * buffer);
/* From any thread. */
void feed_flush (Feed * feed, gboolean reset_time);

_Noreturn void fuzz_fail (const gchar * format, ...) G_GNUC_PRINTF (1, 2);
