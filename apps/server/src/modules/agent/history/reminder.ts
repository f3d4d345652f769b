import { type agentReminders as calls, REMINDER_STATE } from '@oms/contract/agent/history/reminder.ts'
import type { ParsedOf } from '@oms/contract/core/endpoint.ts'
import { and, desc, eq, sql } from 'drizzle-orm'
import { buildSort, paginate } from '#core/database/lists/list-query.ts'
import { notFound } from '#core/http/api-error.ts'
import type { Ctx } from '#core/http/context.ts'
import { visibleBindings } from '../devices/device-state.ts'
import { agentDevices, agentReminders } from '../schema/agent-device.ts'
import { devices } from '#modules/device/schema.ts'
import { readLoggedDeviceName, VOICE_DEVICE_LOG_KIND } from './logged-device.ts'

const isOwner = and(
  eq(agentDevices.deviceId, agentReminders.deviceId),
  eq(agentDevices.tenantId, agentReminders.tenantId),
)
const state = sql<keyof typeof REMINDER_STATE>`case when ${agentReminders.toldCount} > 0 then 2
  when ${agentReminders.remindTime} <= now() then 1 else 0 end`

/**
 * Lists the reminders of a device. Logs each call, because reminders contain words of the user. The log names the
 * device only when a row was found. An id of another tenant therefore never appears in the caller's log.
 */
export async function listReminders(ctx: Ctx, input: ParsedOf<typeof calls.list>) {
  const { db, user } = ctx
  const { id, content, remindTime, toldTime, createTime } = agentReminders
  const rows = db
    .select({ id, content, remindTime, state: state.as('state'), toldTime, createTime })
    .from(agentReminders)
    .innerJoin(agentDevices, isOwner)
    .where(
      and(
        eq(agentReminders.deviceId, input.deviceId),
        visibleBindings(user),
        input.state === undefined ? undefined : eq(state, input.state),
      ),
    )
  const found = await paginate(db, rows.$dynamic(), input, buildSort(input, { remindTime, createTime }, id, [desc(id)]))
  if (found.list.length === 0) ctx.audit({ ...VOICE_DEVICE_LOG_KIND, action: '查看提醒' })
  else {
    const device = await readLoggedDeviceName(db, input.deviceId)
    ctx.audit({ ...VOICE_DEVICE_LOG_KIND, bizId: input.deviceId, action: `查看设备「${device}」的提醒` })
  }
  return found
}

/** Deletes a reminder. The operation log contains the time and the device of the reminder, but not its text. */
export async function removeReminder(ctx: Ctx, { id }: ParsedOf<typeof calls.remove>) {
  const { db, user } = ctx
  const [found] = await db
    .select({ deviceId: agentReminders.deviceId, remindTime: agentReminders.remindTime, sn: devices.sn })
    .from(agentReminders)
    .innerJoin(agentDevices, isOwner)
    .innerJoin(devices, eq(devices.id, agentReminders.deviceId))
    .where(and(eq(agentReminders.id, id), visibleBindings(user)))
    .for('update', { of: agentReminders })
  if (!found) throw notFound('提醒')
  await db.delete(agentReminders).where(eq(agentReminders.id, id))
  ctx.audit({
    ...VOICE_DEVICE_LOG_KIND,
    bizId: found.deviceId,
    action: `删除设备「${found.sn}」于 ${found.remindTime} 的提醒`,
  })
  return null
}
