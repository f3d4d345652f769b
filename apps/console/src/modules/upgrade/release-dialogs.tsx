import { otaRelease } from '@oms/contract/upgrade/upgrade-release.ts'
import { formatRolloutPercentage } from '@oms/contract/upgrade/release-plan.ts'
import { Alert, Form, Input, Modal, Radio, Empty, Timeline } from 'antd'
import { APPROVAL, DecisionField, useDecisionButton } from '#kit/form/decision.tsx'
import { NoteField, TextField } from '#kit/form/field.tsx'
import { useFormModal } from '#kit/form/use-form-modal.ts'
import { useReleaseCalls, type Release, TaskState, taskStateText } from './release.tsx'
import { PercentInput } from './stage-editor.tsx'
import { splitCodes } from '@oms/contract/core/normalize-line.ts'
import { MAX_SNS } from '@oms/contract/device/device-fields.ts'
import { useState } from 'react'
import { useWrite, useRead } from '#core/api/query.ts'
import { TaskRow } from '@oms/contract/upgrade/upgrade-task.ts'
import { Link } from '#core/routing/router.tsx'
import { useCan } from '#core/auth/session.tsx'
import { DetailDrawer } from '#kit/record/detail-drawer.tsx'
import { Descriptions, createDescriptions } from '#kit/record/descriptions.tsx'
import { Time, time } from '#kit/record/time.tsx'
import { Waiting } from '#kit/feedback/waiting.tsx'
import { CodeBlock } from '#kit/record/code-block.tsx'
import type { Task } from './task-table.tsx'

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

const partsOf = (text: string) => [...new Set(splitCodes(text))]

interface Done {
  readonly count: number
  readonly unchanged: number
  readonly missing: readonly string[]
}

/** Adds pasted serial numbers to the allowlist, 1,000 at a time, and lists the unknown serial numbers. */
export function PasteModal({ otaId, verName, onClose }: { otaId: number; verName: string; onClose(): void }) {
  const [text, setText] = useState('')
  const { done, setDone, isPending, run } = usePaste(otaId, onClose)
  const sns = partsOf(text)
  const tooLong = sns.find((sn) => sn.length > 64)
  return (
    <Modal
      open
      title={`粘贴序列号加入「${verName}」白名单`}
      okText="加入"
      cancelText="关闭"
      confirmLoading={isPending}
      okButtonProps={{ disabled: sns.length === 0 || tooLong !== undefined }}
      onOk={() => void run(sns).catch(() => {})}
      onCancel={onClose}
    >
      <p>每行一个序列号，也可用逗号、空格分隔；只会加入该版本型号的设备。</p>
      <Input.TextArea
        autoFocus
        aria-label="序列号列表"
        rows={10}
        value={text}
        placeholder={'SN20260001\nSN20260002'}
        onChange={({ target }) => {
          setText(target.value)
          setDone(undefined)
        }}
      />
      <p role="status" style={{ margin: '8px 0 0' }}>
        {tooLong ? `序列号「${tooLong.slice(0, 20)}…」超过 64 个字符` : `共 ${sns.length} 个序列号`}
      </p>
      {done && <MissingAlert done={done} />}
    </Modal>
  )
}

/** Adds serial numbers to the allowlist. Closes the dialog when every serial number is known. */
function usePaste(otaId: number, onClose: () => void) {
  const calls = useReleaseCalls()
  const [done, setDone] = useState<Done>()
  const { mutateAsync, isPending } = useWrite(calls.white.put, { alsoChanges: ['upgrade'] })
  const run = async (sns: readonly string[]) => {
    let sum: Done = { count: 0, unchanged: 0, missing: [] }
    for (let at = 0; at < sns.length; at += MAX_SNS) {
      const { count, unchanged, missing } = await mutateAsync({ otaId, sns: sns.slice(at, at + MAX_SNS) })
      sum = { count: sum.count + count, unchanged: sum.unchanged + unchanged, missing: [...sum.missing, ...missing] }
    }
    if (sum.missing.length === 0) onClose()
    else setDone(sum)
  }
  return { done, setDone, isPending, run }
}

function MissingAlert({ done }: { done: Done }) {
  return (
    <Alert
      style={{ marginTop: 8 }}
      type="warning"
      showIcon
      title={`新加入 ${done.count} 台，${done.unchanged} 台已在白名单中；以下 ${done.missing.length} 个不是该版本型号的设备：`}
      description={<CodeBlock name="没有加入的序列号">{done.missing.join('\n')}</CodeBlock>}
    />
  )
}

/** Link to the page of the device, shown with the permission for that page. */
function DeviceLink({ sn, deviceId }: { sn: string; deviceId: number }) {
  const can = useCan()
  return can('device:apkManage:query') ? <Link to={`/device/apkManage/detail/${deviceId}`}>{sn}</Link> : sn
}

const { item, wide } = createDescriptions(TaskRow)
const ITEMS = [
  item('sn', (sn, { deviceId }) => <DeviceLink sn={sn} deviceId={deviceId} />),
  item('devName'),
  item('state', (state) => <TaskState state={state} />),
  item('progress', (progress) => `${progress}%`),
  item('fromVerCode'),
  item('verCode'),
  item('tenantName'),
  item('modelName'),
  item('attempt'),
  item('code'),
  item('pushed', (pushed) => (pushed ? '是' : '否')),
  item('retried', (retried) => (retried ? '是' : '否')),
  item('createTime', time),
  item('closeTime', time),
  wide('reason'),
]

/** Shows one task in a drawer: its fields and every report of its device. */
export function TaskDrawer(props: {
  rows: readonly Task[]
  row: Task | undefined
  onRow(row: Task | undefined): void
}) {
  return (
    <DetailDrawer {...props} rowKey="taskId" title={({ sn, verCode }) => `${sn} → ${verCode}`}>
      {({ taskId }) => <TaskDetails key={taskId} taskId={taskId} />}
    </DetailDrawer>
  )
}

function TaskDetails({ taskId }: { taskId: number }) {
  const calls = useReleaseCalls()
  const { data, error, refetch } = useRead(calls.task.get, { taskId }, { quiet: true, keepPrevious: false })
  if (!data) return <Waiting reads={[{ error, refetch }]} />
  return (
    <>
      <Descriptions row={data.task} items={ITEMS} />
      <h3 className="kit-heading">设备上报记录</h3>
      {data.logs.length === 0 && <Empty description="设备还没有上报" />}
      <Timeline
        items={data.logs.map(({ id, state, execution, finished, code, details, createTime }) => ({
          key: id,
          content: (
            <>
              <div>
                <Time at={createTime} /> {taskStateText(state)}
                {execution && `（${execution}${finished && finished !== 'none' ? ` / ${finished}` : ''}）`}
                {code !== null && ` 错误码 ${code}`}
              </div>
              {details.length > 0 && <CodeBlock name="上报内容">{details.join('\n')}</CodeBlock>}
            </>
          ),
        }))}
      />
    </>
  )
}
