//! What pages read: a value fetched on the server, which comes with the page, and again by the browser when it must be.
//!
//! The two ways read JSON with the same code, so that browsers load one reader for each type. leptos' own codec would bring
//! a second.

use std::future::Future;

use leptos::server::codee::{Decoder, Encoder};
use serde::Serialize;
use serde::de::DeserializeOwned;

/// A value that is fetched.
pub(crate) type Resource<Value> = leptos::prelude::Resource<Value, Json>;

/// A resource: fetched on the server, again whenever what it depends on changes.
#[track_caller]
pub(crate) fn resource<Source, Value, Fetched>(
    source: impl Fn() -> Source + Send + Sync + 'static,
    fetch: impl Fn(Source) -> Fetched + Send + Sync + 'static,
) -> Resource<Value>
where
    Source: PartialEq + Clone + Send + Sync + 'static,
    Value: Serialize + DeserializeOwned + Send + Sync + 'static,
    Fetched: Future<Output = Value> + Send + 'static,
{
    Resource::new_with_options(source, fetch, false)
}

/// JSON, read as the answers of server functions are.
#[derive(Debug)]
pub(crate) struct Json;

impl<Value: Serialize> Encoder<Value> for Json {
    type Error = serde_json::Error;
    type Encoded = String;

    fn encode(value: &Value) -> Result<String, serde_json::Error> {
        serde_json::to_string(value)
    }
}

impl<Value: DeserializeOwned> Decoder<Value> for Json {
    type Error = serde_json::Error;
    type Encoded = str;

    fn decode(text: &str) -> Result<Value, serde_json::Error> {
        serde_json::from_slice(text.as_bytes())
    }
}
