/* robocache: which stream of a recording is which of its samples
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "recordingparts.h"

#include <string.h>

/* The last rows of a stream, among which a used one is sought. */
#define N_RECENT 1024

/* Rows used that are looked at, and how many must be found. */
#define MAX_USES 200
#define MIN_FOUND 3

typedef struct
{
  ReportStream *stream;
  gint64 recent[N_RECENT];
  guint64 n;
} Input;

typedef struct
{
  const ReportStream *stream;
  guint n_uses;
  GArray *n_found;              /* of guint, by input */
} Fused;

struct _ReportMatch
{
  GPtrArray *inputs, *fused;
};

static void
free_fused (gpointer data)
{
  g_array_unref (((Fused *) data)->n_found);
  g_free (data);
}

ReportMatch *
report_match_new (void)
{
  ReportMatch *match = g_new0 (ReportMatch, 1);

  match->inputs = g_ptr_array_new_with_free_func (g_free);
  match->fused = g_ptr_array_new_with_free_func (free_fused);
  return match;
}

void
report_match_free (ReportMatch *match)
{
  g_ptr_array_unref (match->inputs);
  g_ptr_array_unref (match->fused);
  g_free (match);
}

void
report_match_add_row (ReportMatch *match, ReportStream *input, gint64 time_ns)
{
  Input *found = NULL;

  for (guint i = 0; i < match->inputs->len && !found; i++) {
    Input *other = g_ptr_array_index (match->inputs, i);

    found = other->stream == input ? other : NULL;
  }
  if (!found) {
    found = g_new0 (Input, 1);
    found->stream = input;
    g_ptr_array_add (match->inputs, found);
  }
  found->recent[found->n++ % N_RECENT] = time_ns;
}

static Fused *
find_fused (const ReportMatch *match, const ReportStream *stream)
{
  for (guint i = 0; i < match->fused->len; i++) {
    Fused *fused = g_ptr_array_index (match->fused, i);

    if (fused->stream == stream)
      return fused;
  }
  return NULL;
}

static gboolean
has_row (const Input *input, gint64 time_ns)
{
  for (guint i = 0; i < MIN (input->n, N_RECENT); i++)
    if (input->recent[i] == time_ns)
      return TRUE;
  return FALSE;
}

void
report_match_add_use (ReportMatch *match, ReportStream *stream, gint64 row_time_ns)
{
  Fused *fused = find_fused (match, stream);

  if (!fused) {
    fused = g_new0 (Fused, 1);
    fused->stream = stream;
    fused->n_found = g_array_new (FALSE, TRUE, sizeof (guint));
    g_ptr_array_add (match->fused, fused);
  }
  if (fused->n_uses >= MAX_USES)
    return;
  fused->n_uses++;
  g_array_set_size (fused->n_found, match->inputs->len);
  for (guint i = 0; i < match->inputs->len; i++)
    g_array_index (fused->n_found, guint, i) += has_row (g_ptr_array_index (match->inputs, i), row_time_ns);
}

gboolean
report_match_has_name (const gchar *topic, const gchar *pad_name)
{
  const gchar *slash = strrchr (topic, '/');

  return g_str_equal (slash ? slash + 1 : topic, pad_name);
}

static ReportStream *
find_by_name (const ReportMatch *match, const gchar *pad_name)
{
  for (guint i = 0; i < match->inputs->len; i++) {
    ReportStream *input = ((Input *) g_ptr_array_index (match->inputs, i))->stream;

    if (report_match_has_name (input->name, pad_name))
      return input;
  }
  return NULL;
}

/* NULL where two inputs have as many: their rows have the same times. */
static ReportStream *
find_by_times (const ReportMatch *match, const Fused *fused)
{
  ReportStream *best = NULL;
  guint most = MAX (MIN_FOUND, fused->n_uses / 2);
  gboolean is_alone = TRUE;

  for (guint i = 0; i < fused->n_found->len; i++) {
    const guint n = g_array_index (fused->n_found, guint, i);
    ReportStream *input = ((Input *) g_ptr_array_index (match->inputs, i))->stream;

    if (n < most || (fused->stream->n_channels > 0 && input->n_channels != fused->stream->n_channels))
      continue;
    is_alone = !best || n > most;
    most = n;
    best = input;
  }
  return is_alone ? best : NULL;
}

ReportStream *
report_match_find (const ReportMatch *match, const ReportStream *stream, const gchar *pad_name)
{
  ReportStream *input = find_by_name (match, pad_name);
  const Fused *fused = find_fused (match, stream);

  return input || !fused ? input : find_by_times (match, fused);
}
