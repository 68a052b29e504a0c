//! One attempt: the last gates, the permit, the provider, and its answer on the way to the client.

use std::future::poll_fn;
use std::sync::Arc;
use std::task::Poll;

use futures::stream::BoxStream;
use futures::{FutureExt, StreamExt};
use serde_json::{Value, json};
use types::problem::Code;
use types::run::Capture;

use super::cap::CapWatch;
use super::chat::{self, Frames};
use super::flight::{Ended, Flight, Outcome, Trace};
use super::pipe::Frame;
use super::replay::is_kept;
use super::watch::{Event, Interrupt, Watch};
use super::{Operation, embedding};
use crate::policy::{Permit, Pinned, egress};
use crate::port::{Answer, LiveEvent, ModelCall, ModelProvider, SafetyVerdict, Subject, UpstreamError, UpstreamKind};
use crate::{Error, Result};

/// Bytes kept of a stream before its first content.
const MAX_PRELUDE: usize = 1024 * 1024;

impl Flight {
    /// Makes one attempt.
    pub(super) async fn attempt(&mut self) -> Ended {
        let mut trace = Trace::default();
        if let Some(error) = self.departs() {
            return Ended { outcome: Outcome::Refused(error), trace, then: None };
        }
        let outcome = match self.permit(&mut trace).await {
            Ok(permit) => self.call_provider(permit, &mut trace).await,
            Err(error) => Outcome::Refused(error),
        };
        Ended { outcome, trace, then: None }
    }

    /// Why a call that is made from its record is not the recorded one, if so.
    fn departs(&mut self) -> Option<Error> {
        let (call, script) = (&self.call, self.call.wish.script.as_ref()?);
        let divergence = script.check(self.attempt.number, &call.plan, is_kept(call).then_some(&call.salt))?;
        let detail = format!("step {} is not as it is in the record", divergence.seq);
        self.divergence = Some(divergence);
        Some(Error::new(Code::ReplayDiverged, detail))
    }

    /// Who answers: the provider, or the record.
    fn provider(&self) -> Arc<dyn ModelProvider> {
        match &self.call.wish.script {
            Some(script) => script.player(self.attempt.number),
            None => Arc::clone(&self.gateway.ports.provider),
        }
    }

    /// Gates 11 and 12: safety and the way out. The decision so far is durable.
    async fn permit(&self, trace: &mut Trace) -> Result<Permit<ModelCall>> {
        let verdict = self.gateway.ports.safety.inbound(&self.call.wish.texts).await?;
        trace.gates.insert("safety".to_owned(), json!({ "inbound": safety_word(&verdict) }));
        passed(verdict, "prompt")?;
        let is_live = self.call.is_live();
        let target = if is_live { self.pin().await? } else { None };
        if let Some(pinned) = &target {
            trace.gates.insert("egress".to_owned(), egress_facts(pinned));
        }
        let plan = &self.call.plan;
        let secret = if is_live { plan.target.secret(&plan.snapshot)? } else { None };
        Ok(Permit::grant(ModelCall {
            scope: self.call.ctx.scope,
            run_id: self.call.run_id,
            attempt_no: self.attempt.number,
            kind: plan.target.kind,
            wire: self.call.wish.operation.wire(),
            upstream_model: plan.target.upstream_model.clone(),
            body: Value::Object(plan.body.clone()),
            stream: self.call.wish.stream.is_some(),
            target,
            credential: secret.map(|secret| (secret.id, secret.value_version, secret.sealed.clone())),
            timeout: self.deadline.saturating_sub(self.gateway.ports.clock.monotonic()),
            frame_timeout: self.gateway.settings.frame_timeout,
        }))
    }

    async fn pin(&self) -> Result<Option<Pinned>> {
        let Some(allowed) = self.call.plan.egress.clone()? else { return Ok(None) };
        let layer = self.call.plan.snapshot.egress.as_ref();
        let resolver = self.gateway.ports.resolver.as_ref();
        egress::pin(&self.gateway.settings.egress, layer, allowed, resolver).await.map(Some)
    }

    async fn call_provider(&mut self, permit: Permit<ModelCall>, trace: &mut Trace) -> Outcome {
        let mut watch = self.watch();
        let provider = self.provider();
        if self.call.wish.stream.is_some() && !self.call.runs_on() && self.client.is_gone() {
            return Outcome::Interrupted(Interrupt::Left);
        }
        trace.was_sent = self.call.is_live();
        let mut calling = provider.call(permit);
        let answer = loop {
            let client = &mut self.client;
            let next = poll_fn(|cx| match calling.poll_unpin(cx) {
                Poll::Ready(answer) => Poll::Ready(Ok(answer)),
                Poll::Pending => watch.poll(cx, client).map(Err),
            });
            match next.await {
                Ok(answer) => break answer,
                Err(event) => {
                    if let Some(outcome) = self.note(event) {
                        return outcome;
                    }
                }
            }
        };
        match answer {
            Err(error) => Outcome::Failed(error),
            Ok(Answer::Whole { body, request_id }) => {
                trace.upstream_request_id = request_id;
                self.take_whole(body, trace).await
            }
            Ok(Answer::Stream { frames, request_id }) => {
                trace.upstream_request_id = request_id;
                self.take_stream(frames, &mut watch, trace).await
            }
        }
    }

    /// What an event means; `None` when the call goes on.
    fn note(&mut self, event: Event) -> Option<Outcome> {
        match event {
            Event::Interrupted(interrupt) => Some(Outcome::Interrupted(interrupt)),
            Event::Expired => Some(Outcome::Failed(failed(UpstreamKind::Timeout))),
            Event::Silent => {
                let facts = self.facts();
                self.client.begin(|| facts);
                self.client.wait();
                None
            }
        }
    }

    async fn take_whole(&self, mut body: Value, trace: &mut Trace) -> Outcome {
        let wish = &self.call.wish;
        if is_kept(&self.call) {
            trace.met.note_body(&body);
        }
        let said = match wish.operation {
            Operation::Chat => chat::finish(&mut body, self.call.run_id, &wish.model),
            Operation::Embeddings => {
                let items = wish.texts.len() + wish.tokens.len();
                embedding::finish(&mut body, &wish.body, &wish.model, items)
            }
        };
        let Some(said) = said else { return Outcome::Failed(failed(UpstreamKind::Garbage)) };
        trace.said = said;
        match self.release(trace).await {
            Ok(()) => Outcome::Answered(Some(body.to_string())),
            Err(error) => Outcome::Withheld(error),
        }
    }

    /// The gate behind the provider: safety judges the whole answer.
    async fn release(&self, trace: &mut Trace) -> Result<()> {
        let verdict = self.gateway.ports.safety.outbound(&trace.said.text).await?;
        if let Some(Value::Object(safety)) = trace.gates.get_mut("safety") {
            safety.insert("outbound".to_owned(), json!(safety_word(&verdict)));
        }
        passed(verdict, "answer")
    }

    async fn take_stream(
        &mut self,
        mut frames: BoxStream<'static, std::result::Result<Value, UpstreamError>>,
        watch: &mut Watch,
        trace: &mut Trace,
    ) -> Outcome {
        let created = self.call.ctx.now.timestamp();
        let include_usage = self.call.wish.stream.is_some_and(|stream| stream.include_usage);
        let mut mender = Frames::new(self.call.run_id, &self.call.wish.model, created, include_usage);
        if is_kept(&self.call) {
            trace.met.note_stream();
        }
        let outcome = self.pump(&mut frames, &mut mender, watch, trace).await;
        // Closes the connection before anything else is done.
        drop(frames);
        let last = matches!(outcome, Outcome::Answered(_)).then(|| mender.end());
        trace.said = mender.into_said();
        match last {
            Some(last) => self.finish_stream(last, trace).await,
            None => outcome,
        }
    }

    async fn finish_stream(&mut self, last: Vec<Value>, trace: &mut Trace) -> Outcome {
        if let Err(error) = self.release(trace).await {
            return Outcome::Withheld(error);
        }
        for frame in last {
            if self.send(frame.to_string()).await.is_err() {
                return Outcome::Interrupted(Interrupt::Left);
            }
        }
        Outcome::Answered(None)
    }

    async fn pump(
        &mut self,
        frames: &mut BoxStream<'static, std::result::Result<Value, UpstreamError>>,
        mender: &mut Frames,
        watch: &mut Watch,
        trace: &mut Trace,
    ) -> Outcome {
        let plan = &self.call.plan;
        let mut cap = CapWatch::new(plan.output.filter(|_| plan.is_capped));
        let mut prelude = Vec::new();
        loop {
            let client = &mut self.client;
            let next = poll_fn(|cx| match watch.poll(cx, client) {
                Poll::Ready(event) => Poll::Ready(Err(event)),
                Poll::Pending => frames.poll_next_unpin(cx).map(Ok),
            });
            let frame = match next.await {
                Ok(Some(Ok(frame))) => frame,
                Ok(None) => break,
                Ok(Some(Err(error))) if error.kind == UpstreamKind::Cut && mender.is_finished() => break,
                Ok(Some(Err(error))) => return Outcome::Failed(error),
                Err(event) => match self.note(event) {
                    Some(outcome) => return outcome,
                    None => continue,
                },
            };
            trace.met.note_frame(&frame);
            let Ok(mended) = mender.take(frame) else { return Outcome::Failed(failed(UpstreamKind::Garbage)) };
            let Some(mended) = mended else { continue };
            let text = mended.frame.to_string();
            if !trace.has_content && !mended.has_content {
                prelude.push(text);
                if prelude.iter().map(String::len).sum::<usize>() > MAX_PRELUDE {
                    return Outcome::Failed(failed(UpstreamKind::Garbage));
                }
                continue;
            }
            if !trace.has_content {
                trace.has_content = true;
                trace.ttft = Some(self.since_admission());
                let facts = self.facts();
                self.client.begin(|| facts);
            }
            self.publish(mended.chars, &mended.text);
            watch.heard();
            for text in prelude.drain(..).chain([text]) {
                if self.send(text).await.is_err() {
                    return Outcome::Interrupted(Interrupt::Left);
                }
            }
            let tokenizer = self.gateway.ports.tokenizer.as_ref();
            if cap.passes(&mended.text, tokenizer, &self.call.plan.target.tokenizer).await {
                return Outcome::OverCap;
            }
        }
        if !trace.has_content {
            return Outcome::Failed(failed(UpstreamKind::Cut));
        }
        Outcome::Answered(None)
    }

    /// Sends a frame. Under a key the call goes on without its client: who asks again gets all of it. What is replayed has none.
    async fn send(&mut self, text: String) -> std::result::Result<(), super::client::Gone> {
        if self.call.keyed.is_some() {
            self.frames.note(&text);
        }
        let sent = self.client.send(Frame::Data(text), self.gateway.ports.clock.as_ref()).await;
        if sent.is_err() && self.call.runs_on() {
            self.client.let_go();
            return Ok(());
        }
        sent
    }

    /// Shows new words to whoever watches the run, where its content may be seen.
    fn publish(&self, chars: u64, text: &str) {
        let live = &self.gateway.ports.live;
        let is_seen = !text.is_empty() && self.call.plan.capture == Capture::Full;
        if is_seen && live.has_listeners(Subject::Run(self.call.run_id)) {
            live.publish(LiveEvent::Delta { run_id: self.call.run_id, chars, text: text.to_owned() });
        }
    }

    fn since_admission(&self) -> std::time::Duration {
        (self.gateway.ports.clock.now() - self.call.ctx.now).to_std().unwrap_or_default()
    }
}

/// A failure soit itself sees.
fn failed(kind: UpstreamKind) -> UpstreamError {
    UpstreamError { kind, message: String::new(), retry_after: None, request_id: None }
}

fn passed(verdict: SafetyVerdict, what: &str) -> Result<()> {
    let SafetyVerdict::Block(categories) = verdict else { return Ok(()) };
    Err(Error::new(Code::ContentBlocked, format!("content safety blocked the {what}: {}", categories.join(", "))))
}

fn safety_word(verdict: &SafetyVerdict) -> &'static str {
    match verdict {
        SafetyVerdict::NotConfigured => "not_configured",
        SafetyVerdict::Pass => "pass",
        SafetyVerdict::Block(_) => "block",
    }
}

fn egress_facts(pinned: &Pinned) -> Value {
    json!({
        "scheme": pinned.scheme(),
        "host": pinned.host(),
        "port": pinned.port(),
        "addresses": pinned.addresses(),
        "rule": pinned.rule_id(),
        "bundle_id": pinned.bundle_id(),
    })
}
