"""Asks gdp_kernel about every file of a manifest, and prints what is wrong, one line a file."""

import json
import sys
import warnings
from pathlib import Path

import gdp_kernel

warnings.simplefilter("ignore")
out = Path(sys.argv[1])
wanted = {}
for row in json.loads((out / "manifest.json").read_text())["files"]:
    if "error" in row or "lost" in row:
        continue
    key = json.dumps(row["phases"])
    if key not in wanted:
        wanted[key] = gdp_kernel.Account({"history": row["phases"]}).epsilon(1e-5)
    try:
        found = gdp_kernel.Account(out / row["file"]).epsilon(1e-5)
    except gdp_kernel.Refused as error:
        if row.get("refused", "no reason") not in str(error):
            print(f"{row['file']}: {error}")
        continue
    if "refused" in row:
        print(f"{row['file']} is answered with {found}")
    elif found != wanted[key]:
        print(f"{row['file']}: {found}, and the run has {wanted[key]}")
