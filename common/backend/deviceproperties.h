/* robocache: the properties `backend`, `device-id`, `max-device-memory` and `active-backend` of elements that compute, and `devices` and
 * `n-threads` of elements that split batches
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <gst/gst.h>

typedef enum
{
  ROBOCACHE_BACKEND_AUTO,
  ROBOCACHE_BACKEND_CPU,
  ROBOCACHE_BACKEND_CUDA
} RobocacheBackend;

#define ROBOCACHE_TYPE_BACKEND (robocache_backend_get_type ())
GType robocache_backend_get_type (void);

#define ROBOCACHE_MAX_DEVICES 16        /* maximum number of devices for a batch */
#define ROBOCACHE_MAX_THREADS 1024      /* maximum number of threads that share a batch on the CPU */

/* Values of the properties. */
typedef struct
{
  RobocacheBackend choice;
  gint device_id;               /* -1: the first device */
  gint devices[ROBOCACHE_MAX_DEVICES];  /* used instead of device_id */
  guint n_devices;              /* 0: not set */
  guint64 max_device_memory;    /* 0: no limit */
  guint n_threads;              /* 0: one for each processor */
  gint priority;                /* priority on a GPU, as in RcWhere; constant for each class of elements */
} RobocacheDeviceSettings;

typedef struct
{
  RobocacheDeviceSettings settings;
  gchar *devices_text;          /* the text of devices as it was set */
} RobocacheDeviceProperties;

/* Ids of the properties, relative to the first id of an element. */
enum
{
  ROBOCACHE_DEVICE_PROP_BACKEND,
  ROBOCACHE_DEVICE_PROP_DEVICE_ID,
  ROBOCACHE_DEVICE_PROP_MAX_DEVICE_MEMORY,
  ROBOCACHE_DEVICE_PROP_ACTIVE_BACKEND,
  ROBOCACHE_DEVICE_N_PROPS,
  /* only elements that split batches */
  ROBOCACHE_DEVICE_PROP_DEVICES = ROBOCACHE_DEVICE_N_PROPS,
  ROBOCACHE_DEVICE_PROP_N_THREADS,
  ROBOCACHE_DEVICE_N_BATCH_PROPS
};

/* Installs the properties under ids first_id … first_id + ROBOCACHE_DEVICE_N_PROPS - 1. */
void robocache_device_install_properties (GObjectClass * klass, guint first_id);
/* Installs the two further properties of elements that split batches, under ids up to first_id + ROBOCACHE_DEVICE_N_BATCH_PROPS - 1. */
void robocache_device_install_batch_properties (GObjectClass * klass, guint first_id);

/* The defaults; that of `backend` is the value of the environment variable ROBOCACHE_BACKEND, if set. element: for log messages. */
void robocache_device_properties_init (RobocacheDeviceProperties * properties, GstElement * element);
void robocache_device_properties_clear (RobocacheDeviceProperties * properties);
/* prop is a ROBOCACHE_DEVICE_PROP_…, but not ROBOCACHE_DEVICE_PROP_ACTIVE_BACKEND. */
void robocache_device_properties_set (RobocacheDeviceProperties * properties, guint prop, const GValue * value);
void robocache_device_properties_get (const RobocacheDeviceProperties * properties, guint prop, GValue * value);
/* FALSE and ROBOCACHE_ERROR_PROPERTY: `devices` is not a list of devices. */
gboolean robocache_device_properties_check (const RobocacheDeviceProperties * properties, GError ** error);
