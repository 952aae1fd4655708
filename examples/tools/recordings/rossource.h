/* robocache: live topics of ROS 2 for programs: the options that choose them, and their survey
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "streamsurvey.h"

/* ROS_OPTIONS_INIT, and ros_options_clear in the end. The texts are NULL where the user gave none. */
typedef struct
{
  gboolean is_live;             /* --ros: arguments are topics, not files */
  gint domain;                  /* -1: ROS_DOMAIN_ID, or 0 */
  gchar *discovery, *peers, *fields, *joints, *msg_path;
  gchar *watch;                 /* how long topics are surveyed */
  gint64 watch_ns;              /* watch, read by ros_options_check */
} RosOptions;

#define ROS_OPTIONS_INIT { .domain = -1 }

/* Adds the options to the main group of a context. options must outlive it. */
void ros_options_add (GOptionContext * context, RosOptions * options);
/* FALSE and an error: options of live topics without --ros, or a wrong number or time. */
gboolean ros_options_check (RosOptions * options, GError ** error);
void ros_options_clear (RosOptions * options);

/* Makes a robocacherossrc for "/imu,/camera/...", where NULL and "" are all topics. NULL and an error: this build has none, or an option is
 * wrong. */
GstElement *ros_source_new (const RosOptions * options, const gchar * topics, GError ** error);

/* Watches topics for the time of the option, and finds the clocks that stamp them; the recorder's clock is that of this host. Streams are in the
 * order of the topics that chose them, then of their names. FALSE and an error: they cannot be watched. Free with stream_survey_clear where TRUE. */
gboolean ros_survey_run (StreamSurvey * survey, Recording * domain, const RosOptions * options, const gchar * topics, GError ** error);
