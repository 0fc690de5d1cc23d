/* Finds the nearest triangle along rays through bounding volume hierarchies, and the nearest of several meshes.
 *
 * The bits are those of the same searches in Python (triangle_bvh.py, shape_raycast.py), which are used without this module.
 * So all operations are in the same precision and order.
 */
#define Py_LIMITED_API 0x030b0000
#include <Python.h>

#ifndef SOURCE_CHECKSUM
#error "hatch_build.py compiles this file, with its checksum"
#endif

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#define WIDTH 8
#define BOX_MARGIN 4e-6 /* these four as in Python */
#define SMALLEST_SLOPE 1e-20
#define SPHERE_MARGIN 1e-9
#define DISTANCE_ROUNDING 1e-14
#define MOST_OPEN 256 /* a node opens at most eight others on each of at most 21 levels */

typedef struct {
    const float *boxes; /* (nodes, 2, 3, WIDTH): centres and half sizes of the children of a node */
    const char *is_leaf;
    const int64_t *first;
    const double *corners; /* (triangles, 3, 3) */
    const int64_t *slots;
} Trees;

/* A ray in the frame of a mesh, from its point nearest to the centre. */
typedef struct {
    double origin[3], frame[3][3]; /* the third axis is its direction */
    float line[2][3]; /* origin, and inverse slopes */
    double first, last, margin;
} Ray;

typedef struct {
    double distance;
    int64_t triangle;
} Hit;

/* Meshes in the world; poses are those for one ray. */
typedef struct {
    const int64_t *numbers, *roots;
    const double *radii, *centers, *rotations;
    Py_ssize_t count;
} Meshes;

typedef struct {
    double entry;
    Py_ssize_t mesh;
} Candidate;

static float largest(float a, float b) { return a > b ? a : b; }
static float smallest(float a, float b) { return a < b ? a : b; }
static double larger(double a, double b) { return a > b ? a : b; }
static double smaller(double a, double b) { return a < b ? a : b; }

/* Numpy begins sums with zero, so that those of negative zeros are positive. */
static double dot(const double *a, const double *b) { return 0.0 + a[0] * b[0] + a[1] * b[1] + a[2] * b[2]; }

/* Set the frame of a ray: an orthonormal basis without branches (T. Duff et al., 2017). */
static void set_frame(Ray *ray, const double *direction)
{
    double x = direction[0], y = direction[1], z = direction[2], sign = copysign(1.0, z), a = -1.0 / (sign + z), b = x * y * a;
    double frame[3][3] = {{1.0 + sign * x * x * a, sign * b, -sign * x}, {b, sign + y * y * a, -y}, {x, y, z}};
    memcpy(ray->frame, frame, sizeof frame);
}

static Ray make_ray(const double *origin, const double *direction, double first, double last, double radius)
{
    Ray ray = {.first = first, .last = last, .margin = 2.0 * BOX_MARGIN * radius};
    set_frame(&ray, direction);
    for (int axis = 0; axis < 3; axis++) {
        double slope = fabs(direction[axis]) < SMALLEST_SLOPE ? SMALLEST_SLOPE : direction[axis];
        ray.origin[axis] = origin[axis];
        ray.line[0][axis] = (float)origin[axis];
        ray.line[1][axis] = (float)(1.0 / slope);
    }
    return ray;
}

/* Whether a ray meets the boxes in a node between two distances. */
static void meet_boxes(const float *boxes, const float line[2][3], float first, float last, int32_t *is_met)
{
    float entry[3][WIDTH], leave[3][WIDTH];
    for (int axis = 0; axis < 3; axis++) {
        const float *middle = boxes + axis * WIDTH, *half = boxes + (3 + axis) * WIDTH;
        float origin = line[0][axis], inverse = line[1][axis], slope = fabsf(inverse);
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
            const double *corner = corners + 3 * i, *frame = ray->frame[axis];
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

/* Whether a line meets the bounding sphere of a mesh, and the distances at which it enters and leaves it. */
static int meets_sphere(const double *center, double radius, const double *origin, const double *direction, double *entry,
                        double *leave)
{
    double offset[3] = {center[0] - origin[0], center[1] - origin[1], center[2] - origin[2]};
    double enlarged = radius * (1.0 + SPHERE_MARGIN), along = dot(offset, direction);
    double square = along * along + (enlarged * enlarged - dot(offset, offset) * (1.0 - SPHERE_MARGIN));
    if (!(square >= 0.0)) return 0;
    *entry = along - sqrt(square);
    *leave = along + sqrt(square);
    return 1;
}

static int by_entry(const void *a, const void *b)
{
    double one = ((const Candidate *)a)->entry, other = ((const Candidate *)b)->entry;
    return (one > other) - (one < other);
}

/* Find the meshes that a ray may hit within a distance, in the order in which it enters their bounding spheres. */
static Py_ssize_t find_candidates(const Meshes *meshes, const double *origin, const double *direction, double last,
                                  Candidate *found)
{
    Py_ssize_t count = 0;
    double entry, leave;
    for (Py_ssize_t i = 0; i < meshes->count; i++) {
        if (!meets_sphere(meshes->centers + 3 * i, meshes->radii[i], origin, direction, &entry, &leave)) continue;
        if (leave >= 0.0 && entry <= last) found[count++] = (Candidate){entry, i};
    }
    qsort(found, count, sizeof *found, by_entry);
    return count;
}

/* The distance along a ray to a mesh, at most the last one; infinite if it misses it. */
static double mesh_distance(const Trees *trees, const Meshes *meshes, Py_ssize_t mesh, const double *origin,
                            const double *direction, double last)
{
    const double *center = meshes->centers + 3 * mesh, *rotation = meshes->rotations + 9 * mesh;
    double offset[3] = {origin[0] - center[0], origin[1] - center[1], origin[2] - center[2]}, nearest[3], along[3], start;
    for (int axis = 0; axis < 3; axis++) {
        double column[3] = {rotation[axis], rotation[3 + axis], rotation[6 + axis]};
        nearest[axis] = dot(column, offset);
        along[axis] = dot(column, direction);
    }
    start = -dot(nearest, along);
    for (int axis = 0; axis < 3; axis++) nearest[axis] += start * along[axis];
    Ray ray = make_ray(nearest, along, 0.0 - start, last * (1.0 + DISTANCE_ROUNDING) - start, meshes->radii[mesh]);
    return nearest_along(trees, &ray, meshes->roots[mesh]).distance + start;
}

/* Replace a distance and the number of its mesh by those of a nearer one; of several at one distance the first is kept. */
static void find_nearest_mesh(const Trees *trees, const Meshes *meshes, const double *origin, const double *direction,
                              double *best, int64_t *hit, Candidate *candidates)
{
    Py_ssize_t count = find_candidates(meshes, origin, direction, *best, candidates);
    for (Py_ssize_t i = 0; i < count && candidates[i].entry <= *best; i++) {
        int64_t number = meshes->numbers[candidates[i].mesh];
        double distance = mesh_distance(trees, meshes, candidates[i].mesh, origin, direction, *best);
        if (!isfinite(distance) || !(distance < *best || (distance == *best && (*hit < 0 || number < *hit)))) continue;
        *best = distance;
        *hit = number;
    }
}

/* Cast rays at the meshes; poses and origins are common to all rays or of each ray. */
static PyObject *cast(PyObject *module, PyObject *arguments)
{
    enum { BOXES, IS_LEAF, FIRST, CORNERS, SLOTS, NUMBERS, ROOTS, RADII, CENTERS, ROTATIONS, ORIGINS, DIRECTIONS, BEST, HIT,
           COUNT };
    Py_buffer b[COUNT];
    Py_ssize_t rays, meshes, poses, origins;
    Candidate *candidates;
    if (!PyArg_ParseTuple(arguments, "y*y*y*y*y*y*y*y*y*y*y*y*w*w*", &b[0], &b[1], &b[2], &b[3], &b[4], &b[5], &b[6], &b[7], &b[8],
                          &b[9], &b[10], &b[11], &b[12], &b[13]))
        return NULL;
    rays = b[BEST].len / 8;
    meshes = b[NUMBERS].len / 8;
    poses = meshes ? b[CENTERS].len / (24 * meshes) : 1;
    origins = b[ORIGINS].len / 24;
    candidates = malloc((meshes + 1) * sizeof *candidates);
    if (!candidates) PyErr_NoMemory();
    else if (b[DIRECTIONS].len != 24 * rays || b[HIT].len != 8 * rays || b[ROOTS].len != 8 * meshes || b[RADII].len != 8 * meshes ||
             b[ROTATIONS].len != 3 * b[CENTERS].len || (poses != 1 && poses != rays) || (origins != 1 && origins != rays))
        PyErr_SetString(PyExc_ValueError, "the arrays are not of equally many rays and meshes");
    else {
        Trees trees = {b[BOXES].buf, b[IS_LEAF].buf, b[FIRST].buf, b[CORNERS].buf, b[SLOTS].buf};
        const double *centers = b[CENTERS].buf, *rotations = b[ROTATIONS].buf;
        const double *starts = b[ORIGINS].buf, *directions = b[DIRECTIONS].buf;
        double *best = b[BEST].buf;
        int64_t *hit = b[HIT].buf;
        Py_BEGIN_ALLOW_THREADS
        for (Py_ssize_t i = 0; i < rays; i++) {
            Py_ssize_t first = poses == 1 ? 0 : meshes * i, start = origins == 1 ? 0 : i;
            Meshes placed = {b[NUMBERS].buf, b[ROOTS].buf, b[RADII].buf, centers + 3 * first, rotations + 9 * first, meshes};
            find_nearest_mesh(&trees, &placed, starts + 3 * start, directions + 3 * i, best + i, hit + i, candidates);
        }
        Py_END_ALLOW_THREADS
    }
    free(candidates);
    for (int i = 0; i < COUNT; i++) PyBuffer_Release(&b[i]);
    if (PyErr_Occurred()) return NULL;
    Py_RETURN_NONE;
}

/* Find the nearest triangle of one mesh for each ray in its frame. */
static PyObject *nearest(PyObject *module, PyObject *arguments)
{
    enum { BOXES, IS_LEAF, FIRST, CORNERS, SLOTS, ROOTS, RADII, ORIGINS, DIRECTIONS, BEGINS, ENDS, DISTANCES, TRIANGLES, COUNT };
    Py_buffer b[COUNT];
    Py_ssize_t rays;
    if (!PyArg_ParseTuple(arguments, "y*y*y*y*y*y*y*y*y*y*y*w*w*", &b[0], &b[1], &b[2], &b[3], &b[4], &b[5], &b[6], &b[7], &b[8],
                          &b[9], &b[10], &b[11], &b[12]))
        return NULL;
    rays = b[ROOTS].len / 8;
    if (b[RADII].len != 8 * rays || b[ORIGINS].len != 24 * rays || b[DIRECTIONS].len != 24 * rays || b[BEGINS].len != 8 * rays ||
        b[ENDS].len != 8 * rays || b[DISTANCES].len != 8 * rays || b[TRIANGLES].len != 8 * rays)
        PyErr_SetString(PyExc_ValueError, "the arrays are not of equally many rays");
    else {
        Trees trees = {b[BOXES].buf, b[IS_LEAF].buf, b[FIRST].buf, b[CORNERS].buf, b[SLOTS].buf};
        const double *origins = b[ORIGINS].buf, *directions = b[DIRECTIONS].buf, *radii = b[RADII].buf;
        const double *begins = b[BEGINS].buf, *ends = b[ENDS].buf;
        Py_BEGIN_ALLOW_THREADS
        for (Py_ssize_t i = 0; i < rays; i++) {
            Ray ray = make_ray(origins + 3 * i, directions + 3 * i, begins[i], ends[i], radii[i]);
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
    {"cast", cast, METH_VARARGS, "Replace the distance and the mesh of each ray in two arrays by those of a nearer mesh."},
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
