import { useEffect, useState } from 'react'
import type { MenuNode } from '@oms/contract/account/perms.ts'
import { lazyAfterRender } from '#core/loading/deferred.tsx'
import { useRead } from '#core/api/query.ts'
import { Link } from '#core/routing/router.tsx'
import { useCan, useSession, usePermissions } from '#core/auth/session.tsx'
import { useKnownPages } from '#core/routing/known-pages.ts'
import { FirstSteps } from './first-steps.tsx'
import { homeCalls, formatToday, greetingForHour } from './home.ts'
import { HomeCard, HomeEmpty, HomeRows } from './home-card.tsx'
import { DistributionCard, TrendCard } from './chart-cards.tsx'
import { HomeFact, HomeList, HomeTile, HOME_TILES } from './home-blocks.tsx'
import { TodoCard } from './todo-card.tsx'
import './home.css'
import { MetricGrid, MetricSkeleton } from '#kit/chart/metric.tsx'

const DisplayLinks = lazyAfterRender(() => import('./display-links.tsx'), 'DisplayLinks')

/** List blocks. All other blocks are figures. */
const LISTS: ReadonlySet<string> = new Set(['notices', 'operations'])

/** Home page: pending work first, then the figures, charts and news of the account. Every block loads independently. */
export default function HomePage() {
  const { data, isPending, isError, refetch } = useRead(homeCalls.blocks, {}, { quiet: true })
  const { blocks = [], trends = [], spreads = [] } = data ?? {}
  const figures = blocks.filter(({ key }) => !LISTS.has(key))
  const tiles = figures.slice(0, HOME_TILES)
  const facts = figures.slice(HOME_TILES)
  const list = (wanted: string) =>
    blocks
      .filter(({ key }) => key === wanted)
      .map(({ key, title, resources }) => <HomeList key={key} block={key} title={title} resources={resources} />)
  return (
    <div className="home">
      <Head zone={data?.zone} known={!isPending} />
      <FirstSteps />
      <div className="home-work">
        <TodoCard />
        {isPending ? (
          <HomeCard title="通知公告" pending waiting={<HomeRows />} failed={false} onRetry={() => {}}>
            {null}
          </HomeCard>
        ) : (
          list('notices')
        )}
      </div>
      {isPending && (
        <div className="home-waiting">
          <MetricSkeleton />
        </div>
      )}
      {isError && (
        <HomeCard title="运营数据" pending={false} failed onRetry={() => void refetch()}>
          {null}
        </HomeCard>
      )}
      {tiles.length > 0 && (
        <MetricGrid columns={tiles.length}>
          {tiles.map(({ key, title, resources }) => (
            <HomeTile key={key} block={key} title={title} resources={resources} />
          ))}
        </MetricGrid>
      )}
      <div className="home-columns">
        {trends.length > 0 && <TrendCard metrics={trends} />}
        {spreads.length > 0 && <DistributionCard spreads={spreads} />}
        {list('operations')}
        {facts.length > 0 && (
          <div className="home-card home-facts">
            <h2>其他数据</h2>
            {facts.map(({ key, title, resources }) => (
              <HomeFact key={key} block={key} title={title} resources={resources} />
            ))}
          </div>
        )}
        {data && figures.length < HOME_TILES && <QuickLinks />}
      </div>
    </div>
  )
}

/** Runs after the first paint: the first date format in another zone takes 60 ms on a slow machine. */
function useGreeting(zone: string | undefined, known: boolean) {
  const [hello, setHello] = useState<{ text: string; day: string }>()
  useEffect(() => {
    if (!known) return undefined
    const now = new Date()
    const timer = setTimeout(() => setHello({ text: greetingForHour(now, zone), day: formatToday(now, zone) }))
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
      <h1>
        {hello?.text ?? '\u00a0'}
        {hello && name && `，${name}`}
        <small>{hello?.day}</small>
      </h1>
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
