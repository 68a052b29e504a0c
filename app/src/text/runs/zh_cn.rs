//! Simplified Chinese.

use super::Runs;

pub(crate) const ZH_CN: Runs = Runs {
    at_least: |count| format!("超过 {count}"),
    at_least_short: |count| format!("{count}+"),
    columns: "列",
    cost: "费用",
    duration: "时长",
    empty: "此范围内没有运行",
    empty_text: "经过网关的每次调用都会成为一个运行，并实时出现在这里。",
    entry: "入口",
    in_range: |count, range| format!("{range}内 {count} 个"),
    key: "密钥",
    mode: "类型",
    model: "模型",
    new_activity: "有变化：重新加载",
    new_runs: |count| format!("{} 个新运行", crate::format::count(count)),
    no_match: "没有匹配项",
    no_match_text: "此范围内没有符合所有筛选条件的运行。",
    open: "打开运行",
    peek: "预览",
    run: "运行",
    search_hint: "标识、模型、错误、文本",
    started: "开始时间",
    title: "运行",
    tokens: "词元",
    wider: "查看 90 天",
    export: "导出",
    export_csv: "CSV（电子表格）",
    export_jsonl: "JSONL（完整运行）",
};
