/* robocache: a fuzzer of definitions and messages that are not ROS 2's, of bags of ROS 1, and of compressed depth images
 *
 * The first byte chooses. Of definitions, two bytes are the length of the text or bytes, which follow; the rest is messages, each behind two
 * bytes of its length. A message in CDR that a transcoder makes has exactly the fields of its schema, and gives the same samples again. Of a
 * bag, each message is in the order of time, and the same ones come again after a seek.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include <string.h>

#include "bench.h"
#include "common/bags/storage.h"
#include "common/ros/encodings/transcoder.h"
#include "common/ros/fieldlocator.h"
#include "common/rosstreams/pictures/depthpictures.h"
#include "common/rosstreams/rosdecoder.h"
#include "tests/check/mcap/memorysource.h"

#define MAX_MESSAGES 16
#define MAX_BAG_MESSAGES 100000

static const gchar *const types[] = { "a/T", "a/msg/T", "T", "sensor_msgs/JointState", "sensor_msgs/PointCloud2", "livox_ros_driver2/CustomMsg",
  "foxglove.PointCloud", "foxglove.RawImage", "foxglove.CompressedImage", "foxglove.LaserScan", "foxglove.FrameTransforms", "test.deep.All"
};

static const struct
{
  const gchar *message_encoding, *schema_encoding;
} encodings[] = { {"ros1", "ros1msg"}, {"protobuf", "protobuf"}, {"json", "jsonschema"}, {"cdr", "ros2idl"} };

/* ---- messages ---- */

static void
check_message (RobocacheTranscoder *transcoder, gboolean is_cdr, gconstpointer message, gsize size)
{
  RobocacheCdrReader reader;
  GError *error = NULL;

  if (!robocache_transcoder_run (transcoder, &message, &size, &error)) {
    if (!error || !*error->message)
      fuzz_fail ("a message is refused without an error");
    g_clear_error (&error);
    return;
  }
  if (error)
    fuzz_fail ("a message has an error");
  robocache_cdr_reader_init (&reader, message, size);
  robocache_ros_skip_message (robocache_transcoder_schema (transcoder), 0, &reader);
  if (!is_cdr && (reader.fault || reader.offset != reader.size))
    fuzz_fail ("a message that was made does not have its schema");
}

static guint64
decode (RobocacheRosDecoder *decoder, gconstpointer message, gsize size)
{
  GError *error = NULL;
  const GArray *samples = robocache_ros_decoder_run (decoder, message, size, &error);
  const gchar *note;

  if ((samples == NULL) != (error != NULL))
    fuzz_fail ("a message has %s samples and %s error", samples ? "its" : "no", error ? "an" : "no");
  for (guint i = 0; (note = robocache_ros_decoder_note (decoder, i)) != NULL; i++)
    if (!g_utf8_validate (note, -1, NULL))
      fuzz_fail ("a note is no UTF-8");
  g_clear_error (&error);
  return samples ? samples->len : G_MAXUINT64;
}

static void
read_messages (const RobocacheMessageFormat *format, Input *input)
{
  const gboolean is_cdr = g_str_equal (format->message_encoding, "cdr");
  const RobocacheRosChannel channel = {.topic = "/t",.type = format->type,.definition = format->definition,
    .definition_size = format->definition_size,.message_encoding = format->message_encoding,.schema_encoding = format->schema_encoding
  };
  GError *error = NULL;
  RobocacheTranscoder *transcoder = robocache_transcoder_new (format, &error);
  RobocacheRosDecoder *decoder = transcoder ? robocache_ros_decoder_new (&channel, NULL) : NULL;

  if ((transcoder == NULL) != (error != NULL))
    fuzz_fail ("a definition has %s transcoder and %s error", transcoder ? "a" : "no", error ? "an" : "no");
  g_clear_error (&error);
  for (guint i = 0; transcoder && i < MAX_MESSAGES && !input_is_empty (input); i++) {
    gsize size;
    guint8 *message = input_exact (input, &size);

    check_message (transcoder, is_cdr, message, size);
    if (decoder && decode (decoder, message, size) != decode (decoder, message, size))
      fuzz_fail ("a message has other samples again");
    g_free (message);
  }
  robocache_ros_decoder_free (decoder);
  robocache_transcoder_free (transcoder);
}

/* ---- bags ---- */

static guint64
play (RobocacheBagStorage *storage)
{
  RobocacheMcapMessage message;
  RobocacheMcapReadResult result;
  guint64 digest = 0;
  guint n = 0;

  while ((result = storage->class->next (storage, &message, NULL)) != ROBOCACHE_MCAP_READ_END && n++ < MAX_BAG_MESSAGES) {
    if (result == ROBOCACHE_MCAP_READ_FAILED)
      break;
    if (result == ROBOCACHE_MCAP_READ_DAMAGED)
      continue;
    digest = digest * 1099511628211u + message.log_time + message.channel_id;
    for (gsize i = 0; i < message.data.size; i++)
      digest = digest * 31 + message.data.data[i];
  }
  if (n >= MAX_BAG_MESSAGES)
    fuzz_fail ("a bag does not end");
  return digest;
}

static gboolean
take_odd (gpointer user_data, const RobocacheMcapMessage *message)
{
  return message->data.size % 2 == 1;
}

static void
read_bag (const Input *input)
{
  const RobocacheMcapBytes bytes = { input->bytes, input->n };
  RobocacheMcapSource source = source_of_memory (&bytes);
  GError *error = NULL;
  RobocacheBagStorage *storage;
  guint64 whole, found;

  source.max_bytes = 1 << 20;
  storage = robocache_ros1_storage_new (&source, NULL, &error);
  if ((storage == NULL) != (error != NULL))
    fuzz_fail ("a bag has %s storage and %s error", storage ? "a" : "no", error ? "an" : "no");
  g_clear_error (&error);
  if (!storage)
    return;
  whole = play (storage);
  storage->class->seek (storage, 0);
  if (play (storage) != whole)
    fuzz_fail ("a bag has other messages again");
  storage->class->find_back (storage, 0, G_MAXUINT64, take_odd, NULL, &found);
  storage->class->free (storage);
}

/* ---- pictures ---- */

static void
read_picture (gboolean is_png, const Input *input)
{
  RobocacheDepthPicture picture;
  GError *error = NULL;
  const gboolean ok = (is_png ? robocache_depth_png_read : robocache_rvl_read) (input->bytes, input->n, &picture, &error);

  if (ok == (error != NULL) || ok != (picture.pixels != NULL))
    fuzz_fail ("a picture has %s pixels and %s error", picture.pixels ? "its" : "no", error ? "an" : "no");
  g_clear_error (&error);
  g_free (picture.pixels);
}

int
LLVMFuzzerTestOneInput (const uint8_t *bytes, size_t n)
{
  Input input = { bytes, n };
  const guint kind = input_below (&input, G_N_ELEMENTS (encodings) + 3);

  if (kind < G_N_ELEMENTS (encodings)) {
    RobocacheMessageFormat format = {.type = input_pick (&input, types),.message_encoding = encodings[kind].message_encoding,
      .schema_encoding = encodings[kind].schema_encoding
    };
    guint8 *definition = input_exact (&input, &format.definition_size);

    format.definition = definition;
    read_messages (&format, &input);
    g_free (definition);
  } else if (kind == G_N_ELEMENTS (encodings)) {
    read_bag (&input);
  } else {
    read_picture (kind == G_N_ELEMENTS (encodings) + 1, &input);
  }
  return 0;
}
