#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Writes the figures of benchmarks into the pages about performance, and draws their plots.

    report.py DOCS RESULTS     DOCS: has performance.md and explanation/measurements.md
                               RESULTS: gets both pages, with the figures of RESULTS/performance/*.csv, and the plots in performance
    report.py DOCS --check     prints PASS or FAIL for performance.md and each plot: whether it shows the figures of measurements.md

A table stands between two comments. All other text stays as it is:

    <!-- table NAME[COLUMN~PATTERN]: COLUMN, COLUMN as HEADING -->
    <!-- end -->

On measurements.md, NAME is a file, performance/NAME.csv, or `missed`, which is made of several. On performance.md, it is a table of
measurements.md, and COLUMN is one of its columns, named as in the file: performance.md repeats cells, and has no figure of its own.
Filters, regular expressions, and columns are optional. A row matches every filter: [COLUMN~PATTERN][COLUMN~PATTERN].

The end of a column's name is its unit (_us, _bytes, _gbps, _j, …); share_… is a share of 1. Percentiles of a
median that have no column of their own stand in parentheses beside it, if one of them is more than 5 % away. A table without
figures keeps its rows. The table parts keeps the rows of parts that did not run. The status is 1 if a table names an unknown
column, or if a table of performance.md has no rows."""
import csv
import pathlib
import re
import sys

import plots

PAGE, NOTEBOOK = "performance.md", "explanation/measurements.md"

TABLE = re.compile(r"<!-- table (?P<name>[\w/-]+)(?P<filters>(?:\[\w+~[^\]]*\])*)(?:: (?P<columns>.*?))? -->\n"
                   r"(?P<rows>.*?)<!-- end -->", re.DOTALL)
FILTER = re.compile(r"\[(\w+)~([^\]]*)\]")
UNITS = {  # unit in the file: unit in the page, and divisor
    "us": ("us", 1), "ms": ("ms", 1), "s": ("s", 1), "ns": ("ns", 1), "bytes": ("MB", 1e6), "gbps": ("GB/s", 1),
    "j": ("J", 1), "w": ("W", 1),
}
CORRECT = ("no peer", "not compared", "all but")  # first words of a check that found no error, or a few roundings
TARGETS = {"median_us": "wanted_us", "median": "wanted", "complete_p50_us": "wanted_p50_us",
           "complete_p99_us": "wanted_p99_us", "times_linear": "wanted_times"}


class Figures:
    """The files of a run."""

    def __init__(self, folder):
        self.folder = folder

    def rows(self, name):
        """Dictionaries; None if a file is missing."""
        path = self.folder / f"{name}.csv"
        if path.exists():
            with open(path, newline="", encoding="utf-8") as file:
                return list(csv.DictReader(file))
        return missed(self) if name == "missed" else None


def fastest(peers, work):
    """Median time of the fastest peer with a correct result, or nothing."""
    times = [peer["median_us"] for peer in peers if peer["work"] == work and peer["checked"] == "yes" and peer["median_us"]]
    return min(times, key=float, default="")


def missed(figures):
    """Works that missed their target, with their fastest peer."""
    files = [(figures.rows(f"kernels_{kind}") or [], figures.rows(f"peers_{kind}") or []) for kind in ("align", "voxel")]
    return [dict(work, best_peer_us=fastest(peers, work["work"])) for works, peers in files for work in works
            if work["wanted_us"] and float(work["median_us"]) > float(work["wanted_us"])] or None


# ---- cells ----


def number(text):
    """None if the text is not a number."""
    try:
        return float(text)
    except (TypeError, ValueError):
        return None


def digits(x):
    """Three significant digits, and all digits before the point."""
    if x == 0:
        return "0"
    if abs(x) < 1:
        return f"{x:.3g}"
    return f"{x:,.{max(0, 3 - len(str(int(abs(x)))))}f}"


def unit_of(column):
    """Unit in the page, divisor, and the column's name without its unit."""
    stem, _, end = column.rpartition("_")
    return (*UNITS[end], stem) if stem and end in UNITS else ("", 1, column)


def heading(column):
    unit, _, stem = unit_of(column)
    return stem.replace("_", " ") + (f", {unit}" if unit else "")


def percentiles_of(column):
    """Columns of the 5th and 95th percentile of what a column has the median of."""
    for median in ("median", "p50"):
        if median in column:
            return column.replace(median, "p5"), column.replace(median, "p95")
    stem, _, unit = column.rpartition("_")
    return f"{stem}_p5_{unit}", f"{stem}_p95_{unit}"


def spread(row, column, divisor):
    """The 5th and 95th percentile, if one of them is more than 5 % from the median."""
    median, *ends = (number(row.get(name)) for name in (column, *percentiles_of(column)))
    if None in ends or all(abs(end - median) <= 0.05 * median for end in ends):
        return ""
    return f" ({digits(ends[0] / divisor)} to {digits(ends[1] / divisor)})"


def cell(row, column, shows_percentiles=True):
    """shows_percentiles: beside the median, since they have no columns of their own."""
    text, x = row.get(column) or "", number(row.get(column))
    if x is None:
        text = text.replace("|", "/").replace("->", "→").replace("^3", "³")
        if column == "kernel":
            return f"`{text}`"
        is_wrong = column == "checked" and text not in ("yes", "") and not text.startswith(CORRECT)
        return f"**{text}**" if is_wrong or (column in ("met", "passed") and text == "no") else text
    if column.startswith("share"):
        return f"{100 * x:.0f} %"
    unit, divisor, _ = unit_of(column)
    text = f"{x:,.0f}" if not unit and text.lstrip("-").isdigit() else digits(x / divisor)
    target = number(row.get(TARGETS.get(column)))
    text = f"**{text}**" if target and x > target else text
    return text + spread(row, column, divisor) if shows_percentiles else text


# ---- tables ----


def columns_of(text, rows):
    """Pairs of a column and its heading."""
    if not text:
        return [(column, heading(column)) for column in rows[0]] if rows else []
    pairs = (part.strip().partition(" as ") for part in text.split(","))
    return [(column, title or heading(column)) for column, _, title in pairs]


def line(cells):
    return "| " + " | ".join(cells) + " |\n"


def cells_of(text):
    return [cell.strip() for cell in text.strip().strip("|").split("|")]


def filtered(rows, filters):
    """Rows that match every filter."""
    pairs = FILTER.findall(filters)
    return [row for row in rows if all(re.search(pattern, row.get(column) or "") for column, pattern in pairs)]


def kept_rows(old, new):
    """Lines of a table whose first cell is not that of a new line."""
    names = {row.split(" | ")[0] for row in new}
    return [row for row in old.splitlines(keepends=True)[2:] if row.split(" | ")[0] not in names]


def rewritten(match, columns, rows, show, complain):
    """The text of a table with rows: show makes a cell of a row and a column."""
    unknown = [column for column, _ in columns if column not in rows[0]]
    if unknown:
        complain(f"table {match['name']}: it has no column {unknown[0]}")
        return match[0]
    lines = [line(show(row, column) for column, _ in columns) for row in rows]
    if match["name"] == "parts" and not match["filters"]:
        lines = kept_rows(match["rows"], lines) + lines
    begin = match[0][:match.start("rows") - match.start()]
    return begin + line(title for _, title in columns) + "|---" * len(columns) + "|\n" + "".join(lines) + "<!-- end -->"


def measured(figures, match, complain):
    """The text of a table, with the figures of the run if it has them."""
    try:
        rows = figures.rows(match["name"])
    except (KeyError, ValueError) as error:
        complain(f"table {match['name']}: its files lack {error}")
        return match[0]
    rows = filtered(rows or [], match["filters"])
    if not rows:
        return match[0]
    columns = columns_of(match["columns"], rows)
    named = {column for column, _ in columns}
    return rewritten(match, columns, rows, lambda row, column: cell(row, column, not named.issuperset(percentiles_of(column))), complain)


def tables_of(text):
    """Columns and headings of each table that has those of its comment, and its rows as dictionaries of cells."""
    found = {}
    for match in TABLE.finditer(text):
        lines = [cells_of(row) for row in match["rows"].splitlines()]
        titles = lines[0] if lines else []
        columns = columns_of(match["columns"], []) or [(title, title) for title in titles]
        if [title for _, title in columns] == titles:
            found[match["name"]] = columns, [dict(zip((column for column, _ in columns), cells)) for cells in lines[2:]]
    return found


def chosen(tables, match, complain):
    """The text of a table of which the notebook has the rows."""
    columns, rows = tables.get(match["name"], ([], []))
    rows = filtered(rows, match["filters"])
    if not rows:
        complain(f"table {match['name']}: {NOTEBOOK} has no such rows, or its table has other headings than its comment")
        return match[0]
    columns = columns_of(match["columns"], rows) if match["columns"] else columns
    return rewritten(match, columns, rows, dict.get, complain)


# ---- pages ----


def pages(docs, figures, complaints):
    """Text of each page and plot by its path. figures: None keeps those of the notebook."""
    notebook, page = ((docs / name).read_text(encoding="utf-8") for name in (NOTEBOOK, PAGE))
    of_notebook, of_page = (lambda text, name=name: complaints.append(f"{name}: {text}") for name in (NOTEBOOK, PAGE))
    if figures:
        notebook = TABLE.sub(lambda match: measured(figures, match, of_notebook), notebook)
    tables = tables_of(notebook)
    page = TABLE.sub(lambda match: chosen(tables, match, of_page), page)
    titled = {name: [dict(zip((title for _, title in columns), row.values())) for row in rows] for name, (columns, rows) in tables.items()}
    return {NOTEBOOK: notebook, PAGE: page, **{f"performance/{name}": svg for name, svg in plots.drawn(titled)}}


def check(docs, texts):
    is_stale = False
    for name, text in texts.items():
        if name == NOTEBOOK:
            continue
        is_same = (docs / name).exists() and (docs / name).read_text(encoding="utf-8") == text
        print(f"PASS {name}" if is_same else f"FAIL {name}: not the figures of {NOTEBOOK}; run tests/bench/report/report.py docs docs")
        is_stale |= not is_same
    return is_stale


def main():
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    is_check, docs, results, complaints = sys.argv[2] == "--check", pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2]), []
    texts = pages(docs, None if is_check else Figures(results / "performance"), complaints)
    is_stale = is_check and check(docs, texts)
    for name, text in ({} if is_check else texts).items():
        (results / name).parent.mkdir(parents=True, exist_ok=True)
        (results / name).write_text(text, encoding="utf-8")
    for complaint in complaints:
        print(f"FAIL {complaint}")
    return 1 if complaints or is_stale else 0


if __name__ == "__main__":
    sys.exit(main())
