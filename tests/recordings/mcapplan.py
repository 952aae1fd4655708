# SPDX-License-Identifier: LGPL-2.1-or-later
"""Lists of records, as mcapfile.c has them, and the run of a table of cases."""
import random
import subprocess
import tempfile
from pathlib import Path

COMPRESSIONS = ("none", "zstd", "lz4")


def hexed(text):
    return (text.encode() if isinstance(text, str) else text).hex() or "-"


class Plan:
    """Records to write, as (kind, values...)."""

    def __init__(self, seed, n_messages=200, n_channels=4, is_ordered=True, with_others=True):
        rng = random.Random(seed)
        self.records = []
        time = 1_700_000_000_000_000_000 if seed % 2 else 0
        known = set()
        for i in range(n_messages):
            channel = rng.choice((*range(n_channels - 1), 65535))
            if channel not in known:
                self.records += self.definitions(channel, rng)
                known.add(channel)
            time += rng.randrange(0, 3) * rng.randrange(0, 10**9) * (1 if is_ordered else rng.choice((1, 0, -1)))
            time = max(time, 0)
            size = rng.choice((0, 1, 4, 100, 5000))
            self.records.append(("message", channel, i, time, max(0, time - rng.randrange(10**8)),
                                 rng.randbytes(size // 2) + bytes(size - size // 2)))
            if rng.randrange(40) == 0:
                self.records.append(("chunk",))
            if with_others and rng.randrange(50) == 0:
                self.records.append(("attachment", time, 5, f"file {i}", "text/plain", rng.randbytes(rng.choice((0, 9, 3000)))))
            if with_others and rng.randrange(50) == 0:
                self.records.append(("metadata", f"meta {i}", {"ключ": "value", "empty": ""}))

    @staticmethod
    def definitions(channel, rng):
        schema = channel % 3 + 1 if channel != 65535 else 65535
        return [("schema", schema, f"pkg/msg/Größe{schema}", "ros2msg", b"float64 x\n" * schema if schema < 9 else b""),
                ("channel", channel, schema, f"/topic/{channel}", "cdr", {"offered_qos_profiles": "", "n": str(channel)})]

    def of(self, kind):
        return [r[1:] for r in self.records if r[0] == kind]

    def text(self):
        return "".join(" ".join(self.words(record)) + "\n" for record in self.records)

    @staticmethod
    def words(record):
        for value in record:
            if isinstance(value, dict):
                for item in value.items():
                    yield from map(hexed, item)
            elif value in ("schema", "channel", "message", "chunk", "attachment", "metadata") or isinstance(value, int):
                yield str(value)
            else:
                yield hexed(value)


def write_with_ours(program, plan, compression):
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "x.mcap")
        subprocess.run([program, "write", path, compression], input=plan.text().encode(), check=True)
        return path.read_bytes()


def run_ours(program, data, command, *arguments):
    """The lines that mcapfile prints for the bytes of a file."""
    with tempfile.NamedTemporaryFile(suffix=".mcap") as file:
        file.write(data)
        file.flush()
        done = subprocess.run([program, command, file.name, *map(str, arguments)], capture_output=True, check=False)
    if done.returncode:
        return [f"exit status {done.returncode}: {done.stderr.decode().strip()}"]
    return done.stdout.decode().splitlines()


def shorten(value):
    text = repr(value)
    return text if len(text) < 300 else text[:300] + "…"


def first_difference(got, expected):
    if isinstance(got, list) and isinstance(expected, list):
        for i, (a, b) in enumerate(zip(got, expected)):
            if a != b:
                return f"item {i}: got {shorten(a)}, expected {shorten(b)}"
        if len(got) != len(expected):
            return f"got {len(got)} items, expected {len(expected)}; one more: {shorten((got + expected)[min(len(got), len(expected))])}"
    return f"got {shorten(got)}, expected {shorten(expected)}"


def run_case(case, *arguments):
    """A case generates (what, got, expected). The first difference, or None."""
    n = 0
    try:
        for what, got, expected in case(*arguments):
            n += 1
            if got != expected:
                return f"{what}: {first_difference(got, expected)}"
    except Exception as error:
        return repr(error)
    return None if n else "nothing was compared"


def run_cases(cases):
    """cases: (name, function, arguments). Prints PASS or FAIL for each; the exit status."""
    failed = False
    for name, case, *arguments in cases:
        difference = run_case(case, *arguments)
        print(f"FAIL {name}: {difference}" if difference else f"PASS {name}", flush=True)
        failed = failed or bool(difference)
    return 1 if failed else 0
