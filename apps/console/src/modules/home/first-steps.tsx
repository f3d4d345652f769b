import { useRead } from '#core/api/query.ts'
import { Link } from '#core/routing/router.tsx'
import { homeCalls } from './calls.ts'
import { HomeCard } from './home-card.tsx'

/** Onboarding steps up to the first release. Shares the query of `Todo`. */
export function FirstSteps() {
  const { data, refetch } = useRead(homeCalls.todo, {}, { quiet: true })
  if (!data || data.steps.length === 0) return null
  const next = data.steps.find(({ isDone }) => !isDone)
  return (
    <HomeCard title="开始使用" pending={false} failed={false} onRetry={() => void refetch()}>
      <ol className="home-steps">
        {data.steps.map(({ key, title, hint, url, isDone }, at) => (
          <li
            key={key}
            className={isDone ? 'home-step-done' : ''}
            {...(key === next?.key && { 'aria-current': 'step' })}
          >
            <i aria-hidden>{isDone ? '✓' : at + 1}</i>
            <span>
              {isDone ? <span>{title}</span> : <Link to={url}>{title}</Link>}
              <small>{isDone ? '已完成' : hint}</small>
            </span>
          </li>
        ))}
      </ol>
    </HomeCard>
  )
}
