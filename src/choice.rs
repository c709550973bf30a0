//! Enums whose values are chosen by name.

/// Makes a fieldless enum of named values. Their names are the same on the command line, in specifications and in files: in
/// kebab case, or where a value says so, `Value = "name"`.
///
/// The first sentence about a value is what `--help` says of it.
macro_rules! choice {
    (
        $(#[$of_enum:meta])*
        $visibility:vis enum $name:ident {
            $($(#[$of_value:meta])* $value:ident $(= $spelling:literal)?,)+
        }
    ) => {
        $(#[$of_enum])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Serialize, serde::Deserialize)]
        #[cfg_attr(feature = "cli", derive(clap::ValueEnum))]
        #[serde(rename_all = "kebab-case")]
        $visibility enum $name {
            $(
                $(#[$of_value])*
                $(#[serde(rename = $spelling)] #[cfg_attr(feature = "cli", value(name = $spelling))])?
                $value,
            )+
        }
    };
}

pub(crate) use choice;
