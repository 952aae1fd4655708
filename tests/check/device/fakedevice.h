/* robocache: a device that is none, on which wrong order shows as wrong bytes
 *
 * Its streams are queues. Work waits in them until somebody synchronises, and then no more is done than that needs; or
 * until a test steps a stream, or has all of it done in a random order that streams and events allow. So work that
 * nothing puts in order is done at the worst time. What a GPU would do at once, it does at once: a copy from pageable memory has
 * read it on return, one from pinned memory has not.
 *
 * Addresses of its memory are not to be read by the CPU, which crashes on them; fake_bytes has what is there. A test ends where
 * memory is freed that enqueued work still uses, or where a copy has memory of another device or runs over a block's end.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <glib.h>

#include "kernels/memory.h"

typedef struct
{
  guint backends, streams, events, device_blocks, pinned_blocks;        /* that there are */
  guint allocs, event_news, stream_news, copies;        /* until now */
} FakeCounts;

typedef struct
{
  gint number;
  gboolean host_addressable;    /* which the next backends say */
  guint64 total, used;          /* bytes of device memory */
  FakeCounts counts;
  /* How many from now fails, once, with RC_NO_SPACE: 1 is the next, 0 none. */
  guint failing_alloc, failing_event;
  guint failing_copy;           /* the same, with RC_CALL_FAILED: what is enqueued stays */
  /* At how many calls from now the device fails, for good: work in its streams is lost, and its events have passed. */
  guint failing_call;
  gboolean has_failed;
  GThread *only_caller;         /* NULL: any thread may call */
} FakeDevice;

FakeDevice *fake_device_new (gint number);
/* Does what is left to do, and fails the test when anything was not given back. */
void fake_device_free (FakeDevice * device);
/* A backend of kind RC_BACKEND_CUDA. */
RcBackend *fake_device_open (FakeDevice * device);

/* The bytes at an address of device or pinned memory. */
guint8 *fake_bytes (gconstpointer address);

/* Work of a test. Either of to and from may be NULL, and may be memory of the device or of the host. */
typedef void (*FakeKernel) (guint8 * to, const guint8 * from, gsize bytes, gpointer data);
void fake_launch (RcStream stream, FakeKernel kernel, gpointer to, gconstpointer from, gsize bytes, gpointer data);

/* Does the next work of a stream, unless that waits for another stream. */
gboolean fake_step (RcStream stream);
/* Does all work of all devices; of what may be next, any. */
void fake_finish (guint32 seed);
/* Works not yet done, on all devices. */
guint fake_pending (void);
