import { Empty, Tag } from 'antd'
import { ReasonedButton } from '#kit/feedback/reasoned-button.tsx'
import { Time } from './time.tsx'

interface SessionLine {
  readonly sessionId: string
  readonly ip: string
  readonly browser: string
  readonly os: string
  readonly loginTime: string
  readonly lastActiveTime: string
  readonly current?: boolean
}

/** Lists the sessions of an account, with a button to end each session when permitted. */
export function SessionList(props: {
  sessions: readonly SessionLine[]
  onEnd?: ((sessionId: string) => void) | undefined
  /** Disables the buttons and says why, in their tooltip. */
  reason?: string | undefined
}) {
  const { sessions, onEnd, reason } = props
  if (sessions.length === 0) return <Empty description="当前没有登录的会话" />
  return (
    <ul className="kit-items">
      {sessions.map(({ sessionId, ip, browser, os, loginTime, lastActiveTime, current }) => (
        <li key={sessionId} className="kit-row">
          <div className="kit-main">
            <strong>
              {browser} · {os}
            </strong>{' '}
            {current && <Tag color="success">当前会话</Tag>}
            <div className="kit-muted kit-row">
              <span>{ip}</span>
              <span>
                登录 <Time at={loginTime} />
              </span>
              <span>
                最近活动 <Time at={lastActiveTime} />
              </span>
            </div>
          </div>
          {onEnd && !current && (
            <ReasonedButton danger size="small" reason={reason} onClick={() => onEnd(sessionId)}>
              强制下线
            </ReasonedButton>
          )}
        </li>
      ))}
    </ul>
  )
}
