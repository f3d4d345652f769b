import { NO_PROBLEMS, type ProblemAttrValue } from '@oms/contract/ticket/ticket-rows.ts'
import { and, desc, eq, inArray, sql } from 'drizzle-orm'
import type { Db } from '#core/database/client.ts'
import { invalid } from '#core/http/api-error.ts'
import type { Services } from '#core/services.ts'
import { notDeleted } from '#core/tenancy/tenancy.ts'
import { formatLocalDay } from '#core/time/zone.ts'
import { publishOutboxEvent } from '#modules/integration/index.ts'
import { deviceModels, devices, deviceTypes } from '#modules/device/schema.ts'
import { systemVersion } from '#modules/device/device-facts.ts'
import { files } from '#core/schema/system.ts'
import { ticketFiles, ticketNumbers, ticketRecords, tickets } from './schema.ts'
import { computeSla, readSlaSettings } from './sla.ts'

export const TICKET_RECORD_KIND = {
  created: 1,
  handled: 2,
  claimed: 3,
  assigned: 4,
  merged: 5,
  priority: 6,
  tags: 7,
  reminder: 8,
  rated: 9,
  sla: 10,
  changed: 11,
  comment: 12,
} as const
const FILE_KIND = { attachments: 1, images: 2 } as const

/** Data of a new ticket. The ticket stores a copy of the device's current data. */
export interface NewTicket {
  readonly tenantId: number
  readonly deviceId?: number | undefined
  readonly account: string
  readonly contact: string
  readonly appAccountId?: number | undefined
  readonly problemType: number
  readonly content: string
  readonly priority: number
  readonly source: number
  readonly tags: readonly string[]
  readonly problemAttr?: ProblemAttrValue | undefined
  readonly attachments: readonly string[]
  readonly images: readonly string[]
  readonly handler?: { readonly uid: number; readonly name: string } | undefined
  /** Author of the ticket: a console account, or no account with a display name. */
  readonly by: { readonly uid: number | null; readonly name: string }
}

/** Returns the copy of the device's data for a ticket. */
async function snapshotOf(db: Db, deviceId: number | undefined) {
  if (deviceId === undefined) return {}
  const [found] = await db
    .select({
      deviceId: devices.id,
      sn: devices.sn,
      devName: devices.devName,
      modelId: devices.modelId,
      modelName: sql<string>`coalesce(${deviceModels.modelName}, '')`,
      typeName: sql<string>`coalesce(${deviceTypes.typeName}, '')`,
      verCode: devices.verCode,
      osVer: systemVersion,
      devCreateTime: devices.createTime,
    })
    .from(devices)
    .leftJoin(deviceModels, eq(deviceModels.id, devices.modelId))
    .leftJoin(deviceTypes, eq(deviceTypes.id, deviceModels.typeId))
    .where(and(eq(devices.id, deviceId), notDeleted(devices)))
  return found ?? {}
}

/** Inserts a ticket with its number, files, first record and time limits in the caller's transaction. */
export async function insertTicket(services: Pick<Services, 'config' | 'events'>, db: Db, now: Date, input: NewTicket) {
  const { timeZone } = services.config
  const { deviceId, handler, by, attachments: _a, images: _i, problemAttr, ...fields } = input
  const stored = await filesFor(db, input)
  const timed = { ...fields, status: 0, createTime: now, firstRespondTime: null, closeTime: null, pausedMinutes: 0 }
  const limits = computeSla(await readSlaSettings(db), timeZone, { ...timed, slaBreached: false }, now)
  const device = await snapshotOf(db, deviceId)
  // Last statement, because simultaneous tickets of the day wait for the number.
  const feedbackNo = await nextNumber(db, formatLocalDay(now, timeZone))
  const at = now.toISOString()
  const [made] = await db
    .insert(tickets)
    .values({
      ...fields,
      ...device,
      ...limits,
      tags: [...input.tags],
      problemAttr: problemAttr ?? NO_PROBLEMS,
      feedbackNo,
      handlerId: handler?.uid ?? null,
      handler: handler?.name ?? '',
      lastHandlerId: handler?.uid ?? null,
      createBy: by.uid,
      updateBy: by.uid,
      createTime: at,
      updateTime: at,
    })
    .returning({ id: tickets.id })
  const id = made!.id
  const record = {
    ticketId: id,
    uid: by.uid,
    realname: by.name,
    handlerId: handler?.uid ?? null,
    handler: handler?.name ?? '',
  }
  await db.insert(ticketRecords).values({ ...record, kind: TICKET_RECORD_KIND.created, status: 0, createTime: at })
  if (stored.length > 0) await attach(db, id, input.tenantId, stored, now)
  await services.events.publish(db, 'changed', { resource: 'feedback', tenantId: input.tenantId })
  const { priority, source } = input
  const sn = 'sn' in device ? device.sn : ''
  const data = { id, feedbackNo, status: 0, priority, source, sn }
  await publishOutboxEvent(services, db, { type: 'ticket.created', tenantId: input.tenantId, data })
  return { id, feedbackNo }
}

async function nextNumber(db: Db, day: string) {
  const [row] = await db
    .insert(ticketNumbers)
    .values({ day, last: 1 })
    .onConflictDoUpdate({ target: ticketNumbers.day, set: { last: sql`${ticketNumbers.last} + 1` } })
    .returning({ last: ticketNumbers.last })
  return `FB${day.replaceAll('-', '')}${String(row?.last).padStart(5, '0')}`
}

interface Attached {
  readonly fileId: string
  readonly kind: number
  readonly name: string
  readonly size: number
  readonly sort: number
}
const PURPOSES = { attachments: ['ticket', 'file'], images: ['ticketImage', 'image'] } as const

/** Returns the uploaded files: those of the ticket's author, or of a device without an account. */
async function filesFor(db: Db, { by, tenantId, ...given }: NewTicket): Promise<Attached[]> {
  const attached: Attached[] = []
  for (const kind of ['attachments', 'images'] as const) {
    const ids = given[kind]
    if (ids.length === 0) continue
    const own = by.uid === null ? and(sql`${files.uid} is null`, eq(files.tenantId, tenantId)) : eq(files.uid, by.uid)
    const rows = await db
      .select({ id: files.id, name: files.name, size: files.size })
      .from(files)
      .where(and(inArray(files.id, [...ids]), own, inArray(files.purpose, [...PURPOSES[kind]])))
    const found = new Map(rows.map((row) => [row.id, row]))
    for (const [sort, id] of ids.entries()) {
      const file = found.get(id)
      if (!file) throw invalid(kind === 'images' ? '图片不存在，请重新上传' : '附件不存在，请重新上传', kind)
      attached.push({ fileId: id, kind: FILE_KIND[kind], name: file.name, size: file.size, sort })
    }
  }
  return attached
}

/** Assigns the files to the ticket's tenant, whose staff must be able to open them. */
async function attach(db: Db, ticketId: number, tenantId: number, stored: readonly Attached[], now: Date) {
  await db.insert(ticketFiles).values(stored.map((file) => ({ ...file, ticketId })))
  await db
    .update(files)
    .set({ tenantId, usedTime: now.toISOString() })
    .where(
      inArray(
        files.id,
        stored.map(({ fileId }) => fileId),
      ),
    )
}

/** Problem report of a device or an App. */
export interface DeviceReport {
  readonly deviceId: number
  readonly tenantId: number
  readonly sn: string
  readonly problemType: number
  readonly content: string
  readonly account?: string | undefined
  readonly contact?: string | undefined
  readonly appAccountId?: number | undefined
  readonly priority?: number | undefined
  readonly tags?: readonly string[] | undefined
  /** Ids of files that the device protocol stored without an account for this tenant. */
  readonly attachments?: readonly string[] | undefined
  readonly images?: readonly string[] | undefined
  /** 1 sent by the App, 4 by the device. */
  readonly source?: 1 | 4 | undefined
  /** True to return the open ticket with the same content instead of a second ticket. */
  readonly isOnce?: boolean | undefined
}

/** Maximum number of open tickets of one device, so that a firmware loop cannot flood the service desk. */
const MAX_OPEN_OF_DEVICE = 20

/** Throws when the device has the maximum number of open tickets. */
export async function assertRoomForTicket(db: Db, sn: string) {
  const open = await db.$count(tickets, and(eq(tickets.sn, sn), sql`${tickets.status} <> 5`))
  if (open >= MAX_OPEN_OF_DEVICE) throw invalid(`该设备已有${MAX_OPEN_OF_DEVICE}个未关闭的工单，请等待处理`)
}

/** Returns the newest open ticket of the device with the same content. */
async function findOpenTicket(db: Db, { deviceId, tenantId, sn, content }: DeviceReport) {
  const [found] = await db
    .select({ id: tickets.id, feedbackNo: tickets.feedbackNo })
    .from(tickets)
    .where(
      and(
        eq(tickets.sn, sn),
        eq(tickets.deviceId, deviceId),
        eq(tickets.tenantId, tenantId),
        eq(tickets.content, content),
        sql`${tickets.status} <> 5`,
      ),
    )
    .orderBy(desc(tickets.id))
    .limit(1)
  return found
}

/**
 * Creates a ticket for the calling device in its own transaction. Reports of one device run one after the other, so that
 * two connections neither create the same ticket twice nor exceed the limit of open tickets.
 */
export function createTicketFromDevice(services: Services, report: DeviceReport) {
  const { deviceId, tenantId, sn, problemType, content, account = '', contact = '' } = report
  return services.database.db.transaction(async (db) => {
    await db.execute(sql`select pg_advisory_xact_lock(hashtextextended(${`device-ticket ${sn}`}, 0))`)
    const same = report.isOnce ? await findOpenTicket(db, report) : undefined
    if (same) return { ...same, isExisting: true }
    await assertRoomForTicket(db, sn)
    const made = await insertTicket(services, db, services.now(), {
      tenantId,
      deviceId,
      problemType,
      content,
      account,
      contact,
      appAccountId: report.appAccountId,
      priority: report.priority ?? 2,
      source: report.source ?? 4,
      tags: report.tags ?? [],
      attachments: report.attachments ?? [],
      images: report.images ?? [],
      by: { uid: null, name: account || sn },
    })
    return { ...made, isExisting: false }
  })
}
