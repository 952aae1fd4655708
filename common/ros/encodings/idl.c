/* robocache: message definitions in IDL ("ros2idl") as text of messages
 *
 * The part of IDL that ROS 2 writes: structs in modules, typedefs of arrays, enumerations, constants and annotations. Sources: OMG IDL 4.2, and
 * design.ros2.org, "IDL - Interface Definition and Language Mapping".
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include <string.h>

#include "common/element/errors.h"
#include "common/ros/definitions.h"
#include "encodings.h"

#define MAX_NAME 255

/* Names of one to three words, "unsigned long long". */
static const struct
{
  const gchar *idl, *ros;
} primitives[] = {
  {"boolean", "bool"}, {"octet", "uint8"}, {"char", "uint8"}, {"wchar", "uint16"}, {"int8", "int8"}, {"uint8", "uint8"}, {"int16", "int16"},
  {"uint16", "uint16"}, {"int32", "int32"}, {"uint32", "uint32"}, {"int64", "int64"}, {"uint64", "uint64"}, {"short", "int16"},
  {"unsigned short", "uint16"}, {"long", "int32"}, {"unsigned long", "uint32"}, {"long long", "int64"}, {"unsigned long long", "uint64"},
  {"float", "float32"}, {"double", "float64"}, {"string", "string"}, {"wstring", "wstring"},
};

typedef struct
{
  gchar **tokens;               /* of the text, and NULL */
  guint at;
  GPtrArray *modules;           /* names of those around */
  GHashTable *aliases;          /* name → text of its type, "float64[9]" */
  GString *root, *others;       /* texts of the message, and of other types */
  gchar *type;                  /* short name of the message */
  gboolean has_failed;
} Parser;

/* ---- tokens ---- */

static const gchar *
skip_string (const gchar *at)
{
  for (at++; *at && *at != '"'; at++)
    if (*at == '\\' && at[1])
      at++;
  return *at ? at + 1 : at;
}

/* Comments, and lines that are not IDL: of the preprocessor, of =, and names of the parts. */
static const gchar *
skip_other (const gchar *at)
{
  const gchar *end;

  for (;;) {
    at += strspn (at, " \t\r\n");
    if (g_str_has_prefix (at, "/*"))
      at = (end = strstr (at, "*/")) ? end + 2 : at + strlen (at);
    else if (g_str_has_prefix (at, "//") || *at == '#' || g_str_has_prefix (at, "===") || g_str_has_prefix (at, "IDL:"))
      at += strcspn (at, "\n");
    else
      return at;
  }
}

static gchar **
tokenize (const gchar *text)
{
  static const gchar letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_:.";
  GPtrArray *tokens = g_ptr_array_new ();

  for (const gchar * at = skip_other (text); *at; at = skip_other (at)) {
    const gsize n = strspn (at, letters);
    const gchar *end = n > 0 ? at + n : *at == '"' ? skip_string (at) : at + 1;

    g_ptr_array_add (tokens, g_strndup (at, (gsize) (end - at)));
    at = end;
  }
  g_ptr_array_add (tokens, NULL);
  return (gchar **) g_ptr_array_free (tokens, FALSE);
}

static const gchar *
peek (const Parser *parser)
{
  const gchar *token = parser->tokens[parser->at];

  return token && !parser->has_failed ? token : "";
}

static gboolean
take (Parser *parser, const gchar *token)
{
  if (!g_str_equal (peek (parser), token))
    return FALSE;
  parser->at += parser->tokens[parser->at] != NULL;
  return TRUE;
}

static void
expect (Parser *parser, const gchar *token)
{
  parser->has_failed |= !take (parser, token);
}

static const gchar *
take_word (Parser *parser)
{
  const gchar *token = peek (parser);

  parser->has_failed |= (!g_ascii_isalnum (*token) && *token != '_') || strlen (token) > MAX_NAME;
  parser->at += !parser->has_failed;
  return token;
}

/* Passes over what is up to `close`, with the brackets in it. */
static void
skip_to (Parser *parser, const gchar *close)
{
  guint depth = 0;

  while (*peek (parser) && (depth > 0 || !g_str_equal (peek (parser), close))) {
    depth += strchr ("({[", *peek (parser)) != NULL;
    depth -= depth > 0 && strchr (")}]", *peek (parser)) != NULL;
    parser->at++;
  }
  expect (parser, close);
}

static void
skip_annotations (Parser *parser)
{
  while (take (parser, "@")) {
    take_word (parser);
    if (take (parser, "("))
      skip_to (parser, ")");
  }
}

/* ---- types ---- */

static gchar *
last_name (const gchar *scoped)
{
  const gchar *colon = strrchr (scoped, ':');

  return g_strdup (colon ? colon + 1 : scoped);
}

/* "geometry_msgs::msg::Point" → "geometry_msgs/Point". */
static gchar *
name_of_message (const gchar *scoped)
{
  gchar **parts = g_strsplit (scoped, "::", -1), *path = g_strjoinv ("/", parts), *name = robocache_ros_short_name (path);

  g_strfreev (parts);
  g_free (path);
  return name;
}

static gchar *
read_primitive (Parser *parser)
{
  gchar *words = g_strdup (take_word (parser));

  while (g_str_equal (words, "unsigned") || ((g_str_has_suffix (words, "long")) && !g_str_has_suffix (words, "long long")
          && g_str_equal (peek (parser), "long"))) {
    gchar *more = g_strconcat (words, " ", take_word (parser), NULL);

    g_free (words);
    words = more;
    if (parser->has_failed)
      break;
  }
  return words;
}

/* The text of a named type: of a primitive, an alias, or a message. */
static gchar *
read_name (Parser *parser)
{
  gchar *words = read_primitive (parser), *last = last_name (words), *name = NULL;
  const gchar *alias = g_hash_table_lookup (parser->aliases, last);

  for (guint i = 0; i < G_N_ELEMENTS (primitives) && !name; i++)
    if (g_str_equal (words, primitives[i].idl))
      name = g_strdup (primitives[i].ros);
  if (!name)
    name = alias ? g_strdup (alias) : name_of_message (words);
  if (g_str_has_suffix (name, "string") && take (parser, "<")) {
    gchar *bounded = g_strconcat (name, "<=", take_word (parser), NULL);

    expect (parser, ">");
    g_free (name);
    name = bounded;
  }
  g_free (last);
  g_free (words);
  return name;
}

static gchar *
read_type (Parser *parser)
{
  gchar *item, *type;

  if (!take (parser, "sequence"))
    return read_name (parser);
  expect (parser, "<");
  item = read_name (parser);
  if (take (parser, ","))
    type = g_strdup_printf ("%s[<=%s]", item, take_word (parser));
  else
    type = g_strconcat (item, "[]", NULL);
  /* a list of lists is no message of ROS */
  parser->has_failed |= strchr (item, '[') != NULL;
  expect (parser, ">");
  g_free (item);
  return type;
}

/* Dimensions behind a name become one; takes the type. */
static gchar *
read_dimensions (Parser *parser, gchar *type)
{
  guint64 count = 0;
  gchar *array;

  while (take (parser, "[")) {
    const guint64 size = g_ascii_strtoull (take_word (parser), NULL, 10);

    parser->has_failed |= size == 0 || size > G_MAXUINT32 || count > G_MAXUINT32;
    count = count > 0 ? count * size : size;
    expect (parser, "]");
  }
  if (count == 0)
    return type;
  parser->has_failed |= strchr (type, '[') != NULL;
  array = g_strdup_printf ("%s[%" G_GUINT64_FORMAT "]", type, count);
  g_free (type);
  return array;
}

/* ---- declarations ---- */

static void
read_struct (Parser *parser)
{
  const gchar *package = parser->modules->len > 0 ? g_ptr_array_index (parser->modules, 0) : "";
  const gchar *word = take_word (parser);
  gchar *name = g_strdup_printf ("%s/%s", package, word);
  const gboolean is_root = g_str_equal (name, parser->type);
  GString *to = is_root ? parser->root : parser->others;

  if (!is_root)
    g_string_append_printf (to, "===\nMSG: %s\n", name);
  expect (parser, "{");
  while (!parser->has_failed && !take (parser, "}")) {
    gchar *type;

    skip_annotations (parser);
    type = read_type (parser);
    word = take_word (parser);
    type = read_dimensions (parser, type);
    /* the byte that C++ gives to an empty message is no field */
    if (!g_str_equal (word, "structure_needs_at_least_one_member"))
      g_string_append_printf (to, "%s %s\n", type, word);
    g_free (type);
    expect (parser, ";");
  }
  g_free (name);
}

static void
read_alias (Parser *parser)
{
  gchar *type = read_type (parser);
  const gchar *name = take_word (parser);

  g_hash_table_insert (parser->aliases, g_strdup (name), read_dimensions (parser, type));
}

static void
read_enumeration (Parser *parser)
{
  g_hash_table_insert (parser->aliases, g_strdup (take_word (parser)), g_strdup ("uint32"));
  expect (parser, "{");
  skip_to (parser, "}");
}

static void
read_declarations (Parser *parser)
{
  while (*peek (parser) && !parser->has_failed) {
    skip_annotations (parser);
    if (take (parser, "module")) {
      g_ptr_array_add (parser->modules, (gpointer) take_word (parser));
      expect (parser, "{");
      continue;
    }
    if (parser->modules->len > 0 && take (parser, "}"))
      g_ptr_array_remove_index (parser->modules, parser->modules->len - 1);
    else if (take (parser, "struct"))
      read_struct (parser);
    else if (take (parser, "typedef"))
      read_alias (parser);
    else if (take (parser, "enum"))
      read_enumeration (parser);
    else if (take (parser, "const"))
      while (*peek (parser) && !g_str_equal (peek (parser), ";"))
        parser->at++;
    else
      parser->has_failed = TRUE;
    expect (parser, ";");
  }
}

RobocacheRosSchema *
robocache_idl_parse (const gchar *type, const gchar *definition, gsize size, GError **error)
{
  gchar *text = g_strndup (size > 0 ? definition : "", size);
  Parser parser = {.tokens = tokenize (text),.type = robocache_ros_short_name (type) };
  RobocacheRosSchema *schema = NULL;

  parser.modules = g_ptr_array_new ();
  parser.aliases = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, g_free);
  parser.root = g_string_new (NULL);
  parser.others = g_string_new (NULL);
  read_declarations (&parser);
  g_string_append (parser.root, parser.others->str);
  if (parser.has_failed)
    g_set_error (error, ROBOCACHE_ERROR, ROBOCACHE_ERROR_CAPS, "its IDL has \"%.40s\", which is not supported at that place",
        parser.tokens[parser.at] ? parser.tokens[parser.at] : "its end");
  else
    schema = robocache_ros_schema_parse (type, parser.root->str, parser.root->len, error);
  g_string_free (parser.root, TRUE);
  g_string_free (parser.others, TRUE);
  g_hash_table_unref (parser.aliases);
  g_ptr_array_unref (parser.modules);
  g_strfreev (parser.tokens);
  g_free (parser.type);
  g_free (text);
  return schema;
}
