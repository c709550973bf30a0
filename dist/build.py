#!/usr/bin/env python3
"""Builds what a release consists of.

    dist/build.py --out FOLDER --tools ENVIRONMENT [x86_64] [aarch64]

For each kind of processor: the program, which needs no library of the system (musl), in an archive with manual pages, completions
and licences; a package for Debian; a wheel for CPython 3.9 and later (manylinux, glibc 2.17). For all of them: a list of what they
are made of (CycloneDX) and SHA256SUMS. What cannot be made on this machine is said on standard error and left out; the exit code
is 1 then. ENVIRONMENT is a virtual environment with maturin, cargo-zigbuild, ziglang, auditwheel and twine.
"""

import argparse
import gzip
import hashlib
import io
import json
import os
import shutil
import subprocess
import sys
import tarfile
import tomllib
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PROGRAM = "treebeam"
# Rust's name of the processor, and Debian's.
DEBIAN = {"x86_64": "amd64", "aarch64": "arm64"}
SHELLS = {"bash": "share/bash-completion/completions/treebeam", "zsh": "share/zsh/site-functions/_treebeam",
          "fish": "share/fish/vendor_completions.d/treebeam.fish"}
LICENCE_NAMES = ("license", "licence", "copying", "notice", "unlicense")
# Oldest C library that wheels work with.
MANYLINUX = "manylinux_2_17"


class Missing(Exception):
    """Something that this machine lacks."""


def run(*command, env=None, **options):
    command = [str(part) for part in command]
    print("+", " ".join(command), file=sys.stderr, flush=True)
    # Others find their programs in the environment that they are given.
    command[0] = shutil.which(command[0], path=(env or {}).get("PATH")) or command[0]
    try:
        return subprocess.run(command, check=True, cwd=ROOT, env={**os.environ, **(env or {})}, **options)
    except FileNotFoundError:
        raise Missing(f"there is no {command[0]}") from None
    except subprocess.CalledProcessError as error:
        raise Missing(f"{command[0]} failed with exit code {error.returncode}") from None


def output(*command):
    return run(*command, stdout=subprocess.PIPE).stdout


def packages(target):
    """The crates that the program is compiled from, as `cargo metadata` describes them, by name and version."""
    text = output("cargo", "metadata", "--format-version", "1", "--locked", "--filter-platform", target)
    metadata = json.loads(text)
    known = {package["id"]: package for package in metadata["packages"]}
    nodes = {node["id"]: node for node in metadata["resolve"]["nodes"]}
    [program] = (id for id, package in known.items() if package["name"] == "treebeam-cli")
    needed, open_ = {}, [program]
    while open_:
        id = open_.pop()
        if id in needed:
            continue
        normal = [dependency["pkg"] for dependency in nodes[id]["deps"]
                  if any(kind["kind"] is None for kind in dependency["dep_kinds"])]
        needed[id] = (known[id], normal)
        open_ += normal
    return program, dict(sorted(needed.items(), key=lambda item: (item[1][0]["name"], item[1][0]["version"])))


def reference(package):
    return f"pkg:cargo/{package['name']}@{package['version']}"


def bill(target):
    """What the program is made of, in the words of CycloneDX 1.5."""
    program, needed = packages(target)
    lock = tomllib.loads((ROOT / "Cargo.lock").read_text())
    sums = {(entry["name"], entry["version"]): entry.get("checksum") for entry in lock["package"]}

    def component(package, kind="library"):
        entry = {"type": kind, "bom-ref": reference(package), "name": package["name"], "version": package["version"],
                 "purl": reference(package), "scope": "required"}
        if package["license"]:
            entry["licenses"] = [{"expression": package["license"].replace("/", " OR ")}]
        if package["description"]:
            entry["description"] = " ".join(package["description"].split())
        checksum = sums.get((package["name"], package["version"]))
        if checksum:
            entry["hashes"] = [{"alg": "SHA-256", "content": checksum}]
        return entry

    components = [component(package) for id, (package, _) in needed.items() if id != program]
    dependencies = [{"ref": reference(package), "dependsOn": sorted(reference(needed[id][0]) for id in normal)}
                    for package, normal in needed.values()]
    return {"bomFormat": "CycloneDX", "specVersion": "1.5", "version": 1,
            "metadata": {"component": component(needed[program][0], "application")},
            "components": components, "dependencies": dependencies}


def licences(target):
    """The licences of all crates that are in the program, each text once."""
    program, needed = packages(target)
    of_text = {}
    for package, _ in needed.values():
        folder = Path(package["manifest_path"]).parent
        texts = sorted(path for path in folder.iterdir() if path.is_file() and path.name.lower().startswith(LICENCE_NAMES))
        if package["license_file"] and folder / package["license_file"] not in texts:
            texts.append(folder / package["license_file"])
        # The C library zstd stands in a folder of its own.
        texts += sorted(path for path in folder.glob("*/LICENSE") if path not in texts)
        name = f"{package['name']} {package['version']} ({package['license'] or 'see below'})"
        for path in texts:
            of_text.setdefault(path.read_text(errors="replace").strip(), []).append(name)
        if not texts:
            of_text.setdefault("Its package has no text of the licence that it names.", []).append(name)
    parts = ["\n".join(dict.fromkeys(names)) + "\n\n" + text for text, names in of_text.items()]
    return ("\n\n" + "-" * 80 + "\n\n").join(["Licences of what the program is made of."] + parts) + "\n"


def compiler(tools):
    """The variables with which cargo finds zig; the instructions are those that every processor of the kind has."""
    return {"PATH": f"{tools / 'bin'}{os.pathsep}{os.environ['PATH']}", "RUSTFLAGS": ""}


def add_target(target):
    if target not in output("rustup", "target", "list", "--installed").decode().split():
        run("rustup", "target", "add", target)


def program(arch, tools):
    """The program for a kind of processor, which needs no library."""
    target = f"{arch}-unknown-linux-musl"
    add_target(target)
    run("cargo", "zigbuild", "--release", "--locked", "--package", "treebeam-cli", "--bin", PROGRAM, "--target", target,
        "--config", 'profile.release.strip="symbols"', env=compiler(tools))
    return ROOT / "target" / target / "release" / PROGRAM


def shared(host, out):
    """Manual pages and completions, written by a program that runs here, as they lie under /usr."""
    share = out / "usr"
    shutil.rmtree(share, ignore_errors=True)
    run(*host, "man", share / "share/man/man1")
    for shell, path in SHELLS.items():
        (share / path).parent.mkdir(parents=True, exist_ok=True)
        (share / path).write_bytes(output(*host, "completions", shell))
    return share


def add(tar, name, content, mode=0o644):
    entry = tarfile.TarInfo(name)
    entry.size, entry.mode = len(content), mode
    # The same inputs give the same bytes.
    entry.mtime = int(os.environ.get("SOURCE_DATE_EPOCH", "0"))
    tar.addfile(entry, io.BytesIO(content))


def archive(path, files):
    """A tar archive, packed by gzip, with files as (name, content, mode), in a folder of its name."""
    top = path.name.removesuffix(".tar.gz")
    with gzip.GzipFile(path, "wb", mtime=0) as packed, tarfile.open(fileobj=packed, mode="w") as tar:
        for name, content, mode in files:
            add(tar, f"{top}/{name}", content, mode)


def contents(binary, share, notices):
    """What the archive has: (path under /usr, content, mode)."""
    yield f"bin/{PROGRAM}", binary.read_bytes(), 0o755
    for path in sorted(path for path in share.rglob("*") if path.is_file()):
        yield str(path.relative_to(share)), path.read_bytes(), 0o644
    for name in ["README.md", "CHANGELOG.md", "LICENSE-MIT", "LICENSE-APACHE"]:
        yield f"share/doc/{PROGRAM}/{name}", (ROOT / name).read_bytes(), 0o644
    yield f"share/doc/{PROGRAM}/LICENSES-OF-DEPENDENCIES.txt", notices.encode(), 0o644


def debian(path, version, arch, files, description, folder):
    """A package for Debian."""
    shutil.rmtree(folder, ignore_errors=True)
    size = 0
    for name, content, mode in files:
        if name.startswith("share/man/"):
            name, content = f"{name}.gz", gzip.compress(content, mtime=0)
        at = folder / "usr" / name
        at.parent.mkdir(parents=True, exist_ok=True)
        at.write_bytes(content)
        at.chmod(mode)
        size += len(content)
    control = folder / "DEBIAN/control"
    control.parent.mkdir()
    control.write_text(f"Package: {PROGRAM}\nVersion: {version}\nArchitecture: {DEBIAN[arch]}\nSection: science\nPriority: optional\n"
                       f"Maintainer: {os.environ.get('MAINTAINER') or 'the treebeam authors <nobody@localhost>'}\nInstalled-Size: {size // 1024 + 1}\n"
                       f"Description: transition-based dependency parser\n {description}.\n")
    doc = folder / "usr/share/doc" / PROGRAM
    (doc / "copyright").write_bytes((doc / "LICENSE-MIT").read_bytes() + b"\n" + (doc / "LICENSE-APACHE").read_bytes())
    run("dpkg-deb", "--root-owner-group", "--build", folder, path, stdout=subprocess.DEVNULL)


def wheel(arch, tools, out):
    """Python's module, for every CPython from 3.9 on."""
    target = f"{arch}-unknown-linux-gnu"
    add_target(target)
    made = out / "wheels" / arch
    shutil.rmtree(made, ignore_errors=True)
    run(tools / "bin/python", "-m", "maturin", "build", "--release", "--locked", "--strip", "--manifest-path", "python/Cargo.toml",
        "--target", target, "--zig", "--compatibility", MANYLINUX, "--out", made, env=compiler(tools))
    [path] = made.glob("*.whl")
    # auditwheel says what a wheel of this machine's processor is good for; it does not know others.
    if arch == os.uname().machine:
        said = output(tools / "bin/auditwheel", "show", path).decode()
        if MANYLINUX not in said:
            raise Missing(f"auditwheel does not take {path.name} for {MANYLINUX}: {said}")
    run(tools / "bin/twine", "check", "--strict", path)
    return Path(shutil.copy2(path, out))


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--tools", type=Path, required=True)
    parser.add_argument("arch", nargs="*", choices=[*DEBIAN, []])
    arguments = parser.parse_args()
    manifest = tomllib.loads((ROOT / "Cargo.toml").read_text())
    version, description = manifest["workspace"]["package"]["version"], manifest["package"]["description"]
    out, tools = arguments.out.resolve(), arguments.tools.resolve()
    work = out.with_name(out.name + "-work")
    shutil.rmtree(out, ignore_errors=True)
    out.mkdir(parents=True)
    work.mkdir(exist_ok=True)
    left_out = []

    def attempt(what, function, *given):
        try:
            return function(*given)
        except Missing as error:
            left_out.append(f"{what} is not made: {error}")
            print(left_out[-1], file=sys.stderr)
            return None

    share = None
    for arch in arguments.arch or DEBIAN:
        target = f"{arch}-unknown-linux-musl"
        binary = attempt(f"the program for {arch}", program, arch, tools)
        if binary and share is None:
            emulator = [] if arch == os.uname().machine else [f"qemu-{arch}"]
            share = attempt(f"the archive for {arch}", shared, [*emulator, binary], work)
        if binary and share:
            name = f"{PROGRAM}-{version}-{arch}-linux"
            files = list(contents(binary, share, licences(target)))
            (out / f"{name}.cdx.json").write_text(json.dumps(bill(target), indent=1) + "\n")
            archive(out / f"{name}.tar.gz", files)
            attempt(f"Debian's package for {arch}", debian, out / f"{PROGRAM}_{version}_{DEBIAN[arch]}.deb", version, arch, files,
                    description, work / "debian")
        attempt(f"the wheel for {arch}", wheel, arch, tools, work)
    for path in work.glob("*.whl"):
        path.rename(out / path.name)
    made = sorted(out.iterdir())
    sums = [f"{hashlib.sha256(path.read_bytes()).hexdigest()}  {path.name}\n" for path in made]
    (out / "SHA256SUMS").write_text("".join(sums))
    for path in made:
        print(f"{path.stat().st_size:>12,} {path.name}")
    print("\n".join(left_out), file=sys.stderr)
    return 1 if left_out or not made else 0


if __name__ == "__main__":
    sys.exit(main())
