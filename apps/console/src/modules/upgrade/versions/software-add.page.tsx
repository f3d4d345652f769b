import { ArtifactKindProvider, SOFTWARE_KIND } from './artifact-kind.ts'
import { VersionAddForm } from './ota-form.tsx'

/** Page that adds a software package version. */
export default function SoftwareAddPage() {
  return (
    <ArtifactKindProvider value={SOFTWARE_KIND}>
      <VersionAddForm />
    </ArtifactKindProvider>
  )
}
