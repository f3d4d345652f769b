import { ArtifactKindProvider } from './artifact-kind.ts'
import { FIRMWARE } from './firmware-kind.ts'
import { VersionList } from './version-list.tsx'

/** Lists the firmware versions. */
export default function OtaListPage() {
  return (
    <ArtifactKindProvider value={FIRMWARE}>
      <VersionList />
    </ArtifactKindProvider>
  )
}
