/* What an LTTng-UST event of an op's payload costs its thread, in nanoseconds of its CPU: the median over bursts. */
#define LTTNG_UST_TRACEPOINT_CREATE_PROBES
#define LTTNG_UST_TRACEPOINT_DEFINE
#include "lttng_op.h"
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

enum { BURST = 1024, BURSTS = 200 };

static double cpu_ns(void) {
    struct timespec spent;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &spent);
    return spent.tv_sec * 1e9 + spent.tv_nsec;
}
static int by_value(const void *a, const void *b) {
    double left = *(const double *)a, right = *(const double *)b;
    return (left > right) - (left < right);
}
int main(void) {
    static double bursts[BURSTS];
    usleep(300000); /* the session daemon tells the process what to record */
    for (int burst = 0; burst < BURSTS; burst++) {
        double began_ns = cpu_ns();
        for (uint64_t i = 0; i < BURST; i++) lttng_ust_tracepoint(optap_bench, op, i, i + 1, i, 1, i, 1, 0);
        bursts[burst] = (cpu_ns() - began_ns) / BURST;
    }
    qsort(bursts, BURSTS, sizeof *bursts, by_value);
    printf("%.2f\n", bursts[BURSTS / 2]);
    return 0;
}
