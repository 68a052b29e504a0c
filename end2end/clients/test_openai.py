"""The unmodified PyPI `openai` client, sync and async, against the gateway: every call is a governed run."""

import asyncio
import json
import os

import openai
import pytest
from pydantic import BaseModel

BASE = f"{os.environ['SOIT_API_URL']}/v1"
HELLO = [{"role": "user", "content": "Say hello to the ledger."}]
WEATHER = {
    "type": "function",
    "function": {
        "name": "weather",
        "description": "The weather of a city.",
        "parameters": {"type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"]},
    },
}


def script(*turns):
    """A system message that makes `model:test:script` answer these turns."""
    return {"role": "system", "content": json.dumps({"turns": list(turns)})}


@pytest.fixture
def client(issued):
    return openai.OpenAI(base_url=BASE, api_key=issued["api_key"], max_retries=0)


@pytest.fixture
def async_client(issued):
    return openai.AsyncOpenAI(base_url=BASE, api_key=issued["api_key"], max_retries=0)


def run_of(soit, raw):
    return soit.get(f"/api/v1/runs/{raw.headers['x-soit-run-id']}")


def test_a_whole_answer_is_a_priced_run(client, soit):
    raw = client.chat.completions.with_raw_response.create(model="model:test:echo", messages=HELLO)
    answer = raw.parse()
    run = run_of(soit, raw)
    assert answer.id == f"chatcmpl-{run['id']}"
    assert "ledger" in answer.choices[0].message.content
    assert answer.choices[0].finish_reason == "stop"
    assert run["status"] == "succeeded" and run["mode"] == "gateway" and run["entry"] == "openai"
    costs = soit.get(f"/api/v1/runs/{run['id']}/costs")["items"]
    assert [cost["pricing_status"] for cost in costs] == ["priced"]
    assert run["totals"]["cost"] == [{"currency": "USD", "amount": costs[0]["amount"]}]
    usage = costs[0]["usage"]
    assert (usage["input"], usage["output"]) == (answer.usage.prompt_tokens, answer.usage.completion_tokens)


def test_a_stream_brings_the_same_text_and_its_usage(client, soit):
    raw = client.chat.completions.with_raw_response.create(
        model="model:test:echo", messages=HELLO, stream=True, stream_options={"include_usage": True}
    )
    chunks = list(raw.parse())
    text = "".join(chunk.choices[0].delta.content or "" for chunk in chunks if chunk.choices)
    assert "ledger" in text
    assert chunks[-1].usage.completion_tokens > 0 and chunks[-1].choices == []
    assert len({chunk.id for chunk in chunks}) == 1
    assert [c.choices[0].finish_reason for c in chunks if c.choices and c.choices[0].finish_reason] == ["stop"]
    assert run_of(soit, raw)["status"] == "succeeded"


def test_no_usage_frame_comes_unasked(client):
    chunks = list(client.chat.completions.create(model="model:test:echo", messages=HELLO, stream=True))
    assert all(chunk.choices for chunk in chunks)


def test_async_calls_run_side_by_side(async_client):
    async def ask(number):
        answer = await async_client.chat.completions.create(
            model="model:test:echo", messages=[{"role": "user", "content": f"number {number}"}]
        )
        return answer.choices[0].message.content

    async def ask_all():
        return await asyncio.gather(*(ask(number) for number in range(20)))

    answers = asyncio.run(ask_all())
    assert all(f"number {number}" in text for number, text in enumerate(answers))


def test_async_stream(async_client):
    async def read():
        stream = await async_client.chat.completions.create(model="model:test:echo", messages=HELLO, stream=True)
        return [chunk async for chunk in stream]

    assert "".join(c.choices[0].delta.content or "" for c in asyncio.run(read())).strip()


def test_tools_whole_and_streamed(client):
    calls = [
        {"id": "call_1", "name": "weather", "arguments": {"city": "Bern"}},
        {"id": "call_2", "name": "weather", "arguments": {"city": "Oslo"}},
    ]
    messages = [script({"tool_calls": calls}, {"text": "Cold in both."}), {"role": "user", "content": "Weather?"}]
    answer = client.chat.completions.create(model="model:test:script", messages=messages, tools=[WEATHER])
    choice = answer.choices[0]
    assert choice.finish_reason == "tool_calls"
    assert [json.loads(call.function.arguments)["city"] for call in choice.message.tool_calls] == ["Bern", "Oslo"]

    with client.chat.completions.stream(model="model:test:script", messages=messages, tools=[WEATHER]) as stream:
        streamed = stream.get_final_completion().choices[0].message.tool_calls
    assert [json.loads(call.function.arguments)["city"] for call in streamed] == ["Bern", "Oslo"]

    messages += [choice.message.model_dump(exclude_none=True)]
    messages += [{"role": "tool", "tool_call_id": call.id, "content": "-3 C"} for call in choice.message.tool_calls]
    last = client.chat.completions.create(model="model:test:script", messages=messages, tools=[WEATHER])
    assert last.choices[0].message.content == "Cold in both."


class Verdict(BaseModel):
    allowed: bool
    reason: str


def test_structured_output_is_parsed(client):
    messages = [script({"text": '{"allowed":true,"reason":"rule 7"}'}), {"role": "user", "content": "May it?"}]
    answer = client.chat.completions.parse(model="model:test:script", messages=messages, response_format=Verdict)
    assert answer.choices[0].message.parsed == Verdict(allowed=True, reason="rule 7")


def test_embeddings_as_base64_and_as_floats_agree(client):
    encoded = client.embeddings.create(model="model:test:embed-8", input=["one", "two"])
    floats = client.embeddings.create(model="model:test:embed-8", input=["one", "two"], encoding_format="float")
    assert [item.index for item in encoded.data] == [0, 1]
    assert all(len(item.embedding) == 8 for item in encoded.data)
    for left, right in zip(encoded.data, floats.data):
        assert left.embedding == pytest.approx(right.embedding)
    assert encoded.usage.prompt_tokens == 2


def test_models_are_listed(client):
    ids = [model.id for model in client.models.list()]
    assert "model:test:echo" in ids
    assert client.models.retrieve("model:test:echo").id == "model:test:echo"


@pytest.mark.parametrize(
    ("error", "model", "code"),
    [
        (openai.NotFoundError, "gpt-nope", "model_not_found"),
        (openai.RateLimitError, "model:test:error-429", "upstream_rate_limited"),
        (openai.InternalServerError, "model:test:error-500", "upstream_error"),
        (openai.InternalServerError, "model:test:reset", "upstream_error"),
        (openai.InternalServerError, "model:test:error-in-200", "upstream_error"),
    ],
)
def test_errors_have_their_class_code_and_run(client, soit, error, model, code):
    with pytest.raises(error) as raised:
        client.chat.completions.create(model=model, messages=HELLO)
    assert raised.value.code == code
    run = run_of(soit, raised.value.response)
    assert run["status"] == "failed" and run["error"]["code"] == code


def test_a_wrong_field_is_named(client):
    with pytest.raises(openai.BadRequestError) as raised:
        client.chat.completions.create(model="model:test:echo", messages=HELLO, temperature=3)
    assert raised.value.param == "temperature"


def test_an_exhausted_budget_refuses_streams_with_402(soit, priced):
    issued = soit.create_key()
    soit.post(
        "/api/v1/billing/budgets",
        {
            "name": "one nano",
            "scope_kind": "api_key",
            "scope_id": issued["item"]["id"],
            "period": "total",
            "currency": "USD",
            "amount": "0.000000001",
            "hard_stop": True,
        },
    )
    client = openai.OpenAI(base_url=BASE, api_key=issued["api_key"], max_retries=0)
    with pytest.raises(openai.APIStatusError) as raised:
        client.chat.completions.create(model="model:test:echo", messages=HELLO, stream=True)
    assert raised.value.status_code == 402
    assert raised.value.code == "budget_exhausted"
    assert raised.value.response.headers["content-type"].startswith("application/json")
    assert raised.value.body["budget"]["reason"] == "too_large"


def test_a_stream_that_breaks_ends_with_an_error(client, soit):
    raw = client.chat.completions.with_raw_response.create(model="model:test:drop-3", messages=HELLO, stream=True)
    with pytest.raises(openai.APIError):
        list(raw.parse())
    assert run_of(soit, raw)["status"] == "failed"
