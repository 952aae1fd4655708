# SPDX-License-Identifier: LGPL-2.1-or-later
from dataclasses import dataclass
from pathlib import Path

from lerobot.choices import ChoiceRegistry


@dataclass(kw_only=True)
class TeleoperatorConfig(ChoiceRegistry):
    id: "str | None" = None
    calibration_dir: "Path | None" = None
