/* robocache: what each channel of a row is, and the text of it in caps
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "channelkinds.h"

#include <string.h>

#include "common/element/errordomain.h"

#define QUATERNION_CHANNELS 4
#define VELOCITY_OF "velocity:"

static const struct
{
  const gchar *word;
  guint channels;
} words[] = {
  [ROBOCACHE_KIND_REAL] = {"real", 1},
  [ROBOCACHE_KIND_ANGLE] = {"angle", 1},
  [ROBOCACHE_KIND_QUATERNION] = {"quaternion", QUATERNION_CHANNELS},
  [ROBOCACHE_KIND_REST] = {NULL, 0},
  [ROBOCACHE_KIND_HOLD] = {"hold", 1},
  [ROBOCACHE_KIND_VELOCITY] = {NULL, 1},        /* has the name of a channel behind it */
};

void
robocache_kinds_init (RobocacheKinds *kinds, guint64 n)
{
  robocache_kinds_clear (kinds);
  kinds->n = n;
  kinds->of = g_new0 (guint8, MAX (n, 1));
  kinds->rate_of = g_new0 (gint32, MAX (n, 1));
}

void
robocache_kinds_clear (RobocacheKinds *kinds)
{
  g_clear_pointer (&kinds->of, g_free);
  g_clear_pointer (&kinds->rate_of, g_free);
  kinds->n = 0;
}

void
robocache_kinds_set_quaternion (RobocacheKinds *kinds, guint64 first)
{
  kinds->of[first] = ROBOCACHE_KIND_QUATERNION;
  memset (kinds->of + first + 1, ROBOCACHE_KIND_REST, QUATERNION_CHANNELS - 1);
}

void
robocache_kinds_set_real (RobocacheKinds *kinds, guint64 first, guint64 n)
{
  for (guint64 c = first; c < first + n && c < kinds->n; c++) {
    guint64 quaternion = c;

    while (quaternion > 0 && kinds->of[quaternion] == ROBOCACHE_KIND_REST)
      quaternion--;
    if (kinds->of[quaternion] == ROBOCACHE_KIND_QUATERNION)
      memset (kinds->of + quaternion, ROBOCACHE_KIND_REAL, QUATERNION_CHANNELS);
    kinds->of[c] = ROBOCACHE_KIND_REAL;
  }
}

void
robocache_kinds_set_hold (RobocacheKinds *kinds, guint64 channel)
{
  robocache_kinds_set_real (kinds, channel, 1);
  kinds->of[channel] = ROBOCACHE_KIND_HOLD;
}

void
robocache_kinds_set_velocity (RobocacheKinds *kinds, guint64 channel, guint64 of)
{
  kinds->of[channel] = ROBOCACHE_KIND_VELOCITY;
  kinds->rate_of[channel] = (gint32) of;
}

/* ---- reading ---- */

/* One part of the text. */
typedef struct
{
  RobocacheKind kind;
  guint64 n;                    /* words */
  gint32 rate_of;
} Part;

/* Cuts "*n" off the word. FALSE: n is no number from 1 on. */
static gboolean
cut_count (gchar *word, guint64 *n)
{
  gchar *star = strrchr (word, '*');

  *n = 1;
  if (star == NULL)
    return TRUE;
  *star = '\0';
  g_strchomp (word);
  return g_ascii_string_to_unsigned (g_strstrip (star + 1), 10, 1, ROBOCACHE_MAX_KINDS, n, NULL);
}

/* The channel of a name, or of a number; -1: there is none. */
static gint32
find_channel (const gchar *name, gchar **names, guint64 n)
{
  guint64 number;

  for (guint i = 0; names && names[i]; i++) {
    if (i < n && g_str_equal (g_strstrip (names[i]), name))
      return (gint32) i;
  }
  return n > 0 && g_ascii_string_to_unsigned (name, 10, 0, n - 1, &number, NULL) ? (gint32) number : -1;
}

static gboolean
find_word (const gchar *word, Part *part)
{
  for (guint i = 0; i < G_N_ELEMENTS (words); i++) {
    if (words[i].word == NULL || !g_str_equal (word, words[i].word))
      continue;
    part->kind = (RobocacheKind) i;
    return TRUE;
  }
  return FALSE;
}

/* Writes to the text. FALSE and an error that names what is wrong. */
static gboolean
parse_part (gchar *text, gchar **names, guint64 n_channels, Part *part, GError **error)
{
  gchar *whole = g_strdup (text);
  const gboolean has_count = cut_count (text, &part->n);

  if (!has_count) {
    g_set_error (error, ROBOCACHE_ERROR, ROBOCACHE_ERROR_CAPS, "\"%s\": expected a number from 1 to %d after *",
        whole, ROBOCACHE_MAX_KINDS);
  } else if (g_str_has_prefix (text, VELOCITY_OF)) {
    part->kind = ROBOCACHE_KIND_VELOCITY;
    part->rate_of = find_channel (text + strlen (VELOCITY_OF), names, n_channels);
    if (part->rate_of < 0)
      g_set_error (error, ROBOCACHE_ERROR, ROBOCACHE_ERROR_CAPS, "\"%s\": no channel has the name %s", whole, text + strlen (VELOCITY_OF));
    else if (part->n > 1)
      g_set_error (error, ROBOCACHE_ERROR, ROBOCACHE_ERROR_CAPS, "\"%s\": expected only one velocity per channel", whole);
  } else if (!find_word (text, part)) {
    g_set_error (error, ROBOCACHE_ERROR, ROBOCACHE_ERROR_CAPS, "\"%s\" is not a kind: expected real, angle, quaternion, hold or "
        "velocity:NAME, and *n for n of them", whole);
  }
  g_free (whole);
  return has_count && (part->kind == ROBOCACHE_KIND_VELOCITY ? part->rate_of >= 0 && part->n == 1 : part->kind != ROBOCACHE_KIND_REST);
}

/* Room for the channels of the part is there. */
static void
put_part (RobocacheKinds *kinds, const Part *part, guint64 at)
{
  for (guint64 i = 0; i < part->n; i++, at += words[part->kind].channels) {
    if (part->kind == ROBOCACHE_KIND_QUATERNION)
      robocache_kinds_set_quaternion (kinds, at);
    else
      kinds->of[at] = (guint8) part->kind;
    kinds->rate_of[at] = part->rate_of;
  }
}

/* *n: channels of all parts, though there may be more than those of a row. */
static gboolean
parse_parts (RobocacheKinds *kinds, gchar **parts, gchar **names, guint64 *n, GError **error)
{
  for (guint i = 0; parts[i]; i++) {
    Part part = {.kind = ROBOCACHE_KIND_REST };
    guint64 channels;

    if (!parse_part (g_strstrip (parts[i]), names, kinds->n, &part, error))
      return FALSE;
    channels = part.n * words[part.kind].channels;
    if (*n <= kinds->n && channels <= kinds->n - *n)
      put_part (kinds, &part, *n);
    *n += channels;
  }
  return TRUE;
}

gboolean
robocache_kinds_parse (RobocacheKinds *kinds, const gchar *text, guint64 n, const gchar *names, GError **error)
{
  gchar **parts, **each_name;
  guint64 sum = 0;
  gboolean ok;

  robocache_kinds_clear (kinds);
  if (n > ROBOCACHE_MAX_KINDS) {
    g_set_error (error, ROBOCACHE_ERROR, ROBOCACHE_ERROR_CAPS, "kinds of %" G_GUINT64_FORMAT " channels: expected at most %d", n,
        ROBOCACHE_MAX_KINDS);
    return FALSE;
  }
  parts = g_strsplit (text, ",", -1);
  each_name = names ? g_strsplit (names, ",", -1) : NULL;
  robocache_kinds_init (kinds, n);
  ok = parse_parts (kinds, parts, each_name, &sum, error);
  if (!ok)
    g_prefix_error (error, "kinds: ");
  else if (sum != n)
    g_set_error (error, ROBOCACHE_ERROR, ROBOCACHE_ERROR_CAPS, "kinds=\"%s\" has %" G_GUINT64_FORMAT " channels, but a row has %"
        G_GUINT64_FORMAT ": quaternion stands for 4, other words for 1", text, sum, n);
  if (!ok || sum != n)
    robocache_kinds_clear (kinds);
  g_strfreev (each_name);
  g_strfreev (parts);
  return ok && sum == n;
}

gboolean
robocache_kinds_check (const gchar *text, guint64 n, const gchar *names, GError **error)
{
  RobocacheKinds kinds = { 0 };
  const gboolean ok = robocache_kinds_parse (&kinds, text, n, names, error);

  robocache_kinds_clear (&kinds);
  return ok;
}

/* ---- writing ---- */

static void
append_velocity (GString *text, gint32 of, gchar **names, guint n_names)
{
  /* an asterisk would be read as a count, and of equal names the first one is found */
  if ((guint) of < n_names && strchr (names[of], '*') == NULL && find_channel (g_strstrip (names[of]), names, n_names) == of)
    g_string_append_printf (text, VELOCITY_OF "%s", g_strstrip (names[of]));
  else
    g_string_append_printf (text, VELOCITY_OF "%d", of);
}

/* Number of channels of one word; 1 for the rest of a quaternion whose first channel is missing. */
static guint
step_of (guint8 kind)
{
  return MAX (words[kind].channels, 1);
}

/* How many words of the same kind follow one another from i on. */
static guint64
count_same (const RobocacheKinds *kinds, guint64 i)
{
  const guint8 kind = kinds->of[i];
  const guint step = step_of (kind);
  guint64 n = 1;

  while (kind != ROBOCACHE_KIND_VELOCITY && i + n * step < kinds->n && kinds->of[i + n * step] == kind)
    n++;
  return n;
}

gchar *
robocache_kinds_to_string (const RobocacheKinds *kinds, const gchar *names)
{
  gchar **each_name = g_strsplit (names ? names : "", ",", -1);
  const guint n_names = g_strv_length (each_name);
  GString *text = g_string_new (NULL);
  gboolean is_real = TRUE;

  for (guint64 i = 0, n; i < kinds->n; i += n * step_of (kinds->of[i])) {
    n = count_same (kinds, i);
    is_real &= kinds->of[i] == ROBOCACHE_KIND_REAL;
    if (i > 0)
      g_string_append_c (text, ',');
    if (kinds->of[i] == ROBOCACHE_KIND_VELOCITY)
      append_velocity (text, kinds->rate_of[i], each_name, n_names);
    else
      g_string_append (text, words[kinds->of[i]].word);
    if (n > 1)
      g_string_append_printf (text, "*%" G_GUINT64_FORMAT, n);
  }
  g_strfreev (each_name);
  return g_string_free (text, is_real);
}

gchar *
robocache_kinds_list_quaternions (const RobocacheKinds *kinds)
{
  GString *list = g_string_new (NULL);

  for (guint64 i = 0; i < kinds->n; i++) {
    if (kinds->of[i] == ROBOCACHE_KIND_QUATERNION)
      g_string_append_printf (list, list->len > 0 ? ",%" G_GUINT64_FORMAT : "%" G_GUINT64_FORMAT, i);
  }
  return g_string_free (list, list->len == 0);
}

guint32
robocache_kinds_unfiltered (const RobocacheKinds *kinds)
{
  static const gboolean is_unfiltered[] = {
    [ROBOCACHE_KIND_QUATERNION] = TRUE,[ROBOCACHE_KIND_REST] = TRUE,[ROBOCACHE_KIND_HOLD] = TRUE,[ROBOCACHE_KIND_VELOCITY] = FALSE
  };
  guint32 bits = 0;

  for (guint64 i = 0; i < MIN (kinds->n, 32); i++)
    bits |= (guint32) is_unfiltered[kinds->of[i]] << i;
  return bits;
}
