//! The permission matrix: which role may do what, and what else it takes.
//!
//! The text in `rbac.txt` is the rule; this module only reads it. One line names resources and groups of actions; a group ends
//! with its cells, the scope a key needs, and flags. Four sections: workspace (cells owner, admin, dev, viewer), tenant
//! (owner, admin, member), operator and person (one cell).
//!
//! Invariant: what is not in the text is denied, and a line that cannot be read allows nothing (a test reads them all).

use std::collections::BTreeMap;
use std::sync::LazyLock;

use types::identity::{Role, Scope as Reach, TenantRole};

const TEXT: &str = include_str!("rbac.txt");

static MATRIX: LazyLock<BTreeMap<String, Rule>> = LazyLock::new(|| read(TEXT).unwrap_or_default());

/// What a role may do with the rows of an action.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Cell {
    /// `y`: all of them.
    All,
    /// `o`: those made by, owned by or addressed to the caller.
    Own,
    /// `g`: those a grant names.
    Granted,
    /// `p`: all, where developers may publish.
    Publishers,
    /// `e`: those whose approval rule names the caller or nobody.
    Approvers,
    /// `.`: none.
    None,
}

/// On which level a role is asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Cells {
    /// Owner, admin, dev, viewer of the workspace.
    Workspace([Cell; 4]),
    /// Owner, admin, member of the tenant.
    Tenant([Cell; 3]),
    /// Who runs the instance.
    Operator,
    /// Whoever is signed in.
    Person,
}

/// Which credential an action takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Takes {
    /// A session, or a key that reaches so far.
    Key(Reach),
    /// `-`: a session.
    Session,
}

/// What an action takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Rule {
    /// The role.
    pub cells: Cells,
    /// The credential.
    pub takes: Takes,
    /// `U`: a session must have proved itself lately.
    pub step_up: bool,
    /// `R`: never on one's own work.
    pub not_own_work: bool,
    /// `V`: what the caller may not see is not there.
    pub visibility: bool,
}

impl Rule {
    /// The cell of a workspace role; nothing for the other levels.
    pub fn of_role(&self, role: Role) -> Cell {
        let Cells::Workspace([owner, admin, dev, viewer]) = self.cells else {
            return Cell::None;
        };
        match role {
            Role::Owner => owner,
            Role::Admin => admin,
            Role::Dev => dev,
            Role::Viewer => viewer,
        }
    }

    /// The cell of a tenant role; nothing for the other levels.
    pub fn of_tenant_role(&self, role: TenantRole) -> Cell {
        let Cells::Tenant([owner, admin, member]) = self.cells else {
            return Cell::None;
        };
        match role {
            TenantRole::Owner => owner,
            TenantRole::Admin => admin,
            TenantRole::Member => member,
        }
    }
}

/// The rule of `resource.action`; none means deny.
pub fn find(action: &str) -> Option<&'static Rule> {
    MATRIX.get(action)
}

/// Every action with its rule, sorted by name.
pub fn actions() -> impl Iterator<Item = (&'static str, &'static Rule)> {
    MATRIX.iter().map(|(action, rule)| (action.as_str(), rule))
}

#[derive(Clone, Copy)]
enum Section {
    Workspace,
    Tenant,
    Operator,
    Person,
}

impl Section {
    fn read(name: &str) -> Option<Self> {
        match name {
            "tenant" => Some(Self::Tenant),
            "operator" => Some(Self::Operator),
            "person" => Some(Self::Person),
            _ => None,
        }
    }

    fn cells(self, word: &str) -> Option<Cells> {
        match self {
            Self::Workspace => cells(word).map(Cells::Workspace),
            Self::Tenant => cells(word).map(Cells::Tenant),
            Self::Operator => (word == "y").then_some(Cells::Operator),
            Self::Person => (word == "y").then_some(Cells::Person),
        }
    }
}

fn cells<const N: usize>(word: &str) -> Option<[Cell; N]> {
    let cells: Option<Vec<Cell>> = word.chars().map(cell).collect();
    cells?.try_into().ok()
}

fn cell(letter: char) -> Option<Cell> {
    match letter {
        'y' => Some(Cell::All),
        'o' => Some(Cell::Own),
        'g' => Some(Cell::Granted),
        'p' => Some(Cell::Publishers),
        'e' => Some(Cell::Approvers),
        '.' => Some(Cell::None),
        _ => None,
    }
}

/// Reads the whole text; the error is the line that cannot be read.
fn read(text: &str) -> Result<BTreeMap<String, Rule>, String> {
    let mut section = Section::Workspace;
    let mut matrix = BTreeMap::new();
    for line in text.lines() {
        if let Some(name) = line.strip_prefix("-- ") {
            section = Section::read(name).ok_or_else(|| line.to_owned())?;
            continue;
        }
        let (resources, groups) = line.split_once(": ").ok_or_else(|| line.to_owned())?;
        for group in groups.split(" | ") {
            let (actions, rule) = read_group(section, group).ok_or_else(|| line.to_owned())?;
            for resource in resources.split(", ") {
                for action in &actions {
                    if matrix.insert(format!("{resource}.{action}"), rule).is_some() {
                        return Err(line.to_owned());
                    }
                }
            }
        }
    }
    Ok(matrix)
}

fn read_group(section: Section, group: &str) -> Option<(Vec<&str>, Rule)> {
    let words: Vec<&str> = group.split(' ').collect();
    let at = words.iter().position(|word| section.cells(word).is_some())?;
    let (actions, rest) = words.split_at_checked(at)?;
    let (cells, rest) = rest.split_first()?;
    let (takes, flags) = match rest {
        // Above the workspace a key must reach everything, and where fresh proof is asked it reaches nothing.
        [] => (Takes::Key(Reach::Admin), ""),
        ["U"] => (Takes::Session, "U"),
        [takes] => (read_takes(takes)?, ""),
        [takes, flags] => (read_takes(takes)?, *flags),
        _ => return None,
    };
    let known = !actions.is_empty() && flags.chars().all(|flag| "URV".contains(flag));
    let rule = Rule {
        cells: section.cells(cells)?,
        takes,
        step_up: flags.contains('U'),
        not_own_work: flags.contains('R'),
        visibility: flags.contains('V'),
    };
    known.then(|| (actions.to_vec(), rule))
}

fn read_takes(word: &str) -> Option<Takes> {
    match word {
        "r" => Some(Takes::Key(Reach::Read)),
        "w" => Some(Takes::Key(Reach::Write)),
        "a" => Some(Takes::Key(Reach::Admin)),
        "-" => Some(Takes::Session),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_line_of_the_matrix_is_read() {
        let matrix = read(TEXT).expect("the matrix is well formed");
        assert!(matrix.len() > 200, "{}", matrix.len());
        let rule = matrix["api_key.create_admin_scope"];
        assert_eq!((rule.takes, rule.step_up), (Takes::Session, true));
        assert_eq!(rule.of_role(Role::Dev), Cell::None);
        assert_eq!(matrix["agent.publish"].of_role(Role::Dev), Cell::Publishers);
        assert_eq!(matrix["tenant.update"].takes, Takes::Session);
        assert!(matrix["workflow.review"].not_own_work);
    }

    #[test]
    fn a_line_that_cannot_be_read_is_named() {
        for text in [
            "run",
            "run: read",
            "run: yyyy r",
            "run: read yyy r",
            "run: read yyyy x",
            "run: read yyyy r Z",
            "-- nowhere",
            "a: b yyyy r\na: b yyyy r",
        ] {
            assert!(read(text).is_err(), "{text}");
        }
    }

    #[test]
    fn what_is_not_written_is_not_allowed() {
        assert_eq!(find("run.destroy"), None);
    }
}
