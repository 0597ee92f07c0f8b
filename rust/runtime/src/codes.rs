//! The one table of codes: number, variant, name, message.

macro_rules! table {
    ($($code:literal $variant:ident $name:literal $message:literal;)*) => {
        /// A code of the runtime, with the number and the name that CANN gives it.
        ///
        /// ```
        /// use optap_runtime::ErrorCode;
        /// let code = ErrorCode::from_code(507046).unwrap();
        /// assert_eq!(code, ErrorCode::StreamSyncTimeout);
        /// assert_eq!(code.name(), "ACL_ERROR_RT_STREAM_SYNC_TIMEOUT");
        /// ```
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        #[repr(i32)]
        pub enum ErrorCode {
            $(#[doc = concat!("`", $name, "`: ", $message, ".")] $variant = $code,)*
        }

        impl ErrorCode {
            /// Every code, in the order of the table.
            pub const ALL: &'static [ErrorCode] = &[$(Self::$variant,)*];

            /// The name, as CANN's headers spell it.
            pub fn name(self) -> &'static str {
                match self { $(Self::$variant => $name,)* }
            }

            /// What the code means, in one line without a full stop.
            pub fn message(self) -> &'static str {
                match self { $(Self::$variant => $message,)* }
            }

            /// The code with this number, if the table has it.
            pub fn from_code(code: i32) -> Option<Self> {
                match code { $($code => Some(Self::$variant),)* _ => None }
            }
        }
    };
}

impl ErrorCode {
    /// The number.
    pub fn code(self) -> i32 {
        self as i32
    }
}

table! {
    -1 ProfilingFailed "PROFILING_FAILED" "the range or mark could not be recorded";

    100000 InvalidParam "ACL_ERROR_INVALID_PARAM" "a parameter is null or outside its range";
    100001 Uninitialized "ACL_ERROR_UNINITIALIZE" "the library has not been initialised";
    100002 RepeatInitialize "ACL_ERROR_REPEAT_INITIALIZE" "the library is already initialised";
    100003 InvalidFile "ACL_ERROR_INVALID_FILE" "the file does not exist or cannot be read";
    100004 WriteFile "ACL_ERROR_WRITE_FILE" "the file cannot be written";
    100005 InvalidFileSize "ACL_ERROR_INVALID_FILE_SIZE" "the file is empty or too large";
    100006 ParseFile "ACL_ERROR_PARSE_FILE" "the file does not have the expected form";
    100007 FileMissingAttr "ACL_ERROR_FILE_MISSING_ATTR" "the file lacks an attribute";
    100008 FileAttrInvalid "ACL_ERROR_FILE_ATTR_INVALID" "an attribute in the file has a wrong value";
    100009 InvalidDumpConfig "ACL_ERROR_INVALID_DUMP_CONFIG" "the dump configuration is not valid";
    100010 InvalidProfilingConfig "ACL_ERROR_INVALID_PROFILING_CONFIG" "the profiling configuration is not valid";
    100011 InvalidModelId "ACL_ERROR_INVALID_MODEL_ID" "no loaded model has this id";
    100012 DeserializeModel "ACL_ERROR_DESERIALIZE_MODEL" "the model cannot be deserialised";
    100013 ParseModel "ACL_ERROR_PARSE_MODEL" "the model cannot be parsed";
    100014 ReadModelFailure "ACL_ERROR_READ_MODEL_FAILURE" "the model cannot be read";
    100015 ModelSizeInvalid "ACL_ERROR_MODEL_SIZE_INVALID" "the size of the model is not valid";
    100016 ModelMissingAttr "ACL_ERROR_MODEL_MISSING_ATTR" "the model lacks an attribute";
    100017 ModelInputNotMatch "ACL_ERROR_MODEL_INPUT_NOT_MATCH" "the inputs are not those of the model";
    100018 ModelOutputNotMatch "ACL_ERROR_MODEL_OUTPUT_NOT_MATCH" "the outputs are not those of the model";
    100019 ModelNotDynamic "ACL_ERROR_MODEL_NOT_DYNAMIC" "the model has no dynamic dimension";
    100020 OpTypeNotMatch "ACL_ERROR_OP_TYPE_NOT_MATCH" "the operator type does not match";
    100021 OpInputNotMatch "ACL_ERROR_OP_INPUT_NOT_MATCH" "the inputs are not those of the operator";
    100022 OpOutputNotMatch "ACL_ERROR_OP_OUTPUT_NOT_MATCH" "the outputs are not those of the operator";
    100023 OpAttrNotMatch "ACL_ERROR_OP_ATTR_NOT_MATCH" "the attributes are not those of the operator";
    100024 OpNotFound "ACL_ERROR_OP_NOT_FOUND" "the operator does not exist";
    100025 OpLoadFailed "ACL_ERROR_OP_LOAD_FAILED" "the operator cannot be loaded";
    100026 UnsupportedDataType "ACL_ERROR_UNSUPPORTED_DATA_TYPE" "the data type is not supported";
    100027 FormatNotMatch "ACL_ERROR_FORMAT_NOT_MATCH" "the tensor format does not match";
    100028 BinSelectorNotRegistered "ACL_ERROR_BIN_SELECTOR_NOT_REGISTERED" "no binary selector is registered";
    100029 KernelNotFound "ACL_ERROR_KERNEL_NOT_FOUND" "the kernel does not exist";
    100030 KernelAlreadyRegistered "ACL_ERROR_KERNEL_ALREADY_REGISTERED" "the kernel is already registered";
    100032 InvalidQueueId "ACL_ERROR_INVALID_QUEUE_ID" "no queue has this id";
    100033 RepeatSubscribe "ACL_ERROR_REPEAT_SUBSCRIBE" "it is already subscribed";
    100034 StreamNotSubscribe "ACL_ERROR_STREAM_NOT_SUBSCRIBE" "the stream is not subscribed";
    100035 ThreadNotSubscribe "ACL_ERROR_THREAD_NOT_SUBSCRIBE" "the thread is not subscribed";
    100036 WaitCallbackTimeout "ACL_ERROR_WAIT_CALLBACK_TIMEOUT" "no callback arrived in time";
    100037 RepeatFinalize "ACL_ERROR_REPEAT_FINALIZE" "the library is already finalised";
    100038 NotStaticAipp "ACL_ERROR_NOT_STATIC_AIPP" "the model has no static image preprocessing";
    100039 CompilingStubMode "ACL_ERROR_COMPILING_STUB_MODE" "a stub library is linked in place of the real one";
    100040 GroupNotSet "ACL_ERROR_GROUP_NOT_SET" "no group is set";
    100041 GroupNotCreate "ACL_ERROR_GROUP_NOT_CREATE" "the group does not exist";
    100042 ProfAlreadyRun "ACL_ERROR_PROF_ALREADY_RUN" "profiling is already running";
    100043 ProfNotRun "ACL_ERROR_PROF_NOT_RUN" "profiling is not running";
    100044 DumpAlreadyRun "ACL_ERROR_DUMP_ALREADY_RUN" "dumping is already running";
    100045 DumpNotRun "ACL_ERROR_DUMP_NOT_RUN" "dumping is not running";
    148046 ProfRepeatSubscribe "ACL_ERROR_PROF_REPEAT_SUBSCRIBE" "the model is already subscribed";
    148047 ProfApiConflict "ACL_ERROR_PROF_API_CONFLICT" "two profiling interfaces are in use at the same time";
    148048 InvalidMaxOpqueueNumConfig "ACL_ERROR_INVALID_MAX_OPQUEUE_NUM_CONFIG" "the operator queue limit is not valid";
    148049 InvalidOppPath "ACL_ERROR_INVALID_OPP_PATH" "the operator package path is not valid";
    148050 OpUnsupportedDynamic "ACL_ERROR_OP_UNSUPPORTED_DYNAMIC" "the operator does not support dynamic shapes";
    148051 RelativeResourceNotCleared "ACL_ERROR_RELATIVE_RESOURCE_NOT_CLEARED" "resources that belong to it still exist";
    148052 UnsupportedJpeg "ACL_ERROR_UNSUPPORTED_JPEG" "this kind of JPEG is not supported";
    148053 InvalidBundleModelId "ACL_ERROR_INVALID_BUNDLE_MODEL_ID" "no loaded bundle has this id";

    200000 BadAlloc "ACL_ERROR_BAD_ALLOC" "memory is exhausted";
    200001 ApiNotSupport "ACL_ERROR_API_NOT_SUPPORT" "the call is not supported";
    200002 InvalidDevice "ACL_ERROR_INVALID_DEVICE" "the device is not valid";
    200003 MemoryAddressUnaligned "ACL_ERROR_MEMORY_ADDRESS_UNALIGNED" "the address is not aligned";
    200004 ResourceNotMatch "ACL_ERROR_RESOURCE_NOT_MATCH" "the resource belongs to another owner";
    200005 InvalidResourceHandle "ACL_ERROR_INVALID_RESOURCE_HANDLE" "the handle is not valid";
    200006 FeatureUnsupported "ACL_ERROR_FEATURE_UNSUPPORTED" "the feature is not supported";
    200007 ProfModulesUnsupported "ACL_ERROR_PROF_MODULES_UNSUPPORTED" "the profiling module is not supported";
    300000 StorageOverLimit "ACL_ERROR_STORAGE_OVER_LIMIT" "the storage limit is reached";
    500000 AclInternalError "ACL_ERROR_INTERNAL_ERROR" "the interface failed inside";
    500001 Failure "ACL_ERROR_FAILURE" "the call failed";
    500002 GeFailure "ACL_ERROR_GE_FAILURE" "the graph engine failed";
    500003 RtFailure "ACL_ERROR_RT_FAILURE" "the runtime failed";
    500004 DrvFailure "ACL_ERROR_DRV_FAILURE" "the driver failed";
    500005 ProfilingFailure "ACL_ERROR_PROFILING_FAILURE" "profiling failed";

    107000 ParamInvalid "ACL_ERROR_RT_PARAM_INVALID" "a parameter is outside its range";
    107001 InvalidDeviceId "ACL_ERROR_RT_INVALID_DEVICEID" "no device has this id";
    107002 ContextNull "ACL_ERROR_RT_CONTEXT_NULL" "the thread has no current context";
    107003 StreamContext "ACL_ERROR_RT_STREAM_CONTEXT" "the stream belongs to another context";
    107004 ModelContext "ACL_ERROR_RT_MODEL_CONTEXT" "the model belongs to another context";
    107005 StreamModel "ACL_ERROR_RT_STREAM_MODEL" "the stream is not bound to the model";
    107006 EventTimestampInvalid "ACL_ERROR_RT_EVENT_TIMESTAMP_INVALID" "the event has no timestamp yet";
    107007 EventTimestampReversal "ACL_ERROR_RT_EVENT_TIMESTAMP_REVERSAL" "the timestamps of the events are reversed";
    107008 AddrUnaligned "ACL_ERROR_RT_ADDR_UNALIGNED" "the address is not aligned";
    107009 FileOpen "ACL_ERROR_RT_FILE_OPEN" "the file cannot be opened";
    107010 FileWrite "ACL_ERROR_RT_FILE_WRITE" "the file cannot be written";
    107011 StreamSubscribe "ACL_ERROR_RT_STREAM_SUBSCRIBE" "the stream's callback subscription does not allow this";
    107012 ThreadSubscribe "ACL_ERROR_RT_THREAD_SUBSCRIBE" "the thread's callback subscription does not allow this";
    107013 RtGroupNotSet "ACL_ERROR_RT_GROUP_NOT_SET" "no group is set";
    107014 RtGroupNotCreate "ACL_ERROR_RT_GROUP_NOT_CREATE" "the group does not exist";
    107015 StreamNoCallback "ACL_ERROR_RT_STREAM_NO_CB_REG" "no thread is subscribed to the callbacks of the stream";
    107016 InvalidMemoryType "ACL_ERROR_RT_INVALID_MEMORY_TYPE" "the memory type is not valid";
    107017 InvalidHandle "ACL_ERROR_RT_INVALID_HANDLE" "the handle is destroyed or of another kind";
    107018 InvalidMallocType "ACL_ERROR_RT_INVALID_MALLOC_TYPE" "the allocation type is not valid";
    107019 WaitTimeout "ACL_ERROR_RT_WAIT_TIMEOUT" "the stream waited too long for an event";
    107020 TaskTimeout "ACL_ERROR_RT_TASK_TIMEOUT" "the task ran too long";
    107021 SysparamoptNotSet "ACL_ERROR_RT_SYSPARAMOPT_NOT_SET" "the system parameter is not set";
    107022 DeviceTaskAbort "ACL_ERROR_RT_DEVICE_TASK_ABORT" "the tasks of the device were aborted";
    107023 StreamAbort "ACL_ERROR_RT_STREAM_ABORT" "the stream was aborted";

    207000 FeatureNotSupport "ACL_ERROR_RT_FEATURE_NOT_SUPPORT" "the feature is not supported";
    207001 MemoryAllocation "ACL_ERROR_RT_MEMORY_ALLOCATION" "memory cannot be allocated";
    207002 MemoryFree "ACL_ERROR_RT_MEMORY_FREE" "memory cannot be freed";
    207003 AicoreOverFlow "ACL_ERROR_RT_AICORE_OVER_FLOW" "a number overflowed in a kernel";
    207004 NoDevice "ACL_ERROR_RT_NO_DEVICE" "there is no device";
    207005 ResourceAllocFail "ACL_ERROR_RT_RESOURCE_ALLOC_FAIL" "the operating system refused a resource";
    207006 NoPermission "ACL_ERROR_RT_NO_PERMISSION" "permission is denied";
    207007 NoEventResource "ACL_ERROR_RT_NO_EVENT_RESOURCE" "the device has no free event";
    207008 NoStreamResource "ACL_ERROR_RT_NO_STREAM_RESOURCE" "the device has no free stream";
    207009 NoNotifyResource "ACL_ERROR_RT_NO_NOTIFY_RESOURCE" "the device has no free notify";
    207010 NoModelResource "ACL_ERROR_RT_NO_MODEL_RESOURCE" "the device has no free model";
    207012 OverLimit "ACL_ERROR_RT_OVER_LIMIT" "a limit is reached";
    207018 DeviceOom "ACL_ERROR_RT_DEVICE_OOM" "a kernel ran out of device memory";

    507000 InternalError "ACL_ERROR_RT_INTERNAL_ERROR" "the runtime failed inside";
    507001 TsError "ACL_ERROR_RT_TS_ERROR" "the task scheduler failed";
    507002 StreamTaskFull "ACL_ERROR_RT_STREAM_TASK_FULL" "the stream is full";
    507003 StreamTaskEmpty "ACL_ERROR_RT_STREAM_TASK_EMPTY" "the stream is empty";
    507004 StreamNotComplete "ACL_ERROR_RT_STREAM_NOT_COMPLETE" "the stream still has tasks";
    507005 EndOfSequence "ACL_ERROR_RT_END_OF_SEQUENCE" "the sequence has ended";
    507006 EventNotComplete "ACL_ERROR_RT_EVENT_NOT_COMPLETE" "the event is not complete";
    507007 ContextReleaseError "ACL_ERROR_RT_CONTEXT_RELEASE_ERROR" "the context cannot be released";
    507010 LostHeartbeat "ACL_ERROR_RT_LOST_HEARTBEAT" "the device does not answer";
    507011 ModelExecute "ACL_ERROR_RT_MODEL_EXECUTE" "the model failed while it ran";
    507012 ReportTimeout "ACL_ERROR_RT_REPORT_TIMEOUT" "no callback arrived in time";
    507013 SysDma "ACL_ERROR_RT_SYS_DMA" "a copy by the system failed";
    507014 AicoreTimeout "ACL_ERROR_RT_AICORE_TIMEOUT" "a kernel ran too long";
    507015 AicoreException "ACL_ERROR_RT_AICORE_EXCEPTION" "a kernel failed";
    507016 AicoreTrapException "ACL_ERROR_RT_AICORE_TRAP_EXCEPTION" "a kernel trapped";
    507017 AicpuTimeout "ACL_ERROR_RT_AICPU_TIMEOUT" "a CPU kernel ran too long";
    507018 AicpuException "ACL_ERROR_RT_AICPU_EXCEPTION" "a CPU kernel failed";
    507021 ProfilingError "ACL_ERROR_RT_PROFILING_ERROR" "profiling failed on the device";
    507023 ModelAbortNormal "ACL_ERROR_RT_MODEL_ABORT_NORMAL" "the model ended early by request";
    507033 DevSetupError "ACL_ERROR_RT_DEV_SETUP_ERROR" "the device cannot be set up";
    507034 VectorCoreTimeout "ACL_ERROR_RT_VECTOR_CORE_TIMEOUT" "a vector kernel ran too long";
    507035 VectorCoreException "ACL_ERROR_RT_VECTOR_CORE_EXCEPTION" "a vector kernel failed";
    507036 VectorCoreTrapException "ACL_ERROR_RT_VECTOR_CORE_TRAP_EXCEPTION" "a vector kernel trapped";
    507042 AicoreTrapReadOverflow "ACL_ERROR_RT_AICORE_TRAP_READ_OVERFLOW" "a kernel read outside its memory";
    507043 AicoreTrapWriteOverflow "ACL_ERROR_RT_AICORE_TRAP_WRITE_OVERFLOW" "a kernel wrote outside its memory";
    507044 VectorCoreTrapReadOverflow "ACL_ERROR_RT_VECTOR_CORE_TRAP_READ_OVERFLOW" "a vector kernel read outside its memory";
    507045 VectorCoreTrapWriteOverflow "ACL_ERROR_RT_VECTOR_CORE_TRAP_WRITE_OVERFLOW" "a vector kernel wrote outside its memory";
    507046 StreamSyncTimeout "ACL_ERROR_RT_STREAM_SYNC_TIMEOUT" "the stream did not finish in time";
    507047 EventSyncTimeout "ACL_ERROR_RT_EVENT_SYNC_TIMEOUT" "the event was not reached in time";
    507048 FftsPlusTimeout "ACL_ERROR_RT_FFTS_PLUS_TIMEOUT" "a sub-graph ran too long";
    507049 FftsPlusException "ACL_ERROR_RT_FFTS_PLUS_EXCEPTION" "a sub-graph failed";
    507050 FftsPlusTrapException "ACL_ERROR_RT_FFTS_PLUS_TRAP_EXCEPTION" "a sub-graph trapped";
    507053 DeviceMemError "ACL_ERROR_RT_DEVICE_MEM_ERROR" "the memory of the device failed";
    507054 HbmMultiBitEccError "ACL_ERROR_RT_HBM_MULTI_BIT_ECC_ERROR" "the memory of the device lost bits";
    507899 DrvInternalError "ACL_ERROR_RT_DRV_INTERNAL_ERROR" "the driver failed inside";
    507900 AicpuInternalError "ACL_ERROR_RT_AICPU_INTERNAL_ERROR" "the CPU kernel scheduler failed inside";
    507901 SocketClose "ACL_ERROR_RT_SOCKET_CLOSE" "the connection to the device is closed";

    145000 GeParamInvalid "ACL_ERROR_GE_PARAM_INVALID" "a parameter of the graph engine is outside its range";
    145001 GeExecNotInit "ACL_ERROR_GE_EXEC_NOT_INIT" "the executor has not been initialised";
    145002 GeExecModelPathInvalid "ACL_ERROR_GE_EXEC_MODEL_PATH_INVALID" "the model path is not valid";
    145003 GeExecModelIdInvalid "ACL_ERROR_GE_EXEC_MODEL_ID_INVALID" "no loaded model has this id";
    145006 GeExecModelDataSizeInvalid "ACL_ERROR_GE_EXEC_MODEL_DATA_SIZE_INVALID" "the size of the model data is not valid";
    145007 GeExecModelAddrInvalid "ACL_ERROR_GE_EXEC_MODEL_ADDR_INVALID" "the address of the model data is not valid";
    145009 GeExecLoadModelRepeated "ACL_ERROR_GE_EXEC_LOAD_MODEL_REPEATED" "the model is already loaded";
    145011 GeDynamicInputAddrInvalid "ACL_ERROR_GE_DYNAMIC_INPUT_ADDR_INVALID" "the address of the dynamic input is not valid";
    145012 GeDynamicInputLengthInvalid "ACL_ERROR_GE_DYNAMIC_INPUT_LENGTH_INVALID" "the length of the dynamic input is not valid";
    145013 GeDynamicBatchSizeInvalid "ACL_ERROR_GE_DYNAMIC_BATCH_SIZE_INVALID" "the batch size is not one that the model allows";
    145014 GeAippBatchEmpty "ACL_ERROR_GE_AIPP_BATCH_EMPTY" "the image preprocessing has no batch";
    145015 GeAippNotExist "ACL_ERROR_GE_AIPP_NOT_EXIST" "the model has no image preprocessing";
    145016 GeAippModeInvalid "ACL_ERROR_GE_AIPP_MODE_INVALID" "the mode of image preprocessing is not valid";
    145020 GeFormatInvalid "ACL_ERROR_GE_FORMAT_INVALID" "the tensor format is not valid";
    145021 GeShapeInvalid "ACL_ERROR_GE_SHAPE_INVALID" "the shape is not valid";
    145022 GeDatatypeInvalid "ACL_ERROR_GE_DATATYPE_INVALID" "the data type is not valid";
    245000 GeMemoryAllocation "ACL_ERROR_GE_MEMORY_ALLOCATION" "the graph engine cannot allocate memory";
    245001 GeMemoryOperateFailed "ACL_ERROR_GE_MEMORY_OPERATE_FAILED" "the graph engine cannot use memory";
    245002 GeDeviceMemoryOperateFailed "ACL_ERROR_GE_DEVICE_MEMORY_OPERATE_FAILED" "the graph engine cannot use device memory";
    545000 GeInternalError "ACL_ERROR_GE_INTERNAL_ERROR" "the graph engine failed inside";
    545001 GeLoadModel "ACL_ERROR_GE_LOAD_MODEL" "the model cannot be loaded";
    545002 GeLoadModelPartitionFailed "ACL_ERROR_GE_EXEC_LOAD_MODEL_PARTITION_FAILED" "the model part of the file cannot be loaded";
    545003 GeLoadWeightPartitionFailed "ACL_ERROR_GE_EXEC_LOAD_WEIGHT_PARTITION_FAILED" "the weights part of the file cannot be loaded";
    545004 GeLoadTaskPartitionFailed "ACL_ERROR_GE_EXEC_LOAD_TASK_PARTITION_FAILED" "the tasks part of the file cannot be loaded";
    545005 GeLoadKernelPartitionFailed "ACL_ERROR_GE_EXEC_LOAD_KERNEL_PARTITION_FAILED" "the kernels part of the file cannot be loaded";
    545006 GeReleaseModelData "ACL_ERROR_GE_EXEC_RELEASE_MODEL_DATA" "the model data cannot be released";
    545008 GeGetTensorInfo "ACL_ERROR_GE_GET_TENSOR_INFO" "the tensor description cannot be read";
    545009 GeUnloadModel "ACL_ERROR_GE_UNLOAD_MODEL" "the model cannot be unloaded";
    545601 GeModelExecuteTimeout "ACL_ERROR_GE_MODEL_EXECUTE_TIMEOUT" "the model ran too long";
}
