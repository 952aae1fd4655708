/* robocache: which backend an element computes on
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef ROBOCACHE_DEVICE_H
#define ROBOCACHE_DEVICE_H

#include <gst/gst.h>

#include "kernels/backend.h"

G_BEGIN_DECLS

typedef enum
{
  ROBOCACHE_BACKEND_AUTO,
  ROBOCACHE_BACKEND_CPU,
  ROBOCACHE_BACKEND_CUDA
} RobocacheBackend;

#define ROBOCACHE_TYPE_BACKEND (robocache_backend_get_type ())
GType robocache_backend_get_type (void);

/* The properties `backend`, `device-id` and `active-backend` of an element, and the backend that they chose. Guarded
 * by the element's object lock where property functions meet streaming. */
typedef struct
{
  RobocacheBackend choice;
  gint device_id;               /* -1: auto */
  RcBackend *backend;           /* open between start and stop */
  gboolean fell_back;           /* auto wanted a GPU and goes on with the CPU */
} RobocacheDevice;

enum
{
  ROBOCACHE_DEVICE_PROP_BACKEND,
  ROBOCACHE_DEVICE_PROP_DEVICE_ID,
  ROBOCACHE_DEVICE_PROP_ACTIVE_BACKEND,
  ROBOCACHE_DEVICE_N_PROPS
};

void robocache_device_init (RobocacheDevice * device);
/* Installs the three properties under ids first_id … first_id + 2. */
void robocache_device_install_properties (GObjectClass * klass, guint first_id);
/* prop is one of the enum above. Called with the element's object lock held. */
void robocache_device_set_property (RobocacheDevice * device, guint prop, const GValue * value);
void robocache_device_get_property (RobocacheDevice * device, guint prop, GValue * value);

/* Opens the backend; to call in start. On failure, and for backend=cuda, which elements cannot use yet, posts
 * RESOURCE/NOT_FOUND with the reason and returns FALSE. */
gboolean robocache_device_open (RobocacheDevice * device, GstElement * element);
void robocache_device_close (RobocacheDevice * device);

/* Adds active-backend and fell-back to an element's stats. */
void robocache_device_to_structure (const RobocacheDevice * device, GstStructure * structure);

G_END_DECLS
#endif
