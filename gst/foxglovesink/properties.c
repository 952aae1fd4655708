/* robocache: properties of robocachefoxglovesink
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "properties.h"

#include "common/element/propertytypes.h"
#include "common/livesinks/sinkbin.h"

#define DEFAULT_ORIGINS "https://app.foxglove.dev,https://lichtblick-suite.github.io"
#define MAX_CLIENTS 1024
#define MIN_QUEUE_SIZE 1024

enum
{
  PROP_STATS = ROBOCACHE_FOXGLOVE_SINK_PROP_STATS,
  PROP_HOST,
  PROP_PORT,
  PROP_ALLOW_ORIGIN,
  PROP_ALLOW_HOST,
  PROP_MAX_CLIENTS,
  PROP_MAX_QUEUE_SIZE,
  PROP_SYNC,
  PROP_TIME_ORIGIN,
  PROP_IMAGE_RATE,
  PROP_IMAGE_QUALITY,
  PROP_PARAMETERS,
  PROP_TOKEN_FILE,
  PROP_SESSION,
  N_PROPS
};

static GParamSpec *properties[N_PROPS];

#define SETTING(field) G_STRUCT_OFFSET (RobocacheFoxgloveSinkSettings, field)

static const glong fields[N_PROPS] = {
  [PROP_HOST] = SETTING (host),
  [PROP_PORT] = SETTING (port),
  [PROP_ALLOW_ORIGIN] = SETTING (allow_origin),
  [PROP_ALLOW_HOST] = SETTING (allow_host),
  [PROP_MAX_CLIENTS] = SETTING (max_clients),
  [PROP_MAX_QUEUE_SIZE] = SETTING (max_queue_size),
  [PROP_SYNC] = SETTING (sync),
  [PROP_TIME_ORIGIN] = SETTING (time_origin),
  [PROP_IMAGE_RATE] = SETTING (image_rate),
  [PROP_IMAGE_QUALITY] = SETTING (image_quality),
  [PROP_PARAMETERS] = SETTING (parameters),
  [PROP_TOKEN_FILE] = SETTING (token_file),
  [PROP_SESSION] = SETTING (session),
};

static const glong strings[] = { SETTING (host), SETTING (allow_origin), SETTING (allow_host), SETTING (token_file), SETTING (session) };

static void
make_server_specs (GParamFlags flags)
{
  properties[PROP_HOST] = g_param_spec_string ("host", "Host",
      "Address of this machine to listen on (0.0.0.0 = all). Traffic is not encrypted, and anybody who reaches the address can read", "127.0.0.1", flags);
  properties[PROP_PORT] = g_param_spec_uint ("port", "Port", "TCP port to listen on (0 = a free one, which stats shows)", 0, 65535, 8765, flags);
  properties[PROP_ALLOW_ORIGIN] = g_param_spec_string ("allow-origin", "Allow origin",
      "Web pages that may connect, by their origins, separated by commas (* = all)", DEFAULT_ORIGINS, flags);
  properties[PROP_ALLOW_HOST] = g_param_spec_string ("allow-host", "Allow host",
      "Names by which browsers may address this machine, beside localhost and its addresses, separated by commas", "", flags);
  properties[PROP_MAX_CLIENTS] = g_param_spec_uint ("max-clients", "Maximum clients", "Maximum number of viewers that are connected", 1, MAX_CLIENTS, 64,
      flags);
  properties[PROP_MAX_QUEUE_SIZE] = g_param_spec_uint64 ("max-queue-size", "Maximum queue size",
      "Maximum bytes that wait for a slow viewer and topic; then the oldest messages are dropped and counted", MIN_QUEUE_SIZE, G_MAXINT64, 1 << 20,
      flags);
}

static void
make_image_specs (GParamFlags flags)
{
  properties[PROP_IMAGE_RATE] = g_param_spec_uint ("image-rate", "Image rate",
      "Maximum rate of the compressed pictures of a raw camera (Hz, 0 = no topics with compressed pictures)", 0, 1000, 10, flags);
  properties[PROP_IMAGE_QUALITY] = g_param_spec_uint ("image-quality", "Image quality", "Quality of compressed pictures (JPEG)", 1, 100, 75, flags);
}

static void
make_change_specs (GParamFlags flags)
{
  properties[PROP_PARAMETERS] = g_param_spec_boolean ("parameters", "Parameters",
      "Let viewers that have the token change latency, offset and max-gap of robocachefuse in this pipeline", FALSE, flags);
  properties[PROP_TOKEN_FILE] = g_param_spec_string ("token-file", "Token file",
      "File with the token that viewers need to change anything; it is made if it does not exist (NULL = the token is the environment variable "
      "ROBOCACHE_VIEW_TOKEN, or there is none)", NULL, flags);
  properties[PROP_SESSION] = g_param_spec_string ("session", "Session",
      "State of the application's recording, shown to viewers. Unless this property is NULL, viewers that have the token can send marks, which are posted "
      "as element messages robocache-mark", NULL, G_PARAM_READWRITE | G_PARAM_STATIC_STRINGS | GST_PARAM_MUTABLE_PLAYING);
}

void
robocache_foxglove_sink_properties_install (GObjectClass *klass)
{
  const GParamFlags flags = G_PARAM_READWRITE | G_PARAM_STATIC_STRINGS | GST_PARAM_MUTABLE_READY;

  make_server_specs (flags);
  make_image_specs (flags);
  make_change_specs (flags);
  properties[PROP_SYNC] = g_param_spec_boolean ("sync", "Sync",
      "Send rows of a stream that is not live at their running times, instead of at once. Live rows are sent when they arrive", TRUE, flags);
  properties[PROP_TIME_ORIGIN] = g_param_spec_int64 ("time-origin", "Time origin",
      "UTC at running time 0 for stamps (ns, the smallest int64 = the system clock's time when playing starts)", G_MININT64, G_MAXINT64,
      ROBOCACHE_SINK_BIN_NO_ORIGIN, flags);
  properties[PROP_STATS] = g_param_spec_boxed ("stats", "Statistics",
      "Viewers, messages sent and dropped, and rows of each stream since the element started", GST_TYPE_STRUCTURE,
      G_PARAM_READABLE | G_PARAM_STATIC_STRINGS);
  g_object_class_install_properties (klass, N_PROPS, properties);
}

void
robocache_foxglove_sink_settings_init (RobocacheFoxgloveSinkSettings *settings)
{
  robocache_settings_init (settings, properties, fields, N_PROPS);
}

static gchar *
copy_text (const gchar *text)
{
  return g_strdup (text ? text : "");
}

void
robocache_foxglove_sink_settings_copy (RobocacheFoxgloveSinkSettings *settings, const RobocacheFoxgloveSinkSettings *from)
{
  *settings = *from;
  settings->host = copy_text (from->host);
  settings->allow_origin = copy_text (from->allow_origin);
  settings->allow_host = copy_text (from->allow_host);
  settings->token_file = copy_text (from->token_file);
  settings->session = NULL;
}

void
robocache_foxglove_sink_settings_clear (RobocacheFoxgloveSinkSettings *settings)
{
  robocache_settings_clear_strings (settings, strings, G_N_ELEMENTS (strings));
}

gpointer
robocache_foxglove_sink_settings_field (RobocacheFoxgloveSinkSettings *settings, guint id)
{
  return G_STRUCT_MEMBER_P (settings, fields[id]);
}
