//! Simplified Chinese.

use types::task::TaskStatus;

use super::Tasks;

pub(crate) const ZH_CN: Tasks = Tasks {
    title: "任务",
    empty: "还没有任务",
    empty_text: "耗时超过一次请求的工作会连同进度显示在这里。",
    no_match: "没有匹配项",
    no_match_text: "没有符合所有筛选条件的任务。",
    status: |status| match status {
        TaskStatus::Queued => "排队中",
        TaskStatus::Running => "运行中",
        TaskStatus::WaitingInput => "等待输入",
        TaskStatus::WaitingApproval => "等待审批",
        TaskStatus::RetryWait => "等待下次尝试",
        TaskStatus::Succeeded => "成功",
        TaskStatus::Failed => "已放弃",
        TaskStatus::Canceled => "已取消",
    },
    kind_name: |kind| match kind {
        "content.scrub" => "擦除内容",
        other => other,
    },
    id: "任务",
    kind: "类型",
    subject: "对象",
    run: "运行",
    attempts: "尝试次数",
    progress: "进度",
    next: "下次尝试",
    error: "最后的错误",
    discarded: "丢弃原因",
    finished: "结束时间",
    params: "参数",
    of: |part, whole| format!("{part} / {whole}"),
    cancel: "取消",
    retry: "重试",
    told_canceled: "已取消。",
    told_retried: "正在重试。",
    scrub: "擦除内容",
    scrub_text: "在某一天之前结束的运行的输入与输出、长内容以及人们的评论将被永久擦除。记录、费用和哈希链会保留，法律保留的内容也会保留。",
    scrub_question: "擦除此工作区的内容？",
    before: "早于",
    before_hint: "UTC 日期，如 2026-12-01，不晚于今天。",
    told_scrubbing: "正在擦除内容。",
};
