/* robocache: a core of robocachefuse by itself, and what its owner does around it
 *
 * No GStreamer, no thread, no clock: time is a number. After each thing that comes the rig looks only if the core asks for it, as the
 * task of the element does, and then decides until nothing is due. Times are in ns.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "gst/fuse/core/core.h"
#include "kernels/align.h"
#include "words.h"

typedef enum
{
  RIG_EAGER,                    /* rows are kept, and each is looked at when it comes */
  RIG_LAZY                      /* buffers are kept, and are looked at when a word is over; nothing may be due that was not asked for */
} RigMode;

/* Flow returned to the source of a pad. */
typedef enum
{
  FLOW_OK,
  FLOW_EOS,
  FLOW_NOT_NEGOTIATED,
  FLOW_ERROR
} Flow;

typedef struct
{
  FuseRowFormat rows;
  gchar *shape, *names;         /* as in PlayedCaps */
} Format;

enum
{
  ROLE_QUATERNIONS,
  ROLE_ANGLES,
  ROLE_VELOCITIES,
  N_ROLES
};

/* A stream, its source, and how times of its buffers are read. */
struct Feed
{
  Rig *rig;
  FuseStream *stream;
  FuseStreamSettings settings;
  FuseTimestampSettings timestamps;
  gchar *roles[N_ROLES];        /* "0,4": channels */
  const PlayedCaps *expected;   /* NULL: none */
  FuseSource source;            /* its answer */
  gboolean is_linked;
  Flow flow;

  Format *format;               /* the newest; NULL: none */
  PlayedSegment segment;
  gboolean has_segment;
  gint64 next_time, nominal_duration;   /* end of the last buffer, duration of one without; NONE: unknown */
  guint n_positions;            /* of the stream, when the last buffer came */
};

/* A stream of samples, and how its rows are blended. */
typedef struct
{
  FuseStream *stream;
  Format *format;
  RcAlignPlan *plan;
  gpointer scratch;
} Blend;

typedef struct
{
  const gchar *type, *kind;     /* of an error its kind */
  gchar *text;
} Message;

typedef struct
{
  gint64 start, duration;
} Gap;

struct Rig
{
  RigMode mode;
  FuseCore *core;
  GPtrArray *released;          /* of Buffer */
  FuseSettings settings;
  GPtrArray *feeds;             /* of Feed, as they were added */
  RcBackend *backend;
  const Play *play;             /* for failures */

  gint64 clock, base_time;
  guint clock_number;           /* which clock it is */
  gboolean is_started;
  gboolean is_running;          /* ticks are asked for: not after the end, nor while stopped */
  gboolean is_flushing;         /* all pads are */
  Flow ended;                   /* what sources are answered since the streams ended */

  FuseDeparture departure;
  gint64 lateness;              /* of the last tick that was sent or dropped */
  GQueue notes;
  GPtrArray *blends;            /* of Blend, for each stream of samples */
  RobocacheTickGrid rate;       /* of samples */

  GQueue samples;               /* of PlayedSample */
  GQueue gaps;                  /* of Gap */
  GQueue messages;              /* of Message */
  gboolean is_over;             /* after the samples comes the end */
  gint64 segment_start;
  gint64 last_time;             /* of the last sample in the segment; NONE: there was none */
};

/* ---- rig.c ---- */

/* In READY. settings: "NAME=VALUE NAME=VALUE" */
Rig *rig_new (RigMode mode, const gchar * settings);
void rig_free (Rig * rig);
void rig_start (Rig * rig);
void rig_stop (Rig * rig);
void rig_set_time (Rig * rig);
gint64 rig_running_time (const Rig * rig);
/* Decides until nothing is due, if the core asks for it; or whatever it asks for. */
void rig_look (Rig * rig);
void rig_run (Rig * rig);
/* Something has come: looks, now or when the word is over. */
void rig_look_after (Rig * rig);
/* Makes messages of notes. TRUE: there were some. */
gboolean rig_report (Rig * rig);
void rig_update_latency (Rig * rig);
/* Asks the source of a feed, or of all. */
void rig_query_sources (Rig * rig, Feed * feed);
/* All streams end with flow; error is taken, and becomes a message unless they had failed. feed: whose it is, or NULL. */
void rig_fail (Rig * rig, Feed * feed, Flow flow, GError * error);
/* A feed is well again, or gone. */
void rig_look_for_failure (Rig * rig);
/* Flushes feeds with these marks: all of them, or one after the other. */
void rig_flush (Rig * rig, GPtrArray * feeds);
Feed *rig_feed_of (const Rig * rig, const FuseStream * stream);

/* ---- feed.c ---- */

/* Live buffers of all rigs. */
extern gint n_buffers;
void buffer_unref (gpointer buffer);
/* The bytes of a row as a history of the format keeps it. */
const guint8 *kept_row (const FuseRowFormat * format, gconstpointer kept);

Feed *feed_new (Rig * rig, const PlayedPad * pad);
/* Takes it out of the core. */
void feed_free (Feed * feed);
/* Settings go to the core; an expected format is declared. */
void feed_send_settings (Feed * feed);
/* As new, but the core's stream. */
void feed_reset (Feed * feed);
const gchar *feed_push (Feed * feed, const PlayedRows * rows);
/* FALSE: they are not what was expected. */
gboolean feed_set_caps (Feed * feed, const PlayedCaps * caps);
void feed_set_segment (Feed * feed, const PlayedSegment * segment);
void feed_gap (Feed * feed, gint64 start, gint64 duration);
void feed_event (Feed * feed, const FuseEvent * event);

/* ---- samples.c ---- */

/* For the streams that the core names. */
void rig_compose (Rig * rig);
void rig_clear_composition (Rig * rig);
/* Makes the sample of the departure's snapshots. */
PlayedSample *rig_make_sample (Rig * rig);
/* num_tensors, streams, dimensions, types, framerate */
gchar *rig_caps_field (const Rig * rig, const gchar * field);

/* ---- settings.c ---- */

void rig_default_settings (FuseSettings * settings);
void feed_default_settings (Feed * feed, gboolean is_camera);
/* NAME=VALUE. FALSE: there is no such setting. */
gboolean rig_parse_setting (Rig * rig, const gchar * text);
gboolean feed_parse_setting (Feed * feed, const gchar * text);

/* ---- numbers.c ---- */

/* Statistics by name: the sum of all streams, one feed, the removed streams. FALSE: no statistic has this name. */
gboolean rig_get_number (const Rig * rig, const gchar * name, gint64 * number);
gboolean feed_get_number (const Feed * feed, const gchar * name, gint64 * number);
gboolean rig_get_removed_number (const Rig * rig, const gchar * name, gint64 * number);
/* Fails where rows are not accounted for. */
void rig_check_balance (const Rig * rig);
