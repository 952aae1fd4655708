# SPDX-License-Identifier: LGPL-2.1-or-later
"""Tables that are made of several files, for report.py. Each is rows of dictionaries, or None where a file is missing."""
import re


def us(row):
    """Median time, or None: there is none, or it is of a wrong result."""
    try:
        return float(row["median_us"]) if row["checked"] == "yes" else None
    except ValueError:
        return None


def best_of(peers, work):
    """The time of the fastest peer, and its name, or None and nothing."""
    timed = [(us(peer), peer["peer"]) for peer in peers if peer["work"] == work and us(peer)]
    return min(timed, default=(None, ""))


def beside_peers(ours, peers):
    """Of each of our works the best peer."""
    def join(figures):
        of_peers = figures.rows(peers)
        rows = figures.rows(ours)
        if rows is None or of_peers is None:
            return None
        joined = []
        for row in rows:
            best, name = best_of(of_peers, row["work"])
            if best:
                joined.append({"work": row["work"], "median_us": row["median_us"], "wanted_us": row["wanted_us"],
                               "floor_us": row["floor_us"], "best_peer_us": f"{best}", "which": name,
                               "times_faster": f"{best / float(row['median_us']):.2f}"})
        return joined or None
    return join


def wanted(figures):
    """Works for which a time was set beforehand."""
    rows = [row for name in ("kernels_align", "kernels_voxel") for row in figures.rows(name) or [] if row["wanted_us"]]
    for row in rows:
        row["met"] = "yes" if float(row["median_us"]) <= float(row["wanted_us"]) else "no"
        row["times_the_floor"] = f"{float(row['median_us']) / float(row['floor_us']):.2f}"
    return rows or None


# Of the time of linear rows: what others may take, by the end of their works' names.
TIMES_LINEAR = {"cubic": 1.3, "hermite": 1.3, "4 quaternions": 2.5, "16 quaternions": 2.5}


def beside_linear(figures):
    """Cubic and hermite rows and quaternions against the linear rows of the same dtype and shape, of the same run."""
    works = {row["work"]: row for row in figures.rows("kernels_align") or []}
    rows = []
    for name, row in works.items():
        of, _, blend = name.rpartition(", ")
        if blend not in TIMES_LINEAR or of not in works:
            continue
        times, most = float(row["median_us"]) / float(works[of]["median_us"]), TIMES_LINEAR[blend]
        rows.append({"work": name, "median_us": row["median_us"], "linear_us": works[of]["median_us"],
                     "times_linear": f"{times:.4f}", "wanted_times": f"{most}", "met": "yes" if times <= most else "no"})
    return rows or None


def floors(figures):
    """What the floors of each part are made of."""
    made = [{"part": name, **{column: row[column] for column in ("copy_gbps", "fill_gbps", "read_gbps", "launch_us")}}
            for name in ("kernels_align", "kernels_voxel") for row in figures.rows(name) or []]
    return list({tuple(row.values()): row for row in made}.values()) or None


def too_slow(figures):
    """Works that took longer than was wanted."""
    return [work for work in wanted(figures) or [] if work["met"] == "no"]


def limits(figures):
    """Of works that took longer than was wanted the times: ours, the best peer's, and those that cannot be less."""
    peers = [peer for name in ("peers_align", "peers_voxel") for peer in figures.rows(name) or []]
    rows = []
    for work in too_slow(figures):
        best = best_of(peers, work["work"])[0]
        after_chain = ""
        if work["chain_us"]:
            after_chain = f"{float(work['floor_us']) - float(work['launch_us']) + float(work['chain_us']):.3f}"
        rows.append(dict(work, best_peer_us=f"{best}" if best else "", floor_after_chain_us=after_chain))
    return rows or None


MATTERS = 0.2  # of the time of a work
UNITS = {"memory": "share_of_dram", "L2": "share_of_l2", "issue": "share_of_issue", "float64": "share_of_float64",
         "integers": "share_of_alu", "float32": "share_of_fma", "loads and stores": "share_of_lsu",
         "L1 and shared memory": "share_of_l1"}
WAITS = {"barrier": "other warps at a barrier", "branch_resolving": "a branch", "dispatch_stall": "dispatch",
         "drain": "its last stores", "gmma": "wgmma", "lg_throttle": "room for loads and stores",
         "long_scoreboard": "memory", "math_pipe_throttle": "an arithmetic unit", "membar": "a fence",
         "mio_throttle": "room for accesses of shared memory", "misc": "something else",
         "not_selected": "others that issue", "short_scoreboard": "shared memory",
         "sleeping": "sleep", "tex_throttle": "room for textures", "wait": "its last instruction"}


def greatest(row, columns):
    """Of what columns has names for the one with the greatest number, and that."""
    name = max(columns, key=lambda name: float(row[columns[name]]))
    return name, row[columns[name]]


def limits_kernels(figures):
    """The kernels that matter of works that took longer than was wanted, with what the hardware counted of them."""
    kernels = figures.rows("roofline")
    if kernels is None:
        return None
    rows = []
    for work in too_slow(figures):
        of_work = [kernel for kernel in kernels if kernel["work"] == work["work"]]
        total = sum(float(kernel["time_us"]) for kernel in of_work)
        for kernel in of_work:
            unit, share_of_unit = greatest(kernel, UNITS)
            reason, share_of_wait = greatest(kernel, {said: f"share_waiting_{name}" for name, said in WAITS.items()})
            if float(kernel["time_us"]) >= MATTERS * total:
                rows.append(dict(kernel, busiest_unit=unit, share_of_unit=share_of_unit, waits_for=reason,
                                 share_of_wait=share_of_wait))
    return rows or None


def roofline_waits(figures):
    """The kernels of which it was counted what warps wait for."""
    return [kernel for kernel in figures.rows("roofline") or [] if kernel["share_waiting_wait"]] or None


def roofline_bytes(figures):
    """Of each work beyond the L2 what its kernels moved together, against what must move."""
    works = {}
    for row in figures.rows("roofline") or []:
        if row["size"] != "large":
            continue
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
    """The name of a kernel of the plugin as roofline.py has it, without spaces."""
    kernel = re.sub(r"rc::|\(Rc\w+\)|\s", "", kernel)
    return kernel.replace("true", "1").replace("false", "0")


def kernels_not_run(figures):
    """Of each kernel that works have not run, or not all instances of it, how many there are and were run; and of all."""
    kernels, counted = figures.rows("ablations/resources"), figures.rows("roofline")
    if kernels is None or counted is None:
        return None
    there = {as_counted(row["kernel"]) for row in kernels}
    run = {re.sub(r"\s", "", row["kernel"]) for row in counted}
    unknown = run - there
    if unknown:
        raise KeyError(min(unknown))
    families = {}
    for kernel in sorted(there):
        for family in (kernel.partition("<")[0], "all"):
            n, n_run = families.get(family, (0, 0))
            families[family] = n + 1, n_run + (kernel in run)
    every = families.pop("all")
    lacking = sorted((n_run > 0, family, n, n_run) for family, (n, n_run) in families.items() if n_run < n)
    return [{"family": family, "instances": f"{n}", "run": f"{n_run}"}
            for _, family, n, n_run in (*lacking, (True, f"all {len(families)}", *every))]


def devices_largest(figures):
    """The largest batch of each work, of each place of its input."""
    rows = figures.rows("devices") or []
    most = {}
    for row in rows:
        key = row["work"], row["input"]
        most[key] = max(most.get(key, 0), int(row["items"]))
    return [row for row in rows if int(row["items"]) == most[row["work"], row["input"]]] or None


BOUNDS = ("fewer_", "", "more_")  # a block fewer, ours and a block more


def bounds(figures):
    """Kernels that another bound changes, as they are with each of the three."""
    rows = [row for row in figures.rows("ablations/bounds") or [] if row["kernel"]]
    for row in rows:
        row["kernel"] = re.sub(r"rc::|\(Rc\w+\)", "", row["kernel"])
        for column in ("blocks", "registers", "local"):
            row[f"{column}_of_each"] = ", ".join(row[bound + column] for bound in BOUNDS)
    return rows or None


def bounds_of_none(figures):
    """Works of which no kernel is changed: how far apart times of the same code are."""
    return [row for row in figures.rows("ablations/bounds") or [] if not row["kernel"]] or None


JOINS = {
    "bounds": bounds,
    "bounds_of_none": bounds_of_none,
    "devices_largest": devices_largest,
    "kernels_not_run": kernels_not_run,
    "limits": limits,
    "limits_kernels": limits_kernels,
    "beside_linear": beside_linear,
    "floors": floors,
    "roofline_bytes": roofline_bytes,
    "roofline_waits": roofline_waits,
    "beside_peers_align": beside_peers("kernels_align", "peers_align"),
    "beside_peers_voxel": beside_peers("kernels_voxel", "peers_voxel"),
    "wanted": wanted,
}
