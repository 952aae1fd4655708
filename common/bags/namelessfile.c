/* robocache: SQLite databases in files without a name
 *
 * Source: sqlite.org/vfs.html, sqlite3_vfs and sqlite3_io_methods.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "namelessfile.h"

#include <errno.h>
#include <sqlite3.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define VFS_NAME "robocache-nameless"

/* Files of other kinds, for sorting, are those of the system. */
static sqlite3_vfs *system_vfs;

typedef struct
{
  sqlite3_file base;
  int fd;
} NamelessFile;

/* ---- the file ---- */

static int
close_file (sqlite3_file *base)
{
  return SQLITE_OK;
}

static int
read_file (sqlite3_file *base, void *to, int size, sqlite3_int64 offset)
{
  const NamelessFile *file = (const NamelessFile *) base;
  int done = 0;

  while (done < size) {
    const ssize_t n = pread (file->fd, (guint8 *) to + done, (gsize) (size - done), (off_t) (offset + done));

    if (n < 0 && errno == EINTR)
      continue;
    if (n < 0)
      return SQLITE_IOERR_READ;
    if (n == 0)
      break;
    done += (int) n;
  }
  if (done == size)
    return SQLITE_OK;
  memset ((guint8 *) to + done, 0, (gsize) (size - done));
  return SQLITE_IOERR_SHORT_READ;
}

static int
refuse_write (sqlite3_file *base, const void *from, int size, sqlite3_int64 offset)
{
  return SQLITE_READONLY;
}

static int
refuse_truncate (sqlite3_file *base, sqlite3_int64 size)
{
  return SQLITE_READONLY;
}

static int
get_size (sqlite3_file *base, sqlite3_int64 *size)
{
  struct stat status;

  if (fstat (((const NamelessFile *) base)->fd, &status) != 0)
    return SQLITE_IOERR_FSTAT;
  *size = status.st_size;
  return SQLITE_OK;
}

/* Nobody else has the file. */
static int
need_nothing (sqlite3_file *base, int how)
{
  return SQLITE_OK;
}

static int
check_no_lock (sqlite3_file *base, int *is_locked)
{
  *is_locked = 0;
  return SQLITE_OK;
}

static int
know_no_control (sqlite3_file *base, int operation, void *argument)
{
  return SQLITE_NOTFOUND;
}

static int
get_sector_size (sqlite3_file *base)
{
  return 4096;
}

static int
get_characteristics (sqlite3_file *base)
{
  return SQLITE_IOCAP_IMMUTABLE;
}

/* ---- opening ---- */

static int
open_file (sqlite3_vfs *vfs, const char *name, sqlite3_file *base, int flags, int *out_flags)
{
  static const sqlite3_io_methods methods = { 1, close_file, read_file, refuse_write, refuse_truncate, need_nothing, get_size, need_nothing,
    need_nothing, check_no_lock, know_no_control, get_sector_size, get_characteristics
  };
  NamelessFile *file = (NamelessFile *) base;

  if (!(flags & SQLITE_OPEN_MAIN_DB))
    return system_vfs->xOpen (system_vfs, name, base, flags, out_flags);
  file->base.pMethods = &methods;
  file->fd = atoi (name);
  if (out_flags)
    *out_flags = SQLITE_OPEN_READONLY;
  return SQLITE_OK;
}

static int
keep_path (sqlite3_vfs *vfs, const char *path, int size, char *to)
{
  return g_strlcpy (to, path, (gsize) size) < (gsize) size ? SQLITE_OK : SQLITE_CANTOPEN;
}

gchar *
robocache_nameless_file_uri (int fd)
{
  static sqlite3_vfs vfs;
  static gsize is_made;

  if (g_once_init_enter (&is_made)) {
    system_vfs = sqlite3_vfs_find (NULL);
    vfs = *system_vfs;
    vfs.zName = VFS_NAME;
    vfs.szOsFile = MAX (vfs.szOsFile, (int) sizeof (NamelessFile));
    vfs.xOpen = open_file;
    vfs.xFullPathname = keep_path;
    sqlite3_vfs_register (&vfs, FALSE);
    g_once_init_leave (&is_made, 1);
  }
  return g_strdup_printf ("file:%d?immutable=1&vfs=" VFS_NAME, fd);
}
