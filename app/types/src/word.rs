//! The macro behind every persisted enum: one list of variants and their words on the wire and in the store.

/// Declares an enum whose variants have one fixed word each, used by `Display`, `FromStr`, serde, OpenAPI and the
/// store alike. Words are only ever added.
macro_rules! words {
    (
        $(#[doc = $doc:literal])+
        pub enum $name:ident { $($(#[doc = $vdoc:literal])+ $variant:ident = $word:literal,)+ }
    ) => {
        $(#[doc = $doc])+
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub enum $name { $($(#[doc = $vdoc])+ $variant,)+ }

        impl $name {
            /// Every variant, in the order of declaration.
            pub const ALL: &'static [Self] = &[$(Self::$variant),+];

            /// The word on the wire and in the store.
            pub const fn as_str(self) -> &'static str {
                match self { $(Self::$variant => $word),+ }
            }
        }

        impl std::fmt::Display for $name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str(self.as_str())
            }
        }

        impl std::str::FromStr for $name {
            type Err = $crate::name::UnknownWord;
            fn from_str(text: &str) -> Result<Self, Self::Err> {
                match text {
                    $($word => Ok(Self::$variant),)+
                    _ => Err($crate::name::UnknownWord::new(text, &[$($word),+])),
                }
            }
        }

        impl serde::Serialize for $name {
            fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                serializer.serialize_str(self.as_str())
            }
        }

        // As a string, so that a map keyed by words says which key is wrong.
        impl<'de> serde::Deserialize<'de> for $name {
            fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                let text = std::borrow::Cow::<'de, str>::deserialize(deserializer)?;
                text.parse().map_err(serde::de::Error::custom)
            }
        }

        impl utoipa::PartialSchema for $name {
            fn schema() -> utoipa::openapi::RefOr<utoipa::openapi::schema::Schema> {
                utoipa::openapi::ObjectBuilder::new()
                    .schema_type(utoipa::openapi::schema::Type::String)
                    .description(Some(concat!($($doc),+).trim()))
                    .enum_values(Some([$($word),+]))
                    .into()
            }
        }

        impl utoipa::ToSchema for $name {}
    };
}
pub(crate) use words;

/// Reads a word in any case: people write roles as they like, answers write them in one way.
pub(crate) fn any_case<'de, T, D>(deserializer: D) -> Result<T, D::Error>
where
    T: std::str::FromStr<Err: std::fmt::Display>,
    D: serde::Deserializer<'de>,
{
    let text = <std::borrow::Cow<'de, str> as serde::Deserialize>::deserialize(deserializer)?;
    text.to_ascii_lowercase().parse().map_err(serde::de::Error::custom)
}

#[cfg(test)]
mod tests {
    use utoipa::PartialSchema;

    use crate::run::UsageClass;

    #[test]
    fn a_word_is_the_same_everywhere() {
        for class in UsageClass::ALL {
            let json = serde_json::to_string(class).expect("a string");
            assert_eq!(json, format!("\"{class}\""));
            assert_eq!(serde_json::from_str::<UsageClass>(&json).expect("a word"), *class);
        }
        let schema = serde_json::to_string(&UsageClass::schema()).expect("a schema");
        assert!(schema.contains(r#""enum":["input","output""#), "{schema}");
        let refused = serde_json::from_str::<UsageClass>("\"Input\"").expect_err("no word");
        assert!(refused.to_string().starts_with("`Input` is not one of `input`, `output`"), "{refused}");
    }
}
