# robocache: what the scripts with a pipeline share: quoted values, and files that are written whole or not at all. Sourced.
#
# SPDX-License-Identifier: LGPL-2.1-or-later
# shellcheck source=env.sh
. "$(dirname "${BASH_SOURCE[0]}")/env.sh"

# quoted VALUE: prints it as gst-launch-1.0 reads it back. Everything but plain characters becomes an octal escape of a GStreamer
# string, so no value ends its property, whatever the parser makes of quotes, newlines and backslashes.
quoted () {
  local LC_ALL=C value=$1 text='' byte i
  if [[ $value =~ ^[A-Za-z0-9_./,:+\<\>-]+$ && $value != NULL ]]; then
    printf '%s' "$value"
    return
  fi
  for ((i = 0; i < ${#value}; i++)); do
    byte=${value:i:1}
    [[ $byte == [A-Za-z0-9_./,:+-] ]] || printf -v byte '\\\\%03o' "$(($(printf '%d' "'$byte") & 255))"
    text+=$byte
  done
  printf '\\"%s\\"' "$text"
}

# refuse FORMAT ARGUMENT...: ends the script with one line
refuse () {
  # shellcheck disable=SC2059
  printf "error: $1\n" "${@:2}" >&2
  exit 1
}

# check_inputs FILE...: ends the script unless each can be read
check_inputs () {
  local input
  for input in "$@"; do
    [[ -e $input ]] || refuse '%q: No such file or directory' "$input"
    [[ ! -d $input ]] || refuse '%q: Is a directory' "$input"
    [[ -r $input ]] || refuse '%q: Permission denied' "$input"
  done
}

# remove_left FOLDER: removes what programs and scripts that were killed left there; see outputfile.c
remove_left () {
  local left
  for left in "$1"/.robocache-??????; do
    [[ -d $left && ! -L $left && -w $left/lock && ! -L $left/lock ]] || continue
    (flock -n 8 && rm -f -- "$left/output" "$left/lock" && rmdir -- "$left") 8< "$left/lock" 2>/dev/null || true
  done
}

# begin_output FILE [INPUT...]: sets $output to a file beside FILE, which keep_output renames to FILE. If the script ends before,
# FILE is as it was. Devices and pipes are written in place. Ends the script if FILE is one of the inputs, by whatever name.
begin_output () {
  local input
  check_inputs "${@:2}"
  for input in "${@:2}"; do
    [[ ! $input -ef $1 ]] || refuse '%q is one of the inputs; write to another file' "$1"
  done
  [[ -n $1 && ! -d $1 ]] || refuse '%q: not a file name' "$1"
  [[ ! -e $1 || -w $1 ]] || refuse '%q: Permission denied' "$1"
  output=$1 robocache_beside=''
  if [[ $1 == /dev/stdout || $1 == /dev/fd/1 ]]; then   # which launch reads
    exec 3>&1
    output=/dev/fd/3
    return 0
  fi
  [[ ! -e $1 || -f $1 ]] || return 0
  # behind links; x keeps newlines at the end of the name
  robocache_output=$(readlink -fn -- "$1" && echo x) || refuse '%q: its folder does not exist' "$1"
  robocache_output=${robocache_output%x}
  remove_left "${robocache_output%/*}"
  robocache_beside=$(mktemp -d -- "${robocache_output%/*}/.robocache-XXXXXX" 2>/dev/null) \
    || refuse '%q: its folder cannot be written to' "$1"
  trap 'rm -rf -- "$robocache_beside"' EXIT
  # held as long as this script or what it runs lives
  { exec 8> "$robocache_beside/lock" && flock -n 8; } 2>/dev/null || true
  # gst-launch-1.0 may end with status 0 when it is interrupted
  trap 'exit 130' INT
  trap 'exit 143' TERM HUP
  output=$robocache_beside/output
}

# launch ARGUMENT...: gst-launch-1.0, of which errors and warnings are printed. It hides warnings where it is quiet.
launch () {
  gst-launch-1.0 "$@" | sed -un 's#^WARNING: from element \([^ ]*[:/]\)\{0,1\}\([^ :/]*\): #warning: \2: #p' >&2
}

# FILE is as it was where the disk fails
keep_output () {
  [[ -z $robocache_beside ]] || { sync -- "$output" && mv -fT -- "$output" "$robocache_output"; }
}
