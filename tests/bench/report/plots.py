# SPDX-License-Identifier: LGPL-2.1-or-later
"""Draws the plots of docs/explanation/measurements.md from its tables, as SVG: one per element, bars on a logarithmic axis.
report.py writes and checks them."""
import math
from xml.sax.saxutils import escape

COLOURS = ("#2c6e9b", "#d98324")
WIDTH, LABELS, VALUES = 880, 385, 60  # of the picture, and of the columns left and right of the bars
BAR, GAP, HEAD = 11, 5, 34
FACTORS = "times faster than the fastest of {}"

# element: panels of a title, a table, and series. A series is a column, or our column and those of peers, which give a factor.
PLOTS = {
    "robocachefuse": [("live sample on a CPU, us", "latency_cpu", ("median", "99 %")),
                      ("live sample on the GPU's machine, us", "latency", ("median", "99 %"))],
    "robocacheresample": [("one core: " + FACTORS.format("NumPy and SciPy"), "peers_align_cpu_libraries", [("robocache", "NumPy", "SciPy")]),
                          ("GPU: " + FACTORS.format("plain CUDA, Triton, torch.compile and PyTorch"), "peers_align_libraries",
                           [("robocache", "plain CUDA", "Triton", "torch.compile", "PyTorch")])],
    "robocachevoxelize": [("one core: " + FACTORS.format("NumPy and Open3D"), "peers_voxel_cpu_libraries", [("robocache", "NumPy", "Open3D")]),
                          ("GPU: " + FACTORS.format("plain CUDA, Triton, torch.compile and PyTorch"), "peers_voxel_libraries",
                           [("robocache", "plain CUDA", "Triton", "torch.compile", "PyTorch")])],
}


def number(text):
    """Of a cell, without its percentiles and bold marks; None if the text is not a number."""
    try:
        return float(text.partition(" (")[0].replace(",", "").replace("**", ""))
    except ValueError:
        return None


def value(row, series):
    """A column, or the least time of the peers over ours; None without figures."""
    if isinstance(series, str):
        return number(row[series])
    ours, peers = number(row[series[0]]), [number(row[peer]) for peer in series[1:]]
    peers = [peer for peer in peers if peer]
    return min(peers) / ours if ours and peers else None


def text(x, y, words, size=11, anchor="start", extra=""):
    return f'<text x="{x:.1f}" y="{y:.1f}" font-size="{size}" text-anchor="{anchor}"{extra}>{escape(words)}</text>'


def panel(y, title, rows, series):
    """The lines of a panel from y on, and where it ends."""
    label = next(iter(rows[0]))
    bars = [(row[label], [value(row, one) for one in series]) for row in rows]
    bars = [(name, values) for name, values in bars if any(values)]
    least = min([1.0] + [x for _, values in bars for x in values if x])
    most = max(x for _, values in bars for x in values if x)
    low, high = math.floor(math.log10(least) * 2) / 2, math.ceil(math.log10(most) * 2) / 2
    zero = 10.0 ** low if isinstance(series[0], str) else 1.0  # where bars begin
    position = lambda x: LABELS + (WIDTH - LABELS - VALUES) * (math.log10(x) - low) / (high - low)
    lines = [text(8, y + 18, title, 13, extra=' font-weight="bold"')]
    if isinstance(series[0], str):
        for i, name in enumerate(series):
            lines += [f'<rect x="{LABELS + 110 * i}" y="{y + 8}" width="11" height="11" fill="{COLOURS[i]}"/>',
                      text(LABELS + 110 * i + 16, y + 18, name)]
    y += HEAD
    top = y
    for name, values in bars:
        lines.append(text(LABELS - 8, y + BAR * len(values) / 2 + 4, name, anchor="end"))
        for i, x in enumerate(values):
            if x:
                left, right = sorted((position(zero), position(x)))
                lines += [f'<rect x="{left:.1f}" y="{y + BAR * i}" width="{max(1, right - left):.1f}" height="{BAR - 1}" '
                          f'fill="{COLOURS[i]}"/>', text(right + 4, y + BAR * i + 9, f"{x:,.0f}" if x >= 1000 else f"{x:.3g}", 10)]
        y += BAR * len(values) + GAP
    for power in range(math.ceil(low), math.floor(high) + 1):
        x = position(10.0 ** power)
        lines += [f'<line x1="{x:.1f}" x2="{x:.1f}" y1="{top - 4}" y2="{y}" stroke="#999" stroke-width="0.6"/>',
                  text(x, y + 12, f"{10 ** power:,}" if power >= 0 else f"{10.0 ** power:g}", 10, "middle")]
    return lines, y + 26


def picture(found, panels):
    lines, y = [], 6
    for title, name, series in panels:
        drawn, y = panel(y, title, found[name], series)
        lines += drawn
    return (f'<svg xmlns="http://www.w3.org/2000/svg" width="{WIDTH}" height="{y}" font-family="sans-serif" fill="#222">\n'
            f'<rect width="{WIDTH}" height="{y}" fill="white"/>\n' + "\n".join(lines) + "\n</svg>\n")


def drawn(tables):
    """Name and text of each plot of which there are tables: rows as dictionaries of cells."""
    for element, panels in PLOTS.items():
        if all(tables.get(name) for _, name, _ in panels):
            yield f"{element}.svg", picture(tables, panels)
