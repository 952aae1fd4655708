/* robocache: encoders of ROS 2 messages
 *
 * Each function writes one message, according to its type in definitions.h. Check has_failed of the writer afterwards.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef ROBOCACHE_ROS_MESSAGEENCODERS_H
#define ROBOCACHE_ROS_MESSAGEENCODERS_H

#include "cdr.h"
#include "kernels/dtype.h"

G_BEGIN_DECLS

#define ROBOCACHE_ROS_NO_TIME G_MININT64

typedef struct
{
  gint64 stamp_ns;              /* time on the recording's clock */
  const gchar *frame_id;        /* NULL: "" */
} RobocacheRosHeader;

/* Whether the seconds of a stamp fit into int32. */
gboolean robocache_ros_stamp_fits (gint64 stamp_ns);

/* Begins a message with its header. */
void robocache_ros_write_header (RobocacheCdrWriter * writer, const RobocacheRosHeader * header);

/* ---- sensor_msgs, geometry_msgs ---- */

/* Each of position, velocity and effort has n values, or is NULL: empty. */
void robocache_ros_write_joint_state (RobocacheCdrWriter * writer, const RobocacheRosHeader * header, const gchar * const *names,
    guint n, const gdouble * position, const gdouble * velocity, const gdouble * effort);

/* Quantities of an IMU; NULL: not measured. */
typedef struct
{
  const gdouble *orientation;   /* [4] x, y, z, w */
  const gdouble *angular_velocity, *linear_acceleration;        /* [3] rad/s, m/s2 */
} RobocacheRosImu;

/* Covariances are 0, which means unknown; the first covariance of an unmeasured quantity is -1. */
void robocache_ros_write_imu (RobocacheCdrWriter * writer, const RobocacheRosHeader * header, const RobocacheRosImu * imu);
void robocache_ros_write_wrench (RobocacheCdrWriter * writer, const RobocacheRosHeader * header, const gdouble force[3],
    const gdouble torque[3]);
/* orientation: x, y, z, w */
void robocache_ros_write_pose (RobocacheCdrWriter * writer, const RobocacheRosHeader * header, const gdouble position[3],
    const gdouble orientation[4]);

/* m/s and rad/s */
void robocache_ros_write_twist (RobocacheCdrWriter * writer, const RobocacheRosHeader * header, const gdouble linear[3],
    const gdouble angular[3]);
/* std_msgs, without a header: n numbers of no dimensions. */
void robocache_ros_write_float64_multi_array (RobocacheCdrWriter * writer, const gdouble * numbers, guint n);

typedef struct
{
  const gchar *name;
  guint32 offset;               /* bytes from the beginning of a point */
  RcDtype dtype;                /* int8 to uint32, float32 or float64 */
} RobocacheRosPointField;

/* The number of a dtype in PointField; 0: none. */
guint8 robocache_ros_point_datatype (RcDtype dtype);
/* The dtype of a number in PointField; RC_N_DTYPES: unknown number. */
RcDtype robocache_ros_point_dtype (guint8 datatype);

/* Writes height * width points, in host byte order. */
void robocache_ros_write_point_cloud (RobocacheCdrWriter * writer, const RobocacheRosHeader * header, guint32 height, guint32 width,
    const RobocacheRosPointField * fields, guint n_fields, guint32 point_step, gconstpointer points, gboolean is_dense);

/* Writes height lines of `step` bytes. */
void robocache_ros_write_image (RobocacheCdrWriter * writer, const RobocacheRosHeader * header, guint32 height, guint32 width,
    const gchar * encoding, gboolean is_bigendian, guint32 step, gconstpointer lines);
/* format: jpeg or png */
void robocache_ros_write_compressed_image (RobocacheCdrWriter * writer, const RobocacheRosHeader * header, const gchar * format,
    gconstpointer data, gsize size);
/* format: h264 or h265; foxglove_msgs */
void robocache_ros_write_compressed_video (RobocacheCdrWriter * writer, const RobocacheRosHeader * header, const gchar * format,
    gconstpointer data, gsize size);

/* A grid of cells, x fastest. */
typedef struct
{
  gdouble origin[3];            /* corner with minimum x, y, z, in metres */
  gdouble cell_size[3];         /* metres */
  guint32 n[3];                 /* cells along x, y, z */
  RcDtype dtype;                /* int8 to uint32, float32 or float64 */
  guint32 n_channels;           /* values of a cell */
} RobocacheRosVoxelGrid;

/* The number of a dtype in PackedElementField; 0: none. */
guint8 robocache_ros_element_type (RcDtype dtype);
/* cells: in host byte order; foxglove_msgs */
void robocache_ros_write_voxel_grid (RobocacheCdrWriter * writer, const RobocacheRosHeader * header, const RobocacheRosVoxelGrid * grid,
    gconstpointer cells);

/* A transform of a tf2_msgs/TFMessage: translation, and rotation x, y, z, w. */
typedef struct
{
  const gchar *child;           /* frame */
  gdouble numbers[7];
} RobocacheRosTransform;

void robocache_ros_write_transforms (RobocacheCdrWriter * writer, const RobocacheRosHeader * header, const RobocacheRosTransform * transforms,
    guint n);

/* ---- robocache_msgs ---- */

typedef struct
{
  const gchar *const *names;    /* [n_names] */
  guint n_names;
  guint8 status;
  gint64 duration_ns;           /* -1: unknown */
  const gint64 *times;          /* [n_times] ns after the stamp */
  guint n_times;
  RcDtype dtype;
  gconstpointer values;         /* [n_values] of dtype, in host order */
  gsize n_values;
} RobocacheRosRow;

void robocache_ros_write_row (RobocacheCdrWriter * writer, const RobocacheRosHeader * header, const RobocacheRosRow * row);

/* n elements of dtype, in host order; dims[0] is the fastest axis. */
void robocache_ros_write_tensor (RobocacheCdrWriter * writer, const RobocacheRosHeader * header, const gchar * name, RcDtype dtype,
    const guint64 * dims, guint rank, guint8 status, gint64 duration_ns, gconstpointer elements, gsize n);

typedef struct
{
  const gchar *name;
  gint64 before_ns, after_ns, age_ns;   /* ROBOCACHE_ROS_NO_TIME: none */
  guint8 status;
  guint64 rows, gaps, events;
} RobocacheRosTickStream;

typedef struct
{
  gint64 tick_ns, decided_ns;
  guint32 window;
  const RobocacheRosTickStream *streams;        /* [n_streams] */
  guint n_streams;              /* window * number of streams */
  guint64 journal_start;
  const gchar *journal_pads;    /* NULL: "" */
  const gint64 *journal;        /* [n_journal] */
  gsize n_journal;
} RobocacheRosTick;

void robocache_ros_write_tick (RobocacheCdrWriter * writer, const RobocacheRosHeader * header, const RobocacheRosTick * tick);
/* duration -1: none */
void robocache_ros_write_event (RobocacheCdrWriter * writer, const RobocacheRosHeader * header, const gchar * kind,
    const gchar * topic, guint32 sequence, gint64 duration_ns, const gchar * text);

G_END_DECLS
#endif
