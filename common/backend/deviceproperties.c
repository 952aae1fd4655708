/* robocache: the properties of elements that compute
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "deviceproperties.h"

#include "common/device/engine.h"
#include "common/element/errors.h"
#include "common/element/logs.h"
#include "common/element/propertytypes.h"

ROBOCACHE_DEFINE_ENUM (robocache_backend_get_type, "GstRobocacheBackend",
    {ROBOCACHE_BACKEND_AUTO, "The GPU if data is in its memory or if the work is large, otherwise the CPU", "auto"},
    {ROBOCACHE_BACKEND_CPU, "The CPU", "cpu"},
    {ROBOCACHE_BACKEND_CUDA, "An NVIDIA GPU", "cuda"})

/* ---- the class ---- */

void
robocache_device_install_properties (GObjectClass *klass, guint first_id)
{
  const GParamFlags flags = G_PARAM_STATIC_STRINGS, ready = flags | G_PARAM_READWRITE | GST_PARAM_MUTABLE_READY;
  const GParamFlags with_gpu = ready | GST_PARAM_CONDITIONALLY_AVAILABLE;

  g_object_class_install_property (klass, first_id + ROBOCACHE_DEVICE_PROP_BACKEND,
      g_param_spec_enum ("backend", "Backend", "Processor to compute on; results are bit-identical on all (default: environment "
          "variable ROBOCACHE_BACKEND)", ROBOCACHE_TYPE_BACKEND, ROBOCACHE_BACKEND_AUTO, ready));
  g_object_class_install_property (klass, first_id + ROBOCACHE_DEVICE_PROP_DEVICE_ID,
      g_param_spec_int ("device-id", "Device ID", "Number of the GPU (-1 = the first)", -1, G_MAXINT, -1, with_gpu));
  g_object_class_install_property (klass, first_id + ROBOCACHE_DEVICE_PROP_MAX_DEVICE_MEMORY,
      g_param_spec_uint64 ("max-device-memory", "Maximum device memory", "Maximum memory to use on each GPU (bytes, 0 = all free memory)",
          0, G_MAXUINT64, 0, with_gpu));
  g_object_class_install_property (klass, first_id + ROBOCACHE_DEVICE_PROP_ACTIVE_BACKEND,
      g_param_spec_enum ("active-backend", "Active backend", "Processor in use now (auto = not yet known)",
          ROBOCACHE_TYPE_BACKEND, ROBOCACHE_BACKEND_AUTO, flags | G_PARAM_READABLE));
}

void
robocache_device_install_batch_properties (GObjectClass *klass, guint first_id)
{
  const GParamFlags ready = G_PARAM_STATIC_STRINGS | G_PARAM_READWRITE | GST_PARAM_MUTABLE_READY;

  g_object_class_install_property (klass, first_id + ROBOCACHE_DEVICE_PROP_DEVICES,
      g_param_spec_string ("devices", "Devices", "Numbers of GPUs, like \"0,1,2,3\": backend=cuda splits each batch over "
          "them, auto uses the first (empty = device-id)", NULL, ready | GST_PARAM_CONDITIONALLY_AVAILABLE));
  g_object_class_install_property (klass, first_id + ROBOCACHE_DEVICE_PROP_N_THREADS,
      g_param_spec_uint ("n-threads", "Threads", "Number of CPU threads that compute items of a batch, or copy pageable "
          "input for the GPU; results do not depend on it (0 = one per processor)",
          0, ROBOCACHE_MAX_THREADS, 1, ready));
}

/* ---- values ---- */

static const gsize fields[] = {
  [ROBOCACHE_DEVICE_PROP_BACKEND] = G_STRUCT_OFFSET (RobocacheDeviceSettings, choice),
  [ROBOCACHE_DEVICE_PROP_DEVICE_ID] = G_STRUCT_OFFSET (RobocacheDeviceSettings, device_id),
  [ROBOCACHE_DEVICE_PROP_MAX_DEVICE_MEMORY] = G_STRUCT_OFFSET (RobocacheDeviceSettings, max_device_memory),
  [ROBOCACHE_DEVICE_PROP_N_THREADS] = G_STRUCT_OFFSET (RobocacheDeviceSettings, n_threads),
};

static RobocacheBackend
default_choice (GstElement *element)
{
  const gchar *name = g_getenv ("ROBOCACHE_BACKEND");
  GEnumClass *names;
  GEnumValue *value;

  if (name == NULL)
    return ROBOCACHE_BACKEND_AUTO;
  names = g_type_class_ref (ROBOCACHE_TYPE_BACKEND);
  value = g_enum_get_value_by_nick (names, name);
  if (value == NULL)
    GST_CAT_WARNING_OBJECT (robocache_category_of (element), element, "ROBOCACHE_BACKEND is \"%s\": expected auto, cpu or cuda", name);
  g_type_class_unref (names);
  return value ? (RobocacheBackend) value->value : ROBOCACHE_BACKEND_AUTO;
}

void
robocache_device_properties_init (RobocacheDeviceProperties *properties, GstElement *element)
{
  *properties = (RobocacheDeviceProperties) {.settings = {.choice = default_choice (element),.device_id = -1,.n_threads = 1} };
}

void
robocache_device_properties_clear (RobocacheDeviceProperties *properties)
{
  g_clear_pointer (&properties->devices_text, g_free);
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
robocache_device_properties_set (RobocacheDeviceProperties *properties, guint prop, const GValue *value)
{
  RobocacheDeviceSettings *settings = &properties->settings;

  if (prop != ROBOCACHE_DEVICE_PROP_DEVICES) {
    robocache_setting_set (G_STRUCT_MEMBER_P (settings, fields[prop]), value);
    return;
  }
  robocache_setting_set (&properties->devices_text, value);
  parse_devices (properties->devices_text, settings->devices, &settings->n_devices);
}

void
robocache_device_properties_get (const RobocacheDeviceProperties *properties, guint prop, GValue *value)
{
  if (prop == ROBOCACHE_DEVICE_PROP_DEVICES)
    robocache_setting_get (&properties->devices_text, value);
  else
    robocache_setting_get (G_STRUCT_MEMBER_P (&properties->settings, fields[prop]), value);
}

gboolean
robocache_device_properties_check (const RobocacheDeviceProperties *properties, GError **error)
{
  gint devices[ROBOCACHE_MAX_DEVICES];
  guint n;

  if (parse_devices (properties->devices_text, devices, &n))
    return TRUE;
  g_set_error (error, ROBOCACHE_ERROR, ROBOCACHE_ERROR_PROPERTY, "devices is \"%s\": expected up to %d numbers of GPUs, like "
      "devices=\"0,1\"", properties->devices_text, ROBOCACHE_MAX_DEVICES);
  return FALSE;
}
