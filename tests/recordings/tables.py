#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Tables and point files against pandas, numpy.loadtxt, plyfile and laspy, value by value.

    tables.py PARSETOOL [CASE...]

Prints PASS, FAIL or SKIP for each case; exit status 1 if one failed.
"""
import datetime
import io
import re
import struct
import subprocess
import sys
import tempfile
from decimal import Decimal
from pathlib import Path

try:
    import numpy as np
except ImportError:
    np = None
try:
    import pandas as pd
except ImportError:
    pd = None

S, MS = 10**9, 10**6
UTC = datetime.timezone.utc


def since_1970(text, form):
    """ns of a time without a fraction below 1 us."""
    moment = datetime.datetime.strptime(text, form).replace(tzinfo=UTC)
    return round((moment - datetime.datetime(1970, 1, 1, tzinfo=UTC)) / datetime.timedelta(microseconds=1)) * 1000


def of_day(text):
    h, m, s = text.split(":")
    return (int(h) * 3600 + int(m) * 60) * S + int(Decimal(s) * S)


def exact(unit):
    return lambda text: int(Decimal(text.replace(",", ".")) * unit)


def gps(week, tow, leap=18):
    return 315964800 * S + int(week) * 604800 * S + int(Decimal(tow) * S) - leap * S


def over_midnight(texts):
    times, days, before = [], 0, None
    for text in texts:
        ns = of_day(text)
        days += before is not None and ns < before - 43200 * S
        times.append(ns + days * 86400 * S)
        before = ns
    return times


TUM = "# ground truth\n# timestamp tx ty tz qx qy qz qw\n" + "".join(f"17000000{i:02d}.{i * 13 % 100:02d} {i} {-i / 3:.6f} 0 0 0 0.6 0.8\n" for i in range(30))
EUROC = "#timestamp [ns],w_RS_S_x [rad s^-1],a_RS_S_x [m s^-2]\n" + "".join(f"{1403636579758555392 + i * 5000000},{i / 7:.9f},{9.81 - i}\n" for i in range(40))
LAB = "Recorder: A,B\nRate: 100 Hz\n\nTime,Force,Torque\ns,N,Nm\n" + "".join(f"{i / 100:.2f},{i * 0.5},{-i}\n" for i in range(20))
WIDE = "t," + ",".join(f"c{i}" for i in range(10000)) + "\n" + "".join(f"{k / 100}," + ",".join(str((i * 7 + k) % 1000 / 8) for i in range(10000)) + "\n" for k in range(5))
# text; options; what pandas reads it with; times: column or columns and a function of their texts, or of all rows of them; columns of values
TABLES = {
    "tum": (TUM, [], {"sep": " ", "comment": "#", "names": "timestamp tx ty tz qx qy qz qw".split()}, "timestamp", exact(S)),
    "euroc": (EUROC, [], {}, "#timestamp [ns]", exact(1)),
    "comment_with_comma": ("# made by me, today\ntime,x,y\n0.00,1,2\n0.01,2,3\n0.02,3,4\n", [], {"comment": "#"}, "time", exact(S)),
    "preamble_and_units": (LAB, [], {"skiprows": [0, 1, 2, 4]}, "Time", exact(S)),
    "words_below_the_names": ("time,x,y\n--,--,--\n0.0,1,2\n0.1,2,3\n", [], {"skiprows": [1]}, "time", exact(S)),
    "words_and_units_below": ("time;x;y\n[ms];[m];[m]\nraw;raw;raw\n0;1;2\n5;2;3\n", [], {"sep": ";", "skiprows": [1, 2]}, "time", exact(MS)),
    "numbers_above_units": ("Time,1,2\ns,V,V\n0.0,1,2\n0.1,2,3\n", [], {"skiprows": [1]}, "Time", exact(S)),
    "words_that_differ": ("Zeit;x;y\nidle;open;left\n0,0;1;2\n0,1;2;3\n", [], {"sep": ";", "decimal": ",", "skiprows": [1]}, "Zeit", exact(S)),
    "words_without_a_time": ("Recorder,A,B\nt,left,left\n0.0,1,2\n0.1,2,3\n", [], {"skiprows": [0]}, "t", exact(S)),
    "matlab_comments": ("% made by MATLAB\n%% x, y\n% t, a\n0.5, 1\n0.6, 2\n", [], {"comment": "%", "names": ["t", "a"], "skipinitialspace": True}, "t", exact(S)),
    "text_column": ("time,frame_id,x\n0.00,base,1\n0.01,base,2\n0.02,base,3\n", [], {"usecols": ["time", "x"]}, "time", exact(S)),
    "truths": ("time,x,grip\n0.00,1,True\n0.01,2,False\n0.02,3,TRUE\n", [], {"true_values": ["TRUE"]}, "time", exact(S)),
    "short_rows": ("time,x,y,unused\n0.00,1,2\n0.01,2,3\n0.02,3,4\n", [], {}, "time", exact(S)),
    "ragged_rows": ("time,x,y\n0.00,1,2\n0.01,2\n0.02,3,4\n", [], {}, "time", exact(S)),
    "separators_at_ends": ("time;x;y;\n0.00;1;2;\n0.01;2;3;\n0.02;3;4;\n", [], {"sep": ";", "usecols": [0, 1, 2]}, "time", exact(S)),
    "separators_without_names": ("0.00,1,2,\n0.01,2,3,\n", [], {"header": None, "usecols": [0, 1, 2]}, 0, exact(S)),
    "decimal_commas": ("Zeit [s];Kraft [N]\n0,00;1,5\n0,01;-2,5e-3\n0,02;3\n", [], {"sep": ";", "decimal": ","}, "Zeit [s]", exact(S)),
    "decimal_commas_and_tabs": ("t\tx\n0,5\t1,25\n0,6\t2\n", [], {"sep": "\t", "decimal": ","}, "t", exact(S)),
    "decimal_commas_and_blanks": ("t x\n0,5 1,25\n0,6 2,5\n", [], {"sep": " ", "decimal": ","}, "t", exact(S)),
    "tabs": ("t\tx\n0.5\t1\n0.6\t2\n", [], {"sep": "\t"}, "t", exact(S)),
    "blanks": ("  t    x\n  0.5   1\n 10.5  2\n", [], {"sep": r"\s+"}, "t", exact(S)),
    "byte_order_mark_and_crlf": ("\ufefft,x\r\n0.5,1\r\n0.6,2\r\n", [], {"encoding": "utf-8-sig"}, "t", exact(S)),
    "quotes": ('"t","x, of ""a"""\n"0.5","1"\n0.6," 2"\n', [], {"skipinitialspace": True}, "t", exact(S)),
    "missing": ("t,a,b,c,d,e,f\n0,1,NA,NaN,,null,N/A\n0.1,2,3,4,5,6,7\n0.2,nan,#N/A,<NA>,none,-NaN,1\n", [], {"na_values": ["none", "-NaN"]}, "t", exact(S)),
    "infinities": ("t,a\n0.0,inf\n0.1,-inf\n0.2,Infinity\n", [], {}, "t", exact(S)),
    "headers_again": ("t,a\n0.0,1\n0.1,2\nt,a\n0.2,3\n", [], {"skiprows": [3]}, "t", exact(S)),
    "wide": (WIDE, [], {}, "t", exact(S)),
    "sec_nanosec": ("sec,nanosec,x\n" + "".join(f"{1700000000 + i},{950000000 + i * 1000001},{i}\n" for i in range(10)), [], {}, ["sec", "nanosec"],
                    lambda s, n: int(s) * S + int(n)),
    "seconds_and_parts_without_names": ("".join(f"{1700000000 + i},{950000000 + i * 1000001},{i}\n" for i in range(10)), [], {"header": None}, [0, 1],
                                        lambda s, n: int(s) * S + int(n)),
    "parts_by_number": ("a,b,x\n7,250,1\n7,750,2\n", ["time-column=a,b"], {}, ["a", "b"], lambda s, n: int(s) * S + int(n) * MS),
    "tv_usec": ("tv_sec,tv_usec,x\n7,250000,1\n7,750000,2\n", [], {}, ["tv_sec", "tv_usec"], lambda s, n: int(s) * S + int(n) * 1000),
    "stamp_of_ros": ("header.stamp.secs,header.stamp.nsecs,x\n7,5,1\n8,4,2\n", [], {}, ["header.stamp.secs", "header.stamp.nsecs"], lambda s, n: int(s) * S + int(n)),
    "day_and_clock": ("Date,Time,a\n2026-01-01,23:59:59.5,1\n2026-01-02,00:00:00.25,2\n", [], {}, ["Date", "Time"],
                      lambda d, t: since_1970(d, "%Y-%m-%d") + of_day(t)),
    "days_with_slashes": ("2026/01/01 10:30:25.5 1\n2026/01/01 10:30:26.5 2\n", [], {"sep": " ", "header": None}, [0, 1],
                          lambda d, t: since_1970(d, "%Y/%m/%d") + of_day(t)),
    "time_of_day": ("Time,a\n17:03:22.10,1\n17:03:22.20,2\n17:03:22.30,3\n", [], {}, "Time", of_day),
    "over_midnight": ("Time,a\n23:59:59.9,1\n00:00:00.0,2\n0:00:00.1,3\n", [], {}, "Time", [over_midnight]),
    "european": ("Zeit;a\n31.12.2025 23:59:59,5;1\n01.01.2026 00:00:00;2\n", ["time-format=%d.%m.%Y %H:%M:%S"], {"sep": ";"}, "Zeit",
                 lambda t: since_1970(t.split(",")[0], "%d.%m.%Y %H:%M:%S") + (S // 2 if "," in t else 0)),
    "american": ("when,a\n12/31/2025 11:59:59 PM,1\n01/01/2026 12:00:00 AM,2\n", ["time-format=%m/%d/%Y %I:%M:%S %p"], {}, "when",
                 lambda t: since_1970(t, "%m/%d/%Y %I:%M:%S %p")),
    "two_columns_of_a_format": ("d,c,a\n01.02.2026,10:00:00.5,1\n01.02.2026,10:00:01.5,2\n", ["time-format=%d.%m.%Y %H:%M:%S"], {}, ["d", "c"],
                                lambda d, c: since_1970(d, "%d.%m.%Y") + of_day(c)),
    "gps": ("gps_week,gps_tow,x\n2290,345600.125,1\n2290,345600.250,2\n", [], {}, ["gps_week", "gps_tow"], gps),
    "gps_of_2010": ("gps_week,tow,x\n1564,1.5,1\n1564,2.5,2\n", [], {}, ["gps_week", "tow"], lambda w, t: gps(w, t, 15)),
    "gps_without_leap_seconds": ("week,tow,x\n2290,1.5,1\n2290,2.5,2\n", ["leap-seconds=0"], {}, ["week", "tow"], lambda w, t: gps(w, t, 0)),
    "milliseconds": ("x,ms\n5,100\n6,110\n7,120\n", [], {}, "ms", exact(MS)),
    "unit_by_steps": ("t,x\n" + "".join(f"{i * 5000},{i}\n" for i in range(10)), [], {}, "t", exact(1000)),
    "numpy_header": ("# t,q0,q1\n0 1 2\n0.01 3 4\n", [], {"sep": " ", "comment": "#", "names": ["t", "q0", "q1"]}, "t", exact(S)),
}
# files of no time, and words of the one error
REFUSED = {
    "frame_counter": ("frame,x\n" + "".join(f"{i},{i}\n" for i in range(50)), "set time-column"),
    "frame_counter_of_three": ("frame,x\n0,1\n1,2\n2,3\n", "set time-column"),
    "counter_without_a_name": ("0,1\n1,2\n2,3\n", "column 0 counts rows"),
    "zeros": ("time,x\n0,1\n0,2\n0,3\n", "all times are equal"),
    "zeros_without_a_name": ("0,1\n0,2\n0,3\n", "column 0 is 0 in each row"),
    "joints": ("pan,lift,grip\n-0.01,0,0\n-0.04,1,-1\n-0.05,2,-2\n", "the table has pan, lift, grip"),
    "joints_without_names": ("-0.01,0,0\n-0.04,1,-1\n-0.05,2,-2\n", "column 0 goes back 2 times in 3 rows"),
    "dates_of_two_readings": ("Time,x\n01/02/2026 10:00:00,1\n01/02/2026 10:00:01,2\n", "set time-format"),
    "ulog": ("ULog\x01\x125\n", "convert it with ulog2csv"),
    "bag_of_ros_1": ("#ROSBAG V2.0\n", "a bag of ROS 1"),
    "hdf5": ("\x89HDF\r\n", "an HDF5 file"),
}


class Failed(Exception):
    pass


class Skipped(Exception):
    pass


def need(module):
    try:
        return __import__(module)
    except ImportError:
        raise Skipped(f"needs the PyPI package {module}") from None


def read(folder, kind, content, *options):
    path = Path(folder, "file." + kind)
    path.write_bytes(content if isinstance(content, bytes) else content.encode("utf-8" if "\x89" not in content else "latin-1"))
    return subprocess.run([TOOL, kind, str(path), *options], capture_output=True, timeout=60, check=False)


def check_table(folder, name):
    text, options, how, columns, times = TABLES[name]
    need("pandas")
    done = read(folder, "csv", text, *options)
    if done.returncode or done.stderr:
        raise Failed(done.stderr.decode())
    frame = pd.read_csv(io.BytesIO(text.encode()), **how)
    texts = pd.read_csv(io.BytesIO(text.encode()), **{**how, "dtype": str, "keep_default_na": False, "na_values": []})
    columns = columns if isinstance(columns, list) else [columns]
    fields = [texts[c].tolist() for c in columns]
    expected = times[0](fields[0]) if isinstance(times, list) else [times(*row) for row in zip(*fields)]
    names, *lines = done.stdout.decode().splitlines()
    # pandas numbers names that are there twice
    named = [re.sub(r"\.\d+$", "", c.strip()).replace(",", "_") for c in frame.columns if c not in columns] if how.get("header", 0) is not None else []
    if named and names != ",".join(named):
        raise Failed(f"channels {names}, expected {named}")
    if [int(line.split()[0]) for line in lines] != expected:
        raise Failed(f"times {[line.split()[0] for line in lines][:5]}, expected {expected[:5]}")
    values = frame.drop(columns=columns).to_numpy(np.float64).astype(np.float32)
    rows = np.array([line.split()[1:] for line in lines], np.float32)
    if not np.array_equal(values, rows, equal_nan=True):
        raise Failed(f"values {rows[:3].tolist()}, expected {values[:3].tolist()}")


def check_loadtxt(folder):
    need("numpy")
    done = read(folder, "csv", TUM)
    expected = np.loadtxt(io.StringIO(TUM))
    rows = np.array([line.split() for line in done.stdout.decode().splitlines()[1:]], np.float64)
    if not np.array_equal(rows[:, 1:].astype(np.float32), expected[:, 1:].astype(np.float32)) or abs(rows[:, 0] / 1e9 - expected[:, 0]).max() > 1e-6:
        raise Failed("rows differ from numpy.loadtxt")


def check_words(folder):
    done = read(folder, "csv", "t,mode,x\n0.0,idle,1\n0.1,move,2\n0.2,idle,3\n", "channels=mode,x")
    if done.stdout.decode().splitlines() != ["mode,x", "0 0 1", "100000000 1 2", "200000000 0 3"]:
        raise Failed(done.stdout.decode() + done.stderr.decode())


def check_refused(folder, name):
    text, words = REFUSED[name]
    done = read(folder, "csv", text)
    lines = done.stderr.decode(errors="replace").splitlines()
    if done.returncode != 1 or len(lines) != 1 or words not in lines[0] or len(done.stdout.split()) > 1:
        raise Failed(f"{done.returncode} {lines} {done.stdout[:200]}")


def points_of(done):
    """The cloud as a structured array."""
    if done.returncode:
        raise Failed(done.stderr.decode())
    line, _, data = done.stdout.partition(b"\n")
    caps = line.decode()
    names, types = (re.search(key + r'=\(string\)("[^"]*"|[^,;]*)', caps)[1].strip('"').replace("\\", "").split(",") for key in ("fields", "types?"))
    return np.frombuffer(data, np.dtype(list(zip(names, types * len(names) if len(types) == 1 else types))))


def compare(points, columns):
    for name, expected in columns.items():
        if not np.array_equal(points[name], np.asarray(expected)):
            raise Failed(f"{name}: {points[name][:5]}, expected {np.asarray(expected)[:5]}")


def truncations(folder, kind, content):
    """At every byte: a cloud, or one error."""
    for n in range(0, len(content), 1 if len(content) < 300 else 7):
        done = read(folder, kind, content[:n])
        if done.returncode not in (0, 1) or len(done.stderr.splitlines()) != done.returncode:
            raise Failed(f"{n} bytes: status {done.returncode}, {done.stderr.decode()}")


def check_ply(folder, how):
    plyfile = need("plyfile")
    vertices = np.zeros(20, [("x", "f4"), ("y", "f4"), ("z", "f4"), ("nx", "f8"), ("red", "u1"), ("label", "i2"), ("id", "u4")])
    for i, name in enumerate(vertices.dtype.names):
        vertices[name] = (np.arange(20) * (i + 3) % 19) - (6 if vertices.dtype[name].kind in "fi" else 0)
    vertices["x"] /= 7
    before = np.array([([1, 2, 3],), ([4],)], [("list", "O")])
    faces = np.array([([0, 1, 2],)], [("vertex_indices", "i4", (3,))])
    parts = [plyfile.PlyElement.describe(before, "camera"), plyfile.PlyElement.describe(vertices, "vertex"), plyfile.PlyElement.describe(faces, "face")]
    written = io.BytesIO()
    plyfile.PlyData(parts, text=how == "ascii", byte_order="=" if how == "ascii" else how, comments=["made here"]).write(written)
    points = points_of(read(folder, "ply", written.getvalue()))
    expected = plyfile.PlyData.read(io.BytesIO(written.getvalue()))["vertex"].data
    compare(points, {name: expected[name] for name in vertices.dtype.names})
    truncations(folder, "ply", written.getvalue())


def check_pcd(folder, encoding):
    pypcd4, path = need("pypcd4"), Path(folder, "written.pcd")
    types = {"x": np.float32, "y": np.float32, "z": np.float32, "stamp": np.float64, "intensity": np.uint16, "ring": np.uint8, "label": np.int16, "id": np.uint32}
    columns = [((np.arange(20) * (i + 3) % 19) / (7 if type is np.float32 else 1)).astype(type) for i, type in enumerate(types.values())]
    pypcd4.PointCloud.from_points(columns, list(types), list(types.values())).save(path, pypcd4.Encoding(encoding))
    points = points_of(read(folder, "pcd", path.read_bytes()))
    expected = pypcd4.PointCloud.from_path(path).pc_data
    compare(points, {name: expected[name].ravel() for name in types})
    truncations(folder, "pcd", path.read_bytes())


def check_las(folder, version, point_format):
    laspy = need("laspy")
    las = laspy.create(point_format=point_format, file_version=max(version, "1.2"))
    las.header.scales, las.header.offsets = [0.001, 0.01, 0.1], [500000.0, -3.5, 10.0]
    k = np.arange(25)
    las.x, las.y, las.z = 500000 + k * 0.123, k * -0.5, k * 2.5
    names = ["intensity", "return_number", "number_of_returns", "classification", "user_data", "point_source_id",
             "scan_angle_rank" if point_format < 6 else "scan_angle"]
    names += [name for name in ("gps_time", "red", "green", "blue", "nir") if name in las.point_format.dimension_names]
    for i, name in enumerate(names):
        las[name] = (k * (i + 2)) % 7
    written = io.BytesIO()
    las.write(written)
    content = bytearray(written.getvalue())
    content[25] = int(version[2:])  # laspy does not write 1.0 and 1.1, whose header and points are those of 1.2
    content = bytes(content)
    points = points_of(read(folder, "las", content))
    expected = laspy.read(io.BytesIO(content))
    compare(points, {**{name: expected[name] for name in names}, "x": expected.x, "y": expected.y, "z": expected.z})
    truncations(folder, "las", content)
    compressed = bytearray(content)
    compressed[104] |= 0x80
    done = read(folder, "las", bytes(compressed))
    if done.returncode != 1 or b"laszip" not in done.stderr:
        raise Failed(f"LAZ: {done.stderr}")


def check_pcap(folder):
    for kind in ("pcd", "ply", "las"):
        done = read(folder, kind, struct.pack("<IHHiIII", 0xa1b2c3d4, 2, 4, 0, 0, 65535, 1) + bytes(100))
        if done.returncode != 1:
            raise Failed(f"{kind}: {done.stdout}")
    done = read(folder, "csv", struct.pack("<IHHiIII", 0xa1b2c3d4, 2, 4, 0, 0, 65535, 1) + b"\n1,2\n")
    if b"PCAP" not in done.stderr:
        raise Failed(done.stderr.decode())


CASES = {f"table_{name}": (lambda folder, name=name: check_table(folder, name)) for name in TABLES}
CASES |= {f"refused_{name}": (lambda folder, name=name: check_refused(folder, name)) for name in REFUSED}
CASES |= {"table_of_numpy_loadtxt": check_loadtxt, "words_are_numbered": check_words, "pcap": check_pcap}
CASES |= {f"ply_{n}": (lambda folder, how=how: check_ply(folder, how)) for n, how in (("ascii", "ascii"), ("little_endian", "<"), ("big_endian", ">"))}
CASES |= {f"pcd_{encoding}": (lambda folder, encoding=encoding: check_pcd(folder, encoding)) for encoding in ("ascii", "binary", "binary_compressed")}
CASES |= {f"las_{v}_{f}": (lambda folder, v=v, f=f: check_las(folder, v, f)) for v, f in (("1.0", 0), ("1.1", 1), ("1.2", 0), ("1.2", 1), ("1.2", 3), ("1.3", 2), ("1.3", 4),
          ("1.4", 6), ("1.4", 7), ("1.4", 8), ("1.4", 10))}
CASES["truncated_table"] = lambda folder: [read(folder, "csv", LAB[:n]).check_returncode if read(folder, "csv", LAB[:n]).returncode in (0, 1) else 1 / 0
                                           for n in range(len(LAB))]


def main(parts):
    failed = False
    for name, check in CASES.items():
        if parts and not any(part in name for part in parts):
            continue
        with tempfile.TemporaryDirectory() as folder:
            try:
                check(folder)
                print(f"PASS {name}", flush=True)
            except Skipped as why:
                print(f"SKIP {name}: {why}", flush=True)
            except (Failed, subprocess.TimeoutExpired, KeyError, ValueError) as why:
                failed = True
                print(f"FAIL {name}: {why}", flush=True)
    return failed


if __name__ == "__main__":
    TOOL = sys.argv[1]
    sys.exit(1 if main(sys.argv[2:]) else 0)
