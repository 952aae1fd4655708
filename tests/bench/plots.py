# SPDX-License-Identifier: LGPL-2.1-or-later
"""Plots of the figures, for report.py."""
import matplotlib
import matplotlib.ticker

matplotlib.use("svg")
import matplotlib.pyplot as plt  # noqa: E402  # the backend comes first

matplotlib.rcParams.update({"svg.hashsalt": "robocache", "svg.fonttype": "none", "font.size": 9, "axes.spines.top": False,
                            "axes.spines.right": False, "legend.frameon": False, "figure.dpi": 100})
OURS, PEER, FLOOR = "#1f77b4", "#c0c0c0", "#d62728"


def short(text):
    return text.replace("->", "→").replace("^3", "³")


# ---- roofline ----


def roofs(axes, issue, peak_gbps):
    """What memory and the schedulers allow, at most."""
    knee = issue / peak_gbps
    x = [knee / 30, knee, knee * 1e3]
    axes.plot(x, [min(issue, peak_gbps * i) for i in x], color="black", linewidth=1)
    axes.annotate(f"copy: {peak_gbps:,.0f} GB/s", (knee / 7, issue / 7), rotation=45, va="bottom", ha="right")
    axes.annotate(f"{issue:,.0f} G instructions/s", (knee * 10, issue), va="bottom", ha="center")


def roofline(figures, axes):
    """Instructions of warps a byte of memory against those a second: every kernel, of the work where it takes the most time;
    of a template the slowest instance."""
    kernels = figures.rows("roofline")
    slowest = {}
    for row in kernels:
        family = row["kernel"].partition("<")[0]
        if family not in slowest or float(row["time_us"]) > float(slowest[family]["time_us"]):
            slowest[family] = row
    copy_gbps = float(figures.rows("kernels_align")[0]["copy_gbps"])
    roofs(axes, float(kernels[0]["peak_instructions_per_us"]) / 1e3, copy_gbps)
    for i, (name, row) in enumerate(sorted(slowest.items())):
        moved = float(row["dram_read_bytes"]) + float(row["dram_write_bytes"])
        instructions = float(row["warp_instructions"])
        if moved > 0:
            axes.plot(instructions / moved, instructions / float(row["time_us"]) / 1e3, "os^vDPX"[i // 10 % 7],
                      color=f"C{i % 10}", label=name, linewidth=0)
    axes.set_xscale("log")
    axes.set_yscale("log")
    axes.set_xlabel("instructions of a warp a byte of device memory")
    axes.set_ylabel("G instructions of warps/s")
    axes.legend(fontsize=7, loc="center left", bbox_to_anchor=(1, 0.5), ncols=2)


# ---- beside others ----


def bars(rows, axes):
    """Ours, the floor and the best peer of each work, the floor being 1."""
    rows = rows[::-1]
    for i, row in enumerate(rows):
        floor = float(row["floor_us"])
        peer, ours = float(row["best_peer_us"]) / floor, float(row["median_us"]) / floor
        axes.barh(i + 0.2, peer, 0.38, color=PEER, label="the best peer" if i == 0 else None)
        axes.barh(i - 0.2, ours, 0.38, color=OURS, label="robocache" if i == 0 else None)
        axes.annotate(row["which"], (peer, i + 0.2), xytext=(3, 0), textcoords="offset points", va="center", fontsize=7)
    axes.axvline(1, color=FLOOR, linewidth=1)
    axes.set_yticks(range(len(rows)), [short(row["work"]) for row in rows], fontsize=7)
    axes.set_xscale("log")
    axes.set_xlim(left=0.8)
    axes.xaxis.set_major_locator(matplotlib.ticker.LogLocator(subs=(1, 2, 5)))
    axes.xaxis.set_major_formatter(matplotlib.ticker.StrMethodFormatter("{x:g}"))
    axes.minorticks_off()
    axes.set_xlabel("times the floor that the bytes set")
    axes.legend(loc="lower center", bbox_to_anchor=(0.5, 1), ncols=2)


def peers_of(name):
    def draw(figures, axes):
        bars(figures.rows(name), axes)
    return draw


# ---- several GPUs ----


def scaling(figures, axes):
    """How many times faster than one, the largest batches: a colour for where the input lies, a mark for each work."""
    rows = figures.rows("devices_largest")
    inputs, works = (list(dict.fromkeys(row[column] for row in rows)) for column in ("input", "work"))
    counts = sorted({int(row["devices"]) for row in rows})
    axes.plot(counts, counts, "--", color="black", linewidth=1, label="as many times as GPUs")
    for colour, where in enumerate(inputs):
        axes.plot([], [], color=f"C{colour}", label=f"input: {where}")
        for mark, work in zip("osv^Dx", works):
            points = sorted((int(row["devices"]), float(row["speedup"])) for row in rows
                            if (row["input"], row["work"]) == (where, work))
            axes.plot(*zip(*points), mark + "-", color=f"C{colour}", markersize=4, linewidth=1)
    for mark, work in zip("osv^Dx", works):
        axes.plot([], [], mark, color="grey", markersize=4, label=short(work))
    axes.set_xticks(counts)
    axes.set_ylim(bottom=0)
    axes.set_xlabel("GPUs")
    axes.set_ylabel("times one GPU, the largest batch of each work")
    axes.legend(loc="center left", bbox_to_anchor=(1, 0.5))


def efficiency(figures, axes):
    """Of every batch whose shards are where they are computed: a colour for the number of GPUs, a mark for each work."""
    rows = [row for row in figures.rows("devices") if row["input"] == "there" and int(row["devices"]) > 1]
    counts, works = sorted({int(row["devices"]) for row in rows}), list(dict.fromkeys(row["work"] for row in rows))
    for colour, n in enumerate(counts):
        axes.plot([], [], color=f"C{colour}", label=f"{n} GPUs")
        for mark, work in zip("osv^Dx", works):
            points = sorted((int(row["bytes"]) / 1e6, float(row["efficiency"])) for row in rows
                            if (int(row["devices"]), row["work"]) == (n, work))
            if points:
                axes.plot(*zip(*points), mark + "-", color=f"C{colour}", markersize=4, linewidth=1)
    for mark, work in zip("osv^Dx", works):
        axes.plot([], [], mark, color="grey", markersize=4, label=short(work))
    for wanted in {row["wanted_efficiency"] for row in rows}:
        axes.axhline(float(wanted), color=FLOOR, linewidth=1, label="wanted")
    axes.set_xscale("log")
    axes.set_ylim(bottom=0)
    axes.set_xlabel("MB of a batch, in and out")
    axes.set_ylabel("efficiency")
    if rows:
        axes.legend(loc="center left", bbox_to_anchor=(1, 0.5))


# ---- files ----

PLOTS = {  # what is drawn from which figures; inches of it
    "roofline": (roofline, ("roofline", "kernels_align"), (11, 5)),
    "peers_align": (peers_of("beside_peers_align"), ("beside_peers_align",), (9, 6)),
    "peers_voxel": (peers_of("beside_peers_voxel"), ("beside_peers_voxel",), (9, 5)),
    "scaling": (scaling, ("devices_largest",), (8, 4)),
    "efficiency": (efficiency, ("devices",), (8, 4)),
}


def write(figures, folder, complain):
    """Those whose figures are there; what else is said."""
    for name, (draw, needed, inches) in PLOTS.items():
        figure, axes = plt.subplots(figsize=inches, layout="constrained")
        try:
            missing = [file for file in needed if not figures.rows(file)]
            if missing:
                complain(f"plot {name}: there is no performance/{missing[0]}.csv")
                continue
            draw(figures, axes)
            figure.savefig(folder / f"{name}.svg", metadata={"Date": None}, bbox_inches="tight")
        except (KeyError, ValueError) as error:
            complain(f"plot {name}: what it is made of lacks {error}")
        finally:
            plt.close(figure)
