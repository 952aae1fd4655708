/* robocache: the enclave of SROS 2 that this process is in, by the environment of ROS 2
 *
 * ROS_SECURITY_ENABLE, ROS_SECURITY_STRATEGY, ROS_SECURITY_KEYSTORE and ROS_SECURITY_ENCLAVE_OVERRIDE; files are those of `ros2 security`.
 * Source: ROS 2, "DDS-Security Integration".
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <glib.h>

typedef struct
{
  gchar *folder;                /* has all files that are needed; NULL: topics are not protected */
  gchar *fault;                 /* why topics are not protected although ROS_SECURITY_ENABLE is true; NULL: no fault */
} RobocacheDdsEnclave;

/* A property of a participant (OMG DDS Security 1.1), and the file that it names. */
typedef struct
{
  const gchar *property, *file;
  gboolean is_optional;
} RobocacheDdsEnclaveFile;

/* Ends with a property that is NULL. */
extern const RobocacheDdsEnclaveFile robocache_dds_enclave_files[];

/* FALSE and an error: a variable is wrong or a file is missing, and ROS_SECURITY_STRATEGY is Enforce. Clear it in either case. */
gboolean robocache_dds_enclave_init (RobocacheDdsEnclave * enclave, GError ** error);
void robocache_dds_enclave_clear (RobocacheDdsEnclave * enclave);
