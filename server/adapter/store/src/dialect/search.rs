//! Finding texts that are in one case already: a trigram index narrows, and what it finds is read.

use std::collections::BTreeSet;

use entity::run;
use entity::run_text::{Column, Entity};
use sea_orm::sea_query::{Alias, Expr, ExprTrait, Func, Query, SelectStatement, SimpleExpr};
use sea_orm::{Condition, DbBackend, IdenStatic};

/// The texts of a run.
const TEXTS: [Column; 5] = [Column::Facts, Column::Labels, Column::Input, Column::Output, Column::Error];
/// All of them as PostgreSQL's index holds them, word for word as the migration has it.
const INDEXED: &str = "(facts || ' ' || coalesce(labels, '') || ' ' || coalesce(input, '') || ' ' || coalesce(output, '') \
                       || ' ' || coalesce(error, ''))";
/// Letters of a trigram.
const LETTERS: usize = 3;

/// Rows of which one text holds this one; wildcards are letters.
pub(crate) fn holding(backend: DbBackend, text: &str) -> Condition {
    TEXTS.into_iter().map(|column| holds(backend, column, text)).fold(Condition::any(), Condition::add)
}

/// Rows of runs that are over and that the index does not rule out; the text has at least three letters.
pub(crate) fn indexed(backend: DbBackend, text: &str) -> SimpleExpr {
    match backend {
        DbBackend::Sqlite => {
            let found = "number IN (SELECT rowid FROM run_search WHERE run_search MATCH ?)";
            Expr::cust_with_values(found, [trigrams(text)])
        }
        _ => Expr::cust("is_over").and(Expr::cust(INDEXED).like(super::expression::pattern("%", text))),
    }
}

/// As many rows as the index does not rule out, no more than `most`.
pub(crate) fn candidates(backend: DbBackend, within: Condition, text: &str, most: u64) -> SelectStatement {
    let mut some = Query::select();
    match backend {
        DbBackend::Sqlite => {
            let found = Expr::cust_with_values("run_search MATCH ?", [trigrams(text)]);
            some.expr(Expr::val(1)).from(Alias::new("run_search")).and_where(found);
        }
        _ => {
            some.expr(Expr::val(1)).from(Entity).and_where(indexed(backend, text)).cond_where(within);
        }
    }
    Query::select().expr(Expr::cust("COUNT(*)")).from_subquery(some.limit(most).take(), "some").take()
}

/// A run's column, by which SQLite is kept from looking runs up.
pub(crate) fn unindexed(backend: DbBackend, column: run::Column) -> SimpleExpr {
    match backend {
        DbBackend::Sqlite => Expr::cust(format!("+\"runs\".\"{}\"", column.as_str())),
        _ => Expr::col((run::Entity, column)),
    }
}

fn holds(backend: DbBackend, column: Column, text: &str) -> SimpleExpr {
    let column = Expr::col((Entity, column));
    match backend {
        DbBackend::Sqlite => Func::cust("instr").arg(column).arg(text).gt(0),
        // The backslash escapes there by itself.
        _ => column.like(super::expression::pattern("%", text)),
    }
}

/// What SQLite's index is asked: every third trigram, and the last one. Which of them stand beside each other is seen in what
/// it finds.
fn trigrams(text: &str) -> String {
    let letters: Vec<char> = text.chars().collect();
    let last = letters.len().saturating_sub(LETTERS);
    let starts: BTreeSet<usize> = (0..last).step_by(LETTERS).chain([last]).collect();
    let quoted = starts.into_iter().filter_map(|start| {
        let trigram: String = letters.get(start..)?.iter().take(LETTERS).collect();
        Some(format!("\"{}\"", trigram.replace('"', "\"\"")))
    });
    quoted.collect::<BTreeSet<String>>().into_iter().collect::<Vec<_>>().join(" AND ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_letter_is_asked_for() {
        assert_eq!(trigrams("abc"), "\"abc\"");
        assert_eq!(trigrams("abcd"), "\"abc\" AND \"bcd\"");
        assert_eq!(trigrams("abcdefg"), "\"abc\" AND \"def\" AND \"efg\"");
        assert_eq!(trigrams("aaaaaa"), "\"aaa\"");
        assert_eq!(trigrams("\"é "), "\"\"\"é \"");
    }
}
