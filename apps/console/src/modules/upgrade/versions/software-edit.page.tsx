import { ArtifactKindProvider } from './artifact-kind.ts'
import { SOFTWARE_KIND } from './software-kind.ts'
import { VersionEditForm } from './version-edit.tsx'

/** Page that edits or shows a software package version. */
export default function SoftwareEditPage() {
  return (
    <ArtifactKindProvider value={SOFTWARE_KIND}>
      <VersionEditForm />
    </ArtifactKindProvider>
  )
}
