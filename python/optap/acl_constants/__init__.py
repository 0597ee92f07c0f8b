"""The constants of CANN's headers, which pyACL itself does not export. Scripts take what they use.

>>> from optap.acl_constants import ACL_MEMCPY_HOST_TO_DEVICE, ACL_PROF_TASK_TIME, MemcpyKind
>>> MemcpyKind(ACL_MEMCPY_HOST_TO_DEVICE).name, hex(ACL_PROF_TASK_TIME)
('HOST_TO_DEVICE', '0x2')
"""

from optap.acl_constants.codes import *  # noqa: F403
from optap.acl_constants.enums import AicoreMetrics as AicoreMetrics
from optap.acl_constants.enums import CallbackBlockType as CallbackBlockType
from optap.acl_constants.enums import DataType as DataType
from optap.acl_constants.enums import EventFlag as EventFlag
from optap.acl_constants.enums import EventRecordedStatus as EventRecordedStatus
from optap.acl_constants.enums import EventStatus as EventStatus
from optap.acl_constants.enums import EventWaitStatus as EventWaitStatus
from optap.acl_constants.enums import FailureMode as FailureMode
from optap.acl_constants.enums import Format as Format
from optap.acl_constants.enums import MallocPolicy as MallocPolicy
from optap.acl_constants.enums import MemcpyKind as MemcpyKind
from optap.acl_constants.enums import MemType as MemType
from optap.acl_constants.enums import ProfConfigType as ProfConfigType
from optap.acl_constants.enums import RunMode as RunMode
from optap.acl_constants.enums import StepTag as StepTag
from optap.acl_constants.enums import StreamAttribute as StreamAttribute
from optap.acl_constants.enums import StreamFlag as StreamFlag
from optap.acl_constants.enums import StreamStatus as StreamStatus
from optap.acl_constants.values import *  # noqa: F403
