/* robocache: jobs of elements, which tests run on the CPU and on a GPU, into and from either memory
 *
 * A job is an element with its properties and what its buffers hold. Two runs of a job get the same random buffers.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <math.h>

#include "tests/check/lib/device/deviceharness.h"

#ifdef HAVE_GSTCUDA
#define GST_USE_UNSTABLE_API
#include <gst/cuda/gstcudaloader.h>
#include <gst/cuda/gstcudamemory.h>
#endif

#define MS G_GINT64_CONSTANT (1000000)
#define PERIOD (10 * MS)        /* of rows */

/* ---- where inputs come from and outputs go: maps of clouds are clouds ---- */

typedef struct
{
  const gchar *name;
  gboolean in_on_device, in_is_offered; /* in memory that the element offers upstream */
  const gchar *out;
} Side;

#define ANY_SYSTEM SYSTEM "; application/x-pointcloud"
#define ANY_DEVICE DEVICE "; application/x-pointcloud(memory:RobocacheCUDA)"
#define ANY_CUDA "other/tensors(memory:CUDAMemory)"

enum
{
  SYSTEM_TO_SYSTEM,
  SYSTEM_TO_DEVICE,
  DEVICE_TO_SYSTEM,
  DEVICE_TO_DEVICE,
  PINNED_TO_SYSTEM,
  PINNED_TO_DEVICE,
  N_SIDES,
  /* of some tests only */
  SYSTEM_TO_ANY = N_SIDES,
  SYSTEM_TO_CUDA,
  DEVICE_TO_CUDA
};

static const Side sides[] = {
  {"system to system", FALSE, FALSE, ANY_SYSTEM},
  {"system to device", FALSE, FALSE, ANY_DEVICE},
  {"device to system", TRUE, TRUE, ANY_SYSTEM},
  {"device to device", TRUE, TRUE, ANY_DEVICE},
  {"pinned to system", FALSE, TRUE, ANY_SYSTEM},
  {"pinned to device", FALSE, TRUE, ANY_DEVICE},
  {"system to any", FALSE, FALSE, NULL},
  {"system to GStreamer's CUDA memory", FALSE, FALSE, ANY_CUDA},
  {"device to GStreamer's CUDA memory", TRUE, TRUE, ANY_CUDA},
};

/* Whether this build and its driver have memory:CUDAMemory. The emulated driver and the faulty one have the functions that GStreamer
 * 1.22 calls. */
gboolean has_cuda_memory (void);

/* ---- jobs ---- */

typedef enum
{
  ROWS,
  TIMED_ROWS,                   /* with a tensor of their times */
  FUSED_ROWS,
  FUSED_FRAMES,                 /* as DEPTH */
  EPISODES,                     /* rows, their times and target times */
  EPISODES_IN_ONE,              /* the same in one memory */
  CLOUDS,                       /* of any number of points */
  ITEMS,                        /* clouds in a tensor */
  DEPTH                         /* in system memory only */
} Form;

static const struct
{
  const gchar *element, *sink, *properties;
} forms[] = {
  [ROWS] = {"robocacheresample", "sink", "rate=70/1"},
  [TIMED_ROWS] = {"robocacheresample", "sink", "rate=70/1"},
  [FUSED_ROWS] = {"robocachefuse", "proprio_0", "rate=70/1"},
  [FUSED_FRAMES] = {"robocachefuse", "camera_0", "rate=70/1"},
  [EPISODES] = {"robocacheresample", "sink", ""},
  [EPISODES_IN_ONE] = {"robocacheresample", "sink", ""},
  [CLOUDS] = {"robocachevoxelize", "sink", "origin=<-1.0,-2.0,0.0> voxel-size=<0.25,0.2,0.5>"},
  [ITEMS] = {"robocachevoxelize", "sink", "origin=<-1.0,-2.0,0.0> voxel-size=<0.25,0.2,0.5>"},
  [DEPTH] = {"robocachevoxelize", "sink", "origin=<-1.0,-2.0,0.0> voxel-size=<0.25,0.2,0.5> fx=40 fy=40 cx=32 cy=24"},
};

typedef struct
{
  Form form;
  const gchar *type;
  guint channels, rows, items;  /* of a buffer: fields and points of clouds; clouds of a stream have that many points, or fewer */
  const gchar *properties;
  guint ticks;                  /* of an episode */
} Job;

#define IMAGE_WIDTH 64
#define IMAGE_HEIGHT 48

/* Pushed as the buffer of this number, a cloud has all points. */
#define FULL_CLOUD G_MAXUINT

gboolean is_stream (const Job *job);

gboolean is_batch (const Job *job);

gchar *job_caps (const Job *job, gboolean on_device);

/* ---- buffers ---- */

GstBuffer *job_buffer (const Job *job, guint i, GRand *random, GstAllocator *allocator);

/* ---- runs ---- */

typedef struct
{
  const Job *job;
  GstHarness *h;
  GstAllocator *allocator;      /* of inputs; NULL: of system memory */
  GRand *random;
  GByteArray *bytes;            /* what comes out */
} Run;

/* more: properties beside the job's, and in place of them. */
GstElement *job_element (const Job *job, const gchar *backend, const gchar *more);

/* The element plays; caps may be refused. */
Run run_with (const Job *job, GstElement *element, guint side);

/* Inputs are where the side says if the element has a device. */
Run run_new (const Job *job, const gchar *backend, const gchar *more, guint side);

GstFlowReturn run_try (Run *run, guint i);

void run_push (Run *run, guint i);

/* To the end of the stream. */
void run_finish (Run *run);

/* The element stays. */
void run_clear (Run *run);

void run_free (Run *run);

/* The statistics of the GPU's run are the CPU's, but for those of devices, of lengths of quaternions in device memory, which are not checked, and,
 * in pieces, of how often points were read. */
void expect_same_stats (GstHarness *got_h, GstHarness *wanted_h, gboolean in_on_device, gboolean is_whole, const gchar *what);

/* ---- the context of CUDA elements ---- */

#define CUDA_CONTEXT "gst.cuda.context"

GObject *context_in (GstContext *context);

/* The GstCudaContext that a CUDA element linked to the pad gets: a reference, or NULL. */
GObject *context_at (GstPad *pad);
