//! How the program is linked: so that it starts quickly.

use std::env;
use std::path::Path;
use std::process::Command;

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    let is = |name: &str, value: &str| env::var(name).is_ok_and(|found| found == value);
    let gnu_linux = is("CARGO_CFG_TARGET_OS", "linux") && is("CARGO_CFG_TARGET_ENV", "gnu");
    // A build for another machine has other libraries, and one for debugging need not start quickly.
    if !gnu_linux || !is("PROFILE", "release") || env::var("HOST") != env::var("TARGET") {
        return;
    }
    // At an address that is known beforehand. Otherwise tens of thousands of addresses in its tables are corrected at every
    // start, and the pages that hold them copied: half of what a start costs. Heap, stack and libraries stay at random places.
    println!("cargo::rustc-link-arg-bins=-no-pie");
    // The unwinder becomes part of the program, where the C compiler has it as such: a library less to find and load.
    if let Some(folder) = unwinder() {
        println!("cargo::rustc-link-search=native={folder}");
        println!("cargo::rustc-link-lib=static:-bundle=gcc_eh");
    }
}

/// The folder that has the unwinder as a static library.
fn unwinder() -> Option<String> {
    let output = Command::new("cc").arg("-print-file-name=libgcc_eh.a").output().ok()?;
    let path = String::from_utf8(output.stdout).ok()?;
    // A name without a folder is what the compiler says when it has none.
    let folder = Path::new(path.trim_end()).parent().filter(|folder| folder.is_absolute())?;
    folder.to_str().map(str::to_owned)
}
