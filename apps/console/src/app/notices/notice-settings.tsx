import { MUTED_TOPICS_KEY, NOTICE_TOPIC } from '@oms/contract/system/notice.ts'
import { Switch } from 'antd'
import { usePreference } from '#kit/table/use-preference.ts'

/** Chooses the topics of system messages that the account receives. Notices that people write always arrive. */
export function NoticeSettings() {
  const [muted, setMuted] = usePreference<readonly string[]>(MUTED_TOPICS_KEY, [])
  return (
    <>
      <p className="notice-about">关闭后，系统不再向您发送该类消息；通知和公告始终发送。</p>
      <ul className="notice-list">
        {Object.entries(NOTICE_TOPIC).map(([topic, name]) => (
          <li key={topic} className="notice-setting">
            <label htmlFor={`topic-${topic}`}>{name}</label>
            <Switch
              id={`topic-${topic}`}
              aria-label={name}
              checked={!muted.includes(topic)}
              onChange={(isWanted) => setMuted(isWanted ? muted.filter((each) => each !== topic) : [...muted, topic])}
            />
          </li>
        ))}
      </ul>
    </>
  )
}
