import { programChecks } from '@oms/contract/advertise/program-check.ts'
import { DELIVERY_STATE } from '@oms/contract/advertise/screen.ts'
import type { InputOf, ResultOf } from '@oms/contract/core/endpoint.ts'
import { Alert, Modal, Table } from 'antd'
import { useRead } from '#core/api/query.ts'
import { Waiting } from '#kit/feedback/waiting.tsx'
import { formatBytes, formatHours } from '../materials/material-text.ts'
import { PairingLink } from './program-cells.tsx'

type Conflicts = ResultOf<typeof programChecks.conflict>
type DryRun = ResultOf<typeof programChecks.dryRun>

interface Props {
  /** Content of the editor. */
  readonly draft: InputOf<typeof programChecks.draftConflict>
  onClose(): void
}
const FRESH = { quiet: true, staleTime: 0, keepPrevious: false } as const

/** Conflicts of the edited content with the other programs of its screens. */
export function ConflictDialog({ draft, onClose }: Props) {
  const read = useRead(programChecks.draftConflict, draft, FRESH)
  return (
    <Modal open title="冲突检查" footer={null} onCancel={onClose} width={600}>
      {read.data ? (
        <ConflictResult of={read.data} warningTitle="提醒，不影响发布" />
      ) : (
        <Waiting reads={[read]} rows={3} />
      )}
    </Modal>
  )
}

interface ConflictTitles {
  readonly errorTitle?: string
  readonly warningTitle: string
}

/** Shows the extent of the conflict check, and all conflicts. */
export function ConflictResult({ of, ...titles }: ConflictTitles & { readonly of: Conflicts }) {
  const { screens, sets, from, to, errors, warnings } = of
  return (
    <div className="kit-stack">
      <p className="kit-muted">
        已检查 {from} 至 {to}，{screens.toLocaleString('en')} 块屏幕，{sets} 种节目单组合
      </p>
      {errors.length === 0 && warnings.length === 0 && <Alert type="success" showIcon title="没有发现冲突" />}
      <ConflictFindings of={of} {...titles} />
    </div>
  )
}

interface ConflictFindingsProps extends ConflictTitles {
  readonly of: Pick<Conflicts, 'screens' | 'errors' | 'warnings'>
}

/** Lists the conflicts that prevent publishing, and below them the warnings. */
export const ConflictFindings = ({
  of: { screens, errors, warnings },
  errorTitle = '须先处理，否则不能发布',
  warningTitle,
}: ConflictFindingsProps) => (
  <>
    {errors.length > 0 && <ConflictList title={errorTitle} type="error" list={errors} isCounted={screens > 1} />}
    {warnings.length > 0 && (
      <ConflictList title={warningTitle} type="warning" list={warnings} isCounted={screens > 1} />
    )}
  </>
)

interface ConflictListProps {
  readonly title: string
  readonly type: 'error' | 'warning'
  readonly list: Conflicts['errors']
  /** Shows the number of screens that each conflict concerns. */
  readonly isCounted: boolean
}

/** Lists conflicts. A program with one screen needs no number of screens. */
const ConflictList = ({ title, type, list, isCounted }: ConflictListProps) => (
  <Alert
    type={type}
    showIcon
    title={title}
    description={
      <ul className="kit-plain">
        {list.map(({ text, screens }) => (
          <li key={text}>
            {text}
            {isCounted && screens > 0 && <span className="kit-muted"> · {screens.toLocaleString('en')} 块屏幕</span>}
          </li>
        ))}
      </ul>
    }
  />
)

/** Dry run of publishing the edited content: screens, bytes and plays. */
export function DryRunDialog({ draft, onClose }: Props) {
  const read = useRead(programChecks.draftDryRun, draft, FRESH)
  return (
    <Modal open title="发布预演" footer={null} onCancel={onClose} width={720}>
      {read.data ? <DryRunResult of={read.data} /> : <Waiting reads={[read]} rows={5} />}
    </Modal>
  )
}

const SAMPLE_COLUMNS = [
  { key: 'sn', title: '序列号', dataIndex: 'sn' },
  { key: 'tenantName', title: '客户', dataIndex: 'tenantName' },
  { key: 'modelName', title: '型号', dataIndex: 'modelName' },
  { key: 'state', title: '状态', dataIndex: 'state', render: (state: number) => DELIVERY_STATE[state as 0] },
  { key: 'bytes', title: '待下载', dataIndex: 'bytes', align: 'right' as const, render: formatBytes },
]

function DryRunResult({ of }: { of: DryRun }) {
  if (of.screens === 0) return <NoScreensWarning of={of} />
  return (
    <div className="kit-stack">
      <DryRunSummary of={of} />
      <DryRunDetails of={of} />
    </div>
  )
}

/** Shows plays and hours, the screens by tenant, model and state, and a sample of the screens. */
export function DryRunDetails({ of }: { of: DryRun }) {
  return (
    <div className="kit-stack">
      <p className="kit-muted">
        {of.isRestOfToday ? '今日剩余时间' : '首日'}预计播放 {of.firstDayPlays.toLocaleString('en')} 次；
        {of.readyScreens.toLocaleString('en')} 块屏幕不需要下载
        {of.firstHours !== null && of.lastHours !== null && of.totalBytes > 0 && (
          <>
            ；第一块屏幕约 {formatHours(of.firstHours)}后就绪，最后一块约 {formatHours(of.lastHours)}后就绪
          </>
        )}
        {of.windowHours < 24 && <>；每天只在 {of.windowHours} 小时的下载时段内下载</>}
      </p>
      <div className="kit-pair">
        <Counts title="客户" list={of.tenants} />
        <Counts title="型号" list={of.models} />
        <Counts
          title="状态"
          list={of.states.map(({ state, count }) => ({ id: state, name: DELIVERY_STATE[state as 0], count }))}
        />
      </div>
      <Table
        size="small"
        rowKey="deviceId"
        columns={SAMPLE_COLUMNS}
        dataSource={of.sample}
        pagination={false}
        scroll={{ x: 'max-content', y: 240 }}
      />
    </div>
  )
}

const MAX_COUNTS = 8
const sumCounts = (list: readonly { readonly count: number }[]) => list.reduce((sum, { count }) => sum + count, 0)

const Counts = ({ title, list }: { title: string; list: readonly { id: number; name: string; count: number }[] }) => (
  <section>
    <h3 className="kit-heading">{title}</h3>
    <ul className="kit-lines">
      {list.slice(0, MAX_COUNTS).map(({ id, name, count }) => (
        <li key={id}>
          <span className="kit-ellipsis">{name || '-'}</span>
          <b>{count.toLocaleString('en')}</b>
        </li>
      ))}
      {list.length > MAX_COUNTS && (
        <li>
          <span>其他 {list.length - MAX_COUNTS} 项</span>
          <b>{sumCounts(list.slice(MAX_COUNTS)).toLocaleString('en')}</b>
        </li>
      )}
    </ul>
  </section>
)

/** Says why a program reaches no screen, in place of the effect of publishing. */
export const NoScreensWarning = ({ of: { hasTargets } }: { of: Pick<DryRun, 'hasTargets'> }) => (
  <Alert
    type="warning"
    showIcon
    title={hasTargets ? '没有符合条件的屏幕' : '请先选择投放对象'}
    description={
      hasTargets && (
        <>
          请
          <PairingLink />
        </>
      )
    }
  />
)

/** Summarises screens, bytes and hours in one sentence. */
export const DryRunSummary = ({ of: { screens, totalBytes, lastHours } }: { of: DryRun }) => (
  <p className="kit-sum">
    将投放到 <b>{screens.toLocaleString('en')}</b> 块屏幕，新增下载 <b>{formatBytes(totalBytes)}</b>
    {totalBytes > 0 && (lastHours === null ? '，未限制带宽' : `，按当前带宽约 ${formatHours(lastHours)}完成`)}
  </p>
)
