//! Simplified Chinese.

use super::SignIn;

pub(crate) const ZH_CN: SignIn = SignIn {
    email: "邮箱",
    language: "语言",
    password: "密码",
    signed_out: "您已退出登录。",
    submit: "登录",
    title: "登录 soit",
    wait: |seconds| format!("请在 {seconds} 秒后重试。"),
};
