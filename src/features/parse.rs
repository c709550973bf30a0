//! The `.feat` language.
//!
//! ```text
//! # a comment
//! S0.w S0.p          one template a line: atoms, separated by blanks, read together
//! S0.wp B0.wp        .wp stands for .w and .p
//! S0.l1.label        steps in the tree: .h .h.h .l1 .l2 .r1 .r2 .l1.l1 .r1.r1
//! S0.prev.p S0.next.w  steps in the sentence: the word before it and the word behind it, whatever the tree
//! S0.p dist(S0,B0)   the distance between two places
//! S0.p S0.size       the size of its partial tree, in classes as distances are; S0.leaf: whether it has no dependents
//! S0.suf3 S0.pre2 S0.shape  inside the word: its last three letters, its first two, the pattern of capitals, digits and signs
//! S0.c4 S0.c         the first four steps of the path to the word's cluster (`--clusters`), the whole path
//! S0.feats:Case S0.misc:Gloss  the value of one name in a list of them; _ where it lacks it
//! S0.column:PARSEME:MWE  another column of CoNLL-U Plus, by its name
//! S0.p=ADP|IN B0.w   only where the tag is ADP or IN; elsewhere one and the same feature, whatever B0.w
//! A1 A2              the last action and the one before it, each with its label; as far back as A4
//! source             the name of the treebank that the sentence is of, of several (`--train NAME=FILE`)
//! 1                  a constant
//!
//! slot s = S0.wp     a name for some atoms, for `cross`
//! slot b = B0.wp
//! cross s b          a template for each choice of one atom from each slot: S0.w B0.w, S0.w B0.p, S0.p B0.w, S0.p B0.p
//! cross s s          each pair once: S0.w S0.p
//! cross s            S0.w, S0.p
//! ```
//!
//! Conditions (`=`) are of columns, at most one a template; it counts as an atom.

use hashbrown::hash_map::Entry;
use hashbrown::{HashMap, HashSet};

use super::line::{LineFault, code, column, quoted, words};
use super::{Address, Atom, Attribute, FeatureSet, NetworkSet, Step, Template, TextPart};
use crate::configuration::{History, Role, Slot};
use crate::error::{Problem, Result, excerpt};

/// The most atoms a template may have.
pub const MAX_ATOMS: usize = 6;

/// The most templates a set may have: sums of so many weights stay far from the score of forbidden actions.
const MAX_TEMPLATES: usize = 1024;

/// The most different conditions a set may have: those of templates that read the same places are numbered together with
/// the other atoms, in a byte.
const MAX_CONDITIONS: usize = 100;

/// The most different things that a set may read inside columns: these and whole columns are numbered in a byte.
const MAX_INSIDE: usize = 64;

impl FeatureSet {
    /// Parses a feature set; `path` is what errors call the file.
    ///
    /// # Errors
    /// The first problem, with line and column: an unknown address or attribute, an atom twice in a template, a template
    /// twice in the set, too many atoms, no template at all.
    pub fn parse(name: &str, path: &str, text: &str) -> Result<FeatureSet> {
        if NetworkSet::is_one(text) {
            let expected = "templates, such as `S0.w B0.p`; sets for networks are for --places";
            return Err(Problem::at(path, 0, "a set for networks", expected).into());
        }
        let mut templates: Vec<Template> = Vec::new();
        // The lines of templates by their atoms, in order.
        let mut lines: HashMap<Vec<Atom>, usize> = HashMap::new();
        let mut conditions: HashSet<Atom> = HashSet::new();
        let mut inside: HashSet<Attribute> = HashSet::new();
        let mut slots: Vec<(&str, Vec<Atom>)> = Vec::new();
        for (index, line) in text.lines().enumerate() {
            let located = |(at, found, expected): LineFault| {
                Problem::at(path, index + 1, format!("column {}: {found}", column(line, at)), expected)
            };
            let code = code(line);
            let keyword = words(code).next().map_or("", |(_, word)| word);
            match keyword {
                "slot" => slots.push(slot(code, &slots).map_err(located)?),
                "cross" => {
                    for atoms in cross(code, &slots).map_err(located)? {
                        let template = Template { atoms, line: index + 1 };
                        if let Entry::Vacant(entry) = lines.entry(template.sorted_atoms()) {
                            entry.insert(template.line);
                            conditions.extend(template.atoms.iter().filter(|atom| is_condition(atom)).cloned());
                            inside.extend(template.atoms.iter().filter_map(read_inside));
                            templates.push(template);
                        }
                    }
                }
                _ => {
                    let atoms = atoms(words(code)).map_err(located)?;
                    if atoms.is_empty() {
                        continue;
                    }
                    check(&atoms).map_err(|(found, expected)| located((offset(line), found, expected)))?;
                    let template = Template { atoms, line: index + 1 };
                    if let Some(earlier) = lines.insert(template.sorted_atoms(), template.line) {
                        let found = format!("the template of line {earlier} again");
                        return Err(located((offset(line), found, "each template once".to_owned())).into());
                    }
                    conditions.extend(template.atoms.iter().filter(|atom| is_condition(atom)).cloned());
                    inside.extend(template.atoms.iter().filter_map(read_inside));
                    templates.push(template);
                }
            }
            let too_many = |n: usize, most: usize, what: &str| {
                let found = || format!("a set of more than {most} {what}");
                if n > most { Err(located((offset(line), found(), "fewer of them".to_owned()))) } else { Ok(()) }
            };
            too_many(templates.len(), MAX_TEMPLATES, "templates")?;
            too_many(conditions.len(), MAX_CONDITIONS, "different conditions")?;
            too_many(inside.len(), MAX_INSIDE, "different parts of columns")?;
        }
        if templates.is_empty() {
            return Err(Problem::at(path, 0, "no template", "one template a line, such as `S0.w B0.p`").into());
        }
        Ok(FeatureSet { name: name.to_owned(), text: text.to_owned(), templates })
    }

    /// Checks that the set makes sense for `system`. `buffer_is_suffix` says whether words behind B0 have no arcs there
    /// ([`SystemInfo::buffer_is_suffix`](crate::system::SystemInfo::buffer_is_suffix)).
    ///
    /// # Errors
    /// The first atom that reads arcs of a word that never has any, with line and column.
    pub fn check(&self, system: &str, buffer_is_suffix: bool) -> Result<()> {
        for (index, line) in self.text.lines().enumerate().filter(|_| buffer_is_suffix) {
            for (start, word) in words(code(line)) {
                let atoms = atom(word).unwrap_or_default();
                let of_arcs = |&(role, slot): &(Role, Slot)| role.in_buffer() && role != Role::B0 && slot != Slot::Node;
                if let Some((role, _)) = atoms.iter().flat_map(Atom::slots).find(of_arcs) {
                    let found = format!("column {}: {}", column(line, start), quoted(word));
                    let expected = format!(
                        "of {role} only columns of the word itself, such as {role}.w: in {system} it has no arcs yet"
                    );
                    return Err(Problem::at(self.path(), index + 1, found, expected).into());
                }
            }
        }
        Ok(())
    }
}

/// Byte at which the first word of a line starts.
fn offset(line: &str) -> usize {
    line.len() - line.trim_start().len()
}

/// The atoms that words stand for.
fn atoms<'t>(words: impl Iterator<Item = (usize, &'t str)>) -> Result<Vec<Atom>, LineFault> {
    let mut atoms: Vec<Atom> = Vec::new();
    for (start, word) in words {
        for atom in atom(word).map_err(|(offset, found, expected)| (start + offset, found, expected))? {
            if atoms.contains(&atom) {
                return Err((
                    start,
                    format!("{} twice in one template", excerpt(&atom.to_string())),
                    "each atom once".to_owned(),
                ));
            }
            atoms.push(atom);
        }
    }
    Ok(atoms)
}

fn is_condition(atom: &Atom) -> bool {
    matches!(atom, Atom::Is(..))
}

fn read_inside(atom: &Atom) -> Option<Attribute> {
    atom.attribute().filter(|attribute| matches!(attribute, Attribute::Inside(..)))
}

/// Checks that these atoms can be a template; if not, what was found and what was expected.
fn check(atoms: &[Atom]) -> Result<(), (String, String)> {
    if let Some(second) = atoms.iter().filter(|atom| is_condition(atom)).nth(1) {
        return Err((format!("a second condition, {}", quoted(&second.to_string())), "at most one".to_owned()));
    }
    if atoms.iter().all(is_condition) {
        return Err(("a condition alone".to_owned(), "atoms beside it".to_owned()));
    }
    if atoms.len() > MAX_ATOMS {
        return Err((format!("a template of {} atoms", atoms.len()), format!("at most {MAX_ATOMS}")));
    }
    Ok(())
}

/// The slot that a line defines.
fn slot<'t>(code: &'t str, known: &[(&str, Vec<Atom>)]) -> Result<(&'t str, Vec<Atom>), LineFault> {
    let mut rest = words(code).skip(1);
    let expected = || "slot NAME = ATOM ATOM ..., such as slot s = S0.wp".to_owned();
    let (Some((start, name)), Some((_, "="))) = (rest.next(), rest.next()) else {
        return Err((offset(code), quoted(code.trim()), expected()));
    };
    if known.iter().any(|(other, _)| *other == name) {
        return Err((start, format!("slot {} again", quoted(name)), "each name once".to_owned()));
    }
    let atoms = atoms(rest)?;
    if atoms.is_empty() {
        return Err((offset(code), quoted(code.trim()), expected()));
    }
    Ok((name, atoms))
}

/// The templates of a line that crosses slots: each choice of one atom from each, but for those that take an atom twice.
fn cross(code: &str, slots: &[(&str, Vec<Atom>)]) -> Result<Vec<Vec<Atom>>, LineFault> {
    let mut templates: Vec<Vec<Atom>> = vec![Vec::new()];
    let mut n_slots = 0;
    for (start, name) in words(code).skip(1) {
        let Some((_, atoms)) = slots.iter().find(|(known, _)| *known == name) else {
            return Err((
                start,
                format!("unknown slot {}", quoted(name)),
                "slots that lines above it define".to_owned(),
            ));
        };
        if n_slots == MAX_ATOMS || templates.len().saturating_mul(atoms.len()) > 16 * MAX_TEMPLATES {
            let found = format!("more than {MAX_ATOMS} slots or {} combinations", 16 * MAX_TEMPLATES);
            return Err((start, found, "fewer of them in one `cross`".to_owned()));
        }
        let with = |template: &Vec<Atom>, atom: &Atom| [&template[..], std::slice::from_ref(atom)].concat();
        let longer = templates.iter().flat_map(|template| atoms.iter().map(move |atom| with(template, atom)));
        templates = longer.collect();
        n_slots += 1;
    }
    if n_slots == 0 {
        return Err((offset(code), "`cross` alone".to_owned(), "names of slots behind it".to_owned()));
    }
    templates.retain(|atoms| (1..atoms.len()).all(|i| !atoms[..i].contains(&atoms[i])));
    for atoms in &templates {
        check(atoms).map_err(|(found, expected)| (offset(code), found, expected))?;
    }
    Ok(templates)
}

fn atom(word: &str) -> Result<Vec<Atom>, LineFault> {
    if word == "1" {
        return Ok(vec![Atom::One]);
    }
    if word == "source" {
        return Ok(vec![Atom::Source]);
    }
    if let Some(number) = word.strip_prefix('A') {
        let known = number.parse::<u8>().ok().filter(|&number| (1..=History::LENGTH as u8).contains(&number));
        let expected = || format!("A1 to A{}, the last actions", History::LENGTH);
        return Ok(vec![Atom::Action(known.ok_or_else(|| (0, quoted(word), expected()))? - 1)]);
    }
    if let Some(places) = word.strip_prefix("dist(") {
        let fault = || (5, quoted(word), "dist(PLACE,PLACE), such as dist(S0,B0)".to_owned());
        let (a, b) = places.strip_suffix(')').and_then(|places| places.split_once(',')).ok_or_else(fault)?;
        let (a, b) = (role(a, 5)?, role(b, 6 + a.len())?);
        return if a == b { Err(fault()) } else { Ok(vec![Atom::Distance(a, b)]) };
    }
    let (word, values) = match word.split_once('=') {
        Some((word, values)) => (word, Some(values)),
        None => (word, None),
    };
    let (address, attribute) = word
        .rsplit_once('.')
        .ok_or_else(|| (0, quoted(word), "PLACE.ATTRIBUTE, such as S0.w, S0.l1.label, or dist(S0,B0)".to_owned()))?;
    let (place, step) = address.split_at(address.find('.').unwrap_or(address.len()));
    let role = role(place, 0)?;
    let step = Step::ALL.iter().find(|(_, spelling)| *spelling == step).map(|&(step, _)| step).ok_or_else(|| {
        let known = Step::ALL.iter().skip(1).map(|(_, s)| *s).collect::<Vec<_>>().join(" ");
        (place.len(), format!("unknown step {}", quoted(step)), format!("one of {known}"))
    })?;
    let address = Address { role, step };
    let offset = word.len() - attribute.len();
    let attributes = attributes(attribute).map_err(|(found, expected)| (offset, found, expected))?;
    let of_place_only = |attribute: &Attribute| {
        use Attribute::{Leaf, LeftLabels, LeftValency, RightLabels, RightValency, Size};
        matches!(attribute, LeftValency | RightValency | LeftLabels | RightLabels | Size | Leaf)
    };
    if step != Step::Here && attributes.iter().any(of_place_only) {
        let expected = "valencies, label sets and sizes only of a place itself, such as S0.vl".to_owned();
        return Err((offset, quoted(word), expected));
    }
    if step.is_in_sentence() && !attributes.iter().all(|attribute| attribute.is_column()) {
        let expected = format!("of a neighbour in the sentence only columns, such as {place}.prev.p");
        return Err((offset, quoted(word), expected));
    }
    let Some(values) = values else {
        return Ok(attributes.into_iter().map(|attribute| Atom::Of(address, attribute)).collect());
    };
    let offset = word.len() + 1;
    let &[attribute] = &attributes[..] else {
        return Err((offset, quoted(&format!("{word}={values}")), "one attribute, such as S0.p=ADP".to_owned()));
    };
    if !attribute.is_column() || matches!(attribute, Attribute::Inside(_, TextPart::Each)) {
        let expected = "a condition on a column of the word, such as S0.p=ADP".to_owned();
        return Err((offset, quoted(&format!("{word}={values}")), expected));
    }
    let values: Vec<String> = values.split('|').map(str::to_owned).collect();
    if values.iter().any(String::is_empty) {
        return Err((
            offset,
            format!("{} and no value", quoted(&format!("{word}="))),
            "values with | between them, such as ADP|IN".to_owned(),
        ));
    }
    Ok(vec![Atom::Is(address, attribute, values)])
}

/// The attributes that a spelling stands for; what was found and expected if there are none.
fn attributes(spelling: &str) -> Result<Vec<Attribute>, (String, String)> {
    if spelling == "wp" {
        return Ok(vec![Attribute::Word, Attribute::Tag]);
    }
    match Attribute::spelled(spelling) {
        Some(attribute) => Ok(vec![attribute]),
        None => {
            let known = Attribute::ALL.iter().map(|(_, known)| *known).collect::<Vec<_>>().join(" ");
            let expected = format!(
                "one of wp {known} pre1 to pre5 suf1 to suf5 shape c1 to c32 c feats:NAME misc:NAME feats* misc* column:NAME"
            );
            Err((format!("unknown attribute {}", quoted(spelling)), expected))
        }
    }
}

fn role(text: &str, offset: usize) -> Result<Role, LineFault> {
    let nodes = || Role::ALL.into_iter().filter(|&role| role != Role::A);
    nodes().find(|role| role.name() == text).ok_or_else(|| {
        let known = nodes().map(Role::name).collect::<Vec<_>>().join(" ");
        (offset, format!("unknown place {}", quoted(text)), format!("one of {known}"))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn error(text: &str) -> String {
        FeatureSet::parse("test", "test.feat", text).unwrap_err().to_string()
    }

    #[test]
    fn messages_repeat_no_more_than_an_excerpt() {
        let long = "x".repeat(100_000);
        let starts = ["", "S0.", "S0.w.", "S0.w=", "dist(", "A", "slot ", "cross ", "S0.w S0.", "S0.p=a|"];
        for text in starts.map(|start| format!("{start}{long}\n{start}{long}\n")) {
            for name in ["", "network\n"] {
                let text = format!("{name}{text}");
                let message = match name {
                    "" => FeatureSet::parse("test", "test.feat", &text).map(drop),
                    _ => NetworkSet::parse("test", "test.feat", &text).map(drop),
                };
                let message = message.map_err(|error| error.to_string()).err().unwrap_or_default();
                assert!(message.len() < 1000, "{} bytes for {}", message.len(), &text[..20]);
            }
        }
    }

    #[test]
    fn atoms_inside_columns_are_written_as_they_are_read() {
        let text = "S0.pre1 S0.suf5 S0.shape\nS0.c4 S0.c B1.c32\nB0.feats:Case S0.l1.feats:Person[psor]\nB0.prev.suf2 B0.misc:Gloss\nS0.feats* B0.misc*\nS0.feats:Case=Nom|Acc B0.w\nS0.column:PARSEME:MWE B0.next.column:NER";
        let set = FeatureSet::parse("inside", "inside.feat", text).unwrap();
        let templates: Vec<String> = set.templates.iter().map(Template::to_string).collect();
        assert_eq!(templates, text.lines().collect::<Vec<_>>());
        let expected = "shape c1 to c32 c feats:NAME misc:NAME feats* misc* column:NAME";
        for wrong in [
            "S0.pre0",
            "S0.pre6",
            "S0.suf",
            "S0.feats:",
            "S0.column:",
            "S0.lemma*",
            "S0.lemma:Case",
            "S0.xpos:x",
            "S0.préx",
            "S0.c0",
            "S0.c33",
            "S0.cx",
        ] {
            assert!(error(wrong).contains(expected), "{wrong}: {}", error(wrong));
        }
        let many: String = (0..65).map(|n| format!("S0.feats:N{n}\n")).collect();
        assert!(error(&many).contains("a set of more than 64 different parts of columns"), "{}", error(&many));
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
        assert!(
            error("S0.prev.label")
                .contains("column 9: `S0.prev.label`; expected of a neighbour in the sentence only columns")
        );
        assert!(error("S0.r1.size").contains("sizes only of a place itself"));
        assert!(error("S0.label=obj S0.w").contains("column 10: `S0.label=obj`; expected a condition on a column"));
        assert!(error("S0.wp=x S0.w").contains("one attribute"));
        assert!(error("S0.p=ADP| S0.w").contains("column 6: `S0.p=` and no value"));
        assert!(error("S0.p=ADP").contains("a condition alone"));
        assert!(error("S0.w S0.p=ADP B0.p=DET").contains("a second condition, `B0.p=DET`"));
        assert!(error("# nothing\n").contains("no template"));
        assert!(error("S0").contains("PLACE.ATTRIBUTE"));
        assert!(error("S0.w S1.w S2.w S3.w B0.w B1.w B2.w").contains("7 atoms"));
        let conditions: String = (0..255).map(|i| format!("S0.w S0.p=T{i}\n")).collect();
        assert!(error(&conditions).starts_with("test.feat:101: column 1: a set of more than 100 different conditions"));
        let wide = format!(
            "slot a = {}\ncross a a a a\n",
            "S0.w S1.w S2.w S3.w B0.w B1.w B2.w B0.p S0.p S1.p S2.p S3.p B1.p B2.p S0.l1.w S0.r1.w S1.l1.w"
        );
        assert!(error(&wide).contains("fewer of them in one `cross`"), "{}", error(&wide));
    }

    #[test]
    fn words_behind_b0_have_arcs_only_where_the_buffer_is_no_suffix() {
        let set = |text: &str| FeatureSet::parse("my", "my.feat", text).unwrap();
        for wrong in ["B1.l1.wp", "B3.sl", "B2.size"] {
            let set = set(&format!("S0.w\nS0.p  {wrong}  # B1.label"));
            set.check("easy-first", false).unwrap();
            let error = set.check("arc-eager", true).unwrap_err().to_string();
            assert!(error.starts_with(&format!("my.feat:2: column 7: `{wrong}`; expected of B")), "{error}");
        }
        set("B1.wp B2.lemma dist(S0,B1)\nB0.l1.label").check("arc-eager", true).unwrap();
    }

    #[test]
    fn slots_are_crossed() {
        let text =
            "slot s = S0.wp\nslot b = B0.wp dist(S0,B0)  # with a distance\ncross s\ncross s b\ncross s s\ncross s b s";
        let set = FeatureSet::parse("test", "-", text).unwrap();
        let templates: Vec<String> = set.templates.iter().map(Template::to_string).collect();
        let expected = [
            "S0.w",
            "S0.p",
            "S0.w B0.w",
            "S0.w B0.p",
            "S0.w dist(S0,B0)",
            "S0.p B0.w",
            "S0.p B0.p",
            "S0.p dist(S0,B0)",
            "S0.w S0.p",
            "S0.w B0.w S0.p",
            "S0.w B0.p S0.p",
            "S0.w dist(S0,B0) S0.p",
        ];
        assert_eq!(templates, expected);
        assert!(error("slot s S0.w").contains("column 1: `slot s S0.w`; expected slot NAME = ATOM"));
        assert!(error("slot s = S0.w\nslot s = S0.p").contains("test.feat:2: column 6: slot `s` again"));
        assert!(error("cross s").contains("column 7: unknown slot `s`"));
        assert!(error("cross").contains("names of slots"));
        assert!(error("slot s = S0.p=X\ncross s").contains("a condition alone"));
        assert!(error("A5 S0.w").contains("column 1: `A5`; expected A1 to A4"));
    }

    #[test]
    fn templates_print_as_they_are_written() {
        for template in [
            "S0.h.h.p dist(S0,B0) B1.lemma",
            "S0.l1.p=ADP|IN S0.size B0.leaf",
            "A1 A4 S0.w",
            "S0.prev.p=ADP S1.next.w B2.prev.lemma",
            "1",
        ] {
            let set = FeatureSet::parse("test", "-", &format!("{template}  # why\n")).unwrap();
            assert_eq!(set.templates[0].to_string(), template);
        }
    }
}
