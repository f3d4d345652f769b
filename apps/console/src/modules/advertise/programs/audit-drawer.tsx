import type { ProgramListRow } from '@oms/contract/advertise/program.ts'
import { programChecks } from '@oms/contract/advertise/program-check.ts'
import { formatNotWaitingMessage, PROGRAM_AUDIT, programPublish } from '@oms/contract/advertise/program-publish.ts'
import { PROGRAM_STATUS, PROGRAM_VERSION_STATE, INSERT_MODE_NAME } from '@oms/contract/advertise/program-words.ts'
import type { ResultOf } from '@oms/contract/core/endpoint.ts'
import { Alert, Button, Drawer, Form, Input, Tag } from 'antd'
import { useRef, useState, type Ref } from 'react'
import { useRead } from '#core/api/query.ts'
import { useMayCall, Allowed } from '#core/auth/session.tsx'
import { LoadingDrawer } from '#kit/feedback/loading-layer.tsx'
import { DecisionField, type Decisions, useDecisionButton } from '#kit/form/decision.tsx'
import { showCount, createMaxLengthValidator } from '#kit/form/text-limit.ts'
import { useFormDrawer } from '#kit/form/use-form-modal.ts'
import { VersionFields, VersionItems } from './version-changes.tsx'
import { PlaySquareOutlined } from '@ant-design/icons'
import { programOptions } from '@oms/contract/advertise/program-options.ts'
import { Time } from '#kit/record/time.tsx'
import { ProgramPreview } from '../preview.tsx'
import { Waiting } from '#kit/feedback/waiting.tsx'
import { ConflictResult, DryRunDetails, DryRunSummary, NoScreensWarning } from './check-dialogs.tsx'
import '../advertise.css'

const MAX_REMARK = 200
const MISSING_REASON = '请填写驳回原因'
const REJECT = 3
const DECISIONS: Decisions = [2, REJECT].map((value) => [value, PROGRAM_AUDIT[value as 2 | 3]])
type Review = ResultOf<typeof programPublish.review>

/** Drawer that shows the version that waits for approval, with the form that approves or rejects the version. */
export function ProgramAudit({
  row: { id, programName, waitingVer },
  onClose,
}: {
  readonly row: Pick<ProgramListRow, 'id' | 'programName' | 'waitingVer'>
  onClose(): void
}) {
  const [verNo, setVerNo] = useState(waitingVer)
  const read = useRead(programPublish.review, { id, verNo }, { quiet: true, staleTime: 0, keepPrevious: false })
  const title = `审批「${programName}」版本 ${verNo}`
  if (!read.data) return <LoadingDrawer title={title} reads={[read]} onClose={onClose} />
  return <AuditForm key={verNo} id={id} review={read.data} onVersion={setVerNo} onClose={onClose} />
}

interface FormProps {
  readonly id: number
  readonly review: Review
  /** Replaces the shown version by another version. */
  onVersion(verNo: number): void
  onClose(): void
}

function AuditForm({ id, review, onVersion, onClose }: FormProps) {
  const { version } = review
  const { verNo, programName } = version
  const isWaiting = version.state === PROGRAM_VERSION_STATE.waiting
  const { drawer, footer, form } = useFormDrawer(programPublish.audit, { onClose, initial: { id, verNo } })
  const { okText, danger } = useDecisionButton(form.form, 'auditStatus', DECISIONS)
  const head = useRef<HTMLDivElement>(null)
  const afterOpenChange = (isOpen: boolean) => {
    drawer.afterOpenChange(isOpen)
    // The form moves the focus to its first field, which is below the content. A review starts with the content.
    if (isOpen) requestAnimationFrame(() => head.current?.focus())
  }
  return (
    <Drawer
      {...drawer}
      afterOpenChange={afterOpenChange}
      title={`审批「${programName}」版本 ${verNo}`}
      footer={<Footer {...footer} isWaiting={isWaiting} okText={okText} danger={danger} />}
    >
      <ReviewHead ref={head} id={id} review={review} />
      {!isWaiting && <NotWaiting review={review} onVersion={onVersion} />}
      <ReviewedContent id={id} review={review} isWaiting={isWaiting} />
      <Form {...form}>{isWaiting && <DecisionFields isRejection={danger} />}</Form>
    </Drawer>
  )
}

interface FooterProps {
  /** Id of the form that the button submits. */
  readonly form: string
  readonly saving: boolean
  readonly isWaiting: boolean
  readonly okText: string
  readonly danger: boolean
  onCancel(): void
}

const Footer = ({ form, saving, isWaiting, okText, danger, onCancel }: FooterProps) => (
  <div className="kit-form-footer">
    <Button onClick={onCancel}>{isWaiting ? '取消' : '关闭'}</Button>
    {isWaiting && (
      <Button type="primary" danger={danger} htmlType="submit" form={form} loading={saving}>
        {okText}
      </Button>
    )}
  </div>
)

/** Explains why a version does not wait any more, with a button that opens the version that waits instead. */
const NotWaiting = ({ review: { version, waitingVer }, onVersion }: Pick<FormProps, 'review' | 'onVersion'>) => (
  <Alert
    className="kit-note"
    type="warning"
    showIcon
    title={formatNotWaitingMessage({ ...version, waitingVer })}
    action={
      waitingVer > 0 && (
        <Button size="small" onClick={() => onVersion(waitingVer)}>
          查看版本 {waitingVer}
        </Button>
      )
    }
  />
)

function ReviewedContent({ id, review, isWaiting }: Pick<FormProps, 'id' | 'review'> & { isWaiting: boolean }) {
  const { version, inForce, status } = review
  const { verNo, screens } = version
  return (
    <div className="kit-stack">
      {isWaiting && status === PROGRAM_STATUS.paused && (
        <Alert type="info" showIcon title="节目单已暂停，通过后恢复投放" />
      )}
      {isWaiting && <WaitingEffect id={id} verNo={verNo} submittedScreens={screens} />}
      <VersionFields version={version} inForce={inForce} />
      <VersionItems version={version} inForce={inForce} />
    </div>
  )
}

/** Shows the effect of the approval to accounts that may call the checks. */
const WaitingEffect = (props: Parameters<typeof VersionEffect>[0]) =>
  useMayCall()(programChecks.dryRun) ? (
    <VersionEffect {...props} />
  ) : (
    <Alert type="info" showIcon title="您没有查询节目单的权限，不能查看发布预演、冲突检查和预览" />
  )

const DecisionFields = ({ isRejection }: { isRejection: boolean }) => (
  <>
    <DecisionField of={programPublish.audit.input} name="auditStatus" decisions={DECISIONS} />
    <Form.Item
      name="remark"
      label="审批意见"
      rules={[
        { validator: createMaxLengthValidator('审批意见', MAX_REMARK) },
        ...(isRejection ? [{ required: true, whitespace: true, message: MISSING_REASON }] : []),
      ]}
    >
      <Input.TextArea rows={3} {...showCount(MAX_REMARK)} placeholder={isRejection ? MISSING_REASON : '可不填'} />
    </Form.Item>
  </>
)

/** Shows the submitter of a version, with a button that opens the preview. */
function ReviewHead({
  id,
  review: { version, manifest },
  ref,
}: {
  readonly id: number
  readonly review: ResultOf<typeof programPublish.review>
  readonly ref: Ref<HTMLDivElement>
}) {
  const [isPreviewing, setPreviewing] = useState(false)
  const button = useRef<HTMLButtonElement>(null)
  const closePreview = () => {
    setPreviewing(false)
    // The dialog returns no focus when it is closed while it opens.
    requestAnimationFrame(() => button.current?.focus())
  }
  const { publishByName, publishTime, insertMode, isDefault } = version
  return (
    <div ref={ref} tabIndex={-1} className="kit-row kit-note" style={{ outline: 'none' }}>
      <span>
        {publishByName || '已删除的账号'} 提交于 <Time at={publishTime} />
      </span>
      <span className="kit-tags">
        {isDefault === 1 && <Tag color="blue">默认</Tag>}
        {insertMode > 0 && <Tag color="volcano">{INSERT_MODE_NAME[insertMode as 1]}</Tag>}
      </span>
      <Allowed to={programOptions.files}>
        <Button ref={button} className="kit-end" icon={<PlaySquareOutlined />} onClick={() => setPreviewing(true)}>
          预览
        </Button>
      </Allowed>
      {isPreviewing && <ProgramPreview manifest={manifest} id={id} onClose={closePreview} />}
    </div>
  )
}

interface VersionEffectProps {
  readonly id: number
  readonly verNo: number
  /** Number of screens when the version was submitted; null when the caller may not know the number. */
  readonly submittedScreens: number | null
}
const FRESH = { quiet: true, staleTime: 0, keepPrevious: false } as const

/** Shows the dry run and the conflict check of a version that waits for approval. */
function VersionEffect({ id, verNo, submittedScreens }: VersionEffectProps) {
  const dryRun = useRead(programChecks.dryRun, { id, verNo }, FRESH)
  const conflicts = useRead(programChecks.conflict, { id, verNo }, FRESH)
  return (
    <>
      <section aria-label="发布预演">
        <h3 className="kit-heading">发布预演</h3>
        {dryRun.data ? (
          <Effect of={dryRun.data} submittedScreens={submittedScreens} />
        ) : (
          <Waiting reads={[dryRun]} rows={2} />
        )}
      </section>
      <section aria-label="冲突检查">
        <h3 className="kit-heading">冲突检查</h3>
        {conflicts.data ? (
          <ConflictResult of={conflicts.data} errorTitle="须先处理，否则不能通过" warningTitle="通过后会有以下影响" />
        ) : (
          <Waiting reads={[conflicts]} rows={2} />
        )}
      </section>
    </>
  )
}

interface EffectProps extends Pick<VersionEffectProps, 'submittedScreens'> {
  readonly of: Parameters<typeof DryRunDetails>[0]['of']
}

function Effect({ of, submittedScreens }: EffectProps) {
  if (of.screens === 0) return <NoScreensWarning of={of} />
  const count = of.screens.toLocaleString('en')
  return (
    <div className="kit-stack">
      <DryRunSummary of={of} />
      {submittedScreens !== null && submittedScreens !== of.screens && (
        <p className="kit-muted">提交时为 {submittedScreens.toLocaleString('en')} 块屏幕</p>
      )}
      {of.insertMode > 0 && <Alert type="warning" showIcon title={`插播将打断 ${count} 块屏幕正在播放的内容`} />}
      <details className="ad-details">
        <summary>屏幕、下载和播放次数明细</summary>
        <DryRunDetails of={of} />
      </details>
    </div>
  )
}
