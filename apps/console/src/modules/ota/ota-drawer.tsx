import { DetailDrawer } from '#kit/record/detail-drawer.tsx'
import { RecordHistory } from '#kit/record/record-history.tsx'
import { OtaDetails } from './ota-details.tsx'
import type { Version } from './use-ota-actions.tsx'
import { useArtifactKind } from './artifact-kind.ts'
import './ota.css'

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
      <h3 className="ota-heading">变更历史</h3>
      <RecordHistory bizType={bizType} bizId={otaId} />
    </>
  )
}
