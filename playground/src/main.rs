//! Writes the page: `treebeam-playground MODELS WASM PAGE`, where MODELS is a folder that `models.py` has filled.

mod choose;

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use treebeam::error::{Error, Result};
use treebeam::files::{Output, read_text, read_whole, write_whole};
use treebeam_lab::trace::Live;

/// The files of the models, and the ids of the elements that hold them.
const MODELS: [&str; 3] = ["tagger", "greedy", "global"];

fn main() -> ExitCode {
    let arguments: Vec<PathBuf> = std::env::args_os().skip(1).map(PathBuf::from).collect();
    let [models, wasm, page] = &arguments[..] else {
        eprintln!(
            "error: expected three arguments: the folder of models, the program for WebAssembly, the page to write"
        );
        return ExitCode::from(2);
    };
    match write(models, wasm, page) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::FAILURE
        }
    }
}

fn write(models: &Path, wasm: &Path, page: &Path) -> Result<()> {
    Output::check(page)?;
    treebeam_systems::register();
    let chosen = choose::choose(models, &MODELS.map(|name| format!("{name}.model")))?;
    let chosen = serde_json::to_string(&chosen).map_err(|error| Error::Usage(error.to_string()))?;
    let mut data = vec![("engine", base64(&read_whole(wasm)?)), ("sentences", base64(chosen.as_bytes()))];
    for name in MODELS {
        data.push((name, base64(&read_whole(&models.join(name).with_extension("model"))?)));
    }
    let live = Live {
        title: "two parsers, one beam",
        css: include_str!("../page/page.css"),
        html: &include_str!("../page/page.html").replace("{{data}}", read_text(&models.join("data.txt"))?.trim()),
        js: include_str!("../page/page.js"),
        data: &data,
    };
    write_whole(page, live.page().as_bytes())
}

/// `bytes` in base64 (RFC 4648, section 4).
fn base64(bytes: &[u8]) -> String {
    const DIGITS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut text = String::with_capacity(bytes.len().div_ceil(3) * 4);
    for three in bytes.chunks(3) {
        let number = three.iter().chain(&[0, 0]).take(3).fold(0u32, |number, &byte| number << 8 | u32::from(byte));
        for place in 0..4 {
            match place <= three.len() {
                true => text.push(char::from(DIGITS[(number >> (18 - 6 * place)) as usize & 63])),
                false => text.push('='),
            }
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::base64;

    /// The examples of RFC 4648, section 10.
    #[test]
    fn base64_is_that_of_the_standard() {
        let of = ["", "f", "fo", "foo", "foob", "fooba", "foobar"].map(|text| base64(text.as_bytes()));
        assert_eq!(of, ["", "Zg==", "Zm8=", "Zm9v", "Zm9vYg==", "Zm9vYmE=", "Zm9vYmFy"]);
    }
}
