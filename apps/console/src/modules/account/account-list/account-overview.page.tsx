import { accounts } from '@oms/contract/account/account-list.ts'
import { Alert, Button, Skeleton, Space, Empty, Input } from 'antd'
import { useNavigate } from 'react-router'
import { useRead } from '#core/api/query.ts'
import { useSearchParams, Link } from '#core/routing/router.tsx'
import { useTabTitle } from '#core/routing/tab.tsx'
import { RefreshErrorBanner } from '#kit/feedback/load-error-page.tsx'
import { Page, Panel } from '#kit/record/page.tsx'
import { RowActions } from '#kit/list/row-actions.tsx'
import { LoadFailed } from '#kit/table/table-state.tsx'
import { useKeyword } from '#kit/list/use-keyword.ts'
import { Waiting } from '#kit/feedback/waiting.tsx'
import { OperationsPanel, LoginsPanel, ProfilePanel, RightsPanel, SessionsPanel } from './account-panels.tsx'
import { AccountStatus } from './account-status.tsx'
import { formatAccountName, useAccountActions } from './use-account-actions.tsx'

/** Account overview of `?uid=`; without the parameter, an account picker. */
export default function AccountOverviewPage() {
  const [params] = useSearchParams()
  const uid = Number(params.get('uid'))
  if (Number.isInteger(uid) && uid > 0) return <Overview key={uid} uid={uid} />
  return (
    <Page>
      <AccountPicker />
    </Page>
  )
}

function Overview({ uid }: { uid: number }) {
  const { data, error, refetch } = useRead(accounts.detail, { id: uid }, { quiet: true, keepPrevious: false })
  const { actionsOf, dialog } = useAccountActions()
  const navigate = useNavigate()
  useTabTitle(data ? `账号 ${data.account.account}` : undefined)
  const again = () => void refetch()
  if (!data && error)
    return (
      <Page>
        <LoadFailed refusal={error} onRetry={again} />
        <AccountPicker />
      </Page>
    )
  if (!data)
    return (
      <Panel>
        <Skeleton active />
      </Panel>
    )
  const { account } = data
  const extra = (
    <Space wrap>
      <AccountStatus row={account} />
      <RowActions items={actionsOf(account)} shown={4} />
      <Button onClick={() => void navigate('/userManage/index')}>换一个账号</Button>
    </Space>
  )
  return (
    <Page title={formatAccountName(account)} extra={extra}>
      <RefreshErrorBanner refusal={error} onRetry={again} />
      {data.suspendedReason && <Alert type="warning" showIcon title={data.suspendedReason} />}
      <ProfilePanel data={data} />
      <RightsPanel data={data} />
      <SessionsPanel data={data} />
      <LoginsPanel logins={data.logins} />
      <OperationsPanel data={data} />
      {dialog}
    </Page>
  )
}

/** Selects the account of the overview. */
function AccountPicker() {
  const [account, setText] = useKeyword()
  const asked = { account, pageNum: 1, pageSize: 10, orderByColumn: 'lastLoginTime', isAsc: 'desc' } as const
  const read = useRead(accounts.list, asked, { quiet: true })
  const { data } = read
  return (
    <Panel title="选择账号">
      <Input.Search
        allowClear
        autoFocus
        aria-label="账号"
        placeholder="输入账号查找"
        style={{ maxWidth: 360, marginBottom: 12 }}
        onChange={({ target }) => setText(target.value)}
      />
      {!data && <Waiting reads={[read]} rows={4} />}
      {data?.list.length === 0 && <Empty image={Empty.PRESENTED_IMAGE_SIMPLE} description="没有找到账号" />}
      {data && data.list.length > 0 && (
        <ul className="kit-items">
          {data.list.map((row) => (
            <li key={row.uid} className="kit-row kit-apart">
              <Link to={`/userManage/index?uid=${row.uid}`}>{formatAccountName(row)}</Link>
              <span className="kit-none">{row.tenantName || '未加入客户'}</span>
            </li>
          ))}
        </ul>
      )}
    </Panel>
  )
}
