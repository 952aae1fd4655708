/* robocache: files of points come out the same however their bytes were cut, and what is wrong in them is said
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "tests/check/lib/points/cloudharness.h"

/* ---- what is read ---- */

GST_START_TEST (the_three_kinds_of_data_are_the_same_cloud)
{
  static const gchar *kinds[] = { "ascii", "binary", "binary_compressed" };
  gchar *ascii = NULL;

  for (guint i = 0; i < G_N_ELEMENTS (kinds); i++) {
    GByteArray *file = pcd_file (9, kinds[i]);
    gchar *said = read_cut_in_steps (&pcd, file->data, file->len, 1);

    if (!ascii)
      ascii = g_strdup (said);
    fail_unless (g_str_has_prefix (said, "1 n=9 fields=(string)\"x\\,y\\,z\\,intensity\", type=(string)float32 "), "%s",
        said);
    fail_unless_equals_string (said, ascii);
    g_free (said);
    g_byte_array_unref (file);
  }
  g_free (ascii);
}

GST_END_TEST;

#define ONE_SAID "1 n=1 " XYZ " " ONE_TWO_THREE "\n"

/* What is read of text. */
GST_START_TEST (text_of_points)
{
  static const struct
  {
    const gchar *text, *said;
  } cases[] = {
    {"FIELDS x y z a b c d e f g h i\nSIZE 4 4 4 1 2 4 8 1 2 4 8 8\nTYPE F F F I I I I U U U U F\nWIDTH 2\n"
        "DATA ascii\n1 2 3 -128 -32768 -2147483648 -9223372036854775808 255 65535 4294967295 18446744073709551615 1\n"
        "1 2 3 127 -1 1 2 0 1 2 3 nan\n",
        "1 n=2 fields=(string)\"x\\,y\\,z\\,a\\,b\\,c\\,d\\,e\\,f\\,g\\,h\\,i\", types=(string)\"float32\\,float32\\,"
        "float32\\,int8\\,int16\\,int32\\,int64\\,uint8\\,uint16\\,uint32\\,uint64\\,float64\" "
        ONE_TWO_THREE "80" "0080" "00000080" "0000000000000080" "ff" "ffff" "ffffffff" "ffffffffffffffff" "000000000000f03f"
        ONE_TWO_THREE "7f" "ffff" "01000000" "0200000000000000" "00" "0100" "02000000" "0300000000000000" "000000000000f87f"
        "\n"},
    {"FIELDS x y z\nWIDTH 1\nHEIGHT 2\nPOINTS 2\nDATA ascii\n1 2 3\n1 2 3\n",
        "1 n=2 " XYZ ", width=(int)1, height=(int)2 " ONE_TWO_THREE ONE_TWO_THREE "\n"},
    /* a point that cannot be read keeps its place */
    {"FIELDS x y z i\nTYPE F F F U\nSIZE 4 4 8 1\nWIDTH 1\nHEIGHT 2\nPOINTS 2\nDATA ascii\n1 2 3\n1 2 3 4\n",
        "malformed cloud 1 at byte 0: line 8 has 3 columns, expected 4\n"
        "1 n=2 fields=(string)\"x\\,y\\,z\\,i\", types=(string)\"float32\\,float32\\,float64\\,uint8\", width=(int)1, "
        "height=(int)2 0000c07f0000c07f000000000000f87f00" "0000803f00000040000000000000084004\n"},
    {HEADER ("1", "ascii") "1 2 3\n", ONE_SAID},
    {HEADER ("1", "ascii") "1 2 3", ONE_SAID},
    {"# .PCD v.5\r\nVERSION .5\r\nFIELDS x y z\r\nSIZE 4 4 4\r\nTYPE F F F\r\nWIDTH 1\r\nHEIGHT 1\r\nPOINTS 1\r\n"
        "DATA ascii\r\n1 2 3\r\n", ONE_SAID},
    {"\n  # a comment\nVERSION\t0.6\nCOLUMNS  x y\tz \n\nPOINTS 1\n# another\nDATA ascii\n\n 1\t2  3 \n\n", ONE_SAID},
    {"POINTS 1\nWIDTH 1\nTYPE F F F\nFIELDS x y z\nDATA ascii\n1 2 3\n", ONE_SAID},
    {HEADER ("0", "ascii"), "1 n=0 " XYZ " \n"},
    {HEADER ("2", "ascii") "nan -nan inf\n-inf 1e400 -1e-400\n",
        "1 n=2 " XYZ " 0000c07f0000c07f0000807f" "000080ff0000807f00000080\n"},
    {HEADER ("4", "ascii") "1 2 3\n1 2\n1 2 3 4\n1 2 x\n",
        "malformed cloud 1 at byte 0: line 12 has 2 columns, expected 3\n"
        "malformed cloud 1 at byte 0: line 13 has 4 columns, expected 3\n"
        "malformed cloud 1 at byte 0: line 14 column 2: \"x\" is not a valid float32\n"
        "1 n=1 " XYZ " " ONE_TWO_THREE "\n"},
  };

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    expect_text (cases[i].text, cases[i].said);
}

GST_END_TEST;

GST_START_TEST (numbers_beyond_their_type)
{
  static const struct
  {
    const gchar *type, *number;
  } cases[] = { {"I 1", "128"}, {"I 1", "-129"}, {"U 1", "256"}, {"U 1", "-1"}, {"I 2", "32768"}, {"U 2", "65536"},
  {"I 4", "2147483648"}, {"U 4", "4294967296"}, {"I 8", "9223372036854775808"}, {"U 8", "18446744073709551616"},
  {"U 1", "1.5"}, {"U 1", "256.0"}, {"I 1", "-129.0"}, {"U 8", "18014398509481985.0"}, {"I 4", "nan"}, {"F 4", "1,5"}, {"F 8", "x"}
  };

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++) {
    gchar *text = g_strdup_printf ("FIELDS x y z a\nTYPE F F F %c\nSIZE 4 4 4 %c\nWIDTH 1\nDATA ascii\n1 2 3 %s\n",
        cases[i].type[0], cases[i].type[2], cases[i].number);
    gchar *begin = g_strdup_printf ("malformed cloud 1 at byte 0: line 6 column 3: \"%s\" is not a valid ", cases[i].number);

    expect_begin ((const guint8 *) text, strlen (text), begin, FALSE);
    g_free (begin);
    g_free (text);
  }
}

GST_END_TEST;

GST_START_TEST (counts_and_padding)
{
  static const guint8 points[] = { 1, 2, 99, 99, 99, 3, 4, 5, 6, 7, 11, 12, 98, 98, 98, 13, 14, 15, 16, 17 };
  static const gchar *header = "FIELDS z _ x y n\nSIZE 2 1 1 1 1\nTYPE U U U U I\nCOUNT 1 3 1 1 3\nWIDTH 2\n"
      "VIEWPOINT 1 0 0 1 0 0 0.5\nDATA ";
  static const guint sizes[] = { 2, 3, 1, 1, 3 };
#define NAMES "fields=(string)\"z\\,x\\,y\\,n_0\\,n_1\\,n_2\", types=(string)\"uint16\\,uint8\\,uint8\\,int8\\,int8\\,int8\""
#define VIEWPOINT ", viewpoint=(string)\"1\\,0\\,0\\,1\\,0\\,0\\,0.5\" "
#define WITHOUT_PADDING "1 n=2 " NAMES VIEWPOINT "01020304050607" "0b0c0d0e0f1011\n"
  GByteArray *columns = columns_of_points (points, 2, sizes, G_N_ELEMENTS (sizes));

  for (guint i = 0; i < 4; i++) {
    GByteArray *file = g_byte_array_new ();

    append_text (file, header);
    append_text (file, (const gchar *[]) { "binary\n", "ascii\n", "binary_compressed\n", "binary_compressed\n" }[i]);
    if (i == 0)
      g_byte_array_append (file, points, sizeof points);
    else if (i == 1)
      append_text (file, "513 1 1 1 3 4 5 6 7\r\n3083 1 1 1 13 14 15 16 17\r\n");
    else
      append_compressed (file, columns->data, columns->len);
    expect (&pcd, file->data, file->len, i > 0 ? WITHOUT_PADDING : "1 n=2 " NAMES ", offsets=(string)\"0\\,5\\,6\\,7\\,8\\,9\", "
        "point-step=(int)10" VIEWPOINT "010263636303040506070b0c6262620d0e0f1011\n");
    /* the library that the format is of leaves padding out of its columns */
    if (i == 2)
      g_byte_array_remove_range (columns, 4, 6);
    g_byte_array_unref (file);
  }
  g_byte_array_unref (columns);
}

GST_END_TEST;

/* A column of COUNT 0 has no bytes and no word. */
GST_START_TEST (columns_of_no_elements)
{
  static const gchar text[] = "FIELDS x y _ z _ i\nSIZE 1 1 4 1 1 1\nTYPE U U F U U I\nCOUNT 1 1 0 1 2 1\nWIDTH 1\nDATA ";
  static const guint8 binary[] = { 1, 2, 3, 98, 99, 0xff };
  GByteArray *file = g_byte_array_new ();

  append_text (file, text);
  append_text (file, "binary\n");
  g_byte_array_append (file, binary, sizeof binary);
  expect (&pcd, file->data, file->len, "1 n=1 fields=(string)\"x\\,y\\,z\\,i\", types=(string)\"uint8\\,uint8\\,uint8\\,int8\", "
      "offsets=(string)\"0\\,1\\,2\\,5\", point-step=(int)6 0102036263ff\n");
  g_byte_array_set_size (file, 0);
  append_text (file, text);
  append_text (file, "ascii\n1 2.0 3e0 98 99 -1.0\n");
  expect (&pcd, file->data, file->len, "1 n=1 fields=(string)\"x\\,y\\,z\\,i\", types=(string)\"uint8\\,uint8\\,uint8\\,int8\" "
      "010203ff\n");
  g_byte_array_unref (file);
}

GST_END_TEST;

/* ---- faults ---- */

GST_START_TEST (malformed_headers)
{
  static const struct
  {
    const gchar *text, *fault;
  } cases[] = {
    {"VERSION 0.8\nFIELDS x y z\nWIDTH 1\nDATA ascii\n", "line 1: VERSION 0.8, expected 0.7, 0.6 or 0.5"},
    {"WIDTH 1\nDATA ascii\n", "line 2: DATA begins, but the header has no FIELDS"},
    {"FIELDS x y z\nDATA ascii\n", "line 2: DATA begins, but the header has neither POINTS nor WIDTH"},
    {"FIELDS x y\nWIDTH 1\nDATA ascii\n", "line 1: no field of a point is named z"},
    {"FIELDS x y z x\nWIDTH 1\nDATA ascii\n", "line 1: two fields of a point are named \"x\""},
    {"FIELDS x y z a a_0\nCOUNT 1 1 1 2 1\nWIDTH 1\nDATA ascii\n", "line 1: two fields of a point are named \"a_0\""},
    {"FIELDS x y z\nSIZE 4 4\nWIDTH 1\nDATA ascii\n", "line 2: SIZE has 2 values, expected one for each of the 3 FIELDS"},
    {"FIELDS x y z\nTYPE F F F F\nWIDTH 1\nDATA ascii\n", "line 2: TYPE has 4 values"},
    {"FIELDS x y z\nCOUNT\nWIDTH 1\nDATA ascii\n", "line 2: COUNT has 0 values"},
    {"FIELDS x y z\nSIZE 4 2 4\nWIDTH 1\nDATA ascii\n", "line 2: field \"y\" has TYPE F and SIZE 2, expected"},
    {"FIELDS x y z\nSIZE 4 4 3\nTYPE F F U\nWIDTH 1\nDATA ascii\n", "line 2: field \"z\" has TYPE U and SIZE 3"},
    {"FIELDS x y z\nTYPE F F X\nWIDTH 1\nDATA ascii\n", "line 2: field \"z\" has TYPE X and SIZE 4"},
    {"FIELDS x y z\nCOUNT 1 0 1\nWIDTH 1\nDATA ascii\n", "line 1: no field of a point is named y"},
    {"FIELDS x y z\nCOUNT 1 1 4294967297\nWIDTH 1\nDATA ascii\n", "line 2: field \"z\" has COUNT 4294967297"},
    {"FIELDS x y z _\nCOUNT 1 1 1 4096\nWIDTH 1\nDATA ascii\n", "line 1: a point has more than 4096 elements"},
    {"FIELDS x y z\nWIDTH -1\nDATA ascii\n", "line 2: WIDTH -1, expected one number, 0 to 2147483647"},
    {"FIELDS x y z\nWIDTH 1 2\nDATA ascii\n", "line 2: WIDTH 1, expected one number"},
    {"FIELDS x y z\nWIDTH 2147483648\nDATA ascii\n", "line 2: WIDTH 2147483648, expected"},
    {"FIELDS x y z\nPOINTS 18446744073709551616\nDATA ascii\n", "line 2: POINTS 18446744073709551616, expected"},
    {"FIELDS x y z\nPOINTS 18446744073709551615\nDATA binary\n",
        "line 2: 18446744073709551615 points of 12 bytes exceed the address space"},
    {"FIELDS x y z\nWIDTH 2147483647\nHEIGHT 2147483647\nDATA binary\n", "line 2: 4611686014132420609 points of 12 bytes"},
    {"FIELDS x y z\nWIDTH 2\nHEIGHT 3\nPOINTS 7\nDATA ascii\n",
        "line 4: POINTS is 7, expected WIDTH * HEIGHT, 2 * 3"},
    {"FIELDS x y z\nHEIGHT 2\nPOINTS 4\nDATA ascii\n", "line 3: POINTS is 4, expected"},
    {"FIELDS x y z\nVIEWPOINT 0 0 0 1 0 0\nWIDTH 1\nDATA ascii\n", "line 2: VIEWPOINT has 6 values, the first 0, expected 7"},
    {"FIELDS x y z\nVIEWPOINT 0 0 0 1 0 0 nan\nWIDTH 1\nDATA ascii\n", "line 2: VIEWPOINT has 7 values"},
    {"FIELDS x y z\nVIEWPOINT\nWIDTH 1\nDATA ascii\n", "line 2: VIEWPOINT has 0 values, expected 7 numbers"},
    {"FIELDS x y z\nWIDTH 1\nDATA text\n", "line 3: DATA text, expected ascii, binary or binary_compressed"},
    {"FIELDS x y z\nWIDTH 1\nDATA\n", "line 3: DATA , expected ascii"},
    {"FIELDS x y z\nWIDTH 1\nWIDTH 1\nDATA ascii\n", "line 3: WIDTH is a duplicate of line 2"},
    {"FIELDS x y z\nCOLUMNS x y z\n", "line 2: COLUMNS is a duplicate of line 1"},
    {"FEILDS x y z\n", "line 1 begins with \"FEILDS\", expected a keyword of a PCD header"},
    {"1 2 3\n", "line 1 begins with \"1\", expected a keyword"},
    {"# .PCD\n\nFIELDS x y z\n", "the header ends after 3 lines, before a line that begins with DATA"},
    {"# .PCD\n", "there is no header, expected lines that begin with FIELDS, POINTS and DATA"},
    {"\n", "there is no header"},
  };

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++) {
    gchar *begin = g_strdup_printf ("malformed cloud 1 at byte 0: %s", cases[i].fault);

    expect_begin ((const guint8 *) cases[i].text, strlen (cases[i].text), begin, TRUE);
    g_free (begin);
  }
}

GST_END_TEST;

GST_START_TEST (bytes_that_are_no_text)
{
  static const guint8 zero[] = { 'F', 0, 'x', '\n' }, latin[] = { 0xe4, '\n' };
  static const gchar point[] = HEADER ("1", "ascii") "1 2 3\0\n";

  expect (&pcd, zero, sizeof zero, "malformed cloud 1 at byte 0: line 1 contains a zero byte, expected a line of a PCD "
      "header; if the line is a point, POINTS in the previous header is too small\n");
  expect (&pcd, (const guint8 *) point, sizeof point - 1, "malformed cloud 1 at byte 0: line 11 contains a zero byte, "
      "expected 3 numbers\n1 n=0 " XYZ " \n");
  expect (&pcd, latin, sizeof latin, "malformed cloud 1 at byte 0: line 1 begins with \"\357\277\275\", expected a keyword "
      "of a PCD header, such as FIELDS; if the line is a point, POINTS in the previous header is too small\n");
}

GST_END_TEST;

GST_START_TEST (compressed_sizes_that_lie)
{
  static const struct
  {
    guint32 compressed, uncompressed;
    const gchar *data;
    guint n;
    const gchar *fault;
  } cases[] = {
    {10, 23, "", 0, "the points have 23 bytes when uncompressed, expected 24 for POINTS 2 of 12 bytes each"},
    {10, G_MAXUINT32, "", 0, "the points have 4294967295 bytes"},
    {0, 24, "", 0, "0 compressed bytes cannot hold 24 bytes"},
    {100, 24, "abc", 3, "the cloud ends after 3 bytes, expected 100 for POINTS 2"},
    /* runs of 1 and of 32 bytes, and one that looks back before the beginning */
    {2, 24, "\0a", 2, "2 compressed bytes expand to 1: expected 24 uncompressed bytes"},
    {33, 24, "\37" "01234567890123456789012345678901", 33, "33 compressed bytes expand to more: expected 24 uncompressed bytes"},
    {3, 24, "\40\1\1", 3, "3 compressed bytes are damaged: expected 24 uncompressed bytes"},
  };

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++) {
    gchar *begin = g_strdup_printf ("malformed cloud 1 at byte 0: %s", cases[i].fault);
    GByteArray *file = g_byte_array_new ();
    guint8 sizes[8];

    GST_WRITE_UINT32_LE (sizes, cases[i].compressed);
    GST_WRITE_UINT32_LE (sizes + 4, cases[i].uncompressed);
    append_text (file, HEADER ("2", "binary_compressed"));
    g_byte_array_append (file, sizes, sizeof sizes);
    g_byte_array_append (file, (const guint8 *) cases[i].data, cases[i].n);
    expect_begin (file->data, file->len, begin, FALSE);
    g_byte_array_unref (file);
    g_free (begin);
  }
}

GST_END_TEST;

/* ---- points without a header ---- */

#define KITTI "fields=(string)\"x\\,y\\,z\\,intensity\", type=(string)float32 "
#define POINT "0000000000000080" "0000803f00000000"

GST_START_TEST (raw_points)
{
  const RobocacheCloudSpec kitti = {.format = ROBOCACHE_INPUT_KITTI };
  const RobocacheCloudSpec nuscenes = {.format = ROBOCACHE_INPUT_NUSCENES };
  const RobocacheCloudSpec twos = {.format = ROBOCACHE_INPUT_KITTI,.points_per_cloud = 2 };
  GByteArray *points = four_floats (5);

  expect (&kitti, points->data, 16, "1 n=1 " KITTI POINT "\n");
  expect (&kitti, points->data, 17, "malformed cloud 1 at byte 0: the cloud has 17 bytes, expected a multiple of 16, the bytes per "
      "point: 1 are left over\n");
  expect (&nuscenes, points->data, 16, "malformed cloud 1 at byte 0: the cloud has 16 bytes, expected a multiple of 20, the bytes per "
      "point: 16 are left over\n");
  expect (&twos, points->data + 64, 16, "malformed cloud 1 at byte 0: the last cloud ends after 16 bytes, expected "
      "points-per-cloud=2 points of 16 bytes\n");
  g_byte_array_set_size (points, 32);
  memcpy (points->data + 16, points->data, 16);
  expect (&twos, points->data, 32, "1 n=2 " KITTI POINT POINT "\n");
  g_byte_array_unref (points);
}

GST_END_TEST;

GST_START_TEST (points_of_a_layout)
{
  static const guint8 point[] = { 1, 99, 2, 0, 3, 0, 0, 0 };
  const RobocacheCloudSpec spec = {.format = ROBOCACHE_INPUT_POINTS,.layout = "=BxHBxxb",.channels = "z, x,y,i" };

  expect (&spec, point, sizeof point, "1 n=1 fields=(string)\"z\\,x\\,y\\,i\", types=(string)\"uint8\\,uint16\\,uint8\\,"
      "int8\", offsets=(string)\"0\\,2\\,4\\,7\", point-step=(int)8 0163020003000000\n");
}

GST_END_TEST;

GST_START_TEST (settings_that_make_no_sense)
{
  static const struct
  {
    RobocacheCloudSpec spec;
    const gchar *fault;
  } cases[] = {
    {{ROBOCACHE_INPUT_POINTS, "=3f", "x,y", 0}, "layout=\"=3f\" has 3 numbers, but channels names 2"},
    {{ROBOCACHE_INPUT_POINTS, "=3f", "", 0}, "but channels names 0"},
    {{ROBOCACHE_INPUT_POINTS, "=3f", "x,y,y", 0}, "two fields of a point are named \"y\""},
    {{ROBOCACHE_INPUT_POINTS, "=3f", "x,y,w", 0}, "no field of a point is named z"},
    {{ROBOCACHE_INPUT_POINTS, ">3f", "x,y,z", 0}, "layout=\">3f\" has another byte order"},
    {{ROBOCACHE_INPUT_POINTS, "=3k", "x,y,z", 0}, "is not a type"},
    {{ROBOCACHE_INPUT_POINTS, NULL, "x,y,z", 0}, "property layout, which is not set"},
    {{ROBOCACHE_INPUT_KITTI, "=3f", NULL, 0}, "layout=\"=3f\" is only for format=points"},
    {{ROBOCACHE_INPUT_PCD, "", "x", 0}, "channels=\"x\" is only for format=points"},
    {{ROBOCACHE_INPUT_PCD, "", "", 7}, "points-per-cloud=7 with format=pcd"},
  };

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++) {
    GError *error = NULL;

    fail_unless (robocache_cloud_reader_new (&cases[i].spec, &error) == NULL);
    fail_unless (strstr (error->message, cases[i].fault) != NULL, "\"%s\" lacks \"%s\"", error->message, cases[i].fault);
    g_error_free (error);
  }
}

GST_END_TEST;

/* ---- buffers ---- */

GST_START_TEST (binary_points_are_not_copied)
{
  GByteArray *file = pcd_file (100, "binary");
  RobocacheCloudReader *reader = open_reader (&pcd);
  RobocacheCloudRecord cloud = { 0 };
  GstBuffer *buffer = gst_buffer_new_memdup (file->data, file->len);
  GstMapInfo in, out;

  fail_unless (gst_buffer_map (buffer, &in, GST_MAP_READ));
  fail_unless (robocache_cloud_reader_push (reader, gst_buffer_ref (buffer), NULL));
  while (robocache_cloud_reader_next (reader, &cloud, NULL) == ROBOCACHE_READ_HEADER);
  fail_unless (gst_buffer_map (cloud.buffer, &out, GST_MAP_READ));
  fail_unless (out.data == in.data + file->len - 1600 && out.size == 1600);
  gst_buffer_unmap (cloud.buffer, &out);
  gst_buffer_unmap (buffer, &in);
  gst_buffer_unref (cloud.buffer);
  gst_buffer_unref (buffer);
  robocache_cloud_reader_free (reader);
  g_byte_array_unref (file);
}

GST_END_TEST;

static void
count_down (gpointer n_alive)
{
  *(guint *) n_alive -= 1;
}

/* A piece whose memory is counted while it lives. */
static GstBuffer *
one_byte (const guint8 *byte, guint *n_alive)
{
  *n_alive += 1;
  return gst_buffer_new_wrapped_full (GST_MEMORY_FLAG_READONLY, (gpointer) byte, 1, 0, 1, n_alive, count_down);
}

/* They are as many bytes as the cloud has, and no GstBuffer for each. */
GST_START_TEST (small_pieces_of_points_are_not_kept)
{
  static const gchar *kinds[] = { "binary", "binary_compressed" };

  for (guint i = 0; i < G_N_ELEMENTS (kinds); i++) {
    RobocacheCloudReader *reader = open_reader (&pcd);
    GByteArray *file = pcd_file (20000, kinds[i]);
    gchar *whole = read_whole (&pcd, file);
    GString *said = g_string_new (NULL);
    guint n_alive = 0;

    for (guint at = 0; at < file->len; at++) {
      fail_unless (robocache_cloud_reader_push (reader, one_byte (file->data + at, &n_alive), NULL));
      say_all (said, reader);
      fail_unless (n_alive <= 1);
    }
    fail_unless_equals_int (n_alive, 0);
    fail_unless_equals_string (said->str, whole);
    g_free (whole);
    g_string_free (said, TRUE);
    robocache_cloud_reader_free (reader);
    g_byte_array_unref (file);
  }
}

GST_END_TEST;

CHECK_MAIN (pcdreader, NULL, NULL, ONCE (the_three_kinds_of_data_are_the_same_cloud), ONCE (text_of_points), ONCE (numbers_beyond_their_type),
  ONCE (counts_and_padding), ONCE (malformed_headers), ONCE (bytes_that_are_no_text), ONCE (compressed_sizes_that_lie), ONCE (raw_points),
  ONCE (points_of_a_layout), ONCE (settings_that_make_no_sense), ONCE (binary_points_are_not_copied), ONCE (small_pieces_of_points_are_not_kept),
  ONCE (columns_of_no_elements))
