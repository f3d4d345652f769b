import { DeleteOutlined, PlusOutlined } from '@ant-design/icons'
import { FULL_ROLLOUT } from '@oms/contract/upgrade/task-state.ts'
import { describeStageSize, extractRolloutLimits, type PlanLimits } from '@oms/contract/upgrade/release-plan.ts'
import { MAX_STAGES, StageInput, STAGE_DEFAULTS, STANDARD_STAGES } from '@oms/contract/upgrade/upgrade-release.ts'
import { Button, Form, InputNumber } from 'antd'
import { ReasonedButton } from '#kit/feedback/reasoned-button.tsx'
import { Field, NumberField } from '#kit/form/field.tsx'
import { MoreFields } from '#kit/form/more-fields.tsx'
import { multiplyExactly } from '#kit/form/form-values.ts'
import { FORMAL_MODE, type Release, RUNNING_STATE } from './release.tsx'
import type { Policy } from './dry-run.tsx'

/** Edits the stages of a formal release, one card for each stage. `counts` holds the expected devices of each stage. */
export function StageEditor({ counts }: { counts: readonly { percent: number; count: number }[] }) {
  const form = Form.useFormInstance()
  return (
    <Form.List name="stages">
      {(rows, { add, remove }) => {
        const last = (form.getFieldValue(['stages', rows.length - 1]) as StageValues | undefined)?.percent ?? 0
        const reason =
          last >= FULL_ROLLOUT
            ? '最后阶段已是全部设备'
            : rows.length >= MAX_STAGES
              ? `阶段最多 ${MAX_STAGES} 个`
              : undefined
        return (
          <div>
            {rows.map(({ key, name }) => (
              <StageRow
                key={key}
                index={name}
                counts={counts}
                onRemove={rows.length > 1 ? () => remove(name) : undefined}
              />
            ))}
            <ReasonedButton
              type="dashed"
              block
              icon={<PlusOutlined />}
              reason={reason}
              onClick={() => add(createStage(Math.min(FULL_ROLLOUT, Math.max(100, last * 5))))}
            >
              添加阶段
            </ReasonedButton>
          </div>
        )
      }}
    </Form.List>
  )
}

function StageRow(props: {
  index: number
  counts: readonly { percent: number; count: number }[]
  onRemove: (() => void) | undefined
}) {
  const { index, counts, onRemove } = props
  const form = Form.useFormInstance()
  const stage = Form.useWatch(['stages', index], { form, preserve: true }) as StageValues | undefined
  const count = counts.find(({ percent }) => percent === stage?.percent)?.count
  const title = `第 ${index + 1} 阶段`
  return (
    <fieldset className="kit-box" aria-label={title}>
      <div className="kit-row kit-apart">
        <strong>{title}</strong>
        <span role="status">{describeStageSize(count, stage?.minReports)}</span>
        {onRemove && (
          <Button
            type="text"
            size="small"
            danger
            icon={<DeleteOutlined />}
            aria-label={`移除${title}`}
            onClick={onRemove}
          />
        )}
      </div>
      <Field of={StageInput} name="percent" within={[index]}>
        <PercentInput />
      </Field>
      <MoreFields title="进入下一阶段的条件" names={[]}>
        <div className="kit-pair">
          <NumberField of={StageInput} name="successPercent" within={[index]} unit="%" />
          <NumberField of={StageInput} name="errorPercent" within={[index]} unit="%" />
          <NumberField of={StageInput} name="minReports" within={[index]} unit="个" />
          <NumberField of={StageInput} name="minMinutes" within={[index]} unit="分钟" />
          <NumberField of={StageInput} name="maxMinutes" within={[index]} unit="分钟" />
        </div>
      </MoreFields>
    </fieldset>
  )
}

/** Percentage input. The value is in hundredths of a percent. */
export function PercentInput(props: {
  value?: number | null
  onChange?(value: number | null): void
  id?: string
  disabled?: boolean
}) {
  const { value, onChange, ...rest } = props
  return (
    <InputNumber
      {...rest}
      style={{ width: '100%' }}
      min={0.01}
      max={100}
      suffix="%"
      value={value === undefined || value === null ? null : value / 100}
      onChange={(next) => onChange?.(multiplyExactly(next, 100))}
      formatter={(text) => (text === undefined || `${text}` === '' ? '' : String(Number(text)))}
    />
  )
}

interface StageValues {
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

const createStage = (percent: number): StageValues => ({ percent, ...STAGE_DEFAULTS })

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
