# SPDX-License-Identifier: LGPL-2.1-or-later
"""Tables that are made of several files, for report.py. Each is rows of dictionaries, or None where a file is missing."""


def us(row):
    """Median time, or None: there is none, or it is of a wrong result."""
    try:
        return float(row["median_us"]) if row["checked"] == "yes" else None
    except ValueError:
        return None


def beside_peers(ours, peers):
    """Of each of our works the best peer."""
    def join(figures):
        of_peers = figures.rows(peers)
        rows = figures.rows(ours)
        if rows is None or of_peers is None:
            return None
        joined = []
        for row in rows:
            timed = [(us(peer), peer["peer"]) for peer in of_peers if peer["work"] == row["work"] and us(peer)]
            best, name = min(timed, default=(None, ""))
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


ENOUGH = 0.6  # of a peak, from which on a kernel is bound by it
MATTERS = 0.2  # of the time of a work


def bound_of(kernel):
    """What of the hardware a kernel uses up; with none of it, it waits."""
    shares = {"memory": "share_of_dram", "L2": "share_of_l2", "issue of instructions": "share_of_issue"}
    name = max(shares, key=lambda name: float(kernel[shares[name]]))
    return name if float(kernel[shares[name]]) >= ENOUGH else "latency"


def limits(figures):
    """Of works that took longer than was wanted the kernels that matter, with what the hardware counted."""
    kernels = figures.rows("roofline")
    if kernels is None:
        return None
    rows = []
    for work in wanted(figures) or []:
        of_work = [kernel for kernel in kernels if kernel["work"] == work["work"] and work["met"] == "no"]
        total = sum(float(kernel["time_us"]) for kernel in of_work)
        rows += [dict(kernel, bound_by=bound_of(kernel)) for kernel in of_work if float(kernel["time_us"]) >= MATTERS * total]
    return rows or None


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


JOINS = {
    "limits": limits,
    "roofline_bytes": roofline_bytes,
    "beside_peers_align": beside_peers("kernels_align", "peers_align"),
    "beside_peers_voxel": beside_peers("kernels_voxel", "peers_voxel"),
    "wanted": wanted,
}
