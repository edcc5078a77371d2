//! Compiles the model, which is C, with the compiler named in CC (or cc), and needs no other crate.
use std::{env, path::PathBuf, process::Command};

fn main() {
    let here = PathBuf::from(env::var("CARGO_MANIFEST_DIR").unwrap());
    let out = PathBuf::from(env::var("OUT_DIR").unwrap());
    let root = here.join("../.."); // where margin.h is
    let model = here.join("../06_arduino_motor"); // where motor.h is
    let object = out.join("model.o");
    let compiler = env::var("CC").unwrap_or_else(|_| "cc".into());
    let done = Command::new(compiler)
        .args(["-std=c99", "-O2", "-ffreestanding", "-fPIC", "-ffp-contract=off", "-c"])
        .arg(here.join("src/model.c"))
        .arg(format!("-I{}", root.display()))
        .arg(format!("-I{}", model.display()))
        .arg("-o")
        .arg(&object)
        .status()
        .expect("no C compiler");
    assert!(done.success(), "the C compiler failed");
    let library = out.join("libmodel.a");
    let archiver = env::var("AR").unwrap_or_else(|_| "ar".into());
    assert!(Command::new(archiver).arg("rcs").arg(&library).arg(&object).status().expect("no ar").success());
    println!("cargo:rustc-link-search=native={}", out.display());
    println!("cargo:rustc-link-lib=static=model");
    println!("cargo:rerun-if-changed=src/model.c");
}
