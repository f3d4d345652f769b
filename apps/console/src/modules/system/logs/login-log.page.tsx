import {
  LOG_STATUS,
  LOGIN_LOG_DAYS,
  LOGIN_TYPE,
  LoginLogRow,
  logs,
  OnlineSessionRow,
} from '@oms/contract/system/log.ts'
import { Alert, Button, Tabs, Tag } from 'antd'
import type * as z from 'zod'
import { useWrite } from '#core/api/query.ts'
import { useView } from '#core/routing/view.ts'
import { useCan } from '#core/auth/session.tsx'
import { createColumns } from '#kit/table/columns.tsx'
import { DataTable, type Picked } from '#kit/table/data-table.tsx'
import { NameWithTags, Ellipsis } from '#kit/record/ellipsis.tsx'
import { ExportButton } from '#kit/list/export-button.tsx'
import { Filter, SelectFilter } from '#kit/list/filter.tsx'
import { DateRangeFilter } from '#kit/list/filter-date.tsx'
import { Page } from '#kit/record/page.tsx'
import { RowActions } from '#kit/list/row-actions.tsx'
import { SearchForm } from '#kit/list/search-form.tsx'
import { time } from '#kit/record/time.tsx'
import { useList, useInnerList } from '#kit/list/use-list.ts'
import { useDictLabels } from '#kit/pickers/dict-words.tsx'
import { OutcomeTag } from './outcome.tsx'
import { BatchAction } from '#kit/list/batch-action.tsx'
import { useEndSession } from '#kit/record/use-end-session.ts'
import type { BuiltInView } from '#kit/list/saved-views-state.ts'

type Line = z.output<typeof LoginLogRow>

const { col, actions } = createColumns(LoginLogRow)
const QUERY = logs.logins.input
const COLUMNS = [
  col('loginTime', time, { width: 152, sort: true }),
  col(
    'account',
    (account, { locked }) => <NameWithTags name={account}>{locked && <Tag color="error">已锁定</Tag>}</NameWithTags>,
    {
      width: 150,
    },
  ),
  col('loginType', { width: 100 }),
  col('status', (status) => <OutcomeTag ok={status === 1} />, { width: 80 }),
  col('msg', { width: 170 }),
  col('ip', { width: 120 }),
  col('location', { width: 70 }),
  col('browser', { width: 110 }),
  col('os', { width: 100 }),
  col('tenantName', { width: 140, hidden: true }),
]

/** Login log and online users. */
export default function LoginLogPage() {
  const can = useCan()
  const [view, setView] = useView('logins')
  const maySeeOnline = can(logs.online.access)
  return (
    <Page tabs={maySeeOnline && <Tabs activeKey={view} onChange={setView} items={VIEWS} />}>
      {maySeeOnline && view === 'online' ? <OnlineUsers /> : <Logins />}
    </Page>
  )
}

const VIEWS = [
  { key: 'logins', label: '登录记录' },
  { key: 'online', label: '在线用户' },
]

const LIST_VIEWS: readonly BuiltInView[] = [{ name: '失败', filters: { status: '0' } }]

function Logins() {
  const list = useList(logs.logins)
  const outcomes = useDictLabels('sys_common_status', LOG_STATUS).options
  const unlock = useWrite(logs.unlock)
  const rowActions = ({ account, locked, changeRefusal }: Line) => (
    <RowActions
      items={[
        locked && {
          label: '解锁',
          to: logs.unlock,
          reason: changeRefusal ?? undefined,
          confirm: `解除账号「${account}」的登录锁定？`,
          onClick: () => unlock.mutateAsync({ account }),
        },
      ]}
    />
  )
  const anyLocked = list.table.rows.some(({ locked }) => locked)
  return (
    <>
      {'tenantId' in list.search.initial && <TenantNote {...list.table} />}
      <SearchForm {...list.search}>
        <Filter of={QUERY} name="account" />
        <DateRangeFilter label="登录时间" />
        <SelectFilter of={QUERY} name="status" options={outcomes} />
        <SelectFilter of={QUERY} name="loginType" options={optionsOf(LOGIN_TYPE)} />
        <Filter of={QUERY} name="ip" />
      </SearchForm>
      <DataTable
        {...list.table}
        views={LIST_VIEWS}
        rowKey="infoId"
        columns={anyLocked ? [...COLUMNS, actions(rowActions, 80, [logs.unlock])] : COLUMNS}
        actions={<span className="kit-none">默认显示近 {LOGIN_LOG_DAYS} 天，选择登录时间可查看更早的记录</span>}
        tools={<ExportButton to={logs.exportLogins} query={list.query} name="登录日志" />}
        empty={{ text: `近 ${LOGIN_LOG_DAYS} 天没有登录记录` }}
      />
    </>
  )
}

/** Names the tenant of the URL, which has no field in the search form, and offers to clear the filter. */
function TenantNote({ rows, onClear }: { rows: readonly Line[]; onClear(): void }) {
  const all = (
    <Button size="small" onClick={onClear}>
      显示全部
    </Button>
  )
  const title = rows[0] ? `只显示客户「${rows[0].tenantName}」的登录记录` : '只显示一个客户的登录记录'
  return <Alert type="info" showIcon title={title} action={all} />
}

const optionsOf = (labels: Readonly<Record<number, string>>) =>
  Object.entries(labels).map(([value, label]) => ({ value, label }))

type Online = z.output<typeof OnlineSessionRow>

const { col: sessionColumn, actions: sessionActions } = createColumns(OnlineSessionRow)
const SESSION_QUERY = logs.online.input
const SESSION_COLUMNS = [
  sessionColumn(
    'account',
    (account, { current }) => (
      <NameWithTags name={account}>{current && <Tag color="success">当前会话</Tag>}</NameWithTags>
    ),
    { width: 155 },
  ),
  sessionColumn('realname', { width: 90 }),
  sessionColumn('tenantName', { width: 120 }),
  sessionColumn('ip', { width: 120 }),
  sessionColumn('location', { width: 80, hidden: true }),
  {
    ...sessionColumn('browser', (browser, { os }) => <Ellipsis text={`${browser} · ${os}`} />, { width: 165 }),
    title: '客户端',
  },
  sessionColumn('console', (console) => (console ? '控制台' : '接口'), { width: 70, title: '方式' }),
  sessionColumn('loginTime', time, { width: 165, sort: true }),
  sessionColumn('lastActiveTime', time, { width: 165, sort: true }),
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
        <Filter of={SESSION_QUERY} name="account" />
        <Filter of={SESSION_QUERY} name="ip" />
      </SearchForm>
      <DataTable
        {...list.table}
        rowKey="sessionId"
        name="online"
        columns={mayEnd ? [...SESSION_COLUMNS, sessionActions(rowActions, 95)] : SESSION_COLUMNS}
        {...(mayEnd && BATCH)}
        empty={{ text: '当前没有在线用户' }}
      />
    </>
  )
}
