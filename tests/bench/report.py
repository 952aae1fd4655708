#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Writes the tables of the pages about performance from the files that the benchmarks left, and the plots.

    report.py DOCS RESULTS     DOCS: has performance.md and performance/*.md, and figures of runs before
                               RESULTS: gets the same pages and plots, with the figures of RESULTS/performance/*.csv

A table stands between two comments, and all else stays as it is:

    <!-- table NAME[COLUMN=VALUE]: COLUMN, COLUMN as HEADING -->
    <!-- end -->

NAME is a file, performance/NAME.csv, or one of the tables that joins.py makes of several. The rest may be left out: which
rows, and which columns. The end of a column's name is its unit (_us, _bytes, _gbps, _j, …), and share_… is a share of 1.
Figures that come from no file are said, the table is left as it was, and the status is 1.

A page says whose figures its text is of, and gets a line where the tables have those of other runs:

    <!-- text: COMMIT on MACHINE; COMMIT on MACHINE -->
    <!-- end -->"""
import csv
import pathlib
import re
import sys

import joins

TABLE = re.compile(r"<!-- table (?P<name>[\w/-]+)(?:\[(?P<column>\w+)=(?P<value>[^\]]*)\])?(?:: (?P<columns>.*?))? -->\n"
                   r"(?P<rows>.*?)<!-- end -->", re.DOTALL)
TEXT = re.compile(r"<!-- text: (?P<runs>.*?) -->\n.*?<!-- end -->", re.DOTALL)
UNITS = {  # what is in the file, as it is said, and what it is divided by
    "us": ("us", 1), "ms": ("ms", 1), "s": ("s", 1), "ns": ("ns", 1), "bytes": ("MB", 1e6), "gbps": ("GB/s", 1),
    "j": ("J", 1), "w": ("W", 1),
}
NOT_WRONG = ("no peer", "not compared")  # beginnings of what a check says that found nothing wrong
VERDICTS = {"median_us": "wanted_us", "median": "wanted", "complete_p50_us": "wanted_p50_us",
            "complete_p99_us": "wanted_p99_us", "times_linear": "wanted_times"}


# ---- figures ----


class Figures:
    """The files of this run, and those of runs before for what was not run."""

    def __init__(self, *folders):
        self.folders = folders
        self.read = set()  # names of files

    def rows(self, name):
        """Dictionaries, or None: there is no such file, and nothing it could be made of."""
        for folder in self.folders:
            path = folder / f"{name}.csv"
            if path.exists():
                self.read.add(name)
                with open(path, newline="", encoding="utf-8") as file:
                    return list(csv.DictReader(file))
        return joins.JOINS[name](self) if name in joins.JOINS else None

    def runs(self, files):
        """Commit and machine of each part that wrote one of them."""
        return {f"{part['commit']} on {part['machine']}" for part in self.rows("parts") or []
                if not files.isdisjoint(part["files"].split())}


# ---- cells ----


def number(text):
    """None: it is none."""
    try:
        return float(text)
    except (TypeError, ValueError):
        return None


def digits(x):
    """Three that count, and all before the point."""
    if x == 0:
        return "0"
    if abs(x) < 1:
        return f"{x:.3g}"
    return f"{x:,.{max(0, 3 - len(str(int(abs(x)))))}f}"


def unit_of(column):
    """As it is said, or nothing; what to divide by; the column without it."""
    stem, _, end = column.rpartition("_")
    return (*UNITS[end], stem) if stem and end in UNITS else ("", 1, column)


def heading(column):
    unit, _, stem = unit_of(column)
    return stem.replace("_", " ") + (f", {unit}" if unit else "")


def cell(row, column):
    text, x = row.get(column) or "", number(row.get(column))
    if x is None:
        text = text.replace("|", "/").replace("->", "→").replace("^3", "³")
        if column == "kernel":
            return f"`{text}`"
        is_wrong = column == "checked" and text not in ("yes", "") and not text.startswith(NOT_WRONG)
        is_bad = is_wrong or column == "failed_since" or (column in ("met", "passed") and text == "no")
        return f"**{text}**" if text and is_bad else text
    if column.startswith("share"):
        return f"{100 * x:.0f} %"
    unit, scale, _ = unit_of(column)
    text = f"{x:,.0f}" if not unit and text.lstrip("-").isdigit() else digits(x / scale)
    wanted = number(row.get(VERDICTS.get(column)))
    return f"**{text}**" if wanted and x > wanted else text


# ---- tables ----


def columns_of(text, rows):
    """Pairs of a column and its heading."""
    if not text:
        return [(column, heading(column)) for column in rows[0]] if rows else []
    pairs = (part.strip().partition(" as ") for part in text.split(","))
    return [(column, said or heading(column)) for column, _, said in pairs]


def line(cells):
    return "| " + " | ".join(cells) + " |\n"


def table(rows, columns):
    head = line(said for _, said in columns) + "|---" * len(columns) + "|\n"
    return head + "".join(line(cell(row, column) for column, _ in columns) for row in rows)


def written(figures, match, complain):
    """The text of a marked table, with the figures there are."""
    try:
        rows = figures.rows(match["name"])
    except (KeyError, ValueError) as error:
        complain(f"table {match['name']}: what it is made of lacks {error}")
        return match[0]
    if rows is None:
        complain(f"table {match['name']}: there is no performance/{match['name']}.csv")
        return match[0]
    begin = match[0][:match.start("rows") - match.start()]
    if match["column"]:
        rows = [row for row in rows if row.get(match["column"]) == match["value"]]
    columns = columns_of(match["columns"], rows)
    unknown = [column for column, _ in columns if rows and column not in rows[0]]
    if not rows or unknown:
        complain(f"table {match['name']}: " + (f"{unknown[0]} is no column of it" if unknown else "it has no rows"))
        return match[0]
    return begin + table(rows, columns) + "<!-- end -->"


def whose_text(match, runs):
    """What stands above a page."""
    of = match["runs"].split("; ")
    line = "" if runs <= set(of) else f"*The text is of the run of {' and of '.join(of)}; tables are of others.*\n"
    return f"<!-- text: {match['runs']} -->\n{line}<!-- end -->"


def write_pages(docs, results, figures, complain):
    pages = [docs / "performance.md", *sorted((docs / "performance").glob("**/*.md"))]
    for page in pages:
        name = page.relative_to(docs)
        text = page.read_text(encoding="utf-8")
        figures.read = set()
        text = TABLE.sub(lambda match, name=name: written(figures, match, lambda what: complain(f"{name}: {what}")), text)
        runs = figures.runs(figures.read)
        text = TEXT.sub(lambda match, runs=runs: whose_text(match, runs), text)
        (results / name).parent.mkdir(parents=True, exist_ok=True)
        (results / name).write_text(text, encoding="utf-8")


def main():
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    docs, results = (pathlib.Path(path) for path in sys.argv[1:])
    figures = Figures(results / "performance", docs / "performance")
    complaints = []
    write_pages(docs, results, figures, complaints.append)
    try:
        import plots
    except ImportError as error:
        print(f"SKIP plots: {error}")
    else:
        plots.write(figures, results / "performance", complaints.append)
    for complaint in complaints:
        print(f"MISSING {complaint}")
    return 1 if complaints else 0


if __name__ == "__main__":
    sys.exit(main())
