# SPDX-License-Identifier: LGPL-2.1-or-later
"""Formats of sets. Each has a function that makes a set of parts, or of those of before and parts."""
