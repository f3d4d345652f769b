import { ArtifactKindProvider } from '../artifact-kind.ts'
import { SOFTWARE } from './software-kind.ts'
import { VersionEdit } from '../version-edit.tsx'

/** Page that edits or shows a software package version. */
export default function SoftwareEditPage() {
  return (
    <ArtifactKindProvider value={SOFTWARE}>
      <VersionEdit />
    </ArtifactKindProvider>
  )
}
