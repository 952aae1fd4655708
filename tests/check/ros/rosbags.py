#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Holds definitions, encoders and the decoder of rows against the Python package rosbags.

    rosbags.py ROSTOOL

Prints PASS, FAIL or SKIP for each case. The package is sought by python3, or by the interpreter that ROBOCACHE_PYTHON names:
python3 -m venv DIR && DIR/bin/pip install rosbags, then ROBOCACHE_PYTHON=DIR/bin/python."""
import os
import random
import re
import subprocess
import sys

if "ROBOCACHE_PYTHON" in os.environ and os.environ["ROBOCACHE_PYTHON"] != sys.executable:
    python = os.environ["ROBOCACHE_PYTHON"]
    os.execv(python, [python, "-B", *sys.argv])
try:
    import numpy
    # this file has the package's name
    sys.path = [folder for folder in sys.path if folder != os.path.dirname(os.path.realpath(__file__))]
    from rosbags.typesys import Stores, get_types_from_idl, get_types_from_msg, get_typestore
except ImportError as error:
    print(f"SKIP rosbags: {error}: set ROBOCACHE_PYTHON to a python with rosbags (pip install rosbags)")
    sys.exit(77)

# whether byte and char have a sign, writers do not agree on
INTEGERS = {"bool": (0, 1), "byte": (0, 127), "char": (0, 127), "octet": (0, 127)}
INTEGERS |= {f"int{n}": (-2 ** (n - 1), 2 ** (n - 1) - 1) for n in (8, 16, 32, 64)}
INTEGERS |= {f"uint{n}": (0, 2 ** n - 1) for n in (8, 16, 32, 64)}
NUMPY = {"bool": "bool", "byte": "uint8", "char": "uint8", "octet": "uint8"}
BASE, NAME, ARRAY, SEQUENCE = 1, 2, 3, 4


class Messages:
    """Random messages of the types of a store."""

    def __init__(self, store, seed):
        self.store, self.random = store, random.Random(seed)

    def number(self, kind):
        if kind == "float32":
            return float(numpy.float32(self.random.uniform(-1e6, 1e6)))
        if kind == "float64":
            return self.random.uniform(-1e12, 1e12)
        low, high = INTEGERS[kind]
        # exact as float64
        value = self.random.choice([low, high, self.random.randint(low, high)]) if high < 2 ** 53 \
            else self.random.randint(max(low, -2 ** 53), 2 ** 53)
        return bool(value) if kind == "bool" else value

    def one(self, item):
        kind, what = item
        if kind == NAME:
            return self.message(what)
        if what[0] == "string":
            return "".join(self.random.choice("abcdefg") for _ in range(self.random.randrange(9)))
        return self.number(what[0])

    def several(self, item, n):
        values = [self.one(item) for _ in range(n)]
        if item[0] == BASE and item[1][0] != "string":
            return numpy.array(values, dtype=NUMPY.get(item[1][0], item[1][0]))
        return values

    def value(self, desc):
        kind, what = desc
        if kind == ARRAY:
            return self.several(what[0], what[1])
        if kind == SEQUENCE:
            return self.several(what[0], self.random.randrange(min(what[1] or 4, 4) + 1))
        return self.one(desc)

    def message(self, name):
        fields = self.store.get_msgdef(name).fields
        return self.store.types[name](**{field: self.value(desc) for field, desc in fields})


def flatten(store, name, message, prefix=""):
    """(name, value) of the numbers of a message, as the decoder has them."""
    for field, desc in store.get_msgdef(name).fields:
        if field == "structure_needs_at_least_one_member":
            continue
        kind, what = desc
        path, value = prefix + field, getattr(message, field)
        items = [(f"{path}[{i}]", v) for i, v in enumerate(value)] if kind in (ARRAY, SEQUENCE) else [(path, value)]
        inner_kind, inner = what[0] if kind in (ARRAY, SEQUENCE) else desc
        for path, value in items:
            if inner_kind == NAME:
                yield from flatten(store, inner, value, path + ".")
            elif inner[0] != "string":
                yield path, value


def run(tool, mode, text=""):
    return subprocess.run([tool, mode], input=text, capture_output=True, text=True, check=True).stdout.splitlines()


def parse_row(line):
    values, _, dtype = line.rpartition(": ")
    pairs = [pair.split("=") for pair in values.split(" ")] if values else []
    number = (lambda text: float(numpy.float32(text))) if dtype == "float32" else float
    return [(name, number(value)) for name, value in pairs]


def check_row(store, name, message, line):
    """What is wrong with the row of a message, or None."""
    expected = list(flatten(store, name, message))
    if line.startswith("error: "):
        return None if not expected and ("chooses no number" in line or "no numeric field" in line) else line
    row = parse_row(line)
    if [n for n, _ in row] != [n for n, _ in expected]:
        return f"channels {[n for n, _ in row]}, expected {[n for n, _ in expected]}"
    for (channel, value), (_, wanted) in zip(row, expected):
        # whether seconds and nanoseconds have a sign differs between times and durations of ROS 1, and not in the package
        if value != float(wanted) and not (channel.endswith("sec") and (value - float(wanted)) % 2 ** 32 == 0):
            return f"{channel} is {value}, expected {wanted}"
    return None


def test_rows(tool, store_name):
    """All types of a distribution, random messages of each: of ROS 2 in both byte orders."""
    store = get_typestore(store_name)
    is_ros1 = store_name == Stores.ROS1_NOETIC
    messages, cases = Messages(store, 20), []
    for name in sorted(store.fielddefs):
        schema = store.generate_msgdef(name, ros_version=1 if is_ros1 else 2)[0]
        for i in range(6):
            message = messages.message(name)
            raw = bytes(store.serialize_ros1(message, name) if is_ros1 else store.serialize_cdr(message, name, little_endian=i % 2 == 0))
            encodings = "\tros1msg\tros1" if is_ros1 else ""
            cases.append((name, message, f"{name}\t*\t{schema.encode().hex()}\t{raw.hex()}{encodings}"))
    lines = run(tool, "rows", "".join(case[2] + "\n" for case in cases))
    if len(lines) != len(cases):
        return [f"{len(lines)} rows of {len(cases)} messages"]
    faults = [(case[0], check_row(store, case[0], case[1], line)) for case, line in zip(cases, lines)]
    return [f"{name}: {fault}" for name, fault in faults if fault]


IDL = {"int8": "int8", "uint8": "uint8", "byte": "octet", "octet": "octet", "char": "char", "bool": "boolean", "int16": "short",
       "uint16": "unsigned short", "int32": "long", "uint32": "unsigned long", "int64": "long long", "uint64": "unsigned long long",
       "float32": "float", "float64": "double"}


def to_idl(store, name):
    """A message and those that it holds in IDL, as rosidl_adapter writes it."""
    texts, todo = [], [name]
    for name in todo:
        package, folder, short = name.split("/")
        aliases, lines = [], []

        def item_of(item):
            if item[0] == NAME:
                todo.extend([item[1]] if item[1] not in todo else [])
                return item[1].replace("/", "::")
            base, bound = item[1]
            return f"{base}<{bound}>" if base == "string" and bound else IDL.get(base, base)

        for field, (kind, what) in store.get_msgdef(name).fields:
            text, array = item_of(what[0] if kind in (ARRAY, SEQUENCE) else (kind, what)), ""
            if kind == SEQUENCE:
                text = f"sequence<{text}, {what[1]}>" if what[1] else f"sequence<{text}>"
            if kind == ARRAY and len(lines) % 2:
                array = f"[{what[1]}]"
            elif kind == ARRAY:
                alias = f"{text.replace(' ', '_').replace('::', '__')}__{what[1]}"
                aliases.append(f"typedef {text} {alias}[{what[1]}];")
                text = alias
            lines.append(f'@verbatim (language="comment", text=\n "a }} \\" b" "c")\n{text} {field}{array};  // end\n')
        texts.append(f'{"=" * 80}\nIDL: {name}\n// generated\n#include "x.idl"\n\nmodule {package} {{ module {folder} {{\n'
                     f'module {short}_Constants {{ const short A = 1; @verbatim(language="x", text="y") const string B = "b;"; }};\n'
                     f'{" ".join(sorted(set(aliases)))}\n@nested /* a */ struct {short} {{\n{"".join(lines)}}};\n}};\n}};\n')
    return "".join(texts)


def test_idl(tool):
    """The definitions of all types in IDL give the rows that those in text do."""
    store = get_typestore(Stores.LATEST)
    messages, cases = Messages(store, 21), []
    for name in sorted(store.fielddefs):
        message, idl = messages.message(name), to_idl(store, name)
        # without annotations and headings, which the package does not read in full
        plain = re.sub(r'@\w+\s*(\((?:[^"()]|"(?:[^"\\]|\\.)*")*\))?|^=+$|^IDL:.*$|^#.*$', "", idl, flags=re.M)
        found = get_types_from_idl(plain)[name]
        assert [field for field, _ in found[1]] == [field for field, _ in store.get_msgdef(name).fields], (name, found)
        raw = bytes(store.serialize_cdr(message, name))
        cases.append((name, message, f"{name}\t*\t{idl.encode().hex()}\t{raw.hex()}\tros2idl\tcdr"))
    lines = run(tool, "rows", "".join(case[2] + "\n" for case in cases))
    faults = [f"{case[0]}: {fault}" for case, line in zip(cases, lines) for fault in [check_row(store, case[0], case[1], line)] if fault]
    for text in ("struct A { long x };", "module a { module msg { union T switch (long) {}; }; };", "module a {", "struct T { sequence<sequence<long>> x; };",
                 'module a { module msg { struct T { unsigned x; }; }; };'):
        line = run(tool, "rows", f"a/msg/T\t*\t{text.encode().hex()}\t00\tros2idl\tcdr\n")[0]
        faults += [] if line.startswith("error: ") else [f"{text}: {line}"]
    return faults


def test_idl_truncated(tool):
    """A definition in IDL that is cut at any byte gives the row of the whole one, as parts that are missing are built in, or one error."""
    store = get_typestore(Stores.LATEST)
    name, faults = "sensor_msgs/msg/Imu", []
    idl, message = to_idl(store, name), Messages(store, 3).message("sensor_msgs/msg/Imu")
    raw = bytes(store.serialize_cdr(message, name)).hex()
    lines = run(tool, "rows", "".join(f"{name}\t*\t{idl[:end].encode().hex()}\t{raw}\tros2idl\tcdr\n" for end in range(len(idl) + 1)))
    if len(lines) != len(idl) + 1 or lines[-1].startswith("error: "):
        return [f"{len(lines)} lines for {len(idl) + 1} definitions, {lines[-1][:100]}"]
    return [f"cut at {end}: {line[:100]}" for end, line in enumerate(lines) if line != lines[-1] and not line.startswith("error: ")]


def to_text(store, name, message):
    """A message as messageexamples.h writes it."""
    def one(item, value):
        kind, what = item
        if kind == NAME:
            return to_text(store, what, value)
        if what[0] == "string":
            return f"'{value}'"
        return f"{value:g}" if what[0].startswith("float") else str(int(value))

    texts = []
    for field, desc in store.get_msgdef(name).fields:
        kind, what = desc
        value = getattr(message, field)
        texts.append(f"[{' '.join(one(what[0], v) for v in value)}]" if kind in (ARRAY, SEQUENCE) else one(desc, value))
    return f"({' '.join(texts)})"


def long_name(name):
    return name.replace("/", "/msg/")


def test_examples(tool):
    """Our messages, decoded by rosbags with our definitions."""
    faults = []
    for line in run(tool, "examples"):
        name, schema, raw, text = line.split("\t")
        store = get_typestore(Stores.EMPTY)
        store.register(get_types_from_msg(bytes.fromhex(schema).decode(), long_name(name)))
        found = to_text(store, long_name(name), store.deserialize_cdr(bytes.fromhex(raw), long_name(name)))
        if found != text:
            faults.append(f"{name} is {found}, expected {text}")
        again = bytes(store.serialize_cdr(store.deserialize_cdr(bytes.fromhex(raw), long_name(name)), long_name(name)))
        if again.hex() != raw:
            faults.append(f"{name} as rosbags writes it is {again.hex()}, ours {raw}")
    return faults


def without_sizes(definition):
    constants, fields = definition
    # rosbags writes out the member that C++ gives to an empty message
    return sorted(constants), [field for field in fields if field[0] != "structure_needs_at_least_one_member"]


def test_definitions(tool):
    """Our definitions, held against those of the distributions."""
    faults, checked = [], set()
    stores = [get_typestore(name) for name in (Stores.ROS2_HUMBLE, Stores.ROS2_JAZZY, Stores.LATEST)]
    for line in run(tool, "examples"):
        name, schema = line.split("\t")[:2]
        for type_name, definition in get_types_from_msg(bytes.fromhex(schema).decode(), long_name(name)).items():
            for store in stores:
                if type_name not in store.fielddefs:
                    continue
                checked.add(type_name)
                if without_sizes(definition) != without_sizes(store.fielddefs[type_name]):
                    faults.append(f"{type_name} is {definition}, expected {store.fielddefs[type_name]}")
    return faults if len(checked) >= 17 else [*faults, f"only {sorted(checked)} were compared"]


COMMON = ("actionlib_msgs", "builtin_interfaces", "diagnostic_msgs", "geometry_msgs", "nav_msgs", "rcl_interfaces", "rosgraph_msgs",
          "sensor_msgs", "shape_msgs", "std_msgs", "stereo_msgs", "tf2_msgs", "trajectory_msgs", "visualization_msgs")


def test_built_in(tool):
    """All types of the common packages are built in, as Humble has them, constants included."""
    expected = {name: definition for name, definition in get_typestore(Stores.ROS2_HUMBLE).fielddefs.items()
                if name.split("/")[0] in COMMON}
    found = {}
    for line in run(tool, "built-in"):
        name, schema = line.split("\t")
        found[long_name(name)] = get_types_from_msg(bytes.fromhex(schema).decode(), long_name(name))[long_name(name)]
    faults = [f"{name} is missing" for name in sorted(expected.keys() - found.keys())]
    faults += [f"{name} is {found[name]}, expected {expected[name]}" for name in sorted(expected.keys() & found.keys())
               if without_sizes(found[name]) != without_sizes(expected[name])]
    return faults if len(expected) > 110 else [*faults, f"only {len(expected)} were compared"]


# MD5 sums that the packages have in ROS 1, of types that are the same in ROS 2. Source: the headers that rosserial made of them.
PUBLISHED = """
ackermann_msgs/AckermannDrive 3512e91b48d69674a0e86fadf1ea8231
ackermann_msgs/AckermannDriveStamped 1fd5d7f58889cefd44d29f6653240d0c
control_msgs/GripperCommand 680acaff79486f017132a7f198d40f08
control_msgs/JointControllerState 987ad85e4756f3aef7f1e5e7fe0595d1
control_msgs/JointJog 1685da700c8c2e1254afc92a5fb89c96
control_msgs/JointTolerance f544fe9c16cf04547e135dd6063ff5be
control_msgs/PidState b138ec00e886c10e73f27e8712252ea6
geographic_msgs/BoundingBox f62e8b5e390a3ac7603250d46e8f8446
geographic_msgs/GeoPath 1476008e63041203a89257cfad97308f
geographic_msgs/GeoPoint c48027a852aeff972be80478ff38e81a
geographic_msgs/GeoPointStamped ea50d268b03080563c330351a21edc89
geographic_msgs/GeoPose 778680b5172de58b7c057d973576c784
geographic_msgs/GeoPoseStamped cc409c8ed6064d8a846fa207bf3fba6b
geographic_msgs/GeographicMap 0f4ce6d2ebf9ac9c7c4f3308f6ae0731
geographic_msgs/GeographicMapChanges 4fd027f54298203ec12aa1c4b20e6cb8
geographic_msgs/KeyValue cf57fdc6617a881a88c16e768132149c
geographic_msgs/MapFeature e2505ace5e8da8a15b610eaf62bdefae
geographic_msgs/RouteNetwork fd717c0a34a7c954deed32c6847f30a8
geographic_msgs/RoutePath 0aa2dd809a8091bdb4466dfefecbb8cf
geographic_msgs/RouteSegment 8583d1e2ddf1891c3934a5d2ed9a799c
geographic_msgs/WayPoint ef04f823aef332455a49eaec3f1761b7
moveit_msgs/AllowedCollisionEntry 90d1ae1850840724bb043562fe3285fc
moveit_msgs/AllowedCollisionMatrix aedce13587eef0d79165a075659c1879
moveit_msgs/BoundingVolume 22db94010f39e9198032cb4a1aeda26e
moveit_msgs/ConstraintEvalResult 093643083d24f6488cb5a868bd47c090
moveit_msgs/ContactInformation 116228ca08b0c286ec5ca32a50fdc17b
moveit_msgs/CostSource abb7e013237dacaaa8b97e704102f908
moveit_msgs/Grasp e26c8fb64f589c33c5d5e54bd7b5e4cb
moveit_msgs/GripperTranslation b53bc0ad0f717cdec3b0e42dec300121
moveit_msgs/JointConstraint c02a15146bec0ce13564807805b008f0
moveit_msgs/LinkPadding b3ea75670df55c696fedee97774d5947
moveit_msgs/LinkScale 19faf226446bfb2f645a4da6f2a56166
moveit_msgs/ObjectColor ec3bd6f103430e64b2ae706a67d8488e
moveit_msgs/OrientedBoundingBox da3bd98e7cb14efa4141367a9d886ee7
moveit_msgs/PlannerParams cebdf4927996b9026bcf59a160d64145
moveit_msgs/PlanningSceneComponents bc993e784476960b918b6e7ad5bb58ce
moveit_msgs/PositionConstraint c83edf208d87d3aa3169f47775a58e6a
moveit_msgs/RobotTrajectory dfa9556423d709a3729bcef664bddf67
moveit_msgs/VisibilityConstraint 62cda903bfe31ff2e5fcdc3810d577ad
moveit_msgs/WorkspaceParameters d639a834e7b1f927e9f1d6c30e920016
object_recognition_msgs/ObjectType ac757ec5be1998b0167e7efcda79e3cf
octomap_msgs/Octomap 9a45536b45c5e409cd49f04bb2d9999f
octomap_msgs/OctomapWithPose 20b380aca6a508a657e95526cddaf618
turtlesim/Color 353891e354491c51aabe32df673fb446
turtlesim/Pose 863b248d5016ca62ea2e895ae5265cf9
"""
# names of types in ROS 1
ROS1_NAMES = {"builtin_interfaces/Time ": "time ", "builtin_interfaces/Duration ": "duration ", "unique_identifier_msgs/UUID": "uuid_msgs/UniqueID"}


def test_published(tool):
    """Built-in definitions of other packages have the sums that the packages publish."""
    published, texts = dict(line.split() for line in PUBLISHED.strip().splitlines()), {}
    packages = {name.split("/")[0] for name in published}
    for line in run(tool, "built-in"):
        name, schema = line.split("\t")
        if name.split("/")[0] in packages:
            texts[name] = bytes.fromhex(schema).decode().partition("\n====")[0]
    store = get_typestore(Stores.ROS1_NOETIC)
    types = get_types_from_msg("uint8[16] uuid", "uuid_msgs/msg/UniqueID")
    for name, text in texts.items():
        for ours, theirs in ROS1_NAMES.items():
            text = text.replace(ours, theirs)
        types.update(get_types_from_msg(text, long_name(name)))
    store.register(types)
    sums = {name: store.generate_msgdef(long_name(name), ros_version=1)[1] for name in published if name in texts}
    return [f"{name} has {sums.get(name)}" for name in published if sums.get(name) != published[name]]


def main(tool):
    cases = {"published": lambda: test_published(tool), "definitions": lambda: test_definitions(tool), "examples": lambda: test_examples(tool),
             "built_in": lambda: test_built_in(tool), "idl": lambda: test_idl(tool), "idl_truncated": lambda: test_idl_truncated(tool)}
    for store in (Stores.ROS1_NOETIC, Stores.ROS2_HUMBLE, Stores.LATEST):
        cases[f"rows_{store.value}"] = lambda store=store: test_rows(tool, store)
    failed = 0
    for name, case in cases.items():
        faults = case()
        failed += bool(faults)
        print(f"FAIL {name}: {'; '.join(faults[:5])}" if faults else f"PASS {name}")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]) if len(sys.argv) == 2 else __doc__)
