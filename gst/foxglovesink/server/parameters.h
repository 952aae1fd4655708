/* robocache: parameters of a view server, and the token of clients that may change them
 *
 * All functions run in the server's thread.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "protocol.h"

/* Setting the parameter of this name is giving the token, for viewers that have no other way. */
#define ROBOCACHE_VIEW_TOKEN_PARAMETER "token"

/* The parameters of a server, shared by all clients. */
typedef struct
{
  RobocacheViewParameters functions;    /* functions of the owner; the token is a copy */
  guint n_changes;
} RobocacheViewParameterTable;

/* Parameter access of one client. With a zeroed struct, the client may change nothing, and gets no updates. */
typedef struct
{
  gboolean is_trusted;          /* the client has given the token */
  GHashTable *watched;          /* names of parameters whose changes the client gets; NULL: none */
  gboolean watches_all;
  guint n_changes;              /* changes of the table that the client has got */
} RobocacheViewParameterClient;

/* Answers one of the operations on parameters, or the token, with texts that are appended to answers. FALSE: the token is wrong; end the
 * connection. */
gboolean robocache_view_parameters_answer (RobocacheViewParameterTable * table, RobocacheViewParameterClient * client,
    RobocacheViewOperation operation, RobocacheJsonValue message, GQueue * answers);
/* The changes that the client has not got; NULL: none. Free with g_free. */
gchar *robocache_view_parameters_update (const RobocacheViewParameterTable * table, RobocacheViewParameterClient * client);
void robocache_view_parameters_clear (RobocacheViewParameterClient * client);
