#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# faults.sh [FOLDER]: exports 24 shards by slurm.sh on three nodes while parts of Slurm fail, and compares the set with that of one process.
#
# By hand, as root, with slurm-wlm and munge: it takes minutes. Slurm runs on loopback, on ports of its own and below FOLDER, which is
# /var/tmp/robocache-slurm unless it is given. The set is on a small disk of its own. Exit status 1 if the sets differ, or a fault did not occur.
set -euo pipefail
here=$(cd "$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")" && pwd)
examples=$here/../../../examples/dataset
work=$(realpath -m "${1:-/var/tmp/robocache-slurm}")
nodes=(n1 n2 n3)
shards=24
port=16817
seconds=60
disk_mb=256
declare -A daemons

say () { printf '%s %s\n' "$(date +%T)" "$1"; }
die () { say "error: $1" >&2; exit 1; }
[ "$(id -u)" -eq 0 ] || die 'a disk of its own takes root'
for program in munged slurmctld slurmd; do command -v $program > /dev/null || die "$program is missing: install slurm-wlm and munge"; done

# until COMMAND...: waits until it succeeds, ten minutes at most
until_ () {
  local end=$((SECONDS + 600))
  until "$@"; do
    [ $SECONDS -lt $end ] || die "this did not come about: $*"
    sleep 0.05
  done
}

# ---- Slurm on this machine ----

configure () {
  local host
  host=$(hostname -s)
  cat > "$work/slurm.conf" <<END
ClusterName=faults
SlurmctldHost=$host(127.0.0.1)
SlurmctldPort=$port
SlurmctldTimeout=6
SlurmdTimeout=6
SlurmUser=root
SlurmdUser=root
AuthType=auth/munge
AuthInfo=socket=$work/munge/socket
ProctrackType=proctrack/pgid
TaskPlugin=task/none
MpiDefault=none
ReturnToService=2
StateSaveLocation=$work/state
SlurmctldPidFile=$work/slurmctld.pid
SlurmctldLogFile=$work/slurmctld.log
SlurmdSpoolDir=$work/%n
SlurmdPidFile=$work/%n.pid
SlurmdLogFile=$work/%n.log
NodeName=n[1-3] NodeHostname=$host NodeAddr=127.0.0.1 Port=[$((port + 1))-$((port + 3))] CPUs=1
PartitionName=all Nodes=ALL Default=YES
END
}

# daemon NAME COMMAND...: starts it; its process is daemons[NAME]
daemon () {
  local name=$1
  shift
  "$@" > "$work/$name.out" 2>&1 &
  daemons[$name]=$!
}

start_controller () { daemon controller slurmctld -D; until_ scontrol -Q ping; }
start_node () { daemon "$1" slurmd -D -N "$1"; until_ is_state "$1" idle mixed allocated; }
state_of () { sinfo --noheader --nodes="$1" --format=%T 2> /dev/null; }

# is_state NODE STATE...: a star says that the node does not answer
is_state () {
  local state
  state=$(state_of "$1")
  shift
  case " $* " in *" ${state:-unknown} "*) ;; *) false ;; esac
}

start_slurm () {
  mkdir -p "$work"/{munge,state,n1,n2,n3,out}
  chmod 755 "$work/munge"
  head -c 128 /dev/urandom > "$work/munge/key"
  chmod 400 "$work/munge/key"
  daemon munge munged --foreground --force --key-file="$work/munge/key" --socket="$work/munge/socket" \
    --pid-file="$work/munge/pid" --log-file="$work/munge/log" --seed-file="$work/munge/seed"
  until_ test -S "$work/munge/socket"
  configure
  export SLURM_CONF=$work/slurm.conf
  start_controller
  for node in "${nodes[@]}"; do start_node "$node"; done
}

stop () {
  scancel --user=root 2> /dev/null || true
  for name in "${!daemons[@]}"; do kill "${daemons[$name]}" 2> /dev/null || true; done
  wait
  umount "$work/disk" 2> /dev/null || true
}

# ---- recordings, the set of one process ----

record () {
  gst-launch-1.0 -q robocachemcapsink name=record location="$work/run$1.mcap" sink_0::topic=/joint_states sink_1::topic=/camera \
    robocachetestsrc kind=proprio rate=200/1 channels=7 seed="$1" jitter=1000000 num-buffers=$((200 * seconds)) ! record.sink_0 \
    videotestsrc pattern=ball num-buffers=$((30 * seconds)) ! video/x-raw,width=320,height=240,framerate=30/1 ! jpegenc ! record.sink_1
}

# four recordings with marks of two seconds: each of 24 shards has episodes
prepare () {
  local i start
  # shellcheck source=../../../examples/env.sh
  . "$here/../../../examples/env.sh"
  cat > "$work/robot.toml" <<'END'
fps = 30
action = "next-state"
task = "test"
[streams]
joints = {topic = "/joint_states"}
camera = {topic = "/camera"}
[features]
"observation.state" = "joints"
"observation.images.camera" = "camera"
[video]
threads = 1
END
  echo recording,start,end > "$work/spans.csv"
  for i in 1 2 3 4; do
    record $i
    for ((start = 0; start < seconds - 1; start += 2)); do echo "run$i.mcap,+$start,+$((start + 2))"; done >> "$work/spans.csv"
  done
  arguments=("$work"/run?.mcap --mapping "$work/robot.toml" --episodes "$work/spans.csv")
}

# ---- faults ----

# exporter NODE: the process that exports a shard there
exporter () {
  local pid
  for pid in $(pgrep -f 'mrobocache.export.*--shard'); do
    if tr '\0' '\n' 2> /dev/null < "/proc/$pid/environ" | grep -qx "SLURMD_NODENAME=$1"; then
      echo "$pid"
      return
    fi
  done
  return 1
}

# shard_on NODE: waits for a shard there; its process is $pid
shard_on () { until_ eval "pid=\$(exporter $1)"; }

# ancestor PID NAME
ancestor () {
  local pid=$1
  while [ "$(cat "/proc/$pid/comm")" != "$2" ]; do pid=$(ps -o ppid= -p "$pid" | tr -d ' '); done
  echo "$pid"
}

is_gone () { ! kill -0 "$1" 2> /dev/null; }

fault_same_shard_twice () {
  local words
  shard_on n1
  mapfile -d '' words < "/proc/$pid/cmdline"
  PYTHONPATH=$examples "${words[@]}" > "$work/twice.out" 2>&1 || die "the second process of a shard failed: $work/twice.out"
}

fault_job_killed () { shard_on n1; kill -9 "$pid"; }
fault_slurmstepd_killed () { shard_on n2; kill -9 "$(ancestor "$pid" slurmstepd)"; }

fault_slurmd_killed () {
  shard_on n3
  kill -9 "${daemons[n3]}"
  until_ is_state n3 'down*'
  start_node n3
}

fault_slurmctld_stopped () {
  shard_on n1
  kill "${daemons[controller]}"
  until_ is_gone "${daemons[controller]}"
  # until a job has ended, and slurm.sh has noted that the controller is away
  until_ is_gone "$pid"
  until_ grep -q 'Unable to contact' "$work/slurm.out"
  start_controller
}

fault_disk_full () {
  shard_on n1
  cat /dev/zero > "$work/disk/ballast" 2> /dev/null || true
  until_ grep -q 'No space left' "$work"/out/*.out
  rm "$work/disk/ballast"
}

# ---- all of it ----

if [ -e "$work" ]; then die "$work exists"; fi
mkdir -p "$work/disk"
trap stop EXIT
prepare
say "one process, $(($(wc -l < "$work/spans.csv") - 1)) episodes"
"$examples/robocache-export" "${arguments[@]}" --output "$work/set" > "$work/single.out"
mount -t tmpfs -o size=${disk_mb}m robocache "$work/disk"
start_slurm
cd "$work/out"
ROBOCACHE_SLURM_POLL=1 ROBOCACHE_SLURM_ROUNDS=20 "$examples/slurm.sh" $shards -- "${arguments[@]}" --output "$work/disk/set" > "$work/slurm.out" 2>&1 &
daemons[submitter]=$!
for fault in same_shard_twice job_killed slurmstepd_killed slurmd_killed slurmctld_stopped disk_full; do
  say "$fault"
  "fault_$fault"
done
say 'the rest'
wait "${daemons[submitter]}" || die "slurm.sh failed: $work/slurm.out"
say "submissions: $(grep -c ' of 24$' "$work/slurm.out"); tasks: $(squeue --array --states=all --noheader --format=%T | sort | uniq -c | tr -s ' \n' ' ')"
diff -r "$work/set" "$work/disk/set" || die 'the sets differ'
say "the sets are the same: $(find "$work/set" -type f | wc -l) files, $(du -sb "$work/set" | cut -f1) bytes"
