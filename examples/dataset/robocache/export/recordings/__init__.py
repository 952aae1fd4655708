# SPDX-License-Identifier: LGPL-2.1-or-later
"""Recordings by kind. Each kind is one file with a class that has the same names:

    name                       in messages, and of its episodes
    files()                    what to hash
    span()                     (first, last) time in ns of the recording's clock
    has(topic)                 whether the topic is there
    times(topic)               int64 array of its times, in ns, sorted
    stream_times(stream)       those of a stream of the mapping, where they can be told from others of its topic
    channel_formats(topic)     texts that differ where the channels of a topic differ within the recording
    formats_within(topic, start, end)  those of its messages in a span, or else of the last message before it
    texts(topic)               [(time, text)] of a topic of texts
    topics()                   all that it has, also those without a stream
    described()                [(topic, part, caps)] of all streams
    streams(mapping)           [Found], one for each stream of the mapping
    source(found, origin)      part of a pipeline, and the name of the pad of each stream
    has_said(text)             whether this warning of its elements was said of the recording already
    start(pipeline, pad)       makes running time 0 of that pipeline `origin`; pad is the source pad at its end
"""
import os
from pathlib import Path

from ..errors import ExportError
from .csvfolder import CsvFolder
from .db3file import Db3File
from .mcapfile import McapFile
from .ros1file import Ros1File


FILES = {".mcap": McapFile, ".db3": Db3File, ".bag": Ros1File}


def _kind_of(path):
    if path.is_dir() and any(path.glob("*.csv")):
        return CsvFolder
    if path.is_file() and path.suffix in FILES:
        return FILES[path.suffix]
    raise ExportError(f"{path}: expected a file that ends in {' or '.join(FILES)}, or a folder of .csv files")


def _expand(path):
    """A folder of MCAP, .db3 or .bag files is those files."""
    if not path.is_dir() or any(path.glob("*.csv")):
        return [path]
    return [file for ending in FILES for file in sorted(path.glob(f"*{ending}"))] or [path]


def open_recordings(paths):
    """The recordings in the order in which they are given, each once; those of a folder in the order of their names. Names are paths below
    the folder that holds all."""
    for path in paths:
        if not path.exists():
            raise ExportError(f"{path}: no such file or folder")
    files = list(dict.fromkeys(file.resolve() for path in paths for file in _expand(Path(path))))
    top = os.path.commonpath([file.parent for file in files])
    return [_kind_of(file)(file, os.path.relpath(file, top)) for file in files]
