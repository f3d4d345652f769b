import type { DeviceFilterValues } from '@oms/contract/device/device-fields.ts'
import { feedback } from '@oms/contract/ticket/ticket.ts'
import { AfterSalesDevice } from '@oms/contract/ticket/ticket-rows.ts'
import type { ParsedOf } from '@oms/contract/core/endpoint.ts'
import { and, desc, eq, type SQL, sql } from 'drizzle-orm'
import type { Db } from '#core/database/client.ts'
import { deviceModels, devices, deviceTypes, deviceVersions } from '#modules/device/schema.ts'
import { otaVersions, otaTasks } from '#modules/upgrade/index.ts'
import { tenants } from '#core/schema/tenant.ts'
import { tickets } from './schema.ts'
import type { Ctx, User } from '#core/http/context.ts'
import { buildDeviceFilter, visibleDevices } from '#modules/device/device-filter.ts'
import { buildSort, paginate } from '#core/database/lists/list-query.ts'
import { systemVersion } from '#modules/device/device-facts.ts'
import { defineExport } from '#core/spreadsheet/export.ts'
import { assertTicketReader, visibleTickets } from './ticket.ts'

type Query = Partial<DeviceFilterValues> & { tickets?: 1 | 2 | undefined }

const COLUMNS = {
  id: devices.id,
  sn: devices.sn,
  devName: devices.devName,
  modelName: sql<string>`coalesce(${deviceModels.modelName}, '')`.as('model_name'),
  typeName: sql<string>`coalesce(${deviceTypes.typeName}, '')`.as('type_name'),
  osVer: systemVersion.as('system_version'),
  verCode: devices.verCode,
  tenantName: sql<string>`coalesce(${tenants.name}, '')`.as('tenant_name'),
  online: devices.online,
  activateTime: devices.activateTime,
  warrantyEnd: devices.warrantyEnd,
}
const MORE = {
  lastOnlineTime: devices.lastOnlineTime,
  appVer: devices.appVer,
  hwVer: devices.hwVer,
  ip: devices.ip,
  region: devices.region,
}

/** Selects devices with the columns of the list. */
const selectDevices = (db: Db) =>
  db
    .select(COLUMNS)
    .from(devices)
    .leftJoin(deviceModels, eq(deviceModels.id, devices.modelId))
    .leftJoin(deviceTypes, eq(deviceTypes.id, deviceModels.typeId))
    .leftJoin(tenants, eq(tenants.id, devices.tenantId))
    .$dynamic()

const OPEN = sql`and t.status <> 5`
/** Selects devices through their tickets, because there are a million devices and few have a ticket. */
const withTickets = (also: SQL) =>
  sql`${devices.sn} in (select t.sn from tickets t where t.sn <> '' and t.tenant_id = ${devices.tenantId} ${also})`

const conditionsOf = (user: User, { tickets: wanted, ...filter }: Query) =>
  and(
    visibleDevices(user),
    buildDeviceFilter(filter),
    wanted === undefined ? undefined : withTickets(wanted === 2 ? OPEN : sql``),
  )

const SORTS = { activateTime: devices.activateTime, warrantyEnd: devices.warrantyEnd }
const sortOf = (input: { orderByColumn?: keyof typeof SORTS | undefined; isAsc?: 'asc' | 'desc' | undefined }) =>
  buildSort(input, SORTS, devices.id)

export async function listServiceDevices({ db, user }: Ctx, input: ParsedOf<typeof feedback.devices>) {
  const rows = selectDevices(db).where(conditionsOf(user, input))
  const page = await paginate(db, rows, input, sortOf(input))
  return { ...page, list: await counted(db, user, page.list) }
}

interface Bare {
  readonly sn: string
}

/** Adds the number of tickets of each serial with one query. */
async function counted<R extends Bare>(db: Db, user: User, rows: readonly R[]) {
  const sns = rows.map(({ sn }) => sn)
  const found =
    sns.length === 0
      ? []
      : await db
          .select({
            sn: tickets.sn,
            ticketCount: sql<number>`count(*)::int`,
            openCount: sql<number>`(count(*) filter (where ${tickets.status} <> 5))::int`,
            lastTicketTime: sql<string>`to_char(max(${tickets.createTime}), 'YYYY-MM-DD HH24:MI:SS')`,
          })
          .from(tickets)
          .where(
            and(sql`${tickets.sn} = any(${sql.param(sns)}::text[])`, sql`${tickets.sn} <> ''`, visibleTickets(user)),
          )
          .groupBy(tickets.sn)
  const bySn = new Map(found.map((row) => [row.sn, row]))
  return rows.map((row) => ({ ...row, ticketCount: 0, openCount: 0, lastTicketTime: null, ...bySn.get(row.sn) }))
}

export const exportServiceDevices = defineExport({
  kind: 'ticketDevice',
  endpoint: feedback.exportDevices,
  sheet: '售后设备',
  schema: AfterSalesDevice,
  columns: [
    'sn',
    'devName',
    'modelName',
    'typeName',
    'osVer',
    'tenantName',
    'online',
    ['activateTime', { type: 'dateTime', width: 20 }],
    'warrantyEnd',
    ['ticketCount', { type: 'number' }],
    ['openCount', { type: 'number' }],
    ['lastTicketTime', { type: 'dateTime', width: 20 }],
  ],
  key: devices.id,
  where: conditionsOf,
  order: sortOf,
  load: async (db, user, where) => counted(db, user, await selectDevices(db).where(where)),
  keyOf: ({ id }) => id,
})

/** Returns the device's data for its ticket. An unknown serial returns only its tickets. */
export async function getTicketDevice({ db, user }: Ctx, { sn }: ParsedOf<typeof feedback.device>) {
  assertTicketReader(user)
  const [found] = await selectDevices(db).where(and(eq(devices.sn, sn), visibleDevices(user)))
  const others = await db
    .select({
      id: tickets.id,
      feedbackNo: tickets.feedbackNo,
      status: tickets.status,
      problemType: tickets.problemType,
      content: sql<string>`left(${tickets.content}, 120)`,
      createTime: tickets.createTime,
    })
    .from(tickets)
    .where(and(eq(tickets.sn, sn), sql`${tickets.sn} <> ''`, visibleTickets(user)))
    .orderBy(desc(tickets.id))
    .limit(20)
  if (!found) return { found: false, device: null, versions: [], upgrades: [], tickets: others }
  const [row] = await counted(db, user, [found])
  const [more] = await db.select(MORE).from(devices).where(eq(devices.id, found.id))
  return {
    found: true,
    device: { ...row!, ...more! },
    versions: await versionsOf(db, found.id),
    upgrades: await upgradesOf(db, found.id),
    tickets: others,
  }
}

const versionsOf = (db: Db, deviceId: number) =>
  db
    .select({ verCode: deviceVersions.verCode, source: deviceVersions.source, createTime: deviceVersions.createTime })
    .from(deviceVersions)
    .where(eq(deviceVersions.deviceId, deviceId))
    .orderBy(desc(deviceVersions.id))
    .limit(10)

const upgradesOf = (db: Db, deviceId: number) =>
  db
    .select({
      taskId: otaTasks.taskId,
      verCode: otaTasks.verCode,
      verName: sql<string>`coalesce(${otaVersions.verName}, '')`,
      state: otaTasks.state,
      createTime: otaTasks.createTime,
      closeTime: otaTasks.closeTime,
    })
    .from(otaTasks)
    .leftJoin(otaVersions, eq(otaVersions.otaId, otaTasks.otaId))
    .where(eq(otaTasks.deviceId, deviceId))
    .orderBy(desc(otaTasks.taskId))
    .limit(5)
