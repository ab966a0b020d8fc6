"""What a GPU's assembler says of kernels, where it is installed."""

import pytest

from footfall.errors import FootfallError
from tools.registers import assemble, find_assembler, main, measure


def test_without_an_assembler_it_says_what_to_install(monkeypatch, capsys):
    monkeypatch.setattr("tools.registers.find_assembler", lambda: None)
    assert main([]) == 2
    assert "pip install nvidia-cuda-nvcc" in capsys.readouterr().err


NOTHING = """
.version {}
.target sm_90
.address_size 64
.visible .entry nothing() {{ ret; }}
"""


def test_an_assembler_older_than_the_compiler_reads_its_text(tmp_path):
    assembler = find_assembler()
    if assembler is None:
        pytest.skip("ptxas is missing (pip install nvidia-cuda-nvcc): kernels' registers are not counted")
    assert "Used" in assemble(NOTHING.format("99.9"), assembler, 90, tmp_path)
    with pytest.raises(FootfallError, match="ptxas"):
        assemble(NOTHING.format("99.9").replace("ret;", "walk;"), assembler, 90, tmp_path)


@pytest.mark.slow
def test_fewer_blocks_leave_more_registers_and_spill_less():
    assembler = find_assembler()
    if assembler is None:
        pytest.skip("ptxas is missing (pip install nvidia-cuda-nvcc): kernels' registers are not counted")
    crowded, roomy = (measure("walk:implicit", assembler, blocks=blocks) for blocks in (4, 2))
    assert crowded.registers < roomy.registers
    assert crowded.frame > roomy.frame
    assert crowded.instructions == roomy.instructions > crowded.arithmetic > 0
