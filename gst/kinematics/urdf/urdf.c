/* robocache: robocachekinematics, URDF files
 *
 * libxml2 reads the file as events, so nothing is kept of it but joints and names of links. Elements of interest are those of a path
 * below the root, since transmissions and simulators have elements of the same names elsewhere.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "urdf.h"

#include <errno.h>
#include <glib/gstdio.h>
#include <libxml/SAX2.h>
#include <libxml/parser.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "common/element/errors.h"

#define CHUNK_BYTES 65536
#define MAX_DEPTH 4             /* of elements of interest */

/* A file that is read. */
typedef struct
{
  xmlParserCtxt *parser;
  GError *error;                /* the first one, without the file's name */
  guint depth;
  const xmlChar *path[MAX_DEPTH];       /* names of the open elements, in the parser's dictionary */
  gchar *name;                  /* name of the robot; NULL: its element was not read yet */
  GArray *joints;
  GPtrArray *links;
  gboolean has_limits, has_parent, has_child;   /* of the open joint */
  gboolean has_quaternions;     /* the version of the file has them */
} Reader;

/* ---- errors ---- */

/* The handler stops the parser at its end, since that frees the attributes which it reads. */
static void G_GNUC_PRINTF (2, 3)
refuse (Reader *reader, const gchar *format, ...)
{
  gchar *text;
  va_list args;

  if (reader->error)
    return;
  va_start (args, format);
  text = g_strdup_vprintf (format, args);
  va_end (args);
  reader->error = g_error_new (ROBOCACHE_ERROR, ROBOCACHE_ERROR_PROPERTY, "line %d: %s", xmlSAX2GetLineNumber (reader->parser),
      text);
  g_free (text);
}

static gboolean
is_xacro (const gchar *text)
{
  return strstr (text, "${") || strstr (text, "$(");
}

static void
refuse_xacro (Reader *reader)
{
  refuse (reader, "the file is xacro, not URDF: expand it with \"xacro FILE > robot.urdf\"");
}

/* Robots in other formats. */
static void
refuse_root (Reader *reader, const gchar *root)
{
  static const struct
  {
    const gchar *root, *format;
  } formats[] = {
    {"sdf", "SDF, of Gazebo, not URDF: export the robot as URDF"},
    {"gazebo", "SDF, of Gazebo, not URDF: export the robot as URDF"},
    {"mujoco", "MJCF, of MuJoCo, not URDF: export the robot as URDF"},
    {"COLLADA", "COLLADA, a format of meshes, not URDF: export the robot as URDF"},
  };

  for (guint i = 0; i < G_N_ELEMENTS (formats); i++) {
    if (g_str_equal (root, formats[i].root)) {
      refuse (reader, "the root element is <%s>, so the file is %s", root, formats[i].format);
      return;
    }
  }
  refuse (reader, "the root element is <%s>: expected <robot>", root);
}

/* ---- attributes ---- */

/* Of an element: five pointers each, the name first, and the two ends of the value last. */
typedef struct
{
  const xmlChar **list;
  gint n;
} Attributes;

/* Free with g_free; NULL: no attribute of that name. */
static gchar *
read_text (Reader *reader, const Attributes *attributes, const gchar *name)
{
  for (gint i = 0; i < attributes->n && !reader->error; i++) {
    const gchar *const *attribute = (const gchar * const *) attributes->list + 5 * i;
    gchar *text;

    if (!g_str_equal (attribute[0], name))
      continue;
    text = g_strndup (attribute[3], (gsize) (attribute[4] - attribute[3]));
    if (is_xacro (text))
      refuse_xacro (reader);
    return g_strstrip (text);
  }
  return NULL;
}

static gchar *
need_text (Reader *reader, const Attributes *attributes, const gchar *name, const gchar *element)
{
  gchar *text = read_text (reader, attributes, name);

  if (text == NULL || *text == '\0')
    refuse (reader, "<%s> has no %s", element, name);
  return text;
}

/* FALSE: text is not n numbers of at most `greatest` between blanks. */
static gboolean
parse_numbers (const gchar *text, gdouble *numbers, guint n, gdouble greatest)
{
  gchar *end;

  for (guint i = 0; i < n; i++) {
    numbers[i] = g_ascii_strtod (text, &end);
    if (end == text || !(fabs (numbers[i]) <= greatest))
      return FALSE;
    text = end;
  }
  while (g_ascii_isspace (*text))
    text++;
  return *text == '\0';
}

/* numbers keep their values where the attribute is absent. */
static void
read_bounded (Reader *reader, const Attributes *attributes, const gchar *name, gdouble *numbers, guint n, gdouble greatest)
{
  gchar *text = read_text (reader, attributes, name);

  if (text && !parse_numbers (text, numbers, n, greatest))
    refuse (reader, "%s=\"%.100s\": expected %u number%s of at most %g", name, text, n, n > 1 ? "s" : "", greatest);
  g_free (text);
}

static void
read_numbers (Reader *reader, const Attributes *attributes, const gchar *name, gdouble *numbers, guint n)
{
  read_bounded (reader, attributes, name, numbers, n, RC_KINEMATICS_MAX_NUMBER);
}

/* ---- elements ---- */

static RobocacheRobotJoint *
open_joint (Reader *reader)
{
  return &g_array_index (reader->joints, RobocacheRobotJoint, reader->joints->len - 1);
}

static void
read_robot (Reader *reader, const Attributes *attributes)
{
  static const gchar *const versions[] = { "1", "1.0", "1.1", "1.2", NULL };
  gchar *version = read_text (reader, attributes, "version");

  reader->name = read_text (reader, attributes, "name");
  if (reader->name == NULL)
    reader->name = g_strdup ("");
  if (version && !g_strv_contains (versions, version))
    refuse (reader, "version=\"%.60s\": expected URDF 1.0, 1.1 or 1.2", version);
  reader->has_quaternions = g_strcmp0 (version, "1.2") == 0;
  g_free (version);
}

static void
read_link (Reader *reader, const Attributes *attributes)
{
  gchar *name = need_text (reader, attributes, "name", "link");

  if (reader->links->len > RC_KINEMATICS_MAX_JOINTS)
    refuse (reader, "the robot has more than %d links", RC_KINEMATICS_MAX_JOINTS + 1);
  if (reader->error)
    g_free (name);
  else
    g_ptr_array_add (reader->links, name);
}

static void
read_kind (Reader *reader, const Attributes *attributes, RobocacheRobotJoint *joint)
{
  static const struct
  {
    const gchar *name;
    RcJointKind kind;
    gboolean is_free;
  } kinds[] = {
    {"fixed", RC_JOINT_FIXED}, {"revolute", RC_JOINT_REVOLUTE}, {"continuous", RC_JOINT_CONTINUOUS},
    {"prismatic", RC_JOINT_PRISMATIC}, {"floating", RC_JOINT_FIXED, TRUE}, {"planar", RC_JOINT_FIXED, TRUE},
  };
  gchar *type = need_text (reader, attributes, "type", "joint");
  guint i = 0;

  while (type && i < G_N_ELEMENTS (kinds) && !g_str_equal (type, kinds[i].name))
    i++;
  if (type && i == G_N_ELEMENTS (kinds))
    refuse (reader, "type=\"%.100s\": expected fixed, revolute, continuous, prismatic, floating or planar", type);
  if (!reader->error) {
    joint->spec.kind = kinds[i].kind;
    joint->is_free = kinds[i].is_free;
  }
  g_free (type);
}

static void
read_joint (Reader *reader, const Attributes *attributes)
{
  RobocacheRobotJoint joint = {.line = (guint) xmlSAX2GetLineNumber (reader->parser),
    .spec = {.axis = {1.0, 0.0, 0.0},.mimics = -1,.multiplier = 1.0}
  };

  if (reader->joints->len == RC_KINEMATICS_MAX_JOINTS) {
    refuse (reader, "the robot has more than %d joints", RC_KINEMATICS_MAX_JOINTS);
    return;
  }
  joint.name = need_text (reader, attributes, "name", "joint");
  read_kind (reader, attributes, &joint);
  reader->has_limits = FALSE;
  g_array_append_val (reader->joints, joint);
}

static void
read_end (Reader *reader, const Attributes *attributes, gchar **end, const gchar *element)
{
  if (*end)
    refuse (reader, "joint \"%s\" has two <%s>", open_joint (reader)->name, element);
  g_free (*end);
  *end = need_text (reader, attributes, "link", element);
}

static void
read_parent (Reader *reader, const Attributes *attributes)
{
  read_end (reader, attributes, &open_joint (reader)->parent, "parent");
}

static void
read_child (Reader *reader, const Attributes *attributes)
{
  read_end (reader, attributes, &open_joint (reader)->link, "child");
}

static void
read_origin (Reader *reader, const Attributes *attributes)
{
  RcJointSpec *spec = &open_joint (reader)->spec;
  gchar *rpy = read_text (reader, attributes, "rpy"), *quaternion = read_text (reader, attributes, "quat_xyzw");
  gdouble q[4] = { 0 };

  read_numbers (reader, attributes, "xyz", spec->origin, 3);
  read_numbers (reader, attributes, "rpy", spec->rpy, 3);
  read_numbers (reader, attributes, "quat_xyzw", q, 4);
  if (quaternion && rpy)
    refuse (reader, "an <origin> has both rpy and quat_xyzw: expected one of them");
  else if (quaternion && !reader->has_quaternions)
    refuse (reader, "quat_xyzw needs URDF 1.2: set version=\"1.2\" in <robot>");
  else if (quaternion && !(MAX (MAX (fabs (q[0]), fabs (q[1])), MAX (fabs (q[2]), fabs (q[3]))) >= 1e-6))
    refuse (reader, "quat_xyzw=\"%.100s\": expected a number of at least 1e-6", quaternion);
  spec->quaternion[0] = q[3];
  memcpy (spec->quaternion + 1, q, 3 * sizeof (gdouble));
  g_free (rpy);
  g_free (quaternion);
}

static void
read_axis (Reader *reader, const Attributes *attributes)
{
  read_numbers (reader, attributes, "xyz", open_joint (reader)->spec.axis, 3);
}

static void
read_limit (Reader *reader, const Attributes *attributes)
{
  gdouble unused;

  reader->has_limits = TRUE;
  /* some robots write a great number for none */
  read_bounded (reader, attributes, "lower", &open_joint (reader)->spec.lower, 1, G_MAXDOUBLE);
  read_bounded (reader, attributes, "upper", &open_joint (reader)->spec.upper, 1, G_MAXDOUBLE);
  read_bounded (reader, attributes, "effort", &unused, 1, G_MAXDOUBLE);
  read_bounded (reader, attributes, "velocity", &unused, 1, G_MAXDOUBLE);
}

static void
read_mimic (Reader *reader, const Attributes *attributes)
{
  RobocacheRobotJoint *joint = open_joint (reader);

  if (joint->mimics)
    refuse (reader, "joint \"%s\" has two <mimic>", joint->name);
  g_free (joint->mimics);
  joint->mimics = need_text (reader, attributes, "joint", "mimic");
  read_numbers (reader, attributes, "multiplier", &joint->spec.multiplier, 1);
  read_numbers (reader, attributes, "offset", &joint->spec.offset, 1);
}

static gboolean
is_limited (RcJointKind kind)
{
  return kind == RC_JOINT_REVOLUTE || kind == RC_JOINT_PRISMATIC;
}

static void
check_motion (Reader *reader, const RobocacheRobotJoint *joint)
{
  const RcJointSpec *spec = &joint->spec;
  const gdouble *a = spec->axis;

  if (fmax (fabs (a[0]), fmax (fabs (a[1]), fabs (a[2]))) < 1e-6)
    refuse (reader, "joint \"%s\" has the axis %g %g %g: expected a direction", joint->name, a[0], a[1], a[2]);
  else if (is_limited (spec->kind) && !reader->has_limits)
    refuse (reader, "joint \"%s\" has no <limit>: add one, or set type=\"continuous\"", joint->name);
  else if (is_limited (spec->kind) && spec->lower > spec->upper)
    refuse (reader, "joint \"%s\" has the limits %g to %g: expected a lower limit that is not above the upper one", joint->name,
        spec->lower, spec->upper);
}

static void
close_joint (Reader *reader)
{
  const RobocacheRobotJoint *joint = open_joint (reader);

  if (joint->parent == NULL || joint->link == NULL)
    refuse (reader, "joint \"%s\" has no <%s>", joint->name, joint->parent ? "child" : "parent");
  else if (joint->spec.kind != RC_JOINT_FIXED)
    check_motion (reader, joint);
}

/* ---- events ---- */

typedef struct
{
  const gchar *path[MAX_DEPTH];
  void (*read) (Reader * reader, const Attributes * attributes);
  void (*close) (Reader * reader);
} Element;

static const Element elements[] = {
  {{"robot"}, read_robot}, {{"robot", "link"}, read_link}, {{"robot", "joint"}, read_joint, close_joint},
  {{"robot", "joint", "parent"}, read_parent}, {{"robot", "joint", "child"}, read_child},
  {{"robot", "joint", "origin"}, read_origin}, {{"robot", "joint", "axis"}, read_axis},
  {{"robot", "joint", "limit"}, read_limit}, {{"robot", "joint", "mimic"}, read_mimic},
};

static gboolean
is_here (const Reader *reader, const Element *element)
{
  for (guint i = 0; i < MAX_DEPTH; i++) {
    const gchar *name = i < reader->depth ? (const gchar *) reader->path[i] : NULL;

    if (g_strcmp0 (name, element->path[i]) != 0)
      return FALSE;
  }
  return TRUE;
}

static const Element *
find_element (const Reader *reader)
{
  for (guint i = 0; i < G_N_ELEMENTS (elements) && reader->depth <= MAX_DEPTH; i++) {
    if (is_here (reader, &elements[i]))
      return &elements[i];
  }
  return NULL;
}

/* At the end of a handler. */
static void
stop_after_error (Reader *reader)
{
  if (reader->error)
    xmlStopParser (reader->parser);
}

static void
start_element (void *data, const xmlChar *name, const xmlChar *prefix, const xmlChar *uri, int n_namespaces,
    const xmlChar **namespaces, int n_attributes, int n_defaulted, const xmlChar **attributes)
{
  Reader *reader = data;
  const Attributes list = { attributes, n_attributes };
  const Element *element;

  if (reader->depth < MAX_DEPTH)
    reader->path[reader->depth] = name;
  reader->depth++;
  if ((prefix && g_str_equal (prefix, "xacro")) || (uri && strstr ((const gchar *) uri, "xacro")))
    refuse_xacro (reader);
  else if (reader->depth == 1 && !g_str_equal (name, "robot"))
    refuse_root (reader, (const gchar *) name);
  element = reader->error ? NULL : find_element (reader);
  if (element)
    element->read (reader, &list);
  stop_after_error (reader);
}

static void
end_element (void *data, const xmlChar *name, const xmlChar *prefix, const xmlChar *uri)
{
  Reader *reader = data;
  const Element *element = reader->error ? NULL : find_element (reader);

  if (element && element->close)
    element->close (reader);
  reader->depth--;
  stop_after_error (reader);
}

static void
start_document_type (void *data, const xmlChar *name, const xmlChar *external, const xmlChar *system)
{
  refuse (data, "the file has a document type, which URDF does not allow: remove the <!DOCTYPE> declaration; entities are not expanded");
  stop_after_error (data);
}

/* ---- files ---- */

static gboolean
reader_init (Reader *reader)
{
  static gsize is_ready = 0;
  xmlSAXHandler events = {.initialized = XML_SAX2_MAGIC,.startElementNs = start_element,.endElementNs = end_element,
    .internalSubset = start_document_type
  };

  if (g_once_init_enter (&is_ready)) {
    xmlInitParser ();
    g_once_init_leave (&is_ready, 1);
  }
  memset (reader, 0, sizeof (*reader));
  reader->parser = xmlCreatePushParserCtxt (&events, reader, NULL, 0, NULL);
  reader->joints = g_array_new (FALSE, TRUE, sizeof (RobocacheRobotJoint));
  reader->links = g_ptr_array_new_with_free_func (g_free);
  if (reader->parser == NULL)
    return FALSE;
  xmlCtxtUseOptions (reader->parser, XML_PARSE_NONET | XML_PARSE_NOERROR | XML_PARSE_NOWARNING);
  return TRUE;
}

static void
clear_joint (gpointer joint)
{
  robocache_robot_joint_clear (joint);
}

/* Also frees the parser's document, if it has one although no handler makes it. */
static void
reader_clear (Reader *reader)
{
  if (reader->parser && reader->parser->myDoc)
    xmlFreeDoc (reader->parser->myDoc);
  if (reader->parser)
    xmlFreeParserCtxt (reader->parser);
  if (reader->joints) {
    g_array_set_clear_func (reader->joints, clear_joint);
    g_array_unref (reader->joints);
  }
  g_clear_pointer (&reader->links, g_ptr_array_unref);
  g_free (reader->name);
  g_clear_error (&reader->error);
}

/* FALSE: the rest need not be read. */
static gboolean
reader_add (Reader *reader, const gchar *bytes, gsize n, gboolean is_last)
{
  const gint result = xmlParseChunk (reader->parser, bytes, (gint) n, is_last);
  const xmlError *message = xmlCtxtGetLastError (reader->parser);
  gchar *text;

  if (reader->error)
    return FALSE;
  if (result == XML_ERR_OK)
    return TRUE;
  text = g_strstrip (g_strdup (message && message->message ? message->message : "it ends too early"));
  refuse (reader, "not XML: %s", text);
  g_free (text);
  return FALSE;
}

static RobocacheRobot *
reader_finish (Reader *reader)
{
  RobocacheRobot *robot;

  if (reader->error == NULL && reader->name == NULL)
    refuse (reader, "no robot");
  if (reader->error)
    return NULL;
  robot = robocache_robot_new (reader->name, reader->joints, reader->links, &reader->error);
  reader->name = NULL;
  reader->joints = NULL;
  reader->links = NULL;
  return robot;
}

static void
give_error (Reader *reader, const gchar *name, GError **error)
{
  if (reader->error)
    g_set_error (error, reader->error->domain, reader->error->code, "urdf=%s: %s", name, reader->error->message);
}

RobocacheRobot *
robocache_urdf_parse (const gchar *name, const gchar *bytes, gsize n, GError **error)
{
  RobocacheRobot *robot = NULL;
  gboolean goes_on = TRUE;
  Reader reader;

  if (reader_init (&reader)) {
    for (gsize done = 0; done < n && goes_on; done += CHUNK_BYTES)
      goes_on = reader_add (&reader, bytes + done, MIN (n - done, CHUNK_BYTES), FALSE);
    if (goes_on)
      reader_add (&reader, NULL, 0, TRUE);
    robot = reader_finish (&reader);
  }
  give_error (&reader, name, error);
  reader_clear (&reader);
  return robot;
}

/* A file that never ends is no URDF. */
static gboolean
read_bytes (FILE *file, GByteArray *bytes)
{
  guint8 chunk[CHUNK_BYTES];
  gsize n;

  while (bytes->len <= ROBOCACHE_URDF_MAX_BYTES && (n = fread (chunk, 1, sizeof (chunk), file)) > 0)
    g_byte_array_append (bytes, chunk, (guint) n);
  return !ferror (file);
}

static gboolean
read_file (const gchar *path, GByteArray *bytes, GError **error)
{
  FILE *file = g_fopen (path, "rb");
  const gboolean ok = file && read_bytes (file, bytes);
  const gint code = errno;

  if (file)
    fclose (file);
  if (!ok)
    g_set_error (error, ROBOCACHE_ERROR, ROBOCACHE_ERROR_PROPERTY, "urdf=%s: %s", path, g_strerror (code));
  else if (bytes->len > ROBOCACHE_URDF_MAX_BYTES)
    g_set_error (error, ROBOCACHE_ERROR, ROBOCACHE_ERROR_PROPERTY, "urdf=%s: more than %d MiB: expected a URDF file", path,
        ROBOCACHE_URDF_MAX_BYTES >> 20);
  return ok && bytes->len <= ROBOCACHE_URDF_MAX_BYTES;
}

RobocacheRobot *
robocache_urdf_read (const gchar *path, GError **error)
{
  GByteArray *bytes = g_byte_array_new ();
  RobocacheRobot *robot = NULL;

  if (read_file (path, bytes, error))
    robot = robocache_urdf_parse (path, (const gchar *) bytes->data, bytes->len, error);
  g_byte_array_unref (bytes);
  return robot;
}
