import { logs } from '@oms/contract/log.ts'
import { Skeleton, Timeline } from 'antd'
import { useRead } from '#kernel/query.ts'
import { LoadFailed } from '#kit/table-state.tsx'
import { Time } from '#kit/time.tsx'
import { useFamily } from './family.ts'
import './ota.css'

/** What was done to a version, newest first. */
export function OtaHistory({ otaId }: { otaId: number }) {
  const { key: bizType } = useFamily()
  const asked = { bizType, bizId: String(otaId), pageNum: 1, pageSize: 50 }
  const { data, error, refetch } = useRead(logs.history, asked, { quiet: true, keepPrevious: false })
  return (
    <>
      <h3 className="ota-heading">变更历史</h3>
      {error && <LoadFailed refusal={error} onRetry={() => void refetch()} />}
      {!data && !error && <Skeleton active title={false} />}
      {data && (
        <Timeline
          items={data.list.map(({ operId, operTime, operName, action, title, diff }) => ({
            key: operId,
            content: (
              <>
                <div>
                  <Time at={operTime} /> {operName}：{action || title}
                </div>
                <Changes diff={diff} />
              </>
            ),
          }))}
        />
      )}
    </>
  )
}

function Changes({ diff }: { diff: readonly { field: string; title: string; from?: unknown; to?: unknown }[] }) {
  return (
    <ul className="ota-changes">
      {diff.map(({ field, title, from, to }) => (
        <li key={field}>
          {title}：<del>{words(from)}</del> {words(to)}
        </li>
      ))}
    </ul>
  )
}

const words = (value: unknown): string => {
  if (value === null || value === undefined) return ''
  return Array.isArray(value) ? value.map(words).join('；') : String(value)
}
