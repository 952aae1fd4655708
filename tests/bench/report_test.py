#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""report.py on figures that are made up, and run_all.sh where there is nothing to run. Prints PASS or FAIL for each case."""
import csv
import io
import os
import pathlib
import subprocess
import sys
import tempfile

import roofline

HERE = pathlib.Path(__file__).resolve().parent
PAGE = """# Page

Before <!-- not a table -->.

<!-- table {name} -->
old rows
<!-- end -->

After.
"""
KERNELS = ("work,size,must_move_bytes,floor_us,chain_us,launch_us,wanted_us,median_us,warm_us,share_of_copy,checked\n"
           '"resample 1x2 -> 3x4, float32",small,12345678,1.23456,,1,4,3.14159,2.5,0.375,"yes"\n'
           '"occupancy | 64^3",large,4448573440,1000,,1,1050,1170.4,1170.4,0.9,"output differs from the CPU\'s at byte 3"\n')
PEERS = "work,library,peer,median_us,checked\n" + "".join(
    f'"resample 1x2 -> 3x4, float32",Lib,Lib: {line}\n'
    for line in ("a,8,yes", "b,7.5,yes", "c,2,other values", "d,,out of memory"))
failed = False


def expect(name, got, expected):
    global failed
    if got == expected:
        print(f"PASS {name}")
    else:
        print(f"FAIL {name}: got {got!r}, expected {expected!r}")
        failed = True


class Docs:
    """Pages with one table, and folders for figures."""

    def __init__(self, folder, name, page="performance.md"):
        self.docs, self.results, self.page = folder / "docs", folder / "results", page
        for one in (self.docs, self.results):
            (one / "performance").mkdir(parents=True)
        (self.docs / "performance.md").write_text("# Overview\n", encoding="utf-8")
        (self.docs / page).write_text(PAGE.format(name=name), encoding="utf-8")

    def figures(self, name, text, old=False):
        path = (self.docs if old else self.results) / "performance" / f"{name}.csv"
        path.parent.mkdir(exist_ok=True)
        path.write_text(text, encoding="utf-8")

    def report(self):
        """Its status, without what it says of plots, and the lines between the comments."""
        run = subprocess.run([sys.executable, HERE / "report.py", self.docs, self.results], capture_output=True, text=True,
                             check=False)
        self.said = [line for line in run.stdout.splitlines() if "plot" not in line]
        text = (self.results / self.page).read_text(encoding="utf-8")
        return text.partition("-->\n\n")[0], text.split("\n<!-- end -->")[0].split(" -->\n")[-1].splitlines()


def case(name, page="performance.md"):
    def run(test):
        with tempfile.TemporaryDirectory() as folder:
            test(Docs(pathlib.Path(folder), name, page))
        return test
    return run


@case("kernels_align: work, must_move_bytes, median_us as ours, share_of_copy, checked", "performance/kernels.md")
def columns_and_units(docs):
    docs.figures("kernels_align", KERNELS)
    _, rows = docs.report()
    expect("columns_and_units", rows, [
        "| work | must move, MB | ours | share of copy | checked |", "|---|---|---|---|---|",
        "| resample 1x2 → 3x4, float32 | 12.3 | 3.14 | 38 % | yes |",
        "| occupancy / 64³ | 4,449 | **1,170** | 90 % | **output differs from the CPU's at byte 3** |"])
    text = (docs.results / docs.page).read_text(encoding="utf-8")
    expect("prose_stays", text.startswith("# Page\n\nBefore <!-- not a table -->.\n") and text.endswith("\n\nAfter.\n"), True)
    (docs.docs / docs.page).write_text(text, encoding="utf-8")
    docs.report()
    expect("again_the_same", (docs.results / docs.page).read_text(encoding="utf-8"), text)


@case("kernels_align[size=large]: work")
def some_rows(docs):
    docs.figures("kernels_align", KERNELS)
    expect("some_rows", docs.report()[1], ["| work |", "|---|", "| occupancy / 64³ |"])


@case("kernels_align")
def missing_figures(docs):
    expect("missing_figures", docs.report()[1], ["old rows"])
    expect("missing_figures_said", docs.said,
           ["MISSING performance.md: table kernels_align: there is no performance/kernels_align.csv"])
    docs.figures("kernels_align", "work\nnew\n", old=True)
    expect("figures_of_before", docs.report()[1], ["| work |", "|---|", "| new |"])


@case("crossover")
def no_rows(docs):
    docs.figures("crossover", "work,from\n")
    expect("no_rows", (docs.report()[1], docs.said), (["old rows"], ["MISSING performance.md: table crossover: it has no rows"]))


@case("checks: checked")
def what_is_wrong(docs):
    verdicts = {"yes": False, "no": True, "nothing came out in time": True, "no time was left": True, "differs": True,
                "no peer does this": False, "not compared: its grid begins elsewhere": False}
    docs.figures("checks", "checked\n" + "".join(f"{verdict}\n" for verdict in verdicts))
    expect("what_is_wrong", docs.report()[1][2:],
           [f"| **{verdict}** |" if is_wrong else f"| {verdict} |" for verdict, is_wrong in verdicts.items()])


PARTS = "part,machine,commit,files\nsome,\"2 x GPU, 4 cores\",{some},kernels_align other\nmore,CPU,{more},another\n"


@case("kernels_align: work")
def text_of_another_run(docs):
    page = docs.docs / docs.page
    page.write_text("<!-- text: abc on 2 x GPU, 4 cores; def on CPU -->\n<!-- end -->\n" + page.read_text(encoding="utf-8"),
                    encoding="utf-8")
    docs.figures("kernels_align", KERNELS)

    def line(**commits):
        docs.figures("parts", PARTS.format(**commits))
        docs.report()
        return (docs.results / docs.page).read_text(encoding="utf-8").splitlines()[1]

    expect("text_of_this_run", line(some="abc", more="other"), "<!-- end -->")
    expect("text_of_another_run", line(some="new", more="other"),
           "*The text is of the run of abc on 2 x GPU, 4 cores and of def on CPU; tables are of others.*")
    page.write_text((docs.results / docs.page).read_text(encoding="utf-8"), encoding="utf-8")
    expect("text_again_of_this_run", line(some="abc", more="other"), "<!-- end -->")


@case("kernels_align: work, colour")
def unknown_column(docs):
    docs.figures("kernels_align", KERNELS)
    expect("unknown_column", (docs.report()[1], docs.said),
           (["old rows"], ["MISSING performance.md: table kernels_align: colour is no column of it"]))


@case("beside_peers_align: work, median_us, best_peer_us, which, times_faster")
def best_peer(docs):
    docs.figures("kernels_align", KERNELS)
    docs.figures("peers_align", PEERS)
    expect("best_peer", docs.report()[1][2:], ["| resample 1x2 → 3x4, float32 | 3.14 | 7.50 | Lib: b | 2.39 |"])


@case("bounds: kernel, blocks_of_each, local_of_each, more_times")
def kernels_with_other_bounds(docs):
    (docs.results / "performance/ablations").mkdir()
    docs.figures("ablations/bounds", "kernel,fewer_blocks,blocks,more_blocks,fewer_registers,registers,more_registers,"
                 "fewer_local,local,more_local,more_times\nadd<rc::Same<(RcDtype)8>>,3,4,5,80,64,48,0,0,16,1.041\n,,,,,,,,,,0.998\n")
    expect("kernels_with_other_bounds", docs.report()[1][2:], ["| `add<Same<8>>` | 3, 4, 5 | 0, 0, 16 | 1.04 |"])


@case("bounds_of_none: work, more_times")
def works_that_no_bound_changes(docs):
    (docs.results / "performance/ablations").mkdir()
    docs.figures("ablations/bounds", "work,kernel,more_times\na,add,1.041\nb,,0.998\n")
    expect("works_that_no_bound_changes", docs.report()[1][2:], ["| b | 0.998 |"])


@case("limits: work, best_peer_us, launch_us, chain_us, floor_us, floor_after_chain_us, median_us, warm_us")
def what_they_cannot_be_less_than(docs):
    docs.figures("kernels_align", KERNELS)
    docs.figures("kernels_voxel", "work,floor_us,launch_us,chain_us,wanted_us,median_us,warm_us\n"
                 "b,3,1,2.5,4,6,5\nc,3,1,2,4,4,4\n")

    def rows(peer):
        return [f"| occupancy / 64³ | {peer} | 1.00 |  | 1,000 |  | **1,170** | 1,170 |",
                "| b |  | 1.00 | 2.50 | 3.00 | 4.50 | **6.00** | 5.00 |"]

    expect("what_they_cannot_be_less_than", docs.report()[1][2:], rows(""))
    docs.figures("peers_voxel", PEERS.replace("resample 1x2 -> 3x4, float32", "occupancy | 64^3"))
    expect("beside_a_peer", docs.report()[1][2:], rows("7.50"))


def roofline_of(kernels):
    """The text of roofline.csv, in which what is not said is 0."""
    columns = ["work", "kernel", "time_us", *roofline.SHARES, *roofline.PIPES, *roofline.WAITS]
    return ",".join(columns) + "\n" + "".join(
        ",".join(str(kernel.get(column, 0)) for column in columns) + "\n" for kernel in kernels)


@case("limits_kernels: work, kernel, time_us, busiest_unit, share_of_unit, waits_for, share_of_wait")
def what_stops_them(docs):
    docs.figures("kernels_align", KERNELS)
    docs.figures("roofline", roofline_of([
        {"work": work, "kernel": "few", "time_us": 10, "share_of_dram": .1, "share_of_float64": .3,
         "share_waiting_selected": .5, "share_waiting_long_scoreboard": .4, "share_waiting_barrier": .1} for work in ("occupancy | 64^3", "other")] + [
        {"work": "occupancy | 64^3", "kernel": "count", "time_us": 20, "share_of_issue": .9,
         "share_waiting_not_selected": .6},
        {"work": "occupancy | 64^3", "kernel": "clear", "time_us": 1, "share_of_l2": 1}]))
    expect("what_stops_them", docs.report()[1][2:], [
        "| occupancy / 64³ | `few` | 10.0 | float64 | 30 % | memory | 40 % |",
        "| occupancy / 64³ | `count` | 20.0 | issue | 90 % | others that issue | 60 % |"])


@case("kernels_not_run")
def which_were_not_run(docs):
    docs.figures("ablations/resources", "kernel,registers\n" + "".join(f'"{kernel}",32\n' for kernel in (
        "probe", "clear", "add<rc::Same<(RcDtype)10>, true>", "add<rc::Same<(RcDtype)9>, Sum<false> >", "first<unsigned int>",
        "first<unsigned short>")))
    docs.figures("roofline", roofline_of({"work": work, "kernel": kernel} for work, kernel in (
        ("a", "clear"), ("a", '"add<Same<10>, 1>"'), ("b", "clear"), ("b", "first<unsigned int>"))))
    expect("which_were_not_run", docs.report()[1], [
        "| family | instances | run |", "|---|---|---|", "| probe | 1 | 0 |", "| add | 2 | 1 |", "| first | 2 | 1 |",
        "| all 4 | 6 | 3 |"])
    docs.figures("roofline", roofline_of([{"work": "a", "kernel": "other"}]))
    expect("no_kernel_of_the_plugin", (docs.report()[1], docs.said),
           (["old rows"], ["MISSING performance.md: table kernels_not_run: what it is made of lacks 'other'"]))


@case("beside_linear: work, linear_us, median_us, times_linear, wanted_times, met")
def against_linear_rows(docs):
    rows = {"a, float32": 100, "a, float32, cubic": 130, "a, float32, hermite": 131, "a, float32, nearest": 300,
            "a, float32, 16 quaternions": 260, "a, float32, 4 quaternions": 210, "b, float32, cubic": 100}
    docs.figures("kernels_align", "work,wanted_us,median_us\n" + "".join(f'"{work}",,{us}\n' for work, us in rows.items()))
    expect("against_linear_rows", docs.report()[1][2:], [
        "| a, float32, cubic | 100 | 130 | 1.30 | 1.30 | yes |",
        "| a, float32, hermite | 100 | 131 | **1.31** | 1.30 | **no** |",
        "| a, float32, 16 quaternions | 100 | 260 | **2.60** | 2.50 | **no** |",
        "| a, float32, 4 quaternions | 100 | 210 | 2.10 | 2.50 | yes |"])


@case("floors")
def what_floors_are_made_of(docs):
    rates = "copy_gbps,fill_gbps,read_gbps,launch_us"
    docs.figures("kernels_align", f"work,{rates}\na,4240.3,3000,4500,1.310\nb,4240.3,3000,4500,1.310\n")
    docs.figures("kernels_voxel", f"work,{rates}\nc,4235.5,3001,4501,1.312\n")
    expect("what_floors_are_made_of", docs.report()[1], [
        "| part | copy, GB/s | fill, GB/s | read, GB/s | launch, us |", "|---|---|---|---|---|",
        "| kernels_align | 4,240 | 3,000 | 4,500 | 1.31 |", "| kernels_voxel | 4,236 | 3,001 | 4,501 | 1.31 |"])


@case("limits_kernels: work")
def counters_of_another_version(docs):
    docs.figures("kernels_align", KERNELS)
    docs.figures("roofline", "work,kernel,time_us\n\"occupancy | 64^3\",add,1\n")
    expect("counters_of_another_version", (docs.report()[1], docs.said),
           (["old rows"], ["MISSING performance.md: table limits_kernels: what it is made of lacks 'share_of_dram'"]))


@case("wanted: work, met")
def what_was_wanted(docs):
    docs.figures("kernels_align", KERNELS)
    expect("what_was_wanted", docs.report()[1][2:],
           ["| resample 1x2 → 3x4, float32 | yes |", "| occupancy / 64³ | **no** |"])


def counted(run, launches, passes=1):
    """What ncu leaves of a run: of each launch the work, the kernel, and the number that all metrics have."""
    metrics = list(roofline.RUNS[run].values())
    units = ["us" if name == "gpu__time_duration.sum" else "Kbyte" if name == "dram__bytes_read.sum" else
             "%" if "pct" in name else "" for name in metrics]
    columns = ["ID", "Id:Domain:Push/Pop_Range:PL", "Kernel Name", *roofline.PEAK, roofline.PASSES, *metrics]
    lines = [columns, [""] * 7 + units] + [
        [i, f'1 "<default domain>:{work}:none" "<default domain>:counted:none"', f"void <unnamed>::{kernel}(Task)",
         "132", "4", "1,980,000", str(passes)] + [f"{number:,}"] * len(metrics)
        for i, (work, kernel, number) in enumerate(launches)]
    text = io.StringIO()
    csv.writer(text, quoting=csv.QUOTE_ALL, lineterminator="\n").writerows(lines)
    return "==PROF== Connected\n" + text.getvalue()


def roofline_py(folder, works, files):
    paths = [pathlib.Path(folder) / str(i) for i in range(len(files))]
    for path, text in zip(paths, files):
        path.write_text(text, encoding="utf-8")
    (pathlib.Path(folder) / "works").write_text(works, encoding="utf-8")
    return subprocess.run([sys.executable, HERE / "roofline.py", pathlib.Path(folder) / "works", *paths], capture_output=True,
                          text=True, check=False)


def counters_of_kernels():
    """Launches of one kernel are added up, its shares weighted with the time, and waits are shares of all."""
    add = "add<rc::Same<10>, (int)-1>"
    launches = [("a", add, 1_000), ("a", add, 3_000), ("a", "end", 5_000), ("b", "end", 7_000)]
    works = '"a",small,100\n"b",large,200\n'
    runs = [counted(0, launches), counted(1, launches[:3], 7)]
    with tempfile.TemporaryDirectory() as folder:
        run = roofline_py(folder, works, runs)
        rows = [{column: row[column] for column in ("work", "size", "kernel", "launches", "time_us", "dram_read_bytes",
                                                    "warp_instructions", "share_of_dram", "registers", "share_of_lsu",
                                                    "share_waiting_wait", "must_move_bytes", "peak_instructions_per_us")}
                for row in csv.DictReader(io.StringIO(run.stdout))]
        expect("counters_of_kernels", [",".join(row.values()) for row in rows], [
            "a,small,add<Same<10>, -1>,2,4000,4e+06,4000,25,2500,25,0.0588235,100,1.04544e+06",
            "a,small,end,1,5000,5e+06,5000,50,5000,50,0.0588235,100,1.04544e+06",
            "b,large,end,1,7000,7e+06,7000,70,7000,,,200,1.04544e+06"])
        for name, files, said in (
                ("no_counters", [works] * 2, "has no kernel that ncu has counted"),
                ("a_second_pass", [counted(0, launches, 2), runs[1]], "took 2 passes, and only a first one finds the L2"),
                ("no_such_metric", [runs[0].replace("lts__t_bytes.sum", "lts__bytes"), runs[1]],
                 "ncu has not counted lts__t_bytes.sum"),
                ("not_counted", [runs[0], runs[1].replace('"5,000"', '"n/a"')], "ncu counted n/a"),
                ("other_kernels", [runs[0], runs[1].replace("::end", "::begin")],
                 "only one of two runs has begin of a, end of a")):
            run = roofline_py(folder, works, files)
            expect(name, (run.returncode, said in run.stderr), (1, True))


class Bench:
    """Programs that are scripts, and what run_all.sh makes of them."""

    def __init__(self, folder):
        self.folder, self.csv = pathlib.Path(folder), pathlib.Path(folder) / "results/performance"
        (self.folder / "tests/bench").mkdir(parents=True)
        (self.folder / "modules").mkdir()
        self.modules()

    def modules(self, missing=()):
        """Of Python: those that are asked for are there, or not."""
        for name in ("scipy", "pandas", "cupy", "triton", "open3d", "matplotlib"):
            (self.folder / f"modules/{name}.py").write_text("raise ImportError" if name in missing else "", encoding="utf-8")

    def program(self, name, *lines):
        path = self.folder / "tests/bench" / name
        path.write_text("\n".join(("#!/bin/bash", *lines, "")), encoding="utf-8")
        path.chmod(0o755)

    def run(self, *arguments):
        """Its status; the lines that it prints are in said."""
        environment = dict(os.environ, CUDA_VISIBLE_DEVICES="", PYTHONPATH=f"{self.folder}/modules")
        run = subprocess.run([HERE / "run_all.sh", "--build", self.folder, *arguments, f"{self.folder}/results"],
                             capture_output=True, text=True, env=environment, check=False)
        self.said = run.stdout.splitlines()
        return run.returncode

    def has_said(self, beginning):
        return any(line.startswith(beginning) for line in self.said)

    def parts(self):
        with open(self.csv / "parts.csv", newline="", encoding="utf-8") as file:
            return {row["part"]: row for row in csv.DictReader(file)}


def with_bench(test):
    with tempfile.TemporaryDirectory() as folder:
        test(Bench(folder))


def names_that_are_none(bench):
    for name, arguments, said in (
            ("no_such_part", ("--only", "kernels"), "FAIL kernels: there is no such part, but these: kernels_align"),
            ("without_no_such_part", ("--only", "splits", "--without", "peer"), "FAIL --without peer: ")):
        expect(name, (bench.run(*arguments), bench.has_said(said)), (1, True))


def run_all_without_a_gpu(bench):
    """Says what is missing, part by part, and ends with status 1."""
    expect("run_all_status", bench.run("--gpu"), 1)
    expect("run_all_says_kernels", bench.has_said("FAIL kernels_align: status 127"), True)
    expect("run_all_goes_on", bench.has_said("FAIL kernels_voxel: status 127"), True)
    expect("run_all_ends", bench.said[-1].startswith("0 parts, "), True)
    # those of a CPU are of runs before, and those of a GPU have failed since
    parts = bench.parts()
    expect("run_all_parts", {"kernels_align", "kernels_voxel", "latency_cpu"} <= set(parts), True)
    failed_since = {row["part"] for row in parts.values() if row["failed_since"]}
    expect("run_all_parts_failed", failed_since,
           {row["part"] for row in parts.values() if row["runs_on"] == "GPU" and row["passed"] == "yes"})
    expect("run_all_environment", sorted(path.name for path in bench.csv.glob("environment*")), ["environment.csv"])


def kinds_of_parts(bench):
    """Those with a GPU and those without, together unless only one kind is asked for."""
    for name in ("bench-splits", "bench-pipelines"):
        bench.program(name, "echo work,checked > $2", "echo a,yes >> $2")
    for name, arguments, passed in (("both", (), ["pipelines", "splits"]), ("gpu", ("--gpu",), ["splits"]),
                                    ("cpu", ("--cpu",), ["pipelines"])):
        bench.run(*arguments, "--only", "pipelines,splits")
        expect(f"kind_{name}", sorted(line.split(":")[0][5:] for line in bench.said if line.startswith("PASS")), passed)
    of = {name: part["runs_on"] for name, part in bench.parts().items() if not part["failed_since"]}
    expect("kinds_of_parts", (of["splits"], of["pipelines"]), ("GPU", "CPU"))
    expect("both_environments", len(list(bench.csv.glob("environment*"))), 2)


def parts_that_measure_nothing(bench):
    head, row = "echo work,checked > $2", "echo a,yes >> $2"
    for name, lines, passes in (("all_is_well", (head, row), True), ("nothing_but_a_head", (head,), False),
                                ("no_gpu", ("echo SKIP: there is no GPU", head, row), False),
                                ("wrong", (head, row, "exit 3"), False)):
        bench.program("bench-splits", *lines)
        bench.run("--only", "splits")
        expect(f"part_with_{name}", bench.has_said("PASS splits" if passes else "FAIL splits: status"), True)


def figures_of_before_stay(bench):
    """Where a part fails, with their line."""
    figures = bench.csv / "devices_elements.csv"
    bench.program("bench-splits", "echo work,checked > $2", "echo a,yes >> $2")
    bench.run("--only", "splits")
    good, old = figures.read_text(encoding="utf-8"), bench.parts()["splits"]
    expect("part_that_passed", (old["passed"], old["failed_since"], old["files"]), ("yes", "", "devices_elements"))
    bench.program("bench-splits", "echo work,checked > $2", "echo b,yes >> $2", "exit 3")
    bench.run("--only", "splits")
    failed_since = bench.parts()["splits"].pop("failed_since")
    expect("part_that_failed_since", (failed_since.endswith(": status 3"), figures.read_text(encoding="utf-8")), (True, good))
    expect("its_line_stays", {**bench.parts()["splits"], "failed_since": ""}, old)
    expect("what_it_left", (bench.folder / "results/logs/devices_elements.csv").exists(), True)
    bench.program("bench-splits", "echo work,checked > $2", "echo c,yes >> $2")
    bench.run("--only", "splits")
    expect("part_that_passes_again", bench.parts()["splits"]["failed_since"], "")


def libraries_that_are_missing(bench):
    bench.program("bench-splits", "echo work,checked > $2", "echo a,yes >> $2")
    bench.modules(missing=("matplotlib", "scipy"))
    expect("missing_library", (bench.run("--only", "splits"), bench.said.count(bench.said[0]), bench.said[0][:18]),
           (1, 2, "MISSING matplotlib"))
    expect("library_of_another_part", bench.has_said("MISSING scipy"), False)
    bench.run("--only", "splits", "--without", "matplotlib")
    expect("may_be_missing", (bench.has_said("MISSING m"), bench.said[-1][-20:]), (False, ", 0 libraries missing"[-20:]))
    bench.run("--only", "peers", "--without", "kernels_align,kernels_voxel")
    expect("missing_peer", bench.has_said("MISSING scipy, for peers"), True)


counters_of_kernels()
for of_run_all in (names_that_are_none, run_all_without_a_gpu, kinds_of_parts, parts_that_measure_nothing,
                   figures_of_before_stay, libraries_that_are_missing):
    with_bench(of_run_all)
sys.exit(failed)
