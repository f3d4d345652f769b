import * as z from 'zod'
import type { Contract } from '../core/endpoint.ts'
import { choice, id, optional, rev, search, textLine } from '../core/fields.ts'
import { createPageSchema, sortedPage } from '../core/page.ts'
import { recordColumns } from '../core/record-calls.ts'
import { declareSwitches } from '../core/switches.ts'

export const APP_KEY_STATUS = { 1: '启用', 0: '停用' } as const
export const MAX_ORIGINS = 10

const origin = z
  .string('请输入网页来源')
  .trim()
  .max(100, '网页来源不能超过100个字符')
  .regex(/^https?:\/\/[a-z0-9.-]{1,80}(?::\d{1,5})?$/, '网页来源应为 https://域名，不含路径')

export const AppKeyInput = z.object({
  keyName: textLine('密钥名称', 32),
  origins: z
    .preprocess(
      (value) => (value === undefined || value === '' ? [] : Array.isArray(value) ? value : [value]),
      z.array(origin).max(MAX_ORIGINS, `网页来源最多${MAX_ORIGINS}个`),
    )
    .meta({ title: '网页来源' }),
})

export const AppKeyRow = z.object({
  ...recordColumns,
  tenantId: z.int(),
  tenantName: z.string().meta({ title: '客户' }),
  keyName: z.string().meta({ title: '密钥名称' }),
  keyId: z.string().meta({ title: '密钥编号' }),
  origins: z.array(z.string()).meta({ title: '网页来源' }),
  status: z.int().meta({ title: '状态', labels: APP_KEY_STATUS }),
})
export type AppKeyRow = z.output<typeof AppKeyRow>

const ROOT = '/api/v1/oss/appkey'
const APP_KEY = 'ossManage:deviceList:appKey'
/** The secret is returned only in this response. */
const Secret = z.object({ id: z.int(), keyId: z.string(), secret: z.string() })

/** Keys of the back ends of tenants' Apps, for playback sessions (`/ossManage/deviceList`). */
export const appKeys = {
  list: {
    method: 'GET',
    path: `${ROOT}/page`,
    access: APP_KEY,
    input: sortedPage(['createTime', 'updateTime']).extend({
      keyName: search('密钥名称', 32),
      tenantId: optional(id).meta({ title: '客户' }),
      status: optional(choice('状态', APP_KEY_STATUS)),
    }),
    result: createPageSchema(AppKeyRow),
  },
  get: { method: 'GET', path: `${ROOT}/detail/:id`, access: APP_KEY, input: z.object({ id }), result: AppKeyRow },
  create: {
    method: 'POST',
    path: ROOT,
    access: APP_KEY,
    title: '新增App密钥',
    body: 'json',
    input: AppKeyInput.extend({ tenantId: optional(id).meta({ title: '客户' }) }),
    result: Secret,
    done: '新增成功',
  },
  update: {
    method: 'PUT',
    path: ROOT,
    access: APP_KEY,
    title: '修改App密钥',
    body: 'json',
    input: AppKeyInput.extend({ id, rev }),
    result: z.object({ rev: z.int() }),
    done: '修改成功',
  },
  /** Replaces the secret. Requests signed with the old secret are refused, and open sessions and play addresses end. */
  rotate: {
    method: 'POST',
    path: `${ROOT}/rotate/:id`,
    access: APP_KEY,
    title: '更换App密钥',
    kind: 'edit',
    input: z.object({ id }),
    result: Secret,
    done: '密钥已更换',
  },
  ...declareSwitches(ROOT, APP_KEY, 'App密钥'),
  remove: {
    method: 'DELETE',
    path: `${ROOT}/:id`,
    access: APP_KEY,
    title: '删除App密钥',
    input: z.object({ id }),
    result: z.null(),
    done: '删除成功',
  },
} as const satisfies Contract
