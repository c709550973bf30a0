//! The `.feat` language.
//!
//! ```text
//! # a comment
//! S0.w S0.p          one template a line: atoms, separated by blanks, read together
//! S0.wp B0.wp        .wp stands for .w and .p
//! S0.l1.label        steps: .h .h.h .l1 .l2 .r1 .r2
//! S0.p dist(S0,B0)   the distance between two places
//! ```

use super::{Address, Atom, Attribute, FeatureSet, Step, Template};
use crate::configuration::Role;
use crate::error::{Location, Problem, Result};

/// The most atoms a template may have.
pub const MAX_ATOMS: usize = 6;

impl FeatureSet {
    /// Parses a feature set; `path` is what errors call the file.
    ///
    /// # Errors
    /// The first problem, with line and column: an unknown address or attribute, an atom twice in a template, a template
    /// twice in the set, too many atoms, no template at all.
    pub fn parse(name: &str, path: &str, text: &str) -> Result<FeatureSet> {
        let mut templates: Vec<Template> = Vec::new();
        for (index, line) in text.lines().enumerate() {
            let problem = |column: usize, found: String, expected: &str| Problem {
                location: Location { path: path.to_owned(), line: index + 1, sentence: None },
                found: format!("column {column}: {found}"),
                expected: expected.to_owned(),
            };
            let code = line.split('#').next().unwrap_or("");
            let mut atoms: Vec<Atom> = Vec::new();
            for (start, word) in words(code) {
                let column = line[..start].chars().count() + 1;
                for atom in
                    atom(word).map_err(|(offset, found, expected)| problem(column + offset, found, &expected))?
                {
                    if atoms.contains(&atom) {
                        return Err(problem(column, format!("{atom} twice in one template"), "each atom once").into());
                    }
                    atoms.push(atom);
                }
            }
            if atoms.is_empty() {
                continue;
            }
            if atoms.len() > MAX_ATOMS {
                let found = format!("a template of {} atoms", atoms.len());
                return Err(problem(1, found, &format!("at most {MAX_ATOMS}")).into());
            }
            let template = Template { atoms, line: index + 1 };
            if let Some(earlier) = templates.iter().find(|earlier| earlier.same_atoms(&template)) {
                let found = format!("the template of line {} again", earlier.line);
                return Err(problem(1, found, "each template once").into());
            }
            templates.push(template);
        }
        if templates.is_empty() {
            return Err(Problem {
                location: Location { path: path.to_owned(), line: 0, sentence: None },
                found: "no template".to_owned(),
                expected: "one template a line, such as `S0.w B0.p`".to_owned(),
            }
            .into());
        }
        Ok(FeatureSet { name: name.to_owned(), text: text.to_owned(), templates })
    }
}

/// The blank-separated words of `line` with the byte offsets at which they start.
fn words(line: &str) -> impl Iterator<Item = (usize, &str)> {
    line.split_whitespace().map(move |word| (word.as_ptr() as usize - line.as_ptr() as usize, word))
}

/// What is wrong with a word: the offset in characters, what was found, what was expected.
type Fault = (usize, String, String);

fn atom(word: &str) -> Result<Vec<Atom>, Fault> {
    if let Some(places) = word.strip_prefix("dist(") {
        let fault = || (5, format!("`{word}`"), "dist(PLACE,PLACE), such as dist(S0,B0)".to_owned());
        let (a, b) = places.strip_suffix(')').and_then(|places| places.split_once(',')).ok_or_else(fault)?;
        let (a, b) = (role(a, 5)?, role(b, 6 + a.chars().count())?);
        return if a == b { Err(fault()) } else { Ok(vec![Atom::Distance(a, b)]) };
    }
    let (address, attribute) = word.rsplit_once('.').ok_or_else(|| {
        (0, format!("`{word}`"), "PLACE.ATTRIBUTE, such as S0.w, S0.l1.label, or dist(S0,B0)".to_owned())
    })?;
    let (place, step) = address.split_at(address.find('.').unwrap_or(address.len()));
    let role = role(place, 0)?;
    let step = Step::ALL.iter().find(|(_, spelling)| *spelling == step).map(|&(step, _)| step).ok_or_else(|| {
        let known = Step::ALL.iter().skip(1).map(|(_, s)| *s).collect::<Vec<_>>().join(" ");
        (place.len(), format!("unknown step `{step}`"), format!("one of {known}"))
    })?;
    let address = Address { role, step };
    let offset = word.chars().count() - attribute.chars().count();
    let attributes = attributes(attribute).map_err(|(found, expected)| (offset, found, expected))?;
    let of_place_only = |attribute: &Attribute| {
        use Attribute::{LeftLabels, LeftValency, RightLabels, RightValency};
        matches!(attribute, LeftValency | RightValency | LeftLabels | RightLabels)
    };
    if step != Step::Here && attributes.iter().any(of_place_only) {
        let expected = "valencies and label sets only of a place itself, such as S0.vl".to_owned();
        return Err((offset, format!("`{word}`"), expected));
    }
    let of_the_word =
        |attribute: &Attribute| matches!(attribute, Attribute::Word | Attribute::Tag | Attribute::Column(_));
    if role > Role::B0 && !(step == Step::Here && attributes.iter().all(of_the_word)) {
        let expected = format!("of {role} only columns of the word itself, such as {role}.w: it has no arcs yet");
        return Err((offset, format!("`{word}`"), expected));
    }
    Ok(attributes.into_iter().map(|attribute| Atom::Of(address, attribute)).collect())
}

/// The attributes that a spelling stands for; what was found and expected if there are none.
fn attributes(spelling: &str) -> Result<Vec<Attribute>, (String, String)> {
    if spelling == "wp" {
        return Ok(vec![Attribute::Word, Attribute::Tag]);
    }
    match Attribute::ALL.iter().find(|(_, known)| *known == spelling) {
        Some(&(attribute, _)) => Ok(vec![attribute]),
        None => {
            let known = Attribute::ALL.iter().map(|(_, known)| *known).collect::<Vec<_>>().join(" ");
            Err((format!("unknown attribute `{spelling}`"), format!("one of wp {known}")))
        }
    }
}

fn role(text: &str, offset: usize) -> Result<Role, Fault> {
    Role::ALL.into_iter().find(|role| role.to_string() == text).ok_or_else(|| {
        let known = Role::ALL.map(|role| role.to_string()).join(" ");
        (offset, format!("unknown place `{text}`"), format!("one of {known}"))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn error(text: &str) -> String {
        FeatureSet::parse("test", "test.feat", text).unwrap_err().to_string()
    }

    #[test]
    fn errors_name_line_and_column() {
        assert!(
            error("S0.w\nS0.w X0.p\n").starts_with("test.feat:2: column 6: unknown place `X0`; expected one of S0")
        );
        assert!(error("S0.q").starts_with("test.feat:1: column 4: unknown attribute `q`"));
        assert!(error("S0.l3.w").starts_with("test.feat:1: column 3: unknown step `.l3`"));
        assert!(error("S0.wp S0.w").contains("S0.w twice"));
        assert!(error("S0.w B0.w\nB0.w S0.w").contains("test.feat:2: column 1: the template of line 1 again"));
        assert!(error("dist(S0)").contains("dist(PLACE,PLACE)"));
        assert!(error("dist(S0,S9)").contains("column 9: unknown place `S9`"));
        assert!(error("S0.l1.vl").contains("only of a place itself"));
        assert!(error("B1.l1.wp").contains("of B1 only columns of the word itself"));
        assert!(error("B3.sl").contains("of B3 only columns of the word itself"));
        assert!(error("# nothing\n").contains("no template"));
        assert!(error("S0").contains("PLACE.ATTRIBUTE"));
        assert!(error("S0.w S1.w S2.w S3.w B0.w B1.w B2.w").contains("7 atoms"));
    }

    #[test]
    fn templates_print_as_they_are_written() {
        let set = FeatureSet::parse("test", "-", "S0.h.h.p dist(S0,B0) B1.lemma # why\n").unwrap();
        assert_eq!(set.templates[0].to_string(), "S0.h.h.p dist(S0,B0) B1.lemma");
    }
}
