import { SCENE_STATUS, SceneRow } from '@oms/contract/scene.ts'
import { Tag } from 'antd'
import type { Beside } from '#kit/detail-drawer.tsx'
import { Details, detailsOf } from '#kit/details.tsx'
import { RecordDrawer } from '#kit/record-drawer.tsx'
import { time } from '#kit/time.tsx'
import { ImageList } from '#kit/upload/image-upload.tsx'
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
  wide('industryNames'),
  wide('deviceTypeNames'),
  wide('cover', (cover) => (cover ? <ImageList value={cover} /> : null)),
  wide('remark'),
]

/** One scene beside the list: what it is, and what was done to it. */
export const SceneDrawer = (props: Beside<Scene>) => (
  <RecordDrawer {...props} rowKey="id" bizType="scene" title={({ sceneName }) => `业务场景「${sceneName}」`}>
    {(row) => <Details row={row} items={ITEMS} />}
  </RecordDrawer>
)
