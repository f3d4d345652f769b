import { useEffect, useState } from 'react'
import { lazyAfterRender } from '#core/loading/deferred.tsx'
import { useRead } from '#core/api/query.ts'
import { Link } from '#core/routing/router.tsx'
import { useCan, useSession } from '#core/auth/session.tsx'
import { homeCalls } from './calls.ts'
import { FirstSteps } from './first-steps.tsx'
import { greetingForHour } from './greeting.ts'
import { HomeBlock } from './home-block.tsx'
import { HomeCard } from './home-card.tsx'
import { QuickLinks } from './quick-links.tsx'
import { DistributionCard } from './distribution-card.tsx'
import { TodoCard } from './todo.tsx'
import { TrendCard } from './trend-card.tsx'
import './home.css'

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
