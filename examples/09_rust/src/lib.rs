//! A model that margin exported, for Rust without std: no heap, no unsafe code for its users.
#![no_std]

/// Values that the model takes.
pub const FEATURES: usize = 4;
/// Classes that it knows.
pub const CLASSES: u16 = 2;

mod c {
    extern "C" {
        pub fn model_classify(x: *const i16) -> u16;
        pub fn model_scores(x: *const i16, scores: *mut i32);
        pub fn model_label(class: u16) -> *const u8;
        pub fn model_selftest() -> i32;
    }
}

/// The class of `x`; `None` where the model leaves the input without one.
pub fn classify(x: &[i16; FEATURES]) -> Option<u16> {
    // SAFETY: reads FEATURES values and nothing else; model.c checks the number.
    let class = unsafe { c::model_classify(x.as_ptr()) };
    (class < CLASSES).then_some(class)
}

/// The score of `x`: positive for class 1.
pub fn score(x: &[i16; FEATURES]) -> i32 {
    let mut score = 0;
    // SAFETY: as above; one machine, one score.
    unsafe { c::model_scores(x.as_ptr(), &mut score) };
    score
}

/// The name of a class, as bytes of UTF-8.
pub fn label(class: u16) -> &'static [u8] {
    if class >= CLASSES {
        return b"no class";
    }
    // SAFETY: the names are constants of C that end with a zero.
    unsafe {
        let start = c::model_label(class);
        let mut length = 0;
        while *start.add(length) != 0 {
            length += 1;
        }
        core::slice::from_raw_parts(start, length)
    }
}

/// Whether this machine computes the same as the one that made the model.
pub fn self_test() -> bool {
    // SAFETY: takes nothing, changes nothing.
    unsafe { c::model_selftest() == 0 }
}
