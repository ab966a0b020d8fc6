import pytest
from hypothesis import given, settings

from footfall.control import controller_names, load_controller, parse_controller, print_controller, save_controller
from footfall.errors import FootfallError
from tests.methods.simbicon.graphs import graphs

WALK = print_controller(load_controller("walk"))


@settings(max_examples=150, deadline=None, derandomize=True)
@given(graphs())
def test_what_is_written_reads_back_equal_and_writes_the_same_text(graph):
    text = print_controller(graph)
    again = parse_controller(text)
    assert again == graph
    assert print_controller(again) == text


@pytest.mark.parametrize("name", controller_names("edit"))
def test_a_built_in_controller_saves_back_byte_for_byte(name, tmp_path):
    controller = load_controller(name)
    path = tmp_path / f"{name}.toml"
    save_controller(controller, path)
    assert load_controller(path) == controller
    assert path.read_text(encoding="utf-8") == print_controller(controller)
    save_controller(load_controller(path), tmp_path / "again.toml")
    assert (tmp_path / "again.toml").read_bytes() == path.read_bytes()


def test_a_changed_controller_is_written_anew():
    walk = load_controller("walk")
    changed = walk.changed(name="another-walk")
    assert parse_controller(print_controller(changed)) == changed
    assert 'name = "another-walk"' in print_controller(changed)


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("hold = 0.3", "hold = nan", "hold"),
        ("hold = 0.3", "hold = -1.0", "hold"),
        ("hold = 0.3", 'hold = "long"', "hold"),
        ("swing_knee = -1.1", "swing_knee = nan", "swing_knee"),
        ("swing_knee = -1.1", "swing_knee = { c_v = 1.0 }", "angle"),
        ("c_v = 0.2", "c_w = 0.2", "did you mean 'c_"),
        ("[balance]", "[balanse]", "did you mean 'balance'"),
        ('name = "walk"', "", "'name' is missing"),
        ("contact = true", 'contact = "maybe"', "contact"),
        ("contact = true", 'contact = true\nnext = "nowhere"', "next state 'nowhere'"),
        ("hold = 0.3", "hold = inf", "dead end"),
        ("hold = 0.3", 'hold = 0.3\nnext = "0"', "no other state leads to it"),
        ("[[states]]", "[states]", ""),
        ("hip_range = [-0.4, 1.6]", "hip_range = [1.6, -0.4]", "hip_range"),
        ("speed = 0.0", "speed = nan", "speed"),
    ],
)
def test_a_wrong_file_is_told_in_one_line_with_its_place(old, new, message, tmp_path):
    assert old in WALK
    path = tmp_path / "wrong.toml"
    path.write_text(WALK.replace(old, new, 1), encoding="utf-8")
    with pytest.raises(FootfallError) as told:
        load_controller(path)
    assert "\n" not in str(told.value)
    assert message in str(told.value)
    assert "wrong.toml" in str(told.value)


@pytest.mark.parametrize("content", [b"\xff\xfe\x00", b"name = ", b"", b"[[states]]\nhold = 1"])
def test_what_is_no_controller_is_refused(content, tmp_path):
    path = tmp_path / "broken.toml"
    path.write_bytes(content)
    with pytest.raises(FootfallError, match=r"broken\.toml") as told:
        load_controller(path)
    assert "\n" not in str(told.value)


def test_unknown_and_missing_controllers(tmp_path):
    with pytest.raises(FootfallError, match="did you mean 'walk'"):
        load_controller("wakl")
    with pytest.raises(FootfallError, match="does not exist"):
        load_controller(tmp_path / "none.toml")


def test_saving_where_it_cannot_be_saved_leaves_nothing(tmp_path):
    with pytest.raises(FootfallError, match="there is no folder"):
        save_controller(load_controller("walk"), tmp_path / "nowhere" / "walk.toml")
    assert list(tmp_path.iterdir()) == []
