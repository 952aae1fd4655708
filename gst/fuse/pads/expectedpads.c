/* robocache: elements of a pipeline that may still add and link a pad
 *
 * Signals arrive in threads of other elements. They meet in two atomic numbers, so that no lock is held where foreign code is called.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "expectedpads.h"

#include "gst/fuse/debug.h"

struct _FuseExpectedPads
{
  GWeakRef element;
  void (*changed) (gpointer data);
  gpointer data;

  GPtrArray *sources;           /* of Source; complete before fuse_expected_pads_new returns */
  gint n_pending;               /* atomic; one more while the pipeline is searched */
  gint is_watching;             /* atomic: the pipeline and its bus */
  GWeakRef pipeline;
  gulong removed_id;
  GstBus *bus;                  /* NULL: the pipeline has none */
  gulong message_id;
  gboolean lack_seek;           /* lock of the owner: see fuse_expected_pads_note_seek */
};

/* An element that adds pads. */
typedef struct
{
  FuseExpectedPads *pads;       /* no reference */
  GWeakRef element;
  gchar *name;
  gint is_pending;              /* atomic */
  gulong added_id, no_more_id;
} Source;

/* ---- life; each handler has a reference ---- */

static void
source_free (gpointer data)
{
  Source *source = data;

  g_weak_ref_clear (&source->element);
  g_free (source->name);
  g_free (source);
}

static void
clear (gpointer data)
{
  FuseExpectedPads *pads = data;

  g_ptr_array_unref (pads->sources);
  g_weak_ref_clear (&pads->element);
  g_weak_ref_clear (&pads->pipeline);
  gst_clear_object (&pads->bus);
}

static void
unref (gpointer pads)
{
  g_atomic_rc_box_release_full (pads, clear);
}

static void
unref_by_closure (gpointer pads, GClosure *closure)
{
  unref (pads);
}

static void
unref_by_source (gpointer source, GClosure *closure)
{
  unref (((Source *) source)->pads);
}

static void
unref_by_probe (gpointer source)
{
  unref (((Source *) source)->pads);
}

static gulong
connect_source (GstElement *element, const gchar *signal, GCallback callback, Source *source)
{
  g_atomic_rc_box_acquire (source->pads);
  return g_signal_connect_data (element, signal, callback, source, unref_by_source, G_CONNECT_AFTER);
}

static gulong
connect_pads (gpointer object, const gchar *signal, GCallback callback, FuseExpectedPads *pads)
{
  return g_signal_connect_data (object, signal, callback, g_atomic_rc_box_acquire (pads), unref_by_closure, 0);
}

static void
disconnect (GWeakRef *ref, gulong id)
{
  GObject *object = id ? g_weak_ref_get (ref) : NULL;

  if (object)
    g_signal_handler_disconnect (object, id);
  g_clear_object (&object);
}

/* ---- elements that are no longer pending ---- */

static void
leave_pipeline (FuseExpectedPads *pads)
{
  if (!g_atomic_int_compare_and_exchange (&pads->is_watching, TRUE, FALSE))
    return;
  disconnect (&pads->pipeline, pads->removed_id);
  if (pads->bus) {
    g_signal_handler_disconnect (pads->bus, pads->message_id);
    gst_bus_disable_sync_message_emission (pads->bus);
  }
}

static void
count_down (FuseExpectedPads *pads)
{
  if (g_atomic_int_dec_and_test (&pads->n_pending))
    leave_pipeline (pads);
}

static void
finish (Source *source, const gchar *why)
{
  FuseExpectedPads *pads = source->pads;
  GstElement *element;

  if (!g_atomic_int_compare_and_exchange (&source->is_pending, TRUE, FALSE))
    return;
  count_down (pads);
  element = g_weak_ref_get (&pads->element);
  if (element == NULL)
    return;
  GST_INFO_OBJECT (element, "%s is not expected to add pads: %s", source->name, why);
  pads->changed (pads->data);
  gst_object_unref (element);
}

/* The element itself, or also one whose part the object is. */
static void
finish_those_of (FuseExpectedPads *pads, GstObject *object, gboolean or_part, const gchar *why)
{
  for (guint i = 0; i < pads->sources->len; i++) {
    Source *source = g_ptr_array_index (pads->sources, i);
    GstObject *element = g_weak_ref_get (&source->element);

    if (element && (object == element || (or_part && gst_object_has_as_ancestor (object, element))))
      finish (source, why);
    gst_clear_object (&element);
  }
}

/* ---- signals of elements ---- */

static void
note_no_more_pads (GstElement *element, gpointer source)
{
  finish (source, "it has signalled no-more-pads");
}

static gboolean
is_at_eos (GstElement *element, GstPad *pad, gpointer data)
{
  GstEvent *eos = gst_pad_get_sticky_event (pad, GST_EVENT_EOS, 0);
  const gboolean is_there = eos != NULL;

  gst_clear_event (&eos);
  return is_there;
}

static GstPadProbeReturn
note_event (GstPad *pad, GstPadProbeInfo *info, gpointer source)
{
  GstElement *element = GST_EVENT_TYPE (GST_PAD_PROBE_INFO_EVENT (info)) == GST_EVENT_EOS ? gst_pad_get_parent_element (pad) : NULL;

  if (element && gst_element_foreach_src_pad (element, is_at_eos, NULL))
    finish (source, "its pads are at EOS");
  gst_clear_object (&element);
  return g_atomic_int_get (&((Source *) source)->is_pending) ? GST_PAD_PROBE_OK : GST_PAD_PROBE_REMOVE;
}

static void note_pad (GstElement * element, GstPad * pad, gpointer source);

/* Whether anybody else waits for pads. Handlers of this kind, which another robocachefuse may have, come after others, as they were
 * connected later. */
static gboolean
has_listeners (GstElement *element)
{
  const guint id = g_signal_lookup ("pad-added", GST_TYPE_ELEMENT);

  return g_signal_handler_find (element, G_SIGNAL_MATCH_ID, id, 0, NULL, NULL, NULL)
      != g_signal_handler_find (element, G_SIGNAL_MATCH_ID | G_SIGNAL_MATCH_FUNC, id, 0, NULL, (gpointer) note_pad, NULL);
}

/* After the handlers that link the pad. */
static void
note_pad (GstElement *element, GstPad *pad, gpointer data)
{
  Source *source = data;

  if (!g_atomic_int_get (&source->is_pending))
    return;
  if (!has_listeners (element)) {
    finish (source, "all links to its pads are made");
  } else if (GST_PAD_IS_SRC (pad)) {
    g_atomic_rc_box_acquire (source->pads);
    gst_pad_add_probe (pad, GST_PAD_PROBE_TYPE_EVENT_DOWNSTREAM, note_event, source, unref_by_probe);
  }
}

/* ---- signals of the pipeline ---- */

static void
note_removed (GstBin *pipeline, GstBin *bin, GstElement *element, gpointer pads)
{
  finish_those_of (pads, GST_OBJECT (element), FALSE, "it was removed");
}

static void
note_message (GstBus *bus, GstMessage *message, gpointer pads)
{
  GstState before, now;

  switch (GST_MESSAGE_TYPE (message)) {
    case GST_MESSAGE_ERROR:
      finish_those_of (pads, GST_MESSAGE_SRC (message), TRUE, "an error");
      break;
    case GST_MESSAGE_STREAMS_SELECTED:
      finish_those_of (pads, GST_MESSAGE_SRC (message), TRUE, "its streams are selected");
      break;
    case GST_MESSAGE_STATE_CHANGED:
      gst_message_parse_state_changed (message, &before, &now, NULL);
      if (now < before && now <= GST_STATE_READY)
        finish_those_of (pads, GST_MESSAGE_SRC (message), FALSE, "it has stopped");
      break;
    default:
      break;
  }
}

static void
watch_pipeline (FuseExpectedPads *pads, GstElement *pipeline)
{
  g_weak_ref_set (&pads->pipeline, pipeline);
  pads->removed_id = connect_pads (pipeline, "deep-element-removed", G_CALLBACK (note_removed), pads);
  pads->bus = gst_element_get_bus (pipeline);
  if (pads->bus) {
    gst_bus_enable_sync_message_emission (pads->bus);
    pads->message_id = connect_pads (pads->bus, "sync-message", G_CALLBACK (note_message), pads);
  }
  g_atomic_int_set (&pads->is_watching, TRUE);
}

/* ---- elements downstream ---- */

static void
add (GHashTable *elements, GstPad *pad)
{
  GstElement *element = gst_pad_get_parent_element (pad);

  if (element)
    g_hash_table_add (elements, element);
}

/* The pad at the other end of a link, in any bin; adds the bins on the way. NULL: no such pad. */
static GstPad *
follow_link (GstPad *src, GHashTable *elements)
{
  GstPad *pad = gst_pad_get_peer (src), *next;
  GstProxyPad *border;

  while (pad && GST_IS_PROXY_PAD (pad)) {
    if (GST_IS_GHOST_PAD (pad)) {       /* into a bin */
      add (elements, pad);
      next = gst_ghost_pad_get_target (GST_GHOST_PAD (pad));
    } else {                    /* out of a bin */
      border = gst_proxy_pad_get_internal (GST_PROXY_PAD (pad));
      next = border ? gst_pad_get_peer (GST_PAD (border)) : NULL;
      gst_clear_object (&border);
    }
    gst_object_unref (pad);
    pad = next;
  }
  return pad;
}

/* All elements that get data from an element, directly or indirectly. */
static gboolean
add_downstream (GstElement *element, GstPad *src, gpointer elements)
{
  GstPad *pad = follow_link (src, elements);
  GstElement *next = pad ? gst_pad_get_parent_element (pad) : NULL;

  if (next && !g_hash_table_contains (elements, next)) {
    add (elements, pad);
    gst_element_foreach_src_pad (next, add_downstream, elements);
  }
  gst_clear_object (&next);
  gst_clear_object (&pad);
  return TRUE;
}

/* ---- the search ---- */

typedef struct
{
  FuseExpectedPads *pads;
  GstElement *owner;            /* for log lines */
  GHashTable *passed_over;      /* of elements, each with a reference */
  GstCaps *accepted;
} Search;

/* caps: NULL for any. */
static gboolean
adds_pads (GstElement *element, const GstCaps *caps)
{
  gboolean found = FALSE;

  for (GList *l = gst_element_class_get_pad_template_list (GST_ELEMENT_GET_CLASS (element)); l && !found; l = l->next) {
    GstPadTemplate *template = l->data;
    GstCaps *offered = gst_pad_template_get_caps (template);

    found = GST_PAD_TEMPLATE_DIRECTION (template) == GST_PAD_SRC && GST_PAD_TEMPLATE_PRESENCE (template) == GST_PAD_SOMETIMES
        && (caps == NULL || gst_caps_can_intersect (offered, caps));
    gst_caps_unref (offered);
  }
  return found;
}

static GstCaps *
accepted_caps (GstElement *element)
{
  GstCaps *caps = gst_caps_new_empty ();

  for (GList *l = gst_element_class_get_pad_template_list (GST_ELEMENT_GET_CLASS (element)); l; l = l->next) {
    if (GST_PAD_TEMPLATE_DIRECTION (l->data) == GST_PAD_SINK)
      caps = gst_caps_merge (caps, gst_pad_template_get_caps (l->data));
  }
  return caps;
}

static void
add_source (FuseExpectedPads *pads, GstElement *element)
{
  Source *source = g_new0 (Source, 1);

  source->pads = pads;
  source->name = gst_object_get_name (GST_OBJECT (element));
  source->is_pending = TRUE;
  g_weak_ref_init (&source->element, element);
  g_ptr_array_add (pads->sources, source);
  g_atomic_int_inc (&pads->n_pending);
  source->no_more_id = connect_source (element, "no-more-pads", G_CALLBACK (note_no_more_pads), source);
  source->added_id = connect_source (element, "pad-added", G_CALLBACK (note_pad), source);
}

static void
look_at (GstElement *element, const Search *search)
{
  if (GST_STATE (element) <= GST_STATE_READY && adds_pads (element, search->accepted)
      && !g_hash_table_contains (search->passed_over, element) && has_listeners (element)) {
    GST_INFO_OBJECT (search->owner, "%s may add pads, and a link waits for one: the first tick of recordings waits for its no-more-pads",
        GST_OBJECT_NAME (element));
    add_source (search->pads, element);
  }
}

static void
search_bin (GstBin *bin, const Search *search)
{
  GList *children = NULL;

  GST_OBJECT_LOCK (bin);
  for (GList *l = bin->children; l; l = l->next)
    children = g_list_prepend (children, gst_object_ref (l->data));
  GST_OBJECT_UNLOCK (bin);
  for (GList *l = children; l; l = l->next) {
    if (gst_element_is_locked_state (l->data))
      continue;
    if (GST_IS_BIN (l->data) && !adds_pads (l->data, NULL))
      search_bin (l->data, search);
    else
      look_at (l->data, search);
  }
  g_list_free_full (children, gst_object_unref);
}

static void
search_pipeline (FuseExpectedPads *pads, GstElement *element, GstBin *pipeline)
{
  const Search search = { pads, element, g_hash_table_new_full (NULL, NULL, gst_object_unref, NULL), accepted_caps (element) };

  g_hash_table_add (search.passed_over, gst_object_ref (element));
  gst_element_foreach_src_pad (element, add_downstream, search.passed_over);
  search_bin (pipeline, &search);
  g_hash_table_unref (search.passed_over);
  gst_caps_unref (search.accepted);
}

/* The element itself where it is in no bin. */
static GstObject *
get_pipeline (GstElement *element)
{
  GstObject *top = gst_object_ref (GST_OBJECT (element)), *parent;

  while ((parent = gst_object_get_parent (top))) {
    gst_object_unref (top);
    top = parent;
  }
  return top;
}

FuseExpectedPads *
fuse_expected_pads_new (GstElement *element, void (*changed) (gpointer data), gpointer data)
{
  FuseExpectedPads *pads = g_atomic_rc_box_new0 (FuseExpectedPads);
  GstObject *pipeline = get_pipeline (element);

  pads->changed = changed;
  pads->data = data;
  pads->n_pending = 1;
  pads->sources = g_ptr_array_new_with_free_func (source_free);
  g_weak_ref_init (&pads->element, element);
  g_weak_ref_init (&pads->pipeline, NULL);
  if (GST_IS_BIN (pipeline))
    search_pipeline (pads, element, GST_BIN (pipeline));
  if (pads->sources->len > 0)
    watch_pipeline (pads, GST_ELEMENT (pipeline));
  gst_object_unref (pipeline);
  count_down (pads);
  return pads;
}

void
fuse_expected_pads_free (FuseExpectedPads *pads)
{
  if (pads == NULL)
    return;
  leave_pipeline (pads);
  for (guint i = 0; i < pads->sources->len; i++) {
    Source *source = g_ptr_array_index (pads->sources, i);

    disconnect (&source->element, source->added_id);
    disconnect (&source->element, source->no_more_id);
  }
  unref (pads);
}

/* ---- questions ---- */

guint
fuse_expected_pads_pending (FuseExpectedPads *pads)
{
  return (guint) g_atomic_int_get (&pads->n_pending);
}

void
fuse_expected_pads_note_seek (FuseExpectedPads *pads)
{
  pads->lack_seek = fuse_expected_pads_pending (pads) > 0;
}

gboolean
fuse_expected_pads_lack_seek (const FuseExpectedPads *pads)
{
  return pads->lack_seek;
}

gchar *
fuse_expected_pads_describe (FuseExpectedPads *pads)
{
  GString *names = g_string_new (NULL);

  for (guint i = 0; i < pads->sources->len; i++) {
    const Source *source = g_ptr_array_index (pads->sources, i);

    if (g_atomic_int_get (&source->is_pending))
      g_string_append_printf (names, "%s%s", names->len > 0 ? ", " : "", source->name);
  }
  return g_string_free (names, names->len == 0);
}
