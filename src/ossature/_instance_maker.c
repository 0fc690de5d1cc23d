/* Makes instances of classes and sets their attributes at once: frozen data classes with slots take most of their time for it.
 *
 * InstanceMaker does the same as PythonInstanceMaker (instance_maker.py), which is used without this module.
 */
#define Py_LIMITED_API 0x030b0000
#include <Python.h>

#ifndef SOURCE_CHECKSUM
#error "hatch_build.py compiles this file, with its checksum"
#endif

typedef struct {
    PyObject_HEAD
    PyTypeObject *kind;
    PyObject *names;         /* a tuple of texts */
    PyObject *slots;         /* a tuple of their descriptors; None for an attribute in the dictionary of an instance */
    descrsetfunc *setters;   /* of the descriptors; NULL for None */
    newfunc make;            /* that of object or of tuple */
} Maker;

/* Whether instances of a class can be made by the function of its base; tried once by Python's own function, which verifies it. */
static int can_make(PyTypeObject *kind, PyTypeObject *base)
{
    PyObject *values = base == &PyTuple_Type ? PyTuple_New(0) : NULL, *made;
    made = PyObject_CallMethod((PyObject *)base, "__new__", values ? "OO" : "O", kind, values);
    Py_XDECREF(values);
    Py_XDECREF(made);
    return made != NULL;
}

static int find_slot(Maker *maker, Py_ssize_t i)
{
    PyObject *name = PyTuple_GetItem(maker->names, i), *found;
    if (!PyUnicode_Check(name)) {
        PyErr_SetString(PyExc_TypeError, "the name of an attribute is a text");
        return 0;
    }
    found = PyObject_GetAttr((PyObject *)maker->kind, name);
    if (!found) {
        if (!PyErr_ExceptionMatches(PyExc_AttributeError)) return 0;
        PyErr_Clear();
    } else if (PyObject_TypeCheck(found, &PyMemberDescr_Type)) {
        maker->setters[i] = (descrsetfunc)PyType_GetSlot(Py_TYPE(found), Py_tp_descr_set);
    } else {
        Py_CLEAR(found);
    }
    return PyTuple_SetItem(maker->slots, i, found ? found : Py_NewRef(Py_None)) == 0;
}

static PyObject *maker_new(PyTypeObject *type, PyObject *arguments, PyObject *keywords)
{
    PyObject *kind, *names;
    PyTypeObject *base;
    Py_ssize_t count;
    Maker *maker;
    allocfunc allocate = (allocfunc)PyType_GetSlot(type, Py_tp_alloc);
    if (keywords && PyDict_Size(keywords)) {
        PyErr_SetString(PyExc_TypeError, "expected a class and the names of its attributes");
        return NULL;
    }
    if (!PyArg_ParseTuple(arguments, "O!O!", &PyType_Type, &kind, &PyTuple_Type, &names)) return NULL;
    count = PyTuple_Size(names);
    if (!(maker = (Maker *)allocate(type, 0))) return NULL;
    maker->kind = (PyTypeObject *)Py_NewRef(kind);
    maker->names = Py_NewRef(names);
    maker->slots = PyTuple_New(count);
    maker->setters = PyMem_Calloc((size_t)count + 1, sizeof(descrsetfunc));
    base = PyType_IsSubtype(maker->kind, &PyTuple_Type) ? &PyTuple_Type : &PyBaseObject_Type;
    maker->make = (newfunc)PyType_GetSlot(base, Py_tp_new);
    if (!maker->setters) PyErr_NoMemory();
    if (!maker->slots || !maker->setters || !can_make(maker->kind, base)) goto failed;
    for (Py_ssize_t i = 0; i < count; i++)
        if (!find_slot(maker, i)) goto failed;
    return (PyObject *)maker;
failed:
    Py_DECREF(maker);
    return NULL;
}

static void maker_dealloc(PyObject *self)
{
    Maker *maker = (Maker *)self;
    PyTypeObject *type = Py_TYPE(self);
    freefunc release = (freefunc)PyType_GetSlot(type, Py_tp_free);
    Py_XDECREF((PyObject *)maker->kind);
    Py_XDECREF(maker->names);
    Py_XDECREF(maker->slots);
    PyMem_Free(maker->setters);
    release(self);
    Py_DECREF(type);
}

static int set_attribute(Maker *maker, Py_ssize_t i, PyObject *instance, PyObject *value)
{
    /* As object.__setattr__, which the __setattr__ of a frozen class does not prevent. */
    if (!maker->setters[i]) return PyObject_GenericSetAttr(instance, PyTuple_GetItem(maker->names, i), value);
    return maker->setters[i](PyTuple_GetItem(maker->slots, i), instance, value);
}

static PyObject *make_tuple(Maker *maker, PyObject *values)
{
    PyObject *arguments = PyTuple_Pack(1, values), *made;
    if (!arguments) return NULL;
    made = maker->make(maker->kind, arguments, NULL);
    Py_DECREF(arguments);
    return made;
}

static PyObject *make_object(Maker *maker, PyObject *values, Py_ssize_t count)
{
    PyObject *nothing = PyTuple_New(0), *made;
    if (!nothing) return NULL;
    made = maker->make(maker->kind, nothing, NULL);
    Py_DECREF(nothing);
    for (Py_ssize_t i = 0; made && i < count; i++)
        if (set_attribute(maker, i, made, PyTuple_GetItem(values, i)) < 0) Py_CLEAR(made);
    return made;
}

static PyObject *maker_call(PyObject *self, PyObject *values, PyObject *keywords)
{
    Maker *maker = (Maker *)self;
    Py_ssize_t count = PyTuple_Size(maker->names);
    if (PyTuple_Size(values) != count || (keywords && PyDict_Size(keywords))) {
        PyErr_Format(PyExc_TypeError, "expected %zd values", count);
        return NULL;
    }
    return PyType_IsSubtype(maker->kind, &PyTuple_Type) ? make_tuple(maker, values) : make_object(maker, values, count);
}

static PyType_Slot maker_slots[] = {
    {Py_tp_doc, "Makes instances: InstanceMaker(class, names of attributes); see PythonInstanceMaker."},
    {Py_tp_new, maker_new},
    {Py_tp_dealloc, maker_dealloc},
    {Py_tp_call, maker_call},
    {0, NULL},
};
static PyType_Spec maker_spec = {"ossature._instance_maker.InstanceMaker", sizeof(Maker), 0, Py_TPFLAGS_DEFAULT, maker_slots};
static struct PyModuleDef definition = {PyModuleDef_HEAD_INIT, "_instance_maker", NULL, -1, NULL, NULL, NULL, NULL, NULL};

PyMODINIT_FUNC PyInit__instance_maker(void)
{
    PyObject *module = PyModule_Create(&definition), *type = PyType_FromSpec(&maker_spec);
    if (module && PyModule_AddIntConstant(module, "SOURCE_CHECKSUM", SOURCE_CHECKSUM) < 0) Py_CLEAR(module);
    if (module && (!type || PyModule_AddObjectRef(module, "InstanceMaker", type) < 0)) Py_CLEAR(module);
    Py_XDECREF(type);
    return module;
}
