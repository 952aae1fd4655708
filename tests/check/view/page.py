#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""The live page in a headless Chromium, and robocache top, on pipelines with known faults.

    page.py BUILD [FOLDER]      FOLDER: keeps pictures of the page in light, dark and phone width

Prints PASS or FAIL for each case. Ends with 77 where Chromium or GStreamer's introspection is missing."""
import csv
import json
import os
import pathlib
import re
import select
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
import urllib.error
import urllib.request

sys.path.insert(0, str(pathlib.Path(__file__).parent))
import browser  # noqa: E402

ROOT = pathlib.Path(__file__).resolve().parents[3]
TIMEOUT_S = 90
TOKEN = "0123456789abcdef0123456789abcdef"
SCENE = ROOT / "tests/check/view/scene.py"

# scene: the first line of the page and of robocache top, and limits of its number. A busy machine adds to what is late.
FAULTS = {
    "late": (r"The timestamps of camera_0 are \d+ ms late: .* Set camera_0::offset=-(\d+) \(ns, now 0\)", 40e6, 90e6),
    "early": (r"camera_0 is \d+ ms late: .* Set latency=\d+ of f \(ns, now 5000000\), or, .* camera_0::offset=(\d+) ", 75e6, 300e6),
    "slow": (r"camera_0 is (\d+) ms late: it .* Set latency=\d+ of f \(ns, now 5000000\)", 60, 300),
    "dead": (r"force_0 has sent no row for ()\d.*, and is missing in the samples: look at the sensor", None, None),
    "ended": (r"force_0 has sent no row for ()\d.*, and is missing in the samples: look at the sensor", None, None),
    "behind": (r"The clock of proprio_0 is 1(?:\.\d+)? s behind, .* Set proprio_0::clock-mode=track, or proprio_0::offset=(\d+)", 0.98e9, 1.2e9),
    "ahead": (r"The clock of proprio_0 is (?:1 s|9\d\d ms) ahead: .* Set proprio_0::clock-mode=track, or proprio_0::offset=-(\d+)", 0.9e9, 1.02e9),
    # of the second fuse, which has a stream of the same name
    "two": (r"g: The clock of proprio_0 is (?:1 s|9\d\d ms) ahead: .* proprio_0::offset=-(\d+)", 0.9e9, 1.02e9),
}
MARKED = {"two": "g: proprio_0"}
WIDTHS = {"light": (1280, 1500, False), "dark": (1280, 1500, True), "phone": (390, 844, False)}


# ---- pipelines ----

class Scene:
    """A robot with a fault, in a process of its own."""

    def __init__(self, name, port=0):
        self.process = subprocess.Popen(["/usr/bin/python3", SCENE, name, str(port)], stdout=subprocess.PIPE, stdin=subprocess.PIPE, text=True)
        line = self.process.stdout.readline().split()
        assert line and line[0] == "port", f"{name}: the pipeline does not start"
        self.port = int(line[1])
        self.url = f"http://127.0.0.1:{self.port}/"

    def stats(self):
        """Statistics of the fuse by pad, read now."""
        self.process.stdin.write("stats\n")
        self.process.stdin.flush()
        return json.loads(self.process.stdout.readline())

    def kill(self):
        self.process.kill()
        self.process.wait()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.kill()


# ---- the page ----

def text_of(page, name):
    return page.run("return document.getElementById(arguments[0]).textContent", name)


def wait_for(what, condition):
    end = time.monotonic() + TIMEOUT_S
    while time.monotonic() < end:
        value = condition()
        if value:
            return value
        # the page draws in its own time
        select.select([], [], [], 0.2)
    raise AssertionError(f"{what}: not within {TIMEOUT_S} s")


CHARTS = "return [...document.querySelectorAll('[data-n]')].map(item => [item.getAttribute('aria-label'), Number(item.dataset.n)])"
N_CHARTS = 1 + 3 * 3


def wait_for_charts(page):
    """Each chart has data."""
    return wait_for("charts with data", lambda: (charts := page.run(CHARTS)) and len(charts) == N_CHARTS and all(n > 0 for _, n in charts))


def check_console(page):
    errors = [line for line in page.log() if line["level"] == "SEVERE"]
    assert not errors, errors


def test_charts(keep):
    with Scene("good") as scene:
        for name, (width, height, dark) in WIDTHS.items():
            with browser.Browser(width, height, dark) as page:
                page.open(scene.url)
                if name == "phone":
                    page.command("Emulation.setDeviceMetricsOverride", width=width, height=3 * height, deviceScaleFactor=2, mobile=True)
                wait_for_charts(page)
                assert page.run("return document.documentElement.scrollWidth <= window.innerWidth"), f"{name}: the page is wider than its window"
                check_console(page)
                if keep:
                    page.picture(pathlib.Path(keep) / f"page-{name}.png")


def test_texts(_):
    """Numbers and their units are those of a report, and marks have the classes of its style sheet."""
    tool = pathlib.Path(sys.argv[1]) / "tests/check/pagetool"
    rows = [json.loads(line) for line in subprocess.run([tool], stdout=subprocess.PIPE, text=True, check=True).stdout.splitlines()]
    with Scene("good") as scene, browser.Browser() as page:
        page.open(scene.url)
        found = page.run("return arguments[0].map(([name, values]) => ({ numberText, durationText, countText, percentText })[name](...values))", rows)
        wrong = [(row, text) for row, text in zip(rows, found) if row[2] != text]
        assert len(rows) > 50 and not wrong, wrong
        wait_for_charts(page)
        unknown = page.run("""const rules = [...document.styleSheets[0].cssRules].map(rule => rule.cssText).join(" ");
            const used = new Set([...document.querySelectorAll("svg [class]")].flatMap(item => [...item.classList]));
            return [...used].filter(name => !rules.includes("." + name))""")
        # those of a report without a rule
        assert set(unknown) <= {"start", "unit"}, unknown


def verdicts(page):
    return [text.replace("\u202f", " ") for text in page.run("return [...document.querySelectorAll('#verdict li')].map(item => item.textContent)")]


def is_fault(name, lines):
    pattern, low, high = FAULTS[name]
    found = re.match(pattern, lines[0]) if lines else None
    return found and (low is None or low <= int(found.group(1)) <= high)


def top_lines(port):
    return [line[2:].replace("\u202f", " ") for line in run_top(pathlib.Path(sys.argv[1]), f":{port}").stdout.splitlines() if line.startswith("! ")]


def test_faults(keep):
    for name, (pattern, _, _) in FAULTS.items():
        with Scene(name) as scene, browser.Browser() as page:
            page.open(scene.url)
            wait_for(name, lambda: is_fault(name, verdicts(page)))
            wait_for(name, lambda: is_fault(name, top_lines(scene.port)))
            marked = page.run("return [...document.querySelectorAll('article.faulty h2')].map(item => item.textContent)")
            assert MARKED.get(name, re.search(r"\w+_0", pattern).group(0)) in marked, marked
            check_console(page)
            if keep:
                page.picture(pathlib.Path(keep) / f"fault-{name}.png")


def test_last_words(keep):
    """The error that ends a pipeline is still shown after its end, if the browser gets the CPU within the time that the server waits."""
    assert any(shows_full_disk(keep) for _ in range(3))


def shows_full_disk(keep):
    text = "recorder: The disk is full: cannot write /dev/full: No space left on device. Delete files, or set location of recorder to another disk"
    with Scene("full") as scene, browser.Browser() as page:
        page.open(scene.url)
        wait_for_charts(page)
        scene.process.stdin.write("fail\n")
        scene.process.stdin.flush()
        wait_for("the end", lambda: "no connection" in text_of(page, "state"))
        # what came before the end is drawn within a second of its CPU time
        for _ in range(5):
            page.command("Runtime.evaluate", expression="new Promise(done => requestAnimationFrame(() => setTimeout(done, 1000)))", awaitPromise=True)
            if verdicts(page)[:1] == [text]:
                break
        if keep:
            page.picture(pathlib.Path(keep) / "fault-full.png")
        return verdicts(page)[:1] == [text]


def test_two_fuses(_):
    """Figures of streams with one name are those of their fuse."""
    with Scene("two") as scene, browser.Browser(height=3000) as page:
        page.open(scene.url)
        rows = "return [...document.querySelectorAll('article')].map(item => [item.querySelector('h2').textContent, Number(item.style.order)])"
        names = ["f: camera_0", "f: force_0", "f: proprio_0", "g: proprio_0", "/proprio_0"]
        wait_for("a row a stream", lambda: sorted(name for name, _ in page.run(rows)) == sorted(names))
        orders = dict(page.run(rows))
        assert orders["f: proprio_0"] < orders["g: proprio_0"] < orders["/proprio_0"], orders
        figures = "return [...document.querySelectorAll('#figures dl > div')].map(item => [...item.children].map(part => part.textContent))"
        wait_for("rates", lambda: re.match(r"[45]\d", dict(page.run(figures)).get("f: tick rate", "")) and re.match(r"[12]\d", dict(page.run(figures))["g: tick rate"]))
        check_console(page)
        scene.kill()
        with Scene("good", scene.port):
            wait_for("figures of one fuse", lambda: not any(name.startswith("g: ") for name in dict(page.run(figures))))
            assert page.run("return document.querySelectorAll('#ticks figure').length") == 1


def test_renamed_channels(_):
    """The channel that is chosen stays, by its name, where others have new names; without it, the first one is chosen."""
    with Scene("renamed") as scene, browser.Browser(height=3000) as page:
        page.open(scene.url)
        row = "const row = [...document.querySelectorAll('article')].find(item => item.querySelector('h2').textContent === '/others');"
        names = row + "return row && row.querySelector('select') && [...row.querySelectorAll('option')].map(item => item.textContent)"
        wait_for("channels", lambda: page.run(names))
        first = [f"q{i}.position" for i in range(14)]
        second = ["elbow.position", "wrist.position"] + first[:12]
        for chosen, renamed, expected in (("q1.position", second, "q1.position"), ("wrist.position", first, "q0.position")):
            page.run(row + "row.querySelector('select').value = arguments[0]", chosen)
            scene.process.stdin.write("rename\n")
            scene.process.stdin.flush()
            wait_for("other names", lambda: page.run(names) == renamed)
            assert page.run(row + "return row.querySelector('select').value") == expected
        check_console(page)


def test_restart(_):
    """A killed server is said, and a new one is found without a reload."""
    with Scene("good") as scene, browser.Browser() as page:
        page.open(scene.url)
        wait_for_charts(page)
        scene.kill()
        wait_for("the loss", lambda: "no connection" in text_of(page, "state"))
        with Scene("good", scene.port):
            wait_for("the new server", lambda: text_of(page, "state").startswith("connected"))
            before = int(page.run("return Math.min(...[...document.querySelectorAll('article canvas')].map(item => item.dataset.n))"))
            wait_for("new pictures", lambda: page.run("return Number(document.querySelector('article canvas').dataset.n)") > before)


# ---- a slow network ----

class Throttle:
    """A proxy that passes rate bytes a second to the client."""

    def __init__(self, port, rate):
        self.target, self.rate = port, rate
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.port = self.listener.getsockname()[1]
        threading.Thread(target=self._accept, daemon=True).start()

    def _accept(self):
        while True:
            client, _ = self.listener.accept()
            client.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, 16384)
            server = socket.create_connection(("127.0.0.1", self.target))
            threading.Thread(target=self._copy, args=(client, server, None), daemon=True).start()
            threading.Thread(target=self._copy, args=(server, client, self.rate), daemon=True).start()

    def _copy(self, source, to, rate):
        try:
            while data := source.recv(2048):
                to.sendall(data)
                if rate:
                    time.sleep(len(data) / rate)
        except OSError:
            pass
        to.close()


def test_slow_network(_):
    """The page follows, the pipeline does not wait."""
    with Scene("good") as scene, browser.Browser() as page:
        throttle = Throttle(scene.port, 60_000)
        page.open(f"http://127.0.0.1:{throttle.port}/")
        wait_for("ticks on the page", lambda: text_of(page, "figures").startswith("ticks") and re.match(r"ticks\d", text_of(page, "figures")))
        before, begin = scene.stats()["ticks-out"], time.monotonic()
        wait_for("losses that are shown", lambda: not text_of(page, "figures").endswith("lost by this page0") and not text_of(page, "figures").endswith("–"))
        ticks, seconds = scene.stats()["ticks-out"] - before, time.monotonic() - begin
        assert seconds < 1 or ticks > 25 * seconds, f"{ticks} ticks in {seconds:.1f} s"


# ---- marks of episodes ----

def test_marks(_):
    with tempfile.TemporaryDirectory() as folder:
        recording = pathlib.Path(folder) / "run.mcap"
        environment = {**os.environ, "ROBOCACHE_VIEW_TOKEN": TOKEN, "PYTHONPATH": str(ROOT / "examples/dataset")}
        command = ["/usr/bin/python3", "-m", "robocache.record", recording, "--simulated", "--task", "pick", "--view"]
        process = subprocess.Popen(command, env=environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        try:
            line = next(line for line in process.stdout if "live view" in line)
            assert TOKEN not in line, "the token is in a log"
            mark_episodes(re.search(r"http://\S+", line).group(0))
            process.stdout.read()
            assert process.wait() == 0
        finally:
            process.kill()
        with open(recording.with_suffix(".episodes.csv"), encoding="utf-8") as file:
            rows = [(row["task"], row["success"], row["discard"]) for row in csv.DictReader(file)]
        assert rows == [("pick", "true", ""), ("pick", "", "true")], rows


def press(page, key):
    for kind in ("keyDown", "keyUp"):
        page.command("Input.dispatchKeyEvent", type=kind, key=key, text=key if kind == "keyDown" else "")


def click(page, label):
    page.run("[...document.querySelectorAll('#buttons button')].find(item => item.firstChild.textContent === arguments[0]).click()", label)


def mark_episodes(address):
    with browser.Browser() as page:
        page.open(address)
        wait_for("the session", lambda: text_of(page, "session"))
        assert page.run("return [...document.querySelectorAll('#buttons button')].every(item => item.disabled)"), "buttons without the token"
        assert page.run("return !document.getElementById('no-token').hidden")
    with browser.Browser() as page:
        page.open(f"{address}#token={TOKEN}")
        wait_for("the session", lambda: "0 episodes" in text_of(page, "session"))
        click(page, "start in 3 s")
        wait_for("the countdown", lambda: "episode 0 runs" in text_of(page, "session"))
        click(page, "success")
        wait_for("a success", lambda: "the last one: success" in text_of(page, "session"))
        press(page, " ")
        wait_for("the second episode", lambda: "episode 1 runs" in text_of(page, "session"))
        press(page, "d")
        wait_for("a discard", lambda: "discarded" in text_of(page, "session"))
        click(page, "end the recording")
        wait_for("the end", lambda: "no connection" in text_of(page, "state"))


# ---- --view, and who may connect ----

def fetch(url, method="GET", **headers):
    try:
        with urllib.request.urlopen(urllib.request.Request(url, headers=headers, method=method), timeout=TIMEOUT_S) as answer:
            return answer.status, dict(answer.headers), answer.read().decode()
    except urllib.error.HTTPError as error:
        return error.code, {}, error.read().decode()


def run_simulation(*options):
    program = pathlib.Path(sys.argv[1]) / "examples/tools/robocache-simulate"
    command = [program, "--seconds", "60", "--cloud-seconds", "0", "--picture", "", "--report", "", *options]
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def test_option(_):
    with run_simulation("--view") as process:
        try:
            url = re.search(r"http://\S+/", next(line for line in process.stdout if line.startswith("live view: "))).group(0)
            wait_for("the server", lambda: is_listening(url))
            status, headers, text = fetch(url)
            assert status == 200 and text.startswith("<!DOCTYPE html>") and "http" not in re.sub(r"http://www.w3.org/\S+|http://localhost", "", text)
            host = url.split("/")[2]
            assert f"connect-src ws://{host};" in headers["Content-Security-Policy"] and "frame-ancestors 'none'" in headers["Content-Security-Policy"]
            assert fetch(url, "HEAD")[0] == 200 and fetch(url, Origin=url.rstrip("/"))[0] == 200
            assert fetch(url, Host="robot.example.org")[0] == 403 and fetch(url, Origin="http://example.org")[0] == 403
            assert fetch(url, "POST")[0] == 426 and fetch(url + "other")[0] == 426
        finally:
            process.kill()
    for wrong in ("--view=0", "--view=65536", "--view=x"):
        with run_simulation(wrong) as process:
            assert process.wait() == 2 and "expected a port from 1 to 65535" in process.stderr.read(), wrong


def is_listening(url):
    try:
        fetch(url)
        return True
    except urllib.error.URLError:
        return False


# ---- robocache top ----

def run_top(build, *arguments):
    return subprocess.run([build / "examples/tools/robocache-top", *arguments], capture_output=True, text=True, timeout=TIMEOUT_S)


def test_shown_counts(_):
    """Of rows that are over, the page shows the counts of stats."""
    with Scene("counted") as scene, browser.Browser() as page:
        wait_for("the end of the rows", lambda: scene.stats()["ticks-out"] >= 98)
        page.open(scene.url)
        stats = scene.stats()
        figures = "return Object.fromEntries([...document.querySelectorAll('#figures dl > div')].map(item => [...item.children].map(part => part.textContent)))"
        wait_for("ticks", lambda: page.run(figures).get("ticks") == str(stats["ticks-out"]))
        assert page.run(figures)["ticks dropped"] == str(stats["ticks-dropped"])


def test_top(_):
    """Its numbers are those of stats."""
    build = pathlib.Path(sys.argv[1])
    with Scene("counted") as scene:
        wait_for("the end of the rows", lambda: scene.stats()["ticks-out"] >= 98)
        stats, done = scene.stats(), run_top(build, "--json", f":{scene.port}")
        assert done.returncode == 0, done.stderr
        status = json.loads(done.stdout)
        assert status["fuses"][0]["ticks_out"] == stats["ticks-out"]
        for stream in status["streams"]:
            of_pad = stats[stream["name"]]
            for field in ("rows-in", "rows-used", "rows-late", "rows-duplicate", "rows-dropped", "ticks-aligned", "ticks-held", "ticks-missing", "age-p50", "age-p99"):
                assert stream[field.replace("-", "_")] == of_pad[field], f"{stream['name']} {field}"
        table = run_top(build, f"localhost:{scene.port}")
        assert table.returncode == 0 and "\033" not in table.stdout, table
        assert re.search(rf"^f: .* {stats['ticks-out']} out, 0 dropped", table.stdout, re.M), table.stdout
        late = stats["sink_1"]["rows-duplicate"]
        assert late > 0 and re.search(rf"lost since the start: .*duplicate {late}$", table.stdout, re.M), table.stdout
        port = scene.port
    assert run_top(build, f":{port}").returncode == 1
    assert run_top(build, "localhost:0").returncode == 2
    assert run_top(build, "--wrong").returncode == 2


def test_top_terminal(_):
    """On a terminal it draws again and again, and ends with the server."""
    build, (leader, follower) = pathlib.Path(sys.argv[1]), os.openpty()
    with Scene("slow") as scene:
        top = subprocess.Popen([build / "examples/tools/robocache-top", f":{scene.port}"], stdout=follower, stderr=subprocess.PIPE)
        os.close(follower)
        text = b""
        while text.count(b"\033[H") < 3 or b"its last row" not in text:
            text += os.read(leader, 65536)
        scene.kill()
        end = top.stderr.read().decode()
        assert top.wait() == 1 and "the connection is closed" in end, end
    top = subprocess.Popen([build / "examples/tools/robocache-top", ":1"], stderr=subprocess.PIPE, text=True, stdout=subprocess.PIPE)
    assert top.wait() == 1 and "error: ws://localhost:1/" in top.stderr.read()


def test_top_last_words(_):
    build, (leader, follower) = pathlib.Path(sys.argv[1]), os.openpty()
    with Scene("full") as scene:
        top = subprocess.Popen([build / "examples/tools/robocache-top", f":{scene.port}"], stdout=follower, stderr=subprocess.PIPE)
        os.close(follower)
        text = os.read(leader, 65536)
        scene.process.stdin.write("fail\n")
        scene.process.stdin.flush()
        while b"The disk is full" not in text:
            text += os.read(leader, 65536)
        assert top.wait() == 1


CASES = {"charts": test_charts, "texts": test_texts, "faults": test_faults, "last_words": test_last_words, "two_fuses": test_two_fuses, "renamed_channels": test_renamed_channels, "restart": test_restart, "slow_network": test_slow_network,
         "marks": test_marks, "option": test_option, "shown_counts": test_shown_counts, "top": test_top, "top_terminal": test_top_terminal, "top_last_words": test_top_last_words}
WITHOUT_BROWSER = ("option", "top", "top_terminal", "top_last_words")


def main():
    if subprocess.run(["/usr/bin/python3", "-c", "import gi"], capture_output=True).returncode != 0:
        print("SKIP page: python3-gi is missing")
        return 77
    failed, lacks = 0, browser.missing()
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))
    for name, case in CASES.items():
        if lacks and name not in WITHOUT_BROWSER:
            print(f"SKIP {name}: {lacks} is missing")
            continue
        if os.environ.get("ROBOCACHE_PAGE_CASES", name) != name:
            continue
        try:
            case(sys.argv[2] if len(sys.argv) > 2 else None)
            print(f"PASS {name}", flush=True)
        except (AssertionError, OSError, StopIteration, subprocess.TimeoutExpired) as error:
            failed += 1
            print(f"FAIL {name}: {error or type(error).__name__}", flush=True)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
