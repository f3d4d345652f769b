import * as z from 'zod'
import { id, rev } from './fields.ts'
import { createPageSchema, sortedPage } from './page.ts'
import type { StatusLabels } from './status-labels.ts'
import { declareSwitches } from './switches.ts'
import { exportQuery } from './transfer.ts'

interface Shapes<
  Row extends z.ZodObject,
  Input extends z.ZodRawShape,
  Filters extends z.ZodRawShape,
  Sort extends readonly [string, ...string[]],
> {
  /** Row of the list, and the result of `get`. */
  readonly row: Row
  /** Fields of the form. `update` adds `id` and `rev`. */
  readonly input: z.ZodObject<Input>
  readonly filters: Filters
  /** Columns by which the list can be sorted. */
  readonly sort: Sort
  /** Labels of the status. Default: 启用 and 停用. */
  readonly statusLabels?: StatusLabels
  /** See `Endpoint.createsSharedRows`; set for `create`. */
  readonly createsSharedRows?: true
}

/** Columns of every record row. Spread into the row schema. */
export const recordColumns = {
  id: z.int(),
  createTime: z.string().meta({ title: '创建时间', format: 'date-time' }),
  updateTime: z.string().meta({ title: '更新时间', format: 'date-time' }),
  rev: z.int(),
}

const saved = { created: z.object({ id: z.int() }), updated: z.object({ rev: z.int() }) }

/**
 * Declares the calls of a list with a form: `list`, `export`, `get`, `create`, `update`, `remove`, `enable` and
 * `disable`. `prefix` is the permission prefix of the page in the catalogue. Other calls are added beside them.
 */
export function recordCalls<
  Row extends z.ZodObject,
  Input extends z.ZodRawShape,
  Filters extends z.ZodRawShape,
  const Sort extends readonly [string, ...string[]],
>(
  root: `/api/v1/${string}`,
  prefix: `${string}:${string}`,
  noun: string,
  { row, input, filters, sort, statusLabels, createsSharedRows }: Shapes<Row, Input, Filters, Sort>,
) {
  const query = sortedPage(sort).extend(filters)
  const { create, ...writes } = writeCalls({ root, prefix, noun }, input)
  return {
    ...readCalls({ root, prefix, noun }, row, query),
    create: { ...create, ...(createsSharedRows && { createsSharedRows }) },
    ...writes,
    ...declareSwitches(root, `${prefix}:enable`, noun, { statusLabels }),
  } as const
}

interface Place {
  readonly root: `/api/v1/${string}`
  readonly prefix: `${string}:${string}`
  readonly noun: string
}
const byId = z.object({ id })

const readCalls = <Row extends z.ZodObject, Query extends z.ZodRawShape>(
  { root, prefix, noun }: Place,
  row: Row,
  query: z.ZodObject<Query>,
) =>
  ({
    list: {
      method: 'GET',
      path: `${root}/page`,
      access: `${prefix}:list`,
      input: query,
      result: createPageSchema(row),
    },
    export: {
      method: 'GET',
      path: `${root}/export`,
      access: `${prefix}:export`,
      stream: 'download',
      title: `导出${noun}`,
      kind: 'export',
      input: query.extend(exportQuery.shape),
      result: z.null(),
    },
    get: { method: 'GET', path: `${root}/:id`, access: `${prefix}:query`, input: byId, result: row },
  }) as const

const writeCalls = <Input extends z.ZodRawShape>({ root, prefix, noun }: Place, input: z.ZodObject<Input>) =>
  ({
    create: {
      method: 'POST',
      path: root,
      access: `${prefix}:add`,
      title: `新增${noun}`,
      input,
      result: saved.created,
      done: '新增成功',
    },
    update: {
      method: 'PUT',
      path: root,
      access: `${prefix}:edit`,
      title: `修改${noun}`,
      input: input.extend({ id, rev }),
      result: saved.updated,
      done: '修改成功',
    },
    remove: {
      method: 'DELETE',
      path: `${root}/:id`,
      access: `${prefix}:remove`,
      title: `删除${noun}`,
      input: byId,
      result: z.null(),
      done: '删除成功',
    },
  }) as const
