# SPDX-License-Identifier: LGPL-2.1-or-later
"""Statistics of a set: of numbers as NumPy has them, of pictures from exact counts of their sampled pixels."""
import math

import numpy as np

from .depth import CODES, DEPTH_OF

QUANTILES = {"q01": 0.01, "q10": 0.10, "q50": 0.50, "q90": 0.90, "q99": 0.99}


def _of_numbers(values):
    """Of each channel those of its rows that are numbers; NaN of a channel without any."""
    columns = [column[~np.isnan(column)] for column in values.T]
    stats = [of_values(column[:, None]) if len(column) else dict.fromkeys(("min", "max", "mean", "std", *QUANTILES), [math.nan]) for column in columns]
    return {name: [len(values)] if name == "count" else [value for one in stats for value in one[name]] for name in ("min", "max", "mean", "std", "count", *QUANTILES)}


def of_values(values):
    """Of an array [rows, width]. Integers keep their exact least and greatest value. What is not a number does not count."""
    wide = values.astype(np.float64)
    if np.isnan(wide).any():
        return _of_numbers(wide)
    stats = {"min": values.min(axis=0), "max": values.max(axis=0), "mean": wide.mean(axis=0), "std": wide.std(axis=0),
             "count": np.array([len(values)])}
    quantiles = np.quantile(wide, list(QUANTILES.values()), axis=0)
    return {name: value.tolist() for name, value in {**stats, **dict(zip(QUANTILES, quantiles))}.items()}


def of_columns(columns):
    """Of {name: array [rows, width]}; those of one type together, which is faster than each alone."""
    stats = {}
    for dtype in {values.dtype for values in columns.values()}:
        names = [name for name, values in columns.items() if values.dtype == dtype]
        together, end = of_values(np.hstack([columns[name] for name in names])), 0
        for name in names:
            begin, end = end, end + columns[name].shape[1]
            stats[name] = {stat: values if stat == "count" else values[begin:end] for stat, values in together.items()}
    return {name: stats[name] for name in columns}


def _quantile(counts, values, q):
    """As numpy.quantile of the counted values: linear between the two values around the rank."""
    rank = q * (counts.sum() - 1)
    below, above = np.searchsorted(np.cumsum(counts), [np.floor(rank), np.ceil(rank)], side="right")
    return values[below] + (values[above] - values[below]) * (rank - np.floor(rank))


def _of_counts(counts):
    values = DEPTH_OF if len(counts) == CODES else np.arange(256) / 255
    mean = (counts * values).sum() / counts.sum()
    there = np.flatnonzero(counts)
    return {"min": values[there[0]], "max": values[there[-1]], "mean": mean, "std": np.sqrt((counts * (values - mean) ** 2).sum() / counts.sum()),
            **{name: _quantile(counts, values, q) for name, q in QUANTILES.items()}}


def add_pictures(states):
    """The histogram of all."""
    return {"frames": sum(state["frames"] for state in states), "counts": np.sum([state["counts"] for state in states], axis=0).tolist()}


def of_pictures(states):
    """Of the histograms of episodes, colours in 0 to 1 and depth in mm, each number as [colour][1][1]."""
    counts = np.sum([state["counts"] for state in states], axis=0)
    colours = [_of_counts(colour) for colour in counts]
    stats = {name: [[[float(colour[name])]] for colour in colours] for name in colours[0]}
    return {**stats, "count": [sum(state["frames"] for state in states)]}
