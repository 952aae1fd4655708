/* robocache: publishers and readers of DDS in another process, on a network of the test's own
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <gst/check/gstcheck.h>
#include <stdio.h>

/* For CHECK_MAIN_IF: puts the process into a network namespace with a loopback interface alone. FALSE: it may not, and a SKIP line says so.
 * In a process that peer_start began it serves commands, and does not return. */
gboolean dds_network_begin (const gchar *name);

/* Removes the variables of the environment that set a network: those of the user, and those of a test that runs in the same process. */
void dds_clear_environment (void);

/* Lets packets of the namespace through, or loses them all. FALSE: it cannot. */
gboolean dds_set_loopback (gboolean is_up);

typedef struct
{
  GPid pid;
  FILE *commands, *replies;
} Peer;

/* Starts a process in a domain, with discovery=localhost. */
Peer *peer_start (guint domain);
/* The same on another host with discovery=subnet, behind a cable to this one. NULL: no cable can be made. Once in a namespace. */
Peer *peer_start_on_host (guint domain);
#define DDS_OTHER_HOST "10.77.0.2"
/* Waits until n packets of DDS have come from the other host since it was started, whether they are let through or not. */
void peer_wait_for_packets_of_host (guint n);

/* Sends a command, and waits until it is done; the answer is that of the peer, valid until the next command. Writers count from 0.
 *
 *   open TOPIC TYPE reliable|best volatile|transient DEPTH HASH|-   a new writer
 *   wait WRITER N                                                    until it has N readers
 *   bytes WRITER SOURCE_NS N SIZE                                    N messages that count: bytes_of_message
 *   text WRITER SOURCE_NS TEXT                                       a message of its built-in type, as write_text has it
 *   hex WRITER SOURCE_NS DIGITS                                      a message of these bytes
 *   close WRITER
 *   tag                                                              the answer is its tag with discovery=off
 *
 * Readers count from 0, too:
 *
 *   listen TOPIC TYPE reliable|best volatile|transient DEPTH        a new reader
 *   next READER                                                     waits for a message; the answer is "SOURCE_NS ARRIVAL_NS DIGITS"
 *   count READER                                                    the answer is the number of messages that wait for next
 *   publisher TOPIC                                                 waits for its next publisher; the answer is "TYPE RELIABILITY DURABILITY HASH"
 */
const gchar *peer_do (Peer *peer, const gchar *format, ...) G_GNUC_PRINTF (2, 3);

/* The process leaves the domain, or is killed. */
void peer_stop (Peer *peer);
void peer_kill (Peer *peer);

/* The bytes that message i of a command "bytes" has; free with g_free. */
guint8 *bytes_of_message (guint i, gsize size);
