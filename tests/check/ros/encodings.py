#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Holds rows of messages in protobuf and JSON against the packages protobuf and json, number by number.

    encodings.py ROSTOOL

Prints PASS, FAIL or SKIP for each case."""
import base64
import importlib
import json
import os
import pkgutil
import random
import subprocess
import sys

import foxglove_schemas_protobuf
import numpy as np
from google.protobuf import descriptor_pb2, descriptor_pool, message_factory
from google.protobuf.descriptor import FieldDescriptor as Field
from mcap_protobuf.schema import build_file_descriptor_set

TOOL = sys.argv[1]
INTEGERS = {Field.TYPE_INT64: 63, Field.TYPE_SINT64: 63, Field.TYPE_SFIXED64: 63, Field.TYPE_INT32: 31, Field.TYPE_SINT32: 31,
            Field.TYPE_SFIXED32: 31, Field.TYPE_UINT64: 64, Field.TYPE_FIXED64: 64, Field.TYPE_UINT32: 32, Field.TYPE_FIXED32: 32}
TIMES = {"google.protobuf.Timestamp", "google.protobuf.Duration"}


def rows(lines):
    return subprocess.run([TOOL, "rows"], input="".join(line + "\n" for line in lines), capture_output=True, text=True,
                          check=True).stdout.splitlines()


def line_of(name, schema, message, schema_encoding, message_encoding):
    return "\t".join([name, "*", schema.hex(), message.hex(), schema_encoding, message_encoding])


def parse(line):
    """[(channel, value)]; an error as it is."""
    values, _, dtype = line.rpartition(": ")
    if line.startswith("error: ") or not values:
        return line if line.startswith("error: ") else []
    number = (lambda text: float(np.float32(text))) if dtype == "float32" else float
    return [(name, number(value)) for name, value in (pair.split("=") for pair in values.split(" "))]


def same(a, b):
    return a == b or (a != a and b != b)


def compare(got, wanted):
    """What is wrong with a row, or None."""
    if isinstance(got, str):
        return None if not wanted and ("no numeric field" in got or "selects no numeric field" in got) else got
    if [name for name, _ in got] != [name for name, _ in wanted]:
        return f"channels {[name for name, _ in got]}, expected {[name for name, _ in wanted]}"
    for (name, value), (_, expected) in zip(got, wanted):
        if not same(value, float(expected)):
            return f"{name} is {value}, expected {expected}"
    return None


def check(cases):
    """cases: (name, line, expected pairs)."""
    found = rows([line for _, line, _ in cases])
    faults = [f"{len(found)} rows of {len(cases)} messages"] if len(found) != len(cases) else []
    results = ((name, compare(parse(row), wanted)) for (name, _, wanted), row in zip(cases, found))
    return faults + [f"{name}: {fault}" for name, fault in results if fault]


# ---- protobuf ----

class Filler:
    """Random messages; each field is there with a probability."""

    def __init__(self, seed, probability):
        self.random, self.probability = random.Random(seed), probability

    def value(self, field):
        if field.type in (Field.TYPE_DOUBLE, Field.TYPE_FLOAT):
            value = self.random.choice([0.0, self.random.uniform(-1e6, 1e6)])
            return float(np.float32(value)) if field.type == Field.TYPE_FLOAT else value
        if field.type in INTEGERS:
            bits = min(INTEGERS[field.type], 53)
            low = -(2 ** bits) if INTEGERS[field.type] % 2 else 0
            return self.random.choice([low, 2 ** bits - 1, 0, self.random.randint(low, 2 ** bits - 1)])
        if field.type == Field.TYPE_BOOL:
            return self.random.random() < 0.5
        if field.type == Field.TYPE_ENUM:
            return self.random.choice([value.number for value in field.enum_type.values])
        if field.type == Field.TYPE_BYTES:
            return bytes(self.random.randrange(256) for _ in range(self.random.randrange(5)))
        return "".join(self.random.choice("abcä") for _ in range(self.random.randrange(6)))

    def fill(self, message, depth=0):
        for field in message.DESCRIPTOR.fields:
            if self.random.random() > self.probability or depth > 6:
                continue
            n = self.random.randrange(4)
            is_map = field.message_type and field.message_type.GetOptions().map_entry
            if is_map:
                # of several, protobuf does not say the order
                for _ in range(min(n, 1)):
                    getattr(message, field.name)[self.value(field.message_type.fields_by_name["key"])] = self.value(
                        field.message_type.fields_by_name["value"])
            elif field.is_repeated:
                for _ in range(n):
                    if field.message_type:
                        self.fill(getattr(message, field.name).add(), depth + 1)
                    else:
                        getattr(message, field.name).append(self.value(field))
            elif field.message_type:
                getattr(message, field.name).SetInParent()
                self.fill(getattr(message, field.name), depth + 1)
            else:
                setattr(message, field.name, self.value(field))


def flatten(message, prefix="", around=()):
    """(name, value) of the numbers of a message, with defaults for those that it lacks."""
    descriptor = message.DESCRIPTOR
    around = (*around, descriptor.full_name)
    for field in descriptor.fields:
        if field.message_type and field.message_type.full_name in around or field.type == Field.TYPE_STRING:
            continue
        value = getattr(message, field.name)
        name = {"seconds": "sec", "nanos": "nanosec"}.get(field.name, field.name) if descriptor.full_name in TIMES else field.name
        if field.type == Field.TYPE_BYTES and field.is_repeated:
            continue
        is_map = field.message_type and field.message_type.GetOptions().map_entry
        if is_map:
            items = [(f"[{i}]", pair) for i, pair in enumerate(value.items())]
        else:
            items = [(f"[{i}]", v) for i, v in enumerate(value)] if field.is_repeated or field.type == Field.TYPE_BYTES else [("", value)]
        for index, item in items:
            path = f"{prefix}{name}{index}"
            if is_map:
                yield from ((f"{path}.{part}", v) for part, v in zip(("key", "value"), item) if not isinstance(v, str))
            elif field.message_type:
                yield from flatten(item, path + ".", around)
            else:
                yield path, item


def protobuf_case(message):
    schema = build_file_descriptor_set(type(message)).SerializeToString()
    name = message.DESCRIPTOR.full_name
    return name, line_of(name, schema, message.SerializeToString(), "protobuf", "protobuf"), list(flatten(message))


def protobuf_foxglove():
    """All messages of Foxglove, random."""
    cases = []
    for module in pkgutil.iter_modules(foxglove_schemas_protobuf.__path__):
        if not module.name.endswith("_pb2"):
            continue
        for descriptor in importlib.import_module(f"foxglove_schemas_protobuf.{module.name}").DESCRIPTOR.message_types_by_name.values():
            for i in range(4):
                message = message_factory.GetMessageClass(descriptor)()
                Filler(i, (0.0, 0.6, 0.9, 1.0)[i]).fill(message)
                cases.append(protobuf_case(message))
    return check(cases) if len(cases) > 120 else [f"only {len(cases)} messages"]


def all_types_file(packed):
    """A file with a message that has each type of field, alone and in a list, messages in each other, a map and an enum."""
    file = descriptor_pb2.FileDescriptorProto(name="all.proto", package="test.deep", syntax="proto3")
    enum = file.enum_type.add(name="Mode")
    for i in (0, 1, -5, 70000):
        enum.value.add(name=f"M{i}".replace("-", "_"), number=i)
    message = file.message_type.add(name="All")
    inner = message.nested_type.add(name="Inner")
    inner.field.add(name="x", number=3, type=Field.TYPE_FLOAT, label=1)
    inner.field.add(name="back", number=4, type=Field.TYPE_MESSAGE, label=1, type_name=".test.deep.All")
    inner.field.add(name="more", number=1, type=Field.TYPE_MESSAGE, label=3, type_name=".test.deep.All.Inner")
    inner.field.add(name="y", number=2, type=Field.TYPE_DOUBLE, label=3)
    entry = message.nested_type.add(name="TableEntry")
    entry.options.map_entry = True
    entry.field.add(name="key", number=1, type=Field.TYPE_STRING, label=1)
    entry.field.add(name="value", number=2, type=Field.TYPE_SINT32, label=1)
    message.field.add(name="table", number=2000, type=Field.TYPE_MESSAGE, label=3, type_name=".test.deep.All.TableEntry")
    number = 1
    for kind in range(Field.TYPE_DOUBLE, Field.MAX_TYPE + 1):
        if kind == Field.TYPE_GROUP:
            continue
        for label in (1, 3):
            field = message.field.add(name=f"f{kind}_{label}", number=number, type=kind, label=label)
            number += 17
            if kind == Field.TYPE_MESSAGE:
                field.type_name = ".test.deep.All.Inner"
            if kind == Field.TYPE_ENUM:
                field.type_name = ".test.deep.Mode"
            if label == 3 and kind not in (Field.TYPE_STRING, Field.TYPE_BYTES, Field.TYPE_MESSAGE):
                field.options.packed = packed
    message.nested_type.add(name="Nothing")
    message.field.add(name="nothing", number=1999, type=Field.TYPE_MESSAGE, label=1, type_name=".test.deep.All.Nothing")
    return file


def protobuf_types(packed):
    pool = descriptor_pool.DescriptorPool()
    pool.Add(all_types_file(packed))
    kind = message_factory.GetMessageClass(pool.FindMessageTypeByName("test.deep.All"))
    cases = []
    for i in range(40):
        message = kind()
        Filler(i, i / 39).fill(message)
        cases.append(protobuf_case(message))
    # fields of a newer definition are passed over
    old = kind.FromString(cases[-1][1] and bytes.fromhex(cases[-1][1].split("\t")[3]))
    more = b"\xfa\xff\x07\x03abc" + old.SerializeToString() + b"\xf8\xff\x07\x96\x01"
    schema = build_file_descriptor_set(kind).SerializeToString()
    cases.append(("newer", line_of("test.deep.All", schema, more, "protobuf", "protobuf"), cases[-1][2]))
    return check(cases)


def protobuf_faults():
    """A message cut at every byte gives a row or one error; what is no message or definition gives an error."""
    pool = descriptor_pool.DescriptorPool()
    pool.Add(all_types_file(True))
    kind = message_factory.GetMessageClass(pool.FindMessageTypeByName("test.deep.All"))
    message = kind()
    Filler(3, 1.0).fill(message)
    data, schema = message.SerializeToString(), build_file_descriptor_set(kind).SerializeToString()
    lines, wanted = [], []
    for end in range(len(data)):
        try:
            wanted.append(list(flatten(kind.FromString(data[:end]))))
        except Exception:
            wanted.append(None)
        lines.append(line_of("test.deep.All", schema, data[:end], "protobuf", "protobuf"))
    faults = [f"cut at {i}: {row}" for i, (row, expected) in enumerate(zip(rows(lines), wanted))
              if (compare(parse(row), expected) if expected is not None else not row.startswith("error: "))]
    for what, line in (("definition", line_of("test.deep.All", schema[:-3], data, "protobuf", "protobuf")),
                       ("type", line_of("test.Missing", schema, data, "protobuf", "protobuf")),
                       ("encoding", line_of("test.deep.All", schema, data, "flatbuffer", "flatbuffer")),
                       ("group", line_of("test.deep.All", schema, b"\x0b\x0c", "protobuf", "protobuf"))):
        if not rows([line])[0].startswith("error: "):
            faults.append(f"{what}: {rows([line])}")
    return faults


# ---- JSON ----

class JsonPlan:
    """Random schemas, and random objects that have them."""

    def __init__(self, seed):
        self.random, self.definitions = random.Random(seed), {}

    def name(self, i):
        return self.random.choice(["x", "größe", 'a "b"', "tab\t", "n\\u"]) + str(i)

    def schema(self, depth):
        kind = self.random.choice(["number", "integer", "boolean", "string", "bytes", "enum", "nullable"] + ["object", "ref", "array"] * (depth < 3))
        if kind == "bytes":
            return {"type": "string", "contentEncoding": "base64"}
        if kind == "enum":
            return {"title": "Mode", "oneOf": [{"title": "A", "const": 0}, {"title": "B", "const": 7}]}
        if kind == "nullable":
            return {"type": ["number", "null"]}
        if kind == "object":
            return self.object(depth + 1)
        if kind == "ref":
            name = f"D{len(self.definitions)}"
            self.definitions[name] = None
            self.definitions[name] = self.object(depth + 1)
            return {"$ref": f"#/$defs/{name}"}
        if kind == "array":
            return {"type": "array", "items": self.schema(depth + 1)}
        return {"type": kind, "description": "any"}

    def object(self, depth=0):
        return {"type": "object", "title": f"T{depth}", "properties": {self.name(i): self.schema(depth) for i in range(self.random.randrange(1, 5))}}

    def resolve(self, schema):
        return self.definitions[schema["$ref"].rpartition("/")[2]] if "$ref" in schema else schema

    def value(self, schema):
        schema = self.resolve(schema)
        kind = schema.get("type", "enum")
        if isinstance(kind, list):
            return self.random.choice([None, 1.5, 1e300])
        if kind == "object":
            pairs = [(key, self.value(value)) for key, value in schema["properties"].items() if self.random.random() < 0.9
                     or self.must_be(value)]
            self.random.shuffle(pairs)
            return dict([("unknown", {"a": [1, "]}"]}), *pairs] if self.random.random() < 0.3 else pairs)
        if kind == "array":
            return [self.value(schema["items"]) for _ in range(self.random.randrange(4))]
        if kind == "string":
            text = "".join(self.random.choice('ab"\\/ä\U0001f600\n') for _ in range(self.random.randrange(6)))
            return base64.b64encode(text.encode()).decode() if "contentEncoding" in schema else text
        return {"number": self.random.choice([0, -1, 1e-9, self.random.uniform(-1e9, 1e9), float("nan"), float("inf"), -float("inf")]),
                "integer": self.random.choice([0, 2.0, -(2 ** 53), self.random.randrange(10 ** 9)]), "boolean": self.random.random() < 0.5,
                "enum": self.random.choice([0, 7])}[kind]

    def must_be(self, schema):
        """Whether a value must be there: an integer, or an object with one."""
        schema = self.resolve(schema)
        if schema.get("type", "enum") == "object":
            return any(self.must_be(value) for value in schema["properties"].values())
        return schema.get("type", "enum") in ("integer", "boolean", "enum")

    def flatten(self, schema, value, path=""):
        schema = self.resolve(schema)
        kind = schema.get("type", "enum")
        if kind == "object":
            for key, inner in schema["properties"].items():
                if is_read(self.resolve(inner)):
                    yield from self.flatten(inner, (value or {}).get(key), f"{path}.{key}" if path else key)
        elif kind == "array":
            for i, item in enumerate(value or []):
                yield from self.flatten(schema["items"], item, f"{path}[{i}]")
        elif "contentEncoding" in schema:
            yield from ((f"{path}[{i}]", byte) for i, byte in enumerate(base64.b64decode(value or "")))
        elif kind != "string":
            yield path, float("nan") if value is None else float(value)


def is_read(schema):
    """Arrays of arrays and of bytes are left out."""
    items = schema.get("items", {})
    return schema.get("type") != "array" or (items.get("type") != "array" and "contentEncoding" not in items)


def json_line(schema, message):
    return line_of("T", schema, message, "jsonschema", "json")


def json_random():
    cases, n = [], 0
    for seed in range(400):
        plan = JsonPlan(seed)
        schema = plan.object()
        schema["$defs"] = plan.definitions
        for i in range(3):
            value = plan.value(schema)
            wanted = list(plan.flatten(schema, value))
            text = json.dumps(value, ensure_ascii=i == 0, indent=2 if i == 1 else None)
            definition = json.dumps(schema, ensure_ascii=i == 0)
            if any(" " in name or "\t" in name for name, _ in wanted):
                # the tool separates channels by blanks
                text, definition = (t.replace("tab\\t", "tab").replace('a \\"b\\"', "quoted") for t in (text, definition))
                wanted = [(name.replace("tab\t", "tab").replace('a "b"', "quoted"), number) for name, number in wanted]
            cases.append((f"schema {seed}", json_line(definition.encode(), text.encode()), wanted))
            n += len(wanted)
    return check(cases) if n > 5000 else [f"only {n} numbers"]


def json_faults():
    """A message cut at every byte gives one error, and so does what differs from its schema."""
    schema = {"type": "object", "properties": {"a": {"type": "number"}, "b": {"type": "object", "properties": {"c": {"type": "integer"}}},
                                               "d": {"type": "array", "items": {"type": "boolean"}}, "s": {"type": "string"}}}
    definition = json.dumps(schema).encode()
    text = json.dumps({"a": -1.5e3, "b": {"c": 7}, "d": [True, False], "s": 'x"\u00e4\n'}).encode()
    lines = [json_line(definition, text[:end]) for end in range(len(text))]
    faults = [f"cut at {i}: {row}" for i, row in enumerate(rows(lines)) if not row.startswith("error: the message is not a JSON object")]
    for what in (b"[1]", b'{"a": "1"}', b'{"b": {"c": 1.5}, "d": []}', b'{"b": {}, "d": []}', b'{"b": {"c": 99999999999999999999}}', b'{"d": 1}',
                 b'{"b": 1}', b'{"a": 01}', b'{"a": 1,}', b'{"a": tru}', b'{"a": 1} 2', b"[" * 100000, b'{"b": {"c": 1}, "d": [1]}'):
        if not rows([json_line(definition, what)])[0].startswith("error: "):
            faults.append(f"{what[:40]}: {rows([json_line(definition, what)])}")
    for bad in (b"", b"{", b"[]", b'{"type": "object"}', b'{"type":"object","properties":{"s":{"type":"string"}}}'):
        if not rows([json_line(bad, b"{}")])[0].startswith("error: "):
            faults.append(f"schema {bad}")
    loop = {"type": "object", "properties": {"x": {"type": "number"}, "next": {"$ref": "#/$defs/N"}},
            "$defs": {"N": {"type": "object", "properties": {"y": {"type": "number"}, "next": {"$ref": "#/$defs/N"}}}}}
    data = json.dumps({"type": "object", "properties": {"d": {"type": "string", "contentEncoding": "base64"}}}).encode()
    for what in (b'{"d": "AAA"}', b'{"d": "AA=A"}', b'{"d": "A==="}', b'{"d": "A*AA"}', b'{"d": 5}', b'{"d": "\\nAAA"}'):
        if "expected base64" not in rows([json_line(data, what)])[0]:
            faults.append(f"{what}: {rows([json_line(data, what)])}")
    faults += check([(text.decode(), json_line(data, b'{"d": ' + text + b"}"), [(f"d[{i}]", x) for i, x in enumerate(values)])
                     for text, values in ((b'"\\/w=="', [255]), (b'"//8="', [255, 255]), (b'"AQID"', [1, 2, 3]), (b'""', []), (b"null", []))])
    return faults + check([("loop", json_line(json.dumps(loop).encode(), b'{"x": 1, "next": {"y": 2, "next": {"y": 3}}}'), [("x", 1), ("next.y", 2)])])


def protobuf_defaults():
    """What a message lacks has the default of its definition, and an enumeration its first value, which may not be 0 in version 2."""
    file = descriptor_pb2.FileDescriptorProto(name="old.proto", package="old", syntax="proto2")
    message = file.message_type.add(name="T")
    for enum, values in ((file.enum_type.add(name="Mode"), (("A", 3), ("B", 0), ("C", -7))), (message.enum_type.add(name="Inner"), (("D", -2),))):
        for name, number in values:
            enum.value.add(name=name, number=number)
    fields = (("a", Field.TYPE_DOUBLE, "-1.5"), ("b", Field.TYPE_INT32, "0"), ("c", Field.TYPE_STRING, "x"), ("d", Field.TYPE_BOOL, "true"),
              ("e", Field.TYPE_FLOAT, ""), ("f", Field.TYPE_FLOAT, "0.1"), ("g", Field.TYPE_SINT64, str(-2 ** 63)), ("h", Field.TYPE_UINT64, str(2 ** 64 - 1)),
              ("i", Field.TYPE_FLOAT, "-inf"), ("j", Field.TYPE_DOUBLE, "nan"), ("k", Field.TYPE_ENUM, ".old.Mode"), ("l", Field.TYPE_ENUM, ".old.T.Inner"),
              ("m", Field.TYPE_ENUM, ".old.Mode C"), ("n", Field.TYPE_INT32, "-5"))
    for number, (name, kind, default) in enumerate(fields, 1):
        type_name, _, default = default.partition(" ") if kind == Field.TYPE_ENUM else ("", "", default)
        message.field.add(name=name, number=number, type=kind, label=1, default_value=default or None, type_name=type_name or None)
    outer = file.message_type.add(name="Outer")
    outer.field.add(name="t", number=1, type=Field.TYPE_MESSAGE, label=1, type_name=".old.T")
    pool = descriptor_pool.DescriptorPool()
    pool.Add(file)
    schema = descriptor_pb2.FileDescriptorSet(file=[file]).SerializeToString()
    inner, whole = (message_factory.GetMessageClass(pool.FindMessageTypeByName(f"old.{name}")) for name in ("T", "Outer"))
    some = inner(a=2, b=5, d=False, k=0, m=3, n=0)
    return check([("none", line_of("old.T", schema, b"", "protobuf", "protobuf"), list(flatten(inner()))),
                  ("some", line_of("old.T", schema, some.SerializeToString(), "protobuf", "protobuf"), list(flatten(some))),
                  ("no message", line_of("old.Outer", schema, b"", "protobuf", "protobuf"), list(flatten(whole())))])


def depth():
    """Types that are known in part may not become deeper together than a message may be."""
    faults = []
    for n, is_read in ((30, True), (150, False)):
        file = descriptor_pb2.FileDescriptorProto(name="deep.proto", package="deep", syntax="proto3")
        # the root names deeper types first, so that each part below it is built alone
        root, first = file.message_type.add(name="Root"), list(range(n - 25, 0, -25)) + [0]
        for i, at in enumerate(first, 1):
            root.field.add(name=f"f{i}", number=i, type=Field.TYPE_MESSAGE, label=1, type_name=f".deep.M{at}")
        definitions = {}
        for i in range(n):
            message = file.message_type.add(name=f"M{i}")
            message.field.add(name="x", number=1, type=Field.TYPE_FLOAT, label=1)
            definitions[f"M{i}"] = {"type": "object", "properties": {"x": {"type": "number"}}}
            if i + 1 < n:
                message.field.add(name="m", number=2, type=Field.TYPE_MESSAGE, label=1, type_name=f".deep.M{i + 1}")
                definitions[f"M{i}"]["properties"]["m"] = {"$ref": f"#/$defs/M{i + 1}"}
        schema = {"type": "object", "$defs": definitions, "properties": {f"f{i}": {"$ref": f"#/$defs/M{at}"} for i, at in enumerate(first)}}
        for what, line in (("protobuf", line_of("deep.Root", descriptor_pb2.FileDescriptorSet(file=[file]).SerializeToString(), b"", "protobuf", "protobuf")),
                           ("JSON", json_line(json.dumps(schema).encode(), b"{}"))):
            row = rows([line])[0]
            if is_read == row.startswith("error: ") or (not is_read and "more than 64 levels" not in row):
                faults.append(f"{what} of {n} levels: {row[:100]}")
    return faults


def many_unknown():
    """Keys and numbers that the schema lacks take no time for each field that it has, and references that repeat no time for each other one."""
    n = 4000
    file = descriptor_pb2.FileDescriptorProto(name="many.proto", package="many", syntax="proto3")
    message = file.message_type.add(name="T")
    for i in range(n):
        message.field.add(name=f"f{i}", number=i + 1, type=Field.TYPE_FLOAT, label=1)
    data = b"".join(b"\x80\x80\x80\x08\x01" for _ in range(400000)) + b"\x0d\0\0\x80\x3f"
    schema = {"type": "object", "properties": {f"f{i}": {"$ref": "#/$defs/last"} for i in range(n)},
              "$defs": {**{f"d{i}": {"type": "string"} for i in range(60000)}, "last": {"type": "number"}}}
    text = json.dumps({**{f"u{i}": 1 for i in range(400000)}, "f0": 1}).encode()
    wanted = [("f0", 1.0)] + [(f"f{i}", 0.0) for i in range(1, n)]
    before = sum(os.times()[2:4])
    faults = check([("protobuf", line_of("many.T", descriptor_pb2.FileDescriptorSet(file=[file]).SerializeToString(), data, "protobuf", "protobuf"), wanted)])
    nan = [("f0", 1.0)] + [(f"f{i}", float("nan")) for i in range(1, n)]
    faults += check([("JSON", json_line(json.dumps(schema).encode(), text), nan)])
    taken = sum(os.times()[2:4]) - before
    # 0.4 s; a search for each takes 45 s
    return faults + ([f"{taken:.0f} s"] if taken > 10 else [])


def many_values():
    """An enumeration is searched for defaults within bounds, and so are the names of types."""
    file = descriptor_pb2.FileDescriptorProto(name="values.proto", package="values", syntax="proto2")
    mode = file.enum_type.add(name="Mode")
    # two bytes of tag and size, a name and a number
    value = descriptor_pb2.EnumValueDescriptorProto(name="v", number=1).SerializeToString()
    mode.MergeFromString((b"\x12" + bytes([len(value)]) + value) * 1_000_000)
    mode.value.add(name="last", number=7)
    types = descriptor_pb2.FileDescriptorProto(name="types.proto", package="n" * 1000, syntax="proto3")
    types.MergeFromString((b"\x2a\x03\x0a\x01e") * 1_000_000)
    faults, before = [], sum(os.times()[2:4])
    for n, wanted in ((1, "f0=7: int32"), (4000, "error: the schema has too many values of enumerations")):
        message = descriptor_pb2.DescriptorProto(name="T")
        for i in range(n):
            message.field.add(name=f"f{i}", number=i + 1, type=Field.TYPE_ENUM, label=1, type_name=".values.Mode", default_value="last")
        del file.message_type[:]
        file.message_type.append(message)
        row = rows([line_of("values.T", descriptor_pb2.FileDescriptorSet(file=[file]).SerializeToString(), b"", "protobuf", "protobuf")])[0]
        faults += [] if row.startswith(wanted) else [f"{n} fields: {row[:200]}"]
    row = rows([line_of("T", descriptor_pb2.FileDescriptorSet(file=[types]).SerializeToString(), b"", "protobuf", "protobuf")])[0]
    taken = sum(os.times()[2:4]) - before
    # 3 s; without bounds minutes, and a gibibyte
    return faults + ([] if "too many types" in row else [row[:200]]) + ([f"{taken:.0f} s"] if taken > 20 else [])


def main():
    cases = {"protobuf_defaults": protobuf_defaults, "json_random": json_random, "json_faults": json_faults,
             "protobuf_foxglove": protobuf_foxglove, "protobuf_types_packed": lambda: protobuf_types(True),
             "protobuf_types": lambda: protobuf_types(False), "protobuf_faults": protobuf_faults, "depth": depth, "many_unknown": many_unknown,
             "many_values": many_values}
    failed = 0
    for name, case in cases.items():
        faults = case()
        failed += bool(faults)
        print(f"FAIL {name}: {'; '.join(faults[:5])[:2000]}" if faults else f"PASS {name}", flush=True)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
