"""Every function was called by the tests, and gave each code that it is known to give. Runs after all other tests."""

from pathlib import Path

import pytest
from codes import CODES
from optap import _core
from recorder import calls

HERE = Path(__file__).parent


def test_the_table_of_codes_has_every_function_and_no_other():
    assert set(CODES) == {name for name, _, _ in _core.acl.functions()}


def test_every_function_gave_every_code(request):
    ran = {Path(str(item.path)) for item in request.session.items}
    if not_ran := set(HERE.glob("test_*.py")) - ran:
        pytest.skip(f"not all tests of the namespace ran: {sorted(path.name for path in not_ran)[0]} did not")
    told = calls()
    assert sorted(CODES.keys() - told.keys()) == []
    missing = {name: sorted(codes - told[name]) for name, codes in CODES.items() if codes - told[name]}
    assert not missing, "\n".join(f"{name} {codes}" for name, codes in missing.items())
