import { EVENT_TYPE, HookEventRow, storageHooks } from '@oms/contract/storage/hook.ts'
import { useRead } from '#core/api/query.ts'
import { Waiting } from '#kit/feedback/waiting.tsx'
import { Descriptions, createDescriptions } from '#kit/record/descriptions.tsx'
import { DetailDrawer } from '#kit/record/detail-drawer.tsx'
import { time } from '#kit/record/time.tsx'
import { ResultTag } from '../orders/sales-cells.tsx'

const { item, wide } = createDescriptions(HookEventRow)
const ITEMS = [
  item('eventId'),
  item('type', (type) => EVENT_TYPE[type as keyof typeof EVENT_TYPE] ?? type),
  item('hookName'),
  item('result', (result) => <ResultTag result={result} />),
  item('attempts'),
  item('createTime', time),
  item('updateTime', time),
  wide('message'),
]

/** Event drawer: result and the body as the shop sent it. */
export function EventDrawer(props: {
  rows: readonly HookEventRow[]
  row: HookEventRow | undefined
  onRow(row: HookEventRow | undefined): void
}) {
  return (
    <DetailDrawer {...props} rowKey="id" title={({ outOrderNo }) => `回调 ${outOrderNo}`}>
      {(row) => (
        <>
          <Descriptions row={row} items={ITEMS} />
          <section>
            <h3 className="kit-heading">内容</h3>
            <Body key={row.id} id={row.id} />
          </section>
        </>
      )}
    </DetailDrawer>
  )
}

function Body({ id }: { id: number }) {
  const { data, error, refetch } = useRead(storageHooks.event, { id }, { quiet: true, keepPrevious: false })
  if (!data) return <Waiting reads={[{ error, refetch }]} rows={4} />
  return <pre className="kit-code">{formatted(data.body)}</pre>
}

function formatted(body: string) {
  try {
    return JSON.stringify(JSON.parse(body), null, 2)
  } catch {
    return body
  }
}
