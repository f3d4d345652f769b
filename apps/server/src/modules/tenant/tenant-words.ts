import { ALLOW_APPLY, COMPANY_SIZE, TENANT_LEVEL, TenantInput } from '@oms/contract/tenant-info.ts'
import { about } from '@oms/contract/kernel/fields.ts'
import { maskEmail, maskMobile } from '#kernel/mask.ts'

/** What the log calls the fields of a customer. */
export const TENANT_TITLES: Readonly<Record<string, string>> = {
  ...Object.fromEntries(
    Object.keys(TenantInput.shape)
      .filter((key) => key !== 'sceneIds' && key !== 'industryId')
      .map((key) => [key, about(TenantInput, key).title]),
  ),
  tenantNo: '客户号',
  industry: '所属行业',
  scenes: '业务场景',
}

const word = (names: Readonly<Record<number, string>>, code: unknown) =>
  typeof code === 'number' ? (names[code] ?? code) : code
const quota = (count: unknown) => (count === -1 ? '不限' : count)

/** A customer's fields as the log keeps them: words for codes, numbers and addresses masked. */
export function forLog(fields: object): object {
  const row: Record<string, unknown> = { ...fields }
  const set = (key: string, change: (value: unknown) => unknown) => {
    if (key in row) row[key] = change(row[key])
  }
  set('companySize', (code) => word(COMPANY_SIZE, code))
  set('level', (code) => word(TENANT_LEVEL, code))
  set('allowApply', (code) => word(ALLOW_APPLY, code))
  set('accountCount', quota)
  set('deviceQuota', quota)
  set('contactPhone', (text) => maskMobile(text as string))
  set('contactEmail', (text) => maskEmail((text as string) || null) ?? '')
  return row
}
