import type { Endpoint, ParsedOf } from '@oms/contract/core/endpoint.ts'
import { and, type AnyColumn, eq, type SQL } from 'drizzle-orm'
import type { PgColumn, PgSelect } from 'drizzle-orm/pg-core'
import type * as z from 'zod'
import { notFound } from '#core/http/api-error.ts'
import type { Ctx, User } from '#core/http/context.ts'
import { type ColumnSpec, listTitledColumns } from '#core/spreadsheet/columns.ts'
import { defineExport, type ExportEndpoint } from '#core/spreadsheet/export.ts'
import type { Db } from '#core/database/client.ts'
import { buildSort, paginate } from './list-query.ts'
import { type RecordTable, visibleRecords } from '#core/database/record.ts'

interface SortedPage {
  readonly pageNum: number
  readonly pageSize: number
  readonly orderByColumn?: string | undefined
  readonly isAsc?: 'asc' | 'desc' | undefined
}
interface ListCalls {
  readonly list: Endpoint & { readonly input: z.ZodType<SortedPage> }
  readonly export: ExportEndpoint & { readonly input: z.ZodType<Omit<SortedPage, 'pageNum' | 'pageSize'>> }
}
type Filter<C extends ListCalls> = Omit<ParsedOf<C['list']>, 'pageNum' | 'pageSize'>
type SortKey<C extends ListCalls> = NonNullable<ParsedOf<C['list']>['orderByColumn']> & string

interface ListDefinition<C extends ListCalls, Q extends PgSelect> {
  readonly calls: C
  readonly kind: string
  /** Chinese name of a record, also name of the exported sheet. */
  readonly noun: string
  readonly row: z.ZodObject
  /** Primary key. Its table limits the rows to those that are not deleted and within the caller's data scope. */
  readonly key: PgColumn
  select(db: Db): Q
  /** Returns the conditions of the filter. The data scope is added. */
  where(input: Filter<C>, user: User): SQL | undefined
  readonly sort: Readonly<Record<SortKey<C>, AnyColumn | SQL>>
  /** Sort order when the request names no column. Default: newest first. */
  readonly standard?: SQL[]
  /** Exported columns. Default: every titled field of the row. */
  readonly columns?: readonly ColumnSpec[]
}

/** Returns the handlers that read a kind of record: one page, one record, and the export of the filtered list. */
export function defineList<C extends ListCalls, Q extends PgSelect>(definition: ListDefinition<C, Q>) {
  const { key, noun, select } = definition
  const keyName = (Object.entries(key.table).find(([, column]) => column === key) ?? ['id'])[0]
  const visible = (user: User) => visibleRecords({ table: key.table as RecordTable }, user)
  const conditions = (user: User, input: Filter<C>) => and(visible(user), definition.where(input, user))
  const order = (input: Pick<SortedPage, 'orderByColumn' | 'isAsc'>) =>
    buildSort(input, definition.sort as Readonly<Record<string, AnyColumn | SQL>>, key, definition.standard)
  return {
    list: ({ db, user }: Ctx, input: ParsedOf<C['list']>) =>
      paginate(db, select(db).where(conditions(user, input)) as Q, input, order(input)),
    async get({ db, user }: Ctx, { id }: { id: number }) {
      const rows: Awaited<Q> = await select(db).where(and(eq(key, id), visible(user)))
      const [found] = rows as Awaited<Q>[number][]
      if (found === undefined) throw notFound(noun)
      return found as Awaited<Q>[number]
    },
    exportRows: defineExport({
      kind: definition.kind,
      endpoint: definition.calls.export,
      sheet: noun,
      schema: definition.row,
      columns: definition.columns ?? listTitledColumns(definition.row),
      key,
      where: (user, input) => conditions(user, input as unknown as Filter<C>),
      order,
      load: (db, _user, where) => select(db).where(where) as unknown as Promise<Record<string, unknown>[]>,
      keyOf: (row) => row[keyName] as number,
    }),
  }
}
