/* bearing.c -- an exported model as a module of MicroPython:
 *
 *     import bearing
 *     bearing.classify([1516, 2880, 2441, 3595])    # 'worn'
 *     bearing.score([1516, 2880, 2441, 3595])       # positive for the second class
 *     bearing.selftest()                            # 0: this board computes the same as the machine that made the model
 */
#include "py/obj.h"
#include "py/runtime.h"
#define MARGIN_IMPLEMENTATION
#define MARGIN_STATIC
#define MARGIN_PREDICT_ONLY
#include "motor.h"

/* The values of a list or a tuple of the right length; anything else is an exception of Python. */
static void bearing_values(mp_obj_t list, int16_t *x) {
    mp_obj_t *items;
    mp_obj_get_array_fixed_n(list, MOTOR_FEATURES, &items);
    for (size_t k = 0; k < MOTOR_FEATURES; k++) {
        const mp_int_t value = mp_obj_get_int(items[k]);
        if (value < INT16_MIN || value > INT16_MAX) {
            mp_raise_ValueError(MP_ERROR_TEXT("16 bits"));
        }
        x[k] = (int16_t)value;
    }
}

static mp_obj_t bearing_classify(mp_obj_t list) {
    int16_t x[MOTOR_FEATURES];
    uint16_t label;
    bearing_values(list, x);
    label = motor_classify(x);
    if (label >= MOTOR_CLASSES) { return mp_const_none; }
    return mp_obj_new_str_from_cstr(motor_labels[label]);
}
static MP_DEFINE_CONST_FUN_OBJ_1(bearing_classify_obj, bearing_classify);

static mp_obj_t bearing_score(mp_obj_t list) {
    int32_t scores[MOTOR_MACHINES];
    int16_t x[MOTOR_FEATURES];
    bearing_values(list, x);
    motor_scores(x, scores);
    return mp_obj_new_int(scores[0]);
}
static MP_DEFINE_CONST_FUN_OBJ_1(bearing_score_obj, bearing_score);

static mp_obj_t bearing_selftest(void) {
    return mp_obj_new_int(motor_selftest());
}
static MP_DEFINE_CONST_FUN_OBJ_0(bearing_selftest_obj, bearing_selftest);

static const mp_rom_map_elem_t bearing_globals_table[] = {
    {MP_ROM_QSTR(MP_QSTR___name__), MP_ROM_QSTR(MP_QSTR_bearing)},
    {MP_ROM_QSTR(MP_QSTR_classify), MP_ROM_PTR(&bearing_classify_obj)},
    {MP_ROM_QSTR(MP_QSTR_score), MP_ROM_PTR(&bearing_score_obj)},
    {MP_ROM_QSTR(MP_QSTR_selftest), MP_ROM_PTR(&bearing_selftest_obj)},
};
static MP_DEFINE_CONST_DICT(bearing_globals, bearing_globals_table);

const mp_obj_module_t bearing_module = {
    .base = {&mp_type_module},
    .globals = (mp_obj_dict_t *)&bearing_globals,
};
MP_REGISTER_MODULE(MP_QSTR_bearing, bearing_module);
