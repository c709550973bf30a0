//! Feature sets that read words by position only: what exact search by tabulation needs.

use super::{Atom, FeatureSet};
use crate::configuration::{Role, Slot};
use crate::error::{Problem, Result};

impl FeatureSet {
    /// Checks that the set reads nothing but columns of words and distances between them, of these places and of those
    /// in the buffer; `what` says who needs that.
    ///
    /// # Errors
    /// The first template that reads anything else, with its line, its text and the atom.
    pub fn check_positional(&self, what: &str, places: &[Role]) -> Result<()> {
        for template in &self.templates {
            let Some((atom, reads)) = template.atoms.iter().find_map(|atom| Some((atom, beyond(atom, places)?))) else {
                continue;
            };
            let names: Vec<String> = places.iter().map(Role::to_string).collect();
            let found = format!("template `{template}`, whose `{atom}` reads {reads}");
            let expected = format!(
                "for {what}, templates that read words by position only: columns (.w .p .form .lemma .upos .xpos .feats) of {}, \
                 B0 to B3 and their neighbours (.prev .next), and distances between these places; the built-in sets \
                 `minimal` and `minimal-stack` are such sets",
                names.join(", ")
            );
            return Err(Problem::at(self.path(), template.line, found, expected).into());
        }
        Ok(())
    }

    /// True if any template reads this place.
    pub fn reads(&self, place: Role) -> bool {
        let mut slots = self.templates.iter().flat_map(|template| &template.atoms).flat_map(Atom::slots);
        slots.any(|(role, _)| role == place)
    }
}

/// Part of an atom that goes beyond the positions of these places, if any.
fn beyond(atom: &Atom, places: &[Role]) -> Option<String> {
    if let Atom::Action(_) = atom {
        return Some("the last actions".to_owned());
    }
    let slots = atom.slots();
    if slots.iter().any(|&(_, slot)| slot != Slot::Node) {
        return Some("arcs that were made before".to_owned());
    }
    // The slot of a node holds only columns of the place itself.
    let known = |role: Role| role.in_buffer() || places.contains(&role);
    slots
        .iter()
        .find(|&&(role, _)| !known(role))
        .map(|(role, _)| format!("{role}, which is not among the words it may read"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_template_and_the_atom_are_named() {
        let set = |text: &str| FeatureSet::parse("my", "my.feat", text).unwrap();
        let places = [Role::S0, Role::S1];
        set("1\nS0.w B2.next.p\ndist(S1,B0) S1.prev.p=ADP S0.p").check_positional("x", &places).unwrap();
        for (template, reads) in [
            ("S0.p S0.l1.p", "`S0.l1.p` reads arcs that were made before"),
            ("S0.label", "`S0.label` reads arcs"),
            ("B0.vl", "`B0.vl` reads arcs"),
            ("B0.sl", "`B0.sl` reads arcs"),
            ("S0.size", "`S0.size` reads arcs"),
            ("S0.leaf", "`S0.leaf` reads arcs"),
            ("A1 S0.p", "`A1` reads the last actions"),
            ("S2.next.p", "`S2.next.p` reads S2, which"),
            ("dist(S3,B0)", "`dist(S3,B0)` reads S3, which"),
            ("S0.h.p=ADP S0.w", "`S0.h.p=ADP` reads arcs"),
        ] {
            let error =
                set(&format!("# mine\nS0.w\n{template}")).check_positional("exact search", &places).unwrap_err();
            let error = error.to_string();
            let expected = format!("my.feat:3: template `{template}`, whose {reads}");
            assert!(error.starts_with(&expected) && error.contains("`minimal`"), "{error}");
        }
    }
}
