import { accounts } from '@oms/contract/account-list/account-list.ts'
import { Alert, Button, Skeleton, Space } from 'antd'
import { useNavigate } from 'react-router'
import { useRead } from '#core/api/query.ts'
import { useSearchParams } from '#core/routing/router.tsx'
import { useTabTitle } from '#core/routing/tab.tsx'
import { RefreshErrorBanner } from '#kit/feedback/load-error-page.tsx'
import { Page, Panel } from '#kit/record/page.tsx'
import { RowActions } from '#kit/list/row-actions.tsx'
import { LoadFailed } from '#kit/table/table-state.tsx'
import { AccountPicker } from './account-picker.tsx'
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
