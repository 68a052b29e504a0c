"""image.py console URL: fetches the sign-in page and every file it names; each must be there and of its kind.
image.py image DIR COMPOSE: starts what rootfs.sh laid into DIR as the Compose file (as JSON) and the Dockerfile say.
"""

import json
import os
import re
import signal
import subprocess
import sys
import time
import urllib.error
import urllib.request
from pathlib import Path

PATIENCE = 60
FILE = re.compile(r"""["'](/[\w./-]+\.(css|ico|js|png|svg|wasm|woff2))(\?[^"']*)?["']""")
KINDS = {
    "css": "text/css; charset=utf-8",
    "ico": "image/x-icon",
    "js": "text/javascript; charset=utf-8",
    "png": "image/png",
    "svg": "image/svg+xml",
    "wasm": "application/wasm",
    "woff2": "font/woff2",
}


def fail(message: str) -> None:
    sys.exit(f"error: {message}")


def fetch(url: str) -> tuple[str, bytes]:
    with urllib.request.urlopen(url, timeout=10) as answer:
        return answer.headers["content-type"], answer.read()


def until(condition, what: str) -> None:
    end = time.monotonic() + PATIENCE
    while not condition():
        if time.monotonic() > end:
            fail(f"{what} within {PATIENCE} s")
        time.sleep(0.1)


def answers(url: str) -> bool:
    try:
        fetch(url)
        return True
    except OSError:
        return False


def check_console(base: str) -> None:
    until(lambda: answers(f"{base}/health/ready"), "soit did not become ready")
    kind, page = fetch(f"{base}/sign-in")
    if kind != "text/html; charset=utf-8":
        fail(f"/sign-in is `{kind}`")
    named = {(path, ending, query) for path, ending, query in FILE.findall(page.decode())}
    missing = {"css", "js", "wasm"} - {ending for _, ending, _ in named}
    if missing:
        fail(f"/sign-in names no file that ends in {', '.join(sorted(missing))}")
    for path, ending, query in sorted(named):
        kind, content = fetch(f"{base}{path}{query}")
        if kind != KINDS[ending] or not content:
            fail(f"{path} is {len(content)} bytes of `{kind}`")
        if ending == "wasm" and not content.startswith(b"\0asm"):
            fail(f"{path} is no WebAssembly")
        print(f"{path}: {len(content)} bytes of {kind}", file=sys.stderr)


class Image:
    """The files of the image, with what the Compose file and the Dockerfile say of them."""

    def __init__(self, folder: Path, compose: dict):
        self.folder = folder
        self.service = compose["services"]["soit"]
        self.dockerfile = Path("docker/Dockerfile").read_text()
        self.exposed = {int(port) for port in re.search(r"^EXPOSE (.+)$", self.dockerfile, re.MULTILINE)[1].split()}

    def said(self, instruction: str) -> list[str]:
        """The words of an instruction that is a JSON list, such as `CMD ["serve"]`."""
        return json.loads(re.search(rf"^{instruction}\b.*?(\[.+\])$", self.dockerfile, re.MULTILINE)[1])

    def command(self, *words: str) -> list[str]:
        """Runs words in the image: as its user, with nothing writable but its data and /tmp, and nothing else there."""
        user, group = re.search(r"^USER (\d+):(\d+)$", self.dockerfile, re.MULTILINE).groups()
        if f"{user}:{group}" != self.service["user"]:
            fail(f"the Dockerfile's user is {user}:{group}, the Compose file's {self.service['user']}")
        settings = [word for pair in self.service["environment"].items() for word in ("--setenv", *pair)]
        files = ["--bind", f"{self.folder}/system", "/", "--bind", f"{self.folder}/data", "/data"]
        # What a container engine gives to every container.
        files += [word for name in ("hosts", "resolv.conf") for word in ("--ro-bind", f"/etc/{name}", f"/etc/{name}")]
        around = ["--tmpfs", "/tmp", "--dev", "/dev", "--proc", "/proc", "--remount-ro", "/", "--chdir", "/data"]
        apart = ["--unshare-user", "--uid", user, "--gid", group, "--unshare-ipc", "--unshare-uts", "--die-with-parent"]
        return ["bwrap", *apart, *files, *around, "--clearenv", *settings, *words]

    def run(self, *words: str) -> str:
        ran = subprocess.run(self.command(*words), capture_output=True, text=True, timeout=PATIENCE)
        if ran.returncode != 0:
            fail(f"`{' '.join(words)}` ended with {ran.returncode} in the image: {ran.stdout}{ran.stderr}")
        return ran.stdout

    def works(self, words: list[str]) -> bool:
        ran = subprocess.run(self.command(*words), capture_output=True, text=True, timeout=PATIENCE)
        self.said_last = ran.stdout + ran.stderr
        return ran.returncode == 0


def check_image(image: Image) -> None:
    entry, serve = image.said("ENTRYPOINT"), image.said("CMD")
    version = image.run(*entry, "--version")
    if not version.startswith("soit "):
        fail(f"`--version` says {version}")
    image.run(*entry, "config", "--check")

    published = {port["target"] for port in image.service["ports"]}
    if published != image.exposed:
        fail(f"the Dockerfile exposes {sorted(image.exposed)}, the Compose file publishes {sorted(published)}")
    end = time.monotonic() + PATIENCE
    checks = [image.said("HEALTHCHECK"), image.service["healthcheck"]["test"][1:]]
    told, tell = os.pipe()
    command = image.command(*entry, *serve)
    command[1:1] = ["--info-fd", str(tell)]
    server = subprocess.Popen(command, pass_fds=[tell], stdout=subprocess.DEVNULL)
    os.close(tell)
    try:
        inner = json.loads(os.fdopen(told).read())["child-pid"]
        for check in checks:
            if check[0] != entry[0]:
                fail(f"the health check runs {check}, which is not in the image")
            while not image.works(check):
                if server.poll() is not None or time.monotonic() > end:
                    fail(f"{check} did not succeed within {PATIENCE} s: {image.said_last}")
                time.sleep(0.1)
        for port in sorted(published):
            for path in ("/health", "/health/ready"):
                if not answers(f"http://127.0.0.1:{port}{path}"):
                    fail(f"port {port} does not answer {path}")
        check_console(f"http://127.0.0.1:{min(published)}")
        os.kill(inner, signal.SIGTERM)
        status = server.wait(PATIENCE)
        if status != 0:
            fail(f"SIGTERM ended it with {status}")
    finally:
        server.kill()
    print(f"{version.strip()}: runs read-only as {image.service['user']}", file=sys.stderr)


if __name__ == "__main__":
    match sys.argv[1:]:
        case ["console", url]:
            check_console(url)
        case ["image", folder, compose]:
            check_image(Image(Path(folder), json.loads(Path(compose).read_text())))
        case _:
            fail("use image.py console URL, or image.py image DIR COMPOSE")
