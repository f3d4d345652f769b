import * as z from 'zod'
import { deviceFilters, MAX_SNS, ONLINE } from '../device/device-fields.ts'
import type { Contract } from '../core/endpoint.ts'
import { id, ids, optional, reference, search } from '../core/fields.ts'
import { normalizeLine, splitCodes } from '../core/normalize-line.ts'
import { createPageSchema, sortedPage } from '../core/page.ts'

export const ALLOWLIST_SORTS = ['sn', 'verCode'] as const
/** Maximum devices that a filter adds or removes within the call; larger changes run as a job. */
export const MAX_SYNCHRONOUS_ALLOWLIST_CHANGES = 20_000
/** Maximum devices per removal: their ids are sent in the URL. */
const MAX_REMOVED = 500

export const AllowlistDevice = z.object({
  deviceId: z.int(),
  sn: z.string().meta({ title: '序列号' }),
  devName: z.string().meta({ title: '设备名称' }),
  modelName: z.string().meta({ title: '设备型号' }),
  tenantName: z.string().meta({ title: '所属客户' }),
  verCode: z.int().nullable().meta({ title: '当前版本号' }),
  online: z.int().meta({ title: '在线状态', labels: ONLINE }),
  activateTime: z.string().nullable().meta({ title: '激活时间' }),
  status: z.int().meta({ title: '状态', labels: { 0: '停用', 1: '启用' } }),
  lastOnlineTime: z.string().nullable().meta({ title: '最近在线' }),
  createTime: z.string().meta({ title: '入库时间' }),
  /** Time and account of the addition; null for a device that is not on the allowlist. */
  whiteTime: z.string().nullable().meta({ title: '加入时间' }),
  whiteByName: z.string().meta({ title: '加入人' }),
})

const otaId = reference('版本')
const pick = (title: string, max: number) =>
  z.preprocess((value) => {
    if (value === undefined || value === '' || value === null) return undefined
    if (Array.isArray(value)) return value
    return typeof value === 'string' ? splitCodes(value) : [value]
  }, z
    .array(z.string('序列号不正确').overwrite(normalizeLine).max(64, '序列号不能超过64个字符'))
    .max(max, `一次最多${max}个${title}`)
    .optional())
const manyIds = (max: number) =>
  z.preprocess(
    (value) => (value === undefined || value === '' || value === null ? undefined : value),
    ids(max).optional(),
  )

/** Devices by id, or by pasted serial numbers. */
const named = (max: number) =>
  z
    .object({
      otaId,
      ids: manyIds(max).meta({ title: '设备' }),
      sns: pick('序列号', max).meta({ title: '序列号' }),
    })
    .refine(({ ids: chosen, sns }) => (chosen?.length ?? 0) + (sns?.length ?? 0) > 0, '请选择设备或输入序列号')

/** `deviceFilters` selects devices of the version's model; without a filter all of them are selected. */
const matching = z.object({ otaId, ...deviceFilters })
const page = sortedPage(ALLOWLIST_SORTS).extend({ otaId, ...deviceFilters })

/** `missing`: serial numbers for which the scope of the version has no device of its model. */
const changed = z.object({ count: z.int(), unchanged: z.int(), missing: z.array(z.string()) })
/** Id of the background job that continues the work; the job's result contains the count. */
const changedAll = z.object({ count: z.int(), jobId: z.int().optional() })

/**
 * Allowlist of a version: its devices get the version regardless of other rules. Filters equal those of the device
 * list.
 */
export const otaAllowlist = {
  inWhite: {
    method: 'GET',
    path: '/api/v1/device/ota/device/page/inWhite',
    access: 'upgrade:ota:query',
    summary: '版本白名单内的设备，过滤条件同设备列表',
    input: page,
    result: createPageSchema(AllowlistDevice),
  },
  notInWhite: {
    method: 'GET',
    path: '/api/v1/device/ota/device/page/notInWhite',
    access: 'upgrade:ota:query',
    summary: '版本型号下、版本可达范围内、不在白名单的设备，与 inWhite 不重不漏',
    input: page,
    result: createPageSchema(AllowlistDevice),
  },
  put: {
    method: 'PUT',
    path: '/api/v1/device/ota/white',
    access: 'upgrade:ota:white',
    title: '加入固件白名单',
    kind: 'edit',
    body: 'json',
    input: named(MAX_SNS),
    result: changed,
    done: '加入成功！',
  },
  remove: {
    method: 'DELETE',
    path: '/api/v1/device/ota/white',
    access: 'upgrade:ota:white',
    title: '从固件白名单移除',
    kind: 'edit',
    input: named(MAX_REMOVED),
    result: changed,
    done: '移除成功！',
  },
  putAll: {
    method: 'PUT',
    path: '/api/v1/device/ota/white/all',
    access: 'upgrade:ota:whiteAll',
    title: '按条件加入固件白名单',
    summary: `一条语句加入全部符合条件的设备；超过${MAX_SYNCHRONOUS_ALLOWLIST_CHANGES}台转为后台任务`,
    kind: 'edit',
    body: 'json',
    input: matching,
    result: changedAll,
    done: '加入成功！',
  },
  removeAll: {
    method: 'DELETE',
    path: '/api/v1/device/ota/white/all',
    access: 'upgrade:ota:whiteAll',
    title: '按条件从固件白名单移除',
    summary: `一条语句移除全部符合条件的设备；超过${MAX_SYNCHRONOUS_ALLOWLIST_CHANGES}台转为后台任务`,
    kind: 'edit',
    input: matching,
    result: changedAll,
    done: '移除成功！',
  },
} as const satisfies Contract

export const ReleaseNote = z.object({
  otaId: z.int(),
  modelId: z.int(),
  modelName: z.string().meta({ title: '设备型号' }),
  packageName: z.string(),
  verCode: z.int().meta({ title: '版本号' }),
  verName: z.string().meta({ title: '版本名称' }),
  releaseDate: z.string().meta({ title: '发布日期' }),
  /** The release notes. */
  description: z.string().meta({ title: '版本描述' }),
})
/** Maximum options of a select; a keyword narrows the options. */
export const MAX_COMMENTS = 200

export const otaChoices = {
  verComments: {
    method: 'GET',
    path: '/api/v1/device/ota/verComments',
    access: 'upgrade:ota:list',
    summary: '已启用版本的版本描述，新版本在前，最多 200 条；可按 modelId、verName 限定',
    input: z.object({
      modelId: optional(id).meta({ title: '设备型号' }),
      verName: search('版本名称', 32),
    }),
    result: z.array(ReleaseNote),
  },
  tenants: {
    method: 'GET',
    path: '/api/v1/device/ota/tenant/list',
    access: 'upgrade:ota:list',
    summary: '可选择的客户，按名称查找，最多 100 条',
    input: z.object({ name: search('客户名称', 50) }),
    result: z.array(z.object({ id: z.int(), name: z.string().meta({ title: '客户名称' }) })),
  },
} as const satisfies Contract
