import { DetailDrawer } from '#kit/record/detail-drawer.tsx'
import { OtaDetails } from './ota-details.tsx'
import { OtaHistory } from './ota-history.tsx'
import type { Version } from './use-ota-actions.tsx'

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
