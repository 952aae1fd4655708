/* robocache: who may connect to a view server
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <glib.h>

/* A request, as its headers have it. NULL: the header is missing. */
typedef struct
{
  const gchar *host;            /* "localhost:8765" */
  const gchar *origin;          /* "https://app.foxglove.dev" */
  const gchar *local_address;   /* "192.168.1.5": the address that the client connected to; NULL: unknown */
} RobocacheViewRequest;

/* Returns why a request is refused, to be freed with g_free; NULL: it is not.
 *
 * A web page of a foreign name can be pointed at any address (DNS rebinding), so Host must be localhost, a loopback address, local_address or
 * one of hosts. A web page names its origin, which must be http:// and the Host, or one of origins ("*": all). Programs name none. */
gchar *robocache_view_refusal (const RobocacheViewRequest * request, const gchar * const *hosts, const gchar * const *origins);
