//! Simplified Chinese.

use super::Kit;

pub(crate) const ZH_CN: Kit = Kit {
    section: |name| match name {
        "button" => "按钮",
        "status" => "状态与裁定",
        "money" => "金额、标识、时间",
        "notice" => "横幅与提示",
        "form" => "表单",
        "filter" => "筛选与标签页",
        "table" => "表格",
        "meter" => "计量",
        "chart" => "图表",
        "tree" => "运行树",
        "code" => "代码与一次性显示",
        "empty" => "空、失败、拒绝、加载",
        "live" => "实时",
        "icon" => "图标",
        _ => "",
    },
    text: "每个组件的每种状态，浅色与深色并列。",
    title: "组件",
};
