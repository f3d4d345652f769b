import * as z from 'zod'
import type { Contract } from '../../core/endpoint.ts'
import { choice, id, optional, reference } from '../../core/fields.ts'
import { createPageSchema, sortedPage } from '../../core/page.ts'

/** Maximum characters of a reminder. */
export const MAX_REMINDER = 200
/** Maximum number of reminders of a device that are not told yet. */
export const MAX_OPEN_REMINDERS = 20
/** Number of told reminders that are kept for a device. */
export const MAX_TOLD_REMINDERS = 100
export const MAX_REMINDER_DAYS = 90

/** States of a reminder. 待告知: the time has come, and the agent tells the reminder in the next conversation. */
export const REMINDER_STATE = { 0: '未到时间', 1: '待告知', 2: '已告知' } as const

export const ReminderRow = z.object({
  id: z.int(),
  content: z.string().meta({ title: '提醒内容' }),
  remindTime: z.string().meta({ title: '提醒时间', format: 'date-time' }),
  state: z.int().meta({ title: '状态', labels: REMINDER_STATE }),
  toldTime: z.string().nullable().meta({ title: '告知时间', format: 'date-time' }),
  createTime: z.string().meta({ title: '创建时间', format: 'date-time' }),
})
export type ReminderRow = z.output<typeof ReminderRow>

const ROOT = '/api/v1/agent/reminder'

/** Reminders that the user of a voice device set by talking to it. */
export const agentReminders = {
  list: {
    method: 'GET',
    path: `${ROOT}/page`,
    access: 'agent:agent:history',
    title: '查看提醒',
    kind: 'other',
    input: sortedPage(['remindTime', 'createTime']).extend({
      deviceId: reference('设备'),
      state: optional(choice('状态', REMINDER_STATE)).meta({ title: '状态', labels: REMINDER_STATE }),
    }),
    result: createPageSchema(ReminderRow),
  },
  remove: {
    method: 'DELETE',
    path: `${ROOT}/:id`,
    access: 'agent:agent:memory',
    title: '删除提醒',
    input: z.object({ id }),
    result: z.null(),
    done: '删除成功',
  },
} as const satisfies Contract
