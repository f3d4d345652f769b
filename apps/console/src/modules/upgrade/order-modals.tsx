import { otaRelease } from '@oms/contract/upgrade/upgrade-release.ts'
import { formatRolloutPercentage } from '@oms/contract/upgrade/release-plan.ts'
import { Alert, Form, Input, Modal, Radio } from 'antd'
import { APPROVAL, DecisionField, useDecisionButton } from '#kit/form/decision.tsx'
import { NoteField, TextField } from '#kit/form/field.tsx'
import { useFormModal } from '#kit/form/use-form-modal.ts'
import { useReleaseCalls } from './release-calls.ts'
import { PercentInput } from './percent-input.tsx'
import type { Release } from './release-state.tsx'

interface Props {
  release: Release
  onClose(): void
}
const ALSO = { alsoChanges: ['device'] }

/** Dialog that pauses or stops a release, with a reason. */
export function PauseOrStopModal({ release, onClose, what }: Props & { what: 'pause' | 'stop' }) {
  const calls = useReleaseCalls()
  const endpoint = what === 'pause' ? calls.release.pause : calls.release.stop
  const { otaId, verName, counts } = release
  const { modal, form } = useFormModal(endpoint as typeof otaRelease.pause, { onClose, initial: { otaId }, ...ALSO })
  const open = counts.filter(({ state }) => state < 50).reduce((sum, { count }) => sum + count, 0)
  const title = what === 'pause' ? `暂停发布「${verName}」` : `终止发布「${verName}」`
  return (
    <Modal
      title={title}
      {...modal}
      okText={what === 'pause' ? '暂停' : '终止'}
      {...(what === 'stop' && { okButtonProps: { ...modal.okButtonProps, danger: true } })}
    >
      <Alert
        showIcon
        type={what === 'pause' ? 'info' : 'warning'}
        style={{ marginBottom: 16 }}
        title={
          what === 'pause'
            ? `不再有新的设备收到该版本；已领取任务的 ${open} 台设备继续升级。`
            : `不再有设备收到该版本，进行中的 ${open} 个任务将被取消：未下载的立即取消，其余等待设备响应。终止后不能继续，只能停用后重新启用。`
        }
      />
      <Form {...form}>
        <NoteField of={calls.release.pause.input} name="reason" rows={2} />
      </Form>
    </Modal>
  )
}

/** Dialog that changes the rollout percentage of a release without stages. */
export function RolloutPercentageModal({ release, onClose }: Props) {
  const calls = useReleaseCalls()
  const { otaId, percent, needsAudit } = release
  const { modal, form } = useFormModal(calls.release.share, { onClose, initial: { otaId, percent }, ...ALSO })
  const next = Form.useWatch('percent', form.form) as number | undefined
  return (
    <Modal title="调整发布比例" {...modal} okText="调整">
      <Form {...form}>
        <Form.Item name="percent" label="设备比例" rules={[{ required: true, message: '请输入设备比例' }]}>
          <PercentInput />
        </Form.Item>
      </Form>
      {next !== undefined && next > percent && (
        <Alert
          type="info"
          showIcon
          title={`由 ${formatRolloutPercentage(percent)} 提高到 ${formatRolloutPercentage(next)}：只会增加设备，已在范围内的不变。${needsAudit ? '须由另一人审批，审批前按测试发布进行。' : ''}`}
        />
      )}
      {next !== undefined && next < percent && (
        <Alert type="warning" showIcon title="降低比例后，范围外尚未领取任务的设备不再收到；已领取的不受影响。" />
      )}
    </Modal>
  )
}

/** Dialog in which a second person approves or rejects a release. */
export function AuditModal({ release, onClose }: Props) {
  const calls = useReleaseCalls()
  const { otaId, rev, verName, submitByName } = release
  const { modal, form } = useFormModal(calls.release.audit, { onClose, initial: { otaId, rev }, ...ALSO })
  const { okText, danger } = useDecisionButton(form.form, 'pass', APPROVAL)
  return (
    <Modal
      title={`审批发布「${verName}」`}
      {...modal}
      okText={okText}
      okButtonProps={{ ...modal.okButtonProps, danger }}
    >
      <p>由 {submitByName} 提交。请先核对页面上的发布策略与预演结果。</p>
      <Form {...form}>
        <DecisionField of={SAID} name="pass" decisions={APPROVAL} />
        <NoteField of={SAID} name="remark" rows={3} hint="驳回时必填，提交人会收到通知" />
      </Form>
    </Modal>
  )
}
const SAID = otaRelease.audit.input

/** Dialog that pushes a version to one device regardless of the release rules. */
export function PushVersionModal({ release, onClose }: Props) {
  const calls = useReleaseCalls()
  const { otaId, verName, verCode } = release
  const { modal, form } = useFormModal(calls.task.push, { onClose, initial: { otaId, risky: 0 }, ...ALSO })
  return (
    <Modal title={`推送「${verName}」(${verCode}) 到单台设备`} {...modal} okText="推送">
      <Form {...form}>
        <TextField of={calls.task.push.input} name="sn" hint="不受发布比例、分组和时间段限制，设备下次检查时收到" />
        <Form.Item name="risky" label="设备版本不低于目标版本时">
          <Radio.Group
            options={[
              { value: 0, label: '不推送' },
              { value: 1, label: '仍然推送（降级或重装，有风险）' },
            ]}
          />
        </Form.Item>
        <Form.Item name="otaId" hidden>
          <Input />
        </Form.Item>
      </Form>
    </Modal>
  )
}
