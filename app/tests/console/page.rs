//! Pages, rendered on the server: with data, empty, failing, denied; the right status; the reader's preferences.

use app::backend::second_factor::{Act, Done, SetUp};
use types::mfa::RecoveryCodes;
use types::problem::{Code, Problem};

use crate::fake::{Fake, World, id};
use crate::site::{get, get_with, page};

/// Every address of a workspace that shows a page.
const PAGES: &[&str] = &[
    "/w/main",
    "/w/main/runs",
    "/w/main/runs/compare",
    "/w/main/events",
    "/w/main/events?tab=dead",
    "/w/main/events?tab=consumers",
    "/w/main/tasks",
    "/w/main/tasks/tsk_01kg1000000000000000000001",
    "/w/main/audit",
    "/w/main/audit?verify=1",
    "/w/main/keys",
    "/w/main/keys?tab=budgets",
    "/w/main/keys/new",
    "/w/main/access",
    "/w/main/access?tab=invitations",
    "/w/main/access/new",
    "/w/main/access/principals",
    "/w/main/access/principals/new",
    "/w/main/access/groups",
    "/w/main/access/groups/new",
    "/w/main/access/grants",
    "/w/main/access/grants/new",
    "/w/main/budgets/new",
    "/w/main/models",
    "/w/main/models?tab=prices",
    "/w/main/models?tab=egress",
    "/w/main/models/new",
    "/w/main/settings/profile",
    "/w/main/settings/sessions",
    "/w/main/settings/appearance",
    "/w/main/settings/workspace",
    "/w/main/settings/retention",
    "/w/main/settings/about",
];

#[tokio::test]
async fn every_page_is_complete_html_in_a_full_and_in_an_empty_world() {
    for world in [World::Full, World::Empty, World::Viewer] {
        for path in PAGES {
            page(world, path).await.is(200).shows(&[
                "<h1>",
                "</html>",
                "id=\"main\"",
                "data-testid=\"shell\"",
                "<title>",
            ]);
        }
    }
}

#[tokio::test]
async fn every_page_exists_in_chinese_and_says_so() {
    let fake = Fake::new(World::Full);
    for path in PAGES {
        get_with(&fake, path, "lang=zh-CN")
            .await
            .is(200)
            .shows(&["lang=\"zh-CN\"", "首页"])
            .hides(&[">Home<", ">Runs<", ">Cancel<", ">Save<"]);
    }
}

#[tokio::test]
async fn a_page_without_its_data_answers_with_the_problems_status_and_says_what_to_do() {
    page(World::Failing, "/w/main/runs").await.is(503).shows(&[
        "data-code=\"ledger_unavailable\"",
        "the store cannot be reached",
        "req_01kg1",
        "Try again",
    ]);
}

#[tokio::test]
async fn what_is_not_there_is_a_404_page() {
    for path in [
        "/nowhere",
        "/w/main/nowhere",
        "/w/other/runs",
        "/w/NOT_A_SLUG/runs",
        "/w/main/runs/run_nonsense",
        &format!("/w/main/runs/{}", id("run", 1)),
        "/w/main/models/prv_nonsense",
        "/w/main/budgets/bdg_nonsense",
        "/w/main/settings/nowhere",
    ] {
        page(World::Full, path).await.is(404).shows(&["Nothing here"]);
    }
}

#[tokio::test]
async fn the_root_leads_to_the_last_workspace_and_settings_to_the_profile() {
    assert_eq!(page(World::Full, "/").await.is(302).location.as_deref(), Some("/w/main"));
    assert_eq!(
        page(World::Full, "/w/main/settings").await.is(302).location.as_deref(),
        Some("/w/main/settings/profile")
    );
}

#[tokio::test]
async fn preferences_stand_on_the_document() {
    let fake = Fake::new(World::Full);
    let dark = get_with(&fake, "/w/main/runs", "theme=dark&density=compact&tz=Asia/Shanghai").await;
    dark.shows(&["data-theme=\"dark\"", "data-density=\"compact\"", "Asia/Shanghai", "20:04:"]);
    let garbage = get_with(&fake, "/w/main/runs", "theme=<script>&tz=%00&lang=xx").await;
    garbage.is(200).shows(&["data-theme=\"system\"", "lang=\"en\"", "UTC"]);
}

#[tokio::test]
async fn the_home_page_shows_figures_or_the_first_steps() {
    page(World::Full, "/w/main")
        .await
        .shows(&["1,204", "$41.07", "€3.20", "2.4 s", "data-testid=\"chart\"", "+8 %", "median 620 ms"])
        .hides(&["first-steps"]);
    page(World::Empty, "/w/main")
        .await
        .shows(&["first-steps", "curl http://localhost:9200/v1/chat/completions", "model:test:echo"])
        .shows(&["still has the password"])
        .hides(&["data-testid=\"tiles\""]);
}

#[tokio::test]
async fn a_panel_of_the_home_page_that_fails_says_so_and_leaves_the_others() {
    page(World::NoFigures, "/w/main")
        .await
        .is(200)
        .shows(&["<h2>Figures", "data-code=\"ledger_unavailable\"", "Try again", "data-testid=\"running\""])
        .hides(&["data-testid=\"tiles\""]);
    page(World::Failing, "/w/main").await.is(200).shows(&["<h2>Figures", "<h2>Running now", "Unavailable"]);
}

#[tokio::test]
async fn the_runs_list_says_how_many_and_which_range() {
    page(World::Full, "/w/main/runs").await.shows(&[
        "1,204 in the last 24 h · UTC",
        "Support desk",
        "model:test:echo",
        "$0.0124",
        "8.2 s",
        "rel=\"next\"",
        "24 of 1,204",
    ]);
    page(World::Empty, "/w/main/runs").await.shows(&["No runs in this range"]);
    page(World::Full, "/w/main/runs?f.status=waiting_input").await.shows(&[
        "Nothing matches",
        "Waits for input",
        "Clear all",
    ]);
}

#[tokio::test]
async fn every_choice_of_a_filter_says_how_many_runs_it_would_show() {
    let gone = id("key", 9);
    page(World::Full, "/w/main/runs")
        .await
        .plain()
        .shows(&["Failed <span class=\"count\">34</span>", "Canceled <span class=\"count\">0</span>"])
        .shows(&[
            "model:openai:gpt-4o-mini <span class=\"count\">1,200</span>",
            "Support desk <span class=\"count\">700</span>",
        ])
        .shows(&[&format!("href=\"/w/main/runs?f.key={gone}\""), "<span class=\"count\">3</span>"])
        .hides(&["f.model=a,b", "f.model=!c"]);
    page(World::Full, "/w/main/runs?q=many")
        .await
        .plain()
        .shows(&["Failed <span class=\"count\">34+</span>"])
        .hides(&["<span class=\"count\">0"]);
    page(World::Full, "/w/main/runs?q=uncounted")
        .await
        .plain()
        .is(200)
        .shows(&["href=\"/w/main/runs?q=uncounted&amp;f.status=failed\"", "1,204 in the last 24 h"])
        .hides(&["Failed <span class=\"count\">3"]);
}

#[tokio::test]
async fn a_choice_can_be_left_out_instead_without_scripts() {
    let list = page(World::Full, "/w/main/runs?f.status=failed,running").await.plain();
    list.shows(&[
        "href=\"/w/main/runs?f.status=running,!failed\" aria-label=\"not Failed\" class=\"menu-item menu-not\">not</a>",
    ]);
    let without = page(World::Full, "/w/main/runs?f.status=!failed").await.is(200).plain();
    without
        .shows(&[
            "<span class=\"filter-name\">Status:</span> not Failed ",
            "aria-current=\"true\" aria-label=\"not Failed\"",
        ])
        .shows(&["href=\"/w/main/runs?f.status=failed\"", "/ui/export/runs?f.status=!failed&amp;w=main"])
        .hides(&["data-testid=\"run\" data-state=\"failed\""]);
    page(World::Full, "/w/main/runs?f.status=!bogus").await.is(200).shows(&["a value for f.status", "1,204"]);
}

#[tokio::test]
async fn every_list_of_what_is_set_up_has_pages() {
    for path in [
        "/w/main/keys?",
        "/w/main/keys?tab=budgets&",
        "/w/main/access?",
        "/w/main/access?tab=invitations&",
        "/w/main/access/principals?",
        "/w/main/access/groups?",
        "/w/main/access/grants?",
        "/w/main/models?",
        "/w/main/models?tab=prices&",
    ] {
        page(World::Full, path).await.is(200).shows(&["rel=\"next\"", "after=c2"]).hides(&["rel=\"prev\""]);
        let second = page(World::Full, &format!("{path}after=c2")).await.is(200);
        second.shows(&["rel=\"prev\"", " of "]).hides(&["rel=\"next\""]);
        let refused = page(World::Full, &format!("{path}after=nonsense")).await.is(200);
        refused.shows(&["a value for after", "rel=\"next\""]).hides(&["rel=\"prev\""]);
        page(World::Empty, path).await.is(200).hides(&["data-testid=\"pager\""]);
    }
}

#[tokio::test]
async fn the_rail_is_as_wide_as_its_reader_wants() {
    let fake = Fake::new(World::Full);
    get(&fake, "/w/main/runs?range=7d").await.shows(&["data-rail=\"wide\"", "value=\"narrow\""]);
    let narrow = get_with(&fake, "/w/main/runs?range=7d", "rail=narrow").await;
    narrow.shows(&["data-rail=\"narrow\"", "title=\"Runs\"", "value=\"wide\"", "value=\"/w/main/runs?range=7d\""]);
}

#[tokio::test]
async fn a_page_of_an_older_build_says_that_a_newer_one_runs() {
    let fake = Fake::new(World::Full);
    get(&fake, "/w/main").await.hides(&["data-testid=\"newer\""]);
    get_with(&fake, "/w/main", "old_build")
        .await
        .shows(&["data-testid=\"newer\"", "A newer version of soit is running."]);
}

#[tokio::test]
async fn the_runs_list_offers_its_export_to_those_who_may() {
    let list = "/w/main/runs?f.status=failed&after=c2";
    page(World::Full, list).await.shows(&["/ui/export/runs?f.status=failed&amp;w=main&amp;format=csv", "format=jsonl"]);
    page(World::Viewer, list).await.hides(&["/ui/export/runs"]);
}

#[tokio::test]
async fn later_pages_keep_the_bounds_of_the_first_and_a_wrong_cursor_is_the_first() {
    let first = page(World::Full, "/w/main/runs").await;
    first.is(200).shows(&["from=2026-01-2", "range=24h&amp;after=c2"]);
    page(World::Full, "/w/main/runs?range=24h&from=2026-01-27T12:04:11.5Z&to=2026-01-28T12:04:11.5Z&after=c2")
        .await
        .is(200)
        .shows(&["rel=\"prev\" href=\"/w/main/runs\""])
        .hides(&["a value for"]);
    page(World::Full, "/w/main/runs?after=nonsense").await.is(200).shows(&["a value for after", "1,204"]);
}

#[tokio::test]
async fn wrong_parameters_are_named_and_defaulted() {
    page(World::Full, "/w/main/runs?range=zzz&f.status=bogus&sort=-nope").await.is(200).shows(&[
        "a value for range",
        "a value for f.status",
        "a value for sort",
        "1,204",
    ]);
}

#[tokio::test]
async fn the_drawer_of_a_run_has_its_address_and_its_neighbours() {
    let second = id("run", 899);
    page(World::Full, &format!("/w/main/runs?peek={second}")).await.is(200).shows(&[
        "data-testid=\"drawer\"",
        "Where is my order 1204?",
        &format!("peek={}", id("run", 900)),
        &format!("peek={}", id("run", 898)),
    ]);
    for unknown in ["run_nonsense", &id("run", 1)] {
        page(World::Full, &format!("/w/main/runs?peek={unknown}")).await.is(200).shows(&[
            "data-testid=\"drawer\"",
            "Nothing here",
            "1,204 in",
        ]);
    }
}

#[tokio::test]
async fn a_run_shows_its_steps_its_decision_and_its_cost() {
    let run = format!("/w/main/runs/{}", id("run", 899));
    page(World::Full, &run).await.is(200).shows(&["data-testid=\"tree\"", "attempt 2", "$0.0124"]);
    page(World::Full, &run).await.shows(&["data-testid=\"evidence\"", "/evidence?w=main"]);
    page(World::Viewer, &run).await.hides(&["data-testid=\"evidence\""]);
    page(World::Full, &format!("{run}?step={}", id("stp", 2))).await.shows(&[
        "Key",
        "May leave",
        "egr_01kg1",
        "not configured",
        "$2.5",
        "$0.0034",
        "reported by the provider",
        "It left the warehouse",
    ]);
    page(World::Full, &format!("{run}?step=stp_nonsense")).await.is(200).shows(&["no such step"]);
    page(World::Full, &format!("{run}?view=log")).await.shows(&["run.finished", "data-testid=\"log\"", "attempt_no"]);
    page(World::Full, &format!("{run}?view=timeline")).await.shows(&["data-testid=\"tree\""]);
}

#[tokio::test]
async fn a_text_that_is_longer_than_its_beginning_is_offered_whole_where_it_is_kept() {
    let (run, short) = (id("run", 898), id("run", 899));
    let href = format!("href=\"/ui/download/runs/{run}/artifacts/{}?w=main\"", id("art", 1));
    for path in [format!("/w/main/runs/{run}"), format!("/w/main/runs?peek={run}")] {
        page(World::Full, &path).await.is(200).shows(&[
            "The first 23 of 20,480 characters are shown.",
            "Download all of it",
            &href,
        ]);
        let fake = Fake::new(World::Full);
        get_with(&fake, &path, "lang=zh-CN").await.is(200).shows(&[
            "显示了 20,480 个字符中的前 23 个。",
            "下载全文",
            &href,
        ]);
    }
    page(World::Full, &format!("/w/main/runs/{short}")).await.hides(&["/ui/download/"]);
}

#[tokio::test]
async fn two_runs_stand_side_by_side_with_what_differs() {
    let (a, b) = (id("run", 899), id("run", 897));
    let path = format!("/w/main/runs/compare?a={a}&b={b}");
    page(World::Full, &path).await.is(200).shows(&[
        "data-testid=\"compared-runs\"",
        "1 step differs",
        "<del title=\"Removed\">Oslo",
        "<ins title=\"Added\">Bergen",
        "+$0.25",
        "−120 ms",
        "+40",
        "+2.0 s",
        &format!("/w/main/runs/{a}"),
        &format!("a={b}&amp;b={a}"),
    ]);
    let chinese = get_with(&Fake::new(World::Full), &path, "lang=zh-CN").await.is(200);
    chinese.shows(&["比较运行", "1 个步骤不同", "title=\"删去\""]).hides(&["Compare", "differs", "Removed", "Added"]);
    page(World::Full, "/w/main/runs/compare").await.is(200).shows(&["Two runs are needed"]);
    for (a, b) in [(a.as_str(), "run_nonsense"), (&id("run", 1), &b)] {
        page(World::Full, &format!("/w/main/runs/compare?a={a}&b={b}")).await.is(404).shows(&["Nothing here"]);
    }
}

#[tokio::test]
async fn exactly_two_ticked_runs_lead_to_their_comparison_without_scripts() {
    let (a, b) = (id("run", 897), id("run", 899));
    let list = |picks: &[&String]| {
        let picks: Vec<String> = picks.iter().map(|id| format!("pick={id}")).collect();
        format!("/w/main/runs?{}&ask=compare", picks.join("&"))
    };
    page(World::Full, "/w/main/runs").await.shows(&["name=\"ask\" value=\"compare\""]);
    let led = page(World::Full, &list(&[&b, &a])).await.is(302);
    assert_eq!(led.location.as_deref(), Some(format!("/w/main/runs/compare?a={a}&b={b}").as_str()));
    page(World::Full, &list(&[&a])).await.is(200).shows(&["Two runs are needed"]);
    page(World::Full, &list(&[&a, &b, &id("run", 896)])).await.is(200).shows(&["Two runs are needed"]);
}

#[tokio::test]
async fn a_run_shows_what_people_say_of_it_and_takes_ones_own_word() {
    let quiet = format!("/w/main/runs/{}", id("run", 899));
    page(World::Full, &quiet).await.is(200).shows(&["Nobody has said anything", "Send feedback", "form[rating]"]);
    let failed = format!("/w/main/runs/{}", id("run", 897));
    page(World::Full, &failed).await.is(200).shows(&[
        "Not good",
        "wrong_tool",
        "It looked in the &lt;b&gt;wrong&lt;/b&gt; place",
        "Replace my feedback",
    ]);
    page(World::Viewer, &quiet).await.is(200).hides(&["Send feedback"]);
}

#[tokio::test]
async fn a_run_that_is_over_can_be_replayed_and_shows_what_came_out_of_it() {
    let over = format!("/w/main/runs/{}", id("run", 899));
    page(World::Full, &over).await.is(200).shows(&[
        "Run again",
        "Re-execute",
        &format!("/w/main/runs/{}/replay", id("run", 899)),
        "data-testid=\"replays\"",
        "Goes on from a step of another run.",
        &format!("/w/main/runs/{}", id("run", 896)),
    ]);
    let chinese = get_with(&Fake::new(World::Full), &over, "lang=zh-CN").await.is(200);
    chinese.shows(&["再次运行", "按记录重复", "从步骤重放"]).hides(&["Run again", "Re-execute", "Replay", "Goes on"]);
    page(World::Viewer, &over).await.is(200).hides(&["Run again", "Re-execute", "/replay\""]);
    let running = format!("/w/main/runs/{}", id("run", 900));
    page(World::Full, &running).await.is(200).hides(&["Run again", "Re-execute"]);
}

#[tokio::test]
async fn a_run_says_how_it_came_out_of_another_and_where_it_is_not_as_that_was() {
    let path = format!("/w/main/runs/{}", id("run", 898));
    let told = page(World::Full, &path).await.is(200).plain();
    told.shows(&[
        "repeated from its record",
        "Diverged at step 2.",
        "max_tokens: <del title=\"Removed\">100",
        "<ins title=\"Added\">50",
        &format!("/w/main/runs/compare?a={}&amp;b={}", id("run", 899), id("run", 898)),
    ]);
    let chinese = get_with(&Fake::new(World::Full), &path, "lang=zh-CN").await.is(200);
    chinese.shows(&["在第 2 步出现差异。", "预期与实际"]).hides(&["Diverged", "repeated", "Source", "Expected"]);
}

#[tokio::test]
async fn a_replay_from_a_step_offers_the_steps_and_simulates_tools_unless_told_otherwise() {
    let path = format!("/w/main/runs/{}/replay", id("run", 899));
    page(World::Full, &path).await.is(200).plain().shows(&[
        "Replay from step",
        "form[from_seq]",
        "<option value=\"2\"",
        "form[model_ref]",
        "form[system_prompt]",
        "form[params]",
        "form[input]",
        "value=\"simulated\"",
    ]);
    let chinese = get_with(&Fake::new(World::Full), &path, "lang=zh-CN").await.is(200);
    chinese.shows(&["从步骤重放", "系统提示词", "工具调用"]).hides(&["Replay", "System prompt", "Simulated"]);
    page(World::Full, "/w/main/runs/run_nonsense/replay").await.is(404).shows(&["Nothing here"]);
}

#[tokio::test]
async fn lists_are_handed_out_as_files_with_their_filters() {
    for (path, file) in [("runs", "runs"), ("audit", "audit"), ("events", "events")] {
        let export = format!("/ui/export/{file}?");
        let listed = page(World::Full, &format!("/w/main/{path}?f.run=x&range=7d")).await.is(200);
        listed.shows(&["data-testid=\"export\"", &export]);
        page(World::Viewer, &format!("/w/main/{path}")).await.is(200).hides(&[&export]);
    }
}

#[tokio::test]
async fn a_viewer_sees_everything_and_no_control_they_can_never_use() {
    for path in
        PAGES.iter().filter(|path| !path.ends_with("/new") && !path.contains("/profile") && !path.contains("/sessions"))
    {
        page(World::Viewer, path).await.is(200).hides(&[
            "btn--primary\" href",
            "/ui/fn/create",
            "/ui/fn/update",
            "/ui/fn/delete",
            "btn--danger",
        ]);
    }
}

#[tokio::test]
async fn a_run_is_shown_as_it_ran_and_its_log_is_searched_without_scripts() {
    let run = format!("/w/main/runs/{}", id("run", 898));
    let graph = page(World::Full, &format!("{run}?view=graph")).await.is(200);
    graph.shows(&["data-testid=\"graph\"", "data-testid=\"node\"", "attempt 2", "data-testid=\"step-pane\""]);
    let timeline = page(World::Full, &format!("{run}?view=timeline")).await;
    timeline.shows(&["Underlined is what the run waited for", "data-critical", "on the critical path"]);
    page(World::Full, &run).await.hides(&["data-critical"]);
    let log = page(World::Full, &format!("{run}?view=log&q=CLOSED")).await;
    log.shows(&["role=\"search\"", "step.closed", "name=\"view\" value=\"log\""]).hides(&[">step.opened<"]);
    page(World::Full, &format!("{run}?view=log&q=nowhere")).await.shows(&["None of the events shown here"]);
}

#[tokio::test]
async fn a_run_is_stepped_through_event_by_event_without_scripts() {
    let run = format!("/w/main/runs/{}", id("run", 898));
    let first = page(World::Full, &format!("{run}?view=inspect")).await.is(200);
    first.shows(&["data-testid=\"inspect\"", "<h2>run.started<", "0 begun, 0 open", "at=2", "data-shortcut=\"j\""]);
    let second = page(World::Full, &format!("{run}?view=inspect&at=2")).await;
    second.shows(&["<h2>step.opened<", "1 begun, 1 open", "at=1", "at=3"]).hides(&["<h2>run.started<"]);
    page(World::Full, &format!("{run}?view=inspect&at=nowhere")).await.is(200).shows(&["no such event on this page"]);
}

#[tokio::test]
async fn the_runs_list_can_be_asked_for_the_sandbox() {
    let list = page(World::Full, "/w/main/runs?f.sandbox=true").await.is(200);
    list.shows(&["In the sandbox", "f.sandbox=true,false"]);
}

#[tokio::test]
async fn a_service_principal_is_told_by_its_name_and_whose_it_is() {
    let (by, named) = (format!("f.caller={}", id("spn", 1)), "Nightly build (Ada King)");
    let run = id("run", 895);
    page(World::Full, "/w/main/runs").await.shows(&[&format!("Nightly triage · {named}"), &by]);
    page(World::Full, &format!("/w/main/runs/{run}")).await.shows(&[&format!("Nightly triage · {named}")]);
    page(World::Full, &format!("/w/main/runs?peek={run}")).await.shows(&[named]);
    let chip = page(World::Full, &format!("/w/main/runs?{by}")).await;
    chip.shows(&["data-testid=\"filter\"", "Caller:", named]);
    page(World::Full, &format!("/w/main/audit?f.actor={}", id("usr", 1))).await.shows(&["Who:", "Ada King"]);
}

#[tokio::test]
async fn who_may_do_more_can_see_the_console_as_who_may_less() {
    let people = page(World::Full, "/w/main/access").await;
    people.shows(&["View as", "method=\"post\" action=\"/ui/view-as\"", "name=\"role\" value=\"viewer\""]);
    page(World::Full, "/w/main/access?tab=invitations").await.hides(&["/ui/view-as"]);
    page(World::Viewer, "/w/main/access").await.hides(&["/ui/view-as"]);
}

#[tokio::test]
async fn members_are_peeked_at_and_removed_by_who_may() {
    let peek = |number| format!("/w/main/access?peek={}", id("usr", number));
    page(World::Full, "/w/main/access").await.shows(&["Grace Hopper", "grace.hopper@example.com", "Admin", ">you<"]);
    page(World::Full, &peek(2)).await.shows(&[
        "data-testid=\"drawer\"",
        "/ui/fn/update_member",
        "name=\"version\" value=\"2\"",
        "value=\"owner\"",
        "Remove",
    ]);
    page(World::Full, &peek(1)).await.shows(&["Leave"]);
    page(World::Full, &format!("/w/main/access?remove={}", id("usr", 2))).await.shows(&[
        "<dialog",
        "Remove Grace Hopper?",
        "pattern=\"Grace Hopper\"",
    ]);
    page(World::Full, "/w/main/access?peek=usr_nonsense").await.is(200).shows(&["Nothing here"]);
    page(World::Viewer, &peek(2)).await.is(200).hides(&["/ui/fn/update_member", "Remove"]);
    page(World::Viewer, "/w/main/access").await.hides(&["Invitations", "Invite somebody"]);
}

#[tokio::test]
async fn an_invitation_is_accepted_by_a_plain_form_that_says_what_went_wrong() {
    let form = page(World::Full, "/invite").await.is(200);
    form.shows(&["method=\"post\" action=\"/ui/invite\"", "name=\"token\"", "name=\"password\"", "next=/invite"]);
    page(World::Full, "/invite?error=invitation_used").await.is(200).shows(&[
        "data-code=\"invitation_used\"",
        "Invitation used",
        "It works once",
    ]);
    page(World::Full, "/invite?error=nonsense").await.is(200).hides(&["form-summary"]);
}

#[tokio::test]
async fn keys_show_the_limit_that_bites_first_and_what_binds_them() {
    page(World::Full, "/w/main/keys").await.shows(&[
        "Support desk",
        "sk_7f3a…c4d9",
        "Calls a day",
        "9,200",
        "of 10,000",
        "$12.40",
        "60 d",
        "Revoked",
    ]);
    page(World::Full, &format!("/w/main/keys?peek={}", id("key", 1))).await.shows(&[
        "limit--bites",
        "Any model",
        "From anywhere",
        "Rotate",
        "Revoke",
    ]);
    page(World::Full, &format!("/w/main/keys?revoke={}", id("key", 1))).await.shows(&[
        "<dialog",
        "Revoke Support desk?",
        "pattern=\"Support desk\"",
    ]);
    page(World::Full, "/w/main/keys?peek=key_nonsense").await.is(200).shows(&["Nothing here"]);
    page(World::Empty, "/w/main/keys").await.shows(&["No keys yet"]);
}

#[tokio::test]
async fn budgets_show_what_is_spent_and_held() {
    page(World::Full, "/w/main/keys?tab=budgets").await.shows(&[
        "$41.07",
        "of $50.00",
        "$0.90 held by running calls",
        "Refuses calls",
        "Alerts only",
        "Key Support desk",
    ]);
    page(World::Full, &format!("/w/main/budgets/{}", id("bdg", 1)))
        .await
        .is(200)
        .shows(&["value=\"50\"", "50, 80, 100"]);
}

#[tokio::test]
async fn models_say_what_is_missing_before_a_call_can_leave() {
    page(World::Full, "/w/main/models").await.shows(&[
        "model:openai:gpt-4o-mini",
        "Unpriced",
        "$0.15 / $0.60",
        "Calls may leave",
        "model:test:tokens-{n}",
        "Answers with what it was asked",
    ]);
    page(World::Full, &format!("/w/main/models/{}", id("prv", 1))).await.shows(&[
        "no egress rule allows https://api.example.com:443",
        "accept_egress_offer",
        "Allow it",
    ]);
    page(World::Full, &format!("/w/main/models/{}?edit={}", id("prv", 1), id("mdl", 2)))
        .await
        .shows(&["/ui/fn/update_model", "value=\"128000\""]);
    page(World::Full, "/w/main/models?tab=prices").await.shows(&["price list of the provider", "$0.075"]);
    page(World::Full, "/w/main/models?tab=egress").await.shows(&["api.example.com", "the scheme"]);
}

#[tokio::test]
async fn the_sign_in_page_is_a_plain_form() {
    page(World::Full, "/sign-in?error=invalid_credentials&next=/w/main/runs?q=x").await.is(200).shows(&[
        "action=\"/ui/sign-in\"",
        "E-mail or password is wrong",
        "value=\"/w/main/runs?q=x\"",
    ]);
    page(World::Full, "/sign-in?next=//evil.example")
        .await
        .hides(&["evil.example\" "])
        .shows(&["name=\"next\" value=\"/\""]);
    page(World::Full, "/sign-in?error=login_throttled&retry_after=8").await.shows(&["Too many failed sign-ins", "8 s"]);
}

#[tokio::test]
async fn the_kit_shows_every_component_on_both_sides() {
    let kit = get(&Fake::new(World::Full), "/ui/kit").await.is(200).shows(&[
        "data-theme=\"light\"",
        "data-theme=\"dark\"",
        "limit--bites",
    ]);
    for name in [
        "button", "status", "money", "notice", "form", "filter", "table", "meter", "chart", "tree", "code", "empty",
        "live", "icon",
    ] {
        assert!(kit.body.contains(&format!("kit-{name}")), "{name}");
    }
}

#[tokio::test]
async fn names_are_text_whatever_they_hold() {
    page(World::Full, "/w/main/runs?q=%3Cimg%20src%3Dx%20onerror%3Dalert(1)%3E&peek=%3Cscript%3Ealert(1)%3C/script%3E")
        .await
        .hides(&["<img src=x", "<script>alert"]);
}

#[tokio::test]
async fn the_audit_says_who_did_what_and_what_it_changed() {
    page(World::Full, "/w/main/audit").await.is(200).shows(&[
        "budget.updated",
        "access.denied",
        "Ada King",
        "/w/main/audit/2",
        "rel=\"next\"",
    ]);
    page(World::Full, "/w/main/audit?f.outcome=denied&f.object=bdg_1")
        .await
        .shows(&["access.denied", "data-testid=\"filter\"", "bdg_1"])
        .hides(&["budget.updated"]);
    page(World::Full, "/w/main/audit").await.shows(&["1,234 entries", "last signed", "verify=1"]).hides(&["Entry 7"]);
    page(World::Full, "/w/main/audit?verify=1")
        .await
        .shows(&["Entry 7 of the hash chain: its record was changed", &id("aud", 7)])
        .hides(&["verify=1&amp;f."]);
    page(World::Empty, "/w/main/audit?verify=1").await.shows(&["All 0 entries", "not signed yet"]);
    page(World::Full, "/w/main/audit?f.outcome=bogus").await.is(200).shows(&["f.outcome"]);
    page(World::Empty, "/w/main/audit").await.shows(&["Nothing in this time"]);
    page(World::Empty, "/w/main/audit?f.outcome=done").await.shows(&["Nothing matches"]);
    page(World::Full, "/w/main/audit/2")
        .await
        .is(200)
        .shows(&["Old name", "New name", "data-testid=\"difference\"", "Entry 2", "f.object=bdg_"])
        .hides(&["<code>amount"]);
    page(World::Full, "/w/main/audit/1").await.is(200).shows(&["role_required"]).hides(&["difference"]);
    for path in ["/w/main/audit/9", "/w/main/audit/x"] {
        page(World::Full, path).await.is(404).shows(&["Nothing here"]);
    }
}

#[tokio::test]
async fn dead_letters_are_decided_about_by_those_who_may() {
    let letter = format!("{}.live", id("evt", 1));
    let dead = "/w/main/events?tab=dead";
    page(World::Full, dead).await.shows(&["no answer", "Try all again", "redrive_dead_letter", "discard=evt_"]);
    page(World::Viewer, dead).await.shows(&["no answer"]).hides(&[
        "Try all again",
        "redrive_dead_letter",
        "discard=evt_",
    ]);
    page(World::Full, &format!("{dead}&discard={letter}")).await.shows(&[
        "data-testid=\"confirm\"",
        "Discard run.finished?",
        "form[reason]",
    ]);
    page(World::Full, &format!("{dead}&redrive=all")).await.shows(&["Try everything again?", "redrive_dead_letters"]);
    page(World::Viewer, &format!("{dead}&redrive=all")).await.hides(&["data-testid=\"confirm\""]);
    page(World::Empty, dead).await.shows(&["Nothing was given up"]).hides(&["Try all again"]);
    page(World::Full, "/w/main/events?tab=consumers").await.shows(&["2.4 s", "120 ms"]);
    page(World::Full, "/w/main/events").await.shows(&["run.finished", "/w/main/runs/run_"]);
}

#[tokio::test]
async fn a_second_factor_is_set_up_shown_and_managed() {
    let off = page(World::Empty, "/second-factor").await.is(200);
    off.shows(&["data-state=\"off\"", "value=\"set_up\"", "<h1>Second factor"]).hides(&["value=\"disable\""]);
    let on = page(World::Full, "/second-factor?next=/w/main/runs").await.is(200);
    on.shows(&[
        "data-state=\"on\"",
        "value=\"renew\"",
        "value=\"disable\"",
        "href=\"/w/main/runs\"",
        "9 recovery codes",
    ]);
    page(World::Full, "/second-factor?next=//evil.example").await.is(200).shows(&["href=\"/\""]).hides(&["evil"]);
    page(World::Full, "/w/main/settings/profile")
        .await
        .shows(&["/second-factor?next=/w/main/settings/profile", "Manage"]);
    page(World::Full, "/w/main/settings/workspace").await.shows(&["value=\"2026-12-01\"", "require_mfa_from"]);
    page(World::Full, "/w/main/settings/sessions").await.shows(&["Second factor", ">Code<"]);

    let fake = Fake::new(World::Full);
    let done = |done| *fake.second_factor.lock().unwrap() = Some(done);
    let seed = SetUp {
        secret: "SEED".to_owned(),
        uri: "otpauth://x".to_owned(),
        qr: "data:image/svg+xml;base64,eA==".to_owned(),
    };
    done(Done::SetUp(seed));
    get(&fake, "/second-factor").await.is(200).shows(&[
        "src=\"data:image/svg+xml;base64,eA==\"",
        "SEED",
        "href=\"otpauth://x\"",
        "value=\"confirm\"",
        "alt=\"QR code",
    ]);
    done(Done::Codes(RecoveryCodes { recovery_codes: vec!["AAAA-1".to_owned(), "BBBB-2".to_owned()] }));
    get(&fake, "/second-factor").await.is(200).shows(&[
        "AAAA-1\nBBBB-2",
        "href=\"data:text/plain;charset=utf-8,AAAA-1%0ABBBB-2\"",
        "download=\"soit-recovery-codes.txt\"",
    ]);
    let refused = |code| Done::Refused(Act::Renew, Box::new(Problem::new(code, "why")));
    done(refused(Code::StepUpRequired));
    get(&fake, "/second-factor").await.is(403).shows(&[
        "data-code=\"step_up_required\"",
        "value=\"prove\"",
        "name=\"code\"",
    ]);
    done(refused(Code::MfaEnforced));
    get(&fake, "/second-factor").await.is(409).shows(&["data-code=\"mfa_enforced\""]);
}

#[tokio::test]
async fn the_pages_of_the_second_factor_exist_in_chinese() {
    let fake = Fake::new(World::Full);
    for path in ["/second-factor", "/mfa?error=invalid_code"] {
        let page = get_with(&fake, path, "lang=zh-CN").await.is(200);
        page.shows(&["lang=\"zh-CN\"", "双重验证"]).hides(&["Second factor", "Code<", "Continue", "Set up"]);
    }
}

#[tokio::test]
async fn the_second_step_of_a_sign_in_is_a_plain_form_that_says_what_went_wrong() {
    let form = page(World::Full, "/mfa?next=/w/main/runs").await.is(200);
    form.shows(&["method=\"post\" action=\"/ui/mfa\"", "name=\"code\"", "value=\"/w/main/runs\"", "one-time-code"]);
    page(World::Full, "/mfa?error=login_throttled&retry_after=90&next=//evil.example")
        .await
        .is(200)
        .shows(&["data-code=\"login_throttled\"", "Try again in 90 s.", "value=\"/\""])
        .hides(&["evil"]);
}
