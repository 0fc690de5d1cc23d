/* Makes instances of classes and sets their attributes at once: frozen data classes with slots take most of their time for it.
 *
 * InstanceMaker does the same as PythonInstanceMaker (instance_maker.py), which is used without this module; Constructor the same
 * as the constructor of a data class whose attributes are validated (model/validated_element.py).
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

static int init_maker(Maker *maker, PyObject *kind, PyObject *names)
{
    PyTypeObject *base;
    Py_ssize_t count = PyTuple_Size(names);
    maker->kind = (PyTypeObject *)Py_NewRef(kind);
    maker->names = Py_NewRef(names);
    maker->slots = PyTuple_New(count);
    maker->setters = PyMem_Calloc((size_t)count + 1, sizeof(descrsetfunc));
    base = PyType_IsSubtype(maker->kind, &PyTuple_Type) ? &PyTuple_Type : &PyBaseObject_Type;
    maker->make = (newfunc)PyType_GetSlot(base, Py_tp_new);
    if (!maker->setters) PyErr_NoMemory();
    if (!maker->slots || !maker->setters || !can_make(maker->kind, base)) return 0;
    for (Py_ssize_t i = 0; i < count; i++)
        if (!find_slot(maker, i)) return 0;
    return 1;
}

static PyObject *maker_new(PyTypeObject *type, PyObject *arguments, PyObject *keywords)
{
    PyObject *kind, *names, *maker;
    if (keywords && PyDict_Size(keywords)) {
        PyErr_SetString(PyExc_TypeError, "expected a class and the names of its attributes");
        return NULL;
    }
    if (!PyArg_ParseTuple(arguments, "O!O!", &PyType_Type, &kind, &PyTuple_Type, &names)) return NULL;
    if (!(maker = ((allocfunc)PyType_GetSlot(type, Py_tp_alloc))(type, 0))) return NULL;
    if (!init_maker((Maker *)maker, kind, names)) Py_CLEAR(maker);
    return maker;
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

/* A constructor: it sets the attributes of an instance if their types were accepted before. All else it leaves to Python's. */
typedef struct {
    Maker maker;
    PyObject *python;     /* the constructor in Python */
    PyObject *defaults;   /* for each attribute a tuple of its default value, a function that makes it, or () */
    PyObject *validated;  /* for each attribute whether its type is validated */
    PyObject *accepted;   /* a set of tuples of types of the validated attributes */
    PyObject *sequences;  /* tuples of the number of an attribute, its default value, and its items as for accepts_items() */
    PyObject *finish;     /* the name of a method to be called at last, or None */
    Py_ssize_t positional;
    PyObject *list;       /* the class of sequences that are no tuples, which have one as the attribute _items */
} Constructor;

static PyObject *constructor_new(PyTypeObject *type, PyObject *arguments, PyObject *keywords)
{
    PyObject *kind, *names, *python, *defaults, *validated, *accepted, *sequences, *finish, *list;
    Py_ssize_t positional, count;
    Constructor *made;
    if (!PyArg_ParseTuple(arguments, "O!O!OO!O!O!O!OnO", &PyType_Type, &kind, &PyTuple_Type, &names, &python, &PyTuple_Type, &defaults,
                          &PyTuple_Type, &validated, &PySet_Type, &accepted, &PyTuple_Type, &sequences, &finish, &positional, &list))
        return NULL;
    count = PyTuple_Size(names);
    if (PyTuple_Size(defaults) != count || PyTuple_Size(validated) != count || positional > count) {
        PyErr_SetString(PyExc_ValueError, "each attribute needs a default value, and whether it is validated");
        return NULL;
    }
    if (!(made = (Constructor *)((allocfunc)PyType_GetSlot(type, Py_tp_alloc))(type, 0))) return NULL;
    made->python = Py_NewRef(python);
    made->defaults = Py_NewRef(defaults);
    made->validated = Py_NewRef(validated);
    made->accepted = Py_NewRef(accepted);
    made->sequences = Py_NewRef(sequences);
    made->finish = Py_NewRef(finish);
    made->positional = positional;
    made->list = Py_NewRef(list);
    if (!init_maker(&made->maker, kind, names)) Py_CLEAR(made);
    return (PyObject *)made;
}

static int constructor_traverse(PyObject *self, visitproc visit, void *arg)
{
    Constructor *c = (Constructor *)self;
    PyObject *references[] = {(PyObject *)c->maker.kind, c->maker.names, c->maker.slots, c->python,
                              c->defaults, c->validated, c->accepted, c->sequences, c->finish, c->list};
    Py_VISIT(Py_TYPE(self));
    for (size_t i = 0; i < sizeof references / sizeof *references; i++) Py_VISIT(references[i]);
    return 0;
}

static void constructor_dealloc(PyObject *self)
{
    Constructor *c = (Constructor *)self;
    PyObject_GC_UnTrack(self);
    Py_XDECREF(c->python);
    Py_XDECREF(c->defaults);
    Py_XDECREF(c->validated);
    Py_XDECREF(c->accepted);
    Py_XDECREF(c->sequences);
    Py_XDECREF(c->finish);
    Py_XDECREF(c->list);
    maker_dealloc(self);
}

/* Whether all items of a value have one of some types, and their items likewise: (types, number of items or -1, items or None). */
static int accepts_items(PyObject *items, PyObject *value)
{
    PyObject *types = PyTuple_GetItem(items, 0), *inner = PyTuple_GetItem(items, 2);
    Py_ssize_t count, length = PyLong_AsSsize_t(PyTuple_GetItem(items, 1));
    if (value == Py_None) return 1;
    if (!PyTuple_CheckExact(value)) return 0;
    count = PyTuple_Size(value);
    if (length >= 0 && count != length) return 0;
    for (Py_ssize_t i = 0; i < count; i++) {
        PyObject *item = PyTuple_GetItem(value, i);
        Py_ssize_t left = PyTuple_Size(types);
        while (left && PyTuple_GetItem(types, left - 1) != (PyObject *)Py_TYPE(item)) left--;
        if (!left || (inner != Py_None && !accepts_items(inner, item))) return 0;
    }
    return 1;
}

static int accepts_sequence(Constructor *c, PyObject *items, PyObject *value)
{
    PyObject *tuple = (PyObject *)Py_TYPE(value) == c->list ? PyObject_GetAttrString(value, "_items") : Py_NewRef(value);
    int is_accepted = tuple ? accepts_items(items, tuple) : -1;
    Py_XDECREF(tuple);
    return is_accepted;
}

/* Set all attributes of an instance to arguments or defaults; values are those that the instance keeps. 0 if Python has to. */
static int set_attributes(Constructor *c, PyObject *instance, PyObject *arguments, PyObject *keywords, PyObject **values)
{
    Py_ssize_t given = PyTuple_Size(arguments) - 1, used = 0, count = PyTuple_Size(c->maker.names);
    if (given > c->positional) return 0;
    for (Py_ssize_t i = 0; i < count; i++) {
        PyObject *standard = PyTuple_GetItem(c->defaults, i), *made = NULL;
        int is_set;
        values[i] = i < given ? PyTuple_GetItem(arguments, i + 1) : NULL;
        if (!values[i] && keywords && (values[i] = PyDict_GetItemWithError(keywords, PyTuple_GetItem(c->maker.names, i)))) used++;
        if (!values[i] && PyTuple_Check(standard) && PyTuple_Size(standard)) values[i] = PyTuple_GetItem(standard, 0);
        if (!values[i] && !PyTuple_Check(standard)) values[i] = made = PyObject_CallNoArgs(standard);
        is_set = values[i] && set_attribute(&c->maker, i, instance, values[i]) == 0;
        Py_XDECREF(made);
        if (!is_set) return 0;
    }
    return used == (keywords ? PyDict_Size(keywords) : 0);
}

/* Whether values have accepted types; -1 with an exception. */
static int accepts_types(Constructor *c, PyObject **values)
{
    Py_ssize_t count = PyTuple_Size(c->validated), number = 0;
    PyObject *signature;
    int is_accepted;
    for (Py_ssize_t i = 0; i < count; i++) number += PyTuple_GetItem(c->validated, i) == Py_True;
    if (!(signature = PyTuple_New(number))) return -1;
    for (Py_ssize_t i = count; i--;)
        if (PyTuple_GetItem(c->validated, i) == Py_True)
            PyTuple_SetItem(signature, --number, Py_NewRef((PyObject *)Py_TYPE(values[i])));
    is_accepted = PySet_Contains(c->accepted, signature);
    Py_DECREF(signature);
    for (Py_ssize_t i = 0; is_accepted == 1 && i < PyTuple_Size(c->sequences); i++) {
        PyObject *sequence = PyTuple_GetItem(c->sequences, i);
        PyObject *value = values[PyLong_AsSsize_t(PyTuple_GetItem(sequence, 0))];
        if (value != PyTuple_GetItem(sequence, 1)) is_accepted = accepts_sequence(c, PyTuple_GetItem(sequence, 2), value);
    }
    return is_accepted;
}

/* Whether an instance has valid attributes now; -1 if Python has to construct it. */
static int construct(Constructor *c, PyObject *instance, PyObject *arguments, PyObject *keywords)
{
    PyObject **values = PyMem_Calloc((size_t)PyTuple_Size(c->maker.names) + 1, sizeof(PyObject *));
    int is_accepted = values && set_attributes(c, instance, arguments, keywords, values) ? accepts_types(c, values) : -1;
    PyMem_Free(values);
    return is_accepted;
}

static PyObject *constructor_call(PyObject *self, PyObject *arguments, PyObject *keywords)
{
    Constructor *c = (Constructor *)self;
    PyObject *instance = PyTuple_Size(arguments) ? PyTuple_GetItem(arguments, 0) : NULL;
    int is_valid = instance && Py_TYPE(instance) == c->maker.kind ? construct(c, instance, arguments, keywords) : -1;
    if (is_valid < 0) {
        PyErr_Clear(); /* the constructor in Python raises it again */
        return PyObject_Call(c->python, arguments, keywords);
    }
    if (!is_valid) return PyObject_CallMethod(instance, "__post_init__", NULL);
    return c->finish == Py_None ? Py_NewRef(Py_None) : PyObject_CallMethodObjArgs(instance, c->finish, NULL);
}

/* As a method of an instance it is that in Python, of which it has all attributes too. */
static PyObject *constructor_get(PyObject *self, PyObject *instance, PyObject *type)
{
    return instance ? PyObject_CallMethod(((Constructor *)self)->python, "__get__", "O", instance) : Py_NewRef(self);
}

static PyObject *constructor_getattr(PyObject *self, PyObject *name)
{
    PyObject *found = PyObject_GenericGetAttr(self, name);
    if (found || !PyErr_ExceptionMatches(PyExc_AttributeError)) return found;
    PyErr_Clear();
    return PyObject_GetAttr(((Constructor *)self)->python, name);
}

static PyType_Slot maker_slots[] = {
    {Py_tp_doc, "Makes instances: InstanceMaker(class, names of attributes); see PythonInstanceMaker."},
    {Py_tp_new, maker_new},
    {Py_tp_dealloc, maker_dealloc},
    {Py_tp_call, maker_call},
    {0, NULL},
};
static PyType_Spec maker_spec = {"ossature._instance_maker.InstanceMaker", sizeof(Maker), 0, Py_TPFLAGS_DEFAULT, maker_slots};
static PyType_Slot constructor_slots[] = {
    {Py_tp_new, constructor_new},
    {Py_tp_dealloc, constructor_dealloc},
    {Py_tp_traverse, constructor_traverse},
    {Py_tp_call, constructor_call},
    {Py_tp_descr_get, constructor_get},
    {Py_tp_getattro, constructor_getattr},
    {0, NULL},
};
static PyType_Spec constructor_spec = {
    "ossature._instance_maker.Constructor", sizeof(Constructor), 0,
    Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC | Py_TPFLAGS_METHOD_DESCRIPTOR, constructor_slots,
};
static struct PyModuleDef definition = {PyModuleDef_HEAD_INIT, "_instance_maker", NULL, -1, NULL, NULL, NULL, NULL, NULL};

static int add_type(PyObject *module, const char *name, PyType_Spec *spec)
{
    PyObject *type = PyType_FromSpec(spec);
    int is_added = type && PyModule_AddObjectRef(module, name, type) == 0;
    Py_XDECREF(type);
    return is_added;
}

PyMODINIT_FUNC PyInit__instance_maker(void)
{
    PyObject *module = PyModule_Create(&definition);
    if (module && PyModule_AddIntConstant(module, "SOURCE_CHECKSUM", SOURCE_CHECKSUM) < 0) Py_CLEAR(module);
    if (module && !add_type(module, "InstanceMaker", &maker_spec)) Py_CLEAR(module);
    if (module && !add_type(module, "Constructor", &constructor_spec)) Py_CLEAR(module);
    return module;
}
