/* robocache: batches of an element: several devices, several threads
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "device.h"

/* ---- properties ---- */

void
robocache_device_install_batch_properties (GObjectClass *klass, guint first_id)
{
  const GParamFlags ready = G_PARAM_STATIC_STRINGS | G_PARAM_READWRITE | GST_PARAM_MUTABLE_READY;

  g_object_class_install_property (klass, first_id + ROBOCACHE_BATCH_PROP_DEVICES,
      g_param_spec_string ("devices", "Devices", "Numbers of the GPUs over which a batch is split with backend=cuda, like "
          "\"0,1,2,3\"; the first takes the place of device-id (empty = device-id alone)", NULL, ready));
  g_object_class_install_property (klass, first_id + ROBOCACHE_BATCH_PROP_N_THREADS,
      g_param_spec_uint ("n-threads", "Threads", "How many threads share a batch on the CPU, each of its items being one "
          "thread's; the result is the same (0 = one for each processor)", 0, ROBOCACHE_MAX_THREADS, 1, ready));
}

/* "0,1,2" → devices. FALSE: it is something else. */
static gboolean
parse_devices (const gchar *text, gint devices[ROBOCACHE_MAX_DEVICES], guint *n_devices)
{
  gchar **items = g_strsplit (text ? text : "", ",", -1);
  const guint n = g_strv_length (items);
  gboolean ok = n <= ROBOCACHE_MAX_DEVICES;

  for (guint i = 0; ok && i < n; i++) {
    gint64 number;

    ok = g_ascii_string_to_signed (g_strstrip (items[i]), 10, 0, G_MAXINT, &number, NULL);
    devices[i] = ok ? (gint) number : 0;
  }
  g_strfreev (items);
  *n_devices = ok ? n : 0;
  return ok;
}

void
robocache_device_set_batch_property (RobocacheDevice *device, guint prop, const GValue *value)
{
  if (prop == ROBOCACHE_BATCH_PROP_N_THREADS) {
    device->properties.n_threads = g_value_get_uint (value);
    return;
  }
  g_free (device->devices_text);
  device->devices_text = g_value_dup_string (value);
  parse_devices (device->devices_text, device->properties.devices, &device->properties.n_devices);
}

void
robocache_device_get_batch_property (const RobocacheDevice *device, guint prop, GValue *value)
{
  if (prop == ROBOCACHE_BATCH_PROP_N_THREADS)
    g_value_set_uint (value, device->properties.n_threads);
  else
    g_value_set_string (value, device->devices_text);
}

gboolean
robocache_device_check_devices (RobocacheDevice *device, GstElement *element)
{
  gint devices[ROBOCACHE_MAX_DEVICES];
  gchar *text;
  gboolean ok;
  guint n;

  GST_OBJECT_LOCK (element);
  text = g_strdup (device->devices_text);
  GST_OBJECT_UNLOCK (element);
  ok = parse_devices (text, devices, &n);
  if (!ok)
    GST_ELEMENT_ERROR (element, LIBRARY, SETTINGS, ("devices is \"%s\": expected up to %d numbers of GPUs, like "
            "devices=\"0,1\"", text, ROBOCACHE_MAX_DEVICES), (NULL));
  g_free (text);
  return ok;
}

/* ---- what pays ---- */

/* From one GPU its links to others bring less than it computes itself. From system memory one thread feeds all GPUs through pinned
 * memory, and copies no faster for several. So no batch pays of which nobody knows better (docs/performance/devices.md). */
guint
robocache_device_shards (const RobocacheDeviceSettings *settings, const RobocacheJob *job)
{
  return job->splits && settings->choice == ROBOCACHE_BACKEND_CUDA ? MAX (settings->n_devices, 1) : 1;
}
