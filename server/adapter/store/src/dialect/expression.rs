//! Expressions without a common form.

use sea_orm::sea_query::extension::postgres::PgExpr;
use sea_orm::sea_query::extension::sqlite::SqliteExpr;
use sea_orm::sea_query::{ExprTrait, IntoColumnRef, LikeExpr, SimpleExpr};
use sea_orm::{DbBackend, Iden, sea_query::Expr};

/// The database's clock.
pub(crate) fn now(backend: DbBackend) -> SimpleExpr {
    match backend {
        DbBackend::Sqlite => Expr::cust(SQLITE_NOW),
        _ => Expr::cust("clock_timestamp()"),
    }
}

/// SQLite's clock as text.
pub(crate) const SQLITE_NOW: &str = "strftime('%Y-%m-%dT%H:%M:%f000Z', 'now')";

/// Whole seconds since 1970 of a time column.
pub(crate) fn epoch_seconds(backend: DbBackend, column: impl Iden) -> SimpleExpr {
    let column = column.unquoted().to_owned();
    match backend {
        DbBackend::Sqlite => Expr::cust(format!("unixepoch({column})")),
        _ => Expr::cust(format!("CAST(floor(extract(epoch FROM {column})) AS BIGINT)")),
    }
}

/// Whether a text column holds the text, in any case; wildcards are letters.
pub(crate) fn contains(backend: DbBackend, column: impl IntoColumnRef, text: &str) -> SimpleExpr {
    like(backend, column, pattern("%", text))
}

/// Whether a text column begins with the text, in any case; wildcards are letters.
pub(crate) fn starts(backend: DbBackend, column: impl IntoColumnRef, text: &str) -> SimpleExpr {
    like(backend, column, pattern("", text))
}

fn like(backend: DbBackend, column: impl IntoColumnRef, pattern: String) -> SimpleExpr {
    match backend {
        DbBackend::Sqlite => Expr::col(column).like(LikeExpr::new(pattern).escape('\\')),
        // The backslash escapes there by itself.
        _ => Expr::col(column).ilike(pattern),
    }
}

/// What a text is like that has this one behind `before`; a backslash makes letters of wildcards.
pub(super) fn pattern(before: &str, text: &str) -> String {
    let mut pattern = before.to_owned();
    for character in text.chars() {
        if matches!(character, '%' | '_' | '\\') {
            pattern.push('\\');
        }
        pattern.push(character);
    }
    pattern.push('%');
    pattern
}

/// The text of a member of a JSON object in a text column; null where it has none of that name.
pub(crate) fn member(backend: DbBackend, column: impl IntoColumnRef, name: &str) -> SimpleExpr {
    let column = Expr::col(column);
    match backend {
        DbBackend::Sqlite => SqliteExpr::cast_json_field(column, name),
        _ => PgExpr::cast_json_field(column.cast_as("jsonb"), name),
    }
}
