/* robocache: JPEG for viewers, by libjpeg-turbo
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "jpeg.h"

#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>

/* after the declaration of FILE, which it uses */
#include <jpeglib.h>

static const struct
{
  const gchar *encoding;
  J_COLOR_SPACE space;
  gint components;
} encodings[] = {
  {"rgb8", JCS_EXT_RGB, 3}, {"bgr8", JCS_EXT_BGR, 3}, {"rgba8", JCS_EXT_RGBX, 4}, {"bgra8", JCS_EXT_BGRX, 4}, {"mono8", JCS_GRAYSCALE, 1},
};

/* libjpeg would end the process. */
typedef struct
{
  struct jpeg_error_mgr parent;
  jmp_buf failed;
} Errors;

static void
on_error (j_common_ptr compressor)
{
  longjmp (((Errors *) compressor->err)->failed, 1);
}

static void
on_message (j_common_ptr compressor)
{
}

static void
compress (struct jpeg_compress_struct *compressor, const RobocacheViewPicture *picture, guint encoding, guint quality)
{
  compressor->image_width = picture->width;
  compressor->image_height = picture->height;
  compressor->input_components = encodings[encoding].components;
  compressor->in_color_space = encodings[encoding].space;
  jpeg_set_defaults (compressor);
  jpeg_set_quality (compressor, (gint) quality, TRUE);
  compressor->dct_method = JDCT_FASTEST;
  jpeg_start_compress (compressor, TRUE);
  while (compressor->next_scanline < compressor->image_height) {
    JSAMPROW line = (JSAMPROW) picture->lines + compressor->next_scanline * picture->step;

    jpeg_write_scanlines (compressor, &line, 1);
  }
  jpeg_finish_compress (compressor);
}

/* FALSE: libjpeg has failed, for want of memory. It may have freed data then, and says nowhere what it has. */
static gboolean
try_compress (struct jpeg_compress_struct *compressor, Errors *errors, const RobocacheViewPicture *picture, guint encoding, guint quality,
    unsigned char **data, unsigned long *size)
{
  if (setjmp (errors->failed) != 0)
    return FALSE;
  jpeg_create_compress (compressor);
  jpeg_mem_dest (compressor, data, size);
  compress (compressor, picture, encoding, quality);
  return TRUE;
}

GBytes *
robocache_view_jpeg_new (const RobocacheViewPicture *picture, guint quality)
{
  struct jpeg_compress_struct compressor = { 0 };
  unsigned char *data = NULL;
  unsigned long size = 0;
  gboolean is_made;
  Errors errors;
  guint i = 0;

  while (i < G_N_ELEMENTS (encodings) && !g_str_equal (encodings[i].encoding, picture->encoding))
    i++;
  if (i == G_N_ELEMENTS (encodings) || picture->width == 0 || picture->height == 0 || picture->width > JPEG_MAX_DIMENSION
      || picture->height > JPEG_MAX_DIMENSION || picture->step < (gsize) picture->width * (gsize) encodings[i].components)
    return NULL;
  compressor.err = jpeg_std_error (&errors.parent);
  errors.parent.error_exit = on_error;
  errors.parent.output_message = on_message;
  is_made = try_compress (&compressor, &errors, picture, i, quality, &data, &size);
  jpeg_destroy_compress (&compressor);
  return is_made ? g_bytes_new_with_free_func (data, size, free, data) : NULL;
}
