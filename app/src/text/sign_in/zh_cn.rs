//! Simplified Chinese.

use super::SignIn;

pub(crate) const ZH_CN: SignIn = SignIn {
    code: "验证码",
    code_hint: "验证器应用显示的六位数字，或一个恢复码。",
    code_title: "双重验证",
    email: "邮箱",
    ended: "会话已结束",
    ended_text: |email| format!("请以 {email} 重新登录。已填写的内容仍在，登录后将提交一次。"),
    language: "语言",
    other: "以其他人身份登录",
    password: "密码",
    signed_out: "您已退出登录。",
    start_again: "重新开始",
    submit: "登录",
    title: "登录 soit",
    wait: |seconds| format!("请在 {seconds} 秒后重试。"),
};
