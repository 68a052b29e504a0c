//! Simplified Chinese.

use super::Budgets;

pub(crate) const ZH_CN: Budgets = Budgets {
    alerts_only: "仅提醒",
    amount: "金额",
    at_limit: "达到上限时",
    count: |count| format!("{count} 个预算"),
    create: "创建预算",
    currency: "货币",
    currency_hint: "以其他货币定价的调用不受约束。",
    delete_question: |name| format!("删除 {name}？"),
    delete_text: "立即停止约束。已计入的数据保留在账本中。",
    empty: "还没有预算",
    empty_text: "预算统计调用的费用。启用硬性上限后，无论多少调用同时进行都不会超出。",
    hard_stop: "硬性上限",
    hard_stop_hint: "拒绝可能超出上限的调用。关闭时仅提醒。",
    held: |amount| format!("进行中的调用预留 {amount}"),
    new: "新建预算",
    of: |amount| format!("/ {amount}"),
    period: "周期",
    period_hint: "按 UTC 计算。调用归入其开始时所在的周期。",
    refuses: "拒绝调用",
    resets: "重置",
    scope: "约束对象",
    scope_key: |name| format!("密钥 {name}"),
    spent: "已用",
    state_unknown: "无法读取其状态",
    tab: "预算",
    thresholds: "提醒阈值",
    thresholds_hint: "整数百分比，例如 50, 80, 100。",
};
