/* robocache: robocachevoxelview, its properties
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "gstrobocachevoxelview.h"

#include <math.h>
#include <string.h>

#include "common/element/properties.h"

#define DEFAULT_VIEW ROBOCACHE_VIEW_ISOMETRIC
#define DEFAULT_COLOUR_BY ROBOCACHE_COLOUR_BY_HEIGHT
#define DEFAULT_BACKGROUND 0xffffffu
#define FORM_AUTO (-1)

enum
{
  PROP_0,
  PROP_VIEW,
  PROP_COLOUR_BY,
  PROP_CHANNEL,
  PROP_BATCH_ITEM,
  PROP_VALUE_RANGE,
  PROP_BACKGROUND_COLOUR,
  PROP_AXES,
  PROP_LEGEND,
  PROP_GRID,                    /* from here on: where the grid is */
  PROP_ORIGIN,
  PROP_VOXEL_SIZE,
  PROP_INPUT_FORM
};

#define TYPE_VIEW (view_get_type ())
static ROBOCACHE_DEFINE_ENUM (view_get_type, "GstRobocacheVoxelViewView",
    {ROBOCACHE_VIEW_TOP, "From above: the highest voxel of each column", "top"},
    {ROBOCACHE_VIEW_ISOMETRIC, "Cubes, from the front right corner above", "isometric"})

#define TYPE_COLOUR_BY (colour_by_get_type ())
static ROBOCACHE_DEFINE_ENUM (colour_by_get_type, "GstRobocacheVoxelViewColourBy",
    {ROBOCACHE_COLOUR_BY_HEIGHT, "How high the voxel is, in metres", "height"},
    {ROBOCACHE_COLOUR_BY_VALUE, "What the voxel holds: a count or a feature; 1 for occupancy", "value"})

#define TYPE_INPUT_FORM (input_form_get_type ())
static ROBOCACHE_DEFINE_ENUM (input_form_get_type, "GstRobocacheVoxelViewInputForm",
    {FORM_AUTO, "What caps say, or else sparse for several tensors and dense for one", "auto"},
    {RC_VOXEL_DENSE, "Every voxel of the grid", "dense"},
    {RC_VOXEL_BITS, "One bit a voxel, for occupancy", "bits"},
    {RC_VOXEL_SPARSE, "Coordinates and values of the occupied voxels", "sparse"})

/* The field of a property that is one value; NULL for the others. */
static gpointer
field_of (GstRobocacheVoxelView *self, guint id)
{
  gpointer fields[] = {
    [PROP_VIEW] = &self->style.view,
    [PROP_COLOUR_BY] = &self->style.colour_by,
    [PROP_CHANNEL] = &self->style.channel,
    [PROP_BATCH_ITEM] = &self->style.batch_item,
    [PROP_BACKGROUND_COLOUR] = &self->style.background,
    [PROP_AXES] = &self->style.axes,
    [PROP_LEGEND] = &self->style.legend,
    [PROP_GRID] = &self->grid,
    [PROP_INPUT_FORM] = &self->input_form,
  };

  return id < G_N_ELEMENTS (fields) ? fields[id] : NULL;
}

/* A property that is an array, how many numbers it has, and what is expected of it. */
static GstRobocacheVoxelViewNumbers *
numbers_of (GstRobocacheVoxelView *self, guint id, guint *n, const gchar **expected)
{
  *n = id == PROP_VALUE_RANGE ? 2 : 3;
  *expected = id == PROP_VALUE_RANGE ? "two numbers, the least before the greatest, like \"<0.0,1.0>\", or none"
      : "three numbers, x, y and z, like \"<1.0,1.0,1.0>\", or none";
  return id == PROP_VALUE_RANGE ? &self->range : id == PROP_ORIGIN ? &self->origin
      : id == PROP_VOXEL_SIZE ? &self->voxel_size : NULL;
}

/* An empty array says nothing. */
static void
set_numbers (GstRobocacheVoxelViewNumbers *numbers, guint n, const gchar *name, const gchar *expected,
    const GValue *value)
{
  const gboolean empty = GST_VALUE_HOLDS_ARRAY (value) && gst_value_array_get_size (value) == 0;

  numbers->said = FALSE;
  g_clear_pointer (&numbers->wrong, g_free);
  if (empty)
    return;
  numbers->wrong = robocache_property_get_doubles (name, value, numbers->numbers, n, expected);
  numbers->said = numbers->wrong == NULL;
}

static void
gst_robocache_voxel_view_set_property (GObject *object, guint id, const GValue *value, GParamSpec *pspec)
{
  GstRobocacheVoxelView *self = GST_ROBOCACHE_VOXEL_VIEW (object);
  gpointer field = field_of (self, id);
  const gchar *expected;
  guint n;
  GstRobocacheVoxelViewNumbers *numbers = numbers_of (self, id, &n, &expected);

  GST_OBJECT_LOCK (self);
  if (field)
    robocache_setting_set (field, value);
  else
    set_numbers (numbers, n, pspec->name, expected, value);
  self->frame_changed |= id >= PROP_GRID;
  GST_OBJECT_UNLOCK (self);
}

static void
gst_robocache_voxel_view_get_property (GObject *object, guint id, GValue *value, GParamSpec *pspec)
{
  GstRobocacheVoxelView *self = GST_ROBOCACHE_VOXEL_VIEW (object);
  gpointer field = field_of (self, id);
  const gchar *expected;
  guint n;
  GstRobocacheVoxelViewNumbers *numbers = numbers_of (self, id, &n, &expected);

  GST_OBJECT_LOCK (self);
  if (field)
    robocache_setting_get (field, value);
  else
    robocache_value_set_doubles (value, numbers->numbers, numbers->said ? n : 0);
  GST_OBJECT_UNLOCK (self);
}

void
gst_robocache_voxel_view_install_properties (GObjectClass *klass)
{
  const GParamFlags flags = G_PARAM_READWRITE | G_PARAM_STATIC_STRINGS | GST_PARAM_MUTABLE_PLAYING;

  klass->set_property = gst_robocache_voxel_view_set_property;
  klass->get_property = gst_robocache_voxel_view_get_property;
  g_object_class_install_property (klass, PROP_VIEW, g_param_spec_enum ("view", "View", "From where the grid is seen",
          TYPE_VIEW, DEFAULT_VIEW, flags));
  g_object_class_install_property (klass, PROP_COLOUR_BY, g_param_spec_enum ("colour-by", "Colour by",
          "What colours say", TYPE_COLOUR_BY, DEFAULT_COLOUR_BY, flags));
  g_object_class_install_property (klass, PROP_CHANNEL, g_param_spec_uint ("channel", "Channel",
          "Which of a voxel's values colour-by=value shows", 0, G_MAXUINT, 0, flags));
  g_object_class_install_property (klass, PROP_BATCH_ITEM, g_param_spec_uint ("batch-item", "Batch item",
          "Which grid of a batch is shown", 0, G_MAXUINT, 0, flags));
  g_object_class_install_property (klass, PROP_VALUE_RANGE, robocache_param_spec_doubles ("value-range", "Value range",
          "Both ends of the colour bar, least and greatest (empty = the height of the grid, or the values that are seen)",
          flags));
  g_object_class_install_property (klass, PROP_BACKGROUND_COLOUR, g_param_spec_uint ("background-colour",
          "Background colour", "What is behind the voxels, as 0xRRGGBB; lines and text are dark or light accordingly", 0,
          0xffffff, DEFAULT_BACKGROUND, flags));
  g_object_class_install_property (klass, PROP_AXES, g_param_spec_boolean ("axes", "Axes",
          "Draw axes with metres, and grid lines, where the picture is large enough for them", TRUE, flags));
  g_object_class_install_property (klass, PROP_LEGEND, g_param_spec_boolean ("legend", "Legend",
          "Draw the colour bar and the number of occupied voxels, where the picture is large enough for them", TRUE,
          flags));
  g_object_class_install_property (klass, PROP_GRID, g_param_spec_string ("grid", "Grid",
          "Number of voxels along x, y, z, as nx:ny:nz (empty = what caps say)", NULL, flags));
  g_object_class_install_property (klass, PROP_ORIGIN, robocache_param_spec_doubles ("origin", "Origin",
          "Corner of the grid with the least x, y, z, in metres (empty = what caps say)", flags));
  g_object_class_install_property (klass, PROP_VOXEL_SIZE, robocache_param_spec_doubles ("voxel-size", "Voxel size",
          "Edges of a voxel along x, y, z, in metres (empty = what caps say)", flags));
  g_object_class_install_property (klass, PROP_INPUT_FORM, g_param_spec_enum ("input-form", "Input form",
          "The form of the grid", TYPE_INPUT_FORM, FORM_AUTO, flags));
  gst_type_mark_as_plugin_api (TYPE_VIEW, 0);
  gst_type_mark_as_plugin_api (TYPE_COLOUR_BY, 0);
  gst_type_mark_as_plugin_api (TYPE_INPUT_FORM, 0);
}

void
gst_robocache_voxel_view_init_settings (GstRobocacheVoxelView *self)
{
  self->style.view = DEFAULT_VIEW;
  self->style.colour_by = DEFAULT_COLOUR_BY;
  self->style.background = DEFAULT_BACKGROUND;
  self->style.axes = self->style.legend = TRUE;
  self->input_form = FORM_AUTO;
}

void
gst_robocache_voxel_view_clear_settings (GstRobocacheVoxelView *self)
{
  g_free (self->grid);
  g_free (self->origin.wrong);
  g_free (self->voxel_size.wrong);
  g_free (self->range.wrong);
}

gboolean
gst_robocache_voxel_view_take_style (GstRobocacheVoxelView *self, GstRobocacheVoxelViewStyle *style, GError **error)
{
  const gdouble *range = self->range.numbers;
  gboolean ok = TRUE;

  GST_OBJECT_LOCK (self);
  *style = self->style;
  style->has_range = self->range.said;
  memcpy (style->range, range, sizeof (style->range));
  if (self->range.wrong) {
    g_set_error_literal (error, ROBOCACHE_ERROR, ROBOCACHE_ERROR_PROPERTY, self->range.wrong);
    ok = FALSE;
  } else if (style->has_range && !(isnormal (range[1] - range[0]) && range[0] < range[1])) {
    g_set_error (error, ROBOCACHE_ERROR, ROBOCACHE_ERROR_PROPERTY, "value-range is <%g,%g>: expected two numbers, the "
        "least before the greatest", range[0], range[1]);
    ok = FALSE;
  }
  GST_OBJECT_UNLOCK (self);
  return ok;
}
