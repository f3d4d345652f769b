import { ApplyRow } from '@oms/contract/tenant/user-apply.ts'
import { Tabs } from 'antd'
import { DetailDrawer } from '#kit/record/detail-drawer.tsx'
import { Descriptions, createDescriptions } from '#kit/record/descriptions.tsx'
import { RecordHistory } from '#kit/record/record-history.tsx'
import { time } from '#kit/record/time.tsx'
import { type Apply, ApplyStatus } from './apply-list.page.tsx'

const { item, wide } = createDescriptions(ApplyRow)
const ITEMS = [
  item('applyNo'),
  item('status', (status) => <ApplyStatus status={status} />),
  item('account'),
  item('realname'),
  item('mobileNo'),
  item('tenantName'),
  item('source'),
  item('createTime', time),
  wide('reason'),
  item('auditName'),
  item('auditTime', time),
  wide('roleNames'),
  wide('auditRemark'),
]

/** Shows one application in a drawer. */
export function ApplyDrawer(props: {
  rows: readonly Apply[]
  row: Apply | undefined
  onRow(row: Apply | undefined): void
}) {
  return (
    <DetailDrawer {...props} rowKey="id" title={({ realname, account }) => `${realname}（${account}）的申请`}>
      {(row) => (
        <Tabs
          items={[
            { key: 'details', label: '申请信息', children: <Descriptions row={row} items={ITEMS} /> },
            {
              key: 'history',
              label: '操作记录',
              children: <RecordHistory key={row.id} bizType="userApply" bizId={row.id} />,
            },
          ]}
        />
      )}
    </DetailDrawer>
  )
}
