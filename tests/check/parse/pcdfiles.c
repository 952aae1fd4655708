/* robocache: PCD files one after another, of which some are damaged, cut short, or followed by what is none
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "tests/check/lib/points/cloudharness.h"

#define GOOD "# .PCD v0.7\n" HEADER ("1", "ascii") "1 2 3\n"
#define GOOD_SAID(number) number " n=1 " XYZ " " ONE_TWO_THREE "\n"

GST_START_TEST (files_one_after_another)
{
  static const gchar *kinds[] = { "binary", "ascii", "binary_compressed", "ascii", "binary", "binary_compressed" };
  GByteArray *file = g_byte_array_new ();
  gchar *said, **lines;

  for (guint i = 0; i < G_N_ELEMENTS (kinds); i++)
    append_pcd (file, i, kinds[i]);     /* the first has no point */
  said = read_cut_in_steps (&pcd, file->data, file->len, 13);
  lines = g_strsplit (said, "\n", -1);
  fail_unless_equals_int (g_strv_length (lines), G_N_ELEMENTS (kinds) + 1);
  for (guint i = 0; i < G_N_ELEMENTS (kinds); i++) {
    gchar *begins = g_strdup_printf ("%u n=%u ", i + 1, i);

    fail_unless (g_str_has_prefix (lines[i], begins), "%s", lines[i]);
    g_free (begins);
  }
  g_strfreev (lines);
  g_free (said);
  g_byte_array_unref (file);
}

GST_END_TEST;

#define NO_KEYWORD ", expected a keyword of a PCD header, such as FIELDS; if the line is a point, POINTS in the previous header is too small\n"
#define CUT(after) "malformed cloud 1 at byte 0: the cloud ends after " after "\n" GOOD_SAID ("2") GOOD_SAID ("3")
#define ENDS_AFTER(lines) "the header ends after " lines " lines, before a line that begins with DATA\n"
#define CUT_AFTER(lines) "malformed cloud 1 at byte 0: " ENDS_AFTER (lines)
#define BOTH_SAID GOOD_SAID ("1") GOOD_SAID ("2")

/* Damaged, cut and lengthened files take no other file with them. */
GST_START_TEST (text_of_files)
{
  static const struct
  {
    const gchar *text, *said;
  } cases[] = {
    /* What is between a malformed cloud and the next file is lost with it. */
    {"FIELDS x\nWIDTH 1\nDATA ascii\n1\n2\n3\n" GOOD,
        "malformed cloud 1 at byte 0: line 1: no field of a point is named y, expected x, y and z among its 1 fields\n"
        GOOD_SAID ("2")},
    /* more points than the header says */
    {GOOD "4 5 6\n7 8 9\n" GOOD, GOOD_SAID ("1")
        "malformed cloud 1 at byte 137: line 1 begins with \"4\", expected a keyword of a PCD header, such as FIELDS"
        "; if the line is a point, POINTS in the previous header is too small\n" GOOD_SAID ("2")},
    /* a file of which there is only the beginning */
    {GOOD "FIELDS x y z\n", GOOD_SAID ("1")
        "malformed cloud 2 at byte 137: the header ends after 1 lines, before a line that begins with DATA\n"},
    /* fewer */
    {"# .PCD v0.7\n" HEADER ("3", "ascii") "1 2 3\n4 5 6\n" GOOD,
        "malformed cloud 1 at byte 0: the cloud ends after 2 lines, expected 3 for POINTS 3\n" GOOD_SAID ("2")},
    /* However little of a file is there, it takes neither of those after it with it. */
    /* lines that end with the file, and not with a line end */
    {"# .PCD v0.7\n" HEADER ("1", "ascii") "1 2 3" GOOD, GOOD_SAID ("1") GOOD_SAID ("2")},
    {GOOD "abcd" GOOD, GOOD_SAID ("1") "malformed cloud 1 at byte 137: line 1 begins with \"abcd\"" NO_KEYWORD
        GOOD_SAID ("2")},
    {"# .PCD v0.7\nVERSION .7\n" GOOD GOOD, "malformed cloud 1 at byte 0: the header ends after 2 lines, before a "
        "line that begins with DATA\n" GOOD_SAID ("2") GOOD_SAID ("3")},
    {"# .PCD v0.7\nVERSION " GOOD GOOD, "malformed cloud 1 at byte 0: the header ends after 2 lines, before a "
        "line that begins with DATA\n" GOOD_SAID ("2") GOOD_SAID ("3")},
    {"# .PCD v0.7\nVERS" GOOD GOOD, "malformed cloud 1 at byte 0: line 2 begins with \"VERS\"" NO_KEYWORD
        GOOD_SAID ("2") GOOD_SAID ("3")},
    {"# .PC" GOOD GOOD, GOOD_SAID ("1") GOOD_SAID ("2")},
    {HEADER ("60", "ascii") "1 2 3\n4 5" GOOD GOOD, CUT ("1 lines, expected 60 for POINTS 60")},
    {HEADER ("2", "ascii") "1 2 3\n4 5" GOOD GOOD, CUT ("1 lines, expected 2 for POINTS 2")},
    /* files that begin otherwise than most */
    {HEADER ("2", "ascii") "1 2 3\n" "# .PCD\r\n# by hand\r\n\r\nFIELDS x y z\r\nWIDTH 1\r\nDATA ascii\r\n1 2 3\r\n"
        "# .PCD v.5\nCOLUMNS x y z\nPOINTS 1\nDATA ascii\n1 2 3\n", CUT ("1 lines, expected 2 for POINTS 2")},
    /* A header whose comments hold what a file begins with is one header still. */
    {"VERSION .7\n# .PCD v0.7 is what this is\nFIELDS x y z\nPOINTS 1\nDATA ascii\n1 2 3\n" GOOD, BOTH_SAID},
    {"# .PCD v0.7\nVERSION .7\nFIELDS x y z\n  # see # .PCD\n# .PCD\n\nSIZE 4 4 4\nPOINTS 1\n#\n# .PCD\n"
        "DATA ascii\n1 2 3\n" GOOD, BOTH_SAID},
    /* what comes after them counts lines as ever */
    {"FIELDS x y z\n# see # .PCD\n# .PCD\nSIZE 4 4\nPOINTS 1\nDATA ascii\n" GOOD,
        "malformed cloud 1 at byte 0: line 4: SIZE has 2 values, expected one for each of the 3 FIELDS\n" GOOD_SAID ("2")},
    /* a keyword that was there begins another header; so does the magic behind something else than a comment */
    {"FIELDS x y z\n# .PCD\nFIELDS x y z\nPOINTS 1\nDATA ascii\n1 2 3\n", "malformed cloud 1 at byte 0: the "
        "header ends after 1 lines, before a line that begins with DATA\n" GOOD_SAID ("2")},
    {"FIELDS x y z\nPOI# .PCD\nPOINTS 1\nFIELDS x y z\nDATA ascii\n1 2 3\n", "malformed cloud 1 at byte 0: "
        "line 2 begins with \"POI\"" NO_KEYWORD GOOD_SAID ("2")},
    /* What looks like a comment of a header that was cut may be the next file, whose lines make no sense with those before. */
    {"FIELDS x y z\n" GOOD GOOD, CUT_AFTER ("1") GOOD_SAID ("2") GOOD_SAID ("3")},
    {"# .PCD v0.7\nFIELDS x y z\nSIZE 4 4 4\n\n" GOOD GOOD, CUT_AFTER ("4") GOOD_SAID ("2") GOOD_SAID ("3")},
    /* cut in a comment, or in the blanks before one */
    {"FIELDS x y z\n# of" GOOD GOOD, CUT_AFTER ("2") GOOD_SAID ("2") GOOD_SAID ("3")},
    {"FIELDS x y z\n " GOOD GOOD, CUT_AFTER ("2") GOOD_SAID ("2") GOOD_SAID ("3")},
    /* one after another, each with a keyword that those before lack */
    {"WIDTH 1\n# .PCD\nCOUNT 1 1 1\n# .PCD\nFIELDS x y z\n" GOOD GOOD, CUT_AFTER ("5")
        GOOD_SAID ("2") GOOD_SAID ("3")},
    {"FIELDS x y z\n# .PCD\nVERSION .7\nFIELDS x y z\n# .PCD\nPOINTS 1\nFIELDS x y z\nDATA ascii\n1 2 3\n" GOOD,
        CUT_AFTER ("1") "malformed cloud 2 at byte 13: " ENDS_AFTER ("3") GOOD_SAID ("3") GOOD_SAID ("4")},
    {"WIDTH 1\n# .PCD\nCOUNT 1 1 1\n# .PCD\nVERSION .7\nWIDTH 1\nCOUNT 1 1 1\nFIELDS x y z\nDATA ascii\n1 2 3\n"
        GOOD, CUT_AFTER ("1") "malformed cloud 2 at byte 8: " ENDS_AFTER ("2") GOOD_SAID ("3") GOOD_SAID ("4")},
    /* lines that are well one by one, and make no sense together */
    {"VIEWPOINT 0\n# .PCD\nFIELDS x y z\nPOINTS 1\nDATA ascii\n1 2 3\n" GOOD, CUT_AFTER ("1")
        GOOD_SAID ("2") GOOD_SAID ("3")},
    /* What makes no sense without the lines before either is told once. */
    {"FIELDS x y z\n# .PCD\nVERSION .7\nVERTION\n" GOOD,
        "malformed cloud 1 at byte 0: line 4 begins with \"VERTION\"" NO_KEYWORD GOOD_SAID ("2")},
    {"FIELDS x y z\n# .PCD\nVERSION .7\nVERSION .7\n" GOOD,
        "malformed cloud 1 at byte 0: line 4: VERSION is a duplicate of line 3\n" GOOD_SAID ("2")},
    {"FIELDS x y z\n# .PCD\nVERSION .8\nPOINTS 1\nDATA ascii\n1 2 3\n" GOOD,
        "malformed cloud 1 at byte 0: line 3: VERSION .8, expected 0.7, 0.6 or 0.5\n" GOOD_SAID ("2")},
    /* the next file's lines are counted from its own first one */
    {"FIELDS x y z\n# .PCD\nVERSION .8\nFIELDS x y z\nPOINTS 1\nDATA ascii\n1 2 3\n" GOOD, CUT_AFTER ("1")
        "malformed cloud 2 at byte 13: line 2: VERSION .8, expected 0.7, 0.6 or 0.5\n" GOOD_SAID ("3")},
    {"FIELDS x y z\n# .PCD\nVERSION .7\nFIELDS x y z\nVERSION .7\n" GOOD, CUT_AFTER ("1")
        "malformed cloud 2 at byte 13: line 4: VERSION is a duplicate of line 2\n" GOOD_SAID ("3")},
    {HEADER ("2", "ascii") "1 2 3\n4 5",
        "malformed cloud 1 at byte 0: the cloud ends after 1 lines, expected 2 for POINTS 2\n"},
    {HEADER ("2", "ascii") "1 2 3\n4 5 x",
        "malformed cloud 1 at byte 0: the cloud ends after 1 lines, expected 2 for POINTS 2\n"},
    {HEADER ("2", "ascii") "4 5\n1 2 3", "malformed cloud 1 at byte 0: line 11 has 2 columns, expected 3\n"
        GOOD_SAID ("1")},
    /* Then its last bytes are those of the next file, which is told, and loses nothing by it. */
    {HEADER ("1", "binary") "12345678901" GOOD GOOD,
        "1 n=1 " XYZ " 313233343536373839303123\n"
        "malformed cloud 1 at byte 132: the next file begins 1 bytes before the end of the cloud, so the "
        "cloud ends with bytes of that file\n"
        GOOD_SAID ("2") GOOD_SAID ("3")},
    {HEADER ("1", "binary") "1234567" GOOD GOOD,
        "1 n=1 " XYZ " 313233343536372320" "2e5043\n"
        "malformed cloud 1 at byte 132: the next file begins 5 bytes before the end of the cloud, so the "
        "cloud ends with bytes of that file\n"
        GOOD_SAID ("2") GOOD_SAID ("3")},
    {HEADER ("1", "binary") "123456" GOOD GOOD,
        "malformed cloud 1 at byte 0: the cloud ends after 6 bytes, expected 12 for POINTS 1\n" GOOD_SAID ("2")
        GOOD_SAID ("3")},
  };

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    expect_text (cases[i].text, cases[i].said);
}

GST_END_TEST;

GST_START_TEST (bytes_between_files)
{
  static const guint8 zeroes[4] = { 0 };
  GByteArray *files = g_byte_array_new ();

  append_text (files, GOOD);
  g_byte_array_append (files, zeroes, sizeof zeroes);
  append_text (files, GOOD "\n# the end\n" GOOD);
  expect (&pcd, files->data, files->len, GOOD_SAID ("1") "malformed cloud 1 at byte 137: line 1 contains a zero byte, "
      "expected a line of a PCD header; if the line is a point, POINTS in the previous header is too small\n" GOOD_SAID ("2") GOOD_SAID ("3"));
  g_byte_array_unref (files);
}

GST_END_TEST;

/* Zero bytes after a binary cloud fill a page. Others, and those after text, are malformed. */
GST_START_TEST (padding_of_pages)
{
  static const struct
  {
    const gchar *data;
    guint n_zeroes;
    const gchar *last;
    guint n_malformed;
  } cases[] = { {"binary", 4000, ""}, {"binary_compressed", 4000, ""}, {"binary", 0, ""}, {"binary", 4000, "\n", 0}, {"binary", 4000, "x", 1},
    {"ascii", 4, "", 1}
  };

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++) {
    GByteArray *one = pcd_file (2, cases[i].data), *files = g_byte_array_new ();
    gchar *said;
    guint n = 0;

    g_byte_array_append (files, one->data, one->len);
    g_byte_array_set_size (files, one->len + cases[i].n_zeroes);
    memset (files->data + one->len, 0, cases[i].n_zeroes);
    append_text (files, cases[i].last);
    said = read_cut (&pcd, files->data, files->len, 1000, 1000);
    for (const gchar *at = said; (at = strstr (at, "malformed")); at++)
      n++;
    fail_unless (n == cases[i].n_malformed && g_str_has_prefix (said, "1 n=2"), "%u: %s", i, said);
    g_free (said);
    /* and another file behind them */
    if (cases[i].n_malformed == 0 && *cases[i].last == '\0') {
      g_byte_array_append (files, one->data, one->len);
      said = read_cut (&pcd, files->data, files->len, 7, 7);
      fail_unless (strstr (said, "\n2 n=2") && !strstr (said, "malformed"), "%u: %s", i, said);
      g_free (said);
    }
    g_byte_array_unref (one);
    g_byte_array_unref (files);
  }
}

GST_END_TEST;

/* The first n bytes of a file, and two good ones behind them, of which nothing is lost. */
static void
expect_two_behind (const GByteArray *file, guint n, const gchar *data, guint n_faults)
{
  GByteArray *good = pcd_file (2, data), *files = g_byte_array_new ();
  gchar *good_said = g_strchomp (read_whole (&pcd, good)), *said, **lines;
  guint n_lines, faults = 0;

  g_byte_array_append (files, file->data, n);
  g_byte_array_append (files, good->data, good->len);
  g_byte_array_append (files, good->data, good->len);
  said = read_whole (&pcd, files);
  expect_pieces (files, (const gsize[]) { 1 }, 1, said);
  lines = g_strsplit (g_strchomp (said), "\n", -1);
  n_lines = g_strv_length (lines);
  for (guint i = 0; i < n_lines; i++)
    faults += g_str_has_prefix (lines[i], "malformed cloud 1 at byte ");
  fail_unless_equals_int (faults, n_faults);
  fail_unless (n_lines >= n_faults + 2 && n_lines <= n_faults + 3, "%s, cut after %u bytes: %s", data, n, said);
  for (guint i = n_lines - 2; i < n_lines; i++)
    fail_unless_equals_string (lines[i] + 1, good_said + 1);
  g_strfreev (lines);
  g_free (said);
  g_free (good_said);
  g_byte_array_unref (files);
  g_byte_array_unref (good);
}

GST_START_TEST (files_cut_at_every_byte)
{
  static const struct
  {
    const gchar *kind, *lacks;
  } files[] = { {"ascii", ""}, {"binary", ""}, {"binary_compressed", ""}, {"ascii", "VERSION 0.7\n"} };

  for (guint i = 0; i < G_N_ELEMENTS (files); i++) {
    const gchar *kind = files[i].kind;
    GByteArray *file = pcd_file (3, kind);
    guint first_line, n;

    first_line = (guint) ((guint8 *) memchr (file->data, '\n', file->len) - file->data) + 1;
    /* a header may lack the keyword that the next one begins with */
    g_byte_array_remove_range (file, first_line, (guint) strlen (files[i].lacks));
    /* a last line without its end is whole */
    for (n = 1; n < file->len - (g_str_equal (kind, "ascii") ? 1 : 0); n++) {
      gchar *said = read_cut (&pcd, file->data, n, n, n);

      fail_unless (g_str_has_prefix (said, "malformed cloud 1 at byte 0: "), "%s of %u bytes: %s", kind, n, said);
      fail_unless (strchr (said, '\n')[1] == '\0', "%s of %u bytes: %s", kind, n, said);
      g_free (said);
      /* a comment is no loss */
      expect_two_behind (file, n, kind, n > first_line);
    }
    for (; n <= file->len; n++)
      expect_two_behind (file, n, kind, 0);
    g_byte_array_unref (file);
  }
}

GST_END_TEST;

/* Binary points may hold what a file could begin with, if it is not all of it. */
GST_START_TEST (points_that_look_like_a_file)
{
  static const gchar *points[] = { "# .PCD v0.7\nVISION 1234\n", "12345678901234567890# .P", "12345678901# .PCD v0.7\nV" };
  static const gchar *said = "1 n=2 " XYZ " ";

  for (guint i = 0; i < G_N_ELEMENTS (points); i++) {
    gchar *alone = g_strconcat (HEADER ("2", "binary"), points[i], NULL), *followed = g_strconcat (alone, GOOD, NULL);
    gchar *got = read_cut_in_steps (&pcd, (const guint8 *) followed, strlen (followed), 1);

    expect_begin ((const guint8 *) alone, strlen (alone), said, TRUE);
    fail_unless (g_str_has_prefix (got, said) && g_str_has_suffix (got, "\n" GOOD_SAID ("2")), "%s", got);
    g_free (got);
    g_free (followed);
    g_free (alone);
  }
}

GST_END_TEST;

/* A cloud is not held back for bytes after it, unless its last ones are all of a magic. */
GST_START_TEST (clouds_come_with_their_last_byte)
{
  static const gchar *files[] = { HEADER ("1", "binary") "123456789012", HEADER ("1", "binary") "12345678901#",
    HEADER ("1", "binary") "1234567# .PC", HEADER ("1", "ascii") "1 2 3\n", HEADER ("1", "ascii") "1 2 3\n#",
    HEADER ("1", "binary") "123456# .PCD"
  };

  for (guint i = 0; i < G_N_ELEMENTS (files); i++) {
    RobocacheCloudReader *reader = open_reader (&pcd);
    GString *said = g_string_new (NULL);

    fail_unless (robocache_cloud_reader_push (reader, gst_buffer_new_memdup (files[i], strlen (files[i])), NULL));
    say_all (said, reader);
    fail_unless_equals_int (g_str_has_prefix (said->str, "1 n=1 "), i + 1 < G_N_ELEMENTS (files));
    fail_unless (robocache_cloud_reader_push (reader, gst_buffer_new_memdup ("\nX", 2), NULL));
    say_all (said, reader);
    fail_unless (g_str_has_prefix (said->str, "1 n=1 "));
    g_string_free (said, TRUE);
    robocache_cloud_reader_free (reader);
  }
}

GST_END_TEST;

/* n bytes, text behind them. */
static GByteArray *
long_line (const gchar *before, guint n, const gchar *after)
{
  GByteArray *file = g_byte_array_new ();

  append_text (file, before);
  g_byte_array_set_size (file, file->len + n);
  memset (file->data + file->len - n, '1', n);
  append_text (file, after);
  return file;
}

GST_START_TEST (long_lines)
{
  static const struct
  {
    const gchar *before, *after, *said;
  } cases[] = {
    {HEADER ("2", "ascii"), "\n1 2 3\n", "malformed cloud 1 at byte 0: line 11 is longer than 1048576 bytes\n"
          GOOD_SAID ("1")},
    {HEADER ("2", "ascii"), GOOD, "malformed cloud 1 at byte 0: the cloud ends after 0 lines, expected 2 for POINTS 2\n"
          GOOD_SAID ("2")},
    {"", GOOD GOOD, "malformed cloud 1 at byte 0: line 1 is longer than 1048576 bytes, expected a line of a PCD header\n"
          GOOD_SAID ("2") GOOD_SAID ("3")},
  };
  static const gsize pieces[] = { 3, 4093, 65536, 3 * ROBOCACHE_MAX_LINE };

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++) {
    GByteArray *file = long_line (cases[i].before, ROBOCACHE_MAX_LINE + 10, cases[i].after);

    expect_pieces (file, pieces, G_N_ELEMENTS (pieces), cases[i].said);
    g_byte_array_unref (file);
  }
}

GST_END_TEST;

/* However small the pieces, the time is as the number of bytes: with its square it would be minutes. */
GST_START_TEST (many_small_pieces)
{
  static const gchar *kinds[] = { "ascii", "binary", "binary_compressed" };

  for (guint i = 0; i < G_N_ELEMENTS (kinds); i++) {
    GByteArray *file = pcd_file (10000, kinds[i]);
    gchar *whole;

    append_pcd (file, 10, kinds[i]);
    whole = read_whole (&pcd, file);
    expect_pieces (file, (const gsize[]) { 1, 2, 3 }, 3, whole);
    g_free (whole);
    g_byte_array_unref (file);
  }
}

GST_END_TEST;

/* Beginnings wherever they may be in a header, and headers of which few make sense: what is said depends on the bytes alone,
 * and the time is as their number. */
GST_START_TEST (many_beginnings)
{
  static const gchar *lines[] = { "# .PCD\n", "# .PCD\n", "# .PCD\n", "# ", " ", "\n", "VERSION .7\n", "FIELDS x y z\n",
    "SIZE 4 4 4\n", "COUNT 1 1 1\n", "TYPE F F F\n", "WIDTH 1\n", "POINTS 1\n", "DATA ascii\n", "DATA binary\n", "1 2 3\n"
  };
  static const gsize pieces[] = { 1, 2, 7, 100 };
  GRand *random = g_rand_new_with_seed (1);
  GByteArray *file = g_byte_array_new ();
  gchar *whole;

  for (guint i = 0; i < 8000; i++)
    append_text (file, lines[g_rand_int_range (random, 0, G_N_ELEMENTS (lines))]);
  whole = read_whole (&pcd, file);
  fail_unless (strstr (whole, "n=1 " XYZ " " ONE_TWO_THREE) != NULL);
  expect_pieces (file, pieces, G_N_ELEMENTS (pieces), whole);
  g_free (whole);
  g_byte_array_unref (file);
  g_rand_free (random);
}

GST_END_TEST;

CHECK_MAIN (pcdfiles, NULL, NULL, ONCE (files_one_after_another), ONCE (text_of_files), ONCE (bytes_between_files), ONCE (files_cut_at_every_byte),
  ONCE (points_that_look_like_a_file), ONCE (clouds_come_with_their_last_byte), ONCE (long_lines), ONCE (many_small_pieces), ONCE (many_beginnings),
  ONCE (padding_of_pages))
