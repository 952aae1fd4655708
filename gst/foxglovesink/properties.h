/* robocache: properties of robocachefoxglovesink
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef GST_ROBOCACHE_FOXGLOVE_SINK_PROPERTIES_H
#define GST_ROBOCACHE_FOXGLOVE_SINK_PROPERTIES_H

#include <gst/gst.h>

G_BEGIN_DECLS

typedef struct
{
  gchar *host, *allow_origin, *allow_host, *token_file, *session;
  guint port, max_clients, image_rate, image_quality;
  guint64 max_queue_size;       /* bytes */
  gboolean sync, parameters;
  gint64 time_origin;           /* ns; or ROBOCACHE_SINK_BIN_NO_ORIGIN */
} RobocacheFoxgloveSinkSettings;

/* The id of the property that is not a setting. */
enum
{ ROBOCACHE_FOXGLOVE_SINK_PROP_STATS = 1 };

void robocache_foxglove_sink_properties_install (GObjectClass * klass);
void robocache_foxglove_sink_settings_init (RobocacheFoxgloveSinkSettings * settings);
/* Strings of the copy are not NULL. */
void robocache_foxglove_sink_settings_copy (RobocacheFoxgloveSinkSettings * settings, const RobocacheFoxgloveSinkSettings * from);
void robocache_foxglove_sink_settings_clear (RobocacheFoxgloveSinkSettings * settings);
/* The field of a property, for robocache_setting_set and _get. */
gpointer robocache_foxglove_sink_settings_field (RobocacheFoxgloveSinkSettings * settings, guint id);

G_END_DECLS
#endif
