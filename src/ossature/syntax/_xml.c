/* Builds the tree of elements of an XML document, and binds elements to declared classes: most of the time of reading a file.
 *
 * build(): Expat accepts or refuses the document afterwards (xml_parser.py), so that only what is needed to read a well-formed one is
 * validated here. It returns None for documents that it does not read (with a document type, sections of CDATA, very long texts).
 *
 * Binder: it binds attributes and children that are as declared. All else, and each finding, is left to the functions in Python
 * (xml_binding.py), which bind all elements without this module.
 */
#define Py_LIMITED_API 0x030b0000
#include <Python.h>

#ifndef SOURCE_CHECKSUM
#error "hatch_build.py compiles this file, with its checksum"
#endif

#include <string.h>

/* From so many bytes on Expat's texts have several parts. */
enum { LONGEST_TEXT = 32768 };

/* The elements after which resources are counted. */
enum { COUNTING_INTERVAL = 64 };

enum { TAG, ATTRIBUTES, SOURCE, OFFSET, CHILDREN, TEXT, SPAN, FIELDS };
static const char *const FIELD_NAMES[FIELDS] = {"tag", "attributes", "source", "offset", "children", "text", "span"};

static descrsetfunc set_field; /* of the descriptors of slots */
static descrgetfunc get_field;

/* Names that occurred before, by a hash of their bytes. */
enum { KNOWN_NAMES = 512 };
typedef struct { const char *start; Py_ssize_t size; PyObject *text; } Name;

/* A long text that was removed from the document: places of the tag of its element, of its start and its end in the file. */
typedef struct { Py_ssize_t tag, start, stop; } Cut;

/* An element whose end tag was not read; the parts of a text that children divide are a list. */
typedef struct { PyObject *node, *children, *text, *parts; } Open;

typedef struct {
    const char *begin, *place, *end;
    PyTypeObject *node_class;
    allocfunc allocate;
    PyObject *fields[FIELDS];
    PyObject *source, *empty, *require, *cuts;
    Py_ssize_t cut_number, skipped; /* of the next removed text, and bytes of those before */
    Cut cut;
    Name names[KNOWN_NAMES];
    Open *open;
    Py_ssize_t depth, capacity, most_depth, elements;
    char *decoded;         /* the text since the last tag, if it is not a part of the document as it is */
    Py_ssize_t decoded_size, decoded_capacity;
    int is_unread;
} Builder;

static int is_blank(char c) { return c == ' ' || c == '\n' || c == '\t' || c == '\r'; }

static int ends_name(char c) { return is_blank(c) || c == '=' || c == '>' || c == '/'; }

/* The place of a character, or NULL with the mark that this document is not read. */
static const char *find(Builder *b, const char *from, char c)
{
    const char *found = from < b->end ? memchr(from, c, (size_t)(b->end - from)) : NULL;
    if (!found) b->is_unread = 1;
    return found;
}

/* The place after a text that ends a comment or instruction. */
static const char *find_after(Builder *b, const char *from, const char *text)
{
    size_t size = strlen(text);
    for (const char *found = from; (found = find(b, found, text[0])); found++)
        if ((size_t)(b->end - found) >= size && !memcmp(found, text, size)) return found + size;
    return NULL;
}

static PyObject *name_of(Builder *b, const char *start, Py_ssize_t size)
{
    size_t hash = (size_t)size;
    Name *known;
    for (Py_ssize_t i = 0; i < size; i++) hash = hash * 31 + (unsigned char)start[i];
    known = &b->names[(hash ^ hash >> 9) % KNOWN_NAMES];
    if (!known->text || known->size != size || memcmp(known->start, start, (size_t)size)) {
        PyObject *text = PyUnicode_DecodeUTF8(start, size, "strict");
        if (!text) return NULL;
        Py_XDECREF(known->text);
        known->text = text;
        known->start = start;
        known->size = size;
    }
    return Py_NewRef(known->text);
}

static char *append_code_point(char *to, unsigned long code)
{
    if (code < 0x80) *to++ = (char)code;
    else if (code < 0x800) {
        *to++ = (char)(0xc0 | code >> 6);
        *to++ = (char)(0x80 | (code & 0x3f));
    } else if (code < 0x10000) {
        *to++ = (char)(0xe0 | code >> 12);
        *to++ = (char)(0x80 | (code >> 6 & 0x3f));
        *to++ = (char)(0x80 | (code & 0x3f));
    } else {
        *to++ = (char)(0xf0 | code >> 18);
        *to++ = (char)(0x80 | (code >> 12 & 0x3f));
        *to++ = (char)(0x80 | (code >> 6 & 0x3f));
        *to++ = (char)(0x80 | (code & 0x3f));
    }
    return to;
}

/* Append the character of a reference such as &lt; or &#65; and return the place after it, or NULL for another one. */
static const char *append_reference(const char *at, const char *stop, char **to)
{
    static const struct { const char *text; char character; } ENTITIES[] = {
        {"&lt;", '<'}, {"&gt;", '>'}, {"&amp;", '&'}, {"&quot;", '"'}, {"&apos;", '\''},
    };
    const char *digit;
    unsigned long code = 0, base = 10;
    for (size_t i = 0; i < sizeof ENTITIES / sizeof *ENTITIES; i++) {
        size_t size = strlen(ENTITIES[i].text);
        if ((size_t)(stop - at) >= size && !memcmp(at, ENTITIES[i].text, size)) {
            *(*to)++ = ENTITIES[i].character;
            return at + size;
        }
    }
    if (stop - at < 4 || at[1] != '#') return NULL;
    digit = at + 2;
    if (*digit == 'x') {
        base = 16;
        digit++;
    }
    for (; digit < stop && *digit != ';'; digit++) {
        unsigned long value = *digit <= '9' ? (unsigned long)(*digit - '0') : (unsigned long)((*digit | 0x20) - 'a' + 10);
        if (value >= base || (code = code * base + value) > 0x10ffff) return NULL;
    }
    if (digit >= stop) return NULL;
    *to = append_code_point(*to, code);
    return digit + 1;
}

/* Append a part of the document to the decoded text: references replaced, and ends of lines as line feeds, or as blanks. */
static int decode(Builder *b, const char *start, const char *stop, int is_attribute)
{
    Py_ssize_t needed = b->decoded_size + (stop - start);
    char *to;
    if (needed > b->decoded_capacity) {
        char *larger = PyMem_Realloc(b->decoded, (size_t)needed * 2);
        if (!larger) return PyErr_NoMemory(), 0;
        b->decoded = larger;
        b->decoded_capacity = needed * 2;
    }
    to = b->decoded + b->decoded_size;
    while (start < stop) {
        if (*start == '&') {
            if (!(start = append_reference(start, stop, &to))) return b->is_unread = 1, 0;
            continue;
        }
        if (*start == '\r') {
            *to++ = is_attribute ? ' ' : '\n';
            if (start + 1 < stop && start[1] == '\n') start++;
        } else *to++ = is_attribute && is_blank(*start) ? ' ' : *start;
        start++;
    }
    b->decoded_size = to - b->decoded;
    return 1;
}

static PyObject *attribute_value(Builder *b, const char *start, const char *stop)
{
    for (const char *at = start; at < stop; at++)
        if (*at == '&' || *at == '\t' || *at == '\n' || *at == '\r') {
            b->decoded_size = 0;
            if (!decode(b, start, stop, 1)) return NULL;
            stop = (start = b->decoded) + b->decoded_size;
            b->decoded_size = 0;
            break;
        }
    return PyUnicode_DecodeUTF8(start, stop - start, "strict");
}

/* Add the attributes at the place to a dictionary; the place moves behind the last one. */
static int read_attributes(Builder *b, PyObject *attributes)
{
    for (;;) {
        const char *start, *stop;
        PyObject *name, *value;
        int is_set;
        while (b->place < b->end && is_blank(*b->place)) b->place++;
        if (b->place >= b->end) return b->is_unread = 1, 0;
        if (*b->place == '>' || *b->place == '/') return 1;
        for (start = b->place; b->place < b->end && !ends_name(*b->place);) b->place++;
        if (b->place == start || !(name = name_of(b, start, b->place - start))) return b->is_unread = !PyErr_Occurred(), 0;
        while (b->place < b->end && (is_blank(*b->place) || *b->place == '=')) b->place++;
        start = b->place + 1;
        stop = b->place < b->end && (*b->place == '"' || *b->place == '\'') ? find(b, start, *b->place) : NULL;
        value = stop ? attribute_value(b, start, stop) : NULL;
        is_set = value && PyDict_SetItem(attributes, name, value) == 0;
        Py_DECREF(name);
        Py_XDECREF(value);
        if (!is_set) return b->is_unread = !PyErr_Occurred(), 0;
        b->place = stop + 1;
    }
}

static int push(Builder *b, PyObject *node, PyObject *children)
{
    if (b->depth == b->capacity) {
        Py_ssize_t capacity = b->capacity * 2 + 64;
        Open *larger = PyMem_Realloc(b->open, (size_t)capacity * sizeof(Open));
        if (!larger) return PyErr_NoMemory(), 0;
        b->open = larger;
        b->capacity = capacity;
    }
    b->open[b->depth++] = (Open){Py_NewRef(node), Py_NewRef(children), NULL, NULL};
    return 1;
}

static void clear_open(Open *open)
{
    Py_CLEAR(open->node);
    Py_CLEAR(open->children);
    Py_CLEAR(open->text);
    Py_CLEAR(open->parts);
}

static int find_next_cut(Builder *b)
{
    b->cut.tag = PY_SSIZE_T_MAX;
    if (b->cut_number == PyList_Size(b->cuts)) return 1;
    return PyArg_ParseTuple(PyList_GetItem(b->cuts, b->cut_number++), "nnn", &b->cut.tag, &b->cut.start, &b->cut.stop);
}

/* The span of the removed text of an element, or None. */
static PyObject *span_of(Builder *b, Py_ssize_t offset)
{
    PyObject *span;
    if (b->cut.tag > offset) return Py_NewRef(Py_None);
    if (b->cut.tag < offset) return b->is_unread = 1, NULL;  /* it is that of no element, but in a comment */
    span = Py_BuildValue("nn", b->cut.start, b->cut.stop);
    b->skipped += b->cut.stop - b->cut.start;
    if (!find_next_cut(b)) Py_CLEAR(span);
    return span;
}

static PyObject *new_node(Builder *b, PyObject *tag, PyObject *attributes, PyObject *children, Py_ssize_t offset)
{
    PyObject *place = PyLong_FromSsize_t(offset), *span = place ? span_of(b, offset) : NULL;
    PyObject *node = span ? b->allocate(b->node_class, 0) : NULL;
    PyObject *values[FIELDS] = {tag, attributes, b->source, place, children, b->empty, span};
    for (int i = 0; node && i < FIELDS; i++)
        if (set_field(b->fields[i], node, values[i]) < 0) Py_CLEAR(node);
    Py_XDECREF(place);
    Py_XDECREF(span);
    return node;
}

/* Require that there are not too many elements, inside one another or together. */
static int require_limits(Builder *b, PyObject *node)
{
    PyObject *done;
    Py_ssize_t count = ++b->elements % COUNTING_INTERVAL ? 0 : COUNTING_INTERVAL;
    if (b->depth <= b->most_depth && !count) return 1;
    done = PyObject_CallFunction(b->require, "Onn", node, b->depth - 1, count);
    Py_XDECREF(done);
    return done != NULL;
}

/* Read the start tag at the place, which is that after the <. */
static int start_element(Builder *b)
{
    const char *start = b->place;
    PyObject *tag, *attributes = PyDict_New(), *children = PyList_New(0), *node = NULL;
    int is_added = 0;
    while (b->place < b->end && !ends_name(*b->place)) b->place++;
    tag = name_of(b, start, b->place - start);
    if (tag && attributes && children && read_attributes(b, attributes)) {
        node = new_node(b, tag, attributes, children, start - 1 - b->begin + b->skipped);
        is_added = node && PyList_Append(b->open[b->depth - 1].children, node) == 0 && push(b, node, children)
                   && require_limits(b, node);
    }
    Py_XDECREF(tag);
    Py_XDECREF(attributes);
    Py_XDECREF(children);
    Py_XDECREF(node);
    return is_added;
}

static int end_element(Builder *b)
{
    Open *open = &b->open[b->depth - 1];
    int is_set = 1;
    if (open->parts) {
        PyObject *whole = PyUnicode_Join(b->empty, open->parts);
        if (!whole) return 0;
        Py_XDECREF(open->text);
        open->text = whole;
    }
    if (open->text) is_set = set_field(b->fields[TEXT], open->node, open->text) == 0;
    clear_open(open);
    b->depth--;
    return is_set;
}

/* Whether a text has only white space; -1 with an exception. */
static int is_white_space(PyObject *text)
{
    PyObject *answer = PyObject_CallMethod(text, "isspace", NULL);
    int is_white = answer ? PyObject_IsTrue(answer) : -1;
    Py_XDECREF(answer);
    return is_white;
}

/* Add a text to the element that is open. White space before its first text is left out. */
static int add_text(Builder *b, const char *start, const char *stop)
{
    Open *open = &b->open[b->depth - 1];
    PyObject *text;
    int is_white = 0, is_added = 1;
    if (stop - start > LONGEST_TEXT) return b->is_unread = 1, 0;
    if (!(text = PyUnicode_DecodeUTF8(start, stop - start, "strict"))) return 0;
    if (!open->text) {
        while (start < stop && is_blank(*start)) start++;
        if (start == stop || (unsigned char)*start >= 0x80) is_white = is_white_space(text);
        if (!is_white) open->text = Py_NewRef(text);
    } else {
        if (!open->parts && (open->parts = PyList_New(0))) is_added = PyList_Append(open->parts, open->text) == 0;
        is_added = open->parts && is_added && PyList_Append(open->parts, text) == 0;
    }
    Py_DECREF(text);
    return is_white >= 0 && is_added;
}

/* Read the text up to the next tag, with comments and instructions, which are left out; the place moves behind its <. */
static int read_text(Builder *b)
{
    const char *start = b->place, *stop, *at;
    int is_decoded = 0;
    for (;;) {
        int is_plain = 1, is_end;
        if (!(stop = find(b, start, '<'))) return 0;
        is_end = stop[1] != '!' && stop[1] != '?';
        for (at = start; at < stop && is_blank(*at) && *at != '\r';) at++;
        if (is_end && !is_decoded && at == stop && !b->open[b->depth - 1].text) break;  /* white space between tags */
        for (; is_plain && at < stop; at++) is_plain = *at != '&' && *at != '\r';
        if (is_end && !is_decoded && is_plain) {
            if (stop > start && !add_text(b, start, stop)) return 0;
            break;
        }
        if (!is_decoded) b->decoded_size = 0;
        is_decoded = 1;
        if (!decode(b, start, stop, 0)) return 0;
        if (is_end) {
            if (b->decoded_size && !add_text(b, b->decoded, b->decoded + b->decoded_size)) return 0;
            break;
        }
        if (stop[1] == '?') start = find_after(b, stop + 2, "?>");
        else if (b->end - stop >= 4 && !memcmp(stop, "<!--", 4)) start = find_after(b, stop + 4, "-->");
        else return b->is_unread = 1, 0;
        if (!start) return 0;
    }
    b->place = stop + 1;
    return 1;
}

/* Move the place behind the < of the root. */
static int find_root(Builder *b)
{
    const char *start = b->begin;
    while ((start = find(b, start, '<'))) {
        if (start[1] == '?') start = find_after(b, start + 2, "?>");
        else if (b->end - start >= 4 && !memcmp(start, "<!--", 4)) start = find_after(b, start + 4, "-->");
        else if (start[1] == '!') return b->is_unread = 1, 0;
        else return b->place = start + 1, 1;
        if (!start) return 0;
    }
    return 0;
}

static int build_tree(Builder *b)
{
    if (!find_root(b)) return 0;
    for (;;) {
        if (*b->place == '/') {
            if (b->depth == 1) return b->is_unread = 1, 0;
            if (!(b->place = find(b, b->place, '>')) || !end_element(b)) return 0;
        } else {
            if (!start_element(b)) return 0;
            if (*b->place == '/' && (!end_element(b) || *++b->place != '>')) return b->is_unread = !PyErr_Occurred(), 0;
        }
        b->place++;
        if (b->depth == 1) return b->is_unread = b->cut.tag != PY_SSIZE_T_MAX, !b->is_unread;
        if (!read_text(b)) return 0;
    }
}

/* Find the descriptors of the slots of a class of nodes. */
static int find_fields(PyObject *node_class, PyObject **fields)
{
    if (!PyType_Check(node_class)) return PyErr_SetString(PyExc_TypeError, "a class is needed"), 0;
    for (int i = 0; i < FIELDS; i++) {
        if (!(fields[i] = PyObject_GetAttrString(node_class, FIELD_NAMES[i]))) return 0;
        if (!PyObject_TypeCheck(fields[i], &PyMemberDescr_Type))
            return PyErr_SetString(PyExc_TypeError, "the class has a field without a slot"), 0;
    }
    return 1;
}

static void release(Builder *b)
{
    while (b->depth) clear_open(&b->open[--b->depth]);
    PyMem_Free(b->open);
    PyMem_Free(b->decoded);
    for (int i = 0; i < FIELDS; i++) Py_XDECREF(b->fields[i]);
    for (int i = 0; i < KNOWN_NAMES; i++) Py_XDECREF(b->names[i].text);
    Py_XDECREF(b->empty);
    PyMem_Free(b);
}

static PyObject *build(PyObject *module, PyObject *arguments)
{
    PyObject *node_class, *data, *cuts, *source, *require, *roots = NULL, *found = NULL;
    Py_ssize_t most_depth;
    Builder *b;
    if (!PyArg_ParseTuple(arguments, "OO!O!OnO", &node_class, &PyBytes_Type, &data, &PyList_Type, &cuts, &source, &most_depth,
                          &require))
        return NULL;
    if (!(b = PyMem_Calloc(1, sizeof(Builder)))) return PyErr_NoMemory();
    b->begin = b->place = PyBytes_AsString(data);
    b->end = b->begin + PyBytes_Size(data);
    b->source = source;
    b->require = require;
    b->cuts = cuts;
    b->most_depth = most_depth + 1;
    b->empty = PyUnicode_FromString("");
    roots = PyList_New(0);
    if (b->empty && roots && find_fields(node_class, b->fields) && find_next_cut(b) && push(b, Py_None, roots)) {
        b->node_class = (PyTypeObject *)node_class;
        b->allocate = (allocfunc)PyType_GetSlot(b->node_class, Py_tp_alloc);
        if (build_tree(b)) found = Py_XNewRef(PyList_GetItem(roots, 0));
        else if (b->is_unread && !PyErr_Occurred()) found = Py_NewRef(Py_None);
    }
    Py_XDECREF(roots);
    release(b);
    if (!found && !PyErr_Occurred()) PyErr_SetString(PyExc_SystemError, "the tree is not complete");
    return found;
}

/* What a class declares, and how one of its attributes or children is bound: the tuples _Plan and _Entry in Python. */
enum { PLAN_ATTRIBUTES, PLAN_CHILDREN, PLAN_TEXT, PLAN_EXPECTED, PLAN_REPEATED, PLAN_MAKE, PLAN_OPAQUE, PLAN_BINDS_ATTRIBUTES };
enum { ENTRY_FIELD, ENTRY_SPEC, ENTRY_PARSE, ENTRY_TARGET, ENTRY_REPEATED, ENTRY_ALIAS };

/* Functions in Python: they make the plan of a class, bind an attribute, a child or a text, and report missing fields. */
enum { MAKE_PLAN, BIND_ATTRIBUTE, BIND_CHILD, BIND_TEXT, REPORT_MISSING, FUNCTIONS };

typedef struct {
    PyObject_HEAD
    PyObject *fields[FIELDS], *plans, *functions[FUNCTIONS], *node_name;
} Binder;

/* An element that is bound; report receives the findings. */
typedef struct { PyObject *declared, *plan, *node, *values, *unreadable, *report; } Element;

static PyObject *bind_element(Binder *b, PyObject *declared, PyObject *node, PyObject *report);

static PyObject *field_of(Binder *b, PyObject *node, int field)
{
    return get_field(b->fields[field], node, (PyObject *)Py_TYPE(node));
}

static int is_done(PyObject *result)
{
    Py_XDECREF(result);
    return result != NULL;
}

/* Whether a field has a value, or one that is unreadable; -1 with an exception. */
static int is_read(Element *e, PyObject *field)
{
    int has_value = PyDict_Contains(e->values, field);
    return has_value ? has_value : PySequence_Contains(e->unreadable, field);
}

/* Set a field to a text that is parsed; 0 if it cannot be, with an exception unless Python reports it. */
static int set_parsed(Element *e, PyObject *entry, PyObject *text)
{
    PyObject *value = PyObject_CallFunctionObjArgs(PyTuple_GetItem(entry, ENTRY_PARSE), text, NULL);
    int is_set = value && value != Py_None && PyDict_SetItem(e->values, PyTuple_GetItem(entry, ENTRY_FIELD), value) == 0;
    Py_XDECREF(value);
    if (!is_set && PyErr_ExceptionMatches(PyExc_ValueError)) PyErr_Clear();
    return is_set;
}

static int bind_attribute(Binder *b, Element *e, PyObject *name, PyObject *text)
{
    PyObject *entry = PyDict_GetItemWithError(PyTuple_GetItem(e->plan, PLAN_ATTRIBUTES), name);
    if (entry && PyTuple_GetItem(entry, ENTRY_ALIAS) == Py_None && set_parsed(e, entry, text)) return 1;
    return !PyErr_Occurred()
           && is_done(PyObject_CallFunctionObjArgs(b->functions[BIND_ATTRIBUTE], e->plan, e->node, name, text, e->values,
                                                   e->unreadable, e->report, NULL));
}

static int bind_attributes(Binder *b, Element *e)
{
    PyObject *attributes = field_of(b, e->node, ATTRIBUTES), *name, *text;
    Py_ssize_t place = 0;
    int is_bound = attributes && PyDict_Check(attributes);
    while (is_bound && PyDict_Next(attributes, &place, &name, &text)) {
        Py_INCREF(name);
        Py_INCREF(text);
        is_bound = bind_attribute(b, e, name, text);
        Py_DECREF(name);
        Py_DECREF(text);
    }
    Py_XDECREF(attributes);
    return is_bound;
}

/* Add the element of a child to a field with several of them. */
static int append_bound(Binder *b, Element *e, PyObject *field, PyObject *target, PyObject *inner)
{
    PyObject *bound = bind_element(b, target, inner, e->report), *list;
    int is_added = 0;
    if (!bound) return 0;
    if ((list = PyDict_GetItemWithError(e->values, field))) is_added = PyList_Append(list, bound) == 0;
    else if (!PyErr_Occurred() && (list = PyList_New(1))) {
        PyList_SetItem(list, 0, Py_NewRef(bound));
        is_added = PyDict_SetItem(e->values, field, list) == 0;
        Py_DECREF(list);
    }
    Py_DECREF(bound);
    return is_added;
}

/* Whether a child is as declared, and bound; 0 with an exception unless Python has to bind it. */
static int bind_declared_child(Binder *b, Element *e, PyObject *inner)
{
    PyObject *tag = field_of(b, inner, TAG);
    PyObject *entry = tag ? PyDict_GetItemWithError(PyTuple_GetItem(e->plan, PLAN_CHILDREN), tag) : NULL;
    PyObject *field, *target, *bound, *text, *children, *attributes;
    int is_bound;
    Py_XDECREF(tag);
    if (!entry || PyTuple_GetItem(entry, ENTRY_ALIAS) != Py_None) return 0;
    field = PyTuple_GetItem(entry, ENTRY_FIELD);
    target = PyTuple_GetItem(entry, ENTRY_TARGET);
    if (PyTuple_GetItem(entry, ENTRY_REPEATED) == Py_True) return append_bound(b, e, field, target, inner);
    if (is_read(e, field)) return 0;
    if (target != Py_None) {
        bound = bind_element(b, target, inner, e->report);
        is_bound = bound && PyDict_SetItem(e->values, field, bound) == 0;
        Py_XDECREF(bound);
        return is_bound;
    }
    children = field_of(b, inner, CHILDREN);
    attributes = field_of(b, inner, ATTRIBUTES);
    text = children && attributes && PyList_Size(children) == 0 && PyDict_Size(attributes) == 0 ? field_of(b, inner, TEXT) : NULL;
    is_bound = text && set_parsed(e, entry, text);
    Py_XDECREF(children);
    Py_XDECREF(attributes);
    Py_XDECREF(text);
    return is_bound;
}

static int bind_children(Binder *b, Element *e)
{
    PyObject *children = field_of(b, e->node, CHILDREN);
    int is_bound = children && PyList_Check(children);
    for (Py_ssize_t i = 0; is_bound && i < PyList_Size(children); i++) {
        PyObject *inner = Py_NewRef(PyList_GetItem(children, i));
        is_bound = bind_declared_child(b, e, inner);
        if (!is_bound && !PyErr_Occurred())
            is_bound = is_done(PyObject_CallFunctionObjArgs(b->functions[BIND_CHILD], e->declared, e->plan, e->node, inner, e->values,
                                                            e->unreadable, e->report, NULL));
        Py_DECREF(inner);
    }
    Py_XDECREF(children);
    return is_bound;
}

static int bind_text(Binder *b, Element *e)
{
    PyObject *text = field_of(b, e->node, TEXT);
    int has_text = text ? PyObject_IsTrue(text) : -1;
    Py_XDECREF(text);
    return has_text > 0 ? is_done(PyObject_CallFunctionObjArgs(b->functions[BIND_TEXT], e->plan, e->node, e->values, e->unreadable,
                                                               e->report, NULL))
                        : has_text == 0;
}

static int report_missing(Binder *b, Element *e)
{
    PyObject *expected = PyTuple_GetItem(e->plan, PLAN_EXPECTED);
    int is_complete = 1;
    for (Py_ssize_t i = 0; is_complete == 1 && i < PyTuple_Size(expected); i++)
        is_complete = is_read(e, PyTuple_GetItem(PyTuple_GetItem(expected, i), 0));
    return is_complete ? is_complete > 0
                       : is_done(PyObject_CallFunctionObjArgs(b->functions[REPORT_MISSING], e->declared, e->plan, e->node, e->values,
                                                              e->unreadable, e->report, NULL));
}

/* Replace the lists of fields with several elements by tuples. */
static int close_lists(Element *e)
{
    PyObject *repeated = PyTuple_GetItem(e->plan, PLAN_REPEATED);
    int is_closed = 1;
    for (Py_ssize_t i = 0; is_closed && i < PyTuple_Size(repeated); i++) {
        PyObject *field = PyTuple_GetItem(repeated, i), *list = PyDict_GetItemWithError(e->values, field), *items;
        if (!list) {
            is_closed = !PyErr_Occurred();
            continue;
        }
        items = PySequence_Tuple(list);
        is_closed = items && PyDict_SetItem(e->values, field, items) == 0;
        Py_XDECREF(items);
    }
    return is_closed;
}

static int bind_content(Binder *b, Element *e)
{
    if (PyTuple_GetItem(e->plan, PLAN_BINDS_ATTRIBUTES) == Py_True && !bind_attributes(b, e)) return 0;
    if (PyTuple_GetItem(e->plan, PLAN_OPAQUE) == Py_True) return 1;
    return bind_children(b, e) && bind_text(b, e) && report_missing(b, e) && close_lists(e);
}

static PyObject *plan_of(Binder *b, PyObject *declared)
{
    PyObject *plan = PyDict_GetItemWithError(b->plans, declared);
    if (plan || PyErr_Occurred()) return Py_XNewRef(plan);
    return PyObject_CallFunctionObjArgs(b->functions[MAKE_PLAN], declared, NULL);
}

static PyObject *bind_element(Binder *b, PyObject *declared, PyObject *node, PyObject *report)
{
    PyObject *bound = NULL;
    Element e = {declared, NULL, node, NULL, NULL, report};
    if (Py_EnterRecursiveCall(" while elements are bound")) return NULL;
    e.plan = plan_of(b, declared);
    e.values = e.plan ? PyDict_New() : NULL;
    e.unreadable = e.values ? PyList_New(0) : NULL;
    if (e.unreadable && PyDict_SetItem(e.values, b->node_name, node) == 0 && bind_content(b, &e))
        bound = PyObject_CallFunctionObjArgs(PyTuple_GetItem(e.plan, PLAN_MAKE), e.values, NULL);
    Py_XDECREF(e.plan);
    Py_XDECREF(e.values);
    Py_XDECREF(e.unreadable);
    Py_LeaveRecursiveCall();
    if (!bound && !PyErr_Occurred()) PyErr_SetString(PyExc_TypeError, "the element is not one of a parsed document");
    return bound;
}

static PyObject *binder_call(PyObject *self, PyObject *arguments, PyObject *keywords)
{
    PyObject *declared, *node, *report;
    Binder *b = (Binder *)self;
    if (!PyArg_ParseTuple(arguments, "OOO", &declared, &node, &report)) return NULL;
    return bind_element(b, declared, node, report);
}

static PyObject *binder_new(PyTypeObject *type, PyObject *arguments, PyObject *keywords)
{
    PyObject *node_class, *plans, *functions;
    Binder *b;
    if (!PyArg_ParseTuple(arguments, "OO!O!", &node_class, &PyDict_Type, &plans, &PyTuple_Type, &functions)) return NULL;
    if (PyTuple_Size(functions) != FUNCTIONS) return PyErr_SetString(PyExc_TypeError, "other functions are needed"), NULL;
    if (!(b = (Binder *)((allocfunc)PyType_GetSlot(type, Py_tp_alloc))(type, 0))) return NULL;
    b->plans = Py_NewRef(plans);
    b->node_name = PyUnicode_InternFromString("node");
    for (int i = 0; i < FUNCTIONS; i++) b->functions[i] = Py_NewRef(PyTuple_GetItem(functions, i));
    if (!b->node_name || !find_fields(node_class, b->fields)) Py_CLEAR(b);
    return (PyObject *)b;
}

static void binder_dealloc(PyObject *self)
{
    Binder *b = (Binder *)self;
    PyTypeObject *type = Py_TYPE(self);
    for (int i = 0; i < FIELDS; i++) Py_XDECREF(b->fields[i]);
    for (int i = 0; i < FUNCTIONS; i++) Py_XDECREF(b->functions[i]);
    Py_XDECREF(b->plans);
    Py_XDECREF(b->node_name);
    ((freefunc)PyType_GetSlot(type, Py_tp_free))(self);
    Py_DECREF(type);
}

static PyType_Slot binder_slots[] = {
    {Py_tp_doc, "Binds elements: Binder(class of nodes, plans, functions), called with a class, a node and a report."},
    {Py_tp_new, binder_new},
    {Py_tp_dealloc, binder_dealloc},
    {Py_tp_call, binder_call},
    {0, NULL},
};
static PyType_Spec binder_spec = {"ossature.syntax._xml.Binder", sizeof(Binder), 0, Py_TPFLAGS_DEFAULT, binder_slots};

/* The finite number that starts at a place and ends at a blank, or -1 with an exception; the place moves behind it. */
static double read_finite(const char **place)
{
    char *end;
    double value = PyOS_string_to_double(*place, &end, NULL);
    if (value == -1.0 && PyErr_Occurred()) return -1.0;
    if ((*end && !is_blank(*end)) || value - value != 0.0) {
        PyErr_SetString(PyExc_ValueError, "not a finite number");
        return -1.0;
    }
    *place = end;
    return value;
}

/* Numbers as Python converts them, of a text with other characters than those of ASCII. */
static PyObject *convert_words(PyObject *text)
{
    PyObject *words = PyObject_CallMethod(text, "split", NULL), *numbers = words ? PyTuple_New(PyList_Size(words)) : NULL;
    for (Py_ssize_t i = 0; numbers && i < PyList_Size(words); i++) {
        PyObject *number = PyFloat_FromString(PyList_GetItem(words, i));
        double value = number ? PyFloat_AsDouble(number) : 0.0;
        if (number && value - value != 0.0) {
            PyErr_SetString(PyExc_ValueError, "not a finite number");
            Py_CLEAR(number);
        }
        if (!number || PyTuple_SetItem(numbers, i, number) < 0) Py_CLEAR(numbers);
    }
    Py_XDECREF(words);
    return numbers;
}

enum { MOST_NUMBERS = 16 };

/* The finite numbers in a text, or NULL with an exception. */
static PyObject *numbers_in(PyObject *text)
{
    double values[MOST_NUMBERS];
    Py_ssize_t size, count = 0;
    const char *place = PyUnicode_AsUTF8AndSize(text, &size), *end = place + size;
    PyObject *numbers;
    int is_plain = 1;
    if (!place) return NULL;
    for (const char *at = place; at < end; at++) {
        if (*at == '_' || (unsigned char)*at >= 0x80) return PyErr_SetString(PyExc_ValueError, "not a number"), NULL;
        is_plain &= *at >= ' ' || is_blank(*at);
    }
    for (;;) {
        while (place < end && is_blank(*place)) place++;
        if (place == end || !is_plain || count == MOST_NUMBERS) break;
        values[count] = read_finite(&place);
        if (values[count++] == -1.0 && PyErr_Occurred()) return NULL;
    }
    if (place < end) return convert_words(text);
    numbers = PyTuple_New(count);
    for (Py_ssize_t i = 0; numbers && i < count; i++) {
        PyObject *number = PyFloat_FromDouble(values[i]);
        if (!number || PyTuple_SetItem(numbers, i, number) < 0) Py_CLEAR(numbers);
    }
    return numbers;
}

static PyObject *parse_vector(PyObject *module, PyObject *arguments)
{
    Py_ssize_t count;
    PyObject *text, *numbers;
    if (!PyArg_ParseTuple(arguments, "nU", &count, &text)) return NULL;
    numbers = numbers_in(text);
    if (numbers && PyTuple_Size(numbers) != count) {
        PyErr_SetString(PyExc_ValueError, "another number of numbers");
        Py_CLEAR(numbers);
    }
    return numbers;
}

static PyObject *parse_finite(PyObject *module, PyObject *text)
{
    PyObject *numbers, *number;
    if (!PyUnicode_Check(text)) return PyErr_SetString(PyExc_TypeError, "a text is needed"), NULL;
    if (!(numbers = numbers_in(text))) return NULL;
    number = PyTuple_Size(numbers) == 1 ? Py_NewRef(PyTuple_GetItem(numbers, 0)) : NULL;
    if (!number) PyErr_SetString(PyExc_ValueError, "not one number");
    Py_DECREF(numbers);
    return number;
}

static PyMethodDef methods[] = {
    {"parse_finite", parse_finite, METH_O, "Return the finite number of a text, of ASCII characters without underscores."},
    {"parse_vector", parse_vector, METH_VARARGS, "Return a number of finite numbers in a text: parse_vector(count, text)."},
    {"build", build, METH_VARARGS,
     "Return the root of a well-formed document, or None: build(class, document, removed texts, source, most depth, require)."},
    {NULL, NULL, 0, NULL},
};
static struct PyModuleDef definition = {PyModuleDef_HEAD_INIT, "_xml", NULL, -1, methods, NULL, NULL, NULL, NULL};

PyMODINIT_FUNC PyInit__xml(void)
{
    PyObject *module = PyModule_Create(&definition), *type = PyType_FromSpec(&binder_spec);
    set_field = (descrsetfunc)PyType_GetSlot(&PyMemberDescr_Type, Py_tp_descr_set);
    get_field = (descrgetfunc)PyType_GetSlot(&PyMemberDescr_Type, Py_tp_descr_get);
    if (module && PyModule_AddIntConstant(module, "SOURCE_CHECKSUM", SOURCE_CHECKSUM) < 0) Py_CLEAR(module);
    if (module && (!type || PyModule_AddObjectRef(module, "Binder", type) < 0)) Py_CLEAR(module);
    Py_XDECREF(type);
    return module;
}
