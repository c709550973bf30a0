//! Enums whose values are chosen by name.

/// Makes a fieldless enum of named values. Their names are the same on the command line, in specifications and in files: in
/// kebab case, or as the values say, `Value = "name"`; then the enum has them in a method `name`, too
/// and as text.
///
/// The first paragraph about a value is what `--help` says of it.
macro_rules! choice {
    (
        $(#[$of_enum:meta])*
        $visibility:vis enum $name:ident { $($(#[$of_value:meta])* $value:ident,)+ }
    ) => {
        $(#[$of_enum])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Serialize, serde::Deserialize)]
        #[cfg_attr(feature = "cli", derive(clap::ValueEnum))]
        #[serde(rename_all = "kebab-case")]
        $visibility enum $name { $($(#[$of_value])* $value,)+ }

        impl $name {
            /// All of them, in order.
            pub const ALL: [$name; [$($name::$value,)+].len()] = [$($name::$value,)+];
        }
    };
    (
        $(#[$of_enum:meta])*
        $visibility:vis enum $name:ident { $($(#[$of_value:meta])* $value:ident = $spelling:literal,)+ }
    ) => {
        $crate::choice::choice! {
            $(#[$of_enum])*
            $visibility enum $name {
                $(
                    $(#[$of_value])*
                    #[serde(rename = $spelling)]
                    #[cfg_attr(feature = "cli", value(name = $spelling))]
                    $value,
                )+
            }
        }

        impl $name {
            /// The name as flags, specifications and files spell it.
            pub fn name(self) -> &'static str {
                match self { $($name::$value => $spelling,)+ }
            }
        }

        impl std::fmt::Display for $name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str(self.name())
            }
        }
    };
}

pub(crate) use choice;
