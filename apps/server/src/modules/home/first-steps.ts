import type { Endpoint } from '@oms/contract/core/endpoint.ts'
import { devices } from '@oms/contract/device/device-info.ts'
import { deviceModels } from '@oms/contract/device/device-model.ts'
import { deviceTypes } from '@oms/contract/device/device-type.ts'
import { tenant as tenantCalls } from '@oms/contract/tenant/tenant.ts'
import { feedback } from '@oms/contract/ticket/ticket.ts'
import { ota } from '@oms/contract/upgrade/ota.ts'
import { otaRelease } from '@oms/contract/upgrade/upgrade-release.ts'
import { sql } from 'drizzle-orm'
import type { Ctx } from '#core/http/context.ts'
import { mayCall, PLATFORM_TENANT_ID, worksInPlatform } from '#core/tenancy/tenancy.ts'

interface Step {
  readonly key: 'tenant' | 'type' | 'model' | 'device' | 'firmware' | 'release' | 'ticket'
  readonly title: string
  readonly hint: string
  readonly url: string
  /** Call that does the step. */
  readonly call: Endpoint
}

const STEPS: readonly Step[] = [
  {
    key: 'tenant',
    title: '新增客户',
    hint: '设备、授权和账号都属于客户',
    url: '/tenantManage/tenant',
    call: tenantCalls.create,
  },
  {
    key: 'type',
    title: '新增设备类型',
    hint: '如摄像机、门铃',
    url: '/device/_manage',
    call: deviceTypes.create,
  },
  {
    key: 'model',
    title: '新增设备型号',
    hint: '设备按型号接收升级',
    url: '/device/updateManage',
    call: deviceModels.create,
  },
  {
    key: 'device',
    title: '登记设备',
    hint: '逐台新增，或从表格导入',
    url: '/device/apkManage',
    call: devices.create,
  },
  {
    key: 'firmware',
    title: '上传固件版本',
    hint: '填写版本号并上传组件',
    url: '/upgrade/ota',
    call: ota.create,
  },
  {
    key: 'release',
    title: '发布升级',
    hint: '选择范围和比例，设备随后收到新版本',
    url: '/upgrade/ota',
    call: otaRelease.publish,
  },
  {
    key: 'ticket',
    title: '登记工单',
    hint: '记录客户反馈的问题并跟进',
    url: '/AfterService/Questions',
    call: feedback.create,
  },
]

/** Returns the setup steps that this account may do, and whether each is done. Empty when all are done. */
export async function listFirstSteps({ db, user }: Ctx) {
  if (!worksInPlatform(user) || !STEPS.some(({ call }) => mayCall(user, call))) return []
  const { rows } = await db.execute<Record<Step['key'], boolean>>(sql`select
    exists (select from tenants where deleted_at is null and id <> ${PLATFORM_TENANT_ID}) as tenant,
    exists (select from tickets) as ticket,
    exists (select from device_types where deleted_at is null) as type,
    exists (select from device_models where deleted_at is null) as model,
    exists (select from devices where deleted_at is null) as device,
    exists (select from ota_versions where deleted_at is null) as firmware,
    exists (select from ota_policies) as release`)
  const [done] = rows
  if (!done || STEPS.every(({ key }) => done[key])) return []
  return STEPS.filter(({ call }) => mayCall(user, call)).map(({ key, title, hint, url }) => ({
    key,
    title,
    hint,
    url,
    isDone: done[key],
  }))
}
