import { sharedData } from '../core/shared-data.ts'
import * as z from 'zod'
import type { Contract } from '../core/endpoint.ts'
import { id, idRefusedWith, note, rev, textLine, whole, wholeWithin } from '../core/fields.ts'
import { declareSwitches } from '../core/switches.ts'

export const INDUSTRY_STATUS = { 1: '启用', 0: '停用' } as const
export const MAX_INDUSTRIES = 1000

const parentId = wholeWithin(0, 2_147_483_647, '上级行业不正确').default(0).meta({ title: '上级行业' })

export const IndustryInput = z.object({
  parentId,
  name: textLine('行业名称', 30),
  code: textLine('行业编码', 30)
    .regex(/^[A-Z0-9_]+$/, '行业编码只能包含大写字母、数字和下划线')
    .meta({ title: '行业编码', max: 30 }),
  sort: whole('排序', 0, 9999).default(0).meta({ title: '排序' }),
  icon: note('图标', 64)
    .refine((icon) => /^[a-z0-9-]*$/.test(icon), '图标名称不正确')
    .meta({ title: '图标', max: 64 }),
  remark: note('备注', 200),
})

/** A node of the industry tree. */
export interface IndustryNode {
  id: number
  parentId: number
  name: string
  code: string
  sort: number
  icon: string
  status: number
  /** Number of tenants of this industry, without sub-industries. */
  tenantCount: number
  remark: string
  rev: number
  children: IndustryNode[]
}
export const IndustryRow = z.object({
  id: z.int().meta({ title: '行业编号' }),
  parentId: z.int(),
  name: z.string().meta({ title: '行业名称' }),
  code: z.string().meta({ title: '行业编码' }),
  sort: z.int().meta({ title: '排序' }),
  icon: z.string().meta({ title: '图标' }),
  status: z.int().meta({ title: '状态', labels: INDUSTRY_STATUS }),
  tenantCount: z.int().meta({ title: '客户数' }),
  remark: z.string().meta({ title: '备注' }),
  rev: z.int(),
})
export const IndustryNode: z.ZodType<IndustryNode> = IndustryRow.extend({
  get children() {
    return z.array(IndustryNode)
  },
})

const target = z.object({ id })

/** Industries of tenants (`/tenantManage/industry`). */
export const industry = sharedData({
  list: {
    method: 'GET',
    path: '/api/v1/tenant/industry/list',
    access: 'tenantManage:industry:list',
    input: z.object({}),
    result: z.object({ list: z.array(IndustryNode) }),
  },
  /** Enabled industries for pickers, both levels. */
  options: {
    method: 'GET',
    path: '/api/v1/tenant/industry/options',
    access: 'session',
    input: z.object({}),
    result: z.object({
      list: z.array(z.object({ id: z.int(), parentId: z.int(), name: z.string(), status: z.int() })),
    }),
  },
  create: {
    method: 'POST',
    path: '/api/v1/tenant/industry',
    access: 'tenantManage:industry:add',
    title: '新增行业',
    body: 'json',
    input: IndustryInput,
    result: z.object({ id: z.int() }),
    done: '新增成功',
  },
  /** Adds the missing standard industries (sections of GB/T 4754). */
  preset: {
    method: 'POST',
    path: '/api/v1/tenant/industry/preset',
    access: 'tenantManage:industry:add',
    title: '导入常用行业',
    kind: 'import',
    input: z.object({}),
    result: z.object({ created: z.int() }),
    done: '导入完成',
  },
  update: {
    method: 'PUT',
    path: '/api/v1/tenant/industry',
    access: 'tenantManage:industry:edit',
    title: '修改行业',
    body: 'json',
    input: IndustryInput.extend({ id, rev }),
    result: z.object({ rev: z.int() }),
    done: '修改成功',
  },
  remove: {
    method: 'DELETE',
    path: '/api/v1/tenant/industry/:id',
    access: 'tenantManage:industry:remove',
    title: '删除行业',
    input: target,
    result: z.null(),
    done: '删除成功',
  },
  ...declareSwitches('/api/v1/tenant/industry', 'tenantManage:industry:enable', '行业'),
  /** Moves all tenants of one industry to another industry and deletes the first. */
  merge: {
    method: 'POST',
    path: '/api/v1/tenant/industry/merge',
    access: 'tenantManage:industry:merge',
    title: '合并行业',
    kind: 'edit',
    body: 'json',
    input: z.object({
      fromId: id,
      toId: idRefusedWith('请选择目标行业').meta({ title: '合并到' }),
    }),
    result: z.object({ moved: z.int() }),
    done: '合并成功',
  },
  sort: {
    method: 'PUT',
    path: '/api/v1/tenant/industry/sort',
    access: 'tenantManage:industry:sort',
    title: '行业排序',
    kind: 'edit',
    body: 'json',
    input: z.object({
      list: z
        .array(z.object({ id, sort: whole('排序', 0, 9999) }), '请选择数据')
        .min(1, '请选择数据')
        .max(MAX_INDUSTRIES, `一次最多${MAX_INDUSTRIES}条`),
    }),
    result: z.null(),
    done: '排序已保存',
  },
} as const satisfies Contract)
