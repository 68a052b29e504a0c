//! What every store must do, told once and run against the fake, SQLite and PostgreSQL.
//!
//! Each case is a function over a store that is empty. [`store_contract!`](crate::store_contract) makes a test of each.

pub mod accounts;
pub mod artifacts;
pub mod audit;
pub mod catalog;
pub mod chains;
pub mod checkpoint_copies;
pub mod claims;
pub mod counters;
pub mod directory;
pub mod exports;
pub mod feedbacks;
pub mod ledger;
pub mod limits;
pub mod live;
pub mod mails;
pub mod objects;
pub mod outbox;
pub mod people;
pub mod processes;
pub mod refusals;
pub mod retentions;
pub mod run_filters;
pub mod run_texts;
pub mod runs;
pub mod second_factors;
pub mod single_sign_on;
pub mod subjects;
pub mod tasks;
pub mod tenants;
pub mod totp;
pub mod views;

use kernel::ledger::{Batch, LedgerError, Refusal};
use kernel::port::{
    Accounts, Artifacts, Audits, Catalog, Chains, CheckpointCopies, Claims, Committed, Counters, Directory, Exports,
    Feedbacks, Ledger, Mails, Outbox, People, Processes, Purges, Retentions, Runs, SecondFactors, SingleSignOn,
    Subjects, Tasks, Tenants, Views,
};

use crate::sample::Sample;

/// Everything a store does.
pub trait Store:
    Ledger
    + Runs
    + Artifacts
    + Audits
    + Chains
    + CheckpointCopies
    + Counters
    + Exports
    + Feedbacks
    + Retentions
    + Purges
    + Directory
    + People
    + Tenants
    + Subjects
    + SecondFactors
    + SingleSignOn
    + Accounts
    + Mails
    + Catalog
    + Outbox
    + Processes
    + Claims
    + Tasks
    + Views
{
}

impl<S> Store for S where
    S: Ledger
        + Runs
        + Artifacts
        + Audits
        + Chains
        + CheckpointCopies
        + Counters
        + Exports
        + Feedbacks
        + Retentions
        + Purges
        + Directory
        + People
        + Tenants
        + Subjects
        + SecondFactors
        + SingleSignOn
        + Accounts
        + Mails
        + Catalog
        + Outbox
        + Processes
        + Claims
        + Tasks
        + Views
{
}

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
                a_long_answer_names_its_artifact,
            ];
            runs: [
                a_page_follows_the_page_before,
                a_run_is_read_with_what_came_out_of_it,
                runs_without_a_value_come_last,
                a_cursor_belongs_to_its_list,
                filters_narrow_the_list,
                filters_know_money_labels_and_families,
                text_is_found_in_any_case,
                nothing_of_another_workspace_is_there,
                events_are_read_by_offset,
                changed_runs_are_listed,
                runs_that_are_to_end_are_listed,
                a_workspace_stands_as_its_rows_say,
                a_new_budget_learns_what_was_spent,
                open_holds_are_listed,
            ];
            run_filters: [
                what_is_left_out_takes_nothing_else_along,
                facets_count_what_the_list_would_show,
                no_more_than_the_newest_runs_are_counted,
            ];
            artifacts: [
                an_artifact_is_read_as_it_was_written,
                an_artifact_belongs_to_its_run_and_workspace,
                ends_name_what_went_in_and_came_out,
                an_object_is_named_by_any_row,
                artifacts_go_when_their_time_is_over,
            ];
            counters: [
                a_call_moves_the_counters_of_its_day_and_minute,
                a_day_is_the_day_of_admission,
                refusals_that_share_a_run_are_each_counted,
                an_answer_given_again_is_counted_and_has_no_row,
                what_is_estimated_unpriced_failed_and_canceled_is_told_apart,
                labels_keys_and_currencies_have_rows_of_their_own,
                rehearsals_are_outside_of_the_figures,
                counters_are_what_their_rows_add_up_to,
                older_rows_become_coarser_and_sums_stay,
                nothing_is_counted_for_another_workspace,
            ];
            audit: [
                an_audit_row_is_read_as_it_was_written,
                audit_pages_follow_each_other,
                an_audit_cursor_belongs_to_its_list,
                filters_narrow_the_audit,
                nobody_elses_audit_is_there,
            ];
            chains: [
                what_is_read_back_makes_the_entry_that_was_written,
                entries_of_many_batches_follow_each_other,
                a_refused_batch_adds_no_entry,
                a_late_cost_supersedes_the_entry_of_its_run,
                a_checkpoint_of_a_number_is_kept_once,
                nobody_elses_chain_is_there,
                chains_are_listed_and_told_of_a_rotation,
            ];
            checkpoint_copies: [
                copies_are_in_order_and_remembered_by_place,
                one_process_copies_at_a_time,
            ];
            run_texts: [
                a_text_is_found_where_reading_finds_it,
                what_opens_moves_and_ends_is_found_all_the_while,
                a_run_that_keeps_nothing_is_found_by_ids_and_codes_alone,
            ];
            exports: [
                records_are_whole_and_in_the_order_they_were_written,
                a_page_goes_on_behind_a_place,
                records_are_of_their_window_and_match,
                records_of_another_workspace_do_not_leave,
                runs_leave_as_their_list_has_them,
            ];
            feedbacks: [
                a_person_says_one_thing_of_a_run,
                runs_are_found_by_what_is_said_of_them,
            ];
            retentions: [
                content_goes_and_nothing_else,
                a_run_goes_with_what_hangs_on_it_and_its_costs_do_not,
                what_is_held_is_never_due,
                audit_goes_by_its_own_time,
                an_object_goes_with_the_last_that_names_it,
                one_works_at_a_workspace_at_a_time,
                a_workspace_has_its_own_times,
            ];
            directory: [
                a_key_is_found_with_its_issuer,
                a_session_is_found_by_its_tokens,
                an_account_is_found_by_address_and_id,
                sessions_are_listed_while_they_live,
                keys_and_secrets_are_listed,
                epochs_and_throttles_are_read,
            ];
            second_factors: [
                a_second_factor_is_read_as_it_was_written,
                an_account_knows_of_its_second_factor,
                of_two_who_use_one_code_one_is_refused,
                a_challenge_is_found_by_its_token_until_it_is_over,
            ];
            single_sign_on: [
                a_connection_is_read_as_it_was_written_until_it_is_deleted,
                the_workspaces_of_a_tenant_are_listed_while_they_are_not_archived,
                an_account_at_a_provider_is_linked_once,
                sessions_are_found_by_what_opened_them_until_they_end,
                a_sign_out_is_told_once,
            ];
            people: [
                a_roster_holds_everybody_at_one_moment,
                who_was_removed_has_no_place,
                invitations_are_listed_and_found_by_their_token,
            ];
            tenants: [
                a_tenant_is_read_whole_at_one_moment,
                a_deleted_tenant_is_not_there,
                tenants_and_accounts_are_listed_in_order,
                an_epoch_that_moved_is_told,
                usage_of_a_tenant_is_that_of_its_workspaces,
            ];
            subjects: [
                a_principals_key_is_found_with_it_and_its_owner,
                principals_are_listed_and_found,
                names_are_told_of_the_workspace,
                groups_are_listed_with_their_members,
                grants_reach_their_subjects,
                a_taken_name_of_a_subject_is_refused,
            ];
            mails: [
                a_mail_is_found_by_its_id_and_by_its_token,
                the_newest_mail_is_told_for_each_person_kind_and_address,
                mails_whose_time_is_long_over_are_deleted,
            ];
            accounts: [
                accounts_are_closed_when_they_are_due,
                owners_of_a_tenant_are_those_who_have_not_left,
                a_place_is_found_by_the_names_of_tenant_and_workspace,
                what_belongs_to_nobody_has_a_place,
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
            tasks: [
                a_task_moves_as_its_states_allow,
                attempts_are_counted,
                a_task_is_one_workers_at_a_time,
                a_claim_ends_with_its_lease,
                what_a_dead_process_has_lapses,
                ready_tasks_are_found,
                a_run_takes_its_tasks_along,
                tasks_are_listed_by_page,
                a_task_that_was_given_up_is_a_dead_letter,
                a_task_is_read_as_it_was_written,
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
