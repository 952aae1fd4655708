/* robocache: metadata.yaml of a folder that ros2 bag plays
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "bagfolder.h"

#include <string.h>

#include "channels.h"

typedef struct
{
  gchar *name;
  guint64 start_time, end_time, n_messages;
} File;

typedef struct
{
  gchar *name, *type;
  guint64 n_messages;
} Topic;

struct _MuxBag
{
  GArray *files, *topics;
};

static void
clear_file (gpointer data)
{
  g_free (((File *) data)->name);
}

static void
clear_topic (gpointer data)
{
  g_free (((Topic *) data)->name);
  g_free (((Topic *) data)->type);
}

MuxBag *
mux_bag_new (void)
{
  MuxBag *bag = g_new0 (MuxBag, 1);

  bag->files = g_array_new (FALSE, FALSE, sizeof (File));
  g_array_set_clear_func (bag->files, clear_file);
  bag->topics = g_array_new (FALSE, FALSE, sizeof (Topic));
  g_array_set_clear_func (bag->topics, clear_topic);
  return bag;
}

void
mux_bag_free (MuxBag *bag)
{
  g_array_unref (bag->files);
  g_array_unref (bag->topics);
  g_free (bag);
}

static void
count_topic (MuxBag *bag, const MuxTopicCount *count)
{
  Topic topic;

  for (guint i = 0; i < bag->topics->len; i++) {
    Topic *known = &g_array_index (bag->topics, Topic, i);

    if (strcmp (known->name, count->topic) == 0 && strcmp (known->type, count->type) == 0) {
      known->n_messages += count->n_messages;
      return;
    }
  }
  topic = (Topic) {g_strdup (count->topic), g_strdup (count->type), count->n_messages};
  g_array_append_val (bag->topics, topic);
}

void
mux_bag_add_file (MuxBag *bag, const gchar *name, const MuxOutput *closed)
{
  File file = { g_strdup (name), closed->start_time, closed->end_time };

  for (guint i = 0; i < closed->topics->len; i++) {
    const MuxTopicCount *count = &g_array_index (closed->topics, MuxTopicCount, i);

    file.n_messages += count->n_messages;
    count_topic (bag, count);
  }
  g_array_append_val (bag->files, file);
}

/* A text in double quotes, as YAML has it. */
static void
append_quoted (GString *yaml, const gchar *text)
{
  g_string_append_c (yaml, '"');
  for (; *text; text++) {
    if (*text == '\n')
      g_string_append (yaml, "\\n");
    else if ((guchar) *text < 0x20)
      g_string_append_printf (yaml, "\\x%02x", (guint) *text);
    else if (*text == '"' || *text == '\\')
      g_string_append_printf (yaml, "\\%c", *text);
    else
      g_string_append_c (yaml, *text);
  }
  g_string_append_c (yaml, '"');
}

static void
append_span (GString *yaml, const gchar *indent, guint64 start, guint64 end)
{
  g_string_append_printf (yaml, "%sduration:\n%s  nanoseconds: %" G_GUINT64_FORMAT "\n", indent, indent, end - start);
  g_string_append_printf (yaml, "%sstarting_time:\n%s  nanoseconds_since_epoch: %" G_GUINT64_FORMAT "\n", indent, indent, start);
}

static void
append_topics (GString *yaml, const GArray *topics)
{
  g_string_append (yaml, topics->len > 0 ? "  topics_with_message_count:\n" : "  topics_with_message_count: []\n");
  for (guint i = 0; i < topics->len; i++) {
    const Topic *topic = &g_array_index (topics, Topic, i);

    g_string_append (yaml, "    - topic_metadata:\n        name: ");
    append_quoted (yaml, topic->name);
    g_string_append_printf (yaml, "\n        type: %s\n        serialization_format: cdr\n        offered_qos_profiles: ",
        topic->type);
    append_quoted (yaml, MUX_OFFERED_QOS);
    g_string_append_printf (yaml, "\n      message_count: %" G_GUINT64_FORMAT "\n", topic->n_messages);
  }
}

static void
append_paths (GString *yaml, const GArray *files)
{
  g_string_append (yaml, "  compression_format: \"\"\n  compression_mode: \"\"\n  relative_file_paths:\n");
  for (guint i = 0; i < files->len; i++) {
    g_string_append (yaml, "    - ");
    append_quoted (yaml, g_array_index (files, File, i).name);
    g_string_append_c (yaml, '\n');
  }
}

static void
append_files (GString *yaml, const GArray *files)
{
  g_string_append (yaml, "  files:\n");
  for (guint i = 0; i < files->len; i++) {
    const File *file = &g_array_index (files, File, i);

    g_string_append (yaml, "    - path: ");
    append_quoted (yaml, file->name);
    g_string_append_c (yaml, '\n');
    append_span (yaml, "      ", file->start_time, file->end_time);
    g_string_append_printf (yaml, "      message_count: %" G_GUINT64_FORMAT "\n", file->n_messages);
  }
}

gchar *
mux_bag_describe (const MuxBag *bag)
{
  GString *yaml = g_string_new ("rosbag2_bagfile_information:\n  version: 5\n  storage_identifier: mcap\n");
  guint64 start = G_MAXUINT64, end = 0, n_messages = 0;

  for (guint i = 0; i < bag->files->len; i++) {
    const File *file = &g_array_index (bag->files, File, i);

    if (file->n_messages == 0)
      continue;
    start = MIN (start, file->start_time);
    end = MAX (end, file->end_time);
    n_messages += file->n_messages;
  }
  append_span (yaml, "  ", n_messages > 0 ? start : 0, end);
  g_string_append_printf (yaml, "  message_count: %" G_GUINT64_FORMAT "\n", n_messages);
  append_topics (yaml, bag->topics);
  append_paths (yaml, bag->files);
  append_files (yaml, bag->files);
  return g_string_free (yaml, FALSE);
}
