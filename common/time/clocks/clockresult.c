/* robocache: which clocks stamped the topics of a recording, and how to put them on one timeline
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include <math.h>

#include "clockgroups.h"
#include "clockmap.h"
#include "clocksurvey.h"
#include "clocktopics.h"
#include "common/time/nanoseconds.h"

/* Part of the uncertainty of a shift: least delays are not known better. */
#define LEAST_DELAY ROBOCACHE_MSECOND

/* ---- the timeline ---- */

/* What is found, until it is a variant. */
typedef struct
{
  const RobocacheClockSurvey *survey;
  RobocacheTimeline timeline;
  GPtrArray *groups;            /* of RobocacheClockGroup */
  guint reference;              /* group whose clock is the timeline */
  GPtrArray *lines;             /* of each group: GArray of RobocacheClockKnot, stamps to the timeline; without knots they stay */
  GArray *recorder;             /* the same of log times */
  GVariantBuilder sentences;
} Result;

static const RobocacheClockGroup *
group_at (const Result *result, guint i)
{
  return g_ptr_array_index (result->groups, i);
}

static GArray *
knots_new (void)
{
  return g_array_new (FALSE, FALSE, sizeof (RobocacheClockKnot));
}

static gint
compare_knots (gconstpointer a, gconstpointer b)
{
  const RobocacheClockKnot *x = a, *y = b;

  return (x->time > y->time) - (x->time < y->time);
}

/* Removes knots at which time does not go on. */
static void
order_knots (GArray *knots)
{
  guint n = 0;

  g_array_sort (knots, compare_knots);
  for (guint i = 0; i < knots->len; i++) {
    const RobocacheClockKnot knot = g_array_index (knots, RobocacheClockKnot, i);
    const RobocacheClockKnot *last = n > 0 ? &g_array_index (knots, RobocacheClockKnot, n - 1) : NULL;

    if (!last || (knot.time > last->time && knot.time + knot.shift > last->time + last->shift))
      g_array_index (knots, RobocacheClockKnot, n++) = knot;
  }
  g_array_set_size (knots, n);
}

/* From a clock to another one, both given as lines to log times. */
static GArray *
compose (const GArray *from, const GArray *to)
{
  GArray *knots = knots_new ();

  for (guint i = 0; i < from->len; i++) {
    const gint64 time = g_array_index (from, RobocacheClockKnot, i).time;
    const RobocacheClockKnot knot = { time, robocache_clock_line_back (to, robocache_clock_line_at (from, time)) - time };

    g_array_append_val (knots, knot);
  }
  for (guint i = 0; i < to->len; i++) {
    const gint64 time = g_array_index (to, RobocacheClockKnot, i).time;
    const gint64 source = robocache_clock_line_back (from, robocache_clock_line_at (to, time));
    const RobocacheClockKnot knot = { source, time - source };

    g_array_append_val (knots, knot);
  }
  order_knots (knots);
  return knots;
}

static GArray *
reverse (const GArray *line)
{
  GArray *knots = knots_new ();

  for (guint i = 0; i < line->len; i++) {
    const RobocacheClockKnot *of_line = &g_array_index (line, RobocacheClockKnot, i), knot = { of_line->time + of_line->shift, -of_line->shift };

    g_array_append_val (knots, knot);
  }
  return knots;
}

static guint
choose_reference (const Result *result)
{
  guint best = 0;

  if (result->timeline == ROBOCACHE_TIMELINE_RECORDER || group_at (result, 0)->knots->len > 0)
    return 0;
  for (guint i = 1; i < result->groups->len; i++) {
    if (best == 0 || group_at (result, i)->n > group_at (result, best)->n)
      best = i;
  }
  return best;
}

static void
free_array (gpointer array)
{
  g_array_unref (array);
}

/* From the clock of a group. One without stamps enough for a line is the recorder's. */
static GArray *
line_to_reference (const Result *result, guint i)
{
  const RobocacheClockGroup *group = group_at (result, i);

  return group->knots->len == 0 ? g_array_ref (result->recorder) : compose (group->knots, group_at (result, result->reference)->knots);
}

static void
find_lines (Result *result)
{
  /* the recorder's own times agree with the stamps of its group, except for their delays */
  result->recorder = result->reference == 0 ? knots_new () : reverse (group_at (result, result->reference)->knots);
  result->lines = g_ptr_array_new_with_free_func (free_array);
  for (guint i = 0; i < result->groups->len; i++) {
    const gboolean stays = i == result->reference || result->timeline == ROBOCACHE_TIMELINE_STAMPS;

    g_ptr_array_add (result->lines, stays ? knots_new () : line_to_reference (result, i));
  }
}

/* What a clock's shift is not known better than. */
static gint64
uncertainty_of (const Result *result, guint i)
{
  const RobocacheClockGroup *group = group_at (result, i), *reference = group_at (result, result->reference);
  gint64 delay = 0;

  if (i == result->reference)
    return 0;
  /* the recorder's group has a least delay that is known, and that the other clock's messages may not have */
  if (result->reference == 0 && reference->knots->len > 0)
    delay = MAX (g_array_index (reference->knots, RobocacheClockKnot, 0).shift, 0);
  return group->uncertainty + reference->uncertainty + group->excess + reference->excess + delay + LEAST_DELAY;
}

/* ---- pieces ---- */

static GPtrArray *
list_pieces (const RobocacheClockSurvey *survey)
{
  GPtrArray *pieces = g_ptr_array_new ();

  for (guint i = 0; i < survey->topics->len; i++) {
    const RobocacheClockTopic *topic = g_ptr_array_index (survey->topics, i);

    for (guint k = 0; k < topic->pieces->len; k++)
      g_ptr_array_add (pieces, g_ptr_array_index (topic->pieces, k));
  }
  return pieces;
}

/* Whether a piece follows a break: another clock than the piece before it. Late messages that looked like a step have the same. */
static gboolean
is_break (const RobocacheClockTopic *topic, guint k)
{
  return k > 0 && ((RobocacheClockPiece *) g_ptr_array_index (topic->pieces, k))->group
      != ((RobocacheClockPiece *) g_ptr_array_index (topic->pieces, k - 1))->group;
}

static gchar *
seconds_text (gint64 ns)
{
  const guint64 magnitude = ns < 0 ? -(guint64) ns : (guint64) ns;

  return g_strdup_printf ("%s%" G_GUINT64_FORMAT ".%09" G_GUINT64_FORMAT " s", ns < 0 ? "-" : "", magnitude / (guint64) ROBOCACHE_SECOND,
      magnitude % (guint64) ROBOCACHE_SECOND);
}

/* A piece's topic, and which of its breaks it follows. */
static gchar *
name_piece (const Result *result, const RobocacheClockPiece *piece, guint n_breaks)
{
  if (group_at (result, piece->group)->knots->len == 0)
    return g_strdup_printf ("%s (too few stamps for a clock)", piece->topic);
  return n_breaks > 0 ? g_strdup_printf ("%s after step %u", piece->topic, n_breaks) : g_strdup (piece->topic);
}

static void
name_pieces (const Result *result, guint group, GPtrArray *names)
{
  for (guint i = 0; i < result->survey->topics->len; i++) {
    const RobocacheClockTopic *topic = g_ptr_array_index (result->survey->topics, i);
    guint n_breaks = 0;

    for (guint k = 0; k < topic->pieces->len; k++) {
      const RobocacheClockPiece *piece = g_ptr_array_index (topic->pieces, k);

      n_breaks += is_break (topic, k);
      if (piece->group == group && (k == 0 || is_break (topic, k)))
        g_ptr_array_add (names, name_piece (result, piece, n_breaks));
    }
    if (group == 0 && topic->pieces->len == 0)
      g_ptr_array_add (names, g_strdup_printf ("%s (without stamps)", topic->name));
  }
  g_ptr_array_add (names, NULL);
}

/* ---- sentences ---- */

static void
take_sentence (Result *result, gchar *sentence)
{
  g_variant_builder_add (&result->sentences, "s", sentence);
  g_free (sentence);
}

/* The first shift of a group's clock from the timeline, whether it is applied or not. */
static gint64
first_shift (const Result *result, guint i)
{
  GArray *line;
  gint64 shift;

  if (i == result->reference)
    return 0;
  line = line_to_reference (result, i);
  shift = line->len > 0 ? g_array_index (line, RobocacheClockKnot, 0).shift : 0;
  g_array_unref (line);
  return shift;
}

static gchar *
describe_clock (const Result *result, guint i, const gchar *names, guint number, guint n)
{
  const RobocacheClockGroup *group = group_at (result, i);
  const gchar *of_recorder = group->is_recorder ? ", the recorder's" : "";
  gchar *shift, *text;

  if (i == result->reference && group->is_recorder)
    return g_strdup_printf ("clock %u of %u%s, is the timeline: %s", number, n, of_recorder, names);
  shift = seconds_text (first_shift (result, i == result->reference ? 0 : i));
  if (i == result->reference)
    text = g_strdup_printf ("clock %u of %u, is the timeline: %s: the recorder's clock differs by %s", number, n, names, shift);
  else if (group->knots->len == 0)
    text = g_strdup_printf ("clock %u of %u, the recorder's: %s: shifts their times, which are those of arrival, by %s, uncertainty %.3f ms", number,
        n, names, shift, (gdouble) uncertainty_of (result, i) / 1e6);
  else
    text = g_strdup_printf ("clock %u of %u%s: %s: %s its stamps by %s, uncertainty %.3f ms, drift %+.3f ppm", number, n, of_recorder, names,
        result->timeline == ROBOCACHE_TIMELINE_STAMPS ? "not shifted, though the arrivals of messages would shift" : "shifts", shift,
        (gdouble) uncertainty_of (result, i) / 1e6, group->drift_ppm);
  g_free (shift);
  return text;
}

static guint
count_clocks (const Result *result, GPtrArray **names)
{
  guint n = 0;

  for (guint i = 0; i < result->groups->len; i++)
    n += names[i]->len > 1;
  return n;
}

/* Messages that most others of their topic disagree with. */
static void
describe_ahead (Result *result)
{
  for (guint i = 0; i < result->survey->topics->len; i++) {
    const RobocacheClockTopic *topic = g_ptr_array_index (result->survey->topics, i);

    if (topic->n_ahead > 0)
      take_sentence (result, g_strdup_printf ("%s: %" G_GUINT64_FORMAT " of %" G_GUINT64_FORMAT " stamps are ahead of the others, by up to %.3f s: "
              "they do not count for its clock, and stay ahead", topic->name, topic->n_ahead, topic->n_stamps, (gdouble) topic->most_ahead / 1e9));
  }
}

/* The least and the greatest of the topics' delays, which a clock does not explain. */
static void
describe_delays (Result *result)
{
  const RobocacheClockPiece *least = NULL, *greatest = NULL;
  gint64 least_delay = 0, greatest_delay = 0;
  GPtrArray *pieces = list_pieces (result->survey);

  for (guint i = 0; i < pieces->len; i++) {
    const RobocacheClockPiece *piece = g_ptr_array_index (pieces, i);
    const gint64 delay = robocache_clock_piece_delay (piece, g_ptr_array_index (result->lines, piece->group), result->recorder);

    if (!robocache_clock_piece_has_clock (piece) || (result->timeline == ROBOCACHE_TIMELINE_STAMPS && piece->group != result->reference))
      continue;
    if (!least || delay < least_delay) {
      least = piece;
      least_delay = delay;
    }
    if (!greatest || delay > greatest_delay) {
      greatest = piece;
      greatest_delay = delay;
    }
  }
  if (least)
    take_sentence (result, g_strdup_printf ("messages arrive at least %.3f ms (%s) to %.3f ms (%s) after their stamps: differences below %g s "
            "are delays, not other clocks, and stay%s", (gdouble) least_delay / 1e6, least->topic, (gdouble) greatest_delay / 1e6, greatest->topic,
            (gdouble) ROBOCACHE_CLOCK_AGREE / 1e9, least_delay < -LEAST_DELAY && result->reference == 0
            ? "; negative delays are stamps that are ahead" : ""));
  g_ptr_array_unref (pieces);
}

/* ---- the variant ---- */

static GVariant *
variant_of_knots (const GArray *knots)
{
  GVariantBuilder builder;

  g_variant_builder_init (&builder, G_VARIANT_TYPE ("a(xx)"));
  for (guint i = 0; i < knots->len; i++) {
    const RobocacheClockKnot *knot = &g_array_index (knots, RobocacheClockKnot, i);

    g_variant_builder_add (&builder, "(xx)", knot->time, knot->shift);
  }
  return g_variant_builder_end (&builder);
}

static void
add_entry (GVariantBuilder *map, const Result *result, const RobocacheClockTopic *topic)
{
  GVariantBuilder pieces;

  g_variant_builder_init (&pieces, G_VARIANT_TYPE ("a(ta(xx))"));
  for (guint k = 0; k < topic->pieces->len; k++) {
    const RobocacheClockPiece *piece = g_ptr_array_index (topic->pieces, k);

    if (k == 0 || is_break (topic, k))
      g_variant_builder_add (&pieces, "(t@a(xx))", k == 0 ? (guint64) 0 : (guint64) MAX (piece->log_begin, 0),
          variant_of_knots (g_ptr_array_index (result->lines, piece->group)));
  }
  g_variant_builder_add (map, "(sba(ta(xx)))", topic->name, topic->has_zero, &pieces);
}

static GVariant *
make_map (const Result *result)
{
  GVariantBuilder map, recorder;

  g_variant_builder_init (&map, G_VARIANT_TYPE (ROBOCACHE_CLOCK_MAP_TYPE));
  g_variant_builder_init (&recorder, G_VARIANT_TYPE ("a(ta(xx))"));
  g_variant_builder_add (&recorder, "(t@a(xx))", (guint64) 0, variant_of_knots (result->recorder));
  g_variant_builder_add (&map, "(sba(ta(xx)))", "", FALSE, &recorder);
  for (guint i = 0; i < result->survey->topics->len; i++)
    add_entry (&map, result, g_ptr_array_index (result->survey->topics, i));
  return g_variant_builder_end (&map);
}

static GVariant *
make_clocks (Result *result)
{
  GPtrArray **names = g_new (GPtrArray *, result->groups->len);
  GVariantBuilder clocks;
  guint number = 0;

  g_variant_builder_init (&clocks, G_VARIANT_TYPE ("a(asxxdbb)"));
  for (guint i = 0; i < result->groups->len; i++) {
    names[i] = g_ptr_array_new_with_free_func (g_free);
    name_pieces (result, i, names[i]);
  }
  for (guint i = 0; i < result->groups->len; i++) {
    const RobocacheClockGroup *group = group_at (result, i);
    gchar *list = g_strjoinv (", ", (gchar **) names[i]->pdata);

    if (names[i]->len > 1) {
      take_sentence (result, describe_clock (result, i, list, ++number, count_clocks (result, names)));
      g_variant_builder_add (&clocks, "(^asxxdbb)", names[i]->pdata, first_shift (result, i), uncertainty_of (result, i), group->drift_ppm,
          i == result->reference, group->is_recorder);
    }
    g_free (list);
  }
  for (guint i = 0; i < result->groups->len; i++)
    g_ptr_array_unref (names[i]);
  g_free (names);
  return g_variant_builder_end (&clocks);
}

/* Messages without a stamp, and pieces with few stamps, count by their arrival: such stamps may be those of an earlier time. */
static void
add_topic (GVariantBuilder *topics, const Result *result, const RobocacheClockTopic *topic)
{
  gint64 first_log = topic->n_unstamped > 0 ? topic->first_log : G_MAXINT64, last_log = topic->n_unstamped > 0 ? topic->last_log : G_MININT64;
  gint64 first = G_MAXINT64, last = G_MININT64, delay = G_MAXINT64;

  for (guint k = 0; k < topic->pieces->len; k++) {
    const RobocacheClockPiece *piece = g_ptr_array_index (topic->pieces, k);
    const GArray *line = g_ptr_array_index (result->lines, piece->group);

    if (!robocache_clock_piece_has_clock (piece)) {
      first_log = MIN (first_log, g_array_index (piece->pairs, RobocacheClockPair, 0).log);
      last_log = MAX (last_log, robocache_clock_piece_last (piece)->log);
      continue;
    }
    first = MIN (first, robocache_clock_line_at (line, piece->first));
    last = MAX (last, robocache_clock_line_at (line, piece->last));
    delay = MIN (delay, robocache_clock_piece_delay (piece, line, result->recorder));
  }
  if (first > last)
    delay = 0;
  if (first_log <= last_log) {
    first = MIN (first, robocache_clock_line_at (result->recorder, first_log));
    last = MAX (last, robocache_clock_line_at (result->recorder, last_log));
  }
  g_variant_builder_add (topics, "(sxxx)", topic->name, first, last, delay);
}

static GVariant *
make_topics (const Result *result)
{
  GVariantBuilder topics;

  g_variant_builder_init (&topics, G_VARIANT_TYPE ("a(sxxx)"));
  for (guint i = 0; i < result->survey->topics->len; i++)
    add_topic (&topics, result, g_ptr_array_index (result->survey->topics, i));
  return g_variant_builder_end (&topics);
}

/* By how much stamps step back from the piece before (ns); negative: forward, besides the time that passes. */
static gint64
step_between (const RobocacheClockPiece *before, const RobocacheClockPiece *piece)
{
  const gint64 back = before->last - piece->first;
  const gint64 change = robocache_clock_pair_difference (&g_array_index (piece->pairs, RobocacheClockPair, 0)) - robocache_clock_pair_difference (robocache_clock_piece_last (before));

  return change > 0 && back > 0 ? back : change;
}

static void
add_breaks (Result *result, GVariantBuilder *breaks, const RobocacheClockTopic *topic)
{
  for (guint k = 1; k < topic->pieces->len; k++) {
    const RobocacheClockPiece *before = g_ptr_array_index (topic->pieces, k - 1), *piece = g_ptr_array_index (topic->pieces, k);
    const gint64 back = step_between (before, piece);
    gchar *step, *at;

    if (!is_break (topic, k))
      continue;
    step = seconds_text (ABS (back));
    at = seconds_text (piece->log_begin);
    g_variant_builder_add (breaks, "(sxxxx)", topic->name, piece->log_begin, back,
        robocache_clock_line_at (g_ptr_array_index (result->lines, before->group), before->last),
        robocache_clock_line_at (g_ptr_array_index (result->lines, piece->group), piece->first));
    take_sentence (result, g_strdup_printf ("%s: stamps step %s by %s at log time %s: a break, after which its clock is another one",
            topic->name, back > 0 ? "back" : "forward", step, at));
    g_free (step);
    g_free (at);
  }
}

static GVariant *
make_breaks (Result *result)
{
  GVariantBuilder breaks;

  g_variant_builder_init (&breaks, G_VARIANT_TYPE ("a(sxxxx)"));
  for (guint i = 0; i < result->survey->topics->len; i++)
    add_breaks (result, &breaks, g_ptr_array_index (result->survey->topics, i));
  return g_variant_builder_end (&breaks);
}

GVariant *
robocache_clock_survey_finish (RobocacheClockSurvey *survey, RobocacheTimeline timeline)
{
  GPtrArray *pieces;
  Result result = {.survey = survey,.timeline = timeline };
  GVariantBuilder all;

  robocache_clock_survey_end_reading (survey);
  pieces = list_pieces (survey);
  result.groups = robocache_clock_groups_find (pieces);
  result.reference = choose_reference (&result);
  find_lines (&result);
  g_variant_builder_init (&result.sentences, G_VARIANT_TYPE ("as"));
  g_variant_builder_init (&all, G_VARIANT_TYPE ("a{sv}"));
  g_variant_builder_add (&all, "{sv}", "map", make_map (&result));
  g_variant_builder_add (&all, "{sv}", "clocks", make_clocks (&result));
  describe_delays (&result);
  describe_ahead (&result);
  g_variant_builder_add (&all, "{sv}", "topics", make_topics (&result));
  g_variant_builder_add (&all, "{sv}", "breaks", make_breaks (&result));
  g_variant_builder_add (&all, "{sv}", "lines", g_variant_builder_end (&result.sentences));
  g_array_unref (result.recorder);
  g_ptr_array_unref (result.lines);
  g_ptr_array_unref (result.groups);
  g_ptr_array_unref (pieces);
  return g_variant_ref_sink (g_variant_builder_end (&all));
}
