/** States of a certificate. */
export const LICENSE_STATE = {
  0: '未分配',
  1: '已分配',
  2: '已绑定',
  3: '已激活',
  4: '已暂停',
  5: '已过期',
  6: '已报废',
} as const
export type LicenseState = keyof typeof LICENSE_STATE

/** Allowed state transitions by step. */
export const LICENSE_STEPS = {
  allot: [[0, 1]],
  recall: [[1, 0]],
  bind: [[1, 2]],
  unbind: [[2, 1]],
  activate: [[2, 3]],
  suspend: [[3, 4]],
  resume: [[4, 3]],
  expire: [[3, 5]],
  scrap: [
    [0, 6],
    [1, 6],
    [2, 6],
    [3, 6],
    [4, 6],
    [5, 6],
  ],
} as const satisfies Record<string, readonly (readonly [LicenseState, LicenseState])[]>
export type LicenseStep = keyof typeof LICENSE_STEPS

/** Returns the next state of a step; undefined when the step is not allowed in this state. */
export const findStateAfter = (step: LicenseStep, from: number): LicenseState | undefined =>
  (LICENSE_STEPS[step] as readonly (readonly [LicenseState, LicenseState])[]).find(([state]) => state === from)?.[1]

/** Returns the states in which a step is allowed. */
export const listStatesBefore = (step: LicenseStep): readonly LicenseState[] =>
  (LICENSE_STEPS[step] as readonly (readonly [LicenseState, LicenseState])[]).map(([from]) => from)

/** Names of the steps in a certificate's history. */
export const LICENSE_ACTIONS: Readonly<Record<string, string>> = {
  import: '导入',
  allot: '分配',
  recall: '收回',
  bind: '绑定设备',
  unbind: '解绑设备',
  activate: '激活',
  suspend: '暂停',
  resume: '恢复',
  expire: '到期',
  scrap: '报废',
  reveal: '查看明文',
  transfer: '随设备转移',
}
