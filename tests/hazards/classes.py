"""The checks of the vendor's CPU debugger and memory checker, and the programs of the suite that stand for each.

A class without a program says why. The names of classes are those of the fact sheet on the kernel interface.
"""

CLASSES = {
    # Launches.
    "core count": ["launch_invalid"],
    "GM argument": ["gm_argument", "gm_wild_pointers"],
    "GmFree": ["gm_free_invalid", "red_zone"],
    "GM out of range": ["gm_out_of_bounds", "gm_out_of_bounds_host"],
    "system workspace missing": ["no_system_workspace"],
    "process death": ["kernel_fault", "fault_abort", "fault_division", "fault_exit", "fault_longjmp", "fault_stack", "trap"],
    "cross-core flags": ["cross_flag_overflow", "h07_unbalanced", "deadlock", "deadlock_half"],
    "unsupported intrinsic": ["not_modelled"],
    # Arguments.
    "position": ["no_data_path"],
    "address alignment": ["local_misaligned"],
    "buffer overflow": ["local_out_of_bounds", "local_init_buffer"],
    "extent overflow": ["tensor_overflow", "buffer_end_repeat", "buffer_end_copy"],
    "mask range": ["arg_mask"],
    "repeat range": ["arg_merge_queues", "arg_repeat_stride"],
    "int4": ["arg_int4"],
    "DataCopy": ["arg_copy_length"],
    "DataCopyPad": ["arg_padding", "arg_padding_part", "arg_padding_wide"],
    "slice copy": ["arg_slices", "arg_slices_differ"],
    "LoadData": ["local_load_fractals"],
    "Mmad": ["arg_mmad_size"],
    "Fill": ["local_fill"],
    "Gather": ["uninitialised_gather"],
    "Brcb": ["overlap_brcb"],
    "Compare and Select": ["tensor_compare"],
    "Reduce": ["arg_reduce_work"],
    "Sort": ["arg_sort"],
    "shift": ["arg_shift"],
    "event id": ["arg_event_id", "flag_reserved", "flag_reserved_ids"],
    "barrier": ["arg_barrier"],
    # At run time.
    "ErrorRead1, ErrorWrite1": ["gm_use_after_free", "queue_use_after_free", "queue_scalar_after_free"],
    "ErrorRead2": ["uninitialised_gm", "uninitialised_l1", "uninitialised_scalar",
                   "uninitialised_table", "uninitialised_ub", "h34_unwritten_local",
                   "h34_unwritten_l1"],
    "ErrorRead3, ErrorWrite2": ["tensor_overflow", "gm_out_of_bounds", "local_out_of_bounds"],
    "ErrorRead4, ErrorWrite4": ["local_misaligned"],
    "ErrorWrite3": ["lost_result", "lost_load"],
    "ErrorSync1": ["sync_local_reuse", "same_pipe_store"],
    "ErrorSync2": ["sync_local_load", "sync_local_store", "same_pipe_load", "same_pipe_vector", "same_pipe_cube"],
    "ErrorSync3": ["flag_unpaired", "flag_no_pair"],
    "ErrorSync4": ["flag_set_twice"],
    "ErrorLeak": ["queue_leak"],
    "ErrorFree": ["queue_double_free"],
    "ErrorBuffer0": ["queue_no_buffer"],
    "ErrorBuffer1": ["queue_foreign"],
    "ErrorBuffer2": ["queue_state"],
    "ErrorBuffer3": ["queue_foreign"],
    "ErrorBuffer4": ["queue_pool"],
    "GM race": ["sync_gm_cores", "sync_gm_later_launch", "sync_gm_later_write", "sync_gm_line_signal", "sync_gm_signal", "sync_gm_streams"],
    # What the sheet suggests beyond them.
    "cache coherence": ["h12_stale", "h12_own_copy", "h13_false_sharing", "h14_two_lines"],
    "overlap on one pipe": ["same_pipe_vector"],
    "flag id in two modes": ["h08_modes"],
    "never written device memory": ["uninitialised_gm", "undefined_result", "undefined_rows"],
    "order of reductions": ["order_dependent", "order_cancellation"],
    "state left over": ["h33_atomic_left", "h33_mask_left", "h33_left_unused"],
    "more blocks than cores with a barrier": ["deadlock_half"],
    "buffers and events": ["queue_limit"],
    "exception registers": ["watched_access", "h33_watch_left"],
    "workspace of SyncAll": ["h35_workspace"],
}

NOT_HERE = {
    "WholeReduce, BlockReduce, PairReduce": "no rule beyond extents and strides, which have programs",
    "Transpose, TransDataTo5HD": "no rule beyond alignment and extents, which have programs",
}
