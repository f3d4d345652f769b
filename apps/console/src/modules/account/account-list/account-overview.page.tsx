import { accounts, AccountOverview } from '@oms/contract/account/account-list.ts'
import { UserOutlined } from '@ant-design/icons'
import { Alert, Button, Skeleton, Empty, Input, Tabs, Tag } from 'antd'
import { useNavigate } from 'react-router'
import { useRead } from '#core/api/query.ts'
import { useSearchParams, Link } from '#core/routing/router.tsx'
import { useTabTitle } from '#core/routing/tab.tsx'
import { RefreshErrorBanner } from '#kit/feedback/load-error-page.tsx'
import { Page, Panel } from '#kit/record/page.tsx'
import { LoadFailed } from '#kit/table/table-state.tsx'
import { useKeyword } from '#kit/list/use-keyword.ts'
import { Waiting } from '#kit/feedback/waiting.tsx'
import { AccountStatus, formatAccountName, useAccountActions } from './account.tsx'
import type { ResultOf } from '@oms/contract/core/endpoint.ts'
import { LOGIN_TYPE } from '@oms/contract/system/log.ts'
import type { ReactNode } from 'react'
import { Descriptions, createDescriptions } from '#kit/record/descriptions.tsx'
import { HeadActions, RecordHead } from '#kit/record/record-head.tsx'
import { RecordHistory } from '#kit/record/record-history.tsx'
import { SessionList } from '#kit/record/session-list.tsx'
import { TagList } from '#kit/record/tag-list.tsx'
import { Time } from '#kit/record/time.tsx'
import { useEndSession } from '#kit/record/use-end-session.ts'
import { State } from '#kit/record/state.tsx'

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
  return (
    <Page>
      <RecordHead
        name={formatAccountName(account)}
        icon={<UserOutlined />}
        state={<AccountStatus row={account} />}
        facts={[
          ['客户', account.tenantName || '未加入客户'],
          ['最近登录', at(account.lastLoginTime)],
        ]}
        actions={
          <>
            <HeadActions items={actionsOf(account)} shown={4} hasPrimary={false} />
            <Button onClick={() => void navigate('/userManage/index')}>换一个账号</Button>
          </>
        }
      />
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
      {data?.list.length === 0 && <Empty description="没有找到账号" />}
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

type OverviewData = ResultOf<typeof accounts.detail>

const { item, wide } = createDescriptions(AccountOverview.shape.account)
const at = (time: string | null) => <Time at={time} />
const PROFILE = [
  item('uid'),
  item('account'),
  item('realname'),
  item('nickname'),
  item('tenantName', (name) => name || '未加入客户'),
  item('isTenantAdmin'),
  item('mobileNo'),
  item('email'),
  item('locked', (locked) => (locked ? <Tag color="error">已锁定</Tag> : '否')),
  item('mfaEnabled', (on) => (on ? '已启用' : '未启用')),
  item('lastLoginTime', at),
  item('lastLoginIp'),
  item('loginCount'),
  item('pwdUpdateTime', at),
  item('pwdMustChange'),
  item('expireTime', (time) => (time ? at(time) : '长期有效')),
  item('createTime', at),
  wide('remark'),
]

const ProfilePanel = ({ data: { account } }: { data: OverviewData }) => (
  <Panel title="基本信息">
    <div className="kit-many">
      <Descriptions row={account} items={PROFILE} />
    </div>
  </Panel>
)

/** Roles, and the effective permissions per page after scenes and disabled menus. */
function RightsPanel({ data: { roles, rights, isSuper } }: { data: OverviewData }) {
  return (
    <Panel title="角色与权限">
      <p>
        {roles.length === 0 && <span className="kit-none">没有角色</span>}
        <TagList>
          {roles.map(({ id, roleName, status }) => (
            <Tag key={id} color={status === 1 ? 'processing' : 'default'}>
              {roleName}
              {status !== 1 && '（已停用）'}
            </Tag>
          ))}
        </TagList>
        {isSuper && <span className="kit-none">超级管理员，拥有全部权限</span>}
      </p>
      {rights.length === 0 ? (
        <Nothing text="没有任何权限" />
      ) : (
        <dl className="kit-details">
          {rights.map(({ page, actions }) => (
            <div key={page}>
              <dt>{page}</dt>
              <dd>{actions.length > 0 ? actions.join('、') : '仅查看'}</dd>
            </div>
          ))}
        </dl>
      )}
    </Panel>
  )
}

/** Requires the permission for online users. */
function SessionsPanel({ data: { sessions, account } }: { data: OverviewData }) {
  const forceOut = useEndSession()
  if (!sessions) return null
  return (
    <Panel title={`登录会话（${sessions.length}）`}>
      {sessions.length === 0 ? (
        <Nothing text="当前没有登录的会话" />
      ) : (
        <SessionList sessions={sessions} onEnd={forceOut} reason={account.changeRefusal ?? undefined} />
      )}
    </Panel>
  )
}

/** Requires the permission for the login log. */
function LoginsPanel({ logins }: { logins: OverviewData['logins'] }) {
  if (!logins) return null
  return (
    <Panel title="最近登录">
      {logins.length === 0 && <Nothing text="近 90 天没有登录记录" />}
      <ul className="kit-items">
        {logins.map(({ infoId, loginTime, loginType, ip, location, browser, os, status, msg }) => (
          <Line key={infoId} time={loginTime} ok={status === 1}>
            {LOGIN_TYPE[loginType as keyof typeof LOGIN_TYPE] ?? '登录'} · {ip} {location} · {browser} · {os} · {msg}
          </Line>
        ))}
      </ul>
    </Panel>
  )
}

/** Operations by the account and on the account. */
function OperationsPanel({ data: { account, operations } }: { data: OverviewData }) {
  const own = operations && (
    <>
      {operations.length === 0 && <Nothing text="近 90 天没有操作" />}
      <ul className="kit-items">
        {operations.map(({ operId, operTime, title, action, status }) => (
          <Line key={operId} time={operTime} ok={status === 1}>
            {action || title}
          </Line>
        ))}
      </ul>
    </>
  )
  const history = <RecordHistory bizType="account" bizId={account.uid} />
  return (
    <Panel>
      <Tabs
        items={[
          ...(own ? [{ key: 'own', label: '最近操作', children: own }] : []),
          { key: 'history', label: '账号变更记录', children: history },
        ]}
      />
    </Panel>
  )
}

const Nothing = ({ text }: { text: string }) => <p className="kit-none">{text}</p>

const Line = ({ time, ok, children }: { time: string; ok: boolean; children: ReactNode }) => (
  <li className="kit-row">
    <Time at={time} />
    <State color={ok ? 'success' : 'error'}>{ok ? '成功' : '失败'}</State>
    <span>{children}</span>
  </li>
)
