/* robocache: an element with a thread a stream that pushes into it, and a pad at its end
 *
 * No queue and no pipeline: a thread makes a buffer and pushes it straight into the element's sink pad, and what comes
 * out is handed to a function of the caller. Times are ns of running time.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <gst/gst.h>

#define MAX_LINE_STREAMS 3
#define MAX_LINE_CHANNELS 14

/* One stream: row i is captured at i * period + a jitter of its own. */
typedef struct
{
  const gchar *pad;             /* of the element; requested where it is none that is always there */
  const gchar *caps;
  guint channels;               /* float32, all of the same value; 0: a camera, of whose frames only the
                                 * first bytes are written: their time, an int64 */
  gsize frame_bytes;            /* of a camera */
  GPtrArray *frames;            /* GstBuffer that a camera pushes in turn, as they are; NULL: each frame is written when it is pushed */
  gdouble period_ns;
  gdouble jitter_ns;            /* of a row, at most, either way */
  gdouble (*signal) (gdouble seconds);  /* NULL: the time itself */
  const gchar *interpolation;   /* of the pad; NULL: as it is */
  guint64 n;                    /* buffers */
  const gchar *next_caps;       /* from row next_at on, with rows of as many bytes; NULL: none */
  guint64 next_at;
} LineStream;

/* Rows of so many float32, and frames of 640x480 in RGB, both at a rate in Hz. */
#define LINE_SENSOR(name, width, rate, ...) {.pad = name,.channels = width,.period_ns = 1e9 / rate,.jitter_ns = 0.1e9 / rate, \
    .caps = "other/tensors, format=(string)static, num_tensors=(int)1, types=(string)float32, dimensions=(string)" #width ", " \
    "framerate=(fraction)" #rate "/1", __VA_ARGS__}
#define LINE_CAMERA(rate, ...) {.pad = "camera_0",.frame_bytes = LINE_FRAME_BYTES,.period_ns = 1e9 / rate, \
    .caps = "video/x-raw, format=(string)RGB, width=(int)640, height=(int)480, framerate=(fraction)" #rate "/1", __VA_ARGS__}
#define LINE_FRAME_BYTES (640 * 480 * 3)

/* Takes over a buffer that came out; lag: how long after its time, where the line is live. */
typedef void (*LineTake) (gpointer data, GstBuffer * buffer, GstClockTimeDiff lag);

/* A row is about to be pushed; called by the stream's thread. */
typedef void (*LineGive) (gpointer data, guint stream, guint64 row);

/* ns on GStreamer's system clock. */
GstClockTime line_now (void);

typedef struct
{
  const gchar *element;
  const gchar *settings[10];    /* pairs of property and value, up to NULL */
  LineStream streams[MAX_LINE_STREAMS];
  guint n_streams;
  gboolean live;                /* rows come when they are captured, by the clock; or else as fast as they are taken */
  const gchar *end_caps;        /* what the end takes; NULL: anything */
  LineGive give;                /* or NULL */
  LineTake take;
  gpointer data;
} LineSpec;

typedef struct
{
  guint64 rows;                 /* buffers pushed */
  guint64 out;                  /* buffers that came out */
  gdouble cpu_us;               /* of the process, from the first push to EOS at the end */
} LineResult;

/* Runs until EOS has come out. Ends the program, with what was wrong, where the element fails. */
LineResult line_run (const LineSpec * spec);

/* An element in PAUSED on this backend; NULL: the backend is not available, which a SKIP line with this name reports. */
GstElement *line_open_backend (const gchar * element, const gchar * backend, const gchar * name);

/* A sink pad that takes these caps; NULL: any. */
GstPad *line_new_end (const gchar * caps);

/* Sends the first events of a source. */
void line_begin_stream (GstPad * pad, const gchar * name, GstCaps * caps);

/* Sets it to NULL and releases it. */
void line_close_element (GstElement * element);

/* Text of the first error on the bus; free it. */
gchar *line_error_of (GstBus * bus);

/* Time at which row i is captured. */
gint64 line_row_time (const LineStream * stream, guint64 i);

/* Reads the options of the program and those of GStreamer, and initializes it. */
void line_init (int *argc, char ***argv, const GOptionEntry * options);

/* Returns when a device has written all memory of the buffer. */
void line_wait_for_device (GstBuffer * buffer);

void line_fail (const gchar * format, ...) G_GNUC_PRINTF (1, 2) G_GNUC_NORETURN;
