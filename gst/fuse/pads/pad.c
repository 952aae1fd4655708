/* robocache: a sink pad of robocachefuse: one sensor's settings, and its stream
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "pad.h"

#include <string.h>

#include "common/element/propertytypes.h"
#include "gst/fuse/debug.h"

#define DEFAULT_INTERPOLATION RC_LINEAR
#define DEFAULT_CAMERA_INTERPOLATION RC_NEAREST
#define DEFAULT_OFFSET 0
#define DEFAULT_MAX_GAP RC_GAP_AUTO
#define DEFAULT_HOLD_LIMIT ROBOCACHE_HOLD_LIMIT_AUTO
#define DEFAULT_REQUIRED FALSE
#define DEFAULT_REORDER_WINDOW 0
#define DEFAULT_MAX_LEAD (3600 * GST_SECOND)

enum
{
  PROP_0,
  PROP_INTERPOLATION,
  PROP_OFFSET,
  PROP_MAX_GAP,
  PROP_HOLD_LIMIT,
  PROP_REQUIRED,
  PROP_REORDER_WINDOW,
  PROP_MAX_LEAD,
  PROP_EXPECTED_CAPS,
  PROP_TENSOR_ID,
  PROP_STATS,
  PROP_CUTOFF,
  PROP_LOBES,
  PROP_NAN,
  PROP_TIMESTAMPS,
  PROP_ROLES = PROP_TIMESTAMPS + FUSE_N_TIMESTAMP_PROPERTIES
};

const gchar *const gst_robocache_fuse_role_names[GST_ROBOCACHE_FUSE_N_ROLES] = {
  [GST_ROBOCACHE_FUSE_CAMERA] = "camera",
  [GST_ROBOCACHE_FUSE_PROPRIO] = "proprio",
  [GST_ROBOCACHE_FUSE_FORCE] = "force",
  [GST_ROBOCACHE_FUSE_SINK] = "sink",
};

G_DEFINE_TYPE (GstRobocacheFusePad, gst_robocache_fuse_pad, GST_TYPE_PAD);

typedef struct
{
  GstRobocacheFusePad parent;
} GstRobocacheFuseCameraPad;

typedef struct
{
  GstRobocacheFusePadClass parent_class;
} GstRobocacheFuseCameraPadClass;

G_DEFINE_TYPE (GstRobocacheFuseCameraPad, gst_robocache_fuse_camera_pad, GST_TYPE_ROBOCACHE_FUSE_PAD);

/* ---- properties ---- */

/* Where properties that are a plain field lie. */
static const gsize fields[] = {
  [PROP_INTERPOLATION] = G_STRUCT_OFFSET (GstRobocacheFusePad, settings.search.interpolation),
  [PROP_OFFSET] = G_STRUCT_OFFSET (GstRobocacheFusePad, settings.offset),
  [PROP_MAX_GAP] = G_STRUCT_OFFSET (GstRobocacheFusePad, settings.search.max_gap_ns),
  [PROP_HOLD_LIMIT] = G_STRUCT_OFFSET (GstRobocacheFusePad, settings.search.hold_limit_ns),
  [PROP_REQUIRED] = G_STRUCT_OFFSET (GstRobocacheFusePad, settings.required),
  [PROP_REORDER_WINDOW] = G_STRUCT_OFFSET (GstRobocacheFusePad, settings.reorder_window),
  [PROP_MAX_LEAD] = G_STRUCT_OFFSET (GstRobocacheFusePad, settings.max_lead),
  [PROP_CUTOFF] = G_STRUCT_OFFSET (GstRobocacheFusePad, settings.search.cutoff_hz),
  [PROP_LOBES] = G_STRUCT_OFFSET (GstRobocacheFusePad, settings.search.lobes),
  [PROP_NAN] = G_STRUCT_OFFSET (GstRobocacheFusePad, settings.nan),
};

static ROBOCACHE_DEFINE_ENUM (nan_get_type, "GstRobocacheFuseNan",
    {FUSE_NAN_COPY, "Treat a row with NaN as a value and copy its bits", "copy"},
    {FUSE_NAN_MISSING, "Ignore a row with NaN: ticks use the rows around it, or are held or missing", "missing"})

/* An empty text is none. */
static void
set_tensor_id (GstRobocacheFusePad *pad, const GValue *value)
{
  const gchar *id = g_value_get_string (value);

  g_free (pad->tensor_id);
  pad->tensor_id = id && *id ? g_strdup (id) : NULL;
}

static void
gst_robocache_fuse_pad_set_property (GObject *object, guint prop_id, const GValue *value, GParamSpec *pspec)
{
  GstRobocacheFusePad *pad = GST_ROBOCACHE_FUSE_PAD (object);
  GstElement *element;

  GST_OBJECT_LOCK (pad);
  if (prop_id >= PROP_ROLES)
    robocache_channel_roles_set_property (&pad->roles, prop_id - PROP_ROLES, value);
  else if (prop_id >= PROP_TIMESTAMPS)
    fuse_timestamp_properties_set (&pad->timestamps, prop_id - PROP_TIMESTAMPS, value);
  else if (prop_id == PROP_EXPECTED_CAPS)
    gst_caps_replace (&pad->expected_caps, (GstCaps *) gst_value_get_caps (value));
  else if (prop_id == PROP_TENSOR_ID)
    set_tensor_id (pad, value);
  else
    robocache_setting_set (G_STRUCT_MEMBER_P (pad, fields[prop_id]), value);
  GST_OBJECT_UNLOCK (pad);

  element = gst_pad_get_parent_element (GST_PAD (pad));
  if (element) {
    robocache_warn_of_late_setting (pad, pspec);
    pad->callbacks->settings_changed (element, pad);
    gst_object_unref (element);
  }
}

static void
gst_robocache_fuse_pad_get_property (GObject *object, guint prop_id, GValue *value, GParamSpec *pspec)
{
  GstRobocacheFusePad *pad = GST_ROBOCACHE_FUSE_PAD (object);
  GstElement *element;

  if (prop_id == PROP_STATS) {
    element = gst_pad_get_parent_element (GST_PAD (pad));
    g_value_take_boxed (value, element ? pad->callbacks->make_statistics (element, pad) : NULL);
    gst_clear_object (&element);
    return;
  }
  GST_OBJECT_LOCK (pad);
  if (prop_id >= PROP_ROLES)
    robocache_channel_roles_get_property (&pad->roles, prop_id - PROP_ROLES, value);
  else if (prop_id >= PROP_TIMESTAMPS)
    fuse_timestamp_properties_get (&pad->timestamps, prop_id - PROP_TIMESTAMPS, value);
  else if (prop_id == PROP_EXPECTED_CAPS)
    gst_value_set_caps (value, pad->expected_caps);
  else if (prop_id == PROP_TENSOR_ID)
    g_value_set_string (value, pad->tensor_id);
  else
    robocache_setting_get (G_STRUCT_MEMBER_P (pad, fields[prop_id]), value);
  GST_OBJECT_UNLOCK (pad);
}

static void
install_interpolation (GObjectClass *object_class, RcInterpolation by_default)
{
  g_object_class_install_property (object_class, PROP_INTERPOLATION, g_param_spec_enum ("interpolation", "Interpolation",
      "How to compute the row of a tick from the rows around it", ROBOCACHE_TYPE_INTERPOLATION, by_default, G_PARAM_READWRITE
          | G_PARAM_STATIC_STRINGS | GST_PARAM_MUTABLE_PLAYING));
}

/* ---- life ---- */

static void
gst_robocache_fuse_pad_finalize (GObject *object)
{
  GstRobocacheFusePad *pad = GST_ROBOCACHE_FUSE_PAD (object);

  g_clear_pointer (&pad->stream, fuse_stream_free);
  fuse_reader_clear (&pad->reader);
  robocache_channel_roles_clear (&pad->roles);
  robocache_channel_roles_clear (&pad->started_roles);
  fuse_timestamp_properties_clear (&pad->timestamps);
  gst_clear_caps (&pad->expected_caps);
  g_free (pad->tensor_id);
  G_OBJECT_CLASS (gst_robocache_fuse_pad_parent_class)->finalize (object);
}

static void
gst_robocache_fuse_pad_class_init (GstRobocacheFusePadClass *klass)
{
  GObjectClass *object_class = G_OBJECT_CLASS (klass);
  const GParamFlags playing = G_PARAM_READWRITE | G_PARAM_STATIC_STRINGS | GST_PARAM_MUTABLE_PLAYING;

  object_class->finalize = gst_robocache_fuse_pad_finalize;
  object_class->set_property = gst_robocache_fuse_pad_set_property;
  object_class->get_property = gst_robocache_fuse_pad_get_property;

  install_interpolation (object_class, DEFAULT_INTERPOLATION);
  robocache_lowpass_install_properties (object_class, PROP_CUTOFF, PROP_LOBES, playing);
  g_object_class_install_property (object_class, PROP_OFFSET, g_param_spec_int64 ("offset", "Offset",
      "Added to the time of each row, to correct a constant delay (ns, negative if timestamps are too late, positive if they are "
      "too early)",
      G_MININT64, G_MAXINT64, DEFAULT_OFFSET, playing));
  g_object_class_install_property (object_class, PROP_MAX_GAP, g_param_spec_int64 ("max-gap", "Maximum gap",
      "Maximum gap to interpolate across (ns, -1 = no limit, -2 = automatic: 8 row periods, at least 20 ms and at most 1 s, but never less "
      "than 2 row periods)", RC_GAP_AUTO, G_MAXINT64, DEFAULT_MAX_GAP, playing));
  g_object_class_install_property (object_class, PROP_HOLD_LIMIT, g_param_spec_int64 ("hold-limit", "Hold limit",
      "Maximum age of a repeated row (ns, 0 = do not hold, -1 = no limit, -2 = 200 ms, or no limit if all channels are of kind "
      "hold)",
      ROBOCACHE_HOLD_LIMIT_AUTO, G_MAXINT64, DEFAULT_HOLD_LIMIT, playing));
  g_object_class_install_property (object_class, PROP_NAN, g_param_spec_enum ("nan", "NaN", "How to treat a row with NaN in a "
      "channel",
      nan_get_type (), FUSE_NAN_COPY, playing));
  g_object_class_install_property (object_class, PROP_REQUIRED, g_param_spec_boolean ("required", "Required",
      "Drop ticks at which this stream is missing", DEFAULT_REQUIRED, playing));
  g_object_class_install_property (object_class, PROP_REORDER_WINDOW, g_param_spec_int64 ("reorder-window", "Reorder window",
      "Accept rows up to this much older than the newest row (ns)", 0, ROBOCACHE_MAX_REORDER_WINDOW, DEFAULT_REORDER_WINDOW,
      playing));
  g_object_class_install_property (object_class, PROP_MAX_LEAD, g_param_spec_int64 ("max-lead", "Maximum lead",
      "Live: drop rows that are more than this ahead of running time, after adding offset (ns)", 0, G_MAXINT64,
      DEFAULT_MAX_LEAD, playing));
  g_object_class_install_property (object_class, PROP_EXPECTED_CAPS, g_param_spec_boxed ("expected-caps", "Expected caps",
      "Caps that the stream will have: samples have its tensor from the first tick on, with status missing before its first "
      "row. In a live pipeline, no tick waits for the stream. In other pipelines, the first tick waits for its caps or EOS (NULL = not "
      "declared: ticks wait for its caps)", GST_TYPE_CAPS, playing));
  g_object_class_install_property (object_class, PROP_TENSOR_ID, g_param_spec_string ("tensor-id", "Tensor id",
      "Id of this pad's tensor in the tensor meta of samples (NULL = the pad's name). On camera pads: read the tensor with this id "
      "from the frame's tensor meta, instead of the pixels (GStreamer 1.28 and later)", NULL,
      G_PARAM_READWRITE | G_PARAM_STATIC_STRINGS | GST_PARAM_MUTABLE_READY));
  g_object_class_install_property (object_class, PROP_STATS, g_param_spec_boxed ("stats", "Statistics",
      "Rows and ticks of this pad since the element started", GST_TYPE_STRUCTURE,
      G_PARAM_READABLE | G_PARAM_STATIC_STRINGS));
  gst_type_mark_as_plugin_api (nan_get_type (), 0);
  fuse_timestamp_properties_install (object_class, PROP_TIMESTAMPS);
  robocache_channel_roles_install_properties (object_class, PROP_ROLES);
}

static void
gst_robocache_fuse_pad_init (GstRobocacheFusePad *pad)
{
  pad->role = GST_ROBOCACHE_FUSE_SINK;
  pad->settings = (FuseStreamSettings) {
    .search = {.interpolation = DEFAULT_INTERPOLATION,.max_gap_ns = DEFAULT_MAX_GAP,.hold_limit_ns = DEFAULT_HOLD_LIMIT,
        .lobes = RC_DEFAULT_LOBES},
    .offset = DEFAULT_OFFSET,.reorder_window = DEFAULT_REORDER_WINDOW,.max_lead = DEFAULT_MAX_LEAD,
    .required = DEFAULT_REQUIRED
  };
  fuse_timestamp_properties_init (&pad->timestamps);
  fuse_reader_init (&pad->reader);
}

static void
gst_robocache_fuse_camera_pad_class_init (GstRobocacheFuseCameraPadClass *klass)
{
  G_OBJECT_CLASS (klass)->set_property = gst_robocache_fuse_pad_set_property;
  G_OBJECT_CLASS (klass)->get_property = gst_robocache_fuse_pad_get_property;
  install_interpolation (G_OBJECT_CLASS (klass), DEFAULT_CAMERA_INTERPOLATION);
}

static void
gst_robocache_fuse_camera_pad_init (GstRobocacheFuseCameraPad *pad)
{
  GST_ROBOCACHE_FUSE_PAD (pad)->settings.search.interpolation = DEFAULT_CAMERA_INTERPOLATION;
}

GType
gst_robocache_fuse_pad_type (GstRobocacheFuseRole role)
{
  return role == GST_ROBOCACHE_FUSE_CAMERA ? GST_TYPE_ROBOCACHE_FUSE_CAMERA_PAD : GST_TYPE_ROBOCACHE_FUSE_PAD;
}

gboolean
gst_robocache_fuse_pad_parse_name (const gchar *name, GstRobocacheFuseRole *role, guint *number)
{
  guint64 parsed;

  for (*role = 0; *role < GST_ROBOCACHE_FUSE_N_ROLES; (*role)++) {
    const gsize length = strlen (gst_robocache_fuse_role_names[*role]);

    if (!g_str_has_prefix (name, gst_robocache_fuse_role_names[*role]) || name[length] != '_'
        || !g_ascii_string_to_unsigned (name + length + 1, 10, 0, G_MAXUINT32, &parsed, NULL))
      continue;
    *number = (guint) parsed;
    return TRUE;
  }
  return FALSE;
}

gboolean
gst_robocache_fuse_pad_check_setting (const GParamSpec *pspec, const GValue *value, GError **error)
{
  return pspec->param_id < PROP_ROLES || robocache_channel_roles_check (pspec->param_id - PROP_ROLES, value, error);
}

GstRobocacheFusePad *
gst_robocache_fuse_pad_new (GstPadTemplate *pad_template, GstRobocacheFuseRole role, guint number,
    const GstRobocacheFusePadCallbacks *callbacks)
{
  gchar *name = g_strdup_printf ("%s_%u", gst_robocache_fuse_role_names[role], number);
  GstRobocacheFusePad *pad = g_object_new (gst_robocache_fuse_pad_type (role), "name", name, "direction", GST_PAD_SINK,
      "template", pad_template, NULL);

  pad->role = role;
  pad->number = number;
  pad->callbacks = callbacks;
  pad->stream = fuse_stream_new (name, (guint64) role << 32 | number, role == GST_ROBOCACHE_FUSE_CAMERA);
  g_free (name);
  return pad;
}

/* ---- the stream's settings and formats ---- */

void
gst_robocache_fuse_pad_get_settings (GstRobocacheFusePad *pad, FuseEvent *settings, FuseEvent *timestamps)
{
  GST_OBJECT_LOCK (pad);
  *settings = (FuseEvent) {.kind = FUSE_EVENT_SETTINGS,.settings = pad->settings };
  *timestamps = (FuseEvent) {.kind = FUSE_EVENT_TIMESTAMPS,.timestamps = pad->timestamps.settings };
  GST_OBJECT_UNLOCK (pad);
}

static void
set_channels (RobocacheChannelRoles *roles, const FuseFormat *format)
{
  robocache_channel_roles_set_channels (roles, format->rows.channels, format->channels, format->kinds);
}

/* Copies the roles that the stream's samples are made with. */
static void
start_roles (GstRobocacheFusePad *pad)
{
  GST_OBJECT_LOCK (pad);
  robocache_channel_roles_copy (&pad->started_roles, &pad->roles);
  GST_OBJECT_UNLOCK (pad);
}

/* Kinds of the caps, unless the property has others. Lists of channels, which plans refuse, are not looked at. */
static gboolean
check_kinds (GstRobocacheFusePad *pad, const FuseFormat *format, GError **error)
{
  RobocacheChannelRoles roles = { 0 };
  gboolean ok;

  GST_OBJECT_LOCK (pad);
  roles.strings[ROBOCACHE_ROLE_KINDS] = g_strdup (pad->roles.strings[ROBOCACHE_ROLE_KINDS]);
  GST_OBJECT_UNLOCK (pad);
  set_channels (&roles, format);
  ok = robocache_channel_roles_parse (&roles, error);
  robocache_channel_roles_clear (&roles);
  return ok;
}

FuseFormat *
gst_robocache_fuse_pad_parse_caps (GstRobocacheFusePad *pad, const GstCaps *caps, GError **error)
{
  FuseFormat *format;
  gchar *tensor_id;

  GST_OBJECT_LOCK (pad);
  tensor_id = g_strdup (pad->tensor_id);
  GST_OBJECT_UNLOCK (pad);
  format = fuse_format_parse (caps, tensor_id, error);
  g_free (tensor_id);
  if (format && !check_kinds (pad, format, error))
    g_clear_pointer (&format, fuse_format_unref);
  return format;
}

/* What is chosen of the channels, and why. */
static void
log_kinds (GstRobocacheFusePad *pad, const FuseFormat *format)
{
  gchar *text = robocache_channel_roles_describe (&pad->started_roles, format->rows.dtype);

  GST_INFO_OBJECT (pad, "%s", text);
  g_free (text);
}

/* Takes format. Lists of channels that are wrong, which plans refuse, count as none. */
static void
take_format (GstRobocacheFusePad *pad, FuseFormat *format, gboolean is_declared, FuseEvent *event)
{
  if (pad->reader.format == NULL)
    start_roles (pad);
  set_channels (&pad->started_roles, format);
  robocache_channel_roles_parse (&pad->started_roles, NULL);
  if (!format->rows.is_camera && (pad->reader.format == NULL || g_strcmp0 (pad->reader.format->kinds, format->kinds) != 0))
    log_kinds (pad, format);
  fuse_reader_take_format (&pad->reader, format, is_declared, &pad->started_roles, event);
}

gboolean
gst_robocache_fuse_pad_set_format (GstRobocacheFusePad *pad, FuseFormat *format, FuseEvent *event, GError **error)
{
  if (pad->stream->is_declared && !fuse_format_is_as_declared (format, pad->reader.format)) {
    g_set_error (error, ROBOCACHE_ERROR, ROBOCACHE_ERROR_CAPS, "caps differ from expected-caps");
    fuse_format_unref (format);
    return FALSE;
  }
  take_format (pad, format, FALSE, event);
  return TRUE;
}

static GstCaps *
caps_to_declare (GstRobocacheFusePad *pad)
{
  GstCaps *caps = NULL;

  GST_OBJECT_LOCK (pad);
  if (pad->expected_caps && pad->reader.format == NULL)
    caps = gst_caps_ref (pad->expected_caps);
  GST_OBJECT_UNLOCK (pad);
  return caps;
}

gboolean
gst_robocache_fuse_pad_declare (GstRobocacheFusePad *pad, FuseEvent *event, GError **error)
{
  GstCaps *caps = caps_to_declare (pad);
  FuseFormat *format = NULL;

  if (caps == NULL)
    return FALSE;
  if (!gst_caps_is_fixed (caps)) {
    g_set_error (error, ROBOCACHE_ERROR, ROBOCACHE_ERROR_PROPERTY, "expected-caps are not fixed: give every field one value");
  } else {
    format = gst_robocache_fuse_pad_parse_caps (pad, caps, error);
    if (format)
      take_format (pad, format, TRUE, event);
    else
      g_prefix_error (error, "expected-caps: ");
  }
  if (format)
    GST_INFO_OBJECT (pad, "expects %" GST_PTR_FORMAT, caps);
  gst_caps_unref (caps);
  return format != NULL;
}

void
gst_robocache_fuse_pad_reset (GstRobocacheFusePad *pad)
{
  fuse_reader_reset (&pad->reader);
  start_roles (pad);
  pad->flushing = pad->flush_awaited = pad->sources_checked = pad->is_flexible = FALSE;
  pad->thin_until = 0;
  pad->silence_is_reported = FALSE;
  pad->faults = (RobocachePadFaults) { 0 };
  pad->flow = GST_FLOW_OK;
}

gint
gst_robocache_fuse_pad_compare (const GstRobocacheFusePad *a, const GstRobocacheFusePad *b)
{
  if (a->role != b->role)
    return (gint) a->role - (gint) b->role;
  return (a->number > b->number) - (a->number < b->number);
}
