//! The tables, of schema 1.2.0, and what never changes in them.

/// The version of the schema, as the database itself tells it.
pub(crate) const VERSION: [&str; 3] = ["1", "2", "0"];

/// Stands in place of a number where there is none.
pub(crate) const NONE: i64 = u32::MAX as i64;

/// Facts of `META_DATA` that are ours: one instant on both clocks, ns.
pub(crate) const MONOTONIC: &str = "OPTAP_MONOTONIC_NS";
/// See [`MONOTONIC`].
pub(crate) const UNIX: &str = "OPTAP_UNIX_NS";

/// Levels of the software stack, as `ENUM_API_TYPE` names them.
pub(crate) mod api {
    pub(crate) const MODEL: i64 = 15_000;
    pub(crate) const NODE: i64 = 10_000;
}

/// Kinds of marks, as `ENUM_MSTX_EVENT_TYPE` names them.
pub(crate) mod event {
    pub(crate) const MARKER: i64 = 0;
    pub(crate) const PUSH_POP: i64 = 1;
    pub(crate) const START_END: i64 = 2;
}

/// Makes every table and fills those whose rows never change. `STEP_TIME` is a table of frameworks'
/// databases, which other readers pass over.
pub(crate) const TABLES: &str = "
CREATE TABLE STRING_IDS (id INTEGER PRIMARY KEY, value TEXT);
CREATE TABLE META_DATA (name TEXT, value TEXT);
CREATE TABLE SESSION_TIME_INFO (startTimeNs INTEGER, endTimeNs INTEGER);
CREATE TABLE HOST_INFO (hostUid TEXT, hostName TEXT);
CREATE TABLE NPU_INFO (id INTEGER, name TEXT);
CREATE TABLE RANK_DEVICE_MAP (rankId INTEGER, deviceId INTEGER);
CREATE TABLE ENUM_API_TYPE (id INTEGER PRIMARY KEY, name TEXT);
CREATE TABLE ENUM_MSTX_EVENT_TYPE (id INTEGER PRIMARY KEY, name TEXT);
CREATE TABLE TASK (startNs INTEGER, endNs INTEGER, deviceId INTEGER, connectionId INTEGER,
    globalTaskId INTEGER, globalPid INTEGER, taskType INTEGER, contextId INTEGER, streamId INTEGER,
    taskId INTEGER, modelId INTEGER);
CREATE TABLE COMPUTE_TASK_INFO (name INTEGER, globalTaskId INTEGER PRIMARY KEY, blockNum INTEGER,
    mixBlockNum INTEGER, taskType INTEGER, opType INTEGER, inputFormats INTEGER,
    inputDataTypes INTEGER, inputShapes INTEGER, outputFormats INTEGER, outputDataTypes INTEGER,
    outputShapes INTEGER, attrInfo INTEGER, opState INTEGER, hf32Eligible INTEGER, gridDim INTEGER,
    blockDim INTEGER);
CREATE TABLE CANN_API (startNs INTEGER, endNs INTEGER, type INTEGER, globalTid INTEGER,
    connectionId INTEGER PRIMARY KEY, name INTEGER);
CREATE TABLE MSTX_EVENTS (startNs INTEGER, endNs INTEGER, eventType INTEGER, rangeId INTEGER,
    category INTEGER, message INTEGER, globalTid INTEGER, endGlobalTid INTEGER, domainId INTEGER,
    connectionId INTEGER);
CREATE TABLE STEP_TIME (id INTEGER, startNs INTEGER, endNs INTEGER);
INSERT INTO ENUM_API_TYPE VALUES (20000, 'acl'), (15000, 'model'), (10000, 'node'),
    (5500, 'communication'), (5000, 'runtime');
INSERT INTO ENUM_MSTX_EVENT_TYPE VALUES (0, 'marker'), (1, 'push/pop'), (2, 'start/end'),
    (3, 'marker_ex');
";

/// Comes last: sorted once is cheaper than kept in order.
pub(crate) const INDEX: &str = "CREATE INDEX TaskIndex ON TASK (startNs, globalTaskId)";
