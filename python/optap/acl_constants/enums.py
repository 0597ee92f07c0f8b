"""The enumerations of CANN's headers."""

from enum import IntEnum


class AicoreMetrics(IntEnum):
    """What the counters of AI Core measure."""

    ARITHMETIC_UTILIZATION = 0
    PIPE_UTILIZATION = 1
    MEMORY_BANDWIDTH = 2
    L0B_AND_WIDTH = 3
    RESOURCE_CONFLICT_RATIO = 4
    MEMORY_UB = 5
    L2_CACHE = 6
    PIPE_EXECUTE_UTILIZATION = 7
    MEMORY_ACCESS = 8
    NONE = 0xFF


class ProfConfigType(IntEnum):
    """What `acl.prof.set_config` sets."""

    ARGS_MIN = 0
    STORAGE_LIMIT = 1
    SYS_HARDWARE_MEM_FREQ = 3
    LLC_MODE = 4
    SYS_IO_FREQ = 5
    SYS_INTERCONNECTION_FREQ = 6
    DVPP_FREQ = 7
    HOST_SYS = 8
    HOST_SYS_USAGE = 9
    HOST_SYS_USAGE_FREQ = 10
    LOW_POWER_FREQ = 11
    SYS_MEM_SERVICEFLOW = 12
    SYS_CPU_FREQ = 13
    OPTYPE = 14
    NTS_METRICS = 15
    PATH = 16
    ARGS_MAX = 17


class StepTag(IntEnum):
    """Which end of a step is marked."""

    START = 0
    END = 1


class RunMode(IntEnum):
    """Where the script runs."""

    DEVICE = 0
    HOST = 1


class EventFlag(IntEnum):
    """What an event can do."""

    SYNC = 0x1
    CAPTURE_STREAM_PROGRESS = 0x2
    TIME_LINE = 0x8
    DEVICE_USE_ONLY = 0x10
    EXTERNAL = 0x20
    IPC = 0x40


class EventStatus(IntEnum):
    """What `acl.rt.query_event` tells."""

    COMPLETE = 0
    NOT_READY = 1
    RESERVED = 2


class EventRecordedStatus(IntEnum):
    """What `acl.rt.query_event_status` tells."""

    NOT_READY = 0
    COMPLETE = 1


class EventWaitStatus(IntEnum):
    """What `acl.rt.query_event_wait_status` tells."""

    COMPLETE = 0
    NOT_READY = 1
    RESERVED = 0xFFFF


class StreamStatus(IntEnum):
    """What `acl.rt.stream_query` tells."""

    COMPLETE = 0
    NOT_READY = 1
    RESERVED = 0xFFFF


class StreamFlag(IntEnum):
    """How a stream is scheduled."""

    FAST_LAUNCH = 0x1
    FAST_SYNC = 0x2
    PERSISTENT = 0x4
    HUGE = 0x8
    CPU_SCHEDULE = 0x10
    DEVICE_USE_ONLY = 0x20


class FailureMode(IntEnum):
    """What a context does after a failure."""

    CONTINUE_ON_FAILURE = 0
    STOP_ON_FAILURE = 1


class StreamAttribute(IntEnum):
    """What an attribute of a stream is."""

    FAILURE_MODE = 1
    FLOAT_OVERFLOW_CHECK = 2
    USER_CUSTOM_TAG = 3
    CACHE_OP_INFO = 4
    PRIORITY = 5


class CallbackBlockType(IntEnum):
    """Whether a stream waits for its callback."""

    NO_BLOCK = 0
    BLOCK = 1


class MemcpyKind(IntEnum):
    """From where to where a copy goes."""

    HOST_TO_HOST = 0
    HOST_TO_DEVICE = 1
    DEVICE_TO_HOST = 2
    DEVICE_TO_DEVICE = 3
    DEFAULT = 4
    HOST_TO_BUF_TO_DEVICE = 5
    INNER_DEVICE_TO_DEVICE = 6
    INTER_DEVICE_TO_DEVICE = 7


class MallocPolicy(IntEnum):
    """Which pages memory takes."""

    MALLOC_HUGE_FIRST = 0
    MALLOC_HUGE_ONLY = 1
    MALLOC_NORMAL_ONLY = 2
    MALLOC_HUGE_FIRST_P2P = 3
    MALLOC_HUGE_ONLY_P2P = 4
    MALLOC_NORMAL_ONLY_P2P = 5
    MALLOC_HUGE1G_ONLY = 6
    MALLOC_HUGE1G_ONLY_P2P = 7
    TYPE_LOW_BAND_WIDTH = 0x100
    TYPE_HIGH_BAND_WIDTH = 0x1000
    ACCESS_USER_SPACE_READONLY = 0x100000


class MemType(IntEnum):
    """Where memory lies."""

    DEVICE = 0
    HOST = 1
    HOST_COMPILE_INDEPENDENT = 2


class DataType(IntEnum):
    """The type of the elements of a tensor."""

    DT_UNDEFINED = -1
    FLOAT = 0
    FLOAT16 = 1
    INT8 = 2
    INT32 = 3
    UINT8 = 4
    INT16 = 6
    UINT16 = 7
    UINT32 = 8
    INT64 = 9
    UINT64 = 10
    DOUBLE = 11
    BOOL = 12
    STRING = 13
    COMPLEX64 = 16
    COMPLEX128 = 17
    BF16 = 27
    INT4 = 29
    UINT1 = 30
    COMPLEX32 = 33
    HIFLOAT8 = 34
    FLOAT8_E5M2 = 35
    FLOAT8_E4M3FN = 36
    FLOAT8_E8M0 = 37
    FLOAT6_E3M2 = 38
    FLOAT6_E2M3 = 39
    FLOAT4_E2M1 = 40
    FLOAT4_E1M2 = 41


class Format(IntEnum):
    """The layout of a tensor."""

    UNDEFINED = -1
    NCHW = 0
    NHWC = 1
    ND = 2
    NC1HWC0 = 3
    FRACTAL_Z = 4
    NC1HWC0_C04 = 12
    HWCN = 16
    NDHWC = 27
    FRACTAL_NZ = 29
    NCDHW = 30
    NDC1HWC0 = 32
    FRACTAL_Z_3D = 33
    NC = 35
    NCL = 47
    FRACTAL_NZ_C0_16 = 50
    FRACTAL_NZ_C0_32 = 51
    FRACTAL_NZ_C0_2 = 52
    FRACTAL_NZ_C0_4 = 53
    FRACTAL_NZ_C0_8 = 54
