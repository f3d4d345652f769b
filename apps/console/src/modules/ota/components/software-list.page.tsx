import { ArtifactKindProvider } from '../artifact-kind.ts'
import { SOFTWARE } from './software-kind.ts'
import { VersionList } from '../version-list.tsx'

/** Lists the software package versions. */
export default function SoftwareListPage() {
  return (
    <ArtifactKindProvider value={SOFTWARE}>
      <VersionList />
    </ArtifactKindProvider>
  )
}
