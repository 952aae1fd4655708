/* robocache: SQLite as a storage of bags, the default of ROS 2 up to Humble
 *
 * Tables: topics (name, type), messages (topic, time of arrival, data), and since Iron message_definitions.
 * Source: rosbag2, rosbag2_storage_sqlite3.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "storage.h"

#include <glib/gstdio.h>
#include <sqlite3.h>
#include <stdio.h>
#include <unistd.h>

#include "common/element/errors.h"
#include "namelessfile.h"

/* Steps of SQLite's machine between two checks of is_stopped. */
#define STEPS_PER_LOOK 10000
#define MAX_TOPICS 65535
/* Maximum size of a statement or a schema. */
#define MAX_SQL_BYTES (1 << 20)
/* Memory of SQLite in this process, where it has no limit yet: several times the cache and the largest message. */
#define MIN_HEAP_BYTES ((gint64) 256 << 20)

typedef struct
{
  RobocacheBagStorage base;
  gchar *name;                  /* in errors */
  gint *is_stopped;
  int fd;
  guint64 max_bytes;
  sqlite3 *database;
  RobocacheMcapDefinitions *definitions;
  GHashTable *topics;           /* id of a topic in the file → channel id */
  GArray *topic_ids;            /* gint64, by channel id */
  GArray *selected;             /* of guint16; NULL: all */
  sqlite3_stmt *messages;       /* position of the next message */
  guint64 from_time;
  gboolean has_ended;
} SqliteStorage;

/* ---- errors and statements ---- */

static void
set_error (SqliteStorage *storage, GError **error)
{
  const int code = storage->database ? sqlite3_errcode (storage->database) & 0xff : SQLITE_NOMEM;
  const gboolean is_damaged = code == SQLITE_CORRUPT || code == SQLITE_NOTADB;

  g_set_error (error, ROBOCACHE_ERROR, ROBOCACHE_ERROR_DATA, "%s: %s%s", storage->name,
      storage->database ? sqlite3_errmsg (storage->database) : sqlite3_errstr (code),
      is_damaged ? ": the file is cut or damaged (the sqlite3 command .recover saves its readable part)" : "");
}

static sqlite3_stmt *
prepare (SqliteStorage *storage, const gchar *sql, GError **error)
{
  sqlite3_stmt *statement = NULL;

  if (sqlite3_prepare_v2 (storage->database, sql, -1, &statement, NULL) != SQLITE_OK)
    set_error (storage, error);
  return statement;
}

/* TRUE: the statement has a record. FALSE at its end, or with an error. */
static gboolean
step (SqliteStorage *storage, sqlite3_stmt *statement, GError **error)
{
  const int result = sqlite3_step (statement);

  if (result != SQLITE_ROW && result != SQLITE_DONE)
    set_error (storage, error);
  return result == SQLITE_ROW;
}

static const gchar *
column_text (sqlite3_stmt *statement, int column)
{
  const gchar *text = (const gchar *) sqlite3_column_text (statement, column);

  return text ? text : "";
}

/* ---- definitions ---- */

#define EVENT_SUFFIX "_Event"

static gchar *
find_definition (SqliteStorage *storage, sqlite3_stmt *definitions, const gchar *type, GError **error)
{
  gchar *text = NULL;

  sqlite3_reset (definitions);
  sqlite3_bind_text (definitions, 1, type, -1, SQLITE_TRANSIENT);
  if (step (storage, definitions, error) && g_str_equal (column_text (definitions, 1), "ros2msg"))
    text = g_strdup (column_text (definitions, 0));
  return text;
}

/* The text of a type in files since Iron; NULL: none, or an error. That of events of a service may be under the name of the service. */
static gchar *
read_definition (SqliteStorage *storage, sqlite3_stmt *definitions, const gchar *type, GError **error)
{
  gchar *text = find_definition (storage, definitions, type, error), *service;

  if (text || *error || !g_str_has_suffix (type, EVENT_SUFFIX))
    return text;
  service = g_strndup (type, strlen (type) - strlen (EVENT_SUFFIX));
  text = find_definition (storage, definitions, service, error);
  g_free (service);
  return text;
}

/* A topic as a channel with a schema of its own; without a text where the file has none. */
static void
add_topic (SqliteStorage *storage, gint64 topic_id, const gchar *name, const gchar *type, const gchar *format, const gchar *text)
{
  const guint16 id = (guint16) storage->topic_ids->len;
  const RobocacheMcapSchema schema = { (guint16) (id + 1), robocache_mcap_text (type), robocache_mcap_text (text && *text ? "ros2msg" : ""),
    robocache_mcap_text (text)
  };
  const RobocacheMcapChannel channel = { id, schema.id, robocache_mcap_text (name), robocache_mcap_text (format),
    {NULL, 0}
  };
  gint64 *key = g_new (gint64, 1);

  robocache_mcap_definitions_add_new (storage->definitions, ROBOCACHE_MCAP_SCHEMA, &schema);
  robocache_mcap_definitions_add_new (storage->definitions, ROBOCACHE_MCAP_CHANNEL, &channel);
  g_array_append_val (storage->topic_ids, topic_id);
  *key = topic_id;
  g_hash_table_insert (storage->topics, key, GUINT_TO_POINTER (id));
}

static void
read_topic (SqliteStorage *storage, sqlite3_stmt *topics, sqlite3_stmt *definitions, GError **error)
{
  GError *fault = NULL;
  gchar *text = definitions ? read_definition (storage, definitions, column_text (topics, 2), &fault) : NULL;

  if (fault)
    g_propagate_error (error, fault);
  else if (storage->topic_ids->len >= MAX_TOPICS)
    g_set_error (error, ROBOCACHE_ERROR, ROBOCACHE_ERROR_DATA, "%s: more than %u topics", storage->name, MAX_TOPICS);
  else
    add_topic (storage, sqlite3_column_int64 (topics, 0), column_text (topics, 1), column_text (topics, 2), column_text (topics, 3), text);
  g_free (text);
}

/* Views, virtual tables and computed columns make any number of bytes of a small file. A table that is absent is no fault here. */
static gboolean
check_table (SqliteStorage *storage, const gchar *table, gboolean *has_table, GError **error)
{
  sqlite3_stmt *statement = prepare (storage, "SELECT type <> 'table' OR rootpage = 0 OR EXISTS (SELECT 1 FROM pragma_table_xinfo (?1) "
      "WHERE hidden <> 0) FROM sqlite_master WHERE type IN ('table', 'view') AND name = ?1 COLLATE NOCASE", error);
  GError *fault = NULL;

  *has_table = FALSE;
  if (!statement)
    return FALSE;
  sqlite3_bind_text (statement, 1, table, -1, SQLITE_STATIC);
  *has_table = step (storage, statement, &fault);
  if (*has_table && sqlite3_column_int (statement, 0) != 0)
    g_set_error (&fault, ROBOCACHE_ERROR, ROBOCACHE_ERROR_DATA, "%s: %s is a view, or has computed columns, which "
        "bags of ROS 2 do not have", storage->name, table);
  sqlite3_finalize (statement);
  if (fault)
    g_propagate_error (error, fault);
  return fault == NULL;
}

static gboolean
check_tables (SqliteStorage *storage, GError **error)
{
  gboolean has_table;

  return check_table (storage, "topics", &has_table, error) && check_table (storage, "messages", &has_table, error);
}

static gboolean
read_topics (SqliteStorage *storage, GError **error)
{
  GError *fault = NULL;
  sqlite3_stmt *definitions = NULL, *topics = NULL;
  gboolean has_definitions;

  if (check_table (storage, "message_definitions", &has_definitions, &fault) && has_definitions)
    definitions = prepare (storage, "SELECT encoded_message_definition, encoding FROM message_definitions WHERE topic_type = ?", &fault);
  if (!fault)
    topics = prepare (storage, "SELECT id, name, type, serialization_format FROM topics ORDER BY id", &fault);
  while (!fault && step (storage, topics, &fault))
    read_topic (storage, topics, definitions, &fault);
  sqlite3_finalize (topics);
  sqlite3_finalize (definitions);
  if (fault)
    g_propagate_error (error, fault);
  return fault == NULL;
}

/* ---- times ---- */

/* SQLite has signed times. */
static guint64
column_time (sqlite3_stmt *statement, int column)
{
  return (guint64) MAX (sqlite3_column_int64 (statement, column), 0);
}

static gboolean
read_times (SqliteStorage *storage, GError **error)
{
  /* two, as an index serves either of them alone */
  sqlite3_stmt *statement = prepare (storage, "SELECT (SELECT MIN(timestamp) FROM messages), (SELECT MAX(timestamp) FROM messages)", error);
  const gboolean has_row = statement && step (storage, statement, error);

  if (has_row) {
    storage->base.is_empty = sqlite3_column_type (statement, 0) == SQLITE_NULL;
    storage->base.start_time = column_time (statement, 0);
    storage->base.end_time = column_time (statement, 1);
  }
  sqlite3_finalize (statement);
  return has_row;
}

/* ---- messages ---- */

static void
append_selected (SqliteStorage *storage, GString *sql)
{
  if (!storage->selected)
    return;
  g_string_append (sql, " AND topic_id IN (");
  for (guint i = 0; i < storage->selected->len; i++)
    g_string_append_printf (sql, "%s%" G_GINT64_FORMAT, i ? "," : "",
        g_array_index (storage->topic_ids, gint64, g_array_index (storage->selected, guint16, i)));
  g_string_append_c (sql, ')');
}

/* In the order of arrival, then of the file. */
static gboolean
begin_messages (SqliteStorage *storage, GError **error)
{
  GString *sql = g_string_new ("SELECT topic_id, timestamp, data FROM messages WHERE timestamp >= ?");

  append_selected (storage, sql);
  g_string_append (sql, " ORDER BY timestamp, id");
  storage->messages = prepare (storage, sql->str, error);
  g_string_free (sql, TRUE);
  if (storage->messages)
    sqlite3_bind_int64 (storage->messages, 1, storage->from_time == 0 ? G_MININT64 : (gint64) MIN (storage->from_time, G_MAXINT64));
  return storage->messages != NULL;
}

static void
read_message (SqliteStorage *storage, sqlite3_stmt *statement, guint16 channel_id, RobocacheMcapMessage *message)
{
  const guint64 time = column_time (statement, 1);
  const guint8 *data = sqlite3_column_blob (statement, 2);

  *message = (RobocacheMcapMessage) {channel_id, 0, time, time, {data, (gsize) sqlite3_column_bytes (statement, 2)}};
}

/* The channel of a record; FALSE: the file does not have the topic. */
static gboolean
find_channel (SqliteStorage *storage, sqlite3_stmt *statement, guint16 *channel_id)
{
  const gint64 topic_id = sqlite3_column_int64 (statement, 0);
  gpointer id;

  if (!g_hash_table_lookup_extended (storage->topics, &topic_id, NULL, &id))
    return FALSE;
  *channel_id = (guint16) GPOINTER_TO_UINT (id);
  return TRUE;
}

static RobocacheMcapReadResult
next (RobocacheBagStorage *base, RobocacheMcapMessage *message, GError **error)
{
  SqliteStorage *storage = (SqliteStorage *) base;
  GError *fault = NULL;
  guint16 channel_id;

  if (storage->has_ended)
    return ROBOCACHE_MCAP_READ_END;
  if (!storage->messages && !begin_messages (storage, error))
    return ROBOCACHE_MCAP_READ_FAILED;
  if (!step (storage, storage->messages, &fault)) {
    storage->has_ended = TRUE;
    if (!fault)
      return ROBOCACHE_MCAP_READ_END;
    g_propagate_error (error, fault);
    return ROBOCACHE_MCAP_READ_FAILED;
  }
  if (!find_channel (storage, storage->messages, &channel_id)) {
    g_set_error (error, ROBOCACHE_ERROR, ROBOCACHE_ERROR_DATA, "%s: a message of topic %" G_GINT64_FORMAT ", which is not in the "
        "table topics", storage->name, (gint64) sqlite3_column_int64 (storage->messages, 0));
    return ROBOCACHE_MCAP_READ_DAMAGED;
  }
  read_message (storage, storage->messages, channel_id, message);
  return ROBOCACHE_MCAP_READ_MESSAGE;
}

static void
seek (RobocacheBagStorage *base, guint64 log_time)
{
  SqliteStorage *storage = (SqliteStorage *) base;

  g_clear_pointer (&storage->messages, sqlite3_finalize);
  storage->from_time = log_time;
  storage->has_ended = FALSE;
}

static void
select_channels (RobocacheBagStorage *base, const guint16 *channel_ids, guint n)
{
  SqliteStorage *storage = (SqliteStorage *) base;

  g_clear_pointer (&storage->selected, g_array_unref);
  storage->selected = g_array_new (FALSE, FALSE, sizeof (guint16));
  g_array_append_vals (storage->selected, channel_ids, n);
}

static gboolean
find_back (RobocacheBagStorage *base, guint16 channel_id, guint64 log_time, RobocacheMcapTake take, gpointer user_data, guint64 *found)
{
  SqliteStorage *storage = (SqliteStorage *) base;
  sqlite3_stmt *statement = prepare (storage,
      "SELECT topic_id, timestamp, data FROM messages WHERE topic_id = ? AND timestamp <= ? ORDER BY timestamp DESC, id DESC", NULL);
  gboolean has_found = FALSE;
  RobocacheMcapMessage message;

  if (!statement)
    return FALSE;
  sqlite3_bind_int64 (statement, 1, g_array_index (storage->topic_ids, gint64, channel_id));
  sqlite3_bind_int64 (statement, 2, (gint64) MIN (log_time, G_MAXINT64));
  while (!has_found && step (storage, statement, NULL)) {
    read_message (storage, statement, channel_id, &message);
    has_found = take (user_data, &message);
  }
  if (has_found)
    *found = message.log_time;
  sqlite3_finalize (statement);
  return has_found;
}

static void
read_metadata (RobocacheBagStorage *base, RobocacheBagMetadata note, gpointer user_data)
{
}

/* ---- life ---- */

static void
free_storage (RobocacheBagStorage *base)
{
  SqliteStorage *storage = (SqliteStorage *) base;

  sqlite3_finalize (storage->messages);
  sqlite3_close (storage->database);
  close (storage->fd);
  robocache_mcap_definitions_free (storage->definitions);
  g_hash_table_unref (storage->topics);
  g_array_unref (storage->topic_ids);
  g_clear_pointer (&storage->selected, g_array_unref);
  g_free (storage->name);
  g_free (storage);
}

static int
look_for_stop (void *data)
{
  return g_atomic_int_get ((gint *) data);
}

/* Whether the writer used a write-ahead log, and merged it. Source: sqlite.org/fileformat2.html, bytes 18 and 19. */
static gboolean
has_merged_log (const gchar *path)
{
  gchar *log = g_strconcat (path, "-wal", NULL);
  FILE *file = g_fopen (path, "rb");
  guint8 head[20] = { 0 };
  const gboolean uses_log = file && fread (head, 1, sizeof (head), file) == sizeof (head) && (head[18] == 2 || head[19] == 2);
  const gboolean has_log = g_file_test (log, G_FILE_TEST_EXISTS);

  g_clear_pointer (&file, fclose);
  g_free (log);
  return uses_log && !has_log;
}

/* A reader of such a file would make a log next to it, unless an option states that nobody writes. */
static gchar *
uri_of (const gchar *path)
{
  gchar *whole = g_canonicalize_filename (path, NULL), *uri = g_filename_to_uri (whole, NULL, NULL);
  gchar *with_options = g_strconcat (uri, has_merged_log (path) ? "?immutable=1" : "", NULL);

  g_free (uri);
  g_free (whole);
  return with_options;
}

/* A limit that somebody else set stays. */
static void
limit_memory (SqliteStorage *storage)
{
#if SQLITE_VERSION_NUMBER >= 3031000
  const gint64 heap = MAX (4 * (gint64) MIN (storage->max_bytes, G_MAXINT32), MIN_HEAP_BYTES);

  if (sqlite3_hard_heap_limit64 (-1) == 0)
    sqlite3_hard_heap_limit64 (heap);
#endif
  sqlite3_limit (storage->database, SQLITE_LIMIT_LENGTH, (int) MIN (storage->max_bytes, G_MAXINT32));
  sqlite3_limit (storage->database, SQLITE_LIMIT_SQL_LENGTH, MAX_SQL_BYTES);
  sqlite3_limit (storage->database, SQLITE_LIMIT_ATTACHED, 0);
  sqlite3_limit (storage->database, SQLITE_LIMIT_WORKER_THREADS, 0);
#ifdef SQLITE_DBCONFIG_TRUSTED_SCHEMA
  sqlite3_db_config (storage->database, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, NULL);
#endif
}

static gboolean
open_database (SqliteStorage *storage, const gchar *path, GError **error)
{
  gchar *uri = path ? uri_of (path) : robocache_nameless_file_uri (storage->fd);
  const int result = sqlite3_open_v2 (uri, &storage->database, SQLITE_OPEN_READONLY | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_URI, NULL);

  g_free (uri);
  if (result != SQLITE_OK) {
    set_error (storage, error);
    return FALSE;
  }
  limit_memory (storage);
  sqlite3_extended_result_codes (storage->database, 1);
  sqlite3_progress_handler (storage->database, STEPS_PER_LOOK, look_for_stop, storage->is_stopped);
  return TRUE;
}

RobocacheBagStorage *
robocache_sqlite_storage_new (int fd, const gchar *path, const gchar *name, guint64 max_bytes, gint *is_stopped, GError **error)
{
  static const RobocacheBagStorageClass class = { free_storage, select_channels, seek, next, find_back, read_metadata };
  SqliteStorage *storage = g_new0 (SqliteStorage, 1);

  storage->base.class = &class;
  storage->fd = fd;
  storage->max_bytes = max_bytes;
  storage->name = g_strdup (name);
  storage->is_stopped = is_stopped;
  storage->definitions = robocache_mcap_definitions_new ();
  storage->base.definitions = storage->definitions;
  storage->topics = g_hash_table_new_full (g_int64_hash, g_int64_equal, g_free, NULL);
  storage->topic_ids = g_array_new (FALSE, FALSE, sizeof (gint64));
  if (open_database (storage, path, error) && check_tables (storage, error) && read_topics (storage, error) && read_times (storage, error))
    return &storage->base;
  free_storage (&storage->base);
  return NULL;
}
