/* robocache: tests of enclaves of SROS 2: which enclaves exchange messages, and errors for missing and wrong files
 *
 * keystore.sh makes the keys. Peers are processes with an enclave each.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include <dds/dds.h>
#include <glib/gstdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/dds/participant.h"
#include "common/dds/writer.h"
#include "tests/check/lib/checks.h"
#include "tests/check/lib/dds/ddspeer.h"

#define DOMAIN 21
#define TYPE "std_msgs/String"
#define N_MESSAGES 20

static gchar *keystore;
static pid_t owner;

/* ---- environment ---- */

/* NULL: without security. */
static void
set_enclave (const gchar *enclave, const gchar *strategy)
{
  g_unsetenv ("ROS_SECURITY_ENABLE");
  g_unsetenv ("ROS_SECURITY_ENCLAVE_OVERRIDE");
  g_unsetenv ("ROS_SECURITY_STRATEGY");
  g_setenv ("ROS_SECURITY_KEYSTORE", keystore, TRUE);
  if (!enclave)
    return;
  g_setenv ("ROS_SECURITY_ENABLE", "true", TRUE);
  g_setenv ("ROS_SECURITY_ENCLAVE_OVERRIDE", enclave, TRUE);
  g_setenv ("ROS_SECURITY_STRATEGY", strategy, TRUE);
}

static Peer *
start_in (const gchar *enclave)
{
  Peer *peer;

  set_enclave (enclave, "Enforce");
  peer = peer_start (DOMAIN);
  set_enclave (NULL, NULL);
  return peer;
}

static RobocacheDdsParticipant *
open_in (const gchar *enclave, const gchar *strategy, GError **error)
{
  RobocacheDdsParticipant *participant;
  RobocacheDdsNetwork network;

  set_enclave (enclave, strategy);
  fail_unless (robocache_dds_network_init (&network, DOMAIN, ROBOCACHE_DDS_DISCOVERY_LOCALHOST, NULL, NULL));
  participant = robocache_dds_participant_open (&network, error);
  robocache_dds_network_clear (&network);
  return participant;
}

/* At the end of the program, not of a test. */
static void
remove_keystore (void)
{
  gchar *command[] = { (gchar *) "rm", (gchar *) "-rf", keystore, NULL };

  if (getpid () == owner)
    g_spawn_sync (NULL, command, NULL, G_SPAWN_SEARCH_PATH, NULL, NULL, NULL, NULL, NULL, NULL);
}

/* FALSE: it cannot be made. */
static gboolean
make_keystore (void)
{
  gchar *log = NULL, *command[] = { (gchar *) "bash", (gchar *) KEYSTORE, NULL, NULL };
  gint status = -1;
  gboolean ok;

#ifndef DDS_HAS_SECURITY
  g_print ("SKIP security: this build of Cyclone DDS has none\n");
  return FALSE;
#endif
  keystore = g_dir_make_tmp ("keystore-XXXXXX", NULL);
  owner = getpid ();
  atexit (remove_keystore);
  command[2] = keystore;
  ok = g_spawn_sync (NULL, command, NULL, G_SPAWN_SEARCH_PATH, NULL, NULL, NULL, &log, &status, NULL) && status == 0;
  if (!ok)
    g_print ("SKIP security: no keys can be made (openssl): %s\n", log ? log : "");
  g_free (log);
  return ok;
}

/* ---- who reads whom ---- */

static const gchar *const readers[] = { "/robot", "/reader" };

/* Messages arrive, with their bytes. */
GST_START_TEST (test_exchange)
{
  Peer *writer = start_in ("/robot"), *reader = start_in (readers[__i__]);

  /* either side may know the other one first */
  peer_do (writer, "open /words " TYPE " reliable transient 100 -");
  peer_do (reader, "listen /words " TYPE " reliable transient 100");
  for (guint i = 0; i < N_MESSAGES; i++) {
    gchar *digits = g_strdup_printf ("000100000400000061626%x00", i % 8);
    const gchar *answer;

    peer_do (writer, "hex 0 %u %s", 1000 + i, digits);
    answer = peer_do (reader, "next 0");
    fail_unless (g_str_has_suffix (answer, digits), "%s", answer);
    g_free (digits);
  }
  peer_stop (writer);
  peer_stop (reader);
}

GST_END_TEST;

static const gchar *const strangers[] = { NULL, "/stranger" };

/* Messages of strangers do not arrive here, and ours do not arrive there. */
GST_START_TEST (test_strangers)
{
  Peer *stranger = start_in (strangers[__i__]), *writer, *reader;
  const gchar *answer;

  peer_do (stranger, "open /words " TYPE " reliable transient 100 -");
  peer_do (stranger, "listen /words " TYPE " reliable transient 100");
  peer_do (stranger, "hex 0 1000 00010000040000007a7a7a00");
  /* it reads what it publishes itself */
  peer_do (stranger, "next 0");
  reader = start_in ("/robot");
  peer_do (reader, "listen /words " TYPE " reliable transient 100");
  writer = start_in ("/robot");
  peer_do (writer, "open /words " TYPE " reliable transient 100 -");
  peer_do (writer, "wait 0 1");
  for (guint i = 0; i < N_MESSAGES; i++) {
    peer_do (writer, "hex 0 %u 000100000400000061616100", 2000 + i);
    answer = peer_do (reader, "next 0");
    fail_unless (g_str_has_suffix (answer, "61616100"), "%s", answer);
  }
  fail_unless_equals_string (peer_do (reader, "count 0"), "0");
  fail_unless_equals_string (peer_do (stranger, "count 0"), "0");
  peer_stop (stranger);
  peer_stop (writer);
  peer_stop (reader);
}

GST_END_TEST;

/* Its permissions let it publish nothing. */
GST_START_TEST (test_permissions)
{
  const RobocacheDdsTopic topic = { "/words", TYPE, TRUE, FALSE, 10, NULL };
  RobocacheDdsParticipant *participant = open_in ("/reader", "Enforce", NULL);
  GError *error = NULL;

  fail_unless (robocache_dds_writer_new (participant, &topic, 0, &error) == NULL);
  fail_unless (strstr (error->message, "/words") != NULL && strstr (error->message, "ecurity") != NULL, "%s", error->message);
  g_error_free (error);
  robocache_dds_participant_close (participant);
}

GST_END_TEST;

/* ---- files ---- */

static const struct
{
  const gchar *enclave, *strategy;
  const gchar *file;            /* that is missing, or is no key; NULL: none */
  gboolean is_missing;
  const gchar *error;           /* a part of it; NULL: the domain is opened */
  const gchar *warning;         /* a part of it; NULL: none */
} faults[] = {
  {"/robot", "Enforce", NULL, FALSE, NULL, NULL},
  {"/robot", "Enforce", "key.pem", TRUE, "/enclaves/robot/key.pem is missing: make the enclave with ros2 security create_enclave, or correct ", NULL},
  {"/robot", "Permissive", "key.pem", TRUE, NULL, "topics are not protected, since ROS_SECURITY_STRATEGY is not Enforce: "},
  {"/robot", "Enforce", "key.pem", FALSE, "no participant can be made: Cyclone DDS answers ", NULL},
  {"/robot", "Permissive", "key.pem", FALSE, "no participant can be made: Cyclone DDS answers ", NULL},
  {"/other", "Enforce", NULL, FALSE, "/enclaves/other/identity_ca.cert.pem is missing", NULL},
  {"/other", "", NULL, FALSE, NULL, "/enclaves/other/identity_ca.cert.pem is missing"},
  {"robot", "Enforce", NULL, FALSE, "ROS_SECURITY_ENCLAVE_OVERRIDE=robot: expected a name like /robot/camera", NULL},
  {"", "Enforce", NULL, FALSE, "/enclaves/identity_ca.cert.pem is missing", NULL},
};

static const gchar *const factories[] = { "robocacherossrc", "robocacherossink" };

/* Puts the file aside, or back. */
static void
move_file (const gchar *enclave, const gchar *file, gboolean is_missing, gboolean is_away)
{
  gchar *path = g_build_filename (keystore, "enclaves", enclave, file, NULL), *away = g_strconcat (path, ".away", NULL);

  fail_unless_equals_int (is_away ? g_rename (path, away) : g_rename (away, path), 0);
  if (is_away && !is_missing)
    fail_unless (g_file_set_contents (path, "no key", -1, NULL));
  g_free (away);
  g_free (path);
}

/* Starts an element. Returns its error or warning, with its kind; "": neither. */
static gchar *
start_element (const gchar *factory)
{
  GstElement *element = gst_element_factory_make (factory, NULL);
  GstBus *bus = gst_bus_new ();
  GstMessage *message;
  GError *error = NULL;
  gchar *text = g_strdup ("");

  g_object_set (element, "domain", DOMAIN, NULL);
  gst_element_set_bus (element, bus);
  gst_element_set_state (element, GST_STATE_PAUSED);
  message = gst_bus_pop_filtered (bus, GST_MESSAGE_ERROR | GST_MESSAGE_WARNING);
  gst_element_set_state (element, GST_STATE_NULL);
  if (message) {
    if (GST_MESSAGE_TYPE (message) == GST_MESSAGE_ERROR)
      gst_message_parse_error (message, &error, NULL);
    else
      gst_message_parse_warning (message, &error, NULL);
    g_free (text);
    text = g_strdup_printf ("%s: %s", GST_MESSAGE_TYPE_NAME (message), error->message);
    g_error_free (error);
    gst_message_unref (message);
  }
  gst_object_unref (element);
  gst_object_unref (bus);
  return text;
}

GST_START_TEST (test_files)
{
  for (guint i = 0; i < G_N_ELEMENTS (factories); i++) {
    gchar *said;

    set_enclave (faults[__i__].enclave, faults[__i__].strategy);
    if (faults[__i__].file)
      move_file (faults[__i__].enclave, faults[__i__].file, faults[__i__].is_missing, TRUE);
    said = start_element (factories[i]);
    if (faults[__i__].file)
      move_file (faults[__i__].enclave, faults[__i__].file, faults[__i__].is_missing, FALSE);
    if (faults[__i__].error)
      fail_unless (g_str_has_prefix (said, "error: ") && strstr (said, faults[__i__].error), "%s", said);
    else if (faults[__i__].warning)
      fail_unless (g_str_has_prefix (said, "warning: ") && strstr (said, faults[__i__].warning), "%s", said);
    else
      fail_unless_equals_string (said, "");
    g_free (said);
  }
}

GST_END_TEST;

/* Without a keystore. */
GST_START_TEST (test_no_keystore)
{
  GError *error = NULL;
  RobocacheDdsNetwork network;

  set_enclave ("/robot", "Enforce");
  g_unsetenv ("ROS_SECURITY_KEYSTORE");
  fail_unless (robocache_dds_network_init (&network, DOMAIN, ROBOCACHE_DDS_DISCOVERY_LOCALHOST, NULL, NULL));
  fail_unless (robocache_dds_participant_open (&network, &error) == NULL);
  fail_unless_equals_string (error->message, "ROS_SECURITY_ENABLE is true: set ROS_SECURITY_KEYSTORE to the folder of the keys");
  g_error_free (error);
  robocache_dds_network_clear (&network);
}

GST_END_TEST;

CHECK_MAIN_IF (security, dds_network_begin ("security") && make_keystore (), dds_clear_environment, NULL,
    EACH (readers, test_exchange), EACH (strangers, test_strangers), ONCE (test_permissions), EACH (faults, test_files), ONCE (test_no_keystore))
