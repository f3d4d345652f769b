import { SCENE_STATUS, SceneRow } from '@oms/contract/scene.ts'
import { Tabs, Tag } from 'antd'
import { DetailDrawer } from '#kit/detail-drawer.tsx'
import { Details, detailsOf } from '#kit/details.tsx'
import { historyTab } from '#kit/record-history.tsx'
import { time } from '#kit/time.tsx'
import type { Scene } from './scene-list.page.tsx'

const { item, wide } = detailsOf(SceneRow)
const ITEMS = [
  item('sceneName'),
  item('sceneCode'),
  item('status', (status) => (
    <Tag color={status === 1 ? 'success' : 'default'}>{SCENE_STATUS[status as keyof typeof SCENE_STATUS]}</Tag>
  )),
  item('isDefault'),
  item('tenantCount'),
  item('menuCount'),
  item('createTime', time),
  item('updateTime', time),
  wide('description'),
  wide('remark'),
]

/** One scene beside the list: what it is, and what was done to it. */
export function SceneDrawer(props: {
  rows: readonly Scene[]
  row: Scene | undefined
  onRow(row: Scene | undefined): void
}) {
  return (
    <DetailDrawer {...props} rowKey="id" title={({ sceneName }) => `业务场景「${sceneName}」`}>
      {(row) => (
        <Tabs
          items={[
            { key: 'details', label: '基本信息', children: <Details row={row} items={ITEMS} /> },
            historyTab('scene', row.id),
          ]}
        />
      )}
    </DetailDrawer>
  )
}
