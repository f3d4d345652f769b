import {
  type agentReminders as calls,
  REMINDER_STATE,
  MAX_OPEN_REMINDERS,
  MAX_TOLD_REMINDERS,
} from '@oms/contract/agent/history/reminder.ts'
import type { ParsedOf } from '@oms/contract/core/endpoint.ts'
import { and, desc, eq, sql, gt, inArray, lte } from 'drizzle-orm'
import type { Pool } from 'pg'
import type { Logger } from 'pino'
import type { Db } from '#core/database/client.ts'
import { buildSort, paginate } from '#core/database/lists/list-query.ts'
import { DelayedWrite } from '#core/database/statements/delayed-write.ts'
import { notFound } from '#core/http/api-error.ts'
import type { Ctx } from '#core/http/context.ts'
import { devices } from '#modules/device/schema.ts'
import { visibleBindings, readLoggedDeviceName, VOICE_DEVICE_LOG_KIND } from '../devices/device.ts'
import { agentDevices, agentReminders } from '../schema/agent-device.ts'

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

interface NewReminder {
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

const FLUSH_MS = 1000
const BATCH = 5000
const MAX_WAITING = 100_000
/** Locks rows in the order of ids. Otherwise two processes with the same reminders could deadlock. */
const STORE = `with u as materialized (select * from unnest($1::bigint[], $2::float8[]) as u (id, at)),
    held as materialized (select id from agent_reminders where id in (select id from u) order by id for no key update)
  update agent_reminders r set told_count = r.told_count + 1, told_time = to_timestamp(u.at / 1000)
  from held join u on u.id = held.id where r.id = held.id`

/**
 * Marks reminders as told after a voice server received them. Writes the marks of each second with one statement. When
 * a process ends before it writes a mark, the next conversation tells the reminder again.
 */
export class DeliveredReminderWriter {
  readonly #pool: Pool
  readonly #told = new Map<number, number>()
  readonly #delayed: DelayedWrite

  constructor(pool: Pool, log: Logger) {
    this.#pool = pool
    this.#delayed = new DelayedWrite(FLUSH_MS, () => this.#write(), log, 'told reminders not stored')
  }

  told(reminders: readonly Pick<DueReminder, 'id'>[], now: number) {
    if (this.#told.size >= MAX_WAITING) return
    for (const { id } of reminders) this.#told.set(id, now)
    this.#delayed.schedule()
  }

  /** Writes the waiting marks. */
  flush() {
    return this.#delayed.flush()
  }

  async #write() {
    while (this.#told.size > 0) {
      const some = [...this.#told].slice(0, BATCH)
      for (const [id] of some) this.#told.delete(id)
      await this.#pool.query(STORE, [some.map(([id]) => id), some.map(([, at]) => at)])
    }
  }
}
