/* The loop of the leapfrog integrator around the engine's step, equal to the loop in Python to the last bit.
 *
 * Python fills the structures below (stepping/loop_structs.py has the same fields) and calls run(). All numbers are those of
 * arrays that Python keeps alive. The engine's functions and the addresses of its data are found and verified when the program
 * starts (stepping/compiled_loop.py); no header of the engine is used. Expressions have the same order of operations as those
 * in Python, and the file must be compiled without contraction of products and sums.
 */
#define Py_LIMITED_API 0x030b0000
#include <Python.h>

#ifndef SOURCE_CHECKSUM
#error "hatch_build.py compiles this file, with its checksum"
#endif

#include <math.h>
#include <setjmp.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#ifdef _MSC_VER
#define THREAD_LOCAL __declspec(thread)
#else
#define THREAD_LOCAL _Thread_local
#endif

typedef void (*EngineFunction)(void *model, void *data);
typedef void (*MulJacVec)(const void *model, const void *data, double *result, const double *vector);
typedef struct { int level, topic; char subject[1024]; } LogMessage;
typedef void (*LogHandler)(const LogMessage *message);
enum { LOG_ERROR = 3 };

/* Why run() returned before all steps were taken. */
enum { DONE = 0, HAND_OVER = 1, WATCHED = 2 };

/* Functions of the engine, and the addresses in its data of what is not at a constant address. */
typedef struct {
    void *model, *data;
    EngineFunction step1, step2, reference_constraint;
    MulJacVec mul_jac_vec;
    void *(*set_log_handler)(LogHandler handler);
    const int32_t *ncon, *nl, *nefc;
    double **efc_pos, **efc_force;
} Engine;

/* A term of a force law: points of a curve of one argument, or a table over both. */
enum { LINEAR = 0, CURVE = 1, DEGRESSIVE = 2, TABLE = 3 };
typedef struct {
    int64_t kind, is_rate, rows, columns;
    double offset, a, b, c;
    const double *row_values, *column_values, *values, *slopes;
} Term;

typedef struct {
    int64_t actuator, term_count, has_stop, wraps;
    double offset, lower, upper;
    double *turns; /* counted revolutions [rad], and the last angle */
    const Term *terms;
} Spring;

/* Damping of a bushing in a frame that turns: the axes of its reference, and the angular velocity of its frame. */
typedef struct {
    int64_t actuators[3];
    double damping[3];
    const double *axes, *spin;
} Bushing;

/* Rows of a recorder of work: one for each step. */
typedef struct {
    int64_t count, nv, nu, columns, first_column, is_loaded, has_constrained, has_powers, has_welds, has_controls, equalities;
    int64_t servo_count, weld_count, target_count;
    const int64_t *servos, *welds, *targets_of_powers;
    double *durations, *means, *forces, *rates, *targets, *applied, *constrained, *powers, *controls;
    const double *force, *rate, *smooth, *bias, *passive, *actuated, *constraint_force, *ctrl;
} WorkRows;

/* Residuals of loops: one row for each step. */
typedef struct {
    int64_t count, capacity, columns, first_column;
    double *residuals;
} ResidualRows;

typedef struct {
    const Engine *engine;
    int64_t nv, spring_count, bushing_count, target_width, control_width, target_stride;
    int64_t can_touch, can_stop, has_constraints, has_contacts;
    double step, negligible_square;
    double *qvel, *velocities, *estimate, *targets, *ctrl;
    const double *lengths, *rates;
    const int64_t *target_rows, *control_rows;
    const Spring *springs;
    const Bushing *bushings;
    /* of one call */
    int64_t count, taken, last, next_watched, interval;
    const double *target_values, *control_values;
    WorkRows *work;
    ResidualRows *residuals;
    /* margins of rigid contacts */
    int64_t steps_left;
    double largest_change_square;
    const double *margin_qvel;
} Program;

/* Forces of elements */

static int64_t bisect_right(const double *values, int64_t count, double x)
{
    int64_t low = 0, high = count;
    while (low < high) {
        int64_t middle = (low + high) / 2;
        if (x < values[middle]) high = middle;
        else low = middle + 1;
    }
    return low;
}

static double curve_value(const Term *term, double x)
{
    int64_t segment = bisect_right(term->column_values, term->columns, x);
    if (segment == 0) return term->values[0];
    if (segment == term->columns) return term->values[segment - 1];
    return term->values[segment - 1] + term->slopes[segment - 1] * (x - term->column_values[segment - 1]);
}

static int64_t table_segment(const double *values, int64_t count, double x, double *fraction)
{
    int64_t segment = bisect_right(values, count, x) - 1;
    *fraction = 0.0;
    if (count == 1) return 0;
    if (segment < 0) segment = 0;
    if (segment > count - 2) segment = count - 2;
    *fraction = (x - values[segment]) / (values[segment + 1] - values[segment]);
    return segment;
}

static double row_value(const Term *term, int64_t row, int64_t segment, double fraction)
{
    const double *values = term->values + row * term->columns;
    if (term->columns == 1) return values[segment];
    return values[segment] + fraction * (values[segment + 1] - values[segment]);
}

static double table_value(const Term *term, double x, double y)
{
    double s, t;
    int64_t j = table_segment(term->column_values, term->columns, x, &s);
    int64_t i = table_segment(term->row_values, term->rows, y, &t);
    double low = row_value(term, i, j, s);
    return term->rows == 1 ? low : low + t * (row_value(term, i + 1, j, s) - low);
}

static double term_force(const Term *term, double length, double rate)
{
    switch (term->kind) {
    case LINEAR:
        return term->a - term->b * (length - term->offset) - term->c * rate;
    case CURVE:
        return -curve_value(term, term->is_rate ? rate : length - term->offset);
    case DEGRESSIVE:
        return -term->a * rate / (rate >= 0.0 ? 1.0 + term->b * rate : 1.0 - term->c * rate);
    default:
        return -table_value(term, length - term->offset, rate);
    }
}

static double unwrapped_angle(double *turns, double angle)
{
    const double pi = 3.14159265358979323846, jump = angle - turns[1];
    turns[0] += jump > pi ? -2.0 * pi : jump < -pi ? 2.0 * pi : 0.0;
    turns[1] = angle;
    return angle + turns[0];
}

/* Whether a spring reaches a hard stop in the step that starts now. */
static int reaches_stop(const Spring *spring, const double *lengths, const double *rates, double step)
{
    double length = lengths[spring->actuator] - spring->offset, displacement = step * rates[spring->actuator];
    double half = 0.5 * fabs(displacement), ahead = length + displacement;
    return !(spring->lower <= length - half && length + half <= spring->upper && spring->lower <= ahead && ahead <= spring->upper);
}

static void apply_spring(const Program *p, const Spring *spring)
{
    double angle = p->lengths[spring->actuator], rate = p->rates[spring->actuator];
    double length = spring->wraps ? unwrapped_angle(spring->turns, angle) : angle - spring->offset, force = 0.0;
    for (int64_t i = 0; i < spring->term_count; i++) {
        double term = term_force(&spring->terms[i], length, rate);
        force = i ? force + term : term;
    }
    if (spring->has_stop) force = spring->term_count ? force + 0.0 : 0.0;
    p->ctrl[spring->actuator] = force;
}

static void apply_bushing(const Program *p, const Bushing *bushing)
{
    const double *a = bushing->axes, *w = bushing->spin;
    double turn[3], s[3], frame_rates[3];
    for (int i = 0; i < 3; i++) {
        turn[i] = w[0] * a[i] + w[1] * a[3 + i] + w[2] * a[6 + i];
        s[i] = bushing->actuators[i] < 0 ? 0.0 : p->lengths[bushing->actuators[i]];
    }
    frame_rates[0] = turn[1] * s[2] - turn[2] * s[1];
    frame_rates[1] = turn[2] * s[0] - turn[0] * s[2];
    frame_rates[2] = turn[0] * s[1] - turn[1] * s[0];
    for (int i = 0; i < 3; i++)
        if (bushing->actuators[i] >= 0) p->ctrl[bushing->actuators[i]] = bushing->damping[i] * frame_rates[i];
}

/* Records */

static double sum_of(const double *values, int64_t size, const int64_t *numbers, int64_t count)
{
    double sum;
    if (!count) return 0.0;
    if (numbers[count - 1] >= size) return NAN;
    sum = values[numbers[0]];
    for (int64_t i = 1; i < count; i++) sum += values[numbers[i]];
    return sum;
}

static void record_powers(const Engine *engine, const WorkRows *rows, const double *mean, double *result)
{
    int64_t nefc = *engine->nefc;
    double *powers, servos, supplied, targets, all;
    result[0] = result[1] = 0.0;
    if (!(rows->has_welds || nefc > rows->equalities) || !nefc) return;
    powers = malloc((size_t)nefc * sizeof(double));
    if (!powers) { result[0] = result[1] = NAN; return; }
    engine->mul_jac_vec(engine->model, engine->data, powers, mean);
    for (int64_t i = 0; i < nefc; i++) powers[i] *= (*engine->efc_force)[i];
    all = powers[0];
    for (int64_t i = 1; i < nefc; i++) all += powers[i];
    servos = 0.5 * sum_of(powers, nefc, rows->servos, rows->servo_count);
    supplied = servos + 0.5 * sum_of(powers, nefc, rows->welds, rows->weld_count);
    targets = 0.5 * sum_of(powers, nefc, rows->targets_of_powers, rows->target_count);
    free(powers);
    result[0] = supplied;
    result[1] = supplied + targets - 0.5 * all;
}

static void copy_numbers(double *to, const double *from, int64_t count) { memcpy(to, from, (size_t)count * sizeof(double)); }

/* Copy constraint rows; the engine has fewer rows than its model if its memory is full, and says so. */
static void copy_rows(const Engine *engine, double *to, const double *rows, int64_t first, int64_t count)
{
    if (first + count <= *engine->nefc) copy_numbers(to, rows + first, count);
    else for (int64_t i = 0; i < count; i++) to[i] = NAN;
}

static void record_work(const Program *p, const double *before)
{
    const Engine *engine = p->engine;
    WorkRows *rows = p->work;
    int64_t row = rows->count++, nv = rows->nv, nu = rows->nu;
    double *mean = rows->means + row * nv;
    rows->durations[row] = p->step;
    for (int64_t i = 0; i < nv; i++) mean[i] = before[i] + p->qvel[i];
    copy_numbers(rows->forces + row * nu, rows->force, nu);
    copy_numbers(rows->rates + row * nu, rows->rate, nu);
    copy_rows(engine, rows->targets + row * rows->columns, *engine->efc_force, rows->first_column, rows->columns);
    if (rows->is_loaded)
        for (int64_t i = 0; i < nv; i++)
            rows->applied[row * nv + i] = rows->smooth[i] + rows->bias[i] - rows->passive[i] - rows->actuated[i];
    if (rows->has_constrained) copy_numbers(rows->constrained + row * nv, rows->constraint_force, nv);
    if (rows->has_powers) record_powers(engine, rows, mean, rows->powers + 2 * row);
    if (rows->has_controls) copy_numbers(rows->controls + row * nu, rows->ctrl, nu);
}

static void record_residuals(const Engine *engine, ResidualRows *rows)
{
    double *row = rows->residuals + rows->count * rows->columns;
    if (rows->count >= rows->capacity) return;
    rows->count++;
    copy_rows(engine, row, *engine->efc_pos, rows->first_column, rows->columns);
}

/* Steps */

static void write_inputs(const Program *p)
{
    for (int64_t i = 0; i < p->target_width; i++)
        p->targets[p->target_rows[i] * p->target_stride] = p->target_values[p->taken * p->target_width + i];
    for (int64_t i = 0; i < p->control_width; i++)
        p->ctrl[p->control_rows[i]] = p->control_values[p->taken * p->control_width + i];
}

/* Whether the margins of contacts have to be updated before this step, or may have to be. */
static int needs_margins(const Program *p)
{
    double square = 0.0;
    if (p->steps_left <= 0) return 1;
    for (int64_t i = 0; i < p->nv; i++) {
        double change = p->qvel[i] - p->margin_qvel[i];
        square += change * change;
    }
    return !(square <= 0.999999 * p->largest_change_square);
}

/* Take steps; a step that Python has to take is left as it was before it. */
static int take_steps(Program *p)
{
    const Engine *engine = p->engine;
    int64_t nv = p->nv;
    size_t size = (size_t)nv * sizeof(double);
    for (; p->taken < p->count;) {
        double *last = p->velocities + p->last * nv, *earlier = p->velocities + (1 - p->last) * nv;
        int is_watched = 0;
        write_inputs(p);
        for (int64_t i = 0; i < nv; i++) p->qvel[i] = 1.5 * last[i] - 0.5 * earlier[i];
        if (p->has_contacts && needs_margins(p)) return HAND_OVER;
        engine->step1(engine->model, engine->data);
        if (p->has_contacts && *engine->ncon) return HAND_OVER;
        for (int64_t i = 0; i < p->spring_count; i++)
            if (p->springs[i].has_stop && reaches_stop(&p->springs[i], p->lengths, p->rates, p->step)) return HAND_OVER;
        for (int64_t i = 0; i < p->spring_count; i++) apply_spring(p, &p->springs[i]);
        for (int64_t i = 0; i < p->bushing_count; i++) apply_bushing(p, &p->bushings[i]);
        memcpy(p->qvel, last, size);
        if (p->has_constraints) engine->reference_constraint(engine->model, engine->data);
        engine->step2(engine->model, engine->data);
        p->steps_left--;
        p->taken++;
        if (p->work) record_work(p, last);
        if (p->residuals) record_residuals(engine, p->residuals);
        if (p->taken == p->next_watched) {
            double square = 0.0;
            p->next_watched += p->interval;
            for (int64_t i = 0; i < nv; i++) {
                p->estimate[i] = (earlier[i] - 2.0 * last[i]) + p->qvel[i];
                square += p->estimate[i] * p->estimate[i];
            }
            is_watched = !(square < 0.999999 * p->negligible_square);
        }
        p->last = 1 - p->last;
        memcpy(earlier, p->qvel, size);
        if ((p->can_touch && *engine->ncon) || (p->can_stop && *engine->nl)) memcpy(last, p->qvel, size);
        if (is_watched) return WATCHED;
    }
    return DONE;
}

/* Errors of the engine */

static THREAD_LOCAL jmp_buf failure;
static THREAD_LOCAL char failure_text[1024];

static void on_message(const LogMessage *message)
{
    if (message->level != LOG_ERROR) return; /* warnings are counted in the engine's data */
    memcpy(failure_text, message->subject, sizeof failure_text);
    failure_text[sizeof failure_text - 1] = 0;
    longjmp(failure, 1);
}

static PyObject *run(PyObject *module, PyObject *arguments)
{
    unsigned long long address;
    PyObject *error;
    PyThreadState *thread;
    volatile int status = -1;
    if (!PyArg_ParseTuple(arguments, "KO", &address, &error)) return NULL;
    Program *program = (Program *)(uintptr_t)address;
    thread = PyEval_SaveThread();
    if (!setjmp(failure)) {
        program->engine->set_log_handler(on_message);
        status = take_steps(program);
    }
    program->engine->set_log_handler(NULL);
    PyEval_RestoreThread(thread);
    if (status < 0) {
        PyErr_SetString(error, failure_text);
        return NULL;
    }
    return PyLong_FromLong(status);
}

static PyMethodDef methods[] = {
    {"run", run, METH_VARARGS, "Take the steps of a program at an address; return why it ended."},
    {NULL, NULL, 0, NULL},
};
static struct PyModuleDef definition = {PyModuleDef_HEAD_INIT, "_loop", NULL, -1, methods, NULL, NULL, NULL, NULL};

PyMODINIT_FUNC PyInit__loop(void)
{
    PyObject *module = PyModule_Create(&definition);
    if (!module) return NULL;
    if (PyModule_AddIntConstant(module, "ENGINE_SIZE", sizeof(Engine)) < 0
        || PyModule_AddIntConstant(module, "TERM_SIZE", sizeof(Term)) < 0
        || PyModule_AddIntConstant(module, "SPRING_SIZE", sizeof(Spring)) < 0
        || PyModule_AddIntConstant(module, "BUSHING_SIZE", sizeof(Bushing)) < 0
        || PyModule_AddIntConstant(module, "WORK_ROWS_SIZE", sizeof(WorkRows)) < 0
        || PyModule_AddIntConstant(module, "RESIDUAL_ROWS_SIZE", sizeof(ResidualRows)) < 0
        || PyModule_AddIntConstant(module, "PROGRAM_SIZE", sizeof(Program)) < 0
        || PyModule_AddIntConstant(module, "SOURCE_CHECKSUM", SOURCE_CHECKSUM) < 0) {
        Py_DECREF(module);
        return NULL;
    }
    return module;
}
