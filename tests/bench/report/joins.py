# SPDX-License-Identifier: LGPL-2.1-or-later
"""Tables that report.py makes of several files: rows of dictionaries, or None if a file is missing."""
import re


def median(row):
    """Median time; None if there is none, or if the result was wrong."""
    return float(row["median_us"]) if row["checked"] == "yes" and row["median_us"] else None


def best_of(peers, work):
    """Time and name of the fastest peer, or None and nothing."""
    timed = [(median(peer), peer["peer"]) for peer in peers if peer["work"] == work and median(peer)]
    return min(timed, default=(None, ""))


def beside_peers(ours, peers):
    """Each of our works with its fastest peer."""
    def join(figures):
        joined = []
        for row in figures.rows(ours) or []:
            best, name = best_of(figures.rows(peers) or [], row["work"])
            if best:
                joined.append(dict(row, best_peer_us=f"{best}", which=name, times_faster=f"{best / float(row['median_us']):.2f}"))
        return joined or None
    return join


def kernels(figures):
    return [row for name in ("kernels_align", "kernels_voxel") for row in figures.rows(name) or []]


def wanted(figures):
    """Works that have a target."""
    rows = [row for row in kernels(figures) if row["wanted_us"]]
    for row in rows:
        row["met"] = "yes" if float(row["median_us"]) <= float(row["wanted_us"]) else "no"
        row["times_the_floor"] = f"{float(row['median_us']) / float(row['floor_us']):.2f}"
    return rows or None


# Targets as multiples of linear rows, by the last part of a work's name.
TIMES_LINEAR = {"cubic": 1.3, "hermite": 1.3, "4 quaternions": 2.5, "16 quaternions": 2.5}


def beside_linear(figures):
    """Curves and quaternions against linear rows of the same dtype and shape in the same run."""
    works = {row["work"]: row for row in figures.rows("kernels_align") or []}
    rows = []
    for name, row in works.items():
        linear, _, blend = name.rpartition(", ")
        if blend in TIMES_LINEAR and linear in works:
            times, target = float(row["median_us"]) / float(works[linear]["median_us"]), TIMES_LINEAR[blend]
            rows.append({"work": name, "median_us": row["median_us"], "linear_us": works[linear]["median_us"],
                         "times_linear": f"{times:.4f}", "wanted_times": f"{target}", "met": "yes" if times <= target else "no"})
    return rows or None


def floors(figures):
    """Rates that the floors of each part are computed from."""
    rows = [{"part": name, **{column: row[column] for column in ("copy_gbps", "fill_gbps", "read_gbps", "launch_us")}}
            for name in ("kernels_align", "kernels_voxel") for row in (figures.rows(name) or [])[:1]]
    return rows or None


def missed(figures):
    return [work for work in wanted(figures) or [] if work["met"] == "no"]


def limits(figures):
    """Works that missed their target, with their fastest peer."""
    peers = [peer for name in ("peers_align", "peers_voxel") for peer in figures.rows(name) or []]
    return [dict(work, best_peer_us=f"{best_of(peers, work['work'])[0] or ''}") for work in missed(figures)] or None


SIGNIFICANT = 0.2  # share of a work's time from which a kernel is listed
UNITS = {"memory": "share_of_dram", "L2": "share_of_l2", "issue": "share_of_issue", "float64": "share_of_float64"}


def limits_kernels(figures):
    """The significant kernels of works that missed their target, with their hardware counters."""
    rows = []
    for work in missed(figures):
        of_work = [kernel for kernel in figures.rows("roofline") or [] if kernel["work"] == work["work"]]
        total = sum(float(kernel["time_us"]) for kernel in of_work)
        for kernel in of_work:
            unit = max(UNITS, key=lambda name, kernel=kernel: float(kernel[UNITS[name]]))
            if float(kernel["time_us"]) >= SIGNIFICANT * total:
                rows.append(dict(kernel, busiest_unit=unit, share_of_unit=kernel[UNITS[unit]]))
    return rows or None


def roofline_bytes(figures):
    """Bytes that the kernels of each work beyond the L2 moved, against the bytes that must move."""
    works = {}
    for row in figures.rows("roofline") or []:
        if row["size"] == "large":
            work = works.setdefault(row["work"], {"work": row["work"], "must_move_bytes": row["must_move_bytes"], "kernels": 0,
                                                  "dram_read_bytes": 0, "dram_write_bytes": 0, "l2_bytes": 0})
            work["kernels"] += int(row["launches"])
            for column in ("dram_read_bytes", "dram_write_bytes", "l2_bytes"):
                work[column] += float(row[column])
    for work in works.values():
        moved = work["dram_read_bytes"] + work["dram_write_bytes"]
        work["measured_over_computed"] = f"{moved / float(work['must_move_bytes']):.2f}"
    return [{column: str(value) for column, value in work.items()} for work in works.values()] or None


def as_counted(kernel):
    """A kernel's name in resources.csv as roofline.csv writes it, without spaces."""
    return re.sub(r"rc::|\(Rc\w+\)|\s", "", kernel).replace("true", "1").replace("false", "0")


def kernels_not_run(figures):
    """Templates with instances that no work runs, and the sum over all kernels."""
    loaded, counted = figures.rows("resources"), figures.rows("roofline")
    if loaded is None or counted is None:
        return None
    names = {as_counted(row["kernel"]) for row in loaded}
    run = {re.sub(r"\s", "", row["kernel"]) for row in counted}
    if run - names:
        raise KeyError(min(run - names))
    families = {}
    for kernel in sorted(names):
        for family in (kernel.partition("<")[0], "all"):
            n, n_run = families.get(family, (0, 0))
            families[family] = n + 1, n_run + (kernel in run)
    every = families.pop("all")
    lacking = sorted((n_run > 0, family, n, n_run) for family, (n, n_run) in families.items() if n_run < n)
    return [{"family": family, "instances": f"{n}", "run": f"{n_run}"}
            for _, family, n, n_run in (*lacking, (True, f"all {len(families)}", *every))]


JOINS = {
    "beside_linear": beside_linear,
    "beside_peers_align": beside_peers("kernels_align", "peers_align"),
    "beside_peers_voxel": beside_peers("kernels_voxel", "peers_voxel"),
    "floors": floors,
    "kernels_not_run": kernels_not_run,
    "limits": limits,
    "limits_kernels": limits_kernels,
    "roofline_bytes": roofline_bytes,
    "wanted": wanted,
}
