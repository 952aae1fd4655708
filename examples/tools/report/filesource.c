/* robocache: a file as a source of an MCAP reader
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "recordingparts.h"

#include <errno.h>
#include <fcntl.h>
#include <glib/gstdio.h>
#include <unistd.h>

#include "examples/tools/program.h"

static gboolean
read_range (gpointer user_data, guint64 offset, gsize size, guint8 *to, GError **error)
{
  const ReportFileSource *file = user_data;

  while (size > 0) {
    const gssize n = pread (file->descriptor, to, size, (off_t) offset);

    if (n < 0 && errno == EINTR)
      continue;
    if (n <= 0) {
      FAULT (error, "byte %" G_GUINT64_FORMAT " cannot be read: %s", offset, n < 0 ? g_strerror (errno) : "the file became shorter");
      return FALSE;
    }
    offset += (guint64) n;
    to += n;
    size -= (gsize) n;
  }
  return TRUE;
}

gboolean
report_file_source_open (ReportFileSource *file, const gchar *path, GError **error)
{
  struct stat status;
  const gint descriptor = g_open (path, O_RDONLY | O_CLOEXEC, 0);

  if (descriptor < 0 || fstat (descriptor, &status) != 0) {
    FAULT (error, "%s: %s", path, g_strerror (errno));
    if (descriptor >= 0)
      close (descriptor);
    return FALSE;
  }
  if (!S_ISREG (status.st_mode)) {
    FAULT (error, "%s: not a file", path);
    close (descriptor);
    return FALSE;
  }
  *file = (ReportFileSource) {.source = {(guint64) status.st_size, read_range, file},.descriptor = descriptor };
  return TRUE;
}

void
report_file_source_close (ReportFileSource *file)
{
  close (file->descriptor);
}
