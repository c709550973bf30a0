#![no_main]

#[path = "../src/decoders.rs"]
mod decoders;
#[path = "../../tests/hashed.rs"]
mod hashed;

libfuzzer_sys::fuzz_target!(init: treebeam_systems::register(), |data: &[u8]| decoders::decoder(data));
