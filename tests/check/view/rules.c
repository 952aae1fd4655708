/* robocache: tests of the rules of view servers: who may connect, what clients ask for, what a slow client loses
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include <string.h>

#include "gst/foxglovesink/server/access.h"
#include "gst/foxglovesink/server/protocol.h"
#include "gst/foxglovesink/server/subscription.h"
#include "tests/check/lib/checks.h"

/* ---- who may connect ---- */

#define SITE "https://app.foxglove.dev"

static const struct
{
  const gchar *host, *origin, *local;
  const gchar *refusal;         /* words; NULL: may connect */
} requests[] = {
  {"localhost:8765", NULL, "127.0.0.1", NULL},
  {"LOCALHOST", NULL, "127.0.0.1", NULL},
  {"127.0.0.1:8765", NULL, "127.0.0.1", NULL},
  {"127.8.9.1:1", NULL, "127.0.0.1", NULL},
  {"[::1]:8765", NULL, "::1", NULL},
  {"[0:0:0:0:0:0:0:1]", NULL, "::1", NULL},
  {"192.168.1.5:8765", NULL, "192.168.1.5", NULL},
  {"[fd00::5]:8765", NULL, "fd00:0::5", NULL},
  {"robot.local:8765", NULL, "192.168.1.5", NULL},
  {"Robot.Local", NULL, "192.168.1.5", NULL},
  {"localhost:8765", "http://localhost:8765", "127.0.0.1", NULL},
  {"robot.local:8765", "http://robot.local:8765", "127.0.0.1", NULL},
  {"localhost:8765", SITE, "127.0.0.1", NULL},
  {NULL, NULL, "127.0.0.1", "no Host"},
  {"", NULL, "127.0.0.1", "Host is"},
  {"evil.example:8765", NULL, "127.0.0.1", "Host is \"evil.example:8765\""},
  {"evil.example:8765", "http://evil.example:8765", "127.0.0.1", "Host is"},
  {"localhost.evil.example", NULL, "127.0.0.1", "Host is"},
  {"localhost, evil.example", NULL, "127.0.0.1", "Host is"},
  {"localhost:", NULL, "127.0.0.1", "Host is"},
  {"localhost:99999", NULL, "127.0.0.1", "Host is"},
  {"localhost:80@evil.example", NULL, "127.0.0.1", "Host is"},
  {"[::1", NULL, "::1", "Host is"},
  {"[::1]evil", NULL, "::1", "Host is"},
  {"192.168.1.6", NULL, "192.168.1.5", "Host is"},
  {"192.168.1.5", NULL, NULL, "Host is"},
  {"localhost:8765", "https://evil.example", "127.0.0.1", "Origin is \"https://evil.example\""},
  {"localhost:8765", SITE ".evil.example", "127.0.0.1", "Origin is"},
  {"localhost:8765", "http://app.foxglove.dev", "127.0.0.1", "Origin is"},
  {"localhost:8765", "https://localhost:8765", "127.0.0.1", "Origin is"},
  {"localhost:8765", "http://localhost:8766", "127.0.0.1", "Origin is"},
  {"localhost:8765", SITE ", https://evil.example", "127.0.0.1", "Origin is"},
  {"localhost:8765", "null", "127.0.0.1", "Origin is"},
  {"localhost:8765", "", "127.0.0.1", "Origin is"},
};

GST_START_TEST (refuses_foreign_requests)
{
  static const gchar *const hosts[] = { "robot.local", NULL }, *const origins[] = { SITE, NULL }, *const all[] = { "*", NULL };
  const RobocacheViewRequest request = { requests[__i__].host, requests[__i__].origin, requests[__i__].local };
  gchar *refusal = robocache_view_refusal (&request, hosts, origins);
  const gchar *expected = requests[__i__].refusal;

  fail_unless ((refusal == NULL) == (expected == NULL), "%s: %s", request.host, refusal);
  fail_unless (!expected || strstr (refusal, expected), "%s has no \"%s\"", refusal, expected);
  g_free (refusal);
  /* every origin: the host is still checked */
  refusal = robocache_view_refusal (&request, hosts, all);
  fail_unless ((refusal == NULL) == (expected == NULL || g_str_has_prefix (expected, "Origin")));
  g_free (refusal);
}

GST_END_TEST;

/* ---- what clients ask for ---- */

static const struct
{
  const gchar *text;
  const gchar *wishes;          /* "+id:channel" or "-id" */
  const gchar *fault;           /* words; NULL: none */
} messages[] = {
  {"{\"op\":\"subscribe\",\"subscriptions\":[{\"id\":0,\"channelId\":3},{\"id\":4294967295,\"channelId\":5}]}", "+0:3+4294967295:5", NULL},
  {" { \"subscriptions\" : [ ] , \"op\" : \"subscribe\" } ", "", NULL},
  {"{\"op\":\"subscribe\"}", "", NULL},
  {"{\"op\":\"\\u0073ubscribe\",\"subscriptions\":[{\"id\":1,\"channelId\":2,\"more\":{}}]}", "+1:2", NULL},
  {"{\"op\":\"unsubscribe\",\"subscriptionIds\":[7,8]}", "-7-8", NULL},
  {"{\"op\":\"unsubscribe\",\"subscriptionIds\":{\"a\":7}}", "", NULL},
  {"{\"op\":\"subscribe\",\"subscriptions\":[{\"id\":-1,\"channelId\":3}]}", NULL, "has no valid ids"},
  {"{\"op\":\"subscribe\",\"subscriptions\":[{\"id\":1,\"channelId\":4294967296}]}", NULL, "has no valid ids"},
  {"{\"op\":\"subscribe\",\"subscriptions\":[{\"id\":\"1\",\"channelId\":3}]}", NULL, "has no valid ids"},
  {"{\"op\":\"subscribe\",\"subscriptions\":[{\"id\":1}]}", NULL, "has no valid ids"},
  {"{\"op\":\"subscribe\",\"subscriptions\":[{\"id\":1,\"channelId\":2,\"robocacheIntervalMs\":16}]}", "+1:2", NULL},
  {"{\"op\":\"subscribe\",\"subscriptions\":[{\"id\":1,\"channelId\":2,\"robocacheIntervalMs\":-1}]}", NULL, "or interval"},
  {"{\"op\":\"subscribe\",\"subscriptions\":[1,null]}", NULL, "\"1\" has no valid ids"},
  {"{\"op\":\"unsubscribe\",\"subscriptionIds\":[1.5]}", NULL, "has no valid ids"},
  {"{\"op\":\"advertise\",\"channels\":[]}", NULL, "\"advertise\" is not an operation"},
  {"{\"op\":1}", NULL, "is not an operation"},
  {"[]", NULL, "\"[]\" is not an operation"},
  {"garbage", NULL, "\"garbage\" is not an operation"},
  {"{\"op\":\"subscribe\"", NULL, "is not an operation"},
  {"", NULL, "is not an operation"},
};

GST_START_TEST (reads_requests)
{
  GArray *wishes = g_array_new (FALSE, FALSE, sizeof (RobocacheViewWish));
  const gchar *text = messages[__i__].text, *expected = messages[__i__].fault;
  RobocacheJsonValue message;
  RobocacheViewOperation operation = ROBOCACHE_VIEW_SUBSCRIBE;
  GString *found = g_string_new (NULL);
  gchar *fault = NULL;

  fail_unless (robocache_view_parse (text, strlen (text), &operation, &message, wishes, &fault) == (expected == NULL), "%s: %s", text, fault);
  fail_unless (!expected || strstr (fault, expected), "%s: %s", text, fault);
  for (guint i = 0; i < wishes->len; i++) {
    const RobocacheViewWish *wish = &g_array_index (wishes, RobocacheViewWish, i);

    g_string_append_printf (found, operation == ROBOCACHE_VIEW_SUBSCRIBE ? "+%u:%u" : "-%u", wish->id, wish->channel);
  }
  fail_unless (expected || g_str_equal (found->str, messages[__i__].wishes), "%s", found->str);
  g_string_free (found, TRUE);
  g_array_unref (wishes);
  g_free (fault);
}

GST_END_TEST;

/* Nesting is bounded, and so is the stack. */
GST_START_TEST (refuses_deep_requests)
{
  GString *text = g_string_new ("{\"op\":\"subscribe\",\"subscriptions\":");
  GArray *wishes = g_array_new (FALSE, FALSE, sizeof (RobocacheViewWish));
  RobocacheJsonValue message;
  RobocacheViewOperation operation;
  gchar *fault = NULL;

  for (guint i = 0; i < 60000; i++)
    g_string_append_c (text, '[');
  fail_if (robocache_view_parse (text->str, text->len, &operation, &message, wishes, &fault));
  g_free (fault);
  g_array_unref (wishes);
  g_string_free (text, TRUE);
}

GST_END_TEST;

/* ---- what a slow client loses ---- */

/* Of messages of 10 bytes, named by letters; capitals are key frames. */
static const struct
{
  RobocacheViewKind kind;
  const gchar *pushed;
  guint max_bytes;
  const gchar *left;
} queues[] = {
  {ROBOCACHE_VIEW_ROWS, "abcdef", 30, "def"},
  {ROBOCACHE_VIEW_ROWS, "abc", 30, "abc"},
  {ROBOCACHE_VIEW_ROWS, "abc", 29, "bc"},
  {ROBOCACHE_VIEW_ROWS, "abc", 5, "c"},
  {ROBOCACHE_VIEW_NEWEST, "abcdef", 1000, "f"},
  {ROBOCACHE_VIEW_NEWEST, "a", 5, "a"},
  {ROBOCACHE_VIEW_VIDEO, "abCd", 1000, "Cd"},
  {ROBOCACHE_VIEW_VIDEO, "AbcdEf", 30, "Ef"},
  {ROBOCACHE_VIEW_VIDEO, "Abcde", 30, ""},
  {ROBOCACHE_VIEW_VIDEO, "AbcD", 30, "D"},
};

GST_START_TEST (drops_for_slow_clients)
{
  const gchar *pushed = queues[__i__].pushed, *left = queues[__i__].left;
  RobocacheViewSubscription subscription;
  GString *found = g_string_new (NULL);
  GQueue lost = G_QUEUE_INIT;
  guint n_lost = 0;
  RobocacheViewItem *item;

  robocache_view_subscription_init (&subscription, 1, queues[__i__].kind, queues[__i__].max_bytes);
  for (const gchar *letter = pushed; *letter; letter++) {
    const RobocacheViewMessage message = { 0, g_ascii_isupper (*letter), (gchar[10]) {*letter}, 10 };

    item = robocache_view_item_new (&message);
    n_lost += robocache_view_subscription_push (&subscription, item, &lost);
    robocache_view_item_unref (item);
  }
  fail_unless_equals_int (subscription.bytes, 10 * strlen (left));
  while ((item = robocache_view_subscription_pop (&subscription))) {
    g_string_append_c (found, (gchar) item->data[0]);
    robocache_view_item_unref (item);
  }
  fail_unless (g_str_equal (found->str, left), "%s", found->str);
  fail_unless_equals_int (n_lost, strlen (pushed) - strlen (left));
  fail_unless_equals_uint64 (subscription.dropped, n_lost);
  g_queue_clear_full (&lost, (GDestroyNotify) robocache_view_item_unref);
  robocache_view_subscription_clear (&subscription);
  g_string_free (found, TRUE);
}

GST_END_TEST;

/* ---- an interval between messages ---- */

/* A letter is a message that is published so many ms after 'a'. */
static const struct
{
  RobocacheViewKind kind;
  gint64 interval_ms;
  const gchar *pushed, *left;
} intervals[] = {
  {ROBOCACHE_VIEW_ROWS, 0, "aabcd", "aabcd"},
  {ROBOCACHE_VIEW_ROWS, 2, "abcdefg", "aceg"},
  /* their jitter leaves none out */
  {ROBOCACHE_VIEW_ROWS, 2, "adegi", "adegi"},
  /* a silence does not save up */
  {ROBOCACHE_VIEW_ROWS, 3, "axyz", "ax"},
  /* frames need those before */
  {ROBOCACHE_VIEW_VIDEO, 4, "abcd", "abcd"},
};

GST_START_TEST (leaves_out_what_is_within_the_interval)
{
  RobocacheViewSubscription subscription;
  GString *found = g_string_new (NULL);
  GQueue lost = G_QUEUE_INIT;
  RobocacheViewItem *item;

  robocache_view_subscription_init (&subscription, 1, intervals[__i__].kind, 1000);
  subscription.interval_ns = intervals[__i__].interval_ms * GST_MSECOND;
  for (const gchar *letter = intervals[__i__].pushed; *letter; letter++) {
    const RobocacheViewMessage message = { 0, TRUE, letter, 1 };

    item = robocache_view_item_new (&message);
    item->published_ns = GST_SECOND + (*letter - 'a') * GST_MSECOND;
    fail_unless_equals_int (robocache_view_subscription_push (&subscription, item, &lost), 0);
    robocache_view_item_unref (item);
  }
  while ((item = robocache_view_subscription_pop (&subscription))) {
    g_string_append_c (found, (gchar) item->data[0]);
    robocache_view_item_unref (item);
  }
  fail_unless (g_str_equal (found->str, intervals[__i__].left), "%s", found->str);
  fail_unless_equals_uint64 (subscription.dropped, 0);
  g_string_free (found, TRUE);
}

GST_END_TEST;

CHECK_MAIN (view_rules, NULL, NULL, EACH (requests, refuses_foreign_requests), EACH (messages, reads_requests), ONCE (refuses_deep_requests),
    EACH (queues, drops_for_slow_clients), EACH (intervals, leaves_out_what_is_within_the_interval))
