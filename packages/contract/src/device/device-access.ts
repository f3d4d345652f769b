import * as z from 'zod'
import type { Contract } from '../core/endpoint.ts'
import { choice, id, optional, rev, whole } from '../core/fields.ts'

const ON_OFF = { 1: '启用', 0: '停用' } as const
export const MIN_POLL_SECONDS = 30
export const MAX_POLL_SECONDS = 82_800
export const STANDARD_POLL_SECONDS = 300

export const DeviceAccessInput = z.object({
  targetToken: choice('设备令牌', ON_OFF).meta({ title: '设备令牌', labels: ON_OFF }),
  gatewayToken: choice('网关令牌', ON_OFF).meta({ title: '网关令牌', labels: ON_OFF }),
  autoModelId: optional(id).meta({ title: '自动登记型号' }),
  pollSeconds: whole('检查间隔', MIN_POLL_SECONDS, MAX_POLL_SECONDS).meta({ title: '检查间隔' }),
})
export const DeviceAccess = z.object({
  tenantId: z.int(),
  tenantName: z.string().meta({ title: '客户名称' }),
  /** Tenant key in the URLs that devices call. */
  tenantNo: z.string().meta({ title: '客户编号' }),
  targetToken: z.int().meta({ title: '设备令牌', labels: ON_OFF }),
  gatewayToken: z.int().meta({ title: '网关令牌', labels: ON_OFF }),
  hasGatewayToken: z.boolean().meta({ title: '已有网关令牌' }),
  autoModelId: z.int().nullable().meta({ title: '自动登记型号' }),
  autoModelName: z.string().meta({ title: '自动登记型号' }),
  pollSeconds: z.int().meta({ title: '检查间隔' }),
  updateTime: z.string().meta({ title: '更新时间' }),
  rev: z.int(),
})
const tenantId = optional(id).meta({ title: '所属客户' })

/** Device access settings of a tenant. `tenantId` defaults to the tenant of the session. */
export const deviceAccess = {
  get: {
    method: 'GET',
    path: '/api/v1/device/access',
    access: 'device:apkManage:access',
    input: z.object({ tenantId }),
    result: DeviceAccess,
  },
  update: {
    method: 'PUT',
    path: '/api/v1/device/access',
    access: 'device:apkManage:access',
    title: '修改设备接入设置',
    input: DeviceAccessInput.extend({ tenantId, rev }),
    result: z.object({ rev: z.int() }),
    done: '已保存',
  },
  /** Creates or replaces the gateway token. The token is returned only in this response. */
  renewToken: {
    method: 'POST',
    path: '/api/v1/device/access/gatewayToken',
    access: 'device:apkManage:access',
    title: '更换网关令牌',
    kind: 'edit',
    input: z.object({ tenantId }),
    result: z.object({ token: z.string(), tenantNo: z.string() }),
    done: '已生成',
  },
} as const satisfies Contract
