/* robocache: live sessions with faults that are recorded, and the program that replays them
 *
 * Sessions are on a test clock, which goes to what is waited for next, and on the system's clock where a source keeps no time.
 * ROBOCACHE_REPLAY is the program.
 * ROBOCACHE_SESSION_SECONDS makes all sessions last that long on the system's clock, ROBOCACHE_SESSION_SEED is the seed of their noise,
 * and ROBOCACHE_SESSION_KEEP keeps the recordings.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <gst/check/gsttestclock.h>

#include "tests/check/lib/checks.h"

typedef struct _Play Play;

typedef struct
{
  const gchar *name;
  const gchar *fuse;            /* properties */
  const gchar *sources;         /* SEED and FOLDER are replaced */
  void (*act) (Play * play, gdouble progress);  /* called again and again, from 0 to 1; may be NULL */
  void (*prepare) (Play * play);        /* before PLAYING; may be NULL */
} Scene;

struct _Play
{
  const Scene *scene;
  GstElement *pipeline, *fuse;
  gchar *folder;
  gchar *path;                  /* what the recorder writes */
  guint n_acts;                 /* of this scene so far */
  guint n_samples;              /* atomic */
  gdouble seconds;
  GstTestClock *clock;          /* NULL: the system's */
  gint n_sources;               /* atomic: that wait for it */
  GstClockTime last_block;
  guint n_blocks;
};

/* ---- what sessions are made of ---- */

/* A source that goes to the pad of the fuse and to the recorder. */
#define TEE(name, pad, sink) " ! tee name=" name " " name ". ! fuse." pad " " name ". ! rec." sink " "
#define JOINTS "robocachetestsrc kind=proprio is-live=true rate=100/1 seed=SEED "
#define WRENCH "robocachetestsrc kind=force is-live=true rate=400/1 seed=SEED "
#define CAMERA "videotestsrc is-live=true pattern=ball ! video/x-raw,format=RGB,width=62,height=20,framerate=30/1 "
#define NOISE "jitter=4000000 drop=0.05 disorder=0.03 "
#define APPLICATION(name) "appsrc name=" name " is-live=true format=time min-latency=0 max-latency=-1 caps=\"other/tensors, " \
    "format=(string)static, num_tensors=(int)1, types=(string)float32, dimensions=(string)3:5, framerate=(fraction)0/1\" "
#define HAND APPLICATION ("hand")
/* Blocks whose rows have times of their own. */
#define OWN_TIMES "appsrc name=hand is-live=true format=time min-latency=0 max-latency=-1 caps=\"other/tensors, format=(string)static, " \
    "num_tensors=(int)2, types=(string)\\\"float32,int64\\\", dimensions=(string)\\\"3:5,5\\\", framerate=(fraction)0/1\" "
#define LOG(name, more) "filesrc location=FOLDER/" name ".csv ! robocacheparse time-column=0 start=zero " more " "

/* ---- what happens in them ---- */

GstElement *session_element (Play * play, const gchar * name);
GstPad *session_pad (Play * play, const gchar * name);
GstClockTime session_running_time (Play * play);
/* Whether it is time for act number n, which begins at a part of the session. */
gboolean session_is_due (Play * play, guint n, gdouble at, gdouble progress);
/* To be called of each pad of the fuse that is linked later. */
gboolean session_watch_source (GstElement * fuse, GstPad * pad, gpointer play);
/* An act: a flush of the stream behind the tee b. */
void session_flush_one (Play * play, gdouble progress);

/* ---- recording ---- */

/* How long all sessions are to last; 0: as long as the test says. */
gdouble session_seconds (void);
/* Whether sources keep no time, and so cannot be on a test clock. */
gboolean session_has_own_time (const Scene * scene);
/* recorder: properties. */
void session_record_as (Play * play, const Scene * scene, gdouble seconds, gboolean on_test_clock, const gchar * location,
    const gchar * recorder);
void session_record (Play * play, const Scene * scene, gdouble seconds, gboolean on_test_clock);
void session_remove (Play * play);

/* ---- replaying ---- */

/* The program's output; free with g_free. */
gchar *replay_run (gchar ** argv, gint expected_status);
/* option: or NULL. */
gchar *replay_file (const gchar * path, const gchar * option, gint expected_status);
gboolean has_line (const gchar * text, const gchar * glob);
