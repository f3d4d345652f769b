import { extractRolloutLimits, describePlanFields } from '@oms/contract/upgrade/release-plan.ts'
import { type otaRelease, ReleaseInput } from '@oms/contract/upgrade/upgrade-release.ts'
import { eq } from 'drizzle-orm'
import type { ParsedOf } from '@oms/contract/core/endpoint.ts'
import type { Db } from '#core/database/client.ts'
import { otaPolicies, otaStages, type PendingRelease } from '../schema.ts'
import { listChanges } from '#core/audit/mask.ts'
import {
  type LockedRelease,
  RELEASE_MODE,
  RELEASE_STATE_CODE,
  type StoredPolicy,
  type StoredStage,
} from './release-rows.ts'
import { findFirstPercent, buildStages, computeReachedPercent, startNextStage } from './stage-steps.ts'

type Publish = ParsedOf<typeof otaRelease.publish>

/** Returns the columns that a person sets. Columns that a test release does not use are stored too. */
export function buildPolicyColumns(input: Publish) {
  const { mode, tenantIds, groupIds, needConfirm, timeoutMinutes, autoRetries } = input
  return {
    mode,
    tenantIds: [...new Set(tenantIds)],
    groupIds: [...new Set(groupIds)],
    needConfirm,
    timeoutMinutes,
    autoRetries,
    ...extractRolloutLimits(input, null),
  }
}

export const PLAN_TITLES: Record<string, string> = {
  ...Object.fromEntries(
    Object.entries(ReleaseInput.shape).map(([field, schema]) => [field, String(schema.meta()?.title ?? field)]),
  ),
  stages: '阶段',
}

/** True for a formal release that devices get now. A change that needs approval is stored in `pending` meanwhile. */
export const isRolledOut = ({ mode, state }: StoredPolicy) =>
  mode === RELEASE_MODE.formal && (state === RELEASE_STATE_CODE.running || state === RELEASE_STATE_CODE.paused)

/** Converts the published input to the form that is stored until a second person approves. */
export const toPendingRelease = (input: Publish): PendingRelease => ({
  percent: input.percent,
  plan: { fields: buildPolicyColumns(input), stages: input.stages },
})

/** Applies an approved change to the release: its columns, and its stages when the change has a plan. */
export async function applyPending(db: Db, held: LockedRelease, { percent, plan }: PendingRelease, now: Date) {
  const { otaId } = held.policy
  if (!plan) return db.update(otaPolicies).set({ percent }).where(eq(otaPolicies.otaId, otaId))
  const stages = buildStages(otaId, plan.stages, held.stages, computeReachedPercent(held))
  await db
    .update(otaPolicies)
    .set({ ...plan.fields, percent: findFirstPercent(stages, percent) })
    .where(eq(otaPolicies.otaId, otaId))
  await db.delete(otaStages).where(eq(otaStages.otaId, otaId))
  if (stages.length > 0) await db.insert(otaStages).values(stages)
  return startNextStage(db, otaId, now)
}

/** Lists the differences between the release and the pending change, one line each, for the approver. */
export function describePendingChange(policy: StoredPolicy, stages: readonly StoredStage[]): string[] {
  const { pending } = policy
  if (!pending) return []
  const { percent, plan } = pending
  const { mode = policy.mode, ...fields } = plan?.fields ?? {}
  const after = describePlanFields({ ...policy, ...fields, mode, percent }, plan?.stages ?? stages)
  return listChanges(describePlanFields(policy, stages), after, PLAN_TITLES).map(
    ({ title, from, to }) => `${title}：${words(from)} → ${words(to)}`,
  )
}

const words = (value: unknown) =>
  value === null || (Array.isArray(value) && value.length === 0)
    ? '无'
    : Array.isArray(value)
      ? value.join('、')
      : String(value)
