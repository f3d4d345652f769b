import { ReloadOutlined } from '@ant-design/icons'
import {
  DELIVERY_STATE,
  DELIVERY_STATE_CODE,
  type DeliveryRow,
  ENDPOINT_KIND,
  ENDPOINT_STATE_CODE,
  type EndpointRow,
  nameOfEvent,
  webhooks,
} from '@oms/contract/integration/webhook.ts'
import { Button, Empty, Tabs } from 'antd'
import { useState } from 'react'
import { useRead, useWrite } from '#core/api/query.ts'
import { useMayCall } from '#core/auth/session.tsx'
import { Waiting } from '#kit/feedback/waiting.tsx'
import { CodeBlock } from '#kit/record/code-block.tsx'
import { DetailDrawer, type RecordNavigation } from '#kit/record/detail-drawer.tsx'
import { createHistoryTab } from '#kit/record/record-history.tsx'
import { State } from '#kit/record/state.tsx'
import { Time } from '#kit/record/time.tsx'
import { EndpointState } from './endpoint-state.tsx'

/** Shows the deliveries and the history of an endpoint. */
export const EndpointDrawer = (props: RecordNavigation<EndpointRow>) => (
  <DetailDrawer
    {...props}
    rowKey="id"
    title={({ kind, name }) => `${ENDPOINT_KIND[kind]} ${name}`}
    head={(row) => ({
      state: <EndpointState row={row} />,
      facts: [
        [
          '接收地址',
          <span key="address" className="kit-mono">
            {row.address}
          </span>,
        ],
        ['停用原因', row.stateReason],
        ['最近成功', row.lastTime && <Time key="time" at={row.lastTime} />],
      ],
    })}
  >
    {(row) => (
      <Tabs
        items={[
          { key: 'deliveries', label: '推送记录', children: <Deliveries key={row.id} endpoint={row} /> },
          createHistoryTab('webhook', row.id),
        ]}
      />
    )}
  </DetailDrawer>
)

const STEP = 20
const MAX_ROWS = 200

/** Lists the deliveries of an endpoint, newest first, each with its content and the response of the receiver. */
function Deliveries({ endpoint }: { endpoint: EndpointRow }) {
  const [pageSize, setPageSize] = useState(STEP)
  const read = useRead(webhooks.deliveries, { endpointId: endpoint.id, pageNum: 1, pageSize }, { quiet: true })
  const { data, isPlaceholderData, refetch } = read
  if (!data) return <Waiting reads={[read]} rows={6} />
  return (
    <>
      <div className="kit-row kit-apart">
        <p className="kit-muted">保留 30 天。失败后自动重试，消息编号不变。</p>
        <Button icon={<ReloadOutlined />} onClick={() => void refetch()}>
          刷新
        </Button>
      </div>
      {data.list.length === 0 ? (
        <Empty image={Empty.PRESENTED_IMAGE_SIMPLE} description="还没有推送记录" />
      ) : (
        <ul className="kit-items">
          {data.list.map((delivery) => (
            <Delivery key={delivery.id} delivery={delivery} canResend={endpoint.state === ENDPOINT_STATE_CODE.active} />
          ))}
        </ul>
      )}
      {data.total > pageSize && pageSize < MAX_ROWS && (
        <Button block loading={isPlaceholderData} onClick={() => setPageSize(Math.min(pageSize * 2, MAX_ROWS))}>
          更多记录
        </Button>
      )}
    </>
  )
}

const TONES = { 0: 'processing', 1: 'success', 2: 'error' } as const

function Delivery({ delivery, canResend }: { delivery: DeliveryRow; canResend: boolean }) {
  const { id, eventType, eventId, state, attempts, httpStatus, answer, attemptTime, nextTime, createTime } = delivery
  const resend = useWrite(webhooks.resend)
  const mayResend = useMayCall()(webhooks.resend) && canResend && state !== DELIVERY_STATE_CODE.waiting
  const code = state as keyof typeof TONES
  return (
    <li>
      <div className="kit-row kit-apart">
        <span className="kit-row">
          <State color={code === 0 && attempts > 0 ? 'warning' : TONES[code]}>
            {code === 0 && attempts > 0 ? '等待重试' : DELIVERY_STATE[code]}
          </State>
          <strong>{nameOfEvent(eventType)}</strong>
        </span>
        <span className="kit-row">
          <Time at={attemptTime ?? createTime} />
          {mayResend && (
            <Button size="small" loading={resend.isPending} onClick={() => resend.mutate({ id })}>
              重新发送
            </Button>
          )}
        </span>
      </div>
      <small>
        {attempts === 0
          ? '尚未推送'
          : `第 ${attempts} 次 · ${httpStatus === null ? answer || '没有响应' : `HTTP ${httpStatus}`}`}
        {state === DELIVERY_STATE_CODE.waiting && attempts > 0 && nextTime && (
          <>
            {' '}
            · 下次 <Time at={nextTime} />
          </>
        )}
      </small>
      <details>
        <summary>内容与响应</summary>
        <p className="kit-mono">{eventId}</p>
        <CodeBlock name="推送内容">{formatBody(delivery.body)}</CodeBlock>
        {answer && <CodeBlock name="响应内容">{answer}</CodeBlock>}
      </details>
    </li>
  )
}

function formatBody(body: string) {
  try {
    return JSON.stringify(JSON.parse(body), null, 2)
  } catch {
    return body
  }
}
