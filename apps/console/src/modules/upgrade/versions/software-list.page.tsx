import { ArtifactKindProvider, SOFTWARE_KIND } from './artifact-kind.ts'
import { VersionList } from './version-list.tsx'

/** Lists the software package versions. */
export default function SoftwareListPage() {
  return (
    <ArtifactKindProvider value={SOFTWARE_KIND}>
      <VersionList />
    </ArtifactKindProvider>
  )
}
