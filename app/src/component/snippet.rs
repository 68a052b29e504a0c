//! The first call, ready to paste.

use leptos::prelude::*;

use super::Code;
use crate::text::text;

/// Snippets that call a model with a key: curl and the OpenAI SDK. Nothing in them is an example of something else; they run as
/// they stand, with the key of this page or `$SOIT_API_KEY`.
#[component]
pub(crate) fn Snippets(
    /// Where clients are pointed at.
    api_url: String,
    /// The key's secret; absent, the snippets read `SOIT_API_KEY`.
    #[prop(optional_no_strip)]
    secret: Option<String>,
    /// The model they call.
    model: String,
) -> impl IntoView {
    let keys = &text().keys;
    view! {
        <div class="accordion" data-testid="snippets">
            <details name="snippet" open=true>
                <summary>"curl"</summary>
                <Code title=keys.shell code=curl(&api_url, secret.as_deref(), &model) />
            </details>
            <details name="snippet">
                <summary>{keys.openai_python}</summary>
                <Code title="Python" code=python(&api_url, secret.as_deref(), &model) />
            </details>
            <details name="snippet">
                <summary>{keys.openai_node}</summary>
                <Code title="JavaScript" code=node(&api_url, secret.as_deref(), &model) />
            </details>
        </div>
    }
    .into_any()
}

fn curl(api_url: &str, secret: Option<&str>, model: &str) -> String {
    let key = secret.unwrap_or("$SOIT_API_KEY");
    // Whoever pastes this runs it: an apostrophe in a model's name must not end the quotes.
    let model = literal(model).replace('\'', r"'\''");
    format!(
        "curl {api_url}/chat/completions \\\n  -H \"Authorization: Bearer {key}\" \\\n  -H \"Content-Type: application/json\" \\\n  \
         -d '{{\"model\": {model}, \"messages\": [{{\"role\": \"user\", \"content\": \"Hello\"}}]}}'"
    )
}

/// A text as JSON writes it, which Python and JavaScript read alike.
fn literal(text: &str) -> String {
    serde_json::Value::from(text).to_string()
}

fn python(api_url: &str, secret: Option<&str>, model: &str) -> String {
    let model = literal(model);
    let (import, key) = match secret {
        Some(secret) => ("", format!("\"{secret}\"")),
        None => ("import os\n\n", "os.environ[\"SOIT_API_KEY\"]".to_owned()),
    };
    format!(
        "{import}from openai import OpenAI\n\nclient = OpenAI(base_url=\"{api_url}\", api_key={key})\n\nanswer = client.chat.completions.create(\n    \
         model={model},\n    messages=[{{\"role\": \"user\", \"content\": \"Hello\"}}],\n)\nprint(answer.choices[0].message.content)"
    )
}

fn node(api_url: &str, secret: Option<&str>, model: &str) -> String {
    let key = secret.map_or_else(|| "process.env.SOIT_API_KEY".to_owned(), |secret| format!("\"{secret}\""));
    let model = literal(model);
    format!(
        "import OpenAI from \"openai\";\n\nconst client = new OpenAI({{ baseURL: \"{api_url}\", apiKey: {key} }});\n\nconst answer = await client.chat.completions.create({{\n  \
         model: {model},\n  messages: [{{ role: \"user\", content: \"Hello\" }}],\n}});\nconsole.log(answer.choices[0].message.content);"
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn snippets_are_ready_to_paste() {
        let curl = curl("http://localhost:9200/v1", Some("sk_1"), "model:test:echo");
        assert!(
            curl.starts_with("curl http://localhost:9200/v1/chat/completions \\\n  -H \"Authorization: Bearer sk_1\"")
        );
        let body = curl.split_once("-d '").and_then(|(_, body)| body.strip_suffix('\'')).expect("a body");
        assert!(serde_json::from_str::<serde_json::Value>(body).is_ok());
        let hostile = super::curl("u", None, "model:x:a'; touch pwned; echo 'b\"");
        assert!(hostile.contains(r#"-d '{"model": "model:x:a'\''; touch pwned; echo '\''b\"", "#), "{hostile}");
        assert!(python("u", None, "a\"b").contains("model=\"a\\\"b\","));
        assert!(python("u", None, "m").starts_with("import os\n\nfrom openai import OpenAI\n"));
        assert!(node("u", None, "m").contains("apiKey: process.env.SOIT_API_KEY"));
    }
}
