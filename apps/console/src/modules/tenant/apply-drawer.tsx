import { ApplyRow } from '@oms/contract/user-apply.ts'
import { Tabs } from 'antd'
import { DetailDrawer } from '#kit/detail-drawer.tsx'
import { Details, detailsOf } from '#kit/details.tsx'
import { RecordHistory } from '#kit/record-history.tsx'
import { time } from '#kit/time.tsx'
import { type Apply, ApplyStatus } from './apply-list.page.tsx'

const { item, wide } = detailsOf(ApplyRow)
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

/** One application beside the list. */
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
            { key: 'details', label: '申请信息', children: <Details row={row} items={ITEMS} /> },
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
