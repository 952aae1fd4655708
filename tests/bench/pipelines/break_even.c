/* robocache: from how many bytes a buffer on the GPU pays when all data is in system memory, pageable or pinned
 *
 *   bench-break-even [--only TEXT] [--n-threads N] [--csv FILE]
 *
 * Method and figures: docs/explanation/measurements.md#where-the-gpu-pays. `backend=auto` compares the bytes of the grid with
 * ROBOCACHE_BREAK_EVEN_BYTES, since caps of clouds have no number of points. Two inputs alternate, so each grid differs from the one before.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include <gst/gst.h>
#include <stdio.h>
#include <string.h>

#include "common/device/threadpool.h"
#include "tests/bench/common/table.h"
#include "tests/bench/pipelines/line.h"

#define ROWS 500
#define TICKS 256
#define CHANNELS 32
#define SIDE 12.8               /* metres of a grid */
#define MAX_VOXELS 100000
#define RUN_NS (60 * GST_MSECOND)       /* of a work in one way, about */
#define WARM_UP_BUFFERS 4
#define MIN_BUFFERS 21
#define MAX_BUFFERS 2001
#define PIECE_BYTES ((gsize) 32 << 10)  /* that a thread copies at a time, as in an upload */

enum
{
  WAY_CPU,
  WAY_GPU,
  WAY_GPU_TO_DEVICE,
  WAY_THREADS_TO_DEVICE,
  WAY_PINNED_TO_DEVICE,
  N_WAYS
};

static const struct
{
  const gchar *backend, *caps;
  gboolean has_threads;         /* n_threads copy the input */
  gboolean from_offered;        /* input in memory of the allocator that the element offers */
} ways[N_WAYS] = {
  {"cpu", NULL},
  {"cuda", "other/tensors"},
  {"cuda", "other/tensors(memory:RobocacheCUDA)"},
  {"cuda", "other/tensors(memory:RobocacheCUDA)",.has_threads = TRUE},
  {"cuda", "other/tensors(memory:RobocacheCUDA)",.from_offered = TRUE},
};

static gint n_threads = 8;
static RobocacheThreadPool *threads;    /* n_threads, for copies without an element */

typedef struct
{
  gchar *name, *of;
  gchar *caps, *element;
  GBytes *inputs[2];            /* of buffers by turns */
  gsize out_bytes;
} Work;

/* ---- works ---- */

static GBytes *
make_episodes (guint32 seed, guint episodes)
{
  GRand *rng = g_rand_new_with_seed (seed);
  GByteArray *bytes = g_byte_array_new ();
  const guint rows = episodes * ROWS;

  for (guint i = 0; i < rows * CHANNELS; i++) {
    const gfloat x = (gfloat) g_rand_double (rng);

    g_byte_array_append (bytes, (const guint8 *) &x, sizeof (x));
  }
  for (guint i = 0; i < rows; i++) {
    const gint64 t = i % ROWS * GST_MSECOND + g_rand_int_range (rng, 0, 900000);

    g_byte_array_append (bytes, (const guint8 *) &t, sizeof (t));
  }
  for (guint i = 0; i < episodes * TICKS; i++) {
    const gint64 t = i % TICKS * (gint64) ROWS * GST_MSECOND / TICKS;

    g_byte_array_append (bytes, (const guint8 *) &t, sizeof (t));
  }
  g_rand_free (rng);
  return g_byte_array_free_to_bytes (bytes);
}

static Work
resample (guint episodes)
{
  return (Work) {
    .name = g_strdup_printf ("resample, linear, %d to %d rows of %d channels", ROWS, TICKS, CHANNELS),
    .of = g_strdup_printf ("%u episodes", episodes),
    .caps = g_strdup_printf ("other/tensors,format=(string)static,num_tensors=(int)3,types=(string)\"float32,int64,int64\","
        "dimensions=(string)\"%d:%d:%u,%d:%u,%d:%u\",framerate=(fraction)0/1", CHANNELS, ROWS, episodes, ROWS, episodes,
        TICKS, episodes),
    .element = g_strdup ("robocacheresample gap-policy=nan"),
    .inputs = {make_episodes (1, episodes), make_episodes (2, episodes)},
    .out_bytes = (gsize) episodes * TICKS * CHANNELS * sizeof (gfloat)
  };
}

/* x, y, z and an intensity; the points fill the middle of the grid. */
static GBytes *
make_cloud (guint32 seed, guint points)
{
  GRand *rng = g_rand_new_with_seed (seed);
  gfloat *cloud = g_new (gfloat, 4 * (gsize) points);

  for (gsize i = 0; i < 4 * (gsize) points; i++)
    cloud[i] = (gfloat) g_rand_double_range (rng, -6, 6);
  g_rand_free (rng);
  return g_bytes_new_take (cloud, 4 * (gsize) points * sizeof (*cloud));
}

typedef struct
{
  const gchar *name, *options;
  gdouble voxel_bytes;          /* of the output; 0: of sparse ones, which are as large as they may be */
  guint axes[3];                /* voxels along an axis, up to 0 */
  gdouble side;                 /* metres; 0: SIDE, and all points are inside */
} Form;

static const Form forms[] = {
  {"occupancy, uint8", "mode=occupancy type=uint8", 1, {64, 128, 256}},
  {"occupancy, uint8, half of the points outside", "mode=occupancy type=uint8", 1, {128}, 9.5},
  {"occupancy, bits", "output=bits", 1 / 8.0, {256}},
  {"mean, float32", "mode=mean", 4, {64, 128}},
  {"mean, sparse", "mode=mean output=sparse max-voxels=" G_STRINGIFY (MAX_VOXELS), 0, {256}},
};

static Work
voxelize (const Form *form, guint axis, guint points)
{
  const gdouble side = form->side > 0 ? form->side : SIDE, size = side / axis;
  gchar voxel[G_ASCII_DTOSTR_BUF_SIZE], corner[G_ASCII_DTOSTR_BUF_SIZE];

  g_ascii_dtostr (voxel, sizeof (voxel), size);
  g_ascii_dtostr (corner, sizeof (corner), -side / 2);
  return (Work) {
    .name = g_strdup_printf ("%s, %u^3", form->name, axis),
    .of = g_strdup_printf ("%u points", points),
    .caps = g_strdup ("application/x-pointcloud,fields=(string)\"x,y,z,intensity\",type=(string)float32,"
        "framerate=(fraction)0/1"),
    .element = g_strdup_printf ("robocachevoxelize grid=%u:%u:%u voxel-size=<%s,%s,%s> origin=<%s,%s,%s> %s", axis, axis,
        axis, voxel, voxel, voxel, corner, corner, corner, form->options),
    .inputs = {make_cloud (1, points), make_cloud (2, points)},
    .out_bytes = form->voxel_bytes > 0 ? (gsize) ((gdouble) axis * axis * axis * form->voxel_bytes) : 4 + MAX_VOXELS * 16
  };
}

static void
free_work (Work *work)
{
  g_free (work->name);
  g_free (work->of);
  g_free (work->caps);
  g_free (work->element);
  g_bytes_unref (work->inputs[0]);
  g_bytes_unref (work->inputs[1]);
}

/* ---- one element between two pads ---- */

typedef struct
{
  GstElement *element;
  GstBus *bus;
  GstPad *from, *to;
  GstBuffer *inputs[2];         /* pushed by turns */
  GstBuffer *last;              /* that came out of what was pushed last */
} Pads;

static GstFlowReturn
take_buffer (GstPad *pad, GstObject *parent, GstBuffer *buffer)
{
  Pads *line = gst_pad_get_element_private (pad);

  gst_clear_buffer (&line->last);
  line->last = buffer;
  return GST_FLOW_OK;
}

/* A buffer with these bytes; offered: in memory of the allocator that the element offers upstream. */
static GstBuffer *
make_input (const Pads *line, GstCaps *caps, GBytes *bytes, gboolean offered)
{
  GstAllocator *allocator = NULL;
  GstBuffer *buffer;
  GstQuery *query;

  if (!offered)
    return gst_buffer_new_wrapped_bytes (bytes);
  query = gst_query_new_allocation (caps, FALSE);
  if (gst_pad_peer_query (line->from, query) && gst_query_get_n_allocation_params (query) > 0)
    gst_query_parse_nth_allocation_param (query, 0, &allocator, NULL);
  if (allocator == NULL)
    line_fail ("%s: offers no memory", GST_OBJECT_NAME (line->element));
  buffer = gst_buffer_new_allocate (allocator, g_bytes_get_size (bytes), NULL);
  gst_buffer_fill (buffer, 0, g_bytes_get_data (bytes, NULL), g_bytes_get_size (bytes));
  gst_object_unref (allocator);
  gst_query_unref (query);
  return buffer;
}

static void
open_pads (Pads *line, const Work *work, guint way)
{
  gchar *launch = g_strdup_printf ("%s backend=%s n-threads=%d", work->element, ways[way].backend, ways[way].has_threads ? n_threads : 1);
  GstCaps *caps = gst_caps_from_string (work->caps);
  GError *error = NULL;

  *line = (Pads) { gst_parse_launch (launch, &error), gst_bus_new (), gst_pad_new ("from", GST_PAD_SRC), line_new_end (ways[way].caps) };
  if (error != NULL)
    line_fail ("%s: %s", launch, error->message);
  gst_object_ref_sink (line->element);
  gst_element_set_bus (line->element, line->bus);
  gst_pad_set_element_private (line->to, line);
  gst_pad_set_chain_function (line->to, take_buffer);
  if (gst_pad_link (line->from, GST_PAD (line->element->sinkpads->data)) != GST_PAD_LINK_OK
      || gst_pad_link (GST_PAD (line->element->srcpads->data), line->to) != GST_PAD_LINK_OK)
    line_fail ("%s: its pads cannot be linked", launch);
  gst_pad_set_active (line->from, TRUE);
  gst_pad_set_active (line->to, TRUE);
  gst_element_set_state (line->element, GST_STATE_PLAYING);
  line_begin_stream (line->from, "break-even", caps);
  for (guint i = 0; i < G_N_ELEMENTS (line->inputs); i++)
    line->inputs[i] = make_input (line, caps, work->inputs[i], ways[way].from_offered);
  gst_caps_unref (caps);
  g_free (launch);
}

static void
close_pads (Pads *line)
{
  gst_clear_buffer (&line->last);
  for (guint i = 0; i < G_N_ELEMENTS (line->inputs); i++)
    gst_clear_buffer (&line->inputs[i]);
  gst_element_set_state (line->element, GST_STATE_NULL);
  gst_pad_set_active (line->from, FALSE);
  gst_pad_set_active (line->to, FALSE);
  gst_element_set_bus (line->element, NULL);
  gst_object_unref (line->bus);
  gst_object_unref (line->from);
  gst_object_unref (line->to);
  gst_object_unref (line->element);
}

static void
push (Pads *line, const Work *work, guint i)
{
  GstBuffer *buffer = gst_buffer_copy (line->inputs[i % 2]);

  GST_BUFFER_PTS (buffer) = i * GST_SECOND;
  GST_BUFFER_DURATION (buffer) = GST_SECOND;
  gst_clear_buffer (&line->last);
  if (gst_pad_push (line->from, buffer) != GST_FLOW_OK || line->last == NULL)
    line_fail ("%s: %s", work->element, line_error_of (line->bus));
}

/* What came out last, on the host: its making is waited for. */
static GBytes *
output_of (const Pads *line)
{
  const gsize size = gst_buffer_get_size (line->last);
  gpointer bytes = g_malloc (size);

  if (gst_buffer_extract (line->last, 0, bytes, size) != size)
    line_fail ("%s: its output cannot be read", GST_OBJECT_NAME (line->element));
  return g_bytes_new_take (bytes, size);
}

/* ---- what a buffer takes ---- */

static gdouble us[MAX_BUFFERS];

/* A copy of pageable memory to pinned memory. */
typedef struct
{
  const guint8 *from;
  guint8 *to;
  gsize bytes;
} Copy;

static void
copy_piece (gpointer data, gint64 i)
{
  const Copy *copy = data;
  const gsize at = (gsize) i * PIECE_BYTES;

  memcpy (copy->to + at, copy->from + at, MIN (copy->bytes - at, PIECE_BYTES));
}

/* us in which the threads copy an input to the memory that the element offers, which is what an upload cannot do without. */
static BenchSpread
measure_copy (const Work *work, Pads *line)
{
  const RcThreadPool *pool = robocache_thread_pool_for_backend (threads);
  const GstClockTime begun = line_now ();
  GstMapInfo maps[2];
  gint n;

  for (guint i = 0; i < G_N_ELEMENTS (maps); i++) {
    if (!gst_buffer_map (line->inputs[i], &maps[i], GST_MAP_WRITE))
      line_fail ("the memory that %s offers cannot be mapped", GST_OBJECT_NAME (line->element));
  }
  for (n = 0; n < MAX_BUFFERS && (n < MIN_BUFFERS || line_now () - begun < RUN_NS); n++) {
    Copy copy = { g_bytes_get_data (work->inputs[n % 2], NULL), maps[n % 2].data, maps[n % 2].size };
    const GstClockTime before = line_now ();

    pool->run (pool->self, copy_piece, &copy, (gint64) ((copy.bytes + PIECE_BYTES - 1) / PIECE_BYTES));
    us[n] = (gdouble) (line_now () - before) * 1e-3;
  }
  for (guint i = 0; i < G_N_ELEMENTS (maps); i++)
    gst_buffer_unmap (line->inputs[i], &maps[i]);
  return bench_spread (us, n);
}

/* us of a buffer; output: of one with the first input; copied: us of the threads' copy, where the input is pinned. */
static BenchSpread
measure_way (const Work *work, guint way, GBytes **output, BenchSpread *copied)
{
  BenchSpread spread;
  GstClockTime begun;
  Pads line;
  gint n;

  open_pads (&line, work, way);
  for (guint i = 0; i < WARM_UP_BUFFERS; i++)
    push (&line, work, i);
  g_bytes_unref (output_of (&line));
  begun = line_now ();
  for (n = 0; n < MAX_BUFFERS && (n < MIN_BUFFERS || line_now () - begun < RUN_NS); n++) {
    const GstClockTime before = line_now ();

    push (&line, work, (guint) n);
    if (way >= WAY_GPU_TO_DEVICE)       /* which is pushed before it is made */
      line_wait_for_device (line.last);
    us[n] = (gdouble) (line_now () - before) * 1e-3;
  }
  spread = bench_spread (us, n);
  push (&line, work, 0);
  *output = output_of (&line);
  if (ways[way].from_offered)
    *copied = measure_copy (work, &line);
  close_pads (&line);
  return spread;
}

static void
put_spread (Table *table, const BenchSpread *spread)
{
  table_put (table, "%.1f|%.1f|%.1f|%.1f", spread->median, spread->p5, spread->p95, spread->deviation);
}

static void
measure (const Work *work, Table *table, guint *wrong)
{
  GBytes *outputs[N_WAYS];
  BenchSpread spreads[N_WAYS], copied = { 0 };
  gboolean same = TRUE;

  for (guint way = 0; way < N_WAYS; way++)
    spreads[way] = measure_way (work, way, &outputs[way], &copied);
  for (guint way = WAY_GPU; way < N_WAYS; way++)
    same &= g_bytes_equal (outputs[WAY_CPU], outputs[way]);
  *wrong += !same;
  table_put (table, "%s|%s|%" G_GSIZE_FORMAT "|%" G_GSIZE_FORMAT, work->name, work->of, g_bytes_get_size (work->inputs[0]),
      work->out_bytes);
  for (guint way = 0; way < N_WAYS; way++)
    put_spread (table, &spreads[way]);
  put_spread (table, &copied);
  table_put (table, "%.2f|%s", spreads[WAY_CPU].median / spreads[WAY_GPU].median, same ? "yes" : "differs from the CPU");
  for (guint way = 0; way < N_WAYS; way++)
    g_bytes_unref (outputs[way]);
}

static void
measure_if_wanted (Work work, const gchar *only, Table *table, guint *wrong)
{
  if (strstr (work.name, only) != NULL)
    measure (&work, table, wrong);
  free_work (&work);
}

static guint
measure_all (const gchar *only, const gchar *csv)
{
  static const guint episodes[] = { 1, 4, 16, 64, 256 }, points[] = { 1000, 10000, 100000, 1000000 };
  guint wrong = 0;
  Table table;

  table_open (&table, csv, "work,of,in_bytes,out_bytes,CPU_us,CPU_p5_us,CPU_p95_us,CPU_deviation_us,GPU_us,GPU_p5_us,GPU_p95_us,"
      "GPU_deviation_us,GPU_to_device_memory_us,GPU_to_device_memory_p5_us,GPU_to_device_memory_p95_us,GPU_to_device_memory_deviation_us,"
      "threads_to_device_us,threads_to_device_p5_us,threads_to_device_p95_us,threads_to_device_deviation_us,"
      "pinned_to_device_us,pinned_to_device_p5_us,pinned_to_device_p95_us,pinned_to_device_deviation_us,"
      "copy_us,copy_p5_us,copy_p95_us,copy_deviation_us,CPU_over_GPU,checked");
  for (gsize i = 0; i < G_N_ELEMENTS (episodes); i++)
    measure_if_wanted (resample (episodes[i]), only, &table, &wrong);
  for (gsize i = 0; i < G_N_ELEMENTS (forms); i++) {
    for (gsize axis = 0; axis < G_N_ELEMENTS (forms[i].axes) && forms[i].axes[axis] > 0; axis++) {
      for (gsize k = 0; k < G_N_ELEMENTS (points); k++)
        measure_if_wanted (voxelize (&forms[i], forms[i].axes[axis], points[k]), only, &table, &wrong);
    }
  }
  table_end (&table);
  return wrong;
}

int
main (int argc, char **argv)
{
  const gchar *only = "", *path = NULL;
  const GOptionEntry entries[] = {
    {"only", 0, 0, G_OPTION_ARG_STRING, &only, "Works whose names hold it", "TEXT"},
    {"n-threads", 0, 0, G_OPTION_ARG_INT, &n_threads, "Threads that copy pageable input (default 8)", "N"},
    {"csv", 0, 0, G_OPTION_ARG_FILENAME, &path, "Write the figures there", "FILE"},
    {NULL}
  };
  GError *error = NULL;
  GstElement *gpu;
  guint wrong;

  line_init (&argc, &argv, entries);
  /* keeps the context of the device between the works */
  gpu = line_open_backend ("robocachevoxelize", "cuda", "bench-break-even");
  if (gpu == NULL)
    return 0;
  if (n_threads < 2)
    line_fail ("--n-threads: expected at least 2");
  threads = robocache_thread_pool_new ((guint) n_threads, &error);
  if (threads == NULL)
    line_fail ("%s", error->message);
  wrong = measure_all (only, path);
  robocache_thread_pool_free (threads);
  line_close_element (gpu);
  if (wrong > 0)
    printf ("FAIL bench-break-even: %u works differ between CPU and GPU\n", wrong);
  else
    printf ("PASS bench-break-even\n");
  return wrong > 0;
}
