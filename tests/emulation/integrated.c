/* robocache: elements on an integrated GPU, which shares the memory of the machine: the kind of each allocation, and the CPU's bytes
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "tests/check/lib/device/gpujobs.h"
#include "allocations.h"

typedef enum
{
  GPU = 1,                      /* memory of the device */
  HOST                          /* mapped memory of the host */
} Kind;

typedef struct
{
  Kind kind;                    /* 0: the end of a list */
  gsize bytes;
  const gchar *what;
} Allocation;

#define PLAN_ROWS {GPU, 16384, "scratch of the plan"}
#define COUNTERS {GPU, 72, "counters"}, {HOST, 144, "counters that the CPU reads"}
#define EPISODE "gap-policy=nan quaternions=0 angles=4", 60
#define PLAN_EPISODES {GPU, 12, "roles of the plan"}, PLAN_ROWS, {GPU, 40, "counters"}, {HOST, 80, "counters that the CPU reads"}
#define CLOUD_UP {HOST, 32768, "staging"}, {GPU, 24064, "clouds"}
#define FIELDS {GPU, 16, "fields of the plan"}

/* Every size that a job allocates in either memory, and no other. The CPU touches what is of the host: it reads outputs and counters,
 * and writes inputs and staging. Bitmaps, keys, bins and accumulators of grids are parts of their scratch. */
static const struct
{
  Job job;
  guint side;
  Allocation expected[12];
} cases[] = {
  {{FUSED_ROWS, "float32", 14, 1, 1, "window=3"}, SYSTEM_TO_DEVICE,
      {PLAN_ROWS, {GPU, 168, "window"}, {HOST, 168, "output"}, {HOST, 512, "rows, read in place"}}},
  {{FUSED_ROWS, "float32", 6000, 1, 1, "window=3"}, SYSTEM_TO_DEVICE,
      {PLAN_ROWS, {GPU, 72000, "window"}, {HOST, 72000, "output"}, {HOST, 48384, "staging"}, {GPU, 48384, "rows"}}},
  {{FUSED_FRAMES, "uint16", 1, 1, 1, "window=3"}, SYSTEM_TO_DEVICE,
      {PLAN_ROWS, {GPU, 18432, "window"}, {HOST, 18432, "output"}, {HOST, 6144, "staging"}}},
  {{FUSED_FRAMES, "uint16", 1, 1, 1, "window=2 pads=camera_0,interpolation=linear"}, SYSTEM_TO_DEVICE,
      {PLAN_ROWS, {GPU, 12288, "window"}, {HOST, 12288, "output"}, {HOST, 80, "staging of a bracket"}, {HOST, 6144, "staging"},
          {GPU, 12544, "frames to blend"}}},

  {{ROWS, "float32", 14, 1, 1, ""}, SYSTEM_TO_SYSTEM, {PLAN_ROWS, {HOST, 56, "output"}, {HOST, 512, "rows, read in place"}}},
  {{ROWS, "float32", 14, 1, 1, ""}, SYSTEM_TO_DEVICE, {PLAN_ROWS, {HOST, 56, "output"}, {HOST, 512, "rows, read in place"}}},
  {{ROWS, "float32", 14, 1, 1, "type=float16"}, DEVICE_TO_DEVICE,
      {PLAN_ROWS, {HOST, 28, "output"}, {HOST, 56, "input"}, {HOST, 256, "staging of a bracket"}, {GPU, 512, "rows"}}},
  {{ROWS, "float32", 6000, 1, 1, ""}, SYSTEM_TO_DEVICE,
      {PLAN_ROWS, {HOST, 24000, "output"}, {HOST, 48384, "staging"}, {GPU, 48384, "rows"}}},
  {{EPISODES, "float32", 7, 33, 5, EPISODE}, SYSTEM_TO_SYSTEM,
      {PLAN_EPISODES, {HOST, 8400, "output"}, {HOST, 8192, "staging"}, {GPU, 8960, "episodes"}}},
  {{EPISODES, "float32", 7, 33, 5, EPISODE}, SYSTEM_TO_DEVICE,
      {PLAN_EPISODES, {HOST, 8400, "output"}, {HOST, 8192, "staging"}, {GPU, 8960, "episodes"}}},
  {{EPISODES, "float32", 7, 33, 5, EPISODE}, DEVICE_TO_DEVICE,
      {PLAN_EPISODES, {HOST, 8400, "output"}, {HOST, 4620, "rows"}, {HOST, 1320, "times"}, {HOST, 2400, "targets"}}},

  {{ITEMS, "float32", 4, 500, 3, "grid=32:20:8"}, SYSTEM_TO_SYSTEM,
      {COUNTERS, {HOST, 15360, "output"}, {GPU, 2112, "scratch"}, CLOUD_UP}},
  {{ITEMS, "float32", 4, 500, 3, "grid=32:20:8"}, SYSTEM_TO_DEVICE,
      {COUNTERS, {HOST, 15360, "output"}, {GPU, 2112, "scratch"}, CLOUD_UP}},
  {{ITEMS, "float32", 4, 500, 3, "grid=32:20:8"}, DEVICE_TO_DEVICE,
      {COUNTERS, {HOST, 15360, "output"}, {GPU, 2112, "scratch"}, {HOST, 24000, "input"}}},
  {{ITEMS, "float32", 4, 500, 3, "grid=32:20:8 mode=mean"}, SYSTEM_TO_DEVICE,
      {COUNTERS, FIELDS, {HOST, 61440, "output"}, {GPU, 274912, "scratch"}, {GPU, 1920, "occupancy stamp"}, CLOUD_UP}},
  {{ITEMS, "float32", 4, 500, 3, "grid=32:20:8 mode=mean output=sparse max-voxels=300"}, SYSTEM_TO_DEVICE,
      {COUNTERS, FIELDS, {HOST, 12, "voxels found"}, {HOST, 10800, "coordinates"}, {HOST, 3600, "means"},
          {GPU, 48800, "scratch"}, CLOUD_UP}},
  {{ITEMS, "float32", 4, 500, 3, "grid=2097152:2097152:2097152 output=sparse max-voxels=300"}, SYSTEM_TO_DEVICE,
      {COUNTERS, {HOST, 12, "voxels found"}, {HOST, 10800, "coordinates"}, {GPU, 40288, "scratch"}, CLOUD_UP}},
  {{ITEMS, "float32", 4, 500, 3, "grid=32:20:8 mode=mean accumulate=3"}, SYSTEM_TO_DEVICE,
      {COUNTERS, FIELDS, {GPU, 384, "ranges of the plan"}, {HOST, 61440, "output"}, {GPU, 371136, "scratch"},
          {GPU, 1920, "occupancy stamp"}, CLOUD_UP, {GPU, 48128, "two clouds"}, {GPU, 72192, "three clouds"}}},
  {{ITEMS, "float32", 4, 500, 3, "grid=32:20:8 accumulate=3"}, SYSTEM_TO_DEVICE,
      {COUNTERS, {HOST, 15360, "output"}, {GPU, 63552, "scratch"}, {GPU, 1920, "occupancy stamp"}, CLOUD_UP,
          {GPU, 48128, "two clouds"}}},
  {{ITEMS, "float32", 4, 500, 3, "grid=32:20:8 output=index"}, SYSTEM_TO_DEVICE,
      {COUNTERS, {HOST, 12000, "output"}, {GPU, 192, "scratch"}, CLOUD_UP}},
  {{ITEMS, "float32", 4, 500, 3, "grid=32:20:8 output=index"}, DEVICE_TO_DEVICE,
      {COUNTERS, {HOST, 12000, "output"}, {GPU, 192, "scratch"}, {HOST, 24000, "input"}}},
};

/* ---- what is allocated ---- */

static GArray *allocations;     /* of Allocation: each kind and size once; guarded by the device's lock */

static gboolean
is_among (const Allocation *all, guint n, const Allocation *one)
{
  for (guint i = 0; i < n; i++) {
    if (all[i].kind == one->kind && all[i].bytes == one->bytes)
      return TRUE;
  }
  return FALSE;
}

static void
note_allocation (size_t bytes, int is_of_host)
{
  const Allocation allocation = { is_of_host ? HOST : GPU, bytes };

  if (!is_among ((const Allocation *) allocations->data, allocations->len, &allocation))
    g_array_append_val (allocations, allocation);
}

static void
expect_all_in (const Allocation *all, guint n, const Allocation *others, guint n_others, const gchar *job, const gchar *what)
{
  for (guint i = 0; i < n; i++)
    fail_unless (is_among (others, n_others, &all[i]), "%s: %s %" G_GSIZE_FORMAT " bytes of the %s (%s)", job, what, all[i].bytes,
        all[i].kind == HOST ? "host" : "device", all[i].what ? all[i].what : "");
}

static void
expect_allocations (const Allocation *expected, const gchar *job)
{
  const Allocation *got = (const Allocation *) allocations->data;
  guint n = 0;

  while (expected[n].kind)
    n++;
  expect_all_in (got, allocations->len, expected, n, job, "unexpected are");
  expect_all_in (expected, n, got, allocations->len, job, "it did not allocate");
}

/* ---- runs ---- */

static Run
run_job (const Job *job, const gchar *backend, guint side)
{
  Run run = run_new (job, backend, "", side);

  fail_unless (run.allocator || !sides[side].in_is_offered);
  for (guint i = 0; i < 20; i++) {
    run_push (&run, i);
    pull_all (run.h, run.bytes);
  }
  run_finish (&run);
  expect_backend (run.h, backend);
  return run;
}

GST_START_TEST (test_kinds)
{
  const Job *job = &cases[__i__].job;
  gchar *what = g_strdup_printf ("%s, %u channels, \"%s\", %s", forms[job->form].element, job->channels, job->properties,
      sides[cases[__i__].side].name);
  Run wanted = run_job (job, "cpu", SYSTEM_TO_SYSTEM), got;

  allocations = g_array_new (FALSE, FALSE, sizeof (Allocation));
  emulation_watch_allocations (note_allocation);
  got = run_job (job, "cuda", cases[__i__].side);
  emulation_watch_allocations (NULL);
  expect_same (got.bytes, wanted.bytes, what);
  run_free (&wanted);
  run_free (&got);
  expect_allocations (cases[__i__].expected, what);
  g_array_unref (allocations);
  g_free (what);
}

GST_END_TEST;

GPU_CHECK_MAIN (integrated, TRUE, EACH (cases, test_kinds))
