/** Kinds of events in the timeline of a voice device. */
export const AGENT_EVENT = {
  1: '设备启动',
  2: '下发验证码',
  3: '绑定',
  4: '解绑',
  5: '更换智能体',
  6: '身份不一致',
  7: '身份已重置',
  8: '设备证明不正确',
  9: '更换型号',
  10: '下发固件',
  11: '领取配置',
  12: '拒绝配置',
  13: '会话结束',
  14: '提供设备信息',
  15: '模型调用失败',
  16: '使用设备工具',
} as const

/** Numbers of `AGENT_EVENT`. */
export const EVENT = {
  boot: 1,
  code: 2,
  bound: 3,
  unbound: 4,
  moved: 5,
  otherIdentity: 6,
  identityReset: 7,
  wrongProof: 8,
  model: 9,
  firmware: 10,
  configured: 11,
  refused: 12,
  ended: 13,
  context: 14,
  modelFailed: 15,
  tool: 16,
} as const satisfies Readonly<Record<string, keyof typeof AGENT_EVENT>>
