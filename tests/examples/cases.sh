# robocache: what the tests of the examples share. Sourced.
#
# SPDX-License-Identifier: LGPL-2.1-or-later
set -uo pipefail
examples=$ROBOCACHE_SOURCE_DIR/examples
programs=$ROBOCACHE_BUILD_DIR/examples/tools
data=${ROBOCACHE_TEST_DATA:-$ROBOCACHE_SOURCE_DIR/../shared/data}
work=$(mktemp -d) && trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
failed=0

pass () { echo "PASS $1"; }
fail () { printf 'FAIL %s: %s\n' "$1" "${2//$'\n'/ | }"; failed=1; }

# expect NAME GOT EXPECTED
expect () {
  if [ "$2" = "$3" ]; then pass "$1"; else fail "$1" "got \"$2\", expected \"$3\""; fi
}

# expect_match NAME TEXT PATTERN: a line of TEXT matches the extended regular expression
expect_match () {
  if grep -Eq -- "$3" <<<"$2"; then pass "$1"; else fail "$1" "no line of \"$2\" matches \"$3\""; fi
}

# expect_within NAME NUMBER LEAST GREATEST
expect_within () {
  if [ "$2" -ge "$3" ] 2>/dev/null && [ "$2" -le "$4" ]; then pass "$1"; else fail "$1" "got \"$2\", expected $3 to $4"; fi
}

# run COMMAND...: its two outputs in $said and $errors, its status in $status
run () {
  said=$("$@" 2>errors.txt)
  status=$?
  errors=$(cat errors.txt)
}

# runs NAME COMMAND...: it succeeds, with nothing on stderr
runs () {
  run "${@:2}"
  expect "$1" "$status $errors" "0 "
}

# refuse NAME PATTERN ARGUMENT...: $program ends with status 1, or with 2 for a wrong command line, and one line on stderr, that matches,
# and no file; where $quiet is set, with nothing on stdout
refuse () {
  rm -f aligned.csv aligned.html
  run "$programs/$program" "${@:3}"
  if [[ $status = [12] ]] && [ -z "${quiet:+$said}" ] && [ "$(wc -l <<<"$errors")" -eq 1 ] && grep -Eq -- "$2" <<<"$errors" \
    && [ ! -e aligned.csv ]
  then pass "$1"; else fail "$1" "status $status, \"$said\", \"$errors\" for \"$2\""; fi
}

# have CASE FILE...: whether the recordings are there
have () {
  local file
  for file in "${@:2}"; do
    [ -r "$data/$file" ] || { echo "SKIP $1: $data/$file is not there (set ROBOCACHE_TEST_DATA)"; return 1; }
  done
}

# installed CASE PACKAGE...: whether the packages of set-up and these are
installed () {
  local missing
  missing=$(. "$examples/setup.sh"; robocache_missing_packages "${ROBOCACHE_PACKAGES[@]}" "${@:2}" | xargs)
  [ -z "$missing" ] || { echo "SKIP $1: not installed: $missing"; return 1; }
}

# align ARGUMENT...: what a case before wrote is replaced
align () { run "$programs/robocache-align" --overwrite "$@"; }

# aligns NAME EXPECTED ARGUMENT...: the rows that robocache-align writes, without statuses, on one line
aligns () {
  align --no-status -o - "${@:3}"
  expect "$1" "$status $(tail -n +3 <<<"$said" | xargs)" "0 $2"
}

# rows_add_up TEXT: of the streams in the table of a robocachefuse, how many there are, and how many of them have rows that are
# in no column and were not dropped either
rows_add_up () {
  awk 'NF >= 12 && $2 $10 ~ /^[0-9]+$/ { left[$1] = $2 - $3 - $4 - $5 - $6 - $7 }
    /^[a-z_0-9]+: [0-9]+ rows were dropped:/ { left[substr($1, 1, length($1) - 1)] -= $2 }
    END { for (stream in left) { n++; if (left[stream] != 0) wrong++ } print n + 0, wrong + 0 }' <<<"$1"
}

# column FILE NAME: the values of a column, on one line
column () {
  awk -F, -v name="$2" '/^#/ { next } !c { for (i = 1; i <= NF; i++) if ($i == name) c = i; next } { printf "%s%s", s, $c; s = " " }' "$1"
}
