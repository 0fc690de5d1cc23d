/* Finds the nearest triangle along rays through bounding volume hierarchies, which takes most of the time of a scan.
 *
 * nearest() gives the same bits as TriangleTrees in Python (triangle_bvh.py), which is used without this module. So all
 * operations are in the same precision and order.
 */
#define Py_LIMITED_API 0x030b0000
#include <Python.h>

#ifndef SOURCE_CHECKSUM
#error "hatch_build.py compiles this file, with its checksum"
#endif

#include <math.h>
#include <stdint.h>

#define WIDTH 8
#define MOST_OPEN 256 /* a node opens at most eight others on each of at most 21 levels */

typedef struct {
    const float *boxes; /* (nodes, 2, 3, WIDTH): centres and half sizes of the children of a node */
    const char *is_leaf;
    const int64_t *first;
    const double *corners; /* (triangles, 3, 3) */
    const int64_t *slots;
} Trees;

typedef struct {
    const float *line; /* (2, 3): origin, and inverse slopes */
    const double *origin, *frame;
    double first, last, margin;
} Ray;

typedef struct {
    double distance;
    int64_t triangle;
} Hit;

static float largest(float a, float b) { return a > b ? a : b; }
static float smallest(float a, float b) { return a < b ? a : b; }
static double larger(double a, double b) { return a > b ? a : b; }
static double smaller(double a, double b) { return a < b ? a : b; }

/* Whether a ray meets the boxes in a node between two distances. */
static void meet_boxes(const float *boxes, const float *line, float first, float last, int32_t *is_met)
{
    float entry[3][WIDTH], leave[3][WIDTH];
    for (int axis = 0; axis < 3; axis++) {
        const float *middle = boxes + axis * WIDTH, *half = boxes + (3 + axis) * WIDTH;
        float origin = line[axis], inverse = line[3 + axis], slope = fabsf(inverse);
        for (int i = 0; i < WIDTH; i++) {
            float m = (middle[i] - origin) * inverse, h = half[i] * slope;
            entry[axis][i] = m - h;
            leave[axis][i] = m + h;
        }
    }
    for (int i = 0; i < WIDTH; i++) {
        float begin = largest(largest(entry[0][i], entry[1][i]), entry[2][i]);
        float end = smallest(smallest(leave[0][i], leave[1][i]), leave[2][i]);
        /* No box, or one at a distance that is not a number, has an entry before its exit. */
        int32_t exists = (entry[0][i] <= leave[0][i]) & (entry[1][i] <= leave[1][i]) & (entry[2][i] <= leave[2][i]);
        is_met[i] = exists & (begin <= smallest(end, last)) & (end >= first);
    }
}

/* The distance at which a ray in the plane of its triangle hits an edge; infinite if it misses. */
static double edge_distance(const double *x, const double *y, const double *z)
{
    double wide = larger(larger(x[0], x[1]), x[2]) - smaller(smaller(x[0], x[1]), x[2]);
    double high = larger(larger(y[0], y[1]), y[2]) - smaller(smaller(y[0], y[1]), y[2]);
    const double *across = wide >= high ? x : y;
    double found = INFINITY;
    for (int i = 0; i < 3; i++) {
        double here = across[i], other = across[(i + 1) % 3];
        if (here != other && smaller(here, other) <= 0.0 && larger(here, other) >= 0.0)
            found = smaller(found, z[i] + (z[(i + 1) % 3] - z[i]) * (here / (here - other)));
    }
    return found;
}

/* The distance along a ray to a triangle; infinite if it misses it. */
static double triangle_distance(const Ray *ray, const double *corners)
{
    double at[3][3], edges[3], area, size = 0.0, length = 0.0, edge = 0.0;
    const double *x = at[0], *y = at[1], *z = at[2], rounding = 16.0 * 2.220446049250313e-16;
    for (int axis = 0; axis < 3; axis++)
        for (int i = 0; i < 3; i++) {
            const double *corner = corners + 3 * i, *frame = ray->frame + 3 * axis;
            double sum = (corner[0] - ray->origin[0]) * frame[0];
            sum += (corner[1] - ray->origin[1]) * frame[1];
            sum += (corner[2] - ray->origin[2]) * frame[2];
            at[axis][i] = sum;
        }
    for (int i = 0; i < 3; i++) {
        int next = (i + 1) % 3, after = (i + 2) % 3;
        double across = fabs(x[i]) + fabs(y[i]);
        edges[i] = x[next] * y[after] - y[next] * x[after];
        edge = larger(edge, fabs(edges[i]));
        size = larger(size, across);
        length = larger(length, across + fabs(z[i]));
    }
    if (edge <= rounding * length * size) return edge_distance(x, y, z);
    area = edges[0] + edges[1] + edges[2];
    if (area == 0.0) return INFINITY;
    if (!(edges[0] >= 0.0 && edges[1] >= 0.0 && edges[2] >= 0.0) && !(edges[0] <= 0.0 && edges[1] <= 0.0 && edges[2] <= 0.0))
        return INFINITY;
    return (edges[0] * z[0] + edges[1] * z[1] + edges[2] * z[2]) / area;
}

static void test_triangle(const Trees *trees, const Ray *ray, int64_t number, Hit *hit)
{
    double distance = triangle_distance(ray, trees->corners + 9 * number);
    if (!(distance >= ray->first && distance <= ray->last) || !isfinite(distance) || distance > hit->distance) return;
    if (distance < hit->distance || trees->slots[number] < hit->triangle) hit->triangle = trees->slots[number];
    hit->distance = distance;
}

static Hit nearest_along(const Trees *trees, const Ray *ray, int64_t root)
{
    int64_t open[MOST_OPEN];
    int32_t is_met[WIDTH];
    int count = 1;
    float first = (float)(ray->first - ray->margin);
    Hit hit = {INFINITY, -1};
    open[0] = root;
    while (count) {
        int64_t node = open[--count];
        float last = (float)(smaller(ray->last, hit.distance) + ray->margin);
        meet_boxes(trees->boxes + node * 2 * 3 * WIDTH, ray->line, first, last, is_met);
        for (int i = 0; i < WIDTH; i++) {
            if (!is_met[i]) continue;
            if (trees->is_leaf[node]) test_triangle(trees, ray, trees->first[node] + i, &hit);
            else open[count++] = trees->first[node] + i;
        }
    }
    return hit;
}

static PyObject *nearest(PyObject *module, PyObject *arguments)
{
    enum { BOXES, IS_LEAF, FIRST, CORNERS, SLOTS, ROOTS, LINES, ORIGINS, FRAMES, RANGES, DISTANCES, TRIANGLES, COUNT };
    Py_buffer b[COUNT];
    Py_ssize_t rays;
    if (!PyArg_ParseTuple(arguments, "y*y*y*y*y*y*y*y*y*y*w*w*", &b[0], &b[1], &b[2], &b[3], &b[4], &b[5], &b[6], &b[7], &b[8],
                          &b[9], &b[10], &b[11]))
        return NULL;
    rays = b[ROOTS].len / 8;
    if (b[LINES].len != 24 * rays || b[ORIGINS].len != 24 * rays || b[FRAMES].len != 72 * rays || b[RANGES].len != 24 * rays ||
        b[DISTANCES].len != 8 * rays || b[TRIANGLES].len != 8 * rays)
        PyErr_SetString(PyExc_ValueError, "the arrays are not of equally many rays");
    else {
        Trees trees = {b[BOXES].buf, b[IS_LEAF].buf, b[FIRST].buf, b[CORNERS].buf, b[SLOTS].buf};
        const double *ranges = b[RANGES].buf;
        Py_BEGIN_ALLOW_THREADS
        for (Py_ssize_t i = 0; i < rays; i++) {
            Ray ray = {(const float *)b[LINES].buf + 6 * i, (const double *)b[ORIGINS].buf + 3 * i,
                       (const double *)b[FRAMES].buf + 9 * i, ranges[3 * i], ranges[3 * i + 1], ranges[3 * i + 2]};
            Hit hit = nearest_along(&trees, &ray, ((const int64_t *)b[ROOTS].buf)[i]);
            ((double *)b[DISTANCES].buf)[i] = hit.distance;
            ((int64_t *)b[TRIANGLES].buf)[i] = hit.triangle;
        }
        Py_END_ALLOW_THREADS
    }
    for (int i = 0; i < COUNT; i++) PyBuffer_Release(&b[i]);
    if (PyErr_Occurred()) return NULL;
    Py_RETURN_NONE;
}

static PyMethodDef methods[] = {
    {"nearest", nearest, METH_VARARGS, "Write the distance and the index of the nearest triangle of each ray into two arrays."},
    {NULL, NULL, 0, NULL},
};
static struct PyModuleDef definition = {PyModuleDef_HEAD_INIT, "_triangle_bvh", NULL, -1, methods, NULL, NULL, NULL, NULL};

PyMODINIT_FUNC PyInit__triangle_bvh(void)
{
    PyObject *module = PyModule_Create(&definition);
    if (module && PyModule_AddIntConstant(module, "SOURCE_CHECKSUM", SOURCE_CHECKSUM) < 0) Py_CLEAR(module);
    return module;
}
