"""
Trains tiny models with the Opacus on the path and saves the accountant's state in every way that people do.

    python opacus_files.py OUT     writes OUT/*.{json,txt,pkl,pt} and OUT/manifest.json

The manifest names each file, its accountant, and the phases that the optimizer itself took, which are counted beside the
accountant. Nothing here comes from gdp-kernel but the accountant of its Python package, where that is on the path.
"""

import argparse
import json
import pickle
import sys
import warnings
from pathlib import Path

import opacus
import torch
from opacus import PrivacyEngine
from torch.utils.data import DataLoader, TensorDataset

warnings.simplefilter("ignore")
RECORDS, BATCH, RATE = 500, 64, 1 / 8
NOISES = {"one": (1.1, 1.1), "two": (1.1, 0.8)}


def trained(accountant, schedule, steps=4, asks=False):
    """An engine that has taken `steps` steps at each noise, its model, and the phases that its optimizer took."""
    torch.manual_seed(7)
    data = TensorDataset(torch.randn(RECORDS, 3), torch.randint(0, 2, (RECORDS,)))
    model = torch.nn.Linear(3, 2)
    engine = PrivacyEngine(accountant=accountant) if isinstance(accountant, str) else PrivacyEngine()
    if not isinstance(accountant, str):
        engine.accountant = accountant
    model, optimizer, loader = engine.make_private(
        module=model,
        optimizer=torch.optim.SGD(model.parameters(), lr=0.1),
        data_loader=DataLoader(data, batch_size=BATCH),
        noise_multiplier=1.1,
        max_grad_norm=1.0,
    )
    phases = []
    for noise in NOISES[schedule]:
        optimizer.noise_multiplier = noise
        for (x, y), _ in zip(loader, range(steps)):
            optimizer.zero_grad()
            torch.nn.functional.cross_entropy(model(x), y).backward()
            optimizer.step()
            if phases and phases[-1][0] == noise:
                phases[-1][2] += 1
            else:
                phases.append([noise, 1 / len(loader), 1])
        if asks:
            asks = False
            engine.accountant.get_epsilon(delta=1e-5)
    return engine, model, optimizer, phases


class Files:
    def __init__(self, out):
        self.out = Path(out)
        self.out.mkdir(parents=True, exist_ok=True)
        self.rows = []

    def save(self, name, write, **facts):
        """Writes one file; where the package itself fails to, the manifest has its error."""
        path = self.out / name
        try:
            with open(path, "wb") as file:
                write(file)
        except (TypeError, AttributeError, pickle.PicklingError) as error:
            path.unlink()
            facts["error"] = f"{type(error).__name__}: {error}".split("\n")[0]
        self.rows.append({"file": name, **facts})

    def text(self, name, text, **facts):
        self.save(name, lambda file: file.write(text().encode()), **facts)


def save_all(files, accountant, schedule):
    engine, model, optimizer, phases = trained(accountant, schedule)
    facts = {"accountant": accountant, "phases": phases}
    own = engine.accountant
    state, start = own.state_dict(), f"{accountant}-{schedule}"
    files.text(f"{start}.state.json", lambda: json.dumps(own.state_dict()), **facts)
    files.text(f"{start}.history.json", lambda: json.dumps({"history": own.history}), **facts)
    files.text(f"{start}.bare.json", lambda: json.dumps(own.history), **facts)
    files.text(f"{start}.vars.json", lambda: json.dumps(vars(own)), **facts)
    files.text(f"{start}.default-str.json", lambda: json.dumps(own.state_dict(), default=str), **facts)
    files.text(f"{start}.printed.txt", lambda: str(own.state_dict()), **facts)
    files.text(f"{start}.printed-history.txt", lambda: str(own.history), **facts)
    for protocol in (0, 2, 4, 5):
        files.save(f"{start}.state-{protocol}.pkl", lambda file: pickle.dump(state, file, protocol), **facts)
        files.save(f"{start}.accountant-{protocol}.pkl", lambda file: pickle.dump(own, file, protocol), **facts)
        files.save(f"{start}.history-{protocol}.pkl", lambda file: pickle.dump(own.history, file, protocol), **facts)
    files.save(f"{start}.engine.pkl", lambda file: pickle.dump(engine, file), **facts)
    files.save(f"{start}.state.pt", lambda file: torch.save(state, file), **facts)
    files.save(f"{start}.accountant.pt", lambda file: torch.save(own, file), **facts)
    files.save(f"{start}.checkpoint.pt", lambda file: engine.save_checkpoint(path=file, module=model, optimizer=optimizer), **facts)
    tensors = {"history": [(torch.tensor(noise, dtype=torch.float64), rate, n) for noise, rate, n in own.history], "mechanism": accountant}
    files.save(f"{start}.tensors.pt", lambda file: torch.save(tensors, file), **facts)
    files.save(
        f"{start}.tensors.pkl",
        lambda file: pickle.dump(tensors, file),
        refused='"history[0][0] (noise_multiplier)" must be a finite number >= 0, got "torch._utils._rebuild_tensor_v2"',
        **facts,
    )
    inner = {"model": model.state_dict(), "optimizer": optimizer.state_dict(), "epoch": 3}
    files.save(f"{start}.key-accountant.pt", lambda file: torch.save({**inner, "accountant": state}, file), **facts)
    files.save(f"{start}.key-engine.pt", lambda file: torch.save({**inner, "privacy_engine": own}, file), **facts)
    files.save(f"{start}.key-history.pt", lambda file: torch.save({**inner, "history": own.history}, file), **facts)
    files.save(f"{start}.nested.pt", lambda file: torch.save({"training": {**inner, "dp": {"accountant": state}}}, file), **facts)
    beside = {
        "args": argparse.Namespace(lr=0.1, noise=[1.1, 0.8], out=Path("runs") / "a"),
        "seen": {1, 2},
        "frozen": frozenset(["a"]),
        "device": torch.device("cpu"),
        "path": Path("/tmp/x"),
        "dtype": torch.float32,
    }
    files.save(f"{start}.beside.pt", lambda file: torch.save({**inner, **beside, "accountant": state}, file), **facts)
    files.save(
        f"{start}.legacy.pt",
        lambda file: torch.save(state, file, _use_new_zipfile_serialization=False),
        refused="it is a checkpoint of PyTorch before 1.6",
        **facts,
    )


def save_asked(files, accountant):
    """States that were saved after a question, which some accountants pay for with their history."""
    engine, _, _, phases = trained(accountant, "one")
    engine.accountant.get_epsilon(delta=1e-5)
    facts = {"accountant": accountant, "phases": phases}
    left = [[*phase] for phase in engine.accountant.history]
    if left != phases:
        facts["refused"] = "its history is empty"
    files.save(f"{accountant}-asked.state.pkl", lambda file: pickle.dump(engine.accountant.state_dict(), file), **facts)
    files.text(f"{accountant}-asked.history.json", lambda: json.dumps({"history": engine.accountant.history}), **facts)
    engine, _, _, phases = trained(accountant, "one", asks=True)
    lost = [[*phase] for phase in engine.accountant.history] != phases
    facts = {"accountant": accountant, "phases": phases, **({"lost": True} if lost else {})}
    files.save(f"{accountant}-asked-within.state.pkl", lambda file: pickle.dump(engine.accountant.state_dict(), file), **facts)


def save_door(files):
    """What the accountant of gdp-kernel saves in Opacus' own engine, and what Opacus' accountants make of it."""
    from gdp_kernel.opacus import GdpAccountant

    engine, model, optimizer, phases = trained(GdpAccountant(), "two")
    facts = {"accountant": "gdp-kernel", "phases": phases}
    ours = engine.accountant
    files.save("door.checkpoint.pt", lambda file: engine.save_checkpoint(path=file, module=model, optimizer=optimizer), **facts)
    files.save("door.accountant.pkl", lambda file: pickle.dump(ours, file), **facts)
    files.text("door.state.json", lambda: json.dumps(ours.state_dict()), **facts)
    theirs = opacus.accountants.RDPAccountant()
    theirs.load_state_dict(ours.state_dict(mechanism="rdp"))
    assert [list(phase) for phase in theirs.history] == phases, theirs.history
    back = GdpAccountant()
    back.load_state_dict(theirs.state_dict())
    assert back.history == ours.history, back.history
    with open(files.out / "door.checkpoint.pt", "rb") as file:
        again = PrivacyEngine()
        again.accountant = GdpAccountant()
        # what later releases say themselves, and later PyTorch needs
        own = {} if opacus.__version__ >= "1.5" else {"torch_load_kwargs": {"weights_only": False}}
        again.load_checkpoint(path=file, module=model, optimizer=optimizer, **own)
    assert again.accountant.history == ours.history
    try:
        from opacus.accountants import register_accountant
    except ImportError:
        return
    register_accountant("gdp-kernel", GdpAccountant)
    engine, _, _, phases = trained("gdp-kernel", "one")
    assert [list(phase) for phase in engine.accountant.history] == phases


def main(out):
    files = Files(out)
    accountants = [name for name in ("rdp", "gdp", "prv") if known(name)]
    for accountant in accountants:
        for schedule in NOISES:
            # one noise alone: GaussianAccountant refuses a second
            if accountant != "gdp" or schedule == "one":
                save_all(files, accountant, schedule)
        save_asked(files, accountant)
    try:
        import gdp_kernel  # noqa: F401
    except ImportError:
        pass
    else:
        save_door(files)
    found = {"package": "opacus", "version": opacus.__version__, "torch": torch.__version__, "files": files.rows}
    (files.out / "manifest.json").write_text(json.dumps(found, indent=1))


def known(name):
    try:
        PrivacyEngine(accountant=name)
    except ValueError:
        return False
    return True


if __name__ == "__main__":
    main(sys.argv[1])
