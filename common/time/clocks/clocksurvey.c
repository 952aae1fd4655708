/* robocache: messages of a recording by topic, in pieces between steps of their clocks
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "clocksurvey.h"

#include <math.h>

#include "clocktopics.h"
#include "common/time/nanoseconds.h"

/* Log time of which the pair with the least delay is kept; it doubles when a piece has too many pairs. */
#define INTERVAL (ROBOCACHE_SECOND / 8)
#define MAX_PAIRS 4096
/* Stamps that are behind others by more, in so many messages in turn, stepped back; late messages are followed by newer ones. */
#define STEP_BACK ROBOCACHE_SECOND
#define N_WITNESSES 3
/* Pairs of a piece that are its clock as it is now. */
#define N_NEWEST 16
/* Time that a simulation may have before its second stamp, besides twice the time until its arrival. */
#define FIRST_STEP ROBOCACHE_SECOND
/* Greatest magnitude of a time, and of log time minus stamp: sums and differences do not overflow. */
#define MAX_TIME ((gint64) 1 << 61)

/* ---- life ---- */

static void
free_piece (gpointer data)
{
  RobocacheClockPiece *piece = data;

  g_array_unref (piece->pairs);
  g_free (piece);
}

static void
free_topic (gpointer data)
{
  RobocacheClockTopic *topic = data;

  g_ptr_array_unref (topic->pieces);
  g_free (topic->name);
  g_free (topic);
}

RobocacheClockSurvey *
robocache_clock_survey_new (void)
{
  RobocacheClockSurvey *survey = g_new (RobocacheClockSurvey, 1);

  survey->topics = g_ptr_array_new_with_free_func (free_topic);
  survey->by_name = g_hash_table_new (g_str_hash, g_str_equal);
  return survey;
}

void
robocache_clock_survey_free (RobocacheClockSurvey *survey)
{
  g_hash_table_unref (survey->by_name);
  g_ptr_array_unref (survey->topics);
  g_free (survey);
}

static RobocacheClockTopic *
find_topic (RobocacheClockSurvey *survey, const gchar *name)
{
  RobocacheClockTopic *topic = g_hash_table_lookup (survey->by_name, name);

  if (topic)
    return topic;
  topic = g_new0 (RobocacheClockTopic, 1);
  topic->name = g_strdup (name);
  topic->pieces = g_ptr_array_new_with_free_func (free_piece);
  topic->interval = INTERVAL;
  g_ptr_array_add (survey->topics, topic);
  g_hash_table_insert (survey->by_name, topic->name, topic);
  return topic;
}

void
robocache_clock_survey_forget (RobocacheClockSurvey *survey, const gchar *name)
{
  for (guint i = survey->topics->len; i-- > 0;) {
    const RobocacheClockTopic *topic = g_ptr_array_index (survey->topics, i);

    if (name && !g_str_equal (topic->name, name))
      continue;
    g_hash_table_remove (survey->by_name, topic->name);
    g_ptr_array_remove_index (survey->topics, i);
  }
}

/* ---- messages ---- */

/* Adds a pair, or replaces the one of its interval if that took longer. */
static void
keep (RobocacheClockPiece *piece, const RobocacheClockPair *pair, gint64 interval)
{
  RobocacheClockPair *last = robocache_clock_piece_last (piece);

  if (!last || pair->log / interval != last->log / interval)
    g_array_append_val (piece->pairs, *pair);
  else if (robocache_clock_pair_difference (pair) < robocache_clock_pair_difference (last))
    *last = *pair;
}

/* Of two intervals one is made. */
static void
thin (RobocacheClockPiece *piece, gint64 interval)
{
  GArray *all = piece->pairs;

  piece->pairs = g_array_new (FALSE, FALSE, sizeof (RobocacheClockPair));
  for (guint i = 0; i < all->len; i++)
    keep (piece, &g_array_index (all, RobocacheClockPair, i), interval);
  g_array_unref (all);
}

static RobocacheClockPiece *
begin_piece (RobocacheClockTopic *topic, const RobocacheClockPair *pair)
{
  RobocacheClockPiece *piece = g_new0 (RobocacheClockPiece, 1);

  piece->topic = topic->name;
  piece->log_begin = pair->log;
  piece->first = piece->last = pair->stamp;
  piece->pairs = g_array_new (FALSE, FALSE, sizeof (RobocacheClockPair));
  g_ptr_array_add (topic->pieces, piece);
  return piece;
}

static void
add_to_piece (RobocacheClockTopic *topic, RobocacheClockPiece *piece, const RobocacheClockPair *pair)
{
  keep (piece, pair, topic->interval);
  piece->n++;
  piece->excess += (gdouble) MAX (robocache_clock_pair_difference (pair) - robocache_clock_pair_difference (robocache_clock_piece_last (piece)), 0);
  piece->first = MIN (piece->first, pair->stamp);
  piece->last = MAX (piece->last, pair->stamp);
  while (piece->pairs->len > MAX_PAIRS) {
    topic->interval *= 2;
    thin (piece, topic->interval);
  }
}

/* Least difference of the piece's newest pairs, at a log time. */
static gint64
least_difference (const RobocacheClockPiece *piece, gint64 log_ns, gdouble slope)
{
  gint64 least = G_MAXINT64;

  for (guint i = piece->pairs->len - MIN (piece->pairs->len, N_NEWEST); i < piece->pairs->len; i++) {
    const RobocacheClockPair *pair = &g_array_index (piece->pairs, RobocacheClockPair, i);
    const gdouble change = slope * (gdouble) (log_ns - pair->log);

    least = MIN (least, robocache_clock_pair_difference (pair) + (gint64) rint (CLAMP (change, -0x1p61, 0x1p61)));
  }
  return least;
}

/* The clock stepped: begins a piece with n messages up to this one, of the recent ones. */
static void
take_step (RobocacheClockTopic *topic, guint i, guint n)
{
  const guint first = i + 1 - MIN (i + 1, n);
  RobocacheClockPiece *piece = begin_piece (topic, robocache_clock_recent_at (&topic->recent, first));

  for (guint k = first; k <= i; k++)
    add_to_piece (topic, piece, robocache_clock_recent_at (&topic->recent, k));
  topic->n_behind = topic->n_run = 0;
}

/* The clock did not step with the messages that were ahead: it goes on as before. */
static void
end_run (RobocacheClockTopic *topic)
{
  if (topic->run_ahead > ROBOCACHE_CLOCK_AGREE) {
    topic->n_ahead += topic->n_run;
    topic->most_ahead = MAX (topic->most_ahead, topic->run_ahead);
  }
}

/* A message whose stamp is before others is late, or of a node that is behind; where most of the recent ones are like it, the stamps stepped back.
 * most: least difference of most of them. i: of recent messages. */
static void
extend_piece (RobocacheClockTopic *topic, RobocacheClockPiece *piece, guint i, gint64 most)
{
  const RobocacheClockPair *pair = robocache_clock_recent_at (&topic->recent, i);

  if (!piece || pair->stamp >= piece->last - STEP_BACK) {
    topic->n_behind = 0;
    add_to_piece (topic, piece ? piece : begin_piece (topic, pair), pair);
    return;
  }
  topic->n_behind++;
  if (topic->n_behind >= N_WITNESSES && most - least_difference (piece, pair->log, 0.0) > ROBOCACHE_CLOCK_AGREE)
    take_step (topic, i, topic->n_behind);
}

/* Adds one of the recent messages to a piece, unless it is ahead of most of them. */
static void
place_recent (RobocacheClockTopic *topic, guint i)
{
  const RobocacheClockPair *pair = robocache_clock_recent_at (&topic->recent, i);
  RobocacheClockPiece *piece = topic->pieces->len > 0 ? g_ptr_array_index (topic->pieces, topic->pieces->len - 1) : NULL;
  gdouble slope = 0.0;
  /* the median costs time, and where all differences agree, none is ahead */
  const gboolean all_agree = topic->greatest - topic->least <= ROBOCACHE_CLOCK_AGREE;
  const gint64 most = all_agree ? topic->least : robocache_clock_recent_difference (&topic->recent, pair->log, &slope);
  const gint64 ahead = (piece && !all_agree ? least_difference (piece, pair->log, slope) : most) - robocache_clock_pair_difference (pair);

  if (robocache_clock_pair_difference (pair) < most - ROBOCACHE_CLOCK_AGREE) {
    topic->n_run++;
    topic->run_ahead = MAX (topic->run_ahead, ahead);
    return;
  }
  if (piece && ahead > ROBOCACHE_CLOCK_AGREE) {
    take_step (topic, i, topic->n_run + 1);
  } else {
    end_run (topic);
    extend_piece (topic, piece, i, most);
  }
  topic->n_run = 0;
  topic->run_ahead = 0;
}

static gboolean
is_ahead_of_most (const RobocacheClockTopic *topic, guint i)
{
  const RobocacheClockPair *pair = robocache_clock_recent_at (&topic->recent, i);
  gdouble slope;

  return robocache_clock_pair_difference (pair) < robocache_clock_recent_difference (&topic->recent, pair->log, &slope) - ROBOCACHE_CLOCK_AGREE;
}

/* How many of the first messages are ahead of all others, since the clock stepped back after them; 0: it did not. */
static guint
count_before_step (const RobocacheClockTopic *topic)
{
  guint n = 0;

  if (topic->greatest - topic->least <= ROBOCACHE_CLOCK_AGREE)
    return 0;
  while (n < robocache_clock_recent_count (&topic->recent) && is_ahead_of_most (topic, n))
    n++;
  for (guint i = n; i < robocache_clock_recent_count (&topic->recent); i++) {
    if (is_ahead_of_most (topic, i))
      return 0;
  }
  return n < N_WITNESSES ? 0 : n;
}

/* A topic whose recent messages are all that it has, or just enough. */
static void
place_first (RobocacheClockTopic *topic)
{
  const guint n = count_before_step (topic);

  if (n > 0)
    take_step (topic, n - 1, n);
  for (guint i = n; i < robocache_clock_recent_count (&topic->recent); i++)
    place_recent (topic, i);
}

static void
add_pair (RobocacheClockTopic *topic, const RobocacheClockPair *pair)
{
  const gint64 difference = robocache_clock_pair_difference (pair);

  topic->least = topic->n_stamps == 0 ? difference : MIN (topic->least, difference);
  topic->greatest = topic->n_stamps == 0 ? difference : MAX (topic->greatest, difference);
  topic->n_stamps++;
  robocache_clock_recent_add (&topic->recent, pair);
  if (topic->recent.n == ROBOCACHE_CLOCK_RECENT)
    place_first (topic);
  else if (topic->recent.n > ROBOCACHE_CLOCK_RECENT)
    place_recent (topic, ROBOCACHE_CLOCK_RECENT - 1);
}

static void
add_unstamped (RobocacheClockTopic *topic, gint64 log_ns)
{
  topic->first_log = topic->n_unstamped == 0 ? log_ns : MIN (topic->first_log, log_ns);
  topic->last_log = topic->n_unstamped == 0 ? log_ns : MAX (topic->last_log, log_ns);
  topic->n_unstamped++;
}

gboolean
robocache_clock_continues_from_zero (gint64 zero_log_ns, gint64 stamp_ns, gint64 log_ns)
{
  return stamp_ns > 0 && stamp_ns <= FIRST_STEP + 2 * CLAMP (log_ns - zero_log_ns, 0, MAX_TIME);
}

/* The first stamp after some of 0. */
static void
judge_zeros (RobocacheClockTopic *topic, const RobocacheClockPair *next)
{
  const RobocacheClockPair zero = { 0, topic->zero_log };

  topic->has_zero = robocache_clock_continues_from_zero (topic->zero_log, next->stamp, next->log);
  if (topic->has_zero)
    add_pair (topic, &zero);
}

void
robocache_clock_survey_add (RobocacheClockSurvey *survey, const gchar *name, gboolean has_stamp, gint64 stamp_ns, gint64 log_ns)
{
  RobocacheClockTopic *topic = find_topic (survey, name);
  const RobocacheClockPair pair = { stamp_ns, log_ns };

  if (log_ns < -MAX_TIME || log_ns > MAX_TIME)
    return;
  if (has_stamp && (stamp_ns < log_ns - MAX_TIME || stamp_ns > MIN (log_ns, 0) + MAX_TIME))
    return;
  if (!has_stamp || (stamp_ns == 0 && topic->n_stamps > 0 && !topic->has_zero)) {
    add_unstamped (topic, log_ns);
  } else if (stamp_ns == 0 && topic->n_stamps == 0) {
    topic->n_zeros++;
    topic->zero_log = log_ns;
    add_unstamped (topic, log_ns);
  } else {
    if (topic->n_zeros > 0 && topic->n_stamps == 0)
      judge_zeros (topic, &pair);
    add_pair (topic, &pair);
  }
}

guint
robocache_clock_survey_count (const RobocacheClockSurvey *survey, const gchar *name)
{
  const RobocacheClockTopic *topic = g_hash_table_lookup (survey->by_name, name);
  guint64 n = topic ? topic->n_unstamped : 0;

  if (topic && topic->recent.n < ROBOCACHE_CLOCK_RECENT)
    n += topic->recent.n;
  for (guint i = 0; topic && i < topic->pieces->len; i++)
    n += ((const RobocacheClockPiece *) g_ptr_array_index (topic->pieces, i))->pairs->len;
  return (guint) MIN (n, G_MAXUINT);
}

gboolean
robocache_clock_survey_is_irregular (const RobocacheClockSurvey *survey)
{
  for (guint i = 0; i < survey->topics->len; i++) {
    const RobocacheClockTopic *topic = g_ptr_array_index (survey->topics, i);

    if (topic->pieces->len > 1 || topic->n_behind > 0 || topic->greatest - topic->least > ROBOCACHE_CLOCK_AGREE)
      return TRUE;
  }
  return FALSE;
}

void
robocache_clock_survey_end_reading (RobocacheClockSurvey *survey)
{
  for (guint i = 0; i < survey->topics->len; i++) {
    RobocacheClockTopic *topic = g_ptr_array_index (survey->topics, i);
    guint last;

    if (topic->recent.n == 0)
      continue;
    if (topic->pieces->len == 0)
      place_first (topic);
    last = robocache_clock_recent_count (&topic->recent) - 1;
    /* steps before which most recent messages are */
    if (topic->pieces->len > 0 && topic->n_behind >= N_WITNESSES) {
      end_run (topic);          /* messages that are ahead came after them */
      take_step (topic, last - MIN (topic->n_run, last), topic->n_behind);
    } else if (topic->pieces->len > 0 && topic->n_run >= ROBOCACHE_CLOCK_MIN_PAIRS) {
      take_step (topic, last, topic->n_run);
    } else {
      end_run (topic);
    }
    topic->n_run = topic->n_behind = 0;
  }
}
