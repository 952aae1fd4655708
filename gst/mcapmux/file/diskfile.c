/* robocache: a file that survives crashes
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "diskfile.h"

#include <errno.h>
#include <gst/gst.h>
#include <string.h>
#include <sys/uio.h>
#include <unistd.h>

#define MAX_PIECES 8

struct _MuxDiskFile
{
  int fd;
  gchar *path;
  guint64 size;                 /* whole pieces */
  guint64 sync_interval_ns;

  GThread *syncer;              /* NULL: none */
  GMutex lock;                  /* guards those below */
  GCond closing;
  gboolean is_closing, is_dirty;
  gint sync_errno;              /* of the first failure; 0: none */
};

static gboolean
fail (GError **error, GstResourceError code, const gchar *what, const MuxDiskFile *file, gint number)
{
  g_set_error (error, GST_RESOURCE_ERROR, number == ENOSPC || number == EDQUOT ? GST_RESOURCE_ERROR_NO_SPACE_LEFT : code,
      "%s %s: %s", what, file->path, g_strerror (number));
  return FALSE;
}

/* ---- synchronizing ---- */

/* Called with the lock, which is released in between. */
static void
synchronize (MuxDiskFile *file)
{
  gint result;

  file->is_dirty = FALSE;
  g_mutex_unlock (&file->lock);
  result = fdatasync (file->fd) == 0 ? 0 : errno;
  g_mutex_lock (&file->lock);
  /* pipes and some file systems cannot */
  if (result != 0 && result != EINVAL && result != ENOTSUP && file->sync_errno == 0)
    file->sync_errno = result;
}

static gpointer
run_syncer (gpointer data)
{
  MuxDiskFile *file = data;
  gint64 next = g_get_monotonic_time () + (gint64) (file->sync_interval_ns / 1000);

  g_mutex_lock (&file->lock);
  while (!file->is_closing) {
    if (g_cond_wait_until (&file->closing, &file->lock, next))
      continue;
    if (file->is_dirty)
      synchronize (file);
    next = g_get_monotonic_time () + (gint64) (file->sync_interval_ns / 1000);
  }
  g_mutex_unlock (&file->lock);
  return NULL;
}

/* ---- life ---- */

MuxDiskFile *
mux_disk_file_new (int descriptor, const gchar *path, guint64 sync_interval_ns)
{
  MuxDiskFile *file = g_new0 (MuxDiskFile, 1);

  file->path = g_strdup (path);
  file->sync_interval_ns = sync_interval_ns;
  file->fd = descriptor;
  g_mutex_init (&file->lock);
  g_cond_init (&file->closing);
  if (sync_interval_ns > 0)
    file->syncer = g_thread_new ("mcap-sync", run_syncer, file);
  return file;
}

gboolean
mux_disk_file_close (MuxDiskFile *file, GError **error)
{
  gint sync_errno, result;
  gboolean is_good = TRUE;

  g_mutex_lock (&file->lock);
  file->is_closing = TRUE;
  g_cond_signal (&file->closing);
  g_mutex_unlock (&file->lock);
  if (file->syncer)
    g_thread_join (file->syncer);
  g_mutex_lock (&file->lock);
  if (file->syncer)
    synchronize (file);
  sync_errno = file->sync_errno;
  g_mutex_unlock (&file->lock);
  result = close (file->fd) == 0 ? 0 : errno;
  if (sync_errno != 0)
    is_good = fail (error, GST_RESOURCE_ERROR_SYNC, "cannot synchronize", file, sync_errno);
  else if (result != 0)
    is_good = fail (error, GST_RESOURCE_ERROR_CLOSE, "cannot close", file, result);
  g_mutex_clear (&file->lock);
  g_cond_clear (&file->closing);
  g_free (file->path);
  g_free (file);
  return is_good;
}

/* ---- writing ---- */

/* Takes bytes that were written off the pieces; how many pieces are left, from *first on. */
static guint
advance (struct iovec *pieces, guint n, guint *first, gsize written)
{
  for (; *first < n && written >= pieces[*first].iov_len; (*first)++)
    written -= pieces[*first].iov_len;
  if (*first < n) {
    pieces[*first].iov_base = (guint8 *) pieces[*first].iov_base + written;
    pieces[*first].iov_len -= written;
  }
  return n - *first;
}

/* errno; 0: all is written. */
static gint
write_all (int fd, struct iovec *pieces, guint n)
{
  guint first = 0, left = n;

  while (left > 0) {
    const ssize_t written = writev (fd, pieces + first, (int) left);

    if (written < 0 && errno != EINTR)
      return errno;
    if (written >= 0)
      left = advance (pieces, n, &first, (gsize) written);
  }
  return 0;
}

gboolean
mux_disk_file_write (MuxDiskFile *file, const RobocacheMcapBytes *pieces, guint n_pieces, GError **error)
{
  struct iovec vectors[MAX_PIECES];
  gsize size = 0;
  gint result;

  g_return_val_if_fail (n_pieces <= MAX_PIECES, FALSE);
  for (guint i = 0; i < n_pieces; i++) {
    vectors[i] = (struct iovec) {(gpointer) pieces[i].data, pieces[i].size};
    size += pieces[i].size;
  }
  result = write_all (file->fd, vectors, n_pieces);
  if (result != 0) {
    /* the beginning of a cut record is harmless, but readers would warn about it */
    if (ftruncate (file->fd, (off_t) file->size) != 0)
      result = result == ENOSPC ? ENOSPC : errno;
    return fail (error, GST_RESOURCE_ERROR_WRITE, "cannot write", file, result);
  }
  file->size += size;
  g_mutex_lock (&file->lock);
  file->is_dirty = TRUE;
  result = file->sync_errno;
  g_mutex_unlock (&file->lock);
  return result == 0 || fail (error, GST_RESOURCE_ERROR_SYNC, "cannot synchronize", file, result);
}
