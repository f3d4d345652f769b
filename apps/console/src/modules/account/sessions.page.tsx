import type { ResultOf } from '@oms/contract/core/endpoint.ts'
import { account } from '@oms/contract/account/account.ts'
import { Button, Tag } from 'antd'
import { dialogs } from '#core/loading/overlays.ts'
import { useRead, useWrite } from '#core/api/query.ts'
import { ReasonedButton } from '#kit/feedback/reasoned-button.tsx'
import { Waiting } from '#kit/feedback/waiting.tsx'
import { AccountSettings } from './account-settings.tsx'

/** Lists the user's sessions, with buttons to end them. */
export default function SessionsPage() {
  const read = useRead(account.sessions, {})
  const { data } = read
  const end = useWrite(account.endSession)
  const rows = data?.list ?? []
  const ask = (content: string, sessionId?: string) =>
    void dialogs.confirm({
      title: '退出登录会话',
      content,
      okText: '退出',
      cancelText: '取消',
      onOk: () => end.mutateAsync(sessionId ? { sessionId } : {}).catch(() => {}),
    })
  const endOthers = (
    <ReasonedButton
      danger
      reason={data && rows.length < 2 ? '没有其他会话' : undefined}
      onClick={() => ask('除当前会话外，您在其他设备上的登录都将失效。')}
    >
      退出其他会话
    </ReasonedButton>
  )
  return (
    <AccountSettings
      title="我的会话"
      intro="您的账号当前登录的浏览器。不认识的会话请立即退出，并修改密码。"
      extra={endOthers}
    >
      {!data && <Waiting reads={[read]} rows={3} />}
      <ul className="kit-items">
        {rows.map((session) => (
          <SessionItem key={session.sessionId} session={session} onEnd={ask} />
        ))}
      </ul>
    </AccountSettings>
  )
}

interface SessionItemProps {
  readonly session: ResultOf<typeof account.sessions>['list'][number]
  onEnd(content: string, sessionId: string): void
}

function SessionItem({ session, onEnd }: SessionItemProps) {
  const { sessionId, current, ip, browser, os, loginTime, lastActiveTime } = session
  return (
    <li className="kit-row">
      <div className="kit-main">
        <strong>
          {browser} · {os} {current && <Tag color="green">当前会话</Tag>}
        </strong>
        <p>
          IP 地址 {ip} · 登录时间 {loginTime} · 最近活动 {lastActiveTime}
        </p>
      </div>
      {!current && <Button onClick={() => onEnd(`${browser} · ${os}（${ip}）将立即失效。`, sessionId)}>退出</Button>}
    </li>
  )
}
