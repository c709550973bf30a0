#![no_main]

#[path = "../src/checks.rs"]
mod checks;

libfuzzer_sys::fuzz_target!(init: treebeam_systems::register(), |data: &[u8]| checks::packed(data));
