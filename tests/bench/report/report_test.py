#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""report.py on invented figures, and run_all.sh with invented programs. Prints PASS or FAIL for each case."""
import os
import pathlib
import re
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
PAGE = "# Page\n\nBefore <!-- no table -->.\n\n<!-- table {} -->\n| a | b |\n|---|---|\n| old | 1 |\n<!-- end -->\n\nAfter.\n"
KERNELS = ("work,size,must_move_bytes,floor_us,launch_us,wanted_us,median_us,share_of_copy,copy_gbps,fill_gbps,read_gbps,checked\n"
           '"resample 1x2 -> 3x4",small,12345678,1.23456,1,4,3.14159,0.375,4240.3,3000,4500,"yes"\n'
           '"occupancy | 64^3",large,4448573440,1000,1,1050,1170.4,0.9,4240.3,3000,4500,"output differs from the CPU\'s at byte 3"\n')
PEERS = "work,library,peer,median_us,checked\n" + "".join(
    f'"resample 1x2 -> 3x4",Lib,Lib: {line}\n' for line in ("a,8,yes", "b,7.5,yes", "c,2,other values", "d,,out of memory"))
ROOFLINE = ("work,size,kernel,launches,time_us,must_move_bytes,dram_read_bytes,dram_write_bytes,l2_bytes,"
            "share_of_dram,share_of_l2,share_of_issue,share_of_float64\n"
            '"occupancy | 64^3",large,few,1,10,4e9,2e9,1e9,5e9,.1,0,0,.3\n'
            '"occupancy | 64^3",large,"add<Same<10>, 1>",2,20,4e9,1e9,0,5e9,.1,0,.9,0\n'
            '"occupancy | 64^3",large,clear,1,1,4e9,0,0,0,0,1,0,0\n')
LINEAR = "work,wanted_us,median_us\n" + "".join(f'"{work}",,{us}\n' for work, us in {
    "a": 100, "a, cubic": 130, "a, hermite": 131, "a, nearest": 300, "a, 16 quaternions": 260, "b, cubic": 100}.items())
RESOURCES = "kernel,registers\n" + "".join(f'"{kernel}",32\n' for kernel in (
    "clear", "few", "add<rc::Same<(RcDtype)10>, true>", "add<rc::Same<(RcDtype)9>, Sum<false> >"))
CHECKS = ("yes", "no", "differs", "no time was left", "no peer does this", "not compared: its grid begins elsewhere")
# name, table, files, expected lines after the head, expected complaint
TABLES = [
    ("columns_and_units", "kernels_align: work, must_move_bytes, median_us as ours, share_of_copy, checked",
     {"kernels_align": KERNELS}, ["| resample 1x2 → 3x4 | 12.3 | 3.14 | 38 % | yes |",
                                  "| occupancy / 64³ | 4,449 | **1,170** | 90 % | **output differs from the CPU's at byte 3** |"]),
    ("filter", "kernels_align[size=large]: work", {"kernels_align": KERNELS}, ["| occupancy / 64³ |"]),
    ("no_file", "kernels_align", {}, ["| old | 1 |"]),
    ("no_rows", "kernels_align", {"kernels_align": "work,median_us\n"}, ["| old | 1 |"]),
    ("unknown_column", "kernels_align: work, colour", {"kernels_align": KERNELS}, ["| old | 1 |"],
     "performance/page.md: table kernels_align: it has no column colour"),
    ("parts_are_merged", "parts", {"parts": "a,b\nnew,2\n"}, ["| old | 1 |", "| new | 2 |"]),
    ("part_that_ran_again", "parts", {"parts": "a,b\nold,2\n"}, ["| old | 2 |"]),
    ("checks", "checks: checked", {"checks": "checked\n" + "".join(f"{check}\n" for check in CHECKS)},
     [f"| **{check}** |" if 0 < i < 4 else f"| {check} |" for i, check in enumerate(CHECKS)]),
    ("best_peer", "beside_peers_align: work, median_us, best_peer_us, which, times_faster",
     {"kernels_align": KERNELS, "peers_align": PEERS}, ["| resample 1x2 → 3x4 | 3.14 | 7.50 | Lib: b | 2.39 |"]),
    ("targets", "wanted: work, met", {"kernels_align": KERNELS}, ["| resample 1x2 → 3x4 | yes |", "| occupancy / 64³ | **no** |"]),
    ("limits", "limits: work, best_peer_us, median_us", {"kernels_align": KERNELS, "peers_align": PEERS},
     ["| occupancy / 64³ |  | **1,170** |"]),
    ("limits_kernels", "limits_kernels: kernel, time_us, busiest_unit, share_of_unit",
     {"kernels_align": KERNELS, "roofline": ROOFLINE},
     ["| `few` | 10.0 | float64 | 30 % |", "| `add<Same<10>, 1>` | 20.0 | issue | 90 % |"]),
    ("bytes", "roofline_bytes: kernels, dram_read_bytes, measured_over_computed", {"roofline": ROOFLINE}, ["| 4 | 3,000 | 1.00 |"]),
    ("floors", "floors", {"kernels_voxel": KERNELS}, ["| kernels_voxel | 4,240 | 3,000 | 4,500 | 1.00 |"]),
    ("beside_linear", "beside_linear: work, times_linear, met", {"kernels_align": LINEAR},
     ["| a, cubic | 1.30 | yes |", "| a, hermite | **1.31** | **no** |", "| a, 16 quaternions | **2.60** | **no** |"]),
    ("kernels_not_run", "kernels_not_run", {"resources": RESOURCES, "roofline": ROOFLINE},
     ["| add | 2 | 1 |", "| all 3 | 4 | 3 |"]),
    ("unknown_kernel", "kernels_not_run", {"resources": "kernel\nother\n", "roofline": ROOFLINE}, ["| old | 1 |"],
     "performance/page.md: table kernels_not_run: its files lack 'add<Same<10>,1>'"),
]
ROWS = ("echo work,unit,median,least,greatest,wanted,met > $2", "echo a,us,1,1,1,1,yes >> $2")
# name, program of pipelines, arguments, expected status, pattern of the beginning of a line
RUNS = [
    ("part_that_passes", ROWS, ("--only", "pipelines"), 0, "PASS pipelines"),
    ("part_without_rows", ROWS[:1], ("--only", "pipelines"), 1, r"FAIL pipelines: status 1 after \d+ s, no rows in pipelines_cpu\.csv"),
    ("part_that_fails", (*ROWS, "echo bad", "exit 3"), ("--only", "pipelines"), 1, r"FAIL pipelines: status 3 after \d+ s: bad"),
    ("unknown_part", ROWS, ("--only", "kernels"), 1, "FAIL kernels: no such part, expected one of: kernels_align"),
    ("no_program", ROWS, ("--only", "kernels_align"), 1, "FAIL kernels_align: status 127"),
    ("other_kind", ROWS, ("--gpu", "--only", "pipelines"), 1, "0 parts, 0 failed"),
    ("missing_library", ROWS, ("--cpu", "--only", "pipelines,peers_cpu"), 1, "MISSING scipy, for peers_cpu"),
]
failed = False


def expect(name, got, expected):
    global failed
    failed |= got != expected
    print(f"PASS {name}" if got == expected else f"FAIL {name}: got {got!r}, expected {expected!r}")


def test_table(name, table, files, lines, complaint=None):
    with tempfile.TemporaryDirectory() as folder:
        docs, results = (pathlib.Path(folder) / part for part in ("docs", "results"))
        for part in (docs, results):
            (part / "performance").mkdir(parents=True)
        (docs / "performance.md").write_text("# Overview\n", encoding="utf-8")
        (docs / "performance/page.md").write_text(PAGE.format(table), encoding="utf-8")
        for file, text in files.items():
            (results / f"performance/{file}.csv").write_text(text, encoding="utf-8")
        run = subprocess.run([sys.executable, HERE / "report.py", docs, results], capture_output=True, text=True, check=False)
        text = (results / "performance/page.md").read_text(encoding="utf-8")
    begin, rows, end = text.partition(" -->\n")[0], text.split(" -->\n")[1].split("<!-- end")[0].splitlines(), text[-21:]
    expect(name, (rows[2:], run.stdout.splitlines()), (lines, [f"FAIL {complaint}"] if complaint else []))
    expect(f"{name}_text", (begin, end), (PAGE.partition("<!-- table")[0] + f"<!-- table {table}", "<!-- end -->\n\nAfter.\n"))


def test_run(name, program, arguments, status, beginning):
    with tempfile.TemporaryDirectory() as folder:
        bench, modules = (pathlib.Path(folder) / part for part in ("tests/bench", "modules"))
        bench.mkdir(parents=True)
        modules.mkdir()
        (modules / "scipy.py").write_text("raise ImportError", encoding="utf-8")
        (bench / "bench-pipelines").write_text("\n".join(("#!/bin/bash", *program, "")), encoding="utf-8")
        (bench / "bench-pipelines").chmod(0o755)
        run = subprocess.run([HERE.parent / "run_all.sh", "--build", folder, *arguments, f"{folder}/results"],
                             capture_output=True, text=True, check=False,
                             env=dict(os.environ, CUDA_VISIBLE_DEVICES="", PYTHONPATH=str(modules)))
        has_csv = pathlib.Path(folder, "results/performance/pipelines_cpu.csv").exists()
    said = [line for line in run.stdout.splitlines() if re.match(beginning, line)]
    expect(name, (run.returncode, bool(said), has_csv), (status, True, "PASS pipelines" in run.stdout))


for test in TABLES:
    test_table(*test)
for test in RUNS:
    test_run(*test)
sys.exit(failed)
