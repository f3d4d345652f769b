import { DeleteOutlined, PlusOutlined } from '@ant-design/icons'
import { FULL_ROLLOUT } from '@oms/contract/upgrade/task-state.ts'
import { describeStageSize } from '@oms/contract/upgrade/release-plan.ts'
import { MAX_STAGES, StageInput } from '@oms/contract/upgrade/upgrade-release.ts'
import { Button, Form } from 'antd'
import { ReasonedButton } from '#kit/feedback/reasoned-button.tsx'
import { Field, NumberField } from '#kit/form/field.tsx'
import { PercentInput } from './percent-input.tsx'
import { createStage, type StageValues } from './publish-values.ts'

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
      <div className="kit-pair">
        <Field of={StageInput} name="percent" within={[index]}>
          <PercentInput />
        </Field>
        <NumberField of={StageInput} name="successPercent" within={[index]} unit="%" />
        <NumberField of={StageInput} name="errorPercent" within={[index]} unit="%" />
        <NumberField of={StageInput} name="minReports" within={[index]} unit="个" />
        <NumberField of={StageInput} name="minMinutes" within={[index]} unit="分钟" />
        <NumberField of={StageInput} name="maxMinutes" within={[index]} unit="分钟" />
      </div>
    </fieldset>
  )
}
