/* robocache: an element in a harness with a bus, fed from and read into system or device memory
 *
 * Device memory comes from the element itself, by way of an allocation query: no other allocator is known outside the
 * plugin.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <gst/check/gstcheck.h>
#include <gst/check/gstharness.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "kernels/backend.h"
#include "tests/check/lib/checks.h"
#include "tests/check/lib/elementharness.h"

#define SYSTEM "other/tensors"
#define DEVICE "other/tensors(memory:RobocacheCUDA)"

/* ---- GPUs ---- */

#define MAX_GPUS 2

gboolean has_gpu (gint number);

/* On a device that is emulated, cases that take long are fewer where ROBOCACHE_FEW_CASES is set. */
gboolean few_cases (void);

gboolean find_gpus (const gchar *program);

/* The main function of a program that is skipped without a GPU. */
#define GPU_CHECK_MAIN(name, is_ready, ...) \
  CHECK_MAIN_IF (name, find_gpus (#name) && (is_ready), NULL, NULL, tcase_set_timeout (tests, 300), __VA_ARGS__)

/* ---- the harness ---- */

/* With a bus, and a reference of the caller's. */
GstElement *new_element (const gchar *name, const gchar *properties);

/* The bus holds messages that hold the element, and pads whose end takes the element's lock. */
void drop_bus (GstElement *element);

void free_element (GstElement *element);

/* Begins a stream whose caps may be refused. */
void push_start (GstHarness *h, const gchar *caps_text);

/* One error, whose text has all words, which '|' separates. Returns the text. */
gchar *expect_error_text (GstElement *element, GQuark domain, gint code, const gchar *words);

void expect_error (GstHarness *h, GQuark domain, gint code, const gchar *words);

/* An element that has a bus does not start, for that reason. */
void expect_start_error (GstElement *element, GQuark domain, gint code, const gchar *words);

void expect_no_error (GstHarness *h);

/* A number of stats, whatever its type. */
gint64 stat_of_element (GstElement *element, const gchar *field);

gint64 stat_of (GstHarness *h, const gchar *field);

void expect_backend_of (GstElement *element, const gchar *backend);

void expect_backend (GstHarness *h, const gchar *backend);

/* ---- buffers ---- */

/* The allocator that the element offers for the pad's current caps, or NULL. */
GstAllocator *allocator_of (GstHarness *h);

/* A memory with these bytes; allocator NULL: in system memory. */
GstMemory *memory_of (GstAllocator *allocator, gconstpointer data, gsize size);

GstBuffer *device_buffer (GstAllocator *allocator, gconstpointer data, gsize size, GstClockTime pts);

/* Adds a buffer's time and bytes; takes the buffer. */
void add_output (GByteArray *all, GstBuffer *buffer);

void pull_all (GstHarness *h, GByteArray *all);

void expect_same (GByteArray *got, GByteArray *wanted, const gchar *what);
