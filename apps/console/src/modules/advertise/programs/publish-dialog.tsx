import { programs } from '@oms/contract/advertise/program.ts'
import { programChecks } from '@oms/contract/advertise/program-check.ts'
import { programPublish } from '@oms/contract/advertise/program-publish.ts'
import type { ResultOf } from '@oms/contract/core/endpoint.ts'
import { Alert, InputNumber, Modal } from 'antd'
import { useState } from 'react'
import { useRead, useWrite } from '#core/api/query.ts'
import { Waiting } from '#kit/feedback/waiting.tsx'
import { ConflictFindings, NoScreensWarning, DryRunSummary } from './check-dialogs.tsx'

interface Props {
  readonly id: number
  /** Version to publish again; absent: the edited content. */
  readonly verNo?: number
  onClose(): void
}

/** A program, or one of its versions. */
interface Target {
  readonly id: number
  readonly verNo?: number
}

/** Confirms publishing. A takeover is confirmed by typing the number of screens. */
export function PublishDialog({ id, verNo, onClose }: Props) {
  const target = { id, ...(verNo && { verNo }) }
  const scope = useRead(programChecks.dryRun, target, { quiet: true, staleTime: 0, keepPrevious: false })
  const program = useRead(programs.get, { id }, { quiet: true, staleTime: 0 })
  const [typed, setTyped] = useState<number | null>(null)
  const publish = useWrite(programPublish.publish)
  const republish = useWrite(programPublish.republish)
  const { data } = scope
  const interrupts = (data?.insertMode ?? 0) > 0
  const count = data?.screens ?? 0
  const confirmed = { ...(interrupts && { screens: count }) }
  const submit = () => {
    const sent = verNo
      ? republish.mutateAsync({ id, verNo, ...confirmed })
      : publish.mutateAsync({ id, ...(program.data && { verNo: program.data.verNo }), ...confirmed })
    void sent.then(onClose, () => {})
  }
  return (
    <Modal
      open
      title={verNo ? `重新发布版本 ${verNo}` : '提交发布'}
      okText="发布"
      cancelText="取消"
      okButtonProps={{ disabled: !data || count === 0 || (interrupts && typed !== count), danger: interrupts }}
      confirmLoading={publish.isPending || republish.isPending}
      onOk={submit}
      onCancel={onClose}
      width={520}
    >
      {data ? (
        <Consequences of={data} target={target} typed={typed} onType={setTyped} />
      ) : (
        <Waiting reads={[scope]} rows={2} />
      )}
    </Modal>
  )
}

interface ConsequencesProps {
  readonly of: ResultOf<typeof programChecks.dryRun>
  readonly target: Target
  readonly typed: number | null
  onType(typed: number | null): void
}

/** Describes the effect of publishing. A takeover requires the number of screens. */
function Consequences({ of, target, typed, onType }: ConsequencesProps) {
  if (of.screens === 0) return <NoScreensWarning of={of} />
  return (
    <div className="kit-stack">
      <DryRunSummary of={of} />
      <PublishConflicts target={target} />
      {of.needsApproval && <ApprovalNote hasApprover={of.hasApprover} />}
      {of.insertMode > 0 && (
        <label className="kit-stack">
          插播将打断 {of.screens.toLocaleString('en')} 块屏幕正在播放的内容，请输入屏幕数量确认
          <InputNumber
            autoFocus
            aria-label="屏幕数量"
            min={0}
            precision={0}
            style={{ width: '100%' }}
            placeholder={String(of.screens)}
            value={typed}
            onChange={onType}
          />
        </label>
      )}
    </div>
  )
}

const ApprovalNote = ({ hasApprover }: { readonly hasApprover: boolean }) =>
  hasApprover ? (
    <Alert type="info" showIcon title="发布后需要另一人审批，通过后才会下发到屏幕" />
  ) : (
    <Alert
      type="warning"
      showIcon
      title="发布后需要另一人审批，但目前没有其他人可以审批"
      description="需要另一位有节目单审批权限的账号。请先新增账号或授权，否则节目单会一直等待审批。"
    />
  )

/** Shows how the content conflicts with the other programs of its screens. */
function PublishConflicts({ target }: { readonly target: Target }) {
  const { data, isError } = useRead(programChecks.conflict, target, { quiet: true, staleTime: 0, keepPrevious: false })
  if (isError) return <Alert type="warning" showIcon title="冲突检查失败，可关闭后重新检查" />
  if (!data) return <p className="kit-muted">正在检查与其他节目单的冲突…</p>
  return <ConflictFindings of={data} warningTitle="发布后会有以下影响" />
}
