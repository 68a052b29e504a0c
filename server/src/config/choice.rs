//! Settings that are one word of a few.

use super::setting::Setting;
use super::value::Value;

/// Declares an enum of words that a setting can have.
macro_rules! choice {
    ($(#[$meta:meta])* pub enum $name:ident { $($(#[$vmeta:meta])* $variant:ident = $word:literal,)+ }) => {
        $(#[$meta])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub enum $name { $($(#[$vmeta])* $variant,)+ }

        impl $name {
            /// The word in the environment.
            pub const fn as_str(self) -> &'static str {
                match self { $(Self::$variant => $word),+ }
            }
        }

        impl std::fmt::Display for $name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str(self.as_str())
            }
        }

        impl Value for $name {
            fn form(_: &Setting) -> String {
                [$(concat!("`", $word, "`")),+].join(", ")
            }

            fn parse(text: &str, _: &Setting) -> Option<Self> {
                match text {
                    $($word => Some(Self::$variant),)+
                    _ => None,
                }
            }

            fn show(&self) -> String {
                self.as_str().to_owned()
            }
        }
    };
}

choice! {
    /// How careful soit must be.
    pub enum Environment {
        /// One's own machine.
        Development = "development",
        /// Automated tests.
        Test = "test",
        /// Real data and people: unsafe settings are refused.
        Production = "production",
    }
}
choice! {
    /// Which part of soit a process is.
    pub enum Role {
        /// Everything.
        All = "all",
    }
}
choice! {
    /// What a committed batch survives.
    pub enum Durability {
        /// What each batch asks for: intents a killed process, settlements a power cut.
        Standard = "standard",
        /// A power cut, always.
        Strict = "strict",
        /// A killed process only.
        Process = "process",
    }
}
choice! {
    /// What happens to limits that several processes share while what they share is away or not there.
    pub enum StoreDown {
        /// Calls that would have to be counted are refused; without a shared store a second process does not start.
        Refuse = "refuse",
        /// Each process counts minute limits by itself.
        Local = "local",
    }
}
choice! {
    /// From which level on events are logged.
    pub enum LogLevel {
        /// What needs a person.
        Error = "error",
        /// What may need one.
        Warn = "warn",
        /// What an operator wants to know.
        Info = "info",
        /// What a developer wants to know.
        Debug = "debug",
        /// Everything.
        Trace = "trace",
    }
}
choice! {
    /// How a log line looks.
    pub enum LogFormat {
        /// One JSON object a line.
        Json = "json",
        /// For human eyes.
        Text = "text",
    }
}

impl Environment {
    /// Whether unsafe settings are refused.
    pub const fn is_production(self) -> bool {
        matches!(self, Self::Production)
    }
}
