/* robocache: bytes of a file on disk
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "filesource.h"

#include <errno.h>
#include <fcntl.h>
#include <gst/gst.h>
#include <sys/stat.h>
#include <unistd.h>

static void
set_error (const gchar *name, int code, GError **error)
{
  const GstResourceError kind = code == ENOENT ? GST_RESOURCE_ERROR_NOT_FOUND : code == EACCES ? GST_RESOURCE_ERROR_NOT_AUTHORIZED
      : GST_RESOURCE_ERROR_READ;

  g_set_error (error, GST_RESOURCE_ERROR, kind, "%s: %s", name, g_strerror (code));
}

int
robocache_open_to_read (const gchar *path, GError **error)
{
  const int fd = open (path, O_RDONLY | O_CLOEXEC);

  if (fd < 0)
    set_error (path, errno, error);
  return fd;
}

/* Reads may be cut by signals, and a file may be cut while it is read. */
static gboolean
read_file (gpointer user_data, guint64 offset, gsize size, guint8 *to, GError **error)
{
  const RobocacheMcapFileSource *file = user_data;

  while (size > 0) {
    const gboolean is_stopped = file->is_stopped && g_atomic_int_get (file->is_stopped);
    const ssize_t n = is_stopped ? -1 : pread (file->fd, to, size, (off_t) offset);

    if (n < 0 && !is_stopped && errno == EINTR)
      continue;
    if (n <= 0) {
      set_error (file->name, is_stopped ? ECANCELED : n == 0 ? EIO : errno, error);
      return FALSE;
    }
    to += n;
    offset += (guint64) n;
    size -= (gsize) n;
  }
  return TRUE;
}

RobocacheMcapFileSource *
robocache_mcap_file_source_new (int fd, const gchar *name, gint *is_stopped, GError **error)
{
  RobocacheMcapFileSource *file = g_new0 (RobocacheMcapFileSource, 1);
  struct stat status;

  file->fd = fd;
  file->name = g_strdup (name);
  file->is_stopped = is_stopped;
  file->source = (RobocacheMcapSource) { 0, read_file, file };
  if (fstat (fd, &status) == 0 && S_ISREG (status.st_mode)) {
    file->source.size = (guint64) status.st_size;
    return file;
  }
  set_error (name, S_ISDIR (status.st_mode) ? EISDIR : ESPIPE, error);
  robocache_mcap_file_source_free (file);
  return NULL;
}

void
robocache_mcap_file_source_free (RobocacheMcapFileSource *file)
{
  close (file->fd);
  g_free (file->name);
  g_free (file);
}
