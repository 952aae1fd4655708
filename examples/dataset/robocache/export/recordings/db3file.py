# SPDX-License-Identifier: LGPL-2.1-or-later
"""One .db3 file of a bag: topics and times by its tables, streams by robocachebagsrc."""
from contextlib import closing
from functools import cache, cached_property

import numpy as np

from ..errors import ExportError
from . import pipelines
from .streamfile import StreamFile, decode_string


class Db3File(StreamFile):
    def _reader(self):
        return f"robocachebagsrc location={pipelines.quote(self.path)}"

    def _query(self, text, *values):
        import sqlite3  # it is slow to load, and other recordings need none
        try:
            with closing(sqlite3.connect(f"{self.path.as_uri()}?mode=ro", uri=True)) as database:
                return database.execute(text, values).fetchall()
        except sqlite3.Error as error:
            raise ExportError(f"{self.name}: {error}") from None

    @cached_property
    def _types(self):
        """{topic: type}."""
        return dict(self._query("SELECT name, type FROM topics ORDER BY name"))

    def topics(self):
        return list(self._types)

    def has(self, topic):
        return topic in self._types

    @cache
    def log_times(self, topic):
        found = self._query("SELECT timestamp FROM messages JOIN topics ON topics.id = topic_id WHERE name = ? ORDER BY timestamp", topic)
        return np.array(found, np.int64).ravel()

    def channel_formats(self, topic):
        return []

    def log_texts(self, topic):
        """Of std_msgs/String messages."""
        if self._types.get(topic) != "std_msgs/msg/String":
            raise ExportError(f"{self.name}: {topic} holds marks, and its messages must be std_msgs/String")
        found = self._query("SELECT timestamp, data FROM messages JOIN topics ON topics.id = topic_id WHERE name = ? ORDER BY timestamp", topic)
        return [(time, decode_string(data)) for time, data in found]
