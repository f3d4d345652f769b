import { DetailDrawer } from '#kit/detail-drawer.tsx'
import { OtaDetails } from './ota-details.tsx'
import { OtaHistory } from './ota-history.tsx'
import type { Version } from './use-ota-actions.tsx'

/** One version beside the list: what it is, its components, and what was done to it. */
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
