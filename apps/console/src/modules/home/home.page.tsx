import { useState } from 'react'
import { useRead } from '#kernel/query.ts'
import { Link } from '#kernel/router.tsx'
import { useCan, useSession } from '#kernel/session.tsx'
import { calls } from './calls.ts'
import { greeting } from './greeting.ts'
import { HomeBlock } from './home-block.tsx'
import { QuickLinks } from './quick-links.tsx'
import { SpreadCard } from './spread-card.tsx'
import { Todo } from './todo.tsx'
import { TrendCard } from './trend-card.tsx'
import './home.css'

/** Blocks that are lists stand below, beside each other. */
const LISTS: ReadonlySet<string> = new Set(['notices', 'operations'])

/** What concerns this person today. Every part loads and fails by itself. */
export default function HomePage() {
  const { data } = useRead(calls.blocks, {}, { quiet: true })
  const { blocks = [], trends = [], spreads = [] } = data ?? {}
  return (
    <div className="home">
      <Head />
      <div className="home-blocks">
        {blocks
          .filter(({ key }) => !LISTS.has(key))
          .map(({ key, ...block }) => (
            <HomeBlock key={key} block={key} {...block} />
          ))}
      </div>
      <div className="home-columns">
        <Todo />
        <QuickLinks />
        {trends.length > 0 && <TrendCard metrics={trends} />}
        {spreads.length > 0 && <SpreadCard spreads={spreads} />}
        {blocks
          .filter(({ key }) => LISTS.has(key))
          .map(({ key, ...block }) => (
            <HomeBlock key={key} block={key} {...block} />
          ))}
      </div>
    </div>
  )
}

function Head() {
  const uid = useSession()?.uid ?? 0
  const can = useCan()
  const own = useRead(calls.detail, { id: uid }, { quiet: true })
  const [hello] = useState(() => greeting(new Date()))
  const name = own.data?.realname || own.data?.account || ''
  return (
    <header className="home-head">
      <div>
        <h1>
          {hello}
          {name && `，${name}`}
        </h1>
        <p>
          {own.data?.lastLoginTime
            ? `本次登录：${own.data.lastLoginTime}${own.data.lastLoginIp ? `（${own.data.lastLoginIp}）` : ''}`
            : '欢迎使用运营管理系统'}
        </p>
      </div>
      {can('index:indexScreen:bigScreen') && <Link to="/bigScreen">打开运营大屏</Link>}
    </header>
  )
}
