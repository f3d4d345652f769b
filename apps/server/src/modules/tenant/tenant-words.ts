import {
  AD_PLATFORM_AUDIT,
  ALLOW_APPLY,
  COMPANY_SIZE,
  TENANT_LEVEL,
  TenantInput,
} from '@oms/contract/tenant/tenant-info.ts'
import { about } from '@oms/contract/core/fields.ts'
import { maskEmail, maskMobile } from '#core/audit/mask.ts'

/** Field names of a tenant in the operation log. */
export const TENANT_TITLES: Readonly<Record<string, string>> = {
  ...Object.fromEntries(
    Object.keys(TenantInput.shape)
      .filter((key) => key !== 'sceneIds' && key !== 'industryId')
      .map((key) => [key, about(TenantInput, key).title]),
  ),
  tenantNo: '客户编号',
  industry: '所属行业',
  scenes: '业务场景',
}

const word = (names: Readonly<Record<number, string>>, code: unknown) =>
  typeof code === 'number' ? (names[code] ?? code) : code
const quota = (count: unknown) => (count === -1 ? '不限' : count)

/** Converts tenant fields for the operation log: texts instead of codes, masked contact details. */
export function addTitles(fields: object): object {
  const row: Record<string, unknown> = { ...fields }
  const set = (key: string, change: (value: unknown) => unknown) => {
    if (key in row) row[key] = change(row[key])
  }
  set('companySize', (code) => word(COMPANY_SIZE, code))
  set('level', (code) => word(TENANT_LEVEL, code))
  set('allowApply', (code) => word(ALLOW_APPLY, code))
  set('adPlatformAudit', (code) => word(AD_PLATFORM_AUDIT, code))
  set('accountCount', quota)
  set('deviceQuota', quota)
  set('contactPhone', (text) => maskMobile(text as string))
  set('contactEmail', (text) => maskEmail((text as string) || null) ?? '')
  return row
}
