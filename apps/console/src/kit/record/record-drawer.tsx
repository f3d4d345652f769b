import { Tabs } from 'antd'
import { DetailDrawer, type DetailDrawerProps } from './detail-drawer.tsx'
import { createHistoryTab } from './record-history.tsx'

/** Record drawer with two tabs: details (`children`) and the operation history logged under `bizType`. */
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
            createHistoryTab(bizType, row[drawer.rowKey] as string | number),
          ]}
        />
      )}
    </DetailDrawer>
  )
}
