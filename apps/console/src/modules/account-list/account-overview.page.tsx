import { accounts } from '@oms/contract/account-list.ts'
import { Alert, Button, Skeleton, Space } from 'antd'
import { useNavigate } from 'react-router'
import { useRead } from '#kernel/query.ts'
import { useSearchParams } from '#kernel/router.tsx'
import { useTabTitle } from '#kernel/tab.tsx'
import { Outdated } from '#kit/lost-page.tsx'
import { Page, Panel } from '#kit/page.tsx'
import { RowActions } from '#kit/row-actions.tsx'
import { LoadFailed } from '#kit/table-state.tsx'
import { AccountPicker } from './account-picker.tsx'
import { Doings, LoginsPanel, ProfilePanel, RightsPanel, SessionsPanel } from './account-panels.tsx'
import { AccountStatus } from './account-status.tsx'
import { nameOf, useAccountActions } from './use-account-actions.tsx'

/** Everything of one account on one page: `?uid=`; without it, a way to find one. */
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
    <Page title={nameOf(account)} extra={extra}>
      <Outdated refusal={error} onRetry={again} />
      {data.barredBecause && <Alert type="warning" showIcon title={data.barredBecause} />}
      <ProfilePanel data={data} />
      <RightsPanel data={data} />
      <SessionsPanel sessions={data.sessions} />
      <LoginsPanel logins={data.logins} />
      <Doings data={data} />
      {dialog}
    </Page>
  )
}
