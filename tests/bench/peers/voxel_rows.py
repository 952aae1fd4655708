# SPDX-License-Identifier: LGPL-2.1-or-later
"""Voxel grids as bench-kernels leaves them in files: what a row reads, and whether a result is ours."""
import peers

PLAIN = peers.Peer("plain CUDA", "a thread a point", None)


def inputs(row):
    """Name, type and shape."""
    return [("points", "float32", (row["batch"], row["points"], 3 + row["features"]))]


def dtype_of(row):
    """Of what a dense grid, bits and maps are in files."""
    return {"bits": "int32", "index": "int64", "rank": "int64"}.get(row["output"], row["dtype"])


def sparse_difference(torch, files, row, result):
    n, coordinates, values = int(result[0]), result[1], result[2]
    if n != row["occupied"]:
        return f"{n} occupied voxels, not {row['occupied']}"
    if not torch.equal(coordinates[:n].flatten(), files.tensor(torch, "coordinates", "int32")[:3 * n]):
        return "other coordinates"
    ours = files.tensor(torch, "values", "float32")[:values[:n].numel()]
    if row["mode"] == "first":
        return None if torch.equal(values[:n].flatten(), ours) else "other points"
    return None if torch.allclose(values[:n].flatten(), ours, 1e-4, 1e-5) else "other means"


def difference(torch, files, row, result):
    """What of a peer's result is not as ours, as far as there are files; None: it is the same."""
    if row["output"] == "sparse":
        return sparse_difference(torch, files, row, result)
    if row["output"] in ("index", "rank"):
        return None if torch.equal(result, files.tensor(torch, "map", "int64")) else "other voxels"
    wanted = files.tensor(torch, "grid", dtype_of(row))
    in_file = result.flatten()[:len(wanted)]  # the first items
    if row["mode"] == "mean":
        return None if torch.allclose(in_file, wanted, 1e-4, 1e-5) else "other means"
    if not torch.equal(in_file, wanted):
        return "other bits" if row["output"] == "bits" else "other values"
    if result.numel() == row["batch"] * row["axis"]**3:
        occupied = int(torch.count_nonzero(result))
        return None if occupied == row["occupied"] else f"{occupied} occupied voxels, not {row['occupied']}"
    return None


def measured_beforehand(torch, files, row):
    """The kernels that bench-kernels has of its own."""
    if "plain" not in row:
        return {}
    return {PLAIN: difference(torch, files, row, files.tensor(torch, "plain", dtype_of(row))) or peers.Times(*row["plain"])}
