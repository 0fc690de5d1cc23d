/* Fills the numbers of samples into a text with gaps, which takes most of the time of a recording as USDF or JSON.
 *
 * fill() returns the same texts as NumberTemplate in Python (number_formatting.py), which is used without this module.
 */
#define Py_LIMITED_API 0x030b0000
#include <Python.h>

#ifndef SOURCE_CHECKSUM
#error "hatch_build.py compiles this file, with its checksum"
#endif

#include <string.h>

typedef struct { const char *start; Py_ssize_t size; } Span;

/* The number that starts at a place of texts that are separated by commas; the place moves behind its comma. */
static Span next_number(const char **place, const char *end)
{
    Span number = {*place, 0};
    const char *comma = memchr(*place, ',', (size_t)(end - *place));
    number.size = (comma ? comma : end) - *place;
    *place = comma ? comma + 1 : end;
    return number;
}

static char *append(char *to, Span span)
{
    memcpy(to, span.start, (size_t)span.size);
    return to + span.size;
}

/* Return the text of the sample whose numbers start at a place, or NULL with an exception. */
static PyObject *fill_sample(const Span *parts, Span *numbers, Py_ssize_t count, const char **place, const char *end)
{
    PyObject *text;
    Py_ssize_t size = parts[count].size;
    char *to;
    for (Py_ssize_t i = 0; i < count; i++) {
        numbers[i] = next_number(place, end);
        if (!numbers[i].size) {
            PyErr_SetString(PyExc_ValueError, "there are fewer numbers than places for them");
            return NULL;
        }
        size += parts[i].size + numbers[i].size;
    }
    text = PyBytes_FromStringAndSize(NULL, size);
    if (!text) return NULL;
    to = PyBytes_AsString(text);
    for (Py_ssize_t i = 0; i < count; i++) to = append(append(to, parts[i]), numbers[i]);
    append(to, parts[count]);
    return text;
}

static int get_span(PyObject *bytes, Span *span)
{
    char *start;
    if (PyBytes_AsStringAndSize(bytes, &start, &span->size) < 0) return 0;
    span->start = start;
    return 1;
}

static PyObject *fill_samples(const Span *parts, Span *numbers, Py_ssize_t count, Span texts, Py_ssize_t samples)
{
    const char *place = texts.start, *end = texts.start + texts.size;
    PyObject *found = PyList_New(0);
    for (Py_ssize_t i = 0; found && i < samples; i++) {
        PyObject *text = fill_sample(parts, numbers, count, &place, end);
        if (!text || PyList_Append(found, text) < 0) Py_CLEAR(found);
        Py_XDECREF(text);
    }
    if (found && place != end) {
        PyErr_SetString(PyExc_ValueError, "there are more numbers than places for them");
        Py_CLEAR(found);
    }
    return found;
}

static PyObject *fill(PyObject *module, PyObject *arguments)
{
    PyObject *literals, *text, *found = NULL;
    Py_ssize_t samples, count;
    Span texts, *spans;
    int is_valid = 1;
    if (!PyArg_ParseTuple(arguments, "O!O!n", &PyTuple_Type, &literals, &PyBytes_Type, &text, &samples)) return NULL;
    count = PyTuple_Size(literals) - 1;
    if (count < 0 || samples < 0) {
        PyErr_SetString(PyExc_ValueError, "there is no text around the numbers");
        return NULL;
    }
    spans = PyMem_Calloc((size_t)(2 * count + 1), sizeof(Span));
    if (!spans) return PyErr_NoMemory();
    for (Py_ssize_t i = 0; is_valid && i <= count; i++) is_valid = get_span(PyTuple_GetItem(literals, i), &spans[i]);
    if (is_valid && get_span(text, &texts)) found = fill_samples(spans, spans + count + 1, count, texts, samples);
    PyMem_Free(spans);
    return found;
}

static PyMethodDef methods[] = {
    {"fill", fill, METH_VARARGS, "Return texts of samples: fill(literals, numbers separated by commas, number of samples)."},
    {NULL, NULL, 0, NULL},
};
static struct PyModuleDef definition = {PyModuleDef_HEAD_INIT, "_number_template", NULL, -1, methods, NULL, NULL, NULL, NULL};

PyMODINIT_FUNC PyInit__number_template(void)
{
    PyObject *module = PyModule_Create(&definition);
    if (module && PyModule_AddIntConstant(module, "SOURCE_CHECKSUM", SOURCE_CHECKSUM) < 0) Py_CLEAR(module);
    return module;
}
