#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""What linear, mean and lowpass leave of rows that are faster than ticks: the tables of docs/howto/decimation.md.

    decimation.py                prints both tables; the column of SciPy only where SciPy is installed
    decimation.py --check PAGE   PASS or FAIL of each table on a page; without SciPy, its column is not compared

Sines of 1 kHz rows go through robocacheresample to ticks of 30 Hz, each in a channel of its own. SciPy's filter has the same
length, window and cutoff: firwin on the same sines at 30 kHz, which has a sample at each tick.
"""
import pathlib
import sys

from pipelines import NS, Scene, csv_source, from_bytes, np

ROW_RATE, TICK_RATE, SECONDS = 1000, 30, 20
FINE = 1000  # samples a tick, for SciPy
CUTOFF, HALF_NS = 0.4 * TICK_RATE, int(4 / (0.8 * TICK_RATE) * NS)
DISTURBANCES = (200.0, 200.3)
GAINS = (1.0, 3.0, 5.0, 8.0, 12.0, 14.0, 16.0, 18.0, 20.0, 25.0, 50.0, 100.0, 200.0, 490.0)
METHODS = ("linear", "mean", "lowpass")


def sines(times, frequencies):
    """[times, frequencies] of amplitude 1; times in s."""
    return np.sin(2 * np.pi * np.outer(times, frequencies) + 0.3 * np.arange(len(frequencies)))


def resampled(scene, times, rows, method):
    """The ticks without the first and last half second, and their times in s."""
    source = csv_source(scene.write_csv(times, rows.astype(np.float32)))
    out = scene.play(f"{source} ! robocacheresample rate={TICK_RATE}/1 interpolation={method} ! {{out}}")
    ticks = from_bytes(out, "float32").reshape(-1, rows.shape[1]).astype(np.float64)
    edge = TICK_RATE // 2
    return ticks[edge:-edge], (np.arange(len(ticks)) / TICK_RATE)[edge:-edge]


def rms(values):
    return float(np.sqrt(np.mean(np.square(values))))


def frequency_of(values):
    """Of the strongest frequency, in Hz."""
    spectrum = np.abs(np.fft.rfft(values * np.hanning(len(values)), 1 << 16))
    return float(np.argmax(spectrum)) * TICK_RATE / (1 << 16)


def gain_of(values, times, frequency):
    """Amplitude of the frequency, or of what it became, by least squares, in dB."""
    basis = np.stack([np.sin(2 * np.pi * frequency * times), np.cos(2 * np.pi * frequency * times)], axis=1)
    amplitude = np.linalg.norm(np.linalg.lstsq(basis, values, rcond=None)[0])
    return 20 * np.log10(max(amplitude, 1e-7))


def scipy_gains():
    """Of firwin, whose output at the ticks is that of rows resampled finely; None without SciPy."""
    try:
        from scipy import signal
    except ImportError:
        return None
    rate = FINE * TICK_RATE
    taps = signal.firwin(2 * int(HALF_NS * rate // NS) + 1, CUTOFF, window="hann", fs=rate)
    _, response = signal.freqz(taps, worN=np.array(GAINS), fs=rate)
    return 20 * np.log10(np.maximum(np.abs(response), 1e-7))


def newtons(values):
    return f"{rms(values):.3f}" if rms(values) >= 0.0005 else "below 0.001"


def disturbance_table(scene):
    times = np.arange(SECONDS * ROW_RATE) * (NS // ROW_RATE)
    rows = sines(times / NS, DISTURBANCES)
    lost = scene.random.random(len(times)) < 0.05
    uneven = np.sort(times + scene.random.normal(0, 100_000, len(times)).astype(np.int64).clip(-400_000, 400_000))
    uneven[0] = 0
    lost[0] = lost[-1] = False
    jittered = sines(uneven[~lost] / NS, DISTURBANCES[:1])
    table = []
    for method in METHODS:
        ticks, _ = resampled(scene, times, rows, method)
        ragged, _ = resampled(scene, uneven[~lost], jittered, method)
        heard = f"{frequency_of(ticks[:, 1]):.1f} Hz" if rms(ticks[:, 1]) > 0.01 else "nothing"
        table.append((f"`{method}`", newtons(ticks[:, 0]), newtons(ticks[:, 1]), heard, newtons(ragged[:, 0])))
    return table


def decibels(value):
    return "below −80" if value < -80 else f"{value:.1f}".replace("-", "−").replace("−0.0", "0.0")


def gain_table(scene):
    times = np.arange(SECONDS * ROW_RATE) * (NS // ROW_RATE)
    rows = sines(times / NS, GAINS)
    expected = scipy_gains()
    columns = []
    for method in METHODS:
        ticks, at = resampled(scene, times, rows, method)
        if method == "lowpass":  # without the ticks whose filter the ends cut off
            ticks, at = ticks[:-1], at[:-1]
        columns.append([gain_of(ticks[:, i], at, f) for i, f in enumerate(GAINS)])
    for i, f in enumerate(GAINS):
        yield (f"{f:g} Hz", *(decibels(column[i]) for column in columns), decibels(expected[i]) if expected is not None else None)


def row_of(cells):
    return "| " + " | ".join(cell for cell in cells if cell is not None) + " |"


def check(page, name, table):
    """SciPy's column, which is the last one, may be absent from the table."""
    lines = pathlib.Path(page).read_text(encoding="utf-8").splitlines()
    wrong = [row_of(cells) for cells in table if not any(
        line == row_of(cells) or (cells[-1] is None and line.startswith(row_of(cells)[:-1])) for line in lines)]
    print(f"FAIL decimation_{name}: {page} has no line {wrong[0]}" if wrong else f"PASS decimation_{name}")
    return not wrong


if __name__ == "__main__":
    if np is None:
        print("SKIP decimation: python3-numpy is not installed")
        sys.exit(0)
    scene = Scene(46)
    tables = {"disturbances": disturbance_table(scene), "gains": list(gain_table(scene))}
    scene.close()
    if sys.argv[1:2] == ["--check"]:
        sys.exit(0 if all([check(sys.argv[2], name, table) for name, table in tables.items()]) else 1)
    for table in tables.values():
        print("\n".join(map(row_of, table)), end="\n\n")
