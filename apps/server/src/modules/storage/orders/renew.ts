import type { storageEntitlements as calls } from '@oms/contract/storage/entitlement.ts'
import type { ParsedOf } from '@oms/contract/core/endpoint.ts'
import type { ossEntitlements } from '../schema.ts'
import { ApiError } from '#core/http/api-error.ts'
import type { Ctx } from '#core/http/context.ts'
import { QUEUE_EFFECT } from '../queue.ts'
import { reserveIds } from '../queue-save.ts'
import { formatQueueKey } from '../queue-store.ts'
import { chargeAllowances } from '../allowances/allowance-charge.ts'
import {
  readDevicesBySn,
  type FailedDevice,
  type OpenOrder,
  prepareEntitlements,
  findTargetProblem,
  findTenantProblems,
  type Terms,
  readTermsOnSale,
} from '../entitlements/open-prepare.ts'
import { publishEntitlementsChanged, buildOpeningReport, storePreparedEntitlements } from '../entitlements/open.ts'
import { describeMissingEntitlement, readEntitlements, formatEntitlementName } from '../entitlements/step.ts'

type Stored = typeof ossEntitlements.$inferSelect
type Input = ParsedOf<typeof calls.renew>
type Created = Pick<Stored, 'id' | 'sn' | 'packageName' | 'deviceId' | 'channel'>
type Outcome = { readonly done: number; readonly failed: readonly FailedDevice[]; readonly created: readonly Created[] }

const failedAs = (rows: readonly Stored[], msg: string): Outcome => ({
  done: 0,
  created: [],
  failed: rows.map(({ id, sn }) => ({ id, name: sn, msg })),
})

/** Opens the terms that are sold now on the channels of these entitlements. */
async function renewWith(ctx: Ctx, rows: readonly Stored[], terms: Terms, input: Input): Promise<Outcome> {
  const targets = await readDevicesBySn(
    ctx,
    rows.map(({ sn }) => sn),
  )
  const tenants = await findTenantProblems(ctx, [...targets.values()])
  const failed: FailedDevice[] = []
  const places = rows.flatMap((row) => {
    const target = targets.get(row.sn)
    const problem = findTargetProblem(target, [row.channel], terms) ?? tenants.get(target!.tenantId)
    if (!problem) return [{ target: target!, channels: [row.channel] }]
    failed.push({ id: row.id, name: row.sn, msg: problem })
    return []
  })
  const { copies, source, amount, reason } = input
  const order: OpenOrder = {
    terms,
    copies,
    source,
    amount: source === 1 ? amount : 0,
    effect: QUEUE_EFFECT.end,
    isRenewal: 1,
  }
  const ids = (await reserveIds(ctx.db, places.length * (copies + 1))).values()
  const prepared = await prepareEntitlements(ctx, places, order, {
    locked: true,
    ids: () => ids.next().value as number,
  })
  await storePreparedEntitlements(ctx, prepared, [terms], reason)
  return { done: prepared.done, failed: [...failed, ...prepared.failed], created: prepared.created }
}

async function renewPackage(ctx: Ctx, rows: readonly Stored[], input: Input): Promise<Outcome> {
  try {
    const terms = await readTermsOnSale(ctx, rows[0]!.packageId)
    if (terms.isTrial === 1) return failedAs(rows, '试用套餐不能续期')
    return await renewWith(ctx, rows, terms, input)
  } catch (error) {
    // A package off sale refuses its own entitlements only.
    if (error instanceof ApiError) return failedAs(rows, error.message)
    throw error
  }
}

/** Opens the same packages again, behind the queues of these entitlements. */
export async function renewEntitlements(ctx: Ctx, input: Input) {
  const found = await readEntitlements(ctx, input.ids)
  const missing = input.ids.filter((id) => !found.some((row) => row.id === id))
  const failed: FailedDevice[] = missing.map(describeMissingEntitlement)
  // Two entitlements of one package on one channel are renewed once.
  const rows = [...new Map(found.map((row) => [`${formatQueueKey(row)}:${row.packageId}`, row])).values()]
  let done = 0
  const created: (Created & { readonly packageId: number })[] = []
  const copies = new Map<number, number>()
  for (const [packageId, group] of Map.groupBy(rows, (row) => row.packageId)) {
    const outcome = await renewPackage(ctx, group, input)
    done += outcome.done
    copies.set(packageId, outcome.done * input.copies)
    failed.push(...outcome.failed)
    created.push(...outcome.created.map((row) => ({ ...row, packageId })))
  }
  const report = buildOpeningReport(input.ids.length, done, failed)
  // After the queues: every call locks queues before allowances, which prevents deadlocks.
  await chargeAllowances(ctx, copies, input.reason)
  const renewedBy = new Map(rows.map((row) => [`${formatQueueKey(row)}:${row.packageId}`, row.id]))
  ctx.audit({
    bizType: 'entitlement',
    action: `续期云存储，原因：${input.reason}`,
    records: created.map((row) => ({
      id: row.id,
      action: `续期云存储${formatEntitlementName(row)}，原因：${input.reason}`,
      input: { ids: [renewedBy.get(`${formatQueueKey(row)}:${row.packageId}`)] },
    })),
  })
  await publishEntitlementsChanged(ctx)
  return report
}
