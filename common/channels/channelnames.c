/* robocache: kinds of channels that their names tell
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "channelnames.h"

#include <string.h>

#include "common/element/errordomain.h"

#define SEPARATORS "._/-: "
#define PARTS 4
static const gchar letters[] = "xyzw";

/* Names of quaternions before the letter of the channel. */
static const gchar *const rotation_words[] = { "q", "quat", "quaternion", "orientation", "rotation", "rot", "ori", "attitude", NULL };
/* The same as the end of a longer word: toolOrientation. */
static const gchar *const rotation_ends[] = { "quat", "quaternion", "orientation", "rotation", NULL };
/* A rate in a name, and what the name of its channel has in place of it. */
static const struct
{
  const gchar *rate, *of;
} rate_words[] = { {"velocity", "position"}, {"velocities", "positions"}, {"vel", "pos"} };
static const gchar *const hold_words[] = { "mode", "status", "counter", "count", "seq", "sequence", "flags", NULL };

/* A name as one of the four of a quaternion. */
typedef struct
{
  gchar *key;                   /* what all four have, unit included; NULL: it is none */
  gint part;                    /* index of letters; PARTS: one more than there should be */
} Name;

/* ---- parts of names ---- */

/* Returns where the unit of a name begins, as in "q_RS_w []" or "x (m)"; its length if it has no unit. An index is not a unit. */
static gsize
find_unit (const gchar *name)
{
  const gsize length = strlen (name);
  const gchar *open = length > 0 && name[length - 1] == ']' ? strrchr (name, '[')
      : length > 0 && name[length - 1] == ')' ? strrchr (name, '(') : NULL;
  gsize end = length;

  if (open && !g_ascii_isdigit (open[1]))
    end = (gsize) (open - name);
  while (end > 0 && g_ascii_isspace (name[end - 1]))
    end--;
  return end;
}

static gsize
skip_separators (const gchar *name, gsize end)
{
  while (end > 0 && strchr (SEPARATORS, name[end - 1]))
    end--;
  return end;
}

/* Returns where the last word before `end` begins. */
static gsize
find_word (const gchar *name, gsize end)
{
  while (end > 0 && g_ascii_isalnum (name[end - 1]))
    end--;
  return end;
}

static gboolean
has_suffix_of (const gchar *word, const gchar *const *suffixes)
{
  gboolean has = FALSE;

  for (; *suffixes; suffixes++)
    has |= g_str_has_suffix (word, *suffixes);
  return has;
}

/* "RS" of q_RS_w: frames in capitals, behind a q. */
static gboolean
is_frames (const gchar *name, gsize begin, gsize end)
{
  const gsize q = skip_separators (name, begin);

  for (gsize i = begin; i < end; i++) {
    if (!g_ascii_isupper (name[i]))
      return FALSE;
  }
  return end > begin && q < begin && q > 0 && name[q - 1] == 'q' && find_word (name, q) == q - 1;
}

/* Whether the name up to end, separators included, ends with a word for rotations. */
static gboolean
ends_with_rotation (const gchar *name, gsize end)
{
  const gsize word_end = skip_separators (name, end), begin = find_word (name, word_end);
  gchar *word = g_ascii_strdown (name + begin, (gssize) (word_end - begin));
  const gboolean is_rotation = g_strv_contains (rotation_words, word) || has_suffix_of (word, rotation_ends);

  g_free (word);
  return is_rotation || is_frames (name, begin, word_end);
}

/* q[0], q.0 and q.00, which begin with w: the end of the stem and the part; FALSE: it is no such name. */
static gboolean
split_index (const gchar *name, gsize end, gsize *stem, gint *part)
{
  gsize digits = end;

  if (end > 0 && name[end - 1] == ']')
    digits = --end;
  while (digits > 0 && g_ascii_isdigit (name[digits - 1]))
    digits--;
  if (digits == end || end - digits > 2 || digits < 2 || !strchr ("[./", name[digits - 1]) || (name[digits - 1] == '[') != (name[end] == ']'))
    return FALSE;
  *stem = digits - 1;
  *part = (gint) MIN (g_ascii_strtoull (name + digits, NULL, 10), PARTS);
  *part = *part < PARTS ? (*part + PARTS - 1) % PARTS : PARTS;
  return g_ascii_tolower (name[*stem - 1]) == 'q' && find_word (name, *stem) == *stem - 1;
}

static gboolean
split_letter (const gchar *name, gsize end, gsize *stem, gint *part)
{
  const gchar *letter = end > 1 ? strchr (letters, g_ascii_tolower (name[end - 1])) : NULL;

  if (!letter || *letter == '\0')
    return FALSE;
  *stem = end - 1;
  *part = (gint) (letter - letters);
  return ends_with_rotation (name, *stem);
}

static Name
read_name (const gchar *name)
{
  const gsize end = find_unit (name);
  Name read = { NULL, 0 };
  gsize stem;

  /* names with an index have keys that no others have */
  if (split_letter (name, end, &stem, &read.part))
    read.key = g_strdup_printf ("%.*s\n%s", (int) stem, name, name + end);
  else if (split_index (name, end, &stem, &read.part))
    read.key = g_strdup_printf ("%.*s\n\n%s", (int) stem, name, name + end);
  return read;
}

static gboolean
is_held (const gchar *name)
{
  const gsize end = find_unit (name), begin = find_word (name, end);
  gchar *word = g_ascii_strdown (name + begin, (gssize) (end - begin));
  const gboolean is = g_strv_contains (hold_words, word);

  g_free (word);
  return is;
}

/* ---- quaternions ---- */

/* The channels of the names with one key. */
typedef struct
{
  guint channels[PARTS + 1];    /* x, y, z, w; and one too many */
  guint n[PARTS + 1];
} Group;

static GHashTable *
group_names (const gchar *const *names, guint n, GPtrArray *in_order)
{
  GHashTable *groups = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);

  for (guint i = 0; i < n; i++) {
    const Name name = read_name (names[i]);
    Group *group = name.key ? g_hash_table_lookup (groups, name.key) : NULL;

    if (name.key && !group) {
      group = g_new0 (Group, 1);
      g_ptr_array_add (in_order, group);
      g_hash_table_insert (groups, g_strdup (name.key), group);
    }
    if (group) {
      group->channels[name.part] = i;
      group->n[name.part]++;
    }
    g_free (name.key);
  }
  return groups;
}

/* Each of the four once. */
static gboolean
is_quaternion (const Group *group)
{
  gboolean is = group->n[PARTS] == 0;

  for (guint i = 0; i < PARTS; i++)
    is &= group->n[i] == 1;
  return is;
}

/* Whether they are adjacent, as x, y, z, w or w, x, y, z; *first: the first of them. */
static gboolean
is_in_order (const Group *group, guint64 *first)
{
  const guint *at = group->channels;

  *first = MIN (at[0], at[3]);
  return at[1] == at[0] + 1 && at[2] == at[0] + 2 && (at[3] == at[0] + 3 || at[3] + 1 == at[0]);
}

static void
set_misplaced (const Group *group, const gchar *const *names, GError **error)
{
  const guint *at = group->channels;

  g_set_error (error, ROBOCACHE_ERROR, ROBOCACHE_ERROR_PROPERTY, "%s, %s, %s and %s are a quaternion by their names, but as channels %u, %u, "
      "%u and %u they are not adjacent in the order x, y, z, w or w, x, y, z", names[at[0]], names[at[1]], names[at[2]], names[at[3]], at[0],
      at[1], at[2], at[3]);
}

/* ---- velocities ---- */

/* A word of the name, with no letter or digit beside it. NULL: it has no such word. */
static const gchar *
find_whole_word (const gchar *name, const gchar *word)
{
  const gsize length = strlen (word);
  const gchar *found = strstr (name, word);

  while (found && ((found > name && g_ascii_isalnum (found[-1])) || g_ascii_isalnum (found[length])))
    found = strstr (found + 1, word);
  return found;
}

/* The channel of this name, to be freed; -1: there is none. */
static gint
take_channel (GHashTable *channels, gchar *name)
{
  gpointer channel;
  const gboolean is_known = g_hash_table_lookup_extended (channels, name, NULL, &channel);

  g_free (name);
  return is_known ? GPOINTER_TO_INT (channel) : -1;
}

/* Components of a vector, whose rate may be measured in another frame than the vector. */
static gboolean
is_component (const gchar *name)
{
  const gsize end = find_unit (name);

  return end > 0 && strchr ("xyz", name[end - 1]) && find_word (name, end) == end - 1;
}

/* The channel whose rate a channel is by its name; -1: none. "a.velocity" is that of "a.position" or of "a", and "dq0" that of "q0". */
static gint
find_position (const gchar *name, GHashTable *channels)
{
  gint found = name[0] == 'd' && name[1] == 'q' ? take_channel (channels, g_strdup (name + 1)) : -1;

  for (guint i = 0; i < G_N_ELEMENTS (rate_words) && found < 0 && !is_component (name); i++) {
    const gchar *word = find_whole_word (name, rate_words[i].rate);
    const gchar *end = word ? word + strlen (rate_words[i].rate) : NULL;

    if (word)
      found = take_channel (channels, g_strdup_printf ("%.*s%s%s", (int) (word - name), name, rate_words[i].of, end));
    if (word && found < 0 && *end == '\0')
      found = take_channel (channels, g_strndup (name, skip_separators (name, (gsize) (word - name))));
  }
  return found;
}

static void
find_velocities (RobocacheKinds *kinds, const gchar *const *names, guint n)
{
  GHashTable *channels = g_hash_table_new (g_str_hash, g_str_equal);

  /* if several channels have one name, a velocity of that name belongs to none of them */
  for (guint i = 0; i < n; i++)
    g_hash_table_insert (channels, (gpointer) names[i], GINT_TO_POINTER (g_hash_table_contains (channels, names[i]) ? -1 : (gint) i));
  for (guint i = 0; i < n; i++) {
    const gint of = kinds->of[i] == ROBOCACHE_KIND_REAL ? find_position (names[i], channels) : -1;

    if (of >= 0 && kinds->of[of] == ROBOCACHE_KIND_REAL)
      robocache_kinds_set_velocity (kinds, i, (guint) of);
  }
  g_hash_table_unref (channels);
}

gboolean
robocache_kinds_of_names (RobocacheKinds *kinds, const gchar *const *names, guint n, GError **error)
{
  GPtrArray *in_order = g_ptr_array_new_with_free_func (g_free);
  GHashTable *groups = group_names (names, n, in_order);
  gboolean ok = TRUE;

  robocache_kinds_init (kinds, n);
  for (guint i = 0; i < n; i++)
    kinds->of[i] = is_held (names[i]) ? ROBOCACHE_KIND_HOLD : ROBOCACHE_KIND_REAL;
  for (guint i = 0; i < in_order->len; i++) {
    const Group *group = g_ptr_array_index (in_order, i);
    guint64 first;

    if (!is_quaternion (group))
      continue;
    if (is_in_order (group, &first))
      robocache_kinds_set_quaternion (kinds, first);
    else if (ok)
      set_misplaced (group, names, error);
    ok &= is_in_order (group, &first);
  }
  find_velocities (kinds, names, n);
  g_hash_table_unref (groups);
  g_ptr_array_unref (in_order);
  return ok;
}

gint
robocache_name_part (const gchar *name)
{
  Name read = read_name (name);
  const gboolean is_part = read.key && read.part < PARTS;

  g_free (read.key);
  return is_part ? read.part : -1;
}
