# SPDX-License-Identifier: LGPL-2.1-or-later
"""Cases: examples/dataset/slurm.sh with programs in the place of sbatch and squeue, which lose shards as Slurm does."""
import os
import subprocess

import make
from run import SCRIPT
from shards import compare, tree

# runs every task of the array but the first one, the first time it is called
SBATCH = """#!/bin/bash
printf '%s\\n' "$*" >> calls
for word; do case $word in --array=*) tasks=${word#*=} ;; --wrap=*) command=${word#*=} ;; esac; done
[ "$(wc -l < calls)" -gt LOST ] || case $tasks in *,*) tasks=${tasks#*,} ;; *) tasks= ;; esac
for SLURM_ARRAY_TASK_ID in ${tasks//,/ }; do export SLURM_ARRAY_TASK_ID; bash -c "$command" > /dev/null || exit 1; done
echo "42;cluster"
"""
# away for the first call of each
SBATCH_AWAY = SBATCH.replace("printf", "[ -e up ] || { echo 'Unable to contact slurm controller' >&2; touch up; exit 1; }\nprintf", 1)
SQUEUE_AWAY = """#!/bin/bash
[ -e known ] || { echo 'slurm_load_jobs error: Unable to contact slurm controller (connect failure)' >&2; touch known; exit 1; }
echo 'slurm_load_jobs error: Invalid job id specified' >&2
exit 1
"""
SCONTROL = """#!/bin/bash
[ -e pinged ] || { touch pinged; exit 1; }
"""
SQUEUE = """#!/bin/bash
echo >> polls
[ "$(wc -l < polls)" -gt 1 ] || printf 'RUNNING None\\nPENDING Resources\\nRUNNING None\\nPENDING launch failed requeued held\\n'
[ "$(wc -l < polls)" -gt 2 ] || echo 'PENDING JobHeldAdmin'
"""


SCANCEL = """#!/bin/bash
printf '%s\\n' "$*" >> cancelled
"""


def _run(folder, name, lost, rounds="5", sbatch=SBATCH, squeue=SQUEUE):
    """slurm.sh where the first `lost` submissions lose a shard. (exit status, standard error, calls of sbatch)."""
    work = folder / name
    work.mkdir()
    for program, text in (("sbatch", sbatch.replace("LOST", str(lost))), ("squeue", squeue), ("scontrol", SCONTROL), ("scancel", SCANCEL)):
        (work / program).write_text(text)
        (work / program).chmod(0o755)
    environment = {key: value for key, value in os.environ.items() if key != "ROBOCACHE_EXPORT_PROGRAM"}
    environment |= {"PATH": f"{work}:{os.environ['PATH']}", "ROBOCACHE_SLURM_POLL": "0", "ROBOCACHE_SLURM_ROUNDS": rounds}
    done = subprocess.run([SCRIPT.with_name("slurm.sh"), "8", "--cpus-per-task=2", "--", folder / "a.mcap", folder / "b.mcap", "--episodes",
                           folder / "spans.csv", "--mapping", make.mapping(folder), "--output", work / "the set"],
                          capture_output=True, text=True, cwd=work, env=environment, check=False)
    return done.returncode, done.stderr, (work / "calls").read_text().splitlines()


def lost_once(folder):
    status, said, calls = _run(folder, "slurm-once", 1)
    yield f"status: {said}", status, 0
    yield "submitted twice", len(calls), 2
    yield "the second time one shard", [call.split("--array=")[1].split()[0].count(",") for call in calls], [2, 0]
    yield "options", all("--cpus-per-task=2" in call and "--requeue" in call for call in calls), True
    yield "progress", "1 PENDING 2 RUNNING" in said, True
    yield "held tasks are cancelled", (folder / "slurm-once" / "cancelled").read_text(), "--quiet 42\n" * 2
    yield "set", compare(tree(folder / "slurm-once" / "the set"), tree(folder / "set")), set()


def lost_for_ever(folder):
    status, said, calls = _run(folder, "slurm-ever", 9, "2")
    yield "status", (status, len(calls)), (1, 2)
    yield "said", "of 8 are still missing" in said, True
    yield "no set", (folder / "slurm-ever" / "the set").exists(), False


def controller_away(folder):
    """It is waited for; a job that Slurm has forgotten has ended."""
    status, said, calls = _run(folder, "slurm-away", 0, sbatch=SBATCH_AWAY, squeue=SQUEUE_AWAY)
    yield f"status: {said}", (status, len(calls)), (0, 1)
    yield "said", "42: slurm_load_jobs error: Unable to contact slurm controller" in said, True
    yield "set", compare(tree(folder / "slurm-away" / "the set"), tree(folder / "set")), set()


def cases(folder):
    yield from ((f"slurm {case.__name__}", case, folder) for case in (lost_once, lost_for_ever, controller_away))
