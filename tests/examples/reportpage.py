#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Reads a report as XML, and prints what it shows.

    reportpage.py PAGE           lines of NAME VALUE…, one for each fact and stream
    reportpage.py --browser PAGE  the same for what headless Chromium makes of it: its messages, charts and printed pages

A chart is empty if it says that it has no data, or has no mark: no path, circle, or rectangle of some size."""
import math
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import xml.etree.ElementTree as ElementTree

XHTML = "{http://www.w3.org/1999/xhtml}"
MARKS = {"path", "circle", "rect"}
NUMBER = re.compile(r"-?\d+(\.\d+)?")
SECONDS = 60


def digits(text):
    """The number that a text shows, without the narrow spaces in it."""
    return int(re.sub(r"\D", "", text))


def name_of(element):
    return element.tag.removeprefix(XHTML)


def is_mark(element):
    if name_of(element) == "rect":
        return float(element.get("width")) > 0 and float(element.get("height")) > 0
    return name_of(element) in MARKS


def is_empty(chart):
    return int(chart.get("data-n")) == 0 or not any(is_mark(element) for element in chart.iter())


def wrong_numbers(chart):
    """Coordinates that are none, like nan."""
    values = (value for element in chart.iter() for key, value in element.items() if key in ("x", "y", "width", "height", "cx", "cy"))
    paths = (value for element in chart.iter() for value in re.split(r"[MLZ h]+", element.get("d", "")) if value)
    return [value for value in (*values, *paths) if not NUMBER.fullmatch(value) and not re.fullmatch(r"-?\.5", value)]


def account_of(section):
    """"12 = 12" for the total of a stream and the sum of its parts."""
    for paragraph in section.iter(XHTML + "p"):
        if paragraph.get("class") == "account":
            total, *parts = (digits(number.text) for number in paragraph.iter(XHTML + "b"))
            return f"{total} = {sum(parts)}"
    return "none"


def least_distance(text, theme):
    """Of the colour of missing ticks from those of streams, 0 to 441, in the light (0) or the dark theme."""
    colour = lambda name: re.findall(rf"--{name}: #([0-9a-f]{{6}})", text)
    bytes_of = lambda digits: [int(digits[i:i + 2], 16) for i in (0, 2, 4)]
    missing = bytes_of(colour(re.search(r"\.missing { fill: var\(--(\w+)\)", text)[1])[theme])
    return int(min(math.dist(missing, bytes_of(other)) for other in colour(("light", "dark")[theme])))


def read_page(path):
    text = pathlib.Path(path).read_text(encoding="utf-8")
    page = ElementTree.fromstring(text.removeprefix("<!DOCTYPE html>\n"))
    charts = list(page.iter(XHTML + "svg"))
    print("charts", len(charts))
    print("empty", sum(map(is_empty, charts)))
    print("unlabelled", sum(not chart.get("aria-label") for chart in charts))
    print("wrong-numbers", *sum(map(wrong_numbers, charts), []))
    print("outside", *re.findall(r'(?:src|href)="(?!#)[^"]*"|url\([^)]*\)|<script', text))
    print("title", page.find(f".//{XHTML}h1").text)
    for section in page.iter(XHTML + "section"):
        heading = section.find(XHTML + "h2")
        if heading is not None:
            name = "".join(heading.itertext())
            print("stream", name, "charts", sum(1 for _ in section.iter(XHTML + "svg")), "account", account_of(section))
    lists = {item.get("class"): [line.text for line in item] or [item.text] for item in page.iter() if name_of(item) in ("ul", "p")}
    print("notes", *(line.text for item in page.iter(XHTML + "ul") if item.get("class") == "notes" for line in item))
    print("verdict", "; ".join(lists["verdict"]))
    print("settings", *(item.text for item in page.iter(XHTML + "code")))
    print("colours", least_distance(text, 0), least_distance(text, 1))


def run_browser(browser, folder, *arguments):
    return subprocess.run([browser, "--headless", "--no-sandbox", "--disable-gpu", "--enable-logging=stderr",
                           f"--user-data-dir={folder}", *arguments], capture_output=True, text=True, timeout=SECONDS, check=False)


def look_at(path):
    """Of Debian's package; elsewhere it may have another name, and then there is none."""
    browser, url = shutil.which("chromium"), pathlib.Path(path).resolve().as_uri()
    if not browser:
        print("browser none")
        return
    with tempfile.TemporaryDirectory() as folder:
        shown = run_browser(browser, folder, "--dump-dom", url)
        printed = pathlib.Path(folder, "page.pdf")
        said = run_browser(browser, folder, f"--print-to-pdf={printed}", url)
        pages = len(re.findall(rb"/Type\s*/Page\b", printed.read_bytes()))
    print("charts", shown.stdout.count("<svg "))
    print("console", *re.findall(r".*CONSOLE.*", shown.stderr + said.stderr))
    print("pages", pages)


if sys.argv[1] == "--browser":
    look_at(sys.argv[2])
else:
    read_page(sys.argv[1])
