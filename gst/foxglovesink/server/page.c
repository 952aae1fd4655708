/* robocache: the page that a view server shows to a browser
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "page.h"

#include "common/page/pagestyle.h"
#include "pageresource.h"

struct _RobocacheViewPage
{
  GBytes *text;
  gchar *script_hash;           /* "sha256-…" of its script, the only one that a browser may run */
};

/* In the order in which they use each other. */
static const gchar *const scripts[] = { "messages.js", "charts.js", "page.js", "connection.js" };

/* The words that are those of a report. */
static const struct
{
  const gchar *name, *text;
} words[] = {
  {"lag", ROBOCACHE_WORDS_LAG},
  {"lag_meaning", ROBOCACHE_WORDS_LAG_MEANING},
  {"status", ROBOCACHE_WORDS_STATUS},
  {"status_meaning", ROBOCACHE_WORDS_STATUS_MEANING},
  {"age", ROBOCACHE_WORDS_AGE},
  {"age_meaning", ROBOCACHE_WORDS_AGE_MEANING},
  {"signal", ROBOCACHE_WORDS_SIGNAL},
  {"before", ROBOCACHE_WORDS_BEFORE},
  {"after", ROBOCACHE_WORDS_AFTER},
  {"all_well", ROBOCACHE_WORDS_ALL_WELL},
};

static void
append_file (GString *text, const gchar *name)
{
  gchar *path = g_strconcat ("/robocache/page/", name, NULL);
  GBytes *bytes = g_resource_lookup_data (robocache_page_get_resource (), path, G_RESOURCE_LOOKUP_FLAGS_NONE, NULL);

  g_string_append_len (text, g_bytes_get_data (bytes, NULL), (gssize) g_bytes_get_size (bytes));
  g_bytes_unref (bytes);
  g_free (path);
}

static GString *
make_style (void)
{
  GString *style = g_string_new (robocache_page_style);

  append_file (style, "page.css");
  return style;
}

static GString *
make_script (void)
{
  GString *script = g_string_new ("\"use strict\";\nconst WORDS = {");

  for (guint i = 0; i < G_N_ELEMENTS (words); i++)
    g_string_append_printf (script, "%s: \"%s\", ", words[i].name, words[i].text);
  g_string_append (script, "};\n");
  for (guint i = 0; i < G_N_ELEMENTS (scripts); i++)
    append_file (script, scripts[i]);
  return script;
}

/* Frees value. */
static void
replace (GString *text, const gchar *mark, GString *value)
{
  const gchar *found = strstr (text->str, mark);
  const gssize position = found - text->str;

  g_assert (found != NULL);
  g_string_erase (text, position, (gssize) strlen (mark));
  g_string_insert_len (text, position, value->str, (gssize) value->len);
  g_string_free (value, TRUE);
}

static gchar *
hash_of (const GString *script)
{
  GChecksum *checksum = g_checksum_new (G_CHECKSUM_SHA256);
  guint8 digest[32];
  gsize size = sizeof digest;
  gchar *text, *hash;

  g_checksum_update (checksum, (const guchar *) script->str, (gssize) script->len);
  g_checksum_get_digest (checksum, digest, &size);
  g_checksum_free (checksum);
  text = g_base64_encode (digest, size);
  hash = g_strconcat ("sha256-", text, NULL);
  g_free (text);
  return hash;
}

RobocacheViewPage *
robocache_view_page_new (void)
{
  RobocacheViewPage *page = g_new0 (RobocacheViewPage, 1);
  GString *text = g_string_new (NULL), *script = make_script ();

  page->script_hash = hash_of (script);
  append_file (text, "page.html");
  replace (text, "@STYLE@", make_style ());
  replace (text, "@SCRIPT@", script);
  page->text = g_string_free_to_bytes (text);
  return page;
}

void
robocache_view_page_free (RobocacheViewPage *page)
{
  g_bytes_unref (page->text);
  g_free (page->script_hash);
  g_free (page);
}

/* Neither scripts of others nor frames around the page, whose buttons change something. A policy cannot name an IPv6 address, and not all
 * browsers take 'self' for WebSockets. */
static gchar *
policy_of (const RobocacheViewPage *page, const gchar *host)
{
  return g_strdup_printf ("default-src 'none'; script-src '%s'; style-src 'unsafe-inline'; img-src data: blob:; connect-src %s%s; "
      "base-uri 'none'; form-action 'none'; frame-ancestors 'none'", page->script_hash, *host == '[' ? "'self'" : "ws://", *host == '[' ? "" : host);
}

void
robocache_view_page_answer (const RobocacheViewPage *page, SoupServerMessage *message, const gchar *host)
{
  SoupMessageHeaders *headers = soup_server_message_get_response_headers (message);
  gchar *policy = policy_of (page, host);

  soup_message_headers_append (headers, "Content-Security-Policy", policy);
  soup_message_headers_append (headers, "X-Content-Type-Options", "nosniff");
  soup_message_headers_append (headers, "Referrer-Policy", "no-referrer");
  soup_message_headers_append (headers, "Cache-Control", "no-store");
  soup_server_message_set_status (message, SOUP_STATUS_OK, NULL);
  soup_server_message_set_response (message, "text/html; charset=utf-8", SOUP_MEMORY_STATIC, g_bytes_get_data (page->text, NULL),
      g_bytes_get_size (page->text));
  g_free (policy);
}
