/* robocache: a device that is none, on which wrong order shows as wrong bytes
 *
 * Its streams are queues. Work waits in them until somebody synchronises, and then no more is done than that needs; or
 * until a test steps a stream, or has all of it done in a random order that streams and events allow. So work that
 * nothing puts in order is done at the worst time. What a GPU would do at once, it does at once: a copy from pageable memory has
 * read it on return, one from pinned memory has not.
 *
 * Addresses of its memory are not to be read by the CPU, which crashes on them; fake_bytes has what is there.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef TEST_FAKEDEVICE_H
#define TEST_FAKEDEVICE_H

#include <glib.h>

#include "kernels/memory.h"

G_BEGIN_DECLS

typedef struct _FakeDevice FakeDevice;

typedef struct
{
  guint backends, streams, events, device_blocks, pinned_blocks;        /* that there are */
  guint allocs, event_news, stream_news, copies;        /* until now */
  guint early_frees;            /* of memory that enqueued work still used */
  guint wrong_addresses;        /* of copies and clears: memory of another device, or past the end of a block */
} FakeCounts;

FakeDevice *fake_device_new (gint number);
/* Does what is left to do, and fails the test when anything was not given back, was freed early or addressed wrongly. */
void fake_device_free (FakeDevice * device);
/* A backend of kind RC_BACKEND_CUDA. */
RcBackend *fake_device_open (FakeDevice * device);
FakeCounts fake_device_counts (FakeDevice * device);

/* For the next backends' rc_memory_info. */
void fake_device_set_host_addressable (FakeDevice * device, gboolean host_addressable);
/* Device memory at most; there is no bound at first. */
void fake_device_set_total (FakeDevice * device, guint64 bytes);
/* The nth from now fails, once, with RC_NO_SPACE: 1 is the next, 0 none. */
void fake_device_fail_alloc (FakeDevice * device, guint nth);
void fake_device_fail_event (FakeDevice * device, guint nth);
/* At the nth call from now the device fails, for good: work in its streams is lost, and its events have passed. */
void fake_device_fail_call (FakeDevice * device, guint nth);
gboolean fake_device_has_failed (FakeDevice * device);

/* What is at an address of device or pinned memory. */
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

G_END_DECLS
#endif
