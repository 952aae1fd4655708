/* robocache: settings of the recorders, and the properties that set them
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <gst/gst.h>

#include "common/mcap/compression.h"

/* The source of the recording's clock: UTC at running time 0. */
typedef enum
{
  MUX_CLOCK_AUTO,
  MUX_CLOCK_SYSTEM,
  MUX_CLOCK_REFERENCE,
  MUX_CLOCK_RUNNING
} MuxClockChoice;

/* time-origin: not set */
#define MUX_NO_ORIGIN G_MININT64

typedef struct
{
  guint64 chunk_size;
  GstClockTime chunk_duration;
  gint compression;             /* RobocacheMcapCompression */
  guint64 max_queue_size, max_message_bytes;
  GstClockTime index_interval;
  gboolean keep_buffers;
  gint clock;                   /* MuxClockChoice */
  gint64 time_origin;
  gchar *attachments;           /* paths, separated by commas; NULL: none */
} MuxSettings;

/* The first property id of a subclass. */
#define MUX_FIRST_OWN_PROPERTY 64

/* Installs the properties, including stats, whose id is MUX_PROP_STATS. */
#define MUX_PROP_STATS 1
void mux_settings_install (GObjectClass * klass);

void mux_settings_init (MuxSettings * settings);
void mux_settings_clear (MuxSettings * settings);
/* settings is cleared first. */
void mux_settings_copy (MuxSettings * settings, const MuxSettings * from);
/* The field of a property. */
gpointer mux_settings_field (MuxSettings * settings, guint id);
