import type { ImportReport } from '@oms/contract/core/transfer.ts'
import { type GrantCheck, type GrantPlan, MAX_PLAN_TENANTS } from '@oms/contract/storage/grant-file.ts'
import { inArray } from 'drizzle-orm'
import type { ImportCtx, TableCheck } from '#core/spreadsheet/import/lines.ts'
import { readStorageSettings } from '../settings.ts'
import { tenants } from '#core/schema/tenant.ts'
import { readRemainingAllowance } from '../allowances/allowance-charge.ts'
import type { GrantState } from './grant-file-import.ts'
import { computeQueueLoss } from './lost-time.ts'
import { buildQueuePlan } from './open.ts'
import type { PreparedEntitlements, QueueCtx } from './open-prepare.ts'

/** Maximum number of channels whose queues the plan shows. */
const SHOWN = 20

/** Sums of the lines that a run or a dry run opened. */
export interface GrantSums {
  /** Number of opened lines. */
  done: number
  entitlements: number
  amount: number
  readonly opened: Set<number>
  /** Opened devices and copies of each tenant. */
  readonly tenants: Map<number, { readonly devices: Set<number>; copies: number }>
  queues: GrantPlan['queues']
  /** What the devices of `losing` lose by an override. */
  readonly loss: { lostSeconds: number; lostAmount: number }
  readonly losing: Set<number>
}

export const createGrantSums = (): GrantSums => ({
  done: 0,
  entitlements: 0,
  amount: 0,
  opened: new Set(),
  tenants: new Map(),
  queues: [],
  loss: { lostSeconds: 0, lostAmount: 0 },
  losing: new Set(),
})

/** Adds opened entitlements to the sums. */
export function addToSums(ctx: QueueCtx, { created, works, before }: PreparedEntitlements, sums: GrantSums) {
  const snOf = new Map(created.map(({ deviceId, sn }) => [deviceId, sn]))
  for (const { deviceId, tenantId, amount } of created) {
    sums.opened.add(deviceId)
    sums.amount += amount
    const ofTenant = sums.tenants.get(tenantId) ?? { devices: new Set<number>(), copies: 0 }
    sums.tenants.set(tenantId, ofTenant)
    ofTenant.devices.add(deviceId)
    ofTenant.copies += 1
  }
  sums.entitlements += created.length
  for (const work of works) {
    const { lostSeconds, lostAmount } = computeQueueLoss(work)
    sums.loss.lostSeconds += lostSeconds
    sums.loss.lostAmount += lostAmount
    if (lostSeconds > 0) sums.losing.add(work.deviceId)
  }
  const shown = works.slice(0, SHOWN - sums.queues.length)
  const plans = shown.map((work) =>
    buildQueuePlan(work, before.get(`${work.deviceId}:${work.channel}`) ?? [], snOf, ctx),
  )
  sums.queues.push(...plans)
}

export async function buildPlan(ctx: ImportCtx, state: GrantState): Promise<GrantPlan> {
  const { input, terms, opened, entitlements, amount, queues, loss, losing } = state
  const { twoPersonAbove } = await readStorageSettings(ctx.db)
  const left = await readRemainingAllowance(ctx, input.packageId)
  return {
    devices: opened.size,
    entitlements,
    listPrice: entitlements * terms.price,
    amount,
    ...loss,
    ...(await listPlanTenants(ctx, state)),
    lostDevices: losing.size,
    queues,
    allowance: left === null ? null : left - entitlements,
    fileDevices: input.totals?.devices ?? 0,
    approvalAbove: twoPersonAbove,
  }
}

/** Returns the tenants with the most opened devices, by name, and the number of all. */
async function listPlanTenants({ db }: ImportCtx, sums: GrantSums) {
  const shown = [...sums.tenants].toSorted(([, a], [, b]) => b.devices.size - a.devices.size).slice(0, MAX_PLAN_TENANTS)
  const ids = shown.map(([id]) => id)
  const found = await db.select({ id: tenants.id, name: tenants.name }).from(tenants).where(inArray(tenants.id, ids))
  const nameOf = new Map(found.map(({ id, name }) => [id, name]))
  const named = shown.map(([id, { devices, copies }]) => ({
    name: nameOf.get(id) ?? '',
    devices: devices.size,
    copies,
  }))
  return { tenants: named, tenantCount: sums.tenants.size }
}

/** Returns the figures of a check that a second person approves. */
export function buildGrantCheck({ report, answer }: TableCheck): GrantCheck {
  const { plan } = answer as { readonly plan: GrantPlan }
  const { entitlements, queues: _, fileDevices: _devices, approvalAbove: _above, ...figures } = plan
  return { ...figures, ...countLines(report), copies: entitlements }
}

const countLines = ({ created, failed, reasons = [] }: ImportReport) => ({ lines: created, failed, reasons })
