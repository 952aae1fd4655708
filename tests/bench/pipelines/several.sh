#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# Live elements that share a GPU: in one process, and in four without MPS, with it, and with a share of the multiprocessors, each
# alone and beside a model (columns busy_…), which gets the rest of the multiprocessors. The caps of the camera change in the middle.
#
#   several.sh BIN CSV [TICKS]    BIN: the folder of bench-latency
#
# MPS runs in a folder of its own and ends with the script. If it does not start, the column checked of its rows gives the reason.
set -uo pipefail
bin=$1 csv=$2 ticks=${3:-200} model='' failed=0
work=$(mktemp -d)
export CUDA_MPS_PIPE_DIRECTORY=$work/pipe CUDA_MPS_LOG_DIRECTORY=$work/log
mkdir "$CUDA_MPS_PIPE_DIRECTORY" "$CUDA_MPS_LOG_DIRECTORY"

mps() { echo "$*" | timeout 10 nvidia-cuda-mps-control 2>&1; }

# the server starts with its first client
start_mps() {
  nvidia-cuda-mps-control -d > "$work/reason" 2>&1 || return
  "$bin/bench-latency" --model 0.1 > /dev/null
  mps get_server_list | tee "$work/reason" | grep -q '^[0-9]'
}

# a client must not end while its kernels run: the model ends by itself on TERM
stop_model() {
  if [ -n "$model" ]; then kill "$model" 2> /dev/null; wait "$model"; fi
  model=
}

end() {
  local daemon
  stop_model
  daemon=$(cat "$CUDA_MPS_PIPE_DIRECTORY/nvidia-cuda-mps-control.pid" 2> /dev/null)
  if [ -n "$daemon" ]; then mps quit -t 1 > /dev/null || kill "$daemon"; fi
  rm -rf "$work"
}
trap end EXIT
trap 'exit 1' INT TERM

# start_model [PERCENT]
start_model() {
  : > "$work/model"
  CUDA_MPS_ACTIVE_THREAD_PERCENTAGE=${1:-100} "$bin/bench-latency" --model 600 > "$work/model" &
  model=$!
  until grep -q '^busy' "$work/model"; do
    if ! kill -0 "$model" 2> /dev/null; then cat "$work/model"; model=; return 1; fi
    sleep 0.1
  done
}

# run NAME PROCESSES ELEMENTS [PERCENT]: NAME.csv, a header and a row
run() {
  CUDA_MPS_ACTIVE_THREAD_PERCENTAGE=${4:-100} "$bin/bench-latency" --only '^GPU, with a camera$' --ticks "$ticks" --change \
    --processes "$2" --elements "$3" --csv "$work/$1.csv"
}

# measure SHARING PROCESSES ELEMENTS [PERCENT]
measure() {
  rm -f "$work"/*.csv
  if ! run alone "${@:2}" || ! start_model ${4:+$((100 - $4))} || ! run busy "${@:2}"; then
    echo "$1, $2 x $3: failed" >&2
    failed=1
  fi
  stop_model
  if [ -z "$(sed -n 2p "$work/alone.csv")" ]; then return; fi
  if [ ! -s "$csv" ]; then sed 's/.*/sharing,&/; p; s/sharing//; s/,/,busy_/g; q' "$work/alone.csv" | paste -sd '' > "$csv"; fi
  sed -n 2p "$work/alone.csv" | paste -d, <(echo "\"$1\"") - <(sed -n 2p "$work/busy.csv" 2> /dev/null) >> "$csv"
}

: > "$csv"
for n in 1 2 4 8 16; do measure "one process" 1 $n; done
for n in 1 2 4; do measure "no MPS" 4 $n; done
if start_mps; then
  for n in 1 2 4; do measure MPS 4 $n; done
  for percent in 10 25 50; do
    for n in 1 2 4; do measure "MPS, $percent %" 4 $n $percent; done
  done
else
  # the last of the columns that are not of the busy runs
  commas=$(head -n1 "$csv" | sed 's/,busy_.*//; s/[^,]//g')
  echo "MPS$commas\"not measured: $(tr -d '"' < "$work/reason" | tail -n1)\"" >> "$csv"
fi
exit $failed
