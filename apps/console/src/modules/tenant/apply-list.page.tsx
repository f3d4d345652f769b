import { APPLY_STATUS, ApplyRow, userApply } from '@oms/contract/user-apply.ts'
import { Button } from 'antd'
import { useEffect, useState } from 'react'
import type * as z from 'zod'
import { later } from '#kernel/later.tsx'
import { useRead } from '#kernel/query.ts'
import { Allowed } from '#kernel/session.tsx'
import { useTab } from '#kernel/tab.tsx'
import { columnsOf } from '#kit/columns.tsx'
import { CopyText } from '#kit/copy-text.tsx'
import { DataTable } from '#kit/data-table.tsx'
import { useWords, WordTag } from '#kit/dict-words.tsx'
import { ExportButton } from '#kit/export-button.tsx'
import { Filter, SelectFilter } from '#kit/filter.tsx'
import { DateRangeFilter } from '#kit/filter-date.tsx'
import { Page } from '#kit/page.tsx'
import { RowActions } from '#kit/row-actions.tsx'
import { SearchForm } from '#kit/search-form.tsx'
import { time } from '#kit/time.tsx'
import { useList } from '#kit/use-list.ts'
import { TenantPicker } from './tenant-picker.tsx'
import './tenant.css'

const ApplyAudit = later(() => import('./apply-audit.tsx'), 'ApplyAudit')
const ApplyDrawer = later(() => import('./apply-drawer.tsx'), 'ApplyDrawer', { when: ({ row }) => row !== undefined })

export type Apply = z.output<typeof ApplyRow>
const QUERY = userApply.list.input
const COLORS = { 0: 'warning', 1: 'success', 2: 'error', 3: 'default', 4: 'default' } as const

const { col, actions } = columnsOf(ApplyRow)
const COLUMNS = [
  col('applyNo', { width: 120, hidden: true }),
  col('account', { width: 140 }),
  col('realname', { width: 85 }),
  col('mobileNo', { width: 120 }),
  col('tenantName', { width: 140 }),
  col('source', { width: 90, hidden: true }),
  col('reason', { width: 130 }),
  col('status', (status) => <ApplyStatus status={status} />, { width: 85 }),
  col('roleNames', { width: 140, hidden: true }),
  col('auditName', { width: 85 }),
  col('auditTime', time, { width: 165, sort: true, hidden: true }),
  col('auditRemark', { width: 180, hidden: true }),
  col('createTime', time, { width: 165, sort: true }),
]

export function ApplyStatus({ status }: { status: number }) {
  return (
    <WordTag type="apply_status" words={APPLY_STATUS} value={status} color={COLORS[status as keyof typeof COLORS]} />
  )
}

/** What is being decided: these applications, this way. */
type Deciding = { readonly rows: readonly Apply[]; readonly approve: boolean; clear?(): void }

/** Accounts that ask to join a customer. */
export default function ApplyListPage() {
  const list = useList(userApply.list)
  const statuses = useWords('apply_status', APPLY_STATUS).options
  const [shown, setShown] = useState<Apply>()
  const [deciding, setDeciding] = useState<Deciding>()
  usePendingInTitle()
  const rowActions = (row: Apply) => (
    <RowActions
      items={[
        { label: '详情', onClick: () => setShown(row) },
        row.status === 0 && {
          label: '通过',
          to: userApply.audit,
          onClick: () => setDeciding({ rows: [row], approve: true }),
        },
        row.status === 0 && {
          label: '拒绝',
          to: userApply.audit,
          danger: true,
          onClick: () => setDeciding({ rows: [row], approve: false }),
        },
      ]}
    />
  )
  return (
    <Page>
      <SearchForm {...list.search}>
        <Filter of={QUERY} name="account" />
        <Filter of={QUERY} name="realname" />
        <SelectFilter of={QUERY} name="status" options={statuses} />
        <Filter of={QUERY} name="tenantId">
          <TenantPicker />
        </Filter>
        <Filter of={QUERY} name="mobileNo" />
        <DateRangeFilter label="申请时间" />
      </SearchForm>
      <DataTable
        {...list.table}
        rowKey="id"
        columns={[...COLUMNS, actions(rowActions, 160)]}
        actions={<Handout />}
        tools={<ExportButton to={userApply.export} query={list.query} name="加入申请" />}
        selectable={({ status }) => status === 0}
        batch={({ rows, clear }) => (
          <Allowed to={userApply.audit}>
            <Button size="small" onClick={() => setDeciding({ rows, approve: true, clear })}>
              批量通过
            </Button>
            <Button size="small" danger onClick={() => setDeciding({ rows, approve: false, clear })}>
              批量拒绝
            </Button>
          </Allowed>
        )}
        empty={{ text: '还没有加入申请', hint: '员工用客户的加入码注册后，申请在这里等待审批。' }}
        onOpen={setShown}
      />
      <ApplyDrawer rows={list.table.rows} row={shown} onRow={setShown} />
      {deciding && <ApplyAudit {...deciding} onClose={() => setDeciding(undefined)} />}
    </Page>
  )
}

/** The number that waits, where one sees it without opening the page. */
function usePendingInTitle() {
  const tab = useTab()
  const { data } = useRead(userApply.count, {}, { quiet: true })
  const pending = data?.pending ?? 0
  useEffect(() => tab.setTitle(pending > 0 ? `加入申请（${pending}）` : '加入申请'), [tab, pending])
}

/** The code to hand to newcomers; the platform has none. */
function Handout() {
  const { data } = useRead(userApply.code, {}, { quiet: true })
  if (!data?.joinCode) return null
  return (
    <p className="tenant-handout">
      {data.allowApply === 1 ? (
        <>
          <span>加入码</span>
          <CopyText text={data.joinCode} />
        </>
      ) : (
        <span className="kit-none">当前不接受加入申请</span>
      )}
    </p>
  )
}
