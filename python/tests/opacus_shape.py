"""
What gdp_kernel relies on in the accountants of Opacus, release by release. The stand-ins of the tests are held to this table;
``npm run test:packages`` runs this file beside each real release: ``python opacus_shape.py 1.5.4`` prints what differs.
"""

import inspect
import sys
import warnings

_METHOD = {"saves": "method", "loads_method": True, "loads_text": False, "registers": False}
_TEXT = {"saves": "str", "loads_method": False, "loads_text": True, "registers": True}
_SIGNATURES = {
    "step": "(self, *, noise_multiplier: float, sample_rate: float)",
    "get_epsilon": "(self, delta: float, *args, **kwargs) -> float",
}

#: By release. `asked` is what a question leaves of the history of a GaussianAccountant.
SHAPES = {
    "1.1.3": {**_METHOD, "asked": [], **_SIGNATURES},
    "1.2.0": {**_METHOD, "asked": [], **_SIGNATURES},
    "1.3.0": {**_METHOD, "asked": [], **_SIGNATURES},
    "1.4.0": {**_METHOD, "asked": [(2.0, 0.5, 2)], **_SIGNATURES},
    "1.5.4": {**_METHOD, "asked": [(2.0, 0.5, 2)], **_SIGNATURES},
    "1.6.0": {**_TEXT, "asked": [(2.0, 0.5, 2)], **_SIGNATURES},
}


def shape_of(accountants):
    """The shape of a module of the name `opacus.accountants`."""
    rdp = accountants.RDPAccountant()
    gaussian = accountants.GaussianAccountant()
    for accountant in (rdp, gaussian):
        for _ in range(2):
            accountant.step(noise_multiplier=2.0, sample_rate=0.5)
    saved = rdp.state_dict()
    gaussian.get_epsilon(delta=1e-5)
    return {
        "saves": type(saved["mechanism"]).__name__,
        "loads_method": _loads(accountants, {**saved, "mechanism": accountants.RDPAccountant.mechanism}),
        "loads_text": _loads(accountants, {**saved, "mechanism": "rdp"}),
        "registers": hasattr(accountants, "register_accountant"),
        "asked": gaussian.history,
        **{name: str(inspect.signature(getattr(accountants.IAccountant, name))) for name in _SIGNATURES},
    }


def _loads(accountants, state):
    try:
        accountants.RDPAccountant().load_state_dict(state)
    except ValueError:
        return False
    return True


if __name__ == "__main__":
    import opacus.accountants

    warnings.simplefilter("ignore")
    found = shape_of(opacus.accountants)
    for name, wanted in SHAPES[sys.argv[1]].items():
        if found[name] != wanted:
            print(f"{name} is {found[name]!r}, and the table has {wanted!r}")
