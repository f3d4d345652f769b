import { ArtifactKindProvider } from './artifact-kind.ts'
import { SOFTWARE_KIND } from './software-kind.ts'
import { VersionAddForm } from './version-add.tsx'

/** Page that adds a software package version. */
export default function SoftwareAddPage() {
  return (
    <ArtifactKindProvider value={SOFTWARE_KIND}>
      <VersionAddForm />
    </ArtifactKindProvider>
  )
}
