//! Simplified Chinese.

use super::SecondFactor;

pub(crate) const ZH_CN: SecondFactor = SecondFactor {
    any_code_hint: "应用显示的六位数字，或一个恢复码。",
    behind: "您在此登录时未使用双重验证，请补输验证码。",
    code: "验证码",
    code_hint: "应用当前显示的六位数字。",
    codes: "请把这些恢复码保存在没有设备也能找到的地方。每个只能使用一次，之后不再显示。",
    confirm: "确认",
    disable: "关闭",
    disabled: "双重验证已关闭，登录只需密码。",
    download: "下载",
    enabled: "双重验证已开启。",
    enforced: "您的一个工作区要求双重验证，因此不能关闭。",
    go_on: "继续",
    left: |left| format!("还剩 {left} 个恢复码。"),
    manage: "管理",
    needed: "此工作区要求双重验证",
    needed_text: "请设置双重验证；如已设置，请输入验证码，之后即可进入。",
    off: "登录只需密码。",
    on: "登录需要验证码，开启于",
    open_app: "在此设备的应用中打开",
    pending: "已设置应用，等待首个验证码。",
    proven: "已确认，十分钟内有效。",
    qr: "供验证器应用扫描的二维码",
    renew: "生成新的恢复码",
    scan: "请用验证器应用扫描，然后输入其显示的验证码。",
    set_up: "设置验证器应用",
    set_up_anew: "改用另一个应用",
    title: "双重验证",
    type_in: "或在应用中手动输入。之后不再显示。",
};
