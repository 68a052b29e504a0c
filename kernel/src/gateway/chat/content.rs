//! The messages of a prompt: their roles, texts, images and URLs.

use serde_json::Value;

use crate::gateway::wish::Extra;
use crate::{Error, Result};

const ROLES: [&str; 5] = ["system", "developer", "user", "assistant", "tool"];

/// What the messages hold.
#[derive(Debug, Default)]
pub(super) struct Messages {
    pub(super) count: u64,
    pub(super) texts: Vec<String>,
    pub(super) images: u64,
    /// URLs the provider is asked to fetch.
    pub(super) urls: Vec<String>,
}

impl Messages {
    pub(super) fn extra(&self) -> Extra {
        Extra { messages: self.count, images: self.images, schema_bytes: 0 }
    }

    pub(super) fn add(&mut self, index: usize, message: &Value) -> Result<()> {
        let path = format!("messages[{index}]");
        let Value::Object(fields) = message else { return Err(Error::invalid(path, "must be an object")) };
        let role = match fields.get("role").and_then(Value::as_str) {
            Some(role) if ROLES.contains(&role) => role,
            Some(_) => {
                return Err(Error::invalid(format!("{path}.role"), format!("must be one of {}", ROLES.join(", "))));
            }
            None => return Err(Error::invalid(format!("{path}.role"), "is required")),
        };
        if role == "tool" && !fields.get("tool_call_id").is_some_and(Value::is_string) {
            return Err(Error::invalid(format!("{path}.tool_call_id"), "must say which call is answered"));
        }
        self.count += 1;
        match fields.get("content") {
            // The assistant may have called tools instead.
            None | Some(Value::Null) if role == "assistant" => {}
            None | Some(Value::Null) => return Err(Error::invalid(format!("{path}.content"), "is required")),
            Some(Value::String(text)) => self.texts.push(text.clone()),
            Some(Value::Array(parts)) => {
                for (part_index, part) in parts.iter().enumerate() {
                    self.add_part(&format!("{path}.content[{part_index}]"), part)?;
                }
            }
            Some(_) => return Err(Error::invalid(format!("{path}.content"), "must be a text or a list of parts")),
        }
        let name = fields.get("name").and_then(Value::as_str);
        self.texts.extend(name.map(str::to_owned));
        // Calls of earlier turns are read by the model as text.
        if let Some(calls) = fields.get("tool_calls").filter(|calls| !calls.is_null()) {
            if !calls.is_array() {
                return Err(Error::invalid(format!("{path}.tool_calls"), "must be a list"));
            }
            self.texts.push(calls.to_string());
        }
        Ok(())
    }

    fn add_part(&mut self, path: &str, part: &Value) -> Result<()> {
        let Some(kind) = part.get("type").and_then(Value::as_str) else {
            return Err(Error::invalid(format!("{path}.type"), "is required"));
        };
        match kind {
            "text" => match part.get("text") {
                Some(Value::String(text)) => self.texts.push(text.clone()),
                _ => return Err(Error::invalid(format!("{path}.text"), "must be a text")),
            },
            "image_url" => {
                self.images += 1;
                let url = part.get("image_url").and_then(|image| image.get("url")).and_then(Value::as_str);
                let url = url.ok_or_else(|| Error::invalid(format!("{path}.image_url.url"), "must be a URL"))?;
                self.add_url(url);
            }
            other => {
                // A part soit does not know: its text counts, and whatever the provider would fetch is asked for.
                let inner = part.get(other).unwrap_or(part);
                self.texts.push(inner.to_string());
                self.add_urls_of(inner);
            }
        }
        Ok(())
    }

    /// `data:` URLs carry their content; the rest has to be fetched by somebody.
    fn add_url(&mut self, url: &str) {
        if !url.get(..5).is_some_and(|start| start.eq_ignore_ascii_case("data:")) {
            self.urls.push(url.to_owned());
        }
    }

    fn add_urls_of(&mut self, value: &Value) {
        let Value::Object(fields) = value else { return };
        for (name, value) in fields {
            if let Value::String(url) = value
                && (name == "url" || name.ends_with("_url"))
            {
                self.add_url(url);
            }
        }
    }
}
