/* robocache: checks of the machine, each a line with what to do
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "doctor.h"

#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/statvfs.h>
#include <sys/timex.h>

#ifdef HAVE_ROS2
#include "common/dds/plain/enclave.h"
#include "common/dds/plain/network.h"
#endif
#include "examples/tools/program.h"

#define MIB ((guint64) 1 << 20)
/* DDS receives a message of several datagrams whole only where its buffer holds them: https://docs.ros.org/en/rolling/How-To-Guides/DDS-tuning.html */
#define ENOUGH_RMEM (2 * MIB)
#define ENOUGH_FILES 4096
#define ENOUGH_DISK (1024 * MIB)
/* A clock that follows another one is within this of it, in us. */
#define ENOUGH_CLOCK_ERROR_US 10000
#define GPU_TIMEOUT (20 * GST_SECOND)

typedef enum
{
  FINE,
  NOTE,                         /* something works less well, or is not there */
  PROBLEM                       /* pipelines or programs fail */
} Verdict;

/* What a check found. */
typedef struct
{
  Verdict verdict;
  gchar *text;                  /* free with g_free */
  const gchar *remedy;          /* NULL: none is needed */
} Finding;

G_GNUC_PRINTF (3, 4)
static Finding
finding (Verdict verdict, const gchar *remedy, const gchar *format, ...)
{
  Finding found = {.verdict = verdict,.remedy = remedy };
  va_list args;

  va_start (args, format);
  found.text = g_strdup_vprintf (format, args);
  va_end (args);
  return found;
}

static Finding
check_gstreamer (void)
{
  gchar *version = gst_version_string ();
  Finding found = finding (FINE, NULL, "%s", version);

  g_free (version);
  return found;
}

static Finding
check_plugin (void)
{
  GstPlugin *plugin = gst_registry_find_plugin (gst_registry_get (), "robocache");
  Finding found;

  if (!plugin)
    return finding (PROBLEM, "set GST_PLUGIN_PATH_1_0 to the folder of libgstrobocache.so (in a checkout: . examples/env.sh), then remove "
        "~/.cache/gstreamer-1.0", "GStreamer does not find the plugin robocache");
  found = finding (FINE, NULL, "%s of %s", gst_plugin_get_version (plugin), gst_plugin_get_filename (plugin));
  gst_object_unref (plugin);
  return found;
}

static Finding
check_elements (void)
{
  static const struct
  {
    const gchar *name, *needs;
  } optional[] = {
    {"robocachemcapdemux", "libzstd, liblz4 and zlib"}, {"robocachebagsrc", "libyaml"}, {"robocachekinematics", "libxml2"},
    {"robocachevoxelview", "cairo"}, {"robocachefoxglovesink", "libsoup 3"},
  };
  GString *absent = g_string_new (NULL);
  Finding found;

  for (guint i = 0; i < G_N_ELEMENTS (optional); i++) {
    GstElementFactory *factory = gst_element_factory_find (optional[i].name);

    if (!factory)
      g_string_append_printf (absent, "%s%s (%s)", absent->len > 0 ? ", " : "", optional[i].name, optional[i].needs);
    gst_clear_object (&factory);
  }
  found = absent->len == 0 ? finding (FINE, NULL, "all elements are in this build")
      : finding (NOTE, "build with the named libraries", "this build lacks %s", absent->str);
  g_string_free (absent, TRUE);
  return found;
}

/* The server of viewers is loaded in READY, and libsoup with it. */
static Finding
check_viewers (void)
{
  GstElement *sink = gst_element_factory_make ("robocachefoxglovesink", NULL);
  Finding found;

  if (!sink)
    return finding (NOTE, NULL, "this build does not serve viewers");
  if (gst_element_set_state (sink, GST_STATE_READY) == GST_STATE_CHANGE_SUCCESS)
    found = finding (FINE, NULL, "robocachefoxglovesink can serve Foxglove and Lichtblick");
  else
    found = finding (NOTE, "sudo apt-get install libsoup-3.0-0", "robocachefoxglovesink cannot load its server, which needs libsoup 3");
  gst_element_set_state (sink, GST_STATE_NULL);
  gst_object_unref (sink);
  return found;
}

static Finding
check_codecs (void)
{
  static const struct
  {
    const gchar *name, *package;
  } codecs[] = {
    {"jpegdec", "gstreamer1.0-plugins-good"}, {"pngdec", "gstreamer1.0-plugins-good"}, {"h264parse", "gstreamer1.0-plugins-bad"},
    {"x264enc", "gstreamer1.0-plugins-ugly"},
  };

  for (guint i = 0; i < G_N_ELEMENTS (codecs); i++) {
    GstElementFactory *factory = gst_element_factory_find (codecs[i].name);

    if (!factory)
      return finding (NOTE, "sudo apt-get install gstreamer1.0-plugins-good gstreamer1.0-plugins-bad gstreamer1.0-plugins-ugly",
          "%s is missing (%s): pictures and video of recordings need it", codecs[i].name, codecs[i].package);
    gst_object_unref (factory);
  }
  return finding (FINE, NULL, "JPEG, PNG and H.264");
}

/* A pipeline that must use a GPU ends, or posts why there is none. */
static Finding
check_gpu (void)
{
  GstElement *pipeline = gst_parse_launch ("robocachetestsrc num-buffers=9 ! robocacheresample backend=cuda ! fakesink", NULL);
  GstMessage *message;
  GstBus *bus;
  GError *error = NULL;
  Finding found;

  if (!GST_IS_PIPELINE (pipeline)) {
    gst_clear_object (&pipeline);
    return finding (NOTE, NULL, "not checked without the plugin");
  }
  bus = gst_element_get_bus (pipeline);
  gst_element_set_state (pipeline, GST_STATE_PLAYING);
  message = gst_bus_timed_pop_filtered (bus, GPU_TIMEOUT, GST_MESSAGE_ERROR | GST_MESSAGE_EOS);
  if (message && GST_MESSAGE_TYPE (message) == GST_MESSAGE_ERROR)
    gst_message_parse_error (message, &error, NULL);
  found = !message ? finding (PROBLEM, "look at GST_DEBUG=robocacheresample:5", "the GPU did not answer within 20 s")
      : error ? finding (NOTE, "without a GPU, elements compute on the CPU, with the same result: docs/howto/gpu.md", "%s", error->message)
      : finding (FINE, NULL, "elements can compute on the GPU");
  g_clear_error (&error);
  g_clear_pointer (&message, gst_message_unref);
  gst_element_set_state (pipeline, GST_STATE_NULL);
  gst_object_unref (bus);
  gst_object_unref (pipeline);
  return found;
}

/* A number in a file of /proc or /sys; 0 without the file. */
static guint64
read_number (const gchar *path)
{
  gchar *text = NULL;
  guint64 number = 0;

  if (g_file_get_contents (path, &text, NULL, NULL))
    number = g_ascii_strtoull (text, NULL, 10);
  g_free (text);
  return number;
}

static Finding
check_memory (void)
{
  const guint64 limit = read_number ("/sys/fs/cgroup/memory.max");

  if (limit > 0 && limit < 1024 * MIB)
    return finding (NOTE, "give the container more memory, or set max-rows, max-size-bytes and queue sizes to fit",
        "the container may use %" G_GUINT64_FORMAT " MiB of memory", limit / MIB);
  return finding (FINE, NULL, "no limit below 1 GiB");
}

static Finding
check_files (void)
{
  struct rlimit limit;

  getrlimit (RLIMIT_NOFILE, &limit);
  if (limit.rlim_cur < ENOUGH_FILES)
    return finding (NOTE, "ulimit -n 4096, for pipelines of several hundred streams", "a process may have %" G_GUINT64_FORMAT " open files",
        (guint64) limit.rlim_cur);
  return finding (FINE, NULL, "a process may have %" G_GUINT64_FORMAT, (guint64) limit.rlim_cur);
}

static Finding
check_disk (void)
{
  struct statvfs disk;
  guint64 free_bytes;

  if (statvfs (".", &disk) != 0)
    return finding (NOTE, NULL, "the free space of this folder is unknown");
  free_bytes = (guint64) disk.f_bavail * disk.f_frsize;
  return finding (free_bytes < ENOUGH_DISK ? NOTE : FINE, free_bytes < ENOUGH_DISK ? "record elsewhere, or make room" : NULL,
      "%" G_GUINT64_FORMAT " MiB are free in this folder", free_bytes / MIB);
}

static Finding
check_clock (void)
{
  struct timex clock = { 0 };
  const int state = adjtimex (&clock);

  if (state == TIME_ERROR || (clock.status & STA_UNSYNC))
    return finding (NOTE, "run chrony, ptp4l or systemd-timesyncd, if sensors of several hosts are fused",
        "the system clock does not follow another clock");
  if (clock.maxerror > ENOUGH_CLOCK_ERROR_US)
    return finding (NOTE, "check the source of the clock with chronyc tracking", "the system clock may be wrong by %.1f ms",
        (gdouble) clock.maxerror / 1000);
  return finding (FINE, NULL, "the system clock is right to %.1f ms", (gdouble) clock.maxerror / 1000);
}

static Finding
check_python (void)
{
  const gchar *command = "/usr/bin/python3 -c \"import gi; gi.require_version('Gst', '1.0'); from gi.repository import Gst\"";
  gchar *said = NULL;
  gint status = 0;
  Finding found;

  if (g_spawn_command_line_sync (command, NULL, &said, &status, NULL) && status == 0)
    found = finding (FINE, NULL, "python3 has GStreamer: record and export can run");
  else
    found = finding (NOTE, "sudo apt-get install python3 python3-gi gir1.2-gstreamer-1.0 python3-venv",
        "/usr/bin/python3 does not find GStreamer: record and export need it");
  g_free (said);
  return found;
}

static Finding
check_network (void)
{
  const guint64 bytes = read_number ("/proc/sys/net/core/rmem_max");

  if (bytes > 0 && bytes < ENOUGH_RMEM)
    return finding (NOTE, "sudo sysctl -w net.core.rmem_max=2147483647, for pictures and clouds from other hosts",
        "a socket may buffer %" G_GUINT64_FORMAT " KiB", bytes / 1024);
  return finding (FINE, NULL, "a socket may buffer %" G_GUINT64_FORMAT " KiB", bytes / 1024);
}

#ifdef HAVE_ROS2
static Finding
describe_domain (const RobocacheDdsNetwork *network, const RobocacheDdsEnclave *enclave)
{
  gchar *keys = enclave->folder ? g_strdup_printf (", with the keys in %s", enclave->folder) : g_strdup ("");
  Finding found;

  if (enclave->fault)
    found = finding (NOTE, "with ROS_SECURITY_STRATEGY=Enforce, missing keys are an error", "live topics of domain %u: %s", network->domain,
        enclave->fault);
  else if (network->discovery == ROBOCACHE_DDS_DISCOVERY_SUBNET)
    found = finding (NOTE, "where hosts are not trusted, let the firewall pass UDP ports 7400 to 65535 of known hosts alone",
        "live topics of domain %u, with all hosts of the subnet%s", network->domain, keys);
  else
    found = finding (FINE, "for other hosts: --discovery subnet. To refuse even their announcements, block UDP ports 7400 to 65535 in the firewall",
        "live topics of domain %u, of this host and %u others (discovery %s)%s", network->domain, network->peers ? g_strv_length (network->peers) : 0,
        robocache_dds_discovery_name (network->discovery), keys);
  g_free (keys);
  return found;
}
#endif

/* The settings of the environment, as programs and elements without settings of their own have them. */
static Finding
check_domain (void)
{
#ifdef HAVE_ROS2
  RobocacheDdsNetwork network = { 0 };
  RobocacheDdsEnclave enclave = { 0 };
  GError *error = NULL;
  Finding found;

  if (robocache_dds_network_init (&network, ROBOCACHE_DDS_DOMAIN_AUTO, ROBOCACHE_DDS_DISCOVERY_AUTO, NULL, &error)
      && robocache_dds_enclave_init (&enclave, &error))
    found = describe_domain (&network, &enclave);
  else
    found = finding (PROBLEM, NULL, "%s", error->message);
  g_clear_error (&error);
  robocache_dds_enclave_clear (&enclave);
  robocache_dds_network_clear (&network);
  return found;
#else
  return finding (NOTE, "record a bag and use robocachebagsrc, or build with cyclonedds-dev 0.10.2, which Debian 12 and Ubuntu 24.04 have",
      "this build does not join live topics");
#endif
}

static Finding
check_ros (void)
{
  const gchar *middleware = g_getenv ("RMW_IMPLEMENTATION");
  GstElementFactory *factory = gst_element_factory_find ("robocacherossrc");
  const gboolean has_source = factory != NULL;

  gst_clear_object (&factory);
  if (has_source && middleware && strstr (middleware, "zenoh"))
    return finding (NOTE, "bridge the topics with zenoh-bridge-ros2dds", "RMW_IMPLEMENTATION=%s has no DDS", middleware);
  return check_domain ();
}

static const struct
{
  const gchar *name;
  Finding (*check) (void);
} checks[] = {
  {"GStreamer", check_gstreamer}, {"plugin", check_plugin}, {"elements", check_elements}, {"viewers", check_viewers}, {"codecs", check_codecs},
  {"GPU", check_gpu}, {"Python", check_python}, {"memory", check_memory}, {"open files", check_files}, {"disk", check_disk},
  {"clock", check_clock}, {"network", check_network}, {"ROS 2", check_ros},
};

int
doctor_run (int argc, char **argv)
{
  static const gchar *const words[] = { "ok", "note", "PROBLEM" };
  gboolean has_problem = FALSE;

  if (!program_parse_options (argc, argv, (GOptionEntry[]) { {NULL} }, "Checks what robocache finds on this machine, and prints "
      "what to do.", "robocache doctor"))
    return EXIT_USAGE;
  for (guint i = 0; i < G_N_ELEMENTS (checks); i++) {
    Finding found = checks[i].check ();
    gchar *text = printable (found.text);

    printf ("%-8s %-11s %s\n", words[found.verdict], checks[i].name, text);
    if (found.remedy)
      printf ("%-20s → %s\n", "", found.remedy);
    has_problem |= found.verdict == PROBLEM;
    g_free (text);
    g_free (found.text);
  }
  return has_problem ? EXIT_FAILURE : EXIT_SUCCESS;
}
