"""The codes that the manual and the real library give each function, which the tests must have met, 0 for success.

A function without codes is met when it was called.
"""

_TABLE = """
acl.init 0 100000 100002 100003 100005 100006
acl.finalize 0 100037
acl.finalize_reference 0 100037
acl.get_version 0
acl.get_soc_name
acl.get_recent_err_msg
acl.data_type_size
acl.float16_to_float
acl.float_to_float16
acl.create_data_buffer
acl.destroy_data_buffer 0 100000
acl.update_data_buffer 0 100000
acl.get_data_buffer_addr
acl.get_data_buffer_size
acl.get_data_buffer_size_v2
acl.create_tensor_desc 0
acl.destroy_tensor_desc
acl.get_tensor_desc_type -1
acl.get_tensor_desc_format -1
acl.get_tensor_desc_size 0
acl.get_tensor_desc_element_count 0
acl.get_tensor_desc_num_dims 0
acl.get_tensor_desc_dim -1
acl.get_tensor_desc_dim_v2 0 100000
acl.get_tensor_desc_dim_range 0 100000
acl.get_tensor_desc_by_index 0
acl.get_tensor_desc_address 0
acl.get_tensor_desc_name
acl.rt.set_device 0 107001
acl.rt.reset_device 0 107001 507007
acl.rt.reset_device_force 0 107001 507007
acl.rt.get_device 0 107002
acl.rt.get_device_count 0
acl.rt.get_run_mode 0
acl.rt.create_context 0 107001
acl.rt.destroy_context 0 100000 107002 507007
acl.rt.set_context 0 100000 107002
acl.rt.get_context 0 107002
acl.rt.ctx_get_current_default_stream 0 107002
acl.rt.get_primary_ctx_state 0 107001
acl.rt.synchronize_device 0 107002 207000 507015
acl.rt.synchronize_device_with_timeout 0 107000 107002 507046
acl.rt.set_op_wait_timeout 0
acl.rt.set_op_execute_time_out 0
acl.rt.peek_at_last_error 0 100000 107002
acl.rt.get_last_error 0 100000 107002
acl.rt.malloc 0 100000 107000 107002 207001
acl.rt.malloc_align32 0 100000 107000 107002 207001
acl.rt.malloc_cached 0 100000 107000 107002 207001
acl.rt.malloc_host 0 100000
acl.rt.free 0 100000 107000
acl.rt.free_host 0 100000 107000
acl.rt.memset 0 100000 107000
acl.rt.memset_async 0 100000 107000 107017
acl.rt.memcpy 0 100000 107000
acl.rt.memcpy_async 0 100000 107000 107017
acl.rt.memcpy2d 0 100000 107000
acl.rt.memcpy2d_async 0 100000 107000 107017
acl.rt.get_mem_info 0 107000 107002
acl.rt.create_stream 0 107002 207008
acl.rt.create_stream_with_config 0 107000 107002 207000 207008
acl.rt.destroy_stream 0 100000 107000 107003 107017
acl.rt.destroy_stream_force 0 100000 107000 107003 107017
acl.rt.synchronize_stream 0 107002 107017 107019 107023 207000 507015
acl.rt.synchronize_stream_with_timeout 0 107000 107002 107017 107023 507046
acl.rt.stream_query 0 107002 107017
acl.rt.set_stream_failure_mode 0 100000 107002 107017 207000
acl.rt.stream_abort 0 100000 107017
acl.rt.stream_get_id 0 107002 107017
acl.rt.get_stream_available_num 0 107002
acl.rt.set_stream_attribute 0 100000 107000 107017 207000
acl.rt.get_stream_attribute 0 107000 107017 207000
acl.rt.stream_wait_event 0 100000 107000 107003 107017 207000
acl.rt.create_event 0 107002 207007 507015
acl.rt.create_event_with_flag 0 107000 107002 207007
acl.rt.create_event_ex_with_flag 0 107000 107002 207007
acl.rt.destroy_event 0 100000 107017
acl.rt.record_event 0 100000 107003 107017 107023
acl.rt.reset_event 0 100000 107000 107003 107017
acl.rt.query_event 0 100000 107017
acl.rt.query_event_status 0 100000 107017
acl.rt.query_event_wait_status 0 100000 107017
acl.rt.synchronize_event 0 100000 107017
acl.rt.synchronize_event_with_timeout 0 100000 107000 107017 107023 507047
acl.rt.event_elapsed_time 0 100000 107006 107017 507000
acl.rt.event_get_timestamp 0 100000 107006 107017 507000
acl.rt.get_event_id 0 100000 107017
acl.rt.get_event_avail_num 0 107002
acl.rt.subscribe_report 0 107003 107011 107012 107017 207012
acl.rt.unsubscribe_report 0 107003 107011 107012 107017
acl.rt.launch_callback 0 100000 107003 107015 107017 107023
acl.rt.process_report 0 100000 107012 507012
acl.rt.set_exception_info_callback 0
acl.rt.get_task_id_from_exception_info 4294967295
acl.rt.get_stream_id_from_exception_info 4294967295
acl.rt.get_thread_id_from_exception_info 4294967295
acl.rt.get_device_id_from_exception_info 0 4294967295
acl.rt.get_error_code_from_exception_info 507014 507015 4294967295
acl.mdl.load_from_file 0 100000 107002 145002 545001
acl.mdl.load_from_mem 0 100000 107002 545001
acl.mdl.load_from_file_with_mem 0 100000 145002 545001
acl.mdl.load_from_mem_with_mem 0 100000 545001
acl.mdl.load_with_config 0 100000 145002
acl.mdl.create_config_handle
acl.mdl.set_config_opt 0 100000 207000
acl.mdl.destroy_config_handle 0 100000
acl.mdl.unload 0 145003
acl.mdl.query_size 0 145002 545001
acl.mdl.query_size_from_mem 0 100000 545001
acl.mdl.execute 0 100000 107000 107002 145000 145003 207000 507014 507015
acl.mdl.execute_async 0 100000 107002 107017 107023 145003
acl.mdl.create_desc
acl.mdl.get_desc 0 100000 145003
acl.mdl.destroy_desc 0 100000
acl.mdl.get_num_inputs 0
acl.mdl.get_num_outputs 0
acl.mdl.get_input_size_by_index 0
acl.mdl.get_output_size_by_index 0
acl.mdl.get_input_dims 0 100000
acl.mdl.get_input_dims_v2 0 100000
acl.mdl.get_output_dims 0 100000
acl.mdl.get_cur_output_dims 0 100000
acl.mdl.get_input_name_by_index
acl.mdl.get_output_name_by_index
acl.mdl.get_input_format -1 2
acl.mdl.get_output_format -1 2
acl.mdl.get_input_data_type -1 0
acl.mdl.get_output_data_type -1 0
acl.mdl.get_input_index_by_name 0 100000
acl.mdl.get_output_index_by_name 0 100000
acl.mdl.create_dataset
acl.mdl.destroy_dataset 0 100000
acl.mdl.add_dataset_buffer 0 100000
acl.mdl.get_dataset_num_buffers 0
acl.mdl.get_dataset_buffer 0
acl.mdl.set_dataset_tensor_desc 0 100000
acl.mdl.get_dataset_tensor_desc 0
acl.mdl.create_and_get_op_desc 0 100000 145000
acl.mdl.init_dump 207000
acl.mdl.set_dump 207000
acl.mdl.finalize_dump 207000
acl.util.start_thread 0
acl.util.stop_thread 0 3
acl.util.bytes_to_ptr
acl.util.ptr_to_bytes
acl.util.numpy_to_ptr
acl.util.numpy_contiguous_to_ptr
acl.util.ptr_to_numpy
acl.prof.init 0 100000 100002 100003 100042 148047
acl.prof.finalize 0 100042 100043
acl.prof.create_config 0
acl.prof.destroy_config 0 100000
acl.prof.set_config 0 100000 100001 100010
acl.prof.start 0 100000 100042 100043 200007
acl.prof.stop 0 100000 100010 100042 100043 200007
acl.prof.create_subscribe_config 0
acl.prof.destroy_subscribe_config 0 100000
acl.prof.model_subscribe 0 100000 100010 100011 100042 148046 148047 500005
acl.prof.model_unsubscribe 0 100011 100042 148047
acl.prof.model_un_subscribe 0 100011
acl.prof.get_op_desc_size 0
acl.prof.get_op_num 0 100000
acl.prof.get_model_id 100000
acl.prof.get_op_type 0 100000
acl.prof.get_op_name 0 100000
acl.prof.get_op_type_v2 0 100000
acl.prof.get_op_name_v2 0 100000
acl.prof.get_op_type_len 0 100000
acl.prof.get_op_name_len 0 100000
acl.prof.get_op_start 0
acl.prof.get_op_end 0
acl.prof.get_op_duration 0
acl.prof.create_step_info
acl.prof.get_step_timestamp 0 100000 500002
acl.prof.destroy_step_info
acl.prof.create_stamp 0
acl.prof.destroy_stamp
acl.prof.set_stamp_trace_message -1 0
acl.prof.mark -1 0
acl.prof.mark_ex -1 0
acl.prof.push -1 0 100000
acl.prof.pop -1 0
acl.prof.range_start -1 0 100000
acl.prof.range_stop -1 0
"""

CODES: dict[str, set[int]] = {
    name: set(map(int, codes)) for name, *codes in (line.split() for line in _TABLE.strip().splitlines())
}
