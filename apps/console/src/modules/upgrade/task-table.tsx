import { TaskQuery, TaskRow } from '@oms/contract/upgrade/upgrade-task.ts'
import { Progress } from 'antd'
import { useState } from 'react'
import type * as z from 'zod'
import { lazyAfterRender } from '#core/loading/deferred.tsx'
import { useWrite } from '#core/api/query.ts'
import { createColumns } from '#kit/table/columns.tsx'
import { DataTable, type Picked } from '#kit/table/data-table.tsx'
import { BatchCallButton } from '#kit/list/batch-call-button.tsx'
import { ExportButton } from '#kit/list/export-button.tsx'
import { Filter, SelectFilter } from '#kit/list/filter.tsx'
import { DateRangeFilter } from '#kit/list/filter-date.tsx'
import { RowActions } from '#kit/list/row-actions.tsx'
import { SearchForm, type SearchProps } from '#kit/list/search-form.tsx'
import { time } from '#kit/record/time.tsx'
import { useInnerList } from '#kit/list/use-list.ts'
import { useReleaseCalls, type Release, TaskState } from './release.tsx'
import { TenantPicker } from '#kit/pickers/tenant-picker.tsx'

const TaskDrawer = lazyAfterRender(() => import('./release-dialogs.tsx'), 'TaskDrawer', {
  when: ({ row }) => row !== undefined,
})

export type Task = z.output<typeof TaskRow>
const FAILED = 110
const CLOSED = 100
const CANCELLING = 50

const { col, actions } = createColumns(TaskRow)
const COLUMNS = [
  col('sn', { width: 170 }),
  col('state', (state) => <TaskState state={state} />, { width: 100 }),
  col('progress', (progress, { state }) => <TaskProgress progress={progress} state={state} />, { width: 110 }),
  {
    ...col('fromVerCode', (from, { verCode }) => `${from ?? '未知'} → ${verCode}`, { width: 130, title: '版本' }),
    key: 'versions',
  },
  col('reason', { width: 190 }),
  col('tenantName', { width: 130 }),
  col('updateTime', time, { width: 170, sort: true }),
  col('createTime', time, { width: 170, hidden: true }),
  col('closeTime', time, { width: 170, hidden: true }),
  col('taskId', { width: 100, align: 'right', sort: true, hidden: true }),
  col('devName', { width: 140, hidden: true }),
  col('code', { width: 90, align: 'right', hidden: true }),
  col('attempt', { width: 80, align: 'right', hidden: true }),
  col('retried', (retried) => (retried ? '是' : '否'), { width: 110, hidden: true }),
  col('pushed', (pushed) => (pushed ? '是' : '否'), { width: 100, hidden: true }),
]

/** Table of the tasks of a version. The progress bar can filter the table by state. */
export function TaskTable(props: { release: Release; state: number | undefined; reason: string | undefined }) {
  const { release, state, reason } = props
  const calls = useReleaseCalls()
  const { otaId } = release
  const list = useInnerList(calls.task.list, {
    otaId,
    ...(state !== undefined && { state: state as never }),
    ...(reason !== undefined && { reason }),
  })
  const [shown, setShown] = useState<Task>()
  const rowActions = useTaskActions(otaId, setShown)
  return (
    <>
      <TaskSearch search={list.search} hasState={state === undefined} />
      <DataTable
        {...list.table}
        name="ota-tasks"
        rowKey="taskId"
        columns={[...COLUMNS, actions(rowActions, 130, [calls.task.get, calls.task.retry, calls.task.cancel])]}
        actions={<RetryAll release={release} />}
        batch={(picked) => <TaskBatch otaId={otaId} picked={picked} />}
        tools={<ExportButton to={calls.task.export} query={list.query} name="升级任务" />}
        empty={{ text: '还没有升级任务：设备下次检查时会领取' }}
        onOpen={setShown}
      />
      <TaskDrawer rows={list.table.rows} row={shown} onRow={setShown} />
    </>
  )
}

interface TaskSearchProps {
  readonly search: SearchProps
  /** False while the progress bar already filters by state. */
  readonly hasState: boolean
}

const TaskSearch = ({ search, hasState }: TaskSearchProps) => (
  <SearchForm {...search}>
    <Filter of={TaskQuery} name="sn" />
    {hasState && <SelectFilter of={TaskQuery} name="state" />}
    <Filter of={TaskQuery} name="tenantId">
      <TenantPicker />
    </Filter>
    <DateRangeFilter label="下发时间" />
    <SelectFilter of={TaskQuery} name="pushed" />
  </SearchForm>
)

/** Returns a function that renders the actions on a task. */
function useTaskActions(otaId: number, onShow: (row: Task) => void) {
  const calls = useReleaseCalls()
  const retry = useWrite(calls.task.retry)
  const cancel = useWrite(calls.task.cancel)
  return (row: Task) => (
    <RowActions
      items={[
        { label: '详情', to: calls.task.get, onClick: () => onShow(row) },
        row.state === FAILED &&
          !row.retried && {
            label: '重试',
            to: calls.task.retry,
            confirm: `让设备 ${row.sn} 再次收到该版本？设备下次检查时生效。`,
            onClick: () => retry.mutateAsync({ otaId, taskIds: [row.taskId] }),
          },
        row.state < CLOSED &&
          row.state !== CANCELLING && {
            label: '取消',
            to: calls.task.cancel,
            danger: true,
            confirmButtons: { okText: '取消任务', cancelText: '返回' },
            confirm: `取消设备 ${row.sn} 的升级任务？未下载的立即取消，其余等待设备响应。`,
            onClick: () => cancel.mutateAsync({ otaId, taskIds: [row.taskId], reason: '' }),
          },
      ]}
    />
  )
}

const TaskProgress = ({ progress, state }: { progress: number; state: number }) => (
  <Progress
    size="small"
    percent={state === CLOSED ? 100 : progress}
    {...(state === FAILED && { status: 'exception' as const })}
    {...(state > FAILED && { status: 'normal' as const })}
    aria-label="进度"
  />
)

/** Button that retries every failed task of the version. */
function RetryAll({ release: { otaId, counts, status } }: { release: Release }) {
  const calls = useReleaseCalls()
  const { mutateAsync } = useWrite(calls.task.retry)
  const failed = counts.find(({ state }) => state === FAILED)?.count ?? 0
  if (failed === 0 || status !== 1) return null
  return (
    <RowActions
      items={[
        {
          label: '重试全部失败任务',
          to: calls.task.retry,
          confirm: `让全部失败且未重试的设备再次收到该版本（失败任务共 ${failed} 个）？设备下次检查时生效。`,
          onClick: () => mutateAsync({ otaId }),
        },
      ]}
    />
  )
}

function TaskBatch({ otaId, picked }: { otaId: number; picked: Picked<Task> }) {
  const calls = useReleaseCalls()
  const retry = useWrite(calls.task.retry)
  const cancel = useWrite(calls.task.cancel)
  const failed = picked.rows.filter(({ state, retried }) => state === FAILED && !retried)
  const open = picked.rows.filter(({ state }) => state < CLOSED && state !== CANCELLING)
  const idsOf = (rows: readonly Task[]) => rows.map(({ taskId }) => taskId)
  return (
    <>
      <BatchCallButton
        label={`重试失败（${failed.length}）`}
        to={calls.task.retry}
        picked={picked}
        rows={failed}
        reason={failed.length === 0 ? '所选任务中没有失败且未重试的任务' : undefined}
        confirm={{
          title: `重试 ${failed.length} 个失败的任务？`,
          content: '这些设备再次收到该版本，下次检查时生效。',
          okText: '重试',
        }}
        onCall={(rows) => retry.mutateAsync({ otaId, taskIds: idsOf(rows) })}
      />
      <BatchCallButton
        label={`取消任务（${open.length}）`}
        to={calls.task.cancel}
        picked={picked}
        rows={open}
        reason={open.length === 0 ? '所选任务都已结束或正在取消' : undefined}
        confirm={{
          title: `取消 ${open.length} 台设备的升级任务？`,
          content: '未下载的立即取消，其余等待设备响应。',
          okText: '取消任务',
          cancelText: '返回',
          danger: true,
        }}
        onCall={(rows) => cancel.mutateAsync({ otaId, taskIds: idsOf(rows), reason: '' })}
      />
    </>
  )
}
