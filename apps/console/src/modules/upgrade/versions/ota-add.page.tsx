import { ArtifactKindProvider } from './artifact-kind.ts'
import { FIRMWARE_KIND } from './firmware-kind.ts'
import { VersionAddForm } from './version-add.tsx'

/** Page that adds a firmware version. */
export default function OtaAddPage() {
  return (
    <ArtifactKindProvider value={FIRMWARE_KIND}>
      <VersionAddForm />
    </ArtifactKindProvider>
  )
}
