/* robocache: who may connect to a view server
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "access.h"

#include <gio/gio.h>

static gboolean
is_port (const gchar *text)
{
  return g_ascii_string_to_unsigned (text, 10, 1, 65535, NULL, NULL);
}

/* The name or address in "name", "name:port", "address:port" or "[address]:port"; free with g_free. NULL: it is none of them. */
static gchar *
name_of (const gchar *host)
{
  const gchar *end = *host == '[' ? strchr (host, ']') : host + strcspn (host, ":");
  const gchar *port;

  if (end == NULL)
    return NULL;
  port = end + (*host == '[');
  if (*port != '\0' && (*port != ':' || !is_port (port + 1)))
    return NULL;
  return g_ascii_strdown (host + (*host == '['), end - host - (*host == '['));
}

static gboolean
is_loopback (const gchar *name)
{
  GInetAddress *address = g_inet_address_new_from_string (name);
  gboolean is_loopback = address ? g_inet_address_get_is_loopback (address) : g_str_equal (name, "localhost");

  g_clear_object (&address);
  return is_loopback;
}

/* Addresses have several spellings. */
static gboolean
is_same_address (const gchar *name, const gchar *other)
{
  GInetAddress *a = g_inet_address_new_from_string (name), *b = other ? g_inet_address_new_from_string (other) : NULL;
  const gboolean is_same = a && b && g_inet_address_equal (a, b);

  g_clear_object (&a);
  g_clear_object (&b);
  return is_same;
}

static gboolean
contains (const gchar *const *list, const gchar *name)
{
  for (; *list; list++)
    if (g_ascii_strcasecmp (*list, name) == 0)
      return TRUE;
  return FALSE;
}

static gboolean
is_own_origin (const gchar *origin, const gchar *host)
{
  return g_ascii_strncasecmp (origin, "http://", 7) == 0 && g_ascii_strcasecmp (origin + 7, host) == 0;
}

gchar *
robocache_view_refusal (const RobocacheViewRequest *request, const gchar *const *hosts, const gchar *const *origins)
{
  gchar *name = request->host ? name_of (request->host) : NULL;
  const gboolean is_known = name && (is_loopback (name) || is_same_address (name, request->local_address) || contains (hosts, name));

  g_free (name);
  if (!request->host)
    return g_strdup ("the request has no Host header");
  if (!is_known)
    return g_strdup_printf ("Host is \"%s\": add the name to allow-host if browsers may use it", request->host);
  if (!request->origin || is_own_origin (request->origin, request->host) || contains (origins, "*") || contains (origins, request->origin))
    return NULL;
  return g_strdup_printf ("Origin is \"%s\": add it to allow-origin if that web page may connect", request->origin);
}
