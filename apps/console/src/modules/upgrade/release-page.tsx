import { CloudUploadOutlined } from '@ant-design/icons'
import { Alert, Button, Tabs } from 'antd'
import { useState } from 'react'
import { useLocation, useParams } from 'react-router'
import { formatVersionRange } from '@oms/contract/upgrade/version-range.ts'
import type { ResultOf } from '@oms/contract/core/endpoint.ts'
import { type otaTask, FailureRow } from '@oms/contract/upgrade/upgrade-task.ts'
import { useRead, useWrite } from '#core/api/query.ts'
import { useCan } from '#core/auth/session.tsx'
import { useTabTitle } from '#core/routing/tab.tsx'
import { useView } from '#core/routing/view.ts'
import { RecordPage } from '#kit/record/record-page.tsx'
import { Page } from '#kit/record/page.tsx'
import { RecordHead } from '#kit/record/record-head.tsx'
import { createColumns } from '#kit/table/columns.tsx'
import { DataTable } from '#kit/table/data-table.tsx'
import { RowActions } from '#kit/list/row-actions.tsx'
import { time } from '#kit/record/time.tsx'
import { useInnerList } from '#kit/list/use-list.ts'
import {
  useReleaseCalls,
  FORMAL_MODE,
  PAUSED_STATE,
  REFUSED_STATE,
  type Release,
  ReleaseState,
  STOPPED_STATE,
  WAITING_STATE,
} from './release.tsx'
import { DryRun } from './dry-run.tsx'
import { ProgressCard, ReleasePlan, StageCard } from './release-cards.tsx'
import { ReleaseButtons } from './release-buttons.tsx'
import { TaskTable } from './task-table.tsx'
import { AllowlistTab } from './allowlist-tab.tsx'
import './upgrade.css'

/** Release page of a version: state, progress, tasks, allowlist, dry run and settings. */
export function ReleasePage() {
  const calls = useReleaseCalls()
  const otaId = Number(useParams().id)
  const list = useLocation().pathname.replace(/\/release\/.*/, '')
  const read = useRead(calls.release.get, { otaId }, { quiet: true, keepPrevious: false })
  useTabTitle(read.data && `发布 ${read.data.verName}`)
  return (
    <RecordPage read={read} list={list}>
      {(release) => <Shown key={otaId} release={release} />}
    </RecordPage>
  )
}

const TAB_KEYS = ['tasks', 'failures', 'white', 'dry', 'plan'] as const
type TabKey = (typeof TAB_KEYS)[number]

function Shown({ release }: { release: Release }) {
  const { tab, setTab, state, reason, filter, showReason } = useTaskFilter(release)
  const failed = release.counts.find((each) => each.state === FAILED)?.count ?? 0
  const narrowed = `${state}:${reason}`
  return (
    <Page>
      <Head release={release} />
      <Alerts release={release} />
      <StageCard release={release} />
      <ProgressCard release={release} state={state} onState={filter} />
      <Tabs
        activeKey={tab}
        onChange={setTab}
        destroyOnHidden
        items={[
          {
            key: 'tasks',
            label: '升级任务',
            children: inPage(<TaskTable key={narrowed} release={release} state={state} reason={reason} />),
          },
          {
            key: 'failures',
            label: `失败原因${failed > 0 ? `（${failed}）` : ''}`,
            children: inPage(<FailureGroups otaId={release.otaId} onReason={showReason} />),
          },
          { key: 'white', label: `白名单（${release.whites}）`, children: inPage(<AllowlistTab release={release} />) },
          { key: 'dry', label: '预演与排查', children: <DryRun otaId={release.otaId} /> },
          { key: 'plan', label: '策略与历史', children: <ReleasePlan release={release} /> },
        ]}
      />
    </Page>
  )
}
const FAILED = 110

/** Keeps the shown tab in the URL, and the filter of the task table. */
function useTaskFilter(release: Release) {
  const [first] = useState<TabKey>(() =>
    release.counts.length > 0 || release.mode === FORMAL_MODE ? 'tasks' : 'white',
  )
  const [view, setTab] = useView(first)
  const tab = TAB_KEYS.find((key) => key === view) ?? first
  const [state, setState] = useState<number>()
  const [reason, setReason] = useState<string>()
  const filter = (next: number | undefined) => {
    setState(next)
    setReason(undefined)
    setTab('tasks')
  }
  const showReason = (words: string) => {
    setState(FAILED)
    setReason(words)
    setTab('tasks')
  }
  return { tab, setTab, state, reason, filter, showReason }
}

const inPage = (children: React.ReactNode) => <Page>{children}</Page>

function Head({ release }: { release: Release }) {
  const { verName, verCode, modelName, packageName, tenantName, whites, installed } = release
  return (
    <RecordHead
      name={`${verName}（${verCode}）`}
      icon={<CloudUploadOutlined />}
      state={<ReleaseState {...release} />}
      facts={[
        ['型号', modelName],
        ['软件包', packageName],
        ['范围', formatVersionRange(release)],
        ['所属', tenantName],
        ['白名单', `${whites} 台`],
        ['已安装', `${installed} 台`],
      ]}
      actions={<ReleaseButtons release={release} />}
    />
  )
}

/** Alerts about the state of a release and its alarms. */
function Alerts({ release }: { release: Release }) {
  const calls = useReleaseCalls()
  const can = useCan()
  const close = useWrite(calls.release.closeAlarm)
  // Leaves out the alarm that paused the release, because the state already shows its message.
  const alarms = release.alarms.filter(({ message }) => message !== release.stateReason)
  const words = newsOf(release)
  if (!words && alarms.length === 0 && release.canSteer) return null
  return (
    <div className="kit-stack">
      {!release.canSteer && (
        <Alert
          showIcon
          type="info"
          title="该发布还涉及您数据范围之外的客户：这里只统计您范围内的设备，发布由数据范围更大的人员调整"
        />
      )}
      {words && <Alert showIcon type={words.type} title={words.title} />}
      {alarms.map(({ id, message, createTime }) => (
        <Alert
          key={id}
          showIcon
          type="error"
          title={`${createTime} ${message}`}
          action={
            can(calls.release.closeAlarm.access) && (
              <Button
                size="small"
                loading={close.isPending && close.variables?.id === id}
                onClick={() => close.mutate({ id })}
              >
                已处理
              </Button>
            )
          }
        />
      ))}
    </div>
  )
}

function newsOf(release: Release) {
  const { status, state, stateReason, mode, whites, pending, submitByName, auditByName, auditRemark } = release
  const why = stateReason ? `：${stateReason}` : ''
  if (status !== 1)
    return {
      type: 'info',
      title: status === 2 ? '版本已停用，设备不再收到它' : '版本尚未启用，启用后才能发布',
    } as const
  if (state === WAITING_STATE)
    return {
      type: 'warning',
      title: `${submitByName} 提交的发布正在等待另一人审批；审批前仅白名单设备可以收到`,
    } as const
  if (pending)
    return {
      type: 'warning',
      title: `${submitByName} 提交的修改正在等待另一人审批，审批前按已批准的方式${state === PAUSED_STATE ? '暂停' : '继续'}：${pending.lines.join('；')}`,
    } as const
  if (state === REFUSED_STATE)
    return {
      type: 'error',
      title: `发布被 ${auditByName} 驳回：${auditRemark}。仅白名单设备可以收到，修改后可重新提交`,
    } as const
  if (state === PAUSED_STATE)
    return { type: 'warning', title: `发布已暂停${why}。已开始下载的设备继续升级，其他设备等待` } as const
  if (state === STOPPED_STATE) return { type: 'info', title: `发布已终止${why}。停用后重新启用可以重新开始` } as const
  if (mode !== FORMAL_MODE && whites === 0)
    return {
      type: 'info',
      title: '测试发布只面向白名单：先在下方「白名单」添加几台设备验证，再点「发布」推给更多设备',
    } as const
  return undefined
}

type Group = ResultOf<typeof otaTask.failures>['list'][number] & { key: string }

/** Failed tasks grouped by the reason that the devices reported. A group can be retried together. */
function FailureGroups({ otaId, onReason }: { otaId: number; onReason(reason: string): void }) {
  const calls = useReleaseCalls()
  const list = useInnerList(calls.task.failures, { otaId })
  const retry = useWrite(calls.task.retry)
  const rows = list.table.rows.map((row) => ({ ...row, key: `${row.code}:${row.reason}` }))
  const rowActions = (row: Group) => (
    <RowActions
      items={[
        { label: '查看任务', onClick: () => onReason(row.reason) },
        row.open > 0 && {
          label: '重试',
          to: calls.task.retry,
          confirm: `让因「${row.reason || '未说明'}」失败的 ${row.open} 台设备再次收到该版本？`,
          onClick: () => retry.mutateAsync({ otaId, reason: row.reason }),
        },
      ]}
    />
  )
  return (
    <DataTable
      {...list.table}
      rows={rows}
      name="ota-failures"
      rowKey="key"
      columns={[
        ...COLUMNS,
        { key: 'actions', title: '操作', width: 150, pin: 'right', fixed: true, render: rowActions },
      ]}
      empty={{ text: '没有失败的任务' }}
    />
  )
}

const { col } = createColumns(FailureRow)
const COLUMNS = [
  col('reason', (reason) => reason || '设备没有说明原因', { width: 320 }),
  col('code', { width: 90, align: 'right' }),
  col('count', { width: 90, align: 'right' }),
  col('open', { width: 90, align: 'right' }),
  col('lastTime', time, { width: 170 }),
  col('sn', { width: 170 }),
]
