/* A native thread that makes records, for the rivals: it takes the interpreter's lock to hand over each record or batch.
 *
 *   start(callback, count, batch, rate, names)
 *
 * calls callback((name, start_ns, end_ns)) for each record if batch is 0, else callback(bytes) with at most `batch`
 * records of 64 bytes, and callback(None) at the end. A rate of 0 means as fast as it can; a callback of None means
 * that records are made and thrown away. Records are stamped when they are made. */
#define PY_SSIZE_T_CLEAN
#include <Python.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>
#include <time.h>

typedef struct {
    uint64_t start_ns, end_ns, sequence, run_id;
    uint32_t op_id, model_id, device_id, stream_id, thread_id, flags;
    uint64_t reserved;
} Record;
_Static_assert(sizeof(Record) == 64, "a record is one cache line");

typedef struct {
    PyObject *callback, *names;
    Py_ssize_t count, batch;
    double rate;
    Record *filled;
    pthread_t thread;
} Job;

static atomic_ulong made;

static uint64_t now_ns(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}
static void wait_until(uint64_t due_ns) {
    uint64_t now = now_ns();
    if (due_ns <= now) return;
    struct timespec left = {(time_t)((due_ns - now) / 1000000000u), (long)((due_ns - now) % 1000000000u)};
    nanosleep(&left, NULL);
}
static void call(Job *job, PyObject *argument) {
    PyObject *told = argument ? PyObject_CallOneArg(job->callback, argument) : NULL;
    Py_XDECREF(argument);
    if (!told) PyErr_WriteUnraisable(job->callback);
    Py_XDECREF(told);
}
static void hand_over(Job *job, Py_ssize_t filled) {
    if (job->callback == Py_None) { atomic_fetch_add(&made, (unsigned long)filled); return; }
    PyGILState_STATE state = PyGILState_Ensure();
    const Record *record = job->filled;
    if (job->batch) call(job, PyBytes_FromStringAndSize((const char *)record, filled * (Py_ssize_t)sizeof(Record)));
    else call(job, Py_BuildValue("(OKK)", PyTuple_GET_ITEM(job->names, record->op_id), record->start_ns, record->end_ns));
    PyGILState_Release(state);
}
static void *produce(void *argument) {
    Job *job = argument;
    Py_ssize_t most = job->batch ? job->batch : 1, filled = 0, name_count = PyTuple_GET_SIZE(job->names);
    uint64_t began_ns = now_ns();
    for (Py_ssize_t i = 0; i < job->count; i++) {
        if (job->rate > 0) wait_until(began_ns + (uint64_t)(i * 1e9 / job->rate));
        uint64_t stamp_ns = now_ns();
        job->filled[filled++] = (Record){.start_ns = stamp_ns, .end_ns = stamp_ns, .sequence = (uint64_t)i,
            .op_id = (uint32_t)(i % name_count)};
        if (filled == most || i + 1 == job->count) { hand_over(job, filled); filled = 0; }
    }
    PyGILState_STATE state = PyGILState_Ensure();
    if (job->callback != Py_None) call(job, Py_NewRef(Py_None));
    PyGILState_Release(state);
    return NULL;
}

static void job_free(PyObject *capsule) {
    Job *job = PyCapsule_GetPointer(capsule, "producer.Job");
    Py_BEGIN_ALLOW_THREADS
    pthread_join(job->thread, NULL);
    Py_END_ALLOW_THREADS
    Py_DECREF(job->callback);
    Py_DECREF(job->names);
    free(job->filled);
    free(job);
}
/* The capsule that comes back joins the thread when it is dropped. */
static PyObject *start(PyObject *module, PyObject *arguments) {
    Job given = {0};
    if (!PyArg_ParseTuple(arguments, "OnndO!", &given.callback, &given.count, &given.batch, &given.rate, &PyTuple_Type, &given.names))
        return NULL;
    if (given.count < 0 || given.batch < 0 || !PyTuple_GET_SIZE(given.names))
        return PyErr_Format(PyExc_ValueError, "count, batch or names");
    Job *job = malloc(sizeof *job);
    given.filled = malloc(sizeof(Record) * (size_t)(given.batch ? given.batch : 1));
    if (!job || !given.filled) { free(job); free(given.filled); return PyErr_NoMemory(); }
    *job = given;
    Py_INCREF(job->callback);
    Py_INCREF(job->names);
    if (pthread_create(&job->thread, NULL, produce, job)) {
        Py_DECREF(job->callback); Py_DECREF(job->names); free(job->filled); free(job);
        return PyErr_Format(PyExc_OSError, "the thread cannot start");
    }
    return PyCapsule_New(job, "producer.Job", job_free);
}
static PyMethodDef methods[] = {{"start", start, METH_VARARGS, "Make records on a thread of its own."}, {0}};
static struct PyModuleDef module = {PyModuleDef_HEAD_INIT, "producer", NULL, -1, methods};
PyMODINIT_FUNC PyInit_producer(void) { return PyModule_Create(&module); }
