//! What a provider says it used, as disjoint classes: a cached or reasoning token is never charged twice.

use serde_json::Value;
use types::run::{Usage, UsageClass};

/// More than this in one call is a mistake of the provider.
const MOST: u64 = 1 << 40;

/// The usage object of the OpenAI wire; `None` when it contradicts itself, so that soit counts instead.
pub(super) fn from_openai(usage: &Value, answered: bool) -> Option<Usage> {
    let prompt = number(usage.get("prompt_tokens"))?;
    let completion = number_or_zero(usage.get("completion_tokens"))?;
    let of_prompt = usage.get("prompt_tokens_details");
    let of_completion = usage.get("completion_tokens_details");
    let cached = part(of_prompt, "cached_tokens")?;
    let audio_in = part(of_prompt, "audio_tokens")?;
    let reasoning = part(of_completion, "reasoning_tokens")?;
    let audio_out = part(of_completion, "audio_tokens")?;
    let input = prompt.checked_sub(cached)?.checked_sub(audio_in)?;
    let output = completion.checked_sub(reasoning)?.checked_sub(audio_out)?;
    if answered && completion == 0 {
        return None;
    }
    let mut classes = Usage::default();
    classes.set(UsageClass::Input, input);
    classes.set(UsageClass::CacheRead, cached);
    classes.set(UsageClass::AudioIn, audio_in);
    classes.set(UsageClass::Output, output);
    classes.set(UsageClass::Reasoning, reasoning);
    classes.set(UsageClass::AudioOut, audio_out);
    Some(classes)
}

fn part(details: Option<&Value>, name: &str) -> Option<u64> {
    number_or_zero(details.and_then(|details| details.get(name)))
}

fn number_or_zero(value: Option<&Value>) -> Option<u64> {
    match value {
        None | Some(Value::Null) => Some(0),
        given => number(given),
    }
}

fn number(value: Option<&Value>) -> Option<u64> {
    value.and_then(Value::as_u64).filter(|number| *number <= MOST)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn parts_are_taken_out_of_their_wholes() {
        let usage = json!({
            "prompt_tokens": 100, "completion_tokens": 50, "total_tokens": 150,
            "prompt_tokens_details": { "cached_tokens": 60, "audio_tokens": 10 },
            "completion_tokens_details": { "reasoning_tokens": 20, "audio_tokens": 5 },
        });
        let classes = from_openai(&usage, true).unwrap();
        let of = |class| classes.get(class);
        assert_eq!((of(UsageClass::Input), of(UsageClass::CacheRead), of(UsageClass::AudioIn)), (30, 60, 10));
        assert_eq!((of(UsageClass::Output), of(UsageClass::Reasoning), of(UsageClass::AudioOut)), (25, 20, 5));
        assert_eq!(classes.tokens(), 150);
    }

    #[test]
    fn what_contradicts_itself_is_not_believed() {
        for wrong in [
            json!({}),
            json!({ "prompt_tokens": -1, "completion_tokens": 1 }),
            json!({ "prompt_tokens": 1.5, "completion_tokens": 1 }),
            json!({ "prompt_tokens": "1", "completion_tokens": 1 }),
            json!({ "prompt_tokens": 1_u64 << 41, "completion_tokens": 1 }),
            json!({ "prompt_tokens": 1, "completion_tokens": 1, "prompt_tokens_details": { "cached_tokens": 2 } }),
            json!({ "prompt_tokens": 1, "completion_tokens": 1, "completion_tokens_details": { "reasoning_tokens": 2 } }),
            json!({ "prompt_tokens": 1, "completion_tokens": 0 }),
        ] {
            assert_eq!(from_openai(&wrong, true), None, "{wrong}");
        }
        assert!(from_openai(&json!({ "prompt_tokens": 1, "completion_tokens": 0 }), false).is_some());
        assert!(from_openai(&json!({ "prompt_tokens": 3, "prompt_tokens_details": null }), false).is_some());
    }
}
