import { DeviceModelRow, deviceModels } from '@oms/contract/device/device-model.ts'
import { Empty, Tabs, Tag } from 'antd'
import { formatPercent } from '#core/text/format.ts'
import { useRead } from '#core/api/query.ts'
import { Link } from '#core/routing/router.tsx'
import { useCan } from '#core/auth/session.tsx'
import { DetailDrawer } from '#kit/record/detail-drawer.tsx'
import { Descriptions, createDescriptions } from '#kit/record/descriptions.tsx'
import { EnabledTag } from '#kit/record/enabled-tag.tsx'
import { RecordHistory } from '#kit/record/record-history.tsx'
import { Time } from '#kit/record/time.tsx'
import { ImageList } from '#kit/upload/image-upload.tsx'
import { Waiting } from '#kit/feedback/waiting.tsx'
import type { Model } from './device-model-list.page.tsx'

const { item, wide } = createDescriptions(DeviceModelRow)
const at = (time: string) => <Time at={time} />
const ITEMS = [
  wide('picture', (picture) => (picture ? <ImageList value={picture} /> : null)),
  item('modelName'),
  item('modelCode'),
  item('typeName'),
  item('status', (status) => <EnabledTag on={status === 1} />),
  item('hwVersion'),
  item('chip'),
  item('cloudChannels', (count) => (count > 0 ? count : '不支持云存储')),
  item('boards', (boards) => boards.join('、')),
  item('deviceCount', (count) => count.toLocaleString()),
  item('onlineCount', (count) => count.toLocaleString()),
  item('versionCount'),
  item('currentVerName', (name, { currentVerCode }) =>
    currentVerCode === null ? null : `${name}（${currentVerCode}）`,
  ),
  item('createTime', at),
  item('updateTime', at),
  wide('remark'),
]

/** Model drawer: details, versions of its devices, and history. */
export function ModelDrawer(props: {
  rows: readonly Model[]
  row: Model | undefined
  onRow(row: Model | undefined): void
}) {
  return (
    <DetailDrawer {...props} rowKey="id" title={({ modelName, modelCode }) => `${modelName}（${modelCode}）`}>
      {(row) => (
        <Tabs
          items={[
            { key: 'details', label: '基本信息', children: <Descriptions row={row} items={ITEMS} /> },
            { key: 'spread', label: '版本分布', children: <Spread key={row.id} model={row} /> },
            {
              key: 'history',
              label: '操作记录',
              children: <RecordHistory key={row.id} bizType="deviceModel" bizId={row.id} />,
            },
          ]}
        />
      )}
    </DetailDrawer>
  )
}

function Spread({ model }: { model: Model }) {
  const { data, error, refetch } = useRead(deviceModels.spread, { id: model.id }, { quiet: true, keepPrevious: false })
  if (!data) return <Waiting reads={[{ error, refetch }]} rows={3} />
  if (data.total === 0) return <Empty image={Empty.PRESENTED_IMAGE_SIMPLE} description="该型号还没有设备" />
  const top = Math.max(...data.list.map(({ devices }) => devices), data.others)
  return (
    <>
      <p className="kit-hint">共 {data.total.toLocaleString()} 台设备，按其运行的固件版本</p>
      <ul className="kit-bars">
        {data.list.map(({ verCode, verName, devices, online }) => (
          <li key={verCode ?? 'none'}>
            <VersionName
              verCode={verCode}
              verName={verName}
              modelId={model.id}
              isCurrent={verCode === model.currentVerCode}
            />
            <Bar share={devices / top} />
            <span className="kit-number">
              {devices.toLocaleString()}（{percent(devices, data.total)}）<small>在线 {online.toLocaleString()}</small>
            </span>
          </li>
        ))}
        {data.others > 0 && (
          <li>
            <span>更早的版本</span>
            <Bar share={data.others / top} />
            <span className="kit-number">{data.others.toLocaleString()}</span>
          </li>
        )}
      </ul>
    </>
  )
}

const percent = (part: number, whole: number) => formatPercent(part / whole)

const Bar = ({ share }: { share: number }) => (
  <span className="kit-bar" aria-hidden>
    <span style={{ width: `${Math.max(share * 100, 0.5)}%` }} />
  </span>
)

function VersionName(props: { verCode: number | null; verName: string; modelId: number; isCurrent: boolean }) {
  const { verCode, verName, modelId, isCurrent } = props
  const can = useCan()
  if (verCode === null) return <span>未上报版本</span>
  const words = verName ? `${verName}（${verCode}）` : String(verCode)
  const link = `/device/apkManage?modelId=${modelId}&verCodeMin=${verCode}&verCodeMax=${verCode}`
  return (
    <span>
      {can('device:apkManage:list') ? <Link to={link}>{words}</Link> : words}{' '}
      {isCurrent && <Tag color="blue">当前</Tag>}
    </span>
  )
}
