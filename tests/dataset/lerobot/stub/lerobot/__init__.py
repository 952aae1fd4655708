# SPDX-License-Identifier: LGPL-2.1-or-later
"""What a robot and a teleoperator use of lerobot, as of this version."""
__version__ = "0.6.1"
