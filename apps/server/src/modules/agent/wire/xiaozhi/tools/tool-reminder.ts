import { MAX_OPEN_REMINDERS, MAX_REMINDER, MAX_REMINDER_DAYS } from '@oms/contract/agent/history/reminder.ts'
import * as z from 'zod'
import type { Services } from '#core/services.ts'
import { parseLocalTime, formatLocalTime } from '#core/time/zone.ts'
import { addReminder } from '../../../history/reminders.ts'
import type { EnabledAgentDevice } from '../../../devices/enabled-agent-devices.ts'

const MINUTE_MS = 60_000
const MAX_AHEAD_MS = MAX_REMINDER_DAYS * 1440 * MINUTE_MS
/** Tolerance for past times. A call in the very minute that the user named is not late. */
const LATE_MS = MINUTE_MS
const LOCAL_TIME = /^(\d{4}-\d{2}-\d{2})[ T](\d{2}:\d{2})(?::\d{2})?$/

/** Returns the text on one line. A line break in a reminder could imitate another instruction in the prompt. */
const oneLine = (value: unknown) =>
  typeof value === 'string'
    ? value
        .toWellFormed()
        .replaceAll(/[\s\p{Cc}]+/gu, ' ')
        .trim()
    : ''

const Given = z.object({
  content: z.preprocess(oneLine, z.string()),
  time: z.preprocess(oneLine, z.string()),
  minutes: z.preprocess(
    (value) => (typeof value === 'string' && /^\d{1,6}$/.test(value.trim()) ? Number(value) : value),
    z.number().int().min(1).max(1_000_000).optional().catch(undefined),
  ),
})

/** Rounds up to whole minutes, so that a repeated call has the same time. */
const nextMinute = (at: number) => Math.ceil(at / MINUTE_MS) * MINUTE_MS

/** Returns the time of the reminder in milliseconds. Returns undefined for an invalid date or time. */
function timeOf({ time, minutes }: z.output<typeof Given>, now: number, zone: string): number | undefined {
  const [, day, clock] = LOCAL_TIME.exec(time) ?? []
  if (day === undefined || clock === undefined)
    return minutes === undefined ? undefined : nextMinute(now + minutes * MINUTE_MS)
  const utc = new Date(`${day}T${clock}:00Z`)
  const isReal = !Number.isNaN(utc.getTime()) && utc.toISOString().startsWith(`${day}T${clock}`)
  return isReal ? parseLocalTime(`${day} ${clock}:00`, zone) : undefined
}

const UNBOUND = '没有设置提醒：设备已解除绑定。'

/** Returns the sentence with which the device explains why the reminder is not stored, or undefined. */
function refusalOf(content: string, at: number | undefined, now: number, zone: string): string | undefined {
  const present = `现在是${formatLocalTime(now, zone).slice(0, 16)}`
  if (content === '') return '没有设置提醒：请先说明要提醒什么。'
  if ([...content].length > MAX_REMINDER) return `没有设置提醒：提醒内容不能超过${MAX_REMINDER}个字。`
  if (at === undefined) return `没有设置提醒：请说明提醒的日期和时间，${present}。`
  if (at < now - LATE_MS) return `没有设置提醒：这个时间已经过了，${present}。`
  if (at > now + MAX_AHEAD_MS) return `没有设置提醒：只能设置${MAX_REMINDER_DAYS}天以内的提醒。`
  return undefined
}

/**
 * Stores a reminder of the device. The device cannot speak by itself, so the result of the tool says that the agent
 * tells the reminder in the next conversation after its time.
 */
export async function setReminder(
  { config: { timeZone }, database, now: clock }: Services,
  { deviceId, tenantId }: EnabledAgentDevice,
  given: Readonly<Record<string, unknown>>,
): Promise<string> {
  const now = clock().getTime()
  const fields = Given.parse(given)
  const { content } = fields
  const at = timeOf(fields, now, timeZone)
  const refusal = refusalOf(content, at, now, timeZone)
  if (refusal !== undefined || at === undefined) return refusal ?? UNBOUND
  const remindTime = new Date(at).toISOString()
  const outcome = await addReminder(database.db, { deviceId, tenantId, content, remindTime })
  if (outcome === 'unbound') return UNBOUND
  if (outcome === 'full')
    return `没有设置提醒：本设备已有${MAX_OPEN_REMINDERS}个还没有告知的提醒，到时间告知后才能再设置。`
  const shown = formatLocalTime(at, timeZone).slice(0, 16)
  return `已记下提醒：${shown}，${content}。设备不会自己出声：到时间后，您下次和设备对话时，会先告诉您。`
}
