/* robocache top: the state of a running pipeline in a terminal
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <stdio.h>

#include "common/ros/encodings/jsontext.h"

/* ---- the connection ---- */

typedef struct _TopConnection TopConnection;

typedef struct
{
  /* A message of /robocache/status, as it came. */
  void (*take) (gpointer user_data, RobocacheJsonValue status, const gchar * text, gsize size);
  /* The connection cannot be made, or is lost: why. */
  void (*end) (gpointer user_data, const gchar * reason);
  gpointer user_data;
} TopHandlers;

/* Connects to a robocachefoxglovesink in the default main context. url: "ws://localhost:8765/" */
TopConnection *top_connection_new (const gchar * url, const TopHandlers * handlers);
void top_connection_free (TopConnection * connection);

/* ---- the table ---- */

typedef struct _TopTable TopTable;

TopTable *top_table_new (void);
void top_table_free (TopTable * table);

/* Adds the status to the last minute of each stream. */
void top_table_add (TopTable * table, RobocacheJsonValue status);
/* Appends what is wrong, the ticks, and a line for each stream. width: columns of the terminal, in which the text also has colours; 0: the output
 * is no terminal. */
void top_table_append (const TopTable * table, RobocacheJsonValue status, guint width, GString * out);
