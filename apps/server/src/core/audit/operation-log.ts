import { maskAddressSecrets } from '@oms/contract/core/address-secret.ts'
import { type Endpoint, OPERATION, type OperationKind } from '@oms/contract/core/endpoint.ts'
import * as z from 'zod'
import type { Db } from '#core/database/client.ts'
import { operLogs } from '#core/schema/system.ts'
import type { AuditNote, LoggedRecord, RequestFacts, User } from '#core/http/context.ts'
import { describeMissingRevision } from '#core/database/optimistic-lock.ts'
import { maskSecrets, withMaskedAddresses } from './mask.ts'

const KIND_BY_NAME: Readonly<Record<string, OperationKind>> = {
  create: 'add',
  add: 'add',
  update: 'edit',
  modify: 'edit',
  remove: 'remove',
  enable: 'edit',
  disable: 'edit',
  export: 'export',
  import: 'import',
}

/** A call with its facts for the operation log. */
export interface LoggedCall {
  readonly name: string
  readonly endpoint: Endpoint
  readonly request: RequestFacts
  readonly user: User | null
  readonly input: unknown
  readonly note: AuditNote
  readonly startedAt: number
}
export interface OperationOutcome {
  readonly ok: boolean
  readonly message: string
}

/** Returns true when the operation log records the call: every mutation, and every read that declares a kind. */
export const isLogged = (endpoint: Endpoint) =>
  endpoint.log !== false && (endpoint.method !== 'GET' || endpoint.kind !== undefined)

/**
 * Prefix of log rows that platform staff cause while working in another tenant. The staff of the tenant read the same
 * log.
 */
const OTHER_TENANT_PREFIX = '【代客户操作】'
const isInOtherTenant = (user: User | null) =>
  user !== null && user.uid !== 0 && user.homeTenantId !== null && user.tenantId !== user.homeTenantId

/** Returns a note for the log when a call with a revision field was saved without a revision. */
function missingRevision({ endpoint: { input: schema }, input, note }: LoggedCall) {
  if (!note.action || !(schema instanceof z.ZodObject) || !('rev' in schema.shape)) return ''
  return describeMissingRevision((input as { rev?: number } | null)?.rev)
}

/**
 * Writes the operation-log row of a call. Inside the call's transaction, the row is committed or rolled back with the
 * change.
 */
export const writeOperation = (db: Db, call: LoggedCall, outcome: OperationOutcome) =>
  insertOperation(db, buildOperationRows(call, outcome))

export type OperationRow = typeof operLogs.$inferInsert

export async function insertOperation(db: Db, rows: readonly OperationRow[]) {
  await db.insert(operLogs).values([...rows])
}

/** Returns the rows of a call: one for each record that the call changed. */
export function buildOperationRows(call: LoggedCall, { ok, message }: OperationOutcome): readonly OperationRow[] {
  return recordsOf(call.note).map((record) => replaceInvalidText(buildRow(call, { ok, message }, record)))
}

/** Returns the records of a call, because an action on several records appears in the history of each record. */
function recordsOf({ records, bizIds, bizId, action = '' }: AuditNote): readonly LoggedRecord[] {
  if (records?.length)
    return records.map(({ input, ...record }) => ({ ...record, input: { ids: [record.id], ...input } }))
  return (bizIds?.length ? bizIds : [bizId ?? '']).map((id) => ({ id, action }))
}

/** Returns the account of a call, or the actor that a call without a session names. */
function actorOf({ user, note: { actor } }: LoggedCall) {
  if (user) {
    const operName = user.tokenName === undefined ? user.account : `${user.account}（令牌「${user.tokenName}」）`
    return { tenantId: user.tenantId, uid: user.uid, operName: operName.slice(0, 50) }
  }
  return { tenantId: actor?.tenantId ?? null, uid: null, operName: (actor?.name ?? '').slice(0, 50) }
}

function buildRow(call: LoggedCall, { ok, message }: OperationOutcome, record: LoggedRecord): OperationRow {
  const { endpoint, request, user, note } = call
  return {
    ...actorOf(call),
    title: (endpoint.title ?? endpoint.path).slice(0, 50),
    businessType: OPERATION[endpoint.kind ?? KIND_BY_NAME[call.name] ?? 'other'],
    bizType: record.bizType ?? note.bizType ?? '',
    bizId: String(record.id).slice(0, 64),
    action: maskAddressSecrets(
      `${isInOtherTenant(user) ? OTHER_TENANT_PREFIX : ''}${record.action}${missingRevision(call)}`,
    ).slice(0, 500),
    diff: withMaskedAddresses(note.diff ?? []),
    requestMethod: endpoint.method,
    operUrl: (request.url.split('?')[0] ?? '').slice(0, 255),
    operIp: request.ip,
    userAgent: request.userAgent.slice(0, 512),
    operParam: paramOf(call, record.input),
    jsonResult: ok ? message.slice(0, 500) : '',
    status: ok ? 1 : 0,
    errorMsg: ok ? '' : maskAddressSecrets(message).slice(0, 2000),
    traceId: request.id,
    costTime: Math.round(performance.now() - call.startedAt),
  }
}

/**
 * Replaces characters that PostgreSQL refuses in text (NUL, lone surrogates). Otherwise such input would prevent its
 * log row.
 */
function replaceInvalidText<T>(value: T): T {
  if (typeof value === 'string') return value.replaceAll('\0', '\ufffd').toWellFormed() as T
  if (Array.isArray(value)) return value.map(replaceInvalidText) as T
  if (value === null || typeof value !== 'object') return value
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, replaceInvalidText(inner)])) as T
}

/** Lists of serial numbers. They may name devices of several tenants, but the readers of a row belong to one. */
const SERIAL_LISTS = new Set(['sns', 'serials'])
const countedSerials = (key: string, value: unknown) =>
  SERIAL_LISTS.has(key) && Array.isArray(value) ? [`共${value.length}个`] : value

function paramOf({ endpoint, input }: LoggedCall, own: LoggedRecord['input'] = {}) {
  if (input === null || typeof input !== 'object') return ''
  const allowed = endpoint.log
  const fields = Object.entries(input)
    .filter(([key]) => !allowed || allowed.includes(key))
    .map(([key, value]) => [key, Object.hasOwn(own, key) ? own[key] : countedSerials(key, value)])
  return JSON.stringify(maskSecrets(Object.fromEntries(fields))).slice(0, 2000)
}
