//! Runs the target named by `AGENTCI_FUZZ_TARGET`. There is one program for all targets, since building one takes
//! longer than most runs.

#![no_main]

use std::sync::OnceLock;

use agentci_fuzz::FuzzTarget;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    static TARGET: OnceLock<&FuzzTarget> = OnceLock::new();
    let target = TARGET.get_or_init(|| {
        let name = std::env::var("AGENTCI_FUZZ_TARGET").expect("AGENTCI_FUZZ_TARGET names a target of crates/fuzz");
        agentci_fuzz::target(&name).unwrap_or_else(|| panic!("unknown target `{name}`"))
    });
    (target.check)(bytes);
});
