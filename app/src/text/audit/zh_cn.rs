//! Simplified Chinese.

use super::Audit;

pub(crate) const ZH_CN: Audit = Audit {
    title: "审计",
    empty: "此时间段内没有记录",
    empty_text: "人员和 soit 自身在此工作区的操作都会记录在这里。",
    no_match: "没有匹配项",
    no_match_text: "此时间段内没有符合所有筛选条件的记录。",
    wider: "查看 90 天",
    outcome: "结果",
    event: "事件",
    actor: "操作者",
    actor_kind: "类型",
    resource: "对象",
    resource_type: "对象类型",
    operation: "操作",
    address: "地址",
    credential: "凭据",
    run: "运行",
    when: "时间",
    number: |seq| format!("第 {seq} 条"),
    changes: "变更",
    member: "字段",
    before: "之前",
    after: "之后",
    unchanged: "前后没有差异。",
    details: "详情",
};
