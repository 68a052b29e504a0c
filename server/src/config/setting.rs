//! What a setting is, and the macro that declares a struct of them.

/// One variable: everything the reader, `soit config` and the documentation need to know about it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Setting {
    /// The variable's name.
    pub name: &'static str,
    /// Another name it may have.
    pub alias: &'static str,
    /// What it means.
    pub meaning: &'static str,
    /// The value when it is not set; none for settings that may be absent.
    pub default: Option<&'static str>,
    /// The default with `ENVIRONMENT=production`, where it differs.
    pub production_default: Option<&'static str>,
    /// What the value is without a setting, where no literal says it.
    pub absent: &'static str,
    /// The rule production adds.
    pub production: &'static str,
    /// Smallest and largest number allowed.
    pub range: (u64, u64),
}

impl Setting {
    pub(super) const NEW: Self = Self {
        name: "",
        alias: "",
        meaning: "",
        default: None,
        production_default: None,
        absent: "none",
        production: "",
        range: (0, u64::MAX),
    };
}

/// Declares a struct whose fields are settings: documentation, type and variable of each in one line, then what deviates
/// from [`Setting::NEW`].
macro_rules! settings {
    ($(#[$meta:meta])* pub struct $name:ident { $(
        $(#[doc = $meaning:literal])+
        pub $field:ident: $kind:ty = $variable:literal { $($key:ident: $value:expr),* };
    )+ }) => {
        $(#[$meta])*
        #[derive(Clone, Debug)]
        pub struct $name { $($(#[doc = $meaning])+ pub $field: $kind,)+ }

        impl $name {
            /// The settings of this concern, in the order of the fields.
            pub(super) const SETTINGS: &'static [$crate::config::setting::Setting] = &[$(
                $crate::config::setting::Setting {
                    name: $variable,
                    meaning: concat!($($meaning),+),
                    $($key: $value,)*
                    ..$crate::config::setting::Setting::NEW
                },
            )+];

            /// Reads every field; what is wrong stands in the reader afterwards.
            pub(super) fn read(reader: &mut $crate::config::reader::Reader<'_>) -> Option<Self> {
                let mut settings = Self::SETTINGS.iter();
                $(let $field = settings.next().and_then(|setting| reader.read::<$kind>(setting));)+
                Some(Self { $($field: $field?,)+ })
            }
        }
    };
}
pub(super) use settings;
