"""licences.py DIR: writes the licence texts of everything that is compiled into soit, and an index of them.

Run it inside the checkout: it asks cargo what the server and the browser half are made of.
"""

import json
import shutil
import subprocess
import sys
from pathlib import Path

TEXTS = ("LICENSE*", "LICENCE*", "COPYING*", "COPYRIGHT*", "NOTICE*", "license*")


def output(*command: str) -> str:
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


def compiled_packages(root: str, platform: str) -> dict[str, dict]:
    """The foreign packages that a package of ours reaches on that platform through ordinary dependencies, by id."""
    metadata = json.loads(
        output("cargo", "metadata", "--format-version=1", "--locked", "--all-features", f"--filter-platform={platform}")
    )
    packages = {package["id"]: package for package in metadata["packages"]}
    nodes = {node["id"]: node for node in metadata["resolve"]["nodes"]}
    reached, waiting = set(), [id for id in metadata["workspace_members"] if packages[id]["name"] == root]
    while waiting:
        current = waiting.pop()
        if current not in reached:
            reached.add(current)
            for dependency in nodes[current]["deps"]:
                if any(kind["kind"] is None for kind in dependency["dep_kinds"]):
                    waiting.append(dependency["pkg"])
    return {id: packages[id] for id in reached if packages[id]["source"]}


def main(target: Path) -> None:
    root = Path(__file__).resolve().parent.parent
    target.mkdir(parents=True)
    shutil.copy(root / "LICENSE", target)
    for notice in (root / "public").rglob("*LICENSE*"):
        shutil.copy(notice, target)
    index = ["soit is under the Apache License 2.0 (LICENSE). It contains:", ""]
    host = output("rustc", "--print=host-tuple").strip()
    packages = compiled_packages("server", host) | compiled_packages("frontend", "wasm32-unknown-unknown")
    for package in sorted(packages.values(), key=lambda package: (package["name"], package["version"])):
        name = f"{package['name']}-{package['version']}"
        folder = Path(package["manifest_path"]).parent
        texts = sorted({text for pattern in TEXTS for text in folder.glob(pattern) if text.is_file()})
        for text in texts:
            (target / name).mkdir(exist_ok=True)
            shutil.copyfile(text, target / name / text.name)
        index.append(f"{name}: {package['license'] or 'see its text'}{'' if texts else ' (no text in the package)'}")
    (target / "INDEX").write_text("\n".join(index) + "\n")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
