import { ArtifactKindProvider, SOFTWARE_KIND } from './artifact-kind.ts'
import { VersionEditForm } from './ota-form.tsx'

/** Page that edits or shows a software package version. */
export default function SoftwareEditPage() {
  return (
    <ArtifactKindProvider value={SOFTWARE_KIND}>
      <VersionEditForm />
    </ArtifactKindProvider>
  )
}
