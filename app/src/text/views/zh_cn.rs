//! Simplified Chinese.

use super::Views;

pub(crate) const ZH_CN: Views = Views {
    by: |name| format!("来自 {name}"),
    changed: "已更改",
    default: "打开列表时使用",
    default_hint: "仅对您生效，并取代列表当前的默认视图。",
    delete_meaning: "列表本身不受影响。以此视图打开列表的人将重新看到不带视图的列表。",
    delete_question: |name| format!("删除视图 {name}？"),
    edit: |name| format!("编辑 {name}"),
    edit_title: "编辑视图",
    gone: "没有此视图：它已被删除，或不再共享。",
    is_default: "默认",
    is_shared: "共享",
    name_hint: "以此名称保存当前的筛选、时间范围、排序和列。",
    none: "不使用视图",
    save: "另存为新视图…",
    save_changes: "保存更改",
    save_title: "保存视图",
    shared: "共享",
    shared_hint: "此工作区的所有人都能看到，只有您可以更改。",
    title: "视图",
    told_saved: "已保存。",
};
