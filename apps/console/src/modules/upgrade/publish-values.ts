import { extractRolloutLimits, type PlanLimits } from '@oms/contract/upgrade/release-plan.ts'
import { STAGE_DEFAULTS, STANDARD_STAGES } from '@oms/contract/upgrade/upgrade-release.ts'
import { FORMAL_MODE, type Release, RUNNING_STATE } from './release-state.tsx'
import type { Policy } from './use-dry-run.ts'

export interface StageValues {
  percent?: number | null
  successPercent?: number | null
  errorPercent?: number | null
  minReports?: number | null
  minMinutes?: number | null
  maxMinutes?: number | null
}

/** Form values of the publish form. Emptied fields are null. */
export interface PublishValues extends Partial<PlanLimits<null>> {
  otaId: number
  rev: number
  mode: number
  /** True for a rollout in stages, false for one percentage. */
  staged: boolean
  percent?: number | null
  stages?: StageValues[]
  tenantIds?: number[]
  groupIds?: number[]
  needConfirm?: boolean
  timeoutMinutes?: number | null
  autoRetries?: number | null
}

export const createStage = (percent: number): StageValues => ({ percent, ...STAGE_DEFAULTS })

/**
 * Returns the initial form values: the stored settings, or cautious defaults for a version that was never published.
 */
export function toInitialValues(release: Release): PublishValues {
  const { otaId, rev, mode, percent, stages, tenants, groups, submitTime, ...rest } = release
  const isNew = submitTime === null
  const stored = stages.map(({ seq: _seq, state: _state, ...stage }) => pick(stage))
  return {
    otaId,
    rev,
    mode: isNew ? FORMAL_MODE : mode,
    staged: isNew || stages.length > 0,
    percent,
    stages: stored.length > 0 ? stored : STANDARD_STAGES.map(createStage),
    tenantIds: tenants.map(({ id }) => id),
    groupIds: groups.map(({ id }) => id),
    ...extractRolloutLimits(rest, null),
    needConfirm: rest.needConfirm,
    timeoutMinutes: rest.timeoutMinutes,
    autoRetries: rest.autoRetries,
  }
}

const pick = ({ percent, successPercent, errorPercent, minReports, minMinutes, maxMinutes }: StageValues) => ({
  percent: percent ?? null,
  successPercent: successPercent ?? null,
  errorPercent: errorPercent ?? null,
  minReports: minReports ?? null,
  minMinutes: minMinutes ?? null,
  maxMinutes: maxMinutes ?? null,
})

/** Converts the form values to the input of the calls. */
export function toReleaseInput(values: PublishValues): NonNullable<Policy> {
  const { mode, staged, percent, stages = [], tenantIds = [], groupIds = [], ...rest } = values
  const isStaged = mode === FORMAL_MODE && staged
  return {
    mode: mode as never,
    percent: isStaged || mode !== FORMAL_MODE ? 10_000 : (percent as number),
    stages: isStaged ? stages.map((stage) => pick(stage) as never) : [],
    tenantIds,
    groupIds,
    ...extractRolloutLimits(rest, undefined),
    needConfirm: rest.needConfirm ?? false,
    timeoutMinutes: (rest.timeoutMinutes ?? undefined) as never,
    autoRetries: (rest.autoRetries ?? undefined) as never,
  }
}

/** Returns true when the release already reaches devices outside its allowlist. */
export const isRolledOut = ({ mode, state, submitTime }: Release) =>
  mode === FORMAL_MODE && state === RUNNING_STATE && submitTime !== null
