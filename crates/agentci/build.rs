//! How the program is linked: so that it starts quickly.

use std::env;

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    let is = |name: &str, value: &str| env::var(name).is_ok_and(|found| found == value);
    let gnu_linux = is("CARGO_CFG_TARGET_OS", "linux") && is("CARGO_CFG_TARGET_ENV", "gnu");
    // A program with the C library inside is linked in a way of its own, which this would break.
    let features = env::var("CARGO_CFG_TARGET_FEATURE").unwrap_or_default();
    let static_library = features.split(',').any(|feature| feature == "crt-static");
    // A build for another machine has another linker, and one for debugging need not start quickly.
    if !gnu_linux || static_library || !is("PROFILE", "release") || env::var("HOST") != env::var("TARGET") {
        return;
    }
    // At an address that is known beforehand. Otherwise tens of thousands of addresses in its tables are corrected at every
    // start, and the pages that hold them copied: half of what a start costs. Heap, stack and libraries stay at random places.
    println!("cargo::rustc-link-arg-bins=-no-pie");
}
