//! What processes share through Redis: calls a minute, and live events on their way to each other.

use std::sync::atomic::Ordering;

use adapter_outbound::redis::Figures;
use prometheus_client::encoding::EncodeLabelSet;
use prometheus_client::metrics::counter::Counter;
use prometheus_client::metrics::family::Family;

use super::catalog::Catalog;

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, EncodeLabelSet)]
struct Decision {
    by: &'static str,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, EncodeLabelSet)]
struct Word {
    outcome: &'static str,
}

/// What processes share through Redis.
#[derive(Debug)]
pub(crate) struct Shared {
    decisions: Family<Decision, Counter>,
    words: Family<Word, Counter>,
}

impl Shared {
    pub(super) fn new(catalog: &mut Catalog) -> Self {
        Self {
            decisions: catalog.add(
                "soit_limits_decisions_total",
                &["by"],
                "Calls counted against minute limits with Redis: `shared` by it; while it was away `local`, by this process \
                 alone, or `refused`",
                Family::default(),
            ),
            words: catalog.add(
                "soit_live_words_total",
                &["outcome"],
                "Live events between processes: sent, heard, or dropped, whose readers went on from the store",
                Family::default(),
            ),
        }
    }

    /// A call was counted, or could not be.
    pub(crate) fn counted(&self, by: &'static str) {
        self.decisions.get_or_create(&Decision { by }).inc();
    }

    /// What went over Redis so far, taken when somebody asks for the metrics.
    pub(crate) fn went_over(&self, figures: Figures) {
        for (outcome, total) in [("sent", figures.sent), ("heard", figures.heard), ("dropped", figures.dropped)] {
            self.words.get_or_create(&Word { outcome }).inner().store(total, Ordering::Relaxed);
        }
    }
}
