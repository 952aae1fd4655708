# SPDX-License-Identifier: LGPL-2.1-or-later
"""Voxel grids as bench-kernels leaves them in files: what a row reads, and whether a result is ours."""


def inputs(row):
    """Name, type and shape."""
    return [("points", "float32", (row["batch"], row["points"], 3 + row["features"]))]


def difference(torch, files, row, result):
    """What of a peer's result is not as ours; None: it is the same."""
    def wanted(name, dtype):
        return files.tensor(torch, name, dtype)

    def share(whole):
        """Of as many items as the file has."""
        return whole.reshape(row["batch"], -1)[:row["items"]].flatten()

    if row["output"] == "bits":
        same = torch.equal(share(result), wanted("grid", "int32"))
        return None if same else "other bits"
    if row["output"] in ("index", "rank"):
        return None if torch.equal(result, wanted("map", "int64")) else "other voxels"
    if row["output"] == "sparse":
        n, coordinates, values = int(result[0]), result[1], result[2]
        if n != row["occupied"]:
            return f"{n} occupied voxels, not {row['occupied']}"
        if not torch.equal(coordinates[:n].flatten(), wanted("coordinates", "int32")[:3 * n]):
            return "other coordinates"
        ours_of_n = wanted("values", "float32")[:values[:n].numel()]
        if row["mode"] == "first":
            return None if torch.equal(values[:n].flatten(), ours_of_n) else "other points"
        return None if torch.allclose(values[:n].flatten(), ours_of_n, 1e-4, 1e-5) else "other means"
    grid = wanted("grid", row["dtype"])
    if row["mode"] == "mean":
        return None if torch.allclose(share(result), grid, 1e-4, 1e-5) else "other means"
    occupied = int(torch.count_nonzero(result))
    if occupied != row["occupied"]:
        return f"{occupied} occupied voxels, not {row['occupied']}"
    return None if torch.equal(share(result), grid) else "other values"

