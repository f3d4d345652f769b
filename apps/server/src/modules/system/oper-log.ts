import { maskAddressSecrets } from '@oms/contract/core/address-secret.ts'
import type { ParsedOf } from '@oms/contract/core/endpoint.ts'
import { HISTORY_PERMISSIONS } from '@oms/contract/history-permissions.ts'
import { logs, OPER_LOG_DAYS, OperLogRow } from '@oms/contract/system/log.ts'
import { and, asc, desc, eq, gte, type SQL, sql } from 'drizzle-orm'
import { isSecret, maskEmail, maskMobile, withMaskedAddresses } from '#core/audit/mask.ts'
import type { Db } from '#core/database/client.ts'
import { contains, paginate } from '#core/database/lists/list-query.ts'
import { canSeeAllRows } from '#core/database/lists/prepared-list.ts'
import { ensureMonthPartitions } from '#core/database/month-partitions.ts'
import { forbidden, notFound } from '#core/http/api-error.ts'
import type { Ctx, User } from '#core/http/context.ts'
import { locateIp } from '#core/http/request-log.ts'
import { readUserAgent } from '#core/http/user-agent.ts'
import { forEachIsolated, runSteps, hasRunSteadily } from '#core/jobs/isolated.ts'
import { type FieldChange, operLogs } from '#core/schema/system.ts'
import { tenants } from '#core/schema/tenant.ts'
import type { Services } from '#core/services.ts'
import { defineExport } from '#core/spreadsheet/export.ts'
import { scoped } from '#core/tenancy/tenancy.ts'
import { isLoggedRecordInScope } from '#modules/account/index.ts'
import { buildLogRange } from './login-log.ts'

type Filters = Omit<ParsedOf<typeof logs.operations>, 'pageNum' | 'pageSize'>

const buildVisibleRowsCondition = (user: User) =>
  and(scoped(user, { tenant: operLogs.tenantId, creator: operLogs.uid }), isLoggedRecordInScope(user))

function conditionsOf(user: User, filters: Filters) {
  const { operName, title, businessType, status, operIp, bizType, bizId, minCost, tenantId } = filters
  const range = buildLogRange(operLogs.operTime, filters, OPER_LOG_DAYS)
  return and(
    buildVisibleRowsCondition(user),
    ...range,
    operName && canSeeAllRows(user) ? isNamed(operName, and(...range)) : contains(operLogs.operName, operName),
    contains(operLogs.title, title),
    businessType === undefined ? undefined : eq(operLogs.businessType, Number(businessType)),
    status === undefined ? undefined : eq(operLogs.status, status),
    contains(operLogs.operIp, operIp),
    bizType ? eq(operLogs.bizType, bizType) : undefined,
    bizId ? eq(operLogs.bizId, bizId) : undefined,
    minCost === undefined ? undefined : gte(operLogs.costTime, minCost),
    tenantId === undefined ? undefined : eq(operLogs.tenantId, tenantId),
  )
}

/**
 * Returns the condition that the operator's name contains a text. Reads each name of the range once by the index and compares
 * the names, because a comparison of all rows needs seconds.
 */
const isNamed = (text: string, range: SQL | undefined) => sql`${operLogs.operName} = any(array(
  with recursive names as (
    (select oper_name as name from ${operLogs} where ${range} order by oper_name limit 1)
    union all
    select (select oper_name from ${operLogs} where oper_name > n.name and ${range} order by oper_name limit 1)
    from names n where n.name is not null)
  select name from names where ${contains(sql`name`, text)}))`

/** The primary key serves both directions. */
const orderOf = ({ isAsc }: Filters) =>
  isAsc === 'asc' ? [asc(operLogs.operTime), asc(operLogs.operId)] : [desc(operLogs.operTime), desc(operLogs.operId)]

const listed = {
  operId: operLogs.operId,
  operTime: operLogs.operTime,
  operName: operLogs.operName,
  title: operLogs.title,
  businessType: operLogs.businessType,
  action: operLogs.action,
  bizType: operLogs.bizType,
  bizId: operLogs.bizId,
  operIp: operLogs.operIp,
  status: operLogs.status,
  errorMsg: operLogs.errorMsg,
  costTime: operLogs.costTime,
  tenantName: sql<string>`coalesce(${tenants.name}, '')`,
}

const select = (db: Db) =>
  db.select(listed).from(operLogs).leftJoin(tenants, eq(tenants.id, operLogs.tenantId)).$dynamic()
const withLocation = <R extends { operIp: string }>(row: R) => ({ ...row, operLocation: locateIp(row.operIp) })
/** Masks credentials in addresses as well, because rows of older releases contain them. */
const lineOf = <R extends { operIp: string }>(row: R) => withLocation(withMaskedAddresses(row))

export async function listOperations({ db, user }: Ctx, input: ParsedOf<typeof logs.operations>) {
  const page = await paginate(db, select(db).where(conditionsOf(user, input)), input, orderOf(input))
  return { ...page, list: page.list.map(lineOf) }
}

export async function getOperation({ db, user }: Ctx, { id }: ParsedOf<typeof logs.operation>) {
  const [found] = await db
    .select({ row: operLogs, tenantName: listed.tenantName })
    .from(operLogs)
    .leftJoin(tenants, eq(tenants.id, operLogs.tenantId))
    .where(and(eq(operLogs.operId, id), buildVisibleRowsCondition(user)))
  if (!found) throw notFound('日志')
  const { row, tenantName } = found
  return {
    ...lineOf(row),
    ...readUserAgent(row.userAgent),
    tenantName,
    diff: readable(row.diff, user),
    operParam: maskAddressSecrets(row.operParam).replaceAll(CONTACT, hideContact(user)),
  }
}

/** Returns the differences for this reader: without secrets, and masked contact details unless permitted. */
function readable(diff: readonly FieldChange[], user: User): FieldChange[] {
  const plain = canSeeContacts(user)
  return withMaskedAddresses(diff).map((change) => {
    const mask = maskOf(change.field, plain)
    return { ...change, from: mask(change.from), to: mask(change.to) }
  })
}

const canSeeContacts = (user: User) => user.can('system:manager:plain') || user.can('system:userList:plain')

function maskOf(field: string, plain: boolean) {
  if (isSecret(field)) return (value: unknown) => (value === null ? null : '******')
  const mask = /mobile|phone/i.test(field) ? maskMobile : /e-?mail/i.test(field) ? maskEmail : undefined
  return (value: unknown) => (mask && !plain && typeof value === 'string' ? mask(value) : value)
}

const CONTACT = /"(\w*(?:mobile|phone|mail)\w*)":"([^"\\]*)"/gi
const hideContact = (user: User) => (whole: string, field: string, value: string) =>
  canSeeContacts(user) ? whole : `"${field}":"${maskOf(field, false)(value)}"`

/** Maximum age of entries in a record's history, equal to the maximum range of a query. */
const HISTORY = sql`now() - interval '366 days'`

/**
 * Lists the history of one record. Requires the permission of the record's list; excludes operations of other
 * tenants.
 */
export async function listRecordHistory({ db, user }: Ctx, { bizType, bizId, ...page }: ParsedOf<typeof logs.history>) {
  const needed = Object.hasOwn(HISTORY_PERMISSIONS, bizType) ? (HISTORY_PERMISSIONS[bizType] ?? []) : []
  if (![...needed, 'system:operLog:list'].some((permission) => user.can(permission))) throw forbidden()
  const rows = db
    .select({ ...listed, tenantName: sql<string>`''`, diff: operLogs.diff })
    .from(operLogs)
    .where(
      and(
        // The scope applies to the record's tenant, not to the acting account. Otherwise changes by others would be
        // hidden.
        scoped(user, { tenant: operLogs.tenantId }),
        isLoggedRecordInScope(user),
        eq(operLogs.bizType, bizType),
        eq(operLogs.bizId, bizId),
        eq(operLogs.status, 1),
        gte(operLogs.operTime, HISTORY),
      ),
    )
    .$dynamic()
  const found = await paginate(db, rows, page, [desc(operLogs.operTime), desc(operLogs.operId)])
  return { ...found, list: found.list.map((row) => ({ ...withMaskedAddresses(row), diff: readable(row.diff, user) })) }
}

const COLUMNS = [
  ['operTime', { type: 'dateTime', width: 20 }],
  'operName',
  'tenantName',
  'title',
  'businessType',
  ['action', { width: 50 }],
  'operIp',
  'operLocation',
  'status',
  'errorMsg',
  ['costTime', { type: 'number' }],
] as const

export const exportOperationLog = defineExport({
  kind: 'operLog',
  endpoint: logs.exportOperationLog,
  sheet: '操作日志',
  schema: OperLogRow,
  columns: COLUMNS,
  key: operLogs.operId,
  where: conditionsOf,
  order: orderOf,
  load: (db, _user, where) => select(db).where(where),
  keyOf: ({ operId }) => operId,
  line: lineOf,
})

const JOB = 'logRetention'
const LOGS = [
  { table: 'oper_logs', time: 'oper_time' },
  { table: 'login_logs', time: 'login_time' },
] as const

/** Registers the daily job that creates partitions for future months and drops months beyond the retention. */
export function registerLogRetention(services: Services) {
  const options = { title: '日志保留期处理', cron: '0 30 3 * * *', keepsRuns: true, timeLimitSeconds: 30 * 60 }
  services.jobs.schedule(
    JOB,
    async () => maintainLogPartitions(services, { forget: await mayRemoveOldLogs(services) }),
    options,
  )
}

/** True when old rows may be removed. */
export const mayRemoveOldLogs = (services: Services) => hasRunSteadily(services, JOB)

/**
 * Creates the partitions of future months. With `forget`, drops months whose rows are all older than the retention.
 */
export async function maintainLogPartitions(
  { database: { pool }, config, log }: Services,
  { forget }: { forget: boolean },
) {
  const dropped: string[] = []
  let failedItems = 0
  for (const { table, time } of LOGS) {
    const oldRows = `delete from "${table}_other" where ${time} < now() - make_interval(days => $1)`
    failedItems += await runSteps(
      { log, kind: JOB },
      {
        [`partitions of ${table}`]: () => ensureMonthPartitions(pool, table),
        ...(forget && { [`${table}_other`]: () => pool.query(oldRows, [config.logRetentionDays]) }),
      },
    )
    if (!forget) continue
    const old = await outdated(pool, table, config.logRetentionDays)
    const isolation = { log, kind: JOB, name: (partition: string) => ({ partition }) }
    const { failed } = await forEachIsolated(old, isolation, async (partition) => {
      await pool.query(`drop table "${partition}"`)
      dropped.push(partition)
    })
    failedItems += failed.length
  }
  return { dropped, failedItems }
}

/** Returns the names of monthly partitions that ended before the retention period. */
async function outdated(pool: Services['database']['pool'], table: string, days: number): Promise<string[]> {
  const { rows } = await pool.query<{ name: string }>(
    `select c.relname as name from pg_inherits i
     join pg_class c on c.oid = i.inhrelid join pg_class p on p.oid = i.inhparent
     where p.relname = $1 and c.relname ~ ('^' || $1 || '_[0-9]{6}$')
       and (to_date(right(c.relname, 6), 'YYYYMM') + interval '1 month') at time zone 'UTC' <= now() - make_interval(days => $2)
     order by 1`,
    [table, days],
  )
  return rows.map(({ name }) => name)
}
