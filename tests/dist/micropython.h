/* micropython.h -- the few declarations of MicroPython that examples/11_micropython takes, for the tests: numbers, lists and
 * texts of Python in a struct, exceptions as an exit code. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

typedef long mp_int_t;
typedef struct stand_in {
    long number;
    const char *text;
    struct stand_in *const *items;
    size_t count;
} * mp_obj_t;

static inline void mp_raise_ValueError(const char *text) {
    printf("ValueError: %s\n", text);
    exit(0);
}
#define MP_ERROR_TEXT(text) (text)
static inline mp_int_t mp_obj_get_int(mp_obj_t o) {
    return o->number;
}
static inline void mp_obj_get_array_fixed_n(mp_obj_t o, size_t count, mp_obj_t **items) {
    if (o->count != count) { mp_raise_ValueError("length"); }
    *items = (mp_obj_t *)o->items;
}
static inline mp_obj_t mp_obj_new_int(mp_int_t value) {
    mp_obj_t o = (mp_obj_t)calloc(1, sizeof *o);
    o->number = value;
    return o;
}
static inline mp_obj_t mp_obj_new_str_from_cstr(const char *text) {
    mp_obj_t o = mp_obj_new_int(0);
    o->text = text;
    return o;
}
#define mp_const_none ((mp_obj_t)0)

typedef struct {
    mp_obj_t (*call0)(void);
    mp_obj_t (*call1)(mp_obj_t);
} stand_in_function;
#define MP_DEFINE_CONST_FUN_OBJ_0(name, function) const stand_in_function name = {function, 0}
#define MP_DEFINE_CONST_FUN_OBJ_1(name, function) const stand_in_function name = {0, function}
#define MP_QSTR___name__ "__name__"
#define MP_QSTR_bearing "bearing"
#define MP_QSTR_classify "classify"
#define MP_QSTR_score "score"
#define MP_QSTR_selftest "selftest"
#define MP_ROM_QSTR(text) (text)
#define MP_ROM_PTR(p) (p)
typedef struct {
    const char *key;
    const void *value;
} mp_rom_map_elem_t;
typedef struct {
    const mp_rom_map_elem_t *table;
} mp_obj_dict_t;
#define MP_DEFINE_CONST_DICT(name, of) const mp_obj_dict_t name = {of}
typedef struct {
    int unused;
} mp_obj_type_t;
static const mp_obj_type_t mp_type_module = {0};
typedef struct {
    struct {
        const mp_obj_type_t *type;
    } base;
    mp_obj_dict_t *globals;
} mp_obj_module_t;
#define MP_REGISTER_MODULE(name, module) extern const mp_obj_module_t module

/* What a function of a module is, by its name. */
static inline const stand_in_function *stand_in_find(const mp_obj_module_t *module,
                                                     const char *name) {
    const mp_rom_map_elem_t *at = module->globals->table;
    for (; at->key[0] != name[0] || at->key[1] != name[1]; at++) {}
    return (const stand_in_function *)at->value;
}
