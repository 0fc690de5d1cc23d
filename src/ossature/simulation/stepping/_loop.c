/* The loop around the engine's step, with springs, bushings and rigid contacts, equal to the loop in Python to the last bit.
 *
 * Python fills the structures below (stepping/compiled_stepping_structs.py has the same fields) and calls run(). All numbers
 * are those of arrays that Python keeps alive. The engine's functions and the addresses of its data are found and verified
 * when the program starts (stepping/compiled_stepping_loop.py); no header of the engine is used. Expressions have the same
 * order of operations as those in Python, and the file must be compiled without contraction of products and sums.
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
#ifdef __GLIBC__ /* a module that is loaded later may take some of the space of the program's first modules: faster */
#define FAST_THREAD_LOCAL THREAD_LOCAL __attribute__((tls_model("initial-exec")))
#else
#define FAST_THREAD_LOCAL THREAD_LOCAL
#endif

typedef void (*EngineFunction)(void *model, void *data);
typedef double (*Clock)(void);
typedef void (*MulJacVec)(const void *model, const void *data, double *result, const double *vector);
typedef void (*ForwardSkip)(const void *model, void *data, int stage, int without_sensors);
typedef void (*JacBody)(const void *model, const void *data, double *translation, double *rotation, int body);
typedef struct { int level, topic; char subject[1024]; } LogMessage;
typedef void (*LogHandler)(const LogMessage *message);
enum { LOG_ERROR = 3 };

/* Why run() returned: all steps are taken; the next one must be taken in Python; the error of the last one may be large;
 * the margins of contacts must be checked; bodies may be in equilibrium; the error of the last one is not finite. */
enum { DONE = 0, HAND_OVER = 1, WATCHED = 2, MARGINS = 3, EQUILIBRIUM = 4, DIVERGED = 5 };

/* Functions of the engine, and the addresses in its data of what is not at a constant address. */
typedef struct {
    int64_t contact_stride, frame_offset, friction_offset, geom_offset, efc_address_offset;
    void *model, *data;
    EngineFunction step, step1, step2, check_pos, check_vel, position, velocity, reference_constraint, kinematics, com_pos, com_vel, collision;
    EngineFunction actuation, acceleration, check_acc, euler;
    MulJacVec mul_jac_vec;
    JacBody jac_body;
    ForwardSkip forward_skip;
    void *(*set_log_handler)(LogHandler handler);
    EngineFunction *control_callback;
    int32_t *ncon, *ne, *nf, *nl, *nefc;
    double *time;
    double **efc_pos, **efc_vel, **efc_aref, **efc_margin, **efc_force, **efc_J, **efc_D;
    const int32_t **efc_J_rownnz, **efc_J_rowadr, **efc_J_colind;
    const char **contact;
    int32_t *disable_flags; /* of the model */
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
    int64_t has_ends, has_end_rates, has_actuations;
    int64_t servo_count, weld_count, target_count;
    const int64_t *servos, *welds, *targets_of_powers;
    double *durations, *means, *forces, *rates, *targets, *applied, *constrained, *powers, *controls, *ends, *end_rates;
    double *actuations, *resistances;
    const double *force, *rate, *smooth, *bias, *passive, *actuated, *constraint_force, *ctrl, *damper, *fluid;
    const double *gravity_compensation, *is_compensated_by_actuator;
} WorkRows;

/* Residuals of loops, and the Jacobian of all equality constraints: one row for each step. */
typedef struct {
    int64_t count, capacity, columns, first_column, equalities, jacobian_size;
    double *residuals, *jacobians;
} ResidualRows;

/* The largest rotation [rad] and displacement of a centre of mass [m] of a body in one of the steps so far. */
typedef struct {
    int64_t step_count, body_count, rotated_body, moved_body;
    double rotation, rotation_time, displacement, displacement_time;
    const double *cvel, *xipos, *subtree_com;
    const int64_t *roots;
} MotionPeaks;

/* The state that a sample contains (observation/sampler.py). */
typedef struct {
    int64_t body_count, nq, nv;
    const double *xpos, *xquat, *xmat, *subtree_com, *cvel, *qpos, *qvel;
    const int64_t *roots;
} SampledState;

/* Rigid contacts: their settings, and what changes from step to step (rigid_contacts.py explains both). */
typedef struct {
    /* state */
    int64_t steps_left, is_clear, is_at_rest, is_in_equilibrium, count, has_deepest, deepest_geoms[2];
    double largest_change_square, reported_gap, deepest, deepest_time;
    /* settings */
    int64_t nq, na, is_sparse, at_end_of_step, can_rest, has_limits, has_limit_margins, has_specified_margins, has_restitution;
    int64_t divides_impacts;
    double step, rate, recovery, quiet_square, still_square, motion_square, equilibrium_square;
    double gap_error, overlap_error, negligible_opening, largest_steady_opening, steady_square, largest_penetration, same_depth, bounce_speed, largest_relaxation, relaxation_bounds[2], friction;
    double notable_gap;
    int64_t has_one_friction, most_repeats;
    double *qpos, *act, *warmstart, *old_qpos, *old_qvel, *old_act, *old_warmstart;
    const double *qacc, *specified_margins, *restitution;
    const int64_t *geom_bodies;
    /* margins (contact_margins.py) */
    int64_t steps_between_updates, moving_count;
    double travel_time, velocity_change, speed_allowance, largest_margin;
    double *margins, *margin_qvel;
    const double *reach, *least_margins, *geom_xpos, *subtree_com, *cvel;
    const int64_t *moving_geoms, *moving_bodies, *moving_roots;
    /* slips half a step later (slip_extrapolation.py) */
    int64_t kept_count, kept_capacity;
    double negligible_change, steady_change_square;
    double *kept_slips;
    /* clearance of shapes (contact_clearance.py) */
    int64_t geom_count, disable_flag, steps_without_search, pause;
    double clearance, detected_distance;
    double *kept_margins;
    const double *approach_rates; /* NULL if they are not known */
} Contacts;

/* The equations of motion with equality constraints only (equality_solver.py). */
typedef struct {
    const Engine *engine;
    int64_t nv, most_rows;
    const int64_t *mass_counts, *mass_columns; /* of the rows of the lower triangle */
    const double *mass, *smooth_force;
    double *acceleration, *warmstart, *constraint_force;
    /* numbers of one solution */
    double *hessian, *residual, *values;
    int64_t *value_starts, *value_columns;
} EqualityProblem;

typedef struct {
    const Engine *engine;
    int64_t is_leapfrog, is_split, nv, spring_count, bushing_count, target_width, control_width, target_stride;
    int64_t has_constraints, defers_references, uses_equilibrium, tree_count, has_jump;
    double step, negligible_square, uncertainty, jump_speed, largest_change;
    int64_t stage_of_velocity, rotation_count;
    double error_weight, rotation_factor;
    double *qvel, *before, *velocities, *estimate, *targets, *ctrl, *midpoint;
    const double *qacc, *moments, *largest_moments;
    const int64_t *rotations;
    const double *lengths, *rates;
    const double *constraint_force;
    const int64_t *target_rows, *control_rows, *trees;
    int64_t *are_jumping;
    const Spring *springs;
    const Bushing *bushings;
    /* of one call */
    int64_t count, taken, last, next_watched, interval, is_prepared, is_estimated, unsettled, worst_dof;
    double largest_error, largest_error_time;
    const double *target_values, *control_values;
    WorkRows *work;
    ResidualRows *residuals;
    MotionPeaks *motion;
    Contacts *contacts;
    const EqualityProblem *equality_problem; /* NULL if the engine solves */
    /* position limits of joints (approached_limits.py) */
    int64_t limit_count;
    double steps_to_limits, least_impact_speed;
    const double *positions, *ranges;
    const int64_t *limit_joints, *limit_positions, *limit_dofs;
    /* numbers of the contacts of a step */
    double *scratch;
    int64_t scratch_size;
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
    if (rows->has_actuations)
        for (int64_t i = 0; i < nv; i++) {
            double compensation = rows->is_compensated_by_actuator[i] * rows->gravity_compensation[i];
            rows->actuations[row * nv + i] = rows->actuated[i] - compensation;
            rows->resistances[row * nv + i] = rows->damper[i] + rows->fluid[i];
        }
    if (rows->has_constrained) copy_numbers(rows->constrained + row * nv, rows->constraint_force, nv);
    if (rows->has_powers) record_powers(engine, rows, mean, rows->powers + 2 * row);
    if (rows->has_ends) copy_numbers(rows->ends + row * nv, p->qvel, nv);
    if (rows->has_controls) copy_numbers(rows->controls + row * nu, rows->ctrl, nu);
    if (rows->has_end_rates) {
        engine->velocity(engine->model, engine->data);
        copy_numbers(rows->end_rates + row * nu, rows->rate, nu);
    }
}

static void record_residuals(const Engine *engine, ResidualRows *rows)
{
    double *row = rows->residuals + rows->count * rows->columns, *jacobian = rows->jacobians + rows->count * rows->jacobian_size;
    if (rows->count >= rows->capacity) return;
    rows->count++;
    copy_rows(engine, row, *engine->efc_pos, rows->first_column, rows->columns);
    if (*engine->ne == rows->equalities) copy_numbers(jacobian, *engine->efc_J, rows->jacobian_size);
    else for (int64_t i = 0; i < rows->jacobian_size; i++) jacobian[i] = NAN;
}

static void record_motion(MotionPeaks *m, double step, double time)
{
    double spin = 0.0, speed = 0.0;
    int64_t spinning = 0, moving = 0;
    for (int64_t i = 1; i < m->body_count; i++) {
        const double *w = m->cvel + 6 * i, *v = w + 3, *x = m->xipos + 3 * i, *center = m->subtree_com + 3 * m->roots[i];
        double r[3] = {x[0] - center[0], x[1] - center[1], x[2] - center[2]};
        double a = v[0] + (w[1] * r[2] - w[2] * r[1]), b = v[1] + (w[2] * r[0] - w[0] * r[2]), c = v[2] + (w[0] * r[1] - w[1] * r[0]);
        double spin_square = w[0] * w[0] + w[1] * w[1] + w[2] * w[2], speed_square = a * a + b * b + c * c;
        if (spin_square > spin) { spin = spin_square; spinning = i; }
        if (speed_square > speed) { speed = speed_square; moving = i; }
    }
    m->step_count++;
    spin = sqrt(spin) * step;
    speed = sqrt(speed) * step;
    if (spin > m->rotation) { m->rotation = spin; m->rotated_body = spinning; m->rotation_time = time; }
    if (speed > m->displacement) { m->displacement = speed; m->moved_body = moving; m->displacement_time = time; }
}

/* Equality constraints (equality_solver.py) */

enum { NEWTON_STEPS = 2 };

/* The largest change of the acceleration in the last step, relative to it: a larger one is that of an ill-conditioned matrix. */
static const double LARGEST_CHANGE = 1e-6;

/* Keep the numbers of the Jacobian that are not zero. */
static void compress_jacobian(const EqualityProblem *s)
{
    const double *row = *s->engine->efc_J;
    double *value = s->values;
    int64_t *column = s->value_columns;
    for (int64_t r = 0; r < *s->engine->ne; r++, row += s->nv) {
        s->value_starts[r] = value - s->values;
        for (int64_t i = 0; i < s->nv; i++)
            if (row[i] != 0.0) {
                *value++ = row[i];
                *column++ = i;
            }
    }
    s->value_starts[*s->engine->ne] = value - s->values;
}

/* Compute the lower triangle of M + J'DJ. */
static void compute_hessian(const EqualityProblem *s)
{
    int64_t n = s->nv, entry = 0;
    for (int64_t i = 0; i < n * n; i++) s->hessian[i] = 0.0;
    for (int64_t i = 0; i < n; i++)
        for (int64_t k = s->mass_counts[i]; k > 0; k--, entry++) s->hessian[i * n + s->mass_columns[entry]] = s->mass[entry] + 0.0;
    for (int64_t r = 0; r < *s->engine->ne; r++) {
        double weight = (*s->engine->efc_D)[r];
        for (int64_t k = s->value_starts[r]; k < s->value_starts[r + 1]; k++) {
            double weighted = weight * s->values[k], *row = s->hessian + s->value_columns[k] * n;
            for (int64_t l = s->value_starts[r]; l <= k; l++) row[s->value_columns[l]] += weighted * s->values[l];
        }
    }
}

/* Replace the lower triangle by its factors L and D, with D on the diagonal; return whether it is positive definite. */
static int factorize(double *matrix, int64_t n)
{
    for (int64_t k = 0; k < n; k++) {
        double pivot = matrix[k * n + k];
        if (!(pivot > 0.0)) return 0;
        for (int64_t i = n - 1; i > k; i--) { /* the last row first: each needs the column of the rows before */
            double ratio = matrix[i * n + k] / pivot;
            if (ratio != 0.0)
                for (int64_t j = k + 1; j <= i; j++) matrix[i * n + j] -= ratio * matrix[j * n + k];
            matrix[i * n + k] = ratio;
        }
    }
    return 1;
}

static void solve_factorized(const double *factors, int64_t n, double *x)
{
    for (int64_t i = 0; i < n; i++) {
        double value = x[i];
        for (int64_t k = 0; k < i; k++) value -= factors[i * n + k] * x[k];
        x[i] = value;
    }
    for (int64_t i = 0; i < n; i++) x[i] /= factors[i * n + i];
    for (int64_t i = n - 1; i >= 0; i--) {
        double value = x[i];
        for (int64_t k = n - 1; k > i; k--) value -= factors[k * n + i] * x[k];
        x[i] = value;
    }
}

static void compute_constraint_forces(const EqualityProblem *s)
{
    const Engine *e = s->engine;
    for (int64_t r = 0; r < *e->ne; r++) {
        double difference = (*e->efc_aref)[r] + 0.0;
        for (int64_t k = s->value_starts[r]; k < s->value_starts[r + 1]; k++)
            difference -= s->values[k] * s->acceleration[s->value_columns[k]];
        (*e->efc_force)[r] = (*e->efc_D)[r] * difference;
    }
}

/* Add the generalized forces of the constraints to numbers. */
static void add_constraint_forces(const EqualityProblem *s, double *sum)
{
    for (int64_t r = 0; r < *s->engine->ne; r++) {
        double force = (*s->engine->efc_force)[r];
        for (int64_t k = s->value_starts[r]; k < s->value_starts[r + 1]; k++) sum[s->value_columns[k]] += s->values[k] * force;
    }
}

/* Compute the forces that are not in equilibrium. */
static void compute_residual(const EqualityProblem *s)
{
    const double *a = s->acceleration;
    double *sum = s->residual;
    int64_t entry = 0;
    for (int64_t i = 0; i < s->nv; i++) {
        double own = s->smooth_force[i] + 0.0;
        for (int64_t k = s->mass_counts[i]; k > 0; k--, entry++) {
            int64_t j = s->mass_columns[entry];
            own -= s->mass[entry] * a[j];
            if (j < i) sum[j] -= s->mass[entry] * a[i];
        }
        sum[i] = own;
    }
    add_constraint_forces(s, sum);
}

static double largest_absolute(const double *values, int64_t count)
{
    double largest = 0.0;
    for (int64_t i = 0; i < count; i++) {
        double value = fabs(values[i]);
        if (!(value <= largest)) largest = value;
        if (value != value) return NAN;
    }
    return largest;
}

/* Compute the acceleration, whose smooth forces are known; return whether it is found. */
static int solve_equalities(const EqualityProblem *s)
{
    int64_t n = s->nv;
    if (*s->engine->ne > s->most_rows) return 0;
    compress_jacobian(s);
    compute_hessian(s);
    if (!factorize(s->hessian, n)) return 0;
    copy_numbers(s->acceleration, s->warmstart, n);
    for (int step = 0; step < NEWTON_STEPS; step++) {
        compute_constraint_forces(s);
        compute_residual(s);
        solve_factorized(s->hessian, n, s->residual);
        for (int64_t i = 0; i < n; i++) s->acceleration[i] += s->residual[i];
    }
    if (!(largest_absolute(s->residual, n) <= LARGEST_CHANGE * largest_absolute(s->acceleration, n))) return 0;
    compute_constraint_forces(s);
    for (int64_t i = 0; i < n; i++) s->constraint_force[i] = 0.0;
    add_constraint_forces(s, s->constraint_force);
    copy_numbers(s->warmstart, s->acceleration, n);
    return 1;
}

/* The engine's mj_step2, if there are equality constraints only: with the acceleration of the solver above. */
static void take_second_half(const Program *p)
{
    const Engine *e = p->engine;
    if (!p->equality_problem || !*e->ne || *e->nefc != *e->ne) {
        e->step2(e->model, e->data);
        return;
    }
    e->actuation(e->model, e->data);
    e->acceleration(e->model, e->data);
    if (!solve_equalities(p->equality_problem)) {
        e->step2(e->model, e->data);
        return;
    }
    e->check_acc(e->model, e->data);
    e->euler(e->model, e->data);
}

/* Contacts */

enum { ROWS = 3, FEW_NUMBERS = 32, VECTORS = 6, PLANES = 2, KEPT_COLUMNS = 2 * PLANES };

/* The numbers of the contacts of a step: arrays of the number of contacts. */
typedef struct {
    int64_t first, count, has_residuals, has_corrections, is_undecided, are_arms_moved;
    double *gaps, *slips, *residuals, *relaxation, *openings, *errors, *rows, *rotations;
    double *changes, *corrections; /* of slips, two of each contact */
} Solution;

static double square_of(const double *values, int64_t count)
{
    double sum = 0.0;
    for (int64_t i = 0; i < count; i++) sum += values[i] * values[i];
    return sum;
}

/* Whether a sum of squares is below a bound; undecided if Python, which adds in another order, may find the opposite. */
static int is_below(const Program *p, double square, double bound, Solution *s)
{
    if (fabs(square - bound) <= p->uncertainty * bound) s->is_undecided = 1;
    return square < bound;
}

/* The larger of two numbers, as in numpy: not a number if one is none. */
static double larger(double a, double b) { return a >= b || a != a ? a : b; }
static double smaller(double a, double b) { return a <= b || a != a ? a : b; }

/* The smallest of some numbers: of few as Python's min, of many as numpy's. */
static double smallest(const double *values, int64_t stride, int64_t count)
{
    double found = values[0];
    for (int64_t i = 1; i < count; i++) {
        double value = values[i * stride];
        found = count <= FEW_NUMBERS ? (value < found ? value : found) : smaller(found, value);
    }
    return found;
}

static int64_t first_row(const Engine *e, const Contacts *c) { return *e->ne + *e->nf + (c->has_limits ? *e->nl : 0); }

static int reserve(Program *p, Solution *s, int64_t count, int64_t nefc)
{
    int64_t size = (VECTORS + 2 * PLANES) * count + nefc + 2 * 3 * p->nv;
    double **vectors[VECTORS] = {&s->gaps, &s->slips, &s->residuals, &s->relaxation, &s->openings, &s->errors};
    if (size > p->scratch_size) {
        free(p->scratch);
        p->scratch_size = 0;
        p->scratch = malloc((size_t)size * 2 * sizeof(double));
        if (!p->scratch) return 0;
        p->scratch_size = 2 * size;
    }
    for (int i = 0; i < VECTORS; i++) *vectors[i] = p->scratch + i * count;
    s->changes = p->scratch + VECTORS * count;
    s->corrections = s->changes + PLANES * count;
    s->rows = s->corrections + PLANES * count;
    s->rotations = s->rows + nefc;
    return 1;
}

/* The engine's contact of the next row from a number on: contacts without a constraint have none. */
static const char *contact_of_row(const Engine *e, int64_t count, int64_t *number)
{
    for (;; ++*number) {
        const char *contact = *e->contact + *number * e->contact_stride;
        int has_row = *e->ncon == count || *(const int32_t *)(contact + e->efc_address_offset) >= 0;
        if (has_row || *number >= *e->ncon - 1) return contact;
    }
}

/* Move the contact points of both bodies to their surfaces in the rows of tangential velocities (contact_lever_arms.py). */
static void move_to_surfaces(const Program *p, const Solution *s, int64_t row, double gap, const char *contact)
{
    const Engine *e = p->engine;
    const int32_t *geoms = (const int32_t *)(contact + e->geom_offset);
    const double *n = (const double *)(contact + e->frame_offset);
    double *one = s->rotations, *other = one + 3 * p->nv, half = 0.5 * gap;
    int is_sparse = (int)p->contacts->is_sparse;
    e->jac_body(e->model, e->data, NULL, one, (int)p->contacts->geom_bodies[geoms[0]]);
    e->jac_body(e->model, e->data, NULL, other, (int)p->contacts->geom_bodies[geoms[1]]);
    for (int64_t i = 0; i < 3 * p->nv; i++) one[i] += other[i];
    for (int64_t axis = 1; axis < ROWS; axis++) {
        const double *t = n + 3 * axis, *x = one, *y = x + p->nv, *z = y + p->nv;
        int64_t start = is_sparse ? (*e->efc_J_rowadr)[row + axis] : (row + axis) * p->nv;
        int64_t count = is_sparse ? (*e->efc_J_rownnz)[row + axis] : p->nv;
        double a = half * (n[1] * t[2] - n[2] * t[1]), b = half * (n[2] * t[0] - n[0] * t[2]), c = half * (n[0] * t[1] - n[1] * t[0]);
        for (int64_t entry = start; entry < start + count; entry++) {
            int64_t i = is_sparse ? (*e->efc_J_colind)[entry] : entry - start;
            (*e->efc_J)[entry] += a * x[i] + b * y[i] + c * z[i];
        }
    }
}

/* Move the points of contacts that close from a notable gap to the surfaces, once in a step. */
static void move_closing_contacts(const Program *p, Solution *s)
{
    const Engine *e = p->engine;
    const Contacts *c = p->contacts;
    int are_any = 0;
    if (s->are_arms_moved) return;
    for (int64_t i = 0, number = 0; i < s->count; i++, number++) {
        const char *contact = contact_of_row(e, s->count, &number);
        int64_t row = s->first + ROWS * i;
        if (!(s->gaps[i] > c->notable_gap && s->gaps[i] + c->step * (*e->efc_vel)[row] < 0.0)) continue;
        move_to_surfaces(p, s, row, s->gaps[i], contact);
        are_any = 1;
    }
    s->are_arms_moved = are_any;
    if (are_any) e->reference_constraint(e->model, e->data);
}

static void clear_margins(const Engine *e, const Contacts *c)
{
    for (int64_t i = c->has_limit_margins ? first_row(e, c) : 0; i < *e->nefc; i++) (*e->efc_margin)[i] = 0.0;
}

static void request_references(const Engine *e, const Contacts *c, const Solution *s)
{
    for (int64_t i = 0; i < s->count; i++) {
        int64_t row = s->first + ROWS * i;
        double requested = larger(s->openings[i] * s->slips[i] - c->negligible_opening, 0.0) + s->gaps[i];
        if (c->at_end_of_step) (*e->efc_pos)[row] = requested;
        else (*e->efc_aref)[row] = (requested * c->rate + (*e->efc_vel)[row]) * -c->rate;
        if (s->has_corrections)
            for (int64_t k = 1; k < ROWS; k++)
                (*e->efc_aref)[row + k] = ((*e->efc_vel)[row + k] + s->corrections[PLANES * i + k - 1]) * -c->rate;
    }
    if (c->at_end_of_step) clear_margins(e, c);
}

/* Whether the contact of a row has a coefficient of restitution; the number is that of its row or of an earlier contact. */
static int is_elastic(const Engine *e, const Contacts *c, int64_t count, int64_t *number)
{
    const int32_t *geoms = (const int32_t *)(contact_of_row(e, count, number) + e->geom_offset);
    return c->restitution[geoms[0]] > 0.0 && c->restitution[geoms[1]] > 0.0;
}

/* Leave a step to Python if a contact with a coefficient of restitution closes in it. */
static void find_impacts(const Engine *e, const Contacts *c, Solution *s)
{
    for (int64_t i = 0, number = 0; i < s->count && !s->is_undecided; i++, number++) {
        double speed = (*e->efc_vel)[s->first + ROWS * i];
        int is_elastic_contact = is_elastic(e, c, s->count, &number);
        s->is_undecided = is_elastic_contact && speed < -c->bounce_speed && s->gaps[i] + c->step * speed < 0.0;
    }
}

static void note_penetration(const Engine *e, Contacts *c, const Solution *s)
{
    int64_t deepest = 0, contact = 0;
    int were_apart = c->reported_gap >= -c->largest_penetration;
    const int32_t *geoms = NULL;
    for (int64_t i = 1; i < s->count; i++)
        if (!(s->gaps[i] >= s->gaps[deepest]) && s->gaps[deepest] == s->gaps[deepest]) deepest = i;
    for (int64_t i = 0; i <= deepest; i++, contact++)
        geoms = (const int32_t *)(contact_of_row(e, s->count, &contact) + e->geom_offset);
    c->reported_gap = s->gaps[deepest];
    if (c->has_deepest && c->deepest_geoms[0] == geoms[0] && c->deepest_geoms[1] == geoms[1]
        && !(were_apart && c->deepest_time <= 0.0) && -c->reported_gap < c->same_depth * c->deepest) return;
    c->has_deepest = 1;
    c->deepest = -c->reported_gap;
    c->deepest_time = *e->time;
    c->deepest_geoms[0] = geoms[0];
    c->deepest_geoms[1] = geoms[1];
}

static double length_of_pair(double x, double y) { return sqrt(x * x + y * y); }

/* Extrapolate slips by half a step: find how they changed in the last one, and what is added to them. */
static void extrapolate_slips(const Engine *e, const Contacts *c, Solution *s)
{
    s->has_corrections = 0;
    for (int64_t i = 0; i < s->count; i++) {
        const double *velocity = *e->efc_vel + s->first + ROWS * i + 1, *kept = c->kept_slips + KEPT_COLUMNS * i;
        double *change = s->changes + PLANES * i, *correction = s->corrections + PLANES * i, difference[PLANES];
        int is_kept = i < c->kept_count, is_steady;
        for (int k = 0; k < PLANES; k++) {
            change[k] = is_kept ? velocity[k] - kept[k] : 0.0;
            if (fabs(change[k]) > c->negligible_change) s->has_corrections = 1;
            else change[k] = 0.0;
            difference[k] = change[k] - (is_kept ? kept[PLANES + k] : 0.0);
        }
        is_steady = square_of(difference, PLANES) <= c->steady_change_square * square_of(change, PLANES);
        for (int k = 0; k < PLANES; k++) correction[k] = is_steady ? 0.5 * change[k] : 0.0;
        /* Without forces, the slip at the end of the last step would be this. */
        s->slips[i] = length_of_pair(velocity[0] - correction[0], velocity[1] - correction[1]);
    }
}

/* Keep the tangential velocities after a step, at the contact points before it. */
static void keep_slips(const Program *p, const Solution *s)
{
    const Engine *e = p->engine;
    Contacts *c = p->contacts;
    if (c->at_end_of_step) return;
    c->kept_count = s->count > 0 ? s->count : 0;
    if (!c->kept_count) return;
    e->mul_jac_vec(e->model, e->data, s->rows, p->qvel);
    for (int64_t i = 0; i < s->count; i++) {
        double *kept = c->kept_slips + KEPT_COLUMNS * i;
        copy_numbers(kept, s->rows + s->first + ROWS * i + 1, PLANES);
        copy_numbers(kept + PLANES, s->changes + PLANES * i, PLANES);
    }
}

/* Set contact references that close the gaps; return false if there is no memory. */
static int constrain(Program *p, Solution *s)
{
    const Engine *e = p->engine;
    Contacts *c = p->contacts;
    double smallest_gap;
    int64_t rows;
    s->count = 0;
    c->count = 0;
    if (!*e->ncon) {
        c->is_at_rest = 0;
        return 1;
    }
    if (c->is_clear && c->can_rest && is_below(p, square_of(p->qvel, p->nv), c->quiet_square, s)) {
        c->is_at_rest = 1;
        c->steps_left++;
        c->count = s->count = -1;
        clear_margins(e, c);
        if (!c->at_end_of_step) e->reference_constraint(e->model, e->data);
        return 1;
    }
    c->is_at_rest = 0;
    s->first = first_row(e, c);
    rows = *e->nefc - s->first;
    if (rows <= 0) return 1;
    if (rows % ROWS) return 0;
    c->count = s->count = rows / ROWS;
    if (!c->at_end_of_step && s->count > c->kept_capacity) return 0;
    if (!reserve(p, s, s->count, *e->nefc)) return 0;
    for (int64_t i = 0, number = 0; i < s->count; i++, number++) {
        s->gaps[i] = (*e->efc_pos)[s->first + ROWS * i];
        s->openings[i] = c->step * c->friction;
        if (c->has_specified_margins || !c->has_one_friction) {
            const char *contact = contact_of_row(e, s->count, &number);
            const int32_t *geoms = (const int32_t *)(contact + e->geom_offset);
            if (c->has_specified_margins) s->gaps[i] -= c->specified_margins[geoms[0]] + c->specified_margins[geoms[1]];
            if (!c->has_one_friction) s->openings[i] = c->step * *(const double *)(contact + e->friction_offset);
        }
    }
    move_closing_contacts(p, s);
    for (int64_t i = 0; i < s->count; i++) {
        const double *velocity = *e->efc_vel + s->first + ROWS * i;
        s->slips[i] = length_of_pair(velocity[1], velocity[2]);
    }
    if (!c->at_end_of_step) extrapolate_slips(e, c, s);
    smallest_gap = smallest(s->gaps, 1, s->count);
    if (smallest_gap < c->reported_gap) note_penetration(e, c, s);
    if (c->has_restitution) find_impacts(e, c, s);
    if (smallest_gap < c->recovery)
        for (int64_t i = 0; i < s->count; i++) s->gaps[i] = larger(s->gaps[i], c->recovery);
    c->is_clear = smallest_gap > -c->gap_error;
    if (c->is_clear) c->reported_gap = -c->largest_penetration;
    request_references(e, c, s);
    return 1;
}

static void save_state(const Program *p, const Contacts *c)
{
    copy_numbers(c->old_qpos, c->qpos, c->nq);
    copy_numbers(c->old_qvel, p->qvel, p->nv);
    copy_numbers(c->old_act, c->act, c->na);
}

static void restore_state(const Program *p, const Contacts *c, double time)
{
    copy_numbers(c->qpos, c->old_qpos, c->nq);
    copy_numbers(p->qvel, c->old_qvel, p->nv);
    copy_numbers(c->act, c->old_act, c->na);
    *p->engine->time = time;
}

static void repeat_step(const Program *p, const Solution *s, double time)
{
    const Engine *e = p->engine;
    restore_state(p, p->contacts, time);
    request_references(e, p->contacts, s);
    e->step2(e->model, e->data);
}

static void update_slips(const Contacts *c, Solution *s)
{
    for (int64_t i = 0; i < s->count; i++) {
        double *velocity = s->rows + s->first + ROWS * i, residual;
        for (int64_t k = 1; k < ROWS && s->has_corrections; k++) velocity[k] += s->corrections[PLANES * i + k - 1];
        residual = length_of_pair(velocity[1], velocity[2]) - s->slips[i];
        if (!s->has_residuals) {
            double friction = s->openings[i] / c->step;
            s->relaxation[i] = smaller(1.0 + friction * friction, c->largest_relaxation);
        } else {
            double previous = s->residuals[i], change = previous - residual, secant = s->relaxation[i];
            if (change != 0.0) secant = secant * previous / change;
            s->relaxation[i] = smaller(larger(secant, c->relaxation_bounds[0]), c->relaxation_bounds[1]);
        }
        s->residuals[i] = residual;
        s->slips[i] = larger(s->slips[i] + s->relaxation[i] * residual, 0.0);
    }
    s->has_residuals = 1;
}

/* The largest of the errors, or of those of contacts with a force, or zero. */
static double largest_error(const Engine *e, const Solution *s, int with_force)
{
    double found = 0.0;
    int64_t size = 0;
    for (int64_t i = 0; i < s->count; i++)
        if (!with_force || (*e->efc_force)[s->first + ROWS * i] > 0.0) size++;
    for (int64_t i = 0, seen = 0; i < s->count; i++) {
        double error = s->errors[i];
        if (with_force && !((*e->efc_force)[s->first + ROWS * i] > 0.0)) continue;
        found = !seen++ ? error : size <= FEW_NUMBERS ? (error > found ? error : found) : larger(found, error);
    }
    return found;
}

/* Whether contacts that overlap at the end of the step were closed before it, with about the same slip. */
static int is_slip_steady(const Engine *e, const Contacts *c, const Solution *s)
{
    for (int64_t i = 0; i < s->count; i++) {
        const double *before = *e->efc_vel + s->first + ROWS * i, *after = s->rows + s->first + ROWS * i;
        double x = before[1], y = before[2], dx = after[1] - x, dy = after[2] - y;
        if (s->errors[i] > -c->overlap_error) continue;
        if (s->gaps[i] >= c->overlap_error || s->openings[i] > c->largest_steady_opening) return 0;
        if (!(dx * dx + dy * dy <= c->steady_square * (x * x + y * y))) return 0;
    }
    return 1;
}

static int is_solved(const Program *p, Solution *s)
{
    const Engine *e = p->engine;
    const Contacts *c = p->contacts;
    double least;
    e->mul_jac_vec(e->model, e->data, s->rows, p->qvel);
    for (int64_t i = 0; i < s->count; i++) s->errors[i] = c->step * s->rows[s->first + ROWS * i] + s->gaps[i];
    least = smallest(s->errors, 1, s->count);
    if ((least > -c->overlap_error || (least > -c->gap_error && is_slip_steady(e, c, s)))
        && (largest_error(e, s, 0) < c->gap_error || largest_error(e, s, 1) < c->gap_error)) return 1;
    update_slips(c, s);
    return 0;
}

/* The second half of a step with contacts; return false if there is no memory. */
static int step2_with_contacts(Program *p, Solution *s)
{
    const Engine *e = p->engine;
    Contacts *c = p->contacts;
    double time = *e->time;
    if (!s->count) {
        take_second_half(p);
        return 1;
    }
    save_state(p, c);
    e->step2(e->model, e->data);
    if (is_below(p, square_of(c->qacc, p->nv), c->still_square, s)) return 1;
    if (s->count < 0) {
        restore_state(p, c, time);
        c->is_clear = 0;
        e->reference_constraint(e->model, e->data);
        if (!constrain(p, s)) return 0;
        e->step2(e->model, e->data);
    }
    c->is_clear = 0;
    s->has_residuals = 0;
    for (int64_t i = 0; s->count > 0 && i < c->most_repeats; i++) {
        if (is_solved(p, s)) return 1;
        repeat_step(p, s, time);
    }
    return 1;
}

/* Whether all contacts with a force are closed, so that the engine detects them without margins. */
static int are_forces_of_closed_contacts(const Engine *e, const Contacts *c)
{
    for (int64_t i = first_row(e, c); i < *e->nefc; i += ROWS)
        if ((*e->efc_force)[i] > 0.0 && (*e->efc_pos)[i] >= 0.0) return 0;
    return 1;
}

/* Whether the margins of contacts are valid for this step; Python decides after the end of an equilibrium, and near bounds. */
enum { VALID = 0, INVALID = 1, UNDECIDED = 2 };
static int check_margins(const Program *p, const Contacts *c)
{
    double square = 0.0, bound = c->largest_change_square;
    if (c->is_in_equilibrium) return UNDECIDED;
    if (c->steps_left <= 0) return INVALID;
    if (c->is_at_rest) return VALID;
    for (int64_t i = 0; i < p->nv; i++) {
        double change = p->qvel[i] - c->margin_qvel[i];
        square += change * change;
    }
    if (square <= (1.0 - p->uncertainty) * bound) return VALID;
    return square > (1.0 + p->uncertainty) * bound ? INVALID : UNDECIDED;
}

static double length_of(double x, double y, double z) { return sqrt(x * x + y * y + z * z); }

/* The distance up to which two shapes may be within their margins. */
static double largest_detected_distance(const Contacts *c)
{
    double largest = 0.0;
    for (int64_t i = 0; i < c->geom_count; i++) largest = larger(largest, c->margins[i]);
    return 2.0 * largest;
}

/* Set the margin of each moving shape to the distance that it can travel until the next update. */
static void update_margins(const Program *p, Contacts *c)
{
    const Engine *e = p->engine;
    double largest_extent = 0.0, largest_change;
    e->kinematics(e->model, e->data);
    e->com_pos(e->model, e->data);
    e->com_vel(e->model, e->data);
    for (int64_t i = 0; i < c->moving_count; i++) {
        int64_t geom = c->moving_geoms[i];
        const double *x = c->geom_xpos + 3 * geom, *com = c->subtree_com + 3 * c->moving_roots[i];
        const double *v = c->cvel + 6 * c->moving_bodies[i];
        double extent = length_of(x[0] - com[0], x[1] - com[1], x[2] - com[2]) + c->reach[i];
        double speed = length_of(v[3], v[4], v[5]) + length_of(v[0], v[1], v[2]) * extent;
        double travel = c->travel_time * (speed + c->speed_allowance);
        c->margins[geom] = (travel < c->largest_margin ? travel : c->largest_margin) + c->least_margins[i];
        largest_extent = larger(largest_extent, extent);
    }
    largest_change = c->velocity_change / larger(largest_extent, 1.0);
    c->largest_change_square = largest_change * largest_change;
    copy_numbers(c->margin_qvel, p->qvel, p->nv);
    c->steps_left = c->steps_between_updates;
    c->detected_distance = largest_detected_distance(c);
}

/* Clearance: contacts are not detected as long as no shapes can have come within their margins (contact_clearance.py) */

enum { MOST_STEPS_AHEAD = 32, FEWEST_STEPS_AHEAD = 8, SHORTEST_PAUSE = 16, LONGEST_PAUSE = 1024 };

static void set_detection(const Program *p, int is_enabled)
{
    if (is_enabled) *p->engine->disable_flags &= ~(int32_t)p->contacts->disable_flag;
    else *p->engine->disable_flags |= (int32_t)p->contacts->disable_flag;
}

/* By how much two shapes can approach each other in a step with the present velocities: the joints of their trees move them. */
static double approach_in_step(const Program *p)
{
    double rate = 0.0, largest = 0.0, second = 0.0;
    for (int64_t i = 0; i < p->nv; i++) {
        rate += fabs(p->qvel[i]) * p->contacts->approach_rates[i];
        if (i + 1 < p->nv && p->trees[i + 1] == p->trees[i]) continue;
        second = larger(second, rate < largest ? rate : largest);
        largest = larger(largest, rate);
        rate = 0.0;
    }
    return p->step * (largest + second);
}

/* Whether no shapes can come within their margins in some steps, found with larger margins; the clearance is that for them. */
static int is_clear_ahead(const Program *p, Contacts *c, int steps)
{
    const Engine *e = p->engine;
    double ahead = steps * (approach_in_step(p) + c->travel_time * c->speed_allowance);
    c->clearance = 0.0;
    if (!(ahead < c->largest_margin)) return 0;
    for (int64_t i = 0; i < c->geom_count; i++) c->margins[i] += 0.5 * ahead;
    e->collision(e->model, e->data);
    copy_numbers(c->margins, c->kept_margins, c->geom_count);
    if (*e->ncon) return 0;
    c->clearance = c->detected_distance + ahead;
    return 1;
}

/* Search for a clearance in the positions of the step that starts now; pause for longer and longer if there is none. */
static int find_clearance(const Program *p, Contacts *c)
{
    const Engine *e = p->engine;
    copy_numbers(c->kept_margins, c->margins, c->geom_count);
    e->kinematics(e->model, e->data);
    if (is_clear_ahead(p, c, FEWEST_STEPS_AHEAD)) {
        double found = c->clearance;
        if (!is_clear_ahead(p, c, MOST_STEPS_AHEAD)) c->clearance = found;
        c->pause = 0;
        return 1;
    }
    c->pause = c->pause < SHORTEST_PAUSE ? SHORTEST_PAUSE : c->pause < LONGEST_PAUSE ? 2 * c->pause : LONGEST_PAUSE;
    c->steps_without_search = c->pause;
    return 0;
}

/* Let the engine detect contacts in the step that starts now only if there may be any. */
static void choose_detection(const Program *p, Contacts *c)
{
    int is_clear = 0;
    set_detection(p, 1);
    if (!c->approach_rates) return;
    if (c->clearance > c->detected_distance) is_clear = 1;
    /* There is no search in the first step of a call, which may be one of many that Python has to take. */
    else if (!*p->engine->ncon && p->taken && p->count - p->taken >= MOST_STEPS_AHEAD && c->steps_without_search-- <= 0)
        is_clear = find_clearance(p, c);
    set_detection(p, !is_clear);
}

/* Take a step of bodies in equilibrium; if they start to move, undo it and return false. */
static int step_in_equilibrium(const Program *p)
{
    const Engine *e = p->engine;
    Contacts *c = p->contacts;
    Solution s = {0};
    double time = *e->time;
    save_state(p, c);
    copy_numbers(c->old_warmstart, c->warmstart, p->nv);
    e->step(e->model, e->data);
    if (is_below(p, square_of(p->qvel, p->nv), c->quiet_square, &s)
        && is_below(p, square_of(c->qacc, p->nv), c->motion_square, &s) && !s.is_undecided) return 1;
    restore_state(p, c, time);
    copy_numbers(c->warmstart, c->old_warmstart, p->nv);
    return 0;
}

/* Steps */

static void write_inputs(const Program *p)
{
    for (int64_t i = 0; i < p->target_width; i++)
        p->targets[p->target_rows[i] * p->target_stride] = p->target_values[p->taken * p->target_width + i];
    for (int64_t i = 0; i < p->control_width; i++)
        p->ctrl[p->control_rows[i]] = p->control_values[p->taken * p->control_width + i];
}

/* The second half of a step with rigid contacts. Return false, with the state before it, if Python has to take it. */
static int solve_contacts(Program *p)
{
    Contacts *c = p->contacts, before = *c;
    const Engine *e = p->engine;
    Solution s = {0};
    double time = *e->time;
    copy_numbers(c->old_warmstart, c->warmstart, p->nv);
    save_state(p, c);
    if (constrain(p, &s) && !s.is_undecided && step2_with_contacts(p, &s) && !s.is_undecided) {
        keep_slips(p, &s);
        return 1;
    }
    restore_state(p, c, time);
    copy_numbers(c->warmstart, c->old_warmstart, p->nv);
    *c = before;
    return 0;
}

static void apply_forces(const Program *p)
{
    for (int64_t i = 0; i < p->spring_count; i++) apply_spring(p, &p->springs[i]);
    for (int64_t i = 0; i < p->bushing_count; i++) apply_bushing(p, &p->bushings[i]);
}

static int reaches_any_stop(const Program *p)
{
    for (int64_t i = 0; i < p->spring_count; i++)
        if (p->springs[i].has_stop && reaches_stop(&p->springs[i], p->lengths, p->rates, p->step)) return 1;
    return 0;
}

/* Whether an impact ahead may divide this step; velocities are those of the present time. */
static int has_dividing_impact(const Program *p)
{
    const Engine *e = p->engine;
    const Contacts *c = p->contacts;
    int64_t first, count;
    if (!c || !c->divides_impacts || !*e->ncon) return 0;
    first = first_row(e, c);
    count = (*e->nefc - first) / ROWS;
    for (int64_t i = 0, number = 0; i < count; i++, number++) {
        double gap = (*e->efc_pos)[first + ROWS * i], speed = (*e->efc_vel)[first + ROWS * i];
        if (c->has_specified_margins) {
            const int32_t *geoms = (const int32_t *)(contact_of_row(e, count, &number) + e->geom_offset);
            gap -= c->specified_margins[geoms[0]] + c->specified_margins[geoms[1]];
        }
        if (speed < -c->bounce_speed && gap + c->step * speed < 0.0) return 1;
    }
    return 0;
}

/* Whether a velocity changed by too much for a continuous force. */
static int is_jump(const Program *p, double before, double after)
{
    double change = fabs(after - before), largest = fmax(fabs(after), fabs(before));
    return change > p->largest_change && change > 0.5 * largest;
}

/* Find the trees whose velocities may have jumped: all with constraint forces if a contact or a limit with a force closed in
   the step, otherwise those whose velocities changed too much; return whether there is one. */
static int find_velocity_jumps(const Program *p, const double *before)
{
    const Engine *e = p->engine;
    int64_t limits = *e->ne + *e->nf, contacts = limits + *e->nl;
    int has_force = 0, is_closing = 0, is_found = 0;
    if (!p->tree_count || (!*e->ncon && !*e->nl)) return 0;
    for (int64_t i = limits; i < *e->nefc && !is_closing; i += i < contacts ? 1 : ROWS)
        if ((*e->efc_force)[i] > 0.0) {
            has_force = 1;
            is_closing = (*e->efc_vel)[i] < -p->jump_speed;
        }
    if (!has_force) return 0;
    for (int64_t i = 0; i < p->tree_count; i++) p->are_jumping[i] = 0;
    for (int64_t i = 0; i < p->nv; i++)
        if (p->constraint_force[i] != 0.0 && (is_closing || is_jump(p, before[i], p->qvel[i])))
            p->are_jumping[p->trees[i]] = is_found = 1;
    return is_found;
}

/* Replace the earlier velocities of these trees by the last ones: a velocity jump must not be extrapolated. */
static void forget_jumps(const Program *p, double *earlier)
{
    for (int64_t i = 0; i < p->nv; i++)
        if (p->are_jumping[p->trees[i]]) earlier[i] = p->qvel[i];
}

/* Keep the velocities of a leapfrog step that was taken; return whether its error has to be estimated. */
static int keep_velocities(Program *p, double *last, double *earlier)
{
    int is_watched = 0;
    if (p->taken == p->next_watched) {
        p->next_watched += p->interval;
        for (int64_t i = 0; i < p->nv; i++) p->estimate[i] = (earlier[i] - 2.0 * last[i]) + p->qvel[i];
        is_watched = !(square_of(p->estimate, p->nv) < (1.0 - p->uncertainty) * p->negligible_square);
    }
    p->last = 1 - p->last;
    copy_numbers(earlier, p->qvel, p->nv);
    p->has_jump = find_velocity_jumps(p, last);
    if (p->has_jump) forget_jumps(p, last);
    return is_watched;
}

/* Steps whose error is estimated (leapfrog_sub_steps.py), without hard stops, as long as there are neither contacts nor limits */

/* By how much errors of a rotation are larger at these velocities (step_size_control.py). */
static double factor_of_rotation(const Program *p, int64_t number)
{
    const int64_t *dofs = p->rotations + 3 * number;
    const double *m = p->moments + 9 * number, x = p->qvel[dofs[0]], y = p->qvel[dofs[1]], z = p->qvel[dofs[2]];
    double a = m[0] * x + m[1] * y + m[2] * z, b = m[3] * x + m[4] * y + m[5] * z, c = m[6] * x + m[7] * y + m[8] * z;
    double square = x * x + y * y + z * z, moment = sqrt((a * a + b * b + c * c) / (square > 0.0 ? square : 1.0));
    return p->rotation_factor * (moment > 0.0 ? p->largest_moments[number] / moment : 1.0);
}

/* Estimate the error of a step by the second difference of velocities; return whether it is finite. */
static int estimate_error(Program *p, const double *last, const double *earlier)
{
    int64_t worst = -1;
    double largest = 0.0;
    for (int64_t i = 0; i < p->nv; i++) {
        p->estimate[i] = (earlier[i] - 2.0 * last[i]) + p->qvel[i];
        p->before[i] = fabs(p->estimate[i] * p->error_weight);
    }
    for (int64_t i = 0; i < p->rotation_count; i++) {
        double factor = factor_of_rotation(p, i);
        for (int k = 0; k < 3; k++) p->before[p->rotations[3 * i + k]] *= factor;
    }
    for (int64_t i = 0; i < p->nv; i++)
        if (worst < 0 || (!(p->before[i] <= largest) && largest == largest)) largest = p->before[worst = i];
    if (!(largest <= p->largest_error)) {
        p->largest_error = largest;
        p->largest_error_time = *p->engine->time;
        p->worst_dof = worst;
    }
    return isfinite(largest);
}

/* Compute the acceleration with velocity-dependent forces of the mean of the velocities before and after the step. */
static void correct_velocity_forces(const Program *p, const double *last)
{
    const Engine *e = p->engine;
    double half = 0.5 * p->step;
    copy_numbers(p->qvel, last, p->nv);
    e->reference_constraint(e->model, e->data);
    e->forward_skip(e->model, e->data, (int)p->stage_of_velocity, 1);
    for (int64_t i = 0; i < p->nv; i++) p->midpoint[i] = p->qvel[i] = p->qacc[i] * half + last[i];
    e->velocity(e->model, e->data);
}

static int hand_over(Program *p);

/* The engine's mj_step1. References of constraints are left out if they are computed from other velocities later. */
static void take_first_half(const Program *p)
{
    const Engine *e = p->engine;
    int32_t ne, nefc;
    if (!p->defers_references || *e->control_callback) {
        e->step1(e->model, e->data);
        return;
    }
    e->check_pos(e->model, e->data);
    e->check_vel(e->model, e->data);
    e->position(e->model, e->data);
    ne = *e->ne;
    nefc = *e->nefc;
    *e->ne = *e->nefc = 0;
    e->velocity(e->model, e->data);
    *e->ne = ne;
    *e->nefc = nefc;
}

/* The rest of a step whose error is estimated, with the inputs and the velocities of its start. */
static int take_estimated_step(Program *p, double *last, double *earlier)
{
    const Engine *e = p->engine;
    Contacts *c = p->contacts;
    take_first_half(p);
    if (*e->ncon || *e->nl) return hand_over(p);
    apply_forces(p);
    correct_velocity_forces(p, last);
    apply_forces(p);
    copy_numbers(p->qvel, last, p->nv);
    e->reference_constraint(e->model, e->data);
    take_second_half(p);
    if (c) c->count = c->is_at_rest = c->kept_count = 0;
    p->is_prepared = 0;
    p->taken++;
    if (p->work) record_work(p, last);
    if (p->residuals) record_residuals(e, p->residuals);
    if (p->motion) record_motion(p->motion, p->step, *e->time);
    if (p->unsettled) p->unsettled--;
    else if (!estimate_error(p, last, earlier)) return DIVERGED;
    p->last = 1 - p->last;
    copy_numbers(earlier, p->qvel, p->nv);
    return DONE;
}

/* Let Python take the step, which prepares it again. */
static int hand_over(Program *p)
{
    if (p->contacts) p->contacts->steps_left++;
    p->is_prepared = 0;
    return HAND_OVER;
}

/* Whether a joint may reach a position limit in the step that starts now. */
static int is_limit_ahead(const Program *p)
{
    double span = p->steps_to_limits * p->step, least = p->least_impact_speed * span;
    for (int64_t i = 0; i < p->limit_count; i++) {
        const double *range = p->ranges + 2 * p->limit_joints[i];
        double position = p->positions[p->limit_positions[i]], displacement = p->qvel[p->limit_dofs[i]] * span;
        double lower = position - range[0], upper = range[1] - position;
        if (lower < -displacement && (lower > 0.0 || displacement < -least)) return 1;
        if (upper < displacement && (upper > 0.0 || displacement > least)) return 1;
    }
    return 0;
}

/* Take the next step; if Python has to take it, it is left as it was before. */
static int take_step(Program *p)
{
    const Engine *e = p->engine;
    Contacts *c = p->contacts;
    int64_t nv = p->nv;
    double *last = p->velocities + p->last * nv, *earlier = p->velocities + (1 - p->last) * nv, *before = last;
    if (p->uses_equilibrium && c->is_in_equilibrium && !p->is_prepared) {
        set_detection(p, 1);
        c->clearance = 0.0;
        if (!step_in_equilibrium(p)) return HAND_OVER;
        p->taken++;
        return DONE;
    }
    write_inputs(p);
    if (p->is_leapfrog) {
        for (int64_t i = 0; i < nv; i++) p->qvel[i] = 1.5 * last[i] - 0.5 * earlier[i];
    } else if (p->work) {
        before = p->before;
        copy_numbers(before, p->qvel, nv);
    }
    if (is_limit_ahead(p)) return HAND_OVER;
    if (c && !p->is_prepared) {
        int margins = check_margins(p, c);
        if (margins == UNDECIDED) return MARGINS;
        if (margins == INVALID) update_margins(p, c);
        c->steps_left--;
    }
    if (c) choose_detection(p, c);
    if (p->is_estimated) return take_estimated_step(p, last, earlier);
    if (p->is_split) {
        take_first_half(p);
        if (p->is_leapfrog && (reaches_any_stop(p) || has_dividing_impact(p))) return hand_over(p);
        apply_forces(p);
        if (p->is_leapfrog) {
            copy_numbers(p->qvel, last, nv);
            if (p->has_constraints) e->reference_constraint(e->model, e->data);
        }
        if (!c) take_second_half(p);
        else if (!solve_contacts(p)) return hand_over(p);
    } else {
        e->step(e->model, e->data);
    }
    p->is_prepared = 0;
    p->taken++;
    if (p->work) record_work(p, before);
    if (p->residuals) record_residuals(e, p->residuals);
    if (p->motion) record_motion(p->motion, p->step, *e->time);
    if (p->is_leapfrog) return keep_velocities(p, last, earlier) ? WATCHED : DONE;
    if (p->uses_equilibrium && c->count < 0
        && square_of(c->qacc, nv) < (1.0 + p->uncertainty) * c->equilibrium_square
        && are_forces_of_closed_contacts(e, c)) return EQUILIBRIUM;
    return DONE;
}

static int take_steps(Program *p)
{
    Contacts *c = p->contacts;
    int status = DONE;
    if (c) {
        c->clearance = 0.0;
        c->detected_distance = largest_detected_distance(c);
    }
    while (p->taken < p->count && status == DONE) {
        status = take_step(p);
        if (c && c->clearance > 0.0) c->clearance -= approach_in_step(p);
    }
    return status;
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

/* The engine's clock: its profile of each step takes a quarter of the time of a small model, and nobody reads it here. */

static Clock engine_clock;
static FAST_THREAD_LOCAL int takes_steps; /* read 28 times in a step */

static double read_clock(void) { return takes_steps ? 0.0 : engine_clock(); }

static PyObject *install_clock(PyObject *module, PyObject *address)
{
    Clock *clock = (Clock *)(uintptr_t)PyLong_AsUnsignedLongLong(address);
    if (PyErr_Occurred()) return NULL;
    if (*clock && *clock != read_clock) {
        engine_clock = *clock;
        *clock = read_clock;
    }
    Py_RETURN_NONE;
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
    takes_steps = 1;
    if (!setjmp(failure)) {
        program->engine->set_log_handler(on_message);
        status = take_steps(program);
    }
    program->engine->set_log_handler(NULL);
    takes_steps = 0;
    if (program->contacts) set_detection(program, 1);
    free(program->scratch);
    program->scratch = NULL;
    program->scratch_size = 0;
    PyEval_RestoreThread(thread);
    if (status < 0) {
        PyErr_SetString(error, failure_text);
        return NULL;
    }
    return PyLong_FromLong(status);
}

static PyObject *record_motion_of_step(PyObject *module, PyObject *arguments)
{
    unsigned long long address;
    double step, time;
    if (!PyArg_ParseTuple(arguments, "Kdd", &address, &step, &time)) return NULL;
    record_motion((MotionPeaks *)(uintptr_t)address, step, time);
    Py_RETURN_NONE;
}

/* Write a sample after its time: positions, rotations and velocities of the origins of bodies, and those of joints. */
static void write_sample(const SampledState *s, double *out)
{
    int64_t n = s->body_count;
    double *linear = out + 7 * n, *angular = out + 10 * n;
    memcpy(out, s->xpos, 3 * n * sizeof(double));
    memcpy(out + 3 * n, s->xquat, 4 * n * sizeof(double));
    for (int64_t body = 0; body < n; body++) {
        const double *w = s->cvel + 6 * body, *v = w + 3, *R = s->xmat + 9 * body;
        const double *origin = s->xpos + 3 * body, *center = s->subtree_com + 3 * s->roots[body];
        double x = origin[0] - center[0], y = origin[1] - center[1], z = origin[2] - center[2];
        linear[3 * body] = v[0] + (w[1] * z - w[2] * y);
        linear[3 * body + 1] = v[1] + (w[2] * x - w[0] * z);
        linear[3 * body + 2] = v[2] + (w[0] * y - w[1] * x);
        for (int k = 0; k < 3; k++) angular[3 * body + k] = w[0] * R[k] + w[1] * R[3 + k] + w[2] * R[6 + k];
    }
    memcpy(out + 13 * n, s->qpos, s->nq * sizeof(double));
    memcpy(out + 13 * n + s->nq, s->qvel, s->nv * sizeof(double));
}

static PyObject *write_sample_of(PyObject *module, PyObject *arguments)
{
    unsigned long long state, row;
    if (!PyArg_ParseTuple(arguments, "KK", &state, &row)) return NULL;
    write_sample((const SampledState *)(uintptr_t)state, (double *)(uintptr_t)row);
    Py_RETURN_NONE;
}

static PyObject *solve_equalities_of(PyObject *module, PyObject *address)
{
    const EqualityProblem *problem = (const EqualityProblem *)(uintptr_t)PyLong_AsUnsignedLongLong(address);
    if (PyErr_Occurred()) return NULL;
    return PyBool_FromLong(solve_equalities(problem));
}

static PyMethodDef methods[] = {
    {"run", run, METH_VARARGS, "Take the steps of a program at an address; return why it ended."},
    {"record_motion", record_motion_of_step, METH_VARARGS, "Record the motion of bodies in a step: the address of its peaks, duration and time [s]."},
    {"write_sample", write_sample_of, METH_VARARGS, "Write the sample of a state at an address to an address, without its time."},
    {"solve_equalities", solve_equalities_of, METH_O, "Solve the equations of motion of a solver at an address; return whether there is a solution."},
    {"install_clock", install_clock, METH_O, "Let the engine's clock, whose function is at an address, return zero in steps of this loop."},
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
        || PyModule_AddIntConstant(module, "MOTION_PEAKS_SIZE", sizeof(MotionPeaks)) < 0
        || PyModule_AddIntConstant(module, "SAMPLED_STATE_SIZE", sizeof(SampledState)) < 0
        || PyModule_AddIntConstant(module, "EQUALITY_PROBLEM_SIZE", sizeof(EqualityProblem)) < 0
        || PyModule_AddIntConstant(module, "CONTACTS_SIZE", sizeof(Contacts)) < 0
        || PyModule_AddIntConstant(module, "PROGRAM_SIZE", sizeof(Program)) < 0
        || PyModule_AddIntConstant(module, "SOURCE_CHECKSUM", SOURCE_CHECKSUM) < 0) {
        Py_DECREF(module);
        return NULL;
    }
    return module;
}
