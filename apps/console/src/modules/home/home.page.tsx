import { useState } from 'react'
import { useRead } from '#kernel/query.ts'
import { useSession } from '#kernel/session.tsx'
import { calls } from './calls.ts'
import { HomeBlock } from './home-block.tsx'
import { QuickLinks } from './quick-links.tsx'
import { Todo } from './todo.tsx'
import { greeting } from './greeting.ts'
import './home.css'

/** What concerns this person today. Every part loads and fails by itself. */
export default function HomePage() {
  const uid = useSession()?.uid ?? 0
  const own = useRead(calls.detail, { id: uid }, { quiet: true })
  const { data } = useRead(calls.blocks, {}, { quiet: true })
  const [hello] = useState(() => greeting(new Date()))
  const name = own.data?.realname || own.data?.account || ''
  return (
    <div className="home">
      <header className="home-head">
        <h1>
          {hello}
          {name && `，${name}`}
        </h1>
        <p>
          {own.data?.lastLoginTime
            ? `本次登录：${own.data.lastLoginTime}${own.data.lastLoginIp ? `（${own.data.lastLoginIp}）` : ''}`
            : '欢迎使用运营管理系统'}
        </p>
      </header>
      <div className="home-blocks">
        {data?.blocks.map(({ key, title }) => (
          <HomeBlock key={key} block={key} title={title} />
        ))}
      </div>
      <div className="home-columns">
        <Todo />
        <QuickLinks />
      </div>
    </div>
  )
}
