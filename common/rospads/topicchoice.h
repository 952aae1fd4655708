/* robocache: the choice of topics by names and globs
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <glib.h>

/* The index of the first glob of `topics`, "/imu,/camera/..." (with * and ?), that matches a topic; -1: none. An empty list matches all topics
 * except those of our own events. */
gint robocache_ros_topics_find (const gchar * topics, const gchar * topic);
