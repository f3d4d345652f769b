import { AccountOverview, type accounts } from '@oms/contract/account/account-list.ts'
import type { ResultOf } from '@oms/contract/core/endpoint.ts'
import { LOGIN_TYPE } from '@oms/contract/system/log.ts'
import { Tabs, Tag } from 'antd'
import type { ReactNode } from 'react'
import { Descriptions, createDescriptions } from '#kit/record/descriptions.tsx'
import { Panel } from '#kit/record/page.tsx'
import { RecordHistory } from '#kit/record/record-history.tsx'
import { SessionList } from '#kit/record/session-list.tsx'
import { TagList } from '#kit/record/tag-list.tsx'
import { Time } from '#kit/record/time.tsx'
import { useEndSession } from '#kit/record/use-end-session.ts'

type Overview = ResultOf<typeof accounts.detail>

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

export const ProfilePanel = ({ data: { account } }: { data: Overview }) => (
  <Panel title="基本信息">
    <div className="kit-many">
      <Descriptions row={account} items={PROFILE} />
    </div>
  </Panel>
)

/** Roles, and the effective permissions per page after scenes and disabled menus. */
export function RightsPanel({ data: { roles, rights, isSuper } }: { data: Overview }) {
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
export function SessionsPanel({ data: { sessions, account } }: { data: Overview }) {
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
export function LoginsPanel({ logins }: { logins: Overview['logins'] }) {
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
export function OperationsPanel({ data: { account, operations } }: { data: Overview }) {
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
    <Tag color={ok ? 'success' : 'error'}>{ok ? '成功' : '失败'}</Tag>
    <span>{children}</span>
  </li>
)
