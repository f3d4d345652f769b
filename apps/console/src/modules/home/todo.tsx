import { Button, Empty } from 'antd'
import { useRead } from '#kernel/query.ts'
import { Link } from '#kernel/router.tsx'
import { calls } from './calls.ts'

/** What waits for this account. */
export function Todo() {
  const { data, isError, refetch } = useRead(calls.todo, {}, { quiet: true })
  return (
    <section className="home-card" aria-label="待办事项">
      <h2>待办事项</h2>
      {isError && (
        <p className="home-failed">
          加载失败
          <Button type="link" size="small" onClick={() => void refetch()}>
            重试
          </Button>
        </p>
      )}
      {data?.list.length === 0 && <Empty image={Empty.PRESENTED_IMAGE_SIMPLE} description="没有待办事项" />}
      <ul>
        {data?.list.map(({ key, title, count, url }) => (
          <li key={key} className="home-row">
            <Link to={url}>{title}</Link>
            <strong>{count}</strong>
          </li>
        ))}
      </ul>
    </section>
  )
}
