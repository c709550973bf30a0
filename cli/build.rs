//! Says to the tests whether there are treebanks for those of them that want some.

/// The variable that names a folder of treebanks.
const TREEBANKS: &str = "TREEBEAM_TREEBANKS";

fn main() {
    println!("cargo::rerun-if-env-changed={TREEBANKS}");
    println!("cargo::rustc-check-cfg=cfg(treebanks)");
    if std::env::var_os(TREEBANKS).is_some_and(|folder| !folder.is_empty()) {
        println!("cargo::rustc-cfg=treebanks");
    }
}
