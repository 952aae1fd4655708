/* robocache: robocachevoxelize in a harness with a bus
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "tests/check/lib/checks.h"
#include "tests/check/lib/elementharness.h"

#define XYZ "application/x-pointcloud,fields=(string)\"x,y,z\",type=(string)float32,framerate=(fraction)10/1"
#define XYZI "application/x-pointcloud,fields=(string)\"x,y,z,intensity\",type=(string)float32,framerate=(fraction)10/1"
#define TENSORS "other/tensors,format=(string)static,num_tensors=(int)1,"
#define IMAGE(width, height) "video/x-raw,format=GRAY16_LE,width=" width ",height=" height ",framerate=30/1"
#define TENSOR(type, dimensions) TENSORS "types=(string)" type ",dimensions=(string)" dimensions
#define UNIT "origin=<0.0,0.0,0.0> voxel-size=<1.0,1.0,1.0> grid=4:3:2 "

/* ---- a harness with a bus ---- */

GstHarness *voxelize_harness (const gchar *properties);

GstHarness *harness_with_caps (const gchar *properties, const gchar *caps);

/* A fixture of tests in system memory; elementdevice.c is about others. */
void use_cpu (void);

/* One warning, of that code, whose text holds the words. */
void expect_posted_warning (GstHarness *h, const gchar *code, const gchar *words);

/* The current output caps are a subset of these. */
void expect_output_caps (GstHarness *h, const gchar *text);

void expect_no_complaint (GstHarness *h);

GstBuffer *untimed_buffer (const void *data, gsize size);

#define cloud(...) untimed_buffer ((const gfloat[]) { __VA_ARGS__ }, sizeof ((const gfloat[]) { __VA_ARGS__ }))

GstBuffer *at (GstBuffer *buffer, GstClockTime pts);

/* The output, computed unless a test has it mapped: what it counts is in `stats`. */
GstBuffer *push_pull (GstHarness *h, GstBuffer *buffer);

/* The bytes of all memories, mapped to read. */
GBytes *bytes_of (GstBuffer *buffer);

/* Takes wanted. */
void expect_bytes (GstBuffer *buffer, GBytes *wanted, const gchar *what, guint round);

/* ---- between clouds ---- */

/* window: of buffers, which is empty then. */
void flush (GstHarness *h, GQueue *window);

/* Takes an error that was posted, if one was. */
gboolean had_error (GstHarness *h);

void push_a_wrong_cloud (GstHarness *h);

/* A weak reference to a buffer, which counts how many were freed. */
void count_release (gpointer n_released, GstMiniObject *buffer);

/* One of several, as a property and its value. */
const gchar *change_origin (GstHarness *h, GRand *random);
