/* robocache: the enclave of SROS 2 that this process is in
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#define _GNU_SOURCE
#include "security.h"

#include <dlfcn.h>
#include <gst/gst.h>

#include "common/element/errordomain.h"

static const struct
{
  const gchar *property, *file;
  gboolean is_optional;
} files[] = {
  {"dds.sec.auth.identity_ca", "identity_ca.cert.pem"},
  {"dds.sec.auth.identity_certificate", "cert.pem"},
  {"dds.sec.auth.private_key", "key.pem"},
  {"dds.sec.access.permissions_ca", "permissions_ca.cert.pem"},
  {"dds.sec.access.governance", "governance.p7s"},
  {"dds.sec.access.permissions", "permissions.p7s"},
  {"org.eclipse.cyclonedds.sec.auth.crl", "crl.pem", TRUE},
};

/* Names of Cyclone's plugins. */
static const struct
{
  const gchar *property, *library, *function;
} plugins[] = {
  {"dds.sec.auth.library", "dds_security_auth", "authentication"},
  {"dds.sec.crypto.library", "dds_security_crypto", "crypto"},
  {"dds.sec.access.library", "dds_security_ac", "access_control"},
};

/* Debian has them in a folder beside Cyclone, where the dynamic linker does not look. */
static gchar *
find_library (const gchar *name)
{
  gchar *file = g_strdup_printf ("lib%s.so", name), *folder, *found = NULL;
  Dl_info info;
  GDir *siblings;

  folder = dladdr ((gconstpointer) dds_create_participant, &info) ? g_path_get_dirname (info.dli_fname) : g_strdup (".");
  siblings = g_dir_open (folder, 0, NULL);
  for (const gchar *each; !found && siblings && (each = g_dir_read_name (siblings)) != NULL;) {
    gchar *path = g_build_filename (folder, each, file, NULL);

    if (g_str_has_prefix (each, "libddsc") && g_file_test (path, G_FILE_TEST_EXISTS))
      found = g_steal_pointer (&path);
    g_free (path);
  }
  g_clear_pointer (&siblings, g_dir_close);
  g_free (folder);
  g_free (file);
  return found ? found : g_strdup (name);
}

static void
add_plugins (dds_qos_t *qos)
{
  for (guint i = 0; i < G_N_ELEMENTS (plugins); i++) {
    gchar *names[] = { g_strconcat (plugins[i].property, ".path", NULL), g_strconcat (plugins[i].property, ".init", NULL),
      g_strconcat (plugins[i].property, ".finalize", NULL)
    };
    gchar *values[] = { find_library (plugins[i].library), g_strconcat ("init_", plugins[i].function, NULL),
      g_strconcat ("finalize_", plugins[i].function, NULL)
    };

    for (guint k = 0; k < G_N_ELEMENTS (names); k++) {
      dds_qset_prop (qos, names[k], values[k]);
      g_free (names[k]);
      g_free (values[k]);
    }
  }
}

/* The folder of an enclave. */
static gchar *
find_folder (const gchar *enclave, GError **error)
{
  const gchar *keystore = g_getenv ("ROS_SECURITY_KEYSTORE");

  if (enclave[0] != '/')
    g_set_error (error, ROBOCACHE_ERROR, ROBOCACHE_ERROR_PROPERTY, "ROS_SECURITY_ENCLAVE_OVERRIDE=%s: expected a name like /robot/camera", enclave);
  else if (!keystore || !*keystore)
    g_set_error (error, ROBOCACHE_ERROR, ROBOCACHE_ERROR_PROPERTY, "ROS_SECURITY_ENABLE is true: set ROS_SECURITY_KEYSTORE to the folder of the keys");
  else
    return g_build_filename (keystore, "enclaves", enclave, NULL);
  return NULL;
}

static gboolean
add_files (dds_qos_t *qos, const gchar *folder, GError **error)
{
  for (guint i = 0; i < G_N_ELEMENTS (files); i++) {
    gchar *path = g_build_filename (folder, files[i].file, NULL), *address = g_strconcat ("file:", path, NULL);
    const gboolean is_there = g_file_test (path, G_FILE_TEST_IS_REGULAR);

    if (is_there)
      dds_qset_prop (qos, files[i].property, address);
    else if (!files[i].is_optional)
      g_set_error (error, ROBOCACHE_ERROR, ROBOCACHE_ERROR_PROPERTY, "%s is missing: set ROS_SECURITY_KEYSTORE and ROS_SECURITY_ENCLAVE_OVERRIDE to "
          "an enclave that ros2 security create_enclave has made", path);
    g_free (address);
    g_free (path);
    if (!is_there && !files[i].is_optional)
      return FALSE;
  }
  return TRUE;
}

static void
remove_files (dds_qos_t *qos)
{
  for (guint i = 0; i < G_N_ELEMENTS (files); i++)
    dds_qunset_prop (qos, files[i].property);
}

gchar *
robocache_dds_security_apply (dds_qos_t *qos, GError **error)
{
  const gchar *enable = g_getenv ("ROS_SECURITY_ENABLE"), *enclave = g_getenv ("ROS_SECURITY_ENCLAVE_OVERRIDE");
  GError *fault = NULL;
  gchar *folder;

  enclave = enclave && *enclave ? enclave : "/";
  if (g_strcmp0 (enable, "true") != 0)
    return g_strdup (enclave);
  folder = find_folder (enclave, &fault);
  if (folder && add_files (qos, folder, &fault))
    add_plugins (qos);
  else
    remove_files (qos);
  g_free (folder);
  if (!fault)
    return g_strdup (enclave);
  if (g_strcmp0 (g_getenv ("ROS_SECURITY_STRATEGY"), "Enforce") == 0) {
    g_propagate_error (error, fault);
    return NULL;
  }
  GST_WARNING ("topics are not protected, since ROS_SECURITY_STRATEGY is not Enforce: %s", fault->message);
  g_error_free (fault);
  return g_strdup (enclave);
}
