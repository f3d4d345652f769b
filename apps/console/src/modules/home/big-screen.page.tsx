import { useEffect, useState } from 'react'
import { Link } from '#kernel/router.tsx'
import { FleetColumn, ModelPanel, OnlinePanel, RegionPanel, ReleasePanel, TicketPanel } from './screen-panels.tsx'
import { useScreen } from './use-screen.ts'
import './big-screen.css'

/** The vendor's day on the wall: full screen, dark, legible from afar, and renewing itself for as long as it hangs there. */
export default function BigScreenPage() {
  const { fleet, online, releases, tickets } = useScreen()
  const all = [fleet, online, releases, tickets]
  const nothing = all.every(({ data }) => data === null)
  const late = all.some(({ failed }) => failed)
  return (
    <main className="wall">
      <header className="wall-head">
        <nav className="wall-tools">
          <Link to="/indexScreen">返回</Link>
          <FullScreenButton />
        </nav>
        <h1>设备运营大屏</h1>
        <Clock late={late} />
      </header>
      {nothing ? (
        <p className="wall-nothing">您没有可查看的数据，请联系管理员授权</p>
      ) : (
        <div className="wall-grid">
          <FleetColumn {...fleet} />
          <OnlinePanel {...online} />
          <RegionPanel {...fleet} />
          <ModelPanel {...fleet} />
          <ReleasePanel {...releases} />
          <TicketPanel {...tickets} />
        </div>
      )}
    </main>
  )
}

const TIME = new Intl.DateTimeFormat('zh-CN', { timeZone: 'Asia/Shanghai', hour12: false, timeStyle: 'medium' })
const DAY = new Intl.DateTimeFormat('zh-CN', { timeZone: 'Asia/Shanghai', dateStyle: 'full' })
const SECOND_MS = 1000

function Clock({ late }: { late: boolean }) {
  const [now, setNow] = useState(() => new Date())
  useEffect(() => {
    const timer = setInterval(() => setNow(new Date()), SECOND_MS)
    return () => clearInterval(timer)
  }, [])
  return (
    <div className="wall-clock">
      <time>{TIME.format(now)}</time>
      <span>{DAY.format(now)}</span>
      {late && <em role="status">数据更新失败，正在重试</em>}
    </div>
  )
}

function FullScreenButton() {
  const [full, setFull] = useState(() => document.fullscreenElement !== null)
  useEffect(() => {
    const onChange = () => setFull(document.fullscreenElement !== null)
    document.addEventListener('fullscreenchange', onChange)
    return () => document.removeEventListener('fullscreenchange', onChange)
  }, [])
  const toggle = () =>
    void (full ? document.exitFullscreen() : document.documentElement.requestFullscreen()).catch(() => {})
  return (
    <button type="button" onClick={toggle}>
      {full ? '退出全屏' : '全屏'}
    </button>
  )
}
