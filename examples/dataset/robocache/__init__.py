# SPDX-License-Identifier: LGPL-2.1-or-later
"""What robocache does in Python: samples as arrays (fused), training sets (export) and recordings of a robot (record)."""
