import { OtaVersion, OTA_STATUS } from '@oms/contract/upgrade/ota.ts'
import { formatVersionRange } from '@oms/contract/upgrade/version-range.ts'
import { Tag } from 'antd'
import { DetailDrawer } from '#kit/record/detail-drawer.tsx'
import { RecordHistory } from '#kit/record/record-history.tsx'
import { useRead } from '#core/api/query.ts'
import { Descriptions, createDescriptions } from '#kit/record/descriptions.tsx'
import { time } from '#kit/record/time.tsx'
import { Waiting } from '#kit/feedback/waiting.tsx'
import type { Version } from './use-ota-actions.tsx'
import { useArtifactKind } from './artifact-kind.ts'
import { ComponentList } from './component-list.tsx'
import { SignatureBlock } from './signature-block.tsx'

/** Shows one version in a drawer: its fields, components and operation history. */
export function OtaDrawer(props: {
  rows: readonly Version[]
  row: Version | undefined
  onRow(row: Version | undefined): void
}) {
  return (
    <DetailDrawer {...props} rowKey="otaId" title={({ verName, verCode }) => `${verName}（${verCode}）`}>
      {({ otaId }) => (
        <>
          <OtaDetails key={`d${otaId}`} otaId={otaId} />
          <OtaHistory key={`h${otaId}`} otaId={otaId} />
        </>
      )}
    </DetailDrawer>
  )
}

/** Operation history of a version, newest entry first. */
function OtaHistory({ otaId }: { otaId: number }) {
  const { key: bizType } = useArtifactKind()
  return (
    <>
      <h3 className="kit-heading">变更历史</h3>
      <RecordHistory bizType={bizType} bizId={otaId} />
    </>
  )
}

const COLORS: Readonly<Record<number, string>> = { 0: 'default', 1: 'success', 2: 'warning' }

/** Tag with the status of a version. */
const OtaStatus = ({ status }: { status: number }) => (
  <Tag color={COLORS[status] ?? 'default'}>{OTA_STATUS[status as keyof typeof OTA_STATUS] ?? status}</Tag>
)

const { item, wide } = createDescriptions(OtaVersion)
const PACKAGE = item('packageName')
const ITEMS = [
  item('verName'),
  item('verCode'),
  PACKAGE,
  item('modelName'),
  item('status', (status) => <OtaStatus status={status} />),
  { ...item('oldVerMin', (_, row) => formatVersionRange(row)), title: '适用旧版本' },
  item('tenantName'),
  item('buildDate', time),
  item('releaseDate', time),
  item('createByName'),
  item('createTime', time),
  item('enableTime', time),
  item('updateTime', time),
  wide('description'),
]

/** Read-only view of a version. */
function OtaDetails({ otaId }: { otaId: number }) {
  const { calls, key } = useArtifactKind()
  const { data, error, refetch } = useRead(calls.get, { otaId }, { quiet: true, keepPrevious: false })
  if (!data) return <Waiting reads={[{ error, refetch }]} rows={10} />
  return (
    <>
      <Descriptions
        row={data.otaVersion}
        items={key === 'software' ? ITEMS : ITEMS.filter((each) => each !== PACKAGE)}
      />
      <h3 className="kit-heading">组件（{data.components.length}）</h3>
      <ComponentList components={data.components} />
      <SignatureBlock otaId={otaId} status={data.otaVersion.status} components={data.components.length} />
    </>
  )
}
