import { and, eq, isNull, sql, type Column, getTableColumns, type SQL } from 'drizzle-orm'
import { type PgColumn, type PgTable, getTableConfig } from 'drizzle-orm/pg-core'
import { type Reference, referencesTo } from '#core/schema/columns.ts'
import type { Db } from './client.ts'
import type { Endpoint } from '@oms/contract/core/endpoint.ts'
import { about } from '@oms/contract/core/fields.ts'
import { buildStatusChoices, ENABLED_LABELS, type StatusLabels } from '@oms/contract/core/status-labels.ts'
import * as z from 'zod'
import { readFieldTitles } from '#core/audit/field-titles.ts'
import { listChanges } from '#core/audit/mask.ts'
import { type References, withReferencedNames } from '#core/audit/referenced-names.ts'
import { conflict, notFound } from '#core/http/api-error.ts'
import type { Ctx, User } from '#core/http/context.ts'
import { createCodeTranslator } from '#core/spreadsheet/columns.ts'
import { assertMayChangeSharedRow, notDeleted, scoped } from '#core/tenancy/tenancy.ts'
import type { industries } from '#core/schema/tenant.ts'
import type { FieldChange } from '#core/schema/system.ts'
import { checkRevision, updateColumns } from './optimistic-lock.ts'
import { toUniqueViolation } from './error-codes.ts'

/** Returns the text about the rows that refer to a row, such as `12台设备、3个升级版本`; empty without references. */
export async function describeReferences(db: Db, target: PgTable, id: number): Promise<string> {
  const parts: string[] = []
  // The queries run one after the other, because a transaction has one connection.
  for (const reference of referencesTo(target)) {
    const count = await countOf(db, reference, id)
    if (count > 0) parts.push(`${count}${reference.noun}`)
  }
  return parts.join('、')
}

function countOf(db: Db, { column, where }: Reference, id: number) {
  const table = column.table as PgTable & { readonly deletedAt?: PgColumn }
  const isAlive = table.deletedAt ? isNull(table.deletedAt) : undefined
  return db.$count(sql`${table}`, and(eq(column, id), isAlive, where))
}

/** A table with the columns of `audited` and `softDelete`, and an integer key `id`. */
export type RecordTable = PgTable & {
  readonly id: PgColumn
  readonly rev: PgColumn
  readonly createBy: PgColumn
  readonly deletedAt: PgColumn
  /** Owner of the row. Limits every read and write to the tenants of the caller. */
  readonly tenantId?: PgColumn
}
type Stored<T extends RecordTable> = T['$inferSelect']

interface RecordDefinition<T extends RecordTable> {
  readonly table: T
  /** Calls of the record. The operation log names fields as the input of `create`, and the status as `enable`. */
  readonly calls: {
    readonly create: Endpoint & { readonly input: z.ZodObject }
    readonly list: Pick<Endpoint, 'path'>
    readonly enable?: Endpoint
  }
  /** Record kind of the operation log (`bizType`). Also declared in `records` of the page in the catalogue. */
  readonly kind: string
  /** Chinese name of the record: `备件`. */
  readonly noun: string
  /** Name of one record in messages and in the operation log. */
  nameOf(stored: Stored<T>): string
  /** True when tenants use the rows of the platform. Only staff whose data scope contains all tenants writes these rows. */
  readonly isSharedByPlatform?: true
  /** Titles in the operation log that differ from the titles of the fields. */
  readonly titles?: Readonly<Record<string, string>>
  /** Fields that contain ids of other records. The operation log shows the names of these records. */
  readonly references?: References
  /** Error texts for duplicates, by name of the unique index. Default: `…已存在`. */
  readonly duplicateTexts?: Readonly<Record<string, string>>
  /** Refusal for a referenced record. Default: `还有…使用该备件，不能删除`. */
  heldText?(references: string): string
  /** Removes dependent rows before the record is deleted. */
  onRemove?(ctx: Ctx, stored: Stored<T>): Promise<void>
  /** Reload lists of this resource (third part of a path). Default: the resource of `calls`. */
  readonly resource?: string
}

/**
 * Record tables with a tenant column, by record kind. The operation log finds the tenant of a record in these tables,
 * and hides entries about records of tenants outside the data scope.
 */
export const tenantRecords = new Map<string, RecordTable>()

/** Columns that every record table has. Drizzle cannot express them for a generic table. */
type Base = typeof industries
type BaseRow = Base['$inferSelect'] & { readonly tenantId?: number }
const baseOf = (table: RecordTable) => table as unknown as Base

/** Returns the condition of all reads: not deleted, and within the caller's data scope when a tenant owns the rows. */
export const visibleRecords = (
  { table }: { table: Pick<RecordTable, 'createBy' | 'tenantId'> & { deletedAt?: PgColumn } },
  user: User,
): SQL | undefined =>
  and(
    table.deletedAt ? notDeleted({ deletedAt: table.deletedAt }) : undefined,
    table.tenantId ? scoped(user, { tenant: table.tenantId as Column, creator: table.createBy }) : undefined,
  )

/** Functions of one kind of record. Handlers are composed of them, or are these functions. */
interface RecordFunctions<T extends RecordTable> {
  /** Returns the row, locked until the transaction ends. Refuses rows that the caller may not see or write. */
  lock(ctx: Ctx, id: number): Promise<Stored<T>>
  /** Inserts a row and logs it. */
  insert(ctx: Ctx, values: T['$inferInsert']): Promise<{ id: number }>
  /** Saves changed fields with the optimistic lock and logs the differences. Writes nothing without a difference. */
  save(
    ctx: Ctx,
    stored: Stored<T>,
    rev: number | undefined,
    values: Partial<T['$inferInsert']>,
    more?: readonly FieldChange[],
  ): Promise<{ rev: number }>
  remove(ctx: Ctx, input: { id: number }): Promise<null>
  enable(ctx: Ctx, input: { id: number }): Promise<null>
  disable(ctx: Ctx, input: { id: number }): Promise<null>
}

/**
 * Returns the functions that write a kind of record: lock, insert, save, delete, enable and disable. Duplicates are
 * refused at the field of the violated unique index, and references declared with `blocksDeletion` prevent deletion.
 */
export function defineRecord<T extends RecordTable>(definition: RecordDefinition<T>): RecordFunctions<T> {
  if (definition.table.tenantId) tenantRecords.set(definition.kind, definition.table)
  const facts = factsOf(definition)
  return {
    lock: (ctx, id) => lockRecord(definition, ctx, id),
    insert: (ctx, values) => insertRecord(facts, ctx, values),
    save: (ctx, stored, rev, values, more = []) => saveRecord(facts, ctx, stored as BaseRow, { rev, values, more }),
    remove: (ctx, { id }) => removeRecord(facts, ctx, id),
    enable: (ctx, { id }) => setStatus(facts, ctx, id, 1),
    disable: (ctx, { id }) => setStatus(facts, ctx, id, 0),
  }
}

interface Facts {
  readonly definition: RecordDefinition<RecordTable>
  readonly statusLabels: StatusLabels
  readonly titles: Readonly<Record<string, string>>
  readonly inWords: (row: object) => Readonly<Record<string, unknown>>
  readonly duplicates: Readonly<Record<string, readonly [msg: string, field: string]>>
}

function factsOf<T extends RecordTable>(definition: RecordDefinition<T>): Facts {
  const { create, enable } = definition.calls
  const { shape } = create.input
  const statusLabels = enable?.statusLabels ?? ENABLED_LABELS
  // Some forms have no field for the status.
  const status = shape['status'] ?? z.int().meta({ title: '状态', labels: buildStatusChoices(statusLabels) })
  const fields = z.object({ ...shape, status })
  const inWords = createCodeTranslator(fields) as Facts['inWords']
  return {
    definition: definition as unknown as RecordDefinition<RecordTable>,
    statusLabels,
    titles: { ...readFieldTitles(fields.shape), ...definition.titles },
    inWords,
    duplicates: duplicatesOf(definition),
  }
}

/** Returns the error `…已存在` of each unique index, with the input field that shows the error: its last column. */
function duplicatesOf({
  table,
  calls,
  duplicateTexts = {},
}: Pick<RecordDefinition<RecordTable>, 'table' | 'calls' | 'duplicateTexts'>): Facts['duplicates'] {
  const fieldByColumn = new Map(Object.entries(getTableColumns(table)).map(([field, { name }]) => [name, field]))
  return Object.fromEntries(
    getTableConfig(table).indexes.flatMap(({ config: { name, unique, columns } }) => {
      const last = columns.at(-1)
      const field = last && 'name' in last ? (fieldByColumn.get(last.name ?? '') ?? '') : ''
      if (!unique || !name || !(field in calls.create.input.shape)) return []
      return [[name, [duplicateTexts[name] ?? `${about(calls.create.input, field).title}已存在`, field] as const]]
    }),
  )
}

/** Returns the changed fields in words: labels in place of codes, and names of other records in place of their ids. */
function listNamedChanges({ definition, titles, inWords }: Facts, { db }: Ctx, before: object, after: object) {
  const changes = listChanges(inWords(before), inWords(after), titles)
  return withReferencedNames(db, changes, { before, after }, definition.references ?? {})
}

async function lockRecord<T extends RecordTable>(definition: RecordDefinition<T>, { db, user }: Ctx, id: number) {
  const table = baseOf(definition.table)
  const [found] = await db
    .select()
    .from(table)
    .where(and(eq(table.id, id), visibleRecords(definition, user)))
    .for('update')
  if (!found) throw notFound(definition.noun)
  if (definition.isSharedByPlatform) assertMayChangeSharedRow(user, (found as BaseRow).tenantId)
  return found as Stored<T>
}

async function insertRecord(facts: Facts, ctx: Ctx, values: object) {
  const { definition, duplicates } = facts
  const { kind, noun, nameOf } = definition
  const { db, user } = ctx
  if (definition.isSharedByPlatform) assertMayChangeSharedRow(user, (values as BaseRow).tenantId)
  const table = baseOf(definition.table)
  const [made] = await db
    .insert(table)
    .values({ ...values, createBy: user.uid, updateBy: user.uid } as Base['$inferInsert'])
    .returning()
    .catch((error: unknown) => {
      throw toUniqueViolation(error, duplicates) ?? error
    })
  const diff = await listNamedChanges(facts, ctx, {}, values)
  ctx.audit({ bizType: kind, bizId: made!.id, action: `新增${noun}「${nameOf(made!)}」`, diff })
  await publishChanged(definition, ctx, made!)
  return { id: made!.id }
}

interface Save {
  readonly rev: number | undefined
  readonly values: object
  readonly more: readonly FieldChange[]
}

async function saveRecord(facts: Facts, ctx: Ctx, stored: BaseRow, { rev, values, more }: Save) {
  const { definition, duplicates } = facts
  const { kind, noun, nameOf } = definition
  const { db, user, now } = ctx
  await checkRevision(db, stored, rev)
  const diff = [...(await listNamedChanges(facts, ctx, stored, values)), ...more]
  if (diff.length === 0) return { rev: stored.rev }
  const table = baseOf(definition.table)
  const [saved] = await db
    .update(table)
    .set({ ...values, ...updateColumns(stored, user.uid, now) })
    .where(eq(table.id, stored.id))
    .returning({ rev: table.rev })
    .catch((error: unknown) => {
      throw toUniqueViolation(error, duplicates) ?? error
    })
  ctx.audit({ bizType: kind, bizId: stored.id, action: `修改${noun}「${nameOf(stored)}」`, diff })
  await publishChanged(definition, ctx, stored)
  return saved!
}

/** Writes a change that needs no revision: the row is locked and no field of the form changes. */
async function write(
  { definition }: Facts,
  ctx: Ctx,
  stored: BaseRow,
  change: { status?: number; deletedAt?: string },
) {
  const table = baseOf(definition.table)
  await ctx.db
    .update(table)
    .set({ ...change, ...updateColumns(stored, ctx.user.uid, ctx.now) })
    .where(eq(table.id, stored.id))
  await publishChanged(definition, ctx, stored)
}

async function setStatus(facts: Facts, ctx: Ctx, id: number, status: 0 | 1) {
  const { definition, statusLabels, inWords, titles } = facts
  const { kind, noun, nameOf } = definition
  const stored = (await lockRecord(definition, ctx, id)) as BaseRow
  const verb = status === 1 ? statusLabels.enable : statusLabels.disable
  ctx.audit({ bizType: kind, bizId: id, action: `${verb}${noun}「${nameOf(stored)}」` })
  if (stored.status === status) return null
  ctx.audit({ diff: listChanges(inWords({ status: stored.status }), inWords({ status }), titles) })
  await write(facts, ctx, stored, { status })
  return null
}

async function removeRecord(facts: Facts, ctx: Ctx, id: number) {
  const { definition } = facts
  const { kind, noun, nameOf, table, heldText, onRemove } = definition
  const stored = (await lockRecord(definition, ctx, id)) as BaseRow
  const held = await describeReferences(ctx.db, table, id)
  if (held) throw conflict(heldText?.(held) ?? `还有${held}使用该${noun}，不能删除`)
  await onRemove?.(ctx, stored)
  await write(facts, ctx, stored, { deletedAt: ctx.now.toISOString() })
  ctx.audit({ bizType: kind, bizId: id, action: `删除${noun}「${nameOf(stored)}」` })
  return null
}

/** Reloads open lists: of the owning tenant, or of all tenants for shared rows. */
const publishChanged = ({ calls, resource }: RecordDefinition<RecordTable>, { services, db }: Ctx, row: BaseRow) =>
  services.events.publish(db, 'changed', {
    resource: resource ?? calls.list.path.split('/')[3] ?? '',
    tenantId: row.tenantId ?? null,
  })
