import { PlusOutlined, PushpinFilled } from '@ant-design/icons'
import { SHARED_DATA_MESSAGE } from '@oms/contract/core/shared-data.ts'
import { NOTICE_PUBLISHED, NOTICE_STATUS, NOTICE_TARGET, NOTICE_TYPE, notices } from '@oms/contract/system/notice.ts'
import { NoticeRow } from '@oms/contract/system/notice-rows.ts'
import { Button } from 'antd'
import { useState } from 'react'
import { formatCount } from '#core/text/format.ts'
import { lazyAfterRender } from '#core/loading/deferred.tsx'
import { Allowed, useCan } from '#core/auth/session.tsx'
import { BatchAction } from '#kit/list/batch-action.tsx'
import { createColumns } from '#kit/table/columns.tsx'
import { DataTable, type Picked } from '#kit/table/data-table.tsx'
import { NameWithTags } from '#kit/record/ellipsis.tsx'
import { Filter, SelectFilter } from '#kit/list/filter.tsx'
import { DateRangeFilter } from '#kit/list/filter-date.tsx'
import { Page } from '#kit/record/page.tsx'
import { RowActions, type RowAction } from '#kit/list/row-actions.tsx'
import { SearchForm, type SearchProps } from '#kit/list/search-form.tsx'
import { time } from '#kit/record/time.tsx'
import { useDictLabels } from '#kit/pickers/dict-words.tsx'
import { useList } from '#kit/list/use-list.ts'
import { useWrite } from '#core/api/query.ts'
import { type Notice, NoticePriority, NoticeStatus, NoticeType } from './notice-status.tsx'
import type { BuiltInView } from '#kit/list/saved-views-state.ts'

const NoticeAddForm = lazyAfterRender(() => import('./notice-form.tsx'), 'NoticeAddForm')
const NoticeEditForm = lazyAfterRender(() => import('./notice-form.tsx'), 'NoticeEditForm')
const NoticePreview = lazyAfterRender(() => import('./notice-drawers.tsx'), 'NoticePreview', {
  when: ({ row }) => row !== undefined,
})
const ReadUsers = lazyAfterRender(() => import('./notice-drawers.tsx'), 'ReadUsers')

const { col, actions } = createColumns(NoticeRow)
const QUERY = notices.list.input
const TARGETS: Readonly<Record<number, string>> = NOTICE_TARGET

/** The drawer or form that is open. */
type OpenLayer = { readonly add?: true; readonly edit?: number; readonly read?: Notice }

const VIEWS: readonly BuiltInView[] = [
  { name: '草稿', filters: { status: '0' } },
  { name: '已发布', filters: { status: '1' } },
]

/** Lists the notices of the tenants within the data scope. */
export default function NoticeListPage() {
  const list = useList(notices.list)
  const actionsOf = useNoticeActions()
  const [shown, setShown] = useState<Notice>()
  const [open, setOpen] = useState<OpenLayer>({})
  const close = () => setOpen({})
  const columns = useColumns((row) => setOpen({ read: row }))
  const rowActions = (row: Notice) => (
    <RowActions
      items={[
        { label: '查看', to: notices.get, onClick: () => setShown(row) },
        ...actionsOf(row, () => setOpen({ edit: row.noticeId })),
      ]}
    />
  )
  const add = <AddButton onAdd={() => setOpen({ add: true })} />
  return (
    <Page>
      <NoticeSearch {...list.search} />
      <DataTable
        {...list.table}
        views={VIEWS}
        rowKey="noticeId"
        columns={[...columns, actions(rowActions, 130, [notices.get, ...NOTICE_ACTION_CALLS])]}
        actions={add}
        findSelectionBlock={findBatchBlock}
        batch={(picked) => <Batch picked={picked} />}
        empty={{ text: '还没有通知公告', hint: '公告发布后立即送达所选的账号，并能查看谁已阅读。', action: add }}
        onOpen={setShown}
      />
      <NoticePreview rows={list.table.rows} row={shown} onRow={setShown} />
      {open.add && <NoticeAddForm onClose={close} />}
      {open.edit && <NoticeEditForm id={open.edit} onClose={close} />}
      {open.read && <ReadUsers notice={open.read} onClose={close} />}
    </Page>
  )
}

/** Returns why a notice can be neither published nor deleted. */
function findBatchBlock({ status, isEditable }: Notice) {
  if (!isEditable) return SHARED_DATA_MESSAGE
  return status === NOTICE_PUBLISHED ? '公告已发布，请先撤回' : undefined
}

function NoticeSearch(search: SearchProps) {
  const statuses = useDictLabels('sys_notice_status', NOTICE_STATUS).options
  const types = useDictLabels('sys_notice_type', NOTICE_TYPE).options
  return (
    <SearchForm {...search}>
      <Filter of={QUERY} name="title" />
      <SelectFilter of={QUERY} name="status" options={statuses} />
      <SelectFilter of={QUERY} name="type" options={types} />
      <SelectFilter of={QUERY} name="target" />
      <SelectFilter of={QUERY} name="priority" />
      <DateRangeFilter label="创建时间" />
    </SearchForm>
  )
}

function useColumns(onReceipts: (row: Notice) => void) {
  const mayRead = useCan()(notices.readUsers.access)
  const receipts = (_: number, row: Notice) => {
    const words = `${formatCount(row.readCount)} / ${formatCount(row.targetCount)}`
    if (!mayRead || row.status !== NOTICE_PUBLISHED) return words
    return (
      <Button type="link" size="small" aria-label={`阅读情况 ${row.title}`} onClick={() => onReceipts(row)}>
        {words}
      </Button>
    )
  }
  return [
    col('title', (title, row) => <Title title={title} top={row.isTop === 1} />, { width: 190 }),
    col('type', (type) => <NoticeType type={type} />, { width: 90 }),
    col('priority', (priority) => <NoticePriority priority={priority} />, { width: 80 }),
    col('target', (target) => TARGETS[target] ?? target, { width: 100 }),
    col('status', (_, row) => <NoticeStatus notice={row} />, { width: 100 }),
    col('readCount', receipts, { width: 110, title: '已读 / 对象' }),
    col('publishTime', time, { width: 170, sort: true }),
    col('publisherName', { width: 100 }),
    col('startTime', time, { width: 180, hidden: true }),
    col('endTime', time, { width: 180, hidden: true }),
    col('tenantName', { width: 150, hidden: true }),
    col('createTime', time, { width: 180, hidden: true }),
  ]
}

const Title = ({ title, top }: { title: string; top: boolean }) => (
  <NameWithTags
    name={title}
    shown={
      <>
        {top && <PushpinFilled className="kit-warning" aria-label="置顶" />}
        {title}
      </>
    }
  />
)

const AddButton = ({ onAdd }: { onAdd(): void }) => (
  <Allowed to={notices.create}>
    <Button type="primary" icon={<PlusOutlined />} onClick={onAdd}>
      新增公告
    </Button>
  </Allowed>
)

function Batch({ picked }: { picked: Picked<Notice> }) {
  const each = { picked, input: ({ noticeId }: Notice) => ({ id: noticeId }), nameOf: ({ title }: Notice) => title }
  return (
    <>
      <BatchAction label="发布" to={notices.publish} {...each} effect="发布后立即送达所选的账号。" />
      <BatchAction label="删除" to={notices.remove} {...each} danger effect="删除后不能恢复。" />
    </>
  )
}

/** Calls of the row actions that change a notice. */
const NOTICE_ACTION_CALLS = [notices.publish, notices.revoke, notices.update, notices.remove]

/** Returns the row actions of a notice. A published notice must be withdrawn before it can be edited or deleted. */
function useNoticeActions() {
  const publish = useWrite(notices.publish)
  const revoke = useWrite(notices.revoke)
  const remove = useWrite(notices.remove)
  return (row: Notice, onEdit: () => void): readonly RowAction[] => {
    if (!row.isEditable) return []
    const input = { id: row.noticeId }
    if (row.status === NOTICE_PUBLISHED)
      return [
        {
          label: '撤回',
          to: notices.revoke,
          danger: true,
          confirm: `撤回「${row.title}」？它会立即从所有收件人的消息中消失。`,
          onClick: () => revoke.mutateAsync(input),
        },
      ]
    return [
      {
        label: '发布',
        to: notices.publish,
        confirm: sentence(row),
        onClick: () => publish.mutateAsync(input),
      },
      { label: '编辑', to: notices.update, onClick: onEdit },
      {
        label: '删除',
        to: notices.remove,
        danger: true,
        confirm: `删除「${row.title}」？`,
        onClick: () => remove.mutateAsync(input),
      },
    ]
  }
}

const sentence = ({ title, targetCount, startTime }: Notice) =>
  `发布「${title}」，发送给 ${targetCount} 个账号${startTime ? `，${startTime} 起可见` : ''}？`
