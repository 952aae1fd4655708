# SPDX-License-Identifier: LGPL-2.1-or-later
"""Alignments as bench-kernels leaves them in files: what a row reads, and whether a result is ours."""
import peers

PLAIN = peers.Peer("plain CUDA", "a thread an element", None)

# Of values from -1 to 1: weights of a peer may be rounded to the type of the rows, ours are not.
TOLERANCE = {"float64": 1e-12, "float32": 1e-5, "float16": 2**-9, "bfloat16": 2**-6}


def inputs(row):
    """Name, type and shape."""
    batch = row["batch"]
    return [("ticks", "int64", (batch, row["ticks"]))] + [
        of_stream for i, (rows, channels) in enumerate(row["streams"]) for of_stream in (
            (f"times_{i}", "int64", (batch, rows)), (f"rows_{i}", row["in"], (batch, rows, channels)))]


def off_by(xp, theirs, wanted):
    """The greatest difference, where a row is not missing; xp is NumPy or PyTorch."""
    return float(xp.where(wanted == wanted, abs(theirs - wanted), 0).max())


def as_rotations(xp, theirs, wanted):
    """Neither the norm nor the sign of a quaternion matters, and one that is copied has the norm that it had."""
    theirs, wanted = (values.reshape(*values.shape[:-1], -1, 4) for values in (theirs, wanted))
    theirs, wanted = (values / xp.sqrt((values * values).sum(-1))[..., None] for values in (theirs, wanted))
    return xp.where((theirs * wanted).sum(-1)[..., None] < 0, -theirs, theirs), wanted


def difference_of(xp, row, theirs, wanted):
    """Of one stream, both floats or both integers: None, or what is not as ours."""
    if row["interpolation"] in ("nearest", "previous"):
        same = (theirs == wanted) | (wanted != wanted)
        return None if bool(same.all()) else "other rows"
    n = 4 * row["quaternions"]
    parts = [as_rotations(xp, theirs[..., :n], wanted[..., :n])] if n else []
    if n < wanted.shape[-1]:
        parts.append((theirs[..., n:], wanted[..., n:]))
    for off in (off_by(xp, *part) for part in parts):
        if not off <= TOLERANCE[row["out"]]:  # NaN is not, either
            return f"off by {off:.2g}, more than {TOLERANCE[row['out']]:.2g}"
    return None


def difference(torch, files, row, result):
    for i, theirs in enumerate(result):
        wanted = files.tensor(torch, f"out_{i}", row["out"], theirs.shape)
        if row["out"] in ("float16", "bfloat16"):
            theirs, wanted = theirs.float(), wanted.float()
        what = difference_of(torch, row, theirs, wanted)
        if what:
            return what
    return None


def measured_beforehand(torch, files, row):
    """The kernels that bench-kernels has of its own."""
    if "plain" not in row:
        return {}
    result = [files.tensor(torch, f"plain_{i}", row["out"], (row["batch"], row["ticks"], channels))
              for i, (_, channels) in enumerate(row["streams"])]
    return {PLAIN: difference(torch, files, row, result) or peers.Times(*row["plain"])}

