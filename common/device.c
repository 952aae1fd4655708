/* robocache: which backend an element computes on
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "device.h"

#include "enumtype.h"

ROBOCACHE_DEFINE_ENUM (robocache_backend_get_type, "RobocacheBackend",
    {ROBOCACHE_BACKEND_AUTO, "The GPU when data is there already or the work is worth it, otherwise the CPU", "auto"},
    {ROBOCACHE_BACKEND_CPU, "The CPU", "cpu"},
    {ROBOCACHE_BACKEND_CUDA, "An NVIDIA GPU", "cuda"})

void
robocache_device_init (RobocacheDevice *device)
{
  device->choice = ROBOCACHE_BACKEND_AUTO;
  device->device_id = -1;
  device->backend = NULL;
  device->fell_back = FALSE;
}

void
robocache_device_install_properties (GObjectClass *klass, guint first_id)
{
  const GParamFlags flags = G_PARAM_STATIC_STRINGS;

  g_object_class_install_property (klass, first_id + ROBOCACHE_DEVICE_PROP_BACKEND,
      g_param_spec_enum ("backend", "Backend", "Where to compute; the result has the same bits everywhere",
          ROBOCACHE_TYPE_BACKEND, ROBOCACHE_BACKEND_AUTO, flags | G_PARAM_READWRITE | GST_PARAM_MUTABLE_READY));
  g_object_class_install_property (klass, first_id + ROBOCACHE_DEVICE_PROP_DEVICE_ID,
      g_param_spec_int ("device-id", "Device ID", "Number of the GPU to use (-1 = auto)", -1, G_MAXINT, -1,
          flags | G_PARAM_READWRITE | GST_PARAM_MUTABLE_READY));
  g_object_class_install_property (klass, first_id + ROBOCACHE_DEVICE_PROP_ACTIVE_BACKEND,
      g_param_spec_enum ("active-backend", "Active backend", "Where it computes now (auto = not started)",
          ROBOCACHE_TYPE_BACKEND, ROBOCACHE_BACKEND_AUTO, flags | G_PARAM_READABLE));
}

static RobocacheBackend
active_backend (const RobocacheDevice *device)
{
  if (device->backend == NULL)
    return ROBOCACHE_BACKEND_AUTO;
  return rc_backend_kind (device->backend) == RC_BACKEND_CUDA ? ROBOCACHE_BACKEND_CUDA : ROBOCACHE_BACKEND_CPU;
}

void
robocache_device_set_property (RobocacheDevice *device, guint prop, const GValue *value)
{
  if (prop == ROBOCACHE_DEVICE_PROP_BACKEND)
    device->choice = g_value_get_enum (value);
  else if (prop == ROBOCACHE_DEVICE_PROP_DEVICE_ID)
    device->device_id = g_value_get_int (value);
}

void
robocache_device_get_property (RobocacheDevice *device, guint prop, GValue *value)
{
  if (prop == ROBOCACHE_DEVICE_PROP_BACKEND)
    g_value_set_enum (value, device->choice);
  else if (prop == ROBOCACHE_DEVICE_PROP_DEVICE_ID)
    g_value_set_int (value, device->device_id);
  else
    g_value_set_enum (value, active_backend (device));
}

gboolean
robocache_device_open (RobocacheDevice *device, GstElement *element)
{
  const RcWhere where = { RC_BACKEND_CPU, 0, RC_CPU_BEST, 0 };
  RobocacheBackend choice;
  RcBackend *backend = NULL;
  RcError error;

  GST_OBJECT_LOCK (element);
  choice = device->choice;
  GST_OBJECT_UNLOCK (element);

  /* elements have no device memory to hand to a GPU */
  if (choice == ROBOCACHE_BACKEND_CUDA) {
    GST_ELEMENT_ERROR (element, RESOURCE, NOT_FOUND, ("backend=cuda, but the elements of this version compute on the CPU: set "
            "backend=auto or backend=cpu"), (NULL));
    return FALSE;
  }
  if (rc_backend_open (&where, &backend, &error) != RC_OK) {
    GST_ELEMENT_ERROR (element, RESOURCE, NOT_FOUND, ("%s", error.message), (NULL));
    return FALSE;
  }
  GST_OBJECT_LOCK (element);
  device->backend = backend;
  device->fell_back = FALSE;
  GST_OBJECT_UNLOCK (element);
  return TRUE;
}

void
robocache_device_close (RobocacheDevice *device)
{
  g_clear_pointer (&device->backend, rc_backend_close);
}

void
robocache_device_to_structure (const RobocacheDevice *device, GstStructure *structure)
{
  gst_structure_set (structure, "active-backend", ROBOCACHE_TYPE_BACKEND, active_backend (device),
      "fell-back", G_TYPE_BOOLEAN, device->fell_back, NULL);
}
