/* robocache: a disk that fails, for programs that are started with LD_PRELOAD
 *
 * FAULTY_FOLDER is where, FAULTY_CALL the number of the call that fails, FAULTY_ERRNO its error. Calls are counted that change files below that
 * folder; FAULTY_COUNT is a file that gets how many there were, one a line.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
/* both open and open64 are here */
#undef _FILE_OFFSET_BITS
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <sys/uio.h>
#include <unistd.h>

#define MAX_FILES 1024

static atomic_bool is_watched[MAX_FILES];       /* by descriptor */
static atomic_int n_calls;

#define NEXT(name) ((__typeof__ (&name)) dlsym (RTLD_NEXT, #name))

static int
number_of (const char *variable)
{
  const char *text = getenv (variable);

  return text ? atoi (text) : 0;
}

static int
is_path (const char *path)
{
  const char *folder = getenv ("FAULTY_FOLDER");

  return folder && path && strncmp (path, folder, strlen (folder)) == 0;
}

static int
is_file (int descriptor)
{
  return descriptor >= 0 && descriptor < MAX_FILES && is_watched[descriptor];
}

/* Counts a call. Whether it fails. */
static int
fails (int is_counted)
{
  if (!is_counted || atomic_fetch_add (&n_calls, 1) + 1 != number_of ("FAULTY_CALL"))
    return 0;
  errno = number_of ("FAULTY_ERRNO");
  return 1;
}

__attribute__ ((destructor))
static void
write_count (void)
{
  const char *path = getenv ("FAULTY_COUNT");
  FILE *file = path ? fopen (path, "a") : NULL;

  if (!file)
    return;
  fprintf (file, "%d\n", n_calls);
  fclose (file);
}

static int
open_watched (__typeof__ (&open) real, const char *path, int flags, mode_t mode)
{
  int descriptor;

  if (fails (is_path (path) && (flags & (O_WRONLY | O_RDWR))))
    return -1;
  descriptor = real (path, flags, mode);
  if (descriptor >= 0 && descriptor < MAX_FILES)
    is_watched[descriptor] = is_path (path);
  return descriptor;
}

#define DEFINE_OPEN(name) \
int \
name (const char *path, int flags, ...) \
{ \
  mode_t mode = 0; \
  va_list arguments; \
 \
  va_start (arguments, flags); \
  if (flags & O_CREAT) \
    mode = va_arg (arguments, mode_t); \
  va_end (arguments); \
  return open_watched (NEXT (name), path, flags, mode); \
}

#define DEFINE(type, name, parameters, is_counted, ...) \
type \
name parameters \
{ \
  return fails (is_counted) ? -1 : NEXT (name) (__VA_ARGS__); \
}

/* *INDENT-OFF* */
DEFINE_OPEN (open)
DEFINE_OPEN (open64)
DEFINE (ssize_t, write, (int file, const void *data, size_t size), is_file (file), file, data, size)
DEFINE (ssize_t, writev, (int file, const struct iovec *pieces, int n), is_file (file), file, pieces, n)
DEFINE (int, ftruncate, (int file, off_t size), is_file (file), file, size)
DEFINE (int, ftruncate64, (int file, off64_t size), is_file (file), file, size)
DEFINE (int, fdatasync, (int file), is_file (file), file)
DEFINE (int, fsync, (int file), is_file (file), file)
DEFINE (int, rename, (const char *from, const char *to), is_path (to), from, to)
DEFINE (int, mkdir, (const char *path, mode_t mode), is_path (path), path, mode)
DEFINE (int, unlink, (const char *path), is_path (path), path)
/* *INDENT-ON* */

int
close (int file)
{
  const int must_fail = fails (is_file (file));

  if (file >= 0 && file < MAX_FILES)
    is_watched[file] = 0;
  if (!must_fail)
    return NEXT (close) (file);
  NEXT (close) (file);
  errno = number_of ("FAULTY_ERRNO");
  return -1;
}
