/* robocache: a live pipeline of random shape around robocachefuse, and its clock, for tests that disturb it
 *
 * On a test clock the rig's thread moves time on by steps, and waits after each until no other thread works. So a slow machine
 * changes nothing. A thread that spins is waited for while it uses some CPU time: a little while the rig is disturbed, when a setting
 * may make it spin, and more in checks. On the system clock each sensor has a thread.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <gst/gst.h>

#define MAX_SENSORS 6
#define DAY (24 * 3600 * GST_SECOND)
#define FAR (11 * GST_SECOND)    /* that a clock has jumped, and rows are not in disorder */
#define STEP (10 * GST_MSECOND)

typedef struct _Rig Rig;

typedef struct
{
  Rig *rig;
  gchar name[24];               /* of its pad */
  const gchar *source;          /* description; NULL: an appsrc that the rig feeds */
  gboolean has_queue, is_camera, is_required, is_declared;
  GstClockTime period;
  GstCaps *caps;
  GstElement *branch, *app;     /* branch NULL: unplugged */
  GstPad *from, *to;
  GThread *thread;              /* on the system clock */

  /* lock of the rig: its time, and what is wrong with it */
  GstClockTime next;            /* running time of the next row; GST_CLOCK_TIME_NONE: now */
  gboolean is_silent, holds_back, repeats, has_no_times;
  gint64 shift, disorder;       /* ns */
  GRand *wild;                  /* times from everywhere; NULL: its own */
  GQueue held_back;             /* of GstBuffer */
} Sensor;

struct _Rig
{
  gboolean is_wall;
  GstElement *pipeline, *fuse, *sink;
  GstClock *clock, *other_clock;        /* of the pipeline; one that goes along with it */
  Sensor sensors[MAX_SENSORS];
  guint n_sensors;
  gint rate;                    /* of the grid; 0: ticks are rows */
  GstClockTime tick_period;
  gboolean has_own_time;        /* an element waits for each running time: no jumps */
  gchar *shape;                 /* in words */
  gboolean is_playing;          /* lock */
  gint stop, sink_delay_us, is_delayed; /* atomic */
  GMutex lock;

  /* lock: of what came out */
  GstSegment segment;
  guint64 n_ticks, n_holes;
  GstClockTime last_tick;       /* running time */

  guint n_errors;
  gchar *error;                 /* the first one */
  gboolean is_bad;              /* a check has failed */
  gboolean is_disturbed;        /* it may spin */
};

Rig *rig_new (guint32 seed, gboolean is_wall);
void rig_free (Rig * rig);

/* Prints what is wrong, and where. */
void rig_fail (Rig * rig, const gchar * format, ...) G_GNUC_PRINTF (2, 3);
/* FALSE: a stop of 20 s. The clock goes on meanwhile only in wall-clock runs. */
gboolean rig_set_state (Rig * rig, GstState state);
/* Running time. */
GstClockTime rig_now (Rig * rig);
/* Lets time pass, with rows. */
void rig_advance (Rig * rig, GstClockTime time);
/* Sets the clock forwards. */
void rig_leap (Rig * rig, GstClockTime time);
/* The pipeline gets the other clock, and the other way round. */
void rig_exchange_clocks (Rig * rig);
void rig_set_base_time (Rig * rig, GstClockTime base_time);
/* On a test clock, waits until no other thread works. FALSE: they used so much CPU time, and go on. */
gboolean rig_await_idle (Rig * rig, gint64 cpu_us);
void rig_handle_messages (Rig * rig);
/* Flushes a sensor's stream, or with NULL all; those that ended begin anew. */
void rig_flush (Rig * rig, const Sensor * sensor, gboolean reset_time);

void sensor_plug_in (Sensor * sensor);
void sensor_unplug (Sensor * sensor);
/* Rows that were held back arrive at once. */
void sensor_release (Sensor * sensor);
void sensor_push_caps (Sensor * sensor, GstCaps * caps);
