import * as z from 'zod'
import type { Contract } from '../../core/endpoint.ts'
import { choice, id, note, optional, rev, search, textLine, whole } from '../../core/fields.ts'
import { createPageSchema, sortedPage, timeRange } from '../../core/page.ts'
import { sharedData } from '../../core/shared-data.ts'
import { declareSwitches } from '../../core/switches.ts'
import { exportQuery } from '../../core/transfer.ts'
import { YES_NO } from '../../core/package-fields.ts'
import { ALLOWANCE_UNIT, GRANT_SCOPE, packageTerms } from './package-terms.ts'

export const VOICE_PACKAGE_STATUS = { 1: '启用', 0: '停用' } as const

/** Fields of the package itself, which may change at any time. */
const label = {
  packageName: textLine('套餐名称', 32),
  packageCode: textLine('套餐编码', 32)
    .regex(/^[A-Za-z0-9_.-]+$/, '套餐编码只能包含字母、数字和 _ . -')
    .meta({ title: '套餐编码', max: 32 }),
  description: note('说明', 200),
  sort: whole('排序', 0, 9999).default(0).meta({ title: '排序' }),
}
export const ProductInput = z.object({ ...label, ...packageTerms })

const AllowanceRow = z.object({
  unit: z.int().meta({ title: '计量单位', labels: ALLOWANCE_UNIT }),
  amount: z.int().meta({ title: '数量' }),
})
const termsRow = {
  version: z.int().meta({ title: '版本' }),
  allowances: z.array(AllowanceRow).meta({ title: '套餐内容' }),
  scope: z.int().meta({ title: '使用范围', labels: GRANT_SCOPE }),
  activateDays: z.int().meta({ title: '激活期限' }),
  validDays: z.int().meta({ title: '有效期' }),
  price: z.int().meta({ title: '价格', unit: 'fen' }),
  originPrice: z.int().meta({ title: '原价', unit: 'fen' }),
  isTrial: z.int().meta({ title: '试用套餐', labels: YES_NO }),
  /** 1 when an order was placed for the version; the version never changes again. */
  isSold: z.int().meta({ title: '当前版本已售出', labels: YES_NO }),
}
export const ProductRow = z.object({
  id: z.int().meta({ title: '编号' }),
  packageName: z.string().meta({ title: '套餐名称' }),
  packageCode: z.string().meta({ title: '套餐编码' }),
  ...termsRow,
  /** 1 when any version was sold. Such a package cannot be deleted. */
  wasSold: z.int().meta({ title: '已售出', labels: YES_NO }),
  /** Allowances in words: `30 天、2,000 轮`. */
  content: z.string().meta({ title: '套餐内容' }),
  modelCount: z.int().meta({ title: '适用型号' }),
  tenantCount: z.int().meta({ title: '适用客户' }),
  sort: z.int().meta({ title: '排序' }),
  status: z.int().meta({ title: '状态', labels: VOICE_PACKAGE_STATUS }),
  description: z.string().meta({ title: '说明' }),
  createTime: z.string().meta({ title: '创建时间' }),
  updateTime: z.string().meta({ title: '更新时间' }),
  rev: z.int(),
})
export type ProductRow = z.output<typeof ProductRow>

const named = z.object({ id: z.int(), name: z.string() })
export const ProductDetail = ProductRow.extend({ models: z.array(named), tenants: z.array(named) })
export type ProductDetail = z.output<typeof ProductDetail>
export const ProductVersionRow = z.object({
  id: z.int(),
  ...termsRow,
  content: z.string().meta({ title: '套餐内容' }),
  createName: z.string().meta({ title: '创建人' }),
  createTime: z.string().meta({ title: '创建时间' }),
})
export type ProductVersionRow = z.output<typeof ProductVersionRow>

const ProductQuery = sortedPage(['sort', 'packageName', 'price', 'validDays', 'createTime', 'updateTime']).extend({
  packageName: search('套餐名称', 32),
  packageCode: search('套餐编码', 32),
  scope: optional(choice('使用范围', GRANT_SCOPE)),
  unit: optional(choice('计量单位', ALLOWANCE_UNIT)),
  isTrial: optional(choice('试用套餐', YES_NO)),
  status: optional(choice('状态', VOICE_PACKAGE_STATUS)),
  ...timeRange,
})
const ROOT = '/api/v1/agent/product'
const byId = z.object({ id })

/** Packages of voice services (`/agent/product`). */
export const agentProducts = sharedData({
  list: {
    method: 'GET',
    path: `${ROOT}/page`,
    access: 'agent:product:list',
    input: ProductQuery,
    result: createPageSchema(ProductRow),
  },
  get: { method: 'GET', path: `${ROOT}/detail/:id`, access: 'agent:product:query', input: byId, result: ProductDetail },
  /** All versions of a package, newest first. */
  versions: {
    method: 'GET',
    path: `${ROOT}/versions/:id`,
    access: 'agent:product:query',
    input: byId,
    result: z.object({ list: z.array(ProductVersionRow) }),
  },
  create: {
    method: 'POST',
    path: ROOT,
    access: 'agent:product:add',
    title: '新增套餐',
    body: 'json',
    input: ProductInput.extend({
      status: choice('状态', VOICE_PACKAGE_STATUS).default(1).meta({ title: '状态', labels: VOICE_PACKAGE_STATUS }),
    }),
    result: z.object({ id: z.int() }),
    done: '新增成功',
  },
  update: {
    method: 'PUT',
    path: ROOT,
    access: 'agent:product:edit',
    title: '修改套餐',
    body: 'json',
    input: ProductInput.extend({ id, rev }),
    result: z.object({ rev: z.int(), version: z.int() }),
    done: '修改成功',
  },
  remove: {
    method: 'DELETE',
    path: `${ROOT}/:id`,
    access: 'agent:product:remove',
    title: '删除套餐',
    input: byId,
    result: z.null(),
    done: '删除成功',
  },
  ...declareSwitches(ROOT, 'agent:product:enable', '套餐'),
  export: {
    method: 'GET',
    path: `${ROOT}/export`,
    access: 'agent:product:export',
    stream: 'download',
    title: '导出套餐',
    kind: 'export',
    input: ProductQuery.omit({ pageNum: true, pageSize: true }).extend(exportQuery.shape),
    result: z.null(),
  },
} as const satisfies Contract)
