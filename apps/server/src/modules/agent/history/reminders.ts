import { and, eq, gt, inArray, lte, sql } from 'drizzle-orm'
import { MAX_OPEN_REMINDERS, MAX_TOLD_REMINDERS } from '@oms/contract/agent/history/reminder.ts'
import type { Db } from '#core/database/client.ts'
import { agentDevices, agentReminders } from '../schema/agent-device.ts'

/** A due reminder, as the prompt of the agent contains it. */
export interface DueReminder {
  readonly id: number
  readonly content: string
  /** Local time in Chinese: `2026年8月7日 15:00`. */
  readonly time: string
}

/**
 * SQL of the due reminders of the binding `d`. A told reminder stays due while the device has reported no turn since,
 * because the conversation may have ended before the agent spoke. A reminder is sent at most three times, and not later
 * than one day after the previous time.
 */
export const DUE_REMINDERS = `(select jsonb_agg(jsonb_build_object('id', w.id, 'content', w.content, 'time', w.time)
    order by w.remind_time, w.id) from (select r.id, r.content, r.remind_time, to_char(r.remind_time, 'FMYYYY"年"FMMM"月"FMDD"日" HH24:MI') as time from agent_reminders r
    where r.device_id = d.device_id and r.tenant_id = d.tenant_id and r.remind_time <= now()
      and (r.told_count = 0 or r.told_count < 3 and r.told_time > now() - interval '1 day'
        and coalesce(d.turn_time, '-infinity') < r.told_time)
    order by r.remind_time, r.id limit ${MAX_OPEN_REMINDERS}) w)`

/** Adds the due reminders to a prompt. */
export function addRemindersToPrompt(prompt: string, reminders: readonly DueReminder[]): string {
  if (reminders.length === 0) return prompt
  const lines = reminders.map(({ time, content }) => `- ${time}：${content}`)
  return `${prompt}\n\n到时间的提醒：\n${lines.join('\n')}\n请先告诉用户这些提醒，再回答用户的话。`
}

export interface NewReminder {
  readonly deviceId: number
  readonly tenantId: number
  readonly content: string
  /** ISO time. */
  readonly remindTime: string
}

/**
 * Stores a reminder of a bound device. A repeated call with the same content and time stores nothing. Returns `full` at
 * the maximum number of open reminders, and `unbound` when the device was unbound meanwhile.
 */
export async function addReminder(db: Db, added: NewReminder): Promise<'added' | 'full' | 'unbound'> {
  const { deviceId, tenantId, content, remindTime } = added
  const isOwn = and(eq(agentReminders.deviceId, deviceId), eq(agentReminders.toldCount, 0))
  return db.transaction(async (tx) => {
    // Simultaneous calls of a device wait for each other. An unbinding waits too, and then erases the new reminder.
    const bound = await tx
      .select({ id: agentDevices.deviceId })
      .from(agentDevices)
      .where(and(eq(agentDevices.deviceId, deviceId), eq(agentDevices.tenantId, tenantId)))
      .for('update')
    if (bound.length === 0) return 'unbound'
    const open = await tx
      .select({
        isSame: sql<boolean>`${agentReminders.content} = ${content} and ${agentReminders.remindTime} = ${remindTime}`,
      })
      .from(agentReminders)
      .where(isOwn)
    if (open.some(({ isSame }) => isSame)) return 'added'
    if (open.length >= MAX_OPEN_REMINDERS) return 'full'
    await tx.insert(agentReminders).values({ deviceId, tenantId, content, remindTime })
    await deleteOldestTold(tx, deviceId)
    return 'added'
  })
}

/** Deletes the oldest told reminders of a device, and keeps the newest `MAX_TOLD_REMINDERS`. */
async function deleteOldestTold(db: Db, deviceId: number) {
  const told = and(eq(agentReminders.deviceId, deviceId), gt(agentReminders.toldCount, 0))
  const oldest = db
    .select({ id: agentReminders.id })
    .from(agentReminders)
    .where(told)
    .orderBy(sql`${agentReminders.toldTime} desc, ${agentReminders.id} desc`)
    .offset(MAX_TOLD_REMINDERS)
  await db.delete(agentReminders).where(inArray(agentReminders.id, oldest))
}

/** Erases the reminders of unbound devices. */
export const eraseRemindersOfDevices = (db: Db, deviceIds: readonly number[]) =>
  db.delete(agentReminders).where(inArray(agentReminders.deviceId, [...deviceIds]))

/** Erases the reminders of all devices of an agent. */
export const eraseRemindersOfAgent = (db: Db, agentId: number) =>
  db
    .delete(agentReminders)
    .where(
      inArray(
        agentReminders.deviceId,
        db.select({ id: agentDevices.deviceId }).from(agentDevices).where(eq(agentDevices.agentId, agentId)),
      ),
    )

interface Conversation {
  readonly deviceId: number
  readonly firstTime: string
  readonly lastTime: string
}

/**
 * Erases the reminders that a device set during a conversation. Includes one minute around the conversation, because
 * clocks of voice servers may differ.
 */
export const eraseRemindersOfSession = (db: Db, { deviceId, firstTime, lastTime }: Conversation) =>
  db
    .delete(agentReminders)
    .where(
      and(
        eq(agentReminders.deviceId, deviceId),
        gt(agentReminders.createTime, sql`${firstTime}::timestamptz - interval '1 minute'`),
        lte(agentReminders.createTime, sql`${lastTime}::timestamptz + interval '1 minute'`),
      ),
    )
