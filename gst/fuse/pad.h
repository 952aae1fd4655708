/* robocache: a sink pad of robocachefuse: one sensor, its rows and its settings
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef GST_ROBOCACHE_FUSE_PAD_H
#define GST_ROBOCACHE_FUSE_PAD_H

#include <gst/base/gstaggregator.h>
#include <gst/video/video.h>

#include "common/rows/channelroles.h"
#include "common/time/clockjump.h"
#include "common/rows/history.h"
#include "common/element/properties.h"
#include "common/time/rowtimes.h"
#include "common/element/statistics.h"
#include "timestamps.h"

G_BEGIN_DECLS

/* In the order of their tensors in the output. */
typedef enum
{
  GST_ROBOCACHE_FUSE_CAMERA,
  GST_ROBOCACHE_FUSE_PROPRIO,
  GST_ROBOCACHE_FUSE_FORCE,
  GST_ROBOCACHE_FUSE_SINK,
  GST_ROBOCACHE_FUSE_N_ROLES
} GstRobocacheFuseRole;

/* What the properties of a pad say. */
typedef struct
{
  RcSearch search;              /* its period_ns is the element's to fill in */
  gint64 offset;                /* ns, added to every row's time */
  gint64 reorder_window;
  gboolean required;
  GstRobocacheFuseTiming timing;
} GstRobocacheFuseSettings;

/* What caps say of a pad's rows. A camera's frame is one row of width * height * components elements. */
typedef struct
{
  gboolean is_camera;
  gboolean on_device;           /* tensors in memory:RobocacheCUDA, frames in memory:CUDAMemory */
  RobocacheRowLayout rows;
  RobocacheTensorsInfo tensors; /* of a tensor stream's buffers */
  GstVideoInfo video;           /* of a camera's frames */
  gint rate_num, rate_den;      /* 0/1: none */
  gchar *channels;              /* names of the channels, or NULL */
} GstRobocacheFuseFormat;

/* Rows of one format and one segment. A new SEGMENT, new caps and a jump of the sensor's clock end an epoch and begin the
 * next, so old rows are drained while new ones come in, and no row is ever blended with one of another epoch. A camera's rows
 * are GstBuffer pointers, those of tensors on the device RobocacheDeviceRow. */
typedef struct
{
  GstRobocacheFuseFormat format;
  RobocacheHistory history;
} GstRobocacheFuseEpoch;

/* What became of the rows and ticks of a pad, or of several. */
typedef struct
{
  RobocacheRowCounts rows;
  guint64 n_kept;
  guint64 ticks_aligned, ticks_held, ticks_missing;
  guint64 clock_jumps;
  RobocacheHistogram age;       /* of the newest row at or before the tick, at the tick */
  RobocacheHistogram lateness;  /* see RobocacheLosses */
} GstRobocacheFuseAccount;

#define GST_TYPE_ROBOCACHE_FUSE_PAD (gst_robocache_fuse_pad_get_type ())
G_DECLARE_FINAL_TYPE (GstRobocacheFusePad, gst_robocache_fuse_pad, GST, ROBOCACHE_FUSE_PAD, GstAggregatorPad)

struct _GstRobocacheFusePad
{
  GstAggregatorPad parent;

  GstRobocacheFuseRole role;    /* constant */
  guint number;                 /* constant: the n of proprio_n */
  GstPadChainFunction base_chain;       /* constant: what the base class would do */
  GstPadActivateModeFunction base_activate_mode;        /* constant */

  /* object lock of the pad */
  GstRobocacheFuseSettings settings;
  RobocacheChannelRoles roles;
  gboolean settings_changed;
  gboolean blend_changed;       /* what the arithmetic is planned for */

  /* fuse lock (GstRobocacheFuse.lock) */
  GstRobocacheFuseSettings active;      /* the settings of this tick */
  GQueue epochs;                /* of GstRobocacheFuseEpoch, oldest first; empty before the first caps */
  GstRobocacheFuseFormat format;        /* of the newest caps; the next epoch begins with it */
  gboolean has_format;
  RobocacheRowTimes clock;
  RobocacheClockJump jump;      /* of a live sensor's clock */
  RobocacheClockTrack *track;   /* clock-mode=track: of arrivals on the clock; NULL before the first */
  gint64 base_time;             /* of the element when the newest buffer came */
  gint64 measured_origin;       /* reference time that is running time 0; ROBOCACHE_NO_TIME: not measured */
  gboolean eos;
  gboolean live;                /* its source is: it is never made to wait */
  guint camera_frames;          /* a camera's frames that may be with us when it is live */
  gboolean flushing;            /* its chain must not wait */
  gboolean flush_awaited;       /* the src thread has ended for a flush whose end the pad has not seen */
  gboolean waiting;             /* its chain waits for the others */
  GstFlowReturn flow;           /* what its source is answered: not OK once downstream or an error ended the streams */
  gboolean added;               /* to the element, without which the base class (GStreamer 1.22) miscounts a token */
  gboolean token_out;           /* the base class has been handed a token, or is about to be */
  guint tokens_on_way;          /* those that others than its source have chosen, and are about to hand over */
  gboolean warned_no_time, warned_no_reference;
  gboolean is_revived;          /* only used by the thread that ends a flush of all pads: the base class's part alone is flushed */
  gboolean latencies_checked;   /* only used by its streaming thread */
  guint spacings_seen;          /* when its period was last measured */

  gboolean removed;
  GstRobocacheFuseAccount account;      /* without the rows of the epochs above, and without lateness */
  RobocacheLosses losses;
};

/* Functions on a pad are called with the fuse lock held, but for those that say otherwise. */

GstRobocacheFusePad *gst_robocache_fuse_pad_new (GstPadTemplate * template, GstRobocacheFuseRole role, guint number);

/* Copies the properties; takes effect at the next tick. Returns whether the arithmetic must be planned anew. */
gboolean gst_robocache_fuse_pad_sync_settings (GstRobocacheFusePad * pad);

/* Parses caps into a format. Free with gst_robocache_fuse_format_clear. */
gboolean gst_robocache_fuse_format_parse (GstRobocacheFuseFormat * format, const GstCaps * caps, GError ** error);
void gst_robocache_fuse_format_clear (GstRobocacheFuseFormat * format);

void gst_robocache_fuse_pad_set_format (GstRobocacheFusePad * pad, GstRobocacheFuseFormat * format);   /* takes it over */
void gst_robocache_fuse_pad_set_segment (GstRobocacheFusePad * pad, const GstSegment * segment);
/* now is the running time at which it comes, or GST_CLOCK_TIME_NONE where no clock says when rows may be. */
void gst_robocache_fuse_pad_gap (GstRobocacheFusePad * pad, GstClockTime pts, GstClockTime duration, GstClockTime now);
void gst_robocache_fuse_pad_eos (GstRobocacheFusePad * pad);
void gst_robocache_fuse_pad_restart (GstRobocacheFusePad * pad);        /* a new stream after EOS */
/* Drops all rows; the format stays. */
void gst_robocache_fuse_pad_flush (GstRobocacheFusePad * pad);
/* Ends all epochs; rows in time that were not used are counted as dropped. */
void gst_robocache_fuse_pad_discard (GstRobocacheFusePad * pad, RobocacheDropReason reason);
/* No tick will follow: rows still kept are counted as used or not. */
void gst_robocache_fuse_pad_settle (GstRobocacheFusePad * pad);
/* As new, counters included. */
void gst_robocache_fuse_pad_reset (GstRobocacheFusePad * pad);

/* What came with a buffer that a person should know of. */
typedef struct
{
  gboolean without_time;        /* it was dropped for want of one, the first time */
  gboolean without_reference;
  gboolean jumped;              /* the sensor's clock has */
} GstRobocacheFuseOddities;

/* Waits for what a GPU still does to the buffer and taking it would wait for. Called without the fuse lock, by the pad's streaming
 * thread. */
void gst_robocache_fuse_pad_await (GstRobocacheFusePad * pad, GstBuffer * buffer);
/* Takes the rows of a buffer (consumed). From a live sensor keeps a bounded number of them, and expects them to be near the
 * running time now, at which they come, where that is known. FALSE and an error when the buffer is not what its caps say. */
gboolean gst_robocache_fuse_pad_take (GstRobocacheFusePad * pad, GstBuffer * buffer, gboolean live, GstClockTime now,
    GstRobocacheFuseOddities * oddities, GError ** error);

/* Counts the rows of a buffer that is not taken. */
void gst_robocache_fuse_pad_refuse (GstRobocacheFusePad * pad);

/* The epoch that answers ticks now, or NULL before the first caps. */
GstRobocacheFuseEpoch *gst_robocache_fuse_pad_epoch (const GstRobocacheFusePad * pad);

/* Whether the pad's row at tick is decided; see robocache_history_ready. */
gboolean gst_robocache_fuse_pad_ready (const GstRobocacheFusePad * pad, gint64 tick, gboolean settled);
/* Moves on to the epoch that tick falls into. Returns whether the format changed. */
gboolean gst_robocache_fuse_pad_enter_epoch (GstRobocacheFusePad * pad, gint64 tick);
/* The pad's rows at tick, counted. Times are the output's: offset included. */
void gst_robocache_fuse_pad_align (GstRobocacheFusePad * pad, gint64 tick, RobocacheAlignment * alignment);
void gst_robocache_fuse_pad_prune (GstRobocacheFusePad * pad, gint64 next_tick);

/* Greatest lower bound of the times of rows to come, least and greatest time of the rows that are there, offset
 * included; ROBOCACHE_NO_TIME when unknown. */
gint64 gst_robocache_fuse_pad_frontier (const GstRobocacheFusePad * pad);
gint64 gst_robocache_fuse_pad_first_time (const GstRobocacheFusePad * pad);
gint64 gst_robocache_fuse_pad_last_time (const GstRobocacheFusePad * pad);
/* Time of the first row after t; ROBOCACHE_NO_TIME when there is none yet. */
gint64 gst_robocache_fuse_pad_next_row_after (const GstRobocacheFusePad * pad, gint64 t);
gsize gst_robocache_fuse_pad_rows_after (const GstRobocacheFusePad * pad, gint64 t);

/* 1/framerate of the first row after t, or of the newest caps before it is there; 0 when they have none. */
gint64 gst_robocache_fuse_pad_nominal_period (const GstRobocacheFusePad * pad, gint64 t);
/* Nominal or else measured spacing of the newest rows; 0 when unknown. */
gint64 gst_robocache_fuse_pad_period (const GstRobocacheFusePad * pad);
/* What the pad's settings add to the latency: rows that interpolation waits for, the reorder window, a negative offset. */
GstClockTime gst_robocache_fuse_pad_latency (GstRobocacheFusePad * pad, gint64 tick_period);

/* Adds what became of the pad's rows and ticks. */
void gst_robocache_fuse_pad_add_account (const GstRobocacheFusePad * pad, GstRobocacheFuseAccount * sum);

/* Order of tensors: by role, then by number. */
gint gst_robocache_fuse_pad_compare (const GstRobocacheFusePad * a, const GstRobocacheFusePad * b);

extern const gchar *const gst_robocache_fuse_role_names[GST_ROBOCACHE_FUSE_N_ROLES];

G_END_DECLS
#endif
