//! On a host: the self-test, and the class of one window of readings.
use margin_model::{classify, label, score, self_test};

fn main() {
    let x = [1516, 2880, 2441, 3595];
    let class = classify(&x).unwrap_or(u16::MAX);
    println!("self-test {}", if self_test() { "passed" } else { "FAILED" });
    println!("{} {}", String::from_utf8_lossy(label(class)), score(&x));
}
