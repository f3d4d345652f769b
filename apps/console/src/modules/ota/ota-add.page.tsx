import { ArtifactKindProvider } from './artifact-kind.ts'
import { FIRMWARE } from './firmware-kind.ts'
import { VersionAdd } from './version-add.tsx'

/** Page that adds a firmware version. */
export default function OtaAddPage() {
  return (
    <ArtifactKindProvider value={FIRMWARE}>
      <VersionAdd />
    </ArtifactKindProvider>
  )
}
