/* robocache: random access to the bytes of a file, on disk or elsewhere, and iteration over its records
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "source.h"

#include <errno.h>
#include <fcntl.h>
#include <gst/gst.h>
#include <sys/stat.h>
#include <unistd.h>

#define MIN_READ_AHEAD ((gsize) 4 << 10)
#define MAX_READ_AHEAD ((gsize) 256 << 10)
/* A picture of 3840 x 2160 with four channels fits. */
#define MIN_MAX_UNPACKED ((guint64) 32 << 20)

guint64
robocache_mcap_source_max_bytes (const RobocacheMcapSource *source)
{
  return source->max_bytes ? source->max_bytes : ROBOCACHE_MCAP_DEFAULT_MAX_BYTES;
}

guint64
robocache_mcap_max_unpacked (guint64 max_bytes, guint64 n_bytes)
{
  const guint64 plausible = MIN_MAX_UNPACKED + n_bytes + n_bytes / 2;

  return max_bytes ? max_bytes : MIN (ROBOCACHE_MCAP_DEFAULT_MAX_BYTES, plausible);
}

/* ---- files on disk ---- */

static void
set_error (const gchar *name, int code, GError **error)
{
  const GstResourceError kind = code == ENOENT ? GST_RESOURCE_ERROR_NOT_FOUND : code == EACCES ? GST_RESOURCE_ERROR_NOT_AUTHORIZED
      : GST_RESOURCE_ERROR_READ;

  g_set_error (error, GST_RESOURCE_ERROR, kind, "%s: %s", name, g_strerror (code));
}

static gboolean
is_regular (int fd, const gchar *name, struct stat *status, GError **error)
{
  if (fstat (fd, status) != 0)
    set_error (name, errno, error);
  else if (S_ISDIR (status->st_mode))
    set_error (name, EISDIR, error);
  else if (S_ISREG (status->st_mode))
    return TRUE;
  else
    g_set_error (error, GST_RESOURCE_ERROR, GST_RESOURCE_ERROR_READ, "%s: not a regular file", name);
  return FALSE;
}

int
robocache_open_to_read (const gchar *path, GError **error)
{
  /* a FIFO without a writer would block the opening */
  int fd = open (path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  struct stat status;

  if (fd < 0)
    set_error (path, errno, error);
  else if (!is_regular (fd, path, &status, error)) {
    close (fd);
    fd = -1;
  }
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
  file->source = (RobocacheMcapSource) { 0, read_file, file, 0 };
  if (is_regular (fd, name, &status, error)) {
    file->source.size = (guint64) status.st_size;
    return file;
  }
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

/* ---- records ---- */

void
robocache_mcap_walk_init (RobocacheMcapWalk *walk, const RobocacheMcapSource *source, guint64 offset, guint64 end)
{
  *walk = (RobocacheMcapWalk) {source, offset, MIN (end, source->size), {NULL, 0, 0}, 0, MIN_READ_AHEAD};
}

void
robocache_mcap_walk_clear (RobocacheMcapWalk *walk)
{
  robocache_mcap_buffer_clear (&walk->window);
}

/* Returns the bytes if the window has them, else NULL. */
static const guint8 *
find_in_window (const RobocacheMcapWalk *walk, guint64 offset, gsize size)
{
  const guint64 skipped = offset - walk->window_offset;

  if (offset < walk->window_offset || skipped > walk->window.size || walk->window.size - skipped < size)
    return NULL;
  return walk->window.data + skipped;
}

/* Bytes within the range. NULL and an error where they cannot be read. */
static const guint8 *
get_bytes (RobocacheMcapWalk *walk, guint64 offset, gsize size, GError **error)
{
  const guint8 *found = find_in_window (walk, offset, size);
  const gboolean continues = offset >= walk->window_offset && offset <= walk->window_offset + walk->window.size;
  gsize n;

  if (found)
    return found;
  walk->read_ahead = continues ? MIN (2 * walk->read_ahead, MAX_READ_AHEAD) : MIN_READ_AHEAD;
  n = (gsize) MIN (MAX (size, walk->read_ahead), walk->end - offset);
  if (!robocache_mcap_buffer_resize (&walk->window, n, error))
    return NULL;
  walk->window_offset = offset;
  if (walk->source->read (walk->source->user_data, offset, n, walk->window.data, error))
    return walk->window.data;
  walk->window.size = 0;
  return NULL;
}

gboolean
robocache_mcap_walk_next (RobocacheMcapWalk *walk, RobocacheMcapPlace *place, GError **error)
{
  const guint8 *head;
  guint64 left;

  if (walk->offset > walk->end || walk->end - walk->offset < ROBOCACHE_MCAP_HEAD_SIZE)
    return FALSE;
  head = get_bytes (walk, walk->offset, ROBOCACHE_MCAP_HEAD_SIZE, error);
  if (!head)
    return FALSE;
  *place = (RobocacheMcapPlace) {head[0], walk->offset, robocache_mcap_get_uint64 (head + 1)};
  left = walk->end - walk->offset - ROBOCACHE_MCAP_HEAD_SIZE;
  if (place->size > left)
    return FALSE;
  walk->offset += ROBOCACHE_MCAP_HEAD_SIZE + place->size;
  return TRUE;
}

gboolean
robocache_mcap_walk_peek (RobocacheMcapWalk *walk, const RobocacheMcapPlace *place, gsize max, RobocacheMcapBytes *bytes,
    GError **error)
{
  bytes->size = (gsize) MIN (place->size, max);
  bytes->data = get_bytes (walk, place->offset + ROBOCACHE_MCAP_HEAD_SIZE, bytes->size, error);
  return bytes->data != NULL;
}

gboolean
robocache_mcap_walk_look (RobocacheMcapWalk *walk, guint64 offset, gsize size, RobocacheMcapBytes *bytes, GError **error)
{
  bytes->size = offset < walk->end ? (gsize) MIN (size, walk->end - offset) : 0;
  bytes->data = bytes->size > 0 ? get_bytes (walk, offset, bytes->size, error) : NULL;
  return bytes->data != NULL || bytes->size == 0;
}
