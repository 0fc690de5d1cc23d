/* The singular values of a small matrix by one-sided Jacobi rotations (Hestenes, 1958; Demmel and Veselic, 1992).
 *
 * For at most six rows or columns this takes less than half the time of a call of LAPACK, for more than seven it takes more. Small
 * singular values have a relative accuracy that a bidiagonalization does not reach.
 */
#define Py_LIMITED_API 0x030b0000
#include <Python.h>

#ifndef SOURCE_CHECKSUM
#error "hatch_build.py compiles this file, with its checksum"
#endif

#include <float.h>
#include <math.h>

enum { MOST_VECTORS = 6, MOST_NUMBERS = 384, MOST_SWEEPS = 60 };

static double dot(const double *a, const double *b, Py_ssize_t count)
{
    double sum = 0.0;
    for (Py_ssize_t i = 0; i < count; i++) sum += a[i] * b[i];
    return sum;
}

/* Make two vectors orthogonal; return whether they were not. */
static int rotate(double *a, double *b, Py_ssize_t length)
{
    double aa = dot(a, a, length), bb = dot(b, b, length), ab = dot(a, b, length), slope, tangent, c, s;
    if (!(fabs(ab) > (double)length * DBL_EPSILON * sqrt(aa) * sqrt(bb))) return 0;
    slope = 0.5 * (bb - aa) / ab;
    tangent = (slope < 0.0 ? -1.0 : 1.0) / (fabs(slope) + hypot(1.0, slope));
    c = 1.0 / hypot(1.0, tangent);
    s = c * tangent;
    for (Py_ssize_t i = 0; i < length; i++) {
        double x = a[i], y = b[i];
        a[i] = c * x - s * y;
        b[i] = s * x + c * y;
    }
    return 1;
}

/* Whether no square of a number overflows, and no square of the largest one underflows. */
static int is_moderate(const double *numbers, Py_ssize_t count)
{
    double largest = 0.0;
    for (Py_ssize_t i = 0; i < count; i++) {
        if (!(fabs(numbers[i]) < 1e100)) return 0;
        if (fabs(numbers[i]) > largest) largest = fabs(numbers[i]);
    }
    return largest > 1e-100;
}

/* Return the singular values in descending order; None if another algorithm is needed: of a large matrix, or of large numbers. */
static PyObject *singular_values(PyObject *module, PyObject *arguments)
{
    Py_buffer matrix;
    Py_ssize_t rows, columns, count, length;
    double vectors[MOST_NUMBERS], values[MOST_VECTORS];
    const double *numbers;
    int sweeps = 0, rotations = 1;
    PyObject *result;
    if (!PyArg_ParseTuple(arguments, "y*nn", &matrix, &rows, &columns)) return NULL;
    count = rows < columns ? rows : columns;
    length = rows < columns ? columns : rows;
    if (rows < 0 || count > MOST_VECTORS || length > MOST_NUMBERS / MOST_VECTORS
        || matrix.len != rows * columns * (Py_ssize_t)sizeof(double) || !is_moderate(matrix.buf, rows * columns)) {
        PyBuffer_Release(&matrix);
        Py_RETURN_NONE;
    }
    numbers = matrix.buf;
    for (Py_ssize_t i = 0; i < count; i++)
        for (Py_ssize_t k = 0; k < length; k++)
            vectors[i * length + k] = rows < columns ? numbers[i * columns + k] : numbers[k * columns + i];
    PyBuffer_Release(&matrix);
    for (; rotations && sweeps < MOST_SWEEPS; sweeps++) {
        rotations = 0;
        for (Py_ssize_t i = 0; i < count; i++)
            for (Py_ssize_t k = i + 1; k < count; k++) rotations += rotate(vectors + i * length, vectors + k * length, length);
    }
    if (rotations) Py_RETURN_NONE;
    for (Py_ssize_t i = 0; i < count; i++) {
        double value = sqrt(dot(vectors + i * length, vectors + i * length, length));
        Py_ssize_t place = i;
        for (; place > 0 && values[place - 1] < value; place--) values[place] = values[place - 1];
        values[place] = value;
    }
    result = PyList_New(count);
    for (Py_ssize_t i = 0; result && i < count; i++) {
        PyObject *number = PyFloat_FromDouble(values[i]);
        if (!number) { Py_DECREF(result); return NULL; }
        PyList_SetItem(result, i, number);
    }
    return result;
}

static PyMethodDef methods[] = {
    {"singular_values", singular_values, METH_VARARGS, "Return the singular values of a matrix of a number of rows and columns, or None."},
    {NULL, NULL, 0, NULL},
};
static struct PyModuleDef definition = {PyModuleDef_HEAD_INIT, "_singular_values", NULL, -1, methods, NULL, NULL, NULL, NULL};

PyMODINIT_FUNC PyInit__singular_values(void)
{
    PyObject *module = PyModule_Create(&definition);
    if (module && PyModule_AddIntConstant(module, "SOURCE_CHECKSUM", SOURCE_CHECKSUM) < 0) Py_CLEAR(module);
    return module;
}
