/* The least that a native stream of records can cost a reader on CPython: no lock, no queue, no fairness, no account.
 *
 *   records = Records(count, names)         count records of 64 bytes in one piece, names taken in turn
 *   for op in records.plain()               op.name, op.start_ns, op.end_ns; the object points to its record
 *   async for op in records.awaited()       the same; the iterator is its own awaitable
 *   records.plain(("name", "start_ns"))     tuples of chosen fields in place of objects
 *
 * 3.11 resumes an awaitable through am_send. From 3.12 on it calls tp_iternext, which ends by StopIteration: one
 * exception object is raised again and again while nobody else holds it. */
#define PY_SSIZE_T_CLEAN
#include <Python.h>
#include <stddef.h>
#include <stdint.h>

#define MOST_FIELDS 8
#define MOST_FREE 256

typedef struct {
    uint64_t start_ns, end_ns, sequence, run_id;
    uint32_t op_id, model_id, device_id, stream_id, thread_id, flags;
    uint64_t reserved;
} Record;
_Static_assert(sizeof(Record) == 64, "a record is one cache line");

typedef struct { PyObject_HEAD Py_ssize_t count; PyObject *names; Record *records; } Records;
typedef struct { PyObject_HEAD Records *owner; const Record *record; } Op;
typedef struct {
    PyObject_HEAD Records *owner; Py_ssize_t next; PyObject *stop;
    int field_count; int offsets[MOST_FIELDS];          /* an offset below 0 stands for the name */
} Source;

static PyTypeObject RecordsType, OpType, SourceType;

/* ---- Op: one pointer into the block, and a reference that keeps it ---- */

static Op *free_ops[MOST_FREE];
static int free_count;

static PyObject *op_new(Records *owner, const Record *record) {
    Op *op;
    if (free_count) { op = free_ops[--free_count]; PyObject_Init((PyObject *)op, &OpType); }
    else if (!(op = PyObject_New(Op, &OpType))) return NULL;
    op->owner = (Records *)Py_NewRef((PyObject *)owner);
    op->record = record;
    return (PyObject *)op;
}
static void op_dealloc(PyObject *self) {
    Py_DECREF(((Op *)self)->owner);
    if (free_count < MOST_FREE) free_ops[free_count++] = (Op *)self;
    else PyObject_Free(self);
}
static PyObject *name_of(Records *owner, const Record *record) {
    return Py_NewRef(PyTuple_GET_ITEM(owner->names, record->op_id));
}
static PyObject *op_name(PyObject *self, void *closure) { return name_of(((Op *)self)->owner, ((Op *)self)->record); }
static PyObject *op_number(PyObject *self, void *closure) {
    return PyLong_FromUnsignedLongLong(*(const uint64_t *)((const char *)((Op *)self)->record + (intptr_t)closure));
}
static PyGetSetDef op_fields[] = {
    {"name", op_name, NULL, NULL, NULL},
    {"start_ns", op_number, NULL, NULL, (void *)offsetof(Record, start_ns)},
    {"end_ns", op_number, NULL, NULL, (void *)offsetof(Record, end_ns)},
    {0}};
static PyTypeObject OpType = {PyVarObject_HEAD_INIT(NULL, 0).tp_name = "floor.Op", .tp_basicsize = sizeof(Op),
    .tp_flags = Py_TPFLAGS_DEFAULT, .tp_dealloc = op_dealloc, .tp_getset = op_fields};

/* ---- Source: hands the records out, one by one ---- */

static PyObject *make_tuple(Source *source, const Record *record) {
    PyObject *tuple = PyTuple_New(source->field_count);
    if (!tuple) return NULL;
    for (int i = 0; i < source->field_count; i++) {
        int offset = source->offsets[i];
        PyObject *value = offset < 0 ? name_of(source->owner, record)
            : PyLong_FromUnsignedLongLong(*(const uint64_t *)((const char *)record + offset));
        if (!value) { Py_DECREF(tuple); return NULL; }
        PyTuple_SET_ITEM(tuple, i, value);
    }
    return tuple;
}
static PyObject *take(Source *source) {
    if (source->next >= source->owner->count) return NULL;
    const Record *record = source->owner->records + source->next++;
    return source->field_count ? make_tuple(source, record) : op_new(source->owner, record);
}
static PyObject *itself(PyObject *self) { return Py_NewRef(self); }
static PySendResult send(PyObject *self, PyObject *value, PyObject **result) {
    if ((*result = take((Source *)self))) return PYGEN_RETURN;
    if (!PyErr_Occurred()) PyErr_SetNone(PyExc_StopAsyncIteration);
    return PYGEN_ERROR;
}

/* `for` takes the op from tp_iternext, `await` finds it in a StopIteration: two types of one layout. */
static PyObject *plain_next(PyObject *self) { return take((Source *)self); }
static PyObject *raise_stop(Source *source, PyObject *value) {
#if PY_VERSION_HEX >= 0x030C0000
    PyStopIterationObject *stop = (PyStopIterationObject *)source->stop;
    if (!stop || Py_REFCNT(stop) != 1) {
        Py_XSETREF(source->stop, PyObject_CallNoArgs(PyExc_StopIteration));
        if (!(stop = (PyStopIterationObject *)source->stop)) { Py_DECREF(value); return NULL; }
    }
    Py_XSETREF(stop->value, value);
    PyErr_SetRaisedException(Py_NewRef((PyObject *)stop));
#else
    _PyGen_SetStopIterationValue(value);
    Py_DECREF(value);
#endif
    return NULL;
}
static PyObject *await_next(PyObject *self) {
    PyObject *value = NULL;
    return send(self, Py_None, &value) == PYGEN_RETURN ? raise_stop((Source *)self, value) : NULL;
}
static void source_dealloc(PyObject *self) {
    Py_DECREF(((Source *)self)->owner);
    Py_XDECREF(((Source *)self)->stop);
    PyObject_Free(self);
}
static PyAsyncMethods source_async = {.am_aiter = itself, .am_anext = itself, .am_await = itself, .am_send = send};
static PyTypeObject SourceType = {PyVarObject_HEAD_INIT(NULL, 0).tp_name = "floor.Source", .tp_basicsize = sizeof(Source),
    .tp_flags = Py_TPFLAGS_DEFAULT, .tp_dealloc = source_dealloc, .tp_iter = itself, .tp_iternext = plain_next};
static PyTypeObject AsyncSourceType = {PyVarObject_HEAD_INIT(NULL, 0).tp_name = "floor.AsyncSource",
    .tp_basicsize = sizeof(Source), .tp_flags = Py_TPFLAGS_DEFAULT, .tp_dealloc = source_dealloc,
    .tp_as_async = &source_async, .tp_iter = itself, .tp_iternext = await_next};

/* ---- Records ---- */

static int offset_of(PyObject *name) {
    static const struct { const char *name; int offset; } known[] = {{"name", -1}, {"start_ns", offsetof(Record, start_ns)},
        {"end_ns", offsetof(Record, end_ns)}, {"sequence", offsetof(Record, sequence)}, {"run_id", offsetof(Record, run_id)}};
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (PyUnicode_CompareWithASCIIString(name, known[i].name) == 0) return known[i].offset;
    return -2;
}
static PyObject *make_source(Records *owner, PyTypeObject *type, PyObject *fields) {
    Py_ssize_t field_count = fields ? PyTuple_GET_SIZE(fields) : 0;
    if (field_count > MOST_FIELDS) return PyErr_Format(PyExc_ValueError, "at most %d fields", MOST_FIELDS);
    Source *source = PyObject_New(Source, type);
    if (!source) return NULL;
    source->owner = (Records *)Py_NewRef((PyObject *)owner);
    source->next = 0;
    source->stop = NULL;
    source->field_count = (int)field_count;
    for (Py_ssize_t i = 0; i < field_count; i++)
        if ((source->offsets[i] = offset_of(PyTuple_GET_ITEM(fields, i))) == -2) {
            Py_DECREF(source);
            return PyErr_Format(PyExc_ValueError, "no field %R", PyTuple_GET_ITEM(fields, i));
        }
    return (PyObject *)source;
}
static PyObject *records_source(PyObject *self, PyObject *arguments, PyTypeObject *type) {
    PyObject *fields = NULL;
    if (!PyArg_ParseTuple(arguments, "|O!", &PyTuple_Type, &fields)) return NULL;
    return make_source((Records *)self, type, fields);
}
static PyObject *records_plain(PyObject *self, PyObject *arguments) { return records_source(self, arguments, &SourceType); }
static PyObject *records_async(PyObject *self, PyObject *arguments) { return records_source(self, arguments, &AsyncSourceType); }
static PyObject *records_new(PyTypeObject *type, PyObject *arguments, PyObject *keywords) {
    Py_ssize_t count;
    PyObject *names;
    if (!PyArg_ParseTuple(arguments, "nO!", &count, &PyTuple_Type, &names)) return NULL;
    if (count < 0 || !PyTuple_GET_SIZE(names)) return PyErr_Format(PyExc_ValueError, "count or names");
    Records *self = PyObject_New(Records, type);
    if (!self) return NULL;
    self->count = count;
    self->names = Py_NewRef(names);
    self->records = aligned_alloc(64, (size_t)(count + 1) * sizeof(Record));
    if (!self->records) { Py_DECREF(self); return PyErr_NoMemory(); }
    uint64_t start_ns = 1000000000000000;
    for (Py_ssize_t i = 0; i < count; i++)
        self->records[i] = (Record){.start_ns = start_ns + 100 * i, .end_ns = start_ns + 100 * i + 50, .sequence = i,
            .run_id = 1, .op_id = (uint32_t)(i % PyTuple_GET_SIZE(names))};
    return (PyObject *)self;
}
static void records_dealloc(PyObject *self) {
    Py_DECREF(((Records *)self)->names);
    free(((Records *)self)->records);
    PyObject_Free(self);
}
static PyMethodDef records_methods[] = {
    {"plain", records_plain, METH_VARARGS, "An iterator for `for`."},
    {"awaited", records_async, METH_VARARGS, "An iterator for `async for`."},
    {0}};
static PyTypeObject RecordsType = {PyVarObject_HEAD_INIT(NULL, 0).tp_name = "floor.Records", .tp_basicsize = sizeof(Records),
    .tp_flags = Py_TPFLAGS_DEFAULT, .tp_new = records_new, .tp_dealloc = records_dealloc, .tp_methods = records_methods};

static struct PyModuleDef module = {PyModuleDef_HEAD_INIT, "floor", NULL, -1, NULL};
PyMODINIT_FUNC PyInit_floor(void) {
    PyTypeObject *types[] = {&RecordsType, &OpType, &SourceType, &AsyncSourceType};
    for (size_t i = 0; i < sizeof types / sizeof *types; i++)
        if (PyType_Ready(types[i]) < 0) return NULL;
    PyObject *made = PyModule_Create(&module);
    if (made && PyModule_AddObjectRef(made, "Records", (PyObject *)&RecordsType) < 0) Py_CLEAR(made);
    return made;
}
