import type { HomeTodo } from '@oms/contract/home/home.ts'
import { useEffect, useState } from 'react'
import { useRead, useWrite } from '#core/api/query.ts'
import { Link } from '#core/routing/router.tsx'
import { formatCount } from '#core/text/format.ts'
import { homeCalls } from './home.ts'
import { HomeCard, HomeEmpty, HomeRows, useReloadOnChange } from './home-card.tsx'

const RESOURCES = ['feedback', 'tenant', 'upgrade', 'device', 'license', 'agent', 'sys']
/** Number of rows before the button that shows all rows. */
const SHOWN = 6
/** Number of rows at the last visit, whose height is reserved until the rows arrive. */
const ROWS_KEY = 'oms.home.todos'
const LEVELS: Readonly<Record<number, string>> = { 1: '紧急', 2: '今天', 3: '有空时' }

/** Pending work of the account, the most urgent first. Work of one click has a button. */
export function TodoCard() {
  const { data, isPending, isError, refetch } = useRead(homeCalls.todo, {}, { quiet: true })
  useReloadOnChange(RESOURCES, () => void refetch())
  const [isOpen, setOpen] = useState(false)
  const list = data?.list ?? []
  const count = data && Math.min(SHOWN, list.length)
  useEffect(() => {
    if (count !== undefined) localStorage.setItem(ROWS_KEY, String(count))
  }, [count])
  return (
    <HomeCard
      title="待办事项"
      extra={
        list.length > SHOWN && (
          <button type="button" className="home-retry" onClick={() => setOpen(!isOpen)}>
            {isOpen ? '收起' : `全部 ${list.length} 项`}
          </button>
        )
      }
      pending={isPending}
      waiting={<HomeRows rows={Number(localStorage.getItem(ROWS_KEY) ?? SHOWN)} />}
      failed={isError}
      onRetry={() => void refetch()}
    >
      {data && list.length === 0 && <HomeEmpty text="没有待办事项" />}
      <ul className="home-todos">
        {(isOpen ? list : list.slice(0, SHOWN)).map((todo) => (
          <TodoRow key={todo.key} todo={todo} />
        ))}
      </ul>
    </HomeCard>
  )
}

function TodoRow({ todo: { title, count, url, level, note, waitMinutes, act } }: { todo: HomeTodo }) {
  return (
    <li>
      <i className={`home-level-${level}`} role="img" aria-label={LEVELS[level]} title={LEVELS[level]} />
      <Link to={url}>{title}</Link>
      <span className="home-detail">
        {note && <b className="home-bad">{note}</b>}
        {waitMinutes !== null && <span>最早 {formatWait(waitMinutes)}</span>}
      </span>
      {act && <ActButton act={act} />}
      <strong>{formatCount(count)}</strong>
    </li>
  )
}

const HOUR = 60
const DAY = 1440
const formatWait = (minutes: number) =>
  minutes < HOUR
    ? `${minutes} 分钟前`
    : minutes < DAY
      ? `${Math.floor(minutes / HOUR)} 小时前`
      : `${Math.floor(minutes / DAY)} 天前`

const ACTS = {
  claim: { label: '认领最早的', call: homeCalls.claim },
  unlock: { label: '解锁', call: homeCalls.unlock },
} as const

function ActButton({ act: { kind, id } }: { act: NonNullable<HomeTodo['act']> }) {
  const { label, call } = ACTS[kind]
  const { mutate, isPending } = useWrite(call, { alsoChanges: ['home'] })
  return (
    <button type="button" className="home-act" disabled={isPending} onClick={() => mutate({ id })}>
      {label}
    </button>
  )
}
