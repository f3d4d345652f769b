import { type ReactNode, useEffect, useMemo, useState } from 'react'
import { FleetColumn, ModelPanel, OnlinePanel, RegionPanel, ReleasePanel, TicketPanel } from './screen-panels.tsx'
import type { Screen } from './use-screen.ts'
import './big-screen.css'

interface BigScreenViewProps {
  readonly screen: Screen
  /** The vendor's time zone; the browser's until it is loaded. */
  readonly zone: string | undefined
  readonly tools?: ReactNode
}

/** Big screen with the current figures of the vendor: full screen, dark, and updated continuously. */
export function BigScreenView({ screen: { fleet, online, releases, tickets }, zone, tools }: BigScreenViewProps) {
  const all = [fleet, online, releases, tickets]
  const nothing = all.every(({ data }) => data === null)
  const late = all.some(({ failed }) => failed)
  return (
    <main className="big-screen">
      <header className="big-screen-head">
        <nav className="big-screen-tools" aria-label="大屏操作">
          {tools}
          <FullScreenButton />
        </nav>
        <h1>设备运营大屏</h1>
        <Clock late={late} zone={zone} />
      </header>
      {nothing ? (
        <p className="big-screen-nothing">您没有可查看的数据，请联系管理员授权</p>
      ) : (
        <div className="big-screen-grid">
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

const SECOND_MS = 1000

function Clock({ late, zone }: { late: boolean; zone: string | undefined }) {
  const [now, setNow] = useState(() => new Date())
  const { time, day } = useMemo(() => {
    const here = zone ? { timeZone: zone } : {}
    return {
      time: new Intl.DateTimeFormat('zh-CN', { ...here, hour12: false, timeStyle: 'medium' }),
      day: new Intl.DateTimeFormat('zh-CN', { ...here, dateStyle: 'full' }),
    }
  }, [zone])
  useEffect(() => {
    const timer = setInterval(() => setNow(new Date()), SECOND_MS)
    return () => clearInterval(timer)
  }, [])
  return (
    <div className="big-screen-clock">
      <time>{time.format(now)}</time>
      <span>{day.format(now)}</span>
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
