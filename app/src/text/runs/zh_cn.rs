//! Simplified Chinese.

use super::Runs;

pub(crate) const ZH_CN: Runs = Runs {
    all: "全部",
    all_matching: |count| format!("全部 {count} 个匹配项"),
    at_least: |count| format!("超过 {count}"),
    at_least_short: |count| format!("{count}+"),
    cancel_meaning: "每个运行会在当前调用可以中断时结束并标为已取消。已产生的用量照常计费。已结束的运行保持不变。",
    cancel_question: |runs| format!("取消{runs}？"),
    cancel_runs: "取消运行",
    cancel_selected: "取消运行…",
    clear_selection: "清除选择",
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
    keep_running: "让它们继续",
    move_earlier: |column| format!("前移{column}"),
    move_later: |column| format!("后移{column}"),
    select: |run| format!("选择 {run}"),
    select_page: "选择本页所有运行",
    selected: |count| format!("已选择 {count}"),
    so_many: |count, _| format!(" {count} 个运行"),
    told_canceled: |told| {
        let count = crate::format::count;
        let refused = match told.refused {
            0 => String::new(),
            refused => format!("，{} 个属于他人", count(refused)),
        };
        format!("已请求结束 {} 个运行{refused}", count(told.canceling))
    },
    export_meaning: "文件包含列表中的内容以及更多信息。审计会记录此次导出。",
    export_question: |runs| format!("导出{runs}"),
    export_selected: "导出…",
    export: "导出",
    export_csv: "CSV（电子表格）",
    export_jsonl: "JSONL（完整记录）",
};
