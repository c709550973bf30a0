//! Charts and heat maps as SVG.
//!
//! There is one drawing of a chart, the template `plot.svg`. The page has it as it is, coloured by its style sheet; a file has
//! it with title and legend (`picture`), coloured by attributes. Charts with more curves than there are colours are a small
//! drawing for each curve.
//!
//! | file | what it holds |
//! |---|---|
//! | `chart` | where everything in a chart is |
//! | `label` | labels beside points |
//! | `picture` | a chart as a file |
//! | `heat` | a heat map as a file |
//! | `forest` | the answer as a file |

mod chart;
mod forest;
mod heat;
mod label;
mod picture;

pub(super) use chart::ChartView;
pub use forest::answer_svg;
pub use heat::heat_map_svg;
pub use picture::svg;
