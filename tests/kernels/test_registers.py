"""What a GPU's assembler says of kernels, where it is installed."""

import pytest

from tools.registers import find_assembler, main, measure


def test_without_an_assembler_it_says_what_to_install(monkeypatch, capsys):
    monkeypatch.setattr("tools.registers.find_assembler", lambda: None)
    assert main([]) == 2
    assert "pip install nvidia-cuda-nvcc" in capsys.readouterr().err


@pytest.mark.slow
def test_fewer_blocks_leave_more_registers_and_spill_less():
    assembler = find_assembler()
    if assembler is None:
        pytest.skip("ptxas is missing (pip install nvidia-cuda-nvcc): kernels' registers are not counted")
    crowded, roomy = (measure("walk:implicit", assembler, blocks=blocks) for blocks in (4, 2))
    assert crowded.registers < roomy.registers
    assert crowded.frame > roomy.frame
    assert crowded.instructions == roomy.instructions > crowded.arithmetic > 0
