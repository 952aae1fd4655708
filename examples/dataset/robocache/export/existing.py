# SPDX-License-Identifier: LGPL-2.1-or-later
"""What is at the place of a set already: another file, a set that is the same, or one that episodes can be appended to."""
import os

from .errors import ExportError, ProblemsError
from .features import OfSet
from .formats import module_of
from .manifest import hash_inputs, sizes_below


def read_existing(output, form):
    """The manifest of the set at output, {} where it has none that can be read; None where nothing is. An error where something else is."""
    if not os.path.lexists(output) or output.is_dir() and not any(output.iterdir()):
        return None
    manifest = module_of(form).read_manifest(output)
    if manifest is None:
        raise ExportError(f"{output} exists and is not a set of {form}: choose another --output")
    return manifest


def _same_episode(said, planned):
    episode = planned.episode
    return (said["recording"], said["start"], said["end"], said["task"], said["success"], said["inputs"]) == \
        (episode.recording.name, episode.span.start, episode.span.end, episode.task, episode.span.success, hash_inputs(episode.recording.files()))


def is_same(manifest, output, job, plan):
    """Whether the set is whole, and what this job makes of these episodes."""
    episodes = manifest.get("episodes", [])
    return manifest.get("settings") == job.settings and len(episodes) == len(plan) and all(map(_same_episode, episodes, plan)) \
        and ("files" not in manifest or manifest["files"] == sizes_below(output))


def check_replaced(output, form):
    """An error where the folder of a set has what is not of the set."""
    others = sorted(path.name for path in output.iterdir() if not module_of(form).ENTRIES.fullmatch(path.name)) if output.is_dir() else []
    if others:
        raise ExportError(f"--overwrite removes {output}, which has {', '.join(others[:5])}{' and others' if len(others) > 5 else ''} beside the set: "
                          "move them, or choose another --output")


# ---- a set that is appended to ----

def check_append(manifest, output, mapping):
    """An error where the set has other features than the mapping."""
    if "names" not in manifest or "settings" not in manifest:
        raise ExportError(f"--append: {output} has no manifest with the names of its channels; robocache export writes one")
    made = {"fps": mapping.fps, "action": mapping.action, "kind of actions": mapping.actions.kind, "streams": sorted(stream.name for stream in mapping.streams),
            "features": sorted(set(mapping.features) | ({"action"} if mapping.action == "next-state" else set()))}
    there = {"fps": manifest["fps"], "action": manifest["action"], "kind of actions": manifest["actions"], "streams": sorted(manifest["streams"]),
             "features": sorted([*manifest["names"], *manifest["sizes"]])}
    text = lambda value: ", ".join(value) if isinstance(value, list) else value
    wrong = [f"{name} {text(there[name])}, and the mapping {text(made[name])}" for name in made if made[name] != there[name]]
    if wrong:
        raise ExportError(f"--append: {output} has {'; '.join(wrong)}")


def channels_of(manifest):
    """Those of a set, for what is appended."""
    first = manifest["episodes"][0] if manifest.get("episodes") else {}
    names = manifest["names"] | manifest.get("source_names", {})
    if "source_names" not in manifest and manifest["actions"] != "joint":
        names.pop("action", None)
    return OfSet(names, {name: said["channels"] for name, said in first.get("kinds", {}).items()})


def not_in_set(manifest, episodes):
    """The episodes that the set does not have; an error where one overlaps an episode of the set."""
    left, problems = [], []
    for episode in episodes:
        hashes = set(hash_inputs(episode.recording.files()).values())
        own = [said for said in manifest["episodes"] if set(said["inputs"].values()) == hashes]
        shared = [said for said in own if said["start"] < episode.span.end and episode.span.start < said["end"]]
        if any((said["start"], said["end"]) == (episode.span.start, episode.span.end) for said in shared):
            continue
        problems += [(episode.name, f"it overlaps episode {said['number']} of {said['recording']}, which the set has") for said in shared[:1]]
        left.append(episode)
    if problems:
        raise ProblemsError(problems)
    return left


def check_sizes(manifest, plan):
    """An error where pictures have other sizes than in the set, or are depth in one of them alone."""
    for planned in plan:
        for feature, size in planned.layout.sizes.items():
            if list(size) != manifest["sizes"][feature]:
                raise ExportError(f"--append: features.{feature} has {size[0]}x{size[1]}, and {'x'.join(map(str, manifest['sizes'][feature]))} in the set: "
                                  "set width and height of its stream")
            if (feature in planned.layout.depth) != (feature in manifest.get("depth", ())):
                raise ExportError(f"--append: features.{feature} is depth in {'the recording' if feature in planned.layout.depth else 'the set'} alone")


def joined_manifest(before, manifest):
    """That of a set with episodes appended. Each append has its settings there, and the first of its episodes."""
    own = {name: value for name, value in manifest.items() if name not in ("episodes", "files")}
    appended = [*before.get("appended", []), {"first_episode": len(before["episodes"]), **own}]
    return before | {"episodes": before["episodes"] + manifest["episodes"], "appended": appended}
