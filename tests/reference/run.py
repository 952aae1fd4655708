#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""The elements in real pipelines against robocache_reference.py, which defines their arithmetic.

Prints one line a case: PASS name, FAIL name: why, or SKIP name: why; exit status 1 when one failed. The reference is looked
for in $ROBOCACHE_REFERENCE and recordings in $ROBOCACHE_TEST_DATA, by default beside the source tree; what is not there is
skipped. Random inputs follow from $ROBOCACHE_TEST_SEED, or from a seed of the day that is printed.

    run.py [PART OF A NAME]...      only the cases whose name holds one of the parts
"""
import os
import random
import sys

import pipelines
import fuse_cases
import kinematics_cases
import recording_cases
import resample_cases
import voxel_cases

if __name__ == "__main__":
    parts = sys.argv[1:]
    if parts:
        pipelines.CASES = {n: f for n, f in pipelines.CASES.items() if any(part in n for part in parts)}
    seed = int(os.environ.get("ROBOCACHE_TEST_SEED") or random.randrange(1 << 32))
    print(f"seed {seed} (ROBOCACHE_TEST_SEED={seed} repeats it)", flush=True)
    sys.exit(1 if pipelines.run(seed) else 0)
