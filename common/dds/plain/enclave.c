/* robocache: the enclave of SROS 2 that this process is in, by the environment of ROS 2
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "enclave.h"

#include "common/element/errordomain.h"

#define FAULT(error, ...) g_set_error (error, ROBOCACHE_ERROR, ROBOCACHE_ERROR_PROPERTY, __VA_ARGS__)

const RobocacheDdsEnclaveFile robocache_dds_enclave_files[] = {
  {"dds.sec.auth.identity_ca", "identity_ca.cert.pem", FALSE},
  {"dds.sec.auth.identity_certificate", "cert.pem", FALSE},
  {"dds.sec.auth.private_key", "key.pem", FALSE},
  {"dds.sec.access.permissions_ca", "permissions_ca.cert.pem", FALSE},
  {"dds.sec.access.governance", "governance.p7s", FALSE},
  {"dds.sec.access.permissions", "permissions.p7s", FALSE},
  {"org.eclipse.cyclonedds.sec.auth.crl", "crl.pem", TRUE},
  {NULL, NULL, FALSE}
};

static gboolean
has_files (const gchar *folder, GError **error)
{
  for (const RobocacheDdsEnclaveFile *each = robocache_dds_enclave_files; each->property; each++) {
    gchar *path = g_build_filename (folder, each->file, NULL);
    const gboolean is_there = each->is_optional || g_file_test (path, G_FILE_TEST_IS_REGULAR);

    if (!is_there)
      FAULT (error, "%s is missing: make the enclave with ros2 security create_enclave, or correct ROS_SECURITY_KEYSTORE or "
          "ROS_SECURITY_ENCLAVE_OVERRIDE", path);
    g_free (path);
    if (!is_there)
      return FALSE;
  }
  return TRUE;
}

/* NULL and an error: the folder is unknown, or a file in it is missing. */
static gchar *
find_folder (const gchar *name, GError **error)
{
  const gchar *keystore = g_getenv ("ROS_SECURITY_KEYSTORE");
  gchar *folder = NULL;

  if (name[0] != '/')
    FAULT (error, "ROS_SECURITY_ENCLAVE_OVERRIDE=%s: expected a name like /robot/camera", name);
  else if (!keystore || !*keystore)
    FAULT (error, "ROS_SECURITY_ENABLE is true: set ROS_SECURITY_KEYSTORE to the folder of the keys");
  else
    folder = g_build_filename (keystore, "enclaves", name, NULL);
  if (folder && !has_files (folder, error))
    g_clear_pointer (&folder, g_free);
  return folder;
}

gboolean
robocache_dds_enclave_init (RobocacheDdsEnclave *enclave, GError **error)
{
  const gchar *name = g_getenv ("ROS_SECURITY_ENCLAVE_OVERRIDE");
  GError *fault = NULL;

  *enclave = (RobocacheDdsEnclave) { 0 };
  if (g_strcmp0 (g_getenv ("ROS_SECURITY_ENABLE"), "true") != 0)
    return TRUE;
  enclave->folder = find_folder (name && *name ? name : "/", &fault);
  if (fault && g_strcmp0 (g_getenv ("ROS_SECURITY_STRATEGY"), "Enforce") == 0) {
    g_propagate_error (error, fault);
    return FALSE;
  }
  if (fault)
    enclave->fault = g_strdup_printf ("topics are not protected, since ROS_SECURITY_STRATEGY is not Enforce: %s", fault->message);
  g_clear_error (&fault);
  return TRUE;
}

void
robocache_dds_enclave_clear (RobocacheDdsEnclave *enclave)
{
  g_free (enclave->folder);
  g_free (enclave->fault);
}
