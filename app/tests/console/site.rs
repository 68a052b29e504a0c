//! The console as a web site over a fake backend, and the few requests tests make to it.

use app::app::{App, shell};
use app::query::Params;
use app::visit::Visit;
use axum::Router;
use axum::body::{Body, to_bytes};
use axum::extract::Request;
use axum::http::{Method, StatusCode, header, request::Parts};
use axum::routing::post;
use leptos::config::LeptosOptions;
use leptos::prelude::{provide_context, use_context};
use leptos_axum::{LeptosRoutes, generate_route_list, handle_server_fns_with_context, render_app_async_with_context};
use tower::ServiceExt;

use crate::fake::{Fake, World, now};

/// The console over a backend.
pub(crate) fn router(fake: &Fake) -> Router {
    let options = LeptosOptions::builder().output_name("soit").site_pkg_dir("pkg").build();
    let fake = fake.clone();
    let context = move || {
        let parts = use_context::<Parts>();
        let header = |name| parts.as_ref()?.headers.get(name)?.to_str().ok().map(str::to_owned);
        let cookies = header(header::COOKIE).unwrap_or_default();
        let prefs = cookies.split("; ").find_map(|cookie| cookie.strip_prefix("soit_prefs="));
        let query = parts.as_ref().and_then(|parts| parts.uri.query()).unwrap_or_default();
        let visit = Visit::new(prefs, header(header::ACCEPT_LANGUAGE).as_deref(), &Params::parse(query), now());
        let build = if cookies.contains("old_build") { "b0" } else { "b1" }.to_owned();
        let offers = cookies.contains("with_mail");
        provide_context(Visit { build, password_reset: offers, registration: offers, ..visit });
        provide_context(fake.backend(parts.is_some_and(|parts| parts.method == Method::POST)));
    };
    let page = {
        let options = options.clone();
        move || shell(options.clone())
    };
    let function = {
        let context = context.clone();
        post(move |request: Request| handle_server_fns_with_context(context.clone(), request))
    };
    Router::new()
        .route("/ui/fn/{name}", function)
        .leptos_routes_with_context(&options, generate_route_list(App), context.clone(), page.clone())
        .route(app::route::KEY_REVEAL, post(render_app_async_with_context(context.clone(), page.clone())))
        .route(app::route::INVITATION_REVEAL, post(render_app_async_with_context(context.clone(), page.clone())))
        .route(app::route::SECOND_FACTOR, post(render_app_async_with_context(context.clone(), page.clone())))
        .fallback(render_app_async_with_context(context, page))
        .with_state(options)
}

/// What came back.
pub(crate) struct Answer {
    pub status: StatusCode,
    pub location: Option<String>,
    pub body: String,
}

impl Answer {
    /// The answer, if its body holds every one of these texts.
    #[track_caller]
    pub(crate) fn shows(self, texts: &[&str]) -> Self {
        for text in texts {
            assert!(self.body.contains(text), "`{text}` is missing in:\n{}", self.body);
        }
        self
    }

    #[track_caller]
    pub(crate) fn hides(self, texts: &[&str]) -> Self {
        for text in texts {
            assert!(!self.body.contains(text), "`{text}` should not be in:\n{}", self.body);
        }
        self
    }

    /// The same without the marks that hydration goes by.
    pub(crate) fn plain(self) -> Self {
        Self { body: self.body.replace("<!>", ""), ..self }
    }

    #[track_caller]
    pub(crate) fn is(self, status: u16) -> Self {
        assert_eq!(self.status.as_u16(), status, "{}", self.body);
        self
    }
}

async fn send(fake: &Fake, request: Request) -> Answer {
    let response = router(fake).oneshot(request).await.unwrap();
    let status = response.status();
    let location = response.headers().get(header::LOCATION).map(|value| value.to_str().unwrap().to_owned());
    let body = to_bytes(response.into_body(), usize::MAX).await.unwrap();
    Answer { status, location, body: String::from_utf8(body.to_vec()).unwrap() }
}

/// A page as a browser asks for it, with preferences.
pub(crate) async fn get_with(fake: &Fake, path: &str, prefs: &str) -> Answer {
    let request = Request::builder()
        .uri(path)
        .header(header::ACCEPT, "text/html")
        .header(header::COOKIE, format!("soit_prefs={prefs}"))
        .body(Body::empty())
        .unwrap();
    send(fake, request).await
}

/// A page as a browser asks for it.
pub(crate) async fn get(fake: &Fake, path: &str) -> Answer {
    get_with(fake, path, "").await
}

/// A page of a world.
pub(crate) async fn page(world: World, path: &str) -> Answer {
    get(&Fake::new(world), path).await
}

/// A form as a browser without scripts posts it from a page.
pub(crate) async fn post_form(fake: &Fake, function: &str, from: &str, body: &str) -> Answer {
    let request = Request::builder()
        .method(Method::POST)
        .uri(format!("/ui/fn/{function}"))
        .header(header::ACCEPT, "text/html")
        .header(header::REFERER, format!("http://localhost:5000{from}"))
        .header(header::CONTENT_TYPE, "application/x-www-form-urlencoded")
        .body(Body::from(body.to_owned()))
        .unwrap();
    send(fake, request).await
}

/// The same as a script calls it.
pub(crate) async fn call(fake: &Fake, function: &str, body: &str) -> Answer {
    let request = Request::builder()
        .method(Method::POST)
        .uri(format!("/ui/fn/{function}"))
        .header(header::ACCEPT, "application/json")
        .header(header::CONTENT_TYPE, "application/x-www-form-urlencoded")
        .body(Body::from(body.to_owned()))
        .unwrap();
    send(fake, request).await
}

/// The page a redirect leads to.
pub(crate) async fn follow(fake: &Fake, answer: Answer) -> Answer {
    let location = answer.location.expect("a redirect");
    let path = location.trim_start_matches("http://localhost:5000");
    match answer.status {
        StatusCode::TEMPORARY_REDIRECT => {
            let request = Request::builder().method(Method::POST).uri(path).header(header::ACCEPT, "text/html");
            send(fake, request.body(Body::empty()).unwrap()).await
        }
        _ => get(fake, path).await,
    }
}
