/* robocache: a sink pad of robocachefuse: one sensor's settings, and its stream
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef GST_ROBOCACHE_FUSE_PAD_H
#define GST_ROBOCACHE_FUSE_PAD_H

#include <gst/gst.h>

#include "common/rows/channelroles.h"
#include "gst/fuse/core/core.h"
#include "gst/fuse/input/reader.h"
#include "gst/fuse/input/timestampproperties.h"

G_BEGIN_DECLS

/* In the order of their tensors in the output. */
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

/* The same with the defaults of camera_%u. */
#define GST_TYPE_ROBOCACHE_FUSE_CAMERA_PAD (gst_robocache_fuse_camera_pad_get_type ())
GType gst_robocache_fuse_camera_pad_get_type (void);

typedef struct _GstRobocacheFusePad GstRobocacheFusePad;
typedef struct
{
  GstPadClass parent_class;
} GstRobocacheFusePadClass;

/* Calls of a pad to its element. Called without locks, with the element that the pad is in. */
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
  GstCaps *expected_caps;       /* or NULL */
  gchar *tensor_id;             /* or NULL */

  /* lock of the element */
  FuseStream *stream;           /* constant; the core's state of it */
  FuseReader reader;            /* also its streaming thread's */
  RobocacheChannelRoles started_roles;  /* the roles as they were when the stream got its first format */
  gboolean flushing;            /* its chain function must not wait */
  gboolean flush_awaited;       /* a flush of all pads waits for its FLUSH_STOP */
  gboolean waiting;             /* its chain function waits for the other streams */
  gboolean missing_caps_are_reported;   /* since the element started */
  gboolean silence_is_reported; /* since the element started: see silence.h */
  GstFlowReturn flow;           /* not OK once downstream, an error or the end stopped the streams */

  /* only used by its streaming thread */
  gboolean sources_checked;
  gboolean is_flexible;         /* buffers describe their tensors */
  RobocacheTensorsInfo flexible;        /* as the last one did, with the framerate of the caps */
};

/* The parts of a name like camera_3. FALSE: it is none. */
gboolean gst_robocache_fuse_pad_parse_name (const gchar * name, GstRobocacheFuseRole * role, guint * number);
GType gst_robocache_fuse_pad_type (GstRobocacheFuseRole role);
/* FALSE and an error: a value of a property's type that it does not take, whatever the caps. */
gboolean gst_robocache_fuse_pad_check_setting (const GParamSpec * pspec, const GValue * value, GError ** error);

/* A new pad named ROLE_number; floating. */
GstRobocacheFusePad *gst_robocache_fuse_pad_new (GstPadTemplate * pad_template, GstRobocacheFuseRole role, guint number,
    const GstRobocacheFusePadCallbacks * callbacks);

/* The settings as events for the core. May be called without the lock of the element. */
void gst_robocache_fuse_pad_get_settings (GstRobocacheFusePad * pad, FuseEvent * settings, FuseEvent * timestamps);
/* Parses caps of the pad: see fuse_format_parse. May be called without a lock. */
FuseFormat *gst_robocache_fuse_pad_parse_caps (GstRobocacheFusePad * pad, const GstCaps * caps, GError ** error);
/* The event that gives the stream the format of expected-caps, if it has none. FALSE: there is none, or an error, when they are no caps of
 * a stream. Called with the lock of the element. */
gboolean gst_robocache_fuse_pad_declare (GstRobocacheFusePad * pad, FuseEvent * event, GError ** error);
/* The event of new caps; takes format. FALSE and an error: caps differ from those that were expected. Called with the lock of the element. */
gboolean gst_robocache_fuse_pad_set_format (GstRobocacheFusePad * pad, FuseFormat * format, FuseEvent * event, GError ** error);
/* As new, but the core's stream. Called with the lock of the element. */
void gst_robocache_fuse_pad_reset (GstRobocacheFusePad * pad);

/* Order of tensors: by role, then by number. */
gint gst_robocache_fuse_pad_compare (const GstRobocacheFusePad * a, const GstRobocacheFusePad * b);

G_END_DECLS
#endif
