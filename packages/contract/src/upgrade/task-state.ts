/**
 * States of one device's upgrade task. States below 100 are open. A closed task never reopens; a new attempt is a new
 * task. States: 0 offered, not fetched · 5 waiting for the device's user · 10 fetched · 20 downloading · 30 downloaded
 * · 40 installing · 50 cancelling, not confirmed by the device · 100 succeeded · 110 failed · 120 cancelled.
 */
export const TASK_STATE = {
  0: '待获取',
  5: '待确认',
  10: '已获取',
  20: '下载中',
  30: '已下载',
  40: '安装中',
  50: '取消中',
  100: '升级成功',
  110: '升级失败',
  120: '已取消',
} as const
export type TaskState = keyof typeof TASK_STATE
export const TASK_STATE_CODE = {
  offered: 0,
  confirming: 5,
  fetched: 10,
  downloading: 20,
  downloaded: 30,
  installing: 40,
  cancelling: 50,
  succeeded: 100,
  failed: 110,
  cancelled: 120,
} as const
export const isTaskClosed = (state: number) => state >= TASK_STATE_CODE.succeeded

/** Release method of an enabled version. */
export const RELEASE_MODE = { 1: '测试发布', 2: '正式发布' } as const
export const RELEASE_STATE = { 0: '进行中', 1: '待审批', 2: '已驳回', 3: '已暂停', 4: '已终止' } as const
export const STAGE_STATE = { 0: '未开始', 1: '进行中', 2: '已通过', 3: '未通过', 4: '已跳过' } as const
/** Rollout percentage in hundredths of a percent: 10,000 means all devices. */
export const FULL_ROLLOUT = 10_000
