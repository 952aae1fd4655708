/* robocache: from a camera's frame to a command: decoder, robocachefuse and a network on the device, stage by stage
 *
 *   bench-camera [--h264 FILE] [--frames N] [--only TEXT] [--csv FILE] [--smoke] [--seconds N [--every N]]
 *
 * Method and figures: docs/explanation/measurements.md#camera-to-command. A frame is pushed when it is captured, by the clock. The pairing beside
 * robocachefuse takes the newest row of each other stream when a decoded frame arrives, as a muxer of streams does. Frames are pushed raw
 * without a recording or a decoder. With --seconds the first work runs for so long and reports its memory. The status is 1 if a command
 * differs from the CPU's, half of the frames made none, or memory grew. Works that need a GPU print SKIP on a machine without one.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include <cuda_runtime_api.h>
#include <dlfcn.h>
#include <gst/video/video.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "common/device/allocator.h"
#include "kernels/memory.h"
#include "tests/bench/common/table.h"
#include "tests/bench/pipelines/line.h"
#include "tests/bench/pipelines/network.h"

#define RATE 30
#define WARM_UP 30              /* frames, in which pools fill and kernels are loaded */
#define MAX_GROWTH_KIB 2048     /* of a process in --seconds */
#define TIMEOUT_NS (5 * GST_SECOND)     /* after the last frame */

typedef struct
{
  const gchar *name, *format;   /* of frames, as the network reads them */
  const gchar *interpolation;   /* of rows; NULL: pairing on the CPU */
} CameraWork;

static const CameraWork works[] = {
  {"robocachefuse, rows interpolated", "NV12", "linear"},
  {"robocachefuse, rows before the frame", "NV12", "previous"},
  {"robocachefuse, rows before the frame", "RGBA", "previous"},
  {"pairing on the CPU, newest rows", "NV12", NULL},
};

enum
{
  PUSHED,
  DECODED,                      /* at the sink pad of robocachefuse, or where it is paired */
  PAIRED,                       /* the sample has left robocachefuse; or its parts are on the device */
  DONE,                         /* the command is on the host */
  N_TIMES
};

static const struct
{
  const gchar *name;
  guint from, to;
} stages[] = {
  {"decoder", PUSHED, DECODED}, {"sample", DECODED, PAIRED}, {"network", PAIRED, DONE}, {"total", PUSHED, DONE}
};

enum
{
  CAMERA,
  PROPRIO,
  FORCE,
  GRID,
  N_STREAMS
};

static const gchar *const stream_names[N_STREAMS] = { "camera", "proprio", "force", "grid" };

typedef struct
{
  const CameraWork *work;
  GPtrArray *units;             /* GstBuffer of what is pushed, in turn */
  GstCaps *caps;                /* of them */
  gboolean is_decoded;
  guint n_frames;
  GstElement *pipeline;
  GstVideoInfo video;           /* of decoded frames */
  Network *network;
  gint64 (*times)[N_TIMES];     /* [n_frames], ns of the clock; 0: it did not come */
  gint64 *row_off;              /* [n_frames], ns between the frame and the row of proprio */
  guint n_done, incomplete;
  gboolean is_right;            /* all commands that were compared */
  /* pairing on the CPU */
  GMutex lock;
  GstBuffer *newest[N_STREAMS];
  guint8 *on_device[N_STREAMS];
  RcBackend *backend;
  cudaStream_t stream;
} CameraRun;

static gint n_frames = 600, n_points = 100000, seconds = 0, every = 60, grid_side = 64;
static gint width = 640, height = 480;
static const gchar *only = NULL, *csv = NULL, *h264 = NULL;
static gboolean smoke = FALSE;

static const GOptionEntry options[] = {
  {"h264", 0, 0, G_OPTION_ARG_FILENAME, &h264, "H.264 to decode, over and over (default: raw frames)", "FILE"},
  {"frames", 'n', 0, G_OPTION_ARG_INT, &n_frames, "Frames of each work, 30 a second (default 600)", "N"},
  {"only", 'o', 0, G_OPTION_ARG_STRING, &only, "Works whose names hold the text", "TEXT"},
  {"csv", 0, 0, G_OPTION_ARG_FILENAME, &csv, "Writes the figures there, too", "FILE"},
  {"smoke", 0, 0, G_OPTION_ARG_NONE, &smoke, "A short run of small frames, to see that it works", NULL},
  {"seconds", 0, 0, G_OPTION_ARG_INT, &seconds, "Runs the first work for so long and reports memory", "N"},
  {"every", 0, 0, G_OPTION_ARG_INT, &every, "Seconds between two reports of memory (default 60)", "N"},
  {NULL}
};

static void
must (cudaError_t result, const gchar *what)
{
  if (result != cudaSuccess)
    line_fail ("%s: %s", what, cudaGetErrorString (result));
}

/* ---- what is pushed ---- */

static void
read_h264 (CameraRun *run)
{
  gchar *launch = g_strdup_printf ("filesrc location=\"%s\" ! h264parse ! video/x-h264,stream-format=byte-stream,alignment=au ! "
      "appsink name=units sync=false max-buffers=0", h264);
  GstElement *pipeline = gst_parse_launch (launch, NULL), *sink;
  GstSample *sample = NULL;

  if (pipeline == NULL)
    line_fail ("%s: this machine has no h264parse or no appsink", h264);
  sink = gst_bin_get_by_name (GST_BIN (pipeline), "units");
  gst_element_set_state (pipeline, GST_STATE_PLAYING);
  for (;;) {
    g_signal_emit_by_name (sink, "try-pull-sample", TIMEOUT_NS, &sample);
    if (sample == NULL)
      break;
    g_ptr_array_add (run->units, gst_buffer_ref (gst_sample_get_buffer (sample)));
    gst_caps_replace (&run->caps, gst_sample_get_caps (sample));
    gst_sample_unref (sample);
  }
  gst_object_unref (sink);
  line_close_element (pipeline);
  if (run->units->len == 0)
    line_fail ("%s: it has no frames of H.264", h264);
  g_free (launch);
}

static void
make_frames (CameraRun *run)
{
  GstVideoInfo video;

  gst_video_info_set_format (&video, gst_video_format_from_string (run->work->format), (guint) width, (guint) height);
  video.fps_n = RATE;
  run->caps = gst_video_info_to_caps (&video);
  for (guint i = 0; i < 8; i++) {
    GstBuffer *frame = gst_buffer_new_allocate (NULL, video.size, NULL);
    GstMapInfo map;

    gst_buffer_map (frame, &map, GST_MAP_WRITE);
    for (gsize k = 0; k < map.size; k++)
      map.data[k] = (guint8) (k * (i + 3) >> 4);
    gst_buffer_unmap (frame, &map);
    g_ptr_array_add (run->units, frame);
  }
}

static GstClockTime
capture_time (guint i)
{
  return gst_util_uint64_scale (i + RATE, GST_SECOND, RATE);    /* the first one a second after the start */
}

/* n_frames: it is none of ours. */
static guint
frame_at (const CameraRun *run, GstClockTime pts)
{
  const guint64 i = gst_util_uint64_scale_round (pts, RATE, GST_SECOND);

  return GST_CLOCK_TIME_IS_VALID (pts) && i >= RATE && i - RATE < run->n_frames ? (guint) i - RATE : run->n_frames;
}

static gpointer
push_units (gpointer data)
{
  CameraRun *run = data;
  GstElement *src = gst_bin_get_by_name (GST_BIN (run->pipeline), "frames");

  for (guint i = 0; i < run->n_frames; i++) {
    const GstClockTime at = gst_element_get_base_time (run->pipeline) + capture_time (i);
    const struct timespec when = { (time_t) (at / GST_SECOND), (glong) (at % GST_SECOND) };
    GstBuffer *unit = gst_buffer_copy (g_ptr_array_index (run->units, i % run->units->len));
    GstFlowReturn flow = GST_FLOW_OK;

    GST_BUFFER_PTS (unit) = GST_BUFFER_DTS (unit) = capture_time (i);
    GST_BUFFER_DURATION (unit) = GST_SECOND / RATE;
    while (clock_nanosleep (CLOCK_MONOTONIC, TIMER_ABSTIME, &when, NULL) != 0);
    run->times[i][PUSHED] = (gint64) line_now ();
    g_signal_emit_by_name (src, "push-buffer", unit, &flow);
    gst_buffer_unref (unit);
    if (flow != GST_FLOW_OK)
      break;
  }
  gst_object_unref (src);
  return NULL;
}

/* ---- the network ---- */

static void
run_network (CameraRun *run, guint i, const NetworkInput *input)
{
  const gint pixel = GST_VIDEO_INFO_COMP_PSTRIDE (&run->video, 0);
  const NetworkShape shape = {.line_bytes = GST_VIDEO_INFO_WIDTH (&run->video) * pixel,.pixel_bytes = pixel,
    .lines = GST_VIDEO_INFO_HEIGHT (&run->video) * (GST_VIDEO_INFO_N_PLANES (&run->video) > 1 ? 3 : 2) / 2,
    .grid_bytes = grid_side * grid_side * grid_side };
  gfloat command[NETWORK_COMMAND];

  if (run->network == NULL)
    run->network = network_open (&shape);
  network_run (run->network, input, command);
  run->times[i][DONE] = (gint64) line_now ();
  if (i + 1 == run->n_frames || i == WARM_UP)
    run->is_right = network_is_right (run->network, input, command) && run->is_right;
  g_atomic_int_inc (&run->n_done);
}

/* ---- robocachefuse ---- */

/* Whether all streams have rows; off: ns between the tick and the row of proprio, 0 between two rows that are interpolated. */
static gboolean
is_complete (GstBuffer *sample, gboolean is_interpolated, gint64 *off)
{
  const GstCustomMeta *meta = gst_buffer_get_custom_meta (sample, "RobocacheSampleMeta");
  gboolean complete = TRUE;
  const gint64 *info;
  GBytes *bytes;
  gsize size;

  if (meta == NULL || !gst_structure_get (gst_custom_meta_get_structure ((GstCustomMeta *) meta), "info", G_TYPE_BYTES, &bytes, NULL))
    line_fail ("a sample has no info");
  info = g_bytes_get_data (bytes, &size);
  /* of each stream: tick, time of the row at or before it, of the row after it, status */
  for (gsize i = 0; i < size / sizeof (*info); i += 4)
    complete = complete && info[i + 3] != 2;
  complete = complete && size / sizeof (*info) == 4 * N_STREAMS;
  if (complete)
    *off = is_interpolated && info[4 * PROPRIO + 2] != G_MININT64 ? 0 : info[4 * PROPRIO] - info[4 * PROPRIO + 1];
  g_bytes_unref (bytes);
  return complete;
}

static GstPadProbeReturn
take_sample (GstPad *pad, GstPadProbeInfo *probe, gpointer data)
{
  CameraRun *run = data;
  GstBuffer *sample = GST_PAD_PROBE_INFO_BUFFER (probe);
  const guint i = frame_at (run, GST_BUFFER_PTS (sample));
  const void *tensors[N_STREAMS];
  GstMapInfo maps[N_STREAMS];

  if (i == run->n_frames)
    return GST_PAD_PROBE_OK;
  if (!is_complete (sample, strcmp (run->work->interpolation, "linear") == 0, &run->row_off[i])) {
    run->incomplete += i >= WARM_UP;
    return GST_PAD_PROBE_OK;
  }
  for (guint k = 0; k < N_STREAMS; k++) {
    if (!gst_memory_map (gst_buffer_peek_memory (sample, k), &maps[k], (GstMapFlags) (GST_MAP_READ | ROBOCACHE_MAP_DEVICE)))
      line_fail ("tensor %u of a sample cannot be mapped", k);
    tensors[k] = maps[k].data;
  }
  run->times[i][PAIRED] = (gint64) line_now ();
  run_network (run, i, &(NetworkInput) {tensors[CAMERA], tensors[PROPRIO], tensors[FORCE], tensors[GRID]});
  for (guint k = 0; k < N_STREAMS; k++)
    gst_memory_unmap (gst_buffer_peek_memory (sample, k), &maps[k]);
  return GST_PAD_PROBE_OK;
}

/* ---- pairing on the CPU ---- */

static GstPadProbeReturn
keep_newest (GstPad *pad, GstPadProbeInfo *probe, gpointer data)
{
  CameraRun *run = data;
  gchar *name = gst_object_get_name (GST_OBJECT_PARENT (pad));
  guint k = PROPRIO;

  while (k < GRID && strcmp (name, stream_names[k]) != 0)
    k++;
  g_mutex_lock (&run->lock);
  gst_buffer_replace (&run->newest[k], GST_PAD_PROBE_INFO_BUFFER (probe));
  g_mutex_unlock (&run->lock);
  g_free (name);
  return GST_PAD_PROBE_OK;
}

/* The CUcontext of memory of the decoder. */
static void *
context_of (const void *memory)
{
  static int (*get_attribute) (void *, int, unsigned long long) = NULL;
  void *driver, *context = NULL;

  if (get_attribute == NULL && (driver = dlopen ("libcuda.so.1", RTLD_NOW)) != NULL)
    *(void **) &get_attribute = dlsym (driver, "cuPointerGetAttribute");
  if (get_attribute == NULL || get_attribute (&context, 1 /* CU_POINTER_ATTRIBUTE_CONTEXT */ , (unsigned long long) (gsize) memory) != 0)
    line_fail ("the driver knows no context of a frame");
  return context;
}

static void
put_frame (CameraRun *run, GstBuffer *frame, gboolean on_device)
{
  const GstVideoMeta *meta = gst_buffer_get_video_meta (frame);
  guint8 *to = run->on_device[CAMERA];
  RcError error;
  GstMapInfo map;

  if (!gst_buffer_map (frame, &map, (GstMapFlags) (GST_MAP_READ | (on_device ? ROBOCACHE_MAP_DEVICE : 0))))
    line_fail ("a frame cannot be mapped");
  for (guint p = 0; p < GST_VIDEO_INFO_N_PLANES (&run->video); p++) {
    const guint64 lines = (guint64) GST_VIDEO_INFO_COMP_HEIGHT (&run->video, p);
    const gsize line = (gsize) GST_VIDEO_INFO_COMP_WIDTH (&run->video, p) * GST_VIDEO_INFO_COMP_PSTRIDE (&run->video, p);
    const guint8 *from = map.data + (meta ? meta->offset[p] : GST_VIDEO_INFO_PLANE_OFFSET (&run->video, p));
    const RcMemoryCopy copy = {.to = to,.from = from,.to_stride = (gint64) line,.row_bytes = line,.rows = lines,
      .from_stride = meta ? meta->stride[p] : GST_VIDEO_INFO_PLANE_STRIDE (&run->video, p),
      .from_context = on_device ? context_of (from) : NULL
    };

    if (rc_memory_copy (run->backend, &copy, run->stream, &error) != RC_OK)
      line_fail ("%s", error.message);
    to += lines * line;
  }
  must (cudaStreamSynchronize (run->stream), "cudaStreamSynchronize");
  gst_buffer_unmap (frame, &map);
}

static void
put_newest (CameraRun *run, guint k, GstBuffer *row)
{
  GstMapInfo map;

  gst_buffer_map (row, &map, GST_MAP_READ);
  must (cudaMemcpyAsync (run->on_device[k], map.data, map.size, cudaMemcpyHostToDevice, run->stream), "cudaMemcpyAsync");
  gst_buffer_unmap (row, &map);
}

static void
open_pairing (CameraRun *run)
{
  const RcWhere there = {.kind = RC_BACKEND_CUDA };
  const gsize bytes[N_STREAMS] = { run->video.size * 2, NETWORK_PROPRIO * sizeof (gfloat), NETWORK_FORCE * sizeof (gfloat),
    (gsize) grid_side * grid_side * grid_side };
  RcError error;

  if (rc_backend_open (&there, &run->backend, &error) != RC_OK)
    line_fail ("%s", error.message);
  must (cudaSetDevice (0), "cudaSetDevice");
  must (cudaStreamCreateWithFlags (&run->stream, cudaStreamNonBlocking), "cudaStreamCreateWithFlags");
  for (guint k = 0; k < N_STREAMS; k++)
    must (cudaMalloc ((void **) &run->on_device[k], bytes[k]), "cudaMalloc");
}

static void
pair (CameraRun *run, guint i, GstBuffer *frame, gboolean on_device)
{
  GstBuffer *rows[N_STREAMS] = { NULL };
  gboolean complete = TRUE;

  g_mutex_lock (&run->lock);
  for (guint k = PROPRIO; k < N_STREAMS; k++)
    complete = gst_buffer_replace (&rows[k], run->newest[k]) && complete;
  g_mutex_unlock (&run->lock);
  if (complete) {
    if (run->backend == NULL)
      open_pairing (run);
    must (cudaSetDevice (0), "cudaSetDevice");
    run->row_off[i] = ABS ((gint64) GST_BUFFER_PTS (rows[PROPRIO]) - (gint64) GST_BUFFER_PTS (frame));
    for (guint k = PROPRIO; k < N_STREAMS; k++)
      put_newest (run, k, rows[k]);
    put_frame (run, frame, on_device);
    run->times[i][PAIRED] = (gint64) line_now ();
    run_network (run, i, &(NetworkInput) {run->on_device[CAMERA], (gfloat *) run->on_device[PROPRIO],
          (gfloat *) run->on_device[FORCE], run->on_device[GRID]});
  } else {
    run->incomplete += i >= WARM_UP;
  }
  for (guint k = PROPRIO; k < N_STREAMS; k++)
    gst_clear_buffer (&rows[k]);
}

static void
close_pairing (CameraRun *run)
{
  for (guint k = 0; k < N_STREAMS; k++) {
    gst_clear_buffer (&run->newest[k]);
    cudaFree (run->on_device[k]);
  }
  if (run->backend == NULL)
    return;
  cudaStreamDestroy (run->stream);
  rc_backend_close (run->backend);
}

/* ---- pipelines ---- */

static GstPadProbeReturn
take_frame (GstPad *pad, GstPadProbeInfo *probe, gpointer data)
{
  CameraRun *run = data;
  GstBuffer *frame = GST_PAD_PROBE_INFO_BUFFER (probe);
  const guint i = frame_at (run, GST_BUFFER_PTS (frame));
  GstCaps *caps;

  if (i == run->n_frames)
    return GST_PAD_PROBE_OK;
  run->times[i][DECODED] = (gint64) line_now ();
  if (run->video.size > 0 && run->work->interpolation)
    return GST_PAD_PROBE_OK;
  caps = gst_pad_get_current_caps (pad);
  if (run->video.size == 0)
    gst_video_info_from_caps (&run->video, caps);
  if (run->work->interpolation == NULL)
    pair (run, i, frame, gst_caps_features_contains (gst_caps_get_features (caps, 0), "memory:CUDAMemory"));
  gst_caps_unref (caps);
  return GST_PAD_PROBE_OK;
}

static void
add_probe (CameraRun *run, const gchar *element_name, const gchar *pad_name, GstPadProbeCallback function)
{
  GstElement *element = gst_bin_get_by_name (GST_BIN (run->pipeline), element_name);
  GstPad *pad = gst_element_get_static_pad (element, pad_name);

  gst_pad_add_probe (pad, GST_PAD_PROBE_TYPE_BUFFER, function, run, NULL);
  gst_object_unref (pad);
  gst_object_unref (element);
}

/* The end of each stream: a pad of robocachefuse, or a sink. */
static gchar *
describe_ends (const CameraWork *work, gchar *ends[N_STREAMS])
{
  static const gchar *const pads[N_STREAMS] = { "camera_0", "proprio_0", "force_0", "sink_0" };

  for (guint k = 0; k < N_STREAMS; k++)
    ends[k] = work->interpolation ? g_strdup_printf ("fuse.%s", pads[k])
        : g_strdup_printf ("fakesink name=%s sync=false async=false", stream_names[k]);
  return work->interpolation == NULL ? g_strdup ("") :
      g_strdup_printf ("robocachefuse name=fuse backend=cuda camera_0::interpolation=previous proprio_0::interpolation=%s "
      "force_0::interpolation=%s sink_0::interpolation=previous ! other/tensors(memory:RobocacheCUDA) ! "
      "fakesink name=end sync=false async=false", work->interpolation, work->interpolation);
}

static void
open_pipeline (CameraRun *run)
{
  const gchar *to_format = strcmp (run->work->format, "NV12") == 0 ? "" : " ! cudaconvert";
  gchar *decode = run->is_decoded ? g_strdup_printf ("nvh264dec%s ! video/x-raw(memory:CUDAMemory),format=%s ! ", to_format,
      run->work->format) : g_strdup (""), *ends[N_STREAMS], *fuse = describe_ends (run->work, ends);
  const gdouble size = 6.4 / grid_side;
  gchar voxel[G_ASCII_DTOSTR_BUF_SIZE], *launch;
  GError *error = NULL;
  GstElement *src;

  g_ascii_dtostr (voxel, sizeof (voxel), size);
  launch = g_strdup_printf ("%s appsrc name=frames is-live=true format=time max-bytes=0 ! %s%s "
      "robocachetestsrc is-live=true kind=proprio channels=14 rate=100/1 jitter=1000000 seed=1 ! %s "
      "robocachetestsrc is-live=true kind=force channels=6 rate=1000/1 jitter=200000 seed=2 ! %s "
      "robocachetestsrc is-live=true kind=points channels=%d rate=10/1 ! robocachevoxelize backend=%s grid=%d:%d:%d "
      "voxel-size=<%s,%s,%s> origin=<-3.2,-3.2,0.0> ! other/tensors%s ! %s", fuse, decode, ends[CAMERA], ends[PROPRIO], ends[FORCE],
      n_points, run->work->interpolation ? "cuda" : "cpu", grid_side, grid_side, grid_side, voxel, voxel, voxel,
      run->work->interpolation ? "(memory:RobocacheCUDA)" : "", ends[GRID]);
  run->pipeline = gst_parse_launch (launch, &error);
  if (error != NULL)
    line_fail ("%s: %s", launch, error->message);
  src = gst_bin_get_by_name (GST_BIN (run->pipeline), "frames");
  g_object_set (src, "caps", run->caps, NULL);
  gst_object_unref (src);
  if (run->work->interpolation) {
    add_probe (run, "fuse", "camera_0", take_frame);
    add_probe (run, "end", "sink", take_sample);
  } else {
    add_probe (run, "camera", "sink", take_frame);
    for (guint k = PROPRIO; k < N_STREAMS; k++)
      add_probe (run, stream_names[k], "sink", keep_newest);
  }
  for (guint k = 0; k < N_STREAMS; k++)
    g_free (ends[k]);
  g_free (decode);
  g_free (fuse);
  g_free (launch);
}

/* ---- memory ---- */

static glong
rss_kib (void)
{
  glong pages = 0;
  FILE *file = fopen ("/proc/self/statm", "r");

  if (file == NULL || fscanf (file, "%*d %ld", &pages) != 1)
    line_fail ("/proc/self/statm cannot be read");
  fclose (file);
  return pages * (sysconf (_SC_PAGESIZE) / 1024);
}

static void
report_memory (CameraRun *run, gint second, glong *first_kib)
{
  const glong kib = rss_kib ();
  gsize unused = 0, all = 0;

  must (cudaSetDevice (0), "cudaSetDevice");
  must (cudaMemGetInfo (&unused, &all), "cudaMemGetInfo");
  if (*first_kib == 0 && second > 0)
    *first_kib = kib;
  printf ("camera: %d s: %d commands, RSS %ld KiB, device memory in use %" G_GSIZE_FORMAT " KiB\n", second, g_atomic_int_get (&run->n_done),
      kib, (all - unused) / 1024);
  fflush (stdout);
}

/* ---- runs ---- */

static void
wait_for_frames (CameraRun *run, glong *grown_kib)
{
  const GstClockTime begin = gst_element_get_base_time (run->pipeline), end = begin + capture_time (run->n_frames) + TIMEOUT_NS;
  GstBus *bus = gst_element_get_bus (run->pipeline);
  glong first_kib = 0;
  gint next = 0;

  while (run->times[run->n_frames - 1][DONE] == 0 && line_now () < end) {
    GstMessage *message = gst_bus_timed_pop_filtered (bus, 100 * GST_MSECOND, GST_MESSAGE_ERROR);

    if (message != NULL) {
      gst_bus_post (bus, message);
      line_fail ("%s: %s", run->work->name, line_error_of (bus));
    }
    if (seconds > 0 && line_now () >= begin + (GstClockTime) next * GST_SECOND) {
      report_memory (run, next, &first_kib);
      next += every;
    }
  }
  *grown_kib = first_kib > 0 ? rss_kib () - first_kib : 0;
  gst_object_unref (bus);
}

static void
open_run (CameraRun *run, const CameraWork *work, guint frames)
{
  GstElementFactory *decoder = gst_element_factory_find ("nvh264dec");

  *run = (CameraRun) {.work = work,.n_frames = frames,.is_right = TRUE,.is_decoded = h264 != NULL && decoder != NULL };
  run->units = g_ptr_array_new_with_free_func ((GDestroyNotify) gst_buffer_unref);
  run->times = g_malloc0_n (frames, sizeof (*run->times));
  run->row_off = g_new0 (gint64, frames);
  /* its pages are there from the start */
  memset (run->times, 0, frames * sizeof (*run->times));
  memset (run->row_off, 0, frames * sizeof (*run->row_off));
  g_mutex_init (&run->lock);
  if (run->is_decoded)
    read_h264 (run);
  else
    make_frames (run);
  open_pipeline (run);
  gst_clear_object (&decoder);
}

static void
play (CameraRun *run, glong *grown_kib)
{
  GThread *thread;

  gst_pipeline_use_clock (GST_PIPELINE (run->pipeline), gst_system_clock_obtain ());
  if (gst_element_set_state (run->pipeline, GST_STATE_PLAYING) == GST_STATE_CHANGE_FAILURE) {
    GstBus *bus = gst_element_get_bus (run->pipeline);

    line_fail ("%s: %s", run->work->name, line_error_of (bus));
  }
  gst_element_get_state (run->pipeline, NULL, NULL, TIMEOUT_NS);
  thread = g_thread_new ("frames", push_units, run);
  wait_for_frames (run, grown_kib);
  g_thread_join (thread);
  gst_element_set_state (run->pipeline, GST_STATE_NULL);
}

static void
close_run (CameraRun *run)
{
  gst_object_unref (run->pipeline);
  close_pairing (run);
  if (run->network)
    network_close (run->network);
  g_ptr_array_unref (run->units);
  gst_caps_unref (run->caps);
  g_free (run->times);
  g_free (run->row_off);
  g_mutex_clear (&run->lock);
}

/* ---- figures ---- */

static void
put_rows (const CameraRun *run, Table *table)
{
  const guint warm_up = MIN (WARM_UP, run->n_frames / 2);
  gdouble *us = g_new (gdouble, run->n_frames), *off = g_new (gdouble, run->n_frames);

  for (guint s = 0; s < G_N_ELEMENTS (stages); s++) {
    gint n = 0;
    BenchSpread spread, offs;

    for (guint i = warm_up; i < run->n_frames; i++) {
      if (run->times[i][DONE] == 0)
        continue;
      off[n] = (gdouble) run->row_off[i] * 1e-3;
      us[n++] = (gdouble) (run->times[i][stages[s].to] - run->times[i][stages[s].from]) * 1e-3;
    }
    if (n == 0)
      continue;
    spread = bench_spread (us, n);
    offs = bench_spread (off, n);
    table_put (table, "%s|%s|%s|%s|%d|%u|%.1f|%.1f|%.1f|%.1f|%.1f|%s", run->work->name, run->is_decoded ? "nvh264dec" : "none, raw frames",
        run->work->format, stages[s].name, n, run->incomplete, spread.p5, spread.median, spread.p95, us[n - 1 - n / 100],
        s == G_N_ELEMENTS (stages) - 1 ? offs.median : NAN, run->is_right ? "yes" : "differs from the CPU");
  }
  g_free (us);
  g_free (off);
}

/* Whether the decoder's frames can be had in the format of a work. */
static gboolean
can_convert (const CameraWork *work)
{
  GstElementFactory *factory = gst_element_factory_find ("cudaconvert");
  const gboolean can = factory != NULL || h264 == NULL || strcmp (work->format, "NV12") == 0;

  g_clear_object (&factory);
  return can;
}

static gboolean
measure (const CameraWork *work, Table *table)
{
  glong grown_kib = 0;
  CameraRun run;
  gboolean ok;

  open_run (&run, work, (guint) (seconds > 0 ? seconds * RATE : n_frames + WARM_UP));
  play (&run, &grown_kib);
  ok = run.n_done > (smoke ? 0 : run.n_frames / 2) && run.is_right && grown_kib <= MAX_GROWTH_KIB;
  if (seconds == 0)
    put_rows (&run, table);
  if (smoke || seconds > 0)
    printf ("%s camera, %s: %u of %u frames became commands, %s; RSS grew by %ld KiB\n", ok ? "PASS" : "FAIL", work->name, run.n_done,
        run.n_frames, run.is_right ? "as on the CPU" : "not as on the CPU", grown_kib);
  close_run (&run);
  return ok;
}

int
main (int argc, char **argv)
{
  gboolean ok = TRUE;
  GstElement *gpu;
  Table table;

  line_init (&argc, &argv, options);
  if (n_frames < 1 || n_frames > 1000000 || seconds < 0 || seconds > 1000000 || every < 1)
    line_fail ("--frames, --seconds or --every is out of range");
  if (smoke) {
    width = 64;
    height = 48;
    grid_side = 16;
    n_points = 1000;
    n_frames = 15;
  }
  /* keeps the context of the device between the works */
  gpu = line_open_backend ("robocachefuse", "cuda", "bench-camera");
  if (gpu == NULL)
    return 0;
  if (seconds == 0)
    table_open (&table, csv, "work,decoder,format,stage,frames,incomplete,p5_us,median_us,p95_us,p99_us,row_off_us,checked");
  for (guint i = 0; i < (seconds > 0 ? 1 : G_N_ELEMENTS (works)); i++) {
    if (only != NULL && strstr (works[i].name, only) == NULL)
      continue;
    if (!can_convert (&works[i]))
      printf ("left out: %s: without an NVRTC that it knows, the nvcodec plugin has no cudaconvert for %s\n", works[i].name,
          works[i].format);
    else
      ok = measure (&works[i], &table) && ok;
  }
  if (seconds == 0)
    table_end (&table);
  line_close_element (gpu);
  return ok ? 0 : 1;
}
