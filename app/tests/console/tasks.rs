//! Tasks: the list, one of them, and the erasing of content.

use app::backend::tasks::TaskList;
use app::backend::{Answer, Tasks};
use async_trait::async_trait;
use serde_json::json;
use types::id::{FormKey, TaskId};
use types::name::Slug;
use types::page::Page;
use types::run::Term;
use types::task::{ScrubContent, Task, TaskQuery};

use crate::fake::{Fake, World, ago, id, not_found, now, read};
use crate::site::{get_with, page};

fn tasks() -> Vec<Task> {
    let task = |number: u32, status: &str, more: serde_json::Value| {
        let mut task = json!({
            "id": id("tsk", number), "task_type": "content.scrub", "status": status, "epoch": 3, "attempts": 2,
            "max_attempts": 5, "redrives": 0, "available_at": now(), "subject": { "kind": "workspace", "id": id("wsp", 1) },
            "caller": { "kind": "user", "id": id("usr", 1) }, "user_id": id("usr", 1), "run_id": null,
            "params": { "before": "2026-01-01T00:00:00Z" }, "input_artifact_id": null, "output_artifact_id": null,
            "progress": { "done": 1200, "total": null, "text": null }, "lease_owner": null, "lease_until": null,
            "last_error": null, "discard_reason": null, "created_at": ago(600), "changed_at": ago(60),
            "finished_at": null,
        });
        task.as_object_mut().expect("an object").extend(more.as_object().expect("an object").clone());
        read(task)
    };
    let failed = json!({
        "last_error": { "code": "storage_unavailable", "message": "the artifact store does not answer" },
        "finished_at": ago(60),
    });
    vec![
        task(3, "running", json!({})),
        task(2, "failed", failed),
        task(1, "succeeded", json!({ "finished_at": ago(60), "progress": { "done": 7, "total": 9, "text": null } })),
    ]
}

#[async_trait]
impl Tasks for Fake {
    async fn list_tasks(&self, workspace: &Slug, query: TaskQuery) -> Answer<TaskList> {
        self.here(workspace)?;
        let wanted = |task: &Task| Term::pass(&query.filter.status, |status| *status == task.status);
        let items = if self.is_empty() { vec![] } else { tasks().into_iter().filter(wanted).collect() };
        let next_cursor = (!self.is_empty() && query.cursor.is_none()).then(|| "t2".to_owned());
        Ok(TaskList { page: Page { items, next_cursor }, cursor_refused: false })
    }

    async fn find_task(&self, workspace: &Slug, id: TaskId) -> Answer<Task> {
        self.here(workspace)?;
        tasks().into_iter().find(|task| task.id == id).map_or_else(not_found, Ok)
    }

    async fn cancel_task(&self, workspace: &Slug, id: TaskId) -> Answer<Task> {
        self.change(workspace, format!("cancel_task {id}"))?;
        self.find_task(workspace, id).await
    }

    async fn retry_task(&self, workspace: &Slug, id: TaskId) -> Answer<Task> {
        self.change(workspace, format!("retry_task {id}"))?;
        self.find_task(workspace, id).await
    }

    async fn scrub_content(&self, workspace: &Slug, _: Option<FormKey>, command: ScrubContent) -> Answer<Task> {
        self.change(workspace, format!("scrub_content {}", command.before))?;
        tasks().into_iter().next().map_or_else(not_found, Ok)
    }
}

fn of(number: u32) -> String {
    format!("/w/main/tasks/{}", id("tsk", number))
}

#[tokio::test]
async fn the_list_says_where_each_task_stands_and_leads_to_it() {
    page(World::Full, "/w/main/tasks").await.is(200).shows(&[
        "Erase content",
        "data-state=\"running\"",
        "Given up",
        "1,200",
        "7 of 9",
        "2 of 5",
        &of(2),
        "after=t2",
    ]);
    page(World::Full, "/w/main/tasks?f.status=failed").await.shows(&["Given up"]).hides(&[&of(3)]);
    page(World::Full, "/w/main/tasks?f.status=bogus").await.is(200).shows(&["f.status"]);
    page(World::Empty, "/w/main/tasks").await.shows(&["No tasks yet"]);
    page(World::Empty, "/w/main/tasks?f.status=failed").await.shows(&["Nothing matches"]);
    page(World::Viewer, "/w/main/tasks").await.is(200);
    let many = vec!["failed"; 101].join(",");
    page(World::Full, &format!("/w/main/tasks?f.status={many}")).await.is(400);
}

#[tokio::test]
async fn a_task_is_canceled_or_tried_again_by_those_who_may_and_where_its_state_allows() {
    page(World::Full, &of(3)).await.is(200).shows(&["cancel_task", "1,200"]).hides(&["retry_task"]);
    page(World::Full, &of(2))
        .await
        .shows(&["retry_task", "storage_unavailable", "does not answer"])
        .hides(&["cancel_task"]);
    page(World::Full, &of(1)).await.is(200).hides(&["cancel_task", "retry_task"]);
    page(World::Viewer, &of(3)).await.is(200).hides(&["cancel_task"]);
    for path in [of(9), "/w/main/tasks/x".to_owned()] {
        page(World::Full, &path).await.is(404).shows(&["Nothing here"]);
    }
}

#[tokio::test]
async fn content_is_erased_by_owners_who_typed_the_name() {
    let settings = "/w/main/settings/workspace";
    page(World::Full, settings).await.shows(&["id=\"scrub\"", "scrub=1"]).hides(&["data-testid=\"confirm\""]);
    page(World::Full, &format!("{settings}?scrub=1")).await.shows(&[
        "data-testid=\"confirm\"",
        "form[before]",
        "id=\"confirm-name\"",
        "scrub_content",
    ]);
    page(World::Viewer, &format!("{settings}?scrub=1")).await.hides(&["id=\"scrub\"", "data-testid=\"confirm\""]);
}

#[tokio::test]
async fn no_word_of_the_tasks_is_english_in_chinese() {
    let fake = Fake::new(World::Full);
    for path in ["/w/main/tasks".to_owned(), of(2)] {
        get_with(&fake, &path, "lang=zh-CN")
            .await
            .is(200)
            .shows(&["擦除内容", "已放弃"])
            .hides(&["Erase", "Given up", "Attempts", "Progress", ">Tasks"]);
    }
}
