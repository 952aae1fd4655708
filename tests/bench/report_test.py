#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""report.py on figures that are made up, and run_all.sh where there is nothing to run. Prints PASS or FAIL for each case."""
import os
import pathlib
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
PAGE = """# Page

Before <!-- not a table -->.

<!-- table {name} -->
old rows
<!-- end -->

After.
"""
KERNELS = ("work,size,must_move_bytes,floor_us,wanted_us,median_us,warm_us,share_of_copy,checked\n"
           '"resample 1x2 -> 3x4, float32",small,12345678,1.23456,4,3.14159,2.5,0.375,"yes"\n'
           '"occupancy | 64^3",large,4448573440,1000,1050,1170.4,1170.4,0.9,"output differs from the CPU\'s at byte 3"\n')
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
        (((self.docs if old else self.results) / "performance") / f"{name}.csv").write_text(text, encoding="utf-8")

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
def nothing_found(docs):
    docs.figures("crossover", "work,from\n")
    expect("nothing_found", (docs.report()[1], docs.said), (["None."], []))


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


@case("limits: work, floor_us, median_us, warm_us, best_peer_us, kernel, near_its_peak")
def what_stops_them(docs):
    docs.figures("kernels_align", KERNELS)
    shares = {"few": (10, .1, .2, .3), "end": (9, .7, .1, .1), "move": (8, .1, .61, .6), "count": (20, .1, .2, .9),
              "clear": (1, 1, 1, 1)}
    docs.figures("roofline", "work,kernel,time_us,share_of_dram,share_of_l2,share_of_issue\n" + "".join(
        f"{work},{kernel},{','.join(map(str, values))}\n" for work in ("occupancy | 64^3", "other")
        for kernel, values in shares.items()))

    def rows(peer):
        return [f"| occupancy / 64³ | 1,000 | **1,170** | 1,170 | {peer} | `{kernel}` | {near} |" for kernel, near in (
            ("few", "none"), ("count", "issue of instructions"))]

    expect("what_stops_them", docs.report()[1][2:], rows(""))
    docs.figures("peers_voxel", PEERS.replace("resample 1x2 -> 3x4, float32", "occupancy | 64^3"))
    expect("what_stops_them_beside_a_peer", docs.report()[1][2:], rows("7.50"))


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
    docs.figures("kernels_align", "work,copy_gbps,launch_us\na,4240.3,1.310\nb,4240.3,1.310\n")
    docs.figures("kernels_voxel", "work,copy_gbps,launch_us\nc,4235.5,1.312\n")
    expect("what_floors_are_made_of", docs.report()[1], [
        "| part | copy, GB/s | launch, us |", "|---|---|---|", "| kernels_align | 4,240 | 1.31 |",
        "| kernels_voxel | 4,236 | 1.31 |"])


@case("limits: work")
def counters_of_another_version(docs):
    docs.figures("kernels_align", KERNELS)
    docs.figures("roofline", "work,kernel,time_us\n\"occupancy | 64^3\",add,1\n")
    expect("counters_of_another_version", (docs.report()[1], docs.said),
           (["old rows"], ["MISSING performance.md: table limits: what it is made of lacks 'share_of_dram'"]))


@case("wanted: work, met")
def what_was_wanted(docs):
    docs.figures("kernels_align", KERNELS)
    expect("what_was_wanted", docs.report()[1][2:],
           ["| resample 1x2 → 3x4, float32 | yes |", "| occupancy / 64³ | **no** |"])


COUNTED = ('"ID","Id:Domain:Push/Pop_Range:PL","Kernel Name",'
           '"device__attribute_multiprocessor_count","device__attribute_max_ipc_per_multiprocessor",'
           '"device__attribute_max_gpu_frequency_khz","gpu__time_duration.sum","dram__bytes_read.sum",'
           '"dram__bytes_write.sum","lts__t_bytes.sum","smsp__inst_executed.sum",'
           '"dram__bytes.sum.pct_of_peak_sustained_elapsed","lts__t_sectors.sum.pct_of_peak_sustained_elapsed",'
           '"smsp__inst_executed.sum.pct_of_peak_sustained_elapsed","sm__warps_active.avg.pct_of_peak_sustained_active",'
           '"launch__registers_per_thread"\n"","","","","","","us","Kbyte","byte","byte","inst","%","%","%","%","register"\n')
LAUNCH = ('"{id}","1 ""<default domain>:{work}:none"" ""<default domain>:second:none""","void <unnamed>::{kernel}(Task)",'
          '"132","4","1,980,000","{us}","1,000","2,000","3,000","4,000","{share}","20","30","40","64"\n')


def counters_of_kernels():
    """Launches of one kernel are added up, its shares weighted with the time."""
    with tempfile.TemporaryDirectory() as folder:
        counted, works = (pathlib.Path(folder) / name for name in ("counted", "works"))
        add = "add<rc::Same<10>>"
        launches = [("a", add, 1, 10), ("a", add, 3, 50), ("a", "end", 5, 1), ("b", "end", 7, 2)]
        counted.write_text("==PROF== Connected\n" + COUNTED + "".join(
            LAUNCH.format(id=i, work=work, kernel=kernel, us=us, share=share)
            for i, (work, kernel, us, share) in enumerate(launches)), encoding="utf-8")
        works.write_text('"a",small,100\n"b",large,200\n', encoding="utf-8")
        run = subprocess.run([sys.executable, HERE / "roofline.py", counted, works], capture_output=True, text=True,
                             check=True)
        expect("counters_of_kernels", run.stdout.splitlines()[1:], [
            "a,small,add<Same<10>>,2,4,2e+06,4000,6000,8000,0.4,0.2,0.3,0.4,64,100,1.04544e+06",
            "a,small,end,1,5,1e+06,2000,3000,4000,0.01,0.2,0.3,0.4,64,100,1.04544e+06",
            "b,large,end,1,7,1e+06,2000,3000,4000,0.02,0.2,0.3,0.4,64,200,1.04544e+06"])
        run = subprocess.run([sys.executable, HERE / "roofline.py", works, works], capture_output=True, text=True,
                             check=False)
        expect("no_counters", run.returncode != 0, True)


def run_all_of_no_such_part():
    with tempfile.TemporaryDirectory() as folder:
        run = subprocess.run([HERE / "run_all.sh", "--build", folder, "--only", "kernels", f"{folder}/results"],
                             capture_output=True, text=True, check=False)
        expect("no_such_part", (run.returncode, run.stdout.splitlines()[0][:58]),
               (1, "FAIL kernels: there is no such part, but these: kernels_ali"[:58]))


def run_all_without_a_gpu():
    """Says what is missing, part by part, and ends with status 1."""
    with tempfile.TemporaryDirectory() as folder:
        environment = dict(os.environ, CUDA_VISIBLE_DEVICES="")
        run = subprocess.run([HERE / "run_all.sh", "--build", folder, f"{folder}/results"], capture_output=True, text=True,
                             env=environment, check=False)
        lines = run.stdout.splitlines()
        expect("run_all_status", run.returncode, 1)
        expect("run_all_says_kernels", any(line.startswith("FAIL kernels_align: status 127") for line in lines), True)
        expect("run_all_goes_on", any(line.startswith("FAIL kernels_voxel: status 127") for line in lines), True)
        expect("run_all_ends", lines[-1].startswith("0 parts, "), True)
        parts = (pathlib.Path(folder) / "results/performance/parts.csv").read_text(encoding="utf-8").splitlines()
        # those of a CPU are of runs before
        parts = [line for line in parts if ",CPU," not in line]
        expect("run_all_parts", [line.split(",")[0] for line in parts[:3]], ["part", "kernels_align", "kernels_voxel"])
        expect("run_all_parts_failed", all(line.endswith(",no") for line in parts[1:]), True)
        expect("run_all_environment", (pathlib.Path(folder) / "results/performance/environment.csv").exists(), True)


counters_of_kernels()
run_all_of_no_such_part()
run_all_without_a_gpu()
sys.exit(failed)
