#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# slurm.sh SHARDS [SBATCH-OPTION...] -- ARGUMENT-OF-robocache-export...: exports a training set as a job array of Slurm.
#
# It submits the shards that are missing, shows progress, submits again what is missing after that, and joins the set at the end. Slurm
# requeues the jobs of a lost node, but not a job that was killed. All nodes need the same paths. Call it again after any interruption.
#   examples/dataset/slurm.sh 24 --cpus-per-task=4 -- runs/ --mapping robot.toml --output set
# ROBOCACHE_SLURM_ROUNDS: submissions at most (5). ROBOCACHE_SLURM_POLL: seconds between lines of progress (10).
set -euo pipefail
here=$(cd "$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")" && pwd)
export=$here/robocache-export
usage () { sed -n '3,8s/^# \?//p' "${BASH_SOURCE[0]}" >&2; exit 2; }

[[ ${1-} =~ ^[1-9][0-9]*$ ]] || usage
shards=$1 options=()
shift
while [ $# -gt 0 ] && [ "$1" != -- ]; do options+=("$1"); shift; done
[ "${1-}" = -- ] && [ $# -gt 1 ] || usage
shift

# missing_shards ARGUMENT...: numbers that sbatch --array takes; nothing when all are done
missing_shards () {
  local status=0 numbers
  numbers=$("$export" "$@" --status "$shards") || status=$?
  [ $status -eq 0 ] || [ $status -eq 3 ] || exit $status
  printf '%s' "$numbers"
}

# pause: until the next look at the jobs
pause () { sleep "${ROBOCACHE_SLURM_POLL:-10}"; }

# tasks_of JOB: "STATE REASON" of each task that waits or runs, without those that Slurm holds after it could not start them. Status 1: the
# controller does not answer. Slurm forgets an array some minutes after its end.
tasks_of () {
  local said
  if said=$(squeue --noheader --array --jobs="$1" --format='%T %r' 2>&1); then
    grep -vE 'JobHeldAdmin|requeued.* held' <<< "$said" || true
  elif [[ $said != *'Invalid job id'* ]]; then
    printf '%s: %s\n' "$1" "$said" >&2
    return 1
  fi
}

# wait_for JOB: until no task of it waits or runs
wait_for () {
  local left
  while ! left=$(tasks_of "$1") || [ -n "$left" ]; do
    [ -z "$left" ] || printf '%s: %s\n' "$1" "$(cut -d' ' -f1 <<< "$left" | sort | uniq -c | tr -s ' \n' ' ')" >&2
    pause
  done
  scancel --quiet "$1" 2>/dev/null || true
}

for ((round = 1; ; round++)); do
  missing=$(missing_shards "$@")
  [ -n "$missing" ] || break
  if [ $round -gt "${ROBOCACHE_SLURM_ROUNDS:-5}" ]; then
    printf 'error: shards %s of %s are still missing; see slurm-*.out\n' "$missing" "$shards" >&2
    exit 1
  fi
  # shellcheck disable=SC2016: the job expands the number of its task
  command=$(printf '%q ' "$export" "$@")'--shard "$SLURM_ARRAY_TASK_ID"'/$shards
  until job=$(sbatch --parsable --requeue --job-name=robocache-export --array="$missing" "${options[@]}" --wrap="$command"); do
    # a controller that is away is waited for
    ! scontrol ping >/dev/null || exit 1
    pause
  done
  job=${job%%;*}
  printf '%s: shards %s of %s\n' "$job" "$missing" "$shards" >&2
  wait_for "$job"
done
exec "$export" "$@" --merge
