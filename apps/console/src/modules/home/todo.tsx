import { useRead } from '#core/api/query.ts'
import { Link } from '#core/routing/router.tsx'
import { homeCalls } from './calls.ts'
import { HomeCard } from './home-card.tsx'
import { HomeEmpty } from './home-empty.tsx'
import { useReloadOnChange } from './use-fresh.ts'

const RESOURCES = ['feedback', 'tenant', 'upgrade', 'device', 'license', 'agent', 'sys']

/** Pending items of the account. */
export function TodoCard() {
  const { data, isPending, isError, refetch } = useRead(homeCalls.todo, {}, { quiet: true })
  useReloadOnChange(RESOURCES, () => void refetch())
  return (
    <HomeCard title="待办事项" pending={isPending} failed={isError} onRetry={() => void refetch()}>
      {data?.list.length === 0 && <HomeEmpty text="没有待办事项" />}
      <ul>
        {data?.list.map(({ key, title, count, url }) => (
          <li key={key} className="home-row">
            <Link to={url}>{title}</Link>
            <strong>{count}</strong>
          </li>
        ))}
      </ul>
    </HomeCard>
  )
}
