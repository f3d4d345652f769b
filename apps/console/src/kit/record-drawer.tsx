import { Tabs } from 'antd'
import { DetailDrawer, type DetailDrawerProps } from './detail-drawer.tsx'
import { historyTab } from './record-history.tsx'

/** A record beside its list in two tabs: what it is (`children`), and what was done to it, logged under `bizType`. */
export function RecordDrawer<Row>({
  bizType,
  children,
  ...drawer
}: DetailDrawerProps<Row> & { readonly bizType: string }) {
  return (
    <DetailDrawer {...drawer}>
      {(row) => (
        <Tabs
          items={[
            { key: 'details', label: '基本信息', children: children(row) },
            historyTab(bizType, row[drawer.rowKey] as string | number),
          ]}
        />
      )}
    </DetailDrawer>
  )
}
