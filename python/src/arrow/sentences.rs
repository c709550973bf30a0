//! The rows of a batch as sentences.

use std::borrow::Cow;
use std::ops::Range;

use pyo3::PyResult;
use pyo3::exceptions::PyValueError;
use treebeam::error::{Location, Problem};
use treebeam::tree::Node;
use treebeam::treebank::{Column, Format, Words};

use super::imported::{Array, Imported};
use crate::sentences::on_one_line;

/// The columns of a batch, by the names that the Universal Dependencies have in the Hugging Face Hub.
const NAMES: [(Column, &str); 6] = [
    (Column::Form, "tokens"),
    (Column::Lemma, "lemmas"),
    (Column::Upos, "upos"),
    (Column::Xpos, "xpos"),
    (Column::Feats, "feats"),
    (Column::Misc, "misc"),
];

/// One sentence a row, its words in parallel lists.
pub struct Sentences<'a> {
    n_rows: usize,
    tokens: Lists<'a>,
    /// The columns that the model reads, the forms always among them.
    columns: [Option<Lists<'a>>; 10],
}

impl<'a> Sentences<'a> {
    /// The rows of a batch for a model that reads these columns. `tags` are the names of parts of speech that are numbers.
    pub fn new(batch: &'a Imported<'_>, read: &[Column], tags: &'a [String]) -> PyResult<Sentences<'a>> {
        let root = batch.root()?;
        if root.format() != "+s" {
            let found = format!("found an array of type `{}`; expected a batch of columns", root.format());
            return Err(PyValueError::new_err(found));
        }
        let children = root.children().map_err(|found| {
            PyValueError::new_err(format!("found a batch of Arrow with {found}; expected one of sound parts"))
        })?;
        let lists = |column: Column| {
            let name = NAMES.iter().find(|(known, _)| *known == column).map(|(_, name)| *name);
            let Some(child) = name.and_then(|name| children.iter().find(|child| child.name() == name)) else {
                let names = children.iter().map(Array::name).collect::<Vec<_>>().join(", ");
                let needed = name.map_or("one that batches do not have".to_owned(), |name| format!("`{name}`"));
                let column = column.name(Format::Conllu);
                let found =
                    format!("the model reads {column}, and the batch has the columns {names}; expected {needed}");
                return Err(PyValueError::new_err(found));
            };
            Lists::new(child, root.offset()..root.end(), tags).map_err(|found| {
                PyValueError::new_err(format!("column `{}`: found {found}; expected lists of text", child.name()))
            })
        };
        let mut columns = [const { None }; 10];
        for &column in read {
            columns[column as usize] = Some(lists(column)?);
        }
        Ok(Sentences { n_rows: root.len(), tokens: lists(Column::Form)?, columns })
    }

    /// The number of rows.
    pub fn n_rows(&self) -> usize {
        self.n_rows
    }

    /// The sentence of a row; `None` if there is none.
    ///
    /// # Errors
    /// Its error.
    pub fn row(&self, row: usize) -> Result<Option<Row<'_>>, Problem> {
        let problem = |found: String, expected: &str| {
            let location = Location { path: format!("row {row}"), line: 0, sentence: None };
            Problem { location, found, expected: expected.to_owned() }
        };
        let Some((start, n_words)) = self.tokens.range(row) else { return Ok(None) };
        if n_words > treebeam::tree::MAX_WORDS {
            let most = format!("at most {}", treebeam::tree::MAX_WORDS);
            return Err(problem(format!("a sentence of {n_words} words"), &most));
        }
        let (mut starts, mut replaced) = ([None; 10], Vec::new());
        for column in Column::ALL {
            let Some(lists) = &self.columns[column as usize] else { continue };
            let name = column.name(Format::Conllu);
            let Some((start, n)) = lists.range(row) else { continue };
            if n != n_words {
                return Err(problem(format!("{n} values of {name} for {n_words} tokens"), "one for each"));
            }
            for i in start..start + n {
                let text = lists.text(i).map_err(|found| problem(format!("a {name} of {found}"), "text in UTF-8"))?;
                if let Cow::Owned(text) = on_one_line(Cow::Borrowed(text)) {
                    replaced.push(((column as usize, i - start), text));
                }
            }
            starts[column as usize] = Some(start);
        }
        for i in start..start + n_words {
            if self.tokens.text(i).is_ok_and(|text| text.is_empty()) {
                return Err(problem(format!("word {} without a token", i - start + 1), "some text"));
            }
        }
        Ok(Some(Row { sentences: self, row, n_words, starts, replaced }))
    }
}

/// One row, whose values are known to be sound.
pub struct Row<'s> {
    sentences: &'s Sentences<'s>,
    row: usize,
    n_words: usize,
    /// Start of the row's values in each column that it has.
    starts: [Option<usize>; 10],
    /// Values that are read as others, in the order of column and word, from 0; hardly ever any.
    replaced: Vec<((usize, usize), String)>,
}

impl Words for Row<'_> {
    fn n_words(&self) -> usize {
        self.n_words
    }

    fn column(&self, word: Node, column: Column) -> &str {
        let place = (column as usize, usize::from(word) - 1);
        if let Ok(found) = self.replaced.binary_search_by_key(&place, |(place, _)| *place) {
            return &self.replaced[found].1;
        }
        let text = |start: usize| {
            let lists = self.sentences.columns[column as usize].as_ref()?;
            lists.text(start + usize::from(word) - 1).ok().filter(|text| !text.is_empty())
        };
        self.starts[column as usize].and_then(text).unwrap_or("_")
    }

    fn location(&self) -> Location {
        Location { path: format!("row {}", self.row), line: 0, sentence: None }
    }
}

/// A column of lists.
struct Lists<'a> {
    offsets: Offsets<'a>,
    validity: Option<Cow<'a, [u8]>>,
    /// The place of the first row.
    first: usize,
    values: Values<'a>,
}

enum Offsets<'a> {
    Small(Cow<'a, [i32]>),
    Large(Cow<'a, [i64]>),
}

impl<'a> Offsets<'a> {
    fn range(&self, place: usize) -> (usize, usize) {
        match self {
            Offsets::Small(offsets) => (offsets[place] as usize, offsets[place + 1] as usize),
            Offsets::Large(offsets) => (offsets[place] as usize, offsets[place + 1] as usize),
        }
    }

    /// The offsets in the second buffer of an array, and the end of the last value.
    ///
    /// # Errors
    /// If there are none, one is negative, or one is below the one before it.
    fn of(array: &Array<'a>, large: bool) -> Result<(Offsets<'a>, usize), String> {
        // Arrays without values may come without offsets.
        let n = if array.len() == 0 { 0 } else { array.end() + 1 };
        let of_array = array.offset().min(n)..;
        match large {
            false => {
                let offsets = array.buffer::<i32>(1, n)?;
                let end = sound_end(offsets[of_array].iter().map(|&offset| offset.into()))?;
                Ok((Offsets::Small(offsets), end))
            }
            true => {
                let offsets = array.buffer::<i64>(1, n)?;
                let end = sound_end(offsets[of_array].iter().copied())?;
                Ok((Offsets::Large(offsets), end))
            }
        }
    }
}

/// The last of offsets.
///
/// # Errors
/// If they fall.
fn sound_end(offsets: impl Iterator<Item = i64>) -> Result<usize, String> {
    let mut last = 0;
    for offset in offsets {
        if offset < last {
            return Err(format!("the offset {offset} behind {last}"));
        }
        last = offset;
    }
    Ok(last as usize)
}

impl<'a> Lists<'a> {
    /// The lists of these rows.
    fn new(array: &Array<'a>, rows: Range<usize>, tags: &'a [String]) -> Result<Lists<'a>, String> {
        let large = match array.format() {
            "+l" => false,
            "+L" => true,
            other => return Err(format!("values of type `{other}`")),
        };
        if rows.end > array.len() {
            return Err(format!("{} lists for {} rows", array.len(), rows.end));
        }
        let children = array.children()?;
        let child = children.first().ok_or("lists of nothing")?;
        let (offsets, end) = Offsets::of(array, large)?;
        if end > child.len() {
            return Err(format!("an offset of {end}, where there are {} values", child.len()));
        }
        let validity = array.validity()?;
        Ok(Lists { offsets, validity, first: rows.start + array.offset(), values: Values::new(child, tags)? })
    }

    /// The first value of a row and their number; `None` if there is no list.
    fn range(&self, row: usize) -> Option<(usize, usize)> {
        let place = self.first + row;
        if !is_valid(self.validity.as_deref(), place) {
            return None;
        }
        let (start, end) = self.offsets.range(place);
        Some((start, end - start))
    }

    /// A value, empty if it is none.
    fn text(&self, place: usize) -> Result<&str, String> {
        self.values.text(place)
    }
}

fn is_valid(validity: Option<&[u8]>, place: usize) -> bool {
    validity.is_none_or(|bits| bits[place / 8] >> (place % 8) & 1 == 1)
}

/// The values of all lists.
struct Values<'a> {
    kind: Kind<'a>,
    validity: Option<Cow<'a, [u8]>>,
    first: usize,
}

enum Kind<'a> {
    Text(Offsets<'a>, Cow<'a, [u8]>),
    /// Views: short text stands in them, long text where they say.
    Views(Cow<'a, [u128]>, Vec<Cow<'a, [u8]>>),
    /// Numbers of these names.
    Numbers(Numbers<'a>, &'a [String]),
    /// Nothing but nulls.
    Null,
}

enum Numbers<'a> {
    I8(Cow<'a, [i8]>),
    U8(Cow<'a, [u8]>),
    I16(Cow<'a, [i16]>),
    U16(Cow<'a, [u16]>),
    I32(Cow<'a, [i32]>),
    U32(Cow<'a, [u32]>),
    I64(Cow<'a, [i64]>),
    U64(Cow<'a, [u64]>),
}

impl Numbers<'_> {
    fn get(&self, place: usize) -> i128 {
        match self {
            Numbers::I8(numbers) => numbers[place].into(),
            Numbers::U8(numbers) => numbers[place].into(),
            Numbers::I16(numbers) => numbers[place].into(),
            Numbers::U16(numbers) => numbers[place].into(),
            Numbers::I32(numbers) => numbers[place].into(),
            Numbers::U32(numbers) => numbers[place].into(),
            Numbers::I64(numbers) => numbers[place].into(),
            Numbers::U64(numbers) => numbers[place].into(),
        }
    }
}

impl<'a> Values<'a> {
    fn new(array: &Array<'a>, tags: &'a [String]) -> Result<Values<'a>, String> {
        if array.is_dictionary() {
            return Err("values that are encoded by a dictionary".to_owned());
        }
        let n = array.end();
        let numbers = |numbers: Result<Numbers<'a>, String>| numbers.map(|numbers| Kind::Numbers(numbers, tags));
        let kind = match array.format() {
            "u" | "U" => {
                let (offsets, end) = Offsets::of(array, array.format() == "U")?;
                array.buffer(2, end).map(|data| Kind::Text(offsets, data))
            }
            "vu" => views(array, n),
            "c" => numbers(array.buffer(1, n).map(Numbers::I8)),
            "C" => numbers(array.buffer(1, n).map(Numbers::U8)),
            "s" => numbers(array.buffer(1, n).map(Numbers::I16)),
            "S" => numbers(array.buffer(1, n).map(Numbers::U16)),
            "i" => numbers(array.buffer(1, n).map(Numbers::I32)),
            "I" => numbers(array.buffer(1, n).map(Numbers::U32)),
            "l" => numbers(array.buffer(1, n).map(Numbers::I64)),
            "L" => numbers(array.buffer(1, n).map(Numbers::U64)),
            "n" => Ok(Kind::Null),
            other => return Err(format!("lists of type `{other}`")),
        };
        Ok(Values { kind: kind?, validity: array.validity()?, first: array.offset() })
    }

    fn text(&self, place: usize) -> Result<&str, String> {
        let place = place + self.first;
        if matches!(self.kind, Kind::Null) || !is_valid(self.validity.as_deref(), place) {
            return Ok("");
        }
        let bytes = match &self.kind {
            Kind::Text(offsets, data) => {
                let (start, end) = offsets.range(place);
                data.get(start..end).ok_or("an impossible length")?
            }
            Kind::Views(views, data) => view(&views[place], data).ok_or("an impossible length")?,
            Kind::Numbers(numbers, names) => {
                let number = numbers.get(place);
                let name = usize::try_from(number).ok().and_then(|number| names.get(number));
                return match name {
                    Some(name) => Ok(name),
                    None => Err(format!("number {number}, where there are {} names", names.len())),
                };
            }
            Kind::Null => return Ok(""),
        };
        std::str::from_utf8(bytes).map_err(|_| "bytes that are not UTF-8".to_owned())
    }
}

/// The views of an array, and the buffers that they lead to.
fn views<'a>(array: &Array<'a>, n: usize) -> Result<Kind<'a>, String> {
    // The last buffer has the sizes of those between the views and it.
    let n_data = array.n_buffers().checked_sub(3).ok_or("too few buffers")?;
    let sizes = array.buffer::<i64>(n_data + 2, n_data)?;
    let data = sizes.iter().enumerate().map(|(i, &size)| {
        let size = usize::try_from(size).map_err(|_| format!("a buffer of {size} bytes"))?;
        array.buffer::<u8>(i + 2, size)
    });
    Ok(Kind::Views(array.buffer(1, n)?, data.collect::<Result<_, _>>()?))
}

/// The text of a view: four bytes of length, then the text itself if it is of up to twelve bytes, else four bytes of it and the
/// number of a buffer and a place there.
fn view<'v>(view: &'v u128, data: &'v [Cow<'_, [u8]>]) -> Option<&'v [u8]> {
    let number = |at: usize| {
        let bytes = super::imported::bytes(view)[at..at + 4].try_into().unwrap_or_default();
        u32::from_ne_bytes(bytes) as usize
    };
    let length = number(0);
    if length > 12 {
        return data.get(number(8))?.get(number(12)..)?.get(..length);
    }
    super::imported::bytes(view).get(4..4 + length)
}
