import { HookRow } from '@oms/contract/storage/hook.ts'
import { Tabs } from 'antd'
import { CopyText } from '#kit/record/copy-text.tsx'
import { Descriptions, createDescriptions } from '#kit/record/descriptions.tsx'
import { DetailDrawer } from '#kit/record/detail-drawer.tsx'
import { RecordHistory } from '#kit/record/record-history.tsx'
import { time } from '#kit/record/time.tsx'
import { formatHookAddress } from './hook-list.tsx'

const { item, wide } = createDescriptions(HookRow)
const ITEMS = [
  item('hookName'),
  item('status'),
  item('tenantName'),
  item('priceFree'),
  item('rotateTime', time),
  item('lastEventTime', time),
  wide('remark'),
]

/** Webhook drawer: address, signature and history. */
export function HookDrawer(props: {
  rows: readonly HookRow[]
  row: HookRow | undefined
  onRow(row: HookRow | undefined): void
}) {
  return (
    <DetailDrawer {...props} rowKey="id" title={({ hookName }) => `商城 ${hookName}`}>
      {(row) => (
        <Tabs
          items={[
            { key: 'details', label: '基本信息', children: <Details row={row} /> },
            {
              key: 'history',
              label: '操作记录',
              children: <RecordHistory key={row.id} bizType="storageHook" bizId={row.id} />,
            },
          ]}
        />
      )}
    </DetailDrawer>
  )
}

const Details = ({ row }: { row: HookRow }) => (
  <>
    <Descriptions row={row} items={ITEMS} />
    <section>
      <h3 className="kit-heading">回调地址</h3>
      <CopyText text={formatHookAddress(row.id)} />
    </section>
    <section>
      <h3 className="kit-heading">签名</h3>
      <p className="kit-hint">
        请求头 <code>X-OMS-Signature: t=时间戳,v1=签名</code>，签名为密钥对「时间戳.请求内容」的
        HMAC-SHA256（十六进制），时间与服务器相差不超过 300 秒。
      </p>
      <p className="kit-hint">
        返回 200 表示已处理；409 表示不符合规则，已保留在「回调记录」，更正后可重放；503 请稍后重发。
      </p>
    </section>
  </>
)
