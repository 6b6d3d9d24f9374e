"""
Builds the wheel with the standard library alone: ``python3 python/build_wheel.py [FOLDER]``. The bundled JavaScript is copied from ``dist/``
(``npm run build`` makes it); it is also the build backend that ``pip install ./python`` calls. The same sources give the same bytes.
"""

import base64
import hashlib
import json
import sys
import zipfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent
#: The command line needs neither the declarations nor the worker of the browser.
LEFT_OUT = ("types", "sweep-web-worker.js")


def _contents(version):
    yield "gdp_kernel/_version.py", f'__version__ = "{version}"\n'.encode()
    for path in sorted((HERE / "gdp_kernel").iterdir()):
        if path.suffix in (".py", ".typed") and path.name != "_version.py":
            yield f"gdp_kernel/{path.name}", path.read_bytes()
    bundle = ROOT / "dist"
    if not (bundle / "cli.js").is_file():
        raise SystemExit(f"{bundle / 'cli.js'} is missing: npm run build makes it")
    for path in sorted(bundle.rglob("*")):
        name = path.relative_to(bundle)
        if path.is_file() and name.parts[0] not in LEFT_OUT:
            yield f"gdp_kernel/bundle/{name.as_posix()}", path.read_bytes()
    # Node takes the modules for what they are by this
    yield "gdp_kernel/bundle/package.json", b'{ "type": "module" }\n'
    info = f"gdp_kernel-{version}.dist-info"
    yield f"{info}/LICENSE", (ROOT / "LICENSE").read_bytes()
    yield f"{info}/METADATA", _metadata(version).encode()
    yield f"{info}/WHEEL", b"Wheel-Version: 1.0\nGenerator: gdp-kernel\nRoot-Is-Purelib: true\nTag: py3-none-any\n"
    yield f"{info}/entry_points.txt", b"[console_scripts]\ngdp = gdp_kernel.__main__:main\n"


def _metadata(version):
    fields = {
        "Metadata-Version": "2.1",
        "Name": "gdp-kernel",
        "Version": version,
        "Summary": "Certified differential-privacy accounting: every number is a bracket that contains the exact value",
        "License": "Apache-2.0",
        "Requires-Python": ">=3.9",
        "Description-Content-Type": "text/markdown",
    }
    repository = json.loads((ROOT / "package.json").read_text(encoding="utf-8")).get("repository")
    if repository:
        url = repository["url"] if isinstance(repository, dict) else repository
        fields["Project-URL"] = f"Source, {url.removeprefix('git+').removesuffix('.git')}"
    head = "".join(f"{name}: {value}\n" for name, value in fields.items())
    return head + "\n" + (HERE / "README.md").read_text(encoding="utf-8")


def build_wheel(wheel_directory, config_settings=None, metadata_directory=None):
    version = json.loads((ROOT / "package.json").read_text(encoding="utf-8"))["version"]
    name = f"gdp_kernel-{version}-py3-none-any.whl"
    record = f"gdp_kernel-{version}.dist-info/RECORD"
    lines = []
    with zipfile.ZipFile(Path(wheel_directory) / name, "w", zipfile.ZIP_DEFLATED) as wheel:
        for path, data in _contents(version):
            digest = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
            lines.append(f"{path},sha256={digest},{len(data)}\n")
            wheel.writestr(_entry(path), data)
        wheel.writestr(_entry(record), "".join(lines) + f"{record},,\n")
    return name


def _entry(path):
    entry = zipfile.ZipInfo(path, (1980, 1, 1, 0, 0, 0))
    entry.compress_type = zipfile.ZIP_DEFLATED
    entry.external_attr = 0o644 << 16
    return entry


def build_sdist(sdist_directory, config_settings=None):
    raise SystemExit("gdp-kernel is built from its repository: there is no source distribution")


if __name__ == "__main__":
    folder = Path(sys.argv[1] if len(sys.argv) > 1 else HERE / "dist")
    folder.mkdir(parents=True, exist_ok=True)
    print(folder / build_wheel(folder))
