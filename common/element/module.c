/* robocache: modules, which link libraries that few elements need
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "module.h"

#include <gmodule.h>
#include <gst/gst.h>

#include "common/element/errordomain.h"

/* Free with g_free; NULL: the plugin is not a file. */
static gchar *
path_of (const gchar *file)
{
  GstPlugin *plugin = gst_registry_find_plugin (gst_registry_get (), "robocache");
  const gchar *filename = plugin ? gst_plugin_get_filename (plugin) : NULL;
  gchar *folder = filename ? g_path_get_dirname (filename) : NULL;
  gchar *path = folder ? g_build_filename (folder, file, NULL) : NULL;

  g_free (folder);
  gst_clear_object (&plugin);
  return path;
}

gconstpointer
robocache_module_load (const gchar *file, const gchar *symbol, GError **error)
{
  gchar *path = path_of (file);
  GModule *module = path ? g_module_open (path, G_MODULE_BIND_LAZY | G_MODULE_BIND_LOCAL) : NULL;
  gpointer functions = NULL;

  if (!module || !g_module_symbol (module, symbol, &functions)) {
    g_set_error (error, ROBOCACHE_ERROR, ROBOCACHE_ERROR_PROPERTY, "cannot load %s: %s", file, path ? g_module_error () : "the plugin has no file");
    g_free (path);
    return NULL;
  }
  g_free (path);
  /* its types and threads stay */
  g_module_make_resident (module);
  return ((RobocacheModuleSymbol) (GCallback) functions) ();
}
