#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Publishes and reads messages with Fast DDS, whose types fastddsgen makes of our definitions: both ways, values are equal.

    fastddspeer.py ROSTOOL ROSSRCTOOL

Runs in a network namespace of its own. Prints PASS or FAIL for each case; exits with 77 where a namespace, or a package of Debian, is missing.
"""
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import time

from rclpypeer import LIMIT, STAMP, enter, text_of

DOMAIN = 31
HEADERS = pathlib.Path("/usr/include/fastdds/dds/domain/DomainParticipant.hpp")
# {type: numbers of its stream}; the packages of most of them have no wheel
TYPES = {
    "geometry_msgs/WrenchStamped": "0.5,1,1.5,2,2.5,3",
    "sensor_msgs/JointState": "0.5,1,1.5,2,2.5,3",
    "control_msgs/JointJog": "0.5,1,1.5,2,2.5",
    "control_msgs/MecanumDriveControllerState": "0.5,1,1.5,2,2.5,3,3.5,4,4.5,5",
    "ackermann_msgs/AckermannDriveStamped": "0.5,1,1.5,2,2.5",
}
# Columns of a table that robocacherossink publishes, and their type.
TABLES = [
    ("fx,fy,fz,tx,ty,tz", "geometry_msgs/WrenchStamped"),
    ("a.position,b.position,a.velocity,b.velocity,a.effort,b.effort", "sensor_msgs/JointState"),
]
ROW = "1,2,3,4,5,6"
PRIMITIVES = {"bool": "boolean", "byte": "octet", "char": "uint8", "float32": "float", "float64": "double"}
FIELD = re.compile(r"(?P<type>[\w/]+)(?P<length><=\d+)?(?P<repeat>\[(<=)?(?P<count>\d*)\])? (?P<name>\w+)(  *[^=# ]+)? *(#.*)?$")


def definitions(tool):
    """{type: text of its fields}, of all that are built in."""
    lines = subprocess.run([tool, "built-in"], stdout=subprocess.PIPE, text=True, check=True).stdout.splitlines()
    return {name: bytes.fromhex(schema).decode().split("\n====", 1)[0] for name, schema in (line.split("\t") for line in lines)}


def idl_of(name, texts, done):
    """IDL of a type, after that of the types that it has."""
    if name in done:
        return ""
    done.add(name)
    package, kind = name.split("/")
    before, members = "", ""
    for field in filter(None, map(FIELD.match, texts[name].splitlines())):
        idl = PRIMITIVES.get(field["type"], field["type"])
        if "/" in idl:
            before += idl_of(idl, texts, done)
            idl = idl.replace("/", "::msg::")
        if field["repeat"] and (not field["count"] or "<=" in field["repeat"]):
            idl = f"sequence<{idl}{', ' + field['count'] if field['count'] else ''}>"
        array = f"[{field['count']}]" if field["repeat"] and not idl.startswith("sequence") else ""
        members += f"  {idl} {field['name']}{array};\n"
    return before + f"module {package} {{ module msg {{ struct {kind} {{\n{members}}}; }}; }};\n"


def build(tool, folder):
    """The program with its types."""
    texts, done = definitions(tool), set()
    (folder / "types.idl").write_text("".join(idl_of(name, texts, done) for name in TYPES), encoding="ascii")
    subprocess.run(["fastddsgen", "-typeros2", "-cs", "-d", folder, folder / "types.idl"], cwd=folder, stdout=subprocess.DEVNULL, check=True)
    source = pathlib.Path(__file__).with_suffix(".cpp")
    sources = [source, folder / "types.cxx", folder / "typesPubSubTypes.cxx"]
    subprocess.run(["c++", "-I", folder, "-o", folder / "peer", *sources, "-lfastrtps", "-lfastcdr"], check=True)
    return folder / "peer"


def check_source(peer, tool, name, expected):
    origin = time.time_ns() // 10 ** 9 * 10 ** 9
    command = [peer, "publish", str(DOMAIN), name, str(origin + STAMP * 10 ** 6)]
    with subprocess.Popen(command, stdin=subprocess.PIPE) as publisher:
        text = text_of(tool, f"domain={DOMAIN} topics=/ns/* wait=18446744073709551615 time-origin={origin} max-future=10000000000", lambda: True)
        publisher.stdin.close()
        publisher.wait(LIMIT)
    found = re.search(rf"/ns/x@f: caps\[.*\] {STAMP}=(\S+);", text)
    return None if found and found[1] == expected else f"{text.strip()}, expected {expected}"


def check_sink(peer, folder, columns, name):
    """The first row of a file, as robocacherossink publishes it while it waits for the second one."""
    path, expected = folder / "table.csv", "1700000000 0 f " + ROW.replace(",", " ")
    path.write_text(f"t_s,{columns}\n0,{ROW}\n{LIMIT},{ROW}\n", encoding="ascii")
    line = (f"robocacherossink name=ros domain={DOMAIN} time-origin=1700000000000000000 sink_0::topic=/ns/x sink_0::durability=transient-local "
            f"sink_0::frame-id=f filesrc location={path} ! robocacheparse ! ros.sink_0")
    with subprocess.Popen(["gst-launch-1.0", "-q", *line.split()]) as publisher:
        read = subprocess.run([peer, "read", str(DOMAIN), name], stdout=subprocess.PIPE, text=True, check=False)
        publisher.kill()
    return None if read.stdout.strip() == expected else f"{read.stdout}, expected {expected}"


def main():
    rostool, tool = sys.argv[1:]
    if not all(map(shutil.which, ("fastddsgen", "java", "c++"))) or not HEADERS.exists():
        print(f"SKIP {os.path.basename(sys.argv[0])}: needs Debian's packages fastddsgen, libfastrtps-dev, default-jre-headless and g++")
        return 77
    enter()
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        peer = build(rostool, folder)
        faults = {kind: check_source(peer, tool, kind, expected) for kind, expected in TYPES.items()}
        faults.update({f"{table[1]} of robocacherossink": check_sink(peer, folder, *table) for table in TABLES})
    for name, fault in faults.items():
        print(f"FAIL {name}: {fault}" if fault else f"PASS {name}")
    return any(faults.values())


if __name__ == "__main__":
    sys.exit(main())
