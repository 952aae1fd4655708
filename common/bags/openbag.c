/* robocache: opens a recording of ROS: a folder with metadata.yaml, one of its files, or a bag of ROS 1
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE             /* O_TMPFILE */
#endif
#include "openbag.h"

#include <errno.h>
#include <fcntl.h>
#include <gst/gst.h>
#include <string.h>
#include <unistd.h>

#include "bagmetadata.h"
#include "common/mcap/read/source.h"
#include "common/ros/msgfolders.h"
#include "compressedbag.h"
#include "ros1bag.h"
#include "storage.h"

#define ULOG_MAGIC "ULog"
#define SQLITE_MAGIC "SQLite format 3"  /* including the NUL at its end */

/* A bag that is being opened. */
typedef struct
{
  const RobocacheBagPlace *place;
  RobocacheMsgFolders *folders;
  RobocacheBag *bag;
} Opening;

static gchar *
define (gpointer user_data, const gchar *type)
{
  return robocache_msg_folders_schema_text (user_data, type);
}

/* ---- one file ---- */

/* First bytes of a file; fewer where it is shorter. Its position stays. */
static gsize
peek (int fd, guint8 *bytes, gsize size)
{
  const ssize_t n = pread (fd, bytes, size, 0);

  return n < 0 ? 0 : (gsize) n;
}

static gboolean
has_magic (int fd, const gchar *magic, gsize size)
{
  guint8 bytes[16];

  return peek (fd, bytes, size) == size && memcmp (bytes, magic, size) == 0;
}

static gboolean
is_compressed (int fd)
{
  guint8 bytes[4];
  const gsize size = peek (fd, bytes, sizeof (bytes));

  return robocache_is_zstd ((RobocacheMcapBytes) {bytes, size});
}

/* A file without a name, which vanishes with the descriptor: also where the process is killed. -1 and an error. */
static int
open_temporary (GError **error)
{
  int fd = open (g_get_tmp_dir (), O_TMPFILE | O_RDWR | O_EXCL | O_CLOEXEC, 0600);
  gchar *path;

  if (fd >= 0)
    return fd;
  /* not every file system has them */
  path = g_build_filename (g_get_tmp_dir (), "robocache-XXXXXX", NULL);
  fd = g_mkstemp (path);
  if (fd < 0)
    g_set_error (error, GST_RESOURCE_ERROR, GST_RESOURCE_ERROR_OPEN_WRITE, "%s: %s", path, g_strerror (errno));
  else
    unlink (path);
  g_free (path);
  return fd;
}

/* A temporary file with what a compressed one holds. Closes fd. -1 and an error. */
static int
decompress (int fd, const gchar *name, gint *is_stopped, GError **error)
{
  int to = open_temporary (error);

  if (to >= 0 && !robocache_zstd_decompress_file (fd, to, name, is_stopped, error)) {
    close (to);
    to = -1;
  }
  close (fd);
  return to;
}

/* Takes fd. path: NULL where the file has no name. */
static RobocacheBagStorage *
open_sqlite (int fd, const gchar *path, const gchar *name, const RobocacheBagPlace *place, GError **error)
{
#ifdef HAVE_SQLITE
  return robocache_sqlite_storage_new (fd, path, name, place->max_bytes ? place->max_bytes : ROBOCACHE_MCAP_DEFAULT_MAX_BYTES,
      place->is_stopped, error);
#else
  g_set_error (error, GST_RESOURCE_ERROR, GST_RESOURCE_ERROR_FAILED, "%s: this build cannot read SQLite: build it with libsqlite3 and "
      "-Dsqlite=enabled", name);
  close (fd);
  return NULL;
#endif
}

typedef RobocacheBagStorage *(*NewStorage) (const RobocacheMcapSource * source, GDestroyNotify free_source, GError ** error);

/* Takes fd. */
static RobocacheBagStorage *
open_mcap (int fd, const gchar *name, const RobocacheBagPlace *place, NewStorage storage_new, GError **error)
{
  RobocacheMcapFileSource *source = robocache_mcap_file_source_new (fd, name, place->is_stopped, error);

  if (!source)
    return NULL;
  source->source.max_bytes = place->max_bytes;
  return storage_new (&source->source, (GDestroyNotify) robocache_mcap_file_source_free, error);
}

/* Takes fd. path: NULL where the file has no name. */
static RobocacheBagStorage *
open_storage (int fd, const gchar *path, const gchar *name, const RobocacheBagPlace *place, GError **error)
{
  if (has_magic (fd, ROBOCACHE_MCAP_MAGIC, ROBOCACHE_MCAP_MAGIC_SIZE))
    return open_mcap (fd, name, place, robocache_mcap_storage_new, error);
  if (has_magic (fd, ROBOCACHE_ROS1_MAGIC, strlen (ROBOCACHE_ROS1_MAGIC)))
    return open_mcap (fd, name, place, robocache_ros1_storage_new, error);
  if (has_magic (fd, SQLITE_MAGIC, sizeof (SQLITE_MAGIC)))
    return open_sqlite (fd, path, name, place, error);
  g_set_error (error, GST_STREAM_ERROR, GST_STREAM_ERROR_WRONG_TYPE, "%s: %s", name, has_magic (fd, ULOG_MAGIC, strlen (ULOG_MAGIC))
      ? "a PX4 log: convert it to CSV with ulog2csv of pyulog" : "neither MCAP, nor SQLite, nor a bag of ROS 1");
  close (fd);
  return NULL;
}

static RobocacheBagStorage *
open_file (const gchar *path, const RobocacheBagPlace *place, GError **error)
{
  int fd = robocache_open_to_read (path, error);

  if (fd < 0)
    return NULL;
  if (!is_compressed (fd))
    return open_storage (fd, path, path, place, error);
  fd = decompress (fd, path, place->is_stopped, error);
  return fd < 0 ? NULL : open_storage (fd, NULL, path, place, error);
}

static gboolean
add_file (Opening *opening, const gchar *path, GError **error)
{
  GError *fault = NULL;
  RobocacheBagStorage *storage = open_file (path, opening->place, &fault);

  if (storage)
    return robocache_bag_add (opening->bag, storage, path, define, opening->folders, error);
  /* errors of the format do not name the file */
  if (strncmp (fault->message, path, strlen (path)) != 0)
    g_prefix_error (&fault, "%s: ", path);
  g_propagate_error (error, fault);
  return FALSE;
}

/* ---- a folder ---- */

static gboolean
is_one_of (const gchar *text, const gchar *const *texts)
{
  for (; *texts; texts++) {
    if (g_ascii_strcasecmp (text, *texts) == 0)
      return TRUE;
  }
  return FALSE;
}

static gboolean
check_info (const RobocacheBagInfo *info, const gchar *folder, GError **error)
{
  static const gchar *const storages[] = { "mcap", "sqlite3", NULL }, *const modes[] = { "", "none", "file", "message", "storage", NULL };
  static const gchar *const uncompressed[] = { "", "none", "storage", NULL };
  const gboolean is_uncompressed = is_one_of (info->compression_mode, uncompressed);

  if (!is_one_of (info->storage, storages))
    g_set_error (error, GST_STREAM_ERROR, GST_STREAM_ERROR_WRONG_TYPE, "%s/metadata.yaml: the storage \"%s\" is neither mcap nor sqlite3",
        folder, info->storage);
  else if (!is_one_of (info->compression_mode, modes))
    g_set_error (error, GST_STREAM_ERROR, GST_STREAM_ERROR_WRONG_TYPE, "%s/metadata.yaml: compression_mode \"%s\" is neither file nor "
        "message", folder, info->compression_mode);
  else if (!is_uncompressed && g_ascii_strcasecmp (info->compression_format, "zstd") != 0)
    g_set_error (error, GST_STREAM_ERROR, GST_STREAM_ERROR_WRONG_TYPE, "%s/metadata.yaml: compression_format \"%s\" is not zstd", folder,
        info->compression_format);
  else
    return TRUE;
  return FALSE;
}

static gboolean
add_folder (Opening *opening, const gchar *folder, GError **error)
{
  RobocacheBagInfo info;
  gboolean ok = robocache_bag_info_read_until (&info, folder, opening->place->is_stopped, error);

  if (!ok)
    return FALSE;
  ok = check_info (&info, folder, error);
  for (guint i = 0; ok && info.paths[i]; i++)
    ok = add_file (opening, info.paths[i], error);
  robocache_bag_info_clear (&info);
  return ok;
}

/* ---- all of it ---- */

static RobocacheBag *
open_at (const RobocacheBagPlace *place, RobocacheMsgFolders *folders, GError **error)
{
  Opening opening = { place, folders, robocache_bag_new (place->max_bytes) };
  const gboolean ok = g_file_test (place->location, G_FILE_TEST_IS_DIR) ? add_folder (&opening, place->location, error)
      : add_file (&opening, place->location, error);

  if (!ok)
    g_clear_pointer (&opening.bag, robocache_bag_free);
  return opening.bag;
}

RobocacheBag *
robocache_bag_open (const RobocacheBagPlace *place, GError **error)
{
  RobocacheMsgFolders *folders;
  GError *fault = NULL;
  RobocacheBag *bag;

  if (!place->location || !*place->location) {
    g_set_error (error, GST_RESOURCE_ERROR, GST_RESOURCE_ERROR_NOT_FOUND, "no recording: set location to the folder of a bag, or to a "
        ".mcap, .db3 or .bag file");
    return NULL;
  }
  folders = robocache_msg_folders_new (place->msg_path, &fault);
  if (!folders) {
    g_set_error (error, GST_RESOURCE_ERROR, GST_RESOURCE_ERROR_NOT_FOUND, "msg-path: %s", fault->message);
    g_error_free (fault);
    return NULL;
  }
  bag = open_at (place, folders, error);
  robocache_msg_folders_free (folders);
  return bag;
}
