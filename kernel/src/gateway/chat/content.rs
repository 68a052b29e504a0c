//! The messages of a prompt: their roles, texts, images and URLs.

use base64::Engine;
use base64::alphabet::STANDARD;
use base64::engine::{DecodePaddingMode, GeneralPurpose, GeneralPurposeConfig};
use serde_json::Value;

use crate::Result;
use crate::gateway::field::Fields;
use crate::gateway::wish::{Extra, Link};

const ROLES: [&str; 5] = ["system", "developer", "user", "assistant", "tool"];
/// With or without padding, as clients write it.
const BASE64: GeneralPurpose = GeneralPurpose::new(
    &STANDARD,
    GeneralPurposeConfig::new().with_decode_padding_mode(DecodePaddingMode::Indifferent),
);

/// What the messages hold.
#[derive(Debug, Default)]
pub(super) struct Messages {
    pub(super) count: u64,
    pub(super) texts: Vec<String>,
    pub(super) images: u64,
    /// URLs the provider is asked to fetch.
    pub(super) links: Vec<Link>,
}

impl Messages {
    pub(super) fn extra(&self) -> Extra {
        Extra { messages: self.count, images: self.images, schema_bytes: 0 }
    }

    pub(super) fn add(&mut self, message: &Fields<'_>) -> Result<()> {
        let role = message.required_word("role", &ROLES)?;
        if role == "tool" && message.text("tool_call_id")?.is_none() {
            return Err(message.wrong("tool_call_id", "must say which call is answered"));
        }
        self.count += 1;
        match message.given("content") {
            // The assistant may have called tools instead.
            None if role == "assistant" => {}
            None => return Err(message.wrong("content", "is required")),
            Some(Value::String(text)) => self.texts.push(text.clone()),
            Some(Value::Array(_)) => {
                for part in message.objects("content")? {
                    self.add_part(&part)?;
                }
            }
            Some(_) => return Err(message.wrong("content", "must be a text or a list of parts")),
        }
        for name in ["name", "refusal"] {
            self.texts.extend(message.text(name)?.map(str::to_owned));
        }
        self.add_calls(message)
    }

    /// Calls of earlier turns are read by the model as text.
    fn add_calls(&mut self, message: &Fields<'_>) -> Result<()> {
        for call in message.objects("tool_calls")? {
            call.name("id")?;
            let (kind, said) = match call.text("type")? {
                Some("custom") => ("custom", "input"),
                _ => ("function", "arguments"),
            };
            let called = call.required_object(kind)?;
            called.name("name")?;
            called.text(said)?;
        }
        let called = message.object("function_call")?;
        called.map(|call| call.name("name").map(drop)).transpose()?;
        let calls = ["tool_calls", "function_call"].into_iter().filter_map(|name| message.given(name));
        self.texts.extend(calls.map(Value::to_string));
        Ok(())
    }

    fn add_part(&mut self, part: &Fields<'_>) -> Result<()> {
        match part.name("type")? {
            "text" => match part.text("text")? {
                Some(text) => self.texts.push(text.to_owned()),
                None => return Err(part.wrong("text", "must be a text")),
            },
            "image_url" => {
                self.images += 1;
                let image = part.required_object("image_url")?;
                image.text("detail")?;
                let url = image.name("url")?;
                if is_inline(url) {
                    check_image(url).map_err(|what| image.wrong("url", what))?;
                }
                self.add_link(image.path("url"), url);
            }
            kind @ ("input_audio" | "file") => self.add_unknown(&part.required_object(kind)?),
            other => match part.given(other) {
                Some(Value::Object(_)) => self.add_unknown(&part.required_object(other)?),
                Some(value) => self.texts.push(value.to_string()),
                None => self.add_unknown(part),
            },
        }
        Ok(())
    }

    /// A part soit does not know: its text counts, and whatever the provider would fetch is asked for.
    fn add_unknown(&mut self, part: &Fields<'_>) {
        for (name, value) in part.iter() {
            self.texts.push(name.clone());
            self.texts.push(value.to_string());
            if let Value::String(url) = value
                && (name == "url" || name.ends_with("_url"))
            {
                self.add_link(part.path(name), url);
            }
        }
    }

    /// What carries its content is there already; the rest has to be fetched by somebody.
    fn add_link(&mut self, field: String, url: &str) {
        if !is_inline(url) {
            self.links.push(Link { field, url: url.to_owned() });
        }
    }
}

fn is_inline(url: &str) -> bool {
    url.get(..5).is_some_and(|start| start.eq_ignore_ascii_case("data:"))
}

/// Whether a `data:` URL carries an image, by its bytes and not by what it calls itself.
fn check_image(url: &str) -> std::result::Result<(), &'static str> {
    let form = "must look like `data:image/png;base64,…`";
    let (head, data) = url.split_once(',').ok_or(form)?;
    if !head.to_ascii_lowercase().ends_with(";base64") {
        return Err(form);
    }
    let bytes = BASE64.decode(data).map_err(|_| "holds data that is no base64")?;
    let is_webp = bytes.starts_with(b"RIFF") && bytes.get(8..12) == Some(b"WEBP");
    let starts: [&[u8]; 4] = [b"\x89PNG\r\n\x1a\n", b"\xff\xd8\xff", b"GIF87a", b"GIF89a"];
    if is_webp || starts.iter().any(|start| bytes.starts_with(start)) {
        return Ok(());
    }
    Err("holds data that is no PNG, JPEG, GIF or WebP image")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_image_is_known_by_its_bytes() {
        for (url, is_image) in [
            ("data:image/png;base64,iVBORw0KGgo=", true),
            ("DATA:;BASE64,iVBORw0KGgo", true),
            ("data:image/png;base64,/9j/4AAQ", true),
            ("data:image/gif;base64,R0lGODlhAQABAAAAACw=", true),
            ("data:image/webp;base64,UklGRgAAAABXRUJQVlA4", true),
            ("data:image/png;base64,aGVsbG8=", false),
            ("data:image/png;base64,not base64", false),
            ("data:image/png,iVBORw0KGgo=", false),
            ("data:image/png;base64", false),
            ("data:,", false),
        ] {
            assert_eq!(check_image(url).is_ok(), is_image, "{url}");
        }
    }
}
