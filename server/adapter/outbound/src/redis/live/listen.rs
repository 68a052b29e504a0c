//! Hears what other processes say, on the channels of what is read here.

use std::collections::HashSet;
use std::sync::atomic::Ordering;
use std::time::Duration;

use futures::StreamExt;
use kernel::port::{Heard, LiveEvent, Subject};
use redis::aio::{PubSubSink, PubSubStream};
use redis::{Msg, RedisResult};
use tokio::sync::watch;
use tokio::time::{Instant, Interval, MissedTickBehavior, interval, timeout};

use super::bus::RedisLive;
use super::subject::{channel, common, name, of_name};
use super::word::{Call, Said, Word, read};
use crate::redis::Failure;

/// Time between two signs of life over the server.
const BEAT: Duration = Duration::from_secs(2);
/// Silence of one's own signs after which the connection is no good.
const SILENCE: Duration = Duration::from_secs(6);
/// Signs of life after which all wishes are said anew.
const BEATS_A_ROUND: u32 = 2;
/// Time the server may take to put a channel in or out.
const PATIENCE: Duration = Duration::from_secs(1);
/// Pause after a failure; it doubles up to the longest.
const FIRST_PAUSE: Duration = Duration::from_millis(50);
const LONGEST_PAUSE: Duration = Duration::from_secs(1);
/// Wishes said in one message.
const WISHES: usize = 200;
/// Channels put in or out with one command.
const CHANNELS: usize = 500;

/// One connection that listens.
struct Ear<'a> {
    live: &'a RedisLive,
    instance: &'a str,
    sink: PubSubSink,
    messages: PubSubStream,
    subjects: watch::Receiver<HashSet<Subject>>,
    /// What the server was asked for.
    subscribed: HashSet<Subject>,
    /// When one's own sign of life was heard.
    beat_at: Instant,
}

impl RedisLive {
    /// Listens, again and again.
    pub(super) async fn listen_on(&self, instance: &str) {
        let mut pause = FIRST_PAUSE;
        loop {
            let failure = match Ear::open(self, instance).await {
                Ok(ear) => {
                    pause = FIRST_PAUSE;
                    self.is_listening.store(true, Ordering::Relaxed);
                    ear.hear().await
                }
                Err(failure) => failure,
            };
            self.is_listening.store(false, Ordering::Relaxed);
            tracing::debug!(%failure, "other processes are not heard");
            self.clock.sleep(pause).await;
            pause = (pause * 2).min(LONGEST_PAUSE);
        }
    }
}

impl<'a> Ear<'a> {
    /// Connects and listens to everything that is read here; who reads goes on from the store, for what was said before is
    /// not known.
    async fn open(live: &'a RedisLive, instance: &'a str) -> Result<Self, Failure> {
        live.redis.connected().await;
        let (sink, messages) = live.redis.subscribe().await?.split();
        let subjects = live.hub.subjects();
        let (subscribed, beat_at) = (HashSet::new(), Instant::now());
        let mut ear = Self { live, instance, sink, messages, subjects, subscribed, beat_at };
        answered(ear.sink.subscribe(common(instance))).await?;
        ear.follow().await?;
        live.hub.tell_all_lagged();
        live.call(instance, Call::WhoWants).await?;
        Ok(ear)
    }

    /// Until it is no good any more, and why.
    async fn hear(mut self) -> Failure {
        match self.hear_on().await {
            Ok(()) => Failure::Unreachable,
            Err(failure) => failure,
        }
    }

    async fn hear_on(&mut self) -> Result<(), Failure> {
        let (mut beats, mut count) = (ticks(BEAT), 0_u32);
        loop {
            tokio::select! {
                message = self.messages.next() => match message {
                    Some(message) => self.take(&message).await?,
                    None => return Ok(()),
                },
                changed = self.subjects.changed() => match changed {
                    Ok(()) => self.follow().await?,
                    Err(_) => return Ok(()),
                },
                _ = beats.tick() => {
                    if self.beat_at.elapsed() > SILENCE {
                        return Err(Failure::Silent);
                    }
                    self.live.call(self.instance, Call::Beat).await?;
                    count = count.wrapping_add(1);
                    if count.is_multiple_of(BEATS_A_ROUND) {
                        self.live.wanted.prune(self.live.clock.monotonic());
                        self.wish(self.subscribed.iter().copied().collect()).await?;
                    }
                }
            }
        }
    }

    /// Listens to what is read here now, no more and no less, and says so.
    async fn follow(&mut self) -> Result<(), Failure> {
        let wanted = self.subjects.borrow_and_update().clone();
        let new: Vec<Subject> = wanted.difference(&self.subscribed).copied().collect();
        let old: Vec<Subject> = self.subscribed.difference(&wanted).copied().collect();
        for part in new.chunks(CHANNELS) {
            answered(self.sink.subscribe(self.channels(part))).await?;
        }
        for part in old.chunks(CHANNELS) {
            answered(self.sink.unsubscribe(self.channels(part))).await?;
        }
        self.subscribed = wanted;
        // Something may have happened between the reader's first look and this moment.
        for subject in &new {
            self.live.hub.tell(*subject, Heard::More);
        }
        self.wish(new).await
    }

    async fn wish(&self, subjects: Vec<Subject>) -> Result<(), Failure> {
        for part in subjects.chunks(WISHES) {
            let names = part.iter().copied().map(name).collect();
            self.live.call(self.instance, Call::Wants(names)).await?;
        }
        Ok(())
    }

    fn channels(&self, subjects: &[Subject]) -> Vec<String> {
        subjects.iter().map(|subject| channel(self.instance, *subject)).collect()
    }

    /// What a message says is for the readers of its channel alone, whatever it says.
    async fn take(&mut self, message: &Msg) -> Result<(), Failure> {
        let (from, bytes) = (message.get_channel_name(), message.get_payload_bytes());
        if from == common(self.instance) {
            return self.answer(bytes).await;
        }
        let prefix = channel_prefix(self.instance);
        let Some(subject) = from.strip_prefix(&prefix).and_then(of_name) else { return Ok(()) };
        let Some(Said(speaker, word)) = read::<Word>(bytes) else { return Ok(()) };
        if speaker == self.live.own {
            return Ok(());
        }
        self.live.heard.fetch_add(1, Ordering::Relaxed);
        if let Some(heard) = heard(subject, word) {
            self.live.hub.tell(subject, heard);
        }
        Ok(())
    }

    async fn answer(&mut self, bytes: &[u8]) -> Result<(), Failure> {
        let Some(Said(speaker, call)) = read::<Call>(bytes) else { return Ok(()) };
        let is_own = speaker == self.live.own;
        match call {
            Call::Beat if is_own => self.beat_at = Instant::now(),
            Call::Wants(names) if !is_own => {
                let subjects = names.iter().filter_map(|name| of_name(name));
                self.live.wanted.note(subjects, self.live.clock.monotonic());
            }
            Call::WhoWants if !is_own => self.wish(self.subscribed.iter().copied().collect()).await?,
            Call::Lost if !is_own => self.live.hub.tell_all_lagged(),
            Call::Beat | Call::Wants(_) | Call::WhoWants | Call::Lost => {}
        }
        Ok(())
    }
}

/// What the readers of a subject hear of a word said to them.
fn heard(subject: Subject, word: Word) -> Option<Heard> {
    match (subject, word) {
        (_, Word::Missed) => Some(Heard::Lagged),
        (Subject::Run(_), Word::More) => Some(Heard::More),
        (Subject::Run(run_id), Word::Delta { chars, text }) => {
            Some(Heard::Event(LiveEvent::Delta { run_id, chars, text }))
        }
        (Subject::Workspace(scope), Word::Run(run_id)) => Some(Heard::Event(LiveEvent::RunChanged(scope, run_id))),
        (Subject::Workspace(scope), Word::Hint(hint)) => Some(Heard::Event(LiveEvent::Changed(scope, hint))),
        (Subject::Run(_), Word::Run(_) | Word::Hint(_)) | (Subject::Workspace(_), Word::More | Word::Delta { .. }) => {
            None
        }
    }
}

fn channel_prefix(instance: &str) -> String {
    format!("{}:", common(instance))
}

fn ticks(every: Duration) -> Interval {
    let mut ticks = interval(every);
    ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
    ticks
}

async fn answered(asked: impl Future<Output = RedisResult<()>>) -> Result<(), Failure> {
    match timeout(PATIENCE, asked).await {
        Ok(outcome) => outcome.map_err(|error| Failure::of(&error)),
        Err(_) => Err(Failure::Silent),
    }
}
