import { ArtifactKindProvider } from './artifact-kind.ts'
import { FIRMWARE_KIND } from './firmware-kind.ts'
import { VersionEditForm } from './version-edit.tsx'

/** Page that edits or shows a firmware version. */
export default function OtaEditPage() {
  return (
    <ArtifactKindProvider value={FIRMWARE_KIND}>
      <VersionEditForm />
    </ArtifactKindProvider>
  )
}
