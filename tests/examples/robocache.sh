#!/bin/bash
# robocache: the one program: help, commands that exist, wrong command lines, the checks of the machine, files of the pages
#
# SPDX-License-Identifier: LGPL-2.1-or-later
. "$(dirname "$0")/cases.sh"
robocache=$programs/robocache
export GST_REGISTRY_1_0=$work/registry

# ---- help and version ----

run "$robocache"
expect no_command_is_help "$status" 2
usage=$said
run "$robocache" --help
expect help "$status $errors" "0 "
expect help_is_one_text "$said" "$usage"
run "$robocache" --version
expect_match version "$said" '^robocache [0-9]+\.[0-9]+\.[0-9]+$'
expect_match version_has_options "$said" ' mcap=(yes|no) '
run "$robocache" algn
expect wrong_command "$status $said" "2 "
expect_match wrong_command_names_others "$errors" '^error: "algn" is no command: expected align, coverage, .* two-hosts$'
run "$robocache" $'\e[31m'
expect wrong_command_is_printable "$(grep -c $'\e' <<<"$errors")" 0

# every command of the help starts, by its name here
commands=$(sed -n "/^Commands:/,/^$/s/^  \([a-z-]*\)  *[a-z].*/\1/p" <<<"$usage")
expect commands "$(wc -w <<<"$commands")" 14
for command in $commands; do
  program=$(grep -o "^  {\"$command\", \"[a-z-]*\"" "$ROBOCACHE_SOURCE_DIR/examples/tools/robocache/robocache.c" | cut -d'"' -f4)
  if [ -n "$program" ] && [ ! -e "$programs/$program" ]; then
    echo "SKIP help_$command: this build lacks $program"
    continue
  fi
  run "$robocache" "$command" --help
  # the exporter's options need no package; its program needs them
  expect_match "help_$command" "$status ${said//$'\n'/ }" "^0 [Uu]sage: +robocache $command "
  expect_match "example_$command" "$(grep -v 'OPTION' <<<"$said")" "^ +robocache $command( [^ ].*)?$"
  run "$robocache" "$command" --wrong < /dev/null
  expect_match "wrong_option_$command" "$status $(tail -n 1 <<<"$errors")" '^2 .*error: '
done

# a wrong command line that is not an option: COMMAND ARGUMENT...
touch b.csv
while read -r -a words; do
  if [ ! -e "$programs/robocache-${words[0]}" ]; then
    echo "SKIP wrong_${words[*]}: this build lacks it"
    continue
  fi
  run "$robocache" "${words[@]}"
  expect_match "wrong_${words[*]}" "$status $errors" '^2 error: '
done <<'END'
align
align --rate 0 b.csv
align b.csv,unit=ms
align --duration 5s b.csv
align --watch 5s b.csv
align --output b.parquet b.csv
coverage
coverage --latency 5 b.csv
inspect
offset b.csv
offset --range 0 b.csv b.csv
recover
recover --compression gzip b.csv
replay
report
report a.mcap b.mcap
simulate --seconds=-1
two-hosts
two-hosts receiver --transport udp
END
run "$robocache" help align
expect_match help_of_a_command "$said" '^  robocache align \[OPTION'

# ---- completion ----

# complete WORD...: what bash completes the last word to
complete_words () {
  PATH=$programs:$PATH bash -c '. "$1"; shift; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _robocache; echo "${COMPREPLY[*]}"' bash \
    "$ROBOCACHE_SOURCE_DIR/examples/tools/robocache/completion.bash" "$@"
}
touch rec_1.mcap
expect completes_commands "$(complete_words robocache rec)" "record recover"
expect completes_commands_after_help "$(complete_words robocache help al)" "align"
expect completes_options "$(complete_words robocache align --interp)" "--interpolation"
expect completes_inspect "$(complete_words robocache ins) $(complete_words robocache inspect --js) $(complete_words robocache inspect --doma)" \
  "inspect --json --domain"
expect completes_files "$(complete_words robocache report rec_)" "rec_1.mcap"
if command -v zsh > /dev/null; then
  runs zsh_syntax zsh -n "$ROBOCACHE_SOURCE_DIR/examples/tools/robocache/completion.zsh"
else
  echo "SKIP zsh_syntax: zsh is not installed"
fi

# ---- a command takes its options, and its exit status is kept ----

printf 't,v\n0,0\n1,1\n2,2\n' > a.csv
run "$robocache" align a.csv --time-unit s --rate 2 --output - --report=
expect align "$status" 0
expect_match align_rows "$said" "^1000000000,1,0,0\$"
run "$robocache" align missing.csv
expect align_fails "$status" 1

# ---- doctor ----

run "$robocache" doctor
expect doctor "$status $errors" "0 "
for check in GStreamer plugin elements viewers codecs GPU Python memory 'open files' disk clock network 'ROS 2'; do
  expect_match "doctor_${check// /_}" "$said" "^(ok|note|PROBLEM) +$check +[^ ]"
done
expect doctor_notes_have_remedies "$(grep -c '^PROBLEM' <<<"$said")" 0
run env GST_PLUGIN_PATH_1_0=/nonexistent GST_REGISTRY_1_0="$work/other" "$robocache" doctor
expect doctor_without_plugin "$status" 1
expect_match doctor_names_the_variable "$said" '→ set GST_PLUGIN_PATH_1_0 '
if grep -q ' view=yes' <("$robocache" --version); then
  # the plugin without the module that links libsoup
  mkdir alone && cp "$ROBOCACHE_BUILD_DIR/gst/libgstrobocache.so" alone
  run env GST_PLUGIN_PATH_1_0="$PWD/alone" GST_REGISTRY_1_0="$work/alone.registry" "$robocache" doctor
  expect_match doctor_without_libsoup "$status $said" '^note +viewers +robocachefoxglovesink cannot load its server'
else
  echo "SKIP doctor_without_libsoup: this build serves no viewers"
fi
if grep -q ' ros2=yes' <("$robocache" --version); then
  run env -u ROS_LOCALHOST_ONLY -u ROS_AUTOMATIC_DISCOVERY_RANGE -u ROS_STATIC_PEERS ROS_DOMAIN_ID=7 "$robocache" doctor
  expect_match doctor_domain "$said" '^ok +ROS 2 +live topics of domain 7, of this host and 0 others '
  run env -u ROS_LOCALHOST_ONLY ROS_AUTOMATIC_DISCOVERY_RANGE=SUBNET ROS_DOMAIN_ID=7 "$robocache" doctor
  expect_match doctor_subnet "$said" '^note +ROS 2 +live topics of domain 7, with all hosts of the subnet$'
  run env ROS_DOMAIN_ID=x "$robocache" doctor
  expect_match doctor_wrong_domain "$status $said" '^PROBLEM +ROS 2 +ROS_DOMAIN_ID'
  run env -u ROS_SECURITY_KEYSTORE ROS_SECURITY_ENABLE=true ROS_SECURITY_STRATEGY=Enforce "$robocache" doctor
  expect_match doctor_no_keys "$status $said" '^PROBLEM +ROS 2 +ROS_SECURITY_ENABLE is true: set ROS_SECURITY_KEYSTORE '
  run env -u ROS_SECURITY_STRATEGY ROS_SECURITY_ENABLE=true ROS_SECURITY_KEYSTORE=nowhere "$robocache" doctor
  expect_match doctor_open_topics "$said" '^note +ROS 2 +live topics of domain [0-9]+: topics are not protected, .*: nowhere/enclaves/identity_ca.cert.pem is missing: '
else
  echo "SKIP doctor_domain: this build lacks Cyclone DDS"
fi
run bash -c "ulimit -n 200; exec \"$robocache\" doctor"
expect_match doctor_of_few_files "$said" '^note +open files +a process may have 200 open files$'

# ---- sample-data ----

run "$robocache" sample-data data
expect sample_data "$status $errors" "0 "
expect sample_data_files "$(cd data && echo *)" "bag bundles.csv cloud.pcd cut.mcap imu.csv joints.csv odometry.csv old.db3 run.mcap src"
rm data/bag/metadata.yaml
run "$robocache" sample-data data
expect sample_data_again "$status $errors $(ls data/bag)" "0  bag_0.mcap
metadata.yaml"
echo mine > data/imu.csv
run "$robocache" sample-data data
expect sample_data_keeps_files "$status $errors $(cat data/imu.csv)" "1 error: data/imu.csv exists, and is another file: name another folder mine"
rm data/imu.csv
run "$robocache" sample-data data
run "$robocache" align data/joints.csv data/imu.csv --rate 100 --output both.csv --report=
expect sample_data_aligns "$status $(($(wc -l < both.csv) > 1900))" "0 1"
exit "$failed"
