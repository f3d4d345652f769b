import { SCENE_STATUS, SceneRow } from '@oms/contract/tenant/scene.ts'
import { Tag } from 'antd'
import type { RecordNavigation } from '#kit/record/detail-drawer.tsx'
import { Descriptions, createDescriptions } from '#kit/record/descriptions.tsx'
import { RecordDrawer } from '#kit/record/record-drawer.tsx'
import { time } from '#kit/record/time.tsx'
import { ImageList } from '#kit/upload/image-upload.tsx'
import type { Scene } from './scene-list.page.tsx'

const { item, wide } = createDescriptions(SceneRow)
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
  wide('cover', (cover) => (cover ? <ImageList value={cover} /> : null)),
  wide('remark'),
]

/** Shows one scene in a drawer: its fields and its operation history. */
export const SceneDrawer = (props: RecordNavigation<Scene>) => (
  <RecordDrawer {...props} rowKey="id" bizType="scene" title={({ sceneName }) => `业务场景「${sceneName}」`}>
    {(row) => <Descriptions row={row} items={ITEMS} />}
  </RecordDrawer>
)
