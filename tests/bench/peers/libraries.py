#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Our kernels beside other libraries, on a machine with a GPU.

    bench-kernels --rows ROWS
    libraries.py ROWS... [--csv FOLDER]

On a GPU PyTorch, Triton, CuPy, cuBLAS and plain CUDA kernels, medians in us; alignments on one core, too, with NumPy, SciPy
and pandas, in ms; as far as they are installed. All of them work on what bench-kernels had, and must leave what it left.
FOLDER gets peers_align.csv, peers_align_cpu.csv and peers_voxel.csv with a line a peer, and …_libraries.csv with a line a
work."""
import argparse
import functools
import importlib
import pathlib
import subprocess
import sys
import time

import align_cpu
import align_rows
import peers
import voxel_rows

KINDS = {
    "alignment": peers.Kind(
        "align", "align_peers", ("plain CUDA", "Triton", "torch.compile", "PyTorch", "CuPy", "cuBLAS", "cuBLAS and matrix"),
        align_rows.inputs, align_rows.difference, align_rows.measured_beforehand, align_cpu.compare),
    "voxels": peers.Kind(
        "voxel", "voxel_peers", ("plain CUDA", "Triton", "torch.compile", "PyTorch", "CuPy"),
        voxel_rows.inputs, voxel_rows.difference, voxel_rows.measured_beforehand),
}


def clocks():
    fields = "name,driver_version,clocks.sm,clocks.max.sm,clocks.mem,temperature.gpu,power.draw"
    command = ["nvidia-smi", "-i", "0", f"--query-gpu={fields}", "--format=csv,noheader"]
    try:
        values = subprocess.run(command, check=True, capture_output=True, text=True).stdout.strip().split(", ")
    except (OSError, subprocess.CalledProcessError):
        return "nvidia-smi does not say"
    return ", ".join(f"{field} {value}" for field, value in zip(fields.split(","), values))


# ---- tables ----


def print_row(row, measured):
    best = peers.best_of(measured)
    peer = (f"{best[1].median:.1f}", best[0].name) if best else ("", "none")
    wanted = (f"{row['wanted_us']:g}", "pass" if row["cold_us"] <= row["wanted_us"] else "**above**") if row["wanted_us"] \
        else ("", "")
    print(f"| {row['work']} | {row['cold_us']:.1f} | " + " | ".join((*peer, *wanted))
          + f" | {row['must_move'] / 1e6:.2f} | {row['floor_us']:.1f} | {row['warm_us']:.1f} |", flush=True)


def print_peers(rows, measured):
    print("\n| work | peer | us |\n|---|---|---|")
    for row, of_row in zip(rows, measured):
        for peer, times in of_row.items():
            print(f"| {row['work']} | {peer.name} | {f'{times.median:.1f}' if isinstance(times, peers.Times) else times} |")


def print_head(kind, device, versions):
    print(f"\n{kind.name}: {device['device']}, {device['multiprocessors']} multiprocessors, "
          f"L2 {device['l2_bytes'] / 1e6:.0f} MB; copy {device['copy_gbps']:.0f} GB/s; "
          f"empty launch {device['launch_us']:.2f} us; "
          + ", ".join(f"{name} {version}" for name, version in versions.items()) + "\n\n"
          "| work | ours, us | best peer, us | which | wanted, us | | must move, MB | floor, us | ours warm, us |\n"
          + "|---" * 9 + "|", flush=True)


# ---- works ----


class Works:
    """Of a kind, from a folder of rows."""

    def __init__(self, folder, device, kind, rows):
        self.folder, self.device, self.kind, self.rows = folder, device, kind, rows

    @functools.cached_property
    def module(self):
        """Its peers on a GPU."""
        return importlib.import_module(self.kind.peers)

    def measure(self, torch, deadline):
        print_head(self.kind, self.device, self.module.versions())
        measured = []
        for row in self.rows:
            measured.append(peers.measure_row(torch, self.kind, self.module, self.folder, row, deadline))
            print_row(row, measured[-1])
        print_peers(self.rows, measured)
        return measured


def works_of(folder):
    device, rows = peers.read_rows(folder)
    if device is None:
        sys.exit(f"{folder} has no rows.json: expected a folder that bench-kernels --rows has filled")
    of_kinds = {name: [row for row in rows if row["kind"] == name] for name in KINDS}
    return [Works(folder, device, KINDS[name], of_kind) for name, of_kind in of_kinds.items() if of_kind]


def write(folder, name, *measured):
    """As peers.write_csvs has it; folder None: nothing is wanted."""
    if folder:
        folder.mkdir(parents=True, exist_ok=True)
        peers.write_csvs(folder / f"peers_{name}.csv", *measured)


def import_torch():
    """None, as a line says: there is none for this GPU."""
    try:
        torch = peers.import_torch()
        if torch.cuda.is_available():
            return torch
        print("SKIP peers on a GPU: PyTorch finds none")
    except (ImportError, OSError) as error:
        print(f"SKIP peers on a GPU: {error}")
    return None


def measure_on_gpu(torch, works, csv_folder):
    """The number of peers that no time was left for."""
    peers.fill_caches(torch, [(of_kind.kind, of_kind.module, row) for of_kind in works for row in of_kind.rows])
    print(f"before: {clocks()}")
    deadline = time.monotonic() + peers.SECONDS
    late = 0
    for of_kind in works:
        measured = of_kind.measure(torch, deadline)
        late += sum(list(of_row.values()).count(peers.NO_TIME) for of_row in measured)
        write(csv_folder, of_kind.kind.name, of_kind.kind.libraries, of_kind.rows, measured, "cold_us")
    print(f"\nafter: {clocks()}", flush=True)
    return late


def measure_on_cpu(works, csv_folder):
    for of_kind in works:
        if of_kind.kind.on_cpu:
            write(csv_folder, f"{of_kind.kind.name}_cpu", *of_kind.kind.on_cpu(of_kind.folder, of_kind.rows), "cpu_us")


def read_arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("rows", type=pathlib.Path, nargs="+")
    parser.add_argument("--csv", type=pathlib.Path, metavar="FOLDER")
    return parser.parse_args()


def main():
    arguments = read_arguments()
    torch, late = import_torch(), 0
    works = [of_kind for folder in arguments.rows for of_kind in works_of(folder)]
    if torch:
        late = measure_on_gpu(torch, works, arguments.csv)
    measure_on_cpu(works, arguments.csv)
    if late:
        print(f"FAIL {peers.NO_TIME} for {late} peers, after {peers.SECONDS} s")
    return 1 if late else 0


if __name__ == "__main__":
    sys.exit(main())
