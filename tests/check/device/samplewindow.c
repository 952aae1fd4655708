/* robocache: the window of robocachefuse on a device where a call fails: an error, and right rows after another try
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "devicefixture.h"

#include "gst/fuse/sample/samplewindow.h"
#include "kernels/arithmetic.h"
#include "kernels/interpolation.h"

#define N_TICKS 3
#define ROW_BYTES 20000         /* set in two pieces */
#define N_WORDS (N_TICKS * ROW_BYTES / sizeof (guint32))

static FuseWindow window, older;

static void
open_window (FuseWindow *w)
{
  static const gsize row_bytes[] = { ROW_BYTES };
  FuseWindowStream *streams = g_new0 (FuseWindowStream, 1);

  streams[0] = (FuseWindowStream) {.id = 7,.dtype = RC_FLOAT32,.row_bytes = ROW_BYTES };
  fail_unless (fuse_window_init (w, engine, N_TICKS, streams, 1, row_bytes, 1, NULL));
}

static void
setup_windows (void)
{
  setup ();
  open_window (&window);
  open_window (&older);
  for (guint i = 0; i < N_WORDS; i++)
    ((guint32 *) (gpointer) fake_bytes (older.rows[0]))[i] = i;
  for (guint i = 0; i < N_TICKS * FUSE_INFO_FIELDS; i++)
    older.info[i] = i;
}

static void
teardown_windows (void)
{
  fuse_window_clear (&window);
  fuse_window_clear (&older);
  teardown ();
}

/* from NULL: all rows are missing. */
static gboolean
set_window (const FuseWindow *from, GError **error)
{
  return from ? fuse_window_adopt (&window, from, error) : fuse_window_forget (&window, error);
}

static void
expect_window (const FuseWindow *from)
{
  const guint32 *words = (const guint32 *) (gconstpointer) fake_bytes (window.rows[0]);

  for (guint i = 0; i < N_WORDS; i++)
    fail_unless (words[i] == (from ? i : RC_NAN32_BITS), "word %u is %08x", i, words[i]);
  for (guint slot = 0; slot < N_TICKS; slot++)
    fail_unless_equals_int64 (fuse_window_info (&window, slot, 0)[3], from ? slot * FUSE_INFO_FIELDS + 3 : RC_MISSING);
}

static const struct
{
  const FuseWindow *from;
  guint n_copies;
} changes[] = { {NULL, 2 * N_TICKS}, {&older, N_TICKS} };

GST_START_TEST (test_copy_fails)
{
  const FuseWindow *from = changes[__i__].from;

  for (guint nth = 1; nth <= changes[__i__].n_copies + 1; nth++) {
    GError *error = NULL;

    memset (fake_bytes (window.rows[0]), 0x55, N_TICKS * ROW_BYTES);
    device->failing_copy = nth;
    if (nth <= changes[__i__].n_copies) {
      fail_if (set_window (from, &error), "copy %u", nth);
      fail_unless_error (error, RESOURCE, FAILED, "");
    }
    fail_unless_equals_int (fake_pending (), 0);
    fail_unless (set_window (from, NULL));
    expect_window (from);
    device->failing_copy = 0;
  }
}

GST_END_TEST;

/* At each call in turn, until there is none left. The error is the device's, also where a copy failed before. */
GST_START_TEST (test_device_fails)
{
  guint nth = 1;
  gboolean ok = FALSE;

  for (; !ok && nth < 50; nth++) {
    GError *error = NULL;

    device->failing_call = nth;
    device->failing_copy = nth == 2 + (changes[__i__].from != NULL) ? 1 : 0;    /* then the wait after it fails */
    ok = set_window (changes[__i__].from, &error);
    fail_unless (ok == !device->has_failed, "call %u", nth);
    if (!ok)
      fail_unless_error (error, LIBRARY, FAILED, "it broke");
    device->failing_call = device->failing_copy = 0;
    if (!ok) {
      teardown_windows ();
      setup_windows ();
    }
  }
  fail_unless (nth > changes[__i__].n_copies && ok, "call %u", nth);
}

GST_END_TEST;

CHECK_MAIN (samplewindow, setup_windows, teardown_windows,
    EACH (changes, test_copy_fails), EACH (changes, test_device_fails))
