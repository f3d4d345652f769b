import { ArtifactKindProvider, FIRMWARE_KIND } from './artifact-kind.ts'
import { VersionAddForm } from './ota-form.tsx'

/** Page that adds a firmware version. */
export default function OtaAddPage() {
  return (
    <ArtifactKindProvider value={FIRMWARE_KIND}>
      <VersionAddForm />
    </ArtifactKindProvider>
  )
}
