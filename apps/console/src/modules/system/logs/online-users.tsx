import { logs, OnlineSessionRow } from '@oms/contract/system/log.ts'
import { Tag } from 'antd'
import type * as z from 'zod'
import { BatchAction } from '#kit/list/batch-action.tsx'
import { createColumns } from '#kit/table/columns.tsx'
import { DataTable, type Picked } from '#kit/table/data-table.tsx'
import { Ellipsis, NameWithTags } from '#kit/record/ellipsis.tsx'
import { Filter } from '#kit/list/filter.tsx'
import { RowActions } from '#kit/list/row-actions.tsx'
import { SearchForm } from '#kit/list/search-form.tsx'
import { time } from '#kit/record/time.tsx'
import { useEndSession } from '#kit/record/use-end-session.ts'
import { useInnerList } from '#kit/list/use-list.ts'

type Online = z.output<typeof OnlineSessionRow>

const { col, actions } = createColumns(OnlineSessionRow)
const QUERY = logs.online.input
const COLUMNS = [
  col(
    'account',
    (account, { current }) => (
      <NameWithTags name={account}>{current && <Tag color="success">当前会话</Tag>}</NameWithTags>
    ),
    { width: 155 },
  ),
  col('realname', { width: 90 }),
  col('tenantName', { width: 120 }),
  col('ip', { width: 120 }),
  col('location', { width: 80, hidden: true }),
  { ...col('browser', (browser, { os }) => <Ellipsis text={`${browser} · ${os}`} />, { width: 165 }), title: '客户端' },
  col('console', (console) => (console ? '控制台' : '接口'), { width: 70, title: '方式' }),
  col('loginTime', time, { width: 165, sort: true }),
  col('lastActiveTime', time, { width: 165, sort: true }),
]

const BATCH = {
  findSelectionBlock: ({ current, changeRefusal }: Online) =>
    current ? '不能强制下线当前会话' : (changeRefusal ?? undefined),
  batch: (picked: Picked<Online>) => (
    <BatchAction
      label="强制下线"
      to={logs.forceOut}
      picked={picked}
      input={({ sessionId }) => ({ sessionId })}
      nameOf={({ account, ip }) => `${account}（${ip}）`}
      danger
      effect="这些会话立即退出，未保存的内容会丢失。"
    />
  ),
}

/** Lists the current sessions, with buttons to end them. */
export function OnlineUsers() {
  const list = useInnerList(logs.online)
  const forceOut = useEndSession()
  const rowActions = ({ sessionId, current, changeRefusal }: Online) => (
    <RowActions
      items={[
        !current && {
          label: '强制下线',
          danger: true,
          reason: changeRefusal ?? undefined,
          onClick: () => forceOut?.(sessionId),
        },
      ]}
    />
  )
  const mayEnd = forceOut !== undefined
  return (
    <>
      <SearchForm {...list.search}>
        <Filter of={QUERY} name="account" />
        <Filter of={QUERY} name="ip" />
      </SearchForm>
      <DataTable
        {...list.table}
        rowKey="sessionId"
        name="online"
        columns={mayEnd ? [...COLUMNS, actions(rowActions, 95)] : COLUMNS}
        {...(mayEnd && BATCH)}
        empty={{ text: '当前没有在线用户' }}
      />
    </>
  )
}
