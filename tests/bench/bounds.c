/* robocache: how fast the kernels are with other launch bounds
 *
 *   bench-bounds [--only TEXT]... [--csv FILE]
 *
 * The works of configurations.ini, or those whose names hold one of the texts, with the kernels as they are and by turns with
 * those of bounds/fewer.so and bounds/more.so beside the program, whose bounds are for a block fewer and a block more. Times
 * are cold medians, as those of bench-kernels. A row is a kernel of the work that another bound changes, in registers or in
 * bytes of local memory, which is where they spill; where there is none, the work has a row without a kernel, whose times say
 * how far apart those of the same code are. blocks: that a multiprocessor has at once. Output must have the bits of the CPU
 * backend: status 1 where any has not. --csv: the table in a file.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include <dlfcn.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "configurations.h"
#include "kernels_turns.h"
#include "loaded.h"
#include "table.h"

#define MAX_KERNELS 64         /* of a run */

enum
{ FEWER, OURS, MORE };

static const char *const libraries[] = {[FEWER] = "bounds/fewer.so",[MORE] = "bounds/more.so" };

/* What a run launches. */
typedef struct
{
  BenchLoaded all[MAX_KERNELS];
  int n;
} Kernels;

typedef struct
{
  BenchTurns turns;
  Table table;
  int n_wrong;                  /* works whose output was not that of the CPU backend */
} Bounds;

static gchar **only = NULL, *csv = NULL;

static const GOptionEntry options[] = {
  {"only", 'o', 0, G_OPTION_ARG_STRING_ARRAY, &only, "Works whose names hold it, or another one", "TEXT"},
  {"csv", 'c', 0, G_OPTION_ARG_FILENAME, &csv, "Write the table there, too", "FILE"},
  {NULL}
};

/* ---- the kernels of a work ---- */

static struct
{
  CUresult (*parameters) (CUgraphNode, CUDA_KERNEL_NODE_PARAMS *);
  CUresult (*function) (CUfunction *, CUkernel);
} driver;

static void
add_kernel (Kernels *kernels, cudaGraphNode_t node)
{
  CUDA_KERNEL_NODE_PARAMS is;
  enum cudaGraphNodeType type;

  bench_must (cudaGraphNodeGetType (node, &type), "cudaGraphNodeGetType");
  if (type != cudaGraphNodeTypeKernel)
    return;
  if (kernels->n == MAX_KERNELS)
    bench_fail ("bench-bounds", "a run has too many kernels");
  bench_must_driver (driver.parameters (node, &is), "cuGraphKernelNodeGetParams");
  if (is.func == NULL)
    bench_must_driver (driver.function (&is.func, is.kern), "cuKernelGetFunction");
  bench_loaded (is.func, (int) (is.blockDimX * is.blockDimY * is.blockDimZ), is.sharedMemBytes, &kernels->all[kernels->n++]);
}

static void
find_kernels (const Bench *bench, BenchRun run, void *copies, Kernels *kernels)
{
  const cudaGraph_t graph = bench_capture (bench, run, copies, 1, 1);
  cudaGraphNode_t *nodes;
  size_t i, n;

  kernels->n = 0;
  bench_must (cudaGraphGetNodes (graph, NULL, &n), "cudaGraphGetNodes");
  nodes = malloc (n * sizeof (*nodes));
  bench_must (cudaGraphGetNodes (graph, nodes, &n), "cudaGraphGetNodes");
  for (i = 0; i < n; i++)
    add_kernel (kernels, nodes[i]);
  free (nodes);
  cudaGraphDestroy (graph);
}

/* The first of this name; NULL: there is none. */
static const BenchLoaded *
kernel_called (const Kernels *kernels, const char *name)
{
  int i;

  for (i = 0; i < kernels->n && strcmp (kernels->all[i].name, name) != 0; i++);
  return i < kernels->n ? &kernels->all[i] : NULL;
}

static int
differ (const BenchLoaded *ours, const BenchLoaded *other)
{
  return other == NULL || other->registers != ours->registers || other->local_bytes != ours->local_bytes;
}

/* ---- rows ---- */

static void
put_kernel (Table *table, const BenchLoaded *const kernel[BENCH_TURNS])
{
  int i;

  table_text (table, kernel[OURS] != NULL ? kernel[OURS]->name : "");
  for (i = 0; i < BENCH_TURNS; i++)
    table_number (table, kernel[i] != NULL ? kernel[i]->blocks : NAN, 0);
  for (i = 0; i < BENCH_TURNS; i++)
    table_number (table, kernel[i] != NULL ? kernel[i]->registers : NAN, 0);
  for (i = 0; i < BENCH_TURNS; i++)
    table_number (table, kernel[i] != NULL ? kernel[i]->local_bytes : NAN, 0);
}

static void
put_row (Table *table, const BenchTurn *turn, const BenchLoaded *const kernel[BENCH_TURNS])
{
  int i;

  table_text (table, turn->figures.work->name);
  put_kernel (table, kernel);
  for (i = 0; i < BENCH_TURNS; i++)
    table_number (table, turn->us[i].median, 3);
  table_number (table, turn->us[FEWER].median / turn->us[OURS].median, 3);
  table_number (table, turn->us[MORE].median / turn->us[OURS].median, 3);
  table_text (table, bench_checked (&turn->figures));
}

static void
put_work (BenchTurns *turns, const BenchTurn *turn)
{
  Bounds *bounds = (Bounds *) turns;
  Kernels kernels[BENCH_TURNS];
  int i, n = 0;

  bounds->n_wrong += turn->figures.differs[0] != '\0';
  for (i = 0; i < BENCH_TURNS; i++)
    find_kernels (&turns->benches[i], turn->run, turn->copies[i], &kernels[i]);
  for (i = 0; i < kernels[OURS].n; i++) {
    const BenchLoaded *ours = &kernels[OURS].all[i];
    const BenchLoaded *const kernel[] = { kernel_called (&kernels[FEWER], ours->name), ours,
      kernel_called (&kernels[MORE], ours->name)
    };

    if (kernel_called (&kernels[OURS], ours->name) != ours || (!differ (ours, kernel[FEWER]) && !differ (ours, kernel[MORE])))
      continue;
    put_row (&bounds->table, turn, kernel);
    n++;
  }
  if (n == 0)
    put_row (&bounds->table, turn, (const BenchLoaded *[BENCH_TURNS]) { NULL, NULL, NULL });
}

/* ---- backends ---- */

/* Its code stays loaded. */
static RcBackend *
open_library (const char *name)
{
  const RcWhere there = { RC_BACKEND_CUDA, 0, RC_CPU_BEST, 0 };
  gchar *path = bench_beside_the_program (name);
  RcStatus (*open) (const RcWhere *, RcBackend **, RcError *);
  void *library = dlopen (path, RTLD_NOW | RTLD_LOCAL);
  RcBackend *backend;
  RcError error;

  if (library == NULL)
    bench_fail (path, "cannot be loaded; expected a build with -Dbench-bounds=enabled");
  *(void **) &open = dlsym (library, "rc_backend_open");
  if (open == NULL)
    bench_fail (path, "has no backend");
  if (open (&there, &backend, &error) != RC_OK)
    bench_fail (path, error.message);
  g_free (path);
  return backend;
}

/* 0: there is no device. */
static int
open_turns (BenchTurns *turns)
{
  Bench *ours = &turns->benches[OURS];
  int i;

  if (!bench_open (ours))
    return 0;
  for (i = 0; i < BENCH_TURNS; i++) {
    if (i == OURS)
      continue;
    turns->benches[i] = *ours;
    turns->benches[i].backend = open_library (libraries[i]);
  }
  bench_find_function ("cuGraphKernelNodeGetParams", &driver.parameters);
  bench_find_function ("cuKernelGetFunction", &driver.function);
  turns->done = put_work;
  return 1;
}

static void
close_turns (BenchTurns *turns)
{
  rc_backend_close (turns->benches[FEWER].backend);
  rc_backend_close (turns->benches[MORE].backend);
  bench_close (&turns->benches[OURS]);
}

/* Ends the program where something is wrong. */
static BenchConfigurations *
read_arguments (int argc, char **argv)
{
  GOptionContext *context = g_option_context_new ("- how fast the kernels are with other launch bounds");
  gchar *path = bench_beside_the_program ("configurations.ini");
  BenchConfigurations *configurations = NULL;
  GError *error = NULL;

  g_option_context_add_main_entries (context, options, NULL);
  if (g_option_context_parse (context, &argc, &argv, &error))
    configurations = bench_configurations_read (path, &(BenchWish) {.only = only}, &error);
  if (configurations == NULL)
    bench_fail ("bench-bounds", error->message);
  if (configurations->alignments->len + configurations->voxels->len == 0)
    bench_fail (path, "no work has such a name");
  g_option_context_free (context);
  g_free (path);
  return configurations;
}

int
main (int argc, char **argv)
{
  BenchConfigurations *configurations = read_arguments (argc, argv);
  Bounds bounds = {.n_wrong = 0 };

  bench_keep_pages ();
  if (!open_turns (&bounds.turns))
    return 0;
  table_open (&bounds.table, csv, "work,kernel,fewer_blocks,blocks,more_blocks,fewer_registers,registers,more_registers,"
      "fewer_local,local,more_local,fewer_us,median_us,more_us,fewer_times,more_times,checked");
  bench_align_turns (&bounds.turns, configurations->alignments);
  bench_voxels_turns (&bounds.turns, configurations->voxels);
  table_end (&bounds.table);
  close_turns (&bounds.turns);
  bench_configurations_free (configurations);
  return bounds.n_wrong > 0;
}
