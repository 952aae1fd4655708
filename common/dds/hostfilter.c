/* robocache: a packet filter for packets of this host and of named hosts
 *
 * Source: Linux, Documentation/networking/filter.rst.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "hostfilter.h"

#include <arpa/inet.h>
#include <netdb.h>
#include <netinet/in.h>

#include "common/element/errordomain.h"

/* In each network namespace the loopback interface is the first. */
#define LOOPBACK_INDEX 1
#define IP_SOURCE_OFFSET 12

/* FALSE: too many. */
static gboolean
add_addresses (const struct addrinfo *list, GArray *addresses)
{
  for (const struct addrinfo *each = list; each; each = each->ai_next) {
    const struct sockaddr_in *address = (const struct sockaddr_in *) (const void *) each->ai_addr;
    const guint32 number = ntohl (address->sin_addr.s_addr);

    if (addresses->len == ROBOCACHE_DDS_MAX_PEER_ADDRESSES)
      return FALSE;
    g_array_append_val (addresses, number);
  }
  return TRUE;
}

static gboolean
find_addresses (const gchar *peer, GArray *addresses, GError **error)
{
  const struct addrinfo hints = {.ai_family = AF_INET,.ai_socktype = SOCK_DGRAM };
  struct addrinfo *list = NULL;
  const int status = getaddrinfo (peer, NULL, &hints, &list);
  gboolean is_added;

  if (status != 0) {
    g_set_error (error, ROBOCACHE_ERROR, ROBOCACHE_ERROR_PROPERTY, "the peer %s has no IPv4 address: %s", peer, gai_strerror (status));
    return FALSE;
  }
  is_added = add_addresses (list, addresses);
  freeaddrinfo (list);
  if (!is_added)
    g_set_error (error, ROBOCACHE_ERROR, ROBOCACHE_ERROR_PROPERTY, "peers have more than %d addresses: set discovery=subnet",
        ROBOCACHE_DDS_MAX_PEER_ADDRESSES);
  return is_added;
}

static void
add (RobocacheDdsHostFilter *filter, struct sock_filter instruction)
{
  filter->code[filter->n++] = instruction;
}

/* Jumps count instructions from the next one on. */
static void
write_program (RobocacheDdsHostFilter *filter, const guint32 *addresses, guint n)
{
  filter->n = 0;
  add (filter, (struct sock_filter) BPF_STMT (BPF_LD | BPF_W | BPF_ABS, (guint32) (SKF_AD_OFF + SKF_AD_IFINDEX)));
  add (filter, (struct sock_filter) BPF_JUMP (BPF_JMP | BPF_JEQ | BPF_K, LOOPBACK_INDEX, (guint8) (n > 0 ? n + 5 : 1), 0));
  if (n > 0) {
    /* the version in the first byte of the header is 4 */
    add (filter, (struct sock_filter) BPF_STMT (BPF_LD | BPF_B | BPF_ABS, (guint32) SKF_NET_OFF));
    add (filter, (struct sock_filter) BPF_STMT (BPF_ALU | BPF_AND | BPF_K, 0xf0));
    add (filter, (struct sock_filter) BPF_JUMP (BPF_JMP | BPF_JEQ | BPF_K, 0x40, 0, (guint8) (n + 1)));
    add (filter, (struct sock_filter) BPF_STMT (BPF_LD | BPF_W | BPF_ABS, (guint32) (SKF_NET_OFF + IP_SOURCE_OFFSET)));
    for (guint i = 0; i < n; i++)
      add (filter, (struct sock_filter) BPF_JUMP (BPF_JMP | BPF_JEQ | BPF_K, addresses[i], (guint8) (n - i), 0));
  }
  add (filter, (struct sock_filter) BPF_STMT (BPF_RET | BPF_K, 0));
  add (filter, (struct sock_filter) BPF_STMT (BPF_RET | BPF_K, G_MAXUINT32));
}

gboolean
robocache_dds_host_filter_init (RobocacheDdsHostFilter *filter, gchar **peers, GError **error)
{
  GArray *addresses = g_array_new (FALSE, FALSE, sizeof (guint32));
  gboolean is_valid = TRUE;

  for (guint i = 0; peers[i] && is_valid; i++)
    is_valid = find_addresses (peers[i], addresses, error);
  if (is_valid)
    write_program (filter, (const guint32 *) (const void *) addresses->data, addresses->len);
  g_array_unref (addresses);
  return is_valid;
}
