/* The least that a tool behind NVTX can do: each mark, push and pop is stamped and written into a ring.
 * NVTX loads it where NVTX_INJECTION64_PATH names it. Numbers of modules and callbacks as in nvtxDetail/nvtxTypes.h. */
#include <stddef.h>
#include <stdint.h>
#include <time.h>

#define RING_RECORDS 4096

enum { EXPORT_CALLBACKS = 1, MODULE_DOMAINS = 5 };
enum { DOMAIN_MARK = 1, DOMAIN_PUSH = 4, DOMAIN_POP = 5, DOMAIN_REGISTER = 10, DOMAIN_CREATE = 12 };

typedef void (*Callback)(void);
typedef struct {
    size_t size;
    int (*of_module)(int module, Callback ***table, unsigned *length);
} ExportedCallbacks;

static struct { uint64_t at, what; const void *said; uint64_t word; } ring[RING_RECORDS];
static uint64_t head, handles = 1;

static inline uint64_t ticks(void) {
#if defined(__x86_64__)
    return __builtin_ia32_rdtsc();
#else
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
#endif
}

static inline void note(uint64_t what, const void *said) {
    uint64_t at = head++ % RING_RECORDS;
    ring[at].at = ticks();
    ring[at].what = what;
    ring[at].said = said;
}

static void on_mark(void *domain, const void *said) { (void)domain; note(DOMAIN_MARK, said); }
static int on_push(void *domain, const void *said) { (void)domain; note(DOMAIN_PUSH, said); return 0; }
static int on_pop(void *domain) { note(DOMAIN_POP, domain); return 0; }
static void *on_register(void *domain, const char *text) { (void)domain; (void)text; return (void *)(uintptr_t)++handles; }
static void *on_create(const char *name) { (void)name; return (void *)(uintptr_t)++handles; }

int InitializeInjectionNvtx2(const void *(*export_table)(uint32_t)) {
    const ExportedCallbacks *callbacks = export_table(EXPORT_CALLBACKS);
    Callback **table;
    unsigned length;
    if (!callbacks || !callbacks->of_module(MODULE_DOMAINS, &table, &length) || length <= DOMAIN_CREATE) return 0;
    *table[DOMAIN_MARK] = (Callback)on_mark;
    *table[DOMAIN_PUSH] = (Callback)on_push;
    *table[DOMAIN_POP] = (Callback)on_pop;
    *table[DOMAIN_REGISTER] = (Callback)on_register;
    *table[DOMAIN_CREATE] = (Callback)on_create;
    return 1;
}
