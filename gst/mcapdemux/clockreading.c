/* robocache: reads stamps and log times of a recording, to find its clocks
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "clockreading.h"

/* Places that are read, log time and bytes at each, and log time at both ends. */
#define N_PLACES 64
#define PLACE_TIME (GST_SECOND / 8)
#define PLACE_BYTES ((guint64) 2 << 20)
#define END_TIME GST_SECOND
/* A topic with fewer pairs from there is read alone, up to so many messages. */
#define MIN_PAIRS 16
#define MAX_RARE_MESSAGES 100000

typedef struct
{
  RobocacheMcapSession *session;
  RobocacheBag *bag;
  RobocacheClockSurvey *survey;
  gboolean has_failed;
} Reading;

/* FALSE: no more messages. */
static gboolean
read_next (Reading *reading, RobocacheMcapMessage *message)
{
  RobocacheMcapReadResult result;

  do
    result = robocache_bag_next (reading->bag, message, NULL);
  while (result == ROBOCACHE_MCAP_READ_DAMAGED);
  reading->has_failed |= result == ROBOCACHE_MCAP_READ_FAILED;
  return result == ROBOCACHE_MCAP_READ_MESSAGE;
}

static void
add_message (Reading *reading, const RobocacheMcapMessage *message)
{
  const RobocacheMcapTopic *topic = robocache_mcap_session_topic (reading->session, message->channel_id);
  const gint64 log_ns = robocache_mcap_time_signed (message->log_time);
  gboolean has_stamp;
  gint64 stamp_ns;

  if (!topic || !topic->decoder || !robocache_ros_decoder_read_stamp (topic->decoder, message->data.data, message->data.size, &has_stamp, &stamp_ns))
    return;
  robocache_clock_survey_add (reading->survey, topic->name, has_stamp, stamp_ns, log_ns);
}

/* Messages from a log time on, for some time. */
static void
read_place (Reading *reading, guint64 begin, guint64 length, guint64 max_bytes)
{
  RobocacheMcapMessage message;
  guint64 n_bytes = 0;

  robocache_bag_seek (reading->bag, begin);
  while (n_bytes <= max_bytes && read_next (reading, &message) && (message.log_time < begin || message.log_time - begin <= length)) {
    add_message (reading, &message);
    n_bytes += message.data.size;
  }
}

static void
read_places (Reading *reading, guint64 begin, guint64 end)
{
  const guint64 step = (end - begin) / N_PLACES;

  read_place (reading, begin, END_TIME, G_MAXUINT64);
  for (guint i = 1; i < N_PLACES && !reading->has_failed; i++)
    read_place (reading, begin + END_TIME + i * step, PLACE_TIME, PLACE_BYTES);
  read_place (reading, end - END_TIME, G_MAXUINT64, G_MAXUINT64);
}

/* Reads channels of topics alone that the places had too few messages of. */
static void
read_rare_topics (Reading *reading, const GArray *channel_ids)
{
  GArray *rare = g_array_new (FALSE, FALSE, sizeof (guint16));
  RobocacheMcapMessage message;

  for (guint i = 0; i < channel_ids->len; i++) {
    const guint16 id = g_array_index (channel_ids, guint16, i);

    if (robocache_clock_survey_count (reading->survey, robocache_mcap_session_topic (reading->session, id)->name) < MIN_PAIRS)
      g_array_append_val (rare, id);
  }
  for (guint i = 0; i < rare->len; i++)
    robocache_clock_survey_forget (reading->survey, robocache_mcap_session_topic (reading->session, g_array_index (rare, guint16, i))->name);
  if (rare->len > 0) {
    robocache_bag_select (reading->bag, (const guint16 *) (gpointer) rare->data, rare->len);
    robocache_bag_seek (reading->bag, 0);
    for (guint i = 0; i < MAX_RARE_MESSAGES && read_next (reading, &message); i++)
      add_message (reading, &message);
    robocache_bag_select (reading->bag, (const guint16 *) (gpointer) channel_ids->data, channel_ids->len);
  }
  g_array_unref (rare);
}

static gboolean
find_ends (Reading *reading, guint64 *begin, guint64 *end)
{
  RobocacheMcapMessage message;

  robocache_bag_seek (reading->bag, 0);
  if (!robocache_bag_get_end_time (reading->bag, end) || !read_next (reading, &message))
    return FALSE;
  *begin = message.log_time;
  return *end > *begin && *end <= G_MAXINT64;
}

void
robocache_mcap_find_clocks (RobocacheMcapSession *session, RobocacheBag *bag, const GArray *channel_ids, RobocacheTimeline timeline)
{
  Reading reading = { session, bag, robocache_clock_survey_new (), FALSE };
  guint64 begin, end;
  gboolean is_whole = !find_ends (&reading, &begin, &end) || end - begin <= 2 * N_PLACES * PLACE_TIME;

  if (!is_whole && !reading.has_failed) {
    read_places (&reading, begin, end);
    read_rare_topics (&reading, channel_ids);
    is_whole = robocache_clock_survey_is_irregular (reading.survey);
    if (is_whole)
      GST_CAT_INFO_OBJECT (session->category, session->element, "the clocks are not regular: all messages are read");
  }
  if (is_whole && !reading.has_failed) {
    robocache_clock_survey_forget (reading.survey, NULL);
    read_place (&reading, 0, G_MAXUINT64, G_MAXUINT64);
  }
  robocache_mcap_session_set_clocks (session, robocache_clock_survey_finish (reading.survey, timeline));
  robocache_clock_survey_free (reading.survey);
}
