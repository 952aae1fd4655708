/* robocache: how long after its last row a live sample comes out of robocachefuse
 *
 *   bench-latency [--ticks N | --idle] [--elements N] [--processes N] [--change] [--only PATTERN] [--csv FILE] [--smoke]
 *   bench-latency --model SECONDS     keeps the GPU busy, as a model beside the elements would
 *
 * Method and figures: docs/explanation/measurements.md#robocachefuse. The first row of a stream at or after a tick completes this tick. Outputs are
 * compared, bit for bit, with those of the CPU for the same rows, not live: up to 64 bytes of a tensor, and the first 8 of a frame, which are
 * the time of its row, or its number on the device. With --processes a row has figures of each element, and the memory of a process. On the
 * GPU this is the additional use of the board while the processes run, contexts included, divided by their number. On the host it is the
 * largest peak. The status is 1 if an output differs. Works that need a GPU print SKIP on a machine without one.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include <gst/gst.h>
#include <stdio.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <dlfcn.h>
#include <pthread.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/bench/common/table.h"
#include "tests/bench/kernels/model.h"
#include "tests/bench/pipelines/frames.h"
#include "tests/bench/pipelines/line.h"

#define WARM_UP_MS 500          /* in which pools fill and kernels are loaded */
#define MIN_WARM_UP 3           /* ticks */
#define MAX_PROCESSES 64
#define SKIPPED 77              /* status of a process without the backend */
#define CHANGE_TICKS 20         /* from the change of caps on */
#define SYSTEM_CAPS "other/tensors"
#define DEVICE_FRAMES 16        /* that the camera pushes in turn: more than an element holds */
#define DEVICE_FRAME_CAPS "video/x-raw(memory:CUDAMemory), format=RGB, width=640, height=480, framerate=100/1"

static const LineStream streams[] = {
  LINE_SENSOR ("proprio_0", 14, 100), LINE_SENSOR ("force_0", 6, 1000),
  LINE_CAMERA (100,.jitter_ns = 0.1e9 / 100,.next_caps = "video/x-raw, format=RGB, width=480, height=640, framerate=100/1")
};

/* Time between ticks, and the number of ticks with --idle. Rows and frames keep their rates: only the device and the element's thread
 * are idle for longer. */
typedef struct
{
  guint ms;
  const gchar *rate;
  gint ticks;
} Pace;

static const Pace paces[] = { {10, "100/1", 500}, {33, "1000/33", 150}, {100, "10/1", 60}, {1000, "1/1", 15} };

static const Pace *pace = &paces[0];

#define LIVE_TICK_NS (pace->ms * GST_MSECOND)
#define WARM_UP MAX (WARM_UP_MS / pace->ms, MIN_WARM_UP)        /* ticks */
#define LIVE_MAX_TENSORS MAX_LINE_STREAMS
#define LIVE_COMPARED 64        /* bytes of a tensor: rows of 14 and 6 floats, and the time in a frame */

typedef enum
{
  NO_CAMERA,
  CAMERA,
  DEVICE_CAMERA,                /* frames are on the device before they are pushed */
  OTHER_CAMERA                  /* they are there in another context than the element's */
} LiveCamera;

typedef struct
{
  const gchar *name;
  const gchar *backend;
  gboolean on_device;           /* the sample */
  LiveCamera camera;
  gboolean is_awake;            /* it waits without sleep */
  gdouble p50_us, p99_us;       /* wanted, when the sample is complete; 0: nothing is */
} LiveWork;

/* What came out at one tick. Times are ns of the clock. */
typedef struct
{
  gint64 pushed, complete;
  guint n_tensors;              /* 0: nothing came out */
  gboolean is_whole;            /* all streams had the rows around the tick: it was not made at its deadline, before they came */
  guint8 bytes[LIVE_MAX_TENSORS][LIVE_COMPARED];
} LiveSample;

typedef struct
{
  const LiveWork *work;
  LineSpec spec;
  guint n_ticks;
  GArray *given[MAX_LINE_STREAMS];      /* when each row was pushed */
  LiveSample *samples;          /* [n_ticks] */
} LiveRun;

static const LiveWork works[] = {
  {"CPU", "cpu", FALSE, NO_CAMERA, FALSE, 30, 100},
  {"CPU, with a camera", "cpu", FALSE, CAMERA, FALSE, 30, 100},
  {"CPU, awake", "cpu", FALSE, NO_CAMERA, TRUE, 30, 100},
  {"CPU, with a camera, awake", "cpu", FALSE, CAMERA, TRUE, 30, 100},
  {"GPU", "cuda", TRUE, NO_CAMERA, FALSE, 60, 120},
  {"GPU, with a camera", "cuda", TRUE, CAMERA, FALSE, 60, 120},
  {"GPU, with a camera on the device", "cuda", TRUE, DEVICE_CAMERA, FALSE, 60, 120},
  {"GPU, with a camera in another context", "cuda", TRUE, OTHER_CAMERA, FALSE, 60, 120},
  {"GPU, awake", "cuda", TRUE, NO_CAMERA, TRUE, 30, 60},
  {"GPU, with a camera, awake", "cuda", TRUE, CAMERA, TRUE, 30, 60},
  {"GPU, with a camera on the device, awake", "cuda", TRUE, DEVICE_CAMERA, TRUE, 30, 60},
  {"GPU, to system memory", "cuda", FALSE, NO_CAMERA, FALSE, 0, 0},
  {"GPU, to system memory, awake", "cuda", FALSE, NO_CAMERA, TRUE, 0, 0},
};

static gint n_ticks = 2000, n_elements = 1, n_processes = 0;
static gdouble model_s = 0;
static gchar *only = NULL, *csv = NULL;
static gboolean smoke = FALSE, change = FALSE, idle = FALSE;

static const GOptionEntry options[] = {
  {"ticks", 'n', 0, G_OPTION_ARG_INT, &n_ticks, "Ticks of each work, 100 of them a second (default 2000)", "N"},
  {"idle", 0, 0, G_OPTION_ARG_NONE, &idle, "Ticks 10, 33, 100 and 1000 ms apart, fewer of each", NULL},
  {"elements", 'e', 0, G_OPTION_ARG_INT, &n_elements, "Elements that run at once, each with its own streams; figures are of all their ticks (default 1)", "N"},
  {"processes", 'p', 0, G_OPTION_ARG_INT, &n_processes, "Processes that run at once, each with its elements (default: this one, without memory)", "N"},
  {"change", 0, 0, G_OPTION_ARG_NONE, &change, "The caps of a camera in host memory change in the middle", NULL},
  {"model", 0, 0, G_OPTION_ARG_DOUBLE, &model_s, "Multiply matrices on the GPU for so long, and nothing else", "SECONDS"},
  {"only", 'o', 0, G_OPTION_ARG_STRING, &only, "Works whose names match the regular expression", "PATTERN"},
  {"csv", 0, 0, G_OPTION_ARG_FILENAME, &csv, "Writes the figures there, too", "FILE"},
  {"smoke", 0, 0, G_OPTION_ARG_NONE, &smoke, "A short run, to see that it works", NULL},
  {NULL}
};

/* ---- rows in, samples out ---- */

static void
give (gpointer data, guint stream, guint64 row)
{
  LiveRun *run = data;

  g_array_index (run->given[stream], gint64, row) = (gint64) line_now ();
}

static void
keep_bytes (LiveSample *sample, GstBuffer *buffer)
{
  for (guint i = 0; i < gst_buffer_n_memory (buffer) && i < LIVE_MAX_TENSORS; i++) {
    GstMemory *memory = gst_buffer_peek_memory (buffer, i);
    GstMapInfo map;

    if (!gst_memory_map (memory, &map, GST_MAP_READ))
      line_fail ("tensor %u of a sample cannot be mapped", i);
    memcpy (sample->bytes[i], map.data, map.size == LINE_FRAME_BYTES ? sizeof (gint64) : MIN (map.size, LIVE_COMPARED));
    gst_memory_unmap (memory, &map);
  }
}

static gboolean
is_whole (GstBuffer *buffer)
{
  const GstCustomMeta *meta = gst_buffer_get_custom_meta (buffer, "RobocacheSampleMeta");
  gboolean whole = TRUE;
  const gint64 *info;
  GBytes *bytes;
  gsize size;

  if (meta == NULL || !gst_structure_get (gst_custom_meta_get_structure ((GstCustomMeta *) meta), "info", G_TYPE_BYTES, &bytes,
          NULL))
    line_fail ("a sample has no info");
  info = g_bytes_get_data (bytes, &size);
  /* of each stream: tick, time of the row at or before it, of the row after it, status */
  for (gsize i = 0; i < size / sizeof (*info); i += 4)
    whole = whole && info[i + 3] == 0 && (info[i + 1] == info[i] || info[i + 2] != G_MININT64);
  g_bytes_unref (bytes);
  return whole;
}

static void
take (gpointer data, GstBuffer *buffer, GstClockTimeDiff lag)
{
  LiveRun *run = data;
  const gint64 pushed = (gint64) line_now ();
  const guint64 tick = GST_BUFFER_PTS (buffer) / LIVE_TICK_NS;
  LiveSample *sample = tick < run->n_ticks ? &run->samples[tick] : NULL;

  if (run->work->on_device && run->spec.live)
    line_wait_for_device (buffer);
  if (sample) {
    *sample = (LiveSample) {.pushed = pushed,.complete = (gint64) line_now (),.n_tensors = gst_buffer_n_memory (buffer),
      .is_whole = is_whole (buffer)};
    keep_bytes (sample, buffer);
  }
  gst_buffer_unref (buffer);
}

/* ---- runs ---- */

/* Runs the work for so many ticks; not live: on the CPU, as fast as it goes, for what is right. frames: of a DEVICE_CAMERA, for a run
 * that is not live in host memory. */
static void
live_run_open (LiveRun *run, const LiveWork *work, guint ticks, gboolean live, GPtrArray *frames)
{
  *run = (LiveRun) {.work = work,.n_ticks = ticks};
  run->spec = (LineSpec) {.element = "robocachefuse",.settings = {"rate", pace->rate, "backend", live ? work->backend : "cpu",
        "busy-wait", work->is_awake ? "20000000" : "0"},
    .n_streams = work->camera ? 3 : 2,.live = live,.give = give,.take = take,.data = run};
  if (!live || !work->on_device)
    run->spec.end_caps = SYSTEM_CAPS;
  for (guint i = 0; i < run->spec.n_streams; i++) {
    LineStream *stream = &run->spec.streams[i];

    *stream = streams[i];
    stream->n = (guint64) ((gdouble) (ticks + 2) * LIVE_TICK_NS / stream->period_ns);
    stream->next_at = stream->n / 2;
    stream->next_caps = change && frames == NULL ? stream->next_caps : NULL;
    stream->frames = stream->frame_bytes > 0 ? frames : NULL;
    if (stream->frames && live)
      stream->caps = DEVICE_FRAME_CAPS;
    run->given[i] = g_array_sized_new (FALSE, TRUE, sizeof (gint64), (guint) stream->n);
    g_array_set_size (run->given[i], (guint) stream->n);
  }
  run->samples = g_new0 (LiveSample, ticks);
  line_run (&run->spec);
}

static void
live_run_close (LiveRun *run)
{
  for (guint i = 0; i < run->spec.n_streams; i++)
    g_array_unref (run->given[i]);
  g_free (run->samples);
}

/* When the row was pushed that completes a tick; next[]: of each stream the first row that is not before the tick before. */
static gint64
live_completed_at (const LiveRun *run, guint tick, guint64 *next)
{
  gint64 t = 0;

  for (guint i = 0; i < run->spec.n_streams; i++) {
    while (line_row_time (&run->spec.streams[i], next[i]) < (gint64) (tick * LIVE_TICK_NS))
      next[i]++;
    t = MAX (t, g_array_index (run->given[i], gint64, next[i]));
  }
  return t;
}

/* ---- figures ---- */

enum
{
  P5,
  P50,
  P95,
  P99,
  MOST,
  N_QUANTILES
};

static const gdouble shares[N_QUANTILES] = { 0.05, 0.5, 0.95, 0.99, 1 };

/* us of a tick */
typedef struct
{
  gdouble pushed, complete;
} Tick;

typedef struct
{
  guint n;                      /* ticks of which the following is */
  guint by_deadline, absent, differing;
  guint change_by_deadline, change_absent;
  gdouble pushed_us[N_QUANTILES], complete_us[N_QUANTILES];
  gdouble change_us;            /* the greatest after the change of caps */
  gboolean is_compared;
} Figures;

/* Complete ticks after the first ones. */
static GArray *
look_at_ticks (const LiveRun *run, const LiveRun *truth, Figures *figures)
{
  GArray *ticks = g_array_new (FALSE, FALSE, sizeof (Tick));
  guint64 next[MAX_LINE_STREAMS] = { 0 };

  for (guint i = 0; i < run->n_ticks; i++) {
    const LiveSample *sample = &run->samples[i];
    const gint64 completed = live_completed_at (run, i, next);
    const gboolean changes = change && i >= run->n_ticks / 2 && i < run->n_ticks / 2 + CHANGE_TICKS;

    if (i < WARM_UP)
      continue;
    if (sample->n_tensors == 0) {
      figures->absent++;
      figures->change_absent += changes;
    } else if (!sample->is_whole) {
      figures->by_deadline++;
      figures->change_by_deadline += changes;
    } else {
      const Tick tick = { (gdouble) (sample->pushed - completed) * 1e-3, (gdouble) (sample->complete - completed) * 1e-3 };

      figures->differing += sample->n_tensors != truth->samples[i].n_tensors
          || memcmp (sample->bytes, truth->samples[i].bytes, sizeof (sample->bytes)) != 0;
      g_array_append_val (ticks, tick);
      if (changes)
        figures->change_us = MAX (figures->change_us, tick.complete);
    }
  }
  return ticks;
}

/* Of a figure of the ticks that is so many bytes from the begin of each. */
static void
quantiles (const GArray *ticks, gsize offset, gdouble out[N_QUANTILES])
{
  gdouble *values = g_new0 (gdouble, ticks->len + 1);

  for (guint i = 0; i < ticks->len; i++)
    values[i] = G_STRUCT_MEMBER (gdouble, &g_array_index (ticks, Tick, i), offset);
  if (ticks->len > 0)
    bench_spread (values, (gint) ticks->len);   /* which sorts */
  for (guint i = 0; i < N_QUANTILES; i++)
    out[i] = ticks->len > 0 ? values[(guint) (shares[i] * (ticks->len - 1))] : 0;
  g_free (values);
}

/* A run in a thread of its own. */
typedef struct
{
  const LiveWork *work;
  guint ticks;
  GPtrArray *frames;
  LiveRun run;
  GThread *thread;
} Element;

static gpointer
run_element (gpointer data)
{
  Element *element = data;

  live_run_open (&element->run, element->work, element->ticks, TRUE, element->frames);
  return NULL;
}

/* What `ticks` says. */
static void
end_figures (Figures *figures, const GArray *ticks)
{
  figures->n = ticks->len;
  figures->is_compared = TRUE;
  quantiles (ticks, G_STRUCT_OFFSET (Tick, pushed), figures->pushed_us);
  quantiles (ticks, G_STRUCT_OFFSET (Tick, complete), figures->complete_us);
}

/* each[n_elements]: of one element; zeroed. Returns figures of all their ticks. */
static Figures
measure_ticks (const LiveWork *work, guint n, GPtrArray *frames, const LiveRun *truth, Figures *each)
{
  Figures figures = { 0 };
  Element *elements = g_new0 (Element, n_elements);
  GArray *all = g_array_new (FALSE, FALSE, sizeof (Tick));

  for (gint i = 0; i < n_elements; i++) {
    elements[i] = (Element) {.work = work,.ticks = n,.frames = frames };
    elements[i].thread = g_thread_new ("element", run_element, &elements[i]);
  }
  for (gint i = 0; i < n_elements; i++) {
    GArray *ticks;

    g_thread_join (elements[i].thread);
    ticks = look_at_ticks (&elements[i].run, truth, &each[i]);
    end_figures (&each[i], ticks);
    figures.by_deadline += each[i].by_deadline;
    figures.absent += each[i].absent;
    figures.differing += each[i].differing;
    g_array_append_vals (all, ticks->data, ticks->len);
    g_array_unref (ticks);
    live_run_close (&elements[i].run);
  }
  end_figures (&figures, all);
  g_array_unref (all);
  g_free (elements);
  return figures;
}

/* ---- what no element can do without: waking a thread ---- */

typedef struct
{
  GAsyncQueue *times;           /* at which the thread was asked to wake */
  guint n;
  GArray *ticks;
} Sleeper;

static gpointer
sleep_and_note (gpointer data)
{
  Sleeper *sleeper = data;

  for (guint i = 0; i < sleeper->n; i++) {
    const GstClockTime *asked = g_async_queue_pop (sleeper->times);
    const Tick tick = { (gdouble) (line_now () - *asked) * 1e-3, 0 };

    g_array_append_val (sleeper->ticks, tick);
  }
  return NULL;
}

/* Of a thread that has slept for as long as a tick takes, by another that has slept too. */
static void
measure_waking (guint n, Figures *figures)
{
  Sleeper sleeper = { g_async_queue_new (), n, g_array_sized_new (FALSE, FALSE, sizeof (Tick), n) };
  GstClockTime *asked = g_new (GstClockTime, n);
  GThread *thread = g_thread_new ("sleeper", sleep_and_note, &sleeper);

  for (guint i = 0; i < n; i++) {
    g_usleep (LIVE_TICK_NS / 1000);
    asked[i] = line_now ();
    g_async_queue_push (sleeper.times, &asked[i]);
  }
  g_thread_join (thread);
  figures->n = n;
  quantiles (sleeper.ticks, G_STRUCT_OFFSET (Tick, pushed), figures->pushed_us);
  memcpy (figures->complete_us, figures->pushed_us, sizeof (figures->complete_us));
  g_array_unref (sleeper.ticks);
  g_async_queue_unref (sleeper.times);
  g_free (asked);
}

/* ---- what is printed ---- */

static const gchar *
verdict (const Figures *figures)
{
  if (!figures->is_compared)
    return "";
  if (figures->n == 0)
    return "nothing came out in time";
  return figures->differing > 0 ? "differs from the CPU" : "yes";
}

static void
put_row (Table *table, const LiveWork *work, const Figures *figures)
{
  const gboolean has_targets = work->p50_us > 0 && pace == &paces[0];

  table_put (table, "%s|%u|%u|%u|%u", work->name, pace->ms, figures->n, figures->by_deadline, figures->absent);
  for (guint i = 0; i < N_QUANTILES; i++)
    table_put (table, "%.2f", figures->pushed_us[i]);
  for (guint i = 0; i < N_QUANTILES; i++)
    table_put (table, "%.2f", figures->complete_us[i]);
  table_put (table, "%.2f|%.2f|%s", has_targets ? work->p50_us : NAN, has_targets ? work->p99_us : NAN, verdict (figures));
}

/* ---- works ---- */

/* Another element holds the backend meanwhile, so that those that are measured need not open a device. FALSE: it is not available. */
static gboolean
measure_elements (const LiveWork *work, pthread_barrier_t *start, Figures *each, Figures *all)
{
  const guint ticks = (guint) n_ticks + WARM_UP;
  const gboolean has_frames = work->camera >= DEVICE_CAMERA;
  GstElement *element = line_open_backend ("robocachefuse", work->backend, work->name);
  GPtrArray *on_host = has_frames ? frames_in_host_memory (DEVICE_FRAMES) : NULL;
  GPtrArray *on_device = has_frames && element ? frames_on_device (DEVICE_FRAMES, DEVICE_FRAME_CAPS,
      work->camera == OTHER_CAMERA ? NULL : element, work->name) : NULL;
  const gboolean is_available = element != NULL && (on_device != NULL || !has_frames);
  LiveRun truth;

  if (is_available) {
    live_run_open (&truth, work, ticks, FALSE, on_host);
    if (start)
      pthread_barrier_wait (start);
    *all = measure_ticks (work, ticks, on_device, &truth, each);
    live_run_close (&truth);
  }
  g_clear_pointer (&on_host, g_ptr_array_unref);
  g_clear_pointer (&on_device, g_ptr_array_unref);
  g_clear_pointer (&element, line_close_element);
  return is_available;
}

static gboolean
measure (const LiveWork *work, Table *table)
{
  Figures *each = g_new0 (Figures, n_elements), figures;
  const gboolean is_available = measure_elements (work, NULL, each, &figures);

  g_free (each);
  if (!is_available)
    return TRUE;
  if (smoke)
    printf ("%s %s: %u ticks, %s\n", figures.n > 0 && figures.differing == 0 ? "PASS" : "FAIL", work->name, figures.n,
        verdict (&figures));
  else
    put_row (table, work, &figures);
  return figures.n > 0 && figures.differing == 0;
}

/* ---- processes ---- */

/* Memory that the processes share. */
typedef struct
{
  pthread_barrier_t start;
  Figures each[];               /* [n_processes][n_elements] */
} Shared;

/* Bytes in use on the first board; NAN: not readable. */
static gdouble
board_bytes (void)
{
  struct
  {
    guint64 total, free, used;
  } memory;
  static gint (*info) (gpointer device, gpointer memory);
  static gpointer device;

  if (info == NULL) {
    gpointer library = dlopen ("libnvidia-ml.so.1", RTLD_NOW);
    gint (*init) (void) = NULL, (*by_index) (guint, gpointer *) = NULL;

    if (library != NULL) {
      *(gpointer *) &init = dlsym (library, "nvmlInit_v2");
      *(gpointer *) &by_index = dlsym (library, "nvmlDeviceGetHandleByIndex_v2");
      *(gpointer *) &info = dlsym (library, "nvmlDeviceGetMemoryInfo");
    }
    if (init == NULL || by_index == NULL || info == NULL || init () != 0 || by_index (0, &device) != 0)
      device = NULL;
  }
  return device != NULL && info (device, &memory) == 0 ? (gdouble) memory.used : NAN;
}

/* Waits until all have ended, and looks at the memory meanwhile. The rest of them ends when one fails. Returns its status. */
static gint
wait_for_processes (const pid_t *pids, gdouble *board, gdouble *peak)
{
  gint failed = 0;

  for (gint n = n_processes; n > 0;) {
    struct rusage usage;
    gint status;

    if (wait4 (-1, &status, WNOHANG, &usage) == 0) {
      *board = MAX (*board, board_bytes ());
      g_usleep (50000);
      continue;
    }
    n--;
    *peak = MAX (*peak, (gdouble) usage.ru_maxrss * 1024);
    if (status == 0 || failed)
      continue;
    failed = WIFEXITED (status) ? WEXITSTATUS (status) : 1;
    for (gint i = 0; i < n_processes; i++)
      kill (pids[i], SIGTERM);
  }
  return failed;
}

static gint
compare_p99 (gconstpointer a, gconstpointer b)
{
  const gdouble x = ((const Figures *) a)->complete_us[P99], y = ((const Figures *) b)->complete_us[P99];

  return (x > y) - (x < y);
}

/* Writes a row: quantiles of the element whose p99 is in the middle, and the p99 of the worst one. */
static gboolean
put_processes (Table *table, const LiveWork *work, Figures *each, gdouble board, gdouble peak)
{
  const gint n = n_processes * n_elements;
  GString *all = g_string_new (NULL);
  Figures sum = {.n = G_MAXUINT,.is_compared = TRUE };
  gdouble greatest = 0;

  qsort (each, n, sizeof (*each), compare_p99);
  for (gint i = 0; i < n; i++) {
    sum.n = MIN (sum.n, each[i].n);
    sum.by_deadline += each[i].by_deadline;
    sum.absent += each[i].absent;
    sum.differing += each[i].differing;
    sum.change_by_deadline += each[i].change_by_deadline;
    sum.change_absent += each[i].change_absent;
    sum.change_us = MAX (sum.change_us, each[i].change_us);
    greatest = MAX (greatest, each[i].complete_us[MOST]);
    g_string_append_printf (all, "%s%.0f", i > 0 ? " " : "", each[i].complete_us[P99]);
  }
  if (smoke)
    printf ("%s %s, %d x %d: %u ticks, %s\n", sum.n > 0 && sum.differing == 0 ? "PASS" : "FAIL", work->name, n_processes, n_elements,
        sum.n, verdict (&sum));
  else
    table_put (table, "%s|%d|%d|%u|%u|%u|%.2f|%.2f|%.2f|%.2f|%.2f|%.2f|%s|%u|%u|%.2f|%.0f|%.0f|%s", work->name, n_processes,
        n_elements, sum.n, sum.by_deadline, sum.absent, each[n / 2].complete_us[P5], each[n / 2].complete_us[P50],
        each[n / 2].complete_us[P95], each[n / 2].complete_us[P99], each[n - 1].complete_us[P99], greatest, all->str, sum.change_by_deadline, sum.change_absent, change ? sum.change_us : NAN, board,
        peak, verdict (&sum));
  g_string_free (all, TRUE);
  return sum.n > 0 && sum.differing == 0;
}

/* This process opens no device, since its children could not use it. */
static gboolean
measure_processes (const LiveWork *work, Table *table)
{
  const gsize size = sizeof (Shared) + (gsize) (n_processes * n_elements) * sizeof (Figures);
  Shared *shared = mmap (NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  const gdouble before = board_bytes ();
  gdouble board = before, peak = 0;
  pid_t pids[MAX_PROCESSES];
  pthread_barrierattr_t attributes;
  gboolean ok;

  if (shared == MAP_FAILED)
    line_fail ("no memory for %d processes", n_processes);
  pthread_barrierattr_init (&attributes);
  pthread_barrierattr_setpshared (&attributes, PTHREAD_PROCESS_SHARED);
  pthread_barrier_init (&shared->start, &attributes, (guint) n_processes);
  fflush (NULL);
  for (gint i = 0; i < n_processes; i++) {
    pids[i] = fork ();
    if (pids[i] == 0) {
      Figures all;
      gboolean is_available;

      prctl (PR_SET_PDEATHSIG, SIGTERM);
      is_available = measure_elements (work, &shared->start, &shared->each[i * n_elements], &all);
      fflush (NULL);
      _exit (is_available ? 0 : SKIPPED);
    }
    if (pids[i] < 0)
      line_fail ("no process %d", i);
  }
  switch (wait_for_processes (pids, &board, &peak)) {
    case 0:
      ok = put_processes (table, work, shared->each, (board - before) / n_processes, peak);
      break;
    case SKIPPED:
      ok = TRUE;
      break;
    default:
      ok = FALSE;
      printf ("FAIL %s: a process failed\n", work->name);
  }
  munmap (shared, size);
  return ok;
}

static void
wake_alone (Table *table)
{
  static const LiveWork alone = {.name = "a thread, woken" };
  Figures figures = { 0 };

  measure_waking ((guint) MIN (n_ticks, 500), &figures);
  put_row (table, &alone, &figures);
}

static gboolean
measure_works (Table *table)
{
  gboolean ok = TRUE;

  for (guint i = 0; i < G_N_ELEMENTS (works); i++) {
    if (only == NULL || g_regex_match_simple (only, works[i].name, 0, 0))
      ok = (n_processes > 0 ? measure_processes (&works[i], table) : measure (&works[i], table)) && ok;
  }
  return ok;
}

int
main (int argc, char **argv)
{
  gboolean ok = TRUE;
  Table table;

  line_init (&argc, &argv, options);
  if (n_ticks < 1 || n_ticks > 1000000)
    line_fail ("--ticks is %d, expected 1 to 1000000", n_ticks);
  if (n_elements < 1 || n_elements > 64)
    line_fail ("--elements is %d, expected 1 to 64", n_elements);
  if (n_processes < 0 || n_processes > MAX_PROCESSES)
    line_fail ("--processes is %d, expected 1 to %d", n_processes, MAX_PROCESSES);
  if (idle && n_processes > 0)
    line_fail ("--idle is without --processes");
  if (model_s > 0)
    return bench_run_model (model_s);
  if (smoke)
    n_ticks = 50;
  /* in a bundle it is among the plugins */
  if (gst_plugin_load_file (ROBOCACHE_PLUGIN, NULL) == NULL)
    gst_element_factory_find ("robocachefuse");

  if (!smoke && n_processes > 0)
    table_open (&table, csv, "work,processes,elements,ticks,by_deadline,absent,complete_p5_us,complete_p50_us,complete_p95_us,"
        "complete_p99_us,worst_p99_us,complete_max_us,each_p99_us,change_by_deadline,change_absent,change_max_us,gpu_bytes,host_bytes,checked");
  else if (!smoke)
    table_open (&table, csv, "work,tick_ms,ticks,by_deadline,absent,pushed_p5_us,pushed_p50_us,pushed_p95_us,pushed_p99_us,pushed_max_us,"
        "complete_p5_us,complete_p50_us,complete_p95_us,complete_p99_us,complete_max_us,wanted_p50_us,wanted_p99_us,checked");
  if (!smoke && only == NULL && n_processes == 0)
    wake_alone (&table);
  for (guint i = 0; i < (idle ? G_N_ELEMENTS (paces) : 1); i++) {
    pace = &paces[i];
    if (idle)
      n_ticks = smoke ? pace->ticks / 10 : pace->ticks;
    ok = measure_works (&table) && ok;
  }
  if (!smoke)
    table_end (&table);
  return ok ? 0 : 1;
}
