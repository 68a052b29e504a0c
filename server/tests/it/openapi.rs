//! The OpenAPI document: complete, current, and written about.

use serde_json::Value;

use crate::util::test_app::TestApp;

/// Method and path of every operation.
fn operations(document: &Value) -> Vec<(String, String, Value)> {
    let paths = document["paths"].as_object().expect("paths");
    let each = |(path, item): (&String, &Value)| {
        let item = item.as_object().expect("methods").clone();
        let path = path.clone();
        item.into_iter()
            .map(move |(method, operation)| (method.to_uppercase(), path.clone(), operation))
            .collect::<Vec<_>>()
    };
    paths.iter().flat_map(each).collect()
}

#[tokio::test]
async fn the_document_is_what_it_was() {
    let app = TestApp::sqlite().await;
    let mut document = app.anon().get("/api/v1/openapi.json").await.expect(200);
    assert_eq!(document["openapi"].as_str().map(|version| version.starts_with("3.1")), Some(true));
    document["info"]["version"] = "current".into();
    insta::assert_snapshot!("openapi", serde_json::to_string_pretty(&document).expect("JSON"));
}

#[tokio::test]
async fn every_operation_tells_how_it_fails_and_has_its_own_name() {
    let app = TestApp::sqlite().await;
    let document = app.anon().get("/api/v1/openapi.json").await.expect(200);
    let mut names: Vec<String> = Vec::new();
    for (method, path, operation) in operations(&document) {
        let refusal = &operation["responses"]["default"]["content"]["application/problem+json"];
        assert_eq!(refusal["schema"]["$ref"], "#/components/schemas/Problem", "{method} {path}");
        assert!(operation["summary"].is_string(), "{method} {path} says nothing of itself");
        names.push(operation["operationId"].as_str().expect("a name").to_owned());
    }
    names.sort_unstable();
    let count = names.len();
    names.dedup();
    assert_eq!(names.len(), count);
}

#[tokio::test]
async fn the_page_about_the_api_names_every_route() {
    let app = TestApp::sqlite().await;
    let document = app.anon().get("/api/v1/openapi.json").await.expect(200);
    let page = include_str!("../../../docs/API.md");
    for (method, path, _) in operations(&document) {
        assert!(page.contains(&format!("`{method} {path}`")), "docs/API.md lacks `{method} {path}`");
    }
}
