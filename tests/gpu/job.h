/* robocache: a small job that uses all of a device: memory of both kinds, copies, events, a plan and its run
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "kernels/align.h"
#include "kernels/memory.h"
#include "tests/kernels/report.h"

/* Five channels, four of which are a quaternion; two rows and the tick between them. */
#define CHANNELS 5

typedef struct
{
  float rows[2][CHANNELS];
  float out[CHANNELS + 3];
  int64_t times[2], tick;
} Data;

typedef struct
{
  RcBackend *backend;
  RcStream stream;
  RcEvent event;
  RcAlignPlan *plan;
  Data *data;                   /* on the device */
  Data *host;                   /* pinned */
  const void *rows;             /* those of data */
  void *scratch, *copied;
  uint64_t scratch_bytes;
} Job;

/* Opens a backend on a device. mapped: the backend uses the host's memory. */
RcStatus device_open (int device, int mapped, RcBackend ** backend, RcError * error);

RcStatus job_start (Job * job, RcBackend * backend, RcError * error);
/* Ends with the result on the host. */
RcStatus job_run (Job * job, RcError * error);
int job_is_right (const Job * job);
/* Also of a job that did not start. */
void job_end (Job * job);
/* From start to end. */
void expect_job (RcBackend * backend, const char *when, Test * test);

/* Parts of a run, in its order, and what makes and frees a thing. */
typedef struct
{
  const char *name;
    RcStatus (*step) (Job * job, RcError * error);
} JobStep;

#define N_STEPS 16
#define N_RUN_STEPS 11
extern const JobStep job_steps[N_STEPS];

/* The first one of that name, which there is. */
RcStatus job_step (Job * job, const char *name, RcError * error);
