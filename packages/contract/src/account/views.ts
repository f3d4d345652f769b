import * as z from 'zod'
import type { Contract } from '../core/endpoint.ts'
import { id, rev, textLine } from '../core/fields.ts'

/** Maximum views of one account in one tenant, and maximum shared views of one tenant. */
export const MAX_OWN_VIEWS = 50
export const MAX_SHARED_VIEWS = 100

/** Parameters of a list's URL that a view does not store: the page number, and the place of the list on its page. */
const NOT_STORED = new Set(['pageNum', 'pageSize', 'view', 'list', 'record', 'tab'])
// oxlint-disable-next-line no-control-regex -- the expression must match control characters
const CONTROL = /[\u0000-\u001F\u007F]/
const PAIR = /^([A-Za-z]\w{0,63})=((?:[\w.*+-]|%[0-9A-F]{2})+)$/

/** Returns whether the text is a query as `URLSearchParams` writes it, with the filters and the order of a list only. */
function isListQuery(text: string) {
  return text === '' || text.split('&').every(isStoredPair)
}

function isStoredPair(pair: string) {
  const [, key = '', value = ''] = PAIR.exec(pair) ?? []
  if (key === '' || NOT_STORED.has(key)) return false
  try {
    return !CONTROL.test(decodeURIComponent(value))
  } catch {
    return false
  }
}

const column = z.string().regex(/^[\w.:-]{1,64}$/)
/** Column settings of a list, as the console stores them. */
const ColumnSettings = z
  .strictObject({
    order: z.array(column).max(100),
    hidden: z.record(column, z.boolean()),
    width: z.record(column, z.int().min(0).max(2000)),
    pin: z.record(column, z.enum(['left', 'right']).nullable()),
    density: z.enum(['large', 'medium', 'small']),
  })
  .partial()

function isColumnSettings(text: string) {
  try {
    return ColumnSettings.safeParse(JSON.parse(text)).success
  } catch {
    return false
  }
}

/** URL of a page of the menu. The query names the tab of a page with several lists. */
const page = z
  .string('缺少页面地址')
  .max(100, '页面地址不正确')
  .regex(/^(\/\w{1,40}){1,4}(\?(view|list)=\w{1,30}(&list=\w{1,30})?)?$/, '页面地址不正确')
  .meta({ title: '页面' })

const stored = {
  name: textLine('视图名称', 20),
  query: z
    .string('筛选条件不正确')
    .max(2000, '筛选条件过长，请减少条件后保存')
    .refine(isListQuery, '筛选条件不正确')
    .default('')
    .meta({ title: '筛选条件' }),
  /** JSON text of the column settings. */
  columns: z
    .string('列设置不正确')
    .max(8000, '列设置过长')
    .refine(isColumnSettings, '列设置不正确')
    .default('{}')
    .meta({ title: '列设置' }),
}

export const ViewInput = z.object({ page, ...stored })

export const ViewRow = z.object({
  id: z.int(),
  page: z.string(),
  name: z.string(),
  query: z.string(),
  columns: z.string(),
  /** True when all accounts of the tenant that may open the page see the view. */
  shared: z.boolean(),
  isOwn: z.boolean(),
  /** Name of the owner; '' when the caller may not see the owner's account. */
  ownerName: z.string(),
  rev: z.int(),
})
export type ViewRow = z.output<typeof ViewRow>

/** Saved views of lists: a name for filters, order and columns. An account changes only its own views. */
export const views = {
  /** Own and shared views of the current tenant, for all pages that the caller may open. */
  list: {
    method: 'GET',
    path: '/api/v1/view/list',
    access: 'session',
    input: z.object({}),
    result: z.object({ list: z.array(ViewRow) }),
  },
  create: {
    method: 'POST',
    path: '/api/v1/view',
    access: 'session',
    title: '新增列表视图',
    input: ViewInput,
    result: z.object({ id: z.int() }),
    done: '视图已保存',
  },
  update: {
    method: 'PUT',
    path: '/api/v1/view/:id',
    access: 'session',
    title: '修改列表视图',
    input: z.object({ id, rev, ...stored }),
    result: z.object({ rev: z.int() }),
    done: '视图已更新',
  },
  /** Shows the view to all accounts of the tenant that may open the page, or only to its owner again. */
  share: {
    method: 'PUT',
    path: '/api/v1/view/:id/share',
    access: 'system:view:share',
    title: '共享列表视图',
    kind: 'edit',
    input: z.object({ id, shared: z.boolean('请选择是否共享') }),
    result: z.object({ rev: z.int() }),
    done: '共享设置已保存',
  },
  /** Deletes an own view. Accounts with the permission to share also delete shared views of others. */
  remove: {
    method: 'DELETE',
    path: '/api/v1/view/:id',
    access: 'session',
    title: '删除列表视图',
    input: z.object({ id }),
    result: z.null(),
    done: '视图已删除',
  },
} as const satisfies Contract
