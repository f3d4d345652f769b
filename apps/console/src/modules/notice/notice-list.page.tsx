import { PlusOutlined, PushpinFilled } from '@ant-design/icons'
import { NOTICE_PUBLISHED, NOTICE_TARGET, notices } from '@oms/contract/notice.ts'
import { NoticeRow } from '@oms/contract/notice-rows.ts'
import { Button } from 'antd'
import { useState } from 'react'
import { formatCount } from '#kernel/format.ts'
import { later } from '#kernel/later.tsx'
import { Allowed, useCan } from '#kernel/session.tsx'
import { BatchAction } from '#kit/batch-action.tsx'
import { columnsOf } from '#kit/columns.tsx'
import { DataTable, type Picked } from '#kit/data-table.tsx'
import { Named } from '#kit/ellipsis.tsx'
import { Filter, SelectFilter } from '#kit/filter.tsx'
import { DateRangeFilter } from '#kit/filter-date.tsx'
import { Page } from '#kit/page.tsx'
import { RowActions } from '#kit/row-actions.tsx'
import { SearchForm } from '#kit/search-form.tsx'
import { time } from '#kit/time.tsx'
import { useList } from '#kit/use-list.ts'
import { type Notice, NoticePriority, NoticeStatus, NoticeType } from './notice-status.tsx'
import { useNoticeActions } from './use-notice-actions.ts'
import './notice.css'

const NoticeAddForm = later(() => import('./notice-form.tsx'), 'NoticeAddForm')
const NoticeEditForm = later(() => import('./notice-form.tsx'), 'NoticeEditForm')
const NoticePreview = later(() => import('./notice-preview.tsx'), 'NoticePreview', {
  when: ({ row }) => row !== undefined,
})
const ReadUsers = later(() => import('./read-users.tsx'), 'ReadUsers')

const { col, actions } = columnsOf(NoticeRow)
const QUERY = notices.list.input
const TARGETS: Readonly<Record<number, string>> = NOTICE_TARGET

/** What of the page is open beside the list. */
type Open = { readonly add?: true; readonly edit?: number; readonly read?: Notice }

/** Notices of the tenants one may manage. */
export default function NoticeListPage() {
  const list = useList(notices.list)
  const actionsOf = useNoticeActions()
  const [shown, setShown] = useState<Notice>()
  const [open, setOpen] = useState<Open>({})
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
      <SearchForm {...list.search}>
        <Filter of={QUERY} name="title" />
        <SelectFilter of={QUERY} name="status" />
        <SelectFilter of={QUERY} name="type" />
        <SelectFilter of={QUERY} name="target" />
        <SelectFilter of={QUERY} name="priority" />
        <DateRangeFilter label="创建时间" />
      </SearchForm>
      <DataTable
        {...list.table}
        rowKey="noticeId"
        columns={[...columns, actions(rowActions, 170)]}
        actions={add}
        selectable={({ status }) => status !== NOTICE_PUBLISHED}
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
  <Named
    name={title}
    shown={
      <>
        {top && <PushpinFilled className="notice-top" aria-label="置顶" />}
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
      <BatchAction label="发布" to={notices.publish} {...each} />
      <BatchAction label="删除" to={notices.remove} {...each} danger />
    </>
  )
}
