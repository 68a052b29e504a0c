//! The permission matrix, executed: every action through each door that has it, as everybody, against a golden file.
//!
//! The file is what the doors answered, not what `rbac.txt` says: a letter changed there changes a line here.

mod probe;
mod stage;

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

use kernel::policy::rbac::Cells;
use leptos::server_fn::axum::server_fn_paths;
use server::http::ANONYMOUS;

use self::probe::Door::{Function, JsonFunction, Route};
use self::probe::Target::{AuditRow, Grant, Nothing, Oneself, OwnGrant, OwnKey};
use self::probe::probes;
use self::stage::Stage;
use super::anonymous::paths;
use crate::util::test_app::{TestApp, on_both};

const GOLDEN: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/it/golden/authz_matrix.txt");

/// The columns, in order. Two have a place in the tenant alone: an owner and an admin of it; of those in the workspace the owner
/// owns the tenant, and the others are members of it. The last four are keys: one of a service principal with the role of a developer, three of the owner.
const COLUMNS: [&str; 13] = [
    "anonymous",
    "outsider",
    "unjoined",
    "tadmin",
    "operator",
    "owner",
    "admin",
    "dev",
    "viewer",
    "principal",
    "key:read",
    "key:write",
    "key:admin",
];
/// The columns of an owner and of a viewer.
const OWNER: usize = 5;
const VIEWER: usize = 8;
/// Columns that sign in at the console, too.
const AT_CONSOLE: usize = 9;

/// Whether an action is one in a workspace: those on a tenant, the instance or oneself are not told apart by it.
fn is_of_workspace(action: &str) -> bool {
    kernel::policy::rbac::find(action).is_some_and(|rule| matches!(rule.cells, Cells::Workspace(_)))
}

/// Refusals are told apart; how an allowed action is answered is the door's own matter.
fn verdict(status: u16) -> u16 {
    if (200..300).contains(&status) { 200 } else { status }
}

/// Each cell of a table, by its line and column.
fn cells(table: &str) -> BTreeMap<(String, &'static str), String> {
    let line = |line: &str| {
        let words: Vec<&str> = line.split_whitespace().collect();
        let (action, cells) = words.split_at(words.len().saturating_sub(COLUMNS.len()));
        let (action, cells) = (action.join(" "), cells.iter().map(|cell| (*cell).to_owned()));
        COLUMNS.into_iter().zip(cells.collect::<Vec<_>>()).map(move |(column, cell)| ((action.clone(), column), cell))
    };
    table.lines().skip(1).flat_map(line).collect()
}

/// What is not as it was, each by its line and column.
fn differences(was: &str, is: &str) -> Vec<String> {
    let (was, is) = (cells(was), cells(is));
    let names: BTreeSet<_> = was.keys().chain(is.keys()).collect();
    let told = |cell: Option<&String>| cell.map_or_else(|| "not there".to_owned(), Clone::clone);
    let changed = names.into_iter().filter(|name| was.get(name) != is.get(name));
    changed
        .map(|name| format!("{} as {}: was {}, is {}", name.0, name.1, told(was.get(name)), told(is.get(name))))
        .collect()
}

#[test]
fn a_difference_is_told_by_line_and_column() {
    let table = |cells: [&str; COLUMNS.len()]| format!("head\nkey.list (own)  {}\n", cells.join("  "));
    let (was, mut is) = (["200"; COLUMNS.len()], ["200"; COLUMNS.len()]);
    is[8] = "403";
    assert_eq!(differences(&table(was), &table(is)), ["key.list (own) as viewer: was 200, is 403"]);
    assert_eq!(differences(&table(was), "head").len(), COLUMNS.len());
}

on_both! {
    async fn everybody_may_do_what_the_golden_file_says_and_nothing_else(app: TestApp) {
        let stage = Stage::set(app).await;
        let mut actors = stage.actors().await;
        let mut lines = BTreeMap::new();
        for probe in probes() {
            assert!(kernel::policy::rbac::find(probe.action).is_some(), "{} has no row", probe.action);
            let line = match probe.target {
                OwnKey | OwnGrant | Oneself => format!("{} (own)", probe.action),
                AuditRow | Grant => format!("{} (another's)", probe.action),
                // Of those that match, others' are left out.
                Nothing if probe.action == "run.cancel" => format!("{} (matching)", probe.action),
                _ => probe.action.to_owned(),
            };
            for door in &probe.doors {
                for column in 0..COLUMNS.len() {
                    let Some(status) = stage.attempt(&probe, door, column, &actors[column]).await else { continue };
                    // What one does to one's own sessions and password may end all of them.
                    if probe.action.starts_with("me.") {
                        actors[column] = stage.actor(column).await;
                    }
                    let cells = lines.entry(line.clone()).or_insert([None; COLUMNS.len()]);
                    let first = *cells[column].get_or_insert(status);
                    let name = match door {
                        Route(name, _) | Function(name, _) | JsonFunction(name, _) => name,
                    };
                    let column = COLUMNS[column];
                    assert_eq!(verdict(status), verdict(first), "{line} as {column} through `{name}`");
                }
            }
        }
        let mut table = format!("{:28}", "");
        COLUMNS.iter().for_each(|column| write!(table, " {column:>9}").expect("a line"));
        for (action, cells) in lines {
            write!(table, "\n{action:28}").expect("a line");
            cells.iter().for_each(|cell| write!(table, " {:>9}", cell.unwrap_or_default()).expect("a line"));
        }
        table.push('\n');
        #[expect(clippy::disallowed_methods, reason = "how a person asks for a new golden file")]
        let update = std::env::var_os("UPDATE_GOLDEN").is_some();
        if update {
            std::fs::write(GOLDEN, &table).expect("the golden file is written");
        }
        let golden = std::fs::read_to_string(GOLDEN).expect("run once with UPDATE_GOLDEN=1");
        let wrong = differences(&golden, &table);
        assert!(wrong.is_empty(), "{}", wrong.join("\n"));
        assert_eq!(table, golden);
    }

    async fn an_owner_seen_as_a_viewer_is_refused_whatever_a_viewer_is_at_the_console(app: TestApp) {
        let stage = Stage::set(app).await;
        let mut viewer = stage.actor(VIEWER).await;
        let owner = stage.lowered_owner("viewer").await;
        let mut refused = BTreeSet::new();
        for probe in probes() {
            for door in probe.doors.iter().filter(|door| !matches!(door, Route(..))) {
                let Some(status) = stage.attempt(&probe, door, VIEWER, &viewer).await else { continue };
                if probe.action.starts_with("me.") {
                    viewer = stage.actor(VIEWER).await;
                }
                // What a viewer may do the others may as well; some of it ends the session.
                if (200..300).contains(&status) {
                    continue;
                }
                let same = stage.attempt(&probe, door, OWNER, &owner).await;
                let (Function(name, _) | JsonFunction(name, _) | Route(name, _)) = door;
                assert_eq!(same, Some(status), "{} through `{name}`", probe.action);
                refused.insert(*name);
            }
        }
        assert!(refused.len() > 30, "{refused:?}");
        let row = stage.last_denial().await;
        assert_eq!((&row["outcome"], &row["payload"]["view_as"]), (&"denied".into(), &"viewer".into()), "{row}");
    }

    async fn ids_of_another_workspace_name_nothing_through_any_door(app: TestApp) {
        let stage = Stage::set(app).await;
        let strangers = stage.strangers().await;
        let mut tried = 0;
        for probe in probes().iter().filter(|probe| is_of_workspace(probe.action)) {
            for door in &probe.doors {
                for stranger in &strangers {
                    let Some(answer) = stage.attempt_from(probe, door, stranger).await else { continue };
                    let name = match door {
                        Route(name, _) | Function(name, _) | JsonFunction(name, _) => name,
                    };
                    let is_hidden = match *name {
                        // A secret waits for the session that made it, whatever key is named.
                        "take_reveal" => answer.text == "\"gone\"",
                        // To the console, what is not there is deleted already.
                        "delete_provider" | "delete_budget" | "delete_egress_rule" | "delete_view" | "remove_member"
                        | "delete_group" | "revoke_grant" => {
                            answer.status == 200
                        }
                        _ => answer.status == 404,
                    };
                    assert!(is_hidden, "`{name}`: {} {}", answer.status, answer.text);
                    tried += 1;
                }
            }
        }
        assert!(tried > 60, "only {tried} doors take an id");
    }
}

#[tokio::test]
async fn every_route_and_server_function_is_in_the_matrix() {
    let app = TestApp::sqlite().await;
    let bare = |path: &str| {
        let path = path.split('?').next().unwrap_or_default();
        let parts = path.split('/').map(|part| if part.starts_with('{') { "{}" } else { part });
        parts.collect::<Vec<_>>().join("/")
    };
    let (mut routes, mut functions) = (BTreeSet::new(), BTreeSet::new());
    for door in probes().into_iter().flat_map(|probe| probe.doors) {
        match door {
            Route(route, _) => drop(routes.insert(bare(route))),
            Function(name, _) | JsonFunction(name, _) => drop(functions.insert(format!("/ui/fn/{name}"))),
        }
    }
    let document = app.anon().get("/api/v1/openapi.json").await.expect(200);
    for (path, item) in document["paths"].as_object().expect("paths") {
        for method in item.as_object().expect("operations").keys() {
            let route = format!("{} {path}", method.to_uppercase());
            let is_open = ANONYMOUS.contains(&route.replace(' ', " /api/v1").as_str());
            assert!(is_open || routes.contains(&bare(&route)), "{route} is in no line of the matrix");
        }
    }
    for path in paths(&app).into_iter().filter(|path| path.starts_with("/v1/") && path != "/v1/") {
        let door = bare(&path);
        let has_line = routes.iter().any(|route| route.split_once(' ').is_some_and(|(_, path)| path == door));
        assert!(has_line, "{path} is in no line of the matrix");
    }
    for (path, _) in server_fn_paths() {
        assert!(functions.contains(path), "{path} is in no line of the matrix");
    }
}
