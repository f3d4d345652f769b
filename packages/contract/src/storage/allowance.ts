import * as z from 'zod'
import type { Contract } from '../core/endpoint.ts'
import { id, note, optional, reference, rev, whole } from '../core/fields.ts'
import { createPageSchema, pageQuery, sortedPage } from '../core/page.ts'

export const ALLOWANCE_LEDGER = { 1: '发放', 2: '增加', 3: '减少', 4: '开通使用' } as const
const MAX_ALLOWANCE = 10_000_000

const quota = whole('额度', 1, MAX_ALLOWANCE)
const remark = note('备注', 200)
export const AllowanceInput = z.object({
  tenantId: reference('客户'),
  packageId: reference('云存套餐'),
  quota,
  remark,
})
export const AllowanceChange = z.object({ id, rev, quota, remark })

export const AllowanceRow = z.object({
  id: z.int(),
  tenantId: z.int(),
  tenantName: z.string().meta({ title: '客户' }),
  packageId: z.int(),
  packageName: z.string().meta({ title: '云存套餐' }),
  packageCode: z.string().meta({ title: '套餐编码' }),
  quota: z.int().meta({ title: '额度' }),
  used: z.int().meta({ title: '已使用' }),
  remaining: z.int().meta({ title: '剩余' }),
  remark: z.string().meta({ title: '备注' }),
  createTime: z.string().meta({ title: '发放时间' }),
  updateTime: z.string().meta({ title: '更新时间' }),
  rev: z.int(),
})
export type AllowanceRow = z.output<typeof AllowanceRow>
const AllowanceLine = z.object({
  id: z.int(),
  kind: z.int().meta({ title: '类型', labels: ALLOWANCE_LEDGER }),
  amount: z.int().meta({ title: '变动' }),
  balance: z.int().meta({ title: '剩余' }),
  operName: z.string().meta({ title: '操作人' }),
  reason: z.string().meta({ title: '说明' }),
  createTime: z.string().meta({ title: '时间' }),
})

/**
 * Allowances of tenants for cloud-storage packages (tab 开通额度 of `/ossManage/deviceList`). Staff of a tenant opens and
 * renews packages only out of an allowance; staff of the vendor needs none.
 */
export const storageAllowances = {
  list: {
    method: 'GET',
    path: '/api/v1/oss/allowance',
    access: 'ossManage:deviceList:allowance',
    input: sortedPage(['createTime', 'updateTime']).extend({
      tenantId: optional(id).meta({ title: '客户' }),
      packageId: optional(id).meta({ title: '云存套餐' }),
    }),
    result: createPageSchema(AllowanceRow),
  },
  get: {
    method: 'GET',
    path: '/api/v1/oss/allowance/detail/:id',
    access: 'ossManage:deviceList:allowance',
    input: z.object({ id }),
    result: AllowanceRow,
  },
  ledger: {
    method: 'GET',
    path: '/api/v1/oss/allowance/ledger/:id',
    access: 'ossManage:deviceList:allowance',
    input: pageQuery.extend({ id }),
    result: createPageSchema(AllowanceLine),
  },
  create: {
    method: 'POST',
    path: '/api/v1/oss/allowance',
    access: 'ossManage:deviceList:allowance',
    title: '发放云存开通额度',
    input: AllowanceInput,
    result: z.object({ id: z.int() }),
    done: '额度已发放',
  },
  update: {
    method: 'PUT',
    path: '/api/v1/oss/allowance',
    access: 'ossManage:deviceList:allowance',
    title: '修改云存开通额度',
    input: AllowanceChange,
    result: z.object({ rev: z.int() }),
    done: '修改成功',
  },
} as const satisfies Contract
