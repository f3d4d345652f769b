import { APPLY_STATUS, ApplyRow, userApply } from '@oms/contract/tenant/user-apply.ts'
import { Button } from 'antd'
import { useEffect, useState } from 'react'
import type * as z from 'zod'
import { lazyAfterRender } from '#core/loading/deferred.tsx'
import { useRead } from '#core/api/query.ts'
import { Allowed, useSession } from '#core/auth/session.tsx'
import { useTab } from '#core/routing/tab.tsx'
import { createColumns } from '#kit/table/columns.tsx'
import { CopyText } from '#kit/record/copy-text.tsx'
import { DataTable } from '#kit/table/data-table.tsx'
import { useDictLabels, DictLabelTag } from '#kit/pickers/dict-words.tsx'
import { ExportButton } from '#kit/list/export-button.tsx'
import { Filter, SelectFilter } from '#kit/list/filter.tsx'
import { DateRangeFilter } from '#kit/list/filter-date.tsx'
import { Page } from '#kit/record/page.tsx'
import { RowActions } from '#kit/list/row-actions.tsx'
import { SearchForm, type SearchProps } from '#kit/list/search-form.tsx'
import { time } from '#kit/record/time.tsx'
import { useList } from '#kit/list/use-list.ts'
import { TenantPicker } from '#kit/pickers/tenant-picker.tsx'
import type { BuiltInView } from '#kit/list/saved-views-state.ts'

const ApplicationReviewForm = lazyAfterRender(() => import('./apply-dialogs.tsx'), 'ApplicationReviewForm')
const ApplyDrawer = lazyAfterRender(() => import('./apply-dialogs.tsx'), 'ApplyDrawer', {
  when: ({ row }) => row !== undefined,
})

export type Apply = z.output<typeof ApplyRow>
const QUERY = userApply.list.input
const COLORS = { 0: 'warning', 1: 'success', 2: 'error', 3: 'default', 4: 'default' } as const

const { col, actions } = createColumns(ApplyRow)
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
    <DictLabelTag
      type="apply_status"
      words={APPLY_STATUS}
      value={status}
      color={COLORS[status as keyof typeof COLORS]}
    />
  )
}

/** The applications to be approved or rejected. */
type PendingDecision = { readonly rows: readonly Apply[]; readonly approve: boolean; clear?(): void }

const VIEWS: readonly BuiltInView[] = [{ name: '待审批', filters: { status: '0' } }]

/** Lists the applications of accounts to join a tenant. */
export default function ApplyListPage() {
  const list = useList(userApply.list)
  const [shown, setShown] = useState<Apply>()
  const [deciding, setDeciding] = useState<PendingDecision>()
  usePendingInTitle()
  const findBlock = useFindReviewBlock()
  const rowActions = (row: Apply) => <ApplyActions row={row} onShow={setShown} onDecide={setDeciding} />
  return (
    <Page>
      <ApplySearch {...list.search} />
      <DataTable
        {...list.table}
        views={VIEWS}
        rowKey="id"
        columns={[...COLUMNS, actions(rowActions, 130)]}
        actions={<TenantJoinCode />}
        tools={<ExportButton to={userApply.export} query={list.query} name="加入申请" />}
        findSelectionBlock={findBlock}
        batch={({ rows, clear }) => <BatchButtons onDecide={(approve) => setDeciding({ rows, approve, clear })} />}
        empty={{ text: '还没有加入申请', hint: '新用户用客户的加入码注册后，申请在这里等待审批。' }}
        onOpen={setShown}
      />
      <ApplyDrawer rows={list.table.rows} row={shown} onRow={setShown} />
      {deciding && <ApplicationReviewForm {...deciding} onClose={() => setDeciding(undefined)} />}
    </Page>
  )
}

function ApplySearch(search: SearchProps) {
  const statuses = useDictLabels('apply_status', APPLY_STATUS).options
  return (
    <SearchForm {...search}>
      <Filter of={QUERY} name="account" />
      <Filter of={QUERY} name="realname" />
      <SelectFilter of={QUERY} name="status" options={statuses} />
      <Filter of={QUERY} name="tenantId">
        <TenantPicker />
      </Filter>
      <Filter of={QUERY} name="mobileNo" />
      <Filter of={QUERY} name="applyNo" placeholder="请输入完整的申请单号" />
      <DateRangeFilter label="申请时间" />
    </SearchForm>
  )
}

/** Returns a function that returns why the account cannot approve or reject an application. */
function useFindReviewBlock() {
  const self = useSession()?.uid
  const { label } = useDictLabels('apply_status', APPLY_STATUS)
  return ({ uid, status }: Apply) => {
    if (status !== 0) return `${label(status)}的申请不能再审批`
    return uid === self ? '不能审批自己的申请' : undefined
  }
}

interface ApplyActionsProps {
  readonly row: Apply
  onShow(row: Apply): void
  onDecide(decision: PendingDecision): void
}

function ApplyActions({ row, onShow, onDecide }: ApplyActionsProps) {
  const reason = useFindReviewBlock()(row)
  return (
    <RowActions
      items={[
        { label: '详情', onClick: () => onShow(row) },
        row.status === 0 && {
          label: '通过',
          to: userApply.audit,
          reason,
          onClick: () => onDecide({ rows: [row], approve: true }),
        },
        row.status === 0 && {
          label: '驳回',
          to: userApply.audit,
          reason,
          danger: true,
          onClick: () => onDecide({ rows: [row], approve: false }),
        },
      ]}
    />
  )
}

function BatchButtons({ onDecide }: { onDecide(approve: boolean): void }) {
  return (
    <Allowed to={userApply.audit}>
      <Button size="small" onClick={() => onDecide(true)}>
        批量通过
      </Button>
      <Button size="small" danger onClick={() => onDecide(false)}>
        批量驳回
      </Button>
    </Allowed>
  )
}

/** Shows the number of pending applications in the tab title. */
function usePendingInTitle() {
  const tab = useTab()
  const { data } = useRead(userApply.count, {}, { quiet: true })
  const pending = data?.pending ?? 0
  useEffect(() => tab.setTitle(pending > 0 ? `加入申请（${pending}）` : '加入申请'), [tab, pending])
}

/** Shows the join code of the tenant. The platform has no join code. */
function TenantJoinCode() {
  const { data } = useRead(userApply.code, {}, { quiet: true })
  if (!data?.joinCode) return null
  return (
    <p className="kit-muted kit-row">
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
