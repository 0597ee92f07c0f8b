"""The process, numbers, data buffers, tensor descriptions."""

import pytest
from optap import acl
from scripts import ended


def test_one_finalize_ends_all_inits():
    codes = ended("print(acl.init(), acl.init(), acl.finalize(), acl.finalize(), acl.init(), acl.finalize())")
    assert codes == ["0", "100002", "0", "100037", "0", "0"]


def test_finalize_before_init_goes_once():
    assert ended("print(acl.finalize(), acl.finalize())") == ["0", "100037"]


def test_references_are_counted():
    source = (
        "acl.init(); acl.init(); print(*acl.finalize_reference(), *acl.finalize_reference(), *acl.finalize_reference())"
    )
    assert ended(source) == ["1", "0", "0", "0", "0", "100037"]


def test_another_configuration_is_refused(tmp_path):
    (tmp_path / "one.json").write_text("{}")
    (tmp_path / "two.json").write_text('{"dump": {}}')
    one, two = str(tmp_path / "one.json"), str(tmp_path / "two.json")
    codes = ended(
        f"print(acl.init({one!r}), acl.finalize(), acl.init({two!r}), acl.init({one!r}), acl.init('/no/such'))"
    )
    assert codes == ["0", "0", "100000", "0", "100002"]
    assert ended("print(acl.init('/no/such'))") == ["100003"]


def test_versions_and_names():
    assert acl.get_version() == (1, 17, 0, 0)
    assert acl.get_soc_name() == "CPU"


@pytest.mark.parametrize(
    ("data_type", "size"), [(-1, 0), (0, 4), (1, 2), (9, 8), (12, 1), (13, 0), (17, 16), (30, 1), (99, 8)]
)
def test_sizes_of_data_types(data_type, size):
    assert acl.data_type_size(data_type) == size


def test_halves():
    assert acl.float16_to_float(0x3C00) == 1.0
    assert acl.float_to_float16(-2.0) == 0xC000


def test_a_data_buffer_keeps_address_and_size():
    buffer = acl.create_data_buffer(4096, 2**32 + 8)
    assert (acl.get_data_buffer_addr(buffer), acl.get_data_buffer_size_v2(buffer)) == (4096, 2**32 + 8)
    assert acl.get_data_buffer_size(buffer) == 8
    assert acl.update_data_buffer(buffer, 64, 16) == 0
    assert acl.get_data_buffer_addr(buffer) == 64
    assert (acl.destroy_data_buffer(buffer), acl.destroy_data_buffer(buffer), acl.destroy_data_buffer(0)) == (
        0,
        100000,
        100000,
    )
    assert (acl.get_data_buffer_addr(0), acl.get_data_buffer_size_v2(buffer)) == (0, 0)


def test_a_tensor_description_tells_its_shape():
    desc = acl.create_tensor_desc(0, [2, 3, 4], 2)
    assert (acl.get_tensor_desc_type(desc), acl.get_tensor_desc_format(desc)) == (0, 2)
    assert (acl.get_tensor_desc_size(desc), acl.get_tensor_desc_element_count(desc)) == (96, 24)
    assert (acl.get_tensor_desc_num_dims(desc), acl.get_tensor_desc_dim(desc, 1)) == (3, 3)
    assert (acl.get_tensor_desc_dim_v2(desc, 2), acl.get_tensor_desc_dim_v2(desc, 3)) == ((4, 0), (0, 100000))
    assert acl.get_tensor_desc_dim(desc, 3) == -1
    assert acl.get_tensor_desc_dim_range(desc, 0, 2) == ([2, 2], 0)
    assert acl.get_tensor_desc_dim_range(desc, 0, 4097) == (None, 100000)
    assert (acl.get_tensor_desc_by_index(desc, 0), acl.get_tensor_desc_by_index(desc, 1)) == (desc, 0)
    assert (acl.get_tensor_desc_address(desc), acl.get_tensor_desc_name(desc)) == (0, "")
    assert acl.destroy_tensor_desc(desc) is None
    assert acl.destroy_tensor_desc(desc) is None
    assert "is no tensor description" in acl.get_recent_err_msg()


def test_null_descriptions_have_their_values():
    assert (acl.get_tensor_desc_type(0), acl.get_tensor_desc_format(0)) == (-1, -1)
    assert (acl.get_tensor_desc_size(0), acl.get_tensor_desc_element_count(0), acl.get_tensor_desc_num_dims(0)) == (
        0,
        0,
        0,
    )
    assert (acl.get_tensor_desc_by_index(0, 0), acl.get_tensor_desc_address(0)) == (0, 0)


def test_impossible_shapes_are_refused():
    assert acl.create_tensor_desc(0, [1] * 129, 2) == 0
    assert acl.create_tensor_desc(0, [-3], 2) == 0
    open_desc = acl.create_tensor_desc(0, [-1, 4], 2)
    assert acl.get_tensor_desc_size(open_desc) == 0
    acl.destroy_tensor_desc(open_desc)


@pytest.mark.parametrize(
    ("content", "codes"),
    [
        ('{"profiler": {"switch": "on", "task_time": "l1"}}', "0 100042"),
        ('{"profiler": {"switch": "off", "nonsense": 1}}', "0 0"),
        ('{"profiler": {"switch": "on", "nonsense": 1}}', "100000 0"),
        ("no JSON", "100006 0"),
    ],
)
def test_a_configuration_may_profile(tmp_path, content, codes):
    (tmp_path / "acl.json").write_text(content)
    source = f"print(acl.init({str(tmp_path / 'acl.json')!r}), acl.prof.init({str(tmp_path)!r}))"
    assert " ".join(ended(source)) == codes
