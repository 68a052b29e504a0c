//! What every store must do, told once and run against the fake, SQLite and PostgreSQL.
//!
//! Each case is a function over a store that is empty. [`store_contract!`](crate::store_contract) makes a test of each.

pub mod audit;
pub mod catalog;
pub mod claims;
pub mod directory;
pub mod ledger;
pub mod outbox;
pub mod people;
pub mod processes;
pub mod refusals;
pub mod run_filters;
pub mod runs;
pub mod views;

use kernel::ledger::{Batch, LedgerError, Refusal};
use kernel::port::{Audits, Catalog, Claims, Committed, Directory, Ledger, Outbox, People, Processes, Runs, Views};

use crate::sample::Sample;

/// Everything a store does.
pub trait Store: Ledger + Runs + Audits + Directory + People + Catalog + Outbox + Processes + Claims + Views {}

impl<S: Ledger + Runs + Audits + Directory + People + Catalog + Outbox + Processes + Claims + Views> Store for S {}

/// A world in the store.
pub async fn seeded(store: &impl Store) -> Sample {
    seeded_as(store, "sample", 1).await
}

/// Another world in the same store.
pub async fn seeded_as(store: &impl Store, name: &'static str, number: u64) -> Sample {
    let sample = Sample::named(name, number);
    applied(store, sample.seed()).await;
    sample
}

/// Commits a batch that must be applied.
pub async fn applied(store: &(impl Ledger + ?Sized), batch: Batch) -> Committed {
    store.commit(batch).await.unwrap_or_else(|error| panic!("the batch must be applied: {error}"))
}

/// Commits a batch that must be refused.
pub async fn refused(store: &(impl Ledger + ?Sized), batch: Batch) -> Refusal {
    match store.commit(batch).await {
        Err(LedgerError::Refused(refusal)) => refusal,
        other => panic!("the batch must be refused: {other:?}"),
    }
}

/// Makes a test of every case: `store_contract!(open)`, where `open()` gives an empty store and what keeps it alive.
#[macro_export]
macro_rules! store_contract {
    ($open:path) => {
        $crate::store_contract! { @topics $open;
            ledger: [
                a_call_is_recorded_from_intent_to_settle,
                a_batch_is_told_its_offsets_and_counters,
                a_step_may_open_and_close_in_one_batch,
                numbers_are_given_without_gaps,
                batches_of_a_workspace_apply_in_order,
                a_reached_limit_is_no_passed_limit,
                parallel_holds_fit_exactly,
                equal_refusals_share_a_run,
                rows_are_written_in_their_last_version,
                uses_are_noted,
            ];
            refusals: [
                a_final_or_canceling_run_starts_nothing,
                a_run_moves_as_its_states_allow,
                a_run_at_work_does_not_end,
                a_step_closes_once,
                a_limit_names_the_counter_that_does_not_fit,
                a_hold_is_placed_on_all_lines_or_none,
                a_hold_closes_once,
                a_cost_is_booked_once,
                a_row_that_changed_is_not_overwritten,
                a_taken_name_names_its_constraint,
                a_stale_epoch_is_refused,
                a_dead_process_is_fenced,
                what_is_not_there_is_missing,
                a_malformed_batch_is_refused,
                a_refusal_is_private,
            ];
            claims: [
                a_key_is_claimed_once,
                another_request_under_a_key_is_refused,
                a_released_key_is_claimed_again,
                an_end_that_is_not_the_holders_changes_nothing,
                a_key_let_go_for_the_dead_still_takes_its_outcome,
                a_claim_sent_again_leaves_others_their_key,
                claims_of_the_dead_are_found,
                claims_that_are_over_are_forgotten_and_may_be_made_anew,
                keys_of_others_are_other_keys,
            ];
            runs: [
                a_page_follows_the_page_before,
                runs_without_a_value_come_last,
                a_cursor_belongs_to_its_list,
                filters_narrow_the_list,
                filters_know_money_labels_and_families,
                text_is_found_in_any_case,
                nothing_of_another_workspace_is_there,
                events_are_read_by_offset,
                changed_runs_are_listed,
                runs_that_are_to_end_are_listed,
                the_overview_counts_the_window,
                a_new_budget_learns_what_was_spent,
                open_holds_are_listed,
            ];
            run_filters: [
                what_is_left_out_takes_nothing_else_along,
                facets_count_what_the_list_would_show,
                no_more_than_the_newest_runs_are_counted,
            ];
            audit: [
                an_audit_row_is_read_as_it_was_written,
                audit_pages_follow_each_other,
                an_audit_cursor_belongs_to_its_list,
                filters_narrow_the_audit,
                nobody_elses_audit_is_there,
            ];
            directory: [
                a_key_is_found_with_its_issuer,
                a_session_is_found_by_its_tokens,
                an_account_is_found_by_address_and_id,
                sessions_are_listed_while_they_live,
                keys_and_secrets_are_listed,
                epochs_and_throttles_are_read,
            ];
            people: [
                a_roster_holds_everybody_at_one_moment,
                who_was_removed_has_no_place,
                invitations_are_listed_and_found_by_their_token,
            ];
            views: [
                views_are_seen_by_their_owner_and_shared_ones_by_all,
                a_deleted_view_frees_its_name,
                defaults_are_kept_by_person,
            ];
            catalog: [
                a_snapshot_holds_what_is_set_up,
                a_snapshot_is_kept_until_something_changes,
                archived_things_are_not_shown,
            ];
            outbox: [
                a_delivery_is_claimed_and_done_once,
                a_subject_is_delivered_in_order,
                a_failed_delivery_comes_back,
                a_dead_delivery_lets_later_ones_pass,
                a_stale_claim_changes_nothing,
                what_a_dead_process_claimed_is_due_again,
                lag_is_told_by_consumer,
                done_deliveries_are_pruned,
                a_failing_consumer_delays_no_other,
                later_ones_of_a_dead_subject_are_marked,
                a_redriven_delivery_comes_in_order,
                a_discarded_one_is_over,
                dead_letters_are_listed_by_page,
                events_are_listed_by_page,
                a_workspace_is_told_its_own_lag,
                old_events_go,
            ];
            processes: [
                a_process_lives_until_it_is_silent_or_closed,
                a_process_comes_back_under_a_new_epoch,
                a_process_alone_buries_the_others,
                dead_work_is_found_with_its_calls_and_holds,
                the_living_leave_no_dead_work,
            ];
        }
    };
    (@topics $open:path; $($topic:ident: [$($case:ident),+ $(,)?];)+) => {$(
        mod $topic {$(
            #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
            async fn $case() {
                let (store, _alive) = $open().await;
                $crate::contract::$topic::$case(&store).await;
            }
        )+}
    )+};
}
