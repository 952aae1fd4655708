/* robocache: security of a participant by Cyclone's plugins
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#define _GNU_SOURCE
#include "security.h"

#include <dlfcn.h>
#include <string.h>

/* OMG DDS Security 1.1, and names of Cyclone. */
static const struct
{
  const gchar *property, *library, *function;
} plugins[] = {
  {"dds.sec.auth.library", "dds_security_auth", "authentication"},
  {"dds.sec.crypto.library", "dds_security_crypto", "crypto"},
  {"dds.sec.access.library", "dds_security_ac", "access_control"},
};

/* Debian has the plugins in a folder beside Cyclone, where the dynamic linker does not look. */
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

/* Takes value. */
static void
set (dds_qos_t *qos, const gchar *property, const gchar *suffix, gchar *value)
{
  gchar *name = g_strconcat (property, suffix, NULL);

  dds_qset_prop (qos, name, value);
  g_free (name);
  g_free (value);
}

void
robocache_dds_security_apply (dds_qos_t *qos, const RobocacheDdsEnclave *enclave)
{
  /* marks a participant as a context of ROS 2 */
  gchar *data = g_strdup_printf ("enclave=%s;", enclave->name);

  dds_qset_userdata (qos, data, strlen (data));
  g_free (data);
  if (!enclave->folder)
    return;
  for (guint i = 0; i < G_N_ELEMENTS (robocache_dds_enclave_files); i++) {
    gchar *path = g_build_filename (enclave->folder, robocache_dds_enclave_files[i].file, NULL);

    if (g_file_test (path, G_FILE_TEST_EXISTS))
      set (qos, robocache_dds_enclave_files[i].property, "", g_strconcat ("file:", path, NULL));
    g_free (path);
  }
  for (guint i = 0; i < G_N_ELEMENTS (plugins); i++) {
    set (qos, plugins[i].property, ".path", find_library (plugins[i].library));
    set (qos, plugins[i].property, ".init", g_strconcat ("init_", plugins[i].function, NULL));
    set (qos, plugins[i].property, ".finalize", g_strconcat ("finalize_", plugins[i].function, NULL));
  }
}
