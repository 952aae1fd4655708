/* robocache: parameters of a view server, and the token of clients that may change them
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "parameters.h"

#define DIGEST_SIZE 32

/* ---- the token ---- */

static void
digest (const gchar *text, guint8 result[DIGEST_SIZE])
{
  GChecksum *checksum = g_checksum_new (G_CHECKSUM_SHA256);
  gsize size = DIGEST_SIZE;

  g_checksum_update (checksum, (const guchar *) text, -1);
  g_checksum_get_digest (checksum, result, &size);
  g_checksum_free (checksum);
}

/* Compares digests, in a time that does not depend on them. */
static gboolean
is_token (const gchar *token, RobocacheJsonValue given)
{
  guint8 expected[DIGEST_SIZE], found[DIGEST_SIZE], difference = 0;
  GString *text = g_string_new (NULL);

  if (robocache_json_is_string (given))
    robocache_json_get_string (given, text);
  digest (token, expected);
  digest (text->str, found);
  for (guint i = 0; i < DIGEST_SIZE; i++)
    difference |= expected[i] ^ found[i];
  g_string_free (text, TRUE);
  return difference == 0;
}

static void
push_status (GQueue *answers, RobocacheViewLevel level, const gchar *text)
{
  g_queue_push_tail (answers, robocache_view_status (level, text));
}

static gboolean
take_token (const RobocacheViewParameterTable *table, RobocacheViewParameterClient *client, RobocacheJsonValue given, GQueue *answers)
{
  if (!table->functions.token) {
    push_status (answers, ROBOCACHE_VIEW_ERROR, "this server has no token, so viewers cannot change anything: set its property token-file");
    return TRUE;
  }
  if (!is_token (table->functions.token, given))
    return FALSE;
  client->is_trusted = TRUE;
  push_status (answers, ROBOCACHE_VIEW_INFO, "the token is right: this connection may change parameters");
  return TRUE;
}

/* ---- values ---- */

static gboolean
contains_string (RobocacheJsonValue array, const gchar *text)
{
  RobocacheJsonValue key, item;
  RobocacheJsonWalk walk;

  robocache_json_walk_init (&walk, array);
  while (robocache_json_walk_next (&walk, &key, &item))
    if (robocache_json_string_equal (item, text))
      return TRUE;
  return FALSE;
}

static gboolean
has_items (RobocacheJsonValue array)
{
  RobocacheJsonValue key, item;
  RobocacheJsonWalk walk;

  robocache_json_walk_init (&walk, array);
  return robocache_json_walk_next (&walk, &key, &item);
}

static GPtrArray *
list (const RobocacheViewParameterTable *table)
{
  return table->functions.list ? table->functions.list (table->functions.user_data) : g_ptr_array_new ();
}

/* The message with the parameters that a function chooses. id: of the request; size 0: it has none. */
static gchar *
describe_values (const RobocacheViewParameterTable *table, gboolean (*is_chosen) (gconstpointer data, const gchar * name), gconstpointer data,
    RobocacheJsonValue id)
{
  GString *json = g_string_new ("{\"op\":\"parameterValues\",\"parameters\":[");
  GPtrArray *all = list (table);
  guint n = 0;

  for (guint i = 0; i < all->len; i++) {
    const RobocacheViewParameter *parameter = g_ptr_array_index (all, i);

    if (!is_chosen (data, parameter->name))
      continue;
    g_string_append (json, n++ > 0 ? ",{\"name\":" : "{\"name\":");
    robocache_json_append_string (json, parameter->name);
    g_string_append_printf (json, ",\"value\":%s}", parameter->value);
  }
  g_ptr_array_unref (all);
  g_string_append_c (json, ']');
  if (robocache_json_is_string (id))
    g_string_append_printf (json, ",\"id\":%.*s", (gint) id.size, id.data);
  g_string_append_c (json, '}');
  return g_string_free (json, FALSE);
}

/* No names are all. */
static gboolean
is_asked (gconstpointer names, const gchar *name)
{
  const RobocacheJsonValue *array = names;

  return !has_items (*array) || contains_string (*array, name);
}

static void
push_values (const RobocacheViewParameterTable *table, RobocacheJsonValue message, RobocacheJsonValue names, GQueue *answers)
{
  g_queue_push_tail (answers, describe_values (table, is_asked, &names, robocache_json_member (message, "id")));
}

/* ---- changes ---- */

static void
set_one (RobocacheViewParameterTable *table, const gchar *name, RobocacheJsonValue value, GQueue *answers)
{
  gchar *text = g_strndup (value.data, value.size);
  gchar *fault = table->functions.set ? table->functions.set (table->functions.user_data, name, text) : g_strdup ("this server has no parameters");

  if (fault) {
    gchar *status = g_strdup_printf ("parameter \"%s\" is not set: %s", name, fault);

    push_status (answers, ROBOCACHE_VIEW_ERROR, status);
    g_free (status);
  } else {
    table->n_changes++;
  }
  g_free (fault);
  g_free (text);
}

/* Items are {"name", "value"}; one without a value is to be deleted, which none can. FALSE: the others are left out. */
static gboolean
set_item (RobocacheViewParameterTable *table, RobocacheViewParameterClient *client, RobocacheJsonValue item, GQueue *answers, gboolean *is_good)
{
  const RobocacheJsonValue value = robocache_json_member (item, "value"), given = robocache_json_member (item, "name");
  gboolean is_set = robocache_json_is_string (given);
  GString *name = g_string_new (NULL);

  if (is_set)
    robocache_json_get_string (given, name);
  if (is_set && g_str_equal (name->str, ROBOCACHE_VIEW_TOKEN_PARAMETER)) {
    is_set = *is_good = take_token (table, client, value, answers);
  } else if (is_set && !client->is_trusted) {
    is_set = FALSE;
    push_status (answers, ROBOCACHE_VIEW_ERROR, "this connection may not change parameters: give the token first, as the value of the parameter \""
        ROBOCACHE_VIEW_TOKEN_PARAMETER "\"");
  } else if (is_set && value.size == 0) {
    is_set = FALSE;
    push_status (answers, ROBOCACHE_VIEW_ERROR, "parameters cannot be deleted: a change needs a value");
  } else if (is_set) {
    set_one (table, name->str, value, answers);
  }
  g_string_free (name, TRUE);
  return is_set;
}

/* With an id, the answer is what the parameters are now. */
static gboolean
set_all (RobocacheViewParameterTable *table, RobocacheViewParameterClient *client, RobocacheJsonValue message, GQueue *answers)
{
  GString *names = g_string_new ("[");
  RobocacheJsonValue key, item;
  gboolean is_good = TRUE;
  RobocacheJsonWalk walk;

  robocache_json_walk_init (&walk, robocache_json_member (message, "parameters"));
  while (robocache_json_walk_next (&walk, &key, &item) && set_item (table, client, item, answers, &is_good)) {
    const RobocacheJsonValue name = robocache_json_member (item, "name");

    g_string_append_printf (names, "%s%.*s", names->len > 1 ? "," : "", (gint) name.size, name.data);
  }
  g_string_append_c (names, ']');
  if (is_good && robocache_json_is_string (robocache_json_member (message, "id")))
    push_values (table, message, (RobocacheJsonValue) { names->str, names->len }, answers);
  g_string_free (names, TRUE);
  return is_good;
}

/* ---- updates ---- */

/* Names that no parameter has are left out: a client could fill the memory with them. */
static void
watch (const RobocacheViewParameterTable *table, RobocacheViewParameterClient *client, RobocacheJsonValue names)
{
  GPtrArray *all = list (table);

  if (!client->watched)
    client->watched = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  client->watches_all |= !has_items (names);
  for (guint i = 0; i < all->len; i++) {
    const RobocacheViewParameter *parameter = g_ptr_array_index (all, i);

    if (contains_string (names, parameter->name))
      g_hash_table_add (client->watched, g_strdup (parameter->name));
  }
  g_ptr_array_unref (all);
}

static gboolean
is_in (gpointer name, gpointer value, gpointer names)
{
  return contains_string (*(const RobocacheJsonValue *) names, name);
}

static void
unwatch (RobocacheViewParameterClient *client, RobocacheJsonValue names)
{
  if (!has_items (names))
    robocache_view_parameters_clear (client);
  else if (client->watched)
    g_hash_table_foreach_remove (client->watched, is_in, &names);
}

static gboolean
is_watched (gconstpointer client, const gchar *name)
{
  const RobocacheViewParameterClient *self = client;

  return self->watches_all || g_hash_table_contains (self->watched, name);
}

gchar *
robocache_view_parameters_update (const RobocacheViewParameterTable *table, RobocacheViewParameterClient *client)
{
  const gboolean is_due = client->n_changes != table->n_changes;

  client->n_changes = table->n_changes;
  return is_due && client->watched ? describe_values (table, is_watched, client, (RobocacheJsonValue) { 0 }) : NULL;
}

void
robocache_view_parameters_clear (RobocacheViewParameterClient *client)
{
  g_clear_pointer (&client->watched, g_hash_table_unref);
  client->watches_all = FALSE;
}

gboolean
robocache_view_parameters_answer (RobocacheViewParameterTable *table, RobocacheViewParameterClient *client, RobocacheViewOperation operation,
    RobocacheJsonValue message, GQueue *answers)
{
  const RobocacheJsonValue names = robocache_json_member (message, "parameterNames");

  switch (operation) {
    case ROBOCACHE_VIEW_GET_PARAMETERS:
      push_values (table, message, names, answers);
      return TRUE;
    case ROBOCACHE_VIEW_SET_PARAMETERS:
      return set_all (table, client, message, answers);
    case ROBOCACHE_VIEW_SUBSCRIBE_PARAMETERS:
      watch (table, client, names);
      return TRUE;
    case ROBOCACHE_VIEW_UNSUBSCRIBE_PARAMETERS:
      unwatch (client, names);
      return TRUE;
    default:
      return take_token (table, client, robocache_json_member (message, "token"), answers);
  }
}
