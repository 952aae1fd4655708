/* robocache: a sink pad of robocachefuse: one sensor's settings, and its stream
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <gst/gst.h>

#include "common/element/inputfaults.h"
#include "common/rows/channelroles.h"
#include "gst/fuse/core/core.h"
#include "gst/fuse/input/reader.h"
#include "gst/fuse/input/timestampproperties.h"

/* Roles of pads, in the order of their tensors in the output. */
typedef enum
{
  GST_ROBOCACHE_FUSE_CAMERA,
  GST_ROBOCACHE_FUSE_PROPRIO,
  GST_ROBOCACHE_FUSE_FORCE,
  GST_ROBOCACHE_FUSE_SINK,
  GST_ROBOCACHE_FUSE_N_ROLES
} GstRobocacheFuseRole;

extern const gchar *const gst_robocache_fuse_role_names[GST_ROBOCACHE_FUSE_N_ROLES];

#define GST_TYPE_ROBOCACHE_FUSE_PAD (gst_robocache_fuse_pad_get_type ())
#define GST_ROBOCACHE_FUSE_PAD(object) \
    (G_TYPE_CHECK_INSTANCE_CAST ((object), GST_TYPE_ROBOCACHE_FUSE_PAD, GstRobocacheFusePad))
GType gst_robocache_fuse_pad_get_type (void);

/* A GstRobocacheFusePad with the defaults of camera_%u. */
#define GST_TYPE_ROBOCACHE_FUSE_CAMERA_PAD (gst_robocache_fuse_camera_pad_get_type ())
GType gst_robocache_fuse_camera_pad_get_type (void);

typedef struct _GstRobocacheFusePad GstRobocacheFusePad;
typedef struct
{
  GstPadClass parent_class;
} GstRobocacheFusePadClass;

/* Functions of the element that a pad calls, without locks, with its element. */
typedef struct
{
  void (*settings_changed) (GstElement * element, GstRobocacheFusePad * pad);
  GstStructure *(*make_statistics) (GstElement * element, GstRobocacheFusePad * pad);
} GstRobocacheFusePadCallbacks;

struct _GstRobocacheFusePad
{
  GstPad parent;

  GstRobocacheFuseRole role;    /* constant */
  guint number;                 /* constant: the n of proprio_n */
  const GstRobocacheFusePadCallbacks *callbacks;        /* constant */

  /* object lock of the pad */
  FuseStreamSettings settings;
  FuseTimestampProperties timestamps;
  RobocacheChannelRoles roles;
  GstCaps *expected_caps;       /* NULL: not set */
  gchar *tensor_id;             /* NULL: not set */

  /* lock of the element */
  FuseStream *stream;           /* constant; the core's state of it */
  FuseReader reader;            /* also its streaming thread's */
  RobocacheChannelRoles started_roles;  /* the roles as they were when the stream got its first format, and their meaning for the newest one */
  gboolean flushing;            /* the pad's chain function must not wait */
  gboolean flush_awaited;       /* a flush of all pads waits for its FLUSH_STOP */
  gboolean waiting;             /* the pad's chain function waits for the other streams */
  /* since the element started */
  RobocachePadFaults faults;    /* see checks/checks.h */
  gboolean silence_is_reported; /* see checks.h */
  GstFlowReturn flow;           /* not OK after downstream, an error or EOS stopped the streams */

  /* only used by its streaming thread */
  gboolean sources_checked;
  gint n_thinned;               /* atomic: buffers dropped since the statistics got them: see checks/checks.h */
  gint64 thin_until;            /* buffers may be dropped until this monotonic time (us); 0: do not drop */
  gboolean is_flexible;         /* buffers describe their tensors */
  RobocacheTensorsInfo flexible;        /* tensors of the last buffer, with the framerate of the caps */
};

/* Parses a name like camera_3. FALSE: it is not such a name. */
gboolean gst_robocache_fuse_pad_parse_name (const gchar * name, GstRobocacheFuseRole * role, guint * number);
GType gst_robocache_fuse_pad_type (GstRobocacheFuseRole role);
/* FALSE and an error: the value has the property's type, but is invalid for any caps. */
gboolean gst_robocache_fuse_pad_check_setting (const GParamSpec * pspec, const GValue * value, GError ** error);

/* Makes a pad named ROLE_number; returns a floating reference. */
GstRobocacheFusePad *gst_robocache_fuse_pad_new (GstPadTemplate * pad_template, GstRobocacheFuseRole role, guint number,
    const GstRobocacheFusePadCallbacks * callbacks);

/* Returns the settings as events for the core. May be called without the lock of the element. */
void gst_robocache_fuse_pad_get_settings (GstRobocacheFusePad * pad, FuseEvent * settings, FuseEvent * timestamps);
/* Parses caps of the pad: see fuse_format_parse. May be called without a lock. */
FuseFormat *gst_robocache_fuse_pad_parse_caps (GstRobocacheFusePad * pad, const GstCaps * caps, GError ** error);
/* Makes the event that sets the format of expected-caps, if the stream has no format yet. FALSE: no event; with an error if the caps are
 * not those of a stream. Called with the lock of the element. */
gboolean gst_robocache_fuse_pad_declare (GstRobocacheFusePad * pad, FuseEvent * event, GError ** error);
/* Makes the event for new caps; takes format. FALSE and an error: caps differ from expected-caps. Called with the lock of the element. */
gboolean gst_robocache_fuse_pad_set_format (GstRobocacheFusePad * pad, FuseFormat * format, FuseEvent * event, GError ** error);
/* Resets the pad, except for the core's stream. Called with the lock of the element. */
void gst_robocache_fuse_pad_reset (GstRobocacheFusePad * pad);

/* Order of tensors: by role, then by number. */
gint gst_robocache_fuse_pad_compare (const GstRobocacheFusePad * a, const GstRobocacheFusePad * b);
