import { useRead } from '#core/api/query.ts'
import { Link } from '#core/routing/router.tsx'
import { usePreference } from '#kit/table/use-preference.ts'
import { homeCalls } from './home.ts'
import { HomeCard } from './home-card.tsx'

/**
 * Renders the setup steps of a new installation until all are done or the account hides them. Shares the query of the
 * pending items.
 */
export function FirstSteps() {
  const { data, refetch } = useRead(homeCalls.todo, {}, { quiet: true })
  const [isHidden, setIsHidden] = usePreference('firstStepsHidden', false)
  if (isHidden || !data || data.steps.length === 0) return null
  const next = data.steps.find(({ isDone }) => !isDone)
  const done = data.steps.filter(({ isDone }) => isDone).length
  return (
    <HomeCard
      title="开始使用"
      extra={
        <span className="home-steps-extra">
          <span>
            {done} / {data.steps.length}
          </span>
          <a href="/help/start" target="_blank" rel="noreferrer">
            快速上手
          </a>
          <button type="button" onClick={() => setIsHidden(true)}>
            不再显示
          </button>
        </span>
      }
      pending={false}
      failed={false}
      onRetry={() => void refetch()}
    >
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
