//! Packing of a file, which the ending of its name says.

use std::path::{Path, PathBuf};

/// Packing of a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Packing {
    /// `.gz`
    Gzip,
    /// `.zst`
    Zstd,
}

impl Packing {
    /// Packing by the ending of a file's name, in capitals or not; none for a file that is not packed.
    pub fn of(path: &Path) -> Option<Packing> {
        let ending = path.extension()?;
        let endings = [("gz", Packing::Gzip), ("zst", Packing::Zstd)];
        endings.into_iter().find(|(name, _)| ending.eq_ignore_ascii_case(name)).map(|(_, packing)| packing)
    }

    /// `path` without the ending that says that it is packed, if it has one.
    pub fn unpacked(path: &Path) -> PathBuf {
        if Packing::of(path).is_some() { path.with_extension("") } else { path.to_owned() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn endings_count_in_capitals_too() {
        let of = |name: &str| Packing::of(Path::new(name));
        assert_eq!([of("a.gz"), of("a.conllu.GZ")], [Some(Packing::Gzip); 2]);
        assert_eq!([of("a.zst"), of("a.Zst")], [Some(Packing::Zstd); 2]);
        assert_eq!([of("a"), of("gz"), of("a.gz.conllu"), of(".gz")], [None; 4]);
        assert_eq!(Packing::unpacked(Path::new("f/a.svg.GZ")), Path::new("f/a.svg"));
        assert_eq!(Packing::unpacked(Path::new("f/a.svg")), Path::new("f/a.svg"));
    }
}
