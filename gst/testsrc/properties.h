/* robocache: settings of robocachetestsrc, and the properties that set them
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <gst/gst.h>

#include "common/time/tickgrid.h"
#include "testsignal.h"

#define ROBOCACHE_TEST_MAX_CHANNELS (1 << 24)

/* The settings. The element copies them when it starts. */
typedef struct
{
  RobocacheTestKind kind;
  RobocacheTickGrid rate;       /* num 0: not chosen */
  guint channels;               /* channels of a row, or points of a cloud; 0: not chosen */
  gint64 jitter_ns;
  gdouble drop, disorder;       /* probabilities */
  gint64 gap_ns, gap_interval_ns;
  guint64 seed;
  gboolean is_live;
} RobocacheTestSettings;

/* Defaults of each kind, which a property or downstream overrides. */
typedef struct
{
  const gchar *name;
  gint rate_hz;
  guint channels;
} RobocacheTestKindInfo;

extern const RobocacheTestKindInfo robocache_test_kinds[];      /* [RobocacheTestKind] */

#define ROBOCACHE_TEST_PROP_STATS 1

/* Installs the properties: ROBOCACHE_TEST_PROP_STATS, and those that are fields of the settings. */
void robocache_test_properties_install (GObjectClass * klass);
/* The field of property id, for robocache_setting_set and _get. */
gpointer robocache_test_settings_field (RobocacheTestSettings * settings, guint id);

void robocache_test_settings_init (RobocacheTestSettings * settings);
/* Returns the fault of the settings, to be freed with g_free; NULL: none. */
gchar *robocache_test_settings_fault (const RobocacheTestSettings * settings);
