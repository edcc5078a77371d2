//! On a Cortex-M, with the start-up code of ports/cortex-m: the same as main.rs, without std.
#![no_std]
#![no_main]
extern crate margin_model;
use margin_model::{classify, label, score, self_test};

extern "C" {
    fn port_put(c: u8);
}

fn put(text: &[u8]) {
    for &byte in text {
        // SAFETY: writes one character to the debugger.
        unsafe { port_put(byte) };
    }
}

fn put_number(value: i32) {
    let mut digits = [0u8; 11];
    let (mut at, mut rest) = (digits.len(), value.unsigned_abs());
    while at == digits.len() || rest > 0 {
        at -= 1;
        digits[at] = b'0' + (rest % 10) as u8;
        rest /= 10;
    }
    if value < 0 {
        put(b"-");
    }
    put(&digits[at..]);
}

#[no_mangle]
pub extern "C" fn port_main() -> i32 {
    let x = [1516, 2880, 2441, 3595];
    put(if self_test() { b"self-test passed\n" } else { b"self-test FAILED\n" });
    put(label(classify(&x).unwrap_or(u16::MAX)));
    put(b" ");
    put_number(score(&x));
    put(b"\n");
    if self_test() { 0 } else { 1 }
}

#[panic_handler]
fn panic(_: &core::panic::PanicInfo) -> ! {
    loop {}
}
