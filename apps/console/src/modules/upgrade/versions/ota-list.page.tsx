import { ArtifactKindProvider, FIRMWARE_KIND } from './artifact-kind.ts'
import { VersionList } from './version-list.tsx'

/** Lists the firmware versions. */
export default function OtaListPage() {
  return (
    <ArtifactKindProvider value={FIRMWARE_KIND}>
      <VersionList />
    </ArtifactKindProvider>
  )
}
