//! Functions that the page calls. It asks for [`room`], writes there what it has to say, calls one of [`load`], [`tag`] and [`trace`],
//! and reads at [`answer`] as many bytes as that has returned, in UTF-8. A number below 0 is that of the bytes of a message: it failed.
#![expect(unsafe_code, reason = "names of exported functions: nothing else in the program has these")]

use std::cell::RefCell;

use treebeam::error::Result;

use crate::Engine;

thread_local! {
    /// The engine, and what was said to it or by it last.
    static STATE: RefCell<(Engine, Vec<u8>)> = RefCell::default();
}

/// Address of `len` bytes for what the next call is about.
#[unsafe(no_mangle)]
pub extern "C" fn room(len: usize) -> *mut u8 {
    STATE.with_borrow_mut(|(_, bytes)| {
        *bytes = vec![0; len];
        bytes.as_mut_ptr()
    })
}

/// Address of the answer to the last call.
#[unsafe(no_mangle)]
pub extern "C" fn answer() -> *const u8 {
    STATE.with_borrow(|(_, bytes)| bytes.as_ptr())
}

/// Takes a model on; see [`Engine::load`].
#[unsafe(no_mangle)]
pub extern "C" fn load() -> isize {
    answered(|engine, bytes| engine.load(bytes).map(|()| String::new()))
}

/// The sentence with tags; see [`Engine::tag`].
#[unsafe(no_mangle)]
pub extern "C" fn tag() -> isize {
    answered(|engine, bytes| engine.tag(&String::from_utf8_lossy(bytes)).map(|tagged| tagged.text().to_owned()))
}

/// The record as the page draws it; see [`Engine::trace`].
#[unsafe(no_mangle)]
pub extern "C" fn trace(parser: usize, width: usize) -> isize {
    answered(|engine, bytes| {
        engine.trace(parser, width, &String::from_utf8_lossy(bytes)).and_then(treebeam_lab::trace::packed)
    })
}

/// Lets the engine answer to what was written, and says how long the answer is.
fn answered(ask: impl FnOnce(&mut Engine, &[u8]) -> Result<String>) -> isize {
    STATE.with_borrow_mut(|(engine, bytes)| {
        let result = ask(engine, bytes);
        let (text, sign) = match result {
            Ok(text) => (text, 1),
            Err(error) => (error.to_string(), -1),
        };
        *bytes = text.into_bytes();
        sign * bytes.len() as isize
    })
}
