"""site.py BINDGEN_DIR SITE_DIR: lays out what the server gives to browsers.

`pkg/` holds the script, the WebAssembly module and the style sheet, everything else comes from `public/`. Files that
change size under Brotli get a compressed sibling `NAME.br`. A file whose content did not change is not written, so
that nothing is compressed or embedded twice.
"""

import re
import sys
from pathlib import Path

import brotli

COMPRESSED = {".css", ".html", ".js", ".json", ".svg", ".txt", ".wasm"}
IMPORT = re.compile(r"""^@import\s+(?:url\()?["']([^"']+)["']\)?\s*(?:layer\(([\w.-]+)\))?\s*;[^\n]*\n?""", re.MULTILINE)


def style_sheet(path: Path) -> str:
    """The style sheet with each import replaced by the file it names, in that layer if it names one."""

    def included(match: re.Match) -> str:
        name, layer = match.groups()
        text = style_sheet(path.parent / name)
        return f"@layer {layer} {{\n{text}}}\n" if layer else text

    return IMPORT.sub(included, path.read_text())


def squeezed(css: str) -> str:
    """The same style sheet without comments and without white space that means nothing."""
    css = re.sub(r"/\*.*?\*/", "", css, flags=re.DOTALL)
    css = re.sub(r"\s+", " ", css)
    return re.sub(r" ?([{};]) ?", r"\1", css)


def site_files(bindgen: Path) -> dict[str, bytes]:
    files = {"pkg/soit.css": squeezed(style_sheet(Path("style/index.css"))).encode()}
    for folder, prefix in ((Path("public"), ""), (bindgen, "pkg/")):
        for path in folder.rglob("*"):
            if path.is_file():
                files[prefix + path.relative_to(folder).as_posix()] = path.read_bytes()
    return files


def publish(files: dict[str, bytes], site: Path) -> None:
    kept = set()
    for name, content in files.items():
        target = site / name
        kept.add(target)
        compressed = target.with_name(target.name + ".br") if target.suffix in COMPRESSED else None
        if compressed:
            kept.add(compressed)
        if target.is_file() and target.read_bytes() == content and (not compressed or compressed.is_file()):
            continue
        target.parent.mkdir(parents=True, exist_ok=True)
        # The sibling first: an interrupted run then does its work again.
        if compressed:
            compressed.write_bytes(brotli.compress(content, quality=11))
        target.write_bytes(content)
    for path in site.rglob("*"):
        if path.is_file() and path not in kept:
            path.unlink()


if __name__ == "__main__":
    publish(site_files(Path(sys.argv[1])), Path(sys.argv[2]))
