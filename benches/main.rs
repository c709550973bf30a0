//! Benchmarks on generated sentences: fixed data from fixed seeds. Every benchmark also checks what it computed,
//! so a speed-up that breaks something fails.
//!
//! `cargo bench` runs all of them, `cargo bench -- length` those with *length* in their name, `cargo bench -- --quick` all of
//! them roughly.

mod data;
mod decode;
mod features;
mod length;
mod reader;
mod scoring;
mod transitions;

use criterion::Criterion;
use std::time::Duration;

fn main() {
    treebeam_systems::register();
    let (warm_up, measurement) = (Duration::from_millis(500), Duration::from_secs(2));
    let criterion = Criterion::default().sample_size(10).warm_up_time(warm_up).measurement_time(measurement);
    let criterion = &mut criterion.configure_from_args();
    for bench in [reader::bench, transitions::bench, features::bench, scoring::bench, decode::bench, length::bench] {
        bench(criterion);
    }
    criterion.final_summary();
}
