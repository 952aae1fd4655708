/* robocache: the token of viewers that may change settings
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "token.h"

#include <errno.h>
#include <fcntl.h>
#include <glib/gstdio.h>
#include <string.h>
#include <sys/random.h>
#include <unistd.h>

#include "common/element/errordomain.h"

#define N_RANDOM_BYTES 16
/* 128 bits as text: 22 characters of base64, 32 of hexadecimal. */
#define MIN_LENGTH 22
#define MAX_LENGTH 256

static gboolean
check (const gchar *token, const gchar *origin, GError **error)
{
  const gsize length = strlen (token);

  if (length >= MIN_LENGTH && length <= MAX_LENGTH && g_str_is_ascii (token))
    return TRUE;
  g_set_error (error, ROBOCACHE_ERROR, ROBOCACHE_ERROR_PROPERTY, "the token of %s is not one of %u to %u ASCII characters: write 128 random bits "
      "there, like the output of \"openssl rand -hex 16\"", origin, MIN_LENGTH, MAX_LENGTH);
  return FALSE;
}

static gboolean
make_file (const gchar *path)
{
  guint8 bytes[N_RANDOM_BYTES];
  GString *text = g_string_new (NULL);
  gboolean is_made = getrandom (bytes, sizeof bytes, 0) == sizeof bytes;
  gint fd = is_made ? g_open (path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600) : -1;

  for (guint i = 0; i < sizeof bytes; i++)
    g_string_append_printf (text, "%02x", bytes[i]);
  g_string_append_c (text, '\n');
  is_made = fd >= 0 && write (fd, text->str, text->len) == (gssize) text->len;
  if (fd >= 0)
    is_made = close (fd) == 0 && is_made;
  /* a part of a token is none */
  if (fd >= 0 && !is_made)
    g_unlink (path);
  g_string_free (text, TRUE);
  return is_made;
}

static gboolean
is_private (const gchar *path)
{
  GStatBuf status;

  return g_stat (path, &status) == 0 && (status.st_mode & 077) == 0;
}

static gchar *
read_file (const gchar *path, GError **error)
{
  gchar *token = NULL;
  GError *reason = NULL;

  if (!g_file_test (path, G_FILE_TEST_EXISTS) && !make_file (path)) {
    g_set_error (error, ROBOCACHE_ERROR, ROBOCACHE_ERROR_PROPERTY, "cannot make token-file \"%s\": %s", path, g_strerror (errno));
  } else if (!is_private (path)) {
    g_set_error (error, ROBOCACHE_ERROR, ROBOCACHE_ERROR_PROPERTY, "others can read token-file \"%s\": call chmod 600, and write another token there", path);
  } else if (!g_file_get_contents (path, &token, NULL, &reason)) {
    g_set_error (error, ROBOCACHE_ERROR, ROBOCACHE_ERROR_PROPERTY, "cannot read token-file: %s", reason->message);
    g_error_free (reason);
  } else if (!check (g_strstrip (token), "token-file", error)) {
    g_clear_pointer (&token, g_free);
  }
  return token;
}

gchar *
robocache_token_read (const gchar *path, GError **error)
{
  const gchar *token;

  if (path && *path)
    return read_file (path, error);
  token = g_getenv (ROBOCACHE_TOKEN_VARIABLE);
  if (!token || !*token || !check (token, ROBOCACHE_TOKEN_VARIABLE, error))
    return NULL;
  return g_strdup (token);
}
