import { type ReactNode, useEffect, useMemo, useState } from 'react'
import type { Screen } from './screen-feed.ts'
import './big-screen.css'
import type { FleetState, DistributionData } from '@oms/contract/home/home.ts'
import { formatCount, formatRate } from '#core/text/format.ts'
import { BareChart } from '#kit/chart/bare-chart.tsx'

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

interface PanelProps {
  readonly title: string
  readonly area: string
  readonly state: { readonly data: unknown; readonly failed: boolean }
  readonly children: ReactNode
}

/** Panel of the big screen; omitted without its permission. */
function Panel({ title, area, state: { data, failed }, children }: PanelProps) {
  if (data === null) return null
  return (
    <section className={`big-screen-panel big-screen-${area}`} aria-label={title}>
      <h2>{title}</h2>
      {data === undefined && <p className="big-screen-wait">{failed ? '暂时无法加载数据，正在重试' : '加载中…'}</p>}
      {children}
    </section>
  )
}

function FleetColumn(fleet: Screen['fleet']) {
  const state = fleet.data?.state
  return (
    <Panel title="设备状态" area="state" state={fleet}>
      {state && (
        <>
          <div className="big-screen-figures">
            <Figure title="设备总数" value={state.devices} />
            <Figure title="在线" value={state.online} tone="good" />
            <Figure title="今日激活" value={state.activatedToday} tone="warm" />
            <Figure title="今日新增" value={state.createdToday} />
          </div>
          <Ring {...state} />
        </>
      )}
    </Panel>
  )
}

const Figure = ({ title, value, tone = 'plain' }: { title: string; value: number; tone?: string }) => (
  <div className={`big-screen-figure big-screen-${tone}`}>
    <span>{title}</span>
    <strong>{formatCount(value)}</strong>
  </div>
)

/** Ring chart of online, offline and inactive devices, with the online percentage. */
function Ring({ devices, online, offline, inactive }: FleetState) {
  const parts = [
    { name: '在线', value: online, tone: 'good', color: '--big-screen-green' },
    { name: '离线', value: offline, tone: 'calm', color: '--big-screen-blue' },
    { name: '未激活', value: inactive, tone: 'quiet', color: '#4a5f8d' },
  ]
  const share = devices > 0 ? online / devices : 0
  return (
    <div className="big-screen-ring">
      <div className="big-screen-ring-chart">
        <BareChart
          isUrgent
          name="设备状态"
          data={{
            kind: 'ring',
            categoryTitle: '状态',
            categories: parts.map(({ name, color }) => ({ label: name, color })),
            series: [{ name: '设备', color: '--big-screen-blue', values: parts.map(({ value }) => value) }],
          }}
        />
        <p className="big-screen-ring-share">
          <strong>{formatRate(share)}</strong>
          <span>在线率</span>
        </p>
      </div>
      <ul>
        {parts.map(({ name, value, tone }) => (
          <li key={name}>
            <i className={`big-screen-dot-${tone}`} aria-hidden />
            {name}
            <b>{formatCount(value)}</b>
          </li>
        ))}
      </ul>
    </div>
  )
}

const RegionPanel = (fleet: Screen['fleet']) => (
  <Panel title="地区排行" area="regions" state={fleet}>
    {fleet.data && <Ranking {...fleet.data.regions} />}
  </Panel>
)

const ModelPanel = (fleet: Screen['fleet']) => (
  <Panel title={fleet.data?.tenants ? '客户排行' : '型号排行'} area="models" state={fleet}>
    {fleet.data && <Ranking {...(fleet.data.tenants ?? fleet.data.models)} />}
  </Panel>
)

function Ranking({ list }: DistributionData) {
  if (list.length === 0) return <p className="big-screen-wait">暂无数据</p>
  const top = Math.max(1, ...list.map(({ value }) => value))
  return (
    <ol className="big-screen-ranking">
      {list.map(({ name, value }, place) => (
        <li key={name}>
          <i className={place < 3 ? 'big-screen-first' : ''}>{place + 1}</i>
          <span className="big-screen-name" title={name}>
            {name}
          </span>
          <span className="big-screen-bar" aria-hidden>
            <span style={{ width: `${(value / top) * 100}%` }} />
          </span>
          <b>{formatCount(value)}</b>
        </li>
      ))}
    </ol>
  )
}

const OnlinePanel = (online: Screen['online']) => (
  <Panel title="近 24 小时在线设备" area="online" state={online}>
    {online.data && (
      <div className="big-screen-chart">
        <BareChart
          isUrgent
          name="近 24 小时在线设备"
          data={{
            kind: 'line',
            categoryTitle: '时间',
            categories: online.data.points.map(({ hour }) => ({ label: hour })),
            series: [
              { name: '在线设备', color: '--big-screen-blue', values: online.data.points.map(({ value }) => value) },
            ],
          }}
        />
      </div>
    )}
  </Panel>
)

const PAUSED = 3

function ReleasePanel(releases: Screen['releases']) {
  const list = releases.data?.list
  return (
    <Panel title="升级进度" area="releases" state={releases}>
      {list?.length === 0 && <p className="big-screen-wait">当前没有进行中的升级发布</p>}
      {list && list.length > 0 && (
        <ul className="big-screen-releases">
          {list.map((release) => (
            <li key={release.otaId}>
              <span className="big-screen-name">
                {release.modelName} {release.verName}（{release.verCode}）{release.state === PAUSED && <em>已暂停</em>}
              </span>
              <Progress {...release} />
              <span className="big-screen-counts">
                范围 {release.percent / 100}%　成功 <b className="big-screen-good">{formatCount(release.succeeded)}</b>
                {'　失败 '}
                <b className={release.failed > 0 ? 'big-screen-bad' : ''}>{formatCount(release.failed)}</b>　共{' '}
                {formatCount(release.total)} 台
              </span>
            </li>
          ))}
        </ul>
      )}
    </Panel>
  )
}

function Progress({ total, succeeded, failed }: { total: number; succeeded: number; failed: number }) {
  const share = (part: number) => `${total > 0 ? (part / total) * 100 : 0}%`
  return (
    <span className="big-screen-bar big-screen-progress" aria-hidden>
      <span className="big-screen-back-good" style={{ width: share(succeeded) }} />
      <span className="big-screen-back-bad" style={{ width: share(failed) }} />
    </span>
  )
}

function TicketPanel(tickets: Screen['tickets']) {
  const { data } = tickets
  return (
    <Panel title="工单动态" area="tickets" state={tickets}>
      {data && (
        <>
          <div className="big-screen-figures">
            <Figure title="待处理" value={data.open} />
            <Figure title="未分派" value={data.unassigned} tone={data.unassigned > 0 ? 'warm' : 'plain'} />
            <Figure title="超时" value={data.breached} tone={data.breached > 0 ? 'bad' : 'plain'} />
            <Figure title="今日关闭" value={data.closedToday} tone="good" />
          </div>
          <div className="big-screen-chart">
            <BareChart
              isUrgent
              name="近 14 天新增与关闭的工单"
              data={{
                kind: 'column',
                categoryTitle: '日期',
                categories: data.days.map(({ day }) => ({ label: day.slice(3), title: day })),
                series: [
                  { name: '新增', color: '--big-screen-amber', values: data.days.map(({ created }) => created) },
                  { name: '关闭', color: '--big-screen-green', values: data.days.map(({ closed }) => closed) },
                ],
              }}
            />
          </div>
          <p className="big-screen-legend" aria-hidden>
            <i className="big-screen-back-warm" /> 新增 <i className="big-screen-back-good" /> 关闭
          </p>
        </>
      )}
    </Panel>
  )
}
