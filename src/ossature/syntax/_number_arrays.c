/* Reads long lists of numbers in text, which takes most of the time of reading meshes.
 *
 * Only plain decimal numbers are read here; all others, and each finding, are left to Python (number_arrays.py), which reads
 * all numbers without this module. The bits are those of Python.
 */
#define Py_LIMITED_API 0x030b0000
#include <Python.h>

#ifndef SOURCE_CHECKSUM
#error "hatch_build.py compiles this file, with its checksum"
#endif

#include <float.h>
#include <stdint.h>

/* Up to it another digit leaves an integer exact in double precision. */
#define MOST_EXACT ((((int64_t)1 << 53) - 9) / 10)
/* The powers of ten that are exact in double precision. */
enum { LARGEST_POWER = 22 };
static const double POWERS[LARGEST_POWER + 1] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,  1e8,  1e9,  1e10, 1e11,
                                                 1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};

/* The digits of a number so far as an integer; exact unless there are too many. */
typedef struct {
    int64_t value;
    int is_exact;
} Digits;

static int is_blank(char c) { return c == ' ' || c == '\n' || c == '\t' || c == '\r'; }
static int is_digit(char c) { return c >= '0' && c <= '9'; }
static int is_sign(char c) { return c == '+' || c == '-'; }

/* The place behind some digits, which are appended to a number. */
static const char *read_digits(const char *at, Digits *digits)
{
    for (; is_digit(*at); at++) {
        digits->is_exact &= digits->value <= MOST_EXACT;
        if (digits->is_exact) digits->value = 10 * digits->value + (*at - '0');
    }
    return at;
}

/* The place behind a decimal number, or NULL if there is none.
 *
 * An integer and a power of ten that are exact have a product or quotient that is rounded once (W. Clinger, How to Read Floating
 * Point Numbers Accurately, 1990). Python reads the others.
 */
static const char *read_float(const char *start, double *value)
{
    const char *whole = start + is_sign(*start), *at;
    Digits digits = {0, FLT_EVAL_METHOD == 0}, power = {0, 1};
    Py_ssize_t count, decimals = 0;
    int64_t exponent;
    at = read_digits(whole, &digits);
    count = at - whole;
    if (*at == '.') {
        const char *fraction = at + 1;
        at = read_digits(fraction, &digits);
        decimals = at - fraction;
    }
    if (count + decimals == 0) return NULL;
    if (*at == 'e' || *at == 'E') {
        int is_negative = at[1] == '-';
        const char *first = at + 1 + is_sign(at[1]);
        at = read_digits(first, &power);
        if (at == first) return NULL;
        if (is_negative) power.value = -power.value;
    }
    exponent = power.value - decimals;
    if (!digits.is_exact || !power.is_exact || exponent < -LARGEST_POWER || exponent > LARGEST_POWER) {
        char *end;
        *value = PyOS_string_to_double(start, &end, NULL);
        if (!PyErr_Occurred()) return end == at ? at : NULL;
        PyErr_Clear();
        return NULL;
    }
    *value = exponent < 0 ? digits.value / POWERS[-exponent] : digits.value * POWERS[exponent];
    if (*start == '-') *value = -*value;
    return at;
}

/* The place behind an integer, or NULL if there is none of up to 53 bits. */
static const char *read_integer(const char *start, int64_t *value)
{
    const char *first = start + is_sign(*start), *at;
    Digits digits = {0, 1};
    at = read_digits(first, &digits);
    *value = *start == '-' ? -digits.value : digits.value;
    return at == first || !digits.is_exact ? NULL : at;
}

static const char *skip_blanks(const char *at)
{
    while (is_blank(*at)) at++;
    return at;
}

static PyObject *count_words(PyObject *module, PyObject *text)
{
    char *at, *end;
    Py_ssize_t size, count = 0;
    int is_between = 1;
    if (PyBytes_AsStringAndSize(text, &at, &size) < 0) return NULL;
    for (end = at + size; at < end; at++) {
        int is_now_between = is_blank(*at);
        count += is_between && !is_now_between;
        is_between = is_now_between;
    }
    return PyLong_FromSsize_t(count);
}

/* Fill an array with all numbers of a text; return whether they are plain and as many as the array has. */
static PyObject *fill(PyObject *arguments, int is_integer)
{
    PyObject *text;
    Py_buffer array;
    Py_ssize_t size, count = 0;
    char *at;
    int is_filled;
    if (!PyArg_ParseTuple(arguments, "Sw*", &text, &array)) return NULL;
    if (PyBytes_AsStringAndSize(text, &at, &size) < 0) return PyBuffer_Release(&array), NULL;
    const char *place = skip_blanks(at), *end = at + size; /* a zero follows the text */
    while (place && place < end && count < array.len / 8) {
        place = is_integer ? read_integer(place, (int64_t *)array.buf + count) : read_float(place, (double *)array.buf + count);
        if (place && place < end && !is_blank(*place)) place = NULL;
        if (place) place = skip_blanks(place);
        count++;
    }
    is_filled = place == end && count == array.len / 8;
    PyBuffer_Release(&array);
    return PyBool_FromLong(is_filled);
}

static PyObject *fill_floats(PyObject *module, PyObject *arguments) { return fill(arguments, 0); }
static PyObject *fill_integers(PyObject *module, PyObject *arguments) { return fill(arguments, 1); }

static PyMethodDef methods[] = {
    {"count_words", count_words, METH_O, "Return the number of words in a text of bytes, which are separated by blanks."},
    {"fill_floats", fill_floats, METH_VARARGS, "Fill an array of 64 bits with the numbers of a text; return whether all are plain."},
    {"fill_integers", fill_integers, METH_VARARGS, "Fill an array of 64 bits with integers; return whether all are plain."},
    {NULL, NULL, 0, NULL},
};
static struct PyModuleDef definition = {PyModuleDef_HEAD_INIT, "_number_arrays", NULL, -1, methods, NULL, NULL, NULL, NULL};

PyMODINIT_FUNC PyInit__number_arrays(void)
{
    PyObject *module = PyModule_Create(&definition);
    if (module && PyModule_AddIntConstant(module, "SOURCE_CHECKSUM", SOURCE_CHECKSUM) < 0) Py_CLEAR(module);
    return module;
}
