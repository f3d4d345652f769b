import { useEffect, useState } from 'react'
import type { MenuNode } from '@oms/contract/account/perms.ts'
import { lazyAfterRender } from '#core/loading/deferred.tsx'
import { useRead } from '#core/api/query.ts'
import { Link } from '#core/routing/router.tsx'
import { useCan, useSession, usePermissions } from '#core/auth/session.tsx'
import { useKnownPages } from '#core/routing/known-pages.ts'
import { FirstSteps } from './first-steps.tsx'
import { homeCalls, greetingForHour } from './home.ts'
import { HomeCard, HomeEmpty, useReloadOnChange } from './home-card.tsx'
import { DistributionCard, TrendCard } from './chart-cards.tsx'
import './home.css'
import type { HomeBlock as Block, HomeBlockData } from '@oms/contract/home/home.ts'
import { formatCurrency } from '@oms/contract/core/money.ts'
import { formatBytes, formatCount } from '#core/text/format.ts'
import { BareChart } from '#kit/chart/bare-chart.tsx'

const DisplayLinks = lazyAfterRender(() => import('./display-links.tsx'), 'DisplayLinks')

/** List blocks are placed below the figures. */
const LISTS: ReadonlySet<string> = new Set(['notices', 'operations'])

/** Number of placeholder cards: the first row of most windows. */
const WAITING = [1, 2, 3, 4, 5]

/** Home page. Every block loads and fails independently. */
export default function HomePage() {
  const { data, isPending, isError, refetch } = useRead(homeCalls.blocks, {}, { quiet: true })
  const { blocks = [], trends = [], spreads = [] } = data ?? {}
  return (
    <div className="home">
      <Head zone={data?.zone} known={!isPending} />
      <FirstSteps />
      <div className="home-blocks">
        {isPending && WAITING.map((at) => <div key={at} className="home-card home-waiting" />)}
        {isError && (
          <HomeCard title="运营数据" pending={false} failed onRetry={() => void refetch()}>
            {null}
          </HomeCard>
        )}
        {blocks
          .filter(({ key }) => !LISTS.has(key))
          .map(({ key, ...block }) => (
            <HomeBlock key={key} block={key} {...block} />
          ))}
      </div>
      <div className="home-columns">
        <TodoCard />
        <QuickLinks />
        {trends.length > 0 && <TrendCard metrics={trends} />}
        {spreads.length > 0 && <DistributionCard spreads={spreads} />}
        {blocks
          .filter(({ key }) => LISTS.has(key))
          .map(({ key, ...block }) => (
            <HomeBlock key={key} block={key} {...block} />
          ))}
      </div>
    </div>
  )
}

/** Runs after the first paint: the first date format in another zone takes 60 ms on a slow machine. */
function useGreeting(zone: string | undefined, known: boolean) {
  const [hello, setHello] = useState<string>()
  useEffect(() => {
    if (!known) return undefined
    const timer = setTimeout(() => setHello(greetingForHour(new Date(), zone)))
    return () => clearTimeout(timer)
  }, [zone, known])
  return hello
}

function Head({ zone, known }: { zone: string | undefined; known: boolean }) {
  const uid = useSession()?.uid ?? 0
  const can = useCan()
  const [managing, setManaging] = useState(false)
  const own = useRead(homeCalls.detail, { id: uid }, { quiet: true })
  const hello = useGreeting(zone, known)
  const name = own.data?.realname || own.data?.account || ''
  return (
    <header className="home-head">
      <div>
        <h1>
          {hello ?? '\u00a0'}
          {hello && name && `，${name}`}
        </h1>
        <p>
          {own.data?.lastLoginTime
            ? `最近登录：${own.data.lastLoginTime}${own.data.lastLoginIp ? `（${own.data.lastLoginIp}）` : ''}`
            : '欢迎使用运营管理系统'}
        </p>
      </div>
      <div className="home-screen">
        {can('index:indexScreen:display') && (
          <button type="button" onClick={() => setManaging(true)}>
            大屏展示链接
          </button>
        )}
        {can('index:indexScreen:bigScreen') && <Link to="/bigScreen">打开运营大屏</Link>}
      </div>
      {managing && <DisplayLinks onClose={() => setManaging(false)} />}
    </header>
  )
}

const MAX_LINKS = 12

/** Links to the pages that the account may open. */
function QuickLinks() {
  const { menus } = usePermissions()
  const isKnown = useKnownPages()
  const pages = pagesOf(menus).filter(({ url }) => isKnown(url))
  return (
    <section className="home-card" aria-label="快捷入口">
      <h2>快捷入口</h2>
      {pages.length === 0 && <HomeEmpty text="暂无可用页面" />}
      <div className="home-links">
        {pages.slice(0, MAX_LINKS).map(({ id, name, url }) => (
          <Link key={id} to={url}>
            {name}
          </Link>
        ))}
      </div>
    </section>
  )
}

const pagesOf = (menus: readonly MenuNode[]): MenuNode[] =>
  menus.flatMap((menu) => (menu.visible !== 1 ? [] : menu.type === 'M' ? pagesOf(menu.children) : [menu]))

const RESOURCES = ['feedback', 'tenant', 'upgrade', 'device', 'license', 'agent', 'sys']

/** Pending items of the account. */
function TodoCard() {
  const { data, isPending, isError, refetch } = useRead(homeCalls.todo, {}, { quiet: true })
  useReloadOnChange(RESOURCES, () => void refetch())
  return (
    <HomeCard title="待办事项" pending={isPending} failed={isError} onRetry={() => void refetch()}>
      {data?.list.length === 0 && <HomeEmpty text="没有待办事项" />}
      <ul>
        {data?.list.map(({ key, title, count, url }) => (
          <li key={key}>
            <Link to={url}>{title}</Link>
            <strong>{count}</strong>
          </li>
        ))}
      </ul>
    </HomeCard>
  )
}

const MINUTE_MS = 60_000

interface Props {
  readonly block: Block
  readonly title: string
  readonly resources: readonly string[]
}

/** Renders one block of the home page, a number or a short list, with its own retry button. */
function HomeBlock({ block, title, resources }: Props) {
  const { data, isError, isPending, refetch } = useRead(
    homeCalls.summary,
    { block },
    { quiet: true, staleTime: MINUTE_MS },
  )
  useReloadOnChange(resources, () => void refetch())
  const figures = data?.blocks[0]
  return (
    <HomeCard
      title={title}
      heading={figures?.url ? <Link to={figures.url}>{title}</Link> : title}
      wide={figures?.items !== undefined}
      pending={isPending}
      failed={isError}
      onRetry={() => void refetch()}
    >
      {figures && <Figures of={figures} />}
    </HomeCard>
  )
}

const FORMATS = { bytes: formatBytes, fen: formatCurrency } as const
const formatValue = (value: number, unit?: keyof typeof FORMATS) => (unit ? FORMATS[unit] : formatCount)(value)

function Figures({ of: { value, unit, delta, detail, parts, figures, items, trend } }: { of: HomeBlockData }) {
  return (
    <>
      <p className="home-value">
        {formatValue(value, unit)}
        {delta !== undefined && delta !== 0 && (
          <span className="home-delta">今日 {delta > 0 ? `+${formatCount(delta)}` : formatCount(delta)}</span>
        )}
      </p>
      {parts && <Parts parts={parts} />}
      {detail && <p className="home-detail">{detail}</p>}
      {figures && <LinkedFigures figures={figures} />}
      {trend && trend.length > 1 && <Spark points={trend} />}
      {items && (
        <ul>
          {items.map((item) => (
            <li key={item.id}>
              <span className="home-item" title={item.title}>
                {item.title}
              </span>
              <span className="home-detail">
                {item.state && <b className={`home-${item.state}`}>{item.state === 'ok' ? '成功' : '失败'}</b>}{' '}
                {item.detail}
                {item.detail && ' · '}
                {item.time}
              </span>
            </li>
          ))}
        </ul>
      )}
    </>
  )
}

/** Renders the breakdown of a figure as a bar and as text. */
function Parts({ parts }: { parts: NonNullable<HomeBlockData['parts']> }) {
  const total = parts.reduce((sum, { value }) => sum + value, 0)
  return (
    <div className="home-parts">
      <span className="home-bar" aria-hidden>
        {parts.map(({ title, value, tone }) => (
          <span key={title} className={`home-tone-${tone}`} style={{ flexGrow: total > 0 ? value / total : 0 }} />
        ))}
      </span>
      {parts.map(({ title, value, tone, url }) => (
        <span key={title} className="home-part">
          <i className={`home-tone-${tone}`} aria-hidden />
          <Link to={url}>
            {title} {formatCount(value)}
          </Link>
        </span>
      ))}
    </div>
  )
}

/** Renders further figures as links. */
const LinkedFigures = ({ figures }: { figures: NonNullable<HomeBlockData['figures']> }) => (
  <div className="home-parts">
    {figures.map(({ title, value, unit, isEstimate, url }) => (
      <span key={title} className="home-part">
        <Link to={url}>
          {title} {isEstimate && '约 '}
          {formatValue(value, unit)}
        </Link>
      </span>
    ))}
  </div>
)

/** Renders a sparkline; its accessible label contains the values. */
const Spark = ({ points }: { points: NonNullable<HomeBlockData['trend']> }) => (
  <div className="home-spark">
    <BareChart
      name="近几日"
      data={{
        kind: 'spark',
        categoryTitle: '日期',
        categories: points.map(({ day }) => ({ label: day })),
        series: [{ name: '数量', color: '--ant-color-primary', values: points.map(({ value }) => value) }],
      }}
    />
  </div>
)
