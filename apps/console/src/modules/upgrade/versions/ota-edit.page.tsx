import { ArtifactKindProvider, FIRMWARE_KIND } from './artifact-kind.ts'
import { VersionEditForm } from './ota-form.tsx'

/** Page that edits or shows a firmware version. */
export default function OtaEditPage() {
  return (
    <ArtifactKindProvider value={FIRMWARE_KIND}>
      <VersionEditForm />
    </ArtifactKindProvider>
  )
}
