import {
  LICENSE_STATE,
  type LicenseStep,
  findStateAfter,
  listStatesBefore,
} from '@oms/contract/license/license-state.ts'
import { type SQL, sql } from 'drizzle-orm'
import type { Db } from '#core/database/client.ts'
import { licenses } from './schema.ts'

export type StoredLicense = typeof licenses.$inferSelect

/** Actor and reason of a step. `uid` null stands for the device or the scheduled job. */
export interface StepContext {
  readonly db: Db
  readonly now: Date
  readonly uid: number | null
  readonly operName: string
  readonly reason?: string
}

const NAMES: Readonly<Record<LicenseStep, string>> = {
  allot: '分配',
  recall: '收回',
  bind: '绑定',
  unbind: '解绑',
  activate: '激活',
  suspend: '暂停',
  resume: '恢复',
  expire: '置为过期',
  scrap: '报废',
}

/** Returns the reason why a certificate in this state cannot take the step; undefined when it can. */
export function findStepProblem(step: LicenseStep, state: number): string | undefined {
  if (findStateAfter(step, state) !== undefined) return undefined
  const from = listStatesBefore(step)
    .map((each) => `「${LICENSE_STATE[each]}」`)
    .join('')
  const now = LICENSE_STATE[state as keyof typeof LICENSE_STATE] ?? String(state)
  return step === 'scrap' ? '证书已报废' : `证书${now}，只有${from}的证书可以${NAMES[step]}`
}

/** Returns the columns that each step sets in addition to the state. */
function columnsOf(step: LicenseStep, at: string, given: { tenantId?: number; grantId?: number | null }): SQL {
  if (step === 'allot')
    return sql`, tenant_id = ${given.tenantId}, grant_id = ${given.grantId ?? null}, allot_time = ${at}`
  if (step === 'recall') return sql`, tenant_id = null, grant_id = null, allot_time = null`
  if (step === 'unbind' || step === 'scrap') return sql`, device_id = null, bind_time = null`
  return sql``
}

interface Given {
  readonly tenantId?: number
  readonly grantId?: number | null
}

/**
 * Applies one step to certificates that the caller has locked, and writes their history with one statement. Skips
 * certificates in another state. Returns the number of changed certificates.
 */
export async function applyLicenseStep(
  stepContext: StepContext,
  step: LicenseStep,
  ids: readonly number[],
  given: Given = {},
) {
  if (ids.length === 0) return 0
  const { db, uid, operName, reason = '' } = stepContext
  const at = stepContext.now.toISOString()
  const from = listStatesBefore(step)
  const to = findStateAfter(step, from[0]!)
  const frees = step === 'unbind' || step === 'scrap'
  // Updates devices after their certificates and in the order of ids, the lock order of every batch of devices.
  if (frees)
    await db.execute(sql`select from devices where id in (select device_id from licenses
      where id = any(${sql.param(ids)}::int[]) and device_id is not null) order by id for update`)
  const { rows } = await db.execute<{ n: number }>(sql`
    with before as (
      select l.id, l.state, l.tenant_id, l.device_id, d.sn from licenses l left join devices d on d.id = l.device_id
      where l.id = any(${sql.param(ids)}::int[]) and l.state = any(${sql.param(from)}::int[]) order by l.id for update of l
    ), moved as (
      update licenses l set state = ${to}, update_by = ${uid}, update_time = ${at} ${columnsOf(step, at, given)}
      from before b where l.id = b.id returning l.id, l.state, coalesce(l.tenant_id, b.tenant_id) as tenant_id
    ), noted as (
      insert into license_events (license_id, action, from_state, to_state, tenant_id, device_id, device_sn, uid, oper_name, reason, create_time)
      select m.id, ${step}::varchar, b.state, m.state, m.tenant_id, b.device_id, coalesce(b.sn, ''), ${uid}::int, ${operName.slice(0, 30)}::varchar,
        ${reason.slice(0, 200)}::varchar, ${at}::timestamptz
      from moved m join before b on b.id = m.id order by m.id
    ), freed as (
      update devices d set uid = '', update_time = ${at} from before b
      where d.id = b.device_id and ${frees}
    )
    select count(*)::int as n from moved`)
  return rows[0]?.n ?? 0
}

interface Carrier {
  readonly id: number
  readonly sn: string
}

/** Binds one certificate to a device, or activates its bound certificate. The caller has locked both rows. */
export async function applyDeviceStep(
  stepContext: StepContext,
  step: 'bind' | 'activate',
  license: Pick<StoredLicense, 'id' | 'uid' | 'tenantId'>,
  device: Carrier,
) {
  const { db, uid, operName, reason = '' } = stepContext
  const at = stepContext.now.toISOString()
  const from = listStatesBefore(step)[0]!
  const to = findStateAfter(step, from)!
  const moment = sql.raw(step === 'bind' ? 'bind_time' : 'activate_time')
  await db.execute(sql`update licenses set state = ${to}, device_id = ${device.id}, ${moment} = ${at}, update_by = ${uid},
    update_time = ${at} where id = ${license.id} and state = ${from}`)
  await db.execute(
    step === 'bind'
      ? sql`update devices set uid = ${license.uid}, update_time = ${at} where id = ${device.id}`
      : sql`update devices set activate_time = ${at} where id = ${device.id} and activate_time is null`,
  )
  await db.execute(sql`insert into license_events (license_id, action, from_state, to_state, tenant_id, device_id, device_sn, uid, oper_name, reason, create_time)
    values (${license.id}, ${step}, ${from}, ${to}, ${license.tenantId}, ${device.id}, ${device.sn}, ${uid}, ${operName.slice(0, 30)}, ${reason.slice(0, 200)}, ${at})`)
}
