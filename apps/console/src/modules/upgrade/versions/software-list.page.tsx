import { ArtifactKindProvider } from './artifact-kind.ts'
import { SOFTWARE_KIND } from './software-kind.ts'
import { VersionList } from './version-list.tsx'

/** Lists the software package versions. */
export default function SoftwareListPage() {
  return (
    <ArtifactKindProvider value={SOFTWARE_KIND}>
      <VersionList />
    </ArtifactKindProvider>
  )
}
