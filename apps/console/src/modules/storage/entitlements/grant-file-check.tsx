import { GrantCheck, type GrantPlan } from '@oms/contract/storage/grant-file.ts'
import { formatCurrency } from '@oms/contract/core/money.ts'
import { ReasonList } from '#kit/jobs/import-problems.tsx'
import { createDescriptions, Descriptions } from '#kit/record/descriptions.tsx'
import { LossNotice } from '../statistics/plan-queues.tsx'

const { item, wide } = createDescriptions(GrantCheck)
const count = (value: number) => value.toLocaleString()
/** Number of customers that are named. */
const NAMED = 5

/** Names the customers whose devices a file opens, those with the most devices first. */
export function PlanTenants({ tenants, tenantCount }: Pick<GrantPlan, 'tenants' | 'tenantCount'>) {
  if (tenantCount === 0) return null
  const named = tenants.slice(0, NAMED).map(({ name, devices }) => `${name} ${count(devices)} 台`)
  const rest = tenantCount - named.length
  return (
    <p className="kit-hint">
      涉及 {count(tenantCount)} 个客户：{named.join('、')}
      {rest > 0 && `，其余 ${count(rest)} 个客户略`}
    </p>
  )
}

/** Figures that a second person approves: what the run opens and what it skips, when the file was checked. */
export function GrantFileCheck({ check, lines }: { readonly check: GrantCheck; readonly lines: number }) {
  const items = [
    item('lines', (opened) => `${count(opened)} 行（文件共 ${count(lines)} 行）`),
    item('failed', (failed) => `${count(failed)} 行`),
    item('devices', (devices) => `${count(devices)} 台`),
    item('copies', (copies) => `${count(copies)} 份`),
    item('listPrice', formatCurrency),
    item('amount', formatCurrency),
    ...(check.allowance === null ? [] : [item('allowance', (left) => `${count(left ?? 0)} 份`)]),
    ...(check.failed > 0 ? [wide('reasons', (reasons) => <ReasonList reasons={reasons} />)] : []),
  ]
  return (
    <section aria-label="执行内容">
      <Descriptions row={check} items={items} />
      <PlanTenants {...check} />
      <LossNotice {...check} />
    </section>
  )
}
