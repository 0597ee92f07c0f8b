/* The least that a range and a mark can cost on CPython.
 *
 *   with range("x"):      sets a context variable to the range and reads the time stamp counter; takes the variable
 *                         back by its token and reads the counter again; writes 64 bytes into a ring while recording
 *   mark("x")             reads the counter and writes 64 bytes into the ring while recording
 *   record(True)          switches the recording on or off
 *
 * No label, no drainer, no account, no collector, no check of an argument; one thread. */
#define PY_SSIZE_T_CLEAN
#include <Python.h>
#include <stdint.h>
#include <time.h>

#define RING_RECORDS 4096

typedef struct { uint64_t start, end; const void *said; uint64_t words[5]; } Record;
_Static_assert(sizeof(Record) == 64, "a record is one cache line");

typedef struct { PyObject_HEAD PyObject *message, *token; uint64_t start; } Range;

static Record ring[RING_RECORDS];
static uint64_t head;
static volatile int is_recording;
static PyObject *variable;
static PyTypeObject RangeType;

static inline uint64_t ticks(void) {
#if defined(__x86_64__)
    return __builtin_ia32_rdtsc();
#elif defined(__aarch64__)
    uint64_t value;
    __asm__ volatile("mrs %0, cntvct_el0" : "=r"(value));
    return value;
#else
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
#endif
}

static inline void write_record(uint64_t start, uint64_t end, const void *said) {
    ring[head++ % RING_RECORDS] = (Record){.start = start, .end = end, .said = said};
}

static PyObject *range_enter(PyObject *object, PyObject *unused) {
    Range *range = (Range *)object;
    range->token = PyContextVar_Set(variable, object);
    if (!range->token) return NULL;
    range->start = ticks();
    return Py_NewRef(object);
}

static PyObject *range_exit(PyObject *object, PyObject *const *arguments, Py_ssize_t count) {
    Range *range = (Range *)object;
    uint64_t end = ticks();
    if (PyContextVar_Reset(variable, range->token)) return NULL;
    Py_CLEAR(range->token);
    if (is_recording) write_record(range->start, end, range->message);
    Py_RETURN_NONE;
}

static PyObject *range_new(PyObject *type, PyObject *const *arguments, size_t count, PyObject *keywords) {
    Range *range = PyObject_New(Range, &RangeType);
    if (!range) return NULL;
    range->message = Py_NewRef(arguments[0]);
    range->token = NULL;
    return (PyObject *)range;
}

static void range_dealloc(PyObject *object) {
    Py_XDECREF(((Range *)object)->message);
    Py_XDECREF(((Range *)object)->token);
    PyObject_Free(object);
}

static PyMethodDef range_methods[] = {
    {"__enter__", range_enter, METH_NOARGS, NULL},
    {"__exit__", (PyCFunction)(void (*)(void))range_exit, METH_FASTCALL, NULL},
    {NULL, NULL, 0, NULL},
};

static PyTypeObject RangeType = {
    PyVarObject_HEAD_INIT(NULL, 0).tp_name = "annotate.range",
    .tp_basicsize = sizeof(Range),
    .tp_flags = Py_TPFLAGS_DEFAULT,
    .tp_dealloc = range_dealloc,
    .tp_methods = range_methods,
    .tp_vectorcall = range_new,
};

static PyObject *mark(PyObject *module, PyObject *const *arguments, Py_ssize_t count) {
    if (is_recording) {
        uint64_t now = ticks();
        write_record(now, now, arguments[0]);
    }
    Py_RETURN_NONE;
}

static PyObject *record(PyObject *module, PyObject *on) {
    is_recording = PyObject_IsTrue(on);
    Py_RETURN_NONE;
}

static PyMethodDef functions[] = {
    {"mark", (PyCFunction)(void (*)(void))mark, METH_FASTCALL, NULL},
    {"record", record, METH_O, NULL},
    {NULL, NULL, 0, NULL},
};

static struct PyModuleDef definition = {PyModuleDef_HEAD_INIT, "annotate", NULL, -1, functions};

PyMODINIT_FUNC PyInit_annotate(void) {
    variable = PyContextVar_New("range", NULL);
    if (!variable || PyType_Ready(&RangeType)) return NULL;
    PyObject *module = PyModule_Create(&definition);
    if (!module || PyModule_AddObjectRef(module, "range", (PyObject *)&RangeType)) return NULL;
    return module;
}
