/* A tracepoint with the payload of an op record: seven numbers of 64 bits. */
#undef LTTNG_UST_TRACEPOINT_PROVIDER
#define LTTNG_UST_TRACEPOINT_PROVIDER optap_bench
#undef LTTNG_UST_TRACEPOINT_INCLUDE
#define LTTNG_UST_TRACEPOINT_INCLUDE "lttng_op.h"
#if !defined(OPTAP_BENCH_LTTNG_OP_H) || defined(LTTNG_UST_TRACEPOINT_HEADER_MULTI_READ)
#define OPTAP_BENCH_LTTNG_OP_H
#include <lttng/tracepoint.h>
#include <stdint.h>
LTTNG_UST_TRACEPOINT_EVENT(optap_bench, op,
    LTTNG_UST_TP_ARGS(uint64_t, start_ns, uint64_t, end_ns, uint64_t, sequence, uint64_t, run_id, uint64_t, op_id,
        uint64_t, model_id, uint64_t, flags),
    LTTNG_UST_TP_FIELDS(
        lttng_ust_field_integer(uint64_t, start_ns, start_ns)
        lttng_ust_field_integer(uint64_t, end_ns, end_ns)
        lttng_ust_field_integer(uint64_t, sequence, sequence)
        lttng_ust_field_integer(uint64_t, run_id, run_id)
        lttng_ust_field_integer(uint64_t, op_id, op_id)
        lttng_ust_field_integer(uint64_t, model_id, model_id)
        lttng_ust_field_integer(uint64_t, flags, flags)))
#endif
#include <lttng/tracepoint-event.h>
