/* robocache: a live robocachefuse that decides ticks when it is told to
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "steppedfuse.h"

#include <string.h>

#include "examples/fault.h"
#include "stepclock.h"

#define HOLD_EVENT "RobocacheReplayHold"
/* As robocachefuse knows it: see its elementlatency.h. */
#define LATENCY_EVENT "RobocacheFuseReplay"
#define MAX_STEP (500 * GST_MSECOND)
/* How long the task may take to decide before it is asked whether it has nothing to do, and how often it is asked. */
#define PATIENCE_MS 20
#define N_QUESTIONS 5
#define PATIENCE_AT_END 250

/* Where the task is. */
typedef enum
{
  ON_ITS_WAY,
  AT_SAMPLE,
  AT_DROPPED_TICK,
  AT_CAPS,                      /* of the samples that follow; rows may come before it decides */
  AT_HOLD
} Place;

/* What sends to a pad of the fuse. */
typedef struct
{
  gchar *name;
  GstPad *pad, *sink;
  gboolean is_over;             /* after EOS */
  /* lock of the fuse: what latency queries are answered */
  gboolean is_live;
  GstClockTime min, max;
} Source;

struct _SteppedFuse
{
  GstElement *element;
  GstBus *bus;
  GstPad *sink;
  StepClock *clock;
  GstClockTime base_time, running_time;
  gboolean is_playing;
  GPtrArray *sources;           /* of Source */

  GMutex lock;                  /* guards what follows */
  GCond moved;
  Place place;
  gboolean waits;               /* for the clock, since it was let go */
  gboolean is_over;             /* nothing holds the task any more */
  GstBuffer *sample;            /* at AT_SAMPLE */
  gchar *failure;               /* NULL: none */
};

/* ---- in the task ---- */

/* Holds the task until it is let go. */
static void
stay_at (SteppedFuse *fuse, Place place, GstBuffer *sample)
{
  g_mutex_lock (&fuse->lock);
  fuse->place = place;
  fuse->sample = sample;
  g_cond_broadcast (&fuse->moved);
  while (fuse->place == place && !fuse->is_over)
    g_cond_wait (&fuse->moved, &fuse->lock);
  g_mutex_unlock (&fuse->lock);
}

static GstFlowReturn
take_sample (GstPad *pad, GstObject *parent, GstBuffer *buffer)
{
  stay_at (pad->chaindata, AT_SAMPLE, buffer);
  gst_buffer_unref (buffer);
  return GST_FLOW_OK;
}

static gboolean
take_event (GstPad *pad, GstObject *parent, GstEvent *event)
{
  if (GST_EVENT_TYPE (event) == GST_EVENT_CUSTOM_DOWNSTREAM && gst_event_has_name (event, HOLD_EVENT))
    stay_at (pad->eventdata, AT_HOLD, NULL);
  else if (GST_EVENT_TYPE (event) == GST_EVENT_CAPS)
    stay_at (pad->eventdata, AT_CAPS, NULL);
  return gst_pad_event_default (pad, parent, event);
}

static gboolean
accept_all (GstPad *pad, GstObject *parent, GstQuery *query)
{
  GstCaps *any;

  switch (GST_QUERY_TYPE (query)) {
    case GST_QUERY_CAPS:
      any = gst_caps_new_any ();
      gst_query_set_caps_result (query, any);
      gst_caps_unref (any);
      return TRUE;
    case GST_QUERY_ACCEPT_CAPS:
      gst_query_set_accept_caps_result (query, TRUE);
      return TRUE;
    default:
      return FALSE;
  }
}

static void
note_failure (SteppedFuse *fuse, GstMessage *message)
{
  GError *error;

  gst_message_parse_error (message, &error, NULL);
  g_mutex_lock (&fuse->lock);
  if (!fuse->failure)
    fuse->failure = g_strdup (error->message);
  g_cond_broadcast (&fuse->moved);
  g_mutex_unlock (&fuse->lock);
  g_error_free (error);
}

static GstBusSyncReply
take_message (GstBus *bus, GstMessage *message, gpointer data)
{
  SteppedFuse *fuse = data;

  if (GST_MESSAGE_TYPE (message) == GST_MESSAGE_ERROR)
    note_failure (fuse, message);
  else if (GST_MESSAGE_TYPE (message) == GST_MESSAGE_QOS && GST_MESSAGE_SRC (message) == GST_OBJECT (fuse->element))
    stay_at (fuse, AT_DROPPED_TICK, NULL);      /* those of lost rows are of a pad */
  gst_message_unref (message);
  return GST_BUS_DROP;
}

static void
note_wait (gpointer clock, gpointer data)
{
  SteppedFuse *fuse = data;

  g_mutex_lock (&fuse->lock);
  fuse->waits = TRUE;
  g_cond_broadcast (&fuse->moved);
  g_mutex_unlock (&fuse->lock);
}

/* ---- where the task goes ---- */

static void
let_go (SteppedFuse *fuse)
{
  g_mutex_lock (&fuse->lock);
  fuse->place = ON_ITS_WAY;
  fuse->waits = FALSE;
  g_cond_broadcast (&fuse->moved);
  g_mutex_unlock (&fuse->lock);
}

static Place
wait_for_place (SteppedFuse *fuse)
{
  Place place;

  g_mutex_lock (&fuse->lock);
  while (fuse->place == ON_ITS_WAY && !fuse->failure)
    g_cond_wait (&fuse->moved, &fuse->lock);
  place = fuse->place;
  g_mutex_unlock (&fuse->lock);
  return place;
}

/* Waits until the task is somewhere, waits for the clock or seems to sleep. */
static Place
look_for_place (SteppedFuse *fuse)
{
  const gint64 until = g_get_monotonic_time () + PATIENCE_MS * G_TIME_SPAN_MILLISECOND;
  Place place;

  g_mutex_lock (&fuse->lock);
  while (fuse->place == ON_ITS_WAY && !fuse->waits && !fuse->failure)
    if (!g_cond_wait_until (&fuse->moved, &fuse->lock, until))
      break;
  place = fuse->place;
  g_mutex_unlock (&fuse->lock);
  return place;
}

/* An event to a pad that takes some. */
static void
send_custom (SteppedFuse *fuse, GstStructure *structure)
{
  GstEvent *event = gst_event_new_custom (GST_EVENT_CUSTOM_DOWNSTREAM, structure);

  for (guint i = 0; i < fuse->sources->len && event; i++) {
    const Source *source = fuse->sources->pdata[i];

    if (!source->is_over)
      gst_pad_send_event (source->sink, g_steal_pointer (&event));
  }
  if (event)
    gst_event_unref (event);
}

/* The task sends it on before it looks for a tick. */
static void
send_hold (SteppedFuse *fuse)
{
  send_custom (fuse, gst_structure_new_empty (HOLD_EVENT));
}

void
stepped_fuse_set_latency (SteppedFuse *fuse, gint64 latency_ns)
{
  send_custom (fuse, gst_structure_new (LATENCY_EVENT, "latency", G_TYPE_INT64, latency_ns, NULL));
}

static gboolean
can_hold (const SteppedFuse *fuse)
{
  for (guint i = 0; i < fuse->sources->len; i++)
    if (!((const Source *) fuse->sources->pdata[i])->is_over)
      return TRUE;
  return FALSE;
}

void
stepped_fuse_look (SteppedFuse *fuse)
{
  if (!can_hold (fuse))
    return;
  send_hold (fuse);
  let_go (fuse);
  wait_for_place (fuse);
}

/* ---- decisions ---- */

static gboolean
has_failed (SteppedFuse *fuse, GError **error)
{
  gboolean has;

  g_mutex_lock (&fuse->lock);
  has = fuse->failure != NULL;
  if (has && error && !*error)
    FAULT (error, "robocachefuse: %s", fuse->failure);
  g_mutex_unlock (&fuse->lock);
  return has;
}

static GstSample *
make_sample (SteppedFuse *fuse)
{
  GstCaps *caps = gst_pad_get_current_caps (fuse->sink);
  GstSample *sample = gst_sample_new (fuse->sample, caps, NULL, NULL);

  gst_clear_caps (&caps);
  return sample;
}

static gboolean
waits_for_clock (SteppedFuse *fuse)
{
  gboolean waits;

  g_mutex_lock (&fuse->lock);
  waits = fuse->waits;
  g_mutex_unlock (&fuse->lock);
  return waits;
}

/* At the end of all streams ticks follow at once. */
static Place
run_to_the_end (SteppedFuse *fuse)
{
  Place place = ON_ITS_WAY;

  let_go (fuse);
  for (guint i = 0; i < PATIENCE_AT_END && place == ON_ITS_WAY && !has_failed (fuse, NULL); i++)
    place = look_for_place (fuse);
  return place;
}

/* A task that waits for the clock has looked at everything. One that sleeps is asked by an event, which may be there before it looked,
 * and is left over where it decided meanwhile. */
static Place
run_task (SteppedFuse *fuse)
{
  Place place = AT_HOLD;
  gboolean is_sure = FALSE;

  if (!can_hold (fuse))
    return run_to_the_end (fuse);
  for (guint i = 0; i < N_QUESTIONS && place == AT_HOLD && !is_sure; i++) {
    let_go (fuse);
    place = look_for_place (fuse);
    if (place != ON_ITS_WAY || has_failed (fuse, NULL))
      continue;
    is_sure = waits_for_clock (fuse);
    send_hold (fuse);
    place = wait_for_place (fuse);
  }
  return place;
}

static SteppedFuseDecision
decision_at (SteppedFuse *fuse, Place place, GstSample **sample, GError **error)
{
  if (has_failed (fuse, error))
    return STEPPED_FUSE_FAILED;
  if (place == AT_SAMPLE) {
    *sample = make_sample (fuse);
    return STEPPED_FUSE_SAMPLE;
  }
  return place == AT_DROPPED_TICK ? STEPPED_FUSE_DROPPED : STEPPED_FUSE_NOTHING;
}

SteppedFuseDecision
stepped_fuse_begin (SteppedFuse *fuse, GstSample **sample, GError **error)
{
  return decision_at (fuse, run_task (fuse), sample, error);
}

SteppedFuseDecision
stepped_fuse_decide (SteppedFuse *fuse, GstSample **sample, GError **error)
{
  Place place = run_task (fuse);

  while (place == AT_CAPS)
    place = run_task (fuse);
  return decision_at (fuse, place, sample, error);
}

/* ---- sources ---- */

static gboolean
answer_query (GstPad *pad, GstObject *parent, GstQuery *query)
{
  const Source *source = pad->querydata;

  if (GST_QUERY_TYPE (query) != GST_QUERY_LATENCY)
    return gst_pad_query_default (pad, parent, query);
  gst_query_set_latency (query, source->is_live, source->min, source->max);
  return TRUE;
}

static Source *
find_source (SteppedFuse *fuse, const gchar *name)
{
  for (guint i = 0; i < fuse->sources->len; i++) {
    Source *source = fuse->sources->pdata[i];

    if (g_str_equal (source->name, name))
      return source;
  }
  return NULL;
}

static void
source_free (gpointer data)
{
  Source *source = data;

  gst_pad_set_active (source->pad, FALSE);
  gst_pad_unlink (source->pad, source->sink);
  gst_object_unref (source->pad);
  gst_object_unref (source->sink);
  g_free (source->name);
  g_free (source);
}

/* FALSE and an error: the fuse has no such pad. */
static gboolean
add_source (SteppedFuse *fuse, const gchar *name, GError **error)
{
  GstPad *sink = gst_element_request_pad_simple (fuse->element, name);
  Source *source;

  if (!sink) {
    FAULT (error, "robocachefuse has no pad %s", name);
    return FALSE;
  }
  source = g_new0 (Source, 1);
  source->name = g_strdup (name);
  source->sink = sink;
  source->max = GST_CLOCK_TIME_NONE;
  source->pad = gst_object_ref_sink (gst_pad_new (name, GST_PAD_SRC));
  gst_pad_set_query_function_full (source->pad, answer_query, source, NULL);
  gst_pad_link (source->pad, sink);
  gst_pad_set_active (source->pad, TRUE);
  g_ptr_array_add (fuse->sources, source);
  return TRUE;
}

static void
remove_source (SteppedFuse *fuse, guint i)
{
  Source *source = fuse->sources->pdata[i];
  GstPad *sink = gst_object_ref (source->sink);

  g_ptr_array_remove_index (fuse->sources, i);
  gst_element_release_request_pad (fuse->element, sink);
  gst_object_unref (sink);
}

const gchar **
stepped_fuse_pads (SteppedFuse *fuse)
{
  const gchar **names = g_new0 (const gchar *, fuse->sources->len + 1);

  for (guint i = 0; i < fuse->sources->len; i++)
    names[i] = ((const Source *) fuse->sources->pdata[i])->name;
  return names;
}

/* ---- settings ---- */

static gboolean
set_property (GObject *object, GParamSpec *pspec, const gchar *text, GError **error)
{
  GValue value = G_VALUE_INIT, present = G_VALUE_INIT;
  gboolean is_good;

  g_value_init (&value, pspec->value_type);
  g_value_init (&present, pspec->value_type);
  is_good = !text || gst_value_deserialize (&value, text);
  g_object_get_property (object, pspec->name, &present);
  if (!is_good)
    FAULT (error, "%s has no setting %s=%s", GST_OBJECT_NAME (object), pspec->name, text);
  else if (g_param_values_cmp (pspec, &value, &present) != 0)
    g_object_set_property (object, pspec->name, &value);
  g_value_unset (&present);
  g_value_unset (&value);
  return is_good;
}

/* Names and pads' settings at once are not among the settings; those that are NULL are left out. */
static gboolean
is_left_out (const GParamSpec *pspec)
{
  const GType type = pspec->value_type;

  return !g_str_equal (pspec->name, "name") && !g_str_equal (pspec->name, "pads") && (type == G_TYPE_STRING || g_type_is_a (type,
          G_TYPE_BOXED));
}

/* Sets what settings have of an object as OF.property. */
static gboolean
set_properties (gpointer object, const gchar *of, const GstStructure *settings, GError **error)
{
  guint n;
  GParamSpec **pspecs = g_object_class_list_properties (G_OBJECT_GET_CLASS (object), &n);
  gboolean is_good = TRUE;

  for (guint i = 0; i < n && is_good; i++) {
    gchar *key = g_strconcat (of, ".", pspecs[i]->name, NULL);
    const gchar *text = gst_structure_get_string (settings, key);

    if ((pspecs[i]->flags & G_PARAM_READWRITE) == G_PARAM_READWRITE && !(pspecs[i]->flags & G_PARAM_CONSTRUCT_ONLY)
        && (text || is_left_out (pspecs[i])))
      is_good = set_property (object, pspecs[i], text, error);
    g_free (key);
  }
  g_free (pspecs);
  return is_good;
}

static const gchar *
text_of (const GstStructure *settings, const gchar *pad, const gchar *name)
{
  gchar *key = g_strconcat (pad, ".", name, NULL);
  const gchar *text = gst_structure_get_string (settings, key);

  g_free (key);
  return text;
}

/* TRUE: the source answers other latencies than before. */
static gboolean
set_latency (Source *source, const GstStructure *settings)
{
  const gchar *live = text_of (settings, source->name, "source-live");
  const gchar *min = text_of (settings, source->name, "source-min-latency");
  const gchar *max = text_of (settings, source->name, "source-max-latency");
  const Source before = *source;

  if (!live || !min || !max)
    return FALSE;
  source->is_live = g_str_equal (live, "true");
  source->min = g_ascii_strtoull (min, NULL, 10);
  source->max = g_ascii_strtoull (max, NULL, 10);
  return before.is_live != source->is_live || before.min != source->min || before.max != source->max;
}

static gboolean
has_pad (const GstStructure *settings, const gchar *pad)
{
  return text_of (settings, pad, "interpolation") != NULL;
}

static gboolean
add_missing_source (GQuark field, const GValue *value, gpointer data)
{
  gpointer *names = data;
  const gchar *key = g_quark_to_string (field), *dot = strchr (key, '.');
  gchar *name = dot ? g_strndup (key, dot - key) : NULL;

  if (name && !g_str_equal (name, "element") && !g_hash_table_contains ((GHashTable *) names, name))
    g_hash_table_add ((GHashTable *) names, g_steal_pointer (&name));
  g_free (name);
  return TRUE;
}

/* Pads come in the order of their names. */
static gboolean
add_missing_sources (SteppedFuse *fuse, const GstStructure *settings, GError **error)
{
  GHashTable *names = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  gboolean is_good = TRUE;
  GList *list;

  gst_structure_foreach (settings, add_missing_source, names);
  list = g_list_sort (g_hash_table_get_keys (names), (GCompareFunc) strcmp);
  for (GList *l = list; l && is_good; l = l->next)
    is_good = find_source (fuse, l->data) || add_source (fuse, l->data, error);
  g_list_free (list);
  g_hash_table_unref (names);
  return is_good;
}

static void
ask_for_latency (SteppedFuse *fuse)
{
  GstQuery *query = gst_query_new_latency ();

  gst_element_query (fuse->element, query);
  gst_query_unref (query);
}

gboolean
stepped_fuse_set (SteppedFuse *fuse, const GstStructure *settings, GError **error)
{
  gboolean has_changed = FALSE;

  for (guint i = fuse->sources->len; i > 0; i--)
    if (!has_pad (settings, ((const Source *) fuse->sources->pdata[i - 1])->name))
      remove_source (fuse, i - 1);
  if (!set_properties (fuse->element, "element", settings, error) || !add_missing_sources (fuse, settings, error))
    return FALSE;
  for (guint i = 0; i < fuse->sources->len; i++) {
    Source *source = fuse->sources->pdata[i];

    if (!set_properties (source->sink, source->name, settings, error))
      return FALSE;
    has_changed |= set_latency (source, settings);
  }
  if (has_changed && fuse->is_playing)
    ask_for_latency (fuse);
  return TRUE;
}

/* ---- life ---- */

static GstElement *
make_element (const GstStructure *settings, GError **error)
{
  const gchar *force_live = text_of (settings, "element", "force-live");
  GstElementFactory *factory = gst_element_factory_find ("robocachefuse");
  GstElement *element = NULL;

  if (factory)
    element = gst_element_factory_create_full (factory, "name", "fuse", "force-live", g_strcmp0 (force_live, "true") == 0, NULL);
  gst_clear_object (&factory);
  if (!element) {
    FAULT (error, "GStreamer has no element robocachefuse: set GST_PLUGIN_PATH to the folder of libgstrobocache.so");
    return NULL;
  }
  return gst_object_ref_sink (element);
}

static void
make_sink (SteppedFuse *fuse)
{
  GstPad *src = gst_element_get_static_pad (fuse->element, "src");

  fuse->sink = gst_object_ref_sink (gst_pad_new ("samples", GST_PAD_SINK));
  gst_pad_set_chain_function_full (fuse->sink, take_sample, fuse, NULL);
  gst_pad_set_event_function_full (fuse->sink, take_event, fuse, NULL);
  gst_pad_set_query_function (fuse->sink, accept_all);
  gst_pad_set_active (fuse->sink, TRUE);
  gst_pad_link (src, fuse->sink);
  gst_object_unref (src);
}

SteppedFuse *
stepped_fuse_new (const GstStructure *settings, GError **error)
{
  GstElement *element = make_element (settings, error);
  SteppedFuse *fuse;

  if (!element)
    return NULL;
  fuse = g_new0 (SteppedFuse, 1);
  fuse->element = element;
  g_mutex_init (&fuse->lock);
  g_cond_init (&fuse->moved);
  fuse->sources = g_ptr_array_new_with_free_func (source_free);
  fuse->clock = step_clock_new (note_wait, fuse);
  fuse->bus = gst_bus_new ();
  gst_bus_set_sync_handler (fuse->bus, take_message, fuse, NULL);
  gst_element_set_bus (element, fuse->bus);
  gst_element_set_clock (element, GST_CLOCK (fuse->clock));
  make_sink (fuse);
  /* each dropped tick is told of */
  g_object_set (element, "qos-messages", TRUE, "qos-interval", (guint64) 0, NULL);
  if (stepped_fuse_set (fuse, settings, error) && gst_element_set_state (element, GST_STATE_PAUSED) != GST_STATE_CHANGE_FAILURE
      && !has_failed (fuse, error) && can_hold (fuse)) {
    send_hold (fuse);
    wait_for_place (fuse);
    return fuse;
  }
  if (!has_failed (fuse, error) && !*error)
    FAULT (error, "the recorded robocachefuse had no pads");
  stepped_fuse_free (fuse);
  return NULL;
}

void
stepped_fuse_free (SteppedFuse *fuse)
{
  g_mutex_lock (&fuse->lock);
  fuse->is_over = TRUE;
  g_cond_broadcast (&fuse->moved);
  g_mutex_unlock (&fuse->lock);
  gst_element_set_state (fuse->element, GST_STATE_NULL);
  g_ptr_array_unref (fuse->sources);
  gst_pad_set_active (fuse->sink, FALSE);
  gst_object_unref (fuse->sink);
  gst_bus_set_sync_handler (fuse->bus, NULL, NULL, NULL);
  gst_object_unref (fuse->element);
  gst_object_unref (fuse->bus);
  gst_object_unref (fuse->clock);
  g_free (fuse->failure);
  g_cond_clear (&fuse->moved);
  g_mutex_clear (&fuse->lock);
  g_free (fuse);
}

/* ---- time ---- */

void
stepped_fuse_play (SteppedFuse *fuse, GstClockTime base_time)
{
  fuse->base_time = base_time;
  step_clock_set_time (fuse->clock, base_time + fuse->running_time);
  gst_element_set_base_time (fuse->element, base_time);
  gst_element_set_state (fuse->element, GST_STATE_PLAYING);
  fuse->is_playing = TRUE;
}

void
stepped_fuse_pause (SteppedFuse *fuse)
{
  gst_element_set_state (fuse->element, GST_STATE_PAUSED);
  fuse->is_playing = FALSE;
}

void
stepped_fuse_set_time (SteppedFuse *fuse, GstClockTime running_time)
{
  while (running_time > fuse->running_time + MAX_STEP) {
    fuse->running_time += MAX_STEP;
    step_clock_set_time (fuse->clock, fuse->base_time + fuse->running_time);
    stepped_fuse_look (fuse);
  }
  fuse->running_time = MAX (fuse->running_time, running_time);
  step_clock_set_time (fuse->clock, fuse->base_time + fuse->running_time);
}

/* ---- what sources send ---- */

gboolean
stepped_fuse_push_event (SteppedFuse *fuse, const gchar *pad, GstEvent *event, GError **error)
{
  Source *source = find_source (fuse, pad);
  const GstEventType type = GST_EVENT_TYPE (event);

  if (!source) {
    gst_event_unref (event);
    FAULT (error, "the journal has pad %s, and the settings have not", pad);
    return FALSE;
  }
  gst_pad_push_event (source->pad, event);
  if (type == GST_EVENT_EOS || type == GST_EVENT_FLUSH_STOP)
    source->is_over = type == GST_EVENT_EOS;
  return !has_failed (fuse, error);
}

gboolean
stepped_fuse_push_buffer (SteppedFuse *fuse, const gchar *pad, GstBuffer *buffer, GError **error)
{
  Source *source = find_source (fuse, pad);
  GstFlowReturn flow;

  if (!source) {
    gst_buffer_unref (buffer);
    FAULT (error, "the journal has pad %s, and the settings have not", pad);
    return FALSE;
  }
  flow = gst_pad_push (source->pad, buffer);
  if (has_failed (fuse, error) || flow == GST_FLOW_OK)
    return flow == GST_FLOW_OK && !*error;
  FAULT (error, "robocachefuse refuses rows of %s: %s", pad, gst_flow_get_name (flow));
  return FALSE;
}
