//! Beams that can be watched: a sentence decoded at several widths with all items on record, as data and as a page.
//!
//! | file | what it holds |
//! |---|---|
//! | [`data`] | the record, which `--json` writes |
//! | `watch` | decoding with somebody looking on: the part that is made for each transition system |
//! | `explain` | what each template contributes to a score |
//! | `record` | the record of an observed search |
//! | `packed` | the record as the page holds it, in a quarter of the space |
//! | `page` | the record as one page of HTML |

pub mod data;
mod explain;
mod packed;
mod page;
mod record;
mod watch;

pub use page::{Listed, Live, index, packed, page};
pub use record::{TraceOptions, trace, watchable};
