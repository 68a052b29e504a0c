//! Simplified Chinese.

use super::Egress;

pub(crate) const ZH_CN: Egress = Egress {
    accept: "允许",
    add: "添加规则",
    allowed: "允许外发",
    close: "关闭",
    count: |count| format!("{count} 条规则"),
    denied: "不允许外发",
    empty: "没有任何外发",
    empty_text: "没有规则时，所有外发调用都会被拒绝。请添加提供方所在的主机。",
    explain: "外发调用需要与其主机完全匹配的规则。其余一律拒绝，并留下记录。",
    host: "主机",
    host_hint: "一个确切的名称或地址，例如 api.example.com。",
    missing: |rule| format!("对此提供方的调用会被拒绝：没有允许 {rule} 的外发规则。"),
    missing_private: |rule, network| {
        format!("对此提供方的调用会被拒绝：没有允许 {rule} 的外发规则，且内网 {network} 未开放。")
    },
    never_openable: |host| format!("{host} 是任何规则都不能放行的地址（例如 soit 自身）。请为该提供方换一个基础 URL。"),
    not_openable: |network| {
        format!("主机位于内网 {network}，此部署将其关闭。运维人员可通过 EGRESS_PRIVATE_NETWORKS 开放。")
    },
    note: "备注",
    own_port: "协议默认",
    ports: "端口",
    ports_hint: "留空为协议默认端口。",
    private_networks: "已开放的内网",
    private_networks_text: "不在公共互联网上的地址。每一个都是有意开放的。",
    remove: "移除",
    rules: "规则",
    scheme: "协议",
    unknown: "无法检查是否允许外发",
};
