"""Models: loading, describing, running."""

import models
import numpy as np
import pytest
from optap import acl
from optap.acl_constants import DataType, Format
from scripts import Ends, Loaded

EXPECTED = np.maximum(np.arange(8, dtype="<f4") - 4, 0)


def test_a_run_reads_its_inputs_and_writes_its_outputs(chain):
    assert chain.execute() == 0
    assert np.array_equal(chain.outputs.read(), EXPECTED)


def test_a_queued_run_takes_its_place_in_the_stream(chain):
    stream, _ = acl.rt.create_stream()
    data = np.ones(8, "<f4").tobytes()
    (source, size), (target, _) = chain.inputs.addresses[0], chain.outputs.addresses[0]
    back, _ = acl.rt.malloc_host(size)
    assert acl.rt.memcpy_async(source, size, acl.util.bytes_to_ptr(data), size, 1, stream) == 0
    assert chain.execute_async(stream) == 0
    assert acl.rt.memcpy_async(back, size, target, size, 2, stream) == 0
    assert acl.rt.synchronize_stream(stream) == 0
    assert acl.util.ptr_to_bytes(back, size) == data
    assert (acl.rt.destroy_stream(stream), acl.rt.free_host(back)) == (0, 0)
    assert chain.execute_async(stream) == 107017


def test_what_a_run_refuses(chain):
    inputs, outputs = chain.inputs.dataset, chain.outputs.dataset
    assert acl.mdl.execute(chain.model_id, 0, outputs) == 100000
    assert acl.mdl.execute(chain.model_id, inputs, 0) == 100000
    assert acl.mdl.execute(99999, inputs, outputs) == 145003
    empty = acl.mdl.create_dataset()
    assert acl.mdl.execute(chain.model_id, empty, outputs) == 145000
    assert acl.mdl.execute(chain.model_id, inputs, empty) == 145000
    short = Ends.of([16])
    assert acl.mdl.execute(chain.model_id, short.dataset, outputs) == 145000
    assert acl.mdl.execute(chain.model_id, inputs, short.dataset) == 145000
    assert "its buffer has 16" in acl.get_recent_err_msg()
    assert acl.update_data_buffer(short.buffers[0], 0, 32) == 0
    assert acl.mdl.execute(chain.model_id, short.dataset, outputs) == 100000
    assert acl.update_data_buffer(short.buffers[0], short.addresses[0][0], 32) == 0
    assert acl.mdl.execute(chain.model_id, short.dataset, outputs) == 107000
    assert acl.rt.synchronize_stream(0) == 0
    short.free()
    assert acl.mdl.execute(chain.model_id, short.dataset, outputs) == 100000


def test_a_description_tells_both_ends(chain):
    desc = acl.mdl.create_desc()
    assert (acl.mdl.get_num_inputs(desc), acl.mdl.get_input_dims(desc, 0)) == (0, ({}, 100000))
    assert (acl.mdl.get_desc(desc, 99999), acl.mdl.get_desc(0, chain.model_id)) == (145003, 100000)
    assert acl.mdl.get_desc(desc, chain.model_id) == 0
    for side, name in (("input", "x"), ("output", "y")):
        get = {key: getattr(acl.mdl, key.format(side)) for key in (
            "get_num_{}s", "get_{}_size_by_index", "get_{}_dims", "get_{}_name_by_index", "get_{}_format",
            "get_{}_data_type", "get_{}_index_by_name",
        )}  # fmt: skip
        assert (get["get_num_{}s"](desc), get["get_{}_size_by_index"](desc, 0)) == (1, 32)
        assert get["get_{}_dims"](desc, 0) == ({"name": name, "dimCount": 2, "dims": [2, 4]}, 0)
        assert (get["get_{}_name_by_index"](desc, 0), get["get_{}_index_by_name"](desc, name)) == (name, (0, 0))
        assert (get["get_{}_format"](desc, 0), get["get_{}_data_type"](desc, 0)) == (Format.ND, DataType.FLOAT)
        assert (get["get_{}_size_by_index"](desc, 1), get["get_{}_dims"](desc, 1)) == (0, ({}, 100000))
        assert (get["get_{}_format"](desc, 1), get["get_{}_data_type"](desc, 1)) == (-1, -1)
        assert get["get_{}_index_by_name"](desc, "other") == (0, 100000)
    assert acl.mdl.get_input_dims_v2(desc, 0) == acl.mdl.get_input_dims(desc, 0)
    assert (acl.mdl.destroy_desc(desc), acl.mdl.destroy_desc(desc), acl.mdl.destroy_desc(0)) == (0, 100000, 100000)
    assert acl.mdl.get_num_inputs(0) == 0


def test_datasets_keep_their_buffers(chain):
    dataset, (buffer,) = chain.inputs.dataset, chain.inputs.buffers
    assert (acl.mdl.get_dataset_num_buffers(dataset), acl.mdl.get_dataset_buffer(dataset, 0)) == (1, buffer)
    assert (acl.mdl.get_dataset_buffer(dataset, 1), acl.mdl.get_dataset_num_buffers(0)) == (0, 0)
    assert acl.mdl.add_dataset_buffer(dataset, 0) == (0, 100000)
    assert acl.mdl.add_dataset_buffer(0, buffer) == (0, 100000)
    assert acl.mdl.get_dataset_tensor_desc(dataset, 0) == 0
    desc = acl.create_tensor_desc(0, [2, 4], 2)
    assert acl.mdl.set_dataset_tensor_desc(dataset, desc, 1) == (0, 100000)
    assert acl.mdl.set_dataset_tensor_desc(dataset, desc, 0) == (dataset, 0)
    assert acl.mdl.get_dataset_tensor_desc(dataset, 0) == desc
    assert chain.execute() == 0
    acl.destroy_tensor_desc(desc)
    assert chain.execute() == 100000
    other = acl.mdl.create_dataset()
    assert (acl.mdl.destroy_dataset(other), acl.mdl.destroy_dataset(other), acl.mdl.destroy_dataset(0)) == (
        0,
        100000,
        100000,
    )


def test_open_dimensions_come_from_the_size_or_a_description(device, tmp_path):
    path = tmp_path / "open.onnx"
    path.write_bytes(models.chain(1, ("N", 4)))
    model_id, ret = acl.mdl.load_from_file(str(path))
    assert ret == 0
    model = Loaded(model_id, Ends.of([48]), Ends.of([48]))
    desc = acl.mdl.create_desc()
    assert acl.mdl.get_desc(desc, model_id) == 0
    assert (acl.mdl.get_input_dims(desc, 0)[0]["dims"], acl.mdl.get_input_size_by_index(desc, 0)) == ([-1, 4], 0)
    assert acl.mdl.get_cur_output_dims(desc, 0)[0]["dims"] == [-1, 4]
    assert model.execute() == 0
    assert acl.mdl.get_cur_output_dims(desc, 0) == ({"name": "y", "dimCount": 2, "dims": [3, 4]}, 0)
    shape = acl.create_tensor_desc(0, [2, 4], 2)
    assert acl.mdl.set_dataset_tensor_desc(model.inputs.dataset, shape, 0)[1] == 0
    assert model.execute() == 0
    assert acl.mdl.get_cur_output_dims(desc, 0)[0]["dims"] == [2, 4]
    acl.destroy_tensor_desc(shape)
    model.inputs.free()
    model.outputs.free()
    assert (acl.mdl.destroy_desc(desc), acl.mdl.unload(model_id)) == (0, 0)


def test_models_are_unloaded_once(device, chain_path):
    model_id, ret = acl.mdl.load_from_file(str(chain_path))
    assert (ret, acl.mdl.unload(model_id), acl.mdl.unload(model_id)) == (0, 0, 145003)


def test_all_ways_to_load(device, chain_path):
    data = chain_path.read_bytes()
    address, size = acl.util.bytes_to_ptr(data), len(data)
    work, weight, ret = acl.mdl.query_size(str(chain_path))
    assert (work, weight, ret) == (64, size, 0)
    assert acl.mdl.query_size_from_mem(address, size) == (work, weight, 0)
    config = acl.mdl.create_config_handle()
    assert acl.mdl.load_with_config(config) == (0, 100000)
    assert acl.mdl.set_config_opt(config, 1, 1) == 0
    assert acl.mdl.load_with_config(config) == (0, 100000)
    assert acl.mdl.set_config_opt(config, 2, str(chain_path)) == 0
    assert [acl.mdl.set_config_opt(config, attribute, 0) for attribute in (9, 99)] == [207000, 100000]
    memory, _ = acl.rt.malloc(weight, 0)
    loaded = [
        acl.mdl.load_from_file(str(chain_path)),
        acl.mdl.load_from_mem(address, size),
        acl.mdl.load_from_file_with_mem(str(chain_path), memory, work, memory, weight),
        acl.mdl.load_from_mem_with_mem(address, size, memory, work, memory, weight),
        acl.mdl.load_with_config(config),
    ]
    assert [ret for _, ret in loaded] == [0] * 5
    assert [acl.mdl.unload(model_id) for model_id, _ in loaded] == [0] * 5
    assert (acl.mdl.destroy_config_handle(config), acl.mdl.destroy_config_handle(config)) == (0, 100000)
    assert acl.mdl.set_config_opt(config, 1, 1) == 100000
    assert acl.mdl.load_from_mem_with_mem(address, size, 0, work, memory, weight) == (0, 100000)
    assert acl.mdl.load_from_mem(0, size) == (0, 100000)
    assert acl.rt.free(memory) == 0


def test_files_that_cannot_be_loaded(device, tmp_path):
    assert acl.mdl.load_from_file("/no/such.onnx") == (0, 145002)
    assert acl.mdl.query_size("/no/such.onnx") == (0, 0, 145002)
    garbage, offline = tmp_path / "garbage.onnx", tmp_path / "model.om"
    garbage.write_bytes(b"garbage")
    offline.write_bytes(b"IMOD and more")
    assert acl.mdl.load_from_file(str(garbage)) == (0, 545001)
    for load in (acl.mdl.load_from_file, acl.mdl.query_size):
        assert load(str(offline))[-1] == 545001
        reason = acl.get_recent_err_msg()
        assert f"{offline} is not an ONNX model" in reason
        assert "compiled for an NPU, which a CPU cannot run; export the network to ONNX and load that file" in reason
    assert acl.mdl.load_from_file("/dev/zero") == (0, 145002)


def test_loading_needs_a_context(chain_path):
    assert acl.mdl.load_from_file(str(chain_path)) == (0, 107002)


@pytest.mark.parametrize(("name", "given"), [("init_dump", ()), ("set_dump", ("dump.json",)), ("finalize_dump", ())])
def test_dumps_are_not_supported(name, given):
    assert getattr(acl.mdl, name)(*given) == 207000
