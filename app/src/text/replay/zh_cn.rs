//! Simplified Chinese.

use types::replay::{ReplayKind, ReplayTools};

use super::Replay;

pub(crate) const ZH_CN: Replay = Replay {
    again: "再次运行",
    again_text: "以相同的请求发起新的运行，真实执行，费用由您承担。",
    begun: "运行已开始。",
    came_out: |kind| match kind {
        ReplayKind::Rerun => "这是另一个运行的再次执行。",
        ReplayKind::Reexecute => "根据另一个运行的记录重复执行，没有任何实际影响。",
        ReplayKind::Fork => "从另一个运行的某个步骤继续。",
    },
    changed: |fields| format!("已更改：{fields}。"),
    compare: "比较",
    difference: "预期与实际",
    diverged: |step| format!("在第 {step} 步出现差异。"),
    fork: "从步骤重放",
    fork_text: "所选步骤之前的步骤取自记录，不产生费用。之后的模型调用真实执行并计费。",
    from: "起始步骤",
    identical: "一致：每个步骤都与记录相同。",
    input: "输入",
    input_hint: "替换用户最后一次所说的内容。留空则保持不变。",
    model: "模型",
    model_hint: "形如 `model:account:id` 的名称。留空则保持模型不变。",
    not_kept: "未保留此运行的输入内容，因此无法重放。",
    of_step: "重复的步骤",
    params: "参数",
    params_hint: "JSON 对象，例如 {\"temperature\": 0}。null 表示去掉该参数。",
    prompt: "系统提示词",
    prompt_hint: "留空则保持不变。",
    recorded: |step| format!("第 {step} 步之前的步骤取自记录。"),
    reexecute: "按记录重复",
    reexecute_text: "根据记录重复此运行，并说明结果是否相同。不发送任何内容，也不计费。",
    replays: "由此运行产生的运行",
    source: "来源",
    title: "重放",
    tool: |tools| match tools {
        ReplayTools::Simulated => "模拟：使用记录的结果，没有则模拟一个",
        ReplayTools::Recorded => "记录：使用记录的结果，没有则返回错误",
        ReplayTools::Live => "真实：实际调用工具",
    },
    tools: "工具调用",
    tools_hint: "默认为模拟：不会产生任何实际影响。",
};
