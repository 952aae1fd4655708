/* robocache: robocachevoxelview, its properties
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "properties.h"

#include <math.h>
#include <string.h>

#include "common/element/propertytypes.h"

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
    {ROBOCACHE_VIEW_ISOMETRIC, "Cubes, seen from above the front right corner", "isometric"})

#define TYPE_COLOUR_BY (colour_by_get_type ())
static ROBOCACHE_DEFINE_ENUM (colour_by_get_type, "GstRobocacheVoxelViewColourBy",
    {ROBOCACHE_COLOUR_BY_HEIGHT, "Height of the voxel in metres", "height"},
    {ROBOCACHE_COLOUR_BY_VALUE, "Value of the voxel: a count or a feature; 1 for occupancy", "value"})

#define TYPE_INPUT_FORM (input_form_get_type ())
static ROBOCACHE_DEFINE_ENUM (input_form_get_type, "GstRobocacheVoxelViewInputForm",
    {FORM_AUTO, "From the caps; if they have no form, sparse for several tensors and dense for one", "auto"},
    {RC_VOXEL_DENSE, "All voxels of the grid", "dense"},
    {RC_VOXEL_BITS, "One bit per voxel, for occupancy", "bits"},
    {RC_VOXEL_SPARSE, "Coordinates and values of the occupied voxels", "sparse"})

/* The field of a property that is one value; NULL for arrays. */
static gpointer
field_of (RobocacheViewProperties *properties, guint id)
{
  RobocacheViewStyle *style = &properties->style;
  gpointer fields[] = {
    [PROP_VIEW] = &style->view,
    [PROP_COLOUR_BY] = &style->colour_by,
    [PROP_CHANNEL] = &style->channel,
    [PROP_BATCH_ITEM] = &style->batch_item,
    [PROP_BACKGROUND_COLOUR] = &style->background,
    [PROP_AXES] = &style->axes,
    [PROP_LEGEND] = &style->legend,
    [PROP_GRID] = &properties->grid,
    [PROP_INPUT_FORM] = &properties->input_form,
  };

  return fields[id];
}

/* A property that is an array of *n numbers. */
static RobocacheViewNumbers *
numbers_of (RobocacheViewProperties *properties, guint id, guint *n)
{
  *n = id == PROP_VALUE_RANGE ? 2 : 3;
  return id == PROP_VALUE_RANGE ? &properties->range : id == PROP_ORIGIN ? &properties->origin : &properties->voxel_size;
}

/* An empty array unsets it. */
static void
set_numbers (RobocacheViewNumbers *numbers, guint n, const gchar *name, const GValue *value)
{
  const gboolean empty = GST_VALUE_HOLDS_ARRAY (value) && gst_value_array_get_size (value) == 0;

  g_clear_pointer (&numbers->wrong, g_free);
  if (!empty)
    numbers->wrong = robocache_property_get_doubles (name, value, numbers->numbers, n,
        n == 2 ? "two numbers, the minimum before the maximum, like \"<0.0,1.0>\", or none"
        : "three numbers, x, y and z, like \"<1.0,1.0,1.0>\", or none");
  numbers->is_set = !empty && numbers->wrong == NULL;
}

void
robocache_view_properties_set (RobocacheViewProperties *properties, GParamSpec *pspec, const GValue *value)
{
  gpointer field = field_of (properties, pspec->param_id);
  guint n;
  RobocacheViewNumbers *numbers = numbers_of (properties, pspec->param_id, &n);

  if (field)
    robocache_setting_set (field, value);
  else
    set_numbers (numbers, n, pspec->name, value);
  properties->frame_changed |= pspec->param_id >= PROP_GRID;
}

void
robocache_view_properties_get (RobocacheViewProperties *properties, GParamSpec *pspec, GValue *value)
{
  gpointer field = field_of (properties, pspec->param_id);
  guint n;
  RobocacheViewNumbers *numbers = numbers_of (properties, pspec->param_id, &n);

  if (field)
    robocache_setting_get (field, value);
  else
    robocache_value_set_doubles (value, numbers->numbers, numbers->is_set ? n : 0);
}

void
robocache_view_properties_install (GObjectClass *klass)
{
  const GParamFlags flags = G_PARAM_READWRITE | G_PARAM_STATIC_STRINGS | GST_PARAM_MUTABLE_PLAYING;

  g_object_class_install_property (klass, PROP_VIEW, g_param_spec_enum ("view", "View", "Direction of view",
          TYPE_VIEW, DEFAULT_VIEW, flags));
  g_object_class_install_property (klass, PROP_COLOUR_BY, g_param_spec_enum ("colour-by", "Colour by",
          "Quantity shown by colours", TYPE_COLOUR_BY, DEFAULT_COLOUR_BY, flags));
  g_object_class_install_property (klass, PROP_CHANNEL, g_param_spec_uint ("channel", "Channel",
          "Number of the feature to show with colour-by=value", 0, G_MAXUINT, 0, flags));
  g_object_class_install_property (klass, PROP_BATCH_ITEM, g_param_spec_uint ("batch-item", "Batch item",
          "Number of the grid in a batch", 0, G_MAXUINT, 0, flags));
  g_object_class_install_property (klass, PROP_VALUE_RANGE, robocache_param_spec_doubles ("value-range", "Value range",
          "Minimum and maximum of the colour bar (empty = the height of the grid, or the visible values)",
          flags));
  g_object_class_install_property (klass, PROP_BACKGROUND_COLOUR, g_param_spec_uint ("background-colour",
          "Background colour", "Background as 0xRRGGBB; lines and text are dark or light for contrast", 0,
          0xffffff, DEFAULT_BACKGROUND, flags));
  g_object_class_install_property (klass, PROP_AXES, g_param_spec_boolean ("axes", "Axes",
          "Draw grid lines, and axes with metres, if the picture is large enough", TRUE, flags));
  g_object_class_install_property (klass, PROP_LEGEND, g_param_spec_boolean ("legend", "Legend",
          "Draw the colour bar and the number of occupied voxels, if the picture is large enough", TRUE,
          flags));
  g_object_class_install_property (klass, PROP_GRID, g_param_spec_string ("grid", "Grid",
          "Number of voxels along x, y, z, as nx:ny:nz (empty = from caps)", NULL, flags));
  g_object_class_install_property (klass, PROP_ORIGIN, robocache_param_spec_doubles ("origin", "Origin",
          "Corner of the grid with minimum x, y, z, in metres (empty = from caps)", flags));
  g_object_class_install_property (klass, PROP_VOXEL_SIZE, robocache_param_spec_doubles ("voxel-size", "Voxel size",
          "Edges of a voxel along x, y, z, in metres (empty = from caps)", flags));
  g_object_class_install_property (klass, PROP_INPUT_FORM, g_param_spec_enum ("input-form", "Input form",
          "Form of the grid", TYPE_INPUT_FORM, FORM_AUTO, flags));
  gst_type_mark_as_plugin_api (TYPE_VIEW, 0);
  gst_type_mark_as_plugin_api (TYPE_COLOUR_BY, 0);
  gst_type_mark_as_plugin_api (TYPE_INPUT_FORM, 0);
}

void
robocache_view_properties_init (RobocacheViewProperties *properties)
{
  *properties = (RobocacheViewProperties) {.input_form = FORM_AUTO,.style = {.view = DEFAULT_VIEW,
      .colour_by = DEFAULT_COLOUR_BY,.background = DEFAULT_BACKGROUND,.axes = TRUE,.legend = TRUE}
  };
}

void
robocache_view_properties_clear (RobocacheViewProperties *properties)
{
  g_free (properties->grid);
  g_free (properties->origin.wrong);
  g_free (properties->voxel_size.wrong);
  g_free (properties->range.wrong);
}

gboolean
robocache_view_properties_read_style (const RobocacheViewProperties *properties, RobocacheViewStyle *style, GError **error)
{
  const gdouble *range = properties->range.numbers;

  *style = properties->style;
  style->has_range = properties->range.is_set;
  memcpy (style->range, range, sizeof (style->range));
  if (properties->range.wrong)
    g_set_error_literal (error, ROBOCACHE_ERROR, ROBOCACHE_ERROR_PROPERTY, properties->range.wrong);
  else if (style->has_range && !(isnormal (range[1] - range[0]) && range[0] < range[1]))
    g_set_error (error, ROBOCACHE_ERROR, ROBOCACHE_ERROR_PROPERTY, "value-range is <%g,%g>: expected two numbers, the "
        "minimum before the maximum", range[0], range[1]);
  else
    return TRUE;
  return FALSE;
}

gboolean
robocache_view_properties_find_frame (const RobocacheViewProperties *properties, const GstCaps *caps,
    const RobocacheTensorsInfo *tensors, RobocacheVoxelFrame *frame, GError **error)
{
  const RobocacheViewNumbers *origin = &properties->origin, *voxel_size = &properties->voxel_size;
  const RobocacheVoxelFrameHints hints = { properties->input_form, properties->grid,
    origin->is_set ? origin->numbers : NULL, voxel_size->is_set ? voxel_size->numbers : NULL
  };
  const gchar *wrong = origin->wrong ? origin->wrong : voxel_size->wrong;

  if (wrong == NULL)
    return robocache_voxel_frame_from_caps (frame, caps, tensors, &hints, error);
  g_set_error_literal (error, ROBOCACHE_ERROR, ROBOCACHE_ERROR_PROPERTY, wrong);
  return FALSE;
}
