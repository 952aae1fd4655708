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
CHECKS = ("yes", "no", "differs", "no time was left", "no peer does this", "not compared: its grid begins elsewhere",
          "all but 3 of 9 voxels (approximate quotients)")
# name, table, files, expected lines after the head, expected complaint
TABLES = [
    ("columns_and_units", "kernels_align: work, must_move_bytes, median_us as ours, share_of_copy, checked",
     {"kernels_align": KERNELS}, ["| resample 1x2 → 3x4 | 12.3 | 3.14 | 38 % | yes |",
                                  "| occupancy / 64³ | 4,449 | **1,170** | 90 % | **output differs from the CPU's at byte 3** |"]),
    ("percentiles", "latency: work, complete_p50_us, GPU_us",
     {"latency": "work,complete_p5_us,complete_p50_us,complete_p95_us,wanted_p50_us,GPU_us,GPU_p5_us,GPU_p95_us\n"
                 "far,1000,1200,1300,1100,2,1.95,2.05\nclose,19.1,20,20.9,,2,1.8,2\nnone,,20,,,2,,2\n"},
     ["| far | **1,200** (1,000 to 1,300) | 2.00 |", "| close | 20.0 | 2.00 (1.80 to 2.00) |", "| none | 20.0 | 2.00 |"]),
    ("columns_of_percentiles", "one_job: p5_us as 5 %, median_us as median, p95_us as 95 %",
     {"one_job": "p5_us,median_us,p95_us\n10,20,30\n"}, ["| 10.0 | 20.0 | 30.0 |"]),
    ("filter", "kernels_align[size~^l|huge]: work", {"kernels_align": KERNELS}, ["| occupancy / 64³ |"]),
    ("two_filters", "kernels_align[size~small|large][wanted_us~^4$]: work", {"kernels_align": KERNELS}, ["| resample 1x2 → 3x4 |"]),
    ("filters_without_a_row", "kernels_align[size~small][wanted_us~1050]: work", {"kernels_align": KERNELS}, ["| old | 1 |"]),
    ("no_file", "kernels_align", {}, ["| old | 1 |"]),
    ("no_rows", "kernels_align", {"kernels_align": "work,median_us\n"}, ["| old | 1 |"]),
    ("unknown_column", "kernels_align: work, colour", {"kernels_align": KERNELS}, ["| old | 1 |"],
     "explanation/measurements.md: table kernels_align: it has no column colour"),
    ("parts_are_merged", "parts", {"parts": "a,b\nnew,2\n"}, ["| old | 1 |", "| new | 2 |"]),
    ("part_that_ran_again", "parts", {"parts": "a,b\nold,2\n"}, ["| old | 2 |"]),
    ("checks", "checks: checked", {"checks": "checked\n" + "".join(f"{check}\n" for check in CHECKS)},
     [f"| **{check}** |" if 0 < i < 4 else f"| {check} |" for i, check in enumerate(CHECKS)]),
    ("missed", "missed: work, best_peer_us, median_us", {"kernels_align": KERNELS, "peers_voxel": PEERS},
     ["| occupancy / 64³ |  | **1,170** |"]),
    ("missed_with_a_peer", "missed: best_peer_us", {"kernels_align": KERNELS.replace(",4,3.14", ",3,3.14"), "peers_align": PEERS},
     ["| 7.50 |", "|  |"]),
]
ROWS = ("echo work,unit,median,least,greatest,wanted,met > ${@: -1}", "echo fuse,us,1,1,1,1,yes >> ${@: -1}")
CLOCKS = "1980 MHz, 100.00 W"
# name, program of pipelines and resources, arguments, expected status, pattern of the beginning of a line
RUNS = [
    ("part_that_passes", ROWS, ("--only", "pipelines"), 0, "PASS pipelines"),
    ("part_of_a_gpu", ROWS, ("--gpu", "--only", "resources"), 0, "PASS resources"),
    ("part_without_rows", ROWS[:1], ("--only", "pipelines"), 1, r"FAIL pipelines: status 1 after \d+ s, no rows in pipelines_cpu\.csv"),
    ("part_that_fails", (*ROWS, "echo bad", "exit 3"), ("--only", "pipelines"), 1, r"FAIL pipelines: status 3 after \d+ s: bad"),
    ("unknown_part", ROWS, ("--only", "kernels"), 1, "FAIL kernels: no such part, expected one of: kernels_align"),
    ("no_program", ROWS, ("--only", "kernels_align"), 1, "FAIL kernels_align: status 127"),
    ("other_kind", ROWS, ("--gpu", "--only", "pipelines"), 1, "0 parts, 0 failed"),
    ("missing_library", ROWS, ("--cpu", "--only", "pipelines,peers_cpu"), 1, "MISSING scipy, for peers_cpu"),
]
# A program that notes its MPS percentage, and one that starts MPS unless it fails at once
LATENCY = r'''#!/bin/bash
case $1 in
  --model) echo busy; if [ "$2" = 600 ]; then exec sleep 600 > /dev/null; fi ;;
  *) printf 'work,elements,checked\na,%s,%s\n' "$9" "$CUDA_MPS_ACTIVE_THREAD_PERCENTAGE" > "${@: -1}" ;;
esac
'''
MPS = r'''#!/bin/bash
log=$(dirname "$0")/mps.log
if [ "${1:-}" = -d ]; then echo start >> "$log"; %s; echo $$ > "$CUDA_MPS_PIPE_DIRECTORY/nvidia-cuda-mps-control.pid"; exit 0; fi
read -r command
case $command in get_server_list) echo 123 ;; *) echo "$command" >> "$log" ;; esac
'''
COUNTS = [("one process", n, 100) for n in (1, 2, 4, 8, 16)] + [("no MPS", n, 100) for n in (1, 2, 4)]
SHARES = [(f"MPS, {p} %".replace(", 100 %", ""), n, p) for p in (100, 10, 25, 50) for n in (1, 2, 4)]
# name, what MPS does first, expected rows of MPS, expected calls
SEVERAL = [
    ("several", "", [f'"{name}",a,{n},{p},a,{n},{p}' for name, n, p in SHARES], ["start", "quit -t 1"]),
    ("several_without_mps", "echo no GPU; exit 1", ['MPS,,,"not measured: no GPU"'], ["start"]),
]
failed = False


def expect(name, got, expected):
    global failed
    failed |= got != expected
    print(f"PASS {name}" if got == expected else f"FAIL {name}: got {got!r}, expected {expected!r}")


def write_docs(folder, measurements, performance="# Performance\n"):
    """The folder docs with both pages."""
    docs = pathlib.Path(folder, "docs")
    (docs / "explanation").mkdir(parents=True)
    (docs / "explanation/measurements.md").write_text(measurements, encoding="utf-8")
    (docs / "performance.md").write_text(performance, encoding="utf-8")
    return docs


def report(*arguments):
    return subprocess.run([sys.executable, "-B", HERE / "report.py", *arguments], capture_output=True, text=True, check=False)


def test_table(name, table, files, lines, complaint=None):
    with tempfile.TemporaryDirectory() as folder:
        docs, results = write_docs(folder, PAGE.format(table)), pathlib.Path(folder, "results")
        (results / "performance").mkdir(parents=True)
        for file, text in files.items():
            (results / f"performance/{file}.csv").write_text(text, encoding="utf-8")
        run = report(docs, results)
        text = (results / "explanation/measurements.md").read_text(encoding="utf-8")
        text_of_other = (results / "performance.md").read_text(encoding="utf-8")
    begin, rows, end = text.partition(" -->\n")[0], text.split(" -->\n")[1].split("<!-- end")[0].splitlines(), text[-21:]
    expect(name, (rows[2:], run.stdout.splitlines()), (lines, [f"FAIL {complaint}"] if complaint else []))
    expect(f"{name}_text", (begin, end, text_of_other),
           (PAGE.partition("<!-- table")[0] + f"<!-- table {table}", "<!-- end -->\n\nAfter.\n", "# Performance\n"))


def table_of(name, columns, *rows):
    lines = [columns, "|---" * columns.count("|") + "|---", *rows]
    return f"<!-- table {name} -->\n" + "".join(f"| {line} |\n" for line in lines) + "<!-- end -->\n"


LATENCY_ROWS = ["CPU | **58.2** (18.3 to 127) | 225 | yes", "CPU, awake | 18.4 | 1,437 | yes", "GPU | 207 | 547 | yes"]
LATENCY_TABLE = "work | median | greatest | checked"
ABSENT = "explanation/measurements.md has no such rows, or its table has other headings than its comment"
# name, table of the page, expected lines, expected complaint
CHOICES = [
    ("choice_of_columns", "latency: work, max_us as most", ["| work | most |", "| CPU | 225 |", "| CPU, awake | 1,437 |", "| GPU | 547 |"]),
    ("choice_of_rows", "latency[work~^CPU][max_us~^2]: p50_us as time, work", ["| time | work |", "| **58.2** (18.3 to 127) | CPU |"]),
    ("choice_of_all_columns", "latency[work~GPU]", ["| work | median | greatest | checked |", "| GPU | 207 | 547 | yes |"]),
    ("choice_of_no_row", "latency[work~TPU]: work", ["| a | b |", "| old | 1 |"], f"table latency: {ABSENT}"),
    ("choice_of_no_table", "camera", ["| a | b |", "| old | 1 |"], f"table camera: {ABSENT}"),
    ("choice_of_another_comment", "stale: work", ["| a | b |", "| old | 1 |"], f"table stale: {ABSENT}"),
    ("choice_of_no_column", "latency: p99_us", ["| a | b |", "| old | 1 |"], "table latency: it has no column p99_us"),
]


def test_choice(name, table, lines, complaint=None):
    measurements = (table_of("latency: work, p50_us as median, max_us as greatest, checked", LATENCY_TABLE, *LATENCY_ROWS)
                    + table_of("stale: work, p50_us as median, max_us as greatest", LATENCY_TABLE, *LATENCY_ROWS))
    with tempfile.TemporaryDirectory() as folder:
        docs = write_docs(folder, measurements, PAGE.format(table))
        stale, run, fresh = (report(docs, where) for where in ("--check", docs, "--check"))
        rows = (docs / "performance.md").read_text(encoding="utf-8").split(" -->\n")[1].split("<!-- end")[0].splitlines()
    said = [f"FAIL performance.md: {complaint}"] if complaint else []
    expect(name, (rows[:1] + rows[2:], run.stdout.splitlines(), run.returncode), (lines, said, bool(complaint)))
    expect(f"{name}_is_checked", (stale.returncode, fresh.returncode, fresh.stdout.splitlines()),
           (1, bool(complaint), ["PASS performance.md", *said]))


def test_new_figures_of_a_choice():
    """Figures of a run reach both pages."""
    with tempfile.TemporaryDirectory() as folder:
        docs = write_docs(folder, table_of("latency: work, p50_us as median", "work | median", "CPU | 1.00"), PAGE.format("latency: p50_us as time"))
        (docs / "performance").mkdir()
        (docs / "performance/latency.csv").write_text("work,p50_us\nCPU,2\n", encoding="utf-8")
        run = report(docs, docs)
        text = (docs / "performance.md").read_text(encoding="utf-8")
    expect("new_figures_of_a_choice", (run.returncode, "| 2.00 |" in text), (0, True))


# name, rows of the GPU's table, expected texts beside bars
PLOTS = [
    ("plot_of_factors", ["a <b> | **2.00** (1.00 to 3.00) | **8.00** (7.00 to 9.00) | 9 |  | 500", "c | 4.00 |  | 2.00 | 3 | "],
     ["a &lt;b&gt;", "4", "c", "0.5"]),
    ("plot_without_peers", ["a | 2.00 | 1 |  |  | ", "no peer | 2.00 |  |  |  | "], ["a", "0.5"]),
]


def test_plot(name, rows, texts):
    columns = "work | robocache | plain CUDA | Triton | torch.compile | PyTorch"
    page = (table_of("peers_voxel_cpu_libraries: work, a as robocache, b as NumPy, c as Open3D", "work | robocache | NumPy | Open3D", "z | 1 | 3 |  ")
            + table_of("peers_voxel_libraries", columns, *rows))
    with tempfile.TemporaryDirectory() as folder:
        docs = write_docs(folder, page)
        report(docs, docs)
        fresh = report(docs, "--check")
        svg = (docs / "performance/robocachevoxelize.svg").read_text(encoding="utf-8")
        (docs / "explanation/measurements.md").write_text(page.replace("3 |  ", "5 |  "), encoding="utf-8")
        stale = report(docs, "--check")
        others = len(list((docs / "performance").iterdir()))
    drawn = re.findall(r"<text[^>]*>([^<]*)</text>", svg.partition("GPU: ")[2])
    expect(name, [text for text in texts if text not in drawn], [])
    expect(f"{name}_is_checked", (fresh.returncode, fresh.stdout, stale.returncode, "FAIL performance/robocachevoxelize.svg" in stale.stdout),
           (0, "PASS performance.md\nPASS performance/robocachevoxelize.svg\n", 1, True))
    expect(f"{name}_only", others, 1)


def test_run(name, program, arguments, status, beginning):
    with tempfile.TemporaryDirectory() as folder:
        bench, modules = (pathlib.Path(folder) / part for part in ("tests/bench", "modules"))
        bench.mkdir(parents=True)
        modules.mkdir()
        (modules / "scipy.py").write_text("raise ImportError", encoding="utf-8")
        for path, lines in ((bench / "bench-pipelines", program), (bench / "bench-resources", program),
                            (modules / "nvidia-smi", (f"echo {CLOCKS}",))):
            path.write_text("\n".join(("#!/bin/bash", *lines, "")), encoding="utf-8")
            path.chmod(0o755)
        run = subprocess.run([HERE.parent / "run_all.sh", "--build", folder, *arguments, f"{folder}/results"],
                             capture_output=True, text=True, check=False,
                             env=dict(os.environ, CUDA_VISIBLE_DEVICES="", PYTHONPATH=str(modules),
                                      PATH=f"{modules}:{os.environ['PATH']}"))
        parts = pathlib.Path(folder, "results/performance/parts.csv").read_text(encoding="utf-8")
        has_csv = pathlib.Path(folder, "results/performance/pipelines_cpu.csv").exists()
    said = [line for line in run.stdout.splitlines() if re.match(beginning, line)]
    expect(name, (run.returncode, bool(said), has_csv, f'"{CLOCKS}"' in parts),
           (status, True, "PASS pipelines" in run.stdout, "PASS resources" in run.stdout))


def test_several(name, first, rows, calls):
    with tempfile.TemporaryDirectory() as folder:
        for program, text in (("bench-latency", LATENCY), ("nvidia-cuda-mps-control", MPS % (first or ":"))):
            pathlib.Path(folder, program).write_text(text, encoding="utf-8")
            pathlib.Path(folder, program).chmod(0o755)
        run = subprocess.run([HERE.parent / "pipelines/several.sh", folder, f"{folder}/rows.csv"], capture_output=True, text=True,
                             check=False, env=dict(os.environ, PATH=f"{folder}:{os.environ['PATH']}", TMPDIR=folder))
        got = pathlib.Path(folder, "rows.csv").read_text(encoding="utf-8").splitlines()
        called = pathlib.Path(folder, "mps.log").read_text(encoding="utf-8").splitlines()
        left = sorted(path.name for path in pathlib.Path(folder).iterdir())
    head = "sharing,work,elements,checked,busy_work,busy_elements,busy_checked"
    expect(name, (run.returncode, got), (0, [head] + [f'"{key}",a,{n},{p},a,{n},{p}' for key, n, p in COUNTS] + rows))
    expect(f"{name}_ends", (called, left), (calls, ["bench-latency", "mps.log", "nvidia-cuda-mps-control", "rows.csv"]))


for test in TABLES:
    test_table(*test)
for test in CHOICES:
    test_choice(*test)
test_new_figures_of_a_choice()
for test in PLOTS:
    test_plot(*test)
for test in RUNS:
    test_run(*test)
for test in SEVERAL:
    test_several(*test)
sys.exit(failed)
